"""A candidate of which not all is settled: nobody says that it may go out."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from attacks.differencing.attack import Differencing
from audit.count_tables.candidate import judge_candidate, release_of
from audit.count_tables.manifest import read_table_manifest
from audit.model.audit_options import AuditOptions
from audit.model.count_report import Rounding
from audit.model.count_tables import NOTHING, OPEN
from reports.count_tables.answers import candidate_page
from reports.text import PLAIN
from tests.helpers.count_tables import TinyTables
from tests.helpers.running import run_main

SERIES = TinyTables(
    ("area", "sex"), [[(("N", "f"), "9"), (("N", "m"), "*")]], totals={"sex": "All"}, markers={"*": (1, 7)}
)


class Unsettled(Differencing):
    """The attack, which leaves open what is no finding, where tables have so many numbers."""

    def run(self, tables, budget):
        outcome = super().run(tables, budget)
        verdict = np.where((outcome.verdict == NOTHING) & (len(tables.boxes) > 2), OPEN, outcome.verdict)
        return replace(outcome, verdict=verdict.astype(np.int8))


def judged(folder: Path, row: str, attack, series=SERIES):
    manifest = read_table_manifest(series.write(folder))
    file = folder / "2.csv"
    file.write_text(f"area,sex,n\n{row}\n", encoding="utf-8")
    return judge_candidate(replace(manifest, over_time="same"), release_of([file]), attack, AuditOptions())[0]


@pytest.mark.parametrize(("attack", "code"), [(Differencing(), 0), (Unsettled(), 3)], ids=["settled", "open"])
def test_what_is_not_settled_may_not_go_out(attack, code, tmp_path):
    found = judged(tmp_path, "S,f,40", attack)
    text = PLAIN.drawn(candidate_page(found))
    assert (found.new_total, found.undecided, found.repair_exit_code) == (0, code == 3, code)
    assert (
        ("it may go out" in text) == ("everything that follows with it could be derived before" in text) == (code == 0)
    )
    assert ("not settled" in text) == (code == 3)


@pytest.mark.parametrize(("attack", "rounding"), [(Differencing(), Rounding(3, "nearest")), (Unsettled(), None)])
def test_a_rounding_is_proposed_only_where_all_is_settled(attack, rounding, tmp_path):
    found = judged(tmp_path, "N,All,12", attack)
    assert (found.new_total, found.rounding) == (1, rounding)


def test_a_rounding_that_the_past_does_not_have_is_not_proposed(tmp_path):
    """The manifest has one rounding: an audit with one that past numbers do not have would end with exit 2."""
    series = replace(SERIES, releases=[[(("N", "f"), "10"), (("N", "m"), "*")]])
    found = judged(tmp_path, "N,All,13", Differencing(), series)
    assert (found.new_total, found.rounding) == (1, Rounding(5, "nearest"))
    series = replace(SERIES, releases=[[(("N", "f"), "11"), (("N", "m"), "*")]])
    found = judged(tmp_path, "N,All,14", Differencing(), series)
    assert (found.new_total, found.rounding, len(found.hide)) == (1, None, 1)


def test_a_search_that_ends_early_proves_nothing(tmp_path):
    """The limit is that of the whole command; a candidate that gives nothing away needs no search."""
    SERIES.write(tmp_path)
    path = tmp_path / "series.toml"
    path.write_text(path.read_text(encoding="utf-8").replace("independent", "same"), encoding="utf-8")
    (tmp_path / "2.csv").write_text("area,sex,n\nN,All,12\n", encoding="utf-8")
    answers = {}
    for seconds in ("0.000001", "3600"):
        words = ["--output", str(tmp_path / seconds), "--time-limit", seconds, "--format", "json"]
        code, out, _ = run_main("repair", str(tmp_path), str(tmp_path / "2.csv"), *words)
        answers[seconds] = code, json.loads(out), (tmp_path / seconds).exists()
    early, late = answers.values()
    assert (early[0], early[1]["hide"], early[2]) == (3, None, False)
    assert "time limit" in early[1]["stopped"]
    assert (late[0], len(late[1]["hide"]), late[2], "stopped" in late[1]) == (0, 1, True, False)
