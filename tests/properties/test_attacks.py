"""Properties of attacks and clauses on any series, tested from outside."""

from collections import Counter
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from audit.clauses.registry import CLAUSES
from tests.helpers.comparing import CLOSE, sizes
from tests.helpers.running import attacks_for, audit, audit_folder, read_audit, run_audit, run_main, written
from tests.helpers.strategies import contradictory_series, linked_series, register_series
from tests.helpers.tiny import Registered, Row, TinySeries, with_spans
from tests.oracle.per_person import intersection, update_graph


def claims(audited, name):
    return {(found["individual"], found["release"], found["value"]) for found in audited.findings(name)}


def all_measures(audited, series):
    return {name: audited.measures(name) for name in attacks_for(series)}


def assert_same(one, other, series):
    """Equal measures, up to the last digits of a floating-point sum in another order."""
    assert one.code == other.code
    for name, measures in all_measures(one, series).items():
        others = dict(other.measures(name))
        for risk in ("max_risk", "mean_risk"):
            assert measures[risk] == pytest.approx(others.pop(risk), abs=CLOSE)
        assert others == {key: value for key, value in measures.items() if key in others}


@given(series=contradictory_series(changing=True))
def test_changes_that_are_not_listed_are_refused(series):
    with written(series) as folder:
        code, _, err = run_audit(folder, "--adversary", "linked")
    assert code == 2
    assert "changes that the key shows are not listed" in err


@given(series=contradictory_series())
def test_values_against_the_assumptions_never_pass(series):
    audited = audit(series)
    assert audited.code in {1, 3}
    assert not audited.result["policy"]["passed"]
    changed = {person for person in series.people() if contradicts(series, person)}
    assert audited.result["contradictions"]["changed"] == len(changed)
    nameless = [
        [replace(row, individual=None) if row.individual in changed else row for row in release]
        for release in series.releases
    ]
    consistent = replace(series, releases=nameless)
    graph = update_graph(consistent)
    counts = {"disclosed": len(graph.disclosed), "infeasible": len(graph.infeasible), "timeline": graph.timeline}
    measures = audited.measures("update-graph")
    assert counts == {name: measures[name] for name in counts}
    left = intersection(consistent).candidates.values()
    assert sizes(audited.measures("intersection")) == Counter(map(len, left))
    alone = {
        (row.individual, series.tags[j], row.value)
        for j, release in enumerate(series.releases)
        for row in release
        if row.individual in changed and len({other.value for other in release if other.group == row.group}) == 1
    }
    for name in attacks_for(series):
        assert {claim for claim in claims(audited, name) if claim[0] in changed} == alone
        assert audited.measures(name).get("alone", 0) == len({person for person, _, _ in alone})


def contradicts(series, person):
    stay = series.presence(person)
    return any(
        not series.step(series.truth(person, before), series.truth(person, after)) for before, after in pairwise(stay)
    )


@given(data=st.data())
def test_a_register_of_stays_says_as_much_as_one_of_releases(data):
    series = data.draw(register_series())
    for person in series.people("register"):
        stay = series.presence(person, "register")
        assume(stay == list(range(stay[0], stay[-1] + 1)))
        assume(len({line.exact for line in series.register if line.individual == person}) == 1)
    with written(series) as folder:
        by_release = audit_folder(folder, attacks_for(series), "--adversary", "register")
        with_spans(folder, series)
        by_stay = audit_folder(folder, attacks_for(series), "--adversary", "register")
    assert_same(by_release, by_stay, series)


def max_risk(result):
    return next(each for each in result["policy"]["clauses"] if each["clause"] == "max_risk")


def measure(result, attack):
    return next(each for each in result["attacks"] if each["attack"] == attack)["measures"]["max_risk"]


def four_times():
    """The same table four times: in each group six of ten people have the same value."""
    values = ["none"] * 6 + ["a", "b", "c", "d"]
    table = [Row(f"p{group}{n}", str(group), value) for group in range(3) for n, value in enumerate(values)]
    return TinySeries([table] * 4)


@pytest.mark.parametrize(
    ("limit", "code", "state"), [("0.9", 0, "holds"), ("0.61", 0, "holds"), ("0.6", 1, "violated")]
)
def test_a_table_published_again_tells_nothing_new(limit, code, state):
    with written(four_times()) as folder:
        found, result, _ = run_audit(folder, "--policy", f"max_risk={limit}", "--policy", "min_e=1", "--reveal")
        _, text, _ = run_main(str(folder), "--policy", f"max_risk={limit}", "--policy", "min_e=1")
    assert (found, max_risk(result)["state"]) == (code, state)
    assert measure(result, "joint") == pytest.approx(0.6)
    assert measure(result, "intersection") > 0.99
    assert {each["attack"] for each in result["policy"]["violations"]} == ({"joint"} if code else set())
    verdict = text.split("\n\n")[1]
    assert "99" not in verdict
    risks = {
        entry["attack"]: [each for each in entry["findings"] if each["kind"] == "risk"] for entry in result["attacks"]
    }
    assert {attack for attack, found in risks.items() if found} == ({"joint"} if code else set())


def test_estimates_alone_leave_it_undecided():
    with written(four_times()) as folder:
        code, result, _ = run_audit(folder, "--attack", "intersection", "--policy", "max_risk=0.9")
        certain, alone, _ = run_audit(folder, "--attack", "intersection", "--policy", "max_risk=1")
    assert (code, max_risk(result)["state"]) == (3, "undecided")
    assert "exact probabilities" in max_risk(result)["reason"]
    assert (certain, max_risk(alone)["state"]) == (0, "holds")


def hiding(counterfeits):
    """Bob fits group 1, of ten rows, five of them HIV, and group 2, of two with HIV; some of 1 are counterfeits."""
    values = ["HIV"] * 5 + ["flu", "gas", "ulc", "cold", "gout"]
    rows = [Row(None, "1", value, ("20-29",)) for value in values]
    rows += [Row(None, "2", value, ("25-34",)) for value in ("HIV", "HIV")]
    told = {"counterfeits": [{"1": counterfeits}]} if counterfeits else {}
    return TinySeries([rows], register=[Registered("Bob", 0, ("27",))], quasi_identifiers=("Age",), keyed=False, **told)


@pytest.mark.parametrize(("counterfeits", "share"), [(0, 7 / 12), (9, 5 / 6), (10, 1.0)])
def test_published_counterfeits_weigh_worlds(counterfeits, share):
    """Of ten rows with nine counterfeits one is a place: ten ways there, beside twenty in the other group."""
    with written(hiding(counterfeits)) as folder:
        _, result = read_audit(folder, "--adversary", "register", "--policy", "max_risk=0.7", "--policy", "k=1")
    assert measure(result, "joint") == pytest.approx(share)
    # Of the rows of group 2 as such homogeneity says more.
    found = {each["attack"] for each in result["policy"]["violations"]}
    assert ("joint" in found) == (share > 0.7)


@pytest.mark.parametrize(("strangers", "state"), [(0, "holds"), (1, "undecided")])
def test_strangers_in_several_releases_are_tied_by_nothing(strangers, state):
    """Beside rows of strangers people in several releases are not counted exactly; without any they are."""
    names = [("Ann", "20"), ("Bob", "21"), ("Cid", "22")]
    values = ["flu", "gas", "ulc"] + ["flu"] * strangers
    table = [Row(None, "1", value, ("20-29",)) for value in values]
    register = [Registered(name, release, (age,)) for release in range(2) for name, age in names]
    series = TinySeries([table, table], register=register, quasi_identifiers=("Age",), keyed=False)
    with written(series) as folder:
        _, result = read_audit(folder, "--adversary", "register", "--policy", "max_risk=0.9", "--policy", "k=1")
    assert max_risk(result)["state"] == state


LIMITS = {"max_risk": ["0.4", "1"], "min_e": ["1", "3"], "k": ["1", "2", "50"]}
ATTACKS = ["intersection", "update-graph", "equivalence", "joint"]
STATED = {"holds", "violated", "undecided"}


@st.composite
def questions(draw):
    """A series, its adversary, and what is asked of it."""
    adversary = draw(st.sampled_from(["linked", "register"]))
    drawn = register_series if adversary == "register" else linked_series
    series = draw(drawn(changing=draw(st.booleans()), known=draw(st.booleans())))
    asked = draw(st.dictionaries(st.sampled_from(sorted(LIMITS)), st.none(), max_size=3))
    policy = [f"{name}={draw(st.sampled_from(LIMITS[name]))}" for name in asked]
    attacks = draw(st.lists(st.sampled_from(ATTACKS), unique=True, max_size=2))
    return series, adversary, policy, attacks


@given(questions())
def test_clauses_and_adversaries(question):
    series, adversary, policy, attacks = question
    words = [word for clause in policy for word in ("--policy", clause)]
    words += [word for name in attacks for word in ("--attack", name)]
    with written(series) as folder:
        code, result, err = run_audit(folder, "--adversary", adversary, *words)
    if result is None:
        assert (code, bool(attacks)) == (2, True), err
        return
    decided = result["policy"]
    ended = {each["clause"]: each for each in decided["clauses"]}
    default = {name for name, clause in CLAUSES.items() if clause.default is not None}
    assert set(ended) == default - {"closeness"}  # there are no numbers
    ran = {entry["attack"] for entry in result["attacks"] if entry["status"] != "skipped"}
    for name, clause in ended.items():
        state = clause["state"]
        if name in {each.split("=")[0] for each in policy}:
            assert state in STATED, clause
        if state == "not asked":
            assert attacks
        if state == "not judged":
            assert not attacks
        judges = [entry for entry in result["attacks"] if entry["status"] != "skipped"]
        if state == "holds" and name == "min_e":
            assert "equivalence" in {entry["attack"] for entry in judges}
        if state == "holds" and name == "max_risk":
            assert set(ATTACKS) & {entry["attack"] for entry in judges}
        assert (state == "violated") == any(each["measure"] == name for each in decided["violations"])
        linear = state == "holds" and name == "min_e" and clause["limit"] > 1 and "joint" not in ran
        said = linear or above(clause) or by_rows(clause, result["panel"], policy)
        assert (clause["reason"] is None) == (state in {"holds", "violated"} and not said)
        if linear or above(clause):
            assert clause["reason"] == "by linear reasoning"
    bad = any(each["state"] in {"violated", "undecided"} for each in ended.values())
    assert decided["passed"] == (code == 0) == (not bad and not any(result["contradictions"].values()))


def by_rows(clause, panel, policy):
    """Whether a default k holds only because counterfeits, or several rows of a person, count as rows."""
    people = min((each["k_people"] for each in panel if each["k_people"] is not None), default=0)
    states = any(each.startswith("k=") for each in policy)
    return clause["clause"] == "k" and clause["state"] == "holds" and not states and 0 < people < clause["limit"]


def above(clause):
    """Whether more than pairs are in question, of which worlds are not asked."""
    return clause["state"] == "holds" and clause["clause"] == "min_e" and clause["limit"] > 2


FOUR = [Row("A", "1", "flu"), Row("B", "1", "gout"), Row("C", "2", "flu"), Row("D", "2", "cold")]


def staying(weights=()):
    """The four, published twice, with transitions that say that nothing changes, each with a weight."""
    pairs = {(value, value): None for value in ("flu", "gout", "cold")}
    return TinySeries([FOUR, FOUR], pairs | dict(weights))


def test_transitions_that_say_that_nothing_changes_are_none():
    with written(staying()) as with_file, written(TinySeries([FOUR, FOUR])) as without:
        (code, one, _), (other_code, other, _) = (run_audit(each, "--reveal") for each in (with_file, without))
    assert code == other_code
    assert one["adversary"]["transitions"] is False
    for mine, others in zip(one["attacks"], other["attacks"], strict=True):
        assert {**mine, "seconds": 0, "findings": 0} == {**others, "seconds": 0, "findings": 0}
    assert [clause["state"] for clause in one["policy"]["clauses"]] == ["holds"] * 3


def covered():
    """The same behind boxes, with a register."""
    from tests.helpers.tiny import Registered

    rows = [Row(row.individual, row.group, row.value, ("[20, 29]",)) for row in FOUR]
    return TinySeries([rows], None, (), [Registered(name, 0, ("21",)) for name in "ABCD"], ("Age",))


@pytest.mark.parametrize(
    ("series", "adversary", "words"),
    [
        (covered(), "register", ["--policy", "min_e=3"]),
        (TinySeries([[Row(None, "1", "flu"), Row("~c", "1", "gout")]]), "linked", []),
    ],
    ids=["min_e under register", "counterfeits alone"],
)
def test_what_nobody_judged_does_not_pass(series, adversary, words):
    with written(series) as folder:
        code, result, err = run_audit(folder, "--adversary", adversary, *words)
        assert code == 3, err
        assert result["policy"]["undecided"]
        assert "UNDECIDED" in run_main(str(folder), "--adversary", adversary, *words)[1]
