"""Inference tables by definition: explicit sets of values, records compared two by two.

Source: monotonic paper, Section 2 (inference table) and Section 4.1 (how k-anonymity is broken).
"""

from dataclasses import dataclass, field

from tests.helpers.records import GRID, TOWNS, RecordRow, RecordSeries, ages, towns

Values = tuple[frozenset, ...]


@dataclass
class Fallen:
    """A record that became unsafe: where for the first time, and its class then."""

    release: int
    size: int
    cause: str
    description: Values


@dataclass
class Inferred:
    """What follows from a series for an adversary who follows record ids."""

    records: int = 0
    timeline: list[int] = field(default_factory=list)
    smallest_class: int | None = None
    fallen: dict[str, Fallen] = field(default_factory=dict)
    worst: int | None = None
    """The smallest class below k that any record was ever in."""


EVERYTHING = {"Age": frozenset(GRID), "City": frozenset(TOWNS)}


def values(row: RecordRow) -> Values:
    return ages(row.age), towns(row.city)


def table(series: RecordSeries, releases: int) -> dict[str, Values]:
    """What the first so many releases say of each record: of a column that changes, of each release by itself."""
    known = {}
    for at, rows in enumerate(series.releases[:releases]):
        for row in rows:
            told = known.setdefault(row.record, [dict(EVERYTHING) for _ in series.releases])
            for name, cell in zip(EVERYTHING, values(row), strict=True):
                for each in [at] if name in series.changing else range(len(told)):
                    told[each][name] &= cell
    return {record: tuple(cell for each in told for cell in each.values()) for record, told in known.items()}


def persons(series: RecordSeries, releases: int) -> set[str]:
    return {row.record for rows in series.releases[:releases] for row in rows if row.real or not series.keyed}


def mates(series: RecordSeries, release: int, record: str) -> set[str] | None:
    """The people with the record's cells in a release; None where it is not in it."""
    rows = {row.record: row for row in series.releases[release]}
    if record not in rows:
        return None
    alike = {other for other, row in rows.items() if values(row) == values(rows[record])}
    return alike & persons(series, release + 1)


def cause(series: RecordSeries, release: int, record: str, k: int) -> str:
    before, group = table(series, release), mates(series, release, record)
    if group is None:
        return "group change"
    if len(group) < k:
        return "small group"
    if record not in before:
        return "widow"
    old = {mate for mate in group if mate in before}
    joined = {other for other in before if before[other] == before[record]}
    return "subgroup expanding" if old <= joined and group > old else "group change"


def inference_table(series: RecordSeries, k: int) -> Inferred:
    answer = Inferred(len(persons(series, len(series.releases))))
    for release in range(len(series.releases)):
        known, people = table(series, release + 1), persons(series, release + 1)
        sizes = {one: sum(known[one] == known[other] for other in people) for one in people}
        unsafe = [record for record in people if sizes[record] < k]
        answer.timeline.append(len(unsafe))
        answer.smallest_class = min(sizes.values(), default=None)
        for record in unsafe:
            if answer.worst is None or sizes[record] < answer.worst:
                answer.worst = sizes[record]
            if record not in answer.fallen:
                why = cause(series, release, record, k)
                answer.fallen[record] = Fallen(release, sizes[record], why, known[record])
    return answer
