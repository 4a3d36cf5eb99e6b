"""Markdown: the same page for an issue, a wiki or an archive; pictures are there as their figures."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from urllib.parse import quote

from audit.runtime.phrases import printable, say
from reports.charts import Chart
from reports.page import (
    Block,
    Bullets,
    Entry,
    Facts,
    Figures,
    Links,
    More,
    Page,
    PageSteps,
    PageTable,
    Paragraph,
    Signing,
    parts_of,
)

_LEVEL, _DEEPEST = 3, 6


def drawn(page: Page) -> str:
    """Return a page of blocks as GitHub's Markdown; every line with foreign text is escaped as a whole."""
    return "\n".join(_page(page)).rstrip() + "\n"


def _page(page: Page) -> Iterator[str]:
    yield from (f"# {escaped(page.name) or escaped(page.title)}", "")
    yield from (f"**{escaped(page.mark)}**", "")
    yield from _blocks(page.head, _LEVEL)
    if page.verdict is not None:
        yield from (f"## {escaped(say('Verdict'))}", "")
        if page.verdict.warning:
            yield from (f"**{escaped(page.verdict.warning)}**", "")
        yield from (f"**{escaped(page.verdict.text)}**", "")
        yield from _blocks(page.summary, _LEVEL)
    for section in page.parts:
        if section.title:
            yield from (f"## {escaped(section.title)}", "")
        yield from _blocks(section.blocks, _LEVEL)


def _blocks(blocks: Sequence[Block], level: int) -> Iterator[str]:
    for block in blocks:
        yield from _block(block, level)


def _block(block: Block, level: int) -> Iterator[str]:  # noqa: C901, PLR0912 - one case for each kind of block
    match block:
        case Paragraph():
            text = _escaped(block.text)
            yield from (f"**{text}**" if block.strong else text, "")
        case Bullets():
            yield from _list(block.items)
        case Links():
            yield from (f"* {escaped(text)}: [{escaped(file)}](<{quote(file)}>)" for text, file in block.rows)
            yield ""
        case Facts():
            yield from _list([say("{name}: {text}", name=name, text=text) for name, text in block.rows])
        case PageTable():
            if block.caption:
                yield from (escaped(block.caption), "")
            rows = [
                [f"✗ {cell}" if (at, place) in block.marked else cell for place, cell in enumerate(row)]
                for at, row in enumerate(block.rows)
            ]
            yield from _table(block.head, rows, words=block.words)
        case Figures():
            for chart in block.charts:
                yield from _figure(chart)
        case PageSteps():
            for line in block.lines:
                yield f"{'  ' * ((len(line) - len(line.lstrip())) // 2)}* {escaped(line)}"
            yield ""
        case Entry():
            yield from (f"{'#' * min(level, _DEEPEST)} {escaped(block.title)}", "")
            yield from _blocks(block.blocks, level + 1)
            if block.idents:
                yield from (" ".join(f"`{ident}`" for ident in block.idents), "")
        case More():
            yield from (f"**{escaped(block.title)}**", "")
            yield from _blocks(block.blocks, level)
        case Signing():
            for choice in block.choices:
                yield f"* ☐ {escaped(choice)}"
            yield from ("", *(f"* {escaped(line)}: \\_\\_\\_\\_\\_\\_\\_\\_" for line in block.lines), "")


def _figure(chart: Chart) -> Iterator[str]:
    yield from (f"**{escaped(chart.title)}**", "")
    yield from _table(chart.head, chart.rows, words=1)


def _list(lines: Sequence[str]) -> Iterator[str]:
    body = [f"* {_escaped(line)}" for line in lines]
    if body:
        yield from (*body, "")


def _escaped(text: str) -> str:
    """Return a sentence, escaped, with a break before each line of a manifest."""
    return "<br>".join(map(escaped, parts_of(text)))


def _table(head: Sequence[str], rows: Sequence[Sequence[str]], *, words: int) -> Iterator[str]:
    yield f"| {' | '.join(escaped(name) or ' ' for name in head)} |"
    yield f"|{'|'.join('---' if place < words else '---:' for place in range(len(head)))}|"
    yield from (f"| {' | '.join(_escaped(cell) for cell in row)} |" for row in rows)
    yield ""


_ANY_LENGTH = 1_000_000
_MARKUP = re.compile(r"([\\`*_\[\]<>#+!|~&$@])")
_BEGINNING = re.compile(r"^([-=]|\d+(?=[.)](\s|$)))")
_SCHEME = re.compile(r":(?=/)")
_HOST = re.compile(r"(?i)\b(www)\.")


def escaped(text: str) -> str:
    r"""Return a text that Markdown, GitHub's included, shows as it is: neither markup, HTML nor a link.

    Whole lines are escaped, the program's words together with names, so that no name can be forgotten. GitHub turns
    `@` into mentions even when it is escaped, so a word joiner follows it.

    >>> print(escaped("# <b> | *x* http://a"))
    \# \<b\> \| \*x\* http\://a
    """
    line = _MARKUP.sub(r"\\\1", printable(text, _ANY_LENGTH).strip())
    line = _HOST.sub(r"\1\\.", _SCHEME.sub(r"\\:", line)).replace("\\@", "\\@&#8288;")
    return _BEGINNING.sub(lambda start: _ordered(start[0]), line)


def _ordered(beginning: str) -> str:
    """Return the beginning of a line such that it does not begin a list, rule or heading."""
    return f"{beginning}\\" if beginning[0].isdigit() else f"\\{beginning}"
