"""The principles m-distinct and m-distinct-star: one clause at a time, what is told of an offence, many values."""

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from audit.io.series import open_series
from audit.model.errors import InputError
from audit.model.update_sets import UpdateSets
from audit.principles.checker import checked, read
from audit.principles.legal_updates import Groups, Rule
from audit.principles.registry import find

EXAMPLES = Path(__file__).parents[2] / "examples"
ILLEGAL = "people whose group is no legal update instance of their last"
OVERLAP = "people first in a group of values that may become the same"
REPEATED = "groups with a repeated value"
STAY = "a,a b,b c,c d,d"


def verdict(folder, ident="m-distinct", m=2):
    return checked(find(ident, {"m": m}), open_series(folder))


def written(folder, *releases, updates=None, sensitive=("S",)):
    """Write a series of plain CSV releases whose columns are owner, group and values; `updates` are pairs."""
    for j, text in enumerate(releases, 1):
        lines = [",".join(["O", "G", *sensitive]), *text.split()]
        (folder / f"{j}.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    names = [f"{j}.csv" for j in range(1, len(releases) + 1)]
    manifest = (
        f'[series]\nreleases = {names}\n[columns]\nindividual = "O"\ngroup = "G"\nsensitive = {list(sensitive)}\n'
    )
    if updates is not None:
        manifest += '[adversary]\ntransitions = "t.csv"\n'
        columns = ",".join(["from", "to", "probability"][: updates.split()[0].count(",") + 1])
        (folder / "t.csv").write_text("\n".join([columns, *updates.split()]) + "\n", encoding="utf-8")
    (folder / "series.toml").write_text(manifest, encoding="utf-8")
    return folder


def told(found):
    return [(o.release, o.groups, o.row, o.individuals, o.what.partition(", ")[2]) for o in found.first]


# -- the ward -----------------------------------------------------------------------------------------------------


def test_whom_the_ward_exposes_and_why():
    """The paper's Section I-A1 tells of Ben; Harry alone is in groups that rule nothing out."""
    found = verdict(EXAMPLES / "ward-l-diverse")
    none_of = "cannot have come from any of"
    became = "cannot have become any of"
    assert found.broken == {ILLEGAL: 5}
    assert all(o.what.startswith("compared with the person's group in release 1, ") for o in found.first)
    kens, lilys, bens = "dyspepsia, glaucoma", "dyspepsia, glaucoma", "dyspepsia, pneumonia"
    assert told(found) == [
        ("2", ("1",), 0, ("Ken",), f"glaucoma {none_of} dyspepsia, pneumonia; pneumonia {became} {kens}"),
        ("2", ("1",), 1, ("Lily",), f"dyspepsia {none_of} flu, glaucoma; flu {became} {lilys}"),
        ("2", ("2",), 2, ("Julia",), f"dyspepsia {became} lung cancer, pneumonia"),
        ("2", ("2",), 3, ("Tom",), f"gastritis {became} lung cancer, pneumonia"),
        ("2", ("3",), 5, ("Ben",), f"dyspepsia {none_of} flu, glaucoma; glaucoma {became} {bens}"),
    ]


# -- one clause at a time -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("second", "why"),
    [
        ("A,1,a B,1,b", None),
        ("A,1,c B,1,b", None),  # a may become c
        ("A,1,a ,1,c", "b cannot have become any of a, c"),
        ("A,1,a ,1,b ,1,d", "3 different values instead of 2; d cannot have come from any of a, b"),
        ("A,1,a ,1,b ,1,c", "3 different values instead of 2"),  # each is possible, and one row too many
        ("A,1,b", "1 different value instead of 2; a cannot have become any of b"),
    ],
)
def test_legal_update_instances(second, why, tmp_path):
    found = verdict(written(tmp_path, "A,1,a B,1,b", second, updates="a,a a,c b,b c,c d,d"), m=1)
    assert {each[4] for each in told(found)} == ({why} if why else set())


def test_what_may_become_of_a_value_is_taken_as_it_stands(tmp_path):
    """Neither reflexive nor closed: nobody keeps a value, and a becomes c in two steps alone."""
    turns = "a,b b,c c,d d,a"
    first, second, third = "A,1,a B,1,c", "A,1,b B,1,d", "A,1,c B,1,a"
    assert verdict(written(tmp_path, first, second, third, updates=turns)).holds
    assert verdict(written(tmp_path, first, first, updates=turns)).broken == {ILLEGAL: 2}
    gap = "C,1,a D,1,c"
    assert verdict(written(tmp_path, first, gap, second, updates=turns)).holds
    found = verdict(written(tmp_path, first, gap, "A,1,c B,1,a", updates=turns))
    assert [(o.release, o.individuals) for o in found.first] == [("3", ("A",)), ("3", ("B",))]
    assert found.first[0].what.startswith("compared with the person's group in release 1, ")


def test_a_person_is_held_against_the_last_group_and_not_the_first(tmp_path):
    onwards = "a,b a,a b,c b,b c,c d,d"
    rows = "A,1,a B,1,d", "A,1,b B,1,d", "A,1,c B,1,d", "A,1,a B,1,d"
    found = verdict(written(tmp_path, *rows, updates=onwards))
    assert [(o.release, o.individuals) for o in found.first] == [("4", ("A",)), ("4", ("B",))]
    assert found.first[0].what.startswith("compared with the person's group in release 3, ")


def test_the_older_group_counts_its_rows_and_the_newer_its_values(tmp_path):
    """The update set signature is a multiset with a set for each row, the candidate sensitive set is a set."""
    everything = " ".join(f"{one},{other}" for one in "abc" for other in "abc")
    found = verdict(written(tmp_path, "A,1,a B,1,a C,1,b", "A,1,a B,1,b", updates=everything))
    assert found.broken == {REPEATED: 1, ILLEGAL: 2}
    assert [o.what.partition(", ")[2] for o in found.first[1:]] == ["2 different values instead of 3"] * 2
    found = verdict(written(tmp_path, "A,1,a B,1,a C,1,b", "A,1,a B,1,b ,1,c", updates=everything))
    assert found.broken == {REPEATED: 1}
    found = verdict(written(tmp_path, "A,1,a B,1,b", "A,1,a B,1,b ,1,a", updates=everything))
    assert found.broken == {REPEATED: 1}


def test_counterfeits_with_an_identity_are_followed_and_others_are_not(tmp_path):
    first = "A,1,a ~c,1,b B,2,c ,2,d"
    assert verdict(written(tmp_path, first, "A,1,a ,1,b B,2,c ~c,2,d", updates=STAY)).broken == {ILLEGAL: 1}
    assert verdict(tmp_path).first[0].individuals == ("~c",)
    assert verdict(written(tmp_path, first, "A,1,a ~c,1,b B,2,c ,2,d", updates=STAY)).holds


def test_without_transitions_values_never_change(tmp_path):
    assert verdict(written(tmp_path, "A,1,a B,1,b", "C,1,b A,1,a", "B,1,b C,1,a")).holds
    found = verdict(written(tmp_path, "A,1,a B,1,b C,2,c D,2,d", "A,1,a C,1,c B,2,a D,2,b"))
    assert [o.individuals for o in found.first] == [("A",), ("C",), ("D",)]
    assert told(found)[0][4] == "c cannot have come from any of a, b; b cannot have become any of a, c"


def test_each_sensitive_attribute_is_judged(tmp_path):
    rows = "A,1,a,a B,1,b,b", "A,1,a,a B,1,b,d"
    found = verdict(written(tmp_path, *rows, updates=STAY, sensitive=("S", "T")))
    assert found.broken == {f"{ILLEGAL} of T": 2}
    rows = "A,1,a,b B,1,b,d", "A,1,a,b B,1,b,d"
    found = verdict(written(tmp_path, *rows, updates=STAY + " b,c d,c", sensitive=("S", "T")), "m-distinct-star")
    assert found.broken == {f"{OVERLAP} of T": 2}


def test_only_the_last_groups_are_remembered(tmp_path):
    """Else a long series would fill the memory."""
    series = open_series(written(tmp_path, "A,1,a B,1,b C,2,c D,2,d", *["A,1,a B,1,b", "A,2,a B,2,b"] * 5))
    principle = find("m-distinct", {"m": 2})
    check = principle.start(series)
    for position in range(11):
        assert check.add(read(principle, series, position)) == []
    assert [check.steps["S"].groups.values(group) for group in (0, 1)] == [{2, 3}, {0, 1}]
    assert len(check.steps["S"].groups) == 2


# -- the star -----------------------------------------------------------------------------------------------------


def test_nobody_begins_in_a_group_of_overlapping_sets(tmp_path):
    """A and B do in release 1, C in release 2; D does not, and is among such values only later."""
    rows = "A,1,a B,1,b D,2,a E,2,d", "A,1,a C,1,b", "D,1,c E,1,d A,2,c B,2,b"
    updates = STAY + " a,c b,c"
    assert verdict(written(tmp_path, *rows, updates=updates)).holds
    found = verdict(tmp_path, "m-distinct-star")
    assert found.broken == {OVERLAP: 3}
    assert [(o.release, o.individuals, o.what) for o in found.first] == [
        ("1", ("A",), "a and b may both become c"),
        ("1", ("B",), "a and b may both become c"),
        ("2", ("C",), "a and b may both become c"),
    ]


def test_two_rows_of_one_value_overlap(tmp_path):
    for updates in (STAY, None):
        found = verdict(written(tmp_path, "A,1,b B,1,a ,1,a", updates=updates), "m-distinct-star")
        assert found.broken == {REPEATED: 1, OVERLAP: 2}
        assert found.first[1].what == "a and a may both become a"


# -- many values --------------------------------------------------------------------------------------------------


def drawn(rng, values, groups):
    """Some groups, each a list of its rows' values, as `Groups` and as they are."""
    rows = [rng.choice(values, rng.integers(1, 5), replace=True).tolist() for _ in range(groups)]
    held = [np.unique(each) for each in rows]
    size, count = (np.array([len(each) for each in some], dtype=np.int64) for some in (held, rows))
    return Groups(np.concatenate(held).astype(np.int32), size, count, np.zeros(groups, dtype=np.int64)), rows


@pytest.mark.parametrize("values", [1, 2, 63, 64, 65, 130])
@pytest.mark.parametrize("changing", [False, True])
def test_beside_sets(values, changing):
    """Bits in several words, beside sets of values, with some pairs of groups that are legal."""
    rng = np.random.default_rng(values)
    legal = overlapping = 0
    for _ in range(10):
        some = rng.choice(values, min(values, 5), replace=False)
        groups, rows = drawn(rng, some, 12)
        may = rng.random((values, values)) < 0.4
        may[~may.any(axis=1), 0] = True
        become = {value: set(np.flatnonzero(may[value]).tolist()) if changing else {value} for value in range(values)}
        rule = Rule(UpdateSets(may) if changing else None)
        old, new = (np.repeat(np.arange(12), 12), np.tile(np.arange(12), 12))
        wanted = [
            len(set(now)) == len(before)
            and all(any(value in become[one] for one in before) for value in now)
            and all(become[one] & set(now) for one in before)
            for before in rows
            for now in rows
        ]
        assert rule.legal(groups, old, new).tolist() == wanted
        both = [any(become[one] & become[other] for one, other in combinations(each, 2)) for each in rows]
        assert rule.overlapping(groups).tolist() == both
        legal, overlapping = legal + sum(wanted), overlapping + sum(both)
    assert legal > 10
    assert overlapping > 10


# -- what the transitions must say --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("updates", "value", "release"),
    [
        ("a,a c,c", "b", "1"),
        ("a,a b,b", "c", "2"),  # a value that the transitions have never heard of
        ("a,a b,b b,c", "c", "2"),
        ("a,a,1 b,b,1 c,c,0", "c", "2"),
    ],
)
def test_values_that_nothing_is_said_of_are_refused(updates, value, release, tmp_path):
    with pytest.raises(InputError) as refused:
        verdict(written(tmp_path, "A,1,a B,1,b", "A,1,a B,1,c", updates=updates))
    assert str(refused.value) == (
        f't.csv, column "from": no line says what may follow "{value}", which release {release} publishes; '
        "add lines that do, one to the value itself if it may stay"
    )


def test_updates_that_are_known_beforehand(tmp_path):
    """A publisher knows them before the series has a file that says so."""
    principle, series = find("m-distinct", {"m": 2}), open_series(written(tmp_path, "A,1,a B,1,b", "A,1,a B,1,c"))
    check = principle.start(series)
    series.vocabularies["S"].add("abc")
    series.updates["S"] = UpdateSets(np.array([[1, 0, 0], [0, 0, 1], [0, 0, 1]], dtype=bool))
    assert [check.add(read(principle, series, position)) for position in (0, 1)] == [[], []]
    assert verdict(tmp_path).broken == {ILLEGAL: 2}
