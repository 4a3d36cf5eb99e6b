"""Correspondence: which rows of successive releases may belong to one record, from the files alone."""
