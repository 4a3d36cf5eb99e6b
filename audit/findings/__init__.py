"""Kinds of findings, one module each: what is claimed, its id, its sentence and steps, and its JSON."""
