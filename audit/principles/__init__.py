"""Privacy principles by their definitions."""
