"""Audits of count tables beside integer programming: worked examples, and random small series."""

import json
import os
import random
from itertools import product
from pathlib import Path

import pytest

from attacks.differencing import components
from tests.helpers.count_tables import TinyTables
from tests.helpers.running import run_main
from tests.helpers.schemas import troubles
from tests.oracle.count_tables import Oracle, counts_of

EXAMPLES = Path(__file__).parent.parent / "count_table_examples"
SERIES = int(os.environ.get("AUDIT_TEST_TABLES", "40"))
SEARCHED = max(6, SERIES // 10)


def audited(folder):
    code, out, err = run_main(str(folder), "--format", "json", "--findings", "all")
    return code, (json.loads(out)["attacks"][0] if code != 2 else None), err


def key(finding):
    return json.dumps({name: finding.get(name) for name in ("kind", "release", "since", "cell", "lower", "upper")})


@pytest.mark.parametrize("name", sorted(path.name for path in EXAMPLES.glob("*")))
def test_examples(name):
    wanted = json.loads((EXAMPLES / name / "expected.json").read_text(encoding="utf-8"))
    code, out, _ = run_main(str(EXAMPLES / name), "--format", "json", "--findings", "all")
    assert troubles("count_tables", json.loads(out)) == []
    [attack] = json.loads(out)["attacks"]
    assert attack["status"] == "complete"
    measures = attack["measures"]
    for measure in ("cells", "protected", "smallest_width"):
        assert measures[measure] == wanted["measures"][measure]
    # Further boxes are asked about since: what was found is found, and whatever is found is exact.
    assert measures["questions"] >= wanted["measures"]["questions"]
    assert set(map(key, wanted["findings"])) <= set(map(key, attack["findings"]))
    assert code == bool(wanted["findings"])


@pytest.mark.parametrize("seed", range(SERIES))
def test_random_series(seed, tmp_path):
    compare(drawn(random.Random(seed)), tmp_path)  # noqa: S311


@pytest.mark.parametrize("seed", range(10**6, 10**6 + SEARCHED))
def test_random_series_searched_as_large_ones_are(seed, tmp_path, monkeypatch):
    monkeypatch.setattr(components, "_MANY", 0)
    monkeypatch.setattr(components, "_LOOSE", 0.0)
    compare(drawn(random.Random(seed)), tmp_path)  # noqa: S311


def compare(series, tmp_path):
    """Hold the audit of a series against integer programming."""
    oracle = Oracle(series)
    wanted = oracle.answer()
    code, attack, err = audited(series.write(tmp_path))
    if wanted is None:
        assert code == 2, (code, err)
        return
    assert code == bool(wanted.findings), err
    assert attack["status"] == "complete"
    measures = attack["measures"]
    assert (measures["cells"], measures["protected"], measures["questions"], measures["open"]) == (
        wanted.cells,
        wanted.protected,
        wanted.questions,
        0,
    )
    assert measures["smallest_width"] == wanted.smallest_width
    found = [
        (
            each["kind"],
            int(each["release"]) - 1,
            int(each["since"]) - 1 if "since" in each else None,
            box_of(oracle, each["cell"]),
            each["lower"],
            each["upper"],
        )
        for each in attack["findings"]
    ]
    assert set(found) == wanted.findings


def box_of(oracle, cell):
    """The atoms of a cell whose labels may be A less B, A with B, or A + B."""
    return frozenset(product(*(set_of(oracle, place, text) for place, text in enumerate(cell.values()))))


def set_of(oracle, place, text):
    if " + " in text:
        return frozenset().union(*(set_of(oracle, place, part) for part in text.split(" + ")))
    first, *others = text.split(" less ")
    found = frozenset.intersection(*(one_of(oracle, place, part) for part in first.split(" with ")))
    return found.difference(*(one_of(oracle, place, part) for part in others))


def one_of(oracle, place, label):
    name = oracle.series.dimensions[place]
    known = {*oracle.series.categories.get(name, ()), oracle.series.totals.get(name)}
    if name not in oracle.series.categories or label in known:
        return frozenset(oracle.covered(place, label))
    return frozenset([label])


def drawn(rng):
    """Return a random series: usually published of a table that exists, now and then with a wrong number."""
    dimensions = ("area", "age", "sex")[: rng.randint(1, 3)]
    over_time = rng.choice(["same", "cumulative", "independent"])
    rounding = rng.choice([None, None, *((b, how) for b in (3, 5) for how in ("nearest", "down", "up", "random"))])
    rounding = rng.choice([rounding, (4, "even"), (6, "midpoint")]) if rng.random() < 0.3 else rounding
    threshold = rng.choice([None, 3, 4, 6])
    top = 5 if threshold is None else threshold - 1
    markers = {"*": (1, top), **({"c": (0, None)} if rng.random() < 0.3 else {})}
    totals, categories, labels, opened = {}, {}, [], []
    for name in dimensions:
        atoms = [f"{name}{place}" for place in range(rng.randint(1, 3))]
        has_total = rng.random() < 0.8
        if has_total:
            totals[name] = "All"
        shown = [*atoms, *(["All"] if has_total else [])]
        if len(atoms) > 2 and rng.random() < 0.4:
            categories[name] = {atom: (atom,) for atom in atoms} | {
                f"{name}01": tuple(atoms[:2]),
                **({f"{name}12": tuple(atoms[1:])} if rng.random() < 0.5 else {}),
            }
            shown += [label for label in categories[name] if label not in atoms]
        if rng.random() < 0.3:
            opened.append(name)
        labels.append(shown)
    draft = TinyTables(
        dimensions=dimensions,
        releases=[],
        totals=totals,
        categories=categories,
        open=tuple(opened),
        markers=markers,
        threshold=threshold,
        rounding=rounding,
        over_time=over_time,
        min_count=rng.choice([3, 5, 6]),
        min_width=rng.choice([1, 2, 2, 3]),
    )
    return publish(rng, draft, labels)


def publish(rng, draft, labels):
    """Return the series with releases of a random table."""
    from dataclasses import replace

    combinations = list(product(*labels))
    shown = [
        [cell for cell in combinations if rng.random() < 0.7] or combinations[:1] for _ in range(rng.randint(1, 3))
    ]
    everything = replace(draft, releases=[[(cell, "1") for cell in combinations] for _ in shown])
    oracle = Oracle(everything)
    most = rng.choice([2, 4, 9])
    truth = {cell: rng.choice([0, rng.randint(0, most), rng.randint(0, most)]) for cell in oracle.cells}
    releases = []
    for release, cells in enumerate(shown):
        rows = []
        for cell in cells:
            count = sum(truth[(*atom, period)] for atom in oracle.box(cell) for period in oracle.periods(release))
            text = published(rng, draft, count)
            rows.append((cell, "" if rows and rng.random() < 0.03 else text))
            if rng.random() < 0.05:  # twice in a release, perhaps a marker here and a number there
                rows.append((cell, published(rng, draft, count)))
        releases.append(rows)
    if rng.random() < 0.1:
        place = rng.randrange(len(releases[-1]))
        cell, text = releases[-1][place]
        base = (draft.rounding or (1, ""))[0]
        if text.isdigit() and (draft.rounding or ("", ""))[1] != "midpoint":
            releases[-1][place] = (cell, str(int(text) + base * rng.randint(1, 2)))
    return replace(draft, releases=releases)


def published(rng, draft, count):
    threshold = draft.threshold
    if threshold is not None and 1 <= count < threshold:
        return "*"
    if threshold is None and 1 <= count <= 5 and rng.random() < 0.4:
        return "*"
    if "c" in draft.markers and rng.random() < 0.1:
        return "c"
    if draft.rounding is None:
        return str(count)
    base, how = draft.rounding
    options = [v for v in range(count + base + 1) if v % base == (base // 2 if how == "midpoint" and v else 0)]
    fitting = [v for v in options if counts_of(v, base, how)[0] <= count <= counts_of(v, base, how)[1]]
    return str(rng.choice(fitting))
