"""Components of small graphs are those that scipy finds in large ones."""

from __future__ import annotations

import numpy as np
import pytest

from attacks import graphs


@pytest.mark.parametrize("strong", [False, True])
def test_small_graphs_have_the_components_of_large_ones(monkeypatch, strong) -> None:
    rng = np.random.default_rng(7)
    for nodes in range(1, 40):
        tail, head = rng.integers(0, nodes, (2, int(rng.integers(0, 2 * nodes))))
        monkeypatch.setattr(graphs, "_SMALL_GRAPH_NODES", 256)
        small = graphs.component_of(tail, head, nodes, strong=strong)
        monkeypatch.setattr(graphs, "_SMALL_GRAPH_NODES", 0)
        large = graphs.component_of(tail, head, nodes, strong=strong)
        assert (small[:, None] == small).tolist() == (large[:, None] == large).tolist()
        if not strong:
            assert small.tolist() == large.tolist()


def test_small_sorts_are_those_of_large_ones(monkeypatch) -> None:
    keys = np.random.default_rng(7).integers(0, 20, 300)
    small = graphs.grouped(keys, 25)
    monkeypatch.setattr(graphs, "_SMALL_SORT_KEYS", 0)
    assert [each.tolist() for each in graphs.grouped(keys, 25)] == [each.tolist() for each in small]


def test_a_graph_without_nodes_has_no_components() -> None:
    nothing = np.zeros(0, dtype=np.int64)
    assert graphs.component_of(nothing, nothing, 0).tolist() == []
