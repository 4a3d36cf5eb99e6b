"""Results as JSON: dataclasses written field by field, as the types of their fields say (`audit.model.json_types`)."""

from __future__ import annotations

import datetime
import json
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from fractions import Fraction
from functools import cache
from typing import Any, ClassVar, Literal, TypeVar, cast, get_args, get_origin, get_type_hints

from audit.model.evidence import CombinedName
from audit.model.json_types import (
    UNWRITTEN,
    Inlined,
    Less,
    Omitted,
    WrittenAs,
    notes_of,
)

T = TypeVar("T")


def json_object(value: object) -> dict[str, Any]:
    """Return a dataclass as the entries of a JSON object.

    >>> from audit.model.report import AdversaryFacts, Contradictions
    >>> json_object(AdversaryFacts("linked", False, 2)), json_object(Contradictions())
    ({'kind': 'linked', 'transitions': False, 'known': 2}, {'changed': 0, 'infeasible': 0})
    """
    entries: dict[str, Any] = json_value(value)
    return entries


def json_value(value: object) -> Any:  # noqa: ANN401 - whatever JSON has
    """Return a value as JSON types: objects, lists, texts, numbers."""
    if isinstance(value, CombinedName):
        return list(value.attributes)
    if isinstance(value, str | int | float) or value is None:
        return value
    if isinstance(value, datetime.date | Fraction):
        return str(value)
    if isinstance(value, Mapping):
        return {str(key): json_value(held) for key, held in value.items()}
    if isinstance(value, tuple | list):
        return [json_value(each) for each in value]
    return _entries(value)


def _entries(value: object) -> dict[str, Any]:
    kind: Any = type(value)
    entries: dict[str, Any] = dict(constants(kind))
    for each in written_fields(kind):
        held = getattr(value, each.name)
        if each.inlined:
            entries |= _less(json_value(held), each.less)
        elif not (each.omitted and (held is None or held is False or held in ((), {}))):
            entries[each.key] = _less(json_value(held), each.less)
    return entries


def _less(written: T, less: Less | None) -> T:
    """Return an object without the omitted entries."""
    if isinstance(written, list):
        return cast("T", [_less(each, less) for each in written])
    if less is None or not isinstance(written, dict):
        return written
    return cast("T", {key: held for key, held in written.items() if key not in less.left_out})


@dataclass(frozen=True)
class WrittenField:
    """How a field is written as JSON.

    Attributes:
        name: its name.
        key: its name in JSON.
        hint: its type.
        omitted: whether it is omitted if it is None, False or empty.
        inlined: whether its entries are written in its place.
        less: the entries that are not written; None if all are written.
    """

    name: str
    key: str
    hint: Any
    omitted: bool
    inlined: bool
    less: Less | None


@cache
def written_fields(kind: type) -> tuple[WrittenField, ...]:
    """Return how each field of a dataclass is written, and each property in `WRITTEN`.

    Raises:
        TypeError: it is not a dataclass.
    """
    if not is_dataclass(kind):
        raise TypeError(f"JSON has nothing for a {kind.__name__}")
    hints = get_type_hints(kind, include_extras=True)
    for name in getattr(kind, "WRITTEN", ()):
        hints[name] = get_type_hints(getattr(kind, name).fget, include_extras=True)["return"]
    names = [*(each.name for each in fields(kind)), *getattr(kind, "WRITTEN", ())]
    return tuple(_written_field(name, hints[name]) for name in names if UNWRITTEN not in notes_of(hints[name]))


@cache
def constants(kind: type) -> tuple[tuple[str, object], ...]:
    """Return the class variables of a dataclass that are written: those that can only have one value."""
    hints = get_type_hints(kind)
    literal = [
        name for name, hint in hints.items() if get_origin(hint) is ClassVar and get_origin(*get_args(hint)) is Literal
    ]
    return tuple((name, getattr(kind, name)) for name in literal)


def _written_field(name: str, hint: object) -> WrittenField:
    said = notes_of(hint)
    return WrittenField(
        name,
        next((each.name for each in said if isinstance(each, WrittenAs)), name),
        hint,
        any(isinstance(each, Omitted) for each in said),
        any(isinstance(each, Inlined) for each in said),
        next((each for each in said if isinstance(each, Less)), None),
    )


def as_json(document: object) -> str:
    """Return a document as indented JSON with a final line break; control characters are escaped, all of them."""
    text = json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False)
    if text.isascii() and "\x7f" not in text:
        return text + "\n"
    return "".join(c if c == "\n" or not _controls(c) else json.dumps(c)[1:-1] for c in text) + "\n"


def _controls(character: str) -> bool:
    """Return whether a character is invisible: JSON itself permits many, such as those that reverse text."""
    return (
        not character.isascii()
        and (unicodedata.category(character)[0] == "C" or unicodedata.category(character) in ("Zl", "Zp"))
    ) or character == "\x7f"
