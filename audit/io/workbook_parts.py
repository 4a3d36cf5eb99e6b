"""What a workbook says beside its cells, or otherwise than they do: comments, charts, names, number formats."""

from __future__ import annotations

import math
import operator
import re
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import unescape
from itertools import chain
from pathlib import Path
from xml.etree import ElementTree as ET

_OUTSIDE_CELLS = {
    **dict.fromkeys(("annotation", "comment", "threadedComment"), "annotation"),
    **dict.fromkeys(("txBody", "t", "text-box", "custom-shape"), "text box"),
    "rich": "chart",
    **{f"{name}{side}": name for name in ("header", "footer") for side in ("", "-left", "-first")},
}
"""What the elements with texts outside of cells are."""
_ABOUT = {
    **dict.fromkeys(("definedName", "named-expression"), "name"),
    **dict.fromkeys(
        ("title", "subject", "description", "keyword", "keywords", "category", "Company", "Manager", "property",
         "user-defined"), "property"
    ),
}  # fmt: skip
"""What the elements that are about the whole workbook are."""
_ABOUT_PARTS = re.compile(r"xl/workbook\.xml|docProps/.*\.xml|meta\.xml", re.IGNORECASE)
_REFERENCE = re.compile(
    r"(?:'(?:[^']|'')*'|[^\s!'(),;+*/-]+)!|(?<!\w)\$?[A-Z]{0,3}\$?[0-9]+:\$?[A-Z]{0,3}\$?[0-9]+|(?<!\w)\$?[A-Z]{1,3}\$?[0-9]+(?!\w)"
)
_PARTS = re.compile(r"content\.xml|styles\.xml|xl/.*comment.*\.xml|xl/(?:drawings|charts|diagrams)/[^/]*\.xml", re.I)
_BLANKS = ("}s", "}tab", "}line-break")  # elements of .ods that part words
_FIELDS = ("}page-number", "}page-count", "}date", "}time")  # elements of .ods whose texts a program fills in
_SHEETS = re.compile(r"xl/(?:work|chart)sheets/[^/]*\.xml|xl/drawings/[^/]*\.vml", re.IGNORECASE)
_MARGIN = re.compile(
    rb"<(?:\w+:)?(?:odd|even|first)(Header|Footer)\b[^>]*>([^<]*)|<v:(textbox)\b[^>]*>(.*?)</v:textbox>", re.DOTALL
)
_SECTION = re.compile("&[LCR]")  # of a header: left, center, right
_CODE = re.compile(r"""&"[^"]*"|&[0-9]+|&K[0-9]{2}[+-][0-9]{3}|&K[0-9A-F]{6}|&.|<[^>]*>""", re.IGNORECASE)


def texts_outside_cells(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the place and the text of what the reader of a workbook leaves out: comments, text boxes, headers, ..."""
    with zipfile.ZipFile(path) as packed:
        names = packed.namelist()
        parts = [name for name in names if _PARTS.fullmatch(name)]
        if not any(kind in _read(packed, "content.xml") for kind in (b"<draw:", b"annotation", b"named-expression")):
            parts = [name for name in parts if name != "content.xml"]
        said_about = [*filter(_ABOUT_PARTS.fullmatch, names), *(name for name in parts if name == "content.xml")]
        each = [*dict.fromkeys([*parts, *said_about])]
        trees = dict(zip(each, _trees(packed, each), strict=True))
        roots, about = ([trees[name] for name in some] for some in (parts, said_about))
        sheets = [packed.read(name) for name in names if _SHEETS.fullmatch(name)]
    found = [(_OUTSIDE_CELLS.get(_local(part.tag)), part) for root in roots for part in root.iter()]
    for number, (kind, outside) in enumerate((each for each in found if each[0]), 1):
        for part in outside.iter():
            part.tail = f" {part.tail or ''}" if part.tag.endswith(_BLANKS) else part.tail
            part.text = "" if part.tag.endswith(_FIELDS) and kind != "annotation" else part.text
        said = [*outside.iterfind(".//{*}p"), *outside.iterfind("{*}text")]
        words = joined_cells("".join(each.itertext()) for each in said)
        yield from [(outside.get("ref", f"{kind} {number}"), words)] if words else []
    for part in chain.from_iterable(root.iter() for root in about):
        kind = _ABOUT.get(_local(part.tag))
        said_of = {_local(key): text for key, text in part.attrib.items()}
        name, value = said_of.get("name", ""), said_of.get("expression") or "".join(part.itertext())
        words = joined_cells([_REFERENCE.sub(" ", value) if kind == "name" else value]) if kind else ""
        yield from [(str(kind), f"{name}: {words}" if name else words)] if words else []
    for sheet in sheets:
        for header, text, box, boxed in _MARGIN.findall(sheet):
            for section in _SECTION.split(unescape((text or boxed).decode("utf-8", "replace"))):
                words = joined_cells([_CODE.sub(" ", section)])
                yield from [((header or box).decode().lower(), words)] if words else []


_REFERRED = re.compile(r"(?:'((?:[^']|'')+)'|([^!']+))!\$?([A-Z]+)\$?([0-9]+)(?::\$?([A-Z]+)\$?([0-9]+))?")
_CHARTS = re.compile(r"xl/charts/[^/]*\.xml", re.IGNORECASE)
_COPIES = re.compile(r"xl/(?:pivotCache|externalLinks)/[^/]*\.xml|Object [^/]*/content\.xml", re.IGNORECASE)
_NOT_READ = re.compile(r"xl/(?:embeddings|model|revisions)/[^/]+", re.IGNORECASE)
_SHOWN_EMPTY = "(empty)"  # the text of a cell that shows nothing in place of its number, which not_counts can name
_COPIED = ("cell", "r", "sharedItems", "table-cell")  # elements whose children are copies of cells
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}.*")
_LITERAL = re.compile(r'"[^"]*"|\\.|_.|\*.')
_CONDITION = re.compile(r"\[([<>=]+)(-?[0-9.]+)\]")
_DIGITS = re.compile(r"[0#?@]|general|[ymdhs]", re.IGNORECASE)
_COMPARED = {
    "<": operator.lt,
    ">": operator.gt,
    "<=": operator.le,
    ">=": operator.ge,
    "=": operator.eq,
    "<>": operator.ne,
}
_NUMBER_CELL = re.compile(
    rb'\boffice:value="([^"]*)"[^>]*(?<!/)>\s*<text:p[^>]*>((?:(?!</text:p>|</table:table-cell>).)*)',
    re.DOTALL,
)


def shown_otherwise(path: Path, sheets: Mapping[str, Sequence[Sequence[str]]]) -> Iterator[tuple[str, str]]:
    """Yield the places where a workbook shows or holds something else than its cells do, and what makes them differ.

    These are cells with the number format or the text that they show in place of their numbers, charts with a reference
    whose numbers they do not hold, and copies of cells that are no longer there.

    Args:
        path: the workbook.
        sheets: the texts of the cells of each sheet, from A1.
    """
    with zipfile.ZipFile(path) as packed:
        names = packed.namelist()
        yield from ((name, name) for name in names if _NOT_READ.fullmatch(name))
        charts = [*filter(_CHARTS.fullmatch, names)]
        for name, chart in zip(charts, _trees(packed, charts), strict=True):
            yield from ((name.rpartition("/")[2], reference) for reference in _other_numbers(chart, sheets))
        known = {cell for rows in sheets.values() for row in rows for cell in row}
        copies = [*filter(_COPIES.fullmatch, names)]
        for name, copy in zip(copies, _trees(packed, copies), strict=True):
            yield from [(name, name)] if any(number not in known for number in _copied_numbers(copy)) else []
        cells = _NUMBER_CELL.findall(_read(packed, "content.xml"))
        texts = (
            (value.decode(), unescape(re.sub("<[^>]*>", "", text.decode("utf-8", "replace"))).strip())
            for value, text in cells
        )
        hidden = dict.fromkeys(text or _SHOWN_EMPTY for value, text in texts if _is_hidden(value, text))
        yield from (("content.xml", text) for text in hidden)
        for styles in _trees(packed, (name for name in names if name == "xl/styles.xml")):
            sheets_of = _trees(packed, filter(re.compile(r"xl/worksheets/[^/]*\.xml").fullmatch, names))
            yield from _hiding_formats(styles, sheets_of)


def hidden_columns(path: Path, sheet: str) -> set[int]:
    """Return the places of the hidden columns of a sheet, from 0."""
    found, place = set[int](), 0
    with zipfile.ZipFile(path) as packed:
        for part in _of_sheet(packed, sheet):
            said = {_local(name): text for name, text in part.attrib.items()}
            if _local(part.tag) == "table-column":
                after = place + int(said.get("number-columns-repeated", "1"))
                found |= {*range(place, after)} if said.get("visibility") in ("collapse", "filter") else set()
                place = after
            elif _local(part.tag) == "col" and said.get("hidden") in ("1", "true"):
                found |= {*range(int(said["min"]) - 1, int(said["max"]))}
    return found


def _of_sheet(packed: zipfile.ZipFile, sheet: str) -> Iterator[ET.Element]:
    """Yield the elements of a sheet, in the order of the file."""
    there, home = packed.namelist(), "xl/_rels/workbook.xml.rels"
    for root in _trees(packed, [name for name in ("content.xml", "xl/workbook.xml") if name in there]):
        for each in root.iter():
            if _local(each.tag) == "table" and sheet in each.attrib.values():
                yield from each.iter()
            elif _local(each.tag) == "sheet" and each.get("name") == sheet:
                (links,) = _trees(packed, [home])
                target = next(link.get("Target", "") for link in links if link.get("Id") in each.attrib.values())
                (part,) = _trees(packed, [target.lstrip("/") if target.startswith("/") else f"xl/{target}"])
                yield from part.iter()


def _trees(packed: zipfile.ZipFile, names: Iterable[str]) -> Iterator[ET.Element]:
    return map(ET.fromstring, map(packed.read, names))


def _read(packed: zipfile.ZipFile, name: str) -> bytes:
    return packed.read(name) if name in packed.namelist() else b""


def _other_numbers(chart: ET.Element, sheets: Mapping[str, Sequence[Sequence[str]]]) -> Iterator[str]:
    """Yield each reference of a chart to cells that do not have the texts that the chart holds."""
    for part in chart.iter():
        if _local(part.tag) == "numLit":
            yield joined_cells(part.itertext())
        reference, points = part.findtext("{*}f"), part.findall("./*/{*}pt")
        cells = _referred(reference, sheets) if reference is not None and points else []
        for point in points if reference is not None else ():
            at, text = int(point.get("idx", "0")), "".join(point.itertext()).strip()
            if _differs(text, cells[at] if at < len(cells) else ""):
                yield str(reference)
                break


def _referred(reference: str, sheets: Mapping[str, Sequence[Sequence[str]]]) -> list[str]:
    """Return the texts of the cells of a reference, row by row; none if it is not one to a range of a sheet."""
    found = _REFERRED.fullmatch(reference.strip())
    if found is None:
        return []
    quoted, plain, left, top, right, bottom = found.groups()
    rows = sheets.get((quoted or plain).replace("''", "'"), [])
    lines = range(int(top) - 1, int(bottom or top))
    places = range(_column(left), _column(right or left) + 1)
    return [rows[y][x] if y < len(rows) and x < len(rows[y]) else "" for y in lines for x in places]


def _column(letters: str) -> int:
    """Return the place of a column, from 0.

    >>> _column("A"), _column("AA")
    (0, 26)
    """
    place = 0
    for letter in letters:
        place = place * 26 + ord(letter) - ord("A") + 1
    return place - 1


def _differs(point: str, cell: str) -> bool:
    """Return whether a chart holds another number than its cell; for a text it may hold 0, for a date any."""
    number, shown = _number(point), _number(cell)
    if point == cell or not any(map(str.isdigit, point)) or _DATE.fullmatch(cell):
        return False
    if number is None or shown is None:
        return number != 0
    return not math.isclose(number, shown)


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _copied_numbers(root: ET.Element) -> Iterator[str]:
    """Yield the whole numbers among the copies of cells in a part of a workbook."""
    cells = (each for part in root.iter() if _local(part.tag) in _COPIED for each in part)
    texts = (
        each.get("v", "") or "".join(each.itertext()) for each in cells if _local(each.tag) in {"n", "s", "v", "p"}
    )
    yield from (text for text in map(str.strip, texts) if text.isdecimal())


def _hiding_formats(styles: ET.Element, sheets: Iterable[ET.Element]) -> Iterator[tuple[str, str]]:
    """Yield the cells, the first three of each, whose number format hides their numbers, and the format."""
    codes = {each.get("numFmtId"): each.get("formatCode", "") for each in styles.iterfind("{*}numFmts/{*}numFmt")}
    of_style = [codes.get(each.get("numFmtId"), "") for each in styles.iterfind("{*}cellXfs/{*}xf")]
    conditional = [each.find("{*}numFmt") for each in styles.iterfind("{*}dxfs/{*}dxf")]
    found = dict[str, list[str]]()
    for sheet in sheets if any(codes.values()) or any(each is not None for each in conditional) else ():
        for cell in sheet.iter():
            if _local(cell.tag) == "c" and cell.get("t", "n") == "n":
                number, style = _number(cell.findtext("{*}v", "")), int(cell.get("s", "0"))
                code = of_style[style] if style < len(of_style) and number is not None else ""
                if code and number is not None and not _is_shown(code, number):
                    found.setdefault(code, []).append(cell.get("r", ""))
            elif _local(cell.tag) == "conditionalFormatting":
                rules = (int(rule.get("dxfId", "-1")) for rule in cell)
                for changed in (conditional[at] for at in rules if 0 <= at < len(conditional)):
                    code = "" if changed is None else changed.get("formatCode", "")
                    if code and not _is_shown(code, 1):
                        found.setdefault(code, []).append(cell.get("sqref", ""))
    yield from ((", ".join(cells[:3]), code) for code, cells in found.items())


def _is_shown(code: str, number: float) -> bool:
    """Return whether a number format shows digits of a number; 0 needs none if the format has a section for it.

    >>> _is_shown("#,##0", 3), _is_shown('"."', 3), _is_shown(";;;", 3), _is_shown('[<5]"*";0', 3)
    (True, False, False, False)
    >>> _is_shown('[<5]"*";0', 7), _is_shown('0;-0;"-"', 0), _is_shown('0;-0;"-"', 3), _is_shown('"."', 0)
    (True, True, True, False)
    """
    sections = _LITERAL.sub("", code).split(";")[:3]
    usual = [("", 0.0)] if len(sections) == 1 else [(">=" if len(sections) == 2 else ">", 0.0), ("<", 0.0)]
    said = [(found[1], float(found[2])) if (found := _CONDITION.search(each)) else None for each in sections]
    if number == 0 and len(sections) == 3 and not any(said):
        number = 1
    for place, section in enumerate(sections):
        sign, limit = said[place] or (usual[place] if place < min(len(usual), len(sections) - 1) else ("", 0.0))
        if not sign or _COMPARED[sign](number, limit):
            return bool(_DIGITS.search(re.sub(r"\[(?![hms]+\])[^\]]*\]", "", section)))
    return False


def _is_hidden(value: str, shown: str) -> bool:
    """Return whether a cell of .ods shows something else than its number, such as a sign or `<5`; 0 may be a dash.

    >>> _is_hidden("3", "."), _is_hidden("3", "<5"), _is_hidden("0", "."), _is_hidden("0", "-"), _is_hidden("3", "3")
    (True, True, True, False, False)
    """
    if re.match("[<>\u2264\u2265]", shown):
        return True
    is_zero = value.strip() in {"0", "0.0"} and shown in {"", "-", "\u2013", "\u2014"}
    return not (is_zero or any(map(str.isdigit, shown)))


def _local(name: str) -> str:
    """Return a name of XML without its namespace."""
    return name.rpartition("}")[2]


def joined_cells(cells: Iterable[str]) -> str:
    """Return the filled cells of a row that is no row of a table, as one text."""
    return " ".join(" ".join(cells).split())
