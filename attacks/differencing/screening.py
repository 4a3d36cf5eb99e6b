"""Questions about sums of nodes, settled many at a time by solutions that are known and by the bounds of the nodes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from attacks.differencing.lattice import Ids
from attacks.differencing.propagation import LOWER, UPPER, Ends
from attacks.differencing.sums import BoxSums
from audit.model.arrays import Counts, Flags
from audit.model.count_tables import NOTHING, OPEN, RECOVERED
from audit.model.json_types import UNBOUNDED

Verdicts = npt.NDArray[np.int8]


@dataclass
class Screened:
    """What is known of sums.

    Attributes:
        verdict: shape (sums,); `OPEN` where something is left to find out.
        proved: bounds that all solutions keep; shape (2, sums).
        seen: least and greatest count in the solutions looked at; shape (2, sums).
    """

    verdict: Verdicts
    proved: Ends
    seen: Ends


def screen(sums: BoxSums, ends: Ends, points: Counts, min_count: int, small: Flags) -> Screened:
    """Settle what can be settled at once of questions whether counts are `small`; shape (sums,).

    `ends` are bounds of all nodes, `points` some solutions; shape (solutions, nodes), -1 for what is not known.
    """
    size = len(sums.boxes)
    found = Screened(
        np.full(size, OPEN, dtype=np.int8),
        np.stack([np.zeros(size, dtype=np.int64), np.full(size, UNBOUNDED)]),
        np.stack([np.full(size, UNBOUNDED), np.full(size, -1)]),
    )
    for every in sums.chunks():
        left = every
        for point in points:
            value, known = sums.values(left, point)
            _note(found, left[known], value[known])
            nothing = small[left] & _is_nothing(found.seen[:, left], min_count)
            found.verdict[left[nothing]] = NOTHING
            left = left[~nothing]
        _bound(found, left, sums.bounds(left, ends), small, min_count)
    return found


def _note(found: Screened, places: Ids, value: Counts) -> None:
    found.seen[LOWER][places] = np.minimum(found.seen[LOWER][places], value)
    found.seen[UPPER][places] = np.maximum(found.seen[UPPER][places], value)


def _is_nothing(seen: Ends, min_count: int) -> Flags:
    """Return which counts the solutions show not to be certainly small."""
    least, most = seen
    return (most >= least) & ((least <= 0) | (most >= min_count) | (most - least + 1 >= min_count - 1))


def _bound(found: Screened, places: Ids, bounds: Ends, small: Flags, min_count: int) -> None:
    low, high = bounds
    found.proved[:, places] = bounds
    one = low == high
    found.seen[:, places[one]] = bounds[:, one]
    far = (low >= min_count) | (high <= 0)
    found.verdict[places[small[places] & far]] = NOTHING
    if min_count > 1:
        found.verdict[places[small[places] & one & ~far]] = RECOVERED
