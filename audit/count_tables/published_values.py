"""Published values: read the texts of a file's rows, the counts they stand for, and rates and changes beside them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from audit.count_tables.manifest import TableManifest
from audit.count_tables.published_texts import (
    Interpreter,
    decimal_of,
    flag_of,
    is_too_large,
    number_of,
    points_part_thousands,
)
from audit.count_tables.table_rules import Rates
from audit.count_tables.table_shapes import FileRows, rate_column
from audit.io.toml import toml_text, toml_value
from audit.model.arrays import UNBOUNDED, Counts
from audit.model.errors import Problems
from audit.runtime.phrases import say

CHANGE = "change"
COUNTS = ""
"""In place of the name of the column with the counts."""
_PERCENT = 100


@dataclass(frozen=True)
class Values:
    """The values of rows; all arrays have shape (rows,).

    Attributes:
        text: the published values, as Python texts.
        lower, upper: the least and the greatest count that each text can stand for; int64.
        denominators: the number of values that the hidden denominator of a rate beside the count can have, `UNBOUNDED`
            if none is hidden, 0 if there are too many to try them all; int64.
        beside: the texts of rates whose denominators are cells, and of changes, by name; empty texts for rows without.
    """

    text: npt.NDArray[Any]
    lower: Counts
    upper: Counts
    denominators: Counts
    beside: Mapping[str, npt.NDArray[Any]]


class ValueReader:
    """Reads the values of all files, and notes what is wrong with them.

    Attributes:
        beside: the names of rates and changes that relate a count to other cells.
    """

    def __init__(self, manifest: TableManifest, problems: Problems) -> None:
        self.manifest, self.problems = manifest, problems
        self.interpreters = {True: Interpreter(manifest.for_exact()), False: Interpreter(manifest)}
        self.interpreter = self.interpreters[False]
        self.beside = [each.column for each in manifest.rates if not each.has_column]
        self.beside += [] if manifest.change is None else [CHANGE]

    def beyond(self, part: FileRows, elsewhere: Mapping[str, Sequence[str]]) -> Values:
        """Return the values of a file without counts: what its rates say of those that stand `elsewhere`.

        `elsewhere` has the text of each row by column, that of the counts as `plain` returns it by `COUNTS`.
        """
        self.interpreter = self.interpreters[part.is_exact]
        nothing, self.interpreter.point = [""] * part.table.rows, False
        beside = {name: self._beside(part, name, nothing) for name in self.beside}
        ends = self._intervals(part, elsewhere.get(COUNTS, nothing), elsewhere)
        return Values(np.array(nothing, dtype=object), ends[:, 0], ends[:, 1], ends[:, 2], beside)

    def plain(self, part: FileRows, texts: Sequence[str]) -> list[str]:
        """Return the published values of a file, their numbers as digits alone."""
        point = points_part_thousands({*part.table.distinct(part.view.column)} - self.manifest.not_published)
        known = {text: number_of(text, point=point) for text in dict.fromkeys(texts)}
        return [text if text in self.manifest.markers or known[text] is None else str(known[text]) for text in texts]

    def is_known(self, text: str) -> bool:
        """Return whether a text is a number or a marker."""
        return text in self.manifest.markers or decimal_of(text) is not None

    def read(self, part: FileRows) -> Values:
        """Return the values of a file."""
        self.interpreter = interpreter = self.interpreters[part.is_exact]
        manifest, column = self.manifest, part.view.column
        texts = ["" if text in manifest.not_published else text for text in part.table.texts(column)]
        if manifest.status is not None:
            pairs = [*zip(texts, part.table.texts(manifest.status), strict=True)]
            made = {pair: self._with_status(*pair) for pair in dict.fromkeys(pairs)}
            texts = [made[pair] for pair in pairs]
        if interpreter.manifest.blank_is_zero:
            raw = part.table.texts(column)
            texts = [text or ("" if own else "0") for text, own in zip(texts, raw, strict=True)]
        beside = {name: self._beside(part, name, texts) for name in self.beside}
        if part.measure is not None:  # values of statistics that are not counts are read as empty
            counts = {name: self._is_counted(name) for name in dict.fromkeys(part.measure)}
            texts = [text if counts[name] else "" for text, name in zip(texts, part.measure, strict=True)]
        interpreter.point = points_part_thousands({*part.table.distinct(column)} - manifest.not_published)
        self._note_faults(part, texts)
        ends = self._intervals(part, texts)
        return Values(np.array(texts, dtype=object), ends[:, 0], ends[:, 1], ends[:, 2], beside)

    def _note_faults(self, part: FileRows, texts: Sequence[str]) -> None:
        """Note the texts that are neither numbers nor markers, those with a flag after a number first."""
        manifest, interpreter, column = self.manifest, self.interpreter, part.view.column
        faults: dict[str, list[str]] = {}
        flagged: dict[str, list[str]] = {}
        for text in dict.fromkeys(texts):
            what = interpreter.fault(text) or ""
            flag = flag_of(text)[1] if what and number_of(flag_of(text)[0], point=interpreter.point) is not None else ""
            (flagged if flag else faults).setdefault(flag or what, []).append(text)
        for flag, some in flagged.items():
            what = say('"{text}": a number with "{flag}"', text=some[0], flag=flag)
            remedy = say(
                'write the number alone; or, if "{flag}" does not change it (such as r for revised), write {line} '
                "under [table]",
                flag=flag,
                line=f"flags = {toml_value([*sorted(manifest.flags), flag])}",
            )
            part.note(column, texts, some, what, remedy, self.problems)
        for what in filter(None, faults):
            line = f"{toml_text(faults[what][0])} = [1, 4]"
            remedy = say(
                "write a whole number; or, if it stands for counts, say in [table] markers for which, such as {line}, "
                "or [0, inf], if it can be any count",
                line=line if manifest.markers else f"markers = {{ {line} }}",
            )
            part.note(column, texts, faults[what], f'"{faults[what][0]}": {what}', remedy, self.problems)

    def _with_status(self, text: str, status: str) -> str:
        """Return the status if it is a marker, and the value is not a number or not published; otherwise the value."""
        is_hidden = self.manifest.status_hides and self.manifest.hides(status)
        return status if status in self.manifest.markers and (is_hidden or decimal_of(text) is None) else text

    def _is_counted(self, statistic: str) -> bool:
        rates = (each.column for each in self.manifest.rates if each.is_statistic)
        return (statistic in self.manifest.measures or not self.manifest.measures) and statistic not in rates

    def _beside(self, part: FileRows, name: str, texts: list[str]) -> npt.NDArray[Any]:
        """Return the text of a rate or a change for each row; empty texts if there is none."""
        table, change = part.table, self.manifest.change
        if name == CHANGE and change is not None:
            is_there = change.column in table and change.counts in ("", part.view.column)
            return np.array(table.texts(change.column) if is_there else [""] * table.rows, dtype=object)
        rates = next(each for each in self.manifest.rates if each.column == name)
        found, own = [""] * table.rows, rate_column(self.manifest, rates, part.view)
        if rates.is_statistic and part.measure is not None:
            found = [text if statistic == name else "" for text, statistic in zip(texts, part.measure, strict=True)]
        elif own is not None and own in table:
            found = table.texts(own)
        self._note_no_rates(part, found, rates, name)
        known = {text: self._number(text, rates) for text in dict.fromkeys(found)}
        return np.array([known[text] for text in found], dtype=object)

    def _note_no_rates(self, part: FileRows, found: Sequence[str], rates: Rates, name: str) -> None:
        wrong = [text for text in dict.fromkeys(found) if not self._is_rate(text, rates)]
        remedy = say("write a number, or name the text in [table] markers or not_published")
        part.note(name, found, wrong, say("this is neither a number nor a marker"), remedy, self.problems)

    def _intervals(
        self, part: FileRows, texts: Sequence[str], elsewhere: Mapping[str, Sequence[str]] = MappingProxyType({})
    ) -> Counts:
        """Return `lower`, `upper` and `denominators` of each row, by its value and rates beside it; shape (rows, 3).

        Denominators whose column the table lacks stand `elsewhere`, or are unknown.
        """
        table, beside = part.table, list[Rates]()
        columns = [texts]
        for rates in self.manifest.rates:
            column = rate_column(self.manifest, rates, part.view)
            if rates.has_column and column is not None and column in table:
                name = rates.denominator
                unknown = elsewhere.get(name, [""] * table.rows)
                beside.append(rates)
                columns += [table.texts(column), table.texts(name) if name in table else unknown]
                for name, some in zip((rates.column, rates.denominator), columns[-2:], strict=True):
                    self._note_no_rates(part, some, rates, name)
                    large = [text for text in dict.fromkeys(some) if is_too_large(text)]
                    what = say("this is {most} or more, larger than any count", most=UNBOUNDED // 10)
                    part.note(name, some, large, what, say("correct the number"), self.problems)
        rows = [*zip(*columns, strict=True)]
        made = dict[tuple[str, ...], tuple[int, int, int]]()
        for value, *others in dict.fromkeys(rows):
            triples = (
                (rates, self._number(others[2 * at], rates), self._denominator(others[2 * at + 1], rates))
                for at, rates in enumerate([] if self.problems.found else beside)
            )
            ends, hidden = self.interpreter.beside_rates(value, *triples)
            made[value, *others] = *ends, hidden
        return np.array([made[row] for row in rows], dtype=np.int64).reshape(-1, 3)

    def _denominator(self, text: str, rates: Rates) -> str:
        """Return a denominator, or the marker that stands for it; an empty text if it is not published."""
        return text if text in self.manifest.markers else self._number(text, rates)

    def _number(self, text: str, rates: Rates) -> str:
        """Return a rate, per 100 without its percent sign; an empty text for a marker and for what is not published."""
        if text in self.manifest.markers or text in self.manifest.not_published:
            return ""
        return text.rstrip("% ") if rates.per == _PERCENT else text

    def _is_rate(self, text: str, rates: Rates) -> bool:
        """Return whether a text is valid as a rate or as its denominator."""
        number = self._number(text, rates)
        return not number or decimal_of(number) is not None
