"""The command line on count tables: errors in one line, formats, exit codes."""

import gzip
import json
import re
import shutil
from itertools import product

import pandas as pd
import pyreadstat
import pytest

import audit
from audit.count_tables.read_counts import read_counts
from tests.cli.forms import edit
from tests.helpers.amount import slow
from tests.helpers.count_tables import TinyTables, write_tables
from tests.helpers.messy import excel
from tests.helpers.running import printed, refused, run_main
from tests.mutants.mutant import kills

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


@kills("audit.io.toml.Reader.refuse", " + did_you_mean(name, known)", "")
@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            'over_time = "independent"',
            'over_time = "monthly"',
            '`over_time`: unknown value "monthly"; use "independent"',
        ),
        ('value = "n"', 'value = "m"', 'column "m": the column is not in the file, which has: area, sex, n'),
        ('"*" = [1, 4]', '"*" = [4, 1]', "needs a least and a greatest count"),
        ("min_count = 5", "min_count = 1", "`min_count`: this is not a limit of the policy"),
        ("threshold = 5", "treshold = 5", "[table] has no such key; use one of absent, breakdown"),
        ("threshold = 5", "treshold = 5", "did you mean `threshold`?"),
        ('dimensions = ["area", "sex"]', 'dimensions = ["area", "sex", "age"]', 'column "age": the column is not'),
    ],
)
def test_faulty_manifest(old, new, said, tmp_path):
    assert said in refused(str(replaced(PLAIN, old, new, tmp_path)))


@pytest.mark.parametrize("words", ["--max-e 3", "--attack joint", "--adversary register", "--risks risks.csv"])
def test_what_would_do_nothing_is_refused(words, tmp_path):
    option = words if "joint" in words else words.split()[0]
    assert f"{option} is about people" in refused(str(PLAIN.write(tmp_path)), *words.split())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "x",
            '"x": this is neither a whole number nor a marker; write a whole number; or, if it stands for counts, say',
        ),
        ("1.5", "neither a whole number"),
        ("-1", "neither a whole number"),
    ],
)
def test_an_invalid_value_is_refused(text, said, tmp_path):
    rows = [*ROWS, (("B", "f"), text)]
    folder = TinyTables(("area", "sex"), [rows], totals=PLAIN.totals, markers=PLAIN.markers).write(tmp_path)
    err = refused(str(folder))
    assert err.startswith('audit: releases/1.csv:5, column "n": ')
    assert said in err


def test_contradiction_names_the_least_set_of_cells(tmp_path):
    rows = [(("A", "f"), "9"), (("A", "m"), "7"), (("A", "All"), "20"), (("B", "f"), "6"), (("B", "All"), "6")]
    series = TinyTables(("area", "sex"), [rows], totals={"sex": "All"})
    lines = refused(str(series.write(tmp_path))).splitlines()
    assert [line.split(",")[0] for line in lines] == [f"audit: releases/1.csv:{line}" for line in (2, 3, 4)]
    assert all("these 3 cells; without any one of these cells, some would" in line for line in lines)


def test_min_count_has_to_be_known(tmp_path):
    series = TinyTables(("area",), [[(("A",), "10")]], markers={"*": (0, None)})
    assert "`min_count` is not given" in refused(str(replaced(series, "min_count = 5\n", "", tmp_path)))
    assert run_main(str(tmp_path), "--policy", "min_count=4")[0] == 0


@pytest.mark.parametrize("form", ["text", "json", "markdown", "html", "sarif", "junit"])
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
    if form in ("text", "markdown", "html", "sarif"):
        assert "(area A, sex f)" in out.replace("\\", "")


@kills("reports.impact.with_news", "findings=found, ", "")
@pytest.mark.parametrize("form", ["sarif", "junit"])
def test_formats_of_programs_show_what_a_candidate_adds(form, tmp_path):
    folder, file = PLAIN.write(tmp_path / "series"), tmp_path / "2.csv"
    file.write_bytes((folder / "releases/1.csv").read_bytes())
    code, out, _ = run_main("next", str(folder), str(file), "--format", form)
    new = json.loads(run_main("next", str(folder), str(file), "--format", "json")[1])["attacks"][0]["new_findings"]
    assert (code, [each["release"] for each in new]) == (1, ["2"])
    assert "release 2: exactly 3" in out
    assert "release 1: exactly 3" not in out
    assert form == "sarif" or "Findings with the candidate: 2 (new: 1; found without it, too: 1)" in out


def measured(series, folder):
    code, out, err = run_main(str(series.write(folder)), "--format", "json")
    return code, (json.loads(out)["attacks"][0]["measures"] if code != 2 else {}), err


@kills(
    "audit.count_tables.count_questions.QuestionBuilder._of_cells",
    "np.where(says_small, PROTECTED, PERHAPS_LARGE)",
    "PROTECTED",
)
@kills("attacks.differencing.solutions.Questions.decide", "(hidden & ~large)", "hidden")
@kills("audit.clauses.registry.MinWidth.violated", "size.upper - size.lower + 1 < limit", "True")
@pytest.mark.parametrize(
    ("most", "words", "code", "states", "kinds"),
    [
        (None, "min_count=5", 1, ["violated", "holds"], {"small"}),
        (None, "min_width=5", 1, ["violated", "violated"], {"small"}),
        (None, "min_count=4", 0, ["holds", "holds"], set()),
        (4, "min_count=5", 0, ["holds", "holds"], set()),
        (5, "min_count=5", 1, ["violated", "holds"], {"small"}),
    ],
    ids=["certainly small", "and narrow", "may be 4", "said so", "said nearly so"],
)
def test_a_sign_for_any_count_hides_that_its_count_is_small(most, words, code, states, kinds, tmp_path):
    """Two counts of 5 together are 1 to 4 each: the sign does not say that, unless it stands for small counts alone."""
    rows = [(("A",), "c"), (("B",), "c"), (("C",), "30"), (("All",), "35")]
    series = TinyTables(("area",), [rows], totals={"area": "All"}, markers={"c": (1, most)})
    found, out, _ = run_main(str(series.write(tmp_path)), "--format", "json", "--policy", words)
    report = json.loads(out)
    assert (found, [each["state"] for each in report["policy"]["clauses"]]) == (code, states)
    assert {each["kind"] for each in report["attacks"][0]["findings"]} == kinds


def test_a_number_that_is_against_the_rules_by_itself(tmp_path):
    series = TinyTables(("area",), [[(("A",), "1")]], markers={"*": (1, 2)}, threshold=3)
    code, _, err = measured(series, tmp_path)
    assert code == 2
    assert err.startswith('audit: releases/1.csv:2, column "n": "1" contradicts the rules by itself')


@kills("audit.count_tables.count_questions.QuestionBuilder._view", "(number, number & margin)", "(number, number)")
@pytest.mark.parametrize("others", ["0", "c"])
def test_a_zero_in_a_cell_hides_no_question_of_the_margin(others, tmp_path):
    """Of the 10 in the hidden classes 5 and 7, 7 are boys: 3 are not, whether or not a cell beside them shows a 0."""
    counts = {"5": f"c c {others} c", "6": "10 c c 15", "7": "c c c c", "8": "7 c c 14", "All": "24 c c 39"}
    rows = [
        ((grade, sex), text)
        for grade, texts in counts.items()
        for sex, text in zip(("m", "f", "x", "All"), texts.split(), strict=True)
    ]
    totals, form = {"class": "All", "sex": "All"}, {"markers": {"c": (0, None)}, "threshold": 5}
    folder = TinyTables(("class", "sex"), [rows], totals=totals, min_count=5, **form).write(tmp_path)
    code, out, _ = run_main(str(folder), "--format", "json")
    [three] = [each for each in json.loads(out)["attacks"][0]["findings"] if each["kind"] == "recovered"]
    assert (code, three["lower"], three["upper"]) == (1, 3, 3)


@slow
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


def with_draft(folder, rows, markers, more="", first=(), **rules):
    """A series of one table by area and sex, with further lines in its manifest, and a candidate beside it."""
    first = first or [(("A", "m"), "10"), (("A", "f"), "30"), (("A", "All"), "40")]
    series = TinyTables(("area", "sex"), [first], markers=markers, **{"totals": {"sex": "All"}, **rules})
    edit(series.write(folder / "series") / "series.toml", "[policy]", f"{more}[policy]")
    (folder / "2.csv").write_text(f"area,sex,n\n{rows}\n", encoding="utf-8")
    return str(folder / "series"), str(folder / "2.csv")


def repaired(folder, draft, *words):
    """How the repair of a candidate ends, what it says, and the lines that it writes."""
    code, out = printed("repair", *draft, "--output", str(folder / "out"), *words)
    return code, out, (folder / "out/2.csv").read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize(("more", "code"), [("", 0), ('[unconfirmed]\nkeys = ["table.over_time"]\n', 3)])
def test_where_the_past_breaks_the_policy_only_what_a_repair_adds_decides(more, code, tmp_path):
    """The first release gives a count away; what the second one adds is taken out of it."""
    first = [(("N", "f"), "9"), (("N", "m"), "*"), (("N", "All"), "12"), (("S", "f"), "9"), (("S", "m"), "*")]
    draft = with_draft(
        tmp_path, "S,All,12\nW,f,30", {"*": (1, 7)}, more, [*first, (("W", "f"), "30")], over_time="same"
    )
    page = tmp_path / "page.html"
    found, text, lines = repaired(tmp_path, draft, "--report", f"html={page}")
    assert (found, lines) == (code, ["area,sex,n", "S,All,", "W,f,30"])
    assert "Cells hidden" in page.read_text(encoding="utf-8")
    assert ("adds nothing that the policy forbids and that did not follow" in text) == (code == 0)
    [command] = re.findall(r"`audit (next [^`]*)` judges the candidate as it is now", text)
    assert run_main(*command.replace(" next.html", f" {tmp_path / 'next.html'}").split())[0] == 1
    assert (tmp_path / "next.html").exists()


@pytest.mark.parametrize("blank", ["F,c", "D,f; D,m"])
def test_cells_that_are_empty_in_every_table_are_counted(blank, tmp_path):
    """Of cells in two tables of a release, one may be empty in the other."""
    cells = {"A,f": "9", "A,m": "8", "A,All": "17", "D,f": "6", "D,m": "7", "D,All": "13"}
    empty = blank.split("; ")
    tables = {
        f"{name}.csv": ["area,sex,n", *(f"{labels},{n}" for labels, n in (left | dict.fromkeys(empty, "")).items())]
        for name, left in (("1", cells), ("2", {**cells, "A,f": ""}))
    }
    table = 'dimensions = ["area", "sex"]\nvalue = "n"\ntotals = { sex = "All", area = "" }'
    one = 'releases = [{ tag = "1", tables = ["1.csv", "2.csv"] }]'
    write_tables(tmp_path, tables, table, "min_count = 2", one)
    _, out, _ = run_main(str(tmp_path), "--format", "json")
    assert json.loads(out)["attacks"][0]["measures"]["empty"] == len(empty)
    said = ["1 further cell shows no count", "2 further cells show no count"][len(empty) - 1]
    assert said in run_main(str(tmp_path), "--document", "dpia")[1]


def test_the_annex_says_what_was_checked_and_what_is_a_measure(tmp_path):
    cells = [(("N", "f"), "9"), (("N", "m"), "*"), (("S", "f"), "-"), (("S", "m"), "12")]
    folder = TinyTables(("area", "sex"), [cells], markers={"*": (1, 7), "-": (0, 0)}).write(tmp_path)
    out = run_main(str(folder), "--format", "markdown", "--document", "dpia")[1]
    method, assumed = out.split("We assume, without having checked it:")
    assert ("Checked: each cell" in method, "Checked: each cell" in assumed) == (True, False)
    measures = assumed.partition("Measures taken, as")[2].partition("#")[0]
    assert ("stands for 1 to 7" in measures, "stands for 0" in measures) == (True, False)


def test_the_first_release_as_a_candidate_is_compared_with_no_other(tmp_path):
    cells = [(("N", "f"), "9"), (("N", "m"), "12")]
    folder = TinyTables(("area", "sex"), [cells], markers={"*": (1, 7)}).write(tmp_path)
    assert "Without it" not in run_main("next", str(folder), str(folder / "releases/1.csv"))[1]


@pytest.mark.parametrize(
    ("more", "code", "verdict"),
    [("", 0, "The policy holds"), ('[unconfirmed]\nkeys = ["table.over_time"]\n', 3, "UNDECIDED")],
)
def test_repair_reports_on_what_it_wrote(more, code, verdict, tmp_path):
    """The candidate reveals one more person; without that cell, only unconfirmed keys are left."""
    first = [(("N", "f"), "9"), (("N", "m"), "*")]
    draft = with_draft(tmp_path, "N,All,12\nS,f,30", {"*": (1, 7)}, more, first, over_time="same")
    found, said, _ = repaired(tmp_path, draft)
    assert re.search(rf"is the candidate, not yet published: \S+2\.csv\. {verdict}", said)
    assert "2.csv with 1 further cell hidden." in said
    assert "Cells hidden area N (12;" in said
    assert (found, "it may go out" in said) == (code, code == 0)
    assert run_main("next", draft[0], str(tmp_path / "out/2.csv"))[0] == code


@kills("audit.count_tables.candidate.judge_candidate", "not counts.hidden.any()", "False")
@kills("audit.count_tables.candidate.repair_candidate", "if found.cells.unsaid", "if False")
@pytest.mark.parametrize("said", ["", 'absent = "unknown"\n'], ids=["not said", "said"])
def test_what_a_repair_of_rounded_tables_leaves_empty_is_decided(said, tmp_path):
    """Of 8 to 12, 8 or more are women, so that the men are 3 or 4; if their empty cell were 0, they would be 1 or 2."""
    cells = [*product("AB", ("m", "f")), ("A", "All"), ("B", "All"), ("All", "m"), ("All", "f"), ("All", "All")]
    first = [(cell, str(50 * 2 ** cell.count("All"))) for cell in cells]
    rows = "A,m,5 A,f,10 A,All,10 B,m,30 B,f,10 B,All,40 All,m,35 All,f,15 All,All,50".replace(" ", "\n")
    totals = {"area": "All", "sex": "All"}
    draft = with_draft(tmp_path, rows, {}, said, first, totals=totals, rounding=(5, "nearest"))
    code, out, _ = repaired(tmp_path, draft)
    assert (code, 'Write absent = "unknown"' in out) == (0, not said)
    assert run_main("next", draft[0], str(tmp_path / "out/2.csv"))[0] == (0 if said else 3)


def test_a_repaired_release_keeps_the_name_of_its_folder(tmp_path):
    first = [(("A", "m"), "10"), (("A", "f"), "30"), (("A", "All"), "40")]
    series = TinyTables(("area", "sex"), [first], totals={"sex": "All"}, markers={"*": (1, 4)}, threshold=5)
    folder, candidate = series.write(tmp_path / "series"), tmp_path / "2025" / "a.csv"
    for place in (folder / "2024", candidate.parent):
        place.mkdir()
    (folder / "releases/1.csv").rename(folder / "2024/a.csv")
    path = folder / "series.toml"
    listed = '{ tag = "2024", tables = ["2024/a.csv"] }'
    edit(path, '"releases/1.csv"', listed)
    candidate.write_text("area,sex,n\nA,m,*\nA,f,30\nA,All,33\n", encoding="utf-8")
    assert run_main("repair", str(folder), str(candidate), "--output", str(tmp_path / "out"))[0] == 0
    code, out, _ = run_main("next", str(folder), str(tmp_path / "out/2025/a.csv"))
    assert (code, "release 2025 is the candidate" in out) == (0, True)


@pytest.mark.parametrize(("name", "is_year"), [("2025-Q4", True), ("2025-Q5", False), ("2026-Q1", False)])
def test_the_last_quarter_of_a_year_is_said_to_be_followed_by_the_year(name, is_year, tmp_path):
    rows = [[(("A",), str(n)), (("B",), "90"), (("All",), str(n + 90))] for n in (30, 41, 52)]
    folder = TinyTables(("area",), rows, totals={"area": "All"}, markers={"*": (1, 4)}).write(tmp_path / "series")
    path = folder / "series.toml"
    for place in (1, 2, 3):
        (folder / f"releases/{place}.csv").rename(folder / f"releases/2025-Q{place}.csv")
    text = re.sub(r"releases/([123])\.csv", r"releases/2025-Q\1.csv", path.read_text(encoding="utf-8"))
    path.write_text(text, encoding="utf-8")
    (tmp_path / f"{name}.csv").write_text("area,n\nA,63\nB,91\nAll,154\n", encoding="utf-8")
    code, out, _ = run_main("next", str(folder), str(tmp_path / f"{name}.csv"))
    assert (code, "the year is complete" in " ".join(out.split())) == (0, is_year)


@kills("audit.count_tables.doubts._lacking", "named_like(name, lines & manifest.not_counts)", "True")
@pytest.mark.parametrize(("line", "code"), [("Note: 2 areas left in 2023", 0), ("Note: 2 areas came in 2023", 2)])
def test_a_line_of_the_next_release_may_be_declared_before_it_is_there(line, code, tmp_path):
    folder = TinyTables(("area",), [[(("A",), "*"), (("B",), "90")]], markers={"*": (1, 4)}).write(tmp_path)
    table, path = folder / "releases/1.csv", folder / "series.toml"
    table.write_text(f"{table.read_text(encoding='utf-8')}Note: 2 areas left in 2022\n", encoding="utf-8")
    said = f'not_counts = ["Note: 2 areas left in 2022", "{line}"]\n[policy]'
    edit(path, "[policy]", said)
    found, _, err = run_main(str(folder))
    assert found == code, err


@kills(
    "audit.findings.count._added",
    "figure(int(abs(total))) if total.denominator == 1 else str(abs(total))",
    "str(abs(total))",
)
def test_a_proof_writes_what_further_cells_add_up_to_as_its_language_does(tmp_path):
    rows = [((f"A{n}",), "1200") for n in range(12)] + [(("B",), "*"), (("All",), str(12 * 1200 + 3))]
    series = TinyTables(("area",), [rows], totals={"area": "All"}, markers={"*": (1, None)})
    _, out, _ = run_main(str(series.write(tmp_path)), "--language", "de")
    assert "- 6.000 (5 weitere" in " ".join(out.split()), out


KEPT = """not_counts = ["code", "extra"]
rates = { column = "percent", per = 100, decimals = 1, denominator = { sex = "All" } }
[[hiding]]
cell = { sex = "m" }
keep = true
"""
FIRST = [(("B", "m"), "40"), (("B", "f"), "30"), (("B", "All"), "70")]


def test_a_repair_leaves_no_file_that_was_not_audited(tmp_path, monkeypatch):
    draft = with_draft(tmp_path, "A,m,20\nA,f,c\nA,All,26", {"c": (0, None)}, first=FIRST, min_count=10)

    def stopped(manifest):
        if (tmp_path / "out/2.csv").exists():
            raise KeyboardInterrupt
        return read_counts(manifest)

    monkeypatch.setattr("audit.count_tables.candidate.read_counts", stopped)
    assert run_main("repair", *draft, "--output", str(tmp_path / "out"))[0] == 130
    assert not [*(tmp_path / "out").iterdir()]


@kills("audit.count_tables.candidate._all_hidden", "in files", "in ()", case="[False]")
@kills("audit.count_tables.candidate._written", "texts[at[row]] = min(filter(None, theirs), default=nothing)", "pass")
@kills("audit.count_tables.candidate._written", ", *_numbers(source, manifest)", "")
@kills("audit.count_tables.candidate._numbers", "known == both < most", "False")
@pytest.mark.parametrize("both", [False, True])
def test_a_repair_leaves_no_number_from_which_what_it_hides_follows(both, tmp_path):
    """Of 20 men, 76.9 percent are of 26 people; the code of an area says nothing, a number beside some c tells them."""
    series = TinyTables(("area", "sex"), [FIRST], totals={"sex": "All"}, markers={"c": (0, None)}, min_count=10)
    folder, candidate = series.write(tmp_path / "series"), tmp_path / "2.csv"
    text = (folder / "series.toml").read_text(encoding="utf-8")
    kept = KEPT.replace('"percent"', '"n"') if both else KEPT
    table, policy = kept.split("[[hiding]]")
    text = text.replace("[policy]", f"{table}[policy]") + f"[[hiding]]{policy}"
    (folder / "series.toml").write_text(text, encoding="utf-8")
    rows = ["A,m,20 (76.9),1,+3", "A,f,c,1,7", "A,All,26 (100.0),1,8", "B,m,40,2,9", "B,f,30,2,9", "B,All,70,2,9"]
    rows = [row if both else row.replace(" (", ",").replace(")", "") for row in rows]
    rows = [row if both or row.count(",") > 4 else row.replace(",1,", ",,1,").replace(",2,", ",,2,") for row in rows]
    head = "area,sex,n,code,extra" if both else "area,sex,n,percent,code,extra"
    candidate.write_text("\n".join([head, *rows]) + "\n", encoding="utf-8")
    for first in folder.glob("releases/*.csv"):
        others = [row.replace("40", "44").replace("30", "36").replace("70", "80") for row in rows[3:]]
        first.write_text("\n".join([head, *others]) + "\n", encoding="utf-8")
    code, out, err = run_main("repair", str(folder), str(candidate), "--output", str(tmp_path / "out"))
    emptied = 'these columns are empty now: "extra"' if both else 'these columns are empty now: "percent" and "extra"'
    assert (code, err, emptied in " ".join(out.split())) == (0, "", True), out
    written = (tmp_path / "out/2.csv").read_text(encoding="utf-8").splitlines()
    shown = ["A,m,20,1,+3", "A,f,c,1,", "A,All,c,1,"] if both else ["A,m,20,,1,+3", "A,f,c,,1,", "A,All,c,,1,"]
    assert written == [head, *shown, *rows[3:]]


@pytest.mark.parametrize(("name", "key"), [("Schlüssel", "08521"), ("Plätze", "")])
@kills("audit.count_tables.candidate._numbers", "source.num_rows + names_codes(name)", "source.num_rows")
def test_a_repair_keeps_the_codes_of_labels_that_have_one_row_each(name, key, tmp_path):
    table = 'dimensions = ["area"]\nwide = { dimension = "sex", columns = { all = "all", m = "m", f = "f" } }\n'
    table += f'totals = {{ sex = "all" }}\nmarkers = {{ c = [0, inf] }}\nnot_counts = ["{name}"]'
    head, candidate = f"{name},area,all,m,f", tmp_path / "2.csv"
    folder = write_tables(tmp_path / "series", {"1.csv": [head, "08521,A,26,13,13", "08522,B,70,30,40"]}, table)
    candidate.write_text(f"{head}\n08521,A,22,20,c\n08522,B,75,32,43\n", encoding="utf-8")
    code, _, err = run_main("repair", str(folder), str(candidate), "--output", str(tmp_path / "out"))
    assert (code, err) == (0, "")
    assert (tmp_path / "out/2.csv").read_text(encoding="utf-8").splitlines()[1].startswith(f"{key},A,")


@kills("audit.count_tables.candidate._markers", "others & {*guessed}", "others")
@kills("audit.count_tables.candidate._markers", "each[0] in others, ", "")
@kills("audit.count_tables.candidate._markers", " if text not in others & {*guessed}", "")
@kills("audit.count_tables.hiding.hidden_lower", "counts.lower >= small", "False")
@pytest.mark.many
@pytest.mark.parametrize(
    ("markers", "more", "signs"),
    [
        ({"*": (1, 4)}, "", ["", ""]),
        ({"c": (0, None)}, "", ["c", "c"]),
        ({"c": (0, None), "..": (0, None)}, "", ["c", "c"]),
        ({"*": (1, 4), "c": (0, None)}, "", ["c", "c"]),
        ({"*": (1, 4), "c": (5, None), "..": (0, None)}, "", ["..", ".."]),  # c would say that the other is at most 1
        ({"*": (1, 4), "c": (5, None)}, "", ["*", "5", "c"]),  # a blank cell beside c would be less than 5
        ({"c": (1, None)}, "", ["c", "c"]),
        ({".": (1, None), "-": (0, 0)}, "", [".", "."]),
        ({"c": (1, 99)}, "", ["c", ""]),
        ({"z": (0, None)}, "", ["z", "z"]),
        ({"z": (0, None)}, '[unconfirmed]\nkeys = ["table.markers"]\n', ["z", ""]),
        ({"z": (0, None)}, '[unconfirmed]\nkeys = ["table.markers.z"]\n', ["z", ""]),
        ({"*": (1, 4), "[x]": (0, None)}, "", ["[x]", "[x]"]),
        ({"*": (1, 4), "z": (0, None), "c": (0, None)}, "", ["c", "c"]),
    ],
)
def test_a_repair_writes_the_marker_that_can_stand_for_any_count(markers, more, signs, tmp_path):
    """An empty cell beside markers would be read as one that is not small; what may be not applicable, as neither."""
    small = next(iter(markers))
    first = [(("A", "m"), "10"), (("A", "f"), "30"), (("A", "All"), "40"), (("B", "m"), small)]
    draft = with_draft(tmp_path, f"A,m,{small}\nA,f,5\nA,All,6", markers, more, first, threshold=5)
    code, out, lines = repaired(tmp_path, draft)
    # Beside a count from 1 on, an empty cell that is not small leaves 1.
    assert more or code == (3 if signs == ["c", ""] else 0), out
    cells = zip(("A,m", "A,f", "A,All"), [*signs, "6"], strict=False)
    assert lines == ["area,sex,n", *map(",".join, cells)]
    told = json.loads(run_main("next", *draft, "--format", "json")[1])["cells"]["hide"]
    assert {each["sign"] for each in told} <= {*signs}
    assert bool(re.search("cell is left empty|cells are left empty", out)) == (not all(each["sign"] for each in told))


@kills("audit.count_tables.candidate._signs", " if ends[text] <= lowest", "")
@pytest.mark.parametrize("has", ["c", "•", ""])
def test_a_repair_writes_one_sign_into_all_hidden_cells_of_a_table(has, tmp_path):
    """The 0 cannot have c: a second sign would say which count it hides, and that c is small where others have it."""
    first = [(("A", "m"), "c"), (("A", "f"), "c"), (("A", "All"), "40")]
    rows = f"A,m,0 A,f,7 A,All,7 B,m,8 B,f,3 B,All,11 C,m,{has or 20} C,f,{has or 30} C,All,50"
    rows += " All,All,68" if has else " All,m,28 All,f,40 All,All,68"
    markers = {"c": (1, None), "•": (0, None)}
    totals = {"area": "All", "sex": "All"}
    draft = with_draft(tmp_path, rows.replace(" ", "\n"), markers, first=first, totals=totals)
    code, out, lines = repaired(tmp_path, draft)
    assert code == 0, out
    texts = {line.rsplit(",", 1)[1] for line in lines[1:]}
    assert {text for text in texts if not text.isdigit()} == {has or "•"}


@pytest.mark.parametrize("is_safe", [True, False], ids=["safe before", "not safe before"])
def test_a_document_about_a_release_to_come_is_that_of_a_copy_with_it(is_safe, tmp_path):
    """The way that docs/reference/documents.md describes."""
    first = [(("A", "m"), "s"), (("A", "f"), "30"), (("A", "All"), "s" if is_safe else "32")]
    draft = with_draft(tmp_path, "A,m,3\nA,f,50\nA,All,53", {"s": (1, None)}, first=first)
    assert repaired(tmp_path, draft)[0] == 0
    before, copy = tmp_path / "before.json", tmp_path / "with-2"
    run_main(draft[0], "--findings", "all", "--format", "json", "--output", str(before))
    shutil.copytree(draft[0], copy)
    shutil.copy(tmp_path / "out/2.csv", copy / "releases/2.csv")
    edit(copy / "series.toml", '["releases/1.csv"]', '["releases/1.csv", "releases/2.csv"]')
    code, document, _ = run_main(str(copy), "--document", "dpia", *([] if is_safe else ["--baseline", str(before)]))
    assert (code, "releases/2.csv" in document, "The policy holds" in document) == (0, True, True)


@pytest.mark.parametrize(
    ("note", "more", "sign"),
    [
        ("s : 1 à 4", "", ""),
        ("s : 1 à 4", 'not_counts = ["s : 1 à 4"]\n', "s"),
        ("s : secret statistique (effectifs de 1 à 4 et secret induit)", "", "s"),
    ],
    ids=["less", "read", "others too"],
)
def test_a_repair_writes_a_sign_unless_an_unread_note_would_be_wrong_then(note, more, sign, tmp_path):
    first = [(("A", "m"), "10"), (("A", "f"), "30"), (("A", "All"), "40"), (("B", "m"), "s")]
    draft = with_draft(tmp_path, f"A,m,3\nA,f,50\nA,All,53\n\n{note}", {"s": (1, None)}, more, first)
    assert repaired(tmp_path, draft)[2][1:3] == [f"A,m,{sign}", f"A,f,{sign}"]


@pytest.mark.parametrize(("mark", "encoding"), [("\ufeff", "utf-8"), ("", "utf-8"), ("", "cp1252"), ("", "utf-16")])
def test_repair_keeps_the_lines_around_a_table_and_the_byte_order_mark(mark, encoding, tmp_path):
    """They say what a marker means that is left in other cells."""
    draft = with_draft(tmp_path, "", {"*": (1, 4)}, threshold=5)
    above, below = f"{mark}People of 2024\n", "\nSource: the office of Bülach\n* : secret (1 to 4)\n"
    text = "{}area,sex,n\nA,m,{}\nA,f,{}\nA,All,6\nB,m,10\nB,f,30\nB,All,40\nC,m,10\nC,f,30\nC,All,40\n{}"
    (tmp_path / "2.csv").write_text(text.format(above, "*", "5", below), encoding=encoding)
    assert run_main("repair", *draft, "--output", str(tmp_path / "out"))[0] == 0
    assert (tmp_path / "out/2.csv").read_text(encoding=encoding) == text.format(above, "", "", below)


@pytest.mark.parametrize("categories", [False, True])
@pytest.mark.parametrize(
    ("label", "other", "sign"),
    [
        ("Côtes-d'Armor", "Côtes-d’Armor", "its apostrophe"),
        ("25 à 39 ans", "25\u00a0à 39 ans", "a no-break space"),
        ("25 à 39 ans", "25\u00a0a 39 ans", "its spelling"),
    ],
)
def test_a_label_that_differs_in_one_sign_is_named_with_it(label, other, sign, categories, tmp_path):
    releases = [[((text,), "11"), (("All",), "31"), (("b",), "20")] for text in (label, other)]
    covers = {"area": {label: ("a",), "b": ("b",)}} if categories else {}
    series = TinyTables(("area",), releases, totals={"area": "All"}, categories=covers)
    where = "the categories" if categories else "releases/1.csv"
    err = refused(str(series.write(tmp_path)))
    assert f'releases/2.csv:2, column "area": "{other}" differs from "{label}" in {where} by {sign} alone' in err


def test_labels_in_other_capitals_in_another_release_are_refused(tmp_path):
    first = [(("North",), "11"), (("All",), "31"), (("South",), "20")]
    second = [(("north",), "10"), (("All",), "30"), (("South",), "20")]
    series = TinyTables(("area",), [first, second], totals={"area": "All"}, over_time="same")
    err = refused(str(series.write(tmp_path)))
    assert '"north" differs from "North" in releases/1.csv by its spelling alone; write both alike' in err
    assert "releases/2.csv:2" in err


@pytest.mark.parametrize(
    ("spelled", "sex", "code"),
    [
        ("north east", "f", 2),
        ("North-East", "f", 2),
        ("North East.", "f", 2),
        ("North East", "f", 1),
        ("North West", "f", 0),  # another label
        ("north east", "m", 0),  # it stands beside the first spelling: two labels
    ],
)
def test_a_label_that_is_misspelt_in_one_row_hides_no_difference(tmp_path, spelled, sex, code):
    """A row whose label is spelled differently from all others is linked to none, so its disclosure is missed."""
    first = [(("North East", "f"), "12"), (("North East", "m"), "20")]
    second = [((spelled, sex), "13"), (("North East", "m"), "20")]
    series = TinyTables(("area", "sex"), [first, second], over_time="cumulative")
    found, _, err = run_main(str(series.write(tmp_path)))
    assert found == code, err
    assert not err or f'"{spelled}" differs from "North East"' in err


@pytest.mark.parametrize("is_told", [True, False])
def test_the_sheet_of_a_candidate_counts_the_cells_that_are_shown_and_names_the_command_that_hides_them(
    is_told, tmp_path
):
    """The candidate gives a count away; a marker that must go, too, is not a further cell to hide."""
    rows = "A,m,*\nA,f,5\nA,All,6" if is_told else "A,m,*\nA,f,30\nA,All,33"
    draft = with_draft(tmp_path, rows, {"*": (1, 4)}, threshold=5)
    _, out = printed("next", *draft)
    cells = json.loads(run_main("next", *draft, "--format", "json")[1])["cells"]["hide"]
    assert "Hide 1 further cell; " in out
    assert (sum(each["shown"] == "*" for each in cells), "In 1 cell that is hidden already" in out) == (is_told,) * 2
    [command] = re.findall(r"`audit (repair [^`]*) repaired` hides (?:it|them)", out)
    assert run_main(*command.split(), str(tmp_path / "out"))[0] == 0


@pytest.mark.parametrize("sign", ["", "•"])
def test_the_sheet_of_a_repair_counts_the_cells_that_it_lists(sign, tmp_path):
    """Where only hidden cells need another sign, or none, no further cell is hidden, and none is listed as one."""
    markers = {"*": (1, 4)} | ({sign: (0, None)} if sign else {})
    code, said, _ = repaired(tmp_path, with_draft(tmp_path, "A,m,*\nA,f,*\nA,All,8", markers))
    [cells] = re.findall(r"In (\d) cells? that (?:is|are) hidden already, leave out the marker", said)
    assert (code, "further cell" in said.lower()) == (0, False)
    listed = said.partition("Hidden cells to change")[2].partition("Hidden before")[0]
    assert listed.count("(*") == int(cells)
    assert ("the same command then writes it" in said) == (not sign)


@pytest.mark.parametrize("ending", [".csv", ".CSV", ".tsv", ".csv.gz", ".xlsx", ".sav"])
def test_what_next_recommends_can_be_done_in_every_form_of_a_table(ending, tmp_path):
    """A workbook becomes CSV, without the lines around the table, which is said; all others keep their form."""
    first = [(("A", "m"), "10"), (("A", "f"), "30"), (("A", "All"), "40")]
    series = TinyTables(("area", "sex"), [first], totals={"sex": "All"}, markers={"*": (1, 4)}, threshold=5)
    folder, candidate = series.write(tmp_path / "series"), tmp_path / f"2{ending}"
    rows = [["area", "sex", "n"], ["A", "m", "*"], ["A", "f", "30"], ["A", "All", "33"]]
    if ending == ".xlsx":
        excel(candidate, [["People of 2024"], [], *rows, [], ["Source: the office"]])
    elif ending == ".sav":
        pyreadstat.write_sav(pd.DataFrame(rows[1:], columns=rows[0]), candidate)
    else:
        with gzip.open(candidate, "wt") if ending.endswith("gz") else candidate.open("w") as file:
            file.writelines(("\t" if ending == ".tsv" else ",").join(row) + "\n" for row in rows)
    advised = " ".join(run_main("next", str(folder), str(candidate))[1].split())
    [command] = re.findall(r"`audit (repair [^`]*) repaired` hides (?:it|them)", advised)
    assert ("It writes a CSV file" in advised) == (ending in (".xlsx", ".sav"))
    code, out, err = run_main(*command.split(), str(tmp_path / "out"))
    assert (code, err, "It is a CSV file now" in out) == (0, "", ending in (".xlsx", ".sav"))
    [written] = (tmp_path / "out").iterdir()
    assert written.name == ("2.csv" if ending in (".xlsx", ".sav") else candidate.name)
    text = (gzip.decompress(written.read_bytes()) if ending.endswith("gz") else written.read_bytes()).decode()
    assert text.replace("\t", ",") == "area,sex,n\nA,m,*\nA,f,\nA,All,33\n"
    code, out, _ = run_main("next", str(folder), str(written), "--format", "html")
    assert (code, '<body class="shareable">' in out, "* stands for 1 to 4" in out) == (0, True, True)
    again = audit.load(folder, kind="tables").repair(candidate, tmp_path / "again")
    assert again.files == (tmp_path / "again" / written.name,)


SUMMAND = re.compile(r"(^|[+-] ?|: )(-?)(?:([0-9/]+) x )?([0-9,]+) \(")


@pytest.mark.parametrize("numbers", [[10] * 30, [10, 0] * 15, [7, 0, 9], [10] * 9, [10] * 10, [0, 0]])
def test_a_sum_is_short_and_still_adds_up(numbers, tmp_path):
    """Terms of 0 are left out, and the last of many are added up; the JSON report has them all."""
    cells = [((f"B{place}",), str(number)) for place, number in enumerate(numbers)]
    rows = [(("All",), str(sum(numbers) + 3)), (("A",), "*"), *cells]
    folder = TinyTables(("area",), [rows], totals={"area": "All"}, markers={"*": (1, 7)}).write(tmp_path)
    lines = run_main(str(folder))[1].splitlines()
    [place] = [place for place, line in enumerate(lines) if "area A, release 1: exactly 3" in line]
    summands = [(sign, int(number)) for sign, _, _, number in SUMMAND.findall(lines[place + 1].strip())]
    assert lines[place + 1].endswith(" = 3")
    assert sum(-number if "-" in sign else number for sign, number in summands) == 3
    assert all(number for _, number in summands)
    assert len(summands) <= 9
    assert ("further cells" in lines[place + 1]) == (sum(map(bool, numbers)) > 8)
    found = json.loads(run_main(str(folder), "--format", "json")[1])["attacks"][0]["findings"]
    [finding] = [each for each in found if each["cell"] == {"area": "A"}]
    used = {term["cell"]["area"] for bound in finding["certificate"] for term in bound["sum"]}
    assert used >= {f"B{place}" for place, number in enumerate(numbers) if number}


@pytest.mark.parametrize("apart", [False, True])
def test_a_repair_writes_the_sign_of_a_count_into_its_rate_where_others_have_it(apart, tmp_path):
    """An empty rate beside rates with a marker would say that its count is not small."""
    table = 'dimensions = ["area", "sex"]\nvalue = "n"\ntotals = { sex = "All" }\nmarkers.c = [0, inf]\n'
    table += 'rates = { column = "pct", per = 100, decimals = 1, denominator = { sex = "All" } }'
    rows = [("A", "f", "c", "c"), ("A", "m", "20", "87.0"), ("A", "All", "23", "100.0"),
            ("B", "f", "9", "52.9"), ("B", "m", "8", "47.1"), ("B", "All", "17", "100.0")]  # fmt: skip
    write_tables(tmp_path, {"1.csv": ["area,sex,n,pct", *map(",".join, rows[3:])]}, table)
    files = {"2.csv": [*rows]}
    heads = {"2.csv": "area,sex,n,pct"}
    if apart:
        files = {"2 n.csv": [row[:3] for row in rows], "2 pct.csv": [(*row[:2], row[3]) for row in rows]}
        heads = {"2 n.csv": "area,sex,n", "2 pct.csv": "area,sex,pct"}
    (tmp_path / "new").mkdir()
    for name, own in files.items():
        (tmp_path / "new" / name).write_text("\n".join([heads[name], *map(",".join, own)]) + "\n")
    candidate = [str(tmp_path / "new" / name) for name in files]
    code, _, err = run_main("repair", str(tmp_path), *candidate, "--output", str(tmp_path / "out"))
    assert (code, err) == (0, "")
    written = [(tmp_path / "out" / name).read_text().splitlines()[1:3] for name in files]
    assert written == ([["A,f,c", "A,m,c"]] * 2 if apart else [["A,f,c,c", "A,m,c,c"]])


@pytest.mark.parametrize("is_rated", [False, True])
def test_rates_are_left_out_only_where_a_hidden_cell_has_one(is_rated, tmp_path):
    table = (
        'dimensions = ["area", "sex"]\nvalue = "n"\ntotals = { sex = "All" }\nmarkers.c = [1, 4]\n'
        'rates = { column = "rate", per = 1000, decimals = 2, denominator = "population" }\n'
    )
    rows = [
        "A,f,c,,",
        "A,m,20,900,22.22" if is_rated else "A,m,20,,",
        "A,All,23,,",
        "B,f,9,,",
        "B,m,8,,",
        "B,All,17,900,18.89",
    ]
    write_tables(tmp_path, {"1.csv": ["area,sex,n,population,rate", "B,All,17,900,18.89"]}, table)
    (tmp_path / "2.csv").write_text("\n".join(["area,sex,n,population,rate", *rows, ""]))
    _, out, _ = run_main("next", str(tmp_path), str(tmp_path / "2.csv"))
    assert "hides" in out
    assert ("Leave out the rates beside hidden cells" in out) == is_rated


@pytest.mark.parametrize("inside", [True, False])
def test_a_candidate_has_the_tag_that_it_will_have_in_the_series(tmp_path, inside, monkeypatch):
    """Where each release is a folder, that is the name of its folder, wherever the command is run."""
    text = "area,n\nA,10\nB,12\nall,22\n"
    head = '[table]\ndimensions = ["area"]\nvalue = "n"\ntotals.area = "all"\nover_time = "independent"\n'
    for quarter in ("2023-q4", "2024-q1"):
        (tmp_path / quarter).mkdir()
        (tmp_path / quarter / "counts.csv").write_text(text)
    releases = 'releases = [{ tag = "2023-q4", tables = ["2023-q4/counts.csv"] }]'
    (tmp_path / "series.toml").write_text(f'[series]\nkind = "tables"\n{releases}\n{head}[policy]\nmin_count = 5\n')
    monkeypatch.chdir(tmp_path / "2024-q1" if inside else tmp_path)
    _, out, _ = run_main("next", str(tmp_path), "counts.csv" if inside else "2024-q1/counts.csv")
    assert "release 2024-q1 is the candidate, not yet published" in out
    assert run_main("next", str(tmp_path), "." if inside else "2024-q1")[1] == out
    edit(tmp_path / "series.toml", releases, 'releases = ["2023-q4/counts.csv"]')
    (tmp_path / "2024-q1/counts.csv").rename(tmp_path / "2024-q1/more.csv")
    _, out, _ = run_main("next", str(tmp_path), str(tmp_path / "2024-q1/more.csv"))
    assert "release more is the candidate, not yet published" in out


@pytest.mark.parametrize(("marker", "says"), [((1, 4), True), ((1, 9), False), ((3, 3), False)])
def test_a_sheet_says_how_narrowly_a_count_may_be_known(marker, says, tmp_path):
    cells = [(("A", "m"), "*"), (("A", "f"), "20")]
    folder = TinyTables(("area", "sex"), [cells], markers={"*": marker}, min_count=5, min_width=3).write(tmp_path)
    out = run_main(str(folder), "--format", "html")[1]
    assert ("a count of which only 3 values are possible is no finding" in out) == says
    assert "nor hidden ones to fewer than 3 values" in " ".join(run_main(str(folder))[1].split())


@pytest.mark.parametrize("form", ["text", "csv"])
def test_series_of_count_tables_are_compared_by_their_verdicts_and_measures(form, tmp_path):
    folders = [str(PLAIN.write(tmp_path / name)) for name in ("one", "other")]
    code, out, err = run_main("compare", *folders, "--format", form)
    assert (code, err) == (0, "")
    assert out.count("not safe") == 2
    assert (out.splitlines()[0].startswith("series,verdict,published cells,")) == (form == "csv")


@kills("audit.count_tables.cell_rates.CellRates._read", "reader.point = ", "reader.manifest and ")
def test_a_rate_that_says_no_more_than_a_number_with_points_is_not_named(tmp_path):
    """A point parts thousands: 1.235, rounded to 5, stands for 1,233 to 1,237, and its rate for 1,196 to 1,240."""
    table = 'dimensions = ["Bezirk"]\nvalue = "Fälle"\nrounding = { to = 5 }\n'
    table += 'rates = { column = "Rate", per = 100, decimals = 1, denominator = "Bevölkerung" }\n'
    rows = ["Bezirk;Fälle;Bevölkerung;Rate", "Nord;1.235;45.123;2,7", "Süd;1.310;44.301;3,0"]
    folder = write_tables(tmp_path, {"2023.csv": rows}, table)
    out = run_main("explain", str(folder), "--cell", "Bezirk=Nord")[1]
    assert ("1,233 (Bezirk Nord, published 1.235)" in out, "Rate" in out) == (True, False)


@kills("audit.count_tables.cell_rates.CellRates.of", "is_number or ", "True or ")
@kills("audit.count_tables.candidate._needless_rates", "if is_enough else ()", "if not is_enough else ()")
def test_a_rate_that_discloses_a_rounded_count_is_named_and_may_be_left_out(tmp_path):
    """The proof was that the count, published as 0, is 1; and only hiding cells was advised."""
    counts = {"A": (2, 2304), "B": (31, 4120), "C": (57, 6233), "All": (90, 12657)}
    table = 'dimensions = ["area"]\nvalue = "n"\ntotals.area = "All"\nrounding = { to = 5 }\nmarkers.c = [0, inf]\n'
    table += 'rates = { column = "rate", per = 1000, decimals = 2, denominator = "people" }\n'

    def lines(rated):
        rows = [(area, (n + 2) // 5 * 5, people, f"{1000 * n / people:.2f}") for area, (n, people) in counts.items()]
        return [",".join(map(str, row[: 3 + rated])) for row in (("area", "n", "people", "rate"), *rows)]

    write_tables(tmp_path / "bare", {"1.csv": lines(rated=False)}, table.partition("rates")[0], "min_count = 3")
    write_tables(tmp_path / "s", {"1.csv": lines(rated=True)}, table, "min_count = 3")
    code, out, _ = run_main("explain", str(tmp_path / "s"), "--cell", "area=A")
    assert "rate 0.87, per 1,000 of 2,304, gives exactly 2" in " ".join(out.split()), out
    (tmp_path / "draft").mkdir()
    draft = tmp_path / "draft/2.csv"
    draft.write_text("\n".join([*lines(rated=True), ""]), encoding="utf-8")
    code, out, _ = run_main("next", str(tmp_path / "s"), str(draft))
    assert (code, 'Or leave out the rates in "rate": then nothing new' in " ".join(out.split())) == (1, True), out
    draft.write_text("\n".join([*lines(rated=False), ""]), encoding="utf-8")
    code, out, _ = run_main("next", str(tmp_path / "s"), str(draft))
    assert "new: 0" in out or code == 0, out


@kills("audit.count_tables.judged_counts._knows", "return False", "pass")
@pytest.mark.parametrize("over_time", ["independent", "cumulative"])
def test_nothing_is_said_of_a_label_in_releases_that_do_not_know_it(over_time, tmp_path):
    """It was said to be exactly 0 there; only increases since such a release are about what it does not know."""
    rows = ["area,n", "A,20", "B,31"]
    table = f'dimensions = ["area"]\nvalue = "n"\ntotals.area = "All"\nover_time = "{over_time}"\n'
    tables = {"2023.csv": [*rows, "All,51"], "2024.csv": [*rows, "C,7", "All,58"]}
    series = 'releases = ["2023.csv", "2024.csv"]'
    folder = write_tables(tmp_path, tables, table, "min_count = 5", series=series)
    new, old = (run_main("explain", str(folder), "--cell", f"area={area}")[1] for area in "CA")
    assert ("exactly 7" in new, "Release 2023" in new) == (True, over_time == "cumulative")
    assert old.count("exactly 20") == 2
