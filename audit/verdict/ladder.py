"""The ladder of adversaries: who falls to each of them and to none before, and what each costs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from audit.core.evidence import Codes
from audit.core.outcome import Claims, Disclosures, Equivalences
from audit.core.report import Rung
from audit.verdict.policy import Judged


def ladder(judged: Sequence[Judged]) -> tuple[Rung, ...]:
    """Return the attacks that tell people's values, in their order, each with how many people fall to it.

    Waived claims count: to accept that somebody falls changes nothing about whether, and at which rung.
    """
    fallen: dict[str | None, npt.NDArray[np.bool_]] = {}
    rungs = []
    for entry in judged:
        people = _fallen(entry.scored.outcome.claims)
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
            Rung(
                entry.attack.ident,
                entry.sensitive,
                people=count,
                beyond=so_far - before_it,
                so_far=so_far,
                seconds=round(entry.scored.seconds, 6),
            )
        )
    return tuple(rungs)


def _fallen(claims: Claims | None) -> Codes | None:
    """Return the people who have a value that is certain, some of them many times; None where nothing is said of it."""
    if isinstance(claims, Disclosures):
        return claims.people
    if not isinstance(claims, Equivalences):
        return None
    if claims.person is not None:
        return claims.person[claims.person >= 0]
    pins = claims.sides(np.flatnonzero(claims.e == 0))
    return np.array([who for pin in pins for who, _ in pin.left if isinstance(who, int)], dtype=np.int32)
