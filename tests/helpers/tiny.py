"""A series small enough to enumerate, in memory and on disk.

Releases are counted from 0; tags occur only in files and reports.
"""

import csv
import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from pathlib import Path

Transitions = Mapping[tuple[str, str], Fraction | None]


@dataclass(frozen=True)
class Row:
    """One published row, and whose it is: None for a counterfeit without identity, `~c1` for one with."""

    individual: str | None
    group: str
    value: str
    cells: tuple[str, ...] = ()

    @cached_property
    def row_class(self) -> tuple[object, ...]:
        """The row class: rows of a group whose cells mean the same."""
        return (self.group, *map(meaning, self.cells))


@dataclass(frozen=True)
class Known:
    """A value that the adversary knows: in one release, or wherever the person appears."""

    individual: str
    value: str
    release: int | None = None


@dataclass(frozen=True)
class Registered:
    """One person's exact quasi-identifiers in one release."""

    individual: str
    release: int
    exact: tuple[str, ...]


@dataclass(frozen=True)
class TinySeries:
    """Releases, what the adversary knows beside them, and whose rows they are."""

    releases: Sequence[Sequence[Row]]
    transitions: Transitions | None = None
    known: Sequence[Known] = ()
    register: Sequence[Registered] | None = None
    quasi_identifiers: tuple[str, ...] = ()
    keyed: bool = True
    anatomy: bool = False
    counterfeits: Sequence[Mapping[str, int]] = ()

    @property
    def tags(self) -> list[str]:
        return [str(position + 1) for position in range(len(self.releases))]

    @property
    def values(self) -> list[str]:
        return sorted({row.value for release in self.releases for row in release})

    @cached_property
    def places(self) -> list[dict[Row, str]]:
        """The name of what publishes each row's value, by release.

        It is the row class, in file order where its group has several; in an Anatomy pair the group. Enumeration asks
        for it millions of times.
        """
        found = []
        for release in self.releases:
            mates = {row.group: list[tuple[object, ...]]() for row in release}
            for kind in dict.fromkeys(row.row_class for row in release):
                mates[str(kind[0])].append(kind)
            alone = {group for group, kinds in mates.items() if self.anatomy or len(kinds) == 1}
            found.append(
                {
                    row: row.group if row.group in alone else f"{row.group}#{mates[row.group].index(row.row_class) + 1}"
                    for row in release
                }
            )
        return found

    def people(self, adversary: str = "linked") -> list[str]:
        """Those whom the adversary knows to be in the series, counterfeits left out."""
        if adversary == "register":
            return sorted({line.individual for line in self.register or ()})
        everyone = {row.individual for release in self.releases for row in release}
        return sorted(name for name in everyone if name is not None and not name.startswith("~"))

    def presence(self, person: str, adversary: str = "linked") -> list[int]:
        """The releases in which the adversary knows this person to be."""
        if adversary == "register":
            return sorted(line.release for line in self.register or () if line.individual == person)
        return [j for j in range(len(self.releases)) if self.row(person, j) is not None]

    def row(self, person: str, release: int) -> Row | None:
        return next((row for row in self.releases[release] if row.individual == person), None)

    def truth(self, person: str, release: int) -> str | None:
        """Return the person's own value, if the series says whose row is whose."""
        row = self.row(person, release) if self.keyed and not self.anatomy else None
        return row.value if row else None

    def step(self, before: str, after: str) -> Fraction:
        """The weight of a change of value between two consecutive versions of a person."""
        if self.transitions is None:
            return Fraction(before == after)
        if (before, after) not in self.transitions:
            return Fraction(0)
        probability = self.transitions[before, after]
        if probability is not None:
            return probability
        return Fraction(1, sum(source == before for source, _ in self.transitions))

    def until(self, count: int) -> "TinySeries":
        """The first `count` releases, and what is known of them."""
        short = replace(
            self,
            releases=self.releases[:count],
            counterfeits=self.counterfeits[:count],
            register=None if self.register is None else tuple(line for line in self.register if line.release < count),
        )
        adversary = "linked" if self.register is None else "register"
        present = set(short.people(adversary))
        timeless = self.transitions is None
        known = [
            replace(line, release=None) if timeless else line
            for line in self.known
            if line.individual in present and (timeless or line.release is None or line.release < count)
        ]
        return replace(short, known=tuple(known))

    def write(self, folder: Path, *, key: str = "column", group_column: bool = True) -> Path:
        """Write the series; `key` is where it says whose rows are whose: `column`, `files` or `nowhere`."""
        where = key if self.keyed else "nowhere"
        for tag, release in zip(self.tags, self.releases, strict=True):
            head = (["Owner"] if where == "column" else []) + (["Group-ID"] if group_column else [])
            lines = [
                ([row.individual or ""] if where == "column" else [])
                + ([row.group] if group_column else [])
                + [*row.cells, *([] if self.anatomy else [row.value])]
                for row in release
            ]
            last, kind = ([], "rows.csv") if self.anatomy else (["Value"], "csv")
            _write(folder / "releases" / f"{tag}.{kind}", [*head, *self.quasi_identifiers, *last], lines)
            if self.anatomy:
                held = sorted(Counter((row.group, row.value) for row in release).items())
                lines = [[*pair, str(count)] for pair, count in held]
                _write(folder / "releases" / f"{tag}.values.csv", ["Group-ID", "Value", "count"], lines)
            if where == "files":
                keys = [[str(i), row.individual or ""] for i, row in enumerate(release)]
                _write(folder / "private" / f"{tag}.key.csv", ["row", "individual"], keys)
        for tag, told in zip(self.tags, self.counterfeits, strict=False):
            lines = [[group, str(count)] for group, count in told.items()]
            _write(folder / "counterfeits" / f"{tag}.csv", ["Group-ID", "Count"], lines)
        self._write_knowledge(folder)
        (folder / "series.toml").write_text(self._manifest(where, group_column), encoding="utf-8")
        return folder

    def _write_knowledge(self, folder: Path) -> None:
        if self.transitions is not None:
            weighted = any(probability is not None for probability in self.transitions.values())
            lines = [
                [*pair] + ([""] if probability is None else [str(float(probability))]) * weighted
                for pair, probability in self.transitions.items()
            ]
            _write(folder / "transitions.csv", ["from", "to"] + ["probability"] * weighted, lines)
        if self.known:
            dated = any(line.release is not None for line in self.known)
            lines = [
                [line.individual, line.value] + ([""] if line.release is None else [self.tags[line.release]]) * dated
                for line in self.known
            ]
            _write(folder / "known.csv", ["individual", "value"] + ["release"] * dated, lines)
        if self.register is not None:
            head = ["individual", *self.quasi_identifiers, "release"]
            lines = [[line.individual, *line.exact, self.tags[line.release]] for line in self.register]
            _write(folder / "register.csv", head, lines)

    def _manifest(self, where: str, group_column: bool) -> str:
        paths = ", ".join(f'"releases/{tag}.csv"' for tag in self.tags)
        if self.anatomy:
            pair = '{{ rows = "releases/{0}.rows.csv", values = "releases/{0}.values.csv" }}'
            paths = ", ".join(pair.format(tag) for tag in self.tags)
        quasi_identifiers = ", ".join(f'"{name}"' for name in self.quasi_identifiers)
        text = ["[series]", 'name = "Tiny"', f"releases = [{paths}]", "", "[columns]"]
        text += ['individual = "Owner"'] if where == "column" else []
        text += ['unnamed = "counterfeits"'] if where != "nowhere" else []
        text += ['group = "Group-ID"'] if group_column else []
        text += [f"quasi_identifiers = [{quasi_identifiers}]", 'sensitive = "Value"', "", "[adversary]"]
        text += ['register = "register.csv"'] if self.register is not None else []
        text += ['transitions = "transitions.csv"'] if self.transitions is not None else []
        text += ['known = "known.csv"'] if self.known else []
        if self.counterfeits:
            text += ["", "[counterfeits]"] + [f'"{tag}" = "counterfeits/{tag}.csv"' for tag in self.tags]
        return "\n".join(text) + "\n"


def with_spans(folder: Path, series: TinySeries) -> None:
    """Rewrite the register with first and last positions, which needs unbroken stays and constant cells."""
    lines = []
    for person in series.people("register"):
        stay = series.presence(person, "register")
        exact = {line.exact for line in series.register or () if line.individual == person}
        assert len(exact) == 1
        assert stay == list(range(stay[0], stay[-1] + 1))
        lines.append([person, *exact.pop(), str(stay[0] + 1), str(stay[-1] + 1)])
    _write(folder / "register.csv", ["individual", *series.quasi_identifiers, "first", "last"], lines)


def read(folder: Path) -> TinySeries:
    """A series from disk, as far as tiny series go: CSV files, a group column, one sensitive column."""
    manifest = tomllib.loads((folder / "series.toml").read_text(encoding="utf-8"))
    columns, adversary = manifest["columns"], manifest.get("adversary", {})
    names = tuple(columns["quasi_identifiers"])
    key = columns.get("individual")
    releases = [
        [
            Row(
                (line[key] or None) if key else None,
                line[columns["group"]],
                line[columns["sensitive"]],
                tuple(line[name] for name in names),
            )
            for line in _lines(folder / path)
        ]
        for path in manifest["series"]["releases"]
    ]
    transitions = None
    if "transitions" in adversary:
        transitions = {
            (line["from"], line["to"]): Fraction(line["probability"]) if line.get("probability") else None
            for line in _lines(folder / adversary["transitions"])
        }
    register = None
    if "register" in adversary:
        register = [
            Registered(line["individual"], position, tuple(line[name] for name in names))
            for line in _lines(folder / adversary["register"])
            for position in range(int(line["first"]) - 1, int(line["last"]))
        ]
    return TinySeries(releases, transitions, register=register, quasi_identifiers=names, keyed=key is not None)


NUMBER = r"-?\d+(?:\.\d+)?"
RANGE = re.compile(rf"([\[\]\(]?)\s*({NUMBER})\s*[,-]\s*({NUMBER})\s*([\]\[\)]?)")
BOUND = re.compile(rf"(>=|<=|>|<)\s*({NUMBER})")


def covers(cell: str, exact: str) -> bool:
    """Whether a generalized cell may stand for an exact value.

    >>> covers("[21, 22[", "22"), covers("21-22", "22"), covers(">=65", "66"), covers("{x, y}", "z")
    (False, True, True, False)
    """
    if cell in {"*", exact}:
        return True
    if bound := BOUND.fullmatch(cell):
        sign, limit, number = bound[1], Fraction(bound[2]), Fraction(exact)
        return {">=": number >= limit, ">": number > limit, "<=": number <= limit, "<": number < limit}[sign]
    if found := RANGE.fullmatch(cell):
        number, low, high = Fraction(exact), Fraction(found[2]), Fraction(found[3])
        above = number > low if found[1] in {"(", "]"} else number >= low
        below = number < high if found[4] in {")", "["} else number <= high
        return above and below
    return exact in [part.strip() for part in cell.strip("{}").split(",")]


def meaning(cell: str) -> object:
    """What a generalized cell stands for, the same for all ways to write it.

    >>> (
    ...     meaning("[21, 22]") == meaning("21-22"),
    ...     meaning("21") == meaning("[21, 21]"),
    ...     meaning("x,y") == meaning("{y, x}"),
    ... )
    (True, True, True)
    """
    if cell == "*":
        return cell
    if re.fullmatch(NUMBER, cell):
        cell = f"[{cell}, {cell}]"
    if bound := BOUND.fullmatch(cell):
        return bound[1], Fraction(bound[2])
    if found := RANGE.fullmatch(cell):
        return Fraction(found[2]), Fraction(found[3]), found[1] in {"(", "]"}, found[4] in {")", "["}
    return frozenset(part.strip() for part in cell.strip("{}").split(","))


def _lines(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def _write(path: Path, head: list[str], lines: Iterable[Sequence[str]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([head, *lines])
