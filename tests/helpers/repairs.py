"""Random series with a safe past and a candidate; and a check by enumeration whether a series is safe."""

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path

from tests.helpers.least_e import least_e
from tests.helpers.tiny import Row, TinySeries

VALUES = ["flu", "gastritis", "HIV", "cancer"]
SPAN = 40


@dataclass(frozen=True)
class Case:
    """A series whose last release is the candidate, and the policy that it is to keep."""

    series: TinySeries
    min_e: int
    k: int

    @property
    def past(self) -> TinySeries:
        return self.series.until(len(self.series.releases) - 1)

    def with_candidate(self, rows: list[Row]) -> TinySeries:
        return replace(self.series, releases=[*self.series.releases[:-1], rows])

    def write(self, folder: Path) -> tuple[Path, Path]:
        """Write the past and the candidate, with keys, and return both."""
        whole = self.series.write(folder / "all", key="files")
        series = self.past.write(folder / "series", key="files")
        policy = f"\n[policy]\nmin_e = {self.min_e}\nk = {self.k}\n"
        manifest = series / "series.toml"
        manifest.write_text(manifest.read_text(encoding="utf-8") + policy, encoding="utf-8")
        tag = self.series.tags[-1]
        (whole / "releases" / f"{tag}.csv").rename(folder / f"{tag}.csv")
        (whole / "private" / f"{tag}.key.csv").rename(folder / f"{tag}.key.csv")
        return series, folder / f"{tag}.csv"


def cell(low: int, high: int) -> str:
    return str(low) if low == high else f"[{low}, {high}]"


def worlds(series: TinySeries) -> Iterator[dict[str, str]]:
    """Yield the values of everybody in each world, where values never change; names of counterfeits begin by ~."""
    free = Counter((j, row.group, row.value) for j, release in enumerate(series.releases) for row in release)
    stays: dict[str, list[tuple[int, str]]] = {}
    for j, release in enumerate(series.releases):
        for line, row in enumerate(release):
            stays.setdefault(row.individual or f"~{j}/{line}", []).append((j, row.group))
    names = sorted(stays, key=lambda name: stays[name])
    world: list[str] = []

    def fill(number: int) -> Iterator[dict[str, str]]:
        if number == len(names):
            yield dict(zip(names, world, strict=True))
            return
        for value in VALUES:
            rows = [(*place, value) for place in stays[names[number]]]
            if all(free[row] for row in rows):
                free.subtract(rows)
                world.append(value)
                yield from fill(number + 1)
                world.pop()
                free.update(rows)

    return fill(0)


def is_safe(series: TinySeries, *, min_e: int, k: int) -> bool:
    """Whether nobody's value is certain, no equivalence smaller than min_e, also in all worlds, and no class than k."""
    for release in series.releases:
        # In an Anatomy pair, whose cells are exact, a class is a group.
        if min(Counter((row.group, None if series.anatomy else row.cells) for row in release).values()) < k:
            return False
    people, found = series.people(), dict[str, set[str]]()
    alike = {*combinations(people, 2)} if min_e > 1 else set()
    for world in worlds(series):
        for name in people:
            found.setdefault(name, set()).add(world[name])
        alike = {pair for pair in alike if world[pair[0]] == world[pair[1]]}
    if alike or any(len(values) < 2 for values in found.values()):
        return False
    groups: dict[tuple[int, str], tuple[list[object], list[str]]] = {}
    for number, release in enumerate(series.releases):
        for line, row in enumerate(release):
            members, values = groups.setdefault((number, row.group), ([], []))
            members.append(row.individual or (number, line))
            values.append(row.value)
    return min_e < 2 or least_e(groups.values(), min_e - 1) is None


def draw(seed: int, most: int = 9) -> Case:
    """Draw a series; its people are at most six in every other one."""
    rng = random.Random(seed)  # noqa: S311 - reproducible series
    people = [f"p{number}" for number in range(rng.randrange(4, 7) if seed % 2 else rng.randrange(5, most))]
    values = {name: rng.choice(VALUES[: rng.randrange(2, 5)]) for name in people}
    min_e, k = rng.choice([(2, 2), (1, 2), (1, 1)])
    past: list[list[Row]] = []
    for _ in range(rng.randrange(1, 4)):
        for _attempt in range(12):
            there = [name for name in people if rng.random() < 0.8]
            parts = 1 if len(there) < 6 else rng.randrange(1, 3)
            release = [Row(n, str(rng.randrange(parts) + 1), values[n], (cell(20, 20 + SPAN),)) for n in there]
            if release and is_safe(_series([*past, release]), min_e=min_e, k=k):
                past.append(release)
                break
    if not past:
        return draw(seed + 1_000_003, most)
    there = [name for name in people if rng.random() < 0.9][:6] or people[:2]
    groups = {name: str(rng.randrange(1, 4)) for name in there}
    boxes = {g: tuple(sorted(rng.choices(range(20, 21 + SPAN, 10), k=2))) for g in "123"}
    if rng.random() < 0.4:
        boxes = dict.fromkeys("123", boxes["1"])
    return Case(_series([*past, [Row(n, groups[n], values[n], (cell(*boxes[groups[n]]),)) for n in there]]), min_e, k)


def _series(releases: list[list[Row]]) -> TinySeries:
    return TinySeries(releases, quasi_identifiers=("Age",))
