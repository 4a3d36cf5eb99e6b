"""Sets of values as bits, 64 a word: bit v % 64 of word v // 64 says whether value v is in the set.

All functions take several sets, of shape (sets, words).

`PoolCounts` holds how many rows of each value the pools of a release have: as a table or, if that were large, as a
sorted list. `Candidates` are the candidate values of all people at once, as such sets that are intersected release by
release; both per-person attacks use them. A person's candidates after some releases are the intersection of the pools
of these releases. It keeps for each person one bit for each value, a count of versions, and a release number. Cost for
each release: linear in people and entries. Compiled kernels would save a hundredth of a second for a million rows, less
than loading them takes.

Source: m-invariance paper, Definition 15 and Lemma 2.

Risks of values that never change, as products of shares in each person's own groups.

Risk of value v: prod_j c_j(v) / sum_u prod_j c_j(u), with c_j(v) the rows of value v in the person's pool of
release j. This is not risk(t) of the m-invariance paper (Definition 14), which counts surjections onto all people, but
an estimate: publishing the same release twice may raise it. If every pool of a person holds its values equally often,
it is one divided by the number of candidates, and no product is computed. Products are only stored for candidates.

The sums over paths (`update_graph`) give the same numbers if each value is followed by itself alone, but take 4.9 s of
processor time in place of 0.4 s for the 4.2 million rows of S1-diverse, of 3.5 s that the whole command takes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from audit.model.arrays import (
    Codes,
    Columns,
    Flags,
    Floats,
    Integers,
    Numbers,
    Places,
    Words,
    batches,
    blocks,
    numbered,
    ragged,
    starts,
)
from audit.model.evidence import CandidatePools, Evidence, Table, ValueCounts, claimed_code
from audit.model.measures import Measures
from audit.model.outcome import BELOW_ONE, RiskQuery, Risks, ValuesLeft
from audit.runtime.budget import Budget
from audit.runtime.phrases import say

_CELLS_PER_ENTRY = 8  # the most cells of a table of counts for each entry; otherwise a sorted list is searched


class PoolCounts:
    """How many rows of each value the pools of a release have."""

    def __init__(self, pools: CandidatePools) -> None:
        self._keys: Numbers | None = None
        self._pools, self._values = pools.n_pools, pools.values
        if isinstance(pools.contents, ValueCounts):
            bag, value, rows = pools.contents
            if pools.n_pools * pools.values > _CELLS_PER_ENTRY * (len(bag) + len(pools.person)):
                self._keys, place = np.unique(bag * np.int64(pools.values) + value, return_inverse=True)
                self._counts = _small(np.bincount(place, rows))
                return
        table = _small(pools.table())
        self._counts, (self._pools, self._values) = table.ravel(), table.shape

    @property
    def most(self) -> int:
        """The most rows of one value in any pool, at least 1."""
        return int(self._counts.max(initial=1))

    def of(self, pool: Codes, length: Places, value: Codes) -> npt.NDArray[np.number]:
        """Return how many rows pools have of given values; shape (values,).

        Args:
            pool: the pools.
            length: how many of the values belong to each pool, in order.
            value: values that the pools hold; shape (values,).
        """
        place = np.repeat(pool * np.int64(self._values), length)
        place += value
        return self._counts.take(place if self._keys is None else np.searchsorted(self._keys, place))

    def by_value(self, pool: Codes) -> npt.NDArray[np.number]:
        """Return how many rows each of some pools has of every value of the releases so far; shape (pools, values)."""
        if self._keys is None:
            return self._counts.reshape(self._pools, self._values).take(pool, axis=0)
        first = pool * np.int64(self._values)
        start, stop = self._keys.searchsorted(first), self._keys.searchsorted(first + self._values)
        row, entry = np.repeat(np.arange(len(pool)), stop - start), ragged(start, stop - start)
        found = np.zeros((len(pool), self._values), dtype=self._counts.dtype)
        found[row, self._keys.take(entry) - first.take(row)] = self._counts.take(entry)
        return found


def _small(counts: npt.NDArray[np.number]) -> npt.NDArray[np.number]:
    """Return counts in the type that takes the least memory."""
    return counts.astype(np.min_scalar_type(int(counts.max(initial=0))), copy=False)


_DENSE_CELLS = 1 << 26
_AT_A_TIME = 1 << 14


def sizes_of(sets: Words) -> Integers:
    """Return how many values each set has; shape (sets,)."""
    size: Integers = np.bitwise_count(sets[:, 0])
    for word in range(1, sets.shape[1]):
        size = size + np.bitwise_count(sets[:, word]).astype(np.int32)
    return size


def first_values(sets: Words) -> Codes:
    """Return the first value of each set, -1 where it is empty; shape (sets,), int32."""
    word = np.argmax(sets != 0, axis=1)
    lowest = sets[np.arange(len(sets)), word]
    bit = np.bitwise_count((lowest & (~lowest + np.uint64(1))) - np.uint64(1))
    return np.where(lowest != 0, word * 64 + bit, -1).astype(np.int32)


def contain(sets: Words, places: Integers, values: Codes) -> Flags:
    """Return whether the sets at some places contain the values at the same indices; shape (places,), bool."""
    word = sets.ravel().take(places * np.int64(sets.shape[1]) + (values >> 6))
    return (word >> (values & 63).astype(np.uint8)) & np.uint64(1) != 0


def listed(masks: Words) -> tuple[Places, Codes]:
    """Return the values whose bits are set as pairs of a row of masks and a value, in order."""
    places, values = [np.zeros(0, dtype=np.intp)], [np.zeros(0, dtype=np.int32)]
    width = masks.shape[1] * 64
    for first in range(0, len(masks), _AT_A_TIME):
        octets = np.ascontiguousarray(masks[first : first + _AT_A_TIME]).view(np.uint8)
        place, value = divmod(np.flatnonzero(np.unpackbits(octets, bitorder="little").view(np.bool_)), width)
        places.append(place + first)
        values.append(value.astype(np.int32))
    return np.concatenate(places), np.concatenate(values)


def values_left(masks: Words, person: Codes, counted: Flags | None) -> ValuesLeft:
    """Return the values of each person's set in a release; all occur in worlds if people are judged separately.

    Args:
        masks: the set of each person, as bits; shape (people, words).
        person: codes; shape (people,).
        counted: which of the people count; None for all.
    """
    place, value = listed(masks)
    every, unknown = np.ones(len(place), dtype=np.bool_), np.full(len(place), np.nan)
    return ValuesLeft(person[place], value, every, every if counted is None else counted[place], unknown)


def common_values(masks: Words, parts: Codes | None) -> Codes:
    """Return the value of each attribute that all members of a set share; shape (sets, attributes), int32, else -1.

    Args:
        masks: the sets, as bits; shape (sets, words).
        parts: the value of each attribute in each combination, shape (combinations, attributes); None for plain values,
            which are one attribute: a set shares a value if it has only one.
    """
    if parts is None:
        return np.where(sizes_of(masks) == 1, first_values(masks), np.int32(-1))[:, np.newaxis]
    found = np.full((len(masks), parts.shape[1]), -1, dtype=np.int32)
    first = first_values(masks)
    rows = np.flatnonzero(first >= 0)
    for attribute in range(parts.shape[1]):
        value = parts[:, attribute]
        different = np.zeros((int(value.max(initial=-1)) + 1, masks.shape[1] * 64), dtype=np.bool_)
        different[:, : len(value)] = np.arange(len(different))[:, None] != value
        beside = np.packbits(different, axis=1, bitorder="little").view(np.uint64)
        own = value[first[rows]]
        shared = ~(masks[rows] & beside[own]).any(axis=1)
        found[rows[shared], attribute] = own[shared]
    return found


def pool_masks(pools: CandidatePools, words: int) -> tuple[Words, Flags]:
    """Return the values of each pool as bits, shape (pools, words), and whether each pool holds them equally often."""
    if not isinstance(pools.contents, ValueCounts):
        return _table_masks(pools.contents, words)
    n = pools.n_pools
    bag, _, rows = pools.contents
    masks = value_masks(pools.contents, n, words)
    entries = np.bincount(bag, minlength=n)
    distinct = np.bitwise_count(masks).sum(axis=1, dtype=np.int64)
    flat = entries == distinct
    if rows is not None:
        # Equal counts are those for which the Cauchy-Schwarz inequality is an equality.
        count = rows.astype(np.float64)
        total = np.bincount(bag, count, n)
        flat &= np.bincount(bag, count * count, n) * entries == total * total
    return masks, flat


def value_masks(contents: ValueCounts, bags: int, words: int) -> Words:
    """Return the values of each bag as bits; shape (bags, words)."""
    if bags * words * 64 > _DENSE_CELLS:  # it takes seven times longer than a table, which would be large
        masks = np.zeros(bags * words, dtype=np.uint64)
        place, bit = contents.bag.astype(np.int64) * words + contents.value // 64, contents.value % 64
        np.bitwise_or.at(masks, place, np.uint64(1) << bit.astype(np.uint64))
        return masks.reshape(-1, words)
    cells = np.zeros((bags, words * 64), dtype=np.uint8)
    cells.ravel()[contents.bag.astype(np.int64) * (words * 64) + contents.value] = 1
    return np.packbits(cells, axis=1, bitorder="little").view(np.uint64)


def _table_masks(table: Table, words: int) -> tuple[Words, Flags]:
    """Return the result of `pool_masks` for pools that are given as a table of rows by value."""
    held = table != 0
    masks = np.zeros((len(table), words * 8), dtype=np.uint8)
    packed = np.packbits(held, axis=1, bitorder="little")
    masks[:, : packed.shape[1]] = packed
    flat = (~held | (table == table.max(axis=1, keepdims=True, initial=0))).all(axis=1)
    return masks.view(np.uint64), flat


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
        skewed = None if flat.all() else ~flat
        for block in blocks(len(pools.person)):
            # As numpy indexes: otherwise each use of narrower integers would convert these.
            people, pool = pools.person[block].astype(np.intp), pools.pool[block].astype(np.intp)
            left = self.masks.take(people, axis=0)
            left &= allowed.take(pool, axis=0)
            _whole_rows(self.masks)[people] = _whole_rows(left)
            self.versions[people] += 1
            if skewed is not None:
                self.skewed[people[skewed.take(pool)]] = True
            if self.parts is None:  # Only people with one candidate, or none, change any result.
                few = np.flatnonzero(sizes_of(left) <= 1)
                people, left = people[few], left[few]
            at = np.minimum(self.certain_at[people], release)
            self.certain_at[people] = np.where(common_values(left, self.parts) < 0, _NEVER, at)
        certain = self.certain
        self.vulnerable.append(int(np.count_nonzero(certain)))
        self.disclosed.append(int(self.versions[certain].sum(dtype=np.int64)))

    def left(self, evidence: Evidence, release: int) -> ValuesLeft:
        """Return the candidates of the people in a release."""
        pools = evidence.pools(release)
        order = np.argsort(pools.person, kind="stable")
        person = pools.person[order]
        return values_left(self.masks[person], person, None if pools.counted is None else pools.counted[order])

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

    def sizes(self) -> Integers:
        """Return the number of candidates of each person; shape (people,); undefined for people never seen."""
        return sizes_of(self.masks)

    def listed(self, people: Codes) -> tuple[Places, Codes]:
        """Return the candidates of some people as pairs: place in `people`, value; in order of places and values."""
        return listed(self.masks.take(people, axis=0))


def _whole_rows(masks: Words) -> npt.NDArray[np.void]:
    """Return the rows of masks as single items, which numpy assigns nine times faster than rows."""
    return masks.view(np.dtype((np.void, masks.itemsize * masks.shape[1])))[:, 0]


# How many products are in memory at once; each further range of people takes another pass over the releases.
_LEAST_SLOTS, _MOST_SLOTS = 1 << 22, 3 << 26
_MOST_BITS = 900.0


class MeasuresWithProducts(Measures):
    """Measures beside which risks are products of shares."""

    def notes(self, attack: str) -> Iterator[str]:
        """Yield how to read risks below 1, if there are any."""
        if isinstance(self.timeline, list) and len(self.timeline) > 1 and self.found < (self.subjects or 0):
            yield say(
                "A risk by intersection or update-graph is a product of shares in the person's own groups. It is "
                "not a posterior probability over all worlds: publishing the same release twice raises it. The risk"
                " by joint is a posterior probability, where it is exact."
            )


@dataclass(frozen=True)
class CandidateRisks:
    """Products of shares when values never change."""

    evidence: Evidence
    state: Candidates

    def risks(self, asked: RiskQuery, budget: Budget) -> Risks | None:
        """Return the risk of each person; NaN without candidates, or if the requested value is not a candidate."""
        state, wanted = self.state, asked.of_people()
        seen = np.flatnonzero(state.versions).astype(np.int32)
        sizes = state.sizes()[seen]
        risk = np.full(len(seen), np.nan)
        np.divide(1.0, sizes, out=risk, where=sizes > 0)
        value = np.full(len(seen), -1, dtype=np.int32) if wanted is None else wanted.take(seen)
        impossible = ~contain(state.masks, seen, np.maximum(value, 0))
        risk[impossible & (value >= 0)] = np.nan
        parts = state.parts
        uneven = np.flatnonzero(state.skewed.take(seen) if parts is None else sizes > 1)
        uneven = uneven[(sizes[uneven] > 1) & ~np.isnan(risk[uneven])]
        if parts is not None:
            certain = state.certain[seen[uneven]]
            risk[uneven[certain]] = 1.0
            uneven = uneven[~certain]
        for part in batches(sizes[uneven], self._most):
            people = seen[uneven[part]]
            products = _Products(people, state)
            if not self._multiplied(products, people, budget):
                return None
            best, total = products.weigh(value[uneven[part]])
            for column in () if parts is None else parts.T:
                best = np.maximum(best, products.weigh_part(value[uneven[part]], column))
            risk[uneven[part]] = np.minimum(best / total, BELOW_ONE)
        return Risks(seen, np.broadcast_to(np.int32(-1), len(seen)), state.versions[seen], risk)

    @property
    def _most(self) -> int:
        """The most products to keep in memory at once."""
        return min(max(_LEAST_SLOTS, self.evidence.rows // 2), _MOST_SLOTS)

    def _multiplied(self, products: _Products, people: Codes, budget: Budget) -> bool:
        """Multiply the weights of some people's candidates over all releases; return whether the budget sufficed."""
        local = numbered(people, len(self.state.versions))
        bits = 0.0
        for pools in self.evidence.stream():
            if budget.exhausted():
                return False
            bits += products.multiply(pools, local)
            if bits > _MOST_BITS - 64:
                products.scale()
                bits = 0.0
        return True


class _Products:
    """The products of the candidates of some people, person by person."""

    def __init__(self, people: Codes, state: Candidates) -> None:
        self.place, self.candidate = state.listed(people)
        self.length = np.bincount(self.place, minlength=len(people))
        self.start = starts(self.length)
        self.weight = np.ones(len(self.place))

    def multiply(self, pools: CandidatePools, local: Codes) -> float:
        """Multiply by the rows of each candidate in its person's pool; return by how many bits products may grow."""
        counts, most = PoolCounts(pools), 1
        for block in blocks(len(pools.person)):
            owner = local.take(pools.person[block])
            rows = np.flatnonzero(owner >= 0)
            owner = owner.take(rows).astype(np.intp)
            length = self.length.take(owner)
            stop = np.cumsum(length)
            slots = np.repeat(self.start.take(owner) - stop + length, length)
            slots += np.arange(len(slots))
            factor = counts.of(pools.pool[block].take(rows), length, self.candidate.take(slots))
            self.weight[slots] = self.weight.take(slots) * factor
            most = max(most, int(factor.max(initial=1)))
        return float(np.log2(most))

    def scale(self) -> None:
        """Divide the products of every person by a power of two so that the largest is about one."""
        _, exponent = np.frexp(np.maximum.reduceat(self.weight, self.start[:-1]))
        self.weight = np.ldexp(self.weight, -exponent[self.place])

    def weigh(self, value: Codes) -> tuple[Floats, Floats]:
        """Return the product of each person's requested value (the largest product for -1), and the sum of products."""
        best = np.maximum.reduceat(self.weight, self.start[:-1])
        wanted = np.flatnonzero(self.candidate == value[self.place])
        best[self.place[wanted]] = self.weight[wanted]
        return best, np.add.reduceat(self.weight, self.start[:-1])

    def weigh_part(self, value: Codes, part: Codes) -> Floats:
        """Return the sum of products of combinations with the requested one's part; for -1, the largest such sum."""
        key, place = np.unique(self.place * np.int64(part.max() + 1) + part[self.candidate], return_inverse=True)
        sums = np.bincount(place, weights=self.weight)
        best = np.zeros(len(value))
        np.maximum.at(best, key // (part.max() + 1), sums)
        wanted = np.flatnonzero(value >= 0)
        best[wanted] = sums[np.searchsorted(key, wanted * np.int64(part.max() + 1) + part[value[wanted]])]
        return best
