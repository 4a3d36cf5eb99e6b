"""Irregularities of files are in the report, above the findings, without names unless --reveal is given."""

import random
import shutil
import tomllib
import unicodedata

import openpyxl
import pytest

from audit.io import roles
from audit.pipeline import audit_run
from tests.cli.forms import EXAMPLES, read_rows
from tests.cli.test_messy_files import RESPELLINGS
from tests.helpers.amount import some
from tests.helpers.messy import as_csv, series_of, write
from tests.helpers.running import drafted, read_audit, run_audit, run_main
from tests.mutants.mutant import kills


@pytest.fixture
def hospital(tmp_path):
    folder = tmp_path / "s"
    shutil.copytree(EXAMPLES / "hospital-l-diverse", folder)
    (folder / "expected.json").unlink()
    return folder


def change(path, row, column, text):
    header, *rows = read_rows(path)
    rows[row][header.index(column)] = text(rows[row][header.index(column)]) if callable(text) else text
    write(path, as_csv([header, *rows]))


def warned(folder, *words):
    _, result = read_audit(folder, *words)
    return {
        (each["kind"], each["text"].split('"')[1] if '"' in each["text"] else ""): each for each in result["warnings"]
    }


def test_a_plain_series_has_no_warnings(hospital):
    assert warned(hospital) == {}


def test_values_that_differ_in_spelling(hospital):
    change(hospital / "releases/2.csv", 2, "Disease", str.upper)
    [(key, warning)] = warned(hospital).items()
    value = read_rows(hospital / "releases/2.csv")[3][4]
    assert key == ("spelling", "Disease")
    assert f'"{value}" (releases/2.csv:4)' in warning["examples"][0]
    assert 'fold = ["Disease"]' in warning["text"]
    text = run_main(str(hospital))[1]
    assert text.index("Look at the files:") < text.index("What to do next" if "What to do next" in text else "Next")


def test_a_column_numeric_but_for_one_cell(hospital):
    change(hospital / "releases/2.csv", 4, "Age", "middle aged")
    [(key, warning)] = warned(hospital).items()
    assert key == ("stray-cells", "Age")
    assert "would be numeric except for 1 cell" in warning["text"]
    assert warning["examples"] == ["releases/2.csv:6"]
    assert "middle aged" not in run_main(str(hospital), "--format", "html")[1]
    assert warned(hospital, "--reveal")["stray-cells", "Age"]["examples"] == ['"middle aged" (releases/2.csv:6)']


def test_totals(hospital):
    header, *rows = read_rows(hospital / "releases/1.csv")
    write(hospital / "releases/1.csv", as_csv([header, *rows, ["Total", "1", "*", "*", "11"]]))
    warning = warned(hospital)["total-row", "Total"]
    assert warning["examples"] == ["releases/1.csv:13"]
    assert 'ignore_rows = { Owner = ["Total"] }' in warning["text"]
    manifest = hospital / "series.toml"
    manifest.write_text(manifest.read_text().replace("[columns]", '[columns]\nignore_rows = { Owner = ["Total"] }'))
    assert warned(hospital)["total-row", ""]["examples"] == ["releases/1.csv: 1"]


def beside(folder, first, second, columns=""):
    """Write a release of two classes, and return the states of the clauses, with the reasons of those undecided."""
    rows = [["30-39", "m", "flu"], ["30-39", "m", "cold"], ["40-49", "f", first], ["40-49", "f", second]]
    columns = f'sensitive = "Disease"\nquasi_identifiers = ["Age", "Sex"]\nsimilar = {{ Disease = false }}\n{columns}'
    series_of(folder, [[["Age", "Sex", "Disease"], *rows]], columns)
    _, result = read_audit(folder)
    return {each["clause"]: (each["state"], each["reason"] or "") for each in result["policy"]["clauses"]}


@kills("audit.judgement.doubts.misread_doubts", "isinstance(each, MisreadWarning)", "False")
@kills("audit.io.rules.spelling.nearly_respelled", "coded.groups()", "()")
@kills("audit.io.rules.spelling.nearly_respelled", "(Kind.DAY_FIRST, Kind.MONTH_FIRST)", "(Kind.DAY_FIRST,)")
@kills("audit.io.rules.rows_and_values.IgnoreRows.hints", "or name in columns.rules[Spelled].columns", "")
@kills("audit.io.notations._SIGN_BETWEEN", "_/ ", "_/")
@kills("audit.io.rules.spelling.nearly_respelled", " or _MARKED.fullmatch(text)", "")
@kills("audit.io.rules.rows_and_values._TOTALS", "all (?:\\w+s|people)", "all totals")
@pytest.mark.many
@pytest.mark.parametrize(
    ("first", "second", "rests_on_it", "asked"),
    [
        ("hiv", " HIV", {"max_risk"}, "fold"),
        ("épilepsie", "epilepsie", {"max_risk"}, "crosswalk"),
        ("HIV-positive", "HIV positive", {"max_risk"}, "crosswalk"),
        ("hiv", "hiv.", {"max_risk"}, "crosswalk"),
        ("J10.1", "J101", {"max_risk"}, "crosswalk"),
        ("J 10.1", "J101", {"max_risk"}, "crosswalk"),
        ("COVID-19", "covid19", {"max_risk"}, "crosswalk"),
        ("COVID 19", "Covid\u201119", {"max_risk"}, "crosswalk"),
        ("Type 2.", "Type2", {"max_risk"}, "crosswalk"),
        ("10 mg", "10mg", {"max_risk"}, "crosswalk"),
        ("hiv +", "hiv+", {"max_risk"}, "crosswalk"),
        ("diabetes, mild", "diabetes mild", {"max_risk"}, "crosswalk"),
        ("hiv", "2 hiv", {"max_risk"}, "crosswalk"),
        ("J10.1", "J10.1 influenza", {"max_risk"}, "crosswalk"),
        ("influenza", "influenza (J10.1)", {"max_risk"}, "crosswalk"),
        ("J10.1", "influenza [J10.1]", {"max_risk"}, "crosswalk"),
        ("hiv", "hiv¹", {"max_risk"}, "crosswalk"),
        ("hiv", "hiv *", {"max_risk"}, "crosswalk"),
        ("hiv", "hiv 1)", {"max_risk"}, "crosswalk"),
        ("hiv", "hiv [a]", {"max_risk"}, "crosswalk"),
        ("hiv", "all diagnoses", {"max_risk", "k"}, "ignore_rows"),
        ("hiv", "alle Diagnosen", {"max_risk", "k"}, "ignore_rows"),
        ("hiv", "'hiv'", {"max_risk"}, "crosswalk"),
        ("2024-03-01", "01.03.2024", {"max_risk"}, "crosswalk"),
        ("2024-03-01", "3/1/2024", {"max_risk"}, "crosswalk"),
        ("hiv", "hiv # end", {"max_risk"}, "crosswalk"),
        ("hiv", "hiv // checked", {"max_risk"}, "crosswalk"),
        ("hiv", "hiv <!-- last row -->", {"max_risk"}, "crosswalk"),
        ("hiv", "hiv End of file", {"max_risk"}, "crosswalk"),
        ("hiv", "hiv *** end ***", {"max_risk"}, "crosswalk"),
        ("hiv", "hiv (provisional)", {"max_risk"}, "crosswalk"),
        ("hiv", "hiv, HIV", {"max_risk"}, "crosswalk"),
        ("hiv", "hiv|", {"max_risk"}, "crosswalk"),
        ("hiv", "Total:", {"max_risk", "k"}, "ignore_rows"),
        ("hiv", "insgesamt", {"max_risk", "k"}, "ignore_rows"),
        ("hiv+", "hiv-", set(), ""),
        ("J10.1", "J10", set(), ""),
        ("type 1", "type 11", set(), ""),
        ("1.5 mg", "15 mg", set(), ""),
        ("hiv-1", "hiv-2", set(), ""),
        ("renal", "renal end stage", {"max_risk"}, "mean the same"),
        ("bori", "bori bor", {"max_risk"}, "mean the same"),
        ("hepatitis", "hepatitis (B)", {"max_risk"}, "mean the same"),
        ("diabetes (1)", "diabetes (2)", set(), ""),
        ("cml", "ALL", set(), ""),
        ("hiv", "all clear", set(), ""),
        ("stage 1", "stage -1", set(), ""),
        ("1-2 doses", "12 doses", set(), ""),
        ("J10.1 influenza", "J10.2 influenza", set(), ""),
        ("01/03/2024", "03/01/2024", set(), ""),
        ("hiv", "totals of none", set(), ""),
    ],
)
def test_what_may_be_one_value_or_no_value_leaves_undecided_what_rests_on_it(
    tmp_path, first, second, rests_on_it, asked
):
    """Two people with one value, or one person beside a total, look like two people with two values."""
    states = beside(tmp_path, first, second)
    assert {clause for clause in ("max_risk", "k") if states[clause][0] == "undecided"} == rests_on_it
    assert all(asked in states[clause][1] and "spelled" in states[clause][1] for clause in rests_on_it)
    states = beside(tmp_path, first, second, 'spelled = ["Disease"]')
    assert (states["max_risk"][0], states["k"][0]) == ("holds", "holds")


@kills("audit.io.roles.last_rows_of_a_cell", "last &= ~(full & elsewhere[codes])", "pass")
@kills("audit.io.roles.last_rows_of_a_cell", "return np.flatnonzero(blank).tolist()", "return []")
@kills("audit.io.roles.last_rows_of_a_cell", "np.flatnonzero(count > 1)", "np.flatnonzero(count > 0)")
@pytest.mark.parametrize(
    ("last", "warned"),
    [
        ([["", "", "(*) provisional"], ["", "", "Source: the office"]], True),
        ([["the office", "", ""]], True),
        ([["", "", ""]], True),
        ([["", "", ""], ["40-49", "f", "flu"]], True),
        ([["*", "", "(*) provisional"], ["*", "", "Source: the office"]], False),
        ([["", "", "flu"], ["", "", "cold"]], False),
    ],
)
def test_notes_below_a_table_are_no_people_in_silence(tmp_path, last, warned):
    """A note that is read as a row is a value that every person may have."""
    rows = [["30-39", "m", "flu"], ["30-39", "m", "cold"], ["40-49", "f", "flu"], ["40-49", "f", "gout"], *last]
    columns = 'sensitive = "Disease"\nquasi_identifiers = ["Age", "Sex"]\nmissing = [""]'
    series_of(tmp_path, [[["Age", "Sex", "Disease"], *rows]], columns)
    code, result = read_audit(tmp_path)
    assert any("below" in each["text"] for each in result["warnings"]) == warned
    assert (code == 0) == (not warned)


@pytest.mark.parametrize(
    ("last", "exits"),
    [
        ("s : secret statistique\n", 0),
        ("s : secret statistique;;\n", 0),
        ("\nSource : INSEE\nles chiffres sont provisoires\n", 0),
        ("Note: provisoire; \u00e0 revoir\n", 0),
        ("Note: provisoire; \u00e0 revoir; voir le site\n", 0),
        ("Note: provisoire; \u00e0 revoir; voir le site; merci\nles chiffres; sont provisoires\n", 0),
        ("s: secret statistique\n", 0),
        ("s : secret\n50-59;m\n", 2),
        ("les chiffres\n", 2),
        ("50-59;m\n", 2),
        ("50-59;;\n", 1),
    ],
)
def test_notes_below_a_table_are_set_aside(tmp_path, last, exits):
    """What speaks as a note is no person and no damage; what may be a row is one, or is refused."""
    text = "Age;Sex;Disease\n30-39;m;flu\n30-39;m;cold\n40-49;f;flu\n40-49;f;gout\n" + last
    columns = 'sensitive = "Disease"\nquasi_identifiers = ["Age", "Sex"]\nmissing = [""]'
    folder = series_of(tmp_path / "audited", [text], columns)
    code = run_main(str(folder))[0]
    assert code == exits
    if code == 0:
        _, result = read_audit(folder)
        assert (result["series"]["rows"], result["series"]["sensitive_values"]) == (4, 3)
        [said] = [each for each in result["warnings"] if "below" in each["text"]]
        assert said["examples"][0] == f"1.csv:{6 + last.startswith(chr(10))}"
    write(tmp_path / "guessed" / "1.csv", text)
    assert (run_main("init", str(tmp_path / "guessed"), "--yes")[0] == 0) == (exits != 2)


@kills("audit.io.table_forms.legend", "[^=:]*:\\s*)?", ")?")
@kills("audit.io.rules.cell_meaning.Missing.hints", "if t.strip(covering)", "if False")
@pytest.mark.parametrize(
    ("sign", "note"),
    [
        ("s", "s : secret statistique"),
        ("s", "s: withheld; see the site; please"),
        ("x", "x = geheim"),
        ("..", ".. : secreto estad\u00edstico"),
        ("c", "Note: c = suppressed to protect confidentiality"),
        ("*", "* = unterdr\u00fcckt"),
    ],
)
def test_a_sign_that_a_note_explains_is_no_value_in_silence(tmp_path, sign, note):
    """Read as values, hidden cells make classes look as if nobody's value were certain."""
    rows = [["30-39", "flu"], ["30-39", sign], ["40-49", "cold"], ["40-49", sign], ["40-49", "gout"]]
    text = as_csv([["Age", "Diagnosis"], *rows], ";") + note + "\n"
    folder = series_of(tmp_path / "audited", [text], 'sensitive = "Diagnosis"\nquasi_identifiers = ["Age"]')
    code, result = read_audit(folder)
    assert (code, ["1.csv:3"] in [each["examples"] for each in result["warnings"]]) == (3, True)
    write(tmp_path / "guessed" / "1.csv", text)
    out = run_main("init", str(tmp_path / "guessed"), "--yes")[1]
    manifest = tomllib.loads((tmp_path / "guessed" / "series.toml").read_text(encoding="utf-8"))
    assert (manifest["columns"]["missing"], "columns.missing" in manifest["unconfirmed"]["keys"]) == ([sign], True)
    assert f'a note below a table says of "{sign}"' in " ".join(out.split())


@kills("audit.io.rules.cell_meaning.Missing.hints", " if _HIDDEN.search(words)", "")
def test_codes_that_a_note_explains_are_values(tmp_path):
    rows = [["30-39", "h"], ["30-39", "f"], ["40-49", "h"], ["40-49", "f"]]
    text = as_csv([["Age", "Sexe"], *rows], ";") + "h : homme\nf : femme\n"
    folder = series_of(tmp_path, [text], 'sensitive = "Sexe"\nquasi_identifiers = ["Age"]')
    code, result = read_audit(folder)
    assert (code, [each["kind"] for each in result["warnings"]]) == (0, ["total-row"])


@pytest.mark.parametrize("note", ["", "s : secret statistique\n", "s : secret statistique;;;\n"])
def test_a_note_hides_no_waves(tmp_path, note):
    rows = [f"P{n};{wave};20-39;{'flu' if n % 2 else 'cold'}\n" for wave in (1, 2) for n in range(9)]
    write(tmp_path / "survey.csv", "Patient;Wave;Age;Disease\n" + "".join(rows) + note)
    assert 'releases_by = "Wave"' in drafted(tmp_path)
    assert read_audit(tmp_path)[1]["series"]["releases"] == ["1", "2"]


@kills("audit.io.irregularities._beside_rows", "*book.tables_left, *book.lists", "*book.lists,")
@kills("audit.io.foreign_files._read_workbook", "> 1 for row", "> 0 for row")
@pytest.mark.parametrize(
    ("first", "second", "code"),
    [
        ([["Age", "Disease"], ["20-29", "flu"]], "hidden", 3),
        ([["Rows of March"], [], ["id", "Disease", "Age"], ["7", "flu", "20-29"]], "visible", 3),
        ([["About", "this file"], ["Disease", "as coded by hospitals"]], "visible", 0),
        ([["Disease"], ["flu"], ["cold"]], "visible", 0),
    ],
)
def test_a_sheet_with_columns_of_the_one_that_is_read_is_not_left_in_silence(tmp_path, first, second, code):
    """Whoever has the workbook has all of its sheets, in whatever order and however they are shown."""
    book = openpyxl.Workbook()
    table = [["Age", "Disease"], ["20-29", "flu"], ["20-29", "cold"], ["30-39", "gas"], ["30-39", "flu"]]
    for row in table:
        book.active.append(row)
    other = book.create_sheet("Other")
    for row in first:
        other.append(row)
    other.sheet_state = second
    series_of(tmp_path, [], 'sensitive = "Disease"\nquasi_identifiers = ["Age"]')
    manifest = tmp_path / "series.toml"
    manifest.write_text(manifest.read_text().replace("releases = []", 'releases = ["1.xlsx"]'))
    book.save(tmp_path / "1.xlsx")
    found, result, _ = run_audit(tmp_path)
    assert found == code
    assert [(each["kind"], each["examples"]) for each in result["warnings"]] == [("dropped-file", ["1.xlsx: Other"])]


CHOICES = [["Age", "Disease"], ["20-29", "flu"], ["30-39", "cold"]]
LISTED = [["Nr", "Who"], *([n, f"Ann {n}"] for n in range(12))]


@kills("audit.io.foreign_files._read_workbook", "name in hidden or", "")
@kills("audit.io.foreign_files._offers_choices", 'not any(map(str.isdigit, "".join({*column} - texts)))', "True")
@kills("audit.io.foreign_files._may_list", "max(people / 2, _MANY)", "people + 1")
@kills("audit.io.foreign_files._may_list", "cells > 1 for", "cells > 2 for")
@kills("audit.io.irregularities._beside_rows", "> book.lines[0]", ">= book.lines[0]")
@kills("audit.io.irregularities._beside_rows", "is not None and", "is None and")
@pytest.mark.parametrize(
    ("name", "rows", "state", "comment", "code"),
    [
        ("Key", LISTED[:3], "hidden", None, 3),
        ("Other", LISTED, "visible", None, 3),
        ("Other", LISTED[:9], "visible", None, 0),
        ("Other", [[who] for _, who in LISTED], "visible", None, 3),
        ("Key", LISTED[:11], "visible", None, 0),
        ("Key", [*LISTED, *LISTED], "visible", None, 3),
        ("Notes", [[who] for _, who in [*LISTED, *LISTED]], "visible", None, 0),
        ("Lists", CHOICES, "hidden", None, 0),
        ("Lists", [*CHOICES, [None, "(unknown)"]], "visible", None, 0),
        ("Lists", [*CHOICES, ["20-29"]], "hidden", None, 3),
        ("Late", CHOICES[:2], "hidden", None, 3),
        ("Late", [*CHOICES[:2], ["30-39"]], "visible", None, 3),
        ("Lists", [*CHOICES, [None, "Ann 7"]], "hidden", None, 3),
        ("Lists", [*CHOICES, [None, None, 7]], "hidden", None, 3),
        ("Notes", [["by the registry"]], "visible", "B4", 3),
        ("Notes", [["by the registry"]], "visible", "A1", 0),
    ],
)
def test_a_part_of_a_workbook_that_may_tell_who_its_people_are_decides_nothing(
    tmp_path, name, rows, state, comment, code
):
    """Such as a hidden key, a list as long as the table, or a comment on a row; it was a warning, or was left out."""
    book = openpyxl.Workbook()
    for row in [["Age", "Disease"], *([["20-29", "30-39"][n % 2], ["flu", "cold"][n // 2 % 2]] for n in range(20))]:
        book.active.append(row)
    other = book.create_sheet(name)
    for row in rows:
        other.append(row)
    other.sheet_state = state
    if comment is not None:
        book.active[comment].comment = openpyxl.comments.Comment("Ann 7", "a clerk")
    series_of(tmp_path, [], 'sensitive = "Disease"\nquasi_identifiers = ["Age"]')
    manifest = tmp_path / "series.toml"
    manifest.write_text(manifest.read_text().replace("releases = []", 'releases = ["1.xlsx"]'))
    book.save(tmp_path / "1.xlsx")
    found, result, _ = run_audit(tmp_path)
    assert (found, result["warnings"][0]["examples"]) == (code, [f"1.xlsx: {comment if code and comment else name}"])


NUMERIC = 'types = { Pay = "numeric" }'
CODES = 'types = { Pay = "categorical" }'


def paid(folder, pays, columns):
    """Write a release of two classes with such numbers, and return the clauses of its policy."""
    rows = [[age, pay] for age, pay in zip(["20-29", "20-29", "30-39", "30-39"], pays, strict=True)]
    write(folder / "1.csv", as_csv([["Age", "Pay"], *rows], ";"))
    manifest = f"""[series]
        releases = ["1.csv"]
        [columns]
        sensitive = "Pay"
        quasi_identifiers = ["Age"]
        {columns}"""
    write(folder / "series.toml", manifest)
    _, result, err = run_audit(folder)
    assert result is not None, err
    return {each["clause"]: each for each in result["policy"]["clauses"]}


def assert_undecided(clauses, undecided, why):
    """These clauses are undecided, which say why, and no others; `max_risk` holds where it is not among them."""
    assert {name for name, each in clauses.items() if each["state"] == "undecided"} - {"max_ever_risk"} == undecided
    assert all(why in clauses[name]["reason"] for name in undecided)
    assert clauses["max_risk"]["state"] == ("undecided" if "max_risk" in undecided else "holds")


@kills("audit.io.unread_cells._points", 'sign != "."', 'sign == ","')
@kills(
    "audit.io.unread_cells._points", "all(map(_THOUSANDS.fullmatch, points))", "any(map(_THOUSANDS.fullmatch, points))"
)
@kills("audit.io.unread_cells._points", "for side in (0, 1)", "for side in ()")
@kills("audit.io.unread_cells._as_written", "without(Decimal, Fold, ColumnTypes)", "without(Decimal, Fold)")
@pytest.mark.parametrize(
    ("pays", "columns", "undecided"),
    [
        (["100", "400", "990", "1.001"], NUMERIC, {"closeness"}),
        (["100", "400", "1.500", "1500"], NUMERIC, {"closeness", "max_risk"}),
        (["1.000", "4.000", "2.500", "9.000"], NUMERIC, {"closeness"}),
        (["1.000", "4.000", "2.500", "9.000"], f'{NUMERIC}\nfold = ["Pay"]', {"closeness"}),
        (["100", "400", "1", "1.001"], NUMERIC, {"closeness"}),
        (["100", "400", "990", "1.001"], f'{NUMERIC}\ndecimal = "."', set()),
        (["100", "400", "990", "1.5001"], NUMERIC, set()),
        (["100", "400", "990", "0.001"], NUMERIC, set()),
        (["100", "400.5", "990", "1.001"], NUMERIC, set()),
        (["100", "400", "990", "1.001"], CODES, set()),
    ],
)
def test_a_point_that_may_group_thousands_decides_nothing(tmp_path, pays, columns, undecided):
    """A class of 990 and 1.001 is one of close numbers, or of numbers that are far from each other."""
    assert_undecided(paid(tmp_path, pays, columns), undecided, 'decimal = "."')


@kills("audit.io.unread_cells._points", "text.translate(_EXCHANGED) if sign else text for", "text for")
@kills("audit.io.unread_cells._points", "sign and name in rules[Spelled].columns", "False")
@kills("audit.io.unread_cells._as_written", "Decimal, Fold", "Fold")
@pytest.mark.parametrize(
    ("pays", "columns", "undecided"),
    [
        (["377", "2,823", "7,079", "9,100"], "", {"closeness"}),
        (["1000", "2,823", "7,079", "1,000"], "", {"closeness", "max_risk"}),
        (["377", "2,823", "7,079", "9,100"], 'spelled = ["Pay"]', set()),
        (["377", "2,823", "7,079", "9,5"], "", set()),
        (["0,377", "2,823", "7,079", "9,100"], "", set()),
        (["1.377,250", "2,823", "7,079", "9,100"], "", set()),
    ],
)
def test_a_decimal_comma_that_may_group_thousands_decides_nothing(tmp_path, pays, columns, undecided):
    """A number below 1, or with other than three digits behind the comma, shows that it is decimal."""
    found = paid(tmp_path, pays, f'{NUMERIC}\ndecimal = ","\n{columns}')
    assert_undecided(found, undecided, "may separate thousands")


@kills("audit.io.rules.cell_meaning._AMOUNT", "|\\w+\\s*[=:]", "")
@kills("audit.io.rules.cell_meaning.ColumnTypes._unread", "kind == Kind.NUMERIC.value and not read", "False")
@kills("audit.io.rules.cell_meaning.ColumnTypes._unread", "2 * len(counted) <= len(others)", "True")
@kills("audit.io.rules.cell_meaning.ColumnTypes._unread", "if 2 * len(counted) <= len(others)", "if False")
@kills("audit.io.rules.cell_meaning._with_one_word", "fold(found[2])", "found[2]")
@kills("audit.io.rules.cell_meaning._AMOUNT", "|[~∼≈≃]", "")
@kills("audit.io.rules.cell_meaning._DRESSED", "(?:[*†‡§¹²³⁰⁴-⁹]+|[(\\[]\\w[)\\]])?", "")
@kills("audit.io.rules.cell_meaning.ColumnTypes.numbers", " and not self._unread(series, column, read_as)[0]", "")
@kills("audit.io.rules.cell_meaning.ColumnTypes._unread", " or _DRESSED.fullmatch(text)", "")
@kills("audit.io.rules.cell_meaning.ColumnTypes.doubts", " and len({*unread.values()}) == len(unread)", "")
@pytest.mark.parametrize(
    ("pays", "columns", "undecided"),
    [
        (["900 €", "2500 €", "1000 €", "1001 €"], "", {"closeness"}),
        (["900 €", "2500 €", "1000 €", "1001 €"], NUMERIC, set()),
        (["900 €", "2500 €", "1000 €", "1000€"], "", {"closeness", "max_risk"}),
        (["900", "flu", "cold", "1,001"], NUMERIC, {"closeness", "max_risk"}),
        (["1,001", "2,500", "9,000", "4,000"], "", {"closeness", "max_risk"}),
        (["400", "2,500", "990", "1,005"], "", {"closeness", "max_risk"}),
        (["900 €", "2500 €", "1000 €", "1001 €"], CODES, set()),
        (["٩٠٠", "٢٥٠٠", "١٠٠٠", "١٠٠١"], NUMERIC, {"closeness", "max_risk"}),
        (["EUR 900", "EUR 2500", "EUR 1000", "EUR 1001"], "", {"closeness", "max_risk"}),
        (["EUR 900", "EUR 2500", "EUR 1000", "EUR 1001"], CODES, set()),
        (["~900", "~2500", "~1000", "~1001"], "", {"closeness", "max_risk"}),
        (["~900", "~2500", "~1000", "~1001"], CODES, set()),
        (["900 (r)", "2500¹", "1000 [1]", "1001†"], "", {"closeness", "max_risk"}),
        (["'900", '="2500"', "1_000", "１００１"], "", {"closeness", "max_risk"}),
        (["900 persons", "2500 persons", "1000 Persons", "1001 persons"], "", {"closeness"}),
        (["900 r", "2500 r", "1000 r", "1001 r"], "", {"closeness"}),
        (["1,5 mg", "2 500 mg", "1'000 mg", "1.5 mg"], "", {"closeness", "max_risk"}),
        (["900 persons", "2500 persons", "1000 persons", "1000persons"], "", {"closeness", "max_risk"}),
        (["900 persons", "2500 persons", "1000 people", "1001 persons"], "", {"closeness", "max_risk"}),
        (["900 persons", "2500 persons", "1000 persons", "1001 persons"], CODES, set()),
        (["900 mg", "2500 mg", "flu", "cold"], "", set()),
        (["9a", "25b", "9 (late)", "10-11"], "", set()),
        (["n=900", "n=2500", "n=1000", "n=1001"], "", {"closeness", "max_risk"}),
        (["pay: 900", "pay: 2500", "pay: 1000", "pay: 1001"], "", {"closeness", "max_risk"}),
        (["V 900", "V 2500", "V 1000", "V 1001"], "", set()),
        (["V 900", "V 2500", "V 1000", "V 1001"], NUMERIC, {"closeness", "max_risk"}),
        (["nine", "ten", "a hundred", "a hundred and one"], NUMERIC, {"closeness", "max_risk"}),
        (["2nd degree", "1st degree", "3rd degree", "4 to go"], "", set()),
        (["1,2", "1,3", "2,3", "4"], "", set()),
        (["1,2", "1,3", "2,3", "4,1"], "", {"closeness", "max_risk"}),
        (["1,2", "21,3", "2,35", "4"], "", {"closeness", "max_risk"}),
    ],
)
def test_a_column_without_a_plain_number_may_be_one_of_numbers(tmp_path, monkeypatch, pays, columns, undecided):
    """Where each number has a unit or a sign of thousands, closeness was passed over as if there were none.

    Large series, which are not read in another way, are no exception.
    """
    monkeypatch.setattr(audit_run, "_unsettled", lambda *_: ())
    assert_undecided(paid(tmp_path, pays, columns), undecided, "Pay")


@kills("audit.io.rules.cell_meaning._LIKE_A_NUMBER", "\\s*\\d", "\\s*\\d+$")
@kills("audit.io.rules.cell_meaning._AMOUNT", "|ca|rs", "|rs")
@kills("audit.io.rules.cell_meaning.ColumnTypes._unread", "kind != Kind.CATEGORICAL.value and ", "")
@pytest.mark.parametrize(
    ("cell", "declared", "state"),
    [
        ("1001 EUR", "", "undecided"),
        ("1000-1100", "", "undecided"),
        ("١٠٠١", "", "undecided"),
        ("ca. 1001", "", "undecided"),
        ("about 1001", "", "undecided"),
        ("care 1001", "", "holds"),
        ("unknown", "", "undecided"),
        ("V27", "", "holds"),
        ("2000", "", "holds"),
        ("1001 EUR", 'types = { Pay = "categorical" }', "holds"),
    ],
)
def test_a_number_that_is_not_read_is_close_to_nobody_knows_what(tmp_path, cell, declared, state):
    """A class of 1000 and "1 001" looks like two numbers that are far from each other."""
    clauses = paid(tmp_path, ["900", "2500", "1000", cell], declared or NUMERIC)
    assert clauses["max_risk"]["state"] == state
    if not declared:
        assert clauses["closeness"]["state"] == state
        assert state == "holds" or cell in clauses["closeness"]["reason"]


@pytest.mark.parametrize(
    ("cell", "more"),
    [("1 001", ""), ("1\u202f001", ""), ("1'001", ""), ("1,001", 'decimal = "."'), ("1.001", 'decimal = ","')],
)
def test_declared_numbers_with_signs_between_thousands_are_read(tmp_path, cell, more):
    """A class of 1000 and of 1 001 is one of close numbers; not declared, it is undecided, and the way out is said."""
    others = ["900", "2500", "1000"] if "." not in cell else ["900", "2.500", "1.000"]
    clauses = paid(tmp_path / "declared", [*others, cell], f"{NUMERIC}\n{more}")
    assert (clauses["max_risk"]["state"], clauses["closeness"]["state"]) == ("holds", "violated")
    if "." not in cell:
        clauses = paid(tmp_path / "open", [*others, cell], "")
        assert clauses["closeness"]["state"] == clauses["max_risk"]["state"] == "undecided"
        assert 'types = { Pay = "numeric" }' in clauses["closeness"]["reason"]


@kills("audit.io.rules.spelling.Fold.hints", "if rule is None or codes else", "if True else")
def test_people_spelled_in_two_ways_are_not_followed_in_silence(tmp_path):
    """One person in two spellings is two people, about whom several releases disclose less."""
    folder = tmp_path / "ward"
    shutil.copytree(EXAMPLES / "ward-2-distinct", folder)
    assert run_audit(folder)[0] == 0
    change(folder / "releases/2.csv", 0, "Owner", str.upper)
    code, result, _ = run_audit(folder)
    reasons = {each["clause"]: each["reason"] for each in result["policy"]["clauses"]}
    assert code == 3
    assert 'fold = ["individual"]' in reasons["max_risk"]


@kills("audit.io.notations.REMARK", "{3,}", "{30,}")
@kills("audit.io.rules.spelling.nearly_respelled", "once(", "(")
@kills("audit.io.rules.spelling.nearly_respelled", '_REMARK.sub("", text)', "text")
@pytest.mark.parametrize(
    ("mark", "code"),
    [
        ("{} (provisional)", 3),
        ("{} [Revised]", 3),
        ("{} (vorläufig)", 3),
        ("{} (of Bath)", 0),
        ("{0}, {0}", 3),
        ("{0} {0}", 3),
        ("{} # moved", 3),
        ('="{}"', 0),
        ("{0} {0}son", 0),
    ],
)
def test_people_with_a_note_behind_their_names_are_not_followed_in_silence(tmp_path, mark, code):
    """Half of a release says beside its people that their rows may change, or names them twice.

    The quotes of a spreadsheet's formula are no part of a name.
    """
    header = ["Who", "Age", "Disease"]
    people = [["Ann", "20-29", "flu"], ["Bo", "20-29", "cold"], ["Cy", "30-39", "gas"], ["Di", "30-39", "flu"]]
    again = [[mark.format(people[0][0]), *people[0][1:]], people[1], [mark.format("Cy"), *people[2][1:]], people[3]]
    columns = 'individual = "Who"\nsensitive = "Disease"\nquasi_identifiers = ["Age"]'
    series_of(tmp_path, [[header, *people], [header, *again]], columns + "\n[policy]\nmin_e = 1")
    assert run_audit(tmp_path)[0] == code


@kills("audit.io.rules.spelling.Fold.hints", "name in (columns.individual, columns.record)", "False")
@pytest.mark.parametrize(("then", "code"), [("r{}", 3), ("r-{}", 0)])
def test_records_with_signs_beside_numbers_are_not_followed_in_silence(tmp_path, then, code):
    """The id of a record says that its cells are one description, whatever sign stands in it."""
    header = ["Case", "Age", "Disease"]
    rows = [["r-1", "20-29", "flu"], ["r-2", "20-29", "cold"]]
    again = [[then.format(n), "20-29", value] for n, value in ((1, "flu"), (2, "cold"))]
    columns = 'sensitive = "Disease"\nquasi_identifiers = ["Age"]\nrecord = "Case"'
    series_of(tmp_path, [[header, *rows], [header, *again]], columns)
    assert run_audit(tmp_path)[0] == code


@kills("audit.io.releases.coarse", '$", as_plain_number)', '$", str)')
@kills("audit.io.rules.spelling.nearly_respelled", "as_plain_number(plain) if ids", "plain if ids")
@kills(
    "audit.io.irregularities._respelled_people",
    "perhaps_one_person({*texts}, [] if columns.rules[SeveralRows].several else releases)",
    "[]",
)
@kills("audit.io.irregularities._respelled_people", " or series.written.is_large", "")
@kills("audit.io.irregularities._respelled_people", "np.intersect1d(numbers, there)", "numbers")
@kills(
    "audit.io.rules.spelling.nearly_respelled",
    "further = _LETTERED if ids else",
    "further = _MARKED if ids else",
    case="[False-7-D-007--undecided]",
)
@kills("audit.io.releases._parts", ', (keys, _LETTERED, r"\\1\\2\\3")', "", case="[False-7-D-007--undecided]")
@kills(
    "audit.io.irregularities._respelled_people", "columns.individual is None or ", "", case="[True-ann-Ann--undecided]"
)
@pytest.mark.many
@pytest.mark.parametrize(
    ("first", "second", "more", "state"),
    [
        ("ann", "Ann", "", "undecided"),
        ("7", "007", "", "undecided"),
        ("7", "007", 'spelled = ["individual"]', "holds"),
        ("8", "007", "", "holds"),
        ("ann", "Anna", "", "holds"),
        ("P-001", "p001", "", "undecided"),
        ("José", "Jose", "", "undecided"),
        ("007", "7.000000e+00", "", "undecided"),
        ("7", "7.0E0", "", "undecided"),
        ("7", "7.0e1", "", "holds"),
        ("7", "D-007", "", "undecided"),
        ("D007", "7", "", "undecided"),
        ("7", "D-8", "", "holds"),
        ("A-7", "D-7", "", "holds"),
        ("ABCD-7", "7", "", "holds"),
        ("P-001", "P001", 'spelled = ["individual"]', "holds"),
        ("P-001", "P-002", "", "holds"),
        ("P1-11", "P11-1", "", "holds"),
        ("10000001T", "10.000.001-T", "", "undecided"),
        ("10000001T", "T10000001", "", "undecided"),
        ("10000001T", "10000001", "", "undecided"),
        ("10000001T", "010000001T", "", "undecided"),
        ("10000001T", "10000001W", "", "holds"),
        ("4107", "0000 4107", "", "undecided"),
        ("4107", "4.107", "", "undecided"),
        ("4107", "4 107", "", "undecided"),
        ("4100", "4.1e+03", "", "undecided"),
        ("4107", "4108", "", "holds"),
    ],
)
@pytest.mark.parametrize("in_key", [False, True])
def test_people_of_large_series_and_of_key_files_are_compared_too(
    tmp_path, monkeypatch, first, second, more, state, in_key
):
    """Ids that no column has, or that are too many to be looked at by place, may differ in spelling alone as well."""
    monkeypatch.setattr(roles, "MOST_ROWS", roles.MOST_ROWS if in_key else 0)
    tables = []
    for tag, who in (("1", first), ("2", second)):
        people = [who, *("11", "12", "13")] if who.isdigit() else [who, "p", "q", "r"]
        rows = [[each, "30-39", value] for each, value in zip(people, "abcd", strict=True)]
        tables.append([row[in_key:] for row in (["id", "Age", "Disease"], *rows)])
        key = [["row", "individual"], *([str(at), each] for at, each in enumerate(people))]
        if in_key:
            write(tmp_path / f"private/{tag}.key.csv", as_csv(key))
    columns = 'sensitive = "Disease"\nquasi_identifiers = ["Age"]\n'
    series_of(tmp_path, tables, columns + ("" if in_key else 'individual = "id"\n') + more)
    _, result, err = run_audit(tmp_path)
    assert result is not None, err
    [clause] = [each for each in result["policy"]["clauses"] if each["clause"] == "max_risk"]
    assert clause["state"] == state
    assert state == "holds" or any(f'{each} = ["individual"]' in clause["reason"] for each in ("fold", "spelled"))


def test_transitions_that_count_people_are_not_published_in_silence(hospital):
    """A series publishes its transitions; a change that one person made must not be told."""
    values = sorted({row[-1] for path in (hospital / "releases").glob("*.csv") for row in read_rows(path)[1:]})
    manifest = (hospital / "series.toml").read_text(encoding="utf-8")
    write(hospital / "series.toml", manifest + '\n[adversary]\ntransitions = "moves.csv"\n')
    for more, examples in ((["n", "Anzahl"], ["moves.csv: n, Anzahl"]), ([], None)):
        lines = [[a, b, *("1" for _ in more)] for a in values for b in values]
        write(hospital / "moves.csv", as_csv([["from", "to", *more], *lines]))
        assert warned(hospital).get(("transitions", ""), {}).get("examples") == examples


def test_releases_that_are_the_same_file_and_files_left_aside(hospital):
    shutil.copy(hospital / "releases/1.csv", hospital / "releases/2.csv")
    shutil.copy(hospital / "releases/1.csv", hospital / "releases/3.csv")
    found = warned(hospital)
    assert found["duplicates", ""]["examples"] == ["releases/1.csv = releases/2.csv"]
    assert found["dropped-file", ""]["examples"] == ["releases/3.csv"]
    (hospital / "releases/3.csv").unlink()
    write(hospital / "roll.csv", as_csv([["Name", "Born"], ["Ann", "1970-01-02"]]))
    assert warned(hospital)["dropped-file", ""]["examples"] == ["roll.csv"], "beside the manifest, not the releases"


@pytest.mark.parametrize("seed", range(some(20)))
def test_every_respelling_is_warned_of_and_nothing_else(hospital, seed):
    """Whatever cells are spelled anew, those columns are warned of in which two texts have become one folded."""
    rng = random.Random(seed)  # noqa: S311
    for tag in "12":
        header, *rows = read_rows(hospital / f"releases/{tag}.csv")
        for row in rows:
            for name in ("Owner", "Disease"):
                if rng.random() < 0.1:
                    place = header.index(name)
                    row[place] = rng.choice(RESPELLINGS)(row[place])
        write(hospital / f"releases/{tag}.csv", as_csv([header, *rows]))
    expected = set()
    for name, called in (("Owner", "individual"), ("Disease", "Disease")):
        texts = set()
        for tag in "12":
            header, *rows = read_rows(hospital / f"releases/{tag}.csv")
            texts |= {row[header.index(name)].strip() for row in rows}
        if len({"".join(unicodedata.normalize("NFKC", text).casefold().split()) for text in texts}) < len(texts):
            expected.add(("spelling", called))
    assert set(warned(hospital)) == expected
