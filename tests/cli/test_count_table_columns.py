"""Count tables as `init` reads them: wide and long, with notes, totals, markers, shares and changes."""

import gzip
import io
import json
import random
import re
import tomllib
from fractions import Fraction
from functools import reduce
from operator import getitem

import numpy as np
import openpyxl
import pytest

from audit.count_tables.manifest import read_table_manifest
from audit.count_tables.read_counts import read_counts
from audit.init import confirmation
from audit.init.count_tables import guess_tables
from audit.io.table_forms import below_table
from audit.io.toml import key_path, toml_key
from audit.model.arrays import UNBOUNDED
from tests.cli.forms import edit
from tests.cli.test_confirm import confirm as answered
from tests.cli.test_count_table_doubts import NUMBERS, TABLE, verdict, written
from tests.helpers.amount import some
from tests.helpers.count_tables import write_tables
from tests.helpers.public_tables import confirm
from tests.helpers.published_forms import lines, open_document
from tests.helpers.running import done, drafted, refused, run_main
from tests.mutants.mutant import kills


def answers(folder):
    """What is found of each cell, whatever the series is called."""
    code, out, err = run_main(str(folder), "--format", "json", "--findings", "all")
    assert code in (0, 1, 3), err
    findings = json.loads(out)["attacks"][0]["findings"]
    return sorted((str(sorted(e["cell"].items())), e.get("measure"), e["lower"], e["upper"]) for e in findings)


def shown(count):
    return "*" if 0 < count < 5 else str(count)


def random_counts(seed):
    """Counts by area and sex, with all totals."""
    counts = np.random.default_rng(seed).poisson(5, size=(3, 2))
    counts = np.concatenate([counts, counts.sum(axis=0, keepdims=True)])
    return np.concatenate([counts, counts.sum(axis=1, keepdims=True)], axis=1)


AREAS, SEXES = ["A", "B", "C", "All"], ["f", "m", "T"]
RULES = 'markers = { "*" = [1, 4] }\ntotals = { area = "All", sex = "T" }\n'


@pytest.mark.parametrize("seed", range(6))
def test_a_wide_table_is_the_long_one(seed, tmp_path):
    counts = random_counts(seed)
    long = [(a, s, shown(counts[i, j])) for i, a in enumerate(AREAS) for j, s in enumerate(SEXES)]
    wide = [(a, *(shown(n) for n in counts[i])) for i, a in enumerate(AREAS)]
    columns = 'wide = { dimension = "sex", columns = { f = "women", m = "men", T = "both" } }\n'
    one = written(tmp_path / "long", long, table='dimensions = ["area", "sex"]\nvalue = "n"\n' + RULES)
    other = written(tmp_path / "wide", wide, "area,women,men,both", 'dimensions = ["area"]\n' + columns + RULES)
    assert answers(one) == answers(other)
    report = json.loads(run_main(str(other), "--format", "json")[1])  # a row with three columns of counts is one row
    assert ([each["rows"] for each in report["inputs"]], report["series"]["rows"]) == ([len(wide)], len(wide))


@pytest.mark.parametrize("part", ["deaths", "of which deaths"])
def test_the_rest_of_a_whole_is_asked(part, tmp_path):
    rows = [("A", "20", "18"), ("B", "30", "12"), ("All", "50", "30")]
    table = f'dimensions = ["area"]\nvalues = ["cases", "{part}"]\ntotals = {{ area = "All" }}\n'
    code, why, _ = verdict(written(tmp_path, rows, f"area,cases,{part}", table))
    assert code == 3
    assert f'part_of = {{ \\"{part}\\" = \\"cases\\" }}' in json.loads(json.dumps(why)).replace('\\\\"', '\\"')
    parted = table + f'part_of = {{ "{part}" = "cases" }}\n'
    code, _, found = verdict(written(tmp_path, rows, f"area,cases,{part}", parted))
    assert code == 1
    assert [(e["cell"]["area"], e["cell"]["statistic"], e["lower"]) for e in found] == [("A", "(rest)", 2)]
    rows[0], rows[2] = ("A", "20", "10"), ("All", "50", "22")
    assert verdict(written(tmp_path, rows, f"area,cases,{part}", parted))[:2] == (0, "[]")
    both, parts = (
        [(*row, n) for row, n in zip(rows, ("5", "6", "11"), strict=True)],
        f'"{part}" = "cases", "{part} 2" = "cases"',
    )
    two = table.replace(f'"{part}"]', f'"{part}", "{part} 2"]') + f"part_of = {{ {parts} }}\n"
    assert verdict(written(tmp_path, both, f"area,cases,{part},{part} 2", two))[:2] == (0, "[]")
    apart = table + f'part_of = {{ "{part}" = "" }}\n'
    assert verdict(written(tmp_path, rows, f"area,cases,{part}", apart))[:2] == (0, "[]")


PERCENT = [("A", "All", "20", "100.0"), ("A", "F", "*", "20.0"), ("A", "M", "*", "80.0"), ("B", "All", "31", "100.0"),
           ("B", "F", "11", "35.5"), ("B", "M", "20", "64.5")]  # fmt: skip
SHARES = """dimensions = ["area", "sex"]
value = "n"
totals = { sex = "All" }
markers = { "*" = [0, inf] }
rates = { column = "percent", per = 100, decimals = 1, denominator = { sex = "All" } }
"""


def test_a_share_of_the_total_of_the_row_tells_the_count(tmp_path):
    code, _, found = verdict(written(tmp_path, PERCENT, "area,sex,n,percent", SHARES))
    assert code == 1
    assert [(e["cell"]["sex"], e["lower"]) for e in found] == [("F", 4), ("M", 16)]
    hidden = [(*row[:3], "" if row[2] == "*" else row[3]) for row in PERCENT]
    assert verdict(written(tmp_path, hidden, "area,sex,n,percent", SHARES))[:2] == (0, "[]")


HIDDEN_TOTAL = [("A", "M", "5", "26.3"), ("A", "F", "*", "73.7"), ("A", "All", "*", "100.0"), ("B", "M", "30", "50.0"),
                ("B", "F", "30", "50.0"), ("B", "All", "60", "100.0")]  # fmt: skip


ROUNDED = SHARES.replace(" } }", ' } }\nrounding = { to = 3, how = "nearest" }').replace(" = 1, ", " = 0, ")
PARTED = [("A", "M", "12", "92"), ("A", "F", "0", "0"), ("A", "D", "0", ""), ("A", "All", "12", "100")]


@kills("audit.count_tables.tied_counts.follow_in_each", "return True", "return False", case="[rest]")
@kills("audit.count_tables.tied_counts.possible_worlds", "for side in (1, -1)", "for side in (1,)", case="[hidden]")
@kills("audit.count_tables.published_counts._Cells.rate_ties", "rate > 0", "rate > 100", case="[nobody]")
@pytest.mark.parametrize(
    ("rows", "table", "ends"),
    [
        pytest.param(
            [("A", "M", "*", "50.0"), ("A", "F", "*", "50.0"), ("A", "All", "*", "100.0"), *HIDDEN_TOTAL[3:]],
            SHARES.replace("[0, inf]", "[1, 19]"),
            (0, []),
            id="hidden",
        ),
        pytest.param(PARTED, ROUNDED, (3, []), id="rest"),
        pytest.param(
            [("A", "M", "30", "48"), ("A", "F", "33", "52"), ("A", "All", "63", "100")], ROUNDED, (0, []), id="large"
        ),
        pytest.param(
            [("A", "M", "6", "50"), ("A", "F", "6", "50"), ("A", "All", "12", "100"), ("B", "All", "0", "100")],
            ROUNDED,
            (1, [("All", 1, 1)]),
            id="nobody",
        ),
    ],
)
def test_shares_of_two_counts_that_are_not_exact_are_judged_together(rows, table, ends, tmp_path):
    """Of 11 to 13 people, 92 percent are 11 of 12 or 12 of 13: one is neither M nor F."""
    code, why, found = verdict(written(tmp_path, rows, "area,sex,n,percent", table))
    assert (code, [(e["cell"]["sex"], e["lower"], e["upper"]) for e in found]) == ends
    assert ("depends on two counts" in why) == (code == 3)


@kills(
    "audit.count_tables.published_counts._Cells.rate_ties",
    "rates.of_published and not all(self.counts.part(each).is_exact for each in both)",
    "rates.of_published",
)
@pytest.mark.parametrize("of", ["", ', of = "published"'])
def test_a_share_of_a_shown_count_tells_the_hidden_total(of, tmp_path):
    """Without rounding, what was published is the count."""
    table = SHARES.replace(" } }", f" }}{of} }}")
    code, why, found = verdict(written(tmp_path, HIDDEN_TOTAL, "area,sex,n,percent", table))
    assert (code, why, [(e["cell"]["sex"], e["lower"]) for e in found]) == (1, "[]", [("F", 14), ("All", 19)])


@pytest.mark.parametrize(("row", "ends"), [("*,75.0", (13, 17)), ("15,60.0", (23, 27))])
def test_a_share_of_rounded_numbers_narrows_the_hidden_one(row, ends, tmp_path):
    rows = [("A", "M", "15" if row[0] == "*" else "*", ""), ("A", "All", "20" if row[0] == "*" else "*", "")]
    table = SHARES.replace(" } }", ' }, of = "published" }\nrounding = { to = 5, how = "nearest" }')
    folder = written(tmp_path, [*rows, ("A", "F", *row.split(","))], "area,sex,n,percent", table)
    counts = read_counts(read_table_manifest(folder))
    hidden = int(np.flatnonzero(counts.hidden & (counts.upper < UNBOUNDED))[0])
    assert (counts.lower[hidden], counts.upper[hidden]) == ends


@kills(
    "audit.count_tables.cell_rates.CellRates._found",
    "if is_rounded else (whole, whole)",
    "if False else (whole, whole)",
)
def test_a_proof_names_what_a_rounded_denominator_stands_for(tmp_path):
    """60 of 60 are not 96.8 percent: of 60 to 62 people, as the total stands for, they are 60 of 62."""
    rows = [("A", "All", "60", "100.0"), ("A", "F", "*", ""), ("A", "M", "60", "96.8"), ("B", "All", "35", "100.0")]
    table = SHARES.replace(" } }", ' } }\nrounding = { to = 5, how = "nearest" }').replace("[0, inf]", "[1, 7]")
    _, out, err = run_main(str(written(tmp_path, rows, "area,sex,n,percent", table)))
    assert "percent 96.8, per 100 of 62, gives exactly 60, published 60" in " ".join(out.split()), (out, err)


@kills("audit.count_tables.published_counts._Cells.rate_ties", "self.lacking[rates.column] += 1", "pass")
@kills(
    "audit.count_tables.published_counts._Cells._narrow_by_published",
    "(self.unjudged if self.is_shown(base) else self.lacking)[column] += 1",
    "pass",
)
@pytest.mark.parametrize("rows", [
    [("A", "M", "*", "50.0"), ("A", "All", "*", "")], [("A", "M", "14", "66.7"), ("A", "F", "*", "")],
])  # fmt: skip
def test_a_share_that_is_not_judged_leaves_the_policy_undecided(rows, tmp_path):
    """Two rounded numbers are hidden, or the total of A is not in the table."""
    table = SHARES.replace(" } }", ' }, of = "published" }\nrounding = { to = 5, how = "nearest" }')
    table = table if len({row[2] for row in rows}) == 1 else SHARES
    code, why, _ = verdict(written(tmp_path, [*rows, *HIDDEN_TOTAL[3:]], "area,sex,n,percent", table))
    assert code == 3
    said = "depends on two counts" if table != SHARES else "is a rate of a cell that no table of its release shows"
    assert f"in percent {said}" in why


@kills("audit.count_tables.published_texts.rate_ends", "while abs(", "while 0 * abs(")
@kills("audit.count_tables.published_texts.rate_ends", "> _NOISE", "> 0")
@pytest.mark.parametrize("denominator", ['{ sex = "All" }', '"people"'])
def test_a_share_with_more_decimals_than_declared_is_read_with_its_own(denominator, tmp_path):
    """A float has noise in its last digits: 63 of 6,088 are 1.034822601839684625 percent."""
    rows = [("A", "All", "6088", "", ""), *(("A", sex, "*", "", "") for sex in "FMX")]
    for place, text in ((1, "1.0348"), (2, "1.0348226018396846"), (3, "1.0000000000000002")):
        rows[place] = (*rows[place][:3], text, "6088")
    table = SHARES.replace('denominator = { sex = "All" }', f"denominator = {denominator}")
    folder = written(tmp_path, rows, "area,sex,n,percent,people", table)
    counts = read_counts(read_table_manifest(folder))
    assert [*zip(counts.lower, counts.upper, strict=True)][1:] == [(63, 63), (63, 63), (58, 63)]


CHANGE = 'dimensions = ["area"]\nvalue = "n"\nmarkers = { "0-2" = [0, 2] }\n' \
         'change = { column = "change", since = 1 }\n'  # fmt: skip


def changing(folder, rows, policy="min_count = 3"):
    written(folder, [("River", "0-2", ""), ("Hill", "9", "2")], "area,n,change", CHANGE, policy, releases=2)
    (folder / "releases/2.csv").write_text("area,n,change\n" + "\n".join(rows) + "\n", encoding="utf-8")
    return folder


def test_a_change_tells_the_count_before(tmp_path):
    code, _, found = verdict(changing(tmp_path, ["River,6,5", "Hill,7,-2"]))
    assert code == 1
    assert [(e["cell"]["area"], e["release"], e["lower"], e["upper"]) for e in found] == [("River", "1", 1, 1)]
    assert verdict(changing(tmp_path, ["River,6,", "Hill,7,-2"]))[:2] == (0, "[]")


def test_a_code_that_is_empty_for_the_land_is_not_the_dimension(tmp_path):
    lines = ["01,Nord,20,12,8", "02,Süd,30,10,20", "03,West,9,4,5", ",Land insgesamt,59,26,33"]
    text = "\n".join(["Schlüssel-Nr.,Gebiet,Insgesamt,m,w", *lines]) + "\n"
    (tmp_path / "2021.csv").write_text(text.replace("01,", "A1,").replace("02,", "A2,").replace("03,", "A3,"), "utf-8")
    path = tmp_path / "series.toml"
    found = drafted(tmp_path)
    assert ('dimensions = ["Gebiet"]' in found, 'Gebiet = "Land insgesamt"' in found) == (True, True)
    wrong = re.sub("(, )?Gebiet = .Land insgesamt.", "", found).replace('["Gebiet"]', '["Schlüssel-Nr."]')
    wrong = wrong.replace("{ , ", "{ ")
    path.write_text(wrong, encoding="utf-8")
    assert run_main(str(tmp_path))[2].count("the cell is empty") == 1


@kills("audit.init.count_columns._labels_written_once", " and not _is_code(columns, name, known)", "")
@kills("audit.init.count_columns._is_code", "if all(pair)", "if True")
@pytest.mark.parametrize("form", ["once", "each row", "numbers", "one line"])
def test_codes_beside_places_are_no_counts(form, tmp_path):
    other = guess_tables(codes_beside_places(tmp_path / "without", "", form)).table
    assert "not_counts" not in other
    for code in ("Schlüssel-Nr.", "AGS", "Amtlicher Gemeindeschlüssel", "Kreis-Nr.", "Lfd. Nr.", "Code"):
        table = guess_tables(codes_beside_places(tmp_path / code, code, form))
        assert table.table.pop("not_counts") == [code]
        assert ("table.not_counts" in table.unsure) == (code != "Code"), "a name that only codes have is sure"
        assert table.table == other


@kills("audit.init.count_columns._cannot_be_sums", "not max(some) <= 2 * number <= 4 * sum(some) + 200", "False")
@pytest.mark.parametrize("name", ["Gem.", "RS", "KdU", "Schl.", "LAD23CD", "2023"])
def test_codes_of_an_unknown_name_are_known_by_their_cells(name, tmp_path):
    table, other = [guess_tables(codes_beside_places(tmp_path / key, key, "each row")) for key in (name, "AGS")]
    assert "table.not_counts" in table.unsure
    assert table.table == other.table | {"not_counts": [name]}


@pytest.mark.parametrize("name", ["Nr. der Fälle", "Number of cases", "Anzahl", "nb de cas", "Beds"])
def test_counts_of_the_whole_place_are_no_codes(name, tmp_path):
    """They are named so, or the total of the land is their sum."""
    rows = ["area,sex,KdU,n"]
    for area, known, parts in (("A", 40, (14, 25)), ("B", 31, (11, 19)), ("All", 71, (25, 44))):
        rows += [f"{area},{sex},{known},{n}" for sex, n in zip("mf", parts, strict=True)]
        rows.append(f"{area},All,{known},{sum(parts)}")
    for release in "12":
        (tmp_path / f"{release}.csv").write_text("\n".join(rows).replace("KdU", name), encoding="utf-8")
    assert name not in guess_tables(tmp_path).table.get("not_counts", ())


@kills("audit.count_tables.manifest.known_as", "name): name", "name + name): name")
@kills("audit.count_tables.candidate._written", "source.rename_columns(spelled)", "source")
@pytest.mark.parametrize(
    "others", [["Tranche d\u2019âge", "Cas"], ["TRANCHE D'ÂGE", "cas"], ["Tranche\u00a0d'âge", "Cas "]]
)
def test_columns_that_differ_in_signs_spaces_or_capitals_are_one(others, tmp_path):
    """Releases are read, judged and repaired as if all wrote the first one's names, and keep their own."""
    counts = {"Ain": (9, 14, 23), "Aisne": (12, 18, 30), "Total": (21, 32, 53)}
    rows = [
        (area, age, n) for area, some in counts.items() for age, n in zip(("0-19", "20+", "Total"), some, strict=True)
    ]
    found = []
    for name, own in (("alike", ["Tranche d'âge", "Cas"]), ("other", others)):
        for release, signs in enumerate(({}, {0: "s"}, {3: "s", 4: "s"})):
            texts = [[*row[:2], signs.get(place, row[2])] for place, row in enumerate(rows)]
            head = ["Lieu", *(["Tranche d'âge", "Cas"] if release == 0 else own)]
            path = tmp_path / name / (f"{release}.csv" if release < 2 else "private/2.csv")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("\n".join(";".join(map(str, line)) for line in [head, *texts, ""]), encoding="utf-8")
        folder = tmp_path / name
        manifest = guess_tables(folder)
        (folder / "series.toml").write_text(manifest.text().partition("[unconfirmed]")[0], encoding="utf-8")
        code, _, err = run_main("repair", str(folder), str(folder / "private/2.csv"), "--output", str(folder / "out"))
        assert err == ""
        head, *lines = (folder / "out" / "2.csv").read_text(encoding="utf-8").splitlines()
        assert head == ";".join(["Lieu", *map(str.strip, own)])
        found.append((manifest.table, verdict(folder), code, lines))
    assert found[0] == found[1]
    assert found[0][1][0] == 1


@pytest.mark.parametrize("name", ["column", "period", "sex", "area", "release"])
def test_a_column_may_have_any_name_that_init_gives(name, tmp_path):
    """A column in the way of a name changes nothing but names."""
    found = []
    for own in (name, "place"):
        folder = tmp_path / own
        folder.mkdir()
        heads = {"period": "2020,2021", "sex": "male,female,total", "area": "region_name,la_name,time_period"}
        head = f"{own},age,{heads.get(name, 'x,y,z')}" + (",geographic_level,n" if name == "area" else "")
        counts = {"A": (12, 21, 33), "B": (14, 30, 44), "Total": (26, 51, 77)}
        rows = [f"{label},{age},{n * k},{n},{n * (k + 1)}" for label, some in counts.items()
                for age, n, k in zip(("0-19", "20+", "Total"), some, (1, 1, 1), strict=True)]  # fmt: skip
        if name == "period":
            rows = [row.rpartition(",")[0] for row in rows]
        if name == "area":
            areas = {
                "North": {"Leeds": 1, "York": 2, "Total": 3},
                "South": {"Bath": 4, "Total": 4},
                "Total": {"Total": 7},
            }
            rows = [f"{label},{age},{region},{la},2020,LA,{n * k}" for label, some in counts.items()
                    for age, n in zip(("0-19", "20+", "Total"), some, strict=True)
                    for region, inside in areas.items() for la, k in inside.items()]  # fmt: skip
        (folder / "1.csv").write_text("\n".join([head, *rows, ""]), encoding="utf-8")
        rules = guess_tables(folder)
        for file, text in rules.files.items():
            (folder / file).parent.mkdir(exist_ok=True)
            (folder / file).write_text(text, encoding="utf-8")
        (folder / "series.toml").write_text(rules.text().partition("[unconfirmed]")[0], encoding="utf-8")
        code, out, err = run_main(str(folder), "--format", "json")
        assert err == ""
        found.append((code, json.loads(out)["attacks"][0]["measures"], len(rules.table["dimensions"])))
    assert found[0] == found[1]


@kills("audit.count_tables.read_counts._read_columns", "given.intersection(names)", "given.difference(given)")
def test_a_column_with_the_name_of_the_dimension_of_other_columns_is_refused(tmp_path):
    """Its labels would be those of the columns, and each of its rows the same cell."""
    wide = 'dimensions = ["area"]\nwide = { dimension = "sex", columns = { f = "f", m = "m" } }\n'
    write_tables(tmp_path, {"1.csv": ["area,sex,f,m", "N,f,3,9", "S,m,8,7"]}, wide, "min_count = 3")
    assert "another name" in refused(str(tmp_path))


@pytest.mark.parametrize("name", ["u", "f", "Hinweis", "status"])
def test_a_column_with_signs_beside_empty_counts_alone_has_the_markers(name, tmp_path):
    rows = ["A,f,,u", "A,m,17,", "A,All,20,", "B,f,8,", "B,m,9,", "B,All,17,", "All,f,11,", "All,m,26,", "All,All,37,"]
    (tmp_path / "1.csv").write_text("\n".join([f"area,sex,n,{name}", *rows, ""]), encoding="utf-8")
    table = guess_tables(tmp_path).table
    assert (table["status"], "u" in table["markers"]) == (name, True)


def codes_beside_places(folder, code, form):
    """Write a workbook as offices do, with a column of codes before the places if it has a name."""
    head = [[code, "Kreis", "Alter", "Insgesamt", "Davon", None], [None, None, None, None, "männlich", "weiblich"]]
    if form == "one line":
        head = [[*head[0][:4], *head[1][4:]]]
    places = {16051: "Arnau", 16052: "Berglitz", 16061: "Hildberg", 16: "Land insgesamt"}
    counts = {"unter 30": (4, 6), "30 und mehr": (10, 14), "Insgesamt": (14, 20)}
    rows = [*head]
    for at, (key, place) in enumerate(places.items(), 1):
        times = at if key > 16 else 6
        for line, (age, parts) in enumerate(counts.items()):
            shown = key if form == "numbers" else str(key)
            names = [shown if line == 0 or form == "each row" else None, place if line == 0 else None, age]
            rows.append([*names, times * sum(parts), *(times * each for each in parts)])
    folder.mkdir()
    for year in (2021, 2022):
        book = openpyxl.Workbook()
        for row in rows:
            book.active.append(row if code else row[1:])
        book.save(folder / f"{year}.xlsx")
    return folder


@pytest.mark.parametrize(("releases", "said"), [(1, "Do not publish release 1"), (2, "You cannot take back")])
def test_a_first_release_may_not_be_out_yet(releases, said, tmp_path):
    rows = [("A", "f", "2"), ("A", "m", "8"), ("A", "All", "10")]
    assert said in run_main(str(written(tmp_path, rows, "area,sex,n", releases=releases)))[1]


def test_a_change_that_tells_what_is_hidden_before_is_named(tmp_path):
    folder = changing(tmp_path, ["River,6,5", "Hill,7,-2"])
    manifest, candidate = folder / "series.toml", folder / "releases/2.csv"
    edit(manifest, ', "releases/2.csv"', "")
    code, out, _ = run_main("next", str(folder), str(candidate), "--format", "json")
    assert (code, [each["cell"]["area"] for each in json.loads(out)["cells"]["changes"]]) == (1, ["River"])
    assert "put the sign in its place" in run_main("next", str(folder), str(candidate))[1]
    candidate.write_text("area,n,change\nRiver,6,0-2\nHill,7,-2\n", encoding="utf-8")
    assert run_main("next", str(folder), str(candidate))[0] == 0


@pytest.mark.parametrize(("of", "by"), [("total", (2, -3, -1)), ("f", (1, 0, 1))])
def test_a_change_beside_several_counts_is_of_one_of_them(of, by, tmp_path):
    first, last = ((20, 12, 8), (30, 10, 20), (50, 22, 28)), ((22, 13, 9), (27, 10, 17), (49, 23, 26))
    for name, numbers, changes in (("2021", first, ("", "", "")), ("2022", last, by)):
        lines = [
            f"{area},{','.join(map(str, row))},{text}" for area, row, text in zip("ABZ", numbers, changes, strict=True)
        ]
        (tmp_path / f"{name}.csv").write_text("\n".join(["area,total,f,m,change", *lines]) + "\n", encoding="utf-8")
    path = tmp_path / "series.toml"
    text = drafted(tmp_path)
    assert f'change = {{ column = "change", since = 1, counts = "{of}" }}' in text
    assert ("open" in text, 'area = "Z"' in text, run_main(str(tmp_path))[0]) == (False, True, 3)
    for wrong, said in (("m", "the change beside it"), ("n", "rates or changes of")):
        path.write_text(text.replace(f'counts = "{of}"', f'counts = "{wrong}"'), encoding="utf-8")
        code, _, err = run_main(str(tmp_path))
        assert (code, said in err) == (2, True)


NATIONS = """area,nation,n,change
All,All,235,.
All,own,176,.
All,other,59,.
A,All,60,.
A,own,.,.
A,other,.,+4
B,All,55,.
B,own,.,.
B,other,.,.
C,All,120,+1
C,own,66,0
C,other,54,+1
"""
SINCE = 'dimensions = ["area", "nation"]\nvalue = "n"\ntotals = { area = "All", nation = "All" }\n' \
        'markers = { "." = [1, inf] }\nchange = { column = "change", since = 1 }\n'  # fmt: skip


@kills("audit.count_tables.published_counts._Cells.change_ties", ", by, UNBOUNDED)", ", 0, UNBOUNDED)")
def test_a_hidden_count_is_at_least_its_change(tmp_path):
    """The release before is not in the series, but had no less than 0: 4 of A's are other, and 1 of B's."""
    folder = written(tmp_path, [], table=SINCE, policy="min_count = 4")
    (folder / "releases/1.csv").write_text(NATIONS, encoding="utf-8")
    code, why, found = verdict(folder)
    assert (code, sorted(each["lower"] for each in found)) == (1, [1, 4, 54, 56])
    assert "since a release that is not in the series" in why


def test_a_proof_names_the_changes_that_narrow_a_count_and_a_repair_hides_them(tmp_path):
    """The sign may stand for any count from 1 on; that it is 3 follows from 10 before and 7 fewer now."""
    tables = {
        "1.csv": ["area,n,change", "N,10,", "M,30,", "S,20,", "All,60,"],
        "2.csv": ["area,n,change", "N,*,-7", "M,32,2", "S,25,5", "All,60,0"],
    }
    table = 'dimensions = ["area"]\nvalue = "n"\ntotals.area = "All"\nmarkers."*" = [1, inf]\n'
    table += 'change = { column = "change", since = 1 }\nover_time = "independent"'
    write_tables(tmp_path, tables, table, series='releases = ["1.csv"]')
    code, out, _ = run_main("next", str(tmp_path), str(tmp_path / "2.csv"))
    assert (code, "3 (area N in 2; change -7, 10 in 1, published *) = 3" in out) == (1, True), out
    told = "In 1 cell that is hidden already, leave out the numbers beside it, such as its rate or its change."
    assert told in " ".join(out.split())
    code, out, _ = run_main("repair", str(tmp_path), str(tmp_path / "2.csv"), "--output", str(tmp_path / "new"))
    assert (code, (tmp_path / "new/2.csv").read_text(encoding="utf-8").splitlines()[1]) == (0, "N,*,"), out


@kills("audit.count_tables.published_counts._Cells.change_ties", "self.alone[row] = by", "pass")
@kills("audit.count_tables.published_counts._Cells.earlier", "if low == high", "if True")
@pytest.mark.parametrize(("change", "code"), [("", 0), ("4", 3), ("0", 3), ("-4", 3)])
@pytest.mark.parametrize("since", [1, 3])
def test_a_change_of_a_hidden_count_since_no_release_is_undecided(change, code, since, tmp_path):
    rows = [(*row, "") for row in NUMBERS]
    rows[0], rows[1] = ("A", "f", ".", change), ("A", "m", ".", "")
    rows[3], rows[4] = ("B", "f", ".", ""), ("B", "m", ".", "")
    table = SINCE.replace("nation", "sex").replace("[1, inf]", "[0, inf]").replace("since = 1", f"since = {since}")
    table += 'over_time = "same"\n'
    assert verdict(written(tmp_path, rows, "area,sex,n,change", table, releases=since))[0] == code


@pytest.mark.parametrize(("change", "code"), [("2", 0), ("9", 3), ("11", 3), ("12", 0)])
def test_changes_tell_the_counts_of_a_release_that_is_not_in_the_series(change, code, tmp_path):
    """Of 12, 3 or 1 are small counts of the release before."""
    rows = [(*row, change if row[:2] == ("A", "f") else "") for row in NUMBERS]
    found, why, _ = verdict(written(tmp_path, rows, "area,sex,n,change", SINCE.replace("nation", "sex")))
    assert found == code
    assert ("disclose counts of a release" in why) == (code == 3)


@kills(
    "audit.count_tables.published_counts.with_earlier_cells", "not _unknown_labels(counts, row)", "False", case="[2]"
)
@kills("audit.count_tables.published_counts.earlier_cells_without_categories", "in hides", "in ()", case="[5]")
@pytest.mark.parametrize(
    ("row", "old", "atoms", "code", "said"),
    [
        ("Upland,49,-8", "*", None, 3, "tells the count that Upland had in an earlier release that has no such"),
        ("Upland,49,-8", "*", "Upland,Old\nUpland,Hill\n", 1, "57 (area Upland in 1) - 55 (area Hill in 1) = 2"),
        ("Upland,49,-8", "*", "Upland,Upland\n", 0, "holds"),
        ("Upland,9,9", "7", None, 0, "holds"),
        ("Upland,9,9", "*", None, 3, "tells the count that Upland had"),
        ("Old,49,47", "*", None, 1, "2 (area Old in 1"),
    ],
    ids=range(1, 7),
)
def test_a_change_of_a_new_label_is_about_its_parts_in_the_earlier_release(row, old, atoms, code, said, tmp_path):
    """A reform merged districts, and the change since the release before tells what both had together there."""
    tables = {"1.csv": ["area,n", f"Old,{old}", "Hill,55"], "2.csv": ["area,n,change", row]}
    table = 'dimensions = ["area"]\nvalue = "n"\nmarkers."*" = [0, inf]\nover_time = "independent"\n'
    table += 'change = { column = "change", since = 1 }\n'
    write_tables(tmp_path, tables, table + ('categories.area = "k.csv"' if atoms else ""))
    (tmp_path / "k.csv").write_text(f"label,atom\nOld,Old\nHill,Hill\n{atoms or ''}", encoding="utf-8")
    found, out, _ = run_main(str(tmp_path))
    assert (found, said in " ".join(out.split())) == (code, True), out


@kills("audit.count_tables.second_reading.finds_nothing", "not judged.found and ", "")
def test_differences_of_changes_tell_counts_of_a_release_that_is_not_in_the_series(tmp_path):
    """All and f were 15 and 12, so m was 3."""
    texts = {("A", "All"): "12", ("A", "f"): "0"}
    rows = [(*row, texts.get(row[:2], "")) for row in NUMBERS]
    assert verdict(written(tmp_path, rows, "area,sex,n,change", SINCE.replace("nation", "sex")))[0] == 3


def test_rounded_changes_are_not_judged(tmp_path):
    folder = changing(tmp_path, ["River,0-2,5", "Hill,10,-2"])
    path = folder / "series.toml"
    edit(path, "[policy]", 'rounding = { to = 1, how = "nearest" }\n[policy]')
    code, why, _ = verdict(folder)
    assert code == 3
    assert "not exact" in why


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('part_of = { deaths = "people" }', '"people" is not one of the counts'),
        ('part_of = { deaths = "cases", cases = "deaths" }', "is part of itself"),
        ('wide = { dimension = "sex" }', "this is not a dimension in columns"),
        (
            'rates = { column = "r", per = 100, decimals = 1, denominator = "n" }',
            "which counts these are rates or changes of",
        ),
        ("change = 3", "this is not a change"),
    ],
)
def test_what_is_declared_wrongly_is_named(line, said, tmp_path):
    table = f'dimensions = ["area"]\nvalues = ["cases", "deaths"]\n{line}\n'
    err = refused(str(written(tmp_path, [("A", "3", "2")], "area,cases,deaths", table)))
    assert said in err
    assert "series.toml:7" in err


@pytest.mark.parametrize("seed", range(some(8)))
def test_parts_of_one_whole_may_overlap(seed, tmp_path):
    """Of every count that is certain, all tables of people by part agree, by enumeration."""
    rng = np.random.default_rng(seed)
    whole = int(rng.integers(3, 7))
    people = rng.integers(0, 2, size=(whole, 2))
    one, other = people.sum(axis=0).tolist()
    table = 'dimensions = ["area"]\nvalues = ["all", "a", "b"]\npart_of = { a = "all", b = "all" }\n'
    folder = written(tmp_path, [("A", str(whole), str(one), str(other))], "area,all,a,b", table, "min_count = 7")
    worlds = [(both, one - both, other - both, whole - one - other + both) for both in range(whole + 1)]
    worlds = [world for world in worlds if min(world) >= 0]
    names = {"a & b": 0, "(rest)": 3}
    for label, place in names.items():
        _, out, _ = run_main("explain", str(folder), "--cell", "area=A", "--cell", f"statistic={label}",
                             "--format", "json")  # fmt: skip
        [count] = json.loads(out)["counts"]
        ends = {world[place] for world in worlds}
        assert (count["lower"], count["upper"]) == (min(ends), max(ends))


def guessed(folder, files, *, refused=False):
    """The manifest that is guessed for some files, as TOML; if it is `refused`, an audit of the files would end so."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    manifest = tomllib.loads(drafted(folder, refused=refused))
    assert manifest["series"].get("kind") == "tables"
    return manifest


def added(total, hidden=("A,m",)):
    """A table that adds up, with all of its totals, some cells of it hidden."""
    counts = {(a, s): n for a, row in zip("ABC", ((12, 3, 10), (22, 30, 10), (40, 11, 11)), strict=True)
              for s, n in zip("fmd", row, strict=True)}  # fmt: skip
    for area in "ABC":
        counts[area, total] = sum(counts[area, sex] for sex in "fmd")
    for sex in ("f", "m", "d", total):
        counts[total, sex] = sum(counts[area, sex] for area in "ABC")
    lines = [f"{a},{s},{'1-9' if f'{a},{s}' in hidden else n}" for (a, s), n in counts.items()]
    return "\n".join(["area,sex,cases", *lines]) + "\n"


def shares(base):
    """A table with shares of its rows' totals, three of which are hidden beside a number and its share."""
    counts = {"A": (14, 7), "B": (15, 2), "D": (20, 5), "C": (287, 61)}
    counts = {area: tuple(base * count for count in both) for area, both in counts.items()}
    lines = ["area,sex,n,percent"]
    for area, both in [*counts.items(), ("Total", tuple(map(sum, zip(*counts.values(), strict=True))))]:
        for sex, count in zip(("f", "m", "Total"), (*both, sum(both)), strict=True):
            is_hidden = area in "ABD" and sex != "f"
            lines.append(f"{area},{sex},{'*,*' if is_hidden else f'{count},{count * 100 / sum(both):.1f}'}")
    return "\n".join(lines) + "\n"


def test_shares_beside_hidden_totals_are_read_as_those_of_the_counts(tmp_path):
    manifest = guessed(tmp_path, {"1.csv": shares(1)})
    assert "of" not in manifest["table"]["rates"]
    confirmed(tmp_path)
    code, _, found = verdict(tmp_path)
    assert (code, sorted(e["lower"] for e in found)) == (1, [2, 5, 7, 17, 21, 25])


@pytest.mark.parametrize("per", ["1", "100", "1000"])
@pytest.mark.parametrize("point", [".", ","])
def test_shares_may_be_fractions_per_mille_or_whole_numbers(per, point, tmp_path):
    rows = [row.split(",") for row in shares(1).splitlines()]
    totals = {"A": 21, "B": 17, "C": 348, "D": 25, "Total": 411}
    for row in rows[1:]:
        if row[3] != "*":
            share = Fraction(int(row[2]) * int(per), totals[row[0]])
            row[3] = f"{float(share):.3f}".replace(".", point) if per == "1" else str(round(share))
    text = "\n".join(map(";".join, rows)) + "\n"
    rates = guessed(tmp_path, {"1.csv": text})["table"]["rates"]
    assert (rates["per"], rates["decimals"], rates["denominator"]) == (int(per), 3 * (per == "1"), {"sex": "Total"})
    confirmed(tmp_path)
    code, _, found = verdict(tmp_path)
    assert (code, {2, 7} <= {each["lower"] for each in found}) == (1, True)


@kills("audit.init.count_tables._read_rates", 'rules.doubt("table.rates", why)', "pass")
def test_shares_of_rounded_numbers_are_a_guess(tmp_path):
    manifest = guessed(tmp_path, {"1.csv": shares(5)})
    assert manifest["table"]["rates"]["of"] == "published"
    assert "table.rates" in manifest["unconfirmed"]["keys"]


@pytest.mark.parametrize("word", ["Total", "Gesamt", "Ensemble", "Todos", "Sum of all", "xyz", "Wszystkie"])
def test_totals_are_found_by_their_sums_in_any_language(word, tmp_path):
    manifest = guessed(tmp_path, {"1.csv": added(word)})
    assert manifest["table"]["totals"] == {"area": word, "sex": word}
    assert "unconfirmed" not in manifest
    code, _, found = verdict(tmp_path)
    assert (code, [(e["cell"], e["lower"]) for e in found]) == (1, [({"area": "A", "sex": "m"}, 3)])


@pytest.mark.parametrize(
    ("header", "rows", "people"),
    [
        ("district,x,y,z", ["Land,60,30,9", "A,40,25,2", "B,20,5,7"], ["Land,60,30,9", "A,40,25,2", "B,20,6,7"]),
        ("district,x", ["A,40", "B,21", "C,12", "D,33", "Land,106"], ["A,40", "B,21", "C,12", "D,33", "Land,107"]),
        ("sex,district,x", ["f,A,4", "f,B,2", "f,Land,6", "m,A,4", "m,B,2", "m,Land,6", "d,A,1", "d,B,9", "d,Land,10"],
         ["f,A,4", "f,B,2", "f,Land,6", "m,A,4", "m,B,2", "m,Land,6"]),
    ],
    ids=["columns", "rows", "lines"],
)  # fmt: skip
@kills("audit.count_tables.published_counts.totals_not_by_chance", "else LINES", "else 1", case="[lines]")
def test_sums_show_that_rows_are_counts_whatever_they_are_called(header, rows, people, tmp_path):
    """With one number less by 1, or too few lines, rows may be those of people."""
    assert guessed(tmp_path, {"1.csv": lines(header, *rows)})["table"]["totals"]["district"] == "Land"
    (tmp_path / "series.toml").unlink()
    (tmp_path / "1.csv").write_text(lines(header, *people), encoding="utf-8")
    done("init", str(tmp_path), "--yes")
    assert "kind" not in tomllib.loads((tmp_path / "series.toml").read_text(encoding="utf-8"))["series"]


def test_a_table_that_says_all_of_itself_may_hold_at_once(tmp_path):
    manifest = guessed(tmp_path, {"1.csv": added("Summe", ()) + "A,u,0\nB,u,0\nC,u,0\nSumme,u,0\n"})
    assert manifest["unconfirmed"]["keys"] == ["policy.min_count"]
    assert verdict(tmp_path)[0] == 3
    assert verdict(tmp_path, "--policy", "min_count=3")[:2] == (0, "[]")
    assert verdict(tmp_path, "--policy", "min_count=4")[0] == 1


def test_hidden_cells_that_say_their_range_may_hold_at_once(tmp_path):
    """Three areas and three sexes, four cells hidden crosswise, each published as 1-9."""
    text = "area,sex,cases\n" + "".join(
        f"{area},{sex},{text}\n"
        for area, row in {
            "A": ("1-9", "1-9", "40", "50"), "B": ("1-9", "1-9", "30", "40"), "C": ("20", "21", "22", "63"),
            "D": ("31", "32", "33", "96"), "E": ("11", "12", "13", "36"), "T": ("72", "75", "138", "285"),
        }.items()
        for sex, text in zip(("f", "m", "d", "T"), row, strict=True)
    ) + "".join(f"{a},{s},{t}\n" for s, row in (("u", (10, 10, 10, 10, 10, 50)), ("v", (10, 20, 30, 40, 50, 150)))
                for a, t in zip("ABCDET", row, strict=True))  # fmt: skip
    text = text.replace("A,T,50", "A,T,70").replace("B,T,40", "B,T,70").replace("C,T,63", "C,T,103")
    text = text.replace("D,T,96", "D,T,146").replace("E,T,36", "E,T,96").replace("T,T,285", "T,T,485")
    manifest = guessed(tmp_path, {"1.csv": text})
    assert (manifest["table"]["totals"], manifest.get("unconfirmed")) == ({"area": "T", "sex": "T"}, None)
    assert verdict(tmp_path)[:2] == (0, "[]")


@pytest.mark.parametrize(
    ("numbers", "rounding"),
    [
        ((33, 15, 18, 21, 12, 9, 12, 3, 9), {"to": 3, "how": "random"}),
        ((39, 15, 21, 21, 9, 9, 15, 9, 9), {"to": 6, "how": "midpoint"}),
        ((50, 20, 30, 35, 15, 20, 15, 5, 10), {"to": 5, "how": "nearest"}),
        ((51, 20, 31, 33, 14, 19, 18, 6, 12), None),
    ],
)
def test_rounding_is_asked(numbers, rounding, tmp_path):
    cells = ["All,All", "All,M", "All,E", "A,All", "A,M", "A,E", "B,All", "B,M", "B,E"]
    text = "Area,Origin,Count\n" + "".join(f"{cell},{n}\n" for cell, n in zip(cells, numbers, strict=True))
    manifest = guessed(tmp_path, {"1.csv": text})
    assert manifest["table"].get("rounding") == rounding
    assert ("table.rounding" in manifest["unconfirmed"]["keys"]) is (rounding is not None)
    assert "policy.min_count" in manifest["unconfirmed"]["keys"]
    assert verdict(tmp_path)[0] == 3


SIGNED = """area,sex,count
A,f,*
A,m,c
A,All,6
B,f,22
B,m,30
B,All,52
D,f,20
D,m,30
D,All,50
All,f,c
All,m,c
All,All,108
"""


@kills("audit.init.count_rules._stands_for", "named or (small + 1, UNBOUNDED)", "named or (0, UNBOUNDED)")
@kills("audit.io.table_forms.legend", "yield sign, found", "yield sign[:0], found")
@pytest.mark.parametrize(
    ("notes", "markers"),
    [
        (["c = confidential", "* = counts from 1 to 4 are hidden"], {"c": [5, np.inf], "*": [1, 4]}),
        (["Key: * = 1 to 4; c = any other hidden count"], {"*": [1, 4], "c": [5, np.inf]}),
        (["c : 5 ou plus", "* : moins de 5"], {"c": [5, np.inf], "*": [1, 4]}),
        (["* = confidential"], {"*": [1, np.inf], "c": [1, np.inf]}),
    ],
)
def test_signs_have_the_meaning_that_notes_say_in_their_order(notes, markers, tmp_path):
    """Beside a sign of small counts another one may say that a count is larger: of 6, that the small one is 1."""
    manifest = guessed(tmp_path, {"1.csv": SIGNED + lines(*(f'"{note}",,' for note in notes))})
    assert list(manifest["table"]["markers"].items()) == list(markers.items())
    assert {'table.markers."*"', "table.markers.c"} <= {*manifest["unconfirmed"]["keys"]}
    assert 'A note says of "*": "' in (tmp_path / "series.toml").read_text(encoding="utf-8")
    assert verdict(tmp_path)[0] == 3


@kills("audit.init.count_rules._guess_not_applicable", " and {*signs} - {*found}", "")
@kills("audit.init.count_rules._guess_not_applicable", "text not in rules.legend and ", "")
@pytest.mark.parametrize(("other", "note", "is_marker", "is_guess"), [
    ("c", "", False, True), ("c", "z = not applicable\n", False, False), ("z", "z = not applicable\n", False, False),
    ("z", "", True, False), ("c", "z = hidden, to protect people\n", True, False),
])  # fmt: skip
def test_a_sign_of_what_is_not_applicable_hides_no_count(other, note, is_marker, is_guess, tmp_path):
    text = added("Total").replace("A,m,3", "A,m,z").replace("B,d,10", f"B,d,{other}").replace("A,m,1-9", "A,m,z")
    manifest = guessed(tmp_path, {"1.csv": text + note})
    assert ("z" in manifest["table"]["markers"]) == is_marker
    assert ("z" in manifest["table"].get("not_published", ())) != is_marker
    assert ("table.not_published" in manifest["unconfirmed"]["keys"]) == is_guess
    confirmed(tmp_path)
    assert run_main(str(tmp_path))[0] == 1


ADDED = "practice,male,female,total\nE01,12,3,15\nE02,4,2,6\nE03,31,9,40\nE04,8,8,16\n"


def test_blank_counts_of_columns_that_add_up_are_hidden(tmp_path):
    guessed(tmp_path, {"1.csv": ADDED.replace("8,8,16", "15,,16")})
    [found] = [each for each in verdict(tmp_path)[2] if each["cell"] == {"practice": "E04", "sex": "female"}]
    assert (found["lower"], found["upper"]) == (1, 1)


STARRED = SIGNED.replace("All,f,c", "All,f,45").replace("All,m,c", "All,m,63").replace("A,m,c", "A,m,*")
HIDES_ONE = "area,sex,n\nA,f,*\nA,m,17\nA,All,20\nB,f,8\nB,m,9\nB,All,17\nC,f,8\nC,m,9\nC,All,17\n"
SECOND = "geheim zu halten (1 oder 2 Fälle sowie weitere Werte, die zum Schutz dieser Fälle gesperrt sind)"
FOUND = {
    **{f"released as {' and '.join(names)}": (
        {f"{name}.csv": added("Total") for name in names},
        {"table.over_time": over_time, "unconfirmed.keys": "table.over_time"},
    ) for *names, over_time in (
        ("cumul_2023_03", "cumul_2023_06", "cumulative"), ("2023-03-ytd", "2023-06-ytd", "cumulative"),
        ("2023-03", "cumul_2023_06", "independent"),
    )},
    "columns that add up, whatever their names": ({"1.csv": ADDED}, {
        "table.wide.columns": {"male": "male", "female": "female", "total": "total"}, "table.totals.sex": "total"}),
    **{f"no header in {row}": (
        {"1.csv": SIGNED.replace("area,sex,count", f"area,sex,count\n{row}")},
        {"table.dimensions": ["area", "sex"], "refused": row != "A,x,none"},
    ) for row in ("C,x,geheim", "A,x,none", "C,x,11\u00b9")},
    "two signs of small counts": ({"1.csv": STARRED.replace("*", "<5"), "2.csv": STARRED.replace("6", "8")}, {
        "table.markers.*": [1, np.inf], "refused": True}),
    **{f"two signs for {note}": (
        {"1.csv": f"{STARRED}* = {note},,\n", "2.csv": f"{STARRED.replace('*', '.')}. = {note},,\n"},
        {"table.markers": {"*": [1, 5], ".": [1, 5]}},  # both have the 6 in A
    ) for note in ("secret (1 or 2)", "Zahlenwert geheim (1 oder 2)", "secret")},
    "a line that refutes a sign of large counts": (
        {"1.csv": SIGNED.replace("D,f,20", "D,f,c").replace("D,m,30", "D,m,48") + "* = 1 to 4,,\n"},
        {"table.markers": {"*": [1, 4], "c": [0, np.inf]}}),
    "a sign that is zero in one line": (
        {"1.csv": HIDES_ONE.replace("A,f,*", "A,f,0").replace("A,All,20", "A,All,17").replace(
            "B,f,8\nB,m,9\nB,All,17", "B,f,.\nB,m,9\nB,All,9")},
        {"table.markers": {".": [0, np.inf]}}),
    "a sign for nothing beside one of large counts": (
        {"1.csv": "area;sex;n\nA;f;\u2013\nA;m;\u2022\nA;All;17\nB;f;\u2022\nB;m;\u2022\nB;All;30\nC;f;8\nC;m;9\n"
                  f"C;All;17\n\u2022 = {SECOND}\n\u2013 = nichts vorhanden\n"},
        {"table.markers": {"\u2022": [1, np.inf], "\u2013": [0, 0]}}),
    **{f"least by {note}": (
        {"1.csv": f'{HIDES_ONE}"Note: {note}",,\n'}, {"policy.min_count": least},
    ) for note, least in (
        ("Counts of 1 to 4 are suppressed", 5), ("Fallzahlen unter 3 sind geheim", 3), ("Counts of pupils", 8),
    )},
    **{f"least above {most}": (
        {"1.csv": f"area,count\nA,s\nB,1412\nC,{most + 1}\nD,57\nE,s\n\ns = hidden (1 to {most})\n"},
        {"policy.min_count": most + 1},
    ) for most in (10, 4)},
    "releases in a folder of any name": (
        {f"diffusions/2024-Q{at}.csv": f"area,n\nA,{at}2\nB,c\nC,3{at}\nAll,9{at}\n" for at in (1, 2, 3)},
        {"series.releases": [f"diffusions/2024-Q{at}.csv" for at in (1, 2, 3)]}),
    "columns named by ages": (  # the German word for older, without its accent, is the one for age
        {"1.csv": "Kreis;unter 65;65 und älter;Insgesamt\nA;120;80;200\nB;.;41;44\nC;95;60;155\nD;88;70;158\n"},
        {"table.wide.columns": {each: each for each in ("unter 65", "65 und älter", "Insgesamt")}}),
}  # fmt: skip
"""Files, and what `audit init` finds in them, by the keys of the manifest."""


@kills("audit.init.count_tables._perhaps_narrow", "if closed and", "if")
@kills("audit.init.count_tables._perhaps_narrow", "least == 1", "False")
@kills("audit.init.count_tables.widen_refuted", "above = each.gap > 0", "above = False")
@kills(
    "audit.init.count_rules._guess_least_count",
    "max(rules.hidden_below, default=max(2, min(max(least, base), most)))",
    "max(2, min(max(least, base), most))",
)
@pytest.mark.parametrize(("files", "found"), FOUND.values(), ids=FOUND)
def test_what_is_found_in_tables(files, found, tmp_path):
    manifest = guessed(tmp_path, files, refused=found.get("refused", False))
    for key, value in ((key, value) for key, value in found.items() if key != "refused"):
        part = reduce(getitem, key.split("."), manifest)
        assert value in part if key == "unconfirmed.keys" else part == value, part


@pytest.mark.parametrize("text", [SIGNED, ADDED, "hospital_id,admissions,deaths\n1,12,3\n2,4,2\n3,31,9\n4,8,8\n"])
def test_tables_of_counts_are_no_microdata_and_the_message_names_the_option(text, tmp_path):
    (tmp_path / "1.csv").write_text(text, encoding="utf-8")
    assert "leave out --microdata" in refused("init", str(tmp_path), "--yes", "--microdata")


def test_a_draft_names_the_option_that_reads_the_tables_otherwise(tmp_path):
    (tmp_path / "1.csv").write_text("id,area,cases\n1,A,12\n2,B,*\n3,C,31\n", encoding="utf-8")
    assert "--microdata" not in done(
        "init", str(tmp_path), "--yes"
    )  # a sign in place of a count shows what the rows are
    (tmp_path / "series.toml").unlink()
    (tmp_path / "1.csv").write_text("school,cases\nA,2\nB,5\nC,3\n", encoding="utf-8")
    assert "`audit init --microdata`" in " ".join(done("init", str(tmp_path), "--yes").split())


@pytest.mark.parametrize(
    "title", ["Table 1,Cases by area,2024", "Cases by,area and,sex", "Office,Table 12,As of May\nCases by,area and,sex"]
)
@pytest.mark.parametrize("gap", ["", ",,\n"])
def test_a_title_as_wide_as_the_table_is_refused(title, gap, tmp_path):
    (tmp_path / "1.csv").write_text(f"{title}\n{gap}{SIGNED}", encoding="utf-8")
    assert "delete the lines above the header" in refused("init", str(tmp_path), "--yes")


def test_a_title_above_age_groups_is_refused(tmp_path):
    rows = "Table 3,Cases,2024,Office\nDistrict,0-17,18+,Sum\nN,*,*,11\nS,9,5,14\nAll,13,12,25\n"
    (tmp_path / "1.csv").write_text(rows, encoding="utf-8")
    assert "delete the lines above the header" in refused("init", str(tmp_path), "--yes")


def test_a_title_repeated_in_each_cell_is_a_title(tmp_path):
    """As programs write a merged cell; a number in it is asked about."""
    table = guessed(tmp_path, {"1.csv": "3 cases in B,3 cases in B,3 cases in B\n" + SIGNED})["table"]
    assert table["dimensions"] == ["area", "sex"]
    assert "3 cases in B" in table["not_counts"][0]


def test_a_question_about_several_lines_shows_their_texts(tmp_path, monkeypatch):
    """Not the ends of lines of the manifest, which would look like letters that were lost."""
    notes = [
        f"In the {side} of the country there were {n} cases" for n, side in enumerate(("north", "south", "west"), 2)
    ]
    guessed(tmp_path, {"1.csv": SIGNED + lines("Note: see below,,", *(f"{note},," for note in notes))})
    monkeypatch.setattr("sys.stdin", io.StringIO("?\n" * 9))
    asked = " ".join(run_main("init", str(tmp_path), "--confirm")[2].split())
    shown = '", "'.join(notes)
    assert f'table.not_counts = ["{shown}"].' in asked
    assert "\ufffd" not in asked


@kills("audit.init.count_rules._stands_for", "and not others else inf", "else inf")
@kills("audit.init.count_rules._stands_for", "or others or", "or")
@pytest.mark.many
@pytest.mark.parametrize(
    ("note", "ends"),
    [
        ("1 to 4, or secondary suppression", [1, np.inf]),
        ("geheim (1 bis 4) oder gegengesperrt", [1, np.inf]),
        ("effectif de 1 à 4, ou secret secondaire", [1, np.inf]),
        ("secreto (1 a 4) o supresión secundaria", [1, np.inf]),
        ("secret statistique (effectifs de 1 à 4 et secret induit)", [1, np.inf]),
        ("1 to 4, and cells hidden to protect others", [1, np.inf]),
        ("1 bis 4 und Werte zum Schutz anderer", [1, np.inf]),
        ("1 to 4, to protect confidentiality", [1, 4]),
        ("1 to 4, hidden to protect other cells", [1, np.inf]),
        ("1 to 4, hidden to protect others", [1, 4]),
        ("1, 2, 3 or 4, hidden to protect other people", [1, 4]),
        ("1 to 4, hidden by law and to protect others' privacy", [1, 4]),
        ("1 bis 4, gesperrt zum Schutz anderer Personen", [1, 4]),
        ("1 bis 4, gesperrt zum Schutz anderer Werte", [1, np.inf]),
        ("effectif de 1 à 4, masqué pour protéger d'autres personnes", [1, 4]),
        ("suppressed, or complementary", [1, np.inf]),
        ("fewer than 5 pupils or suppressed to prevent disclosure", [1, np.inf]),
        ("inférieur à 5, ou masqué pour protéger une autre valeur", [1, np.inf]),
        ("unter 5 oder aus Gründen der Geheimhaltung gesperrt", [1, np.inf]),
        ("menor que 5, o suprimido", [1, np.inf]),
        ("4 or fewer, suppressed", [1, 4]),
        ("1, 2, 3 oder 4, geheim", [1, 4]),
        ("3 to 4, or secondary suppression", [3, np.inf]),
        ("1 to 4", [1, 4]),
    ],
)
def test_a_sign_that_also_protects_others_has_no_greatest_count(note, ends, tmp_path):
    text = "area,sex,n\nA,f,*\nA,m,17\nA,All,c\nB,f,8\nB,m,9\nB,All,17\nC,f,8\nC,m,9\nC,All,17\n".replace("c", "20")
    assert guessed(tmp_path, {"1.csv": f'{text}"Note: * = {note}",,\n'})["table"]["markers"] == {"*": ends}
    quoted = {"1.csv": f'{text}"""*"" means {note}",,\n'}  # a sign in quotation marks
    assert guessed(tmp_path / "quoted", quoted)["table"]["markers"] == {"*": ends}


@kills("audit.count_tables.doubts.check_columns_are_there", "if each.column not in read", "if False")
def test_a_column_in_wide_that_no_file_has_is_refused(tmp_path):
    """Label and column were swapped: without the column of women, all people seem to be men."""
    wide = 'dimensions = ["area"]\ntotals = { sex = "Total" }\n'
    wide += 'wide = { dimension = "sex", columns = { Male = "M", F = "Female", Total = "T" } }'
    folder = write_tables(tmp_path, {"1.csv": ["area,M,F,T", "A,11,12,23", "B,9,9,18"]}, wide)
    assert '`wide`: no table has "Female"' in refused(str(folder))
    write_tables(tmp_path, {"1.csv": ["area,M,F,T", "A,11,12,29"]}, wide.replace('F = "Female"', 'Female = "F"'))
    assert "no table has" not in refused(str(folder))


@kills("audit.init.count_rules._not_counted", "_UNSURE.search(", "not (")
@pytest.mark.parametrize(
    ("note", "most"),
    [
        ("keine Angabe, da Zahlenwert nicht sicher genug", np.inf),
        ("too unreliable to be published", np.inf),
        ("chiffre pas assez fiable", np.inf),
        ("dato poco fiable", np.inf),
        ("Zahlenwert geheim", 6),
    ],
)
def test_a_sign_for_unreliable_numbers_may_stand_for_any_count(note, most, tmp_path):
    rows = ["A,f,/", "A,m,17", "A,All,23", "B,f,8", "B,m,9", "B,All,17", "C,f,7", "C,m,9", "C,All,16"]
    text = "\n".join(["area,sex,n", *rows, f'"/ = {note}",,', ""])
    assert guessed(tmp_path, {"1.csv": text})["table"]["markers"]["/"][1] == most


@kills("audit.init.count_beside.declare_beside", "known.difference_update(counts)", "pass")
def test_a_share_of_one_of_several_columns_leaves_them_labels(tmp_path):
    """Its denominator is the sum of the columns, and not a population beside them."""
    drawn = np.random.default_rng(0).integers(100, 900, size=(12, 4)).tolist()
    rows = [[f"A{at}", sum(row), *row, f"{100 * row[-1] / sum(row):.1f}"] for at, row in enumerate(drawn)]
    rows[0][5:] = rows[1][5:] = ["*", "*"]
    text = "area,all,under 20,20 to 50,50 to 125,over 125,share over 125 in %\n"
    table = guessed(tmp_path, {"1.csv": text + "".join(",".join(map(str, row)) + "\n" for row in rows)})["table"]
    assert list(table["wide"]["columns"]) == ["all", "under 20", "20 to 50", "50 to 125", "over 125"]
    assert (table["rates"]["counts"], table["rates"]["denominator"]) == ("over 125", "all")


@kills("audit.count_tables.judged_counts._or_categories", "and releases - have", "")
def test_numbers_that_contradict_each_other_name_a_label_that_is_new(tmp_path):
    """A reform merged Old and Hill after the first release."""
    tables = {"1.csv": ["area,n", "Old,5", "Hill,55", "All,60"], "2.csv": ["area,n", "Upland,60", "All,60"]}
    write_tables(tmp_path, tables, 'dimensions = ["area"]\nvalue = "n"\ntotals.area = "All"\nover_time = "same"')
    assert 'if "Upland" of area, which not all releases have, is made up of others, write categories' in refused(
        str(tmp_path)
    )
    tables = {"1.csv": ["area,n", "Old,5", "Hill,55", "All,60"], "2.csv": ["area,n", "Old,6", "Hill,55", "All,60"]}
    write_tables(tmp_path, tables, 'dimensions = ["area"]\nvalue = "n"\ntotals.area = "All"\nover_time = "same"')
    assert "which not all releases have" not in refused(str(tmp_path))


def test_a_wide_table_is_described_in_the_language_of_its_reader(tmp_path):
    lines = ["Kreis;männlich;weiblich;Insgesamt", "A;12;15;27", "B;22;30;52", "C;9;11;20", "Insgesamt;43;56;99"]
    (tmp_path / "1.csv").write_text("\n".join([*lines, ""]), encoding="utf-8")
    text = drafted(tmp_path, "--language", "de")
    assert tomllib.loads(text)["table"]["wide"]["dimension"] == "Geschlecht"
    assert "Langformat" not in text


ROUNDED = """District,Boys,Girls,Total
Allerdale,40,35,75
Carlisle,c,c,10
Copeland,20,15,35
Eden,5,30,35
South Lakeland,15,25,40
"""


@pytest.mark.parametrize(
    ("files", "ends", "found"),
    [({"1.csv": ROUNDED}, [1, 4], 2), ({"1.csv": ROUNDED.replace("c,c,10", "c,c,15")}, [1, np.inf], 0)],
)
def test_a_sign_in_a_rounded_table_may_hide_counts_up_to_the_least_that_is_shown(files, ends, found, tmp_path):
    """Two counts of 4 are 8, which is rounded to 10: both are known."""
    assert guessed(tmp_path, files)["table"]["markers"] == {"c": ends}
    code, _, findings = verdict(tmp_path)
    assert (code, len(findings)) == (3, found)


def test_a_table_without_a_column_of_the_others_is_one_of_counts(tmp_path):
    """Alone, it could have a row for each person."""
    rows = [(area, disease, sex) for area in "ABC" for disease in ("flu", "gout") for sex in "fm"]
    for quarter in (1, 2):
        text = "".join(f"{','.join(row)},{at * quarter + 12}\n" for at, row in enumerate(rows))
        text = f"area,diagnosis,sex,count\n{text}".replace(",12\n", ",*\n")
        (tmp_path / f"2024-Q{quarter}.csv").write_text(text, encoding="utf-8")
    year = "".join(f"{area},{disease},{at + 70}\n" for at, (area, disease, sex) in enumerate(rows) if sex == "f")
    (tmp_path / "2024.csv").write_text(f"area,diagnosis,count\n{year}", encoding="utf-8")
    code, _, error = run_main("init", str(tmp_path), "--yes")
    assert (code, "a column that a table lacks has Total in each row" in error) == (2, True)


@pytest.mark.parametrize(
    ("head", "said"),
    [("area,sex,count,2023", ""), ("area,sex,count,,", "1.csv:3: columns 4 and 5 have no name in the header")],
)
def test_a_header_below_a_title_may_have_a_year_or_no_names(head, said, tmp_path):
    width = head.count(",")
    rows = [row + f",{at + 11}" + ("," * (width - 4) + "x" if width > 3 else "") for at, row in enumerate(ROWS[1:])]
    text = lines("Residents" + "," * width, "," * width, head, *rows)
    (tmp_path / "1.csv").write_text(text, encoding="utf-8")
    code, out, error = run_main("init", str(tmp_path), "--yes")
    assert (code, said in error, "2023" in out) == (2, True, False) if said else (0, True, True)


def test_dimensions_that_are_others_are_asked(tmp_path, monkeypatch):
    text = "area,sex,region,n\nA,f,N,12\nA,m,N,c\nB,f,S,14\nB,m,S,19\nC,f,N,34\nC,m,N,23\n"
    assert guessed(tmp_path, {"1.csv": text})["table"]["dimensions"] == ["area", "sex"]
    monkeypatch.setattr("sys.stdin", io.StringIO('no\n["area", "sex", "region"]\nyes\nyes\nyes\nyes\n'))
    code, _, asked = run_main("init", str(tmp_path), "--confirm")
    assert (code, 'instead of ["area", "sex"]' in " ".join(asked.split())) == (0, True)
    assert read_table_manifest(tmp_path).dimensions == ("area", "sex", "region")


def test_a_sign_that_means_something_else_is_asked(tmp_path, monkeypatch):
    guessed(tmp_path, {"1.csv": SIGNED + "* = 1 to 4,,\nc = confidential,,\n"})
    monkeypatch.setattr("sys.stdin", io.StringIO("yes\nno\nlarge\n5 or more\nyes\nyes\nyes\n"))
    code, _, asked = run_main("init", str(tmp_path), "--confirm")
    manifest = read_table_manifest(tmp_path)
    assert (code, dict(manifest.markers), manifest.unconfirmed) == (0, {"*": (1, 4), "c": (5, UNBOUNDED)}, ())
    assert 'A note says of "c": "confidential".' in " ".join(asked.split())
    code, _, found = verdict(tmp_path)
    assert (code, found[0]["lower"], found[0]["cell"]) == (1, 1, {"area": "A", "sex": "f"})


GERMAN = """Tabelle: 21321-0001;;
Kreis;Geschlecht;Fälle
Ingolstadt;männlich;-
Ingolstadt;weiblich;17
Ingolstadt;Insgesamt;17
Rosenheim;männlich;.
Rosenheim;weiblich;.
Rosenheim;Insgesamt;9
Bayern insgesamt;männlich;.
Bayern insgesamt;weiblich;.
Bayern insgesamt;Insgesamt;26
__________
- = nichts vorhanden
. = Zahlenwert unbekannt oder geheim zu halten
"""


@pytest.mark.many
@pytest.mark.parametrize("sign", [".", "\u2022", "/", "\u2026", "*", "\u00a7", "|", "<>", "()", "\u25cf"])
@pytest.mark.parametrize("form", ["csv", "xlsx"])
def test_a_text_without_letters_or_digits_is_a_sign(form, sign, tmp_path):
    text = GERMAN.partition("\n")[2].replace(".;", f"{sign};").replace(";.", f";{sign}").replace("\n. =", f"\n{sign} =")
    book = openpyxl.Workbook()
    for line in text.splitlines():
        book.active.append([int(cell) if cell.isdigit() else cell for cell in line.split(";")])
    book.save(content := io.BytesIO())
    (tmp_path / f"1.{form}").write_bytes(content.getvalue() if form == "xlsx" else text.encode())
    rules = guess_tables(tmp_path)
    assert rules is not None
    assert rules.table["markers"].keys() == {"-", sign}
    assert rules.legend == {"-": "nichts vorhanden", sign: "Zahlenwert unbekannt oder geheim zu halten"}
    assert f"table.markers.{toml_key(sign)}" in rules.unsure


@pytest.mark.many
@pytest.mark.parametrize("nothing", ["nichts vorhanden", "0", "zero", "genau 0", "néant"])
@pytest.mark.parametrize("heading", ["", "Notes\n", "Hinweise\n\n", "Remarques\n"])
def test_a_note_says_that_a_sign_is_0_below_a_heading_or_not(heading, nothing, tmp_path):
    """A heading without a colon, above the notes, was a row that lacks cells."""
    rows = "area,sex,n,rate\nA,f,*,*\nA,m,-,-\nA,All,17,1.2\nB,f,8,1.0\nB,m,9,1.1\nB,All,17,1.1\n"
    notes = f'\n{heading}"* = 1 to 4, suppressed; - = {nothing}"\nSource: our own register\n'
    table = guessed(tmp_path, {"1.csv": rows + notes})["table"]
    assert (table["markers"]["-"], table["markers"]["*"][0]) == ([0, 0], 1)


def test_a_sign_may_stand_for_nothing_and_a_total_have_a_name(tmp_path, monkeypatch):
    table = guessed(tmp_path, {"1.csv": GERMAN.partition("\n")[2]})["table"]
    assert table["markers"] == {"-": [0, 0], ".": [1, np.inf]}
    assert table["totals"] == {"Kreis": "Bayern insgesamt", "Geschlecht": "Insgesamt"}
    monkeypatch.setattr("sys.stdin", io.StringIO("no\n0\nno\n1 to 4\nyes\nyes\nyes\nyes\n"))
    code, _, asked = run_main("init", str(tmp_path), "--confirm")
    assert (code, dict(read_table_manifest(tmp_path).markers)) == (0, {"-": (0, 0), ".": (1, 4)})
    assert 'series.toml says that "-" stands for 0. A note says of "-": "nichts vorhanden".' in " ".join(asked.split())


@kills("audit.init.count_rules._stands_for", "0 if shown is None else 1", "0")
@kills("audit.init.count_rules._stands_for", "if sign != text), None", "if sign == text), None")
@pytest.mark.parametrize(
    ("zero", "hidden", "least"),
    [("-", ".", 1), ("0", ".", 1), ("", ".", 0), ("0", "..", 1), ("0", "-", 1)],
)
def test_a_sign_for_any_count_is_no_zero_where_zeros_are_shown(zero, hidden, least, tmp_path):
    """The only boy of one area and the only girl of the other are then counted exactly, not in a range from 0 on."""
    legend = "- = nichts vorhanden\n" if zero == "-" else ""
    text = f"area;sex;n\nA;f;{zero or 4}\nA;m;17\nB;f;{hidden}\nB;m;{hidden}\nB;All;2\nC;f;8\nC;m;9\nC;All;17\n"
    table = guessed(tmp_path, {"1.csv": text + f"__________\nNotes: by sex\n{legend}"})["table"]
    assert table["markers"][hidden] == [least, np.inf]
    drafted = (tmp_path / "series.toml").read_text(encoding="utf-8")
    assert (f'A zero is shown as "{zero}".' in drafted, "table.markers" in drafted) == (least == 1, True)


@pytest.mark.parametrize(
    ("answers", "key", "value", "left"),
    [
        (["no", "six", "6"], "policy.min_count", 6, ["table.over_time"]),
        (["no", "?"], "policy.min_count", 7, ["policy.min_count", "table.over_time"]),
        (["yes", "no", "cumulative"], "table.over_time", "cumulative", []),
        (["yes", "no", "weekly", "cumulative"], "table.over_time", "cumulative", []),
        (["yes", "no", "weekly", "?"], "table.over_time", "independent", ["table.over_time"]),
        (["no", "1", "8", "no", "same"], "policy.min_count", 8, []),
    ],
)
def test_a_guess_that_is_wrong_can_be_typed(answers, key, value, left, tmp_path, monkeypatch):
    text = "area,sex,n\nAll,All,41\nAll,F,22\nAll,M,19\nA,All,18\nA,F,11\nA,M,7\nB,All,23\nB,F,11\nB,M,12\n"
    guessed(tmp_path, {"1.csv": text, "2.csv": text})
    left_open = ["no", "?"] if left and "yes" not in answers else []
    monkeypatch.setattr("sys.stdin", io.StringIO("\n".join([*answers, *left_open]) + "\n"))
    assert run_main("init", str(tmp_path), "--confirm")[0] == 0
    manifest = tomllib.loads((tmp_path / "series.toml").read_text(encoding="utf-8"))
    table, name = key.split(".")
    assert (manifest[table][name], manifest.get("unconfirmed", {}).get("keys", [])) == (value, left)


@pytest.mark.parametrize(("answer", "code"), [("", 3), ("same", 1)])
def test_an_empty_line_does_not_say_that_tables_of_the_same_people_are_independent(answer, code, tmp_path, monkeypatch):
    """One table has ages up to 17, the other up to 19: East has 2 people between."""
    for name, age, counts in (("1", 17, (41, 63, 52, 71)), ("2", 19, (43, 61, 55, 68))):
        young, old, *west = counts
        cells = {"East": (young, old), "West": west, "All": (young + west[0], old + west[1])}
        rows = [f"{area},0-{age},{a}\n{area},{age + 1}+,{b}\n{area},All,{a + b}\n" for area, (a, b) in cells.items()]
        (tmp_path / f"{name}.csv").write_text("area,age,cases\n" + "".join(rows))
    keys = guessed(tmp_path, {})["unconfirmed"]["keys"]
    answers = [line for key in keys for line in (["no", answer] if key == "table.over_time" else ["yes"])]
    monkeypatch.setattr("sys.stdin", io.StringIO("\n".join(answers if answer else [""] * 9) + "\n" * 9))
    assert run_main("init", str(tmp_path), "--confirm")[0] == 0
    found, why, findings = verdict(tmp_path)
    assert (found, any(each["lower"] == each["upper"] == 2 for each in findings)) == (code, code == 1), why


def test_every_guess_is_a_key_of_the_manifest(tmp_path):
    text = "a b,sex,n\nAll,All,40\nAll,F,22\nAll,M,18\nx.y,All,*\nx.y,F,..\nx.y,M,9\n"
    manifest = guessed(tmp_path, {"1.csv": text})
    for key in manifest["unconfirmed"]["keys"]:
        content = manifest
        for name in key_path(key):
            content = content[name]


@pytest.mark.parametrize(
    "text",
    [
        "age,sex,disease\n21,f,flu\n22,m,gout\n35,f,flu\n",
        "patient,age,count\n1,21,3\n2,22,4\n",
        "Group,Disease,Count\n1,flu,2\n1,gout,2\n2,flu,4\n",
        "age,zip,salary\n21-30,1001*,3000\n21-30,1001*,4000\n31-40,1002*,3500\n",
    ],
)
def test_people_are_people(text, tmp_path):
    (tmp_path / "1.csv").write_text(text, encoding="utf-8")
    assert guess_tables(tmp_path) is None


@kills("audit.init.count_refusals._refuse_half_recognised", " or is_total(text)", "")
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Dover,White,", "Ashford,White,220,11,231\nDover,White,"),
        ("\nDover,Asian", "\n,Asian"),
    ],
)
def test_a_table_of_counts_that_is_half_recognised_is_not_read_as_people(old, new, tmp_path):
    text = "Ashford,White,120,111,231\nAshford,Asian,14,12,26\nAshford,Black,9,12,21\nAshford,Celkem,143,135,278\n"
    text += "Dover,White,220,211,431\nDover,Asian,24,21,45\nDover,Black,c,c,c\nDover,Celkem,247,235,482\n"
    text = text.replace("c,c,c", "3,3,6")
    (tmp_path / "1.csv").write_text("District,Ethnic group,Boys,Girls,Total\n" + text.replace(old, new), "utf-8")
    assert "look like tables of counts, with this row of totals" in refused("init", str(tmp_path), "--yes")


ROWS = ("area,sex,count", "N,f,*", "N,m,20", "N,All,24", "S,f,11", "S,m,14", "S,All,25", "All,f,15", "All,All,49")
MANIFEST = """[series]
kind = "tables"
releases = ["{name}"]
[table]
dimensions = ["area", "sex"]
value = "count"
totals = {{ area = "All", sex = "All" }}
markers = {{ "*" = [1, 9] }}
"""
NOTES = {
    "a source": ("Source: Office of Statistics",),
    "a sign": ("* Small counts are not shown",),
    "sentences after a note": ("Notes:", "People who live in the area", "Counted in March 2024: provisional"),
    "several languages": ("Quelle: Amt", "Source : Insee", "Fuente: INE"),
    "numbered words": ("Note 1: Small counts are hidden", "Footnote (2): provisional"),
    "numbered": ("1. Residents at the end of March", "2. Provisional, to be revised"),
    "lines of dashes": ("---", "Dataset: Causes of Death", "Query Parameters:", "---"),
    "cells of a note": ("Note: provisional, may change", "Source: the office, the region, the city, May 2024"),
    "as many cells as columns": ("Note: provisional, may change, ask us",),
    "a line of underscores": ("__________", "x = value unknown, or secret"),
    "a heading": ("Zeichenerkl\u00e4rung", "-  nichts vorhanden", ".  Zahlenwert unbekannt oder geheim"),
    "what a letter means": ("c = confidential", "\u00a9 Office of Statistics"),
}


def workbook(rows):
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append([int(cell) if cell.isdigit() else cell or None for cell in row])
    book.save(content := io.BytesIO())
    return content.getvalue()


def padded(notes):
    return lines(*ROWS, ",,", *(f'"{note}",,' for note in notes)).encode()


WAYS = {
    "padded.csv": padded,
    "ragged.csv": lambda notes: lines(*ROWS, "", *(f'"{note}"' for note in notes)).encode(),
    "packed.csv.gz": lambda notes: gzip.compress(padded(notes)),
    "bare.csv": lambda notes: lines(*ROWS, "", *notes).encode(),
    "bare.csv.gz": lambda notes: gzip.compress(lines(*ROWS, *notes).encode("cp1252")),
    "semicolons.csv": lambda notes: lines(*(row.replace(",", ";") for row in ROWS), *notes).encode("utf-16"),
    "book.ods": lambda notes: open_document([*(row.split(",") for row in ROWS), [""], *([note] for note in notes)]),
    "book.xlsx": lambda notes: workbook([*(row.split(",") for row in ROWS), [""], *([note] for note in notes)]),
}


def found_in(folder):
    code, out, _ = run_main(str(folder), "--format", "json", "--findings", "all")
    return code, json.loads(out)


LEGENDS = {
    "a sign alone": [". Zahlenwert geheim"],
    "signs of the table and others": ["/ nicht sicher", "\u2013 nichts vorhanden", ". geheim", "\u00a9 Amt"],
    "another dash": ["- nichts vorhanden", ". geheim"],
    "all in one line": ["\u2013 nichts vorhanden    . Zahlenwert geheim    / nicht sicher genug"],
    "a cell for each": [".,Zahlenwert geheim", "x,ohne Aussage", "\u2013,nichts vorhanden"],
}


@kills("audit.io.table_forms._are_entries", "signs if len(signs) > 1 else", "signs if False else")
@kills("audit.io.table_forms.legend", 'f"[{_DASHES}]" if sign in _DASHES else ', "")
@pytest.mark.many
@pytest.mark.parametrize("way", ["padded.csv", "bare.csv", "book.xlsx", "book.ods"])
@pytest.mark.parametrize("kind", LEGENDS)
def test_a_legend_needs_no_equals_sign(kind, way, tmp_path):
    """Below a table, a line that begins with a sign of its cells, or one of several signs, is no row."""
    rows = [row.replace("*", ".").split(",") for row in (*ROWS, "W,f,\u2013", "W,m,30", "W,All,30")]
    rows = [[*row[:2], {"15": "15", "49": "79"}.get(row[2], row[2])] for row in rows]
    notes = [note.split(",") for note in LEGENDS[kind]]
    full = [note + [""] * (3 - len(note)) for note in notes]
    text = "\n".join(map(",".join, [*rows, *(full if way == "padded.csv" else notes)])) + "\n"
    makers = {".csv": str.encode, ".xlsx": lambda _: workbook([*rows, *notes])}
    makers[".ods"] = lambda _: open_document([*rows, *notes])
    (tmp_path / way).write_bytes(makers[way[way.rindex(".") :]](text))
    manifest = tomllib.loads(drafted(tmp_path))
    said = (tmp_path / "series.toml").read_text("utf-8")
    assert 'A note says of ".": "' in said
    assert manifest["table"]["markers"]["\u2013"] == [0, 0] or kind == "a sign alone"
    assert len(below_table(tmp_path / way).notes) == len(notes)


@kills("audit.init.count_parts._sums_anywhere", "added <= lines[place]", "added < 0")
@pytest.mark.parametrize("hidden", [False, True])
def test_a_label_may_be_the_sum_of_others_wherever_these_stand(hidden, tmp_path):
    """The East is Berlin and Sachsen, between which others stand: taken for a country, it contradicts the sum."""
    rng = random.Random(7)  # noqa: S311
    lands = {"Bayern": "West", "Berlin": "East", "Hamburg": "West", "Hessen": "West", "Sachsen": "East"}
    rows = [["Land", "Jahr", "n"]]
    for year in map(str, range(2001, 2011)):
        counts = {land: rng.randrange(20, 900) for land in lands}
        sums = {side: sum(counts[land] for land in lands if lands[land] == side) for side in ("West", "East")}
        if hidden and year == "2003":
            counts |= {"Berlin": ".", "Sachsen": "."}
        rows += [[land, year, str(n)] for land, n in ({**counts, **sums, "Total": sum(sums.values())}).items()]
    guessed(tmp_path, {"1.csv": lines(*map(",".join, rows))})
    said = (tmp_path / "categories/Land.csv").read_text(encoding="utf-8")
    assert {tuple(row.split(",")) for row in said.split()[1:]} == {(side, land) for land, side in lands.items()} | {
        (land, land) for land in lands
    }
    assert verdict(tmp_path)[0] == 3


@pytest.mark.parametrize("name", ["Index 2022=100", "Messzahl", "Veränderung in %", "2023 zu 2022 in %"])
def test_changes_in_percent_and_index_numbers_are_no_counts(name, tmp_path):
    rows = [row.split(",") for row in ROWS[1:]]
    text = [",".join([*row, str(90 + 7 * at % 30)]) for at, row in enumerate(rows)]
    manifest = guessed(tmp_path, {"1.csv": lines(f"{ROWS[0]},{name}", *text)})
    assert manifest["table"]["value"] == "count"
    code, why, _ = verdict(tmp_path)
    assert name in why or code == 1


@pytest.mark.parametrize("name", ["Index (2015 = 100)", "Messzahl", "Indice base 100"])
@pytest.mark.parametrize("decimals", [0, 1])
def test_an_index_number_of_each_area_is_no_code_of_it(name, decimals, tmp_path):
    """The numbers of two areas show that 40 is 100, so that a hidden count is 3; not_counts had the name, as sure."""
    counts = {"A": 3, "B": 7, "C": 41, "D": 56, "E": 23, "Total": 130}
    rows = [f"{area};{n if n > 10 else '*'};{n * 100 / 40:.{decimals}f}" for area, n in counts.items()]
    manifest = guessed(tmp_path, {"1.csv": lines(f"area;count;{name}", *rows)})
    assert name not in manifest["table"].get("not_counts", []) or "table.not_counts" in manifest["unconfirmed"]["keys"]
    assert verdict(tmp_path)[0] != 0


@kills("audit.io.table_forms._are_entries", "{*shown} - labels", "{*shown}")
def test_labels_behind_a_dash_are_no_legend(tmp_path):
    rows = "area,a,b\nAll,-,30\n- women,12,20\n- men,,\n"
    (tmp_path / "1.csv").write_text(rows + "Source: the office\n", "utf-8")
    assert "only the first cell of this row" in refused("init", str(tmp_path), "--yes")
    (tmp_path / "1.csv").write_text(rows, "utf-8")
    assert not below_table(tmp_path / "1.csv").notes
    (tmp_path / "1.csv").write_text("a,b,c\nx,men,-\nx,women,3\n-,men,\n", "utf-8")
    assert not below_table(tmp_path / "1.csv").notes


def findings(found):
    return [(f["cell"], f["lower"], f["upper"]) for f in found["attacks"][0]["findings"]]


def series(folder, name, content):
    folder.mkdir()
    (folder / name).write_bytes(content)
    (folder / "series.toml").write_text(MANIFEST.format(name=name), encoding="utf-8")
    return folder


OTHERS = [["Sex", "North", "South", "West"], ["Women", "4", "31", "22"]]


@kills("audit.count_tables.manifest.TableManifest.unread_sheets", "if is_foreign(table.path)", "if False")
@kills("audit.count_tables.manifest.TableManifest.unread_sheets", "*book.like_tables", "")
@kills("audit.count_tables.manifest.TableManifest.unread_sheets", "name not in self.not_counts", "True")
@kills("audit.io.foreign_files._is_number", "cell.upper() == cell.lower()", "True")
@kills("reports.count_sentences.rules", "if known.not_counts", "if False")
@kills("audit.io.foreign_files._read_workbook", " or _ABOUT_TABLES.fullmatch(name)", "")
@pytest.mark.parametrize(
    ("rows", "title", "known", "asked"),
    [
        ([row.split(",") for row in ROWS], "More", "", True),
        (OTHERS, "Table_2", "", True),
        ([["Town", "Women"], ["A", "4"], ["B", "31"], ["C", "22"]], "Table_2", "", True),
        (OTHERS, "Table_2", "Table_2", False),
        (OTHERS, "Notes", "", False),
        ([["Sex", "Meaning"], ["f", "1 woman"], ["m", "1 man"], ["x", "1 other"]], "Codes", "", False),
    ],
)
def test_a_sheet_that_looks_like_a_table_is_asked_about(rows, title, known, asked, tmp_path):
    """Whoever has the workbook has all of its tables; a sheet of notes is read line by line."""
    folder = series(tmp_path / "s", "t.xlsx", b"")
    book = openpyxl.load_workbook(io.BytesIO(workbook([row.split(",") for row in ROWS])))
    more = book.create_sheet(title)
    for row in rows:
        more.append(row)
    book.save(folder / "t.xlsx")
    with (folder / "series.toml").open("a", encoding="utf-8") as manifest:
        manifest.write(f'not_counts = ["{known}"]\n' if known else "")
    reasons = [each["reason"] for each in found_in(folder)[1]["policy"]["undecided"]]
    assert any(f"t.xlsx: {title}" in why for why in reasons) == asked
    assert ("disclose nothing about the counts: Table_2." in " ".join(run_main(str(folder))[1].split())) == bool(known)


@kills("audit.io.foreign_files._read_workbook", "not in left + like", "not in left")
def test_a_sheet_that_looks_like_a_table_is_no_line_beside_one(tmp_path):
    """One yes to a question about lines of notes would let a whole table pass."""
    book = openpyxl.load_workbook(io.BytesIO(workbook([row.split(",") for row in ROWS])))
    book.create_sheet("Table_2")
    for row in OTHERS:
        book["Table_2"].append(row)
    book.save(tmp_path / "t.xlsx")
    said = done("init", str(tmp_path), "--yes")
    assert 'NOT USED: sheet "Table_2"' in " ".join(said.split())
    assert "not_counts" not in tomllib.loads((tmp_path / "series.toml").read_text(encoding="utf-8"))["table"]


@pytest.mark.parametrize(("answer", "named"), [("yes", ["Table_2", "Table_3"]), ("no", []), ("?", [])])
def test_each_sheet_that_looks_like_a_table_is_asked_about_by_itself(answer, named, tmp_path):
    book = openpyxl.load_workbook(io.BytesIO(workbook([row.split(",") for row in ROWS])))
    for name in ("Table_2", "Table_3"):
        book.create_sheet(name)
        for row in OTHERS:
            book[name].append(row)
    book.save(tmp_path / "t.xlsx")
    done("init", str(tmp_path), "--yes")
    asked = list[str]()

    def answers(question):
        asked.append(question.text)
        return answer if "t.xlsx looks like a table" in question.text else "yes"

    text = confirmation.confirmed(tmp_path, (tmp_path / "series.toml").read_text(encoding="utf-8"), answers)
    assert [text.split()[2] for text in asked if "such as t/Table_" in text] == ['"Table_2"', '"Table_3"']
    assert tomllib.loads(text)["table"].get("not_counts", []) == named


@pytest.mark.parametrize("title", ["Notes", "2 Hinweise", "Lisez-moi", "Sheet1"])
def test_a_sheet_of_notes_before_the_table_is_read_as_notes(title, plain, tmp_path):
    """Offices put the cover and the notes before the tables."""
    folder = series(tmp_path / "s", "t.xlsx", b"")
    book = openpyxl.load_workbook(io.BytesIO(workbook([row.split(",") for row in ROWS])))
    book.active.title = "Table_1"
    for at, (name, rows) in enumerate(
        {"Cover": [["Residents"], ["March"]], title: [["Sign", "Meaning"], ["*", "1 to 4 people"]]}.items()
    ):
        for row in rows:
            (book[name] if name in book else book.create_sheet(name, at)).append(row)
    book.save(folder / "t.xlsx")
    assert findings(found_in(folder)[1]) == findings(plain) != []
    (folder / "series.toml").unlink()
    out = run_main("init", str(folder), "--yes")[1]
    assert 'sheet "Table_1"' in out
    assert "NOT USED" not in out
    assert tomllib.loads((folder / "series.toml").read_text(encoding="utf-8"))["table"]["markers"] == {"*": [1, 4]}


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    """What an audit of the table without notes finds."""
    return found_in(series(tmp_path_factory.mktemp("plain") / "s", "t.csv", lines(*ROWS).encode()))[1]


@pytest.mark.many
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", NOTES)
def test_a_table_with_notes_is_the_table_without(way, kind, plain, tmp_path):
    code, found = found_in(series(tmp_path / "noted", way, WAYS[way](NOTES[kind])))
    assert (code, found["series"].pop("notes")) == (1, {way: len(NOTES[kind])})
    assert "notes" not in plain["series"]
    assert found["series"]["rows"] == plain["series"]["rows"] == len(ROWS) - 1
    assert findings(found) == findings(plain) != []


@pytest.mark.parametrize("way", WAYS)
def test_a_text_alone_that_is_no_note_is_refused(way, tmp_path):
    """Taken for a label, it would count people, and the sums that give counts away would be none."""
    folder = series(tmp_path / "s", way, WAYS[way](["Residents at the end of March"]))
    assert run_main(str(folder))[0] == 2
    (folder / "series.toml").unlink()
    code, _, error = run_main("init", str(folder), "--yes")
    assert (code, len(error.splitlines()), "note below the table" in error) == (2, 1, True)
    assert not (folder / "series.toml").exists()


@pytest.mark.parametrize("last", ["Source: a,,", "Source: a,,\nWest,,"])
def test_what_may_be_a_row_is_named_with_its_line(last, tmp_path):
    folder = series(tmp_path / "s", "t.csv", lines(*ROWS, last).encode())
    code, _, error = run_main(str(folder))
    assert (code, "t.csv:11: only the first cell of this row" in error) == ((2, True) if "West" in last else (1, False))


@pytest.mark.parametrize(
    ("last", "rows"),
    [
        (",,49", 9),  # everybody
        ("W,,", None),  # a label alone
        ("W,f,0\nW,,", 10),  # the same label has a count elsewhere
        ("* W,f,3\n* W,m,12\n* Y and its three parts,,", None),  # labels look like notes
    ],
)
def test_rows_are_not_notes(last, rows, tmp_path):
    table = [row for row in ROWS if row != "All,All,49"]
    code, found = found_in(series(tmp_path / "s", "t.csv", lines(*table, last).encode()))
    assert (code == 2) == (rows is None)
    if rows is not None:
        assert (found["series"]["rows"], found["series"].get("notes")) == (rows - 1, None)


@pytest.mark.parametrize(
    ("rows", "key", "code"),
    [
        (("area,n", "All,30", "A,12", "Counts of the last year,"), "", 2),
        (("area,n", "All,30", "A,12", "B,"), "", 0),  # beside counts alone, a count that is not shown
        (("area,n", "A,12", "B,9", "All,"), "", 0),
        (("area,sex,n", "A,f,12", "A,m,9", "A,All,21", "B,,"), "", 2),
        (("area,sex,n", "A,f,12", "A,m,9", "A,All,21", "B,,"), 'categories = { area = "areas.csv" }\n', 0),
        (("area,sex,n", "A,f,12", "A,m,9", "A,All,21", "All,,"), "", 0),
    ],
)
def test_known_labels_are_not_notes(rows, key, code, tmp_path):
    folder = series(tmp_path / "s", "t.csv", lines(*rows).encode())
    (folder / "areas.csv").write_text("label,atom\nA,A\nB,B\n", encoding="utf-8")
    sexes = "sex" in rows[0]
    text = MANIFEST.format(name="t.csv").replace('"count"', '"n"') + key + "[policy]\nmin_count = 2\n"
    if not sexes:
        text = text.replace(', "sex"', "").replace(', sex = "All"', "")
    (folder / "series.toml").write_text(text, encoding="utf-8")
    assert run_main(str(folder))[0] == code


def confirmed(folder):
    """Accept all guesses about a series."""
    manifest = folder / "series.toml"
    manifest.write_text(manifest.read_text(encoding="utf-8").split("[unconfirmed]")[0], encoding="utf-8")


def test_rounded_columns_add_up_to_another_one(tmp_path):
    """In each row all is m and f. Of C, with 5 of each, m and f are 3 or 4, whichever numbers are rounded to 5."""
    rows = [(125, 65, 60), (250, 120, 130), (5, 5, 5), (380, 190, 195)]
    texts = [
        "area,People in all,m,f",
        *(f"{area},{','.join(map(str, row))}" for area, row in zip("ABCT", rows, strict=True)),
    ]
    table = guessed(tmp_path, {"1.csv": "\n".join([*texts, ""]).replace("T,", "Total,")})["table"]
    assert (list(table["wide"]["columns"]), table["totals"]["column"]) == (["People in all", "m", "f"], "People in all")
    code, _, found = verdict(tmp_path, "--policy", "min_count=5")
    assert code == 3
    confirmed(tmp_path)
    code, _, found = verdict(tmp_path, "--policy", "min_count=5")
    assert code == 1
    assert {(each["cell"]["area"], each["lower"], each["upper"]) for each in found} == {("C", 3, 4)}


def test_a_part_below_labels_is_their_sum(tmp_path):
    labels = {
        "0-59": (40, 50, 60, 70),
        "60-79": (20, 30, 40, 50),
        "80+": (10, 12, 14, 15),
        "of which 60+": (30, 42, 54, 65),
    }
    rows = [("All", [a + b + c for a, b, c, _ in zip(*labels.values(), strict=True)]), *labels.items()]
    lines = [f"{age},{area},{n}" for age, some in rows for area, n in zip("ABCD", some, strict=True)]
    manifest = guessed(tmp_path, {"1.csv": "\n".join(["age,area,n", *lines, ""])})
    text = (tmp_path / manifest["table"]["categories"]["age"]).read_text().splitlines()
    assert {"of which 60+,60-79", "of which 60+,80+"} == {line for line in text if line.startswith("of which")}


def test_amounts_of_money_are_no_counts(tmp_path):
    lines = [
        f"{area},{n},{money}" for area, n, money in (("A", 7, 120), ("B", 12, 300), ("C", 9, 88), ("All", 28, 508))
    ]
    table = guessed(tmp_path, {"1.csv": "\n".join(["area,taxpayers,income in 1 000 EUR", *lines, ""])})["table"]
    assert (table["value"], "part_of" in table) == ("taxpayers", False)
    confirmed(tmp_path)
    assert verdict(tmp_path, "--policy", "min_count=5")[0] == 3


@kills("audit.init.count_tables._recognised_together", "if common is not None and not own:", "if common is not None:")
@pytest.mark.parametrize("names", [("spc_2025_all", "spc_2025_girls"), ("all_2025-01", "girls_2025-01")])
@pytest.mark.parametrize("education", [True, False])
def test_a_column_with_one_label_that_another_table_lacks_is_a_dimension(names, education, tmp_path):
    """33 pupils, 30 of them girls: 3 boys. Without its column the girls would be a release of other people."""
    first, row = ("time_period,geographic_level,", "202425,National,") if education else ("", "")
    tables = [
        ("", "", {"All": 655, "Primary": 239, "Special": 33}),
        ("sex,", "F,", {"All": 348, "Primary": 124, "Special": 30}),
    ]
    for name, (column, label, counts) in zip(names, tables, strict=True):
        lines = [f"{row}{school},{label}{count}" for school, count in counts.items()]
        (tmp_path / f"{name}.csv").write_text(
            "\n".join([f"{first}school,{column}headcount", *lines, ""]), encoding="utf-8"
        )
    assert run_main("init", str(tmp_path), "--yes")[0] == 0
    confirm(tmp_path)
    code, out, _ = run_main(str(tmp_path), "--policy", "min_count=5")
    assert (code, "exactly 3" in out) == (1, True), out


@kills(
    "audit.init.count_beside._share_in_most_rows", "0 if rounding is None else rounding[0] - 1", "0", case="[rounded]"
)
@kills("audit.init.count_beside._rate_of", "isinstance(base, str) else error", "base else error", case="[exact]")
@pytest.mark.parametrize("form", ["rounded", "wrong", "exact"])
def test_shares_that_do_not_agree_with_the_numbers_are_named_as_shares(form, tmp_path):
    """Of exact counts beside rounded ones, with or without one that is wrong, or one that is wrong alone."""
    text = shares(1).replace("C,m,61,17.5", "C,m,61,19.5")
    if form != "wrong":
        rows = [row.split(",") for row in shares(17).splitlines()]
        text = lines(*(",".join([a, s, f"{5 * round(int(n) / 5)}" if n.isdigit() else n, p]) for a, s, n, p in rows))
    if form == "rounded":
        text = re.sub(r"(C,m,[0-9]+),[0-9.]+", r"\1,99.5", text)
    (tmp_path / "1.csv").write_text(text, encoding="utf-8")
    out = " ".join(done("init", str(tmp_path), "--yes").split())
    near = 'percent agrees in 3 of 4 rows with shares of { sex = "Total" }, per 100'
    of = 'rates { column = "percent", per = 100, decimals = 1, denominator = { sex = "Total" }, of = "count" }'
    assert (near in out, of in out) == (form != "exact", form == "exact"), out


@pytest.mark.parametrize("other", ["2024-sex.csv", "2025-area.csv"])
@pytest.mark.parametrize(("base", "of"), [(1, None), (5, "published")])
def test_shares_in_one_table_are_read_whatever_columns_another_one_has(base, of, other, tmp_path):
    """The other table has the counts by age, or those of another release without shares."""
    text = shares(base)
    without = [row.rpartition(",")[0] for row in text.splitlines()]
    by_age = [row.replace("sex", "age").replace(",f,", ",0-39,").replace(",m,", ",40+,") for row in without]
    files = {"2024-area.csv": text, other: lines(*(by_age if other == "2024-sex.csv" else without))}
    rates = guessed(tmp_path, files)["table"]["rates"]
    assert (rates["column"], rates["denominator"], rates.get("of")) == ("percent", {"sex": "Total"}, of)


@pytest.mark.parametrize("form", ["xlsx", "ods"])
@kills("audit.init.count_columns.read_files", " and name not in hidden", "", case="[xlsx]")
@kills("audit.io.workbook_parts.hidden_columns", "place = after", "pass", case="[ods]")
def test_a_hidden_column_of_a_workbook_is_named_and_not_read_as_counts(form, tmp_path):
    rows = [("area", "f", "m", "Total", "check"), *((a, i, 20, 20 + i, 20 - i) for i, a in enumerate("ABCDE", 11))]
    if form == "ods":
        hidden = (
            '<table:table-column table:number-columns-repeated="4"/><table:table-column table:visibility="collapse"/>'
        )
        (tmp_path / "1.ods").write_bytes(open_document([[*map(str, row)] for row in rows], hidden))
    else:
        book = openpyxl.Workbook()
        for row in rows:
            book.active.append(row)
        book.active.column_dimensions["E"].hidden = True
        book.save(tmp_path / "1.xlsx")
    out = " ".join(done("init", str(tmp_path), "--yes").split())
    assert (
        "Columns beside the counts are not judged: check; state what they are. check is hidden in the workbook" in out
    )
    assert verdict(tmp_path)[0] == 3


@pytest.mark.parametrize(("column", "says"), [("Veränderung in %", True), ("change %", True), ("index", False)])
def test_confirm_says_what_follows_from_changes(column, says, tmp_path):
    rows = [
        f"{area},{n},{by}" for area, n, by in (("A", 50, "25.0"), ("B", 21, "5.0"), ("C", "*", ""), ("D", 24, "-20.0"))
    ]
    (tmp_path / "1.csv").write_text("\n".join([f"area,n,{column}", *rows, ""]), "utf-8")
    asked = list[str]()
    assert run_main("init", str(tmp_path), "--yes")[0] == 0
    text = (tmp_path / "series.toml").read_text("utf-8")
    confirmation.confirmed(tmp_path, text, lambda question: asked.append(question.text) or question.default)
    assert any("it gives the earlier ones" in text for text in asked) == says, asked


@kills("audit.init.count_tables._propose_parts", "if parts.is_open", "if not parts.is_open")
def test_kinds_that_overlap_in_any_way_are_read_so(tmp_path):
    """Many speak two languages, and some none of those named."""
    tables = {"A": (38, "*", 30, 70), "B": (41, 12, 26, 65), "C": (33, 15, 26, 52), "All": (112, 36, 82, 187)}
    rows = [
        f"{area},{name},{n}"
        for area, numbers in tables.items()
        for name, n in zip(("German", "French", "English", "All"), numbers, strict=True)
    ]
    (tmp_path / "1.csv").write_text("\n".join(["area,language,n", *rows, ""]), "utf-8")
    assert run_main("init", str(tmp_path), "--yes")[0] == 0
    assert 'open = ["language"]' in (tmp_path / "series.toml").read_text("utf-8")
    confirm(tmp_path)
    code, out, _ = run_main(str(tmp_path))
    assert (code, "language French, release 1: exactly 9" in out) == (1, True), out


@kills("audit.init.count_parts.find_bands", " and not any(each.gap for each in sums)", "", case="[1]")
@pytest.mark.parametrize("more", [0, 1])
def test_bands_of_ages_that_overlap_across_tables_share_people(more, tmp_path):
    """38 people up to 17, 35 up to 14: 3 from 15 to 17. No line may add up to another total."""
    sums = [("Total", 38, 54, 92), ("A", 20, 30, 50 + more), ("B", 18, 24, 42)]
    by_area = [
        f"{label},{age},{n}" for label, *some in sums for age, n in zip(("0-17", "18+", "Total"), some, strict=True)
    ]
    sums = [("Total", 35, 57, 92), ("f", 15, 30, 45), ("m", 20, 27, 47)]
    by_sex = [
        f"{label},{age},{n}" for label, *some in sums for age, n in zip(("0-14", "15+", "Total"), some, strict=True)
    ]
    files = {"2024_area_age.csv": lines("area,age,n", *by_area), "2024_sex_age.csv": lines("sex,age,n", *by_sex)}
    if more:
        for name, text in files.items():
            (tmp_path / name).write_text(text, encoding="utf-8")
        run_main("init", str(tmp_path), "--yes")
        assert "categories" not in tomllib.loads((tmp_path / "series.toml").read_text(encoding="utf-8"))["table"]
        return
    guessed(tmp_path, files)
    confirmed(tmp_path)
    code, _, found = verdict(tmp_path, "--policy", "min_count=5")
    assert (code, [(each["cell"]["age"], each["lower"]) for each in found]) == (1, [("15-17", 3)])


ALONE = """[series]
kind = "tables"
releases = [{ tag = "1", tables = ["counts.csv", "percentages.csv"] }]
[table]
dimensions = ["area", "sex"]
value = "n"
totals = { sex = "All" }
markers = { "*" = [0, inf] }
rates = { column = "percent", per = 100, decimals = 1, denominator = { sex = "All" } }
[policy]
min_count = 5
"""


def with_percentages_alone(folder, rows, manifest=ALONE, head="area,sex,percent"):
    """A table of counts, and beside it a table of percentages alone, in another order."""
    folder.mkdir(exist_ok=True)
    (folder / "counts.csv").write_text("\n".join(["area,sex,n", *(",".join(row[:3]) for row in rows)]) + "\n")
    alone = [",".join((*row[:2], row[3])) for row in reversed(rows)]
    (folder / "percentages.csv").write_text("\n".join([head, *alone]) + "\n")
    (folder / "series.toml").write_text(manifest)
    return folder


@kills("audit.count_tables.published_counts._Cells.take_rates_alone", "0, UNBOUNDED", "1, 0")
def test_percentages_in_a_table_of_their_own_tell_the_count(tmp_path):
    code, _, found = verdict(with_percentages_alone(tmp_path / "a", PERCENT))
    assert code == 1
    assert [(e["cell"]["sex"], e["lower"]) for e in found] == [("F", 4), ("M", 16)]
    beside = written(tmp_path, PERCENT, "area,sex,n,percent", SHARES)
    assert answers(tmp_path / "a") == answers(beside)
    harmless = [(*row[:3], "") if row[2] == "*" else row for row in PERCENT]
    assert verdict(with_percentages_alone(tmp_path / "b", harmless))[:2] == (0, "[]")


@kills("audit.count_tables.doubts._changes", "counts.lacking.items()", "()")
@pytest.mark.parametrize(("old", "new"), [
    ('["counts.csv", "percentages.csv"] }', '["counts.csv"] }, { tag = "2", tables = ["percentages.csv"] }'),
    ('denominator = { sex = "All" }', 'denominator = { area = "D" }'),
], ids=["in a release of its own", "of a cell that is not shown"])  # fmt: skip
def test_percentages_without_their_denominators_are_undecided(old, new, tmp_path):
    rows = [row if row[1] != "All" else (*row[:3], "") for row in PERCENT] + [("D", "All", "40", "")] * ("area" in new)
    code, why, found = verdict(with_percentages_alone(tmp_path, rows, ALONE.replace(old, new)))
    assert (code, found) == (3, [])
    assert "in percent are rates of cells that no table of their release shows" in why


def test_a_table_that_lacks_the_counts_by_mistake_is_refused(tmp_path):
    folder = with_percentages_alone(tmp_path, PERCENT, head="area,sex,m")
    assert "percentages.csv" in refused(str(folder))
    assert "under rates" in refused(str(folder))


@kills("audit.count_tables.build_evidence._EvidenceBuilder._left_out", "inside &= of_counts", "pass")
@pytest.mark.parametrize(("absent", "found"), [("", []), ('absent = "zero"\n', [("S", 13)])])
def test_a_row_of_a_table_of_percentages_alone_is_no_row_of_counts(absent, found, tmp_path):
    """The counts leave out N, F, which is 0 if the manifest says so, whatever the percentages have there."""
    cells = [
        ("All", "All", "40"),
        ("All", "F", "13"),
        ("All", "M", "27"),
        ("S", "F", "*"),
        ("S", "M", "*"),
        ("N", "M", "*"),
    ]
    manifest = ALONE.replace("[policy]", f"{absent}[policy]").replace("totals = {", 'totals = { area = "All",')
    folder = with_percentages_alone(tmp_path, [(*cell, "") for cell in cells], manifest)
    (folder / "percentages.csv").write_text("area,sex,percent\nN,F,\nAll,F,32.5\n")
    assert [(each["cell"]["area"], each["lower"]) for each in verdict(folder)[2]] == found


@kills(
    "audit.count_tables.published_counts._Cells.take_rates_alone",
    "self.related.setdefault(row, []).extend(rows)",
    "pass",
)
@pytest.mark.parametrize("column", [False, True])
def test_a_repair_empties_the_percentages_of_what_it_hides(column, tmp_path):
    """The denominators are counts of all, or stand in a column beside the percentages."""
    manifest = ALONE.replace('denominator = { sex = "All" }', 'denominator = "people"') if column else ALONE
    (tmp_path / "series.toml").write_text(
        manifest.replace('{ tag = "1", tables = ["counts.csv", "percentages.csv"] }', '"0.csv"')
    )
    (tmp_path / "0.csv").write_text("area,sex,n\nA,All,40\nA,F,20\nA,M,20\n")
    files = with_percentages_alone(tmp_path / "new", PERCENT)
    if column:
        people = {row[0]: row[2] for row in PERCENT if row[1] == "All"}
        alone = [f"{area},{sex},{people[area]},{percent}" for area, sex, _, percent in PERCENT]
        (files / "percentages.csv").write_text("\n".join(["area,sex,people,percent", *alone]) + "\n")
    names = [str(files / name) for name in ("counts.csv", "percentages.csv")]
    assert run_main("next", str(tmp_path), *names)[0] == 1
    assert run_main("repair", str(tmp_path), *names, "--output", str(tmp_path / "out"))[0] == 0
    counts, shares = (
        (tmp_path / "out" / name).read_text().splitlines()[1:] for name in ("counts.csv", "percentages.csv")
    )
    hidden = {row.rpartition(",")[0] for row in counts if row.rpartition(",")[2] in ("", "*")}
    assert hidden
    assert hidden.isdisjoint(row[: row.find(",", 2)] for row in shares if row.rpartition(",")[2])


def test_only_tables_of_counts_are_published(tmp_path):
    manifest = ALONE.replace("rates = {", "# ").replace("markers = {", "# ").replace("min_count", "# ")
    rows = [(*row[:2], row[2].replace("*", "20"), row[3]) for row in PERCENT]
    folder = with_percentages_alone(tmp_path / "a", rows, manifest.replace("[policy]", 'not_counts = ["percent"]'))
    assert "this one has none" in refused("anonymize", str(folder), "--method", "none", "--output", str(tmp_path / "b"))


def apart(text):
    """A table whose last column stands in a table of its own, in another order: counts and rates."""
    rows = [row.split(",") for row in text.splitlines()]
    counts, rates = ([[*row[:2], row[at]] for row in rows] for at in (2, -1))
    return tuple("\n".join(map(",".join, [some[0], *some[:0:-1]])) + "\n" for some in (counts, rates))


@pytest.mark.parametrize("whole", [False, True])
def test_init_finds_of_which_counts_a_table_of_percentages_is(whole, tmp_path):
    texts = [shares(1), shares(3)]
    if whole:
        rows = [[row.split(",") for row in text.splitlines()] for text in texts]
        for row in (row for some in rows for row in some[1:] if row[3] != "*"):
            row[3] = str(round(float(row[3])))
        texts = ["\n".join(map(",".join, some)) + "\n" for some in rows]
    names = [("2023-pupils.csv", "2023-percentages.csv"), ("2024-pupils.csv", "2024-percentages.csv")]
    files = {
        name: text
        for both, whole in zip(names, texts, strict=True)
        for name, text in zip(both, apart(whole), strict=True)
    }
    manifest = guessed(tmp_path / "apart", files)
    assert [each["tables"] for each in manifest["series"]["releases"]] == [[*both] for both in names]
    beside = guessed(tmp_path / "beside", {"2023.csv": texts[0], "2024.csv": texts[1]})
    assert manifest["table"] == beside["table"]
    for name in ("apart", "beside"):
        confirmed(tmp_path / name)
    assert verdict(tmp_path / "apart")[0] == 1
    assert answers(tmp_path / "apart") == answers(tmp_path / "beside")


def test_percentages_of_the_department_for_education_are_those_of_its_counts(tmp_path):
    counts, rates = (
        ["time_period,geographic_level,country_name,region_name,sex," + name] for name in ("pupils", "pupil_percent")
    )
    for row in shares(1).splitlines()[1:]:
        area, sex, count, rate = row.split(",")
        level = "National,England," if area == "Total" else f"Regional,England,{area}"
        counts.append(f"202324,{level},{sex},{'c' if count == '*' else count}")
        rates.append(f"202324,{level},{sex},{'c' if count == '*' else rate}")
    files = {f"{name}.csv": "\n".join(rows) + "\n" for name, rows in (("counts", counts), ("rates", rates))}
    table = guessed(tmp_path, files)["table"]
    assert (table["value"], table["rates"]["denominator"]) == ("pupils", {"sex": "Total"})
    confirmed(tmp_path)
    code, _, found = verdict(tmp_path)
    assert (code, {2, 7} <= {each["lower"] for each in found}) == (1, True)


def test_percentages_of_cells_at_several_totals_are_found(tmp_path):
    """The whole of each area has a total in both columns of labels; 5.9 per cent of 34 are 2."""
    cells = {"Total,Total": 34, "need,support": 10, "need,plan": 2, "need,none": 22}
    counts, rates = ["area,group,kind,pupils"], ["area,group,kind,percent"]
    for area, more in (("X", 0), ("Y", 13), ("Z", 29)):
        whole = cells["Total,Total"] + 2 * more
        for labels, count in cells.items():
            now = whole if labels == "Total,Total" else count + more * (labels != "need,plan")
            counts.append(f"{area},{labels},{'c' if now < 5 else now}")
            rates.append(f"{area},{labels},{100 * now / whole:.1f}")
    files = {f"{name}.csv": "\n".join(rows) + "\n" for name, rows in (("pupils", counts), ("rates", rates))}
    assert guessed(tmp_path, files)["table"]["rates"]["denominator"] == {"group": "Total", "kind": "Total"}
    assert 2 in {each["lower"] for each in verdict(tmp_path)[2] if each["lower"] == each["upper"]}


def counts_and_rates(population, seed=0):
    """Rounded counts by area, sex and age, and exact rates per 1,000 with the populations, by area and sex."""
    drawn = np.random.default_rng(seed).poisson(25, size=(8, 2, 3))
    counts, rates = ["area,sex,age,cases"], ["area,sex," + population + "rate per 1000"]
    for area, sex in np.ndindex(9, 3):
        own = drawn[area : area + 1] if area < 8 else drawn
        own = (own[:, sex] if sex < 2 else own.sum(axis=1)).sum(axis=0)
        labels = f"{'ABCDEFGH'[area] if area < 8 else 'Total'},{('f', 'm', 'Total')[sex]}"
        ages = zip(("young", "middle", "old", "Total"), (*own, own.sum()), strict=True)
        counts += [f"{labels},{age},{5 * int(n / 5 + 0.5)}" for age, n in ages]
        people = 3217 * (2 if sex == 2 else 1) * (8 if area == 8 else 1)
        rates.append(f"{labels},{f'{people},' if population else ''}{1000 * own.sum() / people:.2f}")
    return "\n".join([*counts, ""]), "\n".join([*rates, ""])


@pytest.mark.parametrize("folders", [False, True])
def test_init_reads_rates_with_their_populations_as_a_table_of_the_release(folders, tmp_path):
    """Counts are rounded, rates were computed from the exact ones, with which no rounded one agrees."""
    files = {}
    for quarter in ("2025_Q1", "2025_Q2"):
        texts = zip(("counts", "rates"), counts_and_rates("Population,", int(quarter[-1])), strict=True)
        if folders:
            (tmp_path / quarter).mkdir()
        files |= {f"{quarter}/{n}.csv" if folders else f"cases_{n}_{quarter}.csv": text for n, text in texts}
    manifest = guessed(tmp_path, files)
    assert [len(release["tables"]) for release in manifest["series"]["releases"]] == [2, 2]
    table = manifest["table"]
    rates = {"column": "rate per 1000", "per": 1000, "decimals": 2, "denominator": "Population", "of": "count"}
    assert (table["value"], table["rates"], "not_counts" in table) == ("cases", rates, False)
    assert "table.rates" in manifest["unconfirmed"]["keys"]


def test_a_table_of_populations_alone_is_named(tmp_path):
    counts, rates = counts_and_rates("Population,")
    rows = [line.split(",") for line in rates.splitlines()]
    columns = {"rates": (0, 1, 3), "people": (0, 1, 2)}
    texts = {name: "\n".join(",".join(row[at] for at in some) for row in rows) for name, some in columns.items()}
    for name, text in (texts | {"counts": counts}).items():
        (tmp_path / f"{name}.csv").write_text(text)
    said = refused("init", str(tmp_path), "--yes")
    assert "people.csv:1: this table has populations alone, in Population" in said


@pytest.mark.parametrize(
    "note", ["", "Notes\n1. Rounded to 5.\n3. c = suppressed: counts of 1 to 4. A zero is a true zero.\n"]
)
def test_init_reads_notes_in_a_text_file_beside_the_tables(note, tmp_path):
    """The least number is 5; as numbers are rounded to 5, it alone shows that 1 and 2 are hidden."""
    text = counts_and_rates("")[0]
    rows = [line if n % 13 else f"{line.rpartition(',')[0]},c" for n, line in enumerate(text.splitlines(), 1)]
    files = {"2024.csv": "\n".join([*rows, "T,f,odd,5", ""])} | ({"notes.txt": note} if note else {})
    manifest = guessed(tmp_path, files)
    why = (tmp_path / "series.toml").read_text(encoding="utf-8")
    assert ("suppressed: counts of 1 to 4" in why) == bool(note)
    assert "table.markers.c" in manifest["unconfirmed"]["keys"]
    if note:
        assert manifest["policy"]["min_count"] == 5


@pytest.mark.parametrize(
    ("note", "rounding"),
    [("", None), ("2. Alle Zahlen sind auf 5 gerundet.", {"to": 5, "how": "nearest"}), ("Gerundet auf 10.", None)],
)
@pytest.mark.parametrize("home", ["", "releases/", "2024/"])
def test_init_reads_a_rounding_in_a_text_file_beside_the_tables(note, rounding, home, tmp_path):
    """Three numbers are too few to show it. The file may stand in the folder of the series, too."""
    rows = ["area,n", "A,25", "B,c", "C,40", "All,70", ""]
    (tmp_path / home).mkdir(exist_ok=True)
    manifest = guessed(tmp_path, {f"{home}2024.csv": "\n".join(rows), "notes.txt": note})
    assert manifest["table"].get("rounding") == rounding


@kills("audit.init.count_tables._form_of", "())], why)", "())])")
def test_percentages_of_which_no_denominator_agrees_are_undecided(tmp_path):
    """They are of people that no table shows; where the manifest says that they tell nothing, the policy holds."""
    counts, rates = apart(added("Total", ()))
    rates = rates.replace("cases", "percent")
    rates = re.sub(r"([0-9]+)$", lambda found: f"{int(found[1]) / 7:.1f}", rates, flags=re.MULTILINE)
    manifest = guessed(tmp_path, {"pupils.csv": counts, "percentages.csv": rates})
    assert manifest["table"]["not_counts"] == ["percent"]
    assert "table.not_counts" in manifest["unconfirmed"]["keys"]
    assert verdict(tmp_path)[0] == 3
    answered(tmp_path, more=40)  # empty lines
    assert tomllib.loads((tmp_path / "series.toml").read_text())["unconfirmed"] == manifest["unconfirmed"]
    assert verdict(tmp_path)[0] == 3


def test_percentages_of_an_unknown_release_are_refused(tmp_path):
    counts, rates = apart(shares(1))
    for name, text in {"2023-pupils.csv": counts, "2024-pupils.csv": counts, "percentages.csv": rates}.items():
        (tmp_path / name).write_text(text)
    assert "do not show of which counts these are rates" in refused("init", str(tmp_path), "--yes")


def test_a_percentage_refutes_what_a_sign_is_taken_for(tmp_path):
    """The smallest number is 12, but the percentages of C say that its signs stand for 61 and 287."""
    rows = [row.split(",") for row in shares(1).replace("C,f,287", "C,f,*").replace("C,m,61", "C,m,*").splitlines()]
    text = "\n".join(map(",".join, rows)) + "\n"
    manifest = guessed(tmp_path, {"1.csv": text})
    assert manifest["table"]["markers"] == {"*": [0, float("inf")]}
    assert verdict(tmp_path)[0] in (1, 3)


@kills("audit.count_tables.published_counts.lines_along", "~counts.without_count", "counts.file >= 0")
def test_a_table_of_percentages_conceals_no_doubt_about_the_counts(tmp_path):
    """The manifest does not name the total of the areas, which the numbers show."""
    areas = {"A": 20, "B": 30, "C": 11, "Z": 61}
    rows = [(area, sex, str(n), "50.0") for area, n in areas.items() for sex in ("F", "M")]
    rows += [(area, "All", str(2 * n), "100.0") for area, n in areas.items()]
    alone = verdict(with_percentages_alone(tmp_path / "alone", rows))
    beside = verdict(written(tmp_path, rows, "area,sex,n,percent", SHARES))
    assert alone[:2] == beside[:2]
    assert alone[0] == 3
    assert '\\"Z\\" of area is the sum' in alone[1]


@pytest.mark.parametrize("flag", [" r", "(p)", "*", " e"])
@pytest.mark.parametrize("point", [True, False])
def test_a_flag_that_is_not_declared_is_named_with_its_own_cell(flag, point, tmp_path):
    """Numbers with points for thousands are read as before; no marker is offered for a number."""
    rows = [(area, sex, f"1.{int(n):03}" if point else n) for area, sex, n in NUMBERS if "All" not in (area, sex)]
    rows[2] = (*rows[2][:2], rows[2][2] + flag)
    folder = written(tmp_path, rows, table='dimensions = ["area", "sex"]\nvalue = "n"\n')
    said = refused(str(folder))
    assert said.startswith(f'audit: releases/1.csv:4, column "n": "{rows[2][2]}"'), said
    assert (f'flags = ["{flag.strip()}"]' in said, "markers" in said, said.count("\n")) == (True, False, 1)
    edit(folder / "series.toml", "[policy]", f'flags = ["{flag.strip()}"]\n[policy]')
    assert verdict(folder)[0] == 0


@kills("audit.count_tables.cell_rates.CellRates._base", "!= label[row]", "== label[row]")
@pytest.mark.parametrize("form", ["column", "cell", "table"])
def test_the_proof_of_a_count_that_a_rate_shows_names_the_rate_and_its_base(form, tmp_path):
    """Of 27 people, 44.4 per cent are 12; the marker itself says nothing."""
    whole = {area: n for area, sex, n in NUMBERS if sex == "All"}
    hidden = [(a, s, "*" if (a, s) in {("A", "f"), ("A", "m"), ("B", "f"), ("B", "m")} else n) for a, s, n in NUMBERS]
    share = ["44.4" if (a, s) == ("A", "f") else "" for a, s, _ in NUMBERS]
    rows = [(*row, rate, whole[row[0]]) for row, rate in zip(hidden, share, strict=True)]
    base = '"base"' if form == "column" else '{ sex = "All" }'
    rates = f'rates = {{ column = "share", per = 100, decimals = 1, denominator = {base} }}\n'
    table = TABLE + 'markers = { "*" = [0, inf] }\n' + rates
    table += "" if form == "column" else 'not_counts = ["base"]\n'
    folder = written(tmp_path, [r[:3] if form == "table" else r for r in rows], "area,sex,n,share,base", table)
    if form == "table":
        lines = ["area,sex,n", *(",".join(row[:3]) for row in rows)]
        (folder / "releases/1.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
        lines = ["area,sex,share,base", *(",".join((*row[:2], *row[3:])) for row in rows if row[3])]
        (folder / "releases/rates.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
        text = (folder / "series.toml").read_text(encoding="utf-8")
        text = text.replace('["releases/1.csv"]', '[{ tag = "1", tables = ["releases/1.csv", "releases/rates.csv"] }]')
        (folder / "series.toml").write_text(text, encoding="utf-8")
    code, out, err = run_main(str(folder))
    assert (code, err) == (1, "")
    assert "12 (area A, sex f; share 44.4, per 100 of 27, gives exactly 12, published *) = 12" in " ".join(out.split())
    assert "and the rates of hidden cells" in " ".join(out.split())


def test_a_rate_of_a_wide_column_names_it_and_points_part_thousands_of_its_denominator(tmp_path):
    """41 of 1,544 is 26.6 per 1,000; 1.544 was 1 and a half."""
    rows = ["A;20;*;*;1.544;26,6", "B;600;620;1.220;81.197;15,0", "C;4;6;10;1.118;8,9", "All;*;*;1.271;1.055.857;1,2"]
    table = 'dimensions = ["area"]\nwide = { dimension = "sex", columns = { m = "m", f = "f", all = "both" } }\n'
    table += 'totals = { area = "All", sex = "all" }\nmarkers."*" = [0, inf]\n'
    table += 'rates = { column = "rate", per = 1000, decimals = 1, denominator = "people" }'
    folder = write_tables(tmp_path, {"1.csv": ["area;m;f;both;people;rate", *rows]}, table, "min_count = 3")
    assert 'write counts = "m"' in refused(str(folder))
    edit(folder / "series.toml", '"people" }', '"people", counts = "both" }')
    code, out, _ = run_main(str(folder))
    assert (code, "area A, sex f, release 1: exactly 21" in out) == (1, True), out


@pytest.mark.parametrize("name", ["Population (mid-year estimate)", "Bevölkerung am Jahresende", "Insured (year)"])
def test_numbers_named_for_a_year_are_the_denominators_of_rates(name, tmp_path):
    """They were labels of years, so that a rate beside a hidden count was not judged."""
    people = {("A", "f"): (41, 19_571), ("A", "m"): (37, 24_661), ("B", "f"): (12, 5_912), ("B", "m"): (55, 31_204)}
    rows = [f"{area},{sex},{n},{of},{1000 * n / of:.2f}" for (area, sex), (n, of) in people.items()]
    text = lines(f"area,sex,cases,{name},Rate", *rows, "C,f,c,6120,c")
    assert guessed(tmp_path, {"1.csv": text})["table"]["rates"]["denominator"] == name


@pytest.mark.parametrize(("moved", "whole"), [(False, "Ensemble"), (True, "Ensemble"), (False, "France")])
def test_a_column_that_says_in_which_label_of_another_one_it_lies_is_nested(moved, whole, tmp_path):
    """Unless a label occurs beside two others, both columns are one dimension, though their totals may differ."""
    places = {"Bretagne": ["Finistère", "Morbihan"], "Corse": ["Haute-Corse", "Sud"]}
    lines, every = ["Région;Département;Âge;Cas"], []
    for region, parts in {**places, **({"Normandie": ["Sud"]} if moved else {}), whole: []}.items():
        rows = [(part, (7 + len(part), 3, 10 + len(part))) for part in parts]
        every += [counts for _, counts in rows]
        rows.append(("Ensemble", tuple(map(sum, zip(*([n for _, n in rows] or every), strict=True)))))
        for part, counts in rows:
            texts = ("s" if n < 5 else str(n) for n in counts)
            lines += [f"{region};{part};{age};{n}" for age, n in zip(("< 18", "18 +", "Tous"), texts, strict=True)]
    (tmp_path / "1.csv").write_text("\n".join([*lines, ""]), encoding="utf-8")
    written = tomllib.loads(drafted(tmp_path))
    assert written["table"].get("nested") == (None if moved else {"area": ["Région", "Département"]}), written
    assert ("table.nested" in written["unconfirmed"]["keys"]) != moved
    assert run_main(str(tmp_path))[0] in (1, 3)


@pytest.mark.parametrize("columns", [["region", "dept", "commune"], ["commune", "region", "dept"]])
def test_three_columns_that_lie_in_each_other_are_one_dimension(columns, tmp_path):
    """The third was a dimension of its own, which the audit did not ask about once two were nested."""
    communes = [(region, f"{region}{d}", f"{region}{d}{c}") for region in "NS" for d in range(3) for c in range(3)]
    counts = dict(zip(communes, range(4, 40, 2), strict=True))
    rows = [",".join([*columns, "n"])]
    for place in dict.fromkeys((*one[:size], *["All"] * (3 - size)) for one in communes for size in (3, 2, 1, 0)):
        n = sum(
            n for one, n in counts.items() if all(label in (own, "All") for own, label in zip(one, place, strict=True))
        )
        cells = dict(zip(("region", "dept", "commune"), place, strict=True))
        rows.append(",".join([*(cells[name] for name in columns), str((n + 2) // 5 * 5)]))
    (tmp_path / "1.csv").write_text(lines(*rows), encoding="utf-8")
    path = tmp_path / "series.toml"
    text = drafted(tmp_path)
    written = tomllib.loads(text)["table"]
    assert (written["nested"], written["dimensions"]) == ({"area": ["region", "dept", "commune"]}, ["area"])
    text = text.replace('dimensions = ["area"]', 'dimensions = ["area", "commune"]').replace(', "commune"] }', "] }")
    text = text.replace('totals = { area = "All" }', 'totals = { area = "All", commune = "All" }')
    path.write_text(text[: text.index("[unconfirmed]")], encoding="utf-8")
    code, out, _ = run_main(str(tmp_path))
    assert code == 3
    assert "each label of commune occurs beside only one label of dept" in " ".join(out.split())


@pytest.mark.parametrize(("of_total", "counted"), [(900, False), (1800, True)])
def test_a_population_that_stands_beside_each_count_is_no_count(of_total, counted, tmp_path):
    """As counts, such numbers contradict their totals: the audit refused what init had guessed."""
    rows = [
        f"{area},{sex},{n},{people if sex != 'Total' or not counted else 2 * people}"
        for area, own, people in (("A", (12, "c", 15), 400), ("B", (25, 31, 56), 500), ("Total", (37, 34, 71), 900))
        for sex, n in zip(("F", "M", "Total"), own, strict=True)
    ]
    assert str(of_total) in rows[-1]
    manifest = guessed(tmp_path, {"2024.csv": "\n".join(["area,sex,cases,population", *rows, ""])})
    assert ("population" in manifest["table"].get("not_counts", ())) == (not counted)
    assert ("population" in manifest["table"].get("values", ())) == counted
    assert verdict(tmp_path)[0] in {1, 3}


@pytest.mark.parametrize("denominator", ["Population", "Pupils enrolled"])
@pytest.mark.parametrize("is_first", [True, False])
def test_rates_are_found_in_whatever_order_the_columns_stand(is_first, denominator, tmp_path):
    """The first column, or the one with a name of counts, was taken for the counts, of which no column is a rate."""
    counts = {("A", "f"): 3, ("A", "m"): 21, ("B", "f"): 37, ("B", "m"): 29}
    people = {key: 611 + 97 * n for n, key in enumerate(counts)}
    own, beside = ("Exclusions", denominator)[::-1] if is_first else ("Exclusions", denominator), []
    for area, sex in [*counts, ("Total", "f"), ("Total", "m"), ("Total", "Total")]:
        inside = [key for key in counts if area in (key[0], "Total") and sex in (key[1], "Total")]
        cases, among = (sum(each[key] for key in inside) for each in (counts, people))
        cells = ["c" if cases < 5 else str(cases), str(among)]
        rate = "c" if cases < 5 else f"{100 * cases / among:.2f}"
        beside.append(",".join([area, sex, *(cells[::-1] if is_first else cells), rate]))
    text = "\n".join([",".join(["area", "sex", *own, "Rate"]), *beside, ""])
    manifest = guessed(tmp_path, {"2024.csv": text})["table"]
    assert (manifest["value"], manifest["rates"]["denominator"]) == ("Exclusions", denominator)


@kills("audit.init.count_beside._declare_counts", "len(parts) > MOST_PARTS", "False")
def test_many_columns_that_may_overlap_are_not_read_as_parts(tmp_path):
    """Twenty parts of one count had a million ways to overlap, and `audit init` took all memory."""
    ages = [f"{age} to {age + 9} {sex}" for age in range(0, 100, 10) for sex in ("m", "f")]
    rows = [
        [area, *(times * (place + 3) for place in range(20)), 9_000 * times]
        for area, times in (("A", 1), ("B", 2), ("Total", 3))
    ]
    text = lines(",".join(["area", *ages, "cases"]), *(",".join(map(str, row)) for row in rows))
    manifest = guessed(tmp_path, {"1.csv": text})
    assert ("part_of" in manifest["table"], "table.values" in manifest["unconfirmed"]["keys"]) == (False, True), (
        manifest
    )
    parts = ", ".join(f'"{name}" = "cases"' for name in ages)
    written = (
        (tmp_path / "series.toml").read_text(encoding="utf-8").replace("[table]", f"[table]\npart_of = {{ {parts} }}")
    )
    (tmp_path / "series.toml").write_text(written, encoding="utf-8")
    code, _, err = run_main(str(tmp_path))
    assert (code, "more than 13 parts" in err) == (2, True), err
