"""The principles m-distinct and m-distinct-star: one clause at a time, what is told of an offence, many values."""

import pytest

from audit.io.series import open_series
from audit.model.errors import InputError
from audit.principles.checker import checked
from audit.principles.registry import find
from tests.helpers.messy import series_of


def verdict(folder, ident="m-distinct", m=2):
    return checked(find(ident, {"m": m}), open_series(folder))


def written(folder, *releases, updates=None, sensitive=("S",)):
    """Write a series of plain CSV releases whose columns are owner, group and values; `updates` are pairs."""
    tables = ["\n".join([",".join(["O", "G", *sensitive]), *text.split(), ""]) for text in releases]
    columns = f'individual = "O"\ngroup = "G"\nsensitive = {list(sensitive)}'
    if updates is None:
        return series_of(folder, tables, columns)
    head = ",".join(["from", "to", "probability"][: updates.split()[0].count(",") + 1])
    rules = "\n".join([head, *updates.split(), ""])
    return series_of(folder, tables, columns, '[adversary]\ntransitions = "t.csv"', t=rules)


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
