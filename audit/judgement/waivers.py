"""Waivers: write what is accepted into a manifest; what is accepted today, and as precisely as it was known.

Each waiver accepts a finding only as precisely as it was known when it was written, and its state is reported.
"""

from __future__ import annotations

import datetime
import os
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from audit.clauses.registry import CLAUSES, ON_VALUES, OWN
from audit.io.atomic_files import write_file
from audit.io.cells import Kind
from audit.io.manifest import NAME, Waiver, parse_manifest
from audit.io.notations import kind_of_days, single_day
from audit.io.releases import COUNTERFEIT
from audit.io.tables import header, read_table
from audit.io.toml import read_text, toml_value
from audit.judgement.selection import Selection
from audit.model.arrays import Flags, Places
from audit.model.errors import Doubt, Problems, UsageError
from audit.model.finding import CloseSize, SealedInterval, Size, SmallClasses
from audit.model.json_types import WaiverState
from audit.model.outcome import NOWHERE
from audit.model.report import HIDDEN, CountSize, SealedCount, Waived
from audit.runtime.phrases import Reason, ReasonKind, printable, printable_path, say


@dataclass
class NamedFindings:
    """Findings that waivers may name by their ids.

    Attributes:
        ids: the id of each finding; empty without a key, because then no waiver can name them.
        sizes: how precisely each is known.
        clauses: the clauses that each decides.
    """

    ids: Sequence[str]
    sizes: Sequence[Any]
    clauses: Sequence[frozenset[str]]

    def __len__(self) -> int:
        """Return how many findings there are."""
        return len(self.sizes)

    def named(self, waiver: Waiver) -> Flags:
        """Return which findings a waiver names; shape (findings,), bool."""
        found = np.zeros(len(self), dtype=np.bool_)
        if waiver.finding is not None and self.ids:
            matches = matcher(waiver.finding)
            found[:] = [matches(ident) is not None for ident in self.ids]
        return found

    def within(self, sizes: Mapping[str, Any]) -> Flags:
        """Return the findings that are known no more precisely than accepted; shape (findings,), bool."""
        known = zip(self.ids, self.sizes, strict=True) if self.ids else ()
        found = [ident in sizes and sizes[ident].covers(size) for ident, size in known]
        return np.array(found or [False] * len(self), dtype=np.bool_)

    @property
    def whose(self) -> Sequence[frozenset[str]]:
        """For each finding, its people, who may accept it."""
        return [frozenset()] * len(self)

    def meant(self, individual: str, names: frozenset[str]) -> frozenset[str]:
        """Return which of some people a name means."""
        return names & {individual}


class FoundClaims(NamedFindings):
    """The claims of an attack on people: waivers may name these by id, or by a group of theirs."""

    def __init__(self, selection: Selection[Any]) -> None:
        self.selection, self.namer = selection, selection.names.namer
        decided, sizes = frozenset(_decided(selection)), selection.sizes
        super().__init__(selection.stable_ids() if self.namer.keyed else (), sizes, [decided] * len(sizes))

    def named(self, waiver: Waiver) -> Flags:
        """Return which claims a waiver names; shape (claims,), bool."""
        if waiver.individual is not None:
            meant = [bool(self.meant(waiver.individual, names)) for names in self.whose]
            return np.array(meant, dtype=np.bool_)
        return super().named(waiver) if waiver.group is None else self._in_group(waiver)

    @cached_property
    def whose(self) -> Sequence[frozenset[str]]:
        """For each claim, its people; of those who may be in the data, all who look alike."""
        claims, evidence = self.selection.claims, self.selection.names.evidence
        people, kinds = claims.concerned(self.selection.names), evidence.possible_kinds
        if kinds is not None and claims.person is not None:
            alike = {code: kinds.names_of(code, evidence.series.people) for code in set(claims.person.tolist()) - {-1}}
            people = [
                names.union(alike.get(code, ())) for names, code in zip(people, claims.person.tolist(), strict=True)
            ]
        return [frozenset(name for name in names if not name.startswith(COUNTERFEIT)) for names in people]

    def meant(self, individual: str, names: frozenset[str]) -> frozenset[str]:
        """Return which of some people a name means, by identifier or stable pseudonym."""
        called = self.namer.pseudonym
        known = {each for each in names if self.namer.keyed and called("person", each) == individual}
        return frozenset(known | (names & {individual}))

    def _in_group(self, waiver: Waiver) -> Flags:
        evidence, claims = self.selection.names.evidence, self.selection.claims
        found, groups = np.zeros(len(claims), dtype=np.bool_), claims.groups()
        if waiver.release not in evidence.tags:
            return found
        release = evidence.tags.index(waiver.release)
        if groups is not None:
            found[:] = [at == release and waiver.group in ("*", group) for at, group in groups]
        elif claims.person is not None:
            # Claims about people who are certainly in the group.
            at = np.flatnonzero(claims.person >= 0)
            if evidence.transitions is not None:
                at = at[np.isin(claims.release[at], (release, -1))]
            people = np.unique(claims.person[at])
            people = people[np.isin(people, evidence.pools(release).person)].astype(np.int32)
            names = evidence.source.groups(release, people) if len(people) else []
            inside = [waiver.group in ("*", *each) and len(each) == 1 for each in names]
            found[at] = np.isin(claims.person[at], people[np.array(inside, dtype=np.bool_)])
        return found


def _decided(selection: Selection[Any]) -> Iterator[str]:
    """Yield the clauses that depend on some claims; clauses of other packages may depend on any."""
    claims = selection.claims
    yield from set(CLAUSES) - set(OWN)
    yield from filter(None, [claims.clause])
    if claims.highest_risk(NOWHERE) is not None:
        yield from ON_VALUES
    if claims.smallest_e(NOWHERE) is not None:
        yield "min_e"
    if claims.smallest_class(NOWHERE) is not None:
        yield "k"


@dataclass
class WaiverBook:
    """The waivers of a series that are valid today, and the outcome of each.

    Attributes:
        waivers, today: the waivers, and the date at which they are judged.
        key: the publisher's key, with which what is accepted is sealed; without it, None, a waiver with seals does not
            state how much it accepts.
    """

    waivers: Sequence[Waiver]
    today: datetime.date
    key: bytes | None = None
    _states: dict[int, WaiverState] = field(default_factory=dict)
    _unsized: dict[int, tuple[dict[str, Any], set[str]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.waivers = [_with_key(each, self.key) for each in self.waivers]

    def judge(self, found: NamedFindings, known: Flags) -> tuple[Flags, Flags]:
        """Return what is waived, and what would be if its waivers stated how much they accept; shapes (findings,).

        `known` are findings that are accepted anyhow.
        """
        covered, without_size = np.zeros((2, len(found)), dtype=np.bool_)
        # A finding about several people harms each of them, so one person's acceptance is not enough.
        asked = [set(each) for each in found.whose] if any(each.individual for _, each in self._live()) else []
        left = [set(each) for each in asked]
        unsized: list[tuple[int, Flags]] = []
        for place, waiver in self._live():
            named = found.named(waiver)
            if not named.any():
                continue
            met = named if waiver.sizes is None else named & found.within(waiver.sizes)
            self._note(place, "unsized" if waiver.sizes is None else "applied" if met.any() else "exceeded")
            if waiver.sizes is None:
                unsized.append((place, named))
            if waiver.individual is None:
                without_size |= met
                covered |= met & (waiver.sizes is not None)
            for at in np.flatnonzero(met).tolist() if waiver.individual is not None else ():
                meant = found.meant(waiver.individual or "", found.whose[at])
                asked[at] -= meant
                left[at] -= frozenset() if waiver.sizes is None else meant
        about_people = [bool(found.whose[at]) for at in range(len(asked))]
        if asked:
            covered |= about_people & ~np.array([bool(each) for each in left], dtype=np.bool_)
            without_size |= about_people & ~np.array([bool(each) for each in asked], dtype=np.bool_)
        without_size &= ~(covered | known)
        for place, named in unsized:
            self._ask(place, found, np.flatnonzero(named), np.flatnonzero(named & ~(covered | known)))
        return covered, without_size

    def accepts(self, release: str, small: SmallClasses) -> bool:
        """Return whether the small classes of a release are accepted, even by a waiver that does not state a size.

        A waiver of an earlier version does not state one either, and means the smallest class alone.
        """
        found = False
        for place, waiver in self._live():
            if waiver.group != "*" or waiver.release != release:
                continue
            accepted = {} if waiver.sizes is None else waiver.sizes
            if isinstance(accepted.get("k"), SmallClasses):
                covers = accepted["k"].covers(small)
                self._note(place, "applied" if covers else "exceeded")
                found = found or covers
            elif waiver.sizes is None or "k" in accepted:
                self._note(place, "unsized")
                sizes, clauses = self._unsized.setdefault(place, (dict(accepted), set()))
                sizes["k"] = small
                clauses.add("k")
                found = True
        return found

    def doubts(self, *, reveal: bool, stable: bool) -> Iterator[Doubt]:
        """Yield a doubt for each waiver that does not state how much it accepts, with the line to add.

        Only a report with `stable` ids contains the ids of findings that the waiver does not name itself.
        """
        for place, (sizes, clauses) in sorted(self._unsized.items()):
            waiver = self.waivers[place]
            alone = waiver.finding is not None and "*" not in waiver.finding
            texts = {ident: self._text(ident, size) for ident, size in sorted(sizes.items())}
            said = f"{{ {', '.join(f'{ident} = {text}' for ident, text in texts.items())} }}"
            if alone and texts:
                [said] = texts.values()
            what = printable(waiver.finding or (waiver.individual if reveal and waiver.individual else say("a person")))
            if waiver.release is not None:
                group, release = printable(waiver.group or ""), printable(waiver.release)
                what = say("group {group} of release {release}", group=group, release=release)
            reason = say(
                "the waiver of {finding} does not say how much it accepts; add {line} to it, or delete it",
                finding=what,
                line=f"size = {said}",
            )
            if not (stable or alone):
                reason = say(
                    "the waiver of {finding} does not say how much it accepts; audit the series with --stable-ids, "
                    "and add the line that it prints, or delete the waiver",
                    finding=what,
                )
            yield Doubt(Reason(reason, ReasonKind.NEEDS), frozenset(clauses))

    def outcomes(self, *, reveal: bool) -> list[Waived]:
        """Return the outcome of each waiver; its people and reason only if names are revealed."""
        report = []
        for place, waiver in enumerate(self.waivers):
            state = "expired" if waiver.expires < self.today else self._states.get(place, "unknown")
            individual = waiver.individual if reveal or waiver.individual is None else HIDDEN
            reason = waiver.reason if reveal else say("the reason is shown with --reveal")
            report.append(
                Waived(
                    waiver.finding, reason, waiver.expires.isoformat(), state, individual, waiver.group, waiver.release
                )
            )
        return report

    def _live(self) -> list[tuple[int, Waiver]]:
        return [(place, waiver) for place, waiver in enumerate(self.waivers) if waiver.expires >= self.today]

    def _note(self, place: int, state: WaiverState) -> None:
        if self._states.get(place) != "applied":
            self._states[place] = state

    def _ask(self, place: int, found: NamedFindings, named: Places, left: Places) -> None:
        """Record what a waiver must state, if it leaves findings that nothing else accepts."""
        if len(left):
            sizes, clauses = self._unsized.setdefault(place, ({}, set()))
            sizes.update({found.ids[at]: found.sizes[at] for at in named} if found.ids else {})
            clauses.update(*(found.clauses[at] for at in left))

    def _text(self, ident: str, size: CountSize | Size) -> str:
        """Return how a manifest states how much of a finding is accepted."""
        if isinstance(size, CountSize) and self.key is None:
            return toml_value(vars(size))
        written = stated(ident, size, self.key or b"")
        return f"{written:.17g}" if isinstance(written, float) else toml_value(written)


def stated(ident: str, size: CountSize | Size, key: bytes) -> object:
    """Return how a manifest states how much of a finding is accepted: counts and numbers of people are sealed."""
    return (size.sealed(ident, key) if isinstance(size, CountSize | CloseSize) else size).written()


def _with_key(waiver: Waiver, key: bytes | None) -> Waiver:
    """Return a waiver with the key of its seals; without a key, such a waiver does not state how much it accepts."""
    sizes = waiver.sizes or {}
    sealed = {
        ident: replace(size, key=key) for ident, size in sizes.items() if isinstance(size, SealedCount | SealedInterval)
    }
    return replace(waiver, sizes=None if key is None else {**sizes, **sealed}) if sealed else waiver


def matcher(pattern: str) -> Callable[[str], re.Match[str] | None]:
    """Return a function that matches ids with a pattern in which `*` means any characters.

    >>> bool(matcher("joint-*")("joint-12")), bool(matcher("joint-1")("joint-12"))
    (True, False)
    """
    return re.compile(".*".join(map(re.escape, pattern.split("*")))).fullmatch


Parse = Callable[[Path, str, Problems], object]
ListForm = tuple[str, str, str]
"""The columns of a list of findings: ids, reasons and last days."""


@dataclass(frozen=True)
class Acceptance:
    """Findings to accept, the reason, and the last day.

    Attributes:
        named: the id of a finding, a person, or a group.
        reason, until: they are written into the manifest.
        where: the file and line of the entry; empty for the command line.
        release: the release of the group `named`, if all findings in a group are accepted.
    """

    named: str
    reason: str
    until: datetime.date
    where: str = ""
    release: str | None = None

    @property
    def key(self) -> dict[str, object]:
        """The reason and the last day, as written in the manifest."""
        return {"reason": self.reason.strip(), "expires": self.until}


def waive(
    folder: Path,
    accepted: Sequence[Acceptance],
    named: Callable[[], Sequence[Mapping[str, object]]],
    parse: Parse = parse_manifest,
) -> int:
    """Write waivers, each with its subject and how much it accepts, and return the number of those not there yet.

    A waiver of a subject that is waived already replaces the earlier one, unless it ends earlier. `named` returns the
    subjects, after everything else is checked, and `parse` reads the manifest.

    Raises:
        UsageError: a date is past, or earlier than that of a waiver of the same; or there is no reason; also what
            `named` raises.
        InputError: the manifest cannot be read.
    """
    for each in accepted:
        if each.until < datetime.date.today():
            until = each.where or "--until"
            raise UsageError.say(
                "{where}: {day} is in the past, so nothing would be waived; give a later date",
                where=until,
                day=each.until.isoformat(),
            )
        if not each.reason.strip():
            raise UsageError.say("{where}: it is empty; say why this is accepted", where=each.where or "--reason")
    problems = Problems()
    text = problems.checked(read_text(folder, NAME, say("name the folder of a series"), problems))
    parse(folder, text, problems)
    problems.check()
    there = tomllib.loads(text).get("waiver", [])
    waivers = [each for each in named() if each not in there]
    if not waivers:
        return 0
    last = {_subject(each): each["expires"] for each in sorted(there, key=lambda each: str(each["expires"]))}
    for waiver in waivers:
        ends = last.get(_subject(waiver))
        if ends is not None and str(waiver["expires"]) < str(ends):
            what = say("{finding} is accepted until {day} already", finding=" ".join(_subject(waiver)), day=str(ends))
            remedy = say("to shorten that, edit its waiver in {file}; nothing was changed", file=NAME)
            raise UsageError(f"{what}; {remedy}")
    written = _with_waivers(text, waivers)
    parse(folder, written, problems)
    problems.check()
    try:
        write_file(folder / NAME, written)
    except OSError as error:
        raise UsageError(f"{NAME}: {error.strerror or 'it cannot be written'}; nothing was changed") from error
    return len(waivers)


def remedy_of(named: str, otherwise: str) -> str:
    """Return what to do about a name that means nothing: `otherwise`, unless a shell made it of a pattern."""
    if Path(named).exists():
        return say("it is a file in this folder, so a shell has replaced *: write '*' in quotation marks")
    return otherwise


def accepted_of(
    ids: Sequence[str],
    reason: str,
    until: datetime.date | None,
    groups: Sequence[tuple[str, str]],
    listed: str | os.PathLike[str] | None,
    forms: Iterable[ListForm],
) -> list[Acceptance]:
    """Return the accepted findings: ids and groups with one reason and one last day, and the entries of a list.

    Raises:
        UsageError: nothing is accepted, or there is no date.
        InputError: the list cannot be read.
    """
    if not (ids or groups or listed):
        raise UsageError.say("nothing to accept was named; name an ID, a --group RELEASE GROUP, or a --list FILE")
    found = [] if listed is None else read_list(Path(listed), [*forms])
    if (ids or groups) and until is None:
        raise UsageError.say("--until: there is no date; write the last day of the waiver, as 2030-01-31")
    if until is not None:
        found += [Acceptance(each, reason, until) for each in ids]
        found += [Acceptance(group, reason, until, "", release) for release, group in groups]
    return found


def read_list(path: Path, forms: Sequence[ListForm]) -> list[Acceptance]:
    """Return the entries of a list of findings that accept something: the lines with a reason and a date.

    Raises:
        InputError: the file cannot be read, a line has a reason or a date but not both, or a date is not valid.
    """
    problems, shown = Problems(), printable_path(path)
    names = header(path, shown, problems) or {}
    columns = next((form for form in forms if names.keys() >= {*form}), forms[0])
    id_column, reason_column, until_column = columns
    problems.check()
    table, found = problems.checked(read_table(path, shown, columns, problems)), []
    kind, is_said = kind_of_days(table.distinct(until_column)), False
    for row, cells in enumerate(zip(*map(table.texts, columns), strict=True)):
        ident, reason, until = map(str.strip, cells)
        if not (reason or until):
            continue
        last_day, line = day(until, kind), table.line(row)
        if last_day is None and (day(until, Kind.DAY_FIRST) or day(until, Kind.MONTH_FIRST)):
            if not is_said:  # the columns are the same in every line
                what = say(
                    "{text} is not a date that can be read in one way only: day and month may be exchanged", text=until
                )
                remedy = say("write all dates of the list with the year first, as 2030-01-31")
                problems.add(shown, what, remedy, line=line, column=until_column)
            is_said = True
        elif last_day is None:
            what = say("{text} is not a date", text=printable(until, 40)) if until else say("a reason without a date")
            remedy = say("write the last day of the waiver, as 2030-01-31")
            problems.add(shown, what, remedy, line=line, column=until_column)
        elif not reason:
            what, remedy = say("a date without a reason"), say("say why this is accepted")
            problems.add(shown, what, remedy, line=line, column=reason_column)
        elif not ident:
            what, remedy = say("no finding is named"), say("copy the id from `audit findings`")
            problems.add(shown, what, remedy, line=line, column=id_column)
        else:
            found.append(Acceptance(ident, reason, last_day, f"{shown}, line {line}"))
    problems.check()
    if not found:
        raise UsageError.say(
            "{file}: no line has a reason and a date; fill in the columns {reason} and {until}",
            file=shown,
            reason=reason_column,
            until=until_column,
        )
    return found


def day(text: str, kind: Kind | None = None) -> datetime.date | None:
    """Return a date as a person or a spreadsheet writes it, None if unclear; `kind` is the order of dates with slashes.

    >>> day("1/2/2030"), day("2/2/2030"), day("30/6/2030")
    (None, datetime.date(2030, 2, 2), datetime.date(2030, 6, 30))
    """
    number = single_day(text, kind_of_days([text]) if kind is None else kind)
    return None if number is None else datetime.date.fromordinal(number)


def _subject(waiver: Mapping[str, object]) -> tuple[str, ...]:
    """Return what a waiver is about: a finding, a person, or a release and a group."""
    return tuple(str(waiver[name]) for name in ("finding", "individual", "release", "group") if name in waiver)


def _with_waivers(text: str, waivers: Sequence[Mapping[str, object]]) -> str:
    """Return the manifest with some waivers added, in place of those of the same subjects."""
    import tomlkit

    document = tomlkit.parse(text)
    if "waiver" not in document:
        document.add("waiver", tomlkit.aot())
    replaced = {_subject(each) for each in waivers}
    for place in reversed(range(len(document["waiver"]))):
        if _subject(document["waiver"][place]) in replaced:
            del document["waiver"][place]
    for each in waivers:
        waiver = tomlkit.table()
        for key, value in each.items():
            if isinstance(value, dict):
                size = tomlkit.inline_table()
                size.update(value)
                waiver.add(key, size)
            else:
                waiver.add(key, value)
        document["waiver"].append(waiver)
    return tomlkit.dumps(document)
