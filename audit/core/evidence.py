"""Evidence: a series seen with some knowledge, as arrays. All that an attack may look at.

Per-person attacks read *pools*. A pool is a bag of published values from which a person's value in one release
must come: under the `linked` adversary the person's QI-group, under `register` the union of all the groups whose
boxes cover the person. With pools, one attack serves both adversaries, and one release is in memory at a time.

Sources: equivalence paper, Definition 9 (person and value matrix); m-invariance paper, Definitions 6 and 15.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, Protocol

import numpy as np
import numpy.typing as npt

Codes = npt.NDArray[np.int32]
Counts = npt.NDArray[np.int64]
AdversaryKind = Literal["linked", "register", "pseudonym"]


@dataclass(frozen=True, slots=True)
class Pools:
    """One release as an adversary sees it who looks at one person at a time.

    Attributes:
        person: the people in this release whose value is not known beforehand; distinct, shape (n,), int32.
        pool: the pool of each; shape (n,), int32, in [0, n_pools).
        n_pools: number of pools.
        entry_pool, entry_value, entry_count: the pools' contents as (pool, value, number of rows); shape (m,).
            A pair may stand in several entries, which add up; `entry_count` None means one row each.
        counted: false where the version (this person in this release) is known beforehand, so that it takes
            part in reasoning but in no measure; shape (n,), or None when all count.
        fixed: the known value of such a version, -1 elsewhere; shape (n,), or None.
        people: one more than the largest person code of this and all earlier releases.
        values: the number of sensitive values of this and all earlier releases.
    """

    person: Codes
    pool: Codes
    n_pools: int
    entry_pool: Codes
    entry_value: Codes
    entry_count: Counts | None
    counted: npt.NDArray[np.bool_] | None
    fixed: Codes | None
    people: int
    values: int


@dataclass(frozen=True)
class Transitions:
    """Which value may follow which between two consecutive versions of one person, and how often.

    Attributes:
        weight: shape (values, values), float64; the probability of going from row to column, 0 where impossible.
            Without probabilities in the file it is one over the number of values listed for the row.
        exact: the same, exactly, for the pairs that are possible.
        listed: whether the file says what may follow each value; shape (values,).
    """

    weight: npt.NDArray[np.float64]
    exact: dict[tuple[int, int], Fraction]
    listed: npt.NDArray[np.bool_]


class PoolSource(Protocol):
    """Where evidence gets a release's pools from."""

    def pools(self, release: int) -> Pools:
        """Return the pools of a release, counted from 0."""

    def stream(self) -> Iterator[Pools]:
        """Yield the pools of all releases in order, reading ahead."""

    def groups(self, release: int, people: Codes) -> list[tuple[str, ...]]:
        """Return, for each of some people in a release, the names of the groups that may hold the person."""


@dataclass(frozen=True)
class Evidence:
    """A series as one adversary sees it, for one sensitive attribute.

    Attributes:
        kind: the adversary.
        sensitive: name of the sensitive attribute.
        tags: the releases, in order of publication.
        transitions: which values may follow which; None when values never change.
        known: number of people with a value that is known beforehand.
        rows: about how many rows the releases have together, for choosing kernels.
        source: where the pools come from.
        values: the sensitive values by code; grows while releases are read.
    """

    kind: AdversaryKind
    sensitive: str
    tags: tuple[str, ...]
    transitions: Transitions | None
    known: int
    rows: int
    source: PoolSource
    values: Sequence[str]

    def pools(self, release: int) -> Pools:
        """Return the pools of a release, counted from 0."""
        return self.source.pools(release)

    def stream(self) -> Iterator[Pools]:
        """Yield the pools of all releases in order, reading ahead."""
        return self.source.stream()
