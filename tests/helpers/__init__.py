"""Shared code of the tests: tiny series, strategies that draw them, and functions that audit them."""
