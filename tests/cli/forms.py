"""Series in every form that a series can have on disk, made from the worked examples."""

import csv
import gzip
import hashlib
import io
import shutil
from collections.abc import Callable
from pathlib import Path

EXAMPLES = Path(__file__).parent.parent / "examples"

Form = Callable[[Path], None]
FORMS: dict[str, Form] = {}


def form(build: Form) -> Form:
    FORMS[build.__name__] = build
    return build


def example(name: str) -> Form:
    def build(folder: Path) -> None:
        shutil.copytree(EXAMPLES / name, folder)
        (folder / "expected.json").unlink(missing_ok=True)

    return build


FORMS.update({path.parent.name: example(path.parent.name) for path in sorted(EXAMPLES.glob("*/series.toml"))})


def read_rows(path: Path) -> list[list[str]]:
    return list(csv.reader(io.StringIO(path.read_text(encoding="utf-8"), newline="")))


def write_rows(path: Path, rows: list[list[str]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows(rows)
    path.write_text(text.getvalue(), encoding="utf-8", newline="")


def edit(path: Path, old: str, new: str) -> None:
    """Replace a text that must be there."""
    text = path.read_text(encoding="utf-8")
    assert old in text, (path.name, old)
    path.write_text(text.replace(old, new), encoding="utf-8", newline="")


def append(path: Path, text: str) -> None:
    path.write_text(path.read_text(encoding="utf-8") + text, encoding="utf-8", newline="")


def column(path: Path, name: str) -> list[str]:
    header, *rows = read_rows(path)
    return [row[header.index(name)] for row in rows]


def without(path: Path, name: str) -> None:
    """Drop a column of a CSV file."""
    header, *rows = read_rows(path)
    place = header.index(name)
    write_rows(path, [row[:place] + row[place + 1 :] for row in [header, *rows]])


@form
def keyed(folder: Path) -> None:
    """The key in files of its own; waivers and a policy."""
    example("hospital-2-invariant")(folder)
    for release in sorted(folder.glob("releases/*.csv")):
        people = column(release, "Owner")
        without(release, "Owner")
        key = [["row", "individual"], *([str(row), who] for row, who in enumerate(people))]
        write_rows(folder / "private" / f"{release.stem}.key.csv", key)
    edit(folder / "series.toml", 'individual = "Owner"\n', "")
    waiver = '\n[[waiver]]\nfinding = "intersection-00"\nreason = "consented"\nexpires = 2999-01-01\n'
    append(folder / "series.toml", "\n[policy]\nmax_risk = 0.9\nmin_e = 2\nk = 2\n" + waiver)


@form
def anatomy(folder: Path) -> None:
    """Each release a pair of rows and values."""
    example("hospital-l-diverse")(folder)
    for release in sorted(folder.glob("releases/*.csv")):
        header, *rows = read_rows(release)
        cut = header.index("Disease")
        write_rows(release.with_name(f"{release.stem}.rows.csv"), [row[:cut] for row in [header, *rows]])
        counts: dict[tuple[str, str], int] = {}
        for row in rows:
            counts[row[1], row[cut]] = counts.get((row[1], row[cut]), 0) + 1
        values = [[group, value, str(count)] for (group, value), count in counts.items()]
        write_rows(release.with_name(f"{release.stem}.values.csv"), [["Group-ID", "Disease", "count"], *values])
        release.unlink()
    pair = '{{ rows = "releases/{0}.rows.csv", values = "releases/{0}.values.csv" }}'
    edit(folder / "series.toml", '"releases/1.csv", "releases/2.csv"', ", ".join(pair.format(n) for n in "12"))


@form
def outsider(folder: Path) -> None:
    """A register of one line per person and release, hierarchies, known values, masked cells."""
    example("hospital-l-diverse-outsider")(folder)
    header, *rows = read_rows(folder / "register.csv")
    lines = [[*row[:3], tag] for row in rows for tag in "12" if row[3] <= tag <= row[4]]
    write_rows(folder / "register.csv", [[*header[:3], "release"], *lines])
    for release in folder.glob("releases/*.csv"):
        head, *cells = read_rows(release)
        ages = [["young" if row[1] in ("[21, 22]", "[21, 23]") else "*", row[2]] for row in cells]
        write_rows(release, [head, *([row[0], *age, row[3]] for row, age in zip(cells, ages, strict=True))])
    ages = sorted({row[1] for row in rows})
    leaves = [[age, "young" if age <= "23" else "old", "*"] for age in ages]
    (folder / "hierarchies").mkdir()
    (folder / "hierarchies/age.csv").write_text("".join(";".join(leaf) + "\n" for leaf in leaves))
    edit(
        folder / "series.toml",
        'sensitive = "Disease"\n',
        'sensitive = "Disease"\nhierarchies = { Age = "hierarchies/age.csv" }\n',
    )
    write_rows(folder / "known.csv", [["individual", "value", "release"], ["Bob", "dyspepsia", "1"]])
    append(folder / "series.toml", 'known = "known.csv"\n')


@form
def everything(folder: Path) -> None:
    """A column with the key, and a register and known values beside it; a private folder."""
    example("hospital-l-diverse")(folder)
    shutil.copy(EXAMPLES / "hospital-l-diverse-outsider" / "register.csv", folder)
    write_rows(folder / "known.csv", [["individual", "value"], ["Bob", "dyspepsia"], ["Gary", "flu"]])
    append(folder / "series.toml", '\n[adversary]\nregister = "register.csv"\nknown = "known.csv"\n')
    (folder / "private").mkdir()


@form
def counted(folder: Path) -> None:
    """Aggregated: a row stands for several people, seen through a register."""
    example("hospital-l-diverse-outsider")(folder)
    for release in folder.glob("releases/*.csv"):
        header, *rows = read_rows(release)
        write_rows(release, [[*header, "count"], *([*row, str(1 + place % 2)] for place, row in enumerate(rows))])
    edit(
        folder / "series.toml",
        'group = "Group-ID"\n',
        'group = "Group-ID"\ncount = "count"\ntypes = { Age = "numeric" }\n',
    )


@form
def changing(folder: Path) -> None:
    """Transitions with probabilities, and somebody whose value is known in one release."""
    example("ward-l-diverse")(folder)
    header, *rows = read_rows(folder / "transitions.csv")
    times = {row[0]: sum(other[0] == row[0] for other in rows) for row in rows}
    write_rows(folder / "transitions.csv", [[*header, "probability"], *([*row, f"1/{times[row[0]]}"] for row in rows)])
    write_rows(folder / "known.csv", [["individual", "value", "release"], ["Tom", "pneumonia", "2"]])
    edit(folder / "series.toml", "[adversary]\n", '[adversary]\nknown = "known.csv"\n')


@form
def two_values(folder: Path) -> None:
    """Two sensitive columns, no group column, `missing` cells, releases named by a glob."""
    example("hospital-l-diverse")(folder)
    for release in folder.glob("releases/*.csv"):
        header, *rows = read_rows(release)
        write_rows(
            release, [[*header, "Ward"], *([*row, "east" if place % 3 else "?"] for place, row in enumerate(rows))]
        )
        without(release, "Group-ID")
    edit(folder / "series.toml", '"releases/1.csv", "releases/2.csv"', '"releases/*.csv"')
    edit(folder / "series.toml", 'sensitive = "Disease"', 'sensitive = ["Disease", "Ward"]\nmissing = ["?"]')
    edit(folder / "series.toml", 'group = "Group-ID"\n', "")


def _converted(name: str, ending: str, convert: Callable[[Path], None]) -> Form:
    def build(folder: Path) -> None:
        FORMS[name](folder)
        for release in sorted(folder.glob("releases/*.csv")):
            convert(release)
            release.unlink()
            edit(folder / "series.toml", f'"releases/{release.name}"', f'"releases/{release.stem}{ending}"')

    return build


def to_gzip(path: Path) -> None:
    path.with_name(path.name + ".gz").write_bytes(gzip.compress(path.read_bytes(), mtime=0))


def to_parquet(path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    header, *rows = read_rows(path)
    arrays = [_array(list(cells)) for cells in zip(*rows, strict=True)]
    pq.write_table(pa.table(dict(zip(header, arrays, strict=True))), path.with_suffix(".parquet"))


def _array(cells: list[str]):
    import pyarrow as pa

    return pa.array([int(cell) for cell in cells]) if all(cell.isdigit() for cell in cells) else pa.array(cells)


FORMS["gzipped"] = _converted("hospital-l-diverse", ".csv.gz", to_gzip)
FORMS["gzipped-outsider"] = _converted("hospital-l-diverse-outsider", ".csv.gz", to_gzip)
FORMS["parquet"] = _converted("hospital-2-invariant", ".parquet", to_parquet)
FORMS["parquet-outsider"] = _converted("counted", ".parquet", to_parquet)


def private_texts(folder: Path) -> set[str]:
    """Identifiers, register cells and known values that are long enough to be recognized in a message."""
    found: set[str] = set()
    for path in [*folder.glob("releases/*.csv"), *folder.glob("private/*.csv"), *folder.glob("*.csv")]:
        header, *rows = read_rows(path)
        places = [place for place, name in enumerate(header) if name in ("Owner", "individual")]
        if path.name == "register.csv":
            places = [place for place, name in enumerate(header) if name not in ("first", "last", "release")]
        found |= {row[place] for row in rows for place in places}
    return {text for text in found if len(text) > 2}


def snapshot(folder: Path) -> dict[str, str]:
    """What every path below a folder is, and a hash of every file's content."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_symlink():
            found[name] = f"link to {path.readlink()}"
        elif path.is_file():
            found[name] = hashlib.sha256(path.read_bytes()).hexdigest()
        else:
            found[name] = "folder"
    return found
