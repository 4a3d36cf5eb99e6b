"""What several series of count tables give away, side by side."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence

from audit.findings.count import count_measures
from audit.model.errors import printable
from audit.model.report import Report
from audit.runtime.phrases import say
from reports.count_tables.sentences import measured, state
from reports.escaping import as_json
from reports.escaping import markdown as escaped
from reports.json_values import json_object
from reports.text import Text, lines_of

Compared = Sequence[tuple[str, Report]]


def rows(compared: Compared) -> list[list[str]]:
    """Return what is compared, each row its name and an entry for each series."""
    names = list(dict.fromkeys(name for _, report in compared for name, _ in measured(report)))
    rows = [[say("verdict"), *(state(report) for _, report in compared)]]
    return rows + [[name, *(dict(measured(report)).get(name, "") for _, report in compared)] for name in names]


def as_text(compared: Compared) -> str:
    """Return a table with a column for each series."""
    from rich.table import Table

    target = io.StringIO()
    console = Text().console(target)
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0))
    table.add_column("")
    for name, _ in compared:
        table.add_column(printable(name, 60), justify="right", header_style="bold")
    for row in rows(compared):
        table.add_row(*row)
    console.print(table)
    return lines_of(target)


def as_markdown(compared: Compared) -> str:
    """Return the same as a table in Markdown."""
    lines = [
        f"| | {' | '.join(escaped(printable(name, 100)) for name, _ in compared)} |",
        "|---|" + "---:|" * len(compared),
    ]
    lines += [f"| {' | '.join(map(escaped, row))} |" for row in rows(compared)]
    return "\n".join(lines) + "\n"


def as_document(compared: Compared) -> str:
    """Return the same as one JSON object."""
    return as_json(
        {
            "series": [
                {
                    "path": printable(name, 500),
                    "name": report.series.name,
                    "passed": report.policy.passed,
                    "status": report.attacks[0].status,
                    "measures": json_object(count_measures(report)),
                    "limits": report.policy.limits,
                }
                for name, report in compared
            ]
        }
    )


SIDE_BY_SIDE: dict[str, Callable[[Compared], str]] = {
    "text": as_text,
    "markdown": as_markdown,
    "json": as_document,
}
