"""The principles m-distinct and m-distinct-star: one clause at a time, what is told of an offence, many values."""

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from audit.io.series import open_series
from audit.model.errors import InputError
from audit.model.update_sets import UpdateSets
from audit.principles.checker import checked
from audit.principles.legal_updates import Groups, Rule
from audit.principles.registry import find

EXAMPLES = Path(__file__).parents[2] / "examples"
ILLEGAL = "people whose group is no legal update instance of their last"


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


# -- the star -----------------------------------------------------------------------------------------------------


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
