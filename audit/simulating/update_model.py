"""Update model: which values a sensitive value may become, and how quasi-identifiers change with time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NoReturn

import numpy as np
import numpy.typing as npt

from audit.model.errors import UsageError, printable
from audit.simulating.attributes import Attribute, Column, plain

Move = Callable[[Column, np.random.Generator], None]
"""Changes the codes of one quasi-identifier by one step, in place."""

YEARLY = 0.05
"""The share of people whose education or marital status may change at one step."""
_NEVER_MARRIED = {"nevermarried", "nevermarriedsingle", "single", "unmarried"}


@dataclass(frozen=True)
class SimulatedUpdates:
    """Each sensitive value's candidate update set: runs of neighbours in the domain (m-Distinct paper, Definition 12).

    Attributes:
        first: the first value of each value's set; shape (values,), int64.
        diameter: the number of values of each set (the paper's Section VI-A).
    """

    first: npt.NDArray[np.int64]
    diameter: int

    @property
    def closed(self) -> bool:
        """Whether each set contains its members' sets."""
        last = self.first + self.diameter - 1
        return np.array_equal(self.first[self.first], self.first) and np.array_equal(self.first[last], self.first)

    def pairs(self) -> Iterator[tuple[int, int]]:
        """Yield every possible update as the codes of the old and the new value."""
        for value, first in enumerate(self.first.tolist()):
            for follower in range(first, first + self.diameter):
                yield value, follower

    def changed(self, value: Column, rng: np.random.Generator) -> Column:
        """Draw another value of each value's set, all equally probable; shape (rows,). The diameter is 2 or more."""
        first = self.first[value]
        drawn = first + rng.integers(self.diameter - 1, size=len(value))
        return (drawn + (drawn >= value)).astype(value.dtype)


def update_sets(values: int, diameter: int, *, closed: bool) -> SimulatedUpdates:
    """Return update sets of one size: each value and its neighbours, or if `closed`, consecutive blocks of the domain.

    Closed sets contain the sets of their members, so that two changes are also possible as one.

    >>> update_sets(5, 3, closed=False).first.tolist(), update_sets(6, 3, closed=True).first.tolist()
    ([0, 0, 1, 2, 2], [0, 0, 0, 3, 3, 3])

    Raises:
        UsageError: there are fewer values, or they cannot be divided into blocks of that size.
    """
    if diameter > values:
        raise UsageError(f"--diameter {diameter}: there are only {values} sensitive values; choose at most {values}")
    value = np.arange(values, dtype=np.int64)
    if not closed:
        return SimulatedUpdates(np.clip(value - (diameter - 1) // 2, 0, values - diameter), diameter)
    if values % diameter:
        fitting = ", ".join(str(size) for size in range(1, values + 1) if values % size == 0)
        what = f"--closed: {values} sensitive values cannot be divided into blocks of {diameter}"
        raise UsageError(f"{what}; choose a --diameter among {fitting}")
    return SimulatedUpdates(value - value % diameter, diameter)


def moves(attributes: Sequence[Attribute]) -> dict[int, Move]:
    """Return the functions that change quasi-identifiers, by the place of the attribute (paper, Section VI-A).

    Raises:
        UsageError: no attribute has a known name, or an attribute's values do not fit its name.
    """
    makers = {
        "age": _older,
        "education": _schooled,
        "educationnum": _schooled,
        "marital": _wed,
        "maritalstatus": _wed,
    }
    meanings = [plain(attribute.name) for attribute in attributes]
    known = {n: makers[meaning](attributes[n]) for n, meaning in enumerate(meanings) if meaning in makers}
    if not known:
        what = "--moving knows how Age, Education and Marital move, and no quasi-identifier has one of these names"
        raise UsageError(f"{what}; rename a column, or leave --moving out")
    return known


def _older(attribute: Attribute) -> Move:
    """Add a year at each step, up to the top of the domain."""
    ages = attribute.whole
    if ages is None or (np.diff(ages) != 1).any():
        _refuse(attribute, "its values are not consecutive whole numbers")
    top = len(attribute) - 1

    def move(codes: Column, _: np.random.Generator) -> None:
        codes += codes < top

    return move


def _schooled(attribute: Attribute) -> Move:
    """Move a share of people to a higher level, all of which are equally probable."""
    if not attribute.is_numeric:
        _refuse(attribute, "its values are not numbers, so that the order of levels is not known")
    top = len(attribute) - 1

    def move(codes: Column, rng: np.random.Generator) -> None:
        rows = np.flatnonzero(rng.random(len(codes)) < YEARLY)
        rows = rows[codes[rows] < top]
        codes[rows] = rng.integers(codes[rows].astype(np.int64) + 1, top + 1)

    return move


def _wed(attribute: Attribute) -> Move:
    """Give a share of people a random status other than never married; it may be their own."""
    left = [n for n, text in enumerate(attribute.values) if plain(text) not in _NEVER_MARRIED]
    if not 0 < len(left) < len(attribute):
        _refuse(attribute, 'none of its values is "never-married", or all are')

    def move(codes: Column, rng: np.random.Generator) -> None:
        rows = np.flatnonzero(rng.random(len(codes)) < YEARLY)
        codes[rows] = rng.choice(left, len(rows)).astype(codes.dtype)

    return move


def _refuse(attribute: Attribute, why: str) -> NoReturn:
    raise UsageError(f'--moving: "{printable(attribute.name)}" cannot move: {why}; leave --moving out')
