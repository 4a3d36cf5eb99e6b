"""Disclosures checked again, each by what it stands on: the person's own groups, or a proof about everybody."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from audit.adversary.known_groups import KnownGroupsSource
from audit.model.evidence import Evidence
from audit.model.outcome import AttributeDisclosure
from audit.verification.disclosure import BrokenCertificateError, Checker, check_fields, follows
from audit.verification.followed_records import published_by
from audit.verification.proof import Followed, ProofChecker


class DisclosureChecker:
    """Checks disclosures of both kinds against the files behind some evidence."""

    def __init__(self, evidence: Evidence, source: KnownGroupsSource) -> None:
        published, transitions = published_by(source), evidence.transitions
        self._published = published
        self._after = None if transitions is None else follows(transitions.exact)
        self._own, self._together = Checker(published), ProofChecker(published, self._after)

    def look_at(self, findings: Iterable[AttributeDisclosure | None]) -> None:
        """Prepare to check some findings: those that stand on people's own groups need these alone."""
        found = [finding for finding in findings if finding is not None]
        if found and all(finding.proof is None for finding in found):
            self._published.only(np.unique(np.array([finding.person for finding in found], dtype=np.int32)))
        else:
            self._published.everything()

    def unproved(self, person: int, release: int, value: int) -> AttributeDisclosure:
        """Return a disclosure for which there is no proof, with what the person's own groups leave."""
        steps = self._own.own(person, self._after)
        return AttributeDisclosure(person, release, value, 1.0, steps, proved=False)

    def checked(self, finding: AttributeDisclosure) -> tuple[AttributeDisclosure, Followed | None]:
        """Return a disclosure that holds, and the numbers of its proof, if there is one.

        A proof that says nothing says that the person's own groups are enough: these are shown instead.

        Raises:
            BrokenCertificateError: it does not hold.
        """
        check_fields(finding)
        if finding.risk != 1 or not finding.proved:
            raise BrokenCertificateError("what is certain has another probability, or is not proved")
        if finding.proof is not None and not (finding.proof.people or finding.proof.cases):
            finding = replace(finding, certificate=self._own.own(finding.person, self._after), proof=None)
        if finding.proof is None:
            self._own.check(finding, self._after)
            return finding, None
        if finding.alone:
            raise BrokenCertificateError("a proof about everybody is not about one release alone")
        if finding.certificate:
            self._own.check_steps(finding, self._after)
        return finding, self._together.check(finding)
