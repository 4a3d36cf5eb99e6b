"""Progress of attacks: the stage, the share that is done, the time elapsed and the time left."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING

from audit.model.audit_options import Progress

if TYPE_CHECKING:
    from rich.progress import Progress as Bars
    from rich.progress import Task, TaskID

_FIRST = {"each release by itself": "counting rows and values", "files": "reading", "report": "putting it together"}
"""The first stage of each part of a run that is not an attack."""
_ALMOST = 0.99
"""The share at which a bar waits until its attack has ended, because findings must still be checked and written."""
_BAR, _LEAST_ROOM = 10, 16
_FIGURES = _BAR + len("  99%  0:00:00 gone, 0:00:00 left") + 1
"""The width of a line without its words; words are cut if there is no room, numbers are not."""


class AttackBar:
    """The bar of one attack, or of another part of a run: it shows the progress and the stage."""

    def __init__(self, bars: Bars, attack: str) -> None:
        self._bars = bars
        self._task: TaskID = bars.add_task(attack, total=None, stage=_FIRST.get(attack, "looking at the releases"))

    def __call__(self, done: int, total: int, /) -> None:
        """Show the progress; the bar is full only at the end."""
        if total <= 0:
            return
        self._bars.update(self._task, completed=min(done, _ALMOST * total), total=total)
        if done >= total:
            self.stage("checking what was found")

    def stage(self, what: str, /) -> None:
        """Show what is being done."""
        self._bars.update(self._task, stage=what)

    def remove(self) -> None:
        """Remove the bar."""
        self._bars.remove_task(self._task)


def _clock(seconds: float) -> str:
    """Return a time as hours, minutes and seconds.

    >>> _clock(3725.9)
    '1:02:05'
    """
    return str(timedelta(seconds=int(seconds)))


@contextmanager
def progress(*, shown: bool) -> Iterator[Progress]:
    """Show the progress of each attack on standard error or in a notebook, if `shown`."""
    if not shown:
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, ProgressColumn, TaskProgressColumn, TextColumn
    from rich.progress import Progress as Bars
    from rich.table import Column
    from rich.text import Text

    class Times(ProgressColumn):
        """The time elapsed, and the time left if known."""

        def render(self, task: Task) -> Text:
            """Return both as hours, minutes and seconds."""
            gone, left = task.elapsed or 0.0, task.time_remaining if task.total else None
            text = f"{_clock(gone)} gone"
            return Text(text if left is None else f"{text}, {_clock(left)} left", no_wrap=True)

    console = Console(stderr=True)
    room = Column(no_wrap=True, overflow="ellipsis", max_width=max(_LEAST_ROOM, console.width - _FIGURES))
    columns = (
        TextColumn("{task.description}: {task.fields[stage]}", table_column=room),
        BarColumn(bar_width=_BAR),
        TaskProgressColumn(),
        Times(table_column=Column(no_wrap=True)),
    )
    with Bars(*columns, console=console, transient=True) as bars:
        running = [AttackBar(bars, "reading")]

        def watch(attack: str) -> Callable[[int, int], None]:
            while running:
                running.pop().remove()
            running.append(AttackBar(bars, attack))
            return running[-1]

        yield watch


@contextmanager
def counting(what: str, *, shown: bool) -> Iterator[Callable[[int, int], None]]:
    """Yield a function that shows how many steps are done, if `shown`."""
    if not shown:
        yield lambda _done, _total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bars

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Bars(*columns, console=Console(stderr=True), transient=True) as bars:
        task = bars.add_task(what, total=None)
        yield lambda done, total: bars.update(task, completed=done, total=total)
