"""Words that the sentences of several findings share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from audit.model.arrays import stretches
from audit.model.finding import GroupLines
from audit.runtime.phrases import Noun, parted, printable, printable_path, say, say_count

RELEASES = Noun("{count} [release|releases]")
ROWS = Noun("{count} [row|rows]")
_CANDIDATES_SHOWN = 12
_RUNS_SHOWN = 24


def enumerated(texts: Sequence[str], most: int) -> str:
    """Return a text that lists texts, at most `most`."""
    shown = ", ".join(texts[:most])
    return shown if len(texts) <= most else say("{items} and {more} more", items=shown, more=len(texts) - most)


def shown_value(value: str) -> str:
    """Return a sensitive value as sentences name it: a blank cell is a value, too."""
    return printable(value) or say("no value")


def listing(texts: Sequence[str]) -> str:
    """Return a text that lists texts, at most twelve."""
    return enumerated([shown_value(text) for text in texts], _CANDIDATES_SHOWN)


def multiset(side: Mapping[Any, int]) -> str:
    """Return a side of an equivalence, each member with its multiplicity if that is more than one.

    >>> multiset({"Bob": 1, "Dan": 2})
    '{Bob, 2 x Dan}'
    """
    shown = [(printable(str(name)), times) for name, times in side.items()]
    names = [name if times == 1 else f"{times} x {name}" for name, times in shown]
    return names[0] if len(names) == 1 and set(side.values()) == {1} else f"{{{', '.join(names)}}}"


def certain_from(who: str, value: str, release: str) -> str:
    """Return from which release on a person's value is certain; `value` is ready to print."""
    about = {"who": printable(who, 200), "value": value, "release": printable(release)}
    return say("{who} has {value}, certain from release {release} on", **about)


def described(cells: Mapping[str, str]) -> str:
    """Return the cells of a record, each with the name of its quasi-identifier."""
    return ", ".join(f"{printable(name)} {printable(cell)}" for name, cell in cells.items())


def places(located: Sequence[GroupLines]) -> Iterator[str]:
    """Yield the locations of groups, and the published cells of their rows."""
    for each in located:
        where = say(
            "in {file}, group {group}: {lines}",
            file=printable_path(each.file),
            group=printable(each.group),
            lines=line_runs(each.lines),
        )
        shown = parted(described(cells) for cells in each.cells)
        yield say("{name}: {text}", name=where, text=shown) if shown else where


def line_runs(lines: Sequence[int]) -> str:
    """Return line numbers with consecutive numbers joined.

    >>> line_runs((2, 3, 4, 7)), line_runs((5,))
    ('lines 2-4, 7', 'line 5')
    """
    runs = stretches(lines)
    listed = ", ".join(str(low) if low == high else f"{low}-{high}" for low, high in runs[:_RUNS_SHOWN])
    if len(runs) > _RUNS_SHOWN:
        return say("lines {lines} and {more} more runs of lines", lines=listed, more=str(len(runs) - _RUNS_SHOWN))
    return say_count("[line|lines] {lines}", len(lines), lines=listed)
