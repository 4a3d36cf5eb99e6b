"""Unit tests of io."""
