"""Equivalences of tiny series by every way of the strategy, beside exact algebra and enumeration."""

import itertools
import json
from functools import cache
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest
from flint import fmpz_mat

from attacks.equivalence import fingerprint as module
from attacks.equivalence import search, strategy, subsets
from attacks.equivalence.attack import timeline
from attacks.equivalence.claims import Solver
from attacks.equivalence.fingerprint import classes, fingerprint, pinned
from attacks.equivalence.search import SolverContradictionError
from attacks.equivalence.strategy import judge
from attacks.equivalence.subsets import Matched
from attacks.equivalence.vectors import Vector, Witnesses
from audit.model.measures import ABSENT, BoundedMeasures, LeastBounds
from audit.runtime.budget import Budget
from tests.helpers.amount import some
from tests.helpers.equivalences import (
    Plan,
    agrees,
    brute_force,
    dense,
    is_equivalence,
    matrix_of,
    searched,
    tiny_series,
)
from tests.helpers.running import run_audit, run_main
from tests.mutants.mutant import kills
from tests.unit.attacks.test_fingerprint import WAYS as BOTH
from tests.unit.attacks.test_fingerprint import consistent, large_series, members, random_series

MAX_E = 4
ENUMERATED = 6
EACH = 25
SERIES = some(200)


def cases(first):
    for seed in range(first, first + EACH):
        yield seed, *case(seed)


@cache
def case(seed):
    matrix, truth = tiny_series(np.random.default_rng(seed))
    return matrix, truth, brute_force(matrix, 2 * ENUMERATED)


def least_of(matrix, wanted):
    """The least e of an equivalence in which people take part: what counterfeits alone have in common is nobody's."""
    shown = wanted[matrix.individual & (wanted > 0)]
    return int(shown.min()) if len(shown) else None


WAYS = {
    "as they are": {},
    "by sums": {(strategy, "may_be_buckets"): lambda _: False, (strategy, "_SEARCHED_MEMBERSHIPS"): -1},
    "by sums in turns": {
        (strategy, "may_be_buckets"): lambda _: False,
        (strategy, "_SEARCHED_MEMBERSHIPS"): -1,
        (subsets, "_HELD"): 5,
        (subsets, "_AT_A_TIME"): 7,
    },
    "by models": {(subsets, "_SETS_OF_ALL"): -1},
    "by models alone": {(strategy, "_by_sums"): lambda matrix, *_: no_sums(matrix)},
}


def no_sums(matrix):
    return Matched(np.zeros(matrix.columns, dtype=np.int32), 1, None, Witnesses.of(()))


def taking(patch, way):
    for (place, name), value in WAYS[way].items():
        patch.setattr(place, name, value)


@kills("attacks.equivalence.subsets._matched", "fresh[first[sums, 0] < 0]", "fresh[:]")
@pytest.mark.parametrize("first", range(0, SERIES, EACH))
def test_everything_is_exact(first):
    """Each method alone, forced on all series, agrees with enumeration."""
    for way in WAYS:
        with pytest.MonkeyPatch.context() as patch:
            taking(patch, way)
            for seed, matrix, truth, wanted in cases(first):
                found = judge(matrix, MAX_E, Budget())
                check_exact(way, matrix, wanted, found, (way, seed))
                if way == "as they are" or first == 0:
                    check_claims(matrix, truth, found)


def check_exact(way, matrix, wanted, found, which):
    least = least_of(matrix, wanted)
    assert found.reason is None, which
    assert found.exact, which
    if least is not None and (least <= MAX_E or not way.startswith("by sums")):
        assert (found.lower, found.upper) == (least, least), which
    else:
        assert found.lower is None or found.lower > (MAX_E if way.startswith("by sums") else ENUMERATED), which
    assert found.least.tolist() == np.where(wanted <= MAX_E, wanted, 0).tolist(), which
    shown = np.zeros(matrix.columns, dtype=int)
    for vector in sorted(map(found.witnesses.vector, range(len(found.witnesses))), key=lambda vector: -vector.e):
        shown[vector.columns] = vector.e
    assert shown[found.least > 1].tolist() == found.least[found.least > 1].tolist(), which


@kills("attacks.equivalence.search._VectorSearch.lattices", "with_small_cuts(2 * e)", "with_small_cuts(2 * e - 1)")
@pytest.mark.parametrize("first", range(0, some(500), EACH))
def test_the_search_by_itself_is_exact(first):
    """Integer vectors alone, without other knowledge; each least one has a witness."""
    for seed, matrix, truth, wanted in cases(first):
        least = least_of(matrix, wanted)
        for max_e in (1, MAX_E):
            found = searched(matrix, max_e)
            assert (found.complete, found.upper) == (True, found.lower), seed
            assert found.lower == least or (least is None and found.lower > ENUMERATED), seed
            assert found.least.tolist() == np.where(wanted <= max_e, wanted, 0).tolist(), seed
            shown = np.zeros(matrix.columns, dtype=int)
            for vector in sorted(found.witnesses, key=lambda vector: -vector.e):
                assert is_equivalence(matrix, vector)
                assert agrees(vector, truth)
                shown[vector.columns] = vector.e
            assert shown[found.least > 0].tolist() == found.least[found.least > 0].tolist(), seed
            of_people = (vector.e for vector in found.witnesses if matrix.individual[vector.columns].any())
            assert min(of_people, default=None) == found.upper, seed


@pytest.mark.parametrize("max_e", [1, 2, 3])
def test_what_is_not_asked_leaves_nothing_incomplete(max_e):
    for seed, matrix, _, wanted in cases(0):
        found = judge(matrix, max_e, Budget())
        assert (found.exact, found.reason) == (True, None), seed
        assert found.least.tolist() == np.where(wanted <= max_e, wanted, 0).tolist(), seed
        least = least_of(matrix, wanted)
        assert found.lower is None or found.lower >= min(least or max_e + 1, max_e + 1), seed


def test_what_is_found_depends_on_no_draw(monkeypatch):
    """Primes and numbers are drawn anew for each run; classes, witnesses and bounds are the same."""
    for way in WAYS:
        with monkeypatch.context() as patch:
            taking(patch, way)
            for seed, matrix, _, _ in itertools.islice(cases(0), 10):
                one, other = (judge(matrix, MAX_E, Budget()) for _ in range(2))
                for name in ("label", "pinned", "least"):
                    assert getattr(one, name).tolist() == getattr(other, name).tolist(), seed
                assert (one.lower, one.upper, one.exact, one.ways) == (
                    other.lower,
                    other.upper,
                    other.exact,
                    other.ways,
                )
                assert one.witnesses.columns.tolist() == other.witnesses.columns.tolist(), seed
                assert one.witnesses.times.tolist() == other.witnesses.times.tolist(), seed


def check_claims(matrix, truth, found):
    """Everything that is claimed is true and has weights."""
    solver = Solver(matrix)
    people, values = dense(matrix)
    for place in range(len(found.witnesses)):
        vector = found.witnesses.vector(place)
        assert is_equivalence(matrix, vector)
        assert agrees(vector, truth)
        assert combined(solver, vector, None, people, values)
    shared = [np.flatnonzero(found.label == label) for label in np.unique(found.label[found.label >= 0])]
    for columns in shared:
        for one, other in itertools.pairwise(columns):
            assert truth[one] == truth[other]
            assert combined(solver, Vector.of({int(one): 1, int(other): -1}), None, people, values)
    for column in np.flatnonzero(found.pinned >= 0).tolist():
        assert truth[column] == found.pinned[column]
        assert combined(solver, Vector.of({column: 1}), truth[column], people, values)


def combined(solver, vector, value, people, values):
    """Whether weights are found whose sum of groups is the vector, and that of values nothing or one value."""
    weights = solver.weights(vector, value)
    total = [sum(weight * people[group, c] for group, weight in weights.items()) for c in range(people.shape[1])]
    wanted = np.zeros(people.shape[1], dtype=int)
    wanted[vector.columns] = vector.times
    left = [sum(weight * values[group, v] for group, weight in weights.items()) for v in range(values.shape[1])]
    return total == wanted.tolist() and left == [int(v == value) for v in range(values.shape[1])]


@pytest.mark.parametrize("first", range(0, SERIES // 4, EACH))
def test_timeline(first):
    for seed, matrix, _, wanted in cases(first):
        found = judge(matrix, MAX_E, Budget())
        line, missing = timeline(matrix, found, MAX_E, Budget())
        assert missing is None, seed
        early = [brute_force(matrix.prefix(releases), 2 * MAX_E) for releases in range(1, matrix.releases)]
        expected = [int((matrix.individual & (least > 0) & (least <= MAX_E)).sum()) for least in [*early, wanted]]
        assert line == expected, seed


@pytest.mark.parametrize("first", range(0, SERIES // 2, EACH))
def test_bounds_where_no_exact_way_is_taken(first, monkeypatch):
    taking(monkeypatch, "by sums")
    monkeypatch.setattr(subsets, "_SETS_OF_ALL", -1)
    open_ends = 0
    for seed, matrix, truth, wanted in cases(first):
        found = judge(matrix, MAX_E, Budget())
        least = least_of(matrix, wanted)
        if found.reason is None:
            assert found.least.tolist() == np.where(wanted <= MAX_E, wanted, 0).tolist(), seed
        open_ends += found.reason is not None
        assert found.lower <= (least or np.inf), seed
        assert found.upper is None or (least is not None and found.upper >= least), seed
        told = found.least > 0
        assert (wanted[told] > 0).all(), seed
        assert (found.least[told] >= wanted[told]).all(), seed
        assert ((found.least == 1) == (wanted == 1)).all(), seed
        check_claims(matrix, truth, found)
    assert open_ends


@kills("attacks.equivalence.search._VectorSearch.find", "self.believed |= believed", "pass")
def test_an_e_that_only_a_solver_rules_out_is_not_proved(monkeypatch):
    from ortools.sat.python import cp_model

    monkeypatch.setattr(cp_model.CpSolver, "solve", lambda *_: cp_model.INFEASIBLE)
    monkeypatch.setattr(cp_model.CpSolver, "response_proto", Mock(deterministic_time=0.0))
    # Four people have, all together, four times the value of a fifth; the cut alone says that e is at least 3.
    matrix, _ = matrix_of(Plan([0] * 5, [[([0, 1, 2, 3], []), ([4], [])]]))
    found = judge(matrix, 2, Budget())
    assert (found.lower, found.upper, found.proved) == (4, 4, 3)


@kills(
    "attacks.equivalence.search.IntegerModel.some",
    'self.believed = answer == "none"',
    "pass",
    case="[by models alone]",
)
@pytest.mark.parametrize("way", ["as they are", "by models alone"])
def test_what_a_solvers_word_decides_is_marked(way, monkeypatch):
    """Whatever it rules out, all equivalences below the proved bound are known, and a limit above it is not kept."""
    taking(monkeypatch, way)
    lie = ("none", Mock(response_proto=Mock(deterministic_time=0.0)))
    monkeypatch.setattr(search, "solved", lambda *_, **_parameters: lie)
    marked = wrong = 0
    for seed, matrix, _, wanted in cases(0):
        try:
            found = judge(matrix, MAX_E, Budget())
        except SolverContradictionError:
            continue
        known = (found.proved or MAX_E + 1) - 1
        near = np.where(wanted <= known, wanted, 0)
        assert found.reason is not None or np.where(found.least <= known, found.least, 0).tolist() == near.tolist(), (
            seed
        )
        marked += found.proved is not None
        wrong += found.lower is None or found.lower > (least_of(matrix, wanted) or np.inf)
        bounds = LeastBounds(found.lower, found.upper)
        proved = ABSENT if found.proved is None else found.proved
        measures = BoundedMeasures(min_e=bounds, min_e_proved=proved)
        for limit in range(2, MAX_E + 2):
            missed = matrix.individual & (wanted > 0) & (wanted < limit) & (found.least == 0)
            assert not measures.shows(limit, 1) or not missed.any(), seed
    assert marked or way == "as they are"
    assert wrong or way == "as they are"


@pytest.mark.parametrize("first", range(0, SERIES // 4, EACH))
def test_a_spent_budget_leaves_bounds(first):
    for seed, matrix, truth, wanted in cases(first):
        found = judge(matrix, MAX_E, Budget(0.0))
        if found is None:
            continue
        least = least_of(matrix, wanted)
        assert (found.lower or np.inf) <= (least or np.inf), seed
        assert found.upper is None or found.upper >= (least or ENUMERATED + 1), seed
        assert found.reason is not None or found.least.tolist() == np.where(wanted <= MAX_E, wanted, 0).tolist(), seed
        check_claims(matrix, truth, found)


HUNDREDS = some(600)


def exact(matrix):
    """Return the class of each column that is in a group, and its value or -1, over the rationals."""
    rows = np.zeros((matrix.groups, matrix.columns + matrix.values), dtype=np.int64)
    for group in range(matrix.groups):
        np.add.at(rows[group], matrix.member[matrix.start[group] : matrix.start[group + 1]], 1)
        held = slice(matrix.value_start[group], matrix.value_start[group + 1])
        np.subtract.at(rows[group], matrix.columns + matrix.value[held], matrix.rows[held])
    basis, size = fmpz_mat(rows.tolist()).nullspace()
    numbers = [tuple(int(basis[place, at]) for at in range(size)) for place in range(rows.shape[1])]
    of_value = {numbers[matrix.columns + value]: value for value in range(matrix.values)}
    there = members(matrix)
    number = {}
    label = [number.setdefault(numbers[column], len(number)) for column in there]
    return label, [of_value.get(numbers[column], -1) for column in there]


def assert_exact(matrix, seed):
    numbers = fingerprint(matrix, np.random.default_rng(seed), Budget())
    label, value = exact(matrix)
    there = members(matrix)
    found = classes(matrix, numbers)[there].tolist()
    assert len(set(zip(found, label, strict=True))) == len(set(found)) == len(set(label))
    assert pinned(matrix, numbers)[there].tolist() == value
    return len(label) - len(set(label)), sum(one >= 0 for one in value)


@kills("attacks.equivalence.peeling._substitute", "number[pivot[k]] = np.uint64(0)", "pass")
@pytest.mark.parametrize("limit", BOTH.values(), ids=BOTH)
def test_small_series(limit, monkeypatch):
    """Half of the series have up to 15 columns, half are of the kinds that publishers make."""
    monkeypatch.setattr(module, "_PLAIN_MEMBERSHIPS", limit)
    equal = fixed = 0
    for seed in range(HUNDREDS):
        matrix = consistent(*random_series(seed)) if seed % 4 < 2 else tiny_series(np.random.default_rng(seed))[0]
        more, pins = assert_exact(matrix, seed)
        equal, fixed = equal + more, fixed + pins
    assert min(equal, fixed) > HUNDREDS


@pytest.mark.parametrize("seed", range(3))
def test_a_series_of_hundreds(seed):
    matrix = consistent(*large_series(seed, people=150))
    assert_exact(matrix, seed)


EXAMPLES = Path(__file__).parent.parent / "examples"
NAMES = sorted(
    path.parent.name for path in EXAMPLES.glob("*/expected.json") if "equivalence" in json.loads(path.read_text())
)

assert len(NAMES) == 6


def expected(name):
    return json.loads((EXAMPLES / name / "expected.json").read_text(encoding="utf-8"))["equivalence"]


@pytest.mark.parametrize("name", NAMES)
def test_reaching_a_limit_does_not_pass(name):
    """Where the time is up, only what is proved counts: less than everything, and never more."""
    wanted = expected(name)
    code, result, _ = run_audit(EXAMPLES / name, "--attack", "equivalence", "--time-limit", "1e-9")
    [entry] = result["attacks"]
    bounds = entry["measures"]["min_e"]
    assert bounds["lower"] <= wanted["min_e"] <= (bounds["upper"] or 99)
    assert all(count <= wanted["compromised"][e] for e, count in entry["measures"]["compromised"].items())
    assert (code == 0) <= (wanted["min_e"] >= 2)
    assert (code == 1) <= (wanted["min_e"] < 2)


def test_findings_without_weights_say_how_they_are_known(monkeypatch):
    """Every person who was found is listed; a result without weights states the chance of an error."""
    folder = EXAMPLES / "clinic-2-invariant"
    _, shown, _ = run_audit(folder, "--attack", "equivalence", "--reveal", "--findings", "all")
    monkeypatch.setattr("attacks.equivalence.claims.Solver.weights", lambda *_: None)
    code, result, _ = run_audit(folder, "--attack", "equivalence", "--reveal", "--findings", "all")
    [entry], [before] = result["attacks"], shown["attacks"]
    assert (code, entry["status"], entry["measures"]) == (1, "complete", before["measures"])
    assert [len(each["findings"]) for each in (entry, before)] == [before["findings_total"]] * 2
    assert {finding["evidence"] for finding in before["findings"]} == {"proof"}
    for finding in entry["findings"]:
        assert (finding["evidence"], finding["certificate"]) == ("fingerprint", [])
        assert 0 < finding["error"] < 1e-12
    text = run_main(str(folder), "--attack", "equivalence")[1]
    assert "shown by random linear algebra over all groups; probability of an error below 1e-12" in text
