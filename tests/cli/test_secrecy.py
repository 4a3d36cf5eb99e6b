"""What logs and hashes reveal: no person's name, and no person's rows."""

import csv
import hashlib
import io
import json

import pyarrow as pa
import pytest

from audit.io.series import digest_of_columns
from tests.cli.forms import EXAMPLES, FORMS, edit
from tests.helpers.messy import series_of
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


def recipe(columns):
    """Return the hash of some columns by name, as the documentation has it."""
    out = io.StringIO()
    for name, cells in columns.items():
        csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows([[name], *([cell] for cell in cells)])
    return hashlib.sha256(out.getvalue().encode()).hexdigest()


def test_the_hash_of_published_columns_is_that_of_the_documentation(tmp_path):
    FORMS["hospital-l-diverse"](tmp_path / "s")
    for each in audited(tmp_path / "s")["inputs"]:
        with (tmp_path / "s" / each["path"]).open(newline="") as file:
            rows = list(csv.DictReader(file))
        assert each["sha256"] == recipe({name: [row[name].strip() for row in rows] for name in each["columns"]})


@pytest.mark.parametrize("size", [3, 300])
@pytest.mark.parametrize("scale", [1, -128, 2**40])
def test_hashes_are_those_of_the_documentation_however_columns_are_held(size, scale):
    numbers = [scale * ((31 * place) % size - 1) for place in range(2 * size)]
    texts = [f'cell "{number}", é' for number in numbers]
    asked = recipe({"a, b": texts, "n": numbers})
    whole = pa.array(numbers)
    held = [pa.array(texts), pa.array(texts).dictionary_encode()]
    # The same texts under a dictionary in another order, one of which no row has.
    names = [*sorted(set(texts), reverse=True), "nobody's"]
    held.append(pa.DictionaryArray.from_arrays([names.index(text) for text in texts], names))
    assert {digest_of_columns({"a, b": each, "n": whole}) for each in held} == {asked}
    assert digest_of_columns({"a, b": held[0].slice(1), "n": whole.slice(1)}) != asked


def with_other_headers(folder):
    """Have the first release call its columns otherwise, as the manifest says; return their names."""
    first = min((folder / "releases").glob("*.csv"))
    head, rest = first.read_text().split("\n", 1)
    names = head.split(",")
    first.write_text(",".join(f"old {name}" for name in names) + "\n" + rest)
    entries = ", ".join(f'"old {name}" = "{name}"' for name in names)
    manifest = folder / "series.toml"
    edit(manifest, "[columns]\n", f'[columns]\nrenamed = {{ "{first.stem}" = {{ {entries} }} }}\n')
    return [f"old {name}" for name in names if name != "Owner"]


def test_no_hash_tells_whose_rows_they_are_where_columns_have_other_names(tmp_path):
    FORMS["hospital-l-diverse"](tmp_path / "s")
    plain = [each["columns"] for each in audited(tmp_path / "s")["inputs"]]
    published = with_other_headers(tmp_path / "s")
    told = audited(tmp_path / "s")["inputs"]
    assert [each["columns"] for each in told] == [published, *plain[1:]]
    assert sorted(name.removeprefix("old ") for name in published) == sorted(plain[0])
    first = tmp_path / "s" / told[0]["path"]
    head, *lines = first.read_text().splitlines()
    place = head.split(",").index("old Owner")
    cells = [line.split(",") for line in lines]
    first.write_text(
        "\n".join([head, *(",".join([*row[:place], f"x{row[place]}", *row[place + 1 :]]) for row in cells)]) + "\n"
    )
    assert hashes(audited(tmp_path / "s"))[told[0]["path"]] == told[0]["sha256"]


def test_the_hash_covers_the_columns_that_one_is_composed_of(tmp_path):
    table = "who,house,place,illness\nAl,a,1,flu\nBo,a,2,cold\n"
    series_of(tmp_path, [table, table], 'individual = "who"\nrecord = ["house", "place"]\nsensitive = "illness"')
    assert [each["columns"] for each in audited(tmp_path)["inputs"]] == [["house", "place", "illness"]] * 2


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


@pytest.mark.parametrize("words", [("--format", "markdown"), ("--document", "dpia")])
def test_a_report_says_why_it_has_no_hash_of_the_register(words):
    series = str(EXAMPLES / "hospital-l-diverse-outsider")
    shared, inside = (" ".join(run_main(series, *words, *more)[1].split()) for more in ((), ("--reveal",)))
    assert "The register was read, too." in shared
    assert "The register was read, too." not in inside
    assert "register.csv |" in inside
