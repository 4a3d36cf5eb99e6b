"""Count tables as offices write them: titles, headers of two lines, labels written once, and what is asked of them."""

import json
import random
import re
import tempfile
import tomllib
from functools import cache
from itertools import product
from pathlib import Path

import openpyxl
import pytest
import tomlkit

from audit.count_tables.manifest import read_table_manifest
from audit.count_tables.note_numbers import unread_counts
from audit.count_tables.read_counts import read_counts
from tests.cli.forms import edit
from tests.cli.test_confirm import confirm
from tests.cli.test_count_table_columns import answers, guessed
from tests.cli.test_count_table_doubts import NUMBERS, written
from tests.helpers.count_tables import write_tables
from tests.helpers.published_forms import lines, open_document
from tests.helpers.running import done, drafted, refused, run_main
from tests.mutants.mutant import kills


@pytest.mark.parametrize(
    "names",
    [
        ("0-17", "18-64", "65+", "All ages"),
        ("under 18 years", "18 to 64 years", "65 years and over", "All ages"),
        ("unter 18 Jahre", "18 bis 64 Jahre", "65 Jahre und mehr", "Alle Altersgruppen"),
    ],
)
@pytest.mark.parametrize("base", [1, 5])
def test_columns_named_by_ages_are_counts_and_so_is_that_of_all(names, base, tmp_path):
    """Rounded numbers do not add up, so that only the name says which column is the total."""
    rows = [(10, 20, 15), (25, 35, 5), (40, 15, 30), (15, 10, 45), (20, 55, 25)]
    counts = [(a, b, c, a + b + c + base * (i % 2) * (base > 1)) for i, (a, b, c) in enumerate(rows)]
    text = lines(",".join(["area", *names]), *(f"A{i},{','.join(map(str, each))}" for i, each in enumerate(counts)))
    table = guessed(tmp_path, {"1.csv": text})["table"]
    assert ([*table["wide"]["columns"]], table["totals"]["column"]) == ([*names], names[-1])


def test_columns_of_ages_without_a_total_are_labels_and_no_part_of_another(tmp_path):
    rows = ["A,1,20,31", "B,3,25,44", "C,2,35,47", "All,6,80,122"]
    table = guessed(tmp_path, {"1.csv": lines("area,0-17,18-64,65+", *rows)})["table"]
    assert ("part_of" in table, [*table["wide"]["columns"]]) == (False, ["0-17", "18-64", "65+"])


@pytest.mark.parametrize(
    ("beside", "named"),
    [
        (["1.5", "", "", "", "", "", "", "", "2.25"], True),
        (["s", "s", "s", "s", "s", "7.5", "s", "s", "s"], True),
        (["0.5", "0.7", "1.1", "3.2", "4.7", "0.2", "0.9", "1.3", "8.8"], True),
        (["", "", "", "", "", "", "", "", ""], False),
    ],
)
def test_what_is_left_undecided_is_asked_or_said(beside, named, tmp_path):
    """A law: `init` names each column that `audit` does not judge; `--confirm` asks about it, or says what is left."""
    hidden = [(area, sex, "s" if int(n) < 13 else n) for area, sex, n in NUMBERS]
    rows = [",".join([*row, text]) for row, text in zip(hidden, beside, strict=True)]
    (tmp_path / "1.csv").write_text(lines("area,sex,n,Taux pour 100 000 hab.", *rows), encoding="utf-8")
    assert ("Taux pour" in done("init", str(tmp_path), "--yes")) == named
    assert ("Taux pour" in confirm(tmp_path, more=20)[2]) == named
    path = tmp_path / "series.toml"
    path.write_text(path.read_text(encoding="utf-8").partition("[unconfirmed]")[0], encoding="utf-8")
    _, out, _ = run_main(str(tmp_path), "--format", "json")
    reasons = {each["reason"].rstrip(".") for each in json.loads(out)["policy"]["undecided"]}
    said = " ".join(confirm(tmp_path, more=20)[1].split())
    assert bool(reasons) == named
    assert all(reason in said for reason in reasons)
    assert "Taux pour" not in confirm(tmp_path, "yes", more=20)[1]
    assert (
        "Taux pour 100 000 hab." in tomllib.loads(path.read_text(encoding="utf-8"))["table"].get("not_counts", ())
    ) == named
    assert json.loads(run_main(str(tmp_path), "--format", "json")[1])["policy"]["undecided"] == []
    assert "nothing is left" in confirm(tmp_path)[1]


@pytest.mark.parametrize(
    ("beside", "asked"),
    [
        (("1. Vierteljahr 2024", "A IV 2 \u2013 vj 1/24", "A I 1 - j/23", "2. Halbjahr"), False),
        (("In A IV 2 \u2013 vj 1/24 Frau",), True),
    ],
)
def test_reports_and_the_upper_line_of_a_header_are_not_asked_about(beside, asked, tmp_path):
    """The names of columns are read, so that a footnote of one is no count."""
    book = openpyxl.Workbook()
    rows = [["Kreis 1)", "Alter 2)", "Davon", ""], ["", "", "Frauen", "M\u00e4nner"]]
    rows += [[kreis, age, 11, 12] for kreis in ("A", "B", "C") for age in ("jung", "alt", "Insgesamt")]
    for row in [*([text] for text in beside), [], *rows]:
        book.active.append([cell or None for cell in row])
    book.save(tmp_path / "1.xlsx")
    text = '[series]\nkind = "tables"\nreleases = ["1.xlsx"]\n[table]\ndimensions = ["Kreis 1)", "Alter 2)"]\n'
    text += 'values = ["Frauen", "M\u00e4nner"]\nmarkers."*" = [1, 4]\n[policy]\nmin_count = 5\n'
    (tmp_path / "series.toml").write_text(text, encoding="utf-8")
    assert bool(unread_counts(read_counts(read_table_manifest(tmp_path)), 5)) == asked


@kills("audit.count_tables.note_numbers._without_number_of_table", "int(line) >= (header or 0)", "False")
@pytest.mark.parametrize(
    ("name", "title", "asked"),
    [
        ("1_Bremen", "1 Schutzmaßnahmen in Bremen nach Kreisen", False),
        ("Tab_02", "2 Geborene nach Kreisen", False),
        ("1_Bremen", "2 Schutzmaßnahmen in Bremen nach Kreisen", True),
        ("Bremen", "1 Schutzmaßnahmen in Bremen nach Kreisen", True),
        ("2_Bremen", "2 Frauen in Bremen", True),
        ("2_Bremen", "Schutzmaßnahmen, 2 in Bremen", True),
    ],
)
def test_the_number_of_a_table_in_its_title_is_no_count(name, title, asked, tmp_path):
    folder = written(tmp_path, NUMBERS)
    text = (folder / "releases/1.csv").read_text(encoding="utf-8")
    (folder / f"releases/{name}.csv").write_text(f"{title}\n\n{text}", encoding="utf-8")
    edit(folder / "series.toml", "releases/1.csv", f"releases/{name}.csv")
    assert bool(unread_counts(read_counts(read_table_manifest(folder)), 5)) == asked
    below = f"{text}\nNote: first line\n{title}\n"  # no title
    (folder / f"releases/{name}.csv").write_text(below, encoding="utf-8")
    assert bool(unread_counts(read_counts(read_table_manifest(folder)), 5))


COUNTS = {
    (area, sex, age): 3 + 7 * a + 5 * s + 11 * g
    for a, area in enumerate(("Ahaus", "Borken", "Coesfeld"))
    for s, sex in enumerate(("f", "m"))
    for g, age in enumerate(("unter 18", "18 bis 64"))
}
AGES = ("unter 18", "18 bis 64", "Insgesamt")


def wide_rows():
    """A table of counts by area, sex and age, the ages in columns, with all totals; counts up to 9 are hidden."""
    areas, sexes = (dict.fromkeys(key[at] for key in COUNTS) for at in (0, 1))
    for area in (*areas, "Kreise zusammen"):
        for sex in (*sexes, "Insgesamt"):
            inner = {key: n for key, n in COUNTS.items() if key[0] == area or area not in areas}
            inner = {key: n for key, n in inner.items() if key[1] == sex or sex not in sexes}
            numbers = [sum(n for key, n in inner.items() if age in (key[2], AGES[-1])) for age in AGES]
            yield [area, sex, *("." if n < 10 else str(n) for n in numbers)]


TITLES = [["Kinder nach Kreisen", "", "", "", ""], ["", "", "", "", ""]]
HEADERS = {
    "one line": [["Kreis", "Geschlecht", *AGES]],
    "merged": [["Kreis", "Geschlecht", "davon im Alter von ... Jahren", "", "Insgesamt"], ["", "", *AGES[:2], ""]],
    "in each column": [["Kreis", "Geschlecht", "davon", "davon", "Insgesamt"], ["", "", *AGES[:2], ""]],
    "three lines": [
        ["Kreis", "Geschlecht", "Kinder", "", ""],
        ["", "", "davon im Alter von ... Jahren", "", "Insgesamt"],
        ["", "", *AGES[:2], ""],
    ],
    "at the bottom": [
        ["", "", "davon im Alter von ... Jahren", "", "Insgesamt"],
        ["Kreis", "Geschlecht", *AGES[:2], ""],
    ],
}


def once(rows):
    """Rows of which the first column has each label once, above blanks."""
    above = [None, *(row[0] for row in rows)]
    return [[("" if row[0] == before else row[0]), *row[1:]] for row, before in zip(rows, above, strict=False)]


def spoiled(path, header, labels, form, titles=True):
    """Write the table with a header of two lines, or labels written once, as offices do."""
    rows = list(wide_rows())
    body = rows if labels == "in each row" else once(rows)
    cells = [*(TITLES if titles else []), *HEADERS[header], *body]
    if form == "csv":
        path.with_suffix(".csv").write_text("\n".join(";".join(row) for row in cells) + "\n", encoding="utf-8")
    elif form == "ods":
        path.with_suffix(".ods").write_bytes(open_document(cells))
    else:
        book = openpyxl.Workbook()
        for row in cells:
            book.active.append([int(cell) if cell.isdigit() else cell or None for cell in row])
        top = len(cells) - len(body) + 1
        if header == "three lines":
            for place in ("A{0}:A{2}", "B{0}:B{2}", "C{0}:E{0}", "C{1}:D{1}", "E{1}:E{2}"):
                book.active.merge_cells(place.format(*range(top - 3, top)))
        if header == "merged":
            for place in ("A{0}:A{1}", "B{0}:B{1}", "C{0}:D{0}", "E{0}:E{1}"):
                book.active.merge_cells(place.format(top - 2, top - 1))
        for line in range(top, len(cells) + 1, 3) if labels == "merged" else ():
            book.active.merge_cells(f"A{line}:A{line + 2}")
        book.save(path.with_suffix(".xlsx"))


def judged(folder):
    """The decision and all findings, once every guess is confirmed and `.` stands for 1 to 9."""
    said = done("init", str(folder), "--yes")
    path = folder / "series.toml"
    text = path.read_text(encoding="utf-8")
    asked = tomllib.loads(text)["unconfirmed"]["keys"]
    text = re.sub(r'markers\."?\."? = \[.*?\]', 'markers."." = [1, 9]', text.partition("[unconfirmed]")[0])
    text = text.replace("im Alter von ... Jahren", "column")  # a name alone
    path.write_text(re.sub("min_count = .*", "min_count = 10", text), encoding="utf-8")
    assert "NOT USED" not in said
    report = json.loads(run_main(str(folder), "--format", "json")[1])
    return (report["policy"]["undecided"], answers(folder)), "table.once" in asked


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    """What is decided of the table with one line of header and each label in each row."""
    folder = tmp_path_factory.mktemp("plain")
    spoiled(folder / "2024", "one line", "in each row", "csv", titles=False)
    return judged(folder)[0]


@pytest.mark.many
@pytest.mark.parametrize("header", HEADERS)
@pytest.mark.parametrize(
    ("form", "labels"),
    [
        ("csv", "in each row"),
        ("csv", "once"),
        ("ods", "once"),
        ("xlsx", "in each row"),
        ("xlsx", "once"),
        ("xlsx", "merged"),
    ],
)
@pytest.mark.parametrize("titles", [True, False])
def test_a_table_in_the_form_of_offices_is_the_plain_one(form, labels, header, titles, plain, tmp_path):
    """A law: headers of two lines, merged cells and labels written once change no verdict; only blanks are a guess."""
    spoiled(tmp_path / "2024", header, labels, form, titles)
    assert judged(tmp_path) == (plain, labels == "once")
    assert plain[1]


@kills("audit.io.header_rows.joined_header", "of_counts.count({True}) < 2", "True")
@kills("audit.io.header_rows.header_place", " and not _is_named_above(row, rows[:place])", "")
@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ("Kreis;davon;;davon; ;f;m;f;m A;3;4;5;6 B;7;8;9;1", "where names recur below others"),
        ("Kreis;Frauen;;Männer;;Alle ;ja;nein;ja;nein; A;3;4;5;6;18 B;7;8;9;1;25", "where names recur below others"),
        ("Kreis;Frauen;;Männer; Kreis;ja;nein;ja;nein A;3;4;5;6 B;7;8;9;1", "where names recur below others"),
        ("Kreis;Frauen;;Männer;;Alle ;ja;nein;jung;alt; A;3;4;5;6;18 B;7;8;9;1;25", "where names recur"),
        ("Kreis;Fälle;;; ;Frauen;;Männer; ;ja;nein;ja;nein A;3;4;5;6 B;7;8;9;1", "where names recur below others"),
        ("Kreis;Fälle;;; ;Frauen;;Männer; ;ja;nein;jung;alt A;3;4;5;6 B;7;8;9;1", "have no name in the header"),
        ("Kreis;Fälle;;Quote; ;davon;;davon; ;ja;nein;jung;alt A;3;4;5;6 B;7;8;9;1", "have no name in the header"),
        ("Kreis;davon;;Alle ;Zahl;Zahl; ;f;m; A;3;4;7 B;7;8;15", "1.csv:2: this row may be a further line"),
        ("Kreis;davon;;Alle ;unter_18;ab_18; A;12;22; B;15;20;35 C;8;30;38 Alle;35;72;107", "has no name"),
        ("Kreis;davon;;Alle ;unter_18;ab_18; ;Prozent;Prozent;Prozent A;.;12;15 B;5;20;25 Alle;8;32;40", "has no name"),
    ],
)
def test_a_header_that_is_not_understood_is_refused_with_what_to_do(rows, said, tmp_path):
    rows = [row.replace("_", " ") for row in rows.split()]
    (tmp_path / "1.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    assert said in refused("init", str(tmp_path), "--yes")


@kills("audit.count_tables.manifest.filled_down", "begins or ", "")
@kills("audit.count_tables.manifest.filled_down", " or not own", "")
@pytest.mark.parametrize(("place", "column"), [(0, "a"), (4, "a"), (0, "r")])
def test_a_blank_label_that_may_be_another_is_never_filled(place, column, tmp_path):
    """The first row has no label above it; of a new region, the district above is of another one."""
    rows = [["N", "A", "f", "12"], ["", "", "m", "15"], ["", "B", "f", "16"], ["", "", "m", "14"],
            ["S", "C", "f", "17"], ["", "", "m", "13"]]  # fmt: skip
    rows[place]["ra".index(column)] = ""
    table = 'dimensions = ["r", "a", "s"]\nvalue = "n"\nonce = ["r", "a"]\ntotals = { r = "T", a = "T", s = "T" }\n'
    folder = written(tmp_path, rows, "r,a,s,n", table)
    said = f'1.csv:{place + 2}, column "{column}": the label is blank, and it is not certain'
    assert said in refused(str(folder))


@kills("audit.init.count_columns._labels_written_once", "all(len({*some}) == len(some) for some in before)", "False")
@pytest.mark.parametrize("totals", [[",f,12", ",m,15"], [",other,12"]])
def test_a_blank_label_that_is_the_total_remains_the_total(totals, tmp_path):
    text = lines("area,sex,n", "A,f,12", "A,m,15", *totals)
    (tmp_path / "1.csv").write_text(text, encoding="utf-8")
    assert "once" not in drafted(tmp_path)


@kills("audit.init.count_refusals._refuse_half_recognised", "sum(totals) < _LEAST_ROWS", "True")
@pytest.mark.parametrize("name", ["cases", "stock"])
def test_counts_that_are_not_read_are_refused_whatever_their_column_is_called(tmp_path, name):
    """By a name of counts beside a sign that hides some, or by several rows of totals."""
    rows = ["A,f,'20", "A,m,*", "A,Total,'23", "B,f,'31", "B,m,'25", "B,Total,'56"]
    (tmp_path / "1.csv").write_text(lines(f"area,sex,{name}", *rows), encoding="utf-8")
    assert "the file looks like a table of counts" in refused("init", str(tmp_path), "--yes")


@pytest.mark.parametrize("home", ["", "2023"])
def test_a_blank_row_is_named(tmp_path, home):
    """It was called a label that is blank, and in folders the tables were not recognised, without a line."""
    rows = ["A,f,12", "A,m,*", "A,Total,27", ",,", "B,f,16", "B,m,14", "B,Total,30", ",,", "C,f,9"]
    (tmp_path / home).mkdir(exist_ok=True)
    (tmp_path / home / "1.csv").write_text(lines("area,sex,n", *rows), encoding="utf-8")
    assert "1.csv:5: this row is blank; delete" in refused("init", str(tmp_path), "--yes")


@kills("audit.io.foreign_files._without_merges", "at not in inside", "False")
def test_a_number_that_stands_for_several_rows_is_refused(tmp_path):
    spoiled(tmp_path / "2024", "one line", "once", "xlsx", titles=False)
    book = openpyxl.load_workbook(tmp_path / "2024.xlsx")
    book.active.merge_cells("D3:D4")
    book.save(tmp_path / "2024.xlsx")
    assert "merged over rows 3 to 4" in refused("init", str(tmp_path), "--yes")
    book = openpyxl.Workbook()
    for row in [("Kreis", "Zahl"), ("A", 13), (None, None), ("B", 15), ("C", 28)]:
        book.active.append(row)
    for place in ("A2:A3", "B2:B3"):
        book.active.merge_cells(place)
    book.save(tmp_path / "2024.xlsx")
    assert "merged over rows 2 to 3" in refused("init", str(tmp_path), "--yes")


def test_a_numbered_note_is_no_number_beside_merged_cells(tmp_path):
    book = openpyxl.Workbook()
    for row in [("Code", "Kreis", "Geschlecht", "Zahl"), (1, "A", "f", 13), (None, None, "m", 15), (2, "B", "f", 28)]:
        book.active.append(row)
    for row in [(None, None, "m", 17), (None,), ("_____",), ("1) Gebietsstand 1.10.2024",)]:
        book.active.append(row)
    for place in ("A2:A3", "B2:B3", "A4:A5", "B4:B5"):
        book.active.merge_cells(place)
    book.save(tmp_path / "2024.xlsx")
    assert run_main("init", str(tmp_path), "--yes")[0] == 0


def test_a_total_of_several_rows_beside_their_counts_is_refused(tmp_path):
    """It was repeated as the count of each row, although it has them all, so that nothing added up any more."""
    book = openpyxl.Workbook()
    for row in [("Kreis", "Geschlecht", "Zahl", "Alle"), ("A", "f", ".", 38), ("A", "m", 35), ("B", "f", 41, 78)]:
        book.active.append(row)
    book.active.append(("B", "m", 37))
    for place in ("D2:D3", "D4:D5"):
        book.active.merge_cells(place)
    book.save(tmp_path / "2024.xlsx")
    assert "merged over rows 2 to 3" in refused("init", str(tmp_path), "--yes")


def summed(path, form, rng, times=1):
    """Write counts by area, sex and age beside a column with those of each area, or of all people, once or repeated.

    Return the same table with these numbers in rows of their own. Counts up to 9 are hidden, or their rows left out.
    """
    of_area, how, *less = form.split(" ", 2)
    counts = {key: rng.randint(5, 40) for key in product("ABC", ("f", "m"), ("0-17", "18+"))}
    own = {key: key[0] if of_area == "area" else "Total" for key in counts}
    sums = {text: times * sum(n for key, n in counts.items() if own[key] == text) for text in own.values()}
    shown = {key: "." if n < 10 else f"{n}" for key, n in counts.items()}
    shown = {key: text for key, text in shown.items() if text != "." or not less}
    plain = [*(f"{','.join(key)},{text}" for key, text in shown.items())]
    plain += [f"{text},Total,Total,{number}" for text, number in sums.items()]
    beside, rows = dict.fromkeys(own.values(), ""), [["all", "area", "sex", "age", "cases", "share"]]
    for key, text in ((key, own[key]) for key in shown):
        again, beside[text] = beside[text], f"{sums[text]}"
        share = f"{100 * counts[key] / sums[text]:.3f}".rstrip("0") if shown[key] != "." else "."
        rows.append(["" if again and how in ("once", "merged") else beside[text], *key, shown[key], share])
    rows = [row if how == "share" else row[:-1] for row in rows]
    if how == "merged":
        book, high = openpyxl.Workbook(), len(counts) // len(sums)
        for row in rows:
            book.active.append([int(cell) if cell.isdigit() else cell for cell in row])
        for top in range(2, len(rows) + 1, high):
            book.active.merge_cells(start_row=top, end_row=top + high - 1, start_column=1, end_column=1)
        book.save(path / "1.xlsx")
    else:
        (path / "1.csv").write_text(lines(*map(",".join, rows)), encoding="utf-8")
    return lines("area,sex,age,cases", *plain)


@cache
def found_in(text):
    """What follows from a table by itself."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "1.csv").write_text(text, encoding="utf-8")
        return judged(Path(folder))[0][1]


@kills("audit.count_tables.other_readings.columns_of_sums", "*sorted(manifest.denominators)", "")
@kills("audit.count_tables.other_readings.columns_of_sums", "*views, ", "")
@kills("audit.count_tables.second_reading._sums_disclose_more", "manifest.absent_is_zero and", "")
@pytest.mark.many
@pytest.mark.parametrize("how", ["each left out", "share", "once", "each", "merged", "once left out", "share left out"])
@pytest.mark.parametrize("of", ["area", "all"])
@pytest.mark.parametrize("seed", range(2))
def test_a_number_of_several_rows_beside_each_of_them_conceals_nothing(of, how, seed, tmp_path):
    """A law: where a count follows from it in a row of its own, the table does not hold with it beside the rows.

    It was read as the count of each row, or only as the denominator of their shares. A population is no such number.
    """
    texts, decided = [], []
    for times in (1, 1000):
        folder = tmp_path / f"{times}"
        folder.mkdir()
        texts.append(summed(folder, f"{of} {how}", random.Random(seed), times))  # noqa: S311
        decided.append(judged(folder)[0])
    (reasons, found), (of_population, _) = decided
    assert not found_in(texts[0]) or found or any("may count several rows each" in each["reason"] for each in reasons)
    assert not any("several rows" in each["reason"] for each in of_population)


@kills("audit.count_tables.second_reading._sums_disclose_more", "closed == manifest.open", "True")
@pytest.mark.parametrize("again", ["", "38"], ids=["once", "each"])
@pytest.mark.parametrize("is_open", [False, True], ids=["closed", "open"])
def test_a_number_of_several_rows_may_count_these_rows_alone(again, is_open, tmp_path):
    """17 men of A follow from it, though `open` says that some people may have neither sex."""
    rows = ["all,area,sex,cases", "38,A,f,21", f"{again},A,m,.", "44,B,f,20", ",B,m,24"]
    table = 'dimensions = ["area", "sex"]\nvalues = ["all", "cases"]\nover_time = "same"\n'
    table += f'markers = {{ "." = [1, 20] }}\nopen = {["sex"] * is_open}'
    write_tables(tmp_path, {"1.csv": rows}, table, "min_count = 10\nmin_width = 3")
    undecided = json.loads(run_main(str(tmp_path), "--format", "json")[1])["policy"]["undecided"]
    assert any("may count several rows each" in each["reason"] for each in undecided)


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ("Kreis;Kreis;n\nA;f;3\n", "2022/a.csv:1: columns 1 and 2 have the same name in the header"),
        ("Kreis;Anmerkung\nA;gut\nB;schlecht\n", "are not recognised as tables of counts"),
    ],
)
def test_tables_in_folders_that_are_not_read_say_why(table, said, tmp_path):
    for year in ("2022", "2023"):
        (tmp_path / year).mkdir()
        (tmp_path / year / "a.csv").write_text(table, encoding="utf-8")
    assert said in refused("init", str(tmp_path), "--yes")


def test_a_column_named_by_a_range_is_one_of_counts_though_nearly_all_are_hidden(tmp_path):
    rows = ["A,.,12,7,20", "B,.,14,9,24", "C,.,8,21,30", "D,.,9,18,28", "E,.,7,5,13", "All,5,50,60,115"]
    table = guessed(tmp_path, {"1.csv": lines("area,under 15,15-64,65+,Total", *rows)})["table"]
    assert [*table["wide"]["columns"]] == ["under 15", "15-64", "65+", "Total"]


@pytest.mark.parametrize("titles", ["", "Kinder;;;;\n", '"Kinder;\nund Jugendliche";;;;\n;;;;\n'])
@pytest.mark.parametrize("groups", ["davon", '"davon im Alter\nvon"'])
def test_a_repair_of_a_table_with_a_header_of_two_lines_has_one(titles, groups, tmp_path):
    header = f"Kreis;Geschlecht;{groups};;Insgesamt\n;;unter 18;18 bis 64;\n"
    rows = "\n".join(";".join(row).replace(".", "5") for row in wide_rows())
    (tmp_path / "2024.csv").write_text(f"{titles}{header}{rows}\n", encoding="utf-8")
    path = tmp_path / "series.toml"
    text = drafted(tmp_path).partition("[unconfirmed]")[0]
    path.write_text(re.sub("min_count = .*", "min_count = 6", text), encoding="utf-8")
    done("repair", str(tmp_path), str(tmp_path / "2024.csv"), "--output", str(tmp_path / "out"))
    written = (tmp_path / "out/2024.csv").read_text(encoding="utf-8")
    assert written.startswith(f"{titles}Kreis;Geschlecht;unter 18;18 bis 64;Insgesamt\nAhaus;f;")


def test_a_line_that_is_declared_harmless_is_quoted_in_full(tmp_path):
    """Who signs a report answers for it; after 60 characters it was cut."""
    folder, line = (
        written(tmp_path, NUMBERS),
        "Rates are crude rates of the resident population at mid-year, of which 3 are late.",
    )
    path = folder / "series.toml"
    edit(path, "[policy]", f'not_counts = ["{line}"]\n[policy]')
    table = folder / "releases/1.csv"
    table.write_text(f"{line}\n\n{table.read_text(encoding='utf-8')}", encoding="utf-8")
    assert f"disclose nothing about the counts: {line} " in " ".join(run_main(str(folder))[1].split())


@kills("audit.io.table_forms.lines_beside", "if not cell.strip() or cell.strip() not in dialect.names", "")
@kills("audit.io.header_rows.header_place", "[: 1 + (is_above_units or is_above_group)]", "[:1]")
@kills("audit.io.header_rows._is_of_units", "not row[0].strip() and ", "False and ")
@pytest.mark.many
@pytest.mark.parametrize("form", ["csv", "xlsx"])
@pytest.mark.parametrize("header", [1, 2])
@pytest.mark.parametrize("unit", ["Anzahl", "number", "Effectifs", "(personas)"])
@pytest.mark.parametrize("title", [[], [["Menschen nach Kreis und Alter 2024"], []]])
def test_a_line_of_units_below_the_header_is_no_row(form, header, unit, title, tmp_path):
    """Only the first column of counts has it, where its cell is merged over all of them, or each has it."""
    names = ["Kreis", "Insgesamt", "unter 3", "3 - 6"]
    two = [["Kreis", "Insgesamt", "Davon im Alter", ""], ["", "", "unter 3", "3 - 6"]]
    rows = [[f"Kreis {c}", str(70 + n), "*" if n == 3 else str(12 + n), "58"] for n, c in enumerate("ABCDEFGH")]
    rows.append(["Zusammen", str(70 * 8 + 28), str(12 * 8 + 28), str(58 * 8)])
    head = [names] if header == 1 else two
    found = []
    for units in ([], [["", unit, "", ""]], [["", unit, unit, unit]]):
        folder = tmp_path / str(len(found))
        folder.mkdir()
        lines_ = [*title, *head, *units, *rows]
        if form == "xlsx":
            book = openpyxl.Workbook()
            for line in lines_:
                book.active.append([int(cell) if cell.isdigit() else cell or None for cell in line])
            book.save(folder / "1.xlsx")
        else:
            (folder / "1.csv").write_text("\n".join(map(";".join, lines_)) + "\n", encoding="utf-8")
        code, _, err = run_main("init", str(folder), "--yes")
        assert code == 0, err
        found.append((folder / "series.toml").read_text(encoding="utf-8"))
    assert found[1:] == found[:1] * 2
    assert tomllib.loads(found[0])["table"]["wide"]["dimension"] == ("im Alter" if header == 2 else "column")


@pytest.mark.parametrize("first", [",no,no", ",No,NO"])
def test_a_first_row_with_no_is_no_line_of_units(first, tmp_path):
    """The person was left out of what was judged: No. is a unit, no an answer."""
    rows = ["A,yes,no", "A,no,yes", "B,yes,no", "B,no,no"]
    lines = ["region,smoker,diabetic", first, *rows]
    (tmp_path / "1.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    text = '[series]\nreleases = ["1.csv"]\n[columns]\nquasi_identifiers = ["region"]\nsensitive = "diabetic"\n'
    (tmp_path / "series.toml").write_text(f'{text}unlinkable = {{ smoker = "internal" }}\n', encoding="utf-8")
    assert '1.csv:2, column "region": the cell is empty' in refused(str(tmp_path))


@kills("audit.io.table_writer._without_upper_header", "records and not {", "False and not {")
def test_a_repair_of_a_table_with_units_writes_its_header_once(tmp_path):
    """The lines above a table are kept, but those of the header are no lines beside it."""
    text = "Menschen 2024\nKreis;m 3 - 6;w 3 - 6;alle 3 - 6\n;Anzahl;;\nAhaus;8;*;10\nBorken;8;20;28\nLand;16;22;38\n"
    (tmp_path / "1.csv").write_text(text, encoding="utf-8")
    assert run_main("init", str(tmp_path), "--yes")[0] == 0
    (tmp_path / "2.csv").write_text(text, encoding="utf-8")
    _, out, err = run_main("repair", str(tmp_path), str(tmp_path / "2.csv"), "--output", str(tmp_path / "out"))
    assert (tmp_path / "out/2.csv").exists(), out + err
    written = (tmp_path / "out/2.csv").read_text(encoding="utf-8")
    assert written.startswith("Menschen 2024\nKreis;m 3 - 6;w 3 - 6;alle 3 - 6\nAhaus;")
    assert "beside a table" not in run_main(str(tmp_path))[1]


@pytest.mark.parametrize(
    ("line", "is_asked"),
    [("area 1) with sex and n", False), ("area 1) with sex: 3 late", True), ("3 areas 1) with n", True)],
    ids=["the header", "and a number", "another number"],
)
def test_a_line_that_repeats_the_header_is_not_asked_about(line, is_asked, tmp_path):
    """The number of a note in the name of a column is no count."""
    folder = written(tmp_path, NUMBERS)
    table, manifest = folder / "releases/1.csv", folder / "series.toml"
    text = table.read_text(encoding="utf-8")
    table.write_text(f"{line}\n\n{text.replace('area', 'area 1)', 1)}", encoding="utf-8")
    said = manifest.read_text(encoding="utf-8").replace('"area"', '"area 1)"').replace("area =", '"area 1)" =')
    manifest.write_text(said, encoding="utf-8")
    out = " ".join(run_main(str(folder))[1].split())
    assert ("a line beside a table is not read" in out) == is_asked, out


@kills("audit.count_tables.candidate.with_candidate", "if named_like(name, wide", "if not named_like(name, wide")
@pytest.mark.many
@pytest.mark.parametrize(
    ("first", "second"), [("T{} 2022", "T{} 2023"), ("Q{} 2022", "Q{} 2023"), ("2022-Q{}", "2023-Q{}")]
)
@pytest.mark.parametrize("seed", range(3))
def test_columns_named_by_quarters_of_a_year_are_the_periods_of_their_release(first, second, seed, tmp_path):
    """Each file has columns of its own; the same series with a row for each quarter is judged alike."""
    rng, found = random.Random(seed), []  # noqa: S311
    years, rows = (
        {"2022": [first.format(n) for n in (1, 2, 3, 4)], "2023": [second.format(n) for n in (1, 2, 3, 4)]},
        {},
    )
    for year, names in years.items():
        counts = {area: [rng.randint(1, 30) for _ in names] for area in "ABCD"}
        counts["Total"] = [sum(some) for some in zip(*counts.values(), strict=True)]
        rows[year] = [[area, *("*" if n < 5 else str(n) for n in some)] for area, some in counts.items()]
    for form in ("wide", "long", "next"):
        folder = tmp_path / form
        folder.mkdir()
        for year, names in years.items():
            text = [",".join(["area", *names]), *map(",".join, rows[year])]
            if form == "long":
                text = [
                    "area,period,n",
                    *(f"{row[0]},{name},{n}" for row in rows[year] for name, n in zip(names, row[1:], strict=True)),
                ]
            (folder if form != "next" or year == "2022" else tmp_path).joinpath(f"{year}.csv").write_text(
                "\n".join(text) + "\n", encoding="utf-8"
            )
        tags = ["2022"] if form == "next" else ["2022", "2023"]
        manifest = {
            "series": {"kind": "tables", "releases": [f"{tag}.csv" for tag in tags]},
            "table": {"dimensions": ["area"], "totals": {"area": "Total"}, "markers": {"*": [1, 4]}},
            "policy": {"min_count": 5},
        }
        periods = {name: name for tag in tags for name in years[tag]}
        own = {"wide": {"dimension": "period", "columns": periods}}
        if form == "long":
            own = {"dimensions": ["area", "period"], "value": "n"}
        manifest["table"] |= own | {"over_time": "independent"}
        (folder / "series.toml").write_text(tomlkit.dumps(manifest), encoding="utf-8")
        command = ["next", str(folder), str(tmp_path / "2023.csv")] if form == "next" else [str(folder)]
        code, out, _ = run_main(*command, "--format", "json", "--findings", "all")
        findings = json.loads(out)["attacks"][0]["new_findings" if form == "next" else "findings"]
        cells = [(each["cell"], each["lower"], each["upper"]) for each in findings]
        found.append((code, sorted(map(str, cells))))
    assert found[0] == found[1]
    assert found[2] == (code, [each for each in found[0][1] if "2023" in each]), "those of the candidate are new"
    assert found[0][0] == 1


@kills("audit.count_tables.read_counts._refuse_total_releases", "len(manifest.tags) < 2", "True")
@pytest.mark.parametrize("over_time", ["independent", "cumulative"])
@pytest.mark.parametrize("label", ["Insgesamt", "Total", "All years", "2025"])
def test_the_total_of_a_column_of_releases_is_no_release(label, over_time, tmp_path):
    """Read as the last one, it made increases of 2 that nobody had; as the remedy says, the hidden count follows."""
    rows = ["2022,A,20", "2022,B,*", "2023,A,24", "2023,B,12", f"{label},A,44", f"{label},B,14"]
    table = f'dimensions = ["area"]\nvalue = "n"\ntotals.area = ""\nmarkers."*" = [1, inf]\nover_time = "{over_time}"'
    series = 'releases = ["t.csv"]\nreleases_by = "year"'
    folder = write_tables(tmp_path, {"t.csv": ["year,area,n", *rows]}, table, "min_count = 5", series)
    code, _, err = run_main(str(folder))
    assert (code == 2, f'totals.year = "{label}"' in err) == (label != "2025",) * 2, err
    totals = f'totals = {{ area = "", year = "{label}" }}\nmarkers."*" = [1, inf]\nover_time = "same"'
    table = f'dimensions = ["area", "year"]\nvalue = "n"\n{totals}'
    folder = write_tables(tmp_path, {"t.csv": ["year,area,n", *rows]}, table)
    assert run_main(str(folder))[0] == 1


@kills("audit.io.header_rows.joined_header", "< 2 for some, own", "< 1 for some, own")
@kills("audit.io.header_rows.joined_header", "if any(map(str.strip, row))", "")
@pytest.mark.parametrize("blank", [0, 1])
@pytest.mark.parametrize("hidden", [(), (0,), (0, 2), (0, 1, 2)])
def test_a_header_of_two_lines_may_stand_above_blank_rows_and_columns_of_signs(hidden, blank, tmp_path):
    """Workbooks leave a row blank below the header; a repair may hide all counts of an age."""
    ages = ["unter 15", "15 - 25", "ab 25"]
    rows = [["Kreis", "Geschlecht", "Insgesamt", "davon im Alter", "", ""], ["", "", "", *ages], *[[""] * 6] * blank]
    for kreis, times in (("Ahaus", 1), ("Borken", 2), ("Coesfeld", 3), ("Zusammen", 6)):
        for sex, own in (("m", (11, 22, 33)), ("w", (12, 23, 34)), ("Insgesamt", (23, 45, 67))):
            shown = ["•" if at in hidden else str(n * times) for at, n in enumerate(own)]
            rows.append([kreis, sex, str(sum(own) * times), *shown])
    (tmp_path / "2024.csv").write_text("\n".join([*(";".join(row) for row in rows), ""]), encoding="utf-8")
    code, _, err = run_main("init", str(tmp_path), "--yes")
    assert (code, err) == (0, "")
    table = tomllib.loads((tmp_path / "series.toml").read_text(encoding="utf-8"))["table"]
    counts = table.get("wide", {}).get("columns") or table.get("values") or [table["value"]]
    assert [*counts] == ["Insgesamt", *(age for at, age in enumerate(ages) if at not in hidden)]


@kills("audit.init.count_tables._refuse_two_wide", "if len(several) > 1 and", "if False and")
@pytest.mark.parametrize("name", ["2023-{}.csv", "2023/{}.csv"])
def test_two_tables_of_a_release_with_other_labels_as_columns_are_refused_with_the_way_on(name, tmp_path):
    """A manifest has one dimension whose labels are columns; the advice is read."""
    counts = {"sex": {"f": (20, 31), "m": (13, 25)}, "age": {"0-17": (13, 21), "18+": (20, 35)}}

    def put(as_rows):
        for kind, columns in counts.items():
            every = {**columns, "All": tuple(map(sum, zip(*columns.values(), strict=True)))}
            cells = {area: {label: n[at] for label, n in every.items()} for at, area in enumerate("AB")}
            cells["All"] = {label: sum(n) for label, n in every.items()}
            rows = [f"{area},{label},{n}" for area, own in cells.items() for label, n in own.items()]
            wide = [",".join([area, *map(str, own.values())]) for area, own in cells.items()]
            header = f"area,{kind},count" if as_rows else ",".join(["area", *every])
            path = tmp_path / name.format(kind)
            path.parent.mkdir(exist_ok=True)
            path.write_text(lines(header, *(rows if as_rows else wide)), encoding="utf-8")

    put(as_rows=False)
    assert "such as area,sex,count and area,age,count" in refused("init", str(tmp_path), "--yes")
    put(as_rows=True)
    run_main("init", str(tmp_path), "--yes")
    table = tomllib.loads((tmp_path / "series.toml").read_text(encoding="utf-8"))["table"]
    assert {*table["dimensions"]} == {"area", "sex", "age"}
