"""Cell rates: which published rates narrow the count of a cell, and by which denominators, for proofs in words.

Signs in place of rates are not read, but if they differ beside hidden counts, they may show which of these differ. So
may denominators that only some of them have.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache

import numpy as np

from audit.count_tables.published_counts import PublishedCounts
from audit.count_tables.published_texts import (
    Interpreter,
    decimal_of,
    is_like_a_number,
    number_of,
    points_part_thousands,
    rate_interval,
)
from audit.count_tables.table_shapes import rate_column
from audit.model.count_tables import CellChange, CellRate


class CellRates:
    """Finds the rates of published cells; it reads a column of a table once."""

    def __init__(self, counts: PublishedCounts) -> None:
        self.counts = counts
        self._texts: dict[tuple[int, str], Sequence[str]] = {}
        self._reader = cache(self._read)
        self._rows: dict[int, list[int]] = {}
        for row, both in counts.related.items():
            for other in both:
                self._rows.setdefault(other, []).append(row)

    def _read(self, file: int) -> Interpreter:
        """Return what reads the texts of a table."""
        reader = Interpreter(self.counts.rules(file))
        reader.point = points_part_thousands({*self.counts.text[self.counts.file == file]})
        return reader

    def of(self, row: int) -> tuple[CellRate | CellChange, ...]:
        """Return the rates and changes that narrow what a row shows; none if that says as much."""
        counts, text = self.counts, self.counts.text[row]
        reader = self._reader(int(counts.file[row]))
        is_number = reader.manifest.is_exact and text not in reader.manifest.markers
        if is_number or reader.interval(text) == (int(counts.lower[row]), int(counts.upper[row])):
            return ()
        return *dict.fromkeys(self._found(row)), *dict.fromkeys(self._changes(row))

    def has_rate(self, row: int) -> bool:
        """Return whether a rate of the row's count, or by it, is published."""
        manifest = self.counts.manifest
        for place in {row, *self._rows.get(row, ())}:
            view = self.counts.part(place).view
            for rates in manifest.rates:
                column = view.column if rates.is_statistic else rate_column(manifest, rates, view)
                is_rate = not rates.is_statistic or self.text(place, manifest.measure) == rates.column
                if is_rate and decimal_of(self.text(place, column).rstrip("% ")) is not None:
                    return True
        return False

    def _changes(self, row: int) -> Iterator[CellChange]:
        counts, change, tags = self.counts, self.counts.manifest.change, self.counts.manifest.tags
        if change is None:
            return
        for place in self._rows.get(row, ()):
            text = self.text(place, change.column)
            others = [one for one in counts.related[place] if counts.release[one] != counts.release[row]]
            if text and not others:
                yield CellChange(change.column, text, None, "")
            for other in others if text else ():
                yield CellChange(change.column, text, tags[int(counts.release[other])], str(counts.text[other]))

    def _found(self, row: int) -> Iterator[CellRate]:
        counts, label = self.counts, self.counts.label
        for rates in counts.manifest.rates:
            for place in [row] if rates.has_column else self._rows.get(row, ()):
                part = counts.part(place)
                column = part.view.column if rates.is_statistic else rate_column(counts.manifest, rates, part.view)
                is_own = (label[place] == label[row]).all() and counts.release[place] == counts.release[row]
                is_rate = not rates.is_statistic or self.text(place, counts.manifest.measure) == rates.column
                rate = self.text(place, column) if is_own and is_rate else ""
                of = None if rates.has_column else self._base(place, row)
                base = self.text(row, rates.denominator) if of is None else str(counts.text[of])
                number = decimal_of(rate.rstrip("% "))
                whole = number_of(base, point=self._reader(int(counts.file[place])).point)
                if number is not None and whole is not None:
                    is_rounded = of is not None and not rates.of_published
                    low, high = (int(counts.lower[of]), int(counts.upper[of])) if is_rounded else (whole, whole)
                    least, most = (
                        rate_interval(number, Fraction(end), rates)[at] for at, end in enumerate((low, high))
                    )
                    yield CellRate(rates.column, rate, rates.per, (low, high), least, most)

    def _base(self, place: int, row: int) -> int | None:
        """Return the row with the denominator of a rate that stands in a row `place` and is about the cell of `row`."""
        label = self.counts.label
        return next((each for each in self.counts.related[place] if (label[each] != label[row]).any()), None)

    def text(self, row: int, column: str | None) -> str:
        """Return the text of a row in a column of its table; an empty text if it has none."""
        file, table = int(self.counts.file[row]), self.counts.part(row).table
        if column is None or column not in table:
            return ""
        if (file, column) not in self._texts:
            self._texts[file, column] = table.texts(column)
        return self._texts[file, column][int(self.counts.row[row])]


def _shown(counts: PublishedCounts, reader: CellRates) -> list[str]:
    """Return what each row shows of its count: its text, or the sign that counts as an empty cell."""
    manifest, found = counts.manifest, counts.text.tolist()
    rates = {each.column for each in manifest.rates if each.is_statistic}
    for row in (row for row, text in enumerate(found) if not text):
        sign = reader.text(row, counts.part(row).view.column)
        if sign in manifest.not_published and reader.text(row, manifest.measure) not in rates:
            found[row] = sign
    return found


def telling_signs(counts: PublishedCounts) -> list[tuple[str, Sequence[str]]]:
    """Return the columns in which hidden counts that show the same have different signs in place of their rates.

    Signs in `not_counts` are left out. A sign may depend on the file, on which labels are totals, on the denominator.
    """
    manifest, named = counts.manifest, list[tuple[str, Sequence[str]]]()
    labels, reader = [*map(tuple, counts.label.tolist())], CellRates(counts)
    cells = [*zip(counts.release.tolist(), counts.measure.tolist(), labels, strict=True)]
    texts = _shown(counts, reader)
    shown = dict(zip(cells, texts, strict=True)) | {cell: text for cell, text in zip(cells, texts, strict=True) if text}
    totals = tuple(each.total for each in counts.dimensions)
    names = [each.axis.name for each in counts.dimensions]
    for rates in manifest.rates:
        signs: dict[object, dict[str, None]] = {}
        base_measure = counts.measures.index(rates.denominator) if rates.denominator in counts.measures else None
        of = {
            names.index(name): counts.dimensions[names.index(name)].labels.index(text)
            for name, text in rates.total.items()
        }
        for row, (release, measure, label) in enumerate(cells):
            part, text = counts.part(row), shown[release, measure, label]
            column = part.view.column if rates.is_statistic else rate_column(manifest, rates, part.view)
            is_rate = not rates.is_statistic or reader.text(row, manifest.measure) == rates.column
            is_number = text and text not in manifest.not_published and not manifest.hides(text)
            if column is None or column not in part.table or not is_rate or is_number:
                continue
            sign = reader.text(row, column) or (reader.text(row, manifest.status) if rates.is_statistic else "")
            whole = tuple(of.get(place, code) for place, code in enumerate(label))
            base = reader.text(row, rates.denominator) if rates.has_column else ""
            if not rates.has_column:
                base = shown.get((release, measure if base_measure is None else base_measure, whole), "")
            if decimal_of(sign.rstrip("% ")) is None and sign not in manifest.not_counts:
                at = tuple(code == total for code, total in zip(label, totals, strict=True))
                kind = base if not (decimal_of(base) or 0) else "number"
                signs.setdefault((counts.file[row], text, at, whole == label, kind), {})[sign] = None
        differ = dict.fromkeys(sign for some in signs.values() if len(some) > 1 for sign in some)
        named += [(rates.column, [*differ])] if differ else []
    return named


def telling_gaps(counts: PublishedCounts) -> list[str]:
    """Return the columns of denominators that only some of the hidden counts that show the same have.

    Signs in `not_counts` are left out. A denominator may depend on the file, on which labels are totals, and on a label
    none of whose counts has one, although some are shown.
    """
    manifest, reader, named = counts.manifest, CellRates(counts), list[str]()
    labels, totals, counted = counts.label.tolist(), [each.total for each in counts.dimensions], _shown(counts, reader)
    for column in sorted(manifest.denominators - {"", *(view.column for view in manifest.views)}):
        rows = [row for row in np.flatnonzero(~counts.without_count).tolist() if column in counts.part(row).table]
        texts = {row: reader.text(row, column) for row in rows}
        texts = {row: "number" if is_like_a_number(text) else text for row, text in texts.items()}
        keys = {row: {(counts.file[row], *each) for each in enumerate(labels[row])} for row in rows}
        shown = {key for row in rows if counts.number[row] for key in keys[row]}
        without = shown - {key for row, text in texts.items() if text == "number" for key in keys[row]}
        found: dict[object, set[str]] = {}
        for row, text in texts.items():
            count = counted[row]
            is_hidden = manifest.hides(count) if counts.text[row] else not manifest.blank_is_zero
            if is_hidden and text not in manifest.not_counts and keys[row].isdisjoint(without):
                at = tuple(code == total for code, total in zip(labels[row], totals, strict=True))
                found.setdefault((counts.file[row], counts.measure[row], count, at), set()).add(text)
        named += [column] if any(len(some) > 1 for some in found.values()) else []
    return named
