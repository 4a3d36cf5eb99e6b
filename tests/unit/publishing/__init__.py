"""Unit tests of publishing."""
