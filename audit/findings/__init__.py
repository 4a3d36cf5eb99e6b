"""Kinds of findings, one class each: their claim, id, sentence, steps and JSON."""
