"""Unit tests of principles."""
