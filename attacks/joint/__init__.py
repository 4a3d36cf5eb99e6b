"""Joint inference: what remains possible when somebody reasons about everybody at once."""
