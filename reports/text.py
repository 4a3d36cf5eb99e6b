"""Text: a page of blocks for a terminal or a log; pictures and places to sign are left out."""

from __future__ import annotations

import io
import re
import textwrap
from collections.abc import Iterable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reports.page import (
    ENTRY,
    INLINE,
    Block,
    Bullets,
    Entry,
    Facts,
    Figures,
    Links,
    Page,
    PageSteps,
    PageTable,
    Paragraph,
    Signing,
    parts_of,
)

if TYPE_CHECKING:
    from rich.console import Console

_ROOM, _NAME, _TAG, _WIDEST = 96, 16, 8, 10_000
_TOML = re.compile(f"{ENTRY}|{INLINE}")
_TIED = "\ue000"  # a space within what is written into a manifest


@dataclass(frozen=True)
class Paper:
    """The medium of a report.

    Attributes:
        color: whether text may be in colours.
        width: of a line, in characters.
        folder: the series' folder in its repository, which paths begin with; empty where it is in none.
    """

    color: bool = False
    width: int = 100
    folder: str = ""

    def drawn(self, page: Page) -> str:
        """Return a page of blocks as lines of text."""
        from rich.console import Console

        target = io.StringIO()
        console = Console(
            file=target,
            force_terminal=self.color,
            no_color=not self.color,
            color_system="standard" if self.color else None,
            width=self.width,
            highlight=False,
            markup=False,
            emoji=False,
            legacy_windows=False,
        )
        console.print(page.name, style="bold")
        self._blocks(console, page.head, 0)
        console.print()
        if (verdict := page.verdict) is not None:
            if verdict.warning:
                self._wrapped(console, verdict.warning, 0, style="bold yellow")
                console.print()
            self._wrapped(console, verdict.text, 0, style=f"bold {verdict.colour}")
            self._blocks(console, page.summary, 2)
            console.print()
        for section in page.parts:
            if all(
                isinstance(block, Figures | Signing) or (isinstance(block, Facts) and block.terms)
                for block in section.blocks
            ):
                continue
            if section.title:
                console.print(section.title, style="bold")
            self._blocks(console, section.blocks, 2 if section.title else 0)
            console.print()
        return "\n".join(line.rstrip() for line in target.getvalue().rstrip().splitlines()) + "\n"

    def _blocks(self, console: Console, blocks: Iterable[Block], inwards: int) -> None:
        for block in blocks:
            match block:
                case Paragraph():
                    self._wrapped(console, block.text, inwards, style="bold" if block.strong else None)
                case Bullets():
                    for item in block.items:
                        line, hanging = (item, 0) if block.soft else (f"- {item}", 2)
                        self._wrapped(console, line, max(inwards, 2), hanging=hanging)
                case Facts() | Links():
                    self._facts(console, block.rows, inwards)
                case PageTable():
                    self._table(console, block)
                case PageSteps():
                    for line in block.lines:
                        console.print(f"{' ' * inwards}{line}", style="dim", soft_wrap=True)
                case Entry():
                    idents = f"   [{' '.join(block.idents)}]" if block.idents else ""
                    console.print(f"{' ' * inwards}{block.title}{idents}", soft_wrap=True)
                    self._blocks(console, block.blocks, inwards + 2)

    def _facts(self, console: Console, rows: Sequence[tuple[str, str]], inwards: int) -> None:
        wide = max((len(name) for name, _ in rows), default=0)
        for name, text in rows:
            if wide > self.width // 2:  # the texts would be narrow columns
                self._wrapped(console, name, inwards)
                self._wrapped(console, text, inwards + 2)
            else:
                self._wrapped(console, f"{name.ljust(wide)}  {text}", inwards, hanging=wide + 2)

    def _wrapped(
        self, console: Console, line: str, inwards: int, *, hanging: int = 0, style: str | None = None
    ) -> None:
        """Print a line, wrapped, some characters in; later lines of it `hanging` characters more.

        A key of a manifest with its value is on one line, so that it can be copied.
        """
        own = len(line) - len(line.lstrip(" "))
        before, after = " " * inwards, " " * (inwards + hanging + own)
        for place, part in enumerate(parts_of(line)):
            lines = textwrap.fill(
                _TOML.sub(lambda found: found[0].replace(" ", _TIED), part),
                self.width,
                initial_indent=after if place else before,
                subsequent_indent=after,
                break_long_words=False,
                break_on_hyphens=False,
            )
            console.print(lines.replace(_TIED, " "), style=style, soft_wrap=True)

    def _table(self, console: Console, block: PageTable) -> None:
        """Print a table; cells that break a limit are marked."""
        from rich.measure import Measurement
        from rich.table import Table
        from rich.text import Text as Coloured

        if block.caption:
            console.print(block.caption)
        room = (0, 2 if self.width >= _ROOM else 1, 0, 0)
        table = Table(box=None, pad_edge=False, padding=room, show_header=any(block.head))
        most = _NAME if block.words > 2 else _TAG
        for place, head in enumerate(block.head):
            cells = [row[place] for row in block.rows]
            if place < block.words:
                least = max((len(word) for cell in [head, *cells] for word in cell.split()), default=0)
                table.add_column(head, header_style="bold", min_width=min(most, least))
            else:
                table.add_column(_narrow(head, cells), justify="right", header_style="bold", overflow="fold")
        for at, row in enumerate(block.rows):
            marked = {place for line, place in block.marked if line == at}
            shown = [
                Coloured(f"✗ {cell}", style="bold red") if place in marked else Coloured(cell)
                for place, cell in enumerate(row)
            ]
            table.add_row(*shown)
        if Measurement.get(console, console.options.update(max_width=_WIDEST), table).maximum > self.width:
            table.padding = (0, 1, 0, 0)
        console.print(table)


PLAIN = Paper()
"""The text that replaces a file."""
PAPER: ContextVar[Paper] = ContextVar("PAPER", default=PLAIN)
"""The medium of reports, set by the command line."""


def _narrow(head: str, cells: Sequence[str]) -> str:
    """Return a heading of two words on two lines if the column below it is narrower."""
    first, _, second = head.partition(" ")
    if not second or " " in second or max(map(len, cells), default=0) >= len(head):
        return head
    return f"{first}\n{second}"
