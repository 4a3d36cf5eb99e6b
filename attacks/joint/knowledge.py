"""Knowledge about every column of a network: ruled out, in a known world (shown), or open."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from attacks.joint.cardinality import Propagation
from attacks.joint.core import OpenSubproblem, core_of
from attacks.joint.network import ConstraintNetwork
from attacks.joint.worlds import Worlds
from audit.model.arrays import Flags, Floats, Numbers, flagged, places_of
from audit.runtime.budget import Budget

COUNTED = 64
"""Worlds are counted in parts with at most this many variables."""


class Knowledge:
    """What is known about the columns of a network.

    A column is shown only by worlds: it is in a checked world, or in one where twins, or people who can exchange values
    freely, have exchanged theirs; or it is the only remaining column of its variable, which every world has.

    Attributes:
        network: the network; its columns are the values that people's own groups leave.
        worlds: the worlds that were found.
        alive: which columns are not proved impossible; shape (columns,), bool.
        share: the share of the weight of worlds that have each column; NaN if its part was not counted; (columns,).
        believed: which variables lost a column on the word of a solver; shape (variables,), bool.
        number: how many worlds there are; None if a part was not counted, the number is too long to print, or the
            adversary does not know groups.
        feasible: false if it is proved that there is no world.
        wanted: which variables are asked about; shape (variables,), bool.
    """

    def __init__(self, network: ConstraintNetwork, budget: Budget | None = None) -> None:
        """Begin with the columns that people's own groups leave; the only column of a variable is in every world."""
        self.network, self._budget = network, budget or Budget()
        self.alive = np.ones(network.columns, dtype=np.bool_)
        self.feasible = bool((np.diff(network.start) > 0).all())
        self.wanted = np.ones(network.variables, dtype=np.bool_)
        self.worlds = Worlds(network)
        self.believed = np.zeros(network.variables, dtype=np.bool_)
        self.number: int | None = None
        self.share: Floats = np.full(network.columns, np.nan)
        self._core: OpenSubproblem = network
        self._is_current = False
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
        """The columns that some known world has; shape (columns,), bool, read-only."""
        found = self._shown.view()
        found.flags.writeable = False
        return found

    @property
    def chosen(self) -> Numbers:
        """The column of each variable in the last known world, -1 if unknown; shape (variables,)."""
        return self.worlds.last

    def adopt(self, variables: Numbers, columns: Numbers) -> None:
        """Adopt a world that gives some variables new columns and leaves all others as they are.

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
        """Adopt consecutive worlds, each given by its changes from the one before; arguments as in `Worlds.change`.

        Raises:
            AssertionError: one of them is not a world; this is a bug of the program.
        """
        if not self.worlds.change(variables, columns, ends, self.alive):
            raise AssertionError("what was proposed is no world")
        self._shown[columns] = True

    def begin(self, variables: Numbers, columns: Numbers) -> bool:
        """Adopt a first world of some variables; return false if it is none together with the other variables."""
        if not self.worlds.begin(variables, columns, self.alive):
            return False
        self._shown[columns] = True
        return True

    def exchange(self, columns: Numbers, of: Numbers) -> None:
        """Mark columns as shown if a twin's corresponding column is: if twins exchange columns, a world is still one.

        Args:
            columns: some columns; shape (n,).
            of: a number for each that corresponding columns of twins share; shape (n,).
        """
        shown = flagged(of[self._shown[columns]], int(of.max(initial=-1)) + 1)
        self._shown[columns] = shown[of]

    def narrow(self) -> None:
        """Rule out the columns that single constraints rule out, until nothing changes."""
        self._follow_propagation(feasible=self._propagation.run(self._budget))
        self._settle_shares()

    def rule_out(self, columns: Flags) -> None:
        """Remove columns that are proved impossible, and what propagation then rules out.

        Raises:
            AssertionError: a world that was checked has one of them; this is a bug of the program.
        """
        if (columns & self._shown).any():
            raise AssertionError("a value that a world has was proved impossible")
        if columns.any():
            self._follow_propagation(feasible=self._propagation.remove(columns, self._budget))

    def _follow_propagation(self, *, feasible: bool) -> None:
        self.alive, self.feasible = self._propagation.alive, self.feasible and feasible
        self._is_current = False
        if (self._shown & ~self.alive).any():
            if self.feasible or (self.chosen >= 0).all():
                raise AssertionError("a value that a world has was proved impossible")
            self._shown &= self.alive
        if self.feasible:
            self._take_singles()

    def _settle_shares(self) -> None:
        """Set the shares of columns that are ruled out to 0, and of only remaining columns to 1."""
        self.share[~self.alive] = 0.0
        self.share[self._singles()] = 1.0

    def _singles(self) -> Numbers:
        return np.flatnonzero(self.alive & (self.network.counted(self.alive) == 1)[self.network.owner])

    def _take_singles(self) -> None:
        """Mark the only remaining column of a variable as shown; there is no world if these columns are none."""
        fixed = self._singles()
        owner = self.network.owner[fixed]
        new = self.chosen[owner] < 0
        self.feasible = self.begin(owner[new], fixed[new])
        self._shown[fixed] = True

    def undecided(self, enough: int) -> Flags:
        """Return the open columns of wanted variables with fewer than `enough` shown options; shape (columns,), bool.

        If `enough` is 0, all open columns of wanted variables are returned whose option is not shown.
        """
        net = self.network
        column = np.flatnonzero(self.alive & ~self._shown)
        column = column[self.wanted[net.owner[column]]]
        if net.repeats:  # columns of a variable with one class of values are one option
            known = flagged(net.option[self._shown], int(net.option[-1]) + 1)
            column = column[~known[net.option[column]]]
        if enough and len(column):
            column = column[(distinct(net, self._shown) < enough)[net.owner[column]]]
        return flagged(column, net.columns)

    def core(self, columns: Flags, *, known: bool | None = None) -> OpenSubproblem:
        """Return the undecided parts that contain some of the given columns.

        Args:
            columns: the given columns; shape (columns,), bool.
            known: if given, only parts with (or without) a known world are returned.
        """
        core = self._core
        if not self._is_current:  # what the last core lacks was decided then
            core = core_of(core, self.alive[core.column], np.ones(core.variables, dtype=np.bool_))
            self._core, self._is_current = core, True
        parts = flagged(core.part[core.owner[columns[core.column]]], core.parts)
        if known is not None:
            unknown = flagged(core.part[self.chosen[core.variable] < 0], core.parts)
            parts &= ~unknown if known else unknown
        return core if parts.all() else core.only(parts)

    def world_in(self, core: OpenSubproblem) -> Numbers:
        """Return the column of each variable of a core in the known world, by its numbers; -1 if none is known."""
        return places_of(self.chosen[core.variable], core.column)

    def adopt_in(self, core: OpenSubproblem, chosen: Numbers) -> None:
        """Adopt the given column of each variable in those parts of a core where these columns are a world."""
        good = core.worlds(chosen)[core.part]
        self.adopt(core.variable[good], core.column[chosen[good]])
        self.exchange(core.column, core.twin_column)


def distinct(network: ConstraintNetwork, columns: Flags) -> Numbers:
    """Return how many classes of values the given columns of each variable have; shape (variables,)."""
    if not network.repeats:
        return network.counted(columns)
    places = np.flatnonzero(columns)
    first = np.unique(network.option[places], return_index=True)[1]
    return np.bincount(network.owner[places[first]], minlength=network.variables)
