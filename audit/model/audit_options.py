"""How to audit: what both kinds of series are asked, and what is about people alone."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from audit.model.adversary import AdversaryKind
from audit.model.report import BaselineFacts
from audit.runtime.budget import Budget
from audit.runtime.engine import Engine, Local, cores

Progress = Callable[[str], Callable[[int, int], None] | None]


@dataclass(frozen=True)
class AuditOptions:
    """How to audit.

    Attributes:
        adversary: who is assumed; the worst case that the series allows when None.
        limits: clauses of the policy that replace those of the manifest.
        time_limit: seconds per attack and sensitive attribute; None is without limit.
        findings: how many findings to show of each attack; None for all.
        reveal: whether to name people.
        explicit: whether the attacks were named by the user.
        stable_ids: whether ids and pseudonyms are to be those of other reports on this series.
        progress: given the name of an attack, or of another part of the work, returns what takes its progress.
        engine: runs the tasks of attacks.
        today: the date at which waivers are judged.
        made: the date that the report bears; `today` when None.
        keeps_finished: whether an interrupt ends the run with a report on the finished attacks.
        baseline: an earlier report, whose findings do not count again.
        follow: whether people are followed by record ids beside them: where there are several releases, or always, as
            another run does with more releases, or never, as another run cannot.
    """

    adversary: AdversaryKind | None = None
    limits: Mapping[str, float] = field(default_factory=dict)
    time_limit: float | None = 300.0
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
        """Return the budget of an attack that has used so many seconds of its time."""
        left = None if self.time_limit is None else max(0.0, self.time_limit - used)
        return Budget(left, self.progress(attack), self.engine)
