"""Infer a manifest from files."""
