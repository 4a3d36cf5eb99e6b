"""Principles on the worked examples, by hand, and what the checkers say of an offence."""

import shutil
from pathlib import Path

import pyarrow.csv
import pyarrow.parquet
import pytest

from audit.io.series import open_series
from audit.model.anonymizer import Promise
from audit.model.errors import InputError, UsageError
from audit.principles.checker import checked, line_of, read, require
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


# -- row classes --------------------------------------------------------------------------------------------------

BY_VALUE = {
    "l-diversity": (2, "groups with a value in more than 1/2 of their rows"),
    "m-unique": (2, "groups of fewer than 2 rows"),
    "m-invariance": (2, "groups of fewer than 2 rows"),
    "m-distinct": (2, "groups of fewer than 2 rows"),
    "m-distinct-star": (2, "groups of fewer than 2 rows"),
}


@pytest.mark.parametrize("ident", BY_VALUE)
def test_rows_of_a_group_with_other_cells_do_not_hide_each_other(tmp_path, ident):
    """Somebody of 21 has flu, whatever the row of 35 says; with equal cells the same rows keep the promise."""
    number, clause = BY_VALUE[ident]
    [given] = parameters(PRINCIPLES.load(ident))
    columns = ['quasi_identifiers = ["Q"]', 'individual = "I"']
    broken = verdict(written(tmp_path, "I,G,Q,S A,1,21,flu B,1,35,gas", columns=columns), ident, **{given: number})
    assert broken.broken == {clause: 2}
    assert [offence.groups for offence in broken.first] == [("1#1",), ("1#2",)]
    same = verdict(written(tmp_path, "I,G,Q,S A,1,21,flu B,1,21,gas", columns=columns), ident, **{given: number})
    assert same.broken == {}
    assert same.holds


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


def test_who_breaks_2_invariance_in_the_hospital():
    assert told("hospital-l-diverse", "m-invariance", m=2) == [
        ("2", ("1",), 0, ("Bob",)),
        ("2", ("1",), 1, ("David",)),
    ]
    [bob, david] = verdict(EXAMPLES / "hospital-l-diverse", "m-invariance", m=2).first
    assert bob.what == "compared with the person's group in release 1, missing: bronchitis; new: gastritis"
    assert david.what == "compared with the person's group in release 1, missing: flu; new: dyspepsia"


def test_who_breaks_monotonicity_in_the_register_of_cases():
    assert told("cases-independent", "monotonic", k=2) == [
        ("2", ("1",), 0, ("1", "3")),  # kept apart by gender and age, now 20433, female, [21-26] both
        ("2", ("2",), 1, ("2",)),  # [21-48] became [48-54]
        ("2", ("1",), 2, ("3",)),  # [26-31] became [21-26]
    ]
    assert [
        o.what.rpartition(": ")[2] for o in verdict(EXAMPLES / "cases-independent", "monotonic", k=2).first[1:]
    ] == [
        "Age",
        "Age",
    ]


def test_which_groups_stand_for_one_person_of_the_ward():
    assert told("ward-2-distinct", "k-anonymity", k=2) == [("2", ("3",), 4, ()), ("2", ("4",), 6, ())]


def test_the_first_offenders_come_in_order():
    assert told("joint-breaks-2-distinct", "m-invariance", m=2) == [
        ("2", ("1",), 0, ("p2",)),
        ("2", ("1",), 1, ("p1",)),
        ("2", ("2",), 2, ("p3",)),
        ("2", ("2",), 3, ("p0",)),
        ("3", ("1",), 1, ("p1",)),
    ]


# -- one clause at a time -----------------------------------------------------------------------------------------


def test_a_person_is_followed_over_a_gap(tmp_path):
    rows = "O,G,S A,1,a B,1,b", "O,G,S C,1,c D,1,d", "O,G,S A,1,a D,1,d"
    found = verdict(written(tmp_path, *rows, columns=['individual = "O"']), "m-invariance", m=2)
    assert [(o.release, o.individuals) for o in found.first] == [("3", ("A",)), ("3", ("D",))]
    assert "in release 1, missing: b; new: d" in found.first[0].what
    assert "in release 2, missing: c; new: a" in found.first[1].what


def test_a_counterfeit_that_keeps_its_identity_keeps_its_signature(tmp_path):
    rows = "O,G,S A,1,a ~c,1,b B,2,b ,2,c", "O,G,S A,1,a ,1,b ~c,2,b B,2,c"
    found = verdict(written(tmp_path, *rows, columns=['individual = "O"']), "m-invariance", m=2)
    assert [(o.release, o.individuals) for o in found.first] == [("2", ("~c",))]


def test_each_sensitive_attribute_is_judged(tmp_path):
    rows = "O,G,S,T A,1,a,x B,1,b,y", "O,G,S,T A,1,a,x B,1,b,z"
    folder = written(tmp_path, *rows, columns=['individual = "O"'])
    (folder / "series.toml").write_text((folder / "series.toml").read_text().replace('"S"', '["S", "T"]'))
    found = verdict(folder, "m-invariance", m=2)
    assert found.broken == {f"{OTHERS} of T": 2}
    assert verdict(folder, "l-diversity", l=3).broken == {
        f"groups with a value in more than 1/3 of their rows of {name}": 2 for name in "ST"
    }


def test_the_most_frequent_value_is_told(tmp_path):
    rows = "G,S 1,b 1,c 1,c 1,d 2,a 2,b"
    [first, second] = verdict(written(tmp_path, rows), "l-diversity", l=3).first
    assert (first.what, first.groups) == ("c has 2 of 4 rows", ("1",))
    assert (second.what, second.groups) == ("a has 1 of 2 rows", ("2",))


@pytest.mark.parametrize(("number", "offences"), [(4, 0), (5, 1), (10**4, 1), (10**9 - 1, 1)])
def test_counts_of_any_size(number, offences, tmp_path):
    """count * l would not fit into 64 bits."""
    large = 10**15 - 1
    rows = f"G,S,N 1,a,{large} 1,b,{large} 1,c,{large} 1,d,{large}"
    assert verdict(written(tmp_path, rows, columns=['count = "N"']), "l-diversity", l=number).offences == offences


def test_published_counterfeits_are_not_people_without_a_key(tmp_path):
    """Three rows, two classes, one counterfeit: it may be in either class."""
    folder = written(tmp_path, "G,Q,S 1,1,a 1,1,b 1,2,c 2,1,a 2,1,b", columns=['quasi_identifiers = ["Q"]'])
    with (folder / "series.toml").open("a") as manifest:
        manifest.write('[counterfeits]\n"1" = "fakes.csv"\n')
    (folder / "fakes.csv").write_text("G,Count\n1,1\n2,2\n")
    found = verdict(folder, "k-anonymity", k=2)
    assert [(o.groups, o.row) for o in found.first] == [(("1",), 0), (("1",), 2)]
    assert verdict(folder, "k-anonymity", k=1).holds  # group 2 is nobody's


def test_the_key_tells_which_rows_are_counterfeits(tmp_path):
    rows = "O,G,Q,S A,1,1,a B,1,1,b ,1,2,c"
    columns = ['individual = "O"', 'quasi_identifiers = ["Q"]']
    assert verdict(written(tmp_path, rows, columns=columns), "k-anonymity", k=2).holds
    assert verdict(tmp_path, "k-anonymity", k=3).broken == {SMALL.format(3): 1}


def test_somebody_is_missing(tmp_path):
    rows = "R,G,Q,S 7,x,1,a 8,x,1,b 9,y,1,b 5,y,1,c", "R,G,Q,S 8,z,1,b 9,z,1,b 6,z,1,a"
    found = verdict(written(tmp_path, *rows, columns=['record = "R"', 'quasi_identifiers = ["Q"]']), "monotonic", k=2)
    assert found.broken == {"people missing": 2}
    assert [(str(o), o.row, o.individuals) for o in found.first] == [
        ("release 2: somebody of group x of release 1 is missing", None, ("7",)),
        ("release 2: somebody of group y of release 1 is missing", None, ("5",)),
    ]


def test_a_counterfeit_may_go_and_move(tmp_path):
    rows = "O,G,Q,S A,1,1,a B,1,1,b ~c,1,1,c ~d,1,1,d", "O,G,Q,S A,1,1,a B,1,1,b ~d,1,2,d"
    columns = ['individual = "O"', 'quasi_identifiers = ["Q"]']
    assert verdict(written(tmp_path, *rows, columns=columns), "monotonic", k=2).holds


def test_record_ids_are_the_same_however_a_release_spells_them(tmp_path):
    """Numbers in one release and among texts in the next: a record is followed by what is written."""
    rows = "R,G,Q,S 1,1,1,a 2,1,1,b", "R,G,Q,S x,1,1,a 1,1,1,a 2,1,1,b"
    folder = written(tmp_path, *rows, columns=['record = "R"', 'quasi_identifiers = ["Q"]'])
    assert verdict(folder, "monotonic", k=2).holds
    assert verdict(in_parquet(folder), "monotonic", k=2).holds


def test_record_ids_are_not_looked_at_where_there_is_a_key(tmp_path):
    rows = "O,R,G,Q,S A,1,1,1,a B,1,1,1,b", "O,R,G,Q,S A,2,1,1,a B,,1,1,b"
    columns = ['individual = "O"', 'record = "R"', 'quasi_identifiers = ["Q"]']
    assert verdict(written(tmp_path, *rows, columns=columns), "monotonic", k=2).holds


def test_numbers_that_no_group_has_are_no_groups(tmp_path):
    assert verdict(in_parquet(written(tmp_path, "G,S 40,a 40,b")), "m-unique", m=2).holds


# -- releases one by one ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "ident", "given", "each"),
    [
        ("joint-breaks-2-distinct", "m-invariance", {"m": 2}, [0, 4, 3]),
        ("clinic-merged", "m-unique", {"m": 2}, [1, 2, 1]),
        ("cases-independent", "monotonic", {"k": 2}, [0, 3]),
    ],
)
def test_each_release_answers_for_itself(name, ident, given, each):
    principle, series = find(ident, given), open_series(EXAMPLES / name)
    require(principle, series)
    check = principle.start(series)
    found = [check.add(read(principle, series, position)) for position in range(len(each))]
    assert [sum(breach.total for breach in some) for some in found] == each


@pytest.mark.parametrize("ident", ["m-invariance", "m-distinct", "monotonic"])
def test_releases_read_without_their_key_are_a_bug(ident):
    series = open_series(EXAMPLES / "hospital-2-invariant")
    [parameter] = next(parameters(principle) for principle in PRINCIPLES if principle.name == ident)
    check = find(ident, {parameter: 2}).start(series)
    with pytest.raises(ValueError, match="read with their key"):
        check.add(series.read(0, ["Age", "Zipcode"], key=False))


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


def test_long_lists_of_values_are_cut(tmp_path):
    rows = " ".join(["G,S", *(f"1,v{value:02}" for value in [*range(20), *range(20)])])
    [offence] = verdict(written(tmp_path, rows), "m-unique", m=2).first
    assert offence.what == f"in more than one row: {', '.join(f'v{value:02}' for value in range(12))} and 8 more"


def test_lines_of_files(tmp_path):
    (tmp_path / "1.csv").write_text('G,S\n1,"a\nb"\n1,c\n')
    (tmp_path / "series.toml").write_text('[series]\nreleases = ["1.csv"]\n[columns]\nsensitive = "S"\ngroup = "G"\n')
    [files] = open_series(tmp_path).manifest.releases
    assert [line_of(files, row) for row in (0, 1)] == [2, 4]


# -- refusals -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ident", "given", "said"),
    [
        ("k-anonymity", {}, "k-anonymity needs --k; give it a whole number from 1"),
        ("k-anonymity", {"k": 0}, "k-anonymity needs --k; give it a whole number from 1"),
        ("l-diversity", {"k": 2}, "l-diversity needs --l; give it a whole number from 1"),
        ("m-unique", {"m": 2, "k": 2}, "m-unique has no --k; leave it out"),
        ("secrecy", {}, "there is no principle secrecy; choose from k-anonymity, l-diversity"),
    ],
)
def test_parameters(ident, given, said):
    with pytest.raises(UsageError) as refused:
        find(ident, given)
    assert said in str(refused.value)


@pytest.mark.parametrize(
    ("name", "ident", "given", "said"),
    [
        (
            "cases-monotonic",
            "m-invariance",
            {"m": 2},
            "needs [columns] individual, or a key file for each release; add",
        ),
        ("hospital-l-diverse-outsider", "monotonic", {"k": 2}, "or a key file for each release, or [columns] record;"),
        ("clinic-2-invariant", "monotonic", {"k": 2}, "needs [columns] quasi_identifiers; add them"),
    ],
)
def test_series_that_lack_what_is_needed(name, ident, given, said):
    with pytest.raises(UsageError) as refused:
        verdict(EXAMPLES / name, ident, **given)
    assert said in str(refused.value)
    assert str(refused.value).startswith(f"series.toml: {ident} ")


@pytest.mark.parametrize(("ident", "given"), [("k-anonymity", {"k": 1}), ("m-invariance", {"m": 1})])
def test_half_a_key_is_refused(ident, given, tmp_path):
    """The counterfeits of the other half would pass for people."""
    folder = written(tmp_path, "G,S 1,a 1,b", "G,S 1,a 1,b", **{"1": "row,individual 0,A 1,B"})
    with pytest.raises(InputError) as refused:
        verdict(folder, ident, **given)
    assert str(refused.value) == (
        "2.csv: there is no key for this release, though others have one; "
        "write private/2.key.csv or the individual column"
    )
    assert verdict(folder, "m-unique", m=2).holds


@pytest.mark.parametrize(
    ("second", "said"),
    [
        ("R,G,Q,S 1,1,1,a 2,1,1,b 1,1,1,c", '2.csv:2, column "R": this record has another row in line 4; keep one'),
        ("R,G,Q,S 1,1,1,a ,1,1,b", '2.csv:3, column "R": the row has no record id; write its record'),
    ],
)
def test_faulty_record_ids(second, said, tmp_path):
    rows = "R,G,Q,S 1,1,1,a 2,1,1,b", second
    with pytest.raises(InputError) as refused:
        verdict(written(tmp_path, *rows, columns=['record = "R"', 'quasi_identifiers = ["Q"]']), "monotonic", k=1)
    assert said in str(refused.value)


def test_a_faulty_release_is_told(tmp_path):
    shutil.copytree(EXAMPLES / "hospital-2-invariant", tmp_path / "s")
    path = tmp_path / "s/releases/2.csv"
    path.write_text(path.read_text().replace("dyspepsia", "", 1))
    with pytest.raises(InputError, match=r"releases/2\.csv:2"):
        verdict(tmp_path / "s", "m-invariance", m=2)


def test_classes_of_nothing_are_refused(tmp_path):
    (tmp_path / "1.csv").write_text("Age,Disease\n20,flu\n21,cold\n")
    (tmp_path / "series.toml").write_text('[series]\nreleases = ["1.csv"]\n\n[columns]\nsensitive = "Disease"\n')
    with pytest.raises(UsageError, match="quasi_identifiers or group"):
        checked(find("k-anonymity", {"k": 2}), open_series(tmp_path))
