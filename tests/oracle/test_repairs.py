"""Repairs of random series: they keep the policy by enumeration, and cost the least there is; or there are none."""

import csv
import itertools
import json
import random
import re
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

import pytest

from attacks.registry import all_attacks
from audit.io.candidate import with_candidate
from audit.io.series import open_series
from audit.model.audit_options import AuditOptions
from audit.model.release_impact import MERGE, MOVES, WITHHOLD
from audit.repair.judging import Judge
from audit.repair.search import RepairSearch
from tests.helpers.amount import some
from tests.helpers.count_tables import TinyTables
from tests.helpers.repairs import Case, cell, draw, is_safe
from tests.helpers.running import run_main
from tests.helpers.tiny import Row
from tests.mutants.mutant import kills
from tests.repair import test_register as registered

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
    least = _least_of_pairs(case)
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


def _least_of_pairs(case: Case) -> Fraction | None:
    tried = sorted(every_change_of_a_pair(list(case.series.releases[-1])), key=rank(case))
    safe = (cost for cost, rows in tried if is_safe(case.with_candidate(rows), min_e=case.min_e, k=case.k))
    return next(safe, None)


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


def regrouped(seed: int, folder: Path) -> Drawn:
    """Sixty people in groups of four that are drawn anew: `joint` finds values that no single group discloses."""
    rng = random.Random(seed)  # noqa: S311 - reproducible series
    people = [(f"p{n}", str(rng.randrange(20, 80)), rng.choice([*VALUES, "asthma", "gout"])) for n in range(60)]
    releases = []
    for there in (people[:50], people[10:]):
        rows = rng.sample(there, 50)
        groups = [rows[start : start + 4] for start in range(0, 50, 4)]
        ends = [[int(age) for _, age, _ in group] for group in groups]
        cells = [f"{min(ages)}-{max(ages)}" for ages in ends]
        releases.append([(n, c, v) for group, c in zip(groups, cells, strict=True) for n, _, v in group])
    series, file = _write(folder, "Owner", "individual", releases, "k = 2\nmin_e = 2")
    return Drawn(series, [file], [])


def records(seed: int, folder: Path, *, again: bool = False) -> Drawn:
    """Records that are followed by a published id, in `again` two earlier releases; nobody knows whose they are."""
    rng = random.Random(seed)  # noqa: S311 - reproducible series
    people = [f"r{n}" for n in range(rng.randrange(4, 7) if seed % 2 else rng.randrange(7, 25))]
    value = {name: rng.choice(VALUES) for name in people}
    past = [[(name, "20-60", value[name]) for name in people]]
    for _ in range(30 if again else 0):
        cells = rng.choice([["20-60"], ["20-40", "41-60"]])
        middle = [(n, rng.choice(cells), value[n]) for n in people if rng.random() < 0.8]
        if middle and all(map(_is_diverse, ([middle], [*past, middle]))):
            past.append(middle)
            break
    ages = {n: age for rows in past for n, age, _ in rows}
    finer = {"20-60": ["20-29", "30-39", "40-60"], "20-40": ["20-29", "30-40"], "41-60": ["41-60"]}
    second = [(n, rng.choice(finer[ages[n]]), value[n]) for n in people if rng.random() < 0.9]
    series, file = _write(folder, "Record", "record", [*past, second], "k = 2")

    def safe(rows: Sequence[tuple[str, str, str]]) -> bool:
        return bool(rows) and all(map(_is_diverse, (past[:1], past, [rows], [*past, rows])))

    def read_back(out: Path) -> list[tuple[str, str, str]]:
        with (out / file.name).open(encoding="utf-8", newline="") as lines:
            return [(row["Record"], row["Age"], row["Disease"]) for row in csv.DictReader(lines)]

    def exists() -> bool:
        sizes = range(len(second), 0, -1)
        kept = itertools.chain.from_iterable(itertools.combinations(second, size) for size in sizes)
        return any(safe([(name, "20-60", its) for name, _, its in some]) for some in kept)

    return Drawn(series, [file], [], lambda out: safe(read_back(out)), exists if len(people) < 7 else None)


def followed(seed: int, folder: Path) -> Drawn:
    """The same, where some records came back and others did not."""
    return records(seed, folder, again=True)


def _is_diverse(releases: Sequence[Sequence[tuple[str, str, str]]]) -> bool:
    """Whether records of several values have the same ages left after some releases, and are in the same of these."""
    left: dict[str, tuple[set[int], list[int], str]] = {}
    for number, rows in enumerate(releases):
        for name, age, value in rows:
            ends = [0, 99] if age == "*" else [int(text) for text in re.findall(r"\d+", age)]
            ages, there, _ = left.get(name, (set(range(100)), [], value))
            left[name] = (ages & {*range(ends[0], ends[-1] + 1)}, [*there, number], value)
    classes: dict[tuple[frozenset[int], tuple[int, ...]], list[str]] = {}
    for ages, there, value in left.values():
        classes.setdefault((frozenset(ages), tuple(there)), []).append(value)
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

    def is_safe(shown: Iterable[str]) -> bool:
        """Whether no total that is shown is small, and each hidden count may have several values."""
        return all(several(truth[area, "f"], truth[area, "m"]) for area in shown)

    def several(*parts: int) -> bool:
        ways = itertools.product(*(range(1, 5) if n < 5 else [n] for n in parts))
        found = [way for way in ways if sum(way) == sum(parts)]
        values = [{way[place] for way in found} for place, n in enumerate(parts) if n < 5]
        return sum(parts) >= 5 and all(len(each) > 1 for each in values)

    def read_back(out: Path) -> list[str]:
        return [row["area"] for row in _lines(out / "2.csv") if row["n"]]

    def exists() -> bool:
        free = [area for area in told if area not in kept]
        sizes = range(len(free) + 1)
        some = (gone for size in sizes for gone in itertools.combinations(free, size))
        return any(is_safe({*told}.difference(gone)) for gone in some)

    return Drawn(series, [file], [], lambda out: is_safe(read_back(out)), exists)


def key(seed: int, folder: Path) -> Drawn:
    """People with keys, who come and leave."""
    case = draw(seed)
    series, file = case.write(folder)

    def safe(out: Path) -> bool:
        return is_safe(case.with_candidate(read_back(out, case.series.tags[-1])), min_e=case.min_e, k=case.k)

    return Drawn(series, [file], [], safe, lambda: _least(case) is not None)


def pairs(seed: int, folder: Path) -> Drawn:
    """The same people in Anatomy pairs."""
    case = as_pairs(draw(seed))
    series, files = write_pair(case, folder)
    return Drawn(series, files, [], None, lambda: _least_of_pairs(case) is not None)


def _write(folder: Path, column: str, role: str, releases: list[list[tuple[str, str, str]]], policy: str):
    """Write all releases but the last as a series, and the last beside it."""
    series, file = folder / "s", folder / f"{len(releases)}.csv"
    (series / "releases").mkdir(parents=True)
    past = [f"releases/{number}.csv" for number in range(1, len(releases))]
    columns = f'sensitive = "Disease"\nquasi_identifiers = ["Age"]\n{role} = "{column}"'
    text = f'[series]\nname = "s"\nreleases = {json.dumps(past)}\n[columns]\n{columns}\n[policy]\n{policy}\n'
    (series / "series.toml").write_text(text, encoding="utf-8")
    for path, rows in zip([*(series / each for each in past), file], releases, strict=True):
        with path.open("w", encoding="utf-8", newline="") as lines:
            csv.writer(lines, lineterminator="\n").writerows([[column, "Age", "Disease"], *rows])
    return series, file


PEOPLE = {"register": register, "records": records, "followed": followed, "larger": larger, "regrouped": regrouped}
KINDS = {**PEOPLE, "tables": tables}
EVERY = {**KINDS, "key": key, "pairs": pairs}


def repair(drawn, folder, *words):
    files = [str(path) for path in drawn.files]
    output = ["--output", str(folder / "out"), "--format", "json"]
    return run_main("repair", str(drawn.series), *files, *output, *words)


def adds_nothing(told):
    """Whether `audit next` says that all that breaks the policy follows from the releases before the candidate."""
    return "adds nothing that the policy forbids" in " ".join(told.split())


@pytest.mark.many
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", [1, 2, 5])
def test_verdicts_are_those_of_enumeration(tmp_path, kind, seed):
    """A written repair passes `audit next`, and is safe; if none is proved to exist, enumeration finds none."""
    drawn = KINDS[kind](seed, tmp_path)
    code, told, err = repair(drawn, tmp_path, *drawn.words)
    assert (code in {0, 1, 3}, err) == (True, "")
    found, again = json.loads(told), [str(tmp_path / "out" / path.name) for path in drawn.files]
    if kind == "tables":
        wrote = found["cells"].get("written")
        ahead, told, _ = run_main("next", str(drawn.series), *again) if wrote else (1, "", "")
        assert ahead == code or adds_nothing(told) if wrote else not drawn.exists()
        assert ahead or drawn.is_safe(tmp_path / "out")
    elif code == 0:
        code, told, _ = run_main("next", str(drawn.series), *again, *drawn.words)
        assert code == 0 or adds_nothing(told)
        assert code or drawn.is_safe is None or drawn.is_safe(tmp_path / "out")
    else:
        assert not (tmp_path / "out").exists()
        assert code == (1 if found["proved"] else 3)
        assert not found["proved"] or drawn.exists is None or not drawn.exists()


@pytest.mark.parametrize("seed", [0, 4, 16])
def test_others_are_withheld_beside_a_record_that_is_no_longer_published(tmp_path, seed):
    drawn = KINDS["records"](seed, tmp_path)
    assert repair(drawn, tmp_path)[0] == 0
    assert drawn.is_safe(tmp_path / "out")


@kills("audit.repair.judging._Written._beside", "value[row] == known", "value[row] != known")
@pytest.mark.parametrize("seed", [28, 30, 94])
def test_one_person_is_withheld_beside_the_only_one_who_is_away(tmp_path, seed):
    """What one release has and the next has not is the value of the only person who left; of two, it is open whose."""
    drawn = KINDS["larger"](seed, tmp_path)
    code, told, _ = repair(drawn, tmp_path)
    assert (code, [len(move["lines"]) for move in json.loads(told)["moves"] if move["kind"] == "withhold"]) == (0, [1])


@kills("audit.repair.judging.Judge._audit", "self.attacks == attacks or not is_open", "True")
@pytest.mark.many
@pytest.mark.parametrize("kind", ["register", "records", "regrouped"])
@pytest.mark.parametrize("seed", range(some(6)))
def test_a_quick_audit_says_nothing_that_the_whole_one_denies(tmp_path, monkeypatch, kind, seed):
    """It may leave open what the whole audit decides; a plan that keeps the policy does so by the whole audit."""
    own, pairs = Judge._audited, []

    def audited(self, series, attacks, *, whole):
        found = own(self, series, attacks, whole=whole)
        if attacks is not self.attacks:
            pairs.append((found[2], own(self, series, self.attacks, whole=True)[2]))
        return found

    monkeypatch.setattr(Judge, "_audited", audited)
    drawn = KINDS[kind](seed, tmp_path)
    assert repair(drawn, tmp_path, *drawn.words)[0] in ({0} if kind == "regrouped" else {0, 1, 3})
    assert kind != "regrouped" or any(quick.undecided and not quick.violations for quick, _ in pairs)
    for quick, whole in pairs:
        assert {each.measure for each in quick.violations} <= {each.measure for each in whole.violations}
        assert quick.undecided or quick.violations or not (whole.violations or whole.undecided)


def stop_judging(monkeypatch, how, after: int):
    """Have the search interrupted, or its time used up, once so many plans were found to keep the policy."""
    judge, found = Judge.judge, []

    def judged(self, plan, **options):
        if len(found) >= after and not options.get("whole"):
            if how is KeyboardInterrupt:
                raise KeyboardInterrupt
            self.tries.budget = type(self.tries.budget)(0.0)
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


@pytest.mark.parametrize("alone", [1, 2, 3])
def test_withholding_a_few_rows_is_tried_before_what_changes_many(tmp_path, monkeypatch, alone):
    stop_judging(monkeypatch, None, after=1)
    cells = ["20-29", "30-39", "40-49"]
    second = [(f"p{n}", "9" + str(n) if n < alone else cells[n % 3], VALUES[n % 4]) for n in range(60)]
    first = [(name, "20-99", value) for name, _, value in second]
    series, file = _write(tmp_path, "Owner", "individual", [first, second], "k = 2\nmin_e = 2")
    moves = json.loads(repair(Drawn(series, [file], []), tmp_path)[1])["moves"]
    # If only one person is missing, the value of that person is the one that the second release lacks.
    assert [(move["kind"], len(move["lines"])) for move in moves] == [("withhold", max(2, alone))]


@kills("reports.impact._proposal", "impact.repair.stopped is not None", "False")
def test_next_says_that_a_repair_is_only_the_best_so_far(tmp_path, monkeypatch):
    stop_judging(monkeypatch, None, after=1)
    drawn = KINDS["larger"](1, tmp_path)
    told = " ".join(run_main("next", str(drawn.series), *map(str, drawn.files), *drawn.words)[1].split())
    assert "the smallest that were found" in told
    assert "This is the best repair so far: the time limit of 0 s was reached. A longer search may change less." in told


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
