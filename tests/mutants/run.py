"""Make each mutant in a copy of this tree and run the tests that must notice it: `python -m tests.mutants.run [WORD]`.

As many at once as there are processors. With words, only mutants whose qualified names have one of them. The exit code
is 0 where every mutant was killed.
"""

import multiprocessing
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from importlib.util import cache_from_source
from pathlib import Path

from tests.mutants.mutant import ROOT, Mutant, PlaceGoneError
from tests.mutants.mutants import MUTANTS

SECONDS = 1800
"""How long tests may take, so that a mutant that never ends is seen: none takes ten seconds on an idle machine."""
PASSED, FAILED = 0, 1
"""How pytest ends where all tests pass, and where one fails; all else is no answer."""
LEFT_OUT = shutil.ignore_patterns(".git", ".venv", "build", "demo-series", "data", ".hypothesis", ".*_cache")
PROCESSES = multiprocessing.get_context("forkserver")
"""Processes that have the libraries of tests already, but nothing of this project: most mutants take a second."""
PROCESSES.set_forkserver_preload(["pytest", "hypothesis", "xdist.plugin", "numpy", "pyarrow.compute", "scipy.sparse"])


def tested(tree: Path, tests: Iterable[str], jobs: int) -> tuple[int | None, str]:
    """Run tests in a tree until one fails: how pytest ended (None: not in time), and what it printed."""
    # One counterexample suffices, however long; where CI is set, pytest would compare what differs for minutes.
    words = ["--assert=plain", "--hypothesis-profile=unshrunk", "--hypothesis-seed=0"]
    # Of two runs that share pytest's folder of temporary folders, one may delete what the other is counting.
    words += ["-x", "-n", str(jobs), "-p", "no:cacheprovider", f"--basetemp={tree.parent / 'temporary'}"]
    words += dict.fromkeys(tests)
    with tempfile.NamedTemporaryFile("r", encoding="utf-8", prefix="mutant-") as printed:
        process = PROCESSES.Process(target=_test, args=(tree, words, printed.name))
        process.start()
        process.join(SECONDS)
        if process.exitcode is None:
            process.kill()
            return None, f"no answer within {SECONDS} seconds"
        return process.exitcode, printed.read()


def _test(tree: Path, words: list[str], printed: str) -> None:
    """Run pytest on a tree in this process, and end with its exit code."""
    import pytest

    with Path(printed).open("w", encoding="utf-8") as stream:
        os.dup2(stream.fileno(), 1)
        os.dup2(1, 2)
    # Processes that tests start have the tree too; the modules of this script are those of another one.
    os.environ |= {
        "PYTHONDONTWRITEBYTECODE": "",
        "AUDIT_TEST_SHARE": "1",
        "PYTEST_ADDOPTS": "",
        "PYTHONPATH": str(tree),
    }
    os.chdir(tree)
    sys.path.insert(0, str(tree))
    for name in [each for each in sys.modules if each.partition(".")[0] == "tests"]:
        del sys.modules[name]
    sys.exit(pytest.main(words))


def survived(tree: Path, mutant: Mutant) -> str | None:
    """Return why a mutant is not killed in a copy of the tree; None where it is."""
    try:
        source = mutant.source(tree)
    except PlaceGoneError as error:
        return str(error)
    path = mutant.path(tree)
    before, stamp = path.read_bytes(), path.stat()
    path.write_text(source, encoding="utf-8")
    # Python takes a compiled file for that of its source where size and second are the same: of the mutant before.
    Path(cache_from_source(str(path))).unlink(missing_ok=True)
    try:
        code, printed = tested(tree, [mutant.test], 0)
    finally:
        path.write_bytes(before)
        os.utime(path, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    if code == FAILED and "\nFAILED " in printed:  # not where a module cannot be imported
        return None
    return "it survives its tests" if code == PASSED else f"its tests give no answer ({code}):\n{printed}"


def tried(mutant: Mutant) -> str | None:
    """Try a mutant in the tree of this process; print and return how it ended, None where it is killed."""
    began = time.monotonic()
    reason = survived(Path.cwd(), mutant)
    print(f"{time.monotonic() - began:6.1f} s  {mutant}: {reason or 'killed'}", flush=True)
    return None if reason is None else f"{mutant}: {reason}"


def copied(folder: str) -> None:
    """Copy the tree into a folder, for this process to work in."""
    tree = Path(tempfile.mkdtemp(dir=folder)) / "tree"
    shutil.copytree(ROOT, tree, ignore=LEFT_OUT, symlinks=True)
    os.chdir(tree)


def main(words: list[str]) -> int:
    """Try the mutants that words name, all where there are none; print how each ended, those that live once more."""
    chosen = [each for each in MUTANTS if not words or any(word in each.name for word in words)]
    if not chosen:  # without tests, pytest would run all there are
        print("no mutant's name has any of these words")
        return 1
    jobs = len(os.sched_getaffinity(0))
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        copied(folder)
        code, printed = tested(Path.cwd(), (each.test for each in chosen), jobs)
        if code != PASSED:
            print(f"the tests fail without any mutant ({code}):\n{printed}")
            return 1
        # Processes, not threads: of two threads that ask how processes ended, one may be answered and the other not.
        with ProcessPoolExecutor(jobs, PROCESSES, copied, (folder,)) as pool:
            alive = [each for each in pool.map(tried, chosen) if each is not None]
        os.chdir(ROOT)
    print(*alive, f"{len(chosen) - len(alive)} of {len(chosen)} mutants are killed", sep="\n")
    return 1 if alive else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
