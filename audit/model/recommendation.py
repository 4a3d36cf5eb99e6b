"""What is recommended for the newest release, as data: changes after which the policy holds, or why there are none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from audit.model.json_types import OMITTED, Probability
from audit.model.moves import MOVES, Move


@dataclass(frozen=True)
class MoveTotal:
    """All changes of one kind.

    Attributes:
        kind: `merge`, `move`, `coarsen` or `withhold`.
        count: how many there are; of rows that are withheld, how many rows.
        cost: what they lose together, in rows' worth of information.
    """

    kind: str
    count: int
    cost: float


@dataclass(frozen=True)
class Recommendation:
    """The changes of a release after which the policy holds, or adds no violation.

    Attributes:
        release: its tag.
        changes: how many there are.
        totals: the changes by kind; empty where there is nothing to recommend.
        information_lost: the share of the release's information that they lose, in [0, 1].
        moves: each change by its groups and lines; left out where these may not be shown.
        refused: why nothing is recommended; None where something is.
        past_violates: left out where the releases before keep the policy; else true, and what the changes keep is that
            nothing more can be found out than from these.
    """

    release: str
    changes: int = 0
    totals: tuple[MoveTotal, ...] = ()
    information_lost: Probability = 0.0
    moves: Annotated[tuple[Move, ...], OMITTED] = ()
    refused: str | None = None
    past_violates: Annotated[bool, OMITTED] = False


def totals(moves: Sequence[Move]) -> tuple[MoveTotal, ...]:
    """Return changes by kind, in the order of `MOVES`.

    >>> totals([Move("withhold", (), (3, 8), 2.0), Move("merge", ("1", "4"), (), 0.5)])
    (MoveTotal(kind='merge', count=1, cost=0.5), MoveTotal(kind='withhold', count=2, cost=2.0))
    """
    found = []
    for kind in MOVES:
        some = [move for move in moves if move.kind == kind]
        count = sum(len(move.lines) if kind == "withhold" else 1 for move in some)
        if some:
            found.append(MoveTotal(kind, count, float(sum(move.cost for move in some))))
    return tuple(found)
