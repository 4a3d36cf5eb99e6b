"""Two people who have the same value in all worlds, beside the enumeration of all worlds of tiny series."""

from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import given, settings

from attacks.joint.attack import JointAttack
from audit.model.outcome import Outcome
from tests.helpers.amount import some
from tests.helpers.running import read_audit, run_audit, run_main, written
from tests.helpers.strategies import linked_series
from tests.helpers.tiny import Row, TinySeries
from tests.oracle.worlds import histories

SERIES = some(200)


def equal_pairs(series):
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


def min_e(result):
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
    """Violated exactly where two people are equal in all worlds, and never undecided.

    Where a person is equal to a counterfeit alone, it may be; where counterfeits are equal to each other, it is not.
    """
    with written(series) as folder:
        _, result = read_audit(folder, "--policy", "min_e=2", "--reveal")
    clause, pairs = min_e(result), equal_pairs(series)
    known = {each.individual for each in series.known}
    pairs = {pair for pair in pairs if not known & set(pair)}
    of_people = {pair for pair in pairs if not pair[1].startswith("~")}
    if clause["state"] == "holds":
        assert not of_people
        assert clause["reason"] is None
    elif not known:
        assert clause["state"] == "violated", clause
        assert pairs


@pytest.mark.parametrize(("series", "equal", "state"), [(SEVEN, {("A", "B")}, "violated"), (TWIN, set(), "holds")])
def test_two_of_whom_nobody_is_certain(series, equal, state):
    """All worlds of the first give A and B the same value, though linear reasoning alone shows e = 4."""
    assert equal_pairs(series) == equal
    with written(series) as folder:
        _, result, _ = run_audit(folder, "--reveal")
        _, alone, _ = run_audit(folder, "--attack", "equivalence")
    assert (min_e(result)["state"], min_e(result)["reason"]) == (state, None)
    assert (min_e(alone)["state"], min_e(alone)["reason"]) == ("holds", "by linear reasoning")
    entry = next(each for each in result["attacks"] if each["attack"] == "equivalence")
    assert entry["measures"]["min_e"]["lower"] > 1
    shown = {(*each["left"], *each["right"]) for each in entry["findings"] if each["e"] == 1}
    assert {tuple(sorted(str(name) for name in pair)) for pair in shown} == equal


@pytest.mark.parametrize(("series", "state"), [(ALONE, "holds"), (NAMED, "holds"), (BESIDE, "violated")])
def test_counterfeits_that_are_equal_to_each_other_say_nothing_of_anybody(series, state):
    assert bool(equal_pairs(series)) == (state == "violated")
    with written(series) as folder:
        _, result, _ = run_audit(folder, "--reveal")
    assert min_e(result)["state"] == state
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
    clause = min_e(result)
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
    assert [min_e(each)["state"] for each in (result, waived)] == ["violated", "holds"]
