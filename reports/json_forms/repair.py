"""What a repair looks like in JSON."""

from __future__ import annotations

from dataclasses import dataclass

from audit.model.json_types import Probability
from audit.model.moves import Move
from audit.model.repair import Repair
from reports.json_forms.audit import AuditDocument, audit_document


@dataclass(frozen=True)
class RepairEntry:
    """A repair of a candidate.

    Attributes:
        moves: what was changed.
        information_lost: the share of the candidate's information that is lost.
        audits: how many changed candidates were audited.
    """

    moves: tuple[Move, ...]
    information_lost: Probability
    audits: int


@dataclass(frozen=True)
class RepairDocument:
    """What `audit repair SERIES CANDIDATE --format json` writes.

    Attributes:
        candidate: its tag.
        refused: why there is no repair; null where there is one.
        proved: whether it is proved that there is none; false where there is one.
        stopped: why the search ended early, so that a longer one may find a better repair; null where it did not.
        moves: what was changed.
        information_lost: the share of the candidate's information that is lost.
        audits: how many changed candidates were audited.
        files: the tables that were written; none where there is no repair.
        register: the register without those whose rows are withheld; null where the series' own remains right.
        before: the audit of the series so far.
        after: the audit with the repaired candidate, or with the candidate as it is where there is no repair.
    """

    candidate: str
    refused: str | None
    proved: bool
    stopped: str | None
    moves: tuple[Move, ...]
    information_lost: Probability
    audits: int
    files: tuple[str, ...]
    register: str | None
    before: AuditDocument
    after: AuditDocument


def repair_entry(repair: Repair) -> RepairEntry:
    """Return what is written of the changes of a repair."""
    return RepairEntry(repair.moves, repair.lost, repair.audits)


def repair_document(repair: Repair) -> RepairDocument:
    """Return what is written of a repair."""
    return RepairDocument(
        candidate=repair.candidate,
        refused=repair.refused,
        proved=repair.proved,
        stopped=repair.stopped,
        moves=repair.moves,
        information_lost=repair.lost,
        audits=repair.audits,
        files=repair.files,
        register=repair.register,
        before=audit_document(repair.before),
        after=audit_document(repair.after),
    )
