"""Progress of attacks, as bars."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from audit.pipeline.attack_run import Progress


@contextmanager
def progress(*, shown: bool) -> Iterator[Progress]:
    """Show how far each attack has come, on standard error or in a notebook, where that is wanted."""
    if not shown:
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bars

    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.percentage:>3.0f} %"))
    with Bars(*columns, TimeElapsedColumn(), console=Console(stderr=True), transient=True) as bars:
        reading = [bars.add_task("reading", total=None)]

        def watch(attack: str) -> Callable[[int, int], None]:
            while reading:
                bars.remove_task(reading.pop())
            task = bars.add_task(attack, total=None)

            def tell(done: int, total: int) -> None:
                bars.update(task, completed=done, total=total)

            return tell

        yield watch
