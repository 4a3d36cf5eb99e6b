"""Editions of one release of count tables, of which one was corrected."""

import numpy as np
import pytest

from tests.helpers.amount import rotated
from tests.helpers.amount import some as drawn
from tests.helpers.count_tables import write_tables
from tests.helpers.running import printed
from tests.mutants.mutant import kills

TABLE = 'dimensions = ["area", "sex"]\nvalue = "n"\ntotals = { area = "All", sex = "All" }\n'


def by_area(cells, base):
    """The lines of a table by area and sex with its sums, rounded to a base."""
    cells = np.column_stack([cells, cells.sum(axis=1)])
    cells = (np.vstack([cells, cells.sum(axis=0)]) + base // 2) // base * base
    areas = [*(f"area {at}" for at in range(len(cells) - 1)), "All"]
    rows = [(area, sex) for area in areas for sex in ("f", "m", "All")]
    return ["area,sex,n", *(f"{area},{sex},{n}" for (area, sex), n in zip(rows, cells.ravel().tolist(), strict=True))]


def audited(folder, drafts, base, over_time="independent", more=""):
    tables = {f"{tag}.csv": by_area(cells, base) for tag, cells in drafts.items()}
    table = TABLE + more + f'over_time = "{over_time}"\n' + f"rounding = {{ to = {base} }}\n" * (base > 1)
    code, out = printed(str(write_tables(folder, tables, table, "min_count = 3")))
    return code, " ".join(out.split())


@kills("audit.count_tables.release_doubts._exact_editions", "_differing(lines, one, [other])[0].sum()", "0")
@kills("audit.count_tables.release_doubts._corrected_edition", "(second[1] < first[0]).any()", "False")
@pytest.mark.parametrize(("seed", "falls", "base"), rotated(60, [False, True], [1, 3, 5]))
def test_two_editions_are_asked_about_and_the_advice_can_be_followed(seed, falls, base, tmp_path):
    rng = np.random.default_rng(seed)
    first, other = rng.integers(20, 200, (2, 12, 2))
    second = first.copy()
    second[rng.integers(4), 0] += base
    second[4 + rng.integers(4), 1] += -base if falls else base
    code, out = audited(tmp_path, {"2024-Q1": first, "2024-Q1 corrected": second, "2024-Q2": other}, base)
    assert (code, "as editions do of which one was corrected" in out) == (3, True), out
    assert ("some numbers fall" in out, 'over_time = "cumulative"' in out) == (falls, not falls), out
    code, out = audited(tmp_path / "dates", {"Q1": first, "Q2": second, "Q3": other}, base, more="stock = true\n")
    assert (code, "No release corrects another" in out) == (0, True), out
    assert audited(tmp_path / "one", {"2024-Q1": first, "2024-Q2": other}, base)[0] == 0
    if not falls:
        code, out = audited(tmp_path / "both", {"1": first, "2": second}, base, "cumulative")
        assert code == (1 if base == 1 else 0), out


@kills(
    "audit.count_tables.release_doubts._repeated", " or (2 * differ <= many and _are_corrected(both, len(pairs)))", ""
)
@pytest.mark.parametrize("areas", [2, 3, 5])
@pytest.mark.parametrize("seed", range(drawn(30)))
def test_a_correction_of_a_small_table_is_asked_about(seed, areas, tmp_path):
    """It changes three totals, too, which are as many of its numbers as those that it leaves."""
    rng = np.random.default_rng(seed)
    first, other = rng.integers(6, 60, (2, areas, 2))
    second = first.copy()
    second[rng.integers(areas), rng.integers(2)] += 1
    code, out = audited(tmp_path, {"1": first, "1 corrected": second, "2": other}, 1)
    assert (code, "as editions do of which one was corrected" in out) == (3, True), out


@pytest.mark.parametrize("seed", range(drawn(10)))
def test_the_most_alike_are_named_as_editions(seed, tmp_path):
    """Of a stock, all quarters are alike."""
    rng = np.random.default_rng(seed)
    drafts = {"2024-Q1": (cells := rng.integers(20, 200, (30, 2)))}
    for tag, changed in ("2024-Q2", 8), ("2024-Q2 revised", 1):
        drafts[tag] = cells = cells.copy()
        cells[rng.permutation(30)[:changed], 0] += 5
    _, out = audited(tmp_path, drafts, 5)
    assert 'releases "2024-Q2" and "2024-Q2 revised" have the same numbers but for' in out


@kills("audit.count_tables.release_doubts._rarity", " / width", " * 10")
@pytest.mark.parametrize(("seed", "size", "base"), rotated(120, [(5, 30), (12, 30), (40, 30), (40, 4)], [1, 5, 10]))
def test_two_quarters_of_other_people_are_not_asked_about(seed, size, base, tmp_path):
    rng, (mean, areas) = np.random.default_rng(seed), size
    often = rng.integers(mean, 2 * mean, (areas, 2))
    _, out = audited(tmp_path, {"1": rng.poisson(often), "2": rng.poisson(often)}, base)
    assert "have the same numbers" not in out


@kills("audit.count_tables.release_doubts._found", "(compared, *published)", "(compared,)")
@kills("audit.count_tables.release_doubts.release_doubts", "in (ends, *published)", "in (ends,)")
@pytest.mark.parametrize("people", [1000, 2100], ids=["exact", "nearly exact"])
@pytest.mark.parametrize("seed", range(drawn(30)))
def test_rates_conceal_no_edition_of_rounded_numbers(seed, people, tmp_path):
    """A rate shows more changes than the number beside it: all women and all areas have one more."""
    rng, drafts = np.random.default_rng(seed), dict[str, list[str]]()
    first = rng.integers(20, 200, (12, 2))
    second = first.copy()
    second[:, 0] += 1
    for tag, cells in ("2024", first), ("2024 revised", second):
        exact, rounded = by_area(cells, 1), by_area(cells, 10)
        rates = [f"{int(line.rpartition(',')[2]) * 1000 / people:.0f}" for line in exact[1:]]
        rows = (f"{row},{people},{rate}" for row, rate in zip(rounded[1:], rates, strict=True))
        drafts[f"{tag}.csv"] = ["area,sex,n,people,rate", *rows]
    table = TABLE + "rounding = { to = 10 }\n"
    table += 'rates = { column = "rate", per = 1000, decimals = 0, denominator = "people", base = 1, of = "count" }'
    code, out = printed(str(write_tables(tmp_path, drafts, table, "min_count = 3")))
    assert (code, "as editions do of which one was corrected" in " ".join(out.split())) == (3, True), out
