"""Many small series as one: disjoint people, groups and quasi-identifiers, so that what is certain of each stays so."""

import re
from collections.abc import Sequence

from tests.helpers.tiny import Registered, Row, TinySeries

NUMBER = re.compile(r"\d+")
APART = 10
"""How far the quasi-identifiers of two parts, numbers from 0 on, are from each other."""


def union(parts: Sequence[TinySeries], *, own_values: bool = False) -> TinySeries:
    """Return one series that has all rows of these.

    Args:
        parts: Series of as many releases, of one kind.
        own_values: Whether each has values of its own. Where it has not, groups of two parts may have equal values,
            which ties them for whoever reasons about groups; people are tied by no world.
    """
    first = parts[0]
    names = [_Names(number, own_values=own_values) for number in range(len(parts))]
    return TinySeries(
        [
            [name.row(row) for name, part in zip(names, parts, strict=True) for row in part.releases[j]]
            for j in range(len(first.releases))
        ],
        None
        if first.transitions is None
        else {
            (name.value(a), name.value(b)): chance
            for name, part in zip(names, parts, strict=True)
            for (a, b), chance in (part.transitions or {}).items()
        },
        register=None
        if first.register is None
        else [name.line(line) for name, part in zip(names, parts, strict=True) for line in part.register or ()],
        quasi_identifiers=first.quasi_identifiers,
        keyed=first.keyed,
        anatomy=first.anatomy,
        counterfeits=[
            {
                f"{name.prefix}{group}": count
                for name, part in zip(names, parts, strict=True)
                for group, count in part.counterfeits[j].items()
            }
            for j in range(len(first.counterfeits))
        ],
    )


class _Names:
    """What people, groups, cells and values of one part are called in the union."""

    def __init__(self, number: int, *, own_values: bool) -> None:
        self.prefix = f"s{number}"
        self._values = self.prefix if own_values else ""
        self._first = number * APART

    def row(self, row: Row) -> Row:
        return Row(
            row.individual and self.prefix + row.individual,
            self.prefix + row.group,
            self.value(row.value),
            tuple(map(self._cell, row.cells)),
        )

    def line(self, line: Registered) -> Registered:
        return Registered(self.prefix + line.individual, line.release, tuple(map(self._cell, line.exact)))

    def value(self, value: str) -> str:
        return self._values + value

    def _cell(self, cell: str) -> str:
        return NUMBER.sub(lambda found: str(self._first + int(found[0])), cell)
