"""Ways to spoil a series on disk; each is random, but drawn from the generator that it is given."""

import gzip
import random
from collections.abc import Callable
from pathlib import Path

from tests.cli.forms import append, edit, read_rows, write_rows

HOSTILE = (
    "=cmd()", "=cmd|' /C calc'!A0", "<script>alert(1)</script>", "../../etc/passwd", "a\0b", "\x1b[2J\x1b[31mred",
    "line\nbreak", "tab\tand\rreturn", "\u202egnp.exe", "'; DROP TABLE people; --", "{0.__class__}", "%s%n",
    "[bold red]markup[/]", "~", "~ghost", "-1", "NaN", "1e999999999", "٣", "*" * 50, "[3, 1]", "{}", "{,}", "a,b;c",
    "𝔘𝔫𝔦", "e\u0301", " ", "x" * (1 << 20), "1" * 5000,
)  # fmt: skip


class NotHere(Exception):
    """The series has nothing that this mutation could spoil."""


def pick(rng: random.Random, found):
    found = sorted(found)
    if not found:
        raise NotHere
    return rng.choice(found)


def any_file(folder: Path, rng: random.Random) -> Path:
    return pick(rng, [path for path in folder.rglob("*") if path.is_file()])


def csv_file(folder: Path, rng: random.Random) -> Path:
    return pick(rng, folder.rglob("*.csv"))


def beside(folder: Path, rng: random.Random) -> Path:
    return pick(rng, [path for path in folder.rglob("*.csv") if path.parent.name != "releases"])


def named(pattern: str) -> Callable[[Path, random.Random], Path]:
    return lambda folder, rng: pick(rng, folder.glob(pattern))


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


def change_cell(path: Path, rng: random.Random, text: str) -> None:
    header, *rows = read_rows(path)
    if not (rows and header):
        raise NotHere
    row, place = rng.choice(rows), rng.randrange(len(header))
    row[place : place + 1] = [text]
    write_rows(path, [header, *rows])


def inserted(data: bytes, rng: random.Random, more: bytes) -> bytes:
    at = rng.randrange(len(data))
    return data[:at] + more + data[at:]


# -- bytes of a file: which file, and what becomes of its content --------------------------------------------

BYTES = {
    "flipped bytes": (any_file, lambda data, rng: flip(data, rng, rng.choice([1, 1, 2, 5, 30]))),
    "flipped gzip": (named("releases/*.gz"), lambda data, rng: flip(data, rng, rng.choice([1, 3]))),
    "flipped parquet": (named("releases/*.parquet"), lambda data, rng: flip(data, rng, rng.choice([1, 1, 2, 10]))),
    "random bytes": (any_file, lambda data, rng: rng.randbytes(rng.choice([1, 10, 1000]))),
    "cut short": (any_file, lambda data, rng: data[: rng.randrange(len(data))]),
    "nul bytes": (any_file, lambda data, rng: inserted(data, rng, b"\0" * rng.choice([1, 100]))),
    "UTF-16": (csv_file, lambda data, rng: data.decode().encode(rng.choice(["utf-16", "utf-16-le", "utf-32"]))),
    "byte order mark": (csv_file, lambda data, rng: b"\xef\xbb\xbf" * rng.choice([1, 1, 2]) + data),
    "other line ends": (
        lambda folder, rng: pick(rng, [*folder.rglob("*.csv"), folder / "series.toml"]),
        lambda data, rng: data.replace(
            b"\n", rng.choice([b"\r\n", b"\r", b"\n\r", b"\n\n", b" \n", b"\v", "\u2028".encode()])
        ),
    ),
    "stray quote": (csv_file, lambda data, rng: inserted(data, rng, rng.choice([b'"', b'""', b'"x"', b"'"]))),
    "other delimiter": (csv_file, lambda data, rng: data.replace(b",", rng.choice([b";", b"\t", b"|"]))),
    "empty file beside": (beside, lambda data, rng: rng.choice([b"", b"\n", b"\0"])),
}


# -- rows of a table: which file, and what becomes of its header and rows ------------------------------------


def renamed_column(header, rows, rng):
    place = rng.randrange(len(header))
    odd = [header[place].lower() + "_", "", header[place - 1], f" {header[place]} ", *HOSTILE]
    return [[*header[:place], rng.choice(odd), *header[place + 1 :]], *rows]


def in_column(text: list[str]):
    """Put some cells, or none, in the place of a column's."""

    def changed(header, rows, rng):
        place = rng.randrange(len(header))
        head = header[: place + 1] if text else header[:place]
        return [[*head, *header[place + 1 :]], *([*row[:place], *text, *row[place + 1 :]] for row in rows)]

    return changed


def ragged(header, rows, rng):
    every = [header, *rows]
    at = rng.randrange(len(every))
    return [*every[:at], rng.choice([[*every[at], "x"], every[at][:-1], [], [""] * 8]), *every[at + 1 :]]


def broken_key(header, rows, rng):
    """A key that no series survives."""
    row = rng.choice(rows)
    kind = rng.randrange(4)
    if kind == 0:
        return [header, *rows, row]
    if kind == 1:
        row[0] = rng.choice(["99", "-1", "x", "", "1.0", "1e9", "9" * 30, " 0x1"])
    if kind == 3:
        one, other, *_ = [each for each in rows if each[1]]
        one[1] = other[1]
    return [["row", "who"] if kind == 2 else header, *rows]


def again(header, rows, rng):
    return [header, *rows, *rng.sample(rows, min(len(rows), rng.choice([1, 2])))]


ROWS = {
    "dropped column": (csv_file, in_column([])),
    "emptied column": (csv_file, in_column([""])),
    "renamed column": (csv_file, renamed_column),
    "two headers": (csv_file, lambda header, rows, rng: [header, header, *rows]),
    "extra column": (csv_file, lambda header, rows, rng: [[*row, rng.choice(HOSTILE)] for row in [header, *rows]]),
    "ragged line": (csv_file, ragged),
    "only a header beside": (beside, lambda header, rows, rng: [header]),
    "duplicated row": (csv_file, again),
    "shuffled rows": (csv_file, lambda header, rows, rng: [header, *rng.sample(rows, len(rows))]),
    "one row": (csv_file, lambda header, rows, rng: [header, *rows[:1]]),
    "broken key": (named("private/*.key.csv"), broken_key),
    "key with holes": (named("private/*.key.csv"), lambda header, rows, rng: [header, *rng.choice([rows[1:], []])]),
}
CELLS = {
    "emptied cell": ["", " ", "\t"],
    "hostile cell": HOSTILE,
    "huge cell": [(text * (1 << 20))[: 1 << 20] for text in ("x", "1", ",", "{", "*", "[", "-", "a,", '"', "\n", "é")],
}


# -- files ---------------------------------------------------------------------------------------------------


def lists_by_pattern(folder: Path) -> bool:
    return "*" in (folder / "series.toml").read_text(encoding="utf-8")


def missing_file(folder: Path, rng: random.Random) -> None:
    path = pick(rng, [path for path in folder.rglob("*") if path.is_file() and path.parent.name != "private"])
    if lists_by_pattern(folder) and path.name != "series.toml":
        raise NotHere
    path.unlink()


def other_ending(folder: Path, rng: random.Random) -> None:
    """A file whose name says that it is something else."""
    path = pick(rng, [path for path in folder.glob("releases/*") if path.is_file()])
    new = path.with_name(path.name.split(".")[0] + rng.choice([".csv", ".csv.gz", ".parquet", ".txt", "", ".CSV"]))
    path.rename(new)
    if not lists_by_pattern(folder):
        edit(folder / "series.toml", path.name, new.name)


def folder_instead_of_a_file(folder: Path, rng: random.Random) -> None:
    path = any_file(folder, rng)
    path.unlink()
    path.mkdir()


def link_inside_the_folder(folder: Path, rng: random.Random) -> None:
    path = any_file(folder, rng)
    path.symlink_to(path.rename(path.with_name(f"real-{path.name}")).name)


def link_to_itself(folder: Path, rng: random.Random) -> None:
    path = any_file(folder, rng)
    path.unlink()
    other = path.with_name(rng.choice([path.name, f"other-{path.name}"]))
    path.symlink_to(other.name)
    if other != path:
        other.symlink_to(path.name)


def odd_things_in_private(folder: Path, rng: random.Random) -> None:
    private, kind = folder / "private", rng.randrange(4)
    if kind == 0 and not private.exists():
        private.write_text("a file\n")
    elif kind == 1:
        (private / "finding.key").mkdir(parents=True)
    elif kind == 2:
        private.mkdir(exist_ok=True)
        (private / "finding.key").write_bytes(rng.choice([b"", b"\xff\xff", b"short", b"00" * 40]))
    elif not private.exists():
        private.symlink_to("..")


def hostile_release_name(folder: Path, rng: random.Random) -> None:
    """A release whose file, and so its tag, has a hostile name."""
    path = pick(rng, folder.glob("releases/[0-9].csv"))
    names = [text for text in HOSTILE if "\0" not in text and "/" not in text and 0 < len(text) < 200]
    name = rng.choice([*names, "x" * 250, "..", "a\\b", "con", "é\udcff", "r.rows", "*", "[1]", ".gz", "a" * 249])
    if lists_by_pattern(folder):
        raise NotHere
    path.rename(path.with_name(f"{name}.csv"))
    written = name.encode("utf-8", "replace").decode()
    written = "".join(f"\\u{ord(c):04x}" if c < " " or c in '"\\' else c for c in written)
    edit(folder / "series.toml", f'"releases/{path.name}"', f'"releases/{written}.csv"')


# -- the manifest: a key, and what it is set to ----------------------------------------------------------------

WRONG_TYPES = (
    "1", "true", "1.5", '""', '" "', "[]", "[1]", '["a", "a"]', "{}", "{ a = 1 }", "2020-01-01", f'"{"x" * 300}"',
    "[[]]", '[""]',
)  # fmt: skip
KEYS = {
    "series": ("name", "releases"),
    "columns": ("sensitive", "quasi_identifiers", "group", "individual", "record", "count", "hierarchies", "types",
                "missing"),
    "adversary": ("register", "transitions", "known"),
    "policy": ("max_risk", "min_e", "k"),
}  # fmt: skip
ODD = (*WRONG_TYPES, '"Disease"', '"Owner"', '["Age"]', '"series.toml"', '"."', '"releases"', '"/etc/passwd"')
RELEASES = (
    '"releases/1.csv"', '["releases/1.csv"]', '["releases/1.csv", "releases/1.csv"]', '["releases/*"]', '["**"]',
    '["**/*.csv"]', '["[.csv"]', '["releases/[!x].csv"]', '["*.csv"]', '[""]', '["."]', '[{ rows = "releases/1.csv" }]',
    "[{ rows = 1, values = 2 }]", '[{ rows = "releases/1.csv", values = "releases/1.csv" }]',
    '[{ rows = "releases/1.csv", values = "releases/2.csv", more = "x" }]', f'["releases/{"x" * 300}.csv"]',
    f'["{"x/" * 3000}1.csv"]', '["releases/1.csv\\u0000"]', '["releases/1.csv", 7]', '["releases/nothing-*.csv"]',
    '["counterfeits/2.csv"]', '["series.toml"]', '["private/1.key.csv"]', '["register.csv"]',
)  # fmt: skip
LIMITS = (
    "0", "-1", "1.1", "nan", "inf", "-inf", "true", '"1"', "1e-320", "9" * 400, "0x" + "f" * 5000, "2.0", "[]", "0.5",
    "3",
)  # fmt: skip
NO_TOML = (
    "[", "=", "a = ", "a = 'x", "a = 1\na = 2\n", "[series]\n", "x = " + "[" * 2000, "n = " + "9" * 5000, "\x00",
    "é\x7f",
)  # fmt: skip
WAIVERS = (
    *(f'finding = "intersection-00"\nreason = "x"\n{more}' for more in (
        "", 'expires = "2030-01-01"\n', "expires = 2030\n", "expires = 12:00:00\n", "expires = 0001-01-01\n",
        "expires = 9999-12-31T23:59:59Z\n", 'expires = 2999-01-01\nwho = "me"\n')),
    'finding = "<script>"\nreason = "\\u001b[31m"\nexpires = 2999-01-01\n', 'finding = "x"\nexpires = 2999-13-01\n',
    *(f'{finding}reason = "x"\nexpires = 2999-01-01\n' for finding in ("finding = 3\n", 'finding = ""\n', "")), "",
)  # fmt: skip


def rewritten(folder: Path, change: Callable[[list[str]], object]) -> None:
    lines = (folder / "series.toml").read_text(encoding="utf-8").splitlines()
    change(lines)
    (folder / "series.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")


def wrong_type(folder: Path, rng: random.Random) -> None:
    """Another type of value for one key of the manifest."""

    def change(lines):
        at = rng.choice([place for place, line in enumerate(lines) if " = " in line])
        lines[at] = f"{lines[at].partition(' = ')[0]} = {rng.choice(WRONG_TYPES)}"

    rewritten(folder, change)


def table_of_another_type(folder: Path, rng: random.Random) -> None:
    table = rng.choice(["series", "columns", "adversary", "counterfeits", "policy", "waiver"])

    def change(lines):
        old = {f"[{table}]": f"[old-{table}]", f"[[{table}]]": "[[old]]"}
        lines[:] = [f"{table} = {rng.choice(WRONG_TYPES)}", *(old.get(line, line) for line in lines)]

    rewritten(folder, change)


def key_set(table: str, key: str, value: str) -> Callable[[list[str]], None]:
    def change(lines):
        lines[:] = [line for line in lines if not line.startswith(f"{key} = ")]
        lines += [] if f"[{table}]" in lines else [f"[{table}]"]
        lines.insert(lines.index(f"[{table}]") + 1, f"{key} = {value}")

    return change


def odd_key(folder: Path, rng: random.Random) -> None:
    table = rng.choice(sorted(KEYS))
    rewritten(folder, key_set(table, rng.choice(KEYS[table]), rng.choice(ODD)))


ALWAYS_REFUSED = {"missing file", "folder instead of a file", "link to itself", "not TOML", "broken key"}
"""Mutations that no series survives: exit 2, whatever they hit."""
MAKES_PRIVATE_PUBLIC = {"odd key", "wrong type", "odd releases"}
OTHERS = {
    "missing file": missing_file,
    "missing key": lambda folder, rng: named("private/*.key.csv")(folder, rng).unlink(),
    "other ending": other_ending,
    "folder instead of a file": folder_instead_of_a_file,
    "link inside the folder": link_inside_the_folder,
    "link to itself": link_to_itself,
    "odd things in private": odd_things_in_private,
    "hostile release name": hostile_release_name,
    "wrong type": wrong_type,
    "odd key": odd_key,
    "table of another type": table_of_another_type,
    "odd releases": lambda folder, rng: rewritten(folder, key_set("series", "releases", rng.choice(RELEASES))),
    "odd policy": lambda folder, rng: rewritten(
        folder, key_set("policy", rng.choice(KEYS["policy"]), rng.choice(LIMITS))
    ),
    "not TOML": lambda folder, rng: append(folder / "series.toml", f"\n{rng.choice(NO_TOML)}"),
    "odd waiver": lambda folder, rng: append(folder / "series.toml", f"\n[[waiver]]\n{rng.choice(WAIVERS)}"),
}
MUTATIONS = (*BYTES, *ROWS, *CELLS, *OTHERS)


def mutate(kind: str, folder: Path, rng: random.Random) -> None:
    """Spoil a series in one of these ways."""
    if kind in BYTES:
        find, change = BYTES[kind]
        change_bytes(find(folder, rng), lambda data: change(data, rng))
    elif kind in ROWS:
        find, change = ROWS[kind]
        path = find(folder, rng)
        header, *rows = read_rows(path)
        write_rows(path, change(header, rows, rng))
    elif kind in CELLS:
        change_cell(csv_file(folder, rng), rng, rng.choice(CELLS[kind]))
    else:
        OTHERS[kind](folder, rng)
