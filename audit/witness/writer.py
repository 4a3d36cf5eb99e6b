"""Write a witness: worlds, proofs and a statement, which files of their own check; the format is in the manual."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from audit.adversary.view import View
from audit.io.atomic_files import atomic_path, hide_from_version_control, write_file
from audit.io.manifest import PRIVATE
from audit.model.arrays import Integers
from audit.model.errors import UsageError, printable_path
from audit.model.outcome import PossibleValues
from audit.model.report import Report
from audit.pipeline.audit_run import AuditRun
from audit.witness import verify_counts
from audit.witness.points import Step, prove_by_groups
from audit.witness.verify import FORMAT, Published, StopError, check_world, different, numbered, values
from audit.witness.verify_points import Left

FILES = ("statement.json", "proofs.json", "worlds.parquet")
_MOST_WORLDS = 60
_SHUFFLES = 12


@dataclass(frozen=True)
class Witness:
    """What is written.

    Attributes:
        series: what is published, as the checkers read it.
        adversary: who it is about.
        worlds: those that are stated; shape (worlds, times, people).
        steps: the proofs of what is in no world.
        claims: what is stated.
        rests: what has no evidence, in words.
    """

    series: Published
    adversary: str
    worlds: Integers
    steps: Sequence[Step]
    claims: Sequence[dict[str, Any]]
    rests: Sequence[str]


def check_folder(series: Path, folder: Path) -> None:
    """Refuse to write a witness where the series is published.

    Raises:
        UsageError: the folder lies in that of the series, outside its private folder, or is a file.
    """
    inside, where = series.resolve(), folder.resolve()
    if where.is_relative_to(inside) and not where.is_relative_to(inside / PRIVATE):
        raise UsageError(
            f"--witness: {printable_path(folder)} lies in the folder of the published series, and a witness names "
            f"people; write it to {printable_path(series / PRIVATE / 'witness')}, or outside the series"
        )
    if where.exists() and not where.is_dir():
        raise UsageError(f"--witness: {printable_path(folder)} is no folder; name another one")


def write_witness(witness: Witness, folder: Path) -> None:
    """Write a witness into a folder, for its owner's eyes alone; the statement comes last.

    Raises:
        UsageError: it cannot be written.
    """
    import pyarrow.parquet as pq

    series = witness.series
    files = {
        name: {"sha256": hashlib.sha256((series.folder / name).read_bytes()).hexdigest(), "rows": rows}
        for name, rows in series.read.items()
    }
    statement = {
        "format": FORMAT,
        "adversary": witness.adversary,
        "claims": witness.claims,
        "rests": witness.rests,
        "values": [list(value) for value in series.values],
        "files": files,
    }
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        hide_from_version_control(folder)
        for name in FILES:
            (folder / name).unlink(missing_ok=True)
        if len(witness.worlds):
            with atomic_path(folder / "worlds.parquet", mode=0o600) as draft:
                pq.write_table(_table(series, witness.worlds), draft, compression="zstd")
        proofs = json.dumps({"steps": witness.steps}, separators=(",", ":"))
        write_file(folder / "proofs.json", f"{proofs}\n", mode=0o600)
        write_file(folder / "statement.json", json.dumps(statement, indent=1, ensure_ascii=False) + "\n", mode=0o600)
    except OSError as error:
        raise UsageError(
            f"--witness: {error.strerror or 'the files cannot be written'}; name another folder"
        ) from error


def _table(series: Published, worlds: Integers) -> Any:  # noqa: ANN401 - a table of pyarrow
    """Return worlds as a table; a later world has nulls where it is like the first."""
    import pyarrow as pa

    names = np.array([*series.people], dtype=object)
    at, person = (
        np.nonzero(series.home >= 0) if len(worlds[0]) > 1 else (np.zeros(len(names), int), np.arange(len(names)))
    )
    columns: dict[str, Any] = {"individual": pa.array(names[person], pa.string())}
    if series.may is not None:
        columns["release"] = pa.array(np.array(series.tags, dtype=object)[at], pa.string())
    first = worlds[0][at, person]
    for number, world in enumerate(worlds):
        now = world[at, person]
        columns[f"world_{number}"] = pa.array(now, pa.int32(), mask=(now == first) if number else None)
    return pa.table(columns)


def make_witness(run: AuditRun, report: Report, knowing: PossibleValues | None) -> Witness:
    """Return what shows the verdict of a run, as far as worlds and proofs can.

    Args:
        run: the run.
        report: what is reported of it.
        knowing: what is known of the worlds of its last evidence of people's values.

    Raises:
        UsageError: the checkers do not support the series.
    """
    view = worlds_view(run)
    if view.kind not in ("linked", "published"):
        raise UsageError(f"--witness: witnesses for the adversary `{view.kind}` are not supported; leave it out")
    folder = run.series.manifest.folder
    try:
        series = Published(folder, linked=view.kind == "linked")
    except StopError as stop:
        raise UsageError(f"--witness: {stop.args[1]} is not supported; leave --witness out") from None
    except (LookupError, ValueError, OSError) as error:
        what = f"the checkers cannot read the series ({type(error).__name__})"
        raise UsageError(f"--witness: {what}; leave --witness out") from error
    worlds: Integers = np.zeros((0, 1, 0), dtype=np.int32)
    steps = list[Step]()
    claims = list[dict[str, Any]]()
    if series.linked:
        people = sum(not name.startswith("~") for name in series.people)
        if people != run.facts.individuals:
            raise UsageError("--witness: the checker reads other people from the keys; leave --witness out")
        base = _worlds_of(series, view, knowing) if knowing is not None else []
        if len(base):
            left = Left(series)
            worlds = _chosen(series, base)
            steps = list(prove_by_groups(left, worlds[0]))
            claims += _claims(series, worlds, left)
    claims += _counted(series, report)
    return Witness(series, view.kind, worlds, steps, claims, list(_rests(claims, report)))


def worlds_view(run: AuditRun) -> View:
    """Return the evidence whose worlds are stated: of all attributes together, where there are several."""
    return [each for each in run.evidence if not each.followed][-1]


# -- worlds ---------------------------------------------------------------------------------------------------------


def _worlds_of(series: Published, view: View, knowing: PossibleValues) -> list[Integers]:
    """Return the worlds that are known, as people and values are numbered by the checkers; shape (times, people)."""
    code = np.array([series.code.get(_texts(view, value), -1) for value in range(len(view.values))], dtype=np.int32)
    people = [view.source.hosts(at).person for at in range(len(series.tags))]
    place = [np.array([series.people[view.name(each)] for each in some.tolist()], dtype=np.int64) for some in people]
    found = list[Integers]()
    for world in knowing.worlds():
        mine = np.full((series.times, len(series.people)), -1, dtype=np.int32)
        for at, (person, value) in enumerate(zip(place, world, strict=True)):
            mine[at % series.times, person] = code[value]
        found.append(mine)
    return found


def _texts(view: View, value: int) -> tuple[str, ...]:
    """Return a value as texts, one for each attribute."""
    if view.combined is None:
        return (view.values[value],)
    vocabularies = [view.series.vocabularies[name].names for name in view.combined.attributes]
    return tuple(names[part] for names, part in zip(vocabularies, view.combined.parts()[value].tolist(), strict=True))


def _chosen(series: Published, known: Sequence[Integers]) -> Integers:
    """Return the first of some worlds, and those among them and their like that show more; (worlds, times, people)."""
    chosen, same = [known[0]], np.zeros(len(series.people), dtype=np.int64)
    check_world(series, known[0], "the first world")
    two = np.zeros(known[0].shape, dtype=np.bool_)
    for world in (*_turned(series, known[0]), *known[1:], *_shuffled(series, known)):
        more = two | (world != known[0])
        finer = np.unique(same * (len(series.values) + 1) + world[0], return_inverse=True)[1].reshape(-1)
        grows = more.sum() > two.sum() or (series.times == 1 and finer.max(initial=0) > same.max(initial=0))
        if not grows or len(chosen) >= _MOST_WORLDS or not _is_world(series, world):
            continue
        chosen.append(world)
        two, same = more, finer
    return np.stack(chosen)


def _is_world(series: Published, world: Integers) -> bool:
    try:
        check_world(series, world, "")
    except StopError:
        return False
    return True


def _shuffled(series: Published, known: Sequence[Integers]) -> Iterator[Integers]:
    """Yield worlds in which people who are in the same groups throughout exchange what they have."""
    key = np.concatenate([series.home, series.known]).T
    kind = np.unique(key, axis=0, return_inverse=True)[1].reshape(-1)
    order, rng = np.argsort(kind, kind="stable"), np.random.default_rng(0)
    for at in range(_SHUFFLES):
        mixed, world = np.lexsort((rng.random(len(kind)), kind)), known[at % len(known)]
        found = world.copy()
        found[:, order] = world[:, mixed]
        yield found


def _turned(series: Published, world: Integers) -> Iterator[Integers]:
    """Yield worlds in which people take the next value of their groups, where groups that hang together are even.

    In such a part each group has all values equally often, and the same ones as the others (m-invariance, Lemma 3).
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    if series.may is not None or (series.known >= 0).any():
        return
    groups, people = series.held.shape[0], len(series.people)
    release, person = np.nonzero(series.home >= 0)
    home = series.home[release, person]
    edges = coo_array((np.ones(len(home), np.bool_), (person, people + home)), shape=(people + groups,) * 2)
    part = connected_components(edges, directed=False)[1]
    values = np.unique(series.held > 0, axis=0, return_inverse=True)[1].reshape(-1)
    low, high = np.full(part.max() + 1, len(values)), np.full(part.max() + 1, -1)
    np.minimum.at(low, part[people:], values)
    np.maximum.at(high, part[people:], values)
    uneven = ((series.held > 0) & (series.held < series.held.max(axis=1, keepdims=True))).any(axis=1)
    fair = low == high
    fair[part[people:][uneven]] = False
    found = world.copy()
    for each in np.unique(values):
        held = np.flatnonzero(series.held[np.flatnonzero(values == each)[0]])
        after = np.arange(series.held.shape[1])
        after[held] = np.roll(held, 1)
        some = fair[part[:people]] & (low[part[:people]] == each)
        found[0, some] = after[world[0, some]]
    yield found


# -- what is stated -------------------------------------------------------------------------------------------------


def _claims(series: Published, worlds: Integers, left: Left) -> Iterator[dict[str, Any]]:
    """Yield what is stated of worlds and proofs, as the checker finds it."""
    for at, name in enumerate(series.sensitive):
        label = numbered((value[at] for value in series.values), {})
        yield {"claim": "values", "sensitive": name, **values(series, worlds, left.values, label)}
        try:
            yield {"claim": "different", "sensitive": name, **different(series, worlds, label)}
        except StopError:
            continue


def _counted(series: Published, report: Report) -> Iterator[dict[str, Any]]:
    """Yield what is stated of classes and buckets, as the checker counts it."""
    wanted: list[tuple[str, str | None]] = [("k", None)]
    asked = {each.clause for each in report.policy.clauses}
    for name in series.sensitive:
        wanted += [] if series.linked else [("homogeneity", name)]
        wanted += [("min_e", name)] if series.linked and "min_e" in asked else []
    for kind, sensitive in wanted:
        try:
            yield {"claim": kind, "sensitive": sensitive, **verify_counts.CLAIMS[kind](series, sensitive)}
        except NotImplementedError:
            continue


def _rests(claims: Sequence[dict[str, Any]], report: Report) -> Iterator[str]:
    """Yield what of the verdict has no evidence."""
    for claim in claims:
        open_ = claim["total"] - claim["certain"] - claim["two"] if claim["claim"] == "values" else 0
        if open_:
            what = f"{open_} of {claim['total']} {claim['of']}"
            yield f"{what}, whose {claim['sensitive']} is neither proved nor different in two worlds"
    for clause in report.policy.clauses:
        if clause.state in ("holds", "violated", "undecided") and not _is_shown(
            clause.clause, clause.limit, clause.state, claims
        ):
            yield f"that the clause {clause.clause} of the policy ({clause.limit:g}) is: {clause.state}"


def _is_shown(name: str, limit: float, state: str, claims: Sequence[dict[str, Any]]) -> bool:
    """Return whether claims show that a clause of the policy holds, or is violated."""
    values = [each for each in claims if each["claim"] == "values"]
    if name == "max_risk" and limit == 1 and values:
        certain, decided = any(each["certain"] for each in values), all(each["total"] == each["two"] for each in values)
        return certain if state == "violated" else state == "holds" and decided
    if name == "k":
        # By default rows are judged, and people where the clause was stated: then it does not hold where they are few.
        sizes = [(each["rows"], each["people"]) for each in claims if each["claim"] == "k"]
        return any(rows >= limit if state == "holds" else min(rows, people) < limit for rows, people in sizes)
    if name == "min_e" and state == "holds":
        apart = sum(each["claim"] == "different" for each in claims) == len(values) > 0
        return (apart and limit <= 2) or any(each["claim"] == "min_e" and each["at_least"] >= limit for each in claims)
    return False
