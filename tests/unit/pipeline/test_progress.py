"""Bars of attacks: what is done, how much of it; nothing stands at its end before it is there."""

import io

from rich.console import Console
from rich.progress import Progress

from attacks.registry import all_attacks
from audit.io.series import open_series
from audit.model.audit_options import AuditOptions
from audit.pipeline.audit_run import run_audit
from audit.pipeline.progress import AttackBar
from tests.cli.forms import EXAMPLES


def test_a_progress_bar_ends_with_its_attack():
    with Progress(console=Console(file=io.StringIO())) as bars:
        bar = AttackBar(bars, "joint")
        bar.stage("walking")
        bar(3, 4)
        [task] = bars.tasks
        assert (task.percentage, task.fields["stage"]) == (75, "walking")
        bar(4, 4)
        assert task.percentage < 100
        assert task.fields["stage"] == "checking what was found"


class Watcher:
    def __init__(self):
        self.stages, self.shares = [], []

    def __call__(self, done, total, /):
        assert 0 <= done <= total
        self.shares.append((done, total))

    def stage(self, what, /):
        self.stages.append(what)


def test_every_attack_on_people_says_what_it_does():
    watchers = {}
    series = open_series(EXAMPLES / "hospital-l-diverse")
    run_audit(
        series, all_attacks(), AuditOptions(findings=0, progress=lambda name: watchers.setdefault(name, Watcher()))
    )
    for name in ("intersection", "update-graph", "equivalence", "joint"):
        assert watchers[name].stages
        assert watchers[name].shares
