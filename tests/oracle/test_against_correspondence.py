"""`correspondence` held against enumeration of all worlds of tiny growing series."""

from unittest.mock import Mock

import numpy as np
import pytest

from attacks.correspondence import worlds as module
from attacks.correspondence.attack import subjects
from attacks.correspondence.worlds import layers, settle
from attacks.correspondence.worlds import worlds as counted
from audit.runtime.budget import Budget
from tests.helpers.amount import some
from tests.helpers.messy import series_of
from tests.helpers.running import read_audit
from tests.mutants.mutant import kills
from tests.oracle.correspondence import CellTable, growing, truth

EACH = 250
SERIES = some(5_000)


def solved(series):
    table = CellTable(series.domain)
    rows = [table.rows(release) for release in series.releases]
    network = layers(rows, table, series.allowed)
    settled = settle(network, Budget())
    return table, network, settled


def link_flags(network, flags, release):
    """Pairs of rows of two releases that some arc which is flagged stands for."""
    before, after = network[release - 1], network[release]
    some = np.flatnonzero(flags[release] & (after.before >= 0))
    pairs = {(int(before.of[after.before[a]]), int(after.of[after.after[a]])) for a in some}
    of = before.classes.of.tolist(), after.classes.of.tolist()
    return {
        (one, other) for one, mine in enumerate(of[0]) for other, theirs in enumerate(of[1]) if (mine, theirs) in pairs
    }


def check(seed, rng):
    series = growing(rng)
    told, (table, network, settled) = truth(series), solved(series)
    assert told.count, seed
    for release in range(1, len(network)):
        real = set(told.links[release])
        assert link_flags(network, settled.shown, release) <= real <= link_flags(network, settled.alive, release), seed
        if settled.complete:
            assert link_flags(network, settled.shown, release) == real, seed
    check_subjects(seed, series, table, network, settled, told)
    if len(network) == 2:
        one, other = network
        alive = settled.alive[1] & (other.before >= 0)
        ends = one.of[other.before[alive]], other.of[other.after[alive]]
        assert counted(one.classes.rows, other.classes.rows, *ends) == told.count, seed
    return len(network), settled, told


def check_subjects(seed, series, table, network, settled, told):
    found, missed = subjects(network, settled, table)
    assert not missed
    by_subject = {}
    for each in found:
        rows = set(np.flatnonzero(np.isin(network[each.release].classes.of, each.classes)).tolist())
        assert len(rows) == each.most >= each.least, seed
        values = values_of(series, each.release, rows)
        assert each.value == (next(iter(values)) if len(values) == 1 else -1), seed
        by_subject.setdefault(each.number, {})[each.release] = (each, rows)
    answered, last = set(), len(network) - 1
    for point, first in {(point, first) for point, first, _ in told.left}:
        real = {release: rows for (p, f, release), rows in told.left.items() if (p, f) == (point, first)}
        fitting = [number for number, left in by_subject.items() if fits(series, left, real, first)]
        if settled.complete:
            fitting = [number for number in fitting if by_subject[number][last][1] == real[last]]
        if len(network) < 3:
            fitting = [each for each in fitting if all(rows == real[r] for r, (_, rows) in by_subject[each].items())]
        assert fitting, (seed, point, first)
        answered |= set(fitting)
    if settled.complete:
        # Nobody is spoken of who does not exist.
        assert all(each.exists for each in found), seed
        assert answered == set(by_subject), seed


def fits(series, left, real, first):
    """Whether what is told of a subject is true of a point: bounds in every release."""
    return set(left) == set(real) and all(
        each.first == first
        and rows >= real[release]
        and each.least <= len(real[release])
        and (not each.several or len(values_of(series, release, real[release])) > 1)
        for release, (each, rows) in left.items()
    )


def values_of(series, release, rows):
    return {series.releases[release][row][1] for row in rows}


@pytest.mark.parametrize("first", range(0, SERIES, EACH))
def test_everything_is_as_enumerated(first):
    seen = []
    for seed in range(first, first + EACH):
        releases, settled, told = check(seed, np.random.default_rng(seed))
        seen.append((releases, settled.complete, told.count > 1))
    kinds = set(seen)
    assert {releases for releases, *_ in kinds} == {1, 2, 3}
    assert all(complete for _, complete, *_ in seen)


def test_what_is_not_settled_is_open(monkeypatch):
    """Without the solver, everything shown and ruled out remains true, and the rest is open."""
    monkeypatch.setattr(module, "_ARCS", -1)
    incomplete = sum(not check(seed, np.random.default_rng(seed))[1].complete for seed in range(200))
    assert incomplete > 20


@kills("attacks.correspondence.worlds._Model.another", 'answer == "best"', 'answer != "unknown"')
def test_that_a_solver_finds_no_world_decides_nothing(monkeypatch):
    """Nothing but a proof says that the releases contradict each other."""
    monkeypatch.setattr(module, "solved", lambda *_: ("none", Mock(response_proto=Mock(deterministic_time=0.0))))
    assert sum(not check(seed, np.random.default_rng(seed))[1].complete for seed in range(200)) > 20


@kills("attacks.correspondence.worlds.settle", "if not model.exhausted:", "if False:")
def test_effort_that_ends_leaves_bounds(monkeypatch):
    monkeypatch.setattr(module, "_EFFORT", 1e-6)
    for seed in range(100):
        check(seed, np.random.default_rng(seed))


def test_who_stands_for_others_does_not_depend_on_the_order_of_rows(tmp_path):
    """Nothing distinguishes points that the same cells cover: the first of them by name is named."""
    head, wide = ["Town", "Street", "Value"], ["{x0, x1, x2, x3}", "{x0, x1, x2}", "c"]
    rows = [["{x1}", "{x1, x3}", "c"], ["{x0, x2, x3}", "{x1, x3}", "c"], ["{x0, x1, x2, x3}", "{x1, x2, x3}", "c"]]
    named = []
    for name, ordered in (("as drawn", rows), ("turned", [rows[1], rows[0], rows[2]])):
        columns = 'sensitive = "Value"\nquasi_identifiers = ["Town", "Street"]'
        above = 'updates = "growing"\n'
        folder = series_of(tmp_path / name, [[head, wide, wide], [head, *ordered]], columns, above=above)
        result = read_audit(folder, "--attack", "correspondence", "--reveal", "--findings", "all")[1]
        findings = result["attacks"][0]["findings"]
        named.append(sorted((each["first"], each["release"], *each["point"].values()) for each in findings))
    assert named[0] == named[1] != []
