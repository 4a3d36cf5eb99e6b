"""The version stands in audit/runtime/version.py; whoever cites, pins or reads of it elsewhere sees the same."""

import re
from importlib import metadata
from pathlib import Path

from audit.runtime.version import VERSION

ROOT = Path(__file__).parents[2]


def found(name, pattern):
    return re.findall(pattern, (ROOT / name).read_text(encoding="utf-8"), re.MULTILINE)


def test_it_is_the_same_everywhere():
    assert metadata.version("series-audit") == VERSION
    assert found("CHANGELOG.md", r"^## ([0-9.]+)")[0] == VERSION
    assert found("CITATION.cff", r"^version: (.*)$") == [VERSION]
    assert set(found("docs/automation.md", r"(?:series-audit@|rev: )v([0-9.]+)$")) == {VERSION}


def test_a_release_has_one_date():
    [cited] = found("CITATION.cff", r"^date-released: (.*)$")
    assert found("CHANGELOG.md", rf"^## {re.escape(VERSION)}, (.*)$") in ([cited], ["unreleased"])
