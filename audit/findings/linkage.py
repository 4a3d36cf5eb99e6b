"""Linkages: few rows can belong to a person whose quasi-identifiers and first release are known."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, ClassVar, Generic, Literal, NamedTuple

import numpy as np

from audit.findings.wording import ROWS, described, listing, shown_value
from audit.model.arrays import Codes, Counts, Flags, Floats, Places
from audit.model.finding import (
    BY_CHECK,
    CELLS,
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
    RowClaims,
)
from audit.model.json_types import UNWRITTEN, Counted, Omittable, Probability
from audit.runtime.phrases import printable, say, say_count


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
