"""The command line helps: what may follow, what a command imports, days, times, and ways out of errors."""

from __future__ import annotations

import datetime
import json
import os
import pty
import re
import shutil
import subprocess
import sys
from contextlib import suppress

import pytest

from audit.clauses.registry import CLAUSES, COUNT_CLAUSES
from tests.cli.forms import EXAMPLES, FORMS, append, edit
from tests.cli.test_command_line import HOSPITAL
from tests.helpers.amount import slow
from tests.helpers.messy import write
from tests.helpers.running import refused, run_main
from tests.helpers.tiny import Registered, Row, TinySeries
from tests.mutants.mutant import kills


def test_audit_alone_says_how_to_begin():
    steps = [line.split()[:3] for line in refused().splitlines() if line.startswith("  ")]
    assert [step[0] for step in steps] == ["1.", "2.", "3."]
    assert steps[1][1:] == ["audit", "init"]
    assert steps[2][1:] == ["audit", "FOLDER"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["chek", "series"], "there is no command or folder chek; did you mean `check`?"),
        (["innit"], "did you mean `init`?"),
        (["series", "--polcy", "k=3"], "unrecognized arguments: --polcy k=3; did you mean `--policy`?"),
        (["nowhere"], "there is no such file; correct the path; for a new series put the published tables"),
        (["empty"], "let `audit init empty` write it"),
        (["init", "empty"], "there are no releases here; put the published tables (.csv,"),
        (["1.csv"], "1.csv: this is a file, not a folder; correct the path"),
    ],
)
def test_the_way_out(tmp_path, monkeypatch, words, said):
    (tmp_path / "empty").mkdir()
    write(tmp_path / "1.csv", "a,b\n1,2\n")
    monkeypatch.chdir(tmp_path)
    [line] = refused(*words).splitlines()
    assert said in line


def test_excel_without_the_extra(tmp_path, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "python_calamine", None)
    write(tmp_path / "releases/1.xlsx", b"PK")
    write(tmp_path / "series.toml", '[series]\nreleases = ["releases/1.xlsx"]\n[columns]\nsensitive = "a"\n')
    [line] = refused(str(tmp_path)).splitlines()
    assert (
        'releases/1.xlsx: a .xlsx file is read by an extra that is not installed; pip install "series-audit[formats]"'
        in line
    )


def test_the_help_names_every_clause_with_its_default():
    said = " ".join(run_main("--help")[1].split())
    for name, clause in (*CLAUSES.items(), *COUNT_CLAUSES.items()):
        limit = "" if clause.default is None else rf" \((default )?{clause.default:g}\)"
        assert re.search(name + limit, said), name


HEAVY = ("pandas", "ortools", "numba", "matplotlib", "networkx", "distributed", "IPython")
SERIES = str(HOSPITAL)
UNASKED = ("audit.count_tables.published_counts",)
"""What only series of count tables need, and what only repairs do."""


@pytest.mark.many
@pytest.mark.parametrize(
    ("words", "also"),
    [
        (["--help"], ("numpy", "pyarrow", "scipy", "rich", "jinja2", "audit.model.report")),
        (["next", "--help"], ("numpy", "pyarrow", "scipy", "rich", "jinja2")),
        (["--version"], ("pyarrow", "scipy", "rich", "jinja2")),
        (["anonymize", "--help"], ("pyarrow", "scipy", "rich", "jinja2")),
        ([SERIES], ("jinja2", "scipy", *UNASKED)),
        ([SERIES, "--attack", "intersection", "--format", "json"], ("scipy", "rich", "jinja2")),
        ([SERIES, "--format", "html"], ("rich",)),
    ],
)
def test_a_command_imports_what_it_needs(words, also) -> None:
    assert imported_by(words, (*HEAVY, *also)) == []


def test_people_of_key_files_are_judged_without_pandas(tmp_path) -> None:
    series = TinySeries([[Row("Ann", "1", "flu"), Row("Bo", "1", "gout")]]).write(tmp_path / "series")
    assert imported_by([str(series), "--attack", "intersection"], HEAVY) == []


def imported_by(words, names) -> list[str]:
    """Return those of some modules that a command imports."""
    program = f"""
import sys
from audit.cli.entry import main
sys.argv = ["audit", *{words!r}]
main()
print("\\nimported:", *(name for name in {names!r} if name in sys.modules))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=600)
    said, *found = done.stdout.splitlines()[-1].split()
    assert said == "imported:", done.stderr
    return found


@slow
def test_an_attack_is_imported_without_the_others() -> None:
    program = """
import sys
from audit.cli.entry import main
sys.argv = ["audit", *sys.argv[1:]]
main()
print("\\nimported:", *sorted(name for name in sys.modules if name.startswith("attacks.joint.")))
"""
    few = [SERIES, "--attack", "intersection", "--findings=3", "--format", "json"]
    for words, others in ((few, False), ([*few, "--max-e", "2"], True), ([*few, "--polic", "k=2"], True)):
        done = subprocess.run([sys.executable, "-c", program, *words], capture_output=True, text=True, timeout=600)
        assert ("attacks.joint.attack" in done.stdout.splitlines()[-1]) == others, done.stderr


@pytest.fixture
def nobody(tmp_path):
    """A key with empty individuals alone: all rows are counterfeits."""
    rows = [Row(None, "1", "flu"), Row(None, "1", "gout")]
    return TinySeries([rows, rows]).write(tmp_path / "series")


@pytest.mark.parametrize("attack", ["intersection", "update-graph", "equivalence", "joint"])
def test_nobody_judged_is_undecided(attack, nobody):
    code, out, err = run_main(str(nobody), "--attack", attack)
    assert (code, err) == (3, "")
    assert "no person could be judged" in out


def test_every_command_takes_a_key_of_counterfeits(nobody, tmp_path):
    candidate = tmp_path / "3.csv"
    candidate.write_text("Owner,Group-ID,Value\n,1,flu\n,1,gout\n", encoding="utf-8")
    assert run_main(str(nobody))[0] == 3
    assert run_main("next", str(nobody), str(candidate))[0] == 3
    assert run_main("compare", str(nobody))[0] == 0
    code, _, err = run_main("explain", str(nobody), "--individual", "Ann")
    assert (code, len(err.splitlines())) == (2, 1)


@kills("audit.judgement.doubts.unlisted_doubts", "not len(register.present(position))", "not len(register.person)")
@kills("audit.judgement.doubts.unlisted_doubts", "seen.capacity.any() and not", "not seen.capacity.any() and not")
@pytest.mark.parametrize("presence", ["", '\npresence = "possible"\n'], ids=["there", "possible"])
def test_a_release_without_a_line_of_the_register_is_undecided(tmp_path, presence):
    """Nobody is taken to be in it, published or not; a register of some people of each release is judged as it is."""
    rows = [Row(None, "1", "flu", ("x",)), Row(None, "1", "gout", ("x",))]
    late = TinySeries([rows, rows], register=[Registered("Ann", 1, ("x",))], quasi_identifiers=("City",), keyed=False)
    series, candidate = late.write(tmp_path / "series"), tmp_path / "3.csv"
    manifest = series / "series.toml"
    edit(manifest, 'register = "register.csv"\n', f'register = "register.csv"{presence or chr(10)}')
    candidate.write_text("Group-ID,City,Value\n1,x,flu\n1,x,gout\n", encoding="utf-8")

    def judged(own, *releases):
        lines = "".join(f"Ann,x,{release}\n" for release in releases)
        own.write_text(f"individual,City,release\n{lines}", encoding="utf-8")
        words = ("next", str(series), str(candidate)) if 3 in releases or own.parent == tmp_path else (str(series),)
        code, out, _ = run_main(*words)
        return code, " ".join(out.split())

    own = series / "register.csv"
    for releases, lacking in (((1,), "release 2"), ((3,), "the releases 1 and 2"), ((1, 3), "release 2")):
        code, out = judged(own, *releases)
        assert (code, f"no line of register.csv is about {lacking}," in out) == (3, True), out
    assert [judged(own, 1, 2)[0], judged(own, 1, 2, 3)[0]] == [0, 0]
    judged(own, 1, 2)
    beside = tmp_path / "3.register.csv"  # it replaces the register of the series
    code, out = judged(beside, 3)
    assert (code, "is about the releases 1 and 2," in out) == (3, True), out
    assert judged(beside, 1, 2, 3)[0] == 0


PROGRAM = "import sys; from audit.cli.entry import main; sys.exit(main())"


def on_terminal(words, term="xterm", columns=100):
    """Run a command, and return what it writes to a terminal."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": term, "COLUMNS": str(columns)}
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *words], stdout=subprocess.DEVNULL, stderr=theirs, env=environment
    )
    os.close(theirs)
    said = b""
    with suppress(OSError):  # how Linux says that nobody has the other end any more
        while part := os.read(ours, 4096):
            said += part
    process.wait()
    os.close(ours)
    return said.decode()


@pytest.mark.many
@pytest.mark.parametrize("columns", [60, 80, 120])
def test_times_are_never_cut_and_never_left_open(columns):
    said = on_terminal([str(HOSPITAL), "--findings", "all"], columns=columns)
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", said).replace("\n", "\r")
    lines = [line.rstrip() for line in plain.split("\r") if "gone" in line]
    assert len(lines) > 3
    for line in lines:
        assert len(line) <= columns
        assert re.search(r" \d:\d\d:\d\d gone(, \d:\d\d:\d\d left)?$", line), line


DATED = str(EXAMPLES / "hospital-l-diverse")
QUICK = ("--attack", "intersection", "--format", "json")


def test_a_report_bears_the_day_of_its_making(monkeypatch):
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    days = [datetime.date.today()]
    made = json.loads(run_main(DATED, *QUICK)[1])["made"]
    days.append(datetime.date.today())  # midnight may come in between
    assert made in [day.isoformat() for day in days]


def test_the_day_can_be_set_to_make_a_report_again(monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1704067200")
    assert json.loads(run_main(DATED, *QUICK)[1])["made"] == "2024-01-01"


def test_an_old_day_revives_no_waiver(monkeypatch, tmp_path):
    FORMS["hospital-l-diverse"](tmp_path / "s")
    waiver = '\n[[waiver]]\nindividual = "Bob"\nreason = "asked"\nexpires = 2001-01-01\n'
    append(tmp_path / "s" / "series.toml", waiver)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    _, out, _ = run_main(str(tmp_path / "s"), *QUICK)
    assert [each["state"] for each in json.loads(out)["policy"]["waived"]] == ["expired"]
    assert json.loads(out)["made"] == "1970-01-01"


def test_an_invalid_date_is_refused(monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "yesterday")
    code, out, err = run_main(DATED, *QUICK)
    assert (code, json.loads(out)["exit_code"]) == (2, 2)
    assert "SOURCE_DATE_EPOCH=yesterday" in err


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ('published = { "3" = 2024-04-15 }', "not in the series"),
        ('published = { "1" = "April" }', "this is not a date"),
        ("published = 2024-04-15", "this has to be a table"),
    ],
)
def test_invalid_release_dates_are_refused(tmp_path, entry, said):
    FORMS["hospital-l-diverse"](tmp_path / "s")
    edit(tmp_path / "s" / "series.toml", "[columns]", f"{entry}\n[columns]")
    code, _, err = run_main(str(tmp_path / "s"), *QUICK)
    assert (code, said in err) == (2, True)


def test_dates_of_releases_are_told(tmp_path):
    FORMS["hospital-l-diverse"](tmp_path / "s")
    edit(tmp_path / "s" / "series.toml", "[columns]", 'published = { "1" = 2024-04-15 }\n[columns]')
    assert json.loads(run_main(str(tmp_path / "s"), *QUICK)[1])["series"]["published"] == {"1": "2024-04-15"}


def test_the_line_named_for_an_unknown_sign_makes_a_candidate_readable(tmp_path):
    """Of people and of counts, for `next` and `repair`."""
    for kind, name, table, cell in (
        ("examples", "hospital-l-diverse", "columns", '"[21, 23]"'),
        ("count_table_examples", "tables-one-left-out", "table", "84"),
    ):
        series = tmp_path / name
        shutil.copytree(EXAMPLES.parent / kind / name, series)
        candidate = tmp_path / f"{name}-3.csv"
        text = (series / "releases/2.csv").read_text()
        assert cell in text
        candidate.write_text(text.replace(cell, "§", 1))
        manifest = series / "series.toml"
        if table == "columns":
            edit(manifest, f"[{table}]\n", f'[{table}]\ntypes = {{ Age = "numeric" }}\n')
        words = (str(series), str(candidate))
        said = refused("next", *words)
        assert said == refused("repair", *words, "--output", str(tmp_path / "out"))
        [line] = re.findall(r"(missing = \[.*?\]|markers = \{.*?\})", said)
        edit(manifest, f"[{table}]\n", f"[{table}]\n{line.replace('…', '§').replace('4', '90')}\n")
        assert run_main("next", *words)[0] in (0, 1, 3)
