"""Scoring: find the people that let the box of a bucket grow least (m-Distinct paper, Section V-B, Equation 3)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from audit.model.arrays import Floats, Numbers

_GRAIN = 0.01  # share of a domain, added to each length, so that a box of length 0 can grow by a factor


class BucketBox(NamedTuple):
    """The least and the greatest place in each domain; shape (attributes,)."""

    low: Floats
    high: Floats


class BucketBoxes:
    """Computes boxes around rows, given the places of all rows in the domains; shape (rows, attributes)."""

    def __init__(self, places: Floats) -> None:
        self._places = places

    def around(self, rows: Numbers) -> BucketBox:
        """Return the box around one or more rows."""
        return BucketBox(self._places[rows].min(axis=0), self._places[rows].max(axis=0))

    def closest(self, box: BucketBox, rows: Numbers, number: int) -> Numbers:
        """Return the rows with which a box grows by the least factor; the first among equals.

        Args:
            box: the box.
            rows: the rows; shape (n,).
            number: the number of rows to return, at most n.

        Returns:
            Floats in `rows`; shape (number,).
        """
        places = self._places[rows]
        after = np.maximum(places, box.high) - np.minimum(places, box.low) + _GRAIN
        growth = np.log(after / (box.high - box.low + _GRAIN)).sum(axis=1)
        return np.argsort(growth, kind="stable")[:number]
