"""Equivalence: which people share a value, by combining groups (equivalence paper, Sections IV to VI)."""
