"""The tasks and their truth, both from a seed.

Different seeds draw the microdata that methods publish and the series that they attack, even of the same population, so
that one does not reveal the truth of the other.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import tempfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import count
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd

from anonymizers.count_tables import COUNT_METHODS
from audit.api.series import LoadedMicrodata, simulate
from audit.model.errors import InputError
from audit.publishing.publish import PublishOptions, publish
from audit.simulating.count_tables import TablePlan, series_files, true_tables
from series_bench import VERSION
from series_bench.files import write_csv, write_text
from series_bench.tiny import draw_island, write_islands

TaskKind = Literal["publish", "protect", "attack"]
TASKS = "tasks.json"
PUBLIC_SEEDS = ("1", "2")
ATTRIBUTES = {"quasi_identifiers": "Age=20..69,Gender=2,Region=8", "sensitive": "Disease=12"}
_ISLANDS = 40


@dataclass(frozen=True)
class Truth:
    """The truth behind a series: the value that each question asks for.

    Attributes:
        values: the value of each question; it may have entries without a question.
        worlds: the probability of each value by question, if all worlds were enumerated.
    """

    values: Mapping[str, str]
    worlds: Mapping[str, Mapping[str, float]] | None = None


@dataclass(frozen=True)
class Population:
    """People who arrive, leave and change, and the method that publishes their series for attacks.

    Attributes:
        options: of the simulation.
        method, parameters: what publishes the series.
        adversary: `linked` knows who is in which group, `register` has exact quasi-identifiers.
    """

    options: Mapping[str, object]
    method: str
    parameters: Mapping[str, int]
    adversary: Literal["linked", "register"] = "linked"


_COMMON = {"rows": 240, "snapshots": 4, "file_type": "csv", **ATTRIBUTES}
POPULATIONS: Mapping[str, Population] = {
    "growing": Population({**_COMMON, "rows": 160, "insertions": 60, "deletions": 0}, "l-diversity", {"l": 3}),
    "turnover": Population({**_COMMON, "insertions": 80, "deletions": 80}, "l-diversity", {"l": 2}, "register"),
    "changing": Population(
        {**_COMMON, "insertions": 60, "deletions": 60, "diameter": 4, "changes": 40, "closed": True},
        "l-diversity",
        {"l": 2},
    ),
    "episodes": Population(
        {**_COMMON, "insertions": 80, "deletions": 80, "returning": Fraction(1, 4)}, "l-diversity", {"l": 2}
    ),
}
COUNTS: Mapping[str, tuple[TablePlan, str]] = {
    "monthly": (TablePlan(releases=6, areas=6, ages=4), "threshold"),
    "quarters": (TablePlan(releases=4, areas=5, ages=4), "rounding"),
}
"""Tables that count everybody since the year began, with what protects those that are attacked."""


@dataclass(frozen=True)
class Case:
    """One task; its folder is `kind`-`name`-`seed`.

    `series` and `truth` are None if the method publishes.
    """

    kind: TaskKind
    name: str
    seed: str

    @property
    def folder(self) -> str:
        """The name of its folder."""
        return f"{self.kind}-{self.name}-{self.seed}"

    def number(self, secret: str) -> int:
        """Return the start of its random numbers."""
        digest = hashlib.sha256(
            f"series-bench {VERSION} {secret} {self.seed} {self.kind} {self.name}".encode()
        ).digest()
        return int.from_bytes(digest[:7])


def cases(seeds: Sequence[str], kinds: Sequence[TaskKind]) -> Iterator[Case]:
    """Yield the tasks of some kinds."""
    names: Mapping[TaskKind, Sequence[str]] = {
        "publish": [*POPULATIONS],
        "protect": [*COUNTS],
        "attack": [*POPULATIONS, *COUNTS, "tiny"],
    }
    for kind in kinds:
        for name in names[kind]:
            for seed in seeds:
                yield Case(kind, name, seed)


def write_tasks(folder: Path, chosen: Sequence[Case], secret: str = "") -> None:
    """Write the input of methods, and a list of the tasks."""
    for case in chosen:
        write_task(case, folder / case.folder, secret)
    listed = [{"kind": case.kind, "name": case.name, "seed": case.seed} for case in chosen]
    text = json.dumps({"version": VERSION, "held_out": bool(secret), "tasks": listed}, indent=1)
    write_text(folder / TASKS, text + "\n")


def read_tasks(folder: Path, file: str = TASKS) -> list[Case]:
    """Return the tasks of a folder, or those that a submission answers.

    Raises:
        ValueError: the tasks have another version.
    """
    document = json.loads((folder / file).read_text(encoding="utf-8"))
    if document["version"] != VERSION:
        raise ValueError(f"the tasks are of version {document['version']}, and this is version {VERSION}")
    return [Case(each["kind"], each["name"], each["seed"]) for each in document["tasks"]]


def write_task(case: Case, folder: Path, secret: str) -> Truth | None:
    """Write the input of a task, and return its truth, which is in no file; None if the method publishes."""
    number = case.number(secret)
    folder.parent.mkdir(parents=True, exist_ok=True)
    if case.kind == "publish":
        simulate(folder, seed=number, **POPULATIONS[case.name].options)
        return None
    if case.kind == "protect":
        write_counts(folder, case.name, number, "none")
        return None
    if case.name in COUNTS:
        write_counts(folder, case.name, number, COUNTS[case.name][1])
        return Truth(dict(counted(COUNTS[case.name][0], number)))
    if case.name == "tiny":
        return _tiny(folder, number)
    with tempfile.TemporaryDirectory(prefix="series-bench-") as work:
        return _people(POPULATIONS[case.name], Path(work), folder, number)


def write_counts(folder: Path, name: str, number: int, method: str) -> None:
    """Write a series of count tables."""
    plan, chosen = seeded(COUNTS[name][0], number), COUNT_METHODS[method]
    for file, text in series_files(plan, chosen.publish, chosen.rules):
        write_text(folder / file, text)


def seeded(plan: TablePlan, number: int) -> TablePlan:
    """Return a plan with another seed."""
    return TablePlan(plan.releases, plan.areas, plan.ages, plan.mean, plan.growing, number)


def counted(plan: TablePlan, number: int) -> Iterator[tuple[str, str]]:
    """Yield each cell of each release, as questions name it, with its true count."""
    names = [f"E{n:03d}" for n in range(plan.areas)], [f"{10 * n}-{10 * n + 9}" for n in range(plan.ages)], ["f", "m"]
    labels = [[*each, "All"] for each in names]
    for place, table in enumerate(true_tables(seeded(plan, number)), 1):
        for cell in np.ndindex(table.shape):
            called = "/".join(some[at] for some, at in zip(labels, cell, strict=True))
            yield f"{place:02d}/{called}", str(int(table[cell]))


def _tiny(folder: Path, number: int) -> Truth:
    rng = np.random.default_rng(number)
    islands = [draw_island(rng) for _ in range(_ISLANDS)]
    write_islands(islands, folder)
    values, worlds = {}, {}
    for place, island in enumerate(islands):
        posterior = island.posterior()
        for release, groups in enumerate(island.groups, 1):
            for person, group in enumerate(groups):
                if group is not None:
                    question = f"{release}/{place}.{person}"
                    values[question], worlds[question] = island.values[person], posterior[person]
    return Truth(values, worlds)


def _people(population: Population, work: Path, folder: Path, number: int) -> Truth:
    """Publish a population: as Anatomy pairs with their keys for `linked`, without keys beside a register.

    People are drawn anew where the method refuses to publish them.
    """
    linked = population.adversary == "linked"
    for attempt in count():
        microdata = simulate(work / str(attempt), seed=number + attempt, **population.options)
        try:
            publish_people(microdata, folder, population, "anatomy" if linked else "generalization", number)
        except InputError:
            shutil.rmtree(folder, ignore_errors=True)
            continue
        break
    _rename(folder / "series.toml", f"People, to be attacked by {population.adversary}")
    if linked:
        _forget_values(folder / "private")
    else:
        shutil.rmtree(folder / "private")
        write_register(
            folder, microdata, {tag: set(frame[microdata.opened.individual]) for tag, frame in snapshots(microdata)}
        )
    return Truth(
        {f"{tag}/{who}": value for tag, frame in snapshots(microdata) for who, value in _values(frame, microdata)}
    )


def _forget_values(private: Path) -> None:
    """Reduce the keys of pairs to what the adversary knows: the person of each row, without values."""
    for key in private.glob("*.key.csv"):
        table = pd.read_csv(key, dtype=str, keep_default_na=False)
        write_csv(key, ["row", "individual"], table[["row", "individual"]].to_numpy().tolist())


def _rename(manifest: Path, name: str) -> None:
    """Rename a series: the name of simulated people contains the seed, which reveals the truth."""
    text, count = re.subn(r'(?m)^name = ".*"$', f'name = "{name}"', manifest.read_text(encoding="utf-8"))
    if count != 1:
        raise ValueError("a series has one name")
    write_text(manifest, text)


def publish_people(
    microdata: LoadedMicrodata,
    folder: Path,
    population: Population,
    form: Literal["anatomy", "generalization"],
    seed: int,
) -> None:
    """Publish people by the method of their population."""
    from anonymizers.registry import METHODS
    from audit.principles import registry as principles

    method = METHODS.load(population.method)(**population.parameters)
    principle = principles.find(method.promise.principle, method.promise.parameters)
    publish(microdata.opened, folder, method, principle, PublishOptions(form=form, seed=seed))


def snapshots(microdata: LoadedMicrodata) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield the snapshots by their tags, all cells as text."""
    for each in microdata.opened.snapshots:
        yield each.tag, pd.read_csv(each.path, dtype=str, keep_default_na=False)


def _values(frame: pd.DataFrame, microdata: LoadedMicrodata) -> Iterator[tuple[str, str]]:
    opened = microdata.opened
    return zip(frame[opened.individual], frame[opened.sensitive], strict=True)


def write_register(folder: Path, microdata: LoadedMicrodata, published: Mapping[str, Collection[str]]) -> None:
    """Write who is in which release, with exact quasi-identifiers, and name the file in the manifest."""
    opened = microdata.opened
    columns = [opened.individual, *opened.quasi_identifiers]
    rows = [
        [*line, tag]
        for tag, frame in snapshots(microdata)
        for line in frame[columns].to_numpy().tolist()
        if line[0] in published[tag]
    ]
    write_csv(folder / "register.csv", ["individual", *opened.quasi_identifiers, "release"], rows)
    manifest = folder / "series.toml"
    text = manifest.read_text(encoding="utf-8")
    own = 'register = "register.csv"\n'
    with_own = (
        text.replace("[adversary]\n", f"[adversary]\n{own}")
        if "[adversary]\n" in text
        else f"{text}\n[adversary]\n{own}"
    )
    write_text(manifest, with_own)
