"""Lists of findings for an officer to work through: in the terminal, as CSV and as a workbook."""

from __future__ import annotations

import csv
import io
import zipfile
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass, replace
from typing import TypeAlias
from xml.sax.saxutils import escape

from audit.findings.count import COUNT_KINDS
from audit.model.finding import Finding
from audit.model.json_types import WORSE
from audit.model.report import AttackReport, Report
from audit.runtime.phrases import Phrase, figure, percent, printable, say
from reports.languages.catalogues import LANGUAGES, in_language
from reports.page import Entry, Page, Paragraph, Section

_LONGEST = 10_000
_NARROWEST, _WIDEST = 12, 80
_ACTIVE = ("=", "+", "-", "@", "\t", "\r")
"""Characters that a spreadsheet takes as the beginning of a formula."""
_SHEET = (
    '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
    '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">'
    '<sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" state="frozen"/></sheetView>'
    "</sheetViews><cols>{widths}</cols><sheetData>{rows}</sheetData></worksheet>"
)
_FORM, _SHEETS = "http://schemas.openxmlformats.org", "application/vnd.openxmlformats-officedocument.spreadsheetml"
_LINK = (
    f'<Relationships xmlns="{_FORM}/package/2006/relationships"><Relationship Id="r1" '
    f'Type="{_FORM}/officeDocument/2006/relationships/{{kind}}" Target="{{file}}"/></Relationships>'
)
_WORKBOOK = {
    "[Content_Types].xml": f'<Types xmlns="{_FORM}/package/2006/content-types"><Default Extension="rels" '
    'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    f'<Override PartName="/xl/workbook.xml" ContentType="{_SHEETS}.sheet.main+xml"/>'
    f'<Override PartName="/xl/sheet.xml" ContentType="{_SHEETS}.worksheet+xml"/></Types>',
    "_rels/.rels": _LINK.format(kind="officeDocument", file="xl/workbook.xml"),
    "xl/workbook.xml": f'<workbook xmlns="{_FORM}/spreadsheetml/2006/main" '
    f'xmlns:r="{_FORM}/officeDocument/2006/relationships"><bookViews><workbookView/></bookViews>'
    '<sheets><sheet name="findings" sheetId="1" r:id="r1"/>'
    "</sheets></workbook>",
    "xl/_rels/workbook.xml.rels": _LINK.format(kind="worksheet", file="sheet.xml"),
}


@dataclass(frozen=True)
class ListedFinding:
    """One line of a list.

    Attributes:
        id: the id of the finding; the same in every audit of the series.
        gravity: `grave` if the policy declares the value to be grave, `not ranked` if it declares none; for a count,
            what is known about it.
        attack, column, value, person, release: the attack, the sensitive column or the dimensions, the value, the
            person and the release; empty if the finding has none.
        size: the number of people or rows that it is about; for a count, its upper bound.
        risk: its probability.
        finding: its sentence.
        same_person: the ids of the other findings about the same person and value.
        reason, until: empty; an officer fills in why it is accepted and the last day, for `audit waive --list`.
    """

    id: str
    gravity: str
    attack: str
    column: str
    value: str
    person: str
    release: str
    size: int
    risk: float
    finding: str
    same_person: str = ""
    reason: str = ""
    until: str = ""


_HEADS = Phrase("id, gravity, attack, column, value, person, release, size, risk, finding, same person, reason, until")
"""The names of the columns."""
_GRAVITY = {"grave": Phrase("grave"), "not ranked": Phrase("not ranked")}


def heads() -> list[str]:
    """Return the names of the columns in the current language."""
    return str(_HEADS).split(", ")


def list_forms() -> Iterator[tuple[str, str, str]]:
    """Yield, for each language, the names of a list's columns of ids, reasons and last days."""
    for code in LANGUAGES:
        with in_language(code):
            ident, *_, reason, until = heads()
            yield ident, reason, until


Grave: TypeAlias = Collection[tuple[str | None, str]]
"""Grave values, each with its column; None means any column that has the value."""


def listed(report: Report, column: str = "", grave: Grave = ()) -> list[ListedFinding]:
    """Return the shown findings, the gravest first; `column` is the sensitive one if there is only one."""
    lines = [_line(attack, each, column, grave) for attack in report.attacks for each in attack.findings]
    about: dict[tuple[str, str, str], list[str]] = {}
    for line in lines:
        about.setdefault((line.person, line.column, line.value), []).append(line.id)
    found = [
        replace(line, same_person=" ".join(ident for ident in same if ident != line.id)) if line.person else line
        for line in lines
        for same in [about[line.person, line.column, line.value]]
    ]
    return sorted(found, key=lambda line: (_gravity(line), not line.value, -line.risk, -line.size, line.id))


def in_order(lines: Sequence[ListedFinding], order: str, releases: Sequence[str]) -> list[ListedFinding]:
    """Return lines sorted: the gravest or largest first, columns by name, releases in order of publication."""
    keys = {
        "gravity": _gravity,
        "column": lambda line: (line.column, line.value),
        "release": lambda line: releases.index(line.release) if line.release in releases else len(releases),
        "size": lambda line: -line.size,
    }
    return sorted(lines, key=keys[order])


def _gravity(line: ListedFinding) -> int:
    order = ["grave", *reversed(WORSE), "", "not ranked"]
    return order.index(line.gravity)


def _gravity_in_words(line: ListedFinding) -> str:
    kind = COUNT_KINDS.get(line.gravity)
    return str(kind.title if kind else _GRAVITY[line.gravity]) if line.gravity else ""


def _line(attack: AttackReport, finding: Finding[str], only: str, grave: Grave) -> ListedFinding:
    said = finding.sentence(by_version=attack.measures.by_version)
    release, value = str(getattr(finding, "release", "") or ""), getattr(finding, "value", None)
    column = finding.column or attack.sensitive or only
    is_grave = any(value == text and name in (None, column) for name, text in grave)
    return ListedFinding(
        id=finding.id,
        gravity=finding.gravity or ("grave" if is_grave else "" if grave else "not ranked"),
        attack=attack.attack,
        column=column,
        value="" if value is None else str(value),
        person=finding.subject,
        release=release or ", ".join(finding.releases),
        size=finding.extent,
        risk=float(getattr(finding, "risk", 1.0)),
        finding=said,
    )


def page(lines: Sequence[ListedFinding], *, inside: bool) -> Page:
    """Return a list for a terminal; `inside` means that it must not be shared."""
    shown = [Entry(each.finding, [Paragraph(", ".join(_about(each)), soft=True)], [each.id]) for each in lines]
    by_attack, title = Counter(each.attack for each in lines), say("Findings ({count})", count=len(lines))
    if len(by_attack) > 1:
        attacks = ", ".join(f"{printable(name)} {figure(many)}" for name, many in by_attack.items())
        title = say("Findings ({count}: {attacks})", count=len(lines), attacks=attacks)
    return Page(title, inside, [], [Section("", shown or [Paragraph(say("No finding."))])])


def _about(line: ListedFinding) -> Iterator[str]:
    yield from filter(None, [_gravity_in_words(line), printable(line.column)])
    yield say("release {release}", release=printable(line.release))
    yield say("size {size}", size=figure(line.size))
    yield say("risk {risk}", risk=percent(line.risk))


def as_csv(lines: Sequence[ListedFinding]) -> str:
    """Return a list as CSV with a header, as spreadsheets of the language write it; no cell is a formula for one."""
    target, commas = io.StringIO(), figure(0.5, ".1f") == "0,5"
    target.write("\ufeff" * commas)  # otherwise spreadsheets misread letters with accents
    writer = csv.writer(target, delimiter=";" if commas else ",", lineterminator="\n")
    writer.writerow(heads())
    for cells in map(_cells, lines):
        writer.writerow(str(cell).replace(".", ",") if commas and isinstance(cell, float) else cell for cell in cells)
    return target.getvalue()


def as_workbook(lines: Sequence[ListedFinding]) -> bytes:
    """Return a list as an Excel workbook with one sheet, in which no text is a formula."""
    table: list[Sequence[object]] = [heads(), *map(_cells, lines)]
    lengths = (max(len(str(row[place])) for row in table) for place in range(len(table[0])))
    widths = "".join(
        f'<col min="{place}" max="{place}" width="{max(_NARROWEST, min(length + 2, _WIDEST))}" customWidth="1"/>'
        for place, length in enumerate(lengths, 1)
    )
    rows = "".join(map(_row, table))
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as book:
        for name, text in {**_WORKBOOK, "xl/sheet.xml": _SHEET.format(widths=widths, rows=rows)}.items():
            book.writestr(zipfile.ZipInfo(name), text)
    return target.getvalue()


def _row(cells: Iterable[object]) -> str:
    def drawn(cell: object) -> str:
        if isinstance(cell, str):
            return f'<c t="inlineStr"><is><t xml:space="preserve">{escape(cell)}</t></is></c>'
        return f"<c><v>{cell}</v></c>"

    return f"<row>{''.join(map(drawn, cells))}</row>"


def _cells(line: ListedFinding) -> list[object]:
    shown = astuple(replace(line, gravity=_gravity_in_words(line)))
    return [_passive(cell) if isinstance(cell, str) else cell for cell in shown]


def _passive(text: str) -> str:
    """Return a text that no spreadsheet treats as a formula.

    >>> _passive("=1+1"), _passive("flu")
    ("'=1+1", 'flu')
    """
    shown = printable(text, _LONGEST)
    return f"'{shown}" if shown.startswith(_ACTIVE) else shown
