"""Adversaries: how somebody who knows something sees a series, as evidence for attacks."""
