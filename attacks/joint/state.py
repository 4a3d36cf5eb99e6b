"""What is known so far of a network, and what of it is left to do."""

from __future__ import annotations

import numpy as np

from attacks.joint.arrays import Numbers, segments
from attacks.joint.core import OpenSubproblem, core_of
from attacks.joint.knowledge import Knowledge
from attacks.joint.network import ConstraintNetwork
from attacks.joint.propagation import Propagation
from attacks.joint.single_options import PartAnswer
from audit.model.arrays import Flags
from audit.runtime.budget import Budget


class State:
    """A decision under way.

    Attributes:
        network, decision, budget: what is decided, what is known of it, and how long it may take.
        wanted: which variables are asked about, in time fewer, never more; shape (variables,).
    """

    def __init__(self, network: ConstraintNetwork, budget: Budget) -> None:
        self.network, self.budget = network, budget
        self._propagation = Propagation(network)
        self.decision = Knowledge(network, self._propagation.alive, feasible=self._propagation.feasible)
        self.wanted = np.ones(network.variables, dtype=np.bool_)
        # Variables with options that are neither known nor ruled out: these become fewer, never more.
        undecided = self.decision.alive & ~self.decision.shown
        self._unsettled = np.flatnonzero(np.bincount(network.owner[undecided], minlength=network.variables))
        self._core: OpenSubproblem | None = None
        # The part of each variable when it was last in a core: parts fall apart, but never grow together.
        self._part = np.zeros(network.variables, dtype=np.int64)
        self._covered = np.zeros(1, dtype=np.bool_)

    def narrow(self) -> None:
        """Rule out what single constraints rule out, to a fixpoint."""
        before, feasible = self.decision.alive, self._propagation.run(self.budget)
        self.decision.rule_out(self._propagation.alive, feasible=feasible)
        self.decision.settle_shares()
        if not np.array_equal(before, self.decision.alive):
            self._core = None

    def undecided(self, enough: int) -> Flags:
        """Return columns of options of which no world is known, of wanted variables with fewer than enough that are.

        `enough` is 0 where all options matter.
        """
        decision, net = self.decision, self.network
        column = segments(net.start, self._unsettled)
        owner = np.repeat(np.arange(len(self._unsettled)), np.diff(net.start)[self._unsettled])
        kind, first = net.kind[column], np.ones(len(column), dtype=np.bool_)
        # Columns of a variable with one class of values are one option.
        first[1:] = (kind[1:] != kind[:-1]) | (owner[1:] != owner[:-1])
        option = np.cumsum(first) - 1
        known = np.zeros(np.count_nonzero(first), dtype=np.bool_)
        known[option[decision.shown[column]]] = True
        known = known[option]
        left = decision.alive[column] & ~known
        unsettled = np.bincount(owner[left], minlength=len(self._unsettled)) > 0
        asked = unsettled & self.wanted[self._unsettled]
        if enough:
            asked &= np.bincount(owner[first & known], minlength=len(asked)) < enough
        undecided = np.zeros(net.columns, dtype=np.bool_)
        undecided[column[left & asked[owner]]] = True
        self._unsettled = self._unsettled[unsettled]
        return undecided

    def core(self, columns: Flags, *, known: bool | None = None) -> OpenSubproblem:
        """Return the open parts with some of the columns; if asked, only those of which a world is known (or none)."""
        core = self._covering(columns)
        parts = np.zeros(core.parts, dtype=np.bool_)
        parts[core.part[core.owner[columns[core.column]]]] = True
        if known is not None:
            unknown = np.zeros(core.parts, dtype=np.bool_)
            unknown[core.part[self.decision.chosen[core.variable] < 0]] = True
            parts &= ~unknown if known else unknown
        return core if parts.all() else core.only(parts)

    def largest(self) -> int:
        """Return how many variables the largest open part has."""
        return int(np.bincount(self._covering(self.decision.alive).part).max(initial=0))

    def _covering(self, columns: Flags) -> OpenSubproblem:
        """Return a core that has all open parts with some columns; it is made anew of these parts alone."""
        asked = np.zeros(len(self._covered), dtype=np.bool_)
        asked[self._part[self.network.owner[columns]]] = True
        if self._core is not None and not (asked & ~self._covered).any():
            return self._core
        everybody = np.ones(self.network.variables, dtype=np.bool_)
        self._core = core = core_of(self.network, self.decision.alive, everybody, among=asked[self._part])
        # Whoever is among them and not in the core is in no open part any more.
        self._covered = np.concatenate([asked, np.ones(core.parts, dtype=np.bool_)])
        self._part[core.variable] = len(asked) + core.part
        return core

    def chosen(self, core: OpenSubproblem) -> Numbers:
        """Return the columns of a core in the world that is known, -1 where none is."""
        return self.local(core, self.decision.chosen[core.variable])

    def local(self, core: OpenSubproblem, columns: Numbers) -> Numbers:
        """Return columns of the network by their numbers in a core, -1 where they are not in it."""
        number = np.full(self.network.columns + 1, -1, dtype=np.int64)
        number[core.column] = np.arange(len(core.column))
        return number[columns]  # -1 is the last number, which is nobody's

    def adopt(self, core: OpenSubproblem, chosen: Numbers) -> Flags:
        """Take over the worlds among columns for each variable of a core; tell which parts have one; shape (parts,)."""
        worlds = core.worlds(chosen)
        mine = worlds[core.part]
        self.decision.adopt(core.variable[mine], core.column[chosen[mine]])
        return worlds

    def adopt_found(self, part: OpenSubproblem, base: Numbers, found: PartAnswer) -> None:
        """Take over worlds of a part that were found one after the other, the first of them from a base."""
        now = self.chosen(part)
        back = np.flatnonzero((now != base) & (base >= 0)) if found.variables else np.zeros(0, dtype=np.int64)
        for variables, columns in zip([back, *found.variables], [base[back], *found.columns], strict=True):
            self.decision.adopt(part.variable[variables], part.column[columns])

    def share_among_twins(self, core: OpenSubproblem) -> None:
        """Take over for each variable in a core what is shown of its twins."""
        self.decision.exchange(core.column, core.classes.places(core))

    def rule_out(self, columns: Flags) -> None:
        """Take columns away that are proved impossible, and all that follows.

        Raises:
            AssertionError: a world that was checked has one of them; this is a bug of the program.
        """
        decision = self.decision
        if not columns.any():
            return
        if (columns & decision.shown).any():
            raise AssertionError("a value that a world has was proved impossible")
        self._propagation.alive = decision.alive
        feasible = self._propagation.remove(columns, self.budget)
        decision.rule_out(self._propagation.alive, feasible=feasible)
        self._core = None
