"""Joint inference: what remains possible for everybody at once (THEORY of worlds; m-Distinct and m-invariance papers)."""
