"""Close numbers and categories of similar values, compared with all worlds enumerated, and what is decided of them."""

import random
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations, product

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.helpers.amount import some
from tests.helpers.running import run_audit, written
from tests.helpers.strategies import people_series
from tests.oracle.per_person import known_values
from tests.oracle.test_linked_classes import CELLS, drawn
from tests.oracle.test_linked_classes import written as linked_classes
from tests.oracle.worlds import few, histories, worlds

NUMBERS = ["100", "105", "110.5", "111", "-100.5", "0", "300", "310", "none"]
SHARES = {"0.1": Fraction(1, 10), "0": Fraction(0), "0.05": Fraction(1, 20), "0.9": Fraction(9, 10)}
NAMES = ["x", "y", "z"]


# -- what is close, or of one category --------------------------------------------------------------------------------


def number(text):
    return None if text == "none" else Fraction(text)


@dataclass(frozen=True)
class Numbers:
    """Values as numbers; close are those that differ by a width, or by a share of the larger one."""

    share: str
    width: str | None
    kind = "close"
    measure = "closeness"

    def declare(self, folder, column, limit, least=1):
        closeness = self.share if self.width is None else f'{{ {column} = "{self.width}" }}'
        declare(
            folder,
            f'types = {{ {column} = "numeric" }}',
            f"max_risk = {limit}\nmin_e = {least}\ncloseness = {closeness}",
        )

    def close(self, one, other):
        """The definition, which knows nothing of ranks and windows."""
        a, b = number(one), number(other)
        if a is None or b is None:
            return False
        return abs(a - b) <= (SHARES[self.share] * max(abs(a), abs(b)) if self.width is None else Fraction(self.width))

    def risks(self, share_of, truth, limit):
        """How probable a number near the truth is: 1 where all are close; only where no value alone says it."""
        if all(self.close(*pair) for pair in product(share_of, repeat=2)):
            return {None: Fraction(1)}
        likely = []
        for center in [truth] if truth is not None else share_of:
            near = sum(p for value, p in share_of.items() if self.close(center, value))
            likely += [near] if number(center) is not None and near > share_of[center] else []
        enough = limit < 1 and likely and max(likely) >= limit
        return {None: min(max(likely), Fraction(999999, 1000000))} if enough else {}

    def flagged(self, values, limit):
        """The rows of a class, if they give a number away nearly that no value alone gives away, and which they are."""
        near = {center: sum(self.close(center, each) for each in values) for center in values}
        whole = all(self.close(*pair) for pair in product(values, repeat=2)) and len(set(values)) > 1
        likely = any(many >= limit * len(values) and many > max(map(values.count, values)) for many in near.values())
        return {tuple(values)} if whole or (limit < 1 and likely) else set()

    def is_so(self, finding, bad):
        ends = number(finding["lower"]), number(finding["upper"])
        counts = [
            sum(number(value) is not None and ends[0] <= number(value) <= ends[1] for value in values)
            for values in bad
            if len(values) == finding["rows"]
        ]
        return any(finding["risk"] == pytest.approx(count / finding["rows"]) for count in counts)


@dataclass(frozen=True)
class Categories:
    """The categories of each value."""

    of: dict
    kind = "similar"
    measure = "max_risk"

    def declare(self, folder, column, limit, least=1):
        lines = [f"{value},{name}" for value, names in sorted(self.of.items()) for name in sorted(names)]
        (folder / "chapters.csv").write_text("\n".join(["value,category", *lines, ""]))
        declare(folder, f'similar = {{ {column} = "chapters.csv" }}', f"max_risk = {limit}\nmin_e = {least}")

    def risks(self, share_of, truth, limit):
        found = {}
        for name in NAMES:
            of_it = [value for value in share_of if name in self.of[value]]
            risk = sum(share_of[value] for value in of_it)
            if len(of_it) == len(share_of):
                found[name] = Fraction(1)
            elif limit < 1 and risk >= limit and len(of_it) > 1 and (truth is None or truth in of_it):
                found[name] = risk
        return found

    def flagged(self, values, limit):
        """Which categories rows with these values give away, that no value of them alone does."""
        found = set()
        for name in NAMES:
            count = [values.count(value) for value in self.of if name in self.of[value]]
            many = sum(count) == len(values) or (limit < 1 and sum(count) >= limit * len(values))
            found |= {(name, len(values), sum(count))} if many and sum(count) > max(count, default=0) else set()
        return found

    def is_so(self, finding, bad):
        return (finding["category"], finding["rows"], round(finding["risk"] * finding["rows"])) in bad


def declare(folder, columns, policy):
    manifest = folder / "series.toml"
    text = manifest.read_text().replace("[columns]", f"[columns]\n{columns}")
    manifest.write_text(f"{text}\n[policy]\n{policy}\n")


# -- what is drawn ----------------------------------------------------------------------------------------------------


def values_of(series):
    return sorted({*series.values, *(each for pair in series.transitions or () for each in pair)})


def with_numbers(series, texts):
    """The series with a number in the place of each value."""
    of, steps = dict(zip(values_of(series), texts, strict=False)), series.transitions
    return replace(
        series,
        releases=[[replace(row, value=of[row.value]) for row in release] for release in series.releases],
        transitions=None if steps is None else {(of[a], of[b]): p for (a, b), p in steps.items()},
        known=[replace(each, value=of[each.value]) for each in series.known],
    )


@st.composite
def numbers(draw, series):
    series = draw(series)
    width = draw(st.sampled_from([None, None, "5", "0.5"]))
    texts = draw(st.lists(st.sampled_from(NUMBERS), min_size=9, max_size=9, unique=True))
    return with_numbers(series, texts), Numbers(draw(st.sampled_from(sorted(SHARES))), width)


@st.composite
def categories(draw, series):
    series = draw(series)
    return series, Categories({value: draw(st.sets(st.sampled_from(NAMES), min_size=1)) for value in values_of(series)})


KINDS = pytest.mark.parametrize("kind", [numbers, categories], ids=["numbers", "categories"])


# -- what is found ----------------------------------------------------------------------------------------------------


def found(result, attack, kind):
    entries = [entry for entry in result["attacks"] if entry["attack"] == attack]
    return [one for entry in entries for one in entry["findings"] if one["kind"] == kind]


def ended(result, clause):
    """The state of a clause, None where it is not judged, and its reason."""
    [each] = [each for each in result["policy"]["clauses"] if each["clause"] == clause] or [
        {"state": None, "reason": None}
    ]
    return each["state"], each["reason"] or ""


def violates(result, question):
    """Whether what is known nearly violates the policy."""
    if question.measure == "closeness":
        return ended(result, "closeness")[0] == "violated"
    return any(each.get("kind") == question.kind for each in result["policy"]["violations"])


def expected(series, adversary, question, limit):
    """By version and category, how probable it is: 1 where certain; only where no value alone says it."""
    answer, every = {}, worlds(series, adversary)
    for (person, release), weights in every.weights.items():
        if person.startswith("~") or person in known_values(series, release, adversary) or len(weights) == 1:
            continue
        risks = question.risks(every.posterior(person, release), series.truth(person, release), limit)
        answer |= {(person, release, name): risk for name, risk in risks.items()}
    if series.transitions is None:
        last = {person: max(j for who, j, _ in answer if who == person) for person, _, _ in answer}
        answer = {key: risk for key, risk in answer.items() if last[key[0]] == key[1]}
    return answer


@pytest.mark.many
@KINDS
@pytest.mark.parametrize("adversary", ["linked", "register"])
@pytest.mark.parametrize("changing", [False, True])
@settings(max_examples=some(60))
@given(data=st.data())
def test_all_worlds(kind, adversary, changing, data):
    """The people of whom a value is nearly known agree with the worlds; without any, it holds unless one is known."""
    series, question = data.draw(kind(people_series(adversary, changing=changing)))
    assume(few(series, adversary, 1_000) and len(series.values) > 1)
    limit = data.draw(st.sampled_from([Fraction(1), Fraction(1), Fraction(3, 5)]))
    words = ("--adversary", adversary, "--attack", "joint", "--findings", "all", "--reveal")
    with written(series) as folder:
        question.declare(folder, "Value", float(limit))
        _, result, err = run_audit(folder, *words)
    assert result is not None, err
    if result["contradictions"]["changed"] or ended(result, question.measure)[0] is None:
        return
    answer = expected(series, adversary, question, limit)
    told = {
        (one["individual"], int(one["release"]) - 1, one.get("category")): one["risk"]
        for one in found(result, "joint", question.kind)
    }
    assert {key for key, risk in told.items() if risk == 1} == {key for key, risk in answer.items() if risk == 1}
    for key, risk in told.items():
        assert risk == pytest.approx(float(answer[key]), abs=1e-5)
    assert question.measure == "closeness" or violates(result, question) == bool(told)
    reasons = [each["reason"] for each in result["policy"]["undecided"] if each["measure"] == question.measure]
    if reasons:  # beside what is violated, too: shares of worlds are not always counted
        [entry] = result["attacks"]
        known = ("no person could be judged", "look like totals", "far from 0", "no line of register.csv is about")
        assert entry["status"] != "complete" or limit < 1 or any(why in reasons[0] for why in known), reasons
        return
    assert told.keys() == answer.keys()
    assert violates(result, question) == bool(answer)


@pytest.mark.parametrize("changing", [False, True])
@pytest.mark.parametrize(("kind", "limit"), [("close", "1"), ("close", "0.7"), ("similar", "1"), ("similar", "0.4")])
@pytest.mark.parametrize("seed", range(some(20)))
def test_classes_of_rows_and_of_records(tmp_path, seed, kind, limit, changing):
    """In each release, and for records that look alike over several: found if a class gives something away.

    Where values change, classes of records may be found although everybody in them is listed.
    """
    rng = random.Random(seed)  # noqa: S311 - draws tests, no secrets
    _, letters = drawn(rng, changing=changing)
    texts = dict(zip("abc", rng.sample(NUMBERS, 3) if kind == "close" else "abc", strict=True))
    always = {record: rng.random() < 0.3 for rows in letters for record in rows}
    releases = [
        {record: (cell, texts["c" if always[record] else value]) for record, (cell, value) in rows.items()}
        for rows in letters
    ]
    of = {value: set(rng.sample(NAMES, rng.choice([1, 1, 2]))) for value in "abc"}
    question = Numbers("0", "6") if kind == "close" else Categories(of)
    listed = {record for record in always if rng.random() < 0.5} if seed % 2 else None
    folder = linked_classes(tmp_path, releases, changing=changing, listed=listed)
    question.declare(folder, "d", limit)
    judged = set(always) - (listed or set())
    adversary = "pseudonym" if listed is None else "linked"
    _, result, err = run_audit(folder, "--adversary", adversary, "--attack", "homogeneity", "--findings", "all")
    if result is None:
        assert not judged or "does not apply" in err
        return
    assert judged or changing
    classes = [*every_class(releases, changing=changing)]
    must, may = (
        {
            each
            for members in classes
            if everybody or judged & {record for record, _ in members}
            for each in question.flagged([value for _, value in members], Fraction(limit))
        }
        for everybody in (False, changing)
    )
    told = found(result, "homogeneity", question.kind)
    assert all(question.is_so(finding, may) for finding in told), (told, may)
    assert bool(must) <= bool(told) <= bool(may)
    if kind == "similar":
        assert {name for name, _, _ in must} <= {one["category"] for one in told} <= {name for name, _, _ in may}
    assert violates(result, question) == bool(told)
    # Of people who are known beside these rows joint was not asked.
    allowed = {"violated"} if told else {"holds" if listed is None else "undecided"}
    assert ended(result, question.measure)[0] in allowed | ({"violated", "undecided"} if kind == "similar" else set())


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
        Categories(of).declare(folder, "Value", 1, least=2)
        _, result, err = run_audit(folder, "--adversary", "linked")
        manifest = folder / "series.toml"
        manifest.write_text(manifest.read_text().replace('similar = { Value = "chapters.csv" }', ""))
        plain = run_audit(folder, "--adversary", "linked")[1]
    assert result is not None, err
    states = [ended(one, "min_e")[0] for one in (result, plain)]
    assume(not result["contradictions"]["changed"])
    pairs = always_alike(series, of)
    assert not (states[0] == "holds" and pairs), pairs
    names = {row.individual for release in series.releases for row in release}
    assert states[0] != "violated" or pairs or None in names  # worlds do not say what a counterfeit without name has
    if alone and states[1] == "holds" and names == {*series.people("linked")}:
        assert states[0] == "holds"  # beside a counterfeit of the same value, which is no person, it is undecided
