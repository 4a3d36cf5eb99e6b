"""Integer model: find nonzero vectors of a lattice up to some norm, or prove that there are none.

No entry exceeds the norm divided by its variable's cost, so the bounds of variables are exact. A vector is accepted if
it satisfies all relations in exact arithmetic, outside the solver. That no vector exists is the solver's word, if it
contradicts no known vector; what rests on it is marked (`believed`). Effort is counted in the solver's deterministic
seconds, so that answers do not depend on the machine or its load; only the user's limit is in clock time.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from attacks.equivalence.elimination import Row, TooMuchWorkError
from attacks.equivalence.vector_lattices import Lattice
from audit.runtime.budget import Budget
from audit.runtime.integer_programmes import solved

if TYPE_CHECKING:
    from ortools.sat.python import cp_model

_VARIABLES = 1_500
"""The most variables of a model."""
_EXACT = 1 << 62
"""The limit of any sum in a model: the solver computes in 64 bits."""
_EFFORT = 10.0
"""The solver's limit for one model, in its own deterministic seconds."""


class SolverContradictionError(AssertionError):
    """The solver ruled out a vector that is known to exist: a bug, from which no answer may be derived."""


class IntegerModel:
    """The integer vectors of a lattice up to some norm ||x||₁, with some variables fixed to 0.

    Attributes:
        effort: the solver's remaining time, in deterministic seconds.
        believed: whether only the solver's word says that there is no (further) vector.
    """

    def __init__(self, lattice: Lattice, bound: int, represented_by_twin: frozenset[int] = frozenset()) -> None:
        from ortools.sat.python import cp_model

        self.lattice, self.bound, self.effort, self.believed = lattice, bound, _EFFORT, False
        limit = {
            at: bound // cost for at, cost in enumerate(lattice.cost) if at not in represented_by_twin and cost <= bound
        }
        self._check_size(limit)
        self.model = cp_model.CpModel()
        self.entry = {at: self.model.new_int_var(-most, most, "") for at, most in limit.items()}
        size = {at: self.model.new_int_var(0, most, "") for at, most in limit.items()}
        for at, entry in self.entry.items():
            self.model.add(size[at] >= entry)
            self.model.add(size[at] >= -entry)
        norm = cp_model.LinearExpr.weighted_sum(list(size.values()), [lattice.cost[at] for at in size])
        self.model.add(norm <= bound)
        for relation in lattice.relations:
            row = {at: times for at, times in relation.items() if at in self.entry}
            terms = [self.entry[at] for at in row]
            self.model.add(cp_model.LinearExpr.weighted_sum(terms, list(row.values())) == 0)
        self._positive: dict[int, cp_model.IntVar] = {}

    def _check_size(self, limit: dict[int, int]) -> None:
        """Refuse a model that is too large, or may overflow, before it is built."""
        sums = (sum(abs(times) * limit.get(at, 0) for at, times in row.items()) for row in self.lattice.relations)
        norm = sum(most * self.lattice.cost[at] for at, most in limit.items())
        if len(limit) > _VARIABLES or norm >= _EXACT or any(total >= _EXACT for total in sums):
            raise TooMuchWorkError

    def some(self, wanted: Sequence[int], budget: Budget) -> Row | None:
        """Return a vector in which at least one of these variables is not 0; None if it is proved that there is none.

        All later calls also require this.

        Raises:
            TooMuchWorkError: the limit was reached before either was found.
        """
        wanted = [at for at in wanted if at in self.entry]
        if not wanted:
            return None
        for at in wanted:
            if at not in self._positive:
                self._positive[at] = self.model.new_bool_var("")
                self.model.add(self.entry[at] >= 1).only_enforce_if(self._positive[at])
        # That an entry is positive is as good as not 0, as the negative of a vector is one.
        self.model.add_bool_or([self._positive[at] for at in wanted])
        if self.effort <= 0 or budget.exhausted():
            raise TooMuchWorkError
        answer, solver = solved(self.model, self.effort, budget, cp_model_presolve=False)
        self.effort -= solver.response_proto.deterministic_time
        self.believed = answer == "none"
        if self.believed:
            return None
        values = ((at, solver.value(entry)) for at, entry in self.entry.items() if answer != "unknown")
        vector = {at: times for at, times in values if times}
        if not vector or self.lattice.norm(vector) > self.bound or not self.lattice.holds(vector):
            raise TooMuchWorkError
        return vector


def covering(
    lattice: Lattice,
    wanted: set[int],
    bound: int,
    represented_by_twin: frozenset[int],
    budget: Budget,
    *,
    one: bool = False,
) -> tuple[list[Row], bool, bool]:
    """Return vectors of a lattice up to a norm; each wanted variable that is in any such vector is in one of them.

    With `one`, a single vector with a wanted variable suffices.

    Returns:
        The vectors, whether no wanted variable is missing, and whether that is the solver's word.
    """
    left, vectors = set(wanted), list[Row]()
    for short in lattice.basis:  # this needs no solver, and often it suffices
        if lattice.norm(short) <= bound and not left.isdisjoint(short) and represented_by_twin.isdisjoint(short):
            vectors.append(short)
            left -= set(left if one else short)
    try:
        model = IntegerModel(lattice, bound, represented_by_twin) if left else None
        while model and left and (vector := model.some(sorted(left), budget)) is not None:
            vectors.append(vector)
            left -= set(left if one else vector)
    except TooMuchWorkError:
        return vectors, False, False
    return vectors, True, model is not None and model.believed
