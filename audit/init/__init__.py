"""A manifest inferred from files."""
