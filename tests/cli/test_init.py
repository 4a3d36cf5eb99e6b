"""`audit init`: what it guesses of the examples and of other people's files, and that it never harms a file."""

from __future__ import annotations

import argparse
import csv
import re
import shutil
import time
import tomllib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest

from audit.cli import init
from audit.init.count_tables import guess_tables
from audit.init.guess import guess
from audit.io.manifest import Manifest, read_manifest
from audit.io.release_reading import read_release
from audit.io.series import open_series
from audit.model.errors import InputError, Problems, UsageError
from tests.helpers.messy import as_csv
from tests.helpers.messy import write as put
from tests.helpers.running import drafted, run_main
from tests.mutants.mutant import kills

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
        read_release(series, position)
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
def test_microdata_is_not_a_series(name: str) -> None:
    with pytest.raises(UsageError, match=r"holds microdata.*rows of people or as counts, move microdata\.toml"):
        guess_manifest(EXAMPLES / name)


# -- other people's files -----------------------------------------------------------------------------------------


def test_key_files_make_an_id_a_published_one(tmp_path: Path) -> None:
    hospital(tmp_path, 2)
    for tag, rows in (("1", 19), ("2", 18)):
        write(tmp_path / f"private/{tag}.key.csv", ["row", "individual"], [(row, f"X{row}") for row in range(rows)])
    columns = guessed(tmp_path)["columns"]
    assert columns["record"] == "Owner"
    assert "individual" not in columns
    (tmp_path / "private/2.key.csv").unlink()
    assert guessed(tmp_path)["columns"]["individual"] == "Owner"


@pytest.mark.parametrize(
    ("later", "role", "asked"),
    [
        pytest.param(range(40), "record", False, id="the same people"),
        pytest.param(range(60), "record", False, id="more people at the end"),
        pytest.param(reversed(range(40)), "unlinkable", False, id="the same people in another order"),
        pytest.param([*range(38), 39, 38], "unlinkable", True, id="two of them in another order"),
        pytest.param(range(40, 80), "unlinkable", True, id="other people, or other names of them"),
    ],
)
@kills("audit.init.column_meanings._Guesser.people_again", "len(times) == len", "0 == len", case="[the same people]")
@kills(
    "audit.init.column_meanings._Guesser.people_again",
    " if people.recurs else 1",
    "",
    case="[other people, or other names of them]",
)
@kills(
    "audit.init.column_meanings._Guesser.guess_ids",
    "sure=_RARE * again < 1",
    "sure=True",
    case="[two of them in another order]",
)
def test_numbers_of_rows_are_record_ids_only_where_the_keys_agree(
    tmp_path: Path, later: Iterable[int], role: str, asked: bool
) -> None:
    for tag, people in (("1", range(40)), ("2", [*later])):
        rows = [(at, 20 + who % 30, ("flu", "cold", "gout")[who % 3]) for at, who in enumerate(people, 1)]
        write(tmp_path / f"{tag}.csv", ["Record No", "Age", "Disease"], rows)
        write(
            tmp_path / f"private/{tag}.key.csv", ["row", "individual"], [(at, f"X{p}") for at, p in enumerate(people)]
        )
    found = guessed(tmp_path)
    assert [key for key in ("record", "individual", "unlinkable") if "Record No" in found["columns"].get(key, ())] == [
        role
    ]
    assert (f"columns.{role}" in found.get("unconfirmed", {}).get("keys", ())) == asked


@pytest.mark.parametrize(
    ("first", "names", "like"),
    [
        pytest.param(range(1, 21), ("Record No", "MRN"), True, id="ids of rows"),
        pytest.param([20, *range(1, 20)], ("Record No", "MRN"), True, id="ids of rows in another order"),
        pytest.param(range(20), ("line", "MRN"), True, id="numbers of rows"),
        pytest.param(range(2, 22), ("Record No", "MRN"), False, id="other ids"),
        pytest.param(range(1, 20), ("Record No", "MRN"), False, id="fewer ids"),
        pytest.param(range(1, 21), ("Record No", "Postcode"), False, id="no people"),
    ],
)
@kills("audit.init.found_files._is_key", "{*ids.texts} == {*number.texts}", "True", case="[other ids]")
def test_a_private_file_like_a_key_is_no_register(
    tmp_path: Path, first: Iterable[int], names: tuple[str, str], like: bool
) -> None:
    for tag in ("2023Q1", "2023Q2"):
        rows = [(at, 20 + at, ("flu", "cold", "gout")[at % 3]) for at in range(1, 21)]
        write(tmp_path / f"{tag}.csv", ["Record No", "Age", "Disease"], rows)
        write(tmp_path / f"private/{tag}_link.csv", names, [(at, 7000 + 13 * at) for at in first])
    found = guess(tmp_path)
    why = found.left["series"].get("private/2023Q1_link.csv", "")
    assert ("like a key of 2023Q1.csv: name it private/2023Q1.key.csv, with the columns row (" in why) == like
    assert not like or "register" not in found.document.get("adversary", {})


def test_people_with_several_rows_are_episodes(tmp_path: Path) -> None:
    rows = [("Bob", "20-29", "flu"), ("Bob", "20-29", "cold"), ("Eve", "30-39", "flu")]
    write(tmp_path / "1.csv", ["Patient", "Age", "Disease"], rows)
    columns = guessed(tmp_path)["columns"]
    assert (columns["individual"], columns["rows"]) == ("Patient", "episodes")
    write(tmp_path / "1.csv", ["Age", "Disease"], [row[1:] for row in rows])
    write(tmp_path / "private/1.key.csv", ["row", "individual"], [(at, row[0]) for at, row in enumerate(rows)])
    assert guessed(tmp_path)["columns"]["rows"] == "episodes"
    said = " ".join(run_main("init", str(tmp_path), "--yes")[1].split())
    assert "keys of 1 of 1 releases" in said
    assert "add one of: a key" not in said
    assert "publish one row for each person" in said


@pytest.mark.parametrize("sign", ["k. A.", "Keine Angabe", "n/k", "-", "n.d.", "NS/NC", "unknown"])
@pytest.mark.parametrize("income", ["{:,}.50", "{:,}", "{}"])
def test_amounts_are_numbers_and_signs_of_unknown_values_are_asked(tmp_path: Path, sign: str, income: str) -> None:
    for release, marks in (("1", " .,"), ("2", " ,.")):
        amounts = [income.format(2_000 + 997 * i).translate(str.maketrans(",.", marks[:2])) for i in range(40)]
        rows = [(f"{i % 3}0-{i % 3}9", amounts[i], sign if i % 9 == 0 else "f", "ab"[i % 2]) for i in range(40)]
        write(tmp_path / f"{release}.csv", ["Age", "Amount", "Sex", "Disease"], rows)
    out = " ".join(run_main("init", str(tmp_path), "--yes")[1].split())
    assert "Amount quasi-identifier 80 an exact measurement" in out or "Amount quasi-identifier 40 an exact" in out
    assert f'missing = ["{sign}"]' in out
    manifest = tomllib.loads((tmp_path / "series.toml").read_text(encoding="utf-8"))
    assert manifest["columns"]["missing"] == [sign]
    assert {"columns.missing", "columns.quasi_identifiers"} <= {*manifest["unconfirmed"]["keys"]}


@pytest.mark.parametrize(("free", "sensitive"), [(True, "Drug"), (False, "Comment")])
def test_notes_of_interviewers_are_taken_for_nothing_sensitive(tmp_path: Path, free: bool, sensitive: str) -> None:
    """A text that occurs once is a person's note; a repeated text may be a value."""
    drugs, notes = ("none", "none", "heroin"), ("moved", "called back", "no time")
    for wave in (1, 2):
        rows = [
            (f"P{i}", f"{i % 3}0-{i % 3}9", drugs[i * wave % 3], notes[i % 3] + f" {wave}-{i}" * free)
            for i in range(60)
        ]
        write(tmp_path / f"{wave}.csv", ["Id", "Age", *("Drug", "Comment")], rows)
    assert guessed(tmp_path)["columns"]["sensitive"] == sensitive


@pytest.mark.parametrize(
    ("role", "content", "why"),
    [
        ("register", "individual,Age,first,last\nBob,21,1,9\n", "no such release"),
        ("register", "individual,Age,release\nBob,21,2031\n", "no such release"),
        ("transitions", "from,to\nflu,flu\n", "no line says"),
    ],
)
def test_files_that_do_not_fit_are_refused_by_an_audit(tmp_path: Path, role: str, content: str, why: str) -> None:
    """If they were left out of the manifest, the audit would assume an adversary who knows less."""
    hospital(tmp_path, 2, **{role: content})
    assert guessed(tmp_path)["adversary"] == {role: f"{role}.csv"}
    code, out, _ = run_main("init", str(tmp_path))
    assert (code, f"an audit refuses these files: {role}.csv" in out, why in " ".join(out.split())) == (0, True, True)
    if role == "register":  # a key says more than a register does
        text = (tmp_path / "series.toml").read_text(encoding="utf-8")
        text = re.sub('(?m)^individual = "(.*?)".*$', r'unlinkable."\1" = "drawn anew"', text).replace(
            "columns.individual", "columns.sensitive"
        )
        (tmp_path / "series.toml").write_text(text, encoding="utf-8")
    code, out, err = run_main(str(tmp_path))
    assert (code, out) == (2, "")
    assert err.startswith(f"audit: {role}.csv")
    assert why in err


def test_links_that_leave_the_folder_are_not_followed(tmp_path: Path) -> None:
    hospital(tmp_path / "inside", 1)
    write(tmp_path / "outside.csv", ["Owner", "Group-ID", "Age", "Disease"], [])
    (tmp_path / "inside/releases/2.csv").symlink_to(tmp_path / "outside.csv")
    assert guessed(tmp_path / "inside")["series"]["releases"] == ["releases/1.csv"]
    assert "the link leads out of the series folder" in guess_manifest(tmp_path / "inside")


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


@pytest.mark.parametrize("nasty", NASTY)
def test_hostile_column_names(tmp_path: Path, nasty: str) -> None:
    header = [f"Age {nasty}", f"Disease {nasty}", f"left {nasty}"]
    for release in (1, 2):
        rows = [("20-29", "flu", 1), ("30-39", "cold", 2), ("30-39", "flu", 2)]
        write(tmp_path / f"{release}.csv", header, rows)
    columns = guessed(tmp_path)["columns"]
    assert columns["quasi_identifiers"] == [header[0].strip(), header[2].strip()]
    assert columns["sensitive"] == header[1].strip()


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
  The adversary knows who is in which group of every release (linked).

To check
  -  52% of the rows have "flu" as "Disease". If that may become known of anybody, such as "none",
     write harmless = { Disease = ["flu"] } under [columns]: findings about it alone then do not
     count.
  -  columns.individual = "Owner" (its name; its cells are unique in each release and come back in
     later ones; the worst case: the adversary knows everybody's group. If this column was itself
     published, write record = "Owner" instead; if neither, delete the line)

Wrote series.toml in my ward; it says why each guess was made.

These keys are guesses, and nothing that depends on them is decided: columns.individual.

Next: audit init 'my ward' --confirm
Then: audit 'my ward'
Made private/finding.key, which keeps the ids of findings the same in all reports; never publish private/.
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
    """Only its name shows which value is sensitive; alone beside generalized cells, it is certain."""
    write(tmp_path / "1.csv", ["EQ", "Age", "Disease"], [(g, age, value) for g, age, _, value in GROUPED])
    assert unsure(tmp_path) == set()
    write(tmp_path / "1.csv", ["EQ", "Age", "Sex", "Disease"], GROUPED)
    assert unsure(tmp_path) == {"columns.sensitive", "columns.quasi_identifiers"}
    write(tmp_path / "1.csv", ["EQ", "Age", "Disease"], [(g % 3, age, value) for g, age, _, value in GROUPED])
    assert "columns.group" not in guessed(tmp_path)["columns"]


def test_columns_that_sound_sensitive_are_not_left_to_others_in_silence(tmp_path):
    """A second diagnosis is a quasi-identifier by default, so no second diagnosis is judged: `audit init` says so."""
    men, women = ["20-29", "m"], ["30-39", "f"]
    rows = [[*men, "flu", "b"], [*men, "cold", "a"], [*women, "flu", "a"], [*women, "cold", "b"]]
    for name, said in (("Diagnosis 2", True), ("Ward", False)):
        (tmp_path / name / "releases").mkdir(parents=True)
        with (tmp_path / name / "releases/1.csv").open("w", newline="") as file:
            csv.writer(file).writerows([["Age", "Sex", "Diagnosis", name], *rows])
        out = " ".join(run_main("init", str(tmp_path / name), "--yes")[1].split())
        assert ("by its name, it may be sensitive" in out) == said


def test_a_column_that_names_the_release_is_no_quasi_identifier_and_keys_have_their_place(tmp_path):
    """It was taken for one, whose texts need a crosswalk in each release; keys in keys/ were called releases."""
    for place, term in enumerate(("Autumn 2023", "Spring 2024"), 1):
        rows = [[term, f"{n // 4}0-{n // 4}9", ["flu", "gout", "cold"][n % 3]] for n in range(24)]
        put(tmp_path / f"2024-{place}.csv", as_csv([["Term", "Age", "Disease"], *rows]))
    put(tmp_path / "keys" / "key_1.csv", as_csv([["Record no", "Patient"], *([n, f"P{n}"] for n in range(24))]))
    out = " ".join(run_main("init", str(tmp_path), "--yes")[1].split())
    columns = tomllib.loads((tmp_path / "series.toml").read_text(encoding="utf-8"))["columns"]
    assert (columns["quasi_identifiers"], [*columns["unlinkable"]]) == (["Age"], ["Term"])
    assert f"into {tmp_path.name}/private/" in out


@pytest.mark.parametrize(("own", "named"), [("BD{n} 1AN", None), ("BD{n}", "Postcode")])
def test_whole_postcodes_of_a_register_are_not_taken_for_districts(tmp_path, own, named):
    """The guess was refused as soon as it was confirmed: no postcode of the register is a district."""
    rows = [[f"{n // 6}0-{n // 6}9", f"BD{n % 4}", ["flu", "gout", "cold"][n % 3]] for n in range(24)]
    put(tmp_path / "2024.csv", as_csv([["Age", "Postcode district", "Disease"], *rows]))
    people = [[f"P{n}", n // 6 * 10, own.format(n=n % 4)] for n in range(24)]
    put(tmp_path / "register.csv", as_csv([["individual", "Age", "Postcode"], *people]))
    document = tomllib.loads(drafted(tmp_path))
    assert document["adversary"]["register"] == "register.csv"
    assert document.get("register", {}).get("Postcode district") == named


@kills(
    "audit.init.count_forms.tidy", "len(labels) == 1 and _names_people(", "False and _names_people(", case="[Akte-K]"
)
@kills("audit.init.count_forms._names_people", "and are_codes", "and not are_codes", case="[Akte-K]")
@pytest.mark.parametrize(("name", "anew"), [("Akte", "K"), ("Akte", "KL"), ("Satz-ID", "K"), ("Satz-ID", "KL")])
def test_rows_of_people_with_hidden_numbers_are_no_counts(tmp_path: Path, name: str, anew: str) -> None:
    """The ids, the same in all years or drawn anew, name the rows; some numbers of children are hidden."""
    for year in (2021, 2022):
        rows = [
            [f"{anew[-(year % 2)]}{70001 + 7919 * n % 10007}", "ABC"[n % 3], f"{20 * (n % 4)}-{20 * (n % 4) + 19}",
             ["ledig", "verheiratet"][n * n % 7 % 2], str(n % 3) if n % 5 else "*", f"{1700 + 37 * n},22"]
            for n in range(120)
        ]  # fmt: skip
        write(tmp_path / f"J{year}.csv", [name, "Ort", "Alter", "Stand", "Kinder", "Einkommen"], rows)
    assert guess_tables(tmp_path) is None
    assert guessed(tmp_path)["columns"]["sensitive"] == "Einkommen"


def test_changes_to_many_amounts_are_drafted_at_once(tmp_path: Path) -> None:
    """Values that say that nothing is known are looked for once each, not once for each pair of values."""
    head = ["Id", "Town", "Income"]
    for year in (2021, 2022):
        put(tmp_path / f"{year}.csv", as_csv([head, *([f"R{n}x", "A", f"{year}{n}"] for n in range(3000))]))
    started = time.process_time()
    guessed(tmp_path)
    assert time.process_time() - started < 60


@kills("audit.init.column_meanings._Guesser.guess_ids", "0 < _RARE * column.repeated < len(column.texts)", "False")
def test_a_record_id_that_two_rows_have_is_named(tmp_path: Path) -> None:
    for year in (2021, 2022):
        rows = [[f"L{70001 + (n - (n == 99 and year == 2022)) * 7919 % 10007}", "AB"[n % 2], f"{1700 + n * n},22"]
                for n in range(100)]  # fmt: skip
        write(tmp_path / f"{year}.csv", ["Satz-ID", "Ort", "Einkommen"], rows)
    [said] = [each for each in guess(tmp_path).doubts if "Satz-ID" in each and "several rows" in each]
    assert f'"{rows[-1][0]}" in 2022.csv:100 and 101)' in said
