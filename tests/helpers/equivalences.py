"""Tiny series of every kind as matrices, and all their equivalences by enumeration.

Every series is drawn from a true assignment of values to columns, so that it does not contradict itself. The
enumeration knows nothing of the search it judges: it goes through all integer vectors of a small norm and asks by
rational elimination whether they are of the form W S with W U = 0.
"""

from collections import Counter
from dataclasses import dataclass, field
from functools import cache

import numpy as np

from attacks.equivalence.parts import Parts
from attacks.equivalence.search import SearchQuestion, solve
from attacks.equivalence.vectors import Vector, Witnesses
from attacks.matrix import NAMELESS, Matrix
from audit.model.evidence import Members, ValueCounts
from audit.runtime.budget import Budget
from tests.helpers.null_space import null_space

COLUMNS = 8
RELEASES = 4


@dataclass
class Plan:
    """A series while it is drawn: the true value of each named column, and each release's groups.

    A group is a list of named columns and a list of the values of counterfeits without identity.
    """

    truth: list[int]
    releases: list[list[tuple[list[int], list[int]]]] = field(default_factory=list)

    def columns(self):
        return len(self.truth) + sum(len(extra) for groups in self.releases for _, extra in groups)


def tiny_series(rng):
    """Return the matrix of a series of some kind and the true value of each of its columns."""
    kinds = [arbitrary, fine_groups, buckets, diverse, coupled, odd_cycle]
    while True:
        plan = kinds[rng.integers(len(kinds))](rng)
        if 2 <= plan.columns() <= COLUMNS:
            break
    known = set(np.flatnonzero(rng.random(len(plan.truth)) < 0.15).tolist()) if rng.random() < 0.25 else set()
    individual = rng.random(len(plan.truth)) > (0.2 if rng.random() < 0.3 else 0)
    return matrix_of(plan, individual, known)


def matrix_of(plan, individual=None, known=frozenset()):
    """Return the matrix of a plan, known people left out, and the true value of each of its columns."""
    if individual is None:
        individual = np.ones(len(plan.truth), dtype=np.bool_)
    truth, releases = list(plan.truth), []
    values = 1 + max([*plan.truth, *(value for groups in plan.releases for _, extra in groups for value in extra)])
    for groups in plan.releases:
        rows = [
            (number, column, value)
            for number, (named, extra) in enumerate(groups)
            for column, value in [
                *((column, plan.truth[column]) for column in named if column not in known),
                *((NAMELESS, value) for value in extra),
            ]
        ]
        truth += [value for _, column, value in rows if column == NAMELESS]
        group, column, value = (
            (np.array(part, dtype=np.int32) for part in zip(*rows, strict=True))
            if rows
            else [np.zeros(0, dtype=np.int32)] * 3
        )
        releases.append(Members(column, group, len(groups), ValueCounts(group, value, None), individual, values))
    return Matrix.joined(releases), np.array(truth)


def arbitrary(rng):
    """Return groups at random; few values make them repeat."""
    plan = Plan(rng.integers(0, rng.integers(1, 5), rng.integers(2, COLUMNS + 1)).tolist())
    for present in presence(rng, len(plan.truth)):
        plan.releases.append([(named, []) for named in partition(rng, present)])
    return plan


def diverse(rng):
    """Return groups at random, each with at least two values, and counterfeits where there is only one."""
    values = int(rng.integers(2, 5))
    plan = Plan(rng.integers(0, values, rng.integers(2, COLUMNS)).tolist())
    for present in presence(rng, len(plan.truth)):
        groups = []
        for named in partition(rng, present):
            held = {plan.truth[column] for column in named}
            groups.append((named, [(plan.truth[named[0]] + 1) % values] if len(held) == 1 else []))
        plan.releases.append(groups)
    return plan


def fine_groups(rng):
    """Return an m-invariant series of groups without repeated values."""
    plan, home, signatures = signed(rng)
    for present in presence(rng, len(plan.truth)):
        groups = []
        for number, signature in enumerate(signatures):
            members = [column for column in present if home[column] == number]
            slots = [rng.permutation([c for c in members if plan.truth[c] == value]).tolist() for value in signature]
            for place in range(max(map(len, slots))):
                named = [slot[place] for slot in slots if place < len(slot)]
                extra = [value for value, slot in zip(signature, slots, strict=True) if place >= len(slot)]
                groups.append((named, extra))
        plan.releases.append(groups)
    return plan


def buckets(rng):
    """Return a series with one group for each signature and release, with or without values equally frequent."""
    plan, home, signatures = signed(rng)
    even = rng.random() < 0.5
    for present in presence(rng, len(plan.truth)):
        groups = []
        for number, signature in enumerate(signatures):
            members = [column for column in present if home[column] == number]
            held = Counter(plan.truth[column] for column in members)
            lacking = [max(held.values(), default=0) - held[value] for value in signature]
            extra = [value for value, times in zip(signature, lacking, strict=True) for _ in range(times)]
            if members:
                groups.append((members, extra if even else []))
        plan.releases.append(groups)
    return plan


def coupled(rng):
    """Return buckets {a, b}, {c, d}, {a, c} and {b, d}, whose signatures are linearly dependent, for some releases."""
    plan = Plan([0, 1, 2, 3, 0, 2, 1, 3])
    plan.releases = [[(pair, []) for pair in ([0, 1], [2, 3], [4, 5], [6, 7])]]
    for _ in range(rng.integers(0, 3)):
        pairs = [[0, 1], [2, 3], [4, 5], [6, 7]]
        swap = [(0, 4), (1, 6), (2, 5), (3, 7)]
        for one, other in swap:
            if rng.random() < 0.3:
                pairs = [[{one: other, other: one}.get(column, column) for column in pair] for pair in pairs]
        plan.releases.append([(pair, []) for pair in pairs if rng.random() < 0.8])
    return plan


def odd_cycle(rng):
    """Return an odd cycle of overlapping pairs, which needs weights of one half, and people beside it."""
    around, beside = int(rng.choice([3, 5])), int(rng.integers(1, 4))
    plan = Plan(rng.integers(0, rng.integers(2, 5), around + beside).tolist())
    plan.releases = [[] for _ in range(RELEASES)]
    for place in range(around):
        plan.releases[place % 2 if place < around - 1 else 2].append(([place, (place + 1) % around], []))
    for column in range(around, around + beside):
        plan.releases[int(rng.integers(3, RELEASES))].append(([column], []))
        if rng.random() < 0.5:
            groups = plan.releases[int(rng.integers(0, 3))]
            groups[int(rng.integers(len(groups)))][0].append(column)
    return plan


def signed(rng):
    """Return a plan without releases, the signature of each column by number, and the signatures."""
    m, values = int(rng.integers(2, 4)), int(rng.integers(3, 6))
    signatures = [sorted(rng.choice(values, m, replace=False).tolist()) for _ in range(rng.integers(1, 4))]
    home = rng.integers(0, len(signatures), rng.integers(2, COLUMNS + 1)).tolist()
    return Plan([signatures[number][rng.integers(m)] for number in home]), home, signatures


def presence(rng, people):
    """Return who is present in each release: with one unbroken stay, or coming and going at random."""
    releases = int(rng.integers(1, RELEASES + 1))
    if rng.random() < 0.5:
        return [np.flatnonzero(rng.random(people) < 0.8).tolist() for _ in range(releases)]
    first, length = rng.integers(0, releases, people), rng.integers(1, RELEASES + 1, people)
    return [np.flatnonzero((first <= at) & (at < first + length)).tolist() for at in range(releases)]


def partition(rng, people):
    """Return people in groups at random."""
    label = rng.integers(0, max(1, len(people) // 2), len(people))
    parts = [[one for one, at in zip(people, label, strict=True) if at == number] for number in range(len(people))]
    return [part for part in parts if part]


def dense(matrix):
    """Return the person matrix and the value matrix."""
    person = np.zeros((matrix.groups, matrix.columns), dtype=int)
    person[matrix.group_of(), matrix.member] = 1
    value = np.zeros((matrix.groups, matrix.values), dtype=int)
    value[np.repeat(np.arange(matrix.groups), np.diff(matrix.value_start)), matrix.value] = matrix.rows
    return person, value


def relations(matrix):
    """Return rows whose products with a vector over the columns are all 0 exactly when it is W S with W U = 0."""
    person, value = dense(matrix)
    weights = np.array(null_space(value.T.tolist(), matrix.groups), dtype=object).reshape(-1, matrix.groups)
    found = null_space((weights @ person.astype(object)).tolist(), matrix.columns)
    return np.array(found, dtype=np.int64).reshape(-1, matrix.columns)


def is_equivalence(matrix, vector: Vector):
    """Return whether a vector is an equivalence of a series, by definition."""
    entries = np.zeros(matrix.columns, dtype=int)
    entries[vector.columns] = vector.times
    return bool(entries.any()) and not (relations(matrix) @ entries).any()


def agrees(vector: Vector, truth):
    """Return whether both sides of an equivalence have the same true values."""
    held = Counter()
    for column, times in zip(vector.columns, vector.times, strict=True):
        held[truth[column]] += times
    return not any(held.values())


def brute_force(matrix, norm=12):
    """Return the least e of an equivalence of each column, up to half a norm; 0 where there is none up to there."""
    person, _ = dense(matrix)
    columns = [tuple(column) for column in person.T.tolist()]
    kinds = sorted({column for column in columns if any(column)}, key=lambda kind: (columns.count(kind), kind))
    sizes = tuple(columns.count(kind) for kind in kinds)
    merged = np.zeros((len(kinds), len(columns)), dtype=int)
    for at, kind in enumerate(kinds):
        merged[at, [column for column, entries in enumerate(columns) if entries == kind]] = 1
    vectors, halves = candidates(sizes, norm)
    # The numbers are small enough for products of floats to be exact.
    factors = relations(matrix) @ merged.T
    assert np.abs(factors).max(initial=0) < 2**40
    holds = ~(vectors @ factors.T.astype(float)).any(axis=1)
    least = np.zeros(len(kinds), dtype=int)
    for e in range(norm // 2, 0, -1):
        least[vectors[holds & (halves == e)].any(axis=0)] = e
    return least @ merged


@cache
def candidates(sizes, norm):
    """Return all integer vectors over kinds of columns, some of a size, that sum to 0 and have at most a norm.

    One of each pair x and -x, and half the norm of each.
    """
    vectors, used, total = np.zeros((1, 0), dtype=np.int8), np.zeros(1, dtype=int), np.zeros(1, dtype=int)
    for size in sizes:
        most = norm // size
        vectors = np.concatenate([np.insert(vectors, vectors.shape[1], x, axis=1) for x in range(-most, most + 1)])
        used = np.concatenate([used + size * abs(x) for x in range(-most, most + 1)])
        total = np.concatenate([total + size * x for x in range(-most, most + 1)])
        # What is left of the norm must make up for the sum.
        some = used + np.abs(total) <= norm
        vectors, used, total = vectors[some], used[some], total[some]
    first = vectors[np.arange(len(vectors)), np.argmax(vectors != 0, axis=1)] if len(sizes) else np.zeros(1)
    some = (total == 0) & (first > 0)
    return vectors[some].astype(float), used[some] // 2


def searched(matrix, max_e, budget=None, settled=0):
    """What the search for integer vectors finds where nothing is known but that up to an e nothing is."""
    nobody = np.zeros(matrix.columns, dtype=np.int32)
    label = np.where(matrix.present(), np.arange(matrix.columns), -1).astype(np.int32)
    question = SearchQuestion(label, nobody, Witnesses.of(()), settled, max_e)
    return solve(Parts.of(matrix), question, budget or Budget())
