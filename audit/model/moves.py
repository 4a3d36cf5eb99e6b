"""Moves: the changes of a candidate that a repair can make, as data."""

from __future__ import annotations

from dataclasses import dataclass

MERGE, MOVE, COARSEN, WITHHOLD, REDRAW = "merge", "move", "coarsen", "withhold", "redraw"
MOVES = (MERGE, MOVE, COARSEN, WITHHOLD, REDRAW)
"""All kinds of changes, as named by `--only`."""


@dataclass(frozen=True)
class Move:
    """One change of a candidate.

    Attributes:
        kind: `merge`, `move`, `coarsen`, `withhold` or `redraw` (new record ids).
        groups: the published names of the groups: those that are merged, the one that a row leaves and the one that it
            enters, or the coarsened ones; none if all are coarsened.
        lines: the lines of the withheld or moved rows in the candidate's file.
        cost: the loss, in units of one row's information.
        column: the coarsened quasi-identifier, or that of the record ids.
        cells: what its cells become if all are coarsened.
    """

    kind: str
    groups: tuple[str, ...]
    lines: tuple[int, ...]
    cost: float
    column: str | None = None
    cells: tuple[str, ...] = ()
