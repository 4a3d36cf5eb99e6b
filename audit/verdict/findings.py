"""Findings: from claims as columns to the few that are shown, checked again and named."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Generic, TypeVar

import numpy as np

from audit.core.evidence import Evidence
from audit.core.outcome import Claims, Disclosure, Disclosures, Narrowed, Narrowings, Places
from audit.core.report import DisclosureStep, NamedDisclosure, NamedFinding, NamedNarrowed, RecordStep
from audit.linking.linked import LinkedSource
from audit.linking.records import FollowedRecords
from audit.verdict.certificates import Checker
from audit.verdict.naming import Namer
from audit.verdict.recounting import Recounter

C = TypeVar("C", Disclosures, Narrowings)
F = TypeVar("F", Disclosure, Narrowed)


class Shelf(ABC, Generic[C, F]):
    """The claims of one attack, ranked by risk, release and id; those that are taken are checked and told."""

    def __init__(self, attack: str, evidence: Evidence, claims: C, namer: Namer) -> None:
        self.attack = attack
        self.evidence = evidence
        self.claims: C = claims
        self.namer = namer
        self._taken: list[tuple[str, F]] = []

    @abstractmethod
    def ids(self, places: Places) -> list[str]:
        """Return the ids of the claims at some places."""

    @abstractmethod
    def _checked(self, places: Places) -> list[F]:
        """Return the findings at some places, each certificate checked again."""

    @abstractmethod
    def _mentioned(self, finding: F) -> tuple[str, str]:
        """Return whom a finding is about: what it is, and the identifier."""

    @abstractmethod
    def _told(self, ident: str, finding: F) -> NamedFinding:
        """Return a finding as it is told."""

    def take(self, most: int | None, waived: Places) -> None:
        """Take the first `most` claims in order, all of them when None, leaving out those that are waived.

        Raises:
            BrokenCertificateError: a certificate does not hold; this is a bug of the program.
        """
        places = self._worst(most, waived)
        self._taken = list(zip(self.ids(places), self._checked(places), strict=True))

    def mentioned(self) -> Iterable[tuple[str, str]]:
        """Return whom the findings that were taken are about."""
        return [self._mentioned(finding) for _, finding in self._taken]

    def told(self) -> tuple[NamedFinding, ...]:
        """Return the findings that were taken as they are told; everybody has been introduced to the namer."""
        return tuple(self._told(ident, finding) for ident, finding in self._taken)

    def _worst(self, most: int | None, waived: Places) -> Places:
        left = np.delete(np.arange(len(self.claims)), waived)
        most = len(left) if most is None else min(most, len(left))
        if not most:
            return left[:0]
        risk, release = self.claims.risk[left], self.claims.release[left]
        last = np.lexsort((release, -risk))[most - 1]
        # Only claims that are as bad as the last one shown need an id.
        near = np.flatnonzero((risk > risk[last]) | ((risk == risk[last]) & (release <= release[last])))
        ids = self.ids(left[near])
        order = sorted(range(len(near)), key=lambda i: (-risk[near[i]], int(release[near[i]]), ids[i]))
        return left[near[order[:most]]]


class DisclosureShelf(Shelf[Disclosures, Disclosure]):
    """Values that are certain."""

    def ids(self, places: Places) -> list[str]:
        """Return the ids of the claims at some places."""
        claims, tags, values = self.claims, self.evidence.tags, self.evidence.values
        rows = zip(
            claims.person[places].tolist(),
            claims.release[places].tolist(),
            claims.value[places].tolist(),
            strict=True,
        )
        return [self.namer.finding(self.attack, "disclosure", self._name(p), tags[r], values[v]) for p, r, v in rows]

    @property
    def _source(self) -> LinkedSource:
        if not isinstance(self.evidence.source, LinkedSource):
            raise TypeError("this evidence does not come from a series")
        return self.evidence.source

    def _name(self, person: int) -> str:
        return self._source.series.people.name(person)

    def _checked(self, places: Places) -> list[Disclosure]:
        findings = self.claims.build(places)
        checker, transitions = Checker(self._source), self.evidence.transitions
        allowed = None if transitions is None else set(transitions.exact)
        for finding in findings:
            checker.check(finding, allowed)
        return findings

    def _mentioned(self, finding: Disclosure) -> tuple[str, str]:
        return "person", self._name(finding.person)

    def _told(self, ident: str, finding: Disclosure) -> NamedDisclosure:
        tags, values = self.evidence.tags, self.evidence.values

        def texts(codes: tuple[int, ...]) -> tuple[str, ...]:
            return tuple(sorted(values[code] for code in codes))

        return NamedDisclosure(
            ident,
            self.namer.call(*self._mentioned(finding)),
            tags[finding.release],
            values[finding.value],
            finding.risk,
            tuple(
                DisclosureStep(
                    tags[step.release],
                    step.groups,
                    texts(step.candidates),
                    None if step.feasible is None else texts(step.feasible),
                )
                for step in finding.certificate
            ),
        )


class NarrowedShelf(Shelf[Narrowings, Narrowed]):
    """Records whose descriptions too few share."""

    def ids(self, places: Places) -> list[str]:
        """Return the ids of the claims at some places."""
        claims, tags = self.claims, self.evidence.tags
        columns = (claims.record, claims.release, claims.smallest)
        rows = zip(*(column[places].tolist() for column in columns), strict=True)
        # With the smallest class: what was accepted of a class of three is not accepted of one.
        return [
            self.namer.finding(self.attack, "narrowed", self._source.name(record), tags[release], str(smallest))
            for record, release, smallest in rows
        ]

    @property
    def _source(self) -> FollowedRecords:
        if not isinstance(self.evidence.records, FollowedRecords):
            raise TypeError("this evidence does not come from a series with records")
        return self.evidence.records

    def _checked(self, places: Places) -> list[Narrowed]:
        findings = self.claims.build(places)
        Recounter(self._source, self.claims.k).check(findings)
        return findings

    def _mentioned(self, finding: Narrowed) -> tuple[str, str]:
        return "record", self._source.name(finding.record)

    def _told(self, ident: str, finding: Narrowed) -> NamedNarrowed:
        tags = self.evidence.tags
        return NamedNarrowed(
            ident,
            self.namer.call(*self._mentioned(finding)),
            tags[finding.release],
            finding.class_size,
            finding.risk,
            finding.cause,
            self._cells(finding.description),
            tuple(
                RecordStep(tags[step.release], step.group, step.size, self._cells(step.cells))
                for step in finding.certificate
            ),
        )

    def _cells(self, cells: tuple[int, ...]) -> dict[str, str] | None:
        """Return cells by quasi-identifier where the report may show them."""
        if not self.namer.reveal:
            return None
        texts = [self._source.text(attribute, cell) for attribute, cell in enumerate(cells)]
        return dict(zip(self._source.attributes, texts, strict=True))


def shelve(attack: str, evidence: Evidence, claims: Claims, namer: Namer) -> DisclosureShelf | NarrowedShelf:
    """Return the shelf for an attack's claims."""
    if isinstance(claims, Disclosures):
        return DisclosureShelf(attack, evidence, claims, namer)
    return NarrowedShelf(attack, evidence, claims, namer)
