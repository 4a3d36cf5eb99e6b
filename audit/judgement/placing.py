"""Placing: search for a contradiction in a proof, whose people may not all have rows.

If releases contradict each other, nothing follows from them, although much can be proved: in an odd circle of groups of
two values each, both values are refuted. So the people of a proof are given rows one after the other, as the claim
assumes; each person gets rows of possible groups, and each row goes to one person. If that is impossible, no world
exists. More people take fewer steps. A proof is accepted unless a contradiction is found within the limits.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Set
from itertools import pairwise
from typing import TypeAlias

Version: TypeAlias = tuple[int, int]
"""A person and a release."""
Row: TypeAlias = tuple[int, int]
"""A group of a release and a value."""
Choices: TypeAlias = Mapping[Version, Set[Row]]
Follows: TypeAlias = Callable[[int, int], bool]
"""Returns whether a value may be followed by another one in a person's next release."""

MOST_VISITS = 20_000
"""The limit of versions to check, each once for each step."""


def contradicts(choices: Choices, room: Callable[[int, Row], int], follows: Follows) -> bool:
    """Return whether the search proves that people cannot all have rows.

    Args:
        choices: the rows that each person may have in each release, by that release alone.
        room: returns how many rows of a release have a group and a value.
        follows: which values may follow which.
    """
    open_, steps = [choices], MOST_VISITS // max(1, len(choices))
    while open_ and steps:
        steps -= 1
        narrowed = _narrowed(open_.pop(), room, follows)
        if narrowed is None:
            continue
        several = [version for version, rows in narrowed.items() if len(rows) > 1]
        if not several:
            return False
        first = min(several, key=lambda version: (len(narrowed[version]), version))
        open_ += [{**narrowed, first: {row}} for row in sorted(narrowed[first], reverse=True)]
    return not open_


def _narrowed(choices: Choices, room: Callable[[int, Row], int], follows: Follows) -> Choices | None:
    """Return the choices without full rows and without values that cannot follow; None if a person has none left."""
    while True:
        held = Counter((release, row) for (_, release), rows in choices.items() if len(rows) == 1 for row in rows)
        if any(number > room(release, row) for (release, row), number in held.items()):
            return None
        left = {
            (person, release): {row for row in rows if len(rows) == 1 or held[release, row] < room(release, row)}
            for (person, release), rows in choices.items()
        }
        for (one, before), (other, after) in pairwise(sorted(left)):
            if one == other:
                rows, next_rows = left[one, before], left[one, after]
                left[one, before] = {a for a in rows if any(follows(a[1], b[1]) for b in next_rows)}
                left[one, after] = {b for b in next_rows if any(follows(a[1], b[1]) for a in rows)}
        if not all(left.values()):
            return None
        if left == choices:
            return left
        choices = left
