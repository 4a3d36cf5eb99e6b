"""Hierarchies: ARX's files, and all that can be wrong with them."""

from __future__ import annotations

import dataclasses
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.io.hierarchies import Hierarchy, read_hierarchy
from audit.model.errors import Problems


def read(folder: Path, data: bytes | str) -> tuple[Hierarchy | None, list[tuple[int | None, str]]]:
    path = folder / "h.csv"
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    problems = Problems()
    hierarchy = read_hierarchy(path, "shown.csv", problems)
    assert all(problem.file == "shown.csv" and problem.remedy for problem in problems.found)
    return hierarchy, [(problem.line, problem.what) for problem in problems.found]


def test_levels_and_leaves(tmp_path: Path) -> None:
    hierarchy, problems = read(tmp_path, "Rome;Italy;*\nMilan;Italy;*\n\nOslo; Norway ;*\nOther;Other;*\n")
    assert problems == []
    assert hierarchy is not None
    assert hierarchy.name == "shown.csv"
    assert hierarchy.levels[1] == ("Italy", "Italy", "Norway", "Other")
    assert hierarchy.leaves_of("Italy") == {"Rome", "Milan"}
    assert hierarchy.leaves_of("Norway") == {"Oslo"}
    assert hierarchy.leaves_of("Other") == {"Other"}
    assert hierarchy.leaves_of("*") == {"Rome", "Milan", "Oslo", "Other"}
    assert hierarchy.leaves_of("Sweden") is None
    with pytest.raises(dataclasses.FrozenInstanceError):
        hierarchy.name = "other"  # type: ignore[misc]


def test_a_label_at_several_levels_covers_the_union() -> None:
    hierarchy = Hierarchy("h", (("a", "b", "c"), ("x", "y", "b")))
    assert hierarchy.leaves_of("b") == {"b", "c"}


def test_ages_as_published_with_adult(tmp_path: Path) -> None:
    lines = [f"{n};{n // 5 * 5}-{n // 5 * 5 + 4};{n // 10 * 10}-{n // 10 * 10 + 9};*" for n in range(1, 101)]
    hierarchy, problems = read(tmp_path, "\n".join(lines))
    assert problems == []
    assert hierarchy is not None
    assert hierarchy.leaves_of("0-4") == {"1", "2", "3", "4"}
    assert hierarchy.leaves_of("10-19") == {str(n) for n in range(10, 20)}


def test_quotes_bom_and_windows_lines(tmp_path: Path) -> None:
    hierarchy, problems = read(tmp_path, '\ufeffa;"x;y"\r\n"b ""c""";"x;y"\r\n'.encode())
    assert problems == []
    assert hierarchy is not None
    assert hierarchy.leaves_of("x;y") == {"a", 'b "c"'}


def test_a_leaf_may_be_repeated_with_the_same_ancestors(tmp_path: Path) -> None:
    hierarchy, problems = read(tmp_path, "a;x;*\nb;x;*\na;x;*\n")
    assert problems == []
    assert hierarchy is not None
    assert hierarchy.levels[0] == ("a", "b")


def test_a_label_may_be_long(tmp_path: Path) -> None:
    hierarchy, problems = read(tmp_path, "a;x\n" + "b" * 200_000 + ";x\n")
    assert problems == []
    assert hierarchy is not None
    assert hierarchy.leaves_of("b" * 200_000) == {"b" * 200_000}


@pytest.mark.parametrize(
    ("data", "line", "part"),
    [
        ("", None, "empty"),
        ("\n  \n", None, "empty"),
        ("a;x;*\nb;*\n", 2, "number of levels is 2"),
        ("a;x;*\n\nb;x;*;*\n", 3, "number of levels is 4"),
        ("a;x;*\nb;y;*\na;y;*\n", 3, "other ancestors"),
        ("a;x;*\nb;;*\n", 2, "empty"),
        ("a x *\n", 1, "single level"),
        (b"a;x\nb;y\nc\x81;x\n", 3, "UTF-8"),
        ('a;x\n"b;x\n', 2, "not `;`-separated"),
        ('a;x\n"b"c;x\n', 2, "not `;`-separated"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(tmp_path: Path, data: bytes | str, line: int | None, part: str) -> None:
    hierarchy, problems = read(tmp_path, data)
    assert hierarchy is None
    assert [found for found, _ in problems] == [line]
    assert part in problems[0][1]


def test_all_problems_are_told_at_once(tmp_path: Path) -> None:
    _, problems = read(tmp_path, "a;x;*\nb\na;y;*\nc;;*\n")
    assert [line for line, _ in problems] == [2, 3, 4]


def test_earlier_problems_of_other_files_do_no_harm(tmp_path: Path) -> None:
    path = tmp_path / "h.csv"
    path.write_text("a;*\n")
    problems = Problems()
    problems.add("other.csv", "what", "remedy")
    assert read_hierarchy(path, "shown.csv", problems) is not None
    assert len(problems.found) == 1


@pytest.mark.parametrize("name", ["absent.csv", ".", "nul\0.csv", "n" * 5000])
def test_files_that_cannot_be_read(tmp_path: Path, name: str) -> None:
    problems = Problems()
    assert read_hierarchy(tmp_path / name, "shown.csv", problems) is None
    (problem,) = problems.found
    assert problem.file == "shown.csv"
    assert "manifest" in problem.remedy


@given(st.binary() | st.text("ab;\"'*\n\r\0 ").map(str.encode))
def test_any_bytes_are_a_hierarchy_or_problems(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        hierarchy, problems = read(Path(folder), data)
    assert (hierarchy is None) == bool(problems)
    if hierarchy is not None:
        for labels in zip(*hierarchy.levels, strict=True):
            assert all(labels[0] in (hierarchy.leaves_of(label) or ()) for label in labels)
