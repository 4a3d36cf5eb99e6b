"""Knowledge of every choice: ruled out, in a known world, or open."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from attacks.joint.core import OpenSubproblem, core_of
from attacks.joint.network import ConstraintNetwork
from attacks.joint.propagation import Propagation
from attacks.joint.worlds import Worlds
from attacks.ragged import places_of
from audit.model.arrays import Flags, Floats, Numbers
from audit.runtime.budget import Budget

COUNTED = 64
"""Parts with at most this many variables are counted."""


class Knowledge:
    """The knowledge of the columns of a network.

    What is shown follows only from worlds: columns of checked worlds, or of such worlds in which twins, or people who
    can exchange values at will, exchange theirs; and the only column that is left, which every world has.

    Attributes:
        network: whose columns they are; all of them are left by people's own groups.
        worlds: the worlds that were found.
        alive: which columns are not proved impossible; shape (columns,).
        share: the share of the weight of worlds that have each; NaN where its part was not counted; shape (columns,).
        believed: which variables lost something on the word of a solver; shape (variables,).
        number: how many worlds there are; None where a part was not counted, or strangers take rows.
        feasible: whether there may be a world at all.
        wanted: which variables are asked about; shape (variables,).
    """

    def __init__(self, network: ConstraintNetwork, budget: Budget | None = None) -> None:
        """Begin with what people's own groups leave: people without a choice have that value in every world."""
        self.network, self._budget = network, budget or Budget()
        self.alive = np.ones(network.columns, dtype=np.bool_)
        self.feasible = bool((np.diff(network.start) > 0).all())
        self.wanted = np.ones(network.variables, dtype=np.bool_)
        self.worlds = Worlds(network)
        self.believed = np.zeros(network.variables, dtype=np.bool_)
        self.number: int | None = None
        self.share: Floats = np.full(network.columns, np.nan)
        self._core: OpenSubproblem | None = None
        self._shown = np.zeros(network.columns, dtype=np.bool_)
        if self.feasible:
            even = network.even(COUNTED)
            self.adopt(np.flatnonzero(even), network.hint[even])
            self._shown[even[network.owner]] = True
            if network.weighs_alike:
                self.share[self._shown] = 1.0 / np.diff(network.start)[network.owner[self._shown]]
            self._take_singles()
        self._settle_shares()

    @cached_property
    def _propagation(self) -> Propagation:
        return Propagation(self.network)

    @property
    def shown(self) -> Flags:
        """The columns that some known world has; shape (columns,), read-only."""
        found = self._shown.view()
        found.flags.writeable = False
        return found

    @property
    def chosen(self) -> Numbers:
        """The column of each variable in the last known world, -1 if unknown; shape (variables,)."""
        return self.worlds.last

    def adopt(self, variables: Numbers, columns: Numbers) -> None:
        """Adopt the columns of some variables in a world in which all others stay the same.

        Raises:
            AssertionError: it is not a world; this is a bug of the program.
        """
        before = self.chosen[variables]
        new, changed = before < 0, (before >= 0) & (before != columns)
        if new.any() and not self.begin(variables[new], columns[new]):
            raise AssertionError("what was proposed is no world")
        if changed.any():
            self.follow(variables[changed], columns[changed], np.array([np.count_nonzero(changed)]))

    def follow(self, variables: Numbers, columns: Numbers, ends: Numbers) -> None:
        """Adopt consecutive worlds, each given by its changes from the one before (`Worlds.change`).

        Raises:
            AssertionError: one of them is not a world; this is a bug of the program.
        """
        if not self.worlds.change(variables, columns, ends, self.alive):
            raise AssertionError("what was proposed is no world")
        self._shown[columns] = True

    def begin(self, variables: Numbers, columns: Numbers) -> bool:
        """Add a first world of some variables; return whether it is one together with what others have."""
        if not self.worlds.begin(variables, columns, self.alive):
            return False
        self._shown[columns] = True
        return True

    def exchange(self, columns: Numbers, of: Numbers) -> None:
        """Mark columns as possible if a twin's corresponding column is: exchanging twins in a world gives a world.

        Args:
            columns: some columns.
            of: the class of columns of each, which stand in the same places of twins.
        """
        shown = np.zeros(int(of.max(initial=-1)) + 1, dtype=np.bool_)
        shown[of[self._shown[columns]]] = True
        self._shown[columns] = shown[of]

    def narrow(self) -> None:
        """Rule out what single constraints rule out, until nothing changes."""
        self._follow_propagation(feasible=self._propagation.run(self._budget))
        self._settle_shares()

    def rule_out(self, columns: Flags) -> None:
        """Remove columns that are proved impossible, and everything that follows.

        Raises:
            AssertionError: a world that was checked has one of them; this is a bug of the program.
        """
        if (columns & self._shown).any():
            raise AssertionError("a value that a world has was proved impossible")
        if columns.any():
            self._follow_propagation(feasible=self._propagation.remove(columns, self._budget))

    def _follow_propagation(self, *, feasible: bool) -> None:
        self._core, self.alive, self.feasible = None, self._propagation.alive, self.feasible and feasible
        if (self._shown & ~self.alive).any():
            if self.feasible or (self.chosen >= 0).all():
                raise AssertionError("a value that a world has was proved impossible")
            self._shown &= self.alive
        if self.feasible:
            self._take_singles()

    def _settle_shares(self) -> None:
        """Record that no world has a ruled-out column, and that every world has an only remaining column."""
        self.share[~self.alive] = 0.0
        self.share[self._singles()] = 1.0

    def _singles(self) -> Numbers:
        return np.flatnonzero(self.alive & (self.network.counted(self.alive) == 1)[self.network.owner])

    def _take_singles(self) -> None:
        """Mark the only remaining column of each variable as shown; every world has it."""
        fixed = self._singles()
        owner = self.network.owner[fixed]
        new = self.chosen[owner] < 0
        self.feasible = self.begin(owner[new], fixed[new])
        self._shown[fixed] = True

    def undecided(self, enough: int) -> Flags:
        """Return open columns of wanted variables with fewer than `enough` shown options.

        `enough` is 0 where all options matter.
        """
        net = self.network
        column = np.flatnonzero(self.alive & ~self._shown)
        column = column[self.wanted[net.owner[column]]]
        if net.repeats:  # columns of a variable with one class of values are one option
            known = np.zeros(int(net.option[-1]) + 1, dtype=np.bool_)
            known[net.option[self._shown]] = True
            column = column[~known[net.option[column]]]
        if enough and len(column):
            column = column[(distinct(net, self._shown) < enough)[net.owner[column]]]
        found = np.zeros(net.columns, dtype=np.bool_)
        found[column] = True
        return found

    def core(self, columns: Flags, *, known: bool | None = None) -> OpenSubproblem:
        """Return the open parts with some of the columns; if asked, only those with (or without) a known world."""
        if self._core is None:
            self._core = core_of(self.network, self.alive, np.ones(self.network.variables, dtype=np.bool_))
        core = self._core
        parts = np.zeros(core.parts, dtype=np.bool_)
        parts[core.part[core.owner[columns[core.column]]]] = True
        if known is not None:
            unknown = np.zeros(core.parts, dtype=np.bool_)
            unknown[core.part[self.chosen[core.variable] < 0]] = True
            parts &= ~unknown if known else unknown
        return core if parts.all() else core.only(parts)

    def world_in(self, core: OpenSubproblem) -> Numbers:
        """Return the columns of a core in the world that is known, -1 where none is."""
        return self.local(core, self.chosen[core.variable])

    def local(self, core: OpenSubproblem, columns: Numbers) -> Numbers:
        """Return columns of the network by their numbers in a core, -1 where they are not in it."""
        return places_of(columns, core.column)

    def adopt_in(self, core: OpenSubproblem, chosen: Numbers) -> None:
        """Take over the worlds among columns for each variable of a core, in those parts that have one."""
        mine = core.worlds(chosen)[core.part]
        self.adopt(core.variable[mine], core.column[chosen[mine]])
        self.exchange(core.column, core.stands)


def distinct(network: ConstraintNetwork, some: Flags) -> Numbers:
    """Return how many classes of values each variable has among some columns."""
    if not network.repeats:
        return network.counted(some)
    places = np.flatnonzero(some)
    first = np.unique(network.option[places], return_index=True)[1]
    return np.bincount(network.owner[places[first]], minlength=network.variables)
