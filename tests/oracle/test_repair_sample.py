"""Repairs of a few random candidates of each kind, each verdict held against enumeration; what ends them early."""

import csv
import itertools
import json
import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from audit.repair.judging import Judge
from tests.helpers.count_tables import TinyTables
from tests.helpers.running import run_main
from tests.helpers.tiny import Row
from tests.oracle.test_repairs import every_change
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
        changes = every_change(list(small.releases[1]))
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


KINDS = {"register": register, "records": records, "larger": larger, "tables": tables}


def repair(drawn, folder, *words):
    files = [str(path) for path in drawn.files]
    output = ["--output", str(folder / "out"), "--format", "json"]
    return run_main("repair", str(drawn.series), *files, *output, *words)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", [1, 2, 5])
def test_verdicts_are_those_of_enumeration(tmp_path, kind, seed):
    """What is written passes `audit next`, and is safe; where none is proved to exist, enumeration finds none."""
    drawn = KINDS[kind](seed, tmp_path)
    code, told, err = repair(drawn, tmp_path, *drawn.words)
    assert (code in {0, 1, 3}, err) == (True, "")
    found, again = json.loads(told), [str(tmp_path / "out" / path.name) for path in drawn.files]
    if kind == "tables":
        wrote = found.get("written")
        assert run_main("next", str(drawn.series), *again)[0] == code if wrote else not drawn.exists()
    elif code == 0:
        assert run_main("next", str(drawn.series), *again, *drawn.words)[0] == 0
        assert drawn.is_safe is None or drawn.is_safe(tmp_path / "out")
    else:
        assert not (tmp_path / "out").exists()
        assert code == (1 if found["proved"] else 3)
        assert not found["proved"] or drawn.exists is None or not drawn.exists()


def stop_judging(monkeypatch, how, after: int):
    """Have the search interrupted, or its time used up, once so many plans were found to keep the policy."""
    judge, found = Judge.judge, []

    def judged(self, plan, **options):
        if len(found) >= after and not options.get("whole"):
            if how is KeyboardInterrupt:
                raise KeyboardInterrupt
            self.budget = type(self.budget)(0.0)
        judgement = judge(self, plan, **options)
        found.extend([1] if judgement.keeps else [])
        return judgement

    monkeypatch.setattr(Judge, "judge", judged)


@pytest.mark.parametrize(("how", "code"), [(KeyboardInterrupt, 130), (None, 0)])
def test_the_best_so_far_is_written(tmp_path, monkeypatch, how, code):
    stop_judging(monkeypatch, how, after=1)
    drawn = KINDS["larger"](1, tmp_path)
    got, told, _ = repair(drawn, tmp_path)
    assert (got, json.loads(told)["stopped"] is None) == (code, False)
    assert run_main("next", str(drawn.series), str(tmp_path / "out" / "2.csv"))[0] == 0


@pytest.mark.parametrize(("how", "code"), [(KeyboardInterrupt, 130), (None, 3)])
def test_without_a_repair_so_far_nothing_is_written(tmp_path, monkeypatch, how, code):
    stop_judging(monkeypatch, how, after=0)
    got, told, _ = repair(KINDS["larger"](1, tmp_path), tmp_path)
    assert got == code
    assert not told or json.loads(told)["proved"] is False
    assert not (tmp_path / "out").exists()


def test_the_time_limit_is_for_the_whole_command(tmp_path):
    drawn = KINDS["larger"](1, tmp_path)
    code, told, _ = repair(drawn, tmp_path, "--time-limit", "0.001")
    assert code == 3
    assert json.loads(told)["stopped"] is not None
