"""Series of count tables of any size: `python -m benchmarks.speed.count_tables KIND NUMBERS FOLDER`.

Kinds: `independent` (counts below 8 hidden), `cumulative` (the same of a register that only grows), `year-to-date`
(months and the year so far), `secondary` (further cells hidden until lines reveal nothing), `rounded` (a register
that only grows, rounded to 5, counts below 8 hidden).
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import numpy as np

from anonymizers.count_tables import COUNT_METHODS
from audit.simulating.count_tables import TablePlan, series_files, with_totals

METHODS = {"independent": "threshold", "cumulative": "threshold", "secondary": "secondary", "rounded": "rounding"}
KINDS = ("independent", "cumulative", "year-to-date", "secondary", "rounded")
RELEASES = 12
SIZES = {500: (4, 2), 5000: (19, 6), 50_000: (99, 13)}


def shape_of(numbers: int) -> tuple[int, int]:
    """Return how many areas and ages give about so many numbers in twelve releases."""
    return SIZES.get(numbers) or (max(1, round(numbers / RELEASES / 42) - 1), 13)


def write_series(folder: Path, kind: str, numbers: int, seed: int = 0) -> Path:
    """Write a series into a folder, and return it."""
    areas, ages = shape_of(numbers)
    (folder / "releases").mkdir(parents=True)
    if kind == "year-to-date":
        return _year_to_date(folder, np.random.default_rng(seed), numbers)
    method = COUNT_METHODS[METHODS[kind]]
    plan = TablePlan(RELEASES, areas, ages, growing=kind in ("cumulative", "rounded"), seed=seed)
    for name, text in series_files(plan, method.publish, method.rules):
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def _year_to_date(folder: Path, rng: np.random.Generator, numbers: int) -> Path:
    areas = max(2, round(numbers / RELEASES / 2 / 3) - 1)
    months = rng.poisson(rng.gamma(0.6, 18, size=(areas, 1, 1)) * 0.7, size=(areas, 2, RELEASES))
    table = with_totals(months)[:, :, :RELEASES]
    so_far = table.cumsum(axis=2)
    labels = [[*(f"E{n:04d}" for n in range(areas)), "All"], ["f", "m", "All"]]
    for month in range(RELEASES):
        tag = f"{month + 1:02d}"
        both = np.stack([table[:, :, month], so_far[:, :, month]], axis=2)
        texts = COUNT_METHODS["threshold"].publish(both, rng)
        _write(folder / "releases" / f"{tag}.csv", ["area", "sex", "month", "n"], [*labels, [tag, f"to {tag}"]], texts)
    lines = ["label,atom"]
    for month in range(1, RELEASES + 1):
        lines.append(f"{month:02d},{month:02d}")
        lines += [f"to {month:02d},{each:02d}" for each in range(1, month + 1)]
    (folder / "month.csv").write_text("\n".join(lines) + "\n")
    (folder / "series.toml").write_text(
        '[series]\nname = "year to date"\nkind = "tables"\nreleases = ["releases/*.csv"]\n'
        '[table]\ndimensions = ["area", "sex", "month"]\nvalue = "n"\ntotals = { area = "All", sex = "All" }\n'
        'categories = { month = "month.csv" }\nmarkers = { "*" = [1, 7] }\nthreshold = 8\nover_time = "same"\n'
    )
    return folder


def _write(path: Path, header: list[str], labels: list[list[str]], texts: np.ndarray) -> None:
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(header)
        for place in np.ndindex(texts.shape):
            writer.writerow([*(names[each] for names, each in zip(labels, place, strict=True)), texts[place]])


if __name__ == "__main__":
    write_series(Path(sys.argv[3]), sys.argv[1], int(sys.argv[2]))
