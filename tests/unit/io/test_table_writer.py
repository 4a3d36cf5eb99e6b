"""Tables as they are written: read back by others, the same bytes again, whole or not at all."""

import csv
import gzip
import io
import stat
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.io import table_writer
from audit.io.atomic_files import atomic_path, hide_from_version_control, write_file
from audit.io.table_writer import write_table

TEXTS = st.text(st.characters(codec="utf-8"), max_size=6) | st.sampled_from(
    ["", " ", '"', '""', "a,b", "a\nb", "a\r\nb", "\r", "\0", "=cmd()", "NA", "null", "é", "x" * 5000, "'", ";", "\t"]
)
ENDINGS = ["csv", "csv.gz", "parquet"]


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[str], list[tuple[str, ...]]]:
    width = draw(st.integers(2, 4))
    names = draw(st.lists(TEXTS.filter(bool), min_size=width, max_size=width, unique=True))
    return names, draw(st.lists(st.tuples(*[TEXTS] * width), max_size=12))


def arrow(names, rows, *, dictionary=False):
    columns = [pa.array([row[place] for row in rows], pa.string()) for place in range(len(names))]
    return pa.table(dict(zip(names, [c.dictionary_encode() if dictionary else c for c in columns], strict=True)))


def read_csv(path):
    """The cells of a CSV file, by Python's own reader."""
    data = gzip.decompress(path.read_bytes()) if path.name.endswith(".gz") else path.read_bytes()
    return list(csv.reader(io.StringIO(data.decode("utf-8"), newline=""), strict=True))


@given(tables(), st.booleans(), st.sampled_from(["csv", "csv.gz"]))
def test_csv_is_read_back_by_another_reader(tmp_path_factory, table, dictionary, ending):
    names, rows = table
    path = tmp_path_factory.mktemp("written") / f"t.{ending}"
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(table_writer, "_ROWS_AT_ONCE", 5)
        write_table(arrow(names, rows, dictionary=dictionary), path)
    assert read_csv(path) == [names, *map(list, rows)]


@given(tables(), st.booleans())
def test_parquet_is_read_back_by_another_reader(tmp_path_factory, table, dictionary):
    names, rows = table
    path = tmp_path_factory.mktemp("written") / "t.parquet"
    write_table(arrow(names, rows, dictionary=dictionary), path)
    back = pq.ParquetFile(path).read()
    assert back.column_names == names
    assert [column.to_pylist() for column in back.columns] == [[row[p] for row in rows] for p in range(len(names))]


@pytest.mark.parametrize("ending", ENDINGS)
def test_the_same_table_gives_the_same_bytes_whatever_its_dictionaries(tmp_path, ending):
    texts = ["b", "a", "b", "c,d"]
    one = pa.array(texts).dictionary_encode()
    other = pa.DictionaryArray.from_arrays(pa.array([3, 1, 3, 0]), pa.array(["c,d", "a", "nobody's", "b"]))
    for name, column in (("one", one), ("other", other), ("again", one)):
        write_table(pa.table({"A": column, "N": [1, 2, 3, 4]}), tmp_path / f"{name}.{ending}")
    written = {name: (tmp_path / f"{name}.{ending}").read_bytes() for name in ("one", "other", "again")}
    assert len(set(written.values())) == 1


def test_gzip_tells_neither_name_nor_time(tmp_path):
    write_table(arrow(["A"], [("a",)]), tmp_path / "secret-name.csv.gz")
    header = (tmp_path / "secret-name.csv.gz").read_bytes()[:10]
    assert header[3] == 0  # no name follows
    assert header[4:8] == bytes(4)


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_file_that_was_there_keeps_its_permissions(tmp_path):
    path = tmp_path / "report.json"
    path.write_text("old")
    path.chmod(0o640)
    write_file(path, "new\n")
    assert path.read_bytes() == b"new\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    write_file(path, "secret", mode=0o600)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert names(tmp_path) == ["report.json"]


@pytest.mark.parametrize("new", [False, True])
def test_after_an_error_nothing_is_changed(new, tmp_path):
    path = tmp_path / "report.json"
    if not new:
        path.write_text("old")
    with pytest.raises(ZeroDivisionError), atomic_path(path, new=new) as draft:
        draft.write_text(str(1 / 0))
    assert names(tmp_path) == ([] if new else ["report.json"])
    assert new or path.read_text() == "old"


def test_what_should_be_new_never_replaces_anything(tmp_path):
    path = tmp_path / "key"
    write_file(path, "first", new=True)
    with pytest.raises(FileExistsError):
        write_file(path, "second", new=True)
    with pytest.raises(FileExistsError), atomic_path(tmp_path / "other", new=True):
        (tmp_path / "other").write_text("meanwhile")
    assert (path.read_text(), (tmp_path / "other").read_text()) == ("first", "meanwhile")
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    with pytest.raises(FileExistsError):
        write_file(tmp_path / "link", "third", new=True)
    assert names(tmp_path) == ["key", "link", "other"]


def test_links_are_followed_and_devices_written_to(tmp_path):
    target = tmp_path / "target"
    target.write_text("old")
    (tmp_path / "link").symlink_to(target)
    write_file(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert target.read_text() == "new"
    write_file(Path("/dev/null"), "gone")
    assert not Path("/dev/null").is_file()


def test_long_names_and_odd_characters(tmp_path):
    path = tmp_path / ("x" * 240)
    write_file(path, "\udc80 and ä")
    assert path.read_text(encoding="utf-8") == "? and ä"


def test_a_private_folder_is_hidden_from_version_control_once(tmp_path):
    hide_from_version_control(tmp_path)
    assert (tmp_path / ".gitignore").read_text() == "*\n"
    (tmp_path / ".gitignore").write_text("mine")
    hide_from_version_control(tmp_path)
    assert (tmp_path / ".gitignore").read_text() == "mine"
