"""Engines by name: threads of this process, or a cluster."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from audit.model.errors import UsageError, printable
from audit.runtime.engine import Engine, Local, cores

ENGINES = ("local", "dask")


@contextmanager
def engine(name: str = "local", jobs: int | None = None, scheduler: str | None = None) -> Iterator[Engine]:
    """Have an engine, for as long as it is needed.

    Args:
        name: one of `ENGINES`.
        jobs: how many tasks are done at once; None is one for each core.
        scheduler: the address of a cluster's scheduler; None starts a cluster on this machine.

    Raises:
        UsageError: the arguments do not fit each other, or there is no such cluster.
    """
    if name not in ENGINES:
        raise UsageError(f"there is no engine {printable(str(name))}; choose one of {', '.join(ENGINES)}")
    if scheduler is not None and name != "dask":
        raise UsageError("a scheduler is part of a cluster; choose the engine dask too, or leave the scheduler out")
    if scheduler is not None and jobs is not None:
        raise UsageError("a scheduler's workers do as many tasks at once as they were started for; leave the jobs out")
    if name == "dask":
        from audit.runtime.distributed.dask_cluster import cluster

        with cluster(scheduler, jobs) as workers:
            yield workers
    else:
        yield Local(jobs or cores())
