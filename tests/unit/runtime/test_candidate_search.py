"""The search for repairs: it keeps the best so far, and says once how long it may take."""

import pytest

from audit.runtime.budget import Budget
from audit.runtime.candidate_search import ON_ESTIMATE, CandidateSearch, SearchOutOfTimeError
from audit.runtime.phrases import ReasonKind


def searching(seconds, *, again=False):
    """A search among numbers, of which odd ones are no repair."""
    return CandidateSearch(Budget(seconds), lambda plan, _: None if plan % 2 else (plan,), 3, audited_again=again)


@pytest.mark.parametrize("how", [KeyboardInterrupt, SearchOutOfTimeError])
def test_the_best_so_far_is_kept_whatever_ends_the_search(how):
    search = searching(60)
    with search.until_stopped():
        for plan in (7, 4, 3, 2, 6):
            search.audit(plan, str)
        raise how
    assert search.best == (2, "2")
    assert (search.stopped.kind is ReasonKind.INTERRUPTED) == (how is KeyboardInterrupt)


def test_an_interrupt_before_the_first_audit_ends_the_command():
    with pytest.raises(KeyboardInterrupt), searching(60).until_stopped():
        raise KeyboardInterrupt


@pytest.mark.parametrize(("again", "plan", "late"), [(True, 2, True), (True, 3, False), (False, 2, False)])
def test_time_is_kept_to_audit_the_best_again(again, plan, late, monkeypatch):
    """An audit takes 40 of 60 seconds; without a repair there is nothing to audit again."""
    now = [0.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    search = CandidateSearch(Budget(60), searching(None)._cost, 3, audited_again=again)

    def audited(_plan):
        now[0] += 40

    search.audit(plan, audited)
    with search.until_stopped():
        search.check_time()
    assert (search.stopped is not None) == late
    now[0] = 60
    with pytest.raises(SearchOutOfTimeError):
        search.check_time()


def test_the_estimate_is_told_once():
    search, lines = searching(60), []
    before = ON_ESTIMATE.set(lines.append)
    for plan in (1, 3, 5):
        search.audit(plan, str)
    ON_ESTIMATE.reset(before)
    [told] = lines
    assert told.startswith("One audit takes about 0.001 s; within the time limit, up to ")
