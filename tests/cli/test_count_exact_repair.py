"""The repair of a table with exact statistics in rows empties the cells that it names."""

from __future__ import annotations

from tests.helpers.messy import write as write_text
from tests.helpers.running import run_main

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
