"""Recodings: all rows of a candidate get coarser cells of a column, where other changes lose more."""

import json
import random

import numpy as np
import pytest

from audit.io.attributes import QuasiIdentifier
from audit.io.cell_reading import Hierarchy
from audit.io.cells import Kind
from audit.repair.guided import GuidedSearch
from audit.repair.merged_cells import AttributeCells
from audit.runtime.candidate_search import CandidateSearch, SearchOutOfTimeError
from tests.helpers.amount import slow
from tests.helpers.messy import as_csv, write
from tests.helpers.running import run_main
from tests.mutants.mutant import kills

PLACES = Hierarchy("p", (("Rome", "Bari", "Oslo"), ("Italy", "Italy", "Norway"), ("*", "*", "*")))


@kills("audit.repair.merged_cells.AttributeCells.recodings", "if self._costs[code] < 1 else anything", "")
@pytest.mark.parametrize(
    ("kind", "hierarchy", "texts", "coarser"),
    [
        (
            "numeric",
            None,
            "15-24 25-34 35-49 50-64 65+",
            ["15-34 15-34 35-64 35-64 65+", "15-64 15-64 15-64 15-64 65+"],
        ),
        (
            "numeric",
            None,
            "1 3 7 12 14 19",
            ["[0,_4] [0,_4] [5,_9] [10,_14] [10,_14] [15,_19]", "[0,_9] [0,_9] [0,_9] [10,_19] [10,_19] [10,_19]"],
        ),
        ("numeric", None, "20-29 25-34 *", []),
        ("categorical", None, "48151 48199 48275 79100", ["48*** 48*** 48*** 79***"]),
        ("categorical", PLACES, "Rome Bari Oslo", ["Italy Italy Oslo"]),
        ("categorical", None, "F M", []),
    ],
)
def test_the_recodings_of_a_column(kind, hierarchy, texts, coarser):
    """Each has fewer cells than the one before, and the last hides the column."""
    attribute = QuasiIdentifier("a", Kind(kind), hierarchy, frozenset())
    cells = AttributeCells(attribute, np.arange(len(texts.split())), texts.split())
    shown = [" ".join(cells.texts[code].replace(" ", "_") for code in codes) for codes in cells.recodings]
    assert shown == [texts, *coarser, " ".join("*" for _ in texts.split())]


def school(seed, folder):
    """Write a series under a register whose first release has no cells, and a candidate with years and ethnicities."""
    rng, head = random.Random(seed), ["Year", "Ethnicity", "Gender", "SEN", "FSM"]  # noqa: S311 - reproducible
    kids = []
    for _ in range(40):
        cells = [f"Year {rng.randrange(7, 11)}", rng.choices("WAIB", [10, 3, 2, 1])[0], rng.choice("FM")]
        kids.append([*cells, rng.choices("NKE", [16, 3, 1])[0], rng.choices("YN", [1, 3])[0]])
    write(folder / "s" / "1.csv", as_csv([head, *sorted(["*", "*", *kid[2:]] for kid in kids)]))
    write(folder / "2.csv", as_csv([head, *sorted(kids)]))
    roll = [[f"H{n}", tag, *kid[:3]] for n, kid in enumerate(kids) for tag in "12"]
    write(folder / "s" / "roll.csv", as_csv([["individual", "release", *head[:3]], *roll]))
    harmless = 'harmless = { SEN = ["N"], FSM = ["N"] }\nsimilar = { SEN = true, FSM = true }\n'
    columns = f'[columns]\nsensitive = ["SEN", "FSM"]\nquasi_identifiers = ["Year", "Ethnicity", "Gender"]\n{harmless}'
    adversary = '[adversary]\nregister = "roll.csv"\ntransitions = "any"\n'
    write(folder / "s" / "series.toml", f'[series]\nname = "s"\nreleases = ["1.csv"]\n{columns}{adversary}')
    return folder / "s", folder / "2.csv"


@kills("audit.repair.search.RepairSearch._may_recode", "COARSEN in self.moves", "False")
@slow
def test_a_recoding_of_all_rows_is_found_by_few_audits(tmp_path, monkeypatch):
    """Changes of groups alone lost 89 % by as many audits."""

    def check_time(self, _part=""):
        if self.audits > 15:
            raise SearchOutOfTimeError

    monkeypatch.setattr(CandidateSearch, "check_time", check_time)
    series, candidate = school(0, tmp_path)
    words = ["repair", str(series), str(candidate), "--output", str(tmp_path / "out")]
    code, out, err = run_main(*words, "--format", "json")
    found = json.loads(out)
    assert (code, err, found["information_lost"]) == (0, "", pytest.approx(1 / 3))
    [move] = found["moves"]
    assert [move[each] for each in ("kind", "column", "cells", "groups")] == ["coarsen", "Ethnicity", ["*"], []]
    assert run_main("next", str(series), str(tmp_path / "out" / "2.csv"))[0] == 0
    assert (tmp_path / "out" / "2.csv").read_text(encoding="utf-8").count(",*,") == 40


@slow
def test_coarser_cells_of_all_rows_are_tried_before_changes_of_groups_take_the_whole_time(tmp_path, monkeypatch):
    def out_of_time(*_arguments):
        raise SearchOutOfTimeError

    monkeypatch.setattr(GuidedSearch, "repair", out_of_time)
    series, candidate = school(0, tmp_path)
    out = run_main("repair", str(series), str(candidate), "--output", str(tmp_path / "out"), "--format", "json")[1]
    assert json.loads(out)["information_lost"] == pytest.approx(2 / 3)  # not 1, as one group of all rows
