"""Benchmarks: speed measurements and the papers' experiments, with their bars; see README.md."""
