"""Series that are described in whole, in every type of column, or in waves of one file."""

import csv
import datetime
import io
import json
import tomllib
from decimal import Decimal
from itertools import product

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from audit.io.release_reading import read_release
from audit.io.series import open_series
from audit.io.texts import texts_of
from audit.judgement.doubts import gather_doubts
from tests.cli.forms import FORMS as EVERY_FORM
from tests.cli.forms import edit
from tests.helpers.messy import as_csv, series_of, write
from tests.helpers.running import done, drafted, printed, read_audit, refused, run_audit, run_main
from tests.mutants.mutant import kills

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
        OTHER.format("Sex"), f"{REGISTER}\n[register]\nSex = false", drop="Owner", files={"register.csv": register()},
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


def assert_no_doubt(folder, **asked):
    described = open_series(folder)
    for position in range(len(described.tags)):
        read_release(described, position)
    assert gather_doubts(described, **asked) == ()


@pytest.mark.many
@pytest.mark.parametrize("form", FORMS)
def test_what_is_described_is_never_in_doubt(form, tmp_path):
    folder = FORMS[form](tmp_path)
    code, result = read_audit(folder)
    undecided = result["policy"]["undecided"]
    assert "undeclared" not in {each["kind"] for each in undecided}, undecided
    assert code == 0, result["policy"]
    assert_no_doubt(folder, register=result["adversary"]["kind"] == "register")


@pytest.mark.parametrize("form", EVERY_FORM)
def test_nothing_of_the_examples_is_in_doubt(form, tmp_path):
    EVERY_FORM[form](tmp_path / "series")
    assert_no_doubt(tmp_path / "series")


DAYS = [datetime.date(2024, 1, 1), datetime.date(2024, 2, 1)]
TIMES = [datetime.datetime(2024, 1, 1), datetime.datetime(2024, 2, 1)]
COLUMNS = [
    *(pa.array([1, 2], kind()) for kind in (pa.int8, pa.int16, pa.int32, pa.int64)),
    *(pa.array([1, 2], kind()) for kind in (pa.uint8, pa.uint16, pa.uint32, pa.uint64)),
    *(pa.array(np.array([1, 2], dtype=kind)) for kind in (np.float16, np.float32, np.float64)),
    *(pa.array(np.array([0.1, 2.5], dtype=kind)) for kind in (np.float16, np.float32, np.float64)),
    pa.array([1.5, None], pa.float32()),
    *(pa.array(["a", "b"], kind()) for kind in (pa.string, pa.large_string, pa.string_view)),
    *(pa.array([b"aa", b"\xff\xfe"], kind) for kind in (pa.binary(), pa.large_binary(), pa.binary(2))),
    pa.array([True, False]),
    *(pa.array(DAYS, kind()) for kind in (pa.date32, pa.date64)),
    *(pa.array(TIMES, pa.timestamp(unit)) for unit in ("s", "ms", "us", "ns")),
    pa.array(TIMES, pa.timestamp("us", tz="UTC")),
    *(pa.array([datetime.time(1), datetime.time(2)], kind) for kind in (pa.time32("s"), pa.time64("us"))),
    pa.array([datetime.timedelta(1), datetime.timedelta(2)], pa.duration("ms")),
    *(pa.array([Decimal(1), Decimal(2)], kind) for kind in (pa.decimal128(10, 2), pa.decimal256(40, 2))),
    pa.array([None, None], pa.null()),
    pa.array([[1], [2]], pa.list_(pa.int32())),
    pa.array([{"a": 1}, {"a": 2}], pa.struct([("a", pa.int32())])),
    pa.array(["a", "b"]).dictionary_encode(),
    pa.array(np.array([0.1, 2.5], dtype=np.float32)).dictionary_encode(),
]
OTHER_TYPES = {
    "sensitive": ["x", "y", "x", "y"],
    "quasi_identifiers": [1, 1, 2, 2],
    "group": [1, 1, 2, 2],
    "individual": ["p", "q", "r", "s"],
    "record": ["1", "2", "3", "4"],
    "count": [1, 1, 1, 1],
}
EACH_ITS_OWN = ("individual", "record")


def written(folder, role, column):
    """Two releases of a series whose column of a role has a type; of two rows where nobody may have several."""
    rows = [0, 1] if role in EACH_ITS_OWN else [0, 0, 1, 1]
    roles = ["sensitive", "quasi_identifiers", "group", *([role] if role in ("individual", "record", "count") else [])]
    table = {name: pa.array(OTHER_TYPES[name][: len(rows)]) for name in roles} | {
        role: pa.concat_arrays([column.slice(row, 1) for row in rows])
    }
    folder.mkdir()
    for tag in ("1", "2"):
        pq.write_table(pa.table(table), folder / f"{tag}.parquet")
    meaning = "".join(f'{name} = ["{name}"]\n' if name[0] == "q" else f'{name} = "{name}"\n' for name in roles)
    (folder / "series.toml").write_text(f'[series]\nreleases = ["1.parquet", "2.parquet"]\n[columns]\n{meaning}')
    return folder


def assert_answers(*words):
    code, out, err = run_main(*map(str, words))
    assert code in (0, 1, 2, 3), (words, err)
    lines = err.strip().splitlines()
    assert out or (lines and all(line.startswith("audit: ") for line in lines)), (words, err)


@pytest.mark.many
@pytest.mark.parametrize("role", OTHER_TYPES)
def test_every_type_in_every_role_is_audited(role, tmp_path):
    for place, column in enumerate(COLUMNS):
        assert_answers(written(tmp_path / str(place), role, column))


@pytest.mark.many
@pytest.mark.parametrize(("first", "command"), [*enumerate(["init", "check", "compare", "next", "explain"])])
def test_a_third_of_all_types_under_each_command(first, command, tmp_path):
    roles = [*OTHER_TYPES]
    for place, column in [*enumerate(COLUMNS)][first % 3 :: 3]:
        folder = written(tmp_path / str(place), roles[place % len(roles)], column)
        words = {
            "init": ["--yes", folder],
            "check": [folder, "--principle", "k-anonymity", "--k", "2"],
            "compare": [folder, folder],
            "next": [folder, folder / "2.parquet"],
            "explain": [folder, "--individual", "p"],
        }
        if command == "init":
            (folder / "series.toml").unlink()
        assert_answers(command, *words[command])


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64])
def test_numbers_of_any_width_have_the_text_that_a_csv_file_has(kind):
    texts, _ = texts_of(pa.array(np.array([0.1, 30, 2.5], dtype=kind)))
    assert texts.to_pylist() == ["0.1", "30", "2.5"]
    assert texts_of(pa.array(np.array([30, 20], dtype=kind)))[0].to_pylist() == ["30", "20"]


WAVES = {
    "2019": [("a", "16-34", "none"), ("b", "16-34", "flu"), ("c", "35-54", "none"), ("d", "35-54", "gout")],
    "2020": [("a", "16-34", "none"), ("c", "16-34", "none"), ("d", "35-54", "gout"), ("b", "35-54", "flu")],
    "2021": [("d", "16-34", "gout"), ("b", "16-34", "flu"), ("c", "35-54", "none"), ("a", "35-54", "none")],
}
PEOPLE_BY_AGE = 'individual = "Person"\nsensitive = "Illness"\nquasi_identifiers = ["Age"]\n'
ROLES = f"\n[columns]\n{PEOPLE_BY_AGE}"


def one_file(folder, *, name="Year"):
    with (folder / "panel.csv").open("w", newline="") as file:
        rows = [(who, wave, *rest) for wave, some in WAVES.items() for who, *rest in some]
        csv.writer(file).writerows([("Person", name, "Age", "Illness"), *sorted(rows)])
    return folder


def several_files(folder):
    for wave, rows in WAVES.items():
        with (folder / f"{wave}.csv").open("w", newline="") as file:
            csv.writer(file).writerows([("Person", "Age", "Illness"), *sorted(rows)])
    return folder


def judged(folder, text):
    (folder / "series.toml").write_text(text)
    code, result = read_audit(folder)
    said = [(each["attack"], each["status"], each["measures"]) for each in result["attacks"]]
    return code, result["series"]["releases"], result["series"]["rows"], json.dumps(said), result["warnings"]


def test_waves_in_one_file_are_judged_as_files_of_their_own(tmp_path):
    (tmp_path / "one").mkdir()
    (tmp_path / "three").mkdir()
    role = 'unlinkable = { Year = "the release" }\n'
    by = '[series]\nname = "P"\nreleases = ["panel.csv"]\nreleases_by = "Year"\n'
    files = ", ".join(f'"{wave}.csv"' for wave in WAVES)
    one = judged(one_file(tmp_path / "one"), by + ROLES + role)
    three = judged(several_files(tmp_path / "three"), f'[series]\nname = "P"\nreleases = [{files}]\n' + ROLES)
    assert one[:4] == three[:4]
    assert [each["kind"] for each in one[4]] == ["unlinkable-column"], "no rows are ignored, and no file stands twice"


@kills("audit.pipeline.report_warnings._wave_warnings", "filter(names_waves, declared)", "declared")
@kills("audit.pipeline.report_warnings._wave_warnings", "3 * who.size <= ", "")
@kills("audit.pipeline.report_warnings._wave_warnings", "by != other and", "by == other and")
@pytest.mark.parametrize(
    ("by", "whose", "code"), [("Wave", "P{who}", 3), ("Ward", "P{who}", 0), ("Wave", "P{who}-{wave}", 0)]
)
def test_waves_of_a_file_that_an_older_manifest_takes_for_one_release_are_seen(tmp_path, by, whose, code):
    """A yes to an older question of `audit init` declared both columns unlinkable, and the waves one release."""
    rows = [[str(wave), whose.format(who=who, wave=wave), "20-39", "ab"[(who + wave) % 2]]
            for wave in (2021, 2022) for who in range(8)]  # fmt: skip
    columns = QUASI + f'\nsensitive = "Illness"\nunlinkable = {{ {by} = "no outsider has it", Number = "random" }}\n'
    found, result, _ = run_audit(series_of(tmp_path, [[[by, "Number", "Age", "Illness"], *rows]], columns))
    assert found == code
    assert [f'releases_by = "{by}"' in each["text"] for each in result["warnings"]].count(True) == (code == 3)


@kills("audit.pipeline.report_warnings._wave_warnings", "in declared if name in table", "in table.names")
def test_a_column_that_marks_rows_to_ignore_shows_no_waves(tmp_path):
    """It is read for its marks alone, and is not unlinkable; a text that comes again in the other wave is no person."""
    rows = [[str(wave), f"ward {at}", "20-39", "ab"[at % 2]] for wave in (1, 2) for at in range(6)]
    columns = QUASI + '\nsensitive = "Illness"\nunlinkable.Wave = "ours"\nignore_rows = { Ward = ["Total"] }\n'
    table = [["Wave", "Ward", "Age", "Illness"], *rows, ["2", "Total", "20-39", "a"]]
    _, result, _ = run_audit(series_of(tmp_path, [table], columns))
    assert not any("releases_by" in each["text"] for each in result["warnings"])


def test_key_files_count_the_rows_of_the_whole_file(tmp_path):
    """A line for a row of another release is an error; rows without a line are counted in a warning."""
    one_file(tmp_path)
    with (tmp_path / "panel.csv").open(newline="") as file:
        rows = [(at, *row) for at, row in enumerate(csv.reader(file), -1) if at >= 0]
    text = '[series]\nname = "P"\nreleases = ["panel.csv"]\nreleases_by = "Year"\n' + ROLES.replace(
        'individual = "Person"\n', 'unlinkable = { Year = "the release", Person = "random" }\n'
    )
    (tmp_path / "private").mkdir()

    def keys(numbers, last=None):
        for wave in WAVES:
            mine = [(at, who) for at, who, year, *_ in rows if year == wave]
            lines = [f"{at if numbers == 'whole' else n},{who}" for n, (at, who) in enumerate(mine)]
            key = "\n".join(["row,individual", *lines[: last if wave == "2021" else None]])
            (tmp_path / f"private/{wave}.key.csv").write_text(key)

    keys("whole")
    by_column = judged(
        one_file(tmp_path), '[series]\nname = "P"\nreleases = ["panel.csv"]\nreleases_by = "Year"\n' + ROLES
    )
    by_files = judged(tmp_path, text)
    assert by_files[:4] == by_column[:4]
    assert "key" not in [each["kind"] for each in by_files[4]]
    keys("whole", last=1)
    [warning] = [each for each in judged(tmp_path, text)[4] if each["kind"] == "key"]
    assert warning["text"].startswith("3 rows have no identifier in their key")
    assert warning["examples"] == ["private/2021.key.csv: 3 / 4"]
    keys("each")
    code, _, err = run_main(str(tmp_path))
    assert code == 2
    assert 'private/2020.key.csv:2, column "row": the row of panel.csv with this number' in err
    assert 'is not one of release "2020"' in err
    (tmp_path / "private/2020.key.csv").write_text("row,individual\n99,a")
    assert "which has 12, counted from 0" in run_main(str(tmp_path))[2]


@kills("audit.adversary.view.knows_all_rows", "keyed.strangers is None", "True")
@kills("audit.io.release_reading.ReleaseReading.release", "not release.counterfeits and", "False and")
@kills("audit.io.release_reading.ReleaseReading.release", "== OF_PEOPLE and", "is None and")
@kills("audit.init.guess._state_unnamed", "(people == NOBODY).any()", "False")
@pytest.mark.parametrize("in_file", [False, True])
def test_whose_rows_without_an_identifier_are_is_asked(tmp_path, in_file):
    """Two people without an identifier have one value in common; they were taken for counterfeits, and exit was 0."""
    people = [["Patient", "Age", "Illness"], *([f"P{n}", "20-39", "ab"[n % 2]] for n in range(4))]
    rows = [*people, ["", "40-59", "c"], ["", "40-59", "c"]]
    release = [row[1:] for row in rows] if in_file else rows
    (tmp_path / "private").mkdir()
    for tag in (1, 2):
        write(tmp_path / f"{tag}.csv", as_csv(release))
        if in_file:
            key = [["row", "individual"], *([str(at), row[0]] for at, row in enumerate(rows[1:]))]
            write(tmp_path / f"private/{tag}.key.csv", as_csv(key))
    manifest = drafted(tmp_path)
    assert "columns.unnamed" in tomllib.loads(manifest)["unconfirmed"]["keys"]
    stated = manifest.partition("[unconfirmed]")[0]
    others = "".join(line for line in stated.splitlines(keepends=True) if not line.startswith("unnamed"))
    for choice, code in (("", 3), ("people", 1), ("counterfeits", 0)):
        write(tmp_path / "series.toml", others + f'unnamed = "{choice}"\n' * bool(choice))
        found, result, _ = run_audit(tmp_path)
        assert (found, result["series"]["counterfeits"]) == (code, 0 if choice == "people" else 4)
        kept = run_main("check", str(tmp_path), "--principle", "k-anonymity", "--k", "2")[0]
        assert kept == (0 if choice else 3)


@kills("audit.judgement.pseudonyms.ReportNames.identifier", "and not keyed.nameless", "and keyed.nameless")
def test_an_unknown_person_is_no_counterfeit_in_findings(tmp_path):
    """The row of 1 without an identifier has one of the values of two people, as b and c have those of e and it."""
    tables = [
        [["Age", "Illness", "Patient"], *(row.split(" ") for row in rows.split(","))]
        for rows in ("0-9 flu a,0-9 cold ,10-19 flu b,10-19 cold c,20-29 hiv d,20-29 flu e",
                     "0-9 flu a,0-9 hiv d,10-19 cold c,10-19 flu b,20-29 flu e,20-29 gout g")
    ]  # fmt: skip
    columns = 'individual = "Patient"\nsensitive = "Illness"\nquasi_identifiers = ["Age"]\nunnamed = "people"'
    folder = str(series_of(tmp_path, tables, columns))
    out = run_main(folder, "--reveal")[1]
    assert ("unknown (release 1, group 1, 1)" in out, "~(" in out) == (True, False)
    assert "counterfeit-" not in run_main(folder)[1]


def test_rows_without_an_identifier_are_counterfeits_where_these_are_published(tmp_path):
    """One of two releases publishes a counterfeit, the other has somebody unknown; `unnamed` speaks of this one."""
    rows = [["Patient", "Group", "Illness"], ["P1", "1", "a"], ["P2", "1", "b"], ["", "1", "c"]]
    columns = (
        'group = "Group"\nindividual = "Patient"\nsensitive = "Illness"\nquasi_identifiers = []\nunnamed = "people"'
    )
    folder = series_of(tmp_path, [rows] * 2, columns, '[counterfeits]\n"1" = "fake.csv"', fake="Group,Count\n1,1\n")
    code, result, _ = run_audit(folder)
    (warning,) = (each for each in result["warnings"] if each["kind"] == "key")
    assert (code, result["series"]["counterfeits"], warning["examples"]) == (0, 1, ["2.csv: 1 / 3"])


@pytest.mark.parametrize(("who", "lines", "code"), [("P4", 6, 1), ("Q", 6, 0), ("", 6, 3), ("", 4, 3)])
def test_a_row_without_an_identifier_may_be_that_of_a_person_of_another_release(tmp_path, who, lines, code):
    """Of a person in both releases the value is certain; without the identifier in one of them, exit was 0."""
    both = [(f"P{n}", "20-39", "ab"[n % 2]) for n in range(4)]
    first, second = [("P5", "40-59", "d"), ("P4", "40-59", "c")], [(who, "40-59", "c"), ("P6", "40-59", "e")]
    files = []
    for tag, rows in enumerate([[*both, *first], [*both, *second]]):
        key = [["row", "individual"], *[[str(at), row[0]] for at, row in enumerate(rows) if tag == 0 or at != lines]]
        files.append((as_csv([["Age", "Illness"], *[row[1:] for row in rows]]), as_csv(key)))
    roles = ROLES.replace('individual = "Person"', 'unnamed = "people"')
    manifest = '[series]\nname = "K"\nreleases = [{}]\n' + roles
    for folder, last in ((tmp_path / "series", 0), (tmp_path / "whole", 1)):
        (folder / "private").mkdir(parents=True)
        for tag, (table, key) in enumerate(files):
            write((folder if tag <= last else tmp_path) / f"{tag}.csv", table)
            write((folder / "private" if tag <= last else tmp_path) / f"{tag}.key.csv", key)
        write(folder / "series.toml", manifest.format(", ".join(f'"{tag}.csv"' for tag in range(last + 1))))
    assert run_main("next", str(tmp_path / "series"), str(tmp_path / "1.csv"))[0] == code
    found, result, _ = run_audit(tmp_path / "whole")
    assert found == code
    clauses = {each["clause"]: each["state"] for each in result["policy"]["clauses"]}
    assert clauses["k"] == "holds"
    assert "1 row has no identifier and may belong to a person of another release (1)" in str(result) or code != 3


@pytest.mark.parametrize("text", ["unbekannt", "-", "k. A.", "unknown", "?", "N/A", "#NV", "0", "9999999"])
def test_an_identifier_that_may_say_unknown_is_asked_about(tmp_path, text):
    """Each such text counted as one person, and exit was 0."""
    rows = [[who, "20-39", "ab"[n % 2]] for n, who in enumerate(["4711001", "4711002", "4711003", text])]
    for line, code in (("", 3), ('spelled = ["individual"]', 0)):
        folder = series_of(tmp_path, [[["Person", "Age", "Illness"], *rows]], PEOPLE_BY_AGE + line)
        found, result, _ = run_audit(folder)
        assert (found, f'("{text}")' in str(result)) == (code, code == 3)


@pytest.mark.parametrize("text", ["unbekannt", "0", "9999999"])
def test_identifiers_of_all_releases_of_a_large_series_are_looked_at(tmp_path, text, monkeypatch):
    """Those of the first two releases were, of more than 500,000 rows together."""
    monkeypatch.setattr("audit.io.roles.MOST_ROWS", 10)
    rows = [[who, "20-39", "ab"[n % 2]] for n, who in enumerate(["4711001", "4711002", "4711003", "4711004"])]
    tables = [["Person", "Age", "Illness"], *rows], [["Person", "Age", "Illness"], *rows[:3], [text, "20-39", "b"]]
    result = run_audit(series_of(tmp_path, [tables[0], *tables], PEOPLE_BY_AGE))[1]
    assert [each["kind"] for each in result["warnings"] if f'("{text}")' in str(each)] == ["key"]


@pytest.mark.parametrize("name", ["panel.key.csv", "2020-21.key.csv"])
def test_one_key_of_a_file_says_whose_the_rows_of_all_its_releases_are(tmp_path, name):
    """It is named like the file, or, where it is about one release, like the tag without the sign of a folder."""
    rows = [(f"{year}/{year % 100 + 1}", who, "20-39", "ab"[who % 2]) for year in (2020, 2021) for who in range(4)]
    write(tmp_path / "panel.csv", as_csv([["School year", "Age", "Illness"], *[[a, c, d] for a, _, c, d in rows]]))
    of_all = [["row", "individual"], *[[str(at), f"P{who}"] for at, (_, who, *_) in enumerate(rows)]]
    (tmp_path / "private").mkdir()
    write(tmp_path / "private" / name, as_csv(of_all if name == "panel.key.csv" else of_all[:5]))
    if name != "panel.key.csv":
        write(tmp_path / "private/2021-22.key.csv", as_csv([of_all[0], *of_all[5:]]))
    text = drafted(tmp_path)
    assert "for 2 of the releases" in text
    assert 'releases_by = "School year"' in text
    result = read_audit(tmp_path)[1]
    assert (result["adversary"]["kind"], result["series"]["rows"]) == ("linked", 8)
    assert "key" not in [each["kind"] for each in result["warnings"]], "every row has a line in a key"


@pytest.mark.parametrize(
    ("name", "columns", "code"),
    [
        ("one_key.csv", ["person", "line"], 3),
        ("Schlüssel_eins.csv", ["person", "line"], 3),
        ("clé-un.csv", ["person", "line"], 3),
        ("lines.csv", ["row", "individual"], 3),
        ("two.key.csv", ["row", "individual"], 3),
        ("monkey.csv", ["person", "line"], 0),
    ],
)
def test_a_key_that_is_not_read_leaves_the_policy_undecided(tmp_path, name, columns, code):
    """Under another name it was ignored in silence, and people who are known were not judged."""
    rows = [["Age", "Illness"], ["20-39", "a"], ["20-39", "b"]]
    folder = series_of(tmp_path, [rows], 'sensitive = "Illness"\nquasi_identifiers = ["Age"]\n')
    write(folder / "private" / name, as_csv([columns, ["0", "1"], ["1", "2"]]))
    said = "private/1.key.csv, with the columns row (counted from 0: the first row is 0) and individual"
    found, out = printed(str(folder))
    assert (found, said in out) == (code, code == 3)
    write(folder / "private/1.key.csv", "row,individual\n0,x\n1,y\n")
    assert "like a key" not in printed(str(folder))[1]


def test_the_column_of_releases_needs_a_role_too(tmp_path):
    by = '[series]\nreleases = ["panel.csv"]\nreleases_by = "Year"\n'
    code, _, _, _, _ = judged(one_file(tmp_path), by + ROLES)
    assert code in {1, 3}
    _, out, _ = run_main(str(tmp_path))
    assert 'the published column "Year" has no role' in " ".join(out.split())


@kills(
    "audit.init.column_meanings._comes_again",
    "2 * np.count_nonzero(releases[column.codes] > 1) > len(column.codes)",
    "False",
)
@pytest.mark.parametrize(("name", "found"), [("Year", True), ("Welle", True), ("Income", False)])
def test_init_finds_the_column_of_waves(name, found, tmp_path):
    done("init", "--yes", str(one_file(tmp_path, name=name)))
    text = (tmp_path / "series.toml").read_text()
    assert (f'releases_by = "{name}"' in text) == found
    assert ('"series.releases_by"' in text) == found, "it is a guess"
    if found:
        assert "has few texts twice in one of them, or none" in text, "its people come again"
        assert run_audit(tmp_path)[1]["series"]["releases"] == list(WAVES)


@pytest.mark.parametrize(("answer", "releases"), [("yes", ["1", "2"]), ("no", ["panel"]), ("", ["1", "2"])])
def test_a_column_of_waves_without_people_is_asked_about(tmp_path, monkeypatch, answer, releases):
    """Whoever says yes says that the column names the release; the manifest says it then, too."""
    rows = [
        f"{year},{20 + n % 3 * 10}-{29 + n % 3 * 10},{'flu' if n % 2 else 'cold'}" for year in (1, 2) for n in range(12)
    ]
    (tmp_path / "panel.csv").write_text("\n".join(["Wave,Age,Disease", *rows]))
    assert '"series.releases_by"' in drafted(tmp_path).partition("[unconfirmed]")[2]
    code, out, _ = run_main(str(tmp_path))
    assert (code, "series.releases_by" in out) == (3, True)
    # What the waves are, and their numbers, where they name no release.
    answers = [answer, "sensitive", *["categorical"] * (answer == "no"), "quasi_identifiers"]
    monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{each}\n" for each in answers)))
    code, _, err = run_main("init", str(tmp_path), "--confirm")
    assert (code, 'Wave" name the release of each row? There are then 2 releases: 1 and 2.' in err) == (0, True), err
    code, result = read_audit(tmp_path)
    assert (code, result["series"]["releases"]) == (3 if answer == "" else 0, releases)


def test_init_says_that_keys_which_count_from_one_are_refused(tmp_path):
    (tmp_path / "private").mkdir()
    for tag in "12":
        write(tmp_path / f"{tag}.csv", as_csv([["Age", "Disease"], *(["20-39", "ab"[n % 2]] for n in range(4))]))
        write(
            tmp_path / f"private/{tag}.key.csv", as_csv([["row", "individual"], *([n + 1, f"P{n}"] for n in range(4))])
        )
    out = " ".join(done("init", "--yes", str(tmp_path)).split())
    assert "Nothing yet: an audit refuses these files: private/1.key.csv:5" in out
    assert "count the rows from 0" in run_main(str(tmp_path))[2]


def test_transitions_are_no_table_beside_the_releases(tmp_path):
    """`audit init` drafts them, and they stay when any change is possible by the answers."""
    folder = series_of(tmp_path, [[["Age", "Disease"], ["20-39", "a"], ["20-39", "b"]]], 'sensitive = "Disease"\n'
                       'quasi_identifiers = ["Age"]\n')  # fmt: skip
    place = next(folder.rglob("*.csv")).parent
    for name, columns, kinds in (("transitions", ["from", "to"], []), ("further", ["from", "by"], ["dropped-file"])):
        write(place / f"{name}.csv", as_csv([columns, ["a", "b"]]))
        assert [each["kind"] for each in read_audit(folder)[1]["warnings"]] == kinds


def test_a_column_that_is_unlinkable_now_has_no_reason_of_another_role(tmp_path, monkeypatch):
    rows = [f"{20 + n % 3 * 10},{'nsew'[n % 4]},{'ab'[n // 4 % 2]},{['flu', 'cold'][n % 2]}" for n in range(48)]
    (tmp_path / "1.csv").write_text("\n".join(["Age,Quadrant,Batch,Disease", *rows]))
    text = drafted(tmp_path)
    assert '"Quadrant", "Batch" (published as it is' in text
    answers = ["sensitive", "quasi_identifiers", "unlinkable", "drawn anew", "quasi_identifiers"]
    monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{each}\n" for each in answers)))
    assert run_main("init", str(tmp_path), "--confirm")[0] == 0
    text = (tmp_path / "series.toml").read_text(encoding="utf-8")
    assert "published as it is" not in text


def test_empty_cells_of_the_column_are_refused(tmp_path):
    one_file(tmp_path)
    (tmp_path / "panel.csv").write_text((tmp_path / "panel.csv").read_text().replace("a,2020", "a,"))
    (tmp_path / "series.toml").write_text('[series]\nreleases = ["panel.csv"]\nreleases_by = "Year"\n' + ROLES)
    code, _, err = run_main(str(tmp_path))
    assert (code, "series.toml:3: `releases_by`" in err, "empty cells" in err) == (2, True, True)


def test_microdata_may_lie_in_snapshots(tmp_path):
    (tmp_path / "snapshots").mkdir()
    several_files(tmp_path / "snapshots")
    done("init", "--microdata", "--yes", str(tmp_path))
    text = (tmp_path / "microdata.toml").read_text()
    assert all(f'"snapshots/{wave}.csv"' in text for wave in WAVES)


LINES = "from,to\nnone,none\nflu,flu\ngout,gout\n"


def with_changes(folder, listed, columns=ROLES, **changed):
    """Three waves in which some cells are others, and a list of the changes that there may be."""
    several_files(folder)
    for wave, (old, new) in changed.items():
        edit(folder / f"{wave.lstrip('_')}.csv", old, new)
    (folder / "t.csv").write_text(listed)
    files = ", ".join(f'"{wave}.csv"' for wave in WAVES)
    text = f'[series]\nreleases = [{files}]\n{columns}[adversary]\ntransitions = "t.csv"\n'
    (folder / "series.toml").write_text(text)
    return run_main(str(folder))


@kills("audit.adversary.view._check_changes", "(before != UNKNOWN) & unlisted[before, now]", "np.zeros(len(now))")
@pytest.mark.parametrize("known", [True, False], ids=["listed", "no line has gout"])
@pytest.mark.parametrize("more", ["", "none,gout\n"])
def test_missing_changes_are_named_before_anything_is_attacked(more, known, tmp_path):
    listed = (LINES if known or more else LINES.replace("gout,gout\n", "")) + more
    gout = {"_2020": ("c,16-34,none", "c,16-34,gout"), "_2021": ("c,35-54,none", "c,35-54,gout")}
    code, _, err = with_changes(tmp_path, listed, **gout)
    assert (code == 2) == (not more)
    said = "changes that the key shows are not listed: none -> gout (1 time, first in release 2020)"
    assert (said in err) == (not more)


def test_ids_remain_the_same_where_init_made_a_key(tmp_path):
    several_files(tmp_path)
    assert run_main("init", "--yes", str(tmp_path))[0] == 0
    assert (tmp_path / "private" / "finding.key").stat().st_mode & 0o077 == 0
    first, second = (
        {each["id"] for attack in run_audit(tmp_path)[1]["attacks"] for each in attack["findings"]} for _ in range(2)
    )
    assert first
    assert first == second
    (tmp_path / "private" / "finding.key").unlink()
    drawn = {each["id"] for attack in run_audit(tmp_path)[1]["attacks"] for each in attack["findings"]}
    assert len(drawn) == len(first)
    assert drawn.isdisjoint(first)


@pytest.mark.parametrize("stays", [False, True])
def test_init_takes_a_register_without_stays_for_one_of_people_who_may_be_there(stays, tmp_path):
    for tag in "12":
        rows = [("20-39", "Nord", "flu"), ("20-39", "Nord", "gout"), ("40-59", "Ost", "flu"), ("40-59", "Ost", "none")]
        with (tmp_path / f"2024-{tag}.csv").open("w", newline="") as file:
            csv.writer(file).writerows([("Age", "Town", "Disease"), *rows])
    with (tmp_path / "roll.csv").open("w", newline="") as file:
        lines = [(f"p{age}", age, town, *([1, 2] if stays else [])) for age, town in ((25, "Nord"), (45, "Ost"))]
        more = ["first", "last"] if stays else []
        csv.writer(file).writerows([("individual", "Age", "Town", *more), *lines])
    text = drafted(tmp_path)
    assert 'register = "roll.csv"' in text
    assert ('presence = "possible"' in text) == (not stays)
    assert run_audit(tmp_path)[1]["adversary"]["kind"] == ("register" if stays else "possible")


@pytest.mark.parametrize("missing", [True, False])
def test_changes_to_a_missing_value_can_be_listed(missing, tmp_path):
    """`init` drafts them from the keys; elsewhere an empty cell is a value that was forgotten."""
    columns = ROLES + ('missing = [""]\n' if missing else "")
    code, _, err = with_changes(tmp_path, f"{LINES}flu,\n,flu\n", columns, _2020=("b,35-54,flu", "b,35-54,"))
    assert (code == 2, "t.csv" in err) == (not missing, not missing)


def published(folder, out):
    """What is published of a folder of people whom `init` understands, and what it says of the snapshots."""
    code, said, err = run_main("init", "--microdata", "--yes", str(folder))
    assert code == 0, err
    code, _, err = run_main("anonymize", str(folder), "--no-audit", *METHOD, "--output", str(out))
    return code, said, err, {path.name: path.read_bytes() for path in sorted(out.glob("releases/*"))}


METHOD = ["--method", "mondrian", "--k", "2", "--seed", "1"]


def test_snapshots_in_one_file_are_published_as_files_of_their_own(tmp_path):
    (tmp_path / "one").mkdir()
    (tmp_path / "three").mkdir()
    one = published(one_file(tmp_path / "one"), tmp_path / "a")
    three = published(several_files(tmp_path / "three"), tmp_path / "b")
    assert (one[0], one[3]) == (0, three[3])
    assert len(one[3]) == len(WAVES)
    assert 'microdata.snapshots_by = "Year"' in one[1]


def test_a_row_without_a_snapshot_is_refused(tmp_path):
    folder = one_file(tmp_path)
    assert run_main("init", "--microdata", "--yes", str(folder))[0] == 0
    with (folder / "panel.csv").open("a") as file:
        file.write("z,,40,flu\n")
    assert 'snapshots_by: "Year" has empty cells' in refused("plan", str(folder)).replace("`", "")
