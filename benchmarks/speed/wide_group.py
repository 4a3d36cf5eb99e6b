"""6,000 people, published twice, one group having many distinct values.

`python -m benchmarks.speed.wide_group VALUES FOLDER`
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import numpy as np

PEOPLE, SMALL, VALUES = 6_000, 5, 12
"""How many there are, how many in every other group, and of how many values those have one."""


def write(values: int, folder: Path) -> None:
    """Write the series; the first people are in the wide group both times."""
    rng = np.random.default_rng(0)
    value = rng.integers(0, VALUES, PEOPLE)
    value[:values] = VALUES + np.arange(values)
    (folder / "releases").mkdir(parents=True)
    for release in ("1", "2"):
        rest = rng.permutation(np.arange(values, PEOPLE))
        groups = [np.arange(values), *(rest[at : at + SMALL] for at in range(0, len(rest), SMALL))]
        with (folder / "releases" / f"{release}.csv").open("w", newline="") as file:
            lines = csv.writer(file)
            lines.writerow(["id", "group", "age", "disease"])
            lines.writerows(
                (f"p{person}", at, at, f"v{value[person]}") for at, members in enumerate(groups) for person in members
            )
    (folder / "series.toml").write_text(
        '[series]\nname = "one wide group"\nreleases = ["releases/1.csv", "releases/2.csv"]\n'
        '[columns]\nindividual = "id"\ngroup = "group"\nquasi_identifiers = ["age"]\nsensitive = "disease"\n'
    )


if __name__ == "__main__":
    write(int(sys.argv[1]), Path(sys.argv[2]))
