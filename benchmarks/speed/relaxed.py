"""Publish people anew in small groups by relaxed splits: `python -m benchmarks.speed.relaxed MICRODATA FOLDER`.

Cells are halved near the median of their widest attribute, people of equal values being dealt to both halves at random,
as long as both have three distinct values: groups of fewer than four rows, where strict splits give 5.6 and more.
"""

from __future__ import annotations

import argparse
import json
import sys
import tomllib
from pathlib import Path

import numpy as np
import pandas as pd

LEAST = 3
ATTRIBUTES = ("Age", "Gender", "Education", "Birthplace")


def groups(points: np.ndarray, value: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return the group of each row, from 0; `points` is (rows, attributes) from 0 to 1, `value` (rows,)."""
    group, waiting, number = np.zeros(len(value), dtype=np.int64), [np.arange(len(value))], 0
    while waiting:
        rows = waiting.pop()
        for attribute in np.argsort(-np.ptp(points[rows], axis=0), kind="stable"):
            order = rows[np.lexsort((rng.random(len(rows)), points[rows, attribute]))]
            middle = LEAST * (len(rows) // LEAST // 2)
            halves = order[:middle], order[middle:]
            if all(len(np.unique(value[half])) >= LEAST for half in halves):
                waiting += halves
                break
        else:
            group[rows] = number
            number += 1
    return group


def interval(codes: pd.Series, group: np.ndarray) -> pd.Series:
    """Return what is published of an attribute: the least and the greatest code of each row's group."""
    ends = codes.groupby(group).agg(["min", "max"])
    text = "[" + ends["min"].astype(str) + ", " + ends["max"].astype(str) + "]"
    return text.loc[group].reset_index(drop=True)


def main() -> None:
    """Write the series."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("microdata", type=Path)
    parser.add_argument("folder", type=Path)
    options = parser.parse_args()
    manifest = tomllib.loads((options.microdata / "microdata.toml").read_text(encoding="utf-8"))
    (options.folder / "releases").mkdir(parents=True)
    rng = np.random.default_rng(1)
    releases = []
    for number, snapshot in enumerate(manifest["microdata"]["snapshots"], 1):
        people = pd.read_parquet(options.microdata / snapshot).reset_index(drop=True)
        codes = pd.DataFrame({name: pd.factorize(people[name], sort=True)[0] for name in ATTRIBUTES})
        group = groups((codes / codes.max()).to_numpy(), pd.factorize(people["Occupation"])[0], rng)
        table = pd.DataFrame({"id": people["individual"], "Group": group + 1})
        for name in ATTRIBUTES:
            table[name] = interval(codes[name], group)
        table["Occupation"] = people["Occupation"]
        releases.append(f"releases/{number}.parquet")
        table.sort_values("Group", kind="stable").to_parquet(options.folder / releases[-1], index=False)
    lines = [
        f'[series]\nname = "relaxed groups"\nreleases = {json.dumps(releases)}\n',
        f'[columns]\nindividual = "id"\nsensitive = "Occupation"\nquasi_identifiers = {json.dumps(ATTRIBUTES)}\n',
        'group = "Group"\n',
    ]
    (options.folder / "series.toml").write_text("".join(lines), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
