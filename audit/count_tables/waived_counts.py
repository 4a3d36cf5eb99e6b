"""Accepting findings about counts: waivers that say how much of each is accepted."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import replace

from audit.count_tables.manifest import TableManifest, parse_table_manifest
from audit.count_tables.table_audit import CountAttack, CountOptions, audit_tables
from audit.findings.count import found_counts
from audit.judgement.waiver_writer import waive


def waive_counts(
    manifest: TableManifest, attack: CountAttack, ids: Sequence[str], reason: str, until: datetime.date
) -> int:
    """Write a waiver for each finding, for no more than is known of it today, and return how many there are.

    Raises:
        UsageError: the date is past, or something is no finding of today.
        InputError: the series cannot be read, or its numbers contradict each other.
    """
    report = audit_tables(replace(manifest, waivers=()), attack, CountOptions(time_limit=None, findings=None))
    counts = {each.id: each.size for each in found_counts(report)}
    return waive(manifest.folder, ids, reason, until, parse=parse_table_manifest, counts=counts)
