"""Categories of similar values, compared with all worlds enumerated: certain, or the sum of their values."""

import random
from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.helpers.amount import some
from tests.helpers.running import run_audit, written
from tests.helpers.strategies import people_series
from tests.oracle.per_person import known_values
from tests.oracle.test_linked_classes import drawn
from tests.oracle.test_linked_classes import written as linked_classes
from tests.oracle.worlds import few, histories, worlds
from tests.properties.test_closeness import every_class

NAMES = ["x", "y", "z"]


def declare(folder, of, column, limit, least=1):
    """Write the categories of all values beside the series, and ask of them."""
    lines = [f"{value},{name}" for value, names in sorted(of.items()) for name in sorted(names)]
    (folder / "chapters.csv").write_text("\n".join(["value,category", *lines, ""]))
    manifest = folder / "series.toml"
    text = manifest.read_text().replace("[columns]", f'[columns]\nsimilar = {{ {column} = "chapters.csv" }}')
    manifest.write_text(f"{text}\n[policy]\nmax_risk = {limit}\nmin_e = {least}\n")


def clause(result):
    return next(each for each in result["policy"]["clauses"] if each["clause"] == "max_risk")


def found(result, attack):
    entries = [entry for entry in result["attacks"] if entry["attack"] == attack]
    return [one for entry in entries for one in entry["findings"] if one["kind"] == "similar"]


def violates(result):
    return any(each.get("kind") == "similar" for each in result["policy"]["violations"])


def expected(series, adversary, of, limit):
    """By version and category, how probable it is: what no value alone says."""
    answer, every = {}, worlds(series, adversary)
    for (person, release), weights in every.weights.items():
        if person.startswith("~") or person in known_values(series, release, adversary) or len(weights) == 1:
            continue
        share, truth = every.posterior(person, release), series.truth(person, release)
        for name in NAMES:
            of_it = [value for value in weights if name in of[value]]
            risk = sum(share[value] for value in of_it)
            if len(of_it) == len(weights):
                answer[person, release, name] = Fraction(1)
            elif limit < 1 and risk >= limit and len(of_it) > 1 and (truth is None or truth in of_it):
                answer[person, release, name] = risk
    return answer


@pytest.mark.parametrize("adversary", ["linked", "register"])
@pytest.mark.parametrize("changing", [False, True])
@settings(max_examples=some(60))
@given(data=st.data())
def test_all_worlds(adversary, changing, data):
    """The people whose category is known agree with the worlds; without any, it holds unless a value is known."""
    series = data.draw(people_series(adversary, changing=changing))
    assume(few(series, adversary, 1_000) and len(series.values) > 1)
    limit = data.draw(st.sampled_from([Fraction(1), Fraction(3, 5)]))
    texts = sorted({*series.values, *(each for pair in series.transitions or () for each in pair)})
    of = {value: data.draw(st.sets(st.sampled_from(NAMES), min_size=1)) for value in texts}
    with written(series) as folder:
        declare(folder, of, "Value", float(limit))
        _, result, err = run_audit(
            folder, "--adversary", adversary, "--attack", "joint", "--findings", "all", "--reveal"
        )
    assert result is not None, err
    if result["contradictions"]["changed"]:
        return
    answer = expected(series, adversary, of, limit)
    if series.transitions is None:
        last = {person: max(j for who, j, _ in answer if who == person) for person, _, _ in answer}
        answer = {key: risk for key, risk in answer.items() if last[key[0]] == key[1]}
    told = {
        (one["individual"], int(one["release"]) - 1, one["category"]): one["risk"] for one in found(result, "joint")
    }
    assert {key for key, risk in told.items() if risk == 1} == {key for key, risk in answer.items() if risk == 1}
    for key, risk in told.items():
        assert risk == pytest.approx(float(answer[key]), abs=1e-5)
    assert violates(result) == bool(told)
    doubts = [each["reason"] for each in result["policy"]["undecided"] if each["measure"] == "max_risk"]
    if doubts:  # beside what is violated, too: shares of worlds are not always counted
        [entry] = result["attacks"]
        assert (
            entry["status"] != "complete"
            or limit < 1
            or "no person could be judged" in doubts[0]
            or "look like totals" in doubts[0]
        )
        return
    assert told.keys() == answer.keys()
    assert not answer or clause(result)["state"] == "violated"


def flagged(values, of, limit):
    """Which categories rows with these values give away, that no value of them alone does."""
    for name in NAMES:
        count = [values.count(value) for value in of if name in of[value]]
        many = sum(count) == len(values) or (limit < 1 and sum(count) >= limit * len(values))
        if many and sum(count) > max(count, default=0):
            yield name, len(values), sum(count)


@pytest.mark.parametrize("changing", [False, True])
@pytest.mark.parametrize("limit", ["1", "0.4"])
@pytest.mark.parametrize("seed", range(some(20)))
def test_classes_of_rows_and_of_records(tmp_path, seed, changing, limit):
    """In each release, and for records that look alike over several: found if a class discloses a category."""
    rng = random.Random(seed)  # noqa: S311 - draws tests, no secrets
    _, letters = drawn(rng, changing=changing)
    always = {record: rng.random() < 0.3 for rows in letters for record in rows}
    releases = [
        {record: (cell, "c" if always[record] else value) for record, (cell, value) in rows.items()} for rows in letters
    ]
    of = {value: set(rng.sample(NAMES, rng.choice([1, 1, 2]))) for value in "abc"}
    listed = {record for record in always if rng.random() < 0.5} if seed % 2 else None
    folder = linked_classes(tmp_path, releases, changing=changing, listed=listed)
    declare(folder, of, "d", limit)
    judged = set(always) - (listed or set())
    adversary = "pseudonym" if listed is None else "linked"
    _, result, err = run_audit(folder, "--adversary", adversary, "--attack", "homogeneity", "--findings", "all")
    if not judged or result is None:
        assert result is None, result
        assert not judged or "does not apply" in err
        return
    classes = [
        [value for _, value in members]
        for members in every_class(releases, changing=changing)
        if judged & {record for record, _ in members}
    ]
    bad = {each for values in classes for each in flagged(values, of, Fraction(limit))}
    told = {(one["category"], one["rows"], round(one["risk"] * one["rows"])) for one in found(result, "homogeneity")}
    assert told <= bad
    assert {name for name, _, _ in told} == {name for name, _, _ in bad}
    assert violates(result) == bool(bad)
    if not bad and clause(result)["state"] == "holds":
        assert listed is None  # of people who are known beside these rows joint was not asked


def always_alike(series, of):
    """The pairs of people, counterfeits included, who have a category in common in every world, known values apart."""
    pairs, known = None, {who for at in range(len(series.releases)) for who in known_values(series, at, "linked")}
    for versions, _ in histories(series, "linked"):
        value = {name: value for (name, _), value in versions if name not in known}
        alike = {pair for pair in combinations(sorted(value), 2) if of[value[pair[0]]] & of[value[pair[1]]]}
        pairs = alike if pairs is None else pairs & alike
    return pairs or set()


@settings(max_examples=some(60))
@given(data=st.data())
def test_two_people_of_one_category_in_all_worlds(data):
    """Where min_e holds there are none, where it is violated there are; where values are categories it is decided."""
    series = data.draw(people_series("linked", changing=False))
    assume(few(series, "linked", 1_000) and len(series.values) > 1)
    alone = data.draw(st.booleans())
    of = {
        value: {value} if alone else data.draw(st.sets(st.sampled_from(NAMES), min_size=1)) for value in series.values
    }
    with written(series) as folder:
        declare(folder, of, "Value", 1, least=2)
        _, result, err = run_audit(folder, "--adversary", "linked")
        manifest = folder / "series.toml"
        manifest.write_text(manifest.read_text().replace('similar = { Value = "chapters.csv" }', ""))
        plain = run_audit(folder, "--adversary", "linked")[1]
    assert result is not None, err
    states = [
        next((each["state"] for each in one["policy"]["clauses"] if each["clause"] == "min_e"), None)
        for one in (result, plain)
    ]
    assume(not result["contradictions"]["changed"])
    pairs = always_alike(series, of)
    assert not (states[0] == "holds" and pairs), pairs
    names = {row.individual for release in series.releases for row in release}
    assert states[0] != "violated" or pairs or None in names  # worlds do not say what a counterfeit without name has
    if alone and states[1] == "holds" and names == {*series.people("linked")}:
        assert states[0] == "holds"  # beside a counterfeit of the same value, which is no person, it is undecided
