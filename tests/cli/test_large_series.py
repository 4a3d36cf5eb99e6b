"""A series that is too large to be kept in memory is read again, less of it each time, and judged as any other."""

import json

import pytest

from audit.adversary import release_cache
from audit.io import releases
from audit.io.series import open_series
from tests.cli.forms import FORMS
from tests.helpers.running import run_main

TIMES = {"seconds", "created", "resources"}


def less(found):
    """Return a result without what differs from run to run."""
    if isinstance(found, dict):
        return {name: less(each) for name, each in found.items() if name not in TIMES}
    return [less(each) for each in found] if isinstance(found, list) else found


@pytest.mark.parametrize("form", FORMS)
def test_a_series_that_cannot_be_kept_is_judged_the_same(form, tmp_path, monkeypatch):
    FORMS[form](tmp_path / "s")
    (tmp_path / "s" / "private").mkdir(exist_ok=True)  # where the key of ids that stay is kept
    words = (str(tmp_path / "s"), "--format", "json", "--reveal", "--stable-ids")
    kept = run_main(*words)
    read = []
    inner = releases._Reading.release

    def noted(self, table):
        read.append((self.uniform, table is not None))
        return inner(self, table)

    monkeypatch.setattr(releases._Reading, "release", noted)
    monkeypatch.setattr(release_cache, "_CACHE_BYTES", 0)
    monkeypatch.setattr(release_cache, "_RECENT", 1)
    again = run_main(*words)
    assert again[0] == kept[0]
    assert less(json.loads(again[1])) == less(json.loads(kept[1]))
    if form == "hospital-2-invariant":
        assert {uniform for uniform, _ in read} == {False, True} == {ahead for _, ahead in read}
    assert kept[0] in (0, 1, 3)
    assert read


@pytest.mark.parametrize("form", ["hospital-2-invariant", "clinic-merged", "parquet"])
def test_no_table_is_read_twice_for_one_pass(form, tmp_path, monkeypatch):
    FORMS[form](tmp_path / "s")
    series = open_series(tmp_path / "s")
    monkeypatch.setattr(release_cache, "_CACHE_BYTES", 0)
    cache = release_cache.ReleaseCache(series, "linked", records=False)
    read, inner = [], releases._Reading.table

    def noted(self):
        read.append(self.files.tag)
        return inner(self)

    monkeypatch.setattr(releases._Reading, "table", noted)
    assert list(cache.stream(cache.get, lambda place: place)) == list(range(len(series.tags)))
    assert sorted(read) == sorted(series.tags)
