"""Counts in several columns, rates of cells, parts and changes: read as what they are, beside the same in long form."""

import itertools
import json
from fractions import Fraction

import numpy as np
import pytest

from audit.count_tables.manifest import read_table_manifest
from audit.count_tables.read_counts import read_counts
from tests.cli.test_count_table_doubts import verdict, written
from tests.helpers.amount import some
from tests.helpers.running import run_main


def answers(folder):
    """What is found of each cell, whatever the series is called."""
    code, out, err = run_main(str(folder), "--format", "json", "--findings", "all")
    assert code in (0, 1, 3), err
    findings = json.loads(out)["attacks"][0]["findings"]
    return sorted((str(sorted(e["cell"].items())), e.get("measure"), e["lower"], e["upper"]) for e in findings)


def shown(count):
    return "*" if 0 < count < 5 else str(count)


def random_counts(seed):
    """Counts by area and sex, with all totals."""
    counts = np.random.default_rng(seed).poisson(5, size=(3, 2))
    counts = np.concatenate([counts, counts.sum(axis=0, keepdims=True)])
    return np.concatenate([counts, counts.sum(axis=1, keepdims=True)], axis=1)


AREAS, SEXES = ["A", "B", "C", "All"], ["f", "m", "T"]
RULES = 'markers = { "*" = [1, 4] }\ntotals = { area = "All", sex = "T" }\n'


@pytest.mark.parametrize("seed", range(6))
def test_a_wide_table_is_the_long_one(seed, tmp_path):
    counts = random_counts(seed)
    long = [(a, s, shown(counts[i, j])) for i, a in enumerate(AREAS) for j, s in enumerate(SEXES)]
    wide = [(a, *(shown(n) for n in counts[i])) for i, a in enumerate(AREAS)]
    columns = 'wide = { dimension = "sex", columns = { f = "women", m = "men", T = "both" } }\n'
    one = written(tmp_path / "long", long, table='dimensions = ["area", "sex"]\nvalue = "n"\n' + RULES)
    other = written(tmp_path / "wide", wide, "area,women,men,both", 'dimensions = ["area"]\n' + columns + RULES)
    assert answers(one) == answers(other)


def test_the_rest_of_a_whole_is_asked(tmp_path):
    rows = [("A", "20", "18"), ("B", "30", "12"), ("All", "50", "30")]
    table = 'dimensions = ["area"]\nvalues = ["cases", "deaths"]\ntotals = { area = "All" }\n'
    code, why, _ = verdict(written(tmp_path, rows, "area,cases,deaths", table))
    assert code == 3
    assert 'part_of = { \\"deaths\\" = \\"cases\\" }' in json.loads(json.dumps(why)).replace('\\\\"', '\\"')
    parted = table + 'part_of = { deaths = "cases" }\n'
    code, _, found = verdict(written(tmp_path, rows, "area,cases,deaths", parted))
    assert code == 1
    assert [(e["cell"]["area"], e["cell"]["statistic"], e["lower"]) for e in found] == [("A", "(rest)", 2)]
    rows[0], rows[2] = ("A", "20", "10"), ("All", "50", "22")
    assert verdict(written(tmp_path, rows, "area,cases,deaths", parted))[:2] == (0, "[]")
    apart = table + 'part_of = { deaths = "" }\n'
    assert verdict(written(tmp_path, rows, "area,cases,deaths", apart))[:2] == (0, "[]")


PERCENT = [("A", "All", "20", "100.0"), ("A", "F", "*", "20.0"), ("A", "M", "*", "80.0"), ("B", "All", "31", "100.0"),
           ("B", "F", "11", "35.5"), ("B", "M", "20", "64.5")]  # fmt: skip
SHARES = """dimensions = ["area", "sex"]
value = "n"
totals = { sex = "All" }
markers = { "*" = [0, inf] }
rates = { column = "percent", per = 100, decimals = 1, denominator = { sex = "All" } }
"""


def test_a_share_of_the_total_of_the_row_tells_the_count(tmp_path):
    code, _, found = verdict(written(tmp_path, PERCENT, "area,sex,n,percent", SHARES))
    assert code == 1
    assert [(e["cell"]["sex"], e["lower"]) for e in found] == [("F", 4), ("M", 16)]
    hidden = [(*row[:3], "" if row[2] == "*" else row[3]) for row in PERCENT]
    assert verdict(written(tmp_path, hidden, "area,sex,n,percent", SHARES))[:2] == (0, "[]")


HIDDEN_TOTAL = [("A", "M", "5", "26.3"), ("A", "F", "*", "73.7"), ("A", "All", "*", "100.0"), ("B", "M", "30", "50.0"),
                ("B", "F", "30", "50.0"), ("B", "All", "60", "100.0")]  # fmt: skip


def test_shares_of_two_counts_that_are_not_exact_are_undecided(tmp_path):
    table = SHARES.replace("[0, inf]", "[1, 19]")
    rows = [("A", "M", "*", "50.0"), ("A", "F", "*", "50.0"), ("A", "All", "*", "100.0"), *HIDDEN_TOTAL[3:]]
    code, why, found = verdict(written(tmp_path, rows, "area,sex,n,percent", table))
    assert (code, found) == (3, [])
    assert "2 numbers in percent tie two counts that are both not exact" in why
    rows = [(*row[:3], "" if row[2] == "*" else row[3]) for row in rows]
    assert verdict(written(tmp_path, rows, "area,sex,n,percent", table))[:2] == (0, "[]")


@pytest.mark.parametrize("decimals", [0, 1])
def test_a_share_stands_for_the_counts_that_round_to_it(decimals, tmp_path):
    for total, count in itertools.product((7, 30, 400), (0, 1, 5)):
        rate = round(Fraction(count * 100 * 10**decimals, total) + Fraction(1, 10**9))
        text = f"{rate / 10**decimals:.{decimals}f}"
        rows = [("A", "All", str(total), ""), ("A", "F", "*", text)]
        table = SHARES.replace("decimals = 1", f"decimals = {decimals}")
        counts = read_counts(read_table_manifest(written(tmp_path, rows, "area,sex,n,percent", table)))
        fitting = [n for n in range(total + 1) if abs(Fraction(n * 100, total) - Fraction(rate, 10**decimals))
                   <= Fraction(1, 2 * 10**decimals)]  # fmt: skip
        assert (counts.lower[1], counts.upper[1]) == (min(fitting), max(fitting))
        assert count in fitting


CHANGE = 'dimensions = ["area"]\nvalue = "n"\nmarkers = { "0-2" = [0, 2] }\n' \
         'change = { column = "change", since = 1 }\n'  # fmt: skip


def changing(folder, rows, policy="min_count = 3"):
    written(folder, [("River", "0-2", ""), ("Hill", "9", "2")], "area,n,change", CHANGE, policy, releases=2)
    (folder / "releases/2.csv").write_text("area,n,change\n" + "\n".join(rows) + "\n", encoding="utf-8")
    return folder


def test_a_change_tells_the_count_before(tmp_path):
    code, _, found = verdict(changing(tmp_path, ["River,6,5", "Hill,7,-2"]))
    assert code == 1
    assert [(e["cell"]["area"], e["release"], e["lower"], e["upper"]) for e in found] == [("River", "1", 1, 1)]
    assert verdict(changing(tmp_path, ["River,6,", "Hill,7,-2"]))[:2] == (0, "[]")


def test_rounded_changes_are_not_judged(tmp_path):
    folder = changing(tmp_path, ["River,0-2,5", "Hill,10,-2"])
    path = folder / "series.toml"
    text = path.read_text(encoding="utf-8").replace("[policy]", 'rounding = { to = 1, how = "nearest" }\n[policy]')
    path.write_text(text, encoding="utf-8")
    code, why, _ = verdict(folder)
    assert code == 3
    assert "not exact" in why


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('part_of = { deaths = "people" }', '"people" is none of the counts'),
        ('part_of = { deaths = "cases", cases = "deaths" }', "is part of itself"),
        ('wide = { dimension = "sex" }', "this is not a dimension in columns"),
        ('rates = { column = "r", per = 100, decimals = 1, denominator = "n" }', "which counts these are rates of"),
        ("change = 3", "this is not a change"),
    ],
)
def test_what_is_declared_wrongly_is_named(line, said, tmp_path):
    table = f'dimensions = ["area"]\nvalues = ["cases", "deaths"]\n{line}\n'
    code, _, err = run_main(str(written(tmp_path, [("A", "3", "2")], "area,cases,deaths", table)))
    assert code == 2
    assert said in err
    assert "series.toml:7" in err


@pytest.mark.parametrize("seed", range(some(8)))
def test_parts_of_one_whole_may_overlap(seed, tmp_path):
    """Of every count that is certain, all tables of people by part agree, by enumeration."""
    rng = np.random.default_rng(seed)
    whole = int(rng.integers(3, 7))
    people = rng.integers(0, 2, size=(whole, 2))
    one, other = people.sum(axis=0).tolist()
    table = 'dimensions = ["area"]\nvalues = ["all", "a", "b"]\npart_of = { a = "all", b = "all" }\n'
    folder = written(tmp_path, [("A", str(whole), str(one), str(other))], "area,all,a,b", table, "min_count = 7")
    worlds = [(both, one - both, other - both, whole - one - other + both) for both in range(whole + 1)]
    worlds = [world for world in worlds if min(world) >= 0]
    names = {"a & b": 0, "(rest)": 3}
    for label, place in names.items():
        _, out, _ = run_main("explain", str(folder), "--cell", "area=A", "--cell", f"statistic={label}",
                             "--format", "json")  # fmt: skip
        [count] = json.loads(out)["counts"]
        ends = {world[place] for world in worlds}
        assert (count["lower"], count["upper"]) == (min(ends), max(ends))
