"""Inference: what can be learnt from the releases themselves about who has which value."""
