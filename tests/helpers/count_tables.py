"""Tiny series of count tables, in memory and on disk."""

import csv
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

Cell = tuple[str, ...]


@dataclass(frozen=True)
class TinyTables:
    """Rules, and for each release its rows: labels of all dimensions, and what was published.

    `exact` has the places of releases whose numbers are not rounded.
    `told` has the possible counts of cells, by release and labels, if more than their numbers is published.
    """

    dimensions: tuple[str, ...]
    releases: Sequence[Sequence[tuple[Cell, str]]]
    totals: Mapping[str, str] = field(default_factory=dict)
    categories: Mapping[str, Mapping[str, tuple[str, ...]]] = field(default_factory=dict)
    open: tuple[str, ...] = ()
    markers: Mapping[str, tuple[int, int | None]] = field(default_factory=dict)
    threshold: int | None = None
    rounding: tuple[int, str] | None = None
    exact: tuple[int, ...] = ()
    over_time: str = "independent"
    min_count: int = 5
    min_width: int = 2
    told: Mapping[tuple[int, Cell], tuple[int, int | None]] = field(default_factory=dict)

    def write(self, folder: Path) -> Path:
        """Write the series into a folder, and return it."""
        (folder / "releases").mkdir(parents=True, exist_ok=True)
        for place, rows in enumerate(self.releases, 1):
            with (folder / "releases" / f"{place}.csv").open("w", newline="", encoding="utf-8") as file:
                writer = csv.writer(file)
                writer.writerow([*self.dimensions, "n"])
                writer.writerows([*labels, text] for labels, text in rows)
        for name, labels in self.categories.items():
            lines = ["label,atom", *(f"{label},{atom}" for label, atoms in labels.items() for atom in atoms)]
            (folder / f"{name}.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
        (folder / "series.toml").write_text(self.manifest(), encoding="utf-8")
        return folder

    def manifest(self) -> str:
        """Return the manifest's text."""
        tags = [f"releases/{place}.csv" for place in range(1, len(self.releases) + 1)]
        lines = ["[series]", 'name = "tiny"', 'kind = "tables"', f"releases = {json.dumps(tags)}", "[table]"]
        lines += [f"dimensions = {json.dumps(self.dimensions)}", 'value = "n"', f'over_time = "{self.over_time}"']
        lines += [f"open = {json.dumps(self.open)}", f"totals = {inline(self.totals)}"]
        lines.append(f"categories = {inline({name: f'{name}.csv' for name in self.categories})}")
        ends = {text: f"[{low}, {'inf' if high is None else high}]" for text, (low, high) in self.markers.items()}
        lines.append("markers = { " + ", ".join(f"{json.dumps(text)} = {end}" for text, end in ends.items()) + " }")
        if self.threshold is not None:
            lines.append(f"threshold = {self.threshold}")
        if self.rounding is not None:
            lines.append(f'rounding = {{ to = {self.rounding[0]}, how = "{self.rounding[1]}" }}')
            exact = [str(place + 1) for place in self.exact if place < len(self.releases)]
            lines += [f"exact = {json.dumps(exact)}"] if exact else []
        lines += ["[policy]", f"min_count = {self.min_count}", f"min_width = {self.min_width}"]
        return "\n".join(lines) + "\n"


def write_tables(
    folder: Path, tables: Mapping[str, Sequence[str]], table: str, policy: str = "min_count = 5", series: str = ""
) -> Path:
    """Write the lines of tables by file, and a manifest that lists them unless `series` does; return the folder."""
    for name, lines in tables.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("\n".join([*lines, ""]), encoding="utf-8")
    series = series or f"releases = {json.dumps([*tables])}"
    text = f'[series]\nkind = "tables"\n{series}\n[table]\n{table}\n[policy]\n{policy}\n'
    (folder / "series.toml").write_text(text, encoding="utf-8")
    return folder


def inline(entries: Mapping[str, str]) -> str:
    """Return a table of TOML in one line."""
    return "{ " + ", ".join(f"{json.dumps(key)} = {json.dumps(text)}" for key, text in entries.items()) + " }"
