"""Principles on the worked examples, by hand, and what the checkers say of an offence."""

from pathlib import Path

import pyarrow.csv
import pyarrow.parquet
import pytest

from audit.io.series import open_series
from audit.model.anonymizer import Promise
from audit.principles.checker import checked
from audit.principles.principle import SHOWN, BrokenClause, PrincipleViolation
from audit.principles.registry import PRINCIPLES, find, parameters

EXAMPLES = Path(__file__).parents[2] / "examples"

SMALL = "classes of fewer than {} people"
OTHERS = "people in a group of other values than before"
ILLEGAL = "people whose group is no legal update instance of their last"
OVERLAP = "people first in a group of values that may become the same"
REPEATED = "groups with a repeated value"
OUTSIDE = "people whose cells do not lie within their older ones"
JOINED = "classes that join people of different older cells"


def verdict(folder, ident, **given):
    return checked(find(ident, given), open_series(folder))


def written(folder, *releases, columns=(), **files):
    """Write a series of plain CSV releases, one text each; further lines of [columns], and files of `private/`."""
    for j, text in enumerate(releases, 1):
        (folder / f"{j}.csv").write_text(text.replace(" ", "\n") + "\n", encoding="utf-8")
    names = ", ".join(f'"{j}.csv"' for j in range(1, len(releases) + 1))
    text = ["[series]", f"releases = [{names}]", "[columns]", 'sensitive = "S"', 'group = "G"', *columns]
    (folder / "series.toml").write_text("\n".join(text) + "\n", encoding="utf-8")
    for name, content in files.items():
        (folder / "private").mkdir(exist_ok=True)
        (folder / "private" / f"{name}.key.csv").write_text(content.replace(" ", "\n") + "\n", encoding="utf-8")
    return folder


def in_parquet(folder):
    """Turn the first release into Parquet, whose whole numbers are their own codes."""
    pyarrow.parquet.write_table(pyarrow.csv.read_csv(folder / "1.csv"), folder / "1.parquet")
    (folder / "series.toml").write_text((folder / "series.toml").read_text().replace("1.csv", "1.parquet"))
    return folder


# -- the worked examples ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "ident", "number", "broken"),
    [
        ("hospital-2-invariant", "m-invariance", 2, {}),
        ("hospital-2-invariant", "m-invariance", 3, {"groups of fewer than 3 rows": 9}),
        ("hospital-2-invariant", "k-anonymity", 1, {}),
        ("hospital-2-invariant", "k-anonymity", 2, {SMALL.format(2): 1}),
        ("hospital-l-diverse", "l-diversity", 2, {}),
        ("hospital-l-diverse", "l-diversity", 3, {"groups with a value in more than 1/3 of their rows": 8}),
        ("hospital-l-diverse", "m-unique", 2, {}),
        ("hospital-l-diverse", "m-unique", 3, {"groups of fewer than 3 rows": 8}),
        ("hospital-l-diverse", "m-invariance", 2, {OTHERS: 2}),
        ("hospital-l-diverse-outsider", "k-anonymity", 2, {}),
        ("hospital-l-diverse-outsider", "k-anonymity", 3, {SMALL.format(3): 8}),
        ("clinic-2-invariant", "m-invariance", 2, {}),
        ("clinic-2-equivalence", "l-diversity", 2, {}),
        ("clinic-merged", "l-diversity", 2, {}),
        ("clinic-merged", "m-unique", 2, {REPEATED: 4}),
        ("clinic-merged", "m-invariance", 2, {REPEATED: 4}),
        ("clinic-merged", "k-anonymity", 2, {}),
        ("clinic-merged", "k-anonymity", 3, {SMALL.format(3): 2}),  # Ellen, Frank; Ian, Jane
        ("cases-monotonic", "monotonic", 2, {}),
        ("cases-monotonic", "monotonic", 3, {SMALL.format(3): 5}),
        ("cases-independent", "monotonic", 2, {OUTSIDE: 2, JOINED: 1}),
        ("cases-independent", "k-anonymity", 2, {}),
        ("ward-l-diverse", "m-unique", 2, {}),
        ("ward-l-diverse", "m-invariance", 2, {OTHERS: 6}),
        ("ward-l-diverse", "monotonic", 2, {OUTSIDE: 6, JOINED: 3}),
        ("ward-2-distinct", "k-anonymity", 2, {SMALL.format(2): 2}),
        ("ward-2-distinct", "m-invariance", 2, {OTHERS: 5}),  # Ken alone keeps dyspepsia, pneumonia
        ("ward-2-distinct", "m-distinct", 2, {}),
        ("ward-2-distinct", "m-distinct-star", 2, {}),  # nobody is new in release 2
        ("ward-2-distinct", "m-distinct", 3, {"groups of fewer than 3 rows": 7}),
        ("ward-l-diverse", "m-distinct", 2, {ILLEGAL: 5}),
        ("ward-l-diverse", "m-distinct-star", 2, {ILLEGAL: 5}),
        ("joint-breaks-2-distinct", "m-unique", 2, {}),
        ("joint-breaks-2-distinct", "m-distinct", 2, {}),
        ("joint-breaks-2-distinct", "m-distinct-star", 2, {OVERLAP: 4}),  # c and d; a and d
        ("joint-breaks-2-distinct", "m-invariance", 2, {OTHERS: 7}),  # all of release 2, and all but p3 of release 3
        ("distinct-star-skewed", "m-invariance", 2, {}),
        ("distinct-star-skewed", "m-distinct-star", 2, {}),
        ("hospital-2-invariant", "m-distinct-star", 2, {}),
        ("hospital-l-diverse", "m-distinct", 2, {ILLEGAL: 2}),
        ("fractional-weights", "m-unique", 2, {"groups of fewer than 2 rows": 1}),
        ("fractional-weights", "m-invariance", 2, {"groups of fewer than 2 rows": 1, OTHERS: 3}),
    ],
)
def test_worked_examples(name, ident, number, broken):
    [parameter] = next(parameters(principle) for principle in PRINCIPLES if principle.name == ident)
    found = verdict(EXAMPLES / name, ident, **{parameter: number})
    assert found.broken == broken
    assert found.holds is not bool(broken)
    assert found.offences == sum(broken.values())
    assert found.promise == Promise(ident, {parameter: number})


def told(name, ident, **given):
    found = verdict(EXAMPLES / name, ident, **given)
    return [(o.release, o.groups, o.row, o.individuals) for o in found.first]


def test_the_first_offenders_come_in_order():
    assert told("joint-breaks-2-distinct", "m-invariance", m=2) == [
        ("2", ("1",), 0, ("p2",)),
        ("2", ("1",), 1, ("p1",)),
        ("2", ("2",), 2, ("p3",)),
        ("2", ("2",), 3, ("p0",)),
        ("3", ("1",), 1, ("p1",)),
    ]


# -- what an offence says -----------------------------------------------------------------------------------------


def test_an_offence_never_says_whom_it_is_about():
    offence = PrincipleViolation("2", ("1", "4"), 7, "something", ("Bob",))
    breach = BrokenClause("people", 1200, (offence,))
    assert str(offence) == "release 2, groups 1, 4: something"
    assert str(breach) == "people: 1,200, the first in release 2, groups 1, 4: something"
    assert "Bob" not in f"{offence!r}{breach!r}"


def test_most_offences_are_only_counted(tmp_path):
    """The first are those of the first rows, whatever the groups' names and numbers are."""
    rows = " ".join(["G,S", *(f"{group},{value}" for group in range(30, 10, -1) for value in "aab")])
    series = open_series(in_parquet(written(tmp_path, rows)))
    [breach] = find("m-unique", {"m": 2}).start(series).add(series.read(0))
    assert (breach.clause, breach.total) == (REPEATED, 20)
    assert [o.groups for o in breach.first] == [(str(group),) for group in (30, 29, 28, 27, 26)]
    assert len(breach.first) == SHOWN


# -- refusals -----------------------------------------------------------------------------------------------------
