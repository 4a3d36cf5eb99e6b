"""Past reports: the JSON reports in a folder, read back as the history of a series."""

from __future__ import annotations

import datetime
import json
from pathlib import Path
from typing import Any

from audit.model.audit_history import AuditHistory, PastReport
from audit.model.errors import UsageError, printable_path
from audit.model.json_types import WITHOUT_RESULT

_PAGES = (".html", ".md")
_HOW = "write them with --format json --output FILE"


def read_history(folder: Path) -> AuditHistory:
    """Return the history in the JSON reports of a folder, by date, then by number of releases, then by name.

    Raises:
        UsageError: the folder cannot be read, holds no report, or one of its JSON files is none.
    """
    shown = printable_path(folder)
    try:
        files = sorted(path for path in folder.iterdir() if path.suffix == ".json" and path.is_file())
    except OSError as error:
        raise UsageError(f"{shown}: {error.strerror or 'it cannot be read'}; name the folder of the reports") from error
    if not files:
        raise UsageError(f"{shown}: there are no reports here; {_HOW}")
    found = [_read(path) for path in files]
    return AuditHistory(tuple(sorted(found, key=_order)))


def _order(report: PastReport) -> tuple[datetime.date, int, str]:
    return report.made or datetime.date.min, len(report.releases), report.file


def _read(path: Path) -> PastReport:
    """Return what a JSON report says.

    Raises:
        UsageError: it cannot be read, or is no report.
    """
    shown = printable_path(path)
    try:
        return _past(path, json.loads(path.read_bytes()))
    except OSError as error:
        raise UsageError(f"{shown}: {error.strerror or 'it cannot be read'}; check its permissions") from error
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise UsageError(f"{shown}: this is not a report of `audit SERIES --format json`; move it away") from error


def _past(path: Path, report: Any) -> PastReport:  # noqa: ANN401 - JSON, whatever it holds
    attacks = [entry for entry in report["attacks"] if entry["status"] not in WITHOUT_RESULT]
    shown = [str(finding["id"]) for entry in attacks for finding in entry["findings"]]
    total = sum(int(entry["findings_total"]) for entry in attacks)
    earlier = report.get("baseline", {"known": [], "still": 0})
    lasting = report.get("stable_ids", False) and len(shown) == total and "known" in earlier
    pages = [path.with_suffix(ending).name for ending in _PAGES if path.with_suffix(ending).is_file()]
    return PastReport(
        file=path.name,
        page=pages[0] if pages else None,
        made=datetime.date.fromisoformat(report["made"]) if "made" in report else None,
        version=str(report["tool"]["version"]),
        series=str(report["series"]["name"]),
        releases=tuple(str(tag) for tag in report["series"]["releases"]),
        verdict=_verdict(report),
        risks=_risks(attacks),
        certain=max((int(rung["so_far"]) for rung in report.get("ladder", ())), default=None),
        findings=total + int(earlier["still"]),
        ids=frozenset(shown) | frozenset(map(str, earlier["known"])) if lasting else None,
    )


def _verdict(report: Any) -> str:  # noqa: ANN401
    if report["policy"]["violations"]:
        return "violated"
    if report.get("interrupted"):
        return "interrupted"
    return "holds" if report["policy"]["passed"] else "undecided"


def _risks(attacks: Any) -> dict[str, float | None]:  # noqa: ANN401
    """Return the highest risk by each attack that states one; with several attributes, of the worst of them."""
    found: dict[str, float | None] = {}
    for entry in attacks:
        if "max_risk" in entry["measures"]:
            risk = entry["measures"]["max_risk"]
            before = found.get(entry["attack"])
            found[entry["attack"]] = before if risk is None else max(float(risk), before or 0.0)
    return found
