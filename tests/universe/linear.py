"""What linear reasoning over published groups shows, by null spaces.

A group says: the numbers of its people add up to the numbers of its values. Every (h, c) with S·h = U·c is an answer to
all groups at once. Two people are equal when all answers give both the same number, a person has a value when all
answers give both the same number, and an integer vector over people is an equivalence when it is orthogonal to all.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product

from tests.helpers.null_space import null_space

Group = tuple[tuple[int, ...], tuple[int, ...]]
"""How often each person is in the group (0 or 1), how often it has each value."""


@dataclass(frozen=True)
class Linear:
    """What linear reasoning shows: pairs that are equal, values that are fixed, each person's least equivalence."""

    equal: tuple[tuple[int, int], ...]
    pinned: tuple[tuple[int, int], ...]
    """Person and value."""
    least: tuple[int, ...]
    """The least e of an equivalence that the person is part of; 0 where there is none."""


def reason(groups: Iterable[Group], people: int, values: int) -> Linear:
    """Return what these groups show; their order and repetitions do not matter."""
    return _reason(frozenset(groups), people, values)


def least_in_all(worlds: Iterable[Sequence[int]], people: int) -> tuple[int, ...]:
    """Return each person's least e of two sides that have the same values, each as often, in all of these worlds."""
    having = {tuple(int(own == value) for own in world) for world in worlds for value in world}
    return _least([list(each) for each in sorted(having)], people)


@cache
def _reason(groups: frozenset[Group], people: int, values: int) -> Linear:
    rows = [[*members, *(-n for n in counts)] for members, counts in sorted(groups)]
    answers = null_space(rows, people + values)
    equal = [
        (i, j) for i in range(people) for j in range(i + 1, people) if all(answer[i] == answer[j] for answer in answers)
    ]
    pinned = [
        (i, v)
        for i in range(people)
        for v in range(values)
        if all(answer[i] == answer[people + v] for answer in answers)
    ]
    return Linear(tuple(equal), tuple(pinned), _least(answers, people))


def _least(answers: list[list[int]], people: int) -> tuple[int, ...]:
    """Return each person's least e, 0 where no vector orthogonal to all answers counts the person."""
    orthogonal = null_space([list(answer[:people]) for answer in answers], people)
    part = [any(vector[i] for vector in orthogonal) for i in range(people)]
    least = [0] * people
    e = 1
    while any(in_one and not found for in_one, found in zip(part, least, strict=True)):
        for x in _balanced(people, e):
            if all(sum(a * b for a, b in zip(x, answer, strict=False)) == 0 for answer in answers):
                least = [found or (e if entry else 0) for found, entry in zip(least, x, strict=True)]
        e += 1
    return tuple(least)


def _balanced(people: int, e: int) -> Iterator[tuple[int, ...]]:
    """Yield integer vectors whose positive entries sum to e and whose negative ones to -e."""
    for x in product(range(-e, e + 1), repeat=people):
        if sum(x) == 0 and sum(map(abs, x)) == 2 * e:
            yield x
