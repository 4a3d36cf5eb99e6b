"""Reports on series of count tables: facts about the tables, and the measures of an attack on them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

from audit.model.json_types import Omittable
from audit.model.measures import ABSENT, INFERENCE, SINGLING_OUT, Absent, Measures
from audit.runtime.phrases import Noun, Phrase

OverTime = Literal["same", "cumulative", "independent"]
"""How the counts of a cell in several releases are related."""


@dataclass(frozen=True, eq=False, kw_only=True)
class CountMeasures(Measures):
    """What was counted.

    Attributes:
        cells: published cells.
        protected: cells whose count is hidden or rounded.
        questions: cells and increases that were asked about.
        recovered: counts that are known exactly.
        small: counts that are known to be small.
        narrowed: counts that are known within fewer numbers than the policy asks for.
        smallest_width: the fewest numbers that a hidden count lies within; null where none is bounded.
        open: undecided questions.
        all: cells in which all people are of one kind; absent if no dimension is sensitive.
    """

    has_timeline: ClassVar[bool] = False
    about_values: ClassVar[bool] = False
    criteria: ClassVar[frozenset[str]] = frozenset({SINGLING_OUT, INFERENCE})
    remedy: ClassVar[Phrase | str] = Phrase(
        "Hide further cells in the same rows and columns, or round more coarsely, by the same rule in all tables and "
        "rates."
    )

    cells: int
    protected: int
    questions: int
    recovered: int
    small: int
    narrowed: int
    smallest_width: int | None
    open: int
    all: int | Absent = ABSENT

    counted: ClassVar[tuple[str, str] | None] = ("questions", "recovered")
    subjects_label: ClassVar[Noun | str] = Noun("{count} count checked", "{count} counts checked")

    @property
    def found(self) -> int:
        """How many of them are found."""
        return self.recovered + self.small + self.narrowed + (0 if self.all is ABSENT else self.all)


@dataclass(frozen=True)
class Rounding:
    """How published numbers were rounded.

    Attributes:
        to: multiples of what.
        how: in which way: nearest, even, down, up, random or midpoint (docs/tables.md).
    """

    to: int
    how: str


@dataclass(frozen=True)
class RatesEntry:
    """Rates of counts.

    Attributes:
        column: their column.
        per: per how many.
        decimals: with how many decimals.
        denominator: the column, the statistic or the cell of the denominator.
    """

    column: str
    per: int
    decimals: int
    denominator: str


@dataclass(frozen=True)
class CountRules:
    """The assumed meaning of published texts; findings are true if the publisher kept to it.

    Attributes:
        markers: the least and the greatest count of each; null where there is no greatest.
        threshold: counts from 1 to one less are always hidden; null where none are.
        rounding: how numbers were rounded; null where they were not.
        perturbation: by how much numbers may be off.
        rates: rates of counts; null where there are none.
        absent_is_zero: whether a row that is left out is a 0.
        open: dimensions whose labels need not cover all people.
        further_rates: others; absent where there are none.
    """

    markers: Mapping[str, tuple[int | None, ...]]
    threshold: int | None
    rounding: Rounding | None
    perturbation: int
    rates: RatesEntry | None
    absent_is_zero: bool
    open: tuple[str, ...]
    further_rates: Omittable[tuple[RatesEntry, ...]] = None


@dataclass(frozen=True)
class TablesFacts:
    """What was audited.

    Attributes:
        kind: tables of counts.
        name: the series' name.
        releases: the tags of the releases, in order.
        tables: how many tables.
        rows: how many published rows.
        dimensions: the dimensions of the tables.
        totals: the label of all people, by dimension.
        measures: the statistics, where there are several.
        over_time: how the counts of one cell in several releases are related.
        rules: the assumed meaning of published texts.
        notes: how many lines below a table are notes and not rows, by file; absent if there are none.
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
