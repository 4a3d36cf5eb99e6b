"""The published JSON Schemas, and validators of what the commands write."""

import json
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from referencing import Registry, Resource

DOCS = Path(__file__).parent.parent.parent / "docs"


@cache
def schema(name: str) -> dict[str, Any]:
    """The schema `docs/NAME.schema.json`."""
    return json.loads((DOCS / f"{name}.schema.json").read_text(encoding="utf-8"))


@cache
def validator(name: str) -> Draft202012Validator:
    """A validator of the schema; schemas may refer to each other."""
    both = [schema(each) for each in ("result", "comparison")]
    registry = Registry().with_resources((each["$id"], Resource.from_contents(each)) for each in both)
    return Draft202012Validator(schema(name), registry=registry)


def troubles(name: str, document: Any) -> list[str]:
    """What is wrong with a document, each with its place."""
    return [f"{error.json_path}: {error.message[:200]}" for error in validator(name).iter_errors(document)]


def fits(name: str, document: Any) -> bool:
    """Whether nothing is wrong with a document: much quicker to tell than what is."""
    return validator(name).is_valid(document)
