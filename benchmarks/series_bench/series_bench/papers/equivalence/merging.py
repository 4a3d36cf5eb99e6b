"""Merge the groups of equal signature: `python -m series_bench.papers.equivalence.merging SERIES FOLDER`.

The result consists of whole buckets, a remedy that the equivalence paper discusses (Section IV-A, Tables IVb and Vb).
The series has to consist of Anatomy pairs, whose rows need no common cells.
"""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

import numpy as np
import numpy.typing as npt

from audit.io.manifest import Manifest, ReleaseFiles
from audit.io.series import open_series
from audit.io.table_writer import write_table
from audit.io.tables import Table, header, read_table, text_codes
from audit.model.arrays import Codes
from audit.model.errors import Problems

Numbers = npt.NDArray[np.int64]


def merge(source: Path, folder: Path) -> None:
    """Write a copy of a series in which the groups of each signature are one, release by release.

    Rows stay in their order, so that the keys hold for the copy too.

    Raises:
        InputError: the series cannot be read.
        ValueError: a release is no Anatomy pair.
    """
    manifest = open_series(source).manifest
    if any(files.values is None for files in manifest.releases):
        raise ValueError(f"{source}: publish the series by Anatomy to merge its groups")
    shutil.copytree(source, folder)
    for files in manifest.releases:
        _merge_release(manifest, files, folder)


def by_signature(group: Codes, value: Codes) -> Numbers:
    """Return a number for each group, the same for groups with the same set of values, from 1 in order of groups.

    Args:
        group: the group of each entry; shape (entries,), from 0 without gaps.
        value: its value; shape (entries,), from 0.

    >>> by_signature(np.array([0, 0, 1, 2, 2]), np.array([3, 1, 1, 1, 3])).tolist()
    [1, 2, 1]
    """
    held = np.zeros((int(group.max()) + 1, int(value.max()) + 1), dtype=np.bool_)
    held[group, value] = True
    masks = np.packbits(held, axis=1)
    _, first, number = np.unique(masks, axis=0, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[number].astype(np.int64) + 1


def _merge_release(manifest: Manifest, files: ReleaseFiles, folder: Path) -> None:
    """Write one pair, and its counterfeits where it has some, with merged groups."""
    import pyarrow as pa

    columns = manifest.columns
    (sensitive,), group, count = columns.sensitive, str(columns.group), columns.count or "count"
    values = _read(files.values, files.values_shown, [group, sensitive, count])
    code, groups = text_codes(values.arrow(group))
    value, texts = text_codes(values.arrow(sensitive))
    merged = by_signature(code, value)
    number = dict(zip(groups, merged.tolist(), strict=True))
    entry, rows = _summed(merged[code] * len(texts) + value, values.whole_numbers(count))
    held = pa.DictionaryArray.from_arrays((entry % len(texts)).astype(np.int32), texts)
    pair = {group: entry // len(texts), sensitive: held, count: rows}
    write_table(pa.table(pair), folder / files.values_shown)

    names = list(header(files.rows, files.shown, Problems()) or ())
    people = _read(files.rows, files.shown, names)
    own = {name: people.arrow(name) for name in names}
    write_table(pa.table({**own, group: _renumbered(people, group, number)}), folder / files.shown)

    shown = manifest.counterfeits.get(files.tag)
    if shown is not None:
        fakes = _read(manifest.folder / shown, shown, [group, "Count"])
        where, how_many = _summed(_renumbered(fakes, group, number), fakes.whole_numbers("Count"))
        write_table(pa.table({group: where, "Count": how_many}), folder / shown)


def _read(path: Path | None, shown: str, columns: list[str]) -> Table:
    problems = Problems()
    table = None if path is None else read_table(path, shown, columns, problems)
    problems.check()
    if table is None:
        raise ValueError(f"{shown} cannot be read")
    return table


def _renumbered(table: Table, column: str, number: dict[str, int]) -> Numbers:
    code, names = text_codes(table.arrow(column))
    return np.array([number[name] for name in names], dtype=np.int64)[code]


def _summed(key: Numbers, times: Numbers) -> tuple[Numbers, Numbers]:
    """Return the distinct keys, ascending, and the sum of each one's times."""
    distinct, place = np.unique(key, return_inverse=True)
    total = np.zeros(len(distinct), dtype=np.int64)
    np.add.at(total, place, times)
    return distinct, total


def main() -> None:
    """Parse the command line and merge."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("series", type=Path)
    parser.add_argument("folder", type=Path, help="new folder")
    arguments = parser.parse_args()
    merge(arguments.series, arguments.folder)


if __name__ == "__main__":
    main()
