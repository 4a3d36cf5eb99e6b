"""Linking: a series and an adversary's knowledge become evidence, and the publisher's key becomes truth."""
