"""Series for the kernels of large networks: with many values, of many parts, of many people."""

from dataclasses import replace
from fractions import Fraction
from itertools import zip_longest

import numpy as np
from hypothesis import strategies as st

from tests.helpers.crowds import crowds
from tests.helpers.tiny import Row, TinySeries


@st.composite
def filled(draw, adversary, kind):
    """A crowd, often beside many values that others have, so that sets of values take several words."""
    series = draw(crowds(adversary, kind))
    count = draw(st.sampled_from([0, 61, 62, 63, 127]))
    first = draw(st.booleans())  # whether their values come before the others
    names = [f"f{number:03}" for number in range(count)]
    cells = tuple({"Age": "[90, 99]"}.get(name, "{nobody}") for name in series.quasi_identifiers)
    rows = [Row(name, f"!{name}", f"w{name}", cells) for name in names]
    here = list(series.releases[0])
    transitions = series.transitions
    if transitions is not None:
        transitions = {**transitions, **{(row.value, row.value): None for row in rows}}
    releases = [rows + here if first else here + rows, *series.releases[1:]]
    return replace(series, releases=releases, transitions=transitions)


def beside(*all_series):
    """Several series as one, with nothing in common but their values."""

    def other(name, number):
        return None if name is None else f"{name}-{number}"

    releases = [
        [
            replace(row, individual=other(row.individual, number), group=other(row.group, number))
            for number, release in enumerate(each)
            for row in release
        ]
        for each in zip_longest(*(series.releases for series in all_series), fillvalue=())
    ]
    known = [
        replace(line, individual=other(line.individual, number))
        for number, series in enumerate(all_series)
        for line in series.known
    ]
    return TinySeries(releases, all_series[0].transitions, known=known)


def drawn_at_random(seed, *, people, releases, values, size, distinct, table):
    """A series of some hundred people who come, go and return, in groups drawn afresh each time."""
    rng = np.random.default_rng(seed)
    names = [f"p{number}" for number in range(people)]
    value = {name: int(rng.integers(values)) for name in names}
    follow = TRANSITIONS[table](values)
    published = []
    for _ in range(releases):
        present = [name for name in names if rng.random() < 0.85] or names
        if follow is not None:  # whoever is away has no version to go on from
            value |= {name: int(rng.choice([b for a, b in follow if a == value[name]])) for name in present}
        rng.shuffle(present)
        published.append(_groups(present, value, size, distinct=distinct))
    transitions = None if follow is None else {(f"v{a}", f"v{b}"): weight for (a, b), weight in follow.items()}
    return TinySeries(published, transitions)


def _groups(present, value, size, *, distinct):
    groups: list[list[str]] = []
    for name in present:
        fits = (
            group
            for group in groups
            if len(group) < size and not (distinct and value[name] in {value[other] for other in group})
        )
        group = next(fits, None)
        if group is None:
            groups.append(group := [])
        group.append(name)
    return [Row(name, str(number), f"v{value[name]}") for number, group in enumerate(groups) for name in group]


TRANSITIONS = {
    "constant": lambda values: None,
    "classes": lambda values: {(a, b): None for a in range(values) for b in range(values) if a // 2 == b // 2},
    "steps": lambda values: {(a, b % values): None for a in range(values) for b in (a, a + 1)},
    "weighted": lambda values: {
        (a, b % values): Fraction(part, 4) for a in range(values) for b, part in ((a, 3), (a + 1, 1))
    },
}
