"""Correspondence: which rows of successive releases can belong to one record, and whose, from the files alone.

**Threat model.** The adversary has only the files, and knows that the series only grows: every record of a release is
in the next one, with the same value or one that may follow, and with cells that still cover it. The adversary knows a
person's quasi-identifiers and the first release with the person's record. Adversaries with a key, a register or record
ids learn at least as much; for them, the attack judges the rows of unknown people. **Claim.** A *world*
assigns to each row its row in the next release, so that all cells of a record have a point in common. A row can be a
person's if in some world it belongs to a record that begins with the person's first release and whose cells all cover
the person. Fewer than k possible rows are a finding; if they all have one value, that value is disclosed. **Why it is
sound.** A row is only ruled out if no world has it, because other records need all rows that it could take (Hall); that
is checked again. **What it is not.** With two releases nothing is missed. With more, pairs of rows that neither a world
nor a proof decides remain open.

Source: B. Fung, K. Wang, A. Fu and J. Pei, "Anonymity for continuous data publishing", EDBT 2008, give lower bounds of
the same for two releases (F-, C- and B-attack). Cost: one flow for each two releases; a solver for three and more.

With record ids, whole worlds are often not needed (`may_leave_too_few`): the rows of a record are known. The rows that
can belong to a person with a known first release are the rows of the records with that first release whose cells all
cover the person. These include the records that look exactly alike. If there are always at least k such records, and
they have several values, then every person has enough possible rows.

Claims: subjects with too few possible rows, with certificates: sets of rows that rule out the other rows.

The adversary knows a person's point, and the first release of the person's record. The record is a chain that begins
there and whose cells all cover the point; a row can be the person's if some world has such a chain through it. Points
that the same boxes cover cannot be distinguished: one subject represents all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import ClassVar

import numpy as np

from attacks.correspondence.worlds import (
    Layer,
    Matching,
    NoWorldError,
    Settled,
    TooManyPairsError,
    layers,
    matched,
    reached,
    settle,
    worlds,
)
from attacks.descriptions import RecordDescriptions, equal_rows
from audit.findings.rows import Filling, Linkage, Linkages, RowKind
from audit.model.arrays import Codes, Counts, Flags, Places
from audit.model.evidence import (
    Evidence,
    PublishedRows,
    RowSource,
    all_listed_reason,
    known_rows_reason,
    quasi_identifiers_reason,
)
from audit.model.finding import FindingRule
from audit.model.measures import INFERENCE, LINKABILITY, Measures, found_of
from audit.model.options import option
from audit.model.outcome import Outcome, PolicyOptions
from audit.runtime.budget import Budget
from audit.runtime.phrases import Noun, Phrase, Reason, ReasonKind, printable, say, say_count

_POINTS = 100_000
"""The most points to judge in one release."""


@dataclass(frozen=True, slots=True)
class Subject:
    """The possible rows of a subject in one release, from its first one on.

    Attributes:
        number: the number of the subject, the same in all releases.
        point: a point of the subject, as the code of an atomic cell for each attribute.
        first: its first release, counted from 0.
        release: the release of the rows.
        classes: the classes of the rows that are not ruled out.
        most, least: the number of rows that are not ruled out, and of rows that some known world has.
        value: the value of all rows that are not ruled out, -1 if they have several values.
        several: whether known worlds have rows with different values.
        exists: whether some known world has the subject.
    """

    number: int
    point: tuple[int, ...]
    first: int
    release: int
    classes: Counts
    most: int
    least: int
    value: int
    several: bool
    exists: bool

    def is_narrowed(self, k: int) -> bool:
        """Return whether fewer than k rows are possible."""
        return self.exists and self.most < k

    @property
    def is_disclosed(self) -> bool:
        """Whether the possible rows have only one value."""
        return self.exists and self.value >= 0

    def is_undecided(self, k: int) -> bool:
        """Return whether it is undecided if the subject is narrowed, or disclosed."""
        return (not self.is_narrowed(k) and self.least < k) or (not self.is_disclosed and not self.several)


def subjects(layers: Sequence[Layer], settled: Settled, source: RowSource) -> tuple[list[Subject], bool]:
    """Return the possible rows of each subject that is not ruled out, and whether there were too many points."""
    found: list[Subject] = []
    last, missed, number = layers[-1], False, 0
    upper = reached(layers, settled.alive)
    for first in range(len(layers)):
        ends = np.flatnonzero((last.begun == first) & np.diagonal(upper[-1]))
        boxes, of = np.unique(last.box[ends], axis=0, return_inverse=True)
        covers = _covers(boxes, source)
        if covers is None:
            missed = True
            continue
        for point, cover in covers:
            chosen = ends[cover[of.ravel()]]
            exists = bool(np.diagonal(settled.reached[-1])[chosen].any())
            for release in range(first, len(layers)):
                layer, rows = layers[release], layers[release].classes.rows
                begun = layer.begun == first
                left, shown = (
                    np.unique(layer.of[begun & table[release][:, chosen].any(axis=1)])
                    for table in (upper, settled.reached)
                )
                values, several = (np.unique(layer.classes.value[classes]) for classes in (left, shown))
                value = int(values[0]) if len(values) == 1 else -1
                most, least = int(rows[left].sum()), int(rows[shown].sum())
                found.append(Subject(number, point, first, release, left, most, least, value, len(several) > 1, exists))
            number += 1
    return found, missed


def _covers(boxes: Codes, source: RowSource) -> list[tuple[tuple[int, ...], Flags]] | None:
    """Return points that some boxes cover, and which boxes do; one point for each set of boxes.

    Return None if there are too many points.
    """
    tables, names = [], []
    for attribute in range(boxes.shape[1]):
        cells, at = np.unique(boxes[:, attribute], return_inverse=True)
        point, table = source.atoms(attribute, cells)
        tables.append(table[:, at.ravel()])
        names.append(point.tolist())
    found: dict[bytes, tuple[tuple[int, ...], Flags]] = {}
    looked_at = 0
    for box in range(len(boxes)):
        inside = [np.flatnonzero(table[:, box]).tolist() for table in tables]
        looked_at += int(np.prod([float(len(each)) for each in inside]))
        if looked_at > _POINTS:
            return None
        for atoms in product(*inside):
            cover = np.ones(len(boxes), dtype=np.bool_)
            for table, atom in zip(tables, atoms, strict=True):
                cover &= table[atom]
            named = tuple(name[atom] for name, atom in zip(names, atoms, strict=True))
            found.setdefault(cover.tobytes(), (named, cover))
    return list(found.values())


def worst(claimed: Iterable[Subject]) -> list[Subject]:
    """Return each subject in the release that discloses most: one that shows a value, else the one with fewest rows."""
    found: dict[int, Subject] = {}
    for each in sorted(claimed, key=lambda each: (each.number, each.value < 0, each.most, each.release)):
        found.setdefault(each.number, each)
    return list(found.values())


@dataclass(frozen=True)
class LinkageClaims:
    """The claims about some subjects."""

    source: RowSource
    network: Sequence[Layer]
    claimed: Sequence[Subject]

    def shown(self) -> Linkages:
        """Return the claims as columns."""
        rows, release = np.array([(each.most, each.release) for each in self.claimed], dtype=np.int64).reshape(-1, 2).T
        is_value = np.array([each.value >= 0 for each in self.claimed], dtype=np.bool_)
        return Linkages(rows, release.astype(np.int32), is_value, self._build)

    def _build(self, chosen: Places) -> list[Linkage[int]]:
        return [self._finding(self.claimed[place]) for place in chosen.tolist()]

    def _finding(self, subject: Subject) -> Linkage[int]:
        release = subject.release
        group = self.source.rows(release).group
        groups = np.unique(group[np.isin(self.network[release].classes.of, subject.classes)])
        value = None if subject.value < 0 else subject.value
        return Linkage(
            point=dict(enumerate(subject.point)),
            first=subject.first,
            release=release,
            rows=subject.most,
            groups=tuple(self.source.group_names(release, groups.astype(np.int32))),
            value=value,
            risk=1 / subject.most if value is None else 1.0,
            certificate=self._fillings(subject.point, subject.first),
            evidence="solver" if len(self.network) > 2 else "proof",
        )

    @cached_property
    def _matchings(self) -> list[tuple[Matching, Counts, Counts]]:
        """The results for each two successive releases alone."""
        return [
            matched(self.network, number, np.ones(len(self.network[number].before), dtype=np.bool_))
            for number in range(1, len(self.network))
        ]

    def _covering(self, number: int, point: tuple[int, ...]) -> Flags:
        """Return which classes of a release cover a point."""
        cells = self.network[number].classes.cells
        covering = np.ones(len(cells), dtype=np.bool_)
        for attribute, at in enumerate(point):
            kinds, place = np.unique(cells[:, attribute], return_inverse=True)
            covering &= (self.source.shared(attribute, kinds, np.full_like(kinds, at)) >= 0)[place.ravel()]
        return covering

    def _fillings(self, point: tuple[int, ...], first: int) -> tuple[Filling[int], ...]:
        """Return the sets of rows that need all rows of a set in the next release, which rules these out otherwise."""
        found: dict[Filling[int], None] = {}
        for number in range(max(first, 1), len(self.network)):
            match, before, after = self._matchings[number - 1]
            old, covering = self._covering(number - 1, point), self._covering(number, point)
            comes = (before == len(old)) if number == first else np.append(old, False)[before]
            lost = np.unique(after[~match.possible & comes & covering[after]])
            for right in lost.tolist():
                rows, fill = match.tight(right)
                found[Filling(number - 1, number, self._kinds(number - 1, rows), self._kinds(number, fill))] = None
        return tuple(found)

    def _kinds(self, number: int, kinds: Counts) -> frozenset[RowKind]:
        classes = self.network[number].classes
        cells, values = classes.cells[kinds].tolist(), classes.value[kinds].tolist()
        return frozenset(RowKind(tuple(cell), value) for cell, value in zip(cells, values, strict=True))


def may_leave_too_few(evidence: Evidence, releases: list[PublishedRows], k: int) -> bool:
    """Return whether records with one first release that look alike are ever fewer than k, or have only one value.

    Only groups count that may contain people of whose presence the adversary does not know.

    Raises:
        InputError: the cells of a record have nothing in common.
    """
    records = evidence.records
    if records is None:
        return False
    known = RecordDescriptions(records, len(releases))
    first, judged = np.full(len(known.seen), -1, dtype=np.int32), np.zeros(len(known.seen), dtype=np.bool_)
    for release in range(len(releases)):
        rows = records.rows(release)
        first[rows.record[~known.seen[rows.record]]] = release
        known.add(rows, release)
        judged[rows.record if rows.judged is None else rows.record[rows.judged]] = True
        of_record = equal_rows([first + 1, *known.cells])[1]  # A person who is not there yet is not judged.
        size = np.bincount(of_record)
        held = np.bincount(of_record[judged], minlength=len(size)) > 0
        if (size[held] < k).any():
            return True
        # If values never change, earlier releases add nothing.
        for before in range(release + 1) if evidence.transitions is not None else [release]:
            if _has_one_value(of_record[records.rows(before).record], releases[before].value, held):
                return True
    return False


def _has_one_value(classes: Codes, value: Codes | None, held: Flags) -> bool:
    """Return whether one of some classes has rows of only one value."""
    if value is None:
        return True
    pairs = np.unique(np.stack([classes, value]), axis=1)[0]
    return bool((np.bincount(pairs, minlength=len(held))[held] == 1).any())


KINDS = Noun("{count} [kind|kinds] of people")


@dataclass(frozen=True, eq=False, kw_only=True)
class CorrespondenceMeasures(Measures):
    """How many kinds of people have too few possible rows.

    Attributes:
        subjects_looked_at: the number of kinds of people; people of one kind have the same possible rows.
        narrowed: how many of them have fewer than k possible rows in some release.
        disclosed: how many of them have only possible rows with one value in some release.
        open: how many of them are undecided.
        smallest: the fewest possible rows of a person; None if unknown.
        links: the number of pairs of rows of successive releases that can be one record by their cells and values.
        certain: how many of these pairs are one record in every world.
        excluded: how many of these pairs are one record in no world.
        worlds: the number of ways in which the rows of the first of two releases can be rows of the second; None if not
            counted.
    """

    subjects_looked_at: int = 0
    narrowed: int = 0
    disclosed: int = 0
    open: int = 0
    smallest: int | None = None
    links: int = 0
    certain: int = 0
    excluded: int = 0
    worlds: int | None = None

    criteria: ClassVar[frozenset[str]] = frozenset({LINKABILITY, INFERENCE})
    about_values: ClassVar[bool] = False
    subjects_label: ClassVar[Noun | str] = KINDS
    has_timeline: ClassVar[bool] = False
    remedy: ClassVar[Phrase | str] = Phrase(
        "Publish a release whose groups are unions of earlier groups, or whose groups have more values."
    )

    @property
    def subjects(self) -> int:
        """The number of judged kinds of people."""
        return self.subjects_looked_at

    @property
    def found(self) -> int:
        """The number of kinds with too few possible rows, or with only one value."""
        return max(self.narrowed, self.disclosed)

    def accusation(self, value: str, *, at_least: bool) -> str:
        """Return how many kinds of people have too few possible rows."""
        whole = say("{count} kinds of people", count=self.subjects)
        if self.disclosed:
            found = found_of(self.disclosed, whole, at_least=at_least)
            return say("{value} follows from the files alone for {found}", value=value, found=found)
        return say("too few rows are possible for {found}", found=found_of(self.narrowed, whole, at_least=at_least))

    def notes(self, attack: str) -> Iterator[str]:
        """Yield sentences about links between rows, worlds, and undecided people."""
        if self.links:
            yield say_count(
                "{attack}: of {count} [link|links] between rows of successive releases, {certain} are certain and "
                "{excluded} excluded.",
                self.links,
                attack=attack,
                certain=self.certain,
                excluded=self.excluded,
            )
        if self.worlds is not None:
            yield say(
                "{attack}: the rows of the first release can be rows of the second in {worlds} ways.",
                attack=attack,
                worlds=self.worlds,
            )
        if self.open:
            yield say_count(
                "{attack}: for {count} [kind|kinds] of people it is not known how many rows are possible.",
                self.open,
                attack=attack,
            )


@dataclass(frozen=True)
class CorrespondenceAttack(PolicyOptions):
    """Follow rows through a growing series.

    Attributes:
        k: the fewest rows that must be possible for a person; the policy's limit.
    """

    k: int = option(2, help="how many rows each person should fit at least", least=1)
    name: ClassVar[str] = "correspondence"
    measures: ClassVar[type[CorrespondenceMeasures]] = CorrespondenceMeasures
    decides: ClassVar[frozenset[str]] = frozenset({"max_risk", "k"})
    follows_records: ClassVar[bool] = True
    rules: ClassVar[Mapping[str, FindingRule]] = {
        "linkage": FindingRule(
            "Too few rows of a growing series, or only rows with one value, can belong to a person.",
            "Publish groups that are unions of earlier ones, or that hold more values each.",
        )
    }

    def run(self, evidence: Evidence, budget: Budget, /) -> Outcome:
        """Return the kinds of people who have too few possible rows, or only rows with one value."""
        reason = _not_applying(evidence)
        if reason is not None:
            return Outcome.skipped(self.name, reason)
        source = evidence.rows_of
        if source is None:
            raise TypeError("this evidence has no rows")
        releases = [source.rows(release) for release in range(len(evidence.tags))]
        reason = _unfit(releases, evidence.tags)
        if reason is not None:
            return Outcome.skipped(self.name, reason)
        try:
            network = layers(releases, source, _allowed(evidence))
            settled = settle(network, budget)
            found, missed = subjects(network, settled, source)
        except NoWorldError as error:
            tag = printable(evidence.tags[error.release])
            what = say(
                'some record of an earlier release cannot be in {release}, but `updates = "growing"` says that all are',
                release=tag,
            )
            return Outcome.judged(self.name, what, CorrespondenceMeasures())
        except TooManyPairsError:
            what = say("the releases have too many different cells")
            return Outcome.judged(self.name, what, CorrespondenceMeasures())
        outcome = self._outcome(source, (network, settled), found, _unsettled(budget, missed=missed), missed=missed)
        if outcome.status == "complete" and may_leave_too_few(evidence, releases, self.k):
            left = say("fewer than k records that came with one release look alike, or all have the same value")
            outcome = replace(outcome, status="incomplete", reason=Reason(left))
        return outcome

    def _outcome(
        self,
        source: RowSource,
        known: tuple[Sequence[Layer], Settled],
        found: Sequence[Subject],
        why: Reason,
        *,
        missed: bool,
    ) -> Outcome:
        network, settled = known
        narrowed = [each for each in found if each.is_narrowed(self.k)]
        disclosed = [each for each in found if each.is_disclosed]
        undecided = [each for each in found if each.is_undecided(self.k)]
        links, certain, excluded = _links(network, settled)
        people = [len({each.number for each in kind}) for kind in (found, narrowed, disclosed, undecided)]
        measures = CorrespondenceMeasures(
            subjects_looked_at=people[0],
            narrowed=people[1],
            disclosed=people[2],
            open=people[3],
            smallest=min((each.least for each in found), default=None) if settled.complete else None,
            links=links,
            certain=certain,
            excluded=excluded,
            worlds=_worlds(network, settled),
        )
        claims = LinkageClaims(source, network, worst([*narrowed, *disclosed]))
        reason = why if undecided or missed else None
        return Outcome.judged(self.name, reason, measures, claims.shown())


def _unsettled(budget: Budget, *, missed: bool) -> Reason:
    """Return why the number of possible rows is unknown for some people."""
    left = say("not every chain of rows was decided")
    if missed:
        left = say("too many combinations of attributes distinguish people")
    if budget.exhausted():
        return Reason(say("{reason}: {left}", reason=budget.reason, left=left), ReasonKind.TIME_LIMIT)
    return Reason(left)


def _not_applying(evidence: Evidence) -> Reason | None:
    if not evidence.growing:
        text = say(
            "it needs a series in which each record of a release is also in the next one: if this is so, add "
            '`updates = "growing"` under [series]'
        )
        return Reason(text, ReasonKind.NEEDS)
    reason = quasi_identifiers_reason(evidence) or known_rows_reason(evidence)
    if reason is None and evidence.adversary.has_register and not _has_strangers(evidence):
        return all_listed_reason()
    return reason


def _has_strangers(evidence: Evidence) -> bool:
    source = evidence.published
    return source is not None and any(source.published(at).strangers for at in range(len(evidence.tags)))


def _unfit(releases: Sequence[PublishedRows], tags: Sequence[str]) -> Reason | None:
    for tag, rows in zip(tags, releases, strict=True):
        if rows.value is None:
            text = say(
                "it needs a sensitive value in each row, and one row for each person (release {release})",
                release=printable(tag),
            )
            return Reason(text, ReasonKind.NEEDS)
        if rows.counterfeits:
            text = say("it needs releases without counterfeits (release {release})", release=printable(tag))
            return Reason(text, ReasonKind.NEEDS)
    return None


def _allowed(evidence: Evidence) -> Flags:
    """Return which value may follow which; shape (values, values)."""
    if evidence.transitions is None:
        return np.eye(len(evidence.values), dtype=np.bool_)
    allowed: Flags = evidence.transitions.weight > 0
    return allowed


def _links(network: Sequence[Layer], settled: Settled) -> tuple[int, int, int]:
    """Return how many pairs of rows are possible by cells and values, how many are in every world, and in none."""
    links = certain = excluded = 0
    for number in range(1, len(network)):
        before, after = network[number - 1], network[number]
        rows, later, on = before.classes.rows, after.classes.rows, after.before >= 0
        pairs = before.of[after.before] * len(later) + after.of[after.after]
        every, left = np.unique(pairs[on]), np.unique(pairs[on & settled.alive[number]])
        links += int((rows[every // len(later)] * later[every % len(later)]).sum())
        gone = np.setdiff1d(every, left)
        excluded += int((rows[gone // len(later)] * later[gone % len(later)]).sum())
        ways = np.bincount(left // len(later), minlength=len(rows))
        only = (ways[left // len(later)] == 1) & (rows[left // len(later)] == 1) & (later[left % len(later)] == 1)
        certain += int(only.sum()) if settled.complete or len(network) == 2 else 0
    return links, certain, excluded


def _worlds(network: Sequence[Layer], settled: Settled) -> int | None:
    """Return the number of ways in which rows of two releases correspond, if counting takes little work."""
    if len(network) != 2:
        return None
    before, after = network
    used = settled.alive[1] & (after.before >= 0)
    return worlds(before.classes.rows, after.classes.rows, before.of[after.before[used]], after.of[after.after[used]])
