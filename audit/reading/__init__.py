"""Reading: files become a series, knowledge and keys."""
