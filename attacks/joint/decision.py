"""What is known of every choice: ruled out, shown to be possible by a world, or open."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from attacks.joint.arrays import Numbers, mixed
from attacks.joint.network import ConstraintNetwork
from audit.model.arrays import Flags


@dataclass
class Decision:
    """What is known of the columns of a network.

    Attributes:
        network: whose columns they are; all of them are left by people's own groups.
        alive: which are not proved impossible; shape (columns,).
        shown: which are in a world that was found and checked; likewise.
        share: the share of the weight of worlds that have each; NaN where its part was not counted; likewise.
        chosen: the column of each variable in a world that was checked, -1 where none is known; shape (variables,).
        believed: which variables lost something on the word of a solver; shape (variables,).
        trace: a number that is the same for variables with the same values in all worlds that were found, one after the
            other: each time that a variable takes another value, a random number of the old value and the world less
            one of the new value and the world is added; shape (variables,), uint64.
        seen: how many worlds were found.
        worlds: how many worlds there are; None where a part was not counted, or strangers take rows.
        feasible: whether there may be a world at all.
    """

    network: ConstraintNetwork
    alive: Flags
    shown: Flags
    share: npt.NDArray[np.float64]
    chosen: Numbers
    believed: Flags
    trace: npt.NDArray[np.uint64]
    seen: int = 0
    worlds: int | None = None
    feasible: bool = True

    @staticmethod
    def of(network: ConstraintNetwork, alive: Flags, *, feasible: bool) -> Decision:
        """Return what is known after propagation: whoever has no choice has that in every world."""
        owner = network.owner
        single = network.counted(alive) == 1
        shown = alive & (single | network.free)[owner]
        share = np.where(alive, np.nan, 0.0)
        share[shown] = 1.0
        values = np.diff(network.start)
        evenly = network.free[owner]
        share[evenly] = 1.0 / values[owner[evenly]]
        chosen = np.full(network.variables, -1, dtype=np.int64)
        fixed = np.flatnonzero(alive & single[owner])
        chosen[owner[fixed]] = fixed
        chosen[network.free] = network.hint[network.free]
        believed = np.zeros(network.variables, dtype=np.bool_)
        trace = np.zeros(network.variables, dtype=np.uint64)
        return Decision(network, alive.copy(), shown, share, chosen, believed, trace, feasible=feasible)

    def adopt(self, variables: Numbers, columns: Numbers) -> None:
        """Take over what some variables have in a world that was checked, while all others stay."""
        before = self.chosen[variables]
        kind = self.network.kind
        changed = (before >= 0) & (kind[before] != kind[columns])
        old, new = (mixed(kind[some[changed]], self.seen) for some in (before, columns))
        self.trace[variables[changed]] += old - new
        self.chosen[variables] = columns
        self.shown[columns] = True
        self.seen += 1

    def single(self) -> Flags:
        """Return which variables have one class of values left; shape (variables,)."""
        return distinct(self.network, self.alive) == 1

    def decided(self, wanted: Flags) -> bool:
        """Return whether each wanted variable has one class of values left, or two that are shown."""
        one = self.single()
        two = distinct(self.network, self.shown & self.alive) > 1
        return bool((one | two)[wanted].all())


def distinct(network: ConstraintNetwork, some: Flags) -> Numbers:
    """Return how many classes of values each variable has among some columns."""
    if not network.repeats:
        return network.counted(some)
    places = np.flatnonzero(some)
    owner, kind = network.owner[places], network.kind[places]
    new = np.ones(len(places), dtype=np.bool_)
    new[1:] = (owner[1:] != owner[:-1]) | (kind[1:] != kind[:-1])
    return np.bincount(owner[new], minlength=network.variables)
