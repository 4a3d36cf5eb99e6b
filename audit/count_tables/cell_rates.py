"""Cell rates: which published rates narrow the count of a cell, and by which denominators, for proofs in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from audit.count_tables.published_counts import PublishedCounts
from audit.count_tables.published_texts import decimal_of, number_of, rate_interval
from audit.count_tables.table_shapes import rate_column
from audit.model.count_certificates import CellRate


class CellRates:
    """Finds the rates of published cells; it reads a column of a table once."""

    def __init__(self, counts: PublishedCounts) -> None:
        self.counts = counts
        self._texts: dict[tuple[int, str], Sequence[str]] = {}
        self._rows: dict[int, list[int]] = {}
        for row, both in counts.related.items():
            for other in both:
                self._rows.setdefault(other, []).append(row)

    def of(self, row: int) -> tuple[CellRate, ...]:
        """Return the rates that narrow what a marker stands for in a row; none where the marker says as much."""
        counts, markers = self.counts, self.counts.manifest.markers
        ends = int(counts.lower[row]), int(counts.upper[row])
        return () if markers.get(counts.text[row], ends) == ends else tuple(dict.fromkeys(self._found(row)))

    def _found(self, row: int) -> Iterator[CellRate]:
        counts, label = self.counts, self.counts.label
        for rates in counts.manifest.rates:
            for place in [row] if rates.has_column else self._rows.get(row, ()):
                part = counts.part(place)
                column = part.view.column if rates.is_statistic else rate_column(counts.manifest, rates, part.view)
                is_own = (label[place] == label[row]).all() and counts.release[place] == counts.release[row]
                is_rate = not rates.is_statistic or self._text(place, counts.manifest.measure) == rates.column
                rate = self._text(place, column) if is_own and is_rate else ""
                base = self._text(row, rates.denominator) if rates.has_column else self._base(place, row)
                number, whole = decimal_of(rate.rstrip("% ")), number_of(base)
                if number is not None and whole is not None:
                    least, most = rate_interval(number, Fraction(whole), rates)
                    yield CellRate(rates.column, rate, rates.per, whole, least, most)

    def _base(self, place: int, row: int) -> str:
        """Return the published denominator of a rate that stands in a row `place` and is about the cell of `row`."""
        label = self.counts.label
        others = (each for each in self.counts.related[place] if (label[each] != label[row]).any())
        return next((str(self.counts.text[each]) for each in others), "")

    def _text(self, row: int, column: str | None) -> str:
        file, table = int(self.counts.file[row]), self.counts.part(row).table
        if column is None or column not in table:
            return ""
        if (file, column) not in self._texts:
            self._texts[file, column] = table.texts(column)
        return self._texts[file, column][int(self.counts.row[row])]
