"""Waivers for findings about people, which say how much of each finding they accept."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from audit.io.manifest import PRIVATE, Waiver
from audit.io.series import open_series
from audit.judgement.pseudonyms import Pseudonymizer, private_key
from audit.judgement.selection import selections_of
from audit.judgement.waivers import Acceptance, FoundClaims, remedy_of, stated, waive
from audit.model.audit_options import AuditOptions
from audit.model.errors import UsageError
from audit.model.outcome import Attack
from audit.pipeline.attack_run import run_attacks
from audit.runtime.phrases import joined, printable, say

_FINDING = re.compile(r"[a-z-]+-[0-9a-f]{16}")
_PSEUDONYM = re.compile(r"person-[0-9a-f]{12}")
_ABOUT = ("finding", "individual", "release", "group")


def waive_findings(
    folder: Path, attacks: Sequence[Attack], accepted: Sequence[Acceptance], options: AuditOptions | None = None
) -> tuple[str, ...]:
    """Write a waiver for each accepted finding, person or group.

    A waiver accepts no more than an audit with these options finds today; a group belongs to one release. If the audit
    does not find the accepted item, the waiver has no size, and reports compute it.

    Returns:
        The ids of the findings about one person that no waiver names, although one names another finding about them.

    Raises:
        UsageError: a date is past, there is neither a key for stable ids nor a folder for one, or a list names a
            finding that was not found.
        InputError: the series cannot be read.
    """
    left: list[str] = []

    def named() -> list[dict[str, object]]:
        findings = [each for each in accepted if each.release is None and _is_finding(each.named)]
        if findings and private_key(folder / PRIVATE, make=False) is None:
            raise UsageError.say(
                "no report on this series can have shown {finding}: there is no {key}; audit it with --stable-ids, "
                "and take ids from that",
                finding=printable(findings[0].named, 80),
                key=f"{PRIVATE}/finding.key",
            )
        series, how = open_series(folder), replace(options or AuditOptions(), findings=0)
        waivers = [*series.manifest.waivers, *map(_waiver, accepted)]
        series.manifest = replace(series.manifest, waivers=())
        namer = Pseudonymizer(series, reveal=True, stable=True)
        run = run_attacks(series, attacks, how).checked(namer)
        found = [FoundClaims(each) for result in run.results for each in selections_of(result, namer, run.limits)]
        left.extend(_about_the_same_people(found, waivers))
        written: list[dict[str, object]] = []
        for each in dict.fromkeys(accepted):
            waiver = _waiver(each)
            sizes = {ident: size for some in found for ident, size in _stated(some, waiver, namer.kept or b"")}
            for one in run.panel if waiver.group == "*" else ():
                if one.release == waiver.release and one.small.smallest < run.limits.get("k", 0):
                    sizes["k"] = one.small.written()
            if each.where and not sizes:
                raise UsageError.say(
                    "{where}: {finding} is not found; make the list again with `audit findings`, nothing was changed",
                    where=each.where,
                    finding=printable(each.named, 80),
                )
            if waiver.group is not None and not sizes:
                raise UsageError.say(
                    "--group {release} {group}: nothing is found there, so nothing was written; name a release "
                    "({releases}) and a group that a finding names, or '*' for all groups of the release and its "
                    "classes smaller than k",
                    release=printable(each.release or ""),
                    group=printable(waiver.group),
                    releases=joined([*map(printable, series.tags)], most=12),
                )
            alone = waiver.finding is not None and "*" not in waiver.finding
            size = sizes.get(waiver.finding or "") if alone else sizes
            if waiver.individual is not None and not _PSEUDONYM.fullmatch(waiver.individual):
                if series.person(waiver.individual) < 0:
                    what = say("{name}: neither the id of a finding nor a person", name=printable(each.named, 80))
                    raise UsageError(f"{what}; {remedy_of(each.named, say('copy the id from `audit findings`'))}")
                # The manifest is published with the series, so it must not say who is found.
                waiver = replace(waiver, individual=namer.pseudonym("person", waiver.individual))
            about = {name: text for name, text in vars(waiver).items() if name in _ABOUT and text is not None}
            written.append({**about, **({"size": size} if sizes else {}), **each.key})
        return written

    waive(folder, accepted, named)
    return tuple(left)


def _stated(found: FoundClaims, waiver: Waiver, key: bytes) -> Iterator[tuple[str, object]]:
    """Yield the id of each claim that a waiver names, and how a manifest states how much of it is accepted."""
    for at in np.flatnonzero(found.named(waiver)).tolist():
        yield found.ids[at], stated(found.ids[at], found.sizes[at], key)


def _about_the_same_people(found: Sequence[FoundClaims], waivers: Sequence[Waiver]) -> Iterator[str]:
    """Yield the ids of claims about one person that no waiver names, if a waiver of a finding names another of them."""
    named = [np.any([some.named(each) for each in waivers], axis=0) for some in found]
    by_id = [each for each in waivers if each.finding is not None]
    people: set[frozenset[str]] = set()
    for some in found:
        people.update(some.whose[at] for each in by_id for at in np.flatnonzero(some.named(each)).tolist())
    for some, flags in zip(found, named, strict=True):
        for at in np.flatnonzero(~flags).tolist() if some.ids else ():
            if len(some.whose[at]) == 1 and some.whose[at] in people:
                yield some.ids[at]


def _is_finding(name: str) -> bool:
    return "*" in name or _FINDING.fullmatch(name) is not None


def _waiver(accepted: Acceptance) -> Waiver:
    name, why = accepted.named, (accepted.reason, accepted.until)
    if accepted.release is not None:
        return Waiver(None, *why, None, name, accepted.release)
    return Waiver(name, *why) if _is_finding(name) else Waiver(None, *why, name)
