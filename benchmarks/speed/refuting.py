"""Refuting: prove convictions again from the published files, by a programme that shares no code with the attack.

Each person and counterfeit of a release has one value of the group, each value occurs as often as published, and the
transitions allow the consecutive values of a person. A value is certain if CP-SAT finds no solution without it. For
small series of CSV files with key files, which give the group of each person.
"""

from __future__ import annotations

import csv
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterable
from itertools import pairwise, product
from pathlib import Path

from ortools.sat.python import cp_model

from series_bench.papers.processes import BenchmarkError

Conviction = tuple[str, int, str]
"""A person, a release counted from 0, and the person's value."""
_SECONDS = 60.0


def confirm(series: Path, tags: Iterable[str], convictions: Iterable[Conviction]) -> int:
    """Return how many convictions were proved.

    Raises:
        BenchmarkError: one is wrong or was not decided in time, or the releases have no solution.
    """
    model, holds = programme(series, tags)
    if _solved(model) not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        raise BenchmarkError(f"{series}: nothing fits the releases")
    number = 0
    for conviction in convictions:
        without = model.clone()
        without.add(without.get_bool_var_from_proto_index(holds[conviction].index) == 0)
        if _solved(without) != cp_model.INFEASIBLE:
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
                versions_of_person = [(person, position, value) for value in content]
                holds |= {each: model.new_bool_var("") for each in versions_of_person}
                model.add_exactly_one(holds[each] for each in versions_of_person)
                history[person].append(versions_of_person)
            for value, rows in content.items():
                model.add(sum(holds[person, position, value] for person in who) == rows)
    for versions in history.values():
        for before, after in pairwise(versions):
            for first, second in product(before, after):
                if (first[2], second[2]) not in may:
                    model.add_bool_or(~holds[first], ~holds[second])
    return model, holds


def _groups(
    series: Path, tag: str, position: int, columns: tuple[str, str]
) -> Iterable[tuple[list[str], Counter[str]]]:
    """Return the members of each group of a release, counterfeits under unique names, and its values."""
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
