"""Candidates: the candidate values of all people at once, as bit masks that are intersected release by release.

Both per-person attacks use this module. A person's candidates after some releases are the intersection of the pools of
these releases. It keeps for each person one bit for each value, a count of versions, and a release number. Cost for
each release: linear in people and entries. Compiled kernels would save a hundredth of a second for a million rows, less
than loading them takes.

Source: m-invariance paper, Definition 15 and Lemma 2.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from attacks.value_sets import common_values, listed, pool_masks, sizes_of
from audit.model.arrays import Codes, Columns, Flags, Words
from audit.model.evidence import CandidatePools, Evidence, claimed_code
from audit.runtime.budget import Budget

_NEVER = 2**31 - 1


def fold_all(evidence: Evidence, budget: Budget) -> tuple[Candidates, int]:
    """Return all people's candidates, and the number of releases that were read before the budget was exhausted."""
    releases = len(evidence.tags)
    last = evidence.pools(releases - 1)
    state = Candidates(last.people, last.values, None if evidence.combined is None else evidence.combined.parts())
    for done, pools in enumerate(evidence.stream()):
        if budget.exhausted():
            return state, done
        state.fold(pools, done)
        budget.stage(f"release {done + 1} of {releases}")
        budget.progress(done + 1, releases)
    return state, releases


class Candidates:
    """All people's candidates so far.

    Attributes:
        masks: bit v % 64 of word v // 64 says whether value v is possible; shape (people, words), uint64.
        parts: the value of each attribute in each combination, shape (combinations, attributes); None for plain values.
        versions: in how many releases each person was seen; shape (people,), int32.
        certain_at: the release after which all candidates shared one value of an attribute (a plain value counts as one
            attribute); the largest number if they never did; shape (people, attributes), int32.
        skewed: whether some pool of the person held values with different frequencies; shape (people,), bool.
        vulnerable, disclosed: the number of people whose candidates share a value, and of their versions, after each
            release.
    """

    def __init__(self, people: int, values: int, parts: Codes | None = None) -> None:
        self.masks: Words = np.full((people, max(1, (values + 63) // 64)), ~np.uint64(0))
        self.parts, self.versions = parts, np.zeros(people, dtype=np.int32)
        self.certain_at = np.full((people, 1 if parts is None else parts.shape[1]), _NEVER, dtype=np.int32)
        self.skewed: Flags = np.zeros(people, dtype=np.bool_)
        self.vulnerable, self.disclosed = list[int](), list[int]()

    def fold(self, pools: CandidatePools, release: int) -> None:
        """Intersect everyone's candidates with the values of one more release (Lemma 2)."""
        allowed, flat = pool_masks(pools, self.masks.shape[1])
        # As numpy indexes: otherwise each use of narrower integers would convert these.
        people, pool = pools.person.astype(np.intp), pools.pool.astype(np.intp)
        left = self.masks.take(people, axis=0)
        left &= allowed.take(pool, axis=0)
        _whole_rows(self.masks)[people] = _whole_rows(left)
        self.versions[people] += 1
        if not flat.all():
            self.skewed[people[~flat.take(pool)]] = True
        if self.parts is None:  # Only people with one candidate, or none, change any result.
            few = np.flatnonzero(_at_most_one(left))
            people, left = people[few], left[few]
        at = np.minimum(self.certain_at[people], release)
        self.certain_at[people] = np.where(common_values(left, self.parts) < 0, _NEVER, at)
        certain = self.certain
        self.vulnerable.append(int(np.count_nonzero(certain)))
        self.disclosed.append(int(self.versions[certain].sum(dtype=np.int64)))

    @property
    def certain(self) -> Flags:
        """Return whose candidates share a value; shape (people,), bool."""
        return (self.certain_at != _NEVER).any(axis=1)

    def claims(self) -> Columns:
        """Return person, release and code of each claim about one attribute of a person, in order of people."""
        person, attribute = np.nonzero(self.certain_at != _NEVER)
        value = common_values(self.masks.take(person, axis=0), self.parts)[np.arange(len(person)), attribute]
        code = value if self.parts is None else claimed_code(attribute, value, self.parts.shape[1])
        return person.astype(np.int32), self.certain_at[person, attribute], code

    def possible(self, people: Codes, values: Codes) -> Flags:
        """Return whether each person may have the value at the same index."""
        words = self.masks.shape[1]
        word = self.masks.ravel().take(people if words == 1 else people * np.int64(words) + (values >> 6))
        return (word >> (values & 63).astype(np.uint8)) & np.uint64(1) != 0

    def sizes(self) -> npt.NDArray[np.integer]:
        """Return the number of candidates of each person; shape (people,); undefined for people never seen."""
        return sizes_of(self.masks)

    def listed(self, people: Codes) -> tuple[npt.NDArray[np.intp], Codes]:
        """Return the candidates of some people as pairs: place in `people`, value; in order of places and values."""
        return listed(self.masks.take(people, axis=0))


def _whole_rows(masks: Words) -> npt.NDArray[np.void]:
    """Return the rows of masks as single items, which numpy assigns nine times faster than rows."""
    return masks.view(np.dtype((np.void, masks.itemsize * masks.shape[1])))[:, 0]


def _at_most_one(masks: Words) -> Flags:
    """Return which rows of masks have at most one bit; shape (rows,)."""
    if masks.shape[1] == 1:
        word = masks[:, 0]
        return word & (word - np.uint64(1)) == 0
    return np.asarray(sizes_of(masks) <= 1)
