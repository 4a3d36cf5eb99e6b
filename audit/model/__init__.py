"""The data types of the program; the package computes nothing and imports nothing of ours except `runtime`."""
