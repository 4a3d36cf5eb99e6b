"""Reports on count tables: facts about the tables, and the measures of an attack on them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, ClassVar, Literal

from audit.model.json_types import OMITTED, UNWRITTEN, Omittable
from audit.model.measures import ABSENT, INFERENCE, SINGLING_OUT, Absent, Measures
from audit.runtime.phrases import Noun, Phrase

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
