"""The JSON Schema of all results, made of the types that they are written from."""
