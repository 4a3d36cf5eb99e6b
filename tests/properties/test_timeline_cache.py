"""What earlier audits counted after earlier releases is not counted again, and nothing that is told depends on it."""

import json
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attacks.equivalence import timeline
from attacks.joint import deciding
from audit.runtime import version
from tests.cli.forms import edit
from tests.helpers.running import run_main
from tests.helpers.strategies import linked_series, register_series
from tests.helpers.tiny import Known, Row, TinySeries

ATTACKS = ["--attack", "equivalence", "--attack", "joint"]


def rows(*groups):
    return [Row(name, str(number), value) for number, group in enumerate(groups, 1) for name, value in group]


SERIES = TinySeries(
    [
        rows([("p0", "a"), ("p1", "b")], [("p2", "a"), ("p3", "c")]),
        rows([("p0", "a"), ("p2", "a")], [("p1", "b"), ("p3", "c")]),
        rows([("p0", "a"), ("p3", "c")], [("p1", "b"), ("p4", "d")]),
        rows([("p1", "b"), ("p5", "b")], [("p4", "d"), ("p0", "a")]),
    ]
)


def regrouped(releases, seed):
    """Releases of 36 people, six of each value, in groups of one of each."""
    rng, found = np.random.default_rng(seed), []
    for _ in range(releases):
        orders = [(value, rng.permutation(6).tolist()) for value in "abcdef"]
        found.append(rows(*([(f"{value}{order[place]}", value) for value, order in orders] for place in range(6))))
    return found


LARGER = TinySeries(regrouped(4, seed=2))


def told(folder, *words):
    """What the report says, but for how long it took; and the exit code."""
    code, out, err = run_main(str(folder), *ATTACKS, *words, "--format", "json", "--stable-ids", "--jobs", "1")
    return code, json.loads(out, object_hook=lambda one: {**one, "seconds": None}) if out else err


@pytest.fixture
def counted(monkeypatch):
    """After how many releases something is counted, by attack."""
    found = {"equivalence": [], "joint": []}
    least, network = timeline.least_so_far, deciding.network_of

    def least_so_far(matrix, releases, *how):
        found["equivalence"].append(releases)
        return least(matrix, releases, *how)

    def network_of(evidence, releases, budget):
        if releases < len(evidence.tags):
            found["joint"].append(releases)
        return network(evidence, releases, budget)

    monkeypatch.setattr(timeline, "least_so_far", least_so_far)
    monkeypatch.setattr(deciding, "network_of", network_of)
    return found


def afresh(counted):
    """Forget what was counted so far."""
    before = {name: sorted(each) for name, each in counted.items()}
    for each in counted.values():
        each.clear()
    return before


@pytest.fixture
def audited(tmp_path, counted):
    """A series whose first three releases were audited before the fourth was added."""
    SERIES.until(3).write(tmp_path, key="files")
    told(tmp_path)
    assert afresh(counted) == {"equivalence": [2], "joint": [1, 2]}  # before a release with none there is none
    SERIES.write(tmp_path, key="files")
    return tmp_path


ALL = {"equivalence": [2, 3], "joint": [1, 2, 3]}


def test_a_release_more_has_nothing_counted_again(audited, counted):
    cached = told(audited)
    assert afresh(counted) == {"equivalence": [], "joint": []}
    assert told(audited, "--no-cache") == cached
    assert afresh(counted) == ALL
    lines = {entry["attack"]: entry["measures"]["timeline"] for entry in cached[1]["attacks"]}
    assert 0 < lines["equivalence"][2] < lines["equivalence"][3]
    assert 0 < lines["joint"][1] < lines["joint"][3]


def changed_value(folder):
    # Another name alone, for a value or a person, would be the same question.
    for name, row in {"1": "2,", "2": "2,", "3": "1,"}.items():
        edit(folder / f"releases/{name}.csv", f"{row}c", f"{row}a")


def changed_group(folder):
    text = (folder / "releases/1.csv").read_text()
    (folder / "releases/1.csv").write_text(text.replace("1,b", "2,b", 1).replace("2,c", "1,c", 1))


def changed_key(folder):
    path = folder / "private/1.key.csv"
    text = path.read_text()
    path.write_text(text.replace("p1", "?").replace("p3", "p1").replace("?", "p3"))


def changed_knowledge(folder):
    replace(SERIES, known=[Known("p2", "a")]).write(folder, key="files")


def changed_transitions(folder):
    everything = {(one, other): None for one in "abcd" for other in "abcd"}
    replace(SERIES, transitions=everything).write(folder, key="files")


CHANGES = [changed_value, changed_group, changed_key, changed_knowledge, changed_transitions]


@pytest.mark.parametrize("change", CHANGES, ids=lambda one: one.__name__)
def test_what_was_changed_is_counted_again(audited, counted, change):
    change(audited)
    cached = told(audited)
    again = afresh(counted)
    assert told(audited, "--no-cache") == cached
    assert afresh(counted) == again


@pytest.mark.parametrize("option", [["--max-e", "1"], ["--adversary", "linked", "--max-e", "2"]], ids=" ".join)
def test_other_options_of_the_attack_have_numbers_of_their_own(audited, counted, option):
    told(audited, *option)
    assert afresh(counted)["equivalence"] == ALL["equivalence"]


def test_another_version_counts_all_again(audited, counted, monkeypatch):
    monkeypatch.setattr("audit.io.timeline_file.exact_version", lambda: f"{version.exact_version()}+")
    told(audited)
    assert afresh(counted) == ALL


def truncated(path):
    path.write_bytes(path.read_bytes()[:-40])


def empty(path):
    path.write_bytes(b"")


def other_numbers(path):
    body = json.loads(path.read_text())
    body["counts"] = {key: [each + 1 for each in counts] for key, counts in body["counts"].items()}
    path.write_text(json.dumps(body))


def other_shape(path):
    path.write_text('["check", 1]')


def not_ascii(path):
    body = json.loads(path.read_text())
    path.write_text(json.dumps({**body, "check": "é"}))


def a_folder(path):
    path.unlink()
    path.mkdir()


@pytest.mark.parametrize(
    "harm", [truncated, empty, other_numbers, other_shape, not_ascii, a_folder], ids=lambda one: one.__name__
)
def test_a_damaged_file_is_taken_for_none(audited, counted, harm):
    path = audited / "private/timelines.json"
    harm(path)
    cached = told(audited)
    assert afresh(counted) == ALL
    assert told(audited, "--no-cache") == cached
    if path.is_file():
        afresh(counted)
        told(audited)
        assert afresh(counted) == {"equivalence": [], "joint": []}


def test_the_file_is_for_its_owner_alone_and_names_nobody(audited):
    path = audited / "private/timelines.json"
    assert path.stat().st_mode & 0o777 == 0o600
    body = json.loads(path.read_text())
    assert sorted(body) == ["check", "counts", "format", "secret"]
    assert all(len(key) == 64 for key in body["counts"])
    assert all(isinstance(number, int) for counts in body["counts"].values() for number in counts)


def test_nothing_is_kept_where_there_is_no_private_folder(tmp_path):
    SERIES.write(tmp_path)
    assert run_main(str(tmp_path), *ATTACKS)[0] == 1
    assert not (tmp_path / "private").exists()


def test_nothing_is_kept_outside_of_the_series(tmp_path):
    folder, elsewhere = tmp_path / "series", tmp_path / "elsewhere"
    elsewhere.mkdir()
    SERIES.write(folder)
    (folder / "private").symlink_to(elsewhere)
    run_main(str(folder), *ATTACKS)
    assert list(elsewhere.iterdir()) == []


def changed_first_group(folder):
    text = (folder / "releases/1.csv").read_text()
    (folder / "releases/1.csv").write_text(text.replace("1,a", "2,a", 1).replace("2,c", "1,c", 1))


def changed_first_value(folder):
    for name in "1234":
        path = folder / f"releases/{name}.csv"
        path.write_text(path.read_text().replace("d", "a", 1))


@pytest.fixture
def bounds(monkeypatch):
    """Equivalence forms sides within groups alone and searches no further, as in large series."""
    monkeypatch.setattr("attacks.equivalence.subsets._SETS_OF_ALL", -1)
    monkeypatch.setattr("attacks.equivalence.strategy._SEARCHED_MEMBERSHIPS", -1)


def equivalence_entry(report):
    return next(each for each in report["attacks"] if each["attack"] == "equivalence")


@pytest.mark.usefixtures("bounds")
def test_bounds_are_not_counted_again(audited_in_bounds, counted):
    cached = told(audited_in_bounds)
    assert afresh(counted)["equivalence"] == [3]  # as the last of three it was searched for more thoroughly
    assert told(audited_in_bounds) == cached
    assert afresh(counted)["equivalence"] == []
    assert told(audited_in_bounds, "--no-cache") == cached
    assert afresh(counted)["equivalence"] == [1, 2, 3]
    entry = equivalence_entry(cached[1])
    assert entry["status"] == "incomplete"
    line = entry["measures"]["timeline"]
    assert 0 < line[1] < line[2]


@pytest.fixture
def audited_in_bounds(tmp_path, counted, bounds):
    """The first three releases of a series in which many, though not all, sides lie within groups."""
    LARGER.until(3).write(tmp_path, key="files")
    assert equivalence_entry(told(tmp_path)[1])["status"] == "incomplete"
    assert afresh(counted)["equivalence"] == [1, 2]
    LARGER.write(tmp_path, key="files")
    return tmp_path


@pytest.mark.parametrize("change", [changed_first_group, changed_first_value], ids=lambda one: one.__name__)
def test_bounds_of_what_was_changed_are_counted_again(audited_in_bounds, counted, change):
    change(audited_in_bounds)
    cached = told(audited_in_bounds)
    assert afresh(counted)["equivalence"] == [1, 2, 3]
    assert told(audited_in_bounds, "--no-cache") == cached


def test_bounds_of_another_option_or_version_are_counted_again(audited_in_bounds, counted, monkeypatch):
    told(audited_in_bounds, "--max-e", "3")
    assert afresh(counted)["equivalence"] == [1, 2, 3]
    monkeypatch.setattr("audit.io.timeline_file.exact_version", lambda: f"{version.exact_version()}+")
    told(audited_in_bounds)
    assert afresh(counted)["equivalence"] == [1, 2, 3]


def test_bounds_that_the_clock_may_have_cut_off_are_not_kept(audited_in_bounds, counted, monkeypatch):
    monkeypatch.setattr(timeline, "_UNHURRIED", 1.0)  # any time at all is too long
    (audited_in_bounds / "private/timelines.json").unlink()
    told(audited_in_bounds)
    afresh(counted)
    told(audited_in_bounds)
    assert afresh(counted)["equivalence"] == [1, 2, 3]


@pytest.mark.parametrize("spread", [linked_series, register_series])
@pytest.mark.usefixtures("bounds")
def test_whatever_was_audited_before_changes_no_bounds(spread):
    unchanged(spread)


@pytest.mark.parametrize("spread", [linked_series, register_series])
def test_whatever_was_audited_before_changes_nothing(spread):
    unchanged(spread)


@settings(max_examples=30, deadline=None)
@given(data=st.data())
def unchanged(spread, data):
    changing, known = data.draw(st.booleans()), data.draw(st.booleans())
    series = data.draw(spread(changing=changing, known=known, max_releases=4))
    other = data.draw(spread(changing=changing, known=known))
    earlier = [series.until(count) for count in range(1, len(series.releases))]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "private").mkdir()
        for each in (other, *earlier, series):
            each.write(folder)
            cached = told(folder)
            assert told(folder, "--no-cache") == cached
