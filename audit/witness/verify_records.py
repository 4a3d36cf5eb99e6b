"""Check what an adversary learns by following published record ids; used by `verify.py`, in the same folder.

An id links the rows of one record. The description of a record is what the cells of its rows have in common, column by
column. After each release, the records so far with the same description form a class. An adversary who knows that a
person fits the description learns the values of all records in the class, or of those with a row in a release if the
person is known to be in it. A column that changes with time is a column of its own in each release. Each function takes
the series that `verify.py` has read. What is not supported raises `NotImplementedError`.
"""

from __future__ import annotations

import re
import runpy
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

Filed: TypeAlias = Any  # a series as read by `verify.py`, which is not imported
Meaning: TypeAlias = Any  # ends of numbers, or a set; texts; the beginning and the length of texts; None for everything
CELLS = runpy.run_path(str(Path(__file__).with_name("verify_cells.py")))
need = CELLS["need"]


def texts(cell: str) -> Meaning:
    """Return the texts that a cell covers, or the beginning and the length of those that a mask covers."""
    if not cell.strip("*"):
        return None
    if cell.endswith("*"):
        need(re.fullmatch(r"[\w .-]+", stem := cell.rstrip("*")), f"the mask {cell}")
        return stem, len(cell)
    parts = frozenset(part.strip() for part in (cell[1:-1] if re.fullmatch(r"\{.*\}", cell) else cell).split(","))
    need(all(parts), f"an empty text in {cell}")
    return parts


def shared(one: Meaning, other: Meaning) -> Meaning:
    """Return what two cells of a column have in common."""
    if one is None or other is None or one == other:
        return other if one is None else one
    if isinstance(one, frozenset) and isinstance(other, frozenset):
        found: Meaning = one & other
    elif isinstance(one, frozenset) or isinstance(other, frozenset):
        some, rest = (one, other) if isinstance(one, frozenset) else (other, one)
        found = frozenset(each for each in some if fits(each, rest))
    elif isinstance(one[0], str):  # two masks
        short, found = sorted((one, other), key=lambda each: len(each[0]))
        found = found if one[1] == other[1] and found[0].startswith(short[0]) else ()
    else:
        (low, is_open), (high, is_closed) = found = max(one[0], other[0]), min(one[1], other[1])
        found = found if low < high or (low == high and is_closed and not is_open) else ()
    need(found, "a record whose cells have nothing in common")
    return CELLS["single"](found) if isinstance(found, frozenset) and not isinstance(min(found), str) else found


def fits(member: Meaning, rest: Meaning) -> bool:
    """Return whether a text has the beginning and the length of a mask, or a number is in a range."""
    if isinstance(member, str):
        return len(member) == rest[1] and member.startswith(rest[0])
    return bool(CELLS["contains"](rest, member))


def meanings(series: Filed, name: str) -> list[list[Meaning]]:
    """Return what the cells of a column mean, release by release."""
    declared = series.columns.get("types", {}).get(name)
    column = [cell for table in series.tables for cell in table[name]]
    read, numeric = CELLS["cells"](column, name, declared), CELLS["is_numeric"](column, declared)
    numeric &= bool(declared) or not all(cell.endswith("*") for cell in read)  # masks match alike as texts
    known = {cell: CELLS["numbers"](cell) if numeric else texts(cell) for cell in {*read}}
    need(not numeric or all(known.values()), f"texts among numbers of {name}")
    ends = np.cumsum([0, *map(len, series.group)]).tolist()
    return [[known[cell] for cell in read[a:b]] for a, b in pairwise(ends)]


def records(series: Filed, sensitive: None) -> dict[str, int]:
    """Return how many records there are, and how many a class has at least after any release; only those of people."""
    del sensitive
    fewest, found = list[int](), 0
    for _, number, real in classes(series):
        sizes = np.bincount(number[real])
        found, fewest = int(real.sum()), [*fewest, *sizes[sizes > 0].tolist()]
    return {"records": found, "fewest": min(fewest)}


def sets(series: Filed) -> tuple[np.ndarray, ...]:
    """Return the values of the classes after each release, twice, and which of them have records of people.

    A class has the values of all its records. If some of them have no row in a release so far, the others are one more,
    and so are those of its records that are in the same releases.
    """
    need("transitions" not in series.manifest.get("adversary", {}), "record ids where values may change")
    of_record, found, judged, names = dict[int, int](), list[np.ndarray](), list[np.ndarray](), series.sensitive
    rows = list[list[int]]()
    for table, (record, number, real) in zip(series.tables, classes(series), strict=True):
        for one, value in zip(record, zip(*map(table.__getitem__, names), strict=True), strict=True):
            need(of_record.setdefault(one, series.code[value]) == series.code[value], "a record with two values")
        rows.append(record)
        size, every = np.bincount(number), list(range(len(number)))
        for some in [every, *rows]:
            found.append(np.zeros((len(size), len(series.values)), dtype=np.bool_))
            found[-1][number[some], [of_record[one] for one in some]] = True
            judged.append(np.isin(np.arange(len(size)), number[some][real[some]]))
            judged[-1] &= (some is every) | (np.bincount(number[some], minlength=len(size)) < size)
        held_by = [{*some} for some in rows]
        numbered = dict[tuple[int, ...], int]()
        same = [(int(number[one]), *(one in some for some in held_by)) for one in every]
        part = np.array([numbered.setdefault(each, len(numbered)) for each in same], int)
        found.append(np.zeros((len(numbered), len(series.values)), dtype=np.bool_))
        found[-1][part, [of_record[one] for one in every]] = True
        judged.append(np.isin(np.arange(len(numbered)), part[real]))
        whole = np.zeros(len(numbered), dtype=int)
        whole[part] = size[number]
        judged[-1] &= np.bincount(part) < whole
    held = np.concatenate(found)[np.newaxis]
    return held, held, np.concatenate(judged)[np.newaxis]


def classes(series: Filed) -> Iterator[tuple[list[int], np.ndarray, np.ndarray]]:
    """Yield, for each release, the record of each row, the class of each record so far, and if it is a person's."""
    need(not any(series.pairs) and not series.manifest.get("counterfeits"), "record ids of pairs, or counterfeits")
    code = dict[str, int]()
    columns, changing = list[list[list[Meaning]]](), series.columns.get("changing", [])
    for name in series.columns["quasi_identifiers"]:
        by_release = meanings(series, name)
        if name in changing:  # what a release says is about this release only
            none = [[None] * len(cells) for cells in by_release]
            columns += [[*none[:at], cells, *none[at + 1 :]] for at, cells in enumerate(by_release)]
        else:
            columns.append(by_release)
    need(columns, "record ids without quasi-identifiers")
    described: list[list[Meaning]] = [[] for _ in columns]
    name, people = series.columns["record"], set[str]()
    for table, who in zip(series.tables, series.who, strict=True):  # a record is a person's if one of its rows is
        people |= {one for one, own in zip(table[name], who, strict=True) if own is None or own[:1] not in ("", "~")}
    for at, table in enumerate(series.tables):
        ids = table[name]
        need(all(ids) and len({*ids}) == len(ids), f"an empty record id, or one twice, in release {series.tags[at]}")
        record = [code.setdefault(one, len(code)) for one in ids]
        for said, column in zip(described, columns, strict=True):
            said.extend([None] * (len(code) - len(said)))
            for one, cell in zip(record, column[at], strict=True):
                said[one] = shared(said[one], cell)
        numbered, real = dict[Any, int](), np.array([one in people for one in code], dtype=np.bool_)
        number = np.array([numbered.setdefault(each, len(numbered)) for each in zip(*described, strict=True)], int)
        yield record, number, real
