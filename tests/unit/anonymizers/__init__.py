"""Unit tests of anonymizers."""
