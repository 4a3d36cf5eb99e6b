"""What all worlds of each linked series say, as lines of text, and the file that keeps them.

A line has the series (its releases, each with the group of each person, and the values in some world) and the answers:
worlds in which each person has each value; pairs that are equal in all worlds; pairs that linear reasoning equates;
each person's least equivalence by linear reasoning, and in all worlds; values that linear reasoning fixes; groups with
one value only.
"""

import lzma
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from pathlib import Path

from tests.universe.linear import least_in_all
from tests.universe.linked import VALUES, Linked, Partition, universe

FILE = Path(__file__).with_name("linked.txt.xz")
NAMES = "abc"
Pair = tuple[int, int]


@dataclass(frozen=True)
class Record:
    """One line: a series, and what its worlds say.

    Args:
        releases: The group of each person in each release, 0 where absent.
        world: Each person's value in one world.
        counts: In how many worlds each person has each value.
        equal: Pairs of people who are equal in all worlds.
        linear: Pairs of people whom linear reasoning equates.
        least: Each person's least e by linear reasoning, 0 without an equivalence.
        least_in_all: Each person's least e of two sides with the same values in all worlds, 0 without any.
        pinned: Person and value, fixed by linear reasoning.
        homogeneous: Release and group (from 1) with one value only.
    """

    releases: tuple[Partition, ...]
    world: tuple[int, ...]
    counts: tuple[tuple[int, ...], ...]
    equal: tuple[Pair, ...]
    linear: tuple[Pair, ...]
    least: tuple[int, ...]
    least_in_all: tuple[int, ...]
    pinned: tuple[Pair, ...]
    homogeneous: tuple[Pair, ...]

    @property
    def people(self) -> int:
        """How many people are in some release."""
        return len(self.world)

    @cached_property
    def worlds(self) -> int:
        """How many worlds there are."""
        return sum(self.counts[0]) if self.counts else 1

    def possible(self, person: int) -> tuple[int, ...]:
        """Return the values that the person has in some world."""
        return tuple(v for v in range(VALUES) if self.counts[person][v])

    def posterior(self, person: int, value: int) -> Fraction:
        """Return the share of worlds in which the person has the value."""
        return Fraction(self.counts[person][value], self.worlds)

    @property
    def min_e(self) -> int | None:
        """The least e > 0 of an equivalence by linear reasoning, or None without one."""
        return min(filter(None, self.least), default=None)

    @property
    def min_e_in_all(self) -> int | None:
        """The least e > 0 of two sides with the same values in all worlds, or None."""
        return min(filter(None, self.least_in_all), default=None)


def record_of(series: Linked) -> Record:
    """Return what the worlds of a series say."""
    linear = series.linear
    return Record(
        series.releases,
        tuple(series.worlds[0].tolist()),
        tuple(map(tuple, series.counts.tolist())),
        tuple(series.equal),
        linear.equal,
        linear.least,
        least_in_all(series.worlds.tolist(), series.people),
        linear.pinned,
        tuple(series.homogeneous),
    )


def line_of(record: Record) -> str:
    """Return the line of a record."""
    pairs = list(combinations(range(record.people), 2))
    return " ".join(
        [
            "/".join("".join(map(str, release)) for release in record.releases),
            "".join(NAMES[v] for v in record.world),
            ";".join(",".join(map(str, counts)) for counts in record.counts),
            "".join("-="[pair in record.equal] for pair in pairs),
            "".join("-="[pair in record.linear] for pair in pairs),
            "".join(map(str, record.least)),
            "".join(map(str, record.least_in_all)),
            "".join(f"{i}{NAMES[v]}" for i, v in record.pinned),
            "".join(f"{release}{group}" for release, group in record.homogeneous),
        ]
    )


def record_from(line: str) -> Record:
    """Return the record of a line."""
    releases, world, counts, equal, linear, least, least_in_all, pinned, homogeneous = line.split(" ")
    pairs = list(combinations(range(len(world)), 2))
    return Record(
        tuple(tuple(map(int, release)) for release in releases.split("/")),
        tuple(map(NAMES.index, world)),
        tuple(tuple(map(int, one.split(","))) for one in counts.split(";")) if counts else (),
        tuple(pair for pair, sign in zip(pairs, equal, strict=True) if sign == "="),
        tuple(pair for pair, sign in zip(pairs, linear, strict=True) if sign == "="),
        tuple(map(int, least)),
        tuple(map(int, least_in_all)),
        tuple((int(i), NAMES.index(v)) for i, v in zip(pinned[::2], pinned[1::2], strict=True)),
        tuple((int(i), int(j)) for i, j in zip(homogeneous[::2], homogeneous[1::2], strict=True)),
    )


def lines() -> list[str]:
    """Return the lines of the file."""
    return lzma.decompress(FILE.read_bytes()).decode().splitlines()


def records(chosen: Iterable[str] | None = None) -> Iterator[Record]:
    """Yield the records of these lines, or of the whole file."""
    return map(record_from, lines() if chosen is None else chosen)


def write() -> int:
    """Write the file anew, and return how many series it has; the same bytes each time."""
    text = [line_of(record_of(series)) for series in universe()]
    FILE.write_bytes(lzma.compress("".join(line + "\n" for line in text).encode(), preset=9 | lzma.PRESET_EXTREME))
    return len(text)
