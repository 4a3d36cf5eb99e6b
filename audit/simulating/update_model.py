"""Internal updates: which sensitive values follow which, and how quasi-identifiers move with time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NoReturn

import numpy as np
import numpy.typing as npt

from audit.model.errors import UsageError, printable
from audit.simulating.attributes import Attribute, Column, plain

Move = Callable[[Column, np.random.Generator], None]
"""Moves the codes of one quasi-identifier by one step, in place."""

YEARLY = 0.05
"""The share of people whose education may rise, or whose marital status may change, at one step."""
_NEVER_MARRIED = {"nevermarried", "nevermarriedsingle", "single", "unmarried"}


@dataclass(frozen=True)
class SimulatedUpdates:
    """Each sensitive value's candidate update set: runs of neighbours in the domain (m-Distinct paper, Definition 12).

    Attributes:
        first: the first value of each value's set; shape (values,), int64.
        diameter: how many values each set has (the paper's Section VI-A).
    """

    first: npt.NDArray[np.int64]
    diameter: int

    @property
    def closed(self) -> bool:
        """Whether each set holds its members' sets."""
        last = self.first + self.diameter - 1
        return np.array_equal(self.first[self.first], self.first) and np.array_equal(self.first[last], self.first)

    def pairs(self) -> Iterator[tuple[int, int]]:
        """Yield every possible update: from which value to which, both codes."""
        for value, first in enumerate(self.first.tolist()):
            for follower in range(first, first + self.diameter):
                yield value, follower

    def changed(self, value: Column, rng: np.random.Generator) -> Column:
        """Return another value of the set of each, all equally probable; shape (rows,). The diameter is 2 or more."""
        first = self.first[value]
        drawn = first + rng.integers(self.diameter - 1, size=len(value))
        return (drawn + (drawn >= value)).astype(value.dtype)


def update_sets(values: int, diameter: int, *, closed: bool) -> SimulatedUpdates:
    """Return update sets of one size: each value among its neighbours, or, `closed`, the blocks that cut the domain.

    Closed sets hold the sets of their members: whoever changes twice could have done so at once.

    >>> update_sets(5, 3, closed=False).first.tolist(), update_sets(6, 3, closed=True).first.tolist()
    ([0, 0, 1, 2, 2], [0, 0, 0, 3, 3, 3])

    Raises:
        UsageError: there are not that many values, or they cannot be cut into blocks of that size.
    """
    if diameter > values:
        raise UsageError(f"--diameter {diameter}: there are only {values} sensitive values; choose at most {values}")
    value = np.arange(values, dtype=np.int64)
    if not closed:
        return SimulatedUpdates(np.clip(value - (diameter - 1) // 2, 0, values - diameter), diameter)
    if values % diameter:
        fitting = ", ".join(str(size) for size in range(1, values + 1) if values % size == 0)
        what = f"--closed: {values} sensitive values cannot be cut into blocks of {diameter}"
        raise UsageError(f"{what}; choose a --diameter among {fitting}")
    return SimulatedUpdates(value - value % diameter, diameter)


def moves(attributes: Sequence[Attribute]) -> dict[int, Move]:
    """Return how quasi-identifiers move with time, by their place; the others never change (paper, Section VI-A).

    Raises:
        UsageError: none is known to move, or the values of one have not the meaning that its name tells.
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
    """One year more at each step, up to the top of the domain."""
    ages = attribute.whole
    if ages is None or (np.diff(ages) != 1).any():
        _refuse(attribute, "its values are no whole numbers close together")
    top = len(attribute) - 1

    def move(codes: Column, _: np.random.Generator) -> None:
        codes += codes < top

    return move


def _schooled(attribute: Attribute) -> Move:
    """To a higher level now and then, all higher ones being equally probable; never to a lower one."""
    if not attribute.is_numeric:
        _refuse(attribute, "its values are no numbers, so that which level is higher is not known")
    top = len(attribute) - 1

    def move(codes: Column, rng: np.random.Generator) -> None:
        rows = np.flatnonzero(rng.random(len(codes)) < YEARLY)
        rows = rows[codes[rows] < top]
        codes[rows] = rng.integers(codes[rows].astype(np.int64) + 1, top + 1)

    return move


def _wed(attribute: Attribute) -> Move:
    """To any status now and then, its own included, but that of never having been married."""
    left = [n for n, text in enumerate(attribute.values) if plain(text) not in _NEVER_MARRIED]
    if not 0 < len(left) < len(attribute):
        _refuse(attribute, 'none of its values is "never-married", or all are')

    def move(codes: Column, rng: np.random.Generator) -> None:
        rows = np.flatnonzero(rng.random(len(codes)) < YEARLY)
        codes[rows] = rng.choice(left, len(rows)).astype(codes.dtype)

    return move


def _refuse(attribute: Attribute, why: str) -> NoReturn:
    raise UsageError(f'--moving: how "{printable(attribute.name)}" moves is not known: {why}; leave --moving out')
