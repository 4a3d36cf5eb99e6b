"""Unit tests, in folders named like those of the sources."""
