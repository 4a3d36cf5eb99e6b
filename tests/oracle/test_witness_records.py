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
            ["of 6 records, at least 1 have", "of 7 classes of records, 4 have one Disease"],
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


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ('sensitive = "Value"', 'individual = "Age"\nsensitive = "Value"', "record ids beside a key"),
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
