"""Count tables with doubts: numbers beside counts, guesses, labels that move, denominators that are hidden."""

import io
import json
import random
import re
import shutil
import tomllib
import zipfile
from itertools import chain, dropwhile, permutations, takewhile

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.count_tables.published_counts import totals_by_sums
from audit.count_tables.published_texts import said_range
from audit.init.confirmation import confirmed
from audit.init.count_parts import LabelParts, find_parts, find_sums
from audit.io.toml import toml_document, toml_text
from audit.model.arrays import UNBOUNDED
from tests.cli.forms import edit
from tests.helpers.amount import rotated
from tests.helpers.amount import some as drawn
from tests.helpers.count_tables import TinyTables, write_tables
from tests.helpers.public_tables import confirm
from tests.helpers.published_forms import open_document
from tests.helpers.running import asks, drafted, printed, refused, run_main
from tests.mutants.mutant import kills

NUMBERS = [("A", "f", "12"), ("A", "m", "15"), ("A", "All", "27"), ("B", "f", "22"), ("B", "m", "30"),
           ("B", "All", "52"), ("All", "f", "34"), ("All", "m", "45"), ("All", "All", "79")]  # fmt: skip
TABLE = """dimensions = ["area", "sex"]
value = "n"
totals = { area = "All", sex = "All" }
"""


def test_init_names_the_first_unread_cell_of_each_column(tmp_path):
    rows = [("N", "f", "12", "20"), ("N", "m", "x?", "2,0,1"), ("S", "f", "15", "22"), ("S", "m", "11.5", "30"),
            ("Total", "f", "27", "42"), ("Total", "m", "31", "50")]  # fmt: skip
    (tmp_path / "1.csv").write_text("\n".join(["area;sex;n;m", *map(";".join, rows)]) + "\n", encoding="utf-8")
    found = refused("init", str(tmp_path), "--yes").splitlines()
    assert [line.partition(" the file")[0] for line in found] == [
        'audit: 1.csv:3, column "n":',
        'audit: 1.csv:3, column "m":',
    ]


def written(folder, rows, header="area,sex,n", table=TABLE, policy="min_count = 5", unconfirmed=(), releases=1):
    names = [f"releases/{number}.csv" for number in range(1, releases + 1)]
    policy += f"\n[unconfirmed]\nkeys = {json.dumps(list(unconfirmed))}" if unconfirmed else ""
    return write_tables(folder, {name: [header, *map(",".join, rows)] for name in names}, table, policy)


def verdict(folder, *words):
    """The exit code, and the decision with its reasons in one text, and the findings."""
    code, out, err = run_main(str(folder), "--format", "json", "--findings", "all", *words)
    assert err == ""
    result = json.loads(out)
    return code, json.dumps(result["policy"]["undecided"], ensure_ascii=False), result["attacks"][0]["findings"]


BY_AREA = "area,n\nA,26\nB,52\nAll,78\n"


@kills("audit.count_tables.doubts._columns_of_numbers", "name in counted or", "")
@kills("audit.count_tables.doubts._columns_of_numbers", "or (others and table is None)", "and bool(others)")
@kills(
    "audit.io.manifest.SeriesManifest.homes",
    "*(path.parent for release in self.releases for path in release.paths)",
    "",
)
@pytest.mark.parametrize(
    ("name", "text", "code"),
    [("more.csv", BY_AREA, 3), ("releases/more.csv", BY_AREA, 3), ("more.tsv", BY_AREA.replace(",", "\t"), 3),
     ("more.csv", "Gebiet;Anzahl\nA;26\n", 3), ("more.csv", "area,n\nA,c\n", 3), ("more.xlsx", "no workbook", 3),
     ("more.csv", "area,name\nA,Abing\nB,Bebing\n", 0), ("more.csv", "area,sex,code\n", 0),
     ("private/more.csv", BY_AREA, 0), ("repaired/more.csv", BY_AREA, 0), ("more.txt", BY_AREA, 0),
     ("1.meta.csv", "col_name,col_type,n\narea,Filter,1\n", 0)],
)  # fmt: skip
def test_a_table_beside_the_series_that_is_not_listed_is_asked_about(name, text, code, tmp_path):
    """It was passed over, though it shows that a number of the other one is wrong, or what that one hides."""
    folder = written(tmp_path, NUMBERS)
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_text(text, encoding="utf-8")
    assert asks(folder, f'"{name}"; if they were published, name them in releases') == code
    if code:
        written(tmp_path, NUMBERS, table=f"{TABLE}not_counts = [{json.dumps(name)}]")
        assert verdict(folder)[:2] == (0, "[]")


@kills("audit.count_tables.doubts._unlisted", "and manifest.tag_of(path) not in manifest.to_come", "")
@pytest.mark.parametrize("candidate", ["releases/2.csv", "repaired/2.csv"])
def test_a_draft_beside_the_releases_does_not_disturb_what_is_said_of_a_candidate(candidate, tmp_path):
    folder = written(tmp_path, NUMBERS, table=f'{TABLE}over_time = "same"')
    (folder / "repaired").mkdir()
    for name in ("releases/2.csv", "repaired/2.csv"):
        shutil.copy(folder / "releases/1.csv", folder / name)
    assert verdict(folder)[0] == 3
    assert run_main("next", str(folder), str(folder / candidate))[0] == 0


@kills("audit.count_tables.manifest.TableManifest.homes", "own | beside", "own")
@pytest.mark.parametrize(("left_out", "why"), [("2023/sex.csv", "2023/sex.csv"), ("2023", "2023/"), (None, "")])
def test_in_a_series_of_folders_a_folder_or_table_not_listed_is_asked_about(left_out, why, tmp_path):
    listed, tables = list[str](), {}
    for tag in ("2022", "2023", "2024"):
        tables[f"{tag}/both.csv"] = ["area,sex,n", *map(",".join, NUMBERS)]
        tables[f"{tag}/sex.csv"] = ["sex,n", *(",".join(row[1:]) for row in NUMBERS[6:])]
        names = [f"{tag}/{name}" for name in ("both.csv", "sex.csv") if f"{tag}/{name}" != left_out]
        if tag not in ("2024", left_out):
            listed.append(f'{{ tag = "{tag}", tables = {json.dumps(names)} }}')
    write_tables(tmp_path, tables, TABLE + 'over_time = "same"', series=f"releases = [{', '.join(listed)}]")
    draft = tmp_path / "2024"
    assert verdict(tmp_path)[0] == 3
    code, out, _ = run_main("next", str(tmp_path), str(draft))
    assert (code, bool(why) and why in out) == (3 if left_out else 0, bool(left_out)), out
    shutil.move(draft, tmp_path / "private")
    assert verdict(tmp_path)[0] == (3 if left_out else 0)


def with_a_year(folder, form, rule, base, is_sum):
    """Quarters of two years as columns, and the later year; the manifest, and what it lists as categories."""
    rng, areas = np.random.default_rng(len(form) + base), [f"area {n}" for n in range(12)]
    names = [f"Q{quarter} {year}" for year in (2022, 2023) for quarter in range(1, 5)]
    numbers = rng.integers(2, 60, (12, 8))
    year = numbers[:, 4:].sum(axis=1) if is_sum else rng.integers(100, 240, 12)
    numbers = np.column_stack([numbers, year])
    numbers = np.vstack([numbers, numbers.sum(axis=0)])
    columns = {"one table": [range(9)], "two tables": [range(8), [8]], "releases": [range(4), range(4, 8), [8]]}[form]
    files = [f"{at}.csv" for at in range(len(columns))]
    for name, own in zip(files, columns, strict=True):
        lines = [",".join(["area", *([*names, "2023"][at] for at in own)])]
        for area, row in zip([*areas, "All"], numbers, strict=True):
            cells = ["c" if row[at] < 5 else str((row[at] + base // 2) // base * base) for at in own]
            lines.append(",".join([area, *cells]))
        (folder / name).write_text("\n".join([*lines, ""]), encoding="utf-8")
    (folder / "periods.csv").write_text(
        "\n".join(["label,atom", *(f"{name},{name}" for name in names), *(f"2023,{name}" for name in names[4:]), ""]),
        encoding="utf-8",
    )
    releases = json.dumps(files) if form != "two tables" else f'[{{ tag = "1", tables = {json.dumps(files)} }}]'
    wide = ", ".join(f'"{name}" = "{name}"' for name in [*names, "2023"])
    rule += 'over_time = "same"\n' * (form == "releases")
    rule += f'rounding = {{ to = {base}, how = "nearest" }}\n' * (base > 1)
    return (
        f'[series]\nkind = "tables"\nreleases = {releases}\n[table]\ndimensions = ["area"]\ntotals.area = "All"\n'
        f'{rule}markers.c = [1, 4]\nwide = {{ dimension = "period", columns = {{ {wide} }} }}\n[policy]\n'
        "min_count = 5\n"
    )


@kills("audit.count_tables.release_doubts._sum_beside", 'manifest.over_time == "same"', "False")
@kills("audit.count_tables.release_doubts._sums_of_labels", "(most >= low)", "(least >= low)")
@kills("audit.count_tables.release_doubts._sums_of_labels", "(least <= high)", "(most <= high)")
@pytest.mark.many
@pytest.mark.parametrize("base", [1, 5])
@pytest.mark.parametrize("form", ["one table", "two tables", "releases"])
@pytest.mark.parametrize(
    ("rule", "is_sum", "asked"),
    [("", True, True), ('totals.period = ""\n', True, True), ('categories.period = "periods.csv"\n', True, False),
     ("", False, False)],
    ids=["nothing said", "no total", "categories", "no sum"],
)  # fmt: skip
def test_a_year_beside_the_quarters_of_two_years_is_their_sum(form, rule, is_sum, asked, base, tmp_path):
    """It was tied to nothing, though it shows what one quarter hides: it is no total, and no sum of all others."""
    (tmp_path / "series.toml").write_text(with_a_year(tmp_path, form, rule, base, is_sum), encoding="utf-8")
    code, why, _ = verdict(tmp_path)
    said = '2023\\" of period is the sum of Q1 2023, Q2 2023, Q3 2023, Q4 2023 wherever'
    assert (code != 2, said in why) == (True, asked), why


def beside(column):
    return [(*row, text) for row, text in zip(NUMBERS, column, strict=True)]


ONE_HIDDEN = [("A", "f", "*"), *NUMBERS[1:]]
REMARKS = {
    "source": ["survey", "survey", "register"] * 2 + ["register"] * 3,
    "Quality": [*"ABCABCCCC"],
    "Veränderung zum Vorjahr": ["*", "+1", "+3", "-2", "0", "+4", "-1", "+1", "+2"],
    "+/- year": ["*", "+1", "+3", "-2", "0", "+4", "-1", "+1", "+2"],
    "year-on-year change": ["*", "1", "3", "-2", "0", "4", "-1", "1", "2"],
}


@kills("audit.count_tables.second_reading._largest_disclosing", "if follows:", "if False:")
@kills("audit.init.count_columns.remarks_of", "kept.remove(name)", "pass")
@kills("audit.init.count_columns.kinds_of", " and not any(map(_SIGNED.match, distinct))", "")
@pytest.mark.parametrize("name", REMARKS)
def test_a_remark_on_a_count_keeps_no_total_from_its_parts(name, tmp_path):
    """12 women of A are 27 less 15, although the total has another remark than the men."""
    rows = [(*row, text) for row, text in zip(ONE_HIDDEN, REMARKS[name], strict=True)]
    own = 'markers = { "*" = [1, 14] }\n'
    table = TABLE.replace('"sex"]', f'"sex", "{name}"]') + own
    code, why, _ = verdict(written(tmp_path / "by hand", rows, f"area,sex,n,{name}", table, "min_count = 15"))
    assert (code, f'"{name}\\" is only a remark' in why) == (3, True)
    folder = written(tmp_path / "by init", rows, f"area,sex,n,{name}")
    (folder / "series.toml").unlink()
    keys = tomllib.loads(drafted(folder))["unconfirmed"]["keys"]
    assert ("table.dimensions" in keys) == ("ear" not in name and "ahr" not in name)
    confirm(folder)
    code, _, found = verdict(folder, "--policy", "min_count=15")
    assert (code, [(each["lower"], each["upper"]) for each in found][:1]) == (1, [(12, 12)])


@pytest.mark.parametrize("name", REMARKS)
def test_a_remark_beside_numbers_from_which_nothing_follows_is_not_asked_about(name, tmp_path):
    rows = [(*row, text) for row, text in zip(NUMBERS, REMARKS[name], strict=True)]
    table = TABLE.replace('"sex"]', f'"sex", "{name}"]')
    assert verdict(written(tmp_path, rows, f"area,sex,n,{name}", table))[:2] == (0, "[]")


def test_a_label_that_the_others_do_not_determine_is_no_remark(tmp_path):
    rows = [(*row, source, n) for *row, n in NUMBERS for source in ("register", "survey")]
    table = TABLE.replace('"sex"]', '"sex", "source"]')
    assert verdict(written(tmp_path, rows, "area,sex,source,n", table))[:2] == (0, "[]")


AREAS = 'dimensions = ["area", "sex"]\nvalue = "n"\ntotals = { sex = "All" }\n'


@kills("audit.count_tables.label_doubts._without_counterparts", "(labels - others, others - labels)", "()")
@kills("audit.count_tables.label_doubts._named_twice", "1 < shared > min(map(len, labels)) / 2", "False")
@kills("audit.count_tables.label_doubts._named_twice", "and not differ", "")
@pytest.mark.parametrize(
    ("header", "names", "times", "code"),
    [
        ("area,kind,n", {}, 1, 1),  # 247 of B less 220 and 24
        ("place,kind,n", {}, 1, 3),
        ("place,kind,n", {"A": "a"}, 1, 3),
        ("place,kind,n", {}, 2, 0),  # other counts: another dimension
        ("place,kind,n", {"A": "X", "B": "Y"}, 1, 0),
        ("area,kind,n", {"B": "Borough of Dover", "C": "Swale"}, 1, 3),
        ("area,kind,n", {"B": "E07000108", "C": "E07000113"}, 1, 3),
    ],
)
def test_two_tables_of_one_release_have_one_name_for_what_they_count(header, names, times, code, tmp_path):
    tables = [
        (
            "area,group,n",
            {"A": "120 14 21 155", "B": "220 24 c x", "C": "320 34 x x"},
            ["w", "as", "bl", "All"],
        ),
        (header, {"A": "100 55 155", "B": "140 107 247", "C": "200 160 360"}, ["first", "second", "All"]),
    ]
    files = {}
    for at, (head, counts, kinds) in enumerate(tables):
        lines = [
            f"{names.get(area, area) if at else area},{kind},{int(text) * times if at else text}"
            for area, texts in counts.items()
            for kind, text in zip(kinds, texts.split(), strict=True)
        ]
        files[f"{at}.csv"] = [head, *lines]
    own = [name for name in dict.fromkeys(f"area,group,{header}".split(",")) if name != "n"]
    totals = ", ".join(f'{name} = "All"' for name in own if name != "area" or "area" not in header)
    table = f'dimensions = {json.dumps(own)}\nvalue = "n"\ntotals = {{ {totals} }}\n'
    write_tables(tmp_path, files, table + "markers = { c = [1, 4], x = [0, inf] }", series=BOTH)
    assert asks(tmp_path, "may be one ") == code


BOTH = 'releases = [{ tag = "1", tables = ["0.csv", "1.csv"] }]'
BY_AREA, BY_SEX = [("A", "27"), ("B", "52"), ("All", "79")], ["A,f,*", "A,m,15", "B,f,22", "B,m,30"]


@kills("audit.count_tables.second_reading._unsummed", " and not total.any()", "")
@kills("audit.count_tables.second_reading._largest_disclosing", "range(len(each), 0, -1)", "range(1, 0, -1)")
@kills("audit.count_tables.second_reading.SecondReading.discloses_more", " - _found(self.first, names)", "")
@pytest.mark.parametrize(
    ("texts", "areas", "more", "codes"),
    [
        ([("hospital care", "HC")], BY_AREA, "", (3, 1)),
        ([("hospital care", "HC"), ("register", "survey")], BY_AREA, "", (3, 1)),
        ([("All", "HC")], BY_AREA, 'open = ["c0"]\n', (3, 1)),
        ([("hospital care", "HC")], BY_AREA, 'open = ["c0"]\n', (0, 1)),
        ([("hospital care", "HC")], [BY_AREA[0], ("B", "53"), ("All", "80")], "", (0, 2)),
        ([("hospital care", "HC"), ("register", "survey")], [("B", "53")], "", (0, 2)),
        ([("hospital care", "HC")], BY_AREA[1:2], "", (0, 0)),
        ([("hospital care", "HC")], [BY_AREA[1], ("C", "3")], "", (1, 1)),
    ],
)
def test_a_column_that_parts_two_tables_is_asked_about_where_it_matters(texts, areas, more, codes, tmp_path):
    """12 women of A are 27 less 15 if both tables count the same people; their numbers may say that they do not."""
    own = [f"c{place}" for place in range(len(texts))]
    first, second = (",".join(each) for each in zip(*texts, strict=True))
    tables = {
        "0.csv": [*map(",".join, [(*own, "area,n"), *((first, *row) for row in areas)])],
        "1.csv": [*map(",".join, [(*own, "area,sex,n"), *((second, row) for row in BY_SEX)])],
    }
    table = (
        'value = "n"\ndimensions = {}\ntotals = {{ area = "All", sex = "All"{} }}\nmarkers = {{ "*" = [1, inf] }}\n{}'
    )
    with_ = table.format(json.dumps([*own, "area", "sex"]), ', c0 = "All"' * ("All" in first), more)
    for each, code in zip((with_, table.format('["area", "sex"]', "", "")), codes, strict=True):
        assert asks(write_tables(tmp_path, tables, each, series=BOTH), "is only a remark") == code


@kills("audit.count_tables.second_reading._unsummed", "is_parted and ", "False and ")
@pytest.mark.parametrize("one_day", [("2024-12-31", "31/12/2024"), ("2024", "2024-T4")])
def test_tables_with_one_period_each_are_asked_about_where_it_matters(one_day, tmp_path):
    """As releases of other people they would have nothing in common; A has 27 people, of whom 15 are men."""
    first, second = one_day
    tables = {
        "0.csv": ["day,area,n", *(",".join((first, *row)) for row in BY_AREA)],
        "1.csv": ["day,area,sex,n", *(f"{second},{row}" for row in BY_SEX)],
    }
    table = TABLE + 'markers = { "*" = [1, inf] }\nnot_counts = ["day"]'
    for series, code in ((BOTH + '\nreleases_by = "day"', 3), (BOTH, 1), ("", 0)):
        assert asks(write_tables(tmp_path, tables, table, series=series), "delete releases_by") == code


def by_area(folder, numbers, table, series=""):
    """Write releases of a number for each area, by their names."""
    tables = {
        f"{tag}.csv": ["area,n", *(f"{area},{n}" for area, n in zip("ABCDEF", texts.split(","), strict=False))]
        for tag, texts in numbers.items()
    }
    return write_tables(folder, tables, 'dimensions = ["area"]\nvalue = "n"\n' + table, series=series)


YEAR = {"2024": "34,48,27,67", "2024-Q1": "12,*,5,15", "2024-Q2": "9,14,6,16", "2024-Q3": "13,34,16,36"}
DIFFERS = {**YEAR, "2024": "34,48,27,66"}


@pytest.mark.parametrize(
    ("series", "code"),
    [
        (YEAR, 3),
        ({"2023": "50,40,30,20", **YEAR}, 3),
        ({f"{at}": numbers for at, numbers in enumerate(YEAR.values())}, 3),
        ({f"{at}": numbers[:5] for at, numbers in enumerate(YEAR.values())}, 3),
        ({tag: numbers.split(",")[1] for tag, numbers in YEAR.items()}, 3),
        ({f"{at}": numbers.split(",")[1] for at, numbers in enumerate(YEAR.values())}, 0),
        ({"1": "20,30", "10": "*,35", "11": "25,*"}, 0),
        (DIFFERS, 0),
        ({**YEAR, "2024-Q1": "12,0,5,15"}, 0),
    ],
    ids=[
        *("a year", "another year", "any names", "one line", "names alone", "neither", "more than the whole", "no sum"),
        "nothing hidden",
    ],
)
def test_a_release_that_is_the_sum_of_others_counts_the_same_people(series, code, tmp_path):
    """B in the first quarter is hidden, but 48 - 14 - 34 = 0."""
    assert (
        asks(by_area(tmp_path, series, 'totals = { area = "" }\nmarkers = { "*" = [0, 4] }'), "is the sum of others")
        == code
    )


PERIODS = {"2023": "534,711,280,967", "2023-Q1": "112,*,65,215", "2024-Q1": "139,164,76,236"}


@kills("audit.count_tables.release_doubts._add_up_alike", " and _is_evidence(rare, tried * comb(many, differ))", "")
@pytest.mark.parametrize(
    ("series", "more", "code"),
    [
        ({**PERIODS, "2023-24": "561,749,291,988"}, "", 3),
        ({**PERIODS, "0": "9,9,9,9", "2023-24": "561,749,291,988"}, "", 3),
        ({**PERIODS, "2023-24": "561,749,291,989"}, "", 0),
        ({**PERIODS, "2023-24": "561,749,291,988"}, "stock = true\n", 0),
        ({"1": "30,40,*", "2": "25,44,9", "3": "21,39,9", "4": "26,35,9"}, "", 0),
    ],
    ids=["a financial year", "another release", "other people", "a stock", "by chance"],
)
def test_periods_that_overlap_count_partly_the_same_people(series, more, code, tmp_path):
    """B in the first quarter of 2023 is hidden, but 711 + 164 - 749 = 126."""
    found, out = printed(str(by_area(tmp_path, series, f'totals.area = ""\n{more}markers = {{ "*" = [0, 4] }}')))
    assert (found, "add up to the same numbers" in out) == (code, code == 3), out


ROLLING = {
    f"12 months to {month} 2024": some for month, some in (("Mar", "50,0,9"), ("Jun", "60,*,7"), ("Sep", "70,0,8"))
}


@kills("audit.count_tables.total_release.as_years", "end - _YEAR + step", "end - step", case="[exactly 0-series1]")
@pytest.mark.parametrize(
    ("found", "series"),
    [
        ("exactly 126", PERIODS | {"2023-24": "561,749,291,988"}),
        ("exactly 0", ROLLING),
        ("exactly 0", {f"año móvil 2023-T{at}": some for at, some in enumerate(ROLLING.values(), 1)}),
    ],
)
def test_periods_that_overlap_are_judged_as_the_question_says(found, series, tmp_path):
    """Each table gets a column with the name of its release, and the labels of two periods share an atom.

    Nobody is counted from March to March and from September to September, nor in the quarter between.
    """
    folder = by_area(tmp_path, series, 'totals.area = ""\nmarkers = { "*" = [0, 200] }')
    code, out, _ = run_main(str(folder))
    assert (code, "release 12 months to Jun 2024: exactly" in out) == (3, False)
    pasted(folder, out)
    for path in folder.glob("*.csv"):
        header, *rows = path.read_text("utf-8").splitlines()
        path.write_text("\n".join([f"release,{header}", *(f"{path.stem},{row}" for row in rows), ""]), "utf-8")
    lines = re.findall(r'"([^"]*)"', " ".join(out.partition("the lines ")[2].partition("published cells")[0].split()))
    (folder / "categories").mkdir()
    (folder / "categories" / "periods.csv").write_text("\n".join(lines), "utf-8")
    assert "2023" in series or len(lines) == 1 + 4 * len(series), lines  # a year has four quarters
    code, out = printed(str(folder))
    assert (code, f"{found} (published as *)" in out) == (1, True), out


@pytest.mark.parametrize(
    ("first", "last"), [("year ending March 2023", "year ending March 2024"), ("2024-03", "2024-06")]
)
def test_years_that_do_not_overlap_or_are_not_named_are_not_asked_about(first, last, tmp_path):
    series = dict(zip((first, last), ("50,0,9", "60,*,7"), strict=True))
    assert (
        "years that overlap"
        not in run_main(str(by_area(tmp_path, series, 'totals.area = ""\nmarkers = { "*" = [0, 200] }')))[1]
    )


@kills("audit.count_tables.release_doubts.only_grow", "not (steps < 0).any() and ", "")
@pytest.mark.parametrize(("last", "says"), [(300, True), (199, False)], ids=["to date", "other people"])
def test_init_says_where_no_number_falls_from_one_release_to_the_next(last, says, tmp_path):
    for at, most in enumerate((100, 200, last)):
        rows = [f"{area},{most + 7 * number}" for number, area in enumerate("ABCDEFGHIJKLMNOPQRSTU")]
        (tmp_path / f"Q1-Q{at + 1}.csv").write_text("\n".join(["area,cases", *rows, "V,*", ""]), "utf-8")
    assert ("No number falls from one release to the next" in printed("init", str(tmp_path))[1]) == says


def test_what_is_wrong_with_cells_is_a_french_sentence(tmp_path):
    table = 'dimensions = ["area"]\nvalue = "n"\ntotals.area = "Tout"\nover_time = "same"'
    for labels, first, wrong in (
        ("Cote Est TOUT", 30, "« TOUT » et le total « Tout » ne diffèrent que"),
        ("COTE Est Tout", 30, "« COTE » et « Cote » dans 1.csv ne diffèrent que"),
        ("Cote Est Tout", 31, "« 31 » vaut 31\u00a0: aucun effectif"),
    ):
        tables = {
            f"{name}.csv": ["area,n", *(f"{label},{n}" for label, n in zip(own.split(), (n, 12, 42), strict=True))]
            for name, own, n in (("1", "Cote Est Tout", 30), ("2", labels, first))
        }
        code, _, err = run_main(str(write_tables(tmp_path, tables, table)), "--language", "fr")
        assert (code, wrong.replace("« ", "«\u00a0").replace(" »", "\u00a0»") in err) == (2, True), err


def test_a_year_whose_column_names_the_period_is_the_total_of_its_quarters(tmp_path):
    """What is written as advised finds that B in the first quarter is 48 - 14 - 34 = 0."""
    year, *quarters = YEAR
    for tag, numbers in YEAR.items():
        rows = (f"{area},{tag[-2:]},{n}\n" for area, n in zip("ABCD", numbers.split(","), strict=True))
        (tmp_path / f"{tag}.csv").write_text("area,period,n\n" + "".join(rows), encoding="utf-8")
    head = '[series]\nkind = "tables"\nreleases = [{releases}]\n[table]\ndimensions = ["area", "period"]\nvalue = "n"\n'
    head += 'totals.area = ""\nmarkers = {{ "*" = [0, 4] }}\n{more}\n[policy]\nmin_count = 5\n'
    files, candidate = ", ".join(f'"{tag}.csv"' for tag in quarters), str(tmp_path / f"{year}.csv")

    def judged(releases, more, file=candidate):
        (tmp_path / "series.toml").write_text(head.format(releases=releases, more=more), encoding="utf-8")
        return run_main("next", str(tmp_path), file)

    whole = f'{{ tag = "{quarters[0]}-{quarters[-1]}", tables = [{files}] }}'
    code, out, _ = judged(files, 'totals.period = ""')
    same, total = 'over_time = "same"', 'totals."period" = "24"'
    assert (code, f"releases = [{whole}]" in out) == (3, True), out
    code, out, _ = judged(whole, f"{same}\n{total}")
    assert (code, "exactly 0" in out) == (1, True), out
    listed = f'{{ tag = "all", tables = [{files}, "{year}.csv"] }}'
    code, out, err = judged(listed, total)
    assert (code, out, 'this file is in release "all" of the series already' in err) == (2, "", True)
    (tmp_path / "new").mkdir()
    copy = shutil.copy(candidate, tmp_path / "new")
    code, out, _ = judged(listed, f"{same}\n{total}", copy)
    assert (code, "the candidate adds nothing" in out, "SHA-256" in out) == (1, True, True), out


@pytest.mark.parametrize(
    ("other", "code"),
    [("*,214,160,783", 3), ("*,214,*,783", 3), ("*,215,161,783,50,60", 0), ("*,*,160,*", 0), ("*,0,0,0", 0)],
    ids=["same", "two", "two differ", "one alike", "zeros"],
)
def test_a_release_with_the_numbers_of_another_counts_the_same_people(other, code, tmp_path):
    numbers = {"2022": "409,214,160,783", "2022 new": other, "2023": "66,98,52,216"}
    table = 'totals = { area = "" }\nmarkers = { "*" = [0, inf] }\nopen = ["area"]'
    assert asks(by_area(tmp_path, numbers, table), '{ tag = "2022", tables = ["2022.csv", "2022 new.csv"] }') == code


def edition_series(folder, releases, tables):
    """Return the exit status of an audit of tables by area, and what it says."""
    files = {
        f"{name}.csv": ["area,n", *(f"{area},{n}" for area, n in own.items()), f"All,{total}"]
        for name, (own, total) in tables.items()
    }
    table = 'dimensions = ["area"]\nvalue = "n"\ntotals.area = "All"\nmarkers.c = [1, inf]'
    return printed(str(write_tables(folder, files, table, series=f"releases = {releases}")))


def test_a_corrected_edition_is_audited_beside_the_first_one(tmp_path):
    """Each edition hides A, and another area to protect it; both together disclose that A is 4."""
    same = {name: f"{100 + at}" for at, name in enumerate("EFGHIJKL")}
    tables = {
        "2023": ({area: f"{66 + 9 * at}" for at, area in enumerate("ABCDEFGHIJKL")}, 1386),
        "2024": ({"A": "c", "B": "c", "C": "160", "D": "783", **same}, 1989),
        "2024 new": ({"A": "c", "B": "214", "C": "c", "D": "783", **same, "E": "102"}, 1991),
    }
    code, out = edition_series(tmp_path / "all", '["2023.csv", "2024.csv", "2024 new.csv"]', tables)
    whole = '{ tag = "2024", tables = ["2024.csv", "2024 new.csv"] }'
    assert (code, "have the same numbers but for 2, as editions do" in out, whole in out) == (3, True, True), out
    assert 'over_time = "same"' not in out
    for name in ("2024", "2024 new"):
        alone = {each: own for each, own in tables.items() if each in ("2023", name)}
        assert edition_series(tmp_path / name, f'["2023.csv", "{name}.csv"]', alone)[0] == 0
    copies = {**tables, "2024": ({**tables["2024"][0], "E": "102"}, 1991)}
    assert edition_series(tmp_path / "copies", f'["2023.csv", {whole}]', copies)[0] == 1
    code, out = edition_series(tmp_path / "uncorrected", f'["2023.csv", {whole}]', tables)
    assert code == 2
    assert (
        "if these are two editions of one table, or count other people each, audit each in a folder of its own" in out
    )


def test_two_files_with_one_tag_may_be_one_release(tmp_path):
    tables = {name: ["area,n", "A,10"] for name in ("2022.csv", "2022/2022.csv")}
    write_tables(tmp_path, tables, 'dimensions = ["area"]\nvalue = "n"')
    assert 'write { tag = "2024", tables = ["a.csv", "b.csv"] } for both' in refused(str(tmp_path))


@kills("audit.count_tables.second_reading.may_lack_zeros", "_may_be_zero(counts).any() or ", "")
@kills("audit.count_tables.second_reading._with_zeros", "upper=high[blank]", "upper=counts.upper[blank]")
@pytest.mark.parametrize("blank", [True, False])
@pytest.mark.parametrize(("said", "code"), [("", 3), ('absent = "zero"\n', 1), ('absent = "unknown"\n', 0)])
def test_a_rounded_table_without_zeros_is_asked_about_where_it_matters(blank, said, code, tmp_path):
    """At most 2 women and 2 men are rounded to 0, and at least 3 people to 5: 3 or 4, if the zeros are left out."""
    rows = [("A", "f", ""), ("A", "m", ""), ("A", "All", "5"), ("B", "f", "20"), ("B", "m", "30"), ("B", "All", "50")]
    rows = [row for row in rows if blank or row[2]]
    table = 'dimensions = ["area", "sex"]\nvalue = "n"\ntotals = { sex = "All" }\n'
    table += 'rounding = { to = 5, how = "nearest" }\n' + said
    assert asks(written(tmp_path, rows, table=table), "blank or missing") == code


NOT_APPLICABLE = ["2022,A,f,14", "2022,A,m,c", "2022,A,d,c", "2022,A,x,z", "2022,A,All,22", "2022,B,f,9", "2022,B,x,z"]


@kills("audit.count_tables.second_reading._signs_disclose_more", "lower=0, upper=0", "lower=0, upper=UNBOUNDED")
@kills("audit.count_tables.second_reading._signs_disclose_more", "& (counts.release == release)", "")
@pytest.mark.parametrize(
    ("more", "said", "code"),
    [
        ([], 'not_published = ["z"]', 3),
        ([], "markers.z = [0, 0]", 1),
        ([], "markers.z = [0, inf]", 0),
        (["2022,C,f,8", "2022,C,m,9", "2022,C,d,9", "2022,C,x,z", "2022,C,All,37"], 'not_published = ["z"]', 0),
        (["2023,C,f,8", "2023,C,m,9", "2023,C,d,9", "2023,C,x,z", "2023,C,All,37"], 'not_published = ["z"]', 3),
        (["2022,C,f,8", "2022,C,m,9", "2022,C,d,9", "2022,C,x,y", "2022,C,All,37"], 'not_published = ["y", "z"]', 3),
    ],
    ids=["not said", "nobody", "hidden", "hidden in C", "hidden later", "another sign hides"],
)
def test_a_sign_for_no_count_is_asked_about_where_more_follows_if_it_is_0(more, said, code, tmp_path):
    """In A, 8 people have two signs for 1 to 4: each hides 4, if nobody is counted where the sign is z."""
    table = 'dimensions = ["area", "sex"]\nvalue = "n"\ntotals.sex = "All"\ntotals.area = ""\nmarkers.c = [1, 4]\n'
    tables = {"1.csv": ["year,area,sex,n", *NOT_APPLICABLE, *more]}
    series = 'releases = ["1.csv"]\nreleases_by = "year"'
    write_tables(tmp_path, tables, f"{table}{said}", series=series)
    assert asks(tmp_path, '"z" in place of counts may stand for 0') == code
    assert '"y" in place' not in printed(str(tmp_path))[1]


@kills("audit.count_tables.second_reading._disclosing", "and more(possible)", "and False")
def test_signs_for_no_count_are_read_as_zeros_together_where_others_hide_counts(tmp_path):
    """Only if both w and z are 0, the two signs in A hide 4 people each; y hides 11."""
    rows = [
        "A,f,14",
        "A,m,c",
        "A,d,c",
        "A,x,w",
        "A,y,z",
        "A,All,22",
        "B,f,8",
        "B,m,9",
        "B,d,9",
        "B,x,9",
        "B,y,y",
        "B,All,46",
    ]
    table = 'dimensions = ["area", "sex"]\nvalue = "n"\ntotals.sex = "All"\ntotals.area = ""\nmarkers.c = [1, 4]\n'
    folder = write_tables(tmp_path, {"1.csv": ["area,sex,n", *rows]}, f'{table}not_published = ["w", "y", "z"]')
    code, why, _ = verdict(folder)
    assert (code, [sign in why for sign in ('\\"w\\" in', '\\"y\\" in', '\\"z\\" in')]) == (3, [True, False, True])


BESIDE_TEXTS = {
    "rows": ("area,sex,n", ["A,f,*", "A,m,*", "A,All,73", *map(",".join, NUMBERS[3:6])], 'totals.sex = "All"\n'),
    "shown": ("area,sex,n", [*map(",".join, NUMBERS)], 'totals = { area = "All", sex = "All" }\n'),
    "areas": ("area,n", ["A,*", "B,*", "C,30"], 'totals.area = ""\n'),
    "sum": ("area,n", ["A,12", "B,18", "C,*", "D,*", "All,39"], 'totals.area = "All"\n'),
    "bars": ("area,n", ["A,*", "B,*", "C,41", "D,56", "All,110"], 'totals.area = "All"\n'),
    "columns": ("area,m,f,All", ["A,*,*,31", "B,*,*,44", "C,120,130,250", "All,160,165,325"],
                'totals = { area = "All", sex = "All" }\n'
                'wide = { dimension = "sex", columns = { m = "m", f = "f", All = "All" } }\n'),
}  # fmt: skip
"""Forms of a table that may hide counts; in columns or areas alone, each text is determined by its label."""


@kills("audit.count_tables.doubts._unread_remarks", "len(said) > 1 or ", "")
@kills("audit.count_tables.doubts._repeats", "many < len(texts) or ", "False or ")
@kills("audit.count_tables.doubts._unread_remarks", "not all(each)", "not any(each)")
@kills("audit.count_tables.doubts._repeats", "len({*texts}) == len(texts) and ", "")
@kills("audit.count_tables.doubts._has_number", "in_words or ", "")
@kills("audit.count_tables.doubts._columns_of_numbers", "or len([*filter(_BAR.fullmatch, some)]) > 1", "")
@kills("audit.count_tables.doubts._are_numerals", "len(some) > 1 and all(", "len(some) > 1 and not all(")
@pytest.mark.parametrize(
    ("form", "remarks", "code"),
    [
        ("rows", ["1.4 per cent", "98.6 per cent", "", "30 per cent", "70 per cent", ""], 3),
        ("rows", ["1 in 73", "72 in 73", "", "3 in 10", "7 in 10", ""], 3),
        ("rows", ["doubled", "fewer", "", "fewer", "doubled", ""], 3),
        ("rows", ["very rare", "common", "", "rare", "common", ""], 3),
        ("rows", ["provisional", "provisional", "", "", "", ""], 0),
        ("rows", ["District 1"] * 3 + ["District 2"] * 3, 0),
        ("rows", ["down"] * 3 + ["up"] * 3, 3),
        ("rows", ["-"] * 3 + ["+"] * 3, 3),
        ("rows", ["↓", "↓", "", "", "", ""], 3),
        ("rows", ["", "", "", "↑", "", "↓"], 0),
        ("rows", ["-"] * 6, 0),
        ("shown", ["1.5", "2.5"] * 4 + ["3.5"], 3),
        *(("shown", [text, "", ""] * 3, 3) for text in ("-2", "34.5%", "<5")),
        ("shown", ["", "", "1-4"] * 3, 3),
        ("shown", ["27"] * 9, 3),
        ("areas", ["1 in 73", "3 in 10", "~4"], 3),
        ("areas", ["E01", "E-02", "E.3"], 0),
        ("areas", ["City of A", "City of B", "C"], 0),
        ("areas", [""] * 3, 0),
        ("areas", ["*"] * 3, 3),  # hidden everywhere; in some places only, it is a flag of these
        ("areas", ["*", "*", ""], 0),
        *(("sum", [*numerals.split(), ""], 3) for numerals in ("XII XVIII IV V", "xii xviii iv v")),
        *(("sum", [*numerals.split(), ""], 0) for numerals in ("I II III IV", "XII XIX IV V")),
        *(("bars", [*(sign * n for n in (6, 7, 41, 56)), ""], 3 * (sign != "x")) for sign in "\u2588|x"),
        ("bars", ["-----"] * 4 + [""], 0),
        ("columns", ["2 women", "", "", ""], 3),
        ("columns", ["two women; else men", "mostly men", "men and women", ""], 3),
        ("columns", ["fewer than three women", "", "", ""], 3),
        ("columns", ["mostly women", "", "", ""], 3),
        ("columns", ["mostly women", "mostly women", "", ""], 0),
        ("columns", ["9th", "2nd", "1st", ""], 3),
        ("columns", ["E01", "E02", "E03", ""], 0),
        ("columns", ["City of A", "City of B", "C", "England"], 0),
    ],
)
def test_a_text_beside_a_hidden_count_that_may_say_it_is_asked_about(form, remarks, code, tmp_path):
    """Roman numerals or bars look like codes, one for each area; each number beside a count may be one, too."""
    head, rows, totals = BESIDE_TEXTS[form]
    dimensions = ["area", "sex"] if "sex" in head else ["area"]
    table = f'dimensions = {json.dumps(dimensions)}\n{totals}markers."*" = [0, inf]\n' + 'value = "n"\n' * ("n" in head)
    lines = [f"{head},remark", *(f"{row},{text}" for row, text in zip(rows, remarks, strict=True))]
    assert asks(write_tables(tmp_path, {"1.csv": lines}, table), '"remark"') == code
    assert verdict(write_tables(tmp_path, {"1.csv": lines}, f'{table}not_counts = ["remark"]'))[:2] == (0, "[]")


@pytest.mark.parametrize(("marker", "signs"), [("", None), ("markers = { c = [0, inf] }\n", {"c"})])
def test_where_an_empty_cell_is_zero_no_cell_is_emptied(marker, signs, tmp_path):
    rows = [("A", "f", "0"), ("A", "m", "0"), ("A", "All", "5"), ("B", "f", "20"), ("B", "m", "30"), ("B", "All", "50")]
    table = 'dimensions = ["area", "sex"]\nvalue = "n"\ntotals = { sex = "All" }\nabsent = "zero"\n'
    table += 'rounding = { to = 5, how = "nearest" }\n'
    folder = written(tmp_path / "series", rows[3:], table=table + marker)
    (tmp_path / "2.csv").write_text("\n".join(["area,sex,n", *map(",".join, rows)]) + "\n", encoding="utf-8")
    hide = json.loads(run_main("next", str(folder), str(tmp_path / "2.csv"), "--format", "json")[1])["cells"]["hide"]
    assert (hide and {each["sign"] for each in hide}) == signs


def respelled(folder, rows, names, table=AREAS + 'over_time = "same"\n'):
    """A second table of the same people beside the first, in which the areas have other names."""
    written(folder, rows, table=table, releases=2)
    again = [",".join((names.get(area, area), *rest)) for area, *rest in rows]
    (folder / "releases/2.csv").write_text("\n".join(["area,sex,n", *again]) + "\n", encoding="utf-8")
    return folder


NAMES = {"A": "Aberdeen", "B": "Bath"}


@kills("audit.count_tables.label_doubts._other_labels", "for group in nearly_respelled(number)", "for group in ()")
@kills(
    "audit.count_tables.label_doubts._other_labels",
    "pair = _without_counterparts",
    "pair = [] and _without_counterparts",
)
@kills("audit.io.notations.skeleton", ".translate(_LOOK_ALIKE)", "")
@kills("audit.io.notations.fold", '!= "Cf"', '!= ""')
@pytest.mark.parametrize(
    "names", [{"A": text} for text in ("A*", "[A]", "A\u00ad", "\u0410", "2 A", "#A", "a")] + [NAMES]
)
def test_labels_that_may_be_one_are_asked_about(names, tmp_path):
    """Those that differ in spelling alone also where tables need not have all labels."""
    sames = AREAS + 'over_time = "same"\n'
    for table in [sames] if names is NAMES else [sames, sames + 'open = ["area"]\n']:
        code, out, err = run_main(str(respelled(tmp_path, NUMBERS[:6], names, table)))
        assert code in (2, 3)
        assert "its spelling alone" in err or "may be one label, or overlap; write them alike" in " ".join(out.split())


@pytest.mark.parametrize(
    ("labels", "code"), [("M14* M143", 3), ("E0* E01", 3), ("M1* M14*", 3), ("M14* M15", 0), ("N* North", 0)]
)
def test_a_mask_of_codes_beside_a_code_that_it_may_cover_is_asked_about(labels, code, tmp_path):
    """It is no label like any other: what it counts may be in the other one, too."""
    rows = [(area, sex, n) for area in labels.split() for sex, n in (("f", "20"), ("m", "30"), ("All", "50"))]
    found, out, _ = run_main(str(written(tmp_path, rows, table=AREAS)))
    assert (found, "may be one label, or overlap" in " ".join(out.split())) == (code, code == 3)


WORDS = ("A areas", "A (provisional)", "A (confirmed)", "A area district")


@kills("audit.count_tables.label_doubts._with_other_words", "_have_like_words(labels[one], labels[other])", "False")
@pytest.mark.many
@pytest.mark.parametrize("name", WORDS)
@pytest.mark.parametrize("sexes", ["m", "f", "mfT"])
def test_a_label_with_another_word_in_some_rows_is_asked_about(name, sexes, tmp_path):
    """It would be another label, and tie nothing; beside it stand the same labels as beside the first."""
    sames = AREAS + 'over_time = "same"\n'
    rows = [("A area" if area == "A" else area, *rest) for area, *rest in NUMBERS[:6]]
    name = name.replace("A", "A area").replace("A area area", "A area")
    folder = respelled(tmp_path, rows, {}, sames)
    assert run_main(str(folder))[0] == 0
    again = [",".join((name if area == "A area" and sex in sexes else area, sex, n)) for area, sex, n in rows]
    (folder / "releases/2.csv").write_text("\n".join(["area,sex,n", *again]) + "\n", encoding="utf-8")
    code, out, _ = run_main(str(folder))
    assert (code, "may be one label, or overlap" in " ".join(out.split())) == (3, True)
    edit(folder / "series.toml", sames, sames + 'open = ["area"]\n')
    assert run_main(str(folder))[0] == 0


@kills("audit.count_tables.label_doubts._with_other_words", "marks[other] = marks[one]", "pass")
def test_several_labels_with_other_words_in_one_table_are_asked_about(tmp_path):
    """Two of three areas have another word beside the men; the third is what all lines have."""
    rows = [(f"{area} area", sex, n) for area in "ABC" for sex, n in (("f", "20"), ("m", "30"), ("All", "50"))]
    names = {"A area": "A area (provisional)", "B area": "B area (confirmed)"}
    folder = respelled(tmp_path / "other", rows, {})
    again = [",".join((names.get(area, area) if sex == "m" else area, sex, n)) for area, sex, n in rows]
    (folder / "releases/1.csv").write_text("\n".join(["area,sex,n", *again]) + "\n", encoding="utf-8")
    code, out, _ = run_main(str(folder))
    assert (code, "may be one label, or overlap" in " ".join(out.split())) == (3, True)
    assert run_main(str(respelled(tmp_path / "same", rows, {})))[0] == 0


@kills("audit.count_tables.label_doubts._missed_totals", "totals_by_sums(lines, 1)", "[]")
@kills("audit.count_tables.label_doubts._missed_totals", "is_total_word(label)", "False")
@pytest.mark.parametrize("name", ["Insg.", "Persons", "_T", "M+F", "合計", "All 1)", "all"])
@pytest.mark.parametrize("areas", ["A", "AB"])
def test_a_total_with_another_name_is_asked_about(name, areas, tmp_path):
    """In some rows, or in all; it would be one more label, and nothing would follow from its sums."""
    rows = [(area, name if sex == "All" and area in areas else sex, n) for area, sex, n in NUMBERS[:6]]
    code, out, err = run_main(str(written(tmp_path, rows, table=AREAS + 'open = ["area"]\n')))
    assert code in (2, 3)
    assert "may be the total" in out or "may be one label" in " ".join(out.split()) or "its spelling alone" in err
    if name in ("Insg.", "Persons", "_T"):  # also where no sum shows it
        hidden = [(area, sex, "*" if sex == "m" else n) for area, sex, n in rows]
        table = AREAS + 'open = ["area"]\nmarkers = { "*" = [0, inf] }\n'
        code, out, _ = run_main(str(written(tmp_path, hidden, table=table)))
        assert (code, "may be the total" in out) == (3, True)


@kills("audit.count_tables.label_doubts._atoms_alike", "{one, other} <= {*some}", "False")
@pytest.mark.parametrize(
    ("atom", "more", "code"),
    [
        ("a2", "", 0),
        ("a2†", "", 3),
        ("a2 (1)", "", 3),
        ("A2", "", 3),
        ("2 a2", "", 3),
        ("a2†", "\nboth,a2\nboth,a2†", 0),
    ],
)
def test_atoms_that_may_be_one_are_asked_about(atom, more, code, tmp_path):
    table = TABLE + 'categories = { area = "areas.csv" }\nopen = ["area"]\n'
    everybody = [("All", "f", "60"), ("All", "m", "80"), ("All", "All", "140")]
    folder = written(tmp_path, [*NUMBERS[:6], *everybody], table=table)
    (folder / "areas.csv").write_text(f"label,atom\nA,a1\nA,a2\nB,{atom}\nB,b\nB,c{more}\n", encoding="utf-8")
    assert verdict(folder)[0] == code


def test_a_dimension_of_unknown_labels_is_refused(tmp_path):
    folder = written(tmp_path, NUMBERS[:6], table=AREAS + 'categories = { area = "areas.csv" }')
    (folder / "areas.csv").write_text("label,atom\nNorth,a\nSouth,b\n", encoding="utf-8")
    assert 'the label "A" is in no line of the categories' in refused(str(folder))
    (folder / "areas.csv").write_text("label,atom\nà,a\nB,b\n", encoding="utf-8")
    assert '"A" differs from "à" in the categories by its spelling alone' in refused(str(folder))


@kills("audit.count_tables.label_doubts._stand_together", "< len(both)", "< 0")
@kills(
    "audit.count_tables.label_doubts._without_counterparts",
    "several = min(len(labels), len(others)) > 1",
    "several = True",
)
def test_labels_of_other_people_are_others(tmp_path):
    assert run_main(str(respelled(tmp_path / "alike", NUMBERS[:6], {})))[0] == 0
    same = AREAS + 'over_time = "same"\n'
    assert run_main(str(respelled(tmp_path / "open", NUMBERS[:6], NAMES, same + 'open = ["area"]\n')))[0] == 0
    assert run_main(str(respelled(tmp_path / "independent", NUMBERS[:6], NAMES, AREAS)))[0] == 0
    assert run_main(str(respelled(tmp_path / "areas", NUMBERS[:3], NAMES)))[0] == 0
    second = respelled(tmp_path / "second", NUMBERS[:3], NAMES) / "releases/2.csv"
    more = "".join(f"Bath,{sex},{n}\n" for _, sex, n in NUMBERS[:3])
    second.write_text(second.read_text(encoding="utf-8") + more, encoding="utf-8")
    assert run_main(str(second.parents[1]))[0] == 0
    both = [*NUMBERS[:6], *(("1 A", *row[1:]) for row in NUMBERS[:3])]
    assert run_main(str(respelled(tmp_path / "beside", both, {})))[0] == 0


@kills("audit.count_tables.label_doubts._of_others", "first.isdisjoint(second)", "False")
@kills("audit.count_tables.label_doubts._of_others", "min(labels) >= 0 and first.isdisjoint(second)", "True")
@pytest.mark.parametrize(
    ("regions", "expected"), [(("North", "South"), 0), (("North", "North"), 3), (("", "South"), 3)]
)
def test_districts_of_two_regions_are_others(regions, expected, tmp_path):
    """One table for each region: a district of one region is not in the other, unless one table covers all regions."""
    own = 'dimensions = ["region", "district"]\nvalue = "n"\ntotals = { region = "" }\n'
    rows = [(regions[0], "Leeds", "20"), (regions[0], "York", "30")]
    header = "region,district,n"
    table = own + 'over_time = "same"\n'
    if not regions[0]:
        rows, table = [("All", *row[1:]) for row in rows], table.replace('region = ""', 'region = "All"')
    written(tmp_path, rows, header, table, releases=2)
    second = [(regions[1], "Bath", "21"), (regions[1], "Truro", "29")]
    (tmp_path / "releases/2.csv").write_text("\n".join([header, *map(",".join, second)]) + "\n", encoding="utf-8")
    assert verdict(tmp_path)[0] == expected


def test_a_finding_stands_whatever_stands_beside_it(tmp_path):
    rows = beside(["1.5"] * 9)
    rows[0] = ("A", "f", "*", "1.5")
    table = TABLE + 'markers = { "*" = [1, 14] }'
    code, why, found = verdict(written(tmp_path, rows, "area,sex,n,rate", table))
    assert (code, [each["lower"] for each in found], why) == (1, [12], why)
    assert "rests_on" not in found[0]


def test_statistics_beside_the_counts_are_judged_or_named(tmp_path):
    rows = [(*row[:2], measure, text) for row in NUMBERS for measure, text in (("cases", row[2]), ("rate", "1.5"))]
    table = TABLE + 'measure = "measure"\nmeasures = ["cases"]'
    code, why, _ = verdict(written(tmp_path, rows, "area,sex,measure,n", table))
    assert code == 3
    assert '\\"rate\\"' in why
    declared = written(tmp_path, rows, "area,sex,measure,n", table + '\nnot_counts = ["rate"]')
    assert verdict(declared)[:2] == (0, "[]")


HIDDEN = [("A", "f", "*"), ("A", "m", "*"), ("A", "All", "20"), ("B", "f", "11"), ("B", "m", "20"), ("B", "All", "31")]
SEX = 'dimensions = ["area", "sex"]\nvalue = "n"\ntotals = { sex = "All" }\n'


def test_a_finding_that_needs_a_guessed_marker_is_shown_and_undecided(tmp_path):
    """Women 4 and men 16, both hidden by one sign: that both are 10 follows from the guess, not from the table."""
    table = SEX + 'markers = { "*" = [1, 10] }'
    code, why, found = verdict(written(tmp_path, HIDDEN, table=table, unconfirmed=["table.markers"]))
    assert code == 3
    assert "table.markers" in why
    assert [(each["lower"], each["rests_on"]) for each in found] == [(10, ["table.markers"])] * 2
    assert verdict(written(tmp_path, HIDDEN, table=table))[0] == 1
    assert verdict(written(tmp_path, HIDDEN, table=SEX + 'markers = { "*" = [0, inf] }'))[:2] == (0, "[]")


@kills(
    "audit.count_tables.count_findings.FindingBuilder.__init__",
    "over_time or counts.manifest.over_time",
    "counts.manifest.over_time",
)
def test_a_finding_that_needs_no_guess_is_one(tmp_path):
    rows = [("A", "f", "16"), ("A", "m", "*"), ("A", "All", "20"), *HIDDEN[3:]]
    table = SEX + 'markers = { "*" = [1, 10] }'
    table += '\nover_time = "same"\nrounding = { to = 1, how = "nearest" }'
    keys = ["table.markers", "policy.min_count", "table.over_time", "table.rounding"]
    code, _, found = verdict(written(tmp_path, rows, table=table, unconfirmed=keys))
    assert (code, [each["lower"] for each in found]) == (1, [4])
    assert "rests_on" not in found[0]


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("table.rounding", 'rounding = { to = 5, how = "nearest" }'),
        ("table.over_time", 'over_time = "same"'),
        ("table.threshold", "threshold = 6"),
        ("table.totals.sex", 'open = ["area"]'),
        ("policy.min_count", ""),
        ("table.dimensions", ""),
    ],
)
def test_a_guess_keeps_the_policy_from_holding(key, text, tmp_path):
    rows = [(*row[:2], str(int(row[2]) * 5)) for row in NUMBERS]
    code, why, _ = verdict(written(tmp_path, rows, table=TABLE + text, unconfirmed=[key]))
    assert code == 3
    assert key in why
    assert verdict(written(tmp_path, rows, table=TABLE + text))[:2] == (0, "[]")


def test_a_guessed_least_count_does_not_violate(tmp_path):
    rows = [("A", "f", "4"), ("A", "m", "16"), ("A", "All", "20"), *HIDDEN[3:]]
    code, why, found = verdict(written(tmp_path, rows, table=SEX, unconfirmed=["policy.min_count"]))
    assert code == 3
    assert "policy.min_count" in why
    assert found[0]["rests_on"] == ["policy.min_count"]
    assert verdict(tmp_path, "--policy", "min_count=5")[0] == 1


def test_a_total_that_was_not_named_is_seen_by_its_sums(tmp_path):
    rows = [(("Summe" if area == "All" else area), sex, text) for area, sex, text in NUMBERS if sex != "All"]
    rows += [("A", "x", "9"), ("B", "x", "8"), ("Summe", "x", "17")]
    table = 'dimensions = ["area", "sex"]\nvalue = "n"\n'
    code, why, _ = verdict(written(tmp_path, rows, table=table))
    assert code == 3
    assert "Summe" in why
    assert verdict(written(tmp_path, rows, table=table + 'totals = { area = "Summe" }'))[:2] == (0, "[]")
    rows[-1] = ("Summe", "x", "20")
    assert verdict(written(tmp_path, rows, table=table))[:2] == (0, "[]")  # it is no sum: a label like any other


@kills("audit.count_tables.published_texts.is_total_word", "_ALL_OF_A_KIND.fullmatch(_word(text)) is not None", "False")
@pytest.mark.parametrize(
    ("label", "code"),
    [
        ("All local authorities", 3),
        ("Alle Kreise", 3),
        ("Toutes les communes", 3),
        ("Todos los municipios", 3),
        ("All other areas", 0),
        ("All under 18", 0),
        ("Alle übrigen Kreise", 0),
    ],
)
def test_a_label_of_all_of_a_kind_sounds_like_a_total(label, code, tmp_path):
    """Of B, where the total of f is 9 more than A's, f is hidden: 2."""
    rows = [("A", "f", "9"), ("A", "m", "5"), ("B", "f", "*"), ("B", "m", "*"), (label, "f", "11"), (label, "m", "12")]
    table = 'dimensions = ["area", "sex"]\nvalue = "n"\nmarkers = { "*" = [0, inf] }\n'
    assert asks(written(tmp_path, rows, table=table), "sounds like a total") == code
    if code == 3:
        assert verdict(written(tmp_path, rows, table=table + f'totals = {{ area = "{label}" }}'))[0] == 1


QUARTERS = {"2024-Q1": ("112", "*", "35", "66"), "2024-Q2": ("59", "14", "46", "*"), "2024-Q3": ("*", "34", "16", "36")}


def quarters(folder, extra, totals="", table=""):
    """Quarters of two areas and two sexes, and one more release."""
    cells = ["A,f", "A,m", "B,f", "B,m"]
    tables = {
        f"{tag}.csv": ["area,sex,n", "C,f,2050", "C,m,3180", *map(",".join, zip(cells, numbers, strict=True))]
        for tag, numbers in QUARTERS.items()
    }
    tables["more.csv"] = ["area,sex,n", extra]
    own = f'dimensions = ["area", "sex"]\nvalue = "n"\ntotals = {{ area = "", sex = "{totals}" }}\n'
    own += f'markers = {{ "*" = [1, 7] }}\n{table}'
    return printed(str(write_tables(folder, tables, own, "min_count = 8")))


@pytest.mark.parametrize("inside", [True, False])
def test_the_lines_for_a_corrected_edition_name_it_from_the_folder_of_the_series(inside, tmp_path, monkeypatch):
    """They are for series.toml, wherever the officer stands; a draft elsewhere will lie in that folder."""
    folder = tmp_path / "series"
    quarters(folder, "A,f,31\nA,m,4\n")
    draft = (folder if inside else tmp_path) / "rev/corrected.csv"
    draft.parent.mkdir()
    first = (folder / "2024-Q1.csv").read_text(encoding="utf-8")
    draft.write_text(first.replace("B,m,", "B,m,1").replace("A,f,112", "A,f,*"), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    out = " ".join(run_main("next", "series", str(draft.relative_to(tmp_path)))[1].split())
    assert f'tables = ["2024-Q1.csv", "{"rev/" if inside else ""}corrected.csv"]' in out, out


@kills("audit.count_tables.second_reading._markers_disclose_more", "manifest.threshold_is_said or ", "")
@kills("audit.count_tables.second_reading._markers_disclose_more", "low <= 1 <= most", "low == 1")
@kills("audit.count_tables.second_reading._markers_disclose_more", "limit if said else 0", "0")
@pytest.mark.parametrize(
    ("more", "rounded", "marked", "code"),
    [
        ("", 5, "c", 3),
        ("threshold = 5\n", 5, "c", 1),
        ("threshold = 1\n", 5, "c", 0),
        ("", 10, "c", 0),
        ("", 5, "[0, 4]", 3),
        ("", 5, "[1, inf]", 3),
        ("", 10, "[1, inf]", 0),
        ("threshold = 1\n", 5, "[1, inf]", 0),
    ],
)
def test_whether_a_rounded_number_stands_for_a_small_count_is_asked(more, rounded, marked, code, tmp_path):
    """Of 6 girls and boys, a rounded 5 and a c are 5 and 1, if each count from 1 to 4 has the c."""
    ends = "[1, 4]" if marked == "c" else marked
    rules = f'rounding = {{ to = 5, how = "nearest" }}\nexact = ["totals"]\nover_time = "same"\n{more}'
    table = f'dimensions = ["area", "sex"]\nvalue = "n"\ntotals.sex = "T"\nmarkers.c = {ends}\n{rules}'
    total = 13 if rounded > 5 else {"c": 6, "[0, 4]": 5, "[1, inf]": 8}[marked]
    sexes = ["area,sex,n", f"A,f,{rounded}", "A,m,c", "B,f,40", "B,m,45"]
    tables = {"sexes.csv": sexes, "totals.csv": ["area,sex,n", f"A,T,{total}", "B,T,86"]}
    assert asks(write_tables(tmp_path, tables, table), "threshold = 5") == code


ROUNDED_YEAR = 'rounding = { to = 5, how = "nearest" }\nexact = ["2024-Q1", "2024-Q2", "2024-Q3"]\n'


@kills("audit.count_tables.release_doubts._is_sum", "many > _MOST *", "many >=")
@kills("audit.count_tables.release_doubts._is_sum", "if is_exact else not differ.any()", "or not is_exact")
@kills("audit.count_tables.release_doubts._is_sum", " / width", "")
@kills("audit.count_tables.release_doubts._ends", "(counts.number & (counts.upper < UNBOUNDED)) | ", "")
@pytest.mark.parametrize(
    ("year", "table", "code"),
    [
        ("C,f,6150\nC,m,9540\nA,f,174\nA,m,51\nB,f,98\nB,m,105\n", "", 3),
        ("C,f,6150\nC,m,9540\nA,f,160\nA,m,51\nB,f,97\nB,m,105\n", "", 3),
        ("C,f,6150\nC,m,9541\nA,f,174\nA,m,51\nB,f,98\nB,m,105\n", "", 0),
        ("C,f,6150\nC,m,9540\nA,f,175\nA,m,50\nB,f,95\nB,m,105\n", ROUNDED_YEAR, 3),
        ("C,f,6150\nC,m,9545\nA,f,175\nA,m,50\nB,f,95\nB,m,105\n", ROUNDED_YEAR, 0),
        ("C,f,6150\nA,f,200\nA,m,50\nB,f,100\n", ROUNDED_YEAR.replace("= 5", "= 50"), 0),
    ],
    ids=["corrected", "below its parts", "often corrected", "rounded", "rounded otherwise", "by chance"],
)
def test_a_year_that_was_corrected_or_rounded_is_the_sum_of_its_quarters(year, table, code, tmp_path):
    """In three lines the quarters are all shown: they add up to 6150, 9540 and 97; in A, f at least 171."""
    assert quarters(tmp_path, year, table=table)[0] == code
    if code:
        assert 'release "more" is the sum of others' in quarters(tmp_path, year, table=table)[1]


def written_quarter(path, column, text, numbers):
    """A messy table of a quarter or a year, whose small counts are an s, with a note below it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    kinds, areas = ("Épilepsie", "Diabète"), ("Ain", "Aube", "Var")
    counts = dict(zip(((area, kind) for kind in kinds for area in areas), numbers, strict=True))
    lines = [["Département", "Pathologie", "Effectif"]]
    for area in (*areas, "Ensemble"):
        for kind in (*kinds, "Total"):
            n = sum(n for (a, k), n in counts.items() if area in (a, "Ensemble") and kind in (k, "Total"))
            lines.append([area, kind, "s" if n <= 10 else str(n)])
    texts = [column, *[text] * (len(lines) - 1)]
    rows = [";".join([*([each] if column else []), *line]) for each, line in zip(texts, lines, strict=True)]
    path.write_text("\n".join([*rows, "", "s : secret statistique (1 à 10)", ""]), encoding="cp1252")


def manifest_lines(out):
    """The lines of a manifest that a report prints, each on a line of its own, as they can be pasted."""
    lines = dropwhile(lambda line: line not in ("[series]", "[table]"), map(str.strip, out.splitlines()))
    return "\n".join(takewhile(lambda line: line.startswith("[") or " = " in line, lines))


def pasted(folder, out):
    """Write what a report says into a manifest, in place of all lines of these keys."""
    manifest = folder / "series.toml"
    document = tomllib.loads(manifest.read_text(encoding="utf-8"))
    for table, values in tomllib.loads(manifest_lines(out)).items():
        document[table] |= values
    manifest.write_text(toml_document(document), encoding="utf-8")


def test_the_column_to_add_for_the_releases_has_a_name_of_its_own(tmp_path):
    quarters(tmp_path, "C,f,6150\nC,m,9540\nA,f,174\nA,m,51\nB,f,98\nB,m,105\n")
    for path in (*tmp_path.glob("*.csv"), tmp_path / "series.toml"):
        path.write_text(re.sub(r"\barea\b", "release", path.read_text(encoding="utf-8")), encoding="utf-8")
    _, out, _ = run_main(str(tmp_path))
    assert 'add a column "release 2"' in " ".join(out.split())


def test_the_year_of_corrected_quarters_is_judged_once_they_are_corrected(tmp_path):
    """The quarters as they were and the year contradict each other as one release: in B, f they add up to 97."""
    quarters(tmp_path, "C,f,6150\nC,m,9540\nA,f,174\nA,m,51\nB,f,98\nB,m,105\n")
    code, out, _ = run_main(str(tmp_path))
    assert (code, "in 1 line it is not, so a number was corrected" in " ".join(out.split())) == (3, True), out
    pasted(tmp_path, out)
    for tag in QUARTERS:
        head, *rows = (tmp_path / f"{tag}.csv").read_text(encoding="utf-8").splitlines()
        lines = [f"release,{head}", *(f"{tag},{row}" for row in rows), ""]
        (tmp_path / f"{tag}.csv").write_text("\n".join(lines), encoding="utf-8")
    assert '"98" stands for 98' in refused(str(tmp_path))
    first = tmp_path / "2024-Q1.csv"
    edit(first, "B,f,35", "B,f,36")
    assert run_main(str(tmp_path))[0] in (0, 1)


@pytest.mark.parametrize("form", ["markdown", "html"])
def test_each_line_of_a_manifest_stands_on_its_own_line(form, tmp_path):
    quarters(tmp_path, "C,f,6150\nC,m,9540\nA,f,174\nA,m,51\nB,f,98\nB,m,105\n")
    out = run_main(str(tmp_path), "--format", form)[1]
    assert (r"<br>\[table\]<br>" if form == "markdown" else "<br>[table]<br>") in out


@kills("audit.count_tables.total_release._begin_with", "== 2", "== 3")
@kills("audit.count_tables.total_release.beyond_total", "if not total or ", "if True or ")
@kills("audit.count_tables.total_release.beyond_total", "if new >= 0 and len", "if False and len")
@kills(
    "audit.count_tables.total_release.as_one_release", "manifest.releases_by is not None and len(parts) > 1", "False"
)
@kills("audit.count_tables.total_release._table", "column in manifest.not_counts", "False")
@pytest.mark.many
@pytest.mark.parametrize(
    ("column", "quarter", "year", "name"),
    [
        ("Période", "T{} 2023", "Année 2023", "releases/2023-T{}.csv"),
        ("Année;Trimestre", "2023;{}", "2023;Total", "2023-T{}/tableau.csv"),
        ("Trimestre", "2023-T{}", "2023", "releases/2023-T{}.csv"),
        ("", "", "", "2023-T{}/tableau.csv"),
        ("Période", "T{} 2023", "Année 2023", ""),
        ("Trimestre", "2023-T{}", "2023", ""),
        ("Trimestre", "{}", "Total", "more"),
    ],
    ids=["dimension", "folders", "no dimension", "no column", "one file", "releases_by", "beside another year"],
)
@pytest.mark.parametrize("further", [0, 30])
def test_the_year_of_quarters_is_judged_by_the_lines_that_are_printed(column, quarter, year, name, further, tmp_path):
    """They replace lines of the manifest that `audit init` wrote; the year shows what only one quarter hides."""
    folder, candidate, more = tmp_path / "series", tmp_path / "2023.csv", name == "more"
    name = "releases/2023-T{}.csv" if more else name
    files = {q: folder / name.format(q) if name else tmp_path / f"{q}.csv" for q in range(1, 5)}
    numbers = {q: [5 + q, 9, 20, 8, 4 + q, 30 + q] for q in files}
    for q in range(2, 5):
        numbers[q] = [n + further for n in numbers[q]]
    for q, path in files.items():
        written_quarter(path, column, quarter.format(q), numbers[q])
    if more:
        written_quarter(folder / "releases/2022-T1.csv", column, "1", [5, 8, 90, 9, 7, 31])
    if not name:
        tables = [path.read_text(encoding="cp1252").partition("\n\n") for path in files.values()]
        rows = "".join(table.partition("\n")[2] + "\n" for table, _, _ in tables)
        text = f"{tables[0][0].partition(chr(10))[0]}\n{rows}\n{tables[0][2]}"
        folder.mkdir()
        (folder / "trimestres.csv").write_text(text, encoding="cp1252")
    written_quarter(candidate, column, year, [sum(each) for each in zip(*numbers.values(), strict=True)])
    assert run_main("init", str(folder), "--yes")[0] == 0
    confirm(folder)
    code, out, _ = run_main("next", str(folder), str(candidate))
    assert code == 3, out
    assert ("of a new folder with these tables alone" in " ".join(out.split())) == more
    assert ("delete releases_by" in " ".join(out.split())) == (not name and column == "Trimestre")
    manifest = folder / "series.toml"
    text = manifest.read_text(encoding="utf-8")
    manifest.write_text(re.sub(r"(?m)^releases_by = .*\n", "", text), encoding="utf-8")
    pasted(folder, out)
    (folder / "releases/2022-T1.csv").unlink(missing_ok=True)  # a new folder with these tables alone
    for q, path in files.items() if not column else ():
        written_quarter(path, "release", f"2023-T{q}", numbers[q])
    assert run_main(str(folder))[0] == 0
    code, out, _ = run_main("next", str(folder), str(candidate))
    assert code == (1 if further else 0), out
    if not further and "2023" in quarter and name:
        next_year(folder, candidate, tmp_path / "2024-T1.csv", column, quarter.format(1).replace("2023", "2024"))


def next_year(folder, year, first, column, text):
    """The first quarter after the year is judged, by what the program says of their contradiction if there is one."""
    manifest = folder / "series.toml"
    document = tomllib.loads(manifest.read_text(encoding="utf-8"))
    year.rename(folder / year.name)
    document["series"]["releases"].append(year.name)
    manifest.write_text(toml_document(document), encoding="utf-8")
    written_quarter(first, column, text, [6, 19, 29, 9, 8, 35])
    code, _, err = run_main("next", str(folder), str(first))
    if code == 2 and ";" in column:
        assert 'if release "2024-T1" counts other people than the rest, as Année says, make Année a dimension' in err
        lines = err.partition("[table] ")[2].partition("\n")[0]
        document["table"] |= tomllib.loads(re.sub(r" (?=[a-z_]+ = [\[{\"])", "\n", lines))
    elif code == 2:
        assert 'counts people that "Année 2023" of Période does not count, delete Période in totals, and write' in err
        lines = re.findall('"([^"]+,[^"]+)"', err.partition("the lines ")[2].partition("\n")[0])
        (folder / "categories.csv").write_text("\n".join([*lines, ""]), encoding="utf-8")
        del document["table"]["totals"][column]
        document["table"]["categories"] = {column: "categories.csv"}
    manifest.write_text(toml_document(document), encoding="utf-8")
    code, _, err = run_main("next", str(folder), str(first))
    assert code in (0, 1), err


@pytest.mark.parametrize(
    ("extra", "totals", "said"),
    [
        ("C,Alle,15690\n", "Alle", "added up over sex"),  # all quarters
        ("C,Alle,15700\n", "Alle", None),
        ("C,Alle,15700\n", "", '"Alle" of sex sounds like a total'),
        ("C,beide,5230\nB,beide,101\n", "", "added up over sex"),  # the first quarter
        ("C,beide,5230\nB,beide,102\n", "", None),
        ("North,f,2085\nNorth,m,3246\n", "", '"North" of area in release "more" is the sum of C, B'),
        ("North,f,2085\nNorth,m,3247\n", "", None),
    ],
)
def test_a_release_with_sums_over_labels_of_others_counts_the_same_people(extra, totals, said, tmp_path):
    """In another crossing, the numbers of two releases are no less those of the same people."""
    code, out = quarters(tmp_path, extra, totals)
    assert (code, said is None or said in out) == (0 if said is None else 3, True), out


def test_a_line_that_lacks_a_label_refutes_no_sum():
    lines = [{"f": (n, n), "m": (2, 2), "T": (n + 2, n + 2)} for n in range(1, 4)]
    assert totals_by_sums(lines) == ["T"]
    assert totals_by_sums([*lines, {"f": (3, 3), "T": (9, 9)}, {"f": None, "m": (1, 1), "T": (5, 5)}]) == ["T"]
    assert totals_by_sums([*lines, {"f": (3, 3), "m": (3, 3), "T": (9, 9)}]) == []
    assert totals_by_sums([*lines, {"f": None, "m": (7, 7), "T": (5, 5)}]) == []
    assert totals_by_sums(lines[:2]) == []


@pytest.mark.parametrize(("word", "code"), [("darunter", 3), ("of which", 3), ("dont", 3), ("Darunter:", 3), ("", 0)])
def test_a_label_that_says_it_is_a_part_is_asked_about(word, code, tmp_path):
    """Read as one beside the whole, it would hide the two people in whom they differ."""
    rows = [("20-64", "40"), ("65+", "30"), (f"{word} 80+".strip(), "28")]
    table = 'dimensions = ["age"]\nvalue = "n"\ntotals = { age = "" }\n'
    assert asks(written(tmp_path, rows, "age,n", table), "is part of another label") == code
    parts = [
        f"{label},{atom}"
        for label, atoms in zip((row[0] for row in rows), ["a", "bc", "c"], strict=True)
        for atom in atoms
    ]
    (tmp_path / "age.csv").write_text("\n".join(["label,atom", *parts, ""]), encoding="utf-8")
    table = table.replace('totals = { age = "" }', 'categories = { age = "age.csv" }')
    code, _, found = verdict(written(tmp_path, rows, "age,n", table))
    assert (code, [each["lower"] for each in found]) == (1, [2])


@kills("audit.count_tables.candidate._impact", ", after.policy.undecided\n    if", ", ()\n    if")
@pytest.mark.parametrize("guess", [(), ("table.over_time",)])
def test_a_candidate_that_adds_nothing_is_no_decision_where_something_is_a_guess(guess, tmp_path):
    """The release before it breaks the policy; what is only guessed may hide what the candidate adds."""
    rows = [("N", "m", "c"), ("N", "f", "7"), ("N", "all", "9"), ("S", "m", "8"), ("S", "f", "9"), ("S", "all", "17")]
    totals = 'totals = { area = "all", sex = "all" }\nmarkers = { c = [1, 4] }\nover_time = "same"'
    table = f'dimensions = ["area", "sex"]\nvalue = "n"\n{totals}\n'
    folder = written(tmp_path / "series", rows, table=table, unconfirmed=guess)
    shutil.copy(folder / "releases/1.csv", tmp_path / "2.csv")
    code, out, _ = run_main("next", str(folder), str(tmp_path / "2.csv"))
    told = " ".join(out.split())
    assert code == 1
    assert ("whether it goes out is your decision" in told) == (not guess)
    assert ("The verdict does not allow this release" in told) == bool(guess)


@pytest.mark.parametrize(("text", "code"), [("1", 1), ("y", 1), ("z", 0), ("c", 0)])
def test_a_marker_of_one_count_hides_nothing(text, code, tmp_path):
    table = 'dimensions = ["area"]\nvalue = "n"\nmarkers = { y = [1, 1], z = [0, 0], c = [0, 9] }\n'
    folder = written(tmp_path, [("N", text), ("S", "7"), ("E", "c")], "area,n", table, "min_count = 3")
    found = verdict(folder)
    assert (found[0], [(each["kind"], each["lower"]) for each in found[2]]) == (code, [("recovered", 1)] * code)


@pytest.mark.parametrize("atom", ["m", "men who are not 65+"])
def test_an_atom_may_have_the_name_of_a_label_that_covers_more(atom, tmp_path):
    """If the label were taken for the atom, the two men in whom the numbers differ would not be found."""
    table = 'dimensions = ["group"]\nvalue = "n"\ncategories = { group = "group.csv" }\n'
    folder = written(tmp_path, [("m", "10"), ("f", "35"), ("65+", "8")], "group,n", table)
    (folder / "group.csv").write_text(f"label,atom\nm,{atom}\nm,both\nf,f\n65+,both\n", encoding="utf-8")
    code, _, found = verdict(folder)
    assert (code, [(each["cell"]["group"], each["lower"]) for each in found]) == (
        1, [("m less 65+" if atom == "m" else atom, 2)]
    )  # fmt: skip


@pytest.mark.parametrize(
    ("word", "part", "whole"),
    [
        ("dont", [4, 5, 9], "65+"),
        ("of which", [36, 54, 90], "the total"),
        ("darunter", [400, 500, 900], None),
        ("", [4, 5, 9], None),
    ],
)
def test_init_asks_what_a_label_is_part_of(word, part, whole, tmp_path):
    """It is part of the label whose numbers it lies in, if never smaller; until confirmed nothing is decided."""
    labels = {"20-64": [40, 60, 100], "65+": [30, 20, 50], f"{word} 80+".strip(): part, "Total": [70, 80, 150]}
    lines = [
        f"{area},{label},{many[n]}" for n, area in enumerate(["N", "S", "Total"]) for label, many in labels.items()
    ]
    (tmp_path / "1.csv").write_text("\n".join(["area,age,count", *lines, ""]), encoding="utf-8")
    code, out, _ = run_main("init", str(tmp_path), "--yes")
    assert code == (2 if whole is None else 0)
    file = tmp_path / "categories/age.csv"
    assert file.exists() == (whole is not None)
    manifest = tmp_path / "series.toml"
    if whole is None:
        return
    said = f'"{word} 80+" is taken to be part of '
    assert said + (f'"{whole}" alone' if whole == "65+" else f"{whole}, and") in " ".join(out.split())
    assert run_main(str(tmp_path))[0] == 3
    manifest.write_text(manifest.read_text(encoding="utf-8").split("[unconfirmed]")[0], encoding="utf-8")
    code, out, _ = run_main(str(tmp_path), "--policy", "min_count=5")
    assert (code, "recovered:" in out) == ((1, True) if whole == "65+" else (0, False)), out


@pytest.mark.parametrize(("labels", "total", "within", "across"), [
    ("m f part", None, {"f": ["part"]}, []),
    ("part m f", None, {}, ["part"]),
    ("T part m f", "T", {}, ["part"]),
    ("m f T part", "T", {}, ["part"]),
    ("m part f", None, {"m": ["part"]}, []),
    ("m part f part2", None, {"m": ["part"], "f": ["part2"]}, []),
    ("m part", None, {"m": ["part"]}, []),
    ("m large f", None, {}, ["large"]),  # it does not fit into the label above
    ("m f part part2", None, {"f": ["part", "part2"]}, []),
    ("f m part part2 part80", None, {"m": ["part", "part2"]}, ["part80"]),  # more than there are
    ("0-64 65+ part80 1+", None, {"65+": ["part80"]}, []),
])  # fmt: skip
def test_where_a_part_belongs(labels, total, within, across):
    said = {"part": "of which smokers", "part2": "of which others", "large": "of which many", "part80": "dont 80+"}
    many = {"m": 10, "f": 20, "T": 30, "large": 15}
    line = {said.get(label, label): (many.get(label, 5), many.get(label, 5)) for label in labels.split()}
    found = find_parts(list(line), total, [line], is_open=total is None)
    assert {whole: some for whole, some in found.within.items() if some} == {
        whole: [said[part] for part in some] for whole, some in within.items()
    }
    assert found.across == [said[part] for part in across]


@pytest.mark.parametrize("is_open", [False, True])
def test_a_part_of_the_total_may_share_people_with_every_label(is_open):
    """Each pair of labels has an atom in both, and atoms in one of them alone."""
    parts = LabelParts({"m": ["of which m1"], "f": []}, ["of which a", "of which b"], is_open)
    rows = parts.categories()[1:]
    atoms = {label: {atom for other, atom in rows if other == label} for label, _ in rows}
    assert len(rows) == len({tuple(row) for row in rows})
    assert {label: len(some) for label, some in atoms.items()} == {
        "m": 8, "f": 4, "of which m1": 4, "of which a": 6 + 2 * is_open, "of which b": 6 + 2 * is_open
    }  # fmt: skip
    assert not atoms["m"] & atoms["f"]
    assert atoms["of which m1"] < atoms["m"]
    for part in ("of which a", "of which b"):
        for label in ("m", "f", "of which m1"):
            assert atoms[part] & atoms[label]
            assert atoms[label] - atoms[part]
        assert bool(atoms[part] - atoms["m"] - atoms["f"]) == is_open
    assert atoms["of which a"] & atoms["of which b"]
    assert atoms["of which a"] - atoms["of which b"]


@pytest.mark.parametrize(
    ("labels", "values"),
    [
        ({"deutsch": [57, 52], "nichtdeutsch": [12, 25], "darunter EU": [10, 18]}, {2}),
        ({"deutsch": [57, 52], "nichtdeutsch": [12, 25], "davon EU": [10, 18], "davon Andere": ["."] * 2}, {2}),
        ({"deutsch": [57, 52], "nichtdeutsch": [12, 25], "darunter ledig": [13, 18]}, set()),
    ],
)
@pytest.mark.parametrize("answer", ["yes", ""])
@kills("audit.init.count_parts.find_parts", "_lies_in(label, each)), above)", "_lies_in(label, each)), None)")
def test_each_part_is_asked_about_and_none_is_anywhere_by_default(labels, values, answer, tmp_path, monkeypatch):
    """Of 12 foreigners 10 are citizens of the EU; an empty answer decides nothing."""
    rows = {"Insgesamt": [69, 77], **labels}
    both = {label: "." if "." in some else sum(some) for label, some in rows.items()}
    areas = {area: {label: some[at] for label, some in rows.items()} for at, area in enumerate(["Adorf", "Bergheim"])}
    lines = [f"{area};{label};{n}" for area, of in ({"Insgesamt": both} | areas).items() for label, n in of.items()]
    (tmp_path / "1.csv").write_text("\n".join(["Gemeinde;Herkunft;Anzahl", *lines, ""]), encoding="utf-8")
    assert run_main("init", str(tmp_path), "--yes")[0] == 0
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{answer}\n" * 20))
    found, out, err = run_main("init", str(tmp_path), "--confirm")
    assert (found, all(f'"{label}" is taken' in out + err for label in labels if label.startswith("da"))) == (0, True)
    found, _, derived = verdict(tmp_path, "--policy", "min_count=5")
    assert (found, {each["lower"] for each in derived if each["kind"] == "recovered"}) == (
        (1 if values else 0) if answer else 3,
        values,
    )


def test_a_part_that_is_larger_than_the_total_and_too_many_parts_are_left_to_the_publisher():
    assert (
        find_parts(["T", "m", "f", "of which x"], "T", [{"T": (9, 9), "of which x": (10, 10)}], is_open=False) is None
    )
    assert find_parts([*(f"of which {n}" for n in range(5)), "m", "f"], None, [], is_open=True) is None
    assert find_parts(["m", "f"], None, [], is_open=True) is None


def around(count, base):
    """The counts that are rounded, halves up, to the same multiple."""
    low = (count + base // 2) // base * base - base // 2
    return low, low + base - 1


@kills("audit.init.count_parts._added", "(most >= low)[is_shown].all()", "(most >= low)[is_shown].any()")
@kills("audit.init.count_parts.find_sums", "*(covered[part] for part in parts)", "parts")
@pytest.mark.many
@pytest.mark.parametrize("sides", ["before", "after", "both"])
@pytest.mark.parametrize("country", ["", "first", "last"])
@pytest.mark.parametrize("base", [1, 5])
@given(st.lists(st.integers(1, 4), min_size=2, max_size=4), st.integers(0, 2**32 - 1))
def test_labels_that_are_sums_of_those_beside_them_are_found(sides, country, base, sizes, seed):
    """Regions of some districts each, above or under these or both, and perhaps the country."""
    rng, regions = np.random.default_rng(seed), [[f"d{r}{d}" for d in range(size + 1)] for r, size in enumerate(sizes)]
    counts = {each: rng.integers(50, 1000, 6) for each in chain(*regions)}
    order, covers = [], {}
    for r, some in enumerate(regions):
        covers[f"R{r}"] = some
        order += [f"R{r}"] * (sides != "after") + some
        if sides != "before":
            order.append(f"S{r}" if sides == "both" else f"R{r}")
            covers[order[-1]] = some
    if country and sides != "both":
        covers["C"] = [*chain(*regions)]
        order = ["C", *order] if country == "first" else [*order, "C"]
    counts |= {whole: sum(counts[part] for part in some) for whole, some in covers.items()}
    hidden = {(each, line) for each in chain(*regions) for line in range(3) if rng.random() < 0.1}
    lines = [
        {each: None if (each, line) in hidden else around(int(counts[each][line]), base) for each in order}
        for line in range(6)
    ]
    found = find_sums(order, None, lines)
    assert {whole: {*some} for whole, some in found.sums.items()} == {w: {*some} for w, some in covers.items()}
    assert {*found.within} == {*order} - found.sums.keys()
    whole = next(iter(covers))
    for more in (-1, 1):
        far = more * base * (len(order) + 1)
        wrong = [*lines[:-1], lines[-1] | {whole: tuple(end + far for end in lines[-1][whole])}]
        again = find_sums(order, None, wrong)
        assert again is None or whole not in again.sums


@kills("audit.count_tables.other_readings.equal_labels", "a[0] > b[1] or b[0] > a[1]", "False")
@given(st.integers(0, 2**32 - 1))
def test_labels_that_count_the_same_people_are_found(seed):
    """An overseas region that is a department, too, beside regions of several, in lines that hide some numbers."""
    rng = np.random.default_rng(seed)
    counts = {each: rng.integers(50, 1000, 16) for each in ("a", "b", "c", "d", "R2")}
    counts |= {"R1": counts["a"] + counts["b"], "R3": counts["c"] + counts["d"], "same": counts["R2"]}
    counts["again"] = counts["same"]
    order = ["R1", "a", "b", "R2", "same", "again", "R3", "c", "d"]
    lines = [
        {each: None if rng.random() < 0.1 else (int(counts[each][line]),) * 2 for each in order} for line in range(16)
    ]
    found = find_sums(order, None, lines)
    assert found.sums == {"R1": ["a", "b"], "R3": ["c", "d"], "same": ["R2"], "again": ["R2"]}
    lines[0] |= {"R2": (1, 1), "same": (2, 2), "again": (1, 1)}
    assert "same" not in find_sums(order, None, lines).sums


@given(st.integers(0, 2), st.integers(0, 2**32 - 1))
def test_the_last_of_the_sums_follows_from_the_total(shown, seed):
    """Of three regions, one has all of its districts in few lines; with the others it makes up the country."""
    rng, regions = np.random.default_rng(seed), {f"R{r}": [f"d{r}{d}" for d in range(3)] for r in range(3)}
    counts = {each: rng.integers(50, 1000, 6) for each in chain(*regions.values())}
    order = [*chain(*([*some, region] for region, some in regions.items())), "C"]
    counts |= {region: sum(counts[part] for part in some) for region, some in regions.items()}
    counts["C"] = sum(counts[region] for region in regions)
    lines = [{each: (int(counts[each][line]),) * 2 for each in order} for line in range(6)]
    for line in lines[shown:]:
        line["d11"] = None
    assert {w: {*some} for w, some in find_sums(order, "C", lines).sums.items()} == {
        region: {*some} for region, some in regions.items()
    }
    least = lines[0]["R1"][0]
    for wrong in ({"d10": (least + 1,) * 2}, *([{"d10": (1, 1)}] if shown else [])):  # refuted, by more or by less
        assert "R1" not in find_sums(order, "C", [lines[0] | wrong, *lines[1:]]).sums


@pytest.mark.parametrize("dont", ["", "dont "])
def test_sub_totals_are_covered_by_what_adds_up_to_them(dont, tmp_path):
    """Regions above their districts, the first of which may be called a part: sums are no people of their own."""
    rows = ["area,sex,count"]
    for sex, (a, b, c, d) in {"F": (20, 31, 12, 44), "M": (25, 17, 52, 9), "T": (45, 48, 64, 53)}.items():
        sums = {"All areas": a + b + c + d, "North": a + b, f"{dont}a": a, "b": b, "South": c + d, "c": c, "d": d}
        rows += [f"{area},{sex},{n}" for area, n in sums.items()]
    (tmp_path / "2024.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    said = tomllib.loads(drafted(tmp_path))
    assert said["table"]["categories"] == {"area": "categories/area.csv"}
    assert "table.categories.area" in said["unconfirmed"]["keys"]
    assert "table.totals.area" not in said["unconfirmed"]["keys"]
    lines = (tmp_path / "categories" / "area.csv").read_text(encoding="utf-8").splitlines()
    rows = {"a,a", "b,b", "c,c", "d,d", "North,a", "North,b", "South,c", "South,d"}
    assert {*lines[1:]} == {",".join(dont * (cell == "a") + cell for cell in row.split(",")) for row in rows}
    assert run_main(str(tmp_path))[0] == 3
    confirm(tmp_path)
    assert run_main(str(tmp_path))[0] == 0


@kills("audit.count_tables.release_doubts._found", "if not _are_others(some[-1][0], *pair)", "")
@kills("audit.count_tables.release_doubts._compared", '[(every, ""), (own,', '[(own, ""), (own,')
@kills("audit.count_tables.release_doubts._compared", "hides.all() or not hides.any()", "True")
@kills("audit.count_tables.release_doubts._repeated", "yield one, [other]", "return (yield one, [other])")
@pytest.mark.many
@pytest.mark.parametrize("base", [1, 5])
@pytest.mark.parametrize("column", ["", "period,"])
@pytest.mark.parametrize("last", ["others", "first again", "corrected", "sum"])
def test_a_population_that_repeats_is_no_evidence_of_the_same_people(last, column, base, tmp_path):
    """Admissions of quarters beside the population of the same year; the last release repeats, or adds up, others.

    Or it is the first again, with one more in every second line.
    """
    areas, rng = [f"a{n}" for n in range(12)], np.random.default_rng(3)
    people, *drawn = rng.integers([[1000], *[[2]] * 3], [[9000], *[[90]] * 3], (4, len(areas)))
    if last != "others":
        drawn[2] = drawn[0] + (drawn[1] if last == "sum" else np.arange(12) % 2 * (last == "corrected"))
    tables = {}
    for quarter, counts in enumerate(drawn, 1):
        rows = zip(["T", *areas], [counts.sum(), *counts], [people.sum(), *people], strict=True)
        hidden = areas[quarter : 5 * quarter : 4]
        shown = [(area, "c" if area in hidden else base * ((n + base // 2) // base), of) for area, n, of in rows]
        tables[f"{quarter}.csv"] = [
            f"area,{column}n,people,homes",
            *(f"{area},{column and f'Q{quarter},'}{n},{of},{7 * of}" for area, n, of in shown),
        ]
    names = ["area", *(["period"] if column else [])]
    table = f'dimensions = {json.dumps(names)}\nvalues = ["n", "people", "homes"]\n'
    table += 'part_of = { n = "people", people = "homes" }\n'
    table += 'exact = ["people", "homes"]\nrounding = { to = 5, how = "nearest" }\n' if base > 1 else ""
    why = verdict(write_tables(tmp_path, tables, f'{table}totals.area = "T"\nmarkers.c = [0, inf]\n'))[1]
    assert ("same people" in why or "same numbers" in why) == (last != "others"), why
    assert ('the numbers of \\"people\\" and \\"homes\\" are no such sums' in why) == (last == "sum"), why


@pytest.mark.parametrize(("over_time", "code"), [("cumulative", 3), ("independent", 0)])
def test_a_label_that_moves_is_named_with_both_lines(over_time, code, tmp_path):
    table = 'dimensions = ["area"]\nvalue = "n"\nnested = { area = ["region", "la"] }\ntotals = { area = "England" }\n'
    table += f'over_time = "{over_time}"\n'
    rows = [("NW", "Kendal", "20"), ("NW", "York", "30"), ("NE", "Durham", "40")]
    folder = written(tmp_path, rows, "region,la,n", table, releases=2)
    assert verdict(folder)[:2] == (0, "[]")
    edit(folder / "releases/2.csv", "NW,York", "NE,York")
    found, why, _ = verdict(folder)
    assert found == code
    if code:
        assert "York" in why
        assert "releases/1.csv:3" in why
        assert "releases/2.csv:3" in why


def test_a_number_that_no_count_reaches_is_refused(tmp_path):
    rows = [("A", "10", "9" * 400, "40.7"), ("All", "10", "1000", "")]
    table = 'dimensions = ["area"]\nvalue = "n"\ntotals = { area = "All" }\n'
    table += 'rates = { column = "rate", per = 100000, decimals = 1, denominator = "population" }\n'
    folder = written(tmp_path, rows, "area,n,population,rate", table)
    err = refused(str(folder))
    assert 'releases/1.csv:2, column "population": this is 100,000,000,000 or more, larger than any count' in err


@pytest.mark.parametrize(("text", "ends"), [
    ("1-9", (1, 9)), ("0\u20132", (0, 2)), ("1 to 4", (1, 4)), ("between 1 and 4", (1, 4)), ("[1-9]", (1, 9)),
    ("<5", (0, 4)), ("< 10", (0, 9)), ("fewer than 5", (0, 4)), ("less than 10", (0, 9)), ("<=5", (0, 5)),
    ("\u22645", (0, 5)), ("5 or fewer", (0, 5)), ("at most 5", (0, 5)), ("weniger als 5", (0, 4)),
    ("5 oder weniger", (0, 5)), ("h\u00f6chstens 3", (0, 3)), ("1 bis 4", (1, 4)), ("moins de 5", (0, 4)),
    ("5 ou moins", (0, 5)), ("1 \u00e0 4", (1, 4)), ("menos de 5", (0, 4)), ("5 o menos", (0, 5)), ("1 a 4", (1, 4)),
    ("100+", (100, UNBOUNDED)), (">1,000", (1001, UNBOUNDED)), ("1,000 or more", (1000, UNBOUNDED)),
    ("*", None), ("c", None), ("12.5", None), ("9-1", None), ("2024-01", None), ("", None), ("12", None),
])  # fmt: skip
def test_a_marker_that_says_its_range(text, ends):
    assert said_range(text) == ends


RULES = 'rates = { column = "percent", per = 100, decimals = 1, denominator = "people" }\n[policy]'


def judged(folder, *lines, markers=None, columns="percent,people"):
    series = TinyTables(("area",), [[(("A",), "9")]], markers=markers or {"*": (1, 7), "?": (0, None)}, min_count=8)
    path = series.write(folder) / "series.toml"
    edit(path, "[policy]", RULES)
    rows = "".join(f"{line}\n" for line in (f"area,n,{columns}", *lines))
    (folder / "releases/1.csv").write_text(rows, encoding="utf-8")
    code, out, err = run_main(str(folder), "--format", "json", "--findings", "all")
    assert err == ""
    report = json.loads(out)
    [attack] = report["attacks"]
    found = {(each["cell"]["area"], each["kind"], each["lower"], each["upper"]) for each in attack["findings"]}
    return code, found, {each["measure"]: each["reason"] for each in report["policy"]["undecided"]}


def test_all_denominators_of_a_marker_are_tried(tmp_path):
    """60.0 % of 1 to 7 people are 3 of 5, and nothing else: the hidden 5 is known, too."""
    code, found, undecided = judged(tmp_path, "A,*,60.0,*")
    assert (code, found) == (1, {("A", "recovered", 3, 3)})
    assert set(undecided) == {"min_width"}
    assert "hidden denominators" in undecided["min_width"]


def test_a_denominator_that_a_rate_leaves_alone_is_not_passed(tmp_path):
    """0.0 % reveals no small count, because the count is 0; 14.3 % of up to 7 can only be 1 of 7."""
    code, found, undecided = judged(tmp_path, "A,1,14.3,*", markers={"*": (1, 7)})
    assert (code, found) == (1, {("A", "recovered", 1, 1)})
    assert "min_width" in undecided
    assert "hidden denominators" in undecided["min_width"]


def test_a_rate_that_leaves_several_counts_is_safe(tmp_path):
    """50.0 % are 1 of 2, 2 of 4 or 3 of 6."""
    assert judged(tmp_path, "A,*,50.0,*") == (0, set(), {})


@pytest.mark.parametrize(
    ("line", "columns"), [("A,*,12.5,", "percent,people"), ("A,*,12.5,?", "percent,people"), ("A,*,12.5", "percent")]
)
def test_a_denominator_that_may_be_anything_is_undecided(line, columns, tmp_path):
    code, found, undecided = judged(tmp_path, line, columns=columns)
    assert (code, found, set(undecided)) == (3, set(), {"min_count", "min_width"})
    assert "the denominators of some rates are unknown" in undecided["min_width"]


@pytest.mark.parametrize("line", ["A,*,,", "A,*,*,*", "A,400,12.5,", "A,*,,2000"])
def test_where_no_rate_of_a_hidden_count_is_published_nothing_is_open(line, tmp_path):
    assert judged(tmp_path, line) == (0, set(), {})


SCHOOLS = {
    "Görlitz,Oberschule": "c c 11",
    "Görlitz,Gymnasium": "c c 30",
    "Görlitz,Förderschule": "9 15 24",
    "Görlitz,all": "14 51 65",
    "Löbau,Grundschule": "8 12 20",
    "Löbau,Hauptschule": "10 15 25",
    "Löbau,all": "18 27 45",
    "all,all": "32 78 110",
}
"""Boys, girls and all pupils: of the 14 boys in Görlitz, 9 are in one of three schools, and 5 in the other two."""
ROUNDED_SCHOOLS = {"A,x": "0", "A,y": "0", "A,all": "3", "B,z": "6", "B,u": "9", "B,all": "15", "all,all": "18"}
"""Two schools of at most 1 pupil each have 2 together, where no other school can have the rest."""
ZERO = 'absent = "zero"'


@kills("audit.count_tables.label_doubts._missed_totals", "total is not None and len(lines) == len(every)", "False")
@pytest.mark.parametrize(("total", "code"), [("no", 3), ("Zus", 1)])
def test_a_total_that_no_table_has_is_asked_about(total, code, tmp_path):
    """The label of all people would be one more label, and what a line hides would not follow from it."""
    rows = [f"{area},{sex},{n}" for area in "ab" for sex, n in (("m", "c"), ("f", 20), ("Zus", 30))]
    table = f'dimensions = ["area", "sex"]\nvalue = "n"\ntotals = {{ sex = "{total}" }}\nmarkers = {{ c = [1, inf] }}'
    write_tables(tmp_path, {"1.csv": ["area,sex,n", *rows]}, table, "min_count = 11")
    found, out = printed(str(tmp_path))
    assert (found, "is in no table" in out) == (code, total == "no"), out


@kills("audit.count_tables.label_doubts.inside_another", "inside > around > 1", "inside > around > 9")
@kills("audit.count_tables.table_shapes.nested_labels", ", total, totals.get(name, total)", "")
@pytest.mark.parametrize(
    ("names", "totals", "more", "code", "said"),
    [
        ("district school sex", "district school sex", "", 1, "occurs beside only one label of district"),
        ("district school sex", "district school sex", ZERO, 1, "NOT SAFE"),
        ("area sex", "sex", "", 3, "sounds like a total"),
        ("area sex", "area sex", "", 1, "NOT SAFE"),
        ("district school", "district school", "", 3, "occurs beside only one label of district"),
        ("district school", "district school", ZERO, 3, 'or write absent = "zero" if no count is rounded'),
        ("area", "area", "", 1, "can be derived"),
    ],
)
def test_schools_of_one_district_are_in_no_other(names, totals, more, code, said, tmp_path):
    schools, sexes, rules, least = ROUNDED_SCHOOLS, [""], 'rounding = { to = 3, how = "nearest" }', 3
    if "sex" in names:
        schools, sexes, rules, least = SCHOOLS, ["m,", "f,", "all,"], "markers.c = [0, inf]", 6
    rows = [f"{place},{sex}{text}" for place, own in schools.items()
            for sex, text in zip(sexes, own.split(), strict=True)]  # fmt: skip
    table = f'dimensions = {json.dumps(names.split())}\nvalue = "n"\n{rules}\n{more}\n'
    table += 'nested = { area = ["district", "school"] }\n' * ("area" in names)
    table += "".join(f'totals.{name} = "all"\n' for name in totals.split())
    lines = [f"district,school,{'sex,' * ('sex' in names)}n", *rows]
    found, out = printed(str(write_tables(tmp_path, {"1.csv": lines}, table, f"min_count = {least}")))
    assert (found, said in out) == (code, True), out


def test_a_table_without_rows_changes_no_doubt(tmp_path):
    """`remark` follows from the other labels in the last table; that one before is empty makes no difference."""
    head, total = "area,remark,n", "Total,z,60"
    table = 'dimensions = ["area", "remark"]\nvalue = "n"\ntotals = { area = "Total" }'
    with_empty = {"1.csv": [head, total], "2.csv": [head], "3.csv": [head, total, "A,x,20", "B,y,40"]}
    without = {name: lines for name, lines in with_empty.items() if len(lines) > 1}
    one, other = (verdict(write_tables(tmp_path / f"{len(each)}", each, table))[:2] for each in (without, with_empty))
    assert one == other


@pytest.mark.parametrize("glob", [False, True])
@pytest.mark.parametrize(("tags", "counts", "over_time", "code"), [
    (("Januar", "April"), (20, 31), "cumulative", 0),
    (("2023-9", "2023-10"), (20, 31), "cumulative", 0),
    (("spring", "autumn"), (20, 31), "cumulative", 3),
    (("new", "old"), (20, 31), "cumulative", 3),
    (("new", "old"), (20, 31), "independent", 0),
    (("new", "old"), (20, 20), "same", 0),
])  # fmt: skip
def test_releases_whose_order_matters_are_asked_about_if_nothing_shows_it(
    glob, tags, counts, over_time, code, tmp_path
):
    """Their names, which a pattern finds, or the texts of a column."""
    files = {}
    for tag, count in zip(tags, counts, strict=True):
        lines = files.setdefault(f"releases/{tag if glob else 'all'}.csv", ["when,area,n"])
        lines += [f"{tag},A,{count}", f"{tag},All,{count}"]
    by = 'releases = ["releases/*.csv"]' + ("" if glob else '\nreleases_by = "when"')
    table = f'dimensions = ["area"]\nvalue = "n"\ntotals = {{ area = "All" }}\nover_time = "{over_time}"'
    found, why, _ = verdict(write_tables(tmp_path, files, table, series=by))
    assert found == code, why
    assert ("does not show the order of the releases" in why) == (code == 3)


SAID = "In A, 3 women were excluded"
BESIDE = {
    "above": lambda rows: f"{SAID}\n\n{rows}",
    "above, as wide as the table": lambda rows: f'"{SAID}",,\n,,\n{rows}',
    "below": lambda rows: f"{rows}\nNote: {SAID}\n",
    "below, as wide as the table": lambda rows: f'{rows},,\n"Note: {SAID}",,\n',
}
FOUR_HIDDEN = [("A", "f", "*"), ("A", "m", "*"), *NUMBERS[2:3], ("B", "f", "*"), ("B", "m", "*"), *NUMBERS[5:]]
ANY_COUNT = 'markers = { "*" = [0, inf] }\n'


@kills("audit.count_tables.note_numbers._disclosing.may_disclose", "n < min_count or", "")
@kills("audit.init.count_tables._ask_about_lines", ", why)", ")")
@pytest.mark.parametrize("rows", [NUMBERS, FOUR_HIDDEN], ids=["exact", "hidden"])
@pytest.mark.parametrize("form", BESIDE)
def test_a_count_in_a_line_beside_the_table_is_asked_about(form, rows, tmp_path):
    folder = written(tmp_path, rows, table=TABLE + ANY_COUNT)
    assert verdict(folder)[:2] == (0, "[]")
    file = folder / "releases/1.csv"
    table = file.read_text(encoding="utf-8")
    file.write_text(BESIDE[form](table), encoding="utf-8")
    code, why, _ = verdict(folder)
    assert (code, SAID in why) == (3, True)
    said = SAID if form.startswith("above") else f"Note: {SAID}"
    edit(folder / "series.toml", ANY_COUNT, f'{ANY_COUNT}not_counts = ["{said}"]\n')
    assert verdict(folder)[:2] == (0, "[]")
    file.write_text(BESIDE[form](table).replace("3 women", "4 women"), encoding="utf-8")
    assert said in refused(str(folder))
    (folder / "series.toml").unlink()
    manifest = tomllib.loads(drafted(folder))
    assert manifest["table"]["not_counts"] == [said.replace("3", "4")]
    assert "table.not_counts" in manifest["unconfirmed"]["keys"]


CELL_27 = '<table:table-cell office:value-type="float" office:value="27"/>'
OF_CELLS = {
    "note": "",
    "annotation": '<office:annotation xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:creator>Clerk 3</dc:creator>'
    "<dc:date>2024-01-03T10:00:00</dc:date><text:list>"
    "<text:list-item><text:p>{}</text:p></text:list-item></text:list></office:annotation>",
    "xl/threadedComments/threadedComment1.xml": '<ThreadedComments xmlns="http://schemas.microsoft.com/office/'
    'spreadsheetml/2018/threadedcomments"><threadedComment ref="C2" dT="2024-01-03T10:00:00.00"><text>{}</text>'
    "</threadedComment></ThreadedComments>",
}
"""Forms of the comment of a cell, and what they have around a text."""
DRAWN = (
    '<{outer} xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><{inner}><a:bodyPr/><a:p><a:r><a:t>{{}}'
    "</a:t></a:r></a:p></{inner}></{outer}>"
)
STYLE = (
    '<s xmlns:style="urn:style" xmlns:text="urn:text"><style:{0}><text:p>{{}} <text:page-number>3</text:page-number>'
    "</text:p></style:{0}></s>"
)
SHAPE = '<table:shapes xmlns:draw="urn:draw"><draw:{0}><text:p>{{}}</text:p></draw:{0}></table:shapes>'
OUTSIDE = {
    "xl/drawings/drawing9.xml": DRAWN.format(outer="wsDr", inner="txBody"),
    "xl/diagrams/data1.xml": DRAWN.format(outer="dataModel", inner="t"),
    "xl/charts/chart9.xml": DRAWN.format(outer="chart", inner="rich"),
    "xl/drawings/vmlDrawing1.vml": "<xml><v:textbox style='x'><div><font>{}</font></div></v:textbox><br></xml>",
    **dict.fromkeys(("oddHeader", "evenFooter", "chart"), ""),
    **{kind: STYLE.format(kind) for kind in ("header", "footer-left")},
    **{kind: SHAPE.format(kind) for kind in ("text-box", "custom-shape")},
}
"""Forms of a text outside the cells of a workbook, and what they have around it."""
CACHE = (
    '<chart xmlns="urn:c"><numRef><f>{sheet}!$C${row}</f><numCache><ptCount val="1"/><pt idx="0"><v>{n}</v></pt>'
    "</numCache></numRef></chart>"
)
CHART, PIVOT, ABOUT = "xl/charts/chart8.xml", "xl/pivotCache/pivotCacheRecords1.xml", "docProps/about.xml"
RECORDS = '<pivotCacheRecords xmlns="urn:p"><r><n v="{}"/><x v="3"/></r></pivotCacheRecords>'
PROPERTIES = '<cp:coreProperties xmlns:cp="urn:cp"><cp:description>A women: {}</cp:description></cp:coreProperties>'


SHOWN = {
    "<text:p>.</text:p>": ".",
    "<text:p/>": "(empty)",
    "<text:p>&lt;30</text:p>": "<30",
    "<text:p>27,0</text:p>": None,
    "": None,
}
"""Texts of the cell of a 27, and what is asked about."""


ROWS = [["area", "sex", "n"], *FOUR_HIDDEN]
IN_FILES_OF_LIBREOFFICE = {"annotation", "shown", "header", "footer-left", "text-box", "custom-shape"}


def packed_with(path, form, content):
    """Write ROWS as a workbook of LibreOffice that holds something else in a form."""
    path.write_bytes(open_document(ROWS))
    with zipfile.ZipFile(path) as packed:
        parts = {each: packed.read(each).decode() for each in packed.namelist()}
    old = {"annotation": "<text:p>", "shown": CELL_27}.get(form, "<table:table-row>")
    new = content if form == "shown" else content.replace(" women", "<text:s/>women") + old
    if form in {"header", "footer-left"}:
        parts["styles.xml"] = content
    else:
        assert old in parts["content.xml"]
        parts["content.xml"] = parts["content.xml"].replace(old, new, 1)
    with zipfile.ZipFile(path, "w") as packed:
        for each, text in parts.items():
            packed.writestr(each, text)


def saved_with(path, form, content):
    """Write ROWS as a workbook of Excel that holds something else in a form, which may be a file in it."""
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    sheet = book.active
    for row in ROWS:
        sheet.append([int(cell) if cell.isdigit() else cell for cell in row])
    match form:
        case "note":
            sheet["C2"].comment = openpyxl.comments.Comment(content, "Clerk 3")
        case "chart":
            chart = openpyxl.chart.BarChart()
            chart.add_data(openpyxl.chart.Reference(sheet, min_col=3, min_row=1, max_row=7), titles_from_data=True)
            chart.title = content
            sheet.add_chart(chart, "F1")
        case "oddHeader" | "evenFooter":
            part = getattr(sheet, form)
            part.center.text, part.center.size, part.right.text = content, 3, "Page &P of &N"
        case "name":
            book.defined_names["women_A"] = openpyxl.workbook.defined_name.DefinedName("women_A", attr_text=content)
        case "format":
            sheet["C4"].number_format = content
        case "condition":
            numbers = openpyxl.styles.numbers.NumberFormat(numFmtId=170, formatCode=content)
            style = openpyxl.styles.differential.DifferentialStyle(numFmt=numbers)
            rule = openpyxl.formatting.rule.Rule(type="expression", formula=["1=1"], dxf=style)
            sheet.conditional_formatting.add("C2:C7", rule)
        case "notes":
            notes = book.create_sheet("Notes")
            notes.append(["Note", "Text"])
            notes.append([1, "Rounded to the nearest 5"])
            notes.append([2, content])
    book.save(path)
    if "/" in form:
        with zipfile.ZipFile(path, "a") as packed:
            packed.writestr(form, content)


@kills("audit.io.workbook_parts.texts_outside_cells", "part.tag.endswith(_BLANKS)", "False")
@kills("audit.io.workbook_parts.texts_outside_cells", "part.tag.endswith(_FIELDS)", "False")
@kills("audit.io.workbook_parts.texts_outside_cells", "_CODE.sub(", "str.replace('', ")
@pytest.mark.many
@pytest.mark.parametrize(
    ("form", "content", "asked"),
    [
        *(
            (form, around.format(text) if around else text, asked)
            for form, around in (OF_CELLS | OUTSIDE).items()
            for text, asked in ((SAID, SAID), ("Checked on 12 March 2024", None))
        ),
        ("notes", "A has 3 women", "2. A has 3 women"),
        ("notes", "Published 12 March 2024", None),
        (CHART, CACHE.format(sheet="'Sheet'", row=2, n=3), "'Sheet'!$C$2"),
        (CHART, CACHE.format(sheet="Sheet", row=4, n=27), None),
        (CHART, CACHE.format(sheet="Sheet", row=2, n=0), None),
        (CHART, CACHE.format(sheet="[1]Sheet", row=4, n=27), "[1]Sheet!$C$4"),
        (CHART, '<chart xmlns="urn:c"><numLit><pt idx="0"><v>3</v></pt></numLit></chart>', "3"),
        (PIVOT, RECORDS.format(3), PIVOT),
        (PIVOT, RECORDS.format(27), None),
        ("xl/embeddings/book.xlsx", "any", "xl/embeddings/book.xlsx"),
        (ABOUT, PROPERTIES.format(3), "A women: 3"),
        (ABOUT, PROPERTIES.format(27), None),
        ("name", "3", "women_A: 3"),
        ("name", "Sheet!$A$3:$C$3", None),
        ("format", '"."', '"."'),
        ("format", ";;;", ";;;"),
        ("format", '[<30]"*";0', '[<30]"*";0'),
        ("format", '[<27]"*";#,##0', None),
        ("format", '#,##0;-#,##0;"-"', None),
        ("condition", '"*"', '"*"'),
        ("condition", "0.0", None),
        *(("shown", f"{CELL_27[:-2]}>{text}</table:table-cell>", asked) for text, asked in SHOWN.items()),
    ],
)
def test_what_a_workbook_holds_beside_its_cells_is_asked_about(form, content, asked, tmp_path):
    """Comments, texts outside the cells, caches, names, formats, and cells that do not show their number."""
    folder = written(tmp_path, [], table=TABLE + ANY_COUNT)
    is_open = form in IN_FILES_OF_LIBREOFFICE
    name = "1.ods" if is_open else "1.xlsx"
    (packed_with if is_open else saved_with)(folder / "releases" / name, form, content)
    edit(folder / "series.toml", "1.csv", name)
    code, why, _ = verdict(folder)
    reasons = " ".join(each["reason"] for each in json.loads(why))
    place = {"note": "1.xlsx:C2", "annotation": "1.ods:annotation 1"}.get(form, "1.xlsx:C2" if "thread" in form else "")
    assert (code, bool(asked and toml_text(asked) in reasons)) == ((0, False) if asked is None else (3, True)), why
    if asked is not None:
        assert place in reasons
        edit(folder / "series.toml", ANY_COUNT, f"{ANY_COUNT}not_counts = [{toml_text(asked)}]\n")
        assert verdict(folder)[0] == 0


def test_a_note_whose_count_has_a_cell_of_its_own_is_asked_about(tmp_path):
    """It was read as a row without a count."""
    folder = written(tmp_path, [*FOUR_HIDDEN, ("Note: women in A", "", "")], table=TABLE + ANY_COUNT)
    assert verdict(folder)[:2] == (0, "[]")
    written(tmp_path, [*FOUR_HIDDEN, ("Note: women in A", "3", "")], table=TABLE + ANY_COUNT)
    code, why, _ = verdict(folder)
    assert (code, "Note: women in A,3" in why) == (3, True)


@kills("audit.count_tables.note_numbers._disclosing.may_disclose", "n not in published and", "")
@pytest.mark.parametrize("said", ["Of 79 people", "Of 80 people", "Table 3, published on 12 March 2024"])
def test_a_number_that_the_table_publishes_is_not_asked_about(said, tmp_path):
    """80 is neither small nor hidden in a table of exact numbers, but a hidden count can be 80."""
    for rows in (NUMBERS, FOUR_HIDDEN):
        folder = written(tmp_path, rows, table=TABLE + ANY_COUNT)
        file = folder / "releases/1.csv"
        file.write_text(f"{said}\n\n{file.read_text(encoding='utf-8')}", encoding="utf-8")
        assert verdict(folder)[0] == (3 if "80" in said and rows == FOUR_HIDDEN else 0)


def test_who_denies_a_guessed_rounding_can_say_that_there_is_none(tmp_path):
    """There was no answer to what it is instead; and six numbers are multiples of 3 now and then."""
    rows = "area,sex,count\nN,f,30\nN,m,45\nN,All,75\nS,f,15\nS,m,60\nS,All,75\nAll,f,45\nAll,m,105\nAll,All,150\n"
    (tmp_path / "1.csv").write_text(rows, encoding="utf-8")
    text = drafted(tmp_path)
    assert "table.rounding" in tomllib.loads(text)["unconfirmed"]["keys"]
    left = confirmed(tmp_path, text, lambda each: "none" if "How were" in each.text else "no" if each.answers else "?")
    assert "rounding" not in tomllib.loads(left)["table"]
    assert "table.rounding" not in left.partition("[unconfirmed]")[2]
    (tmp_path / "1.csv").write_text("area,count\nN,3\nS,6\nW,9\nO,12\nX,*\nAll,30\n", encoding="utf-8")
    (tmp_path / "series.toml").unlink()
    assert "rounding" not in tomllib.loads(drafted(tmp_path))["table"]


@pytest.mark.parametrize("typed", ["Region", '"Region"'])
def test_an_answer_leaves_no_reason_of_the_guess_that_it_denies(typed, tmp_path):
    """A text may be written in quotation marks, as it is shown."""
    written(tmp_path, HIDDEN, table=TABLE.replace('{ area = "All"', '{ area = "Somewhere"'))
    path = tmp_path / "series.toml"
    text = path.read_text(encoding="utf-8").replace(
        'totals = { area = "Somewhere", sex = "All" }',
        'totals.area = "Somewhere"  # guess: labels add up to Somewhere.\ntotals.sex = "All"',
    )
    text += '[unconfirmed]\nkeys = ["table.totals.area"]\n'
    changed = confirmed(tmp_path, text, lambda question: typed if "instead of" in question.text else "no")
    assert tomllib.loads(changed)["table"]["totals"] == {"area": "Region", "sex": "All"}
    assert "add up to Somewhere" not in changed


@pytest.mark.parametrize("answer", ["same", "cumulative", "independent", "?"])
def test_whom_releases_count_is_asked_in_words(answer, tmp_path):
    for tag in ("2023", "2024"):
        rows = "".join(f"{area},{sex},{n}\n" for area, sex, n in NUMBERS)
        (tmp_path / f"{tag}.csv").write_text(f"area,sex,n\n{rows}", encoding="utf-8")
    run_main("init", str(tmp_path), "--yes")
    asked = []

    def reply(question):
        asked.append(question)
        return answer if "Whom does each release count?" in question.text else "yes"

    text = confirmed(tmp_path, (tmp_path / "series.toml").read_text(encoding="utf-8"), reply)
    document = tomllib.loads(text)
    assert document["table"]["over_time"] == ("independent" if answer == "?" else answer)
    assert ("table.over_time" in document.get("unconfirmed", {}).get("keys", ())) == (answer == "?")
    assert {"same", "cumulative", "independent", "?"} == {*next(each.answers for each in asked if "Whom" in each.text)}


def test_a_denied_line_is_asked_about_until_the_publisher_says_which_lines_disclose_nothing(tmp_path):
    folder = written(tmp_path, NUMBERS)
    (folder / "series.toml").unlink()
    file = folder / "releases/1.csv"
    file.write_text(
        f"{file.read_text(encoding='utf-8')}Note: {SAID}\nNote: 2 schools did not answer\n", encoding="utf-8"
    )
    run_main("init", str(folder), "--yes")
    asked = []

    def answer(question):
        asked.append(question.text)
        if "table.not_counts" in question.text:
            return "no"
        return '["Note: 2 schools did not answer"]' if "is right instead" in question.text else "yes"

    text = (folder / "series.toml").read_text(encoding="utf-8")
    (folder / "series.toml").write_text(confirmed(folder, text, answer), encoding="utf-8")
    code, why, _ = verdict(folder, "--policy", "min_count=5")
    assert (code, SAID in why, "schools" in why) == (3, True, False)


BLANK = "A,f,c A,m, A,All,6 B,f,11 B,m, B,All,17 All,f, All,m, All,All,23"
SOME_BLANK = "A,f,c A,m,c A,All,{} C,f, C,m, C,All,7 All,f, All,m, All,All,{}"
ONLY_0 = "A,f,c A,m, A,All,6 B,f,11 B,m,9 B,All,20 C,f,c C,m, C,All,c"
ONE_BLANK = "A,f,s A,m, A,All,{} B,f,x B,m,x"


@kills("audit.count_tables.second_reading._first_disclosing", "below=ends[0]", "below=None")
@kills("audit.count_tables.second_reading._more_by_blanks", "np.where(blank, least,", "np.where(blank, 0,")
@pytest.mark.parametrize(
    ("rows", "rules", "said", "code"),
    [
        # If c is a small count, and the blank cell is none, and not 0, c is 1.
        (BLANK, "markers.c = [1, 4]", "below 5", 3),
        (BLANK, "markers.c = [1, 4]\nthreshold = 5", "below 5", 3),
        (BLANK, "markers = { c = [1, inf], - = [0, 0] }", "below 5", 3),
        (BLANK, 'markers.c = [1, inf]\nabsent = "unknown"', "below 5", 0),
        # Not both blank cells of C are larger, but if c stands for 1 to 4, both of A are 4 where they are 8 together.
        (SOME_BLANK.format(8, 15), "markers.c = [1, inf]", "below 5", 3),
        (SOME_BLANK.format(30, 37), "markers.c = [1, inf]", "below 5", 0),
        # A cell that can only be 0 refutes nothing.
        (ONLY_0, "markers.c = [1, inf]", "below 5", 3),
        # If x stands for 5 and more, the blank cell is at most 4, and so is s: of 8 both are 4. Of 13, it cannot be.
        (ONE_BLANK.format(8), "markers = { s = [1, 4], x = [5, inf] }", "above 4", 3),
        (ONE_BLANK.format(8), 'markers = { s = [1, 4], x = [5, inf] }\nabsent = "unknown"', "above 4", 0),
        (ONE_BLANK.format(13), "markers = { s = [1, 4], x = [5, inf] }", "above 4", 0),
    ],
)
def test_what_blank_cells_beside_markers_may_be_is_asked_about_where_it_matters(rows, rules, said, code, tmp_path):
    found = verdict(written(tmp_path, [row.split(",") for row in rows.split()], table=f"{TABLE}{rules}"))
    assert (found[0], f"if counts {said} have a marker" in found[1]) == (code, code == 3)


def test_each_release_with_blank_cells_is_read_by_itself(tmp_path):
    """In the first release, c hides the large count, too; the second leaves it blank."""
    rows = [("A", "f", "c"), ("A", "m", "c"), ("A", "All", "9"), ("B", "f", "11"), ("B", "m", "6"), ("B", "All", "17"),
            ("All", "f", ""), ("All", "m", ""), ("All", "All", "26")]  # fmt: skip
    folder = written(tmp_path, rows, table=f"{TABLE}markers.c = [1, inf]", releases=2)
    second = folder / "releases/2.csv"
    for cell, code in (("A,m,c", 0), ("A,m,", 3)):
        text = "\n".join(["area,sex,n", "A,f,c", cell, "A,All,6", "B,f,12", "B,m,7", "B,All,19", "All,All,25"])
        second.write_text(f"{text}\n", encoding="utf-8")
        assert verdict(folder)[0] == code


ROUNDED = 'markers.c = [1, 4]\nrounding = { to = 5, how = "nearest" }\nexact = ["no-2.csv", "none-2.csv", "more-2.csv"]'
NOTE_BELOW = {"notes": ["", "c = 1 to 4"], "rounding": ["", "Note: numbers are rounded to the nearest multiple of 5"]}
READ_ALONE = {
    "blanks": ("markers.c = [1, inf]", "A,f,c A,m,c A,All,9 B,f,", "A,f, A,m,40", "A,f,c A,m, A,All,6"),
    "notes": ("markers.c = [1, 9]", "A,f,c A,m,c A,All,10", "A,f,c A,m,40", "A,f,c A,m,c A,All,8"),
    "rounding": (
        'rounding = { to = 10, how = "nearest" }',
        "A,f,20 A,m,20 A,d,20 A,x,20 A,All,100",
        "A,f,40 A,m,40 A,d,40 A,x,40 A,All,160",
        "A,f,10 A,m,10 A,d,10 A,x,0 A,All,40",
    ),
    "markers": (ROUNDED, "A,f,5 A,m,5 A,d,c A,All,9", "A,f,40 A,m,45 A,d,50 A,All,136", "A,f,5 A,m,5 A,d,c A,All,11"),
}


@kills("audit.count_tables.second_reading._disclosing", "together is None and ", "False and ")
@kills("audit.count_tables.second_reading._disclosing", "for one in each if", "for one in each[:1] if")
@pytest.mark.many
@pytest.mark.parametrize("order", [*permutations(("no", "none", "more"))], ids="-".join)
@pytest.mark.parametrize("reading", READ_ALONE)
def test_each_release_is_read_by_itself_where_one_contradicts_a_reading(reading, order, tmp_path):
    """Whichever comes first: one contradicts the reading, from one no more follows, and one discloses by it."""
    rules, *texts = READ_ALONE[reading]
    tables, releases = dict[str, list[str]](), list[str]()
    for tag, text in zip(("no", "none", "more"), texts, strict=True):
        rows = text.split()
        parts = [rows[:-1], rows[-1:]] if reading == "markers" else [rows]
        note = NOTE_BELOW.get(reading, [])
        tables |= {f"{tag}-{number}.csv": ["area,sex,n", *part, *note] for number, part in enumerate(parts, 1)}
    for tag in order:
        releases.append(f'{{ tag = "{tag}", tables = {json.dumps([each for each in tables if tag == each[:-6]])} }}')
    series = f"releases = [{', '.join(releases)}]"
    folder = write_tables(tmp_path, tables, f'{TABLE}over_time = "independent"\n{rules}', series=series)
    assert verdict(folder)[0] == 3
    (folder / "series.toml").write_text(
        re.sub(r'\{ tag = "more".*?\}(, )?', "", (folder / "series.toml").read_text().replace(', "more-2.csv"', ""))
    )
    for path in folder.glob("more-*"):
        path.unlink()
    assert verdict(folder)[0] == 0


@kills("audit.count_tables.read_counts._refuse_lone_rows", "text != own or", "True or")
@kills("audit.init.count_tables._read_below", "often.subtract(", "iter(")
@pytest.mark.parametrize("note", ["Stand 12.03.2024", "Ohne Privatkliniken erhoben", "Residents in March"])
def test_a_note_below_each_table_is_no_label(note, tmp_path):
    """As a label of unknown count it would keep sums from saying what is hidden."""
    table = f"{TABLE}markers.c = [1, 4]"
    rows = [("A", "f", "c"), ("A", "m", "20"), ("A", "All", "23"), ("B", "f", "9"), ("B", "m", "8"), ("B", "All", "17"),
            ("All", "f", "12"), ("All", "m", "28"), ("All", "All", "40")]  # fmt: skip
    assert verdict(written(tmp_path / "plain", rows, table=table, releases=2))[0] == 1
    code, _, error = run_main(str(written(tmp_path / "noted", [*rows, (note, "", "")], table=table, releases=2)))
    assert (code, "only the first cell" in error) == ((1, False) if "2024" in note else (2, True))
    folder = tmp_path / "noted"
    (folder / "series.toml").unlink()
    assert run_main("init", str(folder), "--yes")[0] == code // 2 * 2
    assert (folder / "series.toml").exists() == (code == 1)


@pytest.mark.parametrize(
    ("header", "said"),
    [
        (["Patients 2022,", ",", "area,n"], "1.csv:3: this row may be the header"),
        (["area,"], "1.csv:1: the column with the counts has no name"),
    ],
)
def test_counts_below_a_title_without_a_name_are_refused(header, said, tmp_path):
    (tmp_path / "1.csv").write_text("\n".join([*header, "A,12", "B,c", "C,31", "All,46"]) + "\n")
    code, _, error = run_main("init", str(tmp_path), "--yes")
    assert (code, error.count("\n"), said in error) == (2, 1, True)


@pytest.mark.parametrize(("name", "code"), [("percent", 0), ("n", 2)])
def test_percentages_beside_counts_with_a_flag_are_read_if_their_column_has_a_name_of_its_own(name, code, tmp_path):
    cells = [("A", "f", 12), ("A", "m", 20), ("A", "All", 32), ("B", "f", 9), ("B", "m", 8), ("B", "All", 17),
             ("All", "f", 21), ("All", "m", 28), ("All", "All", 49)]  # fmt: skip
    bases = {area: n for area, sex, n in cells if sex == "All"}
    for quarter in ("2024-q1", "2024-q2"):
        (folder := tmp_path / quarter).mkdir()
        counts = [f"{area},{sex},{n}{'r' * (n == 9)}" for area, sex, n in cells]
        rates = [f"{area},{sex},{100 * n / bases[area]:.1f}" for area, sex, n in cells]
        (folder / "counts.csv").write_text("\n".join(["area,sex,n", *counts]) + "\n")
        (folder / "rates.csv").write_text("\n".join([f"area,sex,{name}", *rates]) + "\n")
    found, out, error = run_main("init", str(tmp_path), "--yes")
    assert (found, "give their column a name of its own" in error) == (code, code == 2), out + error
    if not code:
        manifest = (tmp_path / "series.toml").read_text(encoding="utf-8")
        assert all(each in manifest for each in ('rates = { column = "percent"', 'flags = ["r"]'))


@kills("audit.count_tables.cell_rates.telling_signs", "len(some) > 1", "len(some) > 2")
@pytest.mark.many
@pytest.mark.parametrize("form", ["column", "base", "measure", "alone"])
@pytest.mark.parametrize(
    ("signs", "kept", "code"),
    [(("*", ".."), '"x"', 3), (("*", ""), '"x"', 3), (("..", ".."), '"x"', 0), (("*", ".."), '"x", ".."', 0)],
)
def test_signs_of_rates_that_tell_hidden_counts_apart_are_undecided(form, signs, kept, code, tmp_path):
    """Beside equal signs for both counts, "*" said that one is 1 to 4, and so that the other one is 7 to 10."""
    rows = [("A", "f", "c", signs[0]), ("A", "m", "c", signs[1]), ("A", "All", "11", "100"),
            ("B", "f", "9", "53"), ("B", "m", "8", "47"), ("B", "All", "17", "100")]  # fmt: skip
    whole = {"A": "11", "B": "17"}
    files = {
        "column": {"1.csv": ["area,sex,n,pct,x", *(",".join((*row, "7")) for row in rows)]},
        "base": {"1.csv": ["area,sex,n,pct,of,x", *(",".join((*row, whole[row[0]], "7")) for row in rows)]},
        "measure": {
            "1.csv": ["area,sex,what,n,x", *(f"{a},{s},count,{n},7\n{a},{s},pct,{pct},7" for a, s, n, pct in rows)]
        },
        "alone": {
            "1.csv": ["area,sex,n,x", *(f"{a},{s},{n},7" for a, s, n, _ in rows)],
            "2.csv": ["area,sex,pct", *(f"{a},{s},{pct}" for a, s, _, pct in rows)],
        },
    }[form]
    rate = 'column = "pct", denominator = { sex = "All" }'
    rate = rate.replace('{ sex = "All" }', '"of"') if form == "base" else rate
    rate, measure = (
        (rate.replace("column", "measure", 1), 'measure = "what"\nmeasures = ["count"]\n')
        if form == "measure"
        else (rate, "")
    )
    table = (
        f'dimensions = ["area", "sex"]\nvalue = "n"\ntotals = {{ sex = "All" }}\n{measure}not_counts = [{kept}]\n'
        f'markers = {{ c = [1, 10], "*" = [1, 4], ".." = [1, 10] }}\nrates = {{ {rate}, per = 100, decimals = 0 }}'
    )
    listed = f'releases = [{{ tag = "1", tables = {json.dumps([*files])} }}]'
    assert asks(write_tables(tmp_path, files, table, series=listed), "different signs in pct") == code


@kills("audit.count_tables.cell_rates._shown", "found[row] = sign", "pass")
@kills("audit.count_tables.cell_rates.telling_signs", "text not in manifest.not_published and ", "")
@pytest.mark.parametrize(
    ("counts", "rates", "code"),
    [("z x", "z x", 0), ("z ", "z ", 0), ("z z", "z x", 3), ("x z", "z z", 0)],
    ids=["as the counts", "emptied", "of one sign", "one sign"],
)
def test_signs_of_rates_that_are_those_of_the_counts_tell_nothing_apart(counts, rates, code, tmp_path):
    """Signs for no count were read as empty cells, which show the same."""
    (first, second), (one, other) = counts.split(" "), rates.split(" ")
    rows = [
        ("A", "f", first, one),
        ("A", "m", "20", "2.0"),
        ("A", "d", "30", "3.0"),
        ("A", "All", "91", "9.1"),
        ("B", "f", second, other),
        ("B", "m", "25", "2.5"),
        ("B", "d", "35", "3.5"),
        ("B", "All", "81", "8.1"),
    ]
    table = TABLE.replace('area = "All", ', "") + 'not_published = ["x", "z"]\n'
    table += 'rates = { column = "pct", per = 100, decimals = 1, denominator = "people" }\n'
    rows = [(*row, "1000") for row in rows]
    assert asks(written(tmp_path, rows, "area,sex,n,pct,people", table), "different signs in pct") == code


@kills("audit.count_tables.cell_rates.telling_signs", "at, whole == label, kind", "kind")
@kills("audit.count_tables.cell_rates.telling_signs", "whole == label, kind", "whole == label")
def test_signs_of_rates_without_a_denominator_differ_from_others(tmp_path):
    """A total without a rate, and a denominator that is not published, do not tell hidden counts apart."""
    rows = [
        ("A", "f", "c", "c"),
        ("A", "m", "c", "c"),
        ("A", "All", "c", ""),
        ("B", "f", "c", ".."),
        ("B", "All", "", ".."),
    ]
    folder = written(
        tmp_path,
        rows,
        "area,sex,n,pct",
        TABLE.replace('area = "All", ', "") + 'markers = { c = [0, inf], ".." = [0, inf] }\n'
        'rates = { column = "pct", per = 100, decimals = 0, denominator = { sex = "All" } }\n',
    )
    assert verdict(folder)[:2] == (0, "[]")


POPULATIONS = TABLE + (
    'markers.c = [1, inf]\nnot_published = ["*", ".."]\n'
    'rates = { column = "rate", per = 1000, decimals = 2, denominator = "people" }\n'
)


def with_populations(hidden):
    """A table whose cells of A and B are hidden; `hidden` has their denominators and rates."""
    counts = ["c", "c", "22", "c", "c", "37", "30", "31", "61", "47", "73", "120"]
    shown = {2: ("8000", "2.75"), 5: ("8000", "4.62"), 6: ("4100", "7.32"), 7: ("3900", "7.95"), 8: ("8000", "7.62"),
             9: ("12300", "3.82"), 10: ("11700", "6.24"), 11: ("24000", "5.00")}  # fmt: skip
    beside = {**shown, **dict(zip((0, 1, 3, 4), hidden, strict=True))}
    cells = [(area, sex) for area in ("A", "B", "C", "All") for sex in ("f", "m", "All")]
    return [(*cell, counts[row], *beside[row]) for row, cell in enumerate(cells)]


@kills("audit.count_tables.cell_rates.telling_gaps", "len(some) > 1", "len(some) > 2")
@pytest.mark.many
@pytest.mark.parametrize("signs", [("*", ".."), ("*", ""), ("*", "*")])
@pytest.mark.parametrize("blank", ["", ".."])
@pytest.mark.parametrize("declared", [False, True])
def test_denominators_of_some_hidden_counts_are_undecided(declared, blank, signs, tmp_path):
    """A blank denominator says as much as a sign: that only the count with a population is small."""
    rows = with_populations([("4100", signs[0]), *[(blank, signs[1])] * 3])
    table = POPULATIONS + 'not_counts = ["people"]\n' * declared
    code, why, _ = verdict(written(tmp_path, rows, "area,sex,n,people,rate", table))
    assert (code, "a number in people, and others have none" in why) == (3, True)


@pytest.mark.parametrize("hidden", [[("4100", "*")] * 4, [("", "*")] * 4])
def test_denominators_of_all_hidden_counts_or_of_none_tell_none_apart(hidden, tmp_path):
    folder = written(tmp_path, with_populations(hidden), "area,sex,n,people,rate", POPULATIONS)
    assert verdict(folder)[:2] == (0, "[]")


@kills("audit.count_tables.cell_rates.telling_gaps", "shown - {", "{*()} - {")
def test_denominators_that_a_label_lacks_tell_no_count_apart(tmp_path):
    """The total of B shows its count, and has no population either."""
    rows = [(*row[:3], "", "") if row[0] == "B" else row for row in with_populations([("4100", "*")] * 4)]
    assert verdict(written(tmp_path, rows, "area,sex,n,people,rate", POPULATIONS))[:2] == (0, "[]")
    small = [row for row in rows if row[:2] != ("B", "All")]
    assert verdict(written(tmp_path, small, "area,sex,n,people,rate", POPULATIONS))[0] == 3


@kills("audit.count_tables.candidate._numbers", "(manifest.not_counts - manifest.denominators)", "manifest.not_counts")
def test_a_repair_keeps_denominators_that_say_nothing_about_the_counts(tmp_path):
    """Blanks beside the cells that it hides would say that the others are small."""
    rows = with_populations([("4100", "c"), ("3900", "4.87"), ("4100", "4.39"), ("3900", "4.87")])
    new = {1: "19", 3: "18", 4: "19", 9: "51", 10: "69"}
    rows = [(*row[:2], new.get(place, row[2]), *row[3:]) for place, row in enumerate(rows)]
    rows[9], rows[10] = (*rows[9][:4], "4.15"), (*rows[10][:4], "5.90")
    table = POPULATIONS + 'not_counts = ["people"]\n'
    folder, out = written(tmp_path / "s", rows, "area,sex,n,people,rate", table), tmp_path / "out"
    file = folder / "releases/1.csv"
    assert run_main("repair", str(folder), str(file), "--output", str(out))[::2] == (0, "")
    repaired = [tuple(row.split(",")) for row in (out / "1.csv").read_text(encoding="utf-8").splitlines()[1:]]
    assert sum(row[2] == "c" for row in repaired) > 1
    assert [row[3] for row in repaired] == [row[3] for row in rows]
    file.write_bytes((out / "1.csv").read_bytes())
    assert run_main(str(folder))[0] == 0


FIRST = [("N", "f", "8"), ("N", "m", "*"), ("N", "All", "11"), ("S", "f", "5"), ("S", "m", "9"), ("S", "All", "14"),
         ("All", "f", "13"), ("All", "m", "12"), ("All", "All", "25")]  # fmt: skip
FEW = TABLE + 'markers = { "*" = [1, 4] }\n'


def test_the_last_release_of_a_series_is_judged_as_if_it_were_not_in_it(tmp_path):
    folder = written(tmp_path / "s", FIRST, table=FEW, releases=2)
    last, found = str(folder / "releases/2.csv"), []
    for releases in (2, 1):
        edit(folder / "series.toml", ', "releases/2.csv"' * (releases == 1), "")
        code, out, _ = run_main("next", str(folder), last, "--format", "json")
        answer = json.loads(out)
        new = [each["id"] for attack in answer["attacks"] for each in attack["new_findings"]]
        found.append((code, answer["before"]["policy"], new, answer["cells"]["hide"]))
    assert found[0] == found[1]
    assert found[0][0] == 1


def test_what_else_may_violate_a_violated_clause_is_said_beside_the_advice(tmp_path):
    """The year is the sum of its quarters, which hide counts; both clauses are violated by the year alone."""
    quarter = {("N", "f"): 20, ("E", "f"): 5, ("S", "f"): 2, ("N", "m"): 40, ("E", "m"): 1, ("S", "m"): 4}

    def lines(times, more, hidden, left_out=()):
        rows = ["area,sex,n"]
        for area in ("N", "E", "S", "All"):
            for sex in ("f", "m", "All"):
                n = sum(times * n for (a, s), n in quarter.items() if area in (a, "All") and sex in (s, "All"))
                n += 10 * more * (area in ("N", "All")) * (sex != "m")
                rows += [f"{area},{sex},{'s' if (area, sex) in hidden else n}"] * ((area, sex) not in left_out)
        return rows

    inner = {(area, sex) for area in "ES" for sex in "fm"}
    tables = {f"2023-Q{number}.csv": lines(1, more, inner) for number, more in enumerate((0, 1, 4, 9), 1)}
    assert run_main(str(write_tables(tmp_path, tables, TABLE + "markers.s = [0, inf]")))[0] == 0
    candidate = tmp_path / "2023.csv"
    candidate.write_text("\n".join([*lines(4, 14, {("S", "f")}, {("E", "m")}), ""]), encoding="utf-8")
    code, out = printed("next", str(tmp_path), str(candidate))
    assert code == 1
    assert 'More may violate min_count and min_width: release "2023" is the sum of others' in out
    assert "audit again. - What follows is right only as far as the verdict is decided. - Hide" in out
    code, out = printed("repair", str(tmp_path), str(candidate), "--output", str(tmp_path / "repaired"))
    assert (code, 'release "2023" is the sum of others' in out) == (3, True), out


def with_note(folder, numbers, note, more=""):
    """A table by area and sex, with an s in place of counts up to 10, and a note below it."""
    cells = dict(zip([(area, sex) for area in "ABC" for sex in "fm"], numbers, strict=True))
    rows = [f"{area};{sex};{'s' if n <= 10 else n}" for (area, sex), n in cells.items()]
    for area, sex in [*((area, "All") for area in ("A", "B", "C", "All")), ("All", "f"), ("All", "m")]:
        rows.append(f"{area};{sex};{sum(n for (a, s), n in cells.items() if area in (a, 'All') and sex in (s, 'All'))}")
    lines = ["area;sex;n", *rows, "", note]
    return str(write_tables(folder, {"1.csv": lines}, f"{TABLE}markers.s = [1, inf]\n{more}"))


@kills("audit.count_tables.note_numbers.noted_range", "text not in without", "True")
@kills("audit.count_tables.note_numbers.noted_range", "any(ALSO_OTHERS.search(words) for _, words in notes)", "False")
@pytest.mark.parametrize(
    ("numbers", "note", "more", "code"),
    [
        ((10, 10, 10, 10, 40, 50), "s : 1 à 10", "", 3),
        ((10, 10, 10, 10, 40, 50), "s : 1 à 10", 'not_counts = ["s : 1 à 10"]\n', 0),
        ((10, 10, 10, 10, 40, 50), "s : 1 à 10, ou secret secondaire", "", 0),
        ((10, 10, 10, 10, 40, 50), "s : inférieur à 11, ou masqué pour en protéger d'autres", "", 0),
        ((10, 10, 10, 10, 40, 50), "s : secret statistique", "", 0),
        ((7, 8, 6, 9, 40, 50), "s : 1 à 10", "", 0),
        ((10, 10, 10, 10, 40, 50), "s : 1 à 9", "", 0),
    ],
    ids=["more follows", "read", "others too", "others masked", "no range", "nothing follows", "refuted"],
)
def test_a_note_that_says_less_of_a_sign_than_the_manifest_is_read(numbers, note, more, code, tmp_path):
    """Two counts of 20 people are 10 each, if none is larger, as readers know from the note."""
    found, out, _ = run_main(with_note(tmp_path, numbers, note, more))
    assert (found, 'a note says of "s"' in out) == (code, code == 3), out


@kills("audit.init.count_forms._add_codes", "is_label_name(name) or not", "True or not")
@kills("audit.init.count_forms._add_codes", "(is_label_name(name) or not any(", "(not any(")
@pytest.mark.parametrize("text", ["<5", "1-4", "1 bis 4", "(\u22644)"])
@pytest.mark.parametrize(("name", "code"), [("divers", 3), ("Alter", 0)])
def test_a_column_that_has_one_range_everywhere_is_no_constant_of_labels(text, name, code, tmp_path):
    """All of its counts may be hidden; `audit init` said that they are no counts, and the policy held."""
    rows = ["Nord;26;", "S\u00fcd;31;", "Ost;44;", "Insgesamt;101;"]
    (tmp_path / "1.csv").write_text(
        "\n".join([f"Kreis;Anzahl;{name}", *(f"{row}{text}" for row in rows), ""]), encoding="utf-8"
    )
    manifest = tmp_path / "series.toml"
    manifest.write_text(drafted(tmp_path).partition("[unconfirmed]")[0], encoding="utf-8")
    assert asks(tmp_path, f'not judged: "{name}"') == code


@kills("audit.count_tables.release_doubts._sum_in_another_dimension", "2 * release + wholes", "2 * release + parts")
@pytest.mark.parametrize(("header", "more", "code"), [("Region", 0, 3), ("Region", 1, 0), ("District", 0, 1)])
def test_a_label_that_is_the_sum_of_those_of_another_dimension_is_asked_about(header, more, code, tmp_path):
    """Two districts of different regions hide a number, which their regions show; or these count other people, too."""
    regions, ages = {"West": "ABE", "East": "DGH", "South": "CF"}, ["0-5", "6-17", "18-64", "65+"]
    of = {
        (area, age): 20 + 7 * n**2 % 101 + 31 * row for n, area in enumerate("ABCDEFGH") for row, age in enumerate(ages)
    }
    of["A", "0-5"], of["C", "0-5"] = 8, 9
    shown = of | dict.fromkeys([("A", "0-5"), ("C", "0-5"), ("A", "18-64"), ("C", "18-64")], "*")
    rows = [f"{area},{age},{n}" for (area, age), n in shown.items()]
    rows += [f"{area},All,{sum(of[area, age] for age in ages)}" for area in "ABCDEFGH"]
    sums = [(region, age, sum(of[area, age] for area in some)) for region, some in regions.items() for age in ages]
    tables = {
        "1.csv": ["District,age,n", *rows],
        "2.csv": [
            f"{header},age,n",
            *(f"{region},{age},{n + more * {'West': 3, 'East': -3, 'South': 0}[region]}" for region, age, n in sums),
        ],
        "areas.csv": ["label,atom", *(f"{area},{area}" for area in "ABCDEFGH")]
        + [f"{region},{area}" for region, some in regions.items() for area in some],
    }
    table = f'dimensions = {json.dumps([*dict.fromkeys(["District", "age", header])])}\nvalue = "n"\n'
    table += 'totals.age = "All"\ntotals.District = "All"\nmarkers."*" = [1, inf]\n'
    table += 'totals.Region = "All"\n' if header == "Region" else 'categories.District = "areas.csv"\n'
    write_tables(tmp_path, tables, table, series='releases = [{ tag = "1", tables = ["1.csv", "2.csv"] }]')
    assert asks(tmp_path, " of Region is the sum of ") == code


def tiny_levels(folder, rng, inner, outer):
    """Write random tables by two levels, as two dimensions and as one with categories; return the folders."""
    parts, sexes = [f"d{at}" for at in range(rng.choice([3, 4, 5]))], rng.choice([["f", "m", "all"], ["all"]])
    numbers = {part: {sex: rng.randrange(40) for sex in sexes[:-1] or sexes} for part in parts}
    for own in numbers.values():
        own["all"] = sum(own.values())
    wholes = {"R0": parts[::2], "R1": parts[1::2], "All": parts}
    shown = {part: {sex: "*" if n in range(1, 5) or rng.random() < 0.25 else n for sex, n in own.items()}
             for part, own in numbers.items()}  # fmt: skip
    shown |= {label: {sex: sum(numbers[part][sex] for part in some) for sex in sexes} for label, some in wholes.items()}
    lines = {label: [f"{label},{sex},{own[sex]}" for sex in sexes] for label, own in shown.items()}
    table = 'value = "n"\nmarkers."*" = [0, inf]\ntotals = { sex = "all"'
    covers = [
        "label,atom",
        *(f"{part},{part}" for part in parts),
        *(f"{w},{p}" for w in ("R0", "R1") for p in wholes[w]),
    ]
    found, series = [], 'releases = [{ tag = "1", tables = ["1.csv", "2.csv"] }]'
    for name, names, more in (("two", [inner, outer], ""), ("one", [inner], f'categories.{inner} = "c.csv"\n')):
        tables = {
            "1.csv": [f"{inner},sex,n", *chain(*(lines[label] for label in [*parts, "All"]))],
            "2.csv": [f"{names[-1]},sex,n", *chain(*(lines[label] for label in wholes))],
            "c.csv": covers,
        }
        totals = "".join(f', {each} = "All"' for each in names)
        text = f"dimensions = {json.dumps(['sex', *names])}\n{more}{table}{totals} }}\n"
        found.append(write_tables(folder / name, tables, text, series=series))
    return found


@kills("audit.count_tables.other_readings.nestings", "may_nest(*found.names) or ", "")
@kills("audit.count_tables.other_readings.WaySearch.run", "(sums[0] > self.wholes[1]).any() or ", "True or ")
@pytest.mark.parametrize(
    ("names", "codes"),
    [(("district", "region"), [3, 3, 3, 0, 0]), (("course", "faculty"), [3, 3, 3, 0, 0]), (("age", "origin"), [0] * 5)],
)
def test_tables_by_level_do_not_hold_if_levels_disclose_more(names, codes, tmp_path):
    """Regions beside districts disclose what districts hide. In tables so small, sums are not beyond chance."""
    series = [tiny_levels(tmp_path / f"{seed}", random.Random(seed), *names) for seed in (4, 5, 8, 9, 16)]  # noqa: S311
    assert [printed(str(one))[0] for _, one in series] == [1, 1, 1, 0, 0]
    assert [printed(str(two))[0] for two, _ in series] == codes


@pytest.mark.parametrize("seed", range(drawn(60)))
def test_no_tables_by_level_hold_that_disclose_something_together(seed, tmp_path):
    two, one = tiny_levels(tmp_path, random.Random(seed), "district", "region")  # noqa: S311
    assert printed(str(two))[0] in {1, 3} or not printed(str(one))[0]


@kills(
    "audit.count_tables.release_doubts._sum_in_another_dimension",
    "np.intersect1d(release[wholes], release[parts])",
    "np.unique(release[wholes])",
)
def test_areas_of_a_total_alone_are_compared_with_labels_of_no_other_dimension(tmp_path):
    """The table shows no sex, and no total of its areas (exit 4 before)."""
    assert (
        verdict(written(tmp_path, [("A", "All", "9"), ("B", "All", "*")], table=TABLE + 'markers."*" = [1, 4]\n'))[0]
        == 0
    )


@pytest.mark.parametrize("tags", ["1 2", "2 1"], ids=["first", "last"])
def test_a_note_below_several_releases_is_about_each_of_them(tags, tmp_path):
    """Two counts of 8 people are 4 each in one release, as readers know from the note; the other has no sign."""
    hides, shows = tags.split()
    rows = [f"{hides},A,20", f"{hides},B,*", f"{hides},C,*", f"{hides},All,28"]
    rows += [f"{shows},A,41", f"{shows},B,33", f"{shows},C,27", f"{shows},All,101"]
    tables = {"t.csv": ["year,area,n", *sorted(rows), "", "* = 1 to 4"]}
    table = 'dimensions = ["area"]\nvalue = "n"\ntotals.area = "All"\nover_time = "independent"\nmarkers."*" = [1, 9]'
    by_year = 'releases = ["t.csv"]\nreleases_by = "year"'
    code, out = printed(str(write_tables(tmp_path, tables, table, series=by_year)))
    assert (code, 'a note says of "*"' in out) == (3, True), out


@kills("audit.count_tables.candidate._signs", "is_true[row] and ", "")
@pytest.mark.parametrize(
    ("note", "sign"),
    [("s : 1 à 10", ""), ("s : secret statistique", "s"), ("s : inférieur à 11, ou masqué", "s")],
)
def test_a_repair_leaves_no_note_that_is_wrong(note, sign, tmp_path):
    folder = with_note(tmp_path, (8, 44, 48, 51, 55, 58), note)
    code, out, _ = run_main("repair", folder, str(tmp_path / "1.csv"), "--output", str(tmp_path / "new"))
    lines = (tmp_path / "new/1.csv").read_text(encoding="utf-8").splitlines()
    assert (code, lines[1:5], lines[-1]) == (0, ["A;f;s", f"A;m;{sign}", f"B;f;{sign}", f"B;m;{sign}"], note), out


ALL_INNER_HIDDEN = [(*labels, "c" if count in {"12", "15", "22", "30"} else count) for *labels, count in NUMBERS]


@kills("audit.count_tables.note_numbers.notes_among_rows", "<= last", "<= 10**9")
@kills("audit.count_tables.note_numbers.notes_among_rows", "if labels[row] not in known", "if False")
@pytest.mark.parametrize(
    ("last", "code"),
    [
        (["1)", "2 of the women in A are sisters"], 3),
        (["Notes", "2 of them are sisters"], 3),
        (["A women", "2"], 3),
        (["¹", "In B war es einmal 3 Männer"], 3),
        (["1)", "Rounding is not used."], 0),
        (["C", "f"], 0),
        (["A", "90 and over"], 0),
    ],
)
def test_a_note_in_several_cells_is_not_passed_over(last, code, tmp_path):
    """Such a line was read as a row of labels whose count is blank, and the policy held."""
    table = TABLE + "markers = { c = [1, inf] }\n"
    folder = written(tmp_path / "divided", [*ALL_INNER_HIDDEN, (*last, "")], table=table)
    assert asks(folder, "may be a note with a count") == code


@kills("audit.count_tables.other_readings.equal_labels", "or (one, other) in named", "")
@kills("audit.count_tables.other_readings.equal_labels", "is_shown or ", "")
@kills("audit.count_tables.other_readings.pairs_of_equals", "some.issuperset", "some.isdisjoint")
@kills("audit.count_tables.second_reading._equal_labels_disclose_more", "counts.dimensions if", "() if")
@pytest.mark.parametrize("covers", [[], ["04,04", "974,974", "97400,97400", "11,11", "12,12"]])
@pytest.mark.parametrize("by", ["numbers", "names"])
@pytest.mark.parametrize("places", [("04", "974", "97400"), ("97400", "974", "04")])
def test_labels_with_equal_numbers_may_count_the_same_people(places, by, covers, tmp_path):
    """One place under three codes, which hide different cells; small numbers alone may be equal by chance."""
    counts = {"f": (1, 500, 400), "m": (700, 600, 300)} if by == "numbers" else {"f": (1, 2, 3), "m": (4, 2, 3)}
    rows = []
    for code, hidden in {**dict(zip(places, ("ab", "ab", "ac"), strict=True)), "11": "", "12": ""}.items():
        beside = [code, *([{"11": "Paris", "12": "Lyon"}.get(code, "La Réunion")] if by == "names" else [])]
        own = {sex: [n + int(code) * (code in {"11", "12"}) for n in some] for sex, some in counts.items()}
        own["All"] = [sum(some) for some in zip(*own.values(), strict=True)]
        for sex, some in own.items():
            shown = {age: "s" if age in hidden and sex != "All" else n for age, n in zip("abc", some, strict=True)}
            rows += [(*beside, age, sex, str(n)) for age, n in [*shown.items(), ("All", sum(some))]]

    def judged(lines, more=""):
        table = 'dimensions = ["code", "age", "sex"]\nvalue = "n"\ntotals = { age = "All", sex = "All" }\n'
        table += "markers.s = [1, inf]\n" + 'categories.code = "code.csv"\n' * bool(lines) + more
        folder = written(tmp_path, rows, f"code,{'name,' * (by == 'names')}age,sex,n", table, "min_count = 2")
        (folder / "code.csv").write_text("\n".join(["label,atom", *lines, ""]), encoding="utf-8")
        return verdict(folder)

    code, why, found = judged(covers)
    assert (code, found) == (3, [])
    one, other, third = (f'\\"{each}\\"' for each in places)
    assert f"{one} and {other}, {one} and {third}" in why
    assert judged(["04,04", "974,04", "97400,04", "11,11", "12,12"])[0] == 1
    others = ["04,04", "974,974", "97400,97400", "11,11", "12,12"]
    assert judged([*others, *(f"all,{each}" for each in ("04", "974", "97400"))])[0] == 0
    rows = [row for row in rows if row[0] != "974"]  # as a code it has 97400 inside
    code, why, _ = judged([], 'codes = ["code"]\n')
    assert (code, f"{one} and {third}" in why) == (3, True)


@kills("audit.count_tables.doubts._columns_of_numbers", "len(some) == 1", "False")
@pytest.mark.parametrize(("sign", "code"), [("*", 3), ("[c]", 3), ("..", 3), ("-", 0)])
def test_a_column_whose_counts_are_all_hidden_is_not_passed_over(sign, code, tmp_path):
    """What is left of the total is its count, which is too large for the policy unless it is hidden."""
    rows = [("A", "20", "30", sign, "67"), ("B", "40", "25", sign, "84"), ("All", "60", "55", sign, "151")]
    table = 'dimensions = ["area"]\ntotals = { area = "All", sex = "All" }\nopen = ["sex"]\n'
    table += 'wide = { dimension = "sex", columns = { f = "f", m = "m", All = "All" } }'
    assert asks(written(tmp_path, rows, "area,f,m,x,All", table, "min_count = 10"), 'not judged: "x"') == code
    table = (
        table.replace('open = ["sex"]\n', "").replace('m = "m"', 'm = "m", x = "x"') + f'\nmarkers."{sign}" = [0, inf]'
    )
    assert verdict(written(tmp_path, rows, "area,f,m,x,All", table, "min_count = 10"))[0] == 1


def with_new_names(folder, seed, new, more="", *, nested=False):
    """Two years of districts in regions, some cells of which are hidden in the second; some have new names there.

    Categories place the new names in no region; in nested columns, both names stand beside one region.
    """
    rng = random.Random(seed)  # noqa: S311
    regions, tables = {"R": "abc", "S": "de"}, {}
    for year in ("2022", "2023"):
        numbers = {(area, sex): rng.randint(5, 60) for area in "abcde" for sex in "fm"}
        numbers |= {(area, "All"): numbers[area, "f"] + numbers[area, "m"] for area in "abcde"}
        hidden = {area for area in "abcde" if year == "2023" and rng.random() < 0.4}
        rows = {cell: "*" if cell[0] in hidden and (nested or cell[1] != "All") else n for cell, n in numbers.items()}
        rows |= {(region, sex): sum(numbers[area, sex] for area in some) for region, some in regions.items()
                 for sex in ("f", "m", "All")}  # fmt: skip
        names = new if year == "2023" else {}
        tables[f"{year}.csv"] = [
            "area,sex,n",
            *(f"{names.get(area, area)},{sex},{n}" for (area, sex), n in rows.items()),
        ]
    covers = [*(f"{area},{area}" for area in (*"abcde", *new.values())), more]
    covers += [f"{region},{area}" for region, some in regions.items() for area in some]
    tables["areas.csv"] = ["label,atom", *filter(None, covers)]
    table = 'dimensions = ["area", "sex"]\nvalue = "n"\ntotals.sex = "All"\nmarkers."*" = [1, inf]\n'
    series, said = 'releases = ["2022.csv", "2023.csv"]', 'categories.area = "areas.csv"'
    if nested:
        inside = {new.get(area, area): region for region, some in regions.items() for area in some}
        inside |= {area: region for region, some in regions.items() for area in some}
        del tables["areas.csv"]
        for name, rows in tables.items():
            beside = [row.partition(",") for row in rows[1:]]
            beside = [(inside.get(area, area), area * (area in inside), more) for area, _, more in beside]
            tables[name] = ["region,district,sex,n", *map(",".join, beside)]
        said = f'nested.area = ["region", "district"]\ntotals.area = "All"\n{more}'
    return str(write_tables(folder, tables, f"{table}{said}", series=series))


@pytest.mark.parametrize(
    ("seed", "nested", "new"),
    rotated(120, [False, True], [{"a": "x"}, {"a": "x", "b": "y"}, {"a": "x", "b": "y", "d": "z"}]),
)
def test_no_district_with_a_new_name_hides_what_its_region_discloses(seed, nested, new, tmp_path):
    """Its region could count people of the old name, too."""
    renamed = printed(with_new_names(tmp_path / "new", seed, new, nested=nested))[0]
    assert renamed in {1, 3} or not printed(with_new_names(tmp_path / "old", seed, {}, nested=nested))[0]


@kills("audit.count_tables.other_readings.renamings", " and not any(atom in some for some in wholes.values())", "")
@kills("audit.count_tables.other_readings.renamings", "set[str]().union(*shown) - own", "set[str]()")
@pytest.mark.parametrize(("more", "code"), [("", 3), ("all,x\nall,a", 0)], ids=["not said", "others"])
def test_a_district_with_a_new_name_is_asked_about_unless_it_is_another_one(more, code, tmp_path):
    found, out, err = run_main(with_new_names(tmp_path, 0, {"a": "x"}, more))
    assert (found, '"a" and "x"; write both alike' in " ".join(out.split())) == (code, code == 3), out + err


def test_a_district_with_a_new_name_is_not_asked_about_where_nothing_follows(tmp_path):
    """No region hides exactly one district, under either name."""
    assert printed(with_new_names(tmp_path / "new", 2, {"a": "x"}))[0] == 0


@kills("audit.count_tables.second_reading._lacking_labels", "if each.axis.name in manifest.nested:", "if False:")
@pytest.mark.parametrize(("said", "code"), [("", 3), ('absent = "zero"', 1), ('absent = "unknown"', 0)])
@pytest.mark.parametrize("new", [{"a": "x"}, {"a": "x", "b": "x y"}], ids=" ".join)
def test_districts_that_nested_labels_of_a_release_lack_are_asked_about(new, said, code, tmp_path):
    found, out, err = run_main(with_new_names(tmp_path, 0, new, said, nested=True))
    assert (found, "has " + ", ".join(f'"{each}"' for each in new.values()) in " ".join(out.split())) == (
        code,
        code == 3,
    ), out + err


@kills("audit.count_tables.second_reading._lacking_labels", "(inmost[some] == some.size).all()", "some.size == 1")
def test_a_region_shown_alone_lacks_no_districts(tmp_path):
    """Its hidden counts would follow if it had no people in the districts that another release shows."""
    with_new_names(tmp_path, 2, {}, nested=True)
    edit(tmp_path / "series.toml", "[1, inf]", "[0, inf]")
    head, *rows = (tmp_path / "2023.csv").read_text(encoding="utf-8").splitlines()
    rows = [*(row for row in rows if row.startswith("R")), "S,,f,*", "S,,m,*", "S,,All,*"]
    (tmp_path / "2023.csv").write_text("\n".join([head, *rows, ""]), encoding="utf-8")
    assert printed(str(tmp_path))[0] == 0


@kills("audit.count_tables.label_doubts._totals_in_categories", "if [label] == atoms}", "if label == atoms}")
@kills("audit.count_tables.label_doubts._totals_in_categories", "if not _is_refuted(label, lines)", "if True")
@pytest.mark.parametrize(
    ("total", "covers", "code"),
    [
        (54, ["North total"], 3),
        (54, ["a", "b", "c"], 1),
        (54, ["rest"], 0),
        (50, ["North total"], 0),
    ],
)
def test_the_total_of_a_region_is_no_atom_beside_its_districts(total, covers, code, tmp_path):
    """The policy held: what the total of the North and its other districts leave is the hidden count."""
    rows = ["region,district,n", "N,a,20", "N,b,31", "N,c,*", f"N,North total,{total}", "S,d,42", "S,e,15"]
    table = 'dimensions = ["region", "district"]\nvalue = "n"\nmarkers."*" = [1, inf]\n'
    table += 'totals.region = "All"\ncategories.district = "districts.csv"\n'
    parts = ["label,atom", *(f"{each},{each}" for each in "abcde"), *(f"North total,{each}" for each in covers)]
    folder = write_tables(tmp_path, {"2023.csv": rows, "districts.csv": parts}, table, series='releases = ["2023.csv"]')
    found, out = printed(str(folder))
    assert (found, '"North total" of district sounds like a total' in out) == (code, code == 3), out


@kills("audit.count_tables.second_reading._same_atoms", "if len(own) == 1 else (lacking, own)", "if own else ()")
@pytest.mark.parametrize("years", [(2023, 2024), (2024, 2023)])
def test_the_lines_of_municipalities_that_were_merged_are_named(years, tmp_path):
    """The reason named neither the labels nor the file, but atoms."""
    tables, areas = {}, {2023: {"A": (20, 3), "B": (31, 12)}, 2024: {"A-B": (50, 14)}}
    for year in years:
        own = {**areas[year], "X": (year - 2000, 2), "Y": (15, 18 if year == 2023 else 3)}
        own["All"] = tuple(map(sum, zip(*own.values(), strict=True)))
        cells = [(area, *cell) for area, (f, m) in own.items() for cell in (("f", f), ("m", m), ("All", f + m))]
        hidden = [n < 5 or (sex == "All" and area != "X" and min(own[area]) < 5) for area, sex, n in cells]
        rows = [f"{area},{sex},{'*' if hides else n}" for (area, sex, n), hides in zip(cells, hidden, strict=True)]
        tables[f"{year}.csv"] = ["area,sex,n", *rows]
    table = 'dimensions = ["area", "sex"]\nvalue = "n"\ntotals = { area = "All", sex = "All" }\nmarkers."*" = [1, inf]'
    named = ", ".join(f'"{year}.csv"' for year in years)
    folder = write_tables(tmp_path, tables, table, series=f"releases = [{named}]")
    out = printed(str(folder), "--policy", "min_count=5")[1]
    said = re.search(r'if "A-B" was made of "A" and "B", write (.*) under .* the lines (.*), and one such as', out)
    assert said, out
    edit(folder / "series.toml", "value =", f"{said[1]}\nvalue =")
    lines = [*said[2].strip('"').split('" "'), "X,X", "Y,Y", ""]
    (folder / "categories.csv").write_text("\n".join(lines), encoding="utf-8")
    assert "was made of" not in printed(str(folder), "--policy", "min_count=5")[1]


@kills("audit.init.count_tables.widen_refuted", "high if low == 1 else inf", "inf")
@pytest.mark.parametrize(
    ("sign", "notes"),
    [("fewer than 5", ""), ("<5", ""), ("moins de 5", ""), ("c", "Notes\nc = fewer than 5"),
     ("x", "Hinweise:\nx = weniger als 5"), ("s", "Notes :\ns = moins de 5"), ("*", "")],
)  # fmt: skip
@pytest.mark.parametrize(("least", "ends"), [(0, [0, 4]), (1, [1, 4])])
def test_a_sign_that_may_hide_a_zero_hides_one_where_a_line_shows_it(sign, notes, least, ends, tmp_path):
    """The total of C is what C shows: the sign there is 0, and an audit refused the guess (exit 2)."""
    rows = [("A", 5, 20), ("B", 30, 12), ("C", 7, least), ("D", 20, 2), ("E", 8, 9)]
    lines = [("area", "f", "m", "All"), *((area, f, m, f + m) for area, f, m in rows)]
    lines += [("All", *(sum(some) for some in zip(*(row[1:] for row in lines[1:]), strict=True)))]
    text = "\n".join(",".join(sign if each in range(5) else str(each) for each in line) for line in lines)
    (tmp_path / "2023.csv").write_text(f"{text}\n\n{notes}\n", encoding="utf-8")
    found = tomllib.loads(drafted(tmp_path))["table"]["markers"]
    assert (found, run_main(str(tmp_path))[0]) == ({sign: ends}, 1)


@kills("audit.count_tables.second_reading._rates_of_counts_disclose_more", "(numbers < again.lower) | ", "")
@kills("audit.count_tables.second_reading._rates_of_counts_disclose_more", " | (numbers > again.upper)", "")
@pytest.mark.parametrize(("small", "code"), [(3, 3), (6, 3), (5, 0)])
@pytest.mark.parametrize("by", ["column", "cell"])
def test_rates_of_counts_in_one_release_alone_are_asked_about(small, code, by, tmp_path):
    """The manifest says that they were computed from rounded numbers, as those of the other release were."""
    tables = {}
    for year in ("2022", "2023"):
        # of = "published" is right where each count is a number to which it is rounded
        counts = {"A": small, "B": 20, "C": 40} if year == "2022" else {"A": 12, "B": 22, "C": 31}
        rounded = {area: 5 * ((count + 2) // 5) for area, count in counts.items()}
        of = counts if year == "2022" else rounded
        rows = [(area, sex, n) for area in counts for sex, n in (("f", rounded[area]), ("All", 200))]
        rates = {(area, "f"): f"{100 * of[area] / 200:.1f}" for area in counts}
        tables[f"{year}.csv"] = ["area,sex,n,people,rate"] + [
            f"{area},{sex},{n},200,{rates.get((area, sex), '')}" for area, sex, n in rows
        ]
    denominator = '"people"' if by == "column" else '{ sex = "All" }'
    table = 'dimensions = ["area", "sex"]\nvalue = "n"\ntotals.sex = "All"\nopen = ["sex"]\n'
    table += 'rounding = { to = 5, how = "nearest" }\n' + 'not_counts = ["people"]\n' * (by == "cell")
    table += f'rates = {{ column = "rate", per = 100, decimals = 1, denominator = {denominator}, of = "published" }}'
    assert (
        asks(write_tables(tmp_path, tables, table, "min_count = 7"), 'are not of the published numbers in "2022"')
        == code
    )


@pytest.mark.parametrize(("whole", "inner"), [("England", "England"), ("England", "Total"), ("Deutschland", "")])
def test_the_lines_that_nest_two_columns_suffice(whole, inner, tmp_path):
    """It named the key alone, which was refused: the dimensions and the totals named both columns still."""
    cells = [("N", "a", 8, 9), ("N", "b", "c", 7), ("N", inner, 11, 16), ("S", "d", "c", 8), ("S", "e", 6, 5),
             ("S", inner, 10, 13), (whole, inner, 21, 29)]  # fmt: skip
    rows = [(*each[:2], sex, str(n)) for each in cells for sex, n in zip("fm", each[2:], strict=True)]
    table = 'dimensions = ["region", "la", "sex"]\nvalue = "n"\nmarkers.c = [1, 4]\n'
    kept = table + f'totals = {{ region = "{whole}", la = "{inner or whole}", sex = "" }}\n'
    _, why, _ = verdict(written(tmp_path, rows, "region,la,sex,n", kept))
    lines = re.search(r"for one dimension, write (.*?) in place of all lines", json.loads(why)[0]["reason"])[1]
    named = f', region = "{whole}"' if inner == "Total" else ""
    assert f'totals = {{ area = "{inner or whole}"{named}, sex = "" }}' in lines
    keys = re.sub(r", (nested|totals) = ", r"\n\1 = ", lines)
    found, why, _ = verdict(written(tmp_path, rows, "region,la,sex,n", table.partition("\n")[2] + keys))
    assert (found, why) == (1, "[]")


@kills("audit.init.count_tables._perhaps_narrow", " or refuting.total in markers.values()", "")
@pytest.mark.parametrize("sign", ["c", "*", "."])
def test_a_hidden_total_above_a_shown_part_widens_the_guess(sign, tmp_path):
    """Such totals are hidden so that small counts do not follow; each audit refused the guess (exit 2)."""
    rows = [("A", 5, 20, 25), ("B", 30, 12, 42), ("C", sign, 42, sign), ("D", 20, 9, 29), ("E", sign, 8, sign)]
    text = "\n".join(",".join(map(str, row)) for row in [("area", "f", "m", "All"), *rows])
    (tmp_path / "2023.csv").write_text(f"{text}\n", encoding="utf-8")
    assert run_main("init", str(tmp_path), "--yes")[0] == 0
    assert run_main(str(tmp_path))[0] == 3
