"""Few worlds: a selection of known worlds that together give as many people as possible different values.

Parts of a network are independent, so that worlds of different parts can be combined at will. In each part, the world
is taken next that changes the values of most people whose values no selected world changes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from attacks.graphs import component_of
from attacks.joint.knowledge import Knowledge
from attacks.joint.network import PLACES
from attacks.ragged import ragged, segments
from audit.model.arrays import Codes, Flags, Numbers
from audit.model.evidence import CandidateGroups

MOST, DRAWN = 60, 12
"""How many worlds are selected at most after the first, and how many are drawn at random in addition."""


def few_worlds(known: Knowledge) -> Iterator[Numbers]:
    """Yield the column of each variable in a few worlds, shape (variables,); nothing if no world is known.

    The first known world comes first.
    """
    first, (variables, columns, number) = known.worlds.first, known.worlds.changes()
    if (first < 0).any():
        return
    yield first
    part = _parts(known)
    order = np.lexsort((number, variables))
    owner, begin = variables[order], number[order]
    end = np.append(np.where(owner[1:] == owner[:-1], begin[1:], len(known.worlds) + 1), len(known.worlds) + 1)
    end = end[: len(owner)]
    kind = known.network.kind
    differs = np.flatnonzero((kind[columns[order]] != kind[first[owner]]) & (begin < end))
    owner, when = owner[differs], np.stack([begin[differs], end[differs]])
    for _ in range(MOST):
        if not len(owner):
            break
        chosen = _best(part, owner, when)
        yield _at(first, variables, columns, number <= chosen[part[variables]])
        changed = np.zeros(len(part), dtype=np.bool_)
        at = chosen[part[owner]]
        changed[owner[(when[0] <= at) & (at < when[1])]] = True
        owner, when = owner[~changed[owner]], when[:, ~changed[owner]]
    rng = np.random.default_rng(0)
    for _ in range(DRAWN if len(variables) else 0):
        chosen = rng.integers(0, len(known.worlds) + 1, int(part.max(initial=-1)) + 1)
        yield _at(first, variables, columns, number <= chosen[part[variables]])


def _parts(known: Knowledge) -> Numbers:
    """Return the part of each variable: variables that are linked, or in the same block, are in the same part."""
    net = known.network
    owner = net.owner[net.entry_column]
    tail = np.concatenate([owner, net.link[:, 0]])
    head = np.concatenate([net.variables + net.block[net.row], net.link[:, 1]])
    found: Numbers = component_of(tail, head, net.variables + int(net.block.max(initial=-1)) + 1)[: net.variables]
    return np.unique(found, return_inverse=True)[1].reshape(-1)


def _best(part: Numbers, owner: Numbers, when: Numbers) -> Numbers:
    """Return, for each part, the world in which most of the given variables differ from the first world.

    Args:
        part: the part of each variable; shape (variables,).
        owner: the given variables; shape (n,).
        when: the world from which on, and the one before which, each of them differs; shape (2, n).
    """
    of, at = np.concatenate([part[owner]] * 2), np.concatenate(list(when))
    sign = np.repeat([1, -1], len(owner))
    order = np.lexsort((-sign, at, of))
    of, at = of[order], at[order]
    last = np.append((of[1:] != of[:-1]) | (at[1:] != at[:-1]), True)
    held = np.cumsum(sign[order])[last]
    of, at = of[last], at[last]
    best = np.lexsort((-held, of))
    best = best[np.append(True, of[best][1:] != of[best][:-1])]
    found = np.zeros(int(part.max(initial=-1)) + 1, dtype=np.int64)
    found[of[best]] = at[best]
    return found


def _at(first: Numbers, variables: Numbers, columns: Numbers, changes: Flags) -> Numbers:
    """Return the first world after some changes; the last change of a variable counts."""
    found = first.copy()
    found[variables[changes]] = columns[changes]
    return found


def values_of(
    hosts: Sequence[CandidateGroups], known: Knowledge, world: Numbers, turn: int
) -> Iterator[tuple[Codes, Codes]]:
    """Yield the row class and the value of each person in a world, for each release; both shape (people,), int32.

    Args:
        hosts: the row classes that may hold each person, for each release.
        known: the knowledge of the columns.
        world: the column of each variable; shape (variables,).
        turn: if columns represent classes of values, where to begin in giving the values of a class to its people.
    """
    net = known.network
    for release, (contents, seen) in enumerate(zip(net.contents, hosts, strict=True)):
        begin, end = np.searchsorted(net.versions.release, [release, release + 1])
        variable = net.versions.variable[begin:end]
        value = net.kind[world[variable]].astype(np.int32)
        if not net.plain:
            unsure = np.flatnonzero(net.versions.entry[begin:end] >= 0)
            pair = contents.place[net.versions.group[begin:end][unsure], value[unsure]]
            order = np.argsort(pair, kind="stable")
            size = np.bincount(pair, minlength=len(contents.rows))
            seat = (ragged(np.zeros_like(size), size) + turn) % np.repeat(np.maximum(contents.rows, 1), size)
            pair_of = contents.place[contents.value_group, net.kind_of[contents.value]]
            by = np.argsort(pair_of, kind="stable")
            rows = np.repeat(contents.value[by], contents.value_rows[by])
            value[unsure[order]] = rows[(np.cumsum(contents.rows) - contents.rows)[pair[order]] + seat]
        place, many = seen.row_class[seen.start[:-1]], np.flatnonzero(np.diff(seen.start) > 1)
        if len(many):
            chosen = world[variable[many]]
            row = net.row[segments(net.row_start, chosen)]
            of = np.repeat(many, np.diff(net.row_start)[chosen])
            seats = (net.row_kind[row] == PLACES) & (net.row_release[row] == release)
            place[of[seats]] = net.row_group[row[seats]]
        yield place, np.where(seen.fixed >= 0, seen.fixed, value).astype(np.int32)
