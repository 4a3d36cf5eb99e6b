"""Results: a table with a line for each figure, and a page with a table for each case."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from series_bench import VERSION
from series_bench.cases import Case


@dataclass(frozen=True)
class Result:
    """The scores of a method on one case."""

    method: str
    case: Case
    scores: Mapping[str, float | str]


def tabled(results: Sequence[Result]) -> pd.DataFrame:
    """Return a line for each figure."""
    rows = [
        [VERSION, each.case.kind, each.case.name, each.case.seed, each.method, measure, value]
        for each in results
        for measure, value in each.scores.items()
    ]
    return pd.DataFrame(rows, columns=["version", "task", "case", "seed", "method", "measure", "value"])


def as_page(table: pd.DataFrame) -> str:
    """Return a page with a table for each case, means of the seeds, and why methods refused it."""
    parts = [f"<!doctype html><meta charset=utf-8><title>series-bench {VERSION}</title><h1>series-bench {VERSION}</h1>"]
    for (task, case), lines in table.groupby(["task", "case"], sort=False):
        refused = lines["measure"] == "refused"
        scores = lines[~refused].assign(value=pd.to_numeric(lines["value"], errors="coerce"))
        shown = scores.pivot_table(index="method", columns="measure", values="value", sort=False)
        reasons = lines[refused].drop_duplicates("method").set_index("method")[["value"]]
        parts += [f"<h2>{task}: {case}</h2>", shown.to_html(na_rep="", float_format="{:.3g}".format)]
        parts += [f"<p>Refused by:</p>{reasons.to_html(header=False)}"] if refused.any() else []
    return "\n".join([*parts, ""])
