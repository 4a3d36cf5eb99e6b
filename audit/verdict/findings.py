"""Findings: from claims as columns to the few that are shown, checked again and named."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Generic, TypeVar

import numpy as np
import numpy.typing as npt

from audit.core.evidence import Codes, Evidence
from audit.core.outcome import (
    Claims,
    Disclosure,
    Disclosures,
    Equivalence,
    Equivalences,
    Narrowed,
    Narrowings,
    Places,
    Somebody,
    foremost,
)
from audit.core.report import (
    DisclosureStep,
    NamedDisclosure,
    NamedEquivalence,
    NamedFinding,
    NamedNarrowed,
    NamedPin,
    RecordStep,
    WeightedGroup,
)
from audit.linking.linked import LinkedSource
from audit.linking.records import FollowedRecords
from audit.reading.numbering import COUNTERFEIT
from audit.verdict.combinations import CombinationChecker
from audit.verdict.disclosures import DisclosureChecker
from audit.verdict.exclusions import Followed, people_of
from audit.verdict.naming import Namer
from audit.verdict.recounting import Recounter
from audit.verdict.telling import Teller

C = TypeVar("C", Disclosures, Narrowings, Equivalences)
F = TypeVar("F", Disclosure, Narrowed, Equivalence)
Who = tuple[str, str]
"""Somebody whom a finding is about: what it is (`person`, `record`, `counterfeit`), and the identifier."""

_TRIES = 5
_MOST_IDS = 1 << 17


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
    def _checked(self, places: Places) -> Sequence[F | None]:
        """Return the findings at some places, each certificate checked again; None where there is none."""

    @abstractmethod
    def _mentioned(self, finding: F) -> list[Who]:
        """Return whom a finding is about."""

    @abstractmethod
    def _told(self, ident: str, finding: F) -> NamedFinding:
        """Return a finding as it is told."""

    def take(self, most: int | None, waived: Places) -> None:
        """Take the first `most` claims in order, all of them when None, that are not waived and have a certificate.

        Raises:
            BrokenCertificateError: a certificate does not hold; this is a bug of the program.
        """
        places = self._worst(None if most is None else most * _TRIES, waived)
        step = len(places) if most is None else most
        taken: list[tuple[str, F]] = []
        for start in range(0, len(places), max(step, 1)):
            chosen = places[start : start + step]
            found = zip(self.ids(chosen), self._checked(chosen), strict=True)
            taken += [(ident, finding) for ident, finding in found if finding is not None]
            if most is not None and len(taken) >= most:
                break
        self._taken = taken[:most]

    def mentioned(self) -> Iterable[Who]:
        """Return whom the findings that were taken are about."""
        return [one for _, finding in self._taken for one in self._mentioned(finding)]

    @property
    def findings(self) -> list[F]:
        """The findings that were taken, as codes, in the order in which they are told."""
        return [finding for _, finding in self._taken]

    def told(self) -> tuple[NamedFinding, ...]:
        """Return the findings that were taken as they are told; everybody has been introduced to the namer."""
        return tuple(self._told(ident, finding) for ident, finding in self._taken)

    def _worst(self, most: int | None, waived: Places) -> Places:
        total = len(self.claims) - len(waived)
        most = total if most is None else min(most, total)
        if not most:
            return np.zeros(0, dtype=np.intp)
        # Only claims that are as bad as the last one shown need an id.
        near = self._chosen(self._near(most, waived), most)
        risk, release = self._ranks(near)
        ids = self.ids(near)
        order = sorted(range(len(near)), key=lambda i: (-risk[i], int(release[i]), ids[i]))
        return near[order[:most]]

    def _near(self, most: int, waived: Places) -> Places:
        """Return at least `most` claims that are not waived, none of them better than any that is left out."""
        left = np.delete(np.arange(len(self.claims)), waived)
        return left[foremost(self.claims.severity[left], self.claims.release[left], most)]

    def _ranks(self, places: Places) -> tuple[npt.NDArray[np.float64], Codes]:
        """Return severity and release of some claims."""
        return self.claims.severity[places], self.claims.release[places]

    def _chosen(self, places: Places, _most: int) -> Places:
        """Return those of some claims, as bad as the last one shown or worse, that are ranked by their ids."""
        return places


class DisclosureShelf(Shelf[Disclosures, Disclosure]):
    """Values that are certain."""

    def __init__(self, attack: str, evidence: Evidence, claims: Disclosures, namer: Namer) -> None:
        super().__init__(attack, evidence, claims, namer)
        self._proofs: dict[tuple[int, int], Followed] = {}

    def ids(self, places: Places) -> list[str]:
        """Return the ids of the claims at some places."""
        tags, values = self.evidence.tags, self.evidence.values
        rows = zip(*(column.tolist() for column in self.claims.at(places)), strict=True)
        return [self.namer.finding(self.attack, "disclosure", self._name(p), tags[r], values[v]) for p, r, v in rows]

    def _name(self, person: int) -> str:
        return _linked(self.evidence).series.people.name(person)

    def _near(self, most: int, waived: Places) -> Places:
        return super()._near(most, waived) if len(waived) else self.claims.worst(most)

    def _ranks(self, places: Places) -> tuple[npt.NDArray[np.float64], Codes]:
        return self.claims.severity[places], self.claims.at(places)[1]

    def _chosen(self, places: Places, most: int) -> Places:
        """Draw from the claims of the last release shown, where there are too many for each to have its id computed.

        What is drawn depends on the key of the ids and on the people's names alone.
        """
        person, release, _ = self.claims.at(places)
        last = release == release.max(initial=0)
        if np.count_nonzero(last) <= _MOST_IDS:
            return places
        level = places[last]
        lot = self.namer.lots(_linked(self.evidence).series.people, person[last])
        drawn = level[np.argpartition(lot, most - 1)[:most]]
        return np.concatenate([places[~last], np.sort(drawn)])

    def _checked(self, places: Places) -> list[Disclosure | None]:
        findings = self.claims.build(places)
        self._checker.look_at(findings)
        return [None if finding is None else self._held(finding) for finding in findings]

    def _held(self, finding: Disclosure) -> Disclosure:
        """Return a finding that holds, and note what its proof says."""
        finding, proof = self._checker.checked(finding)
        if proof is not None:
            self._proofs[finding.person, finding.release] = proof
        return finding

    @cached_property
    def _checker(self) -> DisclosureChecker:
        return DisclosureChecker(self.evidence, _linked(self.evidence))

    def _mentioned(self, finding: Disclosure) -> list[Who]:
        people = {finding.person} if finding.proof is None else {finding.person, *people_of(finding.proof)}
        return [self._who(person) for person in sorted(people)]

    def _who(self, person: int) -> Who:
        return _called(self._name(person))

    def _told(self, ident: str, finding: Disclosure) -> NamedDisclosure:
        tags, values = self.evidence.tags, self.evidence.values

        def texts(codes: tuple[int, ...]) -> tuple[str, ...]:
            return tuple(sorted(values[code] for code in codes))

        def call(person: int) -> str:
            return self.namer.call(*self._who(person))

        steps = (
            DisclosureStep(
                tags[step.release],
                step.groups,
                texts(step.candidates),
                None if step.feasible is None else texts(step.feasible),
            )
            for step in finding.certificate
        )
        proof = self._proofs.get((finding.person, finding.release))
        return NamedDisclosure(
            ident,
            call(finding.person),
            tags[finding.release],
            values[finding.value],
            finding.risk,
            tuple(steps),
            None if proof is None else Teller(self.evidence, call).proof(proof),
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

    def _mentioned(self, finding: Narrowed) -> list[Who]:
        return [("record", self._source.name(finding.record))]

    def _told(self, ident: str, finding: Narrowed) -> NamedNarrowed:
        tags = self.evidence.tags
        return NamedNarrowed(
            ident,
            self.namer.call(*self._mentioned(finding)[0]),
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


class EquivalenceShelf(Shelf[Equivalences, Equivalence]):
    """People who have the same values as others, and values that are pinned."""

    def ids(self, places: Places) -> list[str]:
        """Return the ids of the claims at some places."""
        return [self._id(finding) for finding in self.claims.sides(places)]

    def pairs(self) -> dict[int, tuple[str, str]]:
        """Return the claims that two have the same value: the two identifiers, by the claim's place."""
        places = np.flatnonzero(self.claims.e == 1)
        sides = ([self._who(who)[1] for side in _sides(f) for who, _ in side] for f in self.claims.sides(places))
        return {place: (one, other) for place, (one, other) in zip(places.tolist(), sides, strict=True)}

    def take(self, most: int | None, waived: Places) -> None:
        """Take the first `most` claims in order whose weights are found, leaving out those that are waived.

        Raises:
            BrokenCertificateError: a certificate does not hold; this is a bug of the program.
        """
        super().take(most, waived)
        self._taken.sort(key=lambda one: (one[1].e, _since(one[1]), one[0]))

    def _checked(self, places: Places) -> list[Equivalence | None]:
        findings = self.claims.build(places)
        checker = CombinationChecker(_linked(self.evidence))
        for finding in findings:
            if finding is not None:
                checker.check(finding)
        return findings

    def _id(self, finding: Equivalence) -> str:
        sides = [sorted(f"{times} {self._who(who)[1]}" for who, times in side) for side in _sides(finding)]
        if finding.value is not None:
            return self.namer.finding(self.attack, "disclosure", *sides[0], self.evidence.values[finding.value])
        left, right = sorted(sides)
        return self.namer.finding(self.attack, "equivalence", *left, "", *right)

    def _who(self, somebody: Somebody) -> Who:
        if not isinstance(somebody, int):
            tag = self.evidence.tags[somebody.release]
            return "counterfeit", f"{COUNTERFEIT}(release {tag}, group {somebody.group}, {somebody.number + 1})"
        return _called(_linked(self.evidence).series.people.name(somebody))

    def _mentioned(self, finding: Equivalence) -> list[Who]:
        return [self._who(who) for side in _sides(finding) for who, _ in side]

    def _told(self, ident: str, finding: Equivalence) -> NamedEquivalence | NamedPin:
        tags = self.evidence.tags
        groups = tuple(WeightedGroup(tags[w.release], w.group, str(w.weight)) for w in finding.certificate)
        left, right = ({self.namer.call(*self._who(w)): times for w, times in side} for side in _sides(finding))
        if finding.value is None:
            return NamedEquivalence(ident, finding.e, left, right, groups)
        value = self.evidence.values[finding.value]
        return NamedPin(ident, next(iter(left)), tags[_since(finding)], value, 1.0, groups)


def _sides(finding: Equivalence) -> tuple[tuple[tuple[Somebody, int], ...], tuple[tuple[Somebody, int], ...]]:
    return finding.left, finding.right


def _since(finding: Equivalence) -> int:
    """Return the release with which a certificate is complete."""
    return max(group.release for group in finding.certificate)


def _called(name: str) -> Who:
    """Return what somebody is, and the identifier."""
    return ("counterfeit" if name.startswith(COUNTERFEIT) else "person"), name


def _linked(evidence: Evidence) -> LinkedSource:
    if not isinstance(evidence.source, LinkedSource):
        raise TypeError("this evidence does not come from a series")
    return evidence.source


AnyShelf = DisclosureShelf | NarrowedShelf | EquivalenceShelf


def shelve(attack: str, evidence: Evidence, claims: Claims, namer: Namer) -> AnyShelf:
    """Return the shelf for an attack's claims."""
    if isinstance(claims, Disclosures):
        return DisclosureShelf(attack, evidence, claims, namer)
    if isinstance(claims, Narrowings):
        return NarrowedShelf(attack, evidence, claims, namer)
    return EquivalenceShelf(attack, evidence, claims, namer)
