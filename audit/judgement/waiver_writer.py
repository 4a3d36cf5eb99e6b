"""Write waivers, which accept findings, into the manifest of a series."""

from __future__ import annotations

import datetime
import os
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from audit.io.cells import Kind
from audit.io.file_writing import write_file
from audit.io.manifest import NAME, parse_manifest
from audit.io.notations import kind_of_days, single_day
from audit.io.tables import header, read_table
from audit.io.toml import read_text
from audit.model.errors import Problems, UsageError
from audit.runtime.phrases import printable, printable_path, say

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
