"""Promises: the principles that a series may claim, and naive checkers of each, which know nothing of anonymizers."""
