"""Files of transitions: which sensitive value may follow which, and how often; of a series or of microdata.

What they say may be known of no single person: their cells may be quoted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from audit.io.encoding import Vocabulary
from audit.io.respelling import fold
from audit.io.tables import Table, header, read_table
from audit.io.texts import column_of
from audit.model.errors import InputError, Problem, Problems
from audit.model.evidence import Transitions

if TYPE_CHECKING:
    import pyarrow as pa

_MOST_VALUES = 4096
_LONGEST_NUMBER = 40
_PROBABILITY = "probability"
ATTRIBUTE = "attribute"
"""The column that says which of several sensitive attributes a line is about."""


@dataclass(frozen=True)
class TransitionLines:
    """The lines of a file of transitions.

    Attributes:
        shown: the file's name.
        probability: by pair of values, in the order of the file, the text of its probability; empty where it has none.
    """

    shown: str
    probability: Mapping[tuple[str, str], str]

    def numbered(self, vocabulary: Vocabulary) -> Transitions:
        """Return the same by codes; the values join the vocabulary.

        Raises:
            InputError: there are too many values.
        """
        source, target = (vocabulary.add(pair[end] for pair in self.probability) for end in (0, 1))
        size = len(vocabulary)
        check_size(self.shown, size)
        listed = np.bincount(source, minlength=size)
        exact = {}
        for a, b, text in zip(source.tolist(), target.tolist(), self.probability.values(), strict=True):
            probability = Fraction(text) if text else Fraction(1, int(listed[a]))
            if probability:
                exact[a, b] = probability
        weight = np.zeros((size, size))
        for (a, b), probability in exact.items():
            weight[a, b] = max(float(probability), np.finfo(np.float64).tiny)
        return Transitions(weight, exact, listed > 0)

    def folded(self, problems: Problems) -> TransitionLines:
        """Return the lines of folded values; noted is a pair that stands twice, once its spelling does not count."""
        lines: dict[tuple[str, str], str] = {}
        for (a, b), text in self.probability.items():
            if lines.setdefault((fold(a), fold(b)), text) != text:
                what = "two lines are about the same values, as their spelling is ignored, with different probabilities"
                problems.add(self.shown, what, "keep one of the lines")
        return replace(self, probability=lines)

    def closed(self) -> tuple[TransitionLines, int]:
        """Return the lines of the smallest reflexive and closed update sets, and how many pairs they have more.

        How probable an added pair is, is not known: a value that gets one loses the probabilities of all its lines.

        >>> some = TransitionLines(
        ...     "t.csv", {("a", "b"): "1/2", ("a", "a"): "1/2", ("b", "b"): "0.9", ("b", "a"): "0.1"}
        ... )
        >>> some.closed() == (some, 0)
        True
        >>> TransitionLines("t.csv", {("a", "b"): "0.5", ("a", "a"): "0.5"}).closed()[0].probability
        {('a', 'b'): '0.5', ('a', 'a'): '0.5', ('b', 'b'): ''}
        """
        vocabulary = Vocabulary()
        sets = self.numbered(vocabulary).sets
        names = vocabulary.names
        added = [(names[a], names[b]) for a, b in sets.missing().tolist()]
        wider = {a for a, _ in added}
        lines = {
            (a, b): "" if a in wider else text
            for (a, b), text in self.probability.items()
            if a not in wider or not text or Fraction(text)
        }
        return replace(self, probability=lines | dict.fromkeys(added, "")), len(added)

    def table(self) -> pa.Table:
        """Return the lines as a table, sorted, so that their order says nothing."""
        import pyarrow as pa

        pairs = sorted(self.probability)
        columns = {"from": [a for a, _ in pairs], "to": [b for _, b in pairs]}
        if any(self.probability.values()):
            columns[_PROBABILITY] = [self.probability[pair] for pair in pairs]
        return pa.table({name: column_of(texts) for name, texts in columns.items()})


def check_size(shown: str, size: int) -> None:
    """Refuse too many values.

    Raises:
        InputError: there are too many.
    """
    if size > _MOST_VALUES:
        what = f"there are {size} values, and at most {_MOST_VALUES} can have transitions"
        raise InputError([Problem(shown, what, "merge values into broader ones")])


def read_lines(folder: Path, name: str, problems: Problems, *, attribute: str | None = None) -> TransitionLines | None:
    """Read a file of transitions in a folder; where it names attributes, the lines of one of them.

    Every trouble is noted in `problems`, and None returned: the file cannot be read, lists a pair twice, or gives
    probabilities for some lines of a `from` only.
    """
    before = len(problems.found)
    names = header(folder / name, name, problems)
    optional = [column for column in (_PROBABILITY, ATTRIBUTE) if names is not None and column in names]
    wanted = ["from", "to", *optional]
    table = read_table(folder / name, name, wanted, problems) if names is not None else None
    if table is None:
        return None
    if ATTRIBUTE in table:
        table = table.without(
            np.array([text not in ("", attribute) for text in table.texts(ATTRIBUTE)], dtype=np.bool_)
        )
    for column in ("from", "to"):
        empty = np.array([not text for text in table.texts(column)], dtype=np.bool_)
        table.note_first(empty, column, "the cell is empty", "write a value, or drop the line", problems)
    if len(problems.found) > before:
        return None
    lines: dict[tuple[str, str], str] = {}
    given = table.texts(_PROBABILITY) if _PROBABILITY in table else [""] * table.rows
    for row, (a, b, text) in enumerate(zip(table.texts("from"), table.texts("to"), given, strict=True)):
        if (a, b) in lines:
            problems.add(name, "this pair of values is on two lines", "keep one of the lines", line=table.line(row))
        elif text and not _is_probability(text):
            what, remedy = "the cell is not a probability", "write a number from 0 to 1"
            problems.add(name, what, remedy, line=table.line(row), column=_PROBABILITY)
        lines[a, b] = text
    if len(problems.found) == before:
        _note_unequal(lines, table, problems)
    return TransitionLines(name, lines) if len(problems.found) == before else None


def _is_probability(text: str) -> bool:
    try:
        return len(text) <= _LONGEST_NUMBER and "e" not in text.lower() and 0 <= Fraction(text) <= 1
    except (ValueError, ZeroDivisionError):
        return False


def _note_unequal(lines: Mapping[tuple[str, str], str], table: Table, problems: Problems) -> None:
    """Note the first line without a probability whose `from` has lines with one."""
    with_one = {a for (a, _), text in lines.items() if text}
    lacking = np.array([a in with_one and not text for (a, _), text in lines.items()], dtype=np.bool_)
    what = "other lines with this `from` have a probability, this one has none"
    remedy = "give a probability to all lines of a `from`, or to none"
    table.note_first(lacking, _PROBABILITY, what, remedy, problems)
