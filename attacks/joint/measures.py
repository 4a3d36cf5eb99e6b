"""Measures of joint inference, and their texts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

from audit.model.measures import ABSENT, VERSIONS, Absent, Measures
from audit.runtime.phrases import Noun, Phrase, say, say_count


@dataclass(frozen=True, eq=False, kw_only=True)
class JointMeasures(Measures):
    """How many values remain possible when all people are considered together.

    Attributes:
        versions: the number of versions (a person in a release) that count.
        certain: the number of versions with one possible value.
        eliminated: the number of (version, value) pairs that the person's own groups leave, after the rows of people
            with known row class and value are removed, and that are impossible.
        open: the number of such pairs that are neither in a known world nor proved impossible.
        worlds: the number of worlds; absent if they were not counted.
        certain_unproved: the number of certain versions that rest on a solver's word without a proof.
    """

    versions: int
    certain: int
    eliminated: int
    open: int
    worlds: int | Absent = ABSENT
    certain_unproved: int = 0

    counted: ClassVar[tuple[str, str] | None] = ("versions", "certain")
    subjects_label: ClassVar[Noun | str] = VERSIONS
    by_version: ClassVar[bool] = True
    about_all_people: ClassVar[bool] = True
    timeline_label: ClassVar[Phrase | str] = Phrase("certain")

    def accusation(self, value: str, *, at_least: bool) -> str:
        """Return whose value is certain."""
        return say("{accusation} (a person in one release)", accusation=super().accusation(value, at_least=at_least))

    def with_unproved(self, count: int) -> JointMeasures:
        """Return the measures with at least `count` certain versions without a proof."""
        return replace(self, certain_unproved=max(self.certain_unproved, count))

    def notes(self, attack: str) -> Iterator[str]:
        """Yield sentences about values that are open and versions without a proof."""
        if self.open:
            yield say_count(
                "{attack} could not decide whether {count} value of a person is possible.",
                "{attack} could not decide whether {count} values of people are possible.",
                self.open,
                attack=attack,
            )
        if self.certain_unproved:
            yield say_count(
                "Within the limits, {attack} found no proof for {count} version that it calls certain.",
                "Within the limits, {attack} found no proof for {count} versions that it calls certain.",
                self.certain_unproved,
                attack=attack,
            )
