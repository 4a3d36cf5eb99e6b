"""The GitHub Action and the pre-commit hook: their structure, and that their command lines run."""

import ast
import json
import os
import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from tests.cli.forms import EXAMPLES
from tests.helpers.amount import slow
from tests.helpers.running import run_main
from tests.helpers.sarif import assert_sarif

pytestmark = slow

ROOT = Path(__file__).parent.parent.parent
ACTION = (ROOT / "action.yml").read_text(encoding="utf-8")
DOCUMENTED = (ROOT / "docs" / "automation.md").read_text(encoding="utf-8")
HOSPITAL = str(EXAMPLES / "hospital-l-diverse")
SAFE = "clinic-2-equivalence"


def scripts() -> dict[str, str]:
    """The scripts of the action's steps, by name."""
    steps = re.split(r"^    - ", ACTION, flags=re.MULTILINE)[1:]
    found = {}
    for step in steps:
        if "run: |\n" in step:
            name = re.match(r"name: (.+)", step)
            assert name is not None
            assert "shell: bash" in step
            found[name[1]] = textwrap.dedent(step.split("run: |\n")[1])
    return found


def inputs() -> list[str]:
    block = ACTION.split("inputs:\n")[1].split("outputs:\n")[0]
    return re.findall(r"^  ([a-z]+):$", block, re.MULTILINE)


def run_action(folder: Path, instead: str | None = None, **given: str) -> subprocess.CompletedProcess[str]:
    """Run the action's audit step as a runner would, the command being this checkout's."""
    command = folder / "bin" / "audit"
    command.parent.mkdir()
    run = f'exec "{sys.executable}" -m audit.cli.main "$@"' if instead is None else instead
    command.write_text(f"#!/bin/sh\n{run}\n", encoding="utf-8")
    command.chmod(0o755)
    settings = {"ATTACK": "", "FORMAT": "text", "OUTPUT": "", "ARGUMENTS": "", **given}
    (command.parent / "python").symlink_to(sys.executable)  # as setup-python has it
    environment = {**os.environ, "PATH": f"{command.parent}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT), **settings}
    words = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", scripts()["Audit"]]
    return subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True)


def test_inputs_reach_the_script_as_variables_alone():
    """An input written into a script would be run by the shell."""
    assert not [script for script in scripts().values() if "${{" in script]
    for name in inputs():
        assert f"{name.upper()}: ${{{{ inputs.{name} }}}}" in ACTION


def test_the_action_audits(tmp_path):
    ran = run_action(tmp_path, SERIES=HOSPITAL, ATTACK="intersection joint", FORMAT="sarif", OUTPUT="a b.sarif")
    assert (ran.returncode, ran.stdout, ran.stderr) == (1, "", "")
    log = json.loads((tmp_path / "a b.sarif").read_text(encoding="utf-8"))
    assert_sarif(log)
    assert {each["ruleId"].split("/")[0] for each in log["runs"][0]["results"]} == {"intersection", "joint"}


def test_the_action_takes_more_arguments_and_runs_nothing_in_them(tmp_path):
    ran = run_action(tmp_path, SERIES=HOSPITAL, ARGUMENTS="--findings 1 --time-limit 3600")
    assert ran.returncode == 1
    assert "Findings of intersection (1 of 2)" in ran.stdout


def test_arguments_with_an_open_quote_fail(tmp_path):
    output = tmp_path / "GITHUB_OUTPUT"
    given = {"ARGUMENTS": '--policy "max_risk=0.01', "GITHUB_OUTPUT": str(output)}
    ran = run_action(tmp_path, SERIES=HOSPITAL, ATTACK="intersection", **given)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr == '--policy "max_risk=0.01: No closing quotation; close what is quoted\n'
    assert output.read_text() == "exit-code=2\nverdict=error\n"


def test_the_verdict_is_an_output_and_stands_in_the_summary(tmp_path):
    files = {name: tmp_path / name for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
    assert run_action(tmp_path, SERIES=HOSPITAL, **{name: str(path) for name, path in files.items()}).returncode == 1
    told = dict(line.split("=") for line in files["GITHUB_OUTPUT"].read_text().splitlines())
    block = ACTION.split("\noutputs:\n")[1].split("\nruns:\n")[0]
    assert list(told) == re.findall(r"^  ([a-z-]+):$", block, re.MULTILINE)
    assert all(f"value: ${{{{ steps.audit.outputs.{name} }}}}" in block for name in told)
    assert (told["exit-code"], told["verdict"], told["undecided"], told["people"]) == ("1", "not-safe", "0", "4")
    assert int(told["violations"]) >= 1
    assert int(told["findings"]) >= 4
    summary = files["GITHUB_STEP_SUMMARY"].read_text()
    assert summary.startswith(f"**series-audit**: {HOSPITAL} is not-safe (exit 1)\n")
    assert "is certain for 4 of 16 people" in summary


def test_count_tables_have_outputs_too(tmp_path):
    file, page = tmp_path / "outputs", tmp_path / "summary.md"
    series = str(ROOT / "tests" / "count_table_examples" / "tables-levels")
    run_action(tmp_path, SERIES=series, GITHUB_OUTPUT=str(file), GITHUB_STEP_SUMMARY=str(page))
    told = dict(line.split("=") for line in file.read_text().splitlines())
    assert (told["verdict"], told["people"]) == ("not-safe", "0")
    assert int(told["findings"]) >= 1
    assert len(page.read_text()) > 500


def test_what_is_wrong_stands_on_the_page_of_the_run(tmp_path):
    file, page = tmp_path / "outputs", tmp_path / "summary.md"
    ran = run_action(tmp_path, SERIES="nowhere", GITHUB_OUTPUT=str(file), GITHUB_STEP_SUMMARY=str(page))
    assert (ran.returncode, file.read_text()) == (2, "exit-code=2\nverdict=error\n")
    assert f"    {ran.stderr}" in page.read_text()


@pytest.mark.parametrize("line", re.findall(r"^audit published .*$", DOCUMENTED, re.MULTILINE))
def test_documented_commands_run(tmp_path, monkeypatch, line):
    (tmp_path / "published").symlink_to(HOSPITAL, target_is_directory=True)
    monkeypatch.chdir(tmp_path)
    code, _, err = run_main(*line.split()[1:])
    assert (code, err) == (1, "")


def test_documented_hook_arguments_run(tmp_path, monkeypatch):
    [arguments] = re.findall(r"args: \[(.+)\]", DOCUMENTED)
    (tmp_path / "published").symlink_to(HOSPITAL, target_is_directory=True)
    monkeypatch.chdir(tmp_path)
    assert run_main(*(word.strip(' "') for word in arguments.split(",")))[0] == 1


# -- Other pipelines -------------------------------------------------------------------------------------


def section(title, language):
    """The snippets of a section of the documentation, in a language."""
    text = DOCUMENTED.split(f"\n## {title}\n")[1].split("\n## ")[0]
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def run_shell(folder, *lines):
    """Run lines as a pipeline does, up to the first that fails; `audit` is this checkout's."""
    command = folder / "bin" / "audit"
    command.parent.mkdir(exist_ok=True)
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m audit.cli.main "$@"\n', encoding="utf-8")
    command.chmod(0o755)
    environment = {**os.environ, "PATH": f"{command.parent}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}
    words = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", "\n".join(lines)]
    return subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True).returncode


def before_publication(folder, name):
    """A series whose second release is a candidate yet."""
    shutil.copytree(EXAMPLES / name, folder / "published")
    (folder / "candidate").mkdir()
    (folder / "published" / "releases" / "2.csv").rename(folder / "candidate" / "2.csv")
    manifest = folder / "published" / "series.toml"
    text, count = re.subn(r"(?m)^releases = .*$", 'releases = ["releases/*.csv"]', manifest.read_text())
    assert count == 1
    manifest.write_text(text)
    for later in (folder / "published" / "releases").glob("[3-9].csv"):
        later.unlink()


def test_the_gitlab_job_runs(tmp_path):
    [job] = section("GitLab", "yaml")
    script = [line.strip(" -") for line in job.split("  script:\n")[1].split("  artifacts:")[0].splitlines()]
    assert script[0].startswith("pip install ")
    shutil.copytree(HOSPITAL, tmp_path / "published")
    assert run_shell(tmp_path, *script[1:]) == 1
    kept = re.findall(r"audit\.[a-z]+", job.split("  artifacts:")[1])
    assert sorted(kept) == ["audit.html", "audit.json", "audit.xml"]
    assert all((tmp_path / name).stat().st_size for name in kept)


@pytest.mark.parametrize(("name", "code"), [(SAFE, 0), ("hospital-l-diverse", 1)])
def test_the_airflow_tasks_run(tmp_path, name, code):
    [snippet] = section("Airflow", "python")
    calls = [node for node in ast.walk(ast.parse(snippet)) if isinstance(node, ast.Call)]
    commands = [ast.literal_eval(word.value) for call in calls for word in call.keywords if word.arg == "bash_command"]
    before_publication(tmp_path, name)
    assert run_shell(tmp_path, *commands) == code
    assert (tmp_path / "published/releases/2.csv").exists() == (code == 0)
    assert json.loads((tmp_path / "audit.json").read_text())["policy"]["passed"] == (code == 0)


@pytest.mark.parametrize(("name", "code"), [(SAFE, 0), ("hospital-l-diverse", 1)])
def test_the_lines_about_dbt_run(tmp_path, name, code):
    """With a stand-in for dbt, which copies the file that the model names to the one that it writes."""
    [model], [lines] = section("dbt", "sql"), section("dbt", "bash")
    before_publication(tmp_path, name)
    [target], [source] = re.findall(r'location="(.+?)"', model), re.findall(r"read_csv\('(.+?)'", model)
    (tmp_path / source).parent.mkdir()
    (tmp_path / target).rename(tmp_path / source)
    stand_in = tmp_path / "bin" / "dbt"
    stand_in.parent.mkdir()
    stand_in.write_text(f'#!/bin/sh\ntest "$*" = "build --select candidate" && cp {source} {target}\n')
    stand_in.chmod(0o755)
    assert run_shell(tmp_path, lines) == code
    assert (tmp_path / "published/releases/2.csv").exists() == (code == 0)


def test_an_exit_code_without_a_report_that_says_the_same_is_no_verdict(tmp_path):
    """A command that ends with 0 and wrote nothing, as one that something else makes leave, is not safe."""
    output = tmp_path / "GITHUB_OUTPUT"
    done = run_action(tmp_path, "exit 0", SERIES=SAFE, GITHUB_OUTPUT=str(output))
    assert done.returncode == 4
    assert "verdict=error\n" in output.read_text()
