"""The JSON Schema of all results, made of the types that they are written from."""

from pathlib import Path

WRITTEN = Path(__file__).with_name("results.schema.json")
"""The schema's path in the package."""
