"""Ladder: the people that each attack finds first; also the people by risk, by release and in findings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from audit.adversary.view import View
from audit.judgement.selection import claims_of
from audit.model.arrays import Codes, Flags, flagged
from audit.model.measures import PEOPLE
from audit.model.outcome import Risks
from audit.model.report import Exposure, FoundPerson, LadderStep
from audit.model.scored import NOWHERE, Result, tenth_of


def ladder(judged: Sequence[Result[View]]) -> tuple[LadderStep, ...]:
    """Return the attacks that find people's values, in order, each with the number of people it finds first.

    Waived claims count, because accepting a claim does not change which attack finds the person first.
    """
    known_before: dict[str | None, Flags] = {}
    rungs = []
    for entry in judged:
        people = certain_people(replace(entry, waived=NOWHERE))
        if people is None:
            continue
        before = known_before.get(entry.sensitive, np.zeros(0, dtype=np.bool_))
        here = flagged(people, max(len(before), int(people.max(initial=-1)) + 1))
        count, before_it = map(entry.evidence.count_people, (here, before))
        here[: len(before)] |= before
        known_before[entry.sensitive] = here
        so_far = entry.evidence.count_people(here)
        rungs.append(
            LadderStep(
                entry.attack.name,
                entry.sensitive,
                people=count,
                beyond=so_far - before_it,
                so_far=so_far,
                seconds=round(entry.seconds, 6),
            )
        )
    return tuple(rungs)


def people_found(entry: Result[View]) -> int | None:
    """Return how many people have a certain value, without waived claims; None if the result is not about people."""
    people = certain_people(entry)
    return None if people is None else entry.evidence.count_people(np.bincount(people) > 0)


def people_at_once(entry: Result[View]) -> int | None:
    """Return how many of these people can be in the data at once, at most; None if presence is known."""
    people, kinds = certain_people(entry), entry.evidence.possible_kinds
    return None if people is None or kinds is None else kinds.at_once(people)


def certain_people(entry: Result[View]) -> Codes | None:
    """Return the people with certain values, perhaps with repetitions, without waived claims; None if unknown."""
    claims = entry.claims
    return None if claims is None else claims.certain_people(entry.waived)


def exposure(judged: Sequence[Result[View]]) -> tuple[Exposure, ...]:
    """Return how many people each attack exposes, in the order of the attacks.

    Waived claims count: to accept a risk does not make it smaller.
    """
    found = []
    for entry in judged:
        outcome, risks = entry.outcome, entry.outcome.risks
        if not outcome.ran or not entry.attack.per_attribute or outcome.alone is not None:
            continue
        by_risk = None
        if (
            risks is not None
            and not risks.missing
            and outcome.claims is not None
            and outcome.claims.versions is not None
        ):
            by_risk = _people_by_risk(entry.evidence, risks)
        exposed = _after_release(entry)
        if by_risk is not None or exposed is not None:
            found.append(Exposure(entry.attack.name, entry.sensitive, by_risk, exposed))
    return tuple(found)


def _after_release(entry: Result[View]) -> tuple[int, ...] | None:
    """Return the number of people found after each release; None if the attack does not count people."""
    outcome, seen, claims = entry.outcome, entry.evidence, entry.claims
    timeline = outcome.measures.timeline
    if outcome.exposed is not None and seen.possible_kinds is None:
        return outcome.exposed
    people = None if claims is None else claims.versions
    of_kinds = seen.possible_kinds is not None and people is not None  # a kind stands for all who look alike
    if not isinstance(timeline, list) or not (of_kinds or outcome.measures.subjects_label is PEOPLE):
        return None
    if seen.possible_kinds is None or claims is None or people is None:
        return tuple(timeline) if outcome.measures.subjects is not None else None
    found = (np.bincount(people[claims.release <= at]) > 0 for at in range(len(timeline)))
    return tuple(map(seen.count_people, found))


def _people_by_risk(seen: View, risks: Risks) -> tuple[int, ...]:
    """Return the number of people by their highest risk, in tenths, and of exactly 1."""
    highest = np.full(int(risks.person.max(initial=-1)) + 1, -1, dtype=np.int8)
    known = ~np.isnan(risks.risk)
    np.maximum.at(highest, risks.person[known], tenth_of(risks.risk[known]).astype(np.int8))
    at_least = [*(seen.count_people(highest >= tenth) for tenth in range(11)), 0]
    return tuple(more - less for more, less in pairwise(at_least))


def found_people(results: Sequence[Result[View]], limits: Mapping[str, float]) -> tuple[FoundPerson, ...]:
    """Return the people in shown findings, each once for each attribute, in the order of the findings.

    The reasons list all attacks by which a value of the person is certain or reaches a limit, whether or not the
    finding is shown.
    """
    ids: dict[tuple[str | None, int], list[str]] = {}
    names: dict[int, str] = {}
    for entry in results:
        for finding, shown in zip(entry.found, entry.shown, strict=True):
            if (person := finding.person) is not None:
                ids.setdefault((entry.sensitive, person), []).append(shown.id)
                names.setdefault(person, shown.subject)
    reasons: dict[tuple[str | None, int], list[str]] = {key: [] for key in ids}
    for entry in results:
        people = [certain_people(entry), *(each.person for each in claims_of(entry, limits))]
        wanted = np.array([person for sensitive, person in ids if sensitive == entry.sensitive], dtype=np.int64)
        for some in people:
            for person in [] if some is None else wanted[np.isin(wanted, some)].tolist():
                mine = reasons[entry.sensitive, person]
                if entry.attack.name not in mine:
                    mine.append(entry.attack.name)
    return tuple(
        FoundPerson(names[person], sensitive, tuple(reasons[sensitive, person]), tuple(found))
        for (sensitive, person), found in ids.items()
    )
