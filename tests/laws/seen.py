"""What an attack finds in a series, as facts in names that two runs can be compared by."""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attacks.registry import find
from audit.adversary.view import build_evidence
from audit.findings.disclosure import Disclosures
from audit.findings.equivalence import Equivalence, Equivalences, Pinned
from audit.findings.rows import HomogeneousClass, HomogeneousClasses, Linkage, Linkages, NarrowedRecords
from audit.io.series import open_series
from audit.judgement.scoring import attacked
from audit.model.errors import UsageError
from audit.model.evidence import Evidence
from audit.model.outcome import Attack, Outcome
from audit.runtime.budget import Budget
from audit.runtime.engine import Engine, Local
from tests.oracle.asking import WHOLE_WAYS, forced
from tests.outsiders.outsiders import FirstReleases

OUTSIDERS = {attack.name: attack for attack in (FirstReleases(depth=9),)}
Fact = tuple[Any, ...]
"""`value` or `not`, person, release, value; `same`, two people; `narrowed`, record, …; `group`, …; `linkage`, …."""


@dataclass(frozen=True)
class Seen:
    """What one attack found: how it ended, its measures, and the facts that it is certain of.

    `ruled_out` are facts that a value is impossible, where the attack tells them.
    """

    status: str
    measures: Mapping[str, Any]
    facts: frozenset[Fact]
    ruled_out: frozenset[Fact] = frozenset()


def attack_named(name: str) -> Attack:
    """Return an attack of the registry, or an outsider."""
    return OUTSIDERS.get(name) or find(name)


def seen(
    folder: Path,
    name: str,
    adversary: str,
    *,
    way: str = "counted",
    engine: Engine | None = None,
    followed: bool = False,
) -> Seen:
    """Run an attack on a series on disk, `joint` in some way; on combinations of attributes too where there are.

    With `followed` on all records as one release alone, where people are followed by their ids.
    """
    with ExitStack() as stack:
        if name == "joint":
            forced(stack.enter_context(pytest.MonkeyPatch.context()), way)
        budget = Budget(engine=Local(1) if engine is None else engine)
        found = []
        try:
            every = build_evidence(open_series(folder), adversary, records=adversary == "pseudonym", follow=True)
            every = [evidence for evidence in every if evidence.followed] if followed else every
        except UsageError:
            return Seen("skipped", {}, frozenset())
        for evidence in every:
            outcome = attacked(attack_named(name), evidence, evidence.key, budget)
            found.append((outcome, frozenset(facts(evidence, outcome)), frozenset(ruled_out(evidence, outcome))))
    first = found[0][0]
    return Seen(first.status, dict(first.measures), frozenset().union(*(f for _, f, _ in found)), found[0][2])


def facts(evidence: Evidence, outcome: Outcome) -> Iterator[Fact]:
    """Yield what an outcome is certain of."""
    claims = outcome.claims
    if claims is None:
        return
    places = np.arange(len(claims))
    if isinstance(claims, Disclosures):
        for person, release, value in claims.read(places, "person", "release", "value"):
            yield "value", name_of(evidence, person), when(evidence, release), evidence.values[value]
    elif isinstance(claims, Equivalences):
        yield from equal(evidence, claims.sides(places))
    elif isinstance(claims, NarrowedRecords):
        columns = (claims.record.tolist(), claims.release.tolist(), claims.class_size.tolist())
        for record, release, size in zip(*columns, strict=True):
            yield "narrowed", evidence.held.names.name(record), release, size
    elif isinstance(claims, HomogeneousClasses | Linkages):
        yield from (of_rows(evidence, one) for one in claims.certify(places))


def of_rows(evidence: Evidence, finding: HomogeneousClass | Linkage) -> Fact:
    """Return a fact about rows, whose number and value come last."""
    value = None if finding.value is None else evidence.values[finding.value]
    if isinstance(finding, HomogeneousClass):
        return "group", finding.release, finding.group, finding.with_value, finding.rows, value
    point = tuple(evidence.rows_of.text(at, cell) for at, cell in finding.point.items())
    return "linkage", finding.first, finding.release, point, finding.rows, value


def when(evidence: Evidence, release: int) -> int | None:
    """Return the release of a fact; None where values never change, so that it is one of all releases."""
    return None if evidence.transitions is None else release


def name_of(evidence: Evidence, person: int) -> str:
    return evidence.name(person)


def equal(evidence: Evidence, findings: Any) -> Iterator[Fact]:
    """Yield which values are pinned, and who has the same value as whom: all pairs that chains of pairs connect."""
    mates: dict[Any, set[Any]] = {}
    for finding in findings:
        sides = [*finding.mentioned()]
        if isinstance(finding, Pinned) and isinstance(sides[0], int):
            yield "value", name_of(evidence, sides[0]), None, evidence.values[finding.value]
        if isinstance(finding, Equivalence) and finding.e == 1:
            together = mates.get(sides[0], {sides[0]}) | mates.get(sides[1], {sides[1]})
            mates |= dict.fromkeys(together, together)
    for who, together in mates.items():
        for other in together:
            if isinstance(who, int) and isinstance(other, int) and who < other:
                yield "same", frozenset((name_of(evidence, who), name_of(evidence, other)))


def ruled_out(evidence: Evidence, outcome: Outcome) -> Iterator[Fact]:
    """Yield which values an attack that reasons about everybody knows to be impossible."""
    if outcome.knowing is None:
        return
    for release in range(len(evidence.tags)):
        for person in evidence.pools(release).person.tolist():
            possible = set(outcome.knowing.possible(person, release))
            for value in set(range(len(evidence.values))) - possible if possible else ():
                yield "not", name_of(evidence, person), release, evidence.values[value]


WAYS = {"joint": [*WHOLE_WAYS]}
"""The ways of an attack that has several."""
