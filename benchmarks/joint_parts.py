"""The joint attack's stages, and its question asked of anonypyx, as jobs of `benchmarks.warm`.

Names: `joint-RELEASES-SECONDS`, the stages on some first releases with a time limit, from the publisher's world and
with that world withheld; `crowd-joint` and `crowd-anonypyx`, which values are possible for everybody in a register when
all are taken together. The first and the last are timed without a warm-up: the stages warm up by themselves, and
anonypyx would take too long.
"""

from __future__ import annotations

import resource
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from attacks.joint.attack import Joint, Values
from attacks.joint.deciding import Decision, decide
from attacks.joint.domains import narrowed, unpacked
from attacks.joint.network import Words, network_of
from attacks.joint.parts import possible_values
from audit.core.budget import Budget
from audit.core.evidence import Codes, Evidence
from audit.linking.gathering import gather
from audit.reading.series import open_series
from benchmarks.measure import KIB, MB

if TYPE_CHECKING:
    import pandas as pd

Job = Callable[[], dict[str, object]]
_WARM_UP = 2.0


def build(tool: str, rest: str, series: Path) -> Job:
    """Return the job of a name.

    Raises:
        ValueError: there is none.
    """
    if tool == "crowd":
        return {"joint": _crowd_joint, "anonypyx": _crowd_anonypyx}[rest](series)
    releases, seconds = map(int, rest.split("-"))
    return _stages(series, releases, seconds)


# -- stages -------------------------------------------------------------------------------------------------------


class Withholding:
    """A source of evidence that tells no world."""

    def __init__(self, source: object) -> None:
        self._source = source

    def __getattr__(self, name: str) -> object:
        return getattr(self._source, name)

    def world(self, release: int) -> Codes | None:
        """Return nothing."""
        return None


def _stages(series: Path, releases: int, seconds: float) -> Job:
    # A process that goes on working has the compiled kernels loaded, and then uses them.
    import numba  # noqa: F401

    (everything,) = gather(open_series(series))
    evidence = replace(everything, tags=everything.tags[:releases])
    for position in range(releases):
        evidence.source.hosts(position)  # read, outside the clocks
    for some in (evidence, _withheld(evidence)):
        decide(replace(some, tags=some.tags[:2]), Budget(_WARM_UP))

    def run() -> dict[str, object]:
        begun = time.perf_counter()
        network = network_of(evidence)
        clock = {"network": time.perf_counter() - begun}
        begun = time.perf_counter()
        *_, (_, own, left, _) = narrowed(network, releases)
        clock["fixpoint"] = time.perf_counter() - begun
        handed = Whole.of(evidence, seconds)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * KIB / MB
        withheld = Whole.of(_withheld(evidence), seconds)
        nothing = np.zeros_like(left)
        alone, filtered = (Values(replace(handed.decision, own=own, possible=p, shown=nothing)) for p in (own, left))
        return {
            "seconds": handed.seconds,
            "clock": clock,
            "peak_mb": peak,
            "people": len(np.unique(network.versions.person[network.versions.counted])),
            "versions": int(network.versions.counted.sum()),
            "fallen": {
                "alone": _people(handed.decision, alone),
                "narrowed": _people(handed.decision, filtered),
                "whole": _people(handed.decision, handed.values),
            },
            "left": _undecided(handed.decision, left),
            "handed": handed.told(),
            "withheld": withheld.told(),
            "contradictions": handed.contradictions(withheld),
        }

    return run


def _withheld(evidence: Evidence) -> Evidence:
    return replace(evidence, source=Withholding(evidence.source))  # type: ignore[arg-type]


@dataclass(frozen=True)
class Whole:
    """The attack from beginning to end, without proofs: what it decided, and in what time."""

    decision: Decision
    values: Values
    seconds: float

    @classmethod
    def of(cls, evidence: Evidence, seconds: float) -> Whole:
        """Run it."""
        begun = time.perf_counter()
        decision, earlier = decide(evidence, Budget(seconds))
        values = Values(decision)
        for each in earlier:
            Values(each)  # for the timeline
        return cls(decision, values, time.perf_counter() - begun)

    def told(self) -> dict[str, object]:
        """Return what is told of it."""
        values = self.values
        counts = {"certain": int(values.certain.sum()), "eliminated": values.eliminated, "open": values.open}
        return {"seconds": self.seconds, "feasible": self.decision.feasible, **counts}

    def contradictions(self, other: Whole) -> int:
        """Return how many tracks have a value that one says is in a world and the other says is in none."""
        one, two = self.decision, other.decision
        wrong = (one.shown & ~two.possible) | (two.shown & ~one.possible)
        if not (self.values.open or other.values.open):
            wrong = one.possible ^ two.possible
        return int(wrong.any(axis=1).sum())


def _people(decision: Decision, values: Values) -> int:
    """Return how many people have a version that is certain."""
    return len(np.unique(decision.network.versions.person[values.certain]))


def _undecided(decision: Decision, left: Words) -> int:
    """Return how many pairs of version and value were left by narrowing to be decided, where there are several."""
    network, number = decision.network, 0
    for release in range(len(network.hosts)):
        counted = network.versions.counted[network.versions.release == release]
        size = possible_values(network, left, release)[counted].sum(axis=1)
        number += int(size[size > 1].sum())
    return number


# -- beside anonypyx ----------------------------------------------------------------------------------------------


def _crowd_joint(series: Path) -> Job:
    Joint().run(gather(open_series(series), "register")[0], Budget())  # to warm up

    def ask() -> dict[str, object]:
        begun = time.perf_counter()
        opened = open_series(series)
        (evidence,) = gather(opened, "register")
        decision, _ = decide(evidence, Budget())
        seconds = time.perf_counter() - begun
        held = unpacked(decision.possible, len(evidence.values))
        who = dict(
            zip(decision.network.versions.track.tolist(), decision.network.versions.person.tolist(), strict=True)
        )
        possible = {
            opened.people.name(who[track]): sorted(evidence.values[value] for value in np.flatnonzero(row).tolist())
            for track, row in enumerate(held)
        }
        return {"seconds": seconds, "possible": dict(sorted(possible.items()))}

    return ask


def _crowd_anonypyx(series: Path) -> Job:
    """Ask its exact attacker; only its own work is timed, releases and register being in its own form."""
    from anonypyx.attackers import TrajectoryAttacker
    from anonypyx.generalisation import MachineReadable

    attributes = list(_REGISTERED)
    schema = MachineReadable({}, {name: (f"{name}_min", f"{name}_max") for name in attributes}, ["Occupation"])
    frames, known, present = _frames(series)
    names = known.pop("individual").tolist()

    def ask() -> dict[str, object]:
        begun = time.perf_counter()
        attacker = TrajectoryAttacker(known, attributes, schema)
        for frame, people in zip(frames, present, strict=True):
            attacker.observe(frame, [*attributes, "Occupation"], people)
        attacker.finalise()
        possible = {name: sorted(attacker.predict(place, "Occupation")) for place, name in enumerate(names)}
        return {"seconds": time.perf_counter() - begun, "possible": dict(sorted(possible.items()))}

    return ask


_REGISTERED = ("Age", "Education")


def _frames(series: Path) -> tuple[list[pd.DataFrame], pd.DataFrame, list[list[int]]]:
    """Return the releases with equal rows counted, the people of the register, and who is in each release."""
    import pandas as pd

    def ends(table: pd.DataFrame) -> pd.DataFrame:
        found: dict[str, object] = {}
        for name in _REGISTERED:
            numbers = table[name].astype(str).str.findall(r"\d+")
            found |= {f"{name}_min": numbers.str[0].astype(int), f"{name}_max": numbers.str[-1].astype(int)}
        return pd.DataFrame(found)

    register = pd.read_csv(series / "register.csv", dtype=str)
    people = register.drop_duplicates("individual").reset_index(drop=True)
    known = ends(people).assign(ID=range(len(people)), individual=people["individual"])
    place = {name: number for number, name in enumerate(people["individual"])}
    frames, present = [], []
    for file in sorted((series / "releases").glob("*.csv")):
        table = pd.read_csv(file, dtype=str)
        rows = ends(table).assign(Occupation=table["Occupation"])
        frames.append(rows.groupby(list(rows.columns), as_index=False).size().rename(columns={"size": "count"}))
        here = register.loc[register["release"] == file.stem, "individual"]
        present.append([place[name] for name in here])
    return frames, known, present
