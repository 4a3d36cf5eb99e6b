"""Principle: a promise that a series may make, its check of release after release, and the clauses that it breaks.

A check follows its principle's definition and shares no code with the anonymizers, whose output it checks, too. It
reads the rows of each group, and how often each sensitive value occurs in them. A plain table publishes values beside
cells. The rows of a group with equal cells, a row class, then publish their own values, because a person's cells fit
one row class only: `Release.by_class` makes each a group.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import Field, asdict, dataclass, field
from typing import Any, ClassVar, Literal, Protocol

import numpy as np

from audit.io.manifest import NAME
from audit.io.release_reading import read_release
from audit.io.releases import GroupContents, IdentifierEncoder, KeyedRelease
from audit.io.series import Series
from audit.model.anonymizer import Promise
from audit.model.arrays import Codes, Flags, Integers, Places
from audit.model.errors import UsageError
from audit.runtime.phrases import Phrase, printable, say, say_count

SHOWN = 5
_VALUES_SHOWN = 12

OTHER_VALUES = Phrase("people in a group of other values than before")

Use = Literal["ignored", "used", "required"]


@dataclass(frozen=True)
class PrincipleNeeds:
    """The parts of a series that a principle reads; `used` means: if the series has them.

    Attributes:
        cells: the cells of the quasi-identifiers.
        key: the person of each row.
        record: whether the published record id replaces a missing key.
    """

    cells: Use = "ignored"
    key: Use = "ignored"
    record: bool = False


@dataclass(frozen=True)
class PrincipleViolation:
    """A group, class or person that breaks a promise.

    Attributes:
        release: the tag of the release that breaks it.
        groups: the names of that release's groups in question; empty if no group shows the offence.
        row: the row of that release's file that shows it, counted from 0; None if no row does.
        what: a sentence about the offence; it quotes only what groups publish.
        individuals: the identifiers or record ids of people who show it: private, and never part of the text.
    """

    release: str
    groups: tuple[str, ...]
    row: int | None
    what: str
    individuals: tuple[str, ...] = field(default=(), repr=False)

    @property
    def place(self) -> str:
        """The release and the groups."""
        release = printable(self.release)
        if not self.groups:
            return say("release {release}", release=release)
        return say_count(
            "release {release}, [group|groups] {groups}",
            len(self.groups),
            release=release,
            groups=", ".join(map(printable, self.groups)),
        )

    def __str__(self) -> str:
        """Return the text without names of people."""
        return f"{self.place}: {self.what}"


@dataclass(frozen=True)
class BrokenClause:
    """How one release breaks one clause of a promise.

    Attributes:
        clause: the kind of offence, such as `groups of fewer than 2 rows`.
        total: the number of offences.
        first: the first of them in the order of the file, at most `SHOWN`.
        decided: whether they break the promise; if not, they are why the check, which is sufficient but not necessary,
            cannot decide.
    """

    clause: str
    total: int
    first: tuple[PrincipleViolation, ...]
    decided: bool = True

    def __str__(self) -> str:
        """Return the text without names of people."""
        return say("{clause}: {total}, the first in {place}", clause=self.clause, total=self.total, place=self.first[0])


class Check(Protocol):
    """A principle being checked on one series."""

    def add(self, release: KeyedRelease, /) -> list[BrokenClause]:
        """Return the clauses that the next release breaks, given those before."""


class Principle(Protocol):
    """A principle: a frozen dataclass whose fields are its parameters, whole numbers from 1."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]
    name: ClassVar[str]
    needs: ClassVar[PrincipleNeeds]

    def start(self, series: Series, /) -> Check:
        """Return a check without releases; add releases that `checker.read` returned."""


@dataclass(frozen=True)
class OneByOne:
    """A check that looks at each release by itself."""

    broken: Callable[[KeyedRelease], list[BrokenClause]]

    def add(self, release: KeyedRelease, /) -> list[BrokenClause]:
        """Return the clauses that the release breaks."""
        return self.broken(release)


def promise_of(principle: Principle) -> Promise:
    """Return a principle's name and parameters."""
    return Promise(principle.name, asdict(principle))


def breaches(
    clause: str, row: Places, offence: Callable[[int], PrincipleViolation], *, decided: bool = True
) -> list[BrokenClause]:
    """Return the breach of a clause as a list of one; an empty list if there are no offences.

    Args:
        clause: the kind of offence.
        row: the first row that shows each offence; shape (offences,).
        offence: returns the offence at a place of `row`.
        decided: whether the offences break the promise for certain.
    """
    order = np.argsort(row, kind="stable")[:SHOWN]
    return [BrokenClause(clause, len(row), tuple(offence(int(place)) for place in order), decided)] if len(row) else []


def seen_in_rows(
    release: KeyedRelease,
    clause: str,
    row: Places,
    what: Callable[[int], str],
    people: IdentifierEncoder | None = None,
    *,
    decided: bool = True,
) -> list[BrokenClause]:
    """Return the breach of a clause by groups or people, each of which one row shows.

    Args:
        release: the release.
        clause: the kind of offence.
        row: the row that shows each offence; shape (offences,).
        what: returns the sentence about the offence at a place of `row`.
        people: the names of people, if each offence is about the person of its row; else None.
        decided: whether the offences break the promise for certain.
    """

    def offence(number: int) -> PrincipleViolation:
        at = int(row[number])
        group = release.group.name(int(release.group.codes[at]))
        names = () if people is None or release.person is None else (people.name(int(release.person[at])),)
        return PrincipleViolation(release.tag, (group,), at, what(number), names)

    return breaches(clause, row, offence, decided=decided)


def compared(release: str, change: str) -> str:
    """Return what is different from the person's group in an earlier release."""
    about = {"release": printable(release), "change": change}
    return say("compared with the person's group in release {release}, {change}", **about)


def listed(texts: Iterable[str]) -> str:
    """Return names or published values in order, at most twelve of them.

    >>> listed(["flu", "cancer"])
    'cancer, flu'
    """
    every = sorted(texts)
    hidden = len(every) - _VALUES_SHOWN
    shown = ", ".join(printable(text) for text in every[:_VALUES_SHOWN])
    return say("{items} and {more} more", items=shown, more=hidden) if hidden > 0 else shown


def values_of(series: Series, sensitive: str, codes: Iterable[int]) -> str:
    """Return the names of values of a sensitive attribute as a list for a sentence."""
    return listed(series.vocabularies[sensitive].names[code] for code in codes)


def first_rows(codes: Integers, size: int) -> Places:
    """Return the first row of each code, -1 for a code without rows; shape (size,)."""
    first = np.full(size, -1, dtype=np.intp)
    first[codes[::-1]] = np.arange(len(codes), dtype=np.intp)[::-1]  # reversed: the first row is written last
    return first


def rows_of_groups(release: KeyedRelease) -> Places:
    """Return the first row of each group of a release, by the group's code."""
    return first_rows(release.group.codes, release.group.size)


def is_person(series: Series, release: KeyedRelease) -> Flags | None:
    """Return whether each row is a person's and not a counterfeit's; None without a key."""
    fake = release.counterfeit_rows(series.people)
    return None if fake is None else ~fake


def of_attribute(clause: str, series: Series, sensitive: str) -> str:
    """Return a clause, with its attribute if the series has several sensitive ones."""
    if len(series.manifest.columns.sensitive) <= 1:
        return clause
    return say("{clause} of {attribute}", clause=clause, attribute=printable(sensitive))


def for_people(codes: Codes, series: Series) -> Codes:
    """Return a code for each person, with -1 added for people who are new; shape (people,), int32."""
    return np.append(codes, np.full(max(0, series.people.size - len(codes)), -1, dtype=np.int32))


@dataclass
class Signatures:
    """The sets of values that groups have, numbered in the order in which they are first met.

    Attributes:
        values: the values of each set, ascending codes.
    """

    values: list[tuple[int, ...]] = field(default_factory=list)
    _numbers: dict[bytes, int] = field(default_factory=dict)

    def by_group(self, held: GroupContents, size: int) -> Codes:
        """Return the number of each group's set of values, by the group's code, -1 for codes without a group."""
        first = np.flatnonzero(np.diff(held.group, prepend=-1))
        end = np.append(first[1:], len(held.group))
        content, numbers = held.value.astype(np.int32), list[int]()
        for start, stop in zip(first.tolist(), end.tolist(), strict=True):
            values = content[start:stop]
            numbers.append(self._numbers.setdefault(values.tobytes(), len(self.values)))
            if numbers[-1] == len(self.values):
                self.values.append(tuple(values.tolist()))
        of_group = np.full(size, -1, dtype=np.int32)
        of_group[held.group[first]] = numbers
        return of_group


@dataclass(frozen=True)
class Verdict:
    """Whether a series keeps a promise.

    Attributes:
        promise: the principle and its parameters.
        rows: rows of all releases together.
        broken: number of offences by clause; empty if the promise is kept or undecided.
        first: the first offences, in the order of releases and of their rows; at most `SHOWN`.
        undecided: why the check cannot decide whether the promise is kept; None if it decided.
    """

    promise: Promise
    rows: int
    broken: Mapping[str, int]
    first: tuple[PrincipleViolation, ...]
    undecided: str | None = None

    @property
    def holds(self) -> bool:
        """Whether the check proved that the promise is kept."""
        return not self.broken and self.undecided is None

    @property
    def offences(self) -> int:
        """Number of offences against all clauses."""
        return sum(self.broken.values())


def checked(principle: Principle, series: Series) -> Verdict:
    """Return whether a series keeps a principle; read one release at a time.

    Raises:
        UsageError: the series lacks what the principle needs.
        InputError: a release, or its key, is faulty or missing.
    """
    require(principle, series)
    check = principle.start(series)
    rows, broken, first, doubts = 0, Counter[str](), list[PrincipleViolation](), list[BrokenClause]()
    for position in range(len(series.tags)):
        release = read(principle, series, position)
        rows += release.rows
        found = check.add(release)
        doubts += [breach for breach in found if not breach.decided]
        found = [breach for breach in found if breach.decided]
        for breach in found:
            broken[breach.clause] += breach.total
        offences = [offence for breach in found for offence in breach.first]
        # In the order of rows; offences without a row come first.
        first += sorted(offences, key=lambda offence: -1 if offence.row is None else offence.row)
    undecided = str(doubts[0]) if doubts and not broken else None
    return Verdict(promise_of(principle), rows, dict(broken), tuple(first[:SHOWN]), undecided)


def require(principle: Principle, series: Series) -> None:
    """Refuse a series that lacks what a principle needs.

    Raises:
        UsageError: the manifest names no quasi-identifiers, no groups, or nothing that links the releases.
        InputError: only some releases have a key.
    """
    needs, columns = principle.needs, series.manifest.columns
    if needs.cells == "required" and not columns.quasi_identifiers:
        raise UsageError(f"{NAME}: {principle.name} needs [columns] quasi_identifiers; add them")
    if needs.cells != "ignored" and not columns.quasi_identifiers and columns.group is None:
        raise UsageError(f"{NAME}: {principle.name} needs [columns] quasi_identifiers or group; add them")
    if needs.key != "ignored":
        series.check_keys()
    if needs.key == "required" and not series.keyed and not (needs.record and columns.record):
        what = "[columns] individual, or a key file for each release" + ", or [columns] record" * needs.record
        raise UsageError(f"{NAME}: {principle.name} needs {what}; add it")


def read(principle: Principle, series: Series, position: int) -> KeyedRelease:
    """Return a release with the columns that a principle needs.

    Raises:
        InputError: the release is faulty.
    """
    needs, columns = principle.needs, series.manifest.columns
    cells = columns.quasi_identifiers if needs.cells != "ignored" else ()
    records = needs.record and columns.record is not None and not series.keyed
    return read_release(series, position, cells, key=needs.key != "ignored", records=records)
