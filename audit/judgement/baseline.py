"""A baseline: an earlier report on a series, whose findings do not fail another audit again."""

from __future__ import annotations

import datetime
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from audit.judgement.selection import Selection
from audit.model.arrays import Flags
from audit.model.errors import UsageError, printable_path
from audit.model.json_types import UNBOUNDED, WORSE
from audit.model.report import BaselineFacts, CountSize


def found_before(baseline: BaselineFacts, selection: Selection[Any]) -> Flags:
    """Return which claims were found before, with a risk at least as high; shape (claims,)."""
    grows = selection.claims.size is not None
    known = {each: baseline.risks.get(each, 0.0) if grows else 1.0 for each in baseline.known}
    return selection.covered(known, stable=True)


def is_known(known: Mapping[str, CountSize], ident: str, size: CountSize) -> bool:
    """Return whether at least as much was known of a count."""
    return ident in known and known[ident].covers(size)


def _small_classes(report: Any) -> dict[str, float]:  # noqa: ANN401 - JSON, whatever it holds
    """Return the smallest class of each release that has too small a one; the violation itself names only the worst."""
    limits = [each["limit"] for each in report["policy"]["violations"] if each["attack"] is None]
    found: dict[str, float] = {}
    for each in report.get("panel", ()) if limits else ():
        if each["k"] < max(limits):
            tag = str(each["release"])
            found[tag] = min(found.get(tag, float(each["k"])), float(each["k"]))
    return found


def _counts(report: Any) -> dict[str, CountSize]:  # noqa: ANN401 - JSON, whatever it holds
    """Return what a report knows of counts, and what was known of those that it left out."""
    found = dict(report.get("baseline", {}).get("counts", {}))
    found |= {each["id"]: each for attack in report["attacks"] for each in attack["findings"] if "lower" in each}
    if any(each["kind"] not in WORSE for each in found.values()):
        raise ValueError("a count has another kind")
    return {str(ident): _size(each) for ident, each in found.items()}


def _size(finding: Any) -> CountSize:  # noqa: ANN401 - JSON, whatever it holds
    upper = UNBOUNDED if finding["upper"] is None else int(finding["upper"])
    return CountSize(finding["kind"], int(finding["lower"]), upper)


def read_baseline(path: Path, *, of_tables: bool = False) -> BaselineFacts:
    """Return the baseline that a JSON report on people, or `of_tables`, is.

    Raises:
        UsageError: it cannot be read, is no such report, has ids of its own, or does not show all findings.
    """
    shown = printable_path(path)
    try:
        report: Any = json.loads(path.read_bytes())
        attacks = [(entry["findings"], entry["findings_total"]) for entry in report["attacks"]]
        found = [finding for findings, _ in attacks for finding in findings]
        ids = frozenset(str(finding["id"]) for finding in found)
        own = _small_classes(report)
        earlier = report.get("baseline", {"known": ()})
        forgotten = "known" not in earlier
        ids |= frozenset(map(str, earlier.get("known", ())))
        risks = {str(ident): float(risk) for ident, risk in earlier.get("risks", {}).items()}
        risks |= {str(finding["id"]): float(finding["risk"]) for finding in found if "risk" in finding}
        classes = {str(tag): float(k) for tag, k in earlier.get("classes", {}).items()} | own
        counts, about_tables = _counts(report), report["series"].get("kind") == "tables"
        stable, releases = about_tables or report["stable_ids"], tuple(map(str, report["series"]["releases"]))
        passed = bool(report["policy"]["passed"])
        made = datetime.date.fromisoformat(report["made"]) if "made" in report else None
    except OSError as error:
        raise UsageError(f"--baseline {shown}: {error.strerror or 'it cannot be read'}") from error
    except (ValueError, KeyError, TypeError) as error:
        raise UsageError(f"--baseline {shown}: this is not a report of `audit SERIES --format json`") from error
    if about_tables != of_tables:
        kinds = "series of count tables", "series of rows about people"
        this, series = kinds if about_tables else kinds[::-1]
        raise UsageError(f"--baseline {shown}: it is about a {this}, and this is a {series}; name a report on this one")
    how = f"make it with --format json{'' if of_tables else ' --stable-ids'} --findings all"
    if forgotten:
        raise UsageError(
            f"--baseline {shown}: it was made with a baseline by an earlier version, and does not say what it left "
            f"out; {how}, without --baseline"
        )
    if not stable:
        raise UsageError(f"--baseline {shown}: its ids hold for that report alone; {how}")
    left_out = sum(total - len(findings) for findings, total in attacks)
    if left_out:
        raise UsageError(f"--baseline {shown}: it leaves {left_out:,} findings out; {how}")
    return BaselineFacts(made, releases, passed, len(ids), 0, tuple(sorted(ids)), classes, risks, counts)
