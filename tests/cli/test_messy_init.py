"""A folder of messy files gets to its true verdict by `audit init` and `audit`, without a line written by hand."""

import csv
import io
import re
import tomllib

import numpy as np
import pytest

from audit.cli import init
from audit.init.questions import Question, yes_or_no
from audit.model.errors import UsageError
from tests.cli.test_messy_files import manifest as plain_manifest
from tests.cli.test_messy_files import tables, verdict
from tests.helpers.messy import KINDS, as_csv, write
from tests.helpers.running import agreed, done, drafted, read_audit, run_audit, run_main
from tests.mutants.mutant import kills

QUICK = ("--attack", "intersection", "--attack", "update-graph")


def initialized(folder, *words):
    """Run `audit init`, and return what it said as one line, and the manifest."""
    out = done("init", str(folder), *words)
    text = (folder / "series.toml").read_text(encoding="utf-8")
    manifest = tomllib.loads(text)
    listed = manifest.get("unconfirmed", {}).get("keys", [])
    assert all(any(f"{key}.".startswith(f"{each}.") for each in listed) for key in marked(text)), text
    return " ".join(out.split()), manifest


def marked(text):
    """The keys of a drafted manifest that a comment beside or below them marks as guesses."""
    table = key = ""
    for line in text.splitlines():
        if line.startswith("["):
            table = line.strip("[]")
        elif line and not line.startswith("#"):
            key = f"{table}.{line.split(' = ')[0]}"
        if "# guess: " in line:
            yield key


def confirmed(folder, *answers):
    """Run `audit init --confirm` with some answers, then as if every guess were right; return what it said."""
    left, shown = [*answers], init.ask_until_answered

    def ask(question):
        patch.setattr("sys.stdin", io.StringIO(f"{left.pop(0) if left else agreed(question)}\n"))
        return shown(question)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(init, "ask_until_answered", ask)
        code, out, err = run_main("init", str(folder), "--confirm")
    assert code == 0, err
    assert "unconfirmed" not in tomllib.loads((folder / "series.toml").read_text(encoding="utf-8"))
    return out, err


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    folder = tmp_path_factory.mktemp("plain")
    plain_manifest(folder, [KINDS["comma"](folder / "releases" / tag, rows) for tag, rows in tables()])
    return verdict(folder, *QUICK)


@kills("audit.io.dialect.guess_encoding", "return unmarked", "pass")
@kills("audit.io.dialect._MARKS", 'codecs.BOM_UTF32_LE: "utf-32"', 'codecs.BOM_UTF32_LE: "utf-16"')
@pytest.mark.many
@pytest.mark.parametrize("kind", KINDS)
def test_every_notation_from_init_to_verdict(tmp_path, kind, expected):
    for tag, rows in tables():
        KINDS[kind](tmp_path / "releases" / tag, rows)
    initialized(tmp_path)
    assert verdict(tmp_path, *QUICK)[0] == 3  # whether the ids were published is a guess
    confirmed(tmp_path)
    assert verdict(tmp_path, *QUICK) == expected


def test_all_at_once(tmp_path, expected):
    """Another header, another encoding, totals, spellings, and files that are none of it."""
    (_, first), (_, second) = tables()
    second[0] = ["Owner", "GroupID", "Age", "Zipcode", "Hauptdiagnose"]
    second[1] = [second[1][0].upper(), *second[1][1:4], f" {second[1][4].title()}"]
    for table in (first, second):
        table.append(["Summe", "", "", "", str(len(table) - 1)])
    write(tmp_path / "releases/1.csv", as_csv(first, ";").encode("latin-1"))
    write(tmp_path / "releases/2.csv", as_csv(second, "\t").encode("utf-16"))
    write(tmp_path / "releases/old.xls", "x")
    write(tmp_path / "notes.csv", "a,b\n1,2\n")
    said, manifest = initialized(tmp_path)
    assert manifest["columns"]["renamed"] == {"2": {"Hauptdiagnose": "Diagnose"}}
    assert manifest["columns"]["ignore_rows"] == {"Owner": ["Summe"]}
    assert manifest["columns"]["fold"] == ["Diagnose", "individual"]
    for line in (
        "releases/1.csv 12 rows, 5 columns; not UTF-8, read as cp1252",
        "releases/2.csv 12 rows, 5 columns; not UTF-8, read as utf-16",
        "releases/old.xls NOT USED: its name is not that of a table; save it as .csv or .xlsx",
        "notes.csv NOT USED: it is not in releases/",
        'columns.fold = ["Diagnose", "individual"] (cells that differ only in spelling are read as equal, such as',
    ):
        assert line in said
    confirmed(tmp_path)
    code, _, rows, found = verdict(tmp_path, *QUICK)
    assert (code, rows) == (expected[0], expected[2])
    numbers = [[(name, status, dict(measures)) for name, status, measures, _ in each]
               for each in (found, expected[3])]  # fmt: skip
    assert numbers[0] == numbers[1]


def test_that_a_column_has_another_name_is_a_guess_however_alike_the_cells(tmp_path):
    """Many columns have yes and no: whether someone smokes is not whether someone is ill."""
    for tag, name in (("1", "Raucher"), ("2", "Diabetes")):
        rows = [f"p{n};{20 + n};{'ja' if n % 3 else 'nein'}" for n in range(30)]
        write(tmp_path / f"releases/{tag}.csv", "\n".join([f"Patient;Alter;{name}", *rows]) + "\n")
    manifest = initialized(tmp_path)[1]
    assert manifest["columns"]["renamed"] == {"2": {"Diabetes": "Raucher"}}
    assert "columns.renamed" in manifest["unconfirmed"]["keys"]
    assert verdict(tmp_path, *QUICK)[0] == 3


def test_nothing_is_dropped_in_silence(tmp_path):
    """Every file of the folder, and every column, is named on the terminal."""
    for tag, rows in tables():
        KINDS["comma"](tmp_path / "releases" / tag, [[*row, f"x{n}"] for n, row in enumerate(rows)])
    for name in ("letter.docx", "old.xls", "releases/draft.txt", "hierarchies/colours.csv", "counterfeits/9.csv"):
        write(tmp_path / name, "a;b\n1;2\n")
    said, _ = initialized(tmp_path)
    for path in tmp_path.rglob("*.*"):
        if path.is_file() and path.name not in {"series.toml", ".gitignore"}:
            assert path.relative_to(tmp_path).as_posix() in said
    assert re.search(r"x0 quasi-identifier \d+ ", said)


def test_changing_values_are_drafted(tmp_path):
    rows = [[["a", "flu"], ["b", "cold"], ["c", "flu"], ["d", "unknown"]], [["a", "gout"], ["b", "cold"], ["c", "flu"]]]
    for tag, release in enumerate(rows, 1):
        table = [["Patient", "Age", "Disease"], *([who, "20-30", value] for who, value in release)]
        write(tmp_path / f"{tag}.csv", as_csv(table))
    said, manifest = initialized(tmp_path)
    assert "Wrote series.toml and transitions.csv" in said
    assert manifest["adversary"]["transitions"] == "transitions.csv"
    drafted = list(csv.reader(io.StringIO((tmp_path / "transitions.csv").read_text())))
    assert drafted[0] == ["from", "to"]  # they are published: how many people changed is not told
    assert ["flu", "gout"] in drafted
    assert ["cold", "cold"] in drafted
    assert ["cold", "gout"] not in drafted
    for value in ("cold", "gout", "flu"):  # a value that is not known may be any, before and after
        assert [value, "unknown"] in drafted
        assert ["unknown", value] in drafted
    assert 'adversary.transitions = "transitions.csv" (drafted from the keys or record ids; ' in said
    assert "Do not publish transitions.csv as it is: fewer than 3 people made some of the changes in it" in said
    _, result = read_audit(tmp_path)
    assert result["contradictions"] == {"changed": 0, "infeasible": 0}


@pytest.mark.parametrize("band", [["0-10", "10-20", "20-30"], ["under 10", "10 to 20", "over 20"], ["a", "b", "c"]])
def test_a_column_of_the_register_is_not_the_sensitive_one(tmp_path, band):
    """The adversary has it already; what the register lacks is what is protected, even if its cells are ranges."""
    draw = np.random.default_rng(1)
    who = [[f"P{n}", str(1940 + n % 50), "fm"[draw.integers(2)]] for n in range(60)]
    write(tmp_path / "people.csv", as_csv([["individual", "Born", "Sex"], *who]))
    for tag in "12":
        rows = [[f"{born[:3]}0-{born[:3]}9", sex, str(draw.choice(band))] for _, born, sex in who]
        write(tmp_path / f"releases/{tag}.csv", as_csv([["Born", "Sex", "Band"], *rows]))
    said, manifest = initialized(tmp_path)
    assert manifest["columns"]["sensitive"] == "Band"
    assert manifest["columns"]["quasi_identifiers"] == ["Born", "Sex"]
    assert "columns.sensitive" in manifest["unconfirmed"]["keys"] or "the only exact column" in said


@kills("audit.io.rules.spelling.Decimal.commas", '_THOUSANDS.sub("", text)', "text")
@pytest.mark.parametrize(("pay", "sign"), [("£12,570-£29,999", None), ("12,5-29,9", ","), ("£12,5-£29,999", ",")])
def test_three_digits_behind_each_comma_of_ranges_are_thousands(tmp_path, pay, sign):
    pays = ["under 12,570", pay, "50,271-99,999"]
    for tag in "12":
        rows = [[f"{20 + n % 3 * 10}-{29 + n % 3 * 10}", pays[n // 6 % 3]] for n in range(24)]
        write(tmp_path / f"{tag}.csv", as_csv([["Age band", "Income band"], *rows]))
    assert initialized(tmp_path)[1]["columns"].get("decimal") == sign


def people(*columns, rows=24):
    """A table of people with some columns, each the function of a row's number that tells a cell."""
    return [[name for name, _ in columns], *([cell(n) for _, cell in columns] for n in range(rows))]


ID = ("Patient", lambda n: f"P{n}")
AGE = ("Age", lambda n: f"{20 + n % 3 * 10}-{29 + n % 3 * 10}")
SEX = ("Sex", lambda n: "fm"[n % 2])
ILL = ("Diagnosis", lambda n: ["flu", "cold", "gout"][n // 6 % 3])


CENSUS = """\
Schuljahr,Bezirk,Klasse,Förderbedarf,Schüler
2021/22,Köln,Grundstufe,nein,40
2021/22,Köln,Grundstufe,ja,7
2021/22,Köln,Grundstufe,Gesamt,47
2021/22,Köln,Oberstufe,nein,30
2021/22,Köln,Oberstufe,ja,–
2021/22,Köln,Oberstufe,Gesamt,32
2022/23,Köln,Grundstufe,nein,41
2022/23,Köln,Grundstufe,ja,8
2022/23,Köln,Grundstufe,Gesamt,49
2022/23,Köln,Oberstufe,nein,33
2022/23,Köln,Oberstufe,ja,9
2022/23,Köln,Oberstufe,Gesamt,42
– = geheim gehalten,,,,
"""


def test_a_school_census_is_a_series_of_count_tables(tmp_path):
    """Its column Klasse holds school classes, and its column Schüler numbers of pupils."""
    (tmp_path / "a.csv").write_text(CENSUS, encoding="utf-8")
    _, found = initialized(tmp_path)
    assert found["series"]["kind"] == "tables"
    assert found["series"]["releases_by"] == "Schuljahr"
    assert found["table"]["value"] == "Schüler"
    code, out, _ = run_main(str(tmp_path))
    assert code == 1, out
    assert "Förderbedarf ja, release 2021/22: exactly 2" in out


@pytest.mark.many
@pytest.mark.parametrize(
    ("names", "releases"),
    [
        (("edad", "sexo"), [{"tag": "1", "tables": ["edad.csv", "sexo.csv"]}]),
        (("2024_edad", "2024_sexo"), [{"tag": "2024", "tables": ["2024_edad.csv", "2024_sexo.csv"]}]),
        (("tabla 1", "tabla 2"), [{"tag": "tabla", "tables": ["tabla 1.csv", "tabla 2.csv"]}]),
        (("2023_edad", "2024_sexo"), ["2023_edad.csv", "2024_sexo.csv"]),
    ],
)
@pytest.mark.parametrize(
    "words",
    [
        "Provincia;Edad;Sexo;casos;Ávila;Burgos;Total Nacional;Hombres;Mujeres;Ambos sexos",
        "Land;Alter;Geschlecht;Fälle;Bayern;Berlin;Deutschland;männlich;weiblich;Insgesamt",
        "Département;Âge;Sexe;Cas;Ain;Aisne;Ensemble;Femmes;Hommes;Ensemble",
        "area;age;sex;cases;East;West;England;Female;Male;All",
    ],
)
def test_tables_of_other_columns_are_one_release(tmp_path, names, releases, words):
    """The table by age shows the sum that the one by sex hides, and with it the hidden cell beside it."""
    area, age, sex, value, one, other, total, *sexes, both = words.split(";")
    by_age = [(one, "0-64", 9), (one, "65+", 5), (one, both, 14), (other, "0-64", 8), (other, "65+", 13),
              (other, both, 21), (total, "0-64", 17), (total, "65+", 18), (total, both, 35)]  # fmt: skip
    by_sex = [(one, sexes[0], "*"), (one, sexes[1], 12), (other, sexes[0], 10), (other, sexes[1], 11),
              (other, both, 21), (total, sexes[1], 23)]  # fmt: skip
    for name, own, rows in zip(names, (age, sex), (by_age, by_sex), strict=True):
        write(tmp_path / f"{name}.csv", as_csv([[area, own, value], *rows], ";"))
    _, found = initialized(tmp_path)
    assert found["series"]["releases"] == releases
    assert found["table"]["dimensions"] == [area, age, sex]
    assert "series.releases" in found["unconfirmed"]["keys"]
    code, out, _ = run_main(str(tmp_path))
    assert code == 3, out
    text = (tmp_path / "series.toml").read_text(encoding="utf-8")
    (tmp_path / "series.toml").write_text(text.split("[unconfirmed]")[0], encoding="utf-8")
    code, out, err = run_main(str(tmp_path))
    assert (code, "exactly 2" in out) == ((1, True) if len(releases) == 1 else (0, False)), out + err


def test_tables_that_cannot_be_read_together_are_refused(tmp_path):
    """They are no people; init says what to write."""
    rows = [("a", 12), ("b", "*"), ("Total", 15)]
    write(tmp_path / "1.csv", as_csv([["area", "cases"], *rows]))
    write(tmp_path / "2.csv", as_csv([["sex", "deaths"], *rows]))
    code, _, error = run_main("init", str(tmp_path), "--yes")
    assert (code, "give each a folder of its own, with a file for each release" in error) == (2, True)
    for name, year in (("1.csv", "31.12.2021"), ("2.csv", "31.12.2022")):
        write(tmp_path / name, as_csv([["area", year], *rows]))
    code, _, error = run_main("init", str(tmp_path), "--yes")
    assert (code, 'another name in each file: "31.12.2021", "31.12.2022"' in error) == (2, True)


@pytest.mark.parametrize("period", ["periodo", "Año", "Jahr", "année", "Berichtsjahr", "Trimestre", "year"])
def test_years_are_not_counts(tmp_path, period):
    rows = [(year, area, n) for year in (2022, 2023) for area, n in (("a", 12), ("b", "*"), ("Total", 15))]
    write(tmp_path / "1.csv", as_csv([[period, "area", "casos"], *rows]))
    _, found = initialized(tmp_path)
    assert (found["series"]["releases_by"], found["table"]["value"]) == (period, "casos")


def test_rows_of_pupils_in_groups_are_people(tmp_path):
    """The same column names, with one row for each pupil and a number: nothing is hidden, and no label is a total."""
    rows = (f"{2021 + n % 2}/{22 + n % 2},Köln,{n // 6},{('ja', 'nein')[n % 3 > 0]},{700 + n}" for n in range(24))
    text = "\n".join(["Schuljahr,Bezirk,Klasse,Förderbedarf,Schüler", *rows, ""])
    (tmp_path / "a.csv").write_text(text, encoding="utf-8")
    _, found = initialized(tmp_path)
    assert "kind" not in found["series"]


def test_people_are_not_count_tables(tmp_path):
    """Ages, exact in one release and in ranges in another, are not counts with markers."""
    exact = ("Age", lambda n: str(20 + n))
    for tag, age in (("1", exact), ("2", AGE)):
        for folder, columns in (("keyed", [ID, age, SEX, ILL]), ("keyless", [age, SEX, ILL])):
            write(tmp_path / folder / f"{tag}.csv", as_csv(people(*columns)))
    for folder in ("keyed", "keyless"):
        _, manifest = initialized(tmp_path / folder)
        assert manifest["series"].get("kind") is None
        assert manifest["columns"]["sensitive"] == "Diagnosis"


def test_exact_tables_are_judged_by_all_that_was_published(tmp_path):
    """If no column is generalized, nothing shows which of them others may know: the worst case is all of them."""
    codes = [(f"q{place}", lambda n, place=place: str(n // 4**place % 4)) for place in range(3)]
    write(tmp_path / "1.csv", as_csv(people(*codes, ILL, rows=64)))
    said, manifest = initialized(tmp_path)
    assert manifest["columns"]["quasi_identifiers"] == ["q0", "q1", "q2"]
    assert "published as it is, so others may know it: the worst case" in said
    text = (tmp_path / "series.toml").read_text(encoding="utf-8")
    assert run_audit(tmp_path)[0] == 3
    confirmed(tmp_path)
    assert run_audit(tmp_path)[0] == 1
    write(tmp_path / "exact/1.csv", as_csv(people(ID, ("Age", lambda n: str(n % 9)), *codes, ILL, rows=64)))
    assert run_main("init", "--microdata", str(tmp_path / "exact"))[0] == 0  # there, what is not named is not published
    drafted = tomllib.loads((tmp_path / "exact/microdata.toml").read_text(encoding="utf-8"))
    assert drafted["columns"]["quasi_identifiers"] == ["Age"]
    write(tmp_path / "series.toml", text.replace('"q0", "q1", "q2"', '"q0"'))
    code, result, _ = run_audit(tmp_path)
    assert code == 3
    assert any('have no role: "q1" and "q2"' in each["reason"] for each in result["policy"]["undecided"])


def taxed(folder, head, *, exact=("Zona", "Sexo")):
    """Declarants with birth years and incomes in bands; the incomes of one class are all alike."""
    bands = ["12.001 - 20.000 €", "20.001 - 30.000 €", "más de 60.000 €"]
    rows = [["Norte" if n % 2 else "Sur", ["1940-1959", "1960-1979"][n // 2 % 2], "HM"[n // 4 % 2],
             bands[2 if n % 8 == 0 else n % 3]] for n in range(96)]  # fmt: skip
    names = ["Zona", "Año de nacimiento", "Sexo", head]
    kept = [place for place, name in enumerate(names) if name in {*names[1::2], *exact}]
    for year in ("2020", "2021"):
        write(folder / f"{year}.csv", as_csv([[row[place] for place in kept] for row in (names, *rows)]))


@pytest.mark.many
@pytest.mark.parametrize(
    "head",
    ["Tramo de renta", "Renta", "Base imponible", "Cuota líquida", "Patrimonio", "Rendimientos netos", "Prestación",
     "Steuerklasse", "Vermögen", "Bruttolohn", "Sozialleistung", "Patrimoine", "Revenu imposable", "Allocation",
     "Tax band", "Wealth", "Housing benefits"],
)  # fmt: skip
def test_incomes_in_bands_are_sensitive(tmp_path, head):
    """Their bands look like the generalized cells of a quasi-identifier, and the zone as if it were sensitive."""
    taxed(tmp_path, head)
    assert initialized(tmp_path)[1]["columns"]["sensitive"] == head
    confirmed(tmp_path)
    assert run_audit(tmp_path)[0] == 1


@pytest.mark.parametrize("exact", [("Zona", "Sexo"), ("Sexo",), ("Zona",)])
def test_enter_does_not_confirm_a_sensitive_column_that_no_name_supports(tmp_path, exact):
    """Each column whose role is guessed is asked about, in bands or not, and one of them has to be sensitive."""
    taxed(tmp_path, "Tramo", exact=exact)
    _, manifest = initialized(tmp_path)
    assert manifest["columns"]["sensitive"] in exact
    assert {"columns.sensitive", "columns.quasi_identifiers"} <= {*manifest["unconfirmed"]["keys"]}
    with pytest.raises(AssertionError, match=r"columns\.sensitive"):
        confirmed(tmp_path, *[""] * (len(exact) + 1))
    _, said = confirmed(tmp_path, *["quasi_identifiers"] * (len(exact) + 1), "Tramo")
    assert all(f'What is the column "{name}"' in said for name in (*exact, "Tramo"))
    assert "By these answers no column is sensitive. Which of these" in said
    columns = tomllib.loads((tmp_path / "series.toml").read_text(encoding="utf-8"))["columns"]
    assert (columns["sensitive"], "Tramo" in columns["quasi_identifiers"]) == ("Tramo", False)
    assert run_audit(tmp_path)[0] == (1 if len(exact) == 2 else 0)


def test_answers_on_a_terminal(monkeypatch):
    question = Question("Which?", {"key": "yours", "record": "published", "neither": ""}, "key")

    def answered(*lines):
        monkeypatch.setattr("sys.stdin", io.StringIO("\n".join(lines) + ("\n" if lines else "")))
        return init.ask_until_answered(question)

    with pytest.raises(UsageError, match="there are fewer answers than"):
        answered()
    assert answered("") == "key"
    assert answered("2") == "record"
    assert answered("nei") == "neither"
    assert answered("what", "9", "RECORD") == "record"
    assert yes_or_no("Is it?").default == "no"


@pytest.mark.parametrize(
    ("head", "code"), [("zeile;id", 2), ("row;person", 2), ("row;individual", 0), ("individual;row", 0)]
)
def test_a_key_that_no_audit_could_read_is_refused_by_init(tmp_path, head, code):
    """What is wrong with a key is said when the series is described, in the words of the audit."""
    for tag, rows in tables():
        KINDS["comma"](tmp_path / "releases" / tag, rows)
    lines = [f"{at};p{at}" if head.startswith("row") else f"p{at};{at}" for at in range(3)]
    write(tmp_path / "private/1.key.csv", "\n".join([head, *lines, ""]))
    found, _, err = run_main("init", str(tmp_path), "--yes")
    assert found == code
    assert (tmp_path / "series.toml").exists() == (code == 0)
    what = {
        "zeile;id": ": the file has none of the columns that it should have; write a header line with these names",
        "row;person": ', column "individual": the column is not in the file',
    }
    assert not code or f"private/1.key.csv:1{what[head]}" in err
    assert len(err.splitlines()) == bool(code)


def test_people_of_a_tax_office_are_no_table_of_counts(tmp_path):
    """The year of birth is no count, although the last row has a total; and that row is no further person."""
    faiths = ["rk", "ev", "keine"]
    for year in (2021, 2022):
        lines = ["Steuer-ID;Familienstand;PLZ;Geburtsjahr;Einkünfte (in €);Religion"]
        lines += [
            f"{90000000000 + n};{['ledig', 'verw.'][n % 2]};101XX;{1940 + n % 5 * 10}er;1.{n:03},50;{faiths[n % 3]}"
            for n in range(60)
        ]
        lines += ["Summe;;;;61.800,00;", f"© Finanzamt, Stand: 31.12.{year}"]
        write(tmp_path / f"steuer_{year}.csv", "\r\n".join([*lines, ""]).encode("cp1252"))
    said, manifest = initialized(tmp_path)
    assert manifest["columns"]["sensitive"] in ("Religion", ["Religion"], "Einkünfte (in €)")
    assert manifest["columns"]["individual"] == "Steuer-ID"
    assert "Steuer-ID individual 60 " in said
    assert "Familienstand quasi-identifier 2 " in said


def test_a_school_census_in_one_file_has_a_release_for_each_term(tmp_path):
    rows = [
        [
            term,
            f"U{n:03}",
            ["girl", "boy"][n % 2],
            str(1 + n // 2 % 3),
            ["Autism", "None", "Speech", "None"][n // 6 % 4],
        ]
        for term in ("Autumn 2023", "Spring 2024")
        for n in range(48)
    ]
    write(tmp_path / "school.csv", as_csv([["census", "pupil id", "gender", "year group", "SEN type"], *rows]))
    _, manifest = initialized(tmp_path)
    assert manifest["series"]["releases_by"] == "census"
    assert (manifest["columns"]["individual"], manifest["columns"]["sensitive"]) == ("pupil id", "SEN type")
    code, out, _ = run_main(str(tmp_path))
    assert code == 3  # until the guesses are confirmed
    assert f"audit init {tmp_path} --confirm" in " ".join(out.split())
    assert "SERIES" not in out


def test_a_place_that_covers_others_is_a_category(tmp_path):
    """`Nordkreis` covers three of the places, and nothing covers all: what init writes of it can be read."""
    counts = {"Aurich": (60, 55), "Emden": (25, 30), "Leer": (41, 48), "Nordkreis": (126, 133)}
    counts |= {"Peine": (71, 80), "Celle": (33, 29), "Gifhorn": (52, 44), "Hameln": (19, 27)}
    lines = [
        f"{place},{sex},{count}"
        for place, (men, women) in counts.items()
        for sex, count in (("All", men + women), ("m", men), ("f", women))
    ]
    (tmp_path / "1.csv").write_text("\n".join(["Place,Sex,n", *lines, ""]))
    assert "categories.Place" in drafted(tmp_path)
    assert run_main(str(tmp_path))[0] == 3
