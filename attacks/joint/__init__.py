"""Joint inference: what remains possible when everybody is taken together."""
