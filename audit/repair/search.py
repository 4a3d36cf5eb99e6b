"""Search for the least change of a candidate that keeps the policy.

A change is tried by writing the changed candidate to a folder of its own and auditing it by the same code as `audit`,
so that nothing is repaired by reasoning alone. The search starts from the groups and people in the findings
(`guided.py`), keeps the best repair so far, and undoes unnecessary changes (`plans.py`). For tiny candidates, all
cheaper changes are tried, too, by ascending cost: this finds the least change, or proves that there is none. There is
also no repair if no set of rows keeps the policy even as one group, which discloses less than any other change.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from functools import partial, reduce
from itertools import combinations
from pathlib import Path
from typing import TypeVar

import numpy as np

from audit.adversary.view import choose
from audit.clauses.clause import attack_reason
from audit.io.candidate import with_candidate
from audit.io.foreign_files import is_foreign
from audit.io.manifest import key_name
from audit.io.release_reading import read_release
from audit.io.series import Series
from audit.model.adversary import ADVERSARIES
from audit.model.arrays import Places
from audit.model.audit_options import AuditOptions
from audit.model.errors import UsageError
from audit.model.outcome import Attack, PerPersonAttack
from audit.model.release_impact import COARSEN, MERGE, MOVE, MOVES, REDRAW, WITHHOLD, Move, ReleaseImpact, Repair
from audit.principles.principle import Principle, checked, promise_of
from audit.repair.candidate_files import CandidateFiles
from audit.repair.candidate_rows import CandidateRows, RepairPlan, sort_key
from audit.repair.guided import ROUNDS, GuidedSearch
from audit.repair.judging import Judge, Judgement, PastValues
from audit.repair.plans import (
    FEW_ROWS,
    AllPlans,
    TooManyPlansError,
    divide,
    finer_at,
    least_recoding,
    smaller_plans,
    way_to_anything,
    ways_of_columns,
)
from audit.runtime.budget import Budget
from audit.runtime.phrases import Phrase, Reason, ReasonKind, combined, figure, kind_of, parted, say, typed

LARGE = 200_000
"""Series with more rows than this are audited only a few times."""
MOST_AUDITS = 200
"""The number of changes of a tiny candidate that are audited one after the other."""
_FEW_SUBSETS = 8
"""Every set of at most this many rows is tried: 255 sets."""
_UNDONE_ROWS, _LEAST_UNDONE, _MOST_UNDONE = 2_000, 3, 60
"""Audits for undoing unnecessary changes: the more rows, the fewer."""
_WORDS = {
    MERGE: Phrase("merging"),
    MOVE: Phrase("moving"),
    COARSEN: Phrase("coarsening"),
    WITHHOLD: Phrase("withholding"),
    REDRAW: Phrase("drawing record ids anew"),
}

T = TypeVar("T")
Answer = tuple[str, bool]
"""Why there is no repair, and whether that is proved."""


class RepairSearch:
    """The search for a repair of one candidate.

    Args of the constructor:
        before, after: the series so far, and with the candidate.
        attacks, options: as for an audit.
        moves: the kinds of change that may be made.
        declared: the principle by which the series was published.

    Raises:
        InputError: the series or the candidate cannot be read, or the candidate lacks its key.
    """

    def __init__(
        self,
        before: Series,
        after: Series,
        attacks: Sequence[Attack],
        options: AuditOptions,
        *,
        moves: Collection[str] = MOVES,
        declared: Principle | None = None,
    ) -> None:
        options = replace(options, whole=Budget(options.time_limit))
        choose(after, options.adversary)  # refuses the unchanged candidate before any change of it is judged
        read_release(after, len(after.tags) - 1, after.columns.quasi_identifiers)  # faults name the candidate's file
        self.rows = CandidateRows(after)
        self.judge = Judge(before, self.rows, attacks, options, expected=2 * ROUNDS)
        self.tries = self.judge.tries
        self.attacks, self.options = attacks, options
        self.declared = declared
        self.tries.budget.on_progress = options.progress("repair")  # a bar of its own, below those of that audit
        self.tries.estimate()
        self.past: PastValues | None = None
        self.first: Judgement | None = None
        self._violated: dict[bytes, bool] = {}
        possible = [move for move in MOVES if self._can(move)]
        self.moves = [move for move in possible if move in moves]
        self._left_out = self._hindrance if WITHHOLD in moves else None
        # Coarser cells that only form groups may happen to merge some groups.
        self._guiding_moves = [move for move in self.moves if move != COARSEN or self._cells_matter()]
        self._all_moves = self.moves == possible and self._hindrance is None

    def _can(self, move: str) -> bool:
        """Return whether this kind of change can be made to the candidate at all."""
        rows, columns = self.rows, self.rows.series.manifest.columns
        if move == WITHHOLD:
            return self._hindrance is None and not rows.staying.all()
        if move == MOVE:
            # It is unknown which value of a pair belongs to which row.
            return not rows.pair and columns.group is not None
        if move == COARSEN:
            return bool(rows.columns) and (columns.group is None or self._cells_matter())
        if move == REDRAW:
            return not rows.pair and str(columns.record) in rows.table
        return True

    @property
    def _hindrance(self) -> str | None:
        """Why no row can be withheld under a register, from which the people of withheld rows must be removed."""
        rows = self.rows
        if rows.register is None or not ADVERSARIES[self.judge.past.adversary.kind].has_register:
            return None
        if rows.register.names_releases and rows.person is None:
            return say(
                "no rows could be withheld: a withheld person must leave the register, too, and there is no key for "
                "the rows; put {key} beside the candidate, and use --adversary register",
                key=key_name(rows.tag),
            )
        if not rows.register.speaks_of_the_past:
            return say("no rows could be withheld: the register is about the candidate only, and could become empty")
        return None

    def _cells_matter(self) -> bool:
        """Return whether cells disclose more than which rows form a group."""
        columns, adversary = self.rows.series.manifest.columns, ADVERSARIES[self.judge.past.adversary.kind]
        several = any(len(cells) > 1 for group in self.rows.contents for cells in group)
        return not adversary.knows_groups or columns.record is not None or several

    def repair(self, output: Path) -> Repair:
        """Return the least changed candidate that keeps the policy, written into a new folder.

        Raises:
            InputError: the series or the candidate cannot be read.
        """
        found = self.find()
        if found.refused is not None or self.tries.best is None:
            return found
        output.mkdir(mode=0o755, parents=False, exist_ok=True)
        files = CandidateFiles(self.rows, self.tries.best[0])
        tables, register = tuple(str(path) for path in files.write(output)), files.register_in(output)
        table, written = self.rows.table, None if register is None else str(register)
        sums, broken = max(0, table.in_file - table.rows), self._broken_promise([Path(each) for each in tables])
        bare, key = is_foreign(table.path), files.key_column
        found = replace(found, sums=sums, bare=bare, key=key, numbered=files.numbered, breaks_promise=broken)
        return replace(found, files=tables, register=written)

    def _broken_promise(self, tables: Sequence[Path]) -> str | None:
        """Return the declared promise if only the series with the repaired candidate does not keep it."""
        before, promise = self.judge.before, self.declared
        if promise is None or not checked(promise, before).holds:
            return None
        return None if checked(promise, with_candidate(before, tables)[1]).holds else str(promise_of(promise))

    def find(self) -> Repair:
        """Return the least change found that keeps the policy; otherwise the audit of the unchanged candidate, and why.

        A repair that was found is also returned if the time limit is reached, or the search is interrupted.

        Raises:
            InputError: the series or the candidate cannot be read.
            KeyboardInterrupt: the search is interrupted before anything was found.
        """
        if (standing := self.judge.past.policy.standing) is not None:
            return self._came_to(_undecided_still(standing))
        self.past = self._quick_test()
        why, proved = "", False
        with self.tries.until_stopped():
            why, proved = self._search()
            if REDRAW in self.moves and self._loses_much:
                other, never = self._with_new_ids(self._search)
                why, proved = (other, True) if proved and never else (why, False)
            if self.tries.best is None and not proved:
                self.tries.check_time()
        if (stopped := self.tries.stopped) is not None:
            if self.tries.best is None and stopped.kind is ReasonKind.INTERRUPTED:
                raise KeyboardInterrupt(self._closest(say("interrupted")))
            why = self._closest(stopped)
        return self._came_to(why, proved=proved)

    def _closest(self, stopped: str) -> str:
        """Return why the search ended, and how far it came without a repair."""
        text, left, doubts = stopped, self.judge.left, self.judge.doubts
        if (kind_of(*doubts) or 0) >= ReasonKind.UNCONFIRMED:
            return Reason(parted([stopped, self._doubted()[0]]), kind_of(*doubts))
        if left:
            text = say(
                "{reason}; of the {first} findings of the first changed candidate, the best one has {left} left",
                reason=stopped,
                first=left[0],
                left=min(left),
            )
        return Reason(text, kind_of(stopped))

    def _search(self) -> Answer:
        """Search for the best repair; return why there is none, and whether that is proved."""
        standing, _ = self._lacks_always(each.reason for each in self.judge.past.policy.undecided)
        if standing is not None:
            return _undecided_still(standing), False
        plan = self.rows.unchanged()
        if not self.moves or self.judge.is_quick or not self._is_broken(plan):
            first = self.first = self.judge.judge(plan, whole=True)
            if not self.moves or not first.policy.violations:
                return self._nothing_to_try(first)
            if all(self._lacks_always(each.reason for each in first.policy.undecided)):
                return self._doubted()
            if REDRAW in self.moves and not self.rows.redraws:
                self._with_new_ids(partial(self._try, replace(plan, redrawn=True)))
        forced = self._forced()
        if len(forced) == self.rows.rows:
            how = say("even with all rows in one group, every row would have to be withheld")
            return self._proved(how)
        found = self._follow_findings(forced)
        none = None if self.tries.best is not None else self._no_coarsest(forced)
        # What loses more so far may have more changes that can be undone.
        for plan in {plan.key: plan for plan in [*(self.tries.best or ())[:1], *found]}.values():
            self._lessen(plan)
        if none is None and self.rows.rows <= FEW_ROWS:
            none = self._least()
        if none is None and self.judge.doubts:
            none = self._doubted()
        return none or (say("no repair was found; this does not prove that there is none"), False)

    @property
    def _loses_much(self) -> bool:
        """Whether there is no repair of what violates the policy, or only one that withholds too many rows."""
        if self.tries.best is None:
            return self.first is None or bool(self.first.policy.violations)
        return self.rows.withheld_too_many(self.tries.best[0]) > 0

    def _with_new_ids(self, search: Callable[[], T]) -> T:
        """Return the result of a search in which each record has a new id, which links it to no earlier release."""
        first, doubts = self.first, self.judge.doubts
        self.rows.redraws, self.judge.doubts = True, []
        try:
            return search()
        finally:
            self.rows.redraws, self.first, self.judge.doubts = False, first, doubts

    def _lacks_always(self, reasons: Iterable[str]) -> tuple[Reason | None, bool]:
        """Return what the manifest lacks, of some reasons, also for the candidate that discloses least.

        And whether nothing violates the policy there.
        """
        lacking = {each for each in reasons if kind_of(each) is ReasonKind.UNDECLARED}
        if not lacking or MERGE not in self.moves:
            return None, False
        least = self.judge.judge(self._whole(np.zeros(0, dtype=np.intp)), blames=False).policy
        still = dict.fromkeys(each.reason for each in least.undecided if each.reason in lacking)
        return combined(still), not least.violations

    def _follow_findings(self, forced: Places) -> list[RepairPlan]:
        """Search for a repair that only withholds few rows, one that publishes least, then others from below.

        The one that publishes least shows who must be withheld.
        In large series, in which one group of all rows takes long to audit, it is tried last.
        Return the one that loses least without giving all rows coarser cells, if there is one.
        """
        guided, found = GuidedSearch(self.judge, self.past, self._guiding_moves), list[RepairPlan | None]()
        whole, least = MERGE in self.moves, forced
        if WITHHOLD in self.moves and self.judge.is_quick:  # a few rows often cost less than any coarser cells
            found.append(GuidedSearch(self.judge, self.past, [WITHHOLD]).repair(forced, self.rows.room))
        if whole and self.judge.is_quick:
            found.append(coarsest := guided.coarsest(forced))
            forced = forced if coarsest is None else np.flatnonzero(coarsest.withheld)
        people, gone = float(self.rows.counts.sum()), float(self.rows.counts[forced].sum())
        # Withheld rows may be what discloses others, so the fewest rows are tried, too.
        rooms = [gone] * self.judge.is_quick + [max(gone, self.rows.room), people]
        for room in dict.fromkeys(rooms if WITHHOLD in self.moves else rooms[:1]):
            # Coarser cells of all rows take few audits, so that they are tried before time runs out.
            recodes = room == rooms[0] and self._may_recode and self.judge.is_quick
            recoding = self._recode(least, forced) if recodes else None
            if room < people or self.tries.best is None:
                found.append(guided.repair(forced, room))
            for place in np.flatnonzero(recoding or []).tolist():
                if recoding is not None and any(finer := finer_at(recoding, place)):
                    guided.repair(forced, self.rows.room, self.rows.recoded(finer))
        for way in ways_of_columns(self.rows) if self._may_recode else ():
            self._recoded([each for each in way if self._is_cheaper(self.rows.recoded(each).without(least))], least)
        if whole and self.tries.best is None and not self.judge.is_quick:
            found.append(guided.coarsest(forced))
        return sorted((each for each in found if each is not None), key=self.rows.cost)[:1]

    @property
    def _may_recode(self) -> bool:
        return COARSEN in self.moves and self.rows.rows > FEW_ROWS

    def _recode(self, least: Places, forced: Places) -> list[int] | None:
        """Return coarser cells of all rows in some columns that repair; some rows are withheld, at best the `least`."""
        way = [*way_to_anything(self.rows)]
        return self._recoded(way, least) or (self._recoded(way, forced) if len(forced) > len(least) else None)

    def _recoded(self, way: Sequence[list[int]], forced: Places) -> list[int] | None:
        return least_recoding(self.rows, way, lambda plan: self._try(plan.without(forced)))

    def _is_cheaper(self, plan: RepairPlan) -> bool:
        return self.tries.best is None or self.rows.cost(plan) < self.rows.cost(self.tries.best[0])

    def _try(self, plan: RepairPlan) -> bool:
        """Return whether a plan keeps the policy, audited once."""
        if plan.key in self._violated or self._is_broken(plan):
            return False
        judgement = self.judge.judge(plan, blames=False)
        self._violated[plan.key] = bool(judgement.policy.violations)
        return judgement.keeps

    def _lessen(self, least: RepairPlan) -> None:
        """Undo unnecessary changes of a repair, with a limited number of audits."""
        if self.rows.series.about_rows > LARGE:
            return

        def keeps(plan: RepairPlan) -> bool:
            nonlocal least
            if kept := self._try(plan):
                least = min(least, plan, key=self.rows.cost)
            return kept

        last = self.tries.expected = self.tries.audits + _MOST_UNDONE
        for part in sorted(self.rows.parts(least), key=self.rows.merge_cost, reverse=True):
            if len(part) > 2 and self.tries.audits < last:
                divide(self.rows, least, part, keeps)
        last = self.tries.audits + min(_MOST_UNDONE, max(_LEAST_UNDONE, _UNDONE_ROWS // self.rows.rows))
        self.tries.expected = last
        while any(keeps(plan) for plan in smaller_plans(self.rows, least) if self.tries.audits < last):
            pass

    # -- there is none ------------------------------------------------------------------------------------------

    def _nothing_to_try(self, first: Judgement) -> Answer:
        """Return why no change is tried: none can be made, or nothing was found that it could answer."""
        if first.policy.violations and not self.moves:
            return say("none of the allowed changes is possible for this candidate"), True
        doubts = dict.fromkeys(each.reason for each in first.policy.undecided)
        why = say("nothing was found, but the policy could not be decided: {reasons}", reasons=parted(doubts))
        return Reason(why, kind_of(*doubts) or ReasonKind.NEEDS), False

    def _forced(self) -> Places:
        """Return the rows that every repair withholds: even one group of all rows discloses them."""
        kept = np.arange(self.rows.rows)
        if self.past is not None and self._coarsest_is_safest and WITHHOLD in self.moves:
            while len(kept) and len(gone := self.past.broken(kept)):
                kept = np.setdiff1d(kept, gone)
        return np.setdiff1d(np.arange(self.rows.rows), kept)

    def _no_coarsest(self, forced: Places) -> Answer | None:
        """Try each set of rows as one group, if there are few sets; return that no change keeps the policy."""
        kept = np.setdiff1d(np.arange(self.rows.rows), forced)
        if not self._coarsest_is_safest or (WITHHOLD in self.moves and len(kept) > _FEW_SUBSETS):
            return None
        self.tries.expected = self.tries.audits + 2 ** len(kept)
        for count in range(len(kept), 0 if WITHHOLD in self.moves else len(kept) - 1, -1):
            for some in combinations(kept.tolist(), count):
                gone = np.setdiff1d(np.arange(self.rows.rows), some)
                if np.array_equal(self.rows.withholdable(gone), gone) and self._try(self._whole(gone)):
                    return None
        if self.rows.staying.any():
            return None
        how = say("of {kept} rows that pass the first test, no set keeps the policy as one group", kept=str(len(kept)))
        return self._proved(how)

    def _least(self) -> Answer | None:
        """Search all plans for one that is cheaper than the best; return why there is no repair at all.

        Return None if there is a repair, or if that was not decided.
        """
        begun = self.tries.audits
        self.tries.expected, tried = begun + MOST_AUDITS, 0
        try:
            for _, plan in AllPlans(self.rows, self.moves).ascending():
                if not self._is_cheaper(plan):
                    return None
                self.tries.check_time()
                tried += 1
                if self._is_broken(plan) or self._is_hopeless(plan):
                    continue
                if self.tries.audits - begun > MOST_AUDITS or self._try(plan):
                    return None
        except TooManyPlansError:
            return None
        if self.rows.staying.any():
            return None
        return self._proved(say("all {count} changes were tried", count=tried))

    def _is_hopeless(self, plan: RepairPlan) -> bool:
        """Return whether the kept rows of a plan are known to break the policy even as one group."""
        if not self._coarsest_is_safest:
            return False
        whole = self._whole(np.flatnonzero(plan.withheld))
        return not (whole.key not in self._violated and self._try(whole)) and self._violated.get(whole.key, True)

    def _whole(self, withheld: Places) -> RepairPlan:
        """Return the plan that discloses least of all rows but some."""
        return self.rows.coarsest(withheld, covered=COARSEN in self.moves)

    @property
    def _coarsest_is_safest(self) -> bool:
        """Return whether every plan discloses what one group of its kept rows discloses.

        A release that says less is never worse if only certain values are judged; risks below certainty may rise.
        """
        certain = self.judge.limits["max_risk"] >= 1 and self.judge.limits.get("max_ever_risk", 1.0) >= 1
        return certain and MERGE in self.moves

    def _proved(self, how: str) -> Answer:
        if self.judge.doubts:
            return self._doubted()
        tried = [each for each in self.moves if each != REDRAW or self.rows.redraws]
        moves = _listed(tried)
        if not self._all_moves or tried != self.moves:
            return say("no combination of {moves} keeps the policy: {how}", moves=moves, how=how), True
        return say(
            "no combination of {moves} keeps the policy; only withholding every row would: {how}", moves=moves, how=how
        ), True

    def _doubted(self) -> Answer:
        doubts = self.judge.doubts
        why = say(
            "changes were found that violate nothing, but the policy cannot be decided with them: {reason}",
            reason=parted(doubts),
        )
        return Reason(why, kind_of(*doubts) or ReasonKind.NEEDS), False

    # -- what is tried ------------------------------------------------------------------------------------------

    def _quick_test(self) -> PastValues | None:
        values_judged = any(isinstance(each, PerPersonAttack) for each in self.attacks)
        if not values_judged or self.rows.series.manifest.waivers:
            return None
        together = self.judge.past.policy.passed and any(
            "max_risk" in each.decides and each.per_attribute and not isinstance(each, PerPersonAttack)
            for each in self.attacks
        )
        judges_k = not self.options.explicit or "k" in self.options.limits
        k = int(self.judge.limits["k"]) if judges_k else 0
        return PastValues.of(self.rows, self.options, k, together=together)

    def _is_broken(self, plan: RepairPlan) -> bool:
        """Return whether the quick test finds that a plan discloses a person's value."""
        if plan.withheld.all():
            return True
        return self.past is not None and len(self.past.groups_broken(plan)) > 0

    # -- reporting --------------------------------------------------------------------------------------------

    def _came_to(self, why: str | None = None, *, proved: bool = False) -> Repair:
        """Return the best repair, which is not written; without one, return why there is none."""
        judge, moves, lost, much = self.judge, tuple[Move, ...](), 0.0, False
        unchanged = self.rows.unchanged()
        plan, judgement = self.tries.best or (unchanged, self.first or judge.judge(unchanged, whole=True))
        if self.tries.best is None:
            if self._left_out is not None:
                why = Reason(parted([why or "", self._left_out]), kind_of(why))
        else:
            why, proved = None, False
            moves, much = self.changes(plan), self.rows.withheld_too_many(plan) > 0
            lost = sum(move.cost for move in moves) / max(1.0, float(self.rows.counts.sum()))
        return Repair(
            self.rows.tag,
            moves,
            lost,
            (),
            judge.past,
            judgement.report,
            self.tries.audits,
            refused=why,
            proved=proved,
            withholds_much=much,
            stopped=self.tries.stopped,
            restricted=not self._all_moves,
            undecided=self._doubted()[0] if (kind_of(*judge.doubts) or 0) >= ReasonKind.UNCONFIRMED else None,
        )

    def changes(self, plan: RepairPlan) -> tuple[Move, ...]:
        """Return the changes of a plan, each with its loss."""
        names, rows = self.rows.names, self.rows
        moves = [Move(MERGE, tuple(names[g] for g in part), (), cost) for part, cost in self._merges(plan)]
        kept = ~plan.withheld
        for row in np.flatnonzero((plan.home != rows.group) & kept).tolist():
            pair = names[rows.group[row]], names[plan.home[row]]
            moves.append(Move(MOVE, pair, (rows.table.line(row),), 0.0))
        costs, wider = rows.costs(plan), rows.recoding_costs(plan)
        each = (costs[COARSEN] - sum(wider)) / max(1, int(np.count_nonzero(plan.steps)))
        for place, name in enumerate(rows.attributes):
            if level := int(plan.recoding[place]):
                column = rows.columns[place]
                texts = [column.texts[code] for code in dict.fromkeys(column.recodings[level][column.codes].tolist())]
                moves.append(Move(COARSEN, (), (), wider[place], name, tuple(sorted(texts, key=sort_key))))
            if len(roots := np.flatnonzero(plan.steps[:, place])):
                moves.append(Move(COARSEN, tuple(names[root] for root in roots), (), each * len(roots), name))
        if plan.redrawn:
            moves.append(Move(REDRAW, (), (), 0.0, rows.series.columns.record))
        if plan.withheld.any():
            lines = tuple(rows.table.line(row) for row in np.flatnonzero(plan.withheld).tolist())
            moves.append(Move(WITHHOLD, (), lines, costs[WITHHOLD]))
        return tuple(moves)

    def _merges(self, plan: RepairPlan) -> list[tuple[list[int], float]]:
        """Return the merged groups with kept rows of several groups, each with the loss by the merge."""
        rows, group, kept = self.rows, plan.group, ~plan.withheld
        found = []
        merged = rows.cells(replace(plan, steps=plan.steps * 0))
        recoded = rows.cells(rows.recoded(plan.recoding.tolist()))
        lost = np.zeros(rows.rows)
        for codes, before, column in zip(merged, recoded, rows.columns, strict=True):
            costs = column.costs()
            lost += (costs[codes] - costs[before]) * rows.counts / len(rows.columns)
        by_root = np.bincount(group[kept], weights=lost[kept], minlength=rows.groups)
        people = np.bincount(group[kept], weights=rows.counts[kept], minlength=rows.groups)
        for part in rows.parts(plan):
            there = [each for each in part if (kept & (plan.home == each)).any()] if rows.rows < 10_000 else part
            if len(there) > 1:
                whole = people[part[0]] ** 2 / max(1.0, float(rows.counts.sum()))
                found.append((there, float(by_root[part[0]]) if rows.attributes else float(whole)))
        return found


def _undecided_still(reasons: Reason) -> Reason:
    return Reason(say("whatever is changed, the policy stays undecided: {reasons}", reasons=reasons), reasons.kind)


def _listed(moves: Sequence[str]) -> str:
    return reduce(
        lambda one, other: say("{one} or {other}", one=one, other=other), [str(_WORDS[each]) for each in moves]
    )


def with_repair(
    impact: ReleaseImpact, before: Series, after: Series, attacks: Sequence[Attack], options: AuditOptions
) -> ReleaseImpact:
    """Return what a candidate changes, with the repair that `audit repair` finds, or the reason why there is none.

    There is no search if the policy holds, if earlier releases break it, or if there are very many rows.

    Raises:
        InputError: the series or the candidate cannot be read.
    """
    if not impact.after.policy.violations or impact.without.policy.violations:
        return impact
    if after.about_rows > LARGE:
        why = say(
            "the series has more than {rows} rows, so a search takes long; run `{command}`",
            rows=figure(LARGE),
            command=typed("audit repair SERIES CANDIDATE --output DIR"),
        )
        return replace(impact, not_computed=(*impact.not_computed, attack_reason("repair", why)))
    try:
        repair = RepairSearch(before, after, attacks, options).find()
    except UsageError as problem:  # an input format that can be judged, but not written
        return replace(impact, not_computed=(*impact.not_computed, attack_reason("repair", str(problem))))
    if repair.refused is None:
        return replace(impact, repair=repair)
    return replace(impact, not_computed=(*impact.not_computed, attack_reason("repair", repair.refused)))
