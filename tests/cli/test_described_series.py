"""Series of which everything is described: never in doubt, whatever forms they have. Doubts have tests of their own."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from audit.io.series import open_series
from audit.judgement.doubts import gather_doubts
from tests.helpers.messy import as_csv, write
from tests.helpers.running import run_audit

PEOPLE = range(24)
SICK = ["flu", "cold", "gout", "angina"]
OTHERS = ["none", "mild", "severe", "fatal"]
QUASI = 'quasi_identifiers = ["Age"]'
KEY = f'{QUASI}\nindividual = "Owner"'


def ages(n):
    return f"[{20 + n // 4 * 4}, {23 + n // 4 * 4}]"


def table(**columns):
    """Twenty-four people in groups of four, with four diseases in each."""
    given = {"Owner": lambda n: f"p{n}", "Age": ages, "Disease": lambda n: SICK[n % 4], **columns}
    return [list(given), *([make(n) for make in given.values()] for n in PEOPLE)]


def without(rows, name):
    place = rows[0].index(name)
    return [row[:place] + row[place + 1 :] for row in rows]


def register(people=PEOPLE, **columns):
    given = {"individual": lambda n: f"p{n}", "Age": lambda n: str(20 + n), **columns}
    return as_csv([[*given, "first", "last"], *([*(make(n) for make in given.values()), "1", "2"] for n in people)])


def series(folder, rows, columns, more="", sensitive='"Disease"', second=None):
    """Write two releases of the same rows, or of other ones, and their manifest."""
    for tag, each in ((1, rows), (2, second or rows)):
        write(folder / f"{tag}.csv", as_csv(each))
    text = f'[series]\nreleases = ["1.csv", "2.csv"]\n[columns]\nsensitive = {sensitive}\n{columns}\n{more}\n'
    write(folder / "series.toml", text)
    return folder


def group_column(f):
    return series(f, table(Group=lambda n: str(n // 4)), f'{KEY}\ngroup = "Group"')


def groups_by_cells(f):
    return series(f, table(), KEY)


def key_files(f):
    for tag in (1, 2):
        write(f / f"private/{tag}.key.csv", as_csv([["row", "individual"], *([str(n), f"p{n}"] for n in PEOPLE)]))
    return series(f, without(table(), "Owner"), QUASI)


def records(f):
    return series(f, without(table(Case=lambda n: f"c{n}"), "Owner"), f'{QUASI}\nrecord = "Case"')


def registered(f):
    write(f / "register.csv", register())
    return series(f, without(table(), "Owner"), QUASI, '[adversary]\nregister = "register.csv"')


def some_registered(f):
    write(f / "register.csv", register(range(0, 24, 3)))
    return series(f, without(table(), "Owner"), QUASI, '[adversary]\nregister = "register.csv"')


def register_of_fewer_columns(f):
    write(f / "register.csv", register())
    rows = without(table(Sex=lambda n: "fm"[n // 8 % 2]), "Owner")
    return series(f, rows, 'quasi_identifiers = ["Age", "Sex"]', '[adversary]\nregister = "register.csv"')


def anatomy(f):
    for tag in (1, 2):
        rows = [["Age", "Group"], *([str(20 + n), str(n // 4)] for n in PEOPLE)]
        write(f / f"{tag}.rows.csv", as_csv(rows))
        values = [["Group", "Disease", "count"], *([str(g), each, "1"] for g in range(6) for each in SICK)]
        write(f / f"{tag}.values.csv", as_csv(values))
        write(f / f"private/{tag}.key.csv", as_csv([["row", "individual"], *([str(n), f"p{n}"] for n in PEOPLE)]))
    pairs = ", ".join(f'{{ rows = "{tag}.rows.csv", values = "{tag}.values.csv" }}' for tag in (1, 2))
    text = f'[series]\nreleases = [{pairs}]\n[columns]\nsensitive = "Disease"\n{QUASI}\ngroup = "Group"\n'
    write(f / "series.toml", text)
    return f


def aggregated(f):
    return series(f, without(table(People=lambda n: str(1 + n % 3)), "Owner"), f'{QUASI}\ncount = "People"')


def hierarchies(f):
    write(f / "school.csv", "BA;Higher;*\nMA;Higher;*\nHS;Lower;*\nES;Lower;*\n")
    rows = table(School=lambda n: ["Higher", "Lower"][n // 12])
    more = 'individual = "Owner"\nhierarchies = { School = "school.csv" }'
    return series(f, rows, f'quasi_identifiers = ["Age", "School"]\n{more}')


def dates(f):
    rows = table(Age=lambda n: f"2001-0{1 + n // 12} - 2001-0{3 + n // 12}")
    return series(f, rows, f'{KEY}\ntypes = {{ Age = "date" }}')


def sets(f):
    return series(f, table(Age=lambda n: ["{a, b}", "{c, d}"][n // 12]), KEY)


def masks(f):
    return series(f, table(Age=lambda n: ["813**", "902**"][n // 12]), f'{KEY}\ntypes = {{ Age = "categorical" }}')


def several_sensitive(f):
    return series(f, table(State=lambda n: OTHERS[n % 4]), KEY, sensitive='["Disease", "State"]')


def numbers(f):
    rows = table(Disease=lambda n: str(1000 * (1 + n % 4)))
    return series(f, rows, f'{KEY}\ntypes = {{ Disease = "numeric" }}')


def transitions(f):
    pairs = [[one, other] for one in SICK for other in SICK]
    write(f / "transitions.csv", as_csv([["from", "to"], *pairs]))
    return series(f, table(), KEY, '[adversary]\ntransitions = "transitions.csv"')


def counterfeits(f):
    group = {"Group": lambda n: str(n // 4)}
    write(f / "fake.csv", as_csv([["Group", "Count"], ["0", "1"]]))
    rows = table(Owner=lambda n: f"p{n}" if n else "~0", **group)
    return series(f, rows, f'{KEY}\ngroup = "Group"', '[counterfeits]\n"1" = "fake.csv"\n"2" = "fake.csv"')


def unlinkable(f):
    return series(f, table(Note=lambda n: "ok"), f'{KEY}\nunlinkable = {{ Note = "the same in all rows" }}')


def crosswalk(f):
    write(f / "names.csv", "release,from,to\n2,Grippe,flu\n")
    german = table(Disease=lambda n: ["Grippe", *SICK[1:]][n % 4])
    return series(f, table(), f'{KEY}\ncrosswalk = {{ Disease = "names.csv" }}', second=german)


def renamed(f):
    german = [["Owner", "Alter", "Disease"], *table()[1:]]
    return series(f, table(), f'{KEY}\nrenamed = {{ "2" = {{ Alter = "Age" }} }}', second=german)


def folded(f):
    loud = table(Disease=lambda n: SICK[n % 4].upper())
    return series(f, table(), f'{KEY}\nfold = ["Disease"]', second=loud)


def parquet(f):
    series(f, table(), KEY)
    for tag in (1, 2):
        head, *rows = table()
        columns = {name: [row[place] for row in rows] for place, name in enumerate(head)}
        pq.write_table(pa.table(columns), f / f"{tag}.parquet")
        (f / f"{tag}.csv").unlink()
    text = (f / "series.toml").read_text(encoding="utf-8")
    write(f / "series.toml", text.replace(".csv", ".parquet"))
    return f


def decimal_commas(f):
    rows = table(Age=lambda n: f"[{n // 4},5; {n // 4},9]")
    return series(f, rows, f'{KEY}\ndecimal = ","')


def spelled(f):
    return series(f, table(Age=lambda n: ["20 -> 39", "40 -> 59"][n // 12]), f'{KEY}\nspelled = ["Age"]')


def missing(f):
    return series(f, table(Age=lambda n: ["?", "40-59"][n // 12]), f'{KEY}\nmissing = ["?"]')


def totals_ignored(f):
    rows = [*table(), ["Total", "20-43", "flu"]]
    return series(f, rows, f'{KEY}\nignore_rows = {{ Owner = ["Total"] }}')


def latest_rows(f):
    rows = table(Seen=lambda n: "2024-01-05")
    more = 'rows = "latest"\ndate = "Seen"\nunlinkable = { Seen = "the day of the count" }'
    return series(f, rows, f"{KEY}\n{more}")


FORMS = [group_column, groups_by_cells, key_files, records, registered, some_registered, register_of_fewer_columns,
         anatomy, aggregated, hierarchies, dates, sets, masks, several_sensitive, numbers, transitions, counterfeits,
         unlinkable, crosswalk, renamed, folded, parquet, decimal_commas, spelled, missing, totals_ignored,
         latest_rows]  # fmt: skip


@pytest.mark.parametrize("form", FORMS, ids=[each.__name__ for each in FORMS])
def test_what_is_described_is_never_in_doubt(form, tmp_path):
    folder = form(tmp_path)
    code, result, err = run_audit(folder)
    assert result is not None, err
    undecided = result["policy"]["undecided"]
    assert "undeclared" not in {each["kind"] for each in undecided}, undecided
    assert code == 0, result["policy"]
    described = open_series(folder)
    for position in range(len(described.tags)):
        described.read(position)
    assert gather_doubts(described, register=result["adversary"]["kind"] == "register") == ()
