"""A budget: how long an attack may go on, who works for it, and where it tells how far it has come."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from typing import Protocol, TypeVar, runtime_checkable

from audit.runtime.engine import Engine, Local, is_cancelled
from audit.runtime.phrases import figure, say
from audit.runtime.reasons import Reason, ReasonKind

_LOG = logging.getLogger(__name__)

T = TypeVar("T")


@runtime_checkable
class Watcher(Protocol):
    """Whoever watches an attack."""

    def __call__(self, done: int, total: int, /) -> None:
        """Note how far the work has come."""

    def stage(self, what: str, /) -> None:
        """Note what is being done, in a word or two."""


@dataclass
class Budget:
    """Seconds that an attack may use from now on; None is without limit.

    `on_progress(done, total)` is called now and then with the share of the work that is done; a `Watcher` is also told
    what is being done. Tasks are given to `engine`; a budget may go with them, and is used up at the same moment
    wherever they are done.
    """

    seconds: float | None = None
    on_progress: Callable[[int, int], None] | None = None
    engine: Engine = field(default_factory=Local)
    _start: float = field(default_factory=time.monotonic)
    _limit: float | None = None

    def exhausted(self) -> bool:
        """Return whether the time is up, or nobody waits any more for the task that asks."""
        return is_cancelled() or (self.seconds is not None and time.monotonic() - self._start >= self.seconds)

    def remaining(self) -> float | None:
        """Return how many seconds are left, 0 where the time is up; None without a limit."""
        return None if self.seconds is None else max(0.0, self.seconds - (time.monotonic() - self._start))

    def fraction(self, share: float) -> Budget:
        """Return a budget of a share of the time that is left."""
        if self.seconds is None:
            return Budget(None, self.on_progress, self.engine)
        return Budget(
            share * (self.remaining() or 0.0), self.on_progress, self.engine, _limit=self._limit or self.seconds
        )

    def single_threaded(self) -> Budget:
        """Return the same for a task: whatever it would give away it does itself, and nobody watches it."""
        return Budget(self.seconds, None, Local(), self._start, self._limit)

    def progress(self, done: int, total: int) -> None:
        """Tell whoever watches how far the work has come."""
        if self.on_progress is not None:
            self.on_progress(done, total)

    def stage(self, what: str) -> None:
        """Tell whoever watches, and the log, what is being done, in a word or two of the program."""
        _LOG.debug("%s", what)
        if isinstance(self.on_progress, Watcher):
            self.on_progress.stage(what)

    def each(self, steps: Collection[T]) -> Iterator[T]:
        """Yield steps one after the other, and tell whoever watches how many are behind."""
        for done, step in enumerate(steps):
            self.progress(done, len(steps))
            yield step

    @property
    def reason(self) -> Reason:
        """Why an attack stopped whose budget is spent."""
        seconds = figure(self._limit or self.seconds or 0.0, "g")
        return Reason(say("the time limit of {seconds} s was reached", seconds=seconds), ReasonKind.TIME_LIMIT)

    def reason_after(self, done: int, releases: int) -> Reason:
        """Why an attack stopped after some of the releases."""
        told = say(
            "{reason} after {done} of {releases} releases", reason=self.reason, done=f"{done}", releases=f"{releases}"
        )
        return Reason(told, ReasonKind.TIME_LIMIT)

    def __getstate__(self) -> tuple[float | None, float | None, float | None]:
        """Return what another process needs: by the clock on the wall, for every process has its own of the other kind.

        There nobody watches, and the work is done in one thread.
        """
        left = self.remaining()
        return self.seconds, None if left is None else time.time() + left, self._limit

    def __setstate__(self, state: tuple[float | None, float | None, float | None]) -> None:
        """Take over what is left."""
        self.seconds, ends, self._limit = state
        self._start = (
            0.0 if ends is None or self.seconds is None else time.monotonic() + ends - time.time() - self.seconds
        )
        self.on_progress, self.engine = None, Local()
