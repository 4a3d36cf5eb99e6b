"""Frames of polars as series and microdata: what they give is what the same frames of pandas give."""

import pandas as pd
import pytest

import audit
from audit.api import InputError
from tests.unit.test_api_commands import COLUMNS, frame

polars = pytest.importorskip("polars", exc_type=ImportError)

RULES = {"dimensions": ["area", "sex"], "value": "n", "totals": {"sex": "All"}, "markers": {"*": [1, 7]}}
LABELS = {"area": ["N", "N", "N"], "sex": ["f", "m", "All"]}
VALUES = {
    "text": polars.Series(["9", "*", "12"]),
    "categorical": polars.Series(["9", "*", "12"], dtype=polars.Categorical),
    "enum": polars.Series(["9", "*", "12"], dtype=polars.Enum(["*", "9", "12"])),
}
NUMBERS = {
    "whole": polars.Series([9, None, 12], dtype=polars.UInt16),
    "float": polars.Series([9.0, None, 12.0]),
    "text": polars.Series(["9", None, "12"]),
}


def as_polars(pandas):
    return polars.DataFrame(pandas.to_dict("list"))


def test_a_series_of_people():
    pandas = {tag: frame(tag) for tag in ("1", "2")}
    expected = audit.series_from_frames(pandas, COLUMNS).attack("joint", reveal=True)
    found = audit.series_from_frames({tag: as_polars(each) for tag, each in pandas.items()}, COLUMNS)
    risks = found.attack("joint", reveal=True).risks
    assert isinstance(risks, pd.DataFrame)
    assert risks.equals(expected.risks)


def test_a_candidate_and_a_lazy_frame():
    series = audit.series_from_frames({"1": as_polars(frame("1"))}, COLUMNS)
    assert series.next(as_polars(frame("2")), tag="2", attack="intersection").new == 2
    with pytest.raises(audit.AuditError, match="a LazyFrame is no table"):
        series.next(as_polars(frame("2")).lazy(), tag="2")


def test_microdata(tmp_path):
    people = {"who": [f"p{n}" for n in range(12)], "age": range(20, 32), "disease": ["flu", "cough", "cold"] * 4}
    columns = {"individual": "who", "quasi_identifiers": ["age"], "sensitive": "disease"}
    written = []
    for kind in (pd.DataFrame, polars.DataFrame):
        folder = tmp_path / kind.__module__.partition(".")[0]
        audit.microdata_from_frames({"1": kind(people)}, columns).anonymize("m-invariance", folder, m=3, seed=7)
        written.append(sorted((file.name, file.read_bytes()) for file in (folder / "releases").iterdir()))
    assert written[0] == written[1]
    assert written[0]


@pytest.mark.parametrize("kind", VALUES)
def test_count_tables(kind):
    rows = polars.DataFrame({**LABELS, "n": VALUES[kind]})
    found = audit.tables_from_frames({"1": rows}, RULES).audit().findings
    assert found[["kind", "shown", "lower", "upper"]].values.tolist() == [["recovered", "*", 3, 3]]


@pytest.mark.parametrize("kind", NUMBERS)
def test_missing_counts_are_not_published(kind):
    rows = polars.DataFrame({**LABELS, "n": NUMBERS[kind]})
    told = audit.tables_from_frames({"1": rows}, RULES).explain({"area": "N", "sex": "m"}).counts
    assert told[["shown", "lower", "upper"]].values.tolist() == [[(), 3, 3]]


def test_numbers_that_are_none_are_said():
    rows = polars.DataFrame({**LABELS, "n": [9.0, float("nan"), 12.0]})
    with pytest.raises(InputError, match=r'1\.1\.parquet:2, column "n": "nan": this is neither a whole number'):
        audit.tables_from_frames({"1": rows}, RULES).audit()


def test_a_repaired_candidate(tmp_path):
    series = audit.tables_from_frames({"1": polars.DataFrame(LABELS | {"n": ["9", "*", None]})}, RULES)
    repaired = series.repair(polars.DataFrame({**LABELS, "n": VALUES["categorical"]}), tmp_path / "out", tag="2")
    assert repaired.repaired
    assert polars.read_parquet(repaired.files[0])["n"].null_count() == len(repaired.hidden) == 1
