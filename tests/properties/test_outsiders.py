"""An attack, an anonymizer, its principle and a format of another package pass through every command and format."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from attacks.registry import all_attacks
from reports.registry import FORMATS
from tests.cli.forms import EXAMPLES
from tests.helpers.sarif import assert_sarif

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


def run(site, *words, cwd=None, code=(0, 1, 3)):
    path = os.pathsep.join([str(site), str(HERE.parent)])
    command = [sys.executable, "-m", "audit.cli.main", *map(str, words)]
    done = subprocess.run(command, env={**os.environ, "PYTHONPATH": path}, cwd=cwd, capture_output=True, text=True)
    assert done.returncode in code, done.stderr
    assert done.stderr == "" or done.returncode == 2
    return done.stdout if done.returncode != 2 else done.stderr


ASKED = ("--attack", "first-releases", "--depth", "2")


@pytest.mark.parametrize("form", FORMATS.names)
@pytest.mark.parametrize("reveal", [(), ("--reveal",)], ids=["hidden", "revealed"])
def test_the_attack_in_every_format(site, form, reveal):
    out = run(site, HOSPITAL, *ASKED, "--format", form, *reveal)
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


def test_it_is_one_of_all_attacks(site):
    entries = json.loads(run(site, HOSPITAL, "--format", "json"))["attacks"]
    assert entries[-1]["attack"] == "first-releases"
    assert entries[-1]["measures"]["depth"] == 1


def states(out):
    return {each["clause"]: each["state"] for each in json.loads(out)["policy"]["clauses"]}


@pytest.mark.parametrize(
    ("limit", "state", "told"),
    [(5, "violated", "found: 4 by joint, and the limit is 5"), (4, "holds", "found 4"), (99, "undecided", "KeyError")],
)
def test_the_clause(site, limit, state, told):
    """It counts whose value `joint` finds out of Hospital: four of twelve. It fails where it is asked for 99."""
    words = (HOSPITAL, "--policy", "max_risk=1", "--policy", f"found={limit}")
    assert states(run(site, *words, "--format", "json"))["found"] == state
    assert told in " ".join(run(site, *words, "--format", "text").split())
    results = json.loads(run(site, *words, "--format", "sarif"))["runs"][0]
    assert "policy/found" in {rule["id"] for rule in results["tool"]["driver"]["rules"]}


@pytest.mark.parametrize(("clause", "error"), [("uncounted", "LookupError"), ("unclaimed", "SystemExit")])
def test_a_clause_that_fails_before_it_is_judged_is_undecided(site, clause, error):
    """All else holds, and the report is written."""
    words = (SAFE, "--attack", "joint")
    assert set(states(run(site, *words, "--format", "json", code=(0,))).values()) == {"holds", "not asked"}
    out = run(site, *words, "--policy", f"{clause}=1", "--format", "json", code=(3,))
    line = f"the clause {clause} of the package outsiders failed ({error}); correct it, or uninstall it"
    assert (states(out)[clause], states(out)["max_risk"]) == ("undecided", "holds")
    assert json.loads(out)["policy"]["undecided"] == [{"measure": clause, "reason": line}]
    text = run(site, *words, "--policy", f"{clause}=1", code=(3,))
    assert line in " ".join(text.split())
    assert "private cell" not in out + text


def test_a_clause_that_failed_is_not_forgotten_by_the_next(site):
    words = (SAFE, "--attack", "joint", "--policy", "uncounted=1", "--policy", "unmarked=1")
    assert states(run(site, *words, "--format", "json"))["uncounted"] == "undecided"


def test_the_clause_is_in_force_where_it_is_stated_alone(site, tmp_path):
    assert "found" not in states(run(site, HOSPITAL, "--format", "json"))
    shutil.copytree(HOSPITAL, tmp_path / "series")
    manifest = tmp_path / "series" / "series.toml"
    manifest.write_text(
        manifest.read_text().replace("[policy]", "[policy]\nfound = 3")
        if "[policy]" in manifest.read_text()
        else manifest.read_text() + "\n[policy]\nfound = 3\n"
    )
    assert states(run(site, tmp_path / "series", "--format", "json"))["found"] == "holds"
    refused = run(site, HOSPITAL, "--policy", "found=0", code=(2,))
    assert "write a whole number of people from 1" in refused


def test_its_option_is_told_and_checked(site):
    assert "first-releases: how many releases are looked at; default: 1" in " ".join(
        run(site, "--attack", "first-releases", "--help").split()
    )
    assert "a whole number from 1 to 9 is needed" in run(site, HOSPITAL, *ASKED[:3], "10", code=(2,))
    refused = run(site, HOSPITAL, "--attack", "joint", "--depth", "2", code=(2,))
    assert "--depth is an option of the attack first-releases; ask for it too" in refused


@pytest.mark.parametrize("form", ["text", "json", "html"])
def test_the_attack_in_other_commands(site, form, tmp_path):
    assert "first-releases" in run(site, "compare", HOSPITAL, HOSPITAL, "--format", form)
    candidate = tmp_path / "3.csv"
    shutil.copy(HOSPITAL / "releases" / "2.csv", candidate)
    assert "first-releases" in run(site, "next", HOSPITAL, candidate, *ASKED, "--format", form)
    told = run(site, "explain", HOSPITAL, "--individual", "Alice", "--format", form)
    assert ("first-releases" if form == "json" else "Alice") in told


def test_the_format_in_other_commands(site, tmp_path):
    lines = run(site, HOSPITAL, "--format", "lines").splitlines()
    assert lines[0] == "intersection complete 2"
    assert [line.split()[0] for line in lines] == [*(attack.name for attack in all_attacks()), "first-releases"]
    candidate = tmp_path / "3.csv"
    shutil.copy(HOSPITAL / "releases" / "2.csv", candidate)
    assert "intersection" in run(site, "next", HOSPITAL, candidate, "--format", "lines")
    assert "intersection" in run(site, "explain", HOSPITAL, "--individual", "Alice", "--format", "lines")


def test_the_anonymizer_and_its_principle(site, tmp_path):
    words = ("anonymize", EXAMPLES / "hospital-microdata", "--method", "pairing", "--output", tmp_path / "out")
    assert "pairing needs --pair; give it a whole number from 2" in run(site, *words, code=(2,))
    assert "paired (pair = 2) holds" in run(site, *words, "--pair", "2", "--seed", "1")
    assert "The promise holds" in run(site, "check", tmp_path / "out", "--principle", "paired", "--pair", "2")
    assert "BROKEN" in run(site, "check", tmp_path / "out", "--principle", "paired", "--pair", "9")
    assert "first-releases" in run(site, tmp_path / "out", "--format", "json")


def test_one_that_is_not_installed_is_named_as_python_names_it(tmp_path):
    shutil.copy(HERE / "outsiders" / "outsiders.py", tmp_path / "mine.py")
    out = run("", HOSPITAL, "--attack", "mine:FirstReleases", "--depth", "2", "--format", "json", cwd=tmp_path)
    assert [entry["attack"] for entry in json.loads(out)["attacks"]] == ["first-releases"]
    refused = run("", HOSPITAL, "--attack", "mine:Nothing", cwd=tmp_path, code=(2,))
    assert "cannot be imported" in refused


FAULTS = {
    "lacks a module": "import nowhere_to_be_found",
    "raises at import": "raise RuntimeError('Bob has flu')",
    "leaves at import": "import sys; sys.exit(0)",
    "raises": "FirstReleases.run = lambda self, evidence, budget: {}['Bob has flu']",
    "leaves": "import sys; FirstReleases.run = lambda self, evidence, budget: sys.exit(0)",
    "hangs": "import time; FirstReleases.run = lambda self, evidence, budget: time.sleep(60)",
    "claims what is not so": (
        "FirstReleases.run = lambda self, evidence, budget: Outcome(self.name, 'complete', None, FirstMeasures("
        "depth=1, people=1, lonely=1, first_values={}, timeline=[0, 1]), disclosures(evidence, *np.zeros((3, 1), "
        "np.int32)))"
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize(("series", "code"), [("hospital-l-diverse", 1), ("clinic-2-equivalence", 4)])
def test_a_package_that_fails_takes_neither_the_report_nor_the_exit_code(site, tmp_path, fault, series, code):
    """The policy is violated by what ran, or the exit says that something did not run; never that it is safe."""
    shutil.copytree(site, tmp_path / "site")
    with (tmp_path / "site" / "outsiders.py").open("a") as file:
        file.write(f"\n\n{FAULTS[fault]}\n")
    words = (EXAMPLES / series, "--format", "json", "--time-limit", "2")
    report = json.loads(run(tmp_path / "site", *words, code=(code,)))
    [failed] = [each for each in report["attacks"] if each["status"] == "failed"]
    assert "outsiders" in failed["reason"]
    assert "flu" not in failed["reason"]  # a message may quote what the attack was given
    assert failed["findings"] == []
    assert not report["policy"]["passed"]
    assert all(each["attack"] != failed["attack"] for each in report["policy"]["violations"])


def test_a_package_that_does_not_fail_leaves_the_verdict_as_it_is(site):
    report = json.loads(run(site, EXAMPLES / "clinic-2-equivalence", "--format", "json", code=(0,)))
    assert [each["status"] for each in report["attacks"] if each["attack"] == "first-releases"] == ["complete"]


def test_one_named_as_python_names_it_that_cannot_be_imported_is_one_line(tmp_path):
    (tmp_path / "mine.py").write_text("raise SystemExit(0)\n")
    refused = run("", HOSPITAL, "--attack", "mine:FirstReleases", cwd=tmp_path, code=(2,))
    assert refused.count("\n") == 1
    assert "the attack mine:FirstReleases cannot be imported (SystemExit)" in refused


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
