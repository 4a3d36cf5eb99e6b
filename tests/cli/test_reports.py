"""Reports as files, and what is said in them of waivers and of several attributes."""

import json
import shutil
import stat

import pytest

from reports.registry import FORMATS
from tests.cli.forms import EXAMPLES, append
from tests.helpers.messy import series_of
from tests.helpers.running import run_audit, run_main

HOSPITAL = EXAMPLES / "hospital-l-diverse"


@pytest.fixture
def series(tmp_path):
    shutil.copytree(HOSPITAL, tmp_path / "s")
    (tmp_path / "s" / "private").mkdir()
    return tmp_path / "s"


def test_a_report_that_names_people_stays_as_private_as_its_file_was(tmp_path):
    page = tmp_path / "report.html"
    page.touch(mode=0o600)
    run_main(str(HOSPITAL), "--reveal", "--format", "html", "--output", str(page))
    assert "Bob" in page.read_text()
    assert stat.S_IMODE(page.stat().st_mode) == 0o600


@pytest.mark.parametrize("form", [name for name in FORMATS.names if name not in {"json", "sarif"}])
def test_a_verdict_that_rests_on_waivers_says_so(series, form):
    _, result, _ = run_audit(series, "--findings", "all")
    ids = [finding["id"] for attack in result["attacks"] for finding in attack["findings"]]
    for ident in ids:
        append(
            series / "series.toml",
            f'\n[[waiver]]\nfinding = "{ident}"\nreason = "Bob knows"\nexpires = 2999-01-01\nsize = 1\n',
        )
    code, out, _ = run_main(str(series), "--format", form)
    assert code == 0
    assert f"except for what is waived: {len(ids)} findings" in " ".join(out.split())
    assert "Bob" not in out
    assert "Bob knows" in run_main(str(series), "--format", form, "--reveal")[1]


def test_the_headline_names_the_attribute_that_falls_most(tmp_path):
    rows = ["a,1,x,u\nb,1,x,v\nc,2,y,u\nd,2,z,u\n", "a,1,x,u\nc,1,y,u\nb,2,x,v\nd,2,z,u\n"]
    columns = 'individual = "who"\ngroup = "group"\nsensitive = ["first", "second"]'
    series_of(tmp_path / "s", [f"who,group,first,second\n{each}" for each in rows], columns)
    code, result, _ = run_audit(tmp_path / "s", "--attack", "intersection")
    found = {str(attack["sensitive"]): attack["people"] for attack in result["attacks"]}
    assert code == 1
    assert (found["first"], found["second"]) == (4, 3)
    text = run_main(str(tmp_path / "s"), "--attack", "intersection")[1]
    assert "NOT SAFE: the value of first is certain for 4 of 4 people." in text


@pytest.mark.parametrize(
    "name", ["clinic-2-invariant", "cases-independent", "joint-breaks-2-distinct", "ward-l-diverse"]
)
def test_two_reports_that_name_people_are_the_same_times_aside(name):
    def report():
        found = json.loads(run_main(str(EXAMPLES / name), "--reveal", "--format", "json", "--findings", "3")[1])
        for attack in [*found["attacks"], *found.get("ladder", [])]:
            attack.pop("seconds")
        return found

    first = report()
    assert first == report()
    assert any(attack["findings"] for attack in first["attacks"])
