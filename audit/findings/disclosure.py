"""Disclosures: a person's value, or a grave value in any release, is certain or has too high a probability.

It is certain by the person's own groups, or by a deduction about several people; it is likely if it has at least the
policy's limit as probability.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar, Generic, Literal

import numpy as np

from audit.findings.proof import Proof, either, in_full, in_short
from audit.findings.wording import certain_from, listing, shown_value
from audit.model.arrays import Codes, Columns, Flags, Floats, Places
from audit.model.evidence import Evidence
from audit.model.finding import (
    BY_CHECK,
    MEMBER,
    RELEASE,
    RELEASES,
    VALUE,
    VALUES,
    C,
    Claims,
    ClauseClaims,
    Finding,
    Identifiers,
    KnownReleases,
    Member,
    Place,
    Presence,
    ReportNaming,
    T,
    decoded,
)
from audit.model.json_types import OMITTED, UNWRITTEN, Items, Omittable, Probability, WrittenAs
from audit.model.measures import Measures
from audit.runtime.phrases import Phrase, percent, printable, quoted, say, say_count

UNPROVED = Phrase("no proof was found within the limits: only the attack itself says that no other value is possible")


@dataclass(frozen=True)
class CertificateStep(Generic[C]):
    """The possible values of one person in one release: the groups that may hold the person, and the values in them.

    Attributes:
        release: the release.
        groups: the groups one of which holds the person.
        candidates: the values in them.
        feasible: the candidates on a path through all steps, along which a value never changes, or changes as the
            transitions allow; absent where a certificate does not show paths.
    """

    WRITTEN: ClassVar[tuple[str, ...]] = ("group", "several")
    release: Annotated[C, RELEASE]
    groups: Annotated[tuple[str, ...], UNWRITTEN]
    candidates: Annotated[tuple[C, ...], VALUES]
    feasible: Annotated[Omittable[tuple[C, ...]], VALUES, BY_CHECK] = None

    @property
    def group(self) -> Omittable[str]:
        """The person's group, if it is known."""
        return self.groups[0] if len(self.groups) == 1 else None

    @property
    def several(self) -> Annotated[tuple[str, ...], OMITTED, Items(2), WrittenAs("groups")]:
        """The groups one of which holds the person, if there are several."""
        return () if len(self.groups) == 1 else self.groups

    def line(self: CertificateStep[str], *, whole: bool = False) -> str:
        """Return the values that the groups leave possible; `whole` means all of them."""
        return say_count(
            "release {release}, [group|groups] {groups}: {values}",
            len(self.groups),
            release=printable(self.release),
            groups=", ".join(map(printable, self.groups)) if whole else listing(self.groups),
            values=either(self.candidates) if whole else listing(self.candidates),
        )

    def in_full(self: CertificateStep[str]) -> str:
        """Return all values that the groups leave possible, and which of them are on a possible path."""
        line = self.line(whole=True)
        left = self.candidates if self.feasible is None else self.feasible
        if set(left) == set(self.candidates):
            return line
        return say("{step}; all groups of the person leave {values}", step=line, values=either(left))


def lines(certificate: Iterable[CertificateStep[str]]) -> Iterator[str]:
    """Yield the steps of a certificate."""
    for step in certificate:
        line = step.line()
        if step.feasible is not None and step.feasible != step.candidates:
            line = say("{step}; all groups of the person leave: {values}", step=line, values=listing(step.feasible))
        yield line


def places_of(certificate: Iterable[CertificateStep[C]]) -> Iterator[Place[C]]:
    """Yield the groups of the steps of a certificate."""
    for step in certificate:
        yield from ((step.release, group) for group in step.groups)


class OnePersonFinding(Finding[C]):
    """A finding about one person, shown by what the person's own groups leave possible.

    Attributes:
        individual: the person; a pseudonym unless revealed.
        certificate: the steps that show it, in order of release.
    """

    individual: Annotated[C, MEMBER]
    certificate: Annotated[tuple[CertificateStep[C], ...], BY_CHECK]

    def steps(self: OnePersonFinding[str]) -> Iterator[str]:
        """Yield what the person's groups leave possible."""
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
    """A person's value is certain, by the person's own groups or by a deduction about several people.

    Attributes:
        kind: which sort of finding.
        individual: the person; a pseudonym unless revealed.
        release: the release.
        value: the value that is certain.
        risk: the probability of the value.
        certificate: the steps that show it, in order of release.
        proof: shows the value if the person's own groups in the certificate do not suffice.
        alone: true if the release alone shows it.
        evidence: `proof`: the certificate was checked again. `solver`: only a solver shows it; no proof was found
            within the limits.
        attribute: the attribute of the value, if the finding follows from combinations of several attributes.
        enough: the fewest releases that suffice, of those up to the first after which it is certain; where values
            change, the release alone or all of the certificate. Omitted if these are all releases of the series.
    """

    WRITTEN: ClassVar[tuple[str, ...]] = ("whole_certificate",)
    kind: ClassVar[Literal["disclosure"]] = "disclosure"
    individual: Annotated[C, MEMBER]
    release: Annotated[C, RELEASE]
    value: Annotated[C, VALUE]
    risk: Probability
    certificate: Annotated[tuple[CertificateStep[C], ...], UNWRITTEN]
    proof: Annotated[Proof[C] | None, UNWRITTEN] = None
    alone: Annotated[bool, OMITTED] = False
    evidence: Literal["proof", "solver"] = "proof"
    attribute: Annotated[Omittable[str], BY_CHECK] = None
    enough: Annotated[tuple[C, ...], RELEASES, OMITTED, BY_CHECK] = ()

    @property
    def whole_certificate(
        self,
    ) -> Annotated[tuple[CertificateStep[C] | Proof[C], ...], Items(1), WrittenAs("certificate")]:
        """The steps that show it, in order of release, and the proof if these do not suffice."""
        return self.certificate if self.proof is None else (*self.certificate, self.proof)

    def sentence(self: Disclosure[str], *, by_version: bool) -> str:
        """Return a sentence with the person's value."""
        value = shown_value(self.value)
        if self.attribute is not None:
            value = f"{printable(self.attribute)} {value}"
        if not (self.alone or by_version):
            return certain_from(self.individual, value, self.release)
        about = {"who": printable(self.individual, 200), "release": printable(self.release), "value": value}
        if self.alone:
            return say("{who} has {value} in release {release}, whatever other releases show", **about)
        return say("{who} has {value}, in release {release}", **about)

    def steps(self: Disclosure[str]) -> Iterator[str]:
        """Yield what the person's groups leave possible, and the proof in short."""
        yield from lines(self.certificate)
        if self.proof is not None:
            yield from in_short(self.proof, self.individual, self.value)
        elif self.evidence == "solver":
            yield str(UNPROVED)

    def in_full(self: Disclosure[str], *, by_version: bool) -> Iterator[str]:
        """Yield the value, what the person's groups leave possible, and the whole proof."""
        about = {"value": quoted(shown_value(self.value)), "release": printable(self.release)}
        if by_version:
            yield say("{value}, in release {release}", **about)
        else:
            yield say("{value}, certain from release {release} on", **about)
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
        """Whether only a solver shows it."""
        return self.evidence == "solver"

    def mentioned(self: Disclosure[int]) -> Iterable[int]:
        """Return the person, and all people in the proof."""
        return sorted({self.individual, *(() if self.proof is None else self.proof.people)})

    def follows_from(self: Disclosure[int], source: Presence, last: int) -> KnownReleases:
        """Return the releases of the necessary steps; for a proof, the releases that contain its people."""
        if self.proof is not None:
            return self._together(source, last)
        steps = [step for step in self.certificate if not self.enough or step.release in (*self.enough, last)]
        releases = tuple(step.release for step in steps if step.release != last)
        groups = tuple(group for release, group in places_of(steps) if release == last)
        return KnownReleases(releases, not self.unproved and (source.constant or not releases), groups)

    def _together(self: Disclosure[int], source: Presence, last: int) -> KnownReleases:
        """Return all that a proof about several people may use: the releases that contain them, and their groups."""
        people = np.array(self.mentioned(), dtype=np.int32)
        present = [release for release in range(last) if np.isin(people, source.present(release)).any()]
        there = people[np.isin(people, source.present(last))]
        groups = [name for names in source.groups(last, there) for name in names]
        return KnownReleases(tuple(present), False, tuple(dict.fromkeys(groups)))

    def named(self: Disclosure[int], names: ReportNaming) -> Finding[str]:
        """Return the finding with names in place of codes, and with the attribute of the value."""
        named: Disclosure[str] = decoded(replace(self, attribute=names.attribute(self.value)), names)
        return replace(named, individual=names.member(self.individual, self.enough))


class OnePersonClaims(Claims):
    """Claims about one person each.

    Attributes:
        person: the code of the person; shape (claims,), int32.
    """

    person: Codes

    def concerned(self, names: Identifiers) -> Sequence[frozenset[str]]:
        """Return the person of each claim."""
        return [frozenset((names.identifier(who),)) for who in self.person.tolist()]

    def people_at(self, places: Places) -> Codes:
        """Return the distinct people in the claims at some indices; shape (n,), int32."""
        return np.unique(self.person[places])


@dataclass(frozen=True)
class Disclosures(OnePersonClaims):
    """All disclosures of one outcome as columns; the findings themselves are built on demand.

    Attributes:
        person, release, value: codes; shape (claims,), int32.
        certify: returns the findings at some indices, with their certificates; None if no short certificate was found.
        nothing: the measures of an attack without conclusions, for the case that its premises do not hold for all
            people; None if each claim depends only on its own person.
        exhaustive: whether every version with a certain value is among the claims, although the outcome may be
            incomplete: every other version that counts was shown to have two possible values.
        paths: whether the check adds to certificates which values are on a path.
    """

    checked_by: ClassVar[str] = "audit.judgement.check_disclosure.check_disclosures"
    person: Codes
    release: Codes
    value: Codes
    certify: Callable[[Places], Sequence[Disclosure[int] | None]]
    nothing: Measures | None = None
    exhaustive: bool = False
    paths: bool = False

    @property
    def severity(self) -> Floats:
        """The rank of the claims, the worst highest: their probability, which is 1."""
        return np.broadcast_to(np.float64(1), len(self))

    def identities(self, places: Places, names: Identifiers) -> Iterator[tuple[str, ...]]:
        """Yield person, release and value; a claim about a combination differs from a claim about one attribute."""
        evidence = names.evidence
        for person, release, value in self.read(places, "person", "release", "value"):
            said = ("disclosure", names.identifier(person), evidence.tags[release], evidence.values[value])
            yield said if evidence.combined is None else (*said, evidence.sensitive, evidence.attribute(value) or "")

    @property
    def versions(self) -> Codes:
        """The person of each claim."""
        return self.person

    def highest_risk(self, waived: Places) -> float | None:
        """Return 1 if any claim is not waived."""
        return 1.0 if len(self) > len(waived) else None

    def certain_people(self, waived: Places) -> Codes:
        """Return the people with certain values."""
        return np.delete(self.person, waived)

    def values(self) -> Codes:
        """Return the value of each claim."""
        return self.value

    def about(self, person: int) -> Disclosures:
        """Return the claims about one person."""
        return self.some(np.flatnonzero(self.person == person))

    def certain_of(self, codes: Sequence[int]) -> set[Member]:
        """Return the people with certain values that are all among `codes`."""
        return {*self.person[np.isin(self.value, [code for code in codes if code >= 0])].tolist()}

    def alike(self, waived: Places) -> bool:
        """Return whether two people certainly have the same value, by claims that are not waived."""
        person, value = (np.delete(each, waived) for each in (self.person, self.value))
        value = np.unique(np.stack([person, value]), axis=1)[1]
        return len(np.unique(value)) < len(value)

    def without_people(self, people: Flags) -> Disclosures:
        """Return the claims that are not about some people."""
        return self.some(np.flatnonzero(~people[self.person]))

    def with_alone(self, evidence: Evidence, columns: Columns) -> Disclosures:
        """Return the claims, followed by the disclosures of groups with one value."""

        def own(places: Places) -> Iterator[Disclosure[int]]:
            return _alone(evidence, tuple(column[places] for column in columns))

        build = followed_by(self.certify, len(self), own)
        both = zip((self.person, self.release, self.value), columns, strict=True)
        person, release, value = map(np.concatenate, both)
        return replace(self, person=person, release=release, value=value, certify=build)

    def some(self, places: Places) -> Disclosures:
        """Return the claims at some indices, which are then not known to be exhaustive."""
        columns = {name: getattr(self, name)[places] for name in ("person", "release", "value")}
        return replace(self, **columns, certify=lambda chosen: self.certify(places[chosen]), exhaustive=False)


def followed_by(
    first: Callable[[Places], Iterable[T]], count: int, further: Callable[[Places], Iterable[T]]
) -> Callable[[Places], list[T]]:
    """Return what returns the findings at some indices of `count` claims and of further ones, which come after them."""

    def at(places: Places) -> list[T]:
        later = places >= count
        found, more = iter(first(places[~later])), iter(further(places[later] - count))
        return [next(more if each else found) for each in later.tolist()]

    return at


def _alone(evidence: Evidence, columns: tuple[Codes, ...]) -> Iterator[Disclosure[int]]:
    """Yield what groups with one value disclose by themselves, given person, release and value."""
    for person, release, value in zip(*(column.tolist() for column in columns), strict=True):
        [groups] = evidence.source.groups(release, np.array([person], dtype=np.int32))
        step = CertificateStep(release, groups, (value,))
        yield Disclosure(person, release, value, 1.0, (step,), alone=True)


@dataclass(frozen=True)
class LikelyValue(OnePersonFinding[C]):
    """A person's value has at least the policy's limit as probability, but is not certain.

    Value and certificate are shown only when people are revealed, because they would say more than the releases do.

    Attributes:
        kind: which sort of finding.
        individual: the person; a pseudonym unless revealed.
        release: the release.
        value: the true value; null if it is unknown (the risk is then that of the likeliest value), and unless
            revealed.
        risk: the probability of the value.
        certificate: what the person's own groups leave, in order of release; empty unless people are revealed.
        evidence: `solver`: only the attack computed the probability.
        everywhere: whether this is true in all releases of the person, of which `release` is the last.
    """

    kind: ClassVar[Literal["risk"]] = "risk"
    meaning: ClassVar[str] = "The probability of a value reaches the policy's limit."
    individual: Annotated[C, MEMBER]
    release: Annotated[C, RELEASE]
    value: Annotated[C | None, VALUE]
    risk: Probability
    certificate: Annotated[tuple[CertificateStep[C], ...], BY_CHECK] = ()
    evidence: Literal["solver"] = "solver"
    everywhere: bool = False
    hidden: ClassVar[Mapping[str, Any]] = {"value": None, "certificate": ()}

    def sentence(self: LikelyValue[str], *, by_version: bool) -> str:
        """Return a sentence with the likely value of a person."""
        value = say("some value") if self.value is None else shown_value(self.value)
        about = {"who": printable(self.individual, 200), "release": printable(self.release), "risk": percent(self.risk)}
        return say("{who} has {value} with a probability of {risk}, by release {release}", **about, value=value)


@dataclass(frozen=True)
class LikelyValues(OnePersonClaims, ClauseClaims):
    """All risks of one outcome that reach the limit below certainty, as columns.

    Attributes:
        person, release: codes; shape (claims,), int32; -1 for all releases of the person alike.
        risk: the probability of the true value, or of the likeliest; shape (claims,), float64.
        entries: places among the risks of the outcome; shape (claims,).
        true: returns the codes of the true values of the claims at some places, -1 where they are not known.
    """

    checked_by: ClassVar[str] = "audit.judgement.check_disclosure.check_likely_values"
    person: Codes
    release: Codes
    risk: Floats
    entries: Places
    true: Callable[[Places], Codes]
    clause: ClassVar[str] = "max_risk"

    def certify(self, places: Places) -> Sequence[LikelyValue[int]]:
        """Return the findings at some indices, without what the people's groups leave possible."""
        found = zip(self.true(places).tolist(), self.read(places, "person", "release", "risk"), strict=True)
        return [
            LikelyValue(person, max(at, 0), None if value < 0 else value, risk, everywhere=at < 0)
            for value, (person, at, risk) in found
        ]

    def identities(self, places: Places, names: Identifiers) -> Iterator[tuple[str, ...]]:
        """Yield person and release; for people followed by record ids, the claim has another id."""
        tags, about = (*names.evidence.tags, ""), names.evidence.sensitive
        for person, release in self.read(places, "person", "release"):
            said = ("risk", names.identifier(person), tags[release])
            yield (*said, about) if names.evidence.followed else said


@dataclass(frozen=True)
class EverGrave(OnePersonFinding[C]):
    """A person certainly had a grave value in some release, or has at least the policy's limit as probability of that.

    The certificate is shown only when people are revealed, because it would say more than the releases do.

    Attributes:
        kind: which sort of finding.
        individual: the person; a pseudonym unless revealed.
        release: the person's last release.
        risk: the probability.
        certificate: what the person's own groups leave, in order of release; empty unless people are revealed.
        evidence: `solver`: only the attack computed the probability.
    """

    kind: ClassVar[Literal["ever"]] = "ever"
    meaning: ClassVar[str] = "The probability that a person ever had a grave value reaches the policy's limit."
    individual: Annotated[C, MEMBER]
    release: Annotated[C, RELEASE]
    risk: Probability
    certificate: Annotated[tuple[CertificateStep[C], ...], BY_CHECK] = ()
    evidence: Literal["solver"] = "solver"
    hidden: ClassVar[Mapping[str, Any]] = {"certificate": ()}

    @property
    def gravity(self) -> str:
        """How grave it is in lists: always grave."""
        return "grave"

    def sentence(self: EverGrave[str], *, by_version: bool) -> str:
        """Return a sentence about the probability that a person ever had a grave value."""
        about = {"who": printable(self.individual, 200), "release": printable(self.release), "risk": percent(self.risk)}
        return say("{who} had a grave value at some time up to release {release} with a probability of {risk}", **about)


@dataclass(frozen=True)
class GraveHistories(OnePersonClaims, ClauseClaims):
    """All people of one outcome who are too likely to have had a grave value, as columns.

    Attributes:
        person: codes; shape (claims,), int32.
        release: the last release of the series; shape (claims,), int32.
        risk: the probability; shape (claims,), float64.
        entries: the people; shape (claims,).
    """

    checked_by: ClassVar[str] = "audit.judgement.check_disclosure.check_likely_values"
    person: Codes
    release: Codes
    risk: Floats
    entries: Places
    clause: ClassVar[str] = "max_ever_risk"

    def certify(self, places: Places) -> Sequence[EverGrave[int]]:
        """Return the findings at some indices, without what the people's groups leave possible."""
        return [EverGrave(*each) for each in self.read(places, "person", "release", "risk")]

    def identities(self, places: Places, names: Identifiers) -> Iterator[tuple[str, ...]]:
        """Yield the person, and the attributes that are judged together."""
        for person in self.person[places].tolist():
            yield "ever", names.identifier(person), names.evidence.sensitive
