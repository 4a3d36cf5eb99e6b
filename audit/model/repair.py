"""Repair of a candidate: its result as data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from audit.model.json_types import UNWRITTEN, Less, Probability, WrittenAs
from audit.model.moves import Move
from audit.model.recommendation import Recommendation, totals
from audit.model.report import Report
from audit.runtime.reasons import Reason, ReasonKind

CHANGES = Less("repair_entry", ("candidate", "files", "before", "after", "refused", "register", "proved", "stopped"))
"""The changes of a repair that is not written."""


@dataclass(frozen=True)
class Repair:
    """A candidate that keeps the policy, or why there is none.

    Attributes:
        candidate: its tag.
        moves: the changes; empty if the unchanged candidate keeps the policy, or if no repair was found.
        lost: the share of the candidate's information that is lost, in [0, 1].
        files: the written tables; empty without a repair.
        before: the audit of the series so far.
        after: the audit of the series with the repaired candidate; without a repair, with the unchanged candidate.
        audits: the number of candidates that were audited.
        refused: why there is no repair; None if there is one.
        register: the register that was written with it, and belongs into the series; None if none was written.
        proved: whether it is proved that there is no repair.
        withholds_much: whether the repair withholds more than one row in twenty.
        baseline: whether findings of the series without the candidate were ignored.
        stopped: why the search ended early; None if it did not.
    """

    candidate: str
    moves: tuple[Move, ...]
    lost: Annotated[Probability, WrittenAs("information_lost")]
    files: tuple[str, ...]
    before: Report
    after: Report
    audits: int
    refused: str | None = None
    register: str | None = None
    proved: bool = False
    withholds_much: Annotated[bool, UNWRITTEN] = False
    baseline: Annotated[bool, UNWRITTEN] = False
    stopped: Reason | None = None

    @property
    def exit_code(self) -> int:
        """The exit code: 0 with a repair, 1 if it is proved that there is none, 3 if none was found, 130 if stopped."""
        if self.stopped is not None and self.stopped.kind == ReasonKind.INTERRUPTED:
            return 130
        if self.refused is None:
            return 0
        return 1 if self.proved else 3

    def recommendation(self, *, named: bool) -> Recommendation:
        """Return the repair as a recommendation; `named` is whether groups and lines are shown."""
        if self.refused is not None:
            return Recommendation(self.candidate, refused=self.refused)
        return Recommendation(
            self.candidate, len(self.moves), totals(self.moves), self.lost, self.moves if named else ()
        )
