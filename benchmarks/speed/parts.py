"""Parts of the equivalence attack, as jobs of `benchmarks.speed.warm`, and least cuts beside igraph's.

Names: `alone-equivalence`, the attack without the reading; `fingerprint-RELEASES`, fingerprint, classes and pinned
values of some first releases; `subsets-E`, equivalences within groups up to e, the fingerprint being there;
`cuts-TOOL-GRAPHS`, where TOOL is `numpy` or `igraph`, and GRAPHS a number of nodes or `buckets`, those of a
series. Matrices and graphs are made outside the clock.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt

from attacks.matrix import Matrix
from audit.adversary.build_evidence import build_evidence
from audit.io.series import open_series
from audit.runtime.budget import Budget

Job = Callable[[], dict[str, object]]
Weights = npt.NDArray[np.int64]
STACKS = {20: 200, 80: 20, 400: 1}
"""How many graphs of how many nodes are cut."""
_SEED = 1


def build(tool: str, rest: str, series: Path) -> Job:
    """Return the job of a name.

    Raises:
        ValueError: there is none.
    """
    if tool == "alone":
        return _alone(series)
    if tool == "fingerprint":
        return _fingerprint(_matrix(series).prefix(int(rest)))
    if tool == "subsets":
        return _subsets(_matrix(series), int(rest))
    by, _, which = rest.partition("-")
    graphs = _of_buckets(series) if which == "buckets" else _dense(int(which))
    return {"numpy": _numpy_cuts, "igraph": _igraph_cuts}[by](graphs)


def _matrix(series: Path) -> Matrix:
    # A process that goes on working has the compiled kernels loaded, and then uses them.
    import numba  # noqa: F401

    return Matrix.of(build_evidence(open_series(series))[0])


def _alone(series: Path) -> Job:
    import numba  # noqa: F401

    from attacks.equivalence.attack import EquivalenceAttack

    def run() -> dict[str, object]:
        (evidence,) = build_evidence(open_series(series))
        started = time.perf_counter()
        outcome = EquivalenceAttack().run(evidence, Budget())
        seconds = time.perf_counter() - started
        kept = ("min_e", "compromised", "timeline")
        return {"seconds": seconds, "status": outcome.status} | {key: outcome.measures[key] for key in kept}

    return run


def _fingerprint(matrix: Matrix) -> Job:
    from attacks.equivalence.fingerprint import classes, fingerprint, pinned

    def run() -> dict[str, object]:
        numbers = fingerprint(matrix, np.random.default_rng(_SEED), Budget())
        if numbers is None:
            return {"complete": False}
        label, fixed = classes(matrix, numbers), pinned(matrix, numbers)
        sharing = (label >= 0) & (np.bincount(label[label >= 0])[label] > 1) & matrix.individual
        return {"complete": True, "sharing": int(sharing.sum()), "pinned": int((fixed >= 0).sum())}

    return run


def _subsets(matrix: Matrix, max_e: int) -> Job:
    from attacks.equivalence.fingerprint import fingerprint
    from attacks.equivalence.subsets import matched

    drawn = [fingerprint(matrix, np.random.default_rng(_SEED + each), Budget()) for each in (0, 1)]
    first, second = (each for each in drawn if each is not None)

    def run() -> dict[str, object]:
        found = matched(matrix, (first, second), max_e, Budget())
        least = found.least[matrix.individual]
        return {
            "complete": found.complete,
            "compromised": {e: int(((least > 0) & (least <= e)).sum()) for e in range(1, max_e + 1)},
        }

    return run


def _dense(nodes: int) -> Weights:
    """Return complete graphs with random weights; shape (graphs, nodes, nodes)."""
    rng = np.random.default_rng(nodes)
    weights = np.triu(rng.integers(1, 100, (STACKS[nodes], nodes, nodes)), 1)
    return weights + weights.transpose(0, 2, 1)


def _of_buckets(series: Path) -> Weights:
    """Return the graph of each bucket of a series, padded with nodes without edges; shape (buckets, nodes, nodes)."""
    from attacks.equivalence.parts import Parts

    found = Parts.of(Matrix.of(build_evidence(open_series(series))[0]))
    if not found.are_buckets:
        raise ValueError(f"{series} is no bucket series")
    graphs = [part.bucket_graph for part in found.parts]
    nodes = max(map(len, graphs))
    return np.stack([np.pad(graph, (0, nodes - len(graph))) for graph in graphs])


def _numpy_cuts(graphs: Weights) -> Job:
    from audit.model.minimum_cuts import min_cuts

    return lambda: {"cuts": min_cuts(graphs).tolist()}


def _igraph_cuts(graphs: Weights) -> Job:
    """Cut each connected component: igraph returns a cut of 0 for a disconnected graph."""
    from igraph import Graph

    whole = [Graph.Weighted_Adjacency(graph.tolist(), mode="undirected", attr="weight") for graph in graphs]
    parts = [[part for part in graph.connected_components().subgraphs() if part.vcount() > 1] for graph in whole]
    return lambda: {"cuts": [int(min(part.mincut(capacity="weight").value for part in of)) for of in parts]}
