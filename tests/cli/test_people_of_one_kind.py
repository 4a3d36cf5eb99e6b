"""Cells of count tables of which everybody is of one kind of a sensitive dimension."""

import json
import random
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from audit.count_tables import judged_counts
from audit.model.count_tables import OPEN
from tests.helpers.amount import some
from tests.helpers.count_tables import TinyTables
from tests.helpers.running import refused, run_main

AREAS, KINDS = ("N", "S"), ("HIV", "flu", "none")


def written(folder, releases, rules='sensitive = ["kind"]', policy="", **more):
    totals = {"area": "All", "kind": "All"}
    tables = TinyTables(("area", "kind"), releases, totals=totals, markers={"*": (1, 4)}, **more)
    path = tables.write(folder) / "series.toml"
    text = path.read_text(encoding="utf-8").replace("[policy]", f"{rules}\n[policy]") + policy
    path.write_text(text, encoding="utf-8")
    return folder


def audited(folder):
    code, out, err = run_main(str(folder), "--format", "json", "--findings", "all")
    assert code != 2, err
    report = json.loads(out)
    [attack] = report["attacks"]
    assert attack["certificates_checked"] == attack["findings_total"]
    found = {
        (each["release"], each["cell"]["area"], each["cell"]["kind"], each["lower"], each["upper"])
        for each in attack["findings"]
        if each["kind"] == "all"
    }
    states = {each["clause"]: each["state"] for each in report["policy"]["clauses"]}
    return code, states, found


def lines(*rows):
    """The cells of a table by area, the kinds and their sum."""
    return [
        ((area, kind), text)
        for area, texts in zip((*AREAS, "All"), rows, strict=False)
        for kind, text in zip((*KINDS, "All"), texts, strict=True)
    ]


def test_everybody_is_of_one_kind(tmp_path):
    rows = lines(["12", "0", "0", "12"], ["9", "9", "9", "27"])
    code, states, found = audited(written(tmp_path, [rows]))
    assert (code, states["min_labels"], states["min_count"]) == (1, "violated", "holds")
    assert found == {("1", "N", "HIV", 12, 12)}
    assert "everybody counted (exactly 12) has kind HIV" in run_main(str(tmp_path))[1]


@pytest.mark.parametrize(
    ("first", "rules", "policy"),
    [
        (["12", "6", "0", "18"], 'sensitive = ["kind"]', ""),
        (["0", "0", "0", "0"], 'sensitive = ["kind"]', ""),
        (["0", "0", "12", "12"], 'sensitive = ["kind"]\nharmless = { kind = ["none"] }', ""),
        (["12", "6", "9", "27"], 'sensitive = ["kind"]', "min_labels = 3\n"),
        (["12", "0", "0", "12"], "", ""),
    ],
    ids=["two kinds", "nobody", "harmless", "three kinds", "not sensitive"],
)
def test_what_is_no_finding(first, rules, policy, tmp_path):
    code, states, found = audited(written(tmp_path, [lines(first, ["9", "9", "9", "27"])], rules, policy))
    assert (code, found) == (0, set())
    assert states.get("min_labels") == ("holds" if rules else None)


def test_more_kinds_are_asked_for(tmp_path):
    rows = lines(["12", "6", "0", "18"], ["9", "9", "9", "27"])
    code, _, found = audited(written(tmp_path, [rows], policy="min_labels = 3\n"))
    assert (code, found) == (1, {("1", "N", "HIV or flu", 18, 18)})


def test_a_harmless_label_that_is_none_is_refused(tmp_path):
    rows = lines(["12", "0", "0", "12"], ["9", "9", "9", "27"])
    folder = written(tmp_path, [rows], 'sensitive = ["kind"]\nharmless = { kind = ["noone"] }')
    assert 'is "noone", so nothing reads it' in refused(str(folder))


@pytest.mark.parametrize("rule", ['harmless = { kind = ["none"] }', 'sensitive = ["sex"]'])
def test_kinds_of_what_is_not_sensitive_are_refused(rule, tmp_path):
    assert run_main(str(written(tmp_path, [lines(["12", "0", "0", "12"])], rule)))[0] == 2


def drawn(rng):
    """Counts of two areas and three kinds with their sums, some of the cells hidden or left out; never everybody's."""
    counts = {cell: rng.choice([0, 0, 0, 1, 3]) for cell in product(AREAS, KINDS)}
    shown = {}
    for area, kind in product((*AREAS, "All"), (*KINDS, "All")):
        count = sum(n for (a, k), n in counts.items() if area in (a, "All") and kind in (k, "All"))
        everybody = area == kind == "All"
        if everybody or rng.random() < 0.85:
            hidden = 1 <= count <= 4 and not everybody and rng.random() < 0.3
            shown[area, kind] = "*" if hidden else str(count)
    return shown


def worlds(shown):
    """All counts up to 6 of a cell that agree with what is shown."""
    cells = list(product(AREAS, KINDS))
    fits = {text: range(1, 5) if text == "*" else [int(text)] for text in shown.values()}
    for numbers in product(range(7), repeat=len(cells)):
        world = dict(zip(cells, numbers, strict=True))
        if all(
            sum(n for (a, k), n in world.items() if area in (a, "All") and kind in (k, "All")) in fits[text]
            for (area, kind), text in shown.items()
        ):
            yield world


@pytest.mark.parametrize("seed", range(some(12)))
def test_by_enumeration(seed, tmp_path):
    """Exactly those cells are found that count somebody in every world, all of them of one kind in all worlds."""
    rng = random.Random(seed)  # noqa: S311
    shown = drawn(rng)
    while not {kind for _, kind in shown} >= {*KINDS}:
        shown = drawn(rng)
    agreeing = list(worlds(shown))
    wanted = set()
    for area in (*AREAS, "All"):
        own = [
            {k: sum(n for (a, kind), n in world.items() if area in (a, "All") and kind == k) for k in KINDS}
            for world in agreeing
        ]
        possible = {k for world in own for k, n in world.items() if n}
        sizes = {sum(world.values()) for world in own}
        if min(sizes) and len(possible) == 1:
            wanted.add(("1", area, *possible, min(sizes), max(sizes)))
    _, _, found = audited(written(tmp_path, [list(shown.items())]))
    assert {each for each in found if each[1] in (*AREAS, "All")} == wanted


def opened(part, run):
    """What an attack finds out that settles nothing."""
    outcome = run(part)
    ends = np.zeros(len(outcome.verdict), dtype=np.int64)
    verdict = np.full(len(ends), OPEN, dtype=np.int8)
    return replace(outcome, verdict=verdict, lower=ends, upper=ends + 99, status="incomplete", reason="not settled")


@pytest.mark.parametrize("way", ["no count is settled", "too many labels to try"])
def test_what_is_not_settled_is_undecided(way, tmp_path, monkeypatch):
    """Twin of a series without findings, which holds; and of one with a finding, which is not hidden."""
    safe, found = (["12", "6", "9", "27"], ["9", "9", "9", "27"]), (["12", "0", "0", "12"], ["9", "9", "9", "27"])
    folders = [written(tmp_path / name, [lines(*rows)]) for name, rows in (("safe", safe), ("found", found))]
    assert [audited(folder)[1]["min_labels"] for folder in folders] == ["holds", "violated"]
    if way == "no count is settled":
        asked = judged_counts.with_people_of_one_kind
        monkeypatch.setattr(
            judged_counts,
            "with_people_of_one_kind",
            lambda *given: asked(*given[:-1], lambda part: opened(part, given[-1])),
        )
    else:
        monkeypatch.setattr("audit.count_tables.build_evidence._MOST_CHOICES", 0)
    assert [audited(folder)[::2] for folder in folders] == [(3, set()), (3, set())]
    assert [audited(folder)[1]["min_labels"] for folder in folders] == ["undecided", "undecided"]
