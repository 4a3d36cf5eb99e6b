"""Measures: the numbers that an attack reports, and their texts.

Each attack has its own subclass of `Measures`. Its fields are the measures of the JSON report, in order; its properties
and methods return their texts, for every format. No other code reads the measures of an attack.
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
    """A measure that an attack omits; None, in contrast, is `null` and means unknown."""

    ABSENT = "absent"


ABSENT: Final = Absent.ABSENT

PEOPLE: Final = Noun("{count} [person|people]")
VERSIONS: Final = Noun("{count} [version|versions]")
"""A version is a person in one release."""

# The criteria of the Article 29 Working Party (Opinion 05/2014): what an attack tries to do to a person.
SINGLING_OUT: Final = "singling out"
LINKABILITY: Final = "linkability"
INFERENCE: Final = "inference"


@dataclass(frozen=True)
class LeastBounds:
    """Bounds of a least number; both None if it is proved that there is no such number.

    Attributes:
        lower: the least number is at least this; None if no bound is known.
        upper: the least number is at most this; None if no bound is known.
    """

    lower: int | None
    upper: int | None

    @property
    def none(self) -> bool:
        """Whether it is proved that there is no such number."""
        return self.lower is None and self.upper is None

    def __str__(self) -> str:
        """Return a text such as `2`, `at least 2` or `none`.

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
    """The numbers of an attack; as a mapping, the measures of the JSON report without absent ones.

    A subclass is a frozen dataclass with `eq=False`, because two mappings with the same measures are equal.

    Attributes:
        timeline: the number of findings after each judged release, from the releases so far.
        counted: the names of two measures: the number of judged people, versions or records, and the number of those
            found; None if the attack does not count them.
        subjects_label: what is judged: people, versions or records.
        by_version: whether a finding is about a person in one release alone.
        about_values: whether the attack finds sensitive values, rather than the person of a record.
        about_all_people: whether the attack reasons about all people's values at once.
        has_timeline: whether findings are counted after each release.
        timeline_label: what the timeline counts, in a word or two.
        remedy: what would have prevented the findings.
        criteria: which of singling out, linkability and inference the attack attempts.
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
        """Yield the names of the present measures, the timeline last."""
        yield from self._names()

    def __len__(self) -> int:
        """Return the number of present measures."""
        return len(self._names())

    def _names(self) -> list[str]:
        return [name for name in measure_names(type(self)) if getattr(self, name.replace(".", "_")) is not ABSENT]

    @property
    def subjects(self) -> int | None:
        """The number of judged people, versions or records; None if the attack does not count them."""
        return None if self.counted is None else getattr(self, self.counted[0])

    @property
    def found(self) -> int:
        """The number of found people, versions or records."""
        return 0 if self.counted is None else int(getattr(self, self.counted[1]))

    def found_in_words(self, *, at_least: bool) -> str:
        """Return how many are found, of how many; `at_least` means that the attack was not complete."""
        if self.subjects is None:
            counts = [f"{name} {figure(value)}" for name, value in self.items() if isinstance(value, int)]
            return ", ".join(counts) or say("see its findings")
        if not self.subjects and at_least:
            return say("no one was analysed")
        label = self.subjects_label
        whole = label.counted(self.subjects) if isinstance(label, Noun) else f"{figure(self.subjects)} {label}"
        return found_of(self.found, whole, at_least=at_least)

    def accusation(self, value: str, *, at_least: bool) -> str:
        """Return the violation in words, for the verdict; `value` is `the sensitive value`, or its name."""
        found = say("{value} is certain for {found}", value=value, found=self.found_in_words(at_least=at_least))
        return say("{accusation} (a person in one release)", accusation=found) if self.by_version else found

    def notes(self, attack: str) -> Iterator[str]:
        """Yield sentences about how to read the result; `attack` is the attack's name."""
        yield from ()

    def with_unproved(self, count: int) -> Measures:
        """Return the measures with the number of shown findings without a proof."""
        return self


def found_of(found: int, whole: str, *, at_least: bool) -> str:
    """Return how many of a total are found, in words.

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
    """Return the JSON names of the measures of a class, in the order of the report: its own, then those of its bases.

    A number in a name is written with a point in JSON: `above_0_9` is `above_0.9`.

    >>> measure_names(RiskMeasures)[3:6]
    ('at_limit', 'above_0.9', 'above_0.5')
    """
    known = {each.name for each in fields(kind)}
    names = dict.fromkeys(name for base in kind.__mro__ for name in get_annotations(base) if name in known)
    return (*(re.sub(r"(\d)_(\d)", r"\1.\2", name) for name in names if name != "timeline"), "timeline")


@dataclass(frozen=True, eq=False, kw_only=True)
class BoundedMeasures(Measures):
    """Measures of an attack on equivalences.

    Attributes:
        min_e: bounds of the least number of people on a side of an equivalence.
        min_e_proved: equivalences with fewer people on a side are all known by proofs; absent if no bound rests on a
            solver's word.
    """

    min_e: LeastBounds
    min_e_proved: int | Absent = ABSENT

    def shows(self, limit: float, spanned: int) -> bool:
        """Return whether all equivalences below a limit are proved to be known, or none; `spanned` are all found."""
        if not isinstance(self.min_e_proved, Absent):
            return self.min_e_proved >= limit
        return self.min_e.none or max(self.min_e.lower or 0, spanned + 1) >= limit


@dataclass(frozen=True, eq=False, kw_only=True)
class RiskMeasures(Measures):
    """The probabilities that an attack gives to the true values; absent if it gives none.

    Attributes:
        max_risk, mean_risk: over all versions; None if they were not computed.
        risk_counts: the number of versions with a risk below 0.1, from 0.1 to below 0.2, …, and exactly 1.
        at_limit, above_0_9, above_0_5: the number of people with a value in some release whose probability is at least
            the policy's limit, 0.9 (`above_0.9` in the JSON report) or 0.5.
        max_ever_risk: the highest probability of a person to have had a grave value in some release; None if it is not
            known for all people.
        certain_ever: the number of people who certainly had a grave value in some release.
        alone: the number of people whose values contradict the assumptions, but are disclosed by groups of one value.
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
