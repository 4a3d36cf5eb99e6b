"""An attack, an anonymizer, its principle and a format of another package pass through every command and format."""

import json
import os
import re
import shutil
import subprocess
import sys
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pandas as pd
import pytest

from attacks.registry import all_attacks
from reports.registry import FORMATS
from tests.cli.forms import EXAMPLES
from tests.helpers.sarif import assert_sarif
from tests.helpers.schemas import fits, troubles
from tests.mutants.mutant import kills

HERE = Path(__file__).parents[1]
HOSPITAL = EXAMPLES / "hospital-l-diverse"
SAFE = EXAMPLES / "hospital-2-invariant"
ENTRY_POINTS = """
[series_audit.attacks]
first-releases = outsiders:FirstReleases
[series_audit.anonymizers]
pairing = outsiders:Pairing
[series_audit.principles]
paired = outsiders:Paired
[series_audit.formats]
lines = outsiders:Lines
[series_audit.clauses]
found = outsiders:Found
uncounted = outsiders:Uncounted
unclaimed = outsiders:Unclaimed
unmarked = outsiders:Unmarked
plagued = outsiders:Plagued
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A folder of packages, as pip leaves one that was installed."""
    folder = tmp_path_factory.mktemp("site")
    shutil.copy(HERE / "outsiders" / "outsiders.py", folder)
    (folder / "outsiders-1.0.dist-info").mkdir()
    (folder / "outsiders-1.0.dist-info" / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: outsiders\nVersion: 1.0\n"
    )
    (folder / "outsiders-1.0.dist-info" / "entry_points.txt").write_text(ENTRY_POINTS)
    return folder


COMMANDS = """
import importlib, json, os, pkgutil, sys
import anonymizers, attacks, audit, numba, pandas, reports, scipy.optimize
from tests.helpers.running import run_main

for package in (anonymizers, attacks, audit, reports):
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)

for line in sys.stdin:
    folder, words = json.loads(line)
    if folder is not None and os.fork():
        if os.wait()[1]:
            break
        continue
    sys.path[:0] = [] if folder is None else [folder]
    print(json.dumps(run_main(*words)), flush=True)
    if folder is not None:
        os._exit(0)
"""
"""Each command with a folder of packages is a copy of this process, which has none, or those that it began with."""


@contextmanager
def process_of(*path):
    """Start a process with folders on its path; yield what has it run a command, and returns what that answers."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, [*path, HERE.parent]))}
    words = [sys.executable, "-c", COMMANDS]
    with subprocess.Popen(words, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:

        def answered(folder, *words):
            print(json.dumps([folder and str(folder), [*map(str, words)]]), file=process.stdin, flush=True)
            return json.loads(process.stdout.readline())

        yield answered


def command(answered, folder, *words, code=(0, 1, 3)):
    """Return the output of a command, the errors where the words are wrong."""
    got, out, err = answered(folder, *words)
    assert got in code, err
    assert err == "" or got == 2
    return out if got != 2 else err


@pytest.fixture(scope="module")
def run(site):
    """Run a command where the packages are installed; all of a module in one process."""
    with process_of(site) as answered:
        yield partial(command, answered, None)


@pytest.fixture(scope="module")
def answer():
    """Run a command where the packages of a folder are installed."""
    with process_of() as answered:
        yield answered


@pytest.fixture
def changed(answer, site, tmp_path):
    """Run a command where the packages are installed, and code is added to their module."""

    def adding(code):
        shutil.copytree(site, tmp_path / "site")
        with (tmp_path / "site" / "outsiders.py").open("a") as file:
            file.write(f"\n\n{code}\n")
        return partial(command, answer, tmp_path / "site")

    return adding


ASKED = ("--attack", "first-releases", "--depth", "2")


KIND = """
from typing import Annotated, Literal
from audit.model.finding import RELEASE, RowClaims, Finding, C


@dataclass(frozen=True)
class Odd(Finding[C]):
    kind: ClassVar[Literal["odd"]] = "odd"
    release: Annotated[C, RELEASE]
    number: int

    def sentence(self, *, by_version): return f"release {self.release} has an odd number of rows"
    def places(self): yield from ()


@dataclass(frozen=True)
class OddReleases(RowClaims):
    release: object
    checked_by: ClassVar[str] = "outsiders.counted_again"
    severity = property(lambda self: np.ones(len(self)))

    def certify(self, places): return [Odd(int(self.release[at]), 11) for at in places]
    def identities(self, places, names): return (("odd", names.evidence.tags[self.release[at]]) for at in places)


def counted_again(seen, claims):
    return claims.certify


def odd(self, evidence, budget):
    releases = np.arange(len(evidence.tags), dtype=np.int32)
    measures = FirstMeasures(depth=1, people=9, lonely=2, first_values={}, timeline=[1, 2])
    return Outcome(self.name, "complete", None, measures, OddReleases(releases))


FirstReleases.run = odd
"""


def test_a_kind_of_finding_of_another_package(changed, tmp_path):
    """It is named, shown, waived and compared as all are, and the schema of results leaves room for it."""
    run = changed(KIND)
    shutil.copytree(HOSPITAL, tmp_path / "s")
    (tmp_path / "s" / "private").mkdir(exist_ok=True)
    words = (tmp_path / "s", "--attack", "first-releases", "--stable-ids")
    written = run(*words, "--format", "json")
    report = json.loads(written)
    [one, other] = report["attacks"][0]["findings"]
    assert (one["kind"], other["kind"]) == ("odd", "odd")
    assert troubles("audit", report) == []
    assert not fits("audit", json.loads(written.replace('"kind": "odd"', '"kind": "recovered"')))
    (tmp_path / "before.json").write_text(written)
    run("waive", tmp_path / "s", one["id"], "--reason", "known", "--until", "9999-01-01")
    left = json.loads(run(*words, "--format", "json"))["attacks"][0]["findings"]
    assert [each["id"] for each in left] == [other["id"]]
    compared = run(*words, "--baseline", tmp_path / "before.json", "--format", "json")
    assert json.loads(compared)["attacks"][0]["findings"] == []
    assert "has an odd number of rows" in run(*words)


@pytest.mark.many
@pytest.mark.parametrize("form", FORMATS.names)
@pytest.mark.parametrize("reveal", [(), ("--reveal",)], ids=["hidden", "revealed"])
def test_the_attack_in_every_format(run, form, reveal):
    out = run(HOSPITAL, *ASKED, "--format", form, *reveal)
    assert "first-releases" in out
    if form == "json":
        [entry] = json.loads(out)["attacks"]
        assert list(entry["measures"])[:4] == ["depth", "people", "lonely", "first_values"]
        assert list(entry["measures"])[-1] == "timeline"
        assert (entry["measures"]["depth"], len(entry["measures"]["timeline"])) == (2, 2)
        assert entry["measures"]["lonely"] == entry["findings_total"]
    if form == "sarif":
        assert_sarif(json.loads(out))
    if form in {"text", "markdown", "html"}:
        assert "first-releases looked at 2 releases." in out


def test_it_is_one_of_all_attacks(run):
    entries = json.loads(run(HOSPITAL, "--format", "json"))["attacks"]
    assert entries[-1]["attack"] == "first-releases"
    assert entries[-1]["measures"]["depth"] == 1


def states(out):
    return {each["clause"]: each["state"] for each in json.loads(out)["policy"]["clauses"]}


@kills("audit.clauses.clause.decide", 'limit, "undecided", ()', 'limit, "holds", ()')
@pytest.mark.parametrize(
    ("limit", "state", "told"),
    [(5, "violated", "found: 4 by joint, and the limit is 5"), (4, "holds", "found 4"), (99, "undecided", "KeyError")],
)
def test_the_clause(run, limit, state, told):
    """It counts people whose value `joint` finds in Hospital: four of twelve. It fails if asked for 99."""
    words = (HOSPITAL, "--policy", "max_risk=1", "--policy", f"found={limit}")
    assert states(run(*words, "--format", "json"))["found"] == state
    assert told in " ".join(run(*words, "--format", "text").split())
    results = json.loads(run(*words, "--format", "sarif"))["runs"][0]
    assert "policy/found" in {rule["id"] for rule in results["tool"]["driver"]["rules"]}


@pytest.mark.parametrize(("clause", "error"), [("uncounted", "LookupError"), ("unclaimed", "SystemExit")])
def test_a_clause_that_fails_before_it_is_judged_is_undecided(run, clause, error):
    """All else holds, and the report is written."""
    words = (SAFE, "--attack", "joint")
    assert set(states(run(*words, "--format", "json", code=(0,))).values()) == {"holds", "not asked"}
    out = run(*words, "--policy", f"{clause}=1", "--format", "json", code=(3,))
    assert (states(out)[clause], states(out)["max_risk"]) == ("undecided", "holds")
    [reason] = json.loads(out)["policy"]["undecided"]
    failed = rf"the clause {clause} of the package outsiders failed \({error}, outsiders.py:\d+\)"
    assert reason["measure"] == clause
    assert re.fullmatch(f"{failed}; correct it, or uninstall it", reason["reason"])
    text = run(*words, "--policy", f"{clause}=1", code=(3,))
    assert reason["reason"] in " ".join(text.split())
    assert "private cell" not in out + text


HANGS = """
import threading, time

hanging, wait = set(), threading.Thread.join

def hang(*_):
    hanging.add(threading.current_thread())
    with open({calls!r}, "a") as file:
        file.write(".")
    time.sleep(600)

def join(thread, timeout=None):
    while thread.is_alive() and not (thread in hanging and timeout is not None):
        wait(thread, 0.05)

threading.Thread.join = join
Uncounted.default = Unclaimed.default = Unmarked.default = Plagued.default = None
Found.default = {default}
{where} = hang
"""
"""Code that hangs: whoever waits for it with a time limit waits no longer, for everything else as long as it takes."""


@kills("audit.runtime.outside_code.ClauseWatch.ask", "if name in self.failed:", "if False:")
@pytest.mark.parametrize("where", ["asks", "statistic", "claims", "violations"])
def test_a_clause_that_hangs_is_undecided_and_asked_once(changed, tmp_path, where):
    """However many results it is asked about, it takes its time limit once; what else was found is written."""
    run = changed(HANGS.format(where=f"Found.{where}", calls=str(tmp_path / "calls"), default=1))
    out = json.loads(run(EXAMPLES / "clinic-2-equivalence", "--time-limit", "3600", "--format", "json", code=(3,)))
    assert (tmp_path / "calls").read_text() == "."
    [reason] = out["policy"]["undecided"]
    assert reason["measure"] == "found"
    assert "it did not stop at the time limit of 3600 s" in reason["reason"]
    assert {each["clause"] for each in out["policy"]["clauses"] if each["state"] == "holds"} >= {"max_risk", "min_e"}


@kills("audit.pipeline.attack_run.run_attacks", "if each.stated or watch", "if watch")
@kills("audit.clauses.clause.Stated.stated", "self.manifest or self.asked", "True")
def test_a_clause_is_in_question_where_the_evidence_has_what_it_is_about(run, tmp_path):
    """It is not listed elsewhere, unless it is stated."""
    shutil.copytree(HOSPITAL, tmp_path / "series")
    for release in (tmp_path / "series" / "releases").iterdir():
        release.write_text(release.read_text().replace("flu", "plague"))
    assert "plagued" not in states(run(HOSPITAL, "--format", "json"))
    assert states(run(HOSPITAL, "--policy", "plagued=5", "--format", "json"))["plagued"] == "violated"
    assert states(run(tmp_path / "series", "--format", "json"))["plagued"] == "holds"
    narrowed = states(run(tmp_path / "series", "--attack", "intersection", "--format", "json"))
    assert narrowed["plagued"] == narrowed["min_e"] == "not asked"


ASKS = """
def log(letter):
    with open({calls!r}, "a") as file:
        file.write(letter)

def asks(self, evidence):
    log("a")
    {fault}

def run(self, evidence, budget, own=FirstReleases.run):
    log("r")
    return own(self, evidence, budget)

Plagued.asks, FirstReleases.run = asks, run
"""


@kills("audit.pipeline.attack_run.run_attacks", "otherwise=True", "otherwise=False")
@pytest.mark.parametrize(
    ("fault", "error"),
    [("return {}['Bob has flu']", "KeyError"), ("sys.exit(0)", "SystemExit"), ("return False", None)],
)
def test_a_clause_that_fails_to_say_whether_it_asks_is_undecided(changed, tmp_path, fault, error):
    """It is asked once, before any attack runs; only one that answers is left out."""
    run = changed(ASKS.format(fault=fault, calls=str(tmp_path / "calls")))
    text = run(EXAMPLES / "clinic-2-equivalence", "--format", "json", code=(0 if error is None else 3,))
    assert re.fullmatch("ar+", (tmp_path / "calls").read_text())
    assert states(text).get("plagued") == (None if error is None else "undecided")
    reasons = [each["reason"] for each in json.loads(text)["policy"]["undecided"]]
    assert len(reasons) == (error is not None)
    assert all(
        f"the clause plagued of the package outsiders failed ({error}, outsiders.py:" in each for each in reasons
    )
    assert "flu" not in "".join(reasons)


def test_a_clause_that_failed_is_not_forgotten_by_the_next(run):
    words = (SAFE, "--attack", "joint", "--policy", "uncounted=1", "--policy", "unmarked=1")
    assert states(run(*words, "--format", "json"))["uncounted"] == "undecided"


def test_the_clause_is_in_force_where_it_is_stated_alone(run, tmp_path):
    assert "found" not in states(run(HOSPITAL, "--format", "json"))
    shutil.copytree(HOSPITAL, tmp_path / "series")
    manifest = tmp_path / "series" / "series.toml"
    manifest.write_text(
        manifest.read_text().replace("[policy]", "[policy]\nfound = 3")
        if "[policy]" in manifest.read_text()
        else manifest.read_text() + "\n[policy]\nfound = 3\n"
    )
    assert states(run(tmp_path / "series", "--format", "json"))["found"] == "holds"
    refused = run(HOSPITAL, "--policy", "found=0", code=(2,))
    assert "write a whole number of people from 1" in refused


def test_its_option_is_told_and_checked(run):
    assert "first-releases: how many releases are looked at; default: 1" in " ".join(
        run("--attack", "first-releases", "--help").split()
    )
    assert "a whole number from 1 to 9 is needed" in run(HOSPITAL, *ASKED[:3], "10", code=(2,))
    refused = run(HOSPITAL, "--attack", "joint", "--depth", "2", code=(2,))
    assert "--depth is an option of the attack first-releases; ask for it too" in refused


@pytest.mark.parametrize("form", ["text", "json", "html"])
def test_the_attack_in_other_commands(run, form, tmp_path):
    assert "first-releases" in run("compare", HOSPITAL, HOSPITAL, "--format", form)
    candidate = tmp_path / "3.csv"
    shutil.copy(HOSPITAL / "releases" / "2.csv", candidate)
    assert "first-releases" in run("next", HOSPITAL, candidate, *ASKED, "--format", form)
    told = run("explain", HOSPITAL, "--individual", "Alice", "--format", form)
    assert ("first-releases" if form == "json" else "Alice") in told


def test_the_format_in_other_commands(run, tmp_path):
    lines = run(HOSPITAL, "--format", "lines").splitlines()
    assert lines[0] == "intersection complete 2"
    assert [line.split()[0] for line in lines] == [*(attack.name for attack in all_attacks()), "first-releases"]
    candidate = tmp_path / "3.csv"
    shutil.copy(HOSPITAL / "releases" / "2.csv", candidate)
    assert "intersection" in run("next", HOSPITAL, candidate, "--format", "lines")
    assert "intersection" in run("explain", HOSPITAL, "--individual", "Alice", "--format", "lines")


@pytest.mark.parametrize("suffix", [".csv", ".csv.gz", ".parquet"])
def test_the_anonymizer_and_its_principle(run, tmp_path, suffix):
    shutil.copytree(EXAMPLES / "hospital-microdata", tmp_path / "microdata")
    for snapshot in (tmp_path / "microdata").glob("*.csv"):
        frame = pd.read_csv(snapshot)
        snapshot.unlink()
        written = snapshot.with_name(snapshot.stem + suffix)
        frame.to_parquet(written) if suffix == ".parquet" else frame.to_csv(written, index=False)
    manifest = tmp_path / "microdata" / "microdata.toml"
    manifest.write_text(manifest.read_text().replace('.csv"', f'{suffix}"'))
    words = ("anonymize", "--no-audit", tmp_path / "microdata", "--method", "pairing", "--output", tmp_path / "out")
    assert "pairing needs --pair; give it a whole number from 2" in run(*words, code=(2,))
    assert "paired (pair = 2) holds" in run(*words, "--pair", "2", "--seed", "1")
    assert len([*(tmp_path / "out" / "releases").glob(f"*{suffix}")]) == 2
    assert "The promise holds" in run("check", tmp_path / "out", "--principle", "paired", "--pair", "2")
    assert "BROKEN" in run("check", tmp_path / "out", "--principle", "paired", "--pair", "9")
    assert "first-releases" in run(tmp_path / "out", "--format", "json")


FAULTS = {
    "lacks a module": "import nowhere_to_be_found",
    "raises at import": "raise RuntimeError('Bob has flu')",
    "leaves at import": "import sys; sys.exit(0)",
    "raises": "FirstReleases.run = lambda self, evidence, budget: {}['Bob has flu']",
    "raises where the policy is given to it": "FirstReleases.with_policy = lambda self, limits: {}['Bob has flu']",
    "raises where it is put into words": "FirstMeasures.notes = lambda self, attack: {}['Bob has flu']",
    "raises beside what another one found": "FirstReleases.refined = lambda *_: {}['Bob has flu']",
    "leaves": "import sys; FirstReleases.run = lambda self, evidence, budget: sys.exit(0)",
    "hangs": HANGS.format(where="FirstReleases.run", calls=os.devnull, default=None),
    "claims what is not so": (
        "FirstReleases.run = lambda self, evidence, budget: Outcome(self.name, 'complete', None, FirstMeasures("
        "depth=1, people=1, lonely=1, first_values={}, timeline=[0, 1]), disclosures(evidence, *np.zeros((3, 1), "
        "np.int32)))"
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_package_that_fails_takes_neither_the_report_nor_the_exit_code(changed, fault):
    """Attacks that ran violate the policy, or the exit shows that something did not run; never that it is safe."""
    run = changed(FAULTS[fault])
    limit = ("--time-limit", "3600") if fault == "hangs" else ()
    for series, code in (("clinic-2-equivalence", 4), ("hospital-l-diverse", 1)):
        report = json.loads(run(EXAMPLES / series, "--format", "json", *limit, code=(code,)))
        [failed] = [each for each in report["attacks"] if each["status"] == "failed"]
        assert "outsiders" in failed["reason"]
        assert "flu" not in failed["reason"]  # a message may quote what the attack was given
        assert failed["findings"] == []
        assert not report["policy"]["passed"]
        assert all(each["attack"] != failed["attack"] for each in report["policy"]["violations"])


@pytest.mark.parametrize(
    ("fault", "words", "code"),
    [
        ("Found.__init__ = lambda self: {}['Bob has flu']", (), 3),
        ("del Found.violations; import abc; abc.update_abstractmethods(Found)", (), 3),
        ("Lines.render = lambda *_: {}['Bob has flu']", ("--format", "lines"), 4),
        ("import sys; Lines.render = lambda *_: sys.exit(0)", ("--format", "lines"), 4),
    ],
)
def test_what_else_fails_is_said_of_its_package(changed, answer, tmp_path, fault, words, code):
    changed(fault)
    got, out, err = answer(tmp_path / "site", EXAMPLES / "clinic-2-equivalence", *words)
    assert got == code
    said = err if code == 4 else " ".join(out.split())
    assert "of the package outsiders" in said if code == 4 else "the clause found cannot be loaded" in said
    assert "flu" not in out + err


def test_the_attack_as_an_object_in_python(site):
    program = (
        "from audit.api import load; from outsiders import FirstReleases; "
        f"result = load({str(HOSPITAL)!r}).attack(FirstReleases(depth=2)); "
        "print(result.measures['depth'], len(result.findings) == result.measures['lonely'], repr(result))"
    )
    path = os.pathsep.join([str(site), str(HERE.parent)])
    done = subprocess.run(
        [sys.executable, "-c", program], env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("2 True ")
