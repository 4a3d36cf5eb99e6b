"""Progress on a terminal; silence in a pipe."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from audit.cli.standard_streams import shows_progress

if TYPE_CHECKING:
    from audit.pipeline.audit_run import Progress


@contextmanager
def counting(what: str) -> Iterator[Callable[[int, int], None]]:
    """Yield a function that shows how many steps of how many are done."""
    if not shows_progress():
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
    from audit.pipeline.progress import progress as bars

    with bars(shown=shows_progress()) as watch:
        yield watch
