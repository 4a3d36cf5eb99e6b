"""Dask cluster: run the tasks of attacks in processes of dask.distributed, on this machine or on many.

Without an address a cluster is started for this run. Its processes listen on the loopback interface and require a
certificate made for the run, because any connection could run code and read all data. No data is written to disk: a
worker that runs out of memory is stopped, and its task is tried again.

The work of a worker that dies is computed again from its tasks; so workers receive data only as arguments of tasks.
"""

from __future__ import annotations

import contextlib
import itertools
import logging
import signal
import tempfile
import time
import uuid
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from multiprocessing import resource_tracker
from typing import TYPE_CHECKING, Generic, TypeVar

from audit.model.errors import UsageError
from audit.runtime.engine import Task, cores
from audit.runtime.phrases import printable
from audit.runtime.version import VERSION

if TYPE_CHECKING:
    from distributed import Client, Future

T = TypeVar("T")
_AHEAD = 4
_LOOK = 2.0
_PATIENCE = 30
_GONE = "the cluster's scheduler has stopped; start it again, and audit again"
_LIBRARIES = ("distributed", "tornado", "asyncio")
_SETTINGS = {
    # No web pages about the run.
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
    "distributed.nanny.http.routes": [],
    # No private data on disk; and a worker that pauses for memory might wait for ever.
    "distributed.worker.memory.target": False,
    "distributed.worker.memory.spill": False,
    "distributed.worker.memory.pause": False,
    "distributed.worker.memory.terminate": 0.95,
}
# A register is sent as one large task.
_LARGEST_TASK = "distributed.admin.large-graph-warning-threshold"


class Cluster:
    """The workers of a cluster, as an engine."""

    def __init__(self, client: Client) -> None:
        self._client = client
        # The scheduler may run other audits: a unique part keeps the names of tasks apart.
        self._run = uuid.uuid4().hex
        self._numbers = itertools.count()

    def submit(self, kernel: Callable[..., T], /, *arguments: object) -> Task[T]:
        """Submit a task; the results of arguments that are tasks stay in the cluster."""
        name = f"{kernel.__name__}-{self._run}-{next(self._numbers)}"
        given = [each.future if isinstance(each, _Sent) else each for each in arguments]
        with _translated():
            return _Sent(self._client, self._client.submit(kernel, *given, key=name, pure=False))

    def results(self, tasks: Iterable[Task[T]]) -> Iterator[T]:
        """Yield the results of tasks in their order; a few tasks for each thread are submitted.

        Raises:
            UsageError: workers died each time that a task was tried, or the connection to the cluster was lost.
        """
        most = max(2, _AHEAD * _threads(self._client))
        waiting: deque[Task[T]] = deque()
        for task in tasks:
            waiting.append(task)
            if len(waiting) > most:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


class _Sent(Generic[T]):
    """A task that was submitted to a cluster."""

    def __init__(self, client: Client, future: Future) -> None:
        self._client, self.future = client, future

    def result(self) -> T:
        """Wait for the task and return its result.

        Raises:
            UsageError: workers died each time that the task was tried, or the connection to the cluster was lost.
        """
        from distributed import wait

        alone_since: float | None = None
        while True:
            try:
                with _translated():
                    wait(self.future, timeout=_LOOK)
            except TimeoutError:
                alone_since = None if _threads(self._client) else alone_since or time.monotonic()
                if alone_since is not None and time.monotonic() - alone_since > _PATIENCE:
                    raise UsageError("the cluster has lost all its workers; start some, and audit again") from None
            else:
                break
        with _translated():
            return self.future.result()


@contextlib.contextmanager
def _translated() -> Iterator[None]:
    """Turn errors of the cluster into one-line errors; those of the task itself are raised as they are."""
    from distributed import CancelledError, KilledWorker
    from distributed.comm import CommClosedError

    try:
        yield
    except KilledWorker as error:
        what = "a worker of the cluster died each time it was given the same task"
        raise UsageError(f"{what}; give the workers more memory, or use fewer of them") from error
    except (CommClosedError, CancelledError) as error:
        raise UsageError(_GONE) from error


def _threads(client: Client) -> int:
    """Return how many tasks the cluster can run in parallel."""
    try:
        return sum(client.nthreads().values())
    except (OSError, RuntimeError) as error:
        raise UsageError(_GONE) from error


@contextlib.contextmanager
def cluster(address: str | None = None, workers: int | None = None) -> Iterator[Cluster]:
    """Connect to the cluster of a scheduler's address, or start one on this machine with a worker for each core.

    The workers of a started cluster import the main module: a script needs the line `if __name__ == "__main__":`.

    Raises:
        UsageError: dask is not installed, there is no scheduler, or its workers have another version of this program.
    """
    try:
        import dask
        import distributed  # noqa: F401 - checks that it is installed
    except ImportError:
        remedy = "install series-audit[dask], or use --engine local"
        raise UsageError(f"--engine dask needs dask.distributed; {remedy}") from None
    started = _start(workers or cores()) if address is None else _connect(address)
    with _silenced_logs(), dask.config.set({_LARGEST_TASK: "1GB"}), started as client:
        yield Cluster(client)


@contextlib.contextmanager
def _start(workers: int) -> Iterator[Client]:
    import dask
    from distributed import Client, LocalCluster, Security
    from distributed.gc import disable_gc_diagnosis

    with (
        tempfile.TemporaryDirectory(prefix="audit-") as folder,
        dask.config.set(_SETTINGS | {"temporary-directory": folder}),
    ):
        try:
            with _uninterrupted():
                processes = LocalCluster(
                    n_workers=workers,
                    threads_per_worker=1,
                    host="127.0.0.1",
                    dashboard_address="127.0.0.1:0",
                    worker_dashboard_address="127.0.0.1:0",
                    security=Security.temporary(),
                    silence_logs=logging.CRITICAL,
                )
        except Exception as error:  # a process can fail to start in many ways
            what = f"{workers} workers could not be started on this machine"
            raise UsageError(f"{what}; start fewer (--jobs), or use --engine local") from error
        # The scheduler watches garbage collections of this process: Ctrl-C during one of them would be lost.
        disable_gc_diagnosis()
        with processes, Client(processes) as client:
            yield client


@contextlib.contextmanager
def _uninterrupted() -> Iterator[None]:
    """Keep Ctrl-C from the threads and processes that are started in the block; only this thread receives it."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    # The resource tracker starts with the first process, and would unblock Ctrl-C.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextlib.contextmanager
def _connect(address: str) -> Iterator[Client]:
    from distributed import Client

    try:
        client = Client(address, timeout=_PATIENCE)
    except Exception as error:  # an address can be wrong in many ways
        shown = printable(address)
        raise UsageError(f"there is no scheduler at {shown}; start one with `dask scheduler`, or correct it") from error
    with client:
        _check_workers(client)
        yield client


def _check_workers(client: Client) -> None:
    """Refuse workers without this program, or with another version of it.

    Raises:
        UsageError: there are such workers, or none at all.
    """
    remedy = "install the same version of series-audit for the workers"
    try:
        found = set(client.run(_version).values())
    except Exception as error:
        raise UsageError(f"the cluster's workers cannot run this program; {remedy}") from error
    if not found:
        raise UsageError("the cluster has no workers; start some with `dask worker`")
    if found != {_version()}:
        raise UsageError(f"the cluster's workers have {printable(', '.join(sorted(found)))}; {remedy}")


def _version() -> str:
    return f"series-audit {VERSION}"


@contextlib.contextmanager
def _silenced_logs() -> Iterator[None]:
    """Silence the log of the library, which reports workers that come and go."""
    # Some of its loggers have levels and handlers of their own.
    names = [name for name in logging.root.manager.loggerDict if name.split(".")[0] in _LIBRARIES]
    before = {name: logging.getLogger(name).level for name in {*names, *_LIBRARIES}}
    for name in before:
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for name, level in before.items():
            logging.getLogger(name).setLevel(level)
