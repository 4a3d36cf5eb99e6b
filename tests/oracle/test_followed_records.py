"""People who are followed by record ids, against all worlds: who may be which record, counted one by one.

A world gives each person who is known to be in some release a record of their own: one with a row in each release in
which the person is known to be, in the person's row class or in one that fits the register, and in no other release,
unless some row of that release is left out of the key.
"""

import random
from collections import Counter, defaultdict
from fractions import Fraction
from itertools import combinations
from math import isclose

import numpy as np
import pytest

from attacks.intersection import IntersectionAttack
from attacks.joint.attack import JointAttack
from audit.adversary.view import build_evidence
from audit.io.series import open_series
from audit.judgement.scoring import attacked
from audit.runtime.budget import Budget
from tests.helpers.amount import some
from tests.helpers.messy import as_csv, series_of, write
from tests.helpers.running import read_audit

CELLS = {"20-29": range(20, 30), "30-39": range(30, 40), "20-39": range(20, 40), "25-34": range(25, 35)}


class Case:
    """Records with an exact age, values, and a way through the releases; some are people's who are known."""

    def __init__(self, seed, *, register, strangers, several=False):
        rng = random.Random(seed)  # noqa: S311
        count, self.releases = rng.randint(3, 6), rng.randint(2, 3)
        self.register = register
        self.columns = ["d", "e"] if several else ["d"]
        self.ages = [rng.randint(20, 39) for _ in range(count)]
        self.values = [tuple(rng.choice("ab") for _ in self.columns) for _ in range(count)]
        known = [number for number in range(count) if not strangers or rng.random() < 0.6]
        self.known = known or [0]
        self.rows = []  # by release and record: the cell and the group
        for _ in range(self.releases):
            there = [number for number in range(count) if rng.random() < 0.8] or [0]
            self.rows.append({number: (self._cell(rng, number), rng.choice("gh")) for number in there})
        self.known = [n for n in self.known if any(n in rows for rows in self.rows)] or [min(self.rows[0])]
        self.holes = strangers and not register

    def _cell(self, rng, number):
        return rng.choice([cell for cell, ages in CELLS.items() if self.ages[number] in ages])

    def write(self, folder):
        tables, stays = [], []
        for place, rows in enumerate(self.rows, 1):
            lines = [[f"r{n}", group, cell, *self.values[n]] for n, (cell, group) in rows.items()]
            tables.append([["id", "g", "age", *self.columns], *lines])
            key = [[str(at), f"p{n}"] for at, n in enumerate(rows) if n in self.known]
            if not self.register:
                write(folder / f"private/{place}.key.csv", as_csv([["row", "individual"], *key]))
            stays += [[f"p{n}", str(self.ages[n]), str(place)] for n in rows if n in self.known]
        columns = f'sensitive = {self.columns}\nrecord = "id"\ngroup = "g"\nquasi_identifiers = ["age"]\n'
        if not self.register:
            return series_of(folder, tables, columns)
        register = [["individual", "age", "release"], *stays]
        return series_of(folder, tables, columns, '[adversary]\nregister = "register.csv"', register=register)

    def fits(self, person, record):
        for rows in self.rows:
            if person not in rows:
                if record in rows and not (self.holes and any(n not in self.known for n in rows)):
                    return False
            elif record not in rows:
                return False
            elif self.register:
                if self.ages[person] not in CELLS[rows[record][0]]:
                    return False
            elif rows[record] != rows[person]:
                return False
        return True

    def worlds(self):
        """Yield each world: the record of each known person."""
        records = sorted({n for rows in self.rows for n in rows})
        choices = [[r for r in records if self.fits(p, r)] for p in self.known]

        def placed(at, taken):
            if at == len(choices):
                yield taken
                return
            for record in choices[at]:
                if record not in taken:
                    yield from placed(at + 1, (*taken, record))

        yield from placed(0, ())

    def alike(self):
        """Return whether two known people have the same value of an attribute in every world."""
        pairs = {
            (one, other, column)
            for one, other in combinations(range(len(self.known)), 2)
            for column in range(len(self.columns))
        }
        for world in self.worlds():
            values = [self.values[record] for record in world]
            pairs = {(i, j, at) for i, j, at in pairs if values[i][at] == values[j][at]}
        return bool(pairs)

    def posteriors(self):
        """For each person and attribute, the probability of each value."""
        found, worlds = defaultdict(Counter), 0
        for world in self.worlds():
            worlds += 1
            for person, record in zip(self.known, world, strict=True):
                for column, value in zip(self.columns, self.values[record], strict=True):
                    found[f"p{person}", column][value] += 1
        return {key: {v: Fraction(n, worlds) for v, n in counts.items()} for key, counts in found.items()}


KINDS = {
    "key": {"register": False, "strangers": False},
    "key with holes": {"register": False, "strangers": True},
    "register": {"register": True, "strangers": False},
    "register of some": {"register": True, "strangers": True},
    "key, two attributes": {"register": False, "strangers": False, "several": True},
    "register of some, two attributes": {"register": True, "strangers": True, "several": True},
}


def found(folder, kind, attack):
    """Who is certain of what, by attribute, and everybody's risk."""
    evidence = build_evidence(open_series(folder), "register" if kind["register"] else "linked", follow=True)[-1]
    assert evidence.followed
    scored = attacked(attack, evidence, evidence.key, Budget())
    name = evidence.series.people.name
    claims = scored.claims
    certain = {
        (name(person), evidence.attribute(value), evidence.values[value])
        for person, value in claims.read(np.arange(len(claims)), "person", "value")
    }
    risks = {name(p): r for p, r in zip(scored.risks.person.tolist(), scored.risks.risk.tolist(), strict=True)}
    return scored, certain, risks


@pytest.mark.parametrize("seed", range(some(20)))
@pytest.mark.parametrize("name", KINDS)
def test_what_is_certain_and_how_probable_the_rest_is(tmp_path, name, seed):
    case = Case(seed, **KINDS[name])
    expected = case.posteriors()
    folder = case.write(tmp_path)
    scored, certain, risks = found(folder, KINDS[name], JointAttack())
    assert (scored.status, scored.counted) == ("complete", True)
    only = {(*key, *values) for key, values in expected.items() if len(values) == 1}
    assert certain == only
    for person in case.known:
        mine = [expected[f"p{person}", column] for column in case.columns]
        if case.register:  # of the likeliest value
            # A combination has its own probability, of which a value's is the sum.
            worst = max(max(values.values()) for values in mine)
        else:
            worst = max(values[v] for values, v in zip(mine, case.values[person], strict=True))
        assert isclose(risks[f"p{person}"], worst), (person, mine, risks)
    _, single, _ = found(folder, KINDS[name], IntersectionAttack())
    assert single <= only


@pytest.mark.parametrize("seed", range(some(12)))
@pytest.mark.parametrize("name", KINDS)
def test_the_verdict_is_what_all_worlds_say(tmp_path, name, seed):
    case = Case(seed, **KINDS[name])
    expected = case.posteriors()
    _, result = read_audit(case.write(tmp_path), "--findings", "all", "--reveal")
    followed = [each for each in result["attacks"] if each.get("sensitive") == ["id", *case.columns]]
    [joint] = [each for each in followed if each["attack"] == "joint"]
    certain = {(each["individual"], each["attribute"], each["value"]) for each in joint["findings"]}
    assert certain == {(*key, *values) for key, values in expected.items() if len(values) == 1}
    violated = {each["attack"] for each in result["policy"]["violations"] if each["measure"] == "max_risk"}
    assert ("joint" in violated) == bool(certain)
    states = {each["clause"]: each["state"] for each in result["policy"]["clauses"]}
    if not violated:
        assert states["max_risk"] == "holds"
    assert (states["max_risk"] == "violated") == bool(violated)
    if name in {"key", "key, two attributes"}:
        assert states["min_e"] == ("violated" if case.alike() else "holds")
    elif name == "key with holes":
        assert states["min_e"] != "holds" or not case.alike()
    else:
        assert states["min_e"] == "not judged"


@pytest.mark.parametrize("limit", [1, 0.6])
@pytest.mark.parametrize("seed", range(100, 100 + some(8)))
@pytest.mark.parametrize("name", ["key", "key with holes", "register of some", "key, two attributes"])
def test_people_who_had_a_grave_value(tmp_path, name, seed, limit):
    """Of any attribute: the share of worlds in which the person's record has it."""
    case = Case(seed, **KINDS[name])
    worlds = list(case.worlds())
    shares = [
        Fraction(sum("a" in case.values[world[at]] for world in worlds), len(worlds)) for at in range(len(case.known))
    ]
    folder = case.write(tmp_path)
    with (folder / "series.toml").open("a") as file:
        file.write(f'\n[policy]\nmax_ever_risk = {limit}\nmax_risk = {limit}\ngrave = ["a"]\n')
    _, result = read_audit(folder)
    states = {each["clause"]: each["state"] for each in result["policy"]["clauses"]}
    if not any("a" in values for values in case.values):
        return
    assert states["max_ever_risk"] == ("violated" if max(shares) >= limit else "holds")
    risks = [
        values[case.values[person][at]] if not case.register else max(values.values())
        for person in case.known
        for at, column in enumerate(case.columns)
        for values in [case.posteriors()[f"p{person}", column]]
    ]
    rows_of_strangers = any(set(rows) - set(case.known) for rows in case.rows)
    if max(risks) >= limit:
        assert states["max_risk"] == "violated"
    elif not (rows_of_strangers or case.register):  # else classes of rows are judged besides
        assert states["max_risk"] == "holds"
