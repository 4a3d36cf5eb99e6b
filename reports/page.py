"""A page as data: the content of a report in order, which the formats HTML, Markdown and text draw."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

from audit.runtime.phrases import say
from audit.runtime.version import VERSION
from reports.charts import Chart

_LIST = r"\[[^][]*\]"
INLINE = rf"\{{(?:[^][{{}}]|{_LIST})*\}}"
"""A pattern of an inline table of TOML."""
_KEY = r"""(?:[\w.-]|"[^"]*")+ = """
ENTRY = rf"""{_KEY}(?:{INLINE}|\[(?:[^][{{}}]|{INLINE})*\]|"[^"]*")"""
"""A pattern of a key of a manifest with its value."""
_LINE = rf"(?:\[\w+\](?= {_KEY})|{ENTRY})"
_LINES = re.compile(rf" ({_LINE}(?: {_LINE})+)")


_CLAUSE = re.compile(
    r'(?:"[^"]*"|\u201e[^\u201c]*\u201c|\u00ab[^\u00bb]*\u00bb|\([^()]*\)|\{[^{}]*\}|\[[^][]*\]|[^;])+;?\s*'
)
_FEW = 2  # clauses that stay on one line


def parts_of(text: str) -> list[str]:
    """Return a text in parts: each line of a manifest in it, and each of three or more clauses, such as remedies.

    Lines of a manifest in one are no valid TOML. Several sentences are a paragraph, which is not parted at its clauses.

    >>> parts_of('write: [series] releases = ["a.csv"] [table] over_time = "same"')
    ['write:', '[series]', 'releases = ["a.csv"]', '[table]', 'over_time = "same"']
    >>> parts_of('write over_time = "same"; if so')
    ['write over_time = "same"; if so']
    >>> parts_of('both have "a; b"; if so, write one; else delete it')
    ['both have "a; b";', 'if so, write one;', 'else delete it']
    """
    clauses = [each.rstrip() for each in _CLAUSE.findall(text)]
    is_list = len(clauses) > _FEW and ". " not in text
    return [part for each in (clauses if is_list else [text]) for part in _lines_in(each)]


def _lines_in(text: str) -> list[str]:
    parts, end = list[str](), 0
    for found in _LINES.finditer(text):
        parts += [text[end : found.start()], *re.findall(_LINE, found[1])]
        end = found.end()
    return [*parts, text[end:].lstrip()] if parts and text[end:] else parts or [text]


@dataclass(frozen=True)
class Paragraph:
    """A paragraph; `soft` for less important ones, `strong` for those that must not be missed."""

    kind: ClassVar[str] = "paragraph"
    text: str
    soft: bool = False
    strong: bool = False


@dataclass(frozen=True)
class Bullets:
    """A list of sentences."""

    kind: ClassVar[str] = "bullets"
    items: Sequence[str]
    soft: bool = False


@dataclass(frozen=True)
class Facts:
    """Names, each with a text; `terms` are left out where there is little room."""

    kind: ClassVar[str] = "facts"
    rows: Sequence[tuple[str, str]]
    terms: bool = False


@dataclass(frozen=True)
class PageTable:
    """A table, the first column of which names the rows.

    Attributes:
        head: the names of the columns.
        rows: the cells.
        words: the number of columns, from the left, with words; the others hold numbers.
        marked: the cells, by row and column, that break a limit.
        caption: what it shows; None if the text before it says so.
    """

    kind: ClassVar[str] = "table"
    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    words: int = 1
    marked: frozenset[tuple[int, int]] = frozenset()
    caption: str | None = None


@dataclass(frozen=True)
class Figures:
    """Pictures side by side, if there is room."""

    kind: ClassVar[str] = "figures"
    charts: Sequence[Chart]


@dataclass(frozen=True)
class PageSteps:
    """Lines of a proof, in order; the blanks before a line show the number of enclosing cases."""

    kind: ClassVar[str] = "steps"
    lines: Sequence[str]


@dataclass(frozen=True)
class Entry:
    """A finding, or all findings about a person: a title, and the evidence.

    Attributes:
        title: what is found.
        blocks: what shows it.
        idents: the ids of findings.
    """

    kind: ClassVar[str] = "entry"
    title: str
    blocks: Sequence[Block]
    idents: Sequence[str] = ()


@dataclass(frozen=True)
class More:
    """Content under a title that is shown on request; it is only printed if it is open."""

    kind: ClassVar[str] = "more"
    title: str
    blocks: Sequence[Block]


@dataclass(frozen=True)
class Signing:
    """A place to decide and sign, with the possible decisions."""

    kind: ClassVar[str] = "signing"
    choices: Sequence[str]
    lines: Sequence[str]


@dataclass(frozen=True)
class Links:
    """Files beside the page: each with what it is and its name."""

    kind: ClassVar[str] = "links"
    rows: Sequence[tuple[str, str]]


Block: TypeAlias = Paragraph | Bullets | Links | Facts | PageTable | Figures | PageSteps | Entry | More | Signing


@dataclass(frozen=True)
class Section:
    """A part of a page under its title."""

    title: str
    blocks: Sequence[Block]


@dataclass(frozen=True)
class PageVerdict:
    """The verdict: its sentence and colour, and the text before it if the assumptions do not hold."""

    text: str
    colour: str
    warning: str | None = None

    @property
    def sign(self) -> str:
        """The text that replaces the colour."""
        return {"red": "✗", "yellow": "?", "green": "✓"}[self.colour]


@dataclass
class Page:
    """A whole page.

    Attributes:
        name: the heading.
        inside: whether it names people, or shows what tables hide or what is not published.
        head: the text before the verdict.
        sections: all that comes after it.
        title: of the browser's window; the heading unless given.
        mark: says that the page names people, or that it may be shared.
        sheet: the text in the corner of each printed sheet; only the program's own words.
        band: the text at the head of each sheet; if None, it says whether people are named.
        verdict: the verdict; None where there is none.
        summary: the text right after it.
        annex: what may be read later; with an annex, everything else is on one separate sheet.
    """

    name: str
    inside: bool
    head: Sequence[Block]
    sections: Sequence[Section]
    title: str = ""
    mark: str = ""
    sheet: str = ""
    verdict: PageVerdict | None = None
    summary: Sequence[Block] = ()
    annex: Sequence[Section] = ()
    band: str | None = None

    def __post_init__(self) -> None:
        self.title, self.mark = self.title or self.name, self.mark or marked(inside=self.inside)
        self.sections, self.annex = ([each for each in some if each.blocks] for some in (self.sections, self.annex))
        self.sheet = self.sheet or say("series-audit {version}", version=VERSION)

    @property
    def parts(self) -> Sequence[Section]:
        """All sections, the annex last."""
        return [*self.sections, *self.annex]


def marked(*, inside: bool) -> str:
    """Return the mark of a page: that it names people, or that it may be shared."""
    if inside:
        return say("INTERNAL: contains names. Internal use only.")
    return say("This page may be passed on: it names no person and shows nobody's quasi-identifiers.")
