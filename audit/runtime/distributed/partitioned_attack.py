"""Partitioned attack: run an attack that judges each person by itself on slices of people, and merge the results.

A slice is what is seen of the people in a range of codes, whose groups are counted from all rows. A task attacks one
slice. The merged result is that of the attack on the whole series.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from audit.adversary.view import View, first_values, handed
from audit.findings.disclosure import Disclosures
from audit.judgement.scoring import attacked
from audit.model.arrays import Codes, Columns, Flags
from audit.model.evidence import CandidateGroups, CandidatePools, Evidence, Members, ValueCounts
from audit.model.outcome import Outcome, PerPersonAttack, Risks
from audit.model.scored import Scored
from audit.runtime.budget import Budget
from audit.runtime.engine import Task
from audit.runtime.phrases import say
from audit.runtime.reasons import Reason, ReasonKind

_RANGE_ROWS = 16_000_000
_RANGES_AT_LEAST = 4


@dataclass(frozen=True)
class PeopleSlice:
    """What is seen of a range of people in each release, and what is true of them; people count from the range's first.

    Attributes:
        releases: their pools.
        truth: the value of each person of the pools, -1 where it is not known; None without a key.
    """

    releases: tuple[CandidatePools, ...]
    truth: tuple[Codes | None, ...]

    def pools(self, release: int, people: Codes | None = None) -> CandidatePools:
        """Return the pools of a release, counted from 0."""
        del people
        return self.releases[release]

    def of_versions(self, release: int) -> Codes | None:
        """Return the true values of the people of a release's pools, -1 where unknown; None without a key."""
        return self.truth[release]

    def of_people(self) -> Codes | None:
        """Return everybody's first true value by person code, -1 where unknown."""
        return self._first()[0]

    def changed(self) -> Flags:
        """Return by person code whose value is another one later on."""
        return self._first()[1]

    def _first(self) -> tuple[Codes | None, Flags]:
        people = (each.person for each in self.releases)
        return first_values(zip(people, self.truth, strict=True), self.releases[-1].people)

    def groups(self, release: int, people: Codes) -> list[tuple[str, ...]]:
        """Refuse: names remain with the series."""
        raise AssertionError("slices have no names of groups")

    def group_names(self, release: int, groups: Codes) -> list[str]:
        """Refuse: names remain with the series."""
        raise AssertionError("slices have no names of groups")

    def members(self, release: int) -> Members:
        """Refuse: attacks on everybody at once have no use for slices."""
        raise AssertionError("slices are attacked one person at a time")

    def hosts(self, release: int) -> CandidateGroups:
        """Refuse: attacks on everybody at once have no use for slices."""
        raise AssertionError("slices are attacked one person at a time")


def attack_in_slices(attack: PerPersonAttack, seen: View, budget: Budget) -> Scored:
    """Run an attack on all slices of people, each in a task of the budget's engine, and merge the results."""
    bare = replace(
        handed(seen),
        source=PeopleSlice((), ()),
        records=None,
        rows_of=None,
        published=None,
        values=tuple(seen.values),
        warm_start=None,
    )
    releases = [(pools, seen.key.of_versions(release)) for release, pools in enumerate(seen.stream())]
    people = max(pools.people for pools, _ in releases)
    ranges = max(_RANGES_AT_LEAST, -(-seen.rows // _RANGE_ROWS))
    bounds = np.unique(np.linspace(0, max(1, people), ranges + 1).astype(int)).tolist()

    def tasks() -> Iterator[Task[tuple[Scored, Columns | None]]]:
        for first, last in pairwise(bounds):
            slices = zip(*(_slice(pools, truth, first, last) for pools, truth in releases), strict=True)
            yield budget.engine.submit(judge, attack, bare, first, budget, *slices)

    found = []
    for judgement in budget.engine.results(tasks()):
        found.append(judgement)
        budget.progress(len(found), len(bounds) - 1)
    return joined(attack, seen, found, budget)


def _slice(pools: CandidatePools, truth: Codes | None, first: int, last: int) -> tuple[CandidatePools, Codes | None]:
    """Return what pools say of the people whose codes are from `first` and below `last`."""
    rows = np.flatnonzero((pools.person >= first) & (pools.person < last))
    used, pool = np.unique(pools.pool[rows], return_inverse=True)
    contents = pools.contents
    if isinstance(contents, ValueCounts):
        number = np.full(pools.n_pools, -1, dtype=np.int32)
        number[used] = np.arange(len(used), dtype=np.int32)
        bag = number[contents.bag]
        kept = np.flatnonzero(bag >= 0)
        contents = ValueCounts(bag[kept], contents.value[kept], None if contents.rows is None else contents.rows[kept])
    else:
        contents = contents[used]
    some = CandidatePools(
        person=pools.person[rows] - np.int32(first),
        pool=pool.astype(np.int32),
        n_pools=len(used),
        contents=contents,
        counted=None if pools.counted is None else pools.counted[rows],
        fixed=None if pools.fixed is None else pools.fixed[rows],
        people=last - first,
        values=pools.values,
    )
    return some, None if truth is None else truth[rows]


def judge(
    attack: PerPersonAttack,
    seen: Evidence,
    first: int,
    budget: Budget,
    pools: tuple[CandidatePools, ...],
    truth: tuple[Codes | None, ...],
) -> tuple[Scored, Columns | None]:
    """Attack people whose codes begin at `first`; return what was found and claimed, in the series' codes."""
    people, shift = PeopleSlice(pools, truth), np.int32(first)
    evidence = replace(seen, source=people, rows=sum(len(each.person) for each in pools))
    scored = attacked(attack, evidence, people, budget)
    found, claims, risks = scored.outcome, None, scored.risks
    if isinstance(found.claims, Disclosures):
        claims = found.claims.person + shift, found.claims.release, found.claims.value
    if risks is not None:
        risks = replace(risks, person=risks.person + shift)
    alone = None if scored.alone is None else (scored.alone[0] + shift, *scored.alone[1:])
    return Scored(Outcome(found.attack, found.status, found.reason, found.measures), risks, alone=alone), claims


def joined(
    attack: PerPersonAttack, evidence: Evidence, found: Sequence[tuple[Scored, Columns | None]], budget: Budget
) -> Scored:
    """Merge the results of all slices of people into that of the whole series."""
    outcomes = [each.outcome for each, _ in found]
    short = [each for each in outcomes if each.status != "complete"]
    if any(each.status == "skipped" for each in outcomes):
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
    sums: dict[str, Any] = {name: _sum([each.measures[name] for each in outcomes]) for name in outcomes[0].measures}
    claimed = [claims for _, claims in found if claims is not None]
    claims = attack.claims(evidence, *_columns(claimed)) if len(claimed) == len(found) else None
    measures = replace(outcomes[0].measures, **sums)
    outcome = Outcome(attack.name, "incomplete" if short else "complete", reason, measures, claims)
    risks = [each.risks for each, _ in found if each.risks is not None]
    alone = [each.alone for each, _ in found if each.alone is not None]
    whole = len(risks) == len(found) and not short
    return Scored(outcome, _all_risks(risks) if whole else None, alone=_columns(alone) if alone else None)


def _columns(parts: Sequence[Columns]) -> Columns:
    person, release, value = (np.concatenate(column) for column in zip(*parts, strict=True))
    return person, release, value


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
