"""The tests: laws, oracles, and what they share."""
