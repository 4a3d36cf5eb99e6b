"""Mutants: small wrong changes of the program, each of which a named test must notice."""
