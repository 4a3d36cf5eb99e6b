"""Simulate further snapshots of microdata, in which people come, go and change as between the last two."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

import numpy as np

from audit.io.microdata import Microdata, SnapshotFile
from audit.model.errors import Problems
from audit.model.publication_plan import FUTURE_SNAPSHOTS

_People: TypeAlias = Mapping[str, tuple[str, ...]]
"""The published columns of each person, and last the sensitive value."""
_CHURN = 0.1
"""The share of people who leave, and who come, if there is only one snapshot."""


def with_future(microdata: Microdata, folder: Path, seed: int) -> Microdata:
    """Return the microdata with `FUTURE_SNAPSHOTS` further snapshots, which are written into a folder.

    Newcomers have the quasi-identifiers and the value of a random person. If values may change, a value becomes what
    such a value became between the last two snapshots.

    Raises:
        InputError: a snapshot cannot be read.
    """
    known = [_people(microdata, each) for each in microdata.snapshots[-2:]]
    now, before = known[-1], known[0]
    leave = _share(before, now) if len(known) > 1 else _CHURN
    come = _share(now, before) if len(known) > 1 else _CHURN
    later: dict[str, list[str]] = {}
    for who in before.keys() & now.keys() if microdata.updates is not None else ():
        later.setdefault(before[who][-1], []).append(now[who][-1])
    random, files = np.random.default_rng(seed), list(microdata.snapshots)
    for step in range(1, FUTURE_SNAPSHOTS + 1):
        rows = sorted(now.items())
        stay = random.random(len(rows)) >= leave
        following = {who: row for (who, row), follows in zip(rows, stay, strict=True) if follows}
        for who, row in following.items():
            values = sorted(later.get(row[-1], [row[-1]]))
            following[who] = (*row[:-1], values[int(random.integers(len(values)))])
        for place, like in enumerate(random.integers(len(rows), size=round(come * len(rows)))):
            following[f"newcomer-{step}-{place}"] = rows[int(like)][1]
        now, name = following, f"future-{step}.csv"
        with (folder / name).open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow([microdata.individual, *microdata.published])
            writer.writerows([who, *row] for who, row in now.items())
        files.append(SnapshotFile(f"future-{step}", folder / name, name))
    return replace(microdata, snapshots=tuple(files))


def _people(microdata: Microdata, file: SnapshotFile) -> _People:
    problems = Problems()
    names = [microdata.individual, *microdata.published]
    table = file.read(names, problems)
    problems.check()
    columns = [table.texts(name) for name in names] if table is not None else []
    return {row[0]: row[1:] for row in zip(*columns, strict=True)}


def _share(some: _People, others: _People) -> float:
    """Return the share of the people who are not among others."""
    return len(some.keys() - others.keys()) / max(1, len(some))
