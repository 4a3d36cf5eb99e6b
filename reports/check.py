"""The report of a check, as text for reading and as JSON for programs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from audit.findings.wording import RELEASES, ROWS
from audit.model.check_report import CheckReport, Offence
from audit.model.errors import printable
from audit.runtime.phrases import figure, joined, say
from reports.escaping import as_json as to_json
from reports.json_forms.check import check_document
from reports.json_values import json_object


def text(report: CheckReport) -> str:
    """Return what was found, for reading."""
    lines = [printable(report.series, 200)]
    lines += [f"{RELEASES.counted(len(report.releases))}, {ROWS.counted(report.rows)}", ""]
    if report.undecided is not None:
        told = say("UNDECIDED: it cannot be decided whether the series keeps {promise}.", promise=report.promise)
        return "\n".join([*lines, told, f"  {report.undecided}", ""])
    if report.holds:
        return "\n".join([*lines, say("The promise holds: {promise}.", promise=report.promise), ""])
    lines += [say("BROKEN: the series does not keep {promise}.", promise=report.promise)]
    lines += [f"  {clause}: {figure(total)}" for clause, total in report.broken.items()]
    shown, total = len(report.offences), report.offences_total
    head = say("Offences ({count})", count=str(shown))
    if shown < total:
        head = say("Offences (the first {shown} of {total})", shown=str(shown), total=total)
    lines += ["", head]
    lines += [f"  {line}" for offence in report.offences for line in _told(offence)]
    if any(offence.hidden for offence in report.offences):
        lines += ["", say("See who they are with --reveal; keep that report inside.")]
    return "\n".join([*lines, ""])


def _told(offence: Offence) -> Iterator[str]:
    """Yield an offence, and what breaks the promise there."""
    place = [offence.place]
    if offence.line is not None:
        place.append(say("row {row}", row=offence.line) if offence.in_rows else say("line {line}", line=offence.line))
    where = ", ".join(place)
    if offence.individuals:
        yield f"{where}: {joined([printable(name) for name in offence.individuals])}"
    else:
        yield where
    yield f"  {offence.what}"


def as_json(report: CheckReport) -> str:
    """Return what was found as one JSON object with a final line break."""
    return to_json(json_object(check_document(report)))


FORMATS: Mapping[str, Callable[[CheckReport], str]] = {"text": text, "json": as_json}
