"""Every clause in force is judged, or said not to be: nothing that nobody looked at passes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.clauses.registry import CLAUSES
from tests.helpers.running import run_audit, run_main, written
from tests.helpers.strategies import linked_series, register_series
from tests.helpers.tiny import Row, TinySeries

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
        assert (clause["reason"] is None) == (state in {"holds", "violated"} and not (linear or above(clause)))
        if linear or above(clause):
            assert clause["reason"] == "by linear reasoning"
    bad = any(each["state"] in {"violated", "undecided"} for each in ended.values())
    assert decided["passed"] == (code == 0) == (not bad and not any(result["contradictions"].values()))


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


def test_a_value_that_no_line_allows_is_still_an_error():
    series = TinySeries([FOUR], {("flu", "flu"): None, ("gout", "gout"): None})
    with written(series) as folder:
        code, result, err = run_audit(folder)
    assert (code, result) == (2, None)
    assert "cold" in err


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


def test_the_manifest_states_a_clause():
    with written(covered()) as folder:
        (folder / "series.toml").write_text((folder / "series.toml").read_text() + "\n[policy]\nmin_e = 2\n")
        assert run_audit(folder, "--adversary", "register")[0] == 3
        code, result, _ = run_audit(folder, "--adversary", "register", "--attack", "intersection")
    assert (code, result["policy"]["not_asked"]) == (0, ["min_e", "k"])


def test_k_is_that_of_each_release_alone():
    """Without record ids too: of four rows three look alike."""
    ages = [*["20-29"] * 3, "30"]
    rows = [Row(name, "1", value, (age,)) for name, value, age in zip("ABCD", "abcd", ages, strict=True)]
    series = TinySeries([rows], quasi_identifiers=("Age",))
    with written(series) as folder:
        code, result, _ = run_audit(folder)
        assert (code, result["panel"][0]["k"], result["panel"][0]["alone"]) == (1, 1, 1)
        violation = {"attack": None, "measure": "k", "limit": 2, "value": 1, "release": "1"}
        assert violation in result["policy"]["violations"]
        for k in (2, 50):
            printed = " ".join(run_main(str(folder), "--k", str(k))[1].split())
            assert f"Violated: at least {k} rows must look alike; in release 1 alone some are unique (k)" in printed
