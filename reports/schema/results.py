"""The JSON Schema of all results, generated from their types.

`python -m audit.api.schema` writes `results.schema.json`, which ships with the package.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields

from audit.clauses.clause import Limit
from audit.clauses.count_limits import COUNT_CLAUSES
from audit.clauses.registry import OWN
from audit.findings.count import COUNT_KINDS
from audit.findings.registry import KINDS as FINDINGS
from audit.model.check_report import CheckReport
from audit.model.comparison import Comparison
from audit.model.count_tables import CountMeasures
from audit.model.explanation import Explanation
from audit.model.json_types import WITHOUT_RESULT
from audit.model.measures import Measures
from audit.model.release_impact import ReleaseImpact, Repair
from audit.model.report import Report
from reports.input_errors import ErrorDocument
from reports.schema.types import Schema, SchemaWriter, closed

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
    writer, attacks = SchemaWriter(), {**on_people, on_tables: (CountMeasures, [*COUNT_KINDS])}
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
