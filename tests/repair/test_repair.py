"""Repaired candidates: they keep the policy, cost the least that any merging and withholding does, and leak nothing."""

import csv
import json
import re
import shutil
import stat

import numpy as np
import pyarrow as pa
import pytest

from attacks.intersection import IntersectionAttack
from attacks.update_graph import UpdateGraphAttack
from audit.api import load
from audit.io.attributes import QuasiIdentifier
from audit.io.cell_reading import Hierarchy
from audit.io.cells import Kind
from audit.io.release_reading import read_release
from audit.io.series import Series, open_series
from audit.model.release_impact import MOVES, REDRAW
from audit.repair import search
from audit.repair.judging import Judge
from audit.repair.merged_cells import AttributeCells, merged_text
from tests.cli.forms import EXAMPLES, append, edit
from tests.helpers.amount import slow
from tests.helpers.messy import as_csv, series_of
from tests.helpers.messy import write as write_text
from tests.helpers.repairs import draw
from tests.helpers.running import printed, run_main
from tests.helpers.tiny import Known, Row, TinySeries
from tests.mutants.mutant import kills


@pytest.fixture
def hospital(tmp_path):
    shutil.copytree(EXAMPLES / "hospital-l-diverse", tmp_path / "s")
    (tmp_path / "s" / "releases" / "2.csv").rename(tmp_path / "2.csv")
    manifest = tmp_path / "s" / "series.toml"
    edit(manifest, ', "releases/2.csv"', "")
    return tmp_path


def repaired(folder, *words, series="s", candidate="2.csv"):
    """How the repair of a candidate beside a series ends, and what it says, on one line."""
    names = str(folder / series), str(folder / candidate)
    code, out, err = run_main("repair", *names, "--output", str(folder / "out"), *words)
    assert bool(err) == (code in {2, 130}), err
    return code, " ".join((out + err).split())


def keeps_the_policy(folder, *words):
    """Whether the repaired candidate may go out."""
    return run_main("next", str(folder / "s"), str(folder / "out/2.csv"), *words)[0] == 0


def test_a_larger_candidate_is_repaired_against_all_attacks(hospital):
    code, out = repaired(hospital)
    assert (code, "merge groups" in out) == (0, True)
    assert not any(name in out for name in ("Bob", "David", "Alice"))
    assert keeps_the_policy(hospital)
    assert not (hospital / "s" / "releases" / "2.csv").exists()


def test_a_repair_that_withholds_much_says_so_first(hospital):
    """The candidate has eleven rows, and one of them is withheld."""
    repair = load(hospital / "s").repair(hospital / "2.csv", hospital / "out")
    for form in ("text", "html", "markdown"):
        shown = " ".join(repair.render(form).split())
        places = [shown.find(text) for text in ("This repair withholds", "Release 2 keeps the policy", "withhold line")]
        assert -1 not in places
        assert places == sorted(places)


def test_the_time_limit_is_for_all_audits_together_that_of_the_past_included(hospital, monkeypatch):
    """Two attacks use all the time that they get, and nothing else takes any."""
    waited = []
    monkeypatch.setattr("time.monotonic", lambda: sum(waited))

    def slow(own, attack, evidence, budget):
        waited.append(budget.remaining())
        return own(attack, evidence, budget)

    for kind in (IntersectionAttack, UpdateGraphAttack):
        own = kind.run
        monkeypatch.setattr(kind, "run", lambda *given, own=own: slow(own, *given))
    code, text = repaired(hospital, "--time-limit", "2")
    assert (code, len(waited) > 1) == (3, True)
    assert sum(waited) == pytest.approx(2)
    assert "NO REPAIR of release 2: the time limit of 2 s was reached" in text
    assert "Let it search longer: --time-limit 20. Make the release anew" in text


def test_a_search_that_is_interrupted_says_how_far_it_came(hospital, monkeypatch):
    own = Judge.judge

    def judge(self, *given, **more):
        found = own(self, *given, **more)
        if self.left:
            raise KeyboardInterrupt
        return found

    monkeypatch.setattr(Judge, "judge", judge)
    code, said = repaired(hospital)
    assert code == 130
    assert re.fullmatch(r"audit: interrupted; of the ([0-9]+) findings of .* the best one has \1 left", said)


def test_a_search_of_next_that_is_interrupted_ends_with_130(hospital, monkeypatch):
    """Also where it had found a repair, which is shown as the best one so far."""
    own = Judge.judge

    def judge(self, *given, **more):
        if self.tries.best is not None and not more.get("whole"):
            raise KeyboardInterrupt
        return own(self, *given, **more)

    monkeypatch.setattr(Judge, "judge", judge)
    code, out, err = run_main("next", str(hospital / "s"), str(hospital / "2.csv"), "--format", "json")
    assert (code, err) == (130, "")
    assert json.loads(out)["repair"]["moves"]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_candidate_keeps_the_ends_of_its_lines(hospital, end):
    path = hospital / "2.csv"
    path.write_bytes(path.read_bytes().replace(b"\r\n", b"\n").replace(b"\n", end.encode()))
    assert repaired(hospital)[0] == 0
    written = (hospital / "out" / "2.csv").read_bytes()
    assert written.count(end.encode()) == written.count(b"\n") > 1


@pytest.mark.parametrize(("delimiter", "encoding"), [("|", "cp1252"), (";", "utf-16"), ("#", "cp850")])
def test_a_candidate_is_written_in_the_form_that_is_declared(hospital, delimiter, encoding):
    manifest, declared = hospital / "s" / "series.toml", f'delimiter = "{delimiter}"\nencoding = "{encoding}"\n'
    edit(manifest, "[columns]\n", f"[columns]\n{declared}")
    for path in (hospital / "2.csv", *(hospital / "s" / "releases").glob("*.csv")):
        rows = csv.reader(path.read_text(encoding="utf-8").replace("Jane", "Jäne").splitlines())
        path.write_text("".join(delimiter.join(row) + "\n" for row in rows), encoding=encoding)
    assert repaired(hospital)[0] == 0
    assert keeps_the_policy(hospital)
    assert "Jäne" in (hospital / "out" / "2.csv").read_text(encoding=encoding)


@slow
def test_a_workbook_is_judged_and_repaired_as_csv(hospital):
    openpyxl = pytest.importorskip("openpyxl", reason="workbooks are written with openpyxl")
    book = openpyxl.Workbook()
    for row in csv.reader((hospital / "2.csv").read_text(encoding="utf-8").splitlines()):
        book.active.append(row)
    book.save(hospital / "2.xlsx")
    (code, _, err), (other, *_) = (
        run_main("next", str(hospital / "s"), str(hospital / f"2.{end}")) for end in ("xlsx", "csv")
    )
    assert (code, err) == (other, "")
    code, out = repaired(hospital, candidate="2.xlsx")
    assert (code, "titles, notes and further sheets of the original are not in it" in out) == (0, True)
    assert keeps_the_policy(hospital)


@pytest.mark.parametrize("seed", [2, 3, 5, 8])
def test_where_too_many_changes_would_be_audited_findings_are_followed(tmp_path, seed, monkeypatch):
    monkeypatch.setattr(search, "MOST_AUDITS", 0)
    series, candidate = draw(seed).write(tmp_path)
    code, out = repaired(tmp_path, "--format", "json", series=series.name, candidate=candidate.name)
    assert code in {0, 1}
    assert "changes were tried" not in (json.loads(out)["refused"] or "")
    if code == 0:
        assert run_main("next", str(series), str(tmp_path / "out" / candidate.name))[0] == 0


def test_the_key_goes_along(hospital):
    lines = (hospital / "2.csv").read_text(encoding="utf-8").splitlines()
    (hospital / "2.csv").write_text("\n".join(line.split(",", 1)[1] for line in lines) + "\n", encoding="utf-8")
    key = [f"{row},{line.split(',')[0]},h{row}" for row, line in enumerate(lines[1:])]
    (hospital / "2.key.csv").write_text("\n".join(["row,individual,Home", *key]) + "\n", encoding="utf-8")
    assert repaired(hospital)[0] == 0
    private = hospital / "out" / "private"
    assert stat.S_IMODE(private.stat().st_mode) == 0o700
    kept = (hospital / "out" / "2.csv").read_text(encoding="utf-8")
    head, *others = (private / "2.key.csv").read_text(encoding="utf-8").splitlines()
    assert (head, len(others) + 1, "Bob" in kept) == ("row,individual,Home", len(kept.splitlines()), False)
    assert {line.split(",", 1)[1] for line in others} <= {line.split(",", 1)[1] for line in key}


PLACES = Hierarchy("p", (("Rome", "Bari", "Oslo"), ("Italy", "Italy", "Norway"), ("*", "*", "*")))


@pytest.mark.parametrize(
    ("kind", "hierarchy", "texts", "merged"),
    [
        (Kind.NUMERIC, None, ["[21, 22]", "30"], "[21, 30]"),
        (Kind.NUMERIC, None, ["[21, 22[", "(20, 21]"], "(20, 22)"),
        (Kind.NUMERIC, None, [">=65", "60"], ">=60"),
        (Kind.NUMERIC, None, [">=65", "<18"], "*"),
        (Kind.NUMERIC, None, ["[20, 30]", "25"], "[20, 30]"),
        (Kind.NUMERIC, None, ["20-29", "40-49"], "20-49"),
        (Kind.NUMERIC, None, ["20 – 29", "35"], "20 – 35"),
        (Kind.DATE, None, ["1960-1969", "1980-1989"], "1960-1989"),
        (Kind.DATE, None, ["1960", "1980"], "[1960-01-01, 1980-12-31]"),
        (Kind.CATEGORICAL, None, ["48151", "48199"], "481**"),
        (Kind.CATEGORICAL, None, ["Rome", "Rostock"], "{Rome, Rostock}"),
        (Kind.CATEGORICAL, PLACES, ["Rome", "Bari"], "Italy"),
        (Kind.CATEGORICAL, PLACES, ["Rome", "Norway"], "*"),
        (Kind.CATEGORICAL, None, ["a", "*"], "*"),
    ],
)
def test_merged_cells(kind, hierarchy, texts, merged):
    attribute = QuasiIdentifier("a", kind, hierarchy, frozenset())
    assert merged_text({text: attribute.parse(text) for text in texts}, attribute, texts) == merged
    cells = AttributeCells(attribute, np.arange(len(texts)), texts)
    every = cells.merged(range(len(texts)))
    assert cells.texts[every] == merged
    assert all(cells.cost(code) <= cells.cost(every) for code in range(len(texts)))


def test_a_candidate_may_lack_a_column_that_earlier_releases_have(tmp_path):
    """It is read as a column of `*`, as `audit next` reads it, also where no key names the rows' people."""
    rows = [["A", "1", "flu"], ["A", "1", "gout"], ["B", "1", "flu"], ["B", "1", "gout"]]
    series_of(tmp_path / "s", [as_csv([["Place", "Home", "D"], *rows])], COLUMNS)
    write_text(tmp_path / "2.csv", as_csv([["Place", "D"], *([a, d] for a, _, d in rows), ["C", "flu"]]))
    assert repaired(tmp_path)[0] == 0
    assert keeps_the_policy(tmp_path)


@kills(
    "audit.repair.judging.Judge._judged",
    "selections_of(each, self._guide, self.limits)",
    "selections_of(each, self._guide, {})",
)
def test_a_class_in_which_all_have_some_harm_is_repaired(tmp_path):
    """Nobody's value is certain there, but that it is none of the harmless ones; a finding of a clause alone."""
    harmless = 'harmless = { D = ["none"] }\nsimilar = { D = true }'
    rows = [["A", "1", "flu"], ["A", "1", "none"], ["B", "1", "flu"], ["B", "1", "gout"]] * 4
    rest = [[f"C{n}", "1", value] for n in range(5) for value in ("flu", "none")]
    series_of(tmp_path / "s", [as_csv([["Place", "Home", "D"], *rows[:2]])], f"{COLUMNS}\n{harmless}")
    write_text(tmp_path / "2.csv", as_csv([["Place", "Home", "D"], *rows, *rest]))
    code, out = repaired(tmp_path, "--format", "json")
    assert (code, [(move["kind"], len(move["groups"])) for move in json.loads(out)["moves"]]) == (0, [("merge", 2)])


@kills(
    "audit.repair.candidate_files.CandidateFiles._rewritten", "range(first, first + len(source))", "source", case="[1]"
)
@pytest.mark.parametrize("first", [0, 1, 561])
def test_numbers_of_rows_show_no_withheld_row(tmp_path, first):
    """Gaps would; the key goes by the place of a row, and other numbers are kept."""
    rows = [["A", "1", "flu"], ["A", "1", "gout"], ["B", "1", "flu"], ["B", "1", "gout"], ["C", "1", "flu"]]
    unlinkable = 'unlinkable = { No = "counts the rows", Weight = "drawn by us" }'
    head = ["No", "Place", "Home", "D", "Weight"]
    numbered = [[str(first + n), *row, "2"] for n, row in enumerate(rows[2:] + rows[:2])]
    past = [[str(max(0, first - 2) + n), *row, "2"] for n, row in enumerate(rows[:2])]
    series_of(tmp_path / "s", [as_csv([head, *past])], f"{COLUMNS}\n{unlinkable}")
    write_text(tmp_path / "2.csv", as_csv([head, *numbered]))
    code, out = repaired(tmp_path, "--only", "withhold")
    assert (code, 'numbered anew, without gaps where rows are withheld: "No"' in out) == (0, True)
    written = list(csv.DictReader((tmp_path / "out" / "2.csv").read_text(encoding="utf-8").splitlines()))
    assert [(row["No"], row["Weight"]) for row in written] == [(str(first + n), "2") for n in range(4)]


@kills("audit.judgement.doubts.gather_doubts", "beside and published", "False")
@pytest.mark.parametrize("has_weight", [True, False])
def test_with_a_baseline_a_column_that_the_candidate_lacks_leaves_nothing_open(tmp_path, has_weight):
    """The weights of earlier releases show households and link their rows; the candidate has no row to link."""
    homes = [n // 2 for n in range(30)]
    rows = [["*", "1", "abc"[n % 3], f"{1000 + 37 * home * home}.5"] for n, home in enumerate(homes)]
    tables = [as_csv([["Place", "Home", "D", "Weight"], *rows])] * 2
    series_of(tmp_path / "s", tables, f'{COLUMNS}\nunlinkable = {{ Weight = "computed by us" }}')
    width = 4 if has_weight else 3
    write_text(tmp_path / "3.csv", as_csv([each[:width] for each in [["Place", "Home", "D", "Weight"], *rows]]))
    assert repaired(tmp_path, candidate="3.csv")[0] == (3 if has_weight else 0)


COLUMNS = 'sensitive = "D"\nquasi_identifiers = ["Place", "Home"]'


@kills("audit.repair.merged_cells._narrowest", "isinstance(cell, Masked)", "False")
@pytest.mark.parametrize("stars", ["*", "**"])
@pytest.mark.parametrize("seed", range(8))
def test_masks_that_cover_no_other_cost_as_much_to_merge_as_codes(seed, stars):
    rng, attribute = np.random.default_rng(seed), QuasiIdentifier("a", Kind.CATEGORICAL, None, frozenset())
    codes = [str(code) for code in rng.choice(np.arange(310, 390), 12, replace=False).tolist()]
    bare, masked = (AttributeCells(attribute, np.arange(12), [code + end for code in codes]) for end in ("", stars))
    for some in (rng.choice(12, size, replace=False).tolist() for size in range(1, 12)):
        one, other = bare.merged(some), masked.merged(some)
        assert masked.texts[other] == bare.texts[one] + stars
        assert masked.cost(other) == bare.cost(one)
        assert (masked.cost(other) > 0) == (len(some) > 1)


@kills("audit.repair.merged_cells._narrowest", "found - wide", "found")
def test_a_mask_among_the_codes_that_it_covers_costs_what_it_covers():
    attribute = QuasiIdentifier("a", Kind.CATEGORICAL, None, frozenset())
    cells = AttributeCells(attribute, np.arange(6), ["34112", "34117", "3411*", "341**", "350**", "36000"])
    assert [cells.cost(code) for code in range(6)] == pytest.approx([0, 0, 1 / 3, 1 / 3, 0, 0])
    assert cells.texts[cells.merged([3, 4])] == "3****"
    assert cells.cost(cells.merged([3, 4])) == 1


def test_an_open_interval_costs_less_than_everything():
    """It cost as much as `*`, so that to merge the youngest with the oldest lost nothing."""
    attribute = QuasiIdentifier("a", Kind.NUMERIC, None, frozenset())
    cells = AttributeCells(attribute, np.arange(4), ["<70", "70-79", "80-89", ">=90"])
    assert [cells.cost(code) for code in range(4)] == pytest.approx([0, 9 / 20, 9 / 20, 0])
    ends, near = cells.merged([0, 3]), cells.merged([0, 1])
    assert (cells.texts[ends], cells.cost(ends)) == ("*", 1)
    assert 0 < cells.cost(near) < 1


BROKEN = [Row(f"p{n}", "1", value, ("[20, 60]",)) for n, value in enumerate(["flu", "flu", "flu", "gastritis"])]


def groups_of_four(*groups):
    """Rows of new people, whose ids are not those of others with another prefix: each group has four values."""
    values = [(group, value) for group, some in enumerate(groups, 1) for value in some]
    return [Row(f"new{n + 10}", str(group), value, ("[20, 30]",)) for n, (group, value) in enumerate(values)]


@pytest.mark.parametrize(
    ("policy", "wanted"),
    [
        ("max_risk = 0.6", True),
        ('max_risk = 1.0\nmax_ever_risk = 0.6\ngrave = ["flu"]', True),
        ("max_risk = 0.8", False),
    ],
)
def test_with_a_baseline_risks_below_certainty_are_no_more_than_before(tmp_path, policy, wanted):
    """The past has a risk of 3/4; so has the candidate, of others, unless its groups are merged."""
    candidate = groups_of_four(["flu"] * 3 + ["gastritis"], ["gastritis"] * 3 + ["flu"])
    whole = TinySeries([BROKEN, candidate], quasi_identifiers=("Age",))
    whole.write(tmp_path / "all")
    append(whole.until(1).write(tmp_path / "s") / "series.toml", f"\n[policy]\nmin_e = 1\n{policy}\n")
    code, out = repaired(tmp_path, "--format", "json", "--only", "merge", candidate="all/releases/2.csv")
    assert (code, bool(json.loads(out)["moves"])) == (0, wanted)


def test_people_of_whom_a_value_is_known_stay(tmp_path):
    """People in a group with a person whose value is known are withheld, not that person."""
    values, cells = ["flu", "gastritis"] * 3, ("[20, 60]",)
    releases = [
        [Row(f"p{n}", group, values[n], cells) for n, group in enumerate(groups)] for groups in ("111111", "1122")
    ]
    small = TinySeries(releases, known=[Known("p0", "flu", None)], quasi_identifiers=("Age",))
    whole = small.write(tmp_path / "all", key="files")
    small.until(1).write(tmp_path / "s", key="files")
    shutil.copy(whole / "private" / "2.key.csv", whole / "releases" / "2.key.csv")
    policy = ["--policy", "min_e=1", "--k", "1"]
    words = ["--only", "withhold", "--format", "json", *policy]
    code, out = repaired(tmp_path, *words, candidate="all/releases/2.csv")
    assert (code, [(each["kind"], each["lines"]) for each in json.loads(out)["moves"]]) == (0, [("withhold", [3])])
    assert keeps_the_policy(tmp_path, *policy)


@kills("audit.judgement.selection.republished", "_groups(releases, each) == own", "True")
@pytest.mark.parametrize("again", [True, False])
@slow
def test_a_release_that_is_published_again_adds_no_small_class(tmp_path, again):
    """Groups of one value and classes below k are known from the past; one changed row, and they are new."""
    rows = ["20-29,flu", "20-29,flu", "30-39,gout", "40-49,flu", "40-49,gout"]
    columns = 'quasi_identifiers = ["Age"]\nsensitive = "Disease"\n'
    series = series_of(tmp_path / "s", ["\n".join(["Age,Disease", *rows, ""])], columns)
    candidate, before = tmp_path / "2.csv", tmp_path / "before.json"
    write_text(series / "private" / "finding.key", "0" * 64 + "\n")
    others = rows[::-1] if again else [*rows[:-1], "50-59,gout"]
    write_text(candidate, "\n".join(["Age,Disease", *others, ""]))
    stable = ["--stable-ids", "--findings", "all", "--format", "json"]
    assert run_main(str(series), *stable, "--output", str(before))[0] == 1
    code, out = repaired(tmp_path, "--format", "json")
    assert (code == 0 and json.loads(out)["moves"] == []) == again
    shutil.copy(candidate, series / "2.csv")
    edit(series / "series.toml", '"1.csv"', '"1.csv", "2.csv"')
    code, out, err = run_main(str(series), "--baseline", str(before), "--format", "json")
    assert (code, err) == (0 if again else 1, "")
    new = {each["measure"] for each in json.loads(out)["policy"]["violations"]}
    assert new == (set() if again else {"k", "max_risk"})


@pytest.mark.parametrize(
    ("column", "walk", "values", "places"),
    [
        ("D", {"1": "flu", "2": "cold", "3": "gout"}, ["flu", "flu", "cold", "gout"], "{N, S}"),
        ("Place", {"N": "north"}, "1123", "{S, north}"),
    ],
)
def test_a_candidate_of_other_columns_decimals_and_values_is_written_as_it_is(tmp_path, column, walk, values, places):
    """What is not changed stays as it is written, and what is changed is read as what was audited."""
    first = [[person, "[0; 50,5]", "*", value, "2"] for person, value in zip("abcd", values, strict=True)]
    columns = (
        'sensitive = "D"\nquasi_identifiers = ["Age", "Place"]\nindividual = "P"\ndecimal = ","\ndelimiter = ";"\n'
        'unlinkable = { Cost = "billing" }\nrenamed.2 = { Alter = "Age", Ort = "Place", Diagnose = "D" }\n'
        f'crosswalk = {{ {column} = "walk.csv" }}'
    )
    lines = [["release", "from", "to"], *(["2", old, new] for old, new in walk.items())]
    series_of(tmp_path / "s", [as_csv([["P", "Age", "Place", "D", "Cost"], *first], ";")], columns, walk=lines)
    ages, where = ["1,5", "2,5", "40,5", "42,5"], "NNSS"
    people = [[*one, "1.234,5"] for one in zip("abcd", ages, where, "1123", strict=True)]
    write_text(tmp_path / "2.csv", as_csv([["P", "Alter", "Ort", "Diagnose", "Cost"], *people], ";"))
    code, out = repaired(tmp_path)
    assert code == 0, out
    head, *rows = csv.reader((tmp_path / "out/2.csv").read_text(encoding="utf-8").splitlines(), delimiter=";")
    assert head == ["P", "Alter", "Ort", "Diagnose", "Cost"]
    assert sorted((row[0], *row[3:]) for row in rows) == sorted((one[0], *one[3:]) for one in people)
    assert {tuple(row[1:3]) for row in rows} == {("[1,5; 42,5]", places)}
    assert keeps_the_policy(tmp_path)


def test_totals_stand_in_the_way_of_no_repair(tmp_path):
    """Rows that `ignore_rows` leaves out are not written, and the key counts the rows that are."""
    people = [["a", "20-29", "flu"], ["b", "20-29", "cold"], ["c", "30-39", "flu"], ["d", "30-39", "gout"]]
    head, total = ["Age", "D"], ["Total", "4"]
    columns = 'sensitive = "D"\nquasi_identifiers = ["Age"]\nignore_rows = { Age = ["Total"] }'
    folder = series_of(tmp_path / "s", [[head, *(one[1:] for one in people), total]], columns)
    owners = ["row,individual", *(f"{row},{one[0]}" for row, one in enumerate(people))]
    write_text(folder / "private/1.key.csv", "\n".join(owners))
    alone = [total, ["20-24", "flu"], total, ["25-29", "cold"], *(one[1:] for one in people[2:])]
    write_text(tmp_path / "2.csv", as_csv([head, *alone]))
    write_text(tmp_path / "private/2.key.csv", "row,individual\n1,a\n3,b\n4,c\n5,d")
    code, out = repaired(tmp_path)
    assert (code, "2 rows that ignore_rows leaves out are not in it" in out) == (0, True), out
    rows = (tmp_path / "out/2.csv").read_text().splitlines()[1:]
    key = dict(line.split(",") for line in (tmp_path / "out/private/2.key.csv").read_text().splitlines()[1:])
    had = {"a": "flu", "b": "cold", "c": "flu", "d": "gout"}
    assert [had[key[str(place)]] for place in range(4)] == [row.rpartition(",")[2] for row in rows]
    assert keeps_the_policy(tmp_path)


SLASHED = "Seen,Who,Age,Disease\n{first},P1,20-29,flu\n{second},P1,20-29,HIV\n{first},P2,20-29,cold\n"
SEVERAL = 'individual = "Who"\nrows = "latest"\ndate = "Seen"\nunlinkable = { Seen = "nobody outside knows the day" }\n'


def of_several_rows(folder, first, second, more=""):
    text = SLASHED.format(first=first, second=second)
    columns = f'sensitive = "Disease"\nquasi_identifiers = ["Age"]\n{SEVERAL}{more}'
    write_text(folder / "2.csv", text)
    return series_of(folder / "s", [text], columns)


def test_several_rows_of_a_person_are_named_as_what_stands_in_the_way(tmp_path):
    of_several_rows(tmp_path, "2025-03-01", "2025-04-01")
    code, out = repaired(tmp_path)
    said = "whatever is changed, the policy stays undecided: people have several rows"
    assert (code, said in out) == (3, True)


def test_what_the_manifest_does_not_say_of_earlier_releases_is_named_at_once(tmp_path):
    """It searched until the time limit for a change after which nothing is undecided; there is none."""
    head, columns = ["Age", "Disease"], 'sensitive = "Disease"\nquasi_identifiers = ["Age"]\n'
    unsaid = [head, *([age, value] for age in ("20-29", "30-39") for value in ("flu", "flu", "n/a"))]
    lone = [head, *([age, value] for age in ("20-29", "30-39") for value in ("gout", "gout"))]
    series_of(tmp_path / "s", [unsaid], columns)
    write_text(tmp_path / "2.csv", as_csv(lone))
    code, text = repaired(tmp_path)
    assert code == 3
    assert 'whatever is changed, the policy stays undecided: "Disease" has texts that may say that a' in text
    assert 'write spelled = ["Disease"] under [columns]' in text


def test_the_file_of_all_waves_is_repaired_by_a_file_of_the_new_one(tmp_path):
    """What is said to do leads to a repaired file."""
    head, ages, values = ["Owner", "Year", "Age", "Disease"], ("20-29", "30-39"), ("flu", "flu", "gout", "HIV")
    rows = [[f"p{n}", year, ages[n // 2], values[n]] for year in ("2023", "2024") for n in range(4)]
    said = (
        'individual = "Owner"\nsensitive = "Disease"\nquasi_identifiers = ["Age"]\n'
        'unlinkable = { Year = "it says which release a row is in" }\n[adversary]\ntransitions = "any"'
    )
    folder = series_of(tmp_path / "s", [[head, *rows[:4]]], said, above='releases_by = "Year"\n')
    write_text(tmp_path / "panel.csv", as_csv([head, *rows]))
    words = 'opy the header and the rows with "2024" in the column "Year" into 2024.csv'
    assert words in printed("next", str(folder), str(tmp_path / "panel.csv"))[1]
    code, err = repaired(tmp_path, candidate="panel.csv")
    assert (code, words in err) == (2, True)
    write_text(tmp_path / "2024.csv", as_csv([head, *rows[4:]]))
    assert repaired(tmp_path, candidate="2024.csv")[0] == 0
    assert (tmp_path / "out/2024.csv").exists()


def test_a_repair_says_what_may_decide_smaller_changes(tmp_path):
    """Weights of strata show the ages of the class of all ages; in larger classes, fewer rows show them."""
    head, values = ["Age", "Weight", "Income"], ["poor", "rich", "good", "modest"]
    earlier = [["0-99", f"{5 + n // 4}.5", values[n % 4]] for n in range(24)]
    of_stratum = [[f"{n // 4}0-{n // 4}9", f"{1 + n // 4}.5", values[n % 4 if n > 3 else 0]] for n in range(24)]
    of_all = [["0-59", f"{1 + n // 2}.5", values[n % 4]] for n in range(12)]
    columns = 'quasi_identifiers = ["Age"]\nsensitive = "Income"\nunlinkable.Weight = "ours"\n'
    series_of(tmp_path / "s", [[head, *earlier]], columns)
    write_text(tmp_path / "2.csv", as_csv([head, *of_stratum, *of_all]))
    assert "Less may do: changes were found that violate nothing" in repaired(tmp_path)[1]


def test_next_recommends_no_repair_where_whatever_is_changed_stays_undecided(tmp_path):
    """People have several rows, and each release has a group with one value."""
    head = ["Owner", "Age", "Disease"]
    rows = [["Ann", "20-29", "flu"], ["Ben", "20-29", "flu"], ["Ann", "30-39", "flu"], ["Ben", "30-39", "gout"]]
    said = 'individual = "Owner"\nsensitive = "Disease"\nquasi_identifiers = ["Age"]\nrows = "episodes"'
    folder = series_of(tmp_path / "s", [[head, *rows]], said)
    write_text(tmp_path / "2.csv", as_csv([head, *([who, age, "gout"] for who, age, _ in rows)]))
    _, out = printed("next", str(folder), str(tmp_path / "2.csv"))
    assert "the policy would be undecided even without new findings: people have several rows" in out
    assert "audit repair" not in out
    _, alone = printed(str(folder))
    assert "Do not publish release 1 if it is not out yet: it violates the policy by itself." in alone


@kills(
    "audit.repair.candidate_files.CandidateFiles._write_key",
    "not is_there(path)",
    "not is_there(path) or rows.person is None",
)
def test_episodes_of_few_people_are_counted_by_the_key_beside_the_candidate(tmp_path):
    """It wrote changed candidates without their key, so that rows counted as people: nothing was found."""
    rows = [[age, f"{age}{value}"] for age in ("20-29", "30-39") for value in "abcd"]
    people = {"s/private/1": "abcaefge", "private/2": "abbaefge"}
    for key, persons in people.items():
        lines = [["row", "individual"], *([str(row), person] for row, person in enumerate(persons))]
        write_text(tmp_path / f"{key}.key.csv", as_csv(lines))
    said = 'sensitive = "Disease"\nquasi_identifiers = ["Age"]\nrows = "episodes"'
    series_of(tmp_path / "s", [[["Age", "Disease"], *rows]], said)
    write_text(tmp_path / "2.csv", as_csv([["Age", "Disease"], *rows]))
    code, text = repaired(tmp_path, "--policy", "k=3")
    assert (code, "people have several rows in one release" in text) == (3, True)
    assert "people may have several rows" not in text
    assert "the smallest class of release 2 alone has 2" in text


@pytest.mark.parametrize(
    ("first", "second", "more", "latest"),
    [
        ("03/11/2025", "13/11/2025", "", "HIV"),
        ("11/13/2025", "11/03/2025", "", "flu"),
        ("03/11/2025", "11/03/2025", 'types = { Seen = "day/month/year" }\n', "flu"),
        ("03/11/2025", "11/03/2025", 'types = { Seen = "month/day/year" }\n', "HIV"),
        ("9.11.2025", "10.11.2025", "", "HIV"),
        ("2025-11-03 10:00", "2025-11-03 9:00", "", "flu"),
    ],
)
def test_the_latest_row_is_found_by_dates_with_slashes(tmp_path, first, second, more, latest):
    series = Series.of(open_series(of_several_rows(tmp_path, first, second, more)).manifest)
    release = read_release(series, 0, ("Age",))
    row = release.person.tolist().index(series.people.encode(pa.array(["P1"]))[0])
    assert series.vocabularies["Disease"].names[release.entry_value["Disease"][row]] == latest


def test_an_ambiguous_order_of_day_and_month_is_asked_for_in_the_candidates_own_file(tmp_path):
    of_several_rows(tmp_path, "03/11/2025", "11/03/2025")
    (tmp_path / "s/1.csv").write_text(SLASHED.format(first="2025-03-11", second="2025-03-12"))
    code, err = repaired(tmp_path)
    assert code == 2
    assert f'{tmp_path / "2.csv"}:2, column "Seen": the column does not show which number is the day' in err
    assert 'types = { Seen = "day/month/year" }' in err


@pytest.mark.parametrize("notes", ["", "\n\nQuelle: Gesundheitsamt\nHinweis: vorläufige Zahlen, können sich ändern\n"])
def test_the_title_and_the_notes_of_a_candidate_stay(hospital, notes):
    title = "St. Agnes Hospital, Gespräche 2024;;;;\n\n"
    candidate = hospital / "2.csv"
    rows = csv.reader(candidate.read_text(encoding="utf-8").splitlines())
    text = title + "".join(";".join(row) + "\n" for row in rows) + notes
    candidate.write_text(text, encoding="cp1252")
    assert repaired(hospital)[0] == 0
    written = (hospital / "out/2.csv").read_text(encoding="cp1252")
    assert written.startswith(title)
    assert written.endswith(notes)
    assert len(written.splitlines()) == len(text.splitlines()) - 1
    assert keeps_the_policy(hospital)


def test_a_key_column_under_another_name_may_be_taken_out_once_the_key_is_a_file(tmp_path):
    """The report names the column as the candidate calls it; the series with the file is judged as with the column."""
    rows = [f"P{n};{n // 4};{20 + n // 4 * 5};{('flu', 'gout', 'HIV', 'asthma')[n % 4]}" for n in range(16)]
    columns = (
        'individual = "Patient"\ngroup = "Group"\nsensitive = "Disease"\nquasi_identifiers = ["Age"]\n'
        'renamed = { 2 = { "Pat-Nr" = "Patient" } }\n'
    )
    folder = series_of(tmp_path / "s", ["\n".join(["Patient;Group;Age;Disease", *rows, ""])], columns)
    write_text(tmp_path / "2.csv", "\n".join(["Pat-Nr;Group;Age;Disease", *rows, ""]))
    code, out = repaired(tmp_path)
    assert (code, 'Take the column "Pat-Nr" out of the copy that you publish.' in out) == (0, True)
    edit(folder / "series.toml", '["1.csv"]', '["1.csv", "2.csv"]')
    head, *rows = [line.split(";") for line in (tmp_path / "out/2.csv").read_text().splitlines()]
    shutil.copy(tmp_path / "out/2.csv", folder)
    _, before, _ = run_main(str(folder), "--format", "json")
    (folder / "2.csv").write_text("".join(";".join(row[1:]) + "\n" for row in [head, *rows]))
    assert "`renamed` calls it" in run_main(str(folder))[2]
    key = "".join(f"{place},{row[0]}\n" for place, row in enumerate(rows))
    write_text(folder / "private/2.key.csv", f"row,individual\n{key}")
    code, after, err = run_main(str(folder), "--format", "json")
    assert (code, err) == (0, "")
    assert json.loads(after)["policy"] == json.loads(before)["policy"]


@pytest.mark.many
@pytest.mark.parametrize("past", ["HIV", "gout"])
@pytest.mark.parametrize("line", ["", 'spelled = ["Disease"]'])
def test_the_doubt_that_stands_in_the_way_of_a_repair_is_named_with_its_remedy(tmp_path, past, line):
    """The repair merges both groups; then all people have asthma if both of its names mean the same."""
    head, rows = ["Group", "Age", "Disease"], [["1", "20-39", "flu"], ["1", "20-39", "gout"], ["2", "40-59", "HIV"]]
    columns = f'sensitive = "Disease"\nquasi_identifiers = ["Age"]\ngroup = "Group"\n{line}'
    series_of(tmp_path / "s", [[head, *rows, ["2", "40-59", past]]], columns)
    cells = [["1", "asthma"], ["1", "severe asthma"], ["2", "asthma"], ["2", "asthma"]]
    write_text(tmp_path / "2.csv", as_csv([head, *([group, "20-39", value] for group, value in cells)]))
    code, out = repaired(tmp_path)
    doubt = "changes were found that violate nothing, but the policy cannot be decided with them: "
    assert (code, doubt in out) == ((0, False) if line else (3, True))
    assert line or 'write spelled = ["Disease"] under [columns]' in out


@pytest.mark.parametrize(("values", "code"), [(["flu", "severe flu", "cold"], 0), (["flu", "severe flu"], 3)])
def test_what_the_past_discloses_counts_in_no_reading_of_the_cells(tmp_path, values, code):
    """The past discloses HIV in each reading; the candidate discloses flu if both of its names mean the same."""
    head, rows = ["Age", "Disease"], [["20-39", "flu"], ["20-39", "gout"], ["40-59", "HIV"], ["40-59", "HIV"]]
    series = series_of(tmp_path / "s", [[head, *rows]], 'sensitive = "Disease"\nquasi_identifiers = ["Age"]')
    candidate = write_text(tmp_path / "2.csv", as_csv([head, *(["20-39", value] for value in values)]))
    _, advice = printed("next", str(series), str(candidate))
    assert ("whether it goes out is your decision" in advice) == (code == 0)
    assert repaired(tmp_path)[0] == code


def of_a_register(folder, *, changes, many=60):
    """Write a tax register's series with a candidate whose cells are finer; return what names both."""
    draw_from, people, register = np.random.default_rng(1), [], ["Person,Born,Sex,release"]
    bands = ["0-12", "12-24", "24-36", "36-60"]
    people += [
        [f"p{n}", int(draw_from.integers(1940, 2000)), "mw"[n % 2], int(draw_from.integers(0, 4))] for n in range(many)
    ]
    for year in ("2021", "2022", "2023"):
        lines = ["Born,Sex,Income"]
        for each in people:
            each[3] = (each[3] + 2) % 4 if changes and each[1] % 3 == 0 else each[3]
            low = each[1] // 10 * 10 if year == "2023" else 1940
            lines.append(f"{low}-{low + (9 if year == '2023' else 59)},{each[2]},{bands[each[3]]}")
            register.append(f"{each[0]},{each[1]},{each[2]},{year}")
        lines[1:] = draw_from.permutation(lines[1:]).tolist()
        where = folder / ("candidate" if year == "2023" else "s/releases")
        where.mkdir(parents=True, exist_ok=True)
        (where / f"{year}.csv").write_text("\n".join(lines) + "\n")
    (folder / "candidate/2023.register.csv").write_text("\n".join(register) + "\n")
    past = [line for line in register if not line.endswith(",2023")]
    (folder / "s/register.csv").write_text("\n".join(past) + "\n")
    (folder / "s/series.toml").write_text(
        '[series]\nname = "Tax"\nreleases = ["releases/*.csv"]\n[columns]\nsensitive = "Income"\nspelled = ["Income"]\n'
        'quasi_identifiers = ["Born", "Sex"]\n[register]\nindividual = "Person"\n'
        '[adversary]\nregister = "register.csv"\n'
    )
    return str(folder / "s"), str(folder / "candidate/2023.csv")


@kills("audit.cli.command.options_of_verdict", 'yield from ("--adversary", adversary)', "pass")
@slow
def test_next_names_the_repair_that_its_command_makes(tmp_path):
    """The command has the adversary and the limits, without which another series would be judged."""
    names = of_a_register(tmp_path / "s", changes=False, many=40)
    words = ("--adversary", "register", "--policy", "k=4")
    said = json.loads(run_main("next", *names, *words, "--format", "json")[1])["repair"]
    text = " ".join(run_main("next", *names, *words)[1].split())
    command = re.search(r"`audit (repair [^`]*)`", text)[1].replace("repaired", str(tmp_path / "out"))
    assert command.endswith("--adversary register --policy k=4")
    code, out, _ = run_main(*command.split(), "--format", "json")
    made = json.loads(out)
    assert code == 0
    assert said["moves"]
    assert (made["moves"], made["information_lost"]) == (said["moves"], said["information_lost"])


def test_a_candidate_that_contradicts_the_past_is_named_as_its_publisher_knows_it(tmp_path):
    """The cells of a spelled column are exact: another text of an age is another age."""
    first = [["Id", "Age", "Income"], *([str(n), "65 +", "low"] for n in range(4))]
    columns = 'sensitive = "Income"\nquasi_identifiers = ["Age"]\nrecord = "Id"\nspelled = ["Age"]\n'
    series_of(tmp_path / "s", [first], columns)
    write_text(tmp_path / "new.csv", as_csv([first[0], *([each[0], "65 and over", "low"] for each in first[1:])]))
    code, err = repaired(tmp_path, candidate="new.csv")
    assert (code, "new.csv, column" in err) == (2, True)
    assert "contradict those of earlier releases" in err
    assert "audit-repair-" not in err


@kills("attacks.joint.attack.JointAttack._outcome", "Reason(what, ReasonKind.CONTRADICTION)", "what")
def test_a_past_that_contradicts_itself_is_named_at_once_and_more_time_is_not_advised(tmp_path):
    of_a_register(tmp_path, changes=True)
    code, text = repaired(tmp_path, "--adversary", "register", candidate="candidate/2023.csv")
    assert code == 3
    assert "whatever is changed, the policy stays undecided: joint: no assignment of rows to people" in text
    assert "Give [adversary] transitions that allow what happens" in text
    assert "--time-limit" not in text
    assert "audit plan" not in text


def test_more_time_is_not_advised_where_worlds_are_too_many(tmp_path):
    of_a_register(tmp_path, changes=False, many=250)
    words = ("--adversary", "register", "--policy", "max_risk=0.9")
    code, out = repaired(tmp_path, *words, candidate="candidate/2023.csv")
    said = "too many to be counted; publish smaller or fewer groups, or write max_risk = 1"
    assert (code, said in out, "--time-limit" in out) == (3, True, False)


def test_what_is_certain_only_if_values_do_not_change_is_said_of_what_adds_nothing(tmp_path):
    """Ann's groups of the two releases have flu alone in common; the policy says that any value may become any."""
    head = ["Owner", "Age", "Disease"]
    past = [head, ["Ann", "20-29", "flu"], ["Ben", "20-29", "gout"]]
    columns = 'individual = "Owner"\nsensitive = "Disease"\nquasi_identifiers = ["Age"]'
    folder = series_of(tmp_path / "s", [past], columns, '[adversary]\ntransitions = "any"\n')
    write_text(tmp_path / "2.csv", as_csv([head, ["Ann", "30-39", "flu"], ["Eve", "30-39", "cold"]]))
    said = "the values of at least 1 people are certain with this release, and of at least 0 without it"
    for code, out in (repaired(tmp_path), printed("next", str(folder), str(tmp_path / "2.csv"))):
        assert (code, said in out) == (0, True)


def test_what_no_change_of_a_candidate_decides_is_said_before_changes_are_tried(tmp_path):
    """Its record ids show who belongs together, whatever is merged; a search for a repair took minutes to say so."""
    values, bands = ["flu", "cold", "gout", "asthma"], [f"{20 + n * 10}-{29 + n * 10}" for n in range(5)]
    first, last = [f"{n * 7919 % 1009}" for n in range(40)], [f"{5000 + n // 2 * 13}-{n % 2 + 1}" for n in range(40)]
    one = [[who, bands[n // 8], values[n % 4]] for n, who in enumerate(first)]
    other = [[who, bands[n // 8], values[n % 4] if n > 7 else "flu"] for n, who in enumerate(last)]
    columns = 'sensitive = "Disease"\nquasi_identifiers = ["Age"]\nrecord = "Id"\nspelled = ["Id"]\n'
    series_of(tmp_path / "s", [[["Id", "Age", "Disease"], *one]], columns)
    write_text(tmp_path / "2.csv", as_csv([["Id", "Age", "Disease"], *other]))
    code, out = repaired(tmp_path, "--format", "json", *(f"--only={each}" for each in MOVES if each != REDRAW))
    assert (code, json.loads(out)["audits"]) == (3, 2)
    assert "record ids of" in json.loads(out)["refused"]
    assert repaired(tmp_path)[0] == 0  # with ids that show nothing


@kills("audit.repair.candidate_rows.CandidateRows.order_of", "if plan.redrawn:", "if False:")
@kills("audit.repair.candidate_files.CandidateFiles._rewritten", "if plan.redrawn and", "if False and")
@kills("audit.repair.candidate_rows.CandidateRows.cost", "plan.redrawn, lost", "lost, plan.redrawn")
@pytest.mark.parametrize(("last", "kind"), [(52, "redraw"), (48, "coarsen")])
def test_newcomers_too_few_to_hide_among_themselves_get_new_ids_like_all(tmp_path, last, kind):
    """Earlier releases lack four of the records, whatever is changed; to withhold them is more than one in twenty.

    The absence of a record is hidden by coarser cells, so that those who stay keep their ids.
    """
    ids, values = [f"{n * 7919 % 10007}" for n in range(52)], ["flu", "cold", "gout"]
    rows = [[own, ("North", "South")[n % 4 // 2], values[n % 3]] for n, own in enumerate(ids)]
    head, columns = ["Id", "Region", "D"], 'sensitive = "D"\nquasi_identifiers = ["Region"]\nrecord = "Id"\n'
    more = '[adversary]\ntransitions = "never"\n[policy]\nk = 11'
    folder = series_of(tmp_path / "s", [[head, *rows[:48]]], f'{columns}changing = ["Region"]\n', more)
    write_text(tmp_path / "2.csv", as_csv([head, *rows[20:last]]))
    code, said = repaired(tmp_path, "--format", "json")
    assert (code, [each["kind"] for each in json.loads(said)["moves"]]) == (0, [kind])
    now = [row.split(",")[0] for row in (tmp_path / "out/2.csv").read_text().split()[1:]]
    if kind == "redraw":
        assert ({*now} & {*ids}, now) == (set(), sorted(now))
        assert not keeps_the_policy(tmp_path)
    assert len(now) == last - 20
    edit(folder / "series.toml", 'record = "Id"', 'record = "Id"\nspelled = ["Id"]')
    assert keeps_the_policy(tmp_path)


@kills("audit.adversary.view.build_evidence", "follow = follow and held.ids_link", "")
@pytest.mark.parametrize("known", ["key", "register", "part of the key"])
def test_people_who_are_known_are_followed_by_no_ids_of_which_none_is_in_two_releases(tmp_path, known):
    """Bands that overlap leave 6 records alone, unless nothing links them; whose rows strangers have is not known."""
    rows = [[n, n * 7919 % 10007, 20 + n % 40, ("flu", "cold", "gout")[n % 3]] for n in range(48)]
    tables = [
        sorted(
            [f"{low}-{low + 19}", value, own, who]
            for who, own, age, value in rows
            for low in [(age + by) // 20 * 20 - by]
        )
        for by in (0, 14)
    ]
    head, columns = ["Age", "D", "Id"], 'sensitive = "D"\nquasi_identifiers = ["Age"]\nrecord = "Id"\n'
    more = '[adversary]\nregister = "private/r.csv"\n' if known == "register" else ""
    series_of(tmp_path / "s", [[head, *(row[:3] for row in tables[0])]], columns, f"{more}[policy]\nk = 9\n")
    for tag, table, folder in zip("12", tables, ("s", ""), strict=True):
        write_text(tmp_path / "2.csv", as_csv([head, *(row[:3] for row in table)]))
        listed = [[n, row[3]] for n, row in enumerate(table) if known == "key" or n > 1]
        if known != "register":
            write_text(tmp_path / folder / f"private/{tag}.key.csv", as_csv([["row", "individual"], *listed]))
    people = [["individual", "Age", "first", "last"], *([who, age, 1, 2] for who, _, age, _ in rows)]
    write_text(tmp_path / "s/private/r.csv", as_csv(people))
    code, said = repaired(tmp_path, "--only", "redraw")
    assert (code, "Only some kinds of changes were tried" in said) == (
        (3, False) if known == "part of the key" else (0, True)
    )
    assert "no repair was found that" not in said
