"""k-anonymity: nobody's published description is shared by fewer than k people.

Rows of one group with equal cells form a class. Counterfeits are not people: the key tells which rows they are; where
there is none, each class is taken to hold as many of its group's published counterfeits as it can, while somebody may
be left in it. A class that is known to be counterfeits alone is nobody's, and breaks nothing. An Anatomy release
publishes exact quasi-identifiers, and these form its classes. Rows that say `*` in all quasi-identifiers, where neither
groups nor record ids are published, may be anybody's and form no class. Source: monotonic paper, Section 2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from audit.io.releases import Release
from audit.io.series import Series
from audit.model.arrays import Codes, Counts
from audit.model.composite_keys import combine, distinct
from audit.principles.group_contents import first_rows, group_sizes, is_person, totals
from audit.principles.principle import BrokenClause, Check, OneByOne, PrincipleNeeds, PrincipleViolation, breaches
from audit.runtime.phrases import say


@dataclass(frozen=True)
class KAnonymity:
    """Every class of every release stands for at least `k` people."""

    k: int
    name: ClassVar[str] = "k-anonymity"
    needs: ClassVar[PrincipleNeeds] = PrincipleNeeds(cells="used", key="used")

    def start(self, series: Series, /) -> Check:
        """Return a check of the classes of each release."""
        return OneByOne(lambda release: small_classes(series, release, self.k))


def small_classes(series: Series, release: Release, k: int) -> list[BrokenClause]:
    """Return the classes of a release that stand for fewer than `k` people."""
    cells = [(codes, len(series.attributes[name].cells)) for name, codes in release.cells.items()]
    _, place = distinct(*combine([(release.group.codes, release.group.size), *cells], release.rows))
    row = first_rows(place, int(place.max(initial=-1)) + 1)
    people = _people(series, release, place, release.group.codes[row])
    said = True if release.suppressed is None else release.group.codes[row] != release.suppressed
    small = np.flatnonzero((people > 0) & (people < k) & said)

    def offence(number: int) -> PrincipleViolation:
        at, count = int(row[small[number]]), int(people[small[number]])
        what = say(
            "a class of rows with equal cells holds too few people: {count}; at least {k} are required",
            count=count,
            k=k,
        )
        return PrincipleViolation(release.tag, (release.group.name(int(release.group.codes[at])),), at, what)

    return breaches(say("classes of fewer than {k} people", k=k), row[small], offence)


def _people(series: Series, release: Release, place: Codes, group: Codes) -> Counts:
    """Return how many people each class stands for, or the fewest that it may stand for while it is somebody's.

    Args:
        series: the series.
        release: one of its releases.
        place: the class of each row; shape (rows,).
        group: the group of each class; shape (classes,).
    """
    real = is_person(series, release)
    if real is not None:
        counts = real.astype(np.int64) if release.counts is None else release.counts * real
        return totals(place, len(group), counts)
    counterfeits = np.zeros(release.group.size, dtype=np.int64)
    counterfeits[list(release.counterfeits)] = list(release.counterfeits.values())
    somebody = group_sizes(release) > counterfeits
    return np.maximum(totals(place, len(group), release.counts) - counterfeits[group], somebody[group])
