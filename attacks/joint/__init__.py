"""Joint inference: what remains possible when one reasons about all people at once."""
