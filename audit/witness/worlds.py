"""Worlds for a witness, with people and values numbered as in the checkers: an attack's worlds and variants of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

import numpy as np

from audit.adversary.view import View
from audit.model.arrays import Flags, Integers
from audit.model.outcome import PossibleValues
from audit.witness.verify import Published, check_world

MOST_WORLDS, _SHUFFLES = 60, 12


def worlds_of(series: Published, view: View, knowing: PossibleValues) -> list[Integers]:
    """Return the known worlds, with people and values numbered as in the checkers; shape (times, people) each."""
    code = np.array([series.code.get(texts_of(view, value), -1) for value in range(len(view.values))], dtype=np.int32)
    people = [view.source.candidate_groups(at).person for at in range(len(series.tags))]
    place = [np.array([series.people[view.name(each)] for each in some.tolist()], dtype=np.int64) for some in people]
    found = list[Integers]()
    for world in knowing.worlds():
        mine = np.full((series.times, len(series.people)), -1, dtype=np.int32)
        for at, (person, (_, value)) in enumerate(zip(place, world, strict=True)):
            mine[at % series.times, person] = code[value]
        found.append(mine)
    return found


def texts_of(view: View, value: int) -> tuple[str, ...]:
    """Return a value as texts, one for each attribute."""
    if view.combined is None:
        return (view.values[value],)
    vocabularies = [view.series.vocabularies[name].names for name in view.combined.attributes]
    return tuple(names[part] for names, part in zip(vocabularies, view.combined.parts()[value].tolist(), strict=True))


def chosen(series: Published, known: Sequence[Integers], *, all_values: bool) -> Integers:
    """Return the first world, and those worlds and variants that show more; shape (worlds, times, people).

    More is a second value of a person, or each other value of a person, if `all_values` matter.
    """
    taken, finer_only, same = [known[0]], list[Integers](), np.unique(known[0][0], return_inverse=True)[1]
    check_world(series, known[0], "the first world")
    first = known[0] if not all_values else np.arange(len(series.values))
    two: Flags = np.zeros((*known[0].shape, len(series.values))[: 2 + all_values], dtype=np.bool_)
    for world in (*_turned(series, known[0]), *known[1:], *_shuffled(series, known)):
        more: Flags = two | (world[..., np.newaxis] == first if all_values else world != first)
        finer = np.unique(same * (len(series.values) + 1) + world[0], return_inverse=True)[1].reshape(-1)
        grows, divides = more.sum() > two.sum(), series.times == 1 and finer.max(initial=0) > same.max(initial=0)
        if not (grows or divides) or len(taken) >= MOST_WORLDS or not holds(partial(check_world, series, world, "")):
            continue
        (taken if grows else finer_only).append(world)
        two, same = more, finer
    judged = series.judged.any(axis=0)
    if len(np.unique(same[judged])) == judged.sum():  # no two people are equal in all of them
        taken += finer_only
    return np.stack(taken)


def holds(check: Callable[[], None]) -> bool:
    """Return whether a checker accepts a world."""
    try:
        check()
    except NotImplementedError:
        return False
    return True


def _shuffled(series: Published, known: Sequence[Integers]) -> Iterator[Integers]:
    """Yield worlds in which people who are always in the same groups exchange their values."""
    key = np.concatenate([series.home, series.known]).T
    kind = np.unique(key, axis=0, return_inverse=True)[1].reshape(-1)
    order, rng = np.argsort(kind, kind="stable"), np.random.default_rng(0)
    for at in range(_SHUFFLES):
        mixed, world = np.lexsort((rng.random(len(kind)), kind)), known[at % len(known)]
        found = world.copy()
        found[:, order] = world[:, mixed]
        yield found


def _turned(series: Published, world: Integers) -> Iterator[Integers]:
    """Yield worlds in which people take the next value of their groups, if connected groups are balanced.

    In such a component, each group has all of its values equally often, and all groups have the same values
    (m-invariance, Lemma 3).
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    if series.may is not None or (series.known >= 0).any():
        return
    groups, people = series.held.shape[0], len(series.people)
    release, person = np.nonzero(series.home >= 0)
    home = series.home[release, person]
    edges = coo_array((np.ones(len(home), np.bool_), (person, people + home)), shape=(people + groups,) * 2)
    part = connected_components(edges, directed=False)[1]
    sets, values = np.unique(series.held > 0, axis=0, return_inverse=True)
    values = values.reshape(-1)
    low, high = np.full(part.max() + 1, len(values)), np.full(part.max() + 1, -1)
    np.minimum.at(low, part[people:], values)
    np.maximum.at(high, part[people:], values)
    uneven = ((series.held > 0) & (series.held < series.held.max(axis=1, keepdims=True))).any(axis=1)
    fair = low == high
    fair[part[people:][uneven]] = False
    of, value = np.nonzero(sets)
    after, begins = np.zeros(sets.shape, dtype=np.int64), np.append(True, of[1:] != of[:-1])[: len(of)]
    before = np.roll(value, 1)  # the value before each value of a set; the first value follows the last one
    before[begins] = value[np.roll(begins, -1)]
    after[of, value] = before
    some = np.flatnonzero(fair[part[:people]])
    found = world.copy()
    found[0, some] = after[low[part[some]], world[0, some]]
    yield found
