"""Waivers of people, groups and patterns of ids; findings of risks below certainty."""

import json
import re

import pytest

from tests.cli.forms import EXAMPLES, FORMS, append
from tests.helpers.running import refused, run_main, written
from tests.helpers.tiny import Row, TinySeries


@pytest.fixture
def hospital(tmp_path):
    FORMS["hospital-l-diverse"](tmp_path / "s")
    (tmp_path / "s" / "private").mkdir()
    return tmp_path / "s"


def audited(folder, *words):
    words = ("--findings", "all", *(["--policy", "min_e=1"] if folder.name == "s" else []), *words)
    code, out, err = run_main(str(folder), "--format", "json", *words)
    assert out, err
    return code, json.loads(out)


def found(result, *attacks):
    return {
        one["individual"]
        for entry in result["attacks"]
        for one in entry["findings"]
        if "individual" in one and (not attacks or entry["attack"] in attacks)
    }


def unsized(folder, **fields):
    lines = "".join(f'{name} = "{value}"\n' for name, value in fields.items())
    append(folder / "series.toml", f'\n[[waiver]]\n{lines}reason = "asked"\nexpires = 2999-01-01\n')


def clauses_ended(audit, *names):
    return {each["state"] for each in audit[1]["policy"]["clauses"] if each["clause"] in names}


def lines_to_add(result):
    reasons = [each["reason"] for each in result["policy"]["undecided"]]
    return {found[1] for each in reasons if (found := re.search("; add (size = .*) to it", each))}


def waive(folder, *words, **fields):
    """Write a waiver, and then the line that the report prints for it."""
    unsized(folder, **fields)
    for line in lines_to_add(audited(folder, "--stable-ids", *words)[1]):
        append(folder / "series.toml", f"{line}\n")


def states(result):
    return [each["state"] for each in result["policy"]["waived"]]


def test_a_person_is_one_waiver(hospital):
    _, before = audited(hospital, "--reveal")
    assert found(before) == {"Bob", "David", "Alice", "Andy"}
    waive(hospital, individual="Bob")
    code, result = audited(hospital, "--reveal")
    assert (code, found(result), states(result)) == (1, {"David", "Alice", "Andy"}, ["applied"])
    for name in ("David", "Alice", "Andy"):
        waive(hospital, individual=name)
    code, result = audited(hospital, "--reveal")
    assert (code, found(result), result["policy"]["violations"]) == (0, set(), [])
    shown = json.dumps(audited(hospital)[1]["policy"]["waived"])
    assert "Bob" not in shown


def test_what_is_found_of_two_takes_the_consent_of_both(hospital):
    def pairs():
        entries = audited(hospital, "--reveal", "--attack", "equivalence")[1]["attacks"]
        found = [one for entry in entries for one in entry["findings"] if one["e"] == 1]
        return {frozenset([*one["left"], *one["right"]]) for one in found}

    before, pair = pairs(), frozenset(["Paul", "Ray"])
    assert pair in before
    waive(hospital, individual="Paul")
    assert pairs() == before
    waive(hospital, individual="Ray")
    assert pairs() == before - {pair}


def test_a_group_of_a_release(hospital):
    waive(hospital, group="1", release="2")
    code, result = audited(hospital, "--reveal")
    assert states(result) == ["applied"]
    assert code == 1
    assert "Bob" not in found(result)


def test_the_smallest_class_of_a_release_is_waived(tmp_path):
    rows = [Row(name, "1", value, (age,)) for name, value, age in zip("ABCD", "abcd", "2223", strict=True)]
    with written(TinySeries([rows], quasi_identifiers=("Age",))) as folder:
        (folder / "private").mkdir(exist_ok=True)
        assert run_main(str(folder))[0] == 1
        unsized(folder, group="*", release="1")
        assert lines_to_add(audited(folder)[1]) == set()
        assert "undecided" not in clauses_ended(audited(folder, "--policy", "k=1"), "k")
        code, result = audited(folder, "--stable-ids")
        undecided = {each["measure"] for each in result["policy"]["undecided"]}
        assert (code, undecided, states(result)) == (3, {"k", "max_risk", "min_e"}, ["unsized"])
        [line] = lines_to_add(result)
        for size, broken in (("smallest = 1", []), ("smallest = 2", ["k"])):
            text = (folder / "series.toml").read_text()
            append(folder / "series.toml", f"{line.replace('smallest = 1', size)}\n")
            done, result = audited(folder)
            assert (done, [each["measure"] for each in result["policy"]["violations"]]) == (len(broken), broken)
            (folder / "series.toml").write_text(text)


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ('finding = "x"\nreason = "r"\nexpires = "2999-01-01"\n', "this is not a date"),
        ('finding = "x"\nreason = "r"\nexpires = 2030\n', "this is not a date"),
        ('finding = "x"\nreason = "r"\n', "no date of expiry"),
        ('finding = "x"\nindividual = "y"\nreason = "r"\nexpires = 2999-01-01\n', "what it is about"),
        ('group = "1"\nreason = "r"\nexpires = 2999-01-01\n', "what it is about"),
        ('individual = "1"\nexpires = 2999-01-01\n', "lacks its reason"),
    ],
)
def test_wrong_waivers(lines, said, hospital):
    append(hospital / "series.toml", f"\n[[waiver]]\n{lines}")
    assert said in refused(str(hospital))


# -- risks below certainty --------------------------------------------------------------------------------

SKEWED = EXAMPLES / "distinct-star-skewed"


def test_risks_at_the_limit_are_findings():
    code, result = audited(SKEWED, "--policy", "max_risk=0.9", "--reveal")
    assert code == 1
    # Shares of worlds alone are findings; those of update-graph are estimates.
    [entry] = [each for each in result["attacks"] if any(one["kind"] == "risk" for one in each["findings"])]
    assert entry["attack"] == "joint"
    risks = [one for one in entry["findings"] if one["kind"] == "risk"]
    assert risks
    assert entry["findings_total"] == len(entry["findings"])
    assert all(0.9 <= one["risk"] < 1 and one["evidence"] == "solver" for one in risks)
    assert [one["risk"] for one in risks] == sorted((one["risk"] for one in risks), reverse=True)
    assert entry["measures"]["at_limit"] == len({one["individual"] for one in entry["findings"]})
    assert entry["measures"]["at_limit"] <= entry["measures"]["above_0.5"]
    text = run_main(str(SKEWED), "--policy", "max_risk=0.9")[1]
    assert "is known with 91 %" in text


def test_what_is_likely_is_not_told_to_everybody():
    """Which of a group's values is true would be more than the releases tell."""
    _, result = audited(SKEWED, "--policy", "max_risk=0.5")
    risks = [one for entry in result["attacks"] for one in entry["findings"] if one["kind"] == "risk"]
    assert risks
    assert all(one["value"] is None and one["certificate"] == [] for one in risks)


@pytest.mark.parametrize(("more", "state"), [(-0.01, "exceeded"), (0, "applied"), (0.01, "applied")])
def test_a_risk_is_waived_as_far_as_it_was_known(more, state, tmp_path):
    FORMS["distinct-star-skewed"](tmp_path / "skewed")
    (tmp_path / "skewed/private").mkdir(exist_ok=True)
    _, result = audited(tmp_path / "skewed", "--policy", "max_risk=0.9", "--stable-ids")
    risks = {one["id"]: one.get("risk", 1) for entry in result["attacks"] for one in entry["findings"]}
    assert any(risk < 1 for risk in risks.values())
    for ident, risk in risks.items():
        entry = f'[[waiver]]\nfinding = "{ident}"\nreason = "asked"\nexpires = 2999-01-01\n'
        append(tmp_path / "skewed/series.toml", f"\n{entry}size = {risk + more if risk < 1 else 1}\n")
    code, result = audited(tmp_path / "skewed", "--policy", "max_risk=0.9")
    clauses = {each["clause"]: each["state"] for each in result["policy"]["clauses"]}
    assert (code, clauses["max_risk"]) == ((1, "violated") if more < 0 else (0, "holds"))
    assert state in states(result)


@pytest.mark.parametrize("key", ["individual", "finding"])
def test_a_waiver_without_a_size_leaves_its_clauses_undecided(key, tmp_path):
    """Ann's value is certain; nobody accepts it as far as that, and nothing else is wrong."""
    rows = [Row(who, "12"[who != "Ann"], value) for who, value in zip(["Ann", *"BC"], "aab", strict=True)]
    TinySeries([rows]).write(tmp_path)
    (tmp_path / "private").mkdir(exist_ok=True)
    words = ("--attack", "intersection")
    unsized(tmp_path, **{key: "Ann" if key == "individual" else "intersection-*"})
    said = " ".join(run_main(str(tmp_path), *words)[1].split())
    assert ("audit the series with --stable-ids" in said) == (key == "individual")
    assert ("UNDECIDED: what was found is waived, but not how much of it" in said) == (key == "individual")
    assert "nothing was found" not in said
    code, result = audited(tmp_path, *words, "--stable-ids")
    assert (code, states(result), len(found(result))) == (3, ["unsized"], 1)
    assert [each["clause"] for each in result["policy"]["clauses"] if each["state"] == "undecided"] == ["max_risk"]
    [line] = lines_to_add(result)
    append(tmp_path / "series.toml", f"{line}\n")
    code, result = audited(tmp_path, *words)
    assert (code, states(result)) == (0, ["applied"])


def ever(folder, individuals=""):
    """A series of four people, two of whom had HIV at some time with 1/2; some of them accept it."""
    after = dict.fromkeys([("hiv", "hiv"), ("flu", "cold"), ("flu", "hiv"), ("flu", "flu"), ("cold", "cold")])
    first, then = ["hiv", "flu", "cold", "flu"], ["hiv", "cold", "cold", "flu"]
    releases = [[Row(*row) for row in zip("abcd", "1122", values, strict=True)] for values in (first, then)]
    TinySeries(releases, transitions=after).write(folder)
    (folder / "private").mkdir(exist_ok=True)
    append(folder / "series.toml", '\n[policy]\nmax_ever_risk = 0.4\ngrave = ["hiv"]\n')
    for each in individuals:
        waive(folder, individual=each)
    return folder


def ended(result):
    return {each["clause"]: each["state"] for each in result["policy"]["clauses"]}["max_ever_risk"]


def test_who_is_likely_to_have_had_a_grave_value_is_a_finding(tmp_path):
    """It is named, and waived person by person: that one of two accepts it is not enough."""
    code, result = audited(ever(tmp_path / "all"), "--reveal")
    told = [each for entry in result["attacks"] for each in entry["findings"]]
    assert (code, ended(result)) == (1, "violated")
    assert {(each["kind"], each["individual"], each["risk"]) for each in told} == {("ever", who, 0.5) for who in "ab"}
    assert {each["individual"] for each in result["people"]} == {"a", "b"}
    for who in "ab":
        unsized(tmp_path / "all", individual=who)
    code, result = audited(tmp_path / "all", "--stable-ids")
    assert (code, {each["measure"] for each in result["policy"]["undecided"]}) == (3, {"max_ever_risk"})
    code, result = audited(ever(tmp_path / "one", "a"), "--reveal")
    assert (code, ended(result), found(result)) == (1, "violated", {"b"})
    code, result = audited(ever(tmp_path / "both", "ab"))
    assert (code, ended(result), states(result)) == (0, "holds", ["applied", "applied"])


@pytest.mark.parametrize("named", [True, False])
def test_a_grave_value_of_a_baseline_is_not_new(named, tmp_path):
    """What the earlier report did not name, as its limit was higher, is new."""
    folder, base = ever(tmp_path / "some"), tmp_path / "base.json"
    words = ("--policy", f"max_ever_risk={0.4 if named else 0.9}", "--stable-ids", "--findings", "all")
    assert run_main(str(folder), "--format", "json", *words, "--output", str(base))[0] == named
    code, result = audited(folder, "--baseline", str(base), "--policy", "max_ever_risk=0.4")
    assert (code, ended(result)) == ((0, "holds") if named else (1, "violated"))
