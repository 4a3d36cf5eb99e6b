"""Random series in which values change: tiny m-Distinct ones, and microdata for an anonymizer to publish.

docs/experiments-joint.md describes how they are drawn. Tiny series are those of the tests, which can write them to disk
and enumerate their worlds.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from audit.model.arrays import Codes
from audit.model.evidence import UpdateSets
from tests.helpers.tiny import Row, TinySeries

Masks = npt.NDArray[np.int64]
_BLOCK_RELEASES = 256
"""The number of releases drawn at once; the first legal one is taken."""


@dataclass(frozen=True)
class Small:
    """The parameters of tiny series; all people are in every release.

    Attributes:
        m: the promise, and the least size of a group.
        people, releases, values: their numbers.
        density: the probability that a value may become another one, before the sets are closed.
    """

    m: int
    people: int
    releases: int
    density: float
    values: int = 6


@dataclass(frozen=True)
class Population:
    """The parameters of microdata.

    Attributes:
        people: the number of people in each snapshot.
        density: the probability that a value may become another one, before the sets are closed.
        changes: the share of staying people whose value is drawn anew from its update set.
        snapshots, values: their numbers.
        turnover: the share of people who are replaced at each step.
    """

    people: int
    density: float
    changes: float
    snapshots: int = 4
    values: int = 10
    turnover: float = 0.2


def update_sets(values: int, density: float, rng: np.random.Generator) -> UpdateSets:
    """Draw random update sets: each pair independently, then closed as the paper requires."""
    return UpdateSets(rng.random((values, values)) < density).closed()


# -- tiny series --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Drawn:
    """One release, or many along a first axis.

    Attributes:
        own: the value of each person; shape (…, people), int64.
        label: the group of each person, numbered by its first member; shape (…, people), int64.
        mask: the values of each person's group, as bits; shape (…, people), int64.
        size: the size of each person's group; shape (…, people), int64.
    """

    own: npt.NDArray[np.int64]
    label: npt.NDArray[np.int64]
    mask: Masks
    size: npt.NDArray[np.int64]

    @classmethod
    def of(cls, own: npt.NDArray[np.int64], label: npt.NDArray[np.int64]) -> Drawn:
        """Return the release of these values and groups."""
        same = label[..., :, np.newaxis] == label[..., np.newaxis, :]
        mask = np.bitwise_or.reduce(np.where(same, 1 << own[..., np.newaxis, :], 0), axis=-1)
        return cls(own, label, mask, same.sum(axis=-1))

    @property
    def unique(self) -> npt.NDArray[np.bool_]:
        """Whether no group has a value twice; shape (…,)."""
        return (np.bitwise_count(self.mask) == self.size).all(axis=-1)

    def follows(self, last: Drawn, updates: UpdateSets) -> npt.NDArray[np.bool_]:
        """Return whether all groups are legal update instances of people's last ones (Definition 14); shape (…,)."""
        after = (updates.may << np.arange(len(updates))).sum(axis=1)
        legal = np.bitwise_count(self.mask) == last.size
        union = np.zeros_like(last.mask)
        for value, may in enumerate(after.tolist()):
            held = (last.mask >> value & 1).astype(np.bool_)
            legal &= ~held | (self.mask & may != 0)
            union |= np.where(held, may, 0)
        return (legal & (self.mask & ~union == 0)).all(axis=-1)

    def at(self, place: int) -> Drawn:
        """Return one of many releases."""
        return Drawn(self.own[place], self.label[place], self.mask[place], self.size[place])


def small_series(wanted: Small, rng: np.random.Generator) -> TinySeries:
    """Draw an m-Distinct series: each release is drawn until it may follow the one before."""
    updates = update_sets(wanted.values, wanted.density, rng)
    labels = partitions(wanted.people, wanted.m)
    releases: list[Drawn] = []
    while len(releases) < wanted.releases:
        if releases:
            own = changed(np.broadcast_to(releases[-1].own, (_BLOCK_RELEASES, wanted.people)), updates, rng)
        else:
            own = rng.integers(0, wanted.values, (_BLOCK_RELEASES, wanted.people))
        drawn = Drawn.of(own, labels[rng.integers(0, len(labels), _BLOCK_RELEASES)])
        fits = drawn.unique & (drawn.follows(releases[-1], updates) if releases else True)
        releases += [drawn.at(place) for place in np.flatnonzero(fits)[:1].tolist()]
    return named(releases, updates)


def changed(own: npt.NDArray[np.integer], updates: UpdateSets, rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """Draw each value anew from its update set, itself included, all being equally probable."""
    sizes = np.count_nonzero(updates.may, axis=1)
    members = np.argsort(~updates.may, axis=1, kind="stable")
    place = (rng.random(own.shape) * sizes[own]).astype(np.int64)
    return members[own, place]


@cache
def partitions(people: int, least: int) -> npt.NDArray[np.int64]:
    """Return all divisions of people into groups of a least size; shape (divisions, people), groups as in `Drawn`.

    >>> partitions(4, 2).tolist()
    [[0, 0, 0, 0], [0, 0, 1, 1], [0, 1, 0, 1], [0, 1, 1, 0]]
    """
    found = [[0]]
    for _ in range(people - 1):
        found = [[*labels, group] for labels in found for group in range(max(labels) + 2)]
    return np.array([labels for labels in found if min(map(labels.count, labels)) >= least])


def named(releases: list[Drawn], updates: UpdateSets) -> TinySeries:
    """Return releases with names of people, groups and values."""
    rows = [
        [
            Row(f"p{person}", str(group + 1), f"v{value}")
            for person, (group, value) in enumerate(zip(drawn.label.tolist(), drawn.own.tolist(), strict=True))
        ]
        for drawn in releases
    ]
    pairs = {(f"v{first}", f"v{last}"): None for first, last in np.argwhere(updates.may).tolist()}
    return TinySeries(rows, pairs)


# -- microdata ----------------------------------------------------------------------------------------------------


def microdata(wanted: Population, folder: Path, rng: np.random.Generator) -> Path:
    """Write snapshots of people who come, go for good, and change; with two numbers as quasi-identifiers."""
    updates = update_sets(wanted.values, wanted.density, rng)
    folder.mkdir(parents=True)
    person = np.arange(wanted.people, dtype=np.int32)
    value = rng.integers(0, wanted.values, wanted.people)
    point = rng.integers(0, 100, (wanted.people, 2))
    for snapshot in range(wanted.snapshots):
        if snapshot:
            moved = rng.random(wanted.people) < wanted.changes
            value = np.where(moved, changed(value, updates, rng), value)
            new = rng.permutation(wanted.people)[: round(wanted.turnover * wanted.people)]
            person[new] = person.max() + 1 + np.arange(len(new))
            value[new] = rng.integers(0, wanted.values, len(new))
            point[new] = rng.integers(0, 100, (len(new), 2))
        _write_snapshot(folder / f"{snapshot + 1}.csv", person, point, value)
    pairs = [(f"v{first}", f"v{last}") for first, last in np.argwhere(updates.may).tolist()]
    _write(folder / "updates.csv", [("from", "to"), *pairs])
    names = ", ".join(f'"{snapshot + 1}.csv"' for snapshot in range(wanted.snapshots))
    text = f'[microdata]\nname = "Random people"\nsnapshots = [{names}]\n\n[columns]\nindividual = "Name"\n'
    text += 'quasi_identifiers = ["X", "Y"]\nsensitive = "Value"\n\n[updates]\ntransitions = "updates.csv"\n\n'
    text += "[domains]\nX = [0, 99]\nY = [0, 99]\n"
    (folder / "microdata.toml").write_text(text, encoding="utf-8")
    return folder


def _write_snapshot(file: Path, person: Codes, point: npt.NDArray[np.int64], value: npt.NDArray[np.int64]) -> None:
    columns = zip(person.tolist(), point.tolist(), value.tolist(), strict=True)
    _write(file, [("Name", "X", "Y", "Value"), *((f"p{who}", *where, f"v{what}") for who, where, what in columns)])


def _write(file: Path, rows: list[tuple[object, ...]]) -> None:
    with file.open("w", newline="", encoding="utf-8") as opened:
        csv.writer(opened).writerows(rows)
