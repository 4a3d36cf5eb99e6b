"""SARIF logs in a repository: the places of findings, the identity of series, links to help; and logs of errors."""

import json
from email.message import Message
from pathlib import Path

import pytest

from audit.runtime.version import documentation
from tests.cli.forms import EXAMPLES, FORMS, append
from tests.helpers.running import run_main
from tests.helpers.sarif import assert_sarif
from tests.helpers.schemas import troubles

ROOT = Path(__file__).parent.parent.parent
TABLES = ROOT / "tests" / "count_table_examples"


def logged(*words):
    """The one run of a log, and the exit code."""
    code, out, err = run_main(*map(str, words), "--format", "sarif")
    log = json.loads(out)
    assert_sarif(log)
    assert bool(err) == (code == 2)
    return code, log["runs"][0]


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """A repository with a series some folders below its root, entered where the series is not."""
    (tmp_path / ".git").mkdir()
    (tmp_path / "data").mkdir()
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    FORMS["hospital-l-diverse"](tmp_path / "data" / "pub lished")
    return tmp_path


def places(run):
    found = [place["physicalLocation"] for result in run["results"] for place in result["locations"]]
    return {(each["artifactLocation"]["uri"], each.get("region", {}).get("startLine")) for each in found}


@pytest.mark.parametrize("words", [["../data/pub lished"], ["../data/pub lished/series.toml"]])
def test_paths_are_those_of_the_repository(repository, words):
    _, run = logged(*words)
    assert {uri for uri, _ in places(run)} == {f"data/pub%20lished/releases/{tag}.csv" for tag in (1, 2)}
    assert run["automationDetails"] == {"id": "series-audit/data/pub%20lished/"}


def test_lines_are_told_where_people_are(tmp_path):
    FORMS["hospital-l-diverse"](tmp_path / "s")
    assert {line for _, line in places(logged(tmp_path / "s")[1])} == {None}
    _, run = logged(tmp_path / "s", "--reveal")
    [bob] = [r for r in run["results"] if r["ruleId"] == "intersection/disclosure" and "Bob" in r["message"]["text"]]
    told = json.loads(run_main(str(tmp_path / "s"), "--reveal", "--format", "json", "--attack", "intersection")[1])
    [found] = [each for each in told["attacks"][0]["findings"] if each["individual"] == "Bob"]
    lines = {(each["file"], line) for each in found["rows"] for line in each["lines"]}
    regions = [
        (each["physicalLocation"]["artifactLocation"]["uri"], each["physicalLocation"]["region"])
        for each in bob["locations"]
    ]
    ends = [(file, one["startLine"], one.get("endLine", one["startLine"])) for file, one in regions]
    spanned = {(file, line) for file, first, last in ends for line in range(first, last + 1)}
    assert spanned == lines


@pytest.fixture
def packaged(monkeypatch):
    """Let the installed package have some URLs."""

    def use(*urls):
        found = Message()
        for url in urls:
            found["Project-URL"] = url
        monkeypatch.setattr("importlib.metadata.metadata", lambda _: found)
        documentation.cache_clear()

    yield use
    documentation.cache_clear()


def test_help_is_where_the_package_says(packaged):
    packaged("Changelog, https://example.org/changes", "Documentation, https://example.org/series-audit/docs/")
    runs = [logged(EXAMPLES / "hospital-l-diverse")[1], logged(TABLES / "tables-levels")[1]]
    links = {rule["id"]: rule["helpUri"] for run in runs for rule in run["tool"]["driver"]["rules"]}
    assert {name.partition("/")[0] for name in links} >= {"joint", "policy", "differencing", "homogeneity"}
    shown = {rule["id"]: rule["help"]["markdown"] for run in runs for rule in run["tool"]["driver"]["rules"]}
    assert {name: f"(<{link}>)" in shown[name] for name, link in links.items()} == dict.fromkeys(links, True)
    for link in links.values():
        assert (ROOT / "docs" / link.removeprefix("https://example.org/series-audit/docs/")).is_file()
    assert {run["tool"]["driver"]["informationUri"] for run in runs} == {"https://example.org/series-audit/docs"}


def test_an_error_is_a_log_without_results(repository):
    append(repository / "data" / "pub lished" / "releases" / "1.csv", "?\n")
    code, run = logged("../data/pub lished")
    assert code == 2
    assert "results" not in run
    [told, *_] = run["invocations"][0]["toolExecutionNotifications"]
    place = told["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "data/pub%20lished/releases/1.csv"
    assert place["region"] == {"startLine": 13}


@pytest.mark.parametrize("words", [["--format", "json"], ["--format=json"], ["--forma", "json"]])
def test_an_error_is_a_document_beside_its_lines(tmp_path, words):
    FORMS["hospital-l-diverse"](tmp_path / "s")
    append(tmp_path / "s" / "releases" / "1.csv", "?\n")
    append(tmp_path / "s" / "releases" / "2.csv", "?\n")
    code, out, err = run_main(str(tmp_path / "s"), *words)
    told = json.loads(out)
    assert (code, troubles("error", told)) == (2, [])
    assert [(each["file"], each["line"]) for each in told["problems"]] == [
        ("releases/1.csv", 13),
        ("releases/2.csv", 13),
    ]
    for each, line in zip(told["problems"], err.splitlines(), strict=True):
        assert line == f"audit: {each['file']}:{each['line']}: {each['message']}; {each['remedy']}"
