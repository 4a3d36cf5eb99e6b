"""Uncovered people of a register: say which values they have that no cell of a release contains."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from audit.adversary import coverage
from audit.adversary.seen_release import SeenRelease
from audit.io.attributes import QuasiIdentifier
from audit.io.background_knowledge import Register
from audit.model.arrays import Flags, Places
from audit.model.errors import printable
from audit.runtime.phrases import joined, say

_CELLS_SHOWN = 6


def why_uncovered(
    attributes: Sequence[QuasiIdentifier], register: Register, space: coverage.Space, read: SeenRelease, lines: Places
) -> str:
    """Return what no cell of a release contains of what the people of some lines have, the most frequent first.

    It is one value of one column: no one is singled out by it more than by the line itself.
    """
    if read.cells is None:
        raise AssertionError("a register's releases have cells")
    found: list[tuple[int, int, int]] = []
    points = register.point[lines]
    for place, axis in enumerate(space.axes):
        offered: Flags = np.logical_or.reduce(axis.covered[np.unique(read.cells[:, place])], axis=0)
        lacking = points[~offered[space.points[points, place]]]
        values, times = np.unique(register.points[lacking, place], return_counts=True)
        if len(values):
            at = int(times.argmax())
            found.append((int(times[at]), place, int(values[at])))
    if not found:
        return say(
            "some cell of release {release} fits each of these values, but no group fits all of them",
            release=printable(read.release.tag),
        )
    _, place, value = max(found, key=lambda one: one[0])
    attribute = attributes[place]
    cells = [printable(attribute.texts[cell]) for cell in np.unique(read.cells[:, place]).tolist()]
    return say(
        'no cell of "{column}" in release {release} contains {value} (cells: {cells}); is it written otherwise in the '
        "register?",
        column=printable(attribute.name),
        release=printable(read.release.tag),
        value=printable(register.values[place][value]),
        cells=joined(cells, _CELLS_SHOWN),
    )
