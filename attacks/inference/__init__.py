"""Inference: guess people's values by what the releases themselves teach."""
