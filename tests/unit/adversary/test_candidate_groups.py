"""Who may have which row, as the sources tell it, beside the rows that were written."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.adversary.build_evidence import build_evidence
from audit.io.series import open_series
from tests.helpers.running import written
from tests.helpers.strategies import linked_series, register_series
from tests.helpers.tiny import Registered, Row, TinySeries
from tests.oracle import per_person

BOTH = [pytest.param(False, id="constant"), pytest.param(True, id="changing")]
ADVERSARIES = ["linked", "register"]


def opened(folder, adversary):
    series = open_series(folder)
    (evidence,) = build_evidence(series, adversary)
    return series, evidence


def drawn(data, adversary, changing):
    draw = register_series if adversary == "register" else linked_series
    return data.draw(draw(changing=changing, known=data.draw(st.booleans())))


def classes_of(hosts, place):
    return hosts.row_class[hosts.start[place] : hosts.start[place + 1]]


def groups_of(hosts, place):
    return np.unique(hosts.class_group[classes_of(hosts, place)])


def expected(series, release, adversary):
    """Who is known to be there, by name, with the value known of each and the groups."""
    known = per_person.known_values(series, release, adversary)
    if adversary == "linked":
        names = [row.individual for row in series.releases[release] if row.individual is not None]
    else:
        names = [line.individual for line in series.register if line.release == release]
    return [(name, known.get(name), per_person.hosts(series, name, release, adversary)) for name in sorted(names)]


def told(series, evidence, release):
    """The same as the source tells it, and the rows of the groups."""
    hosts = evidence.source.hosts(release)
    group = evidence.source.group_names(release, np.arange(hosts.n_groups, dtype=np.int32))
    people = [
        (
            series.people.name(person),
            None if fixed < 0 else evidence.values[fixed],
            {group[code] for code in groups_of(hosts, place)},
        )
        for place, (person, fixed) in enumerate(zip(hosts.person.tolist(), hosts.fixed.tolist(), strict=True))
    ]
    bag, value, rows = hosts.contents
    count = np.ones(len(bag), dtype=np.int64) if rows is None else rows
    contents = Counter()
    for code, held, number in zip(bag.tolist(), value.tolist(), count.tolist(), strict=True):
        contents[group[code], evidence.values[held]] += number
    return sorted(people, key=lambda each: each[0]), contents


def assert_well_formed(hosts, series):
    assert (hosts.person.dtype, hosts.fixed.dtype, hosts.row_class.dtype) == (np.int32,) * 3
    assert hosts.start.dtype == np.int64
    assert len(hosts.start) == len(hosts.person) + 1 == len(hosts.fixed) + 1
    assert (hosts.start[0], hosts.start[-1]) == (0, len(hosts.row_class))
    for place in range(len(hosts.person)):
        assert (np.diff(classes_of(hosts, place)) > 0).all()
    assert len(np.unique(hosts.person)) == len(hosts.person)
    assert hosts.row_class.max(initial=-1) < len(hosts.class_group) == len(hosts.published_group)
    assert hosts.class_group.max(initial=-1) < hosts.n_groups
    assert (np.diff(hosts.class_group) >= 0).all()
    assert (np.diff(hosts.published_group) >= 0).all()
    assert (hosts.class_capacity <= hosts.group_capacity[hosts.published_group]).all()
    assert hosts.contents.bag.max() < hosts.n_groups
    assert hosts.contents.value.max() < hosts.values
    assert hosts.fixed.max(initial=-1) < hosts.values
    for person in hosts.person.tolist():
        assert hosts.individual[person] == (not series.people.name(person).startswith("~"))


def assert_pools_follow(pools, hosts, changing):
    """A pool is what the person's groups hold, less the rows of those whose value and group are known."""
    left = hosts.contents.tabled(hosts.n_groups, hosts.values).astype(np.int64)
    for place in np.flatnonzero(hosts.fixed >= 0).tolist():
        if len(groups := groups_of(hosts, place)) == 1:
            left[groups[0], hosts.fixed[place]] -= 1
    places = np.flatnonzero(hosts.individual[hosts.person] & (changing | (hosts.fixed < 0)))
    assert pools.person.tolist() == hosts.person[places].tolist()
    table = pools.table()
    for place, pool in zip(places.tolist(), pools.pool.tolist(), strict=True):
        assert left[groups_of(hosts, place)].sum(axis=0).tolist() == table[pool].tolist()
    if pools.fixed is not None:
        assert pools.fixed.tolist() == hosts.fixed[places].tolist()


@pytest.mark.parametrize("adversary", ADVERSARIES)
@pytest.mark.parametrize("changing", BOTH)
@given(data=st.data())
def test_hosts_are_what_was_written(adversary, changing, data):
    tiny = drawn(data, adversary, changing)
    with written(tiny, key=data.draw(st.sampled_from(["column", "files"]))) as folder:
        series, evidence = opened(folder, adversary)
        for release, rows in enumerate(tiny.releases):
            hosts = evidence.source.hosts(release)
            assert_well_formed(hosts, series)
            people, contents = told(series, evidence, release)
            assert people == expected(tiny, release, adversary)
            assert contents == Counter((tiny.places[release][row], row.value) for row in rows)
            assert_pools_follow(evidence.pools(release), hosts, changing)


def many_groups():
    """A hundred and fifty groups of three rows, each row with a cell of its own that covers up to five people."""
    rng = np.random.default_rng(5)
    names = [f"p{number:03}" for number in range(450)]
    rows, register = [], []
    for place in rng.permutation(len(names)).tolist():
        around = {names[place], *rng.choice(names, rng.integers(0, 5)).tolist()}
        cells = ("{" + ", ".join(sorted(around)) + "}",)
        rows.append(Row(names[place], f"g{place % 150}", "abcd"[place % 4], cells))
    rows.sort(key=lambda row: row.group)
    register = [Registered(name, 0, (name,)) for name in names[::2]]
    return TinySeries([rows], register=register, quasi_identifiers=("Name",))


@pytest.mark.parametrize("adversary", ADVERSARIES)
def test_more_groups_than_a_word_has_bits(adversary):
    tiny = many_groups()
    with written(tiny) as folder:
        series, evidence = opened(folder, adversary)
        hosts = evidence.source.hosts(0)
        assert_well_formed(hosts, series)
        people, _ = told(series, evidence, 0)
        assert people == expected(tiny, 0, adversary)
        assert (np.diff(hosts.start).max() > 5) == (adversary == "register")
