"""Audit options, for series about people and for count tables."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from audit.model.adversary import AdversaryKind
from audit.runtime.budget import Budget
from audit.runtime.engine import Engine, Local, cores

if TYPE_CHECKING:
    from audit.model.report import BaselineFacts

Progress = Callable[[str], Callable[[int, int], None] | None]


@dataclass(frozen=True)
class AuditOptions:
    """The options of an audit.

    Attributes:
        adversary: the assumed adversary; None for the worst case that the series allows.
        limits: limits of clauses, which replace those of the manifest.
        time_limit: seconds for each attack and sensitive attribute; None means no limit.
        whole: the time that all attacks of all audits have together.
        findings: the number of findings to show for each attack; None for all.
        reveal: whether to name people.
        explicit: whether the attacks were named by the user.
        stable_ids: whether ids and pseudonyms are to be those of other reports on this series.
        progress: returns the progress callback of an attack, or of another part of the work, by its name.
        engine: runs the tasks of attacks.
        today: the date on which waivers are judged.
        made: the date of the report; None means `today`.
        keeps_finished: whether an interrupt ends the run with a report on the finished attacks.
        baseline: an earlier report, whose findings do not fail the audit again.
        follow: whether people are also followed by record ids: by default if there are several releases; always or
            never, so that a run with fewer releases does what another run does.
    """

    adversary: AdversaryKind | None = None
    limits: Mapping[str, float] = field(default_factory=dict)
    time_limit: float | None = 300.0
    whole: Budget = field(default_factory=Budget)
    findings: int | None = 20
    reveal: bool = False
    explicit: bool = False
    stable_ids: bool = False
    progress: Progress = lambda _: None
    engine: Engine = field(default_factory=lambda: Local(cores()))
    today: datetime.date = field(default_factory=datetime.date.today)
    made: datetime.date | None = None
    keeps_finished: bool = False
    baseline: BaselineFacts | None = None
    follow: Literal["several", "always", "never"] = "several"

    def budget(self, attack: str, used: float = 0.0) -> Budget:
        """Return the rest of an attack's time limit as a budget, after `used` seconds."""
        limits = (None if self.time_limit is None else max(0.0, self.time_limit - used), self.whole.remaining())
        left = min((limit for limit in limits if limit is not None), default=None)
        return Budget(left, self.progress(attack), self.engine, _limit=self.whole.seconds)
