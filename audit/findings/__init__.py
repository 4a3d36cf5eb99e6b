"""Kinds of findings, one module each: what is claimed of whom, its id, its sentence and steps, and its JSON."""
