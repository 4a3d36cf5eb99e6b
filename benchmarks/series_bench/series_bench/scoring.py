"""Scores: compare answers with the truth, which is drawn again from the seed."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from attacks.differencing.attack import Differencing
from attacks.equivalence.attack import EquivalenceAttack
from attacks.registry import all_attacks
from audit.api.series import LoadedMicrodata, load_microdata
from audit.count_tables.manifest import read_table_manifest
from audit.count_tables.table_audit import audit_tables
from audit.io.release_reading import read_release
from audit.io.series import Series, open_series
from audit.model.adversary import AdversaryKind
from audit.model.audit_options import AuditOptions
from audit.pipeline.attack_run import run_attacks
from audit.pipeline.audit_run import build_report, pseudonymizer
from audit.runtime.engine import Local
from series_bench.cases import Case, Truth, snapshots, write_register, write_task
from series_bench.methods import ANSWER, REFUSED, SERIES
from series_bench.questions import AttackedSeries
from series_bench.utility import count_utility, people_utility

Scores = dict[str, float | str]
_CERTAIN = 1 - 1e-9
_BINS = 10
_SECONDS = 4.0


class AnswerError(Exception):
    """An answer is invalid; the text says why."""


def score(case: Case, answer: Path, secret: str) -> Scores:
    """Return the scores of an answer; if the method refused, the reason.

    Raises:
        AnswerError: the answer cannot be read, or contains an impossible claim.
    """
    if (answer / REFUSED).is_file():
        return {"refused": (answer / REFUSED).read_text(encoding="utf-8").strip()}
    with tempfile.TemporaryDirectory(prefix="series-bench-") as work:
        task = Path(work) / "task"
        truth = write_task(case, task, secret)
        if case.kind == "publish":
            return dict(_publishing(load_microdata(task), answer / SERIES))
        if case.kind == "protect":
            return dict(_protecting(case, answer / SERIES, case.number(secret)))
        if truth is None:
            raise TypeError("what is attacked has a truth")
        series = AttackedSeries(task)
        return dict(_attacking(series, truth, _read(answer, ["question", "value", "probability"])))


def _read(answer: Path, columns: list[str]) -> pd.DataFrame:
    try:
        frame = pd.read_csv(answer / ANSWER, dtype=str, keep_default_na=False)
    except (OSError, ValueError) as error:
        raise AnswerError(f"{answer / ANSWER}: {error}") from error
    if list(frame) != columns:
        raise AnswerError(f"{answer / ANSWER}: the columns have to be {', '.join(columns)}")
    return frame


# -- attacks ------------------------------------------------------------------------------------------------------


def _attacking(series: AttackedSeries, truth: Truth, claims: pd.DataFrame) -> Iterator[tuple[str, float]]:
    questions = series.questions
    claims = _checked(claims, set(questions))
    claims["right"] = claims["value"] == claims["question"].map(truth.values)
    best = claims.sort_values("probability", ascending=False, kind="stable").drop_duplicates("question")
    certain = claims[claims["probability"] >= _CERTAIN]
    squares = claims.groupby("question").apply(
        lambda one: float((one["probability"] ** 2).sum() + 1 - 2 * one.loc[one["right"], "probability"].sum()),
        include_groups=False,
    )
    yield "questions", len(questions)
    yield "recall at precision 1", recall_at_precision_1(best) / len(questions)
    yield "likeliest is true", float(best["right"].sum()) / len(questions)
    yield "certain", len(certain)
    yield "certain but wrong", int((~certain["right"]).sum())
    yield "Brier score", float((squares.sum() + len(questions) - len(squares)) / len(questions))
    yield "calibration error", calibration_error(claims)
    if truth.worlds is not None:
        yield from _against_worlds(claims, {question: truth.worlds[question] for question in questions})


def _checked(claims: pd.DataFrame, questions: set[str]) -> pd.DataFrame:
    """Return claims with numbers for probabilities.

    Raises:
        AnswerError: a claim is about no question, occurs twice, or has no valid probability.
    """
    strange = set(claims["question"]) - questions
    if strange:
        raise AnswerError(f"nobody asked {min(strange)}")
    if claims.duplicated(["question", "value"]).any():
        raise AnswerError("a value of a question stands twice")
    claims = claims.assign(probability=pd.to_numeric(claims["probability"], errors="coerce"))
    if (
        not claims["probability"].between(0, 1).all()
        or (claims.groupby("question")["probability"].sum() > 1 + 1e-6).any()
    ):
        raise AnswerError("probabilities lie from 0 to 1, and those of a question add up to 1 at most")
    return claims


def recall_at_precision_1(best: pd.DataFrame) -> int:
    """Return how many of the surest claims are right before one is wrong; of those as sure as a wrong one, none count.

    >>> best = pd.DataFrame({"probability": [1.0, 0.9, 0.9, 0.5], "right": [True, True, False, True]})
    >>> recall_at_precision_1(best)
    1
    """
    surest_wrong = best.loc[~best["right"], "probability"].max() if (~best["right"]).any() else -1.0
    return int((best["probability"] > surest_wrong).sum())


def calibration_error(claims: pd.DataFrame) -> float:
    """Return by how much probabilities are off, over tenths: the mean distance to how often such claims are right.

    >>> calibration_error(pd.DataFrame({"probability": [0.5, 0.5], "right": [True, False]}))
    0.0
    """
    if claims.empty:
        return 0.0
    tenth = np.minimum((claims["probability"] * _BINS).astype(int), _BINS - 1)
    groups = claims.groupby(tenth)
    off = (groups["probability"].mean() - groups["right"].mean()).abs()
    return float((off * groups.size()).sum() / len(claims))


def _against_worlds(claims: pd.DataFrame, worlds: Mapping[str, Mapping[str, float]]) -> Iterator[tuple[str, float]]:
    """Yield how far claims are from what the worlds say, and how much of what is certain was found."""
    said: dict[str, dict[str, float]] = {question: {} for question in worlds}
    for question, value, probability in claims[["question", "value", "probability"]].itertuples(index=False):
        said[question][value] = probability
    off = [
        sum(
            abs(said[question].get(value, 0.0) - exact.get(value, 0.0))
            for value in said[question].keys() | exact.keys()
        )
        / 2
        for question, exact in worlds.items()
    ]
    fixed = [(question, value) for question, exact in worlds.items() for value in exact if len(exact) == 1]
    found = sum(said[question].get(value, 0.0) >= _CERTAIN for question, value in fixed)
    yield "distance from all worlds", float(np.mean(off))
    yield "found of what is certain", found / max(1, len(fixed))


# -- publishing ---------------------------------------------------------------------------------------------------


def _publishing(microdata: LoadedMicrodata, folder: Path) -> Iterator[tuple[str, float]]:
    """Yield what each adversary learns by each attack, and the utility of the series."""
    series = open_series(folder)
    published = _published(series, microdata)
    yield from _attacked(series, "linked")
    with tempfile.TemporaryDirectory(prefix="series-bench-") as work:
        beside = Path(work) / SERIES
        shutil.copytree(folder, beside)
        write_register(beside, microdata, published)
        yield from _attacked(open_series(beside), "register")
    yield from people_utility(open_series(folder), microdata)


def _attacked(series: Series, adversary: AdversaryKind) -> Iterator[tuple[str, float]]:
    options = AuditOptions(adversary=adversary, time_limit=_SECONDS, findings=0, engine=Local())
    attacks = [each for each in all_attacks() if not isinstance(each, EquivalenceAttack)]
    run = run_attacks(series, [*attacks, EquivalenceAttack(max_e=1)], options)
    report = build_report(run, pseudonymizer(series, options))
    yield f"{adversary}: people found", max((rung.so_far for rung in report.ladder), default=0)
    for attack in report.attacks:
        if attack.ran and attack.people is not None:
            yield f"{adversary}: people found by {attack.attack}", attack.people
        compromised = attack.measures.get("compromised")
        if attack.ran and isinstance(compromised, Mapping) and compromised:
            yield f"{adversary}: people who share a value for certain", int(compromised.get("1", 0))


def _published(series: Series, microdata: LoadedMicrodata) -> dict[str, frozenset[str]]:
    """Return the people of each release after checking their values; cells are compared with a register later.

    Raises:
        AnswerError: a person or a value is not one of the microdata.
    """
    opened = microdata.opened
    true = {
        tag: dict(zip(frame[opened.individual], frame[opened.sensitive], strict=True))
        for tag, frame in snapshots(microdata)
    }
    if list(series.tags) != list(true):
        raise AnswerError("there has to be a release for each snapshot")
    found = {}
    for position, tag in enumerate(series.tags):
        release = read_release(series, position)
        if release.person is None:
            raise AnswerError(f"release {tag} has no key")
        codes = release.person.tolist()
        names = ["" if code < 0 else series.people.name(code) for code in codes]
        published = series.vocabularies[opened.sensitive].names
        values = release.entry_value[opened.sensitive].tolist() if release.values_by_row else [None] * len(names)
        for name, value in zip(names, values, strict=True):
            real = name and not name.startswith("~")
            if real and (name not in true[tag] or (value is not None and published[value] != true[tag][name])):
                raise AnswerError(f"release {tag} has a row that is not in the snapshot")
        found[tag] = frozenset(names)
    return found


def _protecting(case: Case, folder: Path, number: int) -> Iterator[tuple[str, float | str]]:
    manifest = read_table_manifest(folder)
    report = audit_tables(manifest, Differencing(), AuditOptions(time_limit=_SECONDS, findings=0))
    measures = report.attacks[0].measures
    for name in ("questions", "recovered", "small", "narrowed", "open"):
        yield name, getattr(measures, name)
    yield from count_utility(case.name, folder, number)
