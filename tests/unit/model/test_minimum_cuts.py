"""Cuts of small graphs, against all sides tried one by one and against networkx."""

from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.model.minimum_cuts import NO_CUT, inseparable, min_cuts


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
