"""Check certificates of disclosures again, from the published rows, by code that shares nothing with the attacks.

The checks use only sets and dictionaries of texts. A certificate that fails is a bug of this program, and raises an
error: a wrong finding must never be printed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from audit.adversary.known_groups import fewest
from audit.adversary.view import View
from audit.findings.disclosure import (
    CertificateStep,
    Disclosure,
    Disclosures,
    EverGrave,
    GraveHistories,
    LikelyValue,
    LikelyValues,
)
from audit.judgement.check_proof import ProofChecker
from audit.judgement.field_types import BrokenCertificateError, check_fields
from audit.judgement.published_rows import Follows, PublishedReleases, published_by
from audit.model.arrays import Places
from audit.model.finding import Check


class Checker:
    """Checks disclosures that follow from one person's own groups against the releases."""

    def __init__(self, published: PublishedReleases) -> None:
        self._published, self._after = published, published.after
        self._fixed: dict[int, dict[int, list[int]]] = {}

    def check(self, finding: Disclosure[int], *, paths: bool = False) -> Disclosure[int]:
        """Return a disclosure that follows from the releases, with the fewest of them that suffice, or with `paths`.

        Raises:
            BrokenCertificateError: it does not follow.
        """
        kept = self.check_steps(finding)
        at = [step.release for step in finding.certificate]
        if finding.release not in at or (finding.alone and len(at) > 1):
            raise BrokenCertificateError("the claim is about another release")
        left = self._published.said(kept[at.index(finding.release)], finding.value)
        if left != {finding.value}:
            raise BrokenCertificateError("more than the claimed value is possible")
        if paths and not finding.alone:
            finding = replace(finding, certificate=_with_paths(finding.certificate, kept))
        claimed, own = self._published.claimed(finding.value), at.index(finding.release)
        if self._after is None:
            enough = fewest([step.candidates for step in finding.certificate], claimed)
        else:
            enough = (own,) if {*finding.certificate[own].candidates} <= claimed else tuple(range(len(at)))
        all_needed = len(enough) == self._published.releases
        return replace(finding, enough=() if all_needed else tuple(at[place] for place in enough))

    def check_steps(self, finding: Disclosure[int]) -> list[set[int]]:
        """Return the values on a path through the steps of a certificate, which must repeat what the groups publish.

        Raises:
            BrokenCertificateError: they do not.
        """
        steps = finding.certificate
        at = [step.release for step in steps]
        if not at or at != sorted(set(at)):
            raise BrokenCertificateError("the steps are not in order")
        between = (release for release in range(self._published.releases) if at[0] <= release <= at[-1])
        if self._after is not None and at != [j for j in between if self._published.homes(finding.individual, j)]:
            raise BrokenCertificateError("the steps leave out a release after which the value may have changed")
        for step in steps:
            if sorted(step.candidates) != sorted(self._candidates(finding.individual, step)):
                raise BrokenCertificateError("the candidates are not what the groups publish")
        return feasible([set(step.candidates) for step in steps], self._after)

    def own(self, person: int) -> tuple[CertificateStep[int], ...]:
        """Return, for every release, the groups that may hold a person, the values they leave, and those on a path."""
        steps = []
        for release in range(self._published.releases):
            homes = sorted(self._published.homes(person, release))
            if homes:
                names = tuple(self._published.groups_of(release).name(home) for home in homes)
                steps.append(CertificateStep(release, names, tuple(sorted(self._left(person, release, set(homes))))))
        return _with_paths(steps, feasible([set(step.candidates) for step in steps], self._after) if steps else [])

    def _candidates(self, person: int, step: CertificateStep[int]) -> set[int]:
        homes = self._published.homes(person, step.release)
        codes = self._published.groups_of(step.release).codes if homes else {}
        if not homes or sorted(codes.get(name, -1) for name in step.groups) != sorted(homes):
            raise BrokenCertificateError("these are not the groups that may hold the person")
        return self._left(person, step.release, homes)

    def _left(self, person: int, release: int, homes: set[int]) -> set[int]:
        """Return the values of some groups, less one row for each known value of a person in one of them."""
        own = self._published.known(person, release)
        if own is not None:
            return {own}
        found: set[int] = set()
        for home in homes:
            rows = dict(self._published.groups_of(release).rows(home))
            for value in self._known(release).get(home, []):
                rows[value] -= 1
            found |= {value for value, count in rows.items() if count > 0}
        return found

    def _known(self, release: int) -> dict[int, list[int]]:
        """Return the known values of people whose group is certain, by group."""
        if release not in self._fixed:
            fixed = self._fixed[release] = {}
            for person in self._published.known_lines:
                value, homes = self._published.known(person, release), self._published.homes(person, release)
                if value is not None and len(homes) == 1:
                    fixed.setdefault(homes.pop(), []).append(value)
        return self._fixed[release]


def _with_paths(steps: Sequence[CertificateStep[int]], kept: list[set[int]]) -> tuple[CertificateStep[int], ...]:
    return tuple(replace(step, feasible=tuple(sorted(some))) for step, some in zip(steps, kept, strict=True))


def feasible(candidates: list[set[int]], transitions: Follows | None) -> list[set[int]]:
    """Return the values on a path; without transitions every step must keep its value."""
    if transitions is None:
        common = set.intersection(*candidates)
        return [common] * len(candidates)
    kept = [set(values) for values in candidates]
    while True:
        before = [len(values) for values in kept]
        for here in range(len(kept)):
            if here:
                kept[here] &= {b for a in kept[here - 1] for b in transitions(a)}
            if here + 1 < len(kept):
                kept[here] = {a for a in kept[here] if not kept[here + 1].isdisjoint(transitions(a))}
        if [len(values) for values in kept] == before:
            return kept


def check_disclosures(seen: View, claims: Disclosures) -> Check:
    """Return the check of disclosures; a disclosure without a certificate shows what the person's own groups leave."""
    checker = DisclosureChecker(seen, paths=claims.paths)

    def checked(places: Places) -> list[Disclosure[int]]:
        findings = claims.certify(places)
        return [
            checker.unproved(*claim) if finding is None else checker.checked(finding)
            for claim, finding in zip(claims.read(places, "person", "release", "value"), findings, strict=True)
        ]

    return checked


def check_likely_values(seen: View, claims: LikelyValues | GraveHistories) -> Check:
    """Return a check that adds what the people's own groups leave; the risk itself is not checked."""
    own = Checker(published_by(seen))

    def checked(places: Places) -> Iterator[LikelyValue[int] | EverGrave[int]]:
        for finding in claims.certify(places):
            steps = tuple(replace(step, feasible=None) for step in own.own(finding.individual))
            one_release = isinstance(finding, LikelyValue) and not finding.everywhere
            yield replace(finding, release=finding.release if one_release else steps[-1].release, certificate=steps)

    return lambda places: list(checked(places))


class DisclosureChecker:
    """Checks disclosures of both kinds against the files of some evidence; `paths` as of `Disclosures`."""

    def __init__(self, evidence: View, *, paths: bool = False) -> None:
        published, self._paths = published_by(evidence), paths
        self._own, self._together = Checker(published), ProofChecker(published)

    def unproved(self, person: int, release: int, value: int) -> Disclosure[int]:
        """Return a disclosure without a proof, with what the person's own groups leave."""
        return Disclosure(person, release, value, 1.0, self._own.own(person), evidence="solver")

    def checked(self, finding: Disclosure[int]) -> Disclosure[int]:
        """Return a disclosure that was checked; numbers are added to its proof, if it has one.

        An empty proof means that the person's own groups suffice; these are then shown instead.

        Raises:
            BrokenCertificateError: the check fails.
        """
        check_fields(finding)
        if finding.risk != 1 or finding.evidence != "proof":
            raise BrokenCertificateError("what is certain has another probability, or is not proved")
        if finding.proof is not None and not finding.proof.people:
            finding = replace(finding, certificate=self._own.own(finding.individual), proof=None)
        if finding.proof is None:
            return self._own.check(finding, paths=self._paths)
        if finding.alone:
            raise BrokenCertificateError("a proof about everybody is not about one release alone")
        if finding.certificate:
            self._own.check_steps(finding)
        return replace(finding, proof=self._together.check(finding))
