"""Budget: the time limit of an attack, its engine, and the callback for its progress."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from typing import Protocol, TypeVar, runtime_checkable

from audit.runtime.engine import Engine, Local, is_cancelled
from audit.runtime.phrases import Reason, ReasonKind, figure, say

T = TypeVar("T")


@runtime_checkable
class Watcher(Protocol):
    """A callback for the progress and the stages of an attack."""

    def __call__(self, done: int, total: int, /) -> None:
        """Receive the share of the work that is done."""

    def stage(self, what: str, /) -> None:
        """Receive the name of the stage that begins."""


@dataclass
class Budget:
    """Seconds that an attack may use from now on; None means no limit.

    `on_progress(done, total)` is called with the share of the work that is done; a `Watcher` also receives stages.
    Tasks run on `engine`. A budget may be sent with a task to another process, where it ends at the same time.
    """

    seconds: float | None = None
    on_progress: Callable[[int, int], None] | None = None
    engine: Engine = field(default_factory=Local)
    _start: float = field(default_factory=lambda: time.monotonic())  # noqa: PLW0108 - a test may replace it
    _limit: float | None = None

    def exhausted(self) -> bool:
        """Return whether the time is up or the task of this thread was cancelled."""
        return is_cancelled() or self.remaining() == 0

    def remaining(self) -> float | None:
        """Return how many seconds are left, 0 if the time is up; None without a limit."""
        return None if self.seconds is None else max(0.0, self.seconds - self.gone())

    def gone(self) -> float:
        """Return how many seconds have passed."""
        return time.monotonic() - self._start

    def fraction(self, share: float) -> Budget:
        """Return a budget with a share of the remaining time."""
        if self.seconds is None:
            return Budget(None, self.on_progress, self.engine)
        return Budget(
            share * (self.remaining() or 0.0), self.on_progress, self.engine, _limit=self._limit or self.seconds
        )

    def single_threaded(self) -> Budget:
        """Return the same budget for a task, which runs its own tasks itself and reports no progress."""
        return Budget(self.seconds, None, Local(), self._start, self._limit)

    def progress(self, done: int, total: int) -> None:
        """Report the share of the work that is done."""
        if self.on_progress is not None:
            self.on_progress(done, total)

    def stage(self, what: str) -> None:
        """Report the name of the stage that begins."""
        if isinstance(self.on_progress, Watcher):
            self.on_progress.stage(what)

    def each(self, steps: Collection[T]) -> Iterator[T]:
        """Yield the steps in order, and report before each how many are done."""
        for done, step in enumerate(steps):
            self.progress(done, len(steps))
            yield step

    @property
    def reason(self) -> Reason:
        """The reason of an attack that the time limit stopped."""
        seconds = figure(self._limit or self.seconds or 0.0, "g")
        return Reason(say("the time limit of {seconds} s was reached", seconds=seconds), ReasonKind.TIME_LIMIT)

    def reason_after(self, done: int, of: int) -> Reason | None:
        """Return why an attack read only some `of` all releases; None if it read them all."""
        if done == of:
            return None
        text = say("{reason} after {done} of {releases} releases", reason=self.reason, done=str(done), releases=str(of))
        return Reason(text, ReasonKind.TIME_LIMIT)

    def __getstate__(self) -> tuple[float | None, float | None, float | None]:
        """Return the state for another process: the end by wall-clock time, as monotonic clocks differ by process."""
        left = self.remaining()
        return self.seconds, None if left is None else time.time() + left, self._limit

    def __setstate__(self, state: tuple[float | None, float | None, float | None]) -> None:
        """Restore the budget in another process, single-threaded and without progress reports."""
        self.seconds, ends, self._limit = state
        self._start = (
            0.0 if ends is None or self.seconds is None else time.monotonic() + ends - time.time() - self.seconds
        )
        self.on_progress, self.engine = None, Local()
