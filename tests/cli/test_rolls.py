"""A roll of people beside releases, as offices have it: names, days of birth, other words, totals at the end."""

import random
import tomllib
from itertools import compress

import pytest

from audit.init.confirmation import confirmed as init_confirmed
from tests.cli.test_confirm import confirm
from tests.helpers.messy import as_csv, series_of, write
from tests.helpers.running import agreed, asks, drafted, printed, read_audit, refused, run_audit, run_main
from tests.mutants.mutant import kills

FORMS = {
    "fr": {
        "columns": ["Année de naissance", "Sexe", "Code postal", "Diagnostic", "Durée"],
        "roll": ["Nom", "Prénom", "Date de naissance", "Sexe", "Code postal"],
        "people": ["Nom", "Prénom", "Date de naissance"],
        "sexes": [("F", "F"), ("H", "H")],
        "day": "{:02}/{:02}/{}",
        "kind": "day/month/year",
        "total": "Total",
        "postal": "75***",
        "birth": ("Année de naissance", "Date de naissance"),
    },
    "en": {
        "columns": ["Year of birth", "Sex", "Postcode", "Diagnosis", "Length of stay"],
        "roll": ["Elector number", "Name", "DOB", "Sex", "Postcode"],
        "people": "Elector number",
        "sexes": [("F", "F"), ("M", "M")],
        "day": "{:02}/{:02}/{}",
        "kind": "day/month/year",
        "total": "All",
        "postal": "75***",
        "birth": ("Year of birth", "DOB"),
    },
    "de": {
        "columns": ["Geburtsjahr", "Geschlecht", "PLZ", "Hauptdiagnose", "Dauer"],
        "roll": ["Nachname", "Vorname", "Geburtsdatum", "Geschlecht", "PLZ"],
        "people": ["Nachname", "Vorname", "Geburtsdatum"],
        "sexes": [("w", "w"), ("m", "m")],
        "day": "{:02}.{:02}.{}",
        "kind": "date",
        "total": "Insgesamt",
        "postal": "75***",
        "birth": ("Geburtsjahr", "Geburtsdatum"),
    },
}


def rolled(folder, language, short=False):
    """Write two releases with a total below, and a roll of more people, and return the form."""
    form, draw = FORMS[language], random.Random(7)  # noqa: S311
    people = [
        (draw.randint(1940, 1989), draw.randint(1, 12), draw.randint(1, 28), draw.randint(0, 1), f"750{n % 20:02}")
        for n in range(120)
    ]
    for tag, last in (("soins 2023", 60), ("soins 2024", 80)):
        rows = [
            [
                f"{year // 10 * 10}-{year // 10 * 10 + 9}",
                form["sexes"][sex][0],
                form["postal"],
                ["flu", "cold", "gout"][draw.randrange(3)],
                str(draw.randint(1, 30)),
            ]
            for year, _, _, sex, _ in people[:last]
        ]
        rows.append([form["total"], "", "", "", "1250"])
        write(folder / f"{tag}.csv", as_csv([form["columns"], *rows], delimiter=";"))
    lines = []
    for n, (year, month, day, sex, code) in enumerate(people):
        first = f"E{n:04}" if language == "en" else f"Nom{n % 50}"
        born = form["day"].format(day, month, f"{year % 100:02}" if short else year)
        lines.append([first, f"Prénom{n % 7}-{n}", born, form["sexes"][sex][1], code])
    write(folder / "liste.csv", as_csv([form["roll"], *lines], delimiter=";"))
    return form


def confirmed(path):
    """Take all guesses for right, but not that a person has several rows."""
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    text = "".join(line for line in lines if not line.startswith("rows = "))
    write(path, text.partition("[unconfirmed]")[0])
    return text


@pytest.mark.parametrize("key", ["adversary.presence", "adversary.register"])
def test_a_guessed_roll_decides_nothing_until_it_is_confirmed(tmp_path, key):
    """Asked, and denied: the key stays a guess, and the clauses on values stay undecided."""
    rolled(tmp_path, "en")
    assert run_main("init", str(tmp_path), "--yes")[0] == 0
    path = tmp_path / "series.toml"
    asked = []

    def answer(question):
        asked.append(question.text)
        return "no" if f" {key} = " in question.text else agreed(question)

    text = init_confirmed(tmp_path, path.read_text(encoding="utf-8"), answer)
    assert any(f" {key} = " in each for each in asked)
    # Counting tells more where the register lists everybody, which is asked and said.
    assert any("if it lists everybody who can be in the data" in each for each in asked)
    out = printed(str(tmp_path))[1]
    assert "as may others whom it does not list" in out
    assert " people in the register, " in out
    assert f'keys = ["{key}"]' in text
    assert text.count(f"{key.partition('.')[2]} = ") == 1
    write(path, text)
    code, result, _ = run_audit(tmp_path)
    assert code != 0
    undecided = {each["measure"] for each in result["policy"]["undecided"] if key in each["reason"]}
    assert "max_risk" in undecided


@pytest.mark.parametrize("language", FORMS)
def test_a_roll_of_names_is_a_register_in_every_language(tmp_path, language):
    """It is no release; its names are no sensitive values; its days and words are read as the releases' are."""
    form = rolled(tmp_path, language)
    code, out, _ = run_main("init", str(tmp_path), "--yes")
    assert code == 0
    text = confirmed(tmp_path / "series.toml")
    assert 'releases = ["soins 2023.csv", "soins 2024.csv"]' in text
    assert f'sensitive = "{form["columns"][3]}"' in text
    assert 'presence = "possible"' in text
    ours, theirs = form["birth"]
    quoted = f'"{ours}"' if " " in ours else ours
    assert f'{quoted} = "{theirs}"' in text.partition("[register]")[2]
    assert f'types.{quoted} = "{form["kind"]}"' in text
    assert f'ignore_rows.{quoted} = ["{form["total"]}"]' in text
    assert form["total"] in out
    code, result = read_audit(tmp_path)
    assert (result["adversary"]["kind"], result["series"]["rows"]) == ("possible", 140)
    assert "fits 0 of the 120" not in str(result)
    assert "0 people fit no row" in str(result["warnings"])


def test_a_roll_may_list_occupations(tmp_path):
    """An occupation sounds sensitive, but a table with names and days of birth beside others is a roll all the same."""
    form = rolled(tmp_path, "fr")
    for path in tmp_path.glob("*.csv"):
        head, *lines = path.read_text(encoding="utf-8").splitlines()
        jobs = [f"{line};{'Cadre' if place % 2 else 'Ouvrier'}" for place, line in enumerate(lines)]
        write(path, "\n".join([f"{head};Profession", *jobs, ""]))
    assert run_main("init", str(tmp_path), "--yes")[0] == 0
    text = confirmed(tmp_path / "series.toml")
    assert 'register = "liste.csv"' in text
    assert f'sensitive = "{form["columns"][3]}"' in text


@pytest.mark.parametrize("language", ["fr", "de"])
def test_years_of_two_digits_are_read_as_stated_and_never_as_texts(tmp_path, language):
    """A roll with two digits of each year is judged as one with four; without a century it is refused."""
    judged = []
    for short in (False, True):
        folder = tmp_path / str(short)
        rolled(folder, language, short)
        run_main("init", str(folder), "--yes")
        path = folder / "series.toml"
        text = confirmed(path)
        if short:
            assert "years_from = 1926 under [register] of series.toml" in refused(str(folder))
            write(path, text.replace("[register]", "[register]\nyears_from = 1926"))
        result = read_audit(folder)[1]
        judged.append([each["measures"] for each in result["attacks"]])
    assert judged[0] == judged[1]


@pytest.mark.parametrize("language", FORMS)
def test_days_beside_ranges_of_years_are_refused_with_the_line_to_add(tmp_path, language):
    form = rolled(tmp_path, language)
    run_main("init", str(tmp_path), "--yes")
    path = tmp_path / "series.toml"
    text = confirmed(path)
    kept = [line for line in text.partition("[unconfirmed]")[0].splitlines() if not line.startswith("types.")]
    write(path, "\n".join(kept))
    ours = form["birth"][0]
    quoted = f'"{ours}"' if " " in ours else ours
    said = refused(str(tmp_path))
    line = f'types = {{ {quoted} = "{form["kind"]}" }}'
    assert f"{line} under [columns] of series.toml" in said
    write(path, "\n".join(kept).replace("[columns]", f"[columns]\n{line}"))
    assert run_main(str(tmp_path))[0] in (0, 1, 3)


def test_several_columns_name_a_person_only_where_people_may_be_in_the_data(tmp_path):
    rolled(tmp_path, "fr")
    run_main("init", str(tmp_path), "--yes")
    path = tmp_path / "series.toml"
    text = confirmed(path).partition("[unconfirmed]")[0]
    write(path, "\n".join(line for line in text.splitlines() if "presence" not in line))
    assert "several columns name a person only in a register of people who may be in the data" in refused(str(tmp_path))
    write(path, text.replace('["Nom", "Prénom", "Date de naissance"]', '["Nom"]'))
    assert "this person is also in line" in refused(str(tmp_path))
    write(path, text.replace("[register]", "[register]\nyears_from = 26"))
    assert "this has to be a year" in refused(str(tmp_path))


@pytest.mark.parametrize("word", ["Total", "Ensemble", "Insgesamt", "Gesamt", "All", "Alle Personen", "Toutes"])
def test_a_total_below_a_table_of_people_is_set_aside(tmp_path, word):
    """Whatever the word: the other cells of the row are blank, and no row of a person is like this."""
    head = ["Année de naissance", "Sexe", "Code postal", "Durée"]
    draw = random.Random(3)  # noqa: S311
    rows = [
        [draw.choice(["1950-1959", "1960-1969"]), draw.choice("FM"), draw.choice(["75***", "92***"]), str(n % 29)]
        for n in range(60)
    ]
    for tag in ("2023", "2024"):
        write(tmp_path / f"{tag}.csv", as_csv([head, *rows, [word, "", "", "1250"]], delimiter=";"))
    text = drafted(tmp_path)
    assert f'ignore_rows."Année de naissance" = ["{word}"]' in text
    assert "columns.ignore_rows" in text.partition("[unconfirmed]")[2]
    assert read_audit(tmp_path)[1]["series"]["rows"] == 120


def test_a_last_person_is_no_total(tmp_path):
    """A blank cell, or a value that no other row has, does not make a person a total."""
    head = ["Année de naissance", "Sexe", "Code postal", "Diagnostic"]
    rows = [["1950-1959", "FM"[n % 2], "75***", ["flu", "cold"][n // 2 % 2]] for n in range(40)]
    people = [["1950-1959", "F", "75***", "gout"], ["1940-1949", "", "75***", "flu"], ["1940-1949", "F", "", "gout"]]
    for place, last in enumerate(people):
        folder = tmp_path / f"{place}"
        for tag in ("2023", "2024"):
            write(folder / f"{tag}.csv", as_csv([head, *rows, last]))
        assert "ignore_rows" not in drafted(folder)


def test_names_of_people_are_never_sensitive(tmp_path):
    """Where a release publishes names, another column is the sensitive one."""
    rows = [[f"Nom{n}", f"{n % 5}0-{n % 5}9", ["x", "y", "z"][n % 3]] for n in range(40)]
    for tag in ("2023", "2024"):
        write(tmp_path / f"{tag}.csv", as_csv([["Nom de famille", "Âge", "Groupe sanguin"], *rows]))
    assert 'sensitive = "Groupe sanguin"' in drafted(tmp_path)


def test_words_of_a_register_are_those_of_its_crosswalk(tmp_path):
    """Without one, `audit init` and the audit name the file to write."""
    rolled(tmp_path, "fr")
    roll = tmp_path / "liste.csv"
    write(roll, roll.read_text(encoding="utf-8").replace(";H;", ";M;"))
    out = run_main("init", str(tmp_path), "--yes")[1]
    path = tmp_path / "series.toml"
    text = confirmed(path).partition("[unconfirmed]")[0]
    write(path, text)
    for said in (" ".join(out.split()), refused(str(tmp_path))):
        assert 'crosswalk = { Sexe = "crosswalk.csv" } under [columns]' in said
    write(tmp_path / "crosswalk.csv", "release,from,to\nregister,M,H\n")
    write(path, text.replace("[columns]", '[columns]\ncrosswalk.Sexe = "crosswalk.csv"'))
    assert run_main(str(tmp_path))[0] in (0, 1, 3)


@kills("audit.io.release_reading.ReleaseReading._group", "[*bounds, *self.renamed.values()]", "bounds", case="[key]")
@kills("audit.io.release_reading.ReleaseReading._classes", "name in self.renamed and", "False and", case="[groups]")
@kills(
    "audit.judgement.published_rows.ReleaseRows.group_of_row",
    ", *(codes for codes, _ in release.renamed.values())",
    "",
    case="[key and groups]",
)
@pytest.mark.parametrize("known", ["key", "key and groups", "groups", "published", "possible", "present"])
def test_what_a_crosswalk_makes_equal_is_matched_alike_and_stays_apart_in_the_release(known, tmp_path):
    """Both of the North have HIV. The classes North and South were one, in which four had three values (exit 0)."""
    has, with_key, grouped = {"a": "HIV", "b": "HIV", "c": "flu", "d": "asthma"}, "key" in known, "groups" in known
    used = [with_key, grouped, True, True]
    tables = [[[*compress(["Case", "G", "Area", "Value"], used)]] for _ in range(2)]
    for table, people, areas in zip(tables, ("abcd", "acdb"), ("NNSS", ["NS"] * 4), strict=True):  # two change places
        rows = zip(people, areas, map(has.get, people), strict=True)
        table += [[*compress([*row[:1], "g", *row[1:]], used)] for row in rows]
    columns = 'sensitive = "Value"\nquasi_identifiers = ["Area"]\ncrosswalk.Area = "walk.csv"\n'
    columns += 'individual = "Case"\n' * with_key + 'group = "G"\n' * grouped
    columns += 'rows = "people"\n' if known in {"groups", "published"} else ""
    with_register = known in {"possible", "present"}
    more = '[adversary]\nregister = "roll.csv"\n' if with_register else ""
    more += 'presence = "possible"\n' if known == "possible" else ""
    roll = "individual,Area,first,last\n" + "".join(f"{person},NS,1,2\n" for person in "abcd")
    walk = "release,from,to\n1,N,NS\n1,S,NS\n"
    code, report = read_audit(series_of(tmp_path, tables, columns, more, roll=roll, walk=walk))
    assert (code, report["series"]["groups"]) == (1, 2 if grouped else 3)
    if with_register:  # a person of the new area may be in either class
        assert not report["attacks"][0]["findings"]


@pytest.mark.parametrize(("men", "first", "code"), [("M", "H", 3), ("M", "M", 3), ("H", "H", 1)])
def test_other_words_of_a_register_are_asked_about_though_they_are_said_to_be_exact(men, first, code, tmp_path):
    """Men in both releases have gout. `spelled` takes `M` of the roll for another sex than `H`: no man fits a row."""
    tables = [
        f"Sex,Diagnosis\nF,flu\nF,cold\n{word},gout\n{word},{other}\n"
        for word, other in ((first, "flu"), ("H", "cold"))
    ]
    columns = 'sensitive = "Diagnosis"\nquasi_identifiers = ["Sex"]\nspelled = ["Sex"]\n'
    more = '[adversary]\nregister = "roll.csv"\npresence = "possible"\n'
    roll = f"individual,Sex\na,F\nb,F\nc,{men}\n"
    found, out = printed(str(series_of(tmp_path, tables, columns, more, roll=roll)))
    assert (found, 'different texts in "Sex"' in out) == (code, men == "M")


@kills("audit.io.unread_cells.other_words", "for text in unknown_among(it - own)", "for text in ()")
@pytest.mark.parametrize("spelled", ['spelled = ["Sex"]', ""])
@pytest.mark.parametrize("word", ["NSP", "unknown", "X"])
def test_a_text_that_says_that_a_value_is_not_known_fits_people_of_a_register(word, spelled, tmp_path):
    """Two did not say. If `NSP` fits nobody, w is one of two women, and has gout for certain (exit 1 before)."""
    tables = [
        [["Sex", "Diagnosis"], ["M", "flu"], ["M", "cold"], ["F", "gout"], ["F", last], [word, "flu"], [word, "cold"]]
        for last in ("flu", "cold")
    ]
    columns, known = 'sensitive = "Diagnosis"\nquasi_identifiers = ["Sex"]\n', "individual,Sex,first,last\nw,F,1,2\n"
    for more, code in ((spelled, 1 if word == "X" else 3), (f'missing = ["{word}"]', 0)):
        adversary = '\n[adversary]\nregister = "register.csv"'
        folder = series_of(tmp_path, tables, columns + more, adversary, register=known)
        assert asks(folder, "fit nobody of the register") == code
        assert "guess" not in printed(str(folder))[1]


@kills("audit.judgement.doubts.unfitting_doubts", "texts[lacking[0]] * expected >= _EXPECTED_ROWS", "True")
@kills("audit.judgement.doubts.unfitting_doubts", "and not attribute.spelled", "")
@pytest.mark.parametrize(("word", "times", "asked"), [("Any", 10, True), ("W9", 1, False), ("Ward 2", 10, False)])
def test_a_text_that_nobody_of_a_register_has_unlike_all_others_is_asked_about(word, times, asked, tmp_path):
    """`Any` was a ward in which nobody lives, so that the others' values looked certain; a small ward may be one."""
    wards = [f"Ward {n}" for n in range(4) for _ in range(5)]
    table = [["Ward", "Illness"], *([each, "ab"[n % 2]] for n, each in enumerate([*wards, *[word] * times]))]
    people = [["individual", "Ward", "first", "last"], *([f"p{n}", ward, "1", "1"] for n, ward in enumerate(wards))]
    columns = 'sensitive = "Illness"\nquasi_identifiers = ["Ward"]\n'
    for more, found in (("", asked), ('missing = ["Any"]', False), ('spelled = ["Ward"]', False)):
        adversary = '[adversary]\nregister = "register.csv"'
        _, out = printed(str(series_of(tmp_path, [table], columns + more, adversary, register=people)))
        assert ('nobody of the register has one text of "Ward" (1.csv:22)' in out) == found


@pytest.mark.many
@pytest.mark.parametrize("name", ["age", "Tranche d'âge", "Edad", "NC year group", "Klassenstufe", "Jahrgang"])
@pytest.mark.parametrize("tags", [("2024",), ("2024", "2025")])
def test_that_nobody_in_a_roll_grows_older_is_asked(tmp_path, name, tags):
    ages = [30 + n % 10 for n in range(120)]
    for tag in tags:
        rows = [[str(age), "8001", ["flu", "cold", "gout"][n % 3]] for n, age in enumerate(ages[:100])]
        write(tmp_path / f"{tag}.csv", as_csv([[name, "zip", "disease"], *rows]))
    people = [[f"E{n:04}", str(age), "8001"] for n, age in enumerate(ages)]
    write(tmp_path / "roll.csv", as_csv([["Elector number", name, "zip"], *people]))
    run_main("init", str(tmp_path), "--yes")
    path, asked = tmp_path / "series.toml", []

    def answer(question):
        asked.append("the same in every release" in question.text)
        return "no" if asked[-1] else agreed(question)

    write(path, init_confirmed(tmp_path, path.read_text(encoding="utf-8"), answer))
    assert any(asked) == (name != "Jahrgang" and len(tags) > 1)
    assert (run_audit(tmp_path)[0] == 3) == any(asked)


@pytest.mark.parametrize(
    ("name", "tags", "line", "code"),
    [
        ("Age", ("2024", "2025"), "", 3),
        ("Klassenstufe", ("Herbst_2024", "Herbst_2025"), "", 3),
        ("Age", ("2024", "2025"), 'Age = "Age"', 0),  # it stays the same
        ("Age", ("2024Q1", "2024Q2"), "", 0),
        ("Ward", ("2024", "2025"), "", 0),
    ],
)
def test_what_grows_with_time_is_not_the_same_in_releases_of_several_years(tmp_path, name, tags, line, code):
    """Also of a manifest that nobody was asked about: people were looked for in the class of another year."""
    for tag in tags:
        write(
            tmp_path / f"{tag}.csv",
            as_csv([[name, "Disease"], *([str(n % 2 + 5), "ab"[n // 2 % 2]] for n in range(8))]),
        )
    write(tmp_path / "roll.csv", as_csv([["individual", name], *([f"P{n}", str(n % 2 + 5)] for n in range(9))]))
    files = ", ".join(f'"{tag}.csv"' for tag in tags)
    write(tmp_path / "series.toml", f'[series]\nreleases = [{files}]\n[columns]\nsensitive = "Disease"\n'
          f'quasi_identifiers = ["{name}"]\n[adversary]\nregister = "roll.csv"\npresence = "possible"\n'
          f'[register]\nindividual = "individual"\n{line}\n')  # fmt: skip
    found, out, _ = run_main(str(tmp_path))
    assert (found, "grows with time" in " ".join(out.split())) == (code, code == 3)


def left_out(folder, head=("Ward", "Age", "Disease"), key=False):
    """Write three releases, the last with its own header, a key for each if so, and return what `audit init` writes."""
    for tag in (2021, 2022, 2023):
        names = ["Ward", "Age", "Disease"] if tag < 2023 else head
        rows = [
            ["A", f"{low}-{low + 9}", DISEASES[n % 3], *["x"] * (len(names) - 3)] for low in (20, 30) for n in range(12)
        ]
        write(folder / f"taxes_{tag}.csv", as_csv([names, *rows]))
        if key:
            people = [["row", "individual"], *([str(n), str(n * 7919 % 1009)] for n in range(24))]
            write(folder / f"private/taxes_{tag}.key.csv", as_csv(people))
    code, _, err = run_main("init", str(folder))
    assert code == 0, err
    return (folder / "series.toml").read_text(encoding="utf-8")


DISEASES = ["flu", "cold", "gout"]


def test_a_table_named_like_the_releases_makes_their_list_a_guess(tmp_path):
    """A table of another name raises no question."""
    text = left_out(tmp_path, head=("Status", "Cause", "Height", "Weight", "Ward"))
    assert 'releases = ["taxes_2021.csv", "taxes_2022.csv"]  # guess: tables that are named like' in text
    _, _, err, text = confirm(tmp_path, more=20)
    assert "series.releases = " in err
    assert '"series.releases"' in text
    (tmp_path / "taxes_2023.csv").rename(tmp_path / "wards.csv")
    (tmp_path / "series.toml").unlink()
    assert "series.releases" not in drafted(tmp_path)


@kills("audit.io.irregularities._unlisted", " or _is_like_a_release(path, series)", "")
@pytest.mark.parametrize("key", [True, False])
def test_a_key_of_a_table_that_is_no_release_leaves_the_policy_undecided(tmp_path, key):
    left_out(tmp_path, key=key)
    manifest = tmp_path / "series.toml"
    text = manifest.read_text(encoding="utf-8").partition("[unconfirmed]")[0]
    manifest.write_text(text.replace(', "taxes_2023.csv"', ""), encoding="utf-8")
    code, result = read_audit(tmp_path)
    assert code == 3, result["policy"]
    reasons = " ".join(str(each["reason"]) for each in result["policy"]["clauses"])
    assert "a table beside the releases (taxes_2023.csv) has their columns, or a key in private/" in reasons


def test_most_tables_are_never_left_out_for_the_columns_of_one(tmp_path):
    """Two releases have three columns each, and the last one many others."""
    text = left_out(tmp_path, head=tuple(f"column {n}" for n in range(9)))
    assert '"taxes_2021.csv", "taxes_2022.csv"' in text
    assert '"taxes_2021.csv"' not in text.partition("not used")[2]


def test_a_roll_beside_others_is_a_guess_that_names_them(tmp_path):
    rolled(tmp_path, "en")
    [roll] = [path for path in tmp_path.glob("*.csv") if "Elector number" in path.read_text(encoding="utf-8")]
    (tmp_path / "roll 2022.csv").write_bytes(roll.read_bytes())
    text = drafted(tmp_path)
    assert "# guess: others list people, too: " in text
    assert '"adversary.register"' in text


@pytest.mark.parametrize("name", ["register.csv", "staff list 2024.csv"])
@pytest.mark.parametrize("home", ["", "releases"])
def test_a_register_among_the_private_files_is_read(tmp_path, name, home):
    """The folder was passed over: the audit knew of no register, and its exit was 0. Ages name no person."""
    for tag, step in ("1", 10), ("2", 8):
        rows = [[f"{n // step * step}-{n // step * step + step - 1}", "abc"[n % 3]] for n in range(24)]
        write(tmp_path / home / f"{tag}.csv", as_csv([["Age", "Disease"], *rows]))
    write(tmp_path / "private" / name, as_csv([["Staff", "Age"], *([f"P{n}", n] for n in range(24))]))
    write(tmp_path / "private" / "notes.csv", as_csv([["Disease", "Code"], *([each, each.upper()] for each in "abc")]))
    out = " ".join(run_main("init", str(tmp_path), "--yes")[1].split())
    document = tomllib.loads((tmp_path / "series.toml").read_text(encoding="utf-8"))
    assert document["adversary"]["register"] == f"private/{name}"
    assert document["register"]["individual"] == "Staff"
    assert "private/notes.csv NOT USED: nothing is read under this name there" in out
    assert run_audit(tmp_path)[0] == 3


@kills("audit.init.found_files._find_register", "0 < len(same)", "False < len(same) < 0")
def test_a_register_of_each_year_becomes_one_with_a_column_of_years(tmp_path):
    """P000 moved away after 2021, when the class of P000 had one value; the rolls were taken for releases."""
    people = [[f"P{n:03}", 1940 + n, "FM"[n % 2]] for n in range(60)]
    there = {2021: people[:40], 2022: people[8:48], 2023: people[16:56]}
    lines = [[pid, year, born, sex] for year, own in there.items() for pid, born, sex in own]
    for year, own in there.items():
        rows = [[f"{born // 8 * 8}-{born // 8 * 8 + 7}", sex] for _, born, sex in own]
        values = [
            [*row, "flu" if n < 8 and year == 2021 else ("flu", "cold")[n // 2 % 2]] for n, row in enumerate(rows)
        ]
        write(tmp_path / f"care_{year}.csv", as_csv([["born", "sex", "diagnosis"], *values]))
        write(tmp_path / f"roll_{year}.csv", as_csv([["pid", "born", "sex"], *own]))
    assert run_main("init", str(tmp_path), "--yes")[0] == 0
    text = (tmp_path / "series.toml").read_text(encoding="utf-8")
    assert 'releases = ["care_2021.csv", "care_2022.csv", "care_2023.csv"]' in text
    assert 'in a column "release" (care_2021, care_2022 and care_2023)' in text
    write(tmp_path / "roll_2023.csv", as_csv([["pid", "release", "born", "sex"], *lines]))
    confirmed(tmp_path / "series.toml")
    for path in tmp_path.glob("roll_202[12].csv"):
        path.unlink()
    code, result = read_audit(tmp_path, "--reveal", "--findings", "all")
    found = {each["individual"] for attack in result["attacks"] for each in attack["findings"] if "individual" in each}
    assert (code, result["series"]["individuals"]) == (1, 56)
    assert any(each.startswith("P000 ") for each in found)
