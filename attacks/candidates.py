"""Candidate sets of all people at once, as bit masks folded release by release.

The kernel below both per-person attacks. A person's candidates after some releases are the intersection of what
the pools of these releases hold. State is per person: 64 values a word, a count of versions, two release numbers.
Cost per release: linear in people and entries. Compiled kernels save a hundredth of a second a million rows, which is
less than they take to load.

Source: m-invariance paper, Definition 15 and Lemma 2.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
import numpy.typing as npt

from attacks.value_sets import first_values, listed, longer, pool_masks, sizes_of
from audit.model.arrays import Codes, Flags, Places, Words
from audit.model.evidence import CandidatePools, Evidence
from audit.runtime.budget import Budget

_AT_A_TIME = 1 << 17
_SLACK = 32
_ALL = np.uint64(0xFFFF_FFFF_FFFF_FFFF)
# No number of a release: `Candidates.count` refuses as many.
NEVER = np.uint16(2**16 - 1)


class Noting(Protocol):
    """Notes something of all candidates after each release."""

    def note(self, state: Candidates, pools: CandidatePools, release: int) -> None:
        """Take a release into account that was folded into the candidates."""


def fold_all(evidence: Evidence, budget: Budget, noting: Noting | None = None) -> tuple[Candidates, int]:
    """Return all people's candidates, and after how many releases the budget was spent (all of them if it sufficed)."""
    state, releases = Candidates(), len(evidence.tags)
    for done, pools in enumerate(evidence.stream()):
        if budget.exhausted():
            return state, done
        state.fold(pools, done)
        if noting is not None:
            noting.note(state, pools, done)
        budget.stage(f"release {done + 1} of {releases}")
        budget.progress(done + 1, releases)
    return state, releases


@dataclass
class Candidates:
    """All people's candidates so far; there may be room for more people than there are.

    Attributes:
        masks: bit v % 64 of word v // 64 says whether value v is possible; shape (people, words), uint64.
        versions: in how many releases each person was seen; shape (people,), uint16, so that it fits into the cache.
        certain_at: the release after which one candidate was left, `NEVER` else; shape (people,).
        empty_at: the release after which none was left, `NEVER` else; shape (people,).
        skewed: whether some pool of the person held values in different numbers; shape (people,).
        disclosed: number of versions of people with one candidate left, after each release.
        vulnerable: number of people with one candidate left, after each release.
    """

    masks: Words = field(default_factory=lambda: np.zeros((0, 1), dtype=np.uint64))
    versions: npt.NDArray[np.uint16] = field(default_factory=lambda: np.zeros(0, dtype=np.uint16))
    certain_at: npt.NDArray[np.uint16] = field(default_factory=lambda: np.zeros(0, dtype=np.uint16))
    empty_at: npt.NDArray[np.uint16] = field(default_factory=lambda: np.zeros(0, dtype=np.uint16))
    skewed: Flags = field(default_factory=lambda: np.zeros(0, dtype=np.bool_))
    disclosed: list[int] = field(default_factory=list)
    vulnerable: list[int] = field(default_factory=list)

    def grow(self, people: int, values: int) -> None:
        """Make room for more people and values; no person seen before can have a value first published now."""
        words = max(1, (values + 63) // 64)
        old_people, old_words = self.masks.shape
        if words > old_words:
            wider = np.zeros((old_people, words), dtype=np.uint64)
            wider[:, :old_words] = self.masks
            wider[self.versions == 0] = _ALL
            self.masks = wider
        if people > old_people:
            # A little more than asked for: most releases bring some people, and each time everything is copied.
            self.masks = longer(self.masks, people + people // _SLACK, _ALL)
            self.versions = longer(self.versions, people + people // _SLACK, 0)
            self.certain_at = longer(self.certain_at, people + people // _SLACK, NEVER)
            self.empty_at = longer(self.empty_at, people + people // _SLACK, NEVER)
            self.skewed = longer(self.skewed, people + people // _SLACK, False)

    def fold(self, pools: CandidatePools, release: int) -> None:
        """Intersect everyone's candidates with what one more release leaves (Lemma 2)."""
        self.grow(pools.people, pools.values)
        allowed, flat = pool_masks(pools, self.masks.shape[1])
        # As numpy indexes: each use of shorter numbers would make these anew.
        people, pool = pools.person.astype(np.intp), pools.pool.astype(np.intp)
        left = self.masks.take(people, axis=0)
        left &= allowed.take(pool, axis=0)
        _whole_rows(self.masks)[people] = _whole_rows(left)
        self.versions[people] += np.uint16(1)
        if not flat.all():
            self.skewed[people[~flat.take(pool)]] = True
        # Nothing else changes but for the people who have one candidate left, or none.
        few = np.flatnonzero(_at_most_one(left))
        fallen, freed = self._settle(people[few], np.any(left[few], axis=1), release)
        self.count(fallen[0] - freed[0], fallen[1] - freed[1])

    def count(self, people: int, versions: int) -> None:
        """Add to the timelines by how much the vulnerable people and the disclosed versions grew.

        Raises:
            OverflowError: there are more releases than versions can be counted; people would seem not to be there.
        """
        if len(self.vulnerable) >= np.iinfo(self.versions.dtype).max:
            raise OverflowError("too many releases to count versions")
        self.vulnerable.append((self.vulnerable[-1] if self.vulnerable else 0) + people)
        self.disclosed.append((self.disclosed[-1] if self.disclosed else 0) + versions)

    def _settle(self, people: Places, certain: Flags, release: int) -> tuple[tuple[int, int], tuple[int, int]]:
        """Note people with one candidate (`certain`) or none.

        Returns the people and versions that became certain, and those that were and are no more.
        """
        was = self.certain_at[people] != NEVER
        newly = people[certain & ~was]
        # Of those without a candidate, who contradict the assumptions, there are few.
        none = np.flatnonzero(~certain)
        gone = none[self.empty_at[people[none]] == NEVER]
        freed = people[gone[was[gone]]]
        self.certain_at[newly] = release
        self.empty_at[people[gone]] = release
        fallen = int(self.versions[newly].sum(dtype=np.int64)) + int(np.count_nonzero(certain & was))
        return (len(newly), fallen), (len(freed), int(self.versions[freed].sum(dtype=np.int64)) - len(freed))

    def possible(self, people: Codes, values: Codes) -> Flags:
        """Return whether each of some people may have the value beside it."""
        words = self.masks.shape[1]
        word = self.masks.ravel().take(people if words == 1 else people * np.int64(words) + (values >> 6))
        return (word >> (values & 63).astype(np.uint8)) & np.uint64(1) != 0

    def seen(self) -> Iterator[tuple[Codes, Codes]]:
        """Yield the people seen, ascending and some at a time, and how many candidates each has left.

        So many at a time fit into a processor's cache.
        """
        for first in range(0, len(self.masks), _AT_A_TIME):
            people = np.flatnonzero(self.versions[first : first + _AT_A_TIME])
            yield (
                (people + first).astype(np.int32),
                sizes_of(self.masks[first : first + _AT_A_TIME]).astype(np.int32)[people],
            )

    def sizes(self) -> npt.NDArray[np.integer]:
        """Return how many candidates each person has left; shape (people,); meaningless for people never seen."""
        return sizes_of(self.masks)

    def only(self, people: Codes) -> Codes:
        """Return the first candidate of each of some people; -1 where there is none."""
        return first_values(self.masks.take(people, axis=0))

    def listed(self, people: Codes) -> tuple[npt.NDArray[np.intp], Codes]:
        """Return the candidates of some people as pairs: place in `people`, value; in order of places and values."""
        return listed(self.masks.take(people, axis=0))


def _whole_rows(masks: Words) -> npt.NDArray[np.void]:
    """Return the rows of masks as single items, which numpy puts into place nine times faster than rows."""
    return masks.view(np.dtype((np.void, masks.itemsize * masks.shape[1])))[:, 0]


def _at_most_one(masks: Words) -> Flags:
    """Return which rows of masks have at most one bit; shape (rows,)."""
    if masks.shape[1] == 1:
        word = masks[:, 0]
        return word & (word - np.uint64(1)) == 0
    return np.asarray(sizes_of(masks) <= 1)
