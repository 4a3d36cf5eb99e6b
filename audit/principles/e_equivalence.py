"""e-equivalence: every equivalence that linear reasoning can prove has at least e people on each side.

Source: equivalence paper, Definitions 6, 9 and 10. Matrix S holds who is in which group, U which values each group
has. x = W S is an equivalence if x is whole and not 0, and W U = 0; e is half the sum of all |x|. This check uses a
condition that is sufficient but not necessary: if it fails, `audit check` runs the attack to decide.

The condition (Section VI, Theorem 2): each release has one group for each set of values, a *bucket*, and a person's
groups all have the same set of values. Take a bucket's graph: a node for each release, and an edge from i to j for each
person published from release i until release j, a *presence*. W assigns a potential p to each node, the presence gets
p(j) - p(i), and the absolute values of all presences add up to 2e. If potentials differ within a component, they
lie on both sides of a whole number, and each edge that crosses it costs at least 1. So e is at least half the smallest
cut of the component. The frequencies of values, and the values that buckets share, do not matter. People with several
presences are left out of the graph; if each of their presences lies within one component, equal potentials give them 0.

The last node stands for "still present": each release moves the edges of people who leave to its own node.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from audit.io.releases import KeyedRelease
from audit.io.series import Series
from audit.model.arrays import Codes, Flags
from audit.principles.group_contents import first_rows, of_attribute
from audit.principles.principle import BrokenClause, Check, PrincipleNeeds, PrincipleViolation, breaches, listed
from audit.principles.small_cuts import connected, small_cuts
from audit.runtime.phrases import say

_NO_CODES: Codes = np.zeros(0, dtype=np.int32)


@dataclass(frozen=True)
class EEquivalence:
    """Every equivalence has at least `e` people on a side."""

    e: int
    name: ClassVar[str] = "e-equivalence"
    needs: ClassVar[PrincipleNeeds] = PrincipleNeeds(key="required")

    def start(self, series: Series, /) -> Check:
        """Return a check that records the presences of all people, for each sensitive attribute."""
        names = series.manifest.columns.sensitive if self.e > 1 else ()
        return _Check(series, [_ValueHistories(series, name, self.e) for name in names])


@dataclass
class _Check:
    """The check of one series: the presences of all people, by sensitive attribute; none if e = 1 promises nothing."""

    series: Series
    histories: list[_ValueHistories]

    def add(self, release: KeyedRelease, /) -> list[BrokenClause]:
        release = release.by_class()
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
    """Presences: the bucket, the first release, and the release after the last one; shape (presences,)."""

    bucket: npt.NDArray[np.integer]
    begun: npt.NDArray[np.integer]
    ended: npt.NDArray[np.integer]


@dataclass
class _ValueHistories:
    """The presences of all people, for one sensitive attribute; the check ends at the first doubt.

    Attributes:
        series: the series.
        sensitive: the attribute.
        e: the parameter.
        names: the values of each bucket.
        bucket_of: by person code, the person's bucket, -1 if not published yet; int32.
        begun: by person code, the release in which the last presence began, counted from 0; int32.
        last: by person code, the last release of that presence; int32.
        returned: by person code, whether the person has earlier presences.
        earlier: these earlier presences.
        unlinked: the presences of counterfeits without identity.
        releases: the number of releases added.
        doubtful: whether a release raised a doubt.
    """

    series: Series
    sensitive: str
    e: int
    names: list[str] = field(default_factory=list)
    bucket_of: Codes = field(default_factory=_NO_CODES.copy)
    begun: Codes = field(default_factory=_NO_CODES.copy)
    last: Codes = field(default_factory=_NO_CODES.copy)
    returned: Flags = field(default_factory=lambda: np.zeros(0, dtype=np.bool_))
    earlier: list[_Spans] = field(default_factory=lambda: [_Spans(_NO_CODES, _NO_CODES, _NO_CODES)])
    unlinked: list[_Spans] = field(default_factory=lambda: [_Spans(_NO_CODES, _NO_CODES, _NO_CODES)])
    releases: int = 0
    doubtful: bool = False
    _numbers: dict[bytes, int] = field(default_factory=dict)

    def add(self, release: KeyedRelease, person: Codes) -> list[BrokenClause]:
        """Return why the check can no longer decide whether the promise is kept."""
        if self.doubtful:
            return []
        bucket = self._buckets(release)
        found = self._repeated(release, bucket) or self._moved(release, person, bucket)
        if not found:
            self._record(person, bucket[release.group.codes])
            found = self._small_cuts(release, bucket)
        self.doubtful = bool(found)
        return found

    def _buckets(self, release: KeyedRelease) -> Codes:
        """Return the bucket of each group, by code, and number new buckets; -1 for codes without a group."""
        held = release.contents(self.sensitive)
        bucket = np.full(release.group.size, -1, dtype=np.int32)
        names = self.series.vocabularies[self.sensitive].names
        for values in np.split(np.arange(len(held.group)), np.flatnonzero(np.diff(held.group)) + 1):
            codes = held.value[values]
            number = self._numbers.setdefault(codes.tobytes(), len(self.names))
            if number == len(self.names):
                self.names.append(listed(names[code] for code in codes))
            bucket[held.group[values]] = number
        return bucket

    def _repeated(self, release: KeyedRelease, bucket: Codes) -> list[BrokenClause]:
        """Return the groups whose values are those of an earlier group of the release."""
        groups = np.flatnonzero(bucket >= 0)
        groups = np.setdiff1d(groups, groups[np.unique(bucket[groups], return_index=True)[1]])
        row = first_rows(release.group.codes, release.group.size)[groups]

        def offence(number: int) -> PrincipleViolation:
            group = int(groups[number])
            what = say("another group of the release has the same values: {values}", values=self.names[bucket[group]])
            return PrincipleViolation(release.tag, (release.group.name(group),), int(row[number]), what)

        return self._doubts(say("groups with the same values"), row, offence)

    def _moved(self, release: KeyedRelease, person: Codes, bucket: Codes) -> list[BrokenClause]:
        """Return the people whose group has different values from their earlier groups."""
        self._grow()
        row = np.flatnonzero(person >= 0)
        before, now = self.bucket_of[person[row]], bucket[release.group.codes[row]]
        moved = row[(before >= 0) & (before != now)]

        def offence(number: int) -> PrincipleViolation:
            who, group = int(person[moved[number]]), int(release.group.codes[moved[number]])
            what = say(
                "the person's group now has {now}; before, it had {before}",
                now=self.names[bucket[group]],
                before=self.names[self.bucket_of[who]],
            )
            individuals = (self.series.people.name(who),)
            return PrincipleViolation(release.tag, (release.group.name(group),), int(moved[number]), what, individuals)

        return self._doubts(say("people in a group of other values than before"), moved, offence)

    def _grow(self) -> None:
        """Extend the arrays to people who are new in this release."""
        more = max(0, self.series.people.size - len(self.bucket_of))
        unset, known = np.full(more, -1, dtype=np.int32), (self.bucket_of, self.begun, self.last)
        self.bucket_of, self.begun, self.last = (np.append(codes, unset) for codes in known)
        self.returned = np.append(self.returned, np.zeros(more, dtype=np.bool_))

    def _record(self, person: Codes, bucket: Codes) -> None:
        """Record a release by the person and the bucket of each row."""
        now, real = self.releases, person >= 0
        who = person[real]
        new, away = self.bucket_of[who] < 0, self.last[who] < now - 1
        back = who[away & ~new]
        self.earlier.append(_Spans(self.bucket_of[back], self.begun[back], self.last[back] + 1))
        self.returned[back] = True
        self.begun[who[new | away]] = now
        self.bucket_of[who], self.last[who] = bucket[real], now
        unlinked = bucket[~real]
        self.unlinked.append(_Spans(unlinked, np.full_like(unlinked, now), np.full_like(unlinked, now + 1)))
        self.releases += 1

    def _small_cuts(self, release: KeyedRelease, bucket: Codes) -> list[BrokenClause]:
        """Return the buckets with a small cut, and those where a returned person's presence joins two components."""
        people = np.flatnonzero((self.bucket_of >= 0) & ~self.returned), np.flatnonzero(self.returned)
        last = [_Spans(self.bucket_of[who], self.begun[who], self.last[who] + 1) for who in people]
        edges, others = _joined([last[0], *self.unlinked]), _joined([last[1], *self.earlier])
        nodes = self.releases + 1
        key = (edges.bucket.astype(np.int64) * nodes + edges.begun) * nodes + edges.ended
        weights = np.bincount(key, minlength=len(self.names) * nodes**2).reshape(-1, nodes, nodes)
        weights = weights + weights.transpose(0, 2, 1)
        label = connected(weights > 0)
        separated = label[others.bucket, others.begun] != label[others.bucket, others.ended]
        least, split = 2 * self.e - 1, np.zeros(len(weights), dtype=np.bool_)
        split[others.bucket[separated]] = True
        small, current = np.zeros(len(weights), dtype=np.bool_), np.unique(bucket[bucket >= 0])
        small[current] = small_cuts(weights[current], least)
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
            split,
            say("buckets tied by people who came back"),
            lambda values: say(
                "only a person who came back connects the parts of the history of {values}", values=values
            ),
        )

    def _of_buckets(
        self, release: KeyedRelease, bucket: Codes, doubtful: Flags, clause: str, what: Callable[[str], str]
    ) -> list[BrokenClause]:
        """Return a clause's doubts about the buckets that have a group in this release.

        The cuts of a bucket without a group do not change.
        """
        group = np.flatnonzero((bucket >= 0) & doubtful[bucket])
        row = first_rows(release.group.codes, release.group.size)[group]

        def offence(number: int) -> PrincipleViolation:
            name, values = release.group.name(int(group[number])), self.names[bucket[group[number]]]
            return PrincipleViolation(release.tag, (name,), int(row[number]), what(values))

        return self._doubts(clause, row, offence)

    def _doubts(
        self, clause: str, row: npt.NDArray[np.intp], offence: Callable[[int], PrincipleViolation]
    ) -> list[BrokenClause]:
        return breaches(of_attribute(clause, self.series, self.sensitive), row, offence, decided=False)


def _joined(spans: list[_Spans]) -> _Spans:
    return _Spans(*(np.concatenate(column) for column in zip(*spans, strict=True)))
