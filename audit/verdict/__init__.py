"""Verdict: risks against the truth, certificates checked again, policy and waivers."""
