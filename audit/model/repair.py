"""What a repair came to, as data."""

from __future__ import annotations

from dataclasses import dataclass

from audit.model.report import Report

MERGE, MOVE, COARSEN, WITHHOLD, COUNTERFEIT = "merge", "move", "coarsen", "withhold", "counterfeit"
MOVES = (MERGE, MOVE, COARSEN, WITHHOLD, COUNTERFEIT)
"""All kinds of changes, as `--only` names them."""


@dataclass(frozen=True)
class Move:
    """One change of a candidate.

    Attributes:
        kind: `merge`, `move`, `coarsen`, `withhold` or `counterfeit`.
        groups: by their published names, the groups that become one; the one that a row leaves, and the one that it
            comes to; the one that is coarsened, or has a counterfeit added.
        lines: the lines of the rows that are withheld or moved, in the candidate's file.
        cost: what it loses, in rows' worth of information.
        column: the quasi-identifier that is coarsened.
    """

    kind: str
    groups: tuple[str, ...]
    lines: tuple[int, ...]
    cost: float
    column: str | None = None


@dataclass(frozen=True)
class Repair:
    """A candidate that keeps the policy, or why there is none.

    Attributes:
        candidate: its tag.
        moves: what was changed; none where the candidate keeps the policy as it is, or none was found.
        lost: the share of the candidate's information that is lost, in [0, 1].
        files: the tables that were written; none where there is no repair.
        before: the audit of the series so far.
        after: the audit of the series with the repaired candidate, or with the candidate as it is where there is none.
        audits: how many changed candidates were audited.
        refused: why there is no repair; None where there is one.
    """

    candidate: str
    moves: tuple[Move, ...]
    lost: float
    files: tuple[str, ...]
    before: Report
    after: Report
    audits: int
    refused: str | None = None
