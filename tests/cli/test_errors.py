"""Each kind of bad input, and the place that its single line of error names."""

import gzip
import os
import re
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.cli.forms import FORMS, append, edit, private_texts, read_rows, snapshot, write_rows
from tests.helpers.running import refused, run_main
from tests.mutants.mutant import kills

Spoil = Callable[[Path], object]


# -- how a series is spoilt: each function returns what does it ----------------------------------------------


def both(*spoils: Spoil) -> Spoil:
    return lambda s: [spoil(s) for spoil in spoils]


def text(name: str, old: str, new: str) -> Spoil:
    return lambda s: edit(s / name, old, new)


toml = partial(text, "series.toml")


def more(name: str, line: str) -> Spoil:
    return lambda s: append(s / name, line)


def data(name: str, change: Callable[[bytes], bytes]) -> Spoil:
    return lambda s: (s / name).write_bytes(change((s / name).read_bytes()))


def table(name: str, change: Callable[[list[list[str]]], list[list[str]]]) -> Spoil:
    """Change the rows of a CSV file, the header's first."""
    return lambda s: write_rows(s / name, change(read_rows(s / name)))


def cell(name: str, line: int, column: str, to: str | int) -> Spoil:
    """Set the cell of a line, counted from 1 and the header included; a number stands for that line's cell."""

    def change(rows):
        place = rows[0].index(column)
        rows[line - 1][place] = to if isinstance(to, str) else rows[to - 1][place]
        return rows

    return table(name, change)


def line(name: str, *cells: str) -> Spoil:
    return table(name, lambda rows: [*rows, list(cells)])


def again(name: str) -> Spoil:
    return table(name, lambda rows: [*rows, rows[1]])


def gone(*names: str) -> Spoil:
    return lambda s: [(s / name).unlink() for name in names]


def instead(name: str, make: Callable[[Path], object]) -> Spoil:
    """Put something else in a file's place."""
    return lambda s: ((s / name).unlink(), make(s / name))


def away(name: str) -> Spoil:
    """Move a file out of the folder, and leave a link to it."""
    return lambda s: (shutil.move(s / name, s.parent / "away.csv"), (s / name).symlink_to(s.parent / "away.csv"))


def lists(s: Path) -> None:
    held = pq.read_table(s / "releases/1.parquet", memory_map=False)
    place = held.column_names.index("Disease")
    pq.write_table(held.set_column(place, "Disease", pa.array([["flu"]] * len(held))), s / "releases/1.parquet")


def named_like_a_register_column(s: Path) -> None:
    for name in (R1, R2, "series.toml"):
        edit(s / name, "Zipcode", "last")


# -- the cases: a form of series, how it is spoilt, and what each line on standard error says: where, and some words --

H, OUT, INVARIANT, WARD = "hospital-l-diverse", "hospital-l-diverse-outsider", "hospital-2-invariant", "ward-l-diverse"
MANIFEST, R1, R2, REGISTER, KEY = "series.toml", "releases/1.csv", "releases/2.csv", "register.csv", "private/1.key.csv"
VALUES, FAKES, GZIP, STEPS = "releases/1.values.csv", "counterfeits/2.csv", "releases/2.csv.gz", "transitions.csv"
NOWHERE = ("has none of the columns", "write a header line")
NOT_GZIP, NOT_PARQUET = ("gzip file is damaged", "compress it again"), ("Parquet file is damaged", "write it again")
NO_FILE, OUTSIDE = ("no such file", "correct its name"), ("`releases`", "out of the series folder", "copy the file")
NO_COUNT, CELLS = ("not a number of people", "a whole number from 1"), "one cell per column"

CASES = {
    # the folder and its manifest
    "no manifest": (H, gone(MANIFEST), ("{series}/series.toml: ", "there is no such file", "audit init")),
    "no folder": (H, shutil.rmtree, ("{series}/series.toml: ", "there is no such file", "correct the path")),
    "a folder for a manifest": (
        H, instead(MANIFEST, Path.mkdir), ("{series}/series.toml: ", "folder", "write a series.toml in its place")),
    "a pipe for a manifest": (
        H, instead(MANIFEST, os.mkfifo), ("{series}/series.toml: ", "a pipe", "write a series.toml")),
    "a manifest cut in half": (
        H, data(MANIFEST, lambda all: all[: all.index(b"Age") - 1] + b'"Age'),
        ("series.toml:8: ", "not TOML", "see https://toml.io")),
    "a manifest in Latin-1": (
        H, data(MANIFEST, lambda all: all.replace(b"Disease", b"Maladi\xe9")),
        ("series.toml: ", "not UTF-8", "save the file as UTF-8")),
    "unknown key": (
        H, toml("quasi_identifiers", "qusi_identifiers"),
        ("series.toml:8: ", "`qusi_identifiers`", "no such key", "quasi_identifiers")),
    "unknown table": (
        H, more(MANIFEST, "[polcy]\nk = 2\n"), ("series.toml:10: ", "`polcy`", "no such table", "policy")),
    "wrong types": (
        H, both(toml('["Age", "Zipcode"]', '"Age"'), toml('"Disease"', "3"), toml('name = "', 'name = 3 # "')),
        ("series.toml:8: ", "`quasi_identifiers`", "a list of texts", "write quasi_identifiers = ["),
        ("series.toml:2: ", "`name`", "a text", "write name ="),
        ("series.toml:9: ", "`sensitive`", "no sensitive column", "write sensitive =")),
    "two meanings": (
        H, toml('"Age", "Zipcode"', '"Age", "Group-ID"'),
        ("series.toml:7: ", "`Group-ID`", "two roles", "its own column")),
    "path out": (H, toml('"releases/1.csv"', '"../../etc/passwd"'), ("series.toml:3: ", *OUTSIDE)),
    "link out": (H, away(R2), ("series.toml:3: ", *OUTSIDE)),
    "one release twice": (H, toml(R2, R1), ("series.toml:3: ", 'two releases have the tag "1"', "rename one")),
    "pattern without files": (
        H, toml('"releases/1.csv", "releases/2.csv"', '"published/*.csv"'),
        ("series.toml:3: ", "no file matches", "correct the pattern")),
    "release of another kind": (
        H, toml(R2, "releases/2.docx"), ("series.toml:3: ", "is not a table", "end in .csv, .csv.gz, .parquet")),
    "limit out of range": (
        "keyed", toml("max_risk = 0.9", "max_risk = 90"),
        ("series.toml:14: ", "`max_risk`", "not a limit", "at most 1")),
    "limit beyond reason": (
        "keyed", toml("\nk = 2", f"\nk = 0x{'f' * 5000}"),
        ("series.toml:16: ", "`k`", "not a limit", "a whole number from 1")),
    "waiver without a date": (
        "keyed", toml("expires = 2999-01-01", 'expires = "in a while"'),
        ("series.toml:", "`expires`", "this is not a date", "write expires = 2030-01-01")),
    "counterfeits of an unknown release": (
        INVARIANT, toml('"2" =', '"3" ='), ("series.toml:12: ", "`3`", "not in the series", "a release's tag")),
    "unknown type": (
        "outsider", toml("sensitive =", 'types = { Zipcode = "number" }\nsensitive ='),
        ("series.toml:", "`types`", 'unknown type "number"', '"numeric", "categorical"')),
    # files
    "no release": (H, gone(R2), ("releases/2.csv: ", *NO_FILE)),
    "several files missing": (
        "everything", gone(R2, REGISTER, "known.csv"),
        *((f"{name}: ", "no such file", "put the file there") for name in (R2, REGISTER, "known.csv"))),
    "no counterfeits": (INVARIANT, gone(FAKES), ("counterfeits/2.csv: ", *NO_FILE)),
    "no transitions": (WARD, gone(STEPS), ("transitions.csv: ", *NO_FILE)),
    "no hierarchy": ("outsider", gone("hierarchies/age.csv"), ("hierarchies/age.csv: ", *NO_FILE)),
    "a folder for a release": (H, instead(R1, Path.mkdir), ("releases/1.csv: ", "a folder", "name a table")),
    "a pipe for a release": (H, instead(R1, os.mkfifo), ("releases/1.csv: ", "a pipe", "name a table")),
    "empty release": (H, data(R1, lambda _: b""), ("releases/1.csv:1: ", "the file is empty", "write a header")),
    "release without rows": (H, table(R2, lambda rows: rows[:1]), ("releases/2.csv:2: ", "no rows", "drop it")),
    "gzip cut short": ("gzipped", data(GZIP, lambda all: all[:-30]), (f"{GZIP}: ", *NOT_GZIP)),
    "gzip spoilt": (
        "gzipped", data(GZIP, lambda all: all[:20] + b"\xff" * 20 + all[40:]), (f"{GZIP}: ", *NOT_GZIP)),
    "gzip in name only": ("gzipped", data(GZIP, gzip.decompress), (f"{GZIP}: ", *NOT_GZIP)),
    "parquet cut short": (
        "parquet", data("releases/1.parquet", lambda all: all[:-10]), ("releases/1.parquet: ", *NOT_PARQUET)),
    "parquet of lists": (
        "parquet", lists, ('releases/1.parquet, column "Disease": ', "lists", "one plain value per cell")),
    "parquet of other text": (
        "parquet", data("releases/1.parquet", lambda all: all.replace(b"gastritis", b"gastriti\xff")),
        ("releases/1.parquet: ", *NOT_PARQUET)),
    "an old encoding": (
        H, data(R1, lambda all: all.replace(b"bronchitis", b"bronchit\x81", 1)),
        ("releases/1.csv:3: ", "not UTF-8", "save the file as UTF-8")),
    "ragged line": (
        H, table(R1, lambda rows: [*rows[:3], rows[3][:-1], *rows[4:]]),
        ("releases/1.csv:4: ", "4 cells where the header has 5", CELLS)),
    "a cell too many": (
        H, table(R1, lambda rows: [*rows[:4], [*rows[4], ""], *rows[5:]]),
        ("releases/1.csv:5: ", "6 cells where the header has 5", CELLS)),
    "unclosed quote": (
        H, more(R1, 'Zoe,5,"[52, 56]","[33000, 34000]","flu\n'),
        ("releases/1.csv:13: ", "not well-formed CSV", "close every quote")),
    "two unclosed quotes": (  # an even number, and each row between them would be read as part of one cell
        H, both(text(R1, '"[12000, 14000]",bronchitis\n', '"[12000, 14000]","bronchitis\n'),
                text(R1, '"[36, 41]","[20000, 27000]",flu\n', '"[36, 41]","[20000, 27000]","flu\n')),
        ("releases/1.csv:3: ", "not well-formed CSV", "close every quote")),
    "a NUL character in a cell": (
        H, data("releases/1.csv", lambda text: text[:-3] + b"\0" + text[-3:]),
        ("releases/1.csv: ", "NUL characters", "write it again")),
    "header again as a row": (
        H, table(R1, lambda rows: [*rows[:3], rows[0], *rows[3:]]),
        ("releases/1.csv:4: ", "the row repeats the header", "delete the line")),
    "header name twice": (
        H, text(R1, "Age,Zipcode", "Age,Age"),
        ("releases/1.csv:1: ", "columns 3 and 4 have the same name", "give each a name of its own")),
    "no column": (
        H, text(R2, "Disease", "Illness"),
        ('releases/2.csv:1, column "Disease": ', "which has: Owner, ", "correct its name", "under `renamed`")),
    "no header": (
        H, table(R2, lambda rows: rows[1:]), ("releases/2.csv:1: ", *NOWHERE)),
    "line break after the header": (  # the first row has become part of the header, which therefore is not quoted
        H, text(R2, "Disease\n", "Disease\v"),
        ('releases/2.csv:1, column "Disease": ', "not in the file", "correct its name")),
    "other delimiter": (
        H, lambda s: (s / R1).write_text("\n".join("/".join(row) for row in read_rows(s / R1)) + "\n"),
        ("releases/1.csv:1: ", *NOWHERE, 'with "," between them: ', "under `renamed`")),
    "no header above semicolons": (
        H, lambda s: (s / R2).write_text("".join(";".join(row) + "\n" for row in read_rows(s / R2)[1:])),
        ("releases/2.csv:1: ", *NOWHERE, 'with ";" between them: ', "; Disease")),
    # cells of releases
    "no value": (
        H, cell(R1, 3, "Disease", ""), ('releases/1.csv:3, column "Disease": ', "no value", "write its value")),
    "no values": (
        H, both(cell(R1, 3, "Disease", ""), cell(R1, 7, "Disease", " ")),
        ('releases/1.csv:3, column "Disease": ', "no value (and 1 more", "write its value")),
    "no groups": (
        H, both(cell(R1, 4, "Group-ID", ""), cell(R2, 2, "Group-ID", "")),
        ('releases/1.csv:4, column "Group-ID": ', "no group", "write the row's group"),
        ('releases/2.csv:2, column "Group-ID": ', "no group", "write the row's group")),
    "person twice": (
        H, cell(R1, 4, "Owner", 3),
        ('releases/1.csv:3, column "Owner": ', "another row in line 4", "one row for each person")),
    "interval reversed": (
        OUT, both(cell(R1, 2, "Age", "[22, 21]"), cell(R1, 3, "Age", "[22, 21]")),
        ('releases/1.csv:2, column "Age": ', "interval is empty", "the lower end first")),
    "no number": (
        OUT, both(toml("sensitive =", 'types = { Age = "numeric" }\nsensitive ='), cell(R1, 5, "Age", "middle-aged")),
        ('releases/1.csv:5, column "Age": ', "neither a number nor", "categorical")),
    "no quasi-identifier": (
        OUT, both(toml("sensitive =", 'types = { Zipcode = "numeric" }\nsensitive ='), cell(R2, 4, "Zipcode", "")),
        ('releases/2.csv:4, column "Zipcode": ', "the cell is empty", "write `*`")),
    "label without a place": (
        "outsider", cell(R1, 2, "Age", "ancient"),
        ('releases/1.csv:2, column "Age": ', "not a label of the column's hierarchy", "add the label")),
    "negative count": ("counted", cell(R1, 3, "count", "-2"), ('releases/1.csv:3, column "count": ', *NO_COUNT)),
    "huge count": ("counted", cell(R1, 3, "count", "9" * 40), ('releases/1.csv:3, column "count": ', *NO_COUNT)),
    "pair with other groups": (
        "anatomy", cell(VALUES, 2, "Group-ID", "99"),
        ('releases/1.values.csv:2, column "Group-ID": ', "no row of releases/1.rows.csv", "the same groups")),
    "pair with too many values": (
        "anatomy", cell(VALUES, 2, "count", "3"),
        ('releases/1.rows.csv:2, column "Group-ID": ', "2 rows but 4 values", "one value for each row")),
    "pair without groups": (
        "anatomy", toml('group = "Group-ID"\n', ""),
        ("series.toml: ", "an Anatomy pair is joined by its groups", "write group =")),
    "pair without values": (
        "anatomy", gone("releases/2.values.csv"), ("releases/2.values.csv: ", "no such file", "put the file there")),
    # keys and counterfeits
    "no key": (
        "keyed", gone("private/2.key.csv"), ("releases/2.csv: ", "no key for this release", "private/2.key.csv")),
    "key of another row": (
        "keyed", cell(KEY, 3, "row", "99"),
        ('private/1.key.csv:3, column "row": ', "no such row in releases/1.csv, which has 11", "key file again")),
    "key with a row twice": (
        "keyed", line(KEY, "0", "Zoe"),
        ('private/1.key.csv:13, column "row": ', "row 0 of releases/1.csv, counted from 0, has 2 lines", "one line")),
    "key with a person twice": (
        "keyed", cell(KEY, 3, "individual", 4),
        ('private/1.key.csv:3, column "individual": ', "another row in line 4", "one row for each person")),
    "key without a header": (
        "keyed", table(KEY, lambda rows: rows[1:]),
        ("private/1.key.csv:1: ", *NOWHERE, "row, individual")),
    "key that is a link": (
        "keyed", away(KEY), ("private/1.key.csv: ", "a link takes this path out", "copy the file into the folder")),
    "counterfeits of an unknown group": (
        INVARIANT, cell(FAKES, 2, "Group-ID", "99"),
        ('counterfeits/2.csv:2, column "Group-ID": ', "not in the release", "each group of the")),
    "counterfeits of a group twice": (
        INVARIANT, line(FAKES, "1", "1"),
        ('counterfeits/2.csv:4, column "Group-ID": ', "is on two lines", "at most once")),
    "negative counterfeits": (
        INVARIANT, cell(FAKES, 3, "Count", "-1"),
        ('counterfeits/2.csv:3, column "Count": ', "not a count", "how many of the group's rows")),
    "more counterfeits than rows": (
        INVARIANT, cell(FAKES, 3, "Count", "77"),
        ('counterfeits/2.csv:3, column "Count": ', "fewer rows than that", "how many of the")),
    "counterfeits that the key contradicts": (
        INVARIANT, cell(FAKES, 3, "Count", "2"),
        ('counterfeits/2.csv, column "Count": ', "2 counterfeits here but 1 in the key", "the key")),
    # what the adversary knows
    "register with a range": (
        OUT, cell(REGISTER, 5, "Age", "[21, 29]"),
        ('register.csv:5, column "Age": ', "not an exact value", "write the exact value")),
    "register with an empty cell": (
        OUT, cell(REGISTER, 5, "Zipcode", ""),
        ('register.csv:5, column "Zipcode": ', "the cell is empty", "write the exact value")),
    "register without a name": (
        OUT, cell(REGISTER, 5, "individual", ""),
        ('register.csv:5, column "individual": ', "has no individual", "write the individual")),
    "register of another position": (
        OUT, cell(REGISTER, 4, "last", "4"),
        ('register.csv:4, column "last": ', "no such release", "a position from 1 to 3")),
    "stay reversed": (
        OUT, cell(REGISTER, 4, "first", "2"),
        ('register.csv:4, column "last": ', "comes before the first", "swap the two")),
    "register of another release": (
        "outsider", cell(REGISTER, 6, "release", "2024"),
        ('register.csv:6, column "release": ', "no such release", "the tag of a release")),
    "register with a person twice": (
        "outsider", again(REGISTER),
        ("register.csv:2: ", "also in line 24", "listed twice in release 1", "one line for each person")),
    "person whom no group covers": (
        OUT, cell(REGISTER, 3, "Age", "99"),
        ("register.csv:3: ", "no group of release 1 covers this person", "the person's values")),
    "a presence that there is not": (
        OUT, toml("[adversary]", '[adversary]\npresence = "sure"'),
        ("series.toml:11: `presence`", 'unknown value', 'use "possible"')),
    "a presence without a register": (
        H, more(MANIFEST, '[adversary]\npresence = "possible"\n'),
        ("series.toml:11: `presence`", "without a register", "leave it out")),
    "too many people": (
        OUT, line(REGISTER, "Zachary", "21", "12000", "1", "1"),
        ("register.csv: ", "12 people are in release 1, which has 11 rows", "correct in which releases its")),
    "register of nobody": (
        OUT, table(REGISTER, lambda rows: rows[:1]), ("register.csv:2: ", "has no lines", "leave it out")),
    "register without a column": (
        OUT, text(REGISTER, "first,last", "first,until"),
        ('register.csv:1, column "last": ', "which has: individual, ", "correct its name")),
    "register without a header": (  # it may lack quasi-identifiers
        OUT, table(REGISTER, lambda _: [["Bob", "21", "12000", "1", "2"]]),
        ("register.csv:1: ", *NOWHERE, "individual, first, last")),
    "quasi-identifier named like a column of the register": (
        OUT, named_like_a_register_column,
        ('series.toml, column "last": ', "another meaning", "rename the quasi-identifier")),
    "known person who is nowhere": (
        "outsider", cell("known.csv", 2, "individual", "Zachary"),
        ('known.csv:2, column "individual": ', "in no release", "drop the line")),
    "known value that is not published": (
        "outsider", cell("known.csv", 2, "value", "hepatitis"),
        ('known.csv:2, column "value": ', "no release publishes this value", "write a value that")),
    "known in another release": (
        "outsider", cell("known.csv", 2, "release", "2024"),
        ('known.csv:2, column "release": ', "no such release", "write a release's tag")),
    "known values that contradict each other": (
        "everything", line("known.csv", "Bob", "flu"), ("known.csv:2: ", "another value", "correct the line")),
    "known value that the key contradicts": (
        "everything", cell("known.csv", 2, "value", "flu"),
        ("known.csv:2: ", "the key says", "another value in release 1", "correct the line")),
    "transitions that leave out a value": (
        WARD, table(STEPS, lambda rows: [row for row in rows if row[0] != "flu"]),
        ('transitions.csv, column "from": ', 'no line says which values may follow "flu"', "add a line for each")),
    "transition twice": (WARD, again(STEPS), ("transitions.csv:16: ", "is on two lines", "keep one")),
    "transition to nothing": (
        WARD, cell(STEPS, 3, "to", ""), ('transitions.csv:3, column "to": ', "empty", "write a value")),
    "probability above one": (
        "changing", cell(STEPS, 4, "probability", "1.5"),
        ('transitions.csv:4, column "probability": ', "not a probability", "a number from 0 to 1")),
    "no probability": (
        "changing", cell(STEPS, 4, "probability", ""),
        ('transitions.csv:4, column "probability": ', "this one has none", "to all lines of a `from`, or to none")),
    "ragged hierarchy": (
        "outsider", data("hierarchies/age.csv", lambda all: re.sub(rb"(?m)\A(.*\n.*\n.*);.*$", rb"\1", all, count=1)),
        ("hierarchies/age.csv:3: ", "this line has 2 levels, but the first line has 3", "levels")),
    "empty hierarchy": (
        "outsider", data("hierarchies/age.csv", lambda _: b""),
        ("hierarchies/age.csv: ", "the hierarchy is empty", "one line per leaf")),
}  # fmt: skip


@kills("audit.io.table_forms._parse_csv", 'if b"\\0" in content', "if False")
@pytest.mark.parametrize("name", CASES)
def test_bad_input_is_told_in_a_line(name, tmp_path):
    form, spoil, *told = CASES[name]
    series = tmp_path / "s"
    FORMS[form](series)
    private = private_texts(series)
    spoil(series)
    before = snapshot(series)
    err = refused(str(series))
    lines = err.splitlines()
    assert len(lines) == len(told), err
    for place, *words in told:
        start = f"audit: {place.replace('{series}', str(series))}"
        [said] = [each for each in lines if each.startswith(start)] or [None]
        assert said is not None, (start, err)
        assert [word for word in words if word not in said] == [], said
        assert said.isprintable()
    assert {each for each in private if re.search(rf"\b{re.escape(each)}\b", err)} == set()
    assert snapshot(series) == before


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
@pytest.mark.parametrize(
    ("form", "name"),
    [
        ("hospital-l-diverse", "releases/1.csv"),
        ("hospital-l-diverse", "releases"),
        ("hospital-l-diverse", "series.toml"),
        ("hospital-l-diverse", "."),
        ("keyed", "private"),
        ("two_values", "releases"),
        ("outsider", "hierarchies/age.csv"),
        ("parquet", "releases/1.parquet"),
    ],
)
def test_what_may_not_be_read(form, name, tmp_path):
    FORMS[form](tmp_path / "s")
    path = tmp_path / "s" / name
    path.chmod(0)
    try:
        code, out, err = run_main(str(tmp_path / "s"))
    finally:
        path.chmod(0o700)
    assert (code, out) == (2, "")
    assert "permission" in err.lower()
    assert "bug" not in err


def test_everything_that_is_wrong_with_the_files_is_told_at_once(tmp_path):
    FORMS["hospital-l-diverse"](tmp_path / "s")
    for release in ("1", "2"):
        path = tmp_path / "s" / f"releases/{release}.csv"
        header, *rows = read_rows(path)
        write_rows(path, [header, *([*row[:4], "" if place in (1, 4) else row[4]] for place, row in enumerate(rows))])
        cell(f"releases/{release}.csv", 4, "Group-ID", " ")(tmp_path / "s")
    err = refused(str(tmp_path / "s"))
    assert [re.match(r'audit: (\S+), column "(\S+)"', each).groups() for each in err.splitlines()] == [
        ("releases/1.csv:4", "Group-ID"),
        ("releases/1.csv:3", "Disease"),
        ("releases/2.csv:4", "Group-ID"),
        ("releases/2.csv:3", "Disease"),
    ]


@pytest.mark.parametrize("ends", ["\r\n", "\r"])
def test_line_ends_of_other_systems(ends, tmp_path):
    FORMS["hospital-l-diverse"](tmp_path / "s")
    path = tmp_path / "s/releases/1.csv"
    whole = path.read_text(encoding="utf-8")
    path.write_bytes(whole.replace("\n", ends).encode())
    assert run_main(str(tmp_path / "s"))[0] == 1
    path.write_bytes(whole.replace("bronchitis", "").replace("\n", ends).encode())
    assert run_main(str(tmp_path / "s"))[2].startswith('audit: releases/1.csv:3, column "Disease": ')


def test_a_cell_as_long_as_a_book(tmp_path):
    FORMS["hospital-l-diverse"](tmp_path / "s")
    path = tmp_path / "s/releases/2.csv"
    rows = read_rows(path)
    rows[1][0], rows[1][4] = "B" * (1 << 16), "d" * (1 << 18)
    write_rows(path, rows)
    code, out, err = run_main(str(tmp_path / "s"))
    assert (code, err) == (1, "")
    assert max(map(len, out.splitlines())) < 2000


@pytest.mark.parametrize("path", ["", "no/such/folder", "x" * 5000, "a\0b", "\x1b[31m\nforged: line", "\udcff"])
def test_a_path_that_leads_nowhere_is_told_in_a_line(path):
    err = refused(f"{path}/")
    assert err.count("\n") == 1
    assert err[:-1].isprintable()
