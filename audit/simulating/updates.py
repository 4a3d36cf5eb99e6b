"""Updates: how many people arrive and leave at each step, and how sensitive values and quasi-identifiers change."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NoReturn

import numpy as np

from audit.model.arrays import Counts, Numbers
from audit.model.errors import UsageError
from audit.runtime.phrases import printable
from audit.simulating.population import Attribute, Column, plain

Move = Callable[[Column, np.random.Generator], None]
"""Changes the codes of one quasi-identifier by one step, in place."""

YEARLY = 0.05
"""The share of people whose education or marital status may change at one step."""
_NEVER_MARRIED = {"nevermarried", "nevermarriedsingle", "single", "unmarried"}
MOST_PEOPLE = 100_000_000
_NONE = Fraction(0)


@dataclass(frozen=True)
class PopulationStep:
    """The changes between two snapshots.

    Attributes:
        newcomers: people who were in no snapshot before.
        back: people of an earlier snapshot who were not in the last one.
        staying: people of the last snapshot who are in the next one.
    """

    newcomers: int
    back: int
    staying: int

    @property
    def rows(self) -> int:
        """Rows of the next snapshot."""
        return self.newcomers + self.back + self.staying


@dataclass(frozen=True)
class PopulationPlan:
    """The external updates of a series.

    Attributes:
        rows: rows of the first snapshot.
        insertions: rows that are inserted at each step.
        steps: the changes at each step; one fewer than snapshots.
    """

    rows: int
    insertions: int
    steps: tuple[PopulationStep, ...]

    @property
    def snapshots(self) -> int:
        """The number of snapshots."""
        return len(self.steps) + 1

    @property
    def cohorts(self) -> list[int]:
        """The number of people who are new in each snapshot."""
        return [self.rows, *(step.newcomers for step in self.steps)]

    @property
    def fewest_staying(self) -> int:
        """The least number of people who stay at a step; 0 without steps."""
        return min((step.staying for step in self.steps), default=0)


def make_plan(
    rows: int, insertions: int, deletions: int, snapshots: int, returning: Fraction = _NONE
) -> PopulationPlan:
    """Plan how many people arrive, leave and return at each step (external updates).

    `returning` is the share of absent people who return at a step. Their number is rounded down and at most the number
    of insertions; the other insertions are new people.

    Raises:
        UsageError: a snapshot has too few rows to delete, or would have none; or there are too many people.
    """
    steps: list[PopulationStep] = []
    present, gone, seen = rows, 0, rows
    for number in range(1, snapshots):
        if deletions > present:
            what = f"snapshot {number} has {present:,} rows, and --deletions takes {deletions:,} of them away"
            raise UsageError(f"{what}; delete fewer, or insert more")
        back = min(insertions, int(returning * gone))
        step = PopulationStep(insertions - back, back, present - deletions)
        if not step.rows:
            raise UsageError(f"snapshot {number + 1} would have no rows; delete fewer, or insert more")
        present, gone, seen = step.rows, gone - back + deletions, seen + step.newcomers
        steps.append(step)
    if seen > MOST_PEOPLE:
        raise UsageError(f"{seen:,} people are more than {MOST_PEOPLE:,}; ask for fewer with --rows or --insertions")
    return PopulationPlan(rows, insertions, tuple(steps))


def sloped_counts(size: int, values: int, slope: int) -> Counts:
    """Return how often a batch has its rarest value, its second rarest and so on; shape (values,), int64.

    The counts rise linearly by the slope (equivalence paper, Section VII-A, Figure 5). A remainder, smaller than the
    number of values, adds one row to each of the most frequent values.

    >>> sloped_counts(20, 4, 2).tolist()
    [2, 4, 6, 8]
    >>> sloped_counts(22, 4, 2).tolist()
    [2, 4, 7, 9]

    Raises:
        UsageError: the slope is too steep for the size.
    """
    pairs = values * (values - 1) // 2
    if slope * pairs > size:
        what = f"--slope {slope} does not fit {size:,} insertions over {values:,} values"
        raise UsageError(f"{what}; the largest that does is {size // pairs}")
    least, left = divmod(size - slope * pairs, values)
    place = np.arange(values, dtype=np.int64)
    return least + slope * place + (place >= values - left)


def sloped_batches(plan: PopulationPlan, values: int, slope: int, rng: np.random.Generator) -> list[Counts]:
    """Return how often each value occurs in each insertion batch, in an order of values that is drawn for each batch.

    Raises:
        UsageError: the slope is too steep for the size of the batches.
    """
    counts = sloped_counts(plan.insertions, values, slope)
    return [rng.permutation(counts) for _ in plan.steps]


@dataclass(frozen=True)
class SimulatedUpdates:
    """Each sensitive value's candidate update set: runs of neighbours in the domain (m-Distinct paper, Definition 12).

    Attributes:
        first: the first value of each value's set; shape (values,), int64.
        diameter: the number of values of each set (the paper's Section VI-A).
    """

    first: Numbers
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


@dataclass(frozen=True)
class Updates:
    """The internal updates of each step.

    Attributes:
        sets: the values that each sensitive value may become; None if they never change.
        changes: the number of staying people who get another sensitive value.
        moves: the functions that change quasi-identifiers, by the place of the attribute.
    """

    sets: SimulatedUpdates | None = None
    changes: int = 0
    moves: Mapping[int, Move] = field(default_factory=dict)
