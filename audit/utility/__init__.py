"""Utility: what a published series is still good for, with the original microdata as truth."""
