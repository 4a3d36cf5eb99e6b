"""Small series of count tables, through the program: every interval is the one that counting everything gives."""

import json
import tempfile
from itertools import chain
from pathlib import Path

import numpy as np
import pytest

import audit
from tests.universe.count_tables import FAMILIES, HIDDEN, REST, TOTAL, Family, Worlds
from tests.universe.drawing import share


def findings(tables):
    """The findings of a series, as part, release, cell and since with kind and interval; all questions are settled."""
    with tempfile.TemporaryDirectory() as name:
        report = json.loads(audit.load(tables.write(Path(name)), kind="tables").audit(findings=None).to_json())
    [entry] = report["attacks"]
    assert (entry["status"], entry["measures"]["open"]) == ("complete", 0)
    found = {}
    for each in entry["findings"]:
        part, *cell = each["cell"].values()
        since = int(each["since"]) - 1 if "since" in each else None
        number = int(part.removeprefix("s"))
        found[number, int(each["release"]) - 1, tuple(cell), since] = each["kind"], each["lower"], each["upper"]
    return found


@pytest.mark.parametrize("name", FAMILIES)
def test_what_is_hidden_or_derived(name):
    """What is asked and small, or hidden and narrow, is found; whatever is found has its interval."""
    family = FAMILIES[name]
    parts = share(family.everything(), 120)
    found = findings(family.tables(parts))
    for number, texts in enumerate(parts):
        worlds = Worlds(family, texts)
        for question in worlds.questions():
            place = number, question.release, question.cell, question.since
            assert found.get(place) == worlds.kind(question), (texts, question)
    labels = {TOTAL, REST, *chain.from_iterable(family.labels)}
    for (number, release, cell, since), (_, low, high) in found.items():
        if labels.issuperset(cell):
            assert Worlds(family, parts[number]).interval(cell, release, since) == (low, high)


def assert_recovered(family, asked):
    """Wherever a box, as cells to add and cells to take away, certainly has one small count, that is found."""
    parts = share(family.everything(), 120)
    found = {(number, *what) for (number, *_), what in findings(family.tables(parts)).items()}
    certain = 0
    for number, texts in enumerate(parts):
        worlds = Worlds(family, texts)
        for box in asked(texts):
            numbers = worlds.counts @ box.astype(int)
            if 1 <= numbers.min() == numbers.max() < family.min_count:
                certain += 1
                assert (number, "recovered", numbers.min(), numbers.max()) in found, (texts, box)
    assert certain


def test_differences_of_labels():
    family = Family((("P", "Q", "R"),), (((), (0,)),), 2, 6, nested=(("P", "abc"), ("Q", "a"), ("R", "d")))
    assert_recovered(family, lambda _: [family.box(("P",), 0) & ~family.box(("Q",), 0)])


def test_sums_of_hidden_cells():
    family = FAMILIES["hidden in a line"]

    def hidden(texts):
        cells = zip(family.cells(0), texts[0], strict=True)
        boxes = [family.box(cell, 0) for cell, text in cells if text == HIDDEN and cell != (TOTAL,)]
        return [np.any(boxes, axis=0)] if boxes else []

    assert_recovered(family, hidden)


def test_increases_since_an_earlier_release():
    line = ((), (0,))
    family = Family((("A", "B"),), (line, ((),), line), 2, 6, threshold=3, over_time="cumulative")
    assert_recovered(family, lambda _: [family.box((label,), 2, since=0) for label in ("A", "B")])
