"""Progress on a terminal; silence in a pipe."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from audit.pipeline.audit_run import Progress


@contextmanager
def counting(what: str) -> Iterator[Callable[[int, int], None]]:
    """Yield a function that shows how many steps of how many are done."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield lambda _done, _total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bars:
        task = bars.add_task(what, total=None)
        yield lambda done, total: bars.update(task, completed=done, total=total)


@contextmanager
def progress() -> Iterator[Progress]:
    """Show how far each attack has come on a terminal; be silent elsewhere."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.percentage:>3.0f} %"))
    with Progress(*columns, TimeElapsedColumn(), console=Console(stderr=True), transient=True) as bars:
        reading = [bars.add_task("reading", total=None)]

        def watch(attack: str) -> Callable[[int, int], None]:
            while reading:
                bars.remove_task(reading.pop())
            task = bars.add_task(attack, total=None)

            def tell(done: int, total: int) -> None:
                bars.update(task, completed=done, total=total)

            return tell

        yield watch
