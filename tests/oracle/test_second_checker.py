"""Two checkers of witnesses, one of them written from the format's page alone: they agree, and no forgery shows more.

`AUDIT_TEST_DEEP=600 pytest tests/oracle/test_second_checker.py` forges for as many seconds in each test.
Without it the same is drawn each time.
"""

import csv
import hashlib
import json
import random
import shutil
import tempfile
from collections import Counter
from contextlib import contextmanager, suppress
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import Phase, given, seed, settings
from hypothesis import strategies as st

from tests.helpers.amount import some
from tests.helpers.running import run_main
from tests.helpers.strategies import linked_series, register_series, with_knowledge
from tests.oracle import second_checker
from tests.oracle.per_person import known_values
from tests.oracle.worlds import few, worlds
from tests.universe.drawing import DEEP, rounds

SERIES, FORGERIES, MOST_WORLDS = 30 if DEEP else max(8, some(40)), 8, 5_000
FURTHER = {
    "amounts": '[columns]\ntypes = { Value = "numeric" }', "widths": '[columns]\ntypes = { Value = "numeric" }',
    "similar": '[columns]\nsimilar = { Value = "similar.csv" }',
}  # fmt: skip
POLICY = {"amounts": "[policy]\ncloseness = 0.1\n", "widths": '[policy]\ncloseness = { Value = "1" }\n'}
NUMBERS = {"a": "10", "b": "10.5", "c": "12", "d": "20", "z": "30"}
CATEGORIES = "value,category\na,x\nb,x\nb,y\nc,y\nd,w\nz,w\n"


# -- what is drawn ----------------------------------------------------------------------------------------


@st.composite
def people(draw):
    series = draw(linked_series(changing=draw(st.booleans())))
    series = draw(with_knowledge(series)) if draw(st.booleans()) else series
    return replace(series, anatomy=draw(st.booleans()), keyed=True)


@st.composite
def without_key(draw):
    series = draw(linked_series())
    sizes = [Counter(row.group for row in rows) for rows in series.releases]
    fakes = [{group: draw(st.integers(0, size)) for group, size in each.items()} for each in sizes]
    kept = fakes if draw(st.booleans()) else ()
    return replace(series, keyed=False, anatomy=draw(st.booleans()), counterfeits=kept)


KINDS = {
    "linked": (people(), ()),
    "register": (register_series() | register_series(changing=True), ("--adversary", "register")),
    "published": (without_key(), ("--adversary", "published")),
}


@contextmanager
def drawn(kind, series, rng, refused=None):
    """A folder with a series, and one with its witness; None where there is none, and `refused` counts why."""
    with tempfile.TemporaryDirectory() as name:
        folder, where = Path(name) / "series", Path(name) / "witness"
        folder.mkdir()
        further = rng.choice(["", "", *FURTHER]) if not getattr(series, "transitions", None) else ""
        series.write(folder, key=rng.choice(["column", "files"]))
        if further in POLICY:
            for path in folder.rglob("*.csv"):
                rewrite_csv(path, lambda line: {
                    name: NUMBERS.get(cell, cell) if name.casefold() == "value" else cell for name, cell in line.items()
                })  # fmt: skip
        if further:
            (folder / "similar.csv").write_text(CATEGORIES)
            manifest = folder / "series.toml"
            text = manifest.read_text()
            if further in POLICY and "types = {" in text:
                text = text.replace("types = {", 'types = { Value = "numeric",')
            else:
                text = text.replace("[columns]", FURTHER[further])
            manifest.write_text(text + POLICY.get(further, ""))
        code, _, err = run_main(str(folder), *KINDS[kind][1], "--witness", str(where))
        assert code in (0, 1, 2, 3), err
        if code == 2 and refused is not None:
            refused[f"refused: {err.splitlines()[0]}"] += 1
        yield None if code == 2 else (folder, where)


def rewrite_csv(path, change):
    with path.open(newline="") as file:
        lines = [*csv.DictReader(file)]
    if lines:
        with path.open("w", newline="") as file:
            writer = csv.DictWriter(file, [*lines[0]])
            writer.writeheader()
            writer.writerows(map(change, lines))


# -- what is forged ---------------------------------------------------------------------------------------


def forge_json(rng, path):
    """Change one to three places of a JSON file: a number, a text, or what a list or an object has."""
    document = json.loads(path.read_text())
    for _ in range(rng.randint(1, 3)):
        parts = [part for part in parts_of(document) if part]
        if not parts:
            break
        part = rng.choice([each for each in parts if each is not document.get("files")] or parts)
        key = rng.choice([*part] if isinstance(part, dict) else range(len(part)))
        kind, old = rng.randrange(4), part[key]
        if isinstance(old, int) and kind:
            part[key] = old + rng.choice([-2, -1, 1, 2])
        elif kind == 1 and isinstance(part, list):
            part.insert(key, json.loads(json.dumps(rng.choice(part))))
        elif kind == 2 and isinstance(part, list):
            part[key], part[-1] = part[-1], part[key]
        elif isinstance(old, str):
            part[key] = rng.choice([each for other in parts for each in other if isinstance(each, str)])
        elif kind == 3:
            del part[key]
    path.write_text(json.dumps(document))


def parts_of(document):
    if isinstance(document, (dict, list)):
        yield document
        for each in document.values() if isinstance(document, dict) else document:
            yield from parts_of(each)


def forge_worlds(rng, path):
    table = pq.read_table(path).to_pydict()
    names = [name for name in table if name != "individual"]
    for _ in range(rng.randint(1, 4)):
        column = table[rng.choice(names)]
        if column:
            column[rng.randrange(len(column))] = rng.choice(column)
    kind = rng.randrange(8)
    if kind == 0:
        for column in table.values():
            column.extend(column[:1])
    elif kind == 1:
        for column in table.values():
            del column[-1:]
    elif kind == 2:
        table[f"world_{len(names)}"] = table[names[-1]]
    elif kind == 3 and (first := next(iter(table.values()))):
        first[0] = first[-1]
    pq.write_table(pa.table(table), path)


def forge_csv(rng, path):
    with path.open(newline="") as file:
        lines = [*csv.reader(file)]
    for _ in range(rng.randint(1, 2)):
        body = range(1 if rng.random() < 0.95 else 0, len(lines))
        if len(body) < 2:
            break
        one, other, kind = rng.choice(body), rng.choice(body), rng.randrange(6)
        at = rng.randrange(len(lines[one]))
        if kind < 3:
            lines[one][at], lines[other][at] = lines[other][at], lines[one][at]
        elif kind == 3:
            lines[one][at] = rng.choice([lines[other][at], "", "1", "*", "a", "~c1"])
        elif kind == 4:
            lines.insert(one, lines[other])
        else:
            del lines[one]
    with path.open("w", newline="") as file:
        csv.writer(file).writerows(lines)


def forge_manifest(rng, path):
    lines = path.read_text().splitlines()
    at = rng.choice([place for place, line in enumerate(lines) if "=" in line])
    if rng.random() < 0.5:
        del lines[at]
    else:
        lines.insert(at, rng.choice(['fold = ["Value"]', 'group = "Value"', 'record = "Value"', 'known = "known.csv"']))
    path.write_text("\n".join(lines) + "\n")


def forge(rng, folder, where):
    """Change one to three files; return whether all of them are of the witness."""
    files = [path for path in where.iterdir() if path.suffix in (".json", ".parquet")] * 4
    files += [path for path in folder.rglob("*") if path.suffix in (".csv", ".toml")]
    chosen = {rng.choice(files) for _ in range(rng.randint(1, 3))}
    for path in sorted(chosen):
        change = {".json": forge_json, ".parquet": forge_worlds, ".csv": forge_csv, ".toml": forge_manifest}
        change[path.suffix](rng, path)
    if rng.random() < 0.9:
        with suppress(KeyError, TypeError, AttributeError):
            restate(folder, where / "statement.json")
    if rng.random() < 0.6:  # what the second checker believes of it is stated
        with suppress(second_checker.UnsupportedError):
            second_checker.objection(folder, where, restate=True)
    return all(path.is_relative_to(where) for path in chosen)


def restate(folder, path):
    """State the hashes and numbers of lines that the files have now."""
    statement = json.loads(path.read_text())
    for name, stated in statement["files"].items():
        content = (folder / name).read_bytes()
        stated["sha256"] = hashlib.sha256(content).hexdigest()
        if name.endswith(".csv"):
            stated["rows"] = len([*csv.reader(content.decode().splitlines())]) - 1
    path.write_text(json.dumps(statement))


# -- what is so -------------------------------------------------------------------------------------------


def truth(series, adversary):
    """The values that judged people (or people in releases) may have, by enumeration."""
    every = worlds(series, adversary)
    constant = series.transitions is None or all(a == b for a, b in series.transitions if series.step(a, b))
    return {
        (person,) if constant else (person, at): every.possible(person, at)
        for person in series.people(adversary)
        for at in series.presence(person, adversary)
        if person not in known_values(series, at, adversary)
    }


def is_so(possible, where):
    """Whether nothing more is stated of people than what is so."""
    certain = [next(iter(values)) for values in possible.values() if len(values) == 1]
    number = Counter(certain)
    for claim in json.loads((where / "statement.json").read_text())["claims"]:
        if claim.get("of", "").startswith("people"):
            sure = sum(map(rule_of(claim), possible.values()))
            if claim["total"] != len(possible) or claim["certain"] > sure or claim["two"] > len(possible) - sure:
                return False
        if claim["claim"] == "same" and claim["people"] > sum(each for each in number.values() if each > 1):
            return False
        if claim["claim"] == "different" and max(number.values(), default=0) > 1:
            return False
    return True


def rule_of(claim):
    """When the values of a set say the same, by a claim."""
    if claim["claim"] == "values":
        return lambda values: len(values) == 1
    if claim["claim"] == "categories":
        of = {value: {line[2:] for line in CATEGORIES.split() if line[0] == value} for value in "abcdz"}
        return lambda values: bool(set.intersection(*(of[value] for value in values)))
    within, share = Fraction(claim["within"]), claim["claim"] == "close"

    def close(values):
        numbers = [Fraction(NUMBERS[value]) for value in values]
        return max(numbers) - min(numbers) <= within * (max(numbers) if share else 1)

    return close


def both(folder, where):
    """What both checkers answer: shown, not shown, refused."""
    code, said, err = run_main("verify", str(folder), str(where))
    assert code in (0, 1, 2), err
    try:
        objection = second_checker.objection(folder, where)
        second = int(bool(objection))
    except second_checker.UnsupportedError as error:
        second, objection = 2, str(error)
    return code, second, f"{said}{err} The second checker: {objection}"


@pytest.mark.parametrize("kind", KINDS)
def test_checkers_agree_and_no_forgery_shows_more(kind):
    seen = Counter()
    for draws in rounds(len(kind)) if DEEP else [np.random.default_rng(1)]:

        @seed(int(draws.integers(2**32)))
        @settings(max_examples=SERIES, database=None, phases=[Phase.generate])
        @given(KINDS[kind][0], st.integers(0, 2**32))
        def forged(series, number):
            forge_series(kind, series, random.Random(number), seen)  # noqa: S311 - it forges, and hides nothing

        forged()
    print(kind, dict(seen))  # noqa: T201 - of a run that forges for long
    assert seen["shown"]
    assert seen["not shown"]


def forge_series(kind, series, rng, seen):
    possible = None
    if kind in ("linked", "register"):
        if not few(series, kind, MOST_WORLDS):
            return
        possible = truth(series, kind)
    with drawn(kind, series, rng) as made:
        if made is None:
            return
        code, second, said = both(*made)
        assert (code, second) == (0, 0), said
        assert possible is None or is_so(possible, made[1])
        for _ in range(FORGERIES):
            with tempfile.TemporaryDirectory() as copy:
                folder, where = (Path(shutil.copytree(each, Path(copy) / each.name)) for each in made)
                witness_alone = forge(rng, folder, where)
                code, second, said = both(folder, where)
                assert (code == 0) == (second == 0), (code, second, said)
                if code == 0 and witness_alone and possible is not None:
                    assert is_so(possible, where), said
                seen[("shown", "not shown", "refused")[code]] += 1
                seen["of one kind"] += code == second
