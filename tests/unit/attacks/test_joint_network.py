"""The parts of the attack `joint`: its network, its states, its time, and solvers that lie."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import linprog
from scipy.sparse import csr_matrix

from attacks.differencing import programs
from attacks.differencing.lattice import UPPER
from attacks.differencing.programs import Component, NoSolutionError, first_point
from attacks.joint import balls, settling
from attacks.joint.attack import AIMS, JointAttack
from attacks.joint.balls import PartQuestions
from attacks.joint.core import OpenSubproblem
from attacks.joint.counting import WorldCounter
from attacks.joint.knowledge import Knowledge, Worlds
from attacks.joint.linear_model import LinearModel
from attacks.joint.network_builder import network_of
from attacks.joint.settling import Settling
from attacks.joint.values import Findings
from attacks.linear_programmes import ContinuedSearch, Programme, Solution
from audit.adversary.view import handed
from audit.model import arrays
from audit.model.arrays import UNBOUNDED
from audit.runtime.budget import Budget
from tests.helpers.amount import some
from tests.helpers.opening import opened
from tests.helpers.running import written
from tests.helpers.tiny import Row, TinySeries
from tests.mutants.mutant import kills
from tests.oracle.asking import forced
from tests.oracle.larger import drawn_at_random

LETTERS = "abcdefghi"
MIXED = arrays.mixed


def built(series, *, world=True):
    """The network, the name of each of its variables, and the values; with the key's world to start from, or not."""
    with written(series) as folder:
        opening, evidence = opened(folder, "linked")
        evidence = handed(evidence, JointAttack() if world else None)
        network = network_of(evidence, len(series.releases), Budget())
        names = [opening.people.name(person) for person in network.versions.person.tolist()]
    return network, dict(zip(network.versions.variable.tolist(), names, strict=True)), evidence.values


# -- what is counted of columns -----------------------------------------------------------------------------------


@kills("attacks.joint.values.Findings.__init__", "(sizes[2] > 1)", "(sizes[2] >= 1)")
def test_a_person_with_two_values_is_decided_when_both_are_shown():
    """A world shows one value of everybody; that it is the only one takes more."""
    rows = [[("p1", "b"), ("p0", "a"), ("p4", "a")], [("p0", "a"), ("p1", "b"), ("p2", "c"), ("p3", "b")]]
    series = TinySeries([[Row(name, "1", value) for name, value in release] for release in rows])
    network, name, values = built(series)
    decision = Knowledge(network)
    worlds = [dict(zip(("p0", "p1", "p2", "p3", "p4"), held, strict=True)) for held in ("abcba", "bacba")]
    versions = [place for place, variable in enumerate(network.versions.variable.tolist()) if name[variable] == "p0"]
    assert not Findings(decision).decided[versions].any()
    for world, decided in zip(worlds, (False, True), strict=True):
        columns = zip(network.owner.tolist(), network.value_class.tolist(), strict=True)
        columns = np.flatnonzero([values[kind] == world[name[owner]] for owner, kind in columns])
        decision.adopt(network.owner[columns], columns)
        assert Findings(decision).decided[versions].tolist() == [decided] * len(versions)


# -- worlds that nobody tells -------------------------------------------------------------------------------------


def even_groups(rng, people, size, *, odd):
    """Two releases of groups that hold each value of one signature once, some people being in one of them alone."""
    value = np.arange(people) % size
    names = np.array([f"p{number:04}" for number in range(people)])
    releases = []
    for at in range(2):
        columns = [rng.permutation(np.flatnonzero(value == each)) for each in range(size)]
        groups = len(columns[0]) - at * (people // size // 5)
        releases.append(
            [
                Row(names[held[group]], str(group), LETTERS[value[held[group]]])
                for group in range(groups)
                for held in columns
            ]
        )
    if odd:  # one more person has a value that another group lacks: values are no longer even
        releases[1] = [replace(row, value="z") if row == releases[1][0] else row for row in releases[1]]
    return TinySeries(releases)


@kills("attacks.joint.network.ConstraintNetwork.even", "uneven[of[self.hint[variable] < 0]] = True", "pass")
def test_no_world_is_presumed_where_groups_are_not_even():
    """One value that another group lacks: nothing is shown but for those who have one value left."""
    for odd in (True, False):
        network, _, _ = built(even_groups(np.random.default_rng(1), 180, 3, odd=odd), world=False)
        known = Knowledge(network)
        open_ = (network.counted(known.alive) > 1)[network.owner]
        assert np.count_nonzero(open_) > 500
        assert (known.shown[open_].any(), known.shown[open_].all()) == (not odd, not odd)
    two = even_groups(np.random.default_rng(1), 180, 3, odd=False)
    three = built(TinySeries([*two.releases, two.releases[0]]), world=False)[0]  # of three releases none is found
    assert not three.even(0).any()


def rows(core):
    """What each row says: the columns of the network that share it, and how many of them there may be."""
    column = np.repeat(core.column, np.diff(core.row_start))
    return {(frozenset(column[core.row == row].tolist()), int(core.capacity[row])) for row in range(len(core.capacity))}


@kills("attacks.joint.core.OpenSubproblem.may_follow", "self.may[value_classes]", "before >= 0")
@kills("attacks.joint.knowledge.Worlds.begin", "(taken > net.capacity).any()", "False")
@kills("attacks.joint.knowledge.Worlds._right", "if not len(net.link):", "if True:")
def test_worlds_are_what_rows_and_links_allow():
    """Every choice of two people with values a and b in two releases, where neither becomes the other."""
    releases = [[Row("p0", "0", "a"), Row("p1", "0", "b")] for _ in range(2)]
    series = TinySeries(releases, transitions={("a", "a"): None, ("b", "b"): None, ("a", "c"): None})
    with written(series) as folder:
        network = network_of(opened(folder, "linked")[1], 2, Budget())
    variables, alive, seen = np.arange(network.variables), np.ones(network.columns, dtype=np.bool_), set()
    for chosen in product(*(range(network.start[v], network.start[v + 1]) for v in variables)):
        columns = np.array(chosen)
        rows = np.concatenate([network.row[network.row_start[c] : network.row_start[c + 1]] for c in chosen])
        fits = bool((np.bincount(rows, minlength=len(network.capacity)) <= network.capacity).all())
        linked = bool(network.may[tuple(network.value_class[columns[network.link]].T)].all())
        assert Worlds(network).begin(variables, columns, alive) == (fits and linked)
        seen.add((fits, linked))
    assert seen == {(True, True), (True, False), (False, True), (False, False)}


CROWD = drawn_at_random(3, people=120, releases=2, values=6, size=5, distinct=False, table="constant")


class Spent(Budget):
    """A budget that is used up when so many things have begun."""

    def __init__(self, begun, most) -> None:
        super().__init__(300.0)
        self.begun, self.most = begun, most

    def exhausted(self) -> bool:
        return len(self.begun) >= self.most


@pytest.fixture
def network():
    with written(CROWD) as folder:
        evidence = opened(folder, "linked")[1]
        yield evidence, network_of(evidence, 2, Budget())


@kills("attacks.joint.settling.Settling._support", "if self._budget.exhausted():", "if False:")
@kills("attacks.joint.settling.Settling._try_corners", "if self._budget.exhausted():", "if False:")
def test_no_model_is_made_when_the_time_is_up(network, monkeypatch):
    """Nor where one step makes several models: of first worlds, of weights, and of single options."""
    begun = []

    class Begun(LinearModel):
        def __init__(self, core):
            begun.append(core)
            super().__init__(core)

    for module in (balls, settling):
        monkeypatch.setattr(module, "LinearModel", Begun)
    for name in ("BATCH", "COUNTED"):
        monkeypatch.setattr(settling, name, 1)
    for most in range(100):
        begun.clear()
        Settling(*network, Spent(begun, most)).settle(None, AIMS)
        if len(begun) < most:
            break
        assert len(begun) == most
    assert 20 < most < 99


LIED_TO = drawn_at_random(3, people=60, releases=4, values=8, size=6, distinct=False, table="constant")
FEW = drawn_at_random(3, people=12, releases=2, values=4, size=4, distinct=False, table="constant")


def refuted(core, weights):
    """Proves everything impossible, the world that is known as well."""
    return np.ones(core.columns, dtype=np.bool_)


def ruled_out(self, variable, columns):
    """Believes that the known world is impossible."""
    self.doubted[self.world] = self.doubted[columns] = True
    return "none"


def out_of_thin_air(self, number):
    """Finds that each person has the first column, which is no world."""
    return self.core.start[:-1]


def every_part(core, chosen):
    return np.ones(core.parts, dtype=np.bool_)


COUNT = WorldCounter.count


def counted(self, most):
    """Counts no world anywhere."""
    found = COUNT(self, most)
    return found and replace(found, number=0)


def counted_with_others(self, most):
    """Counts rightly, and finds worlds that are none."""
    found = COUNT(self, most)
    return found and replace(found, worlds=np.vstack([found.worlds, self._part.start[:-1]]))


@kills("attacks.joint.knowledge.Worlds._taken_over", "(taken > net.capacity[row])[settled].any()", "False")
@pytest.mark.parametrize(
    ("way", "module", "name", "lie"),
    [
        ("counted", WorldCounter, "count", counted),
        ("counted", WorldCounter, "count", counted_with_others),
        ("programmed", settling, "refuted", refuted),
        ("asked", balls, "refuted", refuted),
        ("in whole numbers", PartQuestions, "decide", ruled_out),
        ("in whole numbers", LinearModel, "world", out_of_thin_air),
    ],
)
def test_joint_raises_where_a_known_world_is_ruled_out(way, module, name, lie, monkeypatch):
    with written(FEW if way == "counted" else LIED_TO) as folder:
        evidence = opened(folder, "linked")[1]
        forced(monkeypatch, way)
        monkeypatch.setattr(module, name, lie)
        if lie is out_of_thin_air:  # what a core takes for a world is counted again in the network
            monkeypatch.setattr(OpenSubproblem, "worlds", every_part)
        with pytest.raises(AssertionError, match=r"a value that a world has|a part with a world|no world"):
            JointAttack().run(evidence, Budget())


def around(total):
    """Three counts of at most 5 in a circle, each two of which add up to a fourth, which is known."""
    parts = csr_matrix(np.array([[1, 1, 0], [0, 1, 1], [1, 0, 1]]))
    known = csr_matrix(np.array([[0, 0, 0, -1]] * 3))
    return Component(np.arange(3), parts, known, np.full(3, total)), np.array([[0, 0, 0, total], [5, 5, 5, total]])


@pytest.mark.parametrize("total", [1, 9, 12])
def test_counts_contradict_each_other_where_cases_prove_it(total):
    with pytest.raises(NoSolutionError):
        first_point(*around(total), Budget())


@kills(
    "attacks.differencing.programs.first_point", " and prove(component, ends, ({}, UPPER, -1), budget) is not None", ""
)
def test_counts_do_not_contradict_each_other_by_the_word_of_a_solver(monkeypatch):
    assert first_point(*around(10), Budget()).tolist() == [5, 5, 5]
    monkeypatch.setattr(ContinuedSearch, "answered", lambda *_: ("none", None))
    assert first_point(*around(10), Budget()) is None


@kills("attacks.differencing.programs.Component.rounded", " and (self.matrix @ point == self.right).all()", "")
@kills("attacks.differencing.programs.Component.rounded", "((low <= point) & (point <= high)).all() and ", "")
def test_fractions_are_rounded_to_counts_that_agree_with_everything():
    for total, value, rounded in ((1, 0.5, None), (10, 5 - 1e-9, [5, 5, 5]), (9, 4.6, None), (12, 6.0, None)):
        component, ends = around(total)
        point = component.rounded(Solution(np.full(3, value), np.zeros(3)), ends)
        assert (None if point is None else point.tolist()) == rounded


def test_counts_without_an_end_are_not_split_for_ever():
    """Twice one count less twice another is never 1, which no finite number of cases shows."""
    odd = Component(np.arange(2), csr_matrix([[2, -2]]), csr_matrix([[0, 0, -1]]), np.array([1]))
    ends = np.array([[0, 0, 1], [UNBOUNDED, UNBOUNDED, 1]])
    assert programs.prove(odd, ends, ({}, UPPER, -1), Budget()) is None


def drawn(rng):
    """A programme of equalities over whole columns, some of them without an end, and a solution of it."""
    rows = rng.choice([0.0, 1.0, -1.0], (rng.integers(1, 6), rng.integers(2, 9)), p=[0.5, 0.3, 0.2])
    start = rng.integers(0, 6, rows.shape[1]).astype(float)
    lower = start - rng.choice([0.0, 1.0, 3.0], len(start))
    upper = start + rng.choice([0.0, 2.0, 5.0, np.inf], len(start), p=[0.3, 0.3, 0.3, 0.1])
    right = rows @ start
    cost = rng.integers(-2, 3, len(start)).astype(float)
    return Programme(lower, upper, sparse.csr_matrix(rows), right, right), cost, start


@pytest.mark.parametrize("seed", range(some(60)))
def test_an_optimum_is_the_same_wherever_it_is_looked_for_from(seed):
    rng = np.random.default_rng(seed)
    programme, cost, start = drawn(rng)
    continued = ContinuedSearch(programme)
    agrees(programme, cost, programme.optimum(cost, Budget()))
    agrees(programme, cost, programme.optimum_near(cost, start, Budget()))
    for _ in range(4):
        agrees(programme, cost, continued.optimum(cost, Budget()))
        cost = rng.integers(-2, 3, len(cost)).astype(float)


def agrees(programme, cost, found):
    """Compare an optimum with that of another program, and check that its weights of the rows show it."""
    bounds = [
        (low, None if np.isinf(high) else high) for low, high in zip(programme.lower, programme.upper, strict=True)
    ]
    wanted = linprog(-cost, A_eq=programme.rows, b_eq=programme.low, bounds=bounds, method="highs")
    assert (found is None) == (wanted.status != 0)
    if found is not None:
        assert cost @ found.value == pytest.approx(-wanted.fun)
        assert programme.rows @ found.value == pytest.approx(programme.low)
        assert (found.value >= programme.lower - 1e-7).all()
        assert (found.value <= programme.upper + 1e-7).all()
        # What columns leave is at an end.
        left = cost - found.weight @ programme.rows.toarray()
        ends = np.where(left > 1e-7, programme.upper, np.where(left < -1e-7, programme.lower, 0.0))
        shown = found.weight @ programme.low + np.where(np.abs(left) > 1e-7, left * ends, 0.0).sum()
        assert shown == pytest.approx(-wanted.fun)


@kills("attacks.linear_programmes.ContinuedSearch.__init__", "if branches else 0", "if False else 0")
def test_whole_columns_have_whole_optima():
    third = Programme(np.zeros(2), np.full(2, 5.0), sparse.csr_matrix([[3.0, 1.0]]), np.array([4.0]), np.array([4.0]))
    cost = np.array([1.0, 0.0])
    assert ContinuedSearch(third).optimum(cost, Budget()).value == pytest.approx([4 / 3, 0.0])
    assert ContinuedSearch(third, 100).optimum(cost, Budget()).value == pytest.approx([1.0, 1.0])
    assert ContinuedSearch(replace(third, high=third.high + 0.5, low=third.low + 0.25), 100).answered(
        cost, Budget()
    ) == (
        "none",
        None,
    )


@kills("audit.model.arrays.first_alike", "unlike[np.repeat(again, size[again])[differs]] = True", "pass")
@kills("audit.model.arrays.first_alike", " | (kind != kind[found])", "")
@pytest.mark.parametrize("mixed", [MIXED, lambda numbers, _: np.zeros(len(numbers), dtype=np.uint64)])
def test_segments_are_alike_by_their_entries_whatever_their_hashes(monkeypatch, mixed):
    """Two segments are alike only if all their entries are; with good hashes, all that are alike are found."""
    rng = np.random.default_rng(0)
    segments = [rng.integers(0, 2, rng.integers(0, 4)).tolist() for _ in range(200)]
    kind = rng.integers(0, 2, len(segments))
    monkeypatch.setattr(arrays, "mixed", mixed)
    entry = np.array([each for segment in segments for each in segment])
    found = arrays.first_alike(arrays.starts(np.array([len(each) for each in segments])), entry, kind).tolist()
    keys = [(*each, -1 - number) for each, number in zip(segments, kind.tolist(), strict=True)]
    assert all(keys[at] == key for at, key in zip(found, keys, strict=True))
    assert mixed is not MIXED or found == [keys.index(key) for key in keys]
