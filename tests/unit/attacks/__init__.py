"""Unit tests of attacks."""
