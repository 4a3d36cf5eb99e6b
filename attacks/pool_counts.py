"""How many rows of each value the pools of a release have: as a table or, if that were large, as a sorted list."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from attacks.ragged import ragged
from audit.model.arrays import Codes, Places
from audit.model.evidence import CandidatePools, ValueCounts

_CELLS_PER_ENTRY = 8  # the most cells of a table of counts for each entry; otherwise a sorted list is searched


class PoolCounts:
    """How many rows of each value the pools of a release have."""

    def __init__(self, pools: CandidatePools) -> None:
        self._keys: npt.NDArray[np.int64] | None = None
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
