"""Unit tests of judgement."""
