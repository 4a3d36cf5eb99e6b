"""Clauses and exit codes of single linked series: what all worlds say is what the policy gets."""

from dataclasses import replace
from functools import cache

import pytest

from tests.helpers.amount import some
from tests.universe.drawing import DEEP, share
from tests.universe.linked import ABSENT
from tests.universe.program import answer
from tests.universe.record import Record, line_of, lines, records
from tests.universe.test_linked import Drawn

LIMIT = 0.7
PARTS = range(90 if DEEP else 3)


@cache
def everything():
    return [record for record in records() if record.people]


@cache
def a_fifth():
    """A fifth of all series with people, drawn; with `AUDIT_TEST_DEEP` all."""
    return [record for record in records(share(lines(), 18_000)) if record.people]


def nobody_certain(record):
    return all(len(record.possible(i)) > 1 for i in range(record.people))


def weighed_by_shares(record):
    """Whether the largest product of shares and the largest posterior are on the same side of the limit."""
    drawn = Drawn(record, record.world)
    products = [each[value] / sum(each) for each, value in zip(drawn.products, record.world, strict=True)]
    return (max(products) >= LIMIT) == (max(risks(record)) >= LIMIT)


def risks(record):
    return [record.posterior(i, value) for i, value in enumerate(record.world)]


@cache
def chosen():
    """A share of all series, with as many in which nobody is certain: few of all, and the only ones that may pass."""
    if DEEP:
        return a_fifth()
    return share([each for each in a_fifth() if nobody_certain(each)], some(200)) + share(a_fifth(), some(120))


def audited(record: Record, **policy):
    """What the program says of a series; releases without rows are left out, as the program asks for."""
    series = Drawn(record, record.world).series
    return answer(replace(series, releases=[rows for rows in series.releases if rows]), policy=policy or None)


def expected(record, *, max_risk=1, min_e=2, k=2):
    """Whether each clause is violated, by worlds; of `min_e` above 2 it is enough to know what groups show."""
    sizes = [sum(label == own for label in release) for release in record.releases for own in set(release) - {ABSENT}]
    return {
        "max_risk": {max(risks(record)) >= max_risk},
        "min_e": {(record.min_e_in_all or min_e) < min_e, *([(record.min_e or min_e) < min_e] if min_e > 2 else [])},
        "k": {min(sizes) < k},
    }


def assert_judged(record, **policy):
    found = audited(record, **policy)
    states = {name: found.clause(name) for name in ("max_risk", "min_e", "k")}
    for name, violated in expected(record, **policy).items():
        assert states[name] in {"violated" if each else "holds" for each in violated}, (name, line_of(record))
    assert found.exit_code == ("violated" in states.values()), line_of(record)
    bounds = found.attack("equivalence")["measures"]["min_e"]
    if record.min_e is None or record.min_e <= 4:
        assert bounds == {"lower": record.min_e, "upper": record.min_e}, line_of(record)
    else:
        assert bounds["lower"] == 5, line_of(record)


@pytest.mark.parametrize("number", PARTS)
def test_the_usual_policy(number):
    for record in chosen()[number :: len(PARTS)]:
        assert_judged(record)


@pytest.mark.parametrize("number", PARTS)
def test_a_stricter_policy(number):
    for record in chosen()[number :: 2 * len(PARTS)]:
        if weighed_by_shares(record):
            assert_judged(record, max_risk=LIMIT, min_e=3, k=3)


def test_two_people_who_are_equal_in_all_worlds_violate_min_e():
    for record in share([each for each in a_fifth() if each.min_e_in_all == 1 != each.min_e], some(100)):
        assert_judged(record)


def test_posteriors_decide_max_risk():
    for record in share([each for each in a_fifth() if not weighed_by_shares(each)], some(100)):
        violated = max(risks(record)) >= LIMIT
        assert audited(record, max_risk=LIMIT).clause("max_risk") == ("violated" if violated else "holds")
