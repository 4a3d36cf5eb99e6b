"""Disclosures: a person's value that is certain, by the person's own groups or a deduction about all people."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, Generic, Literal

import numpy as np

from audit.findings.proof import Proof, either, in_full, in_short
from audit.findings.wording import listing
from audit.model.arrays import Codes, Floats, Places
from audit.model.errors import printable
from audit.model.finding import (
    BY_CHECK,
    MEMBER,
    RELEASE,
    VALUE,
    VALUES,
    C,
    Claims,
    Finding,
    Identifiers,
    KnownReleases,
    Place,
    Presence,
    ReportNaming,
    decoded,
)
from audit.model.json_types import OMITTED, Items, Omittable, PartOf, Probability
from audit.model.measures import Measures
from audit.runtime.phrases import Phrase, say, say_count

UNPROVED = Phrase("no proof was found within the limits: only the attack itself says that no other value is possible")


@dataclass(frozen=True)
class CertificateStep(Generic[C]):
    """What one release leaves possible for one person: the groups that may hold the person, and the values in them.

    Attributes:
        release: the release.
        groups: the groups one of which holds the person.
        candidates: the values in them.
        feasible: those of them that are on a feasible path, where values may change; None otherwise.
    """

    release: Annotated[C, RELEASE]
    groups: tuple[str, ...]
    candidates: Annotated[tuple[C, ...], VALUES]
    feasible: Annotated[Omittable[tuple[C, ...]], VALUES] = None

    def line(self: CertificateStep[str]) -> str:
        """Return which values the groups leave."""
        return say_count(
            "release {release}, group {groups}: {values}",
            "release {release}, groups {groups}: {values}",
            len(self.groups),
            release=printable(self.release),
            groups=listing(self.groups),
            values=listing(self.candidates),
        )

    def in_full(self: CertificateStep[str]) -> str:
        """Return all values that the groups leave, and which of them are on a possible path."""
        line = say(
            "release {release}, group {group}: {values}",
            release=printable(self.release),
            group=", ".join(map(printable, self.groups)),
            values=either(self.candidates),
        )
        left = self.candidates if self.feasible is None else self.feasible
        if set(left) == set(self.candidates):
            return line
        return say("{step}; on a possible path {values}", step=line, values=either(left))


def lines(certificate: Iterable[CertificateStep[str]]) -> Iterator[str]:
    """Yield the steps of a certificate."""
    for step in certificate:
        line = step.line()
        if step.feasible is not None and step.feasible != step.candidates:
            line = say("{step}; on a possible path: {values}", step=line, values=listing(step.feasible))
        yield line


def places_of(certificate: Iterable[CertificateStep[C]]) -> Iterator[Place[C]]:
    """Yield the groups of the steps of a certificate."""
    for step in certificate:
        yield from ((step.release, group) for group in step.groups)


class OnePersonFinding(Finding[C]):
    """What is found of one person, shown by what the person's own groups leave.

    Attributes:
        individual: who; a pseudonym unless revealed.
        certificate: the steps that show it, in order of release.
    """

    individual: Annotated[C, MEMBER]
    certificate: Annotated[tuple[CertificateStep[C], ...], BY_CHECK]

    def steps(self: OnePersonFinding[str]) -> Iterator[str]:
        """Yield what the person's groups leave."""
        yield from lines(self.certificate)

    def places(self) -> Iterator[Place[C]]:
        """Yield the groups of the certificate."""
        yield from places_of(self.certificate)

    @property
    def person(self: OnePersonFinding[int]) -> int:
        """The person."""
        return self.individual

    def people(self: OnePersonFinding[int]) -> Sequence[int]:
        """Return the person."""
        return (self.individual,)


@dataclass(frozen=True)
class Disclosure(OnePersonFinding[C]):
    """A person's value that is certain, by the person's own groups or a deduction about all people.

    Attributes:
        kind: which sort of finding.
        individual: who; a pseudonym unless revealed.
        release: the release.
        value: the value that is certain.
        risk: how probable the value is.
        certificate: the steps that show it, in order of release.
        proof: shows it where the steps of the certificate, the person's own groups, do not.
        alone: true if the release alone shows it.
        evidence: `proof`: the certificate was checked again. `solver`: a solver's word, for no proof was found within
            the limits.
        attribute: the attribute that the value is of, where it follows from the combinations of several.
    """

    kind: ClassVar[Literal["disclosure"]] = "disclosure"
    individual: Annotated[C, MEMBER]
    release: Annotated[C, RELEASE]
    value: Annotated[C, VALUE]
    risk: Probability
    certificate: Annotated[tuple[CertificateStep[C], ...], Items(1)]
    proof: Annotated[Proof[C] | None, PartOf("certificate")] = None
    alone: Annotated[bool, OMITTED] = False
    evidence: Literal["proof", "solver"] = "proof"
    attribute: Annotated[Omittable[str], BY_CHECK] = None

    def sentence(self: Disclosure[str], *, by_version: bool) -> str:
        """Return which value a person has."""
        value = printable(self.value)
        if self.attribute is not None:
            value = f"{printable(self.attribute)} {value}"
        about = {"who": printable(self.individual), "release": printable(self.release), "value": value}
        if self.alone:
            return say("{who} has {value} in release {release}, whatever other releases show", **about)
        if by_version:
            return say("{who} has {value}, in release {release}", **about)
        return say("{who} has {value}, certain from release {release} on", **about)

    def steps(self: Disclosure[str]) -> Iterator[str]:
        """Yield what the person's groups leave, and the proof in short."""
        yield from lines(self.certificate)
        if self.proof is not None:
            yield from in_short(self.proof, self.individual, self.value)
        elif self.evidence == "solver":
            yield str(UNPROVED)

    def in_full(self: Disclosure[str], *, by_version: bool) -> Iterator[str]:
        """Yield the value, what the person's groups leave, and the whole proof."""
        yield certain_value(self.value, self.release, by_version=by_version)
        yield from (f"  {step.in_full()}" for step in self.certificate)
        if self.proof is not None:
            yield from (f"  {line}" for line in in_full(self.proof, self.individual, self.value))
        yield from [f"  {UNPROVED}"] if self.evidence == "solver" else []

    def places(self) -> Iterator[Place[C]]:
        """Yield the groups of the certificate and of the proof."""
        yield from places_of(self.certificate)
        if self.proof is not None:
            yield from self.proof.places()

    @property
    def releases(self) -> tuple[C, ...]:
        """The releases of the certificate and of the proof."""
        more = () if self.proof is None else self.proof.releases()
        return tuple(dict.fromkeys((*(step.release for step in self.certificate), *more)))

    @property
    def unproved(self) -> bool:
        """Whether it rests on a solver's word."""
        return self.evidence == "solver"

    def mentioned(self: Disclosure[int]) -> Iterable[int]:
        """Return the person, and all people in the proof."""
        return sorted({self.individual} | (set() if self.proof is None else self.proof.mentioned()))

    def follows_from(self: Disclosure[int], source: Presence, last: int) -> KnownReleases:
        """Return the releases of the steps that it needs; of a proof, those that its people are in."""
        if self.proof is not None:
            return self._together(source, last)
        steps = _fewest(self.certificate, self.value, last) if source.constant else self.certificate
        releases = tuple(step.release for step in steps if step.release != last)
        groups = tuple(group for release, group in places_of(steps) if release == last)
        return KnownReleases(releases, not self.unproved and (source.constant or not releases), groups)

    def _together(self: Disclosure[int], source: Presence, last: int) -> KnownReleases:
        """Return all that a proof about several people may draw on: the releases that they are in, and their groups."""
        people = np.array(self.mentioned(), dtype=np.int32)
        present = [release for release in range(last) if np.isin(people, source.present(release)).any()]
        there = people[np.isin(people, source.present(last))]
        groups = [name for names in source.groups(last, there) for name in names]
        return KnownReleases(tuple(present), False, tuple(dict.fromkeys(groups)))

    def named(self: Disclosure[int], names: ReportNaming) -> Finding[str]:
        """Return it with names in place of codes, and with the attribute of the value."""
        named: Disclosure[str] = decoded(replace(self, attribute=names.attribute(self.value)), names)
        return named


class OnePersonClaims(Claims):
    """Claims about one person each.

    Attributes:
        person: who, by code; shape (claims,), int32.
    """

    person: Codes

    def concerned(self, names: Identifiers) -> Sequence[frozenset[str]]:
        """Return the person of each claim."""
        return [frozenset((names.identifier(who),)) for who in self.person.tolist()]

    def people_at(self, places: Places) -> Codes:
        """Return which people the claims at some places are about, distinct."""
        return np.unique(self.person[places])


def certain_value(value: str, release: str, *, by_version: bool) -> str:
    """Return which value the person of a text has, and from when on that is certain."""
    about = {"value": printable(value), "release": printable(release)}
    if by_version:
        return say("{value}, in release {release}", **about)
    return say("{value}, certain from release {release} on", **about)


def _fewest(steps: tuple[CertificateStep[int], ...], value: int, last: int) -> tuple[CertificateStep[int], ...]:
    """Return the steps of a value that never changes that are needed to make it the only candidate."""
    kept = list(steps)
    for step in steps:
        rest = [each for each in kept if each is not step]
        if step.release != last and rest and set.intersection(*(set(s.candidates) for s in rest)) == {value}:
            kept = rest
    return tuple(kept)


@dataclass(frozen=True)
class Disclosures(OnePersonClaims):
    """All disclosures of one outcome as columns; the findings themselves are built on demand.

    Attributes:
        person, release, value: codes; shape (claims,), int32.
        certify: returns the findings at some places, with their certificates; None where none was found that is short.
        nothing: the measures of an attack that can conclude nothing, which hold if its premises do not hold for all
            people; None where each claim rests on its own person alone.
        exhaustive: whether it is known that every version that is certain is among the claims, though the outcome may
            be incomplete: of each other one that counts, two values are shown to be possible.
    """

    checked_by: ClassVar[str] = "audit.judgement.check_disclosure.check_disclosures"
    person: Codes
    release: Codes
    value: Codes
    certify: Callable[[Places], Sequence[Disclosure[int] | None]]
    nothing: Measures | None = None
    exhaustive: bool = False

    @property
    def severity(self) -> Floats:
        """What to rank the claims by, the worst highest: their probability, which is certainty."""
        return np.broadcast_to(np.float64(1), len(self))

    def identities(self, places: Places, names: Identifiers) -> Iterator[tuple[str, ...]]:
        """Yield person, release and value; a claim by combinations is another one than that by one attribute."""
        evidence = names.evidence
        for person, release, value in self.read(places, "person", "release", "value"):
            said = ("disclosure", names.identifier(person), evidence.tags[release], evidence.values[value])
            yield said if evidence.combined is None else (*said, evidence.sensitive, evidence.attribute(value) or "")

    @property
    def versions(self) -> Codes:
        """The person of each."""
        return self.person

    def highest_risk(self, waived: Places) -> float | None:
        """Return 1 where any claim is left."""
        return 1.0 if len(self) > len(waived) else None

    def certain_people(self, waived: Places) -> Codes:
        """Return whose values are certain."""
        return np.delete(self.person, waived)

    def values(self) -> Codes:
        """Return the value of each."""
        return self.value

    def about(self, person: int) -> Disclosures:
        """Return the claims about one person alone."""
        return self.some(np.flatnonzero(self.person == person))

    def some(self, places: Places) -> Disclosures:
        """Return the claims at some places alone, which are not known to be all that there are."""
        person, release, value = (column[places] for column in (self.person, self.release, self.value))
        return Disclosures(person, release, value, lambda chosen: self.certify(places[chosen]), self.nothing)


def certain_alike(claims: Claims | None, waived: Places) -> bool:
    """Return whether two people are certain of the same value, by the claims that are not waived."""
    if not isinstance(claims, Disclosures):
        return False
    person, value = (np.delete(each, waived) for each in (claims.person, claims.value))
    value = np.unique(np.stack([person, value]), axis=1)[1]
    return len(np.unique(value)) < len(value)
