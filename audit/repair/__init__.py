"""Repair: a candidate release goes in, the least changed release that keeps the policy comes out."""
