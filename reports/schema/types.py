"""The JSON Schema of all results, generated from their types, with descriptions from their docstrings.

`python -m audit.api.schema` writes `results.schema.json`, which ships with the package.
"""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from fractions import Fraction
from inspect import cleandoc
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from audit.clauses.clause import Limit
from audit.clauses.registry import COUNT_CLAUSES, OWN
from audit.findings.count import COUNT_KINDS
from audit.findings.registry import KINDS as FINDINGS
from audit.model.command_results import CheckReport, Comparison, Explanation
from audit.model.count_tables import CountMeasures
from audit.model.finding import AnonymousCounterfeit, C, Finding
from audit.model.json_types import (
    INLINED,
    WITHOUT_RESULT,
    Defined,
    ExactFraction,
    Items,
    Less,
    Omitted,
    Pattern,
    Within,
    notes_of,
)
from audit.model.measures import Absent, Measures, RiskMeasures, measure_names
from audit.model.release_impact import ReleaseImpact, Repair
from audit.model.report import Report
from audit.runtime.phrases import Reason
from reports.json_values import constants, written_fields
from reports.program_formats import ErrorDocument

Schema = dict[str, Any]
_PLAIN: dict[object, Schema] = {
    object: {},
    bool: {"type": "boolean"},
    int: {"type": "integer", "minimum": 0},
    float: {"type": "number"},
    str: {"type": "string"},
    C: {"type": "string"},  # names replace codes
    Reason: {"type": "string"},
    Fraction: {"type": "string", "pattern": notes_of(ExactFraction)[0].pattern},
    datetime.date: {"type": "string", "format": "date", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"},
}
OTHER_FINDING: Schema = {
    "description": "A finding of a kind that an installed package brings.",
    "type": "object",
    "additionalProperties": True,
    "required": ["kind", "id"],
    "properties": {
        "kind": {"type": "string", "not": {"enum": [each.kind for each in FINDINGS]}},
        "id": {"type": "string"},
    },
}


@dataclass
class SchemaWriter:
    """The schemas of types; dataclasses have names of their own.

    Attributes:
        definitions: the schemas of the requested dataclasses, and of those within them, by name.
    """

    definitions: dict[str, Schema] = field(default_factory=dict)

    def schema_of(self, hint: Any) -> Schema:  # noqa: ANN401 - a type as annotations have it
        """Return the schema of a type in results; whole numbers are counts.

        >>> SchemaWriter().schema_of(int | None)
        {'anyOf': [{'type': 'integer', 'minimum': 0}, {'type': 'null'}]}
        >>> SchemaWriter().schema_of(dict[str, list[float]])
        {'type': 'object', 'additionalProperties': {'type': 'array', 'items': {'type': 'number'}}}
        """
        origin, arguments = get_origin(hint), get_args(hint)
        if origin is Annotated:
            return self._limited(arguments[0], arguments[1:])
        if origin is Literal:
            return {"const": arguments[0]} if len(arguments) == 1 else {"enum": list(arguments)}
        if origin in (Union, UnionType):
            return self._any_of(arguments)
        if origin in (list, tuple, Sequence):
            return {"type": "array", "items": self.schema_of(arguments[0])}
        if origin in (dict, Mapping):
            named = get_origin(arguments[0]) is Annotated
            names = {"propertyNames": self.schema_of(arguments[0])} if named else {}
            return {"type": "object", **names, "additionalProperties": self.schema_of(arguments[1])}
        return dict(_PLAIN[hint]) if hint in _PLAIN else self._of_class(origin or hint)

    def _limited(self, hint: object, limits: Sequence[object]) -> Schema:
        """Return the schema of a type within limits."""
        said = self.schema_of(hint)
        if any(isinstance(each, Omitted) for each in limits):
            said = _present(said)
        for each in limits:
            if isinstance(each, Defined):
                said = {"$ref": f"#/$defs/{each.name}"}
            elif isinstance(each, Within):
                said |= {"minimum": each.least} | ({} if each.most == math.inf else {"maximum": each.most})
            elif isinstance(each, Pattern):
                said |= {"pattern": each.pattern}
            elif isinstance(each, Less):
                said = self._less(hint, each, said)
            elif isinstance(each, Items):
                kind = "Items" if said["type"] == "array" else "Properties"
                said |= {f"min{kind}": each.least} | ({} if each.most is None else {f"max{kind}": each.most})
        return said

    def _less(self, hint: object, less: Less, said: Schema) -> Schema:
        """Return the schema of an object, or of a list of objects, without the omitted entries."""
        [kind] = [each for each in _classes(hint) if each is not NoneType]
        if less.called not in self.definitions:
            self.definitions[less.called] = {}
            self.definitions[less.called] = without(self.object_of(kind), less)
        reference = {"$ref": f"#/$defs/{less.called}"}
        if "anyOf" in said:
            return {"anyOf": [reference, {"type": "null"}]}
        return {**said, "items": reference} if "items" in said else reference

    def _any_of(self, hints: Sequence[object]) -> Schema:
        """Return the schema of one of several types; an absent value is not written at all."""
        kinds = [self.schema_of(each) for each in hints if each not in (Absent, NoneType, AnonymousCounterfeit)]
        kinds += [{"type": "null"}] if NoneType in hints else []
        return kinds[0] if len(kinds) == 1 else {"anyOf": kinds}

    def _of_class(self, kind: type) -> Schema:
        """Return the reference to a dataclass, or the schema of what replaces it."""
        if kind is Finding:
            return {"anyOf": [*map(self.schema_of, FINDINGS), OTHER_FINDING]}
        name = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", kind.__name__).lower()
        if name not in self.definitions:
            self.definitions[name] = {}  # a type may contain itself
            self.definitions[name] = self.object_of(kind)
        return {"$ref": f"#/$defs/{name}"}

    def object_of(self, kind: type) -> Schema:
        """Return the schema of a dataclass as it is written."""
        if Measures in kind.__mro__:
            return self.measures_of(kind)
        described, optional = descriptions(kind), list[str]()
        properties: dict[str, Schema] = {
            name: {"description": described[name], "const": value} for name, value in constants(kind)
        }
        variants: list[list[Schema]] = []
        for each in written_fields(kind):
            if each.inlined:
                less = each.less or Less("", ())
                brought = [OTHER_FINDING] if each.hint == Annotated[Finding[str], INLINED] else []
                variants.append([*(without(self.object_of(one), less) for one in _classes(each.hint)), *brought])
            else:
                properties[each.key] = {"description": described[each.name], **self.schema_of(each.hint)}
                optional += [each.key] if each.omitted else []
        own = closed(first_sentence(kind), properties, optional)
        for others in variants:
            merged = [_together(own, other) for one in others for other in one.get("anyOf", [one])]
            own = merged[0] if len(merged) == 1 else {"description": own["description"], "anyOf": merged}
        return own

    def measures_of(self, kind: type[Measures]) -> Schema:
        """Return the schema of an attack's measures; probabilities are present if true values are known."""
        own, risks = self._measures(kind), {} if not kind.about_values else self._measures(RiskMeasures)
        return closed(first_sentence(kind), {**risks, **own}, optional=[*(risks.keys() - own.keys()), *_absent(kind)])

    def _measures(self, kind: type[Measures]) -> dict[str, Schema]:
        hints, described = get_type_hints(kind, include_extras=True), descriptions(kind)
        found = {}
        for name in measure_names(kind):
            at = name.replace(".", "_")
            title = name.replace("_", " ").capitalize()
            found[name] = {"title": title, "description": described[at], **self.schema_of(hints[at])}
        return found


def closed(description: str, properties: Mapping[str, Schema], optional: Sequence[str] = ()) -> Schema:
    """Return an object with these properties only."""
    required = [name for name in properties if name not in optional]
    return {
        "description": description,
        "type": "object",
        "additionalProperties": False,
        "required": required,
        "properties": dict(properties),
    }


def without(said: Schema, less: Less) -> Schema:
    """Return the schema of an object without the omitted entries."""
    if not less.called:
        return said
    properties = {name: each for name, each in said["properties"].items() if name not in less.left_out}
    required = [name for name in properties if name in said["required"]]
    return {**said, "properties": properties, "required": required}


def first_sentence(kind: object) -> str:
    """Return the first sentence of a docstring."""
    return cleandoc(kind.__doc__ or "").split("\n\n")[0].replace("\n", " ")


def descriptions(kind: type) -> dict[str, str]:
    """Return the description of each field, from the docstrings of a class and of its bases.

    Raises:
        KeyError: they do not describe a requested field.
    """
    found: dict[str, str] = {}
    for base in reversed(kind.__mro__):
        _, _, attributes = cleandoc(base.__doc__ or "").partition("Attributes:\n")
        for names, text in re.findall(r"^    ([\w, ]+): (.+(?:\n {8}.+)*)", attributes, flags=re.MULTILINE):
            said = re.sub(r"\s+", " ", text)
            found |= dict.fromkeys(names.split(", "), said[0].upper() + said[1:])
    return found | {name: first_sentence(getattr(kind, name)) for name in getattr(kind, "WRITTEN", ())}


def _present(said: Schema) -> Schema:
    """Return the schema of a value that is omitted if it is None or False, for the case that it is present."""
    if said == {"type": "boolean"}:
        return {"const": True}
    kinds = [each for each in said.get("anyOf", [said]) if each != {"type": "null"}]
    return kinds[0] if len(kinds) == 1 else {"anyOf": kinds}


def _classes(hint: object) -> list[type]:
    """Return the dataclasses in a union."""
    if isinstance(hint, type) or get_origin(hint) is Finding:
        return [hint] if isinstance(hint, type) else [*FINDINGS]
    if get_origin(hint) is Annotated:
        return _classes(get_args(hint)[0])
    return [one for each in get_args(hint) for one in _classes(each)]


def _together(one: Schema, other: Schema) -> Schema:
    """Return an object with the properties of two objects; those of the first take precedence."""
    return {
        **one,
        "additionalProperties": other["additionalProperties"],
        "required": [*dict.fromkeys([*other["required"], *one["required"]])],
        "properties": {**other["properties"], **one["properties"]},
    }


def _absent(kind: type[Measures]) -> list[str]:
    """Return the measures that may be omitted; the timeline is present if there are releases to judge."""
    hints = get_type_hints(kind)
    names = [name for name in measure_names(kind) if Absent in get_args(hints[name.replace(".", "_")])]
    return [name for name in names if name != "timeline" or not kind.has_timeline]


ID = "urn:series-audit:results:2"
KINDS: Mapping[str, type] = {
    "audit": Report,
    "next": ReleaseImpact,
    "repair": Repair,
    "explanation": Explanation,
    "check": CheckReport,
    "comparison": Comparison,
    "error": ErrorDocument,
}
"""The kinds of results: each is `ID#/$defs/KIND`."""
_PSEUDONYM = "^(person|counterfeit)-([0-9]{6,}|[0-9a-f]{12})$"
_RECORD = "^record-([0-9]{6,}|[0-9a-f]{12})$"


def results_schema(on_people: Mapping[str, tuple[type[Measures], Iterable[str]]], on_tables: str) -> Schema:
    """Return the schema of all results, given the measures and the kinds of findings of each attack on people.

    `on_tables` is the name of the attack on count tables.
    """
    of_tables: tuple[type[Measures], Iterable[str]] = (CountMeasures, [*COUNT_KINDS])
    writer, attacks = SchemaWriter(), {**on_people, on_tables: of_tables}
    kinds = {kind: writer.schema_of(document) for kind, document in KINDS.items()}
    measures = {f"measures_{name.replace('-', '_')}": writer.measures_of(one) for name, (one, _) in attacks.items()}
    definitions = writer.definitions
    _relate(definitions, attacks)
    clauses: Mapping[str, Limit] = {**OWN, **COUNT_CLAUSES}
    limits: Schema = {name: {"description": clause.fails, "type": "number"} for name, clause in clauses.items()}
    in_force = closed("The clauses in force, those of installed packages among them.", limits, [*limits])
    definitions["policy_report"]["properties"]["limits"] = {**in_force, "additionalProperties": {"type": "number"}}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": ID,
        "title": "Results of series-audit",
        "description": "What its commands write with --format json; #/$defs has one schema for each kind of result.",
        "anyOf": [{"$ref": f"#/$defs/{kind}"} for kind in KINDS],
        "$defs": {**kinds, **_names([*attacks], [*clauses]), **definitions, **measures},
    }


def _names(attacks: list[str], clauses: list[str]) -> Schema:
    combined = {"type": "array", "minItems": 2, "items": {"type": "string"}}
    return {
        "attack": {
            "description": "The name of an attack: one of these, or one that an installed package brings.",
            "type": "string",
            "examples": attacks,
        },
        "clause": {
            "description": "A clause of the policy: one of these, or one that an installed package brings.",
            "type": "string",
            "examples": clauses,
        },
        "sensitive": {
            "description": "The sensitive attribute; a list where it is the combinations of several.",
            "oneOf": [{"type": "string"}, combined],
        },
    }


def _relate(definitions: dict[str, Schema], attacks: Mapping[str, tuple[type[Measures], Iterable[str]]]) -> None:
    """Add what types do not state: how the entries of one object depend on each other."""
    by_name, found, made = [], [], {kind for _, kinds in attacks.values() for kind in kinds}
    for name, (_, kinds) in attacks.items():
        mine = {"properties": {"attack": {"const": name}}}
        of_attack = {"$ref": f"#/$defs/measures_{name.replace('-', '_')}"}
        by_name.append({"if": mine, "then": {"properties": {"measures": of_attack}}})
        # Clauses and installed packages make findings of other kinds of what any attack returns.
        of_kinds = {"properties": {"kind": {"not": {"enum": sorted(made - {*kinds})}}}} if kinds else False
        found.append({"if": mine, "then": {"properties": {"findings": {"items": of_kinds}}}})
    without_result = {"properties": {"status": {"enum": sorted(WITHOUT_RESULT)}}}
    nothing = {"properties": {"findings": {"maxItems": 0}, "findings_total": {"const": 0}}}
    definitions["status_and_measures"] = {
        "description": "What holds of the measures by the attack and its status.",
        "allOf": [
            {
                "if": {"properties": {"status": {"const": "complete"}}},
                "then": {"properties": {"reason": {"type": "null"}}},
                "else": {"properties": {"reason": {"type": "string", "minLength": 1}}},
            },
            {
                "if": without_result,
                "then": {"properties": {"measures": {"maxProperties": 0}}},
                "else": {"allOf": by_name},
            },
        ],
    }
    fitting = {"$ref": "#/$defs/status_and_measures"}
    for name in ("attack_counts", "compared_attack"):
        definitions[name]["allOf"] = [fitting]
    definitions["attack_report"]["allOf"] = [fitting, {"if": without_result, "then": nothing}, *found]
    unrevealed = {"properties": {"attacks": {"items": {"$ref": "#/$defs/unrevealed_attack"}}}}
    definitions["certificate_step"]["oneOf"] = [{"required": [name]} for name in ("group", "groups")]
    hidden = {"if": {"properties": {"revealed": {"const": False}}}, "then": unrevealed}
    always = [name for name, clause in OWN.items() if clause.default is not None and clause.always]
    limits = {
        "if": {"properties": {"series": {"required": ["individuals"]}}},
        "then": {"properties": {"policy": {"properties": {"limits": {"required": always}}}}},
    }
    definitions["report"]["allOf"] = [hidden, limits]
    definitions |= _unrevealed()


def _unrevealed() -> dict[str, Schema]:
    """Return what holds for results without names."""
    person = {"pattern": _PSEUDONYM}
    steps = {"items": {"$ref": "#/$defs/unrevealed_step"}}
    finding = {
        "individual": person,
        "record": {"pattern": _RECORD},
        "description": False,
        "left": {"propertyNames": person},
        "right": {"propertyNames": person},
        "certificate": steps,
        "located": False,
        "point": False,
    }
    step = {
        "cells": False,
        "person": person,
        "spent": {"items": {"properties": {"person": person}}},
        "nobody": person,
    }
    attack = {
        "findings": {"items": {"properties": finding, "anyOf": [{"properties": {"rows": False}}, _COUNTED_ROWS]}},
    }
    return {
        "unrevealed_attack": {"description": "An attack that names nobody.", "properties": attack},
        "unrevealed_step": {"description": "A step that names nobody.", "properties": step},
    }


_COUNTED_ROWS: Schema = {
    "properties": {
        "kind": {"enum": [each.kind for each in FINDINGS if any(one.name == "rows" for one in fields(each))]}
    }
}
"""The definitions in which `rows` is a number."""
