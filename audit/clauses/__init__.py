"""The policy's clauses: one object each, which parses its limit and says what violates, decides and remedies it."""
