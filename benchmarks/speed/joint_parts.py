"""Joint parts: the stages of the joint attack, and anonypyx on the same question, as jobs of `benchmarks.speed.warm`.

Names: `settled-RELEASES`, the time until all people, and then all values, are decided, for the first releases;
`joint-RELEASES-SECONDS`, the stages on them with a time limit, with the publisher's world and without it;
`crowd-joint` and `crowd-anonypyx`, the possible values of all people of a register, considered together.
The stages and anonypyx are timed without a warm-up: the stages warm up by themselves, and anonypyx would take too long.
"""

from __future__ import annotations

import resource
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from attacks.joint.attack import AIMS, JointAttack, decide
from attacks.joint.knowledge import Knowledge
from attacks.joint.network_builder import network_of
from attacks.joint.settling import TWO, Settling
from attacks.joint.values import Findings, version_values
from audit.adversary.build_evidence import build_evidence
from audit.adversary.view import handed
from audit.io.series import open_series
from audit.model.evidence import Evidence
from audit.runtime.budget import Budget
from audit.runtime.distributed.engines import engine
from benchmarks.speed.measure import MB
from series_bench.papers.processes import KIB

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
    if tool == "settled":
        return _settled(series, int(rest))
    releases, seconds = map(int, rest.split("-"))
    return _stages(series, releases, seconds)


# -- the last release alone ---------------------------------------------------------------------------------------


class Clocked(Settling):
    """Settling that records the time at which all people are decided."""

    decided: float | None = None

    def _left(self, aim: int) -> int:
        if self.decided is None and not self.known.undecided(TWO).any():
            self.decided = time.perf_counter()
        return super()._left(aim)


def _settled(series: Path, releases: int) -> Job:
    (everything,) = build_evidence(open_series(series))
    evidence = replace(handed(everything, JointAttack()), tags=everything.tags[:releases])

    def run() -> dict[str, object]:
        begun = time.perf_counter()
        network = network_of(evidence, releases, Budget())
        with engine() as every_core:  # as an audit does it
            settling = Clocked(evidence, network, Budget(engine=every_core))
            decision = settling.settle(None, AIMS)
        ended = time.perf_counter()
        values = Findings(decision)
        return {
            "seconds": ended - begun,
            "decided": (settling.decided or ended) - begun,
            "undecided": int((~values.decided).sum()),
            "certain": len(values.certain),
            "open": values.open,
            "pairs": values.pairs,
        }

    return run


# -- stages -------------------------------------------------------------------------------------------------------


def _stages(series: Path, releases: int, seconds: float) -> Job:
    # A process that goes on working has the compiled kernels loaded, and then uses them.
    import numba  # noqa: F401

    (everything,) = build_evidence(open_series(series))
    evidence = replace(handed(everything, JointAttack()), tags=everything.tags[:releases])
    for each in (evidence, _withheld(evidence)):
        decide(replace(each, tags=each.tags[:2]), Budget(_WARM_UP))

    def run() -> dict[str, object]:
        begun = time.perf_counter()
        network = network_of(evidence, releases, Budget())
        clock = {"network": time.perf_counter() - begun}
        begun = time.perf_counter()
        narrowed = Knowledge(network)
        narrowed.narrow()
        clock["fixpoint"] = time.perf_counter() - begun
        handed = Whole.of(evidence, seconds)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * KIB / MB
        withheld = Whole.of(_withheld(evidence), seconds)
        alone, filtered = Findings(Knowledge(network)), Findings(narrowed)
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
            "left": filtered.pairs - filtered.eliminated - len(filtered.certain),
            "handed": handed.summary(),
            "withheld": withheld.summary(),
            "contradictions": handed.contradictions(withheld),
        }

    return run


def _withheld(evidence: Evidence) -> Evidence:
    return replace(evidence, world=())


@dataclass(frozen=True)
class Whole:
    """The result of the whole attack, without proofs, and its time."""

    decision: Knowledge
    values: Findings
    seconds: float

    @classmethod
    def of(cls, evidence: Evidence, seconds: float) -> Whole:
        """Run the attack."""
        begun = time.perf_counter()
        decision = decide(evidence, Budget(seconds)).last
        values = Findings(decision)
        return cls(decision, values, time.perf_counter() - begun)

    def summary(self) -> dict[str, object]:
        """Return the time and the counts for the report."""
        values = self.values
        counts = {"certain": len(values.certain), "eliminated": values.eliminated, "open": values.open}
        return {"seconds": self.seconds, "feasible": self.decision.feasible, **counts}

    def contradictions(self, second: Whole) -> int:
        """Return how many choices are in a world by one result and in none by the other."""
        left, right = self.decision, second.decision
        wrong = (left.shown & ~right.alive) | (right.shown & ~left.alive)
        if not (self.values.open or second.values.open):
            wrong = left.alive ^ right.alive
        return int(wrong.sum())


def _people(decision: Knowledge, values: Findings) -> int:
    """Return how many people have a version that is certain."""
    return len(np.unique(decision.network.versions.person[values.certain]))


# -- beside anonypyx ----------------------------------------------------------------------------------------------


def _crowd_joint(series: Path) -> Job:
    JointAttack().run(build_evidence(open_series(series), "register")[0], Budget())  # to warm up

    def ask() -> dict[str, object]:
        begun = time.perf_counter()
        opened = open_series(series)
        (evidence,) = build_evidence(opened, "register")
        decision = decide(evidence, Budget()).last
        seconds = time.perf_counter() - begun
        network = decision.network
        possible: dict[str, list[str]] = {}
        for release in range(len(network.contents)):
            version, value = version_values(network, decision.alive, release)
            person = network.versions.person[network.versions.release == release]
            for place in np.unique(version).tolist():
                texts = sorted(evidence.values[code] for code in value[version == place].tolist())
                possible.setdefault(opened.people.name(person[place]), texts)
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
        listed = register.loc[register["release"] == file.stem, "individual"]
        present.append([place[name] for name in listed])
    return frames, known, present
