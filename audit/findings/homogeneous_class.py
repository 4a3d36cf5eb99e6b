"""Homogeneous classes: rows, or linked records, that look alike, and a value that has too large a share of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, ClassVar, Literal

import numpy as np

from audit.findings.wording import shown_value
from audit.model.arrays import Codes, Floats, Places
from audit.model.finding import (
    RELEASE,
    VALUE,
    C,
    Finding,
    Identifiers,
    KnownReleases,
    Located,
    Place,
    Presence,
    RowClaims,
)
from audit.model.json_types import OMITTED, UNWRITTEN, Counted, Omittable, Probability
from audit.runtime.phrases import figure, printable, say


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
