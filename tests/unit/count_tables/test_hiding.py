"""What to hide of a candidate: nothing cheaper does, by trying everything; what is kept stays."""

import json
import random
from itertools import combinations, product
from pathlib import Path

import pytest

from attacks.differencing.attack import Differencing
from audit.count_tables.candidate import costs, judge_candidate, release_of, without_rows
from audit.count_tables.manifest import read_table_manifest
from audit.count_tables.table_audit import audit_tables, report_on
from audit.model.audit_options import AuditOptions
from tests.helpers.count_tables import TinyTables
from tests.helpers.running import run_main

AREAS, SEXES = ("N", "S", "All"), ("f", "m", "All")
EVERYTHING = AuditOptions(findings=None)


def table(counts, hidden=()):
    """The cells of two areas and two sexes with their sums, some of them as a marker."""
    rows = []
    for area, sex in product(AREAS, SEXES):
        count = sum(n for (a, s), n in counts.items() if area in (a, "All") and sex in (s, "All"))
        rows.append(((area, sex), "*" if (area, sex) in hidden else str(count)))
    return rows


def written(folder: Path, past, candidate, rules=""):
    series = TinyTables(
        ("area", "sex"), [past, candidate], totals={"area": "All", "sex": "All"}, markers={"*": (1, 7)},
        over_time="cumulative", min_count=5,
    )  # fmt: skip
    path = series.write(folder) / "series.toml"
    text = path.read_text(encoding="utf-8").replace(', "releases/2.csv"', "") + rules
    path.write_text(text, encoding="utf-8")
    return read_table_manifest(folder), release_of([folder / "releases/2.csv"])


def drawn(seed, folder):
    """A release and a grown one, with every small count hidden and some more."""
    rng = random.Random(seed)  # noqa: S311
    counts = {cell: rng.choice([3, 5, 9, 20]) for cell in product("NS", "fm")}
    grown = {cell: count + rng.choice([0, 0, 2, 8]) for cell, count in counts.items()}
    hidden = [cell for cell, text in table(counts) if int(text) < 5]
    also = [cell for cell, text in table(grown) if int(text) < 5] + rng.sample(list(product("NS", "fm")), 1)
    first = [row for row in table(counts, hidden) if "All" not in row[0] or rng.random() < 0.5]
    return written(folder, first, table(grown, [c for c in also if grown.get(c, 9) < 8]))


def new_with(counts, rows, before):
    report = report_on(without_rows(counts, frozenset(rows)), Differencing(), EVERYTHING)
    return [each for each in report.findings if each.id not in before or not before[each.id].covers(each.size)]


@pytest.mark.parametrize("seed", range(4))
def test_nothing_cheaper_does(seed, tmp_path):
    manifest, candidate = drawn(seed, tmp_path)
    found, search, rows = judge_candidate(manifest, candidate, Differencing(), EVERYTHING)
    counts = search.counts
    before = {each.id: each.size for each in audit_tables(manifest, Differencing(), EVERYTHING).findings}
    every = [row for row in range(len(counts.release)) if counts.release[row] == 1 and counts.shown[row]]
    cost = costs(counts, every)
    if found.hide is None:
        assert new_with(counts, every, before)
        return
    assert not new_with(counts, rows, before)
    assert found.least == bool(found.new_total) or not rows
    price = sum(cost[row] for row in rows)
    for size in range(4):
        for some in combinations(every, size):
            if sum(cost[row] for row in some) < price:
                assert new_with(counts, some, before), (some, rows)


def test_inner_cells_come_before_margins(tmp_path):
    counts = {("N", "f"): 31, ("N", "m"): 5, ("S", "f"): 12, ("S", "m"): 18}
    manifest, candidate = written(tmp_path, [(("N", "f"), "*")], table(counts, [("N", "m")]))
    found, _, _ = judge_candidate(manifest, candidate, Differencing(), EVERYTHING)
    assert {tuple(each.cell.values()) for each in found.hide} == {("N", "f"), ("S", "f"), ("S", "m")}
    assert found.least


def test_what_is_kept_is_not_hidden_and_a_cost_is_taken(tmp_path):
    counts = {("N", "f"): 31, ("N", "m"): 5, ("S", "f"): 12, ("S", "m"): 18}
    keep = '[[hiding]]\ncell = { area = "S" }\nkeep = true\n'
    cost = "".join(f'[[hiding]]\ncell = {{ area = "All", sex = "{sex}" }}\ncost = 0\n' for sex in "fm")
    hidden = {}
    for name, rules in (("keep", keep), ("cost", cost)):
        manifest, candidate = written(tmp_path / name, [(("N", "f"), "*")], table(counts, [("N", "m")]), rules)
        found, _, _ = judge_candidate(manifest, candidate, Differencing(), EVERYTHING)
        hidden[name] = {tuple(each.cell.values()) for each in found.hide}
    assert not any(cell[0] == "S" for cell in hidden["keep"])
    assert hidden["cost"] == {("N", "f"), ("All", "f"), ("All", "m")}


@pytest.mark.parametrize("rule", ["keep = true", 'cell = { area = "N" }', 'cell = { colour = "N" }\nkeep = true'])
def test_rules_that_say_nothing_are_refused(rule, tmp_path):
    folder = TinyTables(("area",), [[(("N",), "9")]]).write(tmp_path)
    with (folder / "series.toml").open("a", encoding="utf-8") as file:
        file.write(f"[[hiding]]\n{rule}\n")
    assert run_main(str(folder))[0] == 2


def test_too_many_tries_end_with_a_set_that_does(tmp_path, monkeypatch):
    """After so many audits cells are added, and those that are not needed are shown again."""
    monkeypatch.setattr("audit.count_tables.candidate._TRIES", 1)
    counts = {("N", "f"): 31, ("N", "m"): 5, ("S", "f"): 12, ("S", "m"): 18}
    manifest, candidate = written(tmp_path, [(("N", "f"), "*")], table(counts, [("N", "m")]))
    found, search, rows = judge_candidate(manifest, candidate, Differencing(), EVERYTHING)
    assert not found.least
    assert not new_with(search.counts, rows, {})
    for command in (["next"], ["repair", "--output", str(tmp_path / "out")]):
        _, out, _ = run_main(*command, str(tmp_path), str(tmp_path / "releases/2.csv"), "--format", "json")
        assert json.loads(out)["least"] is False
