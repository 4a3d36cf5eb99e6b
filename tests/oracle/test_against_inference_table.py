"""The attack `inference-table` beside the inference tables by definition."""

from hypothesis import example, given
from hypothesis import strategies as st

from tests.helpers.records import RecordRow, RecordSeries, ages, inferred, record_series
from tests.oracle.inference_table import inference_table, mates

KS = st.integers(1, 4)
FAKE_MATE = RecordSeries([[RecordRow("a", "2", "*", "1"), RecordRow("b", "2", "*", "1", real=False)]], keyed=True)


@given(series=record_series(), k=KS, group_column=st.booleans())
@example(series=FAKE_MATE, k=2, group_column=True)
def test_everything_it_says(series, k, group_column):
    answer = inference_table(series, k)
    audited = inferred(series, k, group_column=group_column)
    assert audited.measures("inference-table") == {
        "k": k,
        "records": answer.records,
        "unsafe": answer.timeline[-1],
        "once_unsafe": len(answer.fallen),
        "smallest_class": answer.smallest_class,
        "timeline": answer.timeline,
    }
    found = {finding["record"]: finding for finding in audited.findings("inference-table")}
    assert {
        record: (series.tags.index(finding["release"]), finding["class_size"], finding["cause"])
        for record, finding in found.items()
    } == {record: (fallen.release, fallen.size, fallen.cause) for record, fallen in answer.fallen.items()}
    for record, finding in found.items():
        assert_proves(finding, series, record)
    violation = {"attack": "inference-table", "measure": "k", "limit": k, "value": answer.worst}
    ours = [each for each in audited.result["policy"]["violations"] if each["attack"] == "inference-table"]
    assert ours == ([] if answer.worst is None else [violation])  # releases alone may violate k as well
    nobody = 0 if answer.records else 3  # where no record stands for a person, k is undecided
    assert audited.code == (1 if audited.result["policy"]["violations"] else nobody)


def assert_proves(finding, series, record):
    """The certificate has every release that the record is in, up to that of the finding."""
    upto = series.tags.index(finding["release"])
    rows = {j: row for j, rows in enumerate(series.releases[: upto + 1]) for row in rows if row.record == record}
    assert [series.tags.index(step["release"]) for step in finding["certificate"]] == sorted(rows)
    for step in finding["certificate"]:
        release = series.tags.index(step["release"])
        assert step["size"] == len(mates(series, release, record))
        # A cell may be told as another row has written the same values.
        assert ages(step["cells"]["Age"]) == ages(rows[release].age)
    if len({row.age for row in rows.values()}) == 1:
        [age] = {row.age for row in rows.values()}
        assert ages(finding["description"]["Age"]) == ages(age)


@given(series=record_series(keyed=True), k=KS)
def test_counterfeits_are_never_findings(series, k):
    people = {row.record for rows in series.releases for row in rows if row.real}
    assert {finding["record"] for finding in inferred(series, k).findings("inference-table")} <= people
