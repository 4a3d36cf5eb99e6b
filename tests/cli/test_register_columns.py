"""A register is found beside the releases and read, whatever it calls its own columns."""

import json

import pytest

from tests.cli.forms import edit
from tests.helpers.messy import as_csv, series_of, write
from tests.helpers.running import drafted, read_audit, refused, run_main
from tests.mutants.mutant import kills


def rolled(folder, head, lines):
    """Write two releases of ranges, and beside them a table."""
    for tag in ("2024-1", "2024-2"):
        rows = [[["20-39", "40-59"][n % 2], "mf"[n // 2 % 2], ["flu", "cold", "gout"][n % 3]] for n in range(24)]
        write(folder / f"{tag}.csv", as_csv([["Age", "Sex", "Disease"], *rows]))
    write(folder / "people.csv", as_csv([head, *lines]))
    return folder


@pytest.mark.parametrize("beside", [[], ["first one", "last one"]])
def test_a_register_is_known_whatever_its_columns_are_called(tmp_path, beside):
    """Who is who, and in which releases, is what the releases lack; the manifest says what the register calls it."""
    lines = [[f"V{n:03}", str(20 + n), "mf"[n % 2], *(["1", "2"] if beside else [])] for n in range(20)]
    folder = rolled(tmp_path, ["Versicherte", "Age", "Sex", *beside], lines)
    path = folder / "series.toml"
    text = drafted(folder)
    assert 'releases = ["2024-1.csv", "2024-2.csv"]' in text
    assert 'individual = "Versicherte"' in text.partition("[register]")[2]
    assert ('presence = "possible"' in text) == (not beside)
    assert ('last = "last one"' in text) == bool(beside)
    code, result = read_audit(folder)
    assert (code, result["adversary"]["kind"]) == (3, "register" if beside else "possible")
    assert "register.individual" in str(result["policy"]["undecided"])
    path.write_text(text.partition("[unconfirmed]")[0], encoding="utf-8")
    assert "guess" not in str(read_audit(folder)[1]["policy"])
    path.write_text(text.replace('"Versicherte"', '"Nobody"'), encoding="utf-8")
    assert 'people.csv:1, column "Nobody": the column is not in the file' in refused(str(folder))
    path.write_text(text.partition("[register]")[0], encoding="utf-8")
    assert 'column "individual": the column is not in the file' in refused(str(folder))


@kills("audit.init.found_files._names_people", "many and bool(times)", "False and bool(times)")
@kills("audit.io.background_knowledge.read_register", "problems.called = ", "_ = ")
@pytest.mark.parametrize("shared", ["Sex", "sex of the person"])
def test_a_person_of_a_register_may_have_a_line_for_each_release(tmp_path, shared):
    """Nobody is listed twice for a year; what the years are called is refused in the words of the file."""
    lines = [[f"V{n:03}", year, str(20 + n), "mf"[n % 2]] for n in range(20) for year in ("2024", "2025")]
    folder = rolled(tmp_path, ["Volume", "Tax year", "Age", shared], lines)
    text = drafted(folder)
    assert 'individual = "Volume"' in text.partition("[register]")[2]
    assert 'people.csv:2, column "Tax year": there is no such release' in refused(str(folder))


@kills("audit.adversary.view.build_evidence", "(_are_episodes(series) and ", "(False and ")
@pytest.mark.parametrize("quarter", ["2024-{n}", "Q{n}/2024"])
def test_a_register_may_have_a_line_for_each_stay(tmp_path, quarter):
    """Each patient has two stays in a quarter, with equal lines; rows that are stays do not use it, but read it."""
    lines = [[f"{n}", str(20 + n), "mf"[n % 2], quarter.format(n=at)] for n in range(24) for at in (1, 2)]
    folder = rolled(tmp_path, ["Patient no.", "Age", "Sex", "Quarter"], [*lines, *lines])
    path = folder / "series.toml"
    text = drafted(folder)
    assert 'individual = "Patient no."' in text.partition("[register]")[2]
    assert 'releases = ["2024-1.csv", "2024-2.csv"]' in text
    path.write_text(text.replace("[columns]", '[columns]\nrows = "episodes"').partition("[unconfirmed]")[0])
    wrong = "listed twice" if quarter == "2024-{n}" else 'column "Quarter": there is no such release'
    assert wrong in refused(str(folder))
    write(folder / "people.csv", as_csv([["Patient no.", "Age", "Sex", "Quarter"], *lines]))
    if quarter == "2024-{n}":
        assert "the register is not used" in str(read_audit(folder)[1]["warnings"])


@kills("audit.io.background_knowledge._releases_of", "not in (-1, at)", "not in (-1,)")
@pytest.mark.parametrize("tags", [["1", "2", "3"], ["2022", "2023", "2024"], ["1", "3", "4"], ["0", "1", "2"]])
def test_a_position_that_is_the_tag_of_another_release_is_refused(tmp_path, tags):
    """Where 3 is also the second file's name, nobody knows which of the two releases a register means."""
    rows = [["Age", "Disease"], *([["20-39", "40-59"][n % 2], ["flu", "cold"][n // 2 % 2]] for n in range(8))]
    columns = 'quasi_identifiers = ["Age"]\nsensitive = "Disease"\n'
    more = '[adversary]\nregister = "r.csv"\n[register]\nAge = "Age"\n'
    people = [["individual", "Age", "first", "last"], ["A", "25", "1", "2"], ["B", "45", "1", "3"]]
    folder = series_of(tmp_path, [], columns, more, r=people)
    for tag in tags:
        write(folder / f"{tag}.csv", as_csv(rows))
    edit(folder / "series.toml", "releases = []", f"releases = {json.dumps([f'{tag}.csv' for tag in tags])}")
    code, _, err = run_main(str(folder))
    is_refused = tags[-1] in ("4", "2")
    assert (code, "the position of one release, and the tag of another" in err) == (2 * is_refused, is_refused)


@pytest.mark.parametrize("other", ["Diagnosis", "Income"])
def test_a_release_with_a_column_of_another_name_is_no_register(tmp_path, other):
    lines = [["20-39", "m", ["flu", "cold"][n % 2] if other == "Diagnosis" else str(n * 37)] for n in range(24)]
    folder = rolled(tmp_path, ["Age", "Sex", other], lines)
    assert "[register]" not in drafted(folder)


def test_what_a_register_calls_its_columns_needs_a_register(tmp_path):
    more = '[register]\nfirst = "a"'
    folder = series_of(tmp_path, [[["Age", "Disease"], ["20", "flu"]]], 'sensitive = "Disease"', more)
    assert "`register`: it has no effect without a register" in refused(str(folder))


def judged_of(folder):
    result = read_audit(folder)[1]
    return [each["measures"] for each in result["attacks"]], result["warnings"], result["policy"]


def test_quasi_identifiers_of_a_register_may_have_other_names(tmp_path):
    """An audit says what a register lacks; what [register] names is judged as if it had the name."""
    lines = [[f"V{n:03}", str(20 + n), "mf"[n % 2]] for n in range(20)]
    folder = rolled(tmp_path, ["Elector", "Alter", "Sex"], lines)
    path = folder / "series.toml"
    text = drafted(folder).partition("[unconfirmed]")[0]
    path.write_text(text, encoding="utf-8")
    assert any('lacks the quasi-identifier "Age"' in each["text"] for each in read_audit(folder)[1]["warnings"])
    path.write_text(f'{text}Age = "Alter"\n', encoding="utf-8")
    named = judged_of(folder)
    write(folder / "people.csv", as_csv([["Elector", "Age", "Sex"], *lines]))
    path.write_text(text, encoding="utf-8")
    assert named == judged_of(folder)
    path.write_text(f'{text}Height = "Alter"\n', encoding="utf-8")
    assert "[register] has no such key" in refused(str(folder))


@pytest.mark.parametrize("person", ["voter_id", "individual"])
def test_a_register_may_name_columns_in_other_case(tmp_path, person):
    """The draft says what the register calls each, so an audit reads it as if the names were equal."""
    more = ["first", "last"] if person == "individual" else []
    lines = [[f"V{n:03}", str(20 + n), "mf"[n % 2], *(["1", "2"] if more else [])] for n in range(20)]
    found = []
    for head in (["Age", "Sex"], ["age", "SEX"]):
        folder = rolled(tmp_path / head[0], [person, *head, *more], lines)
        text = drafted(folder)
        assert 'releases = ["2024-1.csv", "2024-2.csv"]' in text
        assert ('Sex = "SEX"  # the names differ only in spelling' in text) == (head[0] == "age")
        found.append(judged_of(folder))
    assert found[0] == found[1]


@pytest.mark.parametrize("called", ["age", "Age.1", "Age (years)", "Age [note 1]", "Age*", "Age¹", "[Age]", "Âge"])
def test_a_register_that_spells_a_quasi_identifier_nearly_as_the_releases_is_refused(tmp_path, called):
    """Read as a register without the column, every age would fit each person."""
    lines = [[f"V{n:03}", str(20 + n), "mf"[n % 2], "1", "1"] for n in range(20)]
    rows = [["Age", "Sex", "Disease"], ["20-39", "f", "flu"], ["20-39", "m", "cold"]]
    columns = 'quasi_identifiers = ["Age", "Sex"]\nsensitive = "Disease"\n'
    people = [["individual", called, "Sex", "first", "last"], *lines]
    folder = series_of(tmp_path, [rows], columns, '[adversary]\nregister = "people.csv"', people=people)
    assert f'people.csv:1, column "Age": the column is spelled "{called}" here' in refused(str(folder))


@pytest.mark.parametrize(
    ("first", "last", "code"),
    [
        ("1", "2", 1),
        ("2023", "2024", 1),
        ("1", "3", 1),
        ("2023", "3", 1),
        ("3", "3", 3),
        ("1", "4", 2),
        ("2022", "2", 1),
        ("2019", "2022", 3),
        ("2025", "2030", 3),
        ("2024", "2023", 2),
        ("2022", "", 1),
        ("1", "", 1),
        ("2025", "", 3),
        ("", "2", 2),
        ("2021-05-01", "", 2),
    ],
)
def test_a_stay_is_told_by_positions_tags_or_years_and_may_reach_the_next_release(tmp_path, first, last, code):
    """Who is in the next release alone is in none of these two, which disclose the value of everybody in the north.

    So is who left in the year before them; a blank says that the person is still there.
    """
    for tag in ("2023", "2024"):
        rows = [["20-39", "N", "flu"]] * 2 + [["20-39", "S", "flu"], ["20-39", "S", "cold"]]
        write(tmp_path / f"releases/{tag}.csv", as_csv([["Age", "Area", "Disease"], *rows]))
    people = [["Bob", "25", "N", first, last]]
    write(tmp_path / "register.csv", as_csv([["individual", "Age", "Area", "first", "last"], *people]))
    columns = 'sensitive = "Disease"\nquasi_identifiers = ["Age", "Area"]\n'
    releases = 'releases = ["releases/2023.csv", "releases/2024.csv"]\n'
    adversary = '[adversary]\nregister = "register.csv"\n'
    write(tmp_path / "series.toml", f"[series]\n{releases}[columns]\n{columns}{adversary}")
    found, _, err = run_main(str(tmp_path), "--attack", "intersection", "--policy", "max_risk=1")
    assert found == code, err


REGISTERS = {
    "a line for each release": (["Schüler-Nr", "Jahr"], lambda n: [[f"S{n}", "2023"], [f"S{n}", "2024"]], True),
    "waves": (["pidp", "survey_wave"], lambda n: [[f"{n}", "2023"], [f"{n}", "2024"]], True),
    "other texts": (["Patient", "Jahr"], lambda n: [[f"P{n}", "23"], [f"P{n}", "24"]], False),
    "two lines of one person": (["Patient", "Note"], lambda n: [[f"P{n}", ""]] * (1 + (n == 7)), False),
}


@pytest.mark.many
@pytest.mark.parametrize("home", ["", "releases/"])
@pytest.mark.parametrize("kind", REGISTERS)
def test_a_register_with_several_lines_of_a_person_is_no_release(tmp_path, kind, home):
    """It was taken for one, with a postcode as the sensitive column, or left aside in silence."""
    head, lines_of, fits = REGISTERS[kind]
    for tag in ("2023", "2024"):
        rows = [[["20-39", "40-59"][n % 2], ["N", "S"][n // 2 % 2], ["flu", "cold"][n // 4 % 2]] for n in range(40)]
        write(tmp_path / f"{home}{tag}.csv", as_csv([["Age", "Area", "Disease"], *rows]))
    people = [[*line, ["25", "45"][n % 2], ["N", "S"][n // 2 % 2]] for n in range(40) for line in lines_of(n)]
    write(tmp_path / "liste.csv", as_csv([[*head, "Age", "Area"], *people]))
    out = " ".join(run_main("init", str(tmp_path), "--yes")[1].split())
    text = (tmp_path / "series.toml").read_text(encoding="utf-8")
    assert f'releases = ["{home}2023.csv", "{home}2024.csv"]' in text
    assert f'individual = "{head[0]}"' in text
    assert (f'release = "{head[1]}"  # guess' in text) == (head[1] != "Note")
    assert ("an audit refuses these files: liste.csv" in out) == (not fits)
    if fits:
        code, result = read_audit(tmp_path)
        assert (code, result["adversary"]["kind"]) == (3, "register")
    else:
        assert "liste.csv" in refused(str(tmp_path))


def test_a_roll_may_have_a_line_for_each_person_and_year(tmp_path):
    for tag in ("2023", "2024"):
        rows = [[f"{1950 + n % 4 * 10}-{1959 + n % 4 * 10}", ["flu", "cold"][n // 4 % 2]] for n in range(40)]
        write(tmp_path / f"{tag}.csv", as_csv([["Année de naissance", "Diagnostic"], *rows]))
    people = [[f"Nom{n}", f"{1 + n % 28:02}/03/{1950 + n}", year] for year in ("2023", "2024") for n in range(40)]
    write(tmp_path / "liste.csv", as_csv([["Nom", "Date de naissance", "Année"], *people]))
    text = drafted(tmp_path)
    assert 'individual = ["Nom", "Date de naissance"]' in text
    assert 'release = "Année"  # guess' in text
    assert 'presence = "possible"  # guess' in text
    code, result = read_audit(tmp_path)
    assert (code, result["adversary"]["kind"]) == (3, "possible")


def test_a_register_of_waves_shows_which_column_has_those_of_a_panel(tmp_path):
    """The two files were two releases, whose waves were the sensitive values."""
    people = [(f"P{n}", 20 + n // 2 % 4 * 10, "NS"[n % 2]) for n in range(48)]
    rows = [[wave, f"{age}-{age + 9}", area, "abc"[n % 3]] for wave in "12" for n, (_, age, area) in enumerate(people)]
    write(tmp_path / "panel.csv", as_csv([["Welle", "Alter", "Gebiet", "Diagnose"], *rows]))
    write(tmp_path / "x.csv", as_csv([["Person", "Welle", "Alter", "Gebiet"], *[[who, wave, *rest] for wave in "12"
                                     for who, *rest in people]]))  # fmt: skip
    text = drafted(tmp_path)
    assert all(line in text for line in ('releases_by = "Welle"  # guess', 'release = "Welle"  # guess'))
    code, result = read_audit(tmp_path)
    assert (code, result["adversary"]["kind"]) == (3, "register")


@kills("audit.pipeline.report_warnings._register_warnings", "if unsaid:", "if False:")
@kills(
    "audit.pipeline.report_warnings._register_warnings", "not in attacked.series.manifest.register_lacks", "not in ()"
)
@pytest.mark.many
@pytest.mark.parametrize("blank", [[], ["Area"], ["Age", "Area"]])
@pytest.mark.parametrize("said", [[], ["Age"], ["Area"], ["Age", "Area"]])
@pytest.mark.parametrize(
    ("person", "more"),
    [(["individual"], []), (["individual"], ["Born"]), (["Name", "Born"], []), (["Name", "Born"], ["Sex"])],
)
def test_a_quasi_identifier_that_a_register_lacks_leaves_the_policy_undecided(tmp_path, person, more, said, blank):
    """It may follow from any column, one that names a person included, unless the manifest says that it does not.

    A column without any value lacks as much as one that is not there.
    """
    rows = [[["20-39", "40-59"][n % 2], "NS"[n // 2 % 2], ["flu", "cold", "gout"][n % 3]] for n in range(36)]
    days = ["1.2.1980"] * (len([*person, *more]) - 1)
    people = [[*person, *more, *blank], *([f"V{n}", *days, *["NA"] * len(blank)] for n in range(40))]
    named = [f'individual = ["{person[0]}", "{person[1]}"]'] if len(person) > 1 else []
    series_of(
        tmp_path,
        [[["Age", "Area", "Disease"], *rows]],
        'sensitive = "Disease"\nquasi_identifiers = ["Age", "Area"]\nmissing = ["NA"]',
        "\n".join(
            ['[adversary]\nregister = "people.csv"\npresence = "possible"\n[register]', *named]
            + [f"{name} = false" for name in said]
        ),
        people=people,
    )
    code, result = read_audit(tmp_path)
    unsaid = [f'"{name}"' for name in ("Age", "Area") if name not in said]
    undecided = str(result["policy"]["undecided"])
    assert ("the register lacks" in undecided) == bool(unsaid)
    assert not unsaid or f"the register lacks {' and '.join(unsaid)}, which" in undecided
    assert code == (3 if unsaid else 0)
