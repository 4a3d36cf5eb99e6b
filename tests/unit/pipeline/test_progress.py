"""Bars of attacks: what is done, how much of it; nothing stands at its end before it is there."""

import io

from rich.console import Console
from rich.progress import Progress

from attacks.differencing.attack import Differencing
from attacks.registry import all_attacks
from audit.count_tables.manifest import read_table_manifest
from audit.count_tables.table_audit import CountOptions, audit_tables
from audit.io.series import open_series
from audit.pipeline.audit_run import AuditOptions, run_audit
from audit.pipeline.progress import AttackBar
from tests.cli.forms import EXAMPLES

TABLES = EXAMPLES.parent / "count_table_examples"


def test_a_bar_ends_with_its_attack_alone():
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


def test_other_parts_of_a_run_say_what_they_do(tmp_path):
    watchers = {}
    series = open_series(EXAMPLES / "hospital-l-diverse")
    run_audit(
        series, all_attacks(), AuditOptions(findings=None, progress=lambda name: watchers.setdefault(name, Watcher()))
    )
    assert watchers["files"].stages == ["hashes"]
    assert watchers["files"].shares == [(0, 2), (1, 2)]
    assert "choosing findings of joint, with their proofs" in watchers["report"].stages
    assert "each release by itself" in watchers
    # Whoever watches never sees the end of a part before it is there.
    assert all(done < total for name in ("files", "report") for done, total in watchers[name].shares)


def test_differencing_says_what_it_does():
    watcher = Watcher()
    manifest = read_table_manifest(TABLES / "tables-levels")
    audit_tables(manifest, Differencing(), CountOptions(progress=lambda _: watcher))
    assert watcher.stages[0] == "adding and subtracting tables"
    assert watcher.stages[-1] == "asking about sums of counts"
    assert watcher.shares
