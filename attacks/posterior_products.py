"""The products of the candidates of many people at once, by the compiled kernels."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from attacks import posterior_products_compiled as kernels
from attacks.candidates import Candidates
from attacks.parallel_rows import shared
from audit.model.arrays import Codes
from audit.model.evidence import CandidatePools, Table, ValueCounts
from audit.runtime.budget import Budget

# A table of pools by values has so many bytes at most; pools that do not fit are looked at later.
_TABLE_BYTES = 1 << 28
# Masks and products of so many people fit into a processor's cache.
_SHIFT = 16


class ListedProducts:
    """The products of the candidates of a range of people, one person's after the other's.

    Attributes:
        slots: how many there are.
        stop: the code after the last person's.
    """

    def __init__(
        self, state: Candidates, risk: npt.NDArray[np.float64], start: tuple[int, int], most: int, budget: Budget
    ) -> None:
        """Make room for the uneven people from a code on, `most` products or those of one person.

        `start` is the code, and where in `risk` the people from it on begin.
        """
        self._state, self._start = state, start
        first = np.empty(len(state.masks) - start[0], dtype=np.uint32)
        self.stop, self.slots = kernels.reserve(state.masks, state.versions, state.skewed, risk, start, most, first)
        self._first = first[: self.stop - start[0]]
        self._weight = np.empty(self.slots)
        # Memory that is new takes the system longer to hand out than it takes to write to.
        shared(budget, self.slots, lambda some: self._weight[some].fill(1.0))

    def multiply(self, pools: CandidatePools, budget: Budget) -> float:
        """Multiply by the rows of each candidate in its person's pool; return by how many bits products may grow."""
        bits = 0
        person, pool = _in_buckets(budget, pools, _SHIFT)
        for low, table in _tables(pools):
            span = self._start[0], self.stop, low, low + len(table)

            def multiply(some: slice, table: Table = table, span: tuple[int, int, int, int] = span) -> None:
                kernels.multiply(person[some], pool[some], self._state.masks, self._first, self._weight, table, span)

            shared(budget, len(person), multiply)
            bits = max(bits, np.iinfo(table.dtype).bits)
        return float(bits)

    def scale(self) -> None:
        """Bring every person's largest product down to about one, by a power of two."""
        kernels.scale(self._state.masks, self._start[0], self._first, self._weight)

    def weigh(self, wanted: Codes, risk: npt.NDArray[np.float64], budget: Budget) -> int:
        """Write the risks of these people, and return where those of the next ones begin.

        They are of the values in `wanted`, by code, or of the likeliest where it is -1 or empty.
        """
        (low, place), state = self._start, self._state

        def weigh(some: slice) -> int:
            first = place + np.count_nonzero(state.versions[low : low + some.start])
            start, mine = (low + some.start, first), self._first[some]
            return int(kernels.weigh(state.masks, state.versions, wanted, start, mine, self._weight, risk))

        return shared(budget, len(self._first), weigh)[-1]


def _tables(pools: CandidatePools) -> Iterator[tuple[int, Table]]:
    """Yield ranges of pools, each its first one and a table of rows by pool and value."""
    if not isinstance(pools.contents, ValueCounts):
        yield 0, pools.contents
        return
    step = max(1, _TABLE_BYTES // max(1, pools.values))
    for low in range(0, pools.n_pools, step):
        yield low, _table(pools.contents, low, min(step, pools.n_pools - low), pools.values)


def _table(contents: ValueCounts, low: int, bags: int, values: int) -> Table:
    """Return the rows of some bags by value, in the smallest type of numbers that is enough."""
    if contents.rows is None:
        table = np.zeros((bags, values), dtype=np.uint8)
        if kernels.count_table(contents.bag, contents.value, table, low):
            return table
    some = np.flatnonzero((contents.bag >= low) & (contents.bag < low + bags))
    rows = None if contents.rows is None else contents.rows[some]
    return ValueCounts(contents.bag[some] - np.int32(low), contents.value[some], rows).tabled(bags, values)


def _in_buckets(budget: Budget, pools: CandidatePools, shift: int) -> tuple[Codes, Codes]:
    """Return the person and the pool of each row, in the order of buckets of 2^`shift` codes of people.

    What is kept of a bucket's people fits into a processor's cache, and threads that share the rows afterwards are far
    from one another: those that write to neighbours in memory wait for each other. Within a bucket rows stay in the
    order that they have.
    """
    rows = len(pools.person)
    person, pool = np.empty_like(pools.person), np.empty_like(pools.pool)
    counts = shared(budget, rows, lambda some: (some.start, kernels.tally(pools.person[some], shift, pools.people)))
    table = np.stack([count for _, count in counts], axis=1)
    begin = np.cumsum(table).reshape(table.shape) - table
    start = {first: begin[:, place].copy() for place, (first, _) in enumerate(counts)}
    shared(
        budget,
        rows,
        lambda some: kernels.gather(pools.person[some], pools.pool[some], shift, start[some.start], person, pool),
    )
    return person, pool
