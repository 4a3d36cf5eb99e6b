"""Checking a series against a principle: by the principle's definition, and by an attack where that cannot decide."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from audit.io.series import Series
from audit.io.unread_keys import check_keys_are_read
from audit.judgement.doubts import gather_doubts
from audit.model.check_report import CheckReport, Offence
from audit.model.doubt import Doubt
from audit.model.outcome import Attack
from audit.pipeline.undecided_principles import Search, decided
from audit.principles.checker import Verdict, checked, line_of
from audit.principles.principle import Principle, PrincipleViolation
from audit.runtime.reasons import combined


def check_series(
    series: Series, principle: Principle, search: Search, worlds: Attack, *, reveal: bool = False
) -> CheckReport:
    """Return whether a series keeps a principle.

    `search` makes the attack that looks for equivalences, `worlds` is the one that rules values out in all worlds.

    Raises:
        UsageError: the series lacks what the principle needs.
        InputError: the series cannot be read.
    """
    check_keys_are_read(series.manifest)
    decision = decided(checked(principle, series), principle, series, search, worlds)
    verdict = _doubted(decision, gather_doubts(series))
    return CheckReport(
        series.manifest.name,
        series.tags,
        verdict.rows,
        verdict.promise.principle,
        dict(verdict.promise.parameters),
        str(verdict.promise),
        verdict.undecided,
        dict(verdict.broken),
        tuple(_offence(series, offence, reveal=reveal) for offence in verdict.first),
        verdict.offences,
        reveal,
    )


def _doubted(verdict: Verdict, doubts: Sequence[Doubt]) -> Verdict:
    """Return a verdict as far as it stands beside doubts; it rests on all that the manifest says."""
    if not doubts or (verdict.broken and not any(each.guessed for each in doubts)):
        return verdict
    reasons = [each.reason for each in doubts]
    undecided = combined([*([verdict.undecided] if verdict.undecided is not None else []), *dict.fromkeys(reasons)])
    return replace(verdict, undecided=undecided, broken={}, first=())


def _offence(series: Series, found: PrincipleViolation, *, reveal: bool) -> Offence:
    """Return an offence; a person's own line is given only where people are named."""
    files = series.manifest.releases[series.tags.index(found.release)]
    hidden = bool(found.individuals) and not reveal
    return Offence(
        found.release,
        found.groups,
        found.place,
        None if found.row is None or hidden else line_of(files, found.row),
        files.rows.name.endswith(".parquet"),
        found.what,
        found.individuals if reveal else (),
        hidden,
    )
