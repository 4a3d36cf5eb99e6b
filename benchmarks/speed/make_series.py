"""Write the benchmark series: S1, S10, S100 of the papers' shape, or any other size.

`python -m benchmarks.speed.make_series OUT --kind invariant` writes, side by side and sharing their releases by
hard links:

* `OUT/linked`: the manifest names the `individual` column;
* `OUT/register`: it does not, and a register is given;
* `OUT/transitions`: linked, and values may change to themselves or their nine neighbours on a ring.
"""

from __future__ import annotations

import argparse
import math
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
from numpy.typing import NDArray

from benchmarks.speed.grouping import form_groups
from benchmarks.speed.population import (
    AGES,
    BIRTHPLACES,
    EDUCATIONS,
    GENDERS,
    GROUP,
    OCCUPATIONS,
    QUASI_IDENTIFIERS,
    WIDTHS,
    Block,
    Kind,
    Shape,
    make_block,
)

VARIANTS = ("linked", "register", "transitions")
DIAMETER = 10
LARGEST_SET = 4
SPARSE_IDS = 9_999_999_967
"""A prime: sparse identifiers are a bijection of 0, 1, … modulo it."""
_SLICE = 100_000
"""Groups written at once: a row group of a million rows."""


@dataclass(frozen=True, slots=True)
class Form:
    """How a series is written; `compression` is that of Parquet."""

    suffix: str = "parquet"
    compression: str = "none"
    variants: tuple[str, ...] = VARIANTS
    identifiers: str = "number"


def make_series(out: Path, kind: Kind, shape: Shape, form: Form, seed: int = 1) -> None:
    """Write the variants of one series into `out`, which must not exist."""
    part = out.with_name(out.name + ".part")
    shutil.rmtree(part, ignore_errors=True)
    releases = part / form.variants[0] / "releases"
    releases.mkdir(parents=True)
    root = np.random.SeedSequence(seed)
    rngs = [np.random.default_rng(s) for s in root.spawn(shape.blocks)]
    blocks = [make_block(shape, kind, rng) for rng in rngs]
    ids = _Identifiers(shape, sparse=form.identifiers == "sparse")
    digits = len(str(shape.releases))
    for release in range(1, shape.releases + 1):
        published = _publish(blocks, ids, release, kind, rngs)
        _write(published, releases / f"{release:0{digits}d}.{form.suffix}", form)
    for variant in form.variants:
        _finish_variant(part / variant, releases, variant, out.name, form.suffix)
    if "register" in form.variants:
        _write(_Register(blocks, ids), part / "register" / f"register.{form.suffix}", form)
    part.rename(out)


class _Identifiers:
    """Identifiers without order: an affine bijection of 0 … people - 1, onto itself or a sparse range."""

    def __init__(self, shape: Shape, *, sparse: bool) -> None:
        self.block = shape.people
        self.modulus = SPARSE_IDS if sparse else shape.people * shape.blocks
        self.factor = int(self.modulus * 0.6180339887)
        if sparse:
            self.factor %= 2**32  # keeps the products within int64
        while math.gcd(self.factor, self.modulus) != 1:
            self.factor += 1

    def of(self, block: int, people: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the identifiers of people of a block."""
        return ((people + block * self.block) * self.factor + 7) % self.modulus


class _Published:
    """One release as codes, by group: `columns()` renders groups `start` to `stop` as Arrow columns."""

    def __init__(self, groups: int) -> None:
        self.length = groups
        self.individual = np.empty((groups, GROUP), np.int64)
        self.value = np.empty((groups, GROUP), np.uint8)
        self.boxes = np.empty((groups, len(QUASI_IDENTIFIERS)), np.uint64)

    def fill(self, at: NDArray[np.int64], ids: NDArray[np.int64], block: Block, rows: NDArray[np.int64]) -> None:
        """Put a block's groups, `rows` (groups, ten) of its people, at the places `at`, rows by value."""
        by_value = np.argsort(block.value[rows], axis=1, kind="stable")
        self.value[at] = np.take_along_axis(block.value[rows], by_value, axis=1)
        self.individual[at] = np.take_along_axis(ids, by_value, axis=1)
        for column, (name, codes) in enumerate(zip(QUASI_IDENTIFIERS, block.codes, strict=True)):
            members = codes[rows]
            if name in {"Age", "Education"}:
                low, high = members.min(axis=1), members.max(axis=1)
                self.boxes[at, column] = low.astype(np.uint64) * WIDTHS[column] + high
            else:
                bits = np.uint64(1) << members.astype(np.uint64)
                self.boxes[at, column] = np.bitwise_or.reduce(bits, axis=1)

    def columns(self) -> tuple[list[str], list[_Coded]]:
        """Return the names of the columns and their codes."""
        cells = [_Coded.of_cells(name, self.boxes[:, i]) for i, name in enumerate(QUASI_IDENTIFIERS)]
        group = np.arange(self.length, dtype=np.int32)
        names = ["individual", "Group", *QUASI_IDENTIFIERS, "Occupation"]
        return names, [
            _Coded(self.individual),
            _Coded(group, repeat=GROUP),
            *cells,
            _Coded(self.value, OCCUPATIONS),
        ]


class _Register:
    """Who is in the series, with exact values, by identifier."""

    def __init__(self, blocks: list[Block], ids: _Identifiers) -> None:
        everyone = [ids.of(b, np.arange(len(block.value))) for b, block in enumerate(blocks)]
        self.ids = np.concatenate(everyone)
        self.order = np.argsort(self.ids)
        self.blocks = blocks
        self.length = math.ceil(len(self.order) / GROUP)

    def columns(self) -> tuple[list[str], list[_Coded]]:
        """Return the names of the columns and their codes."""
        codes = np.concatenate([b.codes for b in self.blocks], axis=1)[:, self.order]
        ends = [np.concatenate([getattr(b, end) for b in self.blocks])[self.order] for end in ("first", "last")]
        return ["individual", *QUASI_IDENTIFIERS, "first", "last"], [
            _Coded(self.ids[self.order]),
            _Coded(AGES[codes[0]]),
            _Coded(codes[1], GENDERS),
            _Coded(EDUCATIONS[codes[2]]),
            _Coded(codes[3], BIRTHPLACES),
            *(_Coded(end.astype(np.int64)) for end in ends),
        ]


class _Coded:
    """A column: numbers, or codes of a vocabulary, each row of them standing for `repeat` published rows."""

    def __init__(self, codes: NDArray[np.generic], words: NDArray[np.str_] | None = None, repeat: int = 1) -> None:
        self.codes, self.words, self.repeat = codes, words, repeat

    @classmethod
    def of_cells(cls, name: str, boxes: NDArray[np.uint64]) -> _Coded:
        """Code the generalized cells of groups."""
        render = {"Age": _interval(AGES), "Education": _interval(EDUCATIONS)}
        distinct, codes = np.unique(boxes, return_inverse=True)
        words = [render.get(name, _set(GENDERS if name == "Gender" else BIRTHPLACES))(int(b)) for b in distinct]
        vocabulary, word_of = np.unique(words, return_inverse=True)
        return cls(word_of[codes], vocabulary, repeat=GROUP)

    def slice(self, start: int, stop: int, per_row: int) -> pa.Array:
        """Return the published rows of groups `start` to `stop`."""
        if self.repeat == 1:
            codes = self.codes.reshape(-1)[start * per_row : stop * per_row]
        else:
            codes = np.repeat(self.codes[start:stop], self.repeat)
        if self.words is None:
            return pa.array(codes)
        return pa.DictionaryArray.from_arrays(pa.array(codes.astype(np.int32)), pa.array(self.words))


def _interval(domain: NDArray[np.int64]) -> Callable[[int], str]:
    def render(box: int) -> str:
        low, high = (int(domain[code]) for code in divmod(box, len(domain)))
        return str(low) if low == high else f"[{low}, {high}]"

    return render


def _set(domain: NDArray[np.str_]) -> Callable[[int], str]:
    """Wide sets, and both genders, become `*`."""
    largest = min(LARGEST_SET, len(domain) - 1)

    def render(box: int) -> str:
        if box.bit_count() > largest:
            return "*"
        return ",".join(str(word) for code, word in enumerate(domain) if box >> code & 1)

    return render


def _publish(
    blocks: list[Block], ids: _Identifiers, release: int, kind: Kind, rngs: list[np.random.Generator]
) -> _Published:
    """Anonymize one release; group ids are drawn afresh over all blocks."""
    present = [np.flatnonzero((b.first <= release) & (release <= b.last)) for b in blocks]
    sizes = [len(p) // GROUP for p in present]
    places = np.split(rngs[0].permutation(sum(sizes)), np.cumsum(sizes)[:-1])
    published = _Published(sum(sizes))
    for b, (block, rows, rng) in enumerate(zip(blocks, present, rngs, strict=True)):
        groups = rows[form_groups(block.codes[:, rows], block.value[rows], kind, rng)]
        published.fill(places[b], ids.of(b, groups), block, groups)
    return published


def _write(source: _Published | _Register, path: Path, form: Form) -> None:
    names, columns = source.columns()
    writer: pq.ParquetWriter | pa_csv.CSVWriter | None = None
    for start in range(0, source.length, _SLICE):
        stop = min(start + _SLICE, source.length)
        table = pa.table([c.slice(start, stop, GROUP) for c in columns], names=names)
        table = table.set_column(0, names[0], _identifiers(table.column(0).combine_chunks(), form.identifiers))
        if path.suffix == ".csv":
            table = pa.table([_plain(c) for c in table.columns], names=names)
            writer = writer or pa_csv.CSVWriter(path, table.schema)
        else:
            writer = writer or pq.ParquetWriter(path, table.schema, compression=form.compression)
        writer.write_table(table)
    if writer is not None:
        writer.close()


def _identifiers(numbers: pa.Array, kind: str) -> pa.Array:
    """Return people's numbers as identifiers of another kind."""
    if kind in ("number", "sparse"):
        return numbers
    if kind == "text":
        digits = pc.utf8_lpad(numbers.cast(pa.string()), 6, "0")
        return pc.binary_join_element_wise(pa.scalar("P"), digits, "")
    plain = numbers.to_numpy().astype(np.uint64)
    halves = [_mixed(plain * np.uint64(2) + np.uint64(half)) for half in range(2)]
    octets = np.stack(halves, axis=1).view(np.uint8)
    if kind == "hash":
        return pa.FixedSizeBinaryArray.from_buffers(pa.binary(16), len(plain), [None, pa.py_buffer(octets)]).cast(
            pa.binary()
        )
    digits = np.frombuffer(b"0123456789abcdef", np.uint8)[np.stack([octets >> 4, octets & 15], axis=2).reshape(-1, 32)]
    dash = np.full((len(plain), 1), ord("-"), np.uint8)
    ends = [0, 8, 12, 16, 20, 32]
    parts = [part for start, end in pairwise(ends) for part in (digits[:, start:end], dash)][:-1]
    text = np.ascontiguousarray(np.concatenate(parts, axis=1))
    offsets = np.arange(len(plain) + 1, dtype=np.int32) * 36
    return pa.StringArray.from_buffers(len(plain), pa.py_buffer(offsets), pa.py_buffer(text))


def _mixed(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return a permutation of the numbers of 64 bits (Steele, Lea, Flood: SplitMix)."""
    numbers = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(0xBF58_476D_1CE4_E5B9)
    numbers = (numbers ^ (numbers >> np.uint64(27))) * np.uint64(0x94D0_49BB_1331_11EB)
    return numbers ^ (numbers >> np.uint64(31))


def _plain(column: pa.ChunkedArray) -> pa.ChunkedArray:
    return column.cast(pa.string()) if pa.types.is_dictionary(column.type) else column


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
        (folder / "transitions.csv").write_text(_transitions(), encoding="utf-8")


def _transitions() -> str:
    n = len(OCCUPATIONS)
    near = range(-(DIAMETER // 2) + 1, DIAMETER // 2 + 1)
    lines = [f"{OCCUPATIONS[v]},{OCCUPATIONS[(v + step) % n]}" for v in range(n) for step in near]
    return "\n".join(["from,to", *lines]) + "\n"


def main() -> None:
    """Parse the command line and write one series."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.speed.make_series", description=__doc__.split("\n")[0])
    default = Shape()
    parser.add_argument("out", type=Path, help="folder to make; it must not exist")
    parser.add_argument("--kind", choices=["invariant", "diverse"], default="invariant")
    parser.add_argument("--format", choices=["parquet", "csv"], default="parquet")
    parser.add_argument("--compression", default="none", help="of Parquet: none, snappy, zstd, …")
    parser.add_argument("--scale", type=int, default=1, help="blocks: 10 makes S10, 100 makes S100")
    parser.add_argument("--rows", type=int, default=default.rows, help="rows of a release, per block")
    parser.add_argument("--turnover", type=int, default=default.turnover, help="people exchanged at a step")
    parser.add_argument("--releases", type=int, default=default.releases)
    parser.add_argument("--variants", nargs="+", choices=VARIANTS, default=list(VARIANTS))
    parser.add_argument(
        "--identifiers",
        choices=["number", "sparse", "text", "uuid", "hash"],
        default="number",
        help="0, 1, …; ten-digit numbers; P000001, …; UUIDs as text; hashes of 16 bytes",
    )
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if options.out.exists():
        parser.error(f"{options.out} exists")
    started = time.perf_counter()
    make_series(
        options.out,
        options.kind,
        Shape(options.rows, options.turnover, options.releases, options.scale),
        Form(options.format, options.compression, tuple(options.variants), options.identifiers),
        options.seed,
    )
    print(f"{options.out}: {time.perf_counter() - started:.1f} s")


if __name__ == "__main__":
    main()
