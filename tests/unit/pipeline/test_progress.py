"""Bars of attacks: what is done, how much of it; nothing stands at its end before it is there."""

import io
import re
import shutil

import pytest
from rich.console import Console
from rich.progress import Progress

from attacks.registry import all_attacks
from audit.io.candidate import with_candidate
from audit.io.series import open_series
from audit.model.audit_options import AuditOptions
from audit.pipeline.audit_run import run_audit
from audit.pipeline.progress import AttackBar
from audit.repair.search import RepairSearch
from reports.languages.catalogues import in_language
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


@pytest.mark.parametrize(
    ("language", "words"), [("en", "about "), ("de", "etwa "), ("fr", "environ "), ("es", "unos ")]
)
def test_a_search_says_how_many_audits_the_time_limit_allows(tmp_path, language, words):
    """It says so after the audit of the earlier releases, before any change is tried."""
    watcher, _out = Watcher(), ["--output", str(tmp_path / "out")]
    shutil.copytree(EXAMPLES / "hospital-l-diverse", tmp_path / "s")
    candidate = (tmp_path / "s" / "releases" / "2.csv").rename(tmp_path / "2.csv")
    manifest = tmp_path / "s" / "series.toml"
    manifest.write_text(manifest.read_text(encoding="utf-8").replace(', "releases/2.csv"', ""), encoding="utf-8")
    series = open_series(tmp_path / "s")
    options = AuditOptions(time_limit=600, progress=lambda name: watcher if name == "repair" else None)
    with in_language(language):
        search = RepairSearch(*with_candidate(series, [candidate]), all_attacks(), options)
        [first] = watcher.stages
        search.find()
    assert first.startswith(words)
    assert [done for done, _ in watcher.shares] == [*range(search.tries.audits + 1)]
    allowed = [int(re.sub("[^0-9]", "", stage.split(", ")[1])) for stage in watcher.stages]
    assert len(allowed) == len(watcher.shares)
    assert all(most > 0 for most in allowed)
