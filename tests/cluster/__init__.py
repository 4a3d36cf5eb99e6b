"""A cluster of two workers on this machine."""
