"""Request for a simulation: its options."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Literal

FileType = Literal["parquet", "csv", "csv.gz"]
QUASI_IDENTIFIERS = "Age=17..95,Gender=2,Education=1..17,Birthplace=57"
SENSITIVE = "Occupation=50"


@dataclass(frozen=True, kw_only=True)
class SimulationRequest:
    """The options of a simulation; the defaults are the setting of the m-invariance and equivalence papers.

    Attributes:
        rows: rows of the first snapshot.
        insertions, deletions: people who arrive and leave at each step; None means a tenth of `rows`.
        snapshots: the number of snapshots.
        returning: the share of absent people who return at each step; they are part of the insertions.
        slope: how many more rows of the next more frequent sensitive value are inserted; None draws values at random.
        diameter: the number of values that each sensitive value may become, itself included; 1 means no changes.
        changes: people whose value changes at each step; None means a tenth of `rows`.
        closed: whether a value may become at once all that it may become in several steps.
        moving: whether quasi-identifiers change.
        population: a table to draw people from; None makes them up.
        quasi_identifiers, sensitive, individual: columns of the table; without a table, the attributes to make up.
        seed: the seed of all random numbers; the same seed gives the same bytes.
        file_type: `parquet`, `csv` or `csv.gz`.
    """

    rows: int = 200_000
    insertions: int | None = None
    deletions: int | None = None
    snapshots: int = 21
    returning: Fraction = Fraction(0)
    slope: int | None = None
    diameter: int = 1
    changes: int | None = None
    closed: bool = False
    moving: bool = False
    population: Path | None = None
    quasi_identifiers: str | None = None
    sensitive: str | None = None
    individual: str | None = None
    seed: int = 0
    file_type: FileType = "parquet"
