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
    """How many kinds of people have too few possible rows.

    Attributes:
        subjects_looked_at: the number of kinds of people; people of one kind have the same possible rows.
        narrowed: how many of them have fewer than k possible rows in some release.
        disclosed: how many of them have only possible rows with one value in some release.
        open: how many of them are undecided.
        smallest: the fewest possible rows of a person; None if unknown.
        links: the number of pairs of rows of successive releases that can be one record by their cells and values.
        certain: how many of these pairs are one record in every world.
        excluded: how many of these pairs are one record in no world.
        worlds: the number of ways in which the rows of the first of two releases can be rows of the second; None if not
            counted.
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
        """Yield sentences about links between rows, worlds, and undecided people."""
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
