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

from audit.core.evidence import Codes
from audit.core.foresight import Compared, Foresight, GroupRows, NewFinding, Withholding, changed
from audit.core.outcome import Attack, Disclosures, Equivalences, Finding, Places
from audit.core.report import AttackReport, NamedFinding, Report
from audit.linking.linked import LinkedSource
from audit.reading.candidate import Lessened, file_of
from audit.reading.faults import is_there
from audit.reading.numbering import NOBODY
from audit.reading.series import Series
from audit.running import Attacked, Options, attack, tell, told_of
from audit.verdict.naming import Namer
from audit.verdict.novelty import known_before, needs

Rows = Places
_UNFINISHED = "the attack did not come to an end"


def foresee(before: Series, after: Series, attacks: Sequence[Attack], options: Options) -> Foresight:
    """Return what changes from a series to the same with one more release; nothing is written anywhere.

    Raises:
        InputError: the series or the candidate cannot be read, or contradicts what the adversary knows.
        UsageError: no attack applies, or one that was asked for by name does not.
    """
    return _Foreseeing(before, after, attacks, options).foresight()


class _Candidate:
    """The last release of a series, and whose rows it has."""

    def __init__(self, series: Series, source: LinkedSource, kind: str) -> None:
        self.series = series
        self.source = source
        self.kind = kind
        self.release = source.releases.get(len(series.tags) - 1).release
        self._file = file_of(series)
        codes = self.release.group.codes
        self._groups = {self.release.group.name(int(code)): int(code) for code in np.unique(codes)}

    def caused(self, named: NamedFinding, finding: Finding) -> NewFinding:
        """Return a finding with what it follows from."""
        need = needs(finding, self.source)
        tags = tuple(self.series.tags[release] for release in need.releases)
        rows = tuple(
            GroupRows(name, self._lines(np.flatnonzero(self.release.group.codes == self._groups[name])))
            for name in need.groups
        )
        return NewFinding(named, tags, need.least, rows)

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
        if self.kind != "linked":
            return "whoever is withheld stays in the register, so that what withholding does cannot be told"
        if not self.release.values_by_row:
            return "an Anatomy pair does not tell which value is whose"
        if self.source.known is not None and np.isin(people, self.source.known.person).any():
            return "somebody of whom a value is known beforehand would have to be withheld"
        return ""


class _Foreseeing:
    """The series so far (`was`) and the series with the candidate (`now`), both attacked."""

    def __init__(self, before: Series, after: Series, attacks: Sequence[Attack], options: Options) -> None:
        self.attacks = attacks
        self.options = options
        self.namer = Namer(after, reveal=options.reveal, writes=False)
        self.after = after
        self.now = attack(after, attacks, options)  # first, since faults of the candidate should be told soon
        was = attack(before, attacks, options)
        shelves = zip(was.judged, was.shelves(self.namer), strict=True)
        self.shelves = {(judged.attack.ident, judged.sensitive): shelf for (_, judged), shelf in shelves}
        self.was_told, self.now_told = self.told(was), self.told(self.now)
        self.candidate = _Candidate(after, _linked(self.now), self.now_told.adversary.kind)

    def told(self, attacked: Attacked) -> Report:
        """Return the report of a run; findings are told beside it."""
        return tell(attacked, self.namer, replace(self.options, findings=0))

    def news(
        self, attacked: Attacked, findings: int | None
    ) -> tuple[tuple[AttackReport, ...], list[Sequence[Finding]], list[Places]]:
        """Return what is new in a run, with so many findings of each attack: see `told_of`."""
        shelves = zip(attacked.judged, attacked.shelves(self.namer), strict=True)
        hidden = [known_before(self.shelves[each.attack.ident, each.sensitive], new) for (_, each), new in shelves]
        return told_of(attacked, hidden, self.namer, replace(self.options, findings=findings))

    def foresight(self) -> Foresight:
        """Return what changes."""
        reports, findings, places = self.news(self.now, self.options.findings)
        withholding, reasons = _Repair(self, places).withholding()
        less = None if withholding is None else withholding.report
        pairs = zip(self.was_told.attacks, self.now_told.attacks, reports, strict=True)
        compared = [
            Compared(
                attack=new.attack,
                sensitive=new.sensitive,
                status=new.status,
                status_before=old.status,
                changes=changed(old, new, None if less is None else less.attacks[entry]),
                old=new.findings_total - news.findings_total,
                new=news.findings_total,
                people=len(_people(self.now, entry, places[entry])),
                findings=tuple(map(self.candidate.caused, news.findings, findings[entry])),
            )
            for entry, (old, new, news) in enumerate(pairs)
        ]
        files = self.after.manifest.releases[-1]
        return Foresight(
            candidate=files.tag,
            files=tuple(name for name in (files.shown, files.values_shown) if name),
            key=None if files.key is None or not is_there(files.key) else self.after.manifest.shown(files.key),
            before=self.was_told,
            after=self.now_told,
            attacks=tuple(compared),
            withholding=withholding,
            not_computed=reasons,
        )


class _Repair:
    """Rows to withhold against what attacks newly find that look at one person at a time."""

    def __init__(self, seen: _Foreseeing, places: list[Places]) -> None:
        self.seen = seen
        self.places = places
        self.candidate = seen.candidate
        entries = [entry for entry, each in enumerate(places) if len(each)]
        self.alone = [entry for entry in entries if _rests_on_one(seen.now, entry)]
        self.together = [entry for entry in entries if entry not in self.alone]

    def withholding(self) -> tuple[Withholding | None, tuple[str, ...]]:
        """Return rows to withhold, if that can be computed, and why none are told against the rest of what is new."""
        reasons, found = [], None
        if self.alone:
            people = _union([_people(self.seen.now, entry, self.places[entry]) for entry in self.alone])
            trouble = self.candidate.trouble(people)
            found = None if trouble else self._repaired(people)
            if found is None:
                reasons.append(f"{self._named(self.alone)}: {trouble or _UNFINISHED}")
        left = [e for e in self.together if found is None or self._named([e]) not in found.against]
        if left:
            what = "what is found follows from many rows together, not from a person's own"
            reasons.append(f"{self._named(left)}: {what}")
        limit = self.seen.now_told.policy.limits["max_risk"]
        if limit < 1 and any(v.measure == "max_risk" for v in self.seen.now_told.policy.violations):
            reasons.append(
                f"max_risk: rows are withheld against values that are certain, not against risks of {limit:g}"
            )
        return found, tuple(reasons)

    def _named(self, entries: Sequence[int]) -> str:
        return ", ".join(dict.fromkeys(self.seen.now_told.attacks[entry].attack for entry in entries))

    def _repaired(self, people: Codes) -> Withholding | None:
        """Return the rows of everybody newly found, and newly found without these; None when time runs out."""
        entries = [entry for entry in range(len(self.places)) if _rests_on_one(self.seen.now, entry)]
        own = {self.seen.now_told.attacks[entry].attack for entry in entries}
        attacks = [each for each in self.seen.attacks if each.ident in own]
        rows = self.candidate.rows_of(people)
        while len(rows) < self.candidate.release.rows:
            attacked = self._lessened(rows, attacks)
            if _incomplete(attacked):
                return None
            left = self.seen.news(attacked, 0)[2]
            people = _union([_people(attacked, entry, places) for entry, places in enumerate(left)])
            if not len(people):
                return self._verified(rows, own)
            more = np.union1d(rows, self.candidate.rows_of(people))
            if len(more) == len(rows):
                return None  # the series so far was not looked at to the end, so that they only seem to be new
            rows = more
        return self._told(rows, {}, (), None)

    def _lessened(self, rows: Rows, attacks: Sequence[Attack]) -> Attacked:
        after = self.seen.after
        series = Lessened(after.manifest, after.people, after.vocabularies, after.updates, rows)
        return attack(series, attacks, self.seen.options)

    def _verified(self, rows: Rows, own: set[str]) -> Withholding:
        """Return rows to withhold after all attacks have been run again without them."""
        attacked = self._lessened(rows, self.seen.attacks)
        reports, _, left = self.seen.news(attacked, 0)
        if any(len(places) for report, places in zip(reports, left, strict=True) if report.attack in own):
            raise AssertionError("a repair does not hold when it is tried again")
        remaining: Counter[str] = Counter()  # of all attributes
        for report, places in zip(reports, left, strict=True):
            remaining[report.attack] += len(places)
        remaining = +remaining
        open_still = {report.attack for report in reports if report.status == "incomplete"}
        return self._told(rows, remaining, open_still, self.seen.told(attacked))

    def _told(
        self, rows: Rows, remaining: Mapping[str, int], open_still: Collection[str], report: Report | None
    ) -> Withholding:
        own = [entry for entry in range(len(self.places)) if _rests_on_one(self.seen.now, entry)]
        reports = [each.attacks[entry] for each in (self.seen.was_told, self.seen.now_told) for entry in own]
        found = {self.seen.now_told.attacks[entry].attack for entry in (*self.alone, *self.together)}
        return Withholding(
            rows=self.candidate.grouped(rows),
            count=len(rows),
            smallest=all(each.status == "complete" for each in reports) and not self.seen.now_told.contradictions,
            against=tuple(a.ident for a in self.seen.attacks if a.ident in found - {*remaining, *open_still}),
            remaining=tuple(remaining.items()),
            bare=self.candidate.bare(rows),
            report=report,
        )


def _incomplete(attacked: Attacked) -> bool:
    return any(judged.scored.outcome.status == "incomplete" for _, judged in attacked.judged)


def _rests_on_one(attacked: Attacked, entry: int) -> bool:
    """Tell whether each claim of a result rests on its own person alone."""
    claims = attacked.judged[entry][1].scored.outcome.claims
    return isinstance(claims, Disclosures) and claims.nothing is None


def _people(attacked: Attacked, entry: int, places: Places) -> Codes:
    """Return whose values are certain by some claims of a result, distinct."""
    claims = attacked.judged[entry][1].scored.outcome.claims
    if isinstance(claims, Disclosures):
        return np.unique(claims.person[places])
    if isinstance(claims, Equivalences) and claims.person is not None:
        people = claims.person[places]
        return np.unique(people[people >= 0])
    return np.zeros(0, dtype=np.int32)


def _union(people: Sequence[Codes]) -> Codes:
    return np.unique(np.concatenate([np.zeros(0, dtype=np.int32), *people]))


def _linked(attacked: Attacked) -> LinkedSource:
    source = attacked.evidence[0].source
    if not isinstance(source, LinkedSource):
        raise TypeError("this evidence does not come from a series")
    return source
