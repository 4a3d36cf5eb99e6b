"""The plan: how many people come, go and come back at each step, before anybody is drawn."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from audit.model.arrays import Counts
from audit.model.errors import UsageError

MOST_PEOPLE = 100_000_000
_NOBODY = Fraction(0)


@dataclass(frozen=True)
class PopulationStep:
    """What happens between two snapshots.

    Attributes:
        newcomers: people who were in no snapshot before.
        back: people who were in an earlier snapshot, but not in the last.
        staying: people of the last snapshot who are in the next.
    """

    newcomers: int
    back: int
    staying: int

    @property
    def rows(self) -> int:
        """Rows of the snapshot that it leads to."""
        return self.newcomers + self.back + self.staying


@dataclass(frozen=True)
class PopulationPlan:
    """The external updates of a series.

    Attributes:
        rows: rows of the first snapshot.
        insertions: rows that are new at each step.
        steps: what happens at each; one fewer than snapshots.
    """

    rows: int
    insertions: int
    steps: tuple[PopulationStep, ...]

    @property
    def snapshots(self) -> int:
        """How many snapshots there are."""
        return len(self.steps) + 1

    @property
    def cohorts(self) -> list[int]:
        """How many people are first seen in each snapshot."""
        return [self.rows, *(step.newcomers for step in self.steps)]

    @property
    def fewest_staying(self) -> int:
        """How many people at least stay at a step; 0 where there is none."""
        return min((step.staying for step in self.steps), default=0)


def make_plan(
    rows: int, insertions: int, deletions: int, snapshots: int, returning: Fraction = _NOBODY
) -> PopulationPlan:
    """Plan the external updates.

    `returning` is the share of the people gone before a step who come back at it, rounded down, as far as there are
    insertions; the other insertions are people never seen before.

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

    The counts rise linearly by the slope (equivalence paper, Section VII-A, Figure 5) from the minimum that makes them
    sum to the batch size; what then remains, fewer rows than values, is one row more of the most frequent ones.

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
    """Return how often each value stands in each insertion batch, the order of the values drawn anew for every one.

    Raises:
        UsageError: the slope is too steep for the size of the batches.
    """
    counts = sloped_counts(plan.insertions, values, slope)
    return [rng.permutation(counts) for _ in plan.steps]
