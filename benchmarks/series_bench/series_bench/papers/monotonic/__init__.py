"""The monotonic paper: its experiments, and the figures made of them."""
