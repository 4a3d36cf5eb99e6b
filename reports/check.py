"""The report of a check, as text for reading and as JSON for programs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from audit.model.check_report import CheckReport, Offence
from audit.model.errors import printable
from audit.model.words import plural
from reports.escaping import as_json as to_json


def text(report: CheckReport) -> str:
    """Return what was found, for reading."""
    lines = [printable(report.series, 200)]
    lines += [f"{plural(len(report.releases), 'release')}, {plural(report.rows, 'row')}", ""]
    if report.undecided is not None:
        told = f"UNDECIDED: it cannot be decided whether the series keeps {report.promise}."
        return "\n".join([*lines, told, f"  {report.undecided}", ""])
    if report.holds:
        return "\n".join([*lines, f"The promise holds: {report.promise}.", ""])
    lines += [f"BROKEN: the series does not keep {report.promise}."]
    lines += [f"  {clause}: {total:,}" for clause, total in report.broken.items()]
    shown = len(report.offences)
    some = f"the first {shown} of {report.offences_total:,}" if shown < report.offences_total else str(shown)
    lines += ["", f"Offences ({some})"]
    lines += [f"  {line}" for offence in report.offences for line in _told(offence)]
    if any(offence.hidden for offence in report.offences):
        lines += ["", "See who they are with --reveal; keep that report inside."]
    return "\n".join([*lines, ""])


def _told(offence: Offence) -> Iterator[str]:
    """Yield an offence, and what breaks the promise there."""
    place = "" if offence.line is None else f", {'row' if offence.in_rows else 'line'} {offence.line:,}"
    who = f": {' and '.join(map(printable, offence.individuals))}" if offence.individuals else ""
    yield f"{offence.place}{place}{who}"
    yield f"  {offence.what}"


def as_json(report: CheckReport) -> str:
    """Return what was found as one JSON object with a final line break."""
    return to_json(
        {
            "schema_version": 1,
            "series": report.series,
            "releases": list(report.releases),
            "principle": report.principle,
            "parameters": dict(report.parameters),
            "holds": report.holds,
            "undecided": report.undecided,
            "broken": dict(report.broken),
            "revealed": report.revealed,
            "offences": [
                {
                    "release": offence.release,
                    "groups": list(offence.groups),
                    "line": offence.line,
                    "what": offence.what,
                    "individuals": list(offence.individuals),
                }
                for offence in report.offences
            ],
            "offences_total": report.offences_total,
        }
    )


FORMATS: Mapping[str, Callable[[CheckReport], str]] = {"text": text, "json": as_json}
