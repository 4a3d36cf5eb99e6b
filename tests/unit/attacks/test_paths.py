"""Risks along all paths, and products of shares, beside enumeration."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise, product
from math import prod

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from attacks import update_graph, value_sets
from attacks.registry import all_attacks
from attacks.update_graph import FeasibleValues, UpdateGraphMeasures
from attacks.value_sets import CandidateRisks, Candidates
from audit.judgement import check_disclosure
from audit.model.evidence import CandidatePools, Evidence, Transitions, ValueCounts
from audit.model.outcome import PerPersonAttack
from audit.runtime.budget import Budget
from tests.mutants.mutant import kills

PEOPLE = 5


class Asked:
    """Values asked for, or nothing asked for in particular."""

    def __init__(self, values):
        self.values = values

    def of_versions(self, release):
        return self.values[release]


class Combined:
    """Combinations of two attributes: in which half a combination is, and whether it is even."""

    attributes = ("half", "parity")

    def __init__(self, values):
        self.codes = np.array([(value * 2 // values, value % 2) for value in range(values)], np.int32)

    def parts(self):
        return self.codes


@st.composite
def series(draw):
    """Releases of up to five people, some absent, silent or known; weights, some tiny, and pools of up to four rows."""
    values = draw(st.sampled_from([3, 6, 66]))
    code = st.integers(0, values - 1)
    weights = st.sampled_from([Fraction(1, 2), Fraction(1, 3), Fraction(1, 2**600)])
    weight = draw(st.dictionaries(st.tuples(code, code), weights, max_size=12))
    weight |= draw(st.sampled_from([{}, {(v, v): Fraction(1, 2) for v in range(values)}]))
    history = []
    for _ in range(draw(st.integers(1, 5))):
        people = draw(st.lists(st.integers(0, PEOPLE - 1), unique=True, max_size=PEOPLE))
        bags = draw(st.lists(st.lists(code, max_size=4), min_size=1, max_size=3))
        pool = [draw(st.integers(0, len(bags) - 1)) for _ in people]
        fixed = [draw(st.sampled_from([-1] * 5 + [0, values - 1])) for _ in people]
        counted = [draw(st.sampled_from([True] * 4 + [False])) for _ in people]
        asked = draw(st.one_of(st.none(), st.tuples(*(st.one_of(st.just(-1), code) for _ in people))))
        history.append((people, bags, pool, fixed, counted, asked))
    return values, weight, history


def evidence_of(values, weight, history, combined):
    matrix = np.zeros((values, values))
    for pair, share in weight.items():
        matrix[pair] = float(share)
    made, told = [], 0
    for people, bags, pool, fixed, counted, _ in history:
        contents = ValueCounts(
            np.array([place for place, bag in enumerate(bags) for _ in bag], np.int32),
            np.array([value for bag in bags for value in bag], np.int32),
            None,
        )
        known = np.array(fixed, np.int32) if any(value >= 0 for value in fixed) else None
        counts = None if all(counted) else np.array(counted, np.bool_)
        codes, pools = np.array(people, np.int32), np.array(pool, np.int32)
        told = max([told, *(value + 1 for bag in bags for value in bag), *(value + 1 for value in fixed)])
        made.append(CandidatePools(codes, pools, len(bags), contents, counts, known, PEOPLE, told))
    transitions = Transitions(matrix, weight, np.ones(values, np.bool_))
    tags = tuple(map(str, range(len(history))))
    names = list(map(str, range(values)))
    return Evidence("linked", "v", tags, transitions, 0, 0, None, names, combined=combined, pooled=tuple(made))


def summed(weight, history, parts):
    """Return the risk of each person's version that counts, by sums over all paths; None where there is none."""
    found = {}
    for who in range(PEOPLE):
        seen = [(at, people.index(who)) for at, (people, *_) in enumerate(history) if who in people]
        nodes = []
        for at, row in seen:
            bag, fixed = history[at][1][history[at][2][row]], history[at][3][row]
            nodes.append({fixed: 1} if fixed >= 0 else {value: bag.count(value) for value in bag})
        worth = {
            path: prod(node[v] for node, v in zip(nodes, path, strict=True))
            * prod((weight[pair] for pair in pairwise(path)), start=Fraction(1))
            for path in product(*nodes)
            if all(pair in weight for pair in pairwise(path))
        }
        for place, (at, row) in enumerate(seen):
            if history[at][4][row]:
                asked = -1 if history[at][5] is None else history[at][5][row]
                of = {}
                for path, share in worth.items():
                    of[path[place]] = of.get(path[place], 0) + share
                found[who, at] = risk_of(of, asked, parts)
    return found


def risk_of(of, asked, parts):
    total = sum(of.values())
    if not total or (asked >= 0 and asked not in of):
        return None
    shares = [max(of.values()) if asked < 0 else of[asked]]
    for attribute in range(0 if parts is None else parts.shape[1]):
        sums = {}
        for value, share in of.items():
            sums[parts[value, attribute]] = sums.get(parts[value, attribute], 0) + share
        shares.append(max(sums.values()) if asked < 0 else sums[parts[asked, attribute]])
    return max(shares) / total


@kills("attacks.update_graph.FeasibleValues._prune", "may_precede[who] = self._before(new)", "pass")
@kills("attacks.update_graph.FeasibleValues._prune", "waiting[who[~changed]] = False", "waiting[who] = False")
@pytest.mark.parametrize("seed", range(100))
def test_feasible_values_are_on_paths_through_all_versions(seed):
    """Of all people at once as of each alone, where values change in steps of which not every two make one."""
    rng = np.random.default_rng(seed)
    weight = {pair: Fraction(1, 2) for pair in product(range(5), repeat=2) if rng.random() < 0.4}
    history = []
    for _ in range(5):
        people = np.flatnonzero(rng.random(PEOPLE) < 0.9).tolist()
        bags, pool = rng.integers(0, 5, (4, 3)).tolist(), rng.integers(0, 4, len(people)).tolist()
        history.append((people, bags, pool, [-1] * len(people), [True] * len(people), None))
    evidence, after = (
        evidence_of(5, weight, history, None),
        {one: {b for a, b in weight if a == one} for one in range(5)}.__getitem__,
    )
    feasible = FeasibleValues(evidence, Budget())
    feasible.run()
    for who in range(PEOPLE):
        seen = [(version, version.person.tolist().index(who)) for version in feasible.versions if who in version.person]
        found = [{*np.flatnonzero(version.feasible(slice(row, row + 1))).tolist()} for version, row in seen]
        pools = [bags[pool[people.index(who)]] for people, bags, pool, *_ in history if who in people]
        assert found == check_disclosure.feasible([{*pool} for pool in pools], after)


@given(
    made=series(),
    small=st.booleans(),
    searched=st.booleans(),
    scaled=st.booleans(),
    together=st.booleans(),
)
def test_risks_are_shares_of_the_weight_of_all_paths(made, small, searched, scaled, together):
    values, weight, history = made
    combined = Combined(values) if together else None
    evidence = evidence_of(values, weight, history, combined)
    asked = Asked([None if told is None else np.array(told, np.int32) for *_, told in history])
    with pytest.MonkeyPatch.context() as patch:
        if small:
            patch.setattr(update_graph, "_LEAST_PEOPLE", 2)
            patch.setattr(update_graph, "_BLOCK_BYTES", 1)
        if searched:
            patch.setattr(value_sets, "_CELLS_PER_ENTRY", -1)
        if scaled:
            patch.setattr(update_graph, "_MOST_BITS", 0.0)
        feasible = FeasibleValues(evidence, Budget())
        feasible.run()
        found = update_graph.PathRisks(evidence, feasible).risks(asked, Budget())
    expected = summed(weight, history, None if combined is None else combined.codes)
    told = dict(zip(zip(found.person.tolist(), found.release.tolist(), strict=True), found.risk.tolist(), strict=True))
    assert told.keys() == expected.keys()
    assert set(found.versions.tolist()) <= {1}
    for version, risk in expected.items():
        if risk is None:
            assert np.isnan(told[version])
        else:
            assert told[version] == pytest.approx(float(risk), rel=1e-9, abs=1e-12)
            assert (told[version] == 1.0) == (risk == 1)


@pytest.mark.parametrize("common", [Fraction(1), Fraction(1, 2**600)])
def test_a_long_series_neither_vanishes_nor_overflows(common):
    """Each step loses hundreds of bits, of its own or against another that nobody takes: unscaled, nothing is left."""
    tiny = Fraction(1, 2**600) if common == 1 else Fraction(1, 2**1000)
    weight = {(0, 0): tiny, (0, 1): tiny, (1, 1): 2 * tiny, (1, 0): tiny, (2, 2): common}
    bags = [[0] * 300 + [1] * 100, [2]]
    history = [([0, 1], bags, [0, 1], [-1, -1], [True, True], (0, 2)) for _ in range(12)]
    evidence = evidence_of(3, weight, history, None)
    feasible = FeasibleValues(evidence, Budget())
    feasible.run()
    found = update_graph.PathRisks(evidence, feasible).risks(Asked([np.array([0, 2], np.int32)] * 12), Budget())
    expected = summed(weight, history, None)
    told = dict(zip(zip(found.person.tolist(), found.release.tolist(), strict=True), found.risk.tolist(), strict=True))
    assert told == pytest.approx({version: float(risk) for version, risk in expected.items()}, rel=1e-9)


def risks_of(history, weight, values, asked):
    evidence = evidence_of(values, weight, history, None)
    feasible = FeasibleValues(evidence, Budget())
    feasible.run()
    found = update_graph.PathRisks(evidence, feasible).risks(
        Asked([np.array(asked, np.int32)] * len(history)), Budget()
    )
    return {(p, r): risk for p, r, risk in zip(found.person.tolist(), found.release.tolist(), found.risk, strict=True)}


@pytest.mark.parametrize("bits", [0.0, 7.0, 60.0])
def test_a_risk_does_not_depend_on_who_else_is_there(bits, monkeypatch):
    """When rows are scaled depends on the largest pool that there is; no digit of anybody else's risk does."""
    rng = np.random.default_rng(1)
    weight = {(one, other): Fraction(int(rng.integers(1, 9)), 10) for one in range(3) for other in range(3)}
    history = []
    for _ in range(40):
        bags = [rng.integers(0, 3, 5).tolist(), rng.integers(0, 3, 3).tolist()]
        history.append(([0, 1], bags, [0, 1], [-1, -1], [True, True], (-1, -1)))
    alone = [([0], bags, [0], [-1], [True], (-1,)) for _, bags, *_ in history]
    crowd = [(people, [bags[0], bags[1] * 1000], *rest) for people, bags, *rest in history]
    monkeypatch.setattr(update_graph, "_MOST_BITS", bits)
    together = risks_of(crowd, weight, 3, [-1, -1])
    monkeypatch.setattr(update_graph, "_MOST_BITS", 60.0)
    assert {version: risk for version, risk in together.items() if version[0] == 0} == risks_of(alone, weight, 3, [-1])


VALUES, MANY = 6, 5


@dataclass
class AskedOf:
    values: list[int] | None

    def of_people(self):
        return None if self.values is None else np.array(self.values, dtype=np.int32)


@st.composite
def histories(draw, counts, most_releases=4):
    """Draw the counts of each value in each present person's pool, release by release."""
    found = []
    for _ in range(draw(st.integers(1, most_releases))):
        width = draw(st.integers(VALUES - 1, VALUES))
        present = draw(st.lists(st.integers(0, MANY - 1), min_size=1, unique=True))
        table = np.zeros((len(present), width), dtype=np.int64)
        for pool in range(len(present)):
            for value in draw(st.sets(st.integers(0, width - 1), min_size=3)):
                table[pool, value] = draw(counts)
        found.append((present, table))
    return found


def pools_of(history, *, tables):
    made = []
    for present, table in history:
        n, width = table.shape
        small = table.astype(np.uint16) if table.max() < 1 << 16 else table
        contents = small if tables else ValueCounts.of(table)
        if tables is None:  # one entry for each row
            pool, value = (np.repeat(place, table[table > 0]).astype(np.int32) for place in np.nonzero(table))
            contents = ValueCounts(pool, value, None)
        people = np.array(present, dtype=np.int32)
        pool = np.arange(n, dtype=np.int32)
        made.append(CandidatePools(people, pool, n, contents, None, None, MANY, width))
    return made


def exact(history, person, asked):
    """Return one person's risk: None where there is no candidate, or the value asked for is none."""
    products = [Fraction(1)] * VALUES
    for present, table in history:
        if person in present:
            row = [int(count) for count in table[present.index(person)]] + [0] * VALUES
            products = [before * count for before, count in zip(products, row, strict=False)]
    wanted = max(products) if asked < 0 else products[asked]
    return wanted / sum(products) if wanted else None


def check(history, asked, *, tables):
    made = pools_of(history, tables=tables)
    state = Candidates(MANY, VALUES)
    for release, pools in enumerate(made):
        state.fold(pools, release)
    values = [str(value) for value in range(VALUES)]
    tags = tuple(str(release) for release in range(len(made)))
    evidence = Evidence("linked", "Value", tags, None, 0, 0, None, values, pooled=tuple(made))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(value_sets, "_MOST_SLOTS", 13)
        risks = CandidateRisks(evidence, state).risks(AskedOf(asked), Budget())
    seen = sorted({person for present, _ in history for person in present})
    assert risks.person.tolist() == seen
    for person, risk in zip(seen, risks.risk.tolist(), strict=True):
        expected = exact(history, person, -1 if asked is None else asked[person])
        if expected is None:
            assert np.isnan(risk)
        else:
            assert risk == pytest.approx(float(expected), rel=1e-12, abs=1e-300)
            assert (risk == 1.0) == (expected == 1)


@kills("attacks.value_sets.pool_masks", "flat = entries == distinct", "flat = entries >= distinct")
@given(history=histories(st.integers(1, 4)))
def test_rows_weigh_as_their_counts(history):
    check(history, None, tables=None)


@kills("attacks.value_sets._Products.scale", "np.ldexp(self.weight, -exponent[self.place])", "self.weight")
@pytest.mark.parametrize("tables", [False, True])
@given(history=histories(st.sampled_from([10**12, 3 * 10**12, 7 * 10**12]), 40))
@example(history=[([0], np.array([[10**12, 3 * 10**12, 7 * 10**12, 0, 0, 0]]))] * 40)
def test_products_beyond_the_range_of_floating_point(tables, history):
    check(history, None, tables=tables)


@kills("attacks.value_sets.CandidateRisks.risks", "np.minimum(best / total, BELOW_ONE)", "best / total")
def test_a_tiny_probability_of_another_value_prevents_certainty():
    table = np.array([[10**15, 1, 0, 0, 0, 0]])
    check([([0], table)] * 3, None, tables=True)


def test_what_a_version_is_is_said_once():
    measures = UpdateGraphMeasures(individuals=3, versions=4, disclosed=1, infeasible=0)
    said = measures.accusation("the sensitive value", at_least=False)
    assert said == "the sensitive value is certain for 1 of 4 versions (a person in one release)"


def test_two_attacks_are_on_one_person_at_a_time():
    """They are run again without people whose values contradict them, and say what is certain if no value changes."""
    assert [each.name for each in all_attacks() if isinstance(each, PerPersonAttack)] == [
        "intersection",
        "update-graph",
    ]
