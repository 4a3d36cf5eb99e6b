"""Progress of attacks: what each is doing, the share that is done, the time gone and the time left."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from audit.pipeline.attack_run import Progress

if TYPE_CHECKING:
    from rich.progress import Progress as Bars
    from rich.progress import TaskID

_FIRST = {"each release by itself": "counting rows and values", "files": "reading", "report": "putting it together"}
"""What is done first in the parts of a run that are no attacks."""
_ALMOST = 0.99
"""As far as a bar goes before its attack has ended: what was found is still to be checked and written down."""


class AttackBar:
    """The bar of one attack, or of another part of a run: it is told how far that has come, and what is being done."""

    def __init__(self, bars: Bars, attack: str) -> None:
        self._bars = bars
        self._task: TaskID = bars.add_task(attack, total=None, stage=_FIRST.get(attack, "looking at the releases"))

    def __call__(self, done: int, total: int, /) -> None:
        """Show how far the work has come; nothing stands at the end before it is there."""
        if total <= 0:
            return
        self._bars.update(self._task, completed=min(done, _ALMOST * total), total=total)
        if done >= total:
            self.stage("checking what was found")

    def stage(self, what: str, /) -> None:
        """Show what is being done."""
        self._bars.update(self._task, stage=what)

    def remove(self) -> None:
        """Take the bar away."""
        self._bars.remove_task(self._task)


@contextmanager
def progress(*, shown: bool) -> Iterator[Progress]:
    """Show how far each attack has come, on standard error or in a notebook, where that is wanted."""
    if not shown:
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
    from rich.progress import Progress as Bars

    columns = (
        TextColumn("{task.description}: {task.fields[stage]}"),
        BarColumn(bar_width=20),
        TaskProgressColumn(),
        TimeElapsedColumn(),
        TextColumn("gone,"),
        TimeRemainingColumn(compact=True),
        TextColumn("left"),
    )
    with Bars(*columns, console=Console(stderr=True), transient=True) as bars:
        running = [AttackBar(bars, "reading")]

        def watch(attack: str) -> Callable[[int, int], None]:
            while running:
                running.pop().remove()
            running.append(AttackBar(bars, attack))
            return running[-1]

        yield watch
