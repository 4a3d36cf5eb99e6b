"""Correspondence: which rows of successive releases may be the same record's, from the files alone."""
