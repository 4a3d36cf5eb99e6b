"""The m-invariance paper: its experiments, and the figures made of them."""
