"""Homogeneity: what a single release discloses to a person who has only the files.

**Threat model.** An adversary who knows that a person is in a class of rows that look alike (a published group, or its
rows with equal cells) learns the common value of the class. Under `published` and `pseudonym` every class is judged. If
the adversary knows people, the attacks on people judge their values; here the rows of strangers are judged (people who
are not in the register or key). **Claim.** A class whose rows all have one sensitive value discloses it, unless all its
people are known to be in no other class, so that attacks on people find them. A class that may contain strangers, and
in which the share of a value is at least the policy's `max_risk`, discloses it with that probability. The same holds
for a class whose rows all have close numbers, or in which such a share of numbers is close to one of them. **Why it is
sound.** The value is counted in the published rows. **What it is not.** A small share does not limit what several
releases disclose together: to judge that, a key, a register or record ids are needed.

Source: A. Machanavajjhala, D. Kifer, J. Gehrke, M. Venkitasubramaniam, "l-Diversity", 2007, Section 2 (homogeneity
attack). Cost: one sort of each release's values.

Linked classes: classes of records that look alike over the releases, and which of them disclose a sensitive value.

An adversary who follows published record ids knows the intersection of each record's cells (`descriptions`), and reads
the record's value in each of its rows. Records with equal descriptions are a class. A person who fits the description
and is known to be in a release has the value of one of the records of the class that have a row there, and of those in
the same releases if it is known which these are. If values never change, a person in unknown releases has the value of
one of all its records. Classes are formed after every release, because a class may be larger later.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from attacks.descriptions import RecordDescriptions, equal_rows
from audit.findings.close_numbers import CloseClasses, KnownNearly, SimilarClasses, joined, nearly
from audit.findings.rows import HomogeneousClass, HomogeneousClasses
from audit.model.arrays import Codes, Counts, Flags, Floats, Places, flagged
from audit.model.evidence import (
    Evidence,
    PeopleSource,
    PublishedClasses,
    RecordSource,
    RowSource,
    all_listed_reason,
    known_rows_reason,
)
from audit.model.finding import Claims, FindingRule
from audit.model.measures import ABSENT, Absent, Measures
from audit.model.nearness import Nearness
from audit.model.outcome import BELOW_ONE, Outcome, PolicyOptions
from audit.runtime.budget import Budget
from audit.runtime.phrases import Noun, Phrase, Reason, ReasonKind, say

_BELOW, _NONE = 1e-12, np.zeros(0, dtype=np.int32)


class LikeliestValues(NamedTuple):
    """The likeliest value of each class that has rows; among equally likely ones that with the least code.

    If close numbers count as one, it is instead the set of numbers close to one of them that most rows have. All arrays
    have shape (classes,).

    Attributes:
        number: the number of the class, ascending.
        lower, upper: the code of the value twice, or the codes of the least and the largest of the close numbers.
        rows, with_value: how many rows the class has, and how many of them have the value, or one of the numbers.
        certain: whether all rows have the value, or numbers that are all close to each other.
        more: whether the numbers are more frequent than each single value; true for plain values.
    """

    number: Counts
    lower: Codes
    upper: Codes
    rows: Counts
    with_value: Counts
    certain: Flags
    more: Flags

    @property
    def share(self) -> Floats:
        """The share of the rows; only a certain value has share 1."""
        return shares(self.with_value, self.rows, self.certain)

    def some(self, chosen: Flags | Places) -> LikeliestValues:
        """Return the values of some classes."""
        return LikeliestValues._make(column[chosen] for column in self)

    def reached(self, limit: float, *, strangers: bool) -> Flags:
        """Return which values are disclosed: certain ones and, if `strangers`, those whose share is at the limit."""
        likely = (self.share >= limit - _BELOW) & strangers & (limit < 1)
        return self.more & (self.certain | likely)


def shares(with_value: npt.NDArray[np.integer], rows: npt.NDArray[np.integer], certain: Flags) -> Floats:
    """Return the share of the rows with a value; only a certain value has share 1."""
    return np.where(certain, 1.0, np.minimum(with_value / np.maximum(rows, 1), BELOW_ONE))


def likeliest_values(
    classes: Codes, value: Codes, rows: Counts | None = None, near: Nearness | None = None
) -> LikeliestValues:
    """Return the likeliest value of each class.

    Args:
        classes: the class of each entry; shape (entries,).
        value: the code of its value; shape (entries,).
        rows: how many equal rows it stands for; None for one each.
        near: which numbers are close, if close numbers count as one.
    """
    values = int(value.max(initial=-1)) + 1
    pairs, place = np.unique(classes.astype(np.int64) * values + value, return_inverse=True)
    count = np.zeros(len(pairs), dtype=np.int64)
    np.add.at(count, place, 1 if rows is None else rows)
    owner = pairs // max(values, 1)
    code = (pairs % max(values, 1)).astype(np.int32)
    alone = count if near is None else np.where(near.rank[code] >= 0, count, 0)  # what is no number is not asked for
    within = count if near is None else np.where(alone > 0, near.windows(owner, code, count).within, 0)
    order = np.lexsort((pairs, -within, owner))
    best = order[np.flatnonzero(np.diff(owner[order], prepend=-1))]
    start = np.flatnonzero(np.diff(owner, prepend=-1))
    total = np.add.reduceat(count, start)
    if near is None or not len(best):
        every = np.ones(len(best), dtype=np.bool_)
        return LikeliestValues(owner[best], code[best], code[best], total, within[best], within[best] == total, every)
    _, low, high = (column[best] for column in near.windows(owner, code, count))
    certain = near.together(low, high) & (within[best] == total)
    more = within[best] > np.maximum.reduceat(alone, start)
    lower, upper = (np.append(near.code, np.int32(0))[each] for each in (low, high))  # no number has the rank -1
    return LikeliestValues(owner[best], lower, upper, total, within[best], certain, more)


class _Members:
    """Records with their values, of one release or of all releases; arrays have shape (members,).

    Attributes:
        release: the release; None for all releases.
        record: the record code of each.
        value: its value.
        given: the largest share of a value in a reported class of the record, 0 if none was reported.
    """

    def __init__(self, release: int | None, record: Codes, value: Codes, given: Floats) -> None:
        self.release, self.record, self.value, self.given = release, record, value, given


@dataclass(frozen=True)
class LinkedClasses:
    """The classes of linked records that disclose a value with a larger share than single releases do.

    Classes are sorted by the first release after which they disclose it (`after`).

    Attributes:
        below: the largest share of a value in any other class; None if there is none.
        source: the source of the records.
        release, lower, upper, rows, with_value, record, after: as in `CloseNumbers`; shape (classes,).
        there: whether only records with a row in the release are counted, as in `CloseNumbers`; 0 or 1.
        together: whether only records in the same releases as the record are counted; 0 or 1.
        certain: whether all rows have such a value; 0 or 1.
        seen, row: the last release and row of the record; shape (classes,).
    """

    below: float | None
    source: RecordSource
    release: Codes
    lower: Codes
    upper: Codes
    rows: Codes
    with_value: Codes
    certain: Codes
    record: Codes
    after: Codes
    there: Codes
    together: Codes
    seen: Codes
    row: Codes

    @property
    def risk(self) -> Floats:
        """The share of the value in each class."""
        return shares(self.with_value, self.rows, self.certain > 0)

    def group(self, at: int) -> str:
        """Return the last group of the first record of a class."""
        return self.source.groups(int(self.seen[at]), self.row[at : at + 1].astype(np.intp))[0]


def linked_classes(
    evidence: Evidence, limit: float, reported: Sequence[Floats], near: Nearness | None, *, strangers: bool
) -> LinkedClasses | Reason:
    """Return the classes of linked records in which the share of the likeliest value is at least the limit.

    Return why they are not judged if values are published separately from rows, or change although they must not.

    Args:
        evidence: the series, with record ids.
        limit: the share.
        reported: for each release, the share that is reported for the class of each row, 0 if it is no finding.
        near: which numbers are close, if close numbers count as one.
        strangers: whether shares below 1 count as disclosure, because the people of some rows are unknown.

    Raises:
        InputError: the cells of a record have nothing in common.
        TypeError: the evidence has no record ids.
    """
    records, source = evidence.records, evidence.rows_of
    if records is None or source is None:
        raise TypeError("this evidence has no record ids")
    following = _Following(evidence, records, source, limit, near, len(reported), strangers)
    for release, given in enumerate(reported):
        if (reason := following.add(release, given)) is not None:
            return reason
    return following.found()


@dataclass
class _Following:
    """Records followed release by release."""

    evidence: Evidence
    records: RecordSource
    source: RowSource
    limit: float
    near: Nearness | None
    releases: int
    strangers: bool

    def __post_init__(self) -> None:
        self._known = RecordDescriptions(self.records, self.releases)
        size = len(self._known.seen)
        self._judged = np.zeros(size, dtype=np.bool_)
        # The release and the row in which each record was seen last, and values that never change.
        self._seen, self._row, self._value = (np.full(size, -1, dtype=np.int32) for _ in range(3))
        self._releases = np.zeros(size, dtype=np.int32)  # a number for the releases that each record is in
        self._given = np.zeros(size)
        self._each: list[_Members] = []
        self._below: float | None = None
        self._found: list[dict[str, npt.NDArray[Any]]] = []

    def found(self) -> LinkedClasses:
        """Return what was found so far."""
        names = [each.name for each in fields(LinkedClasses)][2:]
        columns = {name: np.concatenate([_NONE, *(each[name] for each in self._found)]) for name in names}
        return LinkedClasses(
            self._below, self.records, **{name: each.astype(np.int32) for name, each in columns.items()}
        )

    def add(self, release: int, given: Floats) -> Reason | None:
        """Add a release, and return why its records cannot be judged, or None if they can."""
        rows, value = self.records.rows(release), self.source.rows(release).value
        if value is None:
            why = say(
                "records that look alike over the releases are not judged where values are published apart from their "
                "rows, or a row counts several people"
            )
            return Reason(why, ReasonKind.UNFIT)
        record = rows.record
        self._known.add(rows, release)
        # The latest release of a record decides whether it may be a stranger's.
        self._judged[record] = True if rows.judged is None else rows.judged
        self._seen[record], self._row[record] = release, np.arange(len(record), dtype=np.int32)
        self._releases = equal_rows([self._releases, flagged(record, len(self._releases)).astype(np.int32)])[1]
        self._each.append(_Members(release, record, value, given.copy()))
        to_judge = self._each
        if self.evidence.transitions is None:
            if ((self._value[record] >= 0) & (self._value[record] != value)).any():
                why = say(
                    "records that look alike over the releases are not judged, as values of records change and the "
                    'manifest does not say so: write transitions = "any" under [adversary] if they may change'
                )
                return Reason(why, ReasonKind.CONTRADICTION)
            self._value[record] = value
            self._given[record] = np.maximum(self._given[record], given)
            seen = np.flatnonzero(self._known.seen).astype(np.int32)
            to_judge = [_Members(None, seen, self._value[seen], self._given[seen]), *self._each]
        if release:  # one release by itself is judged by its own classes
            classes = self._known.classes()
            for members in to_judge:
                self._look(members, classes, release)
            in_same_releases = equal_rows([classes + 1, self._releases])[1]
            for members in to_judge if self.evidence.transitions is not None else to_judge[:1]:
                self._look(members, in_same_releases, release, together=True)
        return None

    def _look(self, members: _Members, classes: Codes, after: int, *, together: bool = False) -> None:
        """Store the classes that disclose a value after a release with a larger share than reported before."""
        if self.evidence.transitions is None:  # what is told once is told for all releases
            members.given = self._given[members.record]
        number = classes[members.record]
        found = likeliest_values(number, members.value, near=self.near)
        size = int(classes.max(initial=-1)) + 1
        first = np.full(size, len(number), dtype=np.int64)
        np.minimum.at(first, number, np.arange(len(number)))
        least = np.ones(size)
        np.minimum.at(least, number, members.given)
        held = np.bincount(number[self._judged[members.record]], minlength=size) > 0
        share = found.share
        gives = held[found.number] & found.reached(self.limit, strangers=self.strangers)
        rest = share[held[found.number] & ~gives] if self.strangers else share[:0]
        self._below = max(self._below or 0.0, float(rest.max())) if len(rest) else self._below
        new = np.flatnonzero(gives & (least[found.number] < share))
        reported = np.zeros(size)
        reported[found.number[new]] = share[new]
        members.given = np.maximum(members.given, reported[number])
        if self.evidence.transitions is None:
            self._given[members.record] = members.given
        record = members.record[first[found.number[new]]]
        release: Codes | int = after if members.release is None else members.release
        if together and members.release is None:
            release = self._seen[record]
        some, every = found.some(new), np.ones(len(new), dtype=np.int32)
        columns = {
            "release": release * every,
            "lower": some.lower,
            "upper": some.upper,
            "rows": some.rows,
            "with_value": some.with_value,
            "certain": some.certain,
            "record": record,
            "after": after * every,
            "there": (together or members.release is not None) * every,
            "together": together * every,
            "seen": self._seen[record],
            "row": self._row[record],
        }
        self._found.append(columns)


K = TypeVar("K", bound=CloseClasses)
CLASSES = Noun("{count} [class|classes]")


@dataclass(frozen=True, eq=False, kw_only=True)
class HomogeneityMeasures(Measures):
    """How many classes of rows that look alike disclose a value.

    Attributes:
        classes: the number of classes of all releases.
        rows: the number of people that their rows stand for.
        homogeneous: the number of classes with one value.
        at_limit, rows_at_limit: the number of classes with one value, or with a share at the limit, and of their rows.
        linked: how many of them are classes of records that look alike over several releases; included in `classes`.
            Absent if no record ids link the releases.
    """

    classes: int
    rows: int
    homogeneous: int
    at_limit: int
    rows_at_limit: int
    linked: int | Absent = ABSENT

    counted: ClassVar[tuple[str, str] | None] = ("classes", "at_limit")
    subjects_label: ClassVar[Noun | str] = CLASSES
    timeline_label: ClassVar[Phrase | str] = Phrase("classes at the limit")
    remedy: ClassVar[Phrase | str] = Phrase(
        "Merge each group whose rows all have one value with another group, or withhold its rows."
    )

    def found_in_words(self, *, at_least: bool) -> str:
        """Return how many classes disclose a value."""
        del at_least  # the attack is always complete
        whole = CLASSES.counted(self.classes)
        if self.classes == self.linked:  # attacks on people judge the classes of single releases
            return say("{classes} of records that look alike over several releases", classes=whole)
        if self.at_limit:
            return say("{found} of {classes} of rows that look alike", found=self.at_limit, classes=whole)
        return say("none of {classes} of rows that look alike", classes=whole)

    def accusation(self, value: str, *, at_least: bool) -> str:
        """Return how many classes disclose the value, and who learns it."""
        found = self.found_in_words(at_least=at_least)
        return say(
            "{value} is disclosed in {found}, to anyone who knows that a person is in one of them",
            found=found,
            value=value,
        )


@dataclass(frozen=True)
class HomogeneityAttack(PolicyOptions):
    """Find classes of rows that look alike and disclose a value.

    Attributes:
        max_risk: the policy's limit of the share of a value.
        closeness: the policy's limit of how far two numbers that count as close may differ, as a share.
    """

    max_risk: float = 1.0
    closeness: float = 0.0
    name: ClassVar[str] = "homogeneity"
    measures: ClassVar[type[HomogeneityMeasures]] = HomogeneityMeasures
    decides: ClassVar[frozenset[str]] = frozenset({"max_risk", "closeness"})
    follows_records: ClassVar[bool] = True
    rules: ClassVar[Mapping[str, FindingRule]] = {
        "group": FindingRule(
            "Too many rows that look alike have one sensitive value.",
            "Merge their group with others, or withhold rows, so that more values are as frequent (l-diversity).",
        )
    }

    def run(self, evidence: Evidence, _budget: Budget, /) -> Outcome:
        """Count the values of each class of each release; the attack is always complete."""
        source = evidence.published
        seen = [] if source is None else [source.published(position) for position in range(len(evidence.tags))]
        # Where values change, attacks on people follow no record.
        follows = evidence.transitions is not None and self._links(evidence)
        skipped = None if follows else known_rows_reason(evidence)
        if source is None or skipped is not None:
            return Outcome.skipped(self.name, skipped or all_listed_reason())
        claimed, reason = self._judged(evidence, source, seen, None)
        if evidence.known and any(each.strangers for each in seen):
            known = say(
                "known values of some people in a class may disclose those of others; also audit without `known`"
            )
            reason = Reason(known)
        outcome = Outcome.judged(self.name, reason, claimed.measures(), claimed.claims())
        found: dict[str, Claims] = {}
        if numbers := evidence.numbers.get(evidence.sensitive):
            near = numbers.near(self.closeness)
            claimed, _ = self._judged(evidence, source, seen, near)
            found["closeness"] = claimed.close(CloseClasses, near, self.closeness)
        similar = []
        for category, values in evidence.categories.get(evidence.sensitive, {}).items():
            near = values.near(0.0)
            claimed, _ = self._judged(evidence, source, seen, near)
            similar.append(claimed.close(SimilarClasses, near, 0.0, category))
        if similar:
            found["similar"] = joined(similar)
        return replace(outcome, near=found)

    def _judged(
        self, evidence: Evidence, source: PeopleSource, seen: Sequence[PublishedClasses], near: Nearness | None
    ) -> tuple[_Claimed, Reason | None]:
        """Return the classes that disclose a value, or close numbers, and why some cannot be judged."""
        strangers = any(each.strangers for each in seen)
        found: list[tuple[npt.NDArray[Any], ...]] = []
        shown: list[Floats] = []
        for position, classes in enumerate(seen):
            every = likeliest_values(*classes.contents, near)
            high = every.reached(self.max_risk, strangers=classes.strangers)
            share = np.zeros(len(classes.group))
            share[every.number[high]] = every.share[high]
            shown.append(share[classes.place])
            judged = classes.judged[every.number]
            every, high = every.some(judged), high[judged]
            kept = ~high
            kept[high] = ~source.accounted(position, every.number[high])
            every, high = every.some(kept), high[kept]
            alike = np.full(len(high), position, dtype=np.int32), np.full(len(high), classes.strangers)
            found.append((*alike, high, *every))
        linked, reason = self._linked(evidence, shown, near, strangers=strangers)
        release, of_strangers, high, *values = map(np.concatenate, zip(*found, strict=True))
        every, rest = LikeliestValues(*values), of_strangers & ~high
        groups = [classes.group for classes in seen]
        return _Claimed(source, groups, (release, np.flatnonzero(high), every), every.share[rest], linked), reason

    def _links(self, evidence: Evidence) -> bool:
        """Return whether records can be judged that look alike over several releases."""
        return evidence.records is not None and bool(evidence.records.attributes) and len(evidence.tags) > 1

    def _linked(
        self, evidence: Evidence, shown: Sequence[Floats], near: Nearness | None, *, strangers: bool
    ) -> tuple[LinkedClasses | None, Reason | None]:
        """Return the classes of linked records that disclose a value, or why they are not judged; None without any."""
        if not self._links(evidence):
            return None, None
        shares = strangers or evidence.transitions is not None  # where values change, all records are judged
        linked = linked_classes(evidence, self.max_risk, shown, near, strangers=shares)
        return (None, linked) if isinstance(linked, Reason) else (linked, None)


class _Claimed:
    """The classes that disclose a value: of single releases, and of linked records.

    Attributes:
        groups: the group of each class, by release.
        release, values: the release of each class that may hold a person, and its likeliest value.
        places: which of them give a value away.
    """

    def __init__(
        self,
        source: PeopleSource,
        groups: Sequence[Codes],
        found: tuple[Codes, Places, LikeliestValues],
        below: Floats,
        linked: LinkedClasses | None,
    ) -> None:
        self._source, self.groups, self._linked = source, groups, linked
        self.release, self.places, self.values = found
        shares = [*below, *([] if linked is None or linked.below is None else [linked.below])]
        self._below = float(max(shares)) if shares else None
        chosen = self.values.some(self.places)
        own = self.release[self.places], chosen.lower, chosen.upper, chosen.share, chosen.rows, chosen.with_value
        names = ("release", "lower", "upper", "risk", "rows", "with_value")
        self._columns: dict[str, npt.NDArray[Any]] = dict(zip(names, own, strict=True))
        if linked is not None:
            for name, column in self._columns.items():
                self._columns[name] = np.concatenate([column, getattr(linked, name)])

    def claims(self) -> HomogeneousClasses:
        """Return the claims."""
        rows, total = self.values.rows, int(self.values.rows.sum())
        mean = float((self.values.share * rows).sum() / total) if total else None

        def built(chosen: Places) -> list[HomogeneousClass[int]]:
            return [HomogeneousClass(value=int(self._columns["lower"][at]), **self._said(at)) for at in chosen.tolist()]

        return HomogeneousClasses(self._columns["release"], self._columns["risk"], self._below, mean, built)

    def close(self, kind: type[K], near: Nearness, share: float, category: str | None = None) -> K:
        """Return the claims if close numbers count as one; `share` is how far they may differ."""
        release, lower, upper, risk, *_ = self._columns.values()
        ends = [(near.number[near.rank[a]], near.upper[near.rank[b]]) for a, b in zip(lower, upper, strict=True)]
        pairs = np.array(ends, dtype=object).reshape(-1, 2)

        def built(chosen: Places) -> list[KnownNearly[int]]:
            said = [(int(lower[at]), int(upper[at]), self._said(at)) for at in chosen.tolist()]
            return [nearly(category)(lower=a, upper=b, category=category, **rest) for a, b, rest in said]

        every = np.full(len(risk), category, dtype=object)
        return kind(release, lower, upper, risk, pairs, np.arange(len(risk)), share, every, built)

    def _said(self, at: int) -> dict[str, Any]:
        """Return what is claimed about one class, without the values."""
        fields = {name: self._columns[name][at].item() for name in ("release", "risk", "rows", "with_value")}
        linked, place = self._linked, at - len(self.places)
        if linked is not None and place >= 0:
            record, after = int(linked.record[place]), int(linked.after[place])
            fields |= {"record": record, "after": after, "group": linked.group(place), "number": 0}
            return fields | {"there": bool(linked.there[place]), "together": bool(linked.together[place])}
        place, group = self.values.number[self.places[at]], self.groups[fields["release"]]
        name = self._source.published_names(fields["release"], group[place : place + 1])[0]
        return fields | {"group": name, "number": int(place - np.searchsorted(group, group[place]))}

    def measures(self) -> HomogeneityMeasures:
        """Return the number of classes, and of those that disclose a value; of linked records only the latter."""
        every, high, none = self.values, self.places, np.zeros(0, dtype=np.int64)
        after, rows, risk = (
            (none, none, none)
            if self._linked is None
            else (self._linked.after.astype(np.int64), self._linked.rows, self._linked.risk)
        )
        until = np.cumsum(np.bincount(np.concatenate([self.release[high], after]), minlength=len(self.groups)))
        return HomogeneityMeasures(
            classes=len(every.rows) + len(rows),
            rows=int(every.rows.sum()),
            homogeneous=int(np.count_nonzero(every.share == 1)) + int(np.count_nonzero(risk == 1)),
            at_limit=len(high) + len(rows),
            rows_at_limit=int(every.rows[high].sum()) + int(rows.sum()),
            linked=ABSENT if self._linked is None else len(rows),
            timeline=until.tolist(),
        )
