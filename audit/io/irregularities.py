"""Irregularities in the files of a series: no rule forbids them, but they may change what a verdict means.

A separate pass over the files looks for them; it skips the identifiers of a large series. Warnings give file and line,
and quote identifiers and quasi-identifiers only on request.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from itertools import chain, pairwise, product
from math import gcd
from pathlib import Path

import numpy as np
import pyarrow.compute as pc

from audit.io.background_knowledge import TRANSITION_COLUMNS
from audit.io.cell_reading import infer_kind, may_be_unknown, unknown_among
from audit.io.cells import Kind
from audit.io.foreign_files import ForeignTable, is_foreign, read_foreign
from audit.io.notations import read_number
from audit.io.paths import is_there
from audit.io.release_reading import read_release
from audit.io.roles import SeriesTexts, notes_of, of_people
from audit.io.rules.cell_meaning import ColumnTypes, Hierarchies, Missing, Spelled
from audit.io.rules.rows_and_values import SeveralRows, is_total, read_as_people
from audit.io.rules.rule import Hint
from audit.io.rules.spelling import (
    INDIVIDUAL,
    Decimal,
    Fold,
    nearly_respelled_ids,
    perhaps_one_person,
    respelled,
    respelled_cells,
)
from audit.io.series import Series
from audit.io.tables import header
from audit.io.texts import column_of
from audit.io.toml import release_tag
from audit.model.arrays import Codes, flagged
from audit.model.errors import Problems
from audit.model.report import MisreadWarning, ReportWarning, WarningKind
from audit.runtime.phrases import Noun, in_quotes, joined, printable, say, say_count

_SHOWN = 3  # examples of a warning
_FEW = 20  # one in this many is few, of distinct cells or of people
_PARTS = re.compile(r"[0-9]+|[^\W\d_]+")
_NOTHING, _TO_SIGN, _LETTERS = re.compile(""), re.compile(r"(?:.*[\W_])?"), re.compile(r"[^\W\d_]*")
_ON_CELL = re.compile(r"[A-Z]+([0-9]+)|annotation [0-9]+()")
_TELLING = r"^([^0-9]*|0*[1-9]?[0-9]|0*9*[89])$"
"""Identifiers of which one may say that a person is not known, or denies it of another: words, small numbers, nines."""
_TELLING_NUMBERS = np.array([*range(100), *(10**digits - less for digits in range(3, 10) for less in (2, 1))])
"""Those that are whole numbers."""
_FINEST = 10**9  # identifiers that are numbers have no more decimals
_LEAST, _LONGEST = 100, 20  # numbers from it on have clearly more digits than 0; digits of numbers that are compared
_MANY = 20  # if two releases with this many identifiers share none, that is no accident


def irregularities(series: Series, *, reveal: bool) -> tuple[ReportWarning, ...]:
    """Return the irregularities in the files of a series that was read; `reveal` quotes cells."""
    found = [
        *(warning for rule in series.columns.rules for warning in rule.warnings(series)),
        *_noticed("unpublished-column", _LACKING, _unpublished(series)),
        *_beside_transitions(series),
        *_noticed("total-row", _LEFT_OUT, (f"{shown}:{line}" for shown, line, _ in notes_of(series.manifest))),
        *_unlisted(series),
        *_respelled_people(series),
        *_unread_sheets(series),
    ]
    texts = series.written.whole()
    hints = [
        *(each for hint in texts.hints for each in _of(texts, hint, reveal=reveal)),
        *_strays(texts, reveal=reveal),
        *_ignored(texts),
    ]
    found += [*_encodings(texts), *_noticed("total-row", _LIKE_NOTES, texts.rows_like_notes, MisreadWarning)]
    found += [*_unknown_people(series, texts), *_strangers(series, texts), *_sums(texts)]
    return (*found, *sorted(hints, key=lambda each: each.kind))


_LACKING = Noun(
    "{count} [release lacks|releases lack] a quasi-identifier, which is read as * there; if the column has another "
    "name in [it|them], write renamed under [columns]"
)
_LEFT_OUT = Noun("{count} [line below a table is a note, and is|lines below tables are notes, and are] not read")
_UNNAMED = Noun(
    "{count} [table lies|tables lie] beside the releases and [is|are] not part of the series, as the manifest does not "
    "name [it|them]; if published, name [it|them] under releases; if others have [it as a list|them as lists] of "
    "people, [name it as register, or add its lines to|write their lines into] the register"
)
_LIKE_RELEASES = Noun(
    "[a table|{count} tables] beside the releases ({files}) [has|have] their columns, or [a key|keys] in private/, and "
    "[is|are] not part of the series: name [it|them] under releases, or, if [it is|they are] not published, take "
    "[it or its key|them or their keys] to another folder"
)
_UNUSED_KEY = Noun(
    "[a table|{count} tables] in private/ [is like a key|are like keys], but no release has [its name, so it is|their "
    "names, so they are] not read: name [it|them] {name}, with the columns row (counted from 0: the first row is 0) "
    "and individual, or take [it|them] to another folder"
)
_SHEETS = Noun(
    "[a workbook has|{count} workbooks have] sheets that are not read; if they were published, save each one as a "
    "separate file"
)
_MORE = Noun(
    "{count} [part of a workbook (a sheet, a comment, a chart|parts of workbooks (sheets, comments, charts], copies of "
    "cells) [is|are] not read, and may say more about the people of [its|their] rows, or who they are: delete [it; if "
    "it is a release, save it|them; if they are releases, save each] as a file of its own"
)
_LIKE_NOTES = Noun(
    "{count} [row has|rows have] no filled cell, or only one at the end of [its table, like a note below it|their "
    "tables, like notes below them], but [is|are] read as [a person; if it is none|people; if they are none], "
    "delete the [line|lines], else write * into [its|their] empty cells"
)


_STRAYS = Noun(
    '"{column}" would be numeric except for {count} [cell|distinct cells], and is read as text; correct [this '
    "cell|these cells], or, only where [it means|they mean] that the value is not known, list [it|them] under missing"
)
_ENCODING = Noun(
    "{count} [file is|files are] not UTF-8, and [is|are] read as Western European text ({encoding}); if that is right, "
    'write encoding = "{encoding}" under [columns]'
)


def _noticed(
    kind: WarningKind,
    what: Noun,
    places: Iterable[str],
    warning: type[ReportWarning] = ReportWarning,
    count: int | None = None,
    **values: str,
) -> Iterator[ReportWarning]:
    """Report how many places have an irregularity, and the first of them; `count` if these are not all."""
    if found := tuple(places):
        yield warning(kind, what.counted(len(found) if count is None else count, **values), found[:_SHOWN])


def _of(texts: SeriesTexts, hint: Hint, *, reveal: bool) -> Iterator[ReportWarning]:
    if hint.warning is not None:
        quoted = not hint.names_texts and (reveal or hint.column in texts.columns.sensitive)
        examples = [texts.example(hint.column, group, quoted=quoted) for group in hint.texts[:_SHOWN]]
        yield replace(hint.warning, examples=tuple(examples))


def _respelled_people(series: Series) -> Iterator[ReportWarning]:
    """Report identifiers that differ only in spelling, where `SeriesTexts` lacks them: in a key or a large series."""
    columns = series.columns
    if INDIVIDUAL in columns.rules[Spelled].columns:
        return
    if columns.individual is None or series.written.is_large:
        is_small = series.keyed and not series.written.is_large
        releases = _people(series) if is_small else []
        texts, numbers = ([*set[str]().union(*releases)], np.zeros(0)) if is_small else series.people.alike()
        texts = [text for text in texts if not text.endswith(" ")]  # those are kinds of people (`PossibleKind`)
        for position in range(len(series.tags) if len(numbers) else 0):
            there = read_release(series, position).person
            texts += [] if there is None else map(str, np.intersect1d(numbers, there).tolist())
        releases = releases or (_people(series) if texts and series.keyed else [])
        if groups := perhaps_one_person({*texts}, [] if columns.rules[SeveralRows].several else releases):
            yield MisreadWarning("spelling", nearly_respelled_ids(INDIVIDUAL, groups))
        if not columns.rules[Fold].folds(INDIVIDUAL) and (groups := respelled({*texts})):
            yield MisreadWarning("spelling", respelled_cells(INDIVIDUAL, groups))


def _unknown_people(series: Series, texts: SeriesTexts) -> Iterator[ReportWarning]:
    """Report identifiers that may say that a person is not known, and are read as one person."""
    columns = series.columns
    if not series.keyed or INDIVIDUAL in columns.rules[Spelled].columns:
        return
    releases = texts.identifiers[columns.individual] if columns.individual is not None else []
    if len(releases) < len(series.tags):
        there = np.zeros(series.people.size + 1, dtype=np.bool_)  # the last one is for rows without a person
        for codes in _coded_people(series, range(len(series.tags))):
            there[codes] = True
        real, plain = there[:-1] & ~series.people.is_counterfeit(), series.people.plain
        numbers = _TELLING_NUMBERS[min(plain, len(real)) > _TELLING_NUMBERS]
        numbers = np.append(numbers[real[numbers]], plain + np.flatnonzero(real[plain:]))
        ids, count = series.people.names(numbers.astype(np.int32)), int(real.sum())
    else:
        ids = column_of(set[str]().union(*releases))
        count = len(ids)
    if texts_for_unknown := unknown_ids(ids.filter(pc.match_substring_regex(ids, _TELLING)).to_pylist(), count):
        what = say(
            '"{column}" has texts that may say that a person is not known ({texts}), and each is read as one person: '
            "leave such cells blank and write unnamed under [columns], or, if they are identifiers, write spelled = "
            '["{column}"]',
            column=INDIVIDUAL,
            texts=in_quotes(texts_for_unknown, _SHOWN),
        )
        yield MisreadWarning("key", what)


def unknown_ids(texts: Collection[str], count: int) -> list[str]:
    """Return the identifiers that may say that a person is not known: words, signs, 0, or nines far from the others.

    Args:
        texts: the identifiers that match `_TELLING`, or more of them.
        count: the number of all identifiers.

    >>> unknown_ids({"4712", "unbekannt"}, 3), unknown_ids({"4712", "-"}, 3), unknown_ids({"NA", "Bo", "?"}, 3)
    (['unbekannt'], ['-'], ['?'])
    >>> unknown_ids({"0"}, 2), unknown_ids({"9999999"}, 2), unknown_ids({"0", "1", "99", "98"}, 1000)
    (['0'], ['9999999'], [])
    """
    words = [text for text in texts if not any(map(str.isdigit, text))]
    are_names = len(words) == count
    found = [text for text in words if may_be_unknown(text)] if are_names else unknown_among(words)
    found = [text for text in found if not (are_names and text.isalpha() and len(text) <= _SHOWN)]
    numbers = {int(text): text for text in texts if text.isdecimal() and len(text) < _LONGEST}
    if 0 in numbers and min(numbers.keys() - {0}, default=_LEAST) >= _LEAST and count > 1:
        found.append(numbers[0])
    nines = [code for code in numbers if {*str(code)} == {"9"} and code - 1 not in numbers]
    return sorted([*found, *(numbers[code] for code in nines if code > _LEAST * count)])


def _compared(series: Series) -> range:
    return range(len(series.tags))[: 2 if series.written.is_large else None]


def _people_recur(series: Series) -> bool:
    """Return whether consecutive releases share so many people that `are_others` would be false of each pair."""
    releases = _coded_people(series, _compared(series))
    fake = np.append(series.people.is_counterfeit(), True)  # the last one is for rows without a person
    people = [flagged(codes, len(fake)) & ~fake for codes in releases]
    return len(people) == len(_compared(series)) and all(
        _FEW * (old & new).sum() >= min(old.sum(), new.sum()) > 0 for old, new in pairwise(people)
    )


def _people(series: Series) -> list[set[str]]:
    """Return the identifiers of each release; only of the first two if the series is large."""
    releases = _coded_people(series, _compared(series))
    return [of_people(series.people.names(np.unique(codes[codes >= 0])).to_pylist()) for codes in releases]


def _coded_people(series: Series, positions: Iterable[int]) -> list[Codes]:
    """Return the people of each row, or line of a key, of those releases that say whose these are."""
    return [codes for position in positions if (codes := series.people_in(position)) is not None]


def _strangers(series: Series, texts: SeriesTexts) -> Iterator[ReportWarning]:
    """Report releases with hardly a common identifier, as if each release wrote them in its own way."""
    columns = series.columns
    for column, name in ((INDIVIDUAL, columns.individual), (columns.record, columns.record)):
        releases = texts.identifiers[name] if name is not None else []
        if column == INDIVIDUAL and series.keyed and len(releases) < len(series.tags):
            releases = [] if _people_recur(series) else _people(series)
        if column is None or len(releases) < 2 or {column, name} & {*columns.rules[Spelled].columns}:
            continue
        times = Counter(chain.from_iterable(releases))
        alone = any(len(some) >= _MANY and max(map(times.__getitem__, some)) == 1 for some in releases)
        if alone or any(are_others(*pair) for pair in pairwise(releases)):
            what = say(
                'the identifiers in "{column}" differ between releases, so that they are read as ones of other '
                "people: if they are to be so, because other people are there or published ids are drawn anew for each "
                'release, write spelled = ["{column}"] under [columns]; if they are written in another way by mistake '
                "(with a prefix that changes with the release), or are the key, which must say who occurs again, write "
                "those of the same people in the same way in all releases",
                column=printable(column),
            )
            yield MisreadWarning("spelling", what)


def are_others(one: Collection[str], other: Collection[str]) -> bool:
    """Return whether the identifiers of two releases only match without the part that is constant in each release.

    >>> are_others({"Q1-1", "Q1-2", "Q1-17"}, {"Q2-1", "Q2-2", "Q2-17"}), are_others({"a1", "b2", "c"}, {"a3", "b4"})
    (True, False)
    >>> (
    ...     are_others({"007", "008", "012"}, {"00700", "00800", "01200"}),
    ...     are_others({"1", "2", "3"}, {"0.1", "0.2", "0.3"}),
    ... )
    (True, True)
    >>> are_others({"2024001", "2024002", "2024150"}, {"2025001", "2025002", "2025150"})
    True
    >>> (
    ...     are_others({"Ann", "Bo", "Eve"}, {"Ann (1)", "Bo (1)", "Eve (1)"}),
    ...     are_others({"1", "2", "3"}, {"11", "12", "13"}),
    ... )
    (True, False)
    """
    fewest = min(len(one), len(other))
    least = max(_SHOWN, fewest / 2)
    if _FEW * len({*one} & {*other}) >= fewest:
        return False
    if any(len(pair[0] & pair[1]) >= least for pair in product(_without_signs(one), _without_signs(other))):
        return True
    for pieces in (list, _PARTS.findall):
        split = [[pieces(text) for text in some] for some in (one, other)]
        if len({len(each) for some in split for each in some}) == 1:
            columns = zip(*(zip(*some, strict=True) for some in split), strict=True)
            kept = [place for place, pair in enumerate(columns) if any(len({*column}) > 1 for column in pair)]
            cores = [{tuple(each[place] for place in kept) for each in some} for some in split]
            if len(cores[0] & cores[1]) >= least:
                return True
    return False


def _without_signs(texts: Collection[str]) -> Iterator[set[str]]:
    """Yield the texts, then without what all begin and end with: first up to a sign, then letters alone.

    Numbers are also yielded in units of the largest power of ten of which all are multiples.
    """
    before, after = _common_start(texts), _common_start([text[::-1] for text in texts])
    for pattern in (_NOTHING, _TO_SIGN, _LETTERS):
        first, last = (len(next(pattern.finditer(each))[0]) for each in (before, after))
        short = {text[first : len(text) - last] for text in texts}
        yield short
        numbers = [number * _FINEST for number in map(read_number, short) if number is not None]
        if len(numbers) == len(short):
            common = str(gcd(*map(int, numbers)))
            yield {str(number // 10 ** (len(common) - len(common.rstrip("0")))) for number in numbers}


def _common_start(texts: Collection[str]) -> str:
    start, last = min(texts), max(texts)  # a common start of the first and the last text is one of all
    while not last.startswith(start):
        start = start[:-1]
    return start


def _sums(texts: SeriesTexts) -> Iterator[ReportWarning]:
    """Report sensitive values whose counts are totals of the others, but whose names do not say so."""
    for name, sums in texts.sums.items():
        marks = [text for text, is_sum in sums.items() if is_sum and not is_total(text)]
        if marks and name not in texts.columns.rules[Spelled].columns:
            warning = read_as_people(name, marks)
            yield replace(warning, examples=tuple(texts.place(name, text) for text in marks[:_SHOWN]))


def _strays(texts: SeriesTexts, *, reveal: bool) -> Iterator[ReportWarning]:
    rules = texts.columns.rules
    declared = {*rules[ColumnTypes].kinds, *rules[Hierarchies].names}
    for name in texts.columns.quasi_identifiers:
        own: Collection[str] = texts.texts.get(name, ())
        stray = [] if name in declared else _astray(own, rules[Missing].texts)
        if stray and not rules[Decimal].commas(texts.columns, name, own):
            examples = [texts.example(name, [text], quoted=reveal) for text in stray[:_SHOWN]]
            yield from _noticed("stray-cells", _STRAYS, examples, count=len(stray), column=printable(name))


def _astray(column: Collection[str], missing: frozenset[str]) -> list[str]:
    """Return the few texts that keep a column from being numeric; empty if it is numeric, or has many such texts.

    Texts of which some begin with a zero are codes, and 2A is one of them if it is as long as those.

    >>> _astray(["01", "02", "13", "38", "2A"], frozenset()), _astray(["1", "2", "13", "38", "2A"], frozenset())
    ([], ['2A'])
    """
    texts = [text for text in column if text not in missing and text.strip("*")]
    codes = {len(text) for text in texts if text.isdecimal() and text[0] == "0" and len(text) > 1}
    stray = [
        text
        for text in texts
        if infer_kind([text]) is not Kind.NUMERIC
        and not text.rstrip("*").isdigit()
        and not (text.isalnum() and text[0].isdecimal() and len(text) in codes)
    ]
    return stray if 0 < len(stray) <= len(texts) / _FEW or len(stray) == 1 < len(texts) / 4 else []


def _ignored(texts: SeriesTexts) -> Iterator[ReportWarning]:
    if texts.ignored:
        files = texts.manifest.releases
        examples = tuple(f"{files[place].shown}: {count:,}" for place, count in texts.ignored.items())
        what = say_count("{count} [row is|rows are] left out, as ignore_rows says", sum(texts.ignored.values()))
        yield ReportWarning("total-row", what, examples)


def _encodings(texts: SeriesTexts) -> Iterator[ReportWarning]:
    by_encoding: dict[str, list[str]] = defaultdict(list)
    for shown, encoding in texts.encodings.items():
        if not encoding.startswith("utf"):
            by_encoding[encoding].append(shown)
    for encoding, files in by_encoding.items():
        yield from _noticed("encoding", _ENCODING, files, encoding=encoding)


def _unpublished(series: Series) -> Iterable[str]:
    """Return the files that lack quasi-identifiers, each with these."""
    lacking = ((files.shown, sorted(series.unpublished[files.tag])) for files in series.manifest.releases)
    return dict.fromkeys(f"{shown}: {', '.join(map(printable, names))}" for shown, names in lacking if names)


def _unlisted(series: Series) -> Iterator[ReportWarning]:
    """Report tables and keys that are not read; the verdict lacks tables that may be releases."""
    manifest = series.manifest
    homes = {each.tag: each.rows.parent for each in manifest.releases}  # a repair is elsewhere than its draft
    beside = [
        path
        for path in manifest.unlisted()
        if (tag := release_tag(path.name)) not in manifest.to_come and homes.get(tag, path.parent) == path.parent
    ]
    alike = [path for path in beside if manifest.has_key(path) or _is_like_a_release(path, series)]
    if drafts := [printable(manifest.shown(path)) for path in alike]:
        files = joined(drafts, most=_SHOWN)
        yield from _noticed("dropped-file", _LIKE_RELEASES, drafts, MisreadWarning, files=files)
    if unused := manifest.unused_keys():
        absent = [manifest.key_path(each) for each in manifest.releases]
        names = [printable(manifest.shown(path)) for path in absent if not is_there(path)]
        shown = map(manifest.shown, unused)
        yield from _noticed("key", _UNUSED_KEY, shown, MisreadWarning, name=joined(names, most=_SHOWN))
    others = [path for path in beside if path not in alike and not _lists_changes(path)]
    yield from _noticed("dropped-file", _UNNAMED, map(manifest.shown, others))


def _is_like_a_release(path: Path, series: Series) -> bool:
    """Return whether a table has the sensitive columns of a series, and one of its quasi-identifiers."""
    names, columns = {*(header(path, path.name, Problems()) or ())}, series.columns
    return names.issuperset(columns.sensitive) and not names.isdisjoint(columns.quasi_identifiers)


def _lists_changes(path: Path) -> bool:
    """Return whether a table lists transitions, as `audit init` drafts them: it is no release."""
    return {"from", "to"} <= {*(header(path, path.name, Problems()) or ())} <= {*TRANSITION_COLUMNS}


def _beside_transitions(series: Series) -> Iterator[ReportWarning]:
    """Report columns of the transitions, which are published, that no audit reads: they may count people."""
    name = series.manifest.transitions
    columns = None if name is None else header(series.manifest.folder / name, name, Problems())
    if more := [printable(each) for each in columns or () if each not in TRANSITION_COLUMNS]:
        what = say(
            "the transitions have columns that are not read; as they are published with the series, delete these "
            "columns: counts would tell how many people's values changed, even if it is one person"
        )
        yield ReportWarning("transitions", what, (f"{name}: {', '.join(more[:_SHOWN])}",))


def _unread_sheets(series: Series) -> Iterator[ReportWarning]:
    """Report parts of workbooks that are not read; the verdict lacks those that may say more about the same people."""
    books = {each.shown: read_foreign(each.rows) for each in series.manifest.releases if is_foreign(each.rows)}
    more = {shown: [*_beside_rows(book)] for shown, book in books.items()}
    yield from _noticed(
        "dropped-file", _MORE, (f"{shown}: {part}" for shown in more for part in more[shown]), MisreadWarning
    )
    rest = {shown: [name for name in book.other_sheets if name not in more[shown]] for shown, book in books.items()}
    unread = (f"{shown}: {', '.join(names[:_SHOWN])}" for shown, names in rest.items() if names)
    yield from _noticed("dropped-file", _SHEETS, unread)


def _beside_rows(book: ForeignTable) -> Iterator[str]:
    """Yield the parts of a workbook that may say more about the people of its rows; no comment on its header is one."""
    yield from dict.fromkeys((*book.tables_left, *book.lists))
    comments = ((place, _ON_CELL.fullmatch(place)) for place, _ in book.elsewhere)
    yield from (place for place, on in comments if on is not None and int(on[1] or book.lines[-1]) > book.lines[0])
    yield from (place for place, _ in book.unlike)
