"""Close numbers: what a person, or a class of rows that look alike, may have as a number is known nearly."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, ClassVar, Literal

import numpy as np

from audit.findings.disclosure import CertificateStep, OnePersonClaims, lines, places_of
from audit.model.accepted_size import CloseSize, RiskSize, Size
from audit.model.arrays import Codes, Floats, Objects, Places
from audit.model.errors import printable
from audit.model.finding import (
    BY_CHECK,
    MEMBER,
    RELEASE,
    VALUE,
    C,
    Claims,
    Finding,
    Identifiers,
    KnownReleases,
    Located,
    Place,
    Presence,
    ReportNaming,
    decoded,
)
from audit.model.json_types import OMITTED, UNWRITTEN, Counted, Omittable, Probability
from audit.model.measures import Measures
from audit.runtime.phrases import percent, say


@dataclass(frozen=True)
class CloseNumbers(Finding[C]):
    """Numbers that are close to each other, one of which a person, or one in a class of rows, has.

    What is only likely of a person is shown when people are revealed, for it would say more than the releases do.

    Attributes:
        kind: which sort of finding.
        release: the release; the person's last one where values never change.
        lower, upper: the least and the largest of the numbers; null unless shown.
        risk: how probable it is that the number is close to these; 1 where all numbers that are left are close.
        individual: who; a pseudonym unless revealed; absent where it is about a class.
        attribute: the attribute that the numbers are of, where it follows from the combinations of several.
        certificate: what the person's own groups leave, in order of release.
        evidence: `proof`: the person's own groups, or the rows of the class, show it. `solver`: the attack's word.
        group: the published group of the class, or its number by order of appearance; absent where it is about a
            person.
        rows: people that the rows of the class stand for; absent where it is about a person.
        after: the last one of the releases over which records look alike, where record ids link them; absent elsewhere.
        number: which of the group's classes, counted from 0; 0 for linked records.
        with_value: how many of the rows have one of the numbers.
        record: code of the first of the records; -1 for rows of one release, and for people.
        located: where the groups stand; only where people are revealed.
    """

    kind: ClassVar[Literal["close"]] = "close"
    meaning: ClassVar[str] = "All numbers that a person may have are close to each other, or most of them."
    release: Annotated[C, RELEASE]
    lower: Annotated[C | None, VALUE]
    upper: Annotated[C | None, VALUE]
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
    located: Located = field(default=(), kw_only=True)

    def sentence(self: CloseNumbers[str], *, by_version: bool) -> str:
        """Return between which numbers a value is."""
        del by_version
        what = say("a number") if self.attribute is None else printable(self.attribute)
        if self.lower is not None and self.upper is not None:
            what = say("{what} from {low} to {high}", what=what, low=printable(self.lower), high=printable(self.upper))
        about = {"release": printable(self.release), "what": what, "risk": percent(self.risk)}
        if self.individual is not None:
            about["who"] = printable(self.individual)
            if self.risk == 1:
                return say("{who} has {what}, by release {release}", **about)
            return say("{who} has {what}, known nearly with {risk}, by release {release}", **about)
        about |= {"group": printable(self.group or ""), "rows": str(self.rows)}
        if self.after is not None:
            return say(
                "release {release}: {risk} of {rows} records that look alike over the releases up to {after} (one of "
                "them last in group {group}) have {what}",
                **about,
                after=printable(self.after),
            )
        return say("release {release}, group {group}: {risk} of {rows} rows that look alike have {what}", **about)

    def steps(self: CloseNumbers[str]) -> Iterator[str]:
        """Yield what the person's groups leave."""
        yield from lines(self.certificate)

    def places(self) -> Iterator[Place[C]]:
        """Yield the group, or those of the certificate."""
        yield from places_of(self.certificate) if self.group is None else [(self.release, self.group)]

    def exceeds(self, limits: Mapping[str, float]) -> bool:
        """Return whether its probability reaches `max_risk`."""
        return self.risk >= limits.get("max_risk", 1.0)

    @property
    def unproved(self) -> bool:
        """Whether it rests on a solver's word though it is certain."""
        return self.evidence == "solver" and self.risk == 1

    @property
    def person(self: CloseNumbers[int]) -> int | None:
        """Who it is."""
        return self.individual

    def people(self: CloseNumbers[int]) -> Sequence[int]:
        """Return the person."""
        return () if self.individual is None else (self.individual,)

    def follows_from(self: CloseNumbers[int], source: Presence, last: int) -> KnownReleases:
        """Return what it follows from: of the rows of one release, these."""
        known = super().follows_from(source, last)
        return known if self.group is None or self.record >= 0 else KnownReleases((), False, known.groups)

    def named(self: CloseNumbers[int], names: ReportNaming) -> Finding[str]:
        """Return it with names in place of codes; what is only likely of a person only when revealed."""
        found = replace(self, attribute=None if self.lower is None else names.attribute(self.lower))
        if self.individual is not None and self.risk < 1 and not names.reveal:
            found = replace(found, lower=None, upper=None, certificate=())
        named: CloseNumbers[str] = decoded(found, names)
        return named


@dataclass(frozen=True)
class CloseValues(OnePersonClaims):
    """All people of one outcome whose number is known nearly, as columns.

    Attributes:
        person, release: codes; shape (claims,), int32.
        lower, upper: the least and the largest of the numbers that are close, by value codes; shape (claims,), int32.
        risk: how probable one of them is; 1 where they are all that is left; shape (claims,), float64.
        ends: the numbers themselves, exactly; shape (claims, 2).
        entries: by which number each is accepted; shape (claims,).
        share: how far close numbers may differ, where the manifest gives no width.
        every: whether values never change, so that each claim is about all releases of its person.
    """

    checked_by: ClassVar[str] = "audit.verification.close_numbers.check_people"
    clause: ClassVar[str] = "closeness"
    person: Codes
    release: Codes
    lower: Codes
    upper: Codes
    risk: Floats
    ends: Objects
    entries: Places
    share: float
    every: bool
    nothing: Measures | None = None

    def entries_at(self, places: Places) -> Places:
        """Return by which numbers the claims at some places are accepted."""
        return self.entries[places]

    def at_entries(self, kept: Places) -> CloseValues:
        """Return the claims at some places alone."""
        return replace(self, person=self.person[kept], **_columns(self, kept))

    @property
    def severity(self) -> Floats:
        """What to rank the claims by: the probability."""
        return self.risk

    def sizes(self) -> Sequence[Size]:
        """Return the interval of each that is certain, the probability of any other."""
        known = zip(self.risk.tolist(), self.ends.tolist(), strict=True)
        return [CloseSize(*ends) if risk == 1 else RiskSize(risk) for risk, ends in known]

    def certify(self, places: Places) -> Sequence[CloseNumbers[int]]:
        """Return the findings at some places, without what the people's groups leave."""
        columns = (self.release, self.lower, self.upper, self.risk, self.person)
        rows = zip(*(column[places].tolist() for column in columns), strict=True)
        return [
            CloseNumbers(release, lower, upper, risk, individual=person, evidence="solver")
            for release, lower, upper, risk, person in rows
        ]

    def identities(self, places: Places, names: Identifiers) -> Iterator[tuple[str, ...]]:
        """Yield the person, the release unless values never change, and what the numbers are of."""
        evidence = names.evidence
        for person, release, lower in zip(
            *(column[places].tolist() for column in (self.person, self.release, self.lower)), strict=True
        ):
            tag = "" if self.every else evidence.tags[release]
            yield "close", names.identifier(person), tag, evidence.sensitive, evidence.attribute(lower) or ""


@dataclass(frozen=True)
class CloseClasses(Claims):
    """All classes of one outcome that give a number away nearly, as columns.

    Attributes:
        release: counted from 0; shape (claims,), int32.
        lower, upper: the least and the largest of the numbers that are close, by value codes; shape (claims,), int32.
        risk: the share of the rows that have one of them; 1 where all do; shape (claims,), float64.
        ends: the numbers themselves, exactly; shape (claims, 2).
        entries: by which number each is accepted; shape (claims,).
        share: how far close numbers may differ, where the manifest gives no width.
        build: returns the findings of some entries.
    """

    checked_by: ClassVar[str] = "audit.verification.close_numbers.check_classes"
    clause: ClassVar[str] = "closeness"
    counts_rows: ClassVar[bool] = True
    release: Codes
    lower: Codes
    upper: Codes
    risk: Floats
    ends: Objects
    entries: Places
    share: float
    build: Callable[[Places], list[CloseNumbers[int]]]
    person: Codes | None = None
    nothing: Measures | None = None

    def entries_at(self, places: Places) -> Places:
        """Return by which numbers the claims at some places are accepted."""
        return self.entries[places]

    def at_entries(self, kept: Places) -> CloseClasses:
        """Return the claims at some places alone."""
        return replace(self, **_columns(self, kept))

    @property
    def severity(self) -> Floats:
        """What to rank the claims by: the share of the rows."""
        return self.risk

    def certify(self, places: Places) -> list[CloseNumbers[int]]:
        """Return the findings at some places."""
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
            yield ("close", *said, str(f.with_value), str(f.rows), *linked)

    def groups(self) -> Sequence[Place[int]]:
        """Return release and group of each."""
        return [(each.release, each.group or "") for each in self.certify(self.everything())]


def _columns(claims: CloseValues | CloseClasses, kept: Places) -> dict[str, Any]:
    return {name: getattr(claims, name)[kept] for name in ("release", "lower", "upper", "risk", "ends", "entries")}


def accepted_left(claims: CloseValues | CloseClasses, accepted: Places) -> CloseValues | CloseClasses:
    """Return the claims that are not accepted."""
    return claims.at_entries(np.flatnonzero(~np.isin(claims.entries, accepted)))
