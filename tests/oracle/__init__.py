"""Answers found by enumeration, and the audit compared with them."""
