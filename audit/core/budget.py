"""A budget: how long an attack may go on, who works for it, and where it tells how far it has come."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from audit.core.engine import Engine, Local, abandoned


@dataclass
class Budget:
    """Seconds that an attack may use from now on; None is without limit.

    `tell(done, total)` is called now and then with the share of the work that is done. Tasks are given to `engine`; a
    budget may go with them, and is used up at the same moment wherever they are done.
    """

    seconds: float | None = None
    tell: Callable[[int, int], None] | None = None
    engine: Engine = field(default_factory=Local)
    _start: float = field(default_factory=time.monotonic)
    _limit: float | None = None

    def spent(self) -> bool:
        """Tell whether the time is up, or nobody waits any more for the task that asks."""
        return abandoned() or (self.seconds is not None and time.monotonic() - self._start >= self.seconds)

    def left(self) -> float | None:
        """Return how many seconds are left, 0 where the time is up; None without a limit."""
        return None if self.seconds is None else max(0.0, self.seconds - (time.monotonic() - self._start))

    def part(self, share: float) -> Budget:
        """Return a budget of a share of the time that is left."""
        if self.seconds is None:
            return Budget(None, self.tell, self.engine)
        return Budget(share * (self.left() or 0.0), self.tell, self.engine, _limit=self._limit or self.seconds)

    def capped(self, seconds: float) -> Budget:
        """Return a budget that is used up after so many seconds, or earlier where this one is."""
        least = seconds if self.seconds is None else min(seconds, self.seconds)
        return Budget(least, self.tell, self.engine, self._start, self._limit)

    def alone(self) -> Budget:
        """Return the same for a task: whatever it would give away it does itself, and nobody watches it."""
        return Budget(self.seconds, None, Local(), self._start, self._limit)

    def progress(self, done: int, total: int) -> None:
        """Tell whoever watches how far the work has come."""
        if self.tell is not None:
            self.tell(done, total)

    @property
    def reason(self) -> str:
        """Why an attack stopped whose budget is spent."""
        return f"the time limit of {self._limit or self.seconds:g} s was reached"

    def __getstate__(self) -> tuple[float | None, float | None, float | None]:
        """Return what another process needs: by the clock on the wall, for every process has its own of the other kind.

        There nobody watches, and the work is done in one thread.
        """
        left = self.left()
        return self.seconds, None if left is None else time.time() + left, self._limit

    def __setstate__(self, state: tuple[float | None, float | None, float | None]) -> None:
        """Take over what is left."""
        self.seconds, ends, self._limit = state
        self._start = (
            0.0 if ends is None or self.seconds is None else time.monotonic() + ends - time.time() - self.seconds
        )
        self.tell, self.engine = None, Local()
