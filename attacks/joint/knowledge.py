"""What is known of every choice: ruled out, in a world that was found, or open."""

from __future__ import annotations

import numpy as np

from attacks.joint.arrays import Numbers
from attacks.joint.network import ConstraintNetwork
from attacks.joint.worlds import Worlds
from audit.model.arrays import Flags, Floats


class Knowledge:
    """What is known of the columns of a network.

    What is shown follows from worlds alone: columns of worlds that were checked, or of such worlds in which twins, or
    people who can exchange values at will, exchange theirs; and the only column that is left, which every world has.

    Attributes:
        network: whose columns they are; all of them are left by people's own groups.
        alive: which are not proved impossible; shape (columns,).
        worlds: the worlds that were found.
        share: the share of the weight of worlds that have each; NaN where its part was not counted; likewise.
        believed: which variables lost something on the word of a solver; shape (variables,).
        number: how many worlds there are; None where a part was not counted, or strangers take rows.
        feasible: whether there may be a world at all.
    """

    def __init__(self, network: ConstraintNetwork, alive: Flags, *, feasible: bool = True) -> None:
        """Begin with what propagation leaves: who has no choice has that in every world."""
        self.network, self.alive, self.feasible = network, alive.copy(), feasible
        self.worlds = Worlds(network)
        self.believed = np.zeros(network.variables, dtype=np.bool_)
        self.number: int | None = None
        evenly = network.free[network.owner]
        self._shown = alive & evenly
        self.share: Floats = np.full(network.columns, np.nan)
        self.share[evenly] = 1.0 / np.diff(network.start)[network.owner[evenly]]
        if feasible:
            self._begin(np.flatnonzero(network.free), network.hint[network.free])
            self._take_singles()
        self.settle_shares()

    @property
    def shown(self) -> Flags:
        """Which columns some world has; shape (columns,), not to be written to."""
        found = self._shown.view()
        found.flags.writeable = False
        return found

    @property
    def chosen(self) -> Numbers:
        """The column of each variable in the last world, -1 where none is known; shape (variables,)."""
        return self.worlds.last

    def adopt(self, variables: Numbers, columns: Numbers) -> None:
        """Take over what some variables have in a world, while all others stay.

        Raises:
            AssertionError: it is no world; this is a bug of the program.
        """
        before = self.chosen[variables]
        new, changed = before < 0, (before >= 0) & (before != columns)
        if new.any():
            self._begin(variables[new], columns[new])
        if changed.any():
            self.follow(variables[changed], columns[changed], np.array([np.count_nonzero(changed)]))

    def follow(self, variables: Numbers, columns: Numbers, ends: Numbers) -> None:
        """Take over worlds that follow one another, each by what it changes in the one before (`Worlds.change`).

        Raises:
            AssertionError: one of them is no world; this is a bug of the program.
        """
        if not self.worlds.change(variables, columns, ends, self.alive):
            raise AssertionError("what was proposed is no world")
        self._shown[columns] = True

    def _begin(self, variables: Numbers, columns: Numbers) -> None:
        if not self.worlds.begin(variables, columns, self.alive):
            raise AssertionError("what was proposed is no world")
        self._shown[columns] = True

    def exchange(self, columns: Numbers, of: Numbers) -> None:
        """Show columns of variables by those of their twins, with whom they exchange all in the twins' worlds.

        Args:
            columns: some columns.
            of: the class of columns of each, which stand in the same places of twins.
        """
        shown = np.zeros(int(of.max(initial=-1)) + 1, dtype=np.bool_)
        shown[of[self._shown[columns]]] = True
        self._shown[columns] = shown[of]

    def rule_out(self, alive: Flags, *, feasible: bool) -> None:
        """Take over what is left.

        Raises:
            AssertionError: a world that was checked has something of what is not; this is a bug of the program.
        """
        self.alive, self.feasible = alive, self.feasible and feasible
        if (self._shown & ~alive).any():
            if self.feasible or (self.chosen >= 0).all():
                raise AssertionError("a value that a world has was proved impossible")
            self._shown &= alive
        if self.feasible:
            self._take_singles()

    def settle_shares(self) -> None:
        """Say of what is ruled out that no world has it, and of the only column left that every world does."""
        self.share[~self.alive] = 0.0
        self.share[self._singles()] = 1.0

    def _singles(self) -> Numbers:
        return np.flatnonzero(self.alive & (self.network.counted(self.alive) == 1)[self.network.owner])

    def _take_singles(self) -> None:
        """Show what is the only column left of a variable; there is no world without these."""
        fixed = self._singles()
        owner = self.network.owner[fixed]
        new = self.chosen[owner] < 0
        self.feasible = self.worlds.begin(owner[new], fixed[new], self.alive)
        self._shown[fixed] = True

    def single(self) -> Flags:
        """Return which variables have one class of values left; shape (variables,)."""
        return distinct(self.network, self.alive) == 1

    def decided(self, asked: Flags) -> bool:
        """Return whether each variable asked about has one class of values left, or two that are shown."""
        two = distinct(self.network, self._shown & self.alive) > 1
        return bool((self.single() | two)[asked].all())


def distinct(network: ConstraintNetwork, some: Flags) -> Numbers:
    """Return how many classes of values each variable has among some columns."""
    if not network.repeats:
        return network.counted(some)
    places = np.flatnonzero(some)
    owner, kind = network.owner[places], network.kind[places]
    new = np.ones(len(places), dtype=np.bool_)
    new[1:] = (owner[1:] != owner[:-1]) | (kind[1:] != kind[:-1])
    return np.bincount(owner[new], minlength=network.variables)
