"""The ladder: how many people fall at each rung and at none below it, in reports, in JSON and in words."""

from dataclasses import dataclass

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from audit.findings.disclosure import Disclosures
from audit.findings.equivalence import Equivalences, Pinned
from audit.judgement.ladder import ladder
from audit.model.outcome import Outcome
from audit.model.scored import Result


@dataclass(frozen=True)
class Named:
    name: str


def nothing(places):
    return []


def disclosures(people):
    person = np.array(people, dtype=np.int32)
    return Disclosures(person, person * 0, person * 0, nothing)


def equivalences(pinned, *, told=True):
    """Claims with an equivalence of two people each, and pinned values; `told` whether a column says whose."""
    person = np.array([-1, *pinned, -1], dtype=np.int32)
    e = np.where(person < 0, 1, 0).astype(np.int32)

    def sides(places):
        return [Pinned(int(person[place]), 0, 0, 1.0) for place in places]

    return Equivalences(e, e, e, 1, False, {}, sides, nothing, person if told else None)


def judged(name, claims, sensitive=None, **options):
    return Result(Named(name), sensitive, None, Outcome(name, "complete", claims=claims), seconds=0.25, **options)


def counts(entries):
    return [(rung.attack, rung.people, rung.beyond, rung.so_far) for rung in ladder(entries)]


# -- counting ---------------------------------------------------------------------------------------------


def test_who_falls_again_is_not_counted_again():
    entries = [
        judged("intersection", disclosures([3, 1])),
        judged("update-graph", disclosures([1, 1, 3, 3, 3])),
        judged("equivalence", equivalences([7, 3])),
        judged("joint", disclosures([9, 1, 1, 3, 7, 0])),
    ]
    assert counts(entries) == [
        ("intersection", 2, 2, 2),
        ("update-graph", 2, 0, 2),
        ("equivalence", 2, 1, 3),
        ("joint", 5, 2, 5),
    ]
    assert {rung.seconds for rung in ladder(entries)} == {0.25}


@given(st.lists(st.tuples(st.booleans(), st.lists(st.integers(0, 8))), max_size=5))
def test_counts_are_those_of_sets(rungs):
    entries = [
        judged(str(place), equivalences(people) if pins else disclosures(people))
        for place, (pins, people) in enumerate(rungs)
    ]
    wanted, so_far = [], set()
    for place, (_, people) in enumerate(rungs):
        beyond = set(people) - so_far
        so_far |= beyond
        wanted.append((str(place), len(set(people)), len(beyond), len(so_far)))
    assert counts(entries) == wanted


def test_each_sensitive_attribute_has_its_ladder():
    entries = [
        judged("intersection", disclosures([1]), "Disease"),
        judged("joint", disclosures([1, 2]), "Disease"),
        judged("intersection", disclosures([2]), "Income"),
        judged("joint", disclosures([1, 2, 3]), "Income"),
    ]
    assert [(rung.sensitive, rung.beyond, rung.so_far) for rung in ladder(entries)] == [
        ("Disease", 1, 1),
        ("Disease", 1, 2),
        ("Income", 1, 1),
        ("Income", 2, 3),
    ]
