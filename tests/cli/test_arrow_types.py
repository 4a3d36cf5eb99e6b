"""Every type that a Parquet file may have, in every role, under every command: a verdict, or one clear line."""

import datetime
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from audit.io.texts import texts_of
from tests.helpers.running import run_main

DAYS = [datetime.date(2024, 1, 1), datetime.date(2024, 2, 1)]
TIMES = [datetime.datetime(2024, 1, 1), datetime.datetime(2024, 2, 1)]
COLUMNS = [
    *(pa.array([1, 2], kind()) for kind in (pa.int8, pa.int16, pa.int32, pa.int64)),
    *(pa.array([1, 2], kind()) for kind in (pa.uint8, pa.uint16, pa.uint32, pa.uint64)),
    *(pa.array(np.array([1, 2], dtype=kind)) for kind in (np.float16, np.float32, np.float64)),
    *(pa.array(np.array([0.1, 2.5], dtype=kind)) for kind in (np.float16, np.float32, np.float64)),
    pa.array([1.5, None], pa.float32()),
    *(pa.array(["a", "b"], kind()) for kind in (pa.string, pa.large_string, pa.string_view)),
    *(pa.array([b"aa", b"\xff\xfe"], kind) for kind in (pa.binary(), pa.large_binary(), pa.binary(2))),
    pa.array([True, False]),
    *(pa.array(DAYS, kind()) for kind in (pa.date32, pa.date64)),
    *(pa.array(TIMES, pa.timestamp(unit)) for unit in ("s", "ms", "us", "ns")),
    pa.array(TIMES, pa.timestamp("us", tz="UTC")),
    *(pa.array([datetime.time(1), datetime.time(2)], kind) for kind in (pa.time32("s"), pa.time64("us"))),
    pa.array([datetime.timedelta(1), datetime.timedelta(2)], pa.duration("ms")),
    *(pa.array([Decimal(1), Decimal(2)], kind) for kind in (pa.decimal128(10, 2), pa.decimal256(40, 2))),
    pa.array([None, None], pa.null()),
    pa.array([[1], [2]], pa.list_(pa.int32())),
    pa.array([{"a": 1}, {"a": 2}], pa.struct([("a", pa.int32())])),
    pa.array(["a", "b"]).dictionary_encode(),
    pa.array(np.array([0.1, 2.5], dtype=np.float32)).dictionary_encode(),
]
OTHERS = {
    "sensitive": ["x", "y", "x", "y"],
    "quasi_identifiers": [1, 1, 2, 2],
    "group": [1, 1, 2, 2],
    "individual": ["p", "q", "r", "s"],
    "record": ["1", "2", "3", "4"],
    "count": [1, 1, 1, 1],
}
EACH_ITS_OWN = ("individual", "record")


def written(folder, role, column):
    """Two releases of a series whose column of a role has a type; of two rows where nobody may have several."""
    rows = [0, 1] if role in EACH_ITS_OWN else [0, 0, 1, 1]
    roles = ["sensitive", "quasi_identifiers", "group", *([role] if role in ("individual", "record", "count") else [])]
    table = {name: pa.array(OTHERS[name][: len(rows)]) for name in roles} | {
        role: pa.concat_arrays([column.slice(row, 1) for row in rows])
    }
    folder.mkdir()
    for tag in ("1", "2"):
        pq.write_table(pa.table(table), folder / f"{tag}.parquet")
    meaning = "".join(f'{name} = ["{name}"]\n' if name[0] == "q" else f'{name} = "{name}"\n' for name in roles)
    (folder / "series.toml").write_text(f'[series]\nreleases = ["1.parquet", "2.parquet"]\n[columns]\n{meaning}')
    return folder


def assert_answers(*words):
    code, out, err = run_main(*map(str, words))
    assert code in (0, 1, 2, 3), (words, err)
    lines = err.strip().splitlines()
    assert out or (lines and all(line.startswith("audit: ") for line in lines)), (words, err)


@pytest.mark.parametrize("role", OTHERS)
def test_every_type_in_every_role_is_audited(role, tmp_path):
    for place, column in enumerate(COLUMNS):
        assert_answers(written(tmp_path / str(place), role, column))


@pytest.mark.parametrize("command", ["init", "check", "compare", "next", "explain"])
def test_every_type_under_every_command(command, tmp_path):
    roles = [*OTHERS]
    for place, column in enumerate(COLUMNS):
        folder = written(tmp_path / str(place), roles[place % len(roles)], column)
        words = {
            "init": ["--yes", folder],
            "check": [folder, "--principle", "k-anonymity", "--k", "2"],
            "compare": [folder, folder],
            "next": [folder, folder / "2.parquet"],
            "explain": [folder, "--individual", "p"],
        }
        if command == "init":
            (folder / "series.toml").unlink()
        assert_answers(command, *words[command])


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64])
def test_numbers_of_any_width_have_the_text_that_a_csv_file_has(kind):
    texts, _ = texts_of(pa.array(np.array([0.1, 30, 2.5], dtype=kind)))
    assert texts.to_pylist() == ["0.1", "30", "2.5"]
    assert texts_of(pa.array(np.array([30, 20], dtype=kind)))[0].to_pylist() == ["30", "20"]
