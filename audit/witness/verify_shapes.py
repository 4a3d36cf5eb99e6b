"""Read the shapes of count tables: several columns of counts, nested labels, statuses, and rows that are left out.

`verify_tables.py` runs this file. What is not supported raises `NotImplementedError`, with the status 2.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain, combinations, product
from math import prod
from typing import Any, TypeAlias

Series: TypeAlias = Any  # what `verify_tables.py` reads
Labels: TypeAlias = list[Any]
STATISTIC, MOST_PARTS, MOST_ROWS = "statistic", 8, 100_000


def need(holds: object, what: str, status: int = 2) -> None:
    """Stop with a message and an exit status unless a condition holds."""
    if not holds:
        raise NotImplementedError(status, what)


def unfolded(rules: dict[str, Any]) -> tuple[dict[str, Any], list[tuple[str, dict[str, str]]]]:
    """Return the rules of a table, and its columns of counts, each with the labels that all of its counts share.

    Columns of counts that are parts of one whole are labels of a dimension, `statistic`.
    """
    if "wide" in rules:
        need("values" not in rules, "values of a wide table")
        wide = rules["wide"]
        return rules, [(column, {wide["dimension"]: label}) for label, column in wide["columns"].items()]
    if "values" not in rules:
        need("part_of" not in rules, "parts of counts that are not columns")
        return rules, [(rules["value"], {})]
    part_of = {name: whole for name, whole in rules.get("part_of", {}).items() if whole}
    roots = [name for name in rules["values"] if name not in part_of]
    one = (
        len(roots) == 1
        and part_of
        and {*part_of, *part_of.values()} <= {*rules["values"]}
        and len(part_of) <= MOST_PARTS
    )
    need(one and all(ends(name, part_of) for name in part_of), "columns of counts that are not parts of one whole")
    need("value" not in rules and STATISTIC not in rules["dimensions"], "value, or a dimension statistic, with values")
    totals = {**rules.get("totals", {}), STATISTIC: roots[0]}
    more = {"dimensions": [*rules["dimensions"], STATISTIC], "totals": totals, "part_of": part_of}
    opened = [*rules.get("open", ()), STATISTIC]
    return {**rules, **more, "open": opened}, [(name, {STATISTIC: name}) for name in rules["values"]]


def ends(name: str, part_of: dict[str, str]) -> bool:
    """Return whether the counts around a part end with one that is part of none."""
    for _ in part_of:
        name = part_of.get(name, name)
    return name not in part_of


def covered(series: Series, name: str, labels: Labels) -> dict[Any, list[Any]]:
    """Return the atoms that each label of a dimension covers; parts of one count may overlap in any way."""
    rules = series.rules
    if name in series.nested:
        need(name not in rules.get("categories", {}), f"categories of nested {name}")
        names = {series.totals.get(each) for each in (name, *series.nested[name])}
        need(names.isdisjoint(chain(*labels)), f"a label of nested {name} that is its total")
        paths = {label[:end] for label in labels for end in range(1, len(label) + 1)}
        leaves = sorted(paths - {path[:-1] for path in paths})
        return {path: [" > ".join(end) for end in leaves if end[: len(path)] == path] for path in paths}
    if name == STATISTIC and "values" in rules:
        need(name not in rules.get("categories", {}), f"categories of {name}")
        parts = [value for value in rules["values"] if value in rules["part_of"]]
        some = [each for size in range(1, len(parts) + 1) for each in combinations(parts, size)]
        whole = {*rules["values"]} - {*parts}
        some = [each for each in some if all(rules["part_of"][part] in whole.union(each) for part in each)]
        inside = {part: [each for each in some if part in each] for part in parts}
        only = {(part,): f"only {part}" for part in parts if len(inside[part]) > 1}
        return {part: [only.get(each, " & ".join(each)) for each in inside[part]] for part in parts}
    if name in rules.get("codes", ()):
        need(name not in rules.get("categories", {}), f"categories of codes of {name}")
        inside = {code: [each for each in labels if each != code and each.startswith(code)] for code in labels}
        return {code: [each for each in inner if not inside[each]] or [code] for code, inner in inside.items()}
    if name not in rules.get("categories", {}):
        return {label: [label] for label in labels}
    found, (header, lines) = dict[Any, list[Any]](), series.table(rules["categories"][name])
    for line in lines:
        row = dict(zip(header, line, strict=True))
        need(row["label"] and row["atom"], f"an empty label or atom of {name}")
        found.setdefault(row["label"], []).append(row["atom"])
    need({*labels} <= {*found}, f"a label of {name} that its categories lack")
    return found


def in_full(label: object) -> str:
    """Return the text of a label, by which rows that are left out are ordered; a nested one with those around it."""
    return " > ".join(label) if isinstance(label, tuple) else str(label)


def with_status(series: Series, text: str, status: str) -> str:
    """Return the marker in the column of statuses, if it stands for the value, and otherwise the value."""
    least, most = series.markers.get(status, (0, 0))
    hidden = series.rules.get("status_hides", False) and least < most
    return status if status in series.markers and (hidden or not re.search("[0-9]", text)) else text


def left_out(series: Series) -> Iterator[tuple[int, tuple[Any, ...]]]:
    """Yield the period and the labels of each row that a release leaves out, although it has others of its crossing.

    A crossing is the set of dimensions in which a row is not at the total. In each of them, a row may be left out with
    each label that covers one atom; in a dimension with categories or codes, with each label of the crossing in the
    release.
    """
    totals = [() if name in series.nested else series.totals.get(name) for name in series.dimensions]
    by_crossing = dict[Any, set[tuple[Any, ...]]]()
    for release, (_, labels, _) in zip(series.release, series.rows, strict=True):
        crossing = tuple(label != total for label, total in zip(labels, totals, strict=True))
        by_crossing.setdefault((release, crossing), set()).add(labels)
    for (release, crossing), rows in by_crossing.items():
        some = list[set[Any]]()
        for place, name in enumerate(series.dimensions):
            several = name in {*series.rules.get("categories", {}), *series.rules.get("codes", ())}
            sets = {label: atoms for label, atoms in series.covered[place].items() if label != totals[place]}
            single = {label for label, atoms in sets.items() if len(atoms) == 1}
            need(several or len({sets[label] for label in single}) == len(single), f"two labels of one atom of {name}")
            shown = {labels[place] for labels in rows}
            some.append(single if crossing[place] and not several else shown)
        need(prod(map(len, some)) <= MOST_ROWS, "a table that leaves out this many rows")
        yield from (
            (min(release, series.periods - 1), labels)
            for labels in product(*(sorted(each, key=in_full) for each in some))
            if labels not in rows
        )
