"""Small microdata folders, and a method simple enough to predict its output."""

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from audit.model.anonymizer import COUNTERFEIT, Bounds, Draft, Form, Promise, PublicationHistory, RefusalError, Snapshot

Row = tuple[Any, ...]
HEAD = ("Name", "Age", "Town", "Disease")


def write_microdata(
    folder: Path,
    snapshots: Mapping[str, Sequence[Row]],
    *,
    head: Sequence[str] = HEAD,
    domains: str = "",
    more: str = "",
) -> Path:
    """A folder whose snapshots have an identifier, quasi-identifiers and, last, the sensitive value."""
    folder.mkdir(parents=True, exist_ok=True)
    for tag, rows in snapshots.items():
        with (folder / f"{tag}.csv").open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([head, *rows])
    quasi = ", ".join(f'"{name}"' for name in head[1:-1])
    names = ", ".join(f'"{tag}.csv"' for tag in snapshots)
    text = f'[microdata]\nname = "Ward"\nsnapshots = [{names}]\n\n[columns]\nindividual = "{head[0]}"\n'
    text += f'quasi_identifiers = [{quasi}]\nsensitive = "{head[-1]}"\n{more}'
    (folder / "microdata.toml").write_text(text + (f"\n[domains]\n{domains}\n" if domains else ""), encoding="utf-8")
    return folder


@dataclass(frozen=True)
class Pairs:
    """Neighbours by the quasi-identifiers in pairs, the last in threes; keeps k-anonymity with k = 2.

    `fake` adds a counterfeit to the first group; `refuse` refuses rows; `cheat` puts the last row into a group of its
    own; `follows` needs update sets that are reflexive and closed.
    """

    fake: bool = False
    refuse: bool = False
    cheat: bool = False
    linked: bool = False
    follows: bool = False
    name = "pairs"
    promise = Promise("k-anonymity", {"k": 2})
    forms: tuple[Form, ...] = ("generalization", "anatomy")

    @property
    def links_records(self) -> bool:
        return self.linked

    @property
    def follows_updates(self) -> bool:
        return self.follows

    def publish(self, snapshot: Snapshot, so_far: PublicationHistory, rng: np.random.Generator, /) -> Draft:
        if self.refuse:
            raise RefusalError("these rows do not please", "please", rows=[1, 0], column="sensitive")
        row = np.lexsort(snapshot.point.T) if snapshot.point.size else np.arange(len(snapshot))
        groups = max(1, len(row) // 2)
        group = np.minimum(np.arange(len(row)) // 2, groups - 1)
        if self.cheat:
            group[-1], groups = groups, groups + 1
        low = np.full((groups, snapshot.point.shape[1]), 2**30, dtype=np.int32)
        high = np.full_like(low, -1)
        np.minimum.at(low, group, snapshot.point[row])
        np.maximum.at(high, group, snapshot.point[row])
        value = snapshot.value[row]
        if self.fake:
            row, group, value = np.append(row, COUNTERFEIT), np.append(group, 0), np.append(value, value[-1])
        return Draft(row.astype(np.int32), group.astype(np.int32), value.astype(np.int32), Bounds(low, high))
