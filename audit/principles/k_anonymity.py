"""k-anonymity: at least k people share each published combination of cells.

Rows of one group with equal cells form a class. Counterfeits are not people; the key says which rows they are. Without
a key, each class is assumed to hold as many of its group's published counterfeits as possible, as long as one person
may remain. A class that consists only of counterfeits breaks nothing. In an Anatomy release the exact quasi-identifiers
form the classes. Rows with `*` in all quasi-identifiers form no class if neither groups nor record ids are published.
Source: monotonic paper, Section 2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from audit.io.releases import KeyedRelease
from audit.io.series import Series
from audit.model.arrays import Codes, Counts, combine, distinct, tally
from audit.principles.principle import (
    BrokenClause,
    Check,
    OneByOne,
    PrincipleNeeds,
    first_rows,
    is_person,
    seen_in_rows,
)
from audit.runtime.phrases import say


@dataclass(frozen=True)
class KAnonymity:
    """Every class of every release holds at least `k` people."""

    k: int
    name: ClassVar[str] = "k-anonymity"
    needs: ClassVar[PrincipleNeeds] = PrincipleNeeds(cells="used", key="used")

    def start(self, series: Series, /) -> Check:
        """Return a check of the classes of each release."""
        return OneByOne(lambda release: small_classes(series, release, self.k))


def small_classes(series: Series, release: KeyedRelease, k: int) -> list[BrokenClause]:
    """Return the classes of a release that hold fewer than `k` people."""
    cells = [(codes, len(series.attributes[name].cells)) for name, codes in release.cells.items()]
    _, place = distinct(*combine([(release.group.codes, release.group.size), *cells], release.rows))
    row = first_rows(place, int(place.max(initial=-1)) + 1)
    people = _people(series, release, place, len(row))
    described = True if release.suppressed is None else release.group.codes[row] != release.suppressed
    small = np.flatnonzero((people > 0) & (people < k) & described)

    def what(number: int) -> str:
        return say(
            "a class of rows with equal cells holds too few people: {count}; at least {k} are required",
            count=int(people[small[number]]),
            k=k,
        )

    return seen_in_rows(release, say("classes of fewer than {k} people", k=k), row[small], what)


def _people(series: Series, release: KeyedRelease, place: Codes, classes: int) -> Counts:
    """Return how many people each class holds, or without a key the fewest that it may hold.

    `place` is the class of each row.
    """
    real = is_person(series, release)
    if real is None:
        return release.fewest_people(place, classes)
    return tally(place, classes, real.astype(np.int64) if release.counts is None else release.counts * real)
