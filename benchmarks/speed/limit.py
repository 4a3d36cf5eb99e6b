"""Limit: read only the columns that an attack needs into memory, by `pyarrow`."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq

from benchmarks.speed.population import QUASI_IDENTIFIERS

LINKED = ["individual", "Group", "Occupation"]
REGISTER = ["Group", *QUASI_IDENTIFIERS, "Occupation"]


def releases(series: Path) -> list[Path]:
    """Return the release files of a generated series, in order."""
    return sorted((series / "releases").iterdir())


def linked(series: Path) -> list[pa.Table]:
    """Read what an adversary needs who knows the group of each person."""
    return [_read(file, LINKED) for file in releases(series)]


def pairs(series: Path) -> list[pa.Table]:
    """Read the same of Anatomy pairs with key files."""
    rows = [_read(file, ["Group"]) for file in sorted((series / "releases").glob("*.rows.parquet"))]
    values = [_read(file, None) for file in sorted((series / "releases").glob("*.values.parquet"))]
    keys = [_read(file, ["individual"]) for file in sorted((series / "private").glob("*.key.csv"))]
    return [*rows, *values, *keys]


def register(series: Path) -> list[pa.Table]:
    """Read what an adversary with a register needs, the register included."""
    file = next(series.glob("register.*"))
    return [*(_read(release, REGISTER) for release in releases(series)), _read(file, None)]


def _read(file: Path, columns: list[str] | None) -> pa.Table:
    if file.suffix == ".csv":
        return pa_csv.read_csv(file, convert_options=pa_csv.ConvertOptions(include_columns=columns))
    return pq.ParquetFile(file).read(columns=columns)
