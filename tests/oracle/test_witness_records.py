"""Witnesses about published record ids: examples are shown, and what may be understood otherwise is refused."""

import hashlib
import json
from pathlib import Path

import pytest

from audit.witness import verify_records
from tests.helpers.running import run_main

EXAMPLES = Path(__file__).parent.parent / "examples"


@pytest.mark.parametrize(
    ("one", "other", "common"),
    [
        (("ab", 3), ("a", 3), ("ab", 3)),
        (("ab", 3), ("ab", 3), ("ab", 3)),
        (("ab", 3), ("ac", 3), None),
        (("ab", 3), ("a", 2), None),
    ],
)
def test_what_two_masks_have_in_common(one, other, common):
    for some in ((one, other), (other, one)):
        try:
            assert verify_records.shared(*some) == common
        except NotImplementedError:
            assert common is None


@pytest.mark.parametrize("adversary", ["pseudonym", "published"])
@pytest.mark.parametrize(
    ("name", "code", "shown"),
    [
        (
            "cases-independent",
            1,
            ["of 6 records, at least 1 have", "of 10 classes of records, 7 have one Disease"],
        ),
        (
            "cases-monotonic",
            0,
            ["of 6 records, at least 2 have", "of 5 classes of records, 0 have one Disease"],
        ),
    ],
)
def test_examples_with_record_ids_are_wholly_shown(name, adversary, code, shown, tmp_path):
    series = str(EXAMPLES / name)
    assert run_main(series, "--adversary", adversary, "--witness", str(tmp_path))[0] == code
    found, said, _ = run_main("verify", series, str(tmp_path))
    assert (found, [each in said for each in shown], "rests on" in said) == (0, [True] * len(shown), False), said


@pytest.mark.parametrize(("town", "fewest"), [("y", 2), ("x", 1)])
def test_a_column_that_changes_is_one_of_each_release(town, fewest, tmp_path):
    """Two of four people move from x to y, or one of them does."""
    folder, where = tmp_path / "series", tmp_path / "w"
    folder.mkdir()
    (folder / "series.toml").write_text(
        '[series]\nname = "r"\nreleases = ["1.csv", "2.csv"]\n[columns]\nrecord = "Id"\nsensitive = "Value"\n'
        'quasi_identifiers = ["Town"]\nchanging = ["Town"]\n'
    )
    (folder / "1.csv").write_text("Id,Town,Value\n1,x,hiv\n2,x,flu\n3,x,hiv\n4,x,flu\n")
    (folder / "2.csv").write_text(f"Id,Town,Value\n4,{town},flu\n3,y,hiv\n2,x,flu\n1,x,hiv\n")
    assert run_main(str(folder), "--witness", str(where))[0] == (0 if fewest > 1 else 1)
    code, said, _ = run_main("verify", str(folder), str(where))
    assert (code, f"of 4 records, at least {fewest} have" in said) == (0, True), said


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ('sensitive = "Value"', 'sensitive = "Value"\nmissing = ["?"]', "missing in [columns]"),
        ("2,20,x,flu", "1,20,x,flu", "one twice"),
        ("1,20,x,hiv", "1,20,x,gas", "a record with two values"),
        (",20,x", ",30,x", "nothing in common"),
        (",20,x", ',"[22, 22[",x', "a range without numbers"),
    ],
)
def test_records_that_may_be_understood_otherwise_are_refused(old, new, what, tmp_path):
    """Nothing is shown by the checker alone, whatever the program would say."""
    files = {
        "series.toml": '[series]\nname = "r"\nreleases = ["releases/1.csv", "releases/2.csv"]\n[columns]\n'
        'record = "Id"\nsensitive = "Value"\nquasi_identifiers = ["Age", "City"]\n',
        "releases/1.csv": "Id,Age,City,Value\n1,20,x,hiv\n2,20,x,flu\n",
        "releases/2.csv": "Id,Age,City,Value\n1,20,x,hiv\n2,20,x,flu\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    where = tmp_path.parent / "w"
    assert run_main(str(tmp_path), "--witness", str(where))[0] == 0
    assert "shown: of 2 records, at least 2" in run_main("verify", str(tmp_path), str(where))[1]
    statement = json.loads((where / "statement.json").read_text())
    for name in ("releases/2.csv", "series.toml"):
        text = files[name].replace(old, new)
        (tmp_path / name).write_text(text)
        statement["files"][name]["sha256"] = hashlib.sha256(text.encode()).hexdigest()
    (where / "statement.json").write_text(json.dumps(statement))
    code, said, _ = run_main("verify", str(tmp_path), str(where))
    assert (code, what in said, "shown:" in said.replace("not shown:", "")) == (2, True, False), said


@pytest.mark.parametrize("record", ["", 'record = "Id"\n'])
def test_counterfeits_that_a_key_shows_are_no_people(record, tmp_path):
    """The adversary has only the files, but a class of one person is not one of two."""
    folder, where = tmp_path / "series", tmp_path / "w"
    (folder / "releases").mkdir(parents=True)
    head = '[series]\nname = "r"\nreleases = ["releases/1.csv"]\n[columns]\nsensitive = "Value"\n'
    (folder / "series.toml").write_text(f'{head}quasi_identifiers = ["Age"]\nindividual = "Owner"\n{record}')
    rows = ["Id,Age,Value,Owner", "1,20,flu,ann", "2,20,hiv,~1", "3,30,flu,bob", "4,30,hiv,eve", "5,40,flu,"]
    (folder / "releases" / "1.csv").write_text("\n".join([*rows, ""]))
    assert run_main(str(folder), "--adversary", "pseudonym" if record else "published", "--witness", str(where))[0] < 4
    claims = {each["claim"]: each for each in json.loads((where / "statement.json").read_text())["claims"]}
    assert (claims["k"]["rows"], claims["k"]["people"]) == (2, 1)
    if record:
        assert (claims["records"]["records"], claims["records"]["fewest"]) == (3, 1)
    assert (claims["values"]["total"], claims["values"]["two"]) == (2, 2)
    assert run_main("verify", str(folder), str(where))[0] == 0


def test_nothing_is_stated_of_records_where_all_are_counterfeits(tmp_path):
    folder, where = tmp_path / "series", tmp_path / "w"
    (folder / "releases").mkdir(parents=True)
    (folder / "series.toml").write_text(
        '[series]\nname = "r"\nreleases = ["releases/1.csv"]\n[columns]\nsensitive = "Value"\n'
        'quasi_identifiers = ["Age"]\nindividual = "Owner"\nrecord = "Id"\n'
    )
    (folder / "releases" / "1.csv").write_text("Id,Age,Value,Owner\n1,20,flu,~1\n2,20,hiv,\n")
    assert run_main(str(folder), "--adversary", "pseudonym", "--witness", str(where))[0] == 3
    assert "records" not in {each["claim"] for each in json.loads((where / "statement.json").read_text())["claims"]}
    assert run_main("verify", str(folder), str(where))[0] == 0
