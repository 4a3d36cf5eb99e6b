"""Every principle beside its definition, spelt out over Python objects, on random tiny series in all their forms.

A cell is here the set of exact values that it covers, in a domain fine enough to tell all drawn cells apart.
"""

import csv
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import assume, event, given
from hypothesis import strategies as st

from audit.io.series import open_series
from audit.principles.principle import checked
from audit.principles.registry import PRINCIPLES, find
from tests.helpers.strategies import NAMES, VALUES, invariant_series
from tests.helpers.tiny import covers

AGES = ["*", "[20, 29]", "[20, 24]", "[25, 29]", "{20, 22}", "20", "[20, 21[", ">=25"]
CITIES = ["*", "{x, y}", "x", "y", "{z}"]
DOMAIN = [f"{half / 2:g}" for half in range(30, 80)], ["x", "y", "z", "w"]
EXACT = ["20", "21", "22"], ["x", "y"]
SHOWN = 5


@dataclass(frozen=True)
class Line:
    """One row: whose it is (None: a counterfeit without identity), its record id, and what is published."""

    who: str | None
    record: str
    group: str
    cells: tuple[str, ...]
    values: tuple[str, ...]
    count: int = 1


@dataclass(frozen=True)
class Form:
    """A series and how it is written; `counterfeits` are published by release and group.

    `updates` are the candidate update sets; without them values never change.
    """

    releases: Sequence[Sequence[Line]]
    width: int
    sensitive: int
    key: str
    record: bool
    group: bool
    counted: bool
    anatomy: bool
    counterfeits: Sequence[dict[str, int]]
    updates: Mapping[str, frozenset[str]] | None = None


@dataclass(frozen=True)
class Broken:
    """An offence by definition: the release and row where it is first seen (row -1: none), groups, who shows it."""

    clause: str
    release: int
    row: int
    groups: tuple[str, ...] = ()
    who: tuple[str, ...] = ()


# -- the definitions ----------------------------------------------------------------------------------------------


def extent(cells: Sequence[str]) -> tuple[frozenset[str], ...]:
    """What the cells of a row cover, attribute by attribute."""
    return tuple(
        frozenset(exact for exact in domain if covers(cell, exact)) for cell, domain in zip(cells, DOMAIN, strict=False)
    )


def group_of(series: Form, release: int, line: Line) -> str:
    """The group, which is a class of equal cells where none is published."""
    if series.group:
        return line.group
    seen = list(dict.fromkeys(extent(other.cells) for other in series.releases[release]))
    return str(seen.index(extent(line.cells)) + 1)


def groups(series: Form, release: int) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for row, line in enumerate(series.releases[release]):
        found.setdefault(group_of(series, release, line), []).append(row)
    return found


def value_groups(series: Form, release: int) -> dict[str, list[int]]:
    """What publishes values together: in a plain table the rows of a group with equal cells."""
    lines, found = series.releases[release], dict[str, list[int]]()
    for group, rows in groups(series, release).items():
        kinds = list(dict.fromkeys(extent(lines[row].cells) for row in rows))
        for row in rows:
            number = kinds.index(extent(lines[row].cells)) + 1
            alone = series.anatomy or len(kinds) == 1
            found.setdefault(group if alone else f"{group}#{number}", []).append(row)
    return found


def value_group_of(series: Form, release: int, row: int) -> str:
    return next(name for name, rows in value_groups(series, release).items() if row in rows)


def is_person(line: Line) -> bool:
    return line.who is not None and not line.who.startswith("~")


def may_be_few(series: Form, release: int, group: str, rows: list[int], members: list[int], k: int) -> bool:
    """Whether some way of choosing the group's counterfeits leaves the class with somebody, but fewer than k."""
    lines = series.releases[release]
    if series.key != "nowhere":
        return 0 < sum(lines[row].count for row in members if is_person(lines[row])) < k
    slots = [row for row in rows for _ in range(lines[row].count)]
    fake = series.counterfeits[release].get(group, 0)
    return any(
        0 < sum(slots[place] in members for place in range(len(slots)) if place not in chosen) < k
        for chosen in combinations(range(len(slots)), fake)
    )


def suppressed(series: Form, lines: Sequence[Line], rows: list[int]) -> bool:
    """Whether rows say `*` everywhere, where nothing but their cells puts them into a class, and others do not."""
    alone = not (series.group or series.record) and series.width > 0
    stars = [not any(cell.strip("*") for cell in line.cells) for line in lines]
    return alone and all(stars[row] for row in rows) and not all(stars)


def k_anonymity(series: Form, k: int) -> Iterator[Broken]:
    for j, lines in enumerate(series.releases):
        for group, rows in groups(series, j).items():
            for cells in {extent(lines[row].cells) for row in rows}:
                members = [row for row in rows if extent(lines[row].cells) == cells]
                if suppressed(series, lines, members):
                    continue
                if may_be_few(series, j, group, rows, members, k):
                    yield Broken(f"classes of fewer than {k} people", j, members[0], (group,))


def suffix(series: Form, attribute: int) -> str:
    return f" of Value{attribute}" if series.sensitive > 1 else ""


def bag(series: Form, release: int, rows: list[int], attribute: int) -> list[str]:
    lines = series.releases[release]
    return [lines[row].values[attribute] for row in rows for _ in range(lines[row].count)]


def l_diversity(series: Form, l: int) -> Iterator[Broken]:  # noqa: E741
    for j in range(len(series.releases)):
        for group, rows in value_groups(series, j).items():
            for attribute in range(series.sensitive):
                values = bag(series, j, rows, attribute)
                if any(values.count(value) / len(values) > 1 / l + 1e-9 for value in values):
                    clause = f"groups with a value in more than 1/{l} of their rows" + suffix(series, attribute)
                    yield Broken(clause, j, rows[0], (group,))


def m_unique(series: Form, m: int) -> Iterator[Broken]:
    for j, lines in enumerate(series.releases):
        for group, rows in value_groups(series, j).items():
            if sum(lines[row].count for row in rows) < m:
                yield Broken(f"groups of fewer than {m} rows", j, rows[0], (group,))
            for attribute in range(series.sensitive):
                values = bag(series, j, rows, attribute)
                if any(one == other for one, other in combinations(values, 2)):
                    yield Broken("groups with a repeated value" + suffix(series, attribute), j, rows[0], (group,))


def m_invariance(series: Form, m: int) -> Iterator[Broken]:
    yield from m_unique(series, m)
    for attribute in range(series.sensitive):
        hosting: dict[str, list[set[str]]] = {}
        for j, lines in enumerate(series.releases):
            hosts = value_groups(series, j)
            for row, line in enumerate(lines):
                if line.who is not None:
                    group = value_group_of(series, j, row)
                    signature = set(bag(series, j, hosts[group], attribute))
                    hosting.setdefault(line.who, []).append(signature)
                    if signature != hosting[line.who][0]:
                        clause = "people in a group of other values than before" + suffix(series, attribute)
                        yield Broken(clause, j, row, (group,), (line.who,))


def candidate_update_set(series: Form, value: str) -> frozenset[str]:
    return frozenset([value]) if series.updates is None else series.updates[value]


def is_legal_update_instance(values: set[str], signature: list[frozenset[str]]) -> bool:
    return (
        len(values) == len(signature)
        and all(any(value in cus for cus in signature) for value in values)
        and all(any(value in cus for value in values) for cus in signature)
    )


def m_distinct(series: Form, m: int) -> Iterator[Broken]:
    yield from m_unique(series, m)
    for attribute in range(series.sensitive):
        signatures: dict[str, list[frozenset[str]]] = {}
        for j, lines in enumerate(series.releases):
            for row, line in enumerate(lines):
                if line.who is not None:
                    group = value_group_of(series, j, row)
                    values = bag(series, j, value_groups(series, j)[group], attribute)
                    if line.who in signatures and not is_legal_update_instance(set(values), signatures[line.who]):
                        clause = "people whose group is not a legal update instance of their last group"
                        yield Broken(clause + suffix(series, attribute), j, row, (group,), (line.who,))
                    signatures[line.who] = [candidate_update_set(series, value) for value in values]


def m_distinct_star(series: Form, m: int) -> Iterator[Broken]:
    yield from m_distinct(series, m)
    for attribute in range(series.sensitive):
        seen: set[str | None] = {None}
        for j, lines in enumerate(series.releases):
            for row, line in enumerate(lines):
                if line.who not in seen:
                    group = value_group_of(series, j, row)
                    values = bag(series, j, value_groups(series, j)[group], attribute)
                    signature = [candidate_update_set(series, value) for value in values]
                    if any(one & other for one, other in combinations(signature, 2)):
                        clause = "people first in a group of values that may become the same"
                        yield Broken(clause + suffix(series, attribute), j, row, (group,), (str(line.who),))
                    seen.add(line.who)


def linked(series: Form, line: Line) -> str | None:
    """By what a row is followed over the releases, if it is."""
    if series.key == "nowhere":
        return line.record
    return line.who if is_person(line) else None


def monotonic(series: Form, k: int) -> Iterator[Broken]:
    yield from k_anonymity(series, k)
    for j in range(1, len(series.releases)):
        old, new = (
            {linked(series, line): row for row, line in enumerate(series.releases[i]) if linked(series, line)}
            for i in (j - 1, j)
        )
        before, now = ([extent(line.cells) for line in series.releases[i]] for i in (j - 1, j))
        for who in old.keys() - new.keys():
            yield Broken("people missing", j, -1, (), (who,))
        both = sorted(old.keys() & new.keys(), key=new.__getitem__)
        names = [group_of(series, j, line) for line in series.releases[j]]
        for who in both:
            inside = (b <= a for a, b in zip(before[old[who]], now[new[who]], strict=True))
            if not all(inside):
                clause = "people whose cells do not lie within their older ones"
                yield Broken(clause, j, new[who], (names[new[who]],), (who,))
        pairs = [
            (one, other)
            for one, other in combinations(both, 2)
            if before[old[one]] != before[old[other]] and now[new[one]] == now[new[other]]
        ]
        for cells in {now[new[one]] for one, _ in pairs}:
            one, other = min((pair for pair in pairs if now[new[pair[0]]] == cells), key=lambda p: [new[w] for w in p])
            both_groups = tuple(dict.fromkeys((names[new[one]], names[new[other]])))
            clause = "classes that join people of different older cells"
            yield Broken(clause, j, new[one], both_groups, (one, other))


DEFINITIONS: dict[str, Callable[[Form, int], Iterator[Broken]]] = {
    "k-anonymity": k_anonymity,
    "l-diversity": l_diversity,
    "m-unique": m_unique,
    "m-invariance": m_invariance,
    "m-distinct": m_distinct,
    "m-distinct-star": m_distinct_star,
    "monotonic": monotonic,
}


# -- drawing ------------------------------------------------------------------------------------------------------


@st.composite
def forms(draw, *, follow: bool = False) -> Form:
    """A series of some form; with `follow`, one whose people can be followed and have quasi-identifiers."""
    anatomy, counted = draw(st.sampled_from([(False, False), (False, False), (False, True), (True, False)]))
    key = draw(st.sampled_from(["column", "files", "nowhere"])) if not counted else "nowhere"
    record = draw(st.booleans()) or (follow and key == "nowhere")
    width = draw(st.integers(1 if follow else 0, 2))
    group = anatomy or draw(st.booleans())
    sensitive = draw(st.integers(1, 2)) if not anatomy else 1
    cells = st.tuples(*(st.sampled_from(some) for some in (EXACT if anatomy else (AGES, CITIES))[:width]))
    values = st.tuples(*[st.sampled_from(VALUES[:3])] * sensitive)
    plain = draw(st.booleans())
    releases: list[list[Line]] = []
    for _ in range(draw(st.integers(1, 3))):
        names = [name for name in [*NAMES, "~c1"] if draw(st.integers(0, 7))]
        some = [(name, f"r{name}") for name in names] + [(None, f"s{i}") for i in range(draw(st.integers(0, 2)))]
        some = draw(st.permutations(some)) or [(NAMES[0], f"r{NAMES[0]}")]
        former = {line.record: line for line in releases[-1]} if releases else {}
        lines: list[Line] = []
        for who, name in some:
            old = former.get(name)
            kept = old is not None and draw(st.integers(0, 3))
            shared = lines[-1].cells if lines and draw(st.booleans()) else draw(cells)
            line = Line(who, name, str(draw(st.integers(1, 3))), shared, draw(values))
            if kept and old is not None:
                line = replace(line, cells=old.cells, group=old.group, values=old.values)
            lines.append(replace(line, count=draw(st.integers(1, 2)) if counted else 1))
        if plain:  # one class for each group
            box = {line.group: line.cells for line in lines}
            lines = [replace(line, cells=box[line.group]) for line in lines]
        releases.append(lines)
    series = Form(releases, width, sensitive, key, record, group, counted, anatomy, [{}] * len(releases))
    return replace(series, counterfeits=draw(published_counterfeits(series))) if group else series


@st.composite
def published_counterfeits(draw, series: Form) -> list[dict[str, int]]:
    """Counts for some releases; those of the key where there is one."""
    found = []
    for j, lines in enumerate(series.releases):
        rows = groups(series, j)
        if not draw(st.booleans()):
            found.append({})
        elif series.key != "nowhere":
            found.append({g: sum(not is_person(lines[row]) for row in rows[g]) for g in rows})
        else:
            found.append({g: draw(st.integers(0, sum(lines[row].count for row in rows[g]))) for g in rows})
    return found


def keyed() -> st.SearchStrategy[Form]:
    return forms().filter(lambda series: series.key != "nowhere")


@st.composite
def followed(draw) -> Form:
    return draw(forms(follow=True))


@st.composite
def invariant(draw) -> Form:
    """An m-invariant series, or one in which a single row has lost its value or its group."""
    tiny, _ = draw(invariant_series())
    releases = [
        [Line(row.individual, f"r{j}.{i}", row.group, (), (row.value,)) for i, row in enumerate(release)]
        for j, release in enumerate(tiny.releases)
    ]
    if draw(st.booleans()):
        j = draw(st.integers(0, len(releases) - 1))
        i = draw(st.integers(0, len(releases[j]) - 1))
        line = releases[j][i]
        change = st.sampled_from([replace(line, group="1"), replace(line, values=(draw(st.sampled_from(VALUES)),))])
        releases[j][i] = draw(change)
    key = draw(st.sampled_from(["column", "files"]))
    return Form(releases, 0, 1, key, record=False, group=True, counted=False, anatomy=False, counterfeits=[{}] * 9)


@st.composite
def unique(draw) -> Form:
    """Groups of different values, of one or two attributes, drawn afresh for each release."""
    sensitive, releases = draw(st.integers(1, 2)), []
    for j in range(draw(st.integers(2, 4))):
        names = draw(st.permutations([name for name in [*NAMES[:4], "~c1"] if draw(st.integers(0, 4))]))
        lines: list[Line] = []
        while names or not lines:
            size = draw(st.integers(2, 3))
            some = [*names[:size], *[None] * (size - len(names[:size]))]
            values = zip(*(draw(st.permutations(VALUES[:3])) for _ in range(sensitive)), strict=True)
            pairs = zip(some, values, strict=False)
            lines += [Line(who, f"r{j}.{len(lines)}.{i}", f"{len(lines)}", (), v) for i, (who, v) in enumerate(pairs)]
            names = names[size:]
        releases.append(lines)
    key = draw(st.sampled_from(["column", "files"]))
    return Form(
        releases, 0, sensitive, key, record=False, group=True, counted=False, anatomy=False, counterfeits=[{}] * 9
    )


@st.composite
def changing(draw) -> Form:
    """A series whose people can be followed, of values that may change; what may become of them has no other rule."""
    series = draw(keyed() | invariant() | unique())
    sets = st.frozensets(st.sampled_from([*VALUES, "elsewhere"]), min_size=1)
    updates = st.fixed_dictionaries(dict.fromkeys(VALUES, sets))
    reflexive = updates.map(lambda found: {value: found[value] | {value} for value in VALUES})
    return replace(series, updates=draw(st.none() | updates | reflexive))


# -- writing ------------------------------------------------------------------------------------------------------


def write(series: Form, folder: Path) -> None:
    names = ["Age", "City"][: series.width]
    sensitive = [f"Value{attribute}" for attribute in range(series.sensitive)]
    paths = []
    for j, lines in enumerate(series.releases):
        columns = {"Owner": [line.who or "" for line in lines]} if series.key == "column" else {}
        columns |= {"Case": [line.record for line in lines]} if series.record else {}
        columns |= {"Group": [line.group for line in lines]} if series.group else {}
        columns |= {name: [line.cells[i] for line in lines] for i, name in enumerate(names)}
        if series.counted:
            columns["People"] = [str(line.count) for line in lines]
        values = {name: [line.values[i] for line in lines] for i, name in enumerate(sensitive)}
        if series.anatomy:
            paths.append(f'{{ rows = "{j + 1}.rows.csv", values = "{j + 1}.values.csv" }}')
            table(folder / f"{j + 1}.rows.csv", columns)
            entries = Counter(zip(columns["Group"], values["Value0"], strict=True))
            pair = {"Group": [g for g, _ in entries], "Value0": [v for _, v in entries]}
            table(folder / f"{j + 1}.values.csv", pair | {"count": [str(n) for n in entries.values()]})
        else:
            paths.append(f'"{j + 1}.csv"')
            table(folder / f"{j + 1}.csv", columns | values)
        if series.key == "files":
            key = {"row": [str(row) for row in range(len(lines))], "individual": [line.who or "" for line in lines]}
            table(folder / "private" / f"{j + 1}.key.csv", key)
        if series.counterfeits[j]:
            counts = {"Group": list(series.counterfeits[j]), "Count": list(map(str, series.counterfeits[j].values()))}
            table(folder / f"fakes{j + 1}.csv", counts)
    text = ["[series]", f"releases = [{', '.join(paths)}]", "[columns]", f"sensitive = {sensitive}"]
    text += [f"quasi_identifiers = {names}", 'types = { Age = "numeric" }' if series.width else ""]
    text += ['individual = "Owner"'] if series.key == "column" else []
    text += ['record = "Case"'] if series.record else []
    text += ['group = "Group"'] if series.group else []
    text += ['count = "People"'] if series.counted else []
    fakes = [j + 1 for j, counts in enumerate(series.counterfeits) if counts]
    text += ["[counterfeits]", *(f'"{j}" = "fakes{j}.csv"' for j in fakes)]
    if series.updates is not None:
        text += ["[adversary]", 'transitions = "transitions.csv"']
        pairs = [(one, other) for one, sets in series.updates.items() for other in sorted(sets)]
        table(folder / "transitions.csv", {"from": [one for one, _ in pairs], "to": [other for _, other in pairs]})
    (folder / "series.toml").write_text("\n".join(text) + "\n", encoding="utf-8")


def table(path: Path, columns: dict[str, list[str]]) -> None:
    path.parent.mkdir(exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([list(columns), *zip(*columns.values(), strict=True)])


# -- the comparison -----------------------------------------------------------------------------------------------


def compare(series: Form, ident: str, number: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        write(series, Path(name))
        [parameter] = next(fields(principle) for principle in PRINCIPLES if principle.name == ident)
        verdict = checked(find(ident, {parameter.name: number}), open_series(name))
    wanted = list(DEFINITIONS[ident](series, number))
    event(f"{ident} {'kept' if verdict.holds else 'broken'}")
    assert verdict.broken == Counter(broken.clause for broken in wanted)
    assert verdict.offences == len(wanted)
    assert verdict.rows == sum(map(len, series.releases))
    told = [(int(o.release) - 1, -1 if o.row is None else o.row, o.groups, o.individuals) for o in verdict.first]
    places = sorted((broken.release, broken.row) for broken in wanted)
    assert [place[:2] for place in told] == places[:SHOWN]
    assert Counter(told) <= Counter((broken.release, broken.row, broken.groups, broken.who) for broken in wanted)


def test_every_principle_has_a_definition():
    """That of e-equivalence takes trying all sides: see tests/unit/principles/test_e_equivalence.py."""
    assert [*DEFINITIONS, "e-equivalence"] == [principle.name for principle in PRINCIPLES]


@pytest.mark.parametrize("ident", ["k-anonymity", "l-diversity", "m-unique"])
@given(series=forms(), number=st.integers(1, 4))
def test_principles_of_one_release(ident, series, number):
    assume(ident != "k-anonymity" or series.width or series.group)
    compare(series, ident, number)


@given(series=keyed() | invariant(), number=st.integers(1, 3))
def test_m_invariance(series, number):
    compare(series, "m-invariance", number)


@pytest.mark.parametrize("ident", ["m-distinct", "m-distinct-star"])
@given(series=changing(), number=st.integers(1, 3))
def test_m_distinct(ident, series, number):
    compare(series, ident, number)


@given(series=followed(), number=st.integers(1, 3))
def test_monotonic(series, number):
    compare(series, "monotonic", number)


def test_cells_are_told_apart():
    """The domain is fine enough: different cells cover different values."""
    for cells, domain in zip((AGES, CITIES), DOMAIN, strict=True):
        assert len({frozenset(exact for exact in domain if covers(cell, exact)) for cell in cells}) == len(cells)
