"""Series whose rows are linked by a published record id, on the command line: inputs, reports, the clause k."""

import random

import pytest

from tests.cli.forms import EXAMPLES, FORMS, edit, write_rows
from tests.helpers.amount import some
from tests.helpers.messy import as_csv, series_of, write
from tests.helpers.running import printed, refused, run_audit, run_main
from tests.mutants.mutant import kills

CASES = "cases-independent"


@pytest.fixture
def cases(tmp_path):
    FORMS[CASES](tmp_path / "s")
    return tmp_path / "s"


def attack(result, name="inference-table"):
    [entry] = [entry for entry in result["attacks"] if entry["attack"] == name]
    return entry


def found(result):
    return {finding["record"]: finding for finding in attack(result)["findings"]}


# -- input ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        pytest.param(
            "4,2043*",
            "3,2043*",
            '2.csv:4, column "Case-id": this record has another row in line 5',
            id="a record twice",
        ),
        pytest.param("\n4,2043*", '\n"",2043*', '2.csv:5, column "Case-id": the row has no record id', id="no id"),
        pytest.param(
            "4,2043*,female,31",
            "4,2043*,female,32",
            '2.csv:5, column "Age": the cells of record "4" contradict those of earlier releases; as "Case-id" numbers '
            'the rows of each file, it may say nothing of whose row it is: then delete record = "Case-id" under '
            '[columns] of series.toml, and write unlinkable = { Case-id = "it numbers the rows of each file" } there; '
            'if not, correct the cell; if it changes with time, as a place of residence does, write changing = ["Age"]',
            id="nothing in common",
        ),
        pytest.param(
            "4,2043*,female,31,cancer\n5,",
            "4,2043*,female,32,cancer\n7,",
            '2.csv:5, column "Age": the cells of record "4" contradict those of earlier releases; correct the cell'
            '; if it changes with time, as a place of residence does, write changing = ["Age"] under [columns] of ',
            id="nothing in common, and other numbers than those of rows",
        ),
    ],
)
def test_records_that_cannot_be_followed(cases, old, new, told):
    edit(cases / "releases/2.csv", old, new)
    err = refused(str(cases))
    assert err.startswith(f"audit: releases/{told}")
    assert err.count("\n") == 1


def test_the_rows_of_an_anatomy_pair_have_exact_cells(tmp_path):
    """Exact quasi-identifiers distinguish records at once, however large their groups."""
    for tag, ages in (("1", ["21", "22", "22", "23"]), ("2", ["21", "22", "22", "23", "23"])):
        rows = [[str(place), "1", age] for place, age in enumerate(ages)]
        write_rows(tmp_path / f"{tag}.rows.csv", [["id", "group", "Age"], *rows])
        write_rows(tmp_path / f"{tag}.values.csv", [["group", "value", "count"], ["1", "flu", str(len(ages))]])
    pairs = ", ".join(f'{{ rows = "{tag}.rows.csv", values = "{tag}.values.csv" }}' for tag in "12")
    (tmp_path / "series.toml").write_text(
        f'[series]\nname = "Exact"\nreleases = [{pairs}]\n\n[columns]\nrecord = "id"\ngroup = "group"\n'
        'sensitive = "value"\nquasi_identifiers = ["Age"]\n'
    )
    code, result, _ = run_audit(tmp_path, "--reveal")
    assert (code, attack(result)["measures"]["timeline"]) == (1, [2, 1])
    assert {record: (one["release"], one["cause"]) for record, one in found(result).items()} == {
        "0": ("1", "small group"),
        "3": ("1", "small group"),
    }


OF_PLACES = 'record = "id"\nsensitive = "value"\nquasi_identifiers = ["place"]\n'
LABELS = "Rome;South;*\nBari;South;*\nOslo;North;*\n"


@pytest.mark.parametrize(
    ("one", "other", "shared"),
    [
        ("South", "{Rome, Bari}", True),
        ("South", "South", True),
        ("{South, North}", "*", True),
        ("R***", "Rome", True),
        ("B***", "Rome", False),
        ("North", "South", False),
    ],
)
def test_a_hierarchy_lists_all_values(one, other, shared, tmp_path):
    rows = [["id", "place", "value"], ["1", one, "a"], ["2", other, "b"]]
    columns = f'{OF_PLACES}hierarchies = {{ place = "places.csv" }}\n'
    code, result, _ = run_audit(series_of(tmp_path, [rows], columns, places=LABELS))
    violating = {violation["attack"] for violation in result["policy"]["violations"]}
    assert attack(result)["measures"]["smallest_class"] == (2 if shared else 1)
    assert ("inference-table" in violating, code == 0 or bool(violating)) == (not shared, True)


@pytest.mark.parametrize("cell", ["Rome, Bari", "Rome;Bari", "Rome|Bari", "St. Ann, Rome; Bari"])
def test_a_list_without_braces_is_followed_as_its_parts(cell, tmp_path):
    """Attack and checker agree on it, whatever sign separates the parts; one part is left for a record with it."""
    tables = [[["id", "place", "value"], ["1", place, "a"], ["2", cell, "b"]] for place in (cell, "Bari")]
    code, result, _ = run_audit(series_of(tmp_path, tables, OF_PLACES), "--reveal")
    assert (code, {name: one["description"] for name, one in found(result).items()}["1"]) == (1, {"place": "Bari"})


# -- columns that change with time ------------------------------------------------------------------------

WAVES = """Wave,Pupil,Sex,School,Grade,Need
2022,a,F,North,1,none
2022,b,F,North,1,aid
2022,c,F,North,1,none
2022,f,F,North,1,aid
2022,d,F,South,1,none
2022,e,F,South,1,aid
2023,e,F,South,2,aid
2023,b,F,South,2,aid
2023,d,F,South,2,none
2023,a,F,North,2,none
2023,c,F,North,2,none
2023,f,F,North,2,aid
"""


def panel(folder, *lines, text=WAVES, adversary=""):
    folder.mkdir(exist_ok=True)
    (folder / "panel.csv").write_text(text)
    (folder / "series.toml").write_text(
        '[series]\nreleases = ["panel.csv"]\nreleases_by = "Wave"\n[columns]\nsensitive = "Need"\nrecord = "Pupil"\n'
        'quasi_identifiers = ["Sex", "School", "Grade"]\nunlinkable.Wave = "the release"\n'
        + "".join(f"{line}\n" for line in lines) + adversary
    )  # fmt: skip
    return folder


@kills("attacks.descriptions.RecordDescriptions.add", "tuple(wrong)", "tuple(wrong)[:1]")
@kills("audit.adversary.followed_people.wrong_cell", "line(error.row)", "line(0)")
@pytest.mark.parametrize(
    ("lines", "place", "named"),
    [
        ([], '9, column "School"', '["School", "Grade"]'),
        (['changing = ["Grade"]'], '9, column "School"', '["Grade", "School"]'),
        (['changing = ["School"]'], '8, column "Grade"', '["School", "Grade"]'),
    ],
)
def test_cells_that_change_have_a_way_out(tmp_path, lines, place, named):
    """All columns with such cells in the release are named, beside those of the manifest, and the file's line."""
    err = refused(str(panel(tmp_path, *lines)))
    assert err.startswith(f"audit: panel.csv:{place}: ")
    assert f"write changing = {named} under [columns] of series.toml" in err


@kills("audit.adversary.followed_people.RecordContents.says", "in (None, release)", "is None")
@kills("audit.judgement.check_record.RecordFollower.read", "each.release != release", "each.release == release")
@kills("audit.judgement.pseudonyms.ReportNames.record_cells", "not source.is_absent(at, cell)", "True")
def test_each_release_of_a_column_that_changes_is_known_by_itself(tmp_path):
    """Whoever knows that a pupil moved from North to South knows the pupil's record, and no other."""
    folder = panel(tmp_path, 'changing = ["School", "Grade"]')
    code, result, _ = run_audit(folder, "--reveal")
    assert (code, attack(result)["measures"]["timeline"], [*found(result)]) == (1, [0, 1], ["b"])
    cells = {"Sex": "F", "School (2022)": "North", "School (2023)": "South", "Grade (2022)": "1", "Grade (2023)": "2"}
    assert found(result)["b"]["description"] == cells
    assert [step["cells"] for step in found(result)["b"]["certificate"]] == [
        {name: cell for name, cell in cells.items() if name == "Sex" or tag in name} for tag in ("2022", "2023")
    ]
    told = [(each["after"], each["value"], each["rows"]) for each in attack(result, "homogeneity")["findings"]]
    assert told == [("2023", "aid", 1)]
    # Nearest: nobody moves, and each class has both values.
    text = WAVES.replace("2023,b,F,South", "2023,b,F,North")
    assert run_audit(panel(tmp_path / "stay", 'changing = ["School", "Grade"]', text=text))[0] == 0


@kills("audit.io.background_knowledge.read_register", "series.columns.rules[Changing].columns", "()")
@pytest.mark.parametrize(("lines", "code"), [("a,North,1,2022\na,South,2,2023\n", 1), ("a,North,1,\n", 2)])
def test_a_line_of_a_register_is_about_one_release(tmp_path, lines, code):
    """A cell of several releases, of a column that changes, may be that of any of them."""
    adversary = '[adversary]\nregister = "register.csv"\npresence = "possible"\n'
    folder = panel(tmp_path, 'changing = ["School", "Grade"]', adversary=adversary)
    head = "individual,School,Grade,release" if code == 1 else "individual,School,Grade,of"
    (folder / "register.csv").write_text(f"{head}\n{lines}")
    if code == 1:
        assert run_audit(folder)[0] == 1
    else:
        assert '2, column "School": the line is about several releases' in refused(str(folder))
        (folder / "register.csv").write_text("individual,Sex\na,F\nb,F\n")
        assert run_audit(folder)[0] == 1


# -- reports --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "told"), [("hospital-l-diverse-outsider", True), ("hospital-l-diverse", False)])
def test_a_register_may_see_more_than_1_over_m(name, told):
    text = run_main(str(EXAMPLES / name))[1]
    assert ("A risk can exceed 1/m even where the series is m-invariant" in " ".join(text.split())) == told


def test_counterfeits_without_a_key_leave_classes_undecided(tmp_path):
    columns = 'sensitive = "Disease"\nquasi_identifiers = ["Age"]\ngroup = "Gid"\nrecord = "Case"\n'
    rows = "Case,Gid,Age,Disease\n1,a,20,flu\n2,a,20,cold\n3,b,30,flu\n4,b,30,cold\n"
    folder = series_of(tmp_path, [rows], columns, '[counterfeits]\n1 = "fakes.csv"', fakes="Gid,Count\na,1\n")
    code, result, _ = run_audit(folder)
    assert (code, attack(result)["status"]) == (3, "incomplete")
    assert "no key shows which rows they are" in attack(result)["reason"]
    write(folder / "private/1.key.csv", "row,individual\n0,A\n1,\n2,C\n3,D\n")
    code, result, _ = run_audit(folder, "--attack", "inference-table")
    assert (code, attack(result)["measures"]["unsafe"]) == (1, 1)


@pytest.mark.parametrize("seed", range(some(12)))
def test_record_ids_of_two_columns_are_read_like_those_of_one(tmp_path, seed):
    """They show which rows of a release belong together, which is not judged without a reason."""
    draw = random.Random(seed)  # noqa: S311
    people = [(f"H{n // 2}", f"{n % 2 + 1}", draw.choice("fm")) for n in range(24)]
    found = []
    for folder, head in (("one", ["Id"]), ("two", ["House", "Person"])):
        draw.seed(seed)
        drawn = [[(*each, draw.choice("abc")) for each in draw.sample(people, 20)] for _ in range(2)]
        tables = [
            [[*head, "Sex", "Disease"], *([" + ".join(row[:2]), *row[2:]] if folder == "one" else row for row in own)]
            for own in drawn
        ]
        columns = f'sensitive = "Disease"\nrecord = {head}\nquasi_identifiers = ["Sex"]\n'
        code, result, _ = run_audit(series_of(tmp_path / folder, tables, columns, '[adversary]\ntransitions = "any"'))
        assert any("show which rows belong together" in str(each) for each in result["policy"]["clauses"])
        keys = ("attack", "status", "measures", "found")
        attacks = [[*(each.get(key) for key in keys), len(each["findings"])] for each in result["attacks"]]
        found.append((code, attacks))
    assert found[0] == found[1]


@pytest.mark.parametrize(("record", "why"), [(["House", "Sex"], "two roles"), ([], "empty"), (["House", 1], "list of")])
def test_record_ids_of_columns_that_cannot_be_read_so(tmp_path, record, why):
    rows = [["House", "Sex", "Disease"], ["H1", "f", "flu"], ["H1", "m", "cold"]]
    columns = f'sensitive = "Disease"\nrecord = {record}\nquasi_identifiers = ["Sex"]\n'
    assert why in refused(str(series_of(tmp_path, [rows], columns)))


@pytest.mark.parametrize(
    ("sexes", "advice"),
    [
        ((["F", "M"], ["1", "2"]), "crosswalk = { Sex = "),
        ((["F", "M", "9"], ["1", "2", "9"]), "crosswalk = { Sex = "),
        ((["F", "M"], ["Female", "Male"]), "crosswalk = { Sex = "),
        ((["F", "M"], ["M", "F"]), "correct the cell; if it changes with time"),
        ((["1", "2"], ["3", "4"]), "correct the cell; if it changes with time"),
    ],
)
def test_a_column_in_other_codes_needs_a_crosswalk(tmp_path, sexes, advice):
    """Numbers may as well grow with time."""
    tables = [
        [["Pupil", "Sex", "Need"], *([f"E{n}", own[n % len(own)], "abc"[n % 3]] for n in range(30))] for own in sexes
    ]
    columns = 'sensitive = "Need"\nrecord = "Pupil"\nquasi_identifiers = ["Sex"]'
    err = refused(str(series_of(tmp_path, tables, columns)))
    assert '2.csv:2, column "Sex": the cells of record "E0" contradict' in err
    assert advice in err


@kills("audit.judgement.doubts.recoded_doubts", " and not (change and (one * other).any())", "")
@kills("audit.judgement.doubts.recoded_doubts", "chain(found, _replaced(held, column, spelled, rows))", "iter(found)")
@kills("audit.judgement.doubts.recoded_doubts", "fold(text) for text", "text for text")
@kills("audit.judgement.doubts.audit_doubts", "or (followed and", "or (False and")
@kills("audit.judgement.doubts._replaced", "minlength=len(new)) * new", "minlength=len(new))")
@pytest.mark.parametrize(
    ("second", "change", "code", "asked"),
    [
        ("xyz", "any", 3, True),
        ("xyc", "any", 3, True),
        ("xyc", "never", 3, True),
        ("ABC", "never", 3, False),  # spellings are asked about
        ("xycyxc", "any", 0, False),
        ("cbc", "any", 0, False),
    ],
)
def test_values_that_others_replace_for_all_who_have_them_may_be_recoded(tmp_path, second, change, code, asked):
    """By any change, the policy held for everybody, whose value had changed; to let any happen was the only advice."""
    tables = [
        [["Who", "Sex", "Need"], *([f"E{n}", "fm"[n // 15], values[n % len(values)]] for n in range(30))]
        for values in ("abc", second)
    ]
    columns = 'sensitive = "Need"\nindividual = "Who"\nquasi_identifiers = ["Sex"]'
    folder = series_of(tmp_path, tables, columns, f'[adversary]\ntransitions = "{change}"')
    found, out, err = run_main(str(folder))
    said = 'releases 1 and 2 have different values in "Need" ("a"'
    assert (found, said in " ".join(out.split())) == (code, asked), err


@kills("audit.judgement.doubts._kept", "rows[other > 0].sum(), other[rows > 0]", "rows.sum(), other")
@kills("audit.judgement.doubts.recoded_doubts", " + blank[then] < both", " < both")
@pytest.mark.parametrize(("second", "stay", "asked"), [("KKNN", 20, True), ("KKNN", 10, False), ("???N", 20, False)])
def test_people_of_a_register_whose_values_are_recoded_are_no_findings(tmp_path, second, stay, asked):
    """K took the place of S and A: all seemed certain to have N (exit 1 before), and nothing named a crosswalk."""
    tables = [[["Sex", "Need"], *(["fm"[n // 10], codes[n % 4]] for n in range(20))] for codes in ("SANN", second)]
    lines = [[f"E{n}", "fm"[n // 10], place + 1] for place, last in enumerate((20, stay)) for n in range(last)]
    register = [["individual", "Sex", "release"], *lines]
    columns = 'sensitive = "Need"\nquasi_identifiers = ["Sex"]\nmissing = ["?"]\n'
    more = '[adversary]\nregister = "register.csv"\ntransitions = "never"'
    walk = "release,from,to\n1,S,K\n1,A,K\n"
    folder = series_of(tmp_path, tables, columns, more, register=register, crosswalk=walk)
    code, out, _ = run_main(str(folder))
    line = 'crosswalk = { Need = "crosswalk.csv" }'
    assert (line in " ".join(out.split())) == asked
    if asked:
        edit(folder / "series.toml", "missing", f"{line}\nmissing")
        assert [code, run_main(str(folder))[0]] == [3, 0]


@pytest.mark.parametrize(("form", "asked"), [("z{n}-1", False), ("z{half}-{part}", True), ("h{n}-3", True)])
def test_household_numbers_of_earlier_releases_do_not_stop_a_candidate_without_them(tmp_path, form, asked):
    """Ids of the candidate that go on with a household of its own, or with an earlier one, are asked about."""
    first = [f"h{n}-{part}" for n in range(20) for part in (1, 2)]
    second = [form.format(n=n, half=n // 2, part=n % 2 + 1) for n in range(20)]
    one, other = [[["Id", "Sex", "Disease"], *([each, "f", "ab"[n % 2]] for n, each in enumerate(ids))]
                  for ids in (first, second)]  # fmt: skip
    columns = 'sensitive = "Disease"\nrecord = "Id"\nquasi_identifiers = ["Sex"]\n'
    folder = series_of(tmp_path / "s", [one], columns, '[adversary]\ntransitions = "any"')
    write(tmp_path / "2.csv", as_csv(other))
    _, judged = printed("repair", str(folder), str(tmp_path / "2.csv"), "--output", str(tmp_path / "repaired"))
    assert ("belong together" in judged.partition("The series with the candidate")[0]) == asked
