"""A user's script: all that the Python API can, under `mypy --strict`; `test_api_commands.py` runs it."""

from __future__ import annotations

import datetime
import sys
from pathlib import Path

import pyarrow.csv

import audit
from audit.api import AttackResult, AuditError, LoadedMicrodata, LoadedSeries, LoadedTables

EXAMPLES = Path(__file__).parents[1] / "examples"
TABLES = EXAMPLES.parent / "count_table_examples"


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
    compared = audit.compare(series, microdata=people, queries=10, time_limit=600)
    plan = people.plan(methods=["mondrian"], queries=10, time_limit=600)
    return [f"{series.releases} {people.snapshots}", f"{compared.table.shape[1]} {len(plan.report.tried)}"]


def counts(folder: Path) -> list[str]:
    """Ask all that can be asked of count tables."""
    tables: LoadedTables = audit.load(TABLES / "tables-one-left-out", kind="tables")
    result = tables.audit(findings=None, policy={"min_count": 3})
    told = tables.explain({"region": "north", "asthma": "yes", "late": "(rest)"})
    either = audit.load(TABLES / "tables-levels")
    compared = audit.compare(tables, audit.load(TABLES / "tables-levels", kind="tables"))
    first = pyarrow.table({"area": ["N", "N"], "sex": ["f", "m"], "n": ["9", "*"]})
    total = pyarrow.table({"area": ["N"], "n": [12]})
    table = {"dimensions": ["area", "sex"], "value": "n", "totals": {"sex": "All"}, "markers": {"*": [1, 7]}}
    framed = audit.tables_from_frames({"1": first}, {**table, "over_time": "same"})
    impact = framed.next([total], tag="2")
    repaired = framed.repair(total, folder / "repaired", tag="2")
    return [
        f"{result.passed} {result.exit_code} {len(result.findings)} {len(tables.releases)}",
        f"{result.render('html').count('<html')} {result.measures['recovered']} {either.audit().passed}",
        f"{told.findings['lower'].tolist()} {compared.table.shape[1]}",
        f"{impact.passed} {impact.exit_code} {impact.new} {len(impact.findings)} {impact.hidden['shown'].tolist()}",
        f"{repaired.repaired} {repaired.exit_code} {[file.name for file in repaired.files]}",
    ]


def main(folder: Path) -> None:
    """Print what was found."""
    hospital = audit.load(EXAMPLES / "hospital-l-diverse", kind="microdata")
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
    lines += counts(folder)
    print("\n".join(lines))  # noqa: T201 - a script


if __name__ == "__main__":
    main(Path(sys.argv[1]))
