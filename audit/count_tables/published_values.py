"""The values of one file's rows: texts, what they stand for, and what stands beside them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from audit.count_tables.manifest import TableFile, TableManifest
from audit.count_tables.published_texts import Interpreter, decimal_of, is_too_large, points_part_thousands
from audit.count_tables.table_rules import CountColumn, Rates
from audit.count_tables.table_shapes import NestedLabels, rate_column
from audit.io.tables import Coded, Table
from audit.model.arrays import Codes, Counts, Flags
from audit.model.errors import Problems
from audit.model.json_types import UNBOUNDED

CHANGE = "change"
_PERCENT = 100


@dataclass
class FileRows:
    """One file's rows, by one of its columns of counts; labels are not yet shared with other files."""

    release: int
    file: TableFile
    table: Table
    labels: dict[str, Coded]
    measure: Coded | None
    view: CountColumn
    nested: dict[str, NestedLabels] = field(default_factory=dict)


@dataclass(frozen=True)
class Values:
    """What rows show; all arrays have one entry for each row.

    Attributes:
        text: int32; places in the texts of all files.
        lower, upper: int64; what it stands for.
        denominators: int64; how many values the hidden denominator of a rate beside it can have, `UNBOUNDED` where none
            is hidden, 0 where it can have too many to try them all.
        hidden, number: whether it is a marker that leaves several counts, or a number.
        beside: texts of rates whose denominators are cells, and of changes, by name; empty where there are none.
    """

    text: Codes
    lower: Counts
    upper: Counts
    denominators: Counts
    hidden: Flags
    number: Flags
    beside: Mapping[str, npt.NDArray[Any]]


class ValueReader:
    """Reads the values of all files, noting what is wrong with them.

    Attributes:
        texts: what was published, with its place.
        beside: names of the texts that stand beside values and speak of other cells too.
    """

    def __init__(self, manifest: TableManifest, problems: Problems) -> None:
        self.manifest, self.problems = manifest, problems
        self.interpreter = Interpreter(manifest)
        self.texts: dict[str, int] = {}
        self.beside = [each.column for each in manifest.rates if not each.has_column]
        self.beside += [] if manifest.change is None else [CHANGE]

    def read(self, part: FileRows) -> Values:
        """Return a file's values."""
        coded = part.table.coded(part.view.column)
        texts = [coded.name(code) for code in range(coded.size)]
        texts = ["" if text in self.manifest.not_published else text for text in texts]
        codes = coded.codes
        if self.manifest.status is not None:
            codes, texts = self._with_status(part, codes, texts)
        beside = {name: self._beside(part, name, codes, texts) for name in self.beside}
        codes, texts = self._counted_only(part, codes, texts)
        interpreter = self.interpreter
        interpreter.point = points_part_thousands(texts)
        for what in dict.fromkeys(fault for text in texts if (fault := interpreter.fault(text))):
            wrong = np.array([interpreter.fault(text) == what for text in texts])[codes]
            first = texts[codes[int(np.flatnonzero(wrong)[0])]] if wrong.any() else ""
            remedy = "write a whole number, or name the marker in [table] markers"
            part.table.note_first(wrong, part.view.column, f'"{first}": {what}', remedy, self.problems)
        ends = np.array([interpreter.interval(text) for text in texts] or [(0, 0)], dtype=np.int64)
        lower, upper = ends[codes, 0], ends[codes, 1]
        denominators = self._apply_rates(part, codes, texts, lower, upper)
        hidden = np.array([interpreter.is_hidden(text) for text in texts] or [False])
        number = np.array([interpreter.is_number(text) for text in texts] or [False])
        shared = np.array([self.texts.setdefault(text, len(self.texts)) for text in texts] or [0], dtype=np.int32)
        return Values(shared[codes], lower, upper, denominators, hidden[codes], number[codes], beside)

    def _with_status(self, part: FileRows, codes: Codes, texts: list[str]) -> tuple[Codes, list[str]]:
        """Return the values, the status where that is a marker and the value is none itself, or is not published."""
        status = part.table.coded(str(self.manifest.status))
        marked = [status.name(code) for code in range(status.size)]
        place = {text: code for code, text in enumerate(texts)}
        added = [*texts]
        lookup = np.full(len(marked), -1, dtype=np.int32)
        for code, text in enumerate(marked):
            if text in self.manifest.markers:
                lookup[code] = place.setdefault(text, len(added))
                if lookup[code] == len(added):
                    added.append(text)
        numbers = np.array([text != "" and decimal_of(text) is not None for text in texts] or [False])
        hides = np.array([self.manifest.status_hides and self.interpreter.is_hidden(text) for text in added] or [False])
        wanted = lookup[status.codes]
        return np.where((wanted >= 0) & (~numbers[codes] | hides[wanted]), wanted, codes).astype(np.int32), added

    def _counted_only(self, part: FileRows, codes: Codes, texts: list[str]) -> tuple[Codes, list[str]]:
        """Return the values, those of statistics that are no counts taken as empty."""
        if part.measure is None:
            return codes, texts
        rates = {each.column for each in self.manifest.rates if each.is_statistic}
        names = [part.measure.name(code) for code in range(part.measure.size)]
        known = self.manifest.measures
        counts = np.array([(name in known or not known) and name not in rates for name in names] or [False])
        return np.where(counts[part.measure.codes], codes, len(texts)).astype(np.int32), [*texts, ""]

    def _beside(self, part: FileRows, name: str, codes: Codes, texts: list[str]) -> npt.NDArray[Any]:
        """Return the texts of a rate or a change for each row, empty where there is none."""
        none = np.full(part.table.rows, "", dtype=object)
        if name == CHANGE and self.manifest.change is not None:
            column = self.manifest.change.column
            found = part.table.coded(column) if column in part.table else None
            return none if found is None else _spelled(found)
        rates = next(each for each in self.manifest.rates if each.column == name)
        if rates.is_statistic and part.measure is not None:
            own = [part.measure.name(code) == name for code in range(part.measure.size)]
            shown = np.array([*texts, ""], dtype=object)[codes]
            found_rates = np.where(np.array(own or [False])[part.measure.codes], shown, "")
        else:
            own_column = rate_column(self.manifest, rates, part.view)
            found_rates = none
            if own_column is not None and own_column in part.table:
                found_rates = _spelled(part.table.coded(own_column))
        known = {text: self._number(text, rates) for text in dict.fromkeys(found_rates.tolist())}
        wrong = [text for text in known if not self._is_rate(text, rates)]
        self._note_no_rate(part, np.isin(found_rates.astype(str), wrong), name)
        return np.array([known[text] for text in found_rates.tolist()] or [], dtype=object)

    def _note_no_rate(self, part: FileRows, wrong: Flags, name: str) -> None:
        what = "this is neither a number nor a marker"
        remedy = "write a number, or name the text in [table] markers or not_published"
        part.table.note_first(wrong, name, what, remedy, self.problems)

    def _apply_rates(self, part: FileRows, codes: Codes, texts: list[str], lower: Counts, upper: Counts) -> Counts:
        """Narrow what values stand for by the rates whose denominators are in the same rows; return `denominators`.

        Where a table does not have the denominators at all, the rate stands for them: a text that is never looked at.
        """
        table, beside = part.table, list[tuple[Rates, Coded, Coded]]()
        denominators = np.full(len(codes), UNBOUNDED, dtype=np.int64)
        for rates in self.manifest.rates:
            column = rate_column(self.manifest, rates, part.view)
            if rates.has_column and column is not None and column in table:
                base = rates.denominator if rates.denominator in table else column
                beside.append((rates, table.coded(column), table.coded(base)))
        for rates, rate, denominator in beside:
            for name, coded in ((rates.column, rate), (rates.denominator, denominator)):
                unknown = [code for code in range(coded.size) if not self._is_rate(coded.name(code), rates)]
                self._note_no_rate(part, np.isin(coded.codes, unknown), name)
                large = [code for code in range(coded.size) if is_too_large(coded.name(code))]
                what, remedy = f"this is {UNBOUNDED // 10:,} or more, larger than any count", "correct the number"
                table.note_first(np.isin(coded.codes, large), name, what, remedy, self.problems)
        if self.problems.found or not beside:
            return denominators
        rows = np.stack([codes, *(each.codes for _, *both in beside for each in both)], axis=1)
        distinct, where = np.unique(rows, axis=0, return_inverse=True)
        ends = []
        for value, *others in distinct.tolist():
            triples = (
                (
                    rates,
                    self._number(rate.name(others[2 * at]), rates),
                    self._denominator(base.name(others[2 * at + 1]), rates) if rates.denominator in table else "",
                )
                for at, (rates, rate, base) in enumerate(beside)
            )
            (low, high), hidden = self.interpreter.beside_rates(texts[value], *triples)
            ends.append((low, high, hidden))
        if ends:
            lower[:], upper[:], denominators[:] = np.array(ends, dtype=np.int64)[where.ravel()].T
        return denominators

    def _denominator(self, text: str, rates: Rates) -> str:
        """Return a denominator, or the marker that stands for it; empty where it is not published."""
        return text if text in self.manifest.markers else self._number(text, rates)

    def _number(self, text: str, rates: Rates) -> str:
        """Return a rate, empty where it is a marker; one per 100 may have a sign of percent."""
        if text in self.manifest.markers or text in self.manifest.not_published:
            return ""
        return text.rstrip("% ") if rates.per == _PERCENT else text

    def _is_rate(self, text: str, rates: Rates) -> bool:
        """Return whether a text may stand as a rate or its denominator."""
        number = self._number(text, rates)
        return not number or decimal_of(number) is not None


def _spelled(coded: Coded) -> npt.NDArray[Any]:
    """Return the text of each row. Shape (rows,), objects."""
    names = np.array([coded.name(code) for code in range(coded.size)] or [""], dtype=object)
    found: npt.NDArray[Any] = names[coded.codes]
    return found
