"""Judge changed candidates: write each into a folder of its own and audit it by the same code as `audit`.

Past values are a quick test by what earlier releases leave possible; a plan that fails it discloses a person's value.
"""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path

import numpy as np

from audit.adversary.view import View, build_evidence
from audit.clauses.registry import in_force
from audit.io.candidate import with_candidate
from audit.io.rules.cell_meaning import Spelled
from audit.io.rules.rule import Rules
from audit.io.series import Series
from audit.judgement.pseudonyms import Pseudonymizer
from audit.judgement.selection import KnownClaims, selections_of
from audit.model.arrays import NOBODY, Flags, Places
from audit.model.audit_options import AuditOptions
from audit.model.errors import InputError
from audit.model.finding import Finding
from audit.model.outcome import Attack, NarrowableAttack
from audit.model.report import PolicyReport, Report
from audit.pipeline.attack_run import AuditRun, run_attacks
from audit.pipeline.audit_run import build_report, less_the_past, remaining_findings
from audit.repair.candidate_files import CandidateFiles
from audit.repair.candidate_rows import CandidateRows, Cost, RepairPlan, owners
from audit.runtime.candidate_search import CandidateSearch
from audit.runtime.phrases import ReasonKind, kind_of

_CERTIFICATES = 12
"""The number of findings about people outside the candidate whose certificates are read."""
_QUICK = 10_000
"""In series with more rows than this, certificates take long, so they are read only if no own group is the cause."""


@dataclass(frozen=True)
class Blame:
    """The part of a changed candidate that a finding follows from: merged groups, and the rows of its people.

    Without groups, it is about a record that is no longer published, which needs others beside it: rows to withhold.
    """

    groups: tuple[int, ...]
    rows: Places


@dataclass(frozen=True)
class Judgement:
    """The audit of the series with a changed candidate.

    Attributes:
        report: the report of the audit.
        policy: the policy by which the candidate is judged; if the past does not keep it, only what is new counts.
        blamed: the causes of each finding that violates the policy.
        past: the number of violating findings that need no row of the candidate.
    """

    report: Report
    policy: PolicyReport
    blamed: Sequence[Blame]
    past: int

    @property
    def keeps(self) -> bool:
        """Whether the policy holds; if the past does not keep it, whether nothing new violates it."""
        return self.policy.passed

    @property
    def hardly_decided(self) -> bool:
        """Whether the policy is undecided, and only because that is hard: nothing is missing."""
        kinds = {kind_of(each.reason) for each in self.policy.undecided}
        return not self.policy.violations and kinds == {ReasonKind.TOO_HARD}


class Judge:
    """Audits of one series with changed versions of its candidate.

    Args of the constructor:
        before: the series so far.
        rows: the candidate.
        attacks, options: as for an audit.
        expected: the number of audits that may be needed.

    Attributes:
        tries: the audits so far, and the best repair.
        doubts: why the policy is undecided with changes that violate nothing, if possible where a line in the manifest
            removes all these doubts; empty if none was undecided.
    """

    def __init__(
        self,
        before: Series,
        rows: CandidateRows,
        attacks: Sequence[Attack],
        options: AuditOptions,
        *,
        expected: int,
    ) -> None:
        limits = {name: each.limit for name, each in in_force(before.manifest.policy, options.limits).items()}
        self.before, self.rows = before, rows
        self.attacks, self._quick_attacks = _narrowed(attacks, limits), _narrowed(attacks, {})
        self.options = replace(options, findings=None, keeps_finished=False)
        self.tries = CandidateSearch[RepairPlan, Judgement](options.whole, self._cost, expected)
        self.left = list[int]()
        self.doubts: list[str] = []
        self._namer = Pseudonymizer(rows.series, reveal=options.reveal, stable=options.stable_ids, makes=False)
        # The same findings guide the search in every run, so that a candidate is always repaired in the same way.
        self._guide = Pseudonymizer(rows.series, reveal=False, makes=False, key=b"guide")
        run = run_attacks(before, self.attacks, replace(self.options, findings=options.findings))
        self._known = KnownClaims(run.results, self._namer, limits)
        self.past: Report = build_report(run, self._namer)
        self.limits = limits

    @property
    def is_quick(self) -> bool:
        """Whether audits are so fast that findings can be handled a few at a time, by their certificates."""
        return self.rows.series.about_rows <= _QUICK

    def judge(self, plan: RepairPlan, *, blames: bool = True, whole: bool = False) -> Judgement:
        """Return the judgement of the series with a changed candidate, with the causes of findings if requested.

        Slow attacks only return what they find quickly if that violates the policy, or decides it, unless the `whole`
        audit is wanted; that audit is made even after the time limit.

        Raises:
            SearchOutOfTimeError: the time limit of the whole search is reached.
        """
        if not whole:
            self.tries.check_time()
        return self.tries.audit(plan, partial(self._audit, blames=blames, whole=whole))

    def _cost(self, plan: RepairPlan, judgement: Judgement) -> Cost | None:
        return self.rows.cost(plan) if judgement.keeps else None

    def _audit(self, plan: RepairPlan, *, blames: bool, whole: bool) -> Judgement:
        with tempfile.TemporaryDirectory(prefix="audit-repair-") as folder, self._named(folder):
            series = with_candidate(self._before(plan), CandidateFiles(self.rows, plan).write(Path(folder)))[1]
            for attacks in [self.attacks] if whole else [self._quick_attacks, self.attacks]:
                run, report, policy = self._audited(series, attacks, whole=whole)
                is_open = policy.undecided or any(each.incomplete for each in report.attacks)
                if policy.violations or self.attacks == attacks or not is_open:
                    break
            if not policy.violations or not blames or (whole and self.tries.budget.exhausted()):
                if not policy.violations and not whole:
                    doubts = [*dict.fromkeys(each.reason for each in policy.undecided)]
                    self.doubts = max(self.doubts, doubts, key=lambda each: (len(each) > 0, kind_of(*each) or 0))
                return Judgement(report, policy, (), 0)
            return self._judged(run, report, policy, _Written(run, self.rows, plan))

    def _before(self, plan: RepairPlan) -> Series:
        """Return the series so far; if record ids are drawn anew, its manifest says that they are to differ."""
        manifest, record = self.before.manifest, self.before.columns.record
        if not plan.redrawn or record is None:
            return self.before
        rules = manifest.columns.rules
        spelled = Spelled((*rules[Spelled].columns, record))
        columns = replace(manifest.columns, rules=Rules((*rules.without(Spelled), spelled)))
        return Series.of(replace(manifest, columns=columns))

    @contextmanager
    def _named(self, folder: str) -> Iterator[None]:
        """Name the candidate in problems of the files that were written for it, of which some rows may be withheld."""
        try:
            yield
        except InputError as error:
            shown = {Path(path).name: shown for path, shown in self.rows.series.manifest.releases[-1].halves}
            raise InputError(
                replace(each, file=shown.get(Path(each.file).name, each.file), line=None)
                if each.file.startswith(folder)
                else each
                for each in error.problems
            ) from error

    def _audited(
        self, series: Series, attacks: Sequence[Attack], *, whole: bool
    ) -> tuple[AuditRun, Report, PolicyReport]:
        """Return the outcomes of attacks, the report, and the policy by which the candidate is judged."""
        options = replace(self.options, findings=0, progress=(lambda _: None) if whole else self.tries.check_time)
        run = run_attacks(series, attacks, options)
        report = build_report(run, self._namer)
        if self.past.policy.passed or not (report.policy.violations or report.policy.undecided):
            return run, report, report.policy
        run = less_the_past(run, self._known)
        return run, report, build_report(run, self._namer).policy

    def _judged(self, run: AuditRun, report: Report, policy: PolicyReport, written: _Written) -> Judgement:
        """Return a judgement with the causes of the violations of a policy."""
        violated = {(each.attack, each.sensitive) for each in policy.violations}
        untimed = replace(run, options=replace(self.options, findings=0))
        results = remaining_findings(untimed, self._guide)
        blamed: list[Blame] = []
        past = 0
        selections = [
            one for each in results if each.label in violated for one in selections_of(each, self._guide, self.limits)
        ]
        for selection in selections:
            claims = selection.claims
            found = list(
                written.own_groups(claims.people_at(np.delete(claims.everything(), selection.waived)).tolist())
            )
            if not found:
                selection.select(_CERTIFICATES, selection.waived)
                proved = [written.blame(finding) for finding in selection.findings]
                past += proved.count(None)
                found = [one for one in proved if one is not None]
            blamed += found
        self.left.append(sum(len(each.claims) - len(each.waived) for each in selections))
        blamed += self._small_classes(policy, written)
        return Judgement(report, policy, blamed, past)

    def _small_classes(self, policy: PolicyReport, written: _Written) -> Iterator[Blame]:
        """Yield the groups of the candidate with too few equal rows, if that violates the policy."""
        limits = [v.limit for v in policy.violations if v.attack is None and v.release == self.rows.tag]
        if not limits:
            return
        plan = written.plan
        kept, group = np.flatnonzero(~plan.withheld), plan.group
        cells = [group[kept], *(codes[kept] for codes in self.rows.cells(plan))]
        _, place = np.unique(np.stack(cells, axis=1), axis=0, return_inverse=True)
        size = np.bincount(place.reshape(-1), weights=self.rows.counts[kept])[place.reshape(-1)]
        small = kept[size < max(limits)]
        for root in np.unique(group[small]).tolist():
            yield Blame((root,), small[group[small] == root])


def _narrowed(attacks: Sequence[Attack], limits: Mapping[str, float]) -> list[Attack]:
    """Return attacks that do only what limits require, where they can."""
    return [each.only_deciding(limits) if isinstance(each, NarrowableAttack) else each for each in attacks]


class _Written:
    """A changed candidate that was audited, with the original rows and groups of its rows and groups."""

    def __init__(self, run: AuditRun, rows: CandidateRows, plan: RepairPlan) -> None:
        held = run.releases
        self._evidence, self.rows, self.plan = run.evidence[0], rows, plan
        self.source = run.evidence[0].source
        self._last, self._read = len(held) - 1, held.seen[-1]
        self._person = owners(held.series, held.keyed[-1].person)
        self._row = rows.order_of(plan)

    @cached_property
    def _groups(self) -> dict[str, set[int]]:
        """The merged groups by the names of groups or row classes."""
        found: dict[str, set[int]] = {}
        for coded in (self._read.release.group, self._read.pool):
            pairs = np.unique(np.stack([coded.codes, self.plan.group[self._row]], axis=1), axis=0)
            for code, root in pairs.tolist():
                found.setdefault(coded.name(code), set()).add(root)
        return found

    def rows_of(self, people: Collection[int]) -> Places:
        """Return the candidate's rows of some people, by their codes in the audited series."""
        person = self._person
        if person is None or not len(people):
            return np.zeros(0, dtype=np.intp)
        return self._row[np.isin(person, list(people))]

    def blame(self, finding: Finding[int]) -> Blame | None:
        """Return the candidate's groups that a finding needs, and the rows of its people; None if it needs none."""
        last = self._last
        roots = {root for name in finding.follows_from(self.source, last).groups for root in self._groups.get(name, ())}
        rows = self.rows_of(finding.people())
        if not len(rows) and len(finding.people()):
            # Some person in the candidate has a value that follows for the same reason, or is to stay away as well.
            same = self.rows_of([who for who in finding.mentioned() if isinstance(who, int)])
            there = np.flatnonzero(~self.plan.withheld & np.isin(self.plan.group, sorted(roots)))
            value = getattr(finding, "value", None)
            rows = same[:1] if value is None else self._beside(np.union1d(same, there), value)
        if not roots and not len(rows):
            records = [*finding.records(), *(finding.linked() or ())[:1]]
            return self._of_record(records[0]) if records else None
        return Blame(tuple(sorted(roots or set(self.plan.group[rows].tolist()))), rows)

    def _of_record(self, record: int) -> Blame | None:
        """Return the group and the row of a record.

        If it is no longer published, return the row of a record that is like it without that row: it was in the same
        releases, with equal cells. None if there is no such record.
        """
        seen, last = self._evidence, self._last
        if seen.records is None:
            return None
        here = seen.records.rows(last)
        if len(own := self._row[here.record == record]):
            return Blame(tuple(self.plan.group[own].tolist()), own)
        alike, known = np.ones(here.size, dtype=np.bool_), -1
        for release, rows in enumerate(map(seen.records.rows, range(last))):
            at = np.flatnonzero(rows.record == record)
            values = None if seen.rows_of is None else seen.rows_of.rows(release).value
            known = known if values is None or not len(at) else int(values[at[0]])
            for column in rows.cells:
                cells = np.full(here.size, -1, dtype=np.int32)
                cells[rows.record] = column
                alike &= cells == cells[record]
        beside = self._beside(self._row[alike[here.record]], known)
        return Blame((), beside) if len(beside) else None

    def _beside(self, rows: Places, known: int) -> Places:
        """Return the best of some rows to withhold beside a person or record that is not published.

        It has another value, if possible, which is frequent in its group.
        """
        value = self.rows.values.get(self._evidence.sensitive, np.zeros(self.rows.rows, dtype=np.int32))
        kind = self.plan.group * (int(value.max()) + 1) + value
        often = np.bincount(kind[~self.plan.withheld])
        return np.array(
            sorted(rows.tolist(), key=lambda row: (value[row] == known, -often[kind[row]], row))[:1], np.intp
        )

    def own_groups(self, people: Collection[int]) -> Iterator[Blame]:
        """Yield the group of each person who is in the candidate, with the person's rows there.

        For people whose row no key names, yield all groups that may hold them.
        """
        rows = self.rows_of(people)
        rows = rows[np.argsort(self.plan.group[rows], kind="stable")]
        roots, starts = np.unique(self.plan.group[rows], return_index=True)
        for root, some in zip(roots.tolist(), np.split(rows, starts)[1:], strict=True):
            yield Blame((root,), some)
        last, owners_known = self._last, self._person
        there = np.intersect1d(np.array(people, dtype=np.int32), self.source.present(last))
        if owners_known is not None:
            there = np.setdiff1d(there, owners_known)
        for names in self.source.groups(last, there[:_CERTIFICATES]):
            if found := {root for name in names for root in self._groups.get(name, ())}:
                yield Blame(tuple(sorted(found)), rows[:0])


_MOST_BYTES = 1 << 29


class PastValues:
    """The values that earlier releases leave possible for the person of each row, where values never change.

    The test spares audits and guides large repairs. A plan that passes it is audited all the same.

    Within a group, the truth is one assignment of the group's rows to its people. Any other assignment differs by
    exchanges in a circle: a person with another value passes the own value to a person who may have it, and so on,
    until a circle is closed. So a value is certain by the group alone unless the value and another possible one lie on
    a circle of values (Regin, AAAI 1994: edges between strongly connected components are in no other matching).

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
