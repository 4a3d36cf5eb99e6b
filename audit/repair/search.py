"""The search for the least change of a candidate that keeps the policy.

Whatever is tried is written to a folder of its own and audited by the same code as `audit`, so that nothing is repaired
by reasoning alone. Tiny candidates are searched exhaustively, by ascending cost (`all_plans.py`); larger ones by
following the proofs of the findings (`guided.py`).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import reduce
from pathlib import Path

import numpy as np

from audit.adversary.build_evidence import choose
from audit.io.series import Series
from audit.model.adversary import ADVERSARIES
from audit.model.moves import COARSEN, COUNTERFEIT, MERGE, MOVE, MOVES, WITHHOLD, Move
from audit.model.outcome import Attack, PerPersonAttack
from audit.model.repair import Repair
from audit.pipeline.audit_run import AuditOptions
from audit.repair.all_plans import FEW_ROWS, AllPlans, TooManyPlansError
from audit.repair.candidate_files import CandidateFiles
from audit.repair.candidate_rows import CandidateRows
from audit.repair.guided import Found, GuidedSearch
from audit.repair.judging import Judge, Judgement
from audit.repair.past_values import PastValues
from audit.repair.repair_plan import RepairPlan
from audit.runtime.phrases import Phrase, parted, say

LARGE = 200_000
"""Series of more rows than this are audited a few times only."""
MOST_AUDITS = 1_000
"""Changes of a tiny candidate that are audited one after the other; more would take minutes."""
_FEW_SUBSETS = 10
_WORDS = {
    MERGE: Phrase("merging"),
    MOVE: Phrase("moving"),
    COARSEN: Phrase("coarsening"),
    WITHHOLD: Phrase("withholding"),
    COUNTERFEIT: Phrase("adding counterfeits"),
}
_BROKEN_PAST = Phrase("the series violates the policy even without the candidate")


class RepairSearch:
    """Candidates tried for one series.

    Args of the constructor:
        before, after: the series so far, and with the candidate.
        attacks, options: as for an audit.
        moves: the kinds of change that may be made.
        baseline: whether what could be found before counts no more; None where that is so if it violates the policy.

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
        baseline: bool | None = False,
    ) -> None:
        choose(after, options.adversary)  # refuses the candidate as it lies, before copies of it are judged
        self.rows = CandidateRows(after)
        self.judge = Judge(before, self.rows, attacks, options, baseline=baseline)
        self.attacks, self.options, self.baseline = attacks, options, self.judge.baseline
        self.past: PastValues | None = None
        self.tried = 0
        self.doubts: list[str] = []
        possible = [move for move in MOVES if self._can(move)]
        self.moves = [move for move in possible if move in moves]
        self._left_out = self._hindrance if WITHHOLD in moves else None
        self._all_moves = self.moves == possible and self._hindrance is None

    def _can(self, move: str) -> bool:
        """Return whether a kind of change can be made to this candidate at all."""
        rows, columns = self.rows, self.rows.series.manifest.columns
        if move == WITHHOLD:
            return self._hindrance is None and not rows.staying.all()
        if move == MOVE:
            # Nobody can tell which value of a pair would go along.
            return not rows.pair and columns.group is not None
        if move == COARSEN:
            return bool(rows.columns) and self._cells_matter()
        if move == COUNTERFEIT:
            published = rows.series.manifest.counterfeits
            fake = bool(published) or self.judge.facts.counterfeits > 0
            told = not rows.pair or len(columns.sensitive) == 1  # which values of a pair go together, nobody can tell
            return fake and told and rows.person is not None and columns.record is None
        return True

    @property
    def _hindrance(self) -> str | None:
        """Why no row can be withheld under a register, from which people have to be taken whose rows are."""
        rows = self.rows
        if rows.register is None or not ADVERSARIES[self.judge.past.adversary.kind].has_register:
            return None
        if rows.person is None:
            return say(
                "no rows were withheld: the register tells who is in the release, and no key tells whose rows they "
                "are; put {key} beside the candidate, and name --adversary register",
                key=f"{rows.tag}.key.csv",
            )
        if not rows.register.speaks_of_the_past:
            return say("no rows were withheld: the register is about the candidate alone, and could become empty")
        return None

    def _cells_matter(self) -> bool:
        """Return whether cells say more than which rows form a group."""
        columns, adversary = self.rows.series.manifest.columns, ADVERSARIES[self.judge.past.adversary.kind]
        several = any(len(cells) > 1 for group in self.rows.contents for cells in group)
        return not adversary.knows_groups or columns.group is None or columns.record is not None or several

    def repair(self, output: Path) -> Repair:
        """Return the least changed candidate that was found to keep the policy, written to a folder that is new.

        Raises:
            InputError: the series or the candidate cannot be read.
        """
        found, why = self.find()
        return self._refused(found, why) if isinstance(found, Judgement) else self._written(*found, output)

    def unwritten(self) -> Repair:
        """Return the same without its files.

        Raises:
            InputError: the series or the candidate cannot be read.
        """
        found, why = self.find()
        return self._refused(found, why) if isinstance(found, Judgement) else self._told(*found, ())

    def proposed(self) -> Repair | None:
        """Return a repair that is quickly found, and not written; None where none is, or the past breaks the policy."""
        if self.judge.past.policy.violations and not self.baseline:
            return None
        self.past = self._quick_test()
        guided = GuidedSearch(self.judge, self.past, self.moves, self._counterfeit_values(), large=True).cheapest()
        return None if guided is None else self._told(*guided, ())

    def find(self) -> tuple[Found | Judgement, str]:
        """Return a plan that keeps the policy, with its audit; else the audit of the candidate as it is, and why."""
        plan = self.rows.unchanged()
        if self.judge.past.policy.violations and not self.baseline:
            return self.judge.judge(plan), str(_BROKEN_PAST)
        self.past = self._quick_test()
        values = self._counterfeit_values()
        if self.moves and not self.judge.is_quick and self._is_broken(plan):
            guided = self._guided(values)
            return self._last_resort(self.judge.judge(plan)) if guided is None else (guided, "")
        first = self.judge.judge(plan)
        if first.keeps:
            return (plan, first), ""
        if not self.moves or not (first.blamed or first.past):
            return first, self._nothing_to_try(first)
        tried = self._tiny(first, values) if self.rows.rows <= FEW_ROWS else None
        if tried is not None:
            return tried
        guided = self._guided(values)
        return self._last_resort(first) if guided is None else (guided, "")

    def _nothing_to_try(self, first: Judgement) -> str:
        """Return why no change is tried: none can be made, or nothing was found that could be changed."""
        if first.report.policy.violations and not self.moves:
            return say("none of the changes that may be made can be made to this candidate")
        doubts = parted(dict.fromkeys(each.reason for each in first.report.policy.undecided))
        return say("nothing was found, but the policy could not be decided: {reasons}", reasons=doubts)

    def _tiny(self, first: Judgement, values: Sequence[tuple[str, ...]]) -> tuple[Found | Judgement, str] | None:
        """Return the least change of all, or that there is none; None where that cannot be told by trying."""
        try:
            least = self._least(AllPlans(self.rows, self.moves, values, coarsens=COARSEN in self.moves))
        except TooManyPlansError:
            return None
        if least is None and COUNTERFEIT in self.moves:
            return None
        if least is None and self.doubts:
            return first, say(
                "changes were found that violate nothing, but the policy cannot be decided with them: {reason}",
                reason=self.doubts[0],
            )
        if least is not None:
            return least, ""
        if self.rows.staying.any():
            return first, say("no repair was found; this does not prove that there is none")
        return first, self._proved(say("all {count} changes were tried", count=self.tried))

    def _guided(self, values: Sequence[tuple[str, ...]]) -> Found | None:
        """Return a repair found by following the findings; None where none was."""
        large = self.rows.series.about_rows > LARGE
        return GuidedSearch(self.judge, self.past, self.moves, values, large=large).cheapest()

    def _proved(self, how: str) -> str:
        if not self._all_moves:
            return say("no combination of {moves} keeps the policy: {how}", moves=_listed(self.moves), how=how)
        return say(
            "no combination of {moves} keeps the policy; only withholding every row would: {how}",
            moves=_listed(self.moves),
            how=how,
        )

    def _quick_test(self) -> PastValues | None:
        values_judged = any(isinstance(each, PerPersonAttack) for each in self.attacks)
        if not values_judged or self.rows.series.manifest.waivers:
            return None
        together = not self.baseline and any(
            "max_risk" in each.decides and each.per_attribute and not isinstance(each, PerPersonAttack)
            for each in self.attacks
        )
        judges_k = not self.options.explicit or "k" in self.options.limits
        k = int(self.judge.limits["k"]) if judges_k else 0
        return PastValues.of(self.rows, self.options, k, together=together)

    def _counterfeit_values(self) -> list[tuple[str, ...]]:
        """Return the values that counterfeits may have: those published, or of rows where several are sensitive."""
        if COUNTERFEIT not in self.moves:
            return []
        columns = self.rows.series.manifest.columns
        names = [self.rows.series.vocabularies[name].names for name in columns.sensitive]
        if len(names) == 1:
            return [(text,) for text in sorted(names[0])]
        codes = np.unique(np.stack([self.rows.values[name] for name in columns.sensitive], axis=1), axis=0)
        return [tuple(known[code] for known, code in zip(names, row, strict=True)) for row in codes.tolist()]

    # -- tiny candidates --------------------------------------------------------------------------------------

    def _least(self, plans: AllPlans) -> Found | None:
        """Return the plan of least cost of all that there are; of equal cost, the one that comes first.

        Raises:
            TooManyPlansError: it takes too many audits.
        """
        hopeless: set[bytes] = set()
        begun = self.judge.audits
        for plan in plans.ascending():
            if self.judge.audits - begun > MOST_AUDITS:
                raise TooManyPlansError
            self.tried += 1
            kept = plan.withheld.tobytes()
            if kept in hopeless or self._is_broken(plan):
                continue
            judgement = self.judge.judge(plan, blames=False)
            if judgement.keeps:
                return plan, judgement
            self.doubts += [each.reason for each in judgement.report.policy.undecided if _only_doubted(judgement)]
            if self._monotone and MERGE in self.moves and not plan.counterfeits and COUNTERFEIT not in self.moves:
                whole = self._whole(plan)
                if self._is_broken(whole) or self._is_violated(whole):
                    hopeless.add(kept)
        return None

    def _is_violated(self, plan: RepairPlan) -> bool:
        judgement = self.judge.judge(plan, blames=False)
        return not judgement.keeps and bool(judgement.report.policy.violations)

    @property
    def _monotone(self) -> bool:
        """Return whether a release that says less is never worse: certainties are, risks below need not be."""
        return self.judge.limits["max_risk"] >= 1 and self.judge.limits.get("max_ever_risk", 1.0) >= 1

    def _whole(self, plan: RepairPlan) -> RepairPlan:
        """Return the plan that keeps the same rows and says the least of them: all are one group."""
        return self.rows.unchanged().merged(range(self.rows.groups)).without(np.flatnonzero(plan.withheld))

    def _is_broken(self, plan: RepairPlan) -> bool:
        """Return whether the quick test finds that a plan gives somebody away."""
        if plan.withheld.all():
            return True
        return self.past is not None and not plan.counterfeits and len(self.past.groups_broken(plan)) > 0

    # -- refusals ---------------------------------------------------------------------------------------------

    def _last_resort(self, first: Judgement) -> tuple[Found | Judgement, str]:
        """Withhold whoever one group of all rows gives away; what is then left, if it is little, is tried in full."""
        if self.past is None or not self._monotone or {MERGE, WITHHOLD} - set(self.moves):
            return first, say("no repair was found; this does not prove that there is none")
        kept = np.arange(self.rows.rows)
        while len(kept) and len(gone := self.past.broken(kept)):
            kept = np.setdiff1d(kept, gone)
        if not len(kept):
            how = say("even with all rows in one group, one row after the other has to be withheld, until none is left")
            found_none = COUNTERFEIT in self.moves
            return first, say("no repair was found: {how}", how=how) if found_none else self._proved(how)
        if len(kept) > _FEW_SUBSETS:
            return first, say("no repair was found; this does not prove that there is none")
        subsets = sorted(range(1, 1 << len(kept)), key=lambda mask: -mask.bit_count())
        for mask in subsets:
            rows = kept[[place for place in range(len(kept)) if mask >> place & 1]]
            plan = self._whole(self.rows.unchanged().without(np.setdiff1d(np.arange(self.rows.rows), rows)))
            if not self._is_broken(plan):
                judgement = self.judge.judge(plan)
                if judgement.keeps:
                    return (plan, judgement), ""
                self.doubts += [each.reason for each in judgement.report.policy.undecided if _only_doubted(judgement)]
        if COUNTERFEIT in self.moves or self.doubts:
            return first, say("no repair was found; this does not prove that there is none")
        how = say(
            "with all rows in one group, only {kept} of {rows} rows pass the first test, and no set of "
            "these keeps the policy",
            rows=self.rows.rows,
            kept=str(len(kept)),
        )
        return first, self._proved(how)

    # -- telling ----------------------------------------------------------------------------------------------

    def _refused(self, judgement: Judgement, why: str) -> Repair:
        """Return that there is no repair, and why."""
        judge = self.judge
        if self._left_out is not None and why != str(_BROKEN_PAST):
            why = parted([why, self._left_out])
        return Repair(self.rows.tag, (), 0.0, (), judge.past, judgement.report, judge.audits, why)

    def _written(self, plan: RepairPlan, judgement: Judgement, output: Path) -> Repair:
        """Return a repair, written to a folder that is new or empty."""
        output.mkdir(mode=0o755, parents=False, exist_ok=True)
        files = CandidateFiles(self.rows, plan)
        told = self._told(plan, judgement, tuple(str(path) for path in files.write(output)))
        register = files.register_in(output)
        return told if register is None else replace(told, register=str(register))

    def _told(self, plan: RepairPlan, judgement: Judgement, files: tuple[str, ...]) -> Repair:
        moves = self.changes(plan)
        lost = sum(move.cost for move in moves) / max(1.0, float(self.rows.counts.sum()))
        return Repair(self.rows.tag, moves, lost, files, self.judge.past, judgement.report, self.judge.audits)

    def changes(self, plan: RepairPlan) -> tuple[Move, ...]:
        """Return the changes of a plan, each with what it loses."""
        names, rows = self.rows.names, self.rows
        moves = [Move(MERGE, tuple(names[g] for g in part), (), cost) for part, cost in self._merges(plan)]
        kept = ~plan.withheld
        for row in np.flatnonzero((plan.home != rows.group) & kept).tolist():
            pair = names[rows.group[row]], names[plan.home[row]]
            moves.append(Move(MOVE, pair, (rows.table.line(row),), 0.0))
        coarse = np.argwhere(plan.steps).tolist()
        costs = rows.costs(plan)
        for root, place in coarse:
            moves.append(Move(COARSEN, (names[root],), (), costs[COARSEN] / len(coarse), rows.attributes[place]))
        moves += [Move(COUNTERFEIT, (names[each.group],), (), 1.0) for each in plan.counterfeits]
        if plan.withheld.any():
            lines = tuple(rows.table.line(row) for row in np.flatnonzero(plan.withheld).tolist())
            moves.append(Move(WITHHOLD, (), lines, costs[WITHHOLD]))
        return tuple(moves)

    def _merges(self, plan: RepairPlan) -> list[tuple[list[int], float]]:
        """Return the groups that are merged, where rows of several are kept, each with what that loses."""
        rows, group, kept = self.rows, plan.group, ~plan.withheld
        found = []
        merged = rows.cells(RepairPlan(plan.home, plan.part, plan.withheld, plan.steps * 0))
        lost = np.zeros(rows.rows)
        for codes, column in zip(merged, rows.columns, strict=True):
            costs = column.costs()
            lost += (costs[codes] - costs[column.codes]) * rows.counts / len(rows.columns)
        by_root = np.bincount(group[kept], weights=lost[kept], minlength=rows.groups)
        people = np.bincount(group[kept], weights=rows.counts[kept], minlength=rows.groups)
        for part in rows.parts(plan):
            there = [each for each in part if (kept & (plan.home == each)).any()] if rows.rows < 10_000 else part
            if len(there) > 1:
                whole = people[part[0]] ** 2 / max(1.0, float(rows.counts.sum()))
                found.append((there, float(by_root[part[0]]) if rows.attributes else float(whole)))
        return found


def _only_doubted(judgement: Judgement) -> bool:
    """Return whether nothing violates the policy, and yet it is not kept."""
    return not judgement.keeps and not judgement.report.policy.violations


def _listed(moves: Sequence[str]) -> str:
    return reduce(
        lambda one, other: say("{one} or {other}", one=one, other=other), [str(_WORDS[each]) for each in moves]
    )
