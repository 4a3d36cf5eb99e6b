"""Engine: run the tasks of attacks.

A *task* is a kernel, which is a function of a module, and its arguments. A kernel depends only on its arguments, so a
task can run anywhere and at any time, and again if a worker died. Results never depend on the number of parallel tasks.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import copy_context
from functools import cached_property
from typing import Generic, Protocol, TypeVar

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class Task(Protocol[T_co]):
    """A task of an engine, finished or not; as an argument of another task it is replaced by its result."""

    def result(self) -> T_co:
        """Wait for the task and return its result; raise what the kernel raised."""


class Engine(Protocol):
    """Runs tasks."""

    def submit(self, kernel: Callable[..., T], /, *arguments: object) -> Task[T]:
        """Submit a task. Arguments that are tasks are run first, and the kernel receives their results."""

    def results(self, tasks: Iterable[Task[T]]) -> Iterator[T]:
        """Yield the results of tasks, in their order.

        A generator that submits its tasks is iterated only a few tasks ahead, so that memory never holds all of them.
        """


class Local:
    """Threads of this process; kernels that release the interpreter's lock run in parallel.

    `jobs` is the number of parallel tasks. With one job, a task runs in the thread that asks for its result.
    """

    def __init__(self, jobs: int = 1) -> None:
        self.jobs = jobs

    @cached_property
    def _threads(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(self.jobs, thread_name_prefix="audit")

    def submit(self, kernel: Callable[..., T], /, *arguments: object) -> Task[T]:
        """Submit a task; tasks begin in the order of submission."""
        if self.jobs == 1:
            return _Later(kernel, arguments)
        # No deadlock: a task waits only for tasks that were submitted, and so began, before it.
        # The context holds the language of messages.
        cancellation = _Cancellation()
        future = self._threads.submit(copy_context().run, _cancellable, cancellation, kernel, arguments)
        return _Begun(future, cancellation)

    def results(self, tasks: Iterable[Task[T]]) -> Iterator[T]:
        """Yield the results of tasks in their order; one task more than there are threads is submitted.

        If the caller stops early, as after an interrupt, the other tasks are cancelled.
        """
        waiting: deque[Task[T]] = deque()
        try:
            for task in tasks:
                waiting.append(task)
                if len(waiting) > self.jobs:
                    yield waiting[0].result()
                    waiting.popleft()
            while waiting:
                yield waiting[0].result()
                waiting.popleft()
        finally:
            for task in [*waiting, *(tasks if isinstance(tasks, Sequence) else ())]:
                if isinstance(task, _Begun):
                    task.cancel()


class _Later(Generic[T]):
    """A task that runs when its result is first asked for."""

    def __init__(self, kernel: Callable[..., T], arguments: tuple[object, ...]) -> None:
        self._kernel, self._arguments = kernel, arguments

    @cached_property
    def _result(self) -> T:
        return _done(self._kernel, self._arguments)

    def result(self) -> T:
        return self._result


class _Cancellation:
    """Whether a task was cancelled, and the call that stops its solver."""

    def __init__(self) -> None:
        self.cancelled = False
        self.stop: Callable[[], object] | None = None
        self.lock = threading.Lock()


class _Begun(Generic[T]):
    """A task that was submitted to a thread."""

    def __init__(self, future: Future[T], cancellation: _Cancellation) -> None:
        self._future, self._cancellation = future, cancellation

    def result(self) -> T:
        return self._future.result()

    def cancel(self) -> None:
        """Ask the task to end soon."""
        self._future.cancel()
        with self._cancellation.lock:
            self._cancellation.cancelled = True
            if self._cancellation.stop is not None:
                self._cancellation.stop()


_thread = threading.local()


def is_cancelled() -> bool:
    """Return whether the task that this thread runs was cancelled."""
    cancellation: _Cancellation | None = getattr(_thread, "cancellation", None)
    return cancellation is not None and cancellation.cancelled


@contextmanager
def on_cancel(stop: Callable[[], object]) -> Iterator[None]:
    """Call `stop`, from another thread, if the task is cancelled while the block runs a solver."""
    cancellation: _Cancellation | None = getattr(_thread, "cancellation", None)
    if cancellation is None:
        yield
        return
    with cancellation.lock:
        cancellation.stop = stop
        if cancellation.cancelled:
            stop()
    try:
        yield
    finally:
        with cancellation.lock:
            cancellation.stop = None


def _cancellable(cancellation: _Cancellation, kernel: Callable[..., T], arguments: tuple[object, ...]) -> T:
    _thread.cancellation = cancellation
    try:
        return _done(kernel, arguments)
    finally:
        _thread.cancellation = None


def _done(kernel: Callable[..., T], arguments: tuple[object, ...]) -> T:
    return kernel(*(each.result() if isinstance(each, _Begun | _Later) else each for each in arguments))


def same(value: T) -> T:
    """Return the argument: a task of this kernel sends a value that many tasks need to each worker only once."""
    return value


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
