"""An engine that imitates other processes: tasks are pickled, and run in any order."""

import pickle
import random
from collections.abc import Callable, Iterable, Iterator
from typing import Any


class Travelling:
    """Pickles kernels, arguments and results; tasks are done when results are first asked for, in another order.

    `seed` says in which; None is from the last to the first. `sizes` are the bytes of each task.
    """

    def __init__(self, seed: int | None = None) -> None:
        self._random = None if seed is None else random.Random(seed)  # noqa: S311 - nothing secret
        self._waiting: list[_Travelled] = []
        self.sizes: list[int] = []
        self.kernels: set[str] = set()

    def submit(self, kernel: Callable[..., Any], /, *arguments: object) -> Any:
        content = pickle.dumps((kernel, [_Sent(each) if isinstance(each, _Travelled) else each for each in arguments]))
        task = _Travelled(self, content)
        self.sizes.append(len(content))
        self.kernels.add(getattr(kernel, "func", kernel).__name__)  # a part of a kernel has its name
        self._waiting.append(task)
        return task

    def results(self, tasks: Iterable[Any]) -> Iterator[Any]:
        for task in list(tasks):
            yield task.result()

    def work(self) -> None:
        """Run all waiting tasks."""
        some, self._waiting = self._waiting, []
        some.reverse()
        if self._random is not None:
            self._random.shuffle(some)
        for task in some:
            task.work()

    def __reduce__(self) -> str:
        raise TypeError("an engine does not travel")


class _Sent:
    def __init__(self, task: "_Travelled") -> None:
        self.content = pickle.dumps(task.result())


class _Travelled:
    def __init__(self, engine: Travelling, content: bytes) -> None:
        self._engine, self._content = engine, content
        self._done: bytes | None = None

    def work(self) -> None:
        if self._done is None:
            kernel, arguments = pickle.loads(self._content)  # noqa: S301 - our own
            given = [pickle.loads(each.content) if isinstance(each, _Sent) else each for each in arguments]  # noqa: S301
            self._done = pickle.dumps(kernel(*given))

    def result(self) -> Any:
        if self._done is None:
            self._engine.work()
        assert self._done is not None
        return pickle.loads(self._done)  # noqa: S301 - our own
