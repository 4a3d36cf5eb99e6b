"""Repairs of candidates of any size: what the findings follow from is changed until there are none.

What the quick test finds is mended before anything is audited, each group by the cheapest change that the test passes.
Then the series is audited; whatever a certificate names is merged, exchanged, coarsened or withheld, and so on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from audit.model.arrays import Places
from audit.model.moves import COARSEN, COUNTERFEIT, MERGE, MOVE, WITHHOLD
from audit.repair.draft import CandidateDraft, Option
from audit.repair.judging import Blame, Judge, Judgement
from audit.repair.past_values import PastValues
from audit.repair.repair_plan import Counterfeit, RepairPlan

_ROUNDS = 60
_UNDONE = 40
_AT_ONCE = 25
"""One group in so many is changed at once, where audits are cheap: changes tried one by one are fewer in the end."""
_TRIES = {MOVE: 2, COUNTERFEIT: 2, COARSEN: 6, MERGE: 5}
"""After so many changes of a kind to a group whose findings stay, another kind is tried."""

Found = tuple[RepairPlan, Judgement]
Smaller = Callable[[RepairPlan], RepairPlan | None]


class GuidedSearch:
    """Repairs of one candidate.

    Args of the constructor:
        judge: audits plans.
        past: the quick test; None where there is none.
        moves: the kinds of change that may be made.
        values: what counterfeits may have.
        large: whether audits take long, so that nothing is tried twice, or undone.
    """

    def __init__(
        self,
        judge: Judge,
        past: PastValues | None,
        moves: Sequence[str],
        values: Sequence[tuple[str, ...]],
        *,
        large: bool,
    ) -> None:
        self.judge, self.past, self.moves, self.values, self.large = judge, past, moves, values, large
        self.rows = judge.rows

    def cheapest(self) -> Found | None:
        """Return the cheapest of several repairs: one that takes what costs least, and ones that prefer a kind."""
        found = []
        for first in [None] if self.large else [None, *self.moves]:
            each = self._repaired(first)
            if each is not None:
                found.append(each if self.large else self._lessened(*each))
        if not found and (whole := self._coarsest()) is not None:
            found.append(whole if self.large else self._lessened(*whole))
        return min(found, key=lambda each: self.rows.cost(each[0]), default=None)

    def _repaired(self, first: str | None) -> Found | None:
        draft = CandidateDraft(self.rows, self.past, self.values)
        if self.past is not None and not self._mended(draft, self.past.groups_broken(draft.plan()).tolist(), first):
            return None
        tries: Counter[tuple[int, str]] = Counter()
        for _ in range(_ROUNDS):
            plan = draft.plan()
            if plan.withheld.all():
                return None
            judgement = self.judge.judge(plan)
            if judgement.keeps:
                return plan, judgement
            if not judgement.blamed or not self._answered(draft, judgement.blamed, tries, first):
                return None
        return None

    # -- the quick test ---------------------------------------------------------------------------------------

    def _mended(self, draft: CandidateDraft, waiting: list[int], first: str | None) -> bool:
        """Change groups until the quick test passes; tell whether it does."""
        while waiting:
            root = waiting.pop()
            if root not in draft.members or not len(draft.broken(root)):
                continue
            options = list(draft.options(root, self.moves))
            if options:
                _, kind, what = min(options, key=lambda each: (each[1] != first, each[0]))
                draft.apply(root, kind, what)
            elif MERGE in self.moves and (near := draft.partners(root)):
                waiting.append(draft.merge(root, near[0][1]))
            else:
                return False
        return True

    # -- findings ---------------------------------------------------------------------------------------------

    def _answered(
        self, draft: CandidateDraft, blamed: Sequence[Blame], tries: Counter[tuple[int, str]], first: str | None
    ) -> bool:
        """Change something about each finding, a group once; tell whether anything was changed."""
        touched: set[int] = set()
        most = max(1, len(draft.members) // _AT_ONCE) if self.judge.is_quick else len(draft.members)
        for blame in blamed:
            roots = {int(draft.root[group]) for group in blame.groups}
            if len(touched) >= most:
                break
            if roots & touched:
                continue
            rows = np.array([row for row in blame.rows.tolist() if draft.keeps(row)], dtype=np.intp)
            root = min(roots, key=lambda each: (len(draft.inside[each]), each))
            changed = self._change(draft, root, rows, tries, first)
            touched |= {*roots, *changed}
            if not self._mended(draft, changed, first):
                return False
        return bool(touched)

    def _change(
        self, draft: CandidateDraft, root: int, rows: Places, tries: Counter[tuple[int, str]], first: str | None
    ) -> list[int]:
        """Make the change of a group that costs least, of those that were not tried too often."""
        options = [*self._options(draft, root, rows, tries[root, MOVE])]
        left = [each for each in options if tries[root, each[1]] < _TRIES.get(each[1], _ROUNDS)] or options
        if not left:
            return []
        _, kind, what = min(left, key=lambda each: (each[1] != first, each[0]))
        tries[root, kind] += 1
        if kind == WITHHOLD:
            changed = sorted({_root(draft, row) for row in rows.tolist()})
            for each in changed:
                draft.withhold(each, rows)
            return changed
        if kind == COARSEN and not draft.coarsen(root):
            tries[root, COARSEN] = _ROUNDS
        if kind == COARSEN:
            return [root]
        changed = draft.apply(root, kind, what)
        if kind == MERGE:
            tries[changed[0], MERGE] = max(tries[root, MERGE], tries[changed[0], MERGE])
        return changed

    def _options(self, draft: CandidateDraft, root: int, rows: Places, exchanged: int) -> Iterator[Option]:
        """Yield a change of each kind that may be made."""
        if MERGE in self.moves:
            yield from ((cost, MERGE, other) for cost, other in draft.partners(root)[:1])
        if WITHHOLD in self.moves and len(gone := self.rows.withholdable(rows)):
            yield float(self.rows.counts[gone].sum()), WITHHOLD, gone
        if COUNTERFEIT in self.moves and self.values:
            yield 1.0, COUNTERFEIT, self.values[sum(map(len, draft.added.values())) % len(self.values)]
        if MOVE in self.moves:
            mine = rows[draft.root[draft.home[rows]] == root]
            swaps = list(draft.exchanges(root, mine if len(mine) else draft.inside[root]))
            if swaps:
                yield 0.0, MOVE, swaps[exchanged % len(swaps)]
        if COARSEN in self.moves:
            yield 0.5, COARSEN, None

    # -- the coarsest ------------------------------------------------------------------------------------------

    def _coarsest(self) -> Found | None:
        """Return the repair in which all groups are one, and whoever is found all the same is withheld."""
        if MERGE not in self.moves:
            return None
        plan = self.rows.unchanged().merged(range(self.rows.groups))
        while not plan.withheld.all():
            judgement = self.judge.judge(plan)
            if judgement.keeps:
                return plan, judgement
            rows = np.unique(np.concatenate([np.zeros(0, np.intp), *(blame.rows for blame in judgement.blamed)]))
            rows = self.rows.withholdable(rows[~plan.withheld[rows]])
            if not len(rows) or WITHHOLD not in self.moves:
                return None
            plan = plan.without(rows)
        return None

    # -- less ---------------------------------------------------------------------------------------------------

    def _lessened(self, plan: RepairPlan, judgement: Judgement) -> Found:
        """Return a plan less the changes that the policy holds without; so many are tried."""
        for less in self._less(plan):
            smaller = less(plan)
            if smaller is None or self._is_broken(smaller):
                continue
            found = self.judge.judge(smaller, blames=False)
            if found.keeps:
                plan, judgement = smaller, found
        return plan, judgement

    def _is_broken(self, plan: RepairPlan) -> bool:
        return self.past is not None and not plan.counterfeits and len(self.past.groups_broken(plan)) > 0

    def _less(self, plan: RepairPlan) -> Iterator[Smaller]:
        """Yield ways to make a plan smaller, the costliest change first."""
        merged = sorted(self.rows.parts(plan), key=self.rows.merge_cost, reverse=True)
        for members in merged[:_UNDONE]:
            yield partial(_split, members=members)
            yield from (partial(_split_off, group=one) for one in members if len(members) > 2)
        for row in np.flatnonzero(plan.withheld)[:_UNDONE].tolist():
            yield partial(RepairPlan.kept, rows=self.rows.withholdable(np.array([row])))
        yield from (partial(_less_counterfeit, counterfeit=each) for each in plan.counterfeits[:_UNDONE])
        for root, attribute in np.argwhere(plan.steps)[:_UNDONE].tolist():
            yield partial(_finer, root=root, attribute=attribute)


def _root(draft: CandidateDraft, row: int) -> int:
    return int(draft.root[draft.home[row]])


def _split(plan: RepairPlan, members: Sequence[int]) -> RepairPlan | None:
    """Return a plan with a merged group in its published groups again."""
    now = [group for group in members if plan.part[group] == plan.part[members[0]]]
    if len(now) < 2:
        return None
    part = plan.part.copy()
    part[now] = now
    return replace(plan, part=part)


def _split_off(plan: RepairPlan, group: int) -> RepairPlan | None:
    """Return a plan with one group out of its merged group."""
    rest = [other for other in np.flatnonzero(plan.part == plan.part[group]).tolist() if other != group]
    if not rest:
        return None
    part, root = plan.part.copy(), int(plan.part[group])
    part[group], part[rest] = group, min(rest)
    added = tuple(replace(e, group=min(rest)) if e.group == root else e for e in plan.counterfeits)
    return replace(plan, part=part, counterfeits=added)


def _less_counterfeit(plan: RepairPlan, counterfeit: Counterfeit) -> RepairPlan | None:
    left = list(plan.counterfeits)
    if counterfeit not in left:
        return None
    left.remove(counterfeit)
    return replace(plan, counterfeits=tuple(left))


def _finer(plan: RepairPlan, root: int, attribute: int) -> RepairPlan | None:
    if not plan.steps[root, attribute]:
        return None
    steps = plan.steps.copy()
    steps[root, attribute] -= 1
    return replace(plan, steps=steps)
