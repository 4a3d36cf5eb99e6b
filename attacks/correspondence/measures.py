"""Measures of the attack on correspondences, and their texts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from audit.model.measures import INFERENCE, LINKABILITY, Measures, found_of
from audit.runtime.phrases import Noun, Phrase, say, say_count

KINDS = Noun("{count} kind of people", "{count} kinds of people")


@dataclass(frozen=True, eq=False, kw_only=True)
class CorrespondenceMeasures(Measures):
    """The measures of the attack on which rows may be whose.

    Attributes:
        subjects_looked_at: kinds of people who cannot be distinguished by what rows they may have.
        narrowed: the number of them with fewer than k possible rows in some release.
        disclosed: the number of them whose possible rows have only one value in some release.
        open: the number of them for which that is undecided.
        smallest: the fewest possible rows of a person; None if unknown.
        links: pairs of rows of successive releases that have a point and values in common.
        certain: the number of them that are one record in every world.
        excluded: the number of them that are in no world.
        worlds: in how many ways the rows of the first of two releases can be rows of the second; None where that was
            not counted.
    """

    subjects_looked_at: int = 0
    narrowed: int = 0
    disclosed: int = 0
    open: int = 0
    smallest: int | None = None
    links: int = 0
    certain: int = 0
    excluded: int = 0
    worlds: int | None = None

    criteria: ClassVar[frozenset[str]] = frozenset({LINKABILITY, INFERENCE})
    about_values: ClassVar[bool] = False
    subjects_label: ClassVar[Noun | str] = KINDS
    has_timeline: ClassVar[bool] = False
    remedy: ClassVar[Phrase | str] = Phrase(
        "Publish a release whose groups are unions of earlier groups, or whose groups have more values."
    )

    @property
    def subjects(self) -> int:
        """The number of judged kinds of people."""
        return self.subjects_looked_at

    @property
    def found(self) -> int:
        """The number of kinds with too few possible rows, or with only one value."""
        return max(self.narrowed, self.disclosed)

    def accusation(self, value: str, *, at_least: bool) -> str:
        """Return how many kinds of people have too few possible rows."""
        whole = say("{count} kinds of people", count=self.subjects)
        if self.disclosed:
            found = found_of(self.disclosed, whole, at_least=at_least)
            return say("{value} follows from the files alone for {found}", value=value, found=found)
        return say("too few rows are possible for {found}", found=found_of(self.narrowed, whole, at_least=at_least))

    def notes(self, attack: str) -> Iterator[str]:
        """Yield what is known of links between rows."""
        if self.links:
            yield say_count(
                "{attack}: of {count} link between rows of successive releases, {certain} are certain and {excluded} "
                "excluded.",
                "{attack}: of {count} links between rows of successive releases, {certain} are certain and {excluded} "
                "excluded.",
                self.links,
                attack=attack,
                certain=self.certain,
                excluded=self.excluded,
            )
        if self.worlds is not None:
            yield say(
                "{attack}: the rows of the first release can be rows of the second in {worlds} ways.",
                attack=attack,
                worlds=self.worlds,
            )
        if self.open:
            yield say_count(
                "{attack}: for {count} kind of people it is not known how many rows are possible.",
                "{attack}: for {count} kinds of people it is not known how many rows are possible.",
                self.open,
                attack=attack,
            )
