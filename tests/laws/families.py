"""Series that laws are tried on, by what the adversary knows: how to draw them and how to change them."""

import csv
import gzip
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import assume
from hypothesis import strategies as st

from tests.cli.forms import edit
from tests.helpers.crowds import KINDS, crowds
from tests.helpers.records import RecordSeries, record_series
from tests.helpers.strategies import boxed, in_braces, linked_series, register_series
from tests.helpers.tiny import Row, TinySeries
from tests.oracle.correspondence import growing

CONSTANT = {"intersection", "equivalence", "first-releases"}
"""Attacks on values that never change, and one that tells of each person once."""
AnySeries = TinySeries | RecordSeries


@dataclass(frozen=True)
class Growing(TinySeries):
    """A series of which every record is in the next release too."""

    def write(self, folder: Path, **form: object) -> Path:
        super().write(folder, **form)  # type: ignore[arg-type] - the same words
        edit(folder / "series.toml", "\n[columns]", 'updates = "growing"\n\n[columns]')
        return folder


@st.composite
def any_series(draw, attack: str, adversary: str, *, known: bool | None = False) -> AnySeries:
    """A series that an attack applies to; `known` says whether some values are, None that they may be."""
    if adversary == "pseudonym":
        return draw(record_series(keyed=False))
    if attack == "correspondence":
        return draw(growing_series())
    if adversary == "published":
        series = draw(linked_series().flatmap(boxed))
        return replace(series, register=None, keyed=False)
    known = draw(st.booleans()) if known is None else known
    changing = attack not in CONSTANT and draw(st.booleans())
    drawn = register_series if adversary == "register" else linked_series
    spread = drawn(changing=changing, known=known)
    if known or draw(st.booleans()):
        return draw(spread)
    series = draw(crowds(adversary, draw(st.sampled_from(KINDS)) if changing else "constant"))
    return replace(series, known=())


@st.composite
def growing_series(draw) -> Growing:
    """Rows of which cells list points, each with its group; values follow one another as they may."""
    drawn = growing(np.random.default_rng(draw(st.integers(0, 10_000))))
    width, values = len(drawn.domain), "abc"
    releases = [
        [
            Row(
                None,
                str(place),
                values[value],
                tuple("{" + ", ".join(f"x{at}" for at in sorted(cell)) + "}" for cell in cells),
            )
            for place, (cells, value) in enumerate(release, 1)
        ]
        for release in drawn.releases
    ]
    follows = {(values[one], values[other]): None for one, other in np.argwhere(drawn.allowed).tolist()}
    constant = all(one == other for one, other in follows)
    return Growing(releases, None if constant else follows, quasi_identifiers=("Town", "Street")[:width], keyed=False)


@contextmanager
def saved(series: AnySeries, **form: object) -> Iterator[Path]:
    """The series in a folder of its own, for as long as it is needed."""
    with tempfile.TemporaryDirectory() as name:
        yield series.write(Path(name), **form)  # type: ignore[arg-type] - what either kind takes


def adversary_of(series: AnySeries) -> str:
    """Return whom a series is drawn for."""
    if isinstance(series, RecordSeries):
        return "pseudonym"
    return "register" if series.register is not None else "linked" if series.keyed else "published"


def until(series: AnySeries, count: int) -> AnySeries:
    """Return the first releases of a series; those who are in none of them are nobody."""
    if isinstance(series, RecordSeries):
        return replace(series, releases=series.releases[:count])
    short = series.until(count)
    if adversary_of(series) in {"linked", "register"}:
        assume(short.people(adversary_of(series)))
    return in_braces(short)


# -- what changes nothing --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Renamed:
    """A series with other names, and by the old names the new ones."""

    series: AnySeries
    people: Mapping[str, str]
    groups: Mapping[str, str]
    values: Mapping[str, str]


@st.composite
def disguised(draw, series: AnySeries) -> Renamed:
    """The same series, its rows in another order, its people, groups and values under other names."""
    fresh = draw(st.permutations(["Zoë", "al", "10", "9", "Q-7", "x y", "né", "Bo,b", "07"]))
    labels = draw(st.permutations(["g", "1", "10", "2", "A;B", "b", "0", "~", "é"]))
    groups = {str(place): label for place, label in enumerate(labels)}
    if isinstance(series, RecordSeries):
        records = {str(place): name for place, name in enumerate(fresh)}
        releases = [
            draw(
                st.permutations([replace(row, record=records[row.record], group=groups[row.group]) for row in release])
            )
            for release in series.releases
        ]
        return Renamed(replace(series, releases=releases), records, groups, {})
    identities = sorted(
        {row.individual for release in series.releases for row in release if row.individual}
        | set(series.people("register"))
    )
    names = {name: ("~" if name.startswith("~") else "") + new for name, new in zip(identities, fresh, strict=False)}
    letters = sorted({*series.values, *(value for pair in series.transitions or () for value in pair)})
    values = dict(zip(letters, draw(st.permutations(letters)), strict=True))
    changed = renamed(series, names, groups, values)
    shuffled = replace(
        changed,
        releases=[draw(st.permutations(release)) for release in changed.releases],
        register=changed.register and draw(st.permutations(changed.register)),
        transitions=changed.transitions and dict(draw(st.permutations(list(changed.transitions.items())))),
    )
    return Renamed(shuffled, names, groups, values)


def renamed(
    series: TinySeries, people: Mapping[str, str], groups: Mapping[str, str], values: Mapping[str, str]
) -> TinySeries:
    """Return a series with other names."""

    def row_of(row: Row) -> Row:
        return Row(people.get(row.individual), groups[row.group], values[row.value], row.cells)

    pairs = None if series.transitions is None else series.transitions.items()
    return replace(
        series,
        releases=[list(map(row_of, release)) for release in series.releases],
        transitions=pairs and {(values[one], values[other]): weight for (one, other), weight in pairs},
        known=[replace(line, individual=people[line.individual], value=values[line.value]) for line in series.known],
        register=series.register and [replace(line, individual=people[line.individual]) for line in series.register],
    )


def beside(series: TinySeries) -> Renamed:
    """Return a series with a copy of itself beside it: other people in other groups have other values."""
    rows = [row for release in series.releases for row in release]
    letters = {*series.values, *(value for pair in series.transitions or () for value in pair)}
    people = {row.individual: f"{row.individual}'" for row in rows if row.individual}
    groups, values = {row.group: f"{row.group}'" for row in rows}, {value: f"{value}'" for value in letters}
    copy = renamed(series, people, groups, values)
    both = replace(
        series,
        releases=[[*one, *other] for one, other in zip(series.releases, copy.releases, strict=True)],
        transitions=None if series.transitions is None else {**series.transitions, **copy.transitions},
        known=[*series.known, *copy.known],
    )
    return Renamed(both, people, groups, values)


# -- files -----------------------------------------------------------------------------------------------------


def as_gzip(path: Path) -> Path:
    other = path.with_name(f"{path.name}.gz")
    other.write_bytes(gzip.compress(path.read_bytes()))
    return other


def as_parquet(path: Path) -> Path:
    with path.open(newline="", encoding="utf-8") as file:
        head, *rows = csv.reader(file)
    other = path.with_suffix(".parquet")
    pq.write_table(pa.table({name: [row[at] for row in rows] for at, name in enumerate(head)}), other)
    return other


FILE_TYPES = {"gzip": as_gzip, "parquet": as_parquet}


def in_files(folder: Path, kind: str) -> Path:
    """Write the releases of a series on disk anew, in files of another type."""
    for path in sorted((folder / "releases").glob("*.csv")):
        other = FILE_TYPES[kind](path)
        edit(folder / "series.toml", f"releases/{path.name}", f"releases/{other.name}")
        path.unlink()
    return folder


def with_record_ids(folder: Path, series: TinySeries) -> Path:
    """Write the releases of a series on disk anew, with a record id in each row: one for each person."""
    for tag, rows in zip(series.tags, series.releases, strict=True):
        path = folder / "releases" / f"{tag}.csv"
        with path.open(newline="", encoding="utf-8") as file:
            head, *lines = csv.reader(file)
        ids = [f"r{row.individual}" if row.individual else f"{tag}-{place}" for place, row in enumerate(rows)]
        with path.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([[*head, "Case"], *([*line, one] for line, one in zip(lines, ids, strict=True))])
    edit(folder / "series.toml", "[columns]\n", '[columns]\nrecord = "Case"\n')
    return folder
