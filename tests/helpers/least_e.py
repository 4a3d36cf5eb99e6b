"""The least equivalence of a few groups, by trying all sides: an oracle that knows nothing of buckets or cuts.

x is an equivalence exactly when (x, 0) is a combination of the rows (members, values) of the groups, that is when it is
orthogonal to whatever is orthogonal to all rows. One random such vector, over a large prime field, is enough: it is
orthogonal to nothing else but by a chance of about 1 in 10**18. So each member has a number, and two sides are
equivalent when their numbers add up to the same.
"""

import random
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from itertools import combinations_with_replacement

from flint import nmod_mat

PRIME = (1 << 61) - 1
Group = tuple[Sequence[Hashable], Sequence[Hashable]]


def least_e(groups: Iterable[Group], limit: int) -> int | None:
    """The least e up to a limit, None where there is none; of each group its members and its values."""
    groups = list(groups)
    column: dict[tuple[str, Hashable], int] = {}
    rows = []
    for members, values in groups:
        named = [("member", member) for member in members] + [("value", value) for value in values]
        rows.append(Counter(column.setdefault(name, len(column)) for name in named))
    told = _orthogonal(rows, len(column))
    numbers = [told[place] for (kind, _), place in column.items() if kind == "member"]
    for e in range(1, limit + 1):
        sides: dict[int, tuple[int, ...]] = {}
        for side in combinations_with_replacement(range(len(numbers)), e):
            total = sum(numbers[place] for place in side) % PRIME
            if sides.setdefault(total, side) != side:
                return e
    return None


def _orthogonal(rows: list[Counter[int]], size: int) -> list[int]:
    """A random vector orthogonal to some rows, over the prime field."""
    entries = [row[place] for row in rows for place in range(size)]
    basis, width = nmod_mat(len(rows), size, entries, PRIME).nullspace()
    draw = random.Random(1)  # noqa: S311 - it hides nothing
    times = [draw.randrange(PRIME) for _ in range(width)]
    return [sum(int(basis[place, at]) * times[at] for at in range(width)) % PRIME for place in range(size)]
