"""Random small series of count tables, published in the forms that files have: the files, and what they mean.

What a rate or a change says of two counts is found by trying all pairs of counts.
"""

import csv
import json
import random
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction
from itertools import combinations, product
from pathlib import Path

from audit.count_tables.table_rules import WHOLE
from tests.helpers.count_tables import Cell, TinyTables, inline
from tests.oracle.count_tables import LEFT_OUT, Oracle, counts_of

_FAR = 400  # no count that is drawn comes near
Key = tuple[int, Cell]
Numbers = Mapping[Key, int]


@dataclass(frozen=True)
class Published:
    """A series as its files have it, and what they mean.

    Attributes:
        series: what is published of each statistic, None where there is one.
        header: the columns of all files.
        files: the rows of each release.
        manifest: the text of the manifest.
        undecided: whether something is said that no table can hold.
        apart: the columns that each release has in a table of its own.
    """

    series: Mapping[str | None, TinyTables]
    header: Sequence[str]
    files: Sequence[Sequence[Sequence[str]]]
    manifest: str
    undecided: bool = False
    apart: Sequence[str] = ()

    def write(self, folder: Path) -> Path:
        """Write the series into a folder, and return it."""
        first, manifest = next(iter(self.series.values())), self.manifest
        first.write(folder)
        for place, rows in enumerate(self.files, 1):
            name = f"releases/{place}.csv"
            self._write(folder / name, rows, [each for each in self.header if each not in self.apart])
            if self.apart:
                some = [row for row in rows if any(row[self.header.index(each)] for each in self.apart)]
                self._write(folder / f"releases/{place} alone.csv", some[::-1], [*first.dimensions, *self.apart])
                names = json.dumps([name, f"releases/{place} alone.csv"])
                manifest = manifest.replace(json.dumps(name), f'{{ tag = "{place}", tables = {names} }}', 1)
        (folder / "series.toml").write_text(manifest, encoding="utf-8")
        return folder

    def _write(self, path: Path, rows: Sequence[Sequence[str]], columns: Sequence[str]) -> None:
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(columns)
            writer.writerows([row[self.header.index(each)] for each in columns] for row in rows)


def drawn(rng: random.Random, form: str) -> Published:
    """Return a random series in a form, whose tables about the same people share labels: others are doubted."""
    while True:
        found = FORMS[form](rng)
        if not any(map(_have_other_labels, found.series.values())) and not any(
            map(_have_remarks, found.series.values())
        ):
            return found


def _have_other_labels(series: TinyTables) -> bool:
    """Whether two releases about the same people have labels of a dimension, but none that both have."""
    if series.over_time == "independent":
        return False
    for at, name in enumerate(series.dimensions):
        labels = [{cell[at] for cell, _ in rows} - {series.totals.get(name)} for rows in series.releases]
        if any(one and other and one.isdisjoint(other) for one, other in combinations(labels, 2)):
            return True
    return False


def _have_remarks(series: TinyTables) -> bool:
    """Whether the other labels determine those of a dimension in a release, which may be remarks on its counts."""
    for at in range(len(series.dimensions)):
        for rows in series.releases:
            own = {cell: cell[at] for cell, _ in rows}
            if len(own) > 2 and len({*own.values()}) > 1 and len({(*c[:at], *c[at + 1 :]) for c in own}) == len(own):
                return True
    return False


def drawn_tables(rng: random.Random) -> TinyTables:
    """Return a random series: usually published of a table that exists, now and then with a wrong number."""
    return publish(rng, *draft(rng))[0]


def draft(rng: random.Random, least: int = 1) -> tuple[TinyTables, list[list[str]]]:
    """Return random rules, and the labels of each dimension."""
    dimensions = ("area", "age", "sex")[: rng.randint(least, 3)]
    over_time = rng.choice(["same", "cumulative", "independent"])
    rounding = rng.choice([None, None, *((b, how) for b in (3, 5) for how in ("nearest", "down", "up", "random"))])
    rounding = rng.choice([rounding, (4, "even"), (6, "midpoint")]) if rng.random() < 0.3 else rounding
    threshold = rng.choice([None, 3, 4, 6])
    top = 5 if threshold is None else threshold - 1
    markers = {"*": (1, top), **({"c": (0, None)} if rng.random() < 0.3 else {})}
    totals, categories, labels, opened = {}, {}, [], []
    for name in dimensions:
        atoms = [f"{name}{place}" for place in range(rng.randint(1, 3))]
        has_total = rng.random() < 0.8
        if has_total:
            totals[name] = "All"
        shown = [*atoms, *(["All"] if has_total else [])]
        if len(atoms) > 2 and rng.random() < 0.4:
            categories[name] = {atom: (atom,) for atom in atoms} | {
                f"{name}01": tuple(atoms[:2]),
                **({f"{name}12": tuple(atoms[1:])} if rng.random() < 0.5 else {}),
            }
            shown += [label for label in categories[name] if label not in atoms]
        if rng.random() < 0.3:
            opened.append(name)
        labels.append(shown)
    rules = TinyTables(
        dimensions=dimensions,
        releases=[],
        totals=totals,
        categories=categories,
        open=tuple(opened),
        markers=markers,
        threshold=threshold,
        rounding=rounding,
        over_time=over_time,
        min_count=rng.choice([2, 3, 6]),
        min_width=rng.choice([1, 2, 2, 3]),
    )
    return rules, labels


def publish(
    rng: random.Random,
    rules: TinyTables,
    labels: Sequence[Sequence[str]],
    *,
    plain: bool = False,
    releases: int | None = None,
    always: Collection[str] = (),
) -> tuple[TinyTables, Numbers]:
    """Return the series with releases of a random table, and the true numbers.

    With `plain` each cell is published once, and never wrong. Some labels stand `always` somewhere, in all releases.
    """
    combinations = list(product(*labels))
    shown = [
        [cell for cell in combinations if rng.random() < 0.7] or combinations[:1]
        for _ in range(releases or rng.randint(1, 3))
    ]
    for label in {label for some in labels for label in some} if plain else ():  # each label stands somewhere
        for cells in shown if label in always else shown[:1]:
            if not any(label in cell for some in ([cells] if label in always else shown) for cell in some):
                cells.append(next(cell for cell in combinations if label in cell))
    oracle = Oracle(replace(rules, releases=[[(cell, "1") for cell in combinations] for _ in shown]))
    most = rng.choice([2, 4, 9])
    truth = {cell: rng.choice([0, rng.randint(0, most), rng.randint(0, most)]) for cell in oracle.cells}
    numbers = {
        (release, cell): sum(truth[(*atom, period)] for atom in oracle.box(cell) for period in oracle.periods(release))
        for release, cells in enumerate(shown)
        for cell in cells
    }
    made = []
    for release, cells in enumerate(shown):
        rows, own = [], replace(rules, rounding=None) if release in rules.exact else rules
        for cell in cells:
            text = published(rng, own, numbers[release, cell])
            rows.append((cell, "" if rows and rng.random() < 0.03 and not plain else text))
            if rng.random() < 0.05 and not plain:  # twice in a release, perhaps a marker here and a number there
                rows.append((cell, published(rng, own, numbers[release, cell])))
        made.append(rows)
    if rng.random() < 0.1 and not plain:
        place = rng.randrange(len(made[-1]))
        cell, text = made[-1][place]
        base = (rules.rounding or (1, ""))[0]
        if text.isdigit() and (rules.rounding or ("", ""))[1] != "midpoint":
            made[-1][place] = (cell, str(int(text) + base * rng.randint(1, 2)))
    return replace(rules, releases=made), numbers


def published(rng: random.Random, rules: TinyTables, count: int) -> str:
    """Return what is published of a count."""
    threshold = rules.threshold
    if threshold is not None and 1 <= count < threshold:
        return "*"
    if threshold is None and 1 <= count <= 5 and rng.random() < 0.4:
        return "*"
    if "c" in rules.markers and rng.random() < 0.1:
        return "c"
    if rules.rounding is None:
        return str(count)
    base, how = rules.rounding
    options = [v for v in range(count + base + 1) if v % base == (base // 2 if how == "midpoint" and v else 0)]
    fitting = [v for v in options if counts_of(v, base, how)[0] <= count <= counts_of(v, base, how)[1]]
    return str(rng.choice(fitting))


def _manifest(series: TinyTables, **keys: str) -> str:
    """Return the manifest of a series, with other keys of `[table]`."""
    lines = series.manifest().splitlines()
    none = {name: "" for name in series.dimensions if name not in {*series.totals, *series.categories}}
    keys = {"totals": inline({**series.totals, **none}), **keys}
    for key, value in {**({"value": ""} if {"values", "wide"} & set(keys) else {}), **keys}.items():
        lines = [line for line in lines if not line.startswith(f"{key} =")]
        if value:
            lines.insert(lines.index("[table]") + 1, f"{key} = {value}")
    return "\n".join(lines) + "\n"


def _tidy(rng: random.Random) -> Published:
    series = drawn_tables(rng)
    files = [[[*cell, text] for cell, text in rows] for rows in series.releases]
    return Published({None: series}, [*series.dimensions, "n"], files, _manifest(series))


def _some_exact(rng: random.Random) -> Published:
    """Releases of which the office rounded some, before or after it published exact numbers."""
    rules, labels = draft(rng)
    exact, rounding = rng.choice([(0,), (1,), (0, 2), (1, 2)]), rules.rounding or (rng.choice([3, 5]), "nearest")
    rules = replace(rules, rounding=rounding, exact=exact)
    if rng.random() < 0.5:
        return _without_zeros(rng, rules, labels)
    series, _ = publish(rng, rules, labels)
    files = [[[*cell, text] for cell, text in rows] for rows in series.releases]
    return Published({None: series}, [*series.dimensions, "n"], files, _manifest(series))


def _nested(rng: random.Random) -> Published:
    """Areas by their path: several may have one name, and a region may have no parts."""
    rules, labels = draft(rng)
    paths = [("N",), ("S",)][: rng.randint(1, 2)]
    paths += [(*path, name) for path in paths for name in ("Unknown", "P") if rng.random() < 0.6]
    alone = [name for name in ("Unknown", "P") if sum(path[-1] == name for path in paths) == 1]
    name = {path: path[-1] if len(path) == 1 or path[-1] in alone else f"{path[-1]} ({path[0]})" for path in paths}
    inside = {path[:1] for path in paths if len(path) > 1}
    leaves = [path for path in paths if path not in inside]
    atoms = {name[path]: tuple(name[leaf] for leaf in leaves if leaf[: len(path)] == path) for path in paths}
    whole = rng.choice(["All", WHOLE])  # named, or not: a blank cell means it either way
    rules = replace(rules, totals=rules.totals | {"area": whole}, categories=rules.categories | {"area": atoms})
    # A label that stands in one region here, and in the other there, may have moved.
    both = {text for path, text in name.items() if text != path[-1]}
    series, _ = publish(rng, rules, [[*name.values(), whole], *labels[1:]], plain=True, always=both)
    path_of = {text: path for path, text in name.items()} | {whole: ()}
    files = [[[*(*path_of[cell[0]], "", "")[:2], *cell[1:], text] for cell, text in rows] for rows in series.releases]
    categories = "{ " + ", ".join(f'{each} = "{each}.csv"' for each in rules.categories if each != "area") + " }"
    keys = {"categories": categories, "nested": '{ area = ["region", "la"] }'}
    if whole == WHOLE:
        none = {name: "" for name in series.dimensions if name not in {*series.totals, *series.categories}}
        keys["totals"] = inline({**{name: label for name, label in series.totals.items() if name != "area"}, **none})
    manifest = _manifest(series, **keys)
    return Published({None: series}, ["region", "la", *series.dimensions[1:], "n"], files, manifest)


def _values(rng: random.Random) -> Published:
    """Two columns of counts, neither of which is part of the other."""
    series, names = _two(rng)
    around = _cells(series.values())
    series = {name: _filled(one, around) for name, one in series.items()}
    files = [
        [[*cell, *(dict(series[name].releases[release])[cell] for name in names)] for cell in cells]
        for release, cells in enumerate(around)
    ]
    header = [*series["cases"].dimensions, *names]
    manifest = _manifest(series["cases"], values=json.dumps(names), part_of='{ cases = "", beds = "" }')
    return Published(series, header, files, manifest)


def _two(rng: random.Random) -> tuple[dict[str | None, TinyTables], list[str]]:
    rules, labels = draft(rng)
    first, _ = publish(rng, rules, labels, plain=True)
    second, _ = publish(rng, rules, labels, plain=True, releases=len(first.releases))
    return {"cases": first, "beds": second}, ["cases", "beds"]


def _cells(series: Iterator[TinyTables] | Sequence[TinyTables]) -> list[list[Cell]]:
    every = [[[cell for cell, _ in rows] for rows in one.releases] for one in series]
    return [list(dict.fromkeys(cell for cells in some for cell in cells)) for some in zip(*every, strict=True)]


def _filled(series: TinyTables, cells: Sequence[Sequence[Cell]]) -> TinyTables:
    """Return a series with empty cells where a file has a place for them and nothing is published."""
    releases = [[(c, dict(rows).get(c, "")) for c in some] for rows, some in zip(series.releases, cells, strict=True)]
    return replace(series, releases=releases)


def _columns(series: TinyTables, labels: Sequence[str]) -> tuple[TinyTables, list[list[list[str]]]]:
    """Return a series whose last dimension is columns, and its files."""
    around = [list(dict.fromkeys(cell[:-1] for cell, _ in rows)) for rows in series.releases]
    filled = _filled(series, [[(*cell, label) for cell in cells for label in labels] for cells in around])
    files = []
    for rows, cells in zip(filled.releases, around, strict=True):
        texts = dict(rows)
        files.append([[*cell, *(texts[*cell, label] for label in labels)] for cell in cells])
    return filled, files


def _statistics(rng: random.Random) -> Published:
    """The same in rows that name their statistic, and what says nothing about counts."""
    series, names = _two(rng)
    header = ["what", *series["cases"].dimensions, "n"]
    files = [
        [[str(name), *cell, text] for name in names for cell, text in series[name].releases[release]]
        + [["mean age", *series["cases"].releases[release][0][0], "44.5"]]
        for release in range(len(series["cases"].releases))
    ]
    keys = {"measure": '"what"', "measures": json.dumps(names), "not_counts": '["mean age"]'}
    return Published(series, header, files, _manifest(series["cases"], part_of='{ cases = "", beds = "" }', **keys))


def _parts(rng: random.Random) -> Published:
    """A column of counts, and others that are parts of it, which may overlap."""
    rules, labels = draft(rng)
    rules = replace(rules, dimensions=rules.dimensions[:2], open=tuple(o for o in rules.open if o != "sex"))
    rules = replace(rules, totals={k: v for k, v in rules.totals.items() if k != "sex"})
    rules = replace(rules, categories={k: v for k, v in rules.categories.items() if k != "sex"})
    parts = ("deaths", "severe")[: rng.randint(1, 2)]
    atoms = {part: (part,) for part in parts}
    if len(parts) > 1:
        atoms = {part: (f"only {part}", "deaths & severe") for part in parts}
    inner = replace(
        rules,
        dimensions=(*rules.dimensions, "statistic"),
        totals=rules.totals | {"statistic": "cases"},
        categories=rules.categories | {"statistic": atoms},
        open=(*rules.open, "statistic"),
    )
    series, _ = publish(rng, inner, [*labels[:2], [*parts, "cases"]], plain=True)
    names = ["cases", *parts]
    series, files = _columns(series, names)
    said = "{ " + ", ".join(f'{part} = "cases"' for part in parts) + " }"
    categories = "{ " + ", ".join(f'{each} = "{each}.csv"' for each in rules.categories) + " }"
    shown = replace(series, dimensions=rules.dimensions, totals=rules.totals, open=rules.open)
    manifest = _manifest(shown, values=json.dumps(names), part_of=said, categories=categories)
    return Published({"cases": series}, [*rules.dimensions, *names], files, manifest)


def _wide(rng: random.Random) -> Published:
    """A dimension whose labels are columns."""
    rules, labels = draft(rng, least=2)
    series, _ = publish(rng, rules, labels, plain=True)
    *others, last = series.dimensions
    series, files = _columns(series, labels[-1])
    columns = ", ".join(f'"{label}" = "{label} n"' for label in labels[-1])
    wide = f'{{ dimension = "{last}", columns = {{ {columns} }} }}'
    return Published(
        {None: series}, [*others, *(f"{label} n" for label in labels[-1])], files, _manifest(series, wide=wide)
    )


@dataclass
class _Ties:
    """What is known of pairs of counts, by trying all of them."""

    series: TinyTables
    ends: dict[Key, tuple[int, int | None]] = field(default_factory=dict)
    ties: list[tuple[Key, Key, Callable[[int, int], bool]]] = field(default_factory=list)

    def __post_init__(self) -> None:
        oracle = Oracle(self.series)
        for release, rows in enumerate(self.series.releases):
            for cell, text in rows:
                self.ends[release, cell] = _ends(*oracle.interval(text))

    def _values(self, key: Key) -> range:
        low, high = self.ends[key]
        return range(low, (_FAR if high is None else high) + 1)

    def narrow(self) -> bool:
        """Narrow the ends of all counts; return whether pairs remain that do not go together, neither exact."""
        oracle, before = Oracle(self.series), None
        texts = {(j, cell): text for j, rows in enumerate(self.series.releases) for cell, text in rows}
        while before != self.ends:
            before = dict(self.ends)
            for one, other, fits in self.ties:
                pairs = [(x, n) for x in self._values(one) for n in self._values(other) if fits(x, n)]
                for key, found in ((one, {x for x, _ in pairs}), (other, {n for _, n in pairs})):
                    high = self.ends[key][1]
                    ends = min(found), max(found) if high is not None or max(found) < _FAR // 2 else None
                    self.ends[key] = _ends(*oracle.with_threshold(texts[key], *ends))
        return any(
            len(self._values(one)) > 1
            and len(self._values(other)) > 1
            and not all(fits(x, n) for x in self._values(one) for n in self._values(other))
            for one, other, fits in self.ties
        )


def _ends(low: float, high: float) -> tuple[int, int | None]:
    return int(low), None if high == float("inf") else int(high)


def _is_rate(rate: str, per: int) -> Callable[[int, int], bool]:
    half = Fraction(1, 2 * 10 ** len(rate.partition(".")[2]))
    return lambda count, base: abs(Fraction(rate) * base - per * count) <= half * base


def _rate(count: int, base: int, per: int, decimals: int) -> str:
    return str(Decimal(round(Fraction(per * count * 10**decimals, base))).scaleb(-decimals))


def _rates(rng: random.Random) -> Published:
    """Rates of a population that stands beside them."""
    series, numbers = publish(rng, *draft(rng), plain=True)
    per, decimals = rng.choice([(100, 1), (1000, 0), (100_000, 1)])
    oracle, told, files = Oracle(series), {}, []
    for release, rows in enumerate(series.releases):
        lines = []
        for cell, text in rows:
            count = numbers[release, cell]
            base = count + rng.randint(1, 60)
            rate = rng.choice([_rate(count, base, per, decimals)] * 3 + ["*"])
            low, high = oracle.interval(text)
            if rate != "*":
                fits = [x for x in range(_FAR) if low <= x <= high and _is_rate(rate, per)(x, base)]
                told[release, cell] = _ends(*oracle.with_threshold(text, min(fits), max(fits)))
            lines.append([*cell, text, rate, str(base)])
        files.append(lines)
    rates = f'{{ column = "rate", per = {per}, decimals = {decimals}, denominator = "people" }}'
    series = replace(series, told=told)
    header = [*series.dimensions, "n", "rate", "people"]
    return Published({None: series}, header, files, _manifest(series, rates=rates))


def _shares(rng: random.Random, *, in_cells: bool = False) -> Published:
    """Percentages of the row's total, which may be hidden or rounded itself."""
    rules, labels = draft(rng)
    rules = replace(rules, totals=rules.totals | {rules.dimensions[-1]: "All"})
    labels = [*labels[:-1], list(dict.fromkeys([*labels[-1], "All"]))]
    series, numbers = publish(rng, rules, labels, plain=True)
    known, decimals, files = _Ties(series), rng.choice([0, 1]), []
    for release, rows in enumerate(series.releases):
        lines = []
        for cell, text in rows:
            base = release, (*cell[:-1], "All")
            share = ""
            if numbers.get(base, 0) and rng.random() < 0.8:
                share = _rate(numbers[release, cell], numbers[base], 100, decimals)
                if base[1] != cell:
                    known.ties.append(((release, cell), base, _is_rate(share, 100)))
            lines.append([*cell, f"{text} ({share}%)" if share else text] if in_cells else [*cell, text, share])
        files.append(lines)
    undecided = known.narrow()
    column = "n" if in_cells else "percent"
    base = f'{{ {rules.dimensions[-1]} = "All" }}'
    rates = f'{{ column = "{column}", per = 100, decimals = {decimals}, denominator = {base} }}'
    header = [*series.dimensions, "n", *([] if in_cells else ["percent"])]
    return Published({None: replace(series, told=known.ends)}, header, files, _manifest(series, rates=rates), undecided)


def _separate_rates(rng: random.Random) -> Published:
    """The same rates in a table of their own, with the population or without."""
    return replace(_rates(rng), apart=rng.choice([["rate"], ["rate", "people"]]))


def _shares_apart(rng: random.Random) -> Published:
    """The same percentages in a table of their own."""
    return replace(_shares(rng), apart=["percent"])


def _shares_in_cells(rng: random.Random) -> Published:
    """The same as `12 (34.5%)`."""
    return _shares(rng, in_cells=True)


def _changes(rng: random.Random) -> Published:
    """What counts have changed by since an earlier release."""
    rules, labels = draft(rng)
    series, numbers = publish(rng, replace(rules, rounding=None), labels, plain=True)
    known, since, files = _Ties(series), rng.choice([1, 1, 2]), []
    for release, rows in enumerate(series.releases):
        lines = []
        for cell, text in rows:
            before, change = (release - since, cell), ""
            if before in numbers and rng.random() < 0.6:
                by = numbers[release, cell] - numbers[before]
                change = f"{by:+d}"
                known.ties.append(((release, cell), before, lambda now, then, by=by: now - then == by))
            lines.append([*cell, text, change])
        files.append(lines)
    undecided = known.narrow()
    change = f'{{ column = "change", since = {since} }}'
    return Published(
        {None: replace(series, told=known.ends)},
        [*series.dimensions, "n", "change"],
        files,
        _manifest(series, change=change),
        undecided,
    )


def _status(rng: random.Random) -> Published:
    """Markers in a column beside the count, where it is empty, or where what the file has counts as hidden."""
    series = drawn_tables(rng)
    hides = rng.random() < 0.5
    files = []
    for rows in series.releases:
        files.append([])
        for cell, text in rows:
            marked = text in series.markers
            several = marked and len({*series.markers[text]}) > 1
            beside = str(rng.randint(1, 9)) if hides and several and rng.random() < 0.5 else rng.choice(["", "x"])
            files[-1].append([*cell, beside, text] if marked else [*cell, text, rng.choice(["", "A"])])
    keys = {"status": '"s"', "not_published": '["x"]'} | ({"status_hides": "true"} if hides else {})
    return Published({None: series}, [*series.dimensions, "n", "s"], files, _manifest(series, **keys))


def _left_out(rng: random.Random) -> Published:
    """Rows that are left out because nobody is in them; releases have others of their crossings."""
    return _without_zeros(rng, *draft(rng))


def with_zeros(series: TinyTables) -> TinyTables:
    """Return a series in which cells that are blank or left out are 0, in each crossing that a release has."""
    totals = [series.totals.get(name) for name in series.dimensions]
    everywhere = {(at, label) for rows in series.releases for cell, _ in rows for at, label in enumerate(cell)}
    releases = []
    for rows in series.releases:
        cells = {cell for cell, _ in rows}
        crossings = {tuple(label != total for label, total in zip(cell, totals, strict=True)) for cell in cells}
        gone = cells - {cell for cell, text in rows if text}
        for crossing in crossings:
            own = [c for c in cells if tuple(x != t for x, t in zip(c, totals, strict=True)) == crossing]
            some = []
            for at, (name, crossed, total) in enumerate(zip(series.dimensions, crossing, totals, strict=True)):
                known = {cell[at] for cell in own} if name in series.categories else {
                    label for place, label in everywhere if place == at and label != total}  # fmt: skip
                some.append(sorted(known) if crossed else [total])
            gone |= {*product(*some)} - cells
        releases.append([*rows, *((cell, LEFT_OUT) for cell in sorted(gone, key=str))])
    return replace(series, releases=releases)


def _without_zeros(rng: random.Random, rules: TinyTables, labels: Sequence[Sequence[str]]) -> Published:
    series, _ = publish(rng, rules, labels, plain=True)
    files = [[[*cell, text] for cell, text in rows] for rows in series.releases]
    manifest = _manifest(series, absent='"zero"')
    return Published({None: with_zeros(series)}, [*series.dimensions, "n"], files, manifest)


FORMS = {
    "tidy": _tidy,
    "nested": _nested,
    "values": _values,
    "parts": _parts,
    "statistics": _statistics,
    "wide": _wide,
    "rates": _rates,
    "shares": _shares,
    "shares in cells": _shares_in_cells,
    "changes": _changes,
    "status": _status,
    "left out": _left_out,
    "some exact": _some_exact,
    "rates apart": _separate_rates,
    "shares apart": _shares_apart,
}
