"""Evidence that others can check: worlds and proofs behind a verdict, and checkers that share nothing with the rest."""
