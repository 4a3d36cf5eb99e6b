"""Column rules: a class for each key of `[columns]` that says more than what a column is."""
