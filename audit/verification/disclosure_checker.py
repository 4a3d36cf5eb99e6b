"""Disclosures checked again, each by what it stands on: the person's own groups, or a proof about all people."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from audit.adversary.view import View
from audit.findings.disclosure import Disclosure, Disclosures
from audit.findings.ever_grave import EverGrave, GraveHistories
from audit.findings.likely_value import LikelyValue, LikelyValues
from audit.model.arrays import Places
from audit.model.finding import Check
from audit.verification.disclosure import BrokenCertificateError, Checker, check_fields, follows
from audit.verification.followed_records import published_by
from audit.verification.proof import ProofChecker


def check_disclosures(seen: View, claims: Disclosures) -> Check:
    """Return what checks disclosures; for one without a certificate it shows what the person's own groups leave."""
    checker = DisclosureChecker(seen)

    def checked(places: Places) -> list[Disclosure[int]]:
        findings = claims.certify(places)
        return [
            checker.unproved(*claim) if finding is None else checker.checked(finding)
            for claim, finding in zip(claims.columns(places), findings, strict=True)
        ]

    return checked


def check_likely_values(seen: View, claims: LikelyValues | GraveHistories) -> Check:
    """Return what adds to what is likely what the people's own groups leave: the risk itself is the attack's word."""
    after = None if seen.transitions is None else follows(seen.transitions.exact)
    own = Checker(published_by(seen))

    def checked(places: Places) -> Iterator[LikelyValue[int] | EverGrave[int]]:
        for finding in claims.certify(places):
            steps = tuple(replace(step, feasible=None) for step in own.own(finding.individual, after))
            one_release = isinstance(finding, LikelyValue) and not finding.everywhere
            yield replace(finding, release=finding.release if one_release else steps[-1].release, certificate=steps)

    return lambda places: list(checked(places))


class DisclosureChecker:
    """Checks disclosures of both kinds against the files behind some evidence."""

    def __init__(self, evidence: View) -> None:
        published, transitions = published_by(evidence), evidence.transitions
        self._published = published
        self._after = None if transitions is None else follows(transitions.exact)
        self._own, self._together = Checker(published), ProofChecker(published, self._after)

    def unproved(self, person: int, release: int, value: int) -> Disclosure[int]:
        """Return a disclosure for which there is no proof, with what the person's own groups leave."""
        steps = self._own.own(person, self._after)
        return Disclosure(person, release, value, 1.0, steps, evidence="solver")

    def checked(self, finding: Disclosure[int]) -> Disclosure[int]:
        """Return a disclosure that holds, its proof, if there is one, with numbers.

        A proof that says nothing says that the person's own groups are enough: these are shown instead.

        Raises:
            BrokenCertificateError: it does not hold.
        """
        check_fields(finding)
        if finding.risk != 1 or finding.evidence != "proof":
            raise BrokenCertificateError("what is certain has another probability, or is not proved")
        if finding.proof is not None and not (finding.proof.people or finding.proof.cases):
            finding = replace(finding, certificate=self._own.own(finding.individual, self._after), proof=None)
        if finding.proof is None:
            self._own.check(finding, self._after)
            return finding
        if finding.alone:
            raise BrokenCertificateError("a proof about everybody is not about one release alone")
        if finding.certificate:
            self._own.check_steps(finding, self._after)
        return replace(finding, proof=self._together.check(finding))
