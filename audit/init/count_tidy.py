"""Tidy tables: a row for each combination of labels, and one or several columns of numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from audit.count_tables.number_texts import is_like_a_number, number_of
from audit.init import column_names
from audit.init.count_beside import declare_beside, declare_flags, split_count_cells, without_flags
from audit.init.count_columns import (
    COUNTED,
    CountFiles,
    Kinds,
    codes_beside,
    is_period,
    is_running,
    is_sign,
    is_total_word,
    kinds_of,
    speaks_of_counts,
    status_of,
    total_of,
    without_copies,
)
from audit.init.count_rules import TableGuesses, counts_of, is_measure, keep_counts, parts_rates, rules_of


def tidy(files: CountFiles) -> TableGuesses | None:
    """Return the rules of a table with a row for each combination of labels, and one or several columns of numbers."""
    files, flags = without_flags(split_count_cells(files))
    columns = files.columns
    kinds = kinds_of(columns)
    if _are_rows_of_people(columns, kinds):
        return None
    measure, counts, running, codes = _sorted(files, kinds)
    if not counts:
        return None
    value = _value_of(counts, columns)
    status = status_of(files, value)
    periods = [name for name in columns if is_period(name, set(columns[name]))]
    period = next((n for n in periods if len(set(columns[n])) > len(files.shown)), None)
    elsewhere = {measure, status, *(name for name in periods if len(files.shown) == 1 or name != period)}
    labels = without_copies(files, [n for n in kinds.labels if files.varies(n) and n not in elsewhere])
    if not labels or not _is_table(files, [*labels, *(n for n in elsewhere if n in columns)], value):
        return None
    rules = rules_of("a tidy table of counts", files, labels, value)
    if status is not None:
        rules.table["status"] = status
        rules.texts.update(sign for sign, text in zip(columns[status], columns[value], strict=True) if not text)
    blank = {n: "Total" for n in labels if n not in rules.totals and _total_rows(files, n)}
    rules.table["totals"] |= blank
    if period is not None and len(files.shown) == 1:
        rules.document["series"]["releases_by"] = period
    _add_codes(rules, files, kinds, codes, [n for n in periods if n not in (*labels, period)])
    declare_flags(rules, flags)
    keep_counts(rules, files, measure)
    kept = [True] * len(columns[value])
    if "measure" in rules.table and measure is not None:
        counted = counts_of(columns[measure], columns[value])
        kept = [text in counted for text in columns[measure]]
    beside = declare_beside(rules, files, counts, [n for n in kinds.numbers if n not in (value, *codes)], kept)
    beside += [name for name in running if name not in counts]
    if beside:
        rules.doubts.append(f"Numbers beside the counts are not judged: {', '.join(beside[:8])}; say what they are.")
    if not rules.totals and not any(map(is_sign, rules.texts)):
        key = next((key for key in ("values", "wide") if key in rules.table), "value")
        rules.doubt(
            f"table.{key}",
            f"That {value} counts people is taken from its name; say no kind of tables if rows are people.",
        )
    return rules


def _sorted(files: CountFiles, kinds: Kinds) -> tuple[str | None, list[str], list[str], list[str]]:
    """Return the column of statistics, those of counts, sums over time, and codes; these are taken out of the kinds."""
    measure = next((name for name in kinds.labels if is_measure(name) and files.varies(name)), None)
    if not kinds.counts and measure is not None:
        kinds.counts.extend(name for name in kinds.numbers[-1:] if parts_rates(files, measure, name))
    kinds.labels[:] = [n for n in kinds.labels if not _is_note(files, n, kinds.labels)]
    codes = codes_beside(files, [*kinds.counts, *kinds.numbers, *kinds.labels], kinds.labels)
    numbering = (name for name in (*kinds.labels, *kinds.counts) if name not in codes)
    codes += [name for name in numbering if _numbers_rows(name, files.columns[name])]
    kinds.labels[:] = [n for n in kinds.labels if n not in codes or not files.varies(n)]
    counts = [name for name in kinds.counts if name not in codes]
    running = [name for name in counts if is_running(name)]
    return measure, [name for name in counts if name not in running] or running, running, codes


def _add_codes(
    rules: TableGuesses, files: CountFiles, kinds: Kinds, codes: Sequence[str], periods: Sequence[str]
) -> None:
    """Name the columns with numbers that say nothing about the counts: codes, periods, and what is always the same."""
    constant = [name for name in kinds.labels if not files.varies(name)]
    named = dict.fromkeys([*codes, *constant, *periods])
    rules.add("not_counts", [name for name in named if any(map(is_like_a_number, files.columns[name]))])


def _are_rows_of_people(columns: Mapping[str, Sequence[str]], kinds: Kinds) -> bool:
    """Return whether a column is named for people, records or groups, and nothing else says that rows are counts.

    That says a column named for counts in which a sign hides some, or a label of all people.
    """
    of_people = [name for name in columns if column_names.kind(name) in ("person", "record", "group", "id")]
    if all(name in kinds.counts and speaks_of_counts(name) for name in of_people):
        return False
    named = [name for name in kinds.counts if speaks_of_counts(name) and column_names.sensitivity(name) == 0]
    hides = any(text and number_of(text) is None for name in named for text in columns[name])
    return not (hides or (named and any(total_of(columns[name]) is not None for name in kinds.labels)))


_OF_ROWS = frozenset(("row", "rows", "index", "key", "order", "seq", "sequence"))


def _numbers_rows(name: str, texts: Sequence[str]) -> bool:
    """Return whether a column only numbers the rows."""
    numbers = {number for text in texts if (number := number_of(text)) is not None}
    consecutive = len(numbers) == len(texts) and max(numbers) - min(numbers) == len(texts) - 1
    named = column_names.kind(name) == "id" or not _OF_ROWS.isdisjoint(column_names.words(name))
    return named and consecutive and len(texts) > 1


def _value_of(counts: Sequence[str], columns: dict[str, list[str]]) -> str:
    """Return the column that most surely has the counts: by its name, else by its signs, else the first."""
    known = [each.casefold() for each in COUNTED]
    named = sorted((known.index(name.casefold()), name) for name in counts if name.casefold() in known)
    if named:
        return named[0][1]
    marked = [
        name for name in counts if any(text and is_sign(text) and number_of(text) is None for text in columns[name])
    ]
    speaking = [name for name in counts if speaks_of_counts(name)]
    return next(iter([*speaking, *marked, *counts]))


def _is_note(files: CountFiles, name: str, labels: Sequence[str]) -> bool:
    """Return whether a column of texts is a note beside numbers: often empty, or of nothing but the word for totals."""
    texts = files.columns[name]
    if "" in texts and all(is_total_word(text) for text in texts if text):
        return True
    often = sum(not text for text in texts) > 0.3 * len(texts) and len(labels) > 1
    return often and total_of(texts) is None and not _total_rows(files, name)


def _total_rows(files: CountFiles, name: str) -> bool:
    """Return whether a label is empty just where another column says that a row is a total."""
    empty = [not text for text in files.columns[name]]
    if not any(empty):
        return False
    said = ([is_total_word(text) for text in texts] for other, texts in files.columns.items() if other != name)
    return any(any(words) and all(word for word, blank in zip(words, empty, strict=True) if blank) for words in said)


def _is_table(files: CountFiles, labels: Sequence[str], value: str) -> bool:
    """Return whether rows are cells of a table: each combination of labels once a file, and some sign of a table.

    Such a sign is a label for all people, a marker in place of a count, or the name of the column.
    """
    texts, start, unique = files.columns[value], 0, True
    for rows in files.rows_of:
        part = list(zip(*(files.columns[name][start : start + rows] for name in labels), strict=True))
        unique &= len(set(part)) == len(part)
        start += rows
    if not unique or len(texts) < 2:
        return False
    if any(total_of(files.columns[name]) is not None or _total_rows(files, name) for name in labels):
        return True
    marks = Counter(text for text in texts if text and number_of(text) is None)
    return (bool(marks) and all(map(is_sign, marks))) or (
        speaks_of_counts(value) and not marks and not any(map(column_names.sensitivity, labels))
    )
