"""The clause `max_risk`: to the assumed adversary, the probability of any sensitive value must stay below the limit.

The same holds for a category of similar values. A person's category is certain if all possible values belong to it;
otherwise its probability is the sum of theirs. It is found like close numbers: the values of a category count as one
number.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import ClassVar

import numpy as np

from audit.clauses.clause import Clause, ClauseKnowledge, E, JudgedAudit, RiskClause, TrueValues, attack_reason
from audit.clauses.closeness import Alike, Closeness, Nearly, people_not_judged
from audit.findings.close_numbers import CloseValues, SimilarPeople
from audit.findings.likely_value import LikelyValues
from audit.model.evidence import Evidence
from audit.model.finding import Claims
from audit.model.report import Violation
from audit.model.scored import Result, reaches, reaches_all
from audit.runtime.phrases import Phrase, ReasonKind, kind_of, say, say_count


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
