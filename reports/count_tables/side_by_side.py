"""What several series of count tables give away, side by side."""

from __future__ import annotations

from collections.abc import Mapping

from audit.findings.count_answers import ComparedTables
from audit.model.errors import printable
from audit.runtime.phrases import say
from audit.runtime.version import VERSION
from reports.count_tables.sentences import measured, state
from reports.frames import frames
from reports.json_values import json_object
from reports.page import Page, PageTable, Section, marked


def rows(compared: ComparedTables) -> list[list[str]]:
    """Return what is compared, each row its name and an entry for each series."""
    names = list(dict.fromkeys(name for _, report in compared.series for name, _ in measured(report)))
    rows = [[say("verdict"), *(state(report) for _, report in compared.series)]]
    return rows + [[name, *(dict(measured(report)).get(name, "") for _, report in compared.series)] for name in names]


def page(compared: ComparedTables) -> Page:
    """Return a table with a column for each series."""
    title, sheet = say("Release series compared"), say("series-audit {version}", version=VERSION)
    table = PageTable(["", *(printable(name, 60) for name, _ in compared.series)], rows(compared))
    return Page(title, title, False, marked(inside=False), sheet, [], [Section("", [table])])


def document(compared: ComparedTables) -> Mapping[str, object]:
    """Return the same as it is written in JSON."""
    return {
        "series": [
            {
                "path": printable(name, 500),
                "name": report.series.name,
                "passed": report.policy.passed,
                "status": report.attacks[0].status,
                "measures": json_object(report.measures),
                "limits": report.policy.limits,
            }
            for name, report in compared.series
        ]
    }


FORMATS = frames(page, document)
