"""Commands run to their end in processes of their own, and the machine that they ran on.

The parent stays small on purpose, without numpy or pyarrow: Linux counts into a child's peak memory what its
parent held when it forked.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from threading import Timer

KIB = 1024
PACKAGES = ("series-audit", "numpy", "scipy", "pyarrow", "numba", "ortools", "duckdb", "anonypyx", "pandas")


class BenchmarkError(Exception):
    """A command failed, or two tools gave different answers."""


class TimeLimitError(BenchmarkError):
    """A command did not end in time."""


@dataclass(frozen=True, slots=True)
class Process:
    """One finished process: seconds of wall time, peak resident bytes, what it printed, seconds of all cores."""

    seconds: float
    peak: int
    printed: str
    cpu: float = 0.0


def run(
    command: list[str],
    allowed: tuple[int, ...] = (0,),
    limit: float | None = None,
    environment: dict[str, str] | None = None,
) -> Process:
    """Run a command to its end and ask the operating system what it took.

    Raises:
        TimeLimitError: it did not end within `limit` seconds; it was killed.
        BenchmarkError: it ended with another code than those that are allowed.
    """
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        started = time.perf_counter()
        process = subprocess.Popen(command, stdout=out, stderr=err, env=environment)
        timer = None if limit is None else Timer(limit, process.kill)
        if timer is not None:
            timer.start()
        try:
            _, status, usage = os.wait4(process.pid, 0)
        except BaseException:
            # An interrupted measurement leaves nothing running behind.
            process.kill()
            if timer is not None:
                timer.cancel()
            raise
        seconds = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        if timer is not None:
            timer.cancel()
        if limit is not None and seconds >= limit and process.returncode == -signal.SIGKILL:
            raise TimeLimitError(f"{' '.join(command)}: not done after {limit:g} s")
        out.seek(0)
        err.seek(0)
        if process.returncode not in allowed:
            raise BenchmarkError(f"{' '.join(command)}: exit {process.returncode}: {err.read().decode()[-2000:]}")
        cpu = usage.ru_utime + usage.ru_stime
        return Process(seconds, usage.ru_maxrss * KIB, out.read().decode(), cpu)


def machine() -> dict[str, object]:
    """Describe the machine."""
    cpu = _first("/proc/cpuinfo", "model name") or os.uname().machine
    memory = _first("/proc/meminfo", "MemTotal")
    return {
        "cpu": cpu,
        "cores": os.cpu_count(),
        "memory_gib": round(int(memory.split()[0]) / KIB**2, 1) if memory else None,
        "system": f"{os.uname().sysname} {os.uname().release}",
        "load_average": os.getloadavg(),
    }


def versions() -> dict[str, str]:
    """Return the versions of Python and of the packages that take part."""
    found = {"python": sys.version.split()[0]}
    for package in PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            found[package] = "missing"
    return found


def _first(file: str, key: str) -> str | None:
    try:
        lines = Path(file).read_text(encoding="utf-8").splitlines()
    except OSError:
        return None
    return next((line.partition(":")[2].strip() for line in lines if line.startswith(key)), None)
