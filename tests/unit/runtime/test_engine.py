"""Engines: what comes out is the same however many tasks are done at once; budgets travel."""

from __future__ import annotations

import pickle
import threading
import time
from collections.abc import Iterator

import pytest

from audit.runtime.budget import Budget
from audit.runtime.engine import Local, Task, on_cancel


@pytest.mark.parametrize("jobs", [1, 2, 5])
def test_results_come_in_the_order_of_tasks(jobs: int) -> None:
    engine = Local(jobs)

    def late(number: int) -> int:
        time.sleep(0.002 * (number % 3))
        return number * number

    assert list(engine.results(engine.submit(late, n) for n in range(20))) == [n * n for n in range(20)]


@pytest.mark.parametrize("jobs", [1, 2, 5])
def test_tasks_are_given_the_results_of_tasks(jobs: int) -> None:
    engine = Local(jobs)
    chain: Task[int] = engine.submit(int, 1)
    for _ in range(50):
        chain = engine.submit(lambda a, b: a + b, chain, 2)
    assert chain.result() == 101


@pytest.mark.parametrize("jobs", [1, 3])
def test_tasks_are_submitted_only_a_few_ahead(jobs: int) -> None:
    engine, submitted = Local(jobs), list[int]()

    def tasks() -> Iterator[Task[int]]:
        for number in range(30):
            submitted.append(number)
            yield engine.submit(int, number)

    for result in engine.results(tasks()):
        assert len(submitted) <= result + jobs + 1


@pytest.mark.parametrize("jobs", [1, 2])
def test_what_a_kernel_raises_is_raised(jobs: int) -> None:
    engine = Local(jobs)
    with pytest.raises(ZeroDivisionError):
        list(engine.results(engine.submit(lambda n: 1 // n, n) for n in (1, 0, 2)))


def test_as_many_tasks_run_at_once_as_there_are_jobs() -> None:
    engine, meeting = Local(3), threading.Barrier(3, timeout=600)
    list(engine.results([engine.submit(meeting.wait) for _ in range(3)]))


def test_a_budget_that_travels_ends_at_the_same_moment() -> None:
    budget = Budget(100.0, lambda _a, _b: None, Local(3))
    time.sleep(0.02)
    half = budget.fraction(0.5)
    for here in (budget, half):
        before = here.remaining()
        there = pickle.loads(pickle.dumps(here))  # noqa: S301 - our own
        left, after = there.remaining(), here.remaining()
        assert after - 0.01 <= left <= before + 0.01  # however long it took in between
        assert (there.reason, there.on_progress, there.engine.jobs) == (here.reason, None, 1)
    spent = pickle.loads(pickle.dumps(Budget(0.0)))  # noqa: S301
    assert spent.exhausted()
    free = pickle.loads(pickle.dumps(Budget()))  # noqa: S301
    assert free.remaining() is None
    assert not free.exhausted()


@pytest.mark.parametrize("listed", [False, True])
def test_tasks_are_told_to_end_where_nobody_waits_for_them_any_more(listed: bool) -> None:
    engine, began, go_on, ended = Local(2), threading.Event(), threading.Event(), threading.Event()
    found = list[bool]()

    def working() -> None:
        began.set()
        go_on.wait(120)
        found.append(Budget().exhausted())
        ended.set()

    def interrupted() -> None:
        began.wait(120)
        raise KeyboardInterrupt

    tasks = (engine.submit(kernel) for kernel in (interrupted, working))
    with pytest.raises(KeyboardInterrupt):
        list(engine.results(list(tasks) if listed else tasks))
    go_on.set()
    assert ended.wait(120)
    assert found == [True]
    assert not Budget().exhausted()
    assert list(engine.results(engine.submit(Budget().exhausted) for _ in range(5))) == [False] * 5


@pytest.mark.parametrize("late", [False, True])
def test_solvers_are_stopped_where_nobody_waits_for_them_any_more(late: bool) -> None:
    """Those that begin only then at once."""
    engine, began, go_on, ended, stopped = Local(2), *(threading.Event() for _ in range(4))

    def solving() -> None:
        if late:
            began.set()
            go_on.wait(120)
        with on_cancel(stopped.set):
            began.set()
            go_on.wait(120)
        ended.set()

    results = engine.results(engine.submit(kernel) for kernel in (began.wait, solving, int, int))
    next(results)
    results.close()
    assert stopped.is_set() != late
    go_on.set()
    assert ended.wait(120)
    assert stopped.is_set()
