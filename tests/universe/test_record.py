"""The file of recorded answers is what the enumeration gives."""

from collections import defaultdict

from tests.universe.drawing import share
from tests.universe.linked import series_of, shapes
from tests.universe.record import line_of, lines, record_of, records


def test_the_file_has_every_series_once():
    kept = lines()
    assert len(kept) == len(set(kept)) == 89_921
    assert len(shapes()) == len({line.split(" ")[0] for line in kept}) == 8_205


def test_a_share_recomputed_equals_the_file():
    kept = defaultdict(set)
    for line in lines():
        kept[line.split(" ")[0]].add(line)
    for shape in share(shapes(), 300):
        found = {line_of(record_of(series)) for series in series_of(shape)}
        [releases] = {line.split(" ")[0] for line in found}
        assert found == kept[releases]


def test_lines_are_read_as_they_were_written():
    chosen = share(lines(), 2_000)
    assert [line_of(record) for record in records(chosen)] == chosen


def test_weaker_reasoning_shows_no_more():
    """Linear reasoning within all worlds, on every series; both find what a group with one value says."""
    for record in records(share(lines(), 10_000)):
        assert set(record.linear) <= set(record.equal)
        assert all(record.possible(person) == (value,) for person, value in record.pinned)
        assert [e == 1 for e in record.least] == [
            any(i in pair for pair in record.linear) for i in range(record.people)
        ]
        for release, group in record.homogeneous:
            alike = {record.possible(i) for i, label in enumerate(record.releases[release]) if label == group}
            assert len(alike) == 1
