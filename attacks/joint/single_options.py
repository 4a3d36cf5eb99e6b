"""Single options: may somebody have one at all, as a whole person?

The support of fractions says only that a part of a person can. Here an option is asked for in *balls* of blocks around
the person, by a linear programme or in whole numbers. Everybody outside staying as in a known world, a whole answer is
a world. Everybody outside being left out, an option that stays below one is impossible, and the weights of the rows
prove it; where there are no whole numbers, a solver is believed. Mostly a few blocks are enough; balls grow until they
are, or are too hard.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from attacks.joint.arrays import Numbers
from attacks.joint.core import OpenSubproblem
from attacks.joint.neighbourhood import Ball, Neighbourhood
from attacks.joint.refutations import refuted, rounded
from attacks.joint.solvers import Answer, from_world, in_whole_numbers, row_weights, whole
from audit.model.arrays import Flags
from audit.runtime.budget import Budget

IN_FRACTIONS, IN_WHOLE_NUMBERS = (24, 96, 192), (12, 24, 48, 96)
"""How many blocks a ball has, one after the other as long as nothing follows. Large ones are hopeless for CP-SAT."""
WORK = 0.05
"""Deterministic seconds of CP-SAT for one ball, some tenths of a second: what is easy takes less, more helps little."""
_BELOW_ONE = 1 - 1e-6


@dataclass
class PartAnswer:
    """What was found of a part.

    Attributes:
        world: a world of it, -1 where none is known; shape (variables,).
        variables, columns: what each world that was found changes in the one before, world by world.
        weights: what proves columns impossible, one row of the core for each.
        believed: columns that are impossible on a solver's word; shape (columns,).
        asked: columns of options that were asked for and are still open; likewise.
    """

    world: Numbers
    believed: Flags
    asked: Flags
    variables: list[Numbers] = field(default_factory=list)
    columns: list[Numbers] = field(default_factory=list)
    weights: list[Numbers] = field(default_factory=list)


class PartQuestions:
    """Asks for options of one part, one after the other, and keeps what was found."""

    def __init__(
        self, core: OpenSubproblem, chosen: Numbers, shown: Flags, budget: Budget, *, search_integers: bool
    ) -> None:
        """Begin with a world of the part, -1 where none is known; shape (variables,); and with what is shown."""
        nothing = np.zeros(len(core.kind), dtype=np.bool_)
        self.core, self.found = core, PartAnswer(chosen.copy(), nothing, nothing.copy())
        self._around, self._place = Neighbourhood(core), core.classes.places(core)
        self._seen, self._refuted = nothing.copy(), nothing.copy()
        self._seen[self._place[shown]] = True  # of twins, in the place of the one that stands for them
        self._budget, self._integers = budget, search_integers

    def ask(self, asked: Flags, enough: int) -> PartAnswer:
        """Ask for columns until so many options of each variable are shown (0: all), or a solver has to be believed.

        Where some are enough, whichever is left will do in whole numbers: they are asked for together.
        """
        core, found = self.core, self.found
        question = core.owner if enough and self._integers else core.option
        for each in np.unique(question[asked]).tolist():
            some = np.flatnonzero((question == each) & asked)
            variable = int(core.owner[some[0]])
            while not (enough and self._options_shown(variable) >= enough):
                known = np.isin(core.option[some], core.option[some[self._seen[self._place[some]]]])
                some = some[~(known | self._refuted[some] | found.asked[some])]
                if not len(some) or found.believed.any() or self._budget.exhausted():
                    break
                if self.decide(variable, some) == "unknown":
                    found.asked |= self._alike(some)
        return found

    def _options_shown(self, variable: int) -> int:
        columns = slice(int(self.core.start[variable]), int(self.core.start[variable + 1]))
        return len(np.unique(self.core.kind[columns][self._seen[self._place[columns]]]))

    def _alike(self, columns: Numbers) -> Flags:
        """Return some columns, and those of twins in their place; shape (columns,)."""
        some = np.zeros(len(self.core.kind), dtype=np.bool_)
        some[columns] = True
        return self.core.classes.shared(self.core, some)

    def decide(self, variable: int, columns: Numbers) -> Answer:
        """Return whether a world that gives a variable, or a twin of it, one of some columns was found, or is none."""
        known = bool((self.found.world >= 0).all())
        for most in IN_WHOLE_NUMBERS if self._integers else IN_FRACTIONS:
            blocks, everything = self._around.around(variable, most)
            for fixed in (True, False):
                if self._budget.exhausted():
                    return "unknown"
                if fixed and (not known or (everything and self._integers)):
                    continue
                ball = self._around.ball(variable, blocks, self.found.world if fixed else None)
                if ball is None:
                    continue
                ask = self._in_whole_numbers if self._integers else self._in_fractions
                answer, number = ask(ball, columns, fixed=fixed)
                if number is not None and (fixed or everything) and self._take_world(ball, number):
                    return "found"
                if answer == "none" and not fixed:
                    return "none"
                if answer == "unknown":  # larger balls are harder
                    return "unknown"
            if everything:
                break
        return "unknown"

    def _take_world(self, ball: Ball, number: Numbers) -> bool:
        chosen = ball.model.world(number)
        if not ball.core.worlds(chosen).all():
            return False
        columns = ball.column[chosen]
        changed = columns != self.found.world[ball.variable]
        self.found.world[ball.variable] = columns
        self.found.variables.append(ball.variable[changed])
        self.found.columns.append(columns[changed])
        self._seen[self._place[columns]] = True
        return True

    def _in_fractions(self, ball: Ball, columns: Numbers, *, fixed: bool) -> tuple[Answer | None, Numbers | None]:
        mine = ball.columns(columns)
        found = from_world(ball.model, ball.held(self.found.world), mine, self._budget, stay=fixed)
        if found is None:
            return None, None
        if fixed:
            number = whole(ball.model, found.value)
            return None, number if number[mine].any() else None
        if found.value[mine].sum() > _BELOW_ONE:
            return None, None
        wanted = np.isin(ball.column, columns)
        weights = list[Numbers]()
        for weight in rounded(ball.core, row_weights(ball.core, found), wanted):
            weights.append(np.zeros_like(self.core.capacity))
            weights[-1][ball.row] = weight
        proved = refuted(self.core, weights)
        if not proved[columns].all():
            return None, None
        self.found.weights += weights
        self._refuted |= proved
        return "none", None

    def _in_whole_numbers(self, ball: Ball, columns: Numbers, *, fixed: bool) -> tuple[Answer, Numbers | None]:
        hint = ball.held(self.found.world) if (self.found.world >= 0).all() else None
        answer, number = in_whole_numbers(ball.model, ball.columns(columns).tolist(), hint, WORK, self._budget)
        if answer == "none" and not fixed:
            self.found.believed |= self._alike(columns)
            self._refuted |= self.found.believed
        return answer, number


def questions(
    core: OpenSubproblem,
    chosen: Numbers,
    shown: Flags,
    asked: Flags,
    enough: int,
    budget: Budget,
    *,
    search_integers: bool,
) -> PartAnswer:
    """Ask for columns of a part (`PartQuestions.ask`); what an engine is given to do."""
    return PartQuestions(core, chosen, shown, budget, search_integers=search_integers).ask(asked, enough)
