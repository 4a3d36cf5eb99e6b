"""Generalization hierarchies: read files in ARX's form: `;`-separated, no header, from the leaf to the root."""

from __future__ import annotations

import csv
import io
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pyarrow as pa

from audit.io.dialect import Dialect, guess_encoding
from audit.io.respelling import fold
from audit.model.errors import Problems
from audit.runtime.phrases import Phrase, say

_FORM = Phrase("write one line per leaf as `leaf;…;*`, with the same number of levels on every line")


@dataclass(frozen=True)
class Hierarchy:
    """A hierarchy of labels: which leaves each label covers.

    A label that stands at several levels, or in several branches, covers the leaves below all of its places.

    Attributes:
        name: the name of the file.
        levels: `levels[0][i]` is leaf i, and `levels[j][i]` its ancestor at level j.

    >>> places = Hierarchy("places", (("Rome", "Oslo"), ("South", "North"), ("*", "*")))
    >>> sorted(places.leaves_of("*"))
    ['Oslo', 'Rome']
    """

    name: str
    levels: tuple[tuple[str, ...], ...]

    @cached_property
    def _below(self) -> dict[str, frozenset[str]]:
        below: defaultdict[str, set[str]] = defaultdict(set)
        for level in self.levels:
            for leaf, label in zip(self.levels[0], level, strict=True):
                below[label].add(leaf)
        return {label: frozenset(leaves) for label, leaves in below.items()}

    def folded(self) -> Hierarchy:
        """Return the hierarchy with folded labels: those that differ only in spelling become one."""
        return Hierarchy(self.name, tuple(tuple(fold(label) for label in level) for level in self.levels))

    def leaves_of(self, label: str) -> frozenset[str] | None:
        """Return the leaves that `label` covers, or None if it is not in this hierarchy."""
        return self._below.get(label)

    def table(self) -> pa.Table:
        """Return the hierarchy as a table whose header is the branch of the first leaf, since the form has none."""
        rest = [pa.array(level[1:], pa.string()) for level in self.levels]
        return pa.Table.from_arrays(rest, names=[level[0] for level in self.levels])

    def label_of(self, leaves: frozenset[str]) -> str | None:
        """Return the first label that covers exactly these leaves, or None if there is none."""
        labels = (label for level in self.levels for label in level)
        return next((label for label in labels if self._below[label] == leaves), None)


def read_hierarchy(path: Path, shown: str, problems: Problems) -> Hierarchy | None:
    """Read the hierarchy at `path`, or note all its problems in `problems` and return None.

    `shown` is the name of the file for the user.
    """
    before = len(problems.found)
    text = _read_text(path, shown, problems)
    if text is None:
        return None
    branches = _read_branches(text, shown, problems)
    if not branches and len(problems.found) == before:
        problems.add(shown, say("the hierarchy is empty"), str(_FORM))
    if len(problems.found) > before:
        return None
    return Hierarchy(shown, tuple(zip(*branches, strict=True)))


def _read_text(path: Path, shown: str, problems: Problems) -> str | None:
    """Return the file's text; None after noting why it cannot be read."""
    remedy = say("correct its path under `hierarchies` in the manifest, or put the file there")
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        problems.add(shown, say("there is no such hierarchy file"), remedy)
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        problems.add(shown, say("the hierarchy cannot be read ({why})", why=_reason(error)), remedy)
    else:
        try:
            encoding = guess_encoding(data)
            return data.decode("utf-8-sig" if encoding == "utf-8" else encoding)
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            problems.add(shown, say("these bytes are not UTF-8 text"), say("save the file as UTF-8"), line=line)
    return None


def _reason(error: OSError | ValueError) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


def _read_branches(text: str, shown: str, problems: Problems) -> list[tuple[str, ...]]:
    """Return every leaf's branch once, in file order; note lines that do not fit the others."""
    branches: dict[str, tuple[str, ...]] = {}
    depth = 0
    for line, branch in _lines(text, shown, problems):
        depth = depth or len(branch)
        trouble = _trouble(branch, depth)
        if trouble is not None:
            problems.add(shown, trouble, str(_FORM), line=line)
        elif branches.setdefault(branch[0], branch) != branch:
            what = say("this leaf is on an earlier line with other ancestors")
            problems.add(shown, what, say("keep one line for each leaf"), line=line)
    return list(branches.values())


def _lines(text: str, shown: str, problems: Problems) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Yield the number and the labels of each line that is not blank."""
    first = text.partition("\n")[0]
    delimiter = next((sign for sign in ";\t|," if sign in first), ";")
    try:
        for line, row in Dialect(delimiter).rows(io.StringIO(text, newline=""), strict=True):
            branch = tuple(label.strip() for label in row)
            if any(branch):
                yield line, branch
    except csv.Error as error:
        remedy = say('put labels that hold `;` or `"` in quotes, with quotes inside doubled')
        what = say("this line is not `;`-separated text ({why})", why=error.__cause__)
        problems.add(shown, what, remedy, line=error.args[0])


def _trouble(branch: tuple[str, ...], depth: int) -> str | None:
    """Return the fault of a branch in a hierarchy with `depth` levels; None if it has none."""
    if len(branch) != depth:
        return say("this line has {levels} levels, but the first line has {depth}", levels=len(branch), depth=depth)
    if depth == 1:
        return say("this line has a single level; levels are separated by `;`")
    if not all(branch):
        return say("a label on this line is empty")
    return None
