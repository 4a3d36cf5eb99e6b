"""`audit next`: a release not yet published, judged beside the series so far."""

import json
import random
import re
import shutil
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from attacks.intersection import IntersectionAttack
from audit.io.series import open_series
from tests.cli.forms import EXAMPLES, FORMS, append, column, edit, private_texts, snapshot
from tests.helpers.amount import some
from tests.helpers.messy import as_csv, write
from tests.helpers.results import timeless
from tests.helpers.running import run_main
from tests.helpers.tiny import Row, TinySeries
from tests.mutants.mutant import kills

ONE = ("--attack", "intersection")


def held_back(name: str, folder: Path, last: str = "2") -> tuple[Path, Path]:
    """A worked example without its last release, and that release beside it."""
    FORMS[name](folder / "series")
    series, candidate = folder / "series", folder / f"{last}.csv"
    shutil.move(series / "releases" / f"{last}.csv", candidate)
    edit(series / "series.toml", f', "releases/{last}.csv"', "")
    return series, candidate


def split(series: TinySeries, folder: Path, **form: str) -> tuple[Path, Path]:
    """A tiny series on disk without its last release, and that release beside it, with its key, if in a file."""
    folder.mkdir(exist_ok=True)
    path = series.write(folder / "series", **form)
    last = len(series.releases)
    candidate = folder / f"{last}.csv"
    shutil.move(path / "releases" / f"{last}.csv", candidate)
    key = path / "private" / f"{last}.key.csv"
    if key.exists():
        shutil.move(key, folder / key.name)
    edit(path / "series.toml", f', "releases/{last}.csv"', "")
    return path, candidate


def foretold(series: Path, *words: object) -> tuple[int, dict]:
    code, out, err = run_main("next", str(series), *map(str, words), "--format", "json", "--findings", "all")
    assert err == "", err
    return code, json.loads(out)


def attack(result: dict, name: str) -> dict:
    [entry] = [entry for entry in result["attacks"] if entry["attack"] == name]
    return entry


def test_a_page_with_what_follows_from_a_candidate_stays_inside(tmp_path):
    """Once a repair is published, nobody may learn from the page what the file before it would have disclosed."""
    words = "next", *map(str, held_back("hospital-l-diverse", tmp_path)), "--format", "html"
    assert '<body class="inside">' in run_main(*words)[1]
    assert '<body class="shareable">' in run_main(*words, "--findings", "0")[1]


# -- the papers' examples -----------------------------------------------------------------------------------------


def test_what_was_found_before_is_told_apart(tmp_path):
    """Ann is found by the first two releases already, Carl by the third."""
    ann, bob, carl = Row("Ann", "1", "flu"), Row("Bob", "1", "cold"), Row("Carl", "2", "flu")
    dora, emil = Row("Dora", "2", "gout"), Row("Emil", "1", "mumps")
    third = [replace(carl, group="7"), replace(emil, group="7"), replace(ann, group="8"), Row("Fritz", "8", "flu")]
    series, candidate = split(TinySeries([[ann, bob, carl, dora], [ann, emil], third]), tmp_path)
    code, result = foretold(series, candidate, *ONE, "--reveal")
    assert code == 1
    assert not result["before"]["policy"]["passed"]
    found = attack(result, "intersection")
    assert found["found_before"] == 1
    assert attack(result["before"], "intersection")["findings_total"] == 1
    told = {finding["individual"]: finding["cause"] for finding in found["new_findings"]}
    assert told == {
        "Carl": {"releases": ["1"], "least": True, "rows": [{"group": "7", "lines": [2, 3]}]},
        "Fritz": {"releases": [], "least": True, "rows": [{"group": "8", "lines": [4, 5]}]},
    }
    _, out, _ = run_main("next", str(series), str(candidate), *ONE)
    assert "Without the candidate the policy was violated already (max_risk)." in out
    assert "New findings of intersection (2 of 3, about 2 people)" in out
    assert "cause: group 8, lines 4-5 of the candidate alone" in out
    assert "No candidate can undo what the earlier releases disclose." in out
    append(series / "series.toml", '\n[unconfirmed]\nkeys = ["columns.sensitive"]\n')
    _, out, _ = run_main("next", str(series), str(candidate), *ONE)
    assert "found without it, too: 1" in out
    assert "nothing was found" not in out
    assert "not violated, but not everything was decided" in out


# -- against the definition -----------------------------------------------------------------------------------------


def seeded(seed: int) -> random.Random:
    return random.Random(seed)  # noqa: S311 - no secret is drawn


def naive(releases: Iterable[Iterable[Row]]) -> set[str]:
    """Who has one candidate left, by definition."""
    left: dict[str, set[str]] = {}
    for release in releases:
        for row in release:
            values = {other.value for other in release if other.group == row.group}
            if row.individual is not None and not row.individual.startswith("~"):
                left[row.individual] = left.get(row.individual, values) & values
    return {person for person, values in left.items() if len(values) == 1}


def drawn(rng: random.Random) -> TinySeries:
    """Three releases of some of nine people, and a counterfeit here and there; values never change."""
    people = {f"p{number}": rng.choice("abc") for number in range(9)}
    releases = []
    for _ in range(3):
        there = rng.sample(sorted(people), rng.randint(5, 7))
        rows = [Row(person, str(rng.randint(1, 3)), people[person]) for person in there]
        rows += [Row(None, str(rng.randint(1, 3)), rng.choice("abc")) for _ in range(rng.randint(0, 2))]
        releases.append(rng.sample(rows, len(rows)))
    return TinySeries(releases)


@pytest.mark.parametrize("seed", range(some(25)))
def test_what_is_new_is_what_the_definition_says(seed, tmp_path):
    tiny = drawn(seeded(seed))
    *so_far, _ = tiny.releases
    old = naive(so_far)
    series, candidate = split(tiny, tmp_path, key="files" if seed % 2 else "column")
    _, result = foretold(series, candidate, *ONE, "--reveal")
    new = {finding["individual"] for finding in attack(result, "intersection")["new_findings"]}
    assert new == naive(tiny.releases) - old


# -- every form of a series ----------------------------------------------------------------------------------------


@pytest.mark.many
@pytest.mark.parametrize("form", sorted(FORMS))
def test_every_form_is_judged_as_if_it_were_published(form, tmp_path):
    """Its last release as the candidate gives the verdict and the measures of the whole series."""
    series = tmp_path / "series"
    FORMS[form](series)
    manifest = series / "series.toml"
    if not (series / "releases").is_dir():
        pytest.skip("this is microdata")
    text = re.sub(r'\n\[counterfeits\]\n("[0-9]+" = .*\n)+', "", manifest.read_text(encoding="utf-8"))
    manifest.write_text(text, encoding="utf-8")
    applies = "inference-table" if 'record = "' in text else "update-graph"
    keyed = "individual" in text or any((series / "private").glob("*.key.csv"))
    if not keyed and "register" not in text:
        applies = "correspondence"  # nobody knows who is in which release: the adversary `published`
    words = ("--attack", applies)
    code, out, err = run_main(str(series), *words, "--format", "json")
    assert err == ""
    whole = json.loads(out)
    last = open_series(series).manifest.releases[-1]
    candidate = [path for path in (last.rows, last.values) if path is not None]
    for path in candidate:
        shutil.move(path, tmp_path)
    key = series / "private" / f"{last.tag}.key.csv"
    if key.exists():
        shutil.move(key, tmp_path)
    pattern = r', (\{ rows = )?"releases/' + re.escape(last.tag) + r'\.[^"]*"(, values = "[^"]*" \})?'
    manifest.write_text(re.sub(pattern, "", text), encoding="utf-8")
    before = snapshot(series)
    got, result = foretold(series, *(tmp_path / path.name for path in candidate), *words)
    assert got == code
    assert result["policy"]["violations"] == whole["policy"]["violations"]
    assert [entry["measures"] for entry in result["attacks"]] == [entry["measures"] for entry in whole["attacks"]]
    assert snapshot(series) == before


def four(folder, values, columns="", *, head="Group,Value,Case", keyed="ABCD"):
    """Return a series of four people in one group with its last release, beside it and in it."""
    for tag, name, held in (("1", head if "Krank" not in head else "Group,Value,Case", "wxyz"), ("2", head, values)):
        rows = "".join(
            f"1,{value},c{place if columns.startswith('record') else ''}\n" for place, value in enumerate(held)
        )
        write(folder / "whole" / f"{tag}.csv", f"{name}\n{rows}")
        lines = [f"{place},{who}\n" for place, who in enumerate("ABCD") if tag == "1" or who in keyed]
        write(folder / "whole/private" / f"{tag}.key.csv", "row,individual\n" + "".join(lines))
    text = f'[series]\nreleases = ["1.csv", "2.csv"]\n[columns]\ngroup = "Group"\nsensitive = "Value"\n{columns}\n'
    write(folder / "whole/series.toml", text)
    shutil.copytree(folder / "whole", folder / "series")
    write(folder / "series/series.toml", text.replace(', "2.csv"', ""))
    shutil.move(folder / "series/2.csv", folder)
    return folder / "series", folder / "2.csv", folder / "whole"


@pytest.mark.parametrize("keyed", ["ABCD", "AB"])
@pytest.mark.parametrize("values", ["wxyz", "wwww"])
def test_an_incomplete_key_follows_people_through_fewer_releases(values, keyed, tmp_path):
    """By record ids, people of whom some rows are not listed may be several records."""
    series, candidate, whole = four(tmp_path, values, 'record = "Case"', keyed=keyed)
    code, result = foretold(series, candidate)
    report = json.loads(run_main(str(whole), "--format", "json")[1])
    assert [entry["attack"] for entry in result["attacks"]] == [entry["attack"] for entry in report["attacks"]]
    assert result["policy"]["clauses"] == report["policy"]["clauses"]
    assert (code == 1) == (values == "wwww")


# -- keys, secrecy, and what may not be touched -------------------------------------------------------------------


@pytest.mark.parametrize("form", ["text", "json"])
def test_nobody_is_named(form, tmp_path):
    series, candidate = held_back("hospital-l-diverse", tmp_path)
    shutil.copy(candidate, series / "releases")  # only so that its people are looked for as well
    names = private_texts(series) | set(column(candidate, "Age")) | set(column(candidate, "Zipcode"))
    for words in ([], ["--output", str(tmp_path / "report")]):
        _, out, err = run_main("next", str(series), str(candidate), "--format", form, *words)
        told = timeless(out + err + (tmp_path / "report").read_text(encoding="utf-8") if words else out + err)
        assert "person-000001" in told
        assert not {name for name in names if name in told}
    _, out, _ = run_main("next", str(series), str(candidate), "--format", form, "--reveal")
    assert "David" in out


# -- bad input ----------------------------------------------------------------------------------------------------


def refused(said: str, *words: object) -> None:
    code, out, err = run_main("next", *map(str, words))
    assert (code, out) == (2, "")
    assert said in err, err
    assert "Traceback" not in err
    assert all(line.startswith("audit: ") for line in err.splitlines())
    assert not {name for name in ("Bob", "David", "Alice") if name in err}


def test_invalid_candidates_are_refused(tmp_path):
    series, candidate = held_back("hospital-l-diverse", tmp_path)
    before = snapshot(series)
    refused("nobody.csv: there is no such file", series, tmp_path / "nobody.csv")
    refused("not a table", series, tmp_path / "notes.txt")
    refused('a release is already called "1"', series, shutil.copy(candidate, tmp_path / "1.csv"))
    refused("this file is in the series already", series, series / "releases" / "1.csv")
    (tmp_path / "link.csv").symlink_to(series / "releases" / "1.csv")
    refused("this file is in the series already", series, tmp_path / "link.csv")
    (tmp_path / "folder.csv").mkdir()
    refused("this is a folder", series, tmp_path / "folder.csv")
    refused("single tables", series, candidate, candidate)
    refused("name one or two", series, candidate, candidate, candidate)
    refused("no such file", tmp_path / "nowhere", candidate)
    refused("CANDIDATE", series)
    refused("this file is one of the inputs", series, candidate, "--format", "text", "--output", candidate)
    assert snapshot(series) == before


def test_keys_of_the_candidate_that_are_wrong(tmp_path):
    series, candidate = split(drawn(seeded(5)), tmp_path, key="files")
    key = tmp_path / "3.key.csv"
    whole = key.read_text(encoding="utf-8")
    key.unlink()
    refused(f"there is no key for this release, though others have one; write {key}", series, candidate)
    key.write_text(whole + "99,Bob\n", encoding="utf-8")
    refused("3.key.csv", series, candidate)
    key.unlink()
    key.mkdir()
    refused("this is a folder", series, candidate)


@kills(
    "audit.judgement.selection.certain_values",
    "(evidence.attribute(value) or result.sensitive, (instead or {}).get(name, name), evidence.values[value])",
    '(result.sensitive, (instead or {}).get(name, name), "")',
)
def test_what_is_certain_of_another_attribute_is_new(tmp_path):
    """Of everybody the disease was certain before; with the candidate, the job is, by both attributes together."""
    rows = {"1": "ann,1,flu,x bob,1,flu,y cy,2,gas,y di,2,gas,x", "2": "ann,1,flu,x cy,1,gas,y bob,2,flu,y di,2,gas,x"}
    (tmp_path / "series").mkdir()
    for tag, lines in rows.items():
        text = "\n".join(["Who,Group,Disease,Job", *lines.split()]) + "\n"
        (tmp_path / ("series" if tag == "1" else "") / f"{tag}.csv").write_text(text, encoding="utf-8")
    columns = 'individual = "Who"\ngroup = "Group"\nquasi_identifiers = []\nsensitive = ["Disease", "Job"]'
    manifest = f'[series]\nname = "s"\nreleases = ["1.csv"]\n[columns]\n{columns}\n[policy]\nmin_e = 1\n'
    (tmp_path / "series" / "series.toml").write_text(manifest, encoding="utf-8")
    code, result = foretold(tmp_path / "series", tmp_path / "2.csv", "--attack", "joint", "--reveal")
    new = {
        (one["attribute"], one["individual"], one["value"])
        for each in result["attacks"]
        for one in each["new_findings"]
    }
    assert (code, new) == (1, {("Job", "ann", "x"), ("Job", "bob", "y"), ("Job", "cy", "y"), ("Job", "di", "x")})
    told = run_main("next", str(tmp_path / "series"), str(tmp_path / "2.csv"))[1]
    assert "looks for a change after which it adds nothing" in " ".join(told.split())


def test_time_that_runs_out(tmp_path):
    series, candidate = held_back("hospital-l-diverse", tmp_path)
    code, result = foretold(series, candidate, *ONE, "--time-limit", "0.000000001")
    assert code in (1, 3)
    assert attack(result, "intersection")["status"] == "incomplete"


def test_the_sheet_says_what_to_do_where_nothing_else_follows(tmp_path):
    """Only the candidate discloses something, and no change of it is known to help."""
    rows = [[Row("A", "1", "a"), Row("B", "1", "b")], [Row("C", "2", "c"), Row("D", "2", "c")]]
    series, candidate = split(TinySeries(rows), tmp_path, key="nowhere")
    out = run_main("next", str(series), str(candidate))[1]
    assert "What to do\n  - Do not publish release 2 if it is not out yet" in out


def test_the_sheet_names_the_file_that_is_decided_on(tmp_path):
    """A signature is bound to the bytes of the candidate, of people and of tables."""
    series, candidate = held_back("hospital-l-diverse", tmp_path)
    shutil.copytree(EXAMPLES.parent / "count_table_examples/tables-year-to-date", tmp_path / "tables")
    draft = Path(shutil.move(tmp_path / "tables/releases/06.csv", tmp_path / "06.csv"))
    edit(tmp_path / "tables/series.toml", ', "releases/06.csv"', "")
    for where, file in ((series, candidate), (tmp_path / "tables", draft)):
        out = run_main("next", str(where), str(file))[1]
        decision = out[out.index("\nDecision\n") :].split("\n\n")[0]
        [digest] = re.findall(r"[0-9a-f]{64}", decision)
        report = json.loads(run_main("next", str(where), str(file), "--format", "json")[1])
        assert digest == next(each["sha256"] for each in report["inputs"] if each["path"] == str(file))
        assert file.name in decision


def test_no_fewer_people_are_stated_than_were_found_without_the_candidate(tmp_path, monkeypatch):
    """One more release rules out worlds and adds none, so an attack that ended early does not find less."""
    values = ["ab", "ac", "ad"]
    rows = [[Row(f"p{n * at}", "1", value) for at, value in enumerate(each)] for n, each in enumerate(values, 1)]
    path, candidate = split(TinySeries(rows), tmp_path / "split")
    whole = IntersectionAttack.run

    def cut(self, evidence, budget):
        outcome = whole(self, evidence, budget)
        if len(evidence.tags) < len(values):
            return outcome
        none = replace(outcome.measures, vulnerable=0, timeline=[0, 0])
        claims = outcome.claims.some(np.zeros(0, dtype=np.intp))
        return replace(outcome, status="incomplete", reason="the time was up", measures=none, claims=claims)

    monkeypatch.setattr(IntersectionAttack, "run", cut)
    code, out, _ = run_main("next", str(path), str(candidate), *ONE)
    said = re.sub(r"\s+", " ", out)
    assert code == 1
    assert "certain for at least 1 of 4 people" in said
    assert "what it proved without it still holds: 1 of 3 people" in said
    _, impact = foretold(path, candidate, *ONE)
    assert impact["attacks"][0]["people"] == impact["before"]["attacks"][0]["people"] == 1


def test_a_report_goes_into_files_too(tmp_path):
    rows = [[Row("A", "1", "a"), Row("B", "1", "b")], [Row("C", "2", "c"), Row("D", "2", "c")]]
    series, candidate = split(TinySeries(rows), tmp_path, key="nowhere")
    files = {form: tmp_path / f"report.{form}" for form in ("html", "json")}
    words = [word for form, file in files.items() for word in ("--report", f"{form}={file}")]
    code, out, err = run_main("next", str(series), str(candidate), *words)
    assert (code, err) == (1, "")
    assert out.startswith("Tiny")
    assert json.loads(files["json"].read_text())["candidate"]["release"] == "2"
    assert files["html"].read_text().startswith("<!DOCTYPE html>")


# -- a file with several releases ---------------------------------------------------------------------------------


@pytest.fixture
def panel(tmp_path):
    """A series of two waves in one file; and what writes a candidate with some waves and, once, other rows."""

    def rows(wave, values="ab"):
        return [f"{wave},{age},{value}" for age in ("20-39", "40-59") for value in values]

    def candidate(*waves, values="ab"):
        path = tmp_path / "all.csv"
        write(path, "\n".join(["Year,Age,Illness", *(row for wave in waves[:-1] for row in rows(wave)),
                               *rows(waves[-1], values)]))  # fmt: skip
        return tmp_path / "series", path

    (tmp_path / "series").mkdir()
    write(tmp_path / "series/panel.csv", "\n".join(["Year,Age,Illness", *rows("2020/21"), *rows("2021/22")]))
    write(tmp_path / "series/series.toml", '[series]\nreleases = ["panel.csv"]\nreleases_by = "Year"\n[columns]\n'
          'sensitive = "Illness"\nquasi_identifiers = ["Age"]\nunlinkable = { Year = "the wave" }\n')  # fmt: skip
    return candidate


@pytest.mark.parametrize("waves", [["2022/23"], ["2021/22", "2020/21", "2022/23"]])
def test_the_candidate_is_the_release_of_a_file_that_the_series_does_not_have(panel, waves):
    code, result = foretold(*panel(*waves, values="aab"))
    assert (code, result["series"]["releases"], result["series"]["rows"]) == (0, ["2020/21", "2021/22", "2022/23"], 14)
    marked = "Year" if len(waves) > 1 else None  # else it is the whole file, and nothing need be copied from it
    assert (result["candidate"]["release"], result["candidate"]["column"]) == ("2022/23", marked)
    assert foretold(*panel(*waves, values="aa"))[0] == 1, "its own rows are judged"
    said = run_main("next", *map(str, panel(*waves)))[1]
    assert ('the rows with "2022/23" in the column "Year"' in said) == (marked is not None)


def test_the_key_of_all_rows_may_be_named_like_the_file(panel):
    series, candidate = panel("2020/21", "2021/22", "2022/23")
    (series / "private").mkdir()
    for path, rows in ((series / "private/panel.key.csv", 8), (candidate.with_name("all.key.csv"), 12)):
        write(path, "\n".join(["row,individual", *(f"{row},P{row % 4}" for row in range(rows))]))
    result = foretold(series, candidate)[1]
    assert (result["adversary"]["kind"], result["candidate"]["key"].endswith("all.key.csv")) == ("linked", True)


@pytest.fixture
def quarters(tmp_path):
    """A series of tables in one file, two quarters; and what writes a candidate with some quarters."""

    def rows(quarter, hidden="24"):
        return [f"{quarter},N,12", f"{quarter},S,{hidden}", f"{quarter},All,{15 if hidden == 's' else 36}"]

    def candidate(*chosen, hidden="s", first="24"):
        lines = [line for each in chosen for line in rows(each, hidden if each == chosen[-1] else first)]
        write(tmp_path / "all.csv", "\n".join(["when,area,n", *lines]))
        return tmp_path / "series", tmp_path / "all.csv"

    (tmp_path / "series").mkdir()
    write(tmp_path / "series/t.csv", "\n".join(["when,area,n", *rows("2024 Q1"), *rows("2024 Q2")]))
    write(tmp_path / "series/series.toml", '[series]\nkind = "tables"\nreleases = ["t.csv"]\nreleases_by = "when"\n'
          '[table]\ndimensions = ["area"]\nvalue = "n"\ntotals.area = "All"\nmarkers.s = [1, inf]\n'
          '[policy]\nmin_count = 5\n')  # fmt: skip
    return candidate


@kills("audit.count_tables.candidate._new_release", "(by, new) if", "None if")
@kills("audit.count_tables.candidate.repair_candidate", "table.only is not None", "False")
@pytest.mark.parametrize("chosen", [["2024 Q3"], ["2024 Q2", "2024 Q3"], ["2024 Q1", "2024 Q2", "2024 Q3"]])
def test_the_candidate_of_tables_is_the_release_that_the_series_does_not_have(quarters, chosen, tmp_path):
    """All quarters of the file were one more release."""
    series, file = quarters(*chosen)
    code, result = foretold(series, file)
    assert (code, result["series"]["releases"]) == (1, ["2024 Q1", "2024 Q2", "2024 Q3"])
    marked = "when" if len(chosen) > 1 else None
    assert (result["candidate"]["release"], result["candidate"]["column"]) == ("2024 Q3", marked)
    assert [(each["cell"]["area"], each["line"]) for each in result["cells"]["hide"]] == [("N", 3 * len(chosen) - 1)]
    said = " ".join(run_main("next", str(series), str(file))[1].split())
    words = 'Copy the header and the rows with "2024 Q3" in the column "when" into 2024 Q3.csv.'
    assert (words in said, "'2024 Q3.csv' --output repaired" in said) == ((True, True) if marked else (False, False))
    assert foretold(*quarters(*chosen, hidden="24"))[0] == 0
    quarters(*chosen)
    code, _, err = run_main("repair", str(series), str(file), "--output", str(tmp_path / "out"))
    if marked is None:
        assert (code, (tmp_path / "out/all.csv").exists()) == (0, True)
    else:
        assert code == 2
        assert 'copy the header and the rows with "2024 Q3" in the column "when" into 2024 Q3.csv' in err


@kills("audit.count_tables.candidate._new_release", "here[row] != there[row]", "False")
@kills("audit.io.candidate.only_new", "len(new) != 1", "not new")
@pytest.mark.parametrize(
    ("form", "releases", "more", "said"),
    [
        ("panel", ["2020/21", "2021/22"], {"values": "ab"}, "new in it: none"),
        ("panel", ["2021/22"], {"values": "ab"}, "new in it: none"),
        ("panel", ["2022/23", "2023/24"], {"values": "ab"}, 'new in it: "2022/23" and "2023/24"'),
        ("panel", ["2022/23", "2021/22"], {"values": "aab"}, 'its rows of release "2021/22" are not those that the'),
        ("quarters", ["2024 Q2"], {"first": "24"}, "new in it: none"),
        ("quarters", ["2024 Q3", "2024 Q4"], {"first": "24"}, 'new in it: "2024 Q3" and "2024 Q4"'),
        ("quarters", ["2024 Q2", "2024 Q3"], {"first": "s"}, 'its rows of release "2024 Q2" are not those that the'),
    ],
)
def test_a_file_without_one_new_release_or_with_revised_ones_is_refused(request, form, releases, more, said):
    """A wave that was published already was one more release under the name of its file."""
    code, _, err = run_main("next", *map(str, request.getfixturevalue(form)(*releases, **more)))
    assert (code, said in " ".join(err.split())) == (2, True)


@pytest.mark.parametrize("kept", [True, False])
def test_what_only_earlier_releases_leave_undecided_is_said_to_be_nothing_new(tmp_path, kept):
    """Numbers link rows of two releases that are out: the next one, without them, adds nothing to that."""
    for tag in "123":
        number = {"1": "H{}", "2": "H{}", "3": "H{}" if kept else "*"}[tag]
        rows = [[number.format(n), f"{n % 2}0-{n % 2}9", "abc"[n // 2 % 3]] for n in range(24)]
        write(tmp_path / ("" if tag == "3" else "s") / f"{tag}.csv", as_csv([["Number", "Age", "Illness"], *rows]))
    columns = 'sensitive = "Illness"\nquasi_identifiers = ["Age"]\nunlinkable.Number = "drawn by lot"\n'
    write(tmp_path / "s" / "series.toml", f'[series]\nreleases = ["1.csv", "2.csv"]\n[columns]\n{columns}')
    code, out, _ = run_main("next", str(tmp_path / "s"), str(tmp_path / "3.csv"))
    assert (code, "adds nothing that the policy forbids: whether it goes" in " ".join(out.split())) == (3, not kept)
    words = ["repair", str(tmp_path / "s"), str(tmp_path / "3.csv"), "--output", str(tmp_path / "out")]
    out = " ".join(run_main(*words)[1].split())
    assert ("adds nothing that the policy forbids; nothing was changed" in out) == (not kept)
    assert "keeps the policy as it is" not in out


@pytest.mark.parametrize("form", ["markdown", "sarif", "junit"])
def test_the_repair_is_in_every_format(tmp_path, form):
    series, candidate = held_back("hospital-l-diverse", tmp_path)
    words = ["next", str(series), str(candidate), "--findings", "0"]
    moves = json.loads(run_main(*words, "--format", "json")[1])["repair"]["moves"]
    page = run_main(*words, "--format", form)[1]
    section = page.split("## What to do\n")[1].split("\n## ")[0] if form == "markdown" else page
    assert moves
    assert "The policy holds after these changes" in section
    assert all(section.count(f"{kind} ") >= 1 for kind in {move["kind"] for move in moves})
