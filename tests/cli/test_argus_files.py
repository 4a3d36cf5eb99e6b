"""Tables of tau-Argus: `.tab` with `.rda` and `.hrc`, read as they are."""

import io
import tomllib

import pytest

from tests.cli.test_count_table_doubts import verdict
from tests.helpers.public_tables import confirm
from tests.helpers.running import drafted, run_main

COUNTS = {
    ("1", "2"): 20, ("1", "4"): 3, ("2", "2"): 30, ("2", "4"): 25,
    ("3", "2"): 14, ("3", "4"): 19, ("4", "2"): 22, ("4", "4"): 18,
}  # fmt: skip
REGIONS = {"Total": "1234", "Nr": "12", "Zd": "34", " 1": "1", " 2": "2", " 3": "3", " 4": "4"}
HIERARCHY = "Nr\n@ 1\n@ 2\nZd\n@ 3\n@ 4"
REGION = '    <HIERARCHICAL>\n    <HIERCODELIST> "REGION.HRC"\n    <HIERLEADSTRING> "@"\n'
HIDDEN = {("1", "4"): "U"}
ALL_HIDDEN = {("1", "4"): "U", ("1", "2"): "M", ("2", "4"): "M", ("2", "2"): "M"}


def metadata(region=REGION, more="", signs='   <SAFE> "S"\n   <UNSAFE> "U"\n   <PROTECT> "P"\n'):
    return (
        f'   <SEPARATOR> ";"\n{signs}Size "9"\n    <RECODEABLE>\n    <TOTCODE> "Total"\nRegion "99"\n    <RECODEABLE>\n'
        f'    <TOTCODE> "Total"\n{region}FreqVar\n    <FREQUENCY>\n{more}StatusVar\n    <STATUS>\n'
    )


def rows(hidden, *, shown=False, more="", regions=REGIONS, signs="SUM"):
    """A line for each size and region; what is hidden has no number, unless it is shown beside its status."""
    for size in ("Total", "2", "4"):
        for region, inside in regions.items():
            n = sum(v for (r, s), v in COUNTS.items() if r in inside and size in (s, "Total"))
            status = hidden.get((region.strip(), size))
            letter = signs[0] if status is None else signs[1] if status == "U" else signs[2]
            yield f'"{size}";"{region}";{n if status is None or shown else ""};{more}{letter}\n'


def table(folder, lines, rda=None, hierarchy=HIERARCHY):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "t.tab").write_text("".join(lines), encoding="utf-8")
    (folder / "t.rda").write_text(metadata() if rda is None else rda, encoding="utf-8")
    if hierarchy:
        (folder / "region.hrc").write_text(hierarchy, encoding="utf-8")
    return folder


def settled(folder):
    """What `init` guesses, and the verdict, reasons and findings after it is confirmed."""
    manifest = tomllib.loads(drafted(folder))
    keys = manifest.get("unconfirmed", {}).get("keys", [])
    assert verdict(folder)[0] in (1, 3)
    confirm(folder)
    return manifest["table"], keys, verdict(folder)


def test_nested_codes_tie_a_part_to_those_around_it(tmp_path):
    """The parts of Nr are hidden but one; without the hierarchy nothing ties them to Nr."""
    hidden = {("1", "4"): "U", ("1", "2"): "M", ("1", "Total"): "M"}
    _, _, (code, _, found) = settled(table(tmp_path / "nested", rows(hidden)))
    assert code == 1
    assert {each["cell"].get("Region"): each["lower"] for each in found if each["cell"].get("Size") == "4"} == {"1": 3}


def test_numbers_beside_an_unsafe_status_are_asked_about(tmp_path):
    folder = table(tmp_path / "t", rows(ALL_HIDDEN, shown=True))
    manifest, keys, (code, why, _) = settled(folder)
    assert manifest["status_hides"] is True
    assert keys == ["table.status_hides", "table.markers.U", "policy.min_count"]
    assert (code, why) == (0, "[]")
    path = folder / "series.toml"
    path.write_text(path.read_text(encoding="utf-8").replace("status_hides = true", ""), encoding="utf-8")
    code, _, found = verdict(folder)
    assert code == 1  # published as they are, the numbers are known
    assert [each["lower"] for each in found if each["cell"] == {"Size": "4", "Region": "1"}] == [3]


def test_magnitudes_are_named_and_what_tau_argus_notes_for_itself_is_asked_about(tmp_path):
    more = "Turnover\n    <NUMERIC>\n    <DECIMALS> 2\nFreqCost\n    <NUMERIC> <COSTVAR>\nTop1\n    <MAXSCORE>\n"
    folder = table(tmp_path / "t", rows(ALL_HIDDEN, more="12,50;1;8,00;"), metadata(more=more))
    _, keys, (code, why, _) = settled(folder)
    assert keys[0] == "table.not_counts"
    assert code == 3
    assert '"Turnover", "Top1"' in why.replace("\\", "")
    path = folder / "series.toml"
    text = path.read_text(encoding="utf-8").replace('["FreqCost"]', '["FreqCost", "Turnover", "Top1"]')
    path.write_text(text, encoding="utf-8")
    assert verdict(folder)[:2] == (0, "[]")


@pytest.mark.parametrize(
    ("lines", "rda", "hierarchy", "said"),
    [
        (['"2";"1";5;S\n'], "", HIERARCHY, "names 0 columns"),
        (['"2";"1";5\n'], None, HIERARCHY, "line 1 has 3 cells, but t.rda names 4 columns"),
        (['"2";"1";5;Q\n'], None, HIERARCHY, "line 1 has a status that t.rda does not name"),
        (['"2";"1";5;S\n'], "Size 1 2\n  <WEIGHT>\n", HIERARCHY, "t.rda:2 has a keyword that is unknown"),
        (['"2";"1";5;S\n'], None, "Nr\n@@ 1\n", "line 2 has a code that cannot be placed: the code above it"),
        (['"2";"1";5;S\n'], None, "Nr\n@ 1\nZd\n@ 1\n", "line 4 has a code that cannot be placed: it is already"),
        (['"2";"1";5;S\n'], None, None, "put all files of tau-Argus beside it"),
        (['"2";"1";5,5;S\n'], metadata().replace("<FREQUENCY>", "<NUMERIC>"), HIERARCHY, "none is a <FREQUENCY>"),
    ],
)
def test_what_is_not_understood_is_refused_in_one_line(lines, rda, hierarchy, said, tmp_path):
    folder = table(tmp_path / "t", lines, rda, hierarchy)
    code, out, error = run_main("init", str(folder), "--yes")
    assert code == 2
    assert said in out + error
    assert not (folder / "series.toml").exists()


def test_a_table_without_its_metadata_is_refused(tmp_path):
    folder = table(tmp_path / "t", rows(HIDDEN))
    (folder / "t.rda").unlink()
    code, out, error = run_main("init", str(folder), "--yes")
    assert code == 2
    assert "t.rda beside it, which is missing" in out + error


def test_a_guess_that_is_true_or_false_is_asked_with_its_reason(tmp_path, monkeypatch):
    assert run_main("init", str(table(tmp_path, rows(ALL_HIDDEN, shown=True))), "--yes")[0] == 0
    monkeypatch.setattr("sys.stdin", io.StringIO("yes\n" * 9))
    code, _, err = run_main("init", str(tmp_path), "--confirm")
    assert code == 0, err
    asked = " ".join(err.split())
    assert "series.toml says table.status_hides = true. The file has the numbers of 4 cells" in asked
    assert "[unconfirmed]" not in (tmp_path / "series.toml").read_text(encoding="utf-8")
