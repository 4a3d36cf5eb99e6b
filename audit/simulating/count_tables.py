"""Count tables of simulated people by area, age and sex, in several releases."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from audit.io.table_writer import csv_text
from audit.model.arrays import Counts
from audit.model.count_tables import with_totals

Publish = Callable[[Counts, np.random.Generator], "np.typing.NDArray[np.str_]"]


@dataclass(frozen=True)
class TablePlan:
    """The size of the tables, and how releases are related.

    Attributes:
        releases, areas, ages: the numbers of releases, areas and age groups.
        mean: the mean number of people of each age and sex in an area.
        growing: whether each release adds people to those of the one before; otherwise it counts different people.
        seed: the seed of all random numbers.
    """

    releases: int = 12
    areas: int = 19
    ages: int = 6
    mean: float = 11.0
    growing: bool = True
    seed: int = 0


def true_tables(plan: TablePlan) -> Iterator[Counts]:
    """Yield the true counts of each release with their totals, shape (areas + 1, ages + 1, 3).

    The sizes of areas follow a gamma distribution (shape 0.6), and counts are Poisson.
    """
    rng = np.random.default_rng(plan.seed)
    scale = rng.gamma(0.6, plan.mean / 0.6, size=(plan.areas, plan.ages, 2))
    counts = rng.poisson(scale)
    for release in range(plan.releases):
        if release:
            counts = counts + rng.poisson(scale * 0.04) if plan.growing else rng.poisson(scale)
        yield with_totals(counts)


def series_files(plan: TablePlan, publish: Publish, rules: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the path and the text of each file of a series: the manifest, then the releases.

    Args:
        plan: the size of the tables.
        publish: returns the published text of each cell of a table with its totals, in the same shape.
        rules: further keys of [table] with their values as TOML.
    """
    over_time = "cumulative" if plan.growing else "independent"
    lines = [
        "[series]",
        'name = "Simulated counts by area, age and sex"',
        'kind = "tables"',
        'releases = ["releases/*.csv"]',
        "",
        "[table]",
        'dimensions = ["area", "age", "sex"]',
        'value = "people"',
        'totals = { area = "All", age = "All", sex = "All" }',
        *(f"{key} = {value}" for key, value in rules.items()),
        f'over_time = "{over_time}"',
        "",
        "[policy]",
        "min_count = 8",
    ]
    yield "series.toml", "\n".join(lines) + "\n"
    names = [f"E{n:03d}" for n in range(plan.areas)], [f"{10 * n}-{10 * n + 9}" for n in range(plan.ages)], ["f", "m"]
    labels = [[*each, "All"] for each in names]
    rng = np.random.default_rng([plan.seed, 1])
    for place, table in enumerate(true_tables(plan), 1):
        texts = publish(table, rng)
        cells = np.ndindex(texts.shape)
        rows = ([*(own[at] for own, at in zip(labels, cell, strict=True)), texts[cell]] for cell in cells)
        yield f"releases/{place:02d}.csv", csv_text([("area", "age", "sex", "people"), *rows])
