"""Integer programmes: vectors of a system other than 0, up to some norm, or the proof that there are none."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from attacks.equivalence.blocks import Relation, System
from audit.core.budget import Budget
from audit.core.engine import stopped_by

_EFFORT = 20.0
"""How long one programme may take, in the solver's own deterministic seconds."""


class UnsolvedError(Exception):
    """A programme was neither solved nor proved to have no solution, for lack of time."""


class Programme:
    """The integer vectors of a system up to some norm ||x||₁.

    No entry exceeds the bound over its variable's cost, so that no bound of a variable is a guess. A vector counts
    when it satisfies all relations in exact arithmetic, outside the solver; the solver is trusted with proofs only.
    """

    def __init__(self, system: System, bound: int) -> None:
        from ortools.sat.python import cp_model

        self._sum, self._solver = cp_model.LinearExpr.weighted_sum, cp_model.CpSolver
        self.system, self.bound = system, bound
        limits = [bound // cost for cost in system.cost]
        self.model = cp_model.CpModel()
        self.entries = [self.model.new_int_var(-limit, limit, "") for limit in limits]
        self.sizes = [self.model.new_int_var(0, limit, "") for limit in limits]
        for entry, size in zip(self.entries, self.sizes, strict=True):
            self.model.add(size >= entry)
            self.model.add(size >= -entry)
        self.norm = self._sum(self.sizes, system.cost)
        self.model.add(self.norm <= bound)
        for relation in system.relations:
            self.model.add(self._of(relation) == 0)
        self.positive: dict[Relation, Any] = {}

    def charge(self, groups: Iterable[tuple[Sequence[int], int]]) -> None:
        """Count some groups of variables in the norm with at least a given cost each where they are not all 0."""
        costs = []
        for variables, floor in groups:
            used, cost = self.model.new_bool_var(""), self.model.new_int_var(0, self.bound, "")
            sizes = [self.sizes[variable] for variable in variables]
            for size in sizes:
                self.model.add(size <= self.bound * used)
            self.model.add(cost >= self._sum(sizes, [self.system.cost[variable] for variable in variables]))
            self.model.add(cost >= floor * used)
            costs.append(cost)
        self.model.add(sum(costs) <= self.bound)

    def some(self, forms: Sequence[Relation], budget: Budget, *, presolve: bool = False) -> list[int] | None:
        """Return a vector in which some of these sums of products are not 0, or None when there is none.

        What is asked for is asked for in all later calls as well. Presolving pays where a question is hard.

        Raises:
            UnsolvedError: neither was found out.
        """
        self._require(forms)
        vector, proved = self._solve(budget, presolve=presolve)
        if vector is None and not proved:
            raise UnsolvedError
        return vector

    def least(self, forms: Sequence[Relation], lower: int, budget: Budget) -> tuple[list[int] | None, bool]:
        """Return such a vector with the least norm, known to be at least `lower`, and whether that is proved.

        Returns:
            A vector and true: none is lesser. None and true: there is none. A vector or None and false: not proved.
        """
        self._require(forms)
        self.model.add(self.norm >= lower)
        self.model.minimize(self.norm)
        return self._solve(budget, presolve=True)

    def _of(self, form: Relation) -> Any:  # noqa: ANN401 - the solver's types are not known
        variables, factors = form
        return self._sum([self.entries[variable] for variable in variables], factors)

    def _require(self, forms: Sequence[Relation]) -> None:
        """Ask for one of some sums not to be 0; as good as one above 0, since the negative vector would do as well."""
        for form in forms:
            if form not in self.positive:
                self.positive[form] = self.model.new_bool_var("")
                self.model.add(self._of(form) >= 1).only_enforce_if(self.positive[form])
        self.model.add_bool_or([self.positive[form] for form in forms])

    def _solve(self, budget: Budget, *, presolve: bool) -> tuple[list[int] | None, bool]:
        from ortools.sat.python import cp_model

        solver = self._solver()
        solver.parameters.num_workers = 1
        solver.parameters.random_seed = 1
        solver.parameters.cp_model_presolve = presolve
        solver.parameters.max_deterministic_time = _EFFORT
        left = budget.part(1.0).seconds
        if left is not None:
            solver.parameters.max_time_in_seconds = left
        solver.parameters.catch_sigint_signal = False  # it would leave Ctrl-C to end the process
        with stopped_by(solver.stop_search):
            status = solver.solve(self.model)
        if status == cp_model.INFEASIBLE:
            return None, True
        if status not in {cp_model.OPTIMAL, cp_model.FEASIBLE}:
            return None, False
        vector = [solver.value(entry) for entry in self.entries]
        if not any(vector) or self.system.norm(vector) > self.bound or not self.system.holds(vector):
            return None, False
        return vector, status == cp_model.OPTIMAL
