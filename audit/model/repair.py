"""What a repair came to, as data."""

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
        moves: what was changed; none if the candidate keeps the policy unchanged, or no repair was found.
        lost: the share of the candidate's information that is lost, in [0, 1].
        files: the tables that were written; none where there is no repair.
        before: the audit of the series so far.
        after: the audit of the series with the repaired candidate, or with the candidate as it is where there is none.
        audits: how many changed candidates were audited.
        refused: why there is no repair; None where there is one.
        proved: if there is no repair, whether this is proved.
        withholds_much: whether it withholds more than one row in twenty.
        baseline: whether what could be found before did not count.
        stopped: why the search ended early; None where it did not.
        register: the register that was written with it, and goes into the series with it; None where none was.
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
        """The exit code of what was written; without it, 1 where there is no repair, 3 where that is not known."""
        if self.stopped is not None and self.stopped.kind == ReasonKind.INTERRUPTED:
            return 130
        if self.refused is None:
            return 0
        return 1 if self.proved else 3

    def recommendation(self, *, named: bool) -> Recommendation:
        """Return it as what is recommended; `named` is whether groups and lines are shown."""
        if self.refused is not None:
            return Recommendation(self.candidate, refused=self.refused)
        return Recommendation(
            self.candidate, len(self.moves), totals(self.moves), self.lost, self.moves if named else ()
        )
