"""Measures of releases: risks of each by itself, utility, queries."""
