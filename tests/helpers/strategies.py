"""Ways to draw tiny series: at most 6 people, 3 releases, 4 values, groups of at most 4 rows.

People come, go and return; some rows are counterfeits, with and without identity.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

from hypothesis import strategies as st

from tests.helpers.tiny import Known, Registered, Row, TinySeries, Transitions

NAMES = ["p0", "p1", "p2", "p3", "p4", "p5"]
COUNTERFEITS = ["~c1", "~c2"]
VALUES = ["a", "b", "c", "d"]
UNPUBLISHED = "z"
CITIES = ["x", "y", "z"]
PROBABILITIES = [Fraction(numerator, 20) for numerator in (0, 1, 5, 10, 13, 20)]

History = Mapping[int, str]


@st.composite
def transition_tables(draw) -> Transitions:
    """Reflexive or not, with probabilities (0 among them), without, or with them for some values only."""
    kind = draw(st.sampled_from(["none", "all", "some"]))
    reflexive = draw(st.booleans())
    table: dict[tuple[str, str], Fraction | None] = {}
    for source in VALUES:
        targets = draw(st.sets(st.sampled_from([*VALUES, UNPUBLISHED]), min_size=1, max_size=4))
        weighted = kind == "all" or (kind == "some" and draw(st.booleans()))
        for target in sorted(targets | ({source} if reflexive else set())):
            table[source, target] = draw(st.sampled_from(PROBABILITIES)) if weighted else None
    return table


@st.composite
def stays(draw, count: int) -> list[int]:
    """The releases in which someone is present, gaps included."""
    return sorted(draw(st.sets(st.integers(0, count - 1), min_size=1)))


@st.composite
def histories(draw, stay: list[int], transitions: Transitions | None) -> History:
    """Values along the transitions; a stay ends early where no published value may follow."""
    rule = TinySeries((), transitions)
    history = {stay[0]: draw(st.sampled_from(VALUES))}
    for before, after in pairwise(stay):
        allowed = [value for value in VALUES if rule.step(history[before], value)]
        if not allowed:
            break
        history[after] = draw(st.sampled_from(allowed))
    return history


@st.composite
def published(draw, people: Mapping[str, History], count: int, max_strays: int = 2) -> list[list[Row]]:
    """Draw releases of these people, in new groups each time; empty releases are left out."""
    releases = []
    for j in range(count):
        rows = [(name, history[j]) for name, history in people.items() if j in history]
        strays = draw(st.lists(st.sampled_from(VALUES), max_size=max_strays))
        rows = draw(st.permutations(rows + [(None, value) for value in strays] * bool(rows)))
        group, release = 0, []
        while rows:
            size = draw(st.integers(1, 4))
            release += [Row(name, str(group + 1), value) for name, value in rows[:size]]
            rows, group = rows[size:], group + 1
        if release:
            releases.append(release)
    return releases


@st.composite
def linked_series(
    draw, *, changing: bool = False, known: bool = False, max_people: int = 6, max_releases: int = 3
) -> TinySeries:
    """A series with its key; with `changing` along transitions, with `known` some true values given away."""
    transitions = draw(transition_tables()) if changing else None
    count = draw(st.integers(1, max_releases))
    names = NAMES[: draw(st.integers(1, max_people))] + draw(st.sampled_from([[], [], COUNTERFEITS[:1]]))
    people = {name: draw(histories(draw(stays(count)), transitions)) for name in names}
    series = TinySeries(draw(published(people, count)), transitions)
    return draw(with_knowledge(series)) if known else series


@st.composite
def with_knowledge(draw, series: TinySeries, adversary: str = "linked") -> TinySeries:
    """Return the same series with an adversary who knows some people's values."""
    lines = []
    for person in draw(st.lists(st.sampled_from(series.people(adversary)), min_size=1, max_size=3, unique=True)):
        stay = series.presence(person, adversary)
        constant = len({series.row(person, j).value for j in stay}) == 1
        if constant and draw(st.booleans()):
            lines.append(Known(person, series.row(person, stay[0]).value))
            continue
        at_most = None if series.transitions is not None else 1
        chosen = draw(st.lists(st.sampled_from(stay), min_size=1, max_size=at_most, unique=True))
        lines += [Known(person, series.row(person, j).value, j) for j in chosen]
    return replace(series, known=lines)


@st.composite
def register_series(
    draw, *, changing: bool = False, known: bool = False, max_people: int = 6, max_releases: int = 3
) -> TinySeries:
    """A series seen by an adversary with a register, published with or without its key."""
    series = draw(linked_series(changing=changing, max_people=max_people, max_releases=max_releases))
    series = draw(boxed(series))
    return draw(with_knowledge(series, "register")) if known else series


@st.composite
def boxed(draw, series: TinySeries, *, alike: bool = False) -> TinySeries:
    """Give rows cells that cover their people, and often others, and register some of these people.

    `alike` says that all rows of a group have the same cells.
    """
    width = draw(st.integers(1, 2))
    moving = draw(st.booleans())
    exact: dict[tuple[str, int], tuple[str, ...]] = {}
    for person in series.people():
        stay = series.presence(person)
        for j in stay:
            if moving or j == stay[0]:
                exact[person, j] = draw(_quasi_identifiers(width))
            else:
                exact[person, j] = exact[person, stay[0]]
    braces = draw(st.booleans())
    releases = [
        draw(_covered(release, j, exact, braces=braces, alike=alike)) for j, release in enumerate(series.releases)
    ]
    listed = draw(st.lists(st.sampled_from(series.people()), min_size=1, unique=True))
    lines = [Registered(person, j, exact[person, j]) for person in listed for j in series.presence(person)]
    drawn = replace(
        series, releases=releases, register=lines, quasi_identifiers=("Age", "City")[:width], keyed=draw(st.booleans())
    )
    return in_braces(drawn)


def in_braces(series: TinySeries) -> TinySeries:
    """Write a city that nobody in the register has as a set of one: as a text it might be a range that was not read."""
    own = {line.exact[1] for line in series.register or () if len(line.exact) == 2}

    def written(cell: str) -> str:
        return f"{{{cell}}}" if cell in CITIES and cell not in own else cell

    releases = [[replace(row, cells=tuple(map(written, row.cells))) for row in release] for release in series.releases]
    return replace(series, releases=releases)


@st.composite
def classed_series(
    draw, *, changing: bool = False, known: str = "", max_people: int = 6, max_releases: int = 3
) -> TinySeries:
    """A series whose groups have rows with different cells, in tables or Anatomy pairs, with or without counterfeits.

    It has a register and, mostly, a key; `known` is the adversary to whom some true values are given away.
    """
    series = draw(linked_series(changing=changing, max_people=max_people, max_releases=max_releases))
    series = draw(boxed(series))
    fakes = [
        {group: sum(_is_fake(row) for row in release if row.group == group) for group in _groups(release)}
        for release in series.releases
    ]
    told = draw(st.booleans())
    series = replace(
        series, anatomy=draw(st.booleans()), counterfeits=fakes if told else (), keyed=series.keyed or known == "linked"
    )
    return draw(with_knowledge(series, known)) if known else series


def _is_fake(row: Row) -> bool:
    return row.individual is None or row.individual.startswith("~")


def _groups(release: Sequence[Row]) -> list[str]:
    return sorted({row.group for row in release})


@st.composite
def contradictory_series(draw, *, changing: bool = False) -> TinySeries:
    """A series in which p0's own values do what the adversary takes to be impossible."""
    count = draw(st.integers(2, 3))
    old, new = draw(st.permutations(VALUES))[:2]
    transitions = None
    if changing:
        new = draw(st.sampled_from(VALUES))
        transitions = {pair: weight for pair, weight in draw(transition_tables()).items() if pair != (old, new)}
        if not any(source == old for source, _ in transitions):
            transitions[old, UNPUBLISHED] = None
    names = NAMES[: draw(st.integers(1, len(NAMES)))]
    people = {name: draw(histories(draw(stays(count)), transitions)) for name in names}
    stay = sorted(draw(st.sets(st.integers(0, count - 1), min_size=2)))
    break_at = draw(st.integers(1, len(stay) - 1))
    people["p0"] = {j: draw(st.sampled_from(VALUES)) for j in stay}
    people["p0"] |= {stay[break_at - 1]: old, stay[break_at]: new}
    return TinySeries(draw(published(people, count)), transitions)


@st.composite
def invariant_series(draw) -> tuple[TinySeries, int]:
    """An m-invariant series and its m: everyone keeps one signature, groups hold each of its values once."""
    m = draw(st.integers(2, 3))
    count = draw(st.integers(1, 3))
    signatures = {
        name: draw(st.permutations(VALUES).map(lambda order: tuple(order[:m])))
        for name in NAMES[: draw(st.integers(1, 6))]
    }
    present = {name: draw(stays(count)) for name in signatures}
    releases = []
    for j in range(count):
        buckets: dict[frozenset[str], dict[str, list[str]]] = {}
        for name, signature in signatures.items():
            if j in present[name]:
                bucket = buckets.setdefault(frozenset(signature), {value: [] for value in signature})
                bucket[signature[0]].append(name)
        release, group = [], 0
        for bucket in buckets.values():
            for i in range(max(map(len, bucket.values()))):
                group += 1
                owners = [(value, names[i : i + 1] or [None]) for value, names in sorted(bucket.items())]
                release += [Row(names[0], str(group), value) for value, names in owners]
        if release:
            releases.append(release)
    return TinySeries(releases), m


@st.composite
def _quasi_identifiers(draw, width: int) -> tuple[str, ...]:
    return (str(draw(st.integers(20, 29))), draw(st.sampled_from(CITIES)))[:width]


@st.composite
def _covered(
    draw, release: list[Row], j: int, exact: dict[tuple[str, int], tuple[str, ...]], *, braces: bool, alike: bool
):
    """Rows with cells: one box per group, one or two, or each row its own."""
    boxes: dict[object, tuple[str, ...]] = {}
    most = 1 if alike else draw(st.sampled_from([1, 2, len(release)]))
    part = [draw(st.integers(1, most)) if most == 2 else place % most for place in range(len(release))]
    rows = []
    for row, own in zip(release, part, strict=True):
        mates = zip(release, part, strict=True)
        owners = [other for other, its in mates if (other.group, its) == (row.group, own)]
        inside = [exact[other.individual, j] for other in owners if (other.individual, j) in exact]
        inside = inside or [draw(_quasi_identifiers(len(next(iter(exact.values())))))]
        if (row.group, own) not in boxes:
            boxes[row.group, own] = draw(_cells(inside, braces))
        rows.append(replace(row, cells=boxes[row.group, own]))
    return rows


@st.composite
def _cells(draw, inside: list[tuple[str, ...]], braces: bool) -> tuple[str, ...]:
    """Cells that cover all of these, in one of the notations that releases use."""
    ages = [int(exact[0]) for exact in inside]
    low, high = min(ages) - draw(st.integers(0, 3)), max(ages) + draw(st.integers(0, 3))
    forms = [f"[{low}, {high}]", f"[{low}-{high}]", f"{low}-{high}", f"[{low}, {high + 1}[", f"({low - 1}, {high}]"]
    forms += [f">={low}", f"<{high + 1}", "*"] + [str(low)] * (low == high)
    cells = [draw(st.sampled_from(forms))]
    if len(inside[0]) == 2:
        cities = sorted({exact[1] for exact in inside} | draw(st.sets(st.sampled_from(CITIES), max_size=1)))
        listed = "{" + ", ".join(cities) + "}" if braces else ",".join(cities)
        cells.append(draw(st.sampled_from(["*", listed])))
    return tuple(cells)


@st.composite
def people_series(draw, adversary: str, *, changing: bool):
    """A series whose people are known by a key or a register, with values known beforehand or without."""
    if adversary == "register":
        return draw(classed_series(changing=changing, known=draw(st.sampled_from(["", "register"]))))
    return draw(linked_series(changing=changing, known=draw(st.booleans())))
