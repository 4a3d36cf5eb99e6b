"""The ladder: how many people fall at each rung and at none below it, for each sensitive attribute."""

from types import SimpleNamespace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from audit.findings.disclosure import Disclosures
from audit.findings.equivalence import Equivalences, Pinned
from audit.judgement.ladder import ladder
from audit.model.outcome import Outcome
from audit.model.scored import Result


def nothing(places):
    return []


def disclosures(people):
    person = np.array(people, dtype=np.int32)
    return Disclosures(person, person * 0, person * 0, nothing)


def equivalences(pinned):
    """Claims with an equivalence of two people each, and pinned values."""
    person = np.array([-1, *pinned, -1], dtype=np.int32)
    e = np.where(person < 0, 1, 0).astype(np.int32)

    def sides(places):
        return [Pinned(int(person[place]), 0, 0, 1.0) for place in places]

    return Equivalences(e, e, e, 1, False, {}, sides, nothing, person)


@given(st.lists(st.tuples(st.sampled_from(["Disease", "Income"]), st.booleans(), st.lists(st.integers(0, 8)))))
def test_counts_are_those_of_sets(rungs):
    """Whoever falls again is not counted again; each attribute has a ladder of its own."""
    entries, wanted, fallen = [], [], {"Disease": set(), "Income": set()}
    for place, (sensitive, pins, people) in enumerate(rungs):
        claims = equivalences(people) if pins else disclosures(people)
        outcome = Outcome(str(place), "complete", claims=claims)
        entries.append(Result(SimpleNamespace(name=str(place)), sensitive, None, outcome, seconds=0.25))
        beyond = set(people) - fallen[sensitive]
        fallen[sensitive] |= beyond
        wanted.append((str(place), sensitive, len(set(people)), len(beyond), len(fallen[sensitive]), 0.25))
    assert wanted == [
        (rung.attack, rung.sensitive, rung.people, rung.beyond, rung.so_far, rung.seconds) for rung in ladder(entries)
    ]
