"""The command line: options, exit codes, what is printed where, and what happens when it is stopped."""

import html
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from audit.api import load
from audit.cli import main as command
from audit.io.table_forms import form_of
from reports.registry import FORMATS
from tests.cli.forms import EXAMPLES, FORMS, append, snapshot
from tests.helpers.amount import slow
from tests.helpers.running import done, refused, run_audit, run_main

HOSPITAL = EXAMPLES / "hospital-l-diverse"


def run_process(*words, **options):
    """Run the command in a process of its own."""
    called = [sys.executable, "-m", "audit.cli.main", *map(str, words)]
    return subprocess.run(called, capture_output=True, timeout=600, **options)


def only_line(err):
    """The single line on standard error, without its `audit: `."""
    assert err.startswith("audit: ")
    assert err.count("\n") == 1
    assert err.endswith("\n")
    assert err[:-1].isprintable()
    return err.removeprefix("audit: ").rstrip("\n")


# -- exit codes -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "words", "code"),
    [
        ("distinct-star-skewed", [], 0),
        ("distinct-star-skewed", ["--policy", "max_risk=0.9"], 1),
        ("hospital-l-diverse", [], 1),
        ("hospital-l-diverse-outsider", [], 1),
        ("clinic-merged", ["--attack", "intersection"], 0),
        ("clinic-merged", ["--attack", "intersection", "--policy", "min_e=3"], 3),
        ("clinic-merged", ["--attack", "intersection", "--policy", "max_risk=0.5"], 3),  # an estimate decides nothing
        ("clinic-merged", ["--policy", "max_risk=0.5"], 1),
        ("cases-monotonic", ["--attack", "update-graph"], 2),
        ("cases-monotonic", [], 0),
        ("cases-monotonic", ["--k", "3"], 1),
        ("cases-monotonic", ["--policy", "k=3"], 1),
        ("cases-monotonic", ["--policy", "k=3", "--k", "2"], 0),
        ("cases-independent", [], 1),
        ("cases-independent", ["--k", "1"], 1),  # classes of linked records disclose values
    ],
)
def test_exit_codes(name, words, code):
    assert run_main(str(EXAMPLES / name), *words)[0] == code


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (RuntimeError("Bob has dyspepsia"), "RuntimeError"),
        (ModuleNotFoundError("Bob has dyspepsia", name="highspy"), "ModuleNotFoundError, highspy"),
    ],
)
def test_a_bug_is_one_line_and_a_trace_without_messages(error, said, monkeypatch, tmp_path):
    def fail(words, **_):
        raise error

    monkeypatch.setattr(command, "_dispatch", fail)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    code, out, err = run_main("series")
    assert (code, out) == (4, "")
    line = only_line(err)
    assert line.startswith(f"a bug ({said}); the trace is in ")
    trace = Path(line.rpartition(" ")[2]).read_text(encoding="utf-8")
    assert "test_command_line.py" in trace
    assert "Bob" not in trace + err


def test_too_little_memory_is_the_users_to_mend(monkeypatch):
    def fail(words, **_):
        raise MemoryError

    monkeypatch.setattr(command, "_dispatch", fail)
    assert "memory" in only_line(refused("series"))


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such limit")
@pytest.mark.parametrize("command", ["--version", str(HOSPITAL)])
def test_under_a_limit_at_which_libraries_loop_for_ever_nothing_begins(command):
    limited = f'ulimit -v 1356000; exec "{sys.executable}" -m audit "$0"'
    done = subprocess.run(["bash", "-c", limited, command], capture_output=True, timeout=600, check=False)
    assert (done.returncode, done.stdout) == (2, b"")
    assert "1324 MB of addresses (ulimit -v)" in only_line(done.stderr.decode())


@pytest.mark.parametrize("width", [10, 400])
def test_the_number_of_rows_is_estimated_by_the_first_lines(tmp_path, width):
    path = tmp_path / "rows.csv"
    path.write_text("A,B\n" + f"1,{'x' * width}\n" * 5_000)
    assert abs(form_of(path).about_rows(path) - 5_000) <= 50


def test_a_series_that_does_not_fit_into_memory_is_refused_before_it_is_read(tmp_path, monkeypatch):
    """At the peak, each row takes some 50 bytes: 42 million took 2.2 GB."""
    FORMS["hospital-l-diverse"](tmp_path / "s")
    rows = sum(len(path.read_text().splitlines()) - 1 for path in (tmp_path / "s" / "releases").glob("*.csv"))
    for there, code in ((50 * rows, 2), (100 * rows, 1)):
        monkeypatch.setattr("audit.adversary.held_series.memory_bytes", lambda there=there: there)
        got, _, err = run_main(str(tmp_path / "s"))
        assert got == code
        assert ("use a larger machine" in err) == (code == 2)


# -- words ----------------------------------------------------------------------------------------------


def test_version():
    assert re.fullmatch(r"series-audit \d+\.\d+\.\d+\n", done("--version"))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--frobnicate"], "SERIES"),
        ([HOSPITAL, "--frobnicate"], "--frobnicate"),
        ([HOSPITAL, HOSPITAL], "unrecognized arguments"),
        ([HOSPITAL, "--format", "pdf"], "text"),
        ([HOSPITAL, "--attack", "guessing"], "intersection"),
        ([HOSPITAL, "--adversary", "everybody"], "linked"),
        ([HOSPITAL, "--findings", "-1"], "`all`"),
        ([HOSPITAL, "--findings", "some"], "`all`"),
        ([HOSPITAL, "--findings", "9" * 30], "`all`"),
        ([HOSPITAL, "--findings", "²"], "`all`"),
        ([HOSPITAL, "--time-limit", "0"], "above 0"),
        ([HOSPITAL, "--time-limit", "nan"], "above 0"),
        ([HOSPITAL, "--time-limit", "inf"], "above 0"),
        ([HOSPITAL, "--time-limit", "soon"], "above 0"),
        ([HOSPITAL, "--policy", "max_risk"], "above 0 and at most 1"),
        ([HOSPITAL, "--policy", "max_risk=0"], "above 0 and at most 1"),
        ([HOSPITAL, "--policy", "max_risk=nan"], "above 0 and at most 1"),
        ([HOSPITAL, "--policy", "max_risk=1.01"], "above 0 and at most 1"),
        ([HOSPITAL, "--policy", "min_e=2.5"], "whole number"),
        ([HOSPITAL, "--policy", "k=" + "9" * 5000], "whole number"),
        ([HOSPITAL, "--policy", "k=²"], "whole number"),
        ([HOSPITAL, "--k", "0"], "whole number"),
        ([HOSPITAL, "--k", "2.5"], "whole number"),
        ([HOSPITAL, "--k", "many"], "whole number"),
        ([HOSPITAL, "--policy", "secrecy=1"], "max_risk, min_e, k"),
        *(([HOSPITAL, "--max-e", most], "1 to 100") for most in ("0", "101", "two")),
        ([HOSPITAL, "--\x1b[31m\nforged"], "unrecognized"),
        (["demo", "--frobnicate"], "--frobnicate"),
    ],
)
def test_wrong_words_are_told_in_one_line(words, said):
    line = only_line(refused(*map(str, words)))
    assert said in line
    assert "--help" in line or "; write a" in line or "; use one of" in line
    assert len(line) < 600


# -- options --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "words", "said"),
    [
        ("ward-l-diverse", ["--attack", "intersection"], "intersection"),
        ("ward-l-diverse", ["--attack", "update-graph", "--attack", "intersection"], "intersection"),
        ("cases-monotonic", ["--attack", "intersection"], "[columns] individual"),
        ("hospital-l-diverse", ["--attack", "inference-table"], "[columns] record"),
        ("cases-monotonic", ["--attack", "inference-table", "--attack", "intersection"], "[columns] individual"),
        ("hospital-l-diverse", ["--adversary", "register"], "[adversary] register"),
        ("hospital-l-diverse", ["--adversary", "pseudonym"], "[columns] record"),
        ("hospital-l-diverse-outsider", ["--adversary", "linked"], "[columns] individual"),
    ],
)
def test_what_a_series_does_not_allow(name, words, said):
    assert said in only_line(refused(str(EXAMPLES / name), *words))


def test_the_adversary_can_be_chosen(tmp_path):
    FORMS["everything"](tmp_path / "s")
    kinds = [
        run_audit(tmp_path / "s", *words)[1]["adversary"]["kind"]
        for words in ([], ["--adversary", "linked"], ["--adversary", "register"])
    ]
    assert kinds == ["linked", "linked", "register"]


@pytest.mark.parametrize("name", ["hospital-2-invariant", "ward-2-distinct", "cases-monotonic", "seen by an outsider"])
def test_reaching_a_limit_never_passes(name, tmp_path):
    if name == "seen by an outsider":
        FORMS["hospital-2-invariant"](tmp_path / name)
        shutil.copy(EXAMPLES / "hospital-l-diverse-outsider/register.csv", tmp_path / name)
        append(tmp_path / name / "series.toml", '\n[adversary]\nregister = "register.csv"\n')
        words = [str(tmp_path / name), "--adversary", "register"]
    else:
        words = [str(EXAMPLES / name)]
    # Of a few rows, `equivalence` finds people who are equal before it looks at the clock.
    words += ["--policy", "min_e=1"] if name == "hospital-2-invariant" else []
    assert run_main(*words)[0] == 0
    words += ["--time-limit", "0.000001"]
    code, out, _ = run_main(*words, "--format", "json")
    result = json.loads(out)
    assert code == 3
    # `homogeneity` counts the rows of each release by itself, which takes no time for a few rows.
    others = [attack for attack in result["attacks"] if attack["attack"] != "homogeneity"]
    assert {attack["status"] for attack in others} <= {"incomplete", "skipped"}
    assert any("time limit" in (attack["reason"] or "") for attack in result["attacks"])
    assert result["policy"]["passed"] is False
    code, out, err = run_main(*words)
    assert (code, err) == (3, "")
    assert "UNDECIDED" in out
    assert "time limit" in out


# -- what is written where ------------------------------------------------------------------------------


@pytest.mark.parametrize("form", list(FORMATS.names))
def test_a_report_in_a_file(form, tmp_path):
    series, file = tmp_path / "series", tmp_path / "reports" / "report"
    shutil.copytree(HOSPITAL, series)
    (series / "private").mkdir(mode=0o700)
    file.parent.mkdir()
    words = (str(series), "--format", form, "--attack", "intersection", "--stable-ids")
    code, printed, _ = run_main(*words)
    assert run_main(*words, "--output", str(file)) == (code, "", "")

    def without_seconds(text):
        return re.sub(r"\d+\.\d+|\d+e-\d+", "", text).split()

    assert without_seconds(file.read_text(encoding="utf-8")) == without_seconds(printed)
    assert list(file.parent.iterdir()) == [file]
    assert file.stat().st_mode & 0o111 == 0


def test_an_older_report_is_kept_when_the_new_one_cannot_be_finished(monkeypatch, tmp_path):
    file = tmp_path / "report.txt"
    file.write_text("older")

    def fail(self, target):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", fail)
    assert "No space left" in only_line(refused(str(HOSPITAL), "--output", str(file)))
    assert file.read_text() == "older"
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize("name", ["no/such/folder/report", ".", "x" * 300, "a\nb\x1b/c", "file/below"])
def test_a_place_where_no_report_can_be(name, tmp_path):
    (tmp_path / "file").write_text("a file")
    assert "name a file in an existing folder" in only_line(refused(str(HOSPITAL), "--output", str(tmp_path / name)))


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has it")
def test_a_full_disk():
    assert "No space left" in only_line(refused(str(HOSPITAL), "--output", "/dev/full"))


@pytest.mark.parametrize("name", ["series.toml", "releases/1.csv", "register.csv", "known.csv", "hierarchies/age.csv"])
def test_no_report_replaces_a_file_of_the_series(name, tmp_path):
    FORMS["outsider"](tmp_path / "s")
    before = snapshot(tmp_path / "s")
    (tmp_path / "link").symlink_to(tmp_path / "s" / name)
    for output in (tmp_path / "s" / name, tmp_path / "link"):
        err = refused(str(tmp_path / "s"), "--output", str(output), "--format", "text")
        assert "this file is one of the inputs" in only_line(err)
    assert snapshot(tmp_path / "s") == before


# -- waivers --------------------------------------------------------------------------------------------


@pytest.fixture
def with_private(tmp_path):
    """A series whose findings keep their ids."""
    FORMS["hospital-l-diverse"](tmp_path / "s")
    (tmp_path / "s/private").mkdir(mode=0o700)
    return tmp_path / "s"


@pytest.mark.parametrize(
    ("named", "expires", "said"),
    [
        ("one", "2020-01-01", "expired"),
        ("none", "2999-01-01", "no finding has this id"),
        ("one, without its key", "2999-01-01", "no finding has this id"),
    ],
)
def test_other_waivers_waive_nothing(named, expires, said, with_private):
    before = run_audit(with_private)[1]
    ids = [finding["id"] for attack in before["attacks"] for finding in attack["findings"]]
    ident = "intersection-0123456789abcdef" if named == "none" else ids[0]
    waiver = f'[[waiver]]\nfinding = "{ident}"\nreason = "consented"\nexpires = {expires}\nsize = 1\n'
    append(with_private / "series.toml", f"\n{waiver}")
    if "without" in named:
        shutil.rmtree(with_private / "private")
    code, result, _ = run_audit(with_private)
    assert code == 1
    assert [waived["state"] for waived in result["policy"]["waived"]] == [said if said == "expired" else "unknown"]
    assert said in run_main(str(with_private))[1]


# -- processes ------------------------------------------------------------------------------------------


def test_a_reader_that_goes_away(tmp_path):
    """Standard output is closed before the report is written."""
    reading, writing = os.pipe()
    os.close(reading)
    called = [sys.executable, "-m", "audit.cli.main", str(HOSPITAL), "--format", "json"]
    done = subprocess.run(called, stdout=writing, stderr=subprocess.PIPE, timeout=600)
    os.close(writing)
    assert done.stderr == b""
    assert done.returncode == 141


FEW = ("--attack", "intersection")
"""What a process of its own answers soon."""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has it")
@slow
def test_full_standard_streams():
    with Path("/dev/full").open("w") as full:
        called = [sys.executable, "-m", "audit.cli.main"]
        done = subprocess.run([*called, str(HOSPITAL), *FEW], stdout=full, stderr=subprocess.PIPE, timeout=600)
        assert done.returncode == 2
        assert "No space left" in only_line(done.stderr.decode())
        done = subprocess.run([*called, "no-such-folder"], stdout=subprocess.PIPE, stderr=full, timeout=600)
        assert (done.returncode, done.stdout) == (2, b"")


@slow
def test_closed_standard_streams(tmp_path):
    called, few = f"{sys.executable} -m audit.cli.main", " ".join(FEW)
    shell = {"shell": True, "capture_output": True, "timeout": 600}
    done = subprocess.run(f"{called} '{HOSPITAL}' {few} >&-", **shell)
    assert done.returncode == 2
    assert "standard output" in only_line(done.stderr.decode())
    done = subprocess.run(f"{called} '{HOSPITAL}' {few} --output '{tmp_path}/report' >&- 2>&-", **shell)
    assert (done.returncode, done.stdout, done.stderr) == (1, b"", b"")
    assert (tmp_path / "report").read_text(encoding="utf-8").startswith("Hospital")
    assert subprocess.run(f"{called} no-such-folder 2>&-", **shell).returncode == 2


def test_an_interrupt(tmp_path):
    """The command waits at a pipe for its report's reader when the user stops it."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    # A shell may have started the tests with interrupts ignored, which processes inherit.
    lines = "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); "
    lines += "from audit.cli.main import main; sys.exit(main())"
    called = [sys.executable, "-c", lines, str(HOSPITAL), "--output", str(pipe)]
    running = subprocess.Popen(called, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        for _ in range(12_000):
            time.sleep(0.05)
            if waits(running.pid):
                break
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=600)
    finally:
        running.kill()
    assert running.returncode == 130
    assert out == b""
    assert only_line(err.decode()) == "interrupted"


def test_ignored_interrupts_stay_ignored(monkeypatch):
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        monkeypatch.setattr(command, "_dispatch", lambda words, **_: os.kill(os.getpid(), signal.SIGINT) or 0)
        assert run_main("series") == (0, "", "")
    finally:
        signal.signal(signal.SIGINT, before)


def waits(pid):
    """Return whether a process waits for the other end of a pipe."""
    where = Path(f"/proc/{pid}/wchan")
    try:
        return "fifo" in where.read_text() or "wait_for_partner" in where.read_text()
    except OSError:
        return False


def test_the_same_series_gives_the_same_report(with_private):
    first, second = (
        run_process(with_private, "--stable-ids", env={**os.environ, "PYTHONHASHSEED": seed}).stdout for seed in "12"
    )
    assert re.sub(rb"\d+\.\d\d s", b"", first) == re.sub(rb"\d+\.\d\d s", b"", second)


def test_printed_commands_name_the_paths_that_were_typed(tmp_path):
    """Quoted for a shell, in every sentence that has a command: none has a word in place of a path that is known."""
    folder = tmp_path / "my series"
    shutil.copytree(EXAMPLES / "hospital-l-diverse", folder)
    with (folder / "series.toml").open("a", encoding="utf-8") as manifest:
        manifest.write('\n[unconfirmed]\nkeys = ["columns.quasi_identifiers"]\n')
    candidate = tmp_path / "a new release.csv"
    (folder / "releases/2.csv").rename(candidate)
    manifest = folder / "series.toml"
    manifest.write_text(re.sub(r"(?m)^releases = .*$", 'releases = ["releases/1.csv"]', manifest.read_text()))
    for words in ([str(folder)], ["next", str(folder), str(candidate)]):
        for form in ("text", "markdown", "html"):
            out = html.unescape(" ".join(run_main(*words, "--format", form)[1].replace("\\", "").split()))
            assert f"audit init '{folder}' --confirm" in out, (words, form)
            assert not re.search("audit [a-z]* ?SERIES", out), (words, form)
        assert "audit init SERIES --confirm" in run_main(*words, "--format", "json")[1]
    assert "audit init SERIES --confirm" in load(folder).audit().render("json")


def test_stable_ids_without_a_folder_for_their_key_are_refused_before_the_attacks(tmp_path, monkeypatch):
    shutil.copytree(EXAMPLES / "cases-independent", tmp_path / "s", ignore=shutil.ignore_patterns("private"))
    monkeypatch.setattr("audit.pipeline.attack_run.run_attacks", lambda *_: pytest.fail("the attacks were run"))
    assert "make one in the series folder" in refused(str(tmp_path / "s"), "--stable-ids")
