"""The clause `k`: how many people a class holds, against every choice of counterfeits; and what a stated k counts."""

import tempfile
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import assume, event, given

from audit.io.release_reading import read_release
from audit.io.series import open_series
from audit.metrics.release_summary import panels_in
from tests.helpers.messy import series_of
from tests.helpers.running import read_audit
from tests.oracle.test_promises_by_definition import Form, extent, forms, groups, is_person
from tests.oracle.test_promises_by_definition import write as written


def fewest_people(series: Form, release: int) -> tuple[int, int | None]:
    """The fewest rows of a class, and the fewest people that one may hold while it is somebody's."""
    lines, sizes, found = series.releases[release], [], []
    for group, rows in groups(series, release).items():
        kinds = [rows] if series.anatomy else [
            [row for row in rows if extent(lines[row].cells) == cells]
            for cells in {extent(lines[row].cells) for row in rows}
        ]  # fmt: skip
        slots = [row for row in rows for _ in range(lines[row].count)]
        fake = series.counterfeits[release].get(group, 0)
        for members in kinds:
            sizes.append(sum(lines[row].count for row in members))
            if series.key != "nowhere":
                counts = [sum(lines[row].count for row in members if is_person(lines[row]))]
            else:
                choices = combinations(range(len(slots)), fake)
                counts = [sum(slots[p] in members for p in range(len(slots)) if p not in chosen) for chosen in choices]
            found += [count for count in counts if count]
    return min(sizes), min(found, default=None)


@given(forms())
def test_people_are_counted_over_every_choice_of_counterfeits(form):
    # Without groups, rows that say * everywhere are suppressed and count in no class.
    lines = [line for release in form.releases for line in release]
    assume(form.group or not form.width or not any(set(line.cells) == {"*"} for line in lines))
    with tempfile.TemporaryDirectory() as name:
        written(form, Path(name))
        series = open_series(Path(name))
        for position in range(len(form.releases)):
            release = read_release(series, position, series.manifest.columns.quasi_identifiers)
            owner = release.owners(series.people)
            for panel in panels_in(release, series.vocabularies, None, "", owner):
                rows, people = fewest_people(form, position)
                assert (panel.k, panel.k_people) == (rows, people)
                event(f"fewer people than rows: {people is None or people < rows}")


COLUMNS = 'group = "g"\nquasi_identifiers = ["age"]\nsensitive = "d"\n'
HEAD = ["who", "g", "age", "d"]
PEOPLE = [["B", "2", "30", "flu"], ["C", "2", "30", "gas"]]
ALONE = [["A", "1", "21", "flu"], ["", "1", "21", "gas"], ["", "1", "21", "HIV"], *PEOPLE]
TWO = [["A", "1", "21", "flu"], ["D", "1", "21", "gas"], ["", "1", "21", "HIV"], *PEOPLE]


def series(folder, rows, how):
    """A series whose key, or whose published counts, say which or how many rows are counterfeits."""
    if how == "key":
        return series_of(folder, [[HEAD, *rows]], COLUMNS + 'individual = "who"\nunnamed = "counterfeits"\n')
    fake = f"g,Count\n1,{sum(not row[0] for row in rows)}\n"
    table = [row[1:] for row in [HEAD, *rows]]
    return series_of(folder, [table], COLUMNS, '[counterfeits]\n1 = "fake.csv"', fake=fake)


def clause(folder, *words):
    code, result = read_audit(folder, *words)
    [found] = [each for each in result["policy"]["clauses"] if each["clause"] == "k"]
    values = [each["value"] for each in result["policy"]["violations"] if each["measure"] == "k"]
    return code, found["state"], values, result["panel"][0]["k"], result["panel"][0]["k_people"]


@pytest.mark.parametrize("how", ["key", "published"])
def test_a_stated_k_counts_people(tmp_path, how):
    folder = series(tmp_path, ALONE, how)
    assert clause(folder, "--k", "2") == (1, "violated", [1], 2, 1)
    assert clause(folder)[1:] == ("holds", [], 2, 1)
    text = folder / "series.toml"
    text.write_text(text.read_text() + "[policy]\nk = 2\n")
    assert clause(folder)[:3] == (1, "violated", [1])
    series(tmp_path, TWO, how)
    assert clause(folder, "--k", "2")[1:] == ("holds", [], 2, 2)


def test_a_class_of_counterfeits_belongs_to_nobody(tmp_path):
    rows = [["", "1", "21", "flu"], ["", "1", "21", "gas"], *PEOPLE]
    assert clause(series(tmp_path, rows, "key"), "--k", "2")[1:] == ("holds", [], 2, 2)
    assert clause(series(tmp_path, rows, "published"), "--k", "2")[1:] == ("holds", [], 2, 2)


def test_by_default_a_person_alone_is_found_even_beside_counterfeits(tmp_path):
    rows = [["A", "1", "21", "flu"], ["", "2", "30", "gas"], ["B", "2", "30", "HIV"], ["C", "2", "30", "flu"]]
    assert clause(series(tmp_path, rows, "key"))[1:] == ("violated", [1], 1, 1)


def test_a_release_of_counterfeits_alone_decides_nothing(tmp_path):
    rows = [["", "1", "21", "flu"], ["", "1", "21", "gas"]]
    assert clause(series(tmp_path, rows, "published"), "--k", "2")[1:] == ("undecided", [], 2, None)
