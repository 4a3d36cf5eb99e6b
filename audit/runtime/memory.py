"""The memory of this machine, or of the container that the process runs in."""

import os
from contextlib import suppress
from pathlib import Path

_CONTAINER = Path("/sys/fs/cgroup/memory.max")


def memory_bytes() -> int | None:
    """Return the bytes of memory of this machine or container; None if the system does not say."""
    known = []
    with suppress(AttributeError, ValueError, OSError):  # not every system has this, or answers
        known.append(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    with suppress(OSError, ValueError):  # no container, or one without a limit
        known.append(int(_CONTAINER.read_text(encoding="ascii")))
    return min((each for each in known if each > 0), default=None)
