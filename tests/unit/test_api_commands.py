"""What the commands can, from Python: the same answers as on the command line, and series without files."""

import json
import shutil

import pandas as pd
import pyarrow as pa
import pytest

import audit
from audit.api import InputError, UsageError
from tests.cli.forms import EXAMPLES
from tests.helpers.amount import slow
from tests.helpers.running import run_main
from tests.unit import api_script

HOSPITAL = EXAMPLES / "hospital-l-diverse"
COLUMNS = {"individual": "Owner", "group": "Group-ID", "quasi_identifiers": ["Age", "Zipcode"], "sensitive": "Disease"}


def frame(tag):
    return pd.read_csv(HOSPITAL / "releases" / f"{tag}.csv", dtype=str)


def timeless(text):
    """A JSON document without what is measured by the clock."""

    def strip(value):
        if isinstance(value, dict):
            return {key: strip(inner) for key, inner in value.items() if key not in {"seconds", "files", "id"}}
        # Which finding comes first hangs on ids, which are drawn anew.
        return sorted(map(strip, value), key=repr) if isinstance(value, list) else value

    return strip(json.loads(text))


@slow
def test_a_script(tmp_path, capsys):
    api_script.main(tmp_path)
    lines = capsys.readouterr().out.splitlines()
    assert lines[1:6] == ["False 1 2", "False 0 0 0", "False 1 2", "1 True", "4 7 4"]
    assert lines[6:9] == ["('1', '2') ('1', '2')", "1 4", "2"]
    assert lines[9].startswith("there is no principle no-principle")
    assert "is in the past" in lines[10]
    assert lines[11:13] == ["False 1 1 2", "1 1 False"]
    assert lines[13:] == ["[1] 2", "False 1 1 1 ['12']", "True 0 ['2.parquet']"]


def test_answers_are_those_of_the_command_line(tmp_path):
    candidate = tmp_path / "3.csv"
    shutil.copy(HOSPITAL / "releases" / "2.csv", candidate)
    hospital = audit.load(HOSPITAL)
    for words, answer in (
        (["check", HOSPITAL, "--principle", "m-invariance", "--m", "2"], hospital.check("m-invariance", m=2)),
        (["explain", HOSPITAL, "--individual", "Bob"], hospital.explain("Bob")),
        (["next", HOSPITAL, candidate, "--reveal"], hospital.next(candidate, reveal=True)),
    ):
        code, out, err = run_main(*map(str, words), "--format", "json")
        assert err == ""
        assert timeless(out) == timeless(answer.to_json())
        assert code == getattr(answer, "exit_code", 0)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames_are_a_series_without_files(library):
    frames = {"1": frame("1"), "2": frame("2")}
    if library == "polars":
        polars = pytest.importorskip("polars", reason="this test alone needs polars, which `.ci/run` installs")
        frames = {tag: polars.from_pandas(each) for tag, each in frames.items()}
    series = audit.series_from_frames(frames, COLUMNS)
    expected = audit.load(HOSPITAL).attack("joint", reveal=True)
    found = series.attack("joint", reveal=True)
    named = ["individual", "release", "value"]
    assert set(found.findings[named].itertuples(index=False)) == set(expected.findings[named].itertuples(index=False))
    assert found.risks.equals(expected.risks)


def test_frames_may_be_pairs_and_have_knowledge():
    rows = pa.table({"who": ["Ann", "Bob", "Cleo", "Dan"], "age": [1, 2, 3, 4], "group": [1, 1, 2, 2]})
    values = pa.table({"group": [1, 1, 2], "disease": ["flu", "cough", "flu"], "count": [1, 1, 2]})
    known = pa.table({"individual": ["Ann"], "value": ["flu"]})
    columns = {"individual": "who", "group": "group", "quasi_identifiers": ["age"], "sensitive": "disease"}
    series = audit.series_from_frames({"1": (rows, values)}, columns, adversary={"known": known})
    found = series.attack("intersection", reveal=True).findings
    assert dict(zip(found["individual"], found["value"], strict=True)) == {"Bob": "cough", "Cleo": "flu", "Dan": "flu"}


def test_invalid_frames_and_tags_are_named():
    with pytest.raises(UsageError, match="a list is not a table"):
        audit.series_from_frames({"1": [1, 2]}, COLUMNS)
    with pytest.raises(UsageError, match="a tag is letters"):
        audit.series_from_frames({"../1": frame("1")}, COLUMNS)
    with pytest.raises(InputError, match="Disease"):
        audit.series_from_frames({"1": frame("1").drop(columns="Disease")}, COLUMNS)


def test_microdata_from_frames_are_published(tmp_path):
    people = pd.DataFrame(
        {"who": [f"p{number}" for number in range(12)], "age": range(20, 32), "disease": ["flu", "cough", "cold"] * 4}
    )
    columns = {"individual": "who", "quasi_identifiers": ["age"], "sensitive": "disease"}
    microdata = audit.microdata_from_frames({"1": people, "2": people.iloc[2:]}, columns)
    series = microdata.anonymize("m-invariance", tmp_path / "series", m=3, seed=7)
    assert series.releases == ("1", "2")
    assert series.check("m-invariance", m=3).holds
    with pytest.raises(UsageError, match="needs m; give it a whole number from 2"):
        microdata.anonymize("m-invariance", tmp_path / "other")


def test_progress_is_shown_where_it_is_wanted(capsys):
    audit.load(HOSPITAL).attack("intersection", progress=True)
    assert capsys.readouterr().out == ""
    with pytest.raises(UsageError, match="progress has to be True or False"):
        audit.load(HOSPITAL).attack("intersection", progress="yes")


def test_an_audit_writes_what_the_command_writes(tmp_path):
    """The witness, its proofs and everybody's risks, from the attacks that are named."""
    shutil.copytree(EXAMPLES / "hospital-l-diverse", tmp_path / "s")
    attacks, risks = ["intersection", "joint"], tmp_path / "risks.csv"
    done = audit.load(tmp_path / "s").audit(attack=attacks, risks=risks, witness=tmp_path / "w", proofs="veripb")
    words = [f"--attack={name}" for name in attacks]
    files = [f"--risks={tmp_path / 'again.csv'}", f"--witness={tmp_path / 'again'}", "--proofs=veripb"]
    assert run_main(str(tmp_path / "s"), *words, *files)[0] == done.exit_code == 1
    assert [each.attack for each in done.report.attacks] == attacks
    assert risks.read_bytes() == (tmp_path / "again.csv").read_bytes()
    written = sorted(path.name for path in (tmp_path / "w").iterdir())
    assert written == sorted(path.name for path in (tmp_path / "again").iterdir())
    assert run_main("verify", str(tmp_path / "s"), str(tmp_path / "w"))[0] == 0
    with pytest.raises(UsageError, match="add --witness"):
        audit.load(tmp_path / "s").audit(proofs="veripb")
