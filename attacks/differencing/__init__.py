"""Counts that published tables give away together: differences between tables, levels and releases."""
