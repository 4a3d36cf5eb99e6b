"""Series of which everything is described: never in doubt, whatever forms they have. Doubts have tests of their own."""

from itertools import product

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from audit.io.series import open_series
from audit.judgement.doubts import gather_doubts
from tests.helpers.messy import as_csv, series_of, write
from tests.helpers.running import read_audit

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


def of(columns, more="", *, drop=None, second=None, files=(), keyed=(), **changed):
    """A form: columns in the manifest and tables below them, columns of the releases, and what lies beside."""

    def build(folder):
        for name, text in dict(files).items():
            write(folder / name, text)
        for tag in keyed:
            write(folder / f"private/{tag}.key.csv", as_csv([["row", "individual"], *([n, f"p{n}"] for n in PEOPLE)]))
        rows, later = table(**changed), table(**{**changed, **(second or {})})
        first, last = (without(each, drop) if drop else each for each in (rows, later))
        return series(folder, first, last, columns, more)

    return build


def series(folder, first, second, columns, more=""):
    """Write two releases and their manifest."""
    sensitive = "" if "sensitive" in columns else 'sensitive = "Disease"\n'
    return series_of(folder, [first, second], sensitive + columns, more)


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


def renamed(f):
    german = [["Owner", "Alter", "Disease"], *table()[1:]]
    return series(f, table(), german, f'{KEY}\nrenamed = {{ "2" = {{ Alter = "Age" }} }}')


def totals_ignored(f):
    rows = [*table(), ["Total", "20-43", "flu"]]
    return series(f, rows, rows, f'{KEY}\nignore_rows = {{ Owner = ["Total"] }}')


def parquet(f):
    head, *rows = table()
    series(f, [head, *rows], [head, *rows], KEY)
    for tag in (1, 2):
        pq.write_table(
            pa.table({name: [row[at] for row in rows] for at, name in enumerate(head)}), f / f"{tag}.parquet"
        )
        (f / f"{tag}.csv").unlink()
    text = (f / "series.toml").read_text(encoding="utf-8")
    write(f / "series.toml", text.replace(".csv", ".parquet"))
    return f


REGISTER, OTHER, GROUP = (
    '[adversary]\nregister = "register.csv"',
    'quasi_identifiers = ["Age", "{}"]',
    {"Group": lambda n: n // 4},
)
FORMS = {
    "group column": of(f'{KEY}\ngroup = "Group"', **GROUP),
    "groups by cells": of(KEY),
    "key files": of(QUASI, drop="Owner", keyed=(1, 2)),
    "records": of(f'{QUASI}\nrecord = "Case"', drop="Owner", Case=lambda n: f"c{n}"),
    "registered": of(QUASI, REGISTER, drop="Owner", files={"register.csv": register()}),
    "some registered": of(QUASI, REGISTER, drop="Owner", files={"register.csv": register(range(0, 24, 3))}),
    "register of fewer columns": of(
        OTHER.format("Sex"), REGISTER, drop="Owner", files={"register.csv": register()},
        Sex=lambda n: "fm"[n // 8 % 2]),
    "anatomy": anatomy,
    "aggregated": of(f'{QUASI}\ncount = "People"', drop="Owner", People=lambda n: 1 + n % 3),
    "hierarchies": of(
        f'{OTHER.format("School")}\nindividual = "Owner"\nhierarchies = {{ School = "school.csv" }}',
        files={"school.csv": "BA;Higher;*\nMA;Higher;*\nHS;Lower;*\nES;Lower;*\n"},
        School=lambda n: ["Higher", "Lower"][n // 12]),
    "dates": of(f'{KEY}\ntypes = {{ Age = "date" }}', Age=lambda n: f"2001-0{1 + n // 12} - 2001-0{3 + n // 12}"),
    "sets": of(KEY, Age=lambda n: ["{a, b}", "{c, d}"][n // 12]),
    "masks": of(f'{KEY}\ntypes = {{ Age = "categorical" }}', Age=lambda n: ["813**", "902**"][n // 12]),
    "several sensitive": of(f'{KEY}\nsensitive = ["Disease", "State"]', State=lambda n: OTHERS[n % 4]),
    "numbers": of(f'{KEY}\ntypes = {{ Disease = "numeric" }}', Disease=lambda n: 1000 * (1 + n % 4)),
    "transitions": of(
        KEY, '[adversary]\ntransitions = "transitions.csv"',
        files={"transitions.csv": as_csv([["from", "to"], *product(SICK, SICK)])}),
    "counterfeits": of(
        f'{KEY}\ngroup = "Group"', '[counterfeits]\n"1" = "fake.csv"\n"2" = "fake.csv"',
        files={"fake.csv": "Group,Count\n0,1\n"}, Owner=lambda n: f"p{n}" if n else "~0", **GROUP),
    "unlinkable": of(f'{KEY}\nunlinkable = {{ Note = "the same in all rows" }}', Note=lambda n: "ok"),
    "crosswalk": of(
        f'{KEY}\ncrosswalk = {{ Disease = "names.csv" }}', files={"names.csv": "release,from,to\n2,Grippe,flu\n"},
        second={"Disease": lambda n: ["Grippe", *SICK[1:]][n % 4]}),
    "renamed": renamed,
    "folded": of(f'{KEY}\nfold = ["Disease"]', second={"Disease": lambda n: SICK[n % 4].upper()}),
    "parquet": parquet,
    "decimal commas": of(f'{KEY}\ndecimal = ","', Age=lambda n: f"[{n // 4},5; {n // 4},9]"),
    "spelled": of(f'{KEY}\nspelled = ["Age"]', Age=lambda n: ["20 -> 39", "40 -> 59"][n // 12]),
    "missing": of(f'{KEY}\nmissing = ["?"]', Age=lambda n: ["?", "40-59"][n // 12]),
    "totals ignored": totals_ignored,
    "latest rows": of(
        f'{KEY}\nrows = "latest"\ndate = "Seen"\nunlinkable = {{ Seen = "the day of the count" }}',
        Seen=lambda n: "2024-01-05"),
}  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_what_is_described_is_never_in_doubt(form, tmp_path):
    folder = FORMS[form](tmp_path)
    code, result = read_audit(folder)
    undecided = result["policy"]["undecided"]
    assert "undeclared" not in {each["kind"] for each in undecided}, undecided
    assert code == 0, result["policy"]
    described = open_series(folder)
    for position in range(len(described.tags)):
        described.read(position)
    assert gather_doubts(described, register=result["adversary"]["kind"] == "register") == ()
