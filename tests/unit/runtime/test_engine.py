"""The engine, its kernels, and folders that hide its packages."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from audit.adversary.view import build_evidence, handed
from audit.io.series import open_series
from audit.model.adversary import AdversaryKind
from audit.runtime import kernels
from audit.runtime.budget import Budget
from audit.runtime.engine import Local, Task, on_cancel
from tests.helpers.amount import slow
from tests.mutants.mutant import kills

EXAMPLES = Path(__file__).parent.parent.parent / "examples"


@pytest.mark.parametrize("jobs", [1, 2, 5])
def test_results_come_in_the_order_of_tasks(jobs: int) -> None:
    engine = Local(jobs)

    def late(number: int) -> int:
        time.sleep(0.002 * (number % 3))
        return number * number

    assert list(engine.results(engine.submit(late, n) for n in range(20))) == [n * n for n in range(20)]


@kills("audit.runtime.engine._done", "_Begun | _Later", "_Begun")
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


def test_a_budget_that_travels_ends_at_the_same_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    """It arrives three seconds later, where another clock counts from another moment."""
    clock, day = [5.0], [1000.0]
    monkeypatch.setattr("time.monotonic", lambda: clock[0])
    monkeypatch.setattr("time.time", lambda: day[0])
    budget = Budget(100.0, lambda _a, _b: None, Local(3))
    clock[0] += 20
    for here in (budget, budget.fraction(0.5)):
        left, sent = here.remaining(), pickle.dumps(here)
        assert left is not None
        clock[0], day[0] = clock[0] - 9, day[0] + 3
        there = pickle.loads(sent)  # noqa: S301 - our own
        assert there.remaining() == pytest.approx(left - 3)
        assert (there.reason, there.on_progress, there.engine.jobs) == (here.reason, None, 1)
    spent = pickle.loads(pickle.dumps(Budget(0.0)))  # noqa: S301
    assert spent.exhausted()
    free = pickle.loads(pickle.dumps(Budget()))  # noqa: S301
    assert free.remaining() is None
    assert not free.exhausted()


@pytest.mark.parametrize(
    ("name", "adversary"),
    [("hospital-l-diverse", "linked"), ("hospital-l-diverse-outsider", "register"), ("cases-independent", "pseudonym")],
)
def test_what_attacks_receive_can_travel(name: str, adversary: AdversaryKind) -> None:
    """Attacks of other packages may hand it to tasks, and these go to other processes."""
    for view in build_evidence(open_series(EXAMPLES / name), adversary):
        assert pickle.loads(pickle.dumps(handed(view))).tags == view.tags  # noqa: S301 - our own


@kills("audit.runtime.engine._Begun.cancel", "self._cancellation.cancelled = True", "pass")
@pytest.mark.parametrize("listed", [False, True])
def test_tasks_are_told_to_end_where_nobody_waits_for_them_any_more(listed: bool) -> None:
    engine, began, go_on, ended = Local(2), threading.Event(), threading.Event(), threading.Event()
    found = list[bool]()

    def working() -> None:
        began.set()
        go_on.wait(600)
        found.append(Budget().exhausted())
        ended.set()

    def interrupted() -> None:
        began.wait(600)
        raise KeyboardInterrupt

    tasks = (engine.submit(kernel) for kernel in (interrupted, working))
    with pytest.raises(KeyboardInterrupt):
        list(engine.results(list(tasks) if listed else tasks))
    go_on.set()
    assert ended.wait(600)
    assert found == [True]
    assert not Budget().exhausted()
    assert list(engine.results(engine.submit(Budget().exhausted) for _ in range(5))) == [False] * 5


@kills("audit.runtime.engine.on_cancel", "if cancellation.cancelled:", "if False:")
@pytest.mark.parametrize("late", [False, True])
def test_solvers_are_stopped_where_nobody_waits_for_them_any_more(late: bool) -> None:
    """Those that begin only then at once."""
    engine, began, go_on, ended, stopped = Local(2), *(threading.Event() for _ in range(4))

    def solving() -> None:
        if late:
            began.set()
            go_on.wait(600)
        with on_cancel(stopped.set):
            began.set()
            go_on.wait(600)
        ended.set()

    results = engine.results(engine.submit(kernel) for kernel in (began.wait, solving, int, int))
    next(results)
    results.close()
    assert stopped.is_set() != late
    go_on.set()
    assert ended.wait(600)
    assert stopped.is_set()


PROGRAM = """
from audit.runtime import kernels
compiled = []
kernels.on_compiling = lambda: compiled.append(1)
from audit.model.tiny import one_more
one_more(1)
one_more(1.0)
print(len(compiled))
"""
TINY = """
from audit.runtime.compiling import kernel


@kernel
def one_more(number):
    return number + 1
"""


def run(environment: dict[str, str], folder: Path) -> str:
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("NUMBA", "XDG", "HOME", "PYTHON"))}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env=clean | environment | {"PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"},
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def installed(tmp_path: Path) -> Path:
    """Return a folder with what a kernel needs, of which nothing was compiled, and nobody can write to."""
    root = Path(kernels.__file__).parents[2]
    folder = tmp_path / "installed"
    texts = {
        f"audit/runtime/{name}.py": (root / f"audit/runtime/{name}.py").read_text() for name in ("kernels", "compiling")
    }
    packages = ("audit", "audit/runtime", "audit/model")
    texts |= {f"{package}/__init__.py": "" for package in packages} | {"audit/model/tiny.py": TINY}
    for name, text in texts.items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        # Root may write anywhere: a file where the folder for compiled code would be stands in its way.
        target.write_text(text)
        (target.parent / "__pycache__").touch()
    return folder


@slow
def test_it_is_said_once_that_kernels_are_compiled_and_only_the_first_process_does_so(tmp_path) -> None:
    folder, environment = installed(tmp_path), {"NUMBA_CACHE_DIR": str(tmp_path / "cache"), "HOME": str(tmp_path)}
    assert run(environment, folder) == "1"
    assert run(environment, folder) == "0"


@slow
def test_where_nothing_can_be_kept_beside_the_source_it_is_kept_in_the_cache_of_the_user(tmp_path) -> None:
    folder, home = installed(tmp_path), tmp_path / "home"
    home.mkdir()
    assert run({"HOME": str(home)}, folder) == "1"
    assert list((home / ".cache" / "numba").rglob("*.nbi"))
    assert run({"HOME": str(home)}, folder) == "0"


ROOT = Path(__file__).parents[3]
COMMAND = "import sys; from audit.cli.entry import main; sys.argv = ['audit', '--version']; sys.exit(main())"
NOTEBOOK = "from audit.api import load"


def run_in(program, folder, path=()):
    """Run a program in a folder, which Python searches first, as a notebook does."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([*map(str, path), str(ROOT)])}
    return subprocess.run([sys.executable, "-c", program], cwd=folder, env=environment, capture_output=True, text=True)


def hide(folder, name, kind):
    if kind == "file":
        (folder / f"{name}.py").write_text("")
    else:
        (folder / name).mkdir()
        (folder / name / "__init__.py").write_text("")


@pytest.mark.parametrize("kind", ["file", "folder"])
@pytest.mark.parametrize("name", ["attacks", "anonymizers", "reports"])
@pytest.mark.parametrize("on_path", [False, True], ids=["in the folder", "on PYTHONPATH"])
def test_what_hides_a_package_is_one_line(tmp_path, name, kind, on_path):
    other = tmp_path / "other"
    other.mkdir()
    hide(other, name, kind)
    where = (tmp_path, (other,)) if on_path else (other, ())
    done = run_in(COMMAND, *where)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert f"hides the package `{name}` of series-audit; rename it" in done.stderr
    assert str(other / name) in done.stderr
    done = run_in(NOTEBOOK, *where)
    assert done.stderr.splitlines()[-1].startswith(f"ImportError: {other / name}")


def test_folders_without_modules_hide_nothing(tmp_path):
    for name in ("attacks", "anonymizers", "reports"):
        (tmp_path / name).mkdir()
    assert run_in(COMMAND, tmp_path).returncode == 0
    assert run_in(NOTEBOOK, tmp_path).returncode == 0
