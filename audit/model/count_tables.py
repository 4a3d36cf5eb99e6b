"""Published counts as evidence, and the outcome of an attack on them.

A series of tables is a contingency table, of which sums over boxes are known to lie in intervals. Time is its last
axis: a release covers its own atom of time (independent releases), all atoms up to it (cumulative releases), or the
only atom (releases about the same people).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from audit.model.arrays import UNBOUNDED, Codes, Counts, Flags
from audit.model.json_types import CountVerdict

Boxes = Codes


@dataclass(frozen=True)
class Axis:
    """One dimension of the table: its atoms, and the sets of atoms that boxes are made of.

    Attributes:
        name: the dimension.
        atoms: the number of atoms.
        members: the atoms of each set, ascending, int32; sets 0 to `atoms` - 1 are the single atoms, no two are equal.
        whole: the set of all atoms.
    """

    name: str
    atoms: int
    members: Sequence[Codes]
    whole: int


@dataclass(frozen=True)
class CountTables:
    """Sums of one statistic over boxes, and the questions about it.

    Attributes:
        axes: the dimensions, time last.
        boxes: the set on each axis that each published number counts; shape (numbers, axes), int32.
        lower, upper: the interval of each number, `UNBOUNDED` for no upper bound; shape (numbers,), int64.
        asked: the boxes of the questions; shape (questions, axes), int32.
        rule: `PROTECTED`, `PERHAPS_LARGE`, `SMALL_COUNT` or `SAME_KIND`; shape (questions,), int8.
        min_count: the least count that may be known exactly.
        min_width: the number of values that a hidden count must keep.
    """

    axes: tuple[Axis, ...]
    boxes: Boxes
    lower: Counts
    upper: Counts
    asked: Boxes
    rule: npt.NDArray[np.int8]
    min_count: int
    min_width: int

    def fingerprint(self) -> bytes:
        """Return a hash of everything that answers depend on: sets in no box are left out."""
        made = hashlib.sha256(repr((self.min_count, self.min_width, self.boxes.shape)).encode())
        for place, axis in enumerate(self.axes):
            made.update(repr((axis.atoms, axis.whole)).encode())
            for one in np.union1d(self.boxes[:, place], self.asked[:, place]).tolist():
                made.update(repr((one, axis.members[one].tolist())).encode())
        for each in (self.boxes, self.lower, self.upper, self.asked, self.rule):
            made.update(np.ascontiguousarray(each).tobytes())
        return made.digest()


Box: TypeAlias = tuple[int, ...]
"""The index of a set for each axis."""


@dataclass(frozen=True, slots=True)
class WeightedNumber:
    """A published number (`assumed` False), or the assumption of an enclosing case (True), with a weight.

    Attributes:
        index: the index of the number in the evidence, or the depth of the case; the outermost is 0.
        weight: never 0; in an upper bound, a positive weight uses the upper end and a negative one the lower end.
    """

    index: int
    weight: Fraction
    assumed: bool = False


@dataclass(frozen=True, slots=True)
class WeightedSum:
    """Numbers whose weighted boxes cover a box atom by atom, so that the sum of their intervals bounds its count.

    With `impossible`, they cover nothing, and the sum of their intervals is a contradiction.
    """

    terms: tuple[WeightedNumber, ...]
    impossible: bool = False


@dataclass(frozen=True, slots=True)
class CaseSplit:
    """A count is at most `at`, or at least one more; each case has a proof of the same bound."""

    box: Box
    at: int
    below: BoundProof
    above: BoundProof


BoundProof: TypeAlias = WeightedSum | CaseSplit
"""The proof that the count of a box is at most, or at least, an integer."""


@dataclass(frozen=True, slots=True)
class CountBound:
    """A claim that a checker can test: the count of a box is at most (`is_upper`) or at least `value`."""

    box: Box
    is_upper: bool
    value: int
    proof: BoundProof


OPEN, NOTHING, RECOVERED, NARROWED, SMALL, ALL = -1, 0, 1, 2, 3, 4
VERDICTS: Final[Mapping[int, CountVerdict]] = {
    RECOVERED: "recovered",
    NARROWED: "narrowed",
    SMALL: "small",
    ALL: "all",
}


@dataclass(frozen=True)
class CountOutcome:
    """The outcome of an attack for each question.

    Attributes:
        status: `complete` unless a limit was reached.
        reason: the limit; None if complete.
        verdict: `OPEN`, `NOTHING`, `RECOVERED`, `NARROWED`, `SMALL` or `ALL`; shape (questions,), int8.
        lower, upper: the proved bounds; shape (questions,), int64.
        exact: whether checked integer solutions attain both bounds; shape (questions,), bool.
        smallest_width: the number of values of the narrowest hidden count; None if no hidden count is bounded.
        bounds: returns the proofs of a question's bounds; the lower bound 0 and a missing upper bound need none.
        interrupted: whether the user stopped the attack.
    """

    status: Literal["complete", "incomplete"]
    reason: str | None
    verdict: npt.NDArray[np.int8]
    lower: Counts
    upper: Counts
    exact: Flags
    smallest_width: int | None
    bounds: Callable[[int], tuple[CountBound, ...]]
    interrupted: bool = False

    @classmethod
    def nothing(cls, questions: int, reason: str, *, interrupted: bool = False) -> CountOutcome:
        """Return the outcome of an attack without any result."""
        return cls(
            status="incomplete",
            reason=reason,
            verdict=np.full(questions, OPEN, dtype=np.int8),
            lower=np.zeros(questions, dtype=np.int64),
            upper=np.full(questions, UNBOUNDED, dtype=np.int64),
            exact=np.zeros(questions, dtype=np.bool_),
            smallest_width=None,
            bounds=lambda _: (),
            interrupted=interrupted,
        )


class ContradictingCountsError(Exception):
    """No table of counts agrees with everything that was published.

    Attributes:
        numbers: the indices of contradictory numbers in the evidence.
        irreducible: whether they no longer contradict each other without any one of them.
    """

    def __init__(self, numbers: Sequence[int], *, irreducible: bool) -> None:
        self.numbers = tuple(numbers)
        self.irreducible = irreducible
        super().__init__(f"{len(self.numbers)} published numbers contradict each other")


def with_totals(counts: Counts) -> Counts:
    """Return a table with a total at the end of each axis; each axis has one more entry.

    >>> with_totals(np.array([[1, 2], [3, 4]])).tolist()
    [[1, 2, 3], [3, 4, 7], [4, 6, 10]]
    """
    for axis in range(counts.ndim):
        counts = np.concatenate([counts, counts.sum(axis=axis, keepdims=True)], axis=axis)
    return counts
