"""The m-Distinct paper: its experiments, and the figures made of them."""

DOMAINS = "Age=1..100,Gender=2,Marital=6,Education=1..17"
"""The quasi-identifiers of its people, as `audit simulate` takes them."""
