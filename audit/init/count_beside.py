"""Numbers beside the counts, as far as all rows agree: rates of a column, shares of a total, other counts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import accumulate, combinations, product
from math import gcd, log10
from typing import TypeAlias

from audit.count_tables.published_counts import Line, is_part, totals_by_sums
from audit.count_tables.published_texts import decimal_of, flag_of, is_total_word, number_of, said_range
from audit.count_tables.table_rules import MOST_PARTS, free_name
from audit.init.count_columns import CountFiles, is_label_name, is_population, is_sign, speaks_of_changes
from audit.init.count_rules import TableGuesses, rounding_of
from audit.io.table_forms import group_above
from audit.io.toml import toml_key, toml_value
from audit.runtime.phrases import printable, say

_PER = (100, 1, 1000, 10_000, 100_000, 1_000_000)
_DIGITS = 5  # so many do not agree by chance
_CLEARLY = 4  # a count exceeds its possible error so many times where its rate shows the denominator
_MOST_TOTALS = 3  # dimensions at whose totals together a denominator is looked for
_FLAGS, _FEWEST = 6, 3
Rate: TypeAlias = dict[str, int | str | dict[str, str]]
"""A rate in the form of `[table] rates`."""
Base: TypeAlias = tuple[str | dict[str, str], Sequence[str], Sequence[int]]
"""A possible denominator of rates: its name, its number in each row, and the possible factors."""
_BOTH = re.compile(r"(.+?)\s*[(\[]\s*([0-9.]*)\s*%?\s*[)\]]")
_RATE = " (rate)"
_PART_OF = re.compile(r"\s*(?:davon|darunter|of which|including|dont|de los cuales|de las cuales)\b", re.IGNORECASE)
_OF_SEX = re.compile(
    r"(?:fe)?males?|(?:wo)?m[ae]n|boys?|girls?|männ(?:er|lich)|frauen|weiblich|divers|jungen|mädchen|hommes?|femmes?|"
    r"garçons?|filles?|masculin[os]?|f[ée]minin|femenino|hombres?|mujer(?:es)?|varón|varones|niñ[oa]s?",
    re.IGNORECASE,
)


_ENOUGH_LABELS = 2  # two labels and their total


def split_count_cells(files: CountFiles) -> CountFiles:
    """Return the files with cells such as `12 (34.5)` split into two columns, the count and the rate."""
    columns = dict(files.columns)
    for name, texts in files.columns.items():
        both = [_BOTH.fullmatch(text) for text in texts]
        split = [each is not None and number_of(each[1]) is not None for each in both]
        hidden = [is_sign(text if each is None else each[1]) for each, text in zip(both, texts, strict=True)]
        if any(split) and all(ok or sign or not t for ok, sign, t in zip(split, hidden, texts, strict=True)):
            columns[name] = [text if each is None else each[1] for text, each in zip(texts, both, strict=True)]
            columns[name + _RATE] = ["" if each is None else each[2] for each in both]
    return replace(files, columns=columns)


def without_flags(files: CountFiles) -> tuple[CountFiles, list[str]]:
    """Return the files without letters after numbers, and these letters; numbers in labels do not change."""
    columns, found = dict(files.columns), dict[str, None]()
    for name, texts in files.columns.items():
        parts = [flag_of(text) for text in texts]
        flags = dict.fromkeys(flag for _, flag in parts if flag)
        plain = sum(decimal_of(number) is not None for number, _ in parts)
        if flags and 2 * plain > len(texts) and len(flags) <= _FLAGS and not is_label_name(name):
            columns[name] = [number for number, _ in parts]
            found |= flags
    return replace(files, columns=columns), list(found)


def declare_flags(rules: TableGuesses, flags: Sequence[str]) -> None:
    """Declare the letters after numbers, if there are any."""
    if flags:
        why = say("{flags} after numbers: read as remarks that do not change the numbers.", flags=", ".join(flags))
        rules.assume("flags", [*flags], why)


def declare_beside(
    rules: TableGuesses, files: CountFiles, counts: Sequence[str], numbers: Sequence[str], kept: Sequence[bool]
) -> None:
    """Declare the rates, shares and further counts that fit all rows.

    `kept` says which rows have counts.
    """
    counts = [name for name in counts if not name.endswith(_RATE)]
    if sum(name + _RATE in files.columns for name in counts) > 1:
        _declare_split(rules, files, counts)
        return
    value, known = rules.table["value"], declare_rates(rules, files, counts, numbers, kept)
    several = not {"rates", "measure"} & rules.table.keys()
    if "rates" in rules.table and "measure" not in rules.table and len(counts) > 2 and sums_of_others(files, counts, 0):
        known.difference_update(counts)  # the denominator is their sum, and not the population of another source
        rates, several = rules.table["rates"], True
        for rate in rates if isinstance(rates, list) else [rates]:
            rate["counts"] = value
    if (change := declare_change(rules, files, [*numbers, *counts], counts if several else ())) is not None:
        known.add(change)
    others = [name for name in counts if name != value and name not in known]
    for name in filter(is_population, others):
        if (dimension := _same_along(rules, files, name)) is not None:
            why = say(
                "{column}: taken for no counts, because all labels of {dimension} have the same number, and so has its "
                "total.",
                column=name,
                dimension=dimension,
            )
            rules.add("not_counts", [name], why)
            known.add(name)
    if not known.issuperset(others) and several:
        _declare_counts(rules, files, [name for name in counts if name not in known])
    elif change is not None:
        del rules.table["change"]["counts"]


def _same_along(rules: TableGuesses, files: CountFiles, name: str) -> str | None:
    """Return a dimension with a total along which a column never changes, as a population beside each count of a place.

    If it had counts, the total would have the sum of them.
    """
    dimensions, texts = rules.table["dimensions"], files.columns[name]
    for dimension in (each for each in dimensions if rules.totals.get(each)):
        labels = (_labels(rules, files, each) for each in dimensions if each != dimension)
        lines: dict[tuple[object, ...], list[str]] = {}
        for *line, text in zip(*labels, files.release_of_rows(), texts, strict=True):
            lines.setdefault((*line,), []).append(text)
        if all(len({*line}) == 1 for line in lines.values()) and any(
            len(line) > _ENOUGH_LABELS and number_of(line[0]) for line in lines.values()
        ):
            return dimension
    return None


def declare_rates(
    rules: TableGuesses,
    files: CountFiles,
    counts: Sequence[str],
    numbers: Sequence[str],
    kept: Sequence[bool] | None = None,
) -> set[str]:
    """Declare the rates that fit all rows; return their columns and those of their denominators."""
    value = rules.table["value"]
    kept = kept or [True] * len(files.columns[value])
    bases = [*_columns(files, counts, value), *_totals(rules, files, kept)]
    likely = [*numbers, *(name for name in counts if name != value)]
    found = {name: rate for name in likely if (rate := _rate_of(files, value, name, bases, kept)) is not None}
    for name in (each for each in numbers if each not in found):
        if nearly := _share_in_most_rows(rules, files, name, kept):
            rules.nearly[name] = nearly
    known = {*found, *(base for rate in found.values() if isinstance(base := rate["denominator"], str))}
    beside = [text for name in known for text in dict.fromkeys(files.columns[name])]
    signs = [text for text in dict.fromkeys(beside) if text and decimal_of(text.rstrip("% ")) is None]
    said = {*rules.table.get("not_published", ()), *rules.texts}  # the latter hide counts
    rules.add("not_published", [text for text in signs if text not in said])
    given = rules.table.get("rates", [])
    rates = [*(given if isinstance(given, list) else [given]), *found.values()]
    if rates:
        rules.table["rates"] = rates[0] if len(rates) == 1 else rates
    for column in (rate["column"] for rate in found.values() if "of" in rate):
        why = say(
            "{column} agrees with the exact counts behind the rounded ones; if it was computed from the rounded ones, "
            'write of = "published".',
            column=column,
        )
        rules.doubt("table.rates", why)
    return known


def _share_in_most_rows(rules: TableGuesses, files: CountFiles, column: str, kept: Sequence[bool]) -> str:
    """Return in how many rows a column agrees with shares of a total, within the rounding; an empty text if in few."""
    counts, texts, most = files.columns[rules.table["value"]], files.columns[column], ""
    rounding = rounding_of(Counter(number for text in counts if (number := number_of(text))))
    error, best = 0 if rounding is None else rounding[0] - 1, _FEWEST - 1
    for base, denominators, known in _totals(rules, files, kept):
        for per in known:
            agree = [
                _agrees([row], per, decimals_of(texts), 1, error)
                for row, keep in zip(zip(counts, texts, denominators, strict=True), kept, strict=True)
                if keep and 0 < (number_of(row[0]) or 0) < (number_of(row[2]) or 0) and decimal_of(row[1].rstrip("% "))
            ]
            if best < sum(agree) and 2 * sum(agree) > len(agree):
                best = sum(agree)
                most = say(
                    "{column} agrees in {count} of {all} rows with shares of {total}, per {per}; if it holds them, "
                    "write them under rates.",
                    column=printable(column),
                    count=best,
                    all=len(agree),
                    total=toml_value(base),
                    per=per,
                )
    return most


def _declare_split(rules: TableGuesses, files: CountFiles, counts: list[str]) -> None:
    """Declare several columns of counts whose cells also have shares of one of them."""
    _declare_counts(rules, files, counts)
    rates = list[Rate]()
    for name in (each for each in counts if each + _RATE in files.columns):
        texts = files.columns[name + _RATE]
        found = _rate_of(files, name, name + _RATE, [*_columns(files, counts, name)], [True] * len(texts), enough=1)
        if all(decimal_of(text) == _PER[0] for text in texts if text):
            found = _rate(name, _PER[0], decimals_of(texts), name)
        if found is not None:
            rates.append(found if "wide" in rules.table else found | {"counts": name})
    if rates:
        rules.table["rates"] = rates


def decimals_of(texts: Sequence[str]) -> int:
    """Return the most decimals that a number of a column has."""
    return max((len(text.rstrip("% ").partition(".")[2]) for text in texts), default=0)


def _agrees(
    rows: Sequence[tuple[str, str, str]], per: int, decimals: int, enough: int = 2, error: int = 0, of_base: int = 0
) -> bool:
    """Return whether the rates of all rows, and of at least `enough`, follow from their counts and denominators.

    Each count may be wrong by up to `error`, and each denominator by up to `of_base`.
    """
    half, shown, digits = Fraction(1, 2 * 10**decimals), 0, 0.0
    for count, rate, base in rows:
        n, r, d = number_of(count), decimal_of(rate.rstrip("% ")), number_of(base)
        if n is None or r is None or d is None or d <= of_base:
            continue
        low, high = Fraction((n - error) * per, d + of_base) - half, Fraction((n + error) * per, d - of_base) + half
        if not low <= r <= high:
            return False
        if _CLEARLY * error < n < d:
            shown += 1
            digits += log10(per / (high - low))
    return shown >= enough and (enough == 1 or digits >= _DIGITS)


def _columns(files: CountFiles, counts: Sequence[str], value: str) -> Iterator[Base]:
    """Yield the other columns of counts."""
    yield from ((base, files.columns[base], _PER) for base in counts if base != value)


def _totals(rules: TableGuesses, files: CountFiles, kept: Sequence[bool]) -> Iterator[Base]:
    """Yield the cells at the totals of one dimension or of several, with the other labels of the row."""
    names = (*rules.table["dimensions"], *rules.periods)
    labels = list(zip(*(_labels(rules, files, name) for name in names), files.release_of_rows(), strict=True))
    rows = zip(labels, files.columns[rules.table["value"]], kept, strict=True)
    cells = {label: count for label, count, keep in rows if keep}
    topics = [name for name in rules.totals if "breakdown" in rules.table and name not in rules.table.get("nested", {})]
    topics = [name for name in topics if name not in files.names]
    units = [*([name] for name in rules.totals if name not in topics), *([topics] if topics else [])]
    for size in range(1, _MOST_TOTALS + 1):
        for some in combinations(units, size):
            chosen = [name for unit in some for name in unit]
            whole = {
                names.index(name): () if name in rules.table.get("nested", {}) else rules.totals[name]
                for name in chosen
            }
            wanted = ((*(whole.get(at, text) for at, text in enumerate(each)),) for each in labels)
            yield {name: rules.totals[name] for name in chosen}, [cells.get(each, "") for each in wanted], _PER[:3]


def _labels(rules: TableGuesses, files: CountFiles, name: str) -> Sequence[str | tuple[str, ...]]:
    """Return the label of each row in a dimension, a path if it is nested."""
    if name not in rules.table.get("nested", {}):
        return files.columns[name]
    rows = zip(*(files.columns[column] for column in rules.table["nested"][name]), strict=True)
    return [tuple(text for text in row if text not in ("", rules.totals.get(name))) for row in rows]


def _rate_of(
    files: CountFiles, value: str, column: str, bases: Sequence[Base], kept: Sequence[bool], enough: int = 2
) -> Rate | None:
    """Return the rate that a column holds if all rows agree with a base; None if it holds no rate."""
    texts = files.columns[column]
    decimals = decimals_of(texts)
    positive = Counter(number for text in files.columns[value] if (number := number_of(text)))
    rounding = rounding_of(positive)
    # Rates of exact counts beside rounded ones only agree roughly: what they are of must be said, too.
    for error in (0, rounding[0] - 1) if rounding is not None else (0,):
        for base, denominators, known in bases:
            rows = zip(files.columns[value], texts, denominators, kept, strict=True)
            triples = [(count, rate, of) for count, rate, of, keep in rows if keep]
            of_base = 0 if isinstance(base, str) else error
            is_said = not error or of_base or (isinstance(base, str) and is_population(base))
            for per in known if is_said else ():
                if _agrees(triples, per, decimals, enough, error, of_base):
                    return _rate(column, per, decimals, base) | ({"of": "count"} if error else {})
    return None


def _rate(column: str, per: int, decimals: int, denominator: str | dict[str, str]) -> Rate:
    column = column.removesuffix(_RATE)
    return {"column": column, "per": per, "decimals": decimals, "denominator": denominator}


_PERIOD = re.compile(r"(^|[^0-9])(19|20)[0-9]{2}([^0-9]|$)")


def declare_change(rules: TableGuesses, files: CountFiles, numbers: Sequence[str], counts: Sequence[str]) -> str | None:
    """Declare the column with the increase of counts since the previous file, if all rows agree, and return it."""
    labels = list(zip(*(files.columns[name] for name in rules.table["dimensions"]), strict=True))
    ends = [0, *accumulate(files.rows_of)]
    value = rules.table["value"]
    for column, count in product(numbers, dict.fromkeys([value, *counts])):
        if len(files.rows_of) < 2 or not speaks_of_changes(column) or column == count:
            continue
        values, texts, agree = files.columns[count], files.columns[column], []
        for before, start, end in zip(ends, ends[1:], ends[2:], strict=False):
            known = {labels[row]: number_of(values[row]) for row in range(before, start)}
            for row in range(start, end):
                now, then = number_of(values[row]), known.get(labels[row])
                by = number_of(texts[row].lstrip("+-\u2212"))
                if now is not None and then is not None and by is not None:
                    agree.append(now - then == by * (-1 if texts[row][0] in "-\u2212" else 1))
        if agree and all(agree):
            names = {"column": column, "counts": count}
            why = say("{column} is read as the increase of {counts} since the release before.", **names)
            rules.assume("change", {"column": column, "since": 1, "counts": count}, why)
            return column
    return None


def _declare_counts(rules: TableGuesses, files: CountFiles, counts: list[str]) -> None:
    """Declare several columns of counts: labels of a dimension if one is the sum of the others, else statistics."""
    total, periods = _sum_of_others(files, counts), all(_PERIOD.search(name) for name in counts)
    labels = periods or all(said_range(name) is not None for name in counts)  # such as ages, none of which is a part
    if total is None and not periods and (total := rounded_sum_of_others(files, counts)) is not None:
        rules.doubt(
            f"table.totals.{toml_key(_dimension_of(counts, total, files))}",
            say('"{total}" is taken for the sum of the other columns of counts, which are rounded.', total=total),
        )
    if total is not None or labels:
        dimension = free_name(say("period"), files.columns) if periods else _dimension_of(counts, total, files)
        rules.table["wide"] = {"dimension": dimension, "columns": dict(zip(counts, counts, strict=True))}
        if total is not None and not periods:
            rules.table["totals"][dimension] = total
    else:
        rules.table["values"] = [*counts]
        parts = _parts(files, counts)
        if len(parts) > MOST_PARTS:
            why = say(
                "These columns may be parts of one count that overlap, such as ages by sex: write a row for each "
                "count, with its labels in columns."
            )
            rules.doubt("table.values", why)
        elif parts:
            names = ", ".join(say("{part} of {whole}", part=part, whole=whole) for part, whole in parts.items())
            why = say("Read as parts, because they never exceed the whole: {names}.", names=names)
            rules.assume("part_of", parts, why)
    del rules.table["value"]
    for name in counts:
        rules.texts.update(files.columns[name])


def _dimension_of(counts: Sequence[str], total: str | None, files: CountFiles) -> str:
    """Return the name of the dimension whose labels are these columns: that of their group, else one of their kind."""
    if (group := _PART_OF.sub("", group_above(files.files[0])).strip(" :")) and group not in files.columns:
        return group
    are_sexes = all(name == total or _OF_SEX.fullmatch(name) for name in counts)
    is_free = are_sexes and say("sex") not in files.columns
    return say("sex") if is_free else free_name(say("column"), files.columns)


def rounded_sum_of_others(files: CountFiles, counts: Sequence[str]) -> str | None:
    """Return the only column that can be the sum of the others in all rows if all numbers are rounded to one base."""
    most = gcd(*(number for name in counts for text in files.columns[name] if (number := number_of(text)))) - 1
    sums = sums_of_others(files, counts, most) if most > 0 else []
    return sums[0] if len(sums) == 1 else None


def sums_of_others(files: CountFiles, counts: Sequence[str], most: int) -> list[str]:
    """Return the columns that are the sum of the others in all rows if each number may be wrong by up to `most`."""
    rows = zip(*(map(number_of, files.columns[name]) for name in counts), strict=True)
    lines: Iterator[Line] = (
        {name: None if n is None else (max(0, n - most), n + most) for name, n in zip(counts, row, strict=True)}
        for row in rows
    )
    return totals_by_sums(lines)


def _sum_of_others(files: CountFiles, counts: Sequence[str]) -> str | None:
    """Return the column that is the sum of the others in all rows without hidden numbers, or is named so."""
    if len(counts) <= 2:
        return None
    sums = sums_of_others(files, counts, 0)
    words = [name for name in counts if is_total_word(name)]
    return next(iter([*(name for name in sums if name in words), *sums, *words]), None)


def _parts(files: CountFiles, counts: Sequence[str]) -> dict[str, str]:
    """Return, for each count that never exceeds another and is sometimes less, the largest such count."""
    columns: Mapping[str, list[int | None]] = {name: [number_of(t) for t in files.columns[name]] for name in counts}
    found: dict[str, str] = {}
    for part in counts:
        wholes = []
        for whole in counts:
            pairs = [
                (a, b) for a, b in zip(columns[part], columns[whole], strict=True) if a is not None and b is not None
            ]
            if part != whole and is_part(pairs):
                wholes.append((sum(n or 0 for n in columns[whole]), whole))
        if wholes:
            found[part] = max(wholes)[1]
    return found
