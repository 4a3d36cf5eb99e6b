"""What a repair looks like in JSON."""

from __future__ import annotations

from dataclasses import dataclass

from audit.model.json_types import Probability
from audit.model.moves import Move
from audit.model.repair import Repair


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


def repair_entry(repair: Repair) -> RepairEntry:
    """Return what is written of the changes of a repair."""
    return RepairEntry(repair.moves, repair.lost, repair.audits)
