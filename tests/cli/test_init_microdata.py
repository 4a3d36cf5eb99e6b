"""`audit init --microdata` on files as offices have them."""

import re

import pytest

from audit.io.microdata import open_microdata
from tests.helpers.running import refused, run_main

HEAD = "Steuernummer;Geburtsjahr;PLZ;Gesamtbetrag;Diagnose\n"


def office(folder):
    """Two snapshots with amounts as 9.028,64, postcodes, and a value that changes."""
    folder.mkdir()
    for year, last in (("2023", "Asthma"), ("2024", "Gicht")):
        rows = [
            f"A{n};{1950 + n};531{n % 3}1;{n + 1}.028,6{n % 10};{['Grippe', 'Asthma', 'Gicht'][n % 3]}"
            for n in range(20)
        ]
        (folder / f"{year}.csv").write_text(HEAD + "\n".join([*rows, f"B;1980;53121;110.680,13;{last}"]) + "\n")
    return folder


def test_amounts_postcodes_and_changes_are_understood_and_each_guess_is_marked(tmp_path):
    folder = office(tmp_path / "m")
    assert run_main("init", "--microdata", str(folder), "--yes")[::2] == (0, "")
    text = (folder / "microdata.toml").read_text()
    assert 'decimal = ","  # guess: numbers of "Gesamtbetrag" have decimal commas' in text
    assert 'codes = ["PLZ"]  # guess: ' in text
    assert "Gesamtbetrag = [1028.6, 110680.13]  # guess: the range found" in text
    for key in ("individual", "quasi_identifiers", "sensitive"):
        assert any(line.startswith(f"{key} = ") and "# guess: " in line for line in text.splitlines())
    assert 'transitions = "transitions.csv"' in text
    assert "Asthma,Gicht" in (folder / "transitions.csv").read_text().splitlines()
    assert open_microdata(folder).kinds["Gesamtbetrag"].value == "numeric"


def test_texts_with_points_between_thousands_are_published_as_they_are(tmp_path):
    folder = office(tmp_path / "m")
    for file in folder.glob("*.csv"):
        file.write_text(file.read_text().replace("Grippe", "10.000 bis 20.000"))
    run_main("init", "--microdata", str(folder), "--yes")
    words = ("--method", "l-diversity", "--l", "2", "--no-audit", "--output", str(tmp_path / "s"))
    assert run_main("anonymize", str(folder), *words)[0] == 0
    assert "10.000 bis 20.000" in (tmp_path / "s/releases/2023.csv").read_text()


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('transitions = "transitions.csv"', 'transitions = "any"', "methods need to know which value may follow which"),
        ('decimal = ","', 'decimal = ";"', "this is not a decimal sign"),
        ('sensitive = "Diagnose"', 'sensitive = ["Diagnose", "PLZ"]', "only one column of microdata can be sensitive"),
    ],
)
def test_what_microdata_cannot_say_is_refused(tmp_path, old, new, said):
    folder = office(tmp_path / "m")
    run_main("init", "--microdata", str(folder), "--yes")
    manifest = folder / "microdata.toml"
    manifest.write_text(manifest.read_text().replace(old, new))
    assert said in refused("plan", str(folder))


@pytest.mark.parametrize("code", ["en", "de", "fr", "es"])
def test_a_column_with_another_name_in_one_table_is_named_before_methods_refuse_it(code, tmp_path):
    folder = office(tmp_path / "m")
    (folder / "2022.csv").write_text((folder / "2023.csv").read_text())
    file = folder / "2024.csv"
    file.write_text(file.read_text().replace("PLZ", "PLZ-Gebiet"))
    out = " ".join(run_main("init", "--microdata", str(folder), "--yes", "--language", code)[1].split())
    assert re.search(r"2024\.csv .*\bPLZ\b.*\bPLZ-Gebiet\b.* microdata\.toml", out), out
    assert "microdata.toml" in run_main("plan", str(folder), "--language", code)[2] or code == "en"
