"""Moves: the changes of a candidate that a repair can make, as data.

Recommendation for the newest release, as data: changes after which the policy holds, or why there are none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from audit.model.json_types import OMITTED, Omittable, Probability
from audit.runtime.phrases import Reason, ReasonKind, kind_of

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


@dataclass(frozen=True)
class MoveTotal:
    """All changes of one kind.

    Attributes:
        kind: `merge`, `move`, `coarsen`, `withhold` or `redraw`.
        count: the number of changes; for `withhold`, the number of rows.
        cost: their total loss, in units of one row's information.
    """

    kind: str
    count: int
    cost: float


@dataclass(frozen=True)
class Recommendation:
    """The changes of a release after which the policy holds, or adds no violation.

    Attributes:
        release: its tag.
        changes: the number of changes.
        totals: the changes by kind; empty if there is no recommendation.
        information_lost: the share of the release's information that they lose, in [0, 1].
        moves: each change with its groups and lines; omitted if these must not be shown.
        refused: why nothing is recommended; None if there is a recommendation.
        past_violates: omitted if the earlier releases keep the policy; otherwise true, and after the changes nothing
            more can be found out than from the earlier releases.
        stopped: why the search ended early, so that a longer one may recommend less; absent if it did not.
    """

    release: str
    changes: int = 0
    totals: tuple[MoveTotal, ...] = ()
    information_lost: Probability = 0.0
    moves: Annotated[tuple[Move, ...], OMITTED] = ()
    refused: str | None = None
    past_violates: Annotated[bool, OMITTED] = False
    stopped: Omittable[Reason] = None

    @property
    def interrupted(self) -> bool:
        """Whether the user interrupted the search."""
        return kind_of(self.stopped or self.refused) is ReasonKind.INTERRUPTED


def totals(moves: Sequence[Move]) -> tuple[MoveTotal, ...]:
    """Return the totals of changes by kind, in the order of `MOVES`.

    >>> totals([Move("withhold", (), (3, 8), 2.0), Move("merge", ("1", "4"), (), 0.5)])
    (MoveTotal(kind='merge', count=1, cost=0.5), MoveTotal(kind='withhold', count=2, cost=2.0))
    """
    found = []
    for kind in MOVES:
        same = [move for move in moves if move.kind == kind]
        count = sum(len(move.lines) if kind == "withhold" else 1 for move in same)
        if same:
            found.append(MoveTotal(kind, count, float(sum(move.cost for move in same))))
    return tuple(found)
