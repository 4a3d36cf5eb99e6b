"""Who may have which row, as the sources tell it, beside the rows that were written."""

from collections import Counter
from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from audit.adversary.build_evidence import build_evidence
from audit.io.background_knowledge import Known
from audit.io.series import open_series
from audit.model.errors import InputError, UsageError
from audit.model.evidence import ValueCounts
from tests.helpers.amount import some
from tests.helpers.running import written
from tests.helpers.strategies import classed_series, linked_series, register_series
from tests.helpers.tiny import Known as KnownLine
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
    """Who is known to be there, in the order of the file, with the value known of each and the groups."""
    known = per_person.known_values(series, release, adversary)
    if adversary == "linked":
        names = [row.individual for row in series.releases[release] if row.individual is not None]
    else:
        names = [line.individual for line in series.register if line.release == release]
    return [(name, known.get(name), per_person.hosts(series, name, release, adversary)) for name in names]


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
    return people, contents


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


def same(one, other):
    for field in fields(one):
        left, right = getattr(one, field.name), getattr(other, field.name)
        if isinstance(left, ValueCounts):
            assert all(np.array_equal(a, b) for a, b in zip(left, right, strict=True))
        else:
            assert np.array_equal(left, right)


def assert_pools_follow(pools, hosts, changing):
    """A pool is what the person's groups hold, less the rows of those whose value and group are known."""
    left = hosts.contents.tabled(hosts.n_groups, hosts.values).astype(np.int64)
    groups = hosts.by_group()
    sure = np.flatnonzero((hosts.fixed >= 0) & (np.diff(groups.start) == 1))
    np.subtract.at(left, (groups.row_class[groups.start[sure]], hosts.fixed[sure]), 1)
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


@pytest.mark.parametrize("adversary", ADVERSARIES)
@pytest.mark.parametrize("changing", BOTH)
@given(data=st.data())
def test_row_classes_and_what_they_hold_are_what_was_written(adversary, changing, data):
    tiny = data.draw(classed_series(changing=changing))
    assume(tiny.keyed or adversary == "register")
    with written(tiny) as folder:
        series, evidence = opened(folder, adversary)
        for release, rows in enumerate(tiny.releases):
            hosts = evidence.source.hosts(release)
            assert_well_formed(hosts, series)
            people, contents = told(series, evidence, release)
            assert people == expected(tiny, release, adversary)
            assert contents == Counter((tiny.places[release][row], row.value) for row in rows)
            assert_pools_follow(evidence.pools(release), hosts, changing)
            assert_room(tiny, series, hosts, release, adversary)


def assert_room(tiny, series, hosts, release, adversary):
    """Everybody may be in so many classes of so many rows each, in groups with so much room."""
    rows, room = tiny.releases[release], per_person.rooms(tiny, release)
    kinds = Counter(row.row_class for row in rows)
    people = Counter(row.group for row in rows if row.individual is not None)
    for place, person in enumerate(hosts.person.tolist()):
        name, codes = series.people.name(person), classes_of(hosts, place)
        classes = {row.row_class for row in per_person.possible_rows(tiny, name, release, adversary)}
        published = hosts.group_capacity[hosts.published_group[codes]].tolist()
        if adversary == "linked":
            assert published == [people[tiny.row(name, release).group]]
            continue
        assert sorted(published) == sorted(room[group] for group, *_ in classes)
        most = sorted(min(kinds[each], room[each[0]]) for each in classes)
        assert sorted(hosts.class_capacity[codes].tolist()) == most


def test_a_published_counterfeit_takes_room():
    rows = [Row("Ann", "1", "flu", ("x",)), Row(None, "1", "gout", ("x",)), Row(None, "2", "cold", ("x",))]
    register = [Registered("Ann", 0, ("x",))]
    fakes = [{"1": 1, "2": 1}]
    tiny = TinySeries([rows], register=register, quasi_identifiers=("City",), counterfeits=fakes)
    with written(tiny) as folder:
        _, evidence = opened(folder, "register")
        hosts = evidence.source.hosts(0)
        assert hosts.group_capacity.tolist() == [1, 0]
        assert hosts.row_class.tolist() == [0]  # all rows of the other group are counterfeits
        assert evidence.pools(0).table().tolist() == [[1, 1, 0]]


@pytest.mark.parametrize("adversary", ADVERSARIES)
@settings(max_examples=some(15))
@given(data=st.data())
def test_whichever_release_is_asked_for_first_the_numbers_are_the_same(adversary, data):
    tiny = drawn(data, adversary, changing=False)
    with written(tiny) as folder:
        (_, first), (_, other) = (opened(folder, adversary) for _ in range(2))
        order = range(len(tiny.releases))
        forwards = [first.source.hosts(release) for release in order]
        for release in reversed(order):
            # What is known of all releases has grown, but nothing was numbered otherwise.
            found, wanted = other.source.hosts(release), forwards[release]
            size = len(wanted.individual)
            same(replace(found, values=wanted.values, individual=found.individual[:size]), wanted)
        for release in order:
            same(first.source.hosts(release), other.source.hosts(release))


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


@pytest.mark.parametrize(
    ("individual", "value", "part"),
    [("Ann", "gout", "another value"), ("Ann", "flu", "another value"), ("Bob", "mumps", "another value")],
)
def test_what_is_known_is_held_against_the_person_s_own_row(individual, value, part):
    rows = [Row("Ann", "1", "cold"), Row("Bob", "1", "flu"), Row("~c1", "1", "gout"), Row(None, "2", "mumps")]
    with written(TinySeries([rows], known=[KnownLine("Ann", "cold")])) as folder:
        series, evidence = opened(folder, "linked")
        source = evidence.source
        lines = [np.array([code], dtype=np.int32) for code in (series.people.find(individual), 0, -1)]
        lines[1] = np.array([evidence.values.index(value)], dtype=np.int32)
        source.known = Known("known.csv", *lines, [2])
        messages = set()
        for ask in (source.hosts, source.members, source.pools):
            with pytest.raises(InputError, match=part) as caught:
                ask(0)
            messages.add(str(caught.value))
        assert len(messages) == 1


def test_without_a_key_what_is_known_is_held_against_the_group():
    """An Anatomy release says nothing of whose value is whose."""
    with written(TinySeries([[Row("Ann", "1", "cold"), Row("Bob", "2", "flu")]])) as folder:
        (folder / "releases" / "1.csv").unlink()
        (folder / "releases" / "1.rows.csv").write_text("Owner,Group-ID\nAnn,1\nBob,1\nCid,2\nDan,2\n")
        (folder / "releases" / "1.values.csv").write_text(
            "Group-ID,Value,count\n1,cold,1\n1,flu,1\n2,gout,1\n2,cold,1\n"
        )
        manifest = (folder / "series.toml").read_text()
        pair = '{ rows = "releases/1.rows.csv", values = "releases/1.values.csv" }'
        (folder / "series.toml").write_text(manifest.replace('"releases/1.csv"', pair))
        series, evidence = opened(folder, "linked")
        source = evidence.source
        assert told(series, evidence, 0)[0] == [
            ("Ann", None, {"1"}),
            ("Bob", None, {"1"}),
            ("Cid", None, {"2"}),
            ("Dan", None, {"2"}),
        ]
        both = [np.array([series.people.find(name) for name in ("Ann", "Bob")], dtype=np.int32)]
        both += [np.array([evidence.values.index("flu")] * 2, dtype=np.int32), np.array([-1, -1], dtype=np.int32)]
        source.known = Known("known.csv", *both, [2, 3])
        for ask in (source.hosts, source.members, source.pools):
            with pytest.raises(InputError, match="as often as it is known"):
                ask(0)


@pytest.mark.parametrize(
    ("register", "part"),
    [
        ([Registered("Ann", 0, ("1",)), Registered("Bob", 0, ("3",))], "no group of release 1 covers"),
        ([Registered(name, 0, ("1",)) for name in ("Ann", "Bob", "Cid", "Dan")], "4 people are in release 1"),
    ],
)
def test_a_register_is_held_against_the_release(register, part):
    rows = [Row("Ann", "1", "cold", ("1",)), Row("Bob", "1", "flu", ("2",)), Row("Cid", "2", "flu", ("2",))]
    tiny = TinySeries([rows], register=register, quasi_identifiers=("City",))
    messages = set()
    with written(tiny) as folder:
        for name in ("hosts", "pools"):
            _, evidence = opened(folder, "register")
            with pytest.raises(InputError, match=part) as caught:
                getattr(evidence.source, name)(0)
            messages.add(str(caught.value))
    assert len(messages) == 1


def test_who_follows_record_ids_alone_knows_of_nobody():
    rows = [Row(None, "1", "cold", ("x",)), Row(None, "1", "flu", ("y",))]
    with written(TinySeries([rows], quasi_identifiers=("City",), keyed=False)) as folder:
        manifest = (folder / "series.toml").read_text()
        (folder / "series.toml").write_text(manifest.replace("[columns]", '[columns]\nrecord = "City"'))
        manifest = (folder / "series.toml").read_text().replace('["City"]', "[]")
        (folder / "series.toml").write_text(manifest)
        _, evidence = opened(folder, "pseudonym")
        with pytest.raises(UsageError, match="`linked` and `register`"):
            evidence.source.hosts(0)
