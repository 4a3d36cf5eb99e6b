"""Proofs: why a value is certain, as points that a reader can add up.

Each row of a few groups costs points. All these rows together have a certain total, and each person must spend at least
the points of the cheapest row that they can have. If the person had another value, the people would have to spend more
points than there are. The points come from a linear programme of the groups around the person, without the claimed
value: few points, few groups, whole numbers. A claim that needs more than linear reasoning has no proof here.

A set of people who need all rows of some groups with some values (Hall) is such a proof with one point for each row.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from attacks.joint.balls import Neighbourhood
from attacks.joint.core import OpenSubproblem
from attacks.joint.knowledge import Knowledge
from attacks.joint.linear_model import TINY, LinearModel, PointTotals, whole_points
from audit.findings.disclosure import Disclosure, Disclosures
from audit.findings.proof import Proof, RowPoints
from audit.model.arrays import Codes, Flags, Numbers, Places, segments
from audit.model.evidence import Evidence, claimed_part
from audit.runtime.budget import Budget

# How many constraints around a person are tried, in order.
_BALLS = (12, 50, 200, 600, 2_500)


def disclosures(
    evidence: Evidence, decision: Knowledge, claims: tuple[Codes, Codes, Codes], budget: Budget
) -> tuple[Disclosures, int]:
    """Return the claims that versions have certain values, and how many of them rest on a solver's word alone.

    Findings with their proofs are built on demand, and None if no proof is found in time. Claims that do not depend on
    a solver's word were checked in whole numbers when the other values were ruled out.

    Args:
        evidence: the evidence of the decision.
        decision: the knowledge from which the claims follow.
        claims: person, release and value of each claim; three arrays of shape (claims,).
        budget: the time limit of the search for proofs.
    """
    person, release, value = claims
    prover = Prover(evidence, decision, budget)

    def build(places: Places) -> list[Disclosure[int] | None]:
        return [prover.finding(int(person[at]), int(release[at]), int(value[at])) for at in places.tolist()]

    doubtful = np.flatnonzero(np.isin(person, prover.people(decision.believed)))
    unproved = sum(finding is None for finding in build(doubtful))
    return Disclosures(person, release, value, build), unproved


class Prover:
    """Finds proofs that values are certain."""

    def __init__(self, evidence: Evidence, decision: Knowledge, budget: Budget) -> None:
        self._evidence, self._network, self._budget = evidence, decision.network, budget
        self._found: dict[tuple[int, int, int], Proof[int] | None] = {}

    def people(self, variables: Flags) -> Codes:
        """Return the people of some variables."""
        versions = self._network.versions
        return np.unique(versions.person[variables[versions.variable]])

    @cached_property
    def _around(self) -> Neighbourhood:
        """Which variables share rows, by the columns that their own groups leave."""
        net = self._network
        return Neighbourhood(net, net.start[:-1][np.diff(net.start) > 0])

    @cached_property
    def _person(self) -> Numbers:
        """The person of each variable; shape (variables,)."""
        found = np.zeros(self._network.variables, dtype=np.int64)
        found[self._network.versions.variable] = self._network.versions.person
        return found

    def finding(self, person: int, release: int, value: int) -> Disclosure[int] | None:
        """Return the finding that a person has a value in a release; None if no proof was found."""
        proof = self.prove(person, release, value)
        return None if proof is None else Disclosure(person, release, value, 1.0, (), proof)

    def prove(self, person: int, release: int, value: int) -> Proof[int] | None:
        """Return a proof that a person has a value in a release; None if no proof was found."""
        versions = self._network.versions
        own = versions.of(release)
        variable = int(versions.variable[own][versions.person[own] == person][0])
        key = (variable, value, -1 if self._network.plain and not len(self._network.link) else release)
        if key not in self._found:
            self._found[key] = self._proved(variable, self._claimed(variable, release, value))
        return self._found[key]

    def _claimed(self, variable: int, release: int, value: int) -> Numbers:
        """Return the classes of values that agree with a claim: that of the value.

        If the claim is about one of several combined attributes, these are the classes whose possible values for the
        person in the release all have the claimed value of that attribute.
        """
        net, combined = self._network, self._evidence.combined
        if combined is None or value >= 0:
            return net.class_of[[value]].astype(np.int64)
        attribute, part = claimed_part(value, len(combined.attributes))
        claimed = combined.parts()[:, attribute] == part
        own = np.unique(net.value_class[net.start[variable] : net.start[variable + 1]]).tolist()
        return np.array([each for each in own if claimed[self._values(variable, release, each)].all()], dtype=np.int64)

    def _proved(self, variable: int, claimed: Numbers) -> Proof[int] | None:
        net = self._network
        struck = np.ones(net.columns, dtype=np.bool_)
        own = slice(int(net.start[variable]), int(net.start[variable + 1]))
        struck[own] = ~np.isin(net.value_class[own], claimed)
        if not struck[own].any():
            return Proof((), ())
        # First try the person's own groups: if one row decides, no programme is needed.
        for most in (self._around.degree(variable), *_BALLS):
            near, everything = self._around.around(variable, most)
            if self._budget.exhausted():
                return None
            proof = self._refute(near, variable, struck)
            if proof is not None or everything:
                return proof
        return None

    def _values(self, variable: int, release: int, value_class: int) -> list[int]:
        """Return the values of a class that a person may have in a release."""
        net = self._network
        if net.plain:
            return [value_class]
        versions = net.versions
        place = int(np.flatnonzero((versions.variable == variable) & (versions.release == release))[0])
        contents = net.contents[release]
        matching = (contents.value_group == versions.group[place]) & (net.class_of[contents.value] == value_class)
        values: list[int] = contents.value[matching].tolist()
        return values

    # -- balls ------------------------------------------------------------------------------------------------

    def _refute(self, near: Numbers, variable: int, left: Flags) -> Proof[int] | None:
        """Return points in some constraints that prove that no world has only the columns left; None if none do."""
        ball = self._around.ball(variable, near, None)
        if ball is None:
            raise AssertionError("a ball without a known world was refused")
        core = ball.core.with_columns(left[ball.column])
        if (np.diff(core.start) == 0).any():
            return self._nothing_left(core)
        closed = self._network.row_value_class[core.network_rows] < 0
        closed |= np.bincount(core.row, minlength=len(closed)) == 0  # rows that no variable can take
        weight = LinearModel(core).contradiction(closed, self._budget)
        if weight is None:
            return None
        used = np.unique(core.block[weight > TINY])
        if len(used) < len(near):
            return self._refute(used, variable, left)
        points = whole_points(core, weight)
        return None if points is None else self._proof_of(core, points)

    def _nothing_left(self, ball: OpenSubproblem) -> Proof[int]:
        """Return the proof that a person of a ball has no possible value at all."""
        bare = ball.variable[np.flatnonzero(np.diff(ball.start) == 0)[0]]
        return Proof((), (int(self._person[bare]),))

    # -- the proof in groups and values -----------------------------------------------------------------------

    def _proof_of(self, core: OpenSubproblem, points: Numbers) -> Proof[int]:
        """Return the proof: points by group and value, and the people who spend points."""
        net = self._network
        found: dict[tuple[int, int, int], int] = {}
        for at in np.flatnonzero(points).tolist():
            row = int(core.network_rows[at])
            release, group = int(net.row_release[row]), int(net.row_group[row])
            for value in self._published(release, group, int(net.row_value_class[row])):
                found[release, group, value] = int(points[at])
        spent = core.heads[PointTotals(core, points).least > 0]
        people = {int(person) for person in self._person[core.variable[spent]]}
        people |= self._known(found, people)
        order = sorted(found)
        named = []
        for release in dict.fromkeys(release for release, _, _ in order):
            own = [each for each in order if each[0] == release]
            groups = np.array([group for _, group, _ in own], dtype=np.int32)
            names = self._evidence.source.group_names(release, groups)
            named += [
                RowPoints(release, name, value, found[release, group, value])
                for name, (_, group, value) in zip(names, own, strict=True)
            ]
        return Proof(tuple(named), tuple(sorted(people)))

    def _published(self, release: int, group: int, value_class: int) -> list[int]:
        """Return the values of a class that a group publishes, including those of people who are known."""
        contents = self._evidence.source.candidate_groups(release).contents
        values = np.unique(contents.value[contents.bag == group])
        found: list[int] = values[self._network.class_of[values] == value_class].tolist()
        return found

    def _known(self, found: dict[tuple[int, int, int], int], people: set[int]) -> set[int]:
        """Return the people with known row class and value who spend points.

        If such people take all rows of a group with a value, these rows are added to `found` with more points than all
        others have: otherwise the proof would let other people take them without cost.
        """
        spenders: set[int] = set()
        much = 1 + sum(found.values())
        for release in range(len(self._network.contents)):
            seen = self._evidence.source.candidate_groups(release)
            sure = np.flatnonzero((seen.fixed >= 0) & (np.diff(seen.start) == 1))
            if not len(sure):
                continue
            group = seen.class_group[seen.row_class[seen.start[:-1][sure]]]
            mentioned = np.flatnonzero(np.isin(seen.person, list(people)))
            near = np.unique(seen.class_group[seen.row_class[segments(seen.start, mentioned)]])
            table = seen.contents.tabled(seen.n_groups, seen.values)
            held = np.zeros(table.shape, dtype=np.int64)
            np.add.at(held, (group, seen.fixed[sure]), 1)
            for each, home, value in zip(sure.tolist(), group.tolist(), seen.fixed[sure].tolist(), strict=True):
                if home in near and held[home, value] == table[home, value]:
                    found.setdefault((release, home, value), much)
                if (release, home, value) in found:
                    spenders.add(int(seen.person[each]))
        return spenders
