"""Unit tests of model."""
