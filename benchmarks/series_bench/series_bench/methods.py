"""Methods: a user's file with one function, or a method of this project.

* `publish(people, before, rng)` returns a group for each person, -1 to withhold the person. `people` is a frame of
  `person`, quasi-identifiers (0 to 1 in their domain) and `value`; `before` has `person`, `group` and `value` of the
  release before, and is None at first.
* `protect(table, rng)` returns a text for each cell of true counts, totals being at the end of each axis. `RULES` of
  its module says what texts stand for, as keys of `[table]` with their values.
* `attack(series)` returns a frame with `question`, `value` and `probability`, given an `AttackedSeries`.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import ClassVar

import numpy as np
import numpy.typing as npt
import pandas as pd

from anonymizers.count_tables import COUNT_METHODS
from anonymizers.registry import METHODS
from audit.api.series import load_microdata
from audit.model.anonymizer import Anonymizer, Bounds, Draft, Form, Promise, PublicationHistory, Snapshot
from audit.model.errors import AuditError
from audit.principles import registry as principles
from audit.publishing.publish import PublishOptions, publish
from series_bench.baselines import ATTACKERS, attack_series, bound_counts
from series_bench.cases import COUNTS, Case, TaskKind, seeded
from series_bench.files import write_text
from series_bench.questions import AttackedSeries, even

FUNCTIONS: tuple[TaskKind, ...] = ("publish", "protect", "attack")
ANSWER, SERIES, REFUSED = "answer.csv", "series", "refused.txt"
Answer = Callable[[Case, Path, Path], None]


@dataclass(frozen=True)
class Method:
    """A method: its kind, and the function that answers a case, given its folder and the folder of the answer."""

    name: str
    kind: TaskKind
    answer: Answer


class MethodError(Exception):
    """A method cannot be loaded, or its answer cannot be read."""


def load_method(path: Path) -> Method:
    """Return the method in a user's file.

    Raises:
        MethodError: there is no such file, or not one of the functions.
    """
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None or not path.is_file():
        raise MethodError(
            f"{path}: there is no such file of Python; correct the path, or name a method of this project"
        )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found = [kind for kind in FUNCTIONS if callable(getattr(module, kind, None))]
    if len(found) != 1:
        raise MethodError(f"{path}: one of {', '.join(FUNCTIONS)} has to be defined, and {len(found)} are")
    (kind,) = found
    own = getattr(module, kind)
    answers: Mapping[TaskKind, Answer] = {
        "publish": partial(_publish, lambda _case: OwnGroups(own)),
        "protect": partial(_protect, own, getattr(module, "RULES", {})),
        "attack": partial(_attack, own),
    }
    return Method(path.stem, kind, answers[kind])


def find_method(name: str) -> Method:
    """Return the method of this project with a name, or else that of the file.

    Raises:
        MethodError: it is neither.
    """
    return baselines().get(name) or load_method(Path(name))


def baselines() -> dict[str, Method]:
    """Return the methods of this project by their names."""
    found = [
        Method(f"publish/{name}", "publish", partial(_publish, partial(_own_method, name))) for name in METHODS.own
    ]
    found += [
        Method(f"protect/{name}", "protect", partial(_protect, each.publish, each.rules))
        for name, each in COUNT_METHODS.items()
    ]
    found += [
        Method("attack/shares", "attack", partial(_attack, lambda series: even(series.candidates))),
        Method("attack/differencing", "attack", partial(_attack, bound_counts)),
    ]
    for name in ATTACKERS:
        found.append(Method(f"attack/{name}", "attack", partial(_attack, partial(attack_series, name))))
    return {method.name: method for method in found}


# -- publishing ---------------------------------------------------------------------------------------------------

_PARAMETERS: Mapping[str, Mapping[str, int]] = {
    "m-invariance": {"m": 2, "withhold": True},
    "m-distinct": {"m": 2},
    "m-distinct-star": {"m": 2},
    "e-equivalence": {"m": 2, "e": 2, "withhold": True},
    "monotonic-mondrian": {"k": 5},
    "mondrian": {"k": 5},
    "l-diversity": {"l": 2},
}
"""Parameters that work for every population."""


def _own_method(name: str, _case: Case) -> Anonymizer:
    found: Anonymizer = METHODS.load(name)(**_PARAMETERS[name])
    return found


@dataclass(frozen=True)
class OwnGroups:
    """A user's function that puts people into groups, as an anonymizer; it promises nothing."""

    function: Callable[[pd.DataFrame, pd.DataFrame | None, np.random.Generator], Iterable[int]]
    name: ClassVar[str] = "own"
    promise: ClassVar[Promise] = Promise("k-anonymity", {"k": 1})
    forms: ClassVar[tuple[Form, ...]] = ("generalization", "anatomy")
    links_records: ClassVar[bool] = False
    follows_updates: ClassVar[bool] = False

    def publish(self, snapshot: Snapshot, so_far: PublicationHistory, rng: np.random.Generator, /) -> Draft:
        """Return the groups as a draft, whose cells reach around the members of each."""
        people = pd.DataFrame(snapshot.places(), columns=[scale.name for scale in snapshot.scales])
        people.insert(0, "person", snapshot.person)
        people["value"] = snapshot.value
        last, before = so_far.last, None
        if last is not None:
            before = pd.DataFrame({"person": last.person, "group": last.group, "value": last.own})
        group = np.asarray(list(self.function(people, before, rng)))
        if group.shape != (len(snapshot),) or group.dtype.kind not in "iu":
            raise MethodError("publish has to return a whole number for each person")
        row = np.flatnonzero(group >= 0).astype(np.int32)
        if not len(row):
            raise MethodError("publish has to leave somebody")
        _, dense = np.unique(group[row], return_inverse=True)
        order = np.argsort(dense, kind="stable")
        start = np.flatnonzero(np.r_[True, np.diff(dense[order]) > 0])
        points = snapshot.point[row][order]
        low, high = np.minimum.reduceat(points, start), np.maximum.reduceat(points, start)
        return Draft(row, dense.astype(np.int32), snapshot.value[row], Bounds(low, high))


def _publish(method: Callable[[Case], Anonymizer], case: Case, task: Path, output: Path) -> None:
    chosen = method(case)
    principle = principles.find(chosen.promise.principle, chosen.promise.parameters)
    opened = load_microdata(task).opened
    options = PublishOptions(seed=0)
    microdata = opened.closed()[0] if chosen.follows_updates and opened.transitions is not None else opened
    publish(microdata, output / SERIES, chosen, principle, options)


def _protect(
    own: Callable[[npt.NDArray[np.int64], np.random.Generator], npt.NDArray[np.str_]],
    rules: Mapping[str, str],
    case: Case,
    task: Path,
    output: Path,
) -> None:
    """Write the same tables with other texts; the manifest describes their meaning."""
    rng = np.random.default_rng(0)
    text = (task / "series.toml").read_text(encoding="utf-8")
    told = "".join(f"{key} = {value}\n" for key, value in rules.items())
    write_text(output / SERIES / "series.toml", text.replace("over_time =", f"{told}over_time =", 1))
    plan = seeded(COUNTS[case.name][0], 0)
    shape = (plan.areas + 1, plan.ages + 1, 3)
    for file in sorted((task / "releases").glob("*.csv")):
        frame = pd.read_csv(file)
        texts = np.asarray(own(frame["people"].to_numpy().reshape(shape), rng))
        if texts.shape != shape:
            raise MethodError("protect has to return a text for each cell")
        frame["people"] = texts.ravel().astype(str)
        write_text(output / SERIES / "releases" / file.name, frame.to_csv(index=False, lineterminator="\n"))


# -- attacking ----------------------------------------------------------------------------------------------------


def _attack(own: Callable[[AttackedSeries], pd.DataFrame], _case: Case, task: Path, output: Path) -> None:
    claims = own(AttackedSeries(task))
    lacking = {"question", "value", "probability"} - set(claims)
    if lacking:
        raise MethodError(f"attack has to return the column {min(lacking)}")
    text = claims[["question", "value", "probability"]].to_csv(index=False, lineterminator="\n")
    write_text(output / ANSWER, text)


def answer(method: Method, case: Case, task: Path, output: Path) -> None:
    """Let a method answer a case; if it refuses, the reason is the answer."""
    output.mkdir(parents=True)
    try:
        method.answer(case, task, output)
    except AuditError as refusal:
        write_text(output / REFUSED, f"{refusal}\n")
