"""Certificates of equivalences checked again: published rows weighted and added up, one after the other.

Nothing is shared with the attack: groups are found by name, members and values are counted in dictionaries of exact
fractions (equivalence paper, Definition 10). A certificate that does not hold is a bug of this program, and is raised
as one: a wrong finding must never be printed.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TypeVar

from audit.adversary.known_groups import KnownGroupsSource
from audit.adversary.register import RegisterSource
from audit.io.encoding import NOBODY
from audit.model.outcome import EquivalenceFinding, Nameless, Somebody, Weighted
from audit.verification.disclosure import BrokenCertificateError, check_fields
from audit.verification.followed_records import published_by

K = TypeVar("K")


class CombinationChecker:
    """Checks equivalences and pinned values against the groups they speak of."""

    def __init__(self, source: KnownGroupsSource) -> None:
        self._source, self._published = source, published_by(source)
        known = source.known
        pairs = [] if known is None else zip(known.person.tolist(), known.value.tolist(), strict=True)
        self._known: dict[int, int] = dict(pairs)

    def check(self, finding: EquivalenceFinding) -> None:
        """Return when a finding holds.

        Raises:
            BrokenCertificateError: it does not.
        """
        if isinstance(self._source, RegisterSource) or not self._source.constant:
            raise BrokenCertificateError("groups add up only where members are known and values never change")
        check_fields(finding)
        if finding.error is not None or finding.solver:
            raise BrokenCertificateError("what groups add up to is not uncertain")
        claimed = _claimed(finding)
        at = [(step.release, step.group) for step in finding.certificate]
        if len(set(at)) < len(at) or not all(step.weight for step in finding.certificate):
            raise BrokenCertificateError("a group stands twice, or without weight")
        members: dict[Somebody, Fraction] = {}
        values: dict[int, Fraction] = {}
        for step in finding.certificate:
            self._add(step, members, values)
        if _apart_from_zero(members) != claimed:
            raise BrokenCertificateError("the members of the groups do not add up to the two sides")
        if _apart_from_zero(values) != ({} if finding.value is None else {finding.value: 1}):
            raise BrokenCertificateError("the values of the groups do not add up to what is claimed")

    def _add(self, step: Weighted, members: dict[Somebody, Fraction], values: dict[int, Fraction]) -> None:
        """Add the members and values of a group, less those that are known beforehand, so many times."""
        if not 0 <= step.release < self._published.releases:
            raise BrokenCertificateError("there is no such release")
        groups = self._published.groups_of(step.release)
        code = groups.codes.get(step.group)
        if code is None:
            raise BrokenCertificateError("there is no such group")
        for value, rows in groups.rows(code).items():
            values[value] = values.get(value, Fraction(0)) + step.weight * rows
        nameless = 0
        people = groups.people(code)
        if people is None:
            raise BrokenCertificateError("nobody is linked to this release")
        for person in people:
            somebody: Somebody = person
            if person == NOBODY:
                somebody = Nameless(step.release, step.group, nameless)
                nameless += 1
            elif person in self._known:
                value = self._known[person]
                values[value] = values.get(value, Fraction(0)) - step.weight
                continue
            members[somebody] = members.get(somebody, Fraction(0)) + step.weight


def _claimed(finding: EquivalenceFinding) -> dict[Somebody, int]:
    """Return how often everybody is counted, those on the right negatively."""
    sides = [*finding.left, *((who, -times) for who, times in finding.right)]
    claimed = dict(sides)
    if len(claimed) < len(sides) or any(times < 1 for _, times in finding.left + finding.right):
        raise BrokenCertificateError("somebody stands twice, or not once")
    if finding.value is None:
        if not finding.left or not finding.right:
            raise BrokenCertificateError("an equivalence has two sides")
    elif list(claimed.values()) != [1]:
        raise BrokenCertificateError("a value is pinned to one person")
    return claimed


def _apart_from_zero(sums: dict[K, Fraction]) -> dict[K, Fraction]:
    return {key: total for key, total in sums.items() if total}
