"""The memory of this machine, or of the container that the process runs in."""

import os
from contextlib import suppress
from pathlib import Path

_CONTAINER = Path("/sys/fs/cgroup/memory.max")
_LEAST = 2 << 30


def memory_bytes() -> int | None:
    """Return the bytes of memory of this machine or container; None if the system does not say."""
    known = []
    with suppress(AttributeError, ValueError, OSError):  # not every system has this, or answers
        known.append(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    with suppress(OSError, ValueError):  # no container, or one without a limit
        known.append(int(_CONTAINER.read_text(encoding="ascii")))
    known.append(_address_space())
    return min((each for each in known if each > 0), default=None)


def _address_space() -> int:
    """Return the limit on the addresses that this process may use (`ulimit -v`); 0 if there is none."""
    try:
        import resource
    except ImportError:  # not on Windows
        return 0
    soft, _ = resource.getrlimit(resource.RLIMIT_AS)
    return 0 if soft == resource.RLIM_INFINITY else soft


def too_little() -> str | None:
    """Return that libraries cannot be loaded under a limit: OpenBLAS then loops for ever, and others abort."""
    if 0 < (limit := _address_space()) < _LEAST:
        return f"this process may use {limit >> 20} MB of addresses (ulimit -v), and needs 2 GB; raise the limit"
    return None
