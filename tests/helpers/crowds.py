"""Draw tiny series for reasoning about all people at once.

Nearly everyone is in all releases, in small groups, and few values may follow a value: in many of these series, joint
inference rules out more than the groups of single people do.
"""

from dataclasses import replace

from hypothesis import assume
from hypothesis import strategies as st

from tests.helpers.strategies import (
    COUNTERFEITS,
    NAMES,
    PROBABILITIES,
    VALUES,
    boxed,
    histories,
    transition_tables,
    with_knowledge,
)
from tests.helpers.tiny import Registered, Row, TinySeries
from tests.oracle.worlds import few

KINDS = ["constant", "classes", "steps", "any"]
MOST_WORLDS = 2_000


@st.composite
def classes(draw):
    """Values of one class may follow one another: an equivalence relation, with probabilities or without."""
    kind = {value: draw(st.integers(0, 1)) for value in VALUES}
    weighted = draw(st.booleans())
    return {
        (source, target): draw(st.sampled_from(PROBABILITIES[1:])) if weighted else None
        for source in VALUES
        for target in VALUES
        if kind[source] == kind[target]
    }


@st.composite
def steps(draw):
    """Every value has one or two that may follow it."""
    weighted = draw(st.booleans())
    return {
        (source, target): draw(st.sampled_from(PROBABILITIES[1:])) if weighted else None
        for source in VALUES
        for target in draw(st.lists(st.sampled_from(VALUES), min_size=1, max_size=2, unique=True))
    }


TRANSITIONS = {"constant": st.none(), "classes": classes(), "steps": steps(), "any": transition_tables()}


@st.composite
def crowds(draw, adversary, kind):
    """A series of small groups: nearly everybody is in all of its releases, some leave and return."""
    transitions = draw(TRANSITIONS[kind])
    register = adversary == "register"
    count = draw(st.sampled_from([1, 2, 3, 3] if register else [2, 3, 3]))
    names = NAMES[: draw(st.sampled_from([2, 3, 4, 5] if register else [3, 4, 5, 6]))]
    names = names + draw(st.sampled_from([[], [], COUNTERFEITS[:1]]))
    everywhere = list(range(count))
    people = {}
    for name in names:
        stay = everywhere if draw(st.integers(0, 3)) else sorted(draw(st.sets(st.sampled_from(everywhere), min_size=1)))
        people[name] = draw(histories(stay, transitions))
    releases = [release for j in range(count) if (release := draw(grouped(people, j)))]
    assume(any(row.individual in NAMES for release in releases for row in release))
    series = TinySeries(releases, transitions)
    if register:
        series = draw(fenced(series) if draw(st.integers(0, 3)) else boxed(series))
    if draw(st.integers(0, 2)) == 0:
        series = draw(with_knowledge(series, adversary))
    assume(few(series, adversary, MOST_WORLDS))
    return series


@st.composite
def grouped(draw, people, j):
    """One release: groups of two to four rows, with or without a counterfeit that has no identity."""
    rows = [(name, history[j]) for name, history in people.items() if j in history]
    if not rows:
        return []
    rows += [(None, value) for value in draw(st.sampled_from([[], [], [VALUES[0]], VALUES[:2]]))]
    rows, release, group = draw(st.permutations(rows)), [], 0
    while rows:
        size = draw(st.sampled_from([2, 3, 3, 4]))
        release += [Row(name, str(group), value) for name, value in rows[:size]]
        rows, group = rows[size:], group + 1
    return release


@st.composite
def fenced(draw, series):
    """The same with cells that list whom they cover, so that any groups may be those of a person."""
    people = series.people()
    listed = people if draw(st.integers(0, 3)) else people[: draw(st.integers(1, len(people)))]
    releases = []
    for release in series.releases:
        cells = {}
        for group in sorted({row.group for row in release}):
            inside = {row.individual for row in release if row.group == group and row.individual in people}
            inside |= set(draw(st.lists(st.sampled_from(people), max_size=1)))
            cells[group] = ("{" + ", ".join(sorted(inside or {people[0]})) + "}",)
        releases.append([replace(row, cells=cells[row.group]) for row in release])
    lines = [Registered(name, j, (name,)) for name in listed for j in series.presence(name)]
    return replace(series, releases=releases, register=lines, quasi_identifiers=("Name",), keyed=draw(st.booleans()))
