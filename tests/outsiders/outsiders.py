"""Plug-ins of another package: an attack, an anonymizer, its principle, and a format."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from attacks.certificates import disclosures
from audit.clauses.clause import Clause, ClauseKnowledge, E, JudgedAudit, TrueValues
from audit.io.releases import Release
from audit.io.series import Series
from audit.model.anonymizer import Bounds, Draft, Form, Promise, PublicationHistory, Snapshot
from audit.model.evidence import Evidence, per_person_reason
from audit.model.finding import Claims
from audit.model.measures import Measures
from audit.model.options import option
from audit.model.outcome import Outcome, Result
from audit.model.report import Report, Violation
from audit.principles.principle import BrokenClause, Check, OneByOne, PrincipleNeeds, PrincipleViolation, breaches
from audit.runtime.budget import Budget
from audit.runtime.outside_code import ClauseWatch


@dataclass(frozen=True, eq=False, kw_only=True)
class FirstMeasures(Measures):
    """How many people are alone with a value in the first releases."""

    depth: int
    people: int
    lonely: int
    first_values: dict[str, int]

    timeline_label: ClassVar[str] = "lonely"

    @property
    def subjects(self) -> int:
        """How many people were looked at."""
        return self.people

    @property
    def found(self) -> int:
        """How many have one value."""
        return self.lonely

    def notes(self, attack: str) -> Iterator[str]:
        """Yield how far the attack looked."""
        yield f"{attack} looked at {self.depth} releases."


@dataclass(frozen=True)
class FirstReleases:
    """Look at the first releases alone, each by itself."""

    depth: int = option(1, help="how many releases are looked at", least=1, most=9)
    name: ClassVar[str] = "first-releases"
    decides: ClassVar[frozenset[str]] = frozenset()
    per_attribute: ClassVar[bool] = True

    def with_policy(self, limits: Mapping[str, float], /) -> FirstReleases:
        """Return the attack itself."""
        return self

    def run(self, evidence: Evidence, budget: Budget, /) -> Outcome:
        """Return who is in a pool of one value."""
        reason = per_person_reason(evidence)
        if reason is not None:
            return Outcome.skipped(self.name, reason)
        found: dict[int, tuple[int, int]] = {}
        seen: set[int] = set()
        timeline = []
        for release in range(min(self.depth, len(evidence.tags))):
            pools = evidence.pools(release)
            table = pools.table()
            counted = np.ones(len(pools.person), dtype=bool) if pools.counted is None else pools.counted
            for person, pool, counts in zip(pools.person.tolist(), pools.pool.tolist(), counted.tolist(), strict=True):
                if counts:
                    seen.add(person)
                    values = np.flatnonzero(table[pool])
                    if len(values) == 1:
                        found.setdefault(person, (release, int(values[0])))
            timeline.append(len(found))
        columns = np.array([(who, *where) for who, where in found.items()], dtype=np.int32).reshape(-1, 3).T
        measures = FirstMeasures(
            depth=self.depth, people=len(seen), lonely=len(found), first_values={"1": len(found)}, timeline=timeline
        )
        return Outcome(self.name, "complete", None, measures, disclosures(evidence, *columns))


@dataclass(frozen=True)
class Pairing:
    """Rows in the order of their quasi-identifiers, in pairs."""

    pair: int = option(help="rows of a group", least=2)
    name: ClassVar[str] = "pairing"
    forms: ClassVar[tuple[Form, ...]] = ("generalization",)
    links_records: ClassVar[bool] = False
    follows_updates: ClassVar[bool] = False

    @property
    def promise(self) -> Promise:
        """Return the principle that it keeps."""
        return Promise("paired", {"pair": self.pair})

    def publish(self, snapshot: Snapshot, so_far: PublicationHistory, rng: np.random.Generator, /) -> Draft:
        """Return the next release."""
        row = np.lexsort(snapshot.point.T)
        groups = max(1, len(row) // self.pair)
        group = np.minimum(np.arange(len(row)) // self.pair, groups - 1)
        low = np.full((groups, snapshot.point.shape[1]), 2**30, dtype=np.int32)
        high = np.full_like(low, -1)
        np.minimum.at(low, group, snapshot.point[row])
        np.maximum.at(high, group, snapshot.point[row])
        value = snapshot.value[row].astype(np.int32)
        return Draft(row.astype(np.int32), group.astype(np.int32), value, Bounds(low, high))


@dataclass(frozen=True)
class Paired:
    """Every group has so many rows."""

    pair: int
    name: ClassVar[str] = "paired"
    needs: ClassVar[PrincipleNeeds] = PrincipleNeeds(cells="used", key="ignored")

    def start(self, series: Series, /) -> Check:
        """Return a check of each release."""
        return OneByOne(self._small)

    def _small(self, release: Release) -> list[BrokenClause]:
        rows = np.bincount(release.group.codes, minlength=release.group.size)
        small = np.flatnonzero(rows < self.pair)

        def offence(place: int) -> PrincipleViolation:
            return PrincipleViolation(release.tag, (release.group.name(int(small[place])),), None, "a small group")

        return breaches("small groups", small, offence)


@dataclass(frozen=True)
class Lines:
    """A line for each attack."""

    name: str = "lines"

    def render(self, report: Report) -> str:
        """Return the lines."""
        return "".join(f"{attack.attack} {attack.status} {attack.findings_total}\n" for attack in report.attacks)


class Found(Clause):
    """At least so many people are found out: an odd promise, which counts by itself."""

    name: ClassVar[str] = "found"
    default: ClassVar[float | None] = None
    fails: ClassVar[str] = "Fewer people are found out than was promised."
    remedy: ClassVar[str] = "Publish smaller groups."
    example: ClassVar[str] = "write a whole number of people from 1, such as 2"

    def allows(self, limit: float) -> bool:
        """Return whether it counts people."""
        return isinstance(limit, int) and limit >= 1

    def judges(self, findings: JudgedAudit) -> bool:
        """Return whether `joint` ran."""
        return any(result.attack.name == "joint" for result in findings.ran)

    def violations(self, findings: JudgedAudit, limit: float) -> Iterator[Violation]:
        """Yield how many are found out by `joint`, where these are too few."""
        if limit == 99:
            raise KeyError("this clause cannot count so far")
        for result in findings.ran:
            people = None if result.claims is None else result.claims.certain_people(result.waived)
            if result.attack.name == "joint" and people is not None and len(np.unique(people)) < limit:
                yield Violation("joint", self.name, limit, len(np.unique(people)))

    def doubts(self, findings: JudgedAudit, limit: float) -> Iterator[str]:
        """Yield nothing: more people are no harm."""
        yield from ()


class Uncounted(Found):
    """It fails where it gathers what it has to know."""

    name: ClassVar[str] = "uncounted"

    def statistic(self, result: Result[E], known: ClauseKnowledge) -> Result[E]:
        """Fail."""
        raise LookupError("a private cell")


class Unclaimed(Found):
    """It ends the program where it claims what reaches its limit."""

    name: ClassVar[str] = "unclaimed"

    def claims(self, result: Result[Evidence], limit: float, truth: TrueValues) -> Claims | None:
        """End the program."""
        sys.exit(0)


class Unmarked(Found):
    """It hands on a result of its own making, which knows nothing of clauses that failed before."""

    name: ClassVar[str] = "unmarked"

    def statistic(self, result: Result[E], known: ClauseKnowledge) -> Result[E]:
        """Return the same result, made anew."""
        return replace(result, watch=ClauseWatch())


class Plagued(Found):
    """It is in question, unless stated, only where a release has the plague."""

    name: ClassVar[str] = "plagued"
    default: ClassVar[float | None] = 1

    def asks(self, evidence: Sequence[Evidence]) -> bool:
        """Return whether the plague is published."""
        return any("plague" in each.values for each in evidence)
