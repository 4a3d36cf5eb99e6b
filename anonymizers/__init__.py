"""Anonymizers: schemes that publish a release series."""
