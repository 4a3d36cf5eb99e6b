"""Where people of one household have one value in common, no verdict holds: what their groups show is not judged."""

import json
import re
from collections import Counter
from itertools import product

import numpy as np
import pytest

from audit.io.microdata import SnapshotFile
from audit.judgement.shared_values import columns_that_share, rows_that_share
from tests.helpers.amount import some
from tests.helpers.messy import as_csv, series_of, write
from tests.helpers.running import read_audit, run_main
from tests.mutants.mutant import kills

SECOND = ((1, 2, 3, 4, 5, 0), (1, 2, 3, 0, 5, 4), (1, 2, 0, 4, 5, 3), (1, 0, 3, 2, 5, 4))
"""The class of each household's second person; the first one of household 0 is in class 0, and so on."""
HOMES = ("Elm Row", "Oak Way", "Ash Lane", "Fir Road", "Bay Hill", "Yew Court")
_BY_CHANCE = 4  # fewer values may be equal in six households by chance
BANDS = ("poor", "modest", "middling", "good", "rich", "immense")
FORMS = {
    "home": (["Home"], lambda home: [HOMES[home]], "Income"),
    "two columns": (["Street", "Number"], lambda home: [f"Street {home // 3}", f"{home % 3}"], "Income"),
    "key": ([], lambda home: [], "Income"),
    **dict.fromkeys(
        ("{home}-{member}", "{member}-{home}", "{member}{home}", "{first} {street}"), ([], lambda home: [], "Income")
    ),
    "none": ([], lambda home: [], "Household income"),
}
"""The published columns of homes, their texts of a home, and the sensitive column."""


def drawn(least):
    """Return some cases: classes of second people, and `least` values or more of households, no class having one."""
    every = [
        (second, values)
        for second, values in product(SECOND, product(*(range(most) for most in range(1, 7))))
        if all(values[home] != values[there] for home, there in enumerate(second)) and len({*values}) >= least
    ]
    return [every[at] for at in np.random.default_rng(0).choice(len(every), min(some(40), len(every)), replace=False)]


def published(folder, second, values, *, form, stated, out=False):
    """Write a release of the classes and, if it leaves the homes out, one before it that has them in a single class."""
    names, home_of, income = FORMS[form]
    rows = [(f"{place}0-{place}9", home) for home, there in enumerate(second) for place in (home, there)]
    head, short = ["Age", *names, income], ["Age", income]
    one = [[age, *home_of(home), BANDS[values[home]]] for age, home in rows]
    tables = [[head, *(["0-59", *row[1:]] for row in one)], [short, *([row[0], row[-1]] for row in one)]]
    reasons = dict.fromkeys(names, "internal") | ({income: "no outsider knows who lives together"} if stated else {})
    keys = [f"unlinkable.{json.dumps(name)} = {json.dumps(why)}\n" for name, why in reasons.items()]
    columns = f'quasi_identifiers = ["Age"]\nsensitive = "{income}"\n' + "".join(keys)
    if form == "key":
        key = [["row", "individual", "Home"], *([n, n, HOMES[home]] for n, (_, home) in enumerate(rows, 1))]
        write(folder / "private" / "1.key.csv", as_csv(key))
        one, columns = [["Total", "poor"], *one], f'{columns}ignore_rows = {{ Age = ["Total"] }}\n'
    if "{" in form:
        columns += 'spelled = ["individual"]\n'
        member = [(home, int(age[0] != str(home))) for age, home in rows]
        people = [
            form.format(home=410 + home, member=1 + n, first=("Ann", "Bob")[(home + n) % 2], street=HOMES[home])
            for home, n in member
        ]
        write(folder / "private" / "1.key.csv", as_csv([["row", "individual"], *enumerate(people)]))
    return series_of(folder, tables if out else [[head, *one]], columns)


@kills("audit.judgement.shared_values._in_keys", "if name not in {*KEY_COLUMNS", "if name in {*KEY_COLUMNS")
@kills("audit.judgement.shared_values._by_texts", "single += [(part,) for part in parts]", "pass")
@kills("audit.io.likely_equal.shared_parts", '" ".join(run[cut])', '" ".join(run)')
@kills("audit.judgement.shared_values._together", "(one != UNKNOWN) & (other != UNKNOWN)", "one < UNKNOWN")
@kills("audit.judgement.shared_values._by_name", "not is_of_household(sensitive) or", "True or")
@pytest.mark.parametrize(
    ("form", "out"),
    [("home", True), *((form, False) for form in FORMS)],
)
def test_no_verdict_holds_where_people_of_one_household_have_one_value_in_common(tmp_path, form, out):
    """Two columns show a home together, or only the key, its identifiers, or the name of the sensitive column."""
    private = form == "key" or "{" in form
    least = _BY_CHANCE + len(FORMS[form][0]) + private  # so many pairs of columns may show it by chance
    for at, (second, values) in enumerate(drawn(least)):
        code, _ = read_audit(published(tmp_path / f"{at}", second, values, form=form, out=out, stated=False))
        assert code == 3, (second, values)
        code, _ = read_audit(published(tmp_path / f"{at} stated", second, values, form=form, out=out, stated=True))
        assert code == 0, (second, values)


@pytest.mark.parametrize(
    ("values", "releases"),
    [
        ("cdabed", [["c d e f", "b B D E", "a A C F"]]),
        ("becaad", [["a b c e", "B C d f", "A D E F"], ["a d e f", "b c E F", "A B C D"]]),
        ("ecabed", [["b d e f", "a B c D", "A C E F"], ["a c d f", "b C e E", "A B D F"]]),
    ],
)
def test_what_follows_from_households_only_together_is_not_taken_for_judged(tmp_path, values, releases):
    """Letters are the first and the second person of homes, in three classes; each home has one of the `values`.

    The classes of each home have several values in common, and yet some people can have only one.
    """
    tables, income, head = [], dict(zip("abcdef", values, strict=True)), ["row", "individual", "Street", "Number"]
    for tag, classes in enumerate(releases, 1):
        people = [(f"{place}0-{place}9", who) for place, each in enumerate(classes) for who in each.split()]
        tables.append([["Age", "Income"], *([age, income[who.lower()]] for age, who in people)])
        key = [[row, ord(who), *divmod("abcdef".index(who.lower()), 2)] for row, (_, who) in enumerate(people)]
        write(tmp_path / "private" / f"{tag}.key.csv", as_csv([head, *key]))
    columns = 'quasi_identifiers = ["Age"]\nsensitive = "Income"\n'
    clauses = read_audit(series_of(tmp_path, tables, columns))[1]["policy"]["clauses"]
    assert {each["clause"]: each["state"] for each in clauses}["max_risk"] == "undecided"


@kills("audit.publishing.publish._Work._key", "if shared and", "if not shared and")
@kills("audit.judgement.shared_values.columns_that_share", "if len(names) <= _FEW_COLUMNS and not", "if False and not")
@pytest.mark.parametrize(
    ("names", "quasi"),
    [(["Household"], ["Age"]), (["Household"], ["Age", "Household"]), (["Street", "Number"], ["Age"])],
)
@pytest.mark.parametrize("words", [(), ("--publish", "anatomy")], ids=str)
@pytest.mark.parametrize("stated", [False, True])
def test_a_household_of_microdata_is_known_to_the_audit_of_their_series(tmp_path, words, stated, names, quasi):
    """By a reason in the microdata, the series declares it and its report says it."""
    joined = " and ".join(f'"{name}"' for name in names)
    homes = [[f"H{home}"] if "Household" in names else [f"Street {home % 5}", home // 5] for home in range(24)]
    people = [(f"P{n}", *homes[n // 2], 20 + n * 7 % 40, BANDS[n // 2 % 6]) for n in range(48)]
    write(tmp_path / "micro" / "1.csv", as_csv([["Name", *names, "Age", "Income"], *people]))
    said = " ".join(run_main("init", "--microdata", str(tmp_path / "micro"), "--yes")[1].split())
    assert f'48 of 48 rows that share their text of {joined} have the same "Income" as others with it' in said
    file = tmp_path / "micro" / "microdata.toml"
    why = 'unlinkable = { Income = "only we know who lives together" }\n' * stated
    columns = re.sub("quasi_identifiers = .*", f"quasi_identifiers = {quasi}", file.read_text())
    file.write_text(columns.replace("[columns]\n", f"[columns]\n{why}"))
    words = ("anonymize", str(file.parent), "--method", "l-diversity", "--l", "2", *words, "--output")
    run_main(*words, str(tmp_path / "series"))
    code, said, _ = run_main(str(tmp_path / "series"))
    assert ("which people belong together learns" in " ".join(said.split())) == (not stated) == (code == 3)
    assert ("only we know who lives together" in " ".join(said.split())) == stated
    write(file.parent / "2.csv", (file.parent / "1.csv").read_text())
    file.write_text(file.read_text().replace('snapshots = ["1.csv"]', 'snapshots = ["1.csv", "2.csv"]'))
    assert run_main(*words, str(tmp_path / "series"), "--no-audit")[0] == 0


def test_a_value_of_households_is_not_asked_about_where_each_row_has_its_own(tmp_path):
    rows = [[f"{n // 4}0-{n // 4}9", f"H{n}", BANDS[n % 4]] for n in range(24)]
    columns = 'quasi_identifiers = ["Age"]\nsensitive = "Household income"\nunlinkable.Household = "drawn"\n'
    assert read_audit(series_of(tmp_path, [[["Age", "Household", "Household income"], *rows]], columns))[0] == 0


def households(value, homes=tuple(f"Elm Row {n}" for n in range(20))):
    """Return rows in two releases, with a home that the second one withholds, of two people of each household."""
    rows = [[f"{n % 7}0-{n % 7}9", home, value(at)] for at, home in enumerate(homes) for n in (at, at + 1)]
    return rows, [[age, "*", income] for age, _, income in rows]


@kills("audit.judgement.shared_values._may_show", "any(many", "not any(many")
@kills("audit.judgement.shared_values._is_clear", " and by_chance < limit", "")
@pytest.mark.parametrize(
    ("value", "more", "asked"),
    [
        (lambda at: BANDS[at % 6], "", "40 of 40 rows{}: who knows"),
        (
            lambda at: BANDS[at % 6],
            f"harmless = {{ Income = {[BANDS[0]]} }}",
            "32 of 40 rows{} (rows with harmless values are not among the 32): who knows",
        ),
        (lambda at: BANDS[at % 6], f"harmless = {{ Income = {[*BANDS]} }}", None),
        (lambda at: "poor" if at else "rich", "", None),  # two rows of one value have it by chance
    ],
)
def test_a_coarse_home_is_asked_about_where_its_people_have_one_value(tmp_path, value, more, asked):
    tables = [[["Age", "Home", "Income"], *rows] for rows in households(value)]
    columns = f'quasi_identifiers = ["Age", "Home"]\nsensitive = "Income"\n{more}\n'
    said = " ".join(run_main(str(series_of(tmp_path, tables, columns)))[1].split())
    what = ' that share their text of "Home" have the same "Income" as others with it'
    assert (what in said) == (asked is not None)
    assert asked is None or asked.format(f"{what}, as a household has one income") in said, said


def test_values_of_rows_that_belong_together_by_chance_are_not_asked_about(tmp_path):
    """Six of twenty homes have one value."""
    tables = [
        [
            ["Age", "Home", "Income"],
            *([age, home, BANDS[(n // 2 if n < 12 else n) % 5]] for n, (age, home, _) in enumerate(rows)),
        ]
        for rows in households(str)
    ]
    columns = 'quasi_identifiers = ["Age", "Home"]\nsensitive = "Income"\n'
    assert "belong together" not in " ".join(run_main(str(series_of(tmp_path, tables, columns)))[1].split())


@kills("audit.judgement.shared_values._is_clear", "clearly * (share - expected) >= 1 - expected and ", "")
@kills("audit.judgement.shared_values.rows_that_share", "one = several &", "one = (size > 1) &")
@pytest.mark.parametrize(
    ("share", "harmless", "asked"), [(0, (), 0), (0.15, (), 0), (0, ("poor",), 0), (0.4, (), 1), (0.8, ("poor",), 1)]
)
def test_people_are_asked_about_who_have_one_value_clearly_more_often_than_by_chance(share, harmless, asked):
    """So many of 1,000 households share their value, which for half of the people is the first one."""
    draws = np.random.default_rng(0)
    text, harmful = np.arange(2000, dtype=np.int32) // 2, np.array([band not in harmless for band in BANDS])
    for _ in range(some(20)):
        value = draws.choice(len(BANDS), (1000, 2), p=[0.5, *[0.1] * 5])
        value[:, 1] = np.where(draws.random(1000) < share, value[:, 0], value[:, 1])
        alike = (value[:, 0] == value[:, 1]) & harmful[value[:, 0]]
        rows = rows_that_share(text, value.ravel().astype(np.int32), harmful, tries=10)
        assert rows == ((2 * np.count_nonzero(alike), 2000) if asked else (0, 0))


@kills("audit.judgement.shared_values._chance_of", "(many - found) * chance", "1e9 * chance")
@pytest.mark.parametrize(("homes", "alike", "asked"), [(6, 6, 1), (12, 8, 1), (12, 7, 0), (18, 10, 1), (18, 9, 0)])
def test_few_households_are_enough_where_chance_gives_so_many_in_one_of_a_hundred_cases(homes, alike, asked):
    """Of so many couples, so many share one of four values that are equally frequent but for one."""
    value = np.arange(2 * homes, dtype=np.int32) // 2 % 4
    value[2 * alike + 1 :: 2] = (value[2 * alike + 1 :: 2] + 1) % 4
    rows = rows_that_share(np.arange(2 * homes, dtype=np.int32) // 2, value, np.full(4, fill_value=True), tries=2)
    assert rows == ((2 * alike, 2 * homes) if asked else (0, 0))


@kills("audit.judgement.shared_values.rows_that_share", "_LEAST[len(columns)] == 0", "False")
@kills("audit.judgement.shared_values._is_clear", "_BY_NAME if named else", "_BY_NAME if False else")
@kills("audit.judgement.shared_values._some_alike", "_drawn(others, counts, members))", "1)")
@pytest.mark.parametrize(
    ("share", "column", "asked"), [(0, "Code", 0), (0.6, "Code", 1), (0, "Household", 0), (0.2, "Household", 1)]
)
def test_two_of_a_household_who_have_one_value_are_enough(share, column, asked):
    """In so many of 400 households of four, two people share their value; a name may say what the column is."""
    draws, found = np.random.default_rng(0), 0
    text, harmful = np.arange(1600, dtype=np.int32) // 4, np.full(12, fill_value=True)
    for _ in range(many := some(20)):
        value = draws.choice(12, (400, 4))
        value[:, 1] = np.where(draws.random(400) < share, value[:, 0], value[:, 1])
        found += any(rows_that_share(text, value.ravel().astype(np.int32), harmful, tries=10, columns=(column,)))
    assert found == asked * many


@kills("audit.judgement.shared_values._by_texts", "if len(drawn) == len(held) > 1:", "if False:")
@kills("audit.judgement.shared_values._texts", "numbers.setdefault(text, len(numbers))", "names.index(text)")
@kills("audit.judgement.shared_values._followed", "[each.record for each in held.seen]", "[None]")
@pytest.mark.parametrize("alike", [True, False])
@pytest.mark.parametrize("record", [True, False])
def test_people_of_a_household_who_are_in_no_release_together_are_compared(tmp_path, alike, record):
    """The first person of each home is in the first release, the second one in the next, by records or by a key."""
    tables, draws = [], np.random.default_rng(0)
    for release in (1, 2):
        homes = range(24)[:: 3 - 2 * release]
        values = [home % 6 for home in homes] if release == 1 or alike else (draws.permutation(24) % 6).tolist()
        rows = [
            [f"{home % 8}0-{home % 8}9", *[f"R{release}{home}", f"H{home}"] * record, BANDS[value]]
            for home, value in zip(homes, values, strict=True)
        ]
        tables.append([["Age", *["Case", "Home"] * record, "Income"], *rows])
        if record:
            continue
        key = [
            ["row", "individual", "Home"],
            *([row, f"{release}-{row}", f"H{home}"] for row, home in enumerate(homes)),
        ]
        write(tmp_path / "private" / f"{release}.key.csv", as_csv(key))
    columns = 'quasi_identifiers = ["Age"]\nsensitive = "Income"\n'
    columns += 'record = "Case"\nunlinkable.Home = "internal"\n' * record
    said = " ".join(run_main(str(series_of(tmp_path, tables, columns)))[1].split())
    assert ("48 of 48 rows that share their text of" in said) == alike


@kills(
    "audit.judgement.shared_values._shows_together",
    "min(len(np.unique(texts)), len(np.unique(groups)))",
    "len(np.unique(texts))",
)
def test_a_group_of_two_households_is_asked_about_whose_members_share_values(tmp_path):
    """Of two homes in a group, one has one value, and the other two: of four people, two are certain."""
    homes = [f"Elm Row {n}" for n in range(16)]
    values = [BANDS[n // 2 % 3] if n // 2 % 2 == 0 else BANDS[3 + n % 3] for n in range(32)]
    rows = [[n // 4, homes[n // 2]] for n in range(32)]
    write(tmp_path / "1.rows.csv", as_csv([["Group", "Home"], *rows]))
    counts = Counter((n // 4, value) for n, value in enumerate(values))
    write(tmp_path / "1.values.csv", as_csv([["Group", "Income", "Count"], *([*key, n] for key, n in counts.items())]))
    key = [["row", "individual", "Income"], *([n, f"P{n}", value] for n, value in enumerate(values))]
    write(tmp_path / "private" / "1.key.csv", as_csv(key))
    pair, columns = (
        '{rows = "1.rows.csv", values = "1.values.csv"}',
        'group = "Group"\nquasi_identifiers = ["Home"]\ncount = "Count"',
    )
    write(tmp_path / "series.toml", f'[series]\nreleases = [{pair}]\n[columns]\n{columns}\nsensitive = "Income"\n')
    assert "which people belong together learns" in " ".join(run_main(str(tmp_path))[1].split())


@kills("audit.judgement.shared_values._by_texts", "if with_others.any() and (", "if (")
@kills("audit.judgement.shared_values._who_shares", "people[whole] > 1", "people[whole] > 0")
@kills("audit.judgement.shared_values._who_shares", "np.where(text == UNKNOWN, of_person[person], text)", "text")
@pytest.mark.parametrize(
    ("there", "named"), [("same", "1 and 2"), ("partners", "1 and 2"), ("alone", "1"), ("others", "1")]
)
@pytest.mark.parametrize("role", ['unlinkable.Home = "internal"', 'quasi_identifiers = ["Age", "Home"]'])
def test_a_release_without_the_column_is_named_only_for_people_who_belong_together(tmp_path, there, named, role):
    """The first release has couples, and people who live alone, with their homes; the second one has some of them."""
    people = {
        "same": range(40), "partners": range(0, 40, 2), "alone": range(40, 60), "others": range(60, 90),
    }[there]  # fmt: skip
    head, tables = ["Age", "Home", "Income"], []
    for tag, who in enumerate((range(60), people), 1):
        rows = [[f"{n % 5}0-{n % 5}9", f"H{n // 2 if n < 40 else n}", BANDS[(n // 2) % 6]] for n in who]
        tables.append([head, *rows] if tag == 1 else [[head[0], head[2]], *([row[0], row[2]] for row in rows)])
        key = [["row", "individual"], *([row, f"P{n}"] for row, n in enumerate(who))]
        write(tmp_path / "private" / f"{tag}.key.csv", as_csv(key))
    more = role if role.startswith("quasi") else f'quasi_identifiers = ["Age"]\n{role}'
    said = " ".join(run_main(str(series_of(tmp_path, tables, f'sensitive = "Income"\n{more}\n')))[1].split())
    assert f"what their groups have in common ({named}), which" in said


@kills("audit.judgement.shared_values.rows_that_share", "_FEW * size[few].sum() < size[size > 1].sum() or ", "")
@kills("audit.judgement.shared_values.rows_that_share", "_FEW * size[few].sum()", "2 * size[few].sum()")
@pytest.mark.parametrize(("others", "asked"), [(0, True), (800, True), (2000, False)])
def test_a_text_of_most_rows_is_no_household_but_hides_none(others, asked):
    """Of 50 pairs all share their value, beside so many people with one text, such as a gain of 0 or no household."""
    draws = np.random.default_rng(0)
    pairs = np.repeat(draws.integers(len(BANDS), size=50), 2)
    value = np.append(pairs, draws.integers(len(BANDS), size=others)).astype(np.int32)
    text = np.append(np.arange(100) // 2, np.full(others, 50)).astype(np.int32)
    rows = rows_that_share(text, value, np.full(len(BANDS), fill_value=True), tries=10)
    assert rows == ((100, 100 + others) if asked else (0, 0))


@kills("audit.judgement.shared_values.columns_that_share", "columns=key", "columns=()")
@kills("audit.judgement.shared_values._names_value", "if value is None:", "if True:")
@pytest.mark.parametrize("share", [1.0, 0.8])
def test_a_column_of_codes_or_related_to_values_shows_no_households_beside_a_fine_one(tmp_path, share):
    """Ages of 1,000 people are fine; texts of the other column are codes of bands, or those of another band."""
    draws = np.random.default_rng(0)
    band, other = draws.integers(len(BANDS), size=(2, 1000)).tolist()
    code = [one if draws.random() < share else two for one, two in zip(band, other, strict=True)]
    rows = [[n, draws.integers(100), f"B{code[n]}", BANDS[band[n]]] for n in range(1000)]
    write(tmp_path / "1.csv", as_csv([["Name", "Age", "Code", "Income"], *rows]))
    assert columns_that_share(SnapshotFile("1", tmp_path / "1.csv", "1.csv"), "Name", {"Income": ()}) == {"Income": {}}
