"""Accepting what is found of people: waivers that say how much of each finding is accepted."""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from audit.io.manifest import PRIVATE, Waiver
from audit.io.series import open_series
from audit.judgement.pseudonyms import Pseudonymizer, private_key
from audit.judgement.selection import selections_of
from audit.judgement.waiver_writer import waive
from audit.judgement.waivers import FoundClaims
from audit.model.audit_options import AuditOptions
from audit.model.errors import UsageError, printable
from audit.model.outcome import Attack
from audit.pipeline.attack_run import limits_in_force, run_attacks

_FINDING = re.compile(r"[a-z-]+-[0-9a-f]{16}")


def waive_findings(
    folder: Path,
    attacks: Sequence[Attack],
    ids: Sequence[str],
    reason: str,
    until: datetime.date,
    groups: Sequence[tuple[str, str]] = (),
    options: AuditOptions | None = None,
) -> int:
    """Write a waiver for each id, of a finding or a person, and each group; return how many there are.

    A waiver accepts no more than is found today, by an audit with these options; a group is that of a release. Of what
    this audit does not find, it does not say how much it accepts: a report that finds it does.

    Raises:
        UsageError: the date is past, or there is no key by which ids could be known again, nor a folder for one.
        InputError: the series cannot be read.
    """

    def named() -> list[dict[str, object]]:
        findings = [each for each in ids if "*" in each or _FINDING.fullmatch(each)]
        if findings and private_key(folder / PRIVATE, make=False) is None:
            what = f"no report on this series can have shown {printable(findings[0], 80)}"
            raise UsageError(
                f"{what}: there is no {PRIVATE}/finding.key; audit it with --stable-ids, and take ids from that"
            )
        series, how = open_series(folder), replace(options or AuditOptions(), findings=0)
        series.manifest = replace(series.manifest, waivers=())
        namer = Pseudonymizer(series, reveal=True, stable=True)
        run = run_attacks(series, attacks, how).checked(namer)
        limits = limits_in_force(series, how)
        found = [FoundClaims(each) for result in run.results for each in selections_of(result, namer, limits)]
        asked: list[dict[str, str]] = [
            {"finding" if each in findings else "individual": each} for each in dict.fromkeys(ids)
        ]
        asked += [{"release": release, "group": group} for release, group in groups]
        written: list[dict[str, object]] = []
        for each in asked:
            waiver = Waiver(
                each.get("finding"), reason, until, each.get("individual"), each.get("group"), each.get("release")
            )
            sizes: dict[str, float] = {}
            for some in found:
                sizes |= {some.ids[at]: float(some.sizes[at]) for at in np.flatnonzero(some.named(waiver)).tolist()}
            classes = [one.k for one in run.panel if one.release == waiver.release and waiver.group == "*"]
            if classes and min(classes) < limits.get("k", 0):
                sizes["k"] = min(classes)
            alone = waiver.finding is not None and "*" not in waiver.finding
            size = sizes.get(waiver.finding or "") if alone else sizes
            written.append({**each, **({"size": size} if sizes else {})})
        return written

    return waive(folder, named, reason, until)
