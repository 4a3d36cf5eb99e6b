"""Data types of the program; the package computes nothing, and imports only `runtime` from this program."""
