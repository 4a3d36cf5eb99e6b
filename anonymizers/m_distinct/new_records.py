"""New records: form groups of people who were never published before.

Under m-Distinct any m different values may form a group, under m-Distinct* m values with disjoint candidate update sets
(m-Distinct paper, Sections IV-B and V-D). Values are divided into *families*, and a group has at most one row of each:

* m-Distinct: values with the same update set form a family, so that there are few update set signatures and later
  people find buckets that they fit into. A family with too many people is divided.
* m-Distinct*: an *end* is a value, or several that may become each other, that can become no other value. Closed sets
  are disjoint exactly if they lead to different ends, because a common value would lead both to its own ends. Values
  that lead to one end form the family of this end. Values with several ends exclude the families of all of these, and
  are put into groups first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from anonymizers.balancing import assignments
from anonymizers.m_distinct.entries import Mask, UpdateSetSignature
from audit.model.anonymizer import RefusalError
from audit.model.arrays import Codes, Flags, Numbers
from audit.model.evidence import UpdateSets
from audit.runtime.phrases import printable, say

_SHOWN = 8


@dataclass(frozen=True)
class Family:
    """Values of which a group has at most one row.

    Attributes:
        values: the values.
        entry: the set of their entry.
    """

    values: tuple[int, ...]
    entry: Mask


@dataclass(frozen=True)
class Batch:
    """New people who go into the bucket of a signature: at most `rows` of each family."""

    signature: UpdateSetSignature
    rows: int
    families: tuple[Family, ...]


def families(masks: Sequence[Mask], counts: Numbers, m: int) -> list[Family]:
    """Return at least m families for people to be put into groups of m; some families may have no people.

    Args:
        masks: the candidate update set of each value.
        counts: the number of people of each value; shape (values,).
        m: the least number of values in a group.
    """
    alike: dict[Mask, list[int]] = {}
    for value in np.flatnonzero(counts).tolist():
        alike.setdefault(masks[value], []).append(value)
    found = [Family(tuple(values), mask) for mask, values in alike.items()]
    total = int(counts.sum())
    while True:
        size = [int(counts[list(family.values)].sum()) for family in found]
        wide = [place for place, family in enumerate(found) if len(family.values) > 1]
        if not wide or (len(found) >= m and max(size) * m <= total):
            break
        place = max(wide, key=lambda place: (size[place], -place))
        found[place : place + 1] = _halved(found[place], counts)
    absent = [value for value in range(len(masks)) if not counts[value]]
    return [*found, *(Family((value,), masks[value]) for value in absent[: max(0, m - len(found))])]


def _halved(family: Family, counts: Numbers) -> list[Family]:
    """Divide a family of two or more values into two families with similar numbers of people."""
    halves: tuple[list[int], list[int]] = [], []
    size = [0, 0]
    for value in sorted(family.values, key=lambda value: (-counts[value], value)):
        half = int(size[1] < size[0])
        halves[half].append(value)
        size[half] += int(counts[value])
    return [Family(tuple(sorted(half)), family.entry) for half in halves]


@dataclass(frozen=True)
class Ends:
    """The ends of values, see above.

    Attributes:
        of: whether a value leads to an end; shape (values, ends).
        family: the values that lead to one end only, by end.
    """

    of: Flags
    family: tuple[Family, ...]

    @classmethod
    def find(cls, updates: UpdateSets) -> Ends:
        """Return the ends of values whose update sets are reflexive and closed."""
        may = updates.may
        final = np.flatnonzero((~may | may.T).all(axis=1))  # all that it may become may become it again
        first = [value for value in final.tolist() if not (may[value] & may[:, value])[:value].any()]
        of = may[:, first]
        single = of & (of.sum(axis=1) == 1)[:, np.newaxis]
        values = [tuple(np.flatnonzero(single[:, end]).tolist()) for end in range(len(first))]
        return cls(of, tuple(Family(each, sum(1 << value for value in each)) for each in values))

    def check(self, value: Codes, new: Numbers, m: int, names: Sequence[str]) -> None:
        """Refuse values that fit into no group of m disjoint update sets.

        Args:
            value: the value of each row of the snapshot; shape (rows,).
            new: the rows of people who were never published before.
            m: the number of sets.
            names: the values.

        Raises:
            RefusalError: a new person has such a value.
        """
        most = len(self.family) - self.of.sum(axis=1) + 1
        rows = new[most[value[new]] < m]
        if not len(rows):
            return
        wrong = np.unique(value[rows]).tolist()
        values = ", ".join(
            say("{value} (at most {count})", value=printable(names[each], 24), count=most[each])
            for each in wrong[:_SHOWN]
        )
        if len(wrong) > _SHOWN:
            values = say("{items} and {more} more", items=values, more=len(wrong) - _SHOWN)
        raise RefusalError(
            say(
                "m-Distinct* cannot be met: the values of {count} people fit into no group of {m} values with disjoint "
                "update sets: {values}",
                count=len(rows),
                m=m,
                values=values,
            ),
            say("choose a smaller m, publish by m-distinct, or drop these people's rows"),
            rows=np.sort(rows).astype(np.int32),
            column="sensitive",
        )

    def beforehand(self, masks: Sequence[Mask], counts: Numbers, m: int) -> list[Batch]:
        """Return the batches of people whose values have several ends.

        Each batch consists of the largest family with several ends, and the largest other families that share no end
        with it or each other and leave enough ends for the rest; counterfeits stand for families without people. It
        takes half of the smallest family, so that families shrink together.
        """
        alike: dict[tuple[Mask, bytes], list[int]] = {}
        for value in np.flatnonzero((counts > 0) & (self.of.sum(axis=1) > 1)).tolist():
            alike.setdefault((masks[value], self.of[value].tobytes()), []).append(value)
        several = [Family(tuple(values), mask) for (mask, _), values in alike.items()]
        every = [*several, *self.family]
        ends = np.stack([*(self.of[family.values[0]] for family in several), *np.eye(len(self.family), dtype=np.bool_)])
        left = [int(counts[list(family.values)].sum()) for family in every]
        found: list[Batch] = []
        while any(left[: len(several)]):
            leader = max(range(len(several)), key=lambda place: (left[place], -place))
            chosen = self._joined(leader, ends, left, m)
            rows = max(1, min(left[place] for place in chosen if left[place]) // 2)
            for place in chosen:
                left[place] -= min(rows, left[place])
            together = tuple(every[place] for place in chosen)
            found.append(Batch(tuple(sorted(family.entry for family in together)), rows, together))
        return found

    @staticmethod
    def _joined(leader: int, ends: Flags, left: Sequence[int], m: int) -> list[int]:
        """Return the families of a batch, the leader included; `ends` holds the ends of each family, at least one."""
        chosen, free = [leader], ~ends[leader]
        for place in sorted(range(len(left)), key=lambda place: (-left[place], ends[place].sum(), place)):
            missing = m - len(chosen) - 1
            fits = free[ends[place]].all() and free.sum() - ends[place].sum() >= missing
            if missing >= 0 and fits:
                chosen.append(place)
                free &= ~ends[place]
        return chosen


def grouped(found: Sequence[Family], counts: Numbers, m: int, known: Sequence[UpdateSetSignature]) -> list[Batch]:
    """Return the batches that put people into buckets; existing buckets are filled first.

    If more than 1/m of the people belong to one family, counterfeits of other families balance it.

    Args:
        found: the families, at least m.
        counts: the number of people of each value; shape (values,).
        m: the least number of families in a group.
        known: the signatures of existing buckets, in the order to fill them.
    """
    size = np.array([counts[list(family.values)].sum() for family in found], dtype=np.int64)
    largest = int(size.max(initial=0))
    lacking = largest * m - int(size.sum())
    filled = size.copy()
    for place in np.argsort(-size, kind="stable").tolist():
        added = min(max(lacking, 0), largest - int(size[place]))
        filled[place] += added
        lacking -= added
    signatures = [places for each in known if (places := _families_of(each, found, size)) is not None]
    return [
        Batch(tuple(sorted(found[place].entry for place in places)), rows, tuple(found[place] for place in places))
        for places, rows in assignments(filled, m, dict.fromkeys(signatures))
    ]


def _families_of(signature: UpdateSetSignature, found: Sequence[Family], size: Numbers) -> tuple[int, ...] | None:
    """Return the largest families that fit the entries of a bucket, ascending; None if there are too few."""
    of: dict[Mask, list[int]] = {}
    for place in np.argsort(size, kind="stable").tolist():
        of.setdefault(found[place].entry, []).append(place)
    places = [of[entry].pop() if of.get(entry) else -1 for entry in signature]
    return None if -1 in places else tuple(sorted(places))
