"""JSON Schema of types: of the dataclasses that results are written from, described by their docstrings."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from inspect import cleandoc
from types import NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

from audit.model.measures import Absent, Measures, RiskMeasures, Within, measure_names

Schema = dict[str, Any]
_PLAIN: dict[object, Schema] = {
    bool: {"type": "boolean"},
    int: {"type": "integer", "minimum": 0},
    float: {"type": "number"},
    str: {"type": "string"},
}


def schema_of(hint: object) -> Schema:
    """Return the schema of a type as results have it; whole numbers count something.

    >>> schema_of(int | None)
    {'anyOf': [{'type': 'integer', 'minimum': 0}, {'type': 'null'}]}
    >>> schema_of(dict[str, list[float]])
    {'type': 'object', 'additionalProperties': {'type': 'array', 'items': {'type': 'number'}}}
    """
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        limits: Within = arguments[1]
        return schema_of(arguments[0]) | {"minimum": limits.least, "maximum": limits.most}
    if origin in (Union, UnionType):
        return _any_of(arguments)
    if origin in (list, tuple, Sequence):
        return {"type": "array", "items": schema_of(arguments[0])}
    if origin in (dict, Mapping):
        return {"type": "object", "additionalProperties": schema_of(arguments[1])}
    return object_of(hint) if isinstance(hint, type) and is_dataclass(hint) else dict(_PLAIN[hint])


def _any_of(hints: Sequence[object]) -> Schema:
    """Return the schema of one of several types; what is absent is not written at all."""
    kinds = [schema_of(each) for each in hints if each not in (Absent, NoneType)]
    kinds += [{"type": "null"}] if NoneType in hints else []
    return kinds[0] if len(kinds) == 1 else {"anyOf": kinds}


def object_of(kind: type, *, without: Sequence[str] = ()) -> Schema:
    """Return the schema of a dataclass as `asdict` writes it, less some fields."""
    hints, told = get_type_hints(kind, include_extras=True), descriptions(kind)
    names = [each.name for each in fields(kind) if each.name not in without]
    return closed(first_sentence(kind), {name: {"description": told[name], **schema_of(hints[name])} for name in names})


def measures_of(kind: type[Measures]) -> Schema:
    """Return the schema of an attack's measures; those of probabilities are there where true values are known."""
    own, risks = _measures(kind), {} if not kind.about_values else _measures(RiskMeasures)
    return closed(first_sentence(kind), {**risks, **own}, optional=[*(risks.keys() - own.keys()), *_absent(kind)])


def closed(description: str, properties: Mapping[str, Schema], optional: Sequence[str] = ()) -> Schema:
    """Return an object of these properties and no others."""
    required = [name for name in properties if name not in optional]
    return {
        "description": description,
        "type": "object",
        "additionalProperties": False,
        "required": required,
        "properties": dict(properties),
    }


def first_sentence(kind: type) -> str:
    """Return the first sentence of a docstring."""
    return cleandoc(kind.__doc__ or "").split("\n\n")[0].replace("\n", " ")


def descriptions(kind: type) -> dict[str, str]:
    """Return what the docstrings of a class and of its bases say of each field.

    Raises:
        KeyError: they say nothing of a field that is asked for.
    """
    found: dict[str, str] = {}
    for base in reversed(kind.__mro__):
        _, _, attributes = cleandoc(base.__doc__ or "").partition("Attributes:\n")
        for names, text in re.findall(r"^    ([\w, ]+): (.+(?:\n {8}.+)*)", attributes, flags=re.MULTILINE):
            said = re.sub(r"\s+", " ", text)
            found |= dict.fromkeys(names.split(", "), said[0].upper() + said[1:])
    return found


def _measures(kind: type[Measures]) -> dict[str, Schema]:
    hints, told = get_type_hints(kind, include_extras=True), descriptions(kind)
    found = {}
    for name in measure_names(kind):
        field = name.replace(".", "_")
        title = name.replace("_", " ").capitalize()
        found[name] = {"title": title, "description": told[field], **schema_of(hints[field])}
    return found


def _absent(kind: type[Measures]) -> list[str]:
    """Return the measures that may be left out; the timeline is there wherever there are releases to look at."""
    hints = get_type_hints(kind)
    names = [name for name in measure_names(kind) if Absent in get_args(hints[name.replace(".", "_")])]
    return [name for name in names if name != "timeline" or not kind.has_timeline]
