"""Panels and surveys: all waves in one file, microdata in snapshots/, changes of values that no line allows."""

import csv
import json

import pytest

from tests.helpers.running import read_audit, run_audit, run_main

WAVES = {
    "2019": [("a", "16-34", "none"), ("b", "16-34", "flu"), ("c", "35-54", "none"), ("d", "35-54", "gout")],
    "2020": [("a", "16-34", "none"), ("c", "16-34", "none"), ("d", "35-54", "gout"), ("b", "35-54", "flu")],
    "2021": [("d", "16-34", "gout"), ("b", "16-34", "flu"), ("c", "35-54", "none"), ("a", "35-54", "none")],
}
COLUMNS = """
[columns]
individual = "Person"
sensitive = "Illness"
quasi_identifiers = ["Age"]
"""


def one_file(folder, *, name="Year"):
    with (folder / "panel.csv").open("w", newline="") as file:
        rows = [(who, wave, *rest) for wave, some in WAVES.items() for who, *rest in some]
        csv.writer(file).writerows([("Person", name, "Age", "Illness"), *sorted(rows)])
    return folder


def several_files(folder):
    for wave, rows in WAVES.items():
        with (folder / f"{wave}.csv").open("w", newline="") as file:
            csv.writer(file).writerows([("Person", "Age", "Illness"), *sorted(rows)])
    return folder


def judged(folder, text):
    (folder / "series.toml").write_text(text)
    code, result = read_audit(folder)
    said = [(each["attack"], each["status"], each["measures"]) for each in result["attacks"]]
    return code, result["series"]["releases"], result["series"]["rows"], json.dumps(said), result["warnings"]


def test_waves_in_one_file_are_judged_as_files_of_their_own(tmp_path):
    (tmp_path / "one").mkdir()
    (tmp_path / "three").mkdir()
    role = 'unlinkable = { Year = "the release" }\n'
    by = '[series]\nname = "P"\nreleases = ["panel.csv"]\nreleases_by = "Year"\n'
    files = ", ".join(f'"{wave}.csv"' for wave in WAVES)
    one = judged(one_file(tmp_path / "one"), by + COLUMNS + role)
    three = judged(several_files(tmp_path / "three"), f'[series]\nname = "P"\nreleases = [{files}]\n' + COLUMNS)
    assert one[:4] == three[:4]
    assert [each["kind"] for each in one[4]] == ["unlinkable-column"], "no rows are ignored, and no file stands twice"


def test_the_column_of_releases_needs_a_role_too(tmp_path):
    by = '[series]\nreleases = ["panel.csv"]\nreleases_by = "Year"\n'
    code, _, _, _, _ = judged(one_file(tmp_path), by + COLUMNS)
    assert code in {1, 3}
    _, out, _ = run_main(str(tmp_path))
    assert 'the published column "Year" has no role' in " ".join(out.split())


@pytest.mark.parametrize(("name", "found"), [("Year", True), ("Welle", True), ("Income", False)])
def test_init_finds_the_column_of_waves(name, found, tmp_path):
    code, _, err = run_main("init", "--yes", str(one_file(tmp_path, name=name)))
    assert (code, err) == (0, "")
    text = (tmp_path / "series.toml").read_text()
    assert (f'releases_by = "{name}"' in text) == found
    assert ('"series.releases_by"' in text) == found, "it is a guess"
    if found:
        assert run_audit(tmp_path)[1]["series"]["releases"] == list(WAVES)


def test_empty_cells_of_the_column_are_refused(tmp_path):
    one_file(tmp_path)
    (tmp_path / "panel.csv").write_text((tmp_path / "panel.csv").read_text().replace("a,2020", "a,"))
    (tmp_path / "series.toml").write_text('[series]\nreleases = ["panel.csv"]\nreleases_by = "Year"\n' + COLUMNS)
    code, _, err = run_main(str(tmp_path))
    assert (code, "series.toml:3: `releases_by`" in err, "empty cells" in err) == (2, True, True)


def test_microdata_may_lie_in_snapshots(tmp_path):
    (tmp_path / "snapshots").mkdir()
    several_files(tmp_path / "snapshots")
    code, _, err = run_main("init", "--microdata", "--yes", str(tmp_path))
    assert (code, err) == (0, "")
    text = (tmp_path / "microdata.toml").read_text()
    assert all(f'"snapshots/{wave}.csv"' in text for wave in WAVES)


LINES = "from,to\nnone,none\nflu,flu\ngout,gout\n"


@pytest.mark.parametrize("known", [True, False], ids=["listed", "no line has gout"])
@pytest.mark.parametrize("more", ["", "none,gout\n"])
def test_missing_changes_are_named_before_anything_is_attacked(more, known, tmp_path):
    several_files(tmp_path)
    (tmp_path / "2020.csv").write_text((tmp_path / "2020.csv").read_text().replace("c,16-34,none", "c,16-34,gout"))
    (tmp_path / "2021.csv").write_text((tmp_path / "2021.csv").read_text().replace("c,35-54,none", "c,35-54,gout"))
    (tmp_path / "t.csv").write_text((LINES if known or more else LINES.replace("gout,gout\n", "")) + more)
    files = ", ".join(f'"{wave}.csv"' for wave in WAVES)
    text = f'[series]\nreleases = [{files}]\n{COLUMNS}[adversary]\ntransitions = "t.csv"\n'
    (tmp_path / "series.toml").write_text(text)
    code, _, err = run_main(str(tmp_path))
    if more:
        assert code in {0, 1, 3}
    else:
        assert code == 2
        assert "changes that the key shows are not listed: none -> gout (1 time, first in release 2020)" in err


def test_ids_remain_the_same_where_init_made_a_key(tmp_path):
    several_files(tmp_path)
    assert run_main("init", "--yes", str(tmp_path))[0] == 0
    assert (tmp_path / "private" / "finding.key").stat().st_mode & 0o077 == 0
    first, second = (
        {each["id"] for attack in run_audit(tmp_path)[1]["attacks"] for each in attack["findings"]} for _ in range(2)
    )
    assert first
    assert first == second
    (tmp_path / "private" / "finding.key").unlink()
    drawn = {each["id"] for attack in run_audit(tmp_path)[1]["attacks"] for each in attack["findings"]}
    assert len(drawn) == len(first)
    assert drawn.isdisjoint(first)


@pytest.mark.parametrize("stays", [False, True])
def test_init_takes_a_register_without_stays_for_one_of_people_who_may_be_there(stays, tmp_path):
    for tag in "12":
        rows = [("20-39", "Nord", "flu"), ("20-39", "Nord", "gout"), ("40-59", "Ost", "flu"), ("40-59", "Ost", "none")]
        with (tmp_path / f"2024-{tag}.csv").open("w", newline="") as file:
            csv.writer(file).writerows([("Age", "Town", "Disease"), *rows])
    with (tmp_path / "roll.csv").open("w", newline="") as file:
        lines = [(f"p{age}", age, town, *([1, 2] if stays else [])) for age, town in ((25, "Nord"), (45, "Ost"))]
        more = ["first", "last"] if stays else []
        csv.writer(file).writerows([("individual", "Age", "Town", *more), *lines])
    code, _, err = run_main("init", "--yes", str(tmp_path))
    assert (code, err) == (0, "")
    text = (tmp_path / "series.toml").read_text()
    assert 'register = "roll.csv"' in text
    assert ('presence = "possible"' in text) == (not stays)
    assert run_audit(tmp_path)[1]["adversary"]["kind"] == ("register" if stays else "possible")
