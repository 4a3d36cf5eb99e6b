"""Text for a terminal: narrow ones lose no column, what breaks a limit is marked, the next command is told."""

import re

import pytest

from attacks.registry import all_attacks
from audit.io.series import open_series
from audit.model.audit_options import AuditOptions
from audit.pipeline.audit_run import run_audit
from reports.page import Bullets, Page, Section
from reports.text import Paper
from tests.cli.forms import EXAMPLES, FORMS
from tests.helpers.paper import on_paper


def told(folder, width=100, **options):
    report = run_audit(open_series(folder), all_attacks(), AuditOptions(findings=0, **options))
    return on_paper(report, width, "here")


@pytest.mark.parametrize("form", ["hospital-l-diverse", "outsider", "two_values"])
def test_80_columns_hold_every_column(tmp_path, form):
    FORMS[form](tmp_path / "s")
    text = told(tmp_path / "s", width=80)
    tables = [line for line in text.splitlines() if re.match(r"(attack|release) ", line)]
    assert max(map(len, text.splitlines())) <= 80
    for head in ("status", "finds", "time"):
        assert head in tables[0]
    last = next(line for line in tables if "marketer" in line)
    assert last.split()[-1] == "alone"
    assert "…" not in text


def test_a_release_that_breaks_k_is_marked(tmp_path):
    FORMS["hospital-l-diverse"](tmp_path / "s")
    assert "✗" not in told(tmp_path / "s")
    text = told(tmp_path / "s", limits={"k": 3.0})
    assert re.search(r"^1 +✗ 2 ", text, re.MULTILINE)
    assert "✗ breaks a limit of the policy." in text


@pytest.mark.parametrize(
    ("name", "options", "command"),
    [
        ("hospital-l-diverse", {}, "$ audit here --reveal --format html --output inside.html"),
        ("hospital-l-diverse", {"reveal": True}, "$ audit explain here --individual ID"),
        ("ward-2-distinct", {}, "$ audit next here CANDIDATE"),
        ("ward-2-distinct", {"time_limit": 1e-6}, "$ audit here --time-limit 60"),
    ],
)
def test_the_next_command_is_told(name, options, command):
    report = run_audit(open_series(EXAMPLES / name), all_attacks(), AuditOptions(findings=1, **options))
    assert on_paper(report, 100, "here").splitlines()[-1].strip() == command


@pytest.mark.parametrize(("findings", "head"), [(1, "People in the findings below ("), (1_000, "People found (")])
def test_people_are_counted_as_found_where_all_findings_are_shown(findings, head):
    report = run_audit(open_series(EXAMPLES / "hospital-l-diverse"), all_attacks(), AuditOptions(findings=findings))
    assert head in on_paper(report, 100, "here")


def test_a_line_that_stands_further_in_is_wrapped_as_far_in():
    page = Page("s", "s", False, "", "", [], [Section("", [Bullets([f"  {'word ' * 30}"], soft=True)])])
    first, second = (line for line in Paper(width=80).drawn(page).splitlines() if "word" in line)
    assert first.index("word") == second.index("word") == 4
