"""The policy's clauses: one class each, which parses its limit, and reports violations, doubts and a remedy."""
