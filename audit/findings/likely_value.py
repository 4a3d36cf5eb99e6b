"""Likely values: a person's value, or a grave value in any release, has at least the policy's limit as probability."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

from audit.findings.disclosure import CertificateStep, OnePersonClaims, OnePersonFinding
from audit.findings.wording import shown_value
from audit.model.arrays import Codes, Floats, Places
from audit.model.finding import BY_CHECK, MEMBER, RELEASE, VALUE, C, ClauseClaims, Identifiers
from audit.model.json_types import Probability
from audit.runtime.phrases import percent, printable, say


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
