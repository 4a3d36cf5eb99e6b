"""Similar values: what they tell together is not judged yet, so that nothing said of values holds beside them."""

import pytest

from tests.cli.test_harmless import HEALTHY, MIXED, ended, series
from tests.helpers.messy import write
from tests.helpers.running import run_audit, run_main

SIMILAR = 'similar = { Disease = "chapters.csv" }'
CHAPTERS = "value,category\nflu,airways\ncold,airways\nasthma,airways\nasthma,chronic\ngout,joints\n"


def with_chapters(folder, rows, columns=SIMILAR, chapters=CHAPTERS):
    series(folder, [rows], columns)
    write(folder / "chapters.csv", chapters)
    return folder


def test_clauses_on_values_are_undecided_beside_it(tmp_path):
    code, result, _ = run_audit(with_chapters(tmp_path / "without", MIXED, ""))
    assert (code, set(ended(result).values())) == (0, {"holds"})
    code, result, _ = run_audit(with_chapters(tmp_path / "with", MIXED))
    assert code == 3
    assert ended(result) == {"max_risk": "undecided", "min_e": "undecided", "k": "holds"}
    for each in result["policy"]["clauses"]:
        if each["state"] == "undecided":
            assert 'all values of "Disease" that are left to a person are of one category' in each["reason"]


def test_what_is_certain_violates_as_ever(tmp_path):
    rows = [*MIXED, ["a", "20-29", "flu"], ["b", "20-29", "flu"]]
    code, result, _ = run_audit(with_chapters(tmp_path, rows))
    assert (code, ended(result)["max_risk"]) == (1, "violated")


def test_a_value_without_a_category_is_refused_at_its_line(tmp_path):
    code, out, err = run_main(str(with_chapters(tmp_path / "1", [*MIXED, *HEALTHY])))
    assert (code, out) == (2, "")
    what = 'audit: 1.csv:6, column "Disease": the value has no category in chapters.csv (and 1 more such lines); '
    assert err == f"{what}add a line with the value and its category\n"
    for place, spelling in enumerate(['missing = ["none"]', 'missing = ["NONE"]\nfold = ["Disease"]']):
        folder = with_chapters(tmp_path / f"with {place}", [*MIXED, *HEALTHY], f"{SIMILAR}\n{spelling}")
        assert run_main(str(folder))[0] != 2


def test_values_are_spelled_as_in_the_series(tmp_path):
    folder = with_chapters(tmp_path / "1", MIXED, SIMILAR, CHAPTERS.replace("flu", "FLU "))
    assert run_main(str(folder))[0] == 2
    folder = with_chapters(tmp_path / "2", MIXED, f'{SIMILAR}\nfold = ["Disease"]', CHAPTERS.replace("flu", "FLU "))
    assert run_main(str(folder))[0] == 3


@pytest.mark.parametrize(
    ("chapters", "what"),
    [
        (CHAPTERS + "mumps,\n", 'chapters.csv:7, column "category": the cell is empty'),
        (CHAPTERS.replace("category", "chapter"), "chapters.csv:1"),
        (None, "chapters.csv: there is no such file"),
    ],
)
def test_a_file_of_categories_that_cannot_be_used_is_refused(tmp_path, chapters, what):
    folder = with_chapters(tmp_path, MIXED, chapters=chapters or "")
    if chapters is None:
        (folder / "chapters.csv").unlink()
    code, _, err = run_main(str(folder))
    assert code == 2
    assert what in err


def test_its_file_is_a_part_of_the_series(tmp_path):
    _, result, _ = run_audit(with_chapters(tmp_path, MIXED))
    assert "dropped-file" not in {each["kind"] for each in result["warnings"]}
