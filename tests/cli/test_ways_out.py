"""Errors say the way out; `audit` alone says how to begin."""

import re

import pytest

from audit.clauses.registry import CLAUSES
from tests.helpers.messy import write
from tests.helpers.running import refused, run_main


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
    code, _, err = run_main(str(tmp_path))
    assert code == 2
    [line] = err.splitlines()
    assert (
        'releases/1.xlsx: a .xlsx file is read by an extra that is not installed; pip install "series-audit[formats]"'
        in line
    )


def test_the_help_names_every_clause_with_its_default():
    said = " ".join(run_main("--help")[1].split())
    for name, clause in CLAUSES.items():
        limit = "" if clause.default is None else rf" \((default )?{clause.default:g}\)"
        assert re.search(name + limit, said), name
