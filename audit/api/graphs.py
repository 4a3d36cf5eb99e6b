"""Graphs of a series for networkx: one person's values, the history of a bucket, a part of the person matrix."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from audit.adversary.view import build_evidence
from audit.io.manifest import Manifest
from audit.io.series import Series
from audit.model.adversary import AdversaryKind
from audit.model.arrays import stretches
from audit.model.errors import UsageError

if TYPE_CHECKING:
    import networkx as nx


def update_graph(manifest: Manifest, individual: str, adversary: AdversaryKind | None) -> nx.DiGraph[Any]:
    """Return the values that one person may have had; see `LoadedSeries.update_graph`."""
    import networkx as nx

    from audit.judgement.check_disclosure import Checker
    from audit.judgement.pseudonyms import find
    from audit.judgement.published_rows import PublishedReleases

    evidence = build_evidence(Series.of(manifest), adversary)[0]
    person = find([evidence], individual)[evidence.sensitive]
    published = PublishedReleases(evidence)
    steps, after = Checker(published).own(person), published.after
    graph = nx.DiGraph(individual=individual, sensitive=evidence.sensitive)
    before: list[tuple[str, int]] = []
    for step in steps:
        tag = evidence.tags[step.release]
        here = [(tag, value) for value in step.candidates]
        for _, value in here:
            graph.add_node((tag, evidence.values[value]), feasible=value in (step.feasible or ()))
        for then, old in before:
            for _, value in here:
                if old == value if after is None else value in after(old):
                    ends = (then, evidence.values[old]), (tag, evidence.values[value])
                    graph.add_edge(*ends, feasible=all(graph.nodes[end]["feasible"] for end in ends))
        before = here
    return graph


def bucket_graph(manifest: Manifest, values: frozenset[str]) -> nx.Graph[Any]:
    """Return the history of a bucket; see `LoadedSeries.bucket_graph`."""
    import networkx as nx

    from attacks.matrix import Matrix

    evidence = build_evidence(Series.of(manifest), "linked")[0]
    matrix = Matrix.of(evidence)
    inside: dict[int, list[int]] = defaultdict(list)
    for group in range(matrix.groups):
        if {evidence.values[value] for value in matrix.values_of(group)} == values:
            for column in matrix.members(group).tolist():
                inside[column].append(int(matrix.release[group]))
    if not inside:
        raise UsageError(f"no group has exactly these values: {', '.join(sorted(values)) or 'none given'}")
    tags = [*evidence.tags, "end"]
    graph = nx.Graph(values=sorted(values), least_cut=None)
    graph.add_nodes_from(tags, side=False)
    for releases in inside.values():
        for first, last in stretches(sorted({*releases})):
            before = graph.get_edge_data(tags[first], tags[last + 1], {"weight": 0})["weight"]
            graph.add_edge(tags[first], tags[last + 1], weight=before + 1)
    parts = [graph.subgraph(part) for part in nx.connected_components(graph) if len(part) > 1]
    cut, (side, _) = min((nx.stoer_wagner(part) for part in parts), key=lambda found: found[0])
    graph.graph["least_cut"] = cut
    nx.set_node_attributes(graph, dict.fromkeys(side, True), "side")
    return graph


def component(manifest: Manifest, individual: str) -> nx.Graph[Any]:
    """Return the part of the person matrix that a person is in; see `LoadedSeries.component`."""
    import networkx as nx
    import numpy as np

    from attacks.matrix import Matrix

    series = Series.of(manifest)
    evidence = build_evidence(series, "linked")[0]
    matrix = Matrix.of(evidence)
    person = series.person(individual)
    begin, groups = matrix.by_column()
    if person < 0 or begin[person] == begin[person + 1]:
        raise UsageError("no person with this identifier is in the series; write it exactly as it is there")
    graph, waiting, seen = nx.Graph(), [person], {person}
    done: set[int] = set()
    while waiting:
        column = waiting.pop()
        for group in groups[begin[column] : begin[column + 1]].tolist():
            if group in done:
                continue
            done.add(group)
            release, code = int(matrix.release[group]), int(matrix.code[group])
            name = evidence.source.group_names(release, np.array([code], dtype=np.int32))[0]
            node = ("group", evidence.tags[release], name)
            values = {evidence.values[value]: rows for value, rows in matrix.values_of(group).items()}
            graph.add_node(node, values=values)
            for member in matrix.members(group).tolist():
                named = bool(matrix.individual[member])
                who = ("person", series.people.name(member)) if named else ("counterfeit", member)
                graph.add_edge(who, node)
                if member not in seen:
                    seen.add(member)
                    waiting.append(member)
    return graph
