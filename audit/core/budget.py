"""A budget: how long an attack may go on, and where it tells how far it has come."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass
class Budget:
    """Seconds that an attack may use from now on; None is without limit.

    `tell(done, total)` is called now and then with the share of the work that is done.
    """

    seconds: float | None = None
    tell: Callable[[int, int], None] | None = None
    _start: float = field(default_factory=time.monotonic)
    _limit: float | None = None

    def spent(self) -> bool:
        """Tell whether the time is up."""
        return self.seconds is not None and time.monotonic() - self._start >= self.seconds

    def left(self) -> float | None:
        """Return how many seconds are left, 0 where the time is up; None without a limit."""
        return None if self.seconds is None else max(0.0, self.seconds - (time.monotonic() - self._start))

    def part(self, share: float) -> Budget:
        """Return a budget of a share of the time that is left."""
        if self.seconds is None:
            return Budget(None, self.tell)
        return Budget(share * (self.left() or 0.0), self.tell, _limit=self._limit or self.seconds)

    def capped(self, seconds: float) -> Budget:
        """Return a budget that is used up after so many seconds, or earlier where this one is."""
        least = seconds if self.seconds is None else min(seconds, self.seconds)
        return Budget(least, self.tell, self._start, self._limit)

    def progress(self, done: int, total: int) -> None:
        """Tell whoever watches how far the work has come."""
        if self.tell is not None:
            self.tell(done, total)

    @property
    def reason(self) -> str:
        """Why an attack stopped whose budget is spent."""
        return f"the time limit of {self._limit or self.seconds:g} s was reached"
