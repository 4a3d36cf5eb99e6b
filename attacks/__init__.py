"""Attacks: what an adversary can deduce from a release series."""
