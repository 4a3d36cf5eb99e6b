"""Cuts of small graphs, both kernels, against all sides tried one by one and against networkx."""

from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.model import minimum_cuts, minimum_cuts_compiled
from audit.model.minimum_cuts import NO_CUT, components, inseparable, min_cut, min_cuts


@pytest.fixture(autouse=True)
def _plain(monkeypatch):
    """Numba is loaded here: only the twins are to be compiled."""
    monkeypatch.setattr(minimum_cuts, "pays", lambda *_: False)


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
    values, found = min_cuts(graphs)
    assert np.array_equal(graphs, before)
    for graph, value, side in zip(graphs, values, found, strict=True):
        assert value == least_cut(graph)
        if value == NO_CUT:
            assert not side.any()
            continue
        assert parted(graph, side) == value
        assert sum(set(np.flatnonzero(side)) <= set(nodes) for nodes in connected(graph)) == 1


@given(stacks(), st.integers(0, 25))
def test_twins(graphs, bound):
    for mine, twin in zip(min_cuts(graphs), minimum_cuts_compiled.min_cuts(graphs), strict=True):
        assert np.array_equal(mine, twin)
    assert np.array_equal(inseparable(graphs, bound), minimum_cuts_compiled.inseparable(graphs, bound))


@given(stacks())
def test_components(graphs):
    for graph, labels in zip(graphs, components(graphs), strict=True):
        assert {node: labels[node] for node in range(len(graph))} == {
            node: nodes[0] for nodes in connected(graph) for node in nodes
        }


@given(stacks(6), st.integers(0, 12))
def test_inseparable_nodes_are_parted_by_no_small_cut(graphs, bound):
    for graph, labels in zip(graphs, inseparable(graphs, bound), strict=True):
        assert all(labels[label] == label <= node for node, label in enumerate(labels))
        for side in sides(len(graph)):
            if parted(graph, side) <= bound:
                assert not set(labels[side]) & set(labels[~side])


@given(stacks(6))
def test_what_no_cut_parts_at_all_is_inseparable_at_once(graphs):
    assert np.array_equal(inseparable(graphs, 0), components(graphs))
    assert all((inseparable(graphs, int(graphs.sum())) == np.arange(graphs.shape[1])).ravel())


def test_nodes_of_a_complete_graph_are_inseparable_below_its_least_degree():
    graph = 3 * (1 - np.eye(6, dtype=np.int64))[None]
    assert inseparable(graph, 14).tolist() == [[0] * 6]
    assert inseparable(graph, 15).tolist() == [list(range(6))]


def test_a_contraction_may_bring_forth_another():
    """Neither end of the two light edges is tied to the heavy pair by more than 2; together they are by 4."""
    graph = np.zeros((1, 3, 3), dtype=np.int64)
    for one, other, weight in ((0, 1, 9), (0, 2, 2), (1, 2, 2)):
        graph[0, one, other] = graph[0, other, one] = weight
    assert inseparable(graph, 3).tolist() == [[0, 0, 0]]


@pytest.mark.parametrize("seed", range(3))
def test_larger_graphs_as_networkx(seed):
    rng = np.random.default_rng(seed)
    graphs = np.triu(rng.integers(1, 40, (5, 22, 22)) * (rng.random((5, 22, 22)) < 0.3), 1)
    graphs += graphs.transpose(0, 2, 1)
    for graph, value in zip(graphs, min_cuts(graphs)[0], strict=True):
        parts = [nx.from_numpy_array(graph).subgraph(nodes) for nodes in connected(graph) if len(nodes) > 1]
        assert value == min(nx.stoer_wagner(part)[0] for part in parts)


@pytest.mark.parametrize("seed", range(3))
def test_inseparable_nodes_as_in_a_cut_tree(seed):
    rng = np.random.default_rng(seed)
    graph = np.triu(rng.integers(1, 9, (12, 12)) * (rng.random((12, 12)) < 0.5), 1)
    graph += graph.T
    whole = nx.from_numpy_array(graph)
    assert nx.is_connected(whole)
    nx.set_edge_attributes(whole, nx.get_edge_attributes(whole, "weight"), "capacity")
    tree = nx.gomory_hu_tree(whole)
    for bound in range(0, 30, 3):
        tree.remove_edges_from([edge for edge in tree.edges if tree.edges[edge]["weight"] <= bound])
        classes = list(nx.connected_components(tree))
        labels = inseparable(graph[None], bound)[0]
        assert all(any({node, int(label)} <= nodes for nodes in classes) for node, label in enumerate(labels))


def test_one_graph():
    value, side = min_cut(np.array([[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 5], [0, 0, 5, 0]]))
    assert value == 1
    assert np.flatnonzero(side).tolist() in ([0], [1])
    assert min_cut(np.zeros((1, 1), dtype=np.int64))[0] == NO_CUT


def test_large_weights():
    value, _ = min_cut(np.array([[0, 10**15, 1], [10**15, 0, 10**15], [1, 10**15, 0]]))
    assert value == 10**15 + 1


def test_no_graphs():
    values, found = min_cuts(np.zeros((0, 3, 3), dtype=np.int64))
    assert (values.shape, found.shape) == ((0,), (0, 3))
    assert inseparable(np.zeros((0, 3, 3), dtype=np.int64), 1).shape == (0, 3)


def test_large_stacks_are_compiled(monkeypatch):
    monkeypatch.setattr(minimum_cuts, "pays", lambda _, saved: saved >= minimum_cuts._SAVED * 2 * 3**3)
    monkeypatch.setattr(minimum_cuts_compiled, "min_cuts", lambda _: "compiled cuts")
    monkeypatch.setattr(minimum_cuts_compiled, "inseparable", lambda _, bound: f"compiled classes at {bound}")
    graphs = np.zeros((2, 3, 3), dtype=np.int64)
    assert (min_cuts(graphs), inseparable(graphs, 4)) == ("compiled cuts", "compiled classes at 4")
    assert min_cuts(graphs[:1])[0].tolist() == [NO_CUT]
