"""Measures: what an attack counted, typed by the attack, which also says it in words.

An attack has a subclass of `Measures` of its own. Its fields are the measures of the JSON report, in their order; its
properties and methods are the texts of every format about them. Nothing else reads a measure of an attack.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, fields, is_dataclass
from enum import Enum
from functools import cache
from inspect import get_annotations
from typing import ClassVar, Final

from audit.model.json_types import Probability
from audit.runtime.phrases import Noun, Phrase, figure, say


class Absent(Enum):
    """What a measure is that an attack leaves out; None is `null`, which is not known."""

    ABSENT = "absent"


ABSENT: Final = Absent.ABSENT

PEOPLE: Final = Noun("{count} person", "{count} people")
VERSIONS: Final = Noun("{count} version", "{count} versions")
"""People in releases."""

# The criteria of the Article 29 Working Party (Opinion 05/2014): what an attack tries to do to a person.
SINGLING_OUT: Final = "singling out"
LINKABILITY: Final = "linkability"
INFERENCE: Final = "inference"


@dataclass(frozen=True)
class LeastBounds:
    """Bounds of a least number; both None if it is proved that there is none.

    Attributes:
        lower: no smaller number will do.
        upper: this number will do; None where none is known.
    """

    lower: int | None
    upper: int | None

    @property
    def none(self) -> bool:
        """Whether it is proved that there is none."""
        return self.lower is None and self.upper is None

    def __str__(self) -> str:
        """Render for reading.

        >>> (
        ...     str(LeastBounds(2, 2)),
        ...     str(LeastBounds(2, 4)),
        ...     str(LeastBounds(5, None)),
        ...     str(LeastBounds(None, 4)),
        ...     str(LeastBounds(None, None)),
        ... )
        ('2', '2 to 4', '5 or more', 'up to 4', 'none')
        """
        if self.lower is None:
            return say("none") if self.upper is None else say("up to {upper}", upper=str(self.upper))
        if self.upper is None:
            return say("{lower} or more", lower=str(self.lower))
        if self.lower == self.upper:
            return str(self.lower)
        return say("{lower} to {upper}", lower=str(self.lower), upper=str(self.upper))


@dataclass(frozen=True, eq=False, kw_only=True)
class Measures(Mapping[str, object]):
    """What an attack counted; as a mapping, the measures of the JSON report without those that are absent.

    A subclass is a frozen dataclass with `eq=False`, for two mappings of the same measures are equal.

    Attributes:
        timeline: what is found after each release, from the releases so far; one number for each release that was
            judged.
        counted: the measures that say how many people, versions or records were judged, and how many of them are found;
            None where the attack does not count them.
        subjects_label: what these are.
        by_version: whether a finding is about a person in one release alone.
        about_values: whether sensitive values are found out, rather than whose record one is.
        about_all_people: whether it reasons about all people's values at once.
        has_timeline: whether something is counted after each release.
        timeline_label: what the timeline counts, in a word or two.
        remedy: what would have kept people from being found.
        criteria: which of singling out, linkability and inference it is an attempt at.
    """

    timeline: list[int] | Absent = ABSENT

    counted: ClassVar[tuple[str, str] | None] = None
    subjects_label: ClassVar[Noun | str] = PEOPLE
    by_version: ClassVar[bool] = False
    about_values: ClassVar[bool] = True
    about_all_people: ClassVar[bool] = False
    has_timeline: ClassVar[bool] = True
    timeline_label: ClassVar[Phrase | str] = Phrase("found")
    criteria: ClassVar[frozenset[str]] = frozenset({INFERENCE})
    remedy: ClassVar[Phrase | str] = Phrase(
        "Withhold the rows of the people found, or put them into groups with the same values as before."
    )

    def __getitem__(self, name: str) -> object:
        """Return a measure in the form of the JSON report."""
        if name in self._names():
            value = getattr(self, name.replace(".", "_"))
            return asdict(value) if is_dataclass(value) and not isinstance(value, type) else value
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        """Yield the names of the measures that there are, the timeline last."""
        yield from self._names()

    def __len__(self) -> int:
        """Return how many measures there are."""
        return len(self._names())

    def _names(self) -> list[str]:
        return [name for name in measure_names(type(self)) if getattr(self, name.replace(".", "_")) is not ABSENT]

    @property
    def subjects(self) -> int | None:
        """How many people, versions or records were judged; None where the attack does not count them."""
        return None if self.counted is None else getattr(self, self.counted[0])

    @property
    def found(self) -> int:
        """How many of them are found."""
        return 0 if self.counted is None else int(getattr(self, self.counted[1]))

    def found_in_words(self, *, at_least: bool) -> str:
        """Return how many are found, of how many; `at_least` says that the attack did not come to an end."""
        if self.subjects is None:
            counts = [f"{name} {figure(value)}" for name, value in self.items() if isinstance(value, int)]
            return ", ".join(counts) or say("see its findings")
        if not self.subjects and at_least:
            return say("no one was analysed")
        label = self.subjects_label
        whole = label.counted(self.subjects) if isinstance(label, Noun) else f"{figure(self.subjects)} {label}"
        return found_of(self.found, whole, at_least=at_least)

    def accusation(self, value: str, *, at_least: bool) -> str:
        """Return what is wrong with the series, as the verdict says it; `value` is `the sensitive value`, or which."""
        found = self.found_in_words(at_least=at_least)
        return say("{value} is certain for {found}", value=value, found=found)

    def notes(self, attack: str) -> Iterator[str]:
        """Yield sentences on how to take what was found; `attack` is the attack's name."""
        yield from ()

    def with_unproved(self, count: int) -> Measures:
        """Return the same where so many of the findings shown have no proof."""
        del count  # most attacks prove everything that they find
        return self


def found_of(found: int, whole: str, *, at_least: bool) -> str:
    """Return how many of some are found.

    >>> found_of(2, "16 people", at_least=True), found_of(0, "16 people", at_least=False)
    ('at least 2 of 16 people', 'none of 16 people')
    """
    if at_least:
        if found:
            return say("at least {found} of {whole}", found=found, whole=whole)
        return say("none found of {whole}", whole=whole)
    return say("{found} of {whole}", found=found, whole=whole) if found else say("none of {whole}", whole=whole)


@cache
def measure_names(kind: type[Measures]) -> tuple[str, ...]:
    """Return the names of the measures of a kind as the JSON report orders them: its own, then those of its bases.

    A number in a name, as in `above_0_9`, has its point there.

    >>> measure_names(RiskMeasures)[3:6]
    ('at_limit', 'above_0.9', 'above_0.5')
    """
    known = {each.name for each in fields(kind)}
    names = dict.fromkeys(name for base in kind.__mro__ for name in get_annotations(base) if name in known)
    return (*(re.sub(r"(\d)_(\d)", r"\1.\2", name) for name in names if name != "timeline"), "timeline")


@dataclass(frozen=True, eq=False, kw_only=True)
class BoundedMeasures(Measures):
    """Measures of an attack on equivalences: `min_e` bounds the least number of people on a side of one."""

    min_e: LeastBounds


@dataclass(frozen=True, eq=False, kw_only=True)
class RiskMeasures(Measures):
    """The probabilities that a scored attack gives the true values, as far as they are known; absent if none is.

    Attributes:
        max_risk, mean_risk: of all versions; None where they were not computed.
        risk_counts: how many have a risk below 0.1, from 0.1 to below 0.2, …, and exactly 1.
        at_limit, above_0_9, above_0_5: how many people have a value in some release that is as probable as the policy's
            limit, 0.9 (`above_0.9` in the JSON report) or 0.5, or more.
        max_ever_risk: the highest probability ever to have had a grave value; None where it is not known of all.
        certain_ever: how many people have certainly had one, in some release.
        alone: how many people contradict the assumptions, and have values given away by groups of one value.
    """

    max_risk: Probability | Absent | None = ABSENT
    mean_risk: Probability | Absent | None = ABSENT
    risk_counts: list[int] | Absent | None = ABSENT
    at_limit: int | Absent | None = ABSENT
    above_0_9: int | Absent | None = ABSENT
    above_0_5: int | Absent | None = ABSENT
    max_ever_risk: Probability | Absent | None = ABSENT
    certain_ever: int | Absent = ABSENT
    alone: int | Absent = ABSENT
