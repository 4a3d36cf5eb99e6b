"""The JSON Schema that ships with the package, and validators of what the commands write."""

from functools import cache
from typing import Any

from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from audit.api import schema

SCHEMA = schema()


@cache
def validator(kind: str) -> Draft202012Validator:
    """A validator of one kind of result."""
    registry = Registry().with_resource(SCHEMA["$id"], Resource.from_contents(SCHEMA))
    return Draft202012Validator({"$ref": f"{SCHEMA['$id']}#/$defs/{kind}"}, registry=registry)


def troubles(kind: str, document: Any) -> list[str]:
    """What is wrong with a document, each with its place."""
    return [f"{error.json_path}: {error.message[:200]}" for error in validator(kind).iter_errors(document)]


def fits(kind: str, document: Any) -> bool:
    """Return whether a document is valid; much faster than listing its errors."""
    return validator(kind).is_valid(document)
