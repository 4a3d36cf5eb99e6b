"""The JSON Schema that ships: every kind of result fits it, and what is misspelt or missing does not."""

import copy
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from attacks.registry import ATTACKS
from audit.api.schema import as_text
from reports.schema import WRITTEN
from reports.schema.types import KINDS
from tests.cli.forms import EXAMPLES, FORMS, edit
from tests.helpers.amount import some
from tests.helpers.running import run_main
from tests.helpers.schemas import SCHEMA, fits, troubles
from tests.universe.drawing import share

TABLES = EXAMPLES.parent / "count_table_examples"
SERIES = sorted(path.parent.name for path in EXAMPLES.glob("*/series.toml"))


def audited(folder: Path, *words: str) -> dict[str, Any]:
    code, out, err = run_main(str(folder), "--format", "json", *words)
    assert code in (0, 1, 3), err
    return json.loads(out)


def statuses(result: dict[str, Any]) -> set[str]:
    return {attack["status"] for attack in result["attacks"]}


def kinds(result: dict[str, Any]) -> set[str]:
    return {finding["kind"] for attack in result["attacks"] for finding in attack["findings"]}


def test_the_schema_is_one():
    Draft202012Validator.check_schema(SCHEMA)
    assert all(kind in SCHEMA["$defs"] for kind in KINDS)


def test_the_schema_that_ships_is_that_of_the_types():
    """Write it anew with `python -m audit.api.schema`."""
    assert WRITTEN.read_text(encoding="utf-8") == as_text()


@pytest.mark.many
@pytest.mark.parametrize("words", [[], ["--reveal", "--findings", "all"]])
@pytest.mark.parametrize("name", SERIES)
def test_results_of_the_examples_fit(tmp_path, name, words):
    FORMS[name](tmp_path / "s")
    assert troubles("audit", audited(tmp_path / "s", *words)) == []


@pytest.mark.parametrize("form", ["keyed", "anatomy", "outsider", "everything", "counted", "changing", "two_values"])
def test_results_of_every_form_fit(tmp_path, form):
    FORMS[form](tmp_path / "s")
    result = audited(tmp_path / "s", "--findings", "all")
    assert troubles("audit", result) == []
    assert (form == "two_values") == all("sensitive" in rung for rung in result["ladder"])
    assert (form == "keyed") == bool(result["policy"]["waived"])


def test_results_of_every_status_and_kind_fit():
    seen: set[str] = set()
    for name, words, status in (
        ("hospital-l-diverse", [], {"complete", "skipped"}),
        ("hospital-l-diverse", ["--time-limit", "0.000001"], {"incomplete", "skipped"}),
        ("ward-l-diverse", [], {"complete", "skipped"}),
        ("cases-independent", ["--adversary", "pseudonym"], {"complete", "skipped"}),
        ("cases-monotonic", ["--time-limit", "0.000001"], {"incomplete", "skipped"}),
    ):
        result = audited(EXAMPLES / name, *words)
        assert troubles("audit", result) == []
        # Some attacks are done before they look at the clock.
        assert statuses(result) - {"complete"} == status - {"complete"}
        seen |= kinds(result)
    assert seen == {"disclosure", "equivalence", "narrowed", "group"}


def test_what_clauses_find_fits_whatever_attack_it_comes_from(tmp_path):
    FORMS["hospital-l-diverse"](tmp_path / "s")
    with (tmp_path / "s" / "series.toml").open("a", encoding="utf-8") as manifest:
        manifest.write('\n[policy]\nmax_risk = 0.5\nmax_ever_risk = 0.5\ngrave = ["gastritis"]\n')
    result = audited(tmp_path / "s", "--findings", "all")
    assert {"risk", "ever"} <= kinds(result)
    assert troubles("audit", result) == []
    spoilt = json.loads(json.dumps(result).replace('"kind": "ever"', '"kind": "narrowed"'))
    assert not fits("audit", spoilt)


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every key of every object of fixed shape, by its path; dictionaries by value are left out."""
    if isinstance(value, dict) and path[-1:] not in [("candidate_sizes",), ("compromised",), ("classes",)]:
        for key, inner in value.items():
            if path[-1:] not in [("left",), ("right",), ("cells",), ("description",)] and path[-2:-1] != ("cells",):
                yield (*path, key)
                yield from places(inner, (*path, key))
    elif isinstance(value, list):
        shapes = {}  # of entries with the same keys, one will do
        for place, inner in enumerate(value):
            shape = (inner.get("attack"), inner.get("kind"), *inner) if isinstance(inner, dict) else type(inner)
            shapes.setdefault(shape, (place, inner))
        for place, inner in shapes.values():
            yield from places(inner, (*path, place))


def changed(result: dict[str, Any], path: tuple[Any, ...], how: str) -> dict[str, Any]:
    spoilt = inside = copy.copy(result)
    for key in path[:-1]:
        inside[key] = copy.copy(inside[key])
        inside = inside[key]
    value = inside.pop(path[-1])
    if how == "misspelt":
        inside[f"{path[-1]}s_"] = value
    elif how == "retyped":
        inside[path[-1]] = [[value]]
    return spoilt


OPTIONAL = {
    "sensitive",
    "feasible",
    "worlds",
    "max_risk",
    "mean_risk",
    "risk_counts",
    "at_limit",
    "above_0.9",
    "above_0.5",
    "by_risk",
    "after_release",
    "description",
    "cells",
    "rows",
    "located",  # the rows of a finding that has a number of rows
    "after",
    "linked",
}


@pytest.mark.many
@pytest.mark.parametrize("how", ["removed", "misspelt", "retyped"])
@pytest.mark.parametrize("name", ["hospital-l-diverse", "ward-l-diverse", "cases-independent", "clinic-merged"])
def test_a_spoilt_result_does_not_fit(name, how):
    result = audited(EXAMPLES / name, "--reveal")
    optional = [path for path in places(result) if path[-1] in OPTIONAL or path[:2] == ("series", "columns")]
    optional += [path for path in places(result) if path[1::2] == ("violations", "people")]
    paths = [path for path in places(result) if how != "removed" or path not in optional]
    assert len(paths) > 50
    fitting = [path for path in share(paths, some(len(paths))) if fits("audit", changed(result, path, how))]
    assert fitting == []


@pytest.mark.parametrize(
    ("name", "private"),
    [
        ("hospital-l-diverse", ["individual", "left", "spent[0]"]),
        ("cases-independent", ["record", "findings[0]: False", "certificate[0]: False"]),
    ],
)
def test_names_do_not_fit_where_nobody_is_revealed(name, private):
    result = audited(EXAMPLES / name, "--reveal")
    found = troubles("audit", {**result, "revealed": False})
    for where in private:
        assert any(where in trouble for trouble in found), where


@pytest.mark.parametrize("attack", list(ATTACKS.names))
def test_every_measure_is_described(attack):
    measures = SCHEMA["$defs"][f"measures_{attack.replace('-', '_')}"]
    assert set(measures["required"]) <= set(measures["properties"])
    for measure in measures["properties"].values():
        assert measure["title"]
        assert measure["description"]


def assert_fits(kind, *words):
    """What a command writes fits the schema, and does not with another name of a key."""
    code, out, err = run_main(*words, "--format", "json")
    assert (code in (0, 1, 3), err) == (True, "")
    result = json.loads(out)
    assert troubles(kind, result) == []
    for key in result:
        assert not fits(kind, {f"{name}s_" if name == key else name: each for name, each in result.items()})


def test_what_the_other_commands_write_fits(tmp_path):
    hospital, candidate = EXAMPLES / "hospital-l-diverse", tmp_path / "3.csv"
    shutil.copy(hospital / "releases" / "2.csv", candidate)
    for kind, words in (
        ("next", ["next", hospital, candidate]),
        ("explanation", ["explain", hospital, "--individual", "Bob"]),
        ("explanation", ["explain", EXAMPLES / "ward-l-diverse", "--individual", "Julia"]),
        ("check", ["check", hospital, "--principle", "m-invariance", "--m", "2"]),
        ("check", ["check", hospital, "--principle", "k-anonymity", "--k", "2", "--reveal"]),
    ):
        assert_fits(kind, *map(str, words))


def test_what_commands_on_count_tables_write_fits(tmp_path):
    folder = shutil.copytree(TABLES / "tables-rates", tmp_path / "s")
    candidate = shutil.move(folder / "releases" / "2025.csv", tmp_path)
    edit(folder / "series.toml", ', "releases/2025.csv"', "")
    for kind, words in (
        ("audit", [folder]),
        ("next", ["next", folder, candidate]),
        ("next", ["repair", folder, candidate, "--output", tmp_path / "out"]),
        ("explanation", ["explain", folder, "--cell", "area=A"]),
        ("comparison", ["compare", folder, TABLES / "tables-levels"]),
    ):
        assert_fits(kind, *map(str, words))
