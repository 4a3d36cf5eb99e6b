"""Local disclosure: whose values follow from whose, once one of them becomes known."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attacks.equivalence.field import Field, Residues, multiplied
from attacks.equivalence.fingerprint import fingerprint
from attacks.matrix import Matrix
from audit.model.arrays import Codes
from audit.runtime.budget import Budget


@dataclass(frozen=True, slots=True)
class LocalDisclosure:
    """Who falls together.

    Attributes:
        label: by column, its class of columns whose values all follow from the value of any one of them; -1 where the
            value is pinned already, or the column in no group; shape (columns,), int32.
        falls: by column, how many further individuals' values follow when its value becomes known; shape (columns,),
            int32.
    """

    label: Codes
    falls: Codes


def local_disclosure(matrix: Matrix, rng: np.random.Generator, budget: Budget) -> LocalDisclosure | None:
    """Return who falls with whom by linear reasoning, or None when the budget is spent.

    The value of j follows from that of i exactly when e_j - a e_i is a combination of groups for some rational a: then
    g_j = a g_i for all solutions of S g = 0, and only then. Two random solutions modulo a prime tell, up to a vanishing
    chance: their ratio is the same at i and j. It does no harm that a is a number of the prime field: the solutions
    have a rational basis, on which e_i and e_j are two rational vectors. Whether these are multiples of each other does
    not depend on the field, but for primes that divide one of their minors; over the rationals, a is rational too.
    Where the solutions are 0 the value is pinned.

    Source: equivalence paper, Section I ("localized disclosures become global"), and Definition 10 for the reasoning.
    """
    first = fingerprint(matrix, rng, budget, homogeneous=True)
    second = None if first is None else fingerprint(matrix, rng, budget, homogeneous=True, field=first.field)
    if first is None or second is None:
        return None
    there = np.zeros(matrix.columns, dtype=np.bool_)
    there[matrix.member] = True
    loose = np.flatnonzero(there & (first.of != 0) & (second.of != 0))
    ratio = multiplied(first.of[loose], inverses(second.of[loose], first.field), first.field)
    kinds, place = np.unique(ratio, return_inverse=True)
    label = np.full(matrix.columns, -1, dtype=np.int32)
    label[loose] = place
    individual = matrix.individual[loose]
    people = np.bincount(place[individual], minlength=len(kinds))
    falls = np.zeros(matrix.columns, dtype=np.int32)
    falls[loose] = people[place] - individual
    return LocalDisclosure(label, falls)


def inverses(numbers: Residues, field: Field) -> Residues:
    """Return the inverses of numbers other than 0 modulo the prime; shape (n,).

    Products of pairs are inverted first, down to a single number: three products for each.

    >>> field, numbers = Field.of(2**57 - 13), np.array([2, 3, 5], dtype=np.uint64)
    >>> multiplied(inverses(numbers, field), np.array([4, 3, 5], dtype=np.uint64), field).tolist()
    [2, 1, 1]
    """
    if len(numbers) < 2:
        return np.array([pow(int(number), -1, int(field.prime)) for number in numbers], dtype=np.uint64)
    half = len(numbers) // 2
    left, right, odd = numbers[:half], numbers[half : 2 * half], numbers[2 * half :]
    both = inverses(multiplied(left, right, field), field)
    return np.concatenate([multiplied(both, right, field), multiplied(both, left, field), inverses(odd, field)])
