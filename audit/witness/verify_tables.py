"""Check the statement of a witness about a series of count tables, independently of the program that made it.

    python verify_tables.py SERIES FOLDER

It needs Python 3.11, numpy, pyarrow, and `verify_frame.py`, `verify_cells.py`, `verify_shapes.py`, `verify_asked.py`,
`verify_sums.py` and `verify_rates.py` in the same folder; they can be copied anywhere. `docs/reference/witness.md`
describes the files and explains why the check is sound. If two tables of whole numbers agree with everything published,
and give a count two values, then the count is not certain. Certain counts are proved by sums. Exit status: 0 everything
stated is shown, 1 something is not shown, 2 something is not supported (the output names it).
"""

from __future__ import annotations

import csv
import json
import re
import runpy
import sys
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from math import inf, prod
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pyarrow.parquet as pq

Box: TypeAlias = tuple[int, ...]  # the number of a set on each axis, time last
FORMAT = "series-audit witness of counts 1"
SUPPORTED = {
    "series": "name kind releases published",
    "table": "dimensions value totals categories nested open markers threshold rounding over_time not_counts "
    "wide flags not_published perturbation rates change values part_of status status_hides absent codes "
    "sensitive harmless exact stock",
    "policy": "min_count min_width min_labels",
    "unconfirmed": "",
}
OTHERS = {"waiver", "hiding"}  # tables on which counts do not depend
WORDS = (
    "of {questions:,} counts that {claim} (at least {limit}) asks about, {settled:,} have several possible values "
    "in {tables} tables of whole numbers, {findings:,} are findings (proved)"
)
MOST, LARGEST = 50_000_000, 1 << 40
RULES, REST, NONE = ("min_width", "min_count"), "(rest)", ("", "NONE", "None", "none")


def plain(text: str) -> str:
    """Return a text without spaces at its ends."""
    return unicodedata.normalize("NFC", text.strip())


def letters(name: str) -> str:
    """Return a name without signs, spaces and capitals, in which the program lets columns of releases differ."""
    return re.sub(r"\W", "", name.casefold())


FRAME = runpy.run_path(str(Path(__file__).with_name("verify_frame.py")))
need, beside = FRAME["need"], FRAME["beside"]
CELLS, SUMS, SHAPES = beside("verify_cells"), beside("verify_sums"), beside("verify_shapes")
whole = SUMS["whole"]


class TableSeries:
    """A series as read from its files.

    `atoms` holds the atoms of each dimension, and the periods last; `sets` numbers the sets of atoms on each axis;
    `covered` holds the set of each label. `box`, `low` and `high` belong to the rows (period, labels, text) that show a
    value.
    """

    def __init__(self, folder: Path) -> None:
        self.folder, self.read = folder, dict[str, int | None]({"series.toml": None})
        manifest = FRAME["read_manifest"](folder, SUPPORTED, OTHERS)
        need(manifest["series"]["kind"] == "tables", "a series that is not of count tables")
        (self.rules, self.views), policy = SHAPES["unfolded"](manifest["table"]), manifest.get("policy", {})
        if self.rules.get("threshold") == 1:
            del self.rules["threshold"]
        self.over_time = self.rules.get("over_time", "independent")
        need(self.over_time in ("same", "cumulative", "independent"), f"over_time = {self.over_time}")
        self.dimensions, self.nested = self.rules["dimensions"], self.rules.get("nested", {})
        self.totals = {name: plain(text) for name, text in self.rules.get("totals", {}).items() if plain(text)}
        self.markers = {plain(text): tuple(ends) for text, ends in self.rules.get("markers", {}).items()}
        ends = [high for _, high in self.markers.values() if high < inf]
        implied = self.rules.get("threshold") or max(ends, default=-1) + 1
        self.limits = {"min_width": policy.get("min_width", 2), "min_count": policy.get("min_count", implied)}
        need(whole(*self.limits.values()) and min(self.limits.values()) > 0, "limits that are not whole numbers")
        releases, rates = self.released(manifest["series"]["releases"]), self.rules.get("rates", [])
        self.rates = rates if isinstance(rates, list) else [rates]
        found = [row for at, (tag, name) in releases for row in self.file(name, at, tag)]
        self.release, self.lines = [row[0] for row in found], [row[3] for row in found]
        self.periods = 1 if self.over_time == "same" else 1 + max((at for at, _ in releases), default=-1)
        self.rows = [(min(at, self.periods - 1), labels, text) for at, labels, text, *_ in found]
        self.atoms, self.covered = [], list[dict[Any, frozenset[int]]]()
        for place, name in enumerate(self.dimensions):
            self.dimension(name, list(dict.fromkeys(labels[place] for _, labels, _ in self.rows)))
        self.atoms.append([*range(self.periods)])
        need(prod(map(len, self.atoms)) <= MOST, "a series with this many combinations of atoms")
        self.sets: list[dict[frozenset[int], int]] = [{} for _ in self.atoms]
        shown = [row for row in self.rows if row[2]]
        self.box = [self.boxed(period, self.covers(labels)) for period, labels, _ in shown]
        self.texts = [text for _, _, text in shown]
        exact = [row[4] for row in found if row[2]]
        absent = self.rules.get("absent", "unknown")
        need(absent in ("unknown", "zero"), f"absent = {absent}")
        self.left_out = [*SHAPES["left_out"](self)] if absent == "zero" else []
        self.box += [self.boxed(period, self.covers(labels)) for period, labels in self.left_out]
        self.texts += ["0"] * len(self.left_out)
        exact += [False] * len(self.left_out)
        ends = [SUMS["interval"](self, text, exact=own) for text, own in zip(self.texts, exact, strict=True)]
        self.low, self.high = [low for low, _ in ends], [high for _, high in ends]
        if {"rates", "change"} & {*self.rules}:
            beside("verify_rates")["narrow"](self)

    def released(self, listed: Sequence[Any]) -> list[tuple[int, tuple[str, str]]]:
        """Return the place and the tag of the release of each file, and its name."""
        found = list[tuple[str, list[str]]]()
        for each in listed:
            if isinstance(each, dict):
                found.append((each["tag"], each["tables"]))
            else:
                names = CELLS["matching"](self.folder, each)
                found += [(re.sub(r"(\.rows|\.values)?\.csv$", "", Path(name).name), [name]) for name in names]
        files = [(at, (tag, name)) for at, (tag, names) in enumerate(found) for name in names]
        known = {text for _, both in files for text in both} | {column for column, _ in self.views}
        self.exact = {*self.rules.get("exact", ())}
        need(self.exact <= known, "exact statistics in rows")
        need(not (self.exact and {"rates", "change", "absent"} & {*self.rules}), "exact with rates, changes or absent")
        return files

    def table(self, name: str) -> tuple[list[str], list[list[str]]]:
        """Return the header and the lines of a file of the series, as texts without spaces at their ends."""
        path = self.folder / name
        need(name.endswith(".csv") and path.resolve().is_relative_to(self.folder.resolve()), f"the file {name}")
        with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
            header, *lines = [[*map(plain, line)] for line in csv.reader(file, strict=True) if line]
        need(
            not any("\ufffd" in cell for line in (header, *lines) for cell in line), f"a file that is not UTF-8: {name}"
        )
        need(len(header) > 1 and {*map(len, lines)} <= {len(header)}, f"another delimiter, or number of cells: {name}")
        need(len({*header}) == len(header) and all(header), f"columns without a name, or with the same name: {name}")
        self.read[name] = len(lines)
        return header, lines

    def file(
        self, name: str, release: int, tag: str
    ) -> Iterator[tuple[int, tuple[Any, ...], str, dict[str, str], bool]]:
        """Yield the release, the labels, the text and all cells of each row of a file, and if its count is exact."""
        header, lines = self.table(name)
        roles = {*self.dimensions, *self.rules.get("not_counts", ()), *(column for column, _ in self.views)}
        roles |= {self.rules.get("status")}
        rules = [*self.rates, self.rules.get("change", {})]
        rated = {rule.get("column") for rule in rules}
        roles |= rated.union(*self.nested.values()) | {
            each for rule in rules if isinstance(each := rule.get("denominator"), str)
        }
        known = {*map(letters, roles - {None})}
        for place, column in enumerate(header):
            need(column in roles or letters(column) not in known, f"another spelling of a column: {column}")
            need(column in roles or not re.search(r"\d", "".join(line[place] for line in lines)), f"digits in {column}")
        need(all(any(line[1:]) for line in lines), f"a row with at most one text: {name}")
        need({column for column, _ in self.views} <= {*header}, f"a table without counts: {name}")
        for column, given in self.views:
            for line in lines:
                row, labels = dict(zip(header, line, strict=True)) | given, list[Any]()
                for each in self.dimensions:
                    if each in self.nested:
                        labels.append(tuple(text for inner in self.nested[each] if (text := row[inner]) not in NONE))
                    else:
                        labels.append(row.get(each, "") or self.totals.get(each))
                        need(labels[-1] is not None, f"a missing label of {each}, which has no total: {name}")
                both = re.fullmatch(r"(.+?)\s*[(\[]\s*([^()\[\]]*?)\s*%?\s*[)\]]", row[column])
                if both and column in rated:
                    row |= {column: both[1], f"{column} (rate)": both[2]}
                text = self.published(row[column])
                if "status" in self.rules:
                    text = SHAPES["with_status"](self, text, row[self.rules["status"]])
                yield release, tuple(labels), text, row, not self.exact.isdisjoint((tag, name, column))

    def published(self, text: str) -> str:
        """Return a text without a flag; an empty one for what counts as not published."""
        found = re.fullmatch(r"([0-9]+) ?(\(?[A-Za-z]{1,2}\)?)", text)
        text = found[1] if found and found[2] in self.rules.get("flags", ()) else text
        return "" if text in map(plain, self.rules.get("not_published", ())) else text

    def dimension(self, name: str, labels: list[Any]) -> None:
        """Record the atoms of a dimension, and the atoms that each of its labels covers."""
        total = () if name in self.nested else self.totals.get(name)
        labels = [label for label in labels if label != total]
        covered = SHAPES["covered"](self, name, labels)
        spelled = {*labels, total} - {None}
        need(len({str(label).casefold() for label in spelled}) == len(spelled), f"capitals that differ in {name}")
        atoms = list(dict.fromkeys(atom for some in covered.values() for atom in some)) if labels else []
        atoms += [REST] if name in self.rules.get("open", ()) or not atoms else []
        need(len({*atoms}) == len(atoms), f"two atoms of {name} with the same name")
        number = {atom: place for place, atom in enumerate(atoms)}
        self.atoms.append(atoms)
        known = {label: frozenset(number[atom] for atom in covered[label]) for label in labels}
        self.covered.append(known | {total: frozenset(range(len(atoms)))})

    def covers(self, labels: Sequence[Any]) -> tuple[frozenset[int], ...]:
        """Return the atoms that labels cover, in each dimension."""
        return tuple(covered[label] for covered, label in zip(self.covered, labels, strict=True))

    def boxed(self, period: int, sets: Iterable[frozenset[int]], since: int = -1) -> Box:
        """Return a box of atoms in a period, or in its increase since an earlier one."""
        first = since + 1 if self.over_time == "cumulative" else period
        every = (*sets, frozenset(range(first, period + 1)))
        return tuple(numbers.setdefault(one, len(numbers)) for numbers, one in zip(self.sets, every, strict=True))

    def inside(self, axis: int) -> np.ndarray:
        """Return which atoms of an axis are in each of its sets; shape (sets, atoms), bool."""
        found = np.zeros((len(self.sets[axis]), len(self.atoms[axis])), dtype=np.int64)
        for some, place in self.sets[axis].items():
            found[place, list(some)] = 1
        return found

    def counts(self, table: np.ndarray, boxes: Sequence[Box]) -> np.ndarray:
        """Return the counts of boxes in a table of whole numbers."""
        need(prod(map(len, self.sets)) <= MOST, "a series with this many sets of labels")
        for axis in range(len(self.sets)):
            table = np.moveaxis(np.tensordot(self.inside(axis), table, axes=(1, axis)), 0, axis)
        return table[tuple(np.array(boxes, dtype=np.int64).reshape(-1, len(self.sets)).T)]


def read_tables(series: TableSeries, columns: dict[str, list[Any]], boxes: Sequence[Sequence[Box]]) -> list[np.ndarray]:
    """Return the counts of some lists of boxes in each table of a file, each checked; shape (tables, boxes)."""
    places = [
        [{atom: place for place, atom in enumerate(atoms)}[each] for each in columns.pop(name)]
        for name, atoms in zip((*series.dimensions, "(period)"), series.atoms, strict=True)
    ]
    cells = list(zip(*places, strict=True))
    need(len({*cells}) == len(cells), "tables.parquet has two lines for a cell", 1)
    found, shape = [list[np.ndarray]() for _ in boxes], tuple(map(len, series.atoms))
    need([*columns] == [f"table_{at}" for at in range(len(columns))], "tables.parquet has other columns", 1)
    for name, column in columns.items():
        need(all(whole(count) and 0 <= count < LARGEST for count in column), f"{name} has no whole number", 1)
        need(sum(column) < LARGEST, f"{name} has too large counts", 1)
        table = np.zeros(shape, dtype=np.int64)
        table[tuple(np.array(places, dtype=np.int64))] = column
        for count, low, high in zip(series.counts(table, series.box).tolist(), series.low, series.high, strict=True):
            need(low <= count <= high, f"{name} has the count {count}; {low} to {high} is published", 1)
        for some, each in zip(found, boxes, strict=True):
            some.append(series.counts(table, each))
    need(columns, "tables.parquet has no table", 1)
    return [np.stack(some) for some in found]


def checked(folder: Path, witness: Path) -> int:
    """Print which statements a witness shows, and return the exit status."""
    stated = json.loads((witness / "statement.json").read_text("utf-8"))
    about = stated["format"], *(claim["claim"] for claim in stated["claims"])
    need(about == (FORMAT, *RULES), f"a witness with this format and these claims: {about}")
    series = TableSeries(folder)
    FRAME["check_files"](folder, series.read, stated)
    given = json.loads((witness / "questions.json").read_text("utf-8"))
    questions = beside("verify_asked")
    shown, boxes = list[str](), questions["StatedBoxes"](series, given["sets"])
    asked = {rule: [boxes.read(each) for each in given[rule]] for rule in RULES}
    large = questions["check_asked"](series, asked)
    tables = pq.read_table(witness / "tables.parquet").to_pydict()
    proofs = SUMS["Proofs"](series, boxes.read)
    seen = dict(zip(RULES, read_tables(series, tables, [asked[rule] for rule in RULES]), strict=True))
    for claim in stated["claims"]:
        rule, limit = claim["claim"], series.limits[claim["claim"]]
        ends = proofs.ends(asked[rule], given["proofs"][rule])
        several, certain = SUMS["decided"](rule, limit, seen[rule], ends, large)
        need(not (several & certain).any(), "the proofs contradict the tables", 1)
        found = {"questions": len(asked[rule]), "settled": int(several.sum()), "findings": int(certain.sum())}
        good = CELLS["same"](claim, {"claim": rule, "limit": limit, **found})
        need(good, f"stated: {claim}; found: {limit}, {found}", 1)
        shown.append(f"shown: {WORDS.format(**claim, tables=len(seen[rule]))}\n")
    return int(FRAME["print_shown"](stated, shown))


if __name__ == "__main__":
    sys.exit(FRAME["main"](*sys.argv[1:3], checked))
