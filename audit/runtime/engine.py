"""Engines: where the work of attacks is done.

An engine takes *tasks*: a kernel, which is a function of some module, and its arguments. A kernel depends on nothing
but these, so that a task can be done anywhere, at any time, and again where whoever did it has died. What comes out
never depends on how many tasks are done at once.
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
    """Work that an engine was given, done or not; as an argument of another task it stands for its result."""

    def result(self) -> T_co:
        """Return what came out, once it is there; raises what the kernel raised."""


class Engine(Protocol):
    """Where tasks are done."""

    def submit(self, kernel: Callable[..., T], /, *arguments: object) -> Task[T]:
        """Give a task away. Arguments that are tasks are done first, and the kernel is given their results."""

    def results(self, tasks: Iterable[Task[T]]) -> Iterator[T]:
        """Yield the results of some tasks, in their order.

        Tasks that are submitted while `tasks` is iterated are so only a few ahead of what was yielded, so that neither
        they nor their results have to be in memory together.
        """


class Local:
    """Threads of this process; kernels that let go of the interpreter's lock run side by side.

    `jobs` is how many tasks are done at once; one is done when its result is asked for, in the same thread.
    """

    def __init__(self, jobs: int = 1) -> None:
        self.jobs = jobs

    @cached_property
    def _threads(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(self.jobs, thread_name_prefix="audit")

    def submit(self, kernel: Callable[..., T], /, *arguments: object) -> Task[T]:
        """Give a task away; tasks are begun in the order in which they are submitted."""
        if self.jobs == 1:
            return _Later(kernel, arguments)
        # Whatever a task waits for was submitted, and therefore begun, before it. Its sentences are in our language.
        watch = _Cancellation()
        return _Begun(self._threads.submit(copy_context().run, _watched, watch, kernel, arguments), watch)

    def results(self, tasks: Iterable[Task[T]]) -> Iterator[T]:
        """Yield the results of some tasks in their order; as many are under way as there are threads, and one more.

        Where nobody asks for more, as after an interrupt, tasks that have begun are told to end soon.
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
                    task.abandon()


class _Later(Generic[T]):
    """A task that is done when its result is first asked for."""

    def __init__(self, kernel: Callable[..., T], arguments: tuple[object, ...]) -> None:
        self._kernel, self._arguments = kernel, arguments

    @cached_property
    def _result(self) -> T:
        return _done(self._kernel, self._arguments)

    def result(self) -> T:
        return self._result


class _Cancellation:
    """Whether anybody still waits for a task, and what stops it where nobody does."""

    def __init__(self) -> None:
        self.abandoned = False
        self.stop: Callable[[], object] | None = None
        self.lock = threading.Lock()


class _Begun(Generic[T]):
    """A task that was given to a thread."""

    def __init__(self, future: Future[T], watch: _Cancellation) -> None:
        self._future, self._watch = future, watch

    def result(self) -> T:
        return self._future.result()

    def abandon(self) -> None:
        """Have it end soon; where it is done, that changes nothing."""
        self._future.cancel()
        with self._watch.lock:
            self._watch.abandoned = True
            if self._watch.stop is not None:
                self._watch.stop()


_here = threading.local()


def is_cancelled() -> bool:
    """Return whether nobody waits any more for the task that this thread works on."""
    watch: _Cancellation | None = getattr(_here, "watch", None)
    return watch is not None and watch.abandoned


@contextmanager
def on_cancel(stop: Callable[[], object]) -> Iterator[None]:
    """Have a solver that is at work stopped, by a call from another thread, where nobody waits for it any more."""
    watch: _Cancellation | None = getattr(_here, "watch", None)
    if watch is None:
        yield
        return
    with watch.lock:
        watch.stop = stop
        if watch.abandoned:
            stop()
    try:
        yield
    finally:
        with watch.lock:
            watch.stop = None


def _watched(watch: _Cancellation, kernel: Callable[..., T], arguments: tuple[object, ...]) -> T:
    _here.watch = watch
    try:
        return _done(kernel, arguments)
    finally:
        _here.watch = None


def _done(kernel: Callable[..., T], arguments: tuple[object, ...]) -> T:
    return kernel(*(each.result() if isinstance(each, _Begun | _Later) else each for each in arguments))


def same(value: T) -> T:
    """Return what is given: a task of it stands for what many tasks need, which is then sent to each worker once."""
    return value


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
