"""The papers' tables and figures, repeated and drawn, each beside the paper's own result: see docs/figures.md."""

PAPERS = ("m-invariance", "m-Distinct", "equivalence", "monotonic")
"""Short names of the papers."""
