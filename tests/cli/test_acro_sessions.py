"""Sessions of ACRO 1.x: in its own form, and made with the package itself where that is installed."""

import csv
import json
import subprocess
import sys

import pytest

from tests.cli.test_count_table_doubts import verdict
from tests.cli.test_count_table_formats import confirm
from tests.helpers.running import run_main

COUNTS = {("N", "M"): 9, ("N", "F"): 9, ("S", "M"): 20, ("S", "F"): 25, ("E", "M"): 18, ("E", "F"): 30}
WHY = "MinimumThresholdCheck; "


def session(folder, outputs, version="1.0.2", threshold=10):
    """A session as `finalise` writes it: outputs by rows, column variable, and texts, None where hidden."""
    folder.mkdir(parents=True)
    results, summary = {}, [["uid", "output_type", "analysis_name", "dependent_variables", "independent_variables"]]
    for number, (rows, column, table, extra) in enumerate(outputs):
        uid, name = f"output_{number}", f"output_{number}_0.csv"
        labels = list(dict.fromkeys(label for texts in table.values() for label in texts))
        with (folder / name).open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow([*rows, *labels])
            writer.writerows([*key, *("" if t is None else t for t in texts.values())] for key, texts in table.items())
        outcome = {
            label: {
                (key[0] if len(key) == 1 else str(key)): WHY if texts[label] is None else "ok"
                for key, texts in table.items()
            }
            for label in labels
        }
        results[uid] = {
            "uid": uid, "status": "review", "type": "table", "files": [{"name": name}], "outcome": outcome,
            "command": f"t = acro.crosstab(first, second{extra})",
        }  # fmt: skip
        dependent = "v" if "values" in extra else "unknown"
        summary.append([uid, "table", "crosstab", dependent, "; ".join(sorted([*rows, column]))])
    (folder / "results.json").write_text(json.dumps({"version": version, "results": results}), encoding="utf-8")
    (folder / "config.json").write_text(json.dumps({"safe_threshold": threshold}), encoding="utf-8")
    with (folder / "session_summary.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(summary)


def by_sex(hidden=10):
    return {
        (area,): {sex: None if COUNTS[area, sex] < hidden else f"{COUNTS[area, sex]}.0" for sex in "FM"}
        for area in "ENS"
    }


ONE = {(area,): {"p": str(COUNTS[area, "F"] + COUNTS[area, "M"])} for area in "ENS"}


def test_two_tables_give_a_hidden_count_away(tmp_path):
    session(tmp_path / "s1", [(["area"], "sex", by_sex(), ""), (["area"], "one", ONE, "")])
    assert run_main("init", str(tmp_path), "--yes")[0] == 0
    manifest = (tmp_path / "series.toml").read_text(encoding="utf-8")
    assert "markers = { threshold = [0, 9] }" in manifest
    assert "min_count = 10" in manifest
    code, _, found = verdict(tmp_path)
    assert code == 3  # who has no value of a variable is in none of its columns: that all have one is a guess
    assert {(e["cell"]["area"], e["cell"]["sex"]): e["lower"] for e in found} == {("N", "F"): 9, ("N", "M"): 9}
    assert all("table.totals.one" in e["rests_on"] for e in found)
    confirm(tmp_path)
    assert verdict(tmp_path)[0] == 1


def test_one_table_alone_gives_nothing_away(tmp_path):
    session(tmp_path / "s1", [(["area"], "sex", by_sex(), "")])
    run_main("init", str(tmp_path), "--yes")
    confirm(tmp_path)
    assert verdict(tmp_path)[:2] == (0, "[]")


def test_margins_that_leave_hidden_cells_out_are_no_totals(tmp_path):
    """All women are 55 of those shown; taken for a total, the hidden nine would be none."""
    table = by_sex()
    for (area,), texts in table.items():
        texts["All"] = None if area == "N" else f"{COUNTS[area, 'F'] + COUNTS[area, 'M']}.0"
    table[("All",)] = {"F": "55.0", "M": "38.0", "All": "93.0"}
    session(tmp_path / "s1", [(["area"], "sex", table, ", margins=True")])
    run_main("init", str(tmp_path), "--yes")
    confirm(tmp_path)
    assert verdict(tmp_path)[:2] == (0, "[]")
    table[("All",)] = {"F": "64.0", "M": "47.0", "All": "111.0"}  # true totals
    session(tmp_path / "old/s1", [(["area"], "sex", table, ", margins=True")])
    run_main("init", str(tmp_path / "old"), "--yes")
    confirm(tmp_path / "old")
    code, _, found = verdict(tmp_path / "old")
    assert code == 1
    assert {(e["cell"]["area"], e["cell"]["sex"]): e["lower"] for e in found}["N", "F"] == 9


def test_means_are_named_and_left_out(tmp_path):
    means = {(area,): {"F": "1.5", "M": "1.5"} for area in "ENS"}
    outputs = [(["area"], "sex", by_sex(), ""), (["area"], "sex", means, ', values=v, aggfunc="mean"')]
    session(tmp_path / "s1", outputs)
    run_main("init", str(tmp_path), "--yes")
    confirm(tmp_path)
    code, why, _ = verdict(tmp_path)
    assert code == 3
    assert "output_1_0.csv" in why
    path = tmp_path / "series.toml"
    text = path.read_text(encoding="utf-8").replace("[table]", '[table]\nnot_counts = ["output_1_0.csv"]')
    path.write_text(text, encoding="utf-8")
    assert verdict(tmp_path)[:2] == (0, "[]")


def test_rows_of_two_variables(tmp_path):
    table = {(area, "p"): texts for (area,), texts in by_sex().items()}
    session(tmp_path / "s1", [(["area", "one"], "sex", table, ""), (["area"], "one", ONE, "")])
    run_main("init", str(tmp_path), "--yes")
    confirm(tmp_path)
    code, _, found = verdict(tmp_path)
    assert code == 1
    assert {e["lower"] for e in found} == {9}


MAKE = """
import logging, os, sys, warnings
warnings.simplefilter("ignore"); logging.disable(logging.CRITICAL)
import pandas as pd
from acro import ACRO
counts = {("N", "M"): 9, ("N", "F"): 9, ("S", "M"): 20, ("S", "F"): 25, ("E", "M"): 18, ("E", "F"): 30}
rows = [(area, sex, "p") for (area, sex), n in counts.items() for _ in range(n)]
people = pd.DataFrame(rows, columns=["area", "sex", "one"])
acro = ACRO(suppress=True)
acro.crosstab(people.area, people.sex)
acro.crosstab(people.area, people.one)
acro.crosstab(people.area, people.sex, margins=True)
for output in list(acro.results.results):
    acro.add_exception(output, "reviewed")
acro.finalise(sys.argv[1], "json")
"""


def test_a_session_made_with_the_package_itself(tmp_path):
    pytest.importorskip("acro", reason="acro is not installed: sessions made with the package itself are not tested")
    subprocess.run(
        [sys.executable, "-c", MAKE, str(tmp_path / "s1")], check=True, cwd=tmp_path, capture_output=True, text=True
    )
    assert run_main("init", str(tmp_path), "--yes")[0] == 0
    assert verdict(tmp_path)[0] == 3
    confirm(tmp_path)
    code, _, found = verdict(tmp_path)
    assert code == 1
    assert {e["lower"] for e in found} == {9}
