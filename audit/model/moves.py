"""The changes that can be made to a candidate, as data."""

from __future__ import annotations

from dataclasses import dataclass

MERGE, MOVE, COARSEN, WITHHOLD = "merge", "move", "coarsen", "withhold"
MOVES = (MERGE, MOVE, COARSEN, WITHHOLD)
"""All kinds of changes, as `--only` names them."""


@dataclass(frozen=True)
class Move:
    """One change of a candidate.

    Attributes:
        kind: `merge`, `move`, `coarsen` or `withhold`.
        groups: by their published names, the groups that become one; the one that a row leaves, and the one that it
            comes to; the one that is coarsened.
        lines: the lines of the rows that are withheld or moved, in the candidate's file.
        cost: what it loses, in rows' worth of information.
        column: the quasi-identifier that is coarsened.
    """

    kind: str
    groups: tuple[str, ...]
    lines: tuple[int, ...]
    cost: float
    column: str | None = None
