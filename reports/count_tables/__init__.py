"""Formats of reports on count tables."""
