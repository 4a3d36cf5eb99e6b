"""Repairs of candidates of any size: what the findings follow from is changed until there are none.

What the quick test finds is mended before anything is audited, each group by the cheapest change that the test passes.
Then the series is audited; whatever the findings name is merged, exchanged, coarsened or withheld, and so on. What a
change did not mend is changed more the next time, so that few audits are needed; what was changed too much is undone
afterwards.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from audit.model.arrays import Places
from audit.model.moves import COARSEN, MERGE, MOVE, WITHHOLD
from audit.repair.draft import CandidateDraft, Option
from audit.repair.judging import Blame, Judge, Judgement
from audit.repair.past_values import PastValues
from audit.repair.repair_plan import RepairPlan

ROUNDS = 8
_TRIES = {MOVE: 2, COARSEN: 3}
"""After so many changes of a kind to a group whose findings stay, another kind is tried."""

Found = tuple[RepairPlan, Judgement]


class GuidedSearch:
    """Repairs of one candidate.

    Args of the constructor:
        judge: audits plans.
        past: the quick test; None where there is none.
        moves: the kinds of change that may be made.
    """

    def __init__(self, judge: Judge, past: PastValues | None, moves: Sequence[str]) -> None:
        self.judge, self.past, self.moves = judge, past, moves
        self.rows = judge.rows
        self.room = 0.0

    def coarsest(self, forced: Places) -> Found | None:
        """Return the repair in which all groups are one, and people who are found all the same are withheld."""
        plan, covered = self.rows.coarsest(forced, covered=COARSEN in self.moves), COARSEN in self.moves
        while not plan.withheld.all():
            judgement = self.judge.judge(plan)
            if judgement.keeps:
                return plan, judgement
            rows = np.unique(np.concatenate([np.zeros(0, np.intp), *(blame.rows for blame in judgement.blamed)]))
            rows = self.rows.withholdable(rows[~plan.withheld[rows]])
            if not len(rows) or WITHHOLD not in self.moves:
                return None
            plan = self.rows.coarsest(np.union1d(np.flatnonzero(plan.withheld), rows), covered=covered)
        return None

    def repaired(self, forced: Places, room: float) -> Found | None:
        """Return a repair that withholds some rows, and no more people in all than there is room for; None for none."""
        draft = CandidateDraft(self.rows, self.past)
        for root in np.unique(draft.root[draft.home[forced]]).tolist():
            draft.withhold(root, forced)
        self.room = room
        if self.past is not None and not self._mended(draft, self.past.groups_broken(draft.plan()).tolist()):
            return None
        tries: Counter[tuple[int, str]] = Counter()
        for number in range(ROUNDS):
            plan = draft.plan()
            if plan.withheld.all():
                return None
            judgement = self.judge.judge(plan)
            if judgement.keeps:
                return plan, judgement
            if not judgement.blamed or not self._answered(draft, judgement.blamed, tries, 2 ** max(0, number - 2)):
                return None
        return None

    def _may_withhold(self, draft: CandidateDraft, rows: Places) -> bool:
        return float(self.rows.counts[rows].sum()) <= self.room - draft.withheld_people

    # -- the quick test ---------------------------------------------------------------------------------------

    def _mended(self, draft: CandidateDraft, waiting: list[int]) -> bool:
        """Change groups until the quick test passes; return whether it does."""
        while waiting:
            root = waiting.pop()
            if root not in draft.members or not len(draft.broken(root)):
                continue
            options = [
                each
                for each in draft.options(root, self.moves)
                if not isinstance(each[2], np.ndarray) or self._may_withhold(draft, each[2])
            ]
            if options:
                _, kind, what = min(options, key=lambda each: each[0])
                draft.apply(root, kind, what)
            elif MERGE in self.moves and (near := draft.partners(root)):
                waiting.append(draft.merge(root, near[0][1]))
            else:
                return False
        return True

    # -- findings ---------------------------------------------------------------------------------------------

    def _answered(
        self, draft: CandidateDraft, blamed: Sequence[Blame], tries: Counter[tuple[int, str]], merges: int
    ) -> bool:
        """Change something about each finding, a group once; return whether anything was changed.

        A group of which no row is withheld is merged with so many others, if any.
        """
        touched: set[int] = set()
        for blame in blamed:
            roots = {int(draft.root[group]) for group in blame.groups}
            if roots & touched:
                continue
            rows = np.array([row for row in blame.rows.tolist() if draft.keeps(row)], dtype=np.intp)
            root = min(roots, key=lambda each: (len(draft.inside[each]), each))
            changed = self._change(draft, root, rows, tries, merges)
            touched |= {root, *changed} if changed else set()
            if not self._mended(draft, changed):
                return False
        return bool(touched)

    def _change(
        self, draft: CandidateDraft, root: int, rows: Places, tries: Counter[tuple[int, str]], merges: int
    ) -> list[int]:
        """Make the change of a group that costs least, of those that were not tried too often."""
        options = [*self._options(draft, root, rows, tries[root, MOVE])]
        left = [each for each in options if tries[root, each[1]] < _TRIES.get(each[1], ROUNDS)] or options
        if not left:
            return []
        _, kind, what = min(left, key=lambda each: each[0])
        tries[root, kind] += 1
        if kind == WITHHOLD and isinstance(what, np.ndarray):
            changed = sorted(set(draft.root[draft.home[what]].tolist()))
            for each in changed:
                draft.withhold(each, what)
            return changed
        changed = draft.apply(root, kind, what)
        for _ in range(merges - 1 if MERGE in self.moves else 0):
            if near := draft.partners(changed[0]):
                changed = [draft.merge(changed[0], near[0][1])]
        return changed

    def _options(self, draft: CandidateDraft, root: int, rows: Places, exchanged: int) -> Iterator[Option]:
        """Yield a change of each kind that may be made."""
        if MERGE in self.moves:
            yield from ((cost, MERGE, other) for cost, other in draft.partners(root)[:1])
        gone = self.rows.withholdable(rows) if WITHHOLD in self.moves else rows[:0]
        if len(gone) and self._may_withhold(draft, gone):
            yield float(self.rows.counts[gone].sum()), WITHHOLD, gone
        if MOVE in self.moves:
            mine = rows[draft.root[draft.home[rows]] == root]
            swaps = list(draft.exchanges(root, mine if len(mine) else draft.inside[root]))
            if swaps:
                yield 0.0, MOVE, swaps[exchanged % len(swaps)]
        if COARSEN in self.moves and (wider := draft.coarsening(root)) is not None:
            yield wider[0], COARSEN, wider[1]
