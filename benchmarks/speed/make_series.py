"""Write a benchmark series: people of `audit simulate`, published by `audit anonymize`, in the form that others write.

`python -m benchmarks.speed.make_series OUT --kind invariant` writes, side by side and sharing their releases by
hard links:

* `OUT/linked`: the manifest names the `individual` column;
* `OUT/register`: it does not, and a register is given;
* `OUT/transitions`: linked, and values may change to themselves or their nine neighbours on a ring.
"""

from __future__ import annotations

import argparse
import hashlib
import shutil
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq

from series_bench.papers.experiment import command
from series_bench.papers.processes import run

VARIANTS = ("linked", "register", "transitions")
QUASI_IDENTIFIERS = ("Age", "Gender", "Education", "Birthplace")
OCCUPATIONS = [f"occupation {number:02}" for number in range(1, 51)]
KINDS = {"invariant": ("m-invariance", "--withhold", "--m", 10), "diverse": ("mondrian", "--k", 10)}
DIAMETER = 10


def _hash(person: int) -> bytes:
    return hashlib.blake2b(person.to_bytes(8), digest_size=16).digest()


IDENTIFIERS: dict[str, Callable[[int], object]] = {
    "number": int,
    "text": "P{:06}".format,
    "uuid": lambda person: str(uuid.UUID(bytes=_hash(person))),
    "hash": _hash,
}


def make_series(out: Path, options: argparse.Namespace) -> None:
    """Write the variants of one series into `out`, which must not exist."""
    part = out.with_name(out.name + ".part")
    shutil.rmtree(part, ignore_errors=True)
    releases = part / options.variants[0] / "releases"
    releases.mkdir(parents=True)
    with tempfile.TemporaryDirectory(dir=out.parent) as work:
        people, published = Path(work) / "people", Path(work) / "published"
        sizes = ("--rows", options.rows, "--insertions", options.turnover, "--deletions", options.turnover)
        run(command("simulate", "--output", people, *sizes, "--snapshots", options.releases))
        words = ("--no-audit", "--seed", 1, "--output", published, "--method", *KINDS[options.kind])
        run(command("anonymize", people, *words))
        size = options.rows + (options.releases - 1) * options.turnover
        for path in sorted((published / "releases").iterdir()):
            blocks = _blocks(path, published / f"private/{path.stem}.key.csv", size, options)
            _write(blocks, releases / f"{path.stem}.{options.format}", options.compression)
        if "register" in options.variants:
            register = part / f"register/register.{options.format}"
            register.parent.mkdir(exist_ok=True)
            _write(iter([_register(people, options)]), register, options.compression)
    for variant in options.variants:
        _finish_variant(part / variant, releases, variant, out.name, options.format)
    part.rename(out)


def _blocks(path: Path, key: Path, people: int, options: argparse.Namespace) -> Iterator[pa.Table]:
    """Yield a release as often as the series is larger, each time of other people in other groups.

    Counterfeits are left out: DuckDB and anonypyx know none.
    """
    table = pq.read_table(path, columns=["Group", *QUASI_IDENTIFIERS, "Occupation"])
    table = table.append_column("individual", pa_csv.read_csv(key)["individual"]).drop_null()
    person, group = table["individual"].to_numpy(), table["Group"].to_numpy()
    table = table.drop_columns("individual")
    for block in range(options.scale):
        named = _named(person + block * people, options.identifiers)
        moved = table.set_column(0, "Group", pa.array(group + block * group.max()))
        yield moved.add_column(0, "individual", named)


def _named(people: np.ndarray, kind: str) -> pa.Array:
    return pa.array(people) if kind == "number" else pa.array(map(IDENTIFIERS[kind], people.tolist()))


def _register(people: Path, options: argparse.Namespace) -> pa.Table:
    """Return who is in which releases, with exact values; nobody comes back."""
    files = sorted((people / "snapshots").iterdir())
    columns = ["individual", *QUASI_IDENTIFIERS]
    frames = [pq.read_table(file, columns=columns).to_pandas().assign(at=at) for at, file in enumerate(files, 1)]
    every = pd.concat(frames).astype({"Gender": str, "Birthplace": str}).groupby("individual", sort=True)
    found = every[list(QUASI_IDENTIFIERS)].first().assign(first=every["at"].min(), last=every["at"].max())
    table = pa.Table.from_pandas(found, preserve_index=False)
    return table.add_column(0, "individual", _named(found.index.to_numpy(), options.identifiers))


def _write(tables: Iterator[pa.Table], path: Path, compression: str) -> None:
    first = next(tables)
    plain = [pa.string() if pa.types.is_dictionary(each.type) else each.type for each in first.schema]
    schema = pa.schema(zip(first.column_names, plain, strict=True)) if path.suffix == ".csv" else first.schema
    writer = (
        pa_csv.CSVWriter(path, schema)
        if path.suffix == ".csv"
        else pq.ParquetWriter(path, schema, compression=compression)
    )
    with writer:
        for table in (first, *tables):
            writer.write_table(table.cast(schema))


def _finish_variant(folder: Path, releases: Path, variant: str, name: str, suffix: str) -> None:
    own = folder / "releases"
    if own != releases:
        own.mkdir(parents=True)
        for file in sorted(releases.iterdir()):
            (own / file.name).hardlink_to(file)
    lines = [
        "[series]",
        f'name = "{name}, {variant}"',
        f'releases = ["releases/*.{suffix}"]',
        "",
        "[columns]",
        'sensitive = "Occupation"',
        "quasi_identifiers = [" + ", ".join(f'"{name}"' for name in QUASI_IDENTIFIERS) + "]",
        'group = "Group"',
        'types = { Gender = "categorical", Birthplace = "categorical" }',
    ]
    if variant != "register":
        lines.append('individual = "individual"')
    if variant != "linked":
        file = f"register.{suffix}" if variant == "register" else "transitions.csv"
        lines += ["", "[adversary]", f'{variant} = "{file}"']
    (folder / "series.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")
    if variant == "transitions":
        near, size = range(-(DIAMETER // 2) + 1, DIAMETER // 2 + 1), len(OCCUPATIONS)
        pairs = [f"{value},{OCCUPATIONS[(at + step) % size]}" for at, value in enumerate(OCCUPATIONS) for step in near]
        (folder / "transitions.csv").write_text("\n".join(["from,to", *pairs, ""]), encoding="utf-8")


def main() -> None:
    """Parse the command line and write one series."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.speed.make_series", description=__doc__.split("\n")[0])
    parser.add_argument("out", type=Path, help="folder to make; it must not exist")
    parser.add_argument("--kind", choices=KINDS, default="invariant")
    parser.add_argument("--format", choices=["parquet", "csv"], default="parquet")
    parser.add_argument("--compression", default="none", help="of Parquet: none, snappy, zstd, …")
    parser.add_argument("--scale", type=int, default=1, help="how often S1, each of other people: 10 makes S10")
    parser.add_argument("--rows", type=int, default=200_000, help="rows of a release")
    parser.add_argument("--turnover", type=int, default=20_000, help="people exchanged at a step")
    parser.add_argument("--releases", type=int, default=21)
    parser.add_argument("--variants", nargs="+", choices=VARIANTS, default=list(VARIANTS))
    parser.add_argument("--identifiers", choices=IDENTIFIERS, default="number", help="numbers, P000001, UUIDs, hashes")
    options = parser.parse_args()
    if options.out.exists():
        parser.error(f"{options.out} exists")
    started = time.perf_counter()
    make_series(options.out.absolute(), options)
    print(f"{options.out}: {time.perf_counter() - started:.1f} s")


if __name__ == "__main__":
    main()
