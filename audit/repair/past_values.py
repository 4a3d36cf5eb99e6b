"""What the past leaves to the people of a candidate: a quick test that no plan passes which gives somebody away.

A plan that fails it is broken for certain, so that the test spares audits and guides large repairs; one that passes is
audited all the same.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from audit.adversary.build_evidence import build_evidence
from audit.adversary.known_groups import KnownGroupsSource
from audit.io.encoding import NOBODY
from audit.model.evidence import Evidence
from audit.pipeline.audit_run import AuditOptions
from audit.repair.candidate_rows import CandidateRows
from audit.repair.repair_plan import Places, RepairPlan

Flags = npt.NDArray[np.bool_]
_MOST_BYTES = 1 << 29


class PastValues:
    """The values that earlier releases leave possible for the person of each row, where values never change.

    Attributes:
        left: for each sensitive attribute, the values by row; shape (rows, values).
        own: the row's own value; shape (rows,).
        k: the least size of a group.
        judged: whose rows count: real people of whom more than one value is possible as yet; shape (rows,).
    """

    def __init__(self, rows: CandidateRows, evidence: Sequence[Evidence], k: int) -> None:
        self.rows, self.k = rows, k
        self.own = [rows.values[seen.sensitive] for seen in evidence]
        self.left = [_left(rows, seen) for seen in evidence]
        person = np.full(rows.rows, NOBODY) if rows.person is None else rows.person
        real = (person != NOBODY) & ~np.append(rows.series.people.is_counterfeit(), False)[person]
        everybody = np.arange(rows.rows)
        self.judged = [
            real & left[everybody, own] & (left.sum(axis=1) > 1) for left, own in zip(self.left, self.own, strict=True)
        ]

    @classmethod
    def of(cls, rows: CandidateRows, options: AuditOptions, k: int) -> PastValues | None:
        """Return them; None where the adversary does not know who is in which group, or values may change."""
        if rows.pair or rows.person is None or rows.series.manifest.known is not None:
            return None
        evidence = [seen for seen in build_evidence(rows.series, options.adversary) if seen.combined is None]
        constant = all(seen.transitions is None for seen in evidence)
        if evidence[0].kind != "linked" or not constant:
            return None
        values = sum(len(rows.series.vocabularies[seen.sensitive]) for seen in evidence)
        return cls(rows, evidence, k) if rows.rows * values <= _MOST_BYTES else None

    def broken(self, rows: Places, added: Sequence[Sequence[int]] = ()) -> Places:
        """Return which of the rows of a group it gives away; `added` are the values of its counterfeits, by attribute.

        All of them, where there are fewer than k.
        """
        if len(rows) + len(added) < self.k and self.rows.counts[rows].sum() + len(added) < self.k:
            return rows
        gone = np.zeros(len(rows), dtype=np.bool_)
        for place, (left, own, judged) in enumerate(zip(self.left, self.own, self.judged, strict=True)):
            values = np.unique(np.concatenate([own[rows], np.array([each[place] for each in added], dtype=own.dtype)]))
            gone |= judged[rows] & (left[np.ix_(rows, values)].sum(axis=1) == 1)
        return rows[gone]

    def groups_broken(self, plan: RepairPlan) -> Places:
        """Return the merged groups of a plan without counterfeits that give somebody away; ascending."""
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
        return np.flatnonzero(wrong)


def _left(rows: CandidateRows, seen: Evidence) -> Flags:
    source = seen.source
    if not isinstance(source, KnownGroupsSource) or rows.person is None:
        raise TypeError("this evidence does not come from a series")
    past = len(rows.series.tags) - 1
    pools = [source.pools(position) for position in range(past)]
    values = len(rows.series.vocabularies[seen.sensitive])
    left = np.ones((rows.rows, values), dtype=np.bool_)
    row_of = np.full(rows.series.people.size + 1, -1, dtype=np.intp)
    row_of[rows.person] = np.arange(rows.rows)
    row_of[-1] = -1  # nobody's
    for each in pools:
        there = row_of[each.person]
        held = np.zeros((each.n_pools, values), dtype=np.bool_)
        entries = each.entries()
        held[entries.bag, entries.value] = True
        left[there[there >= 0]] &= held[each.pool[there >= 0]]
    return left
