"""The moves of the local search: any table is in reach, and each move changes as few published counts as possible.

What is left open when the time is up says so."""

import json

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from anonymizers.count_tables import COUNT_METHODS
from attacks.differencing import components
from attacks.differencing.lattice import build_lattice
from attacks.differencing.local_search import _changes, _incidence
from audit.model.count_tables import Axis
from audit.simulating.count_tables import TablePlan, series_files
from tests.helpers.running import run_main
from tests.mutants.mutant import kills

TIMES = 5


def sets(name, *members):
    return Axis(name, len(members[-1]), [np.array(each, dtype=np.int32) for each in members], len(members) - 1)


@kills("attacks.differencing.local_search._changes", ".count_nonzero(axis=0) < (", ".count_nonzero(axis=0) > (")
@pytest.mark.parametrize(("adds_up", "most"), [(True, 2 + 2), (False, 2 + 1)])
def test_moves_reach_any_table_and_change_few_counts(adds_up, most):
    """Of cells and their sums, by month or so far: who comes a month earlier changes one sum so far instead of many."""
    area = sets("area", [0], [1], [0, 1])
    so_far = [range(month + 1) for month in range(1, TIMES)]
    time = sets("time", *([month] for month in range(TIMES)), *so_far)
    shown = [0, *range(TIMES, len(time.members))] if adds_up else range(TIMES)
    boxes = np.array([(place, at) for place in range(3) for at in shown], dtype=np.int32)
    lattice = build_lattice((area, time), boxes, boxes)
    atoms, sums = _incidence(lattice)
    published = sums[np.union1d(lattice.nodes(boxes), atoms)]
    found = _changes(lattice, atoms, np.ones(len(atoms), dtype=np.bool_), published)
    assert abs(np.linalg.det(found.toarray())) == pytest.approx(1)
    assert np.diff(csr_matrix(published @ found).tocsc().indptr).max() <= most


@kills("attacks.differencing.components.Remainder._settle_all", "self.reason = budget.reason", "pass")
def test_sums_that_a_time_limit_leaves_open_name_the_limit(tmp_path, monkeypatch):
    ask_sums = components.Remainder.ask_sums

    def late(self, sums, within, rule, budget, *, every):
        budget.seconds = 1e-6
        ask_sums(self, sums, within, rule, budget, every=every)

    monkeypatch.setattr(components.Remainder, "ask_sums", late)
    (tmp_path / "releases").mkdir()
    method = COUNT_METHODS["rounding"]
    for name, text in series_files(TablePlan(4, 4, 2, growing=True, seed=0), method.publish, method.rules):
        (tmp_path / name).write_text(text, encoding="utf-8")
    _, out, _ = run_main(str(tmp_path), "--format", "json")
    (attack,) = json.loads(out)["attacks"]
    assert (attack["status"], attack["reason"].startswith("the time limit of ")) == ("incomplete", True)
