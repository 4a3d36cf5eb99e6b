"""Column rules: a class for each key of `[columns]` that does more than name a column."""
