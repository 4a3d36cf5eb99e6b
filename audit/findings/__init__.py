"""Kinds of findings, one module each: their claim, id, sentence, steps and JSON."""
