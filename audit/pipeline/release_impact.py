"""The impact of one more release: new findings, and their causes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from audit.adversary.view import View
from audit.io.candidate import file_of
from audit.io.diagnostics import is_there
from audit.io.series import Series
from audit.judgement.ladder import people_found
from audit.judgement.pseudonyms import Pseudonymizer
from audit.judgement.selection import KnownClaims
from audit.model.arrays import Places
from audit.model.audit_options import AuditOptions
from audit.model.finding import Finding, KnownReleases
from audit.model.outcome import Attack
from audit.model.release_impact import Candidate, Cause, ComparedAttack, GroupRows, NewFinding, ReleaseImpact, changed
from audit.pipeline.attack_run import run_attacks
from audit.pipeline.audit_run import build_report, less_the_past, remaining_findings

Rows = Places


def compare_candidate(before: Series, after: Series, attacks: Sequence[Attack], options: AuditOptions) -> ReleaseImpact:
    """Compare a series with the same series and one more release; nothing is written.

    Raises:
        InputError: the series or the candidate cannot be read, or contradicts what the adversary knows.
        UsageError: no attack applies, or a requested attack does not apply.
    """
    namer = Pseudonymizer(after, reveal=options.reveal, stable=options.stable_ids, makes=False)
    options = replace(options, follow="always")
    now = run_attacks(after, attacks, options)  # first, to report faults of the candidate early
    was = run_attacks(before, attacks, options)
    if was.evidence[-1].followed != now.evidence[-1].followed:
        options = replace(options, follow="never")
        now, was = run_attacks(after, attacks, options), run_attacks(before, attacks, options)
    # Both reports use the same ids of findings.
    without, report = (build_report(run, namer, replace(options, findings=0)) for run in (was, now))
    known, candidate = KnownClaims(was.results, namer, now.limits), _Candidate(after, now.evidence[0])
    added = less_the_past(now, known)
    news = remaining_findings(added, namer, options)
    # If the candidate's key lacks rows, record ids follow people less far than before.
    olds = {(each.attack, each.sensitive): each for each in without.attacks}
    compared = [
        ComparedAttack(
            after=new,
            status_before=old.status,
            changes=changed(old, new),
            old=new.findings_total - fresh.total,
            new=fresh.total,
            people=people_found(fresh) or 0,
            findings=tuple(
                candidate.caused(shown, found, followed=fresh.evidence.followed)
                for shown, found in zip(fresh.shown, fresh.found, strict=True)
            ),
        )
        for new, fresh in zip(report.attacks, news, strict=True)
        for old in [olds[new.attack, new.sensitive]]
    ]
    files = after.manifest.releases[-1]
    key = None if files.key is None or not is_there(files.key) else after.manifest.shown(files.key)
    names = tuple(name for name in (files.shown, files.values_shown) if name)
    return ReleaseImpact(
        after=report,
        attacks=tuple(compared),
        candidate=Candidate(files.tag, names, key),
        without=without,
        adds=build_report(added, namer, replace(options, findings=0)).policy,
    )


class _Candidate:
    """The last release of a series, and the people of its rows."""

    def __init__(self, series: Series, view: View) -> None:
        self.series, self.source = series, view.source
        read = view.held.seen[-1]
        self.release = read.release
        self._file = file_of(series)
        # Findings name row classes; those that follow record ids name published groups.
        groups = [self.release.group, read.pool]
        self._named = {
            group.name(code): (group.codes, code) for group in groups for code in np.unique(group.codes).tolist()
        }

    def caused(self, named: Finding[str], finding: Finding[int], *, followed: bool) -> NewFinding:
        """Return a finding with its causes; `followed` says that people were followed by record ids."""
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
