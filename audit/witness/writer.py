"""Write a witness: worlds, proofs and a statement, which separate checkers verify; the manual describes the format."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from audit.adversary.view import View
from audit.io.manifest import PRIVATE
from audit.model.arrays import Integers
from audit.model.errors import UsageError
from audit.model.outcome import Outcome
from audit.model.report import Report
from audit.pipeline.attack_run import AuditRun
from audit.runtime.phrases import printable, printable_path
from audit.witness import verify_counts
from audit.witness.proofs import (
    MOST_WORLDS,
    Solve,
    Step,
    chosen,
    further_steps,
    holds,
    proof_lines,
    prove_by_groups,
    register_steps,
    sum_of_groups,
    texts_of,
    worlds_of,
)
from audit.witness.statement import StatedClaims, Witness, supported
from audit.witness.verify import ADVERSARIES, FORMAT, Published
from audit.witness.verify_alike import Sets, counted, different, of_people, same
from audit.witness.verify_points import Left
from audit.witness.verify_proof import Formula, findings
from audit.witness.verify_register import RegisterChecker


def check_folder(series: Path, folder: Path) -> None:
    """Refuse to write a witness into a published folder.

    Raises:
        UsageError: the path is a file, or a folder inside the series but outside its private folder.
    """
    inside, where = series.resolve(), folder.resolve()
    if where.is_relative_to(inside) and not where.is_relative_to(inside / PRIVATE):
        raise UsageError(
            f"--witness: {printable_path(folder)} lies in the folder of the published series, and a witness names "
            f"people; write it to {printable_path(series / PRIVATE / 'witness')}, or outside the series"
        )
    if where.exists() and not where.is_dir():
        raise UsageError(f"--witness: {printable_path(folder)} is not a folder; name another one")


def _table(series: Published, worlds: Integers) -> Any:  # noqa: ANN401 - a pyarrow table
    """Return worlds as a table; later worlds are null where they agree with the first."""
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


def verified(series: Path, folder: Path) -> int:
    """Check the witness in a folder of a series, print the result, and return the exit status."""
    from audit.witness import verify, verify_register, verify_tables
    from audit.witness.verify_frame import main

    try:
        manifest = tomllib.loads((series / "series.toml").read_text("utf-8"))
        if manifest["series"].get("kind") == "tables":
            return main(str(series), str(folder), verify_tables.checked)
        statement = json.loads((folder / "statement.json").read_text("utf-8"))
        about = statement.get("adversary")
    except (OSError, ValueError, LookupError, AttributeError):
        about = None
    return main(str(series), str(folder), verify_register.checked if about == "register" else verify.checked)


def read_for_witness(folder: Path, evidence: Sequence[View], *, proofs: bool) -> Published | RegisterChecker:
    """Return a series as its checker reads it, before any attack runs.

    Raises:
        UsageError: no checker supports the series, or `proofs` are requested that do not exist for it.
    """
    view = worlds_view(evidence)
    if view.kind not in (*ADVERSARIES, "register"):
        raise UsageError(f"--witness: witnesses for the adversary `{view.kind}` are not supported; leave it out")
    with supported():
        if view.kind == "register" and not proofs:
            checker = RegisterChecker(folder)
            _check_classes(checker.series, view)
            return checker
        series = Published(folder, linked=view.kind == "linked")
        _check_classes(series, view)
    if proofs and (view.kind != "linked" or series.may is not None):
        raise UsageError(
            "--proofs: proofs for VeriPB are about people whose values never change and whose groups are known; leave "
            "--proofs out"
        )
    return series


def make_witness(
    read: Published | RegisterChecker, run: AuditRun, report: Report, known: Outcome, solve: Solve, *, proofs: bool
) -> Witness:
    """Return the witness of the verdict of a run, as far as worlds and proofs show it.

    Args:
        read: the series, as the checkers read it.
        run: the run.
        report: the report on the run.
        known: the outcome of an attack that found worlds, about the evidence whose worlds are stated.
        solve: solves linear programmes, to find proofs beside a register.
        proofs: whether to write proofs of findings for VeriPB, too.

    Raises:
        UsageError: no world is known, or the checkers do not support the series.
    """
    with supported():
        if isinstance(read, RegisterChecker):
            return _of_register(read, run, report, known, solve)
        return _of_groups(read, run, report, known, proofs=proofs)


def _check_classes(series: Published, view: View) -> None:
    """Refuse a witness if the checkers group rows differently than the audit.

    Raises:
        UsageError: the classes of rows differ.
    """
    for tag, theirs, seen in zip(series.tags, series.group, view.held.seen, strict=True):
        ours = seen.pool.codes
        if len(ours) != len(theirs) or not _put_together(ours, theirs):
            what = f"in release {printable(tag)} the checkers put other rows into one class than the audit"
            raise UsageError(f"--witness: {what}; leave --witness out")


def _put_together(ours: Integers, theirs: Integers) -> bool:
    """Return whether two numberings put the same rows into the same classes."""
    both = ours.astype(np.int64) * (int(theirs.max(initial=0)) + 1) + theirs
    return len({len(np.unique(each)) for each in (both, ours, theirs)}) == 1


def _of_groups(series: Published, run: AuditRun, report: Report, known: Outcome, *, proofs: bool) -> Witness:
    """Return the witness for an adversary who knows everyone's groups, or only the files."""
    worlds: Integers = np.zeros((0, 1, 0), dtype=np.int32)
    steps = list[Step]()
    claims, people = list[dict[str, Any]](), dict[str, Sets]()
    view, others = worlds_view(run.evidence), dict[str, str]()
    if series.linked:
        if sum(not name.startswith("~") for name in series.people) != run.facts.individuals:
            raise UsageError("--witness: the checker reads different people from the keys; leave --witness out")
        base = worlds_of(series, view, known.knowing) if known.knowing is not None else []
        if not base:
            raise UsageError("--witness: no world that fits all releases was found; leave --witness out")
        left = Left(series)
        more = len(series.sensitive) > 1 or any(each.numbers or each.categories for each in run.evidence)
        worlds = chosen(series, base, all_values=more)
        steps = list(prove_by_groups(left, worlds[0]))
        steps += further_steps(left, worlds[0], view, known)
        people = of_people(worlds, left.values, series.judged, changing=series.may is not None)
        claims += _of_pairs(series, worlds, left)
        for name in series.sensitive:
            if (found := sum_of_groups(series, run, name)) is not None:
                series.proofs.setdefault("sums", {})[name] = found
        if proofs:
            formula = Formula(series)
            lines = list(proof_lines(series, formula, worlds, steps))
            others = {"findings.opb": formula.text(), "findings.pbp": "\n".join([*lines, ""])}
            for name in series.sensitive:
                claims.append({"claim": "findings", "sensitive": name, **findings(series, formula, lines, name)})
    needed = _needed(series, view, report, people, strangers=any(None in who for who in series.who))
    claims = [*_of_sets(series, people, needed), *claims, *_counted(series, report)]
    tables = {"worlds.parquet": _table(series, worlds)} if len(worlds) else {}
    rests = StatedClaims(series, claims, needed, report).rests()
    return _witness(series, view, tables, {**series.proofs, "steps": steps}, claims, rests, others)


def _witness(
    series: Published,
    view: View,
    worlds: Mapping[str, Any],
    proofs: Mapping[str, Any],
    claims: Sequence[dict[str, Any]],
    rests: Iterable[str],
    others: Mapping[str, str],
) -> Witness:
    """Return the contents of a witness: worlds, proofs of what no world contains, claims, and what has no evidence."""
    stated = {"format": FORMAT, "adversary": view.kind, "claims": claims, "rests": [*rests]}
    stated["values"] = [list(value) for value in series.values]
    text = json.dumps(proofs, separators=(",", ":"))
    return Witness(series, stated, worlds, {"proofs.json": f"{text}\n", **others}, private=True)


def _of_register(checker: RegisterChecker, run: AuditRun, report: Report, known: Outcome, solve: Solve) -> Witness:
    """Return the witness for an adversary who knows a register: each world as rows and values of people."""
    series, register, view = checker.series, checker.register, worlds_view(run.evidence)
    code = np.array([series.code.get(texts_of(view, value), -1) for value in range(len(view.values))], dtype=np.int32)
    at, person = np.nonzero(register.line >= 0)
    names, tags = np.array([*register.people], dtype=object), np.array(series.tags, dtype=object)
    columns: dict[str, Any] = {"individual": names[person].tolist(), "release": tags[at].tolist()}
    found = list[Integers]()
    for world in known.knowing.worlds() if known.knowing is not None else ():
        row, value = (np.full(register.line.shape, -1, dtype=np.int64) for _ in range(2))
        for release, (place, had) in enumerate(world):
            people = view.source.candidate_groups(release).person.tolist()
            own = np.array([register.people[view.name(each)] for each in people], dtype=np.int64)
            value[release, own] = code[had]
            row[release, own] = _rows_of(checker, view, release, place, value[release, own])
        if _adds(found, value) and holds(partial(checker.check, row, value, "")):
            number = len(found)
            columns |= {f"row_{number}": row[at, person].tolist(), f"world_{number}": value[at, person].tolist()}
            found.append(value)
        if len(found) >= MOST_WORLDS:
            break
    if not found:
        raise UsageError("--witness: no way to give the people of the register rows was found; leave --witness out")
    left, worlds = checker.left(), np.stack(found)
    steps = [*register_steps(left, worlds, solve)]
    people = of_people(worlds, checker.by_release(left), register.judged, changing=checker.may is not None)
    strangers = [*map(len, series.group)] != np.count_nonzero(register.line >= 0, axis=1).tolist()
    needed = _needed(series, view, report, people, strangers=strangers)
    claims = [*_of_sets(series, people, needed), *_counted(series, report)]

    rests = StatedClaims(series, claims, needed, report).rests()
    return _witness(series, view, {"worlds.parquet": pa.table(columns)}, {"steps": steps}, claims, rests, {})


def _adds(found: Sequence[Integers], value: Integers) -> bool:
    """Return whether a world gives a person a value that no other world gives the person."""
    return not found or bool(np.all([value != each for each in found], axis=0).any())


def _rows_of(checker: RegisterChecker, view: View, release: int, place: Integers, value: Integers) -> Integers:
    """Return a row for each person who is in a row class of a release with a value, no row for two people."""
    of_row, values = view.held.seen[release].classes.row.codes, checker.value[release]
    size = len(checker.series.values) + 1
    wanted, there = place.astype(np.int64) * size, of_row.astype(np.int64) * size
    if not checker.pairs[release]:
        wanted, there = wanted + value, there + values
    order, rows = np.argsort(wanted, kind="stable"), np.argsort(there, kind="stable")
    first = np.searchsorted(wanted[order], wanted[order])
    at = np.searchsorted(there[rows], wanted[order]) + np.arange(len(order)) - first
    found = np.full(len(place), -1, dtype=np.int64)
    found[order] = rows[np.minimum(at, len(rows) - 1)]  # if there are too few rows, the checker rejects the world
    return found


def worlds_view(evidence: Sequence[View]) -> View:
    """Return the evidence whose worlds a witness contains: of all attributes together, if there are several."""
    return [each for each in evidence if not each.followed][-1]


# -- claims ---------------------------------------------------------------------------------------------------------


def _needed(
    series: Published, view: View, report: Report, people: Mapping[str, Sets], *, strangers: bool
) -> list[dict[str, Any]]:
    """Return the claims about sets of values that together say of all that is judged what is certain, without numbers.

    Args:
        series: the series as the checkers read it.
        view: the evidence about all attributes.
        report: the report on the run.
        people: the sets of values of people, by what they are of.
        strangers: whether rows may be those of people who are not known.
    """
    share = next((each.limit for each in report.policy.clauses if each.clause == "closeness"), None)
    widths, found = series.manifest.get("policy", {}).get("closeness"), list[dict[str, Any]]()
    for of, name in product([*people, *["classes"] * (strangers or not people)], series.sensitive):
        claim = {"sensitive": name, "of": of}
        found.append({"claim": "values", **claim})
        if share is not None and name in view.numbers:
            width = widths.get(name) if isinstance(widths, dict) else None
            kind, within = ("close", share) if width is None else ("near", width)
            found.append({"claim": kind, "within": str(Fraction(str(within))), **claim})
        if series.columns.get("similar", {}).get(name, name in series.columns.get("harmless", {})):
            found.append({"claim": "categories", **claim})
    return found


def _of_sets(series: Published, people: dict[str, Sets], needed: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield what is stated of sets of values, as far as the checker supports it."""
    for claim in needed:
        with suppress(NotImplementedError):
            yield claim | counted(series, claim, people)


def _of_pairs(series: Published, worlds: Integers, left: Left) -> Iterator[dict[str, Any]]:
    """Yield what is stated of pairs of people, as the checker finds it."""
    for name, (kind, found) in product(series.sensitive, (("different", different), ("same", same))):
        claim = {"claim": kind, "sensitive": name}
        with suppress(NotImplementedError, ValueError):  # of changing values, or because it is not so
            yield claim | found(series, worlds, left.values, claim)


def _counted(series: Published, report: Report) -> Iterator[dict[str, Any]]:
    """Yield what is stated of classes and buckets, as the checker counts it."""
    wanted: list[tuple[str, str | None]] = [("k", None)]
    asked = {each.clause for each in report.policy.clauses}
    for name in series.sensitive:
        wanted += [("min_e", name)] if series.linked and "min_e" in asked else []
        wanted += [("equivalent", name)] if name in series.proofs.get("sums", {}) else []
    for kind, sensitive in wanted:
        with suppress(NotImplementedError, ValueError):
            yield {"claim": kind, "sensitive": sensitive, **verify_counts.CLAIMS[kind](series, sensitive)}
