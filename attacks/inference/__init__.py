"""Inference: guess people's values by patterns learnt from the releases themselves."""
