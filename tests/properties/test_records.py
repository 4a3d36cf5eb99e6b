"""What has to hold of the inference table of any series of records, told from the outside."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.records import (
    RecordRow,
    RecordSeries,
    inferred,
    record_series,
)

KS = st.integers(2, 4)


def said(audited):
    """The measures, and each finding without its id and the spelling of its cells."""
    found = {
        finding["record"]: (
            *(finding[field] for field in ("release", "class_size", "cause")),
            [(step["release"], step["size"]) for step in finding["certificate"]],
        )
        for finding in audited.findings("inference-table")
    }
    return audited.code, audited.measures("inference-table"), found


@given(series=record_series(), k=KS)
def test_a_release_that_is_repeated_says_nothing_new(series, k):
    releases = [again for rows in series.releases for again in (rows, rows)]
    code, measures, found = said(inferred(series, k))
    again, repeated, found_again = said(inferred(replace(series, releases=releases), k))
    assert (again, found_again.keys()) == (code, found.keys())
    assert repeated["timeline"] == [unsafe for unsafe in measures["timeline"] for _ in range(2)]
    assert {name: value for name, value in repeated.items() if name != "timeline"} == {
        name: value for name, value in measures.items() if name != "timeline"
    }


@given(series=record_series(), k=KS)
def test_a_larger_k_finds_more(series, k):
    _, fewer, found = said(inferred(series, k))
    _, more, found_more = said(inferred(series, k + 1))
    assert found.keys() <= found_more.keys()
    assert all(one <= other for one, other in zip(fewer["timeline"], more["timeline"], strict=True))
    assert fewer["smallest_class"] == more["smallest_class"]


@given(data=st.data())
def test_cells_that_only_shrink_leave_the_last_release(data):
    """Monotonic paper, Section 4.2: parts of at least k records, cut again and again, are all there is to infer."""
    k = data.draw(st.integers(1, 3))
    groups = [list(range(data.draw(st.integers(k, 9))))]
    cells = {0: (0, 9)}
    releases = []
    for _ in range(3):
        releases.append([row(number, cells[at]) for at, members in enumerate(groups) for number in members])
        groups, cells = cut(data, k, groups, cells)
    series = RecordSeries(releases)
    measures = inferred(series, k).measures("inference-table")
    assert measures["timeline"] == [0, 0, 0]
    last = inferred(replace(series, releases=releases[-1:]), k).measures("inference-table")
    assert last["smallest_class"] == measures["smallest_class"] >= k


def row(number, span):
    return RecordRow(str(number), f"[{span[0]}, {span[1]}]", "*", "1")


def cut(data, k, groups, cells):
    """Cut groups in two where each part keeps k records, and their cells where numbers are left to cut between."""
    parts, spans = [], {}
    for at, members in enumerate(groups):
        low, high = cells[at]
        if len(members) >= 2 * k and low < high and data.draw(st.booleans()):
            place, border = data.draw(st.integers(k, len(members) - k)), data.draw(st.integers(low, high - 1))
            halves = [(members[:place], (low, border)), (members[place:], (border + 1, high))]
        else:
            halves = [(members, (low, high))]
        for some, span in halves:
            spans[len(parts)] = span
            parts.append(some)
    return parts, spans
