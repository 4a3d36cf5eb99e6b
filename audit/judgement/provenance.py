"""Novelty: which claims of a series were there before its last release."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from audit.adversary.view import View
from audit.judgement.pseudonyms import Pseudonymizer
from audit.judgement.selection import Selection, selections_of
from audit.model.arrays import Places
from audit.model.scored import Result


def known_before(before: Selection[Any] | None, after: Selection[Any] | None) -> Places:
    """Return the places of the claims of `after` that say nothing more than those of `before`.

    Both name findings under one key. Equal values are claimed as a chain of pairs through each class,
    and another chain says the same: a pair is new only where two classes have become one.
    """
    if before is None or after is None:
        return np.zeros(0, dtype=np.intp)
    said = dict(zip(before.ids(before.claims.everything()), before.sizes, strict=True))
    return np.flatnonzero(after.covered(said) | after.claims.same_before(before.claims, after.names, before.names))


class KnownClaims:
    """What was claimed, and reached the limits of clauses, in an earlier audit."""

    def __init__(self, results: Sequence[Result[View]], namer: Pseudonymizer, limits: Mapping[str, float]) -> None:
        self._namer, self._limits = namer, limits
        self._known = {
            (result.label, type(each.claims)): each
            for result in results
            for each in selections_of(result, namer, limits)
        }

    def accepted(self, result: Result[View]) -> Result[View]:
        """Return a later result with what says nothing more accepted."""
        for each in selections_of(result, self._namer, self._limits):
            known = known_before(self._known.get((result.label, type(each.claims))), each)
            result = result.accepting(each.claims, known)
        return result
