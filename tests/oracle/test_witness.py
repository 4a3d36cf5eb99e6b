"""Witnesses of series about people: what is shown of examples, what is refused, and single forgeries."""

import ast
import csv
import hashlib
import json
import random
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from itertools import combinations
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attacks.joint.answers import Answers
from audit.pipeline import attack_run
from audit.witness import proofs, verify
from tests.helpers.amount import slow, some
from tests.helpers.messy import series_of
from tests.helpers.running import refused, run_main, written
from tests.helpers.strategies import linked_series
from tests.mutants.mutant import kills
from tests.oracle import second_checker
from tests.oracle.larger import drawn_at_random
from tests.oracle.test_joint_steps import circle

CHECKERS = sorted(Path(verify.__file__).parent.glob("verify*.py"))
EXAMPLES = Path(__file__).parent.parent / "examples"
SERIES, FORGERIES = some(60), some(60)


def witnessed(folder, where):
    """The exit codes of the audit and of the checker, and what the latter says."""
    code, _, err = run_main(str(folder), "--witness", str(where))
    if code == 2:
        return code, None, err
    return code, *checked(folder, where)


def checked(folder, where):
    done, said, _ = run_main("verify", str(folder), str(where))
    return done, said


def claims(where):
    """The claims by kind, of each kind the first."""
    return {each["claim"]: each for each in reversed(json.loads((where / "statement.json").read_text())["claims"])}


@kills("audit.witness.proofs.register_steps", "if programme is None or", "if True or")
def test_points_prove_who_is_certain_because_others_take_the_rows(tmp_path):
    rows, where = "Age,D\n20-29,flu\n20,hiv\n20-29,flu\n20-25,gas\n", tmp_path / "w"
    people = "individual,Age,first,last\na,28,1,1\nb,27,1,1\nc,20,1,1\nd,23,1,1\n"
    columns, more = 'sensitive = "D"\nquasi_identifiers = ["Age"]', '[adversary]\nregister = "register.csv"'
    series = series_of(tmp_path / "series", [rows], columns, more, register=people)
    assert witnessed(series, where)[:2] == (1, 0)
    found = claims(where)["values"]
    assert (found["certain"], found["two"]) == (4, 0)
    assert not second_checker.objection(series, where)
    proofs = json.loads((where / "proofs.json").read_text())
    free = [[[*of, 0] for *of, _ in step] for step in proofs["steps"]]
    for steps in ([], free):
        (where / "proofs.json").write_text(json.dumps({"steps": steps}))
        assert checked(series, where)[0] == 1
        assert second_checker.objection(series, where)


# -- forgeries ------------------------------------------------------------------------------------------


def rewrite(path, change):
    found = json.loads(path.read_text())
    change(found)
    path.write_text(json.dumps(found))


def forge_release(rng, folder, where, *, hashed):
    path = rng.choice(sorted((folder / "releases").glob("*.csv")))
    with path.open(newline="") as file:
        head, *lines = csv.reader(file)
    one, other, column = rng.choice(lines), rng.choice(lines), rng.randrange(len(head))
    one[column], other[column] = other[column], one[column]
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([head, *lines])

    def change(statement):
        file = statement["files"][path.relative_to(folder).as_posix()]
        file["sha256"] = hashlib.sha256(path.read_bytes()).hexdigest()

    if hashed:
        rewrite(where / "statement.json", change)


@kills("audit.witness.verify_frame.check_files", 'stated["files"].get(name) == same', "True")
def test_a_file_with_other_ends_of_lines_is_another_file(tmp_path):
    folder, where = tmp_path / "series", tmp_path / "witness"
    shutil.copytree(EXAMPLES / "hospital-l-diverse", folder)
    assert witnessed(folder, where)[1] == 0
    assert checked(folder, where)[0] == 0
    path = min((folder / "releases").glob("*.csv"))
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    code, said = checked(folder, where)
    assert code == 1
    assert "has changed since the statement was written" in said


@kills("audit.witness.verify.check_world", "(taken <= held.ravel()).all()", "True")
def test_a_world_that_fits_no_group_shows_nothing(tmp_path):
    series = EXAMPLES / "hospital-l-diverse"
    assert witnessed(series, tmp_path)[1] == 0
    table = pq.read_table(tmp_path / "worlds.parquet").to_pydict()
    table["world_1"] = [(code + 1) % 4 for code in table["world_0"]]
    pq.write_table(pa.table(table), tmp_path / "worlds.parquet")
    rewrite(tmp_path / "proofs.json", lambda proofs: proofs["steps"].clear())
    rewrite(tmp_path / "statement.json", lambda stated: stated["claims"][0].update(certain=0, two=16))
    code, said = checked(series, tmp_path)
    assert code == 1
    assert "has a value more often than its group" in said


@pytest.mark.parametrize(
    ("name", "least"), [("clinic-merged", 1), ("fractional-weights", 1), ("clinic-2-equivalence", 2)]
)
def test_sums_show_no_fewer_equal_people_than_there_are(name, least, tmp_path):
    series, rng = EXAMPLES / name, random.Random(0)  # noqa: S311 - it forges, and hides nothing
    assert witnessed(series, tmp_path)[1] == 0
    assert claims(tmp_path)["equivalent"]["people"] == least
    proofs = json.loads((tmp_path / "proofs.json").read_text())
    [(sensitive, (divisor, groups))] = proofs["sums"].items()
    claim = {"claim": "equivalent", "sensitive": sensitive}
    seen = Counter()
    for _ in range(FORGERIES):
        forged = [[*each[:2], each[2] + rng.choice([-1, 0, 0, 0, 1])] for each in groups]
        over, people = rng.choice([divisor, divisor, 1, 2]), rng.randint(0, least + 1)
        (tmp_path / "proofs.json").write_text(json.dumps({**proofs, "sums": {sensitive: [over, forged]}}))
        rewrite(tmp_path / "statement.json", lambda stated, n=people: stated.update(claims=[{**claim, "people": n}]))
        code, said = checked(series, tmp_path)
        assert code or people >= least, said
        assert code or (over, forged) != (divisor, groups) or people == least
        seen[code] += 1
    assert seen[1]


@kills("audit.witness.verify_counts.equivalent", "any(total.values())", "False")
def test_groups_of_other_values_show_no_equal_people(tmp_path):
    """As many people on each side, and whole numbers: but one group less another one leaves values over."""
    series = EXAMPLES / "hospital-l-diverse"
    assert witnessed(series, tmp_path)[1] == 0
    read = verify.Published(series, linked=True)
    held = read.held[: read.first[1]]
    one, other = next(
        (one, other)
        for one, other in combinations(range(len(held)), 2)
        if held[one].sum() == held[other].sum() and (held[one] != held[other]).any()
    )
    rows = [int((read.group[0] == group).argmax()) for group in (one, other)]
    [sensitive] = read.sensitive
    sums = {sensitive: [1, [[0, rows[0], 1], [0, rows[1], -1]]]}
    rewrite(tmp_path / "proofs.json", lambda proofs: proofs.update(sums=sums))
    claim = {"claim": "equivalent", "sensitive": sensitive, "people": int(held[one].sum())}
    rewrite(tmp_path / "statement.json", lambda stated: stated.update(claims=[claim]))
    code, said = checked(series, tmp_path)
    assert code == 1
    assert "a sum of groups does not show" in said


@kills("attacks.joint.answers.row_costs", "known.alive & ~decision.alive", "known.alive & decision.alive")
@slow
def test_points_of_all_at_once_prove_what_single_groups_do_not(tmp_path, monkeypatch):
    crowd = drawn_at_random(0, people=120, releases=2, values=12, size=6, distinct=True, table="constant")
    monkeypatch.setattr(proofs, "_MOST_PROOFS", 0)  # no proofs of single values
    with written(crowd) as folder:
        assert witnessed(folder, tmp_path / "with")[1] == 0
        monkeypatch.setattr(Answers, "points", lambda self: iter(()))
        assert witnessed(folder, tmp_path / "without")[1] == 0
    proved = [claims(tmp_path / each)["values"]["certain"] for each in ("without", "with")]
    assert proved[0] < proved[1]


@settings(max_examples=SERIES)
@given(linked_series(), st.integers(0, 2**32), st.booleans())
def test_a_statement_is_about_its_files(series, seed, hashed):
    with written(series) as folder, tempfile.TemporaryDirectory() as where:
        if witnessed(folder, Path(where))[1] != 0:
            return
        before = {path: path.read_bytes() for path in (folder / "releases").glob("*.csv")}
        rng = random.Random(seed)  # noqa: S311 - as above
        forge_release(rng, folder, Path(where), hashed=hashed)
        code, said = checked(folder, Path(where))
        if any(path.read_bytes() != content for path, content in before.items()):
            assert hashed or code, said  # a forged file may also be one that no checker supports


# -- the checkers themselves ----------------------------------------------------------------------------


@pytest.mark.parametrize("path", CHECKERS, ids=lambda path: path.name)
def test_a_checker_is_short_and_imports_nothing_of_the_program(path):
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 300
    for node in ast.walk(ast.parse(text)):
        names = [each.name for each in node.names] if isinstance(node, ast.Import) else []
        names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        assert not (isinstance(node, ast.ImportFrom) and node.level)
        for name in names:
            top = name.partition(".")[0]
            assert top in {"numpy", "pyarrow"} or top in sys.stdlib_module_names, name


@pytest.mark.parametrize(
    "name", ["hospital-l-diverse", "hospital-2-invariant", "clinic-2-equivalence", "ward-l-diverse"]
)
def test_the_checkers_run_alone(name, tmp_path):
    series = Path(shutil.copytree(EXAMPLES / name, tmp_path / "series"))
    run_main(str(series), "--witness", str(tmp_path / "witness"))
    for path in CHECKERS:
        shutil.copy(path, tmp_path)
    words = [sys.executable, "-I", "verify.py", "series", "witness"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert checked(series, tmp_path / "witness") == (0, done.stdout)


@kills("audit.witness.verify_points.Left.strike_out", "<= spare", "< spare")
def test_examples_are_shown(tmp_path):
    stated = {}
    for name in ("hospital-l-diverse", "hospital-2-invariant", "clinic-2-equivalence", "clinic-merged"):
        assert witnessed(EXAMPLES / name, tmp_path / name)[1] == 0
        stated[name] = claims(tmp_path / name)
    values = {name: [each["values"][key] for key in ("total", "certain", "two")] for name, each in stated.items()}
    assert values == {
        "hospital-l-diverse": [16, 4, 12],
        "hospital-2-invariant": [16, 0, 16],
        "clinic-2-equivalence": [10, 0, 10],
        "clinic-merged": [10, 0, 10],
    }
    assert stated["clinic-2-equivalence"]["min_e"]["at_least"] == 2
    assert "different" in stated["clinic-2-equivalence"]
    assert "different" not in stated["clinic-merged"]


@kills("attacks.joint.answers.few_worlds", "if len(even :=", "if False and len(even :=")
def test_people_who_exchange_values_freely_have_two_in_two_worlds(tmp_path):
    """A circle of groups of two with the same two values is too large to be counted."""
    with written(circle(80)) as series:
        assert witnessed(series, tmp_path / "w")[1] == 0
    found = claims(tmp_path / "w")["values"]
    assert (found["total"], found["two"]) == (80, 80)
    assert len(pq.read_schema(tmp_path / "w/worlds.parquet").names) == 3


def test_a_series_without_quasi_identifiers_is_shown(tmp_path):
    series, where = shutil.copytree(EXAMPLES / "hospital-l-diverse", tmp_path / "s"), tmp_path / "w"
    lines = (series / "series.toml").read_text(encoding="utf-8").splitlines()
    kept = [line for line in lines if not line.startswith("quasi_identifiers")]
    assert len(kept) < len(lines)
    (series / "series.toml").write_text("\n".join(kept) + "\n", encoding="utf-8")
    assert witnessed(series, where)[:2] == (1, 0)
    assert not second_checker.objection(series, where)


def test_a_witness_stays_out_of_what_is_published(tmp_path):
    series = Path(shutil.copytree(EXAMPLES / "hospital-l-diverse", tmp_path / "series"))
    for inside in (series / "witness", series):
        assert "published" in refused(str(series), "--witness", str(inside))
    assert not (series / "witness").exists()
    assert run_main(str(series), "--witness", str(series / "private" / "witness"))[0] == 1
    assert checked(series, series / "private" / "witness")[0] == 0
    assert (series / "private" / "witness" / "worlds.parquet").stat().st_mode & 0o077 == 0


def test_a_folder_without_a_witness_is_named(tmp_path):
    assert "no statement.json here" in refused("verify", str(EXAMPLES / "hospital-2-invariant"), str(tmp_path))


def test_what_is_not_supported_is_named(tmp_path):
    series = Path(shutil.copytree(EXAMPLES / "hospital-l-diverse", tmp_path / "series"))
    run_main(str(series), "--witness", str(tmp_path / "witness"))
    manifest = series / "series.toml"
    manifest.write_text(manifest.read_text().replace("[columns]", '[columns]\nfold = ["Disease"]'))
    code, said = checked(series, tmp_path / "witness")
    assert (code, "fold" in said) == (2, True)
    assert "fold" in refused(str(series), "--witness", str(tmp_path / "other"))


@pytest.mark.parametrize("declared", ["", 'delimiter = ";"\nencoding = "cp1252"\n'])
def test_files_with_decimal_commas_and_other_names_and_letters_are_shown(declared, tmp_path):
    """What German and French offices publish, as it is; and the nearest file that may mean two things."""
    series, where = tmp_path / "s", tmp_path / "w"
    lines = ["[1,5 - 1,7];1000,5;Jörg", "[1,5 - 1,7];3000;Zoë", "[1,7 - 1,9];1000,5;Ä", "[1,7 - 1,9];2000;Ö"]
    files = {
        f"releases/{at}.csv": "\n".join([f"Gr{name}e;Gehalt;Wer", *lines, ""]) for at, name in ((1, "öß"), (2, "öss"))
    }
    files["series.toml"] = (
        '[series]\nname = "G"\nreleases = ["releases/*.csv"]\n[columns]\nsensitive = "Gehalt"\nindividual = "Wer"\n'
        'quasi_identifiers = ["Größe"]\nrenamed = { "2" = { "Grösse" = "Größe" } }\ndecimal = ","\n'
        f'types = {{ Gehalt = "numeric" }}\n{declared}'
    )
    for name, text in files.items():
        (series / name).parent.mkdir(parents=True, exist_ok=True)
        (series / name).write_bytes(text.encode("cp1252" if name.endswith("csv") else "utf-8"))
    assert witnessed(series, where)[:2] == (0, 0)
    assert claims(where)["values"]["two"] == 4
    assert claims(where)["close"]["two"] == 4
    release = series / "releases" / "1.csv"
    release.write_bytes(release.read_bytes().replace(b"3000", b"3.000"))
    code, said = checked(series, where)
    assert (code, "may separate thousands" in said) == (2, True), said


# -- what may be understood otherwise -------------------------------------------------------------------

ALIKE = [
    ("20", "20.0"), ("20-29", "20 to 29"), ("20s", "20-29"), ("2043*", "2043x"), ("20", "20 years"),
    ("020", "20"), ("[20, 29]", "[20.0, 29]"), ("2024-03", "2024-03-**"), ("20-29", "between 20 and 29"),
    ("18 to under 25", "[18, 25["), ("1e1", "10"), ("1e1", "10e0"), ("{20, 30}", "30;20"), ("<18", "under 18"),
    ("20-29", "20–29"), ("01.02.2024", "1.2.2024"), ("a,b", "{a, b}"), ("m", "M"), ("*", "**"),
    ("(19, 29]", "[20, 29]"),
]  # fmt: skip
SAME = [
    ("20-29", "[20, 29]"), ("65+", ">=65"), ("20", "20-20"), ("[20-29]", "[20, 29]"), ("(19, 29]", "]19, 29]"),
]  # fmt: skip
UNLIKE = [
    ("20", "[20, 29]"), ("2043*", "20430"), ("18-24", "65+"), ("b1", "b1,b2"), ("<20", "]19, 29]"),
    ("20-29", "[30-39]"),
    ("20", "21"), ("20", "20.5"), ("20-29", "30-39"), ("20-29", "65+"), ("<20", "20-29"), ("2043*", "2044*"),
    ("[20, 29]", "[30, 39]"), ("(18, 25]", ">65"), ("01.02.2024", "02.02.2024"), ("North 1", "North 2"), ("m", "f"),
    ("20", "*"),
]  # fmt: skip
MANIFEST = """[series]
name = "r"
releases = ["releases/1.csv", { rows = "releases/2.rows.csv", values = "releases/2.values.csv" }]
[columns]
sensitive = "D"
quasi_identifiers = ["Age"]
group = "G"
individual = "Who"
"""


def plain(folder, cells, quoted='"'):
    """Write one release: two rows, with two values, of each of some cells."""
    lines = [f'{quoted}{cell}{quoted},{value},p{2 * at + (value == "hiv")}' for at, cell in enumerate(cells)
             for value in ("flu", "hiv")]  # fmt: skip
    columns = 'sensitive = "D"\nquasi_identifiers = ["Age"]\nindividual = "Who"'
    return series_of(folder / "series", ["\n".join(["Age,D,Who", *lines, ""])], columns)


@kills("audit.witness.verify_cells.cells", "one and not power", "True")
@kills("audit.witness.verify_cells.cells", "same == text", "True")
@pytest.mark.parametrize("cells", ALIKE)
def test_cells_that_may_mean_the_same_are_refused(cells, tmp_path, monkeypatch):
    series = plain(tmp_path, cells)
    assert "Age: " in refused(str(series), "--witness", str(tmp_path / "w"))
    monkeypatch.setitem(verify.CELLS, "cells", lambda column, *_: column)
    code, done, said = witnessed(series, tmp_path / "w")
    assert (code, done) == (2, None) if "other rows into one class" in said else done == 0


@pytest.mark.parametrize("cells", SAME)
def test_ranges_of_one_meaning_are_one_class(cells, tmp_path):
    code, done, said = witnessed(plain(tmp_path, cells), tmp_path / "w")
    assert (code in (0, 1, 3), done) == (True, 0), said
    assert claims(tmp_path / "w")["k"]["rows"] == 4
    manifest = tmp_path / "series" / "series.toml"
    manifest.write_text(manifest.read_text() + 'types = { Age = "categorical" }\n')
    assert verify.CELLS["cells"](["20-29", "30-39"], "Age", "categorical") == ["20-29", "30-39"]
    assert "Age: " in refused(str(tmp_path / "series"), "--witness", str(tmp_path / "c"))


DECLARED = [
    ("numeric", ("20", "20.0"), 4), ("numeric", ("{20, 22}", "{22,20}"), 4), ("numeric", ("{20}", "20"), 4),
    ("numeric", ("0*", "[0, 9]"), 4), ("numeric", ("(19, 29]", "[20, 29]"), 2), ("numeric", ("{1, 2}", "1-2"), 2),
    ("numeric", ("[1, 3[", "{1, 2}"), 2), ("categorical", ("{a, b}", "{b,a}"), 4), ("categorical", ("{a}", "a"), 4),
    ("categorical", ("a,b", "{a, b}"), 2), ("categorical", ("a,b", "a, b"), 2), ("categorical", ("a,a", "a"), 2),
]  # fmt: skip


@kills("audit.witness.verify_cells.cells", 'if "," not in text or text[0] == "{"', "")
@pytest.mark.parametrize(("declared", "cells", "rows"), DECLARED)
def test_cells_of_a_declared_type_are_one_class_if_they_mean_the_same(declared, cells, rows, tmp_path):
    series = plain(tmp_path, cells)
    manifest = series / "series.toml"
    manifest.write_text(f'{manifest.read_text()}types = {{ Age = "{declared}" }}\n')
    code, done, said = witnessed(series, tmp_path / "w")
    assert (code in (0, 1, 3), done) == (True, 0), said
    assert claims(tmp_path / "w")["k"]["rows"] == rows
    assert not second_checker.objection(series, tmp_path / "w")


@pytest.mark.parametrize("cells", [("{12xx}", "12xx"), ("{a b}", "{a, b}"), ("{a, b}", "{A, b}"), ("a|b", "{a, b}")])
def test_texts_that_may_mean_the_same_are_refused_where_their_type_is_declared(cells, tmp_path):
    series = plain(tmp_path, cells)
    manifest = series / "series.toml"
    manifest.write_text(f'{manifest.read_text()}types = {{ Age = "categorical" }}\n')
    assert "Age: " in refused(str(series), "--witness", str(tmp_path / "w"))


@pytest.mark.parametrize("cells", UNLIKE)
def test_cells_that_mean_something_else_are_shown(cells, tmp_path):
    code, done, said = witnessed(plain(tmp_path, cells), tmp_path / "w")
    assert (code in (0, 1, 3), done) == (True, 0), said
    assert claims(tmp_path / "w")["k"]["rows"] == 2


@kills(
    "audit.witness.writer._put_together", "len({len(np.unique(each)) for each in (both, ours, theirs)}) == 1", "True"
)
def test_the_writer_compares_its_classes_with_those_of_the_checker(tmp_path, monkeypatch):
    monkeypatch.setitem(verify.CELLS, "cells", lambda column, *_: column)
    err = refused(str(plain(tmp_path, ("20", "20.0"))), "--witness", str(tmp_path / "w"))
    assert "in release 1 the checkers put other rows into one class" in err
    assert not (tmp_path / "w").exists()


NUMBER = st.sampled_from(["2", "3", "02", "2.0", "2.5", "10"])
FORMS = ["{}", "{}-{}", "{} to {}", "[{}, {}]", "({}, {}]", "[{}, {}[", "{}+", ">={}", ">{}", "<{}", "<={}", "under {}",
         "{}*", "{}x", "{}s", "{} years", "{{{}, {}}}", "{};{}", "1e{}", "*"]  # fmt: skip


@settings(max_examples=SERIES)
@given(st.lists(st.builds(str.format, st.sampled_from(FORMS), NUMBER, NUMBER), min_size=2, max_size=3, unique=True))
def test_the_checker_puts_no_other_rows_together_than_the_audit(cells):
    with tempfile.TemporaryDirectory() as where:
        _, done, said = witnessed(plain(Path(where), cells), Path(where) / "w")
        assert "other rows into one class" not in said
        assert done in (None, 0), said


def knowing(folder):
    """Write a series of one plain release and a pair, with known values, and transitions among them."""
    files = {
        "series.toml": MANIFEST + '[adversary]\nknown = "known.csv"\ntransitions = "may.csv"\n',
        "releases/1.csv": "G,Age,D,Who\n1,20,flu,p0\n1,20,hiv,p1\n1,20,flu,p2\n1,20,hiv,p3\n",
        "releases/2.rows.csv": "G,Age\n1,20\n1,20\n1,20\n1,20\n",
        "releases/2.values.csv": "G,D,count\n1,flu,2\n1,hiv,2\n",
        "private/2.key.csv": "row,individual\n0,p0\n1,p1\n2,p2\n3,p3\n",
        "known.csv": "individual,value,release\np0,flu,1\n",
        "may.csv": "from,to,probability\nflu,flu,0.5\nflu,hiv,1/2\nhiv,hiv,0.5\nhiv,flu,0.5\n",
    }
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


@kills("audit.witness.verify.Published.know", "(before < 0) | (before == code)", "before == before")
@pytest.mark.parametrize(
    ("name", "old", "new", "what"),
    [
        ("known.csv", "p0,flu,1\n", "p0,flu,1\np0,hiv,1\n", "two known values of one person"),
        *(("may.csv", "hiv,hiv,0.5", f"hiv,hiv,{text}", "a probability") for text in
          ("1e-400", "nan", "inf", "-1", "1_0", "2", "1/0", "0x1")),
        ("releases/2.values.csv", "hiv,2", "hiv,3", "a pair with different row counts"),
        ("releases/2.values.csv", "hiv,2\n", "hiv,2\n2,flu,1\n", "a pair with different row counts"),
        ("releases/2.values.csv", "hiv,2\n", "hiv,2\n1,gas,0\n", "a pair with different row counts"),
        ("releases/1.csv", "20,flu,p0", '20, "flu",p0', "a cell that begins with a quotation mark"),
        ("releases/1.csv", "20,flu,p0", "20,'flu',p0", "a cell that begins with a quotation mark"),
        ("releases/1.csv", "flu", "fl\x81", "neither UTF-8 nor cp1252"),
        ("releases/1.csv", "Age", "Years", "a file without the column Age"),
    ],
)  # fmt: skip
def test_a_series_that_may_be_understood_otherwise_is_refused(name, old, new, what, tmp_path):
    series, where = knowing(tmp_path / "s"), tmp_path / "w"
    assert witnessed(series, where)[1] == 0
    content = (series / name).read_text().replace(old, new).encode("latin-1")
    (series / name).write_bytes(content)

    def change(statement):
        rows = len(content.splitlines()) - 1
        statement["files"][name] = {"sha256": hashlib.sha256(content).hexdigest(), "rows": rows}

    rewrite(where / "statement.json", change)
    code, said = checked(series, where)
    assert (code, what in said) == (2, True), said
    assert "shown:" not in said.replace("not shown:", "")


def test_nothing_is_shown_beside_a_claim_that_is_not(tmp_path):
    assert witnessed(EXAMPLES / "hospital-l-diverse", tmp_path)[1] == 0
    rewrite(tmp_path / "statement.json", lambda stated: stated["claims"][-1].update(sensitive="other"))
    code, said = checked(EXAMPLES / "hospital-l-diverse", tmp_path)
    assert (code, said.startswith("not shown")) == (1, True), said


@pytest.mark.parametrize("name", ["hospital-l-diverse", "hospital-l-diverse-outsider"])
def test_worlds_have_each_line_once_and_no_other_columns(name, tmp_path):
    assert witnessed(EXAMPLES / name, tmp_path)[1] == 0
    table = pq.read_table(tmp_path / "worlds.parquet")
    twice, other = pa.concat_tables([table, table.slice(0, 1)]), table.append_column("world_99", table["world_0"])
    for forged, what in ((twice, "a line twice"), (other, "other columns")):
        pq.write_table(forged, tmp_path / "worlds.parquet")
        code, said = checked(EXAMPLES / name, tmp_path)
        assert (code, what in said) == (1, True), said


def test_worlds_have_no_line_of_somebody_who_is_absent(tmp_path):
    tables, where = ["Age,D,Who\n1,flu,a\n1,hiv,b\n", "Age,D,Who\n1,flu,c\n1,hiv,b\n"], tmp_path / "w"
    columns = 'sensitive = "D"\nquasi_identifiers = ["Age"]\nindividual = "Who"'
    people = "individual,Age,first,last\na,1,1,1\nb,1,1,2\nc,1,2,2\n"
    for adversary in ('transitions = "any"', 'register = "register.csv"'):
        folder = series_of(tmp_path / "s", tables, columns, f"[adversary]\n{adversary}", register=people)
        kind = adversary.split()[0].replace("transitions", "linked")
        run_main(str(folder), "--adversary", kind, "--witness", str(where))
        assert checked(folder, where)[0] == 0
        table = pq.read_table(where / "worlds.parquet")
        lines = table.to_pylist()
        lines.append({**next(line for line in lines if line["individual"] == "a"), "release": "2"})
        pq.write_table(pa.Table.from_pylist(lines, schema=table.schema), where / "worlds.parquet")
        code, said = checked(folder, where)
        assert (code, "an absent person" in said) == (1, True), said


def test_what_no_checker_supports_is_refused_before_it_is_attacked(tmp_path, monkeypatch):
    series = plain(tmp_path / "s", ["20"])
    asked = list[str]()
    monkeypatch.setattr(attack_run, "attacked", lambda attack, *rest: asked.append(attack.name) or 1 / 0)
    code, _, err = run_main(str(series), "--witness", str(tmp_path / "w"))
    assert (code, bool(asked)) == (4, True), err  # the nearest series that is supported gets to its attacks
    asked.clear()
    manifest = series / "series.toml"
    manifest.write_text(manifest.read_text().replace("[columns]", '[columns]\nmissing = ["?"]'))
    code, _, err = run_main(str(series), "--witness", str(tmp_path / "w"))
    assert (code, asked, "do not support: missing in [columns] of series.toml" in err) == (2, [], True), err


PROVED = "of 16 people, the Disease of 4 is certain, and 12 have two possible values"


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["--format", "json"],
        ["--format", "html"],
        *(["--document", name] for name in ("dpia", "expert", "wp29")),
    ],
)
def test_reports_and_documents_say_what_is_proved(words, tmp_path):
    series = str(EXAMPLES / "hospital-l-diverse")
    for proved in (True, False):
        _, said, _ = run_main(series, *words, *(["--witness", str(tmp_path)] if proved else []))
        assert (PROVED in " ".join(said.replace("Of 16", "of 16").split())) == proved
        assert ('"witness":' in said) == (proved and "json" in words)


def test_the_statement_that_may_be_shown_names_no_one(tmp_path):
    run_main(str(EXAMPLES / "hospital-l-diverse"), "--witness", str(tmp_path))
    said = (tmp_path / "statement.md").read_text()
    assert PROVED in said.replace("Of 16", "of 16")
    assert "releases/1.csv" in said
    whole = hashlib.sha256((EXAMPLES / "hospital-l-diverse" / "releases" / "1.csv").read_bytes()).hexdigest()
    assert whole not in said  # its column of people would be confirmed by that
    names = set(pq.read_table(tmp_path / "worlds.parquet")["individual"].to_pylist())
    assert not {name for name in names if name in said}
    assert "key.csv" not in said


def test_releases_of_equal_numbers_have_no_order(tmp_path):
    series = plain(tmp_path, ["20"])
    manifest = series / "series.toml"
    manifest.write_text(manifest.read_text().replace("1.csv", "*.csv"))
    assert verify.Published(series, linked=True).tags == ["1"]
    shutil.copy(series / "1.csv", series / "01.csv")
    with pytest.raises(NotImplementedError, match="equal numbers"):
        verify.Published(series, linked=True)


def test_a_series_that_fits_no_world_has_no_witness(tmp_path):
    series = plain(tmp_path, ["20"])
    (series / "2.csv").write_text("Age,D,Who\n20,flu,p0\n20,gas,p1\n")
    manifest = series / "series.toml"
    manifest.write_text(manifest.read_text().replace('1.csv"', '1.csv", "2.csv"'))
    assert "no world that fits all releases" in refused(str(series), "--witness", str(tmp_path / "w"))


def test_published_files_alone_are_counted(tmp_path):
    code, done, said = witnessed(Path(shutil.copytree(EXAMPLES / "hospital-l-diverse", tmp_path / "s")), tmp_path / "w")
    assert (code, done) == (1, 0), said
    words = (str(tmp_path / "s"), "--adversary", "published", "--witness", str(tmp_path / "p"))
    assert run_main(*words)[0] in (0, 3)
    assert checked(tmp_path / "s", tmp_path / "p")[0] == 0
    about = {"claim": "values", "sensitive": "Disease", "of": "classes"}
    assert claims(tmp_path / "p")["values"] == {**about, "total": 10, "certain": 0, "two": 10}


@pytest.mark.parametrize(
    "name", ["hospital-2-invariant", "hospital-l-diverse", "ward-2-distinct", "fractional-weights"]
)
def test_a_verdict_about_published_files_is_wholly_shown(name, tmp_path):
    series = str(EXAMPLES / name)
    code = run_main(series, "--adversary", "published", "--witness", str(tmp_path))[0]
    assert (code, checked(series, tmp_path)[0]) == (name == "fractional-weights", 0)
    assert not json.loads((tmp_path / "statement.json").read_text())["rests"]


def fakes(folder, counts, policy=""):
    """Write a release of two groups, of four rows in two classes, and of two rows; `counts` is how many are fakes."""
    columns = 'sensitive = "D"\ngroup = "G"\nquasi_identifiers = ["Age"]'
    rows = "G,Age,D\n1,20,flu\n1,20,hiv\n1,30,flu\n1,30,hiv\n2,40,flu\n2,40,hiv\n"
    more, lines = f'[counterfeits]\n"1" = "fakes.csv"\n{policy}', f"G,Count\n1,{counts[0]}\n2,{counts[1]}\n"
    return series_of(folder, [rows], columns, more, fakes=lines)


@kills("audit.witness.verify_counts.classes", "people[np.newaxis] > 0", "people[np.newaxis] >= 0")
@pytest.mark.parametrize(
    ("counts", "total", "certain"), [((0, 1), 3, 1), ((0, 2), 2, 1), ((1, 0), 3, 1), ((2, 1), 3, 1), ((4, 1), 1, 0)]
)
def test_a_class_of_counterfeits_only_discloses_nothing(counts, total, certain, tmp_path):
    folder, where = fakes(tmp_path / "s", counts, "[policy]\nk = 1\n"), tmp_path / "w"
    (folder / "1.csv").write_text("G,Age,D\n1,20,flu\n1,20,flu\n1,30,flu\n1,30,hiv\n2,40,flu\n2,40,hiv\n")
    assert witnessed(folder, where)[1] == 0
    found = claims(where)["values"]
    assert (found["total"], found["certain"], found["two"]) == (total, certain, total - certain)
    assert not json.loads((where / "statement.json").read_text())["rests"]
    rewrite(where / "statement.json", lambda stated: stated["claims"][0].update(certain=certain + 1))
    assert checked(folder, where)[0] == 1


@kills("audit.witness.verify_counts.sizes", "(people > 0)", "1")
@pytest.mark.parametrize(
    ("counts", "people"), [((0, 0), 2), ((1, 0), 1), ((3, 0), 1), ((4, 0), 2), ((4, 1), 1), ((0, 2), 2)]
)
def test_counterfeits_that_are_counted_hide_no_one(counts, people, tmp_path):
    folder, where = fakes(tmp_path / "s", counts, "[policy]\nk = 2\n"), tmp_path / "w"
    code, done, said = witnessed(folder, where)
    assert (code, done) == (people < 2, 0), said
    assert claims(where)["k"] == {"claim": "k", "sensitive": None, "rows": 2, "people": people}


def test_people_who_are_certain_of_one_value_are_equal(tmp_path):
    series = plain(tmp_path, ["20"])
    (series / "1.csv").write_text("Age,D,Who\n20,flu,p0\n20,flu,p1\n30,flu,p2\n30,gas,p3\n")
    assert witnessed(series, tmp_path / "w")[:2] == (1, 0)
    same = {"claim": "same", "sensitive": "D", "people": 2}
    assert claims(tmp_path / "w")["same"] == same
    rewrite(
        tmp_path / "w" / "statement.json",
        lambda stated: stated["claims"][stated["claims"].index(same)].update(people=3),
    )
    assert checked(series, tmp_path / "w")[0] == 1


def test_rows_of_strangers_are_judged_by_their_classes(tmp_path):
    series = plain(tmp_path, ["20"])
    (series / "1.csv").write_text("Age,D\n20,flu\n20,gas\n30,flu\n30,gas\n")
    (series / "private").mkdir()
    (series / "private" / "1.key.csv").write_text("row,individual\n0,p0\n1,p1\n")
    manifest = series / "series.toml"
    manifest.write_text(manifest.read_text().replace('individual = "Who"\n', ""))
    where = tmp_path / "w"
    assert witnessed(series, where)[:2] == (0, 0)
    found = json.loads((where / "statement.json").read_text())["claims"]
    assert [(each["of"], each["certain"]) for each in found if "of" in each] == [("people", 0), ("classes", 0)]
    assert not [each for each in json.loads((where / "statement.json").read_text())["rests"] if "max_risk" in each]


def test_values_that_never_change_may_be_said_to(tmp_path):
    series, where = tmp_path / "s", tmp_path / "w"
    shutil.copytree(EXAMPLES / "hospital-l-diverse", series)
    with (series / "series.toml").open("a", encoding="utf-8") as file:
        file.write('\n[adversary]\ntransitions = "never"\n')
    assert witnessed(series, where)[1] == 0
    code, said = checked(series, where)
    assert (code, "shown:" in said) == (0, True), said
    assert not second_checker.objection(series, where)
