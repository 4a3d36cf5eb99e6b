"""Foreseeing: what one more release would change - new findings, and their causes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from audit.adversary.view import View
from audit.io.candidate import file_of
from audit.io.diagnostics import is_there
from audit.io.series import Series
from audit.judgement.pseudonyms import Pseudonymizer
from audit.judgement.selection import KnownClaims
from audit.model.arrays import Codes, Places
from audit.model.audit_options import AuditOptions
from audit.model.finding import Finding, KnownReleases
from audit.model.outcome import Attack
from audit.model.release_impact import Candidate, Cause, ComparedAttack, GroupRows, NewFinding, ReleaseImpact, changed
from audit.model.report import Report
from audit.model.scored import Result
from audit.pipeline.audit_run import AuditRun, build_report, remaining_findings, run_attacks

Rows = Places


def compare_candidate(before: Series, after: Series, attacks: Sequence[Attack], options: AuditOptions) -> ReleaseImpact:
    """Return what changes from a series to the same with one more release; nothing is written anywhere.

    Raises:
        InputError: the series or the candidate cannot be read, or contradicts what the adversary knows.
        UsageError: no attack applies, or one that was asked for by name does not.
    """
    return _CandidateComparison(before, after, attacks, options).impact()


class _Candidate:
    """The last release of a series, and whose rows it has."""

    def __init__(self, series: Series, view: View, kind: str) -> None:
        self.series = series
        self.source = view.source
        self.kind = kind
        read = view.held.seen[-1]
        self.release = read.release
        self._file = file_of(series)
        # Findings name row classes; those that follow record ids name published groups.
        groups = [self.release.group, read.pool]
        self._named = {
            group.name(code): (group.codes, code) for group in groups for code in np.unique(group.codes).tolist()
        }

    def caused(self, named: Finding[str], finding: Finding[int], *, followed: bool) -> NewFinding:
        """Return a finding with what it follows from; `followed` if people were followed by record ids."""
        need = finding.follows_from(self.source, len(self.series.tags) - 1)
        if followed:  # by all releases
            need = KnownReleases(tuple(range(len(self.series.tags) - 1)), False, ())
        tags = tuple(self.series.tags[release] for release in need.releases)
        rows = []
        for name in need.groups:
            codes, group = self._named[name]
            rows.append(GroupRows(name, self._lines(np.flatnonzero(codes == group))))
        return NewFinding(named, Cause(tags, need.least, tuple(rows)))

    def _lines(self, rows: Rows) -> tuple[int, ...]:
        return tuple(self._file.line(row) for row in rows.tolist())


class _CandidateComparison:
    """The series so far (`was`) and the series with the candidate (`now`), both attacked."""

    def __init__(self, before: Series, after: Series, attacks: Sequence[Attack], options: AuditOptions) -> None:
        self.attacks = attacks
        self.options = options
        self.namer = Pseudonymizer(after, reveal=options.reveal, stable=options.stable_ids, makes=False)
        self.after = after
        self.options = options = replace(options, follow="always")
        self.now = run_attacks(after, attacks, options)  # first, since faults of the candidate should be told soon
        was = run_attacks(before, attacks, options)
        if was.evidence[-1].followed != self.now.evidence[-1].followed:
            self.options = options = replace(options, follow="never")
            self.now, was = run_attacks(after, attacks, options), run_attacks(before, attacks, options)
        self.known = KnownClaims(was.results, self.namer, self.now.limits)
        self.was_told, self.now_told = self.report_of(was), self.report_of(self.now)
        self.candidate = _Candidate(after, self.now.evidence[0], self.now_told.adversary.kind)

    def report_of(self, attacked: AuditRun) -> Report:
        """Return the report of a run; findings stand beside it."""
        return build_report(attacked, self.namer, replace(self.options, findings=0))

    def news(self, run: AuditRun, findings: int | None) -> list[Result[View]]:
        """Return what is new in a run, with so many findings of each attack."""
        hidden = replace(run, results=[self.known.accepted(each) for each in run.results])
        return remaining_findings(hidden, self.namer, replace(self.options, findings=findings))

    def impact(self) -> ReleaseImpact:
        """Return what changes."""
        news = self.news(self.now, self.options.findings)
        # Where the candidate's key leaves rows out, people are followed less far by record ids than before.
        olds = {(each.attack, each.sensitive): each for each in self.was_told.attacks}
        compared = [
            ComparedAttack(
                after=new,
                status_before=old.status,
                changes=changed(old, new),
                old=new.findings_total - fresh.total,
                new=fresh.total,
                people=len(_people(fresh, fresh.left)),
                findings=tuple(
                    self.candidate.caused(shown, found, followed=fresh.evidence.followed)
                    for shown, found in zip(fresh.shown, fresh.found, strict=True)
                ),
            )
            for new, fresh in zip(self.now_told.attacks, news, strict=True)
            for old in [olds[new.attack, new.sensitive]]
        ]
        files = self.after.manifest.releases[-1]
        key = None if files.key is None or not is_there(files.key) else self.after.manifest.shown(files.key)
        return ReleaseImpact(
            after=self.now_told,
            attacks=tuple(compared),
            candidate=Candidate(files.tag, tuple(name for name in (files.shown, files.values_shown) if name), key),
            without=self.was_told,
        )


def _people(result: Result[View], places: Places) -> Codes:
    """Return whose values are certain by some claims of a result, distinct."""
    claims = result.claims
    people = None if claims is None else claims.certain_people(np.setdiff1d(claims.everything(), places))
    return np.zeros(0, dtype=np.int32) if people is None else np.unique(people)
