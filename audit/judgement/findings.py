"""Findings: from claims as columns to the few that are shown, checked again and named."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Generic, Literal, TypeVar

import numpy as np
import numpy.typing as npt

from audit.adversary.record_linkage import FollowedRecords
from audit.adversary.view import View
from audit.io.encoding import COUNTERFEIT
from audit.judgement.named_proofs import ProofNamer
from audit.judgement.pseudonyms import Pseudonymizer
from audit.judgement.waivers import Claimed
from audit.model.arrays import Codes, Places
from audit.model.evidence import RowSource
from audit.model.named_findings import (
    DisclosureStep,
    FillingStep,
    NamedDisclosure,
    NamedEquivalence,
    NamedFinding,
    NamedGroup,
    NamedLinkage,
    NamedNarrowed,
    NamedPin,
    RecordStep,
    WeightedGroup,
)
from audit.model.outcome import (
    AttributeDisclosure,
    AttributeDisclosures,
    Claims,
    EquivalenceFinding,
    EquivalenceFindings,
    Filling,
    GroupDisclosure,
    GroupDisclosures,
    IdentityDisclosure,
    IdentityDisclosures,
    LinkageDisclosure,
    LinkageDisclosures,
    RowKind,
    Somebody,
    foremost,
)
from audit.verification.disclosure import BrokenCertificateError
from audit.verification.disclosure_checker import DisclosureChecker
from audit.verification.equivalence import CombinationChecker
from audit.verification.group import check_groups
from audit.verification.linkage import LinkageChecker
from audit.verification.linked_classes import check_linked
from audit.verification.proof import Followed, people_of
from audit.verification.record import Recounter

C = TypeVar("C", AttributeDisclosures, IdentityDisclosures, EquivalenceFindings, GroupDisclosures, LinkageDisclosures)
F = TypeVar("F", AttributeDisclosure, IdentityDisclosure, EquivalenceFinding, GroupDisclosure, LinkageDisclosure)
Who = tuple[str, str]
"""Somebody whom a finding is about: what it is (`person`, `record`, `counterfeit`), and the identifier."""

_TRIES = 5
_MOST_IDS, _MOST_IDS_ONCE = 1 << 17, 1 << 9


class FindingSelection(ABC, Generic[C, F]):
    """The claims of one attack, ranked by risk, release and id; those that are taken are checked and told."""

    def __init__(self, attack: str, evidence: View, claims: C, namer: Pseudonymizer) -> None:
        self.attack = attack
        self.evidence = evidence
        self.claims: C = claims
        self.namer = namer
        self._taken: list[tuple[str, F]] = []

    @abstractmethod
    def ids(self, places: Places, *, stable: bool = False) -> list[str]:
        """Return the ids of the claims at some places; those that waivers name, if `stable`."""

    @abstractmethod
    def claimed(self) -> Claimed:
        """Return the claims as waivers look at them."""

    def _all_ids(self) -> Sequence[str]:
        return self.ids(np.arange(len(self.claims)), stable=True)

    @abstractmethod
    def _checked(self, places: Places) -> Sequence[F | None]:
        """Return the findings at some places, each certificate checked again; None where there is none."""

    @abstractmethod
    def _mentioned(self, finding: F) -> list[Who]:
        """Return whom a finding is about."""

    @abstractmethod
    def _told(self, ident: str, finding: F) -> NamedFinding:
        """Return a finding as it is told."""

    def select(self, most: int | None, waived: Places) -> None:
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

    @property
    def selected(self) -> list[tuple[str, F]]:
        """The findings that were taken, each with its id."""
        return self._taken

    def to_report(self) -> tuple[NamedFinding, ...]:
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


class DisclosureSelection(FindingSelection[AttributeDisclosures, AttributeDisclosure]):
    """Values that are certain."""

    def __init__(self, attack: str, evidence: View, claims: AttributeDisclosures, namer: Pseudonymizer) -> None:
        super().__init__(attack, evidence, claims, namer)
        self._proofs: dict[tuple[int, int], Followed] = {}

    def ids(self, places: Places, *, stable: bool = False) -> list[str]:
        """Return the ids of the claims at some places; those that waivers name, if `stable`."""
        tags, values = self.evidence.tags, self.evidence.values
        rows = zip(*(column.tolist() for column in self.claims.at(places)), strict=True)
        found = []
        for person, release, value in rows:
            # What combinations tell is told apart from what one attribute tells by itself.
            said = [self._name(person), tags[release], values[value]]
            if self.evidence.combined is not None:
                said += [self.evidence.sensitive, self.evidence.attribute(value) or ""]
            found.append(self.namer.finding(self.attack, "disclosure", *said, stable=stable))
        return found

    def claimed(self) -> Claimed:
        """Return the claims as waivers look at them."""
        person, release, _ = self.claims.at(np.arange(len(self.claims)))

        def people() -> Sequence[frozenset[str]]:
            return [frozenset((self._name(who),)) for who in person.tolist()]

        return Claimed(self.evidence, self._all_ids, people, person, release)

    def _name(self, person: int) -> str:
        return self.evidence.name(person)

    def _near(self, most: int, waived: Places) -> Places:
        return super()._near(most, waived) if len(waived) else self.claims.worst(most)

    def _ranks(self, places: Places) -> tuple[npt.NDArray[np.float64], Codes]:
        return self.claims.severity[places], self.claims.at(places)[1]

    def _chosen(self, places: Places, most: int) -> Places:
        """Draw from the claims of the last release shown, where there are many and no id need be computed for each.

        What is drawn depends on the key of the ids and on the people's names alone.
        """
        person, release, _ = self.claims.at(places)
        last = release == release.max(initial=0)
        # Ids that are drawn anew for each report are lots themselves.
        if np.count_nonzero(last) <= (_MOST_IDS if self.namer.stable else max(most, _MOST_IDS_ONCE)):
            return places
        level = places[last]
        lot = self.namer.lots(self.evidence.source.series.people, person[last])
        drawn = level[np.argpartition(lot, most - 1)[:most]]
        return np.concatenate([places[~last], np.sort(drawn)])

    def _checked(self, places: Places) -> list[AttributeDisclosure | None]:
        findings = self.claims.build(places)
        self._checker.look_at(findings)
        claims = zip(*(column.tolist() for column in self.claims.at(places)), strict=True)
        return [
            self._checker.unproved(*claim) if finding is None else self._held(finding)
            for claim, finding in zip(claims, findings, strict=True)
        ]

    def _held(self, finding: AttributeDisclosure) -> AttributeDisclosure:
        """Return a finding that holds, and note what its proof says."""
        finding, proof = self._checker.checked(finding)
        if proof is not None:
            self._proofs[finding.person, finding.release] = proof
        return finding

    @cached_property
    def _checker(self) -> DisclosureChecker:
        return DisclosureChecker(self.evidence, self.evidence.source)

    def _mentioned(self, finding: AttributeDisclosure) -> list[Who]:
        people = {finding.person} if finding.proof is None else {finding.person, *people_of(finding.proof)}
        return [self._who(person) for person in sorted(people)]

    def _who(self, person: int) -> Who:
        return _called(self._name(person))

    def _told(self, ident: str, finding: AttributeDisclosure) -> NamedDisclosure:
        tags, values = self.evidence.tags, self.evidence.values

        def texts(codes: tuple[int, ...]) -> tuple[str, ...]:
            return tuple(sorted(values[code] for code in codes))

        def call(person: int) -> str:
            return self.namer.display_name(*self._who(person))

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
            None if proof is None else ProofNamer(self.evidence, call).proof(proof),
            finding.alone,
            self.evidence.attribute(finding.value),
            "proof" if finding.proved else "solver",
        )


class IdentitySelection(FindingSelection[IdentityDisclosures, IdentityDisclosure]):
    """Records whose descriptions too few share."""

    def ids(self, places: Places, *, stable: bool = False) -> list[str]:
        """Return the ids of the claims at some places; those that waivers name, if `stable`."""
        claims, tags = self.claims, self.evidence.tags
        columns = (claims.record, claims.release, claims.smallest)
        rows = zip(*(column[places].tolist() for column in columns), strict=True)
        # With the smallest class: what was accepted of a class of three is not accepted of one.
        return [
            self.namer.finding(
                self.attack, "narrowed", self._source.name(record), tags[release], str(smallest), stable=stable
            )
            for record, release, smallest in rows
        ]

    def claimed(self) -> Claimed:
        """Return the claims as waivers look at them."""
        risk = 1.0 / self.claims.smallest
        return Claimed(self.evidence, self._all_ids, lambda: [frozenset()] * len(self.claims), risk=risk)

    @property
    def _source(self) -> FollowedRecords:
        return _records(self.evidence)

    def _checked(self, places: Places) -> list[IdentityDisclosure]:
        findings = self.claims.build(places)
        Recounter(self._source, self.claims.k).check(findings)
        return findings

    def _mentioned(self, finding: IdentityDisclosure) -> list[Who]:
        return [("record", self._source.name(finding.record))]

    def _told(self, ident: str, finding: IdentityDisclosure) -> NamedNarrowed:
        tags = self.evidence.tags
        return NamedNarrowed(
            ident,
            self.namer.display_name(*self._mentioned(finding)[0]),
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


class EquivalenceSelection(FindingSelection[EquivalenceFindings, EquivalenceFinding]):
    """People who have the same values as others, and values that are pinned."""

    def ids(self, places: Places, *, stable: bool = False) -> list[str]:
        """Return the ids of the claims at some places; those that waivers name, if `stable`."""
        return [self._id(finding, stable=stable) for finding in self.claims.sides(places)]

    def claimed(self) -> Claimed:
        """Return the claims as waivers look at them."""

        def people() -> Sequence[frozenset[str]]:
            found = self.claims.sides(np.arange(len(self.claims)))
            return [frozenset(self._who(who)[1] for side in _sides(one) for who, _ in side) for one in found]

        person = self.claims.person
        nowhere = None if person is None else np.full(len(person), -1, dtype=np.int32)
        return Claimed(self.evidence, self._all_ids, people, person, nowhere)

    def pairs(self) -> dict[int, tuple[str, str]]:
        """Return the claims that two have the same value: the two identifiers, by the claim's place."""
        places = np.flatnonzero(self.claims.e == 1)
        sides = ([self._who(who)[1] for side in _sides(f) for who, _ in side] for f in self.claims.sides(places))
        return {place: (one, other) for place, (one, other) in zip(places.tolist(), sides, strict=True)}

    def select(self, most: int | None, waived: Places) -> None:
        """Take the first `most` claims in order, leaving out those that are waived.

        Raises:
            BrokenCertificateError: a certificate does not hold; this is a bug of the program.
        """
        super().select(most, waived)
        self._taken.sort(key=lambda one: (one[1].e, self._since(one[1]), one[0]))

    def _checked(self, places: Places) -> list[EquivalenceFinding]:
        findings = self.claims.build(places)
        checker = CombinationChecker(self.evidence.source)
        for finding in findings:
            if finding.error is None and not finding.solver:
                checker.check(finding)
        return findings

    def _id(self, finding: EquivalenceFinding, *, stable: bool) -> str:
        sides = [sorted(f"{times} {self._who(who)[1]}" for who, times in side) for side in _sides(finding)]
        if self.evidence.followed:  # by all attributes, and record ids
            sides[0] = [*sides[0], str(self.evidence.sensitive)]
        if finding.value is not None:
            value = self.evidence.values[finding.value]
            return self.namer.finding(self.attack, "disclosure", *sides[0], value, stable=stable)
        left, right = sorted(sides)
        return self.namer.finding(self.attack, "equivalence", *left, "", *right, stable=stable)

    def _who(self, somebody: Somebody) -> Who:
        if not isinstance(somebody, int):
            tag = self.evidence.tags[somebody.release]
            return "counterfeit", f"{COUNTERFEIT}(release {tag}, group {somebody.group}, {somebody.number + 1})"
        return _called(self.evidence.name(somebody))

    def _mentioned(self, finding: EquivalenceFinding) -> list[Who]:
        return [self._who(who) for side in _sides(finding) for who, _ in side]

    def _told(self, ident: str, finding: EquivalenceFinding) -> NamedEquivalence | NamedPin:
        tags = self.evidence.tags
        groups = tuple(WeightedGroup(tags[w.release], w.group, str(w.weight)) for w in finding.certificate)
        left, right = ({self.namer.display_name(*self._who(w)): times for w, times in side} for side in _sides(finding))
        shown = ("fingerprint", finding.error) if finding.error is not None else (_evidence(finding), None)
        if finding.value is None:
            return NamedEquivalence(ident, finding.e, left, right, groups, *shown)
        value = self.evidence.values[finding.value]
        return NamedPin(ident, next(iter(left)), tags[self._since(finding)], value, 1.0, groups, *shown)

    def _since(self, finding: EquivalenceFinding) -> int:
        """Return the release with which a certificate is complete; the last one where there is none."""
        return max((group.release for group in finding.certificate), default=len(self.evidence.tags) - 1)


def _sides(finding: EquivalenceFinding) -> tuple[tuple[tuple[Somebody, int], ...], tuple[tuple[Somebody, int], ...]]:
    return finding.left, finding.right


def _evidence(finding: EquivalenceFinding) -> Literal["proof", "solver"]:
    return "solver" if finding.solver else "proof"


def _called(name: str) -> Who:
    """Return what somebody is, and the identifier."""
    return ("counterfeit" if name.startswith(COUNTERFEIT) else "person"), name


def _records(evidence: View) -> FollowedRecords:
    if evidence.records is None:
        raise TypeError("this evidence has no records")
    return evidence.records


class GroupSelection(FindingSelection[GroupDisclosures, GroupDisclosure]):
    """Classes of rows in which a value has too large a share."""

    def claimed(self) -> Claimed:
        """Return the claims as waivers look at them."""
        found = self.claims.build(np.arange(len(self.claims)))
        groups = [(self.evidence.tags[one.release], one.group) for one in found]
        return Claimed(self.evidence, self._all_ids, lambda: [frozenset()] * len(self.claims), groups=groups)

    def ids(self, places: Places, *, stable: bool = False) -> list[str]:
        """Return the ids of the claims at some places, those that waivers name if `stable`; the counts are of them."""
        return [
            self.namer.finding(self.attack, "group", *self._said(finding), stable=stable)
            for finding in self.claims.build(places)
        ]

    def _said(self, finding: GroupDisclosure) -> Iterator[str]:
        tags, f = self.evidence.tags, finding
        yield from (tags[f.release], f.group, str(f.number), self.evidence.values[f.value])
        yield from (str(f.with_value), str(f.rows))
        if f.record >= 0:
            yield from (_records(self.evidence).name(f.record), tags[f.after])

    def _checked(self, places: Places) -> list[GroupDisclosure]:
        findings = self.claims.build(places)
        alone = [finding for finding in findings if finding.record < 0]
        check_groups(alone, self.evidence.source)
        if len(alone) < len(findings):
            linked = [finding for finding in findings if finding.record >= 0]
            constant = self.evidence.transitions is None
            check_linked(linked, _records(self.evidence), self.evidence.sensitive, constant=constant)
        return findings

    def _mentioned(self, finding: GroupDisclosure) -> list[Who]:
        del finding  # it is about nobody in particular
        return []

    def _told(self, ident: str, finding: GroupDisclosure) -> NamedGroup:
        tags, values = self.evidence.tags, self.evidence.values
        release, value = tags[finding.release], values[finding.value]
        after = None if finding.after < 0 else tags[finding.after]
        return NamedGroup(ident, release, finding.group, value, finding.risk, finding.rows, after)


class LinkageSelection(FindingSelection[LinkageDisclosures, LinkageDisclosure]):
    """People to whom too few rows are left."""

    def __init__(self, attack: str, evidence: View, claims: LinkageDisclosures, namer: Pseudonymizer) -> None:
        super().__init__(attack, evidence, claims, namer)
        self._unproved: set[LinkageDisclosure] = set()

    def claimed(self) -> Claimed:
        """Return the claims as waivers look at them."""
        return Claimed(self.evidence, self._all_ids, lambda: [frozenset()] * len(self.claims))

    def ids(self, places: Places, *, stable: bool = False) -> list[str]:
        """Return the ids of the claims at some places, those that waivers name if `stable`; the counts are of them."""
        tags = self.evidence.tags
        return [
            self.namer.finding(
                self.attack,
                "linkage",
                *(*self._point(f).values(), tags[f.first], tags[f.release], str(f.rows), str(f.value)),
                stable=stable,
            )
            for f in self.claims.build(places)
        ]

    def _point(self, finding: LinkageDisclosure) -> dict[str, str]:
        """Return a finding's quasi-identifiers as text."""
        source = self._source
        return {
            name: source.text(at, cell)
            for at, (name, cell) in enumerate(zip(source.attributes, finding.point, strict=True))
        }

    @property
    def _source(self) -> RowSource:
        if self.evidence.rows_of is None:
            raise TypeError("this evidence has no rows")
        return self.evidence.rows_of

    def _checked(self, places: Places) -> list[LinkageDisclosure]:
        findings, checker = self.claims.build(places), LinkageChecker(self.evidence)
        for finding in findings:
            try:
                checker.check(finding)
            except BrokenCertificateError:
                # With more than two releases it may take a solver to rule out the rest.
                if not finding.solver:
                    raise
                self._unproved.add(finding)
        return findings

    def _mentioned(self, finding: LinkageDisclosure) -> list[Who]:
        del finding  # it is about nobody in particular
        return []

    def _told(self, ident: str, finding: LinkageDisclosure) -> NamedLinkage:
        tags = self.evidence.tags
        value = None if finding.value is None else self.evidence.values[finding.value]
        unproved = finding in self._unproved
        return NamedLinkage(
            ident,
            tags[finding.first],
            tags[finding.release],
            finding.rows,
            finding.groups,
            value,
            finding.risk,
            self._point(finding) if self.namer.reveal else None,
            () if unproved else tuple(map(self._step, finding.certificate)),
            "solver" if unproved else "proof",
        )

    def _step(self, filling: Filling) -> FillingStep:
        tags, first, last = self.evidence.tags, filling.release, filling.release + 1
        rows, of, values = self._described(first, filling.rows)
        _, next_of, next_values = self._described(last, filling.fill)
        return FillingStep(tags[first], tags[last], rows, of, values, next_of, next_values)

    def _described(self, release: int, kinds: frozenset[RowKind]) -> tuple[int, tuple[str, ...], tuple[str, ...]]:
        """Return how many rows there are of some kinds, the names of their groups, and their values."""
        rows, values = self._source.rows(release), self.evidence.values
        codes = [] if rows.value is None else rows.value.tolist()
        kind = map(RowKind, map(tuple, rows.cells.tolist()), codes)
        mine = np.array([each in kinds for each in kind], dtype=np.bool_)
        groups = self._source.group_names(release, np.unique(rows.group[mine]).astype(np.int32))
        return int(mine.sum()), tuple(groups), tuple(sorted({values[each.value] for each in kinds}))


AnySelection = DisclosureSelection | IdentitySelection | EquivalenceSelection | GroupSelection | LinkageSelection


def select_findings(attack: str, evidence: View, claims: Claims, namer: Pseudonymizer) -> AnySelection:
    """Return the shelf for an attack's claims."""
    if isinstance(claims, AttributeDisclosures):
        return DisclosureSelection(attack, evidence, claims, namer)
    if isinstance(claims, GroupDisclosures):
        return GroupSelection(attack, evidence, claims, namer)
    if isinstance(claims, LinkageDisclosures):
        return LinkageSelection(attack, evidence, claims, namer)
    if isinstance(claims, IdentityDisclosures):
        return IdentitySelection(attack, evidence, claims, namer)
    return EquivalenceSelection(attack, evidence, claims, namer)
