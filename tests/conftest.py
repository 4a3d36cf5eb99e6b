"""Common settings of all tests: how hypothesis draws, and on what reports in tests do not depend.

AUDIT_TEST_SHARE says how much is drawn (tests/helpers/amount.py), AUDIT_TEST_SEED and AUDIT_TEST_DEEP which of the
small series of tests/universe are looked at.

Reports are in English, whatever the locale of the machine, and nothing waits for the disk. Ctrl-C is heard, also where
a shell that runs tests in the background has it ignored, which all processes begun by them would inherit.

`--hypothesis-profile unshrunk` stops at the first counterexample as drawn, which is quick when many tests fail.
"""

import gc
import os
import random
import signal
import tempfile
from collections import defaultdict

import pytest
from hypothesis import HealthCheck, Phase, settings

from tests.helpers.amount import SHARE, WHOLE, some
from tests.universe.drawing import SEED

os.environ["LC_ALL"] = "C.UTF-8"
os.fsync = lambda descriptor: None  # no test turns the machine off
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile(
    "audit",
    deadline=None,
    max_examples=some(60),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    print_blob=True,
)
settings.register_profile("unshrunk", settings.get_profile("audit"), phases=[Phase.explicit, Phase.generate])
settings.load_profile("audit")


@pytest.fixture(scope="session", autouse=True)
def nothing_is_left(tmp_path_factory):
    """Temporary files are in pytest's folder, also of killed processes; the program leaves only traces of bugs."""
    folder = tmp_path_factory.mktemp("t")  # a short name, because there is a limit for those of sockets
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TMPDIR", str(folder))
        patch.setattr(tempfile, "tempdir", str(folder))
        yield
    gc.collect()
    assert [each.name for each in folder.glob("audit-*") if not each.name.startswith("audit-trace-")] == []


def pytest_collection_modifyitems(config, items):
    """Leave out cases of tests, always the same ones, where less is drawn than by `.ci/run`.

    At least two of each test outside tests/unit and tests/docs are tried, of `many` combinations one; where files of
    tests are named, all but of the latter.
    """
    named, cases = any(".py" in each for each in config.args), defaultdict(list)
    for item in items:
        if item.get_closest_marker("many") or not (named or item.nodeid.startswith(("tests/unit/", "tests/docs/"))):
            cases[item.nodeid.partition("[")[0]].append(item)
    left_out = set()
    for test, every in cases.items():
        least = 1 if every[0].get_closest_marker("many") else min(2, len(every))
        number = max(least, round(len(every) * min(1, SHARE / WHOLE)))
        left_out |= {*every} - {*random.Random(test).sample(every, number)}  # noqa: S311
    config.hook.pytest_deselected(items=[*left_out])
    items[:] = [item for item in items if item not in left_out]


def pytest_collection_finish():
    """Look for garbage seldom, and not among what the tests imported: else each audit has all of it looked through."""
    gc.freeze()
    gc.set_threshold(20_000, 50, 100)


def pytest_terminal_summary(terminalreporter):
    """Name the seed by which small series were drawn, where one of them failed."""
    if any("tests/universe/" in report.nodeid for report in terminalreporter.stats.get("failed", ())):
        terminalreporter.write_line(f"tests/universe drew by AUDIT_TEST_SEED={SEED}")
