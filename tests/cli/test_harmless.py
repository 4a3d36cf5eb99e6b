"""Harmless values: what is known of them violates nothing, and nothing else is hidden behind them."""

import json
import random

import pytest

from tests.cli.forms import EXAMPLES, example
from tests.helpers.amount import some
from tests.helpers.messy import as_csv, series_of, write
from tests.helpers.running import refused, run_audit

NONE = 'harmless = { Disease = ["none"] }'


def series(folder, releases, columns="", policy="", individual=True, more=(), adversary=""):
    """Releases of rows (who, age, disease); under `published` nobody is named."""
    tables = [[["Owner", "Age", "Disease", *more], *rows] for rows in releases]
    if not individual:
        tables = [[row[1:] for row in table] for table in tables]
    said = f'sensitive = {json.dumps(["Disease", *more])}\nquasi_identifiers = ["Age"]\n{columns}\n'
    said += 'individual = "Owner"' * individual
    return series_of(folder, tables, said, f"[policy]\n{policy}\n[adversary]\n{adversary}")


def ended(result):
    return {each["clause"]: each["state"] for each in result["policy"]["clauses"]}


def found(result):
    return [(attack["attack"], each) for attack in result["attacks"] for each in attack["findings"]]


def warned(result):
    return [each for each in result["warnings"] if each["kind"] == "harmless-value"]


HEALTHY = [["a", "20-29", "none"], ["b", "20-29", "none"]]
MIXED = [["c", "30-39", "flu"], ["d", "30-39", "gout"], ["e", "40-49", "cold"], ["f", "40-49", "asthma"]]
ILL = [["g", "50-59", "HIV"], ["h", "50-59", "HIV"]]


@pytest.mark.parametrize("individual", [True, False], ids=["linked", "published"])
def test_what_is_certain_of_a_harmless_value_violates_nothing(tmp_path, individual):
    rows = [[*HEALTHY, *MIXED]]
    code, result, _ = run_audit(series(tmp_path / "without", rows, individual=individual))
    assert code == 1
    assert ended(result)["max_risk"] == "violated"
    code, result, _ = run_audit(series(tmp_path / "with", rows, NONE, individual=individual))
    assert code == 0
    assert ended(result)["max_risk"] == "holds"
    assert ended(result)["min_e"] == ("holds" if individual else "not judged")
    assert found(result) == []
    [warning] = warned(result)
    assert warning["examples"] == ["Disease: none"]
    assert warning["text"].startswith(f"{6 if individual else 1} finding")


@pytest.mark.parametrize("individual", [True, False], ids=["linked", "published"])
def test_another_value_is_found_as_ever(tmp_path, individual):
    rows = [[*HEALTHY, *MIXED, *ILL]]
    code, result, _ = run_audit(series(tmp_path, rows, NONE, individual=individual), "--findings", "all")
    assert code == 1
    assert ended(result)["max_risk"] == "violated"
    assert {each["value"] for _, each in found(result) if "value" in each} == {"HIV"}
    if individual:
        assert ended(result)["min_e"] == "violated"


# -- below certainty ----------------------------------------------------------------------------------------------

LIKELY = [["a", "20-29", "none"], ["b", "20-29", "none"], ["c", "20-29", "flu"], ["d", "20-29", "gout"]]
OTHERS = [
    [who, "30-39", value]
    for who, value in zip("efghij", ["cold", "asthma", "gout", "flu", "mumps", "acne"], strict=True)
]


def test_a_likely_harmless_value_violates_nothing(tmp_path):
    rows, policy = [[*LIKELY, *OTHERS]], "max_risk = 0.5"
    code, result, _ = run_audit(series(tmp_path / "without", rows, policy=policy))
    assert (code, ended(result)["max_risk"]) == (1, "violated")
    code, result, _ = run_audit(series(tmp_path / "with", rows, NONE, policy))
    assert (code, ended(result)["max_risk"]) == (0, "holds")
    assert found(result) == []
    code, result, _ = run_audit(series(tmp_path / "stricter", rows, NONE, "max_risk = 0.25"))
    assert (code, ended(result)["max_risk"]) == (1, "violated")  # of flu and gout


def test_a_combination_is_as_likely_as_it_was(tmp_path):
    """Of two people without a disease it is as likely as not which income is whose: that is no harmless value."""
    rows = [["a", "20-29", "none", "low"], ["b", "20-29", "none", "high"]]
    rows += [[*row, f"{place} thousand"] for place, row in enumerate(OTHERS)]
    code, result, _ = run_audit(series(tmp_path / "1", [rows], NONE, "max_risk = 0.5", more=["Income"]))
    assert (code, ended(result)["max_risk"]) == (3, "undecided")
    both = 'harmless = { Disease = ["none"], Income = ["low", "high"] }'
    code, result, _ = run_audit(series(tmp_path / "2", [rows], both, "max_risk = 0.5", more=["Income"]))
    assert (code, ended(result)["max_risk"]) == (0, "holds")


def test_whose_likeliest_value_is_not_known_decides_nothing(tmp_path):
    rows, policy = [[*LIKELY, *OTHERS]], "max_risk = 0.5"
    people = [["individual", "Age", "release"]]
    people += [[who, "25" if age == "20-29" else "35", "1"] for who, age, _ in rows[0]]
    for name, columns, code in (("without", "", 1), ("with", NONE, 3)):
        folder = series(tmp_path / name, rows, columns, policy, individual=False)
        write(folder / "register.csv", as_csv(people))
        text = (folder / "series.toml").read_text()
        write(folder / "series.toml", text + 'register = "register.csv"\n')
        ends, result, _ = run_audit(folder)
        assert ends == code, result["policy"]
    [reason] = [each["reason"] for each in result["policy"]["clauses"] if each["clause"] == "max_risk"]
    assert "some value reaches the limit, and it is not known whether it is a harmless one" in reason


def test_a_share_behind_the_harmless_one_is_not_passed_over(tmp_path):
    """Half of the class has no disease, the other half HIV: the first is harmless, the second is not."""
    rows = [["", "20-29", "none"], ["", "20-29", "none"], ["", "20-29", "HIV"], ["", "20-29", "HIV"]]
    policy = "max_risk = 0.5"
    code, result, _ = run_audit(series(tmp_path / "half", [[*rows, *OTHERS]], NONE, policy, individual=False))
    assert (code, ended(result)["max_risk"]) == (3, "undecided")
    few = [*rows[:2], *LIKELY[:3], *OTHERS]
    code, result, _ = run_audit(series(tmp_path / "few", [few], NONE, policy, individual=False))
    assert (code, ended(result)["max_risk"]) == (0, "holds")


# -- laws ---------------------------------------------------------------------------------------------------------


KINDS = {
    "linked": {},
    "changing": {"adversary": 'transitions = "any"'},
    "published": {"individual": False},
}


def drawn(seed, *, change=False):
    """Draw rows of a few releases: small groups of people who stay, with few values, which may change."""
    draw = random.Random(seed)  # noqa: S311 - a test draws
    people = [f"p{n}" for n in range(draw.randint(4, 10))]

    def value(_who):
        return draw.choice(["none", "none", "flu", "HIV"])

    values, releases = {who: value(who) for who in people}, []
    for _ in range(draw.randint(1, 3)):
        there = [who for who in people if draw.random() < 0.9]
        releases.append([[who, f"{draw.randint(0, 2)}0-{draw.randint(3, 4)}9", values[who]] for who in there])
        values = {who: value(who) for who in people} if change else values
    return releases


@pytest.mark.parametrize("seed", range(some(25)))
@pytest.mark.parametrize("kind", KINDS)
def test_just_what_is_found_of_other_values_violates(kind, seed, tmp_path):
    """The clause on risks is violated where a finding is of another value, and nothing else is hidden or added."""
    rows, options = drawn(seed, change=kind == "changing"), ("--findings", "all", "--reveal")
    before = run_audit(series(tmp_path / "1", rows, **KINDS[kind]), *options)[1]
    after = run_audit(series(tmp_path / "2", rows, NONE, **KINDS[kind]), *options)[1]

    def certain(result):
        return {
            (attack, each.get("individual", each.get("group")), each["release"], each["value"])
            for attack, each in found(result)
            if each["kind"] in ("disclosure", "group")
        }

    left = {each for each in certain(before) if each[3] != "none"}
    assert certain(after) == left
    assert (ended(after)["max_risk"] == "violated") == bool(left)
    pairs = [each for _, each in found(before) if each["kind"] == "equivalence" and each["e"] == 1]
    equal = [{*each["left"], *each["right"]} for each in pairs]
    sure = {who for _, who, _, value in certain(before) if value == "none"}
    values = [value for _, value in {(who, value) for _, who, _, value in left}]
    alike = len(set(values)) < len(values) or any(not pair <= sure for pair in equal)
    assert (ended(after)["min_e"] == "violated") == (alike and kind == "linked")
    worse = {clause for clause, state in ended(after).items() if state == "violated" != ended(before)[clause]}
    assert worse == set()
    if not sure:
        assert ended(after) == ended(before)


@pytest.mark.parametrize("name", sorted(path.parent.name for path in EXAMPLES.glob("*/series.toml")))
def test_values_that_nobody_has_change_nothing(name, tmp_path):
    results = []
    for harmless in (False, True):
        folder = tmp_path / str(harmless) / name
        folder.parent.mkdir()
        example(name)(folder)
        text = (folder / "series.toml").read_text()
        if 'kind = "tables"' in text:
            pytest.skip("a series of count tables has no rows about people")
        column = (
            next(line for line in text.splitlines() if line.startswith("sensitive")).partition("=")[2].strip(' []"')
        )
        if harmless:
            line = f'[columns]\nharmless = {{ {column.split(chr(34))[0]} = ["a value that nobody has"] }}'
            write(folder / "series.toml", text.replace("[columns]", line))
        code, result, _ = run_audit(folder, "--reveal", "--findings", "all")
        results.append((code, result["policy"], [measured(each) for each in result["attacks"]]))
    assert results[0] == results[1]


def measured(attack):
    return {key: value for key, value in attack.items() if key not in ("seconds", "findings")} | {
        "findings": sorted(str({**each, "id": ""}) for each in attack["findings"])
    }


def test_a_grave_value_cannot_be_harmless(tmp_path):
    folder = series(tmp_path, [[*HEALTHY, *MIXED]], NONE, 'grave = ["none"]\nmax_ever_risk = 0.5')
    assert '"none" is harmless, by [columns]; take it from one of the two' in refused(str(folder))
