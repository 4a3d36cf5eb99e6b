"""Ever: the share of worlds in which a person has one of some values in any release.

What is computed is the share of worlds in which the person is *clean*: never has one of the values. A column represents
a class of values, within which the members of a group may exchange values: in a release, the probability that its
person is clean is the share of the class's rows with other values. If a person has one variable, the share is a sum
over its columns. If a person has several, linked by transitions, the worlds of the part are counted once more with
these probabilities as factors, and divided by the weight of all worlds.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from attacks.joint.core import OpenSubproblem, core_of
from attacks.joint.counting import WorldCounter, steps_of
from attacks.joint.knowledge import Knowledge
from attacks.joint.network import ConstraintNetwork
from attacks.joint.values import WorldRisks, listed_values
from audit.model.arrays import Flags, Floats, Numbers, flagged
from audit.model.evidence import Evidence
from audit.model.outcome import BELOW_ONE, EverKnown
from audit.runtime.budget import Budget

# The limits of counting steps for one person of a part, and of columns in all such counts.
STEPS, STEPS_IN_ALL = 20_000, 2_000_000


def ever(evidence: Evidence, decision: Knowledge, grave: Flags, budget: Budget) -> EverKnown:
    """Return for each person whether they had a grave value in any release.

    Args:
        evidence: the evidence of the decision.
        decision: the knowledge of the columns.
        grave: which values to look for, by value code; shape (values,), bool.
        budget: the time limit.

    Returns:
        Arrays by person code. Without exact shares of worlds, a risk is 1, 0 or NaN (unknown).
    """
    histories = _CleanHistories(evidence, decision, _clean(decision, grave))
    known = histories.known(budget)
    if WorldRisks(evidence, decision).counts_worlds:
        return known
    # Whatever the weights of worlds, a value in all of them is certain, and a value in none has share 0.
    return known._replace(
        risk=np.where(known.certain, 1.0, np.where(histories.untouched() & known.counted, 0.0, np.nan))
    )


def _clean(decision: Knowledge, grave: Flags) -> Floats:
    """Return the probability that the person of each column is clean if it is chosen; NaN if unknown; (columns,)."""
    network = decision.network
    clean = np.ones(network.columns)
    for release in range(len(network.contents)):
        _, column, value, rows = listed_values(network, np.ones(network.columns, dtype=np.bool_), release)
        total, bad = (
            np.bincount(column, weights=weight, minlength=network.columns) for weight in (rows, rows * grave[value])
        )
        clean *= np.divide(total - bad, total, out=np.ones(network.columns), where=total > 0)
    versions = network.versions
    known = np.isin(network.owner, versions.variable[versions.entry < 0])
    of_class = np.zeros(int(network.class_of.max(initial=0)) + 1)
    np.add.at(of_class, network.class_of, grave)
    mixed = (of_class > 0) & (of_class < np.bincount(network.class_of))
    value_class = network.value_class[known]
    clean[known] *= np.where(mixed[value_class], np.nan, of_class[value_class] == 0)
    return clean


@dataclass
class _CleanHistories:
    """Which people are clean, combined from the columns of all their variables.

    Attributes:
        evidence: the evidence of the decision.
        decision: the knowledge of the columns.
        clean: the probability that the person of each column is clean if it is chosen; shape (columns,).
    """

    evidence: Evidence
    decision: Knowledge
    clean: Floats

    def known(self, budget: Budget) -> EverKnown:
        """Return what is known about each person who counts."""
        decision, network = self.decision, self.decision.network
        versions, alive = network.versions, self.decision.alive
        people = int(versions.person.max(initial=-1)) + 1
        counted = flagged(versions.person[versions.counted], people)
        pairs = self._variables()
        person, variable = pairs
        # Variables that are clean in no world, and those that are clean in a known world.
        dirty = ~self._any(alive & (self.clean > 0)) & ~self._any(alive & np.isnan(self.clean))
        clean_world = (decision.chosen >= 0) & (self.clean[decision.chosen] > 0)
        several = np.bincount(person, minlength=people) > 1
        certain, without = np.zeros(people, dtype=np.bool_), np.ones(people, dtype=np.bool_)
        certain[person[dirty[variable]]] = True
        may = clean_world | (
            self._any(decision.shown & alive & (self.clean > 0)) & ~_of_several(several, pairs, network)
        )
        without[person[~may[variable]]] = False
        never = np.where(self.untouched(), 1.0, self._never(pairs, several, budget))
        certain |= never == 0
        without |= never > 0
        risk = np.where(certain, 1.0, np.minimum(1.0 - never, BELOW_ONE))
        risk[~counted] = np.nan
        return EverKnown(risk, certain & counted, without & ~certain, counted)

    def untouched(self) -> Flags:
        """Return the people none of whose possible values is grave; shape (people,), bool."""
        versions = self.decision.network.versions
        touched = self._any(self.decision.alive & (self.clean != 1))
        found = np.ones(int(versions.person.max(initial=-1)) + 1, dtype=np.bool_)
        found[versions.person[touched[versions.variable]]] = False
        return found

    def _variables(self) -> tuple[Numbers, Numbers]:
        """Return pairs of a person and a variable of the person; one pair for each person if values never change."""
        versions = self.decision.network.versions
        person, variable = versions.person.astype(np.int64), versions.variable
        if self.evidence.transitions is None:
            person, first = np.unique(person, return_index=True)
            return person, variable[first]
        both = np.unique(np.stack([person, variable], axis=1), axis=0)
        return both[:, 0], both[:, 1]

    def _any(self, columns: Flags) -> Flags:
        return self.decision.network.counted(columns) > 0

    def _never(self, pairs: tuple[Numbers, Numbers], several: Flags, budget: Budget) -> Floats:
        """Return the share of worlds in which each person is clean; NaN if unknown; shape (people,)."""
        decision, network = self.decision, self.decision.network
        person, variable = pairs
        term = np.where(decision.alive, np.where(decision.share == 0, 0.0, decision.share * self.clean), 0.0)
        alone = np.bincount(network.owner, weights=term, minlength=network.variables)
        undecided = (network.counted(decision.alive) > 1) & _of_several(several, pairs, network)
        never = np.ones(len(several))
        np.multiply.at(never, person, np.where(undecided[variable], 1.0, alone[variable]))
        if not undecided.any():
            return never
        if np.isnan(decision.share[decision.alive & undecided[network.owner]]).any():
            never[person[undecided[variable]]] = np.nan
            return never
        core = core_of(network, decision.alive, undecided, exact=True)
        owner = np.full(network.variables, -1, dtype=np.int64)
        owner[variable] = np.where(undecided[variable], person, -1)
        left, seen = STEPS_IN_ALL, np.zeros(network.variables, dtype=np.bool_)
        for number in range(core.parts):
            part = core.slice(number, number + 1)
            left = self._weigh(part, owner, never, left, budget)
            seen[part.variable] = True
        never[person[undecided[variable] & ~seen[variable]]] = np.nan
        return never

    def _weigh(self, part: OpenSubproblem, owner: Numbers, never: Floats, left: int, budget: Budget) -> int:
        """Multiply the share of clean worlds of a part into `never` for each of its people; return the steps left."""
        steps = steps_of(self.evidence, self.decision, part)
        persons = owner[part.variable]
        of_all = None if left < 0 or budget.exhausted() else WorldCounter(part, steps).count(STEPS)
        own = [Fraction(1)] * part.columns if steps.own is None else list(steps.own)
        for code in np.unique(persons[persons >= 0]).tolist():
            of_person, clean, share = (persons == code)[part.owner], self.clean[part.column], np.nan
            known = left >= 0 and not budget.exhausted() and not np.isnan(clean[of_person]).any()
            if of_all is not None and of_all.weight and known:
                less = [
                    weight * Fraction(each) if touched else weight
                    for weight, each, touched in zip(own, clean.tolist(), of_person.tolist(), strict=True)
                ]
                found = WorldCounter(part, replace(steps, own=less)).count(STEPS)
                share = np.nan if found is None else float(found.weight / Fraction(of_all.weight))
                left -= part.columns
            never[code] *= share
        return left


def _of_several(several: Flags, pairs: tuple[Numbers, Numbers], network: ConstraintNetwork) -> Flags:
    """Return the variables of people who have several; shape (variables,), bool."""
    person, variable = pairs
    return flagged(variable[several[person]], network.variables)
