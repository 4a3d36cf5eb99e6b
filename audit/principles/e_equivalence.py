"""e-equivalence: no fewer than e people on each side of whatever equivalence linear reasoning finds.

Source: equivalence paper, Definitions 6, 9 and 10: x = W S is an equivalence when it is whole and not 0, and W U = 0,
where S has who is in which group and U which values each group has; e is half the sum of all |x|. What is checked is a
condition that is sufficient, and not necessary: where it does not hold, the promise may be kept all the same, and
`audit check` asks the attack.

The condition (Section VI, Theorem 2). Each release has one group for each set of values, a bucket, and everybody's
groups have the same set of values. Then what W gives somebody who is published from release i up to release j is the
difference p(j) - p(i) of potentials of that bucket, and twice e is the sum of all their sizes. Where the potentials
differ within a connected component of the graph in which every such stay is an edge, they are on both sides of some
whole-numbered level, and every edge across costs 1 or more: e is at least half the least cut of the component. Nothing
of this asks how often a value stands in a bucket, nor which values buckets have in common. People with several stays
are left out of the graph; as long as each of their stays lies within one component, potentials that are equal there
leave them at 0.

What a release changes. Whoever is still there is an edge to a last node; whoever leaves becomes one to the release's
own node instead, and whoever comes is one between these two. So a cut with both on one side weighs what it weighed in
the release before, unless somebody came back, whose earlier stay is no edge any more: only then are all cuts looked at.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from audit.io.releases import Release
from audit.io.series import Series
from audit.model.arrays import Codes, Flags
from audit.principles.group_contents import by_row_class, contents, first_rows, of_attribute
from audit.principles.principle import BrokenClause, Check, PrincipleNeeds, PrincipleViolation, breaches, listed
from audit.principles.small_cuts import connected, small_between, small_cuts
from audit.runtime.phrases import say

_NOBODY: Codes = np.zeros(0, dtype=np.int32)


@dataclass(frozen=True)
class EEquivalence:
    """Every equivalence has at least `e` people on a side."""

    e: int
    name: ClassVar[str] = "e-equivalence"
    needs: ClassVar[PrincipleNeeds] = PrincipleNeeds(key="required")

    def start(self, series: Series, /) -> Check:
        """Return a check that remembers everybody's stays, for each sensitive attribute."""
        names = series.manifest.columns.sensitive if self.e > 1 else ()
        return _Check(series, [_ValueHistories(series, name, self.e) for name in names])


@dataclass
class _Check:
    """The check of one series: everybody's stays, by sensitive attribute; with e = 1 there is nothing to check."""

    series: Series
    histories: list[_ValueHistories]

    def add(self, release: Release, /) -> list[BrokenClause]:
        release = by_row_class(release)
        if release.person is None:
            raise ValueError("e-equivalence is checked on releases that were read with their key")
        if self.histories and self.series.manifest.values_change:
            what = say("equivalences are between values that never change, and the series has transitions")
            return [
                BrokenClause(
                    say("series whose values change"),
                    1,
                    (PrincipleViolation(release.tag, (), None, what),),
                    decided=False,
                )
            ]
        return [breach for history in self.histories for breach in history.add(release, release.person)]


class _Spans(NamedTuple):
    """Stays: in which bucket, from which release, and until which one, that one left out; shape (stays,)."""

    bucket: npt.NDArray[np.integer]
    begun: npt.NDArray[np.integer]
    ended: npt.NDArray[np.integer]


@dataclass
class _ValueHistories:
    """Everybody's stays, for one sensitive attribute; after the first doubt nothing more is looked at.

    Attributes:
        series: the series.
        sensitive: the attribute.
        e: the parameter.
        names: the values of each bucket.
        of: by person code, the person's bucket, -1 for nobody known; int32.
        begun: by person code, the release in which the last stay began, counted from 0; int32.
        last: by person code, the last release of that stay; int32.
        again: by person code, whether there were stays before.
        over: those stays.
        alone: the stays of counterfeits without identity.
        releases: how many were seen.
        doubtful: whether there was a doubt.
    """

    series: Series
    sensitive: str
    e: int
    names: list[str] = field(default_factory=list)
    of: Codes = field(default_factory=_NOBODY.copy)
    begun: Codes = field(default_factory=_NOBODY.copy)
    last: Codes = field(default_factory=_NOBODY.copy)
    again: Flags = field(default_factory=lambda: np.zeros(0, dtype=np.bool_))
    over: list[_Spans] = field(default_factory=lambda: [_Spans(_NOBODY, _NOBODY, _NOBODY)])
    alone: list[_Spans] = field(default_factory=lambda: [_Spans(_NOBODY, _NOBODY, _NOBODY)])
    releases: int = 0
    doubtful: bool = False
    _numbers: dict[bytes, int] = field(default_factory=dict)

    def add(self, release: Release, person: Codes) -> list[BrokenClause]:
        """Return why nobody can tell any more whether the promise is kept."""
        if self.doubtful:
            return []
        bucket = self._buckets(release)
        found = self._several(release, bucket) or self._moved(release, person, bucket)
        if not found:
            back = self._follow(person, bucket[release.group.codes])
            found = self._parted(release, bucket, back)
        self.doubtful = bool(found)
        return found

    def _buckets(self, release: Release) -> Codes:
        """Return the bucket of each group, by code, numbering new ones; -1 for codes of no group."""
        held = contents(self.series, release, self.sensitive)
        bucket = np.full(release.group.size, -1, dtype=np.int32)
        names = self.series.vocabularies[self.sensitive].names
        for values in np.split(np.arange(len(held.group)), np.flatnonzero(np.diff(held.group)) + 1):
            codes = held.value[values]
            number = self._numbers.setdefault(codes.tobytes(), len(self.names))
            if number == len(self.names):
                self.names.append(listed(names[code] for code in codes))
            bucket[held.group[values]] = number
        return bucket

    def _several(self, release: Release, bucket: Codes) -> list[BrokenClause]:
        """Return the groups that have the same values as one before them."""
        groups = np.flatnonzero(bucket >= 0)
        groups = np.setdiff1d(groups, groups[np.unique(bucket[groups], return_index=True)[1]])
        row = first_rows(release.group.codes, release.group.size)[groups]

        def offence(number: int) -> PrincipleViolation:
            group = int(groups[number])
            what = say("another group of the release has the same values: {values}", values=self.names[bucket[group]])
            return PrincipleViolation(release.tag, (release.group.name(group),), int(row[number]), what)

        return self._doubts(say("groups with the same values"), row, offence)

    def _moved(self, release: Release, person: Codes, bucket: Codes) -> list[BrokenClause]:
        """Return the people who are in a group of other values than before."""
        self._grow()
        row = np.flatnonzero(person >= 0)
        before, now = self.of[person[row]], bucket[release.group.codes[row]]
        moved = row[(before >= 0) & (before != now)]

        def offence(number: int) -> PrincipleViolation:
            who, group = int(person[moved[number]]), int(release.group.codes[moved[number]])
            what = say(
                "the person's group now has {now}; before, it had {before}",
                now=self.names[bucket[group]],
                before=self.names[self.of[who]],
            )
            individuals = (self.series.people.name(who),)
            return PrincipleViolation(release.tag, (release.group.name(group),), int(moved[number]), what, individuals)

        return self._doubts(say("people in a group of other values than before"), moved, offence)

    def _grow(self) -> None:
        """Make room for people who were not known before."""
        more = max(0, self.series.people.size - len(self.of))
        nobody = np.full(more, -1, dtype=np.int32)
        self.of, self.begun, self.last = (np.append(codes, nobody) for codes in (self.of, self.begun, self.last))
        self.again = np.append(self.again, np.zeros(more, dtype=np.bool_))

    def _follow(self, person: Codes, bucket: Codes) -> Codes:
        """Go on with the stays of some rows' people and counterfeits; return the buckets of those who came back."""
        now, real = self.releases, person >= 0
        who = person[real]
        new, away = self.of[who] < 0, self.last[who] < now - 1
        back = who[away & ~new]
        returned = self.of[back]
        self.over.append(_Spans(returned, self.begun[back], self.last[back] + 1))
        self.again[back] = True
        self.begun[who[new | away]] = now
        self.of[who], self.last[who] = bucket[real], now
        nobody = bucket[~real]
        self.alone.append(_Spans(nobody, np.full_like(nobody, now), np.full_like(nobody, now + 1)))
        self.releases += 1
        return returned

    def _parted(self, release: Release, bucket: Codes, back: Codes) -> list[BrokenClause]:
        """Return the buckets with a small cut, and those in which somebody's stay is on both sides of none at all."""
        once, again = np.flatnonzero((self.of >= 0) & ~self.again), np.flatnonzero(self.again)
        last = [_Spans(self.of[some], self.begun[some], self.last[some] + 1) for some in (once, again)]
        edges, others = _all([last[0], *self.alone]), _all([last[1], *self.over])
        nodes = self.releases + 1
        key = (edges.bucket.astype(np.int64) * nodes + edges.begun) * nodes + edges.ended
        weights = np.bincount(key, minlength=len(self.names) * nodes**2).reshape(-1, nodes, nodes)
        weights = weights + weights.transpose(0, 2, 1)
        label = connected(weights > 0)
        apart = label[others.bucket, others.begun] != label[others.bucket, others.ended]
        least, torn, shaken = 2 * self.e - 1, *np.zeros((2, len(weights)), dtype=np.bool_)
        torn[others.bucket[apart]], shaken[back] = True, True
        small = small_between(weights, nodes - 2, nodes - 1, least)
        small[shaken] = small_cuts(weights[shaken], least)
        found = self._of_buckets(
            release,
            bucket,
            small,
            say("buckets with a small cut"),
            lambda values: say(
                "a cut of fewer than {least} people divides the history of {values}", least=str(least), values=values
            ),
        )
        return found + self._of_buckets(
            release,
            bucket,
            torn,
            say("buckets tied by people who came back"),
            lambda values: say(
                "only a person who came back connects the parts of the history of {values}", values=values
            ),
        )

    def _of_buckets(
        self, release: Release, bucket: Codes, doubtful: Flags, clause: str, what: Callable[[str], str]
    ) -> list[BrokenClause]:
        """Return a clause's doubts about buckets; all of them have a group in this release.

        While nobody is in a bucket, its graph stays as it was but for the name of a node.
        """
        group = np.flatnonzero((bucket >= 0) & doubtful[bucket])
        row = first_rows(release.group.codes, release.group.size)[group]

        def offence(number: int) -> PrincipleViolation:
            told, values = release.group.name(int(group[number])), self.names[bucket[group[number]]]
            return PrincipleViolation(release.tag, (told,), int(row[number]), what(values))

        return self._doubts(clause, row, offence)

    def _doubts(
        self, clause: str, row: npt.NDArray[np.intp], offence: Callable[[int], PrincipleViolation]
    ) -> list[BrokenClause]:
        return breaches(of_attribute(clause, self.series, self.sensitive), row, offence, decided=False)


def _all(spans: list[_Spans]) -> _Spans:
    return _Spans(*(np.concatenate(column) for column in zip(*spans, strict=True)))
