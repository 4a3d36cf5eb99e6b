"""Witnesses of count tables compared with integer programming: shown statements are true; no forgery shows more."""

import ast
import hashlib
import json
import math
import os
import random
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from itertools import product
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from attacks.differencing.attack import Differencing
from audit.witness import verify_asked, verify_tables
from tests.helpers.amount import slow, some
from tests.helpers.count_tables import TinyTables
from tests.helpers.running import refused, run_main
from tests.mutants.mutant import kills
from tests.oracle.count_tables import Oracle
from tests.oracle.drawn_tables import drawn

CHECKERS = [
    Path(verify_tables.__file__).with_name(f"verify_{name}.py")
    for name in ("tables", "frame", "cells", "asked", "sums", "rates", "shapes")
]
EXAMPLES = Path(__file__).parent.parent / "count_table_examples"
SHOWN = ("tidy", "wide", "rates", "shares", "shares in cells", "changes", "parts", "status", "left out")
SERIES, FORGERIES = some(60), 12
SMALL = TinyTables(
    ("area", "sex"),
    [[(("n", "f"), "*"), (("n", "m"), "*"), (("n", "All"), "6"), (("s", "All"), "7"), (("All", "All"), "13")]],
    totals={"area": "All", "sex": "All"},
    markers={"*": (1, 4)},
    min_count=5,
)


def witnessed(folder, where):
    """The exit codes of the audit and of the checker, and what the latter says."""
    code, _, err = run_main(str(folder), "--witness", str(where))
    return (code, None, err) if code == 2 else (code, *checked(folder, where))


def checked(folder, where):
    return run_main("verify", str(folder), str(where))[:2]


def read(where):
    statement, questions = (json.loads((where / f"{name}.json").read_text()) for name in ("statement", "questions"))
    return statement, questions, pq.read_table(where / "tables.parquet").to_pydict()


def write(where, statement, questions, tables):
    (where / "statement.json").write_text(json.dumps(statement))
    (where / "questions.json").write_text(json.dumps(questions))
    pq.write_table(pa.table(tables), where / "tables.parquet")


def boxes(oracle, questions, rule):
    """The atoms and the periods of each question of a witness."""
    for period, since, *places in questions[rule]:
        atoms = [
            oracle.atoms[at] if oracle.atoms[at] == ["everybody"] else questions["sets"][name][place]
            for at, (name, place) in enumerate(zip(oracle.series.dimensions, places, strict=True))
        ]
        periods = [period] if oracle.series.over_time == "independent" else [*range(since + 1, period + 1)]
        yield frozenset(product(*atoms)), tuple(periods)


def truth(oracle, questions, rule):
    """How many questions of a witness are findings, and how many are not, by integer programming."""
    series, findings, unsaid = oracle.series, 0, oracle.unsaid()
    for box, periods in boxes(oracle, questions, rule):
        low, high = oracle.interval_of(box, [*periods])
        width = math.inf if high is None else high - low + 1
        if rule == "min_width":
            findings += width < series.min_width
        else:
            near = width == 1 or width < series.min_count - 1 or (box, periods) in unsaid
            findings += low >= 1 and width + low - 1 < series.min_count and near
    return findings, len(questions[rule]) - findings


def needed(oracle, folder):
    """The questions that the checker asks for: of hidden cells, and of others."""
    series = verify_tables.TableSeries(folder)
    behind, large, numbers = verify_asked.cells(series)

    def named(box):
        sets = [{at: some for some, at in axis.items()}[place] for axis, place in zip(series.sets, box, strict=True)]
        *atoms, periods = [[each[at] for at in sorted(some)] for each, some in zip(series.atoms, sets, strict=True)]
        everybody = [atoms == ["everybody"] for atoms in oracle.atoms]
        chosen = [["everybody"] if alone else some for alone, some in zip(everybody, atoms, strict=True)]
        return frozenset(product(*chosen)), tuple(periods)

    return {*map(named, behind)}, {*map(named, large | numbers | verify_asked.derived(series))}


def is_so(oracle, where):
    """Whether what a witness states is so, as far as it goes."""
    statement, questions, _ = read(where)
    for claim in statement["claims"]:
        findings, others = truth(oracle, questions, claim["claim"])
        if claim["findings"] > findings or claim["settled"] > others:
            return False
    return True


@kills("audit.witness.verify_asked.choices", "one - other, other - one", "one - other", case="[6]")
@kills(
    "audit.witness.verify_asked.derived", "sets, period - 1) for sets in every", "sets, period - 1) for sets in shown"
)
@pytest.mark.parametrize("seed", range(SERIES))
def test_what_is_shown_is_so_and_no_forgery_shows_more(seed, tmp_path):
    rng = random.Random(seed)  # noqa: S311
    published = drawn(rng, SHOWN[seed % len(SHOWN)])
    oracle, folder, where = (
        Oracle(next(iter(published.series.values()))),
        published.write(tmp_path / "series"),
        tmp_path / "witness",
    )
    answer = oracle.answer()
    audit, code, said = witnessed(folder, where)
    if answer is None or code is None:
        assert audit == 2
        alone = "a row with at most one text" in said  # a row may be a note
        assert answer is None or published.undecided or alone, said
        return
    assert code == 0, said
    statement, questions, _ = read(where)
    for claim in statement["claims"]:
        assert (claim["findings"], claim["settled"]) == truth(oracle, questions, claim["claim"])
    assert needed(oracle, folder) == oracle.of_labels()
    assert audit == bool(answer.findings)
    assert bool(sum(claim["findings"] for claim in statement["claims"])) == bool(answer.findings)
    for _ in range(FORGERIES):
        shutil.rmtree(tmp_path / "forged", ignore_errors=True)
        forged = shutil.copytree(where, tmp_path / "forged")
        files = read(forged)
        for _ in range(rng.randint(1, 2)):
            rng.choice([forge_table, forge_question, forge_proof, forge_claim])(rng, *files)
        write(forged, *files)
        assert agreed(folder, forged) != 0 or is_so(oracle, forged)


def agreed(folder, where):
    """Check a forged witness, its claims being those that the checker would believe."""
    for _ in range(3):
        code, said = checked(folder, where)
        found = re.search(r"found: (\d+), (\{.*?\})", said)
        if not found:
            break
        statement, *others = read(where)
        believed = ast.literal_eval(found[2])
        claims = [
            each | believed if str(each["claim"]) in said.split("not shown")[1] else each
            for each in statement["claims"]
        ]
        write(where, statement | {"claims": claims}, *others)
    return code


def forge_table(rng, statement, questions, tables):
    column = tables[rng.choice([name for name in tables if name.startswith("table_")])]
    if column:
        places = rng.sample(range(len(column)), min(2, len(column)))
        for place, by in zip(places, (1, -1), strict=False):
            column[place] += by * rng.choice([1, 1, 2, -1])


def forge_question(rng, statement, questions, tables):
    rule = rng.choice(["min_width", "min_count"])
    if questions[rule]:
        question = questions[rule].pop(rng.randrange(len(questions[rule])))
        kind = rng.randrange(3)
        if kind == 1:
            questions["min_count" if rule == "min_width" else "min_width"].append(question)
        elif kind == 2:
            question[rng.randrange(len(question))] += rng.choice([-1, 1])
            questions[rule].append(question)


def forge_proof(rng, statement, questions, tables):
    proofs = questions["proofs"][rng.choice(["min_width", "min_count"])]
    if not proofs:
        return
    bound = rng.choice(proofs)
    kind = rng.randrange(4)
    if kind == 0:
        bound[0] = rng.randrange(len(questions["min_count"]))
    elif kind == 1:
        bound[2] += rng.choice([-1, 1])
    elif kind == 2:
        bound[1] = not bound[1]
    elif bound[3].get("sum"):
        term = rng.choice(bound[3]["sum"])
        term[rng.randrange(3)] += rng.choice([-1, 1])


def forge_claim(rng, statement, questions, tables):
    claim = rng.choice(statement["claims"])
    claim[rng.choice(["settled", "findings", "questions", "limit"])] += rng.choice([-1, 1])


@pytest.mark.parametrize("seed", range(some(12)))
def test_nested_labels_are_shown(seed, tmp_path):
    published = drawn(random.Random(seed), "nested")  # noqa: S311
    folder = published.write(tmp_path / "series")
    audit, code, said = witnessed(folder, tmp_path / "witness")
    assert code == 0, said
    claims = read(tmp_path / "witness")[0]["claims"]
    assert all(claim["settled"] + claim["findings"] == claim["questions"] for claim in claims)
    assert audit == any(claim["findings"] for claim in claims)


@pytest.mark.parametrize("name", sorted(path.name for path in EXAMPLES.glob("*")))
def test_examples_are_wholly_shown(name, tmp_path):
    _, done, said = witnessed(EXAMPLES / name, tmp_path / "witness")
    assert done == 0, said
    for claim in read(tmp_path / "witness")[0]["claims"]:
        assert claim["settled"] + claim["findings"] == claim["questions"]


def test_the_checker_runs_by_itself(tmp_path):
    folder, where = SMALL.write(tmp_path / "series"), tmp_path / "witness"
    assert witnessed(folder, where)[1] == 0
    for file in CHECKERS:
        shutil.copy(file, tmp_path)
        assert len(file.read_text().splitlines()) <= 300
        assert not re.search(r"^\s*(from|import) (audit|attacks)", file.read_text(), re.MULTILINE)
    command = [sys.executable, "-I", str(tmp_path / CHECKERS[0].name), str(folder), str(where)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


LEFT_OUT = ["N,f,3 N,All,3 S,f,1 S,m,9 S,All,10 W,All,0 All,f,5 All,m,11 All,All,16",
            "N,f,3 N,All,3 S,f,c S,m,9 S,All,10 W,m,9 W,All,9 All,f,5 All,m,20 All,All,25"]  # fmt: skip


@slow
def test_rows_that_are_left_out_have_the_same_numbers_in_each_process(tmp_path):
    """Python draws the order of sets anew in each: of 9 pairs of processes, 4 rejected what is so."""
    folder, where = tmp_path / "series", str(tmp_path / "witness")
    (folder / "releases").mkdir(parents=True)
    for number, rows in enumerate(LEFT_OUT, 1):
        (folder / "releases" / f"{number}.csv").write_text("\n".join(["area,sex,n", *rows.split()]) + "\n")
    columns = 'dimensions = ["area", "sex"]\nvalue = "n"\ntotals = { area = "All", sex = "All" }\nopen = ["area"]'
    rules = (
        'absent = "zero"\nmarkers = { c = [0, 2] }\nover_time = "cumulative"\n[policy]\nmin_count = 3\nmin_width = 2'
    )
    text = f'[series]\nkind = "tables"\nreleases = ["releases/*.csv"]\n[table]\n{columns}\n{rules}\n'
    (folder / "series.toml").write_text(text)
    assert run_main(str(folder), "--witness", where)[0] == 1
    for number in range(4):
        command = [sys.executable, str(CHECKERS[0]), str(folder), where]
        seeded = {**os.environ, "PYTHONHASHSEED": str(number)}
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=seeded)
        assert done.returncode == 0, (number, done.stdout, done.stderr)


def stated(tmp_path):
    folder, where = SMALL.write(tmp_path / "series"), tmp_path / "witness"
    assert witnessed(folder, where)[1] == 0
    return folder, where, read(where)


def without_periods(tables):
    for name in [name for name in tables if re.fullmatch(r"table_[1-9]\d*", name)]:
        del tables[name]


@kills("audit.witness.verify_tables.read_tables", "low <= count <= high", "True")
@pytest.mark.parametrize(
    ("change", "code", "told"),
    [
        (lambda stated, asked, tables: tables["table_0"].insert(0, tables["table_0"].pop(0) + 1), 1, "is published"),
        (lambda stated, asked, tables: asked["min_width"].pop(), 1, "other hidden cells"),
        (lambda stated, asked, tables: stated["claims"][1].update(settled=0), 1, "found: 5"),
        (lambda stated, asked, tables: stated["claims"][1].update(settled=5.0), 1, "found: 5"),
        (lambda stated, asked, tables: tables.update(table_9=tables["table_0"]), 1, "other columns"),
        (lambda stated, asked, tables: asked["min_count"].pop(), 1, "does not ask about"),
        (lambda stated, asked, tables: without_periods(tables), 1, ""),
        (lambda stated, asked, tables: stated["claims"].pop(), 2, "these claims"),
    ],
    ids=[
        "a count more",
        "a hidden cell less",
        "other numbers of the second claim",
        "a number that is not whole",
        "a table without its number",
        "a derived count less",
        "one table alone",
        "a limit less",
    ],
)
def test_what_lacks_a_part_or_fits_no_table_shows_nothing(change, code, told, tmp_path):
    folder, where, files = stated(tmp_path)
    change(*files)
    write(where, *files)
    found, said = checked(folder, where)
    assert (found, told in said, said.startswith("shown")) == (code, True, False), said


def test_a_proof_of_too_much_shows_nothing(tmp_path):
    recovered = [[(("n", "f"), "*"), (("n", "m"), "5"), (("n", "All"), "8")]]
    series = TinyTables(("area", "sex"), recovered, totals={"sex": "All"}, markers={"*": (1, 4)})
    folder, where = series.write(tmp_path / "series"), tmp_path / "witness"
    assert witnessed(folder, where)[:2] == (1, 0)
    statement, questions, tables = read(where)
    bound = next(each for each in questions["proofs"]["min_width"] if each[1])
    bound[2] -= 1
    write(where, statement, questions, tables)
    code, said = checked(folder, where)
    assert (code, said.startswith("not shown")) == (1, True), said
    assert "a proof does not show" in said


def test_releases_of_a_pattern_are_in_the_order_of_their_numbers(tmp_path):
    folder, where = SMALL.write(tmp_path / "series"), tmp_path / "witness"
    (folder / "releases" / "1.csv").rename(folder / "releases" / "10.csv")
    shutil.copy(folder / "releases" / "10.csv", folder / "releases" / "9.csv")
    manifest = folder / "series.toml"
    manifest.write_text(manifest.read_text().replace("releases/1.csv", "releases/*.csv"))
    assert witnessed(folder, where)[1] == 0
    series = verify_tables.TableSeries(folder)
    assert [*series.read][1:3] == ["releases/9.csv", "releases/10.csv"]
    shutil.copy(folder / "releases" / "9.csv", folder / "releases" / "09.csv")
    code, said = checked(folder, where)
    assert (code, "equal numbers" in said) == (2, True), said
    (folder / "releases" / "09.csv").unlink()
    for old, new in (("9", "9-2023"), ("10", "10-2022")):
        (folder / "releases" / f"{old}.csv").rename(folder / "releases" / f"{new}.csv")
    code, said = checked(folder, where)
    assert (code, "a year behind other numbers" in said) == (2, True), said


@kills("audit.witness.verify_tables.checked", 'FRAME["check_files"](folder, series.read, stated)', "stated")
def test_a_statement_is_about_its_files(tmp_path):
    folder, where, _ = stated(tmp_path)
    release = folder / "releases" / "1.csv"
    release.write_text(release.read_text() + "\n")  # which means the same
    code, said = checked(folder, where)
    assert code == 1
    assert "has changed since" in said


@pytest.mark.parametrize(
    ("before", "after", "named"),
    [
        ("[policy]\n", '[unconfirmed]\nkeys = ["table.markers"]\n[policy]\n', "unconfirmed"),
        ('value = "n"\n', 'values = ["n"]\n', "not parts of one whole"),
    ],
)
def test_what_is_not_supported_is_named(before, after, named, tmp_path):
    folder, where = SMALL.write(tmp_path / "series"), tmp_path / "witness"
    manifest = folder / "series.toml"
    manifest.write_text(manifest.read_text().replace(before, after))
    code, _, err = witnessed(folder, where)
    assert code == 2
    assert named in err


def test_a_table_in_another_encoding_is_named(tmp_path):
    folder = SMALL.write(tmp_path / "series")
    release = folder / "releases/1.csv"
    release.write_bytes(release.read_bytes() + "\u00e4,f,20\n".encode("cp1252"))
    assert "a file that is not UTF-8: releases/1.csv" in witnessed(folder, tmp_path / "witness")[2]


@kills("audit.witness.verify_tables.letters", "name.casefold()", "name")
@pytest.mark.parametrize("spelled", ["Sex", "\u00absex\u00bb"])
def test_another_spelling_of_a_column_is_named(spelled, tmp_path):
    folder = replace(SMALL, releases=[[((*labels[:1], "All"), text)] for labels, text in SMALL.releases[0][2:]])
    release = folder.write(tmp_path / "series") / "releases/1.csv"
    release.write_text(release.read_text().replace("sex", spelled), encoding="utf-8")
    assert f"another spelling of a column: {spelled}" in witnessed(tmp_path / "series", tmp_path / "witness")[2]


def test_another_policy_than_the_manifests_is_refused(tmp_path):
    folder = SMALL.write(tmp_path / "series")
    assert "a policy" in refused(str(folder), "--policy", "min_count=3", "--witness", str(tmp_path / "witness"))


@pytest.mark.parametrize(("key", "code", "times"), [("", 0, 1), ('[unconfirmed]\nkeys = ["table.markers"]\n', 2, 0)])
def test_the_attack_runs_once_and_never_on_what_no_checker_supports(key, code, times, tmp_path, monkeypatch):
    run, ran = Differencing.run, []
    monkeypatch.setattr(Differencing, "run", lambda *words: ran.append(words) or run(*words))
    folder = SMALL.write(tmp_path / "series")
    manifest = folder / "series.toml"
    manifest.write_text(manifest.read_text().replace("[policy]\n", f"{key}[policy]\n"))
    assert run_main(str(folder), "--witness", str(tmp_path / "w"))[0] == code
    assert len(ran) == times


@pytest.mark.parametrize(
    ("key", "old", "new", "two"),
    [
        ('flags = ["p"]', "6", "6 p", "n/f"),
        ('not_published = ["z"]', "s,All,7", "s,All,z", "n/f"),
        ("perturbation = 1", "6", "6", "n/All"),
        ('rounding = { to = 2, how = "nearest" }\nperturbation = 1', "7\n", "8\n", "n/All"),
    ],
)
def test_further_ways_to_publish_are_shown(key, old, new, two, tmp_path):
    folder, where = SMALL.write(tmp_path / "series"), tmp_path / "witness"
    release, manifest = folder / "releases" / "1.csv", folder / "series.toml"
    manifest.write_text(manifest.read_text().replace("[table]\n", f"[table]\n{key}\n"))
    release.write_text(release.read_text().replace("13", "14" if "rounding" in key else "13").replace(old, new))
    _, done, said = witnessed(folder, where)
    assert done == 0, said
    _, _, tables = read(where)
    rows = [place for place, area in enumerate(tables["area"]) if area == two[0]]
    if two.endswith("f"):
        rows = [place for place in rows if tables["sex"][place] == "f"]
    counts = {sum(tables[name][place] for place in rows) for name in tables if name.startswith("table_")}
    assert len(counts) > 1, tables


def published(folder, rules, lines):
    (folder / "releases").mkdir(parents=True)
    (folder / "releases" / "1.csv").write_text("\n".join([*lines, ""]))
    text = '[series]\nkind = "tables"\nreleases = ["releases/1.csv"]\n[table]\nvalue = "n"\n'
    (folder / "series.toml").write_text(f"{text}{rules}\n[policy]\nmin_count = 5\n")
    return folder


@kills("audit.witness.verify_rates.changed", "need(before,", "need(True,")
@kills("audit.witness.verify_rates.rated", "need(cells.get(total),", "need(True,")
@pytest.mark.parametrize(("rule", "cells", "named"), [
    ('change = { column = "x" }', "N,f,c,+4 N,m,c, N,All,60, S,f,30,", "a change since a release that is not in the"),
    ('rates = { column = "x", per = 100, decimals = 1, denominator = { sex = "All" } }', "N,f,14,66.7 N,m,c, S,f,30,",
     "a rate of a cell that is not published"),
])  # fmt: skip
def test_what_tells_of_a_count_that_is_not_there_is_not_supported(rule, cells, named, tmp_path):
    rules = f'dimensions = ["area", "sex"]\ntotals = {{ sex = "All" }}\nmarkers = {{ c = [0, inf] }}\n{rule}'
    folder = published(tmp_path / "series", rules, ["area,sex,n,x", *cells.split(), "S,All,40,"])
    assert named in refused(str(folder), "--witness", str(tmp_path / "witness"))


@kills("audit.witness.verify_sums.interval", " and not exact", "")
@kills("audit.witness.verify_tables.TableSeries.file", "(tag, name, column)", "(tag, name)")
@pytest.mark.parametrize("exact", ["1", "releases/1.csv", "n"])
def test_exact_numbers_are_neither_rounded_nor_perturbed(exact, tmp_path):
    """Tables of rounded numbers would show several values of a hidden count that follows from exact ones."""
    shown = [(("n", "f"), "*"), (("n", "m"), "15"), (("n", "All"), "20")]
    series = replace(SMALL, releases=[shown, shown], markers={"*": (1, 9)}, rounding=(5, "nearest"), min_width=2)
    folder = series.write(tmp_path / "series")
    text = (folder / "series.toml").read_text(encoding="utf-8")
    (folder / "series.toml").write_text(text.replace("[policy]", f'exact = ["{exact}"]\n[policy]'), encoding="utf-8")
    audit, code, said = witnessed(folder, tmp_path / "witness")
    assert (audit, code, f"{1 + (exact == 'n')} are findings (proved)" in said) == (1, 0, True), said


@pytest.mark.parametrize("absent", ["", '\nabsent = "zero"'])
def test_codes_lie_inside_those_with_which_they_begin(absent, tmp_path):
    rules = f'dimensions = ["area", "sex"]\ncodes = ["area"]\nmarkers = {{ c = [0, 9] }}{absent}'
    cells = "D,f,40 D1,f,16 D11,f,c D12,f,c D2,f,24 E,f,7 D,m,14 D1,m,14 D11,m,9 D12,m,5"
    lines = ["area,sex,n", *cells.split()]
    folder, where = published(tmp_path / "series", rules, lines), tmp_path / "witness"
    found, done, said = witnessed(folder, where)
    assert (found, done) == (0, 0), said
    assert {*read(where)[2]["area"]} == {"D11", "D12", "D2", "E"}


def test_kinds_of_people_rest_on_the_program(tmp_path):
    rules = 'dimensions = ["area", "kind"]\ntotals = { area = "All", kind = "All" }\nsensitive = ["kind"]'
    lines = ["area,kind,n", "N,hiv,12", "N,flu,0", "S,hiv,9", "S,flu,9"]
    folder, where = published(tmp_path / "series", rules, lines), tmp_path / "witness"
    found, done, said = witnessed(folder, where)
    assert (found, done) == (1, 0), said
    assert [each for each in read(where)[0]["rests"] if "min_labels" in each]


ROUNDED = '\nrounding = { to = 5, how = "nearest" }'


@pytest.mark.parametrize(("marked", "more", "codes"), [
    ("7,1.0,700", "", (0, 0)), ("c,1.0,700", "", (1, 0)), ("10,1.4,700", ROUNDED, (0, 0)),
    ("c,1.0,700", ROUNDED, (2, None)),
])  # fmt: skip
def test_a_rate_of_a_published_count_says_nothing_more(marked, more, codes, tmp_path):
    """If counts are not rounded, it is a rate of the count."""
    rate = '{ column = "rate", per = 100, decimals = 1, denominator = "people", of = "published" }'
    rules = f'dimensions = ["area"]\nmarkers = {{ c = [5, 9] }}\nrates = {rate}{more}'
    lines = ["area,n,rate,people", "N,30,1.5,2000", f"S,{marked}"]
    folder, where = published(tmp_path / "series", rules, lines), tmp_path / "witness"
    found, done, said = witnessed(folder, where)
    assert (found, done) == codes, said


@kills(
    "audit.witness.verify_rates.limit",
    "max(low, series.low[one]), min(high, series.high[one])",
    "series.low[one], series.high[one]",
)
def test_a_table_contradicts_another_rate_than_the_one_it_was_made_of(tmp_path):
    folder, where = Path(shutil.copytree(EXAMPLES / "tables-rates", tmp_path / "s")), tmp_path / "w"
    assert witnessed(folder, where)[1] == 0
    release = folder / "releases" / "2024.csv"
    release.write_text(release.read_text().replace("224.9", "230.4"))  # of 42 people instead of 41
    statement, *others = read(where)
    statement["files"]["releases/2024.csv"]["sha256"] = hashlib.sha256(release.read_bytes()).hexdigest()
    write(where, statement, *others)
    code, said = checked(folder, where)
    assert (code, "the count 41" in said) == (1, True), said
