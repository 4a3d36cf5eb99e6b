"""The command line on count tables: errors in one line, formats, exit codes."""

import json
import re

import pytest

from tests.helpers.count_tables import TinyTables
from tests.helpers.running import run_main

ROWS = [(("A", "f"), "9"), (("A", "m"), "*"), (("A", "All"), "12")]
PLAIN = TinyTables(
    ("area", "sex"), [ROWS], totals={"sex": "All", "area": "All"}, markers={"*": (1, 4)}, threshold=5, min_count=5
)


def replaced(series, old, new, folder):
    path = series.write(folder) / "series.toml"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
    return folder


def test_text_shows_the_sum(tmp_path):
    code, out, err = run_main(str(PLAIN.write(tmp_path)))
    assert (code, err) == (1, "")
    assert "recovered: area A, sex m, release 1: exactly 3 (published as *)" in out
    assert "12 (area A) - 9 (area A, sex f) = 3" in out


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('over_time = "independent"', 'over_time = "monthly"', "`over_time`: there is no such relation"),
        ('value = "n"', 'value = "m"', 'column "m": the column is not in the file, which has: area, sex, n'),
        ('"*" = [1, 4]', '"*" = [4, 1]', "is not given a least and a greatest count"),
        ("min_count = 5", "min_count = 1", "`min_count`: this is no limit of the policy"),
        ("threshold = 5", "treshold = 5", "[table] has no such key"),
        ('dimensions = ["area", "sex"]', 'dimensions = ["area", "sex", "age"]', 'column "age": the column is not'),
    ],
)
def test_faulty_manifest(old, new, said, tmp_path):
    code, out, err = run_main(str(replaced(PLAIN, old, new, tmp_path)))
    assert (code, out) == (2, "")
    assert said in err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--max-e", "3"], "--max-e is an option of an attack that is not about count tables"),
        (["--attack", "joint"], "joint does not apply to count tables"),
        (["--adversary", "register"], "--adversary has no meaning for count tables"),
        (["--risks", "risks.csv"], "--risks is a table of people"),
    ],
)
def test_what_would_do_nothing_is_refused(words, said, tmp_path):
    code, out, err = run_main(str(PLAIN.write(tmp_path)), *words)
    assert (code, out) == (2, "")
    assert said in err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x", '"x": this is neither a whole number nor a marker; write a whole number, or name the marker'),
        ("1.5", "neither a whole number"),
        ("-1", "neither a whole number"),
    ],
)
def test_value_that_is_none(text, said, tmp_path):
    rows = [*ROWS, (("B", "f"), text)]
    folder = TinyTables(("area", "sex"), [rows], totals=PLAIN.totals, markers=PLAIN.markers).write(tmp_path)
    code, _, err = run_main(str(folder))
    assert code == 2
    assert err.startswith('audit: releases/1.csv:5, column "n": ')
    assert said in err


def test_number_that_is_no_multiple(tmp_path):
    series = TinyTables(("area",), [[(("A",), "10"), (("B",), "12")]], rounding=(5, "nearest"))
    code, _, err = run_main(str(series.write(tmp_path)))
    assert code == 2
    assert 'releases/1.csv:3, column "n": "12": this is not a multiple of 5' in err


def test_contradiction_names_the_least_set_of_cells(tmp_path):
    rows = [(("A", "f"), "9"), (("A", "m"), "7"), (("A", "All"), "20"), (("B", "f"), "6"), (("B", "All"), "6")]
    series = TinyTables(("area", "sex"), [rows], totals={"sex": "All"})
    code, out, err = run_main(str(series.write(tmp_path)))
    assert (code, out) == (2, "")
    lines = err.splitlines()
    assert [line.split(",")[0] for line in lines] == [f"audit: releases/1.csv:{line}" for line in (2, 3, 4)]
    assert all("no counts agree with these 3 cells; without any one of them there are" in line for line in lines)


def test_min_count_has_to_be_known(tmp_path):
    series = TinyTables(("area",), [[(("A",), "10")]], markers={"*": (0, None)})
    code, _, err = run_main(str(replaced(series, "min_count = 5\n", "", tmp_path)))
    assert code == 2
    assert "`min_count` is not given" in err
    assert run_main(str(tmp_path), "--policy", "min_count=4")[0] == 0


def test_attacks_of_the_other_kind(tmp_path):
    folder = PLAIN.write(tmp_path)
    code, _, err = run_main(str(folder), "--attack", "intersection")
    assert code == 2
    assert "intersection does not apply to count tables" in err
    assert run_main(str(folder), "--attack", "differencing")[0] == 1
    code, _, err = run_main("tests/examples/hospital-l-diverse", "--attack", "differencing")
    assert code == 2
    assert 'it needs kind = "tables"' in err


def test_waived_findings_do_not_count(tmp_path):
    folder = PLAIN.write(tmp_path)
    _, out, _ = run_main(str(folder), "--format", "json")
    [finding] = json.loads(out)["attacks"][0]["findings"]
    waiver = f'[[waiver]]\nfinding = "{finding["id"]}"\nreason = "agreed"\nexpires = 2999-01-01\n'
    with (folder / "series.toml").open("a", encoding="utf-8") as file:
        file.write(waiver)
    code, out, _ = run_main(str(folder), "--format", "json")
    policy = json.loads(out)["policy"]
    [undecided] = policy["undecided"]
    line = 'size = { kind = "recovered", lower = 3, upper = 3 }'
    assert (code, policy["waived"][0]["state"], undecided["measure"]) == (3, "unsized", "min_width")
    assert line in undecided["reason"]
    with (folder / "series.toml").open("a", encoding="utf-8") as file:
        file.write(f"{line}\n")
    code, out, _ = run_main(str(folder), "--format", "json")
    assert (code, json.loads(out)["policy"]["waived"][0]["state"]) == (0, "applied")
    assert "The policy holds, except for what is waived" in run_main(str(folder))[1]


@pytest.mark.parametrize("form", ["text", "json", "markdown", "html", "sarif", "junit", "github"])
def test_every_format_names_the_cell_and_the_sum(form, tmp_path):
    code, out, err = run_main(str(PLAIN.write(tmp_path)), "--format", form)
    assert (code, err) == (1, "")
    if form == "json":
        [finding] = json.loads(out)["attacks"][0]["findings"]
        assert finding["cell"] == {"area": "A", "sex": "m"}
        assert [(each["published"], each["weight"]) for each in finding["certificate"][0]["sum"]] == [
            ("9", "-1"),
            ("12", "1"),
        ]
    else:
        assert "area A, sex m" in out
    if form in ("text", "markdown", "html", "sarif", "github"):
        assert "(area A, sex f)" in out.replace("\\", "")


LEFT_OUT = "tests/count_table_examples/tables-one-left-out"


def test_a_difference_of_releases_is_said_in_words():
    _, out, _ = run_main(LEFT_OUT)
    assert "11 in release 1, 10 in release 2, both count the same people: one person was left out" in out


def test_next_names_the_least_cells_to_hide(tmp_path):
    rows = [[(("A", "f"), "9"), (("A", "m"), "*")], [(("B", "f"), "30"), (("A", "All"), "12")]]
    series = TinyTables(PLAIN.dimensions, rows, totals=PLAIN.totals, markers=PLAIN.markers, over_time="same")
    folder = series.write(tmp_path / "series")
    candidate = tmp_path / "2.csv"
    (folder / "releases/2.csv").rename(candidate)
    manifest = folder / "series.toml"
    manifest.write_text(manifest.read_text().replace(', "releases/2.csv"', ""))
    assert run_main(str(folder))[0] == 0
    code, out, err = run_main("next", str(folder), str(candidate), "--format", "json")
    assert (code, err) == (1, "")
    told = json.loads(out)
    assert [(each["cell"], each["shown"], each["line"]) for each in told["hide"]] == [
        ({"area": "A", "sex": "All"}, "12", 3)
    ]
    assert told["new_total"] == 1
    code, _, _ = run_main("repair", str(folder), str(candidate), "--output", str(tmp_path / "out"))
    assert code == 0
    assert (tmp_path / "out/2.csv").read_text() == "area,sex,n\nB,f,30\nA,All,\n"
    assert run_main("next", str(folder), str(tmp_path / "out/2.csv"))[0] == 0


def test_explain_a_cell():
    code, out, _ = run_main("explain", "tests/count_table_examples/tables-levels", "--cell", "code=E10.2")
    assert code == 0
    assert "published as <5\n  exactly 3\n    at least 3: 9 (code E10) - 6 (code E10.1)" in out
    code, _, err = run_main("explain", "tests/count_table_examples/tables-levels", "--cell", "code=E99")
    assert code == 2
    assert "code has no label E99" in err
    assert run_main("explain", "tests/count_table_examples/tables-levels", "--individual", "Bob")[0] == 2


def test_compare_puts_series_side_by_side(tmp_path):
    other = TinyTables(PLAIN.dimensions, [ROWS[:2]], totals=PLAIN.totals, markers=PLAIN.markers, threshold=5)
    folders = [str(PLAIN.write(tmp_path / "one")), str(other.write(tmp_path / "two"))]
    code, out, err = run_main("compare", *folders, "--format", "json")
    assert (code, err) == (0, "")
    assert [each["measures"]["recovered"] for each in json.loads(out)["series"]] == [1, 0]
    code, out, _ = run_main("compare", *folders)
    assert code == 0
    assert "not safe" in out
    assert re.search(r"(?<!not )\bsafe\b", out)
    assert run_main("compare", folders[0], "tests/examples/hospital-l-diverse")[0] == 2


def measured(series, folder):
    code, out, err = run_main(str(series.write(folder)), "--format", "json")
    return code, (json.loads(out)["attacks"][0]["measures"] if code != 2 else {}), err


@pytest.mark.parametrize("over_time", ["same", "independent"])
def test_a_hidden_cell_that_is_shown_elsewhere_is_asked(over_time, tmp_path):
    """A marker in one table or release protects nothing where another one has the number."""
    star, three = ("A",), ("A",)
    rows = [[(star, "*")], [(three, "3")]] if over_time == "same" else [[(star, "*"), (three, "3")]]
    series = TinyTables(("area",), rows, totals={"area": "All"}, markers={"*": (1, 4)}, over_time=over_time)
    code, measures, _ = measured(series, tmp_path)
    assert code == 1
    assert (measures["protected"], measures["questions"], measures["recovered"]) == (0, 1, 1)


def test_labels_are_equal_however_accents_are_written(tmp_path):
    rows = [(("\u00d1", "f"), "9"), (("N\u0303", "m"), "*"), (("\u00d1", "All"), "12")]
    code, measures, _ = measured(
        TinyTables(("area", "sex"), [rows], totals={"sex": "All"}, markers=PLAIN.markers), tmp_path
    )
    assert (code, measures["recovered"]) == (1, 1)


def test_counts_that_are_too_large_to_add_up(tmp_path):
    rows = [((f"a{place}",), "90000000000") for place in range(20)]
    code, _, err = measured(TinyTables(("area",), [rows], totals={"area": "All"}), tmp_path)
    assert code == 2
    assert "the counts add up to 1,000,000,000,000 or more" in err


def test_a_number_that_is_against_the_rules_by_itself(tmp_path):
    series = TinyTables(("area",), [[(("A",), "1")]], markers={"*": (1, 2)}, threshold=3)
    code, _, err = measured(series, tmp_path)
    assert code == 2
    assert err.startswith('audit: releases/1.csv:2, column "n": "1" is against the rules by itself')


@pytest.mark.parametrize("rate", ["-1", "abc", "1e5", "12%"])
def test_a_rate_that_cannot_be_read(rate, tmp_path):
    rules = 'rates = { column = "rate", per = 1000, decimals = 1, denominator = "pop" }\n[policy]'
    folder = replaced(TinyTables(("area",), [[(("A",), "9")]]), "[policy]", rules, tmp_path)
    (folder / "releases/1.csv").write_text(f"area,n,rate,pop\nA,9,45.0,200\nB,9,{rate},200\n")
    code, _, err = run_main(str(folder))
    assert code == 2
    assert 'releases/1.csv:3, column "rate": this is neither a number nor a marker' in err


def test_a_crossing_of_too_many_boxes_is_undecided(tmp_path):
    """What is too much to ask is not asked; that is said, and nothing passes."""
    names = tuple(f"d{place}" for place in range(40))
    rows = [(tuple("x" for _ in names), "9"), (tuple("y" for _ in names), "9")]
    code, out, _ = run_main(
        str(TinyTables(names, [rows], totals=dict.fromkeys(names, "All")).write(tmp_path)), "--format", "json"
    )
    [attack] = json.loads(out)["attacks"]
    assert (code, attack["status"]) == (3, "incomplete")
    assert attack["measures"]["open"] > 10**9


@pytest.mark.parametrize(("areas", "code"), [(30, 0), (600, 3)])
def test_boxes_beyond_the_first_100_000_are_said_not_to_be_asked(areas, code, tmp_path):
    cells = [((f"a{area}", f"g{age}"), "50") for area in range(areas) for age in range(60)]
    series = TinyTables(("area", "age"), [cells], totals={"area": "All", "age": "All"})
    found, out, _ = run_main(str(series.write(tmp_path)), "--format", "json")
    [attack] = json.loads(out)["attacks"]
    assert found == code
    if code:
        assert attack["reason"] == "area x age has more boxes than are asked about"
        assert [each["measure"] for each in json.loads(out)["policy"]["undecided"]] == ["min_count"]
        assert attack["measures"]["open"] == 2 * areas * 2 * 60 - areas * 60 - 100_000


def test_repair_hides_the_rate_beside_a_count(tmp_path):
    """The file is written as it was, with its delimiter; the rate of a hidden count would tell it."""
    rules = 'rates = { column = "rate", per = 1000, decimals = 1, denominator = "pop" }\n[policy]'
    series = TinyTables(("area",), [[(("B",), "40")]], totals={"area": "All"}, markers={"*": (1, 7)}, min_count=8)
    folder = replaced(series, "[policy]", rules, tmp_path / "series")
    candidate = tmp_path / "2.csv"
    candidate.write_text("area;n;rate;pop\nA;*;1.5;2000\n\nB;40;20.0;2000\n")
    code, _, err = run_main("repair", str(folder), str(candidate), "--output", str(tmp_path / "out"))
    assert (code, err) == (0, "")
    assert (tmp_path / "out/2.csv").read_text() == "area;n;rate;pop\nA;;;2000\nB;40;20.0;2000\n"
    assert run_main("next", str(folder), str(tmp_path / "out/2.csv"))[0] == 0


@pytest.mark.parametrize(
    ("more", "code", "verdict"),
    [("", 0, "The policy holds"), ('[unconfirmed]\nkeys = ["table.over_time"]\n', 3, "UNDECIDED")],
)
def test_repair_reports_on_what_it_wrote(more, code, verdict, tmp_path):
    """The candidate tells one more person; without that cell nothing of it is left but what is not confirmed."""
    first = [(("N", "f"), "9"), (("N", "m"), "*")]
    series = TinyTables(("area", "sex"), [first], totals={"sex": "All"}, markers={"*": (1, 7)}, over_time="same")
    folder = series.write(tmp_path / "series")
    path = folder / "series.toml"
    path.write_text(path.read_text(encoding="utf-8") + more, encoding="utf-8")
    candidate = tmp_path / "2.csv"
    candidate.write_text("area,sex,n\nN,All,12\nS,f,30\n", encoding="utf-8")
    found, out, err = run_main("repair", str(folder), str(candidate), "--output", str(tmp_path / "out"))
    assert (found, err) == (code, "")
    said = " ".join(out.split())
    assert f"With release 2: {verdict}" in said
    assert "2.csv with 1 further cell left empty, and any rate beside it: area N (12;" in said
    assert ("it may go out" in said) == (code == 0)
    assert run_main("next", str(folder), str(tmp_path / "out/2.csv"))[0] == code


@pytest.mark.parametrize("form", ["text", "markdown", "html"])
def test_pages_say_what_was_taken_for_granted(form, tmp_path):
    """What is found holds for the rules of the manifest: who signs has to see them."""
    _, out, _ = run_main("tests/count_table_examples/tables-rates", "--format", form)
    said = " ".join(out.replace("\\", "").split())
    rounded = "Numbers are rounded to the nearest multiple of 10, halves up."
    for sentence in (rounded, "rate is per 100,000 of population, to 1 decimal."):
        assert sentence in said
    _, out, _ = run_main(str(PLAIN.write(tmp_path)), "--format", form)
    said = " ".join(out.split())
    assert "stands for 1 to 4." in said
    assert "Counts below 5 are hidden unless they are 0." in said


def test_a_picture_tells_of_findings_that_are_not_shown(tmp_path):
    rows = [*ROWS, (("B", "f"), "*"), (("B", "m"), "7"), (("B", "All"), "11")]
    series = TinyTables(
        ("area", "sex"), [rows], totals={"sex": "All", "area": "All"}, markers={"*": (1, 4)}, threshold=5, min_count=5
    )
    _, page, _ = run_main(str(series.write(tmp_path)), "--format", "markdown", "--findings", "1")
    assert page.count("recovered: area") == 1
    assert page.count("* → 3") == page.count("* → 4") == 1


def test_a_total_in_other_capitals_is_not_taken_for_a_part(tmp_path):
    rows = [(("A", "f"), "9"), (("A", "m"), "*"), (("A", "all"), "12")]
    series = TinyTables(("area", "sex"), [rows], totals=PLAIN.totals, markers=PLAIN.markers)
    code, out, err = run_main(str(series.write(tmp_path)))
    assert (code, out) == (2, "")
    assert err.startswith('audit: releases/1.csv:4, column "sex": "all" differs from the total "All" by capitals alone')


def test_labels_in_other_capitals_in_another_release_are_refused(tmp_path):
    first = [(("North",), "11"), (("All",), "31"), (("South",), "20")]
    second = [(("north",), "10"), (("All",), "30"), (("South",), "20")]
    series = TinyTables(("area",), [first, second], totals={"area": "All"}, over_time="same")
    code, out, err = run_main(str(series.write(tmp_path)))
    assert (code, out) == (2, "")
    assert '"north" differs from "North" in releases/1.csv by capitals alone; write both alike' in err
    assert "releases/2.csv:2" in err


def test_a_table_may_have_two_labels_that_differ_by_capitals(tmp_path):
    rows = [(("a",), "11"), (("A",), "20"), (("All",), "31")]
    code, _, err = run_main(str(TinyTables(("grade",), [rows, rows], totals={"grade": "All"}).write(tmp_path)))
    assert (code in {0, 1}, err) == (True, "")
