"""`audit init`: what it guesses of the examples and of other people's files, and that it never harms a file."""

from __future__ import annotations

import argparse
import csv
import gzip
import re
import shutil
import time
import tomllib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.cli import init
from audit.init.confirmation import Question, confirmed
from audit.init.guess import guess
from audit.io.manifest import Manifest, read_manifest
from audit.io.series import open_series
from audit.model.errors import AuditError, InputError, Problems, UsageError
from tests.helpers.running import run_main

EXAMPLES = Path(__file__).parent.parent / "examples"
SERIES = sorted(folder.name for folder in EXAMPLES.iterdir() if (folder / "series.toml").exists())
MICRODATA = sorted(folder.name for folder in EXAMPLES.iterdir() if (folder / "microdata.toml").exists())


def run(folder: Path) -> int:
    parser = argparse.ArgumentParser()
    init.add_parser(parser.add_subparsers())
    return init.run(parser.parse_args(["init", str(folder)]))


def write(path: Path, header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([header, *rows])


def guess_manifest(folder: Path) -> str:
    return guess(folder).text()


def guessed(folder: Path) -> dict[str, Any]:
    """Return the guessed manifest, after every release was read with it."""
    draft = guess(folder)
    written = {"series.toml": draft.text(), **draft.files}
    for name, text in written.items():
        (folder / name).write_text(text, encoding="utf-8")
    series = open_series(folder)
    for position in range(len(series.tags)):
        series.read(position)
    for name in written:
        (folder / name).unlink()
    return tomllib.loads(draft.text())


def hospital(folder: Path, releases: int = 3, **files: str) -> Path:
    """Write a plain series whose meaning is clear, and other files beside it."""
    for release in range(1, releases + 1):
        rows = [
            (f"P{i:02}", i // 4, f"[{i // 4 * 10}, {i // 4 * 10 + 9}]", "flu" if i % 2 else "cold")
            for i in range(release, 20)
        ]
        write(folder / f"releases/{release}.csv", ["Owner", "Group-ID", "Age", "Disease"], rows)
    for name, content in files.items():
        path = folder / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.with_suffix(".csv").write_text(content, encoding="utf-8")
    return folder


# -- the examples -------------------------------------------------------------------------------------------------


def manifest_of(folder: Path) -> Manifest:
    problems = Problems()
    manifest = read_manifest(folder, problems)
    problems.check()
    assert manifest is not None
    return manifest


@pytest.mark.parametrize("name", SERIES)
def test_examples(name: str, tmp_path: Path) -> None:
    folder = tmp_path / name
    shutil.copytree(EXAMPLES / name, folder)
    truth = manifest_of(folder)
    (folder / "series.toml").unlink()
    assert run(folder) == 0
    found = manifest_of(folder)
    assert [release.shown for release in found.releases] == [release.shown for release in truth.releases]
    assert found.columns.sensitive == truth.columns.sensitive
    assert set(found.columns.quasi_identifiers) == set(truth.columns.quasi_identifiers)
    for role in ("group", "individual", "record", "count", "rules"):
        assert getattr(found.columns, role) == getattr(truth.columns, role), role
    for beside in ("register", "transitions", "known", "counterfeits", "policy", "waivers"):
        assert getattr(found, beside) == getattr(truth, beside), beside
    open_series(folder)


@pytest.mark.parametrize("name", MICRODATA)
def test_microdata_is_no_series(name: str) -> None:
    with pytest.raises(UsageError, match="holds microdata"):
        guess_manifest(EXAMPLES / name)


# -- other people's files -----------------------------------------------------------------------------------------


def test_the_whole_text(tmp_path: Path) -> None:
    folder = hospital(tmp_path / "ward", 2, counterfeits__2="Group-ID,Count\n1,0\n", notes="a,b\n1,2\n")
    assert guess_manifest(folder) == (
        """\
# Guessed by `audit init` from the files in this folder and their first rows.
# Check what is marked as a guess: only the publisher knows what the columns mean.

[series]
name = "ward"
releases = ["releases/1.csv", "releases/2.csv"]  # guess: published in this order
# not used, as it is not in releases/: "notes.csv"

[columns]
sensitive = "Disease"  # guess: its name and the only exact column
quasi_identifiers = ["Age"]
# guess: "Age" (intervals)
group = "Group-ID"  # guess: the counterfeits are counted by it
individual = "Owner"  # guess: its name; its cells are unique in each release and come back in later ones
# the worst case: the adversary knows everybody's group. If this column was itself published,
# write record = "Owner" instead; if neither, delete the line

[unconfirmed]
# guesses: the files allow other readings, so that nothing that rests on them is decided. Check these keys and
# delete them here, or let `audit init --confirm` ask
keys = ["columns.individual"]

[counterfeits]
2 = "counterfeits/2.csv"

# [policy]        # what makes the audit fail; these are the defaults
# max_risk = 1.0  # any risk that reaches it
# min_e = 2       # an e-equivalence below it
# k = 2           # an inferred class that is smaller
"""
    )


def test_aggregated_sets_of_another_tool(tmp_path: Path) -> None:
    """As anonypyx writes them: ranges, comma sets and a count."""
    people = "individual,release,age,sex,birthplace\nA1,2024-1,25,Female,Laos\n"
    places = ["El-Salvador,Guatemala,Laos", "Laos", "Guatemala,Laos", "Cuba,El-Salvador,Guatemala"]
    for release in (1, 2, 10):
        rows = [
            (f"{20 + 5 * n}-{24 + 5 * n}", "Female,Male" if n % 2 else "Male", place, job, 1 + (n + release) % 3)
            for n, place in enumerate(places)
            for job in ("Sales", "Adm-clerical", "Other, not stated")
        ]
        write(
            tmp_path / f"releases/2024-{release}.csv",
            ["age", "sex", "birthplace", "occupation", "count"],
            rows,
        )
    (tmp_path / "register.csv").write_text(people)
    found = guessed(tmp_path)
    assert found["series"]["releases"] == [f"releases/2024-{release}.csv" for release in (1, 2, 10)]
    assert found["columns"] == {
        "sensitive": "occupation",
        "quasi_identifiers": ["age", "sex", "birthplace"],
        "count": "count",
    }
    assert found["adversary"] == {"register": "register.csv"}


def test_german_names_in_a_flat_folder(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    for quarter in ("2023Q4", "2024Q1", "2024Q2"):
        text = ["Patienten-ID,Geburtsjahr,PLZ,Geschlecht,Station,Hauptdiagnose"]
        for person in rng.permutation(300)[:90].tolist():
            year = 1930 + person % 7 * 10
            cells = [f"{year}-{year + 9}", f"{person % 5}12**", "mw?"[rng.integers(3)], "ABC"[rng.integers(3)]]
            text.append(",".join([f"P{person:04}", *cells, ("Grippe", "Krebs")[rng.integers(2)]]))
        with gzip.open(tmp_path / f"{quarter}.csv.gz", "wt") as file:
            file.write("\n".join(text))
    (tmp_path / "liesmich.csv").write_text("a,b\n1,2\n")
    found = guessed(tmp_path)
    assert found["series"]["releases"] == ["2023Q4.csv.gz", "2024Q1.csv.gz", "2024Q2.csv.gz"]
    assert found["columns"] == {
        "sensitive": "Hauptdiagnose",
        "quasi_identifiers": ["Geburtsjahr", "PLZ", "Geschlecht", "Station"],
        "individual": "Patienten-ID",
        "missing": ["?"],
    }
    unsure = {"columns.individual", "columns.sensitive", "columns.quasi_identifiers", "adversary.transitions"}
    assert set(found["unconfirmed"]["keys"]) == unsure


def test_hierarchies_and_a_group_known_by_its_rows(tmp_path: Path) -> None:
    write(tmp_path / "hierarchies/adult_hierarchy_education.csv", ["primary;low;*"], [["master;high;*"]])
    write(tmp_path / "hierarchies/places.csv", ["Rome;Italy;*"], [["Oslo;Norway;*"]])
    write(tmp_path / "hierarchies/colours.csv", ["red;warm;*"], [["blue;cold;*"]])
    for month in (1, 2, 12):
        boxes = [(e, p, a) for e in ("low", "high") for p in ("Italy", "Norway") for a in ("[20, 30[", "[30, 40[")]
        rows = [
            (n, e, p, a, g * 7 + month, "xyz"[(n + g) % 3])
            for g, (e, p, a) in enumerate(boxes)
            for n in range(g * 4, g * 4 + 4)
        ]
        write(tmp_path / f"releases/month-{month}.csv", ["", "education", "Wohnsitz", "span", "q", "target"], rows)
    found = guessed(tmp_path)
    assert found["series"]["releases"] == [f"releases/month-{month}.csv" for month in (1, 2, 12)]
    assert found["columns"] == {
        "sensitive": "target",
        "quasi_identifiers": ["education", "Wohnsitz", "span"],
        "group": "q",
        "hierarchies": {
            "education": "hierarchies/adult_hierarchy_education.csv",
            "Wohnsitz": "hierarchies/places.csv",
        },
    }
    text = guess_manifest(tmp_path)
    assert 'not used, as no column has their names or labels: "hierarchies/colours.csv"' in text
    assert 'without a role, as a column needs a name: "(no name)"' in text


@pytest.mark.parametrize("count", ["count", "number"])
def test_anatomy_pairs(tmp_path: Path, count: str) -> None:
    for tag in (2, 10):
        rows = [(f"P{g}{i}", g, 20 + g + i, "ab"[i % 2]) for g in range(4) for i in range(3)]
        write(tmp_path / f"{tag}.rows.csv", ["Patient", "bucket", "Age", "colour"], rows)
        values = [(g, *pair) for g in range(4) for pair in (("flu", 2), ("cold", 1))]
        write(tmp_path / f"{tag}.values.csv", ["bucket", "Illness", count], values)
    write(tmp_path / "11.rows.csv", ["Patient", "bucket", "Age", "colour"], [])
    found = guessed(tmp_path)
    assert found["series"]["releases"] == [{"rows": f"{t}.rows.csv", "values": f"{t}.values.csv"} for t in (2, 10)]
    expected = {"sensitive": "Illness", "quasi_identifiers": ["Age", "colour"], "group": "bucket"}
    # `count` is the default name, and a count that is written down excludes an individual column.
    assert found["columns"] == expected | ({"individual": "Patient"} if count == "count" else {"count": "number"})
    assert "11.rows.csv" in guess_manifest(tmp_path)


@pytest.mark.parametrize("form", ["{}.{}.csv", "{}_{}.csv", "{}-{}.csv"])
@pytest.mark.parametrize("halves", [("qit", "st"), ("QI", "SA"), ("rows", "values")])
def test_pairs_by_the_names_that_papers_give(tmp_path: Path, form: str, halves: tuple[str, str]) -> None:
    for tag in (1, 2):
        rows, values = (form.format(f"r{tag}", half) for half in halves)
        write(tmp_path / rows, ["bucket", "Age"], [(g, 20 + g + i) for g in range(3) for i in range(2)])
        write(tmp_path / values, ["bucket", "Illness", "count"], [(g, v, 1) for g in range(3) for v in ("flu", "cold")])
    assert guessed(tmp_path)["series"]["releases"] == [
        {"rows": form.format(f"r{tag}", halves[0]), "values": form.format(f"r{tag}", halves[1])} for tag in (1, 2)
    ]
    (tmp_path / "series.toml").write_text(guess_manifest(tmp_path), encoding="utf-8")
    assert run_main(str(tmp_path))[0] == 0


def test_two_tables_that_are_a_pair_by_no_name(tmp_path: Path) -> None:
    write(tmp_path / "a.csv", ["bucket", "Age"], [(1, 20), (1, 21)])
    write(tmp_path / "b.csv", ["bucket", "Illness", "count"], [(1, "flu", 1), (1, "cold", 1)])
    with pytest.raises(InputError, match=r"name them 1\.rows\.csv and 1\.values\.csv"):
        guess_manifest(tmp_path)


def test_names_alone_make_no_pair(tmp_path: Path) -> None:
    """Two releases with the same columns, whatever their names end with, are two."""
    for name in ("1_qi.csv", "1_sa.csv", "2_st.csv"):
        write(tmp_path / name, ["Age", "Illness"], [(20 + i, "ab"[i % 2]) for i in range(6)])
    assert sorted(guessed(tmp_path)["series"]["releases"]) == ["1_qi.csv", "1_sa.csv", "2_st.csv"]


def test_key_files_make_an_id_a_published_one(tmp_path: Path) -> None:
    hospital(tmp_path, 2)
    for tag, rows in (("1", 19), ("2", 18)):
        write(tmp_path / f"private/{tag}.key.csv", ["row", "individual"], [(row, f"X{row}") for row in range(rows)])
    columns = guessed(tmp_path)["columns"]
    assert columns["record"] == "Owner"
    assert "individual" not in columns
    (tmp_path / "private/2.key.csv").unlink()
    assert guessed(tmp_path)["columns"]["individual"] == "Owner"


def test_ids_of_unknown_name(tmp_path: Path) -> None:
    for release in (1, 2):
        rows = [(n, f"u{n * 37 % 1000}", f"f{release}{n}", "20-29", "abc"[n % 3]) for n in range(30)]
        write(tmp_path / f"releases/{release}.csv", ["id", "handle", "token", "Age", "Disease"], rows)
    found = guessed(tmp_path)
    columns = found["columns"]
    assert columns["individual"] == "handle"
    assert "record" not in columns
    assert columns["unlinkable"] == {"id": "it numbers the rows of each file"}
    assert columns["quasi_identifiers"] == ["Age", "token"]
    doubts = " ".join(guess(tmp_path).doubts)
    assert 'Column "token" is no id: its ids are other ones in each release' in doubts
    unsure = {"columns.individual", "columns.sensitive", "columns.quasi_identifiers", "columns.unlinkable"}
    assert set(found["unconfirmed"]["keys"]) == unsure


def test_people_with_several_rows_are_episodes(tmp_path: Path) -> None:
    rows = [("Bob", "20-29", "flu"), ("Bob", "20-29", "cold"), ("Eve", "30-39", "flu")]
    write(tmp_path / "1.csv", ["Patient", "Age", "Disease"], rows)
    columns = guessed(tmp_path)["columns"]
    assert (columns["individual"], columns["rows"]) == ("Patient", "episodes")


def test_a_count_beside_people_is_none(tmp_path: Path) -> None:
    for release in (1, 2):
        rows = [(f"P{n}", "20-29", "flu", 1 + n % 2) for n in range(9)]
        write(tmp_path / f"{release}.csv", ["Owner", "Age", "Disease", "n"], rows)
    columns = guessed(tmp_path)["columns"]
    assert columns["individual"] == "Owner"
    assert "count" not in columns


def test_cells_that_only_look_like_ranges_get_a_type(tmp_path: Path) -> None:
    months = [f"2024-{1 + n % 12:02}" for n in range(24)]
    codes = [f"99-{n % 12}" for n in range(24)]
    for name, cells, types in (("birth month", months, None), ("zip", codes, {"zip": "categorical"})):
        folder = tmp_path / name
        folder.mkdir()
        write(folder / "1.csv", [name, "Age", "Disease"], [(cell, "20-29", "flu") for cell in cells])
        assert guessed(folder)["columns"].get("types") == types  # months are read


@pytest.mark.parametrize("row", [("", "flu"), ("20-29", "")])
def test_empty_cells(tmp_path: Path, row: tuple[str, str]) -> None:
    write(tmp_path / "1.csv", ["Age", "Disease"], [("20-29", "flu"), ("30-39", "cold"), row])
    assert guessed(tmp_path)["columns"]["missing"] == [""]


def test_what_others_know(tmp_path: Path) -> None:
    hospital(
        tmp_path,
        2,
        register="individual,Age,first,last\nBob,21,1,2\n",
        transitions="from,to\nflu,flu\nflu,cold\ncold,cold\n",
        known="individual,value\nP03,flu\n",
    )
    assert guessed(tmp_path)["adversary"] == {
        "register": "register.csv",
        "transitions": "transitions.csv",
        "known": "known.csv",
    }


@pytest.mark.parametrize(
    ("role", "content", "why", "refused"),
    [
        ("register", "individual,Age,first,last\nBob,21,1,9\n", "positions are not all from 1 to 2", "no such release"),
        ("register", "individual,Age,release\nBob,21,2031\n", "names releases that are not here", "no such release"),
        ("transitions", "from,to\nflu,flu\n", "has values for which it has no line", "no line says"),
    ],
)
def test_files_that_do_not_fit_are_refused_by_an_audit(
    tmp_path: Path, role: str, content: str, why: str, refused: str
) -> None:
    """Left out of the manifest, the audit would be that of an adversary who knows less."""
    hospital(tmp_path, 2, **{role: content})
    assert guessed(tmp_path)["adversary"] == {role: f"{role}.csv"}
    assert any(why in doubt for doubt in guess(tmp_path).doubts)
    assert run_main("init", str(tmp_path))[0] == 0
    if role == "register":  # a key says more than a register does
        text = (tmp_path / "series.toml").read_text(encoding="utf-8")
        text = re.sub('(?m)^individual = "(.*?)".*$', r'unlinkable."\1" = "drawn anew"', text).replace(
            "columns.individual", "columns.sensitive"
        )
        (tmp_path / "series.toml").write_text(text, encoding="utf-8")
    code, out, err = run_main(str(tmp_path))
    assert (code, out) == (2, "")
    assert err.startswith(f"audit: {role}.csv")
    assert refused in err


@pytest.mark.parametrize("rows", [[], [("", "", "", "")], [("9" * 5000, "9" * 5000, "*" * 5000, "x" * 5000)]])
def test_releases_with_little_or_much_in_them(tmp_path: Path, rows: list[tuple[str, ...]]) -> None:
    for release in (1, 2):
        write(tmp_path / f"{release}.csv", ["count", "Group", "Age", "Disease"], rows)
    assert tomllib.loads(guess_manifest(tmp_path))["columns"]["sensitive"] == "Disease"


def test_names_without_numbers_tell_no_order(tmp_path: Path) -> None:
    for name in ("january", "february"):
        write(tmp_path / f"{name}.csv", ["Age", "Disease"], [("20-29", "flu"), ("30-39", "cold")])
    assert any("order of publication" in doubt for doubt in guess(tmp_path).doubts)


def test_tags_are_unique(tmp_path: Path) -> None:
    hospital(tmp_path, 1)
    with gzip.open(tmp_path / "releases/1.csv.gz", "wt") as file:
        file.write((tmp_path / "releases/1.csv").read_text())
    assert guessed(tmp_path)["series"]["releases"] == ["releases/1.csv"]


def test_links_that_leave_the_folder_are_not_followed(tmp_path: Path) -> None:
    hospital(tmp_path / "inside", 1)
    write(tmp_path / "outside.csv", ["Owner", "Group-ID", "Age", "Disease"], [])
    (tmp_path / "inside/releases/2.csv").symlink_to(tmp_path / "outside.csv")
    assert guessed(tmp_path / "inside")["series"]["releases"] == ["releases/1.csv"]
    assert "the link leads out of the series folder" in guess_manifest(tmp_path / "inside")


def test_a_link_that_leads_to_itself_is_no_release(tmp_path):
    write(tmp_path / "releases/1.csv", ["Age", "Disease"], [("21", "flu"), ("22", "asthma")])
    (tmp_path / "releases/2.csv").symlink_to("2.csv")
    assert "2.csv" not in guess_manifest(tmp_path)
    (tmp_path / "releases/3").mkdir()
    (tmp_path / "releases/3/loop.csv").symlink_to("loop.csv")
    assert "loop" not in guess_manifest(tmp_path)


def test_large_parquet_files_are_not_read_whole(tmp_path: Path) -> None:
    rows = 400_000
    table = {
        "individual": list(range(rows)),
        "Group": [n // 5 for n in range(rows)],
        "Age": [f"[{n // 5 % 60}, {n // 5 % 60 + 9}]" for n in range(rows)],
        "Occupation": [f"job {n * 7919 % 50}" for n in range(rows)],
        "notes": [["a list"]] * rows,
    }
    for release in (1, 2):
        pq.write_table(pa.table(table), tmp_path / f"{release}.parquet", row_group_size=20_000)
    began = time.perf_counter()
    columns = tomllib.loads(guess_manifest(tmp_path))["columns"]
    assert time.perf_counter() - began < 5
    assert columns == {
        "sensitive": "Occupation",
        "quasi_identifiers": ["Age"],
        "group": "Group",
        "individual": "individual",
    }


# -- names that mean harm -----------------------------------------------------------------------------------------

NASTY = [
    'a"b',
    "a'b",
    'x"""',
    "# c",
    "[columns]",
    "a]\n[policy]",
    "tab\there",
    "\u2028",
    "\x1b[31m",
    "é\\u0000",
    "=",
    "*",
]
texts = st.text(st.characters(codec="utf-8", exclude_characters="\x00\r"), min_size=1, max_size=12)


@pytest.mark.parametrize("nasty", NASTY)
def test_hostile_column_names(tmp_path: Path, nasty: str) -> None:
    header = [f"Age {nasty}", f"Disease {nasty}", f"left {nasty}"]
    for release in (1, 2):
        rows = [("20-29", "flu", 1), ("30-39", "cold", 2), ("30-39", "flu", 2)]
        write(tmp_path / f"{release}.csv", header, rows)
    columns = guessed(tmp_path)["columns"]
    assert columns["quasi_identifiers"] == [header[0].strip(), header[2].strip()]
    assert columns["sensitive"] == header[1].strip()


@given(name=texts, other=texts)
def test_any_column_names(tmp_path_factory: pytest.TempPathFactory, name: str, other: str) -> None:
    folder = tmp_path_factory.mktemp("any")
    write(folder / "1.csv", [name, other], [("[1, 2]", "flu"), ("[3, 4]", "cold"), ("[3, 4]", "flu")])
    told = ""
    try:
        columns = guessed(folder)["columns"]
    except AuditError as error:
        columns, told = {"sensitive": name.strip()}, str(error)
    assert told.isprintable()
    assert columns["sensitive"] in (name.strip(), other.strip())


@pytest.mark.parametrize("nasty", [*NASTY, "r[1]", "{a}", "2", "~", " lead"])
def test_hostile_file_names(tmp_path: Path, nasty: str) -> None:
    folder = tmp_path / f"series {nasty}"
    hospital(folder, 1)
    (folder / "releases/1.csv").rename(folder / f"releases/{nasty}.csv")
    (folder / "counterfeits").mkdir()
    (folder / f"counterfeits/{nasty}.csv").write_text("Group-ID,Count\n")
    found = guessed(folder)
    assert found["series"]["releases"] == [f"releases/{nasty}.csv"]
    assert list(found["counterfeits"].values()) == [f"counterfeits/{nasty}.csv"]


def test_a_file_name_that_is_no_text(tmp_path: Path) -> None:
    hospital(tmp_path, 1)
    try:
        (tmp_path / "releases/\udcff.csv").write_text("Owner,Disease\n")
    except (OSError, UnicodeError):
        pytest.skip("this file system only has names of Unicode")
    assert guessed(tmp_path)["series"]["releases"] == ["releases/1.csv"]


# -- refusals -----------------------------------------------------------------------------------------------------


def test_never_overwrites(tmp_path: Path) -> None:
    hospital(tmp_path)
    (tmp_path / "series.toml").write_text("mine")
    with pytest.raises(UsageError, match=r"series\.toml: there is a manifest already.*move it away"):
        run(tmp_path)
    with pytest.raises(UsageError, match="manifest already"):
        init.write_new(tmp_path / "series.toml", "theirs")
    assert (tmp_path / "series.toml").read_text() == "mine"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["releases", "series.toml"]


def test_a_dangling_link_is_a_manifest_too(tmp_path: Path) -> None:
    hospital(tmp_path)
    (tmp_path / "series.toml").symlink_to(tmp_path / "elsewhere.toml")
    with pytest.raises(UsageError, match="manifest already"):
        run(tmp_path)
    assert not (tmp_path / "elsewhere.toml").exists()


def test_without_hard_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(1, "no hard links here")

    monkeypatch.setattr("audit.io.atomic_files.os.link", refuse)
    init.write_new(tmp_path / "series.toml", "first\n")
    with pytest.raises(UsageError, match="manifest already"):
        init.write_new(tmp_path / "series.toml", "second\n")
    assert [path.read_text() for path in tmp_path.iterdir()] == ["first\n"]


def test_a_failed_write_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(path: Path, *_: object, **__: object) -> None:
        path.touch()
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", fail)
    with pytest.raises(UsageError, match="No space left"):
        init.write_new(tmp_path / "series.toml", "text")
    assert list(tmp_path.iterdir()) == []


def test_nothing_to_guess_from(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there are no releases here; put the published tables"):
        run(tmp_path)
    with pytest.raises(UsageError, match="there is no such folder"):
        run(tmp_path / "nowhere")
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="this is a file"):
        run(tmp_path / "file")
    assert not (tmp_path / "series.toml").exists()


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        ("Age,Disease\n1,flu\n", "x,y\na,b\nc,b\n", "no column in common"),
        ("Owner,Group-ID\nA,1\nB,1\n", "Owner,Group-ID\nA,1\nB,1\n", "none can be sensitive"),
        ("Age,Disease\n1,flu\n1\n", "Age,Disease\n1,flu\n", r"1\.csv:3: 1 cell where the header has 2"),
        ("Age,Disease\n1,flu\n", "", r"2\.csv:1: the file is empty"),
        ("Age,Disease\n1,flu\n", "Age,Age\n1,flu\n", "same name in the header"),
        ("Age,Disease\n1,flu\n", 'Age,Disease\n1,"flu\n', "not well-formed CSV"),
    ],
)
def test_one_clear_error(tmp_path: Path, first: str, second: str, message: str) -> None:
    (tmp_path / "releases").mkdir()
    (tmp_path / "releases/1.csv").write_text(first)
    (tmp_path / "releases/2.csv").write_text(second)
    with pytest.raises(InputError, match=message):
        run(tmp_path)
    assert not (tmp_path / "series.toml").exists()


def test_a_damaged_parquet_file(tmp_path: Path) -> None:
    (tmp_path / "1.parquet").write_bytes(b"PAR1 and no more")
    with pytest.raises(InputError, match="not a whole Parquet file"):
        run(tmp_path)


# -- what is printed ----------------------------------------------------------------------------------------------


def test_the_summary(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    hospital(tmp_path / "my ward")
    monkeypatch.chdir(tmp_path)
    assert run(Path("my ward")) == 0
    assert capsys.readouterr().out == (
        """\
Files
  releases/1.csv  19 rows, 4 columns
  releases/2.csv  18 rows, 4 columns
  releases/3.csv  17 rows, 4 columns

Columns, with how many different cells
  Owner     individual        19  its name; its cells are unique in each release and come back in
                                  later ones
  Group-ID  group             5   its name, and its rows have equal cells
  Age       quasi-identifier  5   intervals
  Disease   sensitive         2   its name and the only exact column

What can be judged
  What somebody learns who knows in which group each person is, over all releases (linked).

Look at
  -  Column "Owner" is taken for the auditor's key, with which the adversary knows everybody's
     group: the worst case. If it was published, write record = "Owner" instead.

Wrote series.toml in my ward; it says why each guess was made.

These keys are guesses, and nothing that rests on them is decided: columns.individual.

Next: audit init 'my ward' --confirm
Then: audit 'my ward'
"""
    )
    assert open_series(Path("my ward")).tags == ("1", "2", "3")


def test_no_cell_is_quoted(tmp_path: Path) -> None:
    hospital(tmp_path, known="individual,value\nP03,flu\n")
    text = guess_manifest(tmp_path)
    assert not any(cell in text for cell in ("P03", "flu", "cold", "[0, 9]"))


# -- what is sure, and what is asked ------------------------------------------------------------------------------

GROUPED = [(g, f"[{g}0, {g}9]", "fm"[i % 2], ["flu", "cold", "gout"][i % 3]) for g in range(5) for i in range(6)]


def unsure(folder: Path) -> set[str]:
    return set(guessed(folder).get("unconfirmed", {}).get("keys", ()))


def test_a_group_whose_rows_are_alike_is_sure_and_so_is_what_it_decides(tmp_path: Path) -> None:
    """Which value is the sensitive one is told by nothing but its name; alone beside generalized cells it is sure."""
    write(tmp_path / "1.csv", ["EQ", "Age", "Disease"], [(g, age, value) for g, age, _, value in GROUPED])
    assert unsure(tmp_path) == set()
    write(tmp_path / "1.csv", ["EQ", "Age", "Sex", "Disease"], GROUPED)
    assert unsure(tmp_path) == {"columns.sensitive", "columns.quasi_identifiers"}
    write(tmp_path / "1.csv", ["EQ", "Age", "Disease"], [(g % 3, age, value) for g, age, _, value in GROUPED])
    assert "columns.group" not in guessed(tmp_path)["columns"]


def test_transitions_and_registers_beside_the_releases_say_what_columns_are(tmp_path: Path) -> None:
    write(tmp_path / "1.csv", ["Age", "Sex", "Disease"], [row[1:] for row in GROUPED])
    (tmp_path / "transitions.csv").write_text("from,to\n" + "".join(f"{v},{v}\n" for v in ("flu", "cold", "gout")))
    assert unsure(tmp_path) == {"columns.quasi_identifiers"}
    (tmp_path / "register.csv").write_text("individual,Age,Sex,first,last\na,5,f,1,1\n")
    assert unsure(tmp_path) == set()


@pytest.mark.parametrize(("tags", "sure"), [(("2023", "2024"), True), (("w1", "w2"), True), (("jan", "feb"), False)])
def test_the_order_of_releases_is_sure_where_their_names_tell_it(tmp_path: Path, tags: list[str], sure: bool) -> None:
    for tag in tags:
        write(tmp_path / f"{tag}.csv", ["EQ", "Age", "Disease"], [(g, age, value) for g, age, _, value in GROUPED])
    assert unsure(tmp_path) == (set() if sure else {"series.releases"})


def test_whoever_is_asked_leaves_nothing_unconfirmed(tmp_path: Path) -> None:
    rows = [(f"p{n}", *row[1:]) for n, row in enumerate(GROUPED)]
    write(tmp_path / "1.csv", ["Patient", "Age", "Sex", "Disease"], rows)
    questions = []

    def answer(question: Question) -> str:
        questions.append(question.text)
        return question.default

    text = confirmed(tmp_path, guess(tmp_path).text(), answer)
    assert "unconfirmed" not in tomllib.loads(text)
    asked = [text for text in questions if text.startswith("What is the column")]
    assert [text.split('"')[1] for text in asked] == ["Disease", "Sex", "Patient"]
