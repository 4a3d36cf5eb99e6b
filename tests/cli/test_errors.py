"""Each kind of bad input, and where the one line that tells of it says that it stands."""

import gzip
import os
import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.cli.forms import FORMS, append, edit, private_texts, read_rows, snapshot, write_rows
from tests.helpers.running import run_main

CASES = []


@dataclass(frozen=True)
class Case:
    """A series of some form, how it is spoilt, and what each line on standard error says.

    Each entry of `told` is a line: where (the start of the line after `audit: `) and some words of the rest.
    """

    name: str
    form: str
    spoil: Callable[[Path], object]
    told: tuple[tuple[str, ...], ...]
    words: tuple[str, ...] = ()


def case(form, *told, words=()):
    """Register a case: the function spoils the series, its name says how."""

    def register(spoil):
        CASES.append(Case(spoil.__name__, form, spoil, told, words))
        return spoil

    return register


def set_cell(path: Path, line: int, column: str, text: str) -> None:
    """Set the cell of a line of a CSV file, counted from 1 and the header included."""
    rows = read_rows(path)
    rows[line - 1][rows[0].index(column)] = text
    write_rows(path, rows)


def add_line(path: Path, *cells: str) -> None:
    write_rows(path, [*read_rows(path), list(cells)])


def drop_line(path: Path, line: int) -> None:
    rows = read_rows(path)
    del rows[line - 1]
    write_rows(path, rows)


def same_cell(path: Path, line: int, column: str, other: int) -> None:
    """Give a line's cell to another line."""
    rows = read_rows(path)
    set_cell(path, other, column, rows[line - 1][rows[0].index(column)])


# -- the folder and its manifest ------------------------------------------------------------------------


@case("hospital-l-diverse", ("{series}/series.toml: ", "there is no such file", "audit init"))
def no_manifest(s):
    (s / "series.toml").unlink()


@case("hospital-l-diverse", ("{series}/series.toml: ", "there is no such file", "correct the path"))
def no_folder(s):
    shutil.rmtree(s)


@case("hospital-l-diverse", ("{series}/series.toml: ", "folder", "write a series.toml in its place"))
def manifest_is_a_folder(s):
    (s / "series.toml").unlink()
    (s / "series.toml").mkdir()


@case("hospital-l-diverse", ("series.toml:8: ", "not TOML", "see https://toml.io"))
def manifest_cut_in_half(s):
    path = s / "series.toml"
    text = path.read_text(encoding="utf-8")
    path.write_text(text[: text.index("Age") - 1] + '"Age', encoding="utf-8")


@case("hospital-l-diverse", ("series.toml: ", "not UTF-8", "save the file as UTF-8"))
def manifest_in_latin_1(s):
    (s / "series.toml").write_bytes((s / "series.toml").read_bytes().replace(b"Disease", b"Maladi\xe9"))


@case("hospital-l-diverse", ("series.toml:8: ", "`qusi_identifiers`", "no such key", "quasi_identifiers"))
def unknown_key(s):
    edit(s / "series.toml", "quasi_identifiers", "qusi_identifiers")


@case("hospital-l-diverse", ("series.toml:10: ", "`polcy`", "no such table", "policy"))
def unknown_table(s):
    append(s / "series.toml", "[polcy]\nk = 2\n")


@case(
    "hospital-l-diverse",
    ("series.toml:8: ", "`quasi_identifiers`", "a list of texts", "write quasi_identifiers = ["),
    ("series.toml:2: ", "`name`", "a text", "write name ="),
    ("series.toml:9: ", "`sensitive`", "no sensitive column", "write sensitive ="),
)
def wrong_types(s):
    edit(s / "series.toml", 'quasi_identifiers = ["Age", "Zipcode"]', 'quasi_identifiers = "Age"')
    edit(s / "series.toml", 'sensitive = "Disease"', "sensitive = 3")
    lines = (s / "series.toml").read_text(encoding="utf-8").splitlines()
    lines[1] = "name = 3"
    (s / "series.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")


@case("hospital-l-diverse", ("series.toml:7: ", "`Group-ID`", "two meanings", "its own column"))
def one_column_for_two_meanings(s):
    edit(s / "series.toml", '"Age", "Zipcode"', '"Age", "Group-ID"')


@case("hospital-l-diverse", ("series.toml:3: ", "`releases`", "leave the series folder", "copy the file"))
def path_out_of_the_folder(s):
    edit(s / "series.toml", '"releases/1.csv"', '"../../etc/passwd"')


@case("hospital-l-diverse", ("series.toml:3: ", "`releases`", "leave the series folder", "copy the file"))
def link_out_of_the_folder(s):
    shutil.move(s / "releases/2.csv", s.parent / "away.csv")
    (s / "releases/2.csv").symlink_to(s.parent / "away.csv")


@case("hospital-l-diverse", ("series.toml:3: ", 'two releases have the tag "1"', "rename one"))
def one_release_twice(s):
    edit(s / "series.toml", "releases/2.csv", "releases/1.csv")


@case("hospital-l-diverse", ("series.toml:3: ", "no file matches", "correct the pattern"))
def pattern_without_files(s):
    edit(s / "series.toml", '"releases/1.csv", "releases/2.csv"', '"published/*.csv"')


@case("hospital-l-diverse", ("series.toml:3: ", "is not a table", "end in .csv, .csv.gz, .parquet"))
def release_of_another_kind(s):
    edit(s / "series.toml", "releases/2.csv", "releases/2.docx")


@case("keyed", ("series.toml:14: ", "`max_risk`", "not a limit", "at most 1"))
def policy_out_of_range(s):
    edit(s / "series.toml", "max_risk = 0.9", "max_risk = 90")


@case("keyed", ("series.toml:16: ", "`k`", "not a limit", "a whole number from 1"))
def policy_beyond_reason(s):
    edit(s / "series.toml", "\nk = 2", f"\nk = 0x{'f' * 5000}")


@case("keyed", ("series.toml:", "`expires`", "this is not a date", "write expires = 2030-01-01"))
def waiver_without_a_date(s):
    edit(s / "series.toml", "expires = 2999-01-01", 'expires = "in a while"')


@case("hospital-2-invariant", ("series.toml:12: ", "`3`", "not in the series", "a release's tag"))
def counterfeits_of_an_unknown_release(s):
    edit(s / "series.toml", '"2" =', '"3" =')


@case("outsider", ("series.toml:", "`types`", '"number" is no type', '"numeric", "categorical"'))
def unknown_type(s):
    edit(s / "series.toml", "sensitive =", 'types = { Zipcode = "number" }\nsensitive =')


# -- files ----------------------------------------------------------------------------------------------


@case("hospital-l-diverse", ("releases/2.csv: ", "there is no such file", "correct its name"))
def release_missing(s):
    (s / "releases/2.csv").unlink()


@case(
    "everything",
    ("releases/2.csv: ", "no such file", "put the file there"),
    ("register.csv: ", "no such file", "put the file there"),
    ("known.csv: ", "no such file", "put the file there"),
)
def several_files_missing(s):
    for name in ("releases/2.csv", "register.csv", "known.csv"):
        (s / name).unlink()


@case("hospital-2-invariant", ("counterfeits/2.csv: ", "no such file", "correct its name"))
def counterfeits_missing(s):
    (s / "counterfeits/2.csv").unlink()


@case("ward-l-diverse", ("transitions.csv: ", "no such file", "correct its name"))
def transitions_missing(s):
    (s / "transitions.csv").unlink()


@case("outsider", ("hierarchies/age.csv: ", "no such file", "correct its name"))
def hierarchy_missing(s):
    (s / "hierarchies/age.csv").unlink()


@case("hospital-l-diverse", ("releases/1.csv: ", "a folder", "name a table"))
def folder_instead_of_a_release(s):
    (s / "releases/1.csv").unlink()
    (s / "releases/1.csv").mkdir()


@case("hospital-l-diverse", ("releases/1.csv: ", "a pipe", "name a table"))
def pipe_instead_of_a_release(s):
    (s / "releases/1.csv").unlink()
    os.mkfifo(s / "releases/1.csv")


@case("hospital-l-diverse", ("{series}/series.toml: ", "a pipe", "write a series.toml"))
def pipe_instead_of_the_manifest(s):
    (s / "series.toml").unlink()
    os.mkfifo(s / "series.toml")


@case("hospital-l-diverse", ("releases/1.csv:1: ", "the file is empty", "write a header"))
def release_empty(s):
    (s / "releases/1.csv").write_bytes(b"")


@case("hospital-l-diverse", ("releases/2.csv:2: ", "no rows", "drop it"))
def release_without_rows(s):
    write_rows(s / "releases/2.csv", read_rows(s / "releases/2.csv")[:1])


@case("gzipped", ("releases/1.csv.gz: ", "not a whole gzip file", "compress it again"))
def gzip_cut_short(s):
    path = s / "releases/1.csv.gz"
    path.write_bytes(path.read_bytes()[:-30])


@case("gzipped", ("releases/2.csv.gz: ", "not a whole gzip file", "compress it again"))
def gzip_spoilt(s):
    path = s / "releases/2.csv.gz"
    data = bytearray(path.read_bytes())
    data[20:40] = b"\xff" * 20
    path.write_bytes(bytes(data))


@case("gzipped", ("releases/2.csv.gz: ", "not a whole gzip file", "compress it again"))
def gzip_in_name_only(s):
    path = s / "releases/2.csv.gz"
    path.write_bytes(gzip.decompress(path.read_bytes()))


@case("parquet", ("releases/1.parquet: ", "not a whole Parquet file", "write it again"))
def parquet_cut_short(s):
    path = s / "releases/1.parquet"
    path.write_bytes(path.read_bytes()[:-10])


@case("parquet", ('releases/1.parquet, column "Disease": ', "lists", "one plain value per cell"))
def parquet_of_lists(s):
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pq.read_table(s / "releases/1.parquet", memory_map=False)
    place = table.column_names.index("Disease")
    pq.write_table(table.set_column(place, "Disease", pa.array([["flu"]] * len(table))), s / "releases/1.parquet")


@case("parquet", ("releases/1.parquet: ", "not a whole Parquet file", "write it again"))
def parquet_of_other_text(s):
    path = s / "releases/1.parquet"
    data = path.read_bytes()
    assert b"gastritis" in data
    path.write_bytes(data.replace(b"gastritis", b"gastriti\xff"))


@case("hospital-l-diverse", ("releases/1.csv:3: ", "not UTF-8", "save the file as UTF-8"))
def release_of_an_old_encoding(s):
    path = s / "releases/1.csv"
    path.write_bytes(path.read_bytes().replace(b"bronchitis", b"bronchit\x81", 1))


@case("hospital-l-diverse", ("releases/1.csv:4: ", "4 cells where the header has 5", "one cell a column"))
def ragged_line(s):
    rows = read_rows(s / "releases/1.csv")
    rows[3].pop()
    write_rows(s / "releases/1.csv", rows)


@case("hospital-l-diverse", ("releases/1.csv:5: ", "6 cells where the header has 5", "one cell a column"))
def line_with_a_cell_too_many(s):
    rows = read_rows(s / "releases/1.csv")
    rows[4].append("")
    write_rows(s / "releases/1.csv", rows)


@case("hospital-l-diverse", ("releases/1.csv:13: ", "not well-formed CSV", "close every quote"))
def unclosed_quote(s):
    append(s / "releases/1.csv", 'Zoe,5,"[52, 56]","[33000, 34000]","flu\n')


@case("hospital-l-diverse", ("releases/1.csv:3: ", "not well-formed CSV", "close every quote"))
def two_unclosed_quotes(s):
    """Their number is even, and each row between them would be read as part of one cell."""
    edit(s / "releases/1.csv", '"[12000, 14000]",bronchitis\n', '"[12000, 14000]","bronchitis\n')
    edit(s / "releases/1.csv", '"[36, 41]","[20000, 27000]",flu\n', '"[36, 41]","[20000, 27000]","flu\n')


@case("hospital-l-diverse", ("releases/1.csv:1: ", "columns 3 and 4 have the same name", "rename one"))
def header_name_twice(s):
    edit(s / "releases/1.csv", "Age,Zipcode", "Age,Age")


@case("hospital-l-diverse", ('releases/2.csv:1, column "Disease": ', "which has: Owner, ", "correct its name"))
def column_missing(s):
    edit(s / "releases/2.csv", "Disease", "Illness")


@case(
    "hospital-l-diverse",
    *(
        (f'releases/2.csv:1, column "{name}": ', "nor is any other", "write a header line")
        for name in ("Age", "Zipcode", "Group-ID", "Disease", "Owner")
    ),
)
def header_missing(s):
    drop_line(s / "releases/2.csv", 1)


@case("hospital-l-diverse", ('releases/2.csv:1, column "Disease": ', "not in the file", "correct its name"))
def line_break_after_the_header_spoilt(s):
    """The first row has become part of the header, which therefore is not quoted."""
    edit(s / "releases/2.csv", "Disease\n", "Disease\v")


@case(
    "hospital-l-diverse",
    *(
        (f'releases/1.csv:1, column "{name}": ', "nor is any other", "separated by commas")
        for name in ("Age", "Zipcode", "Group-ID", "Disease", "Owner")
    ),
)
def other_delimiter(s):
    path = s / "releases/1.csv"
    path.write_text("\n".join("/".join(row) for row in read_rows(path)) + "\n", encoding="utf-8")


# -- cells of releases ----------------------------------------------------------------------------------


@case("hospital-l-diverse", ('releases/1.csv:3, column "Disease": ', "no value", "write its value"))
def value_missing(s):
    set_cell(s / "releases/1.csv", 3, "Disease", "")


@case("hospital-l-diverse", ('releases/1.csv:3, column "Disease": ', "no value (and 1 more", "write its value"))
def values_missing(s):
    set_cell(s / "releases/1.csv", 3, "Disease", "")
    set_cell(s / "releases/1.csv", 7, "Disease", " ")


@case(
    "hospital-l-diverse",
    ('releases/1.csv:4, column "Group-ID": ', "no group", "write the row's group"),
    ('releases/2.csv:2, column "Group-ID": ', "no group", "write the row's group"),
)
def groups_missing_in_both_releases(s):
    set_cell(s / "releases/1.csv", 4, "Group-ID", "")
    set_cell(s / "releases/2.csv", 2, "Group-ID", "")


@case("hospital-l-diverse", ('releases/1.csv:3, column "Owner": ', "another row in line 4", "one row for each person"))
def person_twice(s):
    same_cell(s / "releases/1.csv", 3, "Owner", 4)


@case("hospital-l-diverse-outsider", ('releases/1.csv:2, column "Age": ', "covers nothing", "its lower end first"))
def interval_reversed(s):
    set_cell(s / "releases/1.csv", 2, "Age", "[22, 21]")
    set_cell(s / "releases/1.csv", 3, "Age", "[22, 21]")


@case("hospital-l-diverse-outsider", ('releases/1.csv:5, column "Age": ', "neither a number nor", "categorical"))
def cell_that_is_no_number(s):
    edit(s / "series.toml", "sensitive =", 'types = { Age = "numeric" }\nsensitive =')
    set_cell(s / "releases/1.csv", 5, "Age", "middle-aged")


@case("hospital-l-diverse-outsider", ('releases/2.csv:4, column "Zipcode": ', "the cell is empty", "write `*`"))
def quasi_identifier_missing(s):
    edit(s / "series.toml", "sensitive =", 'types = { Zipcode = "numeric" }\nsensitive =')
    set_cell(s / "releases/2.csv", 4, "Zipcode", "")


@case("outsider", ('releases/1.csv:2, column "Age": ', "no label of the column's hierarchy", "add the label"))
def label_without_a_place_in_the_hierarchy(s):
    set_cell(s / "releases/1.csv", 2, "Age", "ancient")


@case("counted", ('releases/1.csv:3, column "count": ', "no count of people", "a whole number from 1"))
def count_negative(s):
    set_cell(s / "releases/1.csv", 3, "count", "-2")


@case("counted", ('releases/1.csv:3, column "count": ', "no count of people", "a whole number from 1"))
def count_huge(s):
    set_cell(s / "releases/1.csv", 3, "count", "9" * 40)


@case("anatomy", ('releases/1.values.csv:2, column "Group-ID": ', "no row of releases/1.rows.csv", "the same groups"))
def pair_with_other_groups(s):
    set_cell(s / "releases/1.values.csv", 2, "Group-ID", "99")


@case("anatomy", ('releases/1.rows.csv:2, column "Group-ID": ', "2 rows but 4 values", "one value for each row"))
def pair_with_too_many_values(s):
    set_cell(s / "releases/1.values.csv", 2, "count", "3")


@case("anatomy", ("series.toml: ", "an Anatomy pair is joined by its groups", "write group ="))
def pair_without_groups(s):
    edit(s / "series.toml", 'group = "Group-ID"\n', "")


@case("anatomy", ("releases/2.values.csv: ", "no such file", "put the file there"))
def pair_without_values(s):
    (s / "releases/2.values.csv").unlink()


# -- keys and counterfeits ------------------------------------------------------------------------------


@case("keyed", ("releases/2.csv: ", "no key for this release", "private/2.key.csv"))
def key_missing(s):
    (s / "private/2.key.csv").unlink()


@case(
    "keyed",
    ('private/1.key.csv:3, column "row": ', "no such row in releases/1.csv, which has 11", "write the key anew"),
)
def key_for_a_row_that_is_not_there(s):
    set_cell(s / "private/1.key.csv", 3, "row", "99")


@case(
    "keyed",
    ('private/1.key.csv:13, column "row": ', "row 0 of releases/1.csv, counted from 0, has 2 lines", "one line"),
)
def key_with_a_row_twice(s):
    add_line(s / "private/1.key.csv", "0", "Zoe")


@case("keyed", ('private/1.key.csv:3, column "individual": ', "another row in line 4", "one row for each person"))
def key_with_a_person_twice(s):
    same_cell(s / "private/1.key.csv", 4, "individual", 3)


@case(
    "keyed",
    ('private/1.key.csv:1, column "row": ', "nor is any other", "write a header line"),
    ('private/1.key.csv:1, column "individual": ', "nor is any other", "write a header line"),
)
def key_without_a_header(s):
    drop_line(s / "private/1.key.csv", 1)


@case("keyed", ("private/1.key.csv: ", "a link takes this path out", "copy the file into the folder"))
def key_that_is_a_link(s):
    shutil.move(s / "private/1.key.csv", s.parent / "away.csv")
    (s / "private/1.key.csv").symlink_to(s.parent / "away.csv")


@case("hospital-2-invariant", ('counterfeits/2.csv:2, column "Group-ID": ', "not in the release", "each group of the"))
def counterfeits_of_an_unknown_group(s):
    set_cell(s / "counterfeits/2.csv", 2, "Group-ID", "99")


@case("hospital-2-invariant", ('counterfeits/2.csv:4, column "Group-ID": ', "stands twice", "at most once"))
def counterfeits_of_a_group_twice(s):
    add_line(s / "counterfeits/2.csv", "1", "1")


@case("hospital-2-invariant", ('counterfeits/2.csv:3, column "Count": ', "no count", "how many of the group's rows"))
def counterfeits_negative(s):
    set_cell(s / "counterfeits/2.csv", 3, "Count", "-1")


@case("hospital-2-invariant", ('counterfeits/2.csv:3, column "Count": ', "not so many rows", "how many of the"))
def more_counterfeits_than_rows(s):
    set_cell(s / "counterfeits/2.csv", 3, "Count", "77")


@case(
    "hospital-2-invariant", ('counterfeits/2.csv, column "Count": ', "2 counterfeits here but 1 in the key", "the key")
)
def counterfeits_that_the_key_contradicts(s):
    set_cell(s / "counterfeits/2.csv", 3, "Count", "2")


# -- what the adversary knows ---------------------------------------------------------------------------


@case("hospital-l-diverse-outsider", ('register.csv:5, column "Age": ', "no exact value", "write the exact value"))
def register_with_a_range(s):
    set_cell(s / "register.csv", 5, "Age", "[21, 29]")


@case(
    "hospital-l-diverse-outsider", ('register.csv:5, column "Zipcode": ', "the cell is empty", "write the exact value")
)
def register_with_an_empty_cell(s):
    set_cell(s / "register.csv", 5, "Zipcode", "")


@case("hospital-l-diverse-outsider", ('register.csv:5, column "individual": ', "names nobody", "write the individual"))
def register_without_a_name(s):
    set_cell(s / "register.csv", 5, "individual", "")


@case("hospital-l-diverse-outsider", ('register.csv:4, column "last": ', "no such release", "a position from 1 to 2"))
def register_with_an_unknown_position(s):
    set_cell(s / "register.csv", 4, "last", "3")


@case("hospital-l-diverse-outsider", ('register.csv:4, column "last": ', "ends before it begins", "exchange the two"))
def register_with_a_stay_reversed(s):
    set_cell(s / "register.csv", 4, "first", "2")


@case("outsider", ('register.csv:6, column "release": ', "no such release", "the tag of a release"))
def register_with_an_unknown_release(s):
    set_cell(s / "register.csv", 6, "release", "2024")


@case("outsider", ("register.csv:2: ", "also in line 24", "listed twice in release 1", "one line for each person"))
def register_with_a_person_twice(s):
    add_line(s / "register.csv", *read_rows(s / "register.csv")[1])


@case(
    "hospital-l-diverse-outsider",
    ("register.csv:3: ", "no group of release 1 covers this person", "the person's values"),
)
def register_with_a_person_whom_no_group_covers(s):
    set_cell(s / "register.csv", 3, "Age", "99")


@case("hospital-l-diverse-outsider", ("series.toml:11: `presence`", "there is no such presence", 'use "possible"'))
def a_presence_that_there_is_not(s):
    edit(s / "series.toml", "[adversary]", '[adversary]\npresence = "sure"')


@case("hospital-l-diverse", ("series.toml:11: `presence`", "without a register", "leave the line out"))
def a_presence_without_a_register(s):
    with (s / "series.toml").open("a") as file:
        file.write('[adversary]\npresence = "possible"\n')


@case(
    "hospital-l-diverse-outsider",
    ("register.csv: ", "12 people are in release 1, which has 11 rows", "correct in which releases its people are"),
)
def register_with_too_many_people(s):
    add_line(s / "register.csv", "Zachary", "21", "12000", "1", "1")


@case("hospital-l-diverse-outsider", ("register.csv:2: ", "names nobody", "leave it out"))
def register_of_nobody(s):
    write_rows(s / "register.csv", read_rows(s / "register.csv")[:1])


@case("hospital-l-diverse-outsider", ('register.csv:1, column "last": ', "which has: individual, ", "correct its name"))
def register_without_a_column(s):
    edit(s / "register.csv", "first,last", "first,until")


@case(
    "hospital-l-diverse-outsider",
    *(
        (f'register.csv:1, column "{name}": ', "nor is any other", "write a header line")
        for name in ("individual", "first", "last")  # it may lack quasi-identifiers
    ),
)
def register_without_a_header(s):
    write_rows(s / "register.csv", [["Bob", "21", "12000", "1", "2"]])


@case("hospital-l-diverse-outsider", ('series.toml, column "last": ', "another meaning", "rename the quasi-identifier"))
def quasi_identifier_named_like_a_register_column(s):
    for path in (s / "releases/1.csv", s / "releases/2.csv", s / "series.toml"):
        edit(path, "Zipcode", "last")


@case("outsider", ('known.csv:2, column "individual": ', "in no release", "drop the line"))
def known_person_who_is_nowhere(s):
    set_cell(s / "known.csv", 2, "individual", "Zachary")


@case("outsider", ('known.csv:2, column "value": ', "no release publishes this value", "write a value that"))
def known_value_that_is_not_published(s):
    set_cell(s / "known.csv", 2, "value", "hepatitis")


@case("outsider", ('known.csv:2, column "release": ', "no such release", "write a release's tag"))
def known_in_an_unknown_release(s):
    set_cell(s / "known.csv", 2, "release", "2024")


@case("everything", ("known.csv:2: ", "another value", "correct the line"))
def known_values_that_contradict_each_other(s):
    add_line(s / "known.csv", "Bob", "flu")


@case("everything", ("known.csv:2: ", "the key says", "another value in release 1", "correct the line"))
def known_value_that_the_key_contradicts(s):
    set_cell(s / "known.csv", 2, "value", "flu")


@case("ward-l-diverse", ('transitions.csv, column "from": ', 'no line says what may follow "flu"', "add lines that do"))
def transitions_that_leave_out_a_value(s):
    rows = read_rows(s / "transitions.csv")
    write_rows(s / "transitions.csv", [row for row in rows if row[0] != "flu"])


@case("ward-l-diverse", ("transitions.csv:16: ", "stands twice", "keep one"))
def transition_twice(s):
    add_line(s / "transitions.csv", *read_rows(s / "transitions.csv")[1])


@case("ward-l-diverse", ('transitions.csv:3, column "to": ', "empty", "write a value"))
def transition_to_nothing(s):
    set_cell(s / "transitions.csv", 3, "to", "")


@case("changing", ('transitions.csv:4, column "probability": ', "no probability", "a number from 0 to 1"))
def probability_above_one(s):
    set_cell(s / "transitions.csv", 4, "probability", "1.5")


@case(
    "changing",
    ('transitions.csv:4, column "probability": ', "this one has none", "to all lines of a `from`, or to none"),
)
def probability_missing(s):
    set_cell(s / "transitions.csv", 4, "probability", "")


@case("outsider", ("hierarchies/age.csv:3: ", "number of levels is 2, the first line's is 3", "levels"))
def hierarchy_ragged(s):
    path = s / "hierarchies/age.csv"
    lines = path.read_text(encoding="utf-8").splitlines()
    lines[2] = lines[2].rpartition(";")[0]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


@case("outsider", ("hierarchies/age.csv: ", "the hierarchy is empty", "one line per leaf"))
def hierarchy_empty(s):
    (s / "hierarchies/age.csv").write_bytes(b"")


# -- the tests ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_bad_input_is_told_in_a_line(case, tmp_path):
    series = tmp_path / "s"
    FORMS[case.form](series)
    private = private_texts(series)
    case.spoil(series)
    before = snapshot(series)
    code, out, err = run_main(str(series), *case.words)
    assert (code, out) == (2, ""), err
    lines = err.splitlines()
    assert len(lines) == len(case.told), err
    for place, *words in case.told:
        start = f"audit: {place.replace('{series}', str(series))}"
        [line] = [line for line in lines if line.startswith(start)] or [None]
        assert line is not None, (start, err)
        assert [word for word in words if word not in line] == [], line
        assert line.isprintable()
    assert {text for text in private if re.search(rf"\b{re.escape(text)}\b", err)} == set()
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
        set_cell(path, 4, "Group-ID", " ")
    code, _, err = run_main(str(tmp_path / "s"))
    assert code == 2
    assert [re.match(r'audit: (\S+), column "(\S+)"', line).groups() for line in err.splitlines()] == [
        ("releases/1.csv:4", "Group-ID"),
        ("releases/1.csv:3", "Disease"),
        ("releases/2.csv:4", "Group-ID"),
        ("releases/2.csv:3", "Disease"),
    ]


@pytest.mark.parametrize("ends", ["\r\n", "\r"])
def test_line_ends_of_other_systems(ends, tmp_path):
    FORMS["hospital-l-diverse"](tmp_path / "s")
    path = tmp_path / "s/releases/1.csv"
    text = path.read_text(encoding="utf-8")
    path.write_bytes(text.replace("\n", ends).encode())
    assert run_main(str(tmp_path / "s"))[0] == 1
    path.write_bytes(text.replace("bronchitis", "").replace("\n", ends).encode())
    assert run_main(str(tmp_path / "s"))[2].startswith('audit: releases/1.csv:3, column "Disease": ')


def test_cells_of_a_megabyte(tmp_path):
    FORMS["hospital-l-diverse"](tmp_path / "s")
    for release in ("1", "2"):
        path = tmp_path / f"s/releases/{release}.csv"
        rows = read_rows(path)
        rows[1][0], rows[1][4] = "B" * (1 << 20), "d" * (1 << 20)
        write_rows(path, rows)
    code, out, err = run_main(str(tmp_path / "s"))
    assert (code, err) == (1, "")
    assert max(map(len, out.splitlines())) < 2000


@pytest.mark.parametrize("path", ["", "no/such/folder", "x" * 5000, "a\0b", "\x1b[31m\nforged: line", "\udcff"])
def test_a_path_that_leads_nowhere_is_told_in_a_line(path):
    code, out, err = run_main(f"{path}/")
    assert (code, out) == (2, "")
    assert err.startswith("audit: ")
    assert err.count("\n") == 1
    assert err[:-1].isprintable()
