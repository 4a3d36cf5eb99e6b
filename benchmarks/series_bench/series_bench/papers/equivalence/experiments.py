"""Repeat the equivalence paper's experiments.

`python -m series_bench.papers.equivalence.experiments --out FOLDER`

docs/experiments-equivalence.md describes the method and the figures. Runs of the same setting that
FOLDER/equivalence.json already has are not repeated.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from series_bench.papers.m_invariance.experiments import AUDIT, QUASI_IDENTIFIERS, asked, publish, table, utility
from series_bench.papers.processes import run

FIGURES = (6, 7, 8, 9, 10)
Method = Literal["m-invariance", "merged", "e-equivalence"]
Measure = Literal["attack", "counterfeits", "queries"]


@dataclass(frozen=True)
class EquivalenceSetting:
    """The sizes of an experiment.

    Attributes:
        rows: rows of each snapshot, d.
        volume: update volume r: how many rows go out and come in at each step.
        snapshots: how many there are.
        parameters: values of m; the last is the one where another thing varies.
        sides: values of e.
        side: the e where another thing varies; equivalences below it are counted.
        slopes: how skewed the insertions are.
        thetas: expected selectivities.
        queries: of each release.
        seconds: the time limit of an attack.
    """

    rows: int = 200_000
    volume: int = 20_000
    snapshots: int = 21
    parameters: tuple[int, ...] = (4, 6, 10)
    sides: tuple[int, ...] = (2, 5, 10)
    side: int = 5
    slopes: tuple[int, ...] = tuple(range(16))
    thetas: tuple[float, ...] = (0.02, 0.04, 0.06, 0.08, 0.1)
    queries: int = 10_000
    seconds: int = 7_200

    @property
    def m(self) -> int:
        """The m that is used where another thing varies."""
        return self.parameters[-1]


FULL = EquivalenceSetting()
QUICK = EquivalenceSetting(
    20_000, 2_000, 4, (4, 10), (2, 5), slopes=(0, 1), thetas=(0.02, 0.1), queries=1_000, seconds=5
)


@dataclass(frozen=True)
class EquivalenceRun:
    """One series to make and what to measure of it; `e` is 0 where the method has none, `slope` None by chance."""

    measure: Measure
    method: Method
    m: int
    e: int = 0
    slope: int | None = None


def plan(figures: Sequence[int], setting: EquivalenceSetting) -> list[EquivalenceRun]:
    """Return the measurements that some figures need."""
    m, e = setting.m, setting.side
    by_e = [EquivalenceRun("counterfeits", "m-invariance", m)]
    by_e += [EquivalenceRun("counterfeits", "e-equivalence", m, side) for side in setting.sides]
    three: list[tuple[Method, int]] = [("m-invariance", 0), ("merged", 0), ("e-equivalence", e)]
    plain, _, safe = three
    needs = {
        6: [EquivalenceRun("attack", method, each, side) for each in setting.parameters for method, side in three],
        7: by_e,
        8: [
            EquivalenceRun("counterfeits", method, m, side, s) for s in setting.slopes for method, side in (plain, safe)
        ],
        9: [EquivalenceRun("queries", method, m, side) for method, side in three],
        10: by_e,
    }
    return list(dict.fromkeys(wanted for figure in figures for wanted in needs[figure]))


def simulate(population: Path | None, folder: Path, slope: int | None, setting: EquivalenceSetting) -> None:
    """Make the snapshots: d people, then r out and r in at each step. Skewed insertions are of simulated people."""
    options: dict[str, object] = {
        "--output": folder,
        "--rows": setting.rows,
        "--insertions": setting.volume,
        "--deletions": setting.volume,
        "--snapshots": setting.snapshots,
        "--seed": 1,
    }
    if slope is not None:
        options["--slope"] = slope
    elif population is not None:
        options |= {"--population": population.absolute(), "--individual": "id"}
        options |= {"--quasi-identifiers": QUASI_IDENTIFIERS, "--sensitive": "Occupation"}
    run([AUDIT, "simulate", *(str(word) for pair in options.items() for word in pair)])


def measure(wanted: EquivalenceRun, microdata: Path, folder: Path, setting: EquivalenceSetting) -> dict[str, Any]:
    """Publish a series by Anatomy, measure it, and delete it. A method may refuse."""
    series, merged = folder / "series", folder / "merged"
    method = "m-invariance" if wanted.method == "merged" else wanted.method
    command = [
        AUDIT,
        "anonymize",
        "--no-audit",
        str(microdata),
        "--method",
        method,
        "--m",
        str(wanted.m),
        "--publish",
        "anatomy",
    ]
    command += ["--e", str(wanted.e)] if wanted.e else []
    found: dict[str, Any] = asdict(wanted)
    try:
        published = publish([*command, "--seed", "1", "--output", str(series)])
        if isinstance(published, str):
            return {**found, "refused": published}
        found["seconds"] = published.seconds / setting.snapshots
        if wanted.method == "merged":
            run([sys.executable, "-m", "series_bench.papers.equivalence.merging", str(series), str(merged)])
            series = merged
        if wanted.measure == "attack":
            return found | attacked(series, setting)
        thetas = setting.thetas if wanted.measure == "queries" else ()
        return found | utility(microdata, series, thetas, setting.queries)
    finally:
        for each in (folder / "series", merged):
            shutil.rmtree(each, ignore_errors=True)


def attacked(series: Path, setting: EquivalenceSetting) -> dict[str, Any]:
    """Return what the attack found: all that is measured, how complete it is, and how long it took."""
    command = [AUDIT, str(series), "--attack", "equivalence", "--max-e", str(setting.side - 1)]
    command += ["--format", "json", "--findings", "0", "--time-limit", str(setting.seconds)]
    (attack,) = json.loads(run(command, allowed=(0, 1, 3)).printed)["attacks"]
    return {
        **{name: attack["measures"][name] for name in ("min_e", "compromised", "timeline", "individuals", "ways")},
        **{name: attack[name] for name in ("status", "reason")},
        "attack_seconds": attack["seconds"],
    }


# -- figures ------------------------------------------------------------------------------------------------------


def tables(found: Iterable[dict[str, Any]], figures: Sequence[int], setting: EquivalenceSetting) -> Iterator[str]:
    """Yield the figures as tables."""
    entries = {_wanted(each): each for each in found}
    m, e = setting.m, setting.side
    by_e = {_named(each): entries.get(each, {}) for each in plan([7], setting)}
    releases = range(setting.snapshots)
    if 6 in figures:
        some = {f"{_named(each)}, m = {each.m}": entries.get(each, {}) for each in plan([6], setting)}
        rows = [[str(j + 1), *(_at(entry, "timeline", j) for entry in some.values())] for j in releases]
        rows.append(["least e", *map(_bounds, some.values())])
        yield table(f"Figure 6: people in an equivalence with e < {e} after each release", ["release", *some], rows)
    if 7 in figures:
        rows = [[str(j + 1), *(_at(entry, "counterfeits", j) for entry in by_e.values())] for j in releases]
        yield table(f"Figure 7: counterfeits of each release, m = {m}", ["release", *by_e], rows)
    if 8 in figures:
        pairs = [[each for each in plan([8], setting) if each.slope == slope] for slope in setting.slopes]
        rows = [[str(pair[0].slope), *(_counterfeits(entries.get(each, {})) for each in pair)] for pair in pairs]
        head = ["s", *map(_named, pairs[0])]
        yield table(f"Figure 8: counterfeits of a release with skewed insertions, m = {m}", head, rows)
    if 9 in figures:
        rows = [
            [_named(each), *(_error(entries.get(each, {}), theta) for theta in setting.thetas)]
            for each in plan([9], setting)
        ]
        title = f"Figure 9: query error of the last release (mean of all) by theta, m = {m}"
        yield table(title, ["", *(f"{theta:g}" for theta in setting.thetas)], rows)
    if 10 in figures:
        row = ["seconds", *(f"{entry['seconds']:.2f}" if "seconds" in entry else "" for entry in by_e.values())]
        yield table(f"Figure 10: time of a release by e, m = {m}", ["", *by_e], [row])


def _wanted(entry: dict[str, Any]) -> EquivalenceRun:
    return EquivalenceRun(*(entry[name] for name in ("measure", "method", "m", "e", "slope")))


def _named(wanted: EquivalenceRun) -> str:
    if wanted.method == "merged":
        return "merged buckets"
    return f"e-equivalence, e = {wanted.e}" if wanted.e else wanted.method


def _at(entry: dict[str, Any], name: str, place: int) -> str:
    """Return the figure of one release."""
    return "refused" if "refused" in entry else f"{entry[name][place]:,}" if name in entry else ""


def _bounds(entry: dict[str, Any]) -> str:
    """Return what is known of the least e."""
    if "min_e" not in entry:
        return ""
    lower, upper = (entry["min_e"][end] for end in ("lower", "upper"))
    if lower == upper:
        return "none" if lower is None else str(lower)
    return f"{lower} to {'?' if upper is None else upper}"


def _counterfeits(entry: dict[str, Any]) -> str:
    if "counterfeits" not in entry:
        return "refused" if "refused" in entry else ""
    return f"{statistics.mean(entry['counterfeits']):,.1f} (at most {max(entry['counterfeits']):,})"


def _error(entry: dict[str, Any], theta: float) -> str:
    errors = entry.get("query_error", {}).get(str(theta), [])
    known = [error for error in errors if error is not None]
    return f"{known[-1]:.2%} ({statistics.mean(known):.2%})" if known else ""


# -- the whole ----------------------------------------------------------------------------------------------------


def main() -> int:
    """Run what is missing, one microdata folder after the other, write the results after each series, print tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    told = f"table with the columns id, {QUASI_IDENTIFIERS} and Occupation, but for Figure 8; default: simulated people"
    parser.add_argument("--population", type=Path, metavar="TABLE", help=told)
    experiment = asked(parser, "equivalence.json", FIGURES, (FULL, QUICK))
    setting, folder = experiment.setting, experiment.folder
    there = [_wanted(entry) for entry in experiment.document["runs"]]
    missing = [each for each in plan(experiment.figures, setting) if each not in there]
    for slope in dict.fromkeys(each.slope for each in missing):
        microdata = folder / "microdata"
        shutil.rmtree(microdata, ignore_errors=True)
        simulate(experiment.population, microdata, slope, setting)
        for each in missing:
            if each.slope != slope:
                continue
            print(f"{each.measure}: {_named(each)}, m = {each.m}, s = {slope} …", file=sys.stderr, flush=True)
            experiment.add(measure(each, microdata, folder, setting))
        shutil.rmtree(microdata, ignore_errors=True)
    print(*tables(experiment.document["runs"], experiment.figures, setting), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
