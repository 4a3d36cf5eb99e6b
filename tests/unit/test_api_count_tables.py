"""Count tables from Python: the answers of the commands, and tables without files."""

import json
import math

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import audit
from audit.api import LoadedSeries, LoadedTables, UsageError
from tests.cli.forms import EXAMPLES
from tests.helpers.running import run_main
from tests.unit.test_api_commands import timeless

TABLES = EXAMPLES.parent / "count_table_examples"
LEFT_OUT = TABLES / "tables-one-left-out"
TEXT, COUNT, TRUTH = pd.StringDtype(), pd.Int64Dtype(), pd.BooleanDtype()
RULES = {"dimensions": ["area", "sex"], "value": "n", "totals": {"sex": "All"}, "markers": {"*": [1, 7]}}


def counts(**more):
    return pd.DataFrame({"area": ["N", "N"], "sex": ["f", "m"], "n": [9, "*"], **more})


def test_what_a_folder_holds_is_what_is_loaded():
    assert isinstance(audit.load(LEFT_OUT), LoadedTables)
    assert isinstance(audit.load(EXAMPLES / "hospital-l-diverse"), LoadedSeries)
    assert repr(audit.load(TABLES / "tables-levels")).startswith("LoadedTables('A diagnosis at four levels")
    for folder, kind, said in (
        (LEFT_OUT, "microdata", "these are count tables"),
        (EXAMPLES / "hospital-l-diverse", "tables", "these are not count tables"),
        (LEFT_OUT, "people", "kind has to be microdata or tables"),
    ):
        with pytest.raises(UsageError, match=said):
            audit.load(folder, kind=kind)


def test_answers_are_those_of_the_command_line(tmp_path):
    candidate = tmp_path / "2024-02.csv"
    candidate.write_text("area,sex,n\nN,All,12\n", encoding="utf-8")
    (tmp_path / "s").mkdir()
    (tmp_path / "s" / "2024-01.csv").write_text("area,sex,n\nN,f,9\nN,m,*\n", encoding="utf-8")
    manifest = '[series]\nkind = "tables"\nreleases = ["2024-01.csv"]\n[table]\ndimensions = ["area", "sex"]\n'
    manifest += 'value = "n"\ntotals = { sex = "All" }\nmarkers = { "*" = [1, 7] }\nover_time = "same"\n'
    (tmp_path / "s" / "series.toml").write_text(manifest, encoding="utf-8")
    tables = audit.load(tmp_path / "s", kind="tables")
    cell = {"area": "N", "sex": "m"}
    words = [part for name, label in cell.items() for part in ("--cell", f"{name}={label}")]
    repair = ["repair", tmp_path / "s", candidate, "--output", tmp_path / "one"]
    for command, answer in (
        (["next", tmp_path / "s", candidate], tables.next(candidate)),
        (["explain", tmp_path / "s", *words], tables.explain(cell)),
        (["compare", tmp_path / "s", LEFT_OUT], audit.compare(tables, audit.load(LEFT_OUT, kind="tables"))),
        (repair, tables.repair(candidate, tmp_path / "two")),
    ):
        code, out, err = run_main(*map(str, command), "--format", "json")
        assert err == ""
        assert timeless(out) == timeless(answer.to_json().replace(str(tmp_path / "two"), str(tmp_path / "one")))
        assert code == getattr(answer, "exit_code", 0)
        assert "verdict" in str(answer) or "area N" in str(answer)
    assert (tmp_path / "one" / "2024-02.csv").read_text() == (tmp_path / "two" / "2024-02.csv").read_text()
    assert tables.next(candidate).new == 1


def test_frames_have_stated_columns():
    for folder in (LEFT_OUT, TABLES / "tables-safe"):
        found = audit.load(folder, kind="tables").audit()
        assert found.findings.dtypes.to_dict() == {
            **dict.fromkeys(["id", "kind", "release", "since", "measure", "shown"], TEXT),
            **dict.fromkeys(["lower", "upper"], COUNT),
            "cell": object,
            "exact": TRUTH,
        }
        assert found.inputs["rows"].sum() == found.report.series.rows
    [one] = audit.load(LEFT_OUT, kind="tables").audit().findings.itertuples()
    assert (one.kind, one.lower, one.upper, one.shown is pd.NA) == ("recovered", 1, 1, True)
    assert one.cell == {"region": "north", "asthma": "yes", "late": "(rest)"}


def test_frames_are_tables_without_files():
    first = audit.tables_from_frames({"1": counts()}, {**RULES, "over_time": "same"}, policy={"min_count": 8})
    assert first.audit().passed
    total = pd.DataFrame({"area": ["N"], "sex": ["All"], "n": [12]})
    impact = first.next(total, tag="2")
    assert (impact.new, impact.exit_code) == (1, 1)
    [hidden] = impact.hidden.itertuples()
    assert (hidden.shown, hidden.file, hidden.line) == ("12", "2.parquet", 1)
    both = audit.tables_from_frames({"1": counts(), "2": [total]}, {**RULES, "over_time": "same"})
    assert both.audit().findings["lower"].tolist() == [3]
    nested = {"area": pd.DataFrame({"label": ["N", "S", "UK", "UK"], "atom": ["N", "S", "N", "S"]})}
    wide = pd.DataFrame({"area": ["N", "S", "UK"], "sex": ["All"] * 3, "n": [9, "*", 12]})
    found = audit.tables_from_frames({"1": wide}, RULES, categories=nested).audit()
    assert found.findings[["lower", "shown"]].values.tolist() == [[3, "*"]]


def test_a_repaired_frame_is_parquet_with_the_value_and_its_rate_empty(tmp_path):
    rates = {"column": "rate", "per": 100, "decimals": 1, "denominator": "of"}
    series = audit.tables_from_frames({"1": counts(rate=[None, None], of=[100, 100])}, {**RULES, "rates": rates})
    columns = {"area": ["N"] * 3, "sex": ["f", "m", "All"], "n": ["9", "*", "12"], "rate": ["9.0", None, "12.0"]}
    candidate = pa.table({**columns, "of": [100] * 3})
    repaired = series.repair(candidate, tmp_path / "out", tag="2")
    assert repaired.repaired
    [file] = repaired.files
    written = pq.read_table(file)
    [gone] = [place for place in (0, 2) if written["n"][place].as_py() is None]
    assert written["rate"][gone].as_py() is None
    assert written.drop_columns(["n", "rate"]).equals(candidate.drop_columns(["n", "rate"]))
    assert series.next(file).new == 0


@pytest.mark.parametrize(("numbers", "sign"), [(["9", "12"], "c"), ([9, 12], "")])
def test_a_column_of_numbers_takes_no_marker(numbers, sign, tmp_path):
    """A marker for any count is written where the column of a Parquet file has texts, else the cell is empty."""
    rules = {**RULES, "markers": {"c": [0, math.inf]}, "over_time": "same"}
    series = audit.tables_from_frames({"1": counts(n=[9, "c"])}, rules, policy={"min_count": 8})
    candidate = pa.table({"area": ["N", "N"], "sex": ["f", "All"], "n": numbers})
    repaired = series.repair(candidate, tmp_path / "out", tag="2")
    assert repaired.repaired
    assert repaired.hidden[["shown", "sign"]].values.tolist() == [["12", sign]]
    assert pq.read_table(repaired.files[0])["n"].to_pylist() == [numbers[0], sign or None]
    assert series.next(repaired.files[0]).new == 0


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda tables: tables.audit(policy={"max_risk": 0.5}), "policy max_risk: the policy of count tables has no"),
        (lambda tables: tables.audit(policy={"min_count": 2.5}), "policy min_count: this is not a limit"),
        (lambda tables: tables.audit(time_limit=0), "time_limit has to be"),
        (lambda tables: tables.audit().render("pdf"), "there is no format pdf"),
        (lambda tables: tables.explain({"ward": "3"}), "there is no dimension ward"),
        (lambda tables: tables.next([]), "no candidate was given"),
        (lambda tables: tables.next(3), "a int is not a table"),
        (lambda tables: tables.next(counts(), tag="1"), 'a release with the tag "1" already'),
        (lambda tables: tables.next(counts(), tag="../2"), "a tag is letters"),
        (lambda tables: tables.next(counts(n=[[1], "*"])), "column n has cells that are neither text nor numbers"),
        (lambda tables: audit.compare(tables, audit.load(EXAMPLES / "hospital-l-diverse")), "compare like with like"),
    ],
)
def test_wrong_arguments_are_said(ask, said):
    with pytest.raises(UsageError, match=said):
        ask(audit.tables_from_frames({"1": counts()}, RULES))


def test_a_notebook_shows_the_verdict():
    rows = pd.DataFrame({"area": ["N", "N", "N"], "sex": ["f", "m", "All"], "n": [9, "*", 12]})
    found = audit.tables_from_frames({"1": rows}, RULES, name="<b>").audit()
    assert repr(found).splitlines()[0] == f"<b>: {found.verdict}"
    assert "&lt;b&gt;" in found._repr_html_()
    assert "<b>" not in found._repr_html_()
    assert json.loads(found.render("json")) == json.loads(found.to_json())


def test_commands_on_people_say_so():
    code, _, err = run_main("check", str(LEFT_OUT), "--principle", "m-invariance", "--m", "2")
    assert (code, len(err.splitlines())) == (2, 1)
    assert "these are count tables, and principles are about people" in err
