"""Grave histories: who is as likely as the policy's limit, or certain, to have had a grave value at some time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, Literal

import numpy as np

from audit.findings.disclosure import CertificateStep, OnePersonClaims, OnePersonFinding
from audit.model.accepted_size import RiskSize, Size
from audit.model.arrays import Codes, Floats, Places
from audit.model.errors import printable
from audit.model.finding import BY_CHECK, MEMBER, RELEASE, C, Finding, Identifiers, ReportNaming, decoded
from audit.model.json_types import Probability
from audit.model.measures import Measures
from audit.runtime.phrases import percent, say


@dataclass(frozen=True)
class EverGrave(OnePersonFinding[C]):
    """A person who is as likely as the policy's limit, or certain, to have had a grave value in some release.

    The certificate is shown only when people are revealed, for it would say more than the releases do.

    Attributes:
        kind: which sort of finding.
        individual: who; a pseudonym unless revealed.
        release: the person's last release.
        risk: how probable it is.
        certificate: what the person's own groups leave, in order of release; empty unless people are revealed.
        evidence: `solver`: the probability is the attack's word.
    """

    kind: ClassVar[Literal["ever"]] = "ever"
    meaning: ClassVar[str] = "Somebody is too likely to have had a grave value in some release."
    individual: Annotated[C, MEMBER]
    release: Annotated[C, RELEASE]
    risk: Probability
    certificate: Annotated[tuple[CertificateStep[C], ...], BY_CHECK] = ()
    evidence: Literal["solver"] = "solver"

    def sentence(self: EverGrave[str], *, by_version: bool) -> str:
        """Return how likely a person is to have had a grave value."""
        del by_version
        about = {"who": printable(self.individual), "release": printable(self.release), "risk": percent(self.risk)}
        return say("{who} has had a grave value at some time up to release {release} with {risk}", **about)

    def named(self: EverGrave[int], names: ReportNaming) -> Finding[str]:
        """Return it with names in place of codes, and where, only when revealed."""
        named: EverGrave[str] = decoded(self if names.reveal else replace(self, certificate=()), names)
        return named


@dataclass(frozen=True)
class GraveHistories(OnePersonClaims):
    """All who are too likely, by one outcome, ever to have had a grave value, as columns.

    Attributes:
        person: codes; shape (claims,), int32.
        release: the last release of the series; shape (claims,), int32.
        risk: the probability; shape (claims,), float64.
    """

    checked_by: ClassVar[str] = "audit.verification.disclosure_checker.check_likely_values"
    person: Codes
    release: Codes
    risk: Floats
    nothing: Measures | None = None
    clause: ClassVar[str] = "max_ever_risk"

    def entries_at(self, places: Places) -> Places:
        """Return which people the claims at some places are about."""
        return self.person[places].astype(np.intp)

    @property
    def severity(self) -> Floats:
        """What to rank the claims by: the probability."""
        return self.risk

    def sizes(self) -> Sequence[Size]:
        """Return the probability of each, which may have grown since it was accepted."""
        return list(map(RiskSize, self.risk.tolist()))

    def certify(self, places: Places) -> Sequence[EverGrave[int]]:
        """Return the findings at some places, without what the people's groups leave."""
        columns = (self.person[places], self.release[places], self.risk[places])
        return [EverGrave(*each) for each in zip(*(column.tolist() for column in columns), strict=True)]

    def identities(self, places: Places, names: Identifiers) -> Iterator[tuple[str, ...]]:
        """Yield the person, and the attributes that are judged together."""
        for person in self.person[places].tolist():
            yield "ever", names.identifier(person), names.evidence.sensitive
