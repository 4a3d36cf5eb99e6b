"""Guessing a manifest from the files of a series."""
