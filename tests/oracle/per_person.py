"""One person at a time, by brute force: every path of candidate values, weighed in exact fractions.

Slow on purpose, and written from the definitions alone: m-invariance paper, Definitions 15 and 16, and
m-Distinct paper, Section III.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise, product
from math import prod

from tests.helpers.tiny import Row, TinySeries, covers

Version = tuple[str, int]


@dataclass(frozen=True)
class Intersection:
    """What `intersection` has to say: per person, and after each release."""

    candidates: dict[str, set[str]]
    risks: dict[str, Fraction]
    certain_since: dict[str, int]
    timeline: list[int]

    @property
    def vulnerable(self) -> set[str]:
        return {person for person, left in self.candidates.items() if len(left) == 1}


@dataclass(frozen=True)
class UpdateGraph:
    """What `update-graph` has to say: per version; a version without feasible path has no risk."""

    feasible: dict[Version, set[str]]
    risks: dict[Version, Fraction]
    timeline: list[int]

    @property
    def individuals(self) -> set[str]:
        return {person for person, _ in self.feasible}

    @property
    def disclosed(self) -> set[Version]:
        return {version for version, left in self.feasible.items() if len(left) == 1}

    @property
    def infeasible(self) -> set[Version]:
        return {version for version, left in self.feasible.items() if not left}


def rooms(series: TinySeries, release: int) -> Counter[str]:
    """How many people each published group has room for: its rows less its published counterfeits."""
    found = Counter(row.group for row in series.releases[release])
    if series.counterfeits:
        found.subtract(series.counterfeits[release])
    return found


def possible_rows(series: TinySeries, person: str, release: int, adversary: str) -> list[Row]:
    """The rows that the person may have, as far as cells and groups tell."""
    rows = series.releases[release]
    if adversary == "linked":
        places = series.places[release]
        [own] = [places[row] for row in rows if row.individual == person] or [None]
        return [row for row in rows if places[row] == own]
    [exact] = [line.exact for line in series.register or () if (line.individual, line.release) == (person, release)]
    room = rooms(series, release)
    return [row for row in rows if room[row.group] and all(map(covers, row.cells, exact))]


def hosts(series: TinySeries, person: str, release: int, adversary: str) -> set[str]:
    """The names of what publishes the values that the person may have."""
    return {series.places[release][row] for row in possible_rows(series, person, release, adversary)}


def known_values(series: TinySeries, release: int, adversary: str) -> dict[str, str]:
    """Who is known to have which value in this release."""
    return {
        line.individual: line.value
        for line in series.known
        if release in series.presence(line.individual, adversary)
        and (series.transitions is None or line.release in {None, release})
    }


def pool(series: TinySeries, person: str, release: int, adversary: str, *, by_class: bool = False) -> Counter[str]:
    """How often the person's candidate groups hold each value, the rows of known people taken out.

    A known person's row is taken out who can be in one group alone; `by_class` asks for one row class of it. Under
    `linked` everybody's own class is known, which in Anatomy is some class of the group.
    """
    groups = hosts(series, person, release, adversary)
    rows = series.releases[release]
    counts = Counter(row.value for row in rows if series.places[release][row] in groups)
    for other, value in known_values(series, release, adversary).items():
        where = hosts(series, other, release, adversary)
        classes = {(row.group, row.row_class) for row in possible_rows(series, other, release, adversary)}
        own_class = series.anatomy and adversary == "linked"
        sure = len(classes if by_class and not own_class else where) == 1
        if other != person and sure and where <= groups:
            counts[value] -= 1
    return +counts


def nodes(series: TinySeries, person: str, release: int, adversary: str, *, by_class: bool = False) -> Counter[str]:
    """The pool, or the one value that the adversary knows anyway."""
    known = known_values(series, release, adversary)
    if person in known:
        return Counter([known[person]])
    return pool(series, person, release, adversary, by_class=by_class)


def intersection(series: TinySeries, adversary: str = "linked") -> Intersection:
    """Candidates, risks and the release at which the last doubt went, for everybody who is not known."""
    known = {line.individual for line in series.known}
    people = [person for person in series.people(adversary) if person not in known]
    prefixes = [
        {person: _common(series, person, adversary, j + 1) for person in people} for j in range(len(series.releases))
    ]
    return Intersection(
        candidates={person: left or set() for person, left in prefixes[-1].items()},
        risks={person: _product_risk(series, person, adversary) for person in people},
        certain_since={
            person: next(j for j, left in enumerate(prefixes) if len(left[person] or ()) == 1)
            for person in people
            if len(prefixes[-1][person] or ()) == 1
        },
        timeline=[sum(len(left or ()) == 1 for left in prefix.values()) for prefix in prefixes],
    )


def update_graph(series: TinySeries, adversary: str = "linked", *, by_class: bool = False) -> UpdateGraph:
    """Feasible values and risks of every version that is not known; `by_class` as for `pool`."""
    prefixes = [version_weights(series, adversary, j + 1, by_class=by_class) for j in range(len(series.releases))]
    feasible = {version: set(weights) for version, weights in prefixes[-1].items()}
    risks = {
        (person, release): _share(weights, series.truth(person, release))
        for (person, release), weights in prefixes[-1].items()
        if weights
    }
    timeline = [sum(len(weights) == 1 for weights in prefix.values()) for prefix in prefixes]
    return UpdateGraph(feasible, risks, timeline)


def paths(
    series: TinySeries, person: str, adversary: str, until: int, *, by_class: bool = False
) -> Iterator[tuple[tuple[str, ...], Fraction]]:
    """Every history of non-zero weight that the releases allow this person, with its weight."""
    stay = [j for j in series.presence(person, adversary) if j < until]
    layers = [nodes(series, person, j, adversary, by_class=by_class) for j in stay]
    for path in product(*layers):
        shares = [Fraction(layer[value], layer.total()) for layer, value in zip(layers, path, strict=True)]
        weight = prod(shares, start=Fraction(1)) * prod(
            (series.step(before, after) for before, after in pairwise(path)), start=Fraction(1)
        )
        if weight:
            yield path, weight


def version_weights(
    series: TinySeries, adversary: str, until: int, *, by_class: bool = False
) -> dict[Version, dict[str, Fraction]]:
    """For every version that is not known: the weight of all paths through each of its values."""
    found: dict[Version, dict[str, Fraction]] = {}
    for person in series.people(adversary):
        stay = [j for j in series.presence(person, adversary) if j < until]
        unknown = [j for j in stay if person not in known_values(series, j, adversary)]
        found |= {(person, j): {} for j in unknown}
        for path, weight in paths(series, person, adversary, until, by_class=by_class) if stay else ():
            for j, value in zip(stay, path, strict=True):
                if j in unknown:
                    through = found[person, j]
                    through[value] = through.get(value, Fraction(0)) + weight
    return found


def _common(series: TinySeries, person: str, adversary: str, until: int) -> set[str] | None:
    """The values in all of a person's pools so far; None before the first."""
    pools = [set(pool(series, person, j, adversary)) for j in series.presence(person, adversary) if j < until]
    return set.intersection(*pools) if pools else None


def _product_risk(series: TinySeries, person: str, adversary: str) -> Fraction:
    stay = series.presence(person, adversary)
    pools = [pool(series, person, j, adversary) for j in stay]
    weights = {value: Fraction(prod(counts[value] for counts in pools)) for value in series.values}
    return _share({value: weight for value, weight in weights.items() if weight}, series.truth(person, stay[0]))


def _share(weights: dict[str, Fraction], truth: str | None) -> Fraction:
    """The posterior of the truth where it is in the series, else of the likeliest value."""
    if not weights:
        return Fraction(0)
    best = max(weights.values()) if truth is None else weights.get(truth, Fraction(0))
    return best / sum(weights.values())
