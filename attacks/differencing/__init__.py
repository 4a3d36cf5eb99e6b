"""Counts that published tables disclose together: differences between tables, levels and releases."""
