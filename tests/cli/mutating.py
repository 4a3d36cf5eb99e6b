"""Ways to spoil a series on disk; each is random, but drawn from the generator that it is given."""

import gzip
import random
from collections.abc import Callable
from pathlib import Path

from tests.cli.forms import append, edit, read_rows, write_rows

Mutation = Callable[[Path, random.Random], None]
MUTATIONS: dict[str, Mutation] = {}
ALWAYS_REFUSED: set[str] = set()
MAKES_PRIVATE_PUBLIC: set[str] = set()

HOSTILE = (
    "=cmd()",
    "=cmd|' /C calc'!A0",
    "<script>alert(1)</script>",
    "../../etc/passwd",
    "a\0b",
    "\x1b[2J\x1b[31mred",
    "line\nbreak",
    "tab\tand\rreturn",
    "\u202egnp.exe",
    "'; DROP TABLE people; --",
    "{0.__class__}",
    "%s%n",
    "[bold red]markup[/]",
    "~",
    "~ghost",
    "-1",
    "NaN",
    "1e999999999",
    "٣",
    "*" * 50,
    "[3, 1]",
    "{}",
    "{,}",
    "a,b;c",
    "𝔘𝔫𝔦",
    "e\u0301",
    " ",
    "x" * (1 << 20),
    "1" * 5000,
)


class NotHere(Exception):
    """The series has nothing that this mutation could spoil."""


def mutation(mutate: Mutation) -> Mutation:
    MUTATIONS[mutate.__name__] = mutate
    return mutate


def refused(mutate: Mutation) -> Mutation:
    """A mutation that no series survives: exit 2, whatever it hits."""
    ALWAYS_REFUSED.add(mutate.__name__)
    return mutation(mutate)


def pick(rng: random.Random, found):
    found = sorted(found)
    if not found:
        raise NotHere
    return rng.choice(found)


def any_file(folder: Path, rng: random.Random) -> Path:
    return pick(rng, [path for path in folder.rglob("*") if path.is_file()])


def csv_file(folder: Path, rng: random.Random) -> Path:
    return pick(rng, folder.rglob("*.csv"))


def release_file(folder: Path, rng: random.Random) -> Path:
    return pick(rng, [path for path in folder.glob("releases/*") if path.is_file()])


def named(folder: Path, rng: random.Random, pattern: str) -> Path:
    return pick(rng, folder.glob(pattern))


def change_bytes(path: Path, change: Callable[[bytes], bytes]) -> None:
    """Change a file's content, inside its compression where it has one."""
    data = path.read_bytes()
    if path.suffix == ".gz":
        path.write_bytes(gzip.compress(change(gzip.decompress(data)), mtime=0))
    else:
        path.write_bytes(change(data))


def flip(data: bytes, rng: random.Random, times: int) -> bytes:
    spoilt = bytearray(data)
    for _ in range(times if spoilt else 0):
        spoilt[rng.randrange(len(spoilt))] ^= 1 << rng.randrange(8)
    return bytes(spoilt)


def change_cell(path: Path, rng: random.Random, text: str, names: tuple[str, ...] = ()) -> None:
    header, *rows = read_rows(path)
    places = [place for place, name in enumerate(header) if not names or name in names]
    if not (rows and places):
        raise NotHere
    row, place = rng.choice(rows), rng.choice(places)
    row[place : place + 1] = [text]
    write_rows(path, [header, *rows])


def change_rows(path: Path, change: Callable[[list[list[str]]], list[list[str]]]) -> None:
    header, *rows = read_rows(path)
    write_rows(path, [header, *change(rows)])


# -- bytes ----------------------------------------------------------------------------------------------


@mutation
def flipped_bytes(folder: Path, rng: random.Random) -> None:
    path = any_file(folder, rng)
    path.write_bytes(flip(path.read_bytes(), rng, rng.choice([1, 1, 2, 5, 30])))


@mutation
def random_bytes_instead(folder: Path, rng: random.Random) -> None:
    any_file(folder, rng).write_bytes(rng.randbytes(rng.choice([1, 10, 1000])))


@mutation
def cut_short(folder: Path, rng: random.Random) -> None:
    path = any_file(folder, rng)
    data = path.read_bytes()
    path.write_bytes(data[: rng.randrange(len(data))])


@mutation
def nul_bytes(folder: Path, rng: random.Random) -> None:
    path = any_file(folder, rng)
    data = path.read_bytes()
    at = rng.randrange(len(data))
    path.write_bytes(data[:at] + b"\0" * rng.choice([1, 100]) + data[at:])


@mutation
def utf_16(folder: Path, rng: random.Random) -> None:
    path = csv_file(folder, rng)
    path.write_bytes(path.read_text(encoding="utf-8").encode(rng.choice(["utf-16", "utf-16-le", "utf-32"])))


@mutation
def byte_order_mark(folder: Path, rng: random.Random) -> None:
    change_bytes(csv_file(folder, rng), lambda data: b"\xef\xbb\xbf" * rng.choice([1, 1, 2]) + data)


@mutation
def other_line_ends(folder: Path, rng: random.Random) -> None:
    ends = rng.choice([b"\r\n", b"\r", b"\n\r", b"\n\n", b" \n", b"\v", "\u2028".encode()])
    path = pick(rng, [*folder.rglob("*.csv"), folder / "series.toml"])
    change_bytes(path, lambda data: data.replace(b"\n", ends))


@mutation
def flipped_gzip(folder: Path, rng: random.Random) -> None:
    path = named(folder, rng, "releases/*.gz")
    path.write_bytes(flip(path.read_bytes(), rng, rng.choice([1, 3])))


@mutation
def flipped_parquet(folder: Path, rng: random.Random) -> None:
    path = named(folder, rng, "releases/*.parquet")
    path.write_bytes(flip(path.read_bytes(), rng, rng.choice([1, 1, 2, 10])))


@mutation
def other_ending(folder: Path, rng: random.Random) -> None:
    """A file whose name says that it is something else."""
    path = release_file(folder, rng)
    stem = path.name.split(".")[0]
    new = path.with_name(stem + rng.choice([".csv", ".csv.gz", ".parquet", ".txt", "", ".CSV"]))
    path.rename(new)
    edit(folder / "series.toml", "[series]", "[series]") if "*" in (folder / "series.toml").read_text() else edit(
        folder / "series.toml", path.name, new.name
    )


# -- tables ---------------------------------------------------------------------------------------------


@mutation
def dropped_column(folder: Path, rng: random.Random) -> None:
    path = csv_file(folder, rng)
    rows = read_rows(path)
    place = rng.randrange(len(rows[0]))
    write_rows(path, [row[:place] + row[place + 1 :] for row in rows])


@mutation
def renamed_column(folder: Path, rng: random.Random) -> None:
    path = csv_file(folder, rng)
    header, *rows = read_rows(path)
    place = rng.randrange(len(header))
    header[place] = rng.choice([header[place].lower() + "_", "", header[place - 1], f" {header[place]} ", *HOSTILE])
    write_rows(path, [header, *rows])


@mutation
def two_headers(folder: Path, rng: random.Random) -> None:
    path = csv_file(folder, rng)
    header, *rows = read_rows(path)
    write_rows(path, [header, header, *rows])


@mutation
def extra_column(folder: Path, rng: random.Random) -> None:
    path = csv_file(folder, rng)
    header, *rows = read_rows(path)
    write_rows(path, [[*header, rng.choice(HOSTILE)], *([*row, rng.choice(HOSTILE)] for row in rows)])


@mutation
def ragged_side_line(folder: Path, rng: random.Random) -> None:
    path = csv_file(folder, rng)
    lines = path.read_text(encoding="utf-8").splitlines()
    at = rng.randrange(len(lines))
    lines[at] = rng.choice([lines[at] + ",x", lines[at].rpartition(",")[0], "", ",", " ", ",,,,,,,"])
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


@mutation
def stray_quote(folder: Path, rng: random.Random) -> None:
    path = csv_file(folder, rng)
    text = path.read_text(encoding="utf-8")
    at = rng.randrange(len(text))
    path.write_text(text[:at] + rng.choice(['"', '""', '"x"', "'"]) + text[at:], encoding="utf-8", newline="")


@mutation
def other_delimiter(folder: Path, rng: random.Random) -> None:
    path = csv_file(folder, rng)
    path.write_text(path.read_text(encoding="utf-8").replace(",", rng.choice([";", "\t", "|"])), encoding="utf-8")


@mutation
def empty_side_file(folder: Path, rng: random.Random) -> None:
    path = pick(rng, [path for path in folder.rglob("*.csv") if path.parent.name != "releases"])
    path.write_bytes(rng.choice([b"", b"\n", b"\0"]))


@mutation
def only_a_header_beside(folder: Path, rng: random.Random) -> None:
    path = pick(rng, [path for path in folder.rglob("*.csv") if path.parent.name != "releases"])
    change_rows(path, lambda rows: [])


@mutation
def emptied_cell(folder: Path, rng: random.Random) -> None:
    change_cell(csv_file(folder, rng), rng, rng.choice(["", " ", "\t"]))


@mutation
def emptied_column(folder: Path, rng: random.Random) -> None:
    path = csv_file(folder, rng)
    header, *rows = read_rows(path)
    place = rng.randrange(len(header))
    write_rows(path, [header, *([*row[:place], "", *row[place + 1 :]] for row in rows)])


@mutation
def hostile_cell(folder: Path, rng: random.Random) -> None:
    change_cell(csv_file(folder, rng), rng, rng.choice(HOSTILE))


@mutation
def huge_cell(folder: Path, rng: random.Random) -> None:
    text = rng.choice(["x", "1", ",", "{", "*", "[", "-", "a,", '"', "\n", "é", "0.", "=", "["]) * (1 << 20)
    change_cell(csv_file(folder, rng), rng, text[: 1 << 20])


@mutation
def duplicated_row(folder: Path, rng: random.Random) -> None:
    change_rows(csv_file(folder, rng), lambda rows: [*rows, *rng.sample(rows, min(len(rows), rng.choice([1, 2])))])


@mutation
def shuffled_rows(folder: Path, rng: random.Random) -> None:
    change_rows(csv_file(folder, rng), lambda rows: rng.sample(rows, len(rows)))


@mutation
def one_row(folder: Path, rng: random.Random) -> None:
    change_rows(csv_file(folder, rng), lambda rows: rows[:1])


# -- files ----------------------------------------------------------------------------------------------


@refused
def missing_file(folder: Path, rng: random.Random) -> None:
    path = pick(rng, [path for path in folder.rglob("*") if path.is_file() and path.parent.name != "private"])
    if "*" in (folder / "series.toml").read_text(encoding="utf-8") and path.name != "series.toml":
        raise NotHere
    path.unlink()


@mutation
def missing_key(folder: Path, rng: random.Random) -> None:
    named(folder, rng, "private/*.key.csv").unlink()


@refused
def folder_instead_of_a_file(folder: Path, rng: random.Random) -> None:
    path = any_file(folder, rng)
    path.unlink()
    path.mkdir()


@mutation
def link_inside_the_folder(folder: Path, rng: random.Random) -> None:
    path = any_file(folder, rng)
    real = path.with_name(f"real-{path.name}")
    path.rename(real)
    path.symlink_to(real.name)


@refused
def link_to_itself(folder: Path, rng: random.Random) -> None:
    path = any_file(folder, rng)
    path.unlink()
    if rng.random() < 0.5:
        path.symlink_to(path.name)
    else:
        path.symlink_to(f"other-{path.name}")
        path.with_name(f"other-{path.name}").symlink_to(path.name)


@mutation
def odd_things_in_private(folder: Path, rng: random.Random) -> None:
    private = folder / "private"
    kind = rng.randrange(4)
    if kind == 0 and not private.exists():
        private.write_text("a file\n")
    elif kind == 1:
        (private / "finding.key").mkdir(parents=True)
    elif kind == 2:
        private.mkdir(exist_ok=True)
        (private / "finding.key").write_bytes(rng.choice([b"", b"\xff\xff", b"short", b"00" * 40]))
    elif not private.exists():
        private.symlink_to("..")


@mutation
def hostile_release_name(folder: Path, rng: random.Random) -> None:
    """A release whose file, and so its tag, has a hostile name."""
    path = pick(rng, folder.glob("releases/[0-9].csv"))
    names = [text for text in HOSTILE if "\0" not in text and "/" not in text and 0 < len(text) < 200]
    name = rng.choice([*names, "x" * 250, "..", "a\\b", "con", "é\udcff", "r.rows", "*", "[1]", ".gz", "a" * 249])
    manifest = folder / "series.toml"
    if "*" in manifest.read_text(encoding="utf-8"):
        raise NotHere
    path.rename(path.with_name(f"{name}.csv"))
    written = name.encode("utf-8", "replace").decode()
    written = "".join(f"\\u{ord(c):04x}" if c < " " or c in '"\\' else c for c in written)
    edit(manifest, f'"releases/{path.name}"', f'"releases/{written}.csv"')


# -- the manifest ---------------------------------------------------------------------------------------

WRONG_TYPES = (
    "1",
    "true",
    "1.5",
    '""',
    '" "',
    "[]",
    "[1]",
    '["a", "a"]',
    "{}",
    "{ a = 1 }",
    "2020-01-01",
    '"' + "x" * 300 + '"',
    "[[]]",
    '[""]',
)


@mutation
def wrong_type(folder: Path, rng: random.Random) -> None:
    """Another type of value for one key of the manifest."""
    path = folder / "series.toml"
    lines = path.read_text(encoding="utf-8").splitlines()
    at = rng.choice([place for place, line in enumerate(lines) if " = " in line])
    lines[at] = f"{lines[at].partition(' = ')[0]} = {rng.choice(WRONG_TYPES)}"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


KEYS = {
    "series": ("name", "releases"),
    "columns": (
        "sensitive",
        "quasi_identifiers",
        "group",
        "individual",
        "record",
        "count",
        "hierarchies",
        "types",
        "missing",
    ),
    "adversary": ("register", "transitions", "known"),
    "policy": ("max_risk", "min_e", "k"),
}


@mutation
def odd_key(folder: Path, rng: random.Random) -> None:
    """A key of the manifest that is set to something odd, whether it was there or not."""
    table = rng.choice(sorted(KEYS))
    key = rng.choice(KEYS[table])
    odd = rng.choice(
        [*WRONG_TYPES, '"Disease"', '"Owner"', '["Age"]', '"series.toml"', '"."', '"releases"', '"/etc/passwd"']
    )
    set_key(folder, table, key, odd)


def set_key(folder: Path, table: str, key: str, value: str) -> None:
    path = folder / "series.toml"
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith(f"{key} = ")]
    if f"[{table}]" not in lines:
        lines.append(f"[{table}]")
    lines.insert(lines.index(f"[{table}]") + 1, f"{key} = {value}")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


MAKES_PRIVATE_PUBLIC |= {"odd_key", "wrong_type"}


@mutation
def table_of_another_type(folder: Path, rng: random.Random) -> None:
    path = folder / "series.toml"
    table = rng.choice(["series", "columns", "adversary", "counterfeits", "policy", "waiver"])
    text = (
        path.read_text(encoding="utf-8").replace(f"[{table}]\n", f"[old-{table}]\n").replace(f"[[{table}]]", "[[old]]")
    )
    path.write_text(f"{table} = {rng.choice(WRONG_TYPES)}\n{text}", encoding="utf-8")


@refused
def not_toml(folder: Path, rng: random.Random) -> None:
    odd = [
        "[",
        "=",
        "a = ",
        "a = 'x",
        "a = 1\na = 2\n",
        "[series]\n",
        "x = " + "[" * 2000,
        "n = " + "9" * 5000,
        "\x00",
        "é\x7f",
    ]
    append(folder / "series.toml", f"\n{rng.choice(odd)}")


@mutation
def odd_releases(folder: Path, rng: random.Random) -> None:
    odd = [
        '"releases/1.csv"',
        '["releases/1.csv"]',
        '["releases/1.csv", "releases/1.csv"]',
        '["releases/*"]',
        '["**"]',
        '["**/*.csv"]',
        '["[.csv"]',
        '["releases/[!x].csv"]',
        '["*.csv"]',
        '[""]',
        '["."]',
        '[{ rows = "releases/1.csv" }]',
        "[{ rows = 1, values = 2 }]",
        '[{ rows = "releases/1.csv", values = "releases/1.csv" }]',
        '[{ rows = "releases/1.csv", values = "releases/2.csv", more = "x" }]',
        f'["releases/{"x" * 300}.csv"]',
        f'["{"x/" * 3000}1.csv"]',
        '["releases/1.csv\\u0000"]',
        '["releases/1.csv", 7]',
        '["releases/nothing-*.csv"]',
        '["counterfeits/2.csv"]',
        '["series.toml"]',
        '["private/1.key.csv"]',
        '["register.csv"]',
    ]
    set_key(folder, "series", "releases", rng.choice(odd))


MAKES_PRIVATE_PUBLIC.add("odd_releases")


@mutation
def odd_policy(folder: Path, rng: random.Random) -> None:
    key = rng.choice(KEYS["policy"])
    odd = [
        "0",
        "-1",
        "1.1",
        "nan",
        "inf",
        "-inf",
        "true",
        '"1"',
        "1e-320",
        "9" * 400,
        "0x" + "f" * 5000,
        "2.0",
        "[]",
        "0.5",
        "3",
    ]
    set_key(folder, "policy", key, rng.choice(odd))


@mutation
def odd_waiver(folder: Path, rng: random.Random) -> None:
    entries = [
        'finding = "intersection-00"\nreason = "x"\n',
        'finding = "intersection-00"\nreason = "x"\nexpires = "2030-01-01"\n',
        'finding = "intersection-00"\nreason = "x"\nexpires = 2030\n',
        'finding = "intersection-00"\nreason = "x"\nexpires = 12:00:00\n',
        'finding = "intersection-00"\nreason = "x"\nexpires = 0001-01-01\n',
        'finding = "intersection-00"\nreason = "x"\nexpires = 9999-12-31T23:59:59Z\n',
        'finding = "<script>"\nreason = "\\u001b[31m"\nexpires = 2999-01-01\n',
        'finding = 3\nreason = "x"\nexpires = 2999-01-01\n',
        'finding = ""\nreason = "x"\nexpires = 2999-01-01\n',
        'reason = "x"\nexpires = 2999-01-01\n',
        'finding = "intersection-00"\nexpires = 2999-13-01\n',
        'finding = "intersection-00"\nreason = "x"\nexpires = 2999-01-01\nwho = "me"\n',
        "",
    ]
    append(folder / "series.toml", f"\n[[waiver]]\n{rng.choice(entries)}")


# -- what stands beside the releases --------------------------------------------------------------------


@refused
def broken_key_file(folder: Path, rng: random.Random) -> None:
    path = named(folder, rng, "private/*.key.csv")
    header, *rows = read_rows(path)
    kind = rng.randrange(4)
    row = rng.choice(rows)
    if kind == 0:
        rows.append(row)
    elif kind == 1:
        row[0] = rng.choice(["99", "-1", "x", "", "1.0", "1e9", "9" * 30, " 0x1"])
    elif kind == 2:
        header = ["row", "who"]
    else:
        named_rows = [row for row in rows if row[1]]
        named_rows[0][1] = named_rows[1][1]
    write_rows(path, [header, *rows])


@mutation
def key_file_with_holes(folder: Path, rng: random.Random) -> None:
    """Rows that a key file does not list are those of strangers."""
    path = named(folder, rng, "private/*.key.csv")
    header, *rows = read_rows(path)
    write_rows(path, [header, *rng.choice([rows[1:], []])])
