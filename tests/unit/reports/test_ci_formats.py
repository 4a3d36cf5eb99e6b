"""JUnit XML and annotations of GitHub: what CI servers read off a verdict."""

from xml.etree import ElementTree as ET

import pytest

from tests.cli.forms import EXAMPLES
from tests.helpers.running import run_main

HOSPITAL = str(EXAMPLES / "hospital-l-diverse")


def suite(*words):
    code, out, _ = run_main(*words, "--format", "junit")
    return code, ET.fromstring(out)  # noqa: S314 - our own output


def test_each_clause_is_a_test_case():
    code, found = suite(HOSPITAL, "--attack", "intersection")
    states = {case.get("name"): [child.tag for child in case] for case in found.iter("testcase")}
    assert code == 1
    assert states["max_risk 1"] == ["failure"]
    assert states["min_e 2"] == ["skipped"]
    counts = {name: int(found.get(name, "-1")) for name in ("tests", "failures", "errors", "skipped")}
    tags = [tag for each in states.values() for tag in each]
    assert counts == {
        "tests": len(states), "failures": tags.count("failure"), "errors": tags.count("error"),
        "skipped": tags.count("skipped"),
    }  # fmt: skip


def test_an_undecided_clause_is_an_error():
    code, found = suite(str(EXAMPLES / "clinic-2-equivalence"), "--attack", "intersection", "--policy", "min_e=5")
    tags = {case.get("name"): [child.tag for child in case] for case in found.iter("testcase")}
    assert ("error" in tags["min_e 5"]) == (code == 3)


@pytest.mark.parametrize("title", ["100 %", "a,b:c", "line\nbreak"])
def test_a_hostile_name_is_no_second_command(tmp_path, title):
    import shutil

    series = tmp_path / "s"
    shutil.copytree(HOSPITAL, series)
    text = (series / "series.toml").read_text()
    first = next(line for line in text.splitlines() if line.startswith("name"))
    escaped = title.replace("\n", "\\n")
    (series / "series.toml").write_text(text.replace(first, f'name = "{escaped}\\n::error::forged"'))
    _, out, _ = run_main(str(series), "--format", "github")
    assert "\n::error::forged" not in out
    assert all(line.startswith("::") for line in out.splitlines())
