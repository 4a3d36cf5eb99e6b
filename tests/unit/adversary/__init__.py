"""Unit tests of adversary."""
