"""Small series with two sensitive attributes of two values each; values never change.

A value of a `TinySeries` stands for a pair here: what one row says of both attributes.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

from tests.helpers.tiny import TinySeries
from tests.universe.changing import Space, series_of, shown
from tests.universe.linked import NAMINGS, PARTITIONS, RENAMED

PAIRS = {first + second: (first, second) for first, second in product(("v1", "v2"), ("w1", "w2"))}
"""What each value stands for, in both attributes."""

PEOPLE, RELEASES = 3, 2


def everything() -> Iterator[TinySeries]:
    """Yield every series of up to 3 people and 2 releases, once up to the names of people and of either's values."""
    other = {"v1": "v2", "v2": "v1", "w1": "w2", "w2": "w1"}
    namings = [
        {value: (other[v] if turned else v) + (other[w] if mirrored else w) for value, (v, w) in PAIRS.items()}
        for turned, mirrored in product([False, True], repeat=2)
    ]
    for shape in Space(PEOPLE, RELEASES, "").shapes:
        confused = [NAMINGS[k][:PEOPLE] for k in range(len(NAMINGS)) if (RENAMED[k, shape] == shape).all()]
        partitions = [PARTITIONS[place] for place in shape[-RELEASES:]]
        seen = set()
        for chosen in product(PAIRS, repeat=PEOPLE):
            ways = [
                tuple(value if partition[i] else None for partition in partitions) for i, value in enumerate(chosen)
            ]
            key = min(
                repr(shown(partitions, tuple(tuple(v and name[v] for v in ways[i]) for i in naming)))
                for name in namings
                for naming in confused
                if max(naming) < PEOPLE
            )
            if key not in seen:
                seen.add(key)
                yield series_of(partitions, tuple(ways), None)


def alone(series: TinySeries, attribute: int) -> TinySeries:
    """Return the series with one of the attributes only."""
    return replace(
        series,
        releases=[[replace(row, value=PAIRS[row.value][attribute]) for row in rows] for rows in series.releases],
    )
