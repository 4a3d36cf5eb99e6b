"""Doubts: data on which a verdict about count tables depends, but that were not read, not judged, or only guessed.

A finding that depends on no guess in the manifest remains a finding. Keys about columns that no table has are refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from audit.count_tables.acro_sessions import SESSION, judged_statistics, session_outputs
from audit.count_tables.cell_rates import telling_gaps, telling_signs
from audit.count_tables.label_doubts import label_doubts
from audit.count_tables.manifest import NAME, TableManifest, column_names, read_count_table
from audit.count_tables.note_numbers import has_share, notes_among_rows, numbers_that_may_count, unread_counts
from audit.count_tables.published_counts import Ends, PublishedCounts, earlier_cells_without_categories, is_part
from audit.count_tables.published_texts import is_like_a_number, number_of, said_range
from audit.count_tables.read_counts import read_counts
from audit.count_tables.release_doubts import release_doubts
from audit.io.foreign_files import is_foreign, read_foreign
from audit.io.manifest import order_doubts
from audit.io.naming import named_like
from audit.io.rules.rule import NOTHING
from audit.io.table_forms import lines_beside
from audit.io.tables import Table, is_of_counts
from audit.io.toml import refuse_keys, toml_key, toml_text
from audit.model.arrays import UNBOUNDED
from audit.model.errors import Doubt, InputError, Problems
from audit.runtime.phrases import Reason, ReasonKind, printable, say, say_count

_NAMED = 6
_LONGEST = 2_000
_CODE = re.compile(r"(?![0-9]+[a-zà-ÿªº]+$)[\w.-]*")  # no ordinal number, such as 2nd
_DIRECTION = re.compile(
    r"[+\u2190-\u21ff\u25b2-\u25bf\u2b00-\u2bff]+|up|down|higher|lower|more|fewer|less|rise|fall|rising|falling|increased?"
    r"|decreased?|höher|niedriger|mehr|weniger|gestiegen|gesunken|gefallen|steigend|fallend|zunahme|abnahme|hausse"
    r"|baisse|plus|moins|en hausse|en baisse|augmentation|diminution|más|menos|sube|baja|aumento|aumenta|descenso"
    r"|disminución|disminuye",
    re.IGNORECASE,
)
"""Signs and words of a change, which may say what a hidden count is compared to an earlier one."""


def table_doubts(counts: PublishedCounts, given: Container[str], min_count: int, *, nothing_found: bool) -> list[Doubt]:
    """Return the reasons for which clauses of the policy are undecided.

    Args:
        counts: the published counts.
        given: the clauses whose limits were given for this run, so that a guess of them does not matter.
        min_count: the least count that is not small.
        nothing_found: whether the attack found nothing. If it found nothing with the narrowest reading of markers, it
            would find nothing with a wider one, so guessed markers raise no doubt.
    """
    manifest = counts.manifest
    narrowest = nothing_found and all(
        is_said(text, ends) and (ends[0] > 0 or any(map(str.isdigit, text[:2])))  # "fewer than 5" may include 0 or not
        for text, ends in guessed_entries(manifest, "table.markers").items()
    )
    keys = [key for key in manifest.unconfirmed if not (narrowest and is_about(key, "table.markers"))]
    keys = [key for key in keys if key.removeprefix("policy.") not in given]
    reasons = [_needs(text) for text in (*_unread(counts), *_unread_lines(counts, min_count))]
    reasons += map(_needs, (*_shown_otherwise(counts), *_unlike_signs(counts)))
    reasons += map(_needs, (*label_doubts(counts), *release_doubts(counts)))
    reasons += [*_likely_parts(counts), *_changes(counts)]
    is_in_order = manifest.over_time == "cumulative" or manifest.change is not None
    return [*_guesses(keys), *map(Doubt, reasons), *order_doubts(manifest, matters=is_in_order)]


def _unread(counts: PublishedCounts) -> Iterator[str]:
    """Yield a reason for each kind of what was published beside the counts and not judged."""
    numbers, remarks = unread_columns(counts)
    if numbers:
        yield say(
            "numbers beside the counts were not judged: {columns}; say what they are under [table], or name them "
            "in not_counts if they say nothing about the counts (rates of a population that is not published: once "
            "they are withheld beside all hidden and rounded counts)",
            columns=_quoted(numbers),
        )
    if remarks:
        yield say(
            "texts beside counts that are not exact may say more about them: {columns}; write their numbers into a "
            "column that rates or change names, or name them in not_counts if they say nothing about the counts",
            columns=_quoted(remarks),
        )
    if measures := _unread_measures(counts):
        yield say(
            "statistics beside the counts were not judged: {measures}; name them in measures if they are counts, "
            "or in not_counts if they say nothing about the counts",
            measures=_quoted(measures),
        )
    if files := [*_unlisted(counts.manifest)]:
        yield say(
            "tables beside the series were not judged: {files}; if they were published, name them in releases; if "
            "they disclose no hidden or small count, name them in not_counts; else take them to another folder",
            files=_quoted(files),
        )
    if files := _unread_outputs(counts):
        yield say(
            "tables that are not counts were not judged: {files}; name them in not_counts if they say nothing "
            "about the counts",
            files=_quoted(files),
        )
    sheets = counts.manifest.unread_sheets().items()
    if named := [f"{shown}: {name}" for name, files in sheets for shown in files]:
        yield say(
            "sheets that look like tables were not judged: {sheets}; save each sheet as a CSV file, those of a "
            "release in a folder of their own, and let `audit init` describe these; or delete it; if it discloses "
            "no hidden or small count, name the sheet in not_counts",
            sheets=_quoted(named),
        )


def _quoted(names: Sequence[str]) -> str:
    return ", ".join(f'"{printable(name, 60)}"' for name in names[:_NAMED])


def _unread_lines(counts: PublishedCounts, min_count: int) -> Iterator[str]:
    """Yield a reason if lines beside the tables, or last rows that may be notes, have numbers that may be counts.

    Of lines it quotes what `not_counts` needs.
    """
    if unread := unread_counts(counts, min_count):
        yield say_count(
            "[a line beside a table is|{count} lines beside tables are] not read, and [a number in it|numbers in them] "
            "may be [a count or a share|counts or shares]: {lines}; if [it discloses|they disclose] no hidden or small "
            "count, name [its text|their texts] in not_counts",
            len({text for _, text in unread}),
            lines=_placed(unread),
        )
    if notes := notes_among_rows(counts, min_count):
        yield say_count(
            "[a row at an end of a table shows|{count} rows at the ends of tables show] no count, and [is|are] read as "
            "labels, but may be [a note with a count|notes with counts]: {lines}; write a note into one cell, and a "
            "sign into the cells of hidden counts",
            len(notes),
            lines=_placed(notes),
        )


def _shown_otherwise(counts: PublishedCounts) -> Iterator[str]:
    """Yield a reason if parts of workbooks hold or show something else than the cells that are read."""
    paths = {part.file.shown: part.table.path for part in counts.parts}
    unlike = [
        (f"{shown}:{place}", text)
        for shown, path in paths.items()
        for place, text in (read_foreign(path).unlike if is_foreign(path) else ())
        if text not in counts.manifest.not_counts
    ]
    if unlike:
        yield say(
            "parts of a workbook hold or show something else than its cells, such as hidden numbers: {places}; write "
            "into cells what they show, and delete charts, caches and embedded files that hold other numbers; if they "
            "disclose no hidden or small count, name these texts in not_counts",
            places=_placed(unlike),
        )


def _placed(texts: Sequence[tuple[str, str]]) -> str:
    """Return texts with their places, as `not_counts` names them."""
    return ", ".join(f"{place} {toml_text(printable(text, _LONGEST))}" for place, text in texts[:_NAMED])


def _guesses(keys: Sequence[str]) -> Iterator[Doubt]:
    """Yield a doubt about the guessed keys of the manifest; a guess of `min_count` affects no other clause."""
    for clauses, guessed in (
        (None, [key for key in keys if key != "policy.min_count"]),
        (frozenset({"min_count"}), [key for key in keys if key == "policy.min_count"]),
    ):
        if guessed:
            reason = say_count(
                "{keys} [is a guess; check it|are guesses; check them], and delete [it|them] under [unconfirmed]",
                len(guessed),
                keys=", ".join(guessed),
            )
            yield Doubt(_needs(reason), clauses, guessed=True)


def _needs(text: str) -> Reason:
    return Reason(text, ReasonKind.NEEDS)


_NUMERALS = ("M", "CM", "D", "CD", "C", "XC", "L", "XL", "X", "IX", "V", "IV", "I")
_BAR = re.compile(r"([^\w\s])\1{4,}")
"""A bar, which is as long as a number is large."""
_ONE_SIGN = re.compile(r"[*:\u2026]+|\.{2,}|\[[a-z]\]")
"""A sign in place of all counts of a column."""


def unread_columns(counts: PublishedCounts) -> tuple[list[str], list[str]]:
    """Return the columns beside the counts that are not judged: those with numbers, and those with other remarks."""
    numbers = _unread_numbers(counts)
    return numbers, _unread_remarks(counts, numbers)


def _unread_numbers(counts: PublishedCounts) -> list[str]:
    """Return the columns with numbers, ranges of numbers, or signs alone, that the manifest does not explain."""
    named: list[str] = []
    for file in {part.file.path: part.file for part in counts.parts}.values():
        if (file.path.parent / SESSION).is_file():
            continue
        known = {*named, *counts.manifest.columns}
        named += _columns_of_numbers(counts.manifest, file.path, file.shown, known) or ()
    return named


def _columns_of_numbers(manifest: TableManifest, path: Path, shown: str, known: Container[str]) -> list[str] | None:
    """Return the columns of counts, numbers, ranges, signs or bars, but those known; None of an unreadable file."""
    names = column_names(path, shown, Problems(), manifest.columns)
    others = [name for name in names or () if name not in known]
    table = read_count_table(path, shown, others, Problems()) if others else None
    if names is None or (others and table is None):
        return None
    counted = {view.column for view in manifest.views}
    texts = {} if table is None else {name: table.distinct(name) for name in others}
    return [
        name
        for name, some in texts.items()
        if any(is_like_a_number(text) or said_range(text) is not None for text in some)
        or (some and (name in counted or all(map(manifest.hides, some))))
        or (len(some) == 1 and _ONE_SIGN.fullmatch(some[0]))
        or len([*filter(_BAR.fullmatch, some)]) > 1
    ]


def _unlisted(manifest: TableManifest) -> Iterator[str]:
    """Yield the tables beside the series that may show counts and are not read; none that are yet to be published."""
    files, counted = {*manifest.files()}, {view.column for view in manifest.views}
    explained = manifest.columns - manifest.beside - manifest.denominators - counted
    for path in filter(is_of_counts, manifest.unlisted()):
        shown, session = manifest.shown(path), path.parent / SESSION
        if session.is_file():  # its outputs are read as it says
            may_count = session not in files
        else:
            may_count = _columns_of_numbers(manifest, path, shown, explained) != []
        if may_count and shown not in manifest.not_counts and manifest.tag_of(path) not in manifest.to_come:
            yield shown


def _unread_remarks(counts: PublishedCounts, numbers: Sequence[str]) -> list[str]:
    """Return the columns of texts that may say something about the hidden or rounded counts in their rows.

    They have numbers, or differ between hidden counts, and no label determines them, as it does codes and names; or
    they say that counts rise or fall. The columns of `numbers` are left out.
    """
    manifest, named = counts.manifest, list[str]()
    columns_of_counts = {view.column for view in manifest.views}
    values = columns_of_counts | {*filter(None, [manifest.status])}
    others = manifest.columns - values - manifest.beside - manifest.not_counts
    beside: list[tuple[str, ...]] = [*((name,) for name in sorted(others)), *manifest.nested.values()]
    for file in {part.file.path: part.file for part in counts.parts}.values():
        is_session = (file.path.parent / SESSION).is_file()
        names = [] if is_session else column_names(file.path, file.shown, Problems(), manifest.columns) or []
        left = [name for name in names if name not in {*manifest.columns, *numbers, *named}]
        table = read_count_table(file.path, file.shown, names, Problems(), manifest.once) if left else None
        if table is None:
            continue
        numbered = columns_of_counts & {*names}
        shown = zip(*(map(is_like_a_number, table.texts(name)) for name in numbered), strict=True)
        hidden = [not all(each) for each in shown] or [bool(counts.hidden.any())] * table.rows
        labels = [[()] * table.rows]
        labels += [[*zip(*map(table.texts, columns), strict=True)] for columns in beside if {*columns} <= {*names}]
        for name in left if any(hidden) or not manifest.is_exact else ():
            texts = table.texts(name)
            said = {text for text, is_hidden in zip(texts, hidden, strict=True) if is_hidden}
            compares = any(said) and any(map(_DIRECTION.fullmatch, table.distinct(name)))
            varies = len(said) > 1 or any(map(_has_number, table.distinct(name)))
            differs = varies and not any(_repeats(each, texts) for each in labels)
            if compares or differs or (any(said) and _are_numerals(texts, [*map(table.texts, numbered)])):
                named.append(name)
    return named


def _are_numerals(texts: Sequence[str], columns: Sequence[Sequence[str]]) -> bool:
    """Return whether texts are the Roman numerals of a column's numbers, wherever it shows one, of two at least."""
    shown = ({(text, n) for text, n in zip(texts, map(number_of, each), strict=True) if text and n} for each in columns)
    return any(len(some) > 1 and all(text.upper() == _roman(n) for text, n in some) for some in shown)


def _roman(number: int) -> str:
    """Return the Roman numeral of a number.

    >>> _roman(1994), _roman(38)
    ('MCMXCIV', 'XXXVIII')
    """
    signs = zip((1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1), _NUMERALS, strict=True)
    found = ""
    for value, sign in signs:
        found, number = found + sign * (number // value), number % value
    return found


def _has_number(text: str) -> bool:
    """Return whether a text has digits, a number word, or a share."""
    in_words = has_share(text) or any(numbers_that_may_count(text, set(), UNBOUNDED))
    return in_words or any(map(str.isdigit, text))


def _repeats(labels: Sequence[tuple[str, ...]], texts: Sequence[str]) -> bool:
    """Return whether texts are codes or names of labels: each label has one; if it has one row, it alone has it."""
    many = len({*labels})
    is_one = len({*zip(labels, texts, strict=True)}) == many
    is_alone = len({*texts}) == len(texts) and not any(
        _has_number(text) and not _CODE.fullmatch(text) for text in texts
    )
    return is_one and (many < len(texts) or is_alone)


def _unread_measures(counts: PublishedCounts) -> list[str]:
    """Return the statistics with numbers that are not counts, and that the manifest does not explain."""
    manifest = counts.manifest
    if manifest.measure is None or not manifest.measures:
        return []
    known = {*manifest.measures, *manifest.not_counts, *(each.column for each in manifest.rates)}
    named: dict[str, None] = {}
    for table in (part.table for part in counts.parts):
        if manifest.measure in table and manifest.value in table:
            pairs = set(zip(table.texts(manifest.measure), table.texts(manifest.value), strict=True))
            named |= dict.fromkeys(m for m, text in sorted(pairs) if m not in known and is_like_a_number(text))
    return [*named]


def _unread_outputs(counts: PublishedCounts) -> list[str]:
    """Return the outputs of sessions that are not judged, or only in part: means and other magnitudes, or figures."""
    manifest = counts.manifest
    files = [file for release in manifest.releases for file in release.tables if file.path.name == SESSION]
    outputs = [each for file in files for each in session_outputs(file.path, file.shown, Problems())]
    others = [each for each in outputs if each.file not in manifest.not_counts]
    left = [each.file for each in others if judged_statistics(manifest, each) != [*each.statistics]]
    return left + [name for each in others for name in each.magnitudes if name not in manifest.not_counts]


def _changes(counts: PublishedCounts) -> Iterator[Reason]:
    """Yield why changes or rates are not judged, or only in part: their counts are rounded, or none of two is exact."""
    change = counts.manifest.change
    if change is not None and not counts.manifest.is_exact:
        yield _needs(
            say(
                "{column} has changes of counts that are not exact, which are not judged; name it in not_counts if "
                "they are the differences of what was published",
                column=printable(change.column, 60),
            )
        )
    if change is not None and (many := int((counts.earlier == UNBOUNDED).sum())):
        yield _needs(
            say_count(
                "[a hidden count has|{count} hidden counts have] a change in {column} since a release that is not in "
                "the series or lacks [its cell|their cells]; add that release to the series",
                many,
                column=printable(change.column, 60),
            )
        )
    if change is not None and (rows := earlier_cells_without_categories(counts)):
        (file, line), cell = counts.place(rows[0]), counts.cell(rows[0])
        yield _needs(
            say_count(
                "{column} tells the count that {cell} had in an earlier release that has no such label ({file}, line "
                "{line}[|, and {count} such counts in all]); write in categories of which labels of that release the "
                "label consists",
                len(rows),
                file=file,
                line=line,
                column=printable(change.column, 60),
                cell=", ".join(printable(label, 60) for label in cell.values()),
            )
        )
    for column, count in counts.lacking.items():
        yield _needs(
            say_count(
                "[a number|{count} numbers] in {column} [is a rate of a cell|are rates of cells] that no table of "
                "[its|their] release shows; name the table that has the [denominator|denominators] in the same release "
                "(tables), or correct denominator under rates",
                count,
                column=printable(column, 60),
            )
        )
    yield from (_needs(about_ties(*each)) for each in counts.untied.items())


def about_ties(column: str, count: int) -> str:
    """Return that rates or changes in a column relate two inexact counts, which may disclose more, and what to do."""
    return say_count(
        "[a number|{count} numbers] in {column} [depends|each depend] on two counts, neither of which is exact, and "
        "may disclose more than was judged; leave [it|them] empty, or, if these are rates, compute them from the "
        'published numbers, and write of = "published"',
        count,
        column=printable(column, 60),
    )


def _unlike_signs(counts: PublishedCounts) -> Iterator[str]:
    """Yield a reason for each column of rates or denominators that may show which hidden counts differ."""
    for column, signs in telling_signs(counts):
        yield say(
            "hidden counts that show the same have different signs in {column}: {signs}; if a sign depends on the size "
            "of the count, write one sign for all, else name all of these signs but one in not_counts",
            column=printable(column, 60),
            signs=_quoted(signs),
        )
    for column in telling_gaps(counts):
        yield say(
            "some hidden counts that show the same have a number in {column}, and others have none, or signs there "
            "differ, which may tell them apart; publish the number of each of these rows, or of none",
            column=printable(column, 60),
        )


def _likely_parts(counts: PublishedCounts) -> Iterator[Reason]:
    """Yield a reason for each statistic that may be part of another one, because it is never larger."""
    said = counts.manifest.part_of
    names = [name for name in counts.measures if name is not None]
    cells: list[dict[tuple[int, ...], int]] = []
    for place in range(len(names)):
        rows = np.flatnonzero((counts.measure == place) & counts.number & (counts.lower == counts.upper))
        keys = np.column_stack([counts.release, counts.label])[rows].tolist()
        cells.append(dict(zip(map(tuple, keys), counts.lower[rows].tolist(), strict=True)))
    for part, one in zip(names, cells, strict=True):
        for whole, other in zip(names, cells, strict=True):
            pairs = [(one[key], other[key]) for key in one.keys() & other.keys()] if part != whole else []
            if part not in said and is_part(pairs):
                yield _needs(
                    say(
                        '"{part}" is never larger than "{whole}": if it is a part of it, write part_of = {example}; if '
                        "not, write an empty text instead",
                        part=printable(part, 60),
                        whole=printable(whole, 60),
                        example=f'{{ "{printable(part, 60)}" = "{printable(whole, 60)}" }}',
                    )
                )
                break


def check_columns_are_there(counts: PublishedCounts) -> None:
    """Refuse keys about columns, statistics and labels that no table of the series has, or about which keys disagree.

    The tables of a candidate may have them, so the series without its candidate is not checked.

    Raises:
        InputError: some keys have no effect; it lists all of them, with their lines.
    """
    correct = say("correct the name, or leave it out"), say("correct the label, or leave it out")
    manifest, labels = counts.manifest, {each.axis.name: {*each.labels} for each in counts.dimensions}
    with_meaning = {*manifest.dimensions, *manifest.levels, *chain(*manifest.nested.values())}
    with_meaning |= {view.column for view in manifest.views}
    twice = say("name it in one of these keys only")
    found = [
        (key, say('"{name}" is named by another key of [table], too', name=printable(name)), twice)
        if key == "not_counts" and name in with_meaning
        else (key, say('no table has "{name}", so {nothing}', name=printable(name), nothing=NOTHING), correct[0])
        for key, name in _lacking(manifest, with_meaning, [part.table for part in counts.parts])
    ]
    read = {part.view.column for part in counts.parts}
    found += [
        (
            "wide",
            say('no table has "{name}", so {nothing}', name=printable(each.column), nothing=NOTHING),
            say("columns of wide names a label, then the column in quotation marks: correct the name, or leave it out"),
        )
        for each in (manifest.views if manifest.wide is not None else ())
        if each.column not in read
    ]
    named = [("harmless", name, text) for name, texts in manifest.harmless.items() for text in texts]
    named += [("hiding", name, text) for rule in manifest.hiding for name, text in rule.cell.items()]
    found += [
        (key, say('no label of "{name}" is "{text}", so {nothing}', name=name, text=text, nothing=NOTHING), correct[1])
        for key, name, text in named
        if text not in labels[name]
    ]
    refuse_keys(counts.manifest.folder, NAME, found)


def _lacking(manifest: TableManifest, with_meaning: Set[str], tables: Sequence[Table]) -> Iterator[tuple[str, str]]:
    """Yield the names that no table has, each with its key, and columns of `not_counts` that another key explains."""
    wanted = [("not_counts", name) for name in sorted(manifest.not_counts)]
    wanted += [("change", manifest.change.column)] if manifest.change is not None else []
    wanted += [("rates", rates.column) for rates in manifest.rates]
    if not wanted:
        return
    files = {file.path: file for release in manifest.releases for file in release.tables}
    known = {*manifest.markers, *manifest.not_published} if manifest.rates else set[str]()  # signs in place of rates
    known |= {*map(manifest.shown, [*manifest.unlisted(), *(manifest.files() if manifest.to_come else ())])}
    columns, lines = set[str](), set[str]()
    for path, file in files.items():
        if path.name == SESSION:
            outputs = [*session_outputs(path, file.shown, Problems())]
            known |= {name for each in outputs for name in (each.file, *each.magnitudes)}
        else:
            columns |= {*(column_names(path, file.shown, Problems(), manifest.columns) or ())}
            lines |= {text for _, text in lines_beside(path)}
            if is_foreign(path):
                book = read_foreign(path)
                known |= {*(text for _, text in book.unlike), *book.tables_left, *book.like_tables}
    if manifest.measure is not None:
        known |= {text for table in tables if manifest.measure in table for text in table.distinct(manifest.measure)}
    for key, name in wanted:
        # The release to come may have a line such as a declared one, of another year.
        is_line = key == "not_counts" and (name in lines or named_like(name, lines & manifest.not_counts))
        if not is_line and name not in known | (columns - with_meaning if key == "not_counts" else columns):
            yield key, name


def without_guesses(counts: PublishedCounts) -> PublishedCounts | None:
    """Return the published counts, read without any guess; None if they cannot be read without one."""
    try:
        manifest = _weakest(counts.manifest)
        again = None if manifest is None else read_counts(manifest)
    except InputError:
        return None
    if again is None or len(again.release) != len(counts.release):
        return None
    return again.emptied(again.shown & ~counts.shown)  # cells that a repair would hide


def _weakest(manifest: TableManifest) -> TableManifest | None:
    """Return the manifest with what is certain of guessed keys; None if it needs a guessed key as it is."""
    found = manifest
    for key in manifest.unconfirmed:
        weaker = next((weaker for about, weaker in _WEAKER.items() if is_about(key, about)), None)
        if weaker is None:
            return None
        found = weaker(found)
    return replace(found, unconfirmed=())


def is_about(key: str, about: str) -> bool:
    """Return whether a key of the manifest is the key `about`, or an entry of it."""
    return key == about or key.startswith(f"{about}.")


def guessed_entries(manifest: TableManifest, about: str) -> Mapping[str, Any]:
    """Return the guessed entries of `table.totals` or `table.markers`; all if the key itself is guessed."""
    entries: Mapping[str, Any] = getattr(manifest, about.removeprefix("table."))
    keys = manifest.unconfirmed
    return {name: entry for name, entry in entries.items() if about in keys or f"{about}.{toml_key(name)}" in keys}


def _open_markers(manifest: TableManifest) -> TableManifest:
    markers = dict(manifest.markers)
    for text, ends in guessed_entries(manifest, "table.markers").items():
        markers[text] = (said_range(text) or ends) if is_said(text, ends) else (0, UNBOUNDED)
    return replace(manifest, markers=markers)


def _sure_totals(manifest: TableManifest) -> TableManifest:
    guessed = guessed_entries(manifest, "table.totals")
    return replace(manifest, totals={name: label for name, label in manifest.totals.items() if name not in guessed})


def _widest_rounding(manifest: TableManifest) -> TableManifest:
    rounding = manifest.rounding
    if rounding is None or rounding.how == "midpoint":
        return manifest
    return replace(manifest, rounding=replace(rounding, how="random"))


_WEAKER: Mapping[str, Callable[[TableManifest], TableManifest]] = {
    "table.markers": _open_markers,
    "table.threshold": lambda manifest: replace(manifest, threshold=None),
    "table.rounding": _widest_rounding,
    "table.over_time": lambda manifest: replace(manifest, over_time="independent"),
    "table.totals": _sure_totals,
    "table.nested": lambda manifest: replace(
        manifest, with_rest=frozenset(manifest.nested), open=manifest.open | set(manifest.nested)
    ),
    "table.codes": lambda manifest: replace(manifest, codes=frozenset()),
    "table.absent": lambda manifest: replace(manifest, absent_is_zero=False),
    "table.rates": lambda manifest: replace(manifest, rates=()),
    "table.part_of": lambda manifest: replace(manifest, part_of={}),
    "table.change": lambda manifest: replace(manifest, change=None),
    "series.releases": lambda manifest: replace(
        manifest,
        over_time="same" if manifest.over_time == "same" else "independent",
        releases=tuple(replace(each, tables=(table,)) for each in manifest.releases for table in each.tables),
    ),
    **dict.fromkeys(
        ("table.status_hides", "table.not_counts", "table.not_published", "policy.min_count"), lambda manifest: manifest
    ),
}
"""The manifest with what is certain of each guessed key; a finding that needs another guessed key depends on the guess.

A guess that numbers are not published, or disclose nothing, only removes knowledge: a finding made with it also holds
without it.
"""


def is_said(text: str, ends: Ends) -> bool:
    """Return whether the text of a marker itself says the greatest of these counts, and a least that is not larger."""
    said = said_range(text)
    return said is not None and said[0] <= ends[0] and ends[1] == said[1]


def surest_limits(manifest: TableManifest, limits: Mapping[str, int], given: Container[str]) -> dict[str, int]:
    """Return the limits; a `min_count` that is guessed, and was not given for this run, has its least value, 2."""
    if "min_count" in given:
        return dict(limits)
    if "min_count" in manifest.policy:
        guessed = "policy.min_count" in manifest.unconfirmed
    elif manifest.threshold is not None:
        guessed = "table.threshold" in manifest.unconfirmed
    else:
        markers = guessed_entries(manifest, "table.markers").items()
        guessed = any(ends[1] < UNBOUNDED and not is_said(text, ends) for text, ends in markers)
    return {**limits, "min_count": 2} if guessed else dict(limits)
