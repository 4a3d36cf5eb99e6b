"""Foreseeing: what one more release would change - new findings, their causes, and rows whose withholding undoes them.

Withholding a row takes a person and a value out of a group. An attack that looks at one person at a time then knows
less of that person, and never less of the others: their group has lost a value that they might have had. So whoever is
newly found has to be withheld, whoever is newly found because of that as well, and so on. The rows that this comes to
are the fewest that do, as long as everybody's true value is one that the assumptions allow.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import numpy as np

from audit.adversary.known_groups import KnownGroupsSource
from audit.adversary.view import View
from audit.clauses.clause import attack_reason
from audit.io.candidate import Lessened, file_of
from audit.io.diagnostics import is_there
from audit.io.encoding import NOBODY
from audit.io.series import Series
from audit.judgement.provenance import known_before
from audit.judgement.pseudonyms import Pseudonymizer
from audit.judgement.selection import selection_of
from audit.model.adversary import ADVERSARIES
from audit.model.arrays import Codes, Places
from audit.model.finding import Finding, KnownReleases
from audit.model.outcome import Attack
from audit.model.release_impact import AttackComparison, GroupRows, NewFinding, ReleaseImpact, Suppression, changed
from audit.model.report import Report
from audit.model.scored import Result
from audit.pipeline.audit_run import AuditOptions, AuditRun, build_report, remaining_findings, run_attacks
from audit.runtime.phrases import figure, say

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

    def __init__(self, series: Series, source: KnownGroupsSource, kind: str) -> None:
        self.series = series
        self.source = source
        self.kind = kind
        read = source.releases.get(len(series.tags) - 1)
        self.release = read.release
        self._file = file_of(series)
        # Findings name row classes; those that follow record ids name published groups.
        groups = [self.release.group] if read.classes is None else [self.release.group, read.seen.group]
        self._named = {
            group.name(code): (group.codes, code) for group in groups for code in np.unique(group.codes).tolist()
        }

    def caused(self, named: Finding[str], finding: Finding[int], *, followed: bool) -> NewFinding:
        """Return a finding with what it follows from; `followed` if people were followed by record ids."""
        need = finding.follows_from(self.source, len(self.source.releases) - 1)
        if followed:  # by all releases
            need = KnownReleases(tuple(range(len(self.series.tags) - 1)), False, ())
        tags = tuple(self.series.tags[release] for release in need.releases)
        rows = []
        for name in need.groups:
            codes, group = self._named[name]
            rows.append(GroupRows(name, self._lines(np.flatnonzero(codes == group))))
        return NewFinding(named, tags, need.least, tuple(rows))

    def grouped(self, rows: Rows) -> tuple[GroupRows, ...]:
        """Return rows by group."""
        codes = self.release.group.codes[rows]
        return tuple(
            GroupRows(self.release.group.name(code), self._lines(rows[codes == code]))
            for code in dict.fromkeys(codes.tolist())
        )

    def _lines(self, rows: Rows) -> tuple[int, ...]:
        return tuple(self._file.line(row) for row in rows.tolist())

    def rows_of(self, people: Codes) -> Rows:
        """Return the rows of those of some people who are in the release, ascending."""
        if self.release.person is None:
            return np.zeros(0, dtype=np.intp)
        return np.flatnonzero(np.isin(self.release.person, people))

    def bare(self, rows: Rows) -> tuple[str, ...]:
        """Return the groups of some rows in which no person is left without these."""
        person, codes = self.release.person, self.release.group.codes
        if person is None:
            return ()
        real = (person != NOBODY) & ~np.append(self.series.people.is_counterfeit(), False)[person]
        real[rows] = False
        left = np.bincount(codes[real], minlength=self.release.group.size)
        return tuple(self.release.group.name(code) for code in dict.fromkeys(codes[rows].tolist()) if not left[code])

    def trouble(self, people: Codes) -> str:
        """Return why it cannot be told what withholding the rows of some people does, if so."""
        if not ADVERSARIES[self.kind].knows_groups:
            return say(
                "under a register, rows to withhold are told by `audit repair` alone, which takes their people out of "
                "the register too"
            )
        if not self.release.values_by_row:
            return say("an Anatomy pair does not show which value belongs to whom")
        if self.source.known is not None and np.isin(people, self.source.known.person).any():
            return say("the row of a person whose value is known beforehand would have to be withheld")
        return ""


class _CandidateComparison:
    """The series so far (`was`) and the series with the candidate (`now`), both attacked."""

    def __init__(self, before: Series, after: Series, attacks: Sequence[Attack], options: AuditOptions) -> None:
        self.attacks = attacks
        self.options = replace(options, risk_findings=False)
        self.namer = Pseudonymizer(after, reveal=options.reveal, stable=options.stable_ids, makes=False)
        self.after = after
        self.options = options = replace(options, follow="always")
        self.now = run_attacks(after, attacks, options)  # first, since faults of the candidate should be told soon
        was = run_attacks(before, attacks, options)
        if was.evidence[-1].followed != self.now.evidence[-1].followed:
            self.options = options = replace(options, follow="never")
            self.now, was = run_attacks(after, attacks, options), run_attacks(before, attacks, options)
        self.known = {each.label: selection_of(each, self.namer) for each in was.results}
        self.was_told, self.now_told = self.report_of(was), self.report_of(self.now)
        self.candidate = _Candidate(after, self.now.evidence[0].source, self.now_told.adversary.kind)

    def report_of(self, attacked: AuditRun) -> Report:
        """Return the report of a run; findings are told beside it."""
        return build_report(attacked, self.namer, replace(self.options, findings=0))

    def news(self, run: AuditRun, findings: int | None) -> list[Result[View]]:
        """Return what is new in a run, with so many findings of each attack."""
        hidden = [known_before(self.known[each.label], selection_of(each, self.namer)) for each in run.results]
        return remaining_findings(run, hidden, self.namer, replace(self.options, findings=findings))

    def impact(self) -> ReleaseImpact:
        """Return what changes."""
        news = self.news(self.now, self.options.findings)
        withholding, reasons = SuppressionSearch(self, [each.left for each in news]).withholding()
        less = None if withholding is None else withholding.report
        # Where the candidate's key leaves rows out, people are followed less far by record ids than before.
        olds = {(told.attack, told.sensitive): told for told in self.was_told.attacks}
        compared = [
            AttackComparison(
                attack=new.attack,
                sensitive=new.sensitive,
                status=new.status,
                status_before=old.status,
                changes=changed(old, new, None if less is None else less.attacks[entry]),
                old=new.findings_total - fresh.total,
                new=fresh.total,
                people=len(_people(fresh, fresh.left)),
                findings=tuple(
                    self.candidate.caused(shown, found, followed=fresh.evidence.followed)
                    for shown, found in zip(fresh.shown, fresh.found, strict=True)
                ),
            )
            for entry, (new, fresh) in enumerate(zip(self.now_told.attacks, news, strict=True))
            for old in [olds[new.attack, new.sensitive]]
        ]
        files = self.after.manifest.releases[-1]
        return ReleaseImpact(
            candidate=files.tag,
            files=tuple(name for name in (files.shown, files.values_shown) if name),
            key=None if files.key is None or not is_there(files.key) else self.after.manifest.shown(files.key),
            before=self.was_told,
            after=self.now_told,
            attacks=tuple(compared),
            withholding=withholding,
            not_computed=reasons,
        )


class SuppressionSearch:
    """Rows to withhold against what attacks newly find that look at one person at a time."""

    def __init__(self, seen: _CandidateComparison, places: list[Places]) -> None:
        self.seen = seen
        self.places = places
        self.candidate = seen.candidate
        entries = [entry for entry, each in enumerate(places) if len(each)]
        self.alone = [entry for entry in entries if _rests_on_one(seen.now.results[entry])]
        self.together = [entry for entry in entries if entry not in self.alone]

    def withholding(self) -> tuple[Suppression | None, tuple[str, ...]]:
        """Return rows to withhold, if that can be computed, and why none are told against the rest of what is new."""
        reasons, found = [], None
        if self.alone:
            people = _union([_people(self.seen.now.results[entry], self.places[entry]) for entry in self.alone])
            trouble = self.candidate.trouble(people)
            found = None if trouble else self._repaired(people)
            if found is None:
                why = trouble or say("the attack did not finish")
                reasons.append(attack_reason(self._named(self.alone), why))
        left = [e for e in self.together if found is None or self._named([e]) not in found.against]
        if left:
            why = say("the findings follow from many rows together, not from one person's own row")
            reasons.append(attack_reason(self._named(left), why))
        limit = self.seen.now_told.policy.limits["max_risk"]
        if limit < 1 and any(v.measure == "max_risk" for v in self.seen.now_told.policy.violations):
            told = say(
                "rows to withhold are computed against values that are certain, not against risks of {limit}",
                limit=figure(limit, "g"),
            )
            reasons.append(attack_reason("max_risk", told))
        return found, tuple(reasons)

    def _named(self, entries: Sequence[int]) -> str:
        return ", ".join(dict.fromkeys(self.seen.now_told.attacks[entry].attack for entry in entries))

    def _repaired(self, people: Codes) -> Suppression | None:
        """Return the rows of everybody newly found, and newly found without these; None when time runs out."""
        entries = [entry for entry in range(len(self.places)) if _rests_on_one(self.seen.now.results[entry])]
        own = {self.seen.now_told.attacks[entry].attack for entry in entries}
        attacks = [each for each in self.seen.attacks if each.name in own]
        rows = self.candidate.rows_of(people)
        while len(rows) < self.candidate.release.rows:
            attacked = self._lessened(rows, attacks)
            if _incomplete(attacked):
                return None
            people = _union([_people(each, each.left) for each in self.seen.news(attacked, 0)])
            if not len(people):
                return self._verified(rows, own)
            more = np.union1d(rows, self.candidate.rows_of(people))
            if len(more) == len(rows):
                return None  # the series so far was not looked at to the end, so that they only seem to be new
            rows = more
        return self._told(rows, {}, (), None)

    def _lessened(self, rows: Rows, attacks: Sequence[Attack]) -> AuditRun:
        after = self.seen.after
        series = Lessened(after.manifest, after.people, after.vocabularies, after.updates, rows)
        return run_attacks(series, attacks, self.seen.options)

    def _verified(self, rows: Rows, own: set[str]) -> Suppression:
        """Return rows to withhold after all attacks have been run again without them."""
        attacked = self._lessened(rows, self.seen.attacks)
        news = self.seen.news(attacked, 0)
        remaining: Counter[str] = Counter()  # of all attributes
        for each in news:
            remaining[each.attack.name] += len(each.left)
        remaining = +remaining
        if own & remaining.keys():
            raise AssertionError("a repair does not hold when it is tried again")
        open_still = {each.attack.name for each in news if each.outcome.status == "incomplete"}
        return self._told(rows, remaining, open_still, self.seen.report_of(attacked))

    def _told(
        self, rows: Rows, remaining: Mapping[str, int], open_still: Collection[str], report: Report | None
    ) -> Suppression:
        own = [entry for entry in range(len(self.places)) if _rests_on_one(self.seen.now.results[entry])]
        reports = [each.attacks[entry] for each in (self.seen.was_told, self.seen.now_told) for entry in own]
        found = {self.seen.now_told.attacks[entry].attack for entry in (*self.alone, *self.together)}
        return Suppression(
            rows=self.candidate.grouped(rows),
            count=len(rows),
            smallest=all(each.status == "complete" for each in reports) and not self.seen.now_told.contradictions,
            against=tuple(a.name for a in self.seen.attacks if a.name in found - {*remaining, *open_still}),
            remaining=tuple(remaining.items()),
            bare=self.candidate.bare(rows),
            report=report,
        )


def _incomplete(attacked: AuditRun) -> bool:
    return any(each.outcome.status == "incomplete" for each in attacked.results)


def _rests_on_one(result: Result[View]) -> bool:
    """Return whether each claim of a result rests on its own person alone."""
    claims = result.claims
    return claims is not None and claims.versions is not None and claims.nothing is None


def _people(result: Result[View], places: Places) -> Codes:
    """Return whose values are certain by some claims of a result, distinct."""
    claims = result.claims
    people = None if claims is None else claims.certain_people(np.setdiff1d(claims.everything(), places))
    return np.zeros(0, dtype=np.int32) if people is None else np.unique(people)


def _union(people: Sequence[Codes]) -> Codes:
    return np.unique(np.concatenate([np.zeros(0, dtype=np.int32), *people]))
