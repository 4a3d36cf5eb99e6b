"""Adversaries: what each knows of a series, as evidence for attacks."""
