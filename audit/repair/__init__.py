"""Repair: find the least changed release, made from a candidate, that keeps the policy."""
