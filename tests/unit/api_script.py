"""A user's script: all that the Python API can, under `mypy --strict`; `test_api_commands.py` runs it."""

from __future__ import annotations

import datetime
import sys
from pathlib import Path

import pyarrow.csv

import audit
from audit.api import AttackResult, AuditError, LoadedMicrodata, LoadedSeries

EXAMPLES = Path(__file__).parents[1] / "examples"


def questions(series: LoadedSeries, candidate: Path) -> list[str]:
    """Ask all that can be asked of a series."""
    result: AttackResult = series.attack("intersection", findings=None)
    impact = series.next(candidate, attack="intersection")
    frame = series.next(pyarrow.csv.read_csv(candidate), tag="3", attack="intersection")
    checked = series.check("m-invariance", m=2)
    told = series.explain("Bob", attack="intersection")
    graph = series.update_graph("Bob")
    return [
        audit.__version__,
        f"{result.passed} {result.exit_code} {len(result.findings)}",
        f"{impact.passed} {impact.new} {frame.new} {len(impact.findings)}",
        f"{checked.holds} {checked.exit_code} {len(checked.offences)}",
        f"{len(told.findings)} {'Bob' in str(told)}",
        f"{len(graph)} {len(series.component('Bob'))} {series.bucket_graph('flu', 'gastritis').graph['least_cut']}",
    ]


def publication(folder: Path) -> list[str]:
    """Simulate, publish, compare and plan."""
    people: LoadedMicrodata = audit.simulate(folder / "people", rows=60, snapshots=2, seed=1, file_type="csv")
    series = people.anonymize("m-invariance", folder / "series", m=2, seed=1)
    compared = audit.compare(series, microdata=people, queries=10, time_limit=5)
    plan = people.plan(methods=["mondrian"], queries=10, time_limit=5)
    return [f"{series.releases} {people.snapshots}", f"{compared.table.shape[1]} {len(plan.report.tried)}"]


def main(folder: Path) -> None:
    """Print what was found."""
    hospital = audit.load(EXAMPLES / "hospital-l-diverse")
    releases = EXAMPLES / "hospital-l-diverse" / "releases"
    candidate = folder / "3.csv"
    candidate.write_bytes((releases / "2.csv").read_bytes())
    lines = questions(hospital, candidate) + publication(folder)
    columns = {"individual": "Owner", "quasi_identifiers": ["Age", "Zipcode"], "group": "Group-ID"}
    frames = {tag: pyarrow.csv.read_csv(releases / f"{tag}.csv") for tag in ("1", "2")}
    copied = audit.series_from_frames(frames, {**columns, "sensitive": "Disease"})
    lines.append(f"{copied.attack('intersection').measures['vulnerable']}")
    try:
        hospital.check("no-principle")
    except AuditError as error:
        lines.append(str(error))
    try:
        hospital.waive("Bob", reason="known", until=datetime.date(2000, 1, 1))
    except AuditError as error:
        lines.append(str(error))
    print("\n".join(lines))  # noqa: T201 - a script


if __name__ == "__main__":
    main(Path(sys.argv[1]))
