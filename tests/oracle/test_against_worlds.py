"""The audit, and the oracle that looks at one person at a time, beside the enumeration of all worlds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.running import attacks_for, audit
from tests.helpers.strategies import linked_series, register_series
from tests.oracle.per_person import intersection, update_graph
from tests.oracle.worlds import worlds

BOTH = [pytest.param(False, id="constant"), pytest.param(True, id="changing")]


def small(adversary, changing, known):
    if adversary == "register":
        return register_series(changing=changing, known=known, max_people=3, max_releases=2)
    return linked_series(changing=changing, known=known, max_people=5)


@pytest.mark.parametrize("adversary", ["linked", "register"])
@pytest.mark.parametrize("changing", BOTH)
@given(data=st.data())
def test_one_person_at_a_time_never_rules_out_what_is_possible(adversary, changing, data):
    series = data.draw(small(adversary, changing, data.draw(st.booleans())))
    everything = worlds(series, adversary)
    assert everything.count
    graph = update_graph(series, adversary)
    for (person, j), feasible in graph.feasible.items():
        possible = everything.possible(person, j)
        assert series.row(person, j).value in possible
        assert possible <= feasible
    if not changing:
        for person, candidates in intersection(series, adversary).candidates.items():
            for j in series.presence(person, adversary):
                assert everything.possible(person, j) <= candidates


@pytest.mark.parametrize("adversary", ["linked", "register"])
@pytest.mark.parametrize("changing", BOTH)
@given(data=st.data())
def test_every_disclosure_holds_in_all_worlds(adversary, changing, data):
    series = data.draw(small(adversary, changing, data.draw(st.booleans())))
    everything = worlds(series, adversary)
    audited = audit(series, adversary=adversary)
    for name in attacks_for(series):
        for finding in audited.findings(name):
            j = series.tags.index(finding["release"])
            assert everything.possible(finding["individual"], j) == {finding["value"]}
            assert series.row(finding["individual"], j).value == finding["value"]
