"""New groups: which values of people who were never published before may stand in one group.

Under m-Distinct any m different values may, under m-Distinct* m values whose candidate update sets are disjoint
(m-Distinct paper, Sections IV-B and V-D). Values are put into *families*, at most one of which has a row in a group:

* m-Distinct: values with the same update set are a family, so that few update set signatures come about and later
  people find the buckets that they fit into. A family that too many people have is cut into families of its own.
* m-Distinct*: follow a value to where no way leads out any more. Closed sets are disjoint exactly when they lead to
  different such *ends*, since a common value would lead both to its own. Values with one end are the family of that
  end; a value with several stands in the way of all of these, and is taken care of before them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from anonymizers.balancing import batches
from anonymizers.m_distinct.entries import Mask, Signature
from audit.model.anonymizer import RefusalError
from audit.model.arrays import Codes, Numbers
from audit.model.errors import printable
from audit.model.update_sets import UpdateSets

_SHOWN = 8


@dataclass(frozen=True)
class Family:
    """Values of which a group has at most one row.

    Attributes:
        values: the values.
        entry: the set of the entry that they stand in.
    """

    values: tuple[int, ...]
    entry: Mask


@dataclass(frozen=True)
class Batch:
    """Rows of new people that go into the bucket of a signature: how many of each family, at most."""

    signature: Signature
    rows: int
    families: tuple[Family, ...]


def families(masks: Sequence[Mask], counts: Numbers, m: int) -> list[Family]:
    """Return families by which some people can be put into groups of m; families that nobody has are among them.

    Args:
        masks: the candidate update set of each value.
        counts: how many people have each value; shape (values,).
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
    others = [value for value in range(len(masks)) if not counts[value]]
    return [*found, *(Family((value,), masks[value]) for value in others[: max(0, m - len(found))])]


def _halved(family: Family, counts: Numbers) -> list[Family]:
    """Return two families of about as many people; the values are two at least."""
    halves: tuple[list[int], list[int]] = [], []
    size = [0, 0]
    for value in sorted(family.values, key=lambda value: (-counts[value], value)):
        half = int(size[1] < size[0])
        halves[half].append(value)
        size[half] += int(counts[value])
    return [Family(tuple(sorted(half)), family.entry) for half in halves]


@dataclass(frozen=True)
class Ends:
    """Where values lead in the end.

    Attributes:
        of: whether a value leads to an end; shape (values, ends).
        family: the values that lead to one end alone, by end.
    """

    of: npt.NDArray[np.bool_]
    family: tuple[Family, ...]

    @classmethod
    def find(cls, updates: UpdateSets) -> Ends:
        """Return the ends of values whose update sets are reflexive and closed."""
        may = updates.may
        final = np.flatnonzero((~may | may.T).all(axis=1))  # whatever becomes of it may become it again
        first = [value for value in final.tolist() if not (may[value] & may[:, value])[:value].any()]
        of = may[:, first]
        alone = of & (of.sum(axis=1) == 1)[:, np.newaxis]
        values = [tuple(np.flatnonzero(alone[:, end]).tolist()) for end in range(len(first))]
        return cls(of, tuple(Family(each, sum(1 << value for value in each)) for each in values))

    def check(self, value: Codes, new: Numbers, m: int, names: Sequence[str]) -> None:
        """Refuse values that cannot be in a group of m disjoint update sets, whoever else is in it.

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
        told = ", ".join(f"{printable(names[each], 24)} (at most {most[each]})" for each in wrong[:_SHOWN])
        told += f" and {len(wrong) - _SHOWN} more" if len(wrong) > _SHOWN else ""
        raise RefusalError(
            f"m-Distinct* cannot be met: of {len(rows):,} people the values have too few others whose update sets are "
            f"disjoint from theirs and from each other, for {m} in a group: {told}",
            "choose a smaller m, publish by m-distinct, or drop these people's rows",
            rows=np.sort(rows).astype(np.int32),
            column="sensitive",
        )

    def beforehand(self, masks: Sequence[Mask], counts: Numbers, m: int) -> list[Batch]:
        """Return the batches of people whose values have several ends.

        Where most wait is looked at first: each time the largest family with several ends is joined by the largest
        others that share no end with it or with each other, and that leave ends enough for the rest; counterfeits
        stand for those of whom nobody waits. Half of the smallest goes into a batch, so that families shrink together.
        """
        kinds: dict[tuple[Mask, bytes], list[int]] = {}
        for value in np.flatnonzero((counts > 0) & (self.of.sum(axis=1) > 1)).tolist():
            kinds.setdefault((masks[value], self.of[value].tobytes()), []).append(value)
        several = [Family(tuple(values), mask) for (mask, _), values in kinds.items()]
        everybody = [*several, *self.family]
        ends = np.stack([*(self.of[family.values[0]] for family in several), *np.eye(len(self.family), dtype=np.bool_)])
        left = [int(counts[list(family.values)].sum()) for family in everybody]
        found: list[Batch] = []
        while any(left[: len(several)]):
            leader = max(range(len(several)), key=lambda place: (left[place], -place))
            chosen = self._joined(leader, ends, left, m)
            rows = max(1, min(left[place] for place in chosen if left[place]) // 2)
            for place in chosen:
                left[place] -= min(rows, left[place])
            together = tuple(everybody[place] for place in chosen)
            found.append(Batch(tuple(sorted(family.entry for family in together)), rows, together))
        return found

    @staticmethod
    def _joined(leader: int, ends: npt.NDArray[np.bool_], left: Sequence[int], m: int) -> list[int]:
        """Return the families of a batch, the leader among them; `ends` are those of each, one at least."""
        chosen, free = [leader], ~ends[leader]
        for place in sorted(range(len(left)), key=lambda place: (-left[place], ends[place].sum(), place)):
            missing = m - len(chosen) - 1
            fits = free[ends[place]].all() and free.sum() - ends[place].sum() >= missing
            if missing >= 0 and fits:
                chosen.append(place)
                free &= ~ends[place]
        return chosen


def grouped(found: Sequence[Family], counts: Numbers, m: int, known: Sequence[Signature]) -> list[Batch]:
    """Return the batches in which people go into buckets, those that there are first.

    Where more than 1/m of them are of one family, counterfeits of others make up for it; a batch may have them.

    Args:
        found: the families, at least m.
        counts: how many people have each value; shape (values,).
        m: the least number of families in a group.
        known: the signatures of buckets that there are, those to fill first in front.
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
        for places, rows in batches(filled, m, dict.fromkeys(signatures))
    ]


def _families_of(signature: Signature, found: Sequence[Family], size: Numbers) -> tuple[int, ...] | None:
    """Return the largest families that fit the entries of a bucket, ascending; None where there are too few."""
    of: dict[Mask, list[int]] = {}
    for place in np.argsort(size, kind="stable").tolist():
        of.setdefault(found[place].entry, []).append(place)
    places = [of[entry].pop() if of.get(entry) else -1 for entry in signature]
    return None if -1 in places else tuple(sorted(places))
