"""Convictions proved again from the published files, by a programme that shares nothing with the attack.

Of every person and counterfeit of a release one value of the group is true, each value as often as published, and
consecutive values of a person are allowed by the transitions. A value is certain when no solution (CP-SAT) lacks it.
Small series of CSV files with key files; everybody's group is known.
"""

from __future__ import annotations

import csv
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path

from ortools.sat.python import cp_model

from series_bench.papers.processes import BenchmarkError

Conviction = tuple[str, int, str]
"""Who has which value in which release, counted from 0."""
_SECONDS = 60.0


def confirm(series: Path, tags: Iterable[str], convictions: Iterable[Conviction]) -> int:
    """Return how many convictions were proved.

    Raises:
        BenchmarkError: one is wrong, or was not decided in time, or nothing fits the releases.
    """
    model, holds = programme(series, tags)
    if _solved(model) not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        raise BenchmarkError(f"{series}: nothing fits the releases")
    number = 0
    for conviction in convictions:
        other = model.clone()
        other.add(other.get_bool_var_from_proto_index(holds[conviction].index) == 0)
        if _solved(other) != cp_model.INFEASIBLE:
            raise BenchmarkError(f"{series}: {conviction} is not certain, or was not decided")
        number += 1
    return number


def programme(series: Path, tags: Iterable[str]) -> tuple[cp_model.CpModel, dict[Conviction, cp_model.IntVar]]:
    """Return the programme of a series, and the variable of each person, release and value."""
    model, holds = cp_model.CpModel(), dict[Conviction, cp_model.IntVar]()
    may = {(line["from"], line["to"]) for line in _lines(series / "transitions.csv")}
    history: dict[str, list[list[Conviction]]] = defaultdict(list)
    columns = tomllib.loads((series / "series.toml").read_text(encoding="utf-8"))["columns"]
    for position, tag in enumerate(tags):
        for who, content in _groups(series, tag, position, (columns["group"], columns["sensitive"])):
            for person in who:
                mine = [(person, position, value) for value in content]
                holds |= {each: model.new_bool_var("") for each in mine}
                model.add_exactly_one(holds[each] for each in mine)
                history[person].append(mine)
            for value, rows in content.items():
                model.add(sum(holds[person, position, value] for person in who) == rows)
    for versions in history.values():
        for before, after in pairwise(versions):
            for one in before:
                for other in after:
                    if (one[2], other[2]) not in may:
                        model.add_bool_or(~holds[one], ~holds[other])
    return model, holds


def _groups(
    series: Path, tag: str, position: int, columns: tuple[str, str]
) -> Iterable[tuple[list[str], Counter[str]]]:
    """Return who is in each group of a release, counterfeits by names that nobody else has, and its values."""
    rows = _lines(series / "releases" / f"{tag}.csv")
    keys = [line["individual"] for line in _lines(series / "private" / f"{tag}.key.csv")]
    who, values = defaultdict[str, list[str]](list), defaultdict[str, Counter[str]](Counter)
    for number, (row, person) in enumerate(zip(rows, keys, strict=True)):
        group, value = (row[name] for name in columns)
        who[group].append(person or f"counterfeit {position} {number}")
        values[group][value] += 1
    return [(who[group], values[group]) for group in who]


def _solved(model: cp_model.CpModel) -> cp_model.CpSolverStatus:
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.max_time_in_seconds = _SECONDS
    return solver.solve(model)


def _lines(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))
