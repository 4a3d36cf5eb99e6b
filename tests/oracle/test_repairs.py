"""Repairs of random series: they keep the policy by enumeration, and cost the least there is; or there are none."""

import csv
import itertools
import re
import shutil
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from attacks.registry import all_attacks
from audit.io.candidate import with_candidate
from audit.io.series import open_series
from audit.model.audit_options import AuditOptions
from audit.model.moves import MERGE, MOVES, WITHHOLD
from audit.repair.search import RepairSearch
from tests.helpers.amount import some
from tests.helpers.repairs import Case, cell, draw, is_safe
from tests.helpers.running import run_main
from tests.helpers.tiny import Row

COUNT = some(30)


def repaired(case: Case, folder: Path, moves=MOVES):
    series, candidate = case.write(folder)
    before, after = with_candidate(open_series(series), [candidate])
    search = RepairSearch(before, after, all_attacks(), AuditOptions(time_limit=3600), moves=moves)
    return search.repair(folder / "out"), series


def read_back(folder: Path, tag: str) -> list[Row]:
    key = {line["row"]: line["individual"] for line in _lines(folder / "private" / f"{tag}.key.csv")}
    return [
        Row(key[str(place)] or None, line["Group-ID"], line["Value"], (line["Age"],))
        for place, line in enumerate(_lines(folder / f"{tag}.csv"))
    ]


def _lines(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def box(row: Row) -> tuple[int, int]:
    ends = [int(text) for text in re.findall(r"\d+", row.cells[0])]
    return ends[0], ends[-1]


def partitions(items):
    if not items:
        yield []
        return
    for rest in partitions(items[1:]):
        yield [[items[0]], *rest]
        for place in range(len(rest)):
            yield [*rest[:place], [items[0], *rest[place]], *rest[place + 1 :]]


def every_change(rows: list[Row]) -> Iterator[tuple[Fraction, list[Row]]]:
    """Every table that moving, merging and withholding can make of a candidate, and what it loses."""
    spread = max(box(row)[1] for row in rows) - min(box(row)[0] for row in rows)
    alike: dict[tuple[str, ...], list[str]] = {}
    for row in rows:
        if row.group not in alike.setdefault(row.cells, []):
            alike[row.cells].append(row.group)
    seen = set()
    groups = sorted({row.group for row in rows})
    for size in range(1, len(rows) + 1):
        for kept in itertools.combinations(rows, size):
            for homes in itertools.product(*(alike[row.cells] for row in kept)):
                for parts in partitions(groups):
                    of = {group: min(part) for part in parts for group in part}
                    wide = frozenset(of[home] for home in homes if sum(of[g] == of[home] for g in groups) > 1)
                    key = kept, tuple(of[home] for home in homes), wide
                    if key not in seen:
                        seen.add(key)
                        yield _published(key, len(rows) - size, spread)


def _published(key, withheld: int, spread: int) -> tuple[Fraction, list[Row]]:
    kept, groups, wide = key
    found, cost = [], Fraction(withheld)
    for row, group in zip(kept, groups, strict=True):
        inside = [box(other) for other, its in zip(kept, groups, strict=True) if its == group]
        low, high = box(row)
        if group in wide:
            low, high = min(each[0] for each in inside), max(each[1] for each in inside)
        if spread:
            cost += Fraction((high - low) - (box(row)[1] - box(row)[0]), spread)
        found.append(Row(row.individual, group, row.value, (cell(low, high),)))
    return cost, found


@pytest.mark.parametrize("seed", range(COUNT))
def test_repairs_of_random_series_keep_the_policy_or_there_are_none(tmp_path, seed):
    case = draw(seed)
    repair, series = repaired(case, tmp_path)
    tag = case.series.tags[-1]
    least = _least(case)
    if repair.refused is not None:
        assert "only withholding every row would" in repair.refused
        assert least is None
        assert not (tmp_path / "out").exists()
        return
    rows = read_back(tmp_path / "out", tag)
    assert is_safe(case.with_candidate(rows), min_e=case.min_e, k=case.k)
    assert run_main("next", str(series), str(tmp_path / "out" / f"{tag}.csv"), "--findings", "0")[0] == 0
    assert sum(move.cost for move in repair.moves) == pytest.approx(float(least))
    assert {row.individual: row.value for row in rows}.items() <= {
        row.individual: row.value for row in case.series.releases[-1]
    }.items()


def rank(case: Case):
    """Return what is preferred: what withholds fewer rows beyond one in twenty, then what costs less."""
    rows = len(case.series.releases[-1])
    return lambda each: (max(0, rows - len(each[1]) - Fraction(rows, 20)), each[0])


def _least(case: Case) -> Fraction | None:
    tried = sorted(every_change(list(case.series.releases[-1])), key=rank(case))
    return next(
        (cost for cost, rows in tried if is_safe(case.with_candidate(rows), min_e=case.min_e, k=case.k)),
        None,
    )


def as_pairs(case: Case) -> Case:
    """The same people, groups and values in Anatomy pairs, with exact cells."""
    releases = [
        [replace(row, cells=(str(20 + place),)) for place, row in enumerate(release)]
        for release in case.series.releases
    ]
    return replace(case, series=replace(case.series, releases=releases, anatomy=True))


def write_pair(case: Case, folder: Path) -> tuple[Path, list[Path]]:
    """Write the past and the candidate's pair, with its key."""
    whole, past = case.series.write(folder / "all", key="files"), case.past.write(folder / "series", key="files")
    with (past / "series.toml").open("a", encoding="utf-8") as manifest:
        manifest.write(f"\n[policy]\nmin_e = {case.min_e}\nk = {case.k}\n")
    tag = case.series.tags[-1]
    shutil.copy(whole / "private" / f"{tag}.key.csv", whole / "releases" / f"{tag}.key.csv")
    return past, [whole / "releases" / f"{tag}.{part}.csv" for part in ("rows", "values")]


def every_change_of_a_pair(rows: list[Row]) -> Iterator[tuple[Fraction, list[Row]]]:
    """Every pair that merging groups and withholding whole ones can make, and what it loses."""
    groups = sorted({row.group for row in rows})
    for size in range(1, len(groups) + 1):
        for kept in itertools.combinations(groups, size):
            there = [row for row in rows if row.group in kept]
            for parts in partitions(list(kept)):
                of = {group: min(part) for part in parts for group in part}
                merged = [sum(row.group in part for row in there) for part in parts if len(part) > 1]
                cost = Fraction(len(rows) - len(there)) + Fraction(sum(many**2 for many in merged), len(rows))
                yield cost, [replace(row, group=of[row.group]) for row in there]


@pytest.mark.parametrize("seed", range(COUNT))
def test_repairs_of_random_pairs_keep_the_policy_or_there_are_none(tmp_path, seed):
    case = as_pairs(draw(seed))
    series, candidate = write_pair(case, tmp_path)
    before, after = with_candidate(open_series(series), candidate)
    search = RepairSearch(before, after, all_attacks(), AuditOptions(time_limit=3600), moves=(MERGE, WITHHOLD))
    repair = search.repair(tmp_path / "out")
    tried = sorted(every_change_of_a_pair(list(case.series.releases[-1])), key=rank(case))
    safe = (cost for cost, rows in tried if is_safe(case.with_candidate(rows), min_e=case.min_e, k=case.k))
    least = next(safe, None)
    if repair.refused is not None:
        assert "only withholding every row would" in repair.refused
        assert least is None
        return
    assert sum(move.cost for move in repair.moves) == pytest.approx(float(least))
    out = [str(tmp_path / "out" / path.name) for path in candidate]
    assert run_main("next", str(series), *out, "--findings", "0")[0] == 0
    tag = case.series.tags[-1]
    key = {line["row"]: line["individual"] for line in _lines(tmp_path / "out" / "private" / f"{tag}.key.csv")}
    value = {row.individual: row.value for row in case.series.releases[-1]}
    held = Counter((line["Group-ID"], value[key[str(place)]]) for place, line in enumerate(_lines(Path(out[0]))))
    assert {(line["Group-ID"], line["Value"]): int(line["count"]) for line in _lines(Path(out[1]))} == held
