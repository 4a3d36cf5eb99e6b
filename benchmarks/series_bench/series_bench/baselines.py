"""The attacks of this project, as methods of the benchmark."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from attacks.differencing.attack import Differencing
from attacks.registry import find
from audit.count_tables.build_evidence import build_evidence
from audit.findings.disclosure import Disclosures
from audit.model.arrays import Codes
from audit.model.errors import UsageError
from audit.model.evidence import Evidence
from audit.model.outcome import Outcome
from audit.runtime.budget import Budget
from audit.runtime.engine import Local
from series_bench.questions import AttackedSeries, count_questions, even

ATTACKERS = ("intersection", "update-graph", "joint")
"""Attacks that return people's values, or their probabilities."""
_SECONDS, _COUNT_SECONDS = 20.0, 5.0


@dataclass(frozen=True)
class _OneValue:
    """Requests the probability of one value for all people."""

    evidence: Evidence
    value: int

    def of_versions(self, release: int) -> Codes:
        """Return the value for each person of a release."""
        return np.full(len(self.evidence.pools(release).person), self.value, dtype=np.int32)

    def of_people(self) -> Codes:
        """Return the value for each person."""
        people = self.evidence.pools(len(self.evidence.tags) - 1).people
        return np.full(people, self.value, dtype=np.int32)


def attack_series(name: str, series: AttackedSeries) -> pd.DataFrame:
    """Return the attack's probability of each value; if it has none, the shares in people's own groups.

    Raises:
        UsageError: it does not apply to the series.
    """
    outcome = _run(name, series)
    claims = even(series.candidates)[["question", "value", "probability"]]
    if outcome.model is not None:
        told = pd.DataFrame(_posterior(series, outcome), columns=["question", "value", "told"])
        claims = claims.merge(told, on=["question", "value"], how="left")
        known = claims["question"].isin(set(told["question"]))
        claims["probability"] = claims["told"].fillna(0.0).where(known, claims["probability"])
    certain = pd.DataFrame(_certain(series, outcome), columns=["question", "value"])
    decided = claims["question"].isin(set(certain["question"]))
    return pd.concat([claims.loc[~decided, ["question", "value", "probability"]], certain.assign(probability=1.0)])


def bound_counts(series: AttackedSeries) -> pd.DataFrame:
    """Return the counts that `differencing` leaves possible for each cell, all equally probable.

    Raises:
        UsageError: the series is not of count tables.
    """
    if not series.counts:
        raise UsageError("differencing: it needs a series of count tables")
    published, intervals = series.published, dict[str, tuple[int, int]]()
    names = count_questions(published)
    for part in build_evidence(published, published.manifest.limits({})).parts:
        outcome, asked = Differencing(both_ends=True).run(part.tables, Budget(_COUNT_SECONDS)), part.questions
        for place in np.flatnonzero((asked.published >= 0) & (asked.since < 0)).tolist():
            ends = int(outcome.lower[place]), int(outcome.upper[place])
            intervals[names[int(asked.published[place])]] = ends
    told = even(series.candidates)[["question", "value", "probability"]]
    ends = told["question"].map(lambda question: intervals.get(question, (0, 10**9)))
    count = told["value"].astype(int)
    inside = (count >= [low for low, _ in ends]) & (count <= [high for _, high in ends])
    return even(told[inside].assign(rows=1))[["question", "value", "probability"]]


def _run(name: str, series: AttackedSeries) -> Outcome:
    if series.counts:
        raise UsageError(f"{name}: it needs a series of people")
    outcome = find(name).run(series.evidence, Budget(_SECONDS, engine=Local()))
    if outcome.status == "skipped":
        raise UsageError(f"{name}: {outcome.reason}")
    return outcome


def _question(series: AttackedSeries, person: int, release: int) -> str:
    return f"{series.evidence.tags[release]}/{series.series.people.name(person)}"


def _certain(series: AttackedSeries, outcome: Outcome) -> Iterator[tuple[str, str]]:
    """Yield what is certain, in every release of the person if values never change."""
    claims, evidence = outcome.claims, series.evidence
    if not isinstance(claims, Disclosures):
        return
    told: dict[tuple[int, int], int] = {}
    releases = {release: set(evidence.pools(release).person.tolist()) for release in range(len(evidence.tags))}
    for person, release, value in claims.read(claims.everything(), "person", "release", "value"):
        at = [release] if evidence.transitions is not None else [each for each in releases if person in releases[each]]
        told |= {(person, each): value for each in at if value >= 0}
    for (person, release), value in told.items():
        yield _question(series, person, release), evidence.values[value]


def _posterior(series: AttackedSeries, outcome: Outcome) -> Iterator[tuple[str, str, float]]:
    evidence = series.evidence
    for code, value in enumerate(evidence.values):
        if outcome.model is None:
            return
        risks = outcome.model.risks(_OneValue(evidence, code), Budget(_SECONDS, engine=Local()))
        if risks is None:
            return
        of_person = {}
        for person, release, risk in zip(
            risks.person.tolist(), risks.release.tolist(), risks.risk.tolist(), strict=True
        ):
            of_person[person, release] = 0.0 if np.isnan(risk) else risk
        for release in range(len(evidence.tags)):
            for person in evidence.pools(release).person.tolist():
                risk = of_person.get((person, release), of_person.get((person, -1)))
                if risk is not None:
                    yield _question(series, person, release), value, risk
