"""Text: tables for a terminal or a log, the worst first, with what it means and what to do next."""

from __future__ import annotations

import io
import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING

from audit.model.errors import printable
from audit.model.finding import Finding
from audit.model.report import AttackReport, Report
from audit.runtime.phrases import figure, risk_text, say
from reports.count_tables import sentences as counts
from reports.finding_text import REPEATED, shown_attacks, steps, timelines
from reports.next_commands import commands
from reports.release_risk import print_panel
from reports.repair import recommended
from reports.sentences import (
    CONTRADICTED,
    absent,
    adversary,
    advice,
    counted,
    facts,
    fallen,
    named,
    notes,
    people,
    reasons,
    seconds,
    settings,
    skipped,
    status_in_words,
    violating,
    waivers,
    warnings,
)
from reports.summary_text import last_release
from reports.verdict import contradicted, headline

if TYPE_CHECKING:
    from rich.console import Console

_RELEASES_SHOWN = 24
_ROOM = 96
_TAG, _TIMELINE = 16, 21
_STATUS = {"incomplete": "yellow", "skipped": "dim", "failed": "red"}


@dataclass(frozen=True)
class Text:
    """Render a report for reading; `color` and `width` (in characters) are those of the terminal.

    `series` is how the series was called on the command line: the next command is told with it.
    """

    name: str = "text"
    color: bool = False
    width: int = 100
    series: str = "SERIES"

    def render(self, report: Report) -> str:
        """Return the report as lines of text."""
        target = io.StringIO()
        console = self.console(target)
        self.head(console, report)
        self.verdict(console, report)
        if report.tables is not None:
            self._counts(console, report)
        else:
            self._warnings(console, report)
            self._attacks(console, report)
            self._timeline(console, report)
            for line in print_panel(console, report, releases=_RELEASES_SHOWN):
                self.indented(console, line)
            console.print()
        if report.people:
            console.print(say("People found ({count})", count=len(report.people)), style="bold")
            for line in people(report):
                self.indented(console, line, hanging=2)
            console.print()
        worst = violating(report)
        for attack in sorted(shown_attacks(report), key=lambda each: each not in worst):
            self._findings(console, attack)
        if len(shown_attacks(report)) < len(report.attacks):
            console.print(str(REPEATED))
            console.print()
        self._waivers(console, report)
        self._recommended(console, report)
        self._next(console, report)
        return lines_of(target)

    def console(self, target: io.StringIO) -> Console:
        """Return a console that prints into a text."""
        from rich.console import Console

        return Console(
            file=target,
            force_terminal=self.color,
            no_color=not self.color,
            color_system="standard" if self.color else None,
            width=self.width,
            highlight=False,
            markup=False,
            emoji=False,
            legacy_windows=False,
        )

    def head(self, console: Console, report: Report) -> None:
        """Print what was audited, and whom it is held against."""
        console.print(printable(report.series.name, 200), style="bold")
        console.print(facts(report))
        console.print(adversary(report))
        if report.tables is not None and (rules := " ".join(counts.rules(report.tables))):
            self.indented(console, rules)
        console.print()

    def verdict(self, console: Console, report: Report) -> None:
        """Print the decision and what is behind it."""
        if report.contradictions and report.policy.violations:
            console.print(contradicted(report), style="bold yellow")
            console.print()
        head, style = headline(report)
        console.print(head, style=f"bold {style}")
        for line in (*reasons(report), *([str(CONTRADICTED)] if report.contradictions else [])):
            self.indented(console, line)
        console.print()

    def _warnings(self, console: Console, report: Report) -> None:
        """Print what is irregular about the files."""
        lines = list(warnings(report))
        if lines:
            console.print(say("Look at the files:"), style="bold yellow")
            for line in lines:
                self.indented(console, line)
            console.print()

    def _counts(self, console: Console, report: Report) -> None:
        """Print what was counted of tables of counts, and how it was checked."""
        from rich.table import Table

        table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0), show_header=False)
        table.add_column()
        table.add_column(justify="right")
        for name, value in counts.measured(report):
            table.add_row(name, value)
        console.print(table)
        for line in skipped(report):
            self.indented(console, line)
        self.indented(console, f"{settings(report)} {counts.checked(report.attacks[0])}")
        console.print()

    def _attacks(self, console: Console, report: Report) -> None:
        self._ladder(console, report)
        for line in skipped(report):
            self.indented(console, line)
        for note in notes(report):
            self.indented(console, note)
        self.indented(console, settings(report))
        console.print()

    def _ladder(self, console: Console, report: Report) -> None:
        """Print what each attack finds; where several tell people's values, whom each adds to those above it."""
        from rich.table import Table
        from rich.text import Text as Coloured

        broken = violating(report)
        rungs = {(rung.attack, rung.sensitive): rung for rung in report.ladder}
        laddered = len(report.ladder) > len({rung.sensitive for rung in report.ladder})
        # What falls is `at least` so much where an attack is incomplete, and the reason follows the table.
        table = Table(box=None, pad_edge=False, padding=(0, 2 if self.width >= _ROOM else 1, 0, 0))
        table.add_column(
            say("attack"), header_style="bold", min_width=max((len(each.attack) for each in report.attacks), default=0)
        )
        table.add_column(say("status"), header_style="bold", no_wrap=True)
        table.add_column(say("finds"), header_style="bold", min_width=len(say("finds")))
        heads = [say("new\npeople"), say("so\nfar")] if laddered else []
        for head in (*heads, say("highest\nrisk"), say("mean\nrisk"), say("time")):
            table.add_column(head, justify="right", header_style="bold")
        for attack in report.attacks:
            status = Coloured(status_in_words(attack.status), style=_STATUS.get(attack.status, ""))
            name = f"{attack.attack} ({printable(attack.sensitive)})" if attack.sensitive else attack.attack
            if not attack.ran:
                table.add_row(name, status, absent(attack))
                continue
            rung, m = rungs.get((attack.attack, attack.sensitive)), attack.risks
            people = ["", ""] if rung is None else [figure(rung.beyond), figure(rung.so_far)]
            table.add_row(
                Coloured(name, style="bold red") if attack in broken else name,
                status,
                fallen(attack),
                *(people if laddered else []),
                *(risk_text(m[risk]) if risk in m else "" for risk in ("max_risk", "mean_risk")),
                seconds(attack),
            )
        console.print(table)
        if laddered:
            what = say("New people: those whose value is certain by this attack but not by any attack above it.")
            self.indented(console, what)

    def _timeline(self, console: Console, report: Report) -> None:
        from rich.table import Table

        tags = report.series.releases
        rows = [(attack, line) for attack, line in timelines(report) if any(line)]
        if not rows:
            return
        if len(tags) > _RELEASES_SHOWN:
            last = say("The last {some} of {count} releases:", some=str(_RELEASES_SHOWN), count=str(len(tags)))
            console.print(last)
        beside = max(1, (self.width - _TAG) // _TIMELINE)
        for first in range(0, len(rows), beside):
            some = rows[first : first + beside]
            table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0))
            table.add_column(say("after release"), header_style="bold")
            for attack, _ in some:
                head = say("{what} by {attack}", what=counted(attack), attack=named(attack))
                table.add_column(head, justify="right", header_style="bold")
            for place, tag in list(enumerate(tags))[-_RELEASES_SHOWN:]:
                table.add_row(printable(tag), *(_after(attack, line, place) for attack, line in some))
            console.print(table)
            console.print()

    def _findings(self, console: Console, attack: AttackReport) -> None:
        if not attack.findings_total:
            return
        shown, total = len(attack.findings), attack.findings_total
        about = {"attack": attack.attack, "shown": shown, "total": total}
        head = say("Findings of {attack} ({total})", **about)
        if shown < total:
            head = say("Findings of {attack} ({shown} of {total})", **about)
        console.print(head, style="bold")
        for finding in attack.findings:
            self.finding(console, finding, by_version=attack.measures.by_version)
        if shown < total:
            console.print(f"  {say('{count} more: --findings all', count=total - shown)}", style="dim")
        console.print()

    def finding(self, console: Console, finding: Finding[str], *, by_version: bool) -> None:
        """Print a finding with its certificate; `by_version` tells whether a value holds in one release alone."""
        console.print(f"  {finding.sentence(by_version=by_version)}   [{finding.id}]", soft_wrap=True)
        for step in steps(finding):
            console.print(f"    {step}", style="dim", soft_wrap=True)

    def _waivers(self, console: Console, report: Report) -> None:
        for line in waivers(report):
            console.print(line)
        if report.policy.waived:
            console.print()

    def _recommended(self, console: Console, report: Report) -> None:
        """Print what would mend the newest release, where that was looked for."""
        found = recommended(report)
        if found is not None:
            console.print(say("Recommendation for release {release}", release=last_release(report)), style="bold")
            for line in str(found).splitlines():
                self.indented(console, line, hanging=2 if line.startswith("- ") else 0)
            console.print()

    def _next(self, console: Console, report: Report) -> None:
        console.print(say("What to do next"), style="bold")
        for line in advice(report):
            self.indented(console, f"- {line}", hanging=2)
        for command in commands(report, self.series):
            console.print(f"  $ {command}", style="bold", soft_wrap=True)

    def indented(self, console: Console, line: str, *, hanging: int = 0) -> None:
        """Print a line, wrapped, two characters in; later lines of it `hanging` characters more."""
        first, *rest = textwrap.wrap(line, self.width - 2 - hanging, break_on_hyphens=False) or [""]
        console.print("\n".join([f"  {first}", *(f"  {' ' * hanging}{more}" for more in rest)]), soft_wrap=True)


def _after(attack: AttackReport, line: list[int], place: int) -> str:
    """Return what an attack counted after a release; of one that did not finish, 0 is no more than a lower bound."""
    if place >= len(line) or (attack.incomplete and not line[place]):
        return "?"
    return figure(line[place])


def lines_of(target: io.StringIO) -> str:
    """Return what was printed, without blanks at the ends of lines."""
    return "\n".join(line.rstrip() for line in target.getvalue().splitlines()) + "\n"
