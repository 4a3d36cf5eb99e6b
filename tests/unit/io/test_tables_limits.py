"""Limits of tables: what is told where memory does not suffice, a bomb is unpacked, or a table is very wide."""

import gzip

import pyarrow as pa
import pytest

from audit.io import table_forms, tables
from audit.model.errors import Problems
from tests.helpers.messy import write
from tests.helpers.running import run_main

MANIFEST = '[series]\nreleases = ["{name}"]\n[columns]\nsensitive = "D"\nquasi_identifiers = ["A"]\n{more}'


@pytest.mark.parametrize(
    "error", [MemoryError(), pa.ArrowMemoryError("malloc of size 9 failed"), OSError(12, "Cannot allocate memory")]
)
def test_a_lack_of_memory_is_no_fault_of_a_text(tmp_path, monkeypatch, error):
    def fail(*_, **__):
        raise error

    path = write(tmp_path / "1.csv", "A,D\n1,x\n2,y\n")
    write(tmp_path / "series.toml", MANIFEST.format(name="1.csv", more=""))
    monkeypatch.setattr(table_forms, "_parse_csv", fail)
    with pytest.raises(MemoryError):
        tables.read_table(path, "1.csv", ["A"], Problems())
    code, _, err = run_main(str(tmp_path))
    assert code == 2
    assert err.splitlines() == ["audit: out of memory; audit fewer releases at once, or use a machine with more memory"]


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (ImportError("libarrow.so: failed to map segment from shared object"), 2),
        (RuntimeError("can't start new thread"), 2),
        (ImportError("No module named 'pyarrow'"), 4),
    ],
)
def test_a_library_that_finds_no_memory_is_no_bug(tmp_path, monkeypatch, error, code):
    def fail(_):
        raise error

    monkeypatch.setattr("audit.cli.audit.run", fail)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    found, _, err = run_main(str(tmp_path))
    assert (found, "out of memory" in err, len(err.splitlines())) == (code, code == 2, 1)


def test_a_bomb_is_not_unpacked(tmp_path, monkeypatch):
    monkeypatch.setattr("audit.io.dialect._PACKED_ONCE", 1 << 16)
    write(tmp_path / "1.csv.gz", gzip.compress(b"A,D\n" + b"1,x\n" * 500_000))
    write(tmp_path / "series.toml", MANIFEST.format(name="1.csv.gz", more=""))
    code, _, err = run_main(str(tmp_path))
    assert code == 2
    [line] = err.splitlines()
    assert "1.csv.gz: this file unpacks to several hundred times its size, as no table does; unpack it" in line


def test_a_hundred_thousand_columns(tmp_path):
    names = [*(f"c{n}" for n in range(100_000)), "A", "D"]
    path = write(tmp_path / "1.csv", ",".join(names) + "\n" + ",".join("1" * len(names)) + "\n")
    table = tables.read_table(path, "1.csv", ["A", "D"], Problems())
    assert table is not None


def test_a_key_that_goes_under_way(tmp_path, monkeypatch):
    write(tmp_path / "1.csv", "A,D\n1,x\n1,y\n")
    write(tmp_path / "private/1.key.csv", "row,individual\n0,a\n1,b\n")
    write(tmp_path / "series.toml", MANIFEST.format(name="1.csv", more=""))
    from audit.io import release_reading

    monkeypatch.setattr(release_reading, "is_there", lambda _: False)
    code, _, err = run_main(str(tmp_path))
    assert code == 2
    assert "private/1.key.csv: the key was there before and is gone; put it back" in err
