"""Measures of the attack on equivalences, and their texts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from audit.model.measures import PEOPLE, BoundedMeasures, LeastBounds
from audit.runtime.phrases import Phrase, parted, say, say_count


@dataclass(frozen=True, eq=False, kw_only=True)
class EquivalenceMeasures(BoundedMeasures):
    """How many people share values with others.

    Attributes:
        individuals: the number of people, without counterfeits.
        min_e: bounds of the least number of people on a side of an equivalence.
        compromised: the number of people in an equivalence with at most 1, 2, … people on a side.
        classes: the number of classes of people who share a value, by size.
        pinned: the number of versions (a person in a release) whose value is certain.
        ways: the methods used; empty if nothing was concluded.
    """

    individuals: int
    min_e: LeastBounds
    compromised: dict[str, int]
    classes: dict[str, int]
    pinned: int
    ways: list[str]

    timeline_label: ClassVar[Phrase | str] = Phrase("same values")
    remedy: ClassVar[Phrase | str] = Phrase(
        "Publish whole buckets: put everybody whose group has the same set of values into one group, as the method "
        "e-equivalence does. Then nobody certainly has the same values as so few others."
    )

    @property
    def subjects(self) -> int:
        """How many people there are."""
        return self.individuals

    @property
    def found(self) -> int:
        """The number of people in some equivalence."""
        return max(self.compromised.values(), default=0)

    def found_in_words(self, *, at_least: bool) -> str:
        """Return how many people are in some equivalence, and how small equivalences get."""
        if not self.ways:
            return say("nothing could be concluded")
        found = super().found_in_words(at_least=at_least)
        if self.pinned:
            found = say("{pinned}, {found}", pinned=self._pinned(at_least=at_least), found=found)
        if self.min_e.none:
            return say("{found} (there is no equivalence)", found=found)
        if self.min_e.upper != 1:
            return say("{found} with the same values as others (least e: {bounds})", found=found, bounds=self.min_e)
        if (alike := self.compromised["1"]) == self.found:
            return say("{found} with the same value as another person (e = 1)", found=found)
        return say(
            "{found} with the same values as others; {count} of them with the same value as another person (e = 1)",
            found=found,
            count=alike,
        )

    def _pinned(self, *, at_least: bool) -> str:
        if at_least:
            return say_count("at least {count} value is certain", "at least {count} values are certain", self.pinned)
        return say_count("{count} value is certain", "{count} values are certain", self.pinned)

    def accusation(self, value: str, *, at_least: bool) -> str:
        """Return how many values are certain or, if none are, how many people share values with others."""
        if self.pinned:
            return super().accusation(value, at_least=at_least)
        if self.min_e.upper != 1:
            found = self.found_in_words(at_least=at_least)
            return say("{found} certainly have the same values as a few others, taken together", found=found)
        return say(
            "{found} of {people} certainly have the same value as another person",
            found=self.compromised["1"],
            people=PEOPLE.counted(self.individuals),
        )

    def notes(self, attack: str) -> Iterator[str]:
        """Yield the methods used."""
        if self.ways:
            yield say("{attack} used these methods: {ways}.", attack=attack, ways=parted(self.ways))
