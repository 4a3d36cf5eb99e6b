"""Check the statement of a witness about a series of releases, independently of the program that made it.

    python verify.py SERIES FOLDER

It needs only Python 3.11, numpy and pyarrow, and can be copied anywhere. `docs/reference/witness.md` describes the
files and explains why the check is sound. A *world* gives people values that agree with all published groups. If two
worlds give a person two values, then no value of the person is certain. Exit status: 0 everything stated is shown, 1
something is not shown, 2 something is not supported (the output names it).
"""

from __future__ import annotations

import json
import re
import runpy
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq

FORMAT, ADVERSARIES = "series-audit witness 2", ("linked", "published")
SUPPORTED = {
    "series": "name releases published",
    "columns": "sensitive quasi_identifiers group individual count delimiter types spelled unlinkable harmless "
    "left_out similar decimal encoding renamed changing unnamed",
    "adversary": "register transitions known",
}
OF_SETS = ("values", "close", "near", "categories")  # claims about the values of people, or of classes of rows
OTHERS = {"counterfeits", "anonymized", "policy", "waiver"}  # tables on which worlds do not depend
WORDS = {
    "values": "of {total:,} {of}, {certain:,} are certain (proved), {two:,} have two possible values ({worlds} worlds)",
    "different": "no two of {people:,} people share their {sensitive} in all worlds",
    "same": "{people:,} people certainly have a {sensitive} that somebody else certainly has, too (proved)",
    "close": "of {total:,} {of}, {certain:,} {sensitive} are known to a share of {within} (proved), {two:,} are not",
    "near": "of {total:,} {of}, {certain:,} {sensitive} are known to a width of {within} (proved), {two:,} are not",
    "categories": "of {total:,} {of}, the category of {certain:,} by {sensitive} is certain (proved), not of {two:,}",
    "k": "each class of each release has at least {rows} rows and {people} people",
    "min_e": "no equivalence of fewer than {at_least} people on each side, by the least cuts of its buckets",
    "findings": "of {people} people the {sensitive} follows from findings.opb, by the proof in findings.pbp",
    "values of classes": "of {total:,} {of}, {certain:,} have one {sensitive} only, {two:,} have several",
    "equivalent": "two sides (people on each: {people}) have each {sensitive} equally often, by a sum of groups",
}


def numbered(items: Iterable[Any], code: dict[Any, int]) -> np.ndarray:
    """Return the number of each item; new items get the next number."""
    return np.array([code.setdefault(item, len(code)) for item in items], dtype=np.int64)


FRAME = runpy.run_path(str(Path(__file__).with_name("verify_frame.py")))
need, beside = FRAME["need"], FRAME["beside"]
CELLS = beside("verify_cells")
whole = CELLS["whole"]


class Published:
    """A series as read from its files; people, values, releases and groups are numbered from 0.

    `first` holds the first group of each release, `group` the group of each row, `held` the number of rows of each
    group with each value; `home` the group of each person by release (-1: absent), `known` the value that is known
    beforehand (-1: none); `may` says which value may follow which, None if values never change.
    """

    def __init__(self, folder: Path, *, linked: bool) -> None:
        self.folder, self.linked, self.read = folder, linked, dict[str, int | None]({"series.toml": None})
        self.manifest = FRAME["read_manifest"](folder, SUPPORTED, OTHERS)
        if self.manifest.get("adversary", {}).get("transitions") == "never":
            del self.manifest["adversary"]["transitions"]
        self.columns = {"quasi_identifiers": [], **self.manifest["columns"]}
        adversary = self.manifest.get("adversary", {}) if linked else {}
        self.sensitive = [*([each] if isinstance(each := self.columns["sensitive"], str) else each)]
        self.tags, self.group, self.who = list[str](), list[np.ndarray](), list[list[Any]]()
        self.first, self.code, entries = [0], dict[tuple[str, ...], int](), list[Any]()
        self.tables, self.pairs = list[dict[str, list[str]]](), list[bool]()
        for entry in self.manifest["series"]["releases"]:
            names = CELLS["matching"](folder, entry) if isinstance(entry, str) else [entry["rows"]]
            entries += [self.release(name, None if isinstance(entry, str) else entry["values"]) for name in names]
        self.values, self.held = list(self.code), np.zeros((self.first[-1], len(self.code)), dtype=np.int64)
        for group, value, count in entries:
            np.add.at(self.held, (group, value), count)
        self.people, self.proofs = dict[str, int](), dict[str, Any]()
        named = [np.flatnonzero([bool(name) for name in who]) for who in self.who]
        whose = [numbered((who[row] for row in rows), self.people) for who, rows in zip(self.who, named, strict=True)]
        self.home = np.full((len(self.who), len(self.people)), -1)
        for at, (person, rows) in enumerate(zip(whose, named, strict=True)):
            need(np.bincount(person, minlength=1).max() <= 1, f"several rows of a person in release {self.tags[at]}")
            self.home[at, person] = self.first[at] + self.group[at][rows]
        need(len(self.sensitive) == 1 or not adversary.keys() - {"register"}, "known or changing values of 2 columns")
        self.may = self.transitions(adversary["transitions"]) if "transitions" in adversary else None
        self.known = np.full_like(self.home, -1)
        self.know(self.table(adversary["known"]) if "known" in adversary else {"individual": [], "value": []})
        self.times = 1 if self.may is None else len(self.tags)  # the number of values that a world gives a person
        real = np.array([not name.startswith("~") for name in self.people], dtype=np.bool_)
        self.judged = (self.home >= 0) & (self.known < 0) & real

    def table(self, name: str, tag: str = "") -> dict[str, list[str]]:
        """Return the columns of a file of the series (of a release) by name, as texts without spaces at their ends."""
        path, renamed = self.folder / name, self.columns.get("renamed", {}).get(tag, {})
        inside = path.resolve().is_relative_to(self.folder.resolve())
        need(inside and re.search(r"(\.csv|\.csv\.gz|\.parquet)$", name), f"a file of another kind or place: {name}")
        found: dict[str, list[str]] = CELLS["read"](path, self.columns, renamed)
        self.read[name] = len(next(iter(found.values())))
        return found

    def release(self, rows_file: str, values_file: str | None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Read a release; return its groups, their values, and the number of rows of each."""
        tag = re.sub(r"(\.values)?(\.rows)?(\.csv|\.csv\.gz|\.parquet)$", "", Path(rows_file).name)
        columns, table, names = self.columns, self.table(rows_file, tag), dict[Any, int]()
        need(tag not in self.tags, "two releases with the same name")
        self.tags.append(tag)
        self.tables, self.pairs = [*self.tables, table], [*self.pairs, values_file is not None]
        by, held = [columns["group"]] if "group" in columns else [], table
        entries = np.ones(self.read[rows_file] or 0, dtype=np.int64)
        if values_file:
            held = self.table(values_file, tag)
            group, of_entry = (numbered(zip(each[by[0]], strict=True), names) for each in (table, held))
            entries = whole(held[columns.get("count", "count")])
            rows, counts = np.bincount(group, minlength=len(names)), np.bincount(of_entry, entries, len(names))
            need((entries > 0).all() and (rows == counts).all(), f"a pair with different row counts: {values_file}")
        else:
            need("count" not in columns, "rows that stand for several people")
            typed = columns.get("types", {}).get
            cells = [CELLS["cells"](table[name], name, typed(name)) for name in columns["quasi_identifiers"]]
            look = list(zip(*(table[name] for name in by), *cells, strict=True))
            group = of_entry = numbered(look or [()] * len(entries), names)
        made_up = columns.get("unnamed") != "people" or tag in self.manifest.get("counterfeits", {})
        self.who.append([name if made_up else name or None for name in self.key(tag, table, len(group))])
        self.group, self.first = [*self.group, group], [*self.first, self.first[-1] + len(names)]
        values = list(zip(*(held[name] for name in self.sensitive), strict=True))
        need(all(map(all, set(values))), f"a missing sensitive value in release {tag}")
        return self.first[-2] + of_entry, numbered(values, self.code), entries

    def key(self, tag: str, table: dict[str, list[str]], rows: int) -> list[Any]:
        """Return the person of each row: an empty text without a name, None for a row that the key does not list."""
        name = f"private/{tag}.key.csv"
        if not (self.folder / name).exists():
            column = self.columns.get("individual")
            need(column in table or not self.linked, f"a release without a key: {tag}")
            return table[column] if column in table else [None] * rows
        lines = self.table(name)
        found = dict(zip(whole(lines["row"]).tolist(), lines["individual"], strict=True))
        need(len(found) == len(lines["row"]) and max(found, default=0) < rows, f"a key with unknown rows: {name}")
        return [found.get(row) for row in range(rows)]

    def transitions(self, file: str) -> np.ndarray | None:
        """Return which value may follow which; None if values never change."""
        if file == "any":
            return np.ones((len(self.values), len(self.values)), dtype=np.bool_)
        table = self.table(file)
        chance = table.get("probability", [""] * len(table["from"]))
        pairs = {(a, b) for a, b, p in zip(table["from"], table["to"], chance, strict=True) if CELLS["chance"](p) > 0}
        need({(a,) for a in table["from"]} >= set(self.values), f"a published value without a line: {file}")
        constant = all(a == b for a, b in pairs)
        return None if constant else np.array([[(a, b) in pairs for (b,) in self.values] for (a,) in self.values])

    def know(self, table: dict[str, list[str]]) -> None:
        """Record the values that are known beforehand."""
        when = table.get("release", [""] * len(table["value"]))
        for who, value, tag in zip(table["individual"], table["value"], when, strict=True):
            need(who in self.people and (value,) in self.code and tag in ("", *self.tags), "unknown names in known.csv")
            at = slice(None) if not tag or self.may is None else self.tags.index(tag)
            before, code = self.known[at, self.people[who]], self.code[value,]
            need(((before < 0) | (before == code)).all(), "two known values of one person")
            self.known[at, self.people[who]] = code


def check_world(series: Published, world: np.ndarray, name: str) -> None:
    """Stop unless a world, shape (times, people), agrees with the groups' published values and the transitions."""
    last = np.full(len(series.people), -1)
    for at, (home, known) in enumerate(zip(series.home, series.known, strict=True)):
        person, value = np.flatnonzero(home >= 0), world[at % len(world)]
        held = series.held[slice(*series.first[at:][:2])]
        need((value[person] >= 0).all(), f"{name} gives a person no value", 1)
        taken = np.bincount((home[person] - series.first[at]) * held.shape[1] + value[person], minlength=held.size)
        need((taken <= held.ravel()).all(), f"{name} has a value more often than its group", 1)
        need(((known < 0) | (home < 0) | (known == value)).all(), f"{name} contradicts a known value", 1)
        before = person[last[person] >= 0]
        need(series.may is None or series.may[last[before], value[before]].all(), f"{name} has an impossible change", 1)
        last[person] = value[person]


def read_worlds(series: Published, columns: dict[str, Any], number: np.ndarray) -> np.ndarray:
    """Return the worlds of a file, checked; shape (worlds, times, people); null repeats the first world's value."""
    who = np.array([series.people[name] for name in columns.pop("individual").to_pylist()], dtype=np.int64)
    tags = columns.pop("release").to_pylist() if series.may is not None else series.tags[:1] * len(who)
    when = np.array([series.tags.index(tag) for tag in tags], dtype=np.int64)
    need(len({*zip(when.tolist(), who.tolist(), strict=True)}) == len(who), "worlds.parquet has a line twice", 1)
    need(series.may is None or (series.home[when, who] >= 0).all(), "worlds.parquet has a line of an absent person", 1)
    need([*columns] == [f"world_{at}" for at in range(len(columns))], "worlds.parquet has other columns", 1)
    found = np.full((len(columns), series.times, len(series.people)), -1, dtype=np.int32)
    first = columns["world_0"].fill_null(-1)
    for at, (name, column) in enumerate(columns.items()):
        need(re.fullmatch("int[0-9]+", str(column.type)), f"{name} is not a column of whole numbers", 1)
        codes = np.where(column.is_null(), first, column.fill_null(-1))
        need(((codes >= 0) & (codes < len(number))).all(), f"{name} has a number that stands for no value", 1)
        found[at, when, who] = number[codes]
        check_world(series, found[at], name)
    return found


def stated_values(series: Published, stated: dict[str, Any]) -> np.ndarray:
    """Return the number of each value of a statement."""
    number = np.array([series.code.get(tuple(value), -1) for value in stated["values"]], dtype=np.int32)
    need((number >= 0).all(), "the statement has a value that is not published", 1)
    return number


def in_words(claim: dict[str, Any], worlds: int) -> str:
    """Return the line that says what is shown."""
    kind = claim["claim"] if claim.get("of", "people").startswith("people") else f"{claim['claim']} of classes"
    return f"shown: {WORDS.get(kind, WORDS[claim['claim']]).format(**claim, worlds=worlds)}\n"


def concluded(
    series: Published,
    witness: Path,
    stated: dict[str, Any],
    people: dict[str, Any],
    worlds: np.ndarray,
    left: np.ndarray | None = None,
) -> int:
    """Print which claims the worlds, and the values that are left to people, show; return the exit status."""
    shown = list[str]()
    for claim in stated["claims"]:
        kind, sensitive = claim["claim"], claim["sensitive"]
        need(kind in WORDS and (series.linked or kind in ("k", *OF_SETS)), f"the claim {kind}")
        need(sensitive in ([None] if kind == "k" else series.sensitive), "a claim about another column", 1)
        if kind in OF_SETS:
            found = beside("verify_alike")["counted"](series, claim, people)
        elif kind in ("different", "same"):
            found = beside("verify_alike")[kind](series, worlds, left, claim)
        elif kind == "findings":
            found = beside("verify_proof")["claimed"](series, witness, sensitive)
        else:
            found = beside("verify_counts")["CLAIMS"][kind](series, sensitive)
        good = CELLS["same"](claim, {"claim": kind, "sensitive": sensitive, **found})
        need(good, f"stated: {claim}; found: {found}", 1)
        shown.append(in_words(claim, len(worlds)))
    FRAME["check_files"](series.folder, series.read, stated)
    return int(FRAME["print_shown"](stated, shown))


def checked(folder: Path, witness: Path) -> int:
    """Print which statements a witness shows, and return the exit status."""
    stated = json.loads((witness / "statement.json").read_text("utf-8"))
    about = stated["format"], stated["adversary"], bool(stated["claims"])
    need(about in [(FORMAT, name, True) for name in ADVERSARIES], f"a witness of this form: {about}")
    series = Published(folder, linked=stated["adversary"] == "linked")
    number, people = stated_values(series, stated), dict[str, Any]()
    worlds, left = np.zeros(0), None
    if series.linked:
        table = pq.read_table(witness / "worlds.parquet")
        worlds = read_worlds(series, {name: table[name] for name in table.column_names}, number)
        series.proofs = json.loads((witness / "proofs.json").read_text("utf-8"))
        left = beside("verify_points")["values_left"](series, number, series.proofs["steps"])
        people = beside("verify_alike")["of_people"](worlds, left, series.judged, changing=series.may is not None)
    return concluded(series, witness, stated, people, worlds, left)


if __name__ == "__main__":
    sys.exit(FRAME["main"](*sys.argv[1:3], checked))
