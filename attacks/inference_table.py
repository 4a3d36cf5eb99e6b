"""Inference table: what the generalized cells of one record together disclose about its person.

Threat model: the adversary knows nothing but the published releases, in which an id links the rows of one record.

Claim: a record's *description* is what its cells have in common over the releases so far, attribute by attribute. A
record is *unsafe* after some releases when fewer than k of the records published so far share its description. Sound,
because every cell of the record covers the person's exact values. It uses neither that two records are two people, nor
what an adversary may know about when a person came.

This adversary cannot distinguish counterfeits from other rows, but counterfeits protect no one: if the key names them,
they count neither as members of a class nor as unsafe.

Cost: linear in rows, and one sort of the records per release; each distinct pair of cells is intersected once.
Source: monotonic paper, Sections 2 and 4.1. Its condition (3) is about every set of releases; here it is tested for
every prefix of the series.

>>> attack = InferenceTableAttack().with_policy({"k": 3})
>>> attack.name, attack.k, sorted(attack.decides)
('inference-table', 3, ['k'])
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from attacks.descriptions import RecordDescriptions, equal_rows, narrowed
from audit.findings.rows import Cause, NarrowedRecords
from audit.model.arrays import Codes, Flags, Places
from audit.model.evidence import Evidence, Records, RecordSource
from audit.model.finding import FindingRule
from audit.model.measures import LINKABILITY, SINGLING_OUT, Measures, found_of
from audit.model.outcome import Outcome, PolicyOptions
from audit.runtime.budget import Budget
from audit.runtime.phrases import Noun, Phrase, Reason, ReasonKind, say

CAUSES: tuple[Cause, ...] = ("group change", "subgroup expanding", "widow", "small group")
NEVER, _UNKNOWN = -1, np.iinfo(np.int32).max
RECORDS = Noun("{count} [record|records]")


@dataclass(frozen=True, eq=False, kw_only=True)
class InferenceTableMeasures(Measures):
    """How many records share their description with too few others.

    Attributes:
        k: the fewest records that a class should hold.
        records: the number of records of people.
        unsafe: how many of them are in a smaller class after the last release; None if not all releases were judged.
        once_unsafe: how many of them were in a smaller class after some release.
        smallest_class: the smallest class after the last release; None if unknown.
    """

    k: int
    records: int
    unsafe: int | None
    once_unsafe: int
    smallest_class: int | None

    counted: ClassVar[tuple[str, str] | None] = ("records", "once_unsafe")
    subjects_label: ClassVar[Noun | str] = RECORDS
    criteria: ClassVar[frozenset[str]] = frozenset({SINGLING_OUT, LINKABILITY})
    about_values: ClassVar[bool] = False
    timeline_label: ClassVar[Phrase | str] = Phrase("below k")
    remedy: ClassVar[Phrase | str] = Phrase(
        "Split groups of records only into parts of k or more, and leave all other cells as they were."
    )

    def found_in_words(self, *, at_least: bool) -> str:
        """Return how many records were in too small a class."""
        found = found_of(self.found, RECORDS.counted(self.records), at_least=at_least)
        return say("{found} below k = {k}", found=found, k=str(self.k))

    def accusation(self, value: str, *, at_least: bool) -> str:
        """Return how many records share their description with too few others."""
        found = self.found_in_words(at_least=at_least)
        return say("{found}: too few others have the same description", found=found)


@dataclass(frozen=True)
class InferenceTableAttack(PolicyOptions):
    """Intersect each record's cells over the releases; classes below `k` are unsafe."""

    k: int = 2
    name: ClassVar[str] = "inference-table"
    measures: ClassVar[type[InferenceTableMeasures]] = InferenceTableMeasures
    decides: ClassVar[frozenset[str]] = frozenset({"k"})
    per_attribute: ClassVar[bool] = False
    rules: ClassVar[Mapping[str, FindingRule]] = {
        "narrowed": FindingRule(
            "Fewer than k records have the description that all releases together give of one.",
            "Split groups of records only into parts of k or more, and leave all other cells as they were.",
        )
    }

    def run(self, evidence: Evidence, budget: Budget, /) -> Outcome:
        """Return the measures, and a claim for each record that was unsafe after some release.

        Raises:
            InputError: the cells of a record have nothing in common.
        """
        source = evidence.records
        if source is None:
            text = say("it needs a published id that links the rows of a record ([columns] record)")
            return Outcome.skipped(self.name, Reason(text, ReasonKind.NEEDS))
        if not source.attributes:
            text = say("it needs quasi-identifiers, and the series has none")
            return Outcome.skipped(self.name, Reason(text, ReasonKind.NEEDS))
        releases = len(evidence.tags)
        table = DescriptionTable(source, self.k, releases)
        for done, rows in enumerate(map(source.rows, range(releases))):
            if budget.exhausted():
                break
            table.fold(rows, done)
            budget.stage(f"release {done + 1} of {releases}")
            budget.progress(done + 1, releases)
        done = len(table.timeline)
        reason = _incomplete(budget, done, releases, table.hidden)
        once = np.flatnonzero(table.unsafe_at != NEVER)
        measures = InferenceTableMeasures(
            k=self.k,
            records=int(table.real.sum()),
            unsafe=table.timeline[-1] if done == releases else None,
            once_unsafe=len(once),
            smallest_class=table.least if reason is None else None,
            timeline=table.timeline,
        )
        return Outcome.judged(self.name, reason, measures, table.narrowings(once))


def _incomplete(budget: Budget, done: int, releases: int, hidden: int) -> str | None:
    """Return why classes may be smaller than found, or None."""
    if hidden and done == releases:
        return say(
            "{hidden} counterfeits are published, and no key shows which rows they are, so that classes may"
            " hold fewer people; add the keys of all releases",
            hidden=hidden,
        )
    return budget.reason_after(done, releases)


class DescriptionTable:
    """The inference table so far, and the state of each record.

    Attributes:
        known: the description of each record. The arrays below are by record code; shape (records,).
        real: whether the record is a person's as far as the key shows.
        classes: the class of equal descriptions of each record, `NEVER` if it was not published yet.
        smallest: the size of the record's smallest class after any release.
        unsafe_at: the first release after which the class was smaller than k, else `NEVER`.
        size_then, cause: the size of the class then, and the place of the cause in `CAUSES`.
        timeline: the number of unsafe records after each release.
        hidden: the number of counterfeits that count as people, because no key shows which rows they are.
        least: the smallest class after the last release; None without records.
    """

    def __init__(self, source: RecordSource, k: int, releases: int) -> None:
        self.source, self.k = source, k
        self.known = RecordDescriptions(source, releases)
        size = len(self.known.seen)
        self.real = np.zeros(size, dtype=np.bool_)
        self.classes, self.unsafe_at, self.size_then = (np.full(size, NEVER, dtype=np.int32) for _ in range(3))
        self.smallest = np.full(size, _UNKNOWN, dtype=np.int32)
        self.cause = np.zeros(size, dtype=np.int8)
        self.timeline: list[int] = []
        self.hidden = 0
        self.least: int | None = None

    def fold(self, rows: Records, release: int) -> None:
        """Add one release."""
        before = self.classes
        self.hidden += rows.hidden
        self.known.add(rows, release)
        self.real[rows.record if rows.real is None else rows.record[rows.real]] = True
        self.classes = self.known.classes()
        of_class = np.bincount(self.classes[self.real], minlength=int(self.classes.max(initial=-1)) + 1)
        size = np.append(of_class, _UNKNOWN).astype(np.int32)[self.classes]  # the last entry: records not yet published
        self.smallest = np.minimum(self.smallest, size)
        self.least = int(size[self.real].min()) if self.real.any() else None
        small = self.real & (size < self.k)
        self.timeline.append(int(np.count_nonzero(small)))
        newly = np.flatnonzero(small & (self.unsafe_at == NEVER))
        if len(newly):
            self.unsafe_at[newly], self.size_then[newly] = release, size[newly]
            self.cause[newly] = self._causes(newly, rows, before)

    def _causes(self, newly: Places, rows: Records, before: Codes) -> npt.NDArray[np.int8]:
        """Return how records became unsafe in a release (monotonic paper, Section 4.1), as places in `CAUSES`.

        The paper compares two releases. Here everything before a release takes the place of the first: two records were
        together if they had the same class then (`before`). If all old rows of a group were together, new rows have
        joined them; otherwise their class would be as large as the group. A small group is ours: the paper's releases
        are k-anonymous. The other causes are wider than the paper's, so that each unsafe record has one: a widow need
        not be beside a record whose k-anonymity is broken, nor a group change be without new records. That is safe,
        because the size of the class alone makes a record unsafe.
        """
        real = np.ones(len(rows.record), dtype=np.bool_) if rows.real is None else rows.real
        first, group = equal_rows(rows.cells)
        size = np.bincount(group[real], minlength=len(first))
        old = real & (before[rows.record] >= 0)
        together = _uniform(group[old], before[rows.record[old]], len(first))
        row = np.full(len(before), -1, dtype=np.int64)
        row[rows.record] = np.arange(len(rows.record))
        at = row[newly]
        groups = group[at]
        cases: list[Flags] = [at < 0, size[groups] < self.k, before[newly] < 0, together[groups]]
        causes: list[Cause] = ["group change", "small group", "widow", "subgroup expanding"]
        return np.select(cases, [CAUSES.index(cause) for cause in causes], CAUSES.index("group change")).astype(np.int8)

    def narrowings(self, once: Places) -> NarrowedRecords:
        """Return the claims about some records that were unsafe after some release."""
        record, release, size = once.astype(np.int32), self.unsafe_at[once], self.size_then[once]
        causes = [CAUSES[cause] for cause in self.cause[once].tolist()]
        build = narrowed(self.source, record, release, size, causes)
        return NarrowedRecords(self.k, record, release, size, self.smallest[once], build)


def _uniform(group: Codes, label: Codes, groups: int) -> Flags:
    """Return which groups have members with at most one label; shape (groups,), bool."""
    low = np.full(groups, np.iinfo(np.int32).max, dtype=np.int32)
    high = np.full(groups, -1, dtype=np.int32)
    np.minimum.at(low, group, label)
    np.maximum.at(high, group, label)
    return low >= high
