"""Budgets, engines, signals, and the choice of kernels."""
