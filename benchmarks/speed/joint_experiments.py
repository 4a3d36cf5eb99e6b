"""Joint experiments: how often values are certain in m-Distinct series: `python -m benchmarks.speed.joint_experiments`.

    python -m benchmarks.speed.joint_experiments --out docs/experiments-joint.md [--quick] [--cores 2]

The part of the file below the line `## Figures` is written anew; the part above describes the method and conclusions.
Every series has its own seed, so that figures depend on the machine only through series that were not finished in time,
which are counted.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, replace
from itertools import product
from math import sqrt
from pathlib import Path

import numpy as np

from anonymizers.m_distinct.method import MDistinctAnonymizer
from attacks.joint.attack import JointAttack
from attacks.update_graph import UpdateGraphAttack
from audit.adversary.build_evidence import build_evidence
from audit.findings.disclosure import Disclosures
from audit.io.microdata import open_microdata
from audit.io.series import Series, open_series
from audit.model.evidence import Evidence
from audit.model.outcome import Outcome
from audit.principles.checker import checked
from audit.principles.registry import find
from audit.publishing.publish import PublishOptions, publish
from audit.runtime.budget import Budget
from benchmarks.speed.random_series import Population, Small, microdata, small_series
from benchmarks.speed.refuting import Conviction, confirm
from series_bench.papers.m_invariance.experiments import table
from series_bench.papers.processes import BenchmarkError, machine, versions
from tests.helpers.tiny import TinySeries
from tests.oracle.worlds import few, worlds

FIGURES = "## Figures"
SPARSE, DENSE = "sparse", "dense"
_CONFIRMED = 3
_ENUMERATED, _MOST_WORLDS = 20, 20_000
_Z = 1.959964
_RESAMPLED = 2_000


@dataclass(frozen=True)
class Setting:
    """The sizes of the experiment.

    Attributes:
        small: the number of tiny series of each kind, by m and density.
        published: the number of series of each kind to publish, by people.
        seconds: the attack's time limit for each series.
    """

    small: dict[tuple[int, str], int]
    published: dict[int, int]
    seconds: float


FULL = Setting(
    {(2, SPARSE): 500, (2, DENSE): 150, (3, SPARSE): 100, (3, DENSE): 40}, {20: 16, 200: 4, 2_000: 2}, seconds=10.0
)
QUICK = Setting(dict.fromkeys(FULL.small, 5), {20: 1, 200: 1}, seconds=2.0)
_SMALL_DENSITY = {SPARSE: 0.1, DENSE: 0.3}
_DENSITY = {SPARSE: 0.03, DENSE: 0.1}


@dataclass(frozen=True)
class Kind:
    """Series of one kind: tiny ones, or populations published by m-distinct."""

    drawn: Small | Population
    m: int
    density: str


@dataclass(frozen=True)
class Found:
    """The result for one series.

    Attributes:
        certain: versions that are certain if all people are considered together.
        versions: the number of versions.
        disclosed: versions that are certain if each person is considered alone.
        complete: whether every value was decided; if not, more versions may be certain.
        enumerated: whether an enumeration of all worlds gave the same result.
        confirmed: the number of convictions that another programme proved.
    """

    certain: int
    versions: int
    disclosed: int
    complete: bool
    enumerated: bool = False
    confirmed: int = 0

    @property
    def share(self) -> float:
        """The share of the versions that are certain."""
        return self.certain / self.versions


def plan(setting: Setting) -> list[tuple[Kind, int]]:
    """Return the kinds of series, and how many of each."""
    sizes = {2: (4, 6, 8), 3: (6, 8)}
    found = [
        (Kind(Small(m, people, releases, _SMALL_DENSITY[density]), m, density), number)
        for (m, density), number in setting.small.items()
        for people, releases in product(sizes[m], (2, 3, 4))
    ]
    found += [
        (Kind(Population(people, _DENSITY[density], changes), m, density), number)
        for people, number in setting.published.items()
        for m, density, changes in product((2, 3, 4), (SPARSE, DENSE), (0.1, 0.5))
    ]
    return found


def work(task: tuple[Kind, int, float]) -> Found:
    """Draw the series of a number and attack it."""
    kind, number, seconds = task
    words = [int(1000 * value) for value in asdict(kind.drawn).values()]
    rng = np.random.default_rng([number, kind.m, *words])
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if isinstance(kind.drawn, Small):
            return _small(small_series(kind.drawn, rng), kind, number, folder, seconds)
        return _published(kind, rng, folder, seconds)


def _small(drawn: TinySeries, kind: Kind, number: int, folder: Path, seconds: float) -> Found:
    verdict = checked(find("m-distinct", {"m": kind.m}), open_series(drawn.write(folder)))
    if not verdict.holds:
        raise BenchmarkError(f"a series that was drawn is not {verdict.promise}")
    series = open_series(folder)
    found, claims = attacked(series, seconds)
    if number % _ENUMERATED or not found.complete or not few(drawn, "linked", _MOST_WORLDS):
        return found
    everything = worlds(drawn)
    possible = {(who, j): everything.possible(who, j) for who in drawn.people() for j in drawn.presence(who)}
    if set(claims) != {(*version, *values) for version, values in possible.items() if len(values) == 1}:
        raise BenchmarkError(f"enumeration says something else of {kind} {number}")
    return replace(found, enumerated=True)


def _published(kind: Kind, rng: np.random.Generator, folder: Path, seconds: float) -> Found:
    if not isinstance(kind.drawn, Population):
        raise TypeError(kind)
    source = open_microdata(microdata(kind.drawn, folder / "microdata", rng))
    method, output = MDistinctAnonymizer(kind.m), folder / "series"
    # Every release is checked against the promise as it is written.
    publish(source, output, method, find(method.name, {"m": kind.m}), PublishOptions(seed=int(rng.integers(1 << 31))))
    series = open_series(output)
    found, claims = attacked(series, seconds)
    chosen = [claims[place] for place in rng.permutation(len(claims))[:_CONFIRMED].tolist()]
    return replace(found, confirmed=confirm(output, series.tags, chosen)) if chosen else found


def attacked(series: Series, seconds: float) -> tuple[Found, list[Conviction]]:
    """Return the results of both attacks, and the convictions of the joint one."""
    (evidence,) = build_evidence(series)
    together, alone = JointAttack().run(evidence, Budget(seconds)), UpdateGraphAttack().run(evidence, Budget())
    if together.status == "skipped" or alone.status != "complete":
        raise BenchmarkError(f"joint is {together.status}, update-graph is {alone.status}")
    certain, total, disclosed = (
        int(str(outcome.measures[name]))
        for outcome, name in ((together, "certain"), (together, "versions"), (alone, "disclosed"))
    )
    found = Found(certain, total, disclosed, complete=together.status == "complete")
    return found, _convictions(series, evidence, together)


def _convictions(series: Series, evidence: Evidence, outcome: Outcome) -> list[Conviction]:
    claims = outcome.claims
    if not isinstance(claims, Disclosures):
        return []
    columns = zip(claims.person.tolist(), claims.release.tolist(), claims.value.tolist(), strict=True)
    return [(series.people.name(who), release, evidence.values[value]) for who, release, value in columns]


# -- tables -------------------------------------------------------------------------------------------------------


def wilson(hits: int, number: int) -> tuple[float, float]:
    """Return the 95 % interval of a share (Wilson's score interval).

    >>> [round(end, 3) for end in wilson(0, 100)], [round(end, 3) for end in wilson(5, 100)]
    ([0.0, 0.037], [0.022, 0.112])
    """
    share, spread = hits / number, _Z**2 / number
    middle = (share + spread / 2) / (1 + spread)
    half = _Z * sqrt(share * (1 - share) / number + spread / number / 4) / (1 + spread)
    return max(0.0, middle - half), min(1.0, middle + half)


def mean_interval(shares: Sequence[float]) -> tuple[float, float]:
    """Return the 95 % interval of a mean share (percentile bootstrap over series).

    Where no series has anything, the share of versions is at most the share of series that may have.
    """
    if not any(shares):
        return 0.0, wilson(0, len(shares))[1]
    rng = np.random.default_rng(1)
    means = rng.choice(np.array(shares), (_RESAMPLED, len(shares))).mean(axis=1)
    low, high = np.quantile(means, [0.025, 0.975])
    return float(low), float(high)


def cells(found: Sequence[Found]) -> list[str]:
    """Return the cells of a row: series with convictions, their share, the share of versions, unfinished series."""
    hits, shares = sum(each.certain > 0 for each in found), [each.share for each in found]
    unfinished = sum(not each.complete for each in found)
    return [
        f"{len(found):,}",
        f"{hits:,}",
        _percent(hits / len(found), wilson(hits, len(found)), unfinished),
        _percent(sum(shares) / len(shares), mean_interval(shares), unfinished),
        f"{unfinished:,}",
    ]


def _percent(share: float, interval: tuple[float, float], unfinished: int) -> str:
    """Render a share and its interval; both are lower bounds if series are unfinished."""
    if unfinished:
        return f"at least {share:.2%} (from {interval[0]:.2%})"
    return f"{share:.2%} ({interval[0]:.2%} to {interval[1]:.2%})"


HEAD = ("series", "convict somebody", "share of the series", "share of the versions", "not finished")
NameOf = Callable[[Kind], tuple[str, ...]]


def by(found: Iterable[tuple[Kind, Found]], name_of: NameOf) -> list[list[str]]:
    """Return a row for each name of kinds, in the order of first occurrence."""
    groups: dict[tuple[str, ...], list[Found]] = {}
    for kind, each in found:
        groups.setdefault(name_of(kind), []).append(each)
    return [[*name, *cells(results)] for name, results in groups.items()]


def _people(kind: Kind) -> str:
    return f"{kind.drawn.people:,}"


def _changes(kind: Kind) -> str:
    return f"{kind.drawn.changes:.0%}" if isinstance(kind.drawn, Population) else ""


def _releases(kind: Kind) -> str:
    return str(kind.drawn.releases if isinstance(kind.drawn, Small) else kind.drawn.snapshots)


def tables(found: Sequence[tuple[Kind, Found]]) -> Iterator[str]:
    """Yield all tables."""
    small = [each for each in found if isinstance(each[0].drawn, Small)]
    large = [each for each in found if isinstance(each[0].drawn, Population)]
    head = ["m", "transitions", "people", "releases", *HEAD]
    rows = by(small, lambda kind: (str(kind.m), kind.density, _people(kind), _releases(kind)))
    yield table("**Tiny series, drawn at random**", head, rows)
    head = ["people", "m", *HEAD]
    rows = by(large, lambda kind: (_people(kind), str(kind.m)))
    yield table("**Series published by `m-distinct`, all transitions and update rates**", head, rows)
    head = ["people", "transitions", "values drawn anew", *HEAD]
    rows = by(large, lambda kind: (_people(kind), kind.density, _changes(kind)))
    yield table("**The same by transitions and update rate, all m**", head, rows)


def page(found: Sequence[tuple[Kind, Found]], seconds: float, limit: float) -> str:
    """Return what stands below the line `## Figures`."""
    about, tools = machine(), versions()
    disclosed, proved = (sum(getattr(each, name) for _, each in found) for name in ("disclosed", "confirmed"))
    listed = sum(each.enumerated for _, each in found)
    lines = [
        FIGURES,
        "",
        f"Run on {time.strftime('%Y-%m-%d')} in {seconds / 60:.0f} minutes: {about['cpu']}, {about['cores']} cores,",
        f"Python {tools['python']}, numpy {tools['numpy']}, OR-Tools {tools['ortools']}; {limit:g} s for each series.",
        f"`update-graph` discloses {disclosed:,} versions in all these series together. {listed:,} tiny series were",
        f"enumerated world by world, with the same answer; {proved:,} convictions in published series were proved",
        "again by another programme.",
        "",
    ]
    return "\n".join([*lines, *tables(found)])


def main() -> int:
    """Draw, attack, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True, help="the page; what is above its figures is kept")
    parser.add_argument("--quick", action="store_true", help="a few series of each kind; the figures say nothing")
    parser.add_argument("--cores", type=int, default=2)
    options = parser.parse_args()
    setting = QUICK if options.quick else FULL
    tasks = [(kind, place, setting.seconds) for kind, number in plan(setting) for place in range(number)]
    # The longest first, so that no core is left without work in the end.
    order = sorted(range(len(tasks)), key=lambda place: -tasks[place][0].drawn.people)
    begun = time.monotonic()
    with ProcessPoolExecutor(options.cores) as pool:
        done = dict(zip(order, pool.map(work, [tasks[place] for place in order], chunksize=4), strict=True))
    found = [(task[0], done[place]) for place, task in enumerate(tasks)]
    text = page(found, time.monotonic() - begun, setting.seconds)
    above = options.out.read_text(encoding="utf-8").partition(FIGURES)[0] if options.out.exists() else ""
    options.out.write_text(above + text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
