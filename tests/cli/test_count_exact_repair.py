"""The repair of a table with exact statistics in rows empties the cells that it names."""

from __future__ import annotations

from dataclasses import replace

from attacks.differencing.attack import Differencing
from audit.count_tables.candidate import judge_candidate
from audit.count_tables.manifest import TableFile, read_table_manifest
from audit.model.audit_options import AuditOptions
from tests.helpers.messy import write as write_text
from tests.helpers.running import run_main
from tests.mutants.mutant import kills

MANIFEST = """
[series]
name = "Visits"
kind = "tables"
releases = ["1.csv"]

[table]
value = "count"
dimensions = ["area"]
measure = "stat"
measures = ["cases", "visits"]
perturbation = 2
exact = ["cases"]
totals = { area = "All" }

[policy]
min_count = 5
"""


def rows_with(cases):
    counts = zip(("N", "S", "All"), cases, (40, 51, 91), strict=True)
    return ["area,stat,count", *(f"{area},cases,{few}\n{area},visits,{many}" for area, few, many in counts)]


@kills("audit.count_tables.candidate._places", "places[rows] = ", "_ = ")
def test_a_repair_empties_cells_of_exact_statistics(tmp_path):
    write_text(tmp_path / "series/series.toml", MANIFEST)
    write_text(tmp_path / "series/1.csv", "\n".join(rows_with((13, 20, 33))))
    write_text(tmp_path / "2.csv", "\n".join(rows_with((3, 21, 24))))
    given = map(str, (tmp_path / "series", tmp_path / "2.csv"))
    code, out, err = run_main("repair", *given, "--output", str(tmp_path / "repaired"))
    assert code in (0, 3), out + err
    written = (tmp_path / "repaired/2.csv").read_text("utf-8").splitlines()
    shown = {tuple(line.split(",")[:2]) for line in written if not line.endswith(",")}
    assert {("N", "visits"), ("S", "visits"), ("All", "visits")} <= shown
    assert ("N", "cases") not in shown


@kills("audit.count_tables.candidate._tables", "map(paths.index, paths)", "range(len(paths))")
def test_all_statistics_of_a_table_get_one_sign(tmp_path):
    """No visits are 0, and a sign for 1 or more beside one for any count would say which of the hidden counts are."""
    markers = '[table]\nmarkers = { c = [1, inf], "•" = [0, inf] }'
    write_text(tmp_path / "series/series.toml", MANIFEST.replace("[table]", markers))
    for name, cases in ("series/1.csv", (13, 20, 33)), ("series/2.csv", (3, 0, 3)):
        write_text(tmp_path / name, "\n".join(rows_with(cases)))
    manifest = read_table_manifest(tmp_path / "series")
    release = replace(manifest.releases[0], tag="2", tables=(TableFile(tmp_path / "series/2.csv", "2.csv"),))
    _, search, _ = judge_candidate(manifest, release, Differencing(), AuditOptions(findings=None))
    assert {*search.signs.values()} == {"•"}
    assert len({int(search.counts.file[row]) for row in search.signs}) == 2
