"""A schema of the parts of SARIF 2.1.0 that reports use, from the specification; it allows nothing else."""

from typing import Any

from jsonschema import Draft202012Validator


def _object(required: str, **properties: Any) -> dict[str, Any]:
    return {"type": "object", "additionalProperties": False, "required": required.split(), "properties": properties}


def _list(items: Any) -> dict[str, Any]:
    return {"type": "array", "items": items}


_TEXT = {"type": "string", "minLength": 1}
_LEVEL = {"enum": ["none", "note", "warning", "error"]}
_INDEX = {"type": "integer", "minimum": 0}
_MESSAGE = _object("text", text=_TEXT)
_URI = {"type": "string", "pattern": r"^[A-Za-z0-9._~%/-]+$", "not": {"pattern": "^/"}}
_PLACE = _object("uri uriBaseId index", uri=_URI, uriBaseId={"const": "%SRCROOT%"}, index=_INDEX)
_LINE = {"type": "integer", "minimum": 1}
_REGION = _object("startLine", startLine=_LINE, endLine=_LINE)


def _located(place: dict[str, Any]) -> dict[str, Any]:
    return _object(
        "physicalLocation", physicalLocation=_object("artifactLocation", artifactLocation=place, region=_REGION)
    )


_LOCATION = _located(_PLACE)
_UNLISTED = _located(_object("uri uriBaseId", uri=_URI, uriBaseId={"const": "%SRCROOT%"}))
_LINK = {"type": "string", "pattern": "^https://"}
_RULE = _object(
    "id shortDescription fullDescription help",
    id=_TEXT,
    shortDescription=_MESSAGE,
    fullDescription=_MESSAGE,
    help=_object("text markdown", text=_TEXT, markdown=_TEXT),
    helpUri=_LINK,
)
_INVOCATION = _object(
    "executionSuccessful toolExecutionNotifications",
    executionSuccessful={"type": "boolean"},
    exitCode=_INDEX,
    toolExecutionNotifications=_list(
        _object("level message", level=_LEVEL, message=_MESSAGE, locations=_list(_UNLISTED))
    ),
)
_ARTIFACT = _object(
    "location",
    location=_PLACE,
    hashes=_object("sha-256", **{"sha-256": {"type": "string", "pattern": "^[0-9a-f]{64}$"}}),
)
_RESULT = _object(
    "ruleId ruleIndex level message locations",
    ruleId=_TEXT,
    ruleIndex=_INDEX,
    level=_LEVEL,
    message=_MESSAGE,
    locations={**_list(_LOCATION), "minItems": 1},
    partialFingerprints={"type": "object", "additionalProperties": _TEXT},
)
_RUN = _object(
    "tool automationDetails invocations",
    tool=_object(
        "driver",
        driver=_object("name version rules", name=_TEXT, version=_TEXT, informationUri=_LINK, rules=_list(_RULE)),
    ),
    automationDetails=_object("id", id={"type": "string", "pattern": "^series-audit/[^ ]+/$"}),
    invocations=_list(_INVOCATION),
    artifacts=_list(_ARTIFACT),
    results=_list(_RESULT),
    properties={"type": "object"},
)
LOG = Draft202012Validator(
    _object("$schema version runs", **{"$schema": _TEXT, "version": {"const": "2.1.0"}, "runs": _list(_RUN)})
)


def assert_sarif(log: dict[str, Any]) -> None:
    """Check a log's shape, and that its indices point where they should."""
    assert [f"{error.json_path}: {error.message[:200]}" for error in LOG.iter_errors(log)] == []
    [run] = log["runs"]
    if "results" not in run:
        assert [(each["executionSuccessful"], each["exitCode"]) for each in run["invocations"]] == [(False, 2)]
        return
    rules, artifacts = run["tool"]["driver"]["rules"], run["artifacts"]
    assert len({rule["id"] for rule in rules}) == len(rules)
    for place, artifact in enumerate(artifacts):
        assert artifact["location"]["index"] == place
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        for location in result["locations"]:
            where = location["physicalLocation"]["artifactLocation"]
            lines = location["physicalLocation"].get("region", {})
            assert lines.get("endLine", lines.get("startLine", 1)) >= lines.get("startLine", 1)
            assert artifacts[where["index"]]["location"] == where
