"""Candidate search: audit one changed candidate after the other, and keep the best repair, whatever ends the search.

The plans, changes of a candidate of people (`audit.repair`) or cells to hide (`audit.count_tables`), are proposed by
who calls; the time, the interrupt, the best so far and the estimate are the same for both.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Generic, TypeVar

from audit.runtime.budget import Budget
from audit.runtime.phrases import Reason, ReasonKind, figure, say

ON_ESTIMATE = ContextVar[Callable[[str], None]]("ON_ESTIMATE", default=lambda _: None)
"""Receives, once for each search, a sentence that says how long it may take."""

P = TypeVar("P")
J = TypeVar("J")


class SearchOutOfTimeError(Exception):
    """The time limit of the whole search is reached."""


class CandidateSearch(Generic[P, J]):
    """The audits of one search, and the best repair so far.

    Args of the constructor:
        budget: the time limit of the whole search; it receives the progress.
        cost: what a plan with this audit loses; None if it is no repair.
        expected: the number of audits that may be needed.
        audited_again: whether the best is audited again after the search, for which time is kept.

    Attributes:
        best: the repair that loses least so far, with its audit; None if there is none yet.
        audits: the number of audits so far.
        stopped: why the search ended early; None if it did not.
    """

    def __init__(
        self,
        budget: Budget,
        cost: Callable[[P, J], tuple[float, ...] | None],
        expected: int,
        *,
        audited_again: bool = False,
    ) -> None:
        self.budget, self.expected, self.audits = budget, expected, 0
        self.best: tuple[P, J] | None = None
        self.stopped: Reason | None = None
        self._cost, self._is_estimated = cost, False
        self._least: tuple[float, ...] = (float("inf"),)
        self._kept, self._longest = audited_again, 0.0

    def check_time(self, _part: str = "") -> None:
        """Return while there is time.

        Raises:
            SearchOutOfTimeError: the time limit is reached.
        """
        left = self.budget.remaining()
        is_late = self._kept and self.best is not None and left is not None and left < self._longest
        if is_late or self.budget.exhausted():
            raise SearchOutOfTimeError

    def audit(self, plan: P, audited: Callable[[P], J]) -> J:
        """Return the audit of a plan, which becomes the best if it is a repair that loses less than those before."""
        begun = time.monotonic()
        judged = audited(plan)
        self.audits, self._longest = self.audits + 1, max(self._longest, time.monotonic() - begun)
        self.estimate()
        cost = self._cost(plan, judged)
        if cost is not None and cost < self._least:
            self.best, self._least = (plan, judged), cost
        return judged

    def estimate(self) -> None:
        """Report how many audits are made after a first one, how long one takes, and how many the limit allows."""
        self.budget.progress(self.audits, max(self.expected, self.audits + 1))
        each, left = max(1e-3, self.budget.gone() / (self.audits + 1)), self.budget.remaining()
        if left is None:
            return
        about = {"seconds": figure(each, ".0f" if each >= 1 else ".1g"), "most": figure(left // each, ",.0f")}
        self.budget.stage(say("about {seconds} s an audit, {most} more at most", **about))
        if not self._is_estimated:
            line = say("One audit takes about {seconds} s; within the time limit, up to {most} more are made.", **about)
            ON_ESTIMATE.get()(line)
            self._is_estimated = True

    @contextmanager
    def until_stopped(self) -> Iterator[None]:
        """End the block at the time limit or an interrupt, and keep why.

        Raises:
            KeyboardInterrupt: the search is interrupted before its first audit has ended.
        """
        try:
            yield
        except SearchOutOfTimeError:
            self.stopped = self.budget.reason
        except KeyboardInterrupt:
            if not self.audits:
                raise
            self.stopped = Reason(say("the search was interrupted"), ReasonKind.INTERRUPTED)
