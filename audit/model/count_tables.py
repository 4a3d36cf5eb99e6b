"""Count tables: published counts as evidence, the outcome of an attack on them, and what a report says of both.

A series of tables is a contingency table, of which sums over boxes are known to lie in intervals. Time is its last
axis: a release covers its own atom of time (independent releases), all atoms up to it (cumulative releases), or the
only atom (releases about the same people).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Annotated, ClassVar, Final, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from audit.model.arrays import UNBOUNDED, Codes, Counts, Flags
from audit.model.json_types import INLINED, OMITTED, UNWRITTEN, CountVerdict, ExactFraction, Omittable, WrittenAs
from audit.model.measures import ABSENT, INFERENCE, SINGLING_OUT, Absent, Measures
from audit.runtime.phrases import Noun, Phrase

# -- certificates -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class CellRate:
    """A published rate of a hidden count, with what it says of the count by itself.

    Attributes:
        column: the column, or the statistic, of the rate.
        rate: the published text.
        per: the base, such as 100.
        denominator: the least and the greatest denominator that the published one stands for.
        least, most: the least and the greatest count whose rate rounds to this text.
    """

    column: str
    rate: str
    per: int
    denominator: tuple[int, int]
    least: int
    most: int


@dataclass(frozen=True)
class CellChange:
    """A published change between the counts of a cell in two releases, which narrows a hidden one of them.

    Attributes:
        column: the column of the change.
        change: the published text.
        release: the tag of the other release; None if the series lacks it.
        shown: what that publishes of the cell.
    """

    column: str
    change: str
    release: str | None
    shown: str


@dataclass(frozen=True)
class PublishedTerm:
    """A published number times a weight.

    Attributes:
        release: the tag of its release.
        cell: its labels by dimension.
        weight: the weight, as an exact fraction.
        shown: the published text; absent for a missing row that counts as 0.
        end: the lower or upper bound of the number that the sum uses.
        exact: whether this is the only count that the number can stand for.
        file: its file; absent for a missing row.
        line: its line in the file; absent for a missing row.
        rates: the rates and changes that narrow what it shows.
    """

    release: str
    cell: Mapping[str, str]
    weight: ExactFraction
    shown: Annotated[str | None, OMITTED, WrittenAs("published")]
    end: Annotated[int, WrittenAs("count")]
    exact: Annotated[bool, UNWRITTEN]
    file: Omittable[str]
    line: Omittable[int]
    rates: Annotated[tuple[CellRate | CellChange, ...], UNWRITTEN] = ()


@dataclass(frozen=True)
class CaseTerm:
    """The assumption of a case, times a weight.

    Attributes:
        case: the depth of the case, from 0 for the outermost.
        weight: the weight, as an exact fraction.
        end: the bound that the case assumes.
    """

    case: int
    weight: ExactFraction
    end: Annotated[int, WrittenAs("count")]


@dataclass(frozen=True)
class CountSum:
    """A weighted sum of numbers whose value, rounded to an integer, is a bound or a contradiction.

    Attributes:
        terms: the numbers and assumptions.
        value: the sum, as an exact fraction.
        impossible: whether the sum is a contradiction: no counts fit its numbers and assumptions.
    """

    terms: Annotated[tuple[PublishedTerm | CaseTerm, ...], WrittenAs("sum")]
    value: ExactFraction
    impossible: Annotated[bool, OMITTED] = False


@dataclass(frozen=True)
class CountCase:
    """One of two cases: a cell's count is at most a number, or at least the next.

    Attributes:
        release: the release of the cell.
        since: the earlier release, if the case is about an increase.
        cell: the labels of the cell, by dimension.
        at_most: the upper bound that the first case assumes; absent in the second.
        at_least: the lower bound that the second case assumes; absent in the first.
        step: the proof in this case.
    """

    release: str
    since: Omittable[str]
    cell: Mapping[str, str]
    at_most: Omittable[int]
    at_least: Omittable[int]
    step: Annotated[CountSum | CountCases, INLINED]


@dataclass(frozen=True)
class CountCases:
    """Two cases, one of which is true.

    Attributes:
        cases: both cases.
    """

    cases: tuple[CountCase, ...]


CountStep: TypeAlias = CountSum | CountCases


@dataclass(frozen=True)
class CertifiedBound:
    """A lower or upper bound of a count, with its proof.

    Attributes:
        bound: whether it is a lower or an upper bound.
        step: the sum or the cases that prove it.
        steps: the number of sums in the proof.
        rounded: the bound, a whole number.
        cell: the cell that is bounded, if the finding is not about a single count.
    """

    bound: Literal["lower", "upper"]
    step: Annotated[CountSum | CountCases, INLINED]
    steps: int
    rounded: int
    cell: Omittable[Mapping[str, str]] = None


# -- tables -----------------------------------------------------------------------------------------------------------


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


HIDE_FURTHER = Phrase(
    "Hide further cells in the same rows and columns, and the rates of hidden cells, or round more coarsely, by the "
    "same rule in all tables and rates."
)
"""How to publish without disclosing counts."""
PROTECTED = 0
"""Rule of a question: a hidden count must keep at least `min_width` possible values."""
SMALL_COUNT = 1
"""Rule of a question: a count from 1 to `min_count` - 1 must not be certain, nor narrower than its marker."""
SAME_KIND = 2
"""Rule of a question: the people of a cell must possibly have `min_labels` different labels."""
PERHAPS_LARGE = 3
"""Rule of a question: as `PROTECTED`, and the count must not certainly be from 1 to `min_count` - 1.

It is about a count whose marker does not say that it is small.
"""
OverTime = Literal["same", "cumulative", "independent"]
"""The relation between the counts of a cell in several releases."""


@dataclass(frozen=True, eq=False, kw_only=True)
class CountMeasures(Measures):
    """The numbers of an audit of count tables.

    Attributes:
        cells: the number of published cells.
        protected: the number of cells whose count is hidden or rounded.
        questions: the number of checked counts, of cells and of increases.
        recovered: the number of counts that are known exactly.
        small: the number of counts that are known to be small.
        narrowed: the number of counts with fewer possible values than the policy requires.
        smallest_width: the fewest possible values of a hidden count; null if no hidden count is bounded.
        open: the number of undecided questions.
        empty: the number of further cells, which are empty; absent if there are none.
        all: the number of cells whose people are certainly all of one kind; absent if no dimension is sensitive.
    """

    has_timeline: ClassVar[bool] = False
    about_values: ClassVar[bool] = False
    criteria: ClassVar[frozenset[str]] = frozenset({SINGLING_OUT, INFERENCE})
    remedy: ClassVar[Phrase | str] = HIDE_FURTHER

    cells: int
    protected: int
    questions: int
    recovered: int
    small: int
    narrowed: int
    smallest_width: int | None
    open: int
    empty: int | Absent = ABSENT
    all: int | Absent = ABSENT

    counted: ClassVar[tuple[str, str] | None] = ("questions", "recovered")
    subjects_label: ClassVar[Noun | str] = Noun("{count} [count|counts] checked")

    @property
    def found(self) -> int:
        """The number of findings."""
        return self.recovered + self.small + self.narrowed + (0 if self.all is ABSENT else self.all)


@dataclass(frozen=True)
class Rounding:
    """How published numbers were rounded.

    Attributes:
        to: the base of the rounding.
        how: the method: nearest, even, down, up, random or midpoint (docs/tables.md).
    """

    to: int
    how: str


@dataclass(frozen=True)
class RatesEntry:
    """A column of rates of counts.

    Attributes:
        column: the column.
        per: the base of the rates, such as 100.
        decimals: the number of decimals to which they are rounded.
        denominator: what they are rates of: a column, a statistic or a cell.
    """

    column: str
    per: int
    decimals: int
    denominator: str


@dataclass(frozen=True)
class CountRules:
    """The assumed meaning of published texts; findings are true if the publisher followed these rules.

    Attributes:
        markers: the least and the greatest count that each marker stands for; null if there is no greatest.
        threshold: counts from 1 to `threshold` - 1 are always hidden; null if there is no threshold.
        rounding: how numbers were rounded; null if they were not.
        perturbation: how far published numbers may be from the true counts.
        rates: the first column of rates; null if there is none.
        absent_is_zero: whether a missing row means 0.
        open: the dimensions whose labels need not cover all people.
        further_rates: the other columns of rates; absent if there are none.
        part_of: the statistic that contains another one, by the latter; absent if there are none.
        sensitive: the dimensions in which the people of a cell must not all have one label; absent if there are none.
        harmless: the labels that they may all have, by dimension; absent if there are none.
        not_counts: the columns whose numbers, as declared, disclose nothing about the counts; absent if there are none.
        exact: the releases, tables and columns of counts that were neither rounded nor perturbed; absent if there are
            none.
        stock: whether releases count those who are there at several dates, as declared; absent if that is not declared.
    """

    markers: Mapping[str, tuple[int | None, ...]]
    threshold: int | None
    rounding: Rounding | None
    perturbation: int
    rates: RatesEntry | None
    absent_is_zero: bool
    open: tuple[str, ...]
    further_rates: Omittable[tuple[RatesEntry, ...]] = None
    part_of: Annotated[Mapping[str, str], OMITTED] = field(default_factory=dict)
    sensitive: Annotated[tuple[str, ...], OMITTED] = ()
    harmless: Annotated[Mapping[str, tuple[str, ...]], OMITTED] = field(default_factory=dict)
    not_counts: Annotated[tuple[str, ...], OMITTED] = ()
    exact: Annotated[tuple[str, ...], OMITTED] = ()
    stock: Annotated[bool, OMITTED] = False


@dataclass(frozen=True)
class TablesFacts:
    """The audited tables.

    Attributes:
        kind: the kind of series: tables of counts.
        name: the series' name.
        releases: the tags of the releases, in order.
        tables: the number of tables.
        rows: the number of published rows.
        dimensions: the dimensions of the tables.
        totals: the label that covers all people, by dimension.
        measures: the counted statistics, if there are several.
        over_time: the relation between the counts of one cell in several releases.
        rules: the assumed meaning of published texts.
        notes: the number of lines below a table that are notes, not rows, by file; absent if there are none.
        labels: the published labels; other names are made of these.
        parts: the labels that together make up another one, by dimension and that label.
        categories: the number of published labels, by dimension.
    """

    kind: ClassVar[Literal["tables"]] = "tables"
    name: str
    releases: tuple[str, ...]
    tables: int
    rows: int
    dimensions: tuple[str, ...]
    totals: Mapping[str, str]
    measures: tuple[str, ...]
    over_time: OverTime
    rules: CountRules
    notes: Omittable[Mapping[str, int]] = None
    labels: Annotated[frozenset[str], UNWRITTEN] = frozenset()
    parts: Annotated[Mapping[str, Mapping[str, tuple[str, ...]]], UNWRITTEN] = field(default_factory=dict)
    categories: Annotated[Mapping[str, int], UNWRITTEN] = field(default_factory=dict)
