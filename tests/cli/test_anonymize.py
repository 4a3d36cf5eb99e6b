"""`audit anonymize` with good, bad and hostile input: what it publishes is true, what it refuses changes nothing."""

import csv
import gzip
import io
import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from audit.io.cell_reading import unread
from tests.helpers.amount import slow
from tests.helpers.microdata import HEAD, Row, write_microdata
from tests.helpers.running import done, run_audit, run_main
from tests.mutants.mutant import kills

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


def anonymize(micro: Path, series: Path, *words: str) -> tuple[int, str, str]:
    return run_main("anonymize", str(micro), "--no-audit", "--output", str(series), *words)


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
        inside = cell.startswith("{") and cell.endswith("}")
        line, value = (re.sub(r"\s", " ", text) for text in (cell[1:-1], value))
        return inside and value in next(csv.reader([line], skipinitialspace=True))
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


@pytest.mark.many
@EVERY
def test_what_is_published_is_true(tmp_path, words):
    micro = write_microdata(tmp_path / "micro", TWO)
    out = published(micro, tmp_path / "series", *words)
    assert f"Published 2 releases in {tmp_path / 'series'} by " in out
    for tag, rows in TWO.items():
        assert assert_true(micro, tmp_path / "series", tag) == {str(row[0]) for row in rows}
    assert run_audit(tmp_path / "series")[0] in (0, 1, 3)
    nothing = published(micro, tmp_path / "series", *words)
    assert nothing.startswith("Nothing to publish: every snapshot that microdata.toml lists")
    assert "add its file to snapshots in microdata.toml" in nothing


HOSTILE = ("{}", "{x}", "{,}", "a,b", ",", "204*", "a*,b", "[1, 2]", "21-22", '"', "a\nb", "a\rb", "\1", "\x1b[31m",
           "=cmd()", "x" * 5000, "\ufeffq", "a\u0085b", "\u202e", "~", "NA", "-", "x{", "A,A", "{a, b}")  # fmt: skip


@pytest.mark.many
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
        if unread(town, None):
            assert "looks like a range, and no list says" in anonymize(micro, folder / "series", *words)[2]
            list_values(micro, [*TOWNS, town])
        code, _, err = anonymize(micro, folder / "series", *words)
        if code == 2:
            assert re.search('column "Town": release 1 is not published: some values of this column ', err)
            assert set(town) & set("{*")
            assert words != MONOTONIC or f'in a set of values ("{town}")' in err
            assert not (folder / "series").exists()
            refusals += 1
        else:
            assert (code, err) == (0, "")
            assert len(assert_true(micro, folder / "series", "1", ending=ending, of=f".{ending}")) == 24
    assert refusals == {MONOTONIC: 1, ANATOMY: 2, BUCKETS: 2}.get(words, 0)


LIKE_RANGES = ("21-22", "<15k", "15k-30k", "50k+", "30 to 39")


def list_values(micro: Path, towns: Sequence[str]) -> None:
    with (micro / "microdata.toml").open("a", encoding="utf-8") as file:
        file.write(f"\n[domains]\nTown = {json.dumps(towns)}\n")


@pytest.mark.many
@EVERY
def test_values_that_look_like_ranges_are_published_so_that_an_audit_reads_them(tmp_path, words):
    """Alone, in sets and in a release that is added later; the series names the values, and a new one needs another."""
    rows = [(who, age, LIKE_RANGES[n * n % 5], value) for n, (who, age, _, value) in enumerate(PEOPLE)]
    micro, series = write_microdata(tmp_path / "micro", {"1": rows[:12], "2": rows}), tmp_path / "series"
    edit(micro / "microdata.toml", ', "2.csv"', "")
    list_values(micro, LIKE_RANGES)
    published(micro, series, *words)
    edit(micro / "microdata.toml", '"1.csv"', '"1.csv", "2.csv"')
    published(micro, series, *words)
    for register in (False, True):
        if register:
            people = [f"{who},{age},{town}" for who, age, town, _ in rows]
            (series / "people.csv").write_text("\n".join(["individual,Age,Town", *people]) + "\n")
            edit(series / "series.toml", "[anonymized]", '[adversary]\nregister = "people.csv"\n\n[anonymized]')
            edit(series / "series.toml", "[adversary]", '[adversary]\npresence = "possible"')
        code, report, err = run_audit(series)
        assert code in (0, 1, 3), err
        assert "not read" not in json.dumps(report)
    edit(micro / "microdata.toml", "[domains]\nTown = [", '[domains]\nTown = ["90k+", ')
    (micro / "3.csv").write_text((micro / "2.csv").read_text(), encoding="utf-8")
    edit(micro / "microdata.toml", '"2.csv"', '"2.csv", "3.csv"')
    code, _, err = anonymize(micro, series, *words)
    assert (code, 'some values of "Town" look like ranges, and no hierarchy there lists them' in err) == (2, True)


def convert(micro: Path, ending: str) -> None:
    """Write the snapshots in another form."""
    for path in micro.glob("*.csv") if ending != "csv" else ():
        if ending == "csv.gz":
            (micro / f"{path.name}.gz").write_bytes(gzip.compress(path.read_bytes()))
        else:
            cells = {name: [row[name] for row in read(path)] for name in HEAD}
            pq.write_table(pa.table(cells), micro / f"{path.stem}.parquet")
    edit(micro / "microdata.toml", ".csv", f".{ending}")


@pytest.mark.many
@pytest.mark.parametrize("word", ["a,b", 'say "x"', "x\ny", "\\", "'", "é", "=cmd()", "a.b", "Group", "count", "Record",
                                  "\1", "\x7f", "row", "individual", "[x]", "x" * 2000])  # fmt: skip
@pytest.mark.parametrize("words", [M, ANATOMY, MONOTONIC], ids=["groups", "pairs", "records"])
def test_hostile_column_names(tmp_path, words, word):
    """Hostile column names are written into headers and manifests."""
    micro = tmp_path / "micro"
    write_microdata(micro, {"1": PEOPLE}, head=("Name", "Age", word, "Disease"))
    written = "".join(f"\\u{ord(c):04x}" if c < " " or c in '"\\\x7f' else c for c in word)
    edit(micro / "microdata.toml", f'["Age", "{word}"]', f'["Age", "{written}"]')
    published(micro, tmp_path / "series", *words)
    assert run_audit(tmp_path / "series")[0] in (0, 1, 3)


@pytest.mark.parametrize("domains", ["", "Age = [2020, 2030]"])
def test_a_number_of_all_people_is_published_as_it_is(tmp_path, domains):
    years = {"1": "2024", "2": "2025"}
    snapshots = {tag: [(who, year, town, VALUES[n % 2]) for n, (who, _, town, _) in enumerate(PEOPLE)]
                 for tag, year in years.items()}  # fmt: skip
    micro = write_microdata(tmp_path / "micro", snapshots, domains=domains)
    published(micro, tmp_path / "series", *M)
    for tag, year in years.items():
        assert_true(micro, tmp_path / "series", tag)
        cells = {row["Age"] for row in read(tmp_path / f"series/releases/{tag}.csv")}
        assert cells == {year}


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


@pytest.mark.many
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


@slow
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
            assert main(["anonymize", micro, "--no-audit", "--output", f"{there}/{place}", "--seed", "9", *words]) == 0
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


def test_what_is_said_follows_the_language(tmp_path):
    micro = write_microdata(tmp_path / "m", {"1": PEOPLE})
    code, out, err = anonymize(micro, tmp_path / "s", *DIVERSE, "--language", "de")
    assert (code, err) == (0, "")
    assert "Veröffentlichung      Zeilen   Gruppen  Scheinzeilen  zurückgehalten  Sekunden\n" in out
    assert "1 Veröffentlichung in" in out
    assert "l-diversity (l = 2) ist eingehalten" in out
    assert "\nWessen Zeile" in f"\n{(tmp_path / 's/series.toml').read_text(encoding='utf-8').replace('# ', '')}"
    assert "Enthaltene" in run_main(str(tmp_path / "s"), "--language", "de")[1]
    out = anonymize(micro, tmp_path / "s", *DIVERSE, "--language", "de")[1]
    assert out.startswith("Nichts zu veröffentlichen")


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
    done("check", str(tmp_path / "series"), "--principle", "m-invariance", "--m", "2")


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
     "value is in more than 1/2", "(lines 2, 3, 4, 5, 6 and 3 more)"),
    (MONDRIAN, {"1": PEOPLE[:12], "2": [*PEOPLE, PEOPLE[3]]}, '2.csv:5, column "Name": this person has another row on '
     "line 26", "keep one row"),
    (MONDRIAN, {"1": PEOPLE[:12], "2": [("~P", *PEOPLE[0][1:])]}, '2.csv:2, column "Name": identifiers that begin with '
     "~ are reserved for counterfeits", "another identifier"),
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


def weighted(micro: Path, snapshots: dict[str, list[Row]]) -> Path:
    """Microdata with a column that no outsider can know."""
    rows = {tag: [(*row[:3], f"{n},25", row[3]) for n, row in enumerate(own, 7)] for tag, own in snapshots.items()}
    write_microdata(micro, rows, head=("Name", "Age", "Town", "Weight", "Disease"))
    edit(micro / "microdata.toml", '"Town", "Weight"]', '"Town"]\nunlinkable = { Weight = "calibrated" }')
    return micro


@pytest.mark.parametrize("words", [MONDRIAN, DIVERSE, (*DIVERSE, "--publish", "anatomy"), ANATOMY], ids=str)
def test_an_unlinkable_column_is_published_beside_its_rows(tmp_path, words):
    micro, series = weighted(tmp_path / "micro", {"1": PEOPLE[:12]}), tmp_path / "series"
    published(micro, series, *words)
    manifest = (series / "series.toml").read_text(encoding="utf-8")
    assert 'unlinkable = { Weight = "calibrated" }\n' in manifest
    assert "unconfirmed" not in manifest
    [file] = [path for path in (series / "releases").iterdir() if "values" not in path.name]
    keys = {int(line["row"]): line["individual"] for line in read(series / "private/1.key.csv")}
    found = {keys[n]: row["Weight"] for n, row in enumerate(read(file))}
    assert found == {name: f"{n},25" for n, (name, *_) in enumerate(PEOPLE[:12], 7)}
    write_microdata(micro, {"1": PEOPLE[:12]})
    assert (
        'publishes the unlinkable column "Weight", which microdata.toml does not' in refused(micro, series, *words)[0]
    )


@kills("audit.publishing.series_folder._new_manifest", "sensitivity(name) or not is_weight(name)", "sensitivity(name)")
@pytest.mark.parametrize("name", ["Income band", "Satisfaction", "Income weight", "Birth weight"])
def test_an_unlinkable_column_that_may_be_sensitive_is_asked_about_again(tmp_path, name):
    """Its texts were certain for whoever is in a group with one of them, and the policy held."""
    micro, series = weighted(tmp_path / "micro", {"1": PEOPLE[:12]}), tmp_path / "series"
    for path in (micro / "microdata.toml", *micro.glob("**/*.csv")):
        edit(path, "Weight", name)
    edit(micro / "microdata.toml", f"{name} =", f'"{name}" =')
    published(micro, series, *DIVERSE)
    code, out, _ = run_main(str(series))
    assert (code, "columns.unlinkable is a guess" in " ".join(out.split())) == (3, True)


def test_a_series_with_two_sensitive_columns_goes_on_where_microdata_name_one_as_unlinkable(tmp_path):
    """So the series was begun by the advice of `audit init`, and then refused."""
    micro, series = weighted(tmp_path / "micro", {"1": PEOPLE[:12]}), tmp_path / "series"
    published(micro, series, *DIVERSE)
    edit(series / "series.toml", 'sensitive = "Disease"', 'sensitive = ["Disease", "Weight"]')
    edit(series / "series.toml", 'unlinkable = { Weight = "calibrated" }\n', "")
    weighted(micro, {"1": PEOPLE[:12], "2": PEOPLE, "3": PEOPLE[2:]})
    published(micro, series, *DIVERSE)
    manifest = (series / "series.toml").read_text(encoding="utf-8")
    assert ('sensitive = ["Disease", "Weight"]' in manifest, "unlinkable" in manifest) == (True, False)
    assert len({row["Weight"] for row in read(series / "releases/2.csv")}) == len(PEOPLE)
    code, result, err = run_audit(series)
    assert (code in {1, 3}, len(result["series"]["releases"])) == (True, 3), err


def test_no_row_is_invented_beside_an_unlinkable_column(tmp_path):
    """Its cell would show that it is no person's, or would be another person's."""
    two = {"1": PEOPLE[:12], "2": [row for row in PEOPLE[:12] if row[3] != "flu"]}
    micro = weighted(tmp_path / "micro", two)
    published(write_microdata(tmp_path / "plain", two), tmp_path / "s", *M)
    assert (tmp_path / "s/counterfeits/2.csv").exists()
    code, _, err = anonymize(micro, tmp_path / "series", *M)
    assert (code, 'column "Weight": release 2 is not published: it needs counterfeits' in err) == (2, True), err


def test_a_series_with_record_ids_says_which_quasi_identifiers_change(tmp_path):
    """The cells of a record would contradict each other, or look as if they were about one value."""
    micro, series = write_microdata(tmp_path / "micro", {"1": PEOPLE[:12]}), tmp_path / "series"
    published(micro, series, *MONDRIAN)
    write_microdata(micro, changed(4, 1, 77))
    [line] = refused(micro, series, *MONDRIAN)
    assert line.startswith('series.toml: people\'s values of "Age" change between the snapshots')
    edit(series / "series.toml", "[columns]\n", '[columns]\nchanging = ["Age"]\n')
    published(micro, series, *MONDRIAN)
    published(micro, tmp_path / "new", *MONDRIAN)
    assert 'changing = ["Age"]\n' in (tmp_path / "new/series.toml").read_text(encoding="utf-8")
    published(micro, tmp_path / "groups", *DIVERSE)
    assert "changing" not in (tmp_path / "groups/series.toml").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("words", "snapshots", "where"), [each[:3] for each in REFUSED if each[0] in (M, ANATOMY, MONDRIAN)]
)
def test_what_the_snapshots_show_is_refused_before_the_first_release(tmp_path, words, snapshots, where):
    """Half a series would be published, and could not go on."""
    [line] = refused(write_microdata(tmp_path / "micro", snapshots), tmp_path / "series", *words)
    assert line.startswith(where)
    assert not (tmp_path / "series").exists()


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
FROM_TWO = f"a whole number from 2 is needed; {SEE}"
WORDS = [
    ((), f"the following arguments are required: --method; {SEE}"),
    (("--method", "magic"), "argument --method: invalid choice"),
    (("--method", "mondrian"), "mondrian needs --k; give it a whole number from 2"),
    (("--method", "m-invariance"), "m-invariance needs --m; give it a whole number from 2"),
    (("--method", "mondrian", "--m", "2"), "mondrian has no --m; there are --k"),
    ((*M, "--k", "2"), "m-invariance has no --k; there are --m, --withhold"),
    (("--method", "m-invariance", "--m", "1"), f"argument --m: {FROM_TWO}"),
    (("--method", "m-invariance", "--m", "-2"), f"argument --m: {FROM_TWO}"),
    (("--method", "m-invariance", "--m", "2.5"), f"argument --m: {FROM_TWO}"),
    (("--method", "m-invariance", "--m", "٣"), f"argument --m: {FROM_TWO}"),
    (("--method", "m-invariance", "--m", "9" * 5000), f"argument --m: {FROM_TWO}"),
    (("--method", "l-diversity", "--l", "1"), f"argument --l: {FROM_TWO}"),
    ((*MONDRIAN, "--withhold"), "mondrian has no --withhold; there are --k"),
    ((*DIVERSE, "--withhold"), "l-diversity has no --withhold; there are --l"),
    ((*MONDRIAN, "--publish", "anatomy"), "mondrian publishes no anatomy; choose from generalization"),
    ((*MONOTONIC, "--publish", "anatomy"), "monotonic-mondrian publishes no anatomy; choose from generalization"),
    ((*M, "--publish", "cake"), "argument --publish: invalid choice"),
    ((*M, "--seed", "-1"), "argument --seed: a whole number from 0 to 9999999999999999999 is needed"),
    ((*M, "more"), "unrecognized arguments: more"),
]  # fmt: skip


@pytest.mark.parametrize(("words", "line"), WORDS, ids=[" ".join(words)[:60] for words, _ in WORDS])
def test_words_that_do_not_fit(tmp_path, words, line):
    micro = write_microdata(tmp_path / "micro", TWO)
    [told] = refused(micro, tmp_path / "series", *words)
    assert told.startswith(line)
    assert not (tmp_path / "series").exists()


# -- folders and files in the way ------------------------------------------------------------------------------------


BLOCKED = [
    ("", "file", "this is not a folder; name the folder of the series with --output"),
    ("", "long", "File name too long"),
    ("notes.txt", "file", "this folder holds other files, but no series.toml"),
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


@pytest.mark.many
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


@EVERY
def test_a_key_that_says_something_else(begin, words):
    """The key exchanges people whose values differ."""
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


@pytest.mark.parametrize("words", [M, MONOTONIC, MONDRIAN, DIVERSE])
def test_numbers_are_published_in_the_blocks_of_a_grid(begin, words, tmp_path):
    micro, _ = begin(words)
    edit(micro / "microdata.toml", "[columns]", "[grids]\nAge = [5, 20]\n\n[columns]")
    series = tmp_path / "on-a-grid"
    published(micro, series, *words)
    published(micro, series, *words)
    cells = {row["Age"] for tag in "12" for row in read(series / f"releases/{tag}.csv")}
    blocks = [cell for cell in cells if "-" in cell]
    assert blocks, cells
    form = "<=[0-9]*[49]|>=[0-9]*[05]" if words == MONOTONIC else "[*]"
    assert all(re.fullmatch(form, cell) for cell in cells - {*blocks}), cells
    ends = [[int(end) for end in cell.split("-")] for cell in blocks]
    assert all(low % 5 == 0 and high % 5 == 4 for low, high in ends), cells
    assert words == MONOTONIC or {high - low for low, high in ends} <= {4, 19}
