"""Ranges of people: attacks that look at one person at a time, on parts of the evidence, put together.

Everybody's part is found by one task for each release, which reads the file where the task is done, and judged by one
task for each attack and range. What comes out is what the attack says of the whole series.
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

_MEMBERSHIPS = 16_000_000
_LEAST = 4


@dataclass(frozen=True)
class PartialOutcome:
    """What an attack found out of a range of people, by their codes in the whole series.

    Attributes:
        status, reason, measures: as of `Outcome`.
        claims: person, release and value of each claim; None where nothing can be claimed.
        risks: as of `Scored`.
        alone: as of `Scored`.
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
        described: its description.
        present: who is in it, counterfeits that keep their identity included: a bit for each person code; uint8.
        parts: for each sensitive attribute a part for each range.
    """

    described: ReleaseSummary
    present: npt.NDArray[np.uint8]
    parts: tuple[tuple[PartitionSlice, ...], ...]


def see(sight: ReadContext, position: int, alone: StandaloneRelease, numbers: Numbers, lens: EvidenceContext) -> Seen:
    """Return what is seen of a release.

    Raises:
        InputError: the release contradicts what the adversary knows.
    """
    release, sources = sources_of(sight, position, alone, numbers, lens)
    parts = split(sources, position, lens.bounds)
    present = np.zeros(lens.people.size + 1, dtype=np.bool_)
    if release.person is not None:
        present[release.person] = True
    return Seen(summarize_release(sources[0], position), np.packbits(present[:-1]), parts)


def told(seen: Seen) -> tuple[ReleaseSummary, npt.NDArray[np.uint8]]:
    """Return what is seen of a release but for its parts."""
    return seen.described, seen.present


def part_of(seen: Seen, attribute: int, place: int) -> PartitionSlice:
    """Return one of the parts of a release."""
    return seen.parts[attribute][place]


def judge(
    attack: PerPersonAttack, seen: Evidence, first: int, budget: Budget, /, *parts: PartitionSlice
) -> PartialOutcome:
    """Attack the people from a code on, of whom there is a part for each release."""
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
        described: the description of each release.
        present: who is in some release, by person code.
    """

    def __init__(self, series: Series, evidence: Sequence[View], engine: Engine) -> None:
        self._evidence = evidence
        self._engine = engine
        self._changed: dict[str, npt.NDArray[np.bool_]] = {}
        self._people = series.people
        kind = evidence[0].kind
        sight = ReadContext(settled(series, kind), kind, series.people.direct, series.about_rows)
        alone, numbers = self._number(series, sight)
        ranges = max(_LEAST, -(-series.about_rows // _MEMBERSHIPS))
        bounds = np.linspace(0, max(1, series.people.size), ranges + 1).astype(int)
        self._bounds = tuple(dict.fromkeys(bounds.tolist()))
        lens = engine.submit(same, self._lens(series))
        releases = range(len(series.tags))
        views = [engine.submit(see, sight, place, alone[place], numbers[place], lens) for place in releases]
        self._parts = [
            [[engine.submit(part_of, view, attribute, place) for view in views] for place in range(self.count)]
            for attribute in range(len(evidence))
        ]
        self.described: list[ReleaseSummary] = []
        bits = np.zeros(0, dtype=np.uint8)
        # What is wrong with a release is told before what is wrong with a later one.
        for described, present in engine.results(engine.submit(told, view) for view in views):
            self.described.append(described)
            bits = present | bits if len(bits) else present
        self.present = np.unpackbits(bits, count=series.people.size).astype(np.bool_)

    @property
    def count(self) -> int:
        """How many ranges there are."""
        return len(self._bounds) - 1

    def changed(self, seen: Evidence) -> npt.NDArray[np.bool_] | None:
        """Return, by person code, whose own published values contradict the assumptions, once an attack has run."""
        return self._changed.get(seen.sensitive)

    def attack(self, attack: PerPersonAttack, seen: Evidence, budget: Budget) -> Scored:
        """Run an attack on all ranges, and put together what it finds."""
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

    def _number(self, series: Series, sight: ReadContext) -> tuple[list[Task[StandaloneRelease]], list[Numbers]]:
        """Have all releases read, and give everybody and every value a code, as reading them in order would."""
        engine = self._engine
        first = engine.submit(read_standalone, sight, 0)
        names = engine.submit(names_of, first).result()
        sight = replace(sight, direct=names.direct)
        alone = [first, *(engine.submit(read_standalone, sight, place) for place in range(1, len(series.tags)))]
        called = engine.results(engine.submit(names_of, each) for each in alone)
        return alone, [_numbers(series, each) for each in called]

    def _lens(self, series: Series) -> EvidenceContext:
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
    """Return what an attack found out of a series, from what it found out of each range of its people."""
    short = [each for each in found if each.status != "complete"]
    if any(each.status == "skipped" for each in found):
        return Scored(Outcome.skipped(attack.name, short[0].reason or ""), None)
    reason = None
    if short:
        told = say(
            "{reason} in {some} of {ranges} ranges of people",
            reason=budget.reason,
            some=str(len(short)),
            ranges=str(len(found)),
        )
        reason = Reason(told, ReasonKind.TIME_LIMIT)
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
    """Add up counts, tables of counts and timelines of counts; a timeline that was cut short stays as it was last.

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
