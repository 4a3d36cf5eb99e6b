"""What is kept of a series that was read."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.adversary import held_series
from audit.adversary.build_evidence import build_evidence
from audit.adversary.held_series import HeldSeries
from audit.adversary.view import first_values
from audit.io import releases
from audit.io.encoding import IdentifierEncoder
from audit.io.releases import Release
from audit.io.series import open_series
from audit.io.tables import Coded
from audit.model import composite_keys
from audit.model.composite_keys import row_ranks, tally
from audit.runtime.budget import Budget
from tests.cli.forms import FORMS
from tests.helpers.running import run_main

BATCHES = st.lists(
    st.lists(st.tuples(st.integers(0, 9), st.integers(-1, 5)), min_size=1, unique_by=lambda row: row[0]), min_size=1
)


def by_dictionaries(batches):
    first, changed = {}, set()
    for rows in batches:
        for person, value in rows:
            if value >= 0 and first.setdefault(person, value) != value:
                changed.add(person)
    return first, changed


@given(batches=BATCHES)
def test_first_values(batches):
    columns = [tuple(np.array(column, dtype=np.int32) for column in zip(*rows, strict=True)) for rows in batches]
    values, flags = first_values(columns, 10)
    first, changed = by_dictionaries(batches)
    assert values.tolist() == [first.get(person, -1) for person in range(10)]
    assert set(np.flatnonzero(flags).tolist()) == changed


def test_no_first_values_without_a_key():
    values, changed = first_values([(np.zeros(0, dtype=np.int32), None)], 3)
    assert values is None
    assert changed.tolist() == [False] * 3


@given(people=st.lists(st.integers(-1, 20), max_size=12))
def test_whoever_stands_twice_is_found(people):
    everybody = IdentifierEncoder()
    everybody.largest = 20
    rows, again = everybody.repeated(np.array(people, dtype=np.int32))
    expected = [i for i, who in enumerate(people) if who >= 0 and who in people[i + 1 :]]
    assert rows.tolist() == expected
    last = {who: i for i, who in enumerate(people)}
    assert again.tolist() == [last[people[i]] for i in expected]


COLUMNS = st.integers(1, 12).flatmap(
    lambda rows: st.lists(st.lists(st.integers(0, 200), min_size=rows, max_size=rows), min_size=1, max_size=4)
)


@given(columns=COLUMNS, slack=st.sampled_from([0, 1 << 16]))
def test_rows_are_ranked_as_their_cells_are(columns, slack):
    rows = [*zip(*columns, strict=True)]
    order = sorted({*rows})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(composite_keys, "_DIRECT_SLACK", slack)
        found = row_ranks([(np.array(column, dtype=np.uint8), 201) for column in columns], len(rows))
    assert found.tolist() == [order.index(row) for row in rows]


@given(codes=st.lists(st.integers(0, 9)), at_a_time=st.sampled_from([3, 12, 1 << 17]))
def test_codes_are_counted(codes, at_a_time):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(composite_keys, "_AT_A_TIME", at_a_time)
        found = tally(np.array(codes, dtype=np.int32), 10)
    assert found.tolist() == [codes.count(code) for code in range(10)]


def release_of(rows, groups=5):
    group, value = (np.array(column, dtype=np.int32) for column in zip(*rows, strict=True))
    person = np.arange(len(rows), dtype=np.int32)
    return Release("1", Coded(group, groups, None), person, group, {"v": value}, None, None, True, {}, None)


ROWS = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 6)), min_size=1, max_size=30)


@given(rows=ROWS, wanted=st.sets(st.integers(0, 40), max_size=3))
def test_the_groups_of_some_people_are_whole(rows, wanted):
    release = replace(release_of(rows), cells={"cell": np.arange(len(rows), dtype=np.int32)})
    some = release.around(np.array(sorted(wanted), dtype=np.int32))
    groups = {group for person, (group, _) in enumerate(rows) if person in wanted}
    kept = [person for person, (group, _) in enumerate(rows) if group in groups]
    assert some.person.tolist() == some.cells["cell"].tolist() == kept
    assert some.group.codes.tolist() == some.entry_group.tolist() == [rows[person][0] for person in kept]
    assert some.entry_value["v"].tolist() == [rows[person][1] for person in kept]


@pytest.mark.parametrize("form", ["hospital-2-invariant", "clinic-merged", "parquet", "anatomy", "outsider"])
def test_each_release_is_read_once_whatever_is_asked_for_first(form, tmp_path):
    FORMS[form](tmp_path / "s")
    read, inner = [], releases._Reading.table

    def noted(self):
        read.append(self.files.tag)
        return inner(self)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(releases._Reading, "table", noted)
        series = open_series(tmp_path / "s")
        seen = build_evidence(series, records=False)[0]
        for position in reversed(range(len(series.tags))):
            assert len(seen.pools(position).person)
            list(seen.stream())
    assert read == list(series.tags)


def test_how_many_releases_are_read_is_reported(tmp_path):
    FORMS["hospital-2-invariant"](tmp_path / "s")
    told = []
    loaded = HeldSeries(open_series(tmp_path / "s"), "linked", None)
    loaded.read(Budget(on_progress=lambda done, total: told.append((done, total))))
    assert told == [(0, 2), (1, 2)]


@pytest.mark.parametrize(("spare", "fits"), [(0, True), (-1, False)])
def test_what_does_not_fit_into_memory_is_refused_before_it_is_read(spare, fits, tmp_path, monkeypatch):
    FORMS["hospital-2-invariant"](tmp_path / "s")
    rows = open_series(tmp_path / "s").about_rows
    monkeypatch.setattr(held_series, "memory_bytes", lambda: 12 * rows + spare)
    if not fits:
        monkeypatch.setattr(releases._Reading, "table", lambda _: pytest.fail("a release was read"))
    code, _, err = run_main(str(tmp_path / "s"), "--attack", "intersection")
    assert (code == 2) != fits
    assert fits or ("of memory, and this machine has" in err and len(err.splitlines()) == 1)
