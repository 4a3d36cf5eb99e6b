"""A series is held whole: what an audit needs of a release's columns, it parses once."""

from collections import Counter

import pytest

from audit.io import roles, table_forms
from audit.model.adversary import ADVERSARIES
from audit.pipeline import audit_run
from tests.cli.forms import edit
from tests.helpers.messy import series_of
from tests.helpers.running import run_main

ROWS = [
    "Who;Case;Age;Zip;G;Disease",
    *(f"p{n};c{n};{n}-{n + 9};[1{n % 2}, 20];{n // 2};{'ab'[n % 2]}" for n in range(8)),
]
COLUMNS = (
    'individual = "Who"\nrecord = "Case"\ngroup = "G"\nsensitive = "Disease"\nquasi_identifiers = ["Age", "Zip"]\n'
)


def counted(monkeypatch):
    """Count how often each file is parsed from now on."""
    parsed, parse = Counter(), table_forms._parse_csv
    monkeypatch.setattr(audit_run, "_unsettled", lambda *_: ())  # a second audit, in another reading, reads again
    monkeypatch.setattr(table_forms, "_parse_csv", lambda path, *more: parsed.update([path.name]) or parse(path, *more))
    return parsed


@pytest.mark.parametrize("adversary", [*ADVERSARIES])
def test_each_release_is_parsed_once(adversary, tmp_path, monkeypatch):
    """With a register, the texts of columns without a type, from which the type is inferred, are of the same pass."""
    folder = series_of(tmp_path / "s", ["\n".join([*ROWS, ""])] * 3, COLUMNS)
    if ADVERSARIES[adversary].has_register:
        people = "".join(f"p{n},{n + 1},15,1,3\n" for n in range(8))
        (folder / "register.csv").write_text(f"individual,Age,Zip,first,last\n{people}", encoding="utf-8")
        presence = 'presence = "possible"\n' if adversary == "possible" else ""
        with (folder / "series.toml").open("a", encoding="utf-8") as file:
            file.write(f'\n[adversary]\nregister = "register.csv"\n{presence}')
    parsed = counted(monkeypatch)
    assert run_main(str(folder), "--adversary", adversary)[1]
    parsed.pop("register.csv", None)
    # Which record ids are in which release, what ties the others, and whether all rows are those of another release, is
    # asked of texts that are not kept.
    times = 3 if adversary in ("pseudonym", "published") else 1
    assert parsed == {"1.csv": times, "2.csv": times, "3.csv": times}


def test_people_of_a_large_series_are_compared_by_what_was_read(tmp_path, monkeypatch):
    """The texts of record ids, which are not kept, are read once more: a part of them may show households."""
    folder = series_of(tmp_path / "s", ["\n".join([*ROWS, ""])] * 3, COLUMNS)
    monkeypatch.setattr(roles, "MOST_ROWS", 0)
    parsed = counted(monkeypatch)
    assert run_main(str(folder))[1]
    assert parsed == {"1.csv": 2, "2.csv": 2, "3.csv": 2}


def test_init_reads_rows_once(tmp_path, monkeypatch):
    """As count tables, for first rows, texts and kinds of columns, for who, what and blank identifiers.

    Then twice as an audit does, to say what it would refuse.
    """
    folder = series_of(tmp_path / "s", ["\n".join([*ROWS, ""])] * 3, COLUMNS)
    (folder / "series.toml").unlink()
    parsed = counted(monkeypatch)
    assert run_main("init", str(folder))[1]
    assert parsed["2.csv"] == parsed["3.csv"] == 7


def test_a_file_of_several_releases_is_parsed_once(tmp_path, monkeypatch):
    waves = [f"{wave};{row}" for wave in ("2021", "2022", "2023") for row in ROWS[1:]]
    folder = series_of(tmp_path / "s", ["\n".join([f"Wave;{ROWS[0]}", *waves, ""])], COLUMNS)
    edit(folder / "series.toml", "[series]", '[series]\nreleases_by = "Wave"')
    parsed = counted(monkeypatch)
    assert run_main(str(folder))[1]
    assert parsed == {"1.csv": 3}  # also for the names of the releases, and for the hash of its columns
