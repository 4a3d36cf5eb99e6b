"""Unit tests of simulating."""
