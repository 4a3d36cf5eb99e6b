"""`audit init --microdata` on files as offices have them."""

import re
import shutil
import tomllib

import numpy as np
import pytest

from audit.cli import init
from audit.init.columns import Column
from audit.init.microdata import confirmed_microdata
from audit.init.questions import question_about
from audit.io.microdata import open_microdata
from audit.io.releases import IdentifierEncoder
from audit.model.errors import Problems
from tests.cli.forms import edit
from tests.helpers.running import done, printed, refused, run_main
from tests.mutants.mutant import kills

HEAD = "Steuernummer;Geburtsjahr;PLZ;Gesamtbetrag;Diagnose"


def tables(folder, files):
    """Write the lines of tables by their names into a new folder, and return it."""
    folder.mkdir()
    for name, lines in files.items():
        (folder / f"{name}.csv").write_text("\n".join([*lines, ""]), encoding="utf-8")
    return folder


def office(folder):
    """Two snapshots with amounts as 9.028,64, postcodes, and a value that changes."""
    values = ["Grippe", "Asthma", "Gicht"]
    rows = [f"A{n};{1950 + n};531{n % 3}1;{n + 1}.028,6{n % 10};{values[n % 3]}" for n in range(20)]
    both = {"2023": "Asthma", "2024": "Gicht"}
    return tables(folder, {year: [HEAD, *rows, f"B;1980;53121;110.680,13;{last}"] for year, last in both.items()})


def initialised(folder, *words):
    """Return what init says to check, and what it writes."""
    code, out = printed("init", "--microdata", str(folder), "--yes", *words)
    assert code == 0, out
    return out, stated(folder)


def stated(folder):
    return tomllib.loads((folder / "microdata.toml").read_text(encoding="utf-8"))


def answer(folder, answers):
    """Answer questions by a text in them, all others by their defaults, and return what is written."""

    def ask(question):
        return next((answers[text] for text in answers if text in question.text), question.default)

    file = folder / "microdata.toml"
    file.write_text(confirmed_microdata(folder, file.read_text(), ask))
    return stated(folder)


L_DIVERSITY = ("--method", "l-diversity", "--l", "2")


def anonymized(folder, series, *words):
    """Publish microdata; return the exit code and what is said, on one line."""
    return printed("anonymize", str(folder), *(words or L_DIVERSITY), "--no-audit", "--output", str(series))


def test_amounts_postcodes_and_changes_are_understood_and_each_guess_is_marked(tmp_path):
    folder = office(tmp_path / "m")
    initialised(folder)
    text = (folder / "microdata.toml").read_text()
    assert 'decimal = ","  # guess: numbers of "Gesamtbetrag" have decimal commas' in text
    assert 'codes = ["PLZ"]  # guess: ' in text
    assert "Gesamtbetrag = [0, 200000]  # guess: the range found; later tables must fit into it" in text
    for key in ("individual", "quasi_identifiers", "sensitive"):
        assert any(line.startswith(f"{key} = ") and "# guess: " in line for line in text.splitlines())
    assert 'transitions = "transitions.csv"' in text
    assert open_microdata(folder).kinds["Gesamtbetrag"].value == "numeric"


@pytest.mark.parametrize("name", ["Pathologie principale", "Autonomie"])
def test_the_household_is_not_taken_for_the_sensitive_column(name, tmp_path):
    rows = [f"A{n};{1950 + n % 9};{['AVC', 'BPCO', 'gripe'][n % 3]};M{n // 2}" for n in range(40)]
    rows = [f"Bénéficiaire;Année de naissance;{name};Ménage", *rows]
    folder = tables(tmp_path / "m", {"2023": rows, "2024": rows})
    assert initialised(folder)[1]["columns"]["sensitive"] == name


@pytest.mark.parametrize(("people", "listed"), [(1, False), (2, False), (3, True)])
def test_changes_of_fewer_than_three_people_enter_what_is_published_only_on_request(tmp_path, people, listed):
    folder = office(tmp_path / "m")
    for file, value in ((folder / "2023.csv", "Asthma"), (folder / "2024.csv", "Gicht")):
        rows = [f"C{n};1981;53121;110.680,13;{value}\n" for n in range(people - 1)]
        file.write_text(file.read_text() + "".join(rows))
    out, _ = initialised(folder)
    lines = (folder / "transitions.csv").read_text().splitlines()
    assert ("Asthma,Gicht" in lines, "Gicht,Gicht" in lines) == (listed, True)
    assert ('fewer than 3 people made: "Asthma" > "Gicht"' in out) == (not listed)
    unlisted = "changes that the key shows are not listed"
    words = ("anonymize", str(folder), *L_DIVERSITY, "--output")
    _, err = printed(*words, str(tmp_path / "s"))
    assert {unlisted in err, "a change that fewer than 3 people made shows what they did" in err} == {not listed}
    assert ("[updates] of microdata.toml" in err) == (not listed)
    # Postcodes have one diagnosis each where nobody was added, which is asked about before.
    said = next(
        each.answers["found"] for each in answered(folder, *["?"] * (not listed), "found") if "found" in each.answers
    )
    assert ("shows what fewer than 3 people did" in said) == (not listed)
    assert "Asthma,Gicht" in (folder / "transitions.csv").read_text().splitlines()
    assert unlisted not in printed(*words, str(tmp_path / "again"))[1]


def test_texts_with_points_between_thousands_are_published_as_they_are(tmp_path):
    folder = office(tmp_path / "m")
    for file in folder.glob("*.csv"):
        edit(file, "Grippe", "10.000 bis 20.000")
    initialised(folder)
    assert anonymized(folder, tmp_path / "s")[0] == 0
    assert "10.000 bis 20.000" in (tmp_path / "s/releases/2023.csv").read_text()


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('transitions = "transitions.csv"', 'transitions = "any"', "methods need to know which value may follow which"),
        ('decimal = ","', 'decimal = ";"', 'unknown value ";"; use ".", ","'),
        ('sensitive = "Diagnose"', 'sensitive = ["Diagnose", "PLZ"]', "only one column of microdata can be sensitive"),
    ],
)
def test_what_microdata_cannot_say_is_refused(tmp_path, old, new, said):
    folder = office(tmp_path / "m")
    initialised(folder)
    edit(folder / "microdata.toml", old, new)
    assert said in refused("plan", str(folder))


@pytest.mark.parametrize("code", ["en", "de", "fr", "es"])
def test_a_column_with_another_name_in_one_table_is_named_before_methods_refuse_it(code, tmp_path):
    folder = office(tmp_path / "m")
    (folder / "2022.csv").write_text((folder / "2023.csv").read_text())
    edit(folder / "2024.csv", "PLZ", "PLZ-Gebiet")
    out, _ = initialised(folder, "--language", code)
    assert re.search(r"2024\.csv:1, \w+ \W*PLZ\b.*\bPLZ-Gebiet\b", out), out


# -- what nobody should guess alone: changes, days, spellings ------------------------------------------------------

DISEASES = ["Grippe", "Asthma", "Gicht", "Krebs"]
HOSPITAL = "Patientennummer;Geburtsdatum;Geschlecht;Aufnahme;Diagnose\n"
DAYS = {
    "de": "{day:02}.{month:02}.{year}",
    "iso": "{year}-{month:02}-{day:02}",
    "fr": "{day:02}/{month:02}/{year}",
    "excel": "{year}-{month:02}-{day:02} 00:00:00",
}


def hospital(folder, years, *, form="de", changing=True, spelled="männlich"):
    """Snapshots in Windows' encoding with birth and admission days."""
    folder.mkdir()
    for wave, year in enumerate(years):
        rows = []
        for n in range(40):
            born, seen = (DAYS[form].format(day=n % 28 + 1, month=n % 12 + 1, year=one) for one in (1940 + n, year))
            diagnosis = DISEASES[(n + changing * wave * (n % 5 == 0)) % 4]
            rows.append(f"P{n};{born};{['m', 'w', spelled][n % 3]};{seen};{diagnosis}")
        (folder / f"{year}.csv").write_bytes((HOSPITAL + "\n".join(rows) + "\n").encode("cp1252"))
    return folder


def test_a_snapshot_that_calls_its_people_otherwise_is_not_left_out_as_a_register(tmp_path):
    folder = office(tmp_path / "m")
    text = (folder / "2024.csv").read_text()
    (folder / "2025.csv").write_text(text)
    (folder / "2024.csv").write_text(text.replace("Steuernummer", "Personennummer"))
    code, _, err = run_main("init", "--microdata", str(folder), "--yes")
    assert (code, "2024.csv" in err and 'column "Steuernummer": the column is not in the file' in err) == (2, True)


def test_a_file_that_is_no_snapshot_is_named(tmp_path):
    folder = office(tmp_path / "m")
    rows = [f"A{n};Name {n};{1950 + n};531{n % 3}1\n" for n in range(20)]
    (folder / "roll.csv").write_text("individual;Name;Geburtsjahr;PLZ\n" + "".join(rows))
    assert "NOT USED roll.csv: register" in initialised(folder)[0]


def test_a_year_among_days_does_not_publish_the_days(tmp_path):
    """Of some people, only the year of birth is known; of the others, it is all that is published."""
    folder = hospital(tmp_path / "m", (2021, 2022))
    for path in folder.glob("*.csv"):
        lines = path.read_bytes().decode("cp1252").splitlines()
        lines[3::20] = [re.sub(r"^(P\d+);[^;]*?(\d{4})[^;]*;", r"\1;\2;", line) for line in lines[3::20]]
        path.write_bytes(("\n".join(lines) + "\n").encode("cp1252"))
    assert initialised(folder)[1]["columns"]["dates"]["Geburtsdatum"] == "year"
    assert anonymized(folder, tmp_path / "s", "--method", "mondrian", "--k", "2", "--seed", "0")[0] == 0
    for path in (tmp_path / "s" / "releases").glob("*.csv"):
        assert not re.search(r"\d[./-]\d", path.read_text())


@pytest.mark.parametrize("form", DAYS)
def test_days_are_published_as_years_or_months_and_next_year_is_not_refused(tmp_path, form):
    folder = hospital(tmp_path / "m", (2021, 2022), form=form)
    out, found = initialised(folder)
    assert found["columns"]["dates"] == {"Geburtsdatum": "year", "Aufnahme": "year"}
    assert not {"Geburtsdatum", "Aufnahme"} & found.get("domains", {}).keys()
    assert 'columns.dates = { Geburtsdatum = "year", Aufnahme = "year" } (days single people out' in out
    edit(folder / "microdata.toml", 'Aufnahme = "year"', 'Aufnahme = "month"')
    pairs = [f"{old},{new}" for old in DISEASES for new in DISEASES]
    (folder / "transitions.csv").write_text("\n".join(["from,to", *pairs]))
    words = ("--method", "m-distinct", "--m", "2", "--close", "--seed", "0")
    assert anonymized(folder, tmp_path / "s", *words)[0] == 0
    hospital(tmp_path / "later", (2022, 2023), form=form)
    (tmp_path / "later/2023.csv").rename(folder / "2023.csv")
    edit(folder / "microdata.toml", '"2022.csv"]', '"2022.csv", "2023.csv"]')
    assert anonymized(folder, tmp_path / "s", *words)[0] == 0
    for year in ("2021", "2022", "2023"):
        published = (tmp_path / f"s/releases/{year}.csv").read_text()
        assert f"{year}-0" in published
        assert not re.search(r"[0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{2}[./][0-9]{2}[./][0-9]{4}", published)


@pytest.mark.parametrize(
    ("cell", "columns"),
    [("03/04/1950", ["Geburtsdatum"]), ("unbekannt", ["Geburtsdatum"]), ("31.02.2021", ["Aufnahme"])],
)
def test_a_cell_that_is_no_day_is_refused_and_not_published_as_it_is(tmp_path, cell, columns):
    folder = hospital(tmp_path / "m", (2021,))
    initialised(folder)
    edit(folder / "microdata.toml", '"year"', '"month"')
    rows = (folder / "2021.csv").read_text(encoding="cp1252").splitlines()
    cells = rows[1].split(";")
    for name in columns:
        cells[HOSPITAL.split(";").index(name)] = cell
    (folder / "2021.csv").write_text("\n".join([rows[0], ";".join(cells), *rows[2:]]) + "\n", encoding="cp1252")
    assert "no date whose day and month are clear" in anonymized(folder, tmp_path / "s")[1]


@pytest.mark.parametrize(
    ("years", "changing", "stated", "said"),
    [
        ((2021,), True, "never", "one table does not show whether values change"),
        ((2021, 2022), False, "never", "nobody's value changes between the tables"),
        ((2021, 2022), True, "transitions.csv", "the values of 8 people change between the tables"),
    ],
)
def test_whether_values_change_is_a_visible_guess(tmp_path, years, changing, stated, said):
    folder = hospital(tmp_path / "m", years, changing=changing)
    out, _ = initialised(folder)
    assert f'transitions = "{stated}"  # guess: {said}' in (folder / "microdata.toml").read_text()
    assert f"audit init {folder} --microdata --confirm" in out
    assert (open_microdata(folder).updates is None) == (stated == "never")


def answered(folder, *answers):
    """Return the questions asked, and let the answers be written."""
    asked, left = [], [*answers]

    def ask(question):
        if question.text.startswith(("Which column", "What is the column")):
            return question.default
        asked.append(question)
        return left.pop(0) if left else question.default

    file = folder / "microdata.toml"
    file.write_text(confirmed_microdata(folder, file.read_text(), ask))
    return asked


@pytest.mark.parametrize(
    ("whole", "says"), [(True, "It has 3 different cells"), (False, "It has at least 3 different cells")]
)
def test_cells_of_first_rows_are_not_said_to_be_all(whole, says):
    column = Column("Weight", ["1.5", "2.5", "3.5"], np.arange(3, dtype=np.int32), np.zeros(3, dtype=np.int32), whole)
    assert says in question_about("Weight", column, has_role=True)


def test_answers_are_written_and_can_be_changed_again(tmp_path):
    folder = hospital(tmp_path / "m", (2021, 2022))
    initialised(folder)
    assert [*answered(folder, "any", "month", "day")[0].answers] == ["never", "found", "any", "stated"]
    assert stated(folder)["columns"]["dates"] == {"Geburtsdatum": "month"}
    assert open_microdata(folder).closed()[1] == 0
    assert len((folder / "transitions.csv").read_text().splitlines()) == 1 + 4 * 4
    answered(folder, "never")
    assert open_microdata(folder).updates is None
    answered(folder, "any")
    every = (folder / "transitions.csv").read_text()
    answered(folder, "found")
    assert answered(folder)[0].default == "stated"
    assert microdata_says(folder) == "transitions-2.csv"
    assert (folder / "transitions.csv").read_text() == every  # a file with more lines is never overwritten


def microdata_says(folder):
    return stated(folder)["updates"]["transitions"]


def test_amounts_that_have_not_changed_yet_may_be_said_to_change(tmp_path):
    """Each of many amounts with each other would be too many pairs."""
    rows = ["Person,Age,Income", *(f"P{n},{20 + n % 9},{n * 97}" for n in range(300))]
    folder = tables(tmp_path / "m", {"2023": rows, "2024": rows})
    initialised(folder)
    [asked] = answered(folder, "some")
    assert ([*asked.answers], asked.default) == (["never", "some"], "never")
    assert "With 300 values, the pairs are too many to list them all: if amounts change, write wide bands" in asked.text
    assert microdata_says(folder) == "transitions.csv"
    assert (folder / "transitions.csv").read_text().count("\n") == 301


def test_answers_are_kept_where_another_column_becomes_sensitive_beside_an_edited_draft(tmp_path):
    """They were refused at the last question, where no answer could help, and all of them were lost."""
    folder = hospital(tmp_path / "m", (2021, 2022))
    initialised(folder)
    edited = (folder / "transitions.csv").read_text() + "Grippe,Krebs\n"
    (folder / "transitions.csv").write_text(edited)
    found = answer(folder, {"Which column": "Geschlecht", "Can the value": "any"})
    assert found["updates"]["transitions"] == "transitions-2.csv"
    assert (folder / "transitions.csv").read_text() == edited


PANEL = "pidp,wave,age_dv,sex,health,jbstat,intdate"


def panel(folder, *again, head=PANEL):
    """Four hundred rows of a hundred people in four waves, as a household panel has them; some rows twice."""
    draw, rows = np.random.default_rng(4), []
    for wave in range(1, 5):
        for n in range(100):
            cells = [f"P{n}", wave, 20 + n % 60 + wave, "fm"[n % 2], draw.choice(["good", "fair", "poor"])]
            rows.append([*cells, draw.choice(["job", "none"]), f"{2018 + wave}-03-{n % 28 + 1:02}"])
    folder.mkdir()
    rows += [[*rows[place][:-1], "2023-04-01"] for place in again]
    (folder / "panel.csv").write_text("\n".join([head, *(",".join(map(str, row)) for row in rows)]) + "\n")
    return folder


@pytest.mark.parametrize("name", ["pidp", "pid", "persnr", "PersNr", "pers_id"])
def test_people_of_a_panel_are_known_by_the_usual_names_although_rows_repeat(tmp_path, name):
    _, found = initialised(panel(tmp_path / "m", 3, 7, head=PANEL.replace("pidp", name)))
    assert (found["columns"]["individual"], found["columns"]["latest_by"]) == (name, "intdate")
    assert found["microdata"]["snapshots_by"] == "wave"
    assert found["columns"]["sensitive"] == "health"
    assert found["columns"]["dates"] == {"intdate": "year"}


def test_academic_years_in_a_column_name_releases_without_a_slash(tmp_path):
    rows = [f"{year},p{n},{20 + n % 7},{'abcd'[n % 4]}" for year in ("2021/22", "2022/23") for n in range(40)]
    folder = tables(tmp_path / "m", {"census": ["Academic year,Pupil id,Age,Need", *rows]})
    initialised(folder)
    code, err = anonymized(folder, tmp_path / "s")
    names = sorted(each.name for each in (tmp_path / "s/releases").glob("*.csv"))
    assert (code, names) == (0, ["2021-22.csv", "2022-23.csv"]), err


def test_a_column_that_nearly_identifies_people_is_not_taken(tmp_path):
    err = refused("init", "--microdata", str(panel(tmp_path / "m", 3, 7, head=PANEL.replace("pidp", "kzl"))), "--yes")
    assert "no column identifies the people, each once in a table" in err
    assert all(key in err for key in ("snapshots_by", "latest_by", "delete rows that were entered twice"))


def test_what_is_sensitive_and_what_is_left_out_is_asked(tmp_path):
    """The transitions that were drafted for another column are drafted anew."""
    folder = panel(tmp_path / "m")
    initialised(folder)
    answers = {"Which column": "jbstat", 'What is the column "health"': "published", "Can the value": "found"}
    columns = answer(folder, answers)["columns"]
    assert columns["sensitive"] == "jbstat"
    assert "health" in columns["quasi_identifiers"]
    lines = (folder / "transitions.csv").read_text().split()[1:]
    assert {cell for line in lines for cell in line.split(",")} == {"job", "none"}
    found = answer(folder, {"Which column": "sex"})
    assert found["columns"]["sensitive"] == "sex"
    assert not {"sex"} & {*found["columns"]["quasi_identifiers"], *found["domains"]}


@pytest.mark.parametrize(("name", "role"), [("Gewicht", "unlinkable"), ("Poids", "published"), ("ponderación", "left")])
def test_a_survey_weight_is_left_out_and_asked_about(tmp_path, name, role):
    folder = panel(tmp_path / "m", head=PANEL.replace("jbstat", name))
    rows = (folder / "panel.csv").read_text().replace(",job,", ',"1017,25",').replace(",none,", ',"987,5",')
    (folder / "panel.csv").write_text(rows)
    out, found = initialised(folder)
    assert name not in found["columns"]["quasi_identifiers"]
    assert f'not published "{name}"' in out
    answers = {f'What is the column "{name}"': role, "Why can no outsider": "calibrated"}
    for given in (answers, {}):  # the second time, the answers are those that the file has
        found = answer(folder, given)["columns"]
        assert (name in found["quasi_identifiers"]) is (role == "published")
        assert found.get("unlinkable", {}) == ({name: "calibrated"} if role == "unlinkable" else {})


def test_a_guessed_quasi_identifier_can_be_left_out_with_what_is_said_of_it(tmp_path):
    folder = office(tmp_path / "m")
    initialised(folder)
    text = (folder / "microdata.toml").read_text()
    (folder / "microdata.toml").write_text(text.replace(', "Gesamtbetrag"', ""))
    line = "[domains] names a column that is not a quasi-identifier; delete it, or name a quasi-identifier"
    assert f"`Gesamtbetrag`: {line}" in refused("plan", str(folder))
    for role in ("left", "sensitive", "unlinkable"):
        asked = []

        def ask(question, role=role, asked=asked):
            asked.append(question)
            return role if '"Gesamtbetrag"?' in question.text else question.default or "none"

        changed = confirmed_microdata(folder, text, ask).replace('numbers of "Gesamtbetrag"', "")
        assert changed.count("Gesamtbetrag") == (role == "unlinkable")
        [answers] = [each.answers for each in asked if '"Gesamtbetrag"?' in each.text]
        assert "methods do not protect it" in answers["unlinkable"]
        assert "undecided until you name both columns under sensitive in series.toml" in answers["sensitive"]


def test_init_of_rows_that_are_all_different_names_the_way_for_microdata(tmp_path):
    _, out = printed("init", str(panel(tmp_path / "m")), "--yes")
    assert "If these tables are not published yet, `audit init --microdata` prepares them" in out


def test_init_of_columns_that_only_some_releases_have(tmp_path):
    """What says that most rows are unique compares the columns of equal length, those of all releases."""
    rows = [f"2024-01-{n % 28 + 1:02},p{n},{'mf'[n % 2]},{'abcde'[n % 5]}" for n in range(40)]
    one, other = ["Day,Place,Sex,Diagnosis", *rows[:8]], ["Place,Sex,Diagnosis", *(row[11:] for row in rows)]
    done("init", str(tables(tmp_path / "s", {"1": one, "2": other})), "--yes")


def test_one_table_needs_an_answer(tmp_path):
    folder = hospital(tmp_path / "m", (2021,))
    initialised(folder)
    question = answered(folder, "never")[0]
    assert (question.default, [*question.answers]) == ("", ["never", "some", "any"])
    assert "each release by itself" in question.answers["any"]
    answered(folder, "some")
    assert all(len({*line.split(",")}) == 1 for line in (folder / "transitions.csv").read_text().splitlines()[1:])


def test_any_in_place_of_a_file_is_a_question(tmp_path):
    folder = office(tmp_path / "m")
    initialised(folder)
    edit(folder / "microdata.toml", '"transitions.csv"', '"any"')
    answered(folder, "any")
    assert open_microdata(folder).updates is not None


@pytest.mark.parametrize(("amount", "sep"), [("{n}.028,6{n}", ";"), ("{n}028.6{n}", ",")])
def test_a_plan_measures_amounts_as_they_are_read(tmp_path, amount, sep):
    """The sensitive values are numbers as 1.028,60, which a series writes as 1028.6."""
    rows = [["Patientennummer", "Geburtsjahr", "Gehalt"]]
    rows += [[f"A{n}", str(1950 + n), amount.format(n=n % 7)] for n in range(20)]
    folder = tables(tmp_path / "m", {"2023": map(sep.join, rows)})
    initialised(folder)
    assert run_main("plan", str(folder), "--method", "l-diversity", "--queries", "5")[::2] == (0, "")


# -- rows of no one ----------------------------------------------------------------------------------------------------

NO_PEOPLE = {
    "a total": ("Summe;23466;;;", "the row looks like a total, not like a person"),
    "a total with a value": ("Total:;23466;;;Grippe", "the row looks like a total, not like a person"),
    "no identifier": (";1950;m;79098;Grippe", "the cell is empty"),
}


@pytest.mark.parametrize("transitions", [False, True])
@pytest.mark.parametrize(("row", "said"), NO_PEOPLE.values(), ids=NO_PEOPLE)
def test_a_row_of_no_one_enters_no_guess_but_is_named_as_by_the_methods(tmp_path, row, said, transitions):
    """A sum counted as a person widens the domain of its column, and its value may then follow others."""
    files, months = {}, {"2024-01": "Asthma", "2024-02": "Gicht"}
    for month, last in months.items():
        values = [*(["Grippe", "Asthma", "Gicht"][n % 3] for n in range(11)), last]
        rows = [f"P{n};{1950 + n};{'mw'[n % 2]};7909{n % 4};{value}" for n, value in enumerate(values)]
        files[month] = ["Patientennummer;Geburtsjahr;Geschlecht;PLZ;Diagnose", *rows]
    if transitions:
        files["transitions"] = ["from,to", "Grippe,Grippe", "Asthma,Asthma", "Asthma,Gicht", "Gicht,Gicht"]
    folder = tables(tmp_path / "m", files)
    wrong = tables(tmp_path / "wrong", files | {month: [*files[month], row] for month in months})
    err = refused("init", "--microdata", str(wrong), "--yes")
    for month in months:
        assert re.search(rf'{month}\.csv:14, column "[^"]*": {said}; ', err), err
    assert err.count("\n") == 2
    assert not (wrong / "microdata.toml").exists()
    assert initialised(folder)[1]["domains"]["Geburtsjahr"] == [1950, 1961]
    text = (folder / "microdata.toml").read_text()
    (wrong / "microdata.toml").write_text(text.replace("[1950, 1961]", "[1950, 99999]"))
    if not transitions:
        shutil.copy(folder / "transitions.csv", wrong)
    assert f"{said}; " in refused("plan", str(wrong))
    assert f"{said}; " in refused("init", "--microdata", str(wrong), "--confirm")


@kills("audit.init.guess.changes_of_people", "if value}", "}")
def test_empty_cells_stop_no_guess_and_are_named_as_by_the_methods(tmp_path, monkeypatch):
    """Without a value, the command wrote nothing; and answers were taken without a word of the cells."""
    out, found = initialised(folder := survey(tmp_path / "m", "R98,,2,West,gout", "R99,30,2,West,"))
    assert found["domains"]["Age"] == [20, 59]
    for said in (
        '2024.csv:42, column "Age": the cell has no value',
        '2024.csv:43, column "Disease": the row has no value',
    ):
        assert f"Methods refuse this: {said}" in out
    assert "write its value, such as None if a blank says that there is none; or a text such as" in out
    monkeypatch.setattr(init, "ask_until_answered", lambda question: question.default or "left")
    code, out, _ = run_main("init", "--microdata", str(folder), "--confirm")
    assert (code, " ".join(out.split()).count("Methods refuse this: 2024.csv:4")) == (0, 2)
    assert '2024.csv:42, column "Age": the cell has no value' in refused("plan", str(folder))


# -- codes for unknown values, and columns of which init said nothing ----------------------------------------------

SURVEY = [f"R{n},{20 + n},{n % 6 + 1},{['East', 'West'][n % 2]},{['flu', 'gout'][n % 2]}" for n in range(40)]


def survey(folder, *further):
    """One snapshot with ages, sizes of households, towns and diseases."""
    return tables(folder, {"2024": ["Person,Age,Size,Town,Disease", *SURVEY, *further]})


def renamed(folder, old, new):
    edit(folder / "microdata.toml", old, new)


M_INVARIANCE = ("--method", "m-invariance", "--m", "2")


@pytest.mark.parametrize("code", ["-9", "-1", "-8", "999", "NA", "?"])
def test_a_code_for_an_unknown_age_is_a_question_and_methods_do_not_take_it_for_a_number(tmp_path, code):
    folder = survey(tmp_path / "m", f"X,{code},2,East,flu")
    out, found = initialised(folder)
    assert 'Methods refuse this: 2024.csv:42, column "Age": ' in out
    assert "Age" not in found["domains"]
    assert '2024.csv:42, column "Age": ' in refused("plan", str(folder))
    assert '2024.csv:42, column "Age": ' in anonymized(folder, tmp_path / "s", *M_INVARIANCE)[1]
    every = [code, *map(str, range(20, 60))]
    renamed(folder, "[domains]", f"[domains]\nAge = {every}".replace("'", '"'))
    (folder / "2024.csv").write_text((folder / "2024.csv").read_text() + "Y,59,1,West,gout\n")
    assert anonymized(folder, tmp_path / "s", *M_INVARIANCE)[0] == 0


@pytest.mark.parametrize(
    ("sizes", "coded"),
    [
        ("1234599", True),
        ("12345899", True),
        ("1239", True),
        ("12345678", False),
        ("12367", False),
        ("123456789", False),
        ("17", False),
    ],
)
def test_a_code_of_one_digit_after_a_gap_is_a_question(tmp_path, sizes, coded):
    rows = [f"R{n},{size},{['flu', 'gout'][n % 2]}" for n, size in enumerate(sizes * 6)]
    folder = tables(tmp_path / "m", {"2024": ["Person,Age,Disease", *rows]})
    out, found = initialised(folder)
    assert ("the number looks like a code for an unknown value" in out) is coded
    assert ("Age" in found.get("domains", {})) is not coded
    assert (anonymized(folder, tmp_path / "s", *M_INVARIANCE)[0] == 2) is coded


@pytest.mark.parametrize(("times", "asked"), [(1, False), (3, False), (12, True)])
def test_a_code_next_to_ages_is_a_question_where_more_rows_have_it(tmp_path, times, asked):
    old = [f"S{n},{90 + n},2,East,flu" for n in range(7)]
    folder = survey(tmp_path / "m", *old, *(f"X{n},{97 + n % 3},2,East,gout" for n in range(3 * times)))
    out, found = initialised(folder)
    assert ("the number looks like a code for an unknown value" in out) is asked
    assert ("Age" in found["domains"]) is not asked


def test_a_range_that_ends_with_a_code_was_guessed_with_it_and_is_refused(tmp_path):
    folder = survey(tmp_path / "m", "X,-9,2,East,flu", "Y,59,1,West,gout")
    initialised(folder)
    renamed(folder, "[domains]", "[domains]\nAge = [-9, 59]")
    code, err = anonymized(folder, tmp_path / "s", *M_INVARIANCE)
    assert (code, 'column "Age": the number looks like a code for an unknown value' in err) == (2, True)
    renamed(folder, "Age = [-9, 59]", "Age = [-10, 59]")
    assert anonymized(folder, tmp_path / "s", *M_INVARIANCE)[0] == 0


@pytest.mark.parametrize("code", ["NA", "-8", "-1", "97", "999", "88"])
def test_a_disease_that_is_not_known_is_a_question_and_makes_no_group_diverse(tmp_path, code):
    folder = survey(tmp_path / "m", f"X,21,2,East,{code}", f"Y,22,1,West,{code}")
    assert '2024.csv:42, column "Disease": the cell says that the value is not known' in initialised(folder)[0]
    assert '2024.csv:42, column "Disease": the cell says' in anonymized(folder, tmp_path / "s")[1]
    renamed(folder, 'sensitive = "Disease"', f'sensitive = "Disease"\nharmless = ["{code}"]')
    assert anonymized(folder, tmp_path / "s")[0] == 0


@pytest.mark.parametrize("answer", ["left", "harmless", "refused"])
def test_rows_whose_value_is_not_known_may_be_left_out(tmp_path, answer):
    """They are neither published nor listed in the transitions; who says neither has to change the tables."""
    folder, series = survey(tmp_path / "m", "X,40,2,East,refused", "Y,41,2,West,refused"), tmp_path / "s"
    assert "name the text under left_out" in initialised(folder)[0]
    asked = answered(folder, answer, "any")
    assert ([*asked[0].answers], asked[0].default) == (["harmless", "left", "refused"], "left")
    code, out = anonymized(folder, series, "--method", "mondrian", "--k", "2")
    if answer == "refused":
        assert (code, "the cell says that the value is not known" in out) == (2, True)
        return
    assert (code, '2 rows are left out because of their "Disease"' in out) == (0, answer == "left")
    assert ("refused" in (series / "releases/2024.csv").read_text()) is (answer == "harmless")
    assert ("refused" in (folder / "transitions.csv").read_text()) is (answer == "harmless")
    left = {"X", "Y"} - {line.split(",")[1] for line in (series / "private/2024.key.csv").read_text().split()}
    assert left == ({"X", "Y"} if answer == "left" else set())
    _, document = printed(str(series), "--document", "dpia")
    assert ('ows with some values of "Disease" are not published' in document) is (answer == "left")
    assert len(answered(folder)) == len(asked) - 1  # it is not asked again


def test_transitions_that_were_drafted_from_rows_that_are_left_out_are_not_kept_by_an_empty_line(tmp_path):
    """They are published with the series, and would say how people came to refuse."""
    folder = office(tmp_path / "m")
    edit(folder / "2024.csv", "110.680,13;Gicht", "110.680,13;refused")
    initialised(folder)
    assert "refused,refused" in (folder / "transitions.csv").read_text()
    assert [each.default for each in answered(folder) if each.answers][:2] == ["left", "never"]
    assert microdata_says(folder) == "never"


@pytest.mark.parametrize("age", ["98", "0", "19"])
def test_ages_near_the_others_are_numbers(tmp_path, age):
    folder = survey(tmp_path / "m", f"X,{age},2,East,flu")
    assert initialised(folder)[1]["domains"]["Age"] == [min(20, int(age)), max(59, int(age))]


@pytest.mark.parametrize("town", ["NA", "n/a", "?"])
def test_a_domain_has_all_values_of_its_own_tables(tmp_path, town):
    folder = survey(tmp_path / "m", f"X,40,2,{town},flu", f"Y,41,2,{town},gout")
    assert {"East", "West", town} == {*initialised(folder)[1]["domains"]["Town"]}
    open_microdata(folder).read_all(IdentifierEncoder())


def test_codes_are_values_and_not_numbers_also_of_a_column_that_is_published_by_an_answer(tmp_path):
    """Sex 1 was published as [0, 1], and department 01 as a part of [1, 22]."""
    draw = np.random.default_rng(1)
    rows = [f"P{n},{20 + n % 50},{1 + n % 2},{draw.choice(['01', '22', '75'])}" for n in range(90)]
    lines = ["Person,Age,Sexe,DEP,Disease", *(f"{row},{draw.choice(['flu', 'gout'])}" for row in rows)]
    folder = tables(tmp_path / "m", {"2024": lines})
    assert initialised(folder)[1]["domains"] == {"Age": [20, 69], "Sexe": ["1", "2"]}
    found = answer(folder, {'column "DEP"': "published", "Can the value": "never"})
    assert found["domains"]["DEP"] == ["01", "22", "75"]
    assert anonymized(folder, tmp_path / "s", "--method", "mondrian", "--k", "2")[0] == 0
    cells = {tuple(line.split(",")[-3:-1]) for line in (tmp_path / "s/releases/2024.csv").read_text().splitlines()[1:]}
    assert {("1", "01"), ("2", "75")} <= cells


@pytest.mark.parametrize(
    ("name", "first", "codes"),
    [
        pytest.param("commune", "75102", True, id="places"),
        pytest.param("Code INSEE", "2A004", True, id="codes, one with a letter"),
        pytest.param("Bezugsgröße", "01968", True, id="a leading zero"),
        pytest.param("Bezugsgröße", "11968", False, id="numbers of one length"),
        pytest.param("commune", "9120", False, id="numbers of places, of several lengths"),
    ],
)
@kills("audit.init.microdata._has_codes", "naming.names_places(column.name)", "False", case="[places]")
def test_numbers_of_one_length_are_codes_by_their_names_or_a_leading_zero(tmp_path, name, first, codes):
    """A commune 75102 was published as a part of [18307, 95018]."""
    rows = [f"P{n},{20 + n % 50},{first if n % 9 == 0 else 93001 + 7 * n},{('flu', 'gout')[n % 2]}" for n in range(90)]
    folder = tables(tmp_path / "m", {"2024": [f"Person,Age,{name},Disease", *rows]})
    initialised(folder)
    answers = {f'column "{name}"': "published", "Can the value": "never"}
    found = answer(folder, answers)["columns"]
    assert name in found["quasi_identifiers"]
    assert (name in found.get("codes", ())) == codes


def test_what_is_not_published_and_people_with_several_rows_are_named(tmp_path):
    out, _ = initialised(survey(tmp_path / "m"))
    assert 'not published "Size"' in out
    assert "another row" not in out
    folder = survey(tmp_path / "n", "R1,21,2,West,gout")
    out, found = initialised(folder)
    assert 'column "Person": this person has another row on line 42; keep one row for each person, or write' in out
    assert "updates" not in found
    assert "keep one row for each person" in refused("plan", str(folder))


@pytest.mark.parametrize("again", [(), (5,), (5, 41)])
def test_waves_of_one_file_are_found_although_rows_repeat(tmp_path, again):
    """One row for each person would be one wave for each; the lines that repeat are named, and values change."""
    rows = [f"R{n},{wave},{20 + n},{['flu', 'gout', 'hiv'][(n + wave * (n % 4 == 0)) % 3]}"
            for wave in (1, 2) for n in range(40)]  # fmt: skip
    lines = ["Person,Wave,Age,Disease", *rows, *(rows[place] for place in again)]
    folder = tables(tmp_path / "m", {"panel": lines})
    out, found = initialised(folder)
    assert found["microdata"]["snapshots_by"] == "Wave"
    assert found["updates"]["transitions"] == "transitions.csv"
    for place, line in zip(again, (82, 83), strict=False):
        assert f'panel.csv:{place + 2}, column "Person": this person has another row on line {line}' in out
    assert ("keep one row for each person" in out) == bool(again)
    if again:
        assert 'column "Person": this person has another row' in refused("plan", str(folder))


@pytest.mark.parametrize(("name", "known"), [("Pseudonym", True), ("Patient pseudonym", True), ("Fall", False)])
def test_pseudonyms_with_several_rows_name_the_people_of_microdata(tmp_path, name, known):
    """The rows of a case need not be those of one person."""
    rows = [f"PSN-{n % 30},{1950 + n % 30},2024-01-{1 + n // 2:02},{['flu', 'gout', 'hiv'][n % 3]}" for n in range(40)]
    folder = tables(tmp_path / "m", {"1": [f"{name},Born,Seen,Disease", *rows]})
    if known:
        assert initialised(folder)[1]["columns"]["individual"] == name
    else:
        assert "no column identifies the people" in refused("init", "--microdata", str(folder))


@pytest.mark.parametrize("form", DAYS)
def test_of_people_with_several_rows_the_latest_is_published_and_counts_for_changes(tmp_path, form):
    draw, folder, expected, before = np.random.default_rng(len(form)), tmp_path / "m", {}, {}
    folder.mkdir()
    values = ["flu", "gout", "hiv"]
    changes = {(value, value) for value in values}
    for wave in ("1", "2"):
        visits = [
            (f"P{n % 40}", int(draw.integers(1, 4)), int(draw.integers(13, 29)), str(draw.choice(values)))
            for n in draw.permutation(70).tolist()
        ]
        lines = ["Person,Born,Seen,Disease"]
        for who, month, day, value in visits:
            born = DAYS[form].format(year=1950 + int(who[1:]), month=1, day=20)
            lines.append(f"{who},{born},{DAYS[form].format(year=2023, month=month, day=day)},{value}")
        (folder / f"{wave}.csv").write_text("\n".join(lines) + "\n")
        ordered = sorted(visits, key=lambda visit: visit[1:3])  # those of a day: by their order in the file
        kept = expected[wave] = {who: value for who, *_, value in ordered}
        changes |= {(before.get(who, value), value) for who, value in kept.items()}
        before |= kept
    out, found = initialised(folder)
    assert found["columns"]["latest_by"] == "Seen"
    assert 'columns.latest_by = "Seen" (some people have several rows' in out
    assert "entered twice" not in out, "the rows are visits"
    pairs = {tuple(line.split(",")) for line in (folder / "transitions.csv").read_text().splitlines()[1:]}
    assert pairs == changes
    for file in open_microdata(folder).snapshots:
        table = file.read(["Person", "Disease"], Problems())
        assert dict(zip(table.texts("Person"), table.texts("Disease"), strict=True)) == expected[file.tag]
        assert table.rows == len(expected[file.tag])
    text = (folder / "microdata.toml").read_text()
    said = confirmed_microdata(folder, text, lambda question: question.default)
    for key in ("latest_by", "sensitive"):
        assert f"\n{key} = " in text
        assert re.search(f"\n{key} = [^#]*# as answered\n", said), "it said that it is a guess"
    no = confirmed_microdata(
        folder, text, lambda question: "no" if "publish the latest" in question.text else question.default
    )
    assert "latest_by" not in no
    renamed(folder, 'latest_by = "Seen"', 'latest_by = "Disease"')
    assert 'column "Disease": the cell is not a date' in refused("plan", str(folder))


def visits_without_dates(folder):
    """Return a folder of two tables in which people have one to four rows, and nothing says when."""
    draw = np.random.default_rng(3)
    folder.mkdir()
    for wave in ("1", "2"):
        lines = ["Person,Age,Ward,Disease"]
        for n in draw.permutation(80).tolist():
            for _ in range(int(draw.integers(1, 5))):
                value = draw.choice(["none", "flu", "gout", "hiv"], p=[0.6, 0.2, 0.15, 0.05])
                lines.append(f"P{n},{20 + n % 60},{draw.choice(['north', 'south'])},{value}")
        (folder / f"{wave}.csv").write_text("\n".join([*lines[:1], *draw.permutation(lines[1:]).tolist()]) + "\n")
    return folder


@kills("audit.io.microdata.OneRow.alone", "text: -number", "text: number")
def test_of_people_with_several_rows_and_no_date_the_gravest_is_published(tmp_path):
    folder = visits_without_dates(tmp_path / "m")
    out, found = initialised(folder)
    gravest = found["columns"]["gravest"]
    assert gravest == ["hiv", "gout", "flu", "none"]  # rare values first
    assert 'columns.gravest = ["hiv", "gout", "flu", "none"] (some people have several rows' in out
    assert "of the rows have" in out
    assert 'harmless = ["none"]' in out
    for file in open_microdata(folder).snapshots:
        rows = [line.split(",") for line in file.path.read_text().splitlines()[1:]]
        table = file.read(["Person", "Disease"], Problems())
        kept = dict(zip(table.texts("Person"), table.texts("Disease"), strict=True))
        assert table.rows == len(kept)
        assert kept == {who: min((r[3] for r in rows if r[0] == who), key=gravest.index) for who in kept}
        assert kept.keys() == {row[0] for row in rows}
    text = (folder / "microdata.toml").read_text()

    def answer(question):
        if "May it become known" in question.text:
            return "yes"
        return "hiv > gout" if question.default == "" else "any" if "any" in question.answers else question.default

    (folder / "microdata.toml").write_text(confirmed_microdata(folder, text, answer))
    assert tomllib.loads((folder / "microdata.toml").read_text())["columns"]["harmless"] == ["none"]
    words = ("--method", "l-diversity", "--l", "2", "--output", str(tmp_path / "s"), "--seed", "1")
    assert run_main("anonymize", str(folder), *words)[0] == 0
    assert run_main(str(tmp_path / "s"))[0] == 0


@pytest.mark.parametrize(
    ("answers", "order"),
    [
        (["hiv"], ["hiv", "gout", "flu", "none"]),
        (["flu > hiv"], ["flu", "hiv", "gout", "none"]),
        (["HIV", "", "none > flu"], ["none", "flu", "hiv", "gout"]),
    ],
)
def test_confirm_puts_first_the_values_that_are_named_gravest(answers, order, tmp_path):
    """What is no value is asked about again, and nothing is suggested; later, the answer is."""
    folder = visits_without_dates(tmp_path / "m")
    initialised(folder)
    left, file = iter(answers), folder / "microdata.toml"
    file.write_text(
        confirmed_microdata(
            folder,
            file.read_text(),
            lambda question: next(left, question.default) if "gravest first" in question.text else question.default,
        )
    )
    assert stated(folder)["columns"]["gravest"] == order
    assert not [*left]
    assert answer(folder, {})["columns"]["gravest"] == order


@kills("audit.publishing.renderer.widened", " and not (always and length)", "")
def test_no_end_of_an_interval_of_amounts_is_a_persons_amount(tmp_path):
    """The ends stand on a grid that depends on the domain alone, for whole euros as for cents."""
    draw = np.random.default_rng(4)
    amounts = [(f"{draw.uniform(300, 24_000):.2f}", int(draw.integers(300, 24_000)) * 2 + 1) for _ in range(40)]
    rows = [f"p{n},{cents},{whole},{['flu', 'gout'][n % 2]}" for n, (cents, whole) in enumerate(amounts)]
    folder = tables(tmp_path / "m", {"1": ["Person,Tax,Income,Disease", *rows]})
    (folder / "microdata.toml").write_text(
        '[microdata]\nsnapshots = ["1.csv"]\n[columns]\nindividual = "Person"\nquasi_identifiers = ["Tax", "Income"]\n'
        'sensitive = "Disease"\n[domains]\nTax = [0, 30000]\nIncome = [0, 50000]\n'
    )
    assert anonymized(folder, tmp_path / "s", *M_INVARIANCE, "--publish", "generalization")[0] == 0
    ends = re.findall(r'"\[([0-9.]+), ([0-9.]+)\]"', (tmp_path / "s/releases/1.csv").read_text())
    assert ends
    assert {(float(low) % 100, float(high) % 100) for low, high in ends} <= {(0.0, 0.0), (0.0, 99.0)}


@pytest.mark.parametrize(("dated", "kept"), [(True, "the latest row"), (False, "the row with the gravest value, by")])
def test_documents_say_which_of_a_persons_rows_was_published(tmp_path, dated, kept):
    """An expert read of all stays, and had only the latest one of each person before them."""
    values, lines = ("flu", "gout", "cold", "hiv"), ["Person,Seen,Age,Disease" if dated else "Person,Age,Disease"]
    for n in range(24):
        seen = f"2023-{1 + n // 16:02}-1{n % 9}," if dated else ""
        lines.append(f"P{n % 16},{seen}{20 + n % 16},{values[n % 4 if n < 16 else (n + 1) % 4]}")
    folder = tables(tmp_path / "m", {"2023": lines})
    initialised(folder)
    assert anonymized(folder, tmp_path / "s")[0] == 0
    for document in ("expert", "dpia"):
        _, text = printed(str(tmp_path / "s"), "--document", document)
        assert f"the releases have only {kept}" in text
        assert "l-diversity, l = 2." in text
        assert "No value is declared to be graver" not in text  # by an order of which the first value is the gravest


def test_the_gravest_row_needs_the_place_of_each_value_and_no_second_rule(tmp_path):
    folder = visits_without_dates(tmp_path / "m")
    initialised(folder)
    text = (folder / "microdata.toml").read_text()
    answer(folder, {"gravest": "no"})
    assert "gravest" not in (folder / "microdata.toml").read_text()
    (folder / "microdata.toml").write_text(text)

    def ask(question):
        chosen = [each for each in ("Ward", "never") if each in question.answers]
        return "Ward" if "Ward" in chosen else question.default or [*chosen, "south"][0]

    other = confirmed_microdata(folder, text, ask)
    assert ('sensitive = "Ward"' in other, 'gravest = ["' in other) == (True, True)
    assert '"hiv"' not in other  # the list is one of the values that are sensitive now
    renamed(folder, '"hiv", ', "")
    assert 'column "Disease": gravest does not list this value' in refused("plan", str(folder))
    renamed(folder, "gravest = ", 'latest_by = "Age"\ngravest = ')
    assert "latest_by already says which row of a person counts" in refused("plan", str(folder))


def test_the_ends_of_widened_intervals_have_no_more_decimals_than_the_amounts(tmp_path):
    folder = office(tmp_path / "m")
    initialised(folder)
    renamed(folder, "Gesamtbetrag = [0, 200000]", "Gesamtbetrag = [337.43, 124987.78]")
    assert anonymized(folder, tmp_path / "s", *L_DIVERSITY, "--publish", "generalization")[0] == 0
    numbers = re.findall(r"\d+\.(\d+)", (tmp_path / "s/releases/2023.csv").read_text())
    assert max(map(len, numbers)) <= 2


@pytest.mark.parametrize(("amount", "sign"), [(r"\1,\2", "."), (r"\1\2", None), (r"\1,\3", ",")])
def test_commas_in_numbers_are_read_as_microdata_declare_them(tmp_path, amount, sign):
    folder = office(tmp_path / "m")
    for path in folder.glob("*.csv"):
        path.write_text(re.sub(r"(\d+)\.(\d{3}),(\d+)", amount, path.read_text()))
    _, document = initialised(folder)
    assert document["columns"].get("decimal") == sign
    assert open_microdata(folder).kinds["Gesamtbetrag"].value == "numeric"


@pytest.mark.parametrize(("sign", "number"), [(".", "14907"), (",", "14.907")])
def test_commas_in_sensitive_numbers_are_declared_in_microdata(tmp_path, sign, number):
    """An audit of what was published asked for `types`, which microdata do not have."""
    rows = [f'TP{n},{1960 + n % 9},"{n % 7 + 14},{907 + n % 3}"' for n in range(42)]
    folder = tables(tmp_path / "m", {"tax": ["Taxpayer ID,Year of birth,Total income", *rows]})
    initialised(folder)
    guess = 'decimal = "."  # guess: commas in numbers of "Total income" part thousands'
    renamed(folder, guess, "")
    code, err = anonymized(folder, tmp_path / "s")
    assert (code, 'write decimal = "." under [columns] if they do' in err) == (2, True)
    renamed(folder, "[columns]", f'[columns]\ndecimal = "{sign}"')
    assert anonymized(folder, tmp_path / "s")[0] == 0
    assert f",{number}\n" in (tmp_path / "s/releases/tax.csv").read_text()
    assert '"Total income" = "numeric"' in (tmp_path / "s/series.toml").read_text()


def test_empty_cells_that_methods_refuse_are_asked_about(tmp_path):
    folder = office(tmp_path / "m")
    for name in ("2023.csv", "2024.csv"):
        path = folder / name
        path.write_text(path.read_text().replace(";53121;", ";;", 3))
    out, _ = initialised(folder)
    for name in ("2023.csv", "2024.csv"):
        assert re.search(rf'{name}:\d+, column "PLZ": the cell has no value \(and 2 more such lines\); write the', out)


def test_which_row_counts_is_a_question(tmp_path):
    rows = [f"P{n % 9},{20 + n % 9},2023-01-{n + 10},{['flu', 'gout'][n % 2]}" for n in range(18)]
    folder = tables(tmp_path / "m", {"1": ["Person,Age,Seen,Disease", *rows]})
    initialised(folder)
    [said] = [each.text for each in answered(folder) if "several rows" in each.text]
    assert said.startswith('"Person": some people have several rows in one table, of which methods publish the latest.')


# -- tables of schools -------------------------------------------------------------------------------------------------


def schools(folder, *sexes, further=()):
    """One table of pupils for each pair of codes of sexes, with year groups R and 1 to 11."""
    files = {}
    for year, codes in enumerate(sexes, 2022):
        rows = [f"A{n},{codes[n % 2]},{('R', *range(1, 12))[n % 12]},{'EKNS'[n % 4]}" for n in range(48)]
        files[f"{year}"] = ["UPN,Sex,Year group,Provision", *rows, *further]
    return tables(folder, files)


def test_totals_of_each_school_are_named_at_once_and_taken_for_no_person(tmp_path):
    """They were one person with several rows, of whom it was not known which counts."""
    further = ["Total,,,E", "Total,,,K", "A900,F,3,"]
    err = refused("init", "--microdata", str(schools(tmp_path / "m", "FM", "FM", further=further)), "--yes")
    assert "gravest" not in err
    for year in (2022, 2023):
        assert f'{year}.csv:50, column "UPN": the rows of lines 50 and 51 look like totals' in err
        assert f'{year}.csv:52, column "Provision": the row has no value; write its value, such as None' in err


@pytest.mark.parametrize(
    ("sexes", "doubted"),
    [(("12", "FM"), True), (("FM", "FM", "wm"), True), (("FM", "FM"), False), (("12", "34"), False)],
)
def test_a_table_with_other_codes_is_asked_about(tmp_path, sexes, doubted):
    """By the methods, too, which took the codes for other values; `spelled` says that they are."""
    folder, wrong = schools(tmp_path / "m", *sexes), f'"Sex" has other texts in {2021 + len(sexes)}'
    assert (wrong in initialised(folder)[0]) == doubted
    file = folder / "microdata.toml"
    text = file.read_text().partition("[unconfirmed]")[0]
    for line, asked in (("", doubted), ('spelled = ["Sex"]', False), ('codes = ["Sex"]', False)):
        file.write_text(text.replace("[columns]", f"[columns]\n{line}"))  # other people have other postcodes
        out = tmp_path / (line[:1] or "s")
        assert (wrong in anonymized(folder, out, "--method", "mondrian", "--k", "2")[1]) == asked


def test_published_numbers_among_which_are_texts_get_a_list_of_values(tmp_path):
    folder = schools(tmp_path / "m", "FM", "FM")
    initialised(folder)
    for role in ("left", "published"):
        found = answer(folder, {'What is the column "Year group"': role})
    assert found["domains"]["Year group"] == [*map(str, range(1, 12)), "R"]
    assert run_main("plan", str(folder), "--method", "l-diversity", "--queries", "5")[::2] == (0, "")


@pytest.mark.parametrize(("said", "written"), [("?", None), ("only we know", {"Income": "only we know"})])
def test_a_column_of_households_is_a_question(tmp_path, said, written):
    """Its people have one income in common, whether the column is published or not."""
    rows = [f"P{n},H{n // 2},{20 + n * 7 % 40},{['poor', 'modest', 'rich'][n // 2 % 3]}" for n in range(48)]
    folder = tables(tmp_path / "m", {"1": ["Name,Household,Age,Income", *rows]})
    initialised(folder)
    file = folder / "microdata.toml"
    file.write_text(re.sub("quasi_identifiers = .*", 'quasi_identifiers = ["Age"]', file.read_text()))
    assert sum("belong together" in each.text for each in answered(folder, *[said] * 2)) == 1
    assert stated(folder)["columns"].get("unlinkable") == written
