"""Update sets, least cuts and sizes of counts: parts of the model beside their definitions."""

from dataclasses import replace
from itertools import combinations
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.io.microdata import Microdata, open_microdata
from audit.model.arrays import UNBOUNDED
from audit.model.errors import AuditError
from audit.model.evidence import UpdateSets
from audit.model.minimum_cuts import NO_CUT, inseparable, min_cuts
from audit.model.report import CountSize
from audit.principles.registry import find
from audit.publishing.publish import PublishOptions, publish
from tests.helpers.microdata import Pairs, write_microdata
from tests.helpers.running import refused, run_main
from tests.mutants.mutant import kills

FIRST = [("Bo", 21, "Rye", "flu"), ("Al", 22, "Ely", "cold"), ("Cy", 40, "Rye", "flu"), ("Di", 41, "Rye", "gout")]
SECOND = [("Bo", 21, "Rye", "cold"), *FIRST[1:3], ("Ed", 23, "Ely", "cold"), ("Flo", 24, "York", "gout")]
BOTH = {"1": FIRST, "2": SECOND}
CLOSED = ["flu,flu", "flu,cold", "gout,gout", "cold,cold"]
CHAIN = ["flu,cold", "cold,gout", "gout,mumps", "mumps,mumps"]


def micro_of(folder: Path, lines: list[str] | None, snapshots=None, *, name: str = "moves.csv", more: str = "") -> Path:
    """Microdata with a file of transitions, or without one."""
    snapshots = BOTH if snapshots is None else snapshots
    if lines is None:
        return write_microdata(folder, snapshots)
    write_microdata(folder, snapshots, more=f'\n[updates]\ntransitions = "{name}"\n')
    (folder / name).write_text("\n".join([f"from,to{more}", *lines]) + "\n", encoding="utf-8")
    return folder


def told(call) -> str:
    with pytest.raises(AuditError) as caught:
        call()
    return str(caught.value)


# -- the sets --------------------------------------------------------------------------------------------------------


def reached(may) -> set[tuple[int, int]]:
    """Every pair with a way from the one to the other, that of no step included; by walking."""
    found = set()
    for start in range(len(may)):
        ahead, seen = [start], set()
        while ahead:
            value = ahead.pop()
            if value not in seen:
                seen.add(value)
                ahead += [other for other in range(len(may)) if may[value][other]]
        found |= {(start, value) for value in seen}
    return found


def test_closure_is_what_ways_reach():
    rng = np.random.default_rng(2)
    for _ in range(300):
        size = int(rng.integers(1, 8))
        may = rng.random((size, size)) < rng.uniform(0, 0.6)
        sets = UpdateSets(may)
        every = reached(may.tolist())
        assert set(map(tuple, np.argwhere(sets.closed().may).tolist())) == every
        there = set(map(tuple, np.argwhere(may).tolist()))
        assert [tuple(pair) for pair in sets.missing().tolist()] == sorted(every - there)
        for first, last in every - there:
            way = sets.closed().between(first, last)
            assert first == last or (way not in (first, last, None) and {(first, way), (way, last)} <= every)


# -- publishing ------------------------------------------------------------------------------------------------------


def publish_to(folder: Path, micro: Path | Microdata, *, follows: bool = False) -> None:
    micro = open_microdata(micro) if isinstance(micro, Path) else micro
    publish(micro, folder, Pairs(follows=follows), find("l-diversity", {"l": 1}), PublishOptions(seed=3))


def files(folder: Path) -> dict[str, bytes]:
    paths = [path for path in folder.rglob("*") if path.is_file() and path.name != ".lock"]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


# -- sets that a method can follow -----------------------------------------------------------------------------------


def test_a_value_without_a_line_stops_the_release(tmp_path):
    micro = micro_of(
        tmp_path / "m", ["flu,flu", "gout,gout", "cold,cold"], {"1": FIRST, "2": [*FIRST, ("Ed", 5, "Ely", "ague")]}
    )
    line = told(lambda: publish_to(tmp_path / "out", micro))
    assert line.startswith(
        '2.csv:6, column "Disease": no line of moves.csv begins with the value of this row; say there'
    )
    assert not (tmp_path / "out").exists()


def closed(folder: Path) -> Microdata:
    micro, _ = open_microdata(folder).closed()
    return micro


def test_completed_sets_form_groups_and_the_series_keeps_those_that_were_listed(tmp_path):
    """An audit by the completed sets would take a weaker adversary: readers know what was listed."""
    listed = [*CHAIN, "flu,flu", "cold,cold", "gout,gout"]
    assert open_microdata(micro_of(tmp_path / "m", listed)).closed()[1] == 3
    for count in (1, 2):
        micro = micro_of(tmp_path / f"m{count}", listed, dict(list(BOTH.items())[:count]))
        publish_to(tmp_path / "out", closed(micro), follows=True)
        lines = (tmp_path / "out/transitions.csv").read_text().split()
        assert lines == ["from,to", *sorted(listed)]
    publish_to(tmp_path / "once", closed(micro), follows=True)
    assert files(tmp_path / "once") == files(tmp_path / "out")
    plain = open_microdata(tmp_path / "m2")
    assert told(lambda: publish_to(tmp_path / "not", plain, follows=True)).endswith(
        'by way of "gout"; add them, or --close'
    )


def test_completed_sets_need_a_line_of_each_value(tmp_path):
    then = closed(micro_of(tmp_path / "m", ["flu,flu", "flu,cold", "cold,cold", "gout,gout", "gout,ague"]))
    line = told(lambda: publish_to(tmp_path / "out", then, follows=True))
    assert line.startswith('moves.csv: no line begins with "ague", which others may become; ')


# -- series that go on -----------------------------------------------------------------------------------------------


def going_on(folder: Path, lines: list[str] | None, then, *, more: str = "", follows: bool = False) -> str:
    """What is said when a series that was begun with some transitions goes on with others; nothing changes."""
    first = micro_of(folder / "first", lines, {"1": FIRST}, more=more)
    publish_to(folder / "out", first)
    before = files(folder / "out")
    line = told(lambda: publish_to(folder / "out", then, follows=follows))
    assert files(folder / "out") == before
    assert "\n" not in line
    return line


@pytest.mark.parametrize("follows", [False, True])
@pytest.mark.parametrize(
    "lines",
    [
        [*CLOSED, "cold,flu"],
        CLOSED[0:1] + CLOSED[2:],
        ["flu,flu,1/3", "flu,cold,2/3", "gout,gout,1", "cold,cold,1"],
        ["flu,flu,1/2", "flu,cold,1/2", "gout,gout,1", "cold,cold,1", "mumps,flu,0"],
    ],
)
def test_other_transitions_are_refused(tmp_path, lines, follows):
    more = ",probability" if lines[0].count(",") > 1 else ""
    then = micro_of(tmp_path / "then", lines, more=more)
    line = going_on(tmp_path, CLOSED, then, follows=follows)
    out, other = tmp_path / "out/transitions.csv", tmp_path / "then/moves.csv"
    assert line.startswith(f"{out}: the series has other transitions than {other}; give both files the same lines")


def test_a_series_whose_sets_lack_something_is_not_followed(tmp_path):
    line = going_on(tmp_path, CHAIN, micro_of(tmp_path / "then", CHAIN), follows=True)
    assert line.endswith("and 3 more; add them, or --close")


def test_a_method_that_follows_updates_needs_them_on_both_sides(tmp_path):
    line = going_on(tmp_path, None, micro_of(tmp_path / "then", CLOSED), follows=True)
    assert line == (
        f"{tmp_path}/out/series.toml: there are no transitions, and pairs needs them; copy "
        f"{tmp_path}/then/moves.csv into this folder without columns such as counts, which would be published, and "
        "name it under [adversary], or begin a new series"
    )
    line = going_on(tmp_path / "other", CLOSED, micro_of(tmp_path / "none", None), follows=True)
    assert line.startswith(f"{tmp_path}/none/microdata.toml: there are no transitions, and pairs needs them; ")
    assert f"copy {tmp_path}/other/out/transitions.csv" in line
    assert "[updates]" in line


# -- the command -----------------------------------------------------------------------------------------------------


def test_equivalences_cannot_be_promised_of_values_that_change(tmp_path):
    same = {"1": FIRST, "2": FIRST}
    words = ("--method", "e-equivalence", "--m", "2", "--e", "2", "--output", str(tmp_path / "out"))
    err = refused("anonymize", str(micro_of(tmp_path / "m", CLOSED, same)), *words)
    assert "release 1 is not published: equivalences are between values that never change" in err
    assert not (tmp_path / "out").exists()
    assert run_main("anonymize", "--no-audit", str(micro_of(tmp_path / "plain", None, same)), *words)[0] == 0


@st.composite
def stacks(draw, most=7):
    """Up to four graphs of up to seven nodes, many without some edges, so that they fall apart."""
    nodes = draw(st.integers(1, most))
    weight = st.one_of(st.just(0), st.integers(0, 3), st.integers(0, 20))
    graphs = []
    for _ in range(draw(st.integers(1, 4))):
        graph = np.zeros((nodes, nodes), dtype=np.int64)
        for one, other in combinations(range(nodes), 2):
            graph[one, other] = graph[other, one] = draw(weight)
        graphs.append(graph)
    return np.stack(graphs)


def parted(graph, side):
    """The weight between a side and the rest."""
    return int(graph[np.ix_(side, ~side)].sum())


def sides(nodes):
    for number in range(1 << nodes):
        yield np.array([number >> node & 1 for node in range(nodes)], dtype=bool)


def connected(graph):
    return [sorted(nodes) for nodes in nx.connected_components(nx.from_numpy_array(graph))]


def least_cut(graph):
    """The least cut of any component, by trying all sides of each."""
    values = [
        parted(graph[np.ix_(nodes, nodes)], side)
        for nodes in connected(graph)
        for side in sides(len(nodes))
        if 0 < side.sum() < len(nodes)
    ]
    return min(values, default=NO_CUT)


@given(stacks())
def test_least_cuts(graphs):
    before = graphs.copy()
    values = min_cuts(graphs)
    assert np.array_equal(graphs, before)
    assert values.tolist() == [least_cut(graph) for graph in graphs]


@given(stacks(6), st.integers(0, 12))
def test_inseparable_nodes_are_parted_by_no_small_cut(graphs, bound):
    for graph, labels in zip(graphs, inseparable(graphs, bound), strict=True):
        assert all(labels[label] == label <= node for node, label in enumerate(labels))
        for side in sides(len(graph)):
            if parted(graph, side) <= bound:
                assert not set(labels[side]) & set(labels[~side])


@kills("audit.model.report.CountSize.covers", "not worse and ", "")
@kills("audit.model.report.CountSize.covers", "self.upper <= other.upper", "True")
@kills("audit.model.report.SealedCount.covers", "other.upper - self.values + 1", "other.upper")
@kills("audit.model.report.SealedCount.covers", "self.key is None or WORSE", "self.key is None and WORSE")
@pytest.mark.parametrize(
    ("accepted", "known", "covers"),
    [
        (CountSize("narrowed", 1, 4), CountSize("narrowed", 1, 4), True),
        (CountSize("narrowed", 1, 4), CountSize("narrowed", 0, 9), True),
        (CountSize("narrowed", 1, 4), CountSize("narrowed", 1, 3), False),
        (CountSize("narrowed", 1, 4), CountSize("narrowed", 2, 4), False),
        (CountSize("narrowed", 4, 4), CountSize("recovered", 4, 4), False),
        (CountSize("recovered", 4, 4), CountSize("narrowed", 4, 4), True),
    ],
)
def test_no_worse_kind_and_no_narrower_limits_are_covered(accepted, known, covers):
    assert accepted.covers(known) == covers
    assert accepted.sealed("differencing-0", b"key").covers(known) == covers


def test_a_sealed_size_covers_what_the_size_covers():
    """A manifest has the seal in place of the count; what it accepts is the same, for the finding with this id."""
    ends = [(low, high) for low in range(4) for high in range(low, 5)]
    sizes = [CountSize(kind, *each) for kind in ("narrowed", "recovered", "all") for each in [*ends, (1, UNBOUNDED)]]
    for accepted in sizes:
        sealed = accepted.sealed("differencing-0", b"key")
        assert [sealed.covers(each) for each in sizes] == [accepted.covers(each) for each in sizes]
        for other in ({"ident": "differencing-1"}, {"key": b"other"}, {"key": None}):
            assert not any(replace(sealed, **other).covers(each) for each in sizes if each.upper < UNBOUNDED)
