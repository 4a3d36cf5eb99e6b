"""Files as offices have them are read as what they mean, and the verdict is that of plain ones."""

import json
import random
import shutil

import pytest

from tests.cli.forms import EXAMPLES, edit, read_rows
from tests.helpers.amount import some
from tests.helpers.messy import KINDS, as_csv, series_of, write
from tests.helpers.running import asks, read_audit, refused, run_audit, run_main

PLAIN = EXAMPLES / "hospital-l-diverse"
MANIFEST = """
[series]
releases = [{releases}]

[columns]
individual = "Owner"
group = "GroupID"
quasi_identifiers = ["Age", "Zipcode"]
sensitive = "Diagnose"
{more}
"""


def tables():
    """The releases of a worked example, with a value that is no ASCII."""
    for tag in ("1", "2"):
        header, *rows = read_rows(PLAIN / f"releases/{tag}.csv")
        header = [{"Group-ID": "GroupID", "Disease": "Diagnose"}.get(name, name) for name in header]
        yield tag, [header, *([cell.replace("bronchitis", "Kehlkopfentzündung") for cell in row] for row in rows)]


def manifest(folder, files, more=""):
    names = ", ".join(f'"{path.relative_to(folder).as_posix()}"' for path in files)
    write(folder / "series.toml", MANIFEST.format(releases=names, more=more))


def comparable(finding):
    """A finding without its id, and its rows without the name of their file and their places in it."""
    rows = [{**row, "file": None, "lines": len(row["lines"])} for row in finding.get("rows", ())]
    return {key: value for key, value in finding.items() if key not in ("id", "rows")} | {"rows": rows}


def verdict(folder, *words):
    code, result = read_audit(folder, "--reveal", *words)
    found = []
    for attack in result["attacks"]:
        findings = [comparable(each) for each in attack["findings"]]
        findings.sort(key=lambda each: json.dumps(each, sort_keys=True))
        found.append((attack["attack"], attack["status"], attack["measures"], findings))
    return code, result["policy"]["violations"], result["series"]["rows"], found


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    folder = tmp_path_factory.mktemp("plain")
    manifest(folder, [KINDS["comma"](folder / "releases" / tag, rows) for tag, rows in tables()])
    return verdict(folder)


@pytest.mark.many
@pytest.mark.parametrize("kind", KINDS)
def test_one_verdict_in_every_notation(tmp_path, kind, expected):
    manifest(tmp_path, [KINDS[kind](tmp_path / "releases" / tag, rows) for tag, rows in tables()])
    assert verdict(tmp_path) == expected
    assert expected[0] == 1


def test_an_old_encoding_is_declared(tmp_path, expected):
    files = [write(tmp_path / f"{tag}.csv", as_csv(rows).encode("cp850")) for tag, rows in tables()]
    manifest(tmp_path, files)
    assert "1.csv:3: the text is not UTF-8; save the file as UTF-8; a series.toml about" in refused(str(tmp_path))
    manifest(tmp_path, files, 'encoding = "cp850"')
    assert verdict(tmp_path) == expected


@pytest.mark.parametrize("declared", ["cp1252", "cp850", "cp437", "mac-roman", "latin-1"])
@pytest.mark.parametrize("other", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_unicode_is_recognised_beside_files_of_the_declared_encoding(tmp_path, expected, declared, other):
    (_, first), (_, second) = tables()
    for rows in (first, second):
        rows[0][-1] = "Überweisung"
    files = [
        write(tmp_path / "1.csv", as_csv(first).encode(declared)),
        write(tmp_path / "2.csv", as_csv(second).encode(other)),
    ]
    renamed = [f'renamed."{tag}" = {{ "Überweisung" = "Diagnose" }}' for tag in ("1", "2")]
    manifest(tmp_path, files, "\n".join([f'encoding = "{declared}"', *renamed]))
    assert verdict(tmp_path) == expected


@pytest.mark.parametrize("renamed", ["", 'renamed."2" = { "Überweisung" = "Diagnose" }'])
def test_a_header_in_another_encoding_than_the_declared_one_is_named(tmp_path, renamed):
    (_, first), (_, second) = tables()
    second[0][-1] = "Überweisung"
    if not renamed:
        first[0][-1] = "Überweisung"
    files = [
        write(tmp_path / "1.csv", as_csv(first).encode("cp1252")),
        write(tmp_path / "2.csv", as_csv(second).encode("cp850")),
    ]
    manifest(tmp_path, files, f'encoding = "cp1252"\n{renamed}')
    if not renamed:
        edit(tmp_path / "series.toml", '"Diagnose"', '"Überweisung"')
    err = refused(str(tmp_path))
    assert 'column "Überweisung": the file is read in a wrong encoding' in err
    assert err.startswith("audit: 2.csv")
    assert "it has this column if it is cp850; save the file as UTF-8" in err
    assert "renamed" not in err


def test_a_column_that_changes_its_name(tmp_path, expected):
    (_, first), (_, second) = tables()
    second[0] = ["Owner", "GroupID", "Alter", "Zipcode", "Krankheit"]
    files = [write(tmp_path / "1.csv", as_csv(first)), write(tmp_path / "2.csv", as_csv(second))]
    manifest(tmp_path, files, 'renamed."2" = { Krankheit = "Diagnose", Alter = "Age" }')
    assert verdict(tmp_path) == expected
    manifest(tmp_path, files, 'renamed."2" = { Krank = "Diagnose", Alter = "Age" }')
    err = refused(str(tmp_path))
    assert '2.csv, column "Krank": `renamed` calls it "Diagnose", but the file has no such column' in err
    manifest(tmp_path, files, 'renamed."2" = { Krankheit = "Owner", Alter = "Age" }')
    assert 'gives it the name "Owner", which another column of the file has' in run_main(str(tmp_path))[2]


def test_values_that_change_their_names(tmp_path, expected):
    (_, first), (_, second) = tables()
    names = {"flu": "Grippe", "gastritis": "Magenschleimhautentzündung"}
    second = [[names.get(cell, cell) for cell in row] for row in second]
    files = [write(tmp_path / "1.csv", as_csv(first)), write(tmp_path / "2.csv", as_csv(second))]
    walk = "release,from,to\n" + "".join(f"2,{new},{old}\n" for old, new in names.items())
    write(tmp_path / "walk.csv", walk)
    manifest(tmp_path, files)
    assert verdict(tmp_path)[1:] != expected[1:]
    manifest(tmp_path, files, 'crosswalk = { Diagnose = "walk.csv" }')
    assert verdict(tmp_path) == expected
    write(tmp_path / "walk.csv", f"{walk}3,Ohrensausen,Tinnitus\n")
    assert verdict(tmp_path) == expected
    write(tmp_path / "walk.csv", walk.replace("2,Grippe", "22,grippe"))
    text = run_main(str(tmp_path))[1]
    assert "UNDECIDED" in text, text[:2000]
    assert "has lines for 22, which is no release" in text
    write(tmp_path / "walk.csv", "release,from,to\n3,a,b\n2,flu,a\n2,flu,b\n")
    lines = run_main(str(tmp_path))[2].splitlines()
    assert lines[0].startswith('audit: walk.csv:4, column "to": the file gives this value')


@pytest.mark.parametrize(
    ("total", "more", "code"),
    [
        ("Ensemble", "", 3),
        ("Insgesamt", "", 3),
        ("Ensemble", 'ignore_rows = { Age = ["Ensemble"] }', 0),
        ("Ensemble", 'spelled = ["Age", "Sex"]', 0),
        ("Ensemble", 'missing = ["Ensemble"]', 0),
    ],
)
def test_totals_among_quasi_identifiers_are_asked_about(total, more, code, tmp_path):
    """A manifest written by hand says nothing of the last two rows, which look alike and are no people."""
    rows = [["a", "F", "flu"], ["a", "F", "cold"], *[[total, total, each] for each in ("flu", "gout")]]
    columns = f'sensitive = "Disease"\nquasi_identifiers = ["Age", "Sex"]\n{more}\n'
    folder = series_of(tmp_path, [[["Age", "Sex", "Disease"], *rows]], columns)
    assert asks(folder, "look like totals, and are read as people") == code


@pytest.mark.parametrize("keyed", [False, True])
def test_rows_that_are_totals(tmp_path, expected, keyed):
    files = []
    for tag, (header, *rows) in tables():
        rows.insert(3, ["Summe", "99", "*", "*", str(len(rows))])
        table = [header, *rows, ["Total", "99", "*", "*", "3000"]]
        if keyed:
            key = [["row", "individual"], *([str(place), row[0]] for place, row in enumerate(table[1:]))]
            write(tmp_path / f"private/{tag}.key.csv", as_csv(key))
        files.append(write(tmp_path / f"{tag}.csv", as_csv(table)))
    manifest(tmp_path, files)
    assert verdict(tmp_path)[2] == expected[2] + 4
    manifest(tmp_path, files, 'ignore_rows = { Owner = ["Total", "Summe"] }')
    assert verdict(tmp_path) == expected


RESPELLINGS = [str.upper, str.title, lambda t: f" {t} ", lambda t: t.replace(" ", "  "), lambda t: f"00{t}.0" if
               t.isdigit() else t, lambda t: "".join(chr(ord(c) + 0xFEE0) if c.isalnum() and c.isascii() else c for c
               in t)]  # fmt: skip


@pytest.mark.parametrize("seed", range(some(25)))
def test_spelling_does_not_count_where_it_is_folded(tmp_path, seed):
    """Whatever the spelling of ids, groups and values, the verdict is that of one spelling."""
    rng = random.Random(seed)  # noqa: S311
    plain = tmp_path / "plain"
    shutil.copytree(PLAIN, plain)
    fold = 'fold = ["Disease", "individual", "Group-ID"]'
    text = (plain / "series.toml").read_text().replace("[columns]", f"[columns]\n{fold}")
    (plain / "series.toml").write_text(text)
    spelled = tmp_path / "spelled"
    shutil.copytree(plain, spelled)
    if rng.random() < 0.5:
        for folder in (plain, spelled):
            people = {row[0] for tag in "12" for row in read_rows(folder / f"releases/{tag}.csv")[1:]}
            write(folder / "known.csv", as_csv([["individual", "value"], ["Bob", "dyspepsia"]] if people else []))
            (folder / "series.toml").write_text(text + '\n[adversary]\nknown = "known.csv"\n')
    for path in [*spelled.glob("releases/*.csv"), *spelled.glob("known.csv")]:
        header, *rows = read_rows(path)
        places = [place for place, name in enumerate(header) if name not in ("Age", "Zipcode")]
        for row in rows:
            for place in places:
                row[place] = rng.choice(RESPELLINGS)(row[place])
        write(path, as_csv([header, *rows]))
    assert verdict(spelled) == verdict(plain)


@pytest.mark.parametrize(
    ("text", "covers", "more"),
    [
        pytest.param("NA", True, 'fold = ["Age"]\nmissing = ["NA"]', id="folded"),
        pytest.param("n/a", True, 'fold = ["Age"]\nmissing = ["N/A"]', id="folded otherwise"),
        pytest.param("999,9", True, 'decimal = ","\nmissing = ["999,9"]', id="with a comma"),
        pytest.param("NA", False, 'fold = ["Age"]\ntypes = { Age = "categorical" }', id="no missing text"),
    ],
)
def test_missing_texts_are_spelled_as_their_column_is(tmp_path, text, covers, more):
    """Bob may have the row with the missing age; if that text is a value of its own, he has flu."""
    rows = [["21", "flu"], [text, "gas"], [text, "flu"], ["21", "gas"]]
    then = [["21", "flu"], ["21", "flu"], [text, "gas"], [text, "HIV"]]
    tables = [as_csv([["Age", "Value"], *each], ";") for each in (rows, then)]
    columns = f'quasi_identifiers = ["Age"]\nsensitive = "Value"\n{more}\n[adversary]\nregister = "register.csv"'
    series_of(tmp_path, tables, columns, register="individual,Age,first,last\nBob,21,1,2\n")
    result = run_audit(tmp_path, "--attack", "joint", "--reveal")[1]
    assert (result["attacks"][0]["measures"]["certain"] == 0) == covers


@pytest.mark.parametrize(
    ("more", "second", "states"),
    [
        ('missing = ["NA"]', "flu gas", ("undecided", True)),
        ("", "flu gas", ("violated", True)),
        ('missing = ["NA"]', None, ("holds", False)),
        ('missing = ["?"]\nspelled = ["Value"]', "flu NA", ("holds", False)),
    ],
)
def test_a_missing_value_is_not_taken_for_one_that_never_changes(tmp_path, more, second, states):
    """A person whose value is missing in the first release may have gas: no person certainly has flu."""
    tables = [
        [["Owner", "Group", "Value"], *([name, "1", value] for name, value in zip("AB", values.split(), strict=True))]
        for values in ("flu NA", second)
        if values
    ]
    columns = f'individual = "Owner"\ngroup = "Group"\nquasi_identifiers = []\nsensitive = "Value"\n{more}'
    result = run_audit(series_of(tmp_path, tables, columns))[1]
    [clause] = [each for each in result["policy"]["clauses"] if each["clause"] == "max_risk"]
    found = any(each["findings"] for each in result["attacks"])
    assert (clause["state"], found) == states
    assert ("missing value" in str(clause["reason"])) == (clause["state"] == "undecided")


@pytest.mark.parametrize("spelled", ["5.0", "05", "+5", "5.", "0.5e1"])
@pytest.mark.parametrize(
    ("kind", "other", "code"), [("numeric", "", 1), ("numeric", "6", 0), ("categorical", "", 0)], ids=str
)
def test_sensitive_numbers_are_one_value_however_they_are_spelled(tmp_path, kind, other, code, spelled):
    """Codes are not: `05` and `5` may be two. What is known beforehand is spelled as the files are, or not."""
    columns = f'individual = "Owner"\nquasi_identifiers = ["Age"]\nsensitive = "Pay"\ntypes = {{ Pay = "{kind}" }}'
    table = [["Owner", "Age", "Pay"], ["A", "21", "5"], ["B", "21", other or spelled]]
    assert run_main(str(series_of(tmp_path, [table], columns)))[0] == code
    if kind == "numeric" and other:
        known = [["individual", "value"], ["A", spelled]]
        series_of(tmp_path, [table], columns, '[adversary]\nknown = "known.csv"', known=known)
        result = run_audit(tmp_path, "--reveal", "--attack", "joint")[1]
        assert [each["value"] for each in result["attacks"][0]["findings"]] == ["6"]


def test_rules_for_a_release_that_lies_beside_the_others_wait_for_it(tmp_path):
    """A candidate needs them before it is listed; a tag that no file has is refused."""
    files = [write(tmp_path / f"{tag}.csv", as_csv(rows)) for tag, rows in tables()]
    manifest(tmp_path, files, 'renamed.3 = { Diagnosis = "Diagnose" }')
    assert "put the file of that release beside the others" in refused(str(tmp_path))
    shutil.copy(tmp_path / "2.csv", tmp_path / "3.csv")
    code, out, err = run_main(str(tmp_path))
    assert (code, err) == (1, "")
    assert "and is not part of the series: name it under releases" in " ".join(out.split())
    assert "take it or its key to another folder (3.csv)" in " ".join(out.split())


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_further_delimiter_behind_each_row_is_an_empty_cell_but_a_text_there_is_refused(tmp_path, expected, end):
    paths = [KINDS["comma"](tmp_path / "releases" / tag, rows) for tag, rows in tables()]
    manifest(tmp_path, paths)
    for path in paths:
        header, *rows = path.read_text(encoding="utf-8").splitlines()
        path.write_bytes((end.join([header, *(f"{row}," for row in rows)]) + end).encode())
    assert verdict(tmp_path) == expected
    text = paths[0].read_text(encoding="utf-8")
    paths[0].write_text(text.replace(",\n", ",x\n", 1), encoding="utf-8")
    assert "cells where the header has" in refused(str(tmp_path))


@pytest.mark.parametrize(("leaves", "rule"), [(("1,5", "2,5"), 'decimal = ","'), (("ROME", "oslo"), 'fold = ["Size"]')])
def test_labels_of_a_hierarchy_are_spelled_as_cells_are(tmp_path, leaves, rule):
    """Decimal commas were read as points in cells alone, so that no cell was a label."""
    rows = [["Size", "Disease"], *([cell, value] for cell in (*leaves, "coarse") for value in ("flu", "cold"))]
    sizes = "".join(f"{leaf.title()};coarse;*\n" for leaf in leaves)
    columns = 'sensitive = "Disease"\nquasi_identifiers = ["Size"]\nhierarchies = { Size = "sizes.csv" }\n'
    for said, code in ((rule, 0), ("", 2 * ("fold" in rule))):
        found = run_audit(series_of(tmp_path, [rows], columns + said, sizes=sizes))[0]
        assert found == code if said else (found == 2) == (code == 2)
