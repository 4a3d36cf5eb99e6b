"""Repairs of count tables: what is hidden, what is proposed, and what a published number stands for."""

import datetime
import json
import random
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, product
from math import floor
from pathlib import Path

import numpy as np
import pytest

from attacks.differencing.attack import Differencing
from audit.count_tables.candidate import judge_candidate, release_of, with_candidate
from audit.count_tables.hiding import Before, Hiding, HidingSearch, costs, without_rows
from audit.count_tables.judged_counts import judge
from audit.count_tables.manifest import TableManifest, read_table_manifest
from audit.count_tables.published_texts import Interpreter, published_rate_interval, rate_interval, rounded_interval
from audit.count_tables.read_counts import read_counts
from audit.count_tables.table_audit import audit_tables, report_on
from audit.count_tables.table_rules import Rates
from audit.io.manifest import Waiver
from audit.model.arrays import UNBOUNDED
from audit.model.audit_options import AuditOptions
from audit.model.count_tables import NOTHING, OPEN, CountOutcome, Rounding
from audit.model.release_impact import HiddenCell
from audit.model.report import BaselineFacts
from audit.runtime.budget import Budget
from audit.runtime.candidate_search import SearchOutOfTimeError
from audit.runtime.phrases import Reason, ReasonKind
from reports.impact import page as candidate_page
from reports.text import PLAIN
from tests.cli.forms import edit
from tests.helpers.amount import slow, some
from tests.helpers.count_tables import TinyTables, write_tables
from tests.helpers.running import run_main
from tests.mutants.mutant import kills
from tests.oracle.count_tables import counts_of

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
    manifest = read_table_manifest(folder)
    return manifest, release_of(manifest, [folder / "releases/2.csv"], folder)


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
    report = report_on(judge(without_rows(counts, frozenset(rows)), Differencing(), EVERYTHING))
    return [each for each in report.findings if each.id not in before or not before[each.id].covers(each.size)]


@pytest.mark.many
@pytest.mark.parametrize("seed", range(4))
def test_nothing_cheaper_does(seed, tmp_path):
    manifest, candidate = drawn(seed, tmp_path)
    found, search, rows = judge_candidate(manifest, candidate, Differencing(), EVERYTHING)
    counts = search.counts
    before = {each.id: each.size for each in audit_tables(manifest, Differencing(), EVERYTHING).findings}
    every = [row for row in range(len(counts.release)) if counts.release[row] == 1 and counts.shown[row]]
    cost = costs(counts, every)
    if found.cells.hide is None:
        assert new_with(counts, every, before)
        return
    assert not new_with(counts, rows, before)
    assert found.cells.least == bool(found.new_total) or not rows
    price = sum(cost[row] for row in rows)
    for size in range(4):
        for chosen in combinations(every, size):
            if sum(cost[row] for row in chosen) < price:
                assert new_with(counts, chosen, before), (chosen, rows)


def test_inner_cells_come_before_margins(tmp_path):
    counts = {("N", "f"): 31, ("N", "m"): 5, ("S", "f"): 12, ("S", "m"): 18}
    manifest, candidate = written(tmp_path, [(("N", "f"), "*")], table(counts, [("N", "m")]))
    found, _, _ = judge_candidate(manifest, candidate, Differencing(), EVERYTHING)
    assert {tuple(each.cell.values()) for each in found.cells.hide} == {("N", "f"), ("S", "f"), ("S", "m")}
    assert found.cells.least


def of_three_areas(seed, folder, **rules):
    """Some cells of a table, then all of them, about the same people, every small count hidden."""
    rng = random.Random(seed)  # noqa: S311
    counts = {cell: rng.choice([0, 1, 3, 5, 9, 20]) for cell in product("NSW", "fm")}
    cells = product(("N", "S", "W", "All"), SEXES)
    every = [(cell, sum(n for (a, s), n in counts.items() if {*cell} <= {a, s, "All"})) for cell in cells]
    rows = [(cell, "*" if 0 < n < 5 else str(n)) for cell, n in every]
    first = [(cell, text if rng.random() < 0.4 else "") for cell, text in rows]
    said = {"markers": {"*": (1, 4)}, "min_count": 5, "min_width": 5, "over_time": "same", **rules}
    series = TinyTables(("area", "sex"), [first, rows], totals={"area": "All", "sex": "All"}, **said)
    manifest = read_table_manifest(series.write(folder))
    return replace(manifest, releases=manifest.releases[:1]), manifest.releases[1]


def with_own_sign(candidate, hide, sign="•"):
    """Write a sign of the office into the cells to leave empty."""
    [table] = candidate.tables
    lines = table.path.read_text(encoding="utf-8").splitlines()
    for each in hide:
        lines[each.line - 1] = f"{lines[each.line - 1].rpartition(',')[0]},{each.sign or sign}"
    table.path.write_text("\n".join(lines) + "\n", encoding="utf-8")


@kills("audit.count_tables.hiding.without_rows", " | np.isin(chosen, [*marked])", "")
@pytest.mark.parametrize("seed", [1, 2, 3, 4, 5, 7])
def test_an_own_sign_may_stand_in_cells_to_leave_empty(seed, tmp_path):
    """A law: it hides no count that follows from other numbers, where nothing says that no sign may stand there."""
    manifest, candidate = of_three_areas(seed, tmp_path)
    found, *_ = judge_candidate(manifest, candidate, Differencing(), EVERYTHING)
    sign = found.cells.own_sign
    assert [each for each in found.cells.hide or () if each.sign] == []
    assert {*manifest.markers, ""}.isdisjoint({sign})
    manifest = replace(manifest, markers={**manifest.markers, sign: (0, UNBOUNDED)})
    for own in ("", sign):
        with_own_sign(candidate, found.cells.hide, own)
        assert judge_candidate(manifest, candidate, Differencing(), EVERYTHING)[0].new_total == 0


@kills("audit.count_tables.candidate._signs", "min(ordered", "max(ordered")
@kills("audit.count_tables.candidate._signs", "sign and ends[sign] <= least[row]", "sign")
@pytest.mark.parametrize("seed", range(6))
def test_a_table_without_a_sign_gets_one_and_the_audit_agrees_with_the_repair(seed, tmp_path):
    """A law: a count of 0 keeps each sign from standing for all, and of two signs one would mean a small count."""
    rng = random.Random(seed)  # noqa: S311
    counts = {("N", "f"): 0} | {cell: rng.choice([1, 3, 9, 20]) for cell in [*product("NSW", "fm")][1:]}
    cells = product(("N", "S", "W", "All"), SEXES)
    rows = [(cell, str(sum(n for (a, s), n in counts.items() if {*cell} <= {a, s, "All"}))) for cell in cells]
    markers = {"*": (1, 4), "c": (1, None), "u": (5, None)}
    totals = {"area": "All", "sex": "All"}
    folder = TinyTables(("area", "sex"), [rows[-1:], rows], totals=totals, markers=markers).write(tmp_path / "series")
    candidate, text = folder / "releases/2.csv", (folder / "series.toml").read_text(encoding="utf-8")
    (folder / "series.toml").write_text(text.replace(', "releases/2.csv"', ""), encoding="utf-8")
    words = ("repair", str(folder), str(candidate), "--output", str(tmp_path / "repaired"), "--format", "json")
    code, out, _ = run_main(*words)
    assert {each.get("sign") for each in json.loads(out)["cells"]["hide"]} == {"c"}, out
    (tmp_path / "repaired/2.csv").replace(candidate)
    (folder / "series.toml").write_text(text, encoding="utf-8")
    assert run_main(str(folder))[0] == code == 0


@kills("audit.count_tables.candidate.judge_candidate", "not in {None, ReasonKind.TOO_HARD}", "is not None")
@kills("audit.count_tables.candidate.judge_candidate", "signed=chosen <= search.signs.keys()", "signed=True")
def test_cells_are_left_empty_without_a_sign_where_no_sign_hides_enough(tmp_path):
    """No hidden count has so many possible values, but nobody asks of an empty cell how many it has."""
    counts = {("N", "f"): 3, ("N", "m"): 5, ("S", "f"): 12, ("S", "m"): 18}
    rule = '[[hiding]]\ncell = { area = "All", sex = "All" }\nkeep = true\n'
    manifest, candidate = written(tmp_path, [(("N", "f"), "*")], table(counts), rule)
    manifest = replace(manifest, over_time="independent", policy={**manifest.policy, "min_width": 40})
    found, *_ = judge_candidate(manifest, candidate, Differencing(), EVERYTHING)
    assert found.cells.hide
    assert not found.cells.own_sign
    assert "no sign may stand there" in " ".join(PLAIN.drawn(candidate_page(found)).split())
    with_own_sign(candidate, found.cells.hide, "")
    page = PLAIN.drawn(candidate_page(judge_candidate(manifest, candidate, Differencing(), EVERYTHING)[0]))
    assert f"{len(found.cells.hide)} cells are empty: nothing is assumed of their counts" in " ".join(page.split())
    with_own_sign(candidate, found.cells.hide)
    manifest = replace(manifest, markers={**manifest.markers, "•": (0, UNBOUNDED)})
    assert judge_candidate(manifest, candidate, Differencing(), EVERYTHING)[0].new_total


@kills("reports.repair.of_cells", "impact.adds_nothing and total > before", "False")
def test_a_page_says_what_is_forbidden_and_how_there_are_findings_and_nothing_is_added(tmp_path):
    counts = {("N", "f"): 3, ("N", "m"): 5, ("S", "f"): 12, ("S", "m"): 18}
    manifest, candidate = written(tmp_path, table(counts), table(counts))
    found, *_ = judge_candidate(replace(manifest, over_time="same"), candidate, Differencing(), EVERYTHING)
    (attack,) = found.after.attacks
    more = replace(found.after, attacks=(replace(attack, findings_total=attack.findings_total + 3),))
    fewer = "Not all of them are asked about with it"
    for report, said, is_fewer in (
        (found, "nothing.", False),
        (replace(found, after=more), "nothing: 3 findings are counted only", False),
        (replace(found, without=more), "nothing.", True),
    ):
        page = " ".join(PLAIN.drawn(candidate_page(report)).split())
        assert f"All of what is found follows from the releases before it, and the candidate adds {said}" in page
        assert "Policy: counts below 5 may not be known, nor hidden ones to fewer than 2 values." in page
        assert (fewer in page) == is_fewer


def test_a_page_that_shows_neither_findings_nor_cells_to_hide_may_be_passed_on(tmp_path):
    counts = {("N", "f"): 3, ("N", "m"): 5, ("S", "f"): 12, ("S", "m"): 18}
    manifest, candidate = written(tmp_path, table(counts), table(counts))
    found, *_ = judge_candidate(replace(manifest, over_time="same"), candidate, Differencing(), EVERYTHING)
    assert (found.after.findings != (), found.new_total) == (True, 0)
    assert not candidate_page(found).inside
    cell = HiddenCell({"area": "N", "sex": "f"}, "3", "2.csv", 2, "")
    page = candidate_page(replace(found, cells=replace(found.cells, hide=(cell,))))
    assert page.inside
    assert "findings" not in page.mark


@kills(
    "audit.count_tables.candidate.judge_candidate",
    "(_any_count(counts, last), last)",
    '(dict.fromkeys(last, ""), last)',
)
def test_an_own_sign_is_written_where_a_note_refutes_that_of_the_table(tmp_path):
    """What the report prints is the whole remedy: no note has to be corrected or named in addition."""
    counts = {("N", "f"): 3, ("N", "m"): 5, ("S", "f"): 12, ("S", "m"): 18}
    manifest, candidate = written(tmp_path, [(("N", "f"), "*")], table(counts, [("N", "f")]))
    manifest = replace(manifest, markers={"*": (1, UNBOUNDED)}, over_time="independent")
    path = candidate.tables[0].path
    for note, signs in (("Source: the office,,", {"*"}), ("* = 1 to 4,,", {"•"})):
        path.write_text(path.read_text(encoding="utf-8") + note + "\n", encoding="utf-8")
        for markers in (manifest.markers, {**manifest.markers, "•": (0, UNBOUNDED)}):
            own = replace(manifest, markers=markers)
            found, *_ = judge_candidate(own, candidate, Differencing(), EVERYTHING)
            assert {each.sign for each in found.cells.hide} == (signs if signs <= markers.keys() else {""})


@kills("audit.count_tables.candidate._own_sign", "signed and sign not in known", "signed")
@pytest.mark.parametrize(("taken", "sign"), [("", "•"), ('not_published = ["•"]\n', "◆"), ('flags = ["•"]\n', "◆")])
def test_an_own_sign_is_declared_once_and_then_written(taken, sign, tmp_path):
    """The road that `next` names: its refusal says how to declare the sign, and `repair` writes it from then on."""
    manifest, candidate = of_three_areas(3, tmp_path / "s")
    path = tmp_path / "s/series.toml"
    edit(path, "markers = {", f"{taken}markers = {{")
    edit(path, ', "releases/2.csv"', "")
    original = (own := tmp_path / "s/releases/2.csv").read_text(encoding="utf-8")
    command = ["next", str(tmp_path / "s"), str(own)]
    out = " ".join(run_main(*command)[1].split())
    assert f'name it in markers under [table], such as "{sign}" = [0, inf], any count' in out
    with_own_sign(candidate, judge_candidate(manifest, candidate, Differencing(), EVERYTHING)[0].cells.hide, sign)
    code, _, err = run_main(*command)
    assert (code, f'"{sign}" = [1, 4], or [0, inf], if it can be any count' in err) == (2, True)
    edit(path, "markers = {", f'markers = {{ "{sign}" = [0, inf],')
    assert json.loads(run_main(*command, "--format", "json")[1])["attacks"][0]["newly_found"] == 0
    own.write_text(original, encoding="utf-8")
    run_main("repair", *command[1:], "--output", str(tmp_path / "out"))
    assert f",{sign}\n" in (tmp_path / "out/2.csv").read_text(encoding="utf-8")
    assert ",\n" not in (tmp_path / "out/2.csv").read_text(encoding="utf-8")


def test_what_is_kept_is_not_hidden_and_a_cost_is_taken(tmp_path):
    counts = {("N", "f"): 31, ("N", "m"): 5, ("S", "f"): 12, ("S", "m"): 18}
    keep = '[[hiding]]\ncell = { area = "S" }\nkeep = true\n'
    cost = "".join(f'[[hiding]]\ncell = {{ area = "All", sex = "{sex}" }}\ncost = 0\n' for sex in "fm")
    hidden = {}
    for name, rules in (("keep", keep), ("cost", cost)):
        manifest, candidate = written(tmp_path / name, [(("N", "f"), "*")], table(counts, [("N", "m")]), rules)
        found, _, _ = judge_candidate(manifest, candidate, Differencing(), EVERYTHING)
        hidden[name] = {tuple(each.cell.values()) for each in found.cells.hide}
    assert not any(cell[0] == "S" for cell in hidden["keep"])
    assert hidden["cost"] == {("N", "f"), ("All", "f"), ("All", "m")}


def areas_and_region(text, folder):
    """Return a series that hides two areas, and a release with the region of both."""
    first = [(("A",), "s"), (("B",), "s"), (("C",), "20"), (("All",), "25")]
    areas = {"A": ("A",), "B": ("B",), "C": ("C",), "D": ("D",), "R": ("A", "B")}
    series = TinyTables(
        ("area",), [first, [(("R",), text)]], totals={"area": "All"}, markers={"s": (1, 4), "t": (1, 9)},
        categories={"area": areas}, over_time="same", min_count=6,
    )  # fmt: skip
    manifest = read_table_manifest(series.write(folder))
    return replace(manifest, releases=manifest.releases[:1]), manifest.releases[1]


@kills("audit.count_tables.judged_counts.followed", "own &= part.rows < len(earlier.release)", "own &= part.rows < 0")
@kills("audit.count_tables.judged_counts.followed", "before.lower >= outcome", "before.lower <= outcome")
@kills("audit.count_tables.hiding.HidingSearch.audited", "if each.id not in before", "")
@pytest.mark.parametrize(("text", "is_new"), [("", False), ("t", False), ("s", True), ("5", True)])
def test_what_follows_from_the_releases_before_is_not_new(text, is_new, tmp_path):
    """The areas of a region are 2 to 5, under another name: a table of regions adds nothing, unless it says more."""
    found = judge_candidate(*areas_and_region(text, tmp_path), Differencing(), EVERYTHING)[0]
    assert (2, 5) in [(each.lower, each.upper) for each in found.without.findings]
    assert bool(found.new_total) == is_new


class Limited(Differencing):
    """Proves no interval of more than four numbers exactly, as if a limit ended the search."""

    def run(self, tables, budget):
        found = super().run(tables, budget)
        return replace(found, exact=np.zeros_like(found.exact)) if len(tables.boxes) > 4 else found


@kills("audit.count_tables.judged_counts.followed", " & outcome.exact[asked]", "")
def test_a_count_that_may_be_known_more_precisely_than_is_proved_is_new(tmp_path):
    """If a limit ends the search for exact bounds, what the candidate adds to a known count is not known."""
    judged = areas_and_region("t", tmp_path)
    new = [judge_candidate(*judged, each, EVERYTHING)[0].attacks[0].findings for each in (Differencing(), Limited())]
    assert [[(each.finding.lower, each.finding.upper) for each in found] for found in new] == [[], [(2, 5)]]


def two_hidden_counts(over_time, folder):
    """Write two releases, of which the first hides two counts of 1 to 4; return the manifest."""
    rows = [(("A",), "s"), (("B",), "s"), (("C",), "20"), (("D",), "20"), (("All",), "45")]
    series = TinyTables(
        ("area",), [rows, [(("C",), "20")]], totals={"area": "All"}, markers={"s": (1, 7)}, over_time=over_time,
        min_width=5, min_count=4,
    )  # fmt: skip
    return read_table_manifest(series.write(folder))


@kills("audit.count_tables.hiding.HidingSearch.audited", " + len(perhaps)", "")
@kills("audit.count_tables.hiding.HidingSearch._may_be_sharper", "manifest.relates_releases or ", "True or ")
@pytest.mark.parametrize(("over_time", "is_open"), [("same", True), ("cumulative", True), ("independent", False)])
def test_a_count_known_before_may_be_known_more_precisely_than_is_proved(over_time, is_open, tmp_path):
    """A limit leaves open whether the candidate sharpens it, but not of other people's counts of an earlier release."""
    manifest = two_hidden_counts(over_time, tmp_path)
    earlier = replace(manifest, releases=manifest.releases[:1])
    exact, limited = (
        judge_candidate(earlier, manifest.releases[1], each, EVERYTHING)[0] for each in (Differencing(), Limited())
    )
    assert [(each.lower, each.upper) for each in exact.without.findings] == [(1, 4), (1, 4)]
    assert [(each.new_total, each.cells.undecided) for each in (exact, limited)] == [(0, False), (0, is_open)]


@kills("audit.count_tables.table_audit.accepted_counts", "manifest.relates_releases and ", "")
@kills(
    "audit.count_tables.table_audit.accepted_counts",
    "clauses[ident] for ident in perhaps",
    "clauses[ident] for ident in ()",
)
@pytest.mark.parametrize("over_time", ["same", "cumulative", "independent"])
@pytest.mark.parametrize("how", ["waiver", "baseline"])
def test_no_interval_is_accepted_that_may_be_narrower_than_is_proved(how, over_time, tmp_path):
    """A limit leaves open whether a later release sharpens an accepted count; independent ones do not."""
    manifest = two_hidden_counts(over_time, tmp_path)
    found = audit_tables(manifest, Differencing(), EVERYTHING)
    assert [(each.lower, each.upper) for each in found.findings] == [(1, 4), (1, 4)]
    options = EVERYTHING
    if how == "waiver":
        far = {"reason": "r", "expires": datetime.date(2999, 1, 1)}
        waivers = [Waiver(finding=each.id, sizes={each.id: each.size}, **far) for each in found.findings]
        manifest = replace(manifest, waivers=tuple(waivers))
    else:
        known = {each.id: each.size for each in found.findings}
        options = replace(options, baseline=BaselineFacts(None, ("1", "2"), False, 2, 0, (*known,), counts=known))
    exact, limited = (audit_tables(manifest, each, options) for each in (Differencing(), Limited()))
    assert (exact.exit_code, limited.exit_code) == (0, 0 if over_time == "independent" else 3)
    assert ("2 accepted counts may be known more precisely" in str(limited.policy)) == (over_time != "independent")


@kills("audit.count_tables.count_questions.QuestionBuilder._crossings", "= False", "= True")
@pytest.mark.parametrize(("quarters", "found"), [(("25", "25"), ["A", "B", "C", "D"]), (("25", "28"), [])])
def test_sums_over_a_dimension_are_asked_about_though_no_table_shows_them(quarters, found, tmp_path):
    """Of 1 to 2 people in each of four areas and two quarters, 2 to 4 are in the year; or of 1 or more, 2 or more."""
    rows = [((quarter, area), "s") for quarter in ("Q1", "Q2") for area in "ABCD"]
    rows += [((quarter, "All"), n) for quarter, n in zip(("Q1", "Q2"), quarters, strict=True)]
    rows += [((quarter, "E"), "20") for quarter in ("Q1", "Q2")]
    series = TinyTables(
        ("quarter", "area"), [rows], totals={"quarter": "Year", "area": "All"}, markers={"s": (1, 4)}
    )  # fmt: skip
    report = audit_tables(read_table_manifest(series.write(tmp_path)), Differencing(), EVERYTHING)
    assert [(each.cell["quarter"], each.cell["area"], each.lower) for each in report.findings] == [
        ("Year", area, 2) for area in found
    ]


@pytest.mark.parametrize("rule", ["keep = true", 'cell = { area = "N" }', 'cell = { colour = "N" }\nkeep = true'])
def test_rules_that_say_nothing_are_refused(rule, tmp_path):
    folder = TinyTables(("area",), [[(("N",), "9")]]).write(tmp_path)
    with (folder / "series.toml").open("a", encoding="utf-8") as file:
        file.write(f"[[hiding]]\n{rule}\n")
    assert run_main(str(folder))[0] == 2


def test_too_many_tries_end_with_a_set_that_does(tmp_path, monkeypatch):
    """After so many audits cells are added, and those that are not needed are shown again."""
    monkeypatch.setattr("audit.count_tables.hiding._TRIES", 1)
    counts = {("N", "f"): 31, ("N", "m"): 5, ("S", "f"): 12, ("S", "m"): 18}
    manifest, candidate = written(tmp_path, [(("N", "f"), "*")], table(counts, [("N", "m")]))
    found, search, rows = judge_candidate(manifest, candidate, Differencing(), EVERYTHING)
    assert not found.cells.least
    assert not new_with(search.counts, rows, {})
    for command in (["next"], ["repair", "--output", str(tmp_path / "out")]):
        _, out, _ = run_main(*command, str(tmp_path), str(tmp_path / "releases/2.csv"), "--format", "json")
        assert json.loads(out)["cells"]["least"] is False


def law_series(seed, folder):
    """One release of exact tables in three dimensions with all totals, its small counts hidden; some rows are kept."""
    rng = np.random.default_rng(seed)
    counts = rng.choice([0, 1, 3, 8, 12, 40], size=(3, 2, 2), p=[0.1, 0.15, 0.15, 0.2, 0.2, 0.2])
    for axis in range(3):
        counts = np.concatenate([counts, counts.sum(axis=axis, keepdims=True)], axis=axis)
    labels = [*product(("N", "S", "E", "All"), ("f", "m", "All"), ("old", "young", "All"))]
    small = [(cell, "c" if 0 < n < 8 else str(n)) for cell, n in zip(labels, counts.ravel().tolist(), strict=True)]
    totals = dict.fromkeys(("area", "sex", "age"), "All")
    series = TinyTables(("area", "sex", "age"), [small], totals=totals, markers={"c": (0, UNBOUNDED)}, min_count=8)
    path = series.write(folder) / "series.toml"
    kept = rng.choice(["N", "S", "E"])
    with path.open("a", encoding="utf-8") as file:
        file.write(f'[[hiding]]\ncell = {{ area = "{kept}", sex = "f" }}\nkeep = true\n')
    return read_counts(read_table_manifest(folder)), kept


def test_a_marker_that_may_be_any_count_is_no_further_cell(tmp_path):
    """The search took a cell with it into a hypercube, though nothing else would stand there."""
    law_series(10, tmp_path)
    manifest = replace(read_table_manifest(tmp_path), markers={"c": (1, UNBOUNDED)})
    found, _, _ = judge_candidate(manifest, manifest.releases[0], Differencing(), EVERYTHING)
    assert found.cells.hide
    assert all(each.shown != each.sign for each in found.cells.hide)
    assert "leave out the marker" not in PLAIN.drawn(candidate_page(found))


@kills("audit.count_tables.hypercubes.Cells._corners", "found[best] >= _NEVER", "False")
@pytest.mark.many
@pytest.mark.parametrize("seed", range(8))
def test_hypercubes_are_enough_and_keep_what_is_kept(seed, tmp_path, monkeypatch):
    counts, kept = law_series(seed, tmp_path)
    rows = np.flatnonzero(counts.number).tolist()

    def found() -> tuple[HidingSearch, Hiding]:
        search = HidingSearch(counts, rows, Differencing(), EVERYTHING, signs=dict.fromkeys(rows, "c"))
        return search, search.search()

    search, least = found()
    monkeypatch.setattr("audit.count_tables.hiding._TRIES", 0)
    _, cubes = found()
    price = {each: sum(search.cost[row] for row in each.rows) for each in (least, cubes)}
    assert least.is_enough == cubes.is_enough
    if least.least:
        assert price[least] <= price[cubes]
    for each in (least, cubes):
        hidden = [counts.cell(row) for row in each.rows]
        assert not any((cell["area"], cell["sex"]) == (kept, "f") for cell in hidden)
        if each.is_enough:
            hidden = without_rows(counts, each.rows, dict.fromkeys(each.rows, "c"))
            report = report_on(judge(hidden, Differencing(), EVERYTHING))
            assert (len(report.findings), report.count_measures.open) == (0, 0)


def test_hypercubes_hide_hardly_more_than_needed(tmp_path, monkeypatch):
    """Cells of some drawn tables together, where the search for the least is cut short, and where it is not."""
    cells = {0: 0, 12: 0}
    for tries in (12, 0):
        monkeypatch.setattr("audit.count_tables.hiding._TRIES", tries)
        for seed in range(some(45)):
            counts, _ = law_series(seed, tmp_path / f"{tries}-{seed}")
            rows = np.flatnonzero(counts.number).tolist()
            cells[tries] += len(
                HidingSearch(counts, rows, Differencing(), EVERYTHING, signs=dict.fromkeys(rows, "c")).search().rows
            )
    assert cells[0] <= 1.5 * cells[12]


@kills("audit.count_tables.hypercubes.Hypercubes.__init__", "outcome.upper < least", "outcome.upper < 0")
@slow
def test_cells_that_have_nobody_are_no_corners_though_they_show_nothing(tmp_path, monkeypatch):
    """A law: a 0 that follows from the totals is one, as if it were shown. Hypercubes went through it, to no effect."""
    monkeypatch.setattr("audit.count_tables.hiding._TRIES", 0)
    cells = {"": 0, "0": 0}
    for seed, nothing in product(range(2), cells):
        counts = np.random.default_rng(seed).poisson(9, (5, 3, 2, 3)) + 1
        counts[:, 0, :, 0] = 0
        for axis in range(4):
            counts = np.concatenate([counts, counts.sum(axis=axis, keepdims=True)], axis=axis)
        labels = [*product("NSEWMT", "abcT", "fmT", "123T")]
        texts = ["c" if 0 < n < 5 else str(n) for n in counts.ravel().tolist()]
        rows = [(key, nothing if key[1::2] == ("a", "1") else text) for key, text in zip(labels, texts, strict=True)]
        names = ("area", "kind", "sex", "age")
        series = TinyTables(names, [rows], totals=dict.fromkeys(names, "T"), markers={"c": (1, None)})
        found = read_counts(read_table_manifest(series.write(tmp_path / f"{seed}-{nothing}")))
        many = np.flatnonzero(found.number & (found.lower > 0)).tolist()
        search = HidingSearch(found, many, Differencing(), EVERYTHING, signs=dict.fromkeys(many, "c"))
        cells[nothing] += len(search.search().rows)
    assert 0 < cells[""] <= 1.3 * cells["0"]


def test_the_bar_of_the_search_is_the_only_one(tmp_path):
    """A bar that another one has replaced can no longer be drawn."""
    shown = []

    def progress(name):
        shown.append(name)

        def draw(done, total):
            assert shown[-1] == name

        return draw

    counts = {("N", "f"): 31, ("N", "m"): 5, ("S", "f"): 12, ("S", "m"): 18}
    manifest, candidate = written(tmp_path, [(("N", "f"), "*")], table(counts, [("N", "m")]))
    found, _, _ = judge_candidate(manifest, candidate, Differencing(), AuditOptions(progress=progress))
    assert found.cells.hide
    assert shown[-1] == "repair"


SERIES = TinyTables(
    ("area", "sex"), [[(("N", "f"), "9"), (("N", "m"), "*")]], totals={"sex": "All"}, markers={"*": (1, 7)}
)


class Unsettled(Differencing):
    """The attack, which leaves open what is no finding, where tables have so many numbers."""

    def run(self, tables, budget):
        outcome = super().run(tables, budget)
        verdict = np.where((outcome.verdict == NOTHING) & (len(tables.boxes) > 2), OPEN, outcome.verdict)
        return replace(outcome, verdict=verdict.astype(np.int8))


def judged(folder: Path, row: str, attack, series=SERIES, **said):
    manifest = read_table_manifest(series.write(folder))
    file = folder / "2.csv"
    file.write_text(f"area,sex,n\n{row}\n", encoding="utf-8")
    manifest = replace(manifest, over_time="same", **said)
    return judge_candidate(manifest, release_of(manifest, [file], folder), attack, AuditOptions())[0]


class Counted:
    """The attack, which counts how often it is run about tables."""

    name = "differencing"

    def __init__(self):
        self.runs = Counter()

    def run(self, tables, budget):
        self.runs[tables.fingerprint()] += 1
        return Differencing().run(tables, budget)


@kills("audit.count_tables.hiding.HidingSearch.audited", ", replace(self.budget.fraction(1), on_progress=None)", "")
def test_what_a_limit_leaves_open_names_the_limit_of_the_whole_search(tmp_path):
    """It named what was left of it: 0 s."""

    class OutOfTime(Differencing):
        def run(self, tables, budget):
            return CountOutcome.nothing(len(tables.asked), budget.reason, interrupted=False)

    counts, _ = law_series(0, tmp_path)
    budget = Budget(60, _start=0)
    audited = HidingSearch(counts, [0], OutOfTime(), EVERYTHING, budget=budget).audited(counts)
    assert (budget.remaining(), audited.judged.outcomes[0].reason) == (0, "the time limit of 60 s was reached")


@kills("audit.count_tables.judged_counts.RememberedAttack.run", "self._settled.pop(key, None) or ", "")
def test_releases_that_stay_as_they_are_are_attacked_once(tmp_path):
    """Of independent releases, only the candidate differs from one audit of the search to the next."""
    rows = [table(dict.fromkeys(product("NS", "fm"), n + step)) for n, step in ((31, 0), (42, 1))]
    candidate = table({("N", "f"): 31, ("N", "m"): 5, ("S", "f"): 12, ("S", "m"): 18}, [("N", "m")])
    series = TinyTables(
        ("area", "sex"), [*rows, candidate], totals={"area": "All", "sex": "All"}, markers={"*": (1, 7)}
    )  # fmt: skip
    manifest = read_table_manifest(series.write(tmp_path))
    earlier = replace(manifest, releases=manifest.releases[:-1])
    attack = Counted()
    judge_candidate(earlier, manifest.releases[-1], attack, EVERYTHING)
    assert len(attack.runs) > 4
    assert {*attack.runs.values()} == {1}


@pytest.mark.parametrize(
    ("attack", "guesses", "code"),
    [(Differencing(), (), 0), (Unsettled(), (), 3), (Differencing(), ("table.totals",), 3)],
    ids=["settled", "open", "guessed"],
)
def test_what_is_not_settled_may_not_go_out(attack, guesses, code, tmp_path):
    found = judged(tmp_path, "S,f,40", attack, unconfirmed=guesses)
    text = PLAIN.drawn(candidate_page(found))
    assert (found.new_total, found.exit_code) == (0, code)
    assert found.cells.undecided == (code == 3 and not guesses)
    assert ("it may go out" in text) == (code == 0)
    assert ("undecided" in text.lower()) == (code == 3)


@pytest.mark.parametrize(("attack", "rounding"), [(Differencing(), Rounding(3, "nearest")), (Unsettled(), None)])
def test_a_rounding_is_proposed_only_where_all_is_settled(attack, rounding, tmp_path):
    found = judged(tmp_path, "N,All,12", attack, replace(SERIES, min_count=4))
    assert (found.new_total, found.cells.rounding) == (1, rounding)


def test_a_rounding_that_the_past_does_not_have_is_not_proposed(tmp_path):
    """The manifest has one rounding: an audit with one that past numbers do not have would end with exit 2."""
    series = replace(SERIES, releases=[[(("N", "f"), "10"), (("N", "m"), "*")]])
    found = judged(tmp_path, "N,All,13", Differencing(), series)
    assert (found.new_total, found.cells.rounding) == (1, Rounding(5, "nearest"))
    series = replace(SERIES, releases=[[(("N", "f"), "11"), (("N", "m"), "*")]])
    found = judged(tmp_path, "N,All,14", Differencing(), series)
    assert (found.new_total, found.cells.rounding, len(found.cells.hide)) == (1, None, 1)


@pytest.mark.parametrize(("how", "code"), [(KeyboardInterrupt, 130), (SearchOutOfTimeError, 0)])
def test_the_best_cells_so_far_are_hidden(how, code, tmp_path, monkeypatch):
    own = HidingSearch._search

    def stopped(self):
        assert own(self)
        raise how

    monkeypatch.setattr(HidingSearch, "_search", stopped)
    counts = {("N", "f"): 31, ("N", "m"): 5, ("S", "f"): 12, ("S", "m"): 18}
    written(tmp_path, [(("N", "f"), "*")], table(counts, [("N", "m")]))
    words = [str(tmp_path), str(tmp_path / "releases/2.csv"), "--format", "json", "--time-limit", "60"]
    got, out, _ = run_main("repair", *words, "--output", str(tmp_path / "out"))
    found = json.loads(out)["cells"]
    assert (got, len(found["written"]), bool(found["hide"])) == (code, 1, True)
    assert found["stopped"] == ("the search was interrupted" if code else "the time limit of 60 s was reached")
    monkeypatch.undo()
    assert run_main("next", str(tmp_path), *found["written"])[0] == 0


@kills("audit.model.release_impact.CellRepair.exit_code", "1 if self.stopped is None else 3", "1")
@kills("audit.runtime.candidate_search.CandidateSearch.check_time", "self.budget.exhausted()", "False")
def test_a_search_that_ends_early_proves_nothing(tmp_path):
    """The limit is that of the whole command; a candidate that gives nothing away needs no search."""
    SERIES.write(tmp_path)
    path = tmp_path / "series.toml"
    edit(path, "independent", "same")
    (tmp_path / "2.csv").write_text("area,sex,n\nN,All,12\n", encoding="utf-8")
    answers = {}
    for seconds in ("0.000001", "3600"):
        words = ["--output", str(tmp_path / seconds), "--time-limit", seconds, "--format", "json"]
        code, out, _ = run_main("repair", str(tmp_path), str(tmp_path / "2.csv"), *words)
        answers[seconds] = code, json.loads(out)["cells"], (tmp_path / seconds).exists()
    early, late = answers.values()
    assert (early[0], early[1]["hide"], early[2]) == (3, None, False)
    assert "time limit" in early[1]["stopped"]
    assert (late[0], len(late[1]["hide"]), late[2], "stopped" in late[1]) == (0, 1, True, False)


WAYS = [(to, how) for how in ("nearest", "even", "down", "up", "random", "midpoint") for to in (2, 3, 4, 5, 6, 10)]


def ways_to_publish(count, to, how):
    """All numbers that a count may be published as."""
    below = count // to * to
    above = below if count == below else below + to
    if how == "nearest":
        return {(2 * count + to) // (2 * to) * to}
    if how == "even":
        return {round(Fraction(count, to)) * to}
    if how == "midpoint":
        return {0 if count == 0 else (count - 1) // to * to + to // 2}
    return {"down": {below}, "up": {above}, "random": {below, above}}[how]


@kills("audit.count_tables.published_texts.rounded_interval", "half - number // to % 2 if", "half if", case="[6-even]")
@pytest.mark.parametrize(("to", "how"), WAYS)
def test_every_way_to_round(to, how):
    told = {}
    for count in range(8 * to):
        for shown in ways_to_publish(count, to, how):
            told.setdefault(shown, []).append(count)
    if how == "midpoint" and to % 2:
        pytest.skip("a midpoint of an odd width is no whole number")
    for shown, counts in told.items():
        if shown <= 5 * to:
            low, high = rounded_interval(shown, Rounding(to, how))
            assert low <= min(counts)
            assert high >= max(counts)
            assert (low, high) == counts_of(shown, to, how)
            if how != "random":  # of which the interval is the hull of both ways
                assert (low, high) == (min(counts), max(counts))


@pytest.mark.parametrize("decimals", [0, 1, 2])
@pytest.mark.parametrize("per", [100, 1000, 100_000])
def test_a_rate_stands_for_the_counts_that_are_rounded_to_it(decimals, per):
    for population in (7, 30, 111, 4000):
        for count in range(0, population + 1, 1 + population // 50):
            exact = Fraction(count * per * 10**decimals, population)
            for rate in {round(exact), floor(exact + Fraction(1, 2))}:
                ends = rate_interval(
                    Fraction(rate, 10**decimals), Fraction(population), Rates("r", per, decimals, "n", False)
                )
                assert ends[0] <= count <= ends[1]
                half = Fraction(1, 2)
                assert all(abs(Fraction(one * per * 10**decimals, population) - rate) <= half for one in ends)
                assert Fraction((ends[1] + 1) * per * 10**decimals, population) > rate + half


@pytest.mark.parametrize(("to", "how"), [way for way in WAYS if way[1] != "midpoint" or way[0] % 2 == 0])
def test_a_rate_of_a_published_count_stands_for_all_counts_published_so(to, how):
    rates = Rates("r", 1000, 1, "n", True)
    for count in range(6 * to):
        for shown in ways_to_publish(count, to, how):
            rate = Fraction(round(Fraction(shown * 10_000, 731)), 10)
            low, high = published_rate_interval(rate_interval(rate, Fraction(731), rates), Rounding(to, how))
            assert low <= count <= high


def test_a_marker_in_the_place_of_a_rate_says_nothing(tmp_path):
    rates = Rates("r", 1000, 1, "n", False)
    manifest = TableManifest(tmp_path, "", (), ("area",), "n", markers={"*": (1, 7)}, rates=(rates,))
    assert Interpreter(manifest).interval("*", (rates, "", "200")) == (1, 7)
    assert Interpreter(manifest).interval("*", (rates, "15.0", "200")) == (3, 3)
    assert Interpreter(manifest).interval("", (rates, "15.0", "200")) == (3, 3)
    assert Interpreter(manifest).interval("3", (rates, "15.0", "200")) == (3, 3)


def test_a_number_that_is_perturbed_and_then_rounded(tmp_path):
    manifest = TableManifest(tmp_path, "", (), ("area",), "n", perturbation=2, rounding=Rounding(5, "nearest"))
    assert Interpreter(manifest).interval("10") == (6, 14)
    assert Interpreter(manifest).interval("0") == (0, 4)
    assert Interpreter(manifest).interval("") == (0, UNBOUNDED)


@pytest.mark.parametrize(("before", "shown"), [("20", "50"), ("s", None), ("2", None)])
def test_a_sign_whose_count_is_published_before_is_taken_away(before, shown, tmp_path):
    past = [(("N", "All"), before), (("S", "All"), "30" if shown else "1")]
    candidate = [(("All", "All"), "s"), (("N", "f"), "s"), (("N", "m"), str(int(before) - 4) if shown else "16")]
    TinyTables(
        ("area", "sex"), [past, candidate], totals={"area": "All", "sex": "All"}, markers={"s": (1, None)},
        over_time="same", min_count=5,
    ).write(tmp_path)  # fmt: skip
    path = tmp_path / "releases/2.csv"
    if shown is None:
        assert "hides nothing" not in run_main("next", str(tmp_path), str(path))[1]
        return
    code, out, _ = run_main("next", str(tmp_path), str(path))
    assert (code, "hides nothing" in out, "No cells" in out) == (1, True, False)
    code, _, _ = run_main("repair", str(tmp_path), str(path), "--output", str(tmp_path / "out"))
    assert (code, (tmp_path / "out/2.csv").read_text(encoding="utf-8").split()[1]) == (0, f"All,All,{shown}")


def test_that_nothing_helps_is_not_claimed_where_the_past_is_not_settled(tmp_path):
    past, late = [(("N", "All"), "20"), (("S", "All"), "30")], Reason("too late", ReasonKind.TIME_LIMIT)
    manifest, candidate = written(tmp_path, past, [(("All", "All"), "*")])
    manifest = replace(manifest, over_time="same", markers={"*": (1, UNBOUNDED)})
    before = audit_tables(manifest, Differencing(), EVERYTHING)
    (attack,) = before.attacks
    unsettled = replace(attack, reason=late, measures=replace(before.count_measures, open=1))
    counts = read_counts(with_candidate(manifest, candidate))
    for told, reason in ((before, None), (replace(before, attacks=(unsettled,)), late)):
        search = HidingSearch(counts, [2], Differencing(), EVERYTHING, before=Before(told, None))
        assert (search.search().is_enough, search.search().stopped) == (False, reason)


@kills(
    "audit.count_tables.hiding.without_rows",
    "np.where(mixed, 0, hidden_lower(counts)[chosen])",
    "hidden_lower(counts)[chosen]",
)
def test_a_count_may_be_small_where_markers_of_small_ones_are_emptied_too(tmp_path):
    """An empty cell beside markers is large, unless some markers are empty, too (no cells helped before)."""
    manifest, candidate = of_three_areas(6, tmp_path, min_width=2)
    found, *_ = judge_candidate(manifest, candidate, Differencing(), EVERYTHING)
    assert sorted(each.shown for each in found.cells.hide) == ["*", "14", "5"]
    with_own_sign(candidate, found.cells.hide, "")
    assert judge_candidate(manifest, candidate, Differencing(), EVERYTHING)[0].new_total == 0


@kills("audit.count_tables.hiding.HidingSearch._needed_if", "if self.hidden(kept).found else _NO_ROWS", "")
def test_all_cells_are_hidden_before_nothing_is_said_to_help(tmp_path, monkeypatch):
    manifest, candidate = of_three_areas(6, tmp_path, min_width=2)
    monkeypatch.setattr(HidingSearch, "_search", lambda search: (False, search.hidden() and None))
    found, search, rows = judge_candidate(manifest, candidate, Differencing(), EVERYTHING)
    assert found.cells.hide
    assert all(search.hidden(rows - {row}).found for row in rows)


def test_what_no_hidden_cell_prevents_is_named_with_its_tables(tmp_path):
    hiding = "".join(f'[[hiding]]\ncell = {{ area = "{area}" }}\nkeep = true\n' for area in AREAS)
    counts = {("N", "f"): 31, ("N", "m"): 5, ("S", "f"): 12, ("S", "m"): 18}
    manifest, candidate = written(tmp_path, [(("N", "f"), "*")], table(counts, [("N", "m")]), hiding)
    found, *_ = judge_candidate(manifest, candidate, Differencing(), EVERYTHING)
    (said,) = found.cells.unavoidable
    assert (found.cells.hide, found.cells.stopped) == (None, None)
    assert said.startswith("With all cells hidden that may be, this still follows from")
    assert said.endswith("releases/2.csv: area N, sex m, release 2: exactly 5 (published as *)")
    assert "With all cells hidden" in " ".join(PLAIN.drawn(candidate_page(found)).split())


@kills("audit.count_tables.hiding.HidingSearch.unavoidable", " if each.id in new", "")
def test_what_is_found_only_because_cells_are_hidden_is_not_said_to_follow(tmp_path):
    """With all cells hidden, a total of last time narrows markers; with none hidden, nothing new does but one count."""
    counts = {("N", "f"): 4, ("N", "m"): 1, ("S", "f"): 3, ("S", "m"): 2}
    shown = [row for row in table(counts, counts) if row[0] != ("All", "m")]
    kept = [("N", "f"), ("N", "All"), ("S", "m"), ("All", "f")]
    hiding = "".join(f'[[hiding]]\ncell = {{ area = "{a}", sex = "{s}" }}\nkeep = true\n' for a, s in kept)
    manifest, candidate = written(tmp_path, [(("All", "All"), "10")], shown, hiding)
    manifest = replace(manifest, over_time="same", markers={"*": (1, 4), "c": (0, UNBOUNDED)})
    found, search, _ = judge_candidate(manifest, candidate, Differencing(), EVERYTHING)
    assert found.cells.hide is None
    assert len(search.hidden(frozenset(search.cost)).found) > len(found.cells.unavoidable) == 1
    assert "sex m, release 2: exactly 3" in found.cells.unavoidable[0]


def test_a_sign_is_asked_for_where_an_empty_cell_is_a_rounded_zero(tmp_path):
    """No cells were found, and fewer tables were advised."""
    first = {("N", "f"): 4, ("N", "m"): 31, ("S", "f"): 20, ("S", "m"): 17}
    tables = {}
    for name, counts in (("s/1.csv", first), ("2.csv", first | {("N", "f"): 8})):
        cells = [
            (area, sex, sum(n for (a, s), n in counts.items() if {area, sex} <= {a, s, "All"}))
            for area, sex in product(("N", "S", "All"), ("f", "m", "All"))
        ]
        tables[name] = ["area,sex,n", *(f"{area},{sex},{(n + 1) // 3 * 3}" for area, sex, n in cells)]
    table = 'dimensions = ["area", "sex"]\nvalue = "n"\ntotals = { area = "All", sex = "All" }\nabsent = "zero"\n'
    table += 'rounding = { to = 3, how = "nearest" }\nover_time = "cumulative"\n'
    write_tables(tmp_path, tables, table, "min_count = 10", series='releases = ["1.csv"]')
    (tmp_path / "series.toml").rename(tmp_path / "s/series.toml")
    words = ["next", str(tmp_path / "s"), str(tmp_path / "2.csv")]
    assert 'such as "•" = [0, inf], and judge the candidate again' in " ".join(run_main(*words)[1].split())
    edit(tmp_path / "s/series.toml", 'absent = "zero"', 'markers."•" = [0, inf]\nabsent = "zero"')
    assert "Hide 4 further cells; then nothing new can be derived" in " ".join(run_main(*words)[1].split())
