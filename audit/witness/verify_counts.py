"""Check numbers that are counted in the files: sizes and values of classes, least cuts; used by `verify.py`.

Each function takes the series that `verify.py` read, and returns the numbers of a claim. A claim that does not hold
raises `ValueError`, what is not supported `NotImplementedError`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

Filed: TypeAlias = Any  # as read by `verify.py`, which is not imported


def room(series: Filed, at: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the published group of each row of a release, and how many people it may have: less its counterfeits."""
    file, column = series.manifest.get("counterfeits", {}).get(series.tags[at]), series.columns.get("group")
    names, code = series.tables[at][column] if column else [""] * len(series.group[at]), dict[str, int]()
    group = np.array([code.setdefault(name, len(code)) for name in names], dtype=np.int64)
    left = np.bincount(group, minlength=len(code))
    if file is not None:
        table = series.table(file)
        for name, count in zip(table[column], table["Count"], strict=True):
            if not count.isdecimal():
                raise NotImplementedError(f"a number of counterfeits that is no whole number: {count}")
            left[code[name]] -= int(count)
    if (left < 0).any():
        raise NotImplementedError(f"more counterfeits than rows: {file}")
    return group, left[group]


def sizes(series: Filed) -> tuple[np.ndarray, np.ndarray]:
    """Return the number of rows of each class, and of people: rows less the counterfeits of the key or the release.

    A class is the rows of a group with equal cells, and of an Anatomy pair a group. Where only the number of a group's
    counterfeits is known, all of them may be in one class, but for one row, if the group has any people.
    """
    rows, fakes = np.zeros(len(series.held), dtype=np.int64), np.zeros(len(series.held), dtype=np.int64)
    for at, (group, who) in enumerate(zip(series.group, series.who, strict=True)):
        mine = series.first[at] + group
        np.add.at(rows, mine, 1)
        np.add.at(fakes, mine[[name is not None and name[:1] in ("", "~") for name in who]], 1)
        if not series.linked and not any(name is not None for name in who):
            of_group, people = room(series, at)
            fakes[mine] = np.minimum(np.bincount(of_group)[of_group] - people, rows[mine] - (people > 0))
    return rows, rows - fakes


def classes(series: Filed) -> tuple[np.ndarray, ...]:
    """Return the values of classes, twice, and which of them may have people whose value is not known."""
    people, held = sizes(series)[1], series.held[np.newaxis] > 0
    real = [not name.startswith("~") for name in series.people]
    np.subtract.at(people, series.home[(series.known >= 0) & (series.home >= 0) & np.array(real, dtype=np.bool_)], 1)
    return held, held, people[np.newaxis] > 0


def k(series: Filed, sensitive: None) -> dict[str, int]:
    """Return the fewest rows, and the fewest people, of a class that may have people."""
    del sensitive
    rows, people = sizes(series)
    return {"rows": int(rows[people > 0].min()), "people": int(people[people > 0].min())}


def min_e(series: Filed, sensitive: str) -> dict[str, int]:
    """Return a lower bound of e by the least cuts of buckets: one group per release and set of values.

    A person present from release a until before release b is an edge of the bucket's graph. A combination of groups
    gives each of these people the difference of two potentials, a whole number. A combination that is not zero
    everywhere is at least a cut. Half of the cut, rounded up, is the least number of people on a side.
    """
    del sensitive
    if series.may is not None or (series.known >= 0).any() or len(series.sensitive) > 1 or not series.linked:
        raise NotImplementedError("min_e if values change or are known, or for several sensitive columns")
    releases, graphs = len(series.tags), dict[tuple[int, ...], np.ndarray]()
    bucket = [tuple(np.flatnonzero(held).tolist()) for held in series.held]
    for a, b in zip(series.first, series.first[1:], strict=False):
        if len(set(bucket[a:b])) < b - a:
            raise NotImplementedError("min_e if two groups of a release have the same values")
    histories = [(home >= 0, {bucket[group] for group in home[home >= 0].tolist()}) for home in series.home.T]
    for at, who in enumerate(series.who):
        if None in who:
            raise NotImplementedError("min_e if rows belong to strangers")
        here = np.arange(releases) == at
        groups = series.first[at] + series.group[at][[not name for name in who]]
        histories += [(here, {bucket[group]}) for group in groups.tolist()]
    for here, buckets in histories:
        when = np.flatnonzero(here)
        if len(buckets) > 1 or when[-1] - when[0] >= len(when):
            raise NotImplementedError("min_e if people come back, or change to a group with other values")
        graph = graphs.setdefault(buckets.pop(), np.zeros((releases + 1, releases + 1), dtype=np.int64))
        graph[when[0], when[-1] + 1] += 1
        graph[when[-1] + 1, when[0]] += 1
    least = min(cut for graph in graphs.values() for cut in least_cuts(graph))
    return {"at_least": (least + 1) // 2}


def equivalent(series: Filed, sensitive: str) -> dict[str, int]:
    """Return how many people are on each side of an equivalence, by the sum of groups in `proofs.json`.

    The weighted sum of the groups contains no value more than zero times. So the people with a positive count have the
    same values as the people with a negative count.
    """
    if series.may is not None or not series.linked:
        raise NotImplementedError("sums of groups if values change or people are unknown")
    divisor, groups = series.proofs["sums"][sensitive]
    every = [divisor, *(x for each in groups for x in each)]
    if not all(type(x) is int and abs(x) < 1 << 31 for x in every) or divisor < 1:
        raise ValueError("the weights of a sum are not whole numbers")
    weight = np.zeros(len(series.held), dtype=np.int64)
    for release, row, times in groups:
        if min(release, row) < 0:
            raise ValueError("a sum has a row before the first one")
        weight[series.first[release] + series.group[release][row]] += times
    at, total = series.sensitive.index(sensitive), dict[str, int]()
    for value, number in zip(series.values, (weight @ series.held).tolist(), strict=True):
        total[value[at]] = total.get(value[at], 0) + number
    counted = np.where(series.home >= 0, weight[series.home], 0).sum(axis=0).tolist()
    for first, group, who in zip(series.first, series.group, series.who, strict=False):
        if any(name is None for name, each in zip(who, weight[first + group], strict=True) if each):
            raise NotImplementedError("sums of groups in which rows belong to strangers")
        counted += weight[first + group[[name == "" for name in who]]].tolist()
    more, less = (sum(sign * x for x in counted if sign * x > 0) for sign in (1, -1))
    if any(total.values()) or any(x % divisor for x in counted) or more != less or not more:
        raise ValueError("a sum of groups does not show that two sides are equal")
    return {"people": more // divisor}


def least_cuts(graph: np.ndarray) -> list[int]:
    """Return the least cut of each connected component of a graph, given its weights (Stoer and Wagner, 1997)."""
    found, left = list[int](), set(np.flatnonzero(graph.any(axis=0)).tolist())
    while left:
        part, front = set[int](), {min(left)}
        while front:
            part |= front
            front = {other for one in front for other in np.flatnonzero(graph[one]).tolist()} - part
        left -= part
        weight, best = graph[np.ix_(sorted(part), sorted(part))].copy(), 1 << 60
        while len(weight) > 1:
            added, order = weight[0].copy(), [0]
            while len(order) < len(weight):
                last = max((at for at in range(len(weight)) if at not in order), key=added.__getitem__)
                best = min(best, int(added[last])) if len(order) == len(weight) - 1 else best
                added = added + weight[last]
                order.append(last)
            one, other = order[-2:]
            weight[one] += weight[other]
            weight[:, one] = weight[one]
            weight[one, one] = 0
            weight = np.delete(np.delete(weight, other, 0), other, 1)
        found.append(best)
    return found


CLAIMS: dict[str, Callable[[Any, Any], dict[str, int]]] = {
    "k": k,
    "min_e": min_e,
    "equivalent": equivalent,
}
"""The function that returns the numbers of each claim, by the name of the claim."""
