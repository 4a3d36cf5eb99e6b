"""Principles: what a series may promise, how it is checked release by release, and what is told when it is broken.

A checker follows its principle's definition and shares nothing with the anonymizers, whose output it judges too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import Field, asdict, dataclass, field
from typing import Any, ClassVar, Literal, Protocol

import numpy as np

from audit.io.releases import Release
from audit.io.series import Series
from audit.model.anonymizer import Promise
from audit.model.arrays import Places
from audit.model.errors import printable
from audit.runtime.phrases import say, say_count

SHOWN = 5
_VALUES_SHOWN = 12

Use = Literal["ignored", "used", "required"]


@dataclass(frozen=True)
class PrincipleNeeds:
    """What a principle looks at; what is `used` is looked at where the series has it.

    Attributes:
        cells: the cells of the quasi-identifiers.
        key: whose row is whose.
        record: whether the published record id serves where there is no key.
    """

    cells: Use = "ignored"
    key: Use = "ignored"
    record: bool = False


@dataclass(frozen=True)
class PrincipleViolation:
    """A group, class or person that breaks a promise.

    Attributes:
        release: the tag of the release that breaks it.
        groups: the names of its groups in question; empty where no group of it shows the offence.
        row: where it is seen in that release's file, rows counted from 0; None where no row shows it.
        what: what is broken; it quotes nothing but what groups publish.
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
            "release {release}, group {groups}",
            "release {release}, groups {groups}",
            len(self.groups),
            release=release,
            groups=", ".join(map(printable, self.groups)),
        )

    def __str__(self) -> str:
        """Render without saying whom it is about."""
        return f"{self.place}: {self.what}"


@dataclass(frozen=True)
class BrokenClause:
    """How one release breaks one clause of a promise.

    Attributes:
        clause: what there should be none of, such as `groups of fewer than 2 rows`.
        total: how many of them there are.
        first: the first of them in the order of the file, at most `SHOWN`.
        decided: whether they break the promise; else they are why nobody can tell whether it is kept, as what is
            checked is sufficient, and not necessary.
    """

    clause: str
    total: int
    first: tuple[PrincipleViolation, ...]
    decided: bool = True

    def __str__(self) -> str:
        """Render without saying whom it is about."""
        return say("{clause}: {total}, the first in {place}", clause=self.clause, total=self.total, place=self.first[0])


class Check(Protocol):
    """A principle being checked on one series."""

    def add(self, release: Release, /) -> list[BrokenClause]:
        """Return what the next release breaks, given those before."""


class Principle(Protocol):
    """A principle: a frozen dataclass whose fields are its parameters, whole numbers from 1."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]
    name: ClassVar[str]
    needs: ClassVar[PrincipleNeeds]

    def start(self, series: Series, /) -> Check:
        """Return a check that has seen no release yet; releases are to be read by `checking.read`."""


@dataclass(frozen=True)
class OneByOne:
    """A check that judges each release on its own."""

    broken: Callable[[Release], list[BrokenClause]]

    def add(self, release: Release, /) -> list[BrokenClause]:
        """Return what the release breaks."""
        return self.broken(release)


def promise_of(principle: Principle) -> Promise:
    """Return a principle's name and parameters."""
    return Promise(principle.name, asdict(principle))


def breaches(
    clause: str, row: Places, offence: Callable[[int], PrincipleViolation], *, decided: bool = True
) -> list[BrokenClause]:
    """Return the breach of a clause by some offenders, or nothing when there are none.

    Args:
        clause: what there should be none of.
        row: the row at which each offender is first seen; shape (offenders,).
        offence: tells of the offender at a place of `row`.
        decided: whether they break the promise for certain.
    """
    order = np.argsort(row, kind="stable")[:SHOWN]
    return [BrokenClause(clause, len(row), tuple(offence(int(place)) for place in order), decided)] if len(row) else []


def listed(texts: Iterable[str]) -> str:
    """Return names or published values in order, the first dozen of them.

    >>> listed(["flu", "cancer"])
    'cancer, flu'
    """
    every = sorted(texts)
    hidden = len(every) - _VALUES_SHOWN
    shown = ", ".join(printable(text) for text in every[:_VALUES_SHOWN])
    return say("{items} and {more} more", items=shown, more=hidden) if hidden > 0 else shown
