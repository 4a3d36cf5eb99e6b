"""Audit: the nouns of a release series, and the command line."""
