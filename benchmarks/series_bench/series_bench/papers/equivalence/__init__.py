"""The equivalence paper: its experiments, and the figures made of them."""
