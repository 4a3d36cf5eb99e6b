"""Statistics in the rows of a file: which of them are counts."""

from __future__ import annotations

from collections.abc import Sequence

from audit.count_tables.number_texts import number_of
from audit.init import column_names
from audit.init.count_columns import CountFiles
from audit.init.count_rules import RuleGuesses
from audit.io.toml import toml_array, toml_text


def keep_counts(rules: RuleGuesses, files: CountFiles, measure: str | None) -> None:
    """Keep the texts of the statistics that are counts: those none of whose values has decimals."""
    values = files.columns[rules.value]
    kept = [True] * len(values)
    if measure is not None and files.varies(measure):
        counts = counts_of(files.columns[measure], values)
        rules.extra |= {"measure": toml_text(measure), "measures": toml_array(map(toml_text, counts))}
        kept = [text in counts for text in files.columns[measure]]
        rules.doubts.append(f"Statistics whose values are all whole numbers are taken for counts: {', '.join(counts)}.")
    rules.texts.update(text for text, keep in zip(values, kept, strict=True) if keep)


def counts_of(measures: Sequence[str], values: Sequence[str]) -> list[str]:
    """Return the statistics none of whose values has decimals."""
    fractional = {m for m, v in zip(measures, values, strict=True) if number_of(v) is None and v[:1].isdigit()}
    return [name for name in dict.fromkeys(measures) if name and name not in fractional]


def parts_rates(files: CountFiles, name: str, value: str) -> bool:
    """Return whether a column keeps statistics with decimals from those that are whole numbers."""
    values = files.columns[value]
    if not any(number_of(text) is None and text[:1].isdigit() for text in values):
        return False
    found = counts_of(files.columns[name], values)
    return 0 < len(found) < len(set(files.columns[name])) and is_measure(name)


_WORDS = frozenset(
    ["measure", "measures", "measurement", "statistic", "metric", "indicator", "unit", "statistik", "mesure", "medida"]
)


def is_measure(name: str) -> bool:
    """Return whether a column's name says that it names the statistic of a row."""
    return not _WORDS.isdisjoint(column_names.words(name))
