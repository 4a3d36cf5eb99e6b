"""Narrowed records: a record shares its inferred description with too few records."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar, Generic, Literal, TypeAlias

import numpy as np

from audit.findings.wording import described
from audit.model.accepted_size import RiskSize, Size
from audit.model.arrays import Codes, Floats, Places
from audit.model.finding import RECORD, RECORD_CELLS, RELEASE, C, Finding, Identifiers, Place, RowClaims
from audit.model.json_types import Counted, Items, Omittable, Probability
from audit.runtime.phrases import Phrase, printable, say, say_count

Cause: TypeAlias = Literal["group change", "subgroup expanding", "widow", "small group"]
_CAUSES = {
    "group change": Phrase("group change"),
    "subgroup expanding": Phrase("subgroup expanding"),
    "widow": Phrase("widow"),
    "small group": Phrase("small group"),
}


@dataclass(frozen=True)
class RecordStep(Generic[C]):
    """A record's row in one release.

    Attributes:
        release: the release.
        group: its group.
        size: the number of rows with equal cells, without counterfeits in the key.
        cells: when revealed, its cells, by quasi-identifier.
    """

    release: Annotated[C, RELEASE]
    group: str
    size: Counted
    cells: Annotated[Omittable[Mapping[C, C]], RECORD_CELLS]


@dataclass(frozen=True)
class Narrowed(Finding[C]):
    """A record shares its inferred description with too few records.

    Attributes:
        kind: which sort of finding.
        record: the record; a pseudonym unless revealed.
        release: the first release after which too few records shared it.
        class_size: the number of records in its class.
        risk: one over the size of the class: the probability that a random member of the class is the right one.
        cause: how it came about (monotonic paper, Section 4.1).
        description: when revealed, the intersection of its cells, by quasi-identifier.
        certificate: the record's rows, in order of release.
        evidence: `proof`: the certificate was checked again.
    """

    kind: ClassVar[Literal["narrowed"]] = "narrowed"
    record: Annotated[C, RECORD]
    release: Annotated[C, RELEASE]
    class_size: Counted
    risk: Probability
    cause: Cause
    description: Annotated[Omittable[Mapping[C, C]], RECORD_CELLS]
    certificate: Annotated[tuple[RecordStep[C], ...], Items(1)]
    evidence: Literal["proof"] = "proof"

    def sentence(self: Narrowed[str], *, by_version: bool) -> str:
        """Return a sentence about the number of records that share the description."""
        return say(
            "{record}: only {left} in its class after release {release} ({cause})",
            record=printable(self.record),
            left=self.class_size,
            release=printable(self.release),
            cause=_CAUSES[self.cause],
        )

    def steps(self: Narrowed[str]) -> Iterator[str]:
        """Yield the record's rows."""
        if self.description is not None:
            yield say("known about it: {cells}", cells=described(self.description))
        for step in self.certificate:
            line = say_count(
                "release {release}, group {group}: {count} [record|records] with equal cells",
                step.size,
                release=printable(step.release),
                group=printable(step.group),
            )
            yield line if step.cells is None else say("{name}: {text}", name=line, text=described(step.cells))

    def places(self) -> Iterator[Place[C]]:
        """Yield the groups of the record's rows."""
        yield from ((step.release, step.group) for step in self.certificate)

    def exceeds(self, limits: Mapping[str, float]) -> bool:
        """Return whether the class has fewer records than `k`."""
        return self.class_size < limits.get("k", 2)

    @property
    def subject(self: Narrowed[str]) -> str:
        """The record."""
        return self.record

    @property
    def extent(self) -> int:
        """The number of records in its class."""
        return self.class_size

    def records(self: Narrowed[int]) -> Sequence[int]:
        """Return the record."""
        return (self.record,)


@dataclass(frozen=True)
class NarrowedRecords(RowClaims):
    """All records of one outcome whose classes were too small once, as columns; findings are built on demand.

    Attributes:
        k: the smallest allowed number of records in a class.
        record: codes; shape (claims,), int32.
        release: the first release after which a class was too small, counted from 0; shape (claims,), int32.
        class_size: its size then; shape (claims,), int32.
        smallest: the record's smallest class after any release; shape (claims,), int32.
        certify: returns the findings at some indices, with their certificates.
    """

    checked_by: ClassVar[str] = "audit.judgement.check_record.check_records"
    k: int
    record: Codes
    release: Codes
    class_size: Codes
    smallest: Codes
    certify: Callable[[Places], list[Narrowed[int]]]

    @property
    def severity(self) -> Floats:
        """The rank of the claims: the probability that a random member of the class is the right one."""
        return 1 / self.class_size

    def sizes(self) -> Sequence[Size]:
        """Return the risk of each record's smallest class."""
        return list(map(RiskSize, (1.0 / self.smallest).tolist()))

    def identities(self, places: Places, names: Identifiers) -> Iterator[tuple[str, ...]]:
        """Yield record, release and smallest class: accepting a class of three does not accept a class of one."""
        for record, release, smallest in self.read(places, "record", "release", "smallest"):
            yield "narrowed", names.record_identifier(record), names.evidence.tags[release], str(smallest)

    def smallest_class(self, waived: Places) -> int | None:
        """Return the fewest records of a class."""
        left = np.delete(self.smallest, waived)
        return int(left.min()) if len(left) else None
