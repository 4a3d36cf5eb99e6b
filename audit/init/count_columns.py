"""Columns of possible count tables: which hold labels, counts, other numbers, codes or periods."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, chain, pairwise, takewhile
from pathlib import Path

from audit.count_tables.manifest import column_names as columns_of
from audit.count_tables.manifest import filled_down, read_count_table
from audit.count_tables.published_texts import (
    commas_are_decimal,
    decimal_of,
    flag_of,
    is_like_a_number,
    is_total_word,
    number_of,
    points_part_thousands,
    said_range,
    sounds_like_total,
    total_of,
    with_decimal_point,
)
from audit.io.foreign_files import is_foreign, read_foreign
from audit.io.naming import NUMBERINGS, in_time, names_codes, speaks_of_counts
from audit.io.notations import words_in
from audit.io.toml import Toml, release_tag
from audit.model.errors import InputError, Problem, Problems
from audit.runtime.phrases import say

Columns = Mapping[str, Sequence[str]]
_FEW = 2  # rows in which the labels of any column may follow from those of the others


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_LABEL_WORDS = NUMBERINGS | _words(
    "age ages year years zip zipcode plz postcode postal code month week day hour wave round grade level band "
    "decile quintile quantile quartile percentile alter jahr monat woche tag edad ano anno annee mois semaine "
    "codigo geoid fips id nuts icd nace sic isco district ward lsoa msoa stage period quarter cohort epiweek mes "
    "sort hierarchy place rank trimestre quartal semestre"
)
_LABELS_ALONE = _words(
    "region sex gender geschlecht sexe sexo kreis bezirk county province provinz departement provincia"
)
"""Names whose numbers are codes of labels, unless a further word stands beside them, such as in `Region North`."""
_TIME_WORDS = _words(
    "age ages year years month week day hour alter jahr monat woche tag edad ano anno annee mois semaine stage period "
    "quarter mes trimestre quartal semestre"
)
"""Those of them that name ages or times, of which no number exceeds a year."""
_LATEST_YEAR = 2100
_DATE = re.compile("(?:19|20)[0-9]{2}(?:0[1-9]|1[0-2])(?:[0-3][0-9])?")
_POPULATION = _words("population pop bevolkerung einwohner habitants poblacion")
_MONEY_WORDS = _words("eur euro euros teur usd dollar dollars gbp chf franken umsatz umsatze turnover revenue revenues")
_MONEY = re.compile("[€$£]")
_AGES = re.compile(
    r"[0-9]+(?:\W+\w+){0,2}?\W+(?:years?|jahren?|ans|años|months?|monaten?|mois|mes(?:es)?)(?!\w)|"
    r"\b(?:ages?|aged|alter|edad|[âa]ge)\W+[0-9]+\W*(?:-|\+|to|bis|a|à|and|und)",
    re.IGNORECASE,
)
_SIGNED = re.compile("[+\\-\u2212\u00b1] ?[0-9]")  # changes, which are no labels
_PADDED = re.compile("0[0-9]+")  # codes, such as 01
_ROW_WORDS = _words("vector coordinate lfd")  # of Statistics Canada and German offices, whose texts name rows
_STATUS_WORDS = _words("status marking flag flags qf qualifier symbol")
_PERIOD_WORDS = _words(
    "year years jahr ano anno annee period time date month monat mois mes quarter week ref financialyear day zeit "
    "periode perioden periodo jaar epiweek datecode fecha datum trimestre quartal semestre schuljahr berichtsjahr "
    "stichtag"
)
_SIGNS = re.compile(
    r"[^\w\s%\u2030$\u00a3\u20ac]+|n/?a|\[?[a-z]\]?|\([a-z]\)|\.\.[a-z]|low|redacted|\[redacted\]|suppressed|hidden|"
    r":\s?[a-z]{1,2}|confidential|secret|data suppressed|geheim|secret|confidencial|[a-z]{1,2}\.?|"
    r"[a-z][./] ?[a-z]\.?",
    re.IGNORECASE,
)


def is_sign(text: str) -> bool:
    """Return whether a text is a marker that offices publish in place of a count."""
    return _SIGNS.fullmatch(text) is not None or said_range(text) is not None


def total_within(texts: Iterable[str]) -> str | None:
    """Return the label that has the word for all people among others, where it is the only one.

    >>> total_within(["Nord", "Bayern insgesamt"]), total_within(["Nord zusammen", "Bayern zusammen"])
    ('Bayern insgesamt', None)
    """
    found = {*filter(sounds_like_total, texts)}
    return found.pop() if len(found) == 1 else None


@dataclass(frozen=True)
class CountFiles:
    """The files of a folder, with all cells of their common columns.

    Attributes:
        files: the files; `shown` has their names.
        names: the columns of the first file, in order.
        columns: all cells of each column, file by file.
        rows_of: how many rows each file has.
        releases: the files published together: one each, or several with a tag.
        once: the columns whose labels the files write once, above blanks.
    """

    files: Sequence[Path]
    shown: list[str]
    names: list[str]
    columns: dict[str, list[str]]
    rows_of: list[int]
    releases: list[Toml]
    once: tuple[str, ...] = ()

    def has(self, *names: str) -> bool:
        """Return whether all files have these columns."""
        return all(name in self.columns for name in names)

    def first(self, *names: str) -> str | None:
        """Return the first of some columns that all files have."""
        return next((name for name in names if name in self.columns), None)

    def varies(self, name: str) -> bool:
        """Return whether a column has more than one text."""
        return len(set(self.columns[name])) > 1

    def file_of_rows(self) -> list[int]:
        """Return which file each row is of, from 0."""
        return [place for place, rows in enumerate(self.rows_of) for _ in range(rows)]

    def release_of_rows(self) -> list[str]:
        """Return which release each row is of, by its first file."""
        parts = [[each] if isinstance(each, str) else each["tables"] for each in self.releases]
        first = {shown: part[0] for part in parts for shown in part}
        return [first[shown] for shown, rows in zip(self.shown, self.rows_of, strict=True) for _ in range(rows)]


def files_by_columns(files: Sequence[Path]) -> dict[tuple[str, ...], list[Path]]:
    """Return the files with each set of columns, which are spelled as in the first file that has them."""
    found, known = dict[tuple[str, ...], list[Path]](), set[str]()
    for file in files:
        names = columns_of(file, file.name, Problems(), known) or ()
        found.setdefault(tuple(sorted(names)), []).append(file)
        known.update(names)
    return found


def read_files(folder: Path, files: Sequence[Path], known: Collection[str] = ()) -> CountFiles | None:
    """Return the files with all their cells; None if one cannot be read; columns are spelled as those `known`."""
    names, found, rows, kinds = list[str](), dict[str, list[str]](), list[int](), set[frozenset[str]]()
    for place, file in enumerate(files):
        have = columns_of(file, file.name, Problems(), known or names)
        if have is None:
            return None
        kinds.add(frozenset(have))
        if place == 0:
            names, found = [*have], {name: [] for name in have}
        hidden = read_foreign(file).hidden if is_foreign(file) else ()  # asked about as columns that are not judged
        found = {name: texts for name, texts in found.items() if name in have and name not in hidden}
        table = read_count_table(file, file.name, list(found), Problems())
        if table is None:
            return None
        rows.append(table.rows)
        for name in found:
            found[name] += table.texts(name)
    for name, texts in found.items():
        if commas_are_decimal(set(texts)):
            found[name] = [with_decimal_point(text) for text in texts]
    once = _labels_written_once(found, rows)
    shown = [each.relative_to(folder).as_posix() for each in files]
    is_series = len(files) > 1 == len(kinds) == len({each.parent for each in files})
    return CountFiles(files, shown, names, found, rows, [*shown] if is_series else _together(shown), once)


def _labels_written_once(columns: dict[str, list[str]], rows_of: Sequence[int]) -> tuple[str, ...]:
    """Return the first columns if their labels stand above blanks that repeat them, and fill these.

    This is so if no label is doubtful, and with the blanks alone rows would have the labels of others: a blank that
    means the total has other labels beside it than any other blank.
    """
    known = kinds_of(columns).labels
    labels = [name for name in columns if name in known and not _is_code(columns, name, known)]
    names = [*takewhile(lambda name: "" in columns[name], labels)]
    ends = [*pairwise([0, *accumulate(rows_of)])]
    parts = [filled_down([columns[name][start:end] for name in names]) for start, end in ends]
    if not names or len(names) == len(labels) or any(any(rows) for _, unclear in parts for rows in unclear):
        return ()
    filled = dict(zip(names, ([*chain(*some)] for some in zip(*(each for each, _ in parts), strict=True)), strict=True))
    texts = [{**columns, **own} for own in ({}, filled)]
    before, after = ([[*zip(*(each[name][a:b] for name in labels), strict=True)] for a, b in ends] for each in texts)
    if all(len({*some}) == len(some) for some in before) or any(len({*some}) < len(some) for some in after):
        return ()
    columns.update(filled)
    return (*names,)


def _together(shown: Sequence[str]) -> list[Toml]:
    """Return the releases of files: one each, or all files of a folder in which a release lies.

    Alike files in a single folder are a release each, whatever it is called.
    """
    tables: dict[str, list[str]] = {}
    for name in shown:
        tables.setdefault(_folder_of(name) or name, []).append(name)
    return [{"tag": tag, "tables": some} if _folder_of(some[0]) else tag for tag, some in tables.items()]


def _folder_of(shown: str) -> str:
    """Return the name of the folder in which the files of a release lie; empty if each release is a file."""
    return "" if (place := Path(shown).parent.name) == "releases" else place


_PARTS_OF_NAMES = re.compile(r"[^\W\d_]+|[0-9]+")
_YEAR = re.compile(r"(?:19|20)[0-9]{2}")


def joined_files(parts: Sequence[CountFiles], totals: Mapping[str, str]) -> CountFiles | None:
    """Join tables with different columns into common releases; None if their names do not show which belong together.

    `totals` are the columns that some tables lack, each with the label that it has there. Files belong together if
    their names share the year, and whatever the names of all kinds of tables share.
    """
    tables: dict[str, list[str]] = {}
    for part, tags in zip(parts, _common_tags([part.shown for part in parts]), strict=True):
        if len({*tags}) < len(tags) and not all(map(_folder_of, part.shown)):
            return None
        for tag, shown in zip(tags, part.shown, strict=True):
            tables.setdefault(tag, []).append(shown)
    columns = {
        name: [text for part in parts for text in part.columns.get(name, [totals.get(name, "")] * sum(part.rows_of))]
        for name in dict.fromkeys(name for part in parts for name in part.columns)
        if name in totals or all(name in part.columns for part in parts)
    }
    return CountFiles(
        [file for part in parts for file in part.files],
        [shown for part in parts for shown in part.shown],
        [*columns],
        columns,
        [rows for part in parts for rows in part.rows_of],
        [
            tables[tag][0] if len(tables[tag]) == 1 else {"tag": tag or "1", "tables": tables[tag]}
            for tag in in_time(tables)[0]
        ],
        tuple(dict.fromkeys(name for part in parts for name in part.once)),
    )


def _common_tags(names: Sequence[Sequence[str]]) -> list[list[str]]:
    """Return what the names of several kinds of files have in common, and their years: the tags of their releases.

    Files in folders of their own have the names of these.
    """
    if all(_folder_of(shown) for some in names for shown in some):
        return [[*map(_folder_of, some)] for some in names]
    words = [[_PARTS_OF_NAMES.findall(release_tag(shown)) for shown in some] for some in names]
    common = set.intersection(*({word for some in each for word in some} for each in words))
    return [["-".join(word for word in some if word in common or _YEAR.match(word)) for some in each] for each in words]


def separate_rates(folder: Path, files: Sequence[Path]) -> tuple[list[Path], list[CountFiles]]:
    """Return the files with counts, and those with rates alone, which have the same columns in each entry."""
    columns = files_by_columns(files)
    known = {*chain(*columns)}
    found = [read_files(folder, some, known) for some in columns.values()] if len(columns) > 1 else []
    rates = [part for part in found if part is not None and rates_of(part)]
    alone = {file for part in rates for file in part.files}
    return [file for file in files if file not in alone], rates


def rates_of(files: CountFiles) -> list[str]:
    """Return the columns of numbers of files, if all are rates and populations; no column otherwise."""
    kinds = kinds_of(files.columns)
    codes = codes_beside(files, [*kinds.counts, *kinds.numbers], kinds.labels)
    found = [name for name in (*kinds.counts, *kinds.numbers) if name not in codes]
    rates = [name for name in found if name in kinds.numbers or speaks_of_rates(name)]
    return found if rates and all(name in rates or is_population(name) for name in found) else []


def with_rates(files: CountFiles, rates: Sequence[CountFiles]) -> CountFiles:
    """Return files of counts with the numbers of tables of rates in the rows with the same labels.

    Raises:
        InputError: the names of the files do not show which rates are of the counts of which release.
    """
    releases = [[each] if isinstance(each, str) else each["tables"] for each in files.releases]
    own, *others = _common_tags([[tables[0] for tables in releases], *(part.shown for part in rates)])
    common = own
    if len(releases) == 1:
        own, others = [""], [[""] * len(part.shown) for part in rates]
    columns, rows_of, labels = dict(files.columns), dict[str, list[int]](), kinds_of(files.columns).labels
    for row, first in enumerate(files.release_of_rows()):
        rows_of.setdefault(first, []).append(row)
    for part, tags in zip(rates, others, strict=True):
        names, start = rates_of(part), 0
        keys = [name for name in part.columns if name in files.columns and name not in names]
        totals = {name: {"", total_of(files.columns[name])} for name in labels if name not in part.columns}
        for name in names:
            columns.setdefault(name, [""] * sum(files.rows_of))
        for shown, tag, many in zip(part.shown, tags, part.rows_of, strict=True):
            if own.count(tag) != 1:
                what = say("the names of the files do not show of which counts these are rates")
                remedy = say(
                    "name the tables of one release alike but for one word, such as 2024-n.csv and 2024-percent.csv"
                )
                raise InputError([Problem(shown, what, remedy)])
            tables = releases[own.index(tag)]
            at = {tuple(part.columns[key][row] for key in keys): row for row in range(start, start + many)}
            for row in rows_of[tables[0]]:
                other = at.get(tuple(files.columns[key][row] for key in keys))
                if other is not None and all(files.columns[name][row] in some for name, some in totals.items()):
                    for name in names:
                        columns[name][row] = part.columns[name][other]
            tables.append(shown)
            start += many
    tagged = [each["tag"] if isinstance(each, dict) else release_tag(each) for each in files.releases]
    pairs = zip(common, tagged, releases, strict=True)
    whole = [{"tag": shared or tag, "tables": tables} for shared, tag, tables in pairs]
    return replace(files, names=[*columns], columns=columns, releases=whole)


@dataclass(frozen=True)
class Kinds:
    """The content of columns, by their cells and names.

    Attributes:
        labels: texts, and numbers that are labels (ages, years, ZIP codes).
        counts: whole numbers, and signs or ranges in place of some.
        numbers: any other numbers: rates, percentages, changes.
    """

    labels: list[str]
    counts: list[str]
    numbers: list[str]


def kinds_of(columns: Columns) -> Kinds:
    """Return the content of each column, without empty columns."""
    found = Kinds([], [], [])
    for name, texts in columns.items():
        distinct = {text for text in texts if text}
        if not distinct:
            continue
        point = points_part_thousands(distinct)
        plain = (flag_of(text)[0] if text[-1:].isalpha() else text for text in texts)
        whole = [text for text in plain if number_of(text, point=point) is not None]
        like = [text for text in texts if text and (is_like_a_number(text) or decimal_of(text) is not None)]
        shown = sum(1 for text in texts if text)
        others = {text for text in distinct if not is_like_a_number(text)}
        padded = any(map(_PADDED.fullmatch, distinct))
        is_label = padded or (is_label_name(name) and not _exceeds_years(name, distinct)) or is_period(name, distinct)
        if any(map(is_total_word, distinct)) or (like and is_label and not any(map(_SIGNED.match, distinct))):
            found.labels.append(name)
        elif (is_money(name) or len(like) > len(whole)) and len(like) > 0.3 * shown and all(map(is_sign, others)):
            found.numbers.append(name)
        elif whole and (len(whole) > 0.2 * shown or said_range(name)) and all(map(is_sign, others)):
            found.counts.append(name)
        elif len(like) > 0.5 * shown and (speaks_of_counts(name) or 2 * len(distinct) > shown):
            (found.numbers if len(like) > len(whole) else found.counts).append(name)
        elif (
            all(said_range(text) or is_sign(text) for text in distinct)
            and not all(map(str.isalpha, distinct))  # such as `freq`, with A for annual
            and speaks_of_counts(name)
        ):
            found.counts.append(name)
        else:
            found.labels.append(name)
    return found


def is_label_name(name: str) -> bool:
    """Return whether a column's name suggests that its numbers are labels, such as ages.

    >>> [*map(is_label_name, ("Geburtsjahr", "Zahl im Jahr", "cases this year", "All ages", "under 15 years"))]
    [True, True, False, False, False]
    >>> is_label_name("Population (mid-year)")
    False
    """
    words = words_in(name)
    named = (
        not _LABEL_WORDS.isdisjoint(words)
        or (words and _LABELS_ALONE.issuperset(words))
        or any(word.endswith(("jahr", "year", "monat")) for word in words)
    )
    if is_total_word(name) or _AGES.search(name) or is_population(name):
        return False  # the name is a label itself, whose counts the column has, or one of denominators
    return named and not speaks_of_counts(name) and not speaks_of_changes(name)


def _exceeds_years(name: str, texts: Iterable[str]) -> bool:
    """Return whether a column's name speaks of ages or times alone, but it has larger numbers, which are no dates.

    >>> _exceeds_years("Insured (year)", ["19,571"]), _exceeds_years("Year", ["2024"]), _exceeds_years("ZIP", ["80331"])
    (True, False, False)
    """
    is_of_times = _LABEL_WORDS.intersection(words_in(name)) <= _TIME_WORDS
    numbers = [number for text in texts if (number := number_of(text)) is not None and not _DATE.fullmatch(text)]
    return is_of_times and any(number > _LATEST_YEAR for number in numbers)


def is_population(name: str) -> bool:
    """Return whether a column's name says that it holds populations, of which rates are shares."""
    return not _POPULATION.isdisjoint(words_in(name))


def is_money(name: str) -> bool:
    """Return whether a column's name says that its numbers are amounts of money.

    >>> is_money("Einkünfte in 1 000 EUR"), is_money("Umsätze (€)"), is_money("Anzahl der Umsätze"), is_money("Europa")
    (True, True, False, False)
    """
    return not speaks_of_counts(name) and bool(_MONEY.search(name) or not _MONEY_WORDS.isdisjoint(words_in(name)))


_CHANGES = _words(
    "change changes diff difference increase decrease delta growth variation evolution previous differenz veranderung "
    "veranderungen zunahme abnahme zuwachs saldo entwicklung vorjahr vormonat vorquartal vorwoche hausse baisse "
    "precedent precedente variacion diferencia evolucion aumento incremento disminucion anterior"
)


def speaks_of_changes(name: str) -> bool:
    """Return whether a column's name suggests that it says by how much a count has changed."""
    return not _CHANGES.isdisjoint(words_in(name))


_RATES = _words(
    "percent percentage percentages pct perc proportion proportions share shares rate rates prozent prozente anteil "
    "anteile quote quoten pourcentage pourcentages taux porcentaje porcentajes tasa tasas proporcion index messzahl "
    "messzahlen indice indices"
)


def speaks_of_rates(name: str) -> bool:
    """Return whether a column's name suggests that it holds rates, such as percentages, or index numbers.

    >>> [*map(speaks_of_rates, ("pupil_percent", "% der Fälle", "Taux", "Corporate", "Index 2020=100"))]
    [True, True, True, False, True]
    """
    return "%" in name or not _RATES.isdisjoint(words_in(name))


_RUNNING = _words(
    "cum cumul cumulative cumulated kumuliert kumulierte cumule cumules acumulado acumulados running ytd todate"
)


def is_running(name: str) -> bool:
    """Return whether the name of a column or a release suggests that its numbers are cumulative up to its period.

    >>> is_running("cumCases"), is_running("cumul_2023_03"), is_running("cases")
    (True, True, False)
    """
    return not _RUNNING.isdisjoint(words_in(name))


def is_period(name: str, texts: Iterable[str]) -> bool:
    """Return whether a column names the year, month or day of a row, by its name and cells."""
    words = words_in(name)
    return not _PERIOD_WORDS.isdisjoint(words) and all(
        re.match(r"(19|20)[0-9]{2}(?![0-9]{5})|[0-9]{2}[/.]", t) for t in texts if t
    )


def repeats_label(labels: Sequence[str], texts: Sequence[str]) -> bool:
    """Return whether a column of labels determines a column: each of several labels has one text."""
    known = set(labels)
    return len(known) > 1 and len(set(zip(labels, texts, strict=True))) == len(known)


def without_copies(files: CountFiles, names: Sequence[str]) -> list[str]:
    """Return columns of labels without those that only respell another.

    The one without empty cells is kept, then the one with a word for its total.
    """
    kept = list[str]()
    for name in sorted(names, key=lambda name: (not all(files.columns[name]), total_of(files.columns[name]) is None)):
        texts = files.columns[name]
        pairs = ((files.columns[other], texts) for other in kept)
        if not any(repeats_label(*pair) and repeats_label(*pair[::-1]) for pair in pairs):
            kept.append(name)
    return [name for name in names if name in kept]


def remarks_of(files: CountFiles, names: Sequence[str], beside: Sequence[str]) -> list[str]:
    """Return the columns, the last ones first, that the others and those beside them determine in each file.

    They have several texts in a file, but none for all people: totals and their parts would have different ones.
    """
    kept, number = [*names], files.file_of_rows()

    def count(columns: Iterable[str]) -> int:
        return len({*zip(number, *(files.columns[name] for name in columns), strict=True)})

    for name in [*names][::-1] if len(number) > _FEW else ():
        others, texts = [each for each in (*kept, *beside) if each != name], files.columns[name]
        is_one = len(kept) > 1 and count(others) == count([*others, name])
        if is_one and count([name]) > len(files.rows_of) and (total_of(texts) or total_within(texts)) is None:
            kept.remove(name)
    return [name for name in names if name not in kept]


def status_of(files: CountFiles, value: str) -> str | None:
    """Return the column that has a marker in each row with an empty count, by its name, or as it has none in others."""
    empty = [not text for text in files.columns[value]]
    for name, texts in files.columns.items() if any(empty) else ():
        named = not _STATUS_WORDS.isdisjoint(words_in(name)) or name == f"{value}QF"
        signs = [text for text, blank in zip(texts, empty, strict=True) if blank]
        is_alone = name != "" and [*map(bool, texts)] == empty
        if (named or is_alone) and all(signs) and all(map(is_sign, filter(None, texts))):
            return name
    return None


def codes_beside(files: CountFiles, kinds: Iterable[str], labels: Sequence[str]) -> list[str]:
    """Return the columns of numbers that only repeat a label, or name a period or an indicator.

    Such a column is constant, or has one text for each label of another column or for each row, and its name says so.
    """
    found = []
    for name in kinds:
        code = names_codes(name) or is_period(name, set(files.columns[name]))
        names_rows = names_codes(name) and not _ROW_WORDS.isdisjoint(words_in(name))
        others = [label for label in labels if label not in found]
        if names_rows or (code and not files.varies(name)) or _is_code(files.columns, name, others):
            found.append(name)
    return found


def names_labels(files: CountFiles, name: str, counts: Sequence[str], labels: Iterable[str]) -> bool:
    """Return whether the numbers of a column are codes by its cells: each belongs to a label of another column.

    No name of counts or populations, no marker and no sum contradicts it, and they cannot count the rows beside them.
    """
    texts, beside = files.columns[name], [files.columns[each] for each in counts if each != name]
    numbers = {number_of(text) for text in texts if text}
    said = speaks_of_counts(name) or speaks_of_changes(name) or is_population(name)
    known = [number for number in numbers if number is not None]
    if said or len(known) < len(numbers) or 2 * max(known) == sum(known):
        return False
    for other in (files.columns[label] for label in labels if label != name):
        rows = [row for row, pair in enumerate(zip(other, texts, strict=True)) if all(pair)]
        own, codes = [other[row] for row in rows], [texts[row] for row in rows]
        if repeats_label(own, codes) and repeats_label(codes, own):
            releases = files.release_of_rows()
            keys = [(releases[row], texts[row]) for row in rows]
            return any(_cannot_be_sums(keys, [column[row] for row in rows]) for column in beside)
    return False


def _cannot_be_sums(keys: Sequence[tuple[str, str]], counts: Sequence[str]) -> bool:
    """Return whether a number, the second of a key, is no sum of the counts of its rows, where all are shown.

    Some rows may be left out, and numbers be rounded.
    """
    parts = dict[tuple[str, str], list[int | None]]()
    for key, text in zip(keys, counts, strict=True):
        parts.setdefault(key, []).append(number_of(text))
    sums = (
        (number_of(key[1]) or 0, [n for n in some if n is not None]) for key, some in parts.items() if None not in some
    )
    return any(len(some) > 1 and not max(some) <= 2 * number <= 4 * sum(some) + 200 for number, some in sums)


def _is_code(columns: Columns, name: str, labels: Iterable[str]) -> bool:
    """Return whether a column is named for codes, and has one for each label of another, but for empty cells."""
    others = (columns[label] for label in labels if label != name) if names_codes(name) else ()
    pairs = ([pair for pair in zip(texts, columns[name], strict=True) if all(pair)] for texts in others)
    return any(repeats_label(*zip(*filled, strict=True)) for filled in pairs if filled)
