"""Simulating: microdata of synthetic people, or of people drawn from a table, who come, go and change."""
