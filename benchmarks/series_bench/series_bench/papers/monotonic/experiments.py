"""The monotonic paper's experiments; docs/figures.md describes them.

A table T and an update of it are published twice, T and then T with the update, by `mondrian`, each release on its own,
and by `monotonic-mondrian`.
"""

from __future__ import annotations

import json
import shutil
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from series_bench.papers.experiment import Entry, Experiment

FIGURES = tuple(range(4, 22))
Data = Literal["census", "uniform", "gaussian"]
ADULT = "Age=17..90,Workclass=8,Education=1..16,Marital=7,Race=5,Gender=2,Country=41"
METHODS = ("mondrian", "monotonic-mondrian")


@dataclass(frozen=True)
class MonotonicSetting:
    """The sizes of an experiment.

    Attributes:
        rows: rows of T where another thing varies; of simulated people, and of points.
        points: likewise, of points.
        parameters: values of k.
        parameter: the k where another thing varies.
        shares: sizes of the update, in percent of T.
        sizes: sizes of T, of simulated people.
        times: how often each is done, with other people.
    """

    rows: int = 12_000
    points: int = 10_000
    parameters: tuple[int, ...] = (2, 5, 10, 15, 20, 25)
    parameter: int = 10
    shares: tuple[int, ...] = (10, 30, 50, 70, 90)
    sizes: tuple[int, ...] = (4_000, 8_000, 12_000, 16_000, 20_000)
    times: int = 10


FULL = MonotonicSetting()
QUICK = MonotonicSetting(1_200, 1_000, (2, 10), 10, (10, 50, 90), (400, 1_200, 2_000), 1)


@dataclass(frozen=True)
class MonotonicRun:
    """What to publish: a kind of data, rows of T, the update in percent of it, and k."""

    data: Data
    rows: int
    share: int
    k: int


def plan(figures: Iterable[int], setting: MonotonicSetting) -> list[MonotonicRun]:
    """Return what some figures need: 4, 7 and 10 vary k, 5, 8 and 11 the update, 6, 9 and 12 the size of T."""
    wanted: list[MonotonicRun] = []
    for figure in figures:
        data: Data = "census" if figure < 13 else "uniform" if figure in (13, 15, 18) else "gaussian"
        rows = setting.rows if data == "census" else setting.points
        if figure in (4, 7, 10, 13, 14, 15, 16, 18, 19):
            wanted += [MonotonicRun(data, rows, 50, k) for k in setting.parameters]
        elif figure in (5, 8, 11, 17, 20):
            wanted += [MonotonicRun(data, rows, share, setting.parameter) for share in setting.shares]
        else:
            wanted += [MonotonicRun(data, size, 50, setting.parameter) for size in setting.sizes]
    return list(dict.fromkeys(wanted))


def simulate(wanted: MonotonicRun, folder: Path, seed: int) -> None:
    """Write T, and T with the update."""
    from audit.api import simulate as people

    new = wanted.rows * wanted.share // 100
    if wanted.data == "census":
        options = {"quasi_identifiers": ADULT, "sensitive": "Occupation=14", "file_type": "csv"}
        people(folder, rows=wanted.rows, insertions=new, deletions=0, snapshots=2, seed=seed, **options)
        return
    rng = np.random.default_rng(seed)
    size = (wanted.rows + new, 4)
    drawn = rng.uniform(0, 15, size) if wanted.data == "uniform" else np.clip(rng.normal(7.5, 2.0, size), 0, 15)
    names = ["A", "B", "C", "D"]
    lines = [
        f"{person},{','.join(f'{value:.2f}' for value in row)},{value}\n"
        for person, (row, value) in enumerate(zip(drawn, rng.integers(0, 10, size[0]), strict=True))
    ]
    (folder / "snapshots").mkdir(parents=True)
    head = f"individual,{','.join(names)},Value\n"
    for tag, count in (("1", wanted.rows), ("2", size[0])):
        (folder / f"snapshots/{tag}.csv").write_text(head + "".join(lines[:count]), encoding="utf-8")
    domains = "\n".join(f"{name} = [0, 15]" for name in names)
    text = (
        '[microdata]\nname = "Points"\nsnapshots = ["snapshots/1.csv", "snapshots/2.csv"]\n\n[columns]\n'
        f'individual = "individual"\nquasi_identifiers = {json.dumps(names)}\nsensitive = "Value"\n\n'
        f"[domains]\n{domains}\n"
    )
    (folder / "microdata.toml").write_text(text, encoding="utf-8")


def measure(wanted: MonotonicRun, method: str, microdata: Path, series: Path) -> Entry:
    """Publish both releases; return who is unsafe by all of them, the last one's penalty, and how long it took."""
    from anonymizers.registry import METHODS as REGISTRY
    from audit.api import load, load_microdata
    from audit.io.series import open_series
    from audit.metrics.utility import Queries
    from audit.metrics.utility import measure as measured
    from audit.principles import registry as principles
    from audit.publishing.publish import PublishOptions, publish

    kind: Any = REGISTRY.load(method)
    anonymizer = kind(k=wanted.k)
    principle = principles.find(anonymizer.promise.principle, anonymizer.promise.parameters)
    try:
        options = PublishOptions(seed=1)
        *_, last = publish(load_microdata(microdata).opened, series, anonymizer, principle, options)
        found = load(series, kind="microdata").attack("inference-table", policy={"k": wanted.k}, findings=0).measures
        (releases,) = measured([(str(series), open_series(series))], None, Queries())
        return {
            "safe": 1 - int(found["unsafe"]) / int(found["records"]),
            "discernibility": releases[-1].discernibility,
            "seconds": last.seconds,
        }
    finally:
        shutil.rmtree(series, ignore_errors=True)


def mean(entries: Sequence[Entry], wanted: MonotonicRun, method: str, name: str) -> float | None:
    """Return the mean of a measure over all times, None where there is none."""
    found = [each[name] for each in entries if _wanted(each) == wanted and each["method"] == method]
    return statistics.fmean(found) if found else None


def _wanted(entry: Entry) -> MonotonicRun:
    return MonotonicRun(*(entry[name] for name in ("data", "rows", "share", "k")))


def experiment(begun: Experiment) -> None:
    """Run what is missing."""
    there = {(_wanted(entry), entry["time"]) for entry in begun.document["runs"]}
    for wanted in plan(FIGURES, begun.setting):
        for number in range(begun.setting.times):
            if (wanted, number) not in there:
                _by_both_methods(begun, wanted, number)


def _by_both_methods(begun: Experiment, wanted: MonotonicRun, number: int) -> None:
    def measured(method: str, microdata: Path, series: Path) -> Entry:
        found = measure(wanted, method, microdata, series)
        return {**asdict(wanted), "time": number, "method": method, **found}

    begun.run(METHODS, lambda _method: number, lambda _method, folder: simulate(wanted, folder, number), measured)
