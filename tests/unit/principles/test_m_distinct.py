"""The principles m-distinct and m-distinct-star: one clause at a time, what is told of an offence, many values."""

from pathlib import Path

import pytest

from audit.io.series import open_series
from audit.model.errors import InputError
from audit.principles.checker import checked
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
