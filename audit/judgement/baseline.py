"""Baseline and history: read earlier reports, whose findings do not fail a later audit, and their results over time."""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from audit.findings.count import count_id
from audit.io.cell_reading import parse_value
from audit.io.cells import Kind
from audit.judgement.selection import Selection
from audit.model.arrays import UNBOUNDED, Flags
from audit.model.command_results import AuditHistory, PastReport
from audit.model.errors import UsageError
from audit.model.finding import CloseSize, RiskSize, Size, SmallClasses
from audit.model.json_types import WITHOUT_RESULT, WORSE
from audit.model.report import BaselineFacts, CountSize, Report
from audit.runtime.phrases import printable_path, say, say_count

Json: TypeAlias = Any
"""What was read of a JSON file."""


def found_before(baseline: BaselineFacts, selection: Selection[Any]) -> Flags:
    """Return which claims were found before, at least as precisely; shape (claims,), bool.

    A claim about people who look alike was found before if it was found about each of them, in the same releases of
    the report.
    """
    seen = selection.names.evidence
    if seen.possible_kinds is not None:
        positions = {seen.tags.index(tag): at for at, tag in enumerate(baseline.releases) if tag in seen.tags}
        earlier = seen.possible_kinds.earlier_names(positions, seen.series.people)
        selection = replace(selection, names=replace(selection.names, instead=earlier))
    known: dict[str, Size] = {}
    if selection.claims.sizes() is None:
        known.update(dict.fromkeys(baseline.known, RiskSize(1)))
    else:
        known.update({each: RiskSize(baseline.risks.get(each, 0.0)) for each in baseline.known})
        intervals = baseline.intervals.items()
        known.update({each: CloseSize(Fraction(low), Fraction(high)) for each, (low, high) in intervals})
    found = selection.covered(known, stable=True)
    for place in np.flatnonzero(found).tolist():
        size = selection.sizes[place]
        found[place] = all(each in known and known[each].covers(size) for each in selection.alike_ids(place))
    return found


def is_known(known: Mapping[str, CountSize], ident: str, size: CountSize) -> bool:
    """Return whether the baseline knew a count at least as precisely."""
    return ident in known and known[ident].covers(size)


def _small_classes(report: Json) -> dict[str, SmallClasses]:
    """Return the small classes of each release that has some; a violation names only the worst one.

    Reports of earlier versions do not list their rows, so these classes count as new.
    """
    limits = [each["limit"] for each in report["policy"]["violations"] if each["attack"] is None]
    known = dict(report.get("baseline", {}).get("classes", {}))
    for each in report.get("panel", ()) if limits else ():
        smallest = min(each["k"], each["k"] if each["k_people"] is None else each["k_people"])
        if smallest < max(limits) and "below_k" in each:
            known[each["release"]] = {"smallest": smallest, "rows": each["below_k"]}
    sizes = {str(tag): size for tag, size in known.items() if isinstance(size, dict)}
    return {tag: SmallClasses(int(size["smallest"]), int(size["rows"])) for tag, size in sizes.items()}


def _counts(report: Json) -> dict[str, CountSize]:
    """Return the counts that a report knows, including those of findings that it did not show."""
    found = dict(report.get("baseline", {}).get("counts", {}))
    for each in (each for attack in report["attacks"] for each in attack["findings"]):
        found |= dict.fromkeys((each["id"], _lasting_id(report, each)), each)
    if any(each["kind"] not in WORSE for each in found.values()):
        raise ValueError("a count has another kind")
    return {str(ident): _size(each) for ident, each in found.items()}


def _is_about_tables(report: Json) -> bool:
    return bool(report["series"].get("kind") == "tables")


def _lasting_id(report: Json, finding: Json) -> str:
    """Return the id of a finding; one about a count is made again: until version 0.3 it could name a release."""
    if not _is_about_tables(report):
        return str(finding["id"])
    about = finding.get("measure"), finding["release"], finding.get("since"), finding["cell"], finding.get("dimension")
    return count_id(report["series"].get("over_time"), *about)


def _has_lasting_ids(report: Json) -> bool:
    """Return whether the ids of a report's findings are valid in later reports, as those about counts are."""
    return _is_about_tables(report) or bool(report.get("stable_ids"))


def _intervals(report: Json) -> dict[str, tuple[str, str]]:
    """Return the intervals of people's values in a report by finding id, including findings that it did not show."""
    found = {str(ident): (ends[0], ends[1]) for ident, ends in report.get("baseline", {}).get("intervals", {}).items()}
    for each in (each for attack in report["attacks"] for each in attack["findings"]):
        if {"lower", "upper", "individual"} <= each.keys() and each["risk"] == 1:
            lower, upper = (str(parse_value(each[name], Kind.NUMERIC)) for name in ("lower", "upper"))
            found |= dict.fromkeys(_ids(each), (lower, upper))
    return found


def _size(finding: Json) -> CountSize:
    upper = UNBOUNDED if finding["upper"] is None else int(finding["upper"])
    return CountSize(finding["kind"], int(finding["lower"]), upper)


def _ids(finding: Json) -> list[str]:
    """Return the ids of a finding about each of the people who look alike."""
    return [*map(str, (finding["id"], *finding.get("alike", ())))]


def read_baseline(path: Path, *, of_tables: bool = False) -> BaselineFacts:
    """Return the baseline in a JSON report on people, or on count tables if `of_tables`.

    Raises:
        UsageError: it cannot be read, is not such a report, has no stable ids, or does not show all findings.
    """
    shown = printable_path(path)
    with _read(path, f"--baseline {shown}") as report:
        attacks = [(entry["findings"], entry["findings_total"]) for entry in report["attacks"]]
        found = [finding for findings, _ in attacks for finding in findings]
        ids = frozenset(ident for finding in found for ident in _ids(finding))
        earlier = report.get("baseline", {"known": ()})
        forgotten = "known" not in earlier
        ids |= frozenset(map(str, earlier.get("known", ())))
        risks = {str(ident): float(risk) for ident, risk in earlier.get("risks", {}).items()}
        risks |= {ident: float(each["risk"]) for each in found if "risk" in each for ident in _ids(each)}
        about_tables = _is_about_tables(report)
        classes, intervals = _small_classes(report), {} if about_tables else _intervals(report)
        counts = _counts(report) if about_tables else {}
        stable, releases = _has_lasting_ids(report), tuple(map(str, report["series"]["releases"]))
        passed, made = bool(report["policy"]["passed"]), _day(report)
        digests = frozenset(str(each["sha256"]) for each in report["inputs"])
    if about_tables != of_tables:
        kinds = say("a series of count tables"), say("a series of rows about people")
        this, series = kinds if about_tables else kinds[::-1]
        what = say("it is about {this}, but you audit {series}; name a report on that", this=this, series=series)
        raise UsageError(f"--baseline {shown}: {what}")
    how = say("make it with {words}", words=f"--format json{'' if of_tables else ' --stable-ids'} --findings all")
    if forgotten:
        what = say("it was made with a baseline by an earlier version, and does not say what it left out")
        raise UsageError(f"--baseline {shown}: {what}; {how}")
    if not stable:
        raise UsageError(f"--baseline {shown}: {say('its ids are valid in that report only')}; {how}")
    left_out = sum(total - len(findings) for findings, total in attacks)
    if left_out:
        what = say_count("it leaves {count} [finding|findings] out", left_out)
        raise UsageError(f"--baseline {shown}: {what}; {how}")
    known = tuple(sorted(ids))
    return BaselineFacts(made, releases, passed, len(ids), 0, known, classes, risks, counts, intervals, digests)


_PAGES = (".html", ".md")


def read_history(folder: Path) -> AuditHistory:
    """Return the history in the JSON reports of a folder, by date, then by number of releases, then by name.

    Raises:
        UsageError: the folder cannot be read, holds no report, or holds a JSON file that is not a report.
    """
    shown = printable_path(folder)
    try:
        files = sorted(path for path in folder.iterdir() if path.suffix == ".json" and path.is_file())
    except OSError as error:
        raise UsageError.say("{file}: the folder cannot be read; name the folder of the reports", file=shown) from error
    if not files:
        raise UsageError.say(
            "{file}: there are no reports here; write them with --format json --output FILE", file=shown
        )
    found = []
    for path in files:
        with _read(
            path, printable_path(path), f"; {say('check its permissions')}", f"; {say('move it away')}"
        ) as report:
            found.append(_past(path, report))
    found.sort(key=lambda each: (each.made or datetime.date.min, len(each.releases), each.file))
    return AuditHistory(tuple(found))


@contextmanager
def _read(path: Path, named: str, unreadable: str = "", other: str = "") -> Iterator[Json]:
    """Yield the contents of a JSON report; the text after the colon says what to do about a file that is not one.

    Raises:
        UsageError: the file cannot be read, is not a report, or is a report of another kind.
    """
    try:
        report = json.loads(path.read_bytes())
        if report["schema_version"] not in (1, Report.schema_version):  # what is read here is the same in both
            raise UsageError.say(
                "{file}: its schema_version is neither 1 nor {number}; make the report again with this version",
                file=named,
                number=Report.schema_version,
            )
        yield report
    except OSError as error:
        raise UsageError(f"{named}: {error.strerror or 'it cannot be read'}{unreadable}") from error
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        what = say("this is not a report of `audit SERIES --format json`")
        raise UsageError(f"{named}: {what}{other}") from error


def _day(report: Json) -> datetime.date | None:
    return datetime.date.fromisoformat(report["made"]) if "made" in report else None


def _past(path: Path, report: Json) -> PastReport:
    attacks = [entry for entry in report["attacks"] if entry["status"] not in WITHOUT_RESULT]
    shown = [_lasting_id(report, finding) for entry in attacks for finding in entry["findings"]]
    total = sum(int(entry["findings_total"]) for entry in attacks)
    earlier = report.get("baseline", {"known": [], "still": 0})
    lasting = _has_lasting_ids(report) and len(shown) == total and "known" in earlier
    pages = [path.with_suffix(ending).name for ending in _PAGES if path.with_suffix(ending).is_file()]
    return PastReport(
        file=path.name,
        page=pages[0] if pages else None,
        made=_day(report),
        version=str(report["tool"]["version"]),
        series=str(report["series"]["name"]),
        releases=tuple(str(tag) for tag in report["series"]["releases"]),
        verdict=_verdict(report),
        risks=_risks(attacks),
        certain=max((int(rung["so_far"]) for rung in report.get("ladder", ())), default=None),
        findings=total + int(earlier["still"]),
        ids=frozenset(shown) | frozenset(map(str, earlier["known"])) if lasting else None,
    )


def _verdict(report: Json) -> str:
    if report["policy"]["violations"]:
        return "violated"
    if report.get("interrupted"):
        return "interrupted"
    return "holds" if report["policy"]["passed"] else "undecided"


def _risks(attacks: Json) -> dict[str, float | None]:
    """Return the highest risk found by each attack that reports one; with several attributes, that of the worst one."""
    found: dict[str, float | None] = {}
    for entry in attacks:
        if "max_risk" in entry["measures"]:
            risk = entry["measures"]["max_risk"]
            before = found.get(entry["attack"])
            found[entry["attack"]] = before if risk is None else max(float(risk), before or 0.0)
    return found
