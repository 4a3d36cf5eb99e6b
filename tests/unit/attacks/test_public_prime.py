"""A series made for one prime: its weights have that prime for denominator, and arithmetic modulo it misses them.

Fibonacci's numbers f(n + 2) = f(n) + f(n + 1) are built by two groups each, whose members are f(n) and f(n + 1) "times"
f(0); one more group has the members whose sum is the prime times f(0), by its expansion to the golden ratio. So the
group's values show what f(0) has, and `a` and `b`, whose difference f(0) is taken from, have the same value.
"""

from decimal import Decimal, localcontext

import numpy as np
import pytest

from attacks.equivalence.field import Field
from attacks.equivalence.fingerprint import classes, fingerprint, pinned
from attacks.equivalence.strategy import judge
from audit.runtime.budget import Budget
from tests.helpers.equivalences import Plan, matrix_of

PUBLIC, OTHER = 2**57 - 13, 2**55 + 3


def fibonacci(n):
    one, other = 0, 1
    for _ in range(abs(n)):
        one, other = other, one + other
    return one if n >= 0 or n % 2 else -one


def expansion(number):
    """Return exponents whose powers of the golden ratio sum to a number."""
    with localcontext() as context:
        context.prec = 200
        ratio = (1 + Decimal(5).sqrt()) / 2
        whole, times, exponents, n = number, 0, [], 400
        while (whole, times) != (0, 0):
            while ratio**n > whole + times * ratio + Decimal(10) ** -90:
                n -= 1
            whole, times = whole - fibonacci(n - 1), times - fibonacci(n)
            exponents.append(n)
    return exponents


def series(prime, *, with_sum=True):
    """Return the matrix of the series made for a prime, and who `a`, `b` and f(0) are."""
    exponents = expansion(prime)
    low, high = min(exponents), max(exponents)
    groups = [["a", "na"], ["f0", "b", "na"]]
    for n in range(low, high - 1):
        groups += [[f"f{n}", f"f{n + 1}", f"g{n + 2}"], [f"g{n + 2}", f"f{n + 2}"]]
    if with_sum:
        groups.append([f"f{n}" for n in exponents])
    people = sorted({member for group in groups for member in group})
    code = {name: place for place, name in enumerate(people)}
    values = np.random.default_rng(7).integers(0, 6, len(people)).tolist()
    values[code["b"]] = values[code["a"]]
    releases = []
    for group in groups:
        members = {code[name] for name in group}
        free = next((release for release in releases if not any(members & set(other) for other, _ in release)), None)
        if free is None:
            releases.append(free := [])
        free.append((sorted(members), []))
    return matrix_of(Plan(values, releases))[0], [code[name] for name in ("a", "b", "f0")]


@pytest.mark.parametrize("prime", [PUBLIC, OTHER])
def test_a_known_prime_can_be_made_harmful(prime):
    """The case is what it claims to be: modulo its own prime nothing is seen, modulo another one everything."""
    matrix, (a, b, start) = series(prime)
    for modulus in (PUBLIC, OTHER):
        numbers = fingerprint(matrix, np.random.default_rng(1), Budget(), field=Field.of(modulus))
        label = classes(matrix, numbers)
        assert (label[a] == label[b]) == (modulus != prime)
        assert (pinned(matrix, numbers)[start] >= 0) == (modulus != prime)


@pytest.mark.parametrize("prime", [PUBLIC, OTHER])
def test_no_prime_is_known_beforehand(prime):
    matrix, (a, b, start) = series(prime)
    found = judge(matrix, 1, Budget())
    assert found.label[a] == found.label[b]
    assert found.pinned[start] >= 0
    assert (found.lower, found.upper, found.exact) == (1, 1, True)
