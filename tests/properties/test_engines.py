"""Whichever engine does the work of `equivalence`, in whatever order: what comes out is the same."""

import threading
from contextlib import ExitStack
from dataclasses import fields, is_dataclass
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attacks.equivalence import subsets, subsets_compiled
from attacks.equivalence.attack import EquivalenceAttack
from audit.adversary.build_evidence import build_evidence
from audit.io.series import open_series
from audit.runtime.budget import Budget
from audit.runtime.engine import Local
from tests.helpers.running import written
from tests.helpers.strategies import invariant_series, linked_series
from tests.helpers.travelling import Travelling
from tests.oracle.larger import drawn_at_random
from tests.oracle.test_joint import opened

EXAMPLES = sorted(path.parent for path in (Path(__file__).parent.parent / "examples").glob("*/series.toml"))
BUCKETS = next(path for path in EXAMPLES if path.name == "clinic-2-equivalence")
# Everything is given away, one by one.
SMALL = {
    (subsets, "_HELD"): 2,
    (subsets_compiled, "_PER_BUCKET"): 2,
}


def plain(found):
    """Whatever it is, as something that can be compared: arrays by their content."""
    if isinstance(found, np.ndarray):
        return (found.dtype.str, found.shape, found.tobytes())
    if is_dataclass(found):
        return {each.name: plain(getattr(found, each.name)) for each in fields(found)}
    if isinstance(found, dict):
        return {key: plain(value) for key, value in found.items()}
    if isinstance(found, list | tuple):
        return [plain(each) for each in found]
    return found


def told(outcome, evidence):
    """All that an outcome says, with some findings."""
    claims = outcome.claims
    columns, findings = {}, []
    if claims is not None:
        named = {each.name: getattr(claims, each.name) for each in fields(claims)}
        columns = {name: plain(value) for name, value in named.items() if not callable(value)}
        places = np.arange(min(5, len(claims)))
        findings = [plain(list(value(places))) for name, value in named.items() if name.endswith("certify")]
    return [outcome.status, outcome.reason, outcome.measures, columns, findings]


def engines():
    return [Local(1), Local(2), Local(4), Travelling(), Travelling(3)]


def assert_same(attack, evidence, some=None):
    """The attack says the same with all engines; returns the kernels that travelled."""
    found = []
    travelled = set()
    for engine in engines() if some is None else some:
        found.append(told(attack.run(evidence, Budget(engine=engine)), evidence))
        travelled |= getattr(engine, "kernels", set())
    assert all(repr(each) == repr(found[0]) for each in found[1:])
    return travelled


def patched(patch, constants):
    for (module, name), value in constants.items():
        patch.setattr(module, name, value)


@pytest.mark.parametrize("small", [False, True])
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_examples(path, small, monkeypatch):
    if small:
        patched(monkeypatch, SMALL)
    for evidence in build_evidence(open_series(path)):
        assert_same(EquivalenceAttack(), evidence)


@pytest.mark.parametrize("compiled", [False, True])
@settings(max_examples=15)
@given(series=st.one_of(linked_series(), invariant_series().map(lambda drawn: drawn[0])))
def test_equivalence_on_random_series(compiled, series):
    with ExitStack() as stack:
        folder, patch = stack.enter_context(written(series)), stack.enter_context(pytest.MonkeyPatch.context())
        patched(patch, SMALL | {(subsets, "_PLAIN_SETS"): -1 if compiled else 10**9})
        assert_same(EquivalenceAttack(), opened(folder, "linked")[1])


def test_every_kernel_travels():
    """What the laws above say is said of all kernels; and what is sent is small."""
    crowd = drawn_at_random(3, people=60, releases=4, values=8, size=6, distinct=False, table="constant")
    engine = Travelling()
    with written(crowd) as folder, pytest.MonkeyPatch.context() as patch:
        patched(patch, SMALL | {(subsets, "_PLAIN_SETS"): -1})
        for evidence in (opened(folder, "linked")[1], *build_evidence(open_series(BUCKETS))):
            EquivalenceAttack(max_e=3).run(evidence, Budget(engine=engine))
    assert engine.kernels == {"least_so_far", "matched_within", "same"}
    assert max(engine.sizes) < 100_000


def test_one_job_makes_no_threads(monkeypatch):
    """An attack makes none; one table is read in a thread while another one is numbered, before attacks begin."""
    patched(monkeypatch, SMALL)
    every = [evidence for path in EXAMPLES for evidence in build_evidence(open_series(path))]
    for evidence in every:
        evidence.source.releases.read(Budget())
    monkeypatch.setattr(threading.Thread, "start", lambda _: pytest.fail("a thread was started"))
    for evidence in every:
        EquivalenceAttack().run(evidence, Budget(60.0, engine=Local(1)))
