"""Log: write the stages of a run, each with its counts and seconds, to the loggers of `logging`.

Loggers are named like the modules; nothing is shown until a handler is added to `audit`. The log holds no private data:
only names of stages, which the program fixes, and numbers.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager

ROOT = logging.getLogger("audit")
ROOT.addHandler(logging.NullHandler())


class LoggedStage:
    """A stage that runs, with its counts so far."""

    def __init__(self, counts: dict[str, int]) -> None:
        self._counts = counts

    def count(self, **counts: int) -> None:
        """Add counts that were not known when the stage began."""
        self._counts |= counts

    def summary(self, begun: float) -> str:
        """Return a line with the counts and the seconds since the stage began."""
        # `int` keeps names of people out of the log, even if a caller ignores the types.
        counts = [f"{name}={int(count)}" for name, count in self._counts.items()]
        return " ".join([*counts, f"seconds={time.perf_counter() - begun:.3f}"])


@contextmanager
def logged_stage(
    logger: logging.Logger, name: str, /, *, level: int = logging.INFO, **counts: int
) -> Iterator[LoggedStage]:
    """Log the end of a stage with its counts and seconds; if it fails, the kind of error without its message.

    Args:
        logger: the module's logger.
        name: the name of the stage, without data.
        level: the level of the entry; the beginning is logged at DEBUG.
        **counts: counts that are known beforehand.
    """
    logger.debug("%s: begins", name)
    begun, stage = time.perf_counter(), LoggedStage(counts)
    try:
        yield stage
    except BaseException as error:
        logger.log(level, "%s: ended by %s %s", name, type(error).__name__, stage.summary(begun))
        raise
    logger.log(level, "%s: %s", name, stage.summary(begun))
