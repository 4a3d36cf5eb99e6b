"""Unit tests of reports."""
