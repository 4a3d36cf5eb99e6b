"""Keys of a manifest without effect: each ends with exit 2 and its line, and is accepted if something uses it."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from audit.count_tables.manifest import _TableManifestReader
from audit.io.manifest import _ManifestReader
from audit.model.errors import Problems
from tests.helpers.messy import as_csv, write
from tests.helpers.running import read_audit, run_main

SECTIONS = _ManifestReader(Path(), "", "", {}, Problems()).sections

# -- rows about people --------------------------------------------------------------------------------------------

ROWS = [["Owner", "Age", "Disease", "Seen"],
        *([f"p{n}", ["20-29", "30-39"][n % 2], ["flu", "cold", "gout"][n // 2 % 3], f"2024-01-{n + 10}"]
          for n in range(12))]  # fmt: skip
BASE = {
    "series": {"releases": '["1.csv"]'},
    "columns": {
        "sensitive": '"Disease"',
        "quasi_identifiers": '["Age"]',
        "individual": '"Owner"',
        "unlinkable": '{ Seen = "drawn at random" }',
    },
}
# (table, key): what nothing reads with what its message says, and what something reads. A third entry changes others.
KEYS = {
    ("series", "published"): ("{}", "the list is empty", '{ "1" = 2024-04-15 }'),
    ("columns", "individual"): ('"Nobody"', 'no release has a column "Nobody"', '"Owner"'),
    ("columns", "hierarchies"): ("{}", "the list is empty", '{ Age = "age.csv" }'),
    ("columns", "types"): ('{ Disease = "dates" }', 'unknown type "dates"', '{ Disease = "categorical" }'),
    ("columns", "missing"): ("[]", "the list is empty", '["?"]'),
    ("columns", "spelled"): ("[]", "the list is empty", '["Age"]'),
    ("columns", "changing"): (
        '["Age"]', "no effect without published record ids", '["Age"]\n[adversary]\nregister = "register.csv"'),
    ("columns", "delimiter"): ('";"', "no release is a text file", '","'),
    ("columns", "encoding"): ('"cp1252"', "no release is a text file", '"cp1252"'),
    ("columns", "renamed"): ('{ "7" = { Alter = "Age" } }', 'there is no release "7"', '{ "1" = { Owner = "Owner" } }'),
    ("columns", "crosswalk"): ('{ Aeg = "walk.csv" }', '"Aeg" is not a column with a role', '{ Disease = "walk.csv" }'),
    ("columns", "ignore_rows"): (
        '{ Patient = ["Total"] }', 'no release has a column "Patient"', '{ Owner = ["Total"] }'),
    ("columns", "fold"): ('["Aeg"]', '"Aeg" is not a column with a role', '["Disease"]'),
    ("columns", "unlinkable"): (
        '{ Seen = "drawn", Gone = "drawn" }', 'no release has a column "Gone"', '{ Seen = "drawn" }'),
    ("columns", "harmless"): ('{ Age = ["flu"] }', '"Age" is not a sensitive column', '{ Disease = ["flu"] }'),
    ("columns", "left_out"): ('{ Age = ["no"] }', '"Age" is not a sensitive column', '{ Disease = ["no"] }'),
    ("columns", "similar"): ('{ Age = "alike.csv" }', '"Age" is not a sensitive column', '{ Disease = "alike.csv" }'),
    ("columns", "date"): ('"Seen"', 'it has no effect without rows', '"Seen"\nrows = "latest"'),
    ("policy", "grave"): ('["flu"]', "it has no effect unless the policy has a limit", '["flu"]\nmax_ever_risk = 0.9'),
    ("policy", "max_ever_risk"): ("0.9", "no grave values are named for it", '0.9\ngrave = ["flu"]'),
    ("unconfirmed", "keys"): ('["columns.count"]', "a key that is not in this file", '["columns.sensitive"]'),
}  # fmt: skip
READ = {
    "the series": {("series", key) for key in ("name", "kind", "releases", "releases_by", "updates")},
    "roles: each file has to have the column": {
        ("columns", key) for key in ("sensitive", "quasi_identifiers", "group", "record", "count")
    },
    "rules of every cell, and of every file of keys, which may lie elsewhere": {
        ("columns", "decimal"), ("columns", "rows"), ("columns", "unnamed")},
    "files of which an adversary that is chosen makes use": {
        ("adversary", key) for key in ("register", "presence", "transitions", "known")
    },
    "columns that the register has to have": {("register", key) for key in SECTIONS["register"]},
    "limits": {("policy", key) for key in ("k", "max_risk", "min_e", "closeness")},
    "waivers, of which a report says what became of them": {("waiver", key) for key in SECTIONS["waiver"]},
}  # fmt: skip


def manifest(base, table="", key="", value=""):
    tables = {name: dict(keys) for name, keys in base.items()}
    if table:
        tables.setdefault(table, {}).pop(key, None)
        tables[table][key] = value
    lines = []
    for name, keys in tables.items():
        lines += [f"[{name}]", *(f"{each} = {text}" for each, text in keys.items())]
    return "\n".join(lines) + "\n"


def people(folder, *changed):
    write(folder / "1.csv", as_csv(ROWS))
    write(folder / "age.csv", "20-29;*\n30-39;*\n")
    write(folder / "register.csv", "individual,Age,release\np1,35,1\n")
    write(folder / "walk.csv", "release,from,to\n1,flu,influenza\n")
    write(folder / "alike.csv", "value,category\nflu,airways\ncold,airways\ngout,joints\n")
    write(folder / "series.toml", manifest(BASE, *changed))
    return folder


def line_of(folder, key):
    lines = (folder / "series.toml").read_text(encoding="utf-8").splitlines()
    return next(n for n, line in enumerate(lines, 1) if line.startswith(f"{key} = "))


def refused(folder, key, what):
    code, out, err = run_main(str(folder))
    [line] = err.splitlines()
    assert (code, out) == (2, ""), err
    assert line.startswith(f"audit: series.toml:{line_of(folder, key)}: `{key}`: ")
    assert what in line
    assert ";" in line  # what to do


def test_every_key_is_held_to_what_reads_it():
    named = [*KEYS, *(each for keys in READ.values() for each in keys)]
    assert sorted(named) == sorted((table, key) for table, keys in SECTIONS.items() if keys for key in keys)


@pytest.mark.parametrize(("table", "key"), KEYS)
def test_a_key_that_nothing_reads_is_refused(tmp_path, table, key):
    value, what, read = KEYS[table, key]
    folder = people(tmp_path, table, key, value)
    if key in ("delimiter", "encoding"):
        pq.write_table(pa.table({name: texts for name, *texts in zip(*ROWS, strict=True)}), folder / "1.parquet")
        write(folder / "series.toml", manifest(BASE, table, key, value).replace("1.csv", "1.parquet"))
    if key == "individual":
        write(folder / "private/1.key.csv", as_csv([["row", "individual"], *([n, f"p{n}"] for n in range(12))]))
    if key == "keys":
        assert what in run_main(str(folder))[2]
    else:
        refused(folder, key, what)
    code, result = read_audit(people(tmp_path / "read", table, key, read))
    assert code == (3 if key in ("keys", "similar") else 0), result["policy"]


@pytest.mark.parametrize(
    ("table", "key", "value"),
    [
        ("columns", "renamed", '{ "1" = {} }'),
        ("columns", "ignore_rows", "{ Owner = [] }"),
        ("columns", "unlinkable", "{}"),
        ("columns", "crosswalk", "{}"),
        ("columns", "fold", "[]"),
        ("columns", "types", "{}"),
        ("policy", "grave", "{ Disease = [] }"),
    ],
)
def test_an_empty_list_is_refused(tmp_path, table, key, value):
    refused(people(tmp_path, table, key, value), key, "the list is empty, and it has no effect")


def test_a_release_that_is_still_to_come_may_have_the_column(tmp_path):
    """Before it nothing is refused; with it, what it does not have either is."""
    candidate = [[*ROWS[0], "Sum"], *([*row, "no"] for row in ROWS[1:])]
    for name, code in (("Sum", 3), ("Smu", 2)):
        folder = people(tmp_path / name, "columns", "ignore_rows", f'{{ {name} = ["yes"] }}')
        write(tmp_path / "2.csv", as_csv(candidate))
        refused(folder, "ignore_rows", f'no release has a column "{name}"')
        found, _, err = run_main("next", str(folder), str(tmp_path / "2.csv"))
        assert (found in (0, 1, 3), f'no release has a column "{name}"' in err) == (code == 3, code == 2), err


def test_a_limit_of_the_command_line_reads_what_the_policy_says(tmp_path):
    folder = people(tmp_path, "policy", "grave", '["flu"]')
    assert run_main(str(folder), "--policy", "max_ever_risk=0.9")[0] in (0, 3)
    assert run_main("check", str(folder), "--principle", "k-anonymity", "--k", "2")[0] == 0


# -- count tables -------------------------------------------------------------------------------------------------

CELLS = [["area", "sex", "what", "n", "state", "rate", "pop"],
         *([area, sex, "cases", str(n), "", "", ""] for area, sex, n in
           [("A", "f", 20), ("A", "m", 30), ("A", "T", 50),
            ("B", "f", 25), ("B", "m", 35), ("B", "T", 60)])]  # fmt: skip
COUNTS = {
    "series": {"kind": '"tables"', "releases": '["1.csv"]'},
    "table": {
        "dimensions": '["area", "sex"]',
        "value": '"n"',
        "totals": '{ sex = "T" }',
        "not_counts": '["pop", "rate"]',
    },
    "policy": {"min_count": "5"},
}
NESTED = 'nested = { area = ["area", "what"] }'
COUNT_KEYS = {
    ("table", "measures"): ('["cases"]', "it has no effect without measure", '["cases"]\nmeasure = "what"'),
    ("table", "rates"): (
        '{ column = "percent", per = 100, decimals = 1, denominator = "pop" }', 'no table has "percent"',
        '{ column = "rate", per = 100, decimals = 1, denominator = "pop" }'),
    ("table", "change"): ('{ column = "growth" }', 'no table has "growth"', '{ column = "rate" }'),
    ("table", "not_counts"): ('["pop", "people"]', 'no table has "people"', '["pop", "rate"]'),
    ("table", "status"): ('"state"', "it has no effect without markers", '"state"\nmarkers = { "c" = [1, 4] }'),
    ("table", "levels"): ('["area"]', "it has no effect without breakdown", '["area"]\nbreakdown = "what"'),
    ("table", "breakdown"): ('"what"', "it has no effect without levels", '"what"\nlevels = ["area"]'),
    ("table", "categories"): (
        '{ area = "area.csv" }\n' + NESTED, 'the entry for "area" has no effect', '{ area = "area.csv" }'),
    ("table", "totals"): (
        '{ sex = "T", area = "" }\ncategories = { area = "area.csv" }', 'the entry for "area" has no effect',
        '{ sex = "T", area = "" }'),
    ("table", "status_hides"): (
        "true", "it has no effect without status", 'true\nstatus = "state"\nmarkers = { "c" = [1, 4] }'),
    ("table", "stock"): (
        'true\nover_time = "same"', 'it has no effect without over_time = "independent"', "true"),
    ("table", "codes"): ('["what"]', '"what" is not a dimension', '["area"]'),
    ("table", "once"): ('["n"]', '"n" is not a column of labels', '["area"]'),
    ("table", "exact"): ('["1"]', "it has no effect without rounding", '["1"]\nrounding = { to = 5 }'),
    ("table", "open"): ('["what"]', '"what" is not a dimension', '["sex"]'),
    ("table", "harmless"): (
        '{ sex = ["f"] }', "it is not sensitive", '{ sex = ["f"] }\nsensitive = ["sex"]'),
    ("table", "sensitive"): ('["what"]', '"what" is not a dimension', '["sex"]'),
    ("table", "part_of"): ('{ deaths = "" }', "is not one of the counts", '{ n = "" }\nvalues = ["n"]'),
}  # fmt: skip
COUNT_READ = {
    "the series": {("series", key) for key in ("name", "kind", "releases", "releases_by")},
    "columns that each table has to have, and forms of them": {
        ("table", key) for key in ("dimensions", "value", "values", "measure", "nested", "wide")
    },
    "rules of every cell, shown or not": {
        ("table", key)
        for key in ("not_published", "markers", "threshold", "perturbation", "rounding", "over_time", "absent", "flags")
    },
    "limits": {("policy", key) for key in ("min_count", "min_width", "min_labels")},
    "waivers, of which a report says what became of them": {
        ("waiver", key) for key in ("finding", "reason", "expires", "size")
    },
    "what `next` may hide": {("hiding", key) for key in ("cell", "keep", "cost")},
    "guesses, which have to be keys of the manifest": {("unconfirmed", "keys")},
}


def counts(folder, *changed):
    write(folder / "1.csv", as_csv(CELLS))
    write(folder / "area.csv", "label,atom\nA,a\nB,b\n")
    write(folder / "series.toml", manifest(COUNTS, *changed))
    return folder


def test_every_key_of_count_tables_is_held_to_what_reads_it():
    named = [*COUNT_KEYS, *(each for keys in COUNT_READ.values() for each in keys)]
    allowed = _TableManifestReader.sections
    assert sorted(named) == sorted((table, key) for table, keys in allowed.items() if keys for key in keys)


@pytest.mark.parametrize(("table", "key"), COUNT_KEYS)
def test_a_key_of_count_tables_that_nothing_reads_is_refused(tmp_path, table, key):
    value, what, read = COUNT_KEYS[table, key]
    refused(counts(tmp_path, table, key, value), key, what)
    folder = counts(tmp_path / "read", table, key, read)
    if "values" in read:
        text = (folder / "series.toml").read_text(encoding="utf-8")
        write(folder / "series.toml", text.replace('value = "n"\n', ""))
    code, _, err = run_main(str(folder), "--format", "json")
    assert code in (0, 1, 3), err


def test_a_cell_that_no_table_has_cannot_be_kept(tmp_path):
    for label, code in (("C", 2), ("A", 0)):
        folder = counts(tmp_path / label)
        with (folder / "series.toml").open("a", encoding="utf-8") as file:
            file.write(f'[[hiding]]\ncell = {{ area = "{label}" }}\nkeep = true\n')
        found, _, err = run_main(str(folder))
        assert (found, 'no label of "area" is "C"' in err) == (code, code == 2), err


def test_a_column_that_discloses_nothing_is_no_dimension(tmp_path):
    rows = "".join(
        f"{area},{sex},{n}\n" for area, sex, n in [("N", "f", 7), ("N", "m", 8), ("S", "f", 9), ("S", "m", 6)]
    )
    (tmp_path / "1.csv").write_text(f"area,sex,n\n{rows}", encoding="utf-8")
    head = '[series]\nkind = "tables"\nreleases = ["1.csv"]\n[table]\ndimensions = ["area", "sex"]\nvalue = "n"\n'
    (tmp_path / "series.toml").write_text(f'{head}not_counts = ["sex"]\n[policy]\nmin_count = 5\n', encoding="utf-8")
    said = '`not_counts`: "sex" is named by another key of [table], too; name it in one of these keys only'
    code, _, err = run_main(str(tmp_path))
    assert (code, err) == (2, f"audit: series.toml:7: {said}\n")
