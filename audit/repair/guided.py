"""Guided repairs of candidates of any size: change what the findings follow from, until there are none.

First, each group that fails the quick test gets the cheapest change that passes it. Then the series is audited, the
groups and people of the findings are merged, exchanged, coarsened or withheld, and so on. If a change does not suffice,
the next change of the group is larger, so that few audits are needed. Changes that turn out to be unnecessary are
undone afterwards.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from audit.model.arrays import Places
from audit.model.release_impact import COARSEN, MERGE, MOVE, WITHHOLD
from audit.repair.candidate_rows import CandidateRows, RepairPlan
from audit.repair.judging import Blame, Judge, PastValues

if TYPE_CHECKING:
    from scipy.spatial import cKDTree

ROUNDS = 24
_TRIES = {MOVE: 2, COARSEN: 3}
"""After this many changes of one kind to a group with remaining findings, another kind is tried."""


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

    def coarsest(self, forced: Places) -> RepairPlan | None:
        """Return the repair with all groups merged into one, and people who are still found withheld."""
        gone = forced
        while len(gone) < self.rows.rows:
            plan = self.rows.coarsest(gone, covered=COARSEN in self.moves)
            judgement = self.judge.judge(plan)
            if judgement.keeps:
                return plan
            rows = np.unique(np.concatenate([np.zeros(0, np.intp), *(blame.rows for blame in judgement.blamed)]))
            rows = self.rows.withholdable(rows[~plan.withheld[rows]])
            if not len(rows) or WITHHOLD not in self.moves:
                return None
            gone = np.union1d(gone, rows)
        return None

    def repair(self, forced: Places, room: float, begin: RepairPlan | None = None) -> RepairPlan | None:
        """Return a repair that withholds some rows, and at most `room` more people; None if none is found.

        The search begins with a plan, by default that of the unchanged candidate.
        """
        draft = CandidateDraft(self.rows, self.past, begin or self.rows.unchanged())
        for root in np.unique(draft.root[draft.home[forced]]).tolist():
            draft.withhold(root, forced)
        self.room = room
        if self.past is not None and not self._mended(draft, self.past.groups_broken(draft.plan()).tolist()):
            return None
        tries: Counter[tuple[int, str]] = Counter()
        for _ in range(ROUNDS):
            plan = draft.plan()
            if plan.withheld.all():
                return None
            judgement = self.judge.judge(plan)
            if judgement.keeps:
                return plan
            if judgement.hardly_decided and MERGE in self.moves:  # fewer and larger groups may be decided
                draft.halve()
            elif not judgement.blamed or not self._answered(draft, judgement.blamed, tries):
                return None
        return None

    def _may_withhold(self, draft: CandidateDraft, rows: Places) -> bool:
        return float(self.rows.counts[rows].sum()) <= self.room - draft.withheld_people

    # -- the quick test ---------------------------------------------------------------------------------------

    def _mended(self, draft: CandidateDraft, waiting: list[int]) -> bool:
        """Change groups until all pass the quick test; return whether they do."""
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

    def _answered(self, draft: CandidateDraft, blamed: Sequence[Blame], tries: Counter[tuple[int, str]]) -> bool:
        """Change something for each finding, each group at most once; return whether anything was changed."""
        touched: set[int] = set()
        for blame in blamed:
            roots = {int(draft.root[group]) for group in blame.groups}
            if roots & touched:
                continue
            rows = np.array([row for row in blame.rows.tolist() if draft.keeps(row)], dtype=np.intp)
            if roots:
                root = min(roots, key=lambda each: (len(draft.inside[each]), each))
                changed = self._change(draft, root, rows, tries)
                touched |= {root} if changed else set()
            elif WITHHOLD in self.moves and self._may_withhold(draft, gone := self.rows.withholdable(rows)):
                changed = self._withheld(draft, gone)
            else:
                return False
            touched |= {*changed}
            if not self._mended(draft, changed):
                return False
        return bool(touched)

    def _change(self, draft: CandidateDraft, root: int, rows: Places, tries: Counter[tuple[int, str]]) -> list[int]:
        """Make the cheapest change of a group, among the kinds that were not tried too often.

        A group of which no row is withheld is merged with others, the more of them, the more often it was changed.
        """
        options = [*self._options(draft, root, rows, tries[root, MOVE])]
        left = [each for each in options if tries[root, each[1]] < _TRIES.get(each[1], ROUNDS)] or options
        if not left:
            return []
        _, kind, what = min(left, key=lambda each: each[0])
        tries[root, kind] += 1
        if kind == WITHHOLD and isinstance(what, np.ndarray):
            return self._withheld(draft, what)
        changed = draft.apply(root, kind, what)
        for _ in range(2 ** max(0, tries[root, kind] - 3) - 1 if MERGE in self.moves else 0):
            if near := draft.partners(changed[0]):
                changed = [draft.merge(changed[0], near[0][1])]
        return changed

    def _withheld(self, draft: CandidateDraft, rows: Places) -> list[int]:
        """Withhold some rows, and return the merged groups that had them."""
        changed = sorted(set(draft.root[draft.home[rows]].tolist()))
        for each in changed:
            draft.withhold(each, rows)
        return changed

    def _options(self, draft: CandidateDraft, root: int, rows: Places, exchanged: int) -> Iterator[Option]:
        """Yield a change of each allowed kind."""
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


Option = tuple[float, str, object]
"""The cost of a change, its kind, and the argument of `CandidateDraft.apply`."""

_PARTNERS = 12
_EXCHANGES = 24


class CandidateDraft:
    """A plan under construction.

    Attributes:
        rows: the candidate.
        past: the quick test; None where there is none.
        members: the published groups of each merged group.
        inside: the kept rows of each merged group.
        withheld_people: the number of people whose rows are withheld.
    """

    def __init__(self, rows: CandidateRows, past: PastValues | None, begin: RepairPlan) -> None:
        self.rows, self.past, self._begin = rows, past, begin
        order = np.argsort(begin.part, kind="stable")
        roots, starts = np.unique(begin.part[order], return_index=True)
        parts = np.split(order, starts[1:])
        self.members = {root: members.tolist() for root, members in zip(roots.tolist(), parts, strict=True)}
        self.inside: dict[int, Places] = {root: rows.rows_of(members) for root, members in self.members.items()}
        self.root, self.home, self.steps = begin.part.copy(), begin.home.copy(), begin.steps.copy()
        self.withheld_people = 0.0

    def plan(self) -> RepairPlan:
        """Return the current plan."""
        kept, steps = np.zeros(self.rows.rows, dtype=np.bool_), np.zeros_like(self.steps)
        part = np.empty(self.rows.groups, dtype=np.intp)
        for root, members in self.members.items():
            kept[self.inside[root]] = True
            part[members] = min(members)
            steps[min(members)] = self.steps[root]
        return replace(self._begin, home=self.home.copy(), part=part, withheld=~kept, steps=steps)

    def broken(self, root: int, rows: Places | None = None) -> Places:
        """Return which rows the quick test finds disclosed in a group, perhaps with additional rows."""
        rows = self.inside[root] if rows is None else rows
        if self.past is None or not len(rows):
            return np.zeros(0, dtype=np.intp)
        return self.past.broken(rows)

    def keeps(self, row: int) -> bool:
        """Return whether a row is not withheld."""
        return bool((self.inside[int(self.root[self.home[row]])] == row).any())

    # -- changes --------------------------------------------------------------------------------------------

    def merge(self, one: int, other: int) -> int:
        """Make two merged groups one, and return it."""
        if len(self.members[one]) < len(self.members[other]):
            one, other = other, one
        gone = self.members.pop(other)
        self.members[one] += gone
        self.root[gone] = one
        self.inside[one] = np.concatenate([self.inside[one], self.inside.pop(other)])
        self.steps[[one, other]] = 0
        return one

    def halve(self) -> None:
        """Merge each merged group with one near it, beginning with the smallest."""
        merged = set[int]()
        for root in sorted(self.members, key=lambda each: (len(self.inside[each]), each)):
            if root in self.members and root not in merged and (near := self.partners(root)):
                merged.add(self.merge(root, near[0][1]))

    def withhold(self, root: int, rows: Places) -> None:
        """Withhold those of some rows of a merged group that can be withheld."""
        kept = np.setdiff1d(self.inside[root], self.rows.withholdable(rows))
        self.withheld_people += float(self.rows.counts[self.inside[root]].sum() - self.rows.counts[kept].sum())
        self.inside[root] = kept

    def exchange(self, root: int, row: int, other_root: int, other: int) -> None:
        """Exchange two rows of different merged groups."""
        self.home[[row, other]] = self.home[[other, row]]
        self.inside[root] = np.append(self.inside[root][self.inside[root] != row], other)
        self.inside[other_root] = np.append(self.inside[other_root][self.inside[other_root] != other], row)

    def coarsening(self, root: int) -> tuple[float, int] | None:
        """Return the cost and the attribute of the cheapest step to coarser cells of a group.

        Return None if all cells are already `*`.
        """
        rows, best = self.inside[root], []
        for place, column in enumerate(self.rows.columns):
            own = column.codes[rows]
            codes = [column.merged(np.unique(own).tolist())] if len(self.members[root]) > 1 else np.unique(own).tolist()
            old = [column.coarser(code, int(self.steps[root, place])) for code in codes]
            if not all(map(column.is_top, old)):
                cost = sum(column.cost(column.coarser(code)) - column.cost(code) for code in old)
                best.append((cost / len(old) * float(self.rows.counts[rows].sum()) / len(self.rows.columns), place))
        return min(best, default=None)

    # -- choosing -------------------------------------------------------------------------------------------

    def partners(self, root: int) -> list[tuple[float, int]]:
        """Return merged groups near one, with the cost of merging it with each; ascending."""
        own = self._cost(root)
        found = [
            (self.rows.merge_cost([*self.members[root], *self.members[other]]) - own - self._cost(other), other)
            for other in self._near(root)
        ]
        return sorted(found)

    def _cost(self, root: int) -> float:
        return 0.0 if len(self.members[root]) < 2 else self.rows.merge_cost(self.members[root])

    def _near(self, root: int) -> list[int]:
        """Return some merged groups that are near one."""
        if len(self.members) < 2:
            return []
        if not self.rows.attributes:
            others = (other for other in self.members if other != root and len(self.inside[other]))
            return [other for other, _ in zip(others, range(_PARTNERS), strict=False)]
        middle = self.rows.middles[self.members[root]].mean(axis=0)
        number = 4 * _PARTNERS
        while True:
            near = np.atleast_1d(self._tree.query(middle, k=min(number, self.rows.groups))[1])
            roots = [r for r in dict.fromkeys(self.root[near].tolist()) if r != root and len(self.inside[r])]
            if len(roots) >= min(_PARTNERS, len(self.members) - 1) or number >= self.rows.groups:
                return roots[:_PARTNERS]
            number *= 4

    @cached_property
    def _tree(self) -> cKDTree:
        from scipy.spatial import cKDTree

        return cKDTree(self.rows.middles)

    def exchanges(self, root: int, rows: Places) -> Iterator[tuple[int, int, int]]:
        """Yield exchanges of rows with rows of groups with the same cells: the row, the other group, its row."""
        if len(self.members[root]) > 1:
            return
        tried = 0
        for other in self._alike[int(self.rows.alike[root])]:
            if other == root or other not in self.members or len(self.members[other]) > 1:
                continue
            for row in rows.tolist():
                for swapped in self.inside[other].tolist():
                    yield row, other, swapped
                    tried += 1
                    if tried >= _EXCHANGES:
                        return

    @cached_property
    def _alike(self) -> dict[int, list[int]]:
        found: dict[int, list[int]] = {}
        for group, number in enumerate(self.rows.alike.tolist()):
            found.setdefault(number, []).append(group)
        return found

    def options(self, root: int, moves: Sequence[str]) -> Iterator[Option]:
        """Yield, for each kind of change, the cheapest one after which a group passes the quick test."""
        broken = self.broken(root)
        found = [
            next(self._passing_exchanges(root, broken), None) if MOVE in moves else None,
            self._withholding(root) if WITHHOLD in moves else None,
            next(self._passing_merges(root), None) if MERGE in moves else None,
        ]
        yield from (each for each in found if each is not None)

    def _passing_exchanges(self, root: int, rows: Places) -> Iterator[Option]:
        for row, other, swapped in self.exchanges(root, rows):
            mine = np.append(self.inside[root][self.inside[root] != row], swapped)
            theirs = np.append(self.inside[other][self.inside[other] != swapped], row)
            if not len(self.broken(root, mine)) and not len(self.broken(other, theirs)):
                yield 0.0, MOVE, (row, other, swapped)

    def _withholding(self, root: int) -> Option:
        kept = self.inside[root]
        while len(gone := self.broken(root, kept)):
            kept = np.setdiff1d(kept, gone)
        lost = np.setdiff1d(self.inside[root], kept)
        return float(self.rows.counts[lost].sum()), WITHHOLD, lost

    def _passing_merges(self, root: int) -> Iterator[Option]:
        for cost, other in self.partners(root):
            both = np.concatenate([self.inside[root], self.inside[other]])
            if not len(self.broken(root, both)):
                yield cost, MERGE, other

    def apply(self, root: int, kind: str, what: object) -> list[int]:
        """Make a change that `options` returned, and return the changed groups."""
        if kind == MOVE and isinstance(what, tuple):
            row, other, swapped = what
            self.exchange(root, row, other, swapped)
            return [root, other]
        if kind == MERGE and isinstance(what, int):
            return [self.merge(root, what)]
        if kind == COARSEN and isinstance(what, int):
            self.steps[root, what] += 1
        elif isinstance(what, np.ndarray):
            self.withhold(root, what)
        return [root]
