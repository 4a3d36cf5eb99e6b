"""Engines by name: `local`, the threads of this process, and `dask`, a cluster."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from audit.model.errors import UsageError
from audit.runtime.engine import Engine, Local, cores
from audit.runtime.phrases import printable

ENGINES = ("local", "dask")


@contextmanager
def engine(name: str = "local", jobs: int | None = None, scheduler: str | None = None) -> Iterator[Engine]:
    """Open an engine.

    Args:
        name: one of `ENGINES`.
        jobs: the number of parallel tasks; None means one for each core.
        scheduler: the address of a cluster's scheduler; None starts a cluster on this machine.

    Raises:
        UsageError: the arguments contradict each other, or the cluster cannot be used.
    """
    if name not in ENGINES:
        named = printable(str(name))
        raise UsageError.say("unknown engine {name}; choose one of {names}", name=named, names=", ".join(ENGINES))
    if scheduler is not None and name != "dask":
        raise UsageError.say("a scheduler is part of a cluster; choose the engine dask too, or leave the scheduler out")
    if scheduler is not None and jobs is not None:
        raise UsageError.say(
            "a scheduler's workers do as many tasks at once as they were started for; leave the jobs out"
        )
    if name == "dask":
        from audit.runtime.distributed.dask_cluster import cluster

        with cluster(scheduler, jobs) as workers:
            yield workers
    else:
        yield Local(jobs or cores())
