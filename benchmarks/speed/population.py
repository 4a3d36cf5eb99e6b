"""Synthetic census-like people who come and go: the private side of the benchmark series.

A *block* is one population of the papers' shape (by default 600,000 people over 21 releases of 200,000).
Larger series are several blocks published together, so that a few bytes a person are enough.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Kind = Literal["invariant", "diverse"]

AGES = np.arange(17, 96)
GENDERS = np.array(["F", "M"])
EDUCATIONS = np.arange(1, 18)
BIRTHPLACES = np.array([f"B{i:02d}" for i in range(57)])
OCCUPATIONS = np.array([f"occupation {i:02d}" for i in range(50)])
QUASI_IDENTIFIERS = ("Age", "Gender", "Education", "Birthplace")
WIDTHS = (len(AGES), len(GENDERS), len(EDUCATIONS), len(BIRTHPLACES))

GROUP = 10
SIGNATURES = len(OCCUPATIONS) // GROUP
# Two hundredths of a release that each value of a signature takes: 10 · (6 + 5 + 4 + 3 + 2) = 200.
SHARES = np.repeat([6, 5, 4, 3, 2], GROUP)
SHARE_UNIT = int(SHARES.sum())


@dataclass(frozen=True, slots=True)
class Shape:
    """The size of a series: rows of a release and people exchanged at each step, per block."""

    rows: int = 200_000
    turnover: int = 20_000
    releases: int = 21
    blocks: int = 1

    def __post_init__(self) -> None:
        if self.rows % SHARE_UNIT or self.turnover % SHARE_UNIT or self.turnover > self.rows:
            raise ValueError(f"rows and turnover must be multiples of {SHARE_UNIT}, turnover at most rows")

    @property
    def people(self) -> int:
        """People of one block."""
        return self.rows + (self.releases - 1) * self.turnover


@dataclass(frozen=True, slots=True)
class Block:
    """The people of one block.

    `codes` is uint8 (4, people), `value` uint8 (people,); each is in the releases `first` to `last`, both
    uint8 and counted from 1.
    """

    codes: NDArray[np.uint8]
    value: NDArray[np.uint8]
    first: NDArray[np.uint8]
    last: NDArray[np.uint8]


def make_block(shape: Shape, kind: Kind, rng: np.random.Generator) -> Block:
    """Draw one block.

    `invariant`: every cohort, and the people who leave at a step, have the same number of people for each
    value of a signature, so that groups of one person per value can be formed in every release. `diverse`:
    values are skewed and lean on the education.
    """
    cohorts = np.array([shape.rows] + [shape.turnover] * (shape.releases - 1))
    first = np.repeat(np.arange(1, shape.releases + 1), cohorts).astype(np.uint8)
    codes = _quasi_identifiers(shape.people, rng)
    if kind == "invariant":
        value = np.concatenate([_quota(n, rng) for n in cohorts])
        lanes, leaving = value, SHARES * (shape.turnover // SHARE_UNIT)
    else:
        value = _skewed(codes[QUASI_IDENTIFIERS.index("Education")], rng)
        lanes, leaving = np.zeros(shape.people, np.uint8), np.array([shape.turnover])
    return Block(codes, value, first, _departures(first, lanes, leaving, shape.releases, rng))


def _quasi_identifiers(people: int, rng: np.random.Generator) -> NDArray[np.uint8]:
    age = np.exp(-(((AGES - 43) / 19.0) ** 2)) + 0.01
    gender = np.array([0.48, 0.52])
    education = np.array([1, 1, 1, 2, 2, 3, 3, 4, 25, 6, 7, 18, 11, 26, 11, 3, 2], float)
    birthplace = rng.permutation(1.0 / np.arange(2, 2 + len(BIRTHPLACES)))
    weights = (age, gender, education, birthplace)
    return np.stack([_draw(w, people, rng) for w in weights])


def _draw(weights: NDArray[np.float64], size: int, rng: np.random.Generator) -> NDArray[np.uint8]:
    edges = np.cumsum(weights / weights.sum())
    edges[-1] = 1.0
    return np.searchsorted(edges, rng.random(size), side="right").astype(np.uint8)


def _quota(size: int, rng: np.random.Generator) -> NDArray[np.uint8]:
    values = np.repeat(np.arange(len(OCCUPATIONS), dtype=np.uint8), SHARES * (size // SHARE_UNIT))
    return rng.permutation(values)


def _skewed(education: NDArray[np.uint8], rng: np.random.Generator) -> NDArray[np.uint8]:
    rank = _draw(1.0 / np.arange(4, 4 + len(OCCUPATIONS)), len(education), rng).astype(np.int64)
    leaning = rng.random(len(education)) < 0.5
    return ((rank + 3 * leaning * education) % len(OCCUPATIONS)).astype(np.uint8)


def _departures(
    first: NDArray[np.uint8],
    lanes: NDArray[np.uint8],
    leaving: NDArray[np.int64],
    releases: int,
    rng: np.random.Generator,
) -> NDArray[np.uint8]:
    """Return each person's last release: after every one, `leaving[v]` people of lane v go at random."""
    last = np.full(len(first), releases, np.uint8)
    staying = np.flatnonzero(first == 1)
    for release in range(1, releases):
        shuffled = rng.permutation(staying)
        ordered = shuffled[np.argsort(lanes[shuffled], kind="stable")]
        counts = np.bincount(lanes[ordered], minlength=len(leaving))
        rank = np.arange(len(ordered)) - np.repeat(np.cumsum(counts) - counts, counts)
        gone = rank < np.repeat(leaving, counts)
        last[ordered[gone]] = release
        staying = np.concatenate([ordered[~gone], np.flatnonzero(first == release + 1)])
    return last
