"""Tiny series whose rows are linked by a published record id: how to draw them, and how to write them to disk."""

import csv
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from hypothesis import strategies as st

from tests.helpers.running import Audited, audit_folder

CITIES = ["*", "xa", "xa,xb", "{xa, xb}", "{xb, y}", "x*", "xa, xb", "y", "{y, xa}"]
POINTS = [(age, city) for age in (0, 1, 2, 3) for city in ("xa", "xb", "y")]
GRID = [Fraction(half, 2) for half in range(-2, 24)]
TOWNS = ["xa", "xb", "xq", "y", "elsewhere"]
"""Enough exact values to tell any two of the cells apart."""

_COMPARED = {
    ">=2": lambda n: n >= 2,
    "<2": lambda n: n < 2,
    "<=1": lambda n: n <= 1,
    "[1, 3[": lambda n: 1 <= n < 3,
    "]0, 2]": lambda n: 0 < n <= 2,
    "(0, 2]": lambda n: 0 < n <= 2,
    "[1, 2]": lambda n: 1 <= n <= 2,
    "1-2": lambda n: 1 <= n <= 2,
    "0*": lambda n: 0 <= n <= 9,
    "[0, 9]": lambda n: 0 <= n <= 9,
    "{1, 3}": lambda n: n in (1, 3),
    "{1,2,3}": lambda n: n in (1, 2, 3),
    "2": lambda n: n == 2,
    "*": lambda _: True,
}
AGES = list(_COMPARED)


def ages(cell: str) -> frozenset[Fraction]:
    """The numbers of the grid that a cell covers."""
    return frozenset(filter(_COMPARED[cell], GRID))


def towns(cell: str) -> frozenset[str]:
    """The towns that a cell covers."""
    if cell == "*":
        return frozenset(TOWNS)
    if cell == "x*":
        return frozenset(town for town in TOWNS if len(town) == 2 and town[0] == "x")
    return frozenset(part.strip() for part in cell.strip("{}").split(","))


@dataclass(frozen=True)
class RecordRow:
    """One published row; `real` is what the key says, where there is one."""

    record: str
    age: str
    city: str
    group: str
    real: bool = True


@dataclass(frozen=True)
class RecordSeries:
    """Releases of rows; `keyed`: there is a key, in which counterfeits have no identity.

    `changing` are the quasi-identifiers of which a release says nothing about the next.
    """

    releases: Sequence[Sequence[RecordRow]]
    keyed: bool = False
    changing: tuple[str, ...] = ()

    @property
    def tags(self) -> list[str]:
        return [f"r{place}" for place in range(1, len(self.releases) + 1)]

    def write(self, folder: Path, *, group_column: bool = True, policy: str = "") -> Path:
        for tag, rows in zip(self.tags, self.releases, strict=True):
            path = folder / "releases" / f"{tag}.csv"
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("w", newline="", encoding="utf-8") as file:
                head = ["Case", *(["Owner"] if self.keyed else []), *(["Group"] if group_column else [])]
                csv.writer(file).writerow([*head, "Age", "City", "Value"])
                for row in rows:
                    owner = [f"p{row.record}" if row.real else ""] if self.keyed else []
                    line = [row.record, *owner, *([row.group] if group_column else []), row.age, row.city, "flu"]
                    csv.writer(file).writerow(line)
        paths = ", ".join(f'"releases/{tag}.csv"' for tag in self.tags)
        text = f'[series]\nname = "Records"\nreleases = [{paths}]\n\n[columns]\nrecord = "Case"\nsensitive = "Value"\n'
        text += 'quasi_identifiers = ["Age", "City"]\ntypes = { Age = "numeric", City = "categorical" }\n'
        text += 'individual = "Owner"\nunnamed = "counterfeits"\n' if self.keyed else ""
        text += 'group = "Group"\n' if group_column else ""
        text += f"changing = {[*self.changing]}\n" if self.changing else ""
        (folder / "series.toml").write_text(text + policy, encoding="utf-8")
        return folder


@contextmanager
def on_disk(series: RecordSeries, *, group_column: bool = True, policy: str = "") -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as name:
        yield series.write(Path(name), group_column=group_column, policy=policy)


def inferred(series: RecordSeries, k: int, *words: str, group_column: bool = True) -> Audited:
    """Write a series, and infer what its records have in common."""
    with on_disk(series, group_column=group_column) as folder:
        return audit_folder(folder, ["inference-table"], "--k", str(k), *words)


@st.composite
def record_series(draw, *, keyed: bool | None = None) -> RecordSeries:
    """At most 8 records of 12 exact points in at most 4 releases.

    Each release has few different cells, so that rows are alike; a record takes those that cover its point, and
    any of a column that changes.
    """
    points = draw(st.lists(st.sampled_from(POINTS), min_size=1, max_size=8))
    keyed = draw(st.booleans()) if keyed is None else keyed
    fake = draw(st.sets(st.integers(0, len(points) - 1), max_size=2)) if keyed else set()
    changing = tuple(draw(st.sampled_from([(), (), ("Age",), ("City",), ("Age", "City")])))
    releases: list[list[RecordRow]] = []
    for _ in range(draw(st.integers(1, 4))):
        here = sorted(draw(st.sets(st.sampled_from(range(len(points))), min_size=1)))
        some_ages = draw(st.lists(st.sampled_from(AGES), min_size=1, max_size=3))
        some_cities = draw(st.lists(st.sampled_from(CITIES), min_size=1, max_size=3))
        rows = []
        for place in here:
            age, city = points[place]
            fit_ages = [cell for cell in some_ages if "Age" in changing or age in ages(cell)] or ["*"]
            fit_cities = [cell for cell in some_cities if "City" in changing or city in towns(cell)] or ["*"]
            cells = draw(st.sampled_from(fit_ages)), draw(st.sampled_from(fit_cities))
            group = draw(st.sampled_from("123"))
            rows.append(RecordRow(str(place), *cells, group, place not in fake))
        releases.append(draw(st.permutations(rows)))
    return RecordSeries(releases, keyed, changing)
