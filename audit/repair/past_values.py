"""Past values: a quick test by what earlier releases leave possible; a plan that fails it discloses a person's value.

The test spares audits and guides large repairs. A plan that passes it is audited all the same.

Within a group, the truth is one assignment of the group's rows to its people. Any other assignment differs by exchanges
in a circle: a person with another value passes the own value to a person who may have it, and so on, until a circle is
closed. So a value is certain by the group alone unless the value and another possible one lie on a circle of values
(Regin, AAAI 1994: edges between strongly connected components are in no other matching).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from audit.adversary.view import View, build_evidence
from audit.model.arrays import NOBODY, Flags, Places
from audit.model.audit_options import AuditOptions
from audit.repair.candidate_rows import CandidateRows, RepairPlan

_MOST_BYTES = 1 << 29


class PastValues:
    """The values that earlier releases leave possible for the person of each row, where values never change.

    Attributes:
        left: for each sensitive attribute, the values by row; shape (rows, values).
        own: the row's own value; shape (rows,).
        k: the least size of a group.
        judged: the rows that count: of real people with more than one possible value so far; shape (rows,).
        together: whether the people of a group are checked together, as an attack does, or each alone.
    """

    def __init__(self, rows: CandidateRows, evidence: Sequence[View], k: int, *, together: bool) -> None:
        self.rows, self.k, self.together = rows, k, together
        self.own = [rows.values[seen.sensitive] for seen in evidence]
        self.left = [_left(rows, seen) for seen in evidence]
        person = np.full(rows.rows, NOBODY) if rows.person is None else rows.person
        real = (person != NOBODY) & ~rows.series.people.counterfeits(person)
        all_rows = np.arange(rows.rows)
        self.judged = []
        for left, own in zip(self.left, self.own, strict=True):
            known = real & left[all_rows, own]
            left[~known] = True  # counterfeits may have any value; people with contradictory values are left out
            self.judged.append(known & (left.sum(axis=1) > 1))

    @classmethod
    def of(cls, rows: CandidateRows, options: AuditOptions, k: int, *, together: bool) -> PastValues | None:
        """Return the past values; None if the adversary does not know the groups of people, or values may change."""
        if rows.pair or rows.person is None or rows.series.manifest.known is not None:
            return None
        evidence = [seen for seen in build_evidence(rows.series, options.adversary) if seen.combined is None]
        constant = all(seen.transitions is None for seen in evidence)
        if not evidence[0].adversary.knows_groups or not constant:
            return None
        values = sum(len(rows.series.vocabularies[seen.sensitive]) for seen in evidence)
        return cls(rows, evidence, k, together=together) if rows.rows * values <= _MOST_BYTES else None

    def broken(self, rows: Places) -> Places:
        """Return which rows of a group it discloses; all of them if there are fewer than k."""
        if len(rows) < self.k and self.rows.counts[rows].sum() < self.k:
            return rows
        gone = np.zeros(len(rows), dtype=np.bool_)
        for left, own, judged in zip(self.left, self.own, self.judged, strict=True):
            values, has = np.unique(own[rows], return_inverse=True)
            here = left[np.ix_(rows, values)]
            if self.together:
                here &= _leading_back(here, has)
            gone |= judged[rows] & (here.sum(axis=1) == 1)
        return rows[gone]

    def groups_broken(self, plan: RepairPlan) -> Places:
        """Return the merged groups of a plan that disclose a person's value; ascending."""
        group, kept = plan.group, ~plan.withheld
        size = np.bincount(group[kept], weights=self.rows.counts[kept], minlength=self.rows.groups)
        wrong = (size > 0) & (size < self.k)
        for left, own, judged in zip(self.left, self.own, self.judged, strict=True):
            held = np.zeros((self.rows.groups, left.shape[1]), dtype=np.bool_)
            held[group[kept], own[kept]] = True
            rows = np.flatnonzero(kept & judged)
            for some in np.array_split(rows, max(1, len(rows) // 50_000)):
                alone = (left[some] & held[group[some]]).sum(axis=1) == 1
                wrong[group[some[alone]]] = True
        if self.together:
            order = np.flatnonzero(kept)[np.argsort(group[kept], kind="stable")]
            starts = np.searchsorted(group[order], np.arange(self.rows.groups + 1)).tolist()
            for root in np.flatnonzero((size > 0) & ~wrong).tolist():
                wrong[root] = len(self.broken(order[starts[root] : starts[root + 1]])) > 0
        return np.flatnonzero(wrong)


def _leading_back(left: Flags, own: Places) -> Flags:
    """Return the values from which exchanges lead back to each row's own value; shape (rows, values), bool."""
    reach = np.eye(left.shape[1], dtype=np.float32)
    np.maximum.at(reach, own, left.astype(np.float32))
    for _ in range(max(1, (left.shape[1] - 1).bit_length())):
        reach = np.minimum(reach @ reach, 1)
    return reach.T[own] > 0


def _left(rows: CandidateRows, seen: View) -> Flags:
    if rows.person is None:
        raise TypeError("the candidate has no key")
    past = len(rows.series.tags) - 1
    pools = seen.pooled[:past]
    values = len(rows.series.vocabularies[seen.sensitive])
    left = np.ones((rows.rows, values), dtype=np.bool_)
    row_of = np.full(rows.series.people.size + 1, -1, dtype=np.intp)
    row_of[rows.person] = np.arange(rows.rows)
    row_of[-1] = -1  # no person's
    for each in pools:
        there = row_of[each.person]
        held = np.zeros((each.n_pools, values), dtype=np.bool_)
        entries = each.entries()
        held[entries.bag, entries.value] = True
        left[there[there >= 0]] &= held[each.pool[there >= 0]]
    return left
