"""The attacks of this project, as methods of the benchmark."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from attacks.registry import find
from audit.findings.disclosure import Disclosures
from audit.findings.proof import Proof
from audit.model.arrays import Codes
from audit.model.errors import UsageError
from audit.model.evidence import Evidence
from audit.model.outcome import Outcome
from audit.runtime.budget import Budget
from audit.runtime.engine import Local
from series_bench.count_proofs import TableQuestions, table_questions
from series_bench.questions import AttackedSeries, even

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


def prove_series(name: str, series: AttackedSeries) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield what an attack finds certain, each with its proof if it has one.

    Raises:
        UsageError: it does not apply to the series.
    """
    outcome = _run(name, series)
    if not isinstance(outcome.claims, Disclosures):
        return
    for found in outcome.claims.certify(np.arange(len(outcome.claims))):
        if found is not None and not found.unproved and found.value >= 0:
            proof = {} if found.proof is None else proof_document(series, found.proof)
            releases = [found.release]
            if series.evidence.transitions is None:
                releases = [
                    at
                    for at in range(len(series.evidence.tags))
                    if found.individual in series.evidence.pools(at).person
                ]
            for release in releases:
                yield _question(series, found.individual, release), series.evidence.values[found.value], proof


def proof_document(series: AttackedSeries, proof: Proof[int]) -> dict[str, Any]:
    """Return a proof as JSON: names for codes."""
    tags, values, people = series.evidence.tags, series.evidence.values, series.series.people
    return {
        "points": [[tags[each.release], each.group, values[each.value], each.points] for each in proof.points],
        "people": [people.name(person) for person in proof.people],
    }


def bound_counts(series: AttackedSeries) -> pd.DataFrame:
    """Return the counts that `differencing` leaves possible for each cell, all equally probable.

    Raises:
        UsageError: the series is not of count tables.
    """
    intervals: dict[str, tuple[int, int]] = {}
    for part in _tables(series):
        outcome = part.bounds(_COUNT_SECONDS)
        intervals |= {name: (int(outcome.lower[at]), int(outcome.upper[at])) for name, at in part.asked.items()}
    told = even(series.candidates)[["question", "value", "probability"]]
    ends = told["question"].map(lambda question: intervals.get(question, (0, 10**9)))
    count = told["value"].astype(int)
    inside = (count >= [low for low, _ in ends]) & (count <= [high for _, high in ends])
    return even(told[inside].assign(rows=1))[["question", "value", "probability"]]


def prove_counts(series: AttackedSeries) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield the counts that `differencing` recovers, each with its proof.

    Raises:
        UsageError: the series is not of count tables.
    """
    wanted = set(series.questions)
    for part in _tables(series):
        outcome = part.bounds(_COUNT_SECONDS)
        for question, place in part.asked.items():
            if question in wanted and outcome.lower[place] == outcome.upper[place]:
                yield question, str(outcome.lower[place]), part.document(outcome.bounds(place))


def _tables(series: AttackedSeries) -> Iterator[TableQuestions]:
    if not series.counts:
        raise UsageError("differencing: it needs a series of count tables")
    return table_questions(series.published)


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
