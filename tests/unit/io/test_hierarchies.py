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


def test_quotes_bom_and_windows_lines(tmp_path: Path) -> None:
    hierarchy, problems = read(tmp_path, '\ufeffa;"x;y"\r\n"b ""c""";"x;y"\r\n'.encode())
    assert problems == []
    assert hierarchy is not None
    assert hierarchy.leaves_of("x;y") == {"a", 'b "c"'}


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


@given(st.binary() | st.text("ab;\"'*\n\r\0 ").map(str.encode))
def test_any_bytes_are_a_hierarchy_or_problems(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        hierarchy, problems = read(Path(folder), data)
    assert (hierarchy is None) == bool(problems)
    if hierarchy is not None:
        for labels in zip(*hierarchy.levels, strict=True):
            assert all(labels[0] in (hierarchy.leaves_of(label) or ()) for label in labels)
