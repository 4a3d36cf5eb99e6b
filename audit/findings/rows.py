"""Rows: classes that look alike and share a value, records in too small a class, and rows that can be a person's."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, ClassVar, Generic, Literal, NamedTuple, TypeAlias

import numpy as np

from audit.findings.wording import ROWS, described, listing, shown_value
from audit.model.arrays import Codes, Counts, Flags, Floats, Places
from audit.model.finding import (
    BY_CHECK,
    CELLS,
    RECORD,
    RECORD_CELLS,
    RELEASE,
    VALUE,
    VALUES,
    C,
    Finding,
    Identifiers,
    KnownReleases,
    Located,
    Place,
    Presence,
    RiskSize,
    RowClaims,
    Size,
)
from audit.model.json_types import OMITTED, UNWRITTEN, Counted, Items, Omittable, Probability
from audit.runtime.phrases import Phrase, figure, printable, say, say_count


class ClassFinding(Finding[C]):
    """A finding about rows that look alike in one release, or about linked records that do over several.

    Attributes:
        release, group: the release, and the group of the class; of linked records, the last group of the first one.
        risk: the share of the rows that the finding is about.
        rows: the number of people that the rows stand for.
        record: code of the first of the records; -1 for rows of one release.
        there: whether only linked records with a row in the release are counted.
        together: whether, of those, only records count that are in the same releases as the first one.
        after: the last release over which the linked records look alike; None if one release shows the class.
    """

    release: Annotated[C, RELEASE]
    group: str | None
    risk: Probability
    rows: Annotated[Counted | None, OMITTED]
    record: int
    there: bool
    together: bool
    after: Annotated[C | None, RELEASE]

    def of_rows(self: ClassFinding[str], value: str, share: str) -> str:
        """Return which share of the rows, or of the linked records, has a value."""
        about: dict[str, object] = {"release": printable(self.release), "group": printable(self.group or "")}
        about |= {"value": value, "share": share, "rows": self.rows or 0}
        if self.after is not None:
            return self._of_linked(about | {"after": printable(self.after)}, alone=(self.rows or 0) <= 1)
        if (self.rows or 0) <= 1:
            return say("release {release}, group {group}: a row that looks like no other has {value}", **about)
        if self.risk == 1:
            return say("release {release}, group {group}: all {rows} rows that look alike have {value}", **about)
        return say(
            "release {release}, group {group}: {share} of {rows} rows that look alike have {value}",
            **about,
        )

    def _of_linked(self, about: Mapping[str, object], *, alone: bool) -> str:
        """Return the value of linked records that look alike over several releases; `alone` means one record."""
        if self.together and alone:
            return say(
                "release {release}: one of its records, which looks like no other that is in the same releases "
                "up to {after} (last in group {group}), has {value}",
                **about,
            )
        if self.together:
            return say(
                "release {release}: {share} of {rows} of its records that look alike and are in the same "
                "releases up to {after} (one of them last in group {group}) have {value}",
                **about,
            )
        if self.there and alone:
            return say(
                "release {release}: one of its records, which looks like no other of them over the releases up to "
                "{after} (last in group {group}), has {value}",
                **about,
            )
        if self.there:
            return say(
                "release {release}: {share} of {rows} of its records that look alike over the releases up to {after} "
                "(one of them last in group {group}) have {value}",
                **about,
            )
        if alone:
            return say(
                "release {release}: a record that looks like no other over the releases up to {after} (last in group "
                "{group}) has {value}",
                **about,
            )
        return say(
            "release {release}: {share} of {rows} records that look alike over the releases up to {after} (one of "
            "them last in group {group}) have {value}",
            **about,
        )

    def exceeds(self, limits: Mapping[str, float]) -> bool:
        """Return whether the share, or the probability, reaches `max_risk`."""
        return self.risk >= limits.get("max_risk", 1.0)

    def linked(self) -> tuple[int, C | None] | None:
        """Return the first of the linked records, and the last release over which they look alike."""
        return (self.record, self.after) if self.record >= 0 else None


@dataclass(frozen=True)
class HomogeneousClass(ClassFinding[C]):
    """A class of rows that look alike in one release, and a value that has too large a share of them.

    The class may also consist of linked records that look alike over several releases.

    Attributes:
        kind: which sort of finding.
        release: the release; of linked records of all releases, whose values never change, the last one of those.
        group: the published group, or its number by order of appearance.
        number: the number of the class in its group, counted from 0; 0 for linked records.
        value: the value.
        risk: the value's share of the rows.
        rows: the number of people that the rows stand for.
        with_value: the number of them with the value.
        record: code of the first of the records; -1 for rows of one release.
        there: whether only linked records with a row in the release are counted; else all, each of which has one value.
        together: whether, of those, only records count that are in the same releases as the first one.
        after: the last release over which the linked records look alike; absent if one release shows the class. With
            `after`, the group is the last group of the first record.
        located: the files and lines of the group; only when people are revealed.
    """

    kind: ClassVar[Literal["group"]] = "group"
    release: Annotated[C, RELEASE]
    group: str
    number: Annotated[int, UNWRITTEN]
    value: Annotated[C, VALUE]
    risk: Probability
    rows: Counted
    with_value: Annotated[int, UNWRITTEN]
    record: Annotated[int, UNWRITTEN] = -1
    there: Annotated[bool, UNWRITTEN] = False
    together: Annotated[bool, UNWRITTEN] = False
    after: Annotated[Omittable[C], RELEASE] = None
    located: Located = field(default=(), kw_only=True)

    def sentence(self: HomogeneousClass[str], *, by_version: bool) -> str:
        """Return a sentence about the value of the rows."""
        return self.of_rows(shown_value(self.value), figure(self.risk, ".1%"))

    def places(self) -> Iterator[Place[C]]:
        """Yield the group."""
        yield self.release, self.group

    @property
    def extent(self) -> int:
        """The number of people that the rows stand for."""
        return self.rows

    def follows_from(self: HomogeneousClass[int], source: Presence, last: int) -> KnownReleases:
        """Return the group; for linked records, whose group may be one of an earlier release, all releases."""
        if self.record >= 0:
            return KnownReleases(tuple(range(last)), False, ())
        return KnownReleases((), False, super().follows_from(source, last).groups)


class ClassClaims(RowClaims):
    """Claims about classes of rows, or of linked records."""

    counts_rows: ClassVar[bool] = True

    def groups(self) -> Sequence[Place[int]]:
        """Return the release and group of each claim; a claim about linked records is about none."""
        claims = self.certify(self.everything())
        return [(each.release, each.group or "") if each.record < 0 else (-1, "") for each in claims]


@dataclass(frozen=True)
class HomogeneousClasses(ClassClaims):
    """All classes of one outcome in which a value has too large a share, as columns.

    Attributes:
        release: counted from 0; shape (claims,), int32.
        risk: the share; shape (claims,), float64.
        below: the largest share of a value in any other class; None if there is no other class.
        mean: the mean over rows of the largest share in their class; None without rows.
        certify: returns the findings at some indices.
    """

    checked_by: ClassVar[str] = "audit.judgement.check_record.check_classes"
    release: Codes
    risk: Floats
    below: float | None
    mean: float | None
    certify: Callable[[Places], list[HomogeneousClass[int]]]

    @property
    def severity(self) -> Floats:
        """The rank of the claims: the share of the value."""
        return self.risk

    def identities(self, places: Places, names: Identifiers) -> Iterator[tuple[str, ...]]:
        """Yield release, group, class and value, and the counts."""
        tags, values = names.evidence.tags, names.evidence.values
        for f in self.certify(places):
            said = ("group", tags[f.release], f.group, str(f.number), values[f.value], str(f.with_value), str(f.rows))
            if f.after is None:
                yield said
            else:
                yield (*said, names.record_identifier(f.record), tags[f.after])

    def mean_risk(self) -> float | None:
        """Return the mean over rows of the largest share in their class."""
        return self.mean

    def highest_risk(self, waived: Places) -> float | None:
        """Return the largest share of a value in a class."""
        left = np.delete(self.risk, waived)
        return float(left.max()) if len(left) else self.below

    def values(self) -> Codes:
        """Return the value of each claim."""
        return np.array([each.value for each in self.certify(self.everything())], dtype=np.int32)


Cause: TypeAlias = Literal["group change", "subgroup expanding", "widow", "small group"]
_CAUSES = {
    "group change": Phrase("group change"),
    "subgroup expanding": Phrase("subgroup expanding"),
    "widow": Phrase("widow"),
    "small group": Phrase("small group"),
}


@dataclass(frozen=True)
class RecordStep(Generic[C]):
    """A record's row in one release.

    Attributes:
        release: the release.
        group: its group.
        size: the number of rows with equal cells, without counterfeits in the key.
        cells: when revealed, its cells, by quasi-identifier.
    """

    release: Annotated[C, RELEASE]
    group: str
    size: Counted
    cells: Annotated[Omittable[Mapping[C, C]], RECORD_CELLS]


@dataclass(frozen=True)
class Narrowed(Finding[C]):
    """A record shares its inferred description with too few records.

    Attributes:
        kind: which sort of finding.
        record: the record; a pseudonym unless revealed.
        release: the first release after which too few records shared it.
        class_size: the number of records in its class.
        risk: one over the size of the class: the probability that a random member of the class is the right one.
        cause: how it came about (monotonic paper, Section 4.1).
        description: when revealed, the intersection of its cells, by quasi-identifier.
        certificate: the record's rows, in order of release.
        evidence: `proof`: the certificate was checked again.
    """

    kind: ClassVar[Literal["narrowed"]] = "narrowed"
    record: Annotated[C, RECORD]
    release: Annotated[C, RELEASE]
    class_size: Counted
    risk: Probability
    cause: Cause
    description: Annotated[Omittable[Mapping[C, C]], RECORD_CELLS]
    certificate: Annotated[tuple[RecordStep[C], ...], Items(1)]
    evidence: Literal["proof"] = "proof"

    def sentence(self: Narrowed[str], *, by_version: bool) -> str:
        """Return a sentence about the number of records that share the description."""
        return say(
            "{record}: only {left} in its class after release {release} ({cause})",
            record=printable(self.record),
            left=self.class_size,
            release=printable(self.release),
            cause=_CAUSES[self.cause],
        )

    def steps(self: Narrowed[str]) -> Iterator[str]:
        """Yield the record's rows."""
        if self.description is not None:
            yield say("known about it: {cells}", cells=described(self.description))
        for step in self.certificate:
            line = say_count(
                "release {release}, group {group}: {count} [record|records] with equal cells",
                step.size,
                release=printable(step.release),
                group=printable(step.group),
            )
            yield line if step.cells is None else say("{name}: {text}", name=line, text=described(step.cells))

    def places(self) -> Iterator[Place[C]]:
        """Yield the groups of the record's rows."""
        yield from ((step.release, step.group) for step in self.certificate)

    def exceeds(self, limits: Mapping[str, float]) -> bool:
        """Return whether the class has fewer records than `k`."""
        return self.class_size < limits.get("k", 2)

    @property
    def subject(self: Narrowed[str]) -> str:
        """The record."""
        return self.record

    @property
    def extent(self) -> int:
        """The number of records in its class."""
        return self.class_size

    def records(self: Narrowed[int]) -> Sequence[int]:
        """Return the record."""
        return (self.record,)


@dataclass(frozen=True)
class NarrowedRecords(RowClaims):
    """All records of one outcome whose classes were too small once, as columns; findings are built on demand.

    Attributes:
        k: the smallest allowed number of records in a class.
        record: codes; shape (claims,), int32.
        release: the first release after which a class was too small, counted from 0; shape (claims,), int32.
        class_size: its size then; shape (claims,), int32.
        smallest: the record's smallest class after any release; shape (claims,), int32.
        certify: returns the findings at some indices, with their certificates.
    """

    checked_by: ClassVar[str] = "audit.judgement.check_record.check_records"
    k: int
    record: Codes
    release: Codes
    class_size: Codes
    smallest: Codes
    certify: Callable[[Places], list[Narrowed[int]]]

    @property
    def severity(self) -> Floats:
        """The rank of the claims: the probability that a random member of the class is the right one."""
        return 1 / self.class_size

    def sizes(self) -> Sequence[Size]:
        """Return the risk of each record's smallest class."""
        return list(map(RiskSize, (1.0 / self.smallest).tolist()))

    def identities(self, places: Places, names: Identifiers) -> Iterator[tuple[str, ...]]:
        """Yield record, release and smallest class: accepting a class of three does not accept a class of one."""
        for record, release, smallest in self.read(places, "record", "release", "smallest"):
            yield "narrowed", names.record_identifier(record), names.evidence.tags[release], str(smallest)

    def smallest_class(self, waived: Places) -> int | None:
        """Return the fewest records of a class."""
        left = np.delete(self.smallest, waived)
        return int(left.min()) if len(left) else None


class RowKind(NamedTuple):
    """Rows of a release with equal cells and equal values: the cells as numbers, and the value's code."""

    cells: tuple[int, ...]
    value: int


@dataclass(frozen=True)
class Filling(Generic[C]):
    """Rows of a release whose people can only have some rows of the next release, of which there are as many.

    So no one else has these rows of the next release: neither people of other rows nor new people (Hall's theorem).

    Attributes:
        release: the release.
        next_release: the next one.
        kinds: all of the release's rows of these kinds.
        fill: all of the next release's rows of these kinds.
        rows: the number of rows.
        groups: their groups.
        values: their values.
        next_groups: the groups of the rows that they fill.
        next_values: the values of these.
    """

    release: Annotated[C, RELEASE]
    next_release: Annotated[C, RELEASE]
    kinds: Annotated[frozenset[RowKind], UNWRITTEN]
    fill: Annotated[frozenset[RowKind], UNWRITTEN]
    rows: Annotated[Counted, BY_CHECK] = 0
    groups: Annotated[tuple[str, ...], BY_CHECK] = ()
    values: Annotated[tuple[C, ...], VALUES, BY_CHECK] = ()
    next_groups: Annotated[tuple[str, ...], BY_CHECK] = ()
    next_values: Annotated[tuple[C, ...], VALUES, BY_CHECK] = ()


@dataclass(frozen=True)
class Linkage(Finding[C]):
    """Few rows can belong to a person whose quasi-identifiers and first release are known.

    Attributes:
        kind: which sort of finding.
        point: when revealed, the quasi-identifiers.
        first: the first release with the record.
        release: the release.
        rows: the number of possible rows.
        groups: their groups.
        value: the value of all these rows, if it is the same.
        risk: the probability of a right guess: of the value if it is certain, otherwise of the row.
        certificate: what rules out other rows, one after the other.
        evidence: `proof`: the certificate was checked again. `solver`: only a solver shows it.
        located: the files and lines of the groups; only when people are revealed.
    """

    kind: ClassVar[Literal["linkage"]] = "linkage"
    point: Annotated[Omittable[Mapping[C, C]], CELLS]
    first: Annotated[C, RELEASE]
    release: Annotated[C, RELEASE]
    rows: Counted
    groups: tuple[str, ...]
    value: Annotated[Omittable[C], VALUE]
    risk: Probability
    certificate: tuple[Filling[C], ...]
    evidence: Literal["proof", "solver"] = "proof"
    located: Located = field(default=(), kw_only=True)

    def sentence(self: Linkage[str], *, by_version: bool) -> str:
        """Return a sentence about the rows that can belong to the person."""
        left = say_count(
            "{rows} of release {release}, [group|groups] {groups}",
            len(self.groups),
            rows=ROWS.counted(self.rows),
            release=printable(self.release),
            groups=listing(self.groups),
        )
        first = printable(self.first)
        if self.point is None:
            said = say("a person who is new in release {first} can only have {left}", first=first, left=left)
        else:
            said = say(
                "a person with {cells} who is new in release {first} can only have {left}",
                cells=described(self.point),
                first=first,
                left=left,
            )
        return said if self.value is None else say("{told}, and has {value}", told=said, value=shown_value(self.value))

    def steps(self: Linkage[str]) -> Iterator[str]:
        """Yield what rules out other rows."""
        if self.evidence != "proof":
            yield say("other rows are ruled out by a solver")
        for step in self.certificate:
            yield say_count(
                "release {release}: the {count} [row|rows] with {values} in groups {groups} [takes|take] up all rows "
                "with {next_values} in groups {next_groups} of release {next_release}",
                step.rows,
                release=printable(step.release),
                values=listing(step.values),
                groups=listing(step.groups),
                next_values=listing(step.next_values),
                next_groups=listing(step.next_groups),
                next_release=printable(step.next_release),
            )

    def places(self) -> Iterator[Place[C]]:
        """Yield the groups of the possible rows, and those of the certificate."""
        yield from ((self.release, group) for group in self.groups)
        yield from ((step.release, group) for step in self.certificate for group in step.groups)

    @property
    def extent(self) -> int:
        """The number of possible rows."""
        return self.rows

    @property
    def releases(self) -> tuple[C, ...]:
        """The release of the possible rows."""
        return (self.release,)

    def follows_from(self: Linkage[int], source: Presence, last: int) -> KnownReleases:
        """Return all releases, and the groups of the possible rows if these are in the last release."""
        return KnownReleases(tuple(range(last)), False, self.groups if self.release == last else ())


@dataclass(frozen=True)
class Linkages(RowClaims):
    """All linkages of one outcome, as columns; findings are built on demand.

    Attributes:
        rows: the number of possible rows; shape (claims,), int64.
        release: the release of the rows; shape (claims,), int32.
        certain: whether all of them have one value; shape (claims,).
        certify: returns the findings at some indices.
    """

    checked_by: ClassVar[str] = "audit.judgement.check_linkage.check_linkages"
    rows: Counts
    release: Codes
    certain: Flags
    certify: Callable[[Places], list[Linkage[int]]]

    @property
    def severity(self) -> Floats:
        """The rank of the claims: the probability of a right guess, values before rows."""
        return np.where(self.certain, 2.0, 1.0) / np.where(self.certain, 1, self.rows)

    def identities(self, places: Places, names: Identifiers) -> Iterator[tuple[str, ...]]:
        """Yield the quasi-identifiers, both releases, and the possible rows."""
        tags, source = names.evidence.tags, names.evidence.rows_of
        for f in self.certify(places):
            point = () if source is None or f.point is None else (source.text(at, c) for at, c in f.point.items())
            yield ("linkage", *point, tags[f.first], tags[f.release], str(f.rows), str(f.value))

    def highest_risk(self, waived: Places) -> float | None:
        """Return 1 if any value is certain."""
        return 1.0 if np.delete(self.certain, waived).any() else None

    def harmless(self, codes: Sequence[int]) -> tuple[Linkages, Places]:
        """Return all claims, without certain harmless values: the number of possible rows is the same."""
        return replace(self, certain=self.certain & ~np.isin(self.values(), codes)), np.zeros(0, dtype=np.intp)

    def smallest_class(self, waived: Places) -> int | None:
        """Return the fewest possible rows of any person."""
        left = np.delete(self.rows, waived)
        return int(left.min()) if len(left) else None

    def values(self) -> Codes:
        """Return the value of each claim, -1 if the rows have several."""
        found = self.certify(self.everything())
        return np.array([-1 if each.value is None else each.value for each in found], dtype=np.int32)
