"""A figure of a paper: pictures of the results here, compared with the paper's claims."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Generic, Self, TypeVar

from reports.charts import Chart, lines
from reports.page import Block, Figures, PageTable, Paragraph

Entry = dict[str, Any]
Numbers = Sequence[float | None]


@dataclass(frozen=True)
class Claim:
    """A claim of a paper about a figure.

    Attributes:
        said: the claim.
        holds: whether it holds here; None if too little was run to decide.
        why: the likely reason if it does not hold.
    """

    said: str
    holds: bool | None
    why: str = ""

    @property
    def reason(self) -> str:
        """The reason if the claim does not hold."""
        return "" if self.holds is not False else self.why or "not known"

    @property
    def verdict(self) -> str:
        """The verdict on the claim."""
        return "cannot be told" if self.holds is None else "agrees" if self.holds else "differs"


@dataclass(frozen=True)
class PaperFigure:
    """A figure, or a table, of a paper.

    Attributes:
        name: what it is called there.
        title: what it shows.
        charts: the same, drawn from what was found here.
        claims: what the paper says of it.
        note: how it was made here, where that differs.
    """

    name: str
    title: str
    charts: Sequence[Chart]
    claims: Sequence[Claim]
    note: str = ""

    def blocks(self) -> Iterator[Block]:
        """Yield the blocks of the page."""
        yield Paragraph(f"{self.name}: {self.title}", strong=True)
        if self.charts:
            yield Figures(self.charts)
        if self.claims:
            yield PageTable(
                ["the paper says", "here", "likely reason"],
                [[each.said, each.verdict, each.reason] for each in self.claims],
                words=3,
            )
        if self.note:
            yield Paragraph(self.note, soft=True)


S = TypeVar("S")
K = TypeVar("K")


@dataclass(frozen=True)
class NumberedFigures(ABC, Generic[S, K]):
    """The figures of a paper: a method `figure_N` draws each, from what was found.

    Attributes:
        setting: the sizes of the experiments.
        runs: what was found, by what was wanted.
    """

    setting: S
    runs: Mapping[K, Entry]

    @staticmethod
    @abstractmethod
    def wanted(run: Entry) -> K:
        """Return the key of a run's request."""

    @classmethod
    def of(cls, document: Mapping[str, Any], setting: S) -> Self:
        """Read what the paper's experiments wrote."""
        return cls(setting, {cls.wanted(run): run for run in document["runs"]})

    def figures(self) -> Iterator[PaperFigure]:
        """Yield all of them, in the order in which they are written down."""
        for name in vars(type(self)):
            if name.startswith("figure_"):
                yield getattr(self, name)()


@dataclass(frozen=True)
class Paper:
    """A paper: its name, the data used here, and its figures."""

    name: str
    setting: str
    figures: Sequence[PaperFigure]


def mean(values: Numbers | None) -> float | None:
    """Return the mean of the numbers that there are; None without any.

    >>> mean([1, None, 3])
    2.0
    """
    known = [value for value in values or () if value is not None]
    return sum(known) / len(known) if known else None


def falls(values: Numbers, *, slack: float = 0.0) -> bool | None:
    """Return whether numbers never rise, except by a share of the largest.

    None where there are fewer than two, or all are 0: what was never seen neither falls nor rises.

    >>> falls([3, 2, 2]), falls([1, 2]), falls([1]), falls([0, 0])
    (True, False, None, None)
    """
    known = [value for value in values if value is not None]
    if len(known) < 2 or not any(known):
        return None
    return all(after <= before + slack * max(map(abs, known)) for before, after in pairwise(known))


def rises(values: Numbers, *, slack: float = 0.0) -> bool | None:
    """Return whether numbers never fall, in the same way."""
    return falls([None if value is None else -value for value in values], slack=slack)


def all_of(answers: Sequence[bool | None]) -> bool | None:
    """Return whether all hold; None if one is undecided and none fails.

    >>> all_of([True, None]), all_of([False, None]), all_of([True])
    (None, False, True)
    """
    return False if False in answers else None if None in answers or not answers else True


def at_most(values: Numbers, limit: float) -> bool | None:
    """Return whether all numbers are at most a limit; None without any."""
    known = [value for value in values if value is not None]
    return all(value <= limit for value in known) if known else None


def curves(title: str, ticks: Sequence[object], values: Mapping[str, Numbers], *, axes: tuple[str, str]) -> list[Chart]:
    """Return a chart of the available values; nothing if there are none."""
    known = [(name, list(series)) for name, series in values.items() if any(value is not None for value in series)]
    return [lines(title, [str(tick) for tick in ticks], known, axes=axes)] if known else []


def steady(every: Sequence[Numbers]) -> bool | None:
    """Return whether the numbers of each line stay within a quarter of their mean."""
    answers: list[bool | None] = []
    for values in every:
        middle = mean(values)
        known = [value for value in values if value is not None]
        answers.append(None if middle is None else all(abs(value - middle) <= middle / 4 for value in known))
    return all_of(answers)


def percent(values: Numbers) -> list[float | None]:
    """Return shares in percent."""
    return [None if value is None else 100 * value for value in values]
