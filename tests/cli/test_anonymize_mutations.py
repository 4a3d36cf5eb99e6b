"""Neither mutated microdata nor a mutated series that is to go on makes publishing fail otherwise than it should."""

import csv
import os
import random
import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from audit.io.series import open_series
from tests.cli.forms import edit, read_rows, snapshot, write_rows
from tests.cli.mutating import HOSTILE, MAKES_PRIVATE_PUBLIC, MUTATIONS, Mutation, NotHere, change_cell, pick
from tests.cli.test_anonymize import ANATOMY, BUCKETS, DIVERSE, MONDRIAN, MONOTONIC, M, assert_true, convert
from tests.cli.test_mutations import assert_clear, trace_of
from tests.helpers.amount import some
from tests.helpers.microdata import Row, write_microdata
from tests.helpers.running import run_main

ROUNDS = some(5)
TOWNS, VALUES = ("Wetwang", "Great Snoring", "Nether Wallop"), ("flu", "cold", "gout", "acne")
PEOPLE: list[Row] = [(f"Abernathy{n}", 20 + n * 7 % 40, TOWNS[n * n % 3], VALUES[n % 4]) for n in range(20)]
PRIVATE = {str(cell) for row in PEOPLE for cell in (row[0], row[2])}


@dataclass(frozen=True)
class Form:
    """Microdata of three snapshots, and a series that has published some of them.

    The microdata's manifest is called `series.toml` and its snapshots lie in `releases` while they are mutated, so
    that whatever spoils a series on disk spoils microdata as well.
    """

    words: tuple[str, ...]
    out: int = 2
    ending: str = "csv"
    domains: str = ""
    finish: Callable[[Path], None] = lambda _: None


def ours(series: Path) -> None:
    """As if somebody else had begun it: a key in a column, a hierarchy, a pattern, comments."""
    path = series / "series.toml"
    (series / "towns.csv").write_text("Wetwang;East;*\nGreat Snoring;East;*\nNether Wallop;South;*\n")
    releases = '"releases/1.csv", "releases/2.csv"'
    edit(path, releases, '"releases/*.csv"  # all of them')
    edit(path, ', Town = "categorical"', "")
    edit(
        path, "[columns]\n", '[columns]\nhierarchies = { Town = "towns.csv" }\nmissing = ["?"]\nindividual = "Owner"\n'
    )
    header, *rows = read_rows(series / "releases/1.csv")
    key = {line[0]: line[1] for line in read_rows(series / "private/1.key.csv")[1:]}
    with_key = [["Owner", *header], *([key[str(place)], *row] for place, row in enumerate(rows))]
    write_rows(series / "releases/1.csv", with_key)
    (series / "private/1.key.csv").unlink()


FORMS = {
    "new": Form(M, 0),
    "new-pairs": Form((*ANATOMY, "--withhold"), 0, "csv.gz"),
    "m-invariance": Form((*M, "--withhold")),
    "pairs": Form(ANATOMY),
    "pairs-parquet": Form(ANATOMY, 1, "parquet"),
    "monotonic": Form((*MONOTONIC, "--withhold"), 2, "csv", 'Age = [0, 99]\nTown = ["' + '", "'.join(TOWNS) + '"]'),
    "mondrian": Form(MONDRIAN, 1, "csv", "Age = [0.5, 99]"),
    "mondrian-gz": Form((*MONDRIAN, "--min-length", "Age=5"), 2, "csv.gz"),
    "l-diversity": Form(DIVERSE, 2, "parquet"),
    "buckets": Form((*BUCKETS, "--withhold")),
    "ours": Form(M, 2, "csv", "", ours),
}


@pytest.fixture(autouse=True)
def _no_waiting_for_disks(monkeypatch):
    monkeypatch.setattr(os, "fsync", lambda _: None)


@pytest.fixture(scope="module")
def forms(tmp_path_factory):
    """Each form once on disk, to be copied and spoilt."""
    there = tmp_path_factory.mktemp("forms")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(os, "fsync", lambda _: None)
        for name, form in FORMS.items():
            snapshots = {str(number): PEOPLE[: 8 + 4 * number] for number in (1, 2, 3)}
            micro, series = there / name / "micro", there / name / "series"
            for count in sorted({form.out, 3} - {0}):
                shutil.rmtree(micro, ignore_errors=True)
                write_microdata(micro, {tag: snapshots[tag] for tag in "123"[:count]}, domains=form.domains)
                convert(micro, form.ending)
                moved(micro)
                if 0 < count < 3:
                    code, _, err = run_main("anonymize", str(micro), "--output", str(series), *form.words)
                    assert code == 0, err
            if form.out:
                (series / "private/.lock").unlink()
                form.finish(series)
            code, _, err = run_main("anonymize", str(micro), "--output", str(there / "tried" / name), *form.words)
            assert code in (0, 2), err
    return there


def moved(micro: Path) -> None:
    """Put the snapshots in a folder of their own."""
    (micro / "releases").mkdir()
    for path in [path for path in micro.iterdir() if path.suffix in (".csv", ".gz", ".parquet")]:
        path.rename(micro / "releases" / path.name)
    text = (micro / "microdata.toml").read_text(encoding="utf-8")
    text = re.sub(r'"([123]\.(csv|csv\.gz|parquet))"', r'"releases/\1"', text)
    (micro / "microdata.toml").write_text(text, encoding="utf-8")


# -- mutations of microdata alone, and of what publishing leaves behind ----------------------------------------------

OF_MICRODATA: dict[str, Mutation] = {}
OF_SERIES: dict[str, Mutation] = {}


def of_microdata(mutate: Mutation) -> Mutation:
    OF_MICRODATA[mutate.__name__] = mutate
    return mutate


def of_series(mutate: Mutation) -> Mutation:
    OF_SERIES[mutate.__name__] = mutate
    return mutate


def snapshot_csv(folder: Path, rng: random.Random) -> Path:
    return pick(rng, folder.glob("releases/*.csv"))


@of_microdata
def odd_identifier(folder: Path, rng: random.Random) -> None:
    odd = ["", "~", "~x", " ", "007", "7", "-1", "9" * 40, "1e3", "2147483648", "999999999", *HOSTILE]
    change_cell(snapshot_csv(folder, rng), rng, rng.choice(odd), ("Name",))


@of_microdata
def odd_number(folder: Path, rng: random.Random) -> None:
    odd = ["1e300", "-1e300", "1e-300", "1e999", "9" * 30 + "e299", "007", "+5", "1.50", "-0", ".5", "5.", "–5", "²",
           "1,5", "0x1", "1_0", "nan", "inf", "[1, 2]", "*", "", "0.1", "1" * 40, "1" * 41]  # fmt: skip
    for _ in range(rng.choice([1, 1, 3, 10])):
        change_cell(snapshot_csv(folder, rng), rng, rng.choice(odd), ("Age",))


@of_microdata
def odd_town(folder: Path, rng: random.Random) -> None:
    odd = ["{}", "{x}", "a,b", "204*", "*", "", "?", "x{", "{Wetwang, York}", "East", "Hull", "wetwang", *HOSTILE]
    path = snapshot_csv(folder, rng)
    for _ in range(rng.choice([1, 1, 3, 10])):
        change_cell(path, rng, rng.choice(odd), ("Town",))


@of_microdata
def odd_value(folder: Path, rng: random.Random) -> None:
    path = snapshot_csv(folder, rng)
    for _ in range(rng.choice([1, 1, 3, 10])):
        change_cell(path, rng, rng.choice([*VALUES, *HOSTILE]), ("Disease",))


@of_microdata
def someone_else(folder: Path, rng: random.Random) -> None:
    """Identifiers of other people, or of nobody else."""
    change_cell(snapshot_csv(folder, rng), rng, rng.choice([f"Abernathy{n}" for n in range(25)]), ("Name",))


@of_microdata
def odd_domain(folder: Path, rng: random.Random) -> None:
    odd = ["[0, 99]", "[30, 40]", "[1]", "[]", "[nan, 1]", "[0, inf]", "5", '"x"', '["a"]', '["20", "21"]',
           "[true, false]", "[0, 1e400]", f"[0, 0x{'f' * 300}]", "[-1e300, 1e300]", "{ a = 1 }",
           '["Wetwang", "Great Snoring"]',
           '["Wetwang", "Great Snoring", "Nether Wallop", "a,b"]',
           '["Nether Wallop", "Hull", "Great Snoring", "Wetwang"]',
           "[1e-300, 2e300]", '["*"]']  # fmt: skip
    path = folder / "series.toml"
    name = rng.choice(["Age", "Town", "Name", "Zip", '"=cmd()"', "Disease"])
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith(f"{name} = ")]
    lines += [] if "[domains]" in lines else ["[domains]"]
    path.write_text("\n".join([*lines, f"{name} = {rng.choice(odd)}"]) + "\n", encoding="utf-8")


@of_microdata
def odd_snapshots(folder: Path, rng: random.Random) -> None:
    odd = ["[]", '["releases/1.csv"]', '["releases/*"]', '["**"]', '["releases/3.csv", "releases/1.csv"]', '["1.csv"]',
           '["releases/1.csv", "releases/1.csv"]', '["../series/releases/1.csv"]', '["series.toml"]', "[[]]", "1",
           '["releases/[123].csv"]', '["releases/[!x]*"]', '["releases/1.csv", "./releases/2.csv"]']  # fmt: skip
    path = folder / "series.toml"
    text = path.read_text(encoding="utf-8")
    path.write_text(re.sub(r"snapshots = .*", f"snapshots = {rng.choice(odd)}", text), encoding="utf-8")


@of_microdata
def odd_columns(folder: Path, rng: random.Random) -> None:
    path = folder / "series.toml"
    key = rng.choice(["individual", "sensitive", "quasi_identifiers"])
    odd = ['"Name"', '"Age"', '"Disease"', '"Zip"', '["Age"]', "[]", '["Town", "Age"]', '["Age", "Name"]', '""', "1",
           '["Age", "Age"]', '"Group"', '["Disease"]']  # fmt: skip
    text = path.read_text(encoding="utf-8")
    path.write_text(re.sub(rf"{key} = .*", f"{key} = {rng.choice(odd)}", text), encoding="utf-8")


@of_series
def left_by_a_killed_process(folder: Path, rng: random.Random) -> None:
    odd = ["", "{}", "[]", "1", '{"tag": "1"}', '{"tag": "9", "files": 5}', '{"tag": "9", "files": [5]}', "\0",
           "[" * 5000, '{"tag": "9", "files": []}', '{"tag": "9", "files": ["../x"]}',
           '{"tag": "2", "files": ["releases/2.csv"]}',
           '{"tag": "3", "files": ["releases/3.csv", "private/3.key.csv"]}', '{"tag": [], "files": []}',
           '{"tag": "9", "files": ["releases"]}']  # fmt: skip
    staging = folder / "private/.staging"
    kind = rng.randrange(5)
    if kind == 0:
        staging.mkdir(parents=True)
        (staging / "releases").mkdir()
        (staging / "releases/3.csv").write_text("half a rel")
    elif kind == 1:
        staging.parent.mkdir(exist_ok=True)
        staging.write_text("a file")
    else:
        staging.mkdir(parents=True)
        (staging / "plan.json").write_text(rng.choice(odd))


@of_series
def in_the_way(folder: Path, rng: random.Random) -> None:
    """Something where the next release's files are to go."""
    names = ["releases/3.csv", "releases/3.rows.csv", "private/3.key.csv", "counterfeits", "counterfeits/3.csv",
             "x.txt", "private/.lock", "releases/3.parquet", "releases/2.parquet"]  # fmt: skip
    path = folder / rng.choice(names)
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists():
        raise NotHere
    kind = rng.randrange(4)
    if kind == 0:
        path.mkdir()
    elif kind == 1:
        path.symlink_to(rng.choice(["nowhere", path.name, "../../micro/microdata.toml"]))
    else:
        path.write_bytes(rng.choice([b"", b"precious", b"Group,Count\n"]))


@of_series
def other_people_in_the_key(folder: Path, rng: random.Random) -> None:
    path = pick(rng, folder.glob("private/*.key.csv"))
    header, *rows = read_rows(path)
    one, other = rng.sample(rows, 2)
    kind = rng.randrange(4)
    if kind == 0:
        one[1], other[1] = other[1], one[1]
    else:
        one[1] = ["", "~ghost", "Abernathy19", "Zoe"][rng.randrange(4)]
    write_rows(path, [header, *rows])


@of_series
def other_names_of_columns(folder: Path, rng: random.Random) -> None:
    old, new = rng.choice(
        [("Group", "Count"), ("Group", "count"), ("Group", "n,m"), ("Record", "row"), ("Age", "A.ge")]
    )
    for path in [*folder.glob("releases/*.csv"), folder / "series.toml"]:
        text = path.read_text(encoding="utf-8")
        quoted = f'"{new}"' if "," in new and path.suffix == ".csv" else new
        path.write_text(text.replace(old, quoted), encoding="utf-8", newline="")


@of_series
def odd_record(folder: Path, rng: random.Random) -> None:
    path = pick(rng, [path for path in folder.glob("releases/*.csv") if "Record" in read_rows(path)[0]])
    change_cell(path, rng, rng.choice(["", "r0000000000", "7", *HOSTILE]), ("Record",))


@of_series
def columns_less(folder: Path, rng: random.Random) -> None:
    """A manifest that says less of its columns than it could."""
    path = folder / "series.toml"
    lines = path.read_text(encoding="utf-8").splitlines()
    said = "(group|record|types|quasi|hier|missing|indiv)"
    del lines[pick(rng, [place for place, line in enumerate(lines) if re.match(said, line)])]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


# -- the test --------------------------------------------------------------------------------------------------------

KINDS = [
    *(("micro", kind) for kind in [*OF_MICRODATA, *MUTATIONS]),
    *(("series", kind) for kind in [*OF_SERIES, *MUTATIONS]),
]
CASES = [(where, kind, number) for where, kind in KINDS for number in range(ROUNDS)]


def spoilt(forms: Path, there: Path, where: str, kind: str, rng: random.Random) -> Form:
    """Copy a form and mutate it, by another mutation where this one fits none."""
    for name in rng.sample(sorted(FORMS), len(FORMS)):
        if where == "series" and not FORMS[name].out:
            continue
        shutil.rmtree(there, ignore_errors=True)
        shutil.copytree(forms / name, there, symlinks=True)
        try:
            if where == "micro":
                (there / "micro/microdata.toml").rename(there / "micro/series.toml")
                {**MUTATIONS, **OF_MICRODATA}[kind](there / "micro", rng)
                if os.path.lexists(there / "micro/series.toml"):
                    (there / "micro/series.toml").rename(there / "micro/microdata.toml")
            else:
                {**MUTATIONS, **OF_SERIES}[kind](there / "series", rng)
        except (NotHere, FileNotFoundError, AssertionError, StopIteration, IndexError, ValueError):
            continue
        return FORMS[name]
    return spoilt(forms, there, where, rng.choice([kind for place, kind in KINDS if place == where]), rng)


@pytest.mark.parametrize(("where", "kind", "number"), CASES, ids=["-".join(map(str, case)) for case in CASES])
def test_a_mutation(forms, tmp_path, where, kind, number):
    rng = random.Random(f"{where}-{kind}-{number}")  # noqa: S311
    there = tmp_path / "x"
    form = spoilt(forms, there, where, kind, rng)
    series, before = there / "series", seen(there)
    code, out, err = run_main("anonymize", str(there / "micro"), "--output", str(series), *form.words)
    told = f"{form.words}: exit {code}\n{out}\n{err[:3000]}\n{trace_of(err)}"
    assert code in (0, 2), told
    after = seen(there)
    if code == 2:
        assert_clear(err, told)
        if kind not in MAKES_PRIVATE_PUBLIC:
            assert not [text for text in PRIVATE if re.search(rf"(?<!\w){text}(?!\w)", err)], told
    else:
        assert err == "", told
    if where == "series" and kind == "left_by_a_killed_process":
        return
    if out == "" or out.startswith("Nothing to publish"):
        assert after == before, told
    else:
        assert not (series / "private/.staging").exists(), told
        assert all(after[name] == what for name, what in before.items() if name != "series/series.toml"), told
        assert_published(there, form, out, told)


def seen(there: Path) -> dict[str, str]:
    """Everything there is, but for the private folder itself and what is hidden in it, such as the lock."""
    return {name: what for name, what in snapshot(there).items() if not re.match(r"series/private($|/\.)", name)}


def assert_published(there: Path, form: Form, out: str, told: str) -> None:
    """Whatever was spoilt, the releases that came out can be read, and say the truth where that can be told simply."""
    published = open_series(there / "series")
    for position in range(len(published.tags)):
        published.read(position, published.manifest.columns.quasi_identifiers)
    tags = [line.split()[0] for line in out.splitlines()[1:] if re.match(r"[123] +[0-9]", line)]
    plain = (there / "micro/releases", there / "series/releases", there / "series/series.toml")
    text = plain[2].read_text(encoding="utf-8")
    kinds = re.search(r'Age = "(\w+)"', text)
    try:
        header = [read_rows(plain[0] / f"{tag}.csv")[0] for tag in tags] if form.ending == "csv" else []
    except (OSError, ValueError, csv.Error):
        return
    if not all(sorted(names) == sorted(("Name", "Age", "Town", "Disease")) for names in header) or kinds is None:
        return
    if all(f'"{word}"' in text or word == "Town" for word in ("Age", "Disease", "Group")) and form.ending == "csv":
        for tag in tags:
            (there / f"micro/{tag}.csv").write_bytes((plain[0] / f"{tag}.csv").read_bytes())
            assert_true(there / "micro", there / "series", tag, numeric=["Age"] if kinds[1] == "numeric" else ())


def test_there_are_enough_mutations():
    assert len(CASES) >= 170 or ROUNDS < 1
