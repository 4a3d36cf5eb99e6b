"""Two people who are equal in all worlds: worlds decide it if linear reasoning leaves it open."""

from collections import Counter
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings

from attacks.joint import answers, settling
from attacks.joint.attack import JointAttack
from attacks.joint.knowledge import Worlds
from attacks.joint.settling import TWO
from audit.model.outcome import Outcome
from tests.helpers.amount import slow, some
from tests.helpers.running import read_audit, run_audit, run_main, written
from tests.helpers.strategies import linked_series
from tests.helpers.tiny import Row, TinySeries
from tests.mutants.mutant import kills
from tests.oracle.worlds import histories
from tests.universe.test_linked import Drawn
from tests.universe.test_linked_clauses import everything, nobody_certain

WAYS = {
    "questions": {},
    "worlds of joint": {(settling, "WALKED"): 0, (settling, "STEPS"): 0},
}


def series_without_certainty(seed, number):
    """Yield so many in which two people are equal in all worlds, and as many in which none are."""
    for alike in (True, False):
        some = [each for each in everything() if nobody_certain(each) and (each.min_e_in_all == 1) == alike]
        for place in np.random.default_rng(seed).choice(len(some), number, replace=False):
            series = Drawn(some[place], some[place].world).series
            yield TinySeries([rows for rows in series.releases if rows]), alike


@pytest.fixture
def two_values(monkeypatch):
    """`joint` that counts nothing, and stops where it knows two values of everybody."""
    run = JointAttack.run
    monkeypatch.setattr(settling, "STEPS", 0)
    monkeypatch.setattr(JointAttack, "run", lambda attack, *rest: run(replace(attack, aims=(TWO,)), *rest))


def min_e(series, *words):
    """How many values `joint` left open, the clause, and the evidence of pairs that are equal."""
    with written(series) as folder:
        _, result = read_audit(folder, *words)
    entries = {each["attack"]: each for each in result["attacks"]}
    clause = next(each for each in result["policy"]["clauses"] if each["clause"] == "min_e")
    pairs = [each["evidence"] for each in entries["equivalence"]["findings"] if each.get("e") == 1]
    return entries["joint"]["measures"]["open"], clause, pairs


def assert_decided(seed, number):
    """It is violated exactly where two are equal in all worlds, with a pair to show."""
    seen = Counter()
    for series, alike in series_without_certainty(seed, number):
        left, clause, pairs = min_e(series)
        assert clause["state"] == ("violated" if alike else "holds"), (series, clause)
        assert bool(pairs) == alike
        seen[clause["state"], left > 0] += 1
    return seen


@pytest.mark.parametrize("way", WAYS)
def test_worlds_decide(way, monkeypatch):
    for (module, name), value in WAYS[way].items():
        monkeypatch.setattr(module, name, value)
    assert_decided(list(WAYS).index(way), some(40))


@pytest.mark.usefixtures("two_values")
@slow
def test_worlds_decide_where_not_every_value_is_settled(monkeypatch):
    seen = Counter()
    for number, way in enumerate(WAYS.values()):
        with monkeypatch.context() as patch:
            for (module, name), value in way.items():
                patch.setattr(module, name, value)
            seen += assert_decided([3, number], 8)
    assert seen["holds", True], seen


def test_without_worlds_the_clause_is_undecided(monkeypatch):
    """Also where every value is settled; where linear reasoning shows a pair, it is violated."""
    monkeypatch.setattr(answers, "_QUESTIONS", 0)
    monkeypatch.setattr(Worlds, "trace", lambda worlds: np.zeros(worlds.network.variables, dtype=np.uint64))
    states = Counter()
    for series, alike in series_without_certainty(9, 8):
        _, clause, _ = min_e(series)
        states[alike, clause["state"]] += 1
        if clause["state"] == "undecided":
            assert "raise --time-limit" in clause["reason"]
    assert states[False, "undecided"], states
    assert not states[True, "holds"], states


SERIES = some(200)


def pairs_equal(series):
    """The pairs of a person and somebody else, counterfeits of any kind among them, that agree in every world.

    Counterfeits without identity are one each: nobody is in two releases without a name.
    """
    own = {
        f"~row {place} of release {j}": row
        for j, release in enumerate(series.releases)
        for place, row in enumerate(release)
        if row.individual is None
    }
    named = iter(own)
    releases = [
        [row if row.individual else replace(row, individual=next(named)) for row in release]
        for release in series.releases
    ]
    found = None
    for versions, _ in histories(replace(series, releases=releases), "linked"):
        value = {person: value for (person, _), value in versions}
        pairs = {
            pair
            for pair in combinations(sorted(value), 2)
            if value[pair[0]] == value[pair[1]] and not pair[0].startswith("~")
        }
        found = pairs if found is None else found & pairs
    return found or set()


def least_clause(result):
    return next(clause for clause in result["policy"]["clauses"] if clause["clause"] == "min_e")


def rows(*groups):
    return [Row(name, str(number), value) for number, group in enumerate(groups, 1) for name, value in group.items()]


SEVEN = TinySeries(
    [
        rows({"A": "x", "C": "y"}, {"D": "z", "H": "t", "I": "z", "J": "t"}),
        rows({"B": "x", "C": "y", "D": "z", "H": "t"}),
    ]
)
TWIN = TinySeries(
    [
        rows({"A": "x", "C": "y"}, {"D": "z", "H": "x", "I": "z", "J": "x"}),
        rows({"B": "x", "C": "y", "D": "z", "H": "x"}),
    ]
)
"""The same, but x instead of t: D and H may have x as well as B may, and the last group does not fall apart."""

ALONE = TinySeries([[*rows({"A": "x", "B": "y", "C": "z"}), Row(None, "1", "t")]] * 2)
"""All worlds give the counterfeits of both releases one value, which says nothing of anybody."""
BESIDE = TinySeries([rows({"A": "x", "B": "y", "C": "z", "D": "t"}), ALONE.releases[1]])
"""The same, but the first of them is D."""
NAMED = TinySeries([rows({"A": "x", "B": "y", "C": "z", "~1": "t"}), rows({"A": "x", "B": "y", "C": "z", "~2": "t"})])
"""The same, of two counterfeits that keep their identity."""


@settings(max_examples=SERIES)
@given(linked_series(known=True) | linked_series(max_people=7, max_releases=4))
def test_the_clause_is_about_all_worlds(series):
    """Violated if and only if two people are equal in all worlds, and never undecided.

    Where a person is equal to a counterfeit alone, it may be; where counterfeits are equal to each other, it is not.
    """
    with written(series) as folder:
        _, result = read_audit(folder, "--policy", "min_e=2", "--reveal")
    clause, pairs = least_clause(result), pairs_equal(series)
    known = {each.individual for each in series.known}
    pairs = {pair for pair in pairs if not known & set(pair)}
    of_people = {pair for pair in pairs if not pair[1].startswith("~")}
    entry = next(each for each in result["attacks"] if each["attack"] == "equivalence")
    measures = entry["measures"] or {}
    counted = measures.get("compromised", {}).get("1", 0) + measures.get("alike_in_worlds", 0)
    alike = {name for each in entry["findings"] if each.get("e") == 1 for name in (*each["left"], *each["right"])}
    assert len({name for name in alike if not str(name).startswith("~")}) <= counted
    if clause["state"] == "holds":
        assert not of_people
        assert clause["reason"] is None
    elif not known:
        assert clause["state"] == "violated", clause
        assert pairs


@kills("attacks.equivalence.attack._refined", "len(pairs) and", "False and")
@pytest.mark.parametrize(("series", "equal", "state"), [(SEVEN, {("A", "B")}, "violated"), (TWIN, set(), "holds")])
def test_two_of_whom_nobody_is_certain(series, equal, state):
    """All worlds of the first give A and B the same value, although linear reasoning alone shows e = 4."""
    assert pairs_equal(series) == equal
    with written(series) as folder:
        _, result, _ = run_audit(folder, "--reveal")
        _, alone, _ = run_audit(folder, "--attack", "equivalence")
        text = run_main(str(folder))[1]
    assert ("NOT SAFE: at least two people certainly have the same value." in text) == (state == "violated")
    assert (least_clause(result)["state"], least_clause(result)["reason"]) == (state, None)
    assert (least_clause(alone)["state"], least_clause(alone)["reason"]) == ("holds", "by linear reasoning")
    entry = next(each for each in result["attacks"] if each["attack"] == "equivalence")
    assert entry["measures"]["min_e"]["lower"] > 1
    assert entry["measures"].get("alike_in_worlds", 0) == 2 * len(equal)
    assert ("with the same value as another person or a counterfeit in all worlds" in " ".join(text.split())) == bool(
        equal
    )
    shown = {(*each["left"], *each["right"]) for each in entry["findings"] if each["e"] == 1}
    assert {tuple(sorted(str(name) for name in pair)) for pair in shown} == equal


@pytest.mark.parametrize(("series", "state"), [(ALONE, "holds"), (NAMED, "holds"), (BESIDE, "violated")])
def test_counterfeits_that_are_equal_to_each_other_say_nothing_of_anybody(series, state):
    assert bool(pairs_equal(series)) == (state == "violated")
    with written(series) as folder:
        _, result, _ = run_audit(folder, "--reveal")
    assert least_clause(result)["state"] == state
    entry = next(each for each in result["attacks"] if each["attack"] == "equivalence")
    assert [sorted(map(str, {**each["left"], **each["right"]})) for each in entry["findings"]] == (
        [["D", "~(release 2, group 1, 1)"]] if state == "violated" else []
    )
    if state == "holds":
        assert entry["measures"]["min_e"]["lower"] is None or entry["measures"]["min_e"]["lower"] > 1


@pytest.mark.parametrize(("series", "code"), [(SEVEN, 1), (TWIN, 0)])
def test_the_promise_is_about_all_worlds(series, code):
    with written(series) as folder:
        assert run_main("check", str(folder), "--principle", "e-equivalence", "--e", "2")[0] == code


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("limit", [2, 3])
def test_worlds_decide_also_where_joint_does_not_come_to_its_end(monkeypatch, limit, known):
    """Where nothing is known of worlds, two may still be equal in all of them: above 2 as well."""
    run = JointAttack.run

    def unfinished(attack, evidence, budget):
        found = run(attack, evidence, budget)
        knowing = found.knowing if known else None
        return Outcome("joint", "incomplete", "late", found.measures, found.claims, knowing=knowing)

    monkeypatch.setattr(JointAttack, "run", unfinished)
    with written(TWIN) as folder:
        code, result, _ = run_audit(folder, "--policy", f"min_e={limit}")
    clause = least_clause(result)
    if known:
        assert (clause["state"], clause["reason"]) == ("holds", "by linear reasoning" if limit > 2 else None)
    else:
        assert (code, clause["state"]) == (3, "undecided")
        assert "raise --time-limit" in clause["reason"]


def test_pairs_that_are_waived_leave_the_others_to_worlds():
    """With the one pair accepted, worlds distinguish all others: it holds."""
    with written(SEVEN) as folder:
        (folder / "private").mkdir()
        _, result, _ = run_audit(folder)
        [ident] = [each["id"] for entry in result["attacks"] for each in entry["findings"] if each.get("e") == 1]
        with (folder / "series.toml").open("a", encoding="utf-8") as file:
            file.write(f'\n[[waiver]]\nfinding = "{ident}"\nreason = "asked"\nexpires = 2999-01-01\nsize = 1\n')
        _, waived, _ = run_audit(folder)
    assert [least_clause(each)["state"] for each in (result, waived)] == ["violated", "holds"]
