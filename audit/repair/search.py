"""The search for the least change of a candidate that keeps the policy.

Whatever is tried is written to a folder of its own and audited by the same code as `audit`, so that nothing is repaired
by reasoning alone. What to try comes from the findings: a group of the candidate that stands in a finding's certificate
is merged with another, or the rows of the people concerned are withheld. Small candidates are searched exhaustively, by
ascending cost. Larger ones are searched twice, once merging first and once withholding first, and the cheaper result is
taken; what was done in excess is undone afterwards, the costliest first, as far as the policy holds without it.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path

import numpy as np

from audit.adversary.known_groups import KnownGroupsSource
from audit.io.candidate import with_candidate
from audit.io.series import Series
from audit.judgement.provenance import known_before, needs
from audit.judgement.pseudonyms import Pseudonymizer
from audit.model.outcome import Attack, AttributeDisclosure, EquivalenceFinding, Finding
from audit.model.repair import Move, Repair
from audit.model.report import Report
from audit.model.scored import Judged
from audit.pipeline.audit_run import AuditOptions, AuditRun, build_report, remaining_findings, run_attacks
from audit.repair.candidate_rows import CandidateRows, Places, RepairPlan

MERGE, WITHHOLD = "merge", "withhold"
MOVES = (MERGE, WITHHOLD)
_FEW_ROWS, _FEW_GROUPS = 6, 4
_ROUNDS = 80
_UNDONE = 40
_PARTNERS = 24
_AT_ONCE = 25
"""One group in so many is changed at once: changes that are tried one by one are fewer in the end."""
_GIVE_UP = 6
"""After so many merges a finding that is still there has its rows withheld."""

Watch = Callable[[str], None]


@dataclass(frozen=True)
class Judgement:
    """The audit of the series with a changed candidate.

    Attributes:
        report: as `audit` gives it.
        keeps: whether the policy holds; with a baseline, whether nothing is new that violates it.
        blamed: for each finding that violates the policy, the groups of the candidate that it follows from, and the
            rows there of the people it is about.
        past: how many findings that violate the policy need no row of the candidate.
    """

    report: Report
    keeps: bool
    blamed: Sequence[tuple[tuple[int, ...], Places]]
    past: int


class RepairSearch:
    """Candidates tried for one series.

    Args of the constructor:
        before, after: the series so far, and with the candidate.
        attacks, options: as for an audit.
        moves: those that may be made.
        baseline: whether what could be found before counts no more.
    """

    def __init__(
        self,
        before: Series,
        after: Series,
        attacks: Sequence[Attack],
        options: AuditOptions,
        *,
        moves: Collection[str] = MOVES,
        baseline: bool = False,
        watch: Watch = lambda _: None,
    ) -> None:
        self.before = before
        self.rows = CandidateRows(after)
        self.attacks = attacks
        self.options = replace(options, findings=None, distributed=False)
        self.moves = moves if not self.rows.pair and self.rows.person is not None else set(moves) - {WITHHOLD}
        self.baseline = baseline
        self.watch = watch
        self.audits = 0

    def repair(self, output: Path) -> Repair:
        """Return the least changed candidate that was found to keep the policy, written to a folder that is new.

        Raises:
            InputError: the series or the candidate cannot be read.
        """
        past = self._past()
        plan = self.rows.unchanged()
        first = self._judge(plan)
        if first.keeps:
            return self._told(plan, first, past, output)
        if past.policy.violations and not self.baseline:
            return self._refused(first, past, "the series violates the policy before the candidate comes")
        few = self.rows.rows <= _FEW_ROWS and self.rows.groups <= _FEW_GROUPS
        found = self._least() if few else self._cheapest(first)
        if found is None:
            why = "no merging of groups and withholding of rows keeps the policy" if few else "no repair was found"
            return self._refused(first, past, why)
        return self._told(*found, past, output)

    # -- judging ----------------------------------------------------------------------------------------

    def _past(self) -> Report:
        """Return the report of the series so far, and note what it claims."""
        run = run_attacks(self.before, self.attacks, self.options)
        self._namer = Pseudonymizer(
            self.rows.series, reveal=self.options.reveal, stable=self.options.stable_ids, makes=False
        )
        self._known = dict(zip((_label(each) for _, each in run.judged), run.shelves(self._namer), strict=True))
        return build_report(run, self._namer, replace(self.options, findings=0))

    def _judge(self, plan: RepairPlan) -> Judgement:
        with tempfile.TemporaryDirectory(prefix="audit-repair-") as folder:
            paths = self.rows.write(plan, Path(folder))
            series = with_candidate(self.before, paths)[1]
            self.audits += 1
            self.watch(f"candidate {self.audits}")
            run = run_attacks(series, self.attacks, self.options)
            return self._judged(run, series, plan)

    def _judged(self, run: AuditRun, series: Series, plan: RepairPlan) -> Judgement:
        report = build_report(run, self._namer, replace(self.options, findings=0))
        violated = {(each.attack, each.sensitive) for each in report.policy.violations}
        shelves = run.shelves(self._namer)
        hidden = [
            known_before(self._known.get(_label(judged)), shelf) if self.baseline else np.zeros(0, dtype=np.intp)
            for (_, judged), shelf in zip(run.judged, shelves, strict=True)
        ]
        if not violated:
            return Judgement(report, not report.policy.undecided, (), 0)
        reports, findings, _ = remaining_findings(run, hidden, self._namer, self.options)
        source = run.evidence[0].source
        if not isinstance(source, KnownGroupsSource):
            raise TypeError("this evidence does not come from a series")
        blamed: list[tuple[tuple[int, ...], Places]] = []
        past = 0
        for each, some in zip(reports, findings, strict=True):
            if (each.attack, each.sensitive) not in violated:
                continue
            for finding in some:
                place = self._blame(finding, source, series, plan)
                if place is None:
                    past += 1
                else:
                    blamed.append(place)
        blamed += self._small_classes(report, plan)
        keeps = self.baseline and not blamed and not past and not report.policy.undecided
        return Judgement(report, keeps, blamed, past)

    def _blame(
        self, finding: Finding, source: KnownGroupsSource, series: Series, plan: RepairPlan
    ) -> tuple[tuple[int, ...], Places] | None:
        """Return the candidate's groups that a finding needs, and the rows of its people; None where it needs none."""
        groups = self._groups(needs(finding, source).groups, source, plan)
        people = _people(finding)
        rows = np.zeros(0, dtype=np.intp)
        if people and self.rows.person is not None:
            known = [self.rows.series.people.find(series.people.name(code)) for code in people]
            rows = np.flatnonzero(np.isin(self.rows.person, known) & ~plan.withheld)
        if not groups and not len(rows):
            return None
        return groups or tuple(np.unique(self.rows.group[rows]).tolist()), rows

    def _groups(self, names: Sequence[str], source: KnownGroupsSource, plan: RepairPlan) -> tuple[int, ...]:
        """Return the merged groups that some names of groups or row classes of the rewritten candidate stand for."""
        read = source.releases.get(len(source.releases) - 1)
        kept, found = np.flatnonzero(~plan.withheld), set[int]()
        for group in (read.release.group, read.seen.group):
            wanted = [code for code in np.unique(group.codes).tolist() if group.name(code) in names]
            rows = kept[np.flatnonzero(np.isin(group.codes, wanted))]
            found |= set(plan.part[self.rows.group[rows]].tolist())
        return tuple(sorted(found))

    def _small_classes(self, report: Report, plan: RepairPlan) -> Iterator[tuple[tuple[int, ...], Places]]:
        """Yield the groups of the candidate with fewer than k rows, where that violates the policy."""
        tag = self.rows.tag
        for violation in report.policy.violations:
            if violation.attack is None and violation.release == tag:
                left = np.bincount(plan.part[self.rows.group[~plan.withheld]], minlength=self.rows.groups)
                for group in np.flatnonzero((left > 0) & (left < violation.limit)).tolist():
                    rows = np.flatnonzero((plan.part[self.rows.group] == group) & ~plan.withheld)
                    yield (group,), rows

    # -- searching --------------------------------------------------------------------------------------

    def _least(self) -> tuple[RepairPlan, Judgement] | None:
        """Return the plan of least cost of all that there are; ties go to the plan that comes first."""
        plans = [
            replace(merged, withheld=np.isin(np.arange(self.rows.rows), rows))
            for merged in (self._partitions() if MERGE in self.moves else [self.rows.unchanged()])
            for size in range(self.rows.rows if WITHHOLD in self.moves else 1)
            for rows in combinations(range(self.rows.rows), size)
        ]
        for plan in sorted(plans, key=self.rows.cost):
            judgement = self._tried(plan)
            if judgement is not None and judgement.keeps:
                return plan, judgement
        return None

    def _partitions(self) -> Iterator[RepairPlan]:
        """Yield the ways to merge all groups, each group alone among them."""

        def grown(parts: list[int], group: int) -> Iterator[list[int]]:
            if group == self.rows.groups:
                yield parts
                return
            for part in [*dict.fromkeys(parts), group]:
                yield from grown([*parts, part], group + 1)

        for parts in grown([], 0):
            yield RepairPlan(np.array(parts, dtype=np.intp), self.rows.unchanged().withheld)

    def _tried(self, plan: RepairPlan) -> Judgement | None:
        """Return how a plan is judged; None where it leaves nobody."""
        return None if plan.withheld.all() else self._judge(plan)

    def _cheapest(self, first: Judgement) -> tuple[RepairPlan, Judgement] | None:
        """Return the cheaper of two plans, one made by merging first and one by withholding first."""
        found = [each for move in MOVES if move in self.moves and (each := self._guided(first, move)) is not None]
        return min(found, key=lambda each: self.rows.cost(each[0]), default=None)

    def _guided(self, judgement: Judgement, first: str) -> tuple[RepairPlan, Judgement] | None:
        """Return a plan that follows the findings until none is left, less what it did in excess."""
        plan, merges = self.rows.unchanged(), np.zeros(self.rows.groups, dtype=np.int64)
        for _ in range(_ROUNDS):
            if not judgement.blamed:
                return None
            changed = self._answered(plan, judgement, merges, first)
            after = self._tried(changed)
            if after is None:
                return None
            plan, judgement = changed, after
            if judgement.keeps:
                return self._lessened(plan, judgement)
        return None

    def _answered(self, plan: RepairPlan, judgement: Judgement, merges: Places, first: str) -> RepairPlan:
        """Return a plan that changes something about each finding; a group is changed once a round."""
        touched: set[int] = set()
        for groups, rows in judgement.blamed:
            if len(touched) >= max(1, self.rows.groups // _AT_ONCE):
                break
            parts = {int(plan.part[group]) for group in groups}
            if parts & touched or (len(rows) and plan.withheld[rows].all()):
                continue
            part = min(parts, key=lambda each: (int((plan.part == each).sum()), each))
            may_withhold = WITHHOLD in self.moves and len(rows) > 0
            partner = self._partner(plan, part, touched)
            if may_withhold and (first == WITHHOLD or merges[part] >= _GIVE_UP or MERGE not in self.moves):
                plan = plan.without(rows)
                touched |= parts
            elif partner is not None:
                merges[min(part, partner)] = max(merges[part], merges[partner]) + 1
                plan = plan.merged(part, partner)
                touched |= {part, partner, *parts}
            elif may_withhold and not touched:
                plan = plan.without(rows)
                touched |= parts
        return plan

    def _partner(self, plan: RepairPlan, part: int, touched: Collection[int]) -> int | None:
        """Return the merged group that is cheapest to join with another, of those near it; None where there is none."""
        if MERGE not in self.moves:
            return None
        members = np.flatnonzero(plan.part == part)
        others = [other for other in np.unique(plan.part).tolist() if other != part and other not in touched]
        near = sorted(others, key=lambda other: self._apart(part, other))[:_PARTNERS]
        costs = []
        for other in near:
            both = [*members.tolist(), *np.flatnonzero(plan.part == other).tolist()]
            own = self.rows.merge_cost(members.tolist()) + self.rows.merge_cost(both[len(members) :])
            costs.append((self.rows.merge_cost(both) - own, other))
        return min(costs, default=(0.0, None))[1]

    def _apart(self, one: int, other: int) -> tuple[float, int]:
        """Return how far two groups lie from one another in the published cells, for choosing whom to look at."""
        return float(np.abs(self.rows.middles[one] - self.rows.middles[other]).sum()), other

    def _lessened(self, plan: RepairPlan, judgement: Judgement) -> tuple[RepairPlan, Judgement]:
        """Return a plan less the changes that the policy holds without; so many are tried."""
        for members in sorted(self.rows.parts(plan), key=self.rows.merge_cost, reverse=True)[:_UNDONE]:
            for undone in [members, *([one] for one in members if len(members) > 2)]:
                part = plan.part.copy()
                rest = np.setdiff1d(members, undone)
                part[undone] = undone
                part[rest] = rest.min() if len(rest) else 0
                found = self._tried(RepairPlan(part, plan.withheld))
                if found is not None and found.keeps:
                    plan, judgement = RepairPlan(part, plan.withheld), found
                    if len(undone) == len(members):
                        break
                    members = rest.tolist()  # noqa: PLW2901 - what is left of the merged group
        for row in np.flatnonzero(plan.withheld)[:_UNDONE].tolist():
            withheld = plan.withheld.copy()
            withheld[row] = False
            found = self._tried(RepairPlan(plan.part, withheld))
            if found is not None and found.keeps:
                plan, judgement = RepairPlan(plan.part, withheld), found
        return plan, judgement

    # -- telling ----------------------------------------------------------------------------------------

    def _told(self, plan: RepairPlan, judgement: Judgement, past: Report, output: Path) -> Repair:
        moves = [
            Move(MERGE, tuple(self.rows.names[g] for g in members), (), self.rows.merge_cost(members))
            for members in self.rows.parts(plan)
        ]
        rows = np.flatnonzero(plan.withheld)
        if len(rows):
            lines = tuple(self.rows.table.line(row) for row in rows.tolist())
            moves.append(Move(WITHHOLD, (), lines, float(self.rows.counts[rows].sum())))
        people = float(self.rows.counts.sum())
        output.mkdir(mode=0o755, parents=False, exist_ok=True)
        files = tuple(str(path) for path in self.rows.write(plan, output))
        return Repair(
            self.rows.tag, tuple(moves), sum(m.cost for m in moves) / people, files, past, judgement.report, self.audits
        )

    def _refused(self, judgement: Judgement, past: Report, why: str) -> Repair:
        return Repair(self.rows.tag, (), 0.0, (), past, judgement.report, self.audits, why)


def _label(judged: Judged) -> tuple[str, str | None]:
    return judged.attack.name, judged.sensitive


def _people(finding: Finding) -> list[int]:
    """Return whom a finding is about, by code; nobody for records."""
    if isinstance(finding, AttributeDisclosure):
        return [finding.person]
    if isinstance(finding, EquivalenceFinding):
        return [who for who, _ in (*finding.left, *finding.right) if isinstance(who, int)]
    return []
