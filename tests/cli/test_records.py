"""Series whose rows are linked by a published record id, on the command line: inputs, reports, the clause k."""

import json
import re

import pytest

from tests.cli.forms import EXAMPLES, FORMS, append, edit, read_rows, write_rows
from tests.helpers.running import run_audit, run_main

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
            '2.csv:5, column "Age": the cells of record "4" have nothing in common from here on; correct the cell',
            id="nothing in common",
        ),
    ],
)
def test_records_that_cannot_be_followed(cases, old, new, told):
    edit(cases / "releases/2.csv", old, new)
    code, out, err = run_main(str(cases))
    assert (code, out) == (2, "")
    assert err.startswith(f"audit: releases/{told}")
    assert err.count("\n") == 1


def test_record_ids_that_are_small_numbers_in_parquet(cases):
    import pyarrow as pa
    import pyarrow.parquet as pq

    for tag in "12":
        header, *rows = read_rows(cases / f"releases/{tag}.csv")
        columns = dict(zip(header, map(list, zip(*rows, strict=True)), strict=True))
        columns["Case-id"] = list(map(int, columns["Case-id"]))
        pq.write_table(pa.table(columns), cases / f"releases/{tag}.parquet")
        edit(cases / "series.toml", f"{tag}.csv", f"{tag}.parquet")
    code, result, _ = run_audit(cases, "--reveal")
    assert (code, sorted(found(result))) == (1, ["1", "2", "3", "5"])


def test_the_rows_of_an_anatomy_pair_have_exact_cells(tmp_path):
    """Exact quasi-identifiers tell records apart at once, however large their groups."""
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
    (tmp_path / "places.csv").write_text(LABELS)
    write_rows(tmp_path / "releases/1.csv", [["id", "place", "value"], ["1", one, "a"], ["2", other, "b"]])
    (tmp_path / "series.toml").write_text(
        '[series]\nname = "Places"\nreleases = ["releases/1.csv"]\n\n[columns]\nrecord = "id"\nsensitive = "value"\n'
        'quasi_identifiers = ["place"]\nhierarchies = { place = "places.csv" }\n'
    )
    code, result, _ = run_audit(tmp_path)
    violating = {violation["attack"] for violation in result["policy"]["violations"]}
    assert attack(result)["measures"]["smallest_class"] == (2 if shared else 1)
    assert ("inference-table" in violating, code == 0 or bool(violating)) == (not shared, True)


# -- with other attacks ---------------------------------------------------------------------------------


def test_beside_the_attacks_on_people(cases):
    """The same records, now with a key: all attacks, each with its own clause."""
    for tag in "12":
        path = cases / f"releases/{tag}.csv"
        header, *rows = read_rows(path)
        write_rows(path, [["Owner", *header], *([f"p{row[0]}", *row] for row in rows)])
    edit(cases / "series.toml", "[columns]\n", '[columns]\nindividual = "Owner"\n')
    code, result, _ = run_audit(cases)
    assert (code, result["adversary"]["kind"]) == (1, "linked")
    assert [entry["status"] for entry in result["attacks"]][:5] == ["complete"] * 5
    assert attack(result)["measures"]["timeline"] == [0, 4]
    _, result, _ = run_audit(cases, "--attack", "intersection")
    assert sorted(result["policy"]["not_asked"]) == ["k", "min_e"]
    code, result, _ = run_audit(cases, "--attack", "intersection", "--k", "2")
    assert {clause["measure"] for clause in result["policy"]["undecided"]} == {"k"}


def test_several_sensitive_attributes_make_no_difference(cases):
    for tag in "12":
        path = cases / f"releases/{tag}.csv"
        header, *rows = read_rows(path)
        write_rows(path, [[*header, "Ward"], *([*row, "w"] for row in rows)])
    edit(cases / "series.toml", 'sensitive = "Disease"', 'sensitive = ["Disease", "Ward"]')
    code, result, _ = run_audit(cases)
    assert code == 1
    assert [entry["attack"] for entry in result["attacks"]].count("inference-table") == 1
    assert "sensitive" not in attack(result)
    assert [each["attack"] for each in result["policy"]["violations"]].count("inference-table") == 1


def test_columns_of_records_are_read_where_anybody_is_followed(tmp_path):
    """Attacks on people follow them by the ids; in one release there is nothing to follow."""
    FORMS["hospital-l-diverse"](tmp_path / "s")
    for tag in "12":
        path = tmp_path / f"s/releases/{tag}.csv"
        header, *rows = read_rows(path)
        write_rows(path, [[*header, "Case"], *([*row, ""] for row in rows)])
    edit(tmp_path / "s/series.toml", "[columns]\n", '[columns]\nrecord = "Case"\n')
    for words in ([], ["--attack", "intersection"]):
        code, _, err = run_main(str(tmp_path / "s"), *words)
        assert (code, "the row has no record id" in err) == (2, True)
    edit(tmp_path / "s/series.toml", ', "releases/2.csv"', "")
    assert run_main(str(tmp_path / "s"), "--attack", "intersection")[0] == 0
    assert run_main(str(tmp_path / "s"))[0] == 2


# -- limits, waivers ------------------------------------------------------------------------------------


def states(result):
    return {each["clause"]: each["state"] for each in result["policy"]["clauses"]}


def test_the_manifest_may_set_k(cases):
    append(cases / "series.toml", "\n[policy]\nk = 3\n")
    code, result, _ = run_audit(cases)
    assert (code, attack(result)["measures"]["k"]) == (1, 3)
    assert attack(result)["measures"]["timeline"] == [4, 6]
    assert {finding["cause"] for finding in attack(result)["findings"]} == {"small group"}
    code, result, _ = run_audit(cases, "--k", "1")
    assert attack(result)["findings_total"] == 0
    assert states(result)["k"] == "holds"
    # Each class of records that look alike over both releases has one value, which no single release shows.
    assert (code, states(result)["max_risk"]) == (1, "violated")
    assert {(each["attack"], each["measure"]) for each in result["policy"]["violations"]} == {
        ("homogeneity", "max_risk")
    }


def test_a_limit_that_is_reached_is_no_pass():
    code, out, _ = run_main(str(EXAMPLES / "cases-monotonic"), "--time-limit", "0.000001", "--format", "json")
    result = json.loads(out)
    entry = attack(result)
    assert (code, entry["status"], entry["measures"]["timeline"]) == (3, "incomplete", [])
    assert entry["measures"]["unsafe"] is None
    assert [clause["measure"] for clause in result["policy"]["undecided"]] == ["k"]
    assert "UNDECIDED" in run_main(str(EXAMPLES / "cases-monotonic"), "--time-limit", "0.000001")[1]


def test_waived_records_are_left_out(cases):
    (cases / "private").mkdir(mode=0o700)
    ids = {record: finding["id"] for record, finding in found(run_audit(cases, "--reveal")[1]).items()}
    waiver = '\n[[waiver]]\nfinding = "{}"\nreason = "consented"\nexpires = 2999-01-01\nsize = 1\n'
    append(cases / "series.toml", waiver.format(ids["2"]))
    code, result, _ = run_audit(cases, "--reveal")
    assert (code, sorted(found(result)), attack(result)["findings_total"]) == (1, ["1", "3", "5"], 3)
    append(cases / "series.toml", "".join(waiver.format(ids[record]) for record in "135"))
    code, result, _ = run_audit(cases, "--reveal")
    assert (states(result)["k"], found(result)) == ("holds", {})
    assert (code, [each["attack"] for each in result["policy"]["violations"]]) == (1, ["homogeneity"])


def test_the_smallest_class_is_that_of_a_record_without_waiver(cases):
    (cases / "private").mkdir(mode=0o700)
    ids = {record: finding["id"] for record, finding in found(run_audit(cases, "--reveal", "--k", "3")[1]).items()}
    waiver = '\n[[waiver]]\nfinding = "{}"\nreason = "consented"\nexpires = 2999-01-01\nsize = 1\n'
    append(cases / "series.toml", "".join(waiver.format(ids[record]) for record in "1235"))
    code, result, _ = run_audit(cases, "--reveal", "--k", "3")
    assert (code, sorted(found(result))) == (1, ["4", "6"])
    small = [each for each in result["policy"]["violations"] if each["measure"] == "k"]
    assert [(violation["attack"], violation["value"]) for violation in small] == [
        (None, 2),
        ("inference-table", 2),
    ]


# -- reports --------------------------------------------------------------------------------------------


def test_the_text_report(cases):
    (cases / "private").mkdir(mode=0o700)
    code, text, _ = run_main(str(cases), "--reveal", "--findings", "all")
    assert code == 1
    assert "NOT SAFE: by homogeneity, the sensitive value is disclosed in 4 of 9 classes of rows" in text
    assert (
        "  k: records that fit what is known about one record by inference-table: 1; at least 2 are required\n" in text
    )
    assert re.search(r"inference-table +complete +4 of 6 records below k = 2 +\d+\.\d\d s\n", text)
    assert re.search(r"after release +below k by inference-table .*\n1 +0 +0\n2 +4 +4\n", text)
    lines = text[text.index("  2: only 1 in") :].splitlines()[:4]
    assert re.fullmatch(
        r"  2: only 1 in its class after release 2 \(subgroup expanding\)   \[inference-table-[0-9a-f]{16}\]", lines[0]
    )
    assert lines[1:] == [
        "    known about it: Zipcode 20437, Gender male, Age 48",
        "    release 1, group 1: 2 records with equal cells: Zipcode 2043*, Gender *, Age [21-48]",
        "    release 2, group 2: 2 records with equal cells: Zipcode 20437, Gender male, Age [48-54]",
    ]
    assert "into parts of k" in text
    assert "values never change" not in text


def test_k_is_a_whole_number_in_every_report(cases):
    text = run_main(str(cases), "--k", "4")[1]
    assert "by inference-table: 1; at least 4 are required\n" in text
    edit(cases / "series.toml", ', "releases/2.csv"', "")
    assert "by inference-table: 2; at least 4 are required\n" in run_main(str(cases), "--k", "4")[1]


@pytest.mark.parametrize(("name", "told"), [("hospital-l-diverse-outsider", True), ("hospital-l-diverse", False)])
def test_a_register_may_see_more_than_1_over_m(name, told):
    text = run_main(str(EXAMPLES / name))[1]
    assert ("A risk can exceed 1/m even where the series is m-invariant" in " ".join(text.split())) == told


EXACT = {"A": 21, "B": 26, "C": 31, "D": 36}
SWAPPED, KEPT = ("r1 r3", "r2 r4"), ("r3 r4", "r1 r2")


@pytest.mark.parametrize("known", ["key", "register"])
@pytest.mark.parametrize(("second", "code"), [(SWAPPED, 1), (KEPT, 0)])
def test_people_are_followed_by_record_ids(tmp_path, second, code, known):
    """Of the rows of A's groups only one record is in both: A has flu, though both groups have both values."""
    (tmp_path / "releases").mkdir()
    groups = {"1": ("r1 r2", "r3 r4"), "2": second}
    owner = {"r1": "A", "r2": "B", "r3": "C", "r4": "D"}
    value = {"r1": "flu", "r2": "HIV", "r3": "HIV", "r4": "flu"}
    for tag, parts in groups.items():
        lines = ["Owner,Case,Gid,Age,Disease"] if known == "key" else ["Case,Gid,Age,Disease"]
        for members in parts:
            cell = ", ".join(str(EXACT[owner[r]]) for r in members.split())
            rows = [f'{r},{members},"{{{cell}}}",{value[r]}' for r in members.split()]
            lines += [f"{owner[row[:2]]},{row}" for row in rows] if known == "key" else rows
        (tmp_path / f"releases/{tag}.csv").write_text("\n".join(lines) + "\n")
    more = 'individual = "Owner"\n'
    if known == "register":
        stays = [f"{who},{age},{tag}" for who, age in EXACT.items() for tag in "12"]
        (tmp_path / "register.csv").write_text("\n".join(["individual,Age,release", *stays]) + "\n")
        more = '[adversary]\nregister = "register.csv"\n'
    (tmp_path / "series.toml").write_text(
        '[series]\nreleases = ["releases/*.csv"]\n\n[columns]\nsensitive = "Disease"\nquasi_identifiers = ["Age"]\n'
        'group = "Gid"\nrecord = "Case"\ntypes = { Age = "numeric" }\n' + more
    )
    found, result, _ = run_audit(tmp_path, "--reveal", "--k", "1")
    assert (found, result["policy"]["undecided"]) == (code, [])
    followed = {each["attack"]: each for each in result["attacks"] if each.get("sensitive") == ["Case", "Disease"]}
    certain = {(each["individual"], each["attribute"], each["value"]) for each in followed["joint"]["findings"]}
    plain = [each for each in result["attacks"] if each["attack"] == "joint" and "sensitive" not in each]
    assert [each["findings_total"] for each in plain] == [0]
    if code:
        assert certain == {(owner[r], "Disease", value[r]) for r in owner}
        assert followed["joint"]["measures"]["timeline"] == [0, 4]
        violated = [each for each in result["policy"]["violations"] if each["measure"] == "max_risk"]
        assert ("joint", ["Case", "Disease"]) in [(each["attack"], each.get("sensitive")) for each in violated]
    else:
        assert (certain, followed["joint"]["measures"]["timeline"]) == (set(), [0, 0])


def test_counterfeits_without_a_key_leave_classes_undecided(tmp_path):
    (tmp_path / "releases").mkdir()
    (tmp_path / "releases/1.csv").write_text("Case,Gid,Age,Disease\n1,a,20,flu\n2,a,20,cold\n3,b,30,flu\n4,b,30,cold\n")
    (tmp_path / "fakes.csv").write_text("Gid,Count\na,1\n")
    (tmp_path / "series.toml").write_text(
        '[series]\nreleases = ["releases/1.csv"]\n\n[columns]\nsensitive = "Disease"\nquasi_identifiers = ["Age"]\n'
        'group = "Gid"\nrecord = "Case"\n\n[counterfeits]\n1 = "fakes.csv"\n'
    )
    code, result, _ = run_audit(tmp_path)
    assert code == 3
    [attack] = [each for each in result["attacks"] if each["attack"] == "inference-table"]
    assert attack["status"] == "incomplete"
    assert "no key shows which rows they are" in attack["reason"]
    (tmp_path / "private").mkdir()
    (tmp_path / "private/1.key.csv").write_text("row,individual\n0,A\n1,\n2,C\n3,D\n")
    code, result, _ = run_audit(tmp_path, "--attack", "inference-table")
    assert code == 1
    assert result["attacks"][0]["measures"]["unsafe"] == 1


def test_a_waiver_does_not_cover_a_class_that_shrinks_further(tmp_path):
    (tmp_path / "releases").mkdir()
    (tmp_path / "private").mkdir()

    def written(tag, ages):
        lines = [f"{case},{age},flu" for case, age in enumerate(ages)]
        (tmp_path / f"releases/{tag}.csv").write_text("\n".join(["Case,Age,Disease", *lines]) + "\n")

    head = (
        '[series]\nreleases = ["releases/*.csv"]\n\n[columns]\nsensitive = "Disease"\n'
        'quasi_identifiers = ["Age"]\nrecord = "Case"\n\n[policy]\nk = 4\n'
    )
    written(1, ["1-3"] * 3 + ["5-9"] * 4)
    (tmp_path / "series.toml").write_text(head)
    code, result, _ = run_audit(tmp_path)
    assert code == 1
    [attack] = [each for each in result["attacks"] if each["attack"] == "inference-table"]
    waivers = "".join(
        f'\n[[waiver]]\nfinding = "{each["id"]}"\nreason = "known"\nexpires = 2999-01-01\nsize = 1\n'
        for each in attack["findings"]
    )
    (tmp_path / "series.toml").write_text(head + waivers)
    _, result, _ = run_audit(tmp_path)
    small = [each for each in result["policy"]["violations"] if each["measure"] == "k"]
    assert [violation["attack"] for violation in small] == [None]
    written(2, ["1", "2", "3"] + ["5-9"] * 4)
    code, result, _ = run_audit(tmp_path)
    assert code == 1
    small = [each for each in result["policy"]["violations"] if each["measure"] == "k"]
    assert [violation["value"] for violation in small] == [1, 1]


def test_one_person_is_explained_by_all_records(tmp_path):
    """What is possible once rows are followed stands beside what the releases leave."""
    rows = {"1": ["A,r1,1,flu", "B,r2,1,gas", "C,r3,2,gas", "D,r4,2,flu"]}
    rows["2"] = ["A,r1,1,flu", "C,r3,1,gas", "B,r2,2,gas", "D,r4,2,flu"]
    for tag, lines in rows.items():
        (tmp_path / f"{tag}.csv").write_text("\n".join(["Owner,Case,Group,Disease", *lines]) + "\n")
    (tmp_path / "series.toml").write_text(
        '[series]\nreleases = ["1.csv", "2.csv"]\n\n[columns]\nsensitive = "Disease"\nquasi_identifiers = []\n'
        'group = "Group"\nindividual = "Owner"\nrecord = "Case"\n'
    )
    code, out, err = run_main("explain", str(tmp_path), "--individual", "A", "--format", "json")
    assert (code, err) == (0, "")
    plain, followed = json.loads(out)["attributes"]
    assert (plain["sensitive"], followed["sensitive"]) == ("Disease", ["Case", "Disease"])
    assert [version["groups"] for version in followed["versions"]] == [["1 / 1"]]
    [version] = followed["versions"]
    assert (version["candidates"], version["together"], version["ruled_out"]) == (["flu"], ["flu"], [])
    assert {(share["attack"], share["value"], share["risk"]) for share in version["shares"]} == {
        ("intersection", "flu", 1.0),
        ("joint", "flu", 1.0),
    }
    assert [each["together"] for each in plain["versions"]] == [["flu", "gas"]] * 2
