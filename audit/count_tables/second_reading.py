"""Second readings: what follows from the tables if a dimension is a remark on them, and not a group of people.

A dimension whose total no table shows beside another label parts its labels: no number is compared with one beside
another label. If it names the source or the field of a table, the tables count the same people. What the columns say
does not decide which; the numbers do, if they contradict the second reading, or if nothing more follows from it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from audit.count_tables.count_findings import FindingBuilder
from audit.count_tables.judged_counts import CountAttack, JudgedCounts, judge
from audit.count_tables.label_doubts import unexplained
from audit.count_tables.published_counts import PublishedCounts
from audit.model.audit_options import AuditOptions
from audit.model.count_tables import OPEN
from audit.model.errors import InputError, printable
from audit.runtime.phrases import say

_MOST = 5  # dimensions that may be remarks, each set of which is left out


class SecondReading:
    """Judges other readings of published counts, in the time that the first one left.

    Attributes:
        stopped: whether the user stopped an attack, so that nothing more is judged.
    """

    def __init__(self, judged: JudgedCounts, attack: CountAttack, options: AuditOptions) -> None:
        self._attack, self._options, self._seconds = attack, options, judged.seconds
        self.stopped = judged.interrupted

    def judged(self, counts: PublishedCounts, limits: Mapping[str, int] | None = None) -> JudgedCounts | None:
        """Return what is found in another reading; None if it cannot be judged or contradicts itself."""
        given = self._options
        left = None if given.time_limit is None else max(0.0, given.time_limit - self._seconds)
        options = replace(given, time_limit=left, limits={**given.limits, **(limits or {})})
        try:
            again = None if self.stopped else judge(counts, self._attack, options)
        except (InputError, KeyboardInterrupt) as error:
            self.stopped = isinstance(error, KeyboardInterrupt)
            return None
        if again is not None:
            self._seconds += again.seconds
            self.stopped = again.interrupted
        return again


def finds_nothing(judged: JudgedCounts | None) -> bool:
    """Return whether a reading was judged, without a finding and without an open question."""
    return judged is not None and not judged.found and _is_settled(judged)


def _is_settled(judged: JudgedCounts) -> bool:
    return not (judged.interrupted or judged.evidence.unasked or (judged.verdict == OPEN).any())


def reading_doubts(judged: JudgedCounts, reading: SecondReading) -> Iterator[str]:
    """Yield a sentence about each set of dimensions without which more follows, or that is too hard to judge."""
    counts = judged.counts
    places = [place for place in _unsummed(counts) if _agree(counts, [place])]
    if len(places) > _MOST:
        yield _sentence(counts, places)
        return
    read, most = list[frozenset[int]](), min(len(places), len(counts.dimensions) - 1)
    for some in (some for size in range(most, 0, -1) for some in combinations(places, size)):
        if any(each.issuperset(some) for each in read) or not _agree(counts, some):
            continue
        again = reading.judged(_without(counts, some))
        if again is not None or reading.stopped:
            read.append(frozenset(some))
            if again is None or not _is_settled(again) or _found(again, ()) - _found(judged, some):
                yield _sentence(counts, some)


def _unsummed(counts: PublishedCounts) -> list[int]:
    """Return the dimensions with several labels whose total no table shows beside another label.

    A dimension that is open and has no total has labels for other people, because the manifest says so.
    """
    manifest, found = counts.manifest, list[int]()
    for place in unexplained(counts):
        own, dimension = counts.label[:, place], counts.dimensions[place]
        total = own == dimension.total
        both = np.intersect1d(counts.file[total], counts.file[~total])
        said = dimension.axis.name in manifest.sensitive or (dimension.axis.name in manifest.open and not total.any())
        if not said and not both.size and len(np.unique(own)) > 1:
            found.append(place)
    return found


def _agree(counts: PublishedCounts, places: Sequence[int]) -> bool:
    """Return whether no two rows that differ only in these dimensions show different numbers."""
    beside = np.column_stack([counts.population, counts.measure, np.delete(counts.label, places, axis=1)])
    cell = np.unique(beside, axis=0, return_inverse=True)[1].ravel()
    low, high = np.zeros(len(cell), dtype=np.int64), np.full(len(cell), np.iinfo(np.int64).max)
    np.maximum.at(low, cell, np.where(counts.shown, counts.lower, 0))
    np.minimum.at(high, cell, np.where(counts.shown, counts.upper, high))
    return bool((low <= high).all())


def _without(counts: PublishedCounts, places: Sequence[int]) -> PublishedCounts:
    """Return the same rows without some dimensions."""
    left = [each for place, each in enumerate(counts.dimensions) if place not in places]
    names = tuple(each.axis.name for each in left)
    manifest = replace(counts.manifest, dimensions=names)
    return replace(counts, manifest=manifest, dimensions=tuple(left), label=np.delete(counts.label, places, axis=1))


def _found(judged: JudgedCounts, places: Sequence[int]) -> set[tuple[object, ...]]:
    """Return what was found about each count, named without some dimensions."""
    builder, found = FindingBuilder(judged.counts), set[tuple[object, ...]]()
    names = {judged.counts.dimensions[place].axis.name for place in places}
    for place in judged.found:
        part, question, _ = judged.at(place)
        release, since, cell = builder.subject(part, question)
        kept = tuple((name, label) for name, label in cell.items() if name not in names)
        found.add((release, since, part.statistic, builder.kinds(part), kept, judged.size(place)))
    return found


def _sentence(counts: PublishedCounts, places: Sequence[int]) -> str:
    """Return what to write if the dimensions are remarks, and if they name groups of people."""
    own = counts.label[:, places[0]]
    rows = [int(np.argmax(own == label)) for label in np.unique(own)[:2]]
    (one, first), (other, second) = (
        (printable(counts.dimensions[places[0]].labels[own[row]], 60), printable("{}:{}".format(*counts.place(row))))
        for row in rows
    )
    names = ", ".join(f'"{printable(counts.dimensions[place].axis.name, 60)}"' for place in places)
    has_total = any(counts.dimensions[place].total in counts.label[:, place] for place in places)
    remedy = (
        say("write categories for {dimensions}", dimensions=names)
        if has_total
        else say("write open = [{dimensions}]", dimensions=names)
    )
    return say(
        'if {dimensions} is only a remark ("{one}" in {first}, "{other}" in {second}), the tables count the same '
        "people, and more may follow from them together than from each; then delete it from dimensions; if its labels "
        "are different people, {remedy}",
        dimensions=names,
        remedy=remedy,
        one=one,
        other=other,
        first=first,
        second=second,
    )
