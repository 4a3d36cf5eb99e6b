"""Check a witness against an adversary who knows a register: exact quasi-identifiers, but not whose row is which.

    python verify_register.py SERIES FOLDER

It uses `verify.py` in the same folder to read the series. Here a *world* gives each person of the register a row in
each release that contains the person, such that the row's cells cover the person and no two people have the same row.
The world also gives the person the value of the row, or in a pair one of the group's values. If two worlds give a
person two values, the person's value is not certain. It is certain if the rows that cover the person in all releases,
and points of rows (`verify_points.py`), leave one value. The exit statuses are those of `verify.py`.
"""

from __future__ import annotations

import json
import re
import runpy
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pyarrow.parquet as pq

Filed: TypeAlias = Any  # a series as read by `verify.py`
Left: TypeAlias = Any  # that of `verify_points.py`
VERIFY = runpy.run_path(str(Path(__file__).with_name("verify.py")))
need, CELLS, FRAME = VERIFY["need"], VERIFY["CELLS"], VERIFY["FRAME"]


def covers(cell: str, exact: str, known: set[str], *, numeric: bool, unread: bool) -> bool:
    """Return whether a cell may stand for an exact value, given all `known` values; `unread` if that is unclear."""
    if not cell.strip("*") or cell == exact:
        return True
    if not exact.strip("*"):
        return unread
    if numeric:
        found = CELLS["numbers"](cell)
        unclear = found is None or not re.fullmatch(CELLS["NUMBER"], exact)
        return unread if unclear else bool(CELLS["contains"](found, Fraction(exact)))
    if cell.endswith("*"):  # a mask: a star for each hidden character
        stem = cell.rstrip("*")
        return unread if re.search(r"[^\w .-]|\*", stem) else exact.startswith(stem) and len(exact) == len(cell)
    parts = [part.strip() for part in (cell[1:-1] if re.fullmatch(r"\{.*\}", cell) else cell).split(",")]
    return exact in parts or (unread and not all(part in known for part in parts))


class RegisterLines:
    """Who is in which release, with which exact quasi-identifiers; people and lines are numbered from 0.

    `line` holds the line of each person in each release, -1 if absent; shape (releases, people).
    """

    def __init__(self, series: Filed) -> None:
        table = series.table(series.manifest["adversary"]["register"])
        self.columns = [name for name in series.columns["quasi_identifiers"] if name in table]
        self.table, self.people = table, dict[str, int]()
        need(all(table["individual"]), "a register with an empty name")
        who = VERIFY["numbered"](table["individual"], self.people)
        self.line = np.full((len(series.tags), len(self.people)), -1)
        for at, person in enumerate(who.tolist()):
            if "release" in table:
                need(table["release"][at] in series.tags, "a register with a release that the series lacks")
                when = [series.tags.index(table["release"][at])]
            else:
                first, last = VERIFY["whole"]([table["first"][at], table["last"][at]]).tolist()
                need(1 <= first <= last <= len(series.tags), "a register with positions that the series lacks")
                when = list(range(first - 1, last))
            need((self.line[when, person] < 0).all(), "a register with two lines for a person and release")
            self.line[when, person] = at
        self.judged = (self.line >= 0) & np.array([not name.startswith("~") for name in self.people], dtype=np.bool_)


class RegisterChecker:
    """A series, a register, and the cells of rows."""

    def __init__(self, folder: Path) -> None:
        self.series = VERIFY["Published"](folder, linked=False)
        self.register, adversary = RegisterLines(self.series), self.series.manifest["adversary"]
        need("known" not in adversary, "known values beside a register")
        need("transitions" not in adversary or len(self.series.sensitive) == 1, "transitions of several columns")
        self.may = self.series.transitions(adversary["transitions"]) if "transitions" in adversary else None
        self.rows, self.pairs = self.series.tables, self.series.pairs
        self.series.people, self.series.home, self.series.may = self.register.people, self.register.line, self.may
        self.series.known = np.full_like(self.register.line, -1)
        self.series.times = 1 if self.may is None else len(self.series.tags)
        names, numbered = self.series.sensitive, VERIFY["numbered"]
        self.value = [  # the value of each row of a plain table
            np.zeros(0, int) if pair else numbered(zip(*map(table.__getitem__, names), strict=True), self.series.code)
            for pair, table in zip(self.pairs, self.rows, strict=True)
        ]
        self.numeric = {name: self.is_numeric(name) for name in self.register.columns}
        room = FRAME["beside"]("verify_counts")["room"]
        self.room = [room(self.series, at) for at in range(len(self.rows))]

    def is_numeric(self, name: str) -> bool:
        """Return whether a quasi-identifier is one of numbers."""
        every = [cell for table in self.rows for cell in table[name]]
        declared = self.series.columns.get("types", {}).get(name)
        masks = {*every} - {"", "*"}
        need(
            declared or not masks or not all(re.fullmatch(r"[0-9]+\*+", cell) for cell in masks),
            f"a column of masks only, of which no type is declared: {name}",
        )
        return bool(CELLS["is_numeric"](every, declared))

    def fits(self, at: int, rows: np.ndarray, lines: np.ndarray, *, unread: bool) -> np.ndarray:
        """Return whether each of some rows of a release covers the person of a line; `unread` if that is unclear."""
        good = np.ones(len(rows), dtype=np.bool_)
        for name in self.register.columns:
            cell, exact = self.rows[at][name], self.register.table[name]
            cells, exacts = dict[str, int](), dict[str, int]()
            of_row, of_line = VERIFY["numbered"](cell, cells), VERIFY["numbered"](exact, exacts)
            pairs, place = np.unique(of_row[rows] * len(exacts) + of_line[lines], return_inverse=True)
            texts, values = [*cells], [*exacts]
            ask = [(texts[pair // len(values)], values[pair % len(values)]) for pair in pairs.tolist()]
            said = [covers(*each, set(values), numeric=self.numeric[name], unread=unread) for each in ask]
            good &= np.array(said, dtype=np.bool_)[place]
        return good

    def worlds(self, columns: dict[str, list[Any]], number: np.ndarray) -> np.ndarray:
        """Return the values of people in the worlds of a file, each checked; shape (worlds, releases, people)."""
        register, tags = self.register, self.series.tags
        who = np.array([register.people[name] for name in columns["individual"]], dtype=np.int64)
        when = np.array([tags.index(tag) for tag in columns["release"]], dtype=np.int64)
        count = sum(name.startswith("world_") for name in columns)
        exact = {"individual", "release", *(f"{what}_{at}" for what in ("row", "world") for at in range(count))}
        need(count and {*columns} == exact, "worlds.parquet has other columns", 1)
        need((register.line[when, who] >= 0).all(), "worlds.parquet has a line of an absent person", 1)
        need(len({*zip(when.tolist(), who.tolist(), strict=True)}) == len(who), "worlds.parquet has a line twice", 1)
        found = np.full((count, len(tags), len(register.people)), -1, dtype=np.int32)
        for at in range(count):
            row, value = np.full_like(found[at], -1), found[at]
            for name, into in ((f"row_{at}", row), (f"world_{at}", value)):
                first = columns[name.split("_")[0] + "_0"]
                cells = [one if cell is None else cell for one, cell in zip(first, columns[name], strict=True)]
                need(all(type(cell) is int and 0 <= cell < 1 << 31 for cell in cells), f"{name} has no whole number", 1)
                into[when, who] = cells
            value[value >= 0] = number[value[value >= 0]]
            self.check(row, value, f"world {at}")
        return found

    def check(self, row: np.ndarray, value: np.ndarray, name: str) -> None:
        """Stop unless a world gives each person a separate row that covers the person, and a value of that row."""
        series, last = self.series, np.full(len(self.register.people), -1)
        for at, line in enumerate(self.register.line):
            person = np.flatnonzero(line >= 0)
            rows, values = row[at, person], value[at, person]
            need(
                ((rows >= 0) & (rows < len(series.group[at])) & (values >= 0)).all(),
                f"{name} gives a person no row",
                1,
            )
            need(len(np.unique(rows)) == len(rows), f"{name} gives two people the same row", 1)
            need(
                self.fits(at, rows, line[person], unread=False).all(),
                f"{name} gives a person a row that does not cover them",
                1,
            )
            group, room = self.room[at]
            taken = np.bincount(group[rows], minlength=len(group))
            need((taken[group] <= room).all(), f"{name} has more people in a group than counterfeits leave", 1)
            held = np.zeros_like(series.held)
            np.add.at(held, (series.first[at] + series.group[at][rows], values), 1)
            need((held <= series.held).all(), f"{name} has a value more often than its group", 1)
            need(self.pairs[at] or (self.value[at][rows] == values).all(), f"{name} has another value than the row", 1)
            before = person[last[person] >= 0]
            steps = last[before], value[at, before]
            good = steps[0] == steps[1] if self.may is None else self.may[steps]
            need(good.all(), f"{name} has a value that may not follow the one before", 1)
            last[person] = values

    def left(self) -> Left:
        """Return the values that are possible for people: those of the rows that cover them, on a history."""
        series, register, options = self.series, self.register, list[np.ndarray]()
        for at, line in enumerate(register.line):
            look = {name: VERIFY["numbered"](self.rows[at][name], {}) for name in register.columns}
            key = np.stack([series.group[at], *look.values()])
            first = np.unique(key, axis=1, return_index=True)[1]
            found = np.zeros((len(line), series.first[at + 1] - series.first[at]), dtype=np.bool_)
            for each in np.unique(line[line >= 0]).tolist():
                rows = first[self.fits(at, first, np.full(len(first), each), unread=True)]
                found[np.ix_(line == each, series.group[at][rows])] = True
            options.append(found)
        return FRAME["beside"]("verify_points")["Left"](series, options)

    def by_release(self, left: Left) -> np.ndarray:
        """Return the values that are possible for people, by release; shape (releases, people, values)."""
        found: np.ndarray = left.values
        return np.broadcast_to(found, (len(self.series.tags), *found.shape[1:]))


def checked(folder: Path, witness: Path) -> int:
    """Print which statements a witness shows, and return the exit status."""
    stated = json.loads((witness / "statement.json").read_text("utf-8"))
    need(stated["format"] == VERIFY["FORMAT"] and stated["adversary"] == "register", "a witness of this form")
    need(stated["claims"], "the statement has no claims", 1)
    checker = RegisterChecker(folder)
    series, number = checker.series, VERIFY["stated_values"](checker.series, stated)
    table = pq.read_table(witness / "worlds.parquet")
    kinds = {str(field.type) for field in table.schema if field.name not in ("individual", "release")}
    need(all(re.fullmatch("int[0-9]+", kind) for kind in kinds), "worlds that are not whole numbers", 1)
    worlds = checker.worlds(table.to_pydict(), number)
    left = checker.left()
    for step in json.loads((witness / "proofs.json").read_text("utf-8"))["steps"]:
        left.step(step, number)
    possible, judged, changing = checker.by_release(left), checker.register.judged, checker.may is not None
    people = FRAME["beside"]("verify_alike")["of_people"](worlds, possible, judged, changing=changing)
    return int(VERIFY["concluded"](series, witness, stated, people, worlds))


if __name__ == "__main__":
    sys.exit(FRAME["main"](*sys.argv[1:3], checked))
