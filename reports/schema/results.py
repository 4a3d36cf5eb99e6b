"""The JSON Schema of all results: measures, names and what newer commands write from their types, the rest as stated.

`python -m audit.api.schema` writes `results.schema.json`, which ships with the package.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path

from audit.clauses.registry import CLAUSES
from audit.model.adversary import ADVERSARIES
from audit.model.check_report import CheckReport, Offence
from audit.model.explanation import ExplainedVersion
from audit.model.measures import Measures
from audit.model.recommendation import Recommendation
from audit.model.release_impact import Change, GroupRows
from reports.input_errors import ErrorEntry
from reports.schema.types import Schema, closed, descriptions, measures_of, object_of, schema_of

ID = "urn:series-audit:results:1"
WRITTEN = Path(__file__).with_name("results.schema.json")
"""Where the schema lies in the package."""
KINDS = ("audit", "next", "explanation", "check", "comparison", "count_tables", "error")
"""What a result may be: each is `ID#/$defs/KIND`."""


def results_schema(measures: Mapping[str, type[Measures]]) -> Schema:
    """Return the schema of all results, given the measures of each attack."""
    stated = {**_read("audit"), "comparison": _read("comparison"), **_read("count_tables")}
    definitions = {
        **stated,
        **_names(list(measures)),
        **_measures(stated, measures),
        "group_rows": object_of(GroupRows),
    }
    required = [each.name for each in fields(Recommendation) if each.name != "moves"]
    definitions["recommendation"] = {**object_of(Recommendation), "required": required}
    definitions["next"] = _next(stated["audit"])
    definitions["explanation"], definitions["check"], definitions["error"] = _explanation(), _check(), _error()
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": ID,
        "title": "Results of series-audit",
        "description": "What its commands write with --format json; #/$defs has one schema for each kind of result.",
        "anyOf": [{"$ref": f"#/$defs/{kind}"} for kind in KINDS],
        "$defs": definitions,
    }


def _read(name: str) -> Schema:
    stated: Schema = json.loads(Path(__file__).with_name(f"{name}.json").read_text(encoding="utf-8"))
    return stated


def _names(attacks: list[str]) -> Schema:
    return {
        "attack": {
            "description": "The name of an attack: one of these, or one that an installed package brings.",
            "type": "string",
            "examples": attacks,
        },
        "clause": {"description": "A clause of the policy.", "enum": list(CLAUSES)},
        "adversary_kind": {"description": "Whom the audit assumes.", "enum": list(ADVERSARIES)},
    }


def _measures(stated: Schema, measures: Mapping[str, type[Measures]]) -> Schema:
    """Return the measures of each attack, and what they have to be by its name."""
    found: Schema = {}
    by_name = list(stated["status_and_measures"]["allOf"][1]["else"]["allOf"])
    for name, kind in measures.items():
        own = f"measures_{name.replace('-', '_')}"
        found[own] = measures_of(kind)
        then = {"properties": {"measures": {"$ref": f"#/$defs/{own}"}}}
        by_name.append({"if": {"properties": {"attack": {"const": name}}}, "then": then})
    whole = json.loads(json.dumps(stated["status_and_measures"]))
    whole["allOf"][1]["else"]["allOf"] = by_name
    return {**found, "status_and_measures": whole}


def _next(audit: Schema) -> Schema:
    """Return the schema of `audit next`: that of an audit with the candidate, and what it changes."""
    properties = {name: each for name, each in audit["properties"].items() if name != "attacks"}
    count, texts, rows = schema_of(int), {"$ref": "#/$defs/texts"}, {"$ref": "#/$defs/group_rows"}
    changes = closed(
        "A measure that the candidate changes; null where an attack has no such measure.",
        {name: {"description": text} for name, text in descriptions(Change).items()},
    )
    cause = closed(
        "What a new finding follows from.",
        {"releases": texts, "least": {"type": "boolean"}, "rows": {"type": "array", "items": rows}},
    )
    attack = {
        "description": "One attack without the candidate and with it.",
        "type": "object",
        "required": ["attack", "status", "status_before", "changes", "new_findings"],
        "properties": {
            "attack": {"$ref": "#/$defs/attack"},
            "status": {"$ref": "#/$defs/status"},
            "status_before": {"$ref": "#/$defs/status"},
            "changes": {"type": "array", "items": changes},
            "found_before": count,
            "newly_found": count,
            "people_newly_found": count,
            "new_findings": {
                "type": "array",
                "items": {"type": "object", "required": ["id", "kind", "cause"], "properties": {"cause": cause}},
            },
        },
        "allOf": [{"$ref": "#/$defs/status_and_measures"}],
    }
    policy = {"$ref": "#/$defs/audit/properties/policy"}
    withholding = closed(
        "Rows of the candidate without which nothing new is found.",
        {
            "rows": {"type": "array", "items": rows},
            "count": count,
            "smallest": {"type": "boolean"},
            "against": texts,
            "remaining": {
                "type": "array",
                "items": closed("What is still found.", {"attack": {"$ref": "#/$defs/attack"}, "newly_found": count}),
            },
            "groups_without_people": texts,
            "policy": {"anyOf": [policy, {"type": "null"}]},
        },
    )
    added = {
        "attacks": {"type": "array", "items": attack},
        "candidate": closed(
            "The candidate.",
            {"release": {"$ref": "#/$defs/release"}, "files": texts, "key": schema_of(str | None)},
        ),
        "before": closed(
            "The audit without it.",
            {"policy": policy, "contradictions": {"type": "object"}, "attacks": {"type": "array"}},
        ),
        "withholding": {"anyOf": [withholding, {"type": "null"}]},
        "not_computed": texts,
        "repair": {"description": "A repair that keeps the policy, where one was found.", "type": ["object", "null"]},
    }
    told = "What `audit next SERIES CANDIDATE --format json` writes."
    required = [*audit["required"], *(name for name in added if name != "attacks")]
    return {**closed(told, {**properties, **added}), "required": required}


def _explanation() -> Schema:
    said = closed(
        "What one attack says of the person.",
        {
            "attack": {"$ref": "#/$defs/attack"},
            "status": {"$ref": "#/$defs/status"},
            "reason": schema_of(str | None),
            "findings": {"type": "array", "items": {"type": "object", "required": ["id", "kind"]}},
        },
    )
    attribute = closed(
        "What is known of one sensitive attribute.",
        {
            "sensitive": {"$ref": "#/$defs/sensitive"},
            "versions": {"type": "array", "items": object_of(ExplainedVersion)},
            "absent": {"$ref": "#/$defs/texts"},
            "attacks": {"type": "array", "items": said},
        },
    )
    return closed(
        "What `audit explain SERIES --individual ID --format json` writes; it names people.",
        {
            "series": schema_of(str),
            "individual": schema_of(str),
            "adversary": {"$ref": "#/$defs/audit/properties/adversary"},
            "attributes": {"type": "array", "items": attribute},
        },
    )


def _check() -> Schema:
    """Return the schema of `audit check`."""
    offence = object_of(Offence, without=["place", "in_rows", "hidden"])
    known = object_of(CheckReport, without=["rows", "promise", "offences"])["properties"]
    return closed(
        "What `audit check SERIES --principle NAME --format json` writes.",
        {
            "schema_version": {"const": 1},
            **known,
            "holds": {
                "description": "Whether the principle is kept; null where it is undecided.",
                **schema_of(bool | None),
            },
            "offences": {"type": "array", "items": offence},
        },
    )


def _error() -> Schema:
    """Return the schema of what a command writes in the place of its result, where it ends with exit code 2."""
    return closed(
        "What a command writes on standard output with --format json when usage or input is wrong (exit code 2).",
        {
            "schema_version": {"const": 1},
            "tool": {"$ref": "#/$defs/audit/properties/tool"},
            "exit_code": {"const": 2},
            "problems": {"type": "array", "minItems": 1, "items": object_of(ErrorEntry)},
        },
    )
