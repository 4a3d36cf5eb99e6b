"""Adversaries: what each knows about a series, as evidence for attacks."""
