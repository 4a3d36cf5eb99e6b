"""Equivalence: which people share a value, by linear combinations of all groups.

Threat model: the adversary knows, for each release, who is in which group (`linked`), and that sensitive values never
change.

Claim: x is an *equivalence* when x = W S for a rational W with W U = 0, where S is the person matrix and U the value
matrix. Then the people with positive entries have, taken together, the same values as those with negative entries. e is
the number of people on each side. With e = 1 two people share their value: to learn one value is to know both. A value
is *pinned* when W S is one person and W U one value. Sound: a finding comes with W, checked in exact arithmetic, or
states the probability that its random numbers err.

Exact: for any series, all equivalences with e = 1 and all pinned values; for series of buckets (one group for each
signature and release) and small series, equivalences of any e. For other series, equivalences with larger e are only
found up to `max_e` and with each side within one published group, and the report says so.

Source: equivalence paper, Sections IV to VI. Its Lemma 2, which says that whole weights suffice, is not true in
general.

>>> attack = EquivalenceAttack()
>>> attack.name, attack.max_e, sorted(attack.decides)
('equivalence', 4, ['min_e'])

The timeline, how many people were in some equivalence after each release, is computed backwards from the last one: a
further release never ends an equivalence, so that if there is none after a release, there is none after earlier ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import ClassVar

import numpy as np

from attacks.equivalence.claims import SpanningClaims, equal_pair
from attacks.equivalence.fingerprint import ContradictionError
from attacks.equivalence.strategy import Found, judge, more_pairs, split
from attacks.matrix import Matrix
from audit.findings.disclosure import followed_by
from audit.findings.equivalence import AnyCombination, Equivalences
from audit.model.arrays import Codes, Flags, Places
from audit.model.evidence import Evidence, constant_reason, linked_reason
from audit.model.finding import WITHHOLD, FindingRule
from audit.model.measures import ABSENT, PEOPLE, Absent, BoundedMeasures, LeastBounds
from audit.model.options import option
from audit.model.outcome import Outcome, PolicyOptions, PossibleValues, sizes_table
from audit.runtime.budget import Budget
from audit.runtime.engine import same
from audit.runtime.phrases import Phrase, Reason, ReasonKind, combined, parted, printable, say, say_count


@dataclass(frozen=True, eq=False, kw_only=True)
class EquivalenceMeasures(BoundedMeasures):
    """How many people share values with others.

    Attributes:
        individuals: the number of people, without counterfeits.
        min_e: bounds of the least number of people on a side of an equivalence.
        compromised: the number of people in an equivalence with at most 1, 2, … people on a side.
        classes: the number of classes of people who share a value, by size.
        pinned: the number of versions (a person in a release) whose value is certain.
        ways: the methods used; empty if nothing was concluded.
        alike_in_worlds: the number of people who in all worlds have the same value as another person or a counterfeit,
            although no combination of groups shows it; absent if there are none. The other measures are about
            combinations of groups.
    """

    individuals: int
    min_e: LeastBounds
    compromised: dict[str, int]
    classes: dict[str, int]
    pinned: int
    ways: list[str]
    alike_in_worlds: int | Absent = ABSENT

    timeline_label: ClassVar[Phrase | str] = Phrase("same values")
    remedy: ClassVar[Phrase | str] = Phrase(
        "Publish whole buckets: put everybody whose group has the same set of values into one group, as the method "
        "e-equivalence does. Then nobody certainly has the same values as so few others."
    )

    @property
    def subjects(self) -> int:
        """How many people there are."""
        return self.individuals

    @property
    def found(self) -> int:
        """The number of people in some equivalence, at least."""
        return max(*self.compromised.values(), 0 if isinstance(self.alike_in_worlds, Absent) else self.alike_in_worlds)

    def found_in_words(self, *, at_least: bool) -> str:
        """Return how many people are in some equivalence, and how small equivalences get."""
        if not self.ways:
            return say("nothing could be concluded")
        # Of the people who are alike in all worlds, some may be in other equivalences too.
        both = not isinstance(self.alike_in_worlds, Absent) and any(self.compromised.values())
        found = super().found_in_words(at_least=at_least or both)
        if self.pinned:
            found = say("{pinned}, {found}", pinned=self._pinned(at_least=at_least), found=found)
        if not isinstance(self.alike_in_worlds, Absent):
            return say(
                "{found} with the same values as others; {count} of them with the same value as {other} in all worlds, "
                "which no combination of groups shows (e = 1)",
                found=found,
                count=self.alike_in_worlds,
                other=say("another person or a counterfeit"),
            )
        if self.min_e.none:
            return say("{found} (there is no equivalence)", found=found)
        if self.min_e.upper != 1:
            return say("{found} with the same values as others (least e: {bounds})", found=found, bounds=self.min_e)
        if (alike := self.compromised["1"]) == self.found:
            return say("{found} with the same value as {other} (e = 1)", found=found, other=self._other)
        return say(
            "{found} with the same values as others; {count} of them with the same value as {other} (e = 1)",
            found=found,
            count=alike,
            other=self._other,
        )

    @property
    def _other(self) -> str:
        """Whose value some people certainly have, in words: counterfeits are no people."""
        among_people = sum(int(size) * count for size, count in self.classes.items())
        if among_people < self.compromised["1"]:
            return say("another person or a counterfeit")
        return say("another person")

    def _pinned(self, *, at_least: bool) -> str:
        if at_least:
            return say_count("at least {count} [value is|values are] certain", self.pinned)
        return say_count("{count} [value is|values are] certain", self.pinned)

    def accusation(self, value: str, *, at_least: bool) -> str:
        """Return how many values are certain or, if none are, how many people share values with others."""
        if self.pinned:
            return super().accusation(value, at_least=at_least)
        if self.min_e.upper != 1:
            found = self.found_in_words(at_least=at_least)
            return say("{found} certainly have the same values as a few others, taken together", found=found)
        return say(
            "{found} of {people} certainly have the same value as {other}",
            found=self.compromised["1"],
            people=PEOPLE.counted(self.individuals),
            other=self._other,
        )

    def notes(self, attack: str) -> Iterator[str]:
        """Yield the methods used."""
        if self.ways:
            yield say("{attack} used these methods: {ways}.", attack=attack, ways=parted(self.ways))
        if not isinstance(self.min_e_proved, Absent):
            yield say(
                "{attack} asked a solver for equivalences with {least} or more people on a side: there is no proof "
                "that it missed none.",
                attack=attack,
                least=self.min_e_proved,
            )


def timeline(matrix: Matrix, found: Found, max_e: int, budget: Budget) -> tuple[list[int], Reason | None]:
    """Return how many people take part in an equivalence up to `max_e` after each release, and why that is incomplete.

    Numbers never decrease from release to release. If time runs out, those not computed are lower bounds.
    """
    last = int((matrix.individual & (found.least > 0)).sum())
    numbers, reason = _counted(matrix, found, max_e, budget)
    line: list[int] = []
    for releases in range(1, found.releases):
        line.append(min(last, max(numbers.get(releases, 0), line[-1] if line else 0)))
    return line + [last] * (matrix.releases - found.releases + 1), reason


def _counted(matrix: Matrix, found: Found, max_e: int, budget: Budget) -> tuple[dict[int, int], Reason | None]:
    """Return the numbers after all releases but the last, and why they are incomplete."""
    numbers, reason = dict[int, int](), None
    allowed = found.least > 0
    if not allowed.any():
        return numbers, None
    engine, alone = budget.engine, budget.single_threaded()
    whole = engine.submit(same, matrix)
    earlier = [*reversed(range(1, found.releases))]
    tasks = (engine.submit(least_so_far, whole, releases, max_e, allowed, found.exact, alone) for releases in earlier)
    for releases, judged in zip(earlier, engine.results(tasks), strict=False):
        budget.stage(f"after release {releases} of {matrix.releases}")
        budget.progress(found.releases - releases, found.releases)
        if judged is None:
            why = say(
                "{reason} in the timeline, so that releases 1 to {last} of {releases} were not judged",
                reason=budget.reason,
                last=str(releases),
                releases=str(matrix.releases),
            )
            return numbers, Reason(why, ReasonKind.TIME_LIMIT)
        least, exact = judged
        if found.exact and not exact:
            reason = Outcome.timeline_bounds()
        numbers[releases] = int((matrix.individual & (least > 0)).sum())
        if exact and not numbers[releases]:
            break
    return numbers, reason


def least_so_far(
    matrix: Matrix, releases: int, max_e: int, allowed: Flags, search_integers: bool, budget: Budget
) -> tuple[Codes, bool] | None:
    """Return the least e of some columns after some releases, and whether it is exact; None if time runs out.

    A kernel for engines.
    """
    if budget.exhausted():
        return None
    early = matrix.prefix(releases)
    found = judge(early, max_e, budget.fraction(1.0), allowed=allowed, search_integers=search_integers)
    return None if found is None else (found.least, found.exact)


_SHARE = 0.7
_NO_PAIRS = np.zeros((0, 2), dtype=np.int32)


@dataclass(frozen=True)
class EquivalenceAttack(PolicyOptions):
    """Find people with equal values by linear combinations of groups.

    Attributes:
        max_e: the largest number of people on a side to search for and count; at least 1.
        history: whether to count the people in equivalences after each earlier release, too.
    """

    max_e: int = option(4, help="search for and count sides with at most this many people", least=1, most=100)
    history: bool = option(True, help="do not count what was found after fewer releases")
    name: ClassVar[str] = "equivalence"
    measures: ClassVar[type[EquivalenceMeasures]] = EquivalenceMeasures
    decides: ClassVar[frozenset[str]] = frozenset({"min_e"})
    rules: ClassVar[Mapping[str, FindingRule]] = {
        "equivalence": FindingRule(
            "Some people are known to have, taken together, the same values as equally many others.",
            "Publish whole buckets: once the values of one side are known, those of the other side follow.",
        ),
        "disclosure": FindingRule("A weighted sum of groups leaves one person and one value.", WITHHOLD),
    }

    def only_deciding(self, limits: Mapping[str, float], /) -> EquivalenceAttack:
        """Return the attack with sides no larger than the policy requires, for a run that only needs the verdict."""
        return replace(self, max_e=min(self.max_e, max(1, int(limits.get("min_e", 1)) - 1)))

    def about(self, _person: int, /) -> EquivalenceAttack:
        """Return the attack for questions about one person: all groups are combined, after all releases only."""
        return replace(self, history=False)

    def run(self, evidence: Evidence, budget: Budget, /) -> Outcome:
        """Return which people share a value; the claims span all equivalences that were found."""
        reason = linked_reason(evidence) or constant_reason(evidence)
        if reason is not None:
            return Outcome.skipped(self.name, reason)
        matrix = Matrix.of(evidence)
        try:
            found = _longest(matrix, self.max_e, budget)
        except ContradictionError as contradiction:
            found, reason = None, _contradicted(evidence, matrix, contradiction)
        if found is None:
            return Outcome.judged(self.name, reason or budget.reason, _nothing(matrix, self.max_e))
        line: list[int] | Absent = ABSENT
        missing = None
        if self.history:
            line, missing = timeline(matrix, found, self.max_e, budget.fraction(_SHARE))
        measures = EquivalenceMeasures(
            individuals=int(matrix.individual.sum()),
            min_e=LeastBounds(found.lower, found.upper),
            min_e_proved=ABSENT if found.proved is None else found.proved,
            compromised=_compromised(matrix, found, self.max_e),
            classes=_class_sizes(matrix, found),
            pinned=int((matrix.individual & (found.pinned >= 0))[matrix.member].sum()),
            ways=list(found.ways),
            timeline=line,
        )
        reasons = [reason for reason in (found.reason, missing) if reason]
        claims = SpanningClaims.of(evidence, matrix.prefix(found.releases), found, budget.remaining())
        shown = claims.shown(_nothing(matrix, self.max_e))
        return Outcome.judged(self.name, combined(reasons), measures, shown)

    def refined(self, evidence: Evidence, outcome: Outcome, beside: Outcome, budget: Budget, /) -> Outcome:
        """Return the outcome with further pairs that are equal in all worlds, by values that another attack rules out.

        Of the measures, `alike_in_worlds` is about these pairs; the others are about combinations of groups.

        Args:
            evidence: the evidence of both outcomes.
            outcome: the outcome of this attack.
            beside: the outcome of the attack that knows which values are possible.
            budget: the time limit.
        """
        claims, knowing = outcome.claims, beside.knowing
        if not isinstance(claims, Equivalences) or knowing is None or not claims.spanned:
            return outcome
        matrix = Matrix.of(evidence)
        finer = split(matrix, [knowing.left(release)[:2] for release in range(matrix.releases)])
        pairs: Codes | None = _NO_PAIRS
        if finer.groups > matrix.groups:
            try:
                pairs = more_pairs(matrix, finer, budget)
            except ContradictionError:
                pairs = None
        if pairs is None:
            return outcome
        known = _with_pairs(evidence, matrix, claims, pairs, solver=False)
        if (known.e == 1).any():  # The clause is violated unless claims are waived: others are checked if necessary.
            left = budget.remaining()
            asked = cache(lambda: _all_distinguished(known, knowing, Budget(left, engine=budget.engine)))
            return _refined(outcome, replace(known, distinguished=asked), matrix.individual, pairs)
        equal = knowing.equal_people(_NO_PAIRS, budget)
        found = _with_pairs(evidence, matrix, claims, equal.pairs, solver=True)
        return _refined(outcome, replace(found, distinguished=lambda: equal.whole), matrix.individual, equal.pairs)


def _refined(outcome: Outcome, claims: Equivalences, individual: Flags, pairs: Codes) -> Outcome:
    """Return an outcome with other claims, and with measures that count the people of these pairs of columns."""
    measures = outcome.measures
    if len(pairs) and isinstance(measures, EquivalenceMeasures):
        measures = replace(measures, alike_in_worlds=int(individual[np.unique(pairs)].sum()))
    return replace(outcome, measures=measures, claims=claims)


def _all_distinguished(claims: Equivalences, knowing: PossibleValues, budget: Budget) -> bool:
    """Return whether worlds distinguish all people who are not claimed to be equal."""
    sides = claims.pairs(np.flatnonzero(claims.e == 1))
    pairs = [pair for pair in sides if isinstance(pair[0], int) and isinstance(pair[1], int)]
    equal = knowing.equal_people(np.array(pairs, dtype=np.int32).reshape(-1, 2), budget)
    return equal.whole and not len(equal.pairs)


def _with_pairs(
    evidence: Evidence, matrix: Matrix, claims: Equivalences, pairs: Codes, *, solver: bool
) -> Equivalences:
    """Return the claims, followed by the claims that some pairs of columns are equal in all worlds."""
    if not len(pairs):
        return claims
    count, first = len(claims), matrix.first_release()

    def equal(places: Places) -> list[AnyCombination]:
        return [equal_pair(evidence, matrix, pair, solver=solver) for pair in pairs[places]]

    ones, no_person = np.ones(len(pairs), dtype=np.int32), np.full(len(pairs), -1, dtype=np.int32)
    return replace(
        claims,
        e=np.concatenate([claims.e, ones]),
        effort=np.concatenate([claims.effort, 3 * ones]),
        release=np.concatenate([claims.release, first[pairs].max(axis=1, initial=0).astype(np.int32)]),
        sides=followed_by(claims.sides, count, equal),
        certify=followed_by(claims.certify, count, equal),
        person=None if claims.person is None else np.concatenate([claims.person, no_person]),
    )


def _longest(matrix: Matrix, max_e: int, budget: Budget) -> Found | None:
    """Return the result for all releases, or for the first half, quarter, ... that can be judged in time."""
    releases = matrix.releases
    while releases:
        found = judge(matrix.prefix(releases), max_e, budget.fraction(_SHARE))
        if found is not None and releases == matrix.releases:
            return found
        if found is not None:
            text = say(
                "{reason}, so that only releases 1 to {last} of {releases} were judged",
                reason=budget.reason,
                last=str(releases),
                releases=str(matrix.releases),
            )
            return replace(found, lower=1, exact=False, reason=Reason(text, ReasonKind.TIME_LIMIT))
        releases = 0 if budget.exhausted() else releases // 2
    return None


def _contradicted(evidence: Evidence, matrix: Matrix, contradiction: ContradictionError) -> Reason:
    """Return the reason why contradictory releases have no result; it names a group that contradicts others."""
    text = say("the releases contradict each other: no assignment of values to people fits all groups")
    if contradiction.groups:
        group = contradiction.groups[0]
        release = int(matrix.release[group])
        text = say(
            "the releases contradict each other: no assignment of values to people fits all groups, as "
            "release {release}, group {group} shows",
            release=printable(evidence.tags[release]),
            group=printable(evidence.source.group_names(release, matrix.code[[group]])[0]),
        )
    return Reason(text, ReasonKind.CONTRADICTION)


def _nothing(matrix: Matrix, max_e: int) -> EquivalenceMeasures:
    """Return the measures if nothing is known: e is at least 1."""
    return EquivalenceMeasures(
        individuals=int(matrix.individual.sum()),
        min_e=LeastBounds(1, None),
        compromised={str(e): 0 for e in range(1, max_e + 1)},
        classes={},
        pinned=0,
        ways=[],
        timeline=[0] * matrix.releases,
    )


def _compromised(matrix: Matrix, found: Found, max_e: int) -> dict[str, int]:
    """Return the number of people who take part in an equivalence up to each e."""
    least = found.least[matrix.individual]
    return {str(e): int(((least > 0) & (least <= e)).sum()) for e in range(1, max_e + 1)}


def _class_sizes(matrix: Matrix, found: Found) -> dict[str, int]:
    """Return the number of classes of people with a common value, by size."""
    label = found.label[matrix.individual & (found.label >= 0)]
    sizes = np.bincount(label)
    return sizes_table(sizes[sizes > 1])
