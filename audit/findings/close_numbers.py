"""Close numbers: findings that all possible values of a person or class are close to each other, or similar."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np

from audit.findings.disclosure import CertificateStep, OnePersonClaims, lines, places_of
from audit.findings.rows import ClassClaims, ClassFinding
from audit.model.arrays import Codes, Floats, Objects, Places
from audit.model.finding import (
    BY_CHECK,
    MEMBER,
    RELEASE,
    VALUE,
    C,
    ClauseClaims,
    CloseSize,
    Finding,
    Identifiers,
    KnownReleases,
    Located,
    Place,
    Presence,
    ReportNaming,
    RiskSize,
    Size,
    decoded,
)
from audit.model.json_types import OMITTED, UNWRITTEN, Counted, Omittable, Probability
from audit.runtime.phrases import percent, printable, say

COLUMNS = ("release", "lower", "upper", "risk", "ends", "category")
"""The columns of claims about people and about classes."""


@dataclass(frozen=True)
class KnownNearly(ClassFinding[C]):
    """Values that mean nearly the same, one of which a person, or a person in a class of rows, has.

    A likely value of a person is shown only when people are revealed, because it would say more than the releases do.

    Attributes:
        kind: which sort of finding.
        release: the release; the person's last one where values never change.
        lower, upper: codes of the least and the largest of the numbers, or of some value of the category.
        risk: the probability of one of these; 1 if no other value is possible.
        individual: the person; a pseudonym unless revealed; absent in a finding about a class.
        attribute: the attribute of the values, if the finding follows from combinations of several attributes.
        certificate: what the person's own groups leave, in order of release.
        evidence: `proof`: the person's own groups, or the rows of the class, show it. `solver`: only the attack shows
            it.
        group: the published group of the class, or its number by order of appearance; absent in a finding about a
            person.
        rows: the number of people that the rows of the class stand for; absent in a finding about a person.
        after: the last release over which the linked records look alike; absent without record ids.
        number: the number of the class in its group, counted from 0; 0 for linked records.
        with_value: how many of the rows have one of the values.
        record: code of the first of the records; -1 for rows of one release, and for people.
        there: whether only linked records with a row in the release are counted.
        together: whether, of those, only records count that are in the same releases as the first one.
        category: the category that the values share.
        located: the files and lines of the groups; only when people are revealed.
    """

    release: Annotated[C, RELEASE]
    lower: Annotated[C | None, VALUE, UNWRITTEN]
    upper: Annotated[C | None, VALUE, UNWRITTEN]
    risk: Probability
    individual: Annotated[Omittable[C], MEMBER] = None
    attribute: Annotated[Omittable[str], BY_CHECK] = None
    certificate: Annotated[tuple[CertificateStep[C], ...], OMITTED, BY_CHECK] = ()
    evidence: Literal["proof", "solver"] = "proof"
    group: Omittable[str] = None
    rows: Annotated[Counted | None, OMITTED] = None
    after: Annotated[Omittable[C], RELEASE] = None
    number: Annotated[int, UNWRITTEN] = 0
    with_value: Annotated[int, UNWRITTEN] = 0
    record: Annotated[int, UNWRITTEN] = -1
    there: Annotated[bool, UNWRITTEN] = False
    together: Annotated[bool, UNWRITTEN] = False
    category: Annotated[str | None, UNWRITTEN] = None
    located: Located = field(default=(), kw_only=True)

    @abstractmethod
    def what(self: KnownNearly[str]) -> str:
        """Return what is known."""

    def sentence(self: KnownNearly[str], *, by_version: bool) -> str:
        """Return a sentence about what is known of the person, or of the rows."""
        if self.individual is None:
            return self.of_rows(self.what(), percent(self.risk))
        about = {"who": printable(self.individual, 200), "release": printable(self.release), "what": self.what()}
        if self.risk == 1:
            return say("{who} has {what}, by release {release}", **about)
        return say(
            "{who} has {what} with a probability of {risk}, by release {release}", **about, risk=percent(self.risk)
        )

    def steps(self: KnownNearly[str]) -> Iterator[str]:
        """Yield what the person's groups leave possible."""
        yield from lines(self.certificate)

    def places(self) -> Iterator[Place[C]]:
        """Yield the group, or those of the certificate."""
        yield from places_of(self.certificate) if self.group is None else [(self.release, self.group)]

    @property
    def unproved(self) -> bool:
        """Whether it is certain, but only by a solver."""
        return self.evidence == "solver" and self.risk == 1

    @property
    def person(self: KnownNearly[int]) -> int | None:
        """The person."""
        return self.individual

    @property
    def extent(self) -> int:
        """The number of people that the rows of the class stand for, or of those who look like the person."""
        return self.rows or super().extent

    def people(self: KnownNearly[int]) -> Sequence[int]:
        """Return the person."""
        return () if self.individual is None else (self.individual,)

    def follows_from(self: KnownNearly[int], source: Presence, last: int) -> KnownReleases:
        """Return the releases and groups that it follows from: one group, for the rows of one release."""
        known = super().follows_from(source, last)
        return known if self.group is None or self.record >= 0 else KnownReleases((), False, known.groups)

    def named(self: KnownNearly[int], names: ReportNaming) -> Finding[str]:
        """Return the finding with names in place of codes; a likely value of a person only when people are revealed."""
        found = replace(self, attribute=None if self.lower is None else names.attribute(self.lower))
        if self.individual is not None and self.risk < 1 and not names.reveal:
            found = replace(found, lower=None, upper=None, category=None, certificate=())
        named: KnownNearly[str] = decoded(found, names)
        return named


@dataclass(frozen=True)
class CloseNumbers(KnownNearly[C]):
    """Numbers that are close to each other, one of which a person, or a person in a class of rows, has.

    A likely number of a person is shown only when people are revealed, because it would say more than the releases do.

    Attributes:
        lower, upper: the least and the largest of the numbers; null unless shown.
        risk: the probability that the number is close to these; 1 if all possible numbers are close.
        attribute: the attribute of the numbers, if the finding follows from combinations of several attributes.
    """

    kind: ClassVar[Literal["close"]] = "close"
    meaning: ClassVar[str] = "All, or most, of the numbers that a person may have are close to each other."
    lower: Annotated[C | None, VALUE]
    upper: Annotated[C | None, VALUE]

    def what(self: CloseNumbers[str]) -> str:
        """Return the interval of the value."""
        what = say("a value") if self.attribute is None else printable(self.attribute)
        if self.lower is None or self.upper is None:
            return what
        return say("{what} from {low} to {high}", what=what, low=printable(self.lower), high=printable(self.upper))


@dataclass(frozen=True)
class SimilarValues(KnownNearly[C]):
    """Values of one category, one of which a person, or a person in a class of rows, has.

    A likely category of a person is shown only when people are revealed, because it would say more than the releases
    do.

    Attributes:
        risk: the probability of the category; 1 if all possible values belong to it.
        category: the category; null unless shown.
    """

    kind: ClassVar[Literal["similar"]] = "similar"
    meaning: ClassVar[str] = "All, or most, of the values that a person may have are of one category."
    category: str | None = None

    def what(self: SimilarValues[str]) -> str:
        """Return the category."""
        what = say("a value") if self.attribute is None else printable(self.attribute)
        if self.category is None:
            return what
        return say("{what} of the category {category}", what=what, category=printable(self.category))


@dataclass(frozen=True)
class NearClaims(ClauseClaims):
    """All claims of one outcome about close or similar values, as columns.

    Attributes:
        release: counted from 0; shape (claims,), int32.
        lower, upper: the value codes of the least and the largest of the close numbers; shape (claims,), int32.
        risk: the probability of one of them, or the share of the rows with one; 1 if no other value is possible; shape
            (claims,), float64.
        ends: the numbers themselves, exactly; shape (claims, 2).
        entries: the number by which a waiver accepts each claim; shape (claims,).
        share: how far close numbers may differ, if the manifest gives no width.
        category: the category of the values; None for close numbers; shape (claims,).
    """

    clause: ClassVar[str] = "closeness"
    columns: ClassVar[tuple[str, ...]] = (*COLUMNS, "entries")
    release: Codes
    lower: Codes
    upper: Codes
    risk: Floats
    ends: Objects
    entries: Places
    share: float
    category: Objects

    def at_entries(self, kept: Places) -> Self:
        """Return the claims at some indices."""
        columns: dict[str, Any] = {name: getattr(self, name)[kept] for name in self.columns}
        return replace(self, **columns)

    def without(self, accepted: Places) -> Self:
        """Return the claims that are not accepted."""
        return self.at_entries(np.flatnonzero(~np.isin(self.entries, accepted)))


@dataclass(frozen=True)
class CloseValues(NearClaims, OnePersonClaims):
    """All people of one outcome whose number is known nearly, as columns.

    Attributes:
        person: codes; shape (claims,), int32.
        near: which numbers of the attribute are close; shape (claims,).
        every: whether values never change, so that each claim covers all releases of its person.
    """

    checked_by: ClassVar[str] = "audit.judgement.check_close_numbers.check_people"
    columns: ClassVar[tuple[str, ...]] = ("person", "near", *NearClaims.columns)
    person: Codes
    near: Objects
    every: bool

    def sizes(self) -> Sequence[Size]:
        """Return the interval of each certain number, and the probability of any other."""
        known = zip(self.risk.tolist(), self.ends.tolist(), self.category.tolist(), self.near.tolist(), strict=True)
        return [
            CloseSize(lower, upper, near.number) if risk == 1 and of is None else RiskSize(risk)
            for risk, (lower, upper), of, near in known
        ]

    def certify(self, places: Places) -> Sequence[KnownNearly[int]]:
        """Return the findings at some indices, without what the people's groups leave possible."""
        return [
            nearly(category)(release, lower, upper, risk, individual=person, evidence="solver", category=category)
            for release, lower, upper, risk, person, category in self.read(places, *COLUMNS[:4], "person", "category")
        ]

    def identities(self, places: Places, names: Identifiers) -> Iterator[tuple[str, ...]]:
        """Yield the person, the release unless values never change, and the attribute of the numbers."""
        evidence = names.evidence
        for person, release, lower, category in self.read(places, "person", "release", "lower", "category"):
            tag, about = "" if self.every else evidence.tags[release], [] if category is None else [category]
            said = names.identifier(person), tag, evidence.sensitive, evidence.attribute(lower) or ""
            yield (nearly(category).kind, *said, *about)


@dataclass(frozen=True)
class CloseClasses(NearClaims, ClassClaims):
    """All classes of one outcome that nearly disclose a number, as columns.

    Attributes:
        build: returns the findings of some entries.
    """

    checked_by: ClassVar[str] = "audit.judgement.check_close_numbers.check_classes"
    build: Callable[[Places], Sequence[KnownNearly[int]]]

    def sizes(self) -> None:
        """Return nothing: the id of a class already says everything."""

    def certify(self, places: Places) -> Sequence[KnownNearly[int]]:
        """Return the findings at some indices."""
        return self.build(self.entries[places])

    def identities(self, places: Places, names: Identifiers) -> Iterator[tuple[str, ...]]:
        """Yield release, group, class and numbers, and the counts."""
        tags, values = names.evidence.tags, names.evidence.values
        for f in self.certify(places):
            said = (
                tags[f.release],
                f.group or "",
                str(f.number),
                *(values[each] for each in (f.lower, f.upper) if each is not None),
            )
            linked = () if f.after is None else (names.record_identifier(f.record), tags[f.after])
            about = [] if f.category is None else [f.category]
            yield (f.kind, *said, str(f.with_value), str(f.rows), *linked, *about)


def nearly(category: str | None) -> type[CloseNumbers[int] | SimilarValues[int]]:
    """Return the kind of finding: about close numbers, or about values of a category."""
    return CloseNumbers if category is None else SimilarValues


class _OfCategories(ClauseClaims):
    """Claims about the values of one category: below certainty they count for `max_risk`."""

    clause: ClassVar[str] = "similar"

    def highest_risk(self, waived: Places) -> float | None:
        """Return the highest risk of a category."""
        return float(np.delete(self.severity, waived).max(initial=0.0))


class SimilarPeople(_OfCategories, CloseValues):
    """All people of one outcome whose category is known."""


class SimilarClasses(_OfCategories, CloseClasses):
    """All classes of one outcome that disclose a category."""


def joined(every: Sequence[SimilarClasses]) -> SimilarClasses:
    """Return the claims about several categories as one."""
    starts = np.cumsum([0, *map(len, every)])
    columns: dict[str, Any] = {name: np.concatenate([getattr(each, name) for each in every]) for name in COLUMNS}

    def build(chosen: Places) -> list[KnownNearly[int]]:
        owners = np.searchsorted(starts, chosen, "right") - 1
        return [
            one
            for owner, at in zip(owners.tolist(), chosen.tolist(), strict=True)
            for one in every[owner].build(np.array([at - starts[owner]]))
        ]

    return SimilarClasses(entries=np.arange(starts[-1]), share=0.0, build=build, **columns)
