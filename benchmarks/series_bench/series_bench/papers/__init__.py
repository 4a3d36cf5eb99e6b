"""The papers' tables and figures, made again and drawn, each beside what its paper says: see docs/figures.md."""

PAPERS = ("m-invariance", "m-Distinct", "equivalence", "monotonic")
"""Short names of the papers."""
