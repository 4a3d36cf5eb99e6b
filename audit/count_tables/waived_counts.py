"""Accepting findings about counts: waivers that say how much of each is accepted."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import replace

from audit.count_tables.judged_counts import CountAttack
from audit.count_tables.manifest import TableManifest, parse_table_manifest
from audit.count_tables.table_audit import audit_tables
from audit.judgement.waiver_writer import waive
from audit.judgement.waivers import matcher
from audit.model.audit_options import AuditOptions
from audit.model.errors import UsageError, printable


def waive_counts(
    manifest: TableManifest, attack: CountAttack, ids: Sequence[str], reason: str, until: datetime.date
) -> int:
    """Write a waiver for each finding, for no more than is known of it today, and return how many there are.

    Raises:
        UsageError: the date is past, or something is no finding of today.
        InputError: the series cannot be read, or its numbers contradict each other.
    """

    def named() -> list[dict[str, object]]:
        report = audit_tables(replace(manifest, waivers=()), attack, AuditOptions(time_limit=None, findings=None))
        found: dict[str, object] = {}
        for each in ids:
            matches = {one.id: vars(one.size) for one in report.findings if matcher(each)(one.id)}
            if not matches:
                what = f"{printable(each, 80)} is not a finding of these tables"
                raise UsageError(f"{what}; take its id from a report of today, such as differencing-0123456789ab")
            found |= matches
        return [{"finding": ident, "size": size} for ident, size in found.items()]

    return waive(manifest.folder, named, reason, until, parse_table_manifest)
