"""The clauses `max_risk` and `closeness`: no sensitive value may be known too surely, nor a number approximately.

To the assumed adversary, the probability of any sensitive value must stay below the limit of `max_risk`. The same holds
for a category of similar values. A person's category is certain if all possible values belong to it; otherwise its
probability is the sum of theirs. It is found like close numbers: the values of a category count as one number.

No sensitive number may be known to be one of several close numbers. Two numbers are close if they differ by at most a
share of the larger one, or by at most the width that the manifest gives in the column's unit. `joint` finds the
possible numbers of a person (two worlds with numbers that are not close clear a person), and `homogeneity` checks
classes of rows. If `max_risk` is below 1, the numbers close to the true one (without a key, to the likeliest one) must
not reach it together either.

Single values are a matter of `max_risk`. Findings about numbers that may be codes, or for which a share means little,
are undecided until the manifest declares what they are.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, NamedTuple

import numpy as np

from audit.clauses.clause import Clause, ClauseKnowledge, E, JudgedAudit, RiskClause, TrueValues, attack_reason
from audit.findings.close_numbers import CloseValues, NearClaims, SimilarPeople
from audit.findings.disclosure import LikelyValues
from audit.model.arrays import Codes, Flags, Floats, Places
from audit.model.evidence import Evidence, claimed_code
from audit.model.finding import Claims
from audit.model.nearness import Nearness, spread
from audit.model.outcome import BELOW_ONE, Result, Risks, ValuesLeft, reaches, reaches_all
from audit.model.report import Violation
from audit.runtime.phrases import Phrase, Reason, ReasonKind, figure, kind_of, say, say_count

_MORE = 1e-9
"""Two probabilities that differ by less than this may be equal, because of rounding."""


class Alike(NamedTuple):
    """Values that mean nearly the same.

    Attributes:
        attribute: the sensitive attribute.
        category: the category that they share; None if they are close numbers.
        near: which of them are close; the values of a category count as one number.
    """

    attribute: str
    category: str | None
    near: Nearness


@dataclass(frozen=True)
class Nearly:
    """The close numbers that one result discloses.

    Attributes:
        claims: all claims, accepted or not.
        doubts: why a claim may be harmless, by claim; None for a claim that is harmful.
        open: the number of undecided people.
    """

    claims: NearClaims
    doubts: Sequence[Reason | None]
    open: int


class Closeness(Clause):
    """In force for sensitive numbers; it decides nothing about other values."""

    name: ClassVar[str] = "closeness"
    default: ClassVar[float | None] = 0.1
    fails: ClassVar[str] = "A sensitive number is known approximately."
    always: ClassVar[bool] = False
    remedy: ClassVar[str] = "Publish groups whose numbers differ by more."
    of_people: ClassVar[type[CloseValues]] = CloseValues
    example: ClassVar[str] = "write a share from 0 to below 1, such as 0.1, or a width for each column"
    meaning: ClassVar[Phrase] = Phrase("how near the possible numbers of a person may be to each other")

    breach: ClassVar[Phrase] = Phrase(
        "nobody's {value} may be known approximately; {found} (closeness, found by {attack})"
    )
    further: ClassVar[bool] = True

    def extent(self, violation: Violation) -> str:
        """Return for how many people numbers are too close, and how close they are."""
        spread = figure(violation.value, ".1%")
        if spread == figure(0, ".1%"):  # of days, or of numbers far from 0
            if violation.people is None:
                return say("rows that look alike show it")
            return say_count("this is so for {count} [person|people]", violation.people)
        if violation.people is None:
            return say("the closest numbers lie within {spread}", spread=spread)
        return say_count(
            "this is so for {count} [person,|people, at the narrowest] to within {spread}",
            violation.people,
            spread=spread,
        )

    def allows(self, limit: float) -> bool:
        """Return whether a number is a share below 1."""
        return 0 <= limit < 1

    def asks(self, evidence: Sequence[Evidence]) -> bool:
        """Return whether any sensitive attribute has numbers."""
        return any(self.alike(each, 0.0) for each in evidence)

    def alike(self, evidence: Evidence, share: float) -> list[Alike]:
        """Return the sets of values that mean nearly the same."""
        return [Alike(name, None, each.near(share)) for name, each in evidence.numbers.items()]

    def _deciding(self, findings: JudgedAudit) -> list[Result[Evidence]]:
        return [entry for entry in findings.ran if _decides(entry)]

    def statistic(self, result: Result[E], known: ClauseKnowledge) -> Result[E]:
        """Return a result with the people, or the classes, whose number is known nearly, if the attack finds them."""
        outcome, found = result.outcome, None
        left = outcome.left if outcome.status == "complete" else None  # until then values of releases to come are left
        left = left if outcome.knowing is None else outcome.knowing.left
        share = known.limits.get(self.name, 0.0)
        near, classes = self.alike(result.evidence, share), outcome.near.get(self.name)
        if not near or not _decides(result):
            return result
        if isinstance(classes, NearClaims):
            harmless = _harmless_between(result.evidence, near, classes, known)
            found = _found(result.evidence, classes.at_entries(np.flatnonzero(~harmless)), 0)
        elif left is not None and outcome.claims is not None:
            people = _PeoplesNumbers(result.evidence, near, known).found(left, self.of_people, share)
            found = _found(result.evidence, *people)
        return result if found is None else result.with_gathered(self.name, found)

    def claims(self, result: Result[Evidence], limit: float, truth: TrueValues) -> Claims | None:
        """Return the people, or the classes, whose number is known nearly and not accepted."""
        return self.left(result)

    def left(self, result: Result[Evidence]) -> NearClaims | None:
        """Return the claims that are not accepted."""
        found = result.gathered.get(self.name)
        return found.claims.without(result.accepted_by(self.name)) if isinstance(found, Nearly) else None

    def judges(self, findings: JudgedAudit) -> bool:
        """Return whether an attack that can decide the clause ran on numbers."""
        return self.asks(findings.evidence) and super().judges(findings)

    def not_judged(self, findings: JudgedAudit) -> str:
        """Return why nothing was judged."""
        return super().not_judged(findings) if self.asks(findings.evidence) else say("no sensitive column has numbers")

    def violations(self, findings: JudgedAudit, limit: float) -> Iterator[Violation]:
        """Yield, for each attack, the smallest share by which the possible numbers of a person differ."""
        for entry in findings.ran:
            found, sure = self.sure(entry)
            if found is not None and sure:
                value, people = min(map(spread, found.claims.ends[sure].tolist())), self.people(entry)
                yield Violation(entry.outcome.attack, self.name, limit, value, entry.sensitive, people=people)

    def doubts(self, findings: JudgedAudit, limit: float) -> Iterator[str]:
        """Yield why close numbers may have been missed, or why found ones may be harmless."""
        reasons: dict[str, None] = {}
        for entry in findings.ran:
            found, left = self._left(entry)
            if found is not None:
                reasons |= dict.fromkeys(str(each) for at in left if (each := found.doubts[at]) is not None)
        yield from reasons
        people = findings.adversary is not None and findings.adversary.knows_people
        deciding = self._deciding(findings)
        if (
            self.judges(findings)
            and (people or not deciding)
            and all(self.name in entry.outcome.near for entry in deciding)
        ):
            yield self.not_run()
        for entry in self._left_out(findings):
            if self.alike(entry.evidence, 0.0):
                yield attack_reason(entry.attack.name, entry.outcome.reason or "")
        for entry in deciding:
            by_class = self.name in entry.outcome.near
            if self.alike(entry.evidence, 0.0) and (by_class or entry.whole):
                found = self._left(entry)[0]
                done = entry.outcome.status == "complete" if by_class else found is not None and not found.open
                yield from self._doubts_of(entry, decided=done, unless=self.unless(found))

    def not_run(self) -> str:
        """Return which necessary attacks did not run."""
        return people_not_judged()

    def unless(self, found: Nearly | None) -> str:
        """Return which information is missing."""
        if found is None:
            return say("not every number could be judged")
        return say_count(
            "for {count} [person|people] it is not known whether all possible numbers are close to each other, or how "
            "likely those near the true one are",
            found.open,
        )

    def people(self, entry: Result[Evidence]) -> int | None:
        """Return the number of people in the claims that violate the clause; None for classes."""
        found, sure = self.sure(entry)
        return None if found is None or found.claims.person is None else entry.number_of(found.claims.person[sure])

    def sure(self, entry: Result[Evidence]) -> tuple[Nearly | None, list[int]]:
        """Return what a result discloses, and the indices of the claims that are harmful and not accepted."""
        found, left = self._left(entry)
        return found, [at for at in left if found is not None and found.doubts[at] is None]

    def _left(self, entry: Result[Evidence]) -> tuple[Nearly | None, list[int]]:
        found = entry.gathered.get(self.name)
        if not isinstance(found, Nearly):
            return None, []
        accepted = np.isin(found.claims.entries, entry.accepted_by(self.name))
        return found, np.flatnonzero(~accepted).tolist()


def people_not_judged() -> str:
    """Return which attacks on people did not run, so that only classes of rows were judged."""
    return say(
        "only the attack joint (without known presence, intersection or update-graph) finds out which values a "
        "person may have, and it did not run"
    )


def _decides(entry: Result[Evidence]) -> bool:
    """Return whether an attack ran that finds all possible numbers; on single people if they are judged separately."""
    return entry.outcome.ran and (Closeness.name in entry.attack.decides or entry.outcome.left is not None)


def _found(evidence: Evidence, claims: NearClaims, undecided: int) -> Nearly:
    """Return the claims, and why some may be harmless."""
    names = [evidence.attribute(each) or evidence.sensitive for each in claims.lower.tolist()]
    about = zip(names, claims.category.tolist(), strict=True)
    doubts = [
        (evidence.numbers[each] if category is None else evidence.categories[each][category]).doubt
        for each, category in about
    ]
    return Nearly(claims, doubts, undecided)


def _harmless_between(evidence: Evidence, alike: Sequence[Alike], claims: NearClaims, known: ClauseKnowledge) -> Flags:
    """Return the claims for which all published values between their ends, or in their category, are harmless."""
    found: Flags = np.zeros(len(claims), dtype=np.bool_)
    for _, category, near in alike:
        harm = np.zeros(len(near.number), dtype=np.int64)
        harmful = near.rank[~harmless_values(evidence, evidence.sensitive, len(near.rank), known)]
        harm[harmful[harmful >= 0]] = 1
        before = np.append(0, np.cumsum(harm))
        some = claims.category == category
        found[some] = before[near.rank[claims.upper[some]] + 1] == before[near.rank[claims.lower[some]]]
    return found


def harmless_values(evidence: Evidence, name: str, size: int, known: ClauseKnowledge) -> Flags:
    """Return which values of an attribute are harmless; shape (size,), bool, by code."""
    texts, codes = {text for attribute, text in known.harmless if attribute == name}, range(size)
    if evidence.combined is not None:
        names = evidence.combined.attributes
        codes = claimed_code(names.index(name), np.arange(size, dtype=np.int32), len(names)).tolist()
    return np.array([evidence.values[code] in texts for code in codes] if texts else [False] * size, dtype=np.bool_)


class _PeoplesNumbers:
    """The people whose numbers are known nearly, release by release."""

    def __init__(self, evidence: Evidence, near: Sequence[Alike], known: ClauseKnowledge) -> None:
        self._evidence, self._near, self._known = evidence, near, known
        self._limit, self._skipped = known.limits["max_risk"], np.flatnonzero(known.left_out())
        self._constant = evidence.transitions is None
        none: Codes = np.zeros(0, dtype=np.int32)
        self._columns: list[tuple[Codes, Codes, Codes, Codes, Floats]] = [(none, none, none, none, np.zeros(0))]
        self._alike: list[tuple[str | None, Nearness | None]] = [(None, None)]  # one more than claims
        self._ends: list[tuple[Fraction, Fraction]] = []
        self._open: list[Codes] = [none]

    def found(
        self, values_left: Callable[[int], ValuesLeft], kind: type[CloseValues], share: float
    ) -> tuple[CloseValues, int]:
        """Return the people whose number is known nearly, and the number of undecided people."""
        seen = self._skipped
        for release in reversed(range(len(self._evidence.tags))):
            left = values_left(release)
            kept = left.counts & ~np.isin(left.person, seen)
            if self._constant:  # the last release of a person contains all information
                seen = np.union1d(seen, left.person[kept])
            if kept.any():
                for near in self._near:
                    self._add(release, near, ValuesLeft._make(column[kept] for column in left))
        if self._constant and not self._evidence.adversary.knows_presence:
            self._open += map(self._in_fewer_releases, self._near)
        person, at, lower, upper, risk = map(np.concatenate, zip(*self._columns, strict=True))
        ends = np.array(self._ends, dtype=object).reshape(-1, 2)
        entries = np.arange(len(ends))
        category, alike = (np.array(some, dtype=object)[1:] for some in zip(*self._alike, strict=True))
        claims = kind(at, lower, upper, risk, ends, entries, share, category, person, alike, self._constant)
        return claims, len(np.unique(np.concatenate(self._open)))

    def _add(self, release: int, alike: Alike, left: ValuesLeft) -> None:
        """Add the people whose possible numbers of an attribute are close in a release."""
        combined, (name, _, near) = self._evidence.combined, alike
        part = left.value if combined is None else combined.parts()[left.value, combined.attributes.index(name)]
        start = np.flatnonzero(np.diff(left.person, prepend=-1))
        person, owner = left.person[start], np.repeat(np.arange(len(start)), np.diff(start, append=len(part)))
        rank, harmless = near.rank[part], harmless_values(self._evidence, name, len(near.rank), self._known)
        several = np.minimum.reduceat(part, start) != np.maximum.reduceat(part, start)
        low, high = np.minimum.reduceat(rank, start), np.maximum.reduceat(rank, start)
        close = several & near.together(low, high)
        sure = close & ~np.logical_and.reduceat(harmless[part], start)
        self._note(release, alike, person[sure], low[sure], high[sure], np.ones(int(sure.sum())))
        undecided = several & ~close
        if self._limit >= 1.0:
            self._open.append(person[undecided & ~_far(part, rank, left.shown, start, near)])
            return
        unknown = np.logical_or.reduceat(np.isnan(left.share), start)
        self._open.append(person[undecided & unknown])
        self._add_likely(release, alike, person, np.where((undecided & ~unknown)[owner], owner, -1), part, left.share)

    def _in_fewer_releases(self, alike: Alike) -> Codes:
        """Return people whose number is known nearly in some of their releases, but has to be a harmless one in all.

        The fewest values with a harmful one are left in all the releases that have it.
        """
        combined, (name, _, near) = self._evidence.combined, alike
        harmless = harmless_values(self._evidence, name, len(near.rank), self._known)
        pools, found = defaultdict[int, list[set[int]]](list), set[int]()
        for each in self._evidence.stream() if harmless.any() else ():
            values, contents = [set[int]() for _ in range(each.n_pools)], each.entries()
            for pool, value in zip(contents.bag.tolist(), contents.value.tolist(), strict=True):
                values[pool].add(value)
            for person, pool in zip(each.person.tolist(), each.pool.tolist(), strict=True):
                pools[person].append(values[pool])
        part = np.arange(len(near.rank)) if combined is None else combined.parts()[:, combined.attributes.index(name)]
        for person, there in pools.items():
            harmful = {value for value in set[int]().union(*there) if not harmless[part[value]]}
            for value in set[int]() if harmful.intersection(*there) else harmful:
                rank = near.rank[part[list(set.intersection(*(values for values in there if value in values)))]]
                if near.together(rank.min(keepdims=True), rank.max(keepdims=True)).all():
                    found.add(person)
        return np.setdiff1d(np.array(sorted(found), dtype=np.int32), self._skipped)

    def _add_likely(self, release: int, alike: Alike, person: Codes, owner: Places, part: Codes, share: Floats) -> None:
        """Add close numbers that are likely: those around the true one (without a key, around any)."""
        name, _, near = alike
        evidence, size = self._evidence, len(near.rank)
        some = owner >= 0
        keys, place = np.unique(owner[some] * size + part[some], return_inverse=True)
        who, which, alone = keys // size, keys % size, np.bincount(place, weights=share[some], minlength=len(keys))
        window = near.windows(who, which, alone)
        harm = np.where(harmless_values(evidence, name, size, self._known)[which], 0.0, alone)
        risk = np.minimum(window.within, BELOW_ONE)
        versions = np.full(len(person), release, dtype=np.int32)
        true = self._known.truth(Risks(person, versions, np.ones_like(versions), np.ones(len(person))))
        if evidence.combined is not None:
            parts = evidence.combined.parts()[:, evidence.combined.attributes.index(name)]
            true = np.where(true < 0, true, parts[true])
        asked = (true[who] < 0) | (which == true[who])
        reached = asked & reaches_all(risk, self._limit) & (window.within > alone + _MORE)
        reached &= near.windows(who, which, harm).within > 0
        order = np.lexsort((which, -risk, who))
        order = order[reached[order]]
        best = order[np.flatnonzero(np.diff(who[order], prepend=-1))]
        self._note(release, alike, person[who[best]], window.low[best], window.high[best], risk[best])

    def _note(self, release: int, alike: Alike, person: Codes, low: Places, high: Places, risk: Floats) -> None:
        name, category, near = alike
        self._alike += [(category, near)] * len(person)
        lower, upper = near.code[low], near.code[high]
        if self._evidence.combined is not None:
            names = self._evidence.combined.attributes
            lower, upper = (claimed_code(names.index(name), each, len(names)) for each in (lower, upper))
        self._columns.append((person, np.full(len(person), release, dtype=np.int32), lower, upper, risk))
        self._ends += [(near.number[a], near.upper[b]) for a, b in zip(low.tolist(), high.tolist(), strict=True)]


def _far(part: Codes, rank: Places, shown: Flags, start: Places, near: Nearness) -> Flags:
    """Return the people who have two possible values that are not close."""
    most = np.iinfo(np.int32).max
    values = (
        np.minimum.reduceat(np.where(shown, part, most), start),
        np.maximum.reduceat(np.where(shown, part, -1), start),
    )
    low = np.minimum.reduceat(np.where(shown, rank, len(near.number)), start)
    high = np.maximum.reduceat(np.where(shown, rank, -1), start)
    two = values[0] < values[1]
    far: Flags = two & ~near.together(np.where(two, low, 0), np.where(two, high, 0))
    return far


class Categories(Closeness):
    """The part of `max_risk` about categories; not a separate clause."""

    name: ClassVar[str] = "similar"
    of_people: ClassVar[type[CloseValues]] = SimilarPeople
    breach: ClassVar[Phrase] = Phrase(
        "nobody may know the category of a person's {value} with {most} or more; {found} (max_risk, found by {attack})"
    )
    certain: ClassVar[Phrase | None] = Phrase(
        "nobody may be certain of the category of a person's {value}; {found} (max_risk, found by {attack})"
    )
    extent = Clause.extent

    def alike(self, evidence: Evidence, share: float) -> list[Alike]:
        """Return which values are of one category."""
        return [
            Alike(name, category, values.near(share))
            for name, categories in evidence.categories.items()
            for category, values in categories.items()
        ]

    def judges(self, findings: JudgedAudit) -> bool:
        """Return whether any value has a category."""
        return self.asks(findings.evidence)

    def highest(self, entry: Result[Evidence]) -> float | None:
        """Return the highest risk of a category that is not accepted; None if there is none."""
        found, sure = self.sure(entry)
        return float(found.claims.risk[sure].max()) if found is not None and sure else None

    def not_run(self) -> str:
        """Return which necessary attacks did not run."""
        return say(
            "only joint (people; without known presence, intersection or update-graph) and homogeneity (rows) show "
            "whether all values share a category; run both"
        )

    def unless(self, found: Nearly | None) -> str:
        """Return which information is missing."""
        if found is None:
            return say("not every category could be judged")
        return say_count(
            "for {count} [person|people] it is not known whether all possible values are of one category, or how "
            "likely a category is",
            found.open,
        )


CATEGORIES = Categories()


class MaxRisk(RiskClause):
    """Any attack on values may violate it; only an attack that finds all certain values can show that it holds."""

    name: ClassVar[str] = "max_risk"
    default: ClassVar[float | None] = 1.0
    fails: ClassVar[str] = "A risk reaches the policy's limit."
    remedy: ClassVar[str] = "Publish larger or more diverse groups."
    meaning: ClassVar[Phrase] = Phrase("highest allowed probability of a person's value")

    breach: ClassVar[Phrase] = Phrase(
        "nobody's {value} may be known with {most} or more; {found} (max_risk, found by {attack})"
    )
    certain: ClassVar[Phrase | None] = Phrase("nobody's {value} may be certain (max_risk, found by {attack})")
    timed: ClassVar[bool] = True

    def broken(self, violation: Violation) -> str:
        """Return whose value, or category, is certain or too probable."""
        return super().broken(violation) if violation.kind is None else CATEGORIES.broken(violation)

    def statistic(self, result: Result[E], known: ClauseKnowledge) -> Result[E]:
        """Return a result with the people, or the classes, whose category is known."""
        return CATEGORIES.statistic(result, known)

    def more_claims(self, result: Result[Evidence]) -> Claims | None:
        """Return the people, or the classes, whose category is known."""
        return CATEGORIES.left(result)

    def claims(self, result: Result[Evidence], limit: float, truth: TrueValues) -> Claims | None:
        """Return the risks below certainty that reach the limit; certain values are the attack's own claims."""
        risks = result.outcome.risks
        if limit >= 1.0 or risks is None or not _counted(result):
            return None
        left = reaches_all(risks.risk, limit) & (risks.risk < 1.0)
        left[result.accepted_by(self.name)] = False
        at = np.flatnonzero(left)
        release = risks.release[at].astype(np.int32)
        return LikelyValues(risks.person[at], release, risks.risk[at], at, lambda chosen: truth(risks)[at[chosen]])

    def not_judged(self, findings: JudgedAudit) -> str:
        """Return why no attack ran that computes risks."""
        adversary = findings.adversary
        if adversary is not None and not adversary.knows_people and adversary.reads_key:
            return say(
                "max_risk is about people, and the adversary `{name}` knows nothing about people", name=adversary.name
            )
        return super().not_judged(findings)

    def violations(self, findings: JudgedAudit, limit: float) -> Iterator[Violation]:
        """Yield, for each attack, the highest risk that reaches the limit.

        Below certainty only two kinds of shares count: shares of worlds (with several attributes, of their
        combinations), and shares of the rows of a class. Products of shares are estimates.
        """
        for entry in findings.ran:
            about, risk = (entry.outcome.attack, self.name, limit), entry.max_risk
            if risk is not None and reaches(risk, limit) and (risk >= 1 or _exact(entry)):
                claims, likely = entry.claims, self.claims(entry, limit, lambda risks: risks.person)
                certain = None if claims is None else claims.certain_people(entry.waived)
                people = entry.number_of(certain, None if likely is None else likely.person)
                yield Violation(*about, risk, entry.sensitive, people=people)
            if (risk := CATEGORIES.highest(entry)) is not None:
                yield Violation(*about, risk, entry.sensitive, kind="similar", people=CATEGORIES.people(entry))

    def doubts(self, findings: JudgedAudit, limit: float) -> Iterator[str]:
        """Yield the attacks that may have missed a risk that reaches the limit."""
        violating = {(each.attack, each.sensitive) for each in self.violations(findings, limit)}
        unfinished = [*self._unfinished(findings, limit, violating), *self._unclear(findings)]
        unfinished += [attack_reason(each.attack.name, each.outcome.reason or "") for each in self._left_out(findings)]
        yield from unfinished
        if self.judges(findings):
            yield from CATEGORIES.doubts(findings, limit)
        people = findings.adversary is not None and findings.adversary.knows_people and self.judges(findings)
        if people and all(_about_rows(entry) for entry in self._deciding(findings)):
            yield people_not_judged()
        if limit < 1.0 and people and not (violating or unfinished or any(map(_counted, findings.ran))):
            yield say(
                "a limit below 100% needs exact probabilities, which the attack joint did not compute; run joint, and "
                "list everybody who has a row in the register or in a key"
            )

    def _unclear(self, findings: JudgedAudit) -> Iterator[str]:
        """Yield a doubt: below certainty it is unknown which risks belong to harmless values."""
        for entry in findings.ran:
            if entry.unclear:
                yield attack_reason(
                    entry.outcome.attack,
                    say(
                        "some value reaches the limit, but it may be a harmless one, which cannot be told below "
                        "certainty; only a limit of certainty (max_risk = 1) can be decided here"
                    ),
                )

    def _unfinished(
        self, findings: JudgedAudit, limit: float, violating: Collection[tuple[str | None, str | None]]
    ) -> Iterator[str]:
        """Yield why attacks that found no violation do not decide the clause."""
        for entry in findings.ran:
            if (entry.outcome.attack, entry.sensitive) in violating:
                continue
            decides = self.name in entry.attack.decides
            if limit < 1.0 and decides and (not _exact(entry) and (entry.outcome.risks is not None or not entry.whole)):
                continue
            decided = not _doubtful(entry) and (not decides or _no_higher_risk(entry, limit))
            if decides or not decided:
                worlds = limit < 1.0 and getattr(entry.attack, "asks_worlds", False)
                unless = _uncounted(entry) if worlds else say("not every risk could be computed")
                yield from self._doubts_of(entry, decided=decided, unless=unless)
                if worlds and not decided and entry.outcome.reason:
                    yield attack_reason(entry.outcome.attack, unless)


def _uncounted(entry: Result[Evidence]) -> str:
    """Return a reason: not all worlds were counted, with the number of people if known, and what to do about it."""
    risks, remedy = entry.outcome.risks, say("publish smaller or fewer groups, or write max_risk = 1")
    if kind_of(entry.outcome.reason) is ReasonKind.TIME_LIMIT:
        remedy = say("raise --time-limit, {remedy}", remedy=remedy)
    if risks is None or not risks.missing:
        return say("not all worlds were counted; {remedy}", remedy=remedy)
    return say_count(
        "the worlds of {count} [person|people] are too many to be counted; {remedy}", risks.missing, remedy=remedy
    )


def _about_rows(entry: Result[Evidence]) -> bool:
    """Return whether a result is about classes or chains of rows, and says nothing about single people."""
    return entry.claims is not None and entry.claims.versions is None


def _counted(entry: Result[Evidence]) -> bool:
    """Return whether a result counted the worlds of people; rows of people outside the data do not count."""
    return entry.whole and entry.outcome.counted


def _exact(entry: Result[Evidence]) -> bool:
    """Return whether a result's risks below certainty are exact."""
    claims = entry.claims
    return _counted(entry) or (claims is not None and claims.counts_rows)


def _doubtful(entry: Result[Evidence]) -> bool:
    """Return whether values may be certain that a complete attack on equivalences would have found."""
    claims = entry.claims
    if "min_e" not in entry.attack.decides:
        return False
    return claims is None or claims.doubt


def _no_higher_risk(entry: Result[Evidence], limit: float) -> bool:
    """Return whether no risk reaches the limit; below certainty this needs risks, which an attack may not compute.

    Even an incomplete attack may prove that nothing except its claims is certain.
    """
    outcome, claims = entry.outcome, entry.claims
    if limit >= 1.0:
        return outcome.status == "complete" or (claims is not None and claims.exhaustive)
    risks = entry.outcome.risks
    known = (risks is not None and not risks.missing) or claims is None or claims.versions is None
    return outcome.status == "complete" and known
