"""Partitioned attack: run attacks that judge each person by itself on ranges of people, and merge the results.

One task for each release reads its file and splits the evidence by ranges of people. One task for each attack and range
runs the attack. The merged result is that of the attack on the whole series.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from audit.adversary.partition import (
    EvidenceContext,
    Numbers,
    PartitionSlice,
    PartKey,
    PartSource,
    ReadContext,
    ReleaseNames,
    StandaloneRelease,
    names_of,
    read_standalone,
    settled,
    sources_of,
    split,
)
from audit.adversary.view import View, handed
from audit.findings.disclosure import Disclosures
from audit.io.series import Series
from audit.judgement.scoring import attacked, changed_values
from audit.metrics.release_summary import ReleaseSummary, summarize_release
from audit.model.arrays import Codes, Columns
from audit.model.evidence import Evidence
from audit.model.json_types import Status
from audit.model.measures import Measures
from audit.model.outcome import Outcome, PerPersonAttack, Risks
from audit.model.scored import Scored
from audit.runtime.budget import Budget
from audit.runtime.engine import Engine, Task, same
from audit.runtime.phrases import say
from audit.runtime.reasons import Reason, ReasonKind

_RANGE_ROWS = 16_000_000
_RANGES_AT_LEAST = 4


@dataclass(frozen=True)
class PartialOutcome:
    """The outcome of an attack on a range of people, with their codes in the whole series.

    Attributes:
        status, reason, measures: as in `Outcome`.
        claims: person, release and value of each claim; None if the attack makes no claims.
        risks: as in `Scored`.
        alone: as in `Scored`.
        changed: the people whose own values contradict the assumptions.
    """

    status: Status
    reason: str | None
    measures: Measures
    claims: tuple[Codes, Codes, Codes] | None
    risks: Risks | None
    alone: Columns | None
    changed: Codes


@dataclass(frozen=True)
class Seen:
    """A release as the adversary sees it.

    Attributes:
        described: its summary.
        present: a bit for each person code: whether the person, or a counterfeit with an identity, is in it; uint8.
        parts: a part for each range, for each sensitive attribute.
    """

    described: ReleaseSummary
    present: npt.NDArray[np.uint8]
    parts: tuple[tuple[PartitionSlice, ...], ...]


def see(
    reading: ReadContext, position: int, alone: StandaloneRelease, numbers: Numbers, context: EvidenceContext
) -> Seen:
    """Return a release as the adversary sees it.

    Raises:
        InputError: the release contradicts what the adversary knows.
    """
    release, sources = sources_of(reading, position, alone, numbers, context)
    parts = split(sources, position, context.bounds)
    present = np.zeros(context.people.size + 1, dtype=np.bool_)
    if release.person is not None:
        present[release.person] = True
    return Seen(summarize_release(sources[0], position), np.packbits(present[:-1]), parts)


def summary_of(seen: Seen) -> tuple[ReleaseSummary, npt.NDArray[np.uint8]]:
    """Return the summary of a release, and who is in it."""
    return seen.described, seen.present


def part_of(seen: Seen, attribute: int, place: int) -> PartitionSlice:
    """Return the part of a release for an attribute and a range."""
    return seen.parts[attribute][place]


def judge(
    attack: PerPersonAttack, seen: Evidence, first: int, budget: Budget, /, *parts: PartitionSlice
) -> PartialOutcome:
    """Attack a range of people, whose codes begin at `first`; `parts` holds their part of each release."""
    evidence = replace(seen, source=PartSource(parts), rows=sum(len(part.pools.person) for part in parts))
    key = PartKey(parts)
    scored = attacked(attack, evidence, key, budget)
    outcome, claims, risks = scored.outcome, None, scored.risks
    shift = np.int32(first)
    if isinstance(outcome.claims, Disclosures):
        claims = outcome.claims.person + shift, outcome.claims.release, outcome.claims.value
    if risks is not None:
        risks = replace(risks, person=risks.person + shift)
    alone = None if scored.alone is None else (scored.alone[0] + shift, *scored.alone[1:])
    changed = np.flatnonzero(changed_values(evidence, key)).astype(np.int32) + shift
    return PartialOutcome(outcome.status, outcome.reason, outcome.measures, claims, risks, alone, changed)


class PartitionedSeries:
    """A series split by ranges of people, for each of its sensitive attributes.

    Attributes:
        described: the summary of each release.
        present: by person code, whether a release contains the person.
    """

    def __init__(self, series: Series, evidence: Sequence[View], engine: Engine) -> None:
        self._evidence = evidence
        self._engine = engine
        self._changed: dict[str, npt.NDArray[np.bool_]] = {}
        self._people = series.people
        kind = evidence[0].kind
        reading = ReadContext(settled(series, kind), kind, series.people.direct, series.about_rows)
        alone, numbers = self._number(series, reading)
        ranges = max(_RANGES_AT_LEAST, -(-series.about_rows // _RANGE_ROWS))
        bounds = np.linspace(0, max(1, series.people.size), ranges + 1).astype(int)
        self._bounds = tuple(dict.fromkeys(bounds.tolist()))
        context = engine.submit(same, self._context(series))
        releases = range(len(series.tags))
        views = [engine.submit(see, reading, place, alone[place], numbers[place], context) for place in releases]
        self._parts = [
            [[engine.submit(part_of, view, attribute, place) for view in views] for place in range(self.count)]
            for attribute in range(len(evidence))
        ]
        self.described: list[ReleaseSummary] = []
        bits = np.zeros(0, dtype=np.uint8)
        # In order, so that an error of a release is raised before one of a later release.
        for described, present in engine.results(engine.submit(summary_of, view) for view in views):
            self.described.append(described)
            bits = present | bits if len(bits) else present
        self.present = np.unpackbits(bits, count=series.people.size).astype(np.bool_)

    @property
    def count(self) -> int:
        """The number of ranges."""
        return len(self._bounds) - 1

    def changed(self, seen: Evidence) -> npt.NDArray[np.bool_] | None:
        """Return by person code whether own published values contradict the assumptions; None before an attack ran."""
        return self._changed.get(seen.sensitive)

    def attack(self, attack: PerPersonAttack, seen: Evidence, budget: Budget) -> Scored:
        """Run an attack on all ranges, and merge the results."""
        bare = replace(
            handed(seen),
            source=PartSource(()),
            records=None,
            rows_of=None,
            published=None,
            values=tuple(seen.values),
            warm_start=None,
        )
        place = next(place for place, each in enumerate(self._evidence) if each is seen)

        def tasks() -> Iterator[Task[PartialOutcome]]:
            for first, parts in zip(self._bounds[:-1], self._parts[place], strict=True):
                yield self._engine.submit(judge, attack, bare, first, budget, *parts)

        found: list[PartialOutcome] = []
        for judgement in self._engine.results(tasks()):
            found.append(judgement)
            budget.progress(len(found), self.count)
        changed = np.zeros(self._people.size, dtype=np.bool_)
        changed[np.concatenate([each.changed for each in found])] = True
        self._changed[seen.sensitive] = changed
        return joined(attack, seen, found, budget)

    def _number(self, series: Series, reading: ReadContext) -> tuple[list[Task[StandaloneRelease]], list[Numbers]]:
        """Read all releases in parallel, and give people and values the codes that reading in order would give."""
        engine = self._engine
        first = engine.submit(read_standalone, reading, 0)
        names = engine.submit(names_of, first).result()
        reading = replace(reading, direct=names.direct)
        alone = [first, *(engine.submit(read_standalone, reading, place) for place in range(1, len(series.tags)))]
        called = engine.results(engine.submit(names_of, each) for each in alone)
        return alone, [_numbers(series, each) for each in called]

    def _context(self, series: Series) -> EvidenceContext:
        sources = {seen.sensitive: seen.source for seen in self._evidence}
        return EvidenceContext(
            people=series.people.outline(),
            listed={name: source.listed for name, source in sources.items()},
            constant={name: source.constant for name, source in sources.items()},
            values={name: tuple(vocabulary.names) for name, vocabulary in series.vocabularies.items()},
            known={name: source.known for name, source in sources.items()},
            register=next(iter(sources.values())).releases.register,
            bounds=self._bounds,
        )


def _numbers(series: Series, names: ReleaseNames) -> Numbers:
    people = series.people
    people.direct = names.direct
    people.largest = max(people.largest, names.largest)
    others = people.number(names.others)
    return Numbers(others, {name: series.vocabularies[name].add(values) for name, values in names.values.items()})


def joined(attack: PerPersonAttack, evidence: Evidence, found: Sequence[PartialOutcome], budget: Budget) -> Scored:
    """Merge the outcomes of all ranges of people into that of the whole series."""
    short = [each for each in found if each.status != "complete"]
    if any(each.status == "skipped" for each in found):
        return Scored(Outcome.skipped(attack.name, short[0].reason or ""), None)
    reason = None
    if short:
        text = say(
            "{reason} in {some} of {ranges} ranges of people",
            reason=budget.reason,
            some=str(len(short)),
            ranges=str(len(found)),
        )
        reason = Reason(text, ReasonKind.TIME_LIMIT)
    sums: dict[str, Any] = {name: _sum([each.measures[name] for each in found]) for name in found[0].measures}
    measures = replace(found[0].measures, **sums)
    claims = None
    columns = [each.claims for each in found if each.claims is not None]
    if len(columns) == len(found):
        person, release, value = (np.concatenate(column) for column in zip(*columns, strict=True))
        claims = attack.claims(evidence, person, release, value)
    outcome = Outcome(attack.name, "incomplete" if short else "complete", reason, measures, claims)
    risks = [each.risks for each in found if each.risks is not None]
    alone = [each.alone for each in found if each.alone is not None]
    merged = None
    if alone:
        person, release, value = (np.concatenate(column) for column in zip(*alone, strict=True))
        merged = person, release, value
    return Scored(outcome, _all_risks(risks) if len(risks) == len(found) and not short else None, alone=merged)


def _all_risks(risks: Sequence[Risks]) -> Risks:
    return Risks(
        np.concatenate([each.person for each in risks]),
        np.concatenate([each.release for each in risks]),
        np.concatenate([each.versions for each in risks]),
        np.concatenate([each.risk for each in risks]),
    )


def _sum(parts: Sequence[object]) -> object:
    """Add up counts, tables of counts or timelines of counts; a shorter timeline is continued with its last count.

    >>> _sum([1, 2]), _sum([{"1": 2}, {"1": 1, "10": 4, "2": 5}]), _sum([[0, 1, 1], [2]])
    (3, {'1': 3, '2': 5, '10': 4}, [2, 3, 3])
    """
    if all(isinstance(part, dict) for part in parts):
        total: dict[str, int] = {}
        for part in parts:
            for key, count in part.items() if isinstance(part, dict) else ():
                total[key] = total.get(key, 0) + count
        return {key: total[key] for key in sorted(total, key=int)}
    if all(isinstance(part, list) for part in parts):
        lines = [part for part in parts if isinstance(part, list)]
        longest = max(len(line) for line in lines)
        full = [line + (line[-1:] or [0]) * (longest - len(line)) for line in lines]
        return [sum(counts) for counts in zip(*full, strict=True)]
    return sum(part for part in parts if isinstance(part, int))
