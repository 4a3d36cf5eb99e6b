"""What has to hold of the inference table of any series of records, told from the outside."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.records import (
    AGES,
    CITIES,
    RecordRow,
    RecordSeries,
    ages,
    inferred,
    on_disk,
    record_series,
    towns,
)
from tests.helpers.running import run_audit, run_main

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
def test_twins_make_every_class_twice_as_large(series, k):
    """Each record is published under a second id as well, with the same cells."""
    releases = [[*rows, *(replace(one, record=f"{one.record}b") for one in rows)] for rows in series.releases]
    code, measures, found = said(inferred(series, k))
    again, doubled, found_again = said(inferred(replace(series, releases=releases), 2 * k))
    assert again == code
    assert doubled["timeline"] == [2 * unsafe for unsafe in measures["timeline"]]
    assert doubled["smallest_class"] == (measures["smallest_class"] and 2 * measures["smallest_class"])
    assert found_again.keys() == {twin for record in found for twin in (record, f"{record}b")}
    for record, (release, size, cause, steps) in found.items():
        twice = [(tag, 2 * rows) for tag, rows in steps]
        assert found_again[record] == found_again[f"{record}b"] == (release, 2 * size, cause, twice)


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


@given(data=st.data(), k=KS)
def test_order_names_and_spelling_do_not_matter(data, k):
    series = data.draw(record_series())
    records = data.draw(st.permutations(["007", "7", "A;B", "é", "x y", "~1", "10", "b"]))
    groups = data.draw(st.permutations(["g", "1", "0"]))
    letters = data.draw(st.sampled_from([str, lambda record: str(10**6 + int(record))]))

    def spelled(row):
        age = data.draw(st.sampled_from([cell for cell in AGES if ages(cell) == ages(row.age)]))
        city = data.draw(st.sampled_from([cell for cell in CITIES if towns(cell) == towns(row.city)]))
        return RecordRow(names[row.record], age, city, groups[int(row.group) - 1], row.real)

    names = {str(place): name if letters is str else letters(str(place)) for place, name in enumerate(records)}
    other = replace(series, releases=[data.draw(st.permutations(list(map(spelled, rows)))) for rows in series.releases])
    code, measures, found = said(inferred(series, k))
    assert said(inferred(other, k)) == (code, measures, {names[record]: one for record, one in found.items()})


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


@given(series=record_series(), k=KS)
def test_no_record_and_no_cell_is_shown_unless_asked_for(series, k):
    secret = {str(place): f"Quillfeather-{place}" for place in range(8)}
    releases = [[replace(one, record=secret[one.record], group="G") for one in rows] for rows in series.releases]
    with on_disk(replace(series, releases=releases)) as folder:
        _, result, _ = run_audit(folder, "--attack", "inference-table", "--k", str(k), "--findings", "all")
        printed = run_main(str(folder), "--attack", "inference-table", "--k", str(k), "--findings", "all")
        assert "Quillfeather" not in str(result) + "".join(map(str, printed))
        text = printed[1].replace(str(folder), "")  # the name of the folder is drawn, and may hold a short cell
    for finding in result["attacks"][0]["findings"]:
        assert finding["record"].startswith("record-00000")
        assert "description" not in finding
        assert all("cells" not in step for step in finding["certificate"])
    for cell in {cell for rows in releases for one in rows for cell in (one.age, one.city)} - {"*", "2", "y", "1-2"}:
        assert cell not in text
