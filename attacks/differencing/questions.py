"""What is asked about counts, and what bounds and integer solutions say of it."""

from __future__ import annotations

from copy import copy

import numpy as np
import numpy.typing as npt

from attacks.differencing.lattice import Ids
from attacks.differencing.propagation import LOWER, UPPER, Ends
from audit.model.arrays import Counts, Flags
from audit.model.count_tables import NARROWED, NOTHING, OPEN, RECOVERED, SMALL, CountTables
from audit.model.json_types import UNBOUNDED


class Questions:
    """Questions, each about the count of a node, or of a sum of nodes: sums are numbered after the nodes.

    Attributes:
        node: shape (questions,); the node or sum of each.
        protected: shape (questions,); whether it is about a hidden count.
    """

    def __init__(self, tables: CountTables, node: Ids, protected: Flags) -> None:
        self.node = node
        self.protected = protected
        self.min_count = tables.min_count
        self.min_width = tables.min_width

    def with_sums(self, sums: Ids, protected: Flags) -> Questions:
        """Return these questions and others about sums."""
        both = copy(self)
        both.node = np.concatenate([self.node, sums])
        both.protected = np.concatenate([self.protected, protected])
        return both

    def decide(self, proved: Ends, seen: Ends) -> np.ndarray[tuple[int], np.dtype[np.int8]]:
        """Return the verdict on each question; `OPEN` where it is not certain, or a finding is not yet exact.

        `proved` are bounds that every solution keeps, `seen` the least and greatest counts of solutions.
        """
        low, high = proved[LOWER][self.node], proved[UPPER][self.node]
        least, most = seen[LOWER][self.node], seen[UPPER][self.node]
        exact = (low == least) & (high == most)
        width = most - least + 1
        result = np.full(len(self.node), OPEN, dtype=np.int8)
        hidden = self.protected
        result[hidden & (width >= self.min_width)] = NOTHING
        result[hidden & exact & (width < self.min_width)] = NARROWED
        wide = (least <= 0) & (most >= 0) | (most >= self.min_count) | (width >= self.min_count - 1)
        wide |= (low >= self.min_count) | (high <= 0)
        result[~hidden & wide & (most >= least)] = NOTHING
        small = ~hidden & exact & ~wide
        result[small] = SMALL
        result[(small | (hidden & (self.min_width > 1))) & exact & (width == 1)] = RECOVERED
        return result

    def is_settled(self, place: int, proved: Ends, seen: Ends, *, exactly: bool) -> bool:
        """Return whether one question is settled; a finding whose exact interval is not known is, unless `exactly`."""
        node = self.node[place : place + 1]
        one = copy(self)
        one.node, one.protected = np.zeros(1, dtype=np.int64), self.protected[place : place + 1]
        proved, seen = proved[:, node], seen[:, node]
        return bool(one.decide(proved, seen)[0] != OPEN or (not exactly and one.is_finding(proved)[0]))

    def wishes(
        self, some: npt.NDArray[np.intp], proved: Ends, seen: Ends, rng: np.random.Generator
    ) -> tuple[Ids, Counts, Counts]:
        """Return where solutions would settle some questions: nodes, and limits between which their counts should lie.

        That is outside of what a finding allows, or at an end of what is proved that no solution has reached.
        """
        node = self.node[some]
        low, high, least, most = proved[LOWER][node], proved[UPPER][node], seen[LOWER][node], seen[UPPER][node]
        down = np.where(least == low, False, np.where(most == high, True, rng.random(len(some)) < 0.5))
        free = ~self.protected[some] & ~self.is_finding(proved)[some]
        # A count of 0, or one that is large enough, settles that nothing small is certain.
        down = np.where(free & (low > 0) & (high >= self.min_count), False, down)
        down = np.where(free & (low <= 0) & (high < self.min_count), True, down)
        wish_low = np.where(down, low, np.where(high >= UNBOUNDED, most + 1, high))
        wish_high = np.where(down, low, high)
        finding = self.is_finding(proved)[some]
        hidden = self.protected[some]
        # A count that is no finding yet need not reach its ends: one other value is enough for a hidden one.
        easy = hidden & ~finding
        wish_low = np.where(easy & ~down, np.minimum(most + 1, wish_low), wish_low)
        wish_high = np.where(easy & down, np.maximum(least - 1, wish_high), wish_high)
        wish_low = np.where(free & ~down & (high >= self.min_count), self.min_count, wish_low)
        node, first = np.unique(node, return_index=True)
        return node, wish_low[first], wish_high[first]

    def is_finding(self, proved: Ends) -> Flags:
        """Return which questions are findings whatever their exact interval is."""
        low, high = proved[LOWER][self.node], proved[UPPER][self.node]
        width = high - low + 1
        small = (low >= 1) & (high < self.min_count) & ((width == 1) | (width < self.min_count - 1))
        return np.where(self.protected, (width < self.min_width) & (high < UNBOUNDED), small)

    def bounded(self, verdict: np.ndarray[tuple[int], np.dtype[np.int8]], proved: Ends) -> np.ndarray:
        """Return the verdict on findings by their proved bounds, where their exact interval is not known."""
        one = proved[LOWER][self.node] == proved[UPPER][self.node]
        kind = np.where(one, RECOVERED, np.where(self.protected, NARROWED, SMALL)).astype(np.int8)
        return np.where((verdict == OPEN) & self.is_finding(proved), kind, verdict)
