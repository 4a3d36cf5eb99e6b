"""The log of a run: the stages that are done, each with its counts and seconds.

It is kept by `logging`, in loggers named as the modules are, and says nothing until somebody adds a handler to `audit`.
Nothing private is in it: a stage is named by words of the program, and all else that is said of it are numbers.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager

ROOT = logging.getLogger("audit")
ROOT.addHandler(logging.NullHandler())


class LoggedStage:
    """A stage that is under way, with the counts that are known of it."""

    def __init__(self, counts: dict[str, int]) -> None:
        self._counts = counts

    def count(self, **counts: int) -> None:
        """Note counts that were not known when the stage began."""
        self._counts |= counts

    def summary(self, begun: float) -> str:
        """Return the counts, and the seconds since the stage began, in a line."""
        # Numbers alone, whatever the types say: a name would be somebody's.
        counts = [f"{name}={int(count)}" for name, count in self._counts.items()]
        return " ".join([*counts, f"seconds={time.perf_counter() - begun:.3f}"])


@contextmanager
def logged_stage(
    logger: logging.Logger, name: str, /, *, level: int = logging.INFO, **counts: int
) -> Iterator[LoggedStage]:
    """Log that a stage is over, with its counts and seconds; of one that fails, the kind of error and not its message.

    Args:
        logger: that of the module.
        name: what is done, in words of the program.
        level: at which it is logged; that it has begun is logged for debugging alone.
        **counts: what is known of it beforehand.
    """
    logger.debug("%s: begins", name)
    begun, stage = time.perf_counter(), LoggedStage(counts)
    try:
        yield stage
    except BaseException as error:
        logger.log(level, "%s: ended by %s %s", name, type(error).__name__, stage.summary(begun))
        raise
    logger.log(level, "%s: %s", name, stage.summary(begun))
