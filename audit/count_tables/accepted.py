"""Findings about counts that are accepted: by waivers, which say how much, and by a baseline, which knew as much."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from audit.count_tables.manifest import size_of
from audit.io.manifest import Waiver
from audit.judgement.baseline import Baseline
from audit.judgement.waivers import matcher
from audit.model.json_types import WaiverState
from audit.model.report import CountSize, Waived


@dataclass(frozen=True)
class Accepted:
    """Which findings are accepted, and what became of each waiver.

    Attributes:
        ids: of the findings that are accepted.
        waived: what became of each waiver.
        unsized: of findings that a waiver names which does not say how much it accepts: they are not decided.
        still: how many of the baseline's findings are found again.
    """

    ids: frozenset[str] = frozenset()
    waived: tuple[Waived, ...] = ()
    unsized: Mapping[str, CountSize] = field(default_factory=dict)
    still: int = 0


def accept(
    found: Mapping[str, CountSize], waivers: Sequence[Waiver], baseline: Baseline | None, today: datetime.date
) -> Accepted:
    """Return which findings, by their ids, are accepted: those of which no more is known than was accepted."""
    before = {ident for ident, size in found.items() if is_known(baseline.counts, ident, size)} if baseline else set()
    ids, unsized, waived = set(before), dict[str, CountSize](), []
    for waiver in waivers:
        named = {ident: size for ident, size in found.items() if _names(waiver, ident)}
        size = None if waiver.size is None else size_of(waiver.size)
        covered = {ident for ident, each in named.items() if size is not None and size.covers(each)}
        state: WaiverState = "applied" if covered else "exceeded" if named else "unknown"
        if waiver.expires < today:
            state = "expired"
        elif size is None and named:
            state = "unsized"
            unsized |= named
        else:
            ids |= covered
        waived.append(Waived(waiver.finding, waiver.reason, waiver.expires.isoformat(), state))
    left = {ident: size for ident, size in unsized.items() if ident not in ids}
    return Accepted(frozenset(ids), tuple(waived), left, len(before))


def is_known(known: Mapping[str, CountSize], ident: str, size: CountSize) -> bool:
    """Return whether at least as much was known of a count."""
    return ident in known and known[ident].covers(size)


def _names(waiver: Waiver, ident: str) -> bool:
    return waiver.finding is not None and matcher(waiver.finding)(ident) is not None
