"""The compiled path of `joint`, forced on series that enumeration or the plain path can decide.

AUDIT_JOINT_SERIES says how many series are drawn all in all.
"""

import os
from collections import Counter
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from attacks.joint import domains
from attacks.joint.attack import Joint
from audit.core.budget import Budget
from tests.helpers.crowds import KINDS, crowds
from tests.helpers.running import Audited, run_audit, written
from tests.helpers.strategies import contradictory_series
from tests.helpers.tiny import Row, TinySeries
from tests.oracle.asking import (
    WAYS,
    WHOLE_WAYS,
    Looks,
    asked,
    claimed,
    everybody_is_mistaken,
    half_is_told,
    nobody_tells,
    stages,
)
from tests.oracle.larger import TRANSITIONS, beside, drawn_at_random, filled
from tests.oracle.test_joint import ADVERSARIES, Answer, assert_measures, opened
from tests.oracle.worlds import worlds

SERIES = int(os.environ.get("AUDIT_JOINT_SERIES", "150"))
CLOSE = 1e-9


def examples(share):
    return settings(max_examples=max(1, SERIES // share))


# -- what has to come out -------------------------------------------------------------------------------------


def assert_right(found, answer):
    """Nothing that is said is wrong, whatever was left open."""
    possible, measures = answer.possible, found.outcome.measures
    assert found.possible.keys() == possible.keys()
    for version, values in possible.items():
        assert found.shown[version] <= values <= found.possible[version] <= found.own[version], version
    assert found.claims <= answer.certain
    assert measures["versions"] == len(answer.versions)
    assert measures["certain"] == len(found.claims)
    assert 0 <= measures["eliminated"] <= answer.eliminated <= measures["eliminated"] + measures["open"]
    if found.outcome.status == "complete":
        assert (measures["open"], measures["timeline"]) == (0, answer.timeline)
    assert all(few <= all_of_them for few, all_of_them in zip(measures["timeline"], answer.timeline, strict=True))
    for version, share in found.share.items():
        exact = answer.everything.posterior(*version)
        assert share == pytest.approx({value: float(part) for value, part in exact.items()}, abs=CLOSE), version


def assert_whole(found, answer):
    """Everything that enumeration says is said."""
    assert_right(found, answer)
    assert_measures(found.outcome, answer)
    assert found.possible == found.shown == answer.possible
    assert found.claims == answer.certain
    assert found.outcome.measures.get("worlds") in {None, answer.everything.count}
    for j, certain in enumerate(found.early):
        until = {(*version, *values) for *version, values in _until(answer, j)}
        assert {claim for claim in certain if claim[1] <= j} == until


def _until(answer, release):
    early = Answer(answer.series.until(release + 1), answer.adversary)
    return [(*version, tuple(values)) for version, values in early.possible.items() if len(values) == 1]


# -- beside enumeration ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("adversary", ADVERSARIES)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("way", list(WHOLE_WAYS))
@examples(40)
@given(data=st.data())
def test_the_compiled_path_says_what_enumeration_says(adversary, kind, way, data):
    series = data.draw(filled(adversary, kind))
    assert_whole(asked(series, adversary, way=way), Answer(series, adversary))


@pytest.mark.parametrize("kind", ["constant", "classes"])
@examples(8)
@given(data=st.data())
def test_a_walk_shows_only_what_is_possible(kind, data):
    series = data.draw(filled("linked", kind))
    found = asked(series, "linked", way="cut short", budget=lambda: Budget(60.0))
    assert_right(found, Answer(series, "linked"))


def weighed():
    """Series whose worlds are not equally probable, for one reason each."""
    pairs = [("a", "a"), ("b", "b"), ("b", "c"), ("c", "b"), ("c", "c")]
    alike = TinySeries([[Row("p", "1", "a"), Row(other, "1", "b")] for other in "qr"], dict.fromkeys(pairs))
    unlike = replace(alike, releases=[[*alike.releases[0], Row(None, "1", "a")], alike.releases[1]])
    orders = TinySeries([[Row("p", "1", "a"), Row(None, "1", "a"), Row(None, "1", "b")]])
    three = TinySeries(
        [
            [Row(name, "1", value) for name, value in zip(names, values, strict=True)]
            for names, values in (("pqr", "abc"), ("pst", "abd"))
        ]
    )
    many = TinySeries([[Row(who, "1", value) for who, value in zip((*"pqrst", None), "abcdea", strict=True)]])
    return [
        pytest.param(many, Fraction(1, 3), id="everybody may have each of five values"),
        pytest.param(three, Fraction(1, 2), id="whoever is in both groups has one of the values of both"),
        pytest.param(alike, Fraction(2, 3), id="who stays in the class of two values does so half as probably"),
        pytest.param(unlike, Fraction(4, 5), id="likewise, with a counterfeit in the way"),
        pytest.param(orders, Fraction(2, 3), id="counterfeits take a and b in two orders, a and a in one"),
    ]


@pytest.mark.parametrize("way", list(WAYS))
@pytest.mark.parametrize(("series", "of_a"), weighed())
def test_worlds_are_weighed(series, of_a, way):
    answer = Answer(series, "linked")
    assert answer.posteriors["p", 0]["a"] == of_a
    found = asked(series, "linked", way=way, budget=lambda: Budget(60.0))
    assert_right(found, answer)
    if way != "cut short":
        assert found.possible == found.shown == answer.possible


@pytest.mark.parametrize("before", [0, 61, 62, 64])
def test_a_walk_shows_all_that_an_exchange_makes_possible(before):
    """Values of the first word, of the second, and of both."""
    others = [Row(f"f{number}", f"f{number}", f"w{number}") for number in range(before)]
    series = TinySeries([[*others, *(Row(name, "1", value) for name, value in zip("pqr", "aab", strict=True))]])
    found = asked(series, "linked", way="cut short", budget=lambda: Budget(60.0))
    assert found.shown == found.possible
    assert found.possible["p", 0] == {"a", "b"}


def test_what_is_too_large_is_open_though_there_is_time():
    releases = [[Row("p", "1", "a"), Row("q", "1", "b")]] * 2
    probable = {("a", "a"): 1, ("a", "b"): 1, ("b", "a"): 1, ("b", "b"): 3}
    series = TinySeries(releases, {pair: Fraction(part, 4) for pair, part in probable.items()})
    found = asked(series, "linked", way="cut short", budget=Budget)
    assert_right(found, Answer(series, "linked"))
    assert found.outcome.measures["open"] == 8
    assert "time limit" not in found.outcome.reason


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("way", list(WAYS))
@examples(60)
@given(data=st.data())
def test_a_limit_leaves_open_what_it_must(kind, way, data):
    series = data.draw(filled("linked", kind))
    answer = Answer(series, "linked")
    looks = data.draw(st.integers(0, 6))
    for budget in (lambda: Budget(0.0), lambda: Looks(looks=[looks])):
        assert_right(asked(series, "linked", way=way, budget=budget), answer)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("way", list(WHOLE_WAYS))
@examples(60)
@given(data=st.data())
def test_a_world_that_is_handed_in_changes_nothing(kind, way, data):
    series = data.draw(filled("linked", kind))
    told = asked(series, "linked", way=way)
    for world in (nobody_tells, half_is_told, everybody_is_mistaken):
        other = asked(series, "linked", way=way, world=world)
        for name in ("possible", "shown", "claims", "early", "feasible"):
            assert getattr(told, name) == getattr(other, name), name
        presumed = {"presumed": other.outcome.measures["presumed"]} if "presumed" in other.outcome.measures else {}
        assert told.outcome.measures | presumed == other.outcome.measures
        both = told.share.keys() & other.share.keys()
        assert all(told.share[version] == pytest.approx(other.share[version], abs=CLOSE) for version in both)


@pytest.mark.parametrize("kind", KINDS)
@examples(32)
@given(data=st.data())
def test_copies_are_told_the_same(kind, data):
    series = data.draw(crowds("linked", kind))
    copies = data.draw(st.sampled_from([2, 50]))
    answer = Answer(series, "linked")
    found = asked(beside(*[series] * copies), "linked")
    wanted = {name: copies * len(getattr(answer, name)) for name in ("versions", "certain")}
    wanted |= {"eliminated": copies * answer.eliminated, "timeline": [copies * each for each in answer.timeline]}
    assert {name: found.outcome.measures[name] for name in wanted} == wanted
    assert found.settled
    for number in range(copies):
        for (person, release), values in answer.possible.items():
            assert found.possible[f"{person}-{number}", release] == values


@examples(24)
@given(data=st.data())
def test_series_beside_one_another_are_told_each_by_itself(data):
    all_series = [data.draw(crowds("linked", "constant")) for _ in range(data.draw(st.integers(2, 4)))]
    found = asked(beside(*all_series), "linked")
    possible, posteriors = {}, {}
    for number, series in enumerate(all_series):
        answer = Answer(series, "linked")
        possible |= {(f"{who}-{number}", j): values for (who, j), values in answer.possible.items()}
        posteriors |= {(f"{who}-{number}", j): parts for (who, j), parts in answer.posteriors.items()}
    assert found.possible == found.shown == possible
    for version, share in found.share.items():
        assert share == pytest.approx({value: float(part) for value, part in posteriors[version].items()}, abs=CLOSE)


@pytest.mark.parametrize("kind", KINDS)
@examples(100)
@given(data=st.data())
def test_a_network_that_is_large_enough_is_compiled_by_itself(kind, data):
    """As above, with nothing patched: the smallest number of copies that makes a large network."""
    series = data.draw(crowds("linked", kind))
    rows = sum(len(release) for release in series.releases)
    answer, copies = Answer(series, "linked"), -(-domains._COMPILED_SEATS // rows) + 1
    whole = beside(*[series] * copies)
    with written(whole) as folder:
        opening, evidence = opened(folder, "linked")
        outcome = Joint().run(evidence, Budget())
        told = Counter((person.rsplit("-", 1)[0], j, value) for person, j, value in claimed(outcome, opening, evidence))
    assert told == dict.fromkeys(answer.certain, copies)
    assert outcome.measures["open"] == 0
    assert outcome.measures["eliminated"] == copies * answer.eliminated
    assert outcome.measures["timeline"] == [copies * each for each in answer.timeline]


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("changing", [False, True])
@examples(24)
@given(data=st.data())
def test_releases_that_no_world_has_made_convict_nobody(changing, compiled, data):
    series = data.draw(contradictory_series(changing=changing))
    assume(not worlds(series).count)
    found = asked(series, "linked", compiled=compiled)
    assert not found.feasible
    assert not found.claims
    assert found.outcome.status == "incomplete"


# -- beside the plain path ------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [*KINDS, "wrong", "wrong steps"])
@examples(8)
@given(data=st.data())
def test_both_kernels_narrow_alike(kind, data):
    """Stage by stage: later steps make up for a kernel that leaves too much, slowly."""
    wrong = contradictory_series(changing=kind == "wrong steps")
    series = data.draw(wrong if kind.startswith("wrong") else filled("linked", kind))
    plain, large = (stages(series, "linked", compiled=compiled) for compiled in (False, True))
    assert plain == large


@pytest.mark.parametrize("table", list(TRANSITIONS))
@examples(30)
@given(seed=st.integers(0, 10_000), people=st.integers(10, 60), size=st.integers(2, 6), values=st.integers(3, 70))
def test_both_kernels_narrow_crowds_alike(table, seed, people, size, values):
    series = drawn_at_random(
        seed, people=people, releases=4, values=values, size=size, distinct=bool(seed % 2), table=table
    )
    plain, large = (stages(series, "linked", compiled=compiled) for compiled in (False, True))
    assert plain == large


@pytest.mark.parametrize(("seed", "values", "size"), [(29, 4, 4), (71, 7, 5)])
def test_walks_turn_back(seed, values, size):
    """Series in which somebody who moves on has to be taken back; few have that."""
    distinct = size == 5
    series = drawn_at_random(seed, people=24, releases=3, values=values, size=size, distinct=distinct, table="constant")
    walked, whole = (asked(series, "linked", way=way) for way in ("walked", "in whole numbers"))
    assert walked.settled
    assert walked.possible == walked.shown == whole.possible == whole.shown


@pytest.mark.parametrize("table", list(TRANSITIONS))
@examples(50)
@given(
    seed=st.integers(0, 10_000),
    people=st.integers(30, 300),
    releases=st.integers(2, 5),
    size=st.integers(3, 6),
    values=st.sampled_from([4, 7, 12, 70]),
    way=st.sampled_from(list(WHOLE_WAYS)),
)
def test_both_paths_say_the_same(table, seed, people, releases, size, values, way):
    distinct = bool(seed % 2)
    series = drawn_at_random(
        seed, people=people, releases=releases, values=values, size=size, distinct=distinct, table=table
    )
    plain = asked(series, "linked", budget=lambda: Budget(4.0), compiled=False)
    large = asked(series, "linked", way=way, budget=lambda: Budget(4.0))
    assert plain.own == large.own
    for version, values_left in plain.possible.items():
        assert large.shown[version] <= values_left
        assert plain.shown[version] <= large.possible[version]
    if plain.settled and large.settled:
        assert plain.possible == large.possible
        assert plain.claims == large.claims
        assert plain.late or large.late or plain.outcome.measures["timeline"] == large.outcome.measures["timeline"]
    for version in plain.share.keys() & large.share.keys():
        assert plain.share[version] == pytest.approx(large.share[version], abs=CLOSE)


@pytest.mark.parametrize("compiled", [False, True])
def test_a_circle_of_groups_with_two_values_has_no_world(compiled):
    """Each group alone leaves both values to both people; but two values cannot go around three people."""
    pairs = [("p", "q"), ("q", "r"), ("p", "r")]
    series = TinySeries([[Row(one, "1", "a"), Row(other, "1", "b")] for one, other in pairs])
    found = asked(series, "linked", compiled=compiled, world=lambda *_: None)
    assert not found.feasible
    assert found.outcome.status == "incomplete"


@pytest.mark.parametrize("people", [16, 18])
def test_large_parts_alike_are_presumed_to_have_a_world(people):
    """Everybody shares a group with one neighbour, then with the other; there are two worlds, which no key tells."""
    names = [f"p{number}" for number in range(people)]
    releases = [
        [Row(name, str((place + turn) % people // 2), "ab"[place % 2]) for place, name in enumerate(names)]
        for turn in range(2)
    ]
    found = asked(TinySeries(releases), "linked", compiled=True, world=lambda *_: None)
    assert found.feasible
    assert found.outcome.measures["open"] == found.outcome.measures["eliminated"] == 0
    assert found.outcome.measures.get("presumed", 0) == (people if people > 16 else 0)
    told = asked(TinySeries(releases), "linked", compiled=True)
    assert "presumed" not in told.outcome.measures


@pytest.mark.parametrize("compiled", [False, True])
def test_what_is_next_to_impossible_is_possible(compiled):
    """The second value has a share of the worlds that is too small for numbers; yet it may be the true one."""
    steps = {("a", "a"): Fraction(1), ("b", "b"): Fraction(1, 10**4)}
    releases = [[Row("p", "1", "a"), Row(None, "1", "b")] for _ in range(86)]
    found = asked(TinySeries(releases, steps), "linked", compiled=compiled)
    assert found.outcome.measures["certain"] == found.outcome.measures["eliminated"] == 0
    assert all(values == {"a", "b"} for values in found.possible.values())
    if found.outcome.model is not None:
        series = TinySeries([[Row("p", "1", "b"), Row(None, "1", "a")] for _ in range(86)], steps)
        for true in (series, TinySeries(releases, steps)):
            with written(true) as folder:
                result = Audited(*run_audit(folder, "--attack", "joint"))
            assert 0 < result.measures("joint")["max_risk"] < 1
            assert not result.result["contradictions"]["infeasible"]
