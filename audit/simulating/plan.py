"""Plan: how many people arrive, leave and return at each step of a simulation."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from audit.model.arrays import Counts
from audit.model.errors import UsageError

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
    """Plan the external updates.

    `returning` is the share of absent people who return at a step, rounded down and at most the insertions; the other
    insertions are new people.

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
