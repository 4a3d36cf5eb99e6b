"""Equivalence: who shares a value with whom, by combining groups (equivalence paper, Sections IV to VI)."""
