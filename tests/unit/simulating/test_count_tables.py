"""Simulated count tables, and the baselines that publish them."""

import json

import numpy as np
import pytest

from anonymizers.count_tables import COUNT_METHODS, CellKey, SecondarySuppression
from audit.count_tables.intervals import Interpreter
from audit.count_tables.manifest import read_table_manifest
from audit.simulating.count_tables import TablePlan, series_files, true_tables, with_totals
from tests.helpers.running import run_main


def write(folder, plan, method):
    for name, text in series_files(plan, method.publish, method.rules):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.mark.parametrize("name", COUNT_METHODS)
def test_what_is_published_can_stand_for_the_truth(name, tmp_path):
    """The rules that a method states in the manifest are those that it keeps."""
    plan, method = TablePlan(releases=3, areas=5, ages=3), COUNT_METHODS[name]
    manifest = read_table_manifest(write(tmp_path, plan, method))
    interpreter, rng = Interpreter(manifest), np.random.default_rng([plan.seed, 1])
    for table in true_tables(plan):
        for count, text in zip(table.ravel().tolist(), method.publish(table, rng).ravel().tolist(), strict=True):
            low, high = interpreter.interval(text)
            assert low <= count <= high


def test_secondary_suppression_leaves_no_line_that_tells_its_only_hidden_cell():
    rng = np.random.default_rng(3)
    table = with_totals(rng.poisson(9, size=(6, 4)))
    hidden = np.char.isalpha(SecondarySuppression().publish(table, rng)) | (
        SecondarySuppression().publish(table, rng) == "*"
    )
    assert not (hidden.sum(axis=0) == 1).any()


def found(tmp_path, method, capsys=None):
    folder = tmp_path / method
    words = ("simulate", "--tables", method, "--snapshots", "3", "--areas", "4", "--output", str(folder))
    assert run_main(*words)[0] == 0
    code, out, _ = run_main(str(folder), "--format", "json")
    measures = json.loads(out)["attacks"][0]["measures"]
    return code, measures["recovered"] + measures["small"] + measures["narrowed"], measures["protected"]


def test_every_baseline_of_growing_tables_is_broken_but_the_random_one_least(tmp_path):
    results = {name: found(tmp_path, name) for name in COUNT_METHODS}
    assert results["threshold"][0] == results["none"][0] == 1
    assert results["random-rounding"][1] < results["threshold"][1]
    # Of more hidden cells more is asked, their sums included: what is found is held against what is hidden.
    per_hidden = {name: results[name][1] / results[name][2] for name in ("secondary", "threshold")}
    assert per_hidden["secondary"] < per_hidden["threshold"]


def test_the_same_people_are_always_off_by_the_same():
    """The cell key of a count is that of the people in it, in every release and every total."""
    rng, counts = np.random.default_rng(8), np.random.default_rng(9).poisson(4, size=(5, 3))
    later = counts + np.eye(5, 3, dtype=np.int64)
    first, second = (CellKey().publish(with_totals(each), rng).astype(np.int64) for each in (counts, later))
    same = with_totals(counts) == with_totals(later)
    assert (first[same] == second[same]).all()
    assert not (first[:-1, :-1] == counts).all()
    assert (abs(first - with_totals(counts)) <= 2).all()
    alone = np.zeros((5, 3), dtype=np.int64)
    alone[2, 1] = 9
    told = CellKey().publish(with_totals(alone), rng).astype(np.int64)
    assert told[2, 1] == told[2, -1] == told[-1, 1] == told[-1, -1]
    assert told.sum() == 4 * told[2, 1]
