"""Feasible values of everybody's versions, when values change along known transitions: sets as bits.

The kernel of `update-graph`, release by release. A version (one person in one release) has a set of values, and knows
the person's version before it. A new release gives each of its versions those values of its pool that may follow some
value of the version before; then versions are pruned backwards, to values that some value of the version after may
follow, for as long as anything changes. What may follow a set is looked up byte by byte: the values that may follow
some of eight values are in a table, for each of the 256 subsets of the eight.

Cost: versions x values / 8 look-ups, forwards; backwards as many for each version whose set changes. Memory: 12 bytes
a version for up to 64 values. Source: m-Distinct paper, Section III (Definitions 10 and 11).

There is no compiled twin: look-ups in tables are what numpy is quick at, and a kernel that did the same row by row took
as long, and 40 MB to load.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from attacks.common_parts import common_values
from attacks.value_sets import first_values, longer, pool_masks, sizes_of
from audit.model.arrays import Codes, Flags, Places, Words
from audit.model.evidence import CandidatePools, Evidence, claimed_code
from audit.runtime.budget import Budget

Slots = npt.NDArray[np.int32]

_AT_A_TIME = 1 << 16  # rows, which stay in a processor's cache from one look at them to the next
_SPARSE = 32  # codes for each of some people: a bit for each code takes as much memory as the people's codes
_NONE = np.int32(-1)


class SetTable:
    """What becomes of sets of values under a relation of values to values.

    Args:
        allowed: whether value j is in the relation with value i; shape (values, values).

    Attributes:
        table: the values that are in the relation with some value of each subset of each eight values, as bits; shape
            (words, eights, 256), uint64.
    """

    def __init__(self, allowed: Flags) -> None:
        values, words = len(allowed), max(1, (len(allowed) + 63) // 64)
        octets = max(1, (values + 7) // 8)
        packed = np.zeros((octets * 8, words * 8), dtype=np.uint8)
        packed[:values, : (values + 7) // 8] = np.packbits(allowed, axis=1, bitorder="little")
        of_value = packed.view(np.uint64).reshape(octets, 8, words)
        subset = np.arange(256)
        self.table = np.zeros((words, octets, 256), dtype=np.uint64)
        for bit in range(8):
            held = subset >> bit & 1 != 0
            self.table[:, :, held] |= np.moveaxis(of_value[:, bit], 1, 0)[:, :, None]

    def image(self, sets: Words) -> Words:
        """Return the values that are in the relation with some value of each set; shape (sets, words)."""
        octets = sets.view(np.uint8).reshape(len(sets), 8 * sets.shape[1])
        found = np.empty_like(sets)
        for word, (first, *others) in enumerate(self.table):
            image = first.take(octets[:, 0])
            for octet, table in enumerate(others, start=1):
                image |= table.take(octets[:, octet])
            found[:, word] = image
        return found


@dataclass
class FeasibleValues:
    """The feasible values of all versions in the releases so far; versions are numbered release by release.

    Within a release they are in the order of people, so that those of one person are in like places of all releases,
    and memory is gone through from one end to the other.

    Attributes:
        disclosed: versions with one feasible value after each release.
        ends: where the versions of each release begin, and those of the last one end.
    """

    evidence: Evidence
    budget: Budget
    disclosed: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        if self.evidence.transitions is None:
            raise ValueError("feasible values need transitions")
        allowed = self.evidence.transitions.weight > 0
        self._after, self._before = SetTable(allowed), SetTable(allowed.T)
        rows, words = self.evidence.rows, max(1, (len(allowed) + 63) // 64)
        self._sets = np.empty((rows, words), dtype=np.uint64)
        self._earlier = np.empty(rows, dtype=np.int32)
        self._silent = np.zeros(0, dtype=np.bool_)
        self._last = np.zeros(0, dtype=np.int32)
        self._people: list[Codes] = []
        self.ends = [0]

    def run(self) -> None:
        """Take the releases into account one after the other, as many as the budget suffices for; done once."""
        releases = len(self.evidence.tags)
        for done, pools in enumerate(self.evidence.stream()):
            if self.budget.exhausted():
                break
            self._take(pools)
            self.budget.stage(f"release {done + 1} of {releases}")
            self.budget.progress(done + 1, releases)
        # Which version is before which need not be kept as long as the sets are.
        self._earlier, self._last = self._earlier[:0].copy(), self._last[:0].copy()

    def sets(self, release: int) -> Words:
        """Return the feasible values of a release's versions, in the order of people; shape (versions, words)."""
        return self._sets[self.ends[release] : self.ends[release + 1]]

    def counting(self, release: int) -> tuple[Codes, Words]:
        """Return the people of a release's versions that count, and their feasible values; shape (versions, words)."""
        person, sets = self._people[release], self.sets(release)
        if not len(self._silent):
            return person, sets
        rows = np.flatnonzero(~self._silent[self.ends[release] : self.ends[release + 1]])
        return person[rows], sets[rows]

    def certain_values(self, sets: Words) -> tuple[npt.NDArray[np.intp], Codes]:
        """Return the place of each of some sets that has one value, and this value.

        Of sets of combinations: each attribute of which all have one value, as the code of a claim about it.
        """
        if self.evidence.combined is None:
            one = np.flatnonzero(sizes_of(sets) == 1)
            return one, first_values(sets[one])
        common = common_values(sets, first_values(sets), self.evidence.combined.parts())
        row, attribute = np.nonzero(common >= 0)
        code = np.zeros(len(row), dtype=np.int32)
        for each in range(common.shape[1]):
            mine = np.flatnonzero(attribute == each)
            code[mine] = claimed_code(each, common[row[mine], each], common.shape[1])
        return row, code

    def _take(self, pools: CandidatePools) -> None:
        pools = by_person(pools)
        first, rows = self.ends[-1], len(pools.person)
        self._make_room(first + rows, pools.people)
        self._people.append(pools.person)
        self.ends.append(first + rows)
        if pools.counted is not None:
            self._silent = longer(self._silent, len(self._sets), fill=False)
            self._silent[first : first + rows] = ~pools.counted
        allowed, _ = pool_masks(pools, self._sets.shape[1])

        more = 0
        for start in range(0, rows, _AT_A_TIME):
            more += self._extend(pools, allowed, slice(start, min(start + _AT_A_TIME, rows)))
        self.disclosed.append((self.disclosed[-1] if self.disclosed else 0) + more)

    def _extend(self, pools: CandidatePools, allowed: Words, some: slice) -> int:
        """Add some versions of the last release, and return how many more versions are disclosed."""
        person, first = pools.person[some], self.ends[-2] + some.start
        slots = np.arange(first, first + len(person), dtype=np.int32)
        sets = allowed.take(pools.pool[some], axis=0)
        if pools.fixed is not None:
            known = np.flatnonzero(pools.fixed[some] >= 0)
            value = pools.fixed[some][known]
            sets[known] = 0
            sets[known, value >> 6] = np.uint64(1) << (value & 63).astype(np.uint64)
        earlier = self._last.take(person)
        again = np.flatnonzero(earlier >= 0)
        before = earlier.take(again).astype(np.intp)
        old = self._sets.take(before, axis=0)
        left = sets.take(again, axis=0) & self._after.image(old)
        _put(sets, again, left)
        self._sets[first : first + len(person)] = sets
        self._earlier[first : first + len(person)] = earlier
        self._last[person.astype(np.intp)] = slots
        return self._singles(sets, slots) + self._prune(before, old, left)

    def _prune(self, slots: Places, old: Words, after: Words) -> int:
        """Drop values of versions that lead nowhere any more, and of those before them.

        Args:
            slots: versions of distinct people; shape (n,).
            old: the feasible values of each so far; shape (n, words).
            after: the feasible values of the version after each; shape (n, words).

        Returns:
            How many more versions are disclosed.
        """
        more = 0
        while len(slots):
            new = old & self._before.image(after)
            changed = np.flatnonzero(_differ(old, new))
            slots, after = slots.take(changed), new.take(changed, axis=0)
            _put(self._sets, slots, after)
            more += self._singles(after, slots) - self._singles(old.take(changed, axis=0), slots)
            earlier = self._earlier.take(slots)
            going = np.flatnonzero(earlier >= 0)
            slots, after = earlier.take(going).astype(np.intp), after.take(going, axis=0)
            old = self._sets.take(slots, axis=0)
        return more

    def _singles(self, sets: Words, slots: Slots | Places) -> int:
        """Return how many of some versions have one value, or something in common, and count."""
        if self.evidence.combined is None:
            single = np.asarray(sizes_of(sets) == 1)
        else:
            common = common_values(sets, first_values(sets), self.evidence.combined.parts())
            single = np.asarray((common >= 0).any(axis=1))
        if len(self._silent):
            single &= ~self._silent.take(slots)
        return int(np.count_nonzero(single))

    def _make_room(self, versions: int, people: int) -> None:
        if versions > len(self._sets):
            self._sets = longer(self._sets, versions + versions // 4, 0)
            self._earlier = longer(self._earlier, len(self._sets), 0)
        if len(self._silent):
            self._silent = longer(self._silent, len(self._sets), fill=False)
        if people > len(self._last):
            self._last = longer(self._last, people + people // 4, _NONE)


def by_person(pools: CandidatePools) -> CandidatePools:
    """Return pools with their people in ascending order."""
    order = order_by_person(pools)
    return replace(
        pools,
        person=pools.person.take(order),
        pool=pools.pool.take(order),
        counted=None if pools.counted is None else pools.counted.take(order),
        fixed=None if pools.fixed is None else pools.fixed.take(order),
    )


def order_by_person(pools: CandidatePools) -> Slots | Places:
    """Return the places of a release's people in the order of their codes; shape (n,)."""
    person = pools.person
    if bool((person[1:] > person[:-1]).all()):
        return np.arange(len(person), dtype=np.int32)
    if pools.people > _SPARSE * len(person):
        return np.argsort(person)
    # A place for each code that there is, read from one end to the other, takes a tenth of the time of sorting.
    place = np.full(pools.people, _NONE)
    place[person.astype(np.intp)] = np.arange(len(person), dtype=np.int32)
    return place[place >= 0]


def _differ(sets: Words, others: Words) -> Flags:
    """Return which of some sets differ from those in their place; word by word, as rows are short."""
    found = np.not_equal(sets[:, 0], others[:, 0])
    for word in range(1, sets.shape[1]):
        found |= sets[:, word] != others[:, word]
    return found


def _put(sets: Words, places: Places, those: Words) -> None:
    """Put some sets in their places; word by word, as numpy puts rows of words more slowly."""
    for word in range(sets.shape[1]):
        sets[:, word][places] = those[:, word]
