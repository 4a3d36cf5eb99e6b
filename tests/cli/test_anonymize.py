"""`audit anonymize` with good, bad and hostile input: what it publishes is true, what it refuses changes nothing."""

import csv
import gzip
import io
import os
import random
import re
import shutil
import stat
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.helpers.microdata import HEAD, Row, write_microdata
from tests.helpers.running import run_audit, run_main

M = ("--method", "m-invariance", "--m", "2")
ANATOMY = (*M, "--publish", "anatomy")
MONOTONIC = ("--method", "monotonic-mondrian", "--k", "2")
MONDRIAN = ("--method", "mondrian", "--k", "2")
DIVERSE = ("--method", "l-diversity", "--l", "2")
BUCKETS = ("--method", "e-equivalence", "--m", "2", "--e", "2")
METHODS = {"m": M, "anatomy": ANATOMY, "monotonic": MONOTONIC, "mondrian": MONDRIAN, "l": DIVERSE, "e": BUCKETS}
PAIRS = (ANATOMY, BUCKETS)
EVERY = pytest.mark.parametrize("words", METHODS.values(), ids=METHODS)

TOWNS, VALUES = ("Wetwang", "Great Snoring", "Nether Wallop"), ("flu", "cold", "gout", "acne")


def people(count: int) -> list[Row]:
    return [(f"Person{n}", 20 + n * 7 % 40, TOWNS[n % 3], VALUES[n % 4]) for n in range(count)]


PEOPLE = people(24)
TWO = {"1": PEOPLE[:12], "2": PEOPLE}


@pytest.fixture(autouse=True)
def _no_waiting_for_disks(monkeypatch):
    """Whether anything survives a power failure is not what is tested here."""
    monkeypatch.setattr(os, "fsync", lambda _: None)


def anonymize(micro: Path, series: Path, *words: str) -> tuple[int, str, str]:
    return run_main("anonymize", str(micro), "--output", str(series), *words)


def published(micro: Path, series: Path, *words: str) -> str:
    code, out, err = anonymize(micro, series, *words)
    assert (code, err) == (0, "")
    return out


def files(folder: Path) -> dict[str, bytes]:
    """All files below a folder but the lock, which is empty."""
    paths = [path for path in folder.rglob("*") if path.is_file() and path.name != ".lock"]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def refused(micro: Path, series: Path, *words: str) -> list[str]:
    """Assert that nothing is published; return the lines that say why, without `audit: `."""
    before = files(series.parent)
    code, out, err = anonymize(micro, series, *words)
    assert (code, out) == (2, ""), err
    assert files(series.parent) == before
    assert not (series / "private/.staging").exists()
    lines = err.splitlines()
    assert all(line.startswith("audit: ") and line.isprintable() for line in lines)
    private = {str(cell) for row in PEOPLE for cell in (row[0], row[2])}
    assert not [text for text in private if re.search(rf"\b{text}\b", err)]
    return [line.removeprefix("audit: ") for line in lines]


def edit(path: Path, old: str, new: str, count: int = -1) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, count), encoding="utf-8", newline="")


# -- what is published, judged by code that knows nothing of the project ---------------------------------------------


def read(path: Path) -> list[dict[str, str]]:
    if path.name.endswith(".parquet"):
        return [{name: str(cell) for name, cell in row.items()} for row in pq.ParquetFile(path).read().to_pylist()]
    data = gzip.decompress(path.read_bytes()) if path.name.endswith(".gz") else path.read_bytes()
    return list(csv.DictReader(io.StringIO(data.decode("utf-8-sig"), newline="")))


def covers(cell: str, value: str, *, numeric: bool) -> bool:
    """Whether a published cell covers an exact value."""
    if cell in ("*", value):
        return True
    if not numeric:
        return cell.startswith("{") and cell.endswith("}") and value in cell[1:-1].split(", ")
    number = Fraction(value.replace("–", "-"))
    if interval := re.fullmatch(r"([\[(])(\S+), (\S+)([\])])", cell):
        low, high = Fraction(interval[2]), Fraction(interval[3])
        above = low < number if interval[1] == "(" else low <= number
        return above and (number < high if interval[4] == ")" else number <= high)
    if half := re.fullmatch(r"([<>])(=?)(\S+)", cell):
        end = Fraction(half[3])
        return bool(half[2] and number == end) or (number < end if half[1] == "<" else number > end)
    return Fraction(cell) == number


def assert_true(
    micro: Path, series: Path, tag: str, *, ending: str = "csv", numeric: Sequence[str] = ("Age",), of: str = ".csv"
) -> set[str]:
    """Assert that a release says the truth of everybody in it; return the identifiers of those who are."""
    snapshot = {row["Name"].strip(): row for row in read(micro / f"{tag}{of}")}
    anatomy = (series / f"releases/{tag}.values.{ending}").is_file()
    rows = read(series / f"releases/{tag}{'.rows' if anatomy else ''}.{ending}")
    key = {int(line["row"]): line["individual"] for line in read(series / f"private/{tag}.key.csv")}
    assert sorted(key) == list(range(len(rows)))
    there = [who for who in key.values() if who]
    assert len(set(there)) == len(there)
    values: dict[str, Counter[str]] = {}
    for line in read(series / f"releases/{tag}.values.{ending}") if anatomy else []:
        values.setdefault(line["Group"], Counter())[line["Disease"]] += int(line["count"])
    for place, row in enumerate(rows):
        truth = snapshot[key[place]] if key[place] else {}
        for name in (name for name in ("Age", "Town") if truth):
            value = truth[name].strip()
            assert covers(row[name], value, numeric=name in numeric), (name, row[name][:80])
        if truth and anatomy:
            assert values[row["Group"]][truth["Disease"].strip()] > 0
        elif truth:
            assert row["Disease"] == truth["Disease"].strip()
    if anatomy:
        assert {group: found.total() for group, found in values.items()} == Counter(row["Group"] for row in rows)
    return set(there)


@EVERY
def test_what_is_published_is_true(tmp_path, words):
    micro = write_microdata(tmp_path / "micro", TWO)
    out = published(micro, tmp_path / "series", *words)
    assert f"Published 2 releases in {tmp_path / 'series'} by " in out
    for tag, rows in TWO.items():
        assert assert_true(micro, tmp_path / "series", tag) == {str(row[0]) for row in rows}
    assert run_audit(tmp_path / "series")[0] in (0, 1, 3)
    assert published(micro, tmp_path / "series", *words).startswith("Nothing to publish")


HOSTILE = ("{}", "{x}", "{,}", "a,b", ",", "204*", "a*,b", "[1, 2]", "21-22", '"', "a\nb", "a\rb", "\0", "\x1b[31m",
           "=cmd()", "x" * 5000, "\ufeffq", "a\u0085b", "\u202e", "~", "NA", "-", "x{", "A,A", "{a, b}")  # fmt: skip


@pytest.mark.parametrize(
    ("words", "ending"), [*((words, "csv") for words in METHODS.values()), (M, "parquet"), (ANATOMY, "csv.gz")]
)
def test_hostile_values_are_published_as_what_they_are(tmp_path, words, ending):
    """One town after the other; a set cannot name some of them, nor can an exact cell: then everything is refused."""
    refusals = 0
    for place, town in enumerate(HOSTILE):
        rows = [(who, age, town if n in (0, 5) else there, value) for n, (who, age, there, value) in enumerate(PEOPLE)]
        folder = tmp_path / str(place)
        micro = write_microdata(folder / "micro", {"1": rows})
        convert(micro, ending)
        code, _, err = anonymize(micro, folder / "series", *words)
        if code == 2:
            assert re.search('column "Town": release 1 is not published: some values of this column ', err)
            assert set(town) & set("{,*")
            assert not (folder / "series").exists()
            refusals += 1
        else:
            assert (code, err) == (0, "")
            assert len(assert_true(micro, folder / "series", "1", ending=ending, of=f".{ending}")) == 24
    assert refusals == {MONOTONIC: 8, ANATOMY: 5, BUCKETS: 5}.get(words, 0)


def convert(micro: Path, ending: str) -> None:
    """Write the snapshots in another form."""
    for path in micro.glob("*.csv") if ending != "csv" else ():
        if ending == "csv.gz":
            (micro / f"{path.name}.gz").write_bytes(gzip.compress(path.read_bytes()))
        else:
            cells = {name: [row[name] for row in read(path)] for name in HEAD}
            pq.write_table(pa.table(cells), micro / f"{path.stem}.parquet")
    edit(micro / "microdata.toml", ".csv", f".{ending}")


@EVERY
def test_hostile_sensitive_values_and_identifiers(tmp_path, words):
    names = [f".{text}" for text in HOSTILE]
    rows = [(f"{name}{n}", 20 + n, "Wetwang", names[-n]) for n, name in enumerate(names)]
    micro = write_microdata(tmp_path / "micro", {"1": rows})
    published(micro, tmp_path / "series", *words)
    assert_true(micro, tmp_path / "series", "1")


@pytest.mark.parametrize("word", ["a,b", 'say "x"', "x\ny", "\\", "'", "é", "=cmd()", "a.b", "Group", "count", "Record",
                                  "\0", "\x7f", "row", "individual", "[x]", "x" * 2000])  # fmt: skip
@EVERY
def test_hostile_column_names(tmp_path, words, word):
    """They come to stand in a header and in a manifest."""
    micro = tmp_path / "micro"
    write_microdata(micro, {"1": PEOPLE}, head=("Name", "Age", word, "Disease"))
    written = "".join(f"\\u{ord(c):04x}" if c < " " or c in '"\\\x7f' else c for c in word)
    edit(micro / "microdata.toml", f'["Age", "{word}"]', f'["Age", "{written}"]')
    published(micro, tmp_path / "series", *words)
    assert run_audit(tmp_path / "series")[0] in (0, 1, 3)


AGES = ["007", "7", "+7", "7.0", "1.50", "1.5", "15e-1", "+5", "5", "-0", "0", "1e300", "-1e300", "1e-300", "2e-300",
        "0.1", "0.30", "123456789012345678901234567890.5", ".5", "1."]  # fmt: skip


@pytest.mark.parametrize("words", [M, ANATOMY, MONDRIAN, DIVERSE])
def test_hostile_numbers(tmp_path, words):
    rows = [(f"P{n}", age, "Wetwang", VALUES[n % 4]) for n, age in enumerate(AGES)]
    micro = write_microdata(tmp_path / "micro", {"1": rows})
    published(micro, tmp_path / "series", *words)
    assert len(assert_true(micro, tmp_path / "series", "1")) == len(AGES)


def test_numbers_too_long_to_end_an_interval(tmp_path):
    rows = [(f"P{n}", age, "Wetwang", "flu") for n, age in enumerate(("1e300", "-1e300") * 3)]
    micro = write_microdata(tmp_path / "micro", {"1": rows})
    what = "some numbers of this column are too long to end an interval; round them, or leave the column out"
    told = [f'1.csv, column "Age": release 1 is not published: {what}']
    assert refused(micro, tmp_path / "series", *MONOTONIC) == told


@pytest.mark.parametrize("length", ["2", "2.5", "7", "0.5", "1e2", "1e300"])
@pytest.mark.parametrize("more", ["", 'Town = ["Wetwang", "Hull", "Great Snoring", "Nether Wallop", "Rye"]'])
def test_least_lengths(tmp_path, length, more):
    """Two people of each age, who can be a group on their own."""
    rows = [(who, 20 + n // 2, town, VALUES[n % 2]) for n, (who, _, town, _) in enumerate(PEOPLE)]
    micro = write_microdata(tmp_path / "micro", {"1": rows[:12], "2": rows}, domains=more)
    asked = ["--min-length", f"Age={length}", *(["--min-length", "Town=2.5"] if more else [])]
    published(micro, tmp_path / "series", *M, *asked)
    for tag in TWO:
        assert_true(micro, tmp_path / "series", tag)
        for row in read(tmp_path / f"series/releases/{tag}.csv"):
            if more:
                assert row["Town"] == "*" or len(row["Town"].split(", ")) >= 3 or "Rye" in row["Town"]
            if interval := re.fullmatch(r"\[(.+), (.+)\]", row["Age"]):
                assert Fraction(interval[2]) - Fraction(interval[1]) + 1 >= Fraction(length)
            else:
                assert row["Age"] == "*" or Fraction(length) <= 1


def test_domains_are_the_whole_that_is_cut(tmp_path):
    micro = write_microdata(
        tmp_path / "micro", TWO, domains='Age = [0, 99]\nTown = ["Hull", "' + '", "'.join(TOWNS) + '"]'
    )
    published(micro, tmp_path / "series", *MONOTONIC)
    for tag in TWO:
        assert_true(micro, tmp_path / "series", tag)
    ends = {row["Age"].split(", ")[0] for row in read(tmp_path / "series/releases/2.csv")}
    assert "[0" in ends


# -- the same input, the same bytes ----------------------------------------------------------------------------------


def moving(count: int, growing: bool) -> dict[str, list[Row]]:
    """People who come, go and come back, in an order of their own in each snapshot; values far from sorted."""
    everybody = [(f"P{n * 7919 % 1000}", 20 + n * 13 % 60, TOWNS[n * n % 3], f"v{n * 31 % 37 % 9}") for n in range(120)]
    snapshots: dict[str, list[Row]] = {}
    for number in range(count):
        there = everybody[: 60 + 20 * number] if growing else everybody[15 * number : 15 * number + 70]
        snapshots[str(number + 1)] = sorted(there, key=lambda row, n=number: hash_of(row[0], n))
    return snapshots


def hash_of(name: str, number: int) -> int:
    return sum(ord(c) * 31**place for place, c in enumerate(name)) * (2 * number + 7919) % 10007


@EVERY
def test_in_one_go_or_release_by_release(tmp_path, words):
    snapshots = moving(4, growing=words == MONOTONIC)
    words = (*words, "--withhold") if "m-invariance" in words else words
    published(write_microdata(tmp_path / "micro", snapshots), tmp_path / "once", *words, "--seed", "5")
    for number in range(1, 5):
        some = write_microdata(tmp_path / f"micro{number}", dict(list(snapshots.items())[:number]))
        published(some, tmp_path / "often", *words, "--seed", "5")
    assert files(tmp_path / "once") == files(tmp_path / "often")
    published(tmp_path / "micro", tmp_path / "other", *words, "--seed", "6")
    assert files(tmp_path / "once") != files(tmp_path / "other")


def test_in_two_processes_that_hash_and_count_otherwise(tmp_path):
    """Neither the order of sets nor the number of threads may show."""
    for growing in (False, True):
        write_microdata(tmp_path / f"micro{growing}", moving(3, growing=growing))
    script = """if True:
        import os, sys
        from audit.cli.main import main
        os.fsync = lambda _: None
        there, cases = sys.argv[1], [case.split() for case in sys.argv[2:]]
        for place, words in enumerate(cases):
            micro = f"micro{'monotonic-mondrian' in words}"
            assert main(["anonymize", micro, "--output", f"{there}/{place}", "--seed", "9", *words]) == 0
    """
    cases = [" ".join((*words, "--withhold") if "m-invariance" in words else words) for words in METHODS.values()]
    for there, seed, threads in (("one", "1", "1"), ("two", "2", "2")):
        (tmp_path / there).mkdir()
        threaded = dict.fromkeys(("OMP_NUM_THREADS", "ARROW_IO_THREADS", "NUMBA_NUM_THREADS"), threads)
        environment = {**os.environ, "PYTHONHASHSEED": seed, **threaded, "PYTHONPATH": str(Path.cwd())}
        found = subprocess.run(
            [sys.executable, "-c", script, there, *cases],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
        )
        assert found.returncode == 0, found.stderr
    assert files(tmp_path / "one") == files(tmp_path / "two")
    assert len(files(tmp_path / "one")) > 5 * 7


# -- promises that cannot be kept ------------------------------------------------------------------------------------

SHARED = [(f"Person{n}", 20 + n, "Wetwang", "flu" if n < 8 else ("cold", "gout")[n % 2]) for n in range(12)]
LATER = [*SHARED, *((f"Person{n}", 20 + n, "Wetwang", ("cold", "gout", "acne")[n % 3]) for n in range(12, 24))]


def test_too_many_share_a_value(tmp_path):
    micro = write_microdata(tmp_path / "micro", {"1": SHARED})
    what = "more than 1/2 of the 12 people never published before share a sensitive value (flu)"
    remedy = "let the fewest wait with --withhold, choose a smaller m, or publish later, with more people"
    told = f"{what}; at least 4 rows must wait (lines 2, 3, 4, 5, 6 and 3 more); {remedy}"
    line = f'1.csv:2, column "Disease": release 1 is not published: {told}'
    assert refused(micro, tmp_path / "series", *M) == [line]
    assert not (tmp_path / "series").exists()


@pytest.mark.parametrize("words", [M, ANATOMY])
def test_those_who_are_withheld_are_published_later(tmp_path, words):
    micro = write_microdata(tmp_path / "micro", {"1": SHARED, "2": LATER})
    out = published(micro, tmp_path / "series", *words, "--withhold")
    assert [line.split()[4] for line in out.splitlines()[1:3]] == ["4", "0"]
    first, second = (assert_true(micro, tmp_path / "series", tag) for tag in "12")
    assert len(first) == 8
    assert second == {str(row[0]) for row in LATER}
    code, _, err = run_main("check", str(tmp_path / "series"), "--principle", "m-invariance", "--m", "2")
    assert (code, err) == (0, "")


def test_a_parquet_release_does_not_tell_the_values_of_those_who_are_withheld(tmp_path):
    rows = [(f"P{n}", 20 + n, "Rarely" if n == 3 else "Wetwang", "flu") for n in range(4)]
    micro = write_microdata(tmp_path / "micro", {"1": [*rows[:1], *rows[3:], ("Q", 30, "Wetwang", "cold")]})
    convert(micro, "parquet")
    seen = set()
    for seed in range(8):
        series = tmp_path / f"series{seed}"
        published(micro, series, *ANATOMY, "--withhold", "--seed", str(seed))
        there = assert_true(micro, series, "1", ending="parquet", of=".parquet")
        table = pq.ParquetFile(series / "releases/1.rows.parquet", read_dictionary=["Town", "Age"]).read()
        for name in ("Town", "Age"):
            column = table.column(name).combine_chunks()
            assert set(column.dictionary.to_pylist()) == set(column.to_pylist())
        seen.add("P3" in there)
    assert seen == {True, False}


@pytest.mark.parametrize("words", [MONDRIAN, MONOTONIC])
def test_k_larger_than_the_table(tmp_path, words):
    micro = write_microdata(tmp_path / "micro", TWO)
    what = "the snapshot has 12 rows, fewer than k = 13 (lines 2, 3, 4, 5, 6 and 7 more)"
    line = f"1.csv:2: release 1 is not published: {what}; ask for a smaller k, or wait for more rows"
    assert refused(micro, tmp_path / "series", *words[:-1], "13") == [line]


def changed(row: int, column: int, text: object) -> dict[str, list[Row]]:
    """The two snapshots, with one cell of the second changed."""
    second = [list(cells) for cells in PEOPLE]
    second[row][column] = text
    return {"1": PEOPLE[:12], "2": [tuple(cells) for cells in second]}


REFUSED = [
    (M, changed(4, 3, "gout"), '2.csv:6, column "Disease": release 2 is not published: changed value: 1 people',
     "m-distinct"),
    (ANATOMY, changed(4, 3, "gout"), '2.csv:6, column "Disease": release 2 is not published: changed value: 1 people',
     "m-distinct"),
    (MONOTONIC, changed(4, 1, 77), "2.csv:6: release 2 is not published: the quasi-identifiers of 1 published people "
     "changed", "keep"),
    (MONOTONIC, {"1": PEOPLE[:12], "2": PEOPLE[1:]}, '2.csv, column "Name": release 2 is not published: 1 people of '
     "the last release are missing", "keep"),
    (DIVERSE, {"1": PEOPLE[:12], "2": SHARED}, '2.csv:2, column "Disease": release 2 is not published: 1 sensitive '
     "values are in more than 1/2", "(lines 2, 3, 4, 5, 6 and 3 more)"),
    (MONDRIAN, {"1": PEOPLE[:12], "2": [*PEOPLE, PEOPLE[3]]}, '2.csv:5, column "Name": this person stands again on '
     "line 26", "keep one row"),
    (MONDRIAN, {"1": PEOPLE[:12], "2": [("~P", *PEOPLE[0][1:])]}, '2.csv:2, column "Name": identifiers that begin with '
     "~ are kept for counterfeits", "another identifier"),
    (MONDRIAN, {"1": PEOPLE[:12], "2": []}, "2.csv: the snapshot has no rows", "drop it"),
]  # fmt: skip


@pytest.mark.parametrize(("words", "snapshots", "where", "remedy"), REFUSED)
def test_refusals_of_the_second_release(tmp_path, words, snapshots, where, remedy):
    micro = write_microdata(tmp_path / "micro", {"1": snapshots["1"]})
    published(micro, tmp_path / "series", *words)
    write_microdata(micro, snapshots)
    [line] = refused(micro, tmp_path / "series", *words)
    assert line.startswith(where)
    assert remedy in line


def test_what_was_published_before_a_refusal_is_told(tmp_path):
    micro = write_microdata(tmp_path / "micro", changed(4, 3, "gout"))
    code, out, err = anonymize(micro, tmp_path / "series", *M)
    assert code == 2
    assert "Published 1 release in" in out
    assert err.count("\n") == 1
    assert "release 2 is not published" in err
    assert set(files(tmp_path / "series")) == {
        "series.toml",
        "releases/1.csv",
        "private/1.key.csv",
        "private/.gitignore",
    }
    assert_true(micro, tmp_path / "series", "1")


@EVERY
def test_a_promise_that_the_series_does_not_keep(tmp_path, words):
    micro = write_microdata(tmp_path / "micro", {"1": PEOPLE[:12]})
    published(micro, tmp_path / "series", *words)
    write_microdata(micro, TWO)
    place = max(place for place, word in enumerate(words) if word == "2")
    [line] = refused(micro, tmp_path / "series", *words[:place], "4", *words[place + 1 :])
    assert "the series so far does not keep" in line


# -- words that do not fit -------------------------------------------------------------------------------------------

SEE = "see `audit anonymize --help`"
FROM_TWO = f"a whole number from 2 to 999999999 is needed; {SEE}"
DECIMAL = f"write COLUMN=LENGTH with a decimal number above 0; {SEE}"
WORDS = [
    ((), f"the following arguments are required: --method; {SEE}"),
    (("--method", "magic"), "argument --method: invalid choice"),
    (("--method", "mondrian"), "mondrian needs --k; give it a whole number from 2"),
    (("--method", "m-invariance"), "m-invariance needs --m; give it a whole number from 2"),
    (("--method", "mondrian", "--m", "2"), "mondrian has no --m; it has --k"),
    ((*M, "--k", "2"), "m-invariance has no --k; it has --m, --withhold"),
    (("--method", "m-invariance", "--m", "1"), f"argument --m: {FROM_TWO}"),
    (("--method", "m-invariance", "--m", "-2"), f"argument --m: {FROM_TWO}"),
    (("--method", "m-invariance", "--m", "2.5"), f"argument --m: {FROM_TWO}"),
    (("--method", "m-invariance", "--m", "٣"), f"argument --m: {FROM_TWO}"),
    (("--method", "m-invariance", "--m", "9" * 5000), f"argument --m: {FROM_TWO}"),
    (("--method", "l-diversity", "--l", "1"), f"argument --l: {FROM_TWO}"),
    ((*MONDRIAN, "--withhold"), "mondrian has no --withhold; it has --k"),
    ((*DIVERSE, "--withhold"), "l-diversity has no --withhold; it has --l"),
    ((*MONDRIAN, "--publish", "anatomy"), "mondrian publishes no anatomy; choose from generalization"),
    ((*MONOTONIC, "--publish", "anatomy"), "monotonic-mondrian publishes no anatomy; choose from generalization"),
    ((*M, "--publish", "cake"), "argument --publish: invalid choice"),
    ((*M, "--min-length", "Age"), f"argument --min-length: Age: {DECIMAL}"),
    ((*M, "--min-length", "=2"), f"argument --min-length: =2: {DECIMAL}"),
    ((*M, "--min-length", "Age=0"), f"argument --min-length: Age=0: {DECIMAL}"),
    ((*M, "--min-length", "Age=-1"), f"argument --min-length: Age=-1: {DECIMAL}"),
    ((*M, "--min-length", "Age=1/3"), f"argument --min-length: Age=1/3: {DECIMAL}"),
    ((*M, "--min-length", "Age=nan"), f"argument --min-length: Age=nan: {DECIMAL}"),
    ((*M, "--min-length", "Age=1e999999999"), f"argument --min-length: Age=1e999999999: {DECIMAL}"),
    ((*M, "--min-length", "Age=1e-99999999"), f"argument --min-length: Age=1e-99999999: {DECIMAL}"),
    ((*M, "--min-length", "Zip=2"), '--min-length: "Zip" is no quasi-identifier of the series; correct the name'),
    ((*M, "--min-length", "Town=2"), '--min-length: the values of "Town" have no order of their own'),
    ((*M, "--seed", "-1"), "argument --seed: a whole number from 0 is needed"),
    ((*M, "more"), "unrecognized arguments: more"),
]  # fmt: skip


@pytest.mark.parametrize(("words", "line"), WORDS, ids=[" ".join(words)[:60] for words, _ in WORDS])
def test_words_that_do_not_fit(tmp_path, words, line):
    micro = write_microdata(tmp_path / "micro", TWO)
    [told] = refused(micro, tmp_path / "series", *words)
    assert told.startswith(line)
    assert not (tmp_path / "series").exists()


def test_microdata_that_are_not_there(tmp_path):
    [line] = refused(tmp_path / "micro", tmp_path / "series", *M)
    assert line.endswith("microdata.toml: there is no such file; correct the path")
    (tmp_path / "file").write_text("x")
    [line] = refused(tmp_path / "file", tmp_path / "series", *M)
    assert line.endswith("this is a file, not a folder; correct the path")


# -- folders and files in the way ------------------------------------------------------------------------------------


@pytest.mark.parametrize("named", ["micro", "micro/microdata.toml", "micro/../micro", "link"])
def test_the_folder_of_the_microdata_is_no_place_for_the_series(tmp_path, named):
    micro = write_microdata(tmp_path / "micro", TWO)
    (tmp_path / "link").symlink_to(micro)
    [line] = refused(tmp_path / named, micro, *M)
    assert line.endswith("this folder holds microdata; name another one for the series")
    [line] = refused(micro, tmp_path / named, *M)
    assert "holds microdata" in line or "is not a folder" in line


BLOCKED = [
    ("", "file", "this is not a folder; name the folder of the series with --output"),
    ("", "long", "File name too long"),
    ("notes.txt", "file", "the folder holds other files, and no series.toml"),
    ("private", "file", "File exists"),
    ("private", "link", "a link takes this folder out of the series; make it a folder of its own"),
    ("private/.lock", "folder", "Is a directory"),
    ("private/.staging", "file", "File exists"),
    ("private/.staging/plan.json", "file", "publishing was interrupted, and this plan of its files is damaged"),
    ("private/.staging/plan.json", "folder", "Is a directory"),
    ("releases", "file", "this is not a folder, and a release's files belong in it; move it away"),
    ("releases", "link", "a link takes this path out of the series folder; make it a folder"),
    ("releases/1.csv", "file", "this file exists already, and the series does not name it; move it away"),
    ("releases/1.csv", "link", "this file exists already, and the series does not name it; move it away"),
    ("releases/1.csv", "folder", "this file exists already, and the series does not name it; move it away"),
    ("private/1.key.csv", "file", "this file exists already, and the series does not name it; move it away"),
    ("series.toml", "file", "this is not TOML"),
    ("series.toml", "folder", "this is a folder or a pipe, not a file; write a series.toml in its place"),
    ("series.toml", "link", "this is a folder or a pipe, not a file; write a series.toml in its place"),
]


@pytest.mark.parametrize(("name", "kind", "what"), BLOCKED)
def test_things_in_the_way(tmp_path, name, kind, what):
    micro, series = write_microdata(tmp_path / "micro", TWO), tmp_path / "series"
    path = series / name if kind != "long" else tmp_path / ("x" * 300)
    path.parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / "elsewhere").mkdir()
    if kind == "file":
        path.write_text("precious")
    elif kind == "folder":
        path.mkdir()
    elif kind == "link":
        path.symlink_to(tmp_path / "elsewhere")
    before = files(tmp_path)
    code, out, err = anonymize(micro, path if kind == "long" else series, *M)
    assert (code, out) == (2, ""), err
    assert what in err
    assert err.count("\n") == 1
    assert files(tmp_path) == before
    assert not list((tmp_path / "elsewhere").iterdir())


def test_a_plan_cannot_take_away_files_outside(tmp_path):
    micro, series = write_microdata(tmp_path / "micro", TWO), tmp_path / "series"
    (series / "private/.staging").mkdir(parents=True)
    (tmp_path / "precious.txt").write_text("mine")
    (series / "private/.staging/plan.json").write_text('{"tag": "1", "files": ["../precious.txt"]}')
    [line] = refused_as_left(micro, series, *M)
    assert "publishing was interrupted, and this plan of its files is damaged" in line
    assert (tmp_path / "precious.txt").exists()


def refused_as_left(micro: Path, series: Path, *words: str) -> list[str]:
    code, out, err = anonymize(micro, series, *words)
    assert (code, out) == (2, "")
    return err.splitlines()


def test_a_full_disk(tmp_path, monkeypatch):
    """The disk is full at each writing in turn."""
    micro = write_microdata(tmp_path / "micro", {"1": PEOPLE[:12]})
    series = tmp_path / "series"
    published(micro, series, *ANATOMY)
    write_microdata(micro, TWO)
    before, real, writes = files(series), os.fsync, 0
    while True:
        left = [writes]

        def full(descriptor, left=left):
            left[0] -= 1
            if left[0] < 0:
                raise OSError(28, "No space left on device")
            return real(descriptor)

        monkeypatch.setattr(os, "fsync", full)
        code, out, err = anonymize(micro, series, *ANATOMY)
        if code == 0:
            break
        assert (code, out) == (2, "")
        assert "No space left on device" in err
        assert files(series) == before
        writes += 1
    assert writes == 5
    assert "releases/2.rows.csv" in files(series)


def test_an_empty_folder_may_become_a_series(tmp_path):
    micro = write_microdata(tmp_path / "micro", TWO)
    (tmp_path / "series").mkdir()
    published(micro, tmp_path / "series", *M)
    assert stat.S_IMODE((tmp_path / "series/private").stat().st_mode) == 0o700


# -- series that somebody else began ---------------------------------------------------------------------------------


@pytest.fixture
def begin(tmp_path):
    """A series of one release, and microdata with one snapshot more."""

    def make(words: Sequence[str], ending: str = "csv", **form: str) -> tuple[Path, Path]:
        micro, series = tmp_path / "micro", tmp_path / "series"
        write_microdata(micro, {"1": PEOPLE[:12]}, **form)
        convert(micro, ending)
        published(micro, series, *words)
        shutil.rmtree(micro)
        write_microdata(micro, TWO, **form)
        convert(micro, ending)
        return micro, series

    return make


def test_a_series_goes_on_in_the_form_it_has(begin):
    micro, series = begin(ANATOMY)
    [line] = refused(micro, series, *M, "--publish", "generalization")
    assert line == "releases/1.rows.csv: the series publishes anatomy, and cannot change its form; begin a new series"
    published(micro, series, *M)
    assert_true(micro, series, "2")
    assert (series / "releases/2.values.csv").exists()


def test_a_series_of_cells_does_not_become_one_of_pairs(begin):
    micro, series = begin(M)
    [line] = refused(micro, series, *ANATOMY)
    assert line == "releases/1.csv: the series publishes generalization, and cannot change its form; begin a new series"


def test_records_cannot_be_linked_from_the_second_release_on(begin):
    micro, series = begin(M)
    for words in (MONDRIAN, MONOTONIC):
        [line] = refused(micro, series, *words)
        assert "links the rows of a record over the releases, and this series publishes no record id" in line


def test_a_series_of_one_method_may_go_on_by_another(begin):
    micro, series = begin(MONOTONIC)
    published(micro, series, "--method", "mondrian", "--k", "2")
    assert_true(micro, series, "2")
    first, second = ({row["Record"] for row in read(series / f"releases/{tag}.csv")} for tag in "12")
    assert first < second


def test_record_ids_undo_what_m_invariance_hides(begin):
    """A person's row is one whose record is in all the person's groups, whatever else is in them."""
    micro, series = begin(MONOTONIC)
    [line] = refused(micro, series, *M)
    assert "the series publishes record ids, which show what becomes of one person's value" in line


@EVERY
@pytest.mark.parametrize("ending", ["csv.gz", "parquet"])
def test_a_series_goes_on_in_its_file_type(begin, words, ending):
    micro, series = begin(words, ending)
    published(micro, series, *words)
    assert len(assert_true(micro, series, "2", ending=ending, of=f".{ending}")) == 24


@EVERY
def test_a_key_is_needed(begin, words):
    micro, series = begin(words)
    (series / "private/1.key.csv").unlink()
    [line] = refused(micro, series, *words)
    assert (
        "there is no key for this release, and the next one is made from the keys of all; write private/1.key.csv"
        in line
    )


@EVERY
def test_snapshots_have_to_be_those_that_are_published(begin, words):
    micro, series = begin(words)
    (micro / "1.csv").rename(micro / "0.csv")
    edit(micro / "microdata.toml", '"1.csv"', '"0.csv"')
    [line] = refused(micro, series, *words)
    assert line.startswith(
        "microdata.toml: snapshot 1 is 0, but release 1 of the series is 1: a snapshot cannot be published"
    )
    edit(micro / "microdata.toml", '"0.csv", ', "")
    [line] = refused(micro, series, *words)
    assert "snapshot 1 is 2, but release 1 of the series is 1" in line


@EVERY
def test_two_sensitive_columns(begin, words):
    micro, series = begin(words)
    edit(series / "series.toml", 'sensitive = "Disease"', 'sensitive = ["Disease", "Town"]')
    edit(series / "series.toml", '["Age", "Town"]', '["Age"]')
    edit(series / "series.toml", ', Town = "categorical"', "")
    if words in PAIRS:
        path = series / "releases/1.values.csv"
        path.write_text(
            "".join(f"{line},x\n" if n else f"{line},Town\n" for n, line in enumerate(path.read_text().split()))
        )
    [line] = refused(micro, series, *words)
    assert 'the series publishes "Disease, Town", the microdata hold "Disease" as sensitive' in line


def test_an_aggregated_series(begin):
    micro, series = begin(M)
    path = series / "releases/1.csv"
    path.write_text(
        "".join(f"{line},1\n" if n else f"{line},n\n" for n, line in enumerate(path.read_text().splitlines()))
    )
    edit(series / "series.toml", "[columns]\n", '[columns]\ncount = "n"\n')
    [line] = refused(micro, series, *M)
    assert line == "series.toml: an aggregated series (`count`) cannot be continued; publish one row for each person"


@pytest.mark.parametrize("words", [M, MONOTONIC, MONDRIAN, DIVERSE])
def test_a_series_without_groups(begin, words):
    micro, series = begin(words)
    edit(series / "series.toml", 'group = "Group"\n', "")
    published(micro, series, *words)
    assert "Group" not in read(series / "releases/2.csv")[0]
    assert_true(micro, series, "2")


def test_counterfeits_need_groups(tmp_path, begin):
    micro, series = begin(M)
    edit(series / "series.toml", 'group = "Group"\n', "")
    write_microdata(micro, {"1": PEOPLE[:12], "2": PEOPLE[:9]})
    [line] = refused(micro, series, *M)
    assert line == "the series has no group column, so counterfeits cannot be counted by group; add one"


def test_counterfeits_need_a_group_column_of_another_name(begin):
    micro, series = begin(M)
    edit(series / "series.toml", '"Group"', '"Count"')
    edit(series / "releases/1.csv", "Group,", "Count,")
    write_microdata(micro, {"1": PEOPLE[:12], "2": PEOPLE[:9]})
    [line] = refused(micro, series, *M)
    assert line.startswith('the group column is called "Count", as is that of counterfeits')


@EVERY
def test_a_series_with_a_hierarchy(begin, words):
    micro, series = begin(words)
    hierarchy = series / "towns.csv"
    hierarchy.write_text("Wetwang;East;*\nGreat Snoring;East;*\nNether Wallop;South;*\n")
    edit(series / "series.toml", ', Town = "categorical"', "")
    edit(series / "series.toml", "[columns]\n", '[columns]\nhierarchies = { Town = "towns.csv" }\n')
    published(micro, series, *words)
    assert_true(micro, series, "2")
    assert run_audit(series)[0] in (0, 1, 3)


@pytest.mark.parametrize(("words", "town"), [(M, "*"), (MONDRIAN, "*"), (ANATOMY, None)])
def test_a_town_that_the_hierarchy_does_not_know(begin, words, town):
    """Cells that may be anything are published as that; exact ones are refused."""
    micro, series = begin(words)
    (series / "towns.csv").write_text("Wetwang;East;*\nGreat Snoring;East;*\nNether Wallop;South;*\n")
    edit(series / "series.toml", ', Town = "categorical"', "")
    edit(series / "series.toml", "[columns]\n", '[columns]\nhierarchies = { Town = "towns.csv" }\n')
    rows = [*PEOPLE, *((f"New{n}", 30 + n, "Hull", VALUES[n % 4]) for n in range(4))]
    write_microdata(micro, {"1": PEOPLE[:12], "2": rows})
    if town is None:
        [line] = refused(micro, series, *words)
        assert 'column "Town": release 2 is not published: ' in line
    else:
        published(micro, series, *words)
        assert_true(micro, series, "2")
        whose = {line["individual"]: int(line["row"]) for line in read(series / "private/2.key.csv")}
        assert read(series / "releases/2.csv")[whose["New1"]]["Town"] == town


@EVERY
def test_values_that_are_missing(begin, words):
    """`missing` makes a town mean anything: true, if not telling."""
    micro, series = begin(words)
    edit(series / "series.toml", "[columns]\n", '[columns]\nmissing = ["Wetwang"]\n')
    code, _, err = anonymize(micro, series, *words)
    if words == MONOTONIC:
        assert code == 2
        assert "mean something else in the series" in err
    else:
        assert (code, err) == (0, "")
        assert len(assert_true(micro, series, "2")) == 24


def test_kinds_of_the_series_count(begin):
    micro, series = begin(M)
    edit(series / "series.toml", 'Age = "numeric"', 'Age = "categorical"')
    published(micro, series, *M)
    assert assert_true(micro, series, "2", numeric=())


def test_a_domain_of_another_kind(begin):
    micro, series = begin(M)
    text = (micro / "microdata.toml").read_text()
    ages = ", ".join(f'"{age}"' for age in range(99))
    (micro / "microdata.toml").write_text(f"{text}\n[domains]\nAge = [{ages}]\n")
    told = 'microdata.toml: the domain of "Age" is categorical, and the column is numeric in the series'
    assert refused(micro, series, *M) == [f"{told}; correct the domain"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("[series]\n", "# ours\n[series] # since 2020\n"),
        ('releases = ["releases/1.csv"]', "releases = [\n  'releases/1.csv', # the first\n]"),
        ('releases = ["releases/1.csv"]', 'releases = ["releases/*.csv"]'),
        ('releases = ["releases/1.csv"]', 'releases = ["releases/?.csv", ]'),
        ('types = { Age = "numeric", Town = "categorical" }', '[columns.types]\nAge = "numeric"\nTown = "categorical"'),
        ("[columns]\n", "\n\n  [columns]   \n\n"),
        ("\n", "\r\n"),
    ],
)
def test_manifests_keep_their_looks(begin, old, new):
    micro, series = begin(M)
    edit(series / "series.toml", old, new)
    kept = [line for line in (series / "series.toml").read_bytes().split(b"\n") if b"releases" not in line]
    published(micro, series, *M)
    assert_true(micro, series, "2")
    text = (series / "series.toml").read_bytes()
    assert all(line in text for line in kept)
    assert run_audit(series)[0] in (0, 1, 3)
    assert published(micro, series, *M).startswith("Nothing to publish")


def test_a_manifest_of_dotted_keys(begin):
    micro, series = begin(M)
    path = series / "series.toml"
    text = path.read_text().replace("[series]\n", "").replace("name = ", "series.name = ")
    path.write_text("\ufeff" + text.replace("releases = ", "series.releases = "), encoding="utf-8")
    published(micro, series, *M)
    assert_true(micro, series, "2")
    assert 'series.releases = ["releases/1.csv", "releases/2.csv"]' in path.read_text(encoding="utf-8")


@EVERY
def test_a_key_that_says_something_else(begin, words):
    """People whose values differ change places in the key."""
    micro, series = begin(words)
    path = series / "private/1.key.csv"
    lines = read(path)
    values = {str(row[0]): row[3] for row in PEOPLE}
    other = next(line for line in lines if values[line["individual"]] != values[lines[0]["individual"]])
    lines[0]["individual"], other["individual"] = other["individual"], lines[0]["individual"]
    path.write_text("row,individual\n" + "".join(f"{line['row']},{line['individual']}\n" for line in lines))
    if words in PAIRS:  # a pair does not say whose value is which: only a group without it can tell
        code, _, err = anonymize(micro, series, *words)
        assert code == 0 or "groups without their sensitive value" in err
    else:
        [line] = refused(micro, series, *words)
        row = 2 if int(lines[0]["row"]) == 0 else None
        assert re.match(
            rf"releases/1\.csv:{row or '[0-9]+'}: this row's value is not the value that the snapshot has", line
        )


def test_a_key_of_pairs_that_names_a_stranger(begin):
    micro, series = begin(ANATOMY)
    edit(series / "private/1.key.csv", "Person3,", "Zoe,")
    [line] = refused(micro, series, *ANATOMY)
    assert re.match(r"releases/1\.rows\.csv:[0-9]+: the key names a person for this row who is not in the snap", line)


@EVERY
def test_pairs_say_that_exact_values_are_published(words, tmp_path):
    out = published(write_microdata(tmp_path / "micro", TWO), tmp_path / "series", *words)
    assert ("Exact quasi-identifiers are published" in out) == (words in PAIRS)


# -- along a grid ----------------------------------------------------------------------------------------------------


def scattered(count: int, seed: int = 5) -> list[Row]:
    rng = random.Random(seed)  # noqa: S311 - reproducible people
    return [
        (f"Person{n}", rng.randrange(17, 96), f"{rng.uniform(-4, 9):.1f}", rng.choice(VALUES)) for n in range(count)
    ]


GRIDS = "Age = [17, 95]\n\n[grids]\nAge = [5, 20]\nScore = 2.5\n"
GROWING = {str(tag): scattered(90)[: 30 * tag] for tag in (1, 2, 3)}


def ends(cell: str, *, whole: bool = False) -> list[Fraction]:
    """The ends of a cell; of whole numbers, the last one ends where the next one begins."""
    found = [Fraction(number) for number in re.findall(r"(?:(?<!\d)-)?\d+(?:\.\d+)?", cell)]
    if whole:
        return [found[0] + cell.startswith(("(", "]")), found[-1] + (cell[-1] not in "[)")]
    return found


@pytest.mark.parametrize("before", ["", "Age = [17, 95]\n"])
def test_monotonic_cells_end_with_the_blocks_of_a_grid(tmp_path, before):
    """In a series from its beginning, and in one whose first release was cut between people's own values."""
    head = ["Id", "Age", "Score", "Disease"]
    series = tmp_path / "out"
    if before:
        published(write_microdata(tmp_path / "a", {"1": GROWING["1"]}, head=head, domains=before), series, *MONOTONIC)
    old = {
        end for tag in "1" if before for row in read(series / "releases" / f"{tag}.csv") for end in ends(row["Score"])
    }
    aged = {
        end
        for tag in "1"
        if before
        for row in read(series / "releases" / f"{tag}.csv")
        for end in ends(row["Age"], whole=True)
    }
    published(write_microdata(tmp_path / "b", GROWING, head=head, domains=GRIDS), series, *MONOTONIC)
    for tag in "23" if before else "123":
        rows = read(series / "releases" / f"{tag}.csv")
        assert len({(row["Age"], row["Score"]) for row in rows}) > 3, "something is cut"
        assert all(end % 5 == 0 for row in rows for end in ends(row["Age"], whole=True) if end not in {17, 96, *aged})
        assert all(end % Fraction(5, 2) == 0 for row in rows for end in ends(row["Score"]) if end not in old)
    assert run_main("check", str(series), "--principle", "monotonic", "--k", "2")[0] == 0


def test_numbers_between_blocks_of_whole_numbers_are_refused(tmp_path):
    """24.5 is neither in 20-24 nor in 25-29, so that no old cells cover it."""
    head = ["Id", "Age", "Disease"]
    whole = [(f"Person{n}", 20 + n % 10, VALUES[n % 4]) for n in range(12)]
    more = [*whole, ("Person99", "24.5", "flu")]
    micro = write_microdata(tmp_path / "m", {"1": whole, "2": more}, head=head, domains="\n[grids]\nAge = 5\n")
    code, _, err = anonymize(micro, tmp_path / "out", *MONOTONIC)
    assert code != 0
    assert "1 newcomers are in no cells of the last release" in err
