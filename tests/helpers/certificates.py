"""Check a disclosure by hand: its candidates must be the published values, and its claim must follow."""

from itertools import pairwise, product
from typing import Any

from tests.helpers.tiny import TinySeries
from tests.oracle.per_person import hosts, known_values, nodes


def assert_proves(finding: dict[str, Any], series: TinySeries, adversary: str, *, constant: bool) -> None:
    """Check a finding; with `constant`, values never change, otherwise histories follow the transitions."""
    person, lines = finding["individual"], finding["certificate"]
    releases = [series.tags.index(line["release"]) for line in lines]
    stay = series.presence(person, adversary)
    assert releases == sorted(set(releases))
    assert set(releases) <= set(stay)
    for j, line in zip(releases, lines, strict=True):
        assert sorted(line["candidates"]) == sorted(nodes(series, person, j, adversary))
        where = hosts(series, person, j, adversary)
        assert set(line["groups"] if "groups" in line else [line["group"]]) == where
    about = series.tags.index(finding["release"])
    if constant:
        assert releases[-1] <= about
        assert set.intersection(*(set(line["candidates"]) for line in lines)) == {finding["value"]}
        return
    first = stay.index(releases[0])
    assert releases == stay[first : first + len(releases)], "a change of value needs neighbouring versions"
    histories = [
        path
        for path in product(*(line["candidates"] for line in lines))
        if all(series.step(before, after) for before, after in pairwise(path))
    ]
    assert {path[releases.index(about)] for path in histories} == {finding["value"]}
    for i, line in enumerate(lines):
        assert "feasible" not in line or set(line["feasible"]) == {path[i] for path in histories}
    assert person not in known_values(series, about, adversary)
