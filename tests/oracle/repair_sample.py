"""Repairs of many random candidates, each verdict held against enumeration, with its processor time and an audit's.

    python -m tests.oracle.repair_sample --count 1000 --seconds 3600 [--first 1] [--kinds key,register,...]

What is written passes `audit next`, and is safe by enumeration where the candidate is small; where `audit repair`
proves that there is no repair, enumeration of mergers and withheld rows finds none.
"""

import argparse
import csv
import itertools
import json
import random
import re
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tests.helpers import repairs
from tests.helpers.count_tables import TinyTables
from tests.helpers.running import run_main
from tests.helpers.tiny import Row
from tests.oracle import test_repairs as keyed
from tests.repair import test_register as registered

VALUES = ["flu", "gastritis", "HIV", "cancer"]


@dataclass(frozen=True)
class Drawn:
    """A candidate on disk: series, files and options; whether what was written is safe, and whether a repair exists.

    The two answers are None where that is not enumerated.
    """

    series: Path
    files: Sequence[Path]
    words: Sequence[str]
    is_safe: Callable[[Path], bool] | None = None
    exists: Callable[[], bool] | None = None


def with_key(seed: int, folder: Path) -> Drawn:
    """People with keys, in groups, as `linked` knows them."""
    case = repairs.draw(seed)
    series, file = case.write(folder)

    def safe(rows: list[Row]) -> bool:
        return repairs.is_safe(case.with_candidate(rows), min_e=case.min_e, k=case.k)

    def exists() -> bool:
        return any(safe(rows) for _, rows in keyed.every_change(list(case.series.releases[-1])))

    return Drawn(series, [file], [], lambda out: safe(keyed.read_back(out, case.series.tags[-1])), exists)


def pairs(seed: int, folder: Path) -> Drawn:
    """The same in Anatomy pairs."""
    case = keyed.as_pairs(repairs.draw(seed))
    series, files = keyed.write_pair(case, folder)
    changes = keyed.every_change_of_a_pair(list(case.series.releases[-1]))

    def exists() -> bool:
        return any(repairs.is_safe(case.with_candidate(rows), min_e=case.min_e, k=case.k) for _, rows in changes)

    return Drawn(series, files, [], None, exists)


def register(seed: int, folder: Path) -> Drawn:
    """People in a register, in groups whose cells may overlap."""
    small = registered.draw(seed)
    if not registered.is_safe(small.until(1)):
        small = registered.draw(seed + 1_000_000)
    series, file = registered.write(small, folder)

    def safe(rows: list[Row]) -> bool:
        gone = {row.individual for row in small.releases[1]} - {row.individual for row in rows}
        lines = [line for line in small.register or () if not (line.release and line.individual in gone)]
        return registered.is_safe(replace(small, releases=[small.releases[0], rows], register=lines))

    def read_back(out: Path) -> list[Row]:
        kept = [line["individual"] for line in registered.read(out / "private" / "2.key.csv")]
        lines = registered.read(out / "2.csv")
        return [Row(who, r["Group-ID"], r["Value"], (r["Age"],)) for who, r in zip(kept, lines, strict=True)]

    def exists() -> bool:
        changes = keyed.every_change(list(small.releases[1]))
        return registered.is_safe(small.until(1)) and any(safe(rows) for _, rows in changes)

    return Drawn(series, [file], registered.OPTIONS, lambda out: safe(read_back(out)), exists)


def larger(seed: int, folder: Path) -> Drawn:
    """Up to 24 people with keys, without group column: too many to enumerate."""
    rng = random.Random(seed)  # noqa: S311 - reproducible series
    people = [f"p{n}" for n in range(rng.randrange(7, 25))]
    value = {name: rng.choice(VALUES) for name in people}
    first = [(name, "20-60", value[name]) for name in people]
    there = [name for name in people if rng.random() < 0.9]
    second = [(name, rng.choice(["20-29", "30-39", "40-60"]), value[name]) for name in there]
    series, file = _write(folder, "Owner", "individual", [first, second], "k = 2\nmin_e = 2")
    return Drawn(series, [file], [])


def records(seed: int, folder: Path) -> Drawn:
    """Records that are followed by a published id; nobody knows whose they are."""
    rng = random.Random(seed)  # noqa: S311 - reproducible series
    people = [f"r{n}" for n in range(rng.randrange(4, 7) if seed % 2 else rng.randrange(7, 25))]
    value = {name: rng.choice(VALUES) for name in people}
    first = [(name, "20-60", value[name]) for name in people]
    second = [(n, rng.choice(["20-29", "30-39", "40-60"]), value[n]) for n in people if rng.random() < 0.9]
    series, file = _write(folder, "Record", "record", [first, second], "k = 2")

    def safe(rows: Sequence[tuple[str, str, str]]) -> bool:
        return bool(rows) and all(map(_is_diverse, ([first], [rows], [first, rows])))

    def read_back(out: Path) -> list[tuple[str, str, str]]:
        with (out / "2.csv").open(encoding="utf-8", newline="") as lines:
            return [(row["Record"], row["Age"], row["Disease"]) for row in csv.DictReader(lines)]

    def exists() -> bool:
        sizes = range(len(second), 0, -1)
        kept = itertools.chain.from_iterable(itertools.combinations(second, size) for size in sizes)
        return any(safe([(name, "20-60", its) for name, _, its in some]) for some in kept)

    return Drawn(series, [file], [], lambda out: safe(read_back(out)), exists if len(people) < 7 else None)


def _is_diverse(releases: Sequence[Sequence[tuple[str, str, str]]]) -> bool:
    """Whether at least two records, of at least two values, have the same ages left after some releases."""
    left: dict[str, tuple[set[int], str]] = {}
    for rows in releases:
        for name, age, value in rows:
            ends = [0, 99] if age == "*" else [int(text) for text in re.findall(r"\d+", age)]
            ages = set(range(ends[0], ends[-1] + 1))
            left[name] = (left[name][0] & ages if name in left else ages, value)
    classes: dict[frozenset[int], list[str]] = {}
    for ages, value in left.values():
        classes.setdefault(frozenset(ages), []).append(value)
    return all(len(set(values)) > 1 for values in classes.values())


def tables(seed: int, folder: Path) -> Drawn:
    """A count table, and one more whose total or further cell tells a hidden count; some cells may have to be kept."""
    rng = random.Random(seed)  # noqa: S311 - reproducible series
    areas, counts = "ABC"[: rng.randrange(2, 4)], [1, 2, 3, 5, 8, 13, 40]
    truth = {(area, sex): rng.choice(counts) for area in areas for sex in "fm"}
    cells = [((area, sex), "*" if n < 5 else str(n)) for (area, sex), n in truth.items()]
    small = TinyTables(("area", "sex"), [cells], totals={"sex": "All"}, markers={"*": (1, 4)}, over_time="same")
    series, file = small.write(folder / "series"), folder / "2.csv"
    told = [area for area in areas if rng.random() < 0.8] or ["A"]
    lines = [f"{area},All,{sum(truth[area, sex] for sex in 'fm')}\n" for area in told]
    file.write_text("area,sex,n\n" + "".join(lines), encoding="utf-8")
    kept = [area for area in told if rng.random() < 0.3]
    with (series / "series.toml").open("a", encoding="utf-8") as manifest:
        manifest.writelines(f'[[hiding]]\ncell = {{ area = "{area}" }}\nkeep = true\n' for area in kept)

    def is_safe(hidden: Sequence[str]) -> bool:
        texts = [line.rpartition(",")[0] + ",\n" if line[0] in hidden else line for line in lines]
        (folder / "tried").mkdir(exist_ok=True)
        (folder / "tried" / "2.csv").write_text("area,sex,n\n" + "".join(texts), encoding="utf-8")
        words = ["next", str(series), str(folder / "tried" / "2.csv"), "--format", "json"]
        return json.loads(run_main(*words)[1])["new_total"] == 0

    def exists() -> bool:
        free = [area for area in told if area not in kept]
        sizes = range(len(free) + 1)
        return any(is_safe(some) for size in sizes for some in itertools.combinations(free, size))

    return Drawn(series, [file], [], None, exists)


def _write(folder: Path, column: str, role: str, releases: list[list[tuple[str, str, str]]], policy: str):
    """Write the first release as a series, and the second beside it."""
    series, file = folder / "s", folder / "2.csv"
    (series / "releases").mkdir(parents=True)
    columns = f'sensitive = "Disease"\nquasi_identifiers = ["Age"]\n{role} = "{column}"'
    text = f'[series]\nname = "s"\nreleases = ["releases/1.csv"]\n[columns]\n{columns}\n[policy]\n{policy}\n'
    (series / "series.toml").write_text(text, encoding="utf-8")
    for path, rows in zip((series / "releases" / "1.csv", file), releases, strict=True):
        with path.open("w", encoding="utf-8", newline="") as lines:
            csv.writer(lines, lineterminator="\n").writerows([[column, "Age", "Disease"], *rows])
    return series, file


KINDS = {
    "key": with_key,
    "register": register,
    "records": records,
    "pairs": pairs,
    "larger": larger,
    "tables": tables,
}


@dataclass(frozen=True)
class Tried:
    """What became of one candidate, and the processor seconds of its repair and of one audit."""

    seed: int
    code: int
    repair: float
    audit: float


def tried(kind: str, seed: int, folder: Path) -> Tried:
    """Repair one random candidate and hold the verdict against enumeration.

    Raises:
        AssertionError: the verdict is wrong.
    """
    drawn = KINDS[kind](seed, folder)
    files, out = [str(path) for path in drawn.files], folder / "out"
    begun = time.process_time()
    run_main("next", str(drawn.series), *files, *drawn.words, "--findings", "0")
    audited = time.process_time()
    words = ["repair", str(drawn.series), *files, "--output", str(out), "--format", "json", *drawn.words]
    code, told, err = run_main(*words)
    seconds = time.process_time() - audited
    assert (code in {0, 1, 3}, err) == (True, ""), (kind, seed, code, err)
    if kind == "tables":
        wrote = json.loads(told).get("written")
        again = run_main("next", str(drawn.series), *[str(out / path.name) for path in drawn.files])[0] if wrote else 1
        assert not wrote or again == code, (kind, seed, code, again)
        assert wrote or (drawn.exists is not None and not drawn.exists()), (kind, seed, code)
    elif code == 0:
        again = [str(out / path.name) for path in drawn.files]
        assert run_main("next", str(drawn.series), *again, *drawn.words)[0] == 0, (kind, seed)
        assert drawn.is_safe is None or drawn.is_safe(out), (kind, seed)
    else:
        assert not out.exists(), (kind, seed)
        proved = json.loads(told)["proved"]
        assert code == (1 if proved else 3), (kind, seed, code)
        assert not proved or drawn.exists is None or not drawn.exists(), (kind, seed)
    return Tried(seed, code, seconds, audited - begun)


def main() -> None:
    """Try so many candidates of each kind in turn, and print what became of them."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--kinds", default=",".join(KINDS))
    arguments = parser.parse_args()
    kinds = arguments.kinds.split(",")
    found: dict[str, list[Tried]] = {kind: [] for kind in kinds}
    end = time.monotonic() + arguments.seconds
    for number in range(arguments.count):
        if time.monotonic() > end:
            break
        kind, seed = kinds[number % len(kinds)], arguments.first + number // len(kinds)
        with tempfile.TemporaryDirectory() as folder:
            try:
                found[kind].append(tried(kind, seed, Path(folder)))
            except AssertionError as wrong:
                sys.stdout.write(f"WRONG {wrong}\n")
                sys.stdout.flush()
    for kind, each in found.items():
        if each:
            codes = dict(sorted(Counter(one.code for one in each).items()))
            slow, audit = sorted(each, key=lambda one: one.repair), sorted(one.audit for one in each)
            middle, last = len(each) // 2, slow[-1]
            seconds = f"repair {slow[middle].repair:.2f} s (at most {last.repair:.2f}, seed {last.seed})"
            line = (
                f"{kind}: {len(each)} candidates, exits {codes}; median {seconds}, `audit next` {audit[middle]:.2f} s"
            )
            sys.stdout.write(f"{line}\n")


if __name__ == "__main__":
    main()
