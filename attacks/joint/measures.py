"""Measures of joint inference, and their texts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

from audit.model.measures import ABSENT, VERSIONS, Absent, Measures
from audit.runtime.phrases import Noun, Phrase, say, say_count


@dataclass(frozen=True, eq=False, kw_only=True)
class JointMeasures(Measures):
    """What remains possible when one reasons about all people at once.

    Attributes:
        versions: people in releases who count.
        certain: those with one possible value.
        eliminated: (version, value) pairs that people's own groups leave, and that are impossible; rows of people whose
            row class and value are known are left out of them.
        open: those that are neither shown nor proved impossible.
        certain_unproved: certain versions for which only a solver's word was found, and no proof.
        worlds: how many worlds there are; absent where they were not counted.
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
        """Return the measures, given the number of shown findings without a proof."""
        return replace(self, certain_unproved=max(self.certain_unproved, count))

    def notes(self, attack: str) -> Iterator[str]:
        """Yield what is open, or has no proof."""
        if self.open:
            yield say_count(
                "{attack} could not decide whether {count} value of versions is possible.",
                "{attack} could not decide whether {count} values of versions are possible.",
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
