"""Scoring: find the people that let the box of a bucket grow least (m-Distinct paper, Section V-B, Equation 3)."""

from __future__ import annotations

import numpy as np

from audit.model.arrays import Floats, Numbers

_GRAIN = 0.01  # share of a domain, added to each length, so that a box of length 0 can grow by a factor


def closest(inside: Floats, places: Floats, number: int) -> Numbers:
    """Return the rows with which a box grows by the least factor; the first among equals.

    Args:
        inside: where the rows are around which the box is, one or more, in the domains; shape (n, attributes).
        places: where the rows to choose from are; shape (rows, attributes).
        number: how many to return, at most as many as there are.

    Returns:
        Places among the rows; shape (number,).
    """
    low, high = inside.min(axis=0), inside.max(axis=0)
    after = np.maximum(places, high) - np.minimum(places, low) + _GRAIN
    growth = np.log(after / (high - low + _GRAIN)).sum(axis=1)
    return np.argsort(growth, kind="stable")[:number]
