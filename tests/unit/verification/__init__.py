"""Unit tests of verification."""
