"""How probable the changes of values are that the columns of a core stand for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from attacks.joint.core import OpenSubproblem
from attacks.joint.knowledge import Knowledge
from attacks.joint.network import ConstraintNetwork
from audit.model.evidence import Evidence, Transitions


@dataclass(frozen=True)
class Steps:
    """How probable changes of values are.

    Attributes:
        weight: of each class of values following each; None where all worlds weigh the same.
        own: a factor for each column of the core: what steps from and to versions outside weigh; None likewise.
    """

    weight: Mapping[tuple[int, int], Fraction] | None = None
    own: Sequence[Fraction] | None = None

    def of(self, columns: slice) -> Steps:
        """Return the same for some columns."""
        return Steps(self.weight, None if self.own is None else self.own[columns])


def steps_of(evidence: Evidence, decision: Knowledge, core: OpenSubproblem) -> Steps:
    """Return how probable changes of values are for the columns of a core."""
    network, transitions = decision.network, evidence.transitions
    if transitions is None:
        return Steps()
    if network.may is None:
        return _stays(transitions, network, core)
    exact = transitions.exact
    own = [Fraction(1)] * len(core.kind)
    owner = core.owner.tolist()
    single = np.bincount(network.owner[decision.alive], minlength=network.variables) == 1
    fixed = np.full(network.variables, -1, dtype=np.int64)
    some = np.flatnonzero(decision.alive & single[network.owner])
    fixed[network.owner[some]] = network.kind[some]
    before = {int(b): int(fixed[a]) for a, b in network.link[fixed[network.link[:, 0]] >= 0].tolist()}
    after = {int(a): int(fixed[b]) for a, b in network.link[fixed[network.link[:, 1]] >= 0].tolist()}
    for column, kind in enumerate(core.kind.tolist()):
        variable = int(core.variable[owner[column]])
        if variable in before:
            own[column] *= exact.get((before[variable], kind), Fraction(0))
        if variable in after:
            own[column] *= exact.get((kind, after[variable]), Fraction(0))
    return Steps(exact, own)


def _stays(transitions: Transitions, network: ConstraintNetwork, core: OpenSubproblem) -> Steps:
    """Return the same where each step stays within a class of values, all of whose members are equally probable."""
    first = np.full(int(network.kind_of.max(initial=0)) + 1, -1)
    first[network.kind_of[::-1]] = np.arange(len(network.kind_of))[::-1]
    stay = {kind: transitions.exact.get((value, value), Fraction(1)) for kind, value in enumerate(first.tolist())}
    linked = np.zeros(network.variables, dtype=np.bool_)
    linked[network.link.reshape(-1)] = True
    times = np.bincount(network.versions.variable, minlength=network.variables)
    times = np.where(linked, 0, times - 1)[core.variable[core.owner]]
    own = [stay[kind] ** power for kind, power in zip(core.kind.tolist(), times.tolist(), strict=True)]
    return Steps({(kind, kind): weight for kind, weight in stay.items()}, own)
