"""`audit findings` lists what is found; what an officer accepts in a list, `audit waive --list` waives, and no more."""

import csv
import json
import random
import shutil

import openpyxl
import pytest

from tests.cli.forms import EXAMPLES, append, edit, snapshot
from tests.helpers.running import done, refused, run_main
from tests.mutants.mutant import kills

HOSPITAL, TABLES = EXAMPLES / "hospital-l-diverse", EXAMPLES.parent / "count_table_examples/tables-year-to-date"


@pytest.fixture(params=[HOSPITAL, TABLES], ids=["people", "tables"])
def series(request, tmp_path):
    shutil.copytree(request.param, tmp_path / "s")
    (tmp_path / "s" / "private").mkdir(exist_ok=True)
    return tmp_path / "s"


@pytest.fixture
def hospital(tmp_path):
    shutil.copytree(HOSPITAL, tmp_path / "s")
    (tmp_path / "s" / "private").mkdir()
    return tmp_path / "s"


def found(folder):
    """The ids of all findings of an audit."""
    of_people = ["--stable-ids"] if "tables" not in (folder / "series.toml").read_text() else []
    report = json.loads(run_main(str(folder), "--format", "json", "--findings", "all", *of_people)[1])
    return {each["id"] for attack in report["attacks"] for each in attack["findings"]}, report


def listed(folder, *words):
    """The lines of a list, and its columns."""
    return list(csv.DictReader(done("findings", str(folder), "--format", "csv", *words).splitlines()))


def saved(path, rows, encoding="utf-8", delimiter=","):
    with path.open("w", encoding=encoding, newline="") as file:
        writer = csv.DictWriter(file, rows[0], delimiter=delimiter)
        writer.writeheader()
        writer.writerows(rows)


def workbook(path):
    head, *rows = openpyxl.load_workbook(path).active.values
    return [dict(zip(head, row, strict=True)) for row in rows]


@pytest.mark.parametrize("form", ["csv", "xlsx"])
def test_what_is_accepted_in_a_list_is_waived_and_nothing_else(series, tmp_path, form):
    before, _ = found(series)
    path = tmp_path / f"list.{form}"
    assert run_main("findings", str(series), "--format", form, "--output", str(path))[0] == 0
    chosen = set(random.Random(1).sample(sorted(before), 2))  # noqa: S311
    if form == "csv":  # as a German spreadsheet saves it again
        rows = list(csv.DictReader(path.read_text().splitlines()))
        for row in rows:
            row.update({"reason": "known; accepted", "until": "31.12.2999"} if row["id"] in chosen else {})
        saved(path, rows, "utf-8-sig", ";")
    else:
        book = openpyxl.load_workbook(path)
        names = [cell.value for cell in book.active[1]]
        for row in book.active.iter_rows(min_row=2):
            if row[names.index("id")].value in chosen:
                row[names.index("reason")].value, row[names.index("until")].value = "known; accepted", "2999-12-31"
        assert book.active.freeze_panes == "A2"
        assert book.active.column_dimensions["A"].width >= len(min(before)) > book.active.column_dimensions["L"].width
        book.save(path)
        rows = workbook(path)
        assert all(isinstance(row["risk"], int | float) and isinstance(row["size"], int) for row in rows)
    assert {row["id"] for row in rows} == before
    assert done("waive", str(series), "--list", str(path)) == f"Wrote 2 waivers into {series}/series.toml.\n"
    after, report = found(series)
    assert before - after == chosen
    assert {(each["finding"], each["state"], each["reason"]) for each in report["policy"]["waived"]} <= {
        (ident, "applied", reason)
        for ident in chosen
        for reason in ("known; accepted", "the reason is shown with --reveal")
    }
    assert len(report["policy"]["waived"]) == 2
    assert {row["id"] for row in listed(series)} == after


@pytest.mark.parametrize("code", ["de", "fr", "es"])
def test_a_list_in_any_language_is_read(series, tmp_path, code):
    """Heads and words are of the language; dates may be written as it writes them."""
    path, until = tmp_path / "list.csv", {"de": "31.12.2999", "fr": "31/12/2999", "es": "31/12/2999"}[code]
    english = listed(series)
    assert run_main("findings", str(series), "--language", code, "--output", str(path), "--format", "csv")[0] == 0
    head, *lines = csv.reader(path.read_text(encoding="utf-8-sig").splitlines(), delimiter=";")
    assert len({*head}) == len(head) == len(english[0])
    assert [line[8] for line in lines] == [row["risk"].replace(".", ",") for row in english]
    assert not {*head} & {"id", "reason", "until"}
    assert [line[0] for line in lines] == [row["id"] for row in english]
    assert not {line[1] for line in lines} & {"recovered", "narrowed", "small"}
    lines[1][-2:] = "why", until
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, delimiter=";").writerows([head, *lines])
    assert run_main("waive", str(series), "--list", str(path))[::2] == (0, "")
    assert {row["id"] for row in english} - {row["id"] for row in listed(series)} == {english[1]["id"]}


BAD = [
    ({"reason": "why", "until": ""}, "a reason without a date"),
    ({"reason": "", "until": "2999-01-01"}, "a date without a reason"),
    ({"reason": "why", "until": "01/02/2999"}, "01/02/2999 is not a date"),
    ({"reason": "why", "until": "2001-01-01"}, "2001-01-01 is in the past"),
    ({"reason": "", "until": ""}, "no line has a reason and a date"),
    (
        {"reason": "why", "until": "2999-01-01", "id": "intersection-0123456789abcdef"},
        "intersection-0123456789abcdef is not",
    ),
]


@pytest.mark.parametrize(
    ("days", "read"),
    [
        (("31/12/2999", "01/02/2999"), ("2999-12-31", "2999-02-01")),
        (("12/31/2999", "01/02/2999"), ("2999-12-31", "2999-01-02")),
        (("05/05/2999", ""), ("2999-05-05",)),
        (("03/04/2999", "01/02/2999"), None),
        (("03/04/2999", "03/04/2999"), None),
        (("31/12/2999", "12/31/2999"), None),
    ],
)
def test_days_with_slashes_are_read_where_the_list_shows_their_order(hospital, tmp_path, days, read):
    rows, path = listed(hospital), tmp_path / "list.csv"
    for row, day in zip(rows, days, strict=False):
        row |= {"reason": "why" if day else "", "until": day}
    saved(path, rows)
    if read is None:
        err = refused("waive", str(hospital), "--list", str(path))
        assert len(err.splitlines()) == 1
        assert "day and month may be exchanged; write all dates of the list with the year first" in err
    else:
        assert run_main("waive", str(hospital), "--list", str(path))[0] == 0
        lines = (hospital / "series.toml").read_text().splitlines()
        assert [line for line in lines if line.startswith("expires")] == [f"expires = {day}" for day in read]


@kills("audit.pipeline.waived_findings.waive_findings", "each.where and not sizes", "False")
@pytest.mark.parametrize(("filled", "said"), BAD, ids=[said for _, said in BAD])
def test_a_list_with_a_fault_changes_nothing(series, tmp_path, filled, said):
    rows, path = listed(series), tmp_path / "list.csv"
    rows[1] |= filled
    saved(path, rows)
    before = snapshot(series)
    err = refused("waive", str(series), "--list", str(path))
    assert (said in err, "list.csv" in err) == (True, True)
    assert ("line 3" in err or "list.csv:3" in err) == ("no line" not in said)
    assert snapshot(series) == before


def test_lists_are_filtered_and_sorted(hospital):
    everything = listed(hospital)
    of_second = [row for row in everything if "2" in row["release"].split(", ")]
    assert listed(hospital, "--release", "2") == of_second
    assert {row["release"] for row in of_second} >= {"2", "1, 2"}
    assert {row["column"] for row in everything} == {"Disease"}
    assert listed(hospital, "--column", "Disease") == everything
    person = next(row["person"] for row in everything if row["person"])
    assert listed(hospital, "--person", person) == [row for row in everything if row["person"] == person]
    sizes = [int(row["size"]) for row in listed(hospital, "--sort", "size")]
    assert sizes == sorted(sizes, reverse=True)
    assert len(set(sizes)) > 1
    value = everything[0]["value"]
    assert {row["gravity"] for row in everything} == {"not ranked"}
    append(hospital / "series.toml", f'\n[policy]\nmax_ever_risk = 1\ngrave = {{ Disease = ["{value}"] }}\n')
    rows = listed(hospital)
    grave = [row["gravity"] == "grave" for row in rows]
    assert grave == sorted(grave, reverse=True)
    assert {row["value"] for row in rows if row["gravity"]} - {""} == {value}
    assert value not in {row["value"] for row in rows if not row["gravity"]}


def test_a_filter_may_name_a_dimension_of_a_cell_a_label_in_it_or_all_of_it():
    everything = listed(TABLES)
    assert everything
    name, _, label = everything[0]["column"].split(", ")[0].partition("=")
    assert listed(TABLES, "--column", name) == everything
    with_label = [row for row in everything if f"{name}={label}" in row["column"].split(", ")]
    assert listed(TABLES, "--column", f"{name}={label}") == with_label
    cell = everything[0]["column"]
    assert listed(TABLES, "--column", cell) == [row for row in everything if row["column"] == cell]


@pytest.mark.many
@pytest.mark.parametrize("form", ["text", "csv"])
@pytest.mark.parametrize("code", ["en", "de"])
@pytest.mark.parametrize(
    ("folder", "name", "choices"),
    [
        (HOSPITAL, "column", ["Disease"]),
        (HOSPITAL, "release", ["1", "2"]),
        (HOSPITAL, "value", ["dyspepsia", "gastritis"]),
        (HOSPITAL, "person", []),
        (TABLES, "column", ["area", "month"]),
        (TABLES, "release", ["03", "06"]),
    ],
)
def test_a_filter_that_fits_nothing_is_refused_and_says_what_fits(tmp_path, folder, name, choices, code, form):
    """An empty list with exit code 0 would say that nothing is found."""
    shutil.copytree(folder, tmp_path / "s")
    (tmp_path / "s/private").mkdir()
    err = refused("findings", str(tmp_path / "s"), f"--{name}", "typo", "--format", form, "--language", code)
    assert err.count("\n") == 1
    assert f"--{name}: " in err
    marks = '""' if code == "en" else "„“"
    assert all(each.join(marks) in err for each in ["typo", *choices]), err


def test_no_finding_is_said_where_a_release_has_none(hospital):
    (hospital / "releases/0.csv").write_text("Owner,Group-ID,Age,Zipcode,Disease\nZoe,1,9,9,flu\nIvo,1,9,9,cold\n")
    edit(hospital / "series.toml", '["releases/1.csv"', '["releases/0.csv", "releases/1.csv"')
    assert "No finding." in done("findings", str(hospital), "--release", "0", "--value", "gastritis")
    assert "typo" in refused("findings", str(hospital), "--release", "typo", "--value", "gastritis")


@pytest.mark.parametrize(("key", "named"), [("", False), ('individual = "Owner"', True)], ids=["rows", "people"])
def test_a_finding_of_rows_is_about_no_person(key, named, hospital):
    edit(hospital / "series.toml", 'individual = "Owner"', key or 'unlinkable = { Owner = "drawn anew" }')
    if not named:
        edit(hospital / "releases/1.csv", "dyspepsia", "bronchitis")
    rows = [row for row in listed(hospital) if row["attack"] != "equivalence"]
    assert {bool(row["person"]) for row in rows} == {named}


@kills("reports.finding_list._passive", "shown.startswith(_ACTIVE)", "False")
@pytest.mark.parametrize("form", ["text", "csv", "xlsx"])
def test_people_are_named_only_when_revealed_and_no_cell_is_a_formula(hospital, tmp_path, form):
    path = tmp_path / f"list.{form}"
    for old, new in (("dyspepsia", "=1+cmd"), ("gastritis", "@sum"), ("Bob", "-Bobby")):
        for release in hospital.glob("releases/*.csv"):
            release.write_text(release.read_text().replace(old, new))

    def cells(*words):
        assert run_main("findings", str(hospital), "--format", form, "--output", str(path), *words)[0] == 0
        if form == "text":
            return [path.read_text()]
        rows = workbook(path) if form == "xlsx" else list(csv.DictReader(path.read_text().splitlines()))
        return [str(cell or "") for row in rows for cell in row.values()]

    hidden, shown = cells(), cells("--reveal")
    assert not any(name in cell for cell in hidden for name in ("Bobby", "David", "Alice"))
    assert any("Bobby" in cell for cell in shown)
    if form != "text":
        assert not [cell for cell in shown if cell.startswith(("=", "+", "-", "@"))]
        assert {"'=1+cmd", "'-Bobby"} <= set(shown)


def test_a_list_says_which_attacks_did_not_finish():
    """A list that may lack findings is not taken for all of them."""
    code, _, err = run_main("findings", str(HOSPITAL), "--time-limit", "0.000001")
    assert (code, "audit: joint is incomplete: the time limit of" in err) == (0, True)
    assert run_main("findings", str(HOSPITAL))[2] == ""


def test_a_workbook_is_not_printed(series):
    assert "--output" in refused("findings", str(series), "--format", "xlsx")


def test_a_list_says_which_findings_are_about_the_same_person_and_value(hospital):
    """Each line has the ids of all other lines about its person, column and value; a line about no person has none."""
    rows = listed(hospital)
    about = [(row["person"], row["column"], row["value"]) for row in rows]
    for row, mine in zip(rows, about, strict=True):
        others = {each["id"] for each, theirs in zip(rows, about, strict=True) if theirs == mine} - {row["id"]}
        assert set(row["same person"].split()) == (others if row["person"] else set())
    assert any(row["same person"] for row in rows)


def test_what_is_waived_names_what_else_is_found_about_the_person(hospital):
    """A waiver of one id leaves the person's other findings: they are named, until none is left."""
    rows = listed(hospital)
    first = next(row for row in rows if row["person"] and row["same person"])
    others = {row["id"] for row in rows if row["person"] == first["person"]} - {first["id"]}
    words = ("--reason", "why", "--until", "2999-01-01")
    _, left = done("waive", str(hospital), first["id"], *words).splitlines()
    assert left.startswith(f"{len(others)} further findings are about the same people, and not waived")
    assert set(left.rpartition(": ")[2].split()) == others
    assert first["person"] in {row["person"] for row in listed(hospital)}
    assert len(done("waive", str(hospital), *sorted(others), *words).splitlines()) == 1
    assert first["person"] not in {row["person"] for row in listed(hospital)}


@pytest.mark.many
@pytest.mark.parametrize("code", ["de", "fr", "es"])
@pytest.mark.parametrize(("filled", "said"), BAD, ids=[said for _, said in BAD])
def test_a_fault_of_a_list_is_in_the_language_of_the_command(hospital, tmp_path, filled, said, code):
    rows, path = listed(hospital), tmp_path / "list.csv"
    rows[1] |= filled
    saved(path, rows)
    err = refused("waive", str(hospital), "--list", str(path), "--language", code)
    assert said not in err
    assert not {"is", "the", "without", "write", "nothing"} & {*err.replace(",", " ").split()}
