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

`small_cuts` finds the graphs with a small cut, all at once, by the algorithm of Stoer and Wagner. The anonymizer uses
`audit.model.minimum_cuts`, another algorithm: its promise is checked by code of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ClassVar, TypeAlias

import numpy as np

from audit.io.releases import IdentifierEncoder, KeyedRelease
from audit.io.series import Series
from audit.model.arrays import Codes, Counts, Flags, Numbers, Places
from audit.principles.principle import (
    OTHER_VALUES,
    BrokenClause,
    Check,
    PrincipleNeeds,
    PrincipleViolation,
    Signatures,
    for_people,
    of_attribute,
    rows_of_groups,
    seen_in_rows,
    values_of,
)
from audit.runtime.phrases import say


def small_cuts(weights: Numbers, least: int) -> Flags:
    """Return which graphs have a connected component with a cut below `least`; shape (graphs,), bool.

    Args:
        weights: the weights of edges: symmetric, not negative, 0 on the diagonal; shape (graphs, nodes, nodes).
        least: the smallest cut that is large enough, at least 1.
    """
    between, component = weights.copy(), connected(weights > 0)
    graphs, nodes = np.nonzero(component != 0)
    # Components are tied to the first node, so that no cut between two of them is small.
    between[graphs, component[graphs, nodes], 0] += least
    between[graphs, 0, component[graphs, nodes]] += least
    return _least_cuts(between) < least


def connected(near: Flags) -> Numbers:
    """Return the least node of each node's component; `near`: symmetric, shape (graphs, nodes, nodes)."""
    reached = near | np.eye(near.shape[1], dtype=np.bool_)
    while True:
        further = np.matmul(reached.astype(np.float32), reached.astype(np.float32)) > 0
        if np.array_equal(further, reached):
            return reached.argmax(axis=2)
        reached = further


def _least_cuts(weights: Numbers) -> Numbers:
    """Return the weight of the least cut of each graph (Stoer and Wagner), the largest int64 if it has one node.

    `weights` is overwritten.
    """
    all_graphs, nodes = np.arange(len(weights)), weights.shape[1]
    merged, least = np.zeros(weights.shape[:2], dtype=np.bool_), np.full(len(weights), np.iinfo(np.int64).max)
    for left in range(nodes, 1, -1):
        taken, to_taken = merged.copy(), np.zeros(weights.shape[:2], dtype=np.int64)
        into = last = np.zeros(len(weights), dtype=np.intp)
        for _ in range(left):
            into, last = last, np.where(taken, -1, to_taken).argmax(axis=1)
            taken[all_graphs, last] = True
            to_taken += weights[all_graphs, last]
        least = np.minimum(least, weights[all_graphs, last].sum(axis=1))
        weights[all_graphs, into] += weights[all_graphs, last]
        weights[all_graphs, :, into] = weights[all_graphs, into]
        weights[all_graphs, last] = weights[all_graphs, :, last] = weights[all_graphs, into, into] = 0
        merged[all_graphs, last] = True
    return least


Presences: TypeAlias = Counts
"""The bucket, the first release, and the release after the last one; shape (3, presences)."""


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


@dataclass
class _ValueHistories:
    """The presences of all people, for one sensitive attribute; the check ends at the first doubt.

    Attributes:
        series: the series.
        sensitive: the attribute.
        e: the parameter.
        signatures: the values of each bucket.
        bucket_of: by person code, the person's bucket, -1 if not published yet; int32.
        present: which people were in each release that was added, by person code.
        unlinked: the buckets of the counterfeits without identity of each release.
        doubtful: whether a release raised a doubt.
    """

    series: Series
    sensitive: str
    e: int
    signatures: Signatures = field(default_factory=Signatures)
    bucket_of: Codes = field(default_factory=lambda: np.zeros(0, dtype=np.int32))
    present: list[Flags] = field(default_factory=list)
    unlinked: list[Codes] = field(default_factory=list)
    doubtful: bool = False

    def add(self, release: KeyedRelease, person: Codes) -> list[BrokenClause]:
        """Return why the check can no longer decide whether the promise is kept."""
        if self.doubtful:
            return []
        bucket = self.signatures.by_group(release.contents(self.sensitive), release.group.size)
        self.bucket_of = for_people(self.bucket_of, self.series)
        found = self._repeated(release, bucket) or self._moved(release, person, bucket)
        if not found:
            real, of_row = person >= 0, bucket[release.group.codes]
            self.bucket_of[person[real]] = of_row[real]
            self.present.append(np.bincount(person[real], minlength=len(self.bucket_of)) > 0)
            self.unlinked.append(of_row[~real])
            found = self._small_cuts(release, bucket)
        self.doubtful = bool(found)
        return found

    def _values(self, bucket: int) -> str:
        return values_of(self.series, self.sensitive, self.signatures.values[bucket])

    def _repeated(self, release: KeyedRelease, bucket: Codes) -> list[BrokenClause]:
        """Return the groups whose values are those of an earlier group of the release."""
        groups = np.flatnonzero(bucket >= 0)
        groups = np.setdiff1d(groups, groups[np.unique(bucket[groups], return_index=True)[1]])

        def what(number: int) -> str:
            values = self._values(int(bucket[groups[number]]))
            return say("another group of the release has the same values: {values}", values=values)

        return self._doubts(release, say("groups with the same values"), rows_of_groups(release)[groups], what)

    def _moved(self, release: KeyedRelease, person: Codes, bucket: Codes) -> list[BrokenClause]:
        """Return the people whose group has different values from their earlier groups."""
        row = np.flatnonzero(person >= 0)
        before, now = self.bucket_of[person[row]], bucket[release.group.codes[row]]
        moved = np.flatnonzero((before >= 0) & (before != now))

        def what(number: int) -> str:
            return say(
                "the person's group now has {now}; before, it had {before}",
                now=self._values(int(now[moved[number]])),
                before=self._values(int(before[moved[number]])),
            )

        clause = str(OTHER_VALUES)
        return self._doubts(release, clause, row[moved], what, self.series.people)

    def _presences(self) -> tuple[Presences, Presences]:
        """Return the presences of people with one, and of counterfeits without identity, and those of all others."""
        releases = len(self.present)
        steps = np.zeros((len(self.bucket_of), releases + 2), dtype=np.int8)
        for number, present in enumerate(self.present):
            steps[: len(present), number + 1] = present
        steps = np.diff(steps, axis=1)
        (who, begun), ended = np.nonzero(steps > 0), np.nonzero(steps < 0)[1]
        several = np.bincount(who, minlength=1)[who] > 1
        spans = np.stack([self.bucket_of[who], begun, ended])
        at = np.repeat(np.arange(releases), list(map(len, self.unlinked)))
        unlinked = np.stack([np.concatenate(self.unlinked), at, at + 1])
        return np.concatenate([spans[:, ~several], unlinked], axis=1), spans[:, several]

    def _small_cuts(self, release: KeyedRelease, bucket: Codes) -> list[BrokenClause]:
        """Return the buckets with a small cut, and those where a returned person's presence joins two components."""
        edges, others = self._presences()
        nodes, buckets = len(self.present) + 1, len(self.signatures.values)
        key = (edges[0] * nodes + edges[1]) * nodes + edges[2]
        weights = np.bincount(key, minlength=buckets * nodes**2).reshape(-1, nodes, nodes)
        weights = weights + weights.transpose(0, 2, 1)
        label = connected(weights > 0)
        least, (small, split) = 2 * self.e - 1, np.zeros((2, buckets), dtype=np.bool_)
        split[others[0][label[others[0], others[1]] != label[others[0], others[2]]]] = True
        current = np.unique(bucket[bucket >= 0])
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
        row = rows_of_groups(release)[group]
        return self._doubts(release, clause, row, lambda number: what(self._values(int(bucket[group[number]]))))

    def _doubts(
        self,
        release: KeyedRelease,
        clause: str,
        row: Places,
        what: Callable[[int], str],
        people: IdentifierEncoder | None = None,
    ) -> list[BrokenClause]:
        clause = of_attribute(clause, self.series, self.sensitive)
        return seen_in_rows(release, clause, row, what, people, decided=False)
