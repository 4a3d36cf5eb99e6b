"""Witnesses about published record ids beside inference tables by definition: what is shown is so."""

import csv
import hashlib
import json
import random
import tempfile
from collections import defaultdict
from pathlib import Path

import pytest
from hypothesis import assume, event, given, settings
from hypothesis import strategies as st

from tests.helpers.amount import some
from tests.helpers.records import on_disk, record_series
from tests.helpers.running import run_main
from tests.oracle.inference_table import table

SERIES, FORGERIES = some(60), 5
EXAMPLES = Path(__file__).parent.parent / "examples"


def with_values(folder, values):
    """Give each record a value, in all releases."""
    for path in (folder / "releases").glob("*.csv"):
        with path.open(newline="") as file:
            head, *lines = csv.reader(file)
        with path.open("w", newline="") as file:
            csv.writer(file).writerows([head, *([*line[:-1], values[line[0]]] for line in lines)])


def truth(series, values):
    """What the claims about records have to say, by definition."""
    sizes, single = [], 0
    for release in range(len(series.releases)):
        classes = defaultdict(list)
        for record, description in table(series, release + 1).items():
            classes[description].append(values[record])
        sizes += [len(some_values) for some_values in classes.values()]
        single += sum(len({*some_values}) == 1 for some_values in classes.values())
    return {"fewest": min(sizes)}, {"total": len(sizes), "certain": single, "two": len(sizes) - single}


@settings(max_examples=SERIES)
@given(record_series(keyed=False), st.integers(0, 2**32), st.booleans())
def test_what_is_shown_of_records_is_so_and_no_forgery_shows_more(series, seed, group_column):
    rng = random.Random(seed)  # noqa: S311 - it forges, and hides nothing
    values = {row.record: rng.choice("xyz") for rows in series.releases for row in rows}
    with on_disk(series, group_column=group_column) as folder, tempfile.TemporaryDirectory() as name:
        with_values(folder, values)
        where = Path(name) / "w"
        code, _, err = run_main(str(folder), "--witness", str(where))
        assert code != 2 or "do not support" in err, err
        assume(code != 2)
        code, said, _ = run_main("verify", str(folder), str(where))
        assert code == 0, said
        statement = json.loads((where / "statement.json").read_text())
        found = {each.get("of", each["claim"]): each for each in statement["claims"]}
        event(f"records: {'records' in found}")
        if "records" in found:
            records, alike = truth(series, values)
            assert found["records"] == {"claim": "records", "sensitive": None, "records": len(values), **records}
            about = {"claim": "values", "sensitive": "Value", "of": "classes of records"}
            assert found["classes of records"] == {**about, **alike}
        for _ in range(FORGERIES):
            forged = json.loads(json.dumps(statement))
            claim = rng.choice(forged["claims"])
            key = rng.choice([each for each, number in claim.items() if isinstance(number, int)])
            claim[key] += rng.choice([-1, 1])
            (where / "statement.json").write_text(json.dumps(forged))
            assert run_main("verify", str(folder), str(where))[0] == 1


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
