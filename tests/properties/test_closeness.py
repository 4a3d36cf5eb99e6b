"""Close numbers, compared with all worlds enumerated; the verdict of the clause, and what is accepted."""

import random
from dataclasses import replace
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.helpers.amount import some
from tests.helpers.running import run_audit, written
from tests.helpers.strategies import people_series
from tests.oracle.per_person import known_values
from tests.oracle.test_linked_classes import CELLS, drawn
from tests.oracle.test_linked_classes import written as linked_classes
from tests.oracle.worlds import few, worlds

NUMBERS = ["100", "105", "110.5", "111", "-100", "0", "300", "310", "unknown"]
SHARES = {"0.1": Fraction(1, 10), "0": Fraction(0), "0.05": Fraction(1, 20), "0.9": Fraction(9, 10)}


def number(text):
    return None if text == "unknown" else Fraction(text)


def close(one, other, share, width):
    """Whether two values are close: the definition, which knows nothing of ranks and windows."""
    a, b = number(one), number(other)
    if a is None or b is None:
        return False
    return abs(a - b) <= (share * max(abs(a), abs(b)) if width is None else width)


def with_numbers(series, texts):
    """The series with a number in the place of each value."""
    steps = series.transitions
    of = dict(zip(sorted({*series.values, *(each for pair in steps or () for each in pair)}), texts, strict=False))
    steps = None if steps is None else {(of[a], of[b]): p for (a, b), p in steps.items()}
    return replace(
        series,
        releases=[[replace(row, value=of[row.value]) for row in release] for release in series.releases],
        transitions=steps,
        known=[replace(each, value=of[each.value]) for each in series.known],
    )


@st.composite
def questions(draw, drawn):
    series = draw(drawn)
    share = draw(st.sampled_from(sorted(SHARES)))
    width = draw(st.sampled_from([None, None, "5", "0.5"]))
    texts = draw(st.lists(st.sampled_from(NUMBERS), min_size=9, max_size=9, unique=True))
    return with_numbers(series, texts), share, width, draw(st.sampled_from(["1", "1", "0.6"]))


def declare(folder, share="0.1", width=None, types="numeric", more=""):
    manifest = folder / "series.toml"
    text = manifest.read_text()
    if types is not None:
        text = text.replace("[columns]", f'[columns]\ntypes = {{ Value = "{types}" }}')
    closeness = share if width is None else f'{{ Value = "{width}" }}'
    manifest.write_text(f"{text}\n[policy]\ncloseness = {closeness}\n{more}")


def state(result, name="closeness"):
    return next((each["state"] for each in result["policy"]["clauses"] if each["clause"] == name), None)


def found(result, attack):
    return [
        one
        for each in result["attacks"]
        if each["attack"] == attack
        for one in each["findings"]
        if one["kind"] == "close"
    ]


def expected(series, adversary, share, width, limit):
    """By version, how probable a number near the truth is: 1 where all are close; only where no value alone says it."""
    answer, every = {}, worlds(series, adversary)
    near = {pair: close(*pair, share, width) for pair in product(series.values, repeat=2)}
    for (person, release), weights in every.weights.items():
        if person.startswith("~") or person in known_values(series, release, adversary) or len(weights) == 1:
            continue
        if all(near[pair] for pair in product(weights, repeat=2)):
            answer[person, release] = Fraction(1)
            continue
        truth = series.truth(person, release)
        share_of = every.posterior(person, release)
        likely = [
            sum(p for value, p in share_of.items() if near[center, value])
            for center in ([truth] if truth is not None else share_of)
            if number(center) is not None
            and sum(p for value, p in share_of.items() if near[center, value]) > share_of[center]
        ]
        if float(limit) < 1 and likely and max(likely) >= Fraction(limit):
            answer[person, release] = min(max(likely), Fraction(999999, 1000000))
    return answer


@pytest.mark.parametrize("adversary", ["linked", "register"])
@pytest.mark.parametrize("changing", [False, True])
@settings(max_examples=some(60))
@given(data=st.data())
def test_all_worlds(adversary, changing, data):
    """The people whose number is nearly known agree with the worlds; the clause holds only if there are none."""
    series, share, width, limit = data.draw(questions(people_series(adversary, changing=changing)))
    assume(few(series, adversary, 1_000) and len(series.values) > 1)
    with written(series) as folder:
        declare(folder, share, width, more=f"max_risk = {limit}\nmin_e = 1\n")
        _, result, err = run_audit(
            folder, "--adversary", adversary, "--attack", "joint", "--findings", "all", "--reveal"
        )
    assert result is not None, err
    if result["contradictions"]["changed"] or state(result) is None:
        return
    answer = expected(series, adversary, SHARES[share], None if width is None else Fraction(width), limit)
    if series.transitions is None:
        last = {person: max(j for who, j in answer if who == person) for person, _ in answer}
        answer = {(person, j): risk for (person, j), risk in answer.items() if last[person] == j}
    told = {(each["individual"], int(each["release"]) - 1): each["risk"] for each in found(result, "joint")}
    assert {each for each, risk in told.items() if risk == 1} == {each for each, risk in answer.items() if risk == 1}
    if any(each["measure"] == "closeness" for each in result["policy"]["undecided"]):
        assert set(told) <= set(answer)
        [entry] = result["attacks"]
        assert entry["status"] != "complete" or float(limit) < 1 or "far from 0" in reason(result) or not_judged(result)
        return
    assert told == {version: pytest.approx(float(risk), abs=1e-5) for version, risk in answer.items()}
    assert state(result) == ("violated" if answer else "holds")


def reason(result):
    return next(each["reason"] or "" for each in result["policy"]["clauses"] if each["clause"] == "closeness")


def not_judged(result):
    return "no person could be judged" in reason(result)


def flagged(values, share, width, limit):
    """Whether rows with these values give a number away nearly that no value alone gives away."""
    near = {center: sum(close(center, each, share, width) for each in values) for center in values}
    whole = all(close(*pair, share, width) for pair in product(values, repeat=2)) and len(set(values)) > 1
    likely = any(count >= limit * len(values) and count > max(map(values.count, values)) for count in near.values())
    return whole or (limit < 1 and likely)


@pytest.mark.parametrize("changing", [False, True])
@pytest.mark.parametrize("limit", ["1", "0.7"])
@pytest.mark.parametrize("seed", range(some(20)))
def test_classes_of_rows_and_of_records(tmp_path, seed, changing, limit):
    """In each release, and for records that look alike over several: found if a class discloses close numbers."""
    rng = random.Random(seed)  # noqa: S311
    _, letters = drawn(rng, changing=changing)
    texts = dict(zip("ab", rng.sample(NUMBERS, 2), strict=True))
    third = rng.choice(NUMBERS)
    always = {record: rng.random() < 0.3 for rows in letters for record in rows}
    releases = [
        {record: (cell, third if always[record] else texts[value]) for record, (cell, value) in rows.items()}
        for rows in letters
    ]
    listed = {record for record in always if rng.random() < 0.5} if seed % 2 else None
    folder = linked_classes(tmp_path, releases, changing=changing, listed=listed)
    numeric = 'sensitive = "d"\ntypes = { d = "numeric" }'
    text = (folder / "series.toml").read_text().replace('sensitive = "d"', numeric)
    (folder / "series.toml").write_text(f'{text}\n[policy]\nmax_risk = {limit}\ncloseness = {{ d = "6" }}\n')
    judged = set(always) - (listed or set())
    adversary = "pseudonym" if listed is None else "linked"
    _, result, err = run_audit(folder, "--adversary", adversary, "--attack", "homogeneity", "--findings", "all")
    if not judged:
        assert result is None, err
        return
    if result is None:
        assert "does not apply" in err
        return
    classes = [
        [value for _, value in members]
        for members in every_class(releases, changing=changing)
        if judged & {record for record, _ in members}
    ]
    told = found(result, "homogeneity")
    bad = [values for values in classes if flagged(values, Fraction(0), Fraction(6), Fraction(limit))]
    for each in told:
        inside = [number(each["lower"]), number(each["upper"])]
        counts = {
            sum(number(value) is not None and inside[0] <= number(value) <= inside[1] for value in values)
            for values in bad
            if len(values) == each["rows"]
        }
        assert any(each["risk"] == pytest.approx(count / each["rows"]) for count in counts), (each, bad)
    # Of people who are known beside these rows joint was not asked.
    assert state(result) == ("violated" if bad else "holds" if listed is None else "undecided"), reason(result)
    assert bool(told) == bool(bad)


def every_class(releases, *, changing):
    """The records, each with its value, of every class of a release, and of those that look alike so far."""
    known, always = {}, {}
    for after, rows in enumerate(releases):
        cells = {}
        for record, (cell, value) in rows.items():
            low, high = known.get(record, (0, 99))
            known[record] = max(low, CELLS[cell][0]), min(high, CELLS[cell][1])
            always[record] = value
            cells.setdefault(cell, []).append((record, value))
        yield from cells.values()
        for release in range(after + 1) if changing and after else [None] * bool(after):
            value_of = always if release is None else {r: value for r, (_, value) in releases[release].items()}
            alike = {}
            for record, value in value_of.items():
                alike.setdefault(known[record], []).append((record, value))
            yield from alike.values()
