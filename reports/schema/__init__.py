"""The JSON Schema of all results, generated from their types."""

from pathlib import Path

WRITTEN = Path(__file__).with_name("results.schema.json")
"""The path of the schema in the package."""
