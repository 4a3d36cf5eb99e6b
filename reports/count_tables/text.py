"""Text: a report on count tables for a terminal or a log."""

from __future__ import annotations

import io
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from audit.model.count_report import CountReport
from audit.model.errors import printable
from audit.runtime.phrases import figure, say
from reports.count_tables.sentences import (
    KINDS,
    adversary,
    advice,
    checked,
    facts,
    headline,
    measured,
    reasons,
    rules,
    sentence,
    steps,
    waiver_lines,
)
from reports.text import Text, lines_of

if TYPE_CHECKING:
    from rich.console import Console


@dataclass(frozen=True)
class CountText:
    """Render a report on count tables for reading; `paper` is the terminal's width and colour."""

    name: str = "text"
    paper: Text = field(default_factory=Text)

    def render(self, report: CountReport) -> str:
        """Return the report as lines of text."""
        target = io.StringIO()
        console = self.paper.console(target)
        console.print(printable(report.series.name, 200), style="bold")
        console.print(facts(report))
        console.print(adversary(report))
        if told := list(rules(report)):
            self.paper.indented(console, " ".join(told))
        console.print()
        head, style = headline(report)
        console.print(head, style=f"bold {style}")
        for line in reasons(report):
            self.paper.indented(console, line)
        console.print()
        self._measures(console, report)
        self._findings(console, report)
        self._waivers(console, report)
        console.print(say("What to do next"), style="bold")
        for line in advice(report):
            self.paper.indented(console, f"- {line}", hanging=2)
        return lines_of(target)

    def _measures(self, console: Console, report: CountReport) -> None:
        from rich.table import Table

        table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0), show_header=False)
        table.add_column()
        table.add_column(justify="right")
        for name, value in measured(report):
            table.add_row(name, value)
        console.print(table)
        attack = report.attack
        if attack.reason:
            reason = printable(attack.reason, 400)
            told = say("{attack} is incomplete: {reason}", attack=attack.attack, reason=reason)
            self.paper.indented(console, f"{told}.")
        took = {"attack": attack.attack, "seconds": figure(attack.seconds, ".2f")}
        if report.time_limit is None:
            told = say("{attack} took {seconds} s; no time limit.", **took)
        else:
            told = say("{attack} took {seconds} s; time limit {limit} s.", **took, limit=figure(report.time_limit, "g"))
        self.paper.indented(console, f"{told} {checked(report)}")
        console.print()

    def _findings(self, console: Console, report: CountReport) -> None:
        attack = report.attack
        if not attack.findings_total:
            return
        shown, total = len(attack.findings), attack.findings_total
        head = say("Findings ({total})", total=total)
        if shown < total:
            head = say("Findings ({shown} of {total})", shown=shown, total=total)
        console.print(head, style="bold")
        for finding in attack.findings:
            console.print(f"  {KINDS[finding.kind]}: {sentence(finding, report)}   [{finding.id}]", soft_wrap=True)
            for step in steps(finding, report):
                console.print(f"    {step}", style="dim", soft_wrap=True)
        if shown < total:
            console.print(f"  {say('{count} more: --findings all', count=total - shown)}", style="dim")
        console.print()

    def _waivers(self, console: Console, report: CountReport) -> None:
        for line in waiver_lines(report):
            console.print(line)
        if report.policy.waived:
            console.print()
