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
        believed: whether only the solver's word says that there is no vector, or none with a smaller norm.
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
        self.norm = cp_model.LinearExpr.weighted_sum(list(size.values()), [lattice.cost[at] for at in size])
        self.model.add(self.norm <= bound)
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
        self._require(wanted)
        vector, proved = self._solved(budget, presolve=False)
        if vector is None and not proved:
            raise TooMuchWorkError
        self.believed = vector is None
        return vector

    def least(self, wanted: Sequence[int], known: Row | None, lower: int, budget: Budget) -> tuple[Row | None, bool]:
        """Return a vector with the least norm, or None for none, and whether that is proved.

        Args:
            wanted: variables of which at least one is not 0.
            known: a vector of the lattice whose norm is the model's bound, if there is one.
            lower: a lower bound of the norm of such vectors.
            budget: the time limit.

        Raises:
            SolverContradictionError: the solver rules out the known vector.
        """
        wanted = [at for at in wanted if at in self.entry]
        if not wanted:
            return None, True
        self._require(wanted)
        self.model.add(self.norm >= lower)
        if known is not None:
            sign = 1 if any(known.get(at, 0) > 0 for at in wanted) else -1
            for at, entry in self.entry.items():
                self.model.add_hint(entry, sign * known.get(at, 0))
        self.model.minimize(self.norm)
        vector, proved = self._solved(budget, presolve=True)
        if vector is None and proved and known is not None:
            raise SolverContradictionError("the solver rules out a vector that satisfies all relations")
        self.believed = proved and (vector is None or self.lattice.norm(vector) > lower)
        return vector, proved

    def _require(self, wanted: Sequence[int]) -> None:
        """Require that one of some entries is positive; not 0 is equivalent, as the negative of a vector is one."""
        for at in wanted:
            if at not in self._positive:
                self._positive[at] = self.model.new_bool_var("")
                self.model.add(self.entry[at] >= 1).only_enforce_if(self._positive[at])
        self.model.add_bool_or([self._positive[at] for at in wanted])

    def _solved(self, budget: Budget, *, presolve: bool) -> tuple[Row | None, bool]:
        """Return a vector, or None, and whether it is proved that there is none (smaller)."""
        if self.effort <= 0 or budget.exhausted():
            return None, False
        answer, solver = solved(self.model, self.effort, budget, cp_model_presolve=presolve)
        self.effort -= solver.response_proto.deterministic_time
        if answer in {"none", "unknown"}:
            return None, answer == "none"
        vector = {at: times for at, entry in self.entry.items() if (times := solver.value(entry))}
        if not vector or self.lattice.norm(vector) > self.bound or not self.lattice.holds(vector):
            return None, False
        return vector, answer == "best"


def covering(
    lattice: Lattice, wanted: set[int], bound: int, represented_by_twin: frozenset[int], budget: Budget
) -> tuple[list[Row], bool, bool]:
    """Return vectors of a lattice up to a norm; each wanted variable that is in any such vector is in one of them.

    Returns:
        The vectors, whether no wanted variable is missing, and whether that is the solver's word.
    """
    left, vectors = set(wanted), list[Row]()
    for short in lattice.basis:  # this needs no solver, and often it suffices
        if lattice.norm(short) <= bound and not left.isdisjoint(short) and represented_by_twin.isdisjoint(short):
            vectors.append(short)
            left -= set(short)
    try:
        model = IntegerModel(lattice, bound, represented_by_twin) if left else None
        while model and left and (vector := model.some(sorted(left), budget)) is not None:
            vectors.append(vector)
            left -= set(vector)
    except TooMuchWorkError:
        return vectors, False, False
    return vectors, True, model is not None and model.believed
