"""Check that a series is what `make_series` promises: `python -m benchmarks.speed.check_series OUT`."""

from __future__ import annotations

import argparse
import tomllib
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
from numpy.typing import NDArray

from benchmarks.speed.population import GROUP, OCCUPATIONS, QUASI_IDENTIFIERS


class BrokenSeriesError(Exception):
    """The series is not what was promised."""


def check(folder: Path, kind: str) -> dict[str, object]:
    """Check one generated series, the folder of its variants, and return what was counted."""
    files = sorted((folder / "linked" / "releases").iterdir())
    candidates: dict[int, int] = {}
    value_of = np.full(0, -1)
    before: NDArray[np.int64] | None = None
    facts: dict[str, object] = {"releases": len(files)}
    exchanged = set()
    rows = set()
    for file in files:
        table = _read(file)
        ids = table["individual"].to_numpy()
        values = _codes(table["Occupation"], OCCUPATIONS)
        group = table["Group"].to_numpy()
        rows.add(len(ids))
        _require(len(np.unique(ids)) == len(ids), f"{file}: a person is listed twice")
        _require(bool((np.diff(group) >= 0).all()), f"{file}: rows are not sorted by group")
        _require(set(np.bincount(group)) == {GROUP}, f"{file}: a group is not of ten")
        distinct = len(np.unique(group.astype(np.int64) * len(OCCUPATIONS) + values))
        _require(kind == "diverse" or distinct == len(ids), f"{file}: a value is repeated in a group")
        value_of = _same_values(value_of, ids, values, file)
        candidates = _narrow(candidates, ids, group, values)
        if before is not None:
            gone, come = np.setdiff1d(before, ids), np.setdiff1d(ids, before)
            exchanged.add((len(gone), len(come)))
        before = ids
        facts["cells of the last release"] = {q: len(np.unique(table[q].to_numpy())) for q in QUASI_IDENTIFIERS}
        facts["masked birthplaces"] = float((table["Birthplace"].to_numpy() == "*").mean())
    sizes = np.bincount([c.bit_count() for c in candidates.values()])
    _require(kind == "diverse" or int(sizes.nonzero()[0].min()) == GROUP, "a candidate set shrinks")
    facts |= {"rows": rows, "out and in": exchanged, "people": len(candidates)}
    facts["candidate sizes"] = {int(size): int(sizes[size]) for size in sizes.nonzero()[0]}
    facts["register"] = _check_register(folder / "register", files, before)
    return facts


def _read(file: Path) -> pa.Table:
    return pa_csv.read_csv(file) if file.suffix == ".csv" else pq.ParquetFile(file).read()


def _codes(column: pa.ChunkedArray, words: NDArray[np.str_]) -> NDArray[np.int64]:
    return np.searchsorted(words, column.to_numpy().astype(str))


def _require(holds: bool, what: str) -> None:
    if not holds:
        raise BrokenSeriesError(what)


def _same_values(
    known: NDArray[np.int64], ids: NDArray[np.int64], values: NDArray[np.int64], file: Path
) -> NDArray[np.int64]:
    if ids.max() >= len(known):
        known = np.concatenate([known, np.full(int(ids.max()) + 1 - len(known), -1)])
    _require(bool(((known[ids] == -1) | (known[ids] == values)).all()), f"{file}: a value changes")
    known[ids] = values
    return known


def _narrow(
    candidates: dict[int, int], ids: NDArray[np.int64], group: NDArray[np.int64], values: NDArray[np.int64]
) -> dict[int, int]:
    bits = np.bitwise_or.reduceat(np.int64(1) << values, np.flatnonzero(np.diff(group, prepend=-1)))
    # Plain Python on purpose: an answer that shares nothing with the code under test.
    for person, box in zip(ids.tolist(), bits[group].tolist(), strict=True):
        candidates[person] = candidates.get(person, -1) & box
    return candidates


def _check_register(folder: Path, files: list[Path], last_ids: NDArray[np.int64] | None) -> dict[str, int]:
    manifest = tomllib.loads((folder / "series.toml").read_text(encoding="utf-8"))
    _require("individual" not in manifest["columns"], "the register's manifest names individuals")
    table = _read(folder / manifest["adversary"]["register"])
    ids = table["individual"].to_numpy()
    first, last = table["first"].to_numpy(), table["last"].to_numpy()
    staying = ids[last == len(files)]
    _require(set(staying.tolist()) == set(np.asarray(last_ids).tolist()), "the register's last release differs")
    for position, file in enumerate(files, 1):
        twin = folder / "releases" / file.name
        _require(twin.samefile(file), f"{twin} is not the same file")
        present = np.sort(ids[(first <= position) & (position <= last)])
        _require(
            np.array_equal(present, np.sort(_read(file)["individual"].to_numpy())),
            f"{file}: register differs",
        )
    _check_boxes(table, _read(files[-1]))
    cardinalities = {q: len(np.unique(table[q].to_numpy())) for q in QUASI_IDENTIFIERS}
    points = table.select(list(QUASI_IDENTIFIERS)).group_by(list(QUASI_IDENTIFIERS)).aggregate([]).num_rows
    return cardinalities | {"distinct points": points}


def _check_boxes(register: pa.Table, release: pa.Table, sample: int = 20_000) -> None:
    """Check that the published cells of the first rows cover the people in them."""
    people = dict(zip(register["individual"].to_pylist(), register.to_pylist(), strict=True))
    for row in release.slice(0, sample).to_pylist():
        person = people[row["individual"]]
        for name in QUASI_IDENTIFIERS:
            cell, exact = str(row[name]), person[name]
            covered = cell == "*" or (
                _low_high(cell)[0] <= exact <= _low_high(cell)[1]
                if isinstance(exact, int)
                else exact in cell.split(",")
            )
            _require(covered, f"{name} {cell} does not cover {exact}")


def _low_high(cell: str) -> tuple[int, int]:
    ends = [int(end) for end in cell.strip("[]").split(",")]
    return ends[0], ends[-1]


def main() -> None:
    """Check the folder named on the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--kind", choices=["invariant", "diverse"], required=True)
    options = parser.parse_args()
    for name, fact in check(options.folder, options.kind).items():
        print(f"{name}: {fact}")


if __name__ == "__main__":
    main()
