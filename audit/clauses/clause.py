"""Clauses of the policy: their input, and their outcome: held, violated, undecided, not asked or not judged.

A clause counts as held only when an attack that can decide it has done so. Source: the exit codes of the manual.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, TypeAlias, TypeVar

from audit.model.adversary import Adversary
from audit.model.arrays import Codes, Flags
from audit.model.errors import Doubt
from audit.model.evidence import Evidence
from audit.model.finding import Claims
from audit.model.json_types import ClauseState
from audit.model.outcome import Result, Risks, interruption
from audit.model.report import ClauseReport, ReleasePanel, Undecided, Violation
from audit.runtime.outside_code import ClauseWatch
from audit.runtime.phrases import Phrase, Reason, combined, figure, kind_of, percent, printable, say, say_count

LARGEST_LIMIT = 10**9
"""The largest limit."""
E = TypeVar("E", bound=Evidence)
ListedValue: TypeAlias = tuple[str | None, str]
"""A sensitive attribute (None for any), and one of its values."""
TrueValues: TypeAlias = Callable[[Risks], Codes]
"""Returns the true value to which each risk belongs, -1 where it is not known; shape (entries,), int32."""


@dataclass(frozen=True)
class ClauseKnowledge:
    """What clauses may use in addition to what an attack found.

    Attributes:
        limits: the limits in force, by clause.
        grave, harmless: the values that the manifest declares to be grave or harmless.
        left_out: returns the people to leave out; shape (at most people,), bool, by person code.
        truth: returns the true value to which each risk belongs.
    """

    limits: Mapping[str, float]
    grave: Collection[ListedValue]
    harmless: Collection[ListedValue]
    left_out: Callable[[], Flags]
    truth: TrueValues


@dataclass(frozen=True)
class JudgedAudit:
    """The input of all clauses.

    Attributes:
        attacks: every requested attack, including skipped ones.
        releases: each release by itself, without those whose smallest class is accepted.
        accepted: whether waivers or a baseline accept the smallest class of some release.
        adversary: the assumed adversary.
        narrowed: whether only some attacks were requested.
        linked_records: whether published record ids link rows of several releases.
        grave: the grave values that the policy names.
        doubts: the data that was not read, not judged, or only guessed.
        stated: the clauses with a stated limit.
    """

    attacks: Sequence[Result[Evidence]]
    releases: Sequence[ReleasePanel] = ()
    adversary: Adversary | None = None
    narrowed: bool = False
    linked_records: bool = False
    grave: tuple[ListedValue, ...] = ()
    accepted: bool = False
    doubts: Sequence[Doubt] = ()
    stated: frozenset[str] = frozenset()

    @property
    def evidence(self) -> list[Evidence]:
        """The evidence that was attacked."""
        return [entry.evidence for entry in self.attacks]

    @property
    def ran(self) -> list[Result[Evidence]]:
        """The attacks that apply to the series."""
        return [entry for entry in self.attacks if entry.outcome.ran]

    @property
    def watch(self) -> ClauseWatch:
        """The guard that runs clauses of other packages."""
        return self.attacks[0].watch if self.attacks else ClauseWatch()


class Limit(ABC):
    """The limit of a clause, for people or for counts.

    Attributes:
        name: as written in the manifest, on the command line and in reports.
        default: the limit if none is stated; None if the clause is then not in force.
        fails: the condition under which the clause fails, in words.
        remedy: what to publish instead, in words.
        example: what a limit looks like, for error messages.
        always: whether the clause applies to every series: see `asks`.
        meaning: what the limit is, for readers; empty for the name alone.
        breach: what it requires and how it is violated: the sentence of `broken`.
        certain: the same if its limit is certainty; None for no difference.
        further: whether its violations are in addition to what attacks themselves claim.
        timed: whether the timelines of attacks count what violates it; of probabilities, only certain values.
        on_values: whether it depends on what is known about people's values.
    """

    name: ClassVar[str]
    default: ClassVar[float | None]
    fails: ClassVar[str]
    remedy: ClassVar[str]
    example: ClassVar[str]
    always: ClassVar[bool] = True
    meaning: ClassVar[Phrase | str] = ""
    breach: ClassVar[Phrase] = Phrase("{measure}: {number} by {attack}, and the limit is {limit}")
    certain: ClassVar[Phrase | None] = None
    further: ClassVar[bool] = False
    timed: ClassVar[bool] = False
    on_values: ClassVar[bool] = True

    def broken(self, violation: Violation) -> str:
        """Return what the clause requires and how it is violated, in numbers of people if possible; no full stop."""
        breach = self.breach if self.certain is None or violation.limit != 1 else self.certain
        return breach.filled(
            measure=violation.measure,
            attack=violation.attack or "",
            release=printable(violation.release or ""),
            value=say("value of {name}", name=printable(violation.sensitive)) if violation.sensitive else say("value"),
            number=figure(violation.value, ",g"),
            limit=figure(violation.limit, ".12g"),
            most=percent(min(violation.limit, 1.0)),
            found=self.extent(violation),
        )

    def extent(self, violation: Violation) -> str:
        """Return for how many people a clause is violated, if people are counted, and the highest probability."""
        risk, people = percent(min(violation.value, 1.0)), violation.people
        if people is None:
            return say("the highest probability is {risk}", risk=risk)
        if risk == percent(min(violation.limit, 1.0)):
            return say_count("this is so for {count} [person|people]", people)
        return say_count("this is so for {count} [person,|people, at most] with {risk}", people, risk=risk)

    @abstractmethod
    def allows(self, limit: float) -> bool:
        """Return whether a number is a valid limit of this clause."""

    def parse(self, value: object) -> float:
        """Return a limit.

        Raises:
            ValueError: the value is not a limit; the text says what to write.
        """
        if isinstance(value, int | float) and not isinstance(value, bool) and self.allows(value):
            return value
        raise ValueError(self.example)


class Clause(Limit):
    """One clause of the policy for series about people; its attributes are those of a limit.

    Attributes:
        no_one: why it is undecided if no person counts.
    """

    no_one: ClassVar[Phrase] = Phrase(
        "no person could be judged: each row is a counterfeit, or its value is known beforehand"
    )

    def statistic(self, result: Result[E], known: ClauseKnowledge) -> Result[E]:
        """Return a result with the statistics that the clause needs besides the outcome; by default unchanged."""
        return result

    def asks(self, evidence: Sequence[Evidence]) -> bool:
        """Return, before attacks run, whether the clause applies to the series; if not, it counts only if stated."""
        return self.always

    def claims(self, result: Result[Evidence], limit: float, truth: TrueValues) -> Claims | None:
        """Return the parts of a result that reach the limit and are not accepted, without the attack's own claims."""
        return None

    def more_claims(self, result: Result[Evidence]) -> Claims | None:
        """Return claims of another kind, which are accepted separately."""
        return None

    def judges(self, findings: JudgedAudit) -> bool:
        """Return whether an attack that ran can decide the clause."""
        return bool(self._deciding(findings))

    def not_judged(self, findings: JudgedAudit) -> str:
        """Return why no attack that ran can decide the clause."""
        skipped = {
            attack_reason(entry.attack.name, entry.outcome.reason or "")
            for entry in findings.attacks
            if self.name in entry.attack.decides and entry.outcome.status == "skipped"
        }
        if reason := combined(sorted(skipped)):
            return reason
        if findings.narrowed:
            return say("none of the requested attacks can decide it")
        return say("no attack in this version can decide it")

    @abstractmethod
    def violations(self, findings: JudgedAudit, limit: float) -> Iterator[Violation]:
        """Yield the violations of the clause."""

    @abstractmethod
    def doubts(self, findings: JudgedAudit, limit: float) -> Iterator[str]:
        """Yield why the clause is undecided although nothing violates it."""

    def qualified(self, findings: JudgedAudit, limit: float) -> str | None:
        """Return why the clause holds only with a qualification; None if it simply holds."""
        return None

    def _deciding(self, findings: JudgedAudit) -> list[Result[Evidence]]:
        return [entry for entry in findings.ran if self.name in entry.attack.decides]

    def _left_out(self, findings: JudgedAudit) -> Iterator[Result[Evidence]]:
        """Yield the results of attacks that were skipped for an attribute that no attack judged; others they judged."""
        deciding = self._deciding(findings)
        names, judged = {each.attack.name for each in deciding}, {each.sensitive for each in deciding}
        if all(each.evidence.combined is None for each in deciding):  # combinations are of all attributes
            for entry in findings.attacks:
                single = entry.evidence.combined is None and entry.sensitive not in judged
                if single and entry.attack.name in names and entry.outcome.status == "skipped":
                    yield entry

    def _doubts_of(self, entry: Result[Evidence], *, decided: bool, unless: str) -> Iterator[str]:
        """Yield why an attack that found no violation does not decide the clause."""
        outcome = entry.outcome
        if outcome.subjects == 0:
            no_one = str(self.no_one)
            if outcome.alone is not None:
                no_one = say(
                    "no person could be judged: the published values of every person change, although they must not"
                )
            yield attack_reason(outcome.attack, no_one if outcome.status == "complete" else outcome.reason or no_one)
        elif not decided:
            yield attack_reason(outcome.attack, outcome.reason or unless)


class NumberClause(Clause):
    """A clause whose limit is a whole number from 1."""

    default: ClassVar[float | None] = 2
    example: ClassVar[str] = "write a whole number from 1, such as 2"

    def allows(self, limit: float) -> bool:
        """Return whether a number is whole, and large enough."""
        return isinstance(limit, int) and 1 <= limit <= LARGEST_LIMIT


class RiskClause(Clause):
    """A clause whose limit is a probability."""

    example: ClassVar[str] = "write a number above 0 and at most 1, such as 0.5"

    def allows(self, limit: float) -> bool:
        """Return whether a number is a probability above 0."""
        return 0 < limit <= 1


def attack_reason(attack: str, reason: str) -> Reason:
    """Return a reason prefixed with its attack."""
    return Reason(say("{attack}: {reason}", attack=attack, reason=reason), kind_of(reason))


@dataclass(frozen=True)
class ClauseDecision:
    """The outcome of one clause.

    Attributes:
        clause, limit: the clause and its limit.
        state: `holds`, `violated`, `undecided`, `not asked` (the attacks that decide it were left out) or `not judged`
            (nothing in this series can decide it, and it was not stated).
        violations: what violates it, or would violate it if a guess is right.
        reason: why it neither holds nor is violated; or, if it holds, its qualification.
    """

    clause: Limit
    limit: float
    state: ClauseState
    violations: tuple[Violation, ...] = ()
    undecided: tuple[Undecided, ...] = ()
    reason: str | None = None

    @property
    def reported(self) -> ClauseReport:
        """The outcome as a report has it."""
        return ClauseReport(self.clause.name, self.limit, self.state, self.reason)


@dataclass(frozen=True)
class Stated:
    """A limit in force.

    Attributes:
        limit: the limit.
        manifest: whether the manifest states it.
        asked: whether this run states it (`--policy`, `--k`).
    """

    limit: float
    manifest: bool = False
    asked: bool = False

    @property
    def stated(self) -> bool:
        """Whether the limit is stated, and not a default."""
        return self.manifest or self.asked


def ended(
    clause: Limit, limit: float, doubts: Sequence[str], violations: tuple[Violation, ...] = (), *, broken: bool
) -> ClauseDecision:
    """Return how a clause ends, given why it is in doubt, what may violate it, and whether something certainly does.

    The doubts about a violated clause are reported, too: more may violate it.
    """
    why = None if broken else combined(doubts)
    state: ClauseState = "violated" if broken else "undecided" if doubts else "holds"
    return ClauseDecision(clause, limit, state, violations, tuple(Undecided(clause.name, each) for each in doubts), why)


def decide(clause: Clause, stated: Stated, findings: JudgedAudit) -> ClauseDecision:
    """Return how a clause ends; a clause of another package that raises an error, now or before, is undecided."""
    watch = findings.watch
    decision = watch.ask(clause, lambda: _decided(clause, stated, findings), None)
    if decision is not None:
        return decision
    reason = watch.failed[clause.name]
    return ClauseDecision(clause, stated.limit, "undecided", (), (Undecided(clause.name, reason),), reason)


def _decided(clause: Clause, stated: Stated, findings: JudgedAudit) -> ClauseDecision:
    """Return how a clause ends.

    A clause that was not judged passes only if it was not stated, and the report then names it. A clause that depends
    on a guess is undecided, whatever was found.
    """
    limit = stated.limit
    violations = tuple(clause.violations(findings, limit))
    cut_off = [each.attack.name for each in findings.attacks if each.outcome.interrupted]
    interruptions = [attack_reason(name, interruption()) for name in dict.fromkeys(cut_off)]
    reasons = [*interruptions, *clause.doubts(findings, limit)]
    if not violations and not reasons and not clause.judges(findings):
        reason = clause.not_judged(findings)
        if stated.asked or (stated.manifest and not findings.narrowed):
            return ClauseDecision(clause, limit, "undecided", (), (Undecided(clause.name, reason),), reason)
        return ClauseDecision(clause, limit, "not asked" if findings.narrowed else "not judged", reason=reason)
    # A clause of another package may depend on anything that was not read.
    is_own = type(clause).__module__.startswith("audit.")
    doubts = [each for each in findings.doubts if not is_own or each.concerns(clause.name)]
    broken = bool(violations) and not any(each.guessed for each in doubts)
    decision = ended(clause, limit, [*(each.reason for each in doubts), *reasons], violations, broken=broken)
    return decision if decision.state != "holds" else replace(decision, reason=clause.qualified(findings, limit))
