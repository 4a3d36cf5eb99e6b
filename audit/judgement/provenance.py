"""Novelty: which claims and risks of a series were there before its last release, and what makes the others."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from audit.adversary.view import View
from audit.judgement.selection import Selection
from audit.model.arrays import Places
from audit.model.scored import EverRisks, Result, reaches_all

_ROUNDING = 1e-12


def known_before(before: Selection[Any] | None, after: Selection[Any] | None) -> Places:
    """Return the places of the claims of `after` that say nothing more than those of `before`.

    Both name findings under one key. Who has the same value as whom is claimed as a chain of pairs through each class,
    and another chain says the same: a pair is new only where two classes have become one.
    """
    if before is None or after is None:
        return np.zeros(0, dtype=np.intp)
    said = set(before.ids(before.claims.everything()))
    known = np.array([ident in said for ident in after.ids(after.claims.everything())], dtype=np.bool_)
    return np.flatnonzero(known | after.claims.same_before(before.claims, after.names, before.names))


class KnownRisks:
    """The risks of one attack that reach a limit in a series, by person and release, for comparison with a later audit.

    Args of the constructor:
        result: the attack's result on the series.
        limit: risks below it do not matter.
    """

    def __init__(self, result: Result[View], limit: float) -> None:
        self._limit = limit
        self._risk = self._high(result)
        ever = result.scored.ever
        people = np.zeros(0, np.intp) if ever is None else np.flatnonzero(ever.risk > 0)
        self._ever = (
            {} if ever is None else {result.evidence.name(who): float(ever.risk[who]) for who in people.tolist()}
        )

    def _high(self, result: Result[View]) -> dict[tuple[str, int], float]:
        risks = result.scored.risks
        if risks is None:
            return {}
        high = reaches_all(risks.risk, self._limit)
        rows = zip(risks.person[high].tolist(), risks.release[high].tolist(), risks.risk[high].tolist(), strict=True)
        return {(result.evidence.name(person), release): risk for person, release, risk in rows}

    def no_higher(self, result: Result[View]) -> Places:
        """Return the places of the risks of a later result that reach the limit, and are no higher than before."""
        risks = result.scored.risks
        if risks is None:
            return np.zeros(0, dtype=np.intp)
        now = self._high(result)
        places = np.flatnonzero(reaches_all(risks.risk, self._limit))
        known = [risk <= self._risk.get(who, 0.0) + _ROUNDING for who, risk in now.items()]
        return places[np.array(known, dtype=np.bool_)]

    def ever_higher(self, result: Result[View]) -> EverRisks | None:
        """Return how probable grave values are for people of a later result; 0 where no more than before."""
        ever = result.scored.ever
        if ever is None:
            return None
        risk = ever.risk.copy()
        for who in np.flatnonzero(risk > 0).tolist():
            if risk[who] <= self._ever.get(result.evidence.name(who), 0.0) + _ROUNDING:
                risk[who] = 0.0
        return replace(ever, risk=risk)
