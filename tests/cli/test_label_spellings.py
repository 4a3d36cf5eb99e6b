"""Labels of count tables that some releases have in other words than others."""

import json

import numpy as np
import pytest

from tests.helpers.amount import some as drawn
from tests.helpers.count_tables import write_tables
from tests.helpers.running import run_main

NAMES = ("female", "male")
TABLE = 'dimensions = ["area", "sex"]\nvalue = "n"\ntotals = { area = "All", sex = "All" }\nmarkers."*" = [1, inf]\n'


def verdict(folder):
    """The exit code, and the reasons of what is undecided."""
    code, out, err = run_main(str(folder), "--format", "json")
    assert err == ""
    return code, json.dumps(json.loads(out)["policy"]["undecided"])


def by_sex(cells, names, texts):
    """The lines of a table by area and sex with its sums, hidden where a text says so."""
    cells = np.column_stack([cells, cells.sum(axis=1)])
    cells = np.vstack([cells, cells.sum(axis=0)])
    rows = [(area, sex) for area in ("A", "B", "All") for sex in (*names, "All")]
    shown = (text or str(number) for text, number in zip(texts, cells.ravel().tolist(), strict=True))
    return ["area,sex,n", *(",".join([*row, text]) for row, text in zip(rows, shown, strict=True))]


@pytest.mark.parametrize("has_categories", [False, True])
@pytest.mark.parametrize("words", [("f", "m"), ("1", "2")])
@pytest.mark.parametrize("seed", range(drawn(60)))
def test_no_series_holds_whose_labels_disclose_more_in_one_spelling(seed, words, has_categories, tmp_path):
    """The total of each release could count people of the labels that it lacks, so nothing followed from it."""
    rng = np.random.default_rng(seed)
    drafts = []
    for _ in range(2):
        is_hidden = np.zeros((3, 3), dtype=np.bool_)
        is_hidden[:, :2] = rng.random(2) < 0.6  # of one sex, the counts follow from those of the other and the totals
        drafts.append((rng.integers(2, 20, (2, 2)), np.where(is_hidden, "*", "").ravel().tolist()))
    other = by_sex(drafts[1][0], NAMES, drafts[1][1])
    alike = {"1.csv": by_sex(drafts[0][0], NAMES, drafts[0][1]), "2.csv": other}
    tables = {"1.csv": by_sex(drafts[0][0], words, drafts[0][1]), "2.csv": other}

    def audited(files, more="", atoms=()):
        lines = ["label,atom", *(f"{label},{atom}" for label, atom in zip((*NAMES, *words), atoms, strict=bool(atoms)))]
        (tmp_path / "categories").mkdir(exist_ok=True)
        (tmp_path / "categories/sex.csv").write_text("\n".join([*lines, ""]))
        more += 'categories.sex = "categories/sex.csv"\n' if atoms else ""
        return verdict(write_tables(tmp_path, files, TABLE + more, "min_count = 2"))

    expected, _ = audited(alike)
    code, why = audited(tables, atoms=(*NAMES, *words) if has_categories else ())
    assert code == expected or (expected != 0 and code != 0 and "mean the same" in why)
    assert audited(tables, atoms=NAMES * 2)[0] == expected
    assert "mean the same" not in audited(tables, 'absent = "unknown"\n')[1]
