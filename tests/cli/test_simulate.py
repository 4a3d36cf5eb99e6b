"""`audit simulate`: what it writes, that the folder appears whole or not at all, and messages about wrong options."""

import csv
import itertools
import tomllib

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from audit.io.microdata import open_microdata
from audit.io.releases import IdentifierEncoder, Vocabulary
from audit.io.tables import read_table
from audit.model.errors import Problems
from audit.simulating import simulation
from tests.helpers.running import done, run_main

SMALL = ["--rows", "600", "--insertions", "80", "--deletions", "60", "--snapshots", "5"]


def written(folder, *words):
    """Write microdata into a folder, without a word but the one line, and return the folder."""
    assert done("simulate", "--output", str(folder), *words).count("\n") == 1
    return folder


def refused(folder, *words):
    """Return the only line that is said of wrong words; nothing is left in the folder's own."""
    before = sorted(folder.parent.iterdir())
    code, out, err = run_main("simulate", "--output", str(folder), *words)
    assert (code, out) == (2, "")
    assert err.startswith("audit: ")
    assert err.count("\n") == 1
    assert sorted(folder.parent.iterdir()) == before
    return err


def shown(folder):
    """Each snapshot as {individual: (quasi-identifiers ..., sensitive value)}, all as text."""
    microdata = open_microdata(folder)
    names = [microdata.individual, *microdata.quasi_identifiers, microdata.sensitive]
    snapshots = []
    for file in microdata.snapshots:
        problems = Problems()
        table = read_table(file.path, file.shown, names, problems)
        problems.check()
        rows = list(zip(*(table.texts(name) for name in names), strict=True))
        snapshots.append({row[0]: row[1:] for row in rows})
        assert len(snapshots[-1]) == len(rows)
    return snapshots


def steps(folder):
    return list(itertools.pairwise(shown(folder)))


def contents(folder):
    return {path.relative_to(folder): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


# -- what is written ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("words", [[], ["--diameter", "5", "--moving"], ["--slope", "0", "--file-type", "csv"]])
def test_the_reader_of_microdata_takes_it(words, tmp_path):
    microdata = open_microdata(written(tmp_path / "m", *SMALL, *words))
    people, vocabulary = IdentifierEncoder(), Vocabulary()
    read = [microdata.read(position, people, vocabulary) for position in range(5)]
    assert [len(each.snapshot) for each in read] == [600, 620, 640, 660, 680]
    assert microdata.tags == ("1", "2", "3", "4", "5")
    assert (microdata.transitions is None) == ("--diameter" not in words)
    assert set(microdata.domains) == {"Age", "Gender", "Education", "Birthplace"}
    assert (microdata.domains["Age"].low, microdata.domains["Age"].high) == (17, 95)
    assert len(microdata.domains["Birthplace"].texts) == 57
    assert 40 < len(vocabulary) <= 50


def test_who_comes_and_goes(tmp_path):
    ever = set()
    for before, after in steps(written(tmp_path / "m", *SMALL)):
        ever |= set(before)
        assert len(before.keys() - after) == 60
        assert len(after.keys() - ever) == 80
        assert all(before[person] == after[person] for person in before.keys() & after)


def test_values_change_along_transitions_as_often_as_asked(tmp_path):
    folder = written(tmp_path / "m", *SMALL, "--diameter", "4", "--changes", "123")
    with (folder / "transitions.csv").open(newline="") as file:
        pairs = [tuple(row) for row in csv.reader(file)]
    assert pairs[0] == ("from", "to")
    assert len(set(pairs[1:])) == len(pairs) - 1 == 200
    assert tomllib.loads((folder / "microdata.toml").read_text())["updates"] == {"transitions": "transitions.csv"}
    for before, after in steps(folder):
        stayed = before.keys() & after
        changes = [(before[p][-1], after[p][-1]) for p in stayed if before[p][-1] != after[p][-1]]
        assert len(changes) == 123
        assert set(changes) <= set(pairs)
        assert all(before[p][:-1] == after[p][:-1] for p in stayed)


@pytest.mark.parametrize("file_type", ["parquet", "csv", "csv.gz"])
def test_same_seed_same_bytes(file_type, tmp_path):
    words = [*SMALL, "--file-type", file_type, "--diameter", "3", "--moving", "--returning", "0.3"]
    first, again = (contents(written(tmp_path / name, *words, "--seed", "7")) for name in "ab")
    assert first == again
    other = contents(written(tmp_path / "c", *words, "--seed", "8"))
    assert other.keys() == first.keys()
    assert all(other[file] != first[file] for file in first if file.name != "transitions.csv")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            [],
            "Wrote {0}: 920 people in 5 snapshots of 600 to 680 rows. Next: audit anonymize {0} --method m-invariance",
        ),
        (["--insertions", "60"], "of 600 rows. Next"),
        (["--snapshots", "1"], "600 people in 1 snapshot of 600 rows."),
        (["--diameter", "3"], "--method m-distinct --m 5 --close --output SERIES"),
        (["--diameter", "50"], "--method m-distinct --m 5 --output SERIES"),
        (["--diameter", "5", "--closed"], "--method m-distinct --m 5 --output SERIES"),
        (["--sensitive", "S=2"], "--method mondrian --k 10 --output SERIES"),
        (["--sensitive", "S=12"], "--method m-invariance --m 2 --output SERIES"),
    ],
)
def test_what_is_said(words, said, tmp_path):
    code, out, _ = run_main("simulate", "--output", str(tmp_path / "m"), *SMALL, *words)
    assert code == 0
    assert said.format(tmp_path / "m") in out


# -- from a table -------------------------------------------------------------------------------------------------

JOBS = ["baker, master", "clerk", 'so-called "artist"', "nurse"]
HEADER = ["Id", "Age", "Zip", "Town", "Job"]


def people(rows=300):
    rng = np.random.default_rng(5)
    towns = ["Ham 2", "Ham 10", "Ulm"]
    return [
        [
            f"P{n:04}",
            str(20 + rng.integers(60)),
            f"{rng.integers(100):05}",
            towns[rng.integers(3)],
            JOBS[rng.integers(4)],
        ]
        for n in rng.permutation(rows)
    ]


def table(path, rows, header=HEADER):
    if path.suffix == ".parquet":
        columns = [pa.array(column) for column in zip(*rows, strict=True)]
        columns[1] = columns[1].cast(pa.int16())
        pq.write_table(pa.table(columns, header), path)
    else:
        with path.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([header, *rows])
    return path


CHOSEN = ["--quasi-identifiers", "Age,Zip,Town", "--sensitive", "Job", "--individual", "Id"]
FEW = ["--rows", "100", "--insertions", "20", "--deletions", "30", "--snapshots", "5"]


@pytest.mark.parametrize("name", ["t.csv", "t.parquet"])
@pytest.mark.parametrize("file_type", ["csv", "parquet"])
def test_people_of_a_table_are_as_they_were(name, file_type, tmp_path):
    rows = people()
    source = table(tmp_path / name, rows)
    words = ["--population", str(source), *CHOSEN, *FEW, "--file-type", file_type]
    folder = written(tmp_path / "m", *words)
    known = {row[0]: tuple(row[1:]) for row in rows}
    snapshots = shown(folder)
    assert [len(snapshot) for snapshot in snapshots] == [100, 90, 80, 70, 60]
    assert all(known[person] == row for snapshot in snapshots for person, row in snapshot.items())
    assert len(set().union(*snapshots)) == 180
    microdata = open_microdata(folder)
    assert (microdata.individual, microdata.sensitive) == ("Id", "Job")
    assert microdata.domains["Town"].texts == ("Ham 2", "Ham 10", "Ulm")
    ages, codes = [int(row[1]) for row in rows], [int(row[2]) for row in rows]
    assert (microdata.domains["Age"].low, microdata.domains["Age"].high) == (min(ages), max(ages))
    assert (microdata.domains["Zip"].low, microdata.domains["Zip"].high) == (min(codes), max(codes))
    microdata.read(0, IdentifierEncoder(), Vocabulary())


def spoilt(row, column, cell):
    rows = people()
    rows[row][column] = cell
    return rows


@pytest.mark.parametrize(
    ("rows", "line"),
    [
        (spoilt(3, 1, ""), ':5, column "Age": the cell has no value; write the exact value'),
        (spoilt(3, 3, "*"), ':5, column "Town": the cell has no value;'),
        (spoilt(7, 2, "NaN"), ':9, column "Zip": '),
        (spoilt(0, 0, ""), ':2, column "Id": the cell is empty;'),
        (spoilt(9, 0, "~1"), ':11, column "Id": identifiers that begin with ~ are reserved for counterfeits;'),
        (spoilt(9, 0, people()[4][0]), ':6, column "Id": this person has another row on line 11; keep one row'),
        (people()[:179], ": the table has 179 rows, and 180 people are needed; ask for fewer with --rows"),
        ([], ": the snapshot has no rows;"),
    ],
)
def test_faults_of_a_table(rows, line, tmp_path):
    source = table(tmp_path / "t.csv", rows)
    err = refused(tmp_path / "m", "--population", str(source), *CHOSEN, *FEW)
    assert f"{source}{line}" in err
    assert not any(row[0] in err for row in rows if row[0])


# -- the folder ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("place", ["file", "full", "nowhere/m", "full/one/m", "link", "x" * 300, "circle", "circle/m"])
def test_no_place_for_a_folder(place, tmp_path):
    (tmp_path / "file").write_text("mine")
    (tmp_path / "full").mkdir()
    (tmp_path / "full/one").write_text("mine")
    (tmp_path / "link").symlink_to(tmp_path / "full")
    (tmp_path / "circle").symlink_to("circle")
    before = contents(tmp_path)
    code, out, err = run_main("simulate", "--output", str(tmp_path / place), *SMALL)
    assert (code, out) == (2, "")
    assert err.startswith(f"audit: {tmp_path / place}: ")
    assert err.count("\n") == 1
    assert contents(tmp_path) == before


@pytest.mark.parametrize(("error", "code"), [(KeyboardInterrupt(), 130), (OSError(28, "No space left"), 2)])
@pytest.mark.parametrize("there", [False, True])
def test_nothing_is_left_behind(error, code, there, tmp_path, monkeypatch):
    tables = []

    def fail(table, path):
        tables.append(path)
        if len(tables) == 3:
            raise error
        write(table, path)

    write = simulation.write_table
    monkeypatch.setattr(simulation, "write_table", fail)
    if there:
        (tmp_path / "m").mkdir()
    found, out, err = run_main("simulate", "--output", str(tmp_path / "m"), *SMALL)
    assert (found, out) == (code, "")
    assert err.count("\n") == 1
    assert len(tables) == 3
    assert [path.name for path in tmp_path.rglob("*")] == (["m"] if there else [])


# -- wrong options ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--rows", "0"], "--rows: a whole number from 1 to 999999999 is needed"),
        (["--snapshots", "10001"], "--snapshots: a whole number from 1 to 10000"),
        (["--seed", "-1"], "--seed"),
        (["--deletions", "601"], "snapshot 1 has 600 rows, and --deletions takes 601 of them away"),
        (["--deletions", "600", "--insertions", "0"], "snapshot 2 would have no rows"),
        (["--deletions", "250"], "snapshot 4 has 90 rows, and --deletions takes 250 of them away"),
        (["--returning", "1.5"], "--returning: a number from 0 to 1 is needed"),
        (["--returning", "1/0"], "--returning: a number from 0 to 1 is needed"),
        (["--returning", "0.5", "--slope", "0"], "--slope and --returning"),
        (["--slope", "1"], "--slope 1 does not fit 80 insertions over 50 values; the largest that does is 0"),
        (["--diameter", "0"], "--diameter: a whole number from 1"),
        (["--diameter", "51"], "--diameter 51: there are only 50 sensitive values"),
        (["--diameter", "3", "--closed"], "choose a --diameter among 1, 2, 5, 10, 25, 50"),
        (["--diameter", "3", "--changes", "541"], "--changes 541: at one step only 540 people stay"),
        (["--changes", "5"], "choose a --diameter from 2 on"),
        (["--closed"], "choose a --diameter from 2 on"),
        (["--moving", "--quasi-identifiers", "Zip=9"], "--moving knows how Age, Education and Marital move"),
        (["--individual", "Id"], "--individual names a column of the table of --population"),
        (["--population", "t.csv"], "--population needs --quasi-identifiers"),
        (["--population", "t.csv", "--quasi-identifiers", "A"], "--population needs --sensitive"),
        (
            ["--population", "t.csv", "--quasi-identifiers", "A,A", "--sensitive", "B", "--individual", "I"],
            '"A" is named twice',
        ),
        (
            ["--population", "t.csv", "--quasi-identifiers", "A,,B", "--sensitive", "B", "--individual", "I"],
            "a name is empty",
        ),
        (["--quasi-identifiers", "Age"], '"Age" declares no attribute; write NAME=SIZE'),
        (["--quasi-identifiers", ""], "--quasi-identifiers: "),
        (["--sensitive", ""], "--sensitive: "),
        (["--sensitive", "A=3,B=3"], "microdata have one sensitive attribute"),
        (["--sensitive", "Age=3"], '"Age" is named twice'),
        (["--file-type", "xlsx"], "--file-type"),
        (["--frob"], "--frob"),
    ],
)
def test_wrong_options(words, said, tmp_path):
    assert said in refused(tmp_path / "m", *SMALL, *words)
