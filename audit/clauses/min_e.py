"""The clause `min_e`: no equivalence may have fewer people on a side (equivalence paper, Definition 10).

If values have several categories, no two people may share one in all worlds either. Two people with the same certain
category violate the clause. Worlds show that there are none: `joint` gives each two people different categories in some
world.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import ClassVar

import numpy as np

from audit.clauses.clause import ClauseKnowledge, E, JudgedAudit, NumberClause, attack_reason
from audit.clauses.max_risk import CATEGORIES, harmless_values
from audit.model.arrays import Codes
from audit.model.evidence import Evidence, claimed_part
from audit.model.finding import Claims
from audit.model.measures import BoundedMeasures
from audit.model.nearness import PublishedNumbers
from audit.model.outcome import PossibleValues, Result
from audit.model.report import Violation
from audit.runtime.phrases import Phrase, say

_IN_WORLDS = 2


class MinE(NumberClause):
    """Decided by bounds: even an incomplete attack may prove that there is no smaller equivalence."""

    name: ClassVar[str] = "min_e"
    fails: ClassVar[str] = "An equivalence has fewer people on each side than the policy allows."
    remedy: ClassVar[str] = "Publish whole buckets: everybody whose group has the same set of values."
    meaning: ClassVar[Phrase] = Phrase("smallest allowed group of people known to have the same values")

    breach: ClassVar[Phrase] = Phrase(
        "if a group of people is known to have the same values as another group, each must have at least {limit} "
        "people; here a group has {number} (min_e, found by {attack})"
    )
    timed: ClassVar[bool] = True

    def statistic(self, result: Result[E], known: ClauseKnowledge) -> Result[E]:
        """Return a result that records whether its worlds give each two people different categories."""
        evidence, knowing = result.evidence, result.outcome.knowing
        categories = _declared(evidence)
        if knowing is None or not categories or known.limits.get(self.name, 1) <= 1:
            return result
        differ = all(_differ(evidence, knowing, attribute, known) for attribute in categories)
        return result.with_gathered(self.name, differ)

    def violations(self, findings: JudgedAudit, limit: float) -> Iterator[Violation]:
        """Yield, for each attack, the least number of people on a side of an equivalence, if it is too small."""
        judged = {entry.sensitive for entry in self._deciding(findings)}
        for entry in findings.ran:
            claims = entry.claims
            least = None if claims is None else claims.smallest_e(entry.waived)
            if least is not None and least < limit:
                yield Violation(entry.outcome.attack, self.name, limit, least, entry.sensitive)
            elif limit > 1 and entry.sensitive in judged and _certain_alike(entry):
                yield Violation(entry.outcome.attack, self.name, limit, 1, entry.sensitive)

    def doubts(self, findings: JudgedAudit, limit: float) -> Iterator[str]:
        """Yield the attacks that may have missed an equivalence that is too small."""
        violating = {(each.attack, each.sensitive) for each in self.violations(findings, limit)}
        for entry in self._deciding(findings):
            if (entry.outcome.attack, entry.sensitive) not in violating:
                decided = _no_lesser_e(entry, limit)
                yield from self._doubts_of(entry, decided=decided, unless=say("smaller equivalences may exist"))
                if limit > 1 and _declared(entry.evidence) and not _no_two_share(entry, findings, limit):
                    yield attack_reason(
                        entry.outcome.attack,
                        say(
                            "it is possible that some people certainly have values of the same category; write min_e "
                            "= 1, or leave similar out"
                        ),
                    )
                if decided and limit > 1 and _asked_of_worlds(findings) and not in_all_worlds(entry.claims):
                    yield attack_reason(entry.outcome.attack, str(NOT_ALL_PAIRS))

    def qualified(self, findings: JudgedAudit, limit: float) -> str | None:
        """Return a note that only linear reasoning shows it to hold, if worlds were not used or do not decide it."""
        if 1 < limit <= _IN_WORLDS and _asked_of_worlds(findings):
            return None
        return say("by linear reasoning") if limit > 1 else None


NOT_ALL_PAIRS = Phrase(
    "not every pair of people was decided: two of them may have the same value for certain; raise --time-limit"
)


def _asked_of_worlds(findings: JudgedAudit) -> bool:
    """Return whether an attack on all worlds was requested."""
    return any(getattr(entry.attack, "asks_worlds", False) for entry in findings.ran)


def in_all_worlds(claims: Claims | None) -> bool:
    """Return whether it is proved that no two people are equal in all worlds, besides claims and certain values."""
    return claims is not None and claims.distinguished is not None and claims.distinguished()


def _certain_alike(entry: Result[Evidence]) -> bool:
    """Return whether two people certainly have the same value, or category, by claims that are not accepted."""
    claims = entry.claims
    if claims is not None and claims.alike(entry.waived):
        return True
    found, near = list[tuple[int, tuple[str, str]]](), CATEGORIES.left(entry)
    if near is not None and near.person is not None:
        sure = near.read(np.flatnonzero(near.risk == 1), "person", "lower", "category")
        found += [(who, (entry.evidence.attribute(of) or entry.evidence.sensitive, each)) for who, of, each in sure]
    if claims is not None and claims.versions is not None:
        for person, value in zip(claims.versions[entry.left].tolist(), claims.values()[entry.left], strict=True):
            found += [(person, each) for each in _categories(entry.evidence, int(value))]
    declared = _declared(entry.evidence)
    people = {(who, (name, each)) for who, (name, each) in found if name in declared}
    return len({category for _, category in people}) < len(people)


def _declared(evidence: Evidence) -> dict[str, Mapping[str, PublishedNumbers]]:
    """Return the categories of each attribute that has several, without those that nothing declares.

    Two people share a single one, such as all values that are not harmless, only if it is certain for both: that is for
    `max_risk` to judge.
    """
    several = {name: known for name, known in evidence.categories.items() if len(known) > 1}
    return {name: known for name, known in several.items() if not any(each.doubt for each in known.values())}


def _categories(evidence: Evidence, code: int) -> Iterator[tuple[str, str]]:
    """Yield the categories of a value, or of the parts of a combination, each with its attribute."""
    parts = [(evidence.sensitive, code)]
    if evidence.combined is not None:
        names = evidence.combined.attributes
        attribute, value = claimed_part(code, len(names)) if code < 0 else (0, 0)
        parts = [*zip(names, evidence.combined.parts()[code].tolist(), strict=True)] if code >= 0 else []
        parts = parts or [(names[attribute], value)]
    for name, part in parts:
        known = evidence.categories.get(name, {})
        yield from ((name, category) for category, values in known.items() if values.number[part] is not None)


def _no_two_share(entry: Result[Evidence], findings: JudgedAudit, limit: float) -> bool:
    """Return whether worlds of the same evidence give each two people different categories."""
    same = [each for each in findings.ran if each.evidence is entry.evidence]
    return limit <= _IN_WORLDS and any(each.gathered.get(MinE.name) is True for each in same)


def _differ(evidence: Evidence, knowing: PossibleValues, attribute: str, known: ClauseKnowledge) -> bool:
    """Return whether the known worlds give each two people different categories of an attribute.

    Values that share a category, directly or through others, count as one kind. People whose certain values are
    harmless and of one kind may be alike; people whose value is known beforehand are left out.
    """
    kind = _kinds(evidence.categories[attribute].values())
    part = np.arange(len(kind), dtype=np.int32)
    if evidence.combined is not None:
        part = evidence.combined.parts()[:, evidence.combined.attributes.index(attribute)]
    releases = [*map(evidence.source.candidate_groups, range(len(evidence.tags)))]
    size = max((int(each.person.max(initial=-1)) + 1 for each in releases), default=0)
    worlds: list[Codes] = []
    for world in knowing.worlds():
        worlds.append(np.full(size, -1, dtype=np.int32))
        for seen, (_, values) in zip(releases, world, strict=True):
            worlds[-1][seen.person] = kind[part[values]]
    present, harmless = np.zeros((2, size), dtype=np.bool_)
    for seen in releases:
        present[seen.person] = True
    for release, seen in enumerate(releases):
        present[seen.person[seen.fixed >= 0]] = False
        left = knowing.left(release)
        harm = ~harmless_values(evidence, attribute, len(kind), known)[part[left.value]]
        harmless[np.setdiff1d(left.person, left.person[harm])] = True
    rows = np.stack(worlds) if worlds else np.zeros((0, size), dtype=np.int32)
    rows = np.hstack([rows[:, present & ~harmless], np.unique(rows[:, present & harmless], axis=1)])
    return bool(worlds) and np.unique(rows, axis=1).shape[1] == rows.shape[1]


def _kinds(categories: Collection[PublishedNumbers]) -> Codes:
    """Return a number for each value, equal for values that share a category, directly or through others."""
    from scipy import sparse

    members = sparse.csr_matrix([[each is not None for each in one.number] for one in categories])
    whole = sparse.bmat([[None, members], [members.T, None]])
    kind: Codes = sparse.csgraph.connected_components(whole)[1][len(categories) :]
    return kind


def _no_lesser_e(entry: Result[Evidence], limit: float) -> bool:
    """Return whether it is proved that every equivalence below the limit, if there is one, is among the claims."""
    measures, spanned = entry.outcome.measures, None if entry.claims is None else entry.claims.spanned
    return spanned is not None and isinstance(measures, BoundedMeasures) and measures.shows(limit, spanned)
