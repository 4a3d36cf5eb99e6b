"""Check proofs about several people at once, by code that shares nothing with the attacks.

A proof refutes the assumption that a person does not have the claimed value: rows of some groups have a price in
points, and all these rows together a total price. Each of some people, whatever values the person has, spends at least
a certain number of points in the groups that may contain the person; together these people spend more than the total.

People who are not mentioned spend at least 0, so they can be left out. All points are whole numbers and at least 1,
and no one is counted twice. A proof presumes that the releases do not contradict each other: if its people cannot all
have rows, it proves nothing. A proof that fails is a bug of this program, and raises an error: a wrong finding must
never be printed.

Placing: search for a contradiction in a proof, whose people may not all have rows.

If releases contradict each other, nothing follows from them, although much can be proved: in an odd circle of groups of
two values each, both values are refuted. So the people of a proof are given rows one after the other, as the claim
assumes; each person gets rows of possible groups, and each row goes to one person. If that is impossible, no world
exists. More people take fewer steps. A proof is accepted unless a contradiction is found within the limits.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Set
from dataclasses import replace
from itertools import pairwise
from typing import TypeAlias

from audit.findings.disclosure import Disclosure
from audit.findings.proof import Proof, RowPoints, Spending
from audit.judgement.field_types import BrokenCertificateError, check_fields
from audit.judgement.published_rows import PublishedReleases

Version: TypeAlias = tuple[int, int]
"""A person and a release."""
GroupValue: TypeAlias = tuple[int, int]
"""A group of a release and a value."""
Choices: TypeAlias = Mapping[Version, Set[GroupValue]]
Follows: TypeAlias = Callable[[int, int], bool]
"""Returns whether a value may be followed by another one in a person's next release."""

MOST_VISITS = 20_000
"""The limit of versions to check, each once for each step."""


def contradicts(choices: Choices, room: Callable[[int, GroupValue], int], follows: Follows) -> bool:
    """Return whether the search proves that people cannot all have rows.

    Args:
        choices: the rows that each person may have in each release, by that release alone.
        room: returns how many rows of a release have a group and a value.
        follows: which values may follow which.
    """
    open_, steps = [choices], MOST_VISITS // max(1, len(choices))
    while open_ and steps:
        steps -= 1
        narrowed = _narrowed(open_.pop(), room, follows)
        if narrowed is None:
            continue
        several = [version for version, rows in narrowed.items() if len(rows) > 1]
        if not several:
            return False
        first = min(several, key=lambda version: (len(narrowed[version]), version))
        open_ += [{**narrowed, first: {row}} for row in sorted(narrowed[first], reverse=True)]
    return not open_


def _narrowed(choices: Choices, room: Callable[[int, GroupValue], int], follows: Follows) -> Choices | None:
    """Return the choices without full rows and without values that cannot follow; None if a person has none left."""
    while True:
        held = Counter((release, row) for (_, release), rows in choices.items() if len(rows) == 1 for row in rows)
        if any(number > room(release, row) for (release, row), number in held.items()):
            return None
        left = {
            (person, release): {row for row in rows if len(rows) == 1 or held[release, row] < room(release, row)}
            for (person, release), rows in choices.items()
        }
        for (one, before), (other, after) in pairwise(sorted(left)):
            if one == other:
                rows, next_rows = left[one, before], left[one, after]
                left[one, before] = {a for a in rows if any(follows(a[1], b[1]) for b in next_rows)}
                left[one, after] = {b for b in next_rows if any(follows(a[1], b[1]) for a in rows)}
        if not all(left.values()):
            return None
        if left == choices:
            return left
        choices = left


Row = tuple[int, int, int]
"""A release, a group and a value; stands for all rows of that group with that value."""
Assumed = dict[tuple[int, int], tuple[frozenset[int], bool]]
"""By person and release: a set of values, and whether the person has one of them or none of them."""


class ProofChecker:
    """Checks disclosures that follow from the rows of several people."""

    def __init__(self, published: PublishedReleases) -> None:
        self._published, self._transitions = published, published.after

    def check(self, finding: Disclosure[int]) -> Proof[int]:
        """Return the proof of a disclosure with its numbers if it is valid.

        Raises:
            BrokenCertificateError: it is not valid.
        """
        check_fields(finding)
        claim = (finding.individual, finding.release)
        if finding.proof is None:
            raise BrokenCertificateError("there is no proof")
        if not self._histories(finding.individual, {}).get(finding.release):
            raise BrokenCertificateError("this person is not known to be in this release")
        if any(self._spent(person, {}, {}).least < 0 for person in finding.proof.people):
            raise BrokenCertificateError("the releases contradict each other")
        claimed = self._published.claimed(finding.value)
        followed = self._refuted(finding.proof, {claim: (claimed, False)})
        if finding.proof.points:
            total, spent = self._sum(finding.proof, {claim: (claimed, True)})[1:]
            if any(each.least < 0 for each in spent) or sum(each.least for each in spent) > total:
                raise BrokenCertificateError("the claimed value is impossible as well")
        if self._contradictory({finding.individual, *finding.proof.people}, {claim: (claimed, True)}):
            raise BrokenCertificateError("the releases contradict each other")
        return followed

    def _contradictory(self, people: set[int], assumed: Assumed) -> bool:
        """Return whether no world exists for some people alone; a proof about them would prove nothing."""
        choices = {
            (person, release): rows for person in people for release, rows in self._histories(person, assumed).items()
        }

        def room(release: int, row: tuple[int, int]) -> int:
            return self._published.groups_of(release).rows(row[0])[row[1]]

        def follows(before: int, after: int) -> bool:
            return before == after if self._transitions is None else after in self._transitions(before)

        return contradicts(choices, room, follows)

    def _refuted(self, proof: Proof[int], assumed: Assumed) -> Proof[int]:
        """Return how the assumption is refuted: by points, or because a person has no value left."""
        points, total, spent = self._sum(proof, assumed)
        for each in spent:
            if each.least < 0:
                return replace(proof, points=(), nobody=each.individual)
        if sum(each.least for each in spent) <= total:
            raise BrokenCertificateError("no more points are spent than there are")
        return replace(proof, points=points, total=total, spent=spent)

    def _sum(
        self, proof: Proof[int], assumed: Assumed
    ) -> tuple[tuple[RowPoints[int], ...], int, tuple[Spending[int], ...]]:
        """Return the total of all points, and the least that people spend; -1 if a person has no value left."""
        if list(proof.people) != sorted(set(proof.people)) or not proof.people:
            raise BrokenCertificateError("a person is counted twice, or nobody is counted")
        costs: dict[Row, int] = {}
        points = []
        for each in proof.points:
            groups = self._published.groups_of(each.release) if 0 <= each.release < self._published.releases else None
            group = None if groups is None else groups.codes.get(each.group)
            rows = None if groups is None or group is None else groups.rows(group).get(each.value)
            if group is None or rows is None or each.points < 1 or (each.release, group, each.value) in costs:
                raise BrokenCertificateError("a row does not exist, costs nothing, or is listed twice")
            costs[each.release, group, each.value] = each.points
            points.append(replace(each, rows=rows))
        spent = tuple(self._spent(person, costs, assumed) for person in proof.people)
        return tuple(points), sum(each.points * each.rows for each in points), spent

    # -- people -----------------------------------------------------------------------------------------------

    def _histories(self, person: int, assumed: Assumed) -> dict[int, set[tuple[int, int]]]:
        """Return the rows (group and value) that a person may have in each release, by that release alone.

        These are the rows of the groups that may hold the person, with the value known beforehand, and as assumed.
        """
        published, found = self._published, dict[int, set[tuple[int, int]]]()
        for release in range(published.releases):
            homes = published.homes(person, release)
            if not homes:
                continue
            known = published.known(person, release)
            groups = published.groups_of(release)
            rows = {(home, value) for home in homes for value in groups.rows(home) if known in {None, value}}
            if (person, release) in assumed:
                values, has = assumed[person, release]
                rows = {row for row in rows if (row[1] in values) is has}
            found[release] = rows
        return found

    def _spent(self, person: int, costs: dict[Row, int], assumed: Assumed) -> Spending[int]:
        """Return the least that a person spends over all histories, -1 if there is no history."""
        rows = self._histories(person, assumed)
        if not rows:
            raise BrokenCertificateError("this person is not known to be in any release")
        cheapest: dict[int, int] | None = None
        for release in sorted(rows):
            here: dict[int, int] = {}
            for group, value in rows[release]:
                cost = costs.get((release, group, value), 0)
                here[value] = min(cost, here.get(value, cost))
            if cheapest is not None:
                here = {
                    value: cost + before
                    for value, cost in here.items()
                    if (before := self._before(value, cheapest)) >= 0
                }
            cheapest = here
        by_value = tuple(sorted((cheapest or {}).items()))
        return Spending(
            person, min((cost for _, cost in by_value), default=-1), by_value if self._transitions is None else ()
        )

    def _before(self, value: int, cheapest: dict[int, int]) -> int:
        """Return the least spent before this release by a person with this value now, -1 if that is impossible."""
        if self._transitions is None:
            return cheapest.get(value, -1)
        return min((cost for before, cost in cheapest.items() if value in self._transitions(before)), default=-1)
