"""Check certificates of equivalences again, by adding up the published rows with their weights, one after the other.

The check shares nothing with the attack: groups are found by name, and members and values are counted in dictionaries
of exact fractions (equivalence paper, Definition 10). A certificate that fails is a bug of this program, and raises an
error: a wrong finding must never be printed.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TypeVar

from audit.adversary.view import View
from audit.findings.equivalence import AnyCombination, Equivalences, Pinned, WeightedGroup
from audit.judgement.field_types import BrokenCertificateError, check_fields
from audit.judgement.published_rows import published_by
from audit.model.arrays import NOBODY
from audit.model.finding import AnonymousCounterfeit, Check, Member

K = TypeVar("K")


def check_combinations(seen: View, claims: Equivalences) -> Check:
    """Return the check of equivalences and pinned values whose weighted groups were found."""
    check = CombinationChecker(seen).check
    return lambda places: [each if each.evidence != "proof" else check(each) for each in claims.certify(places)]


class CombinationChecker:
    """Checks equivalences and pinned values against the published groups."""

    def __init__(self, view: View) -> None:
        self._view, self._published = view, published_by(view)
        known = view.beforehand
        pairs = [] if known is None else zip(known.person.tolist(), known.value.tolist(), strict=True)
        self._known: dict[int, int] = dict(pairs)

    def check(self, finding: AnyCombination) -> AnyCombination:
        """Return a finding if its certificate is valid.

        Raises:
            BrokenCertificateError: it is not valid.
        """
        if self._view.held.register is not None or self._view.transitions is not None:
            raise BrokenCertificateError("groups add up only where members are known and values never change")
        check_fields(finding)
        if finding.error is not None or finding.evidence != "proof":
            raise BrokenCertificateError("a sum of groups is proved, and has no probability of error")
        claimed = _claimed(finding)
        at = [(step.release, step.group) for step in finding.certificate]
        if len(set(at)) < len(at) or not all(step.weight for step in finding.certificate):
            raise BrokenCertificateError("a group is listed twice, or has weight 0")
        members: dict[Member, Fraction] = {}
        values: dict[int, Fraction] = {}
        for step in finding.certificate:
            self._add(step, members, values)
        if _nonzero(members) != claimed:
            raise BrokenCertificateError("the members of the groups do not add up to the two sides")
        if _nonzero(values) != ({finding.value: 1} if isinstance(finding, Pinned) else {}):
            raise BrokenCertificateError("the values of the groups do not add up to what is claimed")
        return finding

    def _add(self, step: WeightedGroup[int], members: dict[Member, Fraction], values: dict[int, Fraction]) -> None:
        """Add the members and values of a group, less those known beforehand, times the weight of the step."""
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
            member: Member = person
            if person == NOBODY:
                member = AnonymousCounterfeit(step.release, step.group, nameless)
                nameless += 1
            elif person in self._known:
                value = self._known[person]
                values[value] = values.get(value, Fraction(0)) - step.weight
                continue
            members[member] = members.get(member, Fraction(0)) + step.weight


def _claimed(finding: AnyCombination) -> dict[Member, int]:
    """Return how often each member is counted; members on the right count negatively."""
    if isinstance(finding, Pinned):
        since = max((step.release for step in finding.certificate), default=-1)
        if finding.risk != 1 or finding.release != since:
            raise BrokenCertificateError("a pinned value is certain from the last release of its groups on")
        return {finding.individual: 1}
    if not finding.left or not finding.right or not finding.left.keys().isdisjoint(finding.right):
        raise BrokenCertificateError("an equivalence has two sides, and nobody is on both")
    if min((*finding.left.values(), *finding.right.values())) < 1 or finding.e != sum(finding.right.values()):
        raise BrokenCertificateError("a member is not counted, or e is not the number of members on a side")
    return {**finding.left, **{who: -times for who, times in finding.right.items()}}


def _nonzero(sums: dict[K, Fraction]) -> dict[K, Fraction]:
    return {key: total for key, total in sums.items() if total}
