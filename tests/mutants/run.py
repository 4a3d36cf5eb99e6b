"""Make each mutant in a copy of this tree and run the test that must notice it: `python -m tests.mutants.run [WORD]`.

As many at once as there are processors. With words, only mutants whose qualified names have one of them. The exit code
is 0 where every mutant was killed. With `--tested` first, the tests are known to pass without any mutant.

Most mutants change the code of one function. A process that has imported the program and the tests gives the function
its other code, and runs the test. Where it passes, or all else is changed, another process imports everything anew.
"""

import gc
import multiprocessing
import os
import shutil
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from contextlib import redirect_stdout
from importlib.util import cache_from_source
from inspect import CO_OPTIMIZED
from multiprocessing.context import BaseContext
from pathlib import Path
from types import CodeType, FunctionType

from tests.mutants.mutant import ROOT, Mutant, PlaceGoneError
from tests.mutants.mutants import MUTANTS

SECONDS = 1800
"""How long tests may take, so that a mutant that never ends is seen: none takes ten seconds on an idle machine."""
PASSED, FAILED = 0, 1
"""How pytest ends where all tests pass, and where one fails; all else is no answer."""
LEFT_OUT = shutil.ignore_patterns(".git", ".venv", "build", "demo-series", "data", ".hypothesis", ".*_cache")
FRESH = multiprocessing.get_context("forkserver")
"""Processes that have the libraries of tests already, but nothing of this project."""
FRESH.set_forkserver_preload(["pytest", "hypothesis", "xdist.plugin", "numpy", "pyarrow.compute", "scipy.sparse"])
WORDS = ("--assert=plain", "--tb=native", "--hypothesis-profile=unshrunk", "--hypothesis-seed=0", "-pno:cacheprovider")
"""One counterexample suffices, however long; where CI is set, pytest would compare what differs for minutes.

Python's own traceback does not look for the file of each module that there is.
"""
FORKED = multiprocessing.get_context("fork")
"""Processes that have all modules of the one that starts them."""
FUNCTIONS: dict[tuple[str, str, tuple[str, ...]], list[FunctionType]] = defaultdict(list)
"""The functions of these modules by where their code stands: looked for once, not in each process."""


def tested(tests: Iterable[str], jobs: int, code: CodeType | None) -> tuple[int | None, str]:
    """Run tests in the tree of this process until one fails: how pytest ended (None: not in time), and what it printed.

    A process that has all modules of this one runs them where a function shall have other code.
    """
    tree = Path.cwd()
    # Of two runs that share pytest's folder of temporary folders, one may delete what the other is counting.
    words = [*WORDS, "-x", "-n", str(jobs), f"--basetemp={tree.parent / 'temporary'}", *dict.fromkeys(tests)]
    with tempfile.NamedTemporaryFile("r", encoding="utf-8", prefix="mutant-") as printed:
        processes: BaseContext = FRESH if code is None else FORKED
        process = processes.Process(target=_test, args=(tree, words, printed.name, code))
        process.start()
        process.join(SECONDS)
        if process.exitcode is None:
            process.kill()
            return None, f"no answer within {SECONDS} seconds"
        return process.exitcode, printed.read()


def _test(tree: Path, words: list[str], printed: str, code: CodeType | None) -> None:
    """Run pytest on a tree in this process, and end with its exit code."""
    import pytest

    with Path(printed).open("w", encoding="utf-8") as stream:
        os.dup2(stream.fileno(), 1)
        os.dup2(1, 2)
    if code is None:
        _enter(tree)
    else:
        for function in FUNCTIONS[_place(code)]:
            function.__code__ = code
    sys.exit(pytest.main(words))


def _place(code: CodeType) -> tuple[str, str, tuple[str, ...]]:
    """Return what a function has in common with itself in another version of its file."""
    return code.co_filename, code.co_qualname, code.co_freevars


def _enter(tree: Path) -> None:
    """Have this process, and those that tests start, import what is in a tree."""
    os.environ |= {
        "PYTHONDONTWRITEBYTECODE": "",
        "AUDIT_TEST_SHARE": os.environ.get("AUDIT_TEST_SHARE", "1"),
        "PYTEST_ADDOPTS": "",
        "PYTHONPATH": str(tree),
    }
    os.chdir(tree)
    sys.path.insert(0, str(tree))
    # The modules of this script are those of another tree.
    for name in [each for each in sys.modules if each.partition(".")[0] == "tests"]:
        del sys.modules[name]


def _own_code(mutant: Mutant, source: str, path: Path) -> CodeType | None:
    """Return the code that a mutant gives the outermost function around it; None where it changes something else."""
    names = mutant.names(Path.cwd())
    around = {".".join(names[:many]) for many in range(1, len(names) + 1)}
    codes = [compile(source, str(path), "exec")]
    for each in codes:
        codes += [inner for inner in each.co_consts if isinstance(inner, CodeType)]
    return next((each for each in codes if each.co_qualname in around and each.co_flags & CO_OPTIMIZED), None)


def survived(mutant: Mutant) -> str | None:
    """Return why a mutant is not killed in the tree of this process; None where it is."""
    try:
        source = mutant.source(Path.cwd())
    except PlaceGoneError as error:
        return str(error)
    path = mutant.path(Path.cwd())
    before, stamp = path.read_bytes(), path.stat()
    path.write_text(source, encoding="utf-8")
    # Python takes a compiled file for that of its source where size and second are the same: of the mutant before.
    Path(cache_from_source(str(path))).unlink(missing_ok=True)
    code = _own_code(mutant, source, path)
    try:
        ended, printed = (None, "") if code is None else tested([mutant.test], 0, code)
        if ended in (None, PASSED):
            ended, printed = tested([mutant.test], 0, None)
    finally:
        path.write_bytes(before)
        os.utime(path, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    if ended == FAILED and "\nFAILED " in printed:  # not where a module cannot be imported
        return None
    return "it survives its test" if ended == PASSED else f"its test gives no answer ({ended}):\n{printed}"


def tried(mutant: Mutant) -> str | None:
    """Try a mutant in the tree of this process; print and return how it ended, None where it is killed."""
    began = time.monotonic()
    reason = survived(mutant)
    print(f"{time.monotonic() - began:6.1f} s  {mutant}: {reason or 'killed'}", flush=True)
    return None if reason is None else f"{mutant}: {reason}"


def copied(folder: str) -> Path:
    """Copy this tree into a folder."""
    tree = Path(tempfile.mkdtemp(dir=folder)) / "tree"
    shutil.copytree(ROOT, tree, ignore=LEFT_OUT, symlinks=True)
    return tree


def begin(folder: str, files: list[str]) -> None:
    """Have this process work in a tree of its own, with files of tests and all of pytest imported."""
    import pytest

    _enter(copied(folder))
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere, redirect_stdout(nowhere):
        pytest.main([*WORDS, "--collect-only", *files])
    gc.unfreeze()  # what tests/conftest.py has frozen, gc does not list
    for each in gc.get_objects():
        if type(each) is FunctionType:
            FUNCTIONS[_place(each.__code__)].append(each)
    gc.freeze()


def main(words: list[str]) -> int:
    """Try the mutants that words name, all where there are none; print how each ended, those that live once more."""
    known, words = words[:1] == ["--tested"], words[words[:1] == ["--tested"] :]
    chosen = [each for each in MUTANTS if not words or any(word in each.name for word in words)]
    if not chosen:  # without tests, pytest would run all there are
        print("no mutant's name has any of these words")
        return 1
    jobs = len(os.sched_getaffinity(0))
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        if not known:
            os.chdir(copied(folder))
            code, printed = tested((each.test for each in chosen), jobs, None)
            os.chdir(ROOT)
            if code != PASSED:
                print(f"the tests fail without any mutant ({code}):\n{printed}")
                return 1
        # Processes, not threads: of two threads that ask how processes ended, one may be answered and the other not.
        files = [*{each.test.partition("::")[0]: None for each in chosen}]
        with ProcessPoolExecutor(jobs, FRESH, begin, (folder, files)) as pool:
            alive = [each for each in pool.map(tried, chosen) if each is not None]
    print(*alive, f"{len(chosen) - len(alive)} of {len(chosen)} mutants are killed", sep="\n")
    return 1 if alive else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
