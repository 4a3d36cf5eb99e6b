"""Killed at any instant, a series is what it was or has the whole new release, and publishing goes on afterwards.

The publisher runs in a forked process that kills itself: at each of its calls to the file system in turn, and at
random moments between them.
"""

import os
import shutil
import signal
import sys
import time
import traceback
from pathlib import Path

import numpy as np
import pytest

from audit.io.microdata import open_microdata
from audit.io.release_reading import read_release
from audit.io.series import open_series
from audit.principles.registry import find
from audit.publishing.publish import PublishOptions, publish
from tests.helpers.amount import SHARE, slow, some
from tests.helpers.microdata import Pairs, write_microdata

pytestmark = slow

TOUCHING = ("open", "os.", "shutil.", "fcntl.")
RANDOM_KILLS = some(30)
PEOPLE = [(f"P{n}", 20 + n % 50, ("Ely", "Rye", "York")[n % 3], ("flu", "cold", "gout")[n % 7 % 3]) for n in range(60)]
SNAPSHOTS = {str(n + 1): PEOPLE[3 * n : 3 * n + 40] for n in range(2)}
TRANSITIONS = "from,to,probability\nflu,flu,1/3\nflu,cold,2/3\ncold,cold,\ngout,gout,\n"


def write(folder: Path, snapshots: dict[str, list[tuple[str, int, str, str]]]) -> Path:
    """Microdata with transitions, which stand in the series beside the first release."""
    write_microdata(folder, snapshots, more='\n[updates]\ntransitions = "updates.csv"\n')
    (folder / "updates.csv").write_text(TRANSITIONS, encoding="utf-8")
    return folder


def run(micro: Path, out: Path) -> None:
    publish(open_microdata(micro), out, Pairs(fake=True), find("l-diversity", {"l": 1}), PublishOptions(seed=3))


def forked(work) -> int | None:
    """Run something in another process: the signal that ended it, or None."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            work()
            code = 0
        except BaseException:  # noqa: BLE001 - the parent only sees the exit code
            traceback.print_exc()
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return os.WTERMSIG(status)
    assert os.WEXITSTATUS(status) == 0
    return None


def published(series: Path) -> dict[str, bytes]:
    """What a reader of the series sees: the files that the manifest names, and the keys of its releases."""
    if not (series / "series.toml").exists():
        return {}
    opened = open_series(series)
    for position in range(len(opened.tags)):
        assert read_release(opened, position, ("Age", "Town")).person is not None
    keys = [opened.manifest.key_path(release) for release in opened.manifest.releases]
    return {path.relative_to(series).as_posix(): path.read_bytes() for path in (*opened.manifest.files(), *keys)}


@pytest.fixture(scope="module")
def micro(tmp_path_factory):
    return write(tmp_path_factory.mktemp("micro") / "m", SNAPSHOTS)


@pytest.fixture(scope="module")
def stages(micro, tmp_path_factory):
    """What there is to see after each number of releases."""
    folder = tmp_path_factory.mktemp("stages")
    seen = [{}]
    for count in range(1, len(SNAPSHOTS) + 1):
        some = write(folder / f"m{count}", dict(list(SNAPSHOTS.items())[:count]))
        run(some, folder / "out")
        seen.append(published(folder / "out"))
    assert "transitions.csv" in seen[1]
    return seen


def assert_whole_and_going_on(micro, out, stages):
    if out.exists():
        assert published(out) in stages
    run(micro, out)
    assert published(out) == stages[-1]
    assert not (out / "private/.staging").exists()


def test_killed_at_each_call_to_the_file_system(micro, stages, tmp_path):
    """How publishing goes on depends only on what is left, and many calls leave the same."""
    calls, tried = 0, []
    while True:
        out = tmp_path / "out"

        def work(last=calls, out=out):
            left = [last]

            def hook(event, _):
                if event.startswith(TOUCHING):
                    left[0] -= 1
                    if left[0] == -1:  # the kill is such a call itself
                        os.kill(os.getpid(), signal.SIGKILL)

            sys.addaudithook(hook)
            run(micro, out)

        ended = forked(work)
        left = {path: path.is_file() and path.read_bytes() for path in out.rglob("*")}
        if left not in tried:
            tried.append(left)
            assert_whole_and_going_on(micro, out, stages)
        shutil.rmtree(out, ignore_errors=True)  # the first calls leave no folder
        if ended is None:
            break
        calls += max(1, round(1 / SHARE))
    assert calls > 100


def test_killed_at_random_moments(micro, stages, tmp_path):
    start = time.perf_counter()
    forked(lambda: run(micro, tmp_path / "timed"))
    usual = time.perf_counter() - start
    draw, killed, out = np.random.default_rng(5), 0, tmp_path / "out"
    while killed < RANDOM_KILLS:
        delay = draw.uniform(0, 1.2 * usual)
        child = os.fork()
        if child == 0:
            try:
                run(micro, out)
            finally:
                os._exit(0)
        time.sleep(delay)
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        in_time = os.WIFSIGNALED(status)
        killed += in_time
        usual *= 1 if in_time else 0.9  # the machine has become faster than when it was timed
        if out.exists() and (draw.random() < 0.5 or not in_time):  # else the next one goes on from what this one left
            assert_whole_and_going_on(micro, out, stages)
            shutil.rmtree(out)
        elif out.exists():
            assert published(out) in stages
