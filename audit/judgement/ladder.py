"""The ladder of adversaries: who falls to each of them and to none before, and what each costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from audit.adversary.view import View
from audit.model.arrays import Codes
from audit.model.report import LadderStep
from audit.model.scored import NOWHERE, Result


def ladder(judged: Sequence[Result[View]]) -> tuple[LadderStep, ...]:
    """Return the attacks that find people's values, in their order, each with how many people fall to it.

    Waived claims count: to accept that a person falls changes nothing about whether, and at which rung.
    """
    fallen: dict[str | None, npt.NDArray[np.bool_]] = {}
    rungs = []
    for entry in judged:
        people = certain_people(replace(entry, waived=NOWHERE))
        if people is None:
            continue
        before = fallen.get(entry.sensitive, np.zeros(0, dtype=np.bool_))
        here = np.zeros(max(len(before), int(people.max(initial=-1)) + 1), dtype=np.bool_)
        here[people] = True
        count = int(here.sum())
        here[: len(before)] |= before
        fallen[entry.sensitive] = here
        before_it, so_far = int(before.sum()), int(here.sum())
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
    """Return how many people have a value that is certain, waived claims left out; None where nothing is said of it."""
    people = certain_people(entry)
    kinds = entry.evidence.possible_kinds
    if people is not None and kinds is not None:
        return kinds.people(people)
    return None if people is None else int(np.count_nonzero(np.bincount(people)))


def certain_people(entry: Result[View]) -> Codes | None:
    """Return whose values are certain, some perhaps many times, waived claims left out; None where nothing is said."""
    claims = entry.claims
    return None if claims is None else claims.certain_people(entry.waived)
