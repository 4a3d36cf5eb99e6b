"""Generalization hierarchies: read files in ARX's form: `;`-separated, no header, from the leaf to the root."""

from __future__ import annotations

import io
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pyarrow as pa

from audit.io.diagnostics import damages, note_unreadable
from audit.io.dialect import UTF_8, Dialect, guess_encoding
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

    def respelled(self, spell: Callable[[str], str]) -> Hierarchy:
        """Return the hierarchy with its labels spelled as cells are: those that differ only in spelling become one."""
        return Hierarchy(self.name, tuple(tuple(map(spell, level)) for level in self.levels))

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
    branches: dict[str, tuple[str, ...]] = {}
    try:
        depth = 0
        for line, branch in _branches(path):
            depth = depth or len(branch)
            trouble = _trouble(branch, depth)
            if trouble is not None:
                problems.add(shown, trouble, str(_FORM), line=line)
            elif branches.setdefault(branch[0], branch) != branch:
                what = say("this leaf is on an earlier line with other ancestors")
                problems.add(shown, what, say("keep one line for each leaf"), line=line)
    except damages() as error:
        note_unreadable(path, shown, error, problems)
    if not branches and len(problems.found) == before:
        problems.add(shown, say("the hierarchy is empty"), str(_FORM))
    return None if len(problems.found) > before else Hierarchy(shown, tuple(zip(*branches.values(), strict=True)))


def _branches(path: Path) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Yield the number and the labels of each line that is not blank."""
    content = path.read_bytes()
    encoding = guess_encoding(content)
    text = content.decode("utf-8-sig" if encoding == UTF_8 else encoding)
    delimiter = next((sign for sign in ";\t|," if sign in text.partition("\n")[0]), ";")
    for line, row in Dialect(delimiter).rows(io.StringIO(text, newline=""), strict=True):
        branch = tuple(label.strip() for label in row)
        if any(branch):
            yield line, branch


def _trouble(branch: tuple[str, ...], depth: int) -> str | None:
    """Return the fault of a branch in a hierarchy with `depth` levels; None if it has none."""
    if len(branch) != depth:
        return say("this line has {levels} levels, but the first line has {depth}", levels=len(branch), depth=depth)
    if depth == 1:
        return say("this line has a single level; levels are separated by `;`")
    if not all(branch):
        return say("a label on this line is empty")
    return None
