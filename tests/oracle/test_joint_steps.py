"""The steps of `joint`, each forced on series that enumeration decides, and held against one another on larger ones."""

from dataclasses import replace
from fractions import Fraction
from itertools import product
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from attacks.joint import attack, balls, linear_model, settling, walk
from attacks.joint.attack import AIMS, JointAttack, decide
from attacks.joint.knowledge import Knowledge
from attacks.joint.linear_model import LinearModel
from attacks.joint.network_builder import network_of
from attacks.joint.proofs import Prover
from attacks.joint.settling import ALL, Settling
from audit.adversary.view import handed
from audit.judgement.check_disclosure import DisclosureChecker
from audit.runtime.budget import Budget
from tests.helpers.amount import some
from tests.helpers.crowds import KINDS, crowds
from tests.helpers.opening import opened
from tests.helpers.running import written
from tests.helpers.strategies import classed_series, contradictory_series
from tests.helpers.tiny import Row, TinySeries, read
from tests.mutants.mutant import kills
from tests.oracle.asking import WAYS, WHOLE_WAYS, Looks, asked, everybody_is_mistaken, half_is_told, nobody_tells
from tests.oracle.larger import TRANSITIONS, beside, drawn_at_random, filled
from tests.oracle.test_joint import ADVERSARIES, Answer, assert_measures
from tests.oracle.worlds import few, worlds

EXAMPLES = Path(__file__).parent.parent / "examples"
SERIES = some(150)
CLOSE = 1e-9
CLASSED = ["row classes", "row classes, changing"]


def examples(share):
    return settings(max_examples=max(1, SERIES // share))


def drawn(data, adversary, kind, draw=filled):
    """A series of a kind, or one whose groups have rows with different cells."""
    if kind not in CLASSED:
        return data.draw(draw(adversary, kind))
    known = data.draw(st.sampled_from(["", adversary]))
    series = data.draw(classed_series(changing=kind == CLASSED[1], known=known))
    assume((series.keyed or adversary == "register") and few(series, adversary, 2_000))
    return series if adversary == "register" else replace(series, register=None)


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
    assert found.outcome.model is None or not measures["open"]  # what is not counted has no posterior
    assert 0 <= measures["eliminated"] <= answer.eliminated <= measures["eliminated"] + measures["open"]
    if found.outcome.status == "complete":
        assert (measures["open"], measures["timeline"]) == (0, answer.timeline)
    assert all(few <= all_of_them for few, all_of_them in zip(measures["timeline"], answer.timeline, strict=True))
    if found.outcome.claims is not None and found.outcome.claims.exhaustive:
        assert found.claims == answer.certain
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
    for j, certain in enumerate(found.early[::-1]):
        until = {(*version, *values) for *version, values in _until(answer, len(answer.series.releases) - 2 - j)}
        assert certain == until


def _until(answer, release):
    early = Answer(answer.series.until(release + 1), answer.adversary)
    return [(*version, tuple(values)) for version, values in early.possible.items() if len(values) == 1]


# -- beside enumeration ---------------------------------------------------------------------------------------


@pytest.mark.many
@pytest.mark.parametrize("adversary", ADVERSARIES)
@pytest.mark.parametrize("kind", [*KINDS, *CLASSED])
@examples(25)
@given(data=st.data())
def test_each_way_says_what_enumeration_says(adversary, kind, data):
    series = drawn(data, adversary, kind)
    answer = Answer(series, adversary)
    for way in data.draw(st.lists(st.sampled_from([*WHOLE_WAYS]), min_size=3, max_size=3, unique=True)):
        cold = data.draw(st.booleans())
        found = asked(series, adversary, way=way, world=nobody_tells if cold else None)
        assert_whole(found, answer)
        if way == "counted":
            assert found.share.keys() == found.possible.keys()


@pytest.mark.many
@pytest.mark.parametrize("adversary", ADVERSARIES)
@pytest.mark.parametrize("kind", [*KINDS, *CLASSED])
@examples(15)
@given(data=st.data())
def test_every_conviction_has_a_proof_that_holds(adversary, kind, data):
    series = drawn(data, adversary, kind, crowds)
    with written(series) as folder:
        _, evidence = opened(folder, adversary)
        outcome = JointAttack().run(evidence, Budget())
        findings = outcome.claims.certify(np.arange(len(outcome.claims)))
        checker = DisclosureChecker(evidence)
        for finding in findings:
            if finding is not None:
                checker.checked(finding)
    # How many people fit into the row classes of an Anatomy group is not what points speak of.
    if not series.anatomy and not series.counterfeits:
        assert None not in findings
        assert outcome.measures["certain_unproved"] == 0


@pytest.mark.parametrize("kind", ["constant", "classes"])
@examples(8)
@given(data=st.data())
def test_a_walk_shows_only_what_is_possible(kind, data):
    series = data.draw(filled("linked", kind))
    found = asked(series, "linked", way="cut short")
    assert_right(found, Answer(series, "linked"))


def without_the_key(values, size, budget):
    """The search for worlds of a few hundred people whose values no key tells."""
    crowd = drawn_at_random(5, people=300, releases=3, values=values, size=size, distinct=False, table="constant")
    with written(crowd) as folder:
        evidence = replace(opened(folder, "linked")[1], world=())
    return Settling(evidence, network_of(evidence, 3, Budget()), budget)


@pytest.mark.parametrize(("values", "size", "stretch"), [(8, 30, settling.STRETCH), (6, 40, 50)])
def test_without_the_key_and_solvers_walks_find_a_world(values, size, stretch, monkeypatch):
    work = without_the_key(values, size, Budget())
    monkeypatch.setattr(settling, "WALKED", 0)
    monkeypatch.setattr(settling, "STRETCH", stretch)
    monkeypatch.setattr(LinearModel, "highest", lambda *_: None)
    monkeypatch.setattr(LinearModel, "integers", lambda *_: ("unknown", None))
    known = work.settle(None, AIMS)
    assert np.bincount(known.core(known.alive).part).max() > 100
    assert (known.chosen >= 0).all()


def test_a_walk_to_a_first_world_ends_with_the_time_within_a_part(monkeypatch):
    limits = []

    def walks(*arguments):
        limits.append(arguments[4][1])
        return [()] * 3

    monkeypatch.setattr(walk, "walks", walks)
    monkeypatch.setattr(settling, "WALKED", 0)
    monkeypatch.setattr(settling, "STRETCH", 50)
    without_the_key(8, 30, Mock(wraps=Budget(), exhausted=lambda: len(limits) >= 3)).settle(None, AIMS)
    assert limits == [50] * 3


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
    parts = {("a", "a"): 9, ("a", "b"): 1, ("b", "a"): 1, ("b", "b"): 9}
    class_of_two = TinySeries(
        [[Row("p", "1", "a"), Row("q", "1", "b")]] * 2, {pair: Fraction(part, 10) for pair, part in parts.items()}
    )
    uneven = {("a", "a"): 9, ("a", "b"): 9, ("b", "a"): 1, ("b", "b"): 1}
    uneven = {pair: Fraction(part, 10) for pair, part in uneven.items()}
    rows_alike = TinySeries(
        [[Row("p", "1", "a"), Row(None, "1", "b")], [Row("p", "2", "a"), Row(None, "2", "b")]], uneven
    )
    return [
        pytest.param(many, Fraction(1, 3), id="everybody may have each of five values"),
        pytest.param(three, Fraction(1, 2), id="whoever is in both groups has one of the values of both"),
        pytest.param(alike, Fraction(2, 3), id="who stays in the class of two values does so half as probably"),
        pytest.param(unlike, Fraction(4, 5), id="likewise, with a counterfeit in the way"),
        pytest.param(orders, Fraction(2, 3), id="counterfeits take a and b in two orders, a and a in one"),
        pytest.param(class_of_two, Fraction(1, 2), id="steps within a class that are not equally probable"),
        pytest.param(rows_alike, Fraction(9, 10), id="each row of the table is even, and the rows are different"),
    ]


@pytest.mark.many
@pytest.mark.parametrize("way", list(WAYS))
@pytest.mark.parametrize(("series", "of_a"), weighed())
def test_worlds_are_weighed(series, of_a, way):
    answer = Answer(series, "linked")
    assert answer.posteriors["p", 0]["a"] == of_a
    found = asked(series, "linked", way=way)
    assert_right(found, answer)
    if way in WHOLE_WAYS:
        assert found.possible == found.shown == answer.possible


@kills("attacks.joint.knowledge.Knowledge.__init__", "if network.weighs_alike:", "if True:")
def test_even_groups_are_equally_probable_only_where_changes_weigh_nothing():
    """A chain with two worlds: in one of them one more person keeps the class of a and b, half as probable as c."""
    pairs = [[*((i, i + 1) for i in range(0, 98, 2)), (98, None)], [(0, None), *((i, i + 1) for i in range(1, 98, 2))]]
    releases = [
        [
            Row(None if who is None else f"p{who}", str(at), "c" if who is None or who % 2 else "a")
            for at, pair in enumerate(release)
            for who in pair
        ]
        for release in pairs
    ]
    classes = dict.fromkeys([*product("ab", repeat=2), ("c", "c")])
    found = asked(TinySeries(releases), "linked")
    assert found.share["p0", 0] == {"a": 0.5, "c": 0.5}
    found = asked(TinySeries(releases, classes), "linked")
    assert found.possible["p0", 0] == found.shown["p0", 0] == {"a", "c"}
    assert ("p0", 0) not in found.share


def both_or_none():
    """P and Q have exchanged their values in both releases or in none, which no exchange in one release shows."""
    releases = [[Row("p", "1", "a"), Row("q", "1", "b"), Row("r", "2", last)] for last in "ca"]
    return TinySeries(releases, dict.fromkeys([("a", "a"), ("b", "b"), ("c", "a")]))


def test_what_is_too_hard_is_open_though_there_is_time():
    series = both_or_none()
    found = asked(series, "linked", way="cut short")
    assert_right(found, Answer(series, "linked"))
    assert found.outcome.measures["open"] > 0
    assert "time limit" not in found.outcome.reason


@kills("attacks.joint.attack.JointAttack._outcome", "found.decided.all()", "found.decided.any()")
def test_one_who_is_not_decided_may_be_certain():
    """R is decided, P and Q are not: that no other person's value is certain is known once all are decided."""
    for way, decided in (("cut short", False), ("counted", True)):
        found = asked(both_or_none(), "linked", way=way, budget=Budget)
        assert {claim[0] for claim in found.claims} == {"r"}
        assert found.outcome.claims.exhaustive is decided


def test_exchanges_show_what_one_release_lets_people_exchange():
    """In a ring of groups each person may have each value, which exchanges show without a programme or a solver."""
    releases = [
        [Row(f"p{who}", str((who + at) // 2 % 6), "ab"[(who + at) % 2]) for who in range(12)] for at in range(3)
    ]
    changes = {("a", "a"): 1, ("a", "b"): 1, ("b", "a"): 1, ("b", "b"): 3}
    series = TinySeries(releases, {pair: Fraction(part, 4) for pair, part in changes.items()})
    found = asked(series, "linked", way="cut short")
    assert found.possible == found.shown
    assert set(map(len, found.shown.values())) == {2}
    assert found.outcome.status == "complete"


@pytest.mark.parametrize(("changes", "every"), [(None, True), (dict.fromkeys(product("ab", repeat=2)), False)])
def test_a_limit_on_e_asks_for_all_values_only_where_values_never_change(changes, every):
    """Nothing judges e where values change: then two possible values of each person decide the policy."""
    aims = []
    with (
        pytest.MonkeyPatch.context() as patch,
        written(TinySeries([[Row("p", "1", "a"), Row("q", "1", "b")]], changes)) as folder,
    ):
        patch.setattr(attack, "decide", lambda *args, **_: aims.append(args[3]) or decide(*args))
        joint = JointAttack().only_deciding({"max_risk": 1, "min_e": 2})
        joint.run(handed(opened(folder, "linked")[1], joint), Budget())
    assert aims == [AIMS if every else AIMS[:1]]


@kills("attacks.joint.settling.Settling._balls", "np.isin(core.part, parts)", "core.part < 0")
@pytest.mark.parametrize(("way", "believed"), [("in whole numbers", True), ("programmed", False)])
def test_a_solver_is_believed_only_where_nothing_else_rules_out(monkeypatch, way, believed):
    """No proof being found, as many findings rest on its word as it decided; weights of rows are checked."""
    monkeypatch.setattr(Prover, "prove", lambda *_: None)
    found = asked(read(EXAMPLES / "joint-breaks-2-distinct"), "linked", way=way)
    assert found.outcome.measures["certain"] == 8
    assert found.outcome.measures["certain_unproved"] == (8 if believed else 0)


@pytest.mark.many
@pytest.mark.parametrize("adversary", ADVERSARIES)
@pytest.mark.parametrize("kind", KINDS)
@examples(25)
@given(data=st.data(), way=st.sampled_from([*WAYS]))
def test_a_limit_leaves_open_what_it_must(adversary, kind, way, data):
    series = data.draw(filled(adversary, kind))
    answer = Answer(series, adversary)
    looks = data.draw(st.integers(0, 12))
    for budget in (Budget, lambda: Budget(0.0), lambda: Looks(looks=[looks])):
        assert_right(asked(series, adversary, way=way, budget=budget), answer)


@pytest.mark.parametrize("kind", KINDS)
@examples(30)
@given(data=st.data(), way=st.sampled_from([*WHOLE_WAYS]))
def test_a_world_that_is_handed_in_changes_nothing(kind, way, data):
    series = data.draw(filled("linked", kind))
    told = asked(series, "linked", way=way)
    for world in (nobody_tells, half_is_told, everybody_is_mistaken):
        other = asked(series, "linked", way=way, world=world)
        for name in ("possible", "shown", "claims", "early", "feasible"):
            assert getattr(told, name) == getattr(other, name), name
        assert told.outcome.measures == other.outcome.measures


def circle(people, values="ab"):
    """Everybody shares a group with the neighbour on either side: one release for each pair, at most one a person."""
    names = [f"p{number}" for number in range(people)]
    pairs = [(names[at], names[(at + 1) % people]) for at in range(people)]
    turns = [pairs[0 : people - people % 2 : 2], pairs[1 : people - people % 2 : 2], pairs[people - people % 2 :]]
    return TinySeries(
        [
            [
                Row(who, f"{one}-{two}", value)
                for one, two in turn
                for who, value in zip((one, two), values, strict=True)
            ]
            for turn in turns
            if turn
        ]
    )


@kills("attacks.joint.attack.JointAttack._outcome", "if not decision.feasible:", "if False:")
@pytest.mark.many
@pytest.mark.parametrize("people", [3, 19, 201])
@pytest.mark.parametrize("copies", [1, 4, 110])
@pytest.mark.parametrize("way", ["counted", "programmed"])
def test_an_odd_circle_of_groups_with_two_values_has_no_world(people, copies, way):
    """Each group alone leaves both values possible; but two values cannot alternate around an odd circle of people."""
    if people * copies > 5_000:
        pytest.skip("the same with fewer people")
    found = asked(beside(*[circle(people)] * copies), "linked", way=way, world=nobody_tells)
    assert not found.feasible
    assert (found.outcome.status, found.claims) == ("incomplete", set())
    assert "no assignment of rows to people fits all releases" in str(found.outcome.reason)
    assert 'if values may change, write transitions = "any" under [adversary]' in str(found.outcome.reason)


def none(*_, **_parameters):
    """A solver that finds nothing, and says that there is nothing."""
    return "none", Mock(response_proto=Mock(deterministic_time=0.0))


@kills("attacks.joint.settling.Settling._find_worlds", " and self._has_no_world(part)", "")
@kills("attacks.joint.settling.Settling._balls", " & (questions.world >= 0).all()", "")
@pytest.mark.parametrize("way", ["in whole numbers", "asked"])
def test_that_a_solver_finds_no_world_refuses_no_finding(way, monkeypatch):
    """Only a proof refuses what is certain, as of the person who is alone in a group; what is open is not exhausted."""
    crowd = drawn_at_random(3, people=40, releases=2, values=8, size=8, distinct=False, table="constant")
    alone = TinySeries([[Row("alone", "1", "a")]] * 2)
    monkeypatch.setattr(linear_model, "solved", none)
    monkeypatch.setattr(settling, "FIRST_TRIES", 0)
    found = asked(beside(crowd, alone), "linked", way=way, world=nobody_tells)
    certain = {release for name, release, value in found.claims if found.own[name, release] == {value}}
    assert found.feasible
    assert certain == {0, 1}
    if way == "in whole numbers":
        assert found.outcome.measures["certain_unproved"] == 0
        assert (found.outcome.status, found.outcome.claims.exhaustive) == ("incomplete", False)


@kills("attacks.joint.settling.Settling._count", "small &= ~flagged(", "small |= flagged(")
@pytest.mark.parametrize("word", [True, False])
def test_no_share_of_worlds_rests_on_the_word_of_a_solver(word):
    """Parts from which it ruled something out are not counted."""
    crowd = drawn_at_random(3, people=16, releases=2, values=8, size=8, distinct=True, table="constant")
    with written(crowd) as folder:
        evidence = handed(opened(folder, "linked")[1], JointAttack())
        work = Settling(evidence, network_of(evidence, 2, Budget()), Budget())
        known = work.known
        known.narrow()
        known.believed[:] = word
        work.count_small_parts()
        share = known.share[known.alive & (known.network.counted(known.alive) > 1)[known.network.owner]]
        assert len(share)
        assert np.isnan(share).all() == word


@kills("attacks.joint.core.core_of", "kept = members > capacity", "kept = members > capacity + 1")
@pytest.mark.parametrize("people", [4, 20, 200])
@pytest.mark.parametrize("copies", [1, 20])
def test_an_even_circle_has_two_worlds(people, copies):
    found = asked(beside(*[circle(people)] * copies), "linked", world=nobody_tells)
    assert found.settled
    assert found.possible == found.shown == found.own
    assert found.outcome.measures.get("worlds") == (2**copies if people <= 64 else None)


def test_a_ball_that_is_too_hard_is_the_last_one_for_what_it_is_asked(monkeypatch):
    """None of the three larger balls is tried."""
    with written(circle(200)) as folder:
        network = network_of(opened(folder, "linked")[1], 2, Budget())
    known = Knowledge(replace(network, hint=np.full_like(network.hint, -1)))
    part = known.core(known.undecided(ALL))
    given = []
    monkeypatch.setattr(LinearModel, "integers", lambda *args: given.append(args) or ("unknown", None))
    questions = balls.PartQuestions(part, np.full(part.variables, -1), Budget())
    assert questions.decide(0, np.arange(2)) == "unknown"
    assert len(given) == 1
    assert not questions.refuted.any()


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


@pytest.mark.parametrize("way", ["counted", "programmed"])
@examples(24)
@given(series=contradictory_series())
def test_releases_that_no_world_has_made_convict_nobody(way, series):
    assume(not worlds(series).count)
    found = asked(series, "linked", way=way)
    assert not found.feasible
    assert not found.claims
    assert found.outcome.status == "incomplete"


# -- ways beside one another ----------------------------------------------------------------------------------


@pytest.mark.parametrize("table", list(TRANSITIONS))
@examples(75)
@given(
    seed=st.integers(0, 10_000),
    people=st.integers(30, 300),
    releases=st.integers(2, 5),
    size=st.integers(3, 6),
    values=st.sampled_from([4, 7, 12, 70]),
    ways=st.lists(st.sampled_from([*WHOLE_WAYS]), min_size=2, max_size=2, unique=True),
)
def test_all_ways_say_the_same(table, seed, people, releases, size, values, ways):
    series = drawn_at_random(
        seed, people=people, releases=releases, values=values, size=size, distinct=bool(seed % 2), table=table
    )
    one, other = (asked(series, "linked", way=way, budget=lambda: Budget(6.0)) for way in ways)
    assert one.own == other.own
    for version, left in one.possible.items():
        assert other.shown[version] <= left
        assert one.shown[version] <= other.possible[version]
    if one.settled and other.settled:
        assert (one.possible, one.claims) == (other.possible, other.claims)
        assert one.outcome.measures["timeline"] == other.outcome.measures["timeline"]
    for version in one.share.keys() & other.share.keys():
        assert one.share[version] == pytest.approx(other.share[version], abs=CLOSE)
