"""Novelty: which claims and risks of a series were there before its last release, and what makes the others."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from audit.adversary.known_groups import KnownGroupsSource
from audit.adversary.view import View
from audit.judgement.findings import AnySelection, EquivalenceSelection
from audit.model.arrays import Places
from audit.model.outcome import (
    AttributeDisclosure,
    CertificateStep,
    EquivalenceFinding,
    Finding,
    GroupDisclosure,
    IdentityDisclosure,
    LinkageDisclosure,
)
from audit.model.scored import EverRisks, Judged, reaches_all
from audit.verification.proof import people_of

_ROUNDING = 1e-12


def known_before(before: AnySelection | None, after: AnySelection | None) -> Places:
    """Return the places of the claims of `after` that say nothing more than those of `before`.

    Both name findings under one key. Who has the same value as whom is told as a chain of pairs through each class, and
    another chain says the same: a pair is new only where two classes have become one.
    """
    if before is None or after is None:
        return np.zeros(0, dtype=np.intp)
    told = set(before.ids(np.arange(len(before.claims))))
    known = {place for place, ident in enumerate(after.ids(np.arange(len(after.claims)))) if ident in told}
    if isinstance(before, EquivalenceSelection) and isinstance(after, EquivalenceSelection):
        classes = _Classes()
        for one, other in before.pairs().values():
            classes.join(one, other)
        known |= {place for place, (one, other) in after.pairs().items() if classes.root(one) == classes.root(other)}
    return np.array(sorted(known), dtype=np.intp)


class KnownRisks:
    """The risks of one attack that reach a limit in a series, by person and release, for comparison with a later audit.

    Args of the constructor:
        evidence, judged: the attack's result on the series, and what it is from.
        limit: risks below it do not matter.
    """

    def __init__(self, evidence: View, judged: Judged, limit: float) -> None:
        self._limit = limit
        self._risk = self._high(evidence, judged)
        ever = judged.scored.ever
        people = np.zeros(0, np.intp) if ever is None else np.flatnonzero(ever.risk > 0)
        self._ever = {} if ever is None else {evidence.name(who): float(ever.risk[who]) for who in people.tolist()}

    def _high(self, evidence: View, judged: Judged) -> dict[tuple[str, int], float]:
        risks = judged.scored.risks
        if risks is None:
            return {}
        high = reaches_all(risks.risk, self._limit)
        rows = zip(risks.person[high].tolist(), risks.release[high].tolist(), risks.risk[high].tolist(), strict=True)
        return {(evidence.name(person), release): risk for person, release, risk in rows}

    def no_higher(self, evidence: View, judged: Judged) -> Places:
        """Return the places of the risks of a later result that reach the limit, and are no higher than before."""
        risks = judged.scored.risks
        if risks is None:
            return np.zeros(0, dtype=np.intp)
        now = self._high(evidence, judged)
        places = np.flatnonzero(reaches_all(risks.risk, self._limit))
        known = [risk <= self._risk.get(who, 0.0) + _ROUNDING for who, risk in now.items()]
        return places[np.array(known, dtype=np.bool_)]

    def ever_higher(self, evidence: View, judged: Judged) -> EverRisks | None:
        """Return how probable grave values are for people of a later result; 0 where no more than before."""
        ever = judged.scored.ever
        if ever is None:
            return None
        risk = ever.risk.copy()
        for who in np.flatnonzero(risk > 0).tolist():
            if risk[who] <= self._ever.get(evidence.name(who), 0.0) + _ROUNDING:
                risk[who] = 0.0
        return replace(ever, risk=risk)


class _Classes:
    """People who are known to have the same value, as a forest."""

    def __init__(self) -> None:
        self._above: dict[str, str] = {}

    def root(self, name: str) -> str:
        above = self._above
        while (up := above.get(name, name)) != name:
            above[name] = above.get(up, up)
            name = up
        return name

    def join(self, one: str, other: str) -> None:
        self._above[self.root(one)] = self.root(other)


@dataclass(frozen=True)
class KnownReleases:
    """What of the releases a finding follows from.

    Attributes:
        releases: those before the last one, counted from 0, ascending.
        least: whether it would not follow without any one of them.
        groups: names of the groups of the last release.
    """

    releases: tuple[int, ...]
    least: bool
    groups: tuple[str, ...]


def needs(finding: Finding, source: KnownGroupsSource) -> KnownReleases:
    """Return what a finding of a series follows from, as its certificate tells."""
    last = len(source.releases) - 1
    if isinstance(finding, AttributeDisclosure) and finding.proof is not None:
        return _together(finding, source, last)
    if isinstance(finding, IdentityDisclosure):
        # How many share a description is a matter of all the others' rows, too.
        groups = tuple(step.group for step in finding.certificate if step.release == last)
        return KnownReleases(tuple(range(last)), False, groups)
    if isinstance(finding, GroupDisclosure | LinkageDisclosure):
        return _of_rows(finding, last)
    if isinstance(finding, EquivalenceFinding):
        if finding.error is not None or finding.solver:
            return KnownReleases(tuple(range(last)), False, ())
        earlier = {step.release for step in finding.certificate} - {last}
        groups = tuple(step.group for step in finding.certificate if step.release == last)
        return KnownReleases(tuple(sorted(earlier)), not earlier, groups)
    steps = _fewest(finding.certificate, finding.value, last) if source.constant else finding.certificate
    releases = tuple(step.release for step in steps if step.release != last)
    groups = tuple(name for step in steps if step.release == last for name in step.groups)
    return KnownReleases(releases, finding.proved and (source.constant or not releases), groups)


def _of_rows(finding: GroupDisclosure | LinkageDisclosure, last: int) -> KnownReleases:
    if isinstance(finding, LinkageDisclosure):
        return KnownReleases(tuple(range(last)), False, finding.groups if finding.release == last else ())
    if finding.record >= 0:  # the group may be that of an earlier release
        return KnownReleases(tuple(range(last)), False, ())
    return KnownReleases((), False, (finding.group,) if finding.release == last else ())


def _fewest(steps: tuple[CertificateStep, ...], value: int, last: int) -> tuple[CertificateStep, ...]:
    """Return steps of a value that never changes, less those without which it is the only candidate all the same."""
    kept = list(steps)
    for step in steps:
        rest = [other for other in kept if other is not step]
        if step.release != last and rest and set.intersection(*(set(s.candidates) for s in rest)) == {value}:
            kept = rest
    return tuple(kept)


def _together(finding: AttributeDisclosure, source: KnownGroupsSource, last: int) -> KnownReleases:
    """Return all that a proof about several people may draw on: the releases that they are in, and their groups."""
    if finding.proof is None:
        raise ValueError("this disclosure rests on one person's own groups")
    people = np.array(sorted({finding.person, *people_of(finding.proof)}), dtype=np.int32)
    present = [release for release in range(last) if np.isin(people, source.present(release)).any()]
    there = people[np.isin(people, source.present(last))]
    groups = [name for names in source.groups(last, there) for name in names]
    return KnownReleases(tuple(present), False, tuple(dict.fromkeys(groups)))
