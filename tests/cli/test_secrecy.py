"""What a report without --reveal keeps to itself: what private columns change, and what would join two reports."""

import hashlib
import json

import pytest

from tests.cli.forms import FORMS
from tests.helpers.running import run_main


def audited(folder, *words):
    return json.loads(run_main(str(folder), "--format", "json", *words)[1])


def hashes(result):
    return {each["path"]: each["sha256"] for each in result["inputs"]}


def renamed(folder):
    """Give the people of every release other names."""
    for path in (folder / "releases").glob("*.csv"):
        head, *lines = path.read_text().splitlines()
        place = head.split(",").index("Owner")
        changed = []
        for line in lines:
            cells = line.split(",")
            cells[place] = f"x{cells[place]}" if cells[place] else ""
            changed.append(",".join(cells))
        path.write_text("\n".join([head, *changed]) + "\n")


def test_no_hash_tells_whose_rows_they_are(tmp_path):
    FORMS["hospital-l-diverse"](tmp_path / "s")
    before, inside = audited(tmp_path / "s"), audited(tmp_path / "s", "--reveal")
    renamed(tmp_path / "s")
    after, after_inside = audited(tmp_path / "s"), audited(tmp_path / "s", "--reveal")
    assert hashes(before) == hashes(after)
    assert not set(hashes(inside).values()) & set(hashes(after_inside).values())
    for each in before["inputs"]:
        assert "Owner" not in each["columns"]
    assert all("columns" not in each for each in inside["inputs"])


def test_the_hash_of_published_columns_is_that_of_the_published_file(tmp_path):
    FORMS["hospital-l-diverse"](tmp_path / "s")
    result = audited(tmp_path / "s")
    import csv
    import io

    for each in result["inputs"]:
        with (tmp_path / "s" / each["path"]).open(newline="") as file:
            rows = list(csv.DictReader(file))
        out = io.StringIO()
        head = ",".join(f'"{name}"' for name in each["columns"]) + "\n"
        writer = csv.writer(out, quoting=csv.QUOTE_MINIMAL, lineterminator="\n")
        writer.writerows([row[name] for name in each["columns"]] for row in rows)
        plain = hashlib.sha256((head + out.getvalue()).encode()).hexdigest()
        quoted = io.StringIO()
        csv.writer(quoted, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows(
            [row[name] for name in each["columns"]] for row in rows
        )
        assert each["sha256"] in {plain, hashlib.sha256((head + quoted.getvalue()).encode()).hexdigest()}


def findings(result):
    return {found["id"] for attack in result["attacks"] for found in attack["findings"]}


def people(result):
    return {
        found["individual"] for attack in result["attacks"] for found in attack["findings"] if "individual" in found
    }


def test_two_reports_cannot_be_joined_by_their_ids(tmp_path):
    FORMS["hospital-l-diverse"](tmp_path / "s")
    (tmp_path / "s" / "private").mkdir()
    one, other = (audited(tmp_path / "s") for _ in range(2))
    assert findings(one)
    assert not findings(one) & findings(other)
    assert one["stable_ids"] is False
    assert not (tmp_path / "s" / "private" / "finding.key").exists()
    one, other = (audited(tmp_path / "s", "--stable-ids") for _ in range(2))
    assert findings(one) == findings(other)
    assert people(one) == people(other)
    assert one["stable_ids"] is True
    key = tmp_path / "s" / "private" / "finding.key"
    assert key.stat().st_mode & 0o777 == 0o600
    key.unlink()
    assert not people(one) & people(audited(tmp_path / "s", "--stable-ids"))


def test_stable_ids_need_a_place_for_their_key(tmp_path):
    FORMS["hospital-l-diverse"](tmp_path / "s")
    code, out, err = run_main(str(tmp_path / "s"), "--stable-ids")
    assert (code, out) == (2, "")
    assert "private/" in err


@pytest.mark.parametrize("content", ["", "nonsense", "ab" * 8])
def test_a_damaged_key_is_an_error(content, tmp_path):
    FORMS["hospital-l-diverse"](tmp_path / "s")
    (tmp_path / "s" / "private").mkdir()
    (tmp_path / "s" / "private" / "finding.key").write_text(content)
    code, out, err = run_main(str(tmp_path / "s"))
    assert (code, out) == (2, "")
    assert err.startswith("audit: private/finding.key: this holds no key")


@pytest.mark.parametrize("form", ["markdown", "html"])
def test_a_report_says_what_can_be_learnt_from_it(form, tmp_path):
    FORMS["hospital-l-diverse"](tmp_path / "s")
    page = run_main(str(tmp_path / "s"), "--format", form)[1]
    told = "Somebody who has the published files as well, and knows in which group a person is"
    assert told in page
    assert "are valid in this report only" in page
    assert told not in run_main(str(tmp_path / "s"), "--format", form, "--findings", "0")[1]
