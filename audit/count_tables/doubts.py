"""Doubts: data that was not read, not judged, or guessed, on which a verdict about count tables depends.

A finding that depends on no guess in the manifest remains a finding. Keys about columns that no table has are refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from audit.count_tables.acro_sessions import SESSION, judged_statistics, session_outputs
from audit.count_tables.manifest import NAME, TableManifest
from audit.count_tables.published_counts import (
    Ends,
    PublishedCounts,
    exact_changes,
    is_part,
    lines_along,
    totals_by_sums,
)
from audit.count_tables.published_texts import is_like_a_number, is_total_word, said_range
from audit.count_tables.read_counts import read_counts
from audit.count_tables.table_files import column_names, read_count_table
from audit.count_tables.table_shapes import read_categories
from audit.io.respelling import fold
from audit.io.rules.rule import NOTHING
from audit.io.rules.spelling import nearly_respelled, respelled
from audit.io.tables import Table
from audit.io.toml import refuse_keys, toml_key
from audit.model.arrays import Codes
from audit.model.count_report import Rounding
from audit.model.doubt import Doubt
from audit.model.errors import InputError, Problems, printable
from audit.model.json_types import UNBOUNDED
from audit.runtime.phrases import Phrase, say, say_count
from audit.runtime.reasons import Reason, ReasonKind

_NAMED = 6
_STEM = 3  # letters that an abbreviation keeps


def table_doubts(counts: PublishedCounts, given: Container[str], *, nothing_found: bool) -> list[Doubt]:
    """Return the reasons for which clauses of the policy are undecided.

    `given` names the clauses whose limits were given for this run. If nothing is found with the narrowest reading of
    markers, a wider reading finds nothing either.
    """
    manifest = counts.manifest
    narrowest = nothing_found and all(
        is_narrowest(*each) for each in guessed_entries(manifest, "table.markers").items()
    )
    keys = [key for key in manifest.unconfirmed if not (narrowest and is_about(key, "table.markers"))]
    keys = [key for key in keys if key.removeprefix("policy.") not in given]
    unread = (
        (
            _unread_columns(counts),
            "columns",
            Phrase(
                "numbers beside the counts were not judged: {columns}; say what they are under [table], or name them "
                "in not_counts if they say nothing about the counts"
            ),
        ),
        (
            _unread_measures(counts),
            "measures",
            Phrase(
                "statistics beside the counts were not judged: {measures}; name them in measures if they are counts, "
                "or in not_counts if they say nothing about the counts"
            ),
        ),
        (
            _unread_outputs(counts),
            "files",
            Phrase(
                "tables that are not counts were not judged: {files}; name them in not_counts if they say nothing "
                "about the counts"
            ),
        ),
    )
    reasons = [
        _needs(phrase.filled(**{key: ", ".join(f'"{printable(name, 60)}"' for name in names[:_NAMED])}))
        for names, key, phrase in unread
        if names
    ]
    more = _missed_totals, _named_parts, _moved_labels, _other_labels, _atoms_alike, _likely_parts, _changes
    reasons += [reason for found in more for reason in found(counts)]
    return [*_guesses(keys), *map(Doubt, reasons)]


def _guesses(keys: Sequence[str]) -> Iterator[Doubt]:
    """Yield a doubt for each guessed key of the manifest; a guess about `min_count` affects no other clause."""
    for clauses, some in (
        (None, [key for key in keys if key != "policy.min_count"]),
        (frozenset({"min_count"}), [key for key in keys if key == "policy.min_count"]),
    ):
        if some:
            reason = say_count(
                "{keys} is a guess; check it, and delete it under [unconfirmed]",
                "{keys} are guesses; check them, and delete them under [unconfirmed]",
                len(some),
                keys=", ".join(some),
            )
            yield Doubt(_needs(reason), clauses, guessed=True)


def _needs(text: str) -> Reason:
    return Reason(text, ReasonKind.NEEDS)


def _unread_columns(counts: PublishedCounts) -> list[str]:
    """Return the columns with numbers, or ranges of counts, to which the manifest gives no meaning."""
    named: list[str] = []
    for file in {part.file.path: part.file for part in counts.parts}.values():
        if (file.path.parent / SESSION).is_file():
            continue
        names = column_names(file.path, file.shown, Problems()) or ()
        others = [name for name in names if name not in named and name not in counts.manifest.columns]
        table = read_count_table(file.path, file.shown, others, Problems()) if others else None
        texts = {} if table is None else {name: table.distinct(name) for name in others}
        named += [n for n in texts if any(is_like_a_number(t) or said_range(t) is not None for t in texts[n])]
    return named


def _unread_measures(counts: PublishedCounts) -> list[str]:
    """Return the statistics with numbers that are not counts and to which the manifest gives no meaning."""
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
    """Return the outputs of sessions that are not judged: means and other magnitudes, figures, or some counts."""
    manifest = counts.manifest
    files = [file for release in manifest.releases for file in release.tables if file.path.name == SESSION]
    outputs = [each for file in files for each in session_outputs(file.path, file.shown, Problems())]
    others = [each for each in outputs if each.file not in manifest.not_counts]
    left = [each.file for each in others if judged_statistics(manifest, each) != [*each.statistics]]
    return left + [name for each in others for name in each.magnitudes if name not in manifest.not_counts]


def _changes(counts: PublishedCounts) -> Iterator[Reason]:
    """Yield why changes and rates are judged only in part: they are of rounded counts, or of two inexact counts."""
    change = counts.manifest.change
    if change is not None and not exact_changes(counts.manifest):
        yield _needs(
            say(
                "{column} has changes of counts that are not exact, which are not judged; name it in not_counts if "
                "they are the differences of what was published",
                column=printable(change.column, 60),
            )
        )
    for column, count in counts.untied.items():
        yield Reason(
            say_count(
                "a number in {column} depends on two counts, neither of which is exact; what it discloses was not "
                "judged",
                "{count} numbers in {column} each depend on two counts, neither of which is exact; what they disclose "
                "was not judged",
                count,
                column=printable(column, 60),
            ),
            ReasonKind.TOO_HARD,
        )


def _likely_parts(counts: PublishedCounts) -> Iterator[Reason]:
    """Yield the statistics that may be part of another one, because none of their counts is above the other's."""
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


def _moved_labels(counts: PublishedCounts) -> Iterator[Reason]:
    """Yield the nested labels whose parent label differs between releases.

    If one release has the text below both parents, it is two labels.
    """
    for dimension in () if counts.manifest.over_time == "independent" else counts.manifest.nested:
        seen: dict[str, dict[tuple[str, ...], list[tuple[int, str]]]] = {}
        for part in counts.parts:
            for path in dict.fromkeys(part.nested[dimension]):
                if len(path) > 1:
                    line = part.table.line(part.nested[dimension].index(path))
                    where = part.release, f"{part.file.shown}:{line}"
                    seen.setdefault(path[-1], {}).setdefault(path, []).append(where)
        for text, ((one, first), (other, second), *_) in ((t, [*p.items()]) for t, p in seen.items() if len(p) > 1):
            if {at for at, _ in first}.isdisjoint(at for at, _ in second):
                yield _needs(
                    say(
                        '"{label}" of {dimension} is part of {one} ({first}) and of {other} ({second}), which counts '
                        "as two labels; if it is a single one that moved, give it the same place in all releases",
                        label=printable(text, 60),
                        dimension=printable(dimension, 60),
                        one=printable(one[-2], 60),
                        other=printable(other[-2], 60),
                        first=printable(first[0][1]),
                        second=printable(second[0][1]),
                    )
                )


def _other_labels(counts: PublishedCounts) -> Iterator[Reason]:
    """Yield the dimensions in which two labels may mean the same.

    These are labels with nearly the same spelling, unless a table has both beside the same labels of the other
    dimensions; labels of two tables about the same people that share none: if each table covers all people, its labels
    mean the same as the other's, or overlap; and a label that has a word more or less beside labels that are the same.
    """
    manifest = counts.manifest
    for place, dimension in enumerate(counts.dimensions):
        name = dimension.axis.name
        if name in {*manifest.categories, *manifest.codes, *manifest.nested}:
            continue
        own = counts.label[:, place]
        published = [label for label in np.unique(own).tolist() if label != dimension.total]
        number = {dimension.labels[label]: label for label in published}
        alike = [[number[text] for text in group] for group in nearly_respelled(number)]
        pair = next((group for group in alike if not _stand_together(counts, place, group)), [])
        if not pair and name not in manifest.open and not manifest.absent_is_zero:
            pair = _without_counterparts(counts, own, dimension.total) or _with_other_words(counts, place)
        if pair:
            rows = [int(np.argmax(own == label)) for label in pair[:2]]
            first, second = (f"{shown}:{line}" for shown, line in map(counts.place, rows))
            yield _needs(
                say(
                    '"{one}" of {dimension} ({first}) and "{other}" ({second}) may be one label, or overlap; write '
                    "them alike, or say in categories what is part of each, or, if tables need not have all labels, "
                    'write open = ["{dimension}"]',
                    one=printable(dimension.labels[pair[0]], 60),
                    other=printable(dimension.labels[pair[1]], 60),
                    dimension=printable(name, 60),
                    first=printable(first),
                    second=printable(second),
                )
            )


def _stand_together(counts: PublishedCounts, place: int, labels: Sequence[int]) -> bool:
    """Return whether two of these labels of a dimension occur in one table with the same labels of the others."""
    rows = np.flatnonzero(np.isin(counts.label[:, place], labels))
    beside = np.column_stack([counts.file, counts.measure, np.delete(counts.label, place, axis=1)])[rows]
    both = np.unique(np.column_stack([beside, counts.label[rows, place]]), axis=0)
    return len(np.unique(both[:, :-1], axis=0)) < len(both)


def _without_counterparts(counts: PublishedCounts, own: Codes, total: int) -> list[int]:
    """Return a label of each of two tables about the same people that share none, if both have the total or several.

    Two tables of one region each share no region either, but have no total of all people. Their districts do not
    overlap, because no person is in two regions.
    """
    independent = counts.manifest.over_time == "independent"
    people = counts.release if independent else np.zeros_like(counts.release)
    tables, table = np.unique(np.column_stack([people, counts.file]), axis=0, return_inverse=True)
    found = dict[tuple[int, frozenset[int], tuple[int, ...]], None]()
    for at, released in enumerate(tables[:, 0].tolist()):
        rows = counts.label[table == at]
        single = np.where(rows.min(axis=0) == rows.max(axis=0), rows[0], -1)
        found[released, frozenset(own[table == at].tolist()), tuple(single.tolist())] = None
    kinds = sorted(found, key=lambda kind: (kind[0], min(kind[1])))
    for (one, labels, single_one), (other, others, single_other) in combinations(kinds, 2):
        several = min(len(labels), len(others)) > 1
        none_shared = several and labels - {total} and others - {total} and labels & others <= {total}
        if one == other and none_shared and not _of_others(counts, single_one, single_other):
            return [min(labels - {total}), min(others - {total})]
    return []


def _with_other_words(counts: PublishedCounts, place: int) -> list[int]:
    """Return two labels with similar words that never occur together, but beside the same other labels.

    A line is what a table has of the dimension beside the same other labels; lines are compared by a random mark of
    each label, added up without carries. Labels that may be one have one mark, so that any number of them may differ.
    """
    own, people = counts.label[:, place], counts.release * (counts.manifest.over_time == "independent")
    beside = np.column_stack([counts.release, counts.file, counts.measure, np.delete(counts.label, place, axis=1)])
    line = np.unique(beside, axis=0, return_inverse=True)[1]
    cells = np.unique(np.column_stack([line, people, counts.measure, own]), axis=0)
    lines: dict[int, set[int]] = {}
    for at, label in cells[:, [0, 3]].tolist():
        lines.setdefault(label, set()).add(at)
    labels = counts.dimensions[place].labels
    begin: dict[tuple[str, ...], list[int]] = {}
    for label in (label for label, of_label in lines.items() if len(of_label) <= line.max(initial=-1)):
        words = _words(labels[label])
        begin.setdefault(("".join(words[:1])[:_STEM], *filter(str.isdigit, words)), []).append(label)
    alike = [
        (one, other)
        for some in begin.values()
        for one, other in combinations(sorted(some), 2)
        if lines[one].isdisjoint(lines[other]) and _have_like_words(labels[one], labels[other])
    ]
    marks = np.random.default_rng(0).integers(1, 2**62, size=int(own.max(initial=-1)) + 1)
    for one, other in alike:
        marks[other] = marks[one]
    whole = np.zeros(len(cells), dtype=np.int64)
    np.bitwise_xor.at(whole, cells[:, 0], marks[cells[:, 3]])
    others: dict[int, set[tuple[int, ...]]] = {}
    for *key, label in zip(
        *cells[:, 1:3].T.tolist(), (whole[cells[:, 0]] ^ marks[cells[:, 3]]).tolist(), cells[:, 3].tolist(), strict=True
    ):
        if key[-1]:
            others.setdefault(label, set()).add(tuple(key))
    return next(([one, other] for one, other in alike if others.get(one, set()) & others.get(other, set())), [])


def _words(label: str) -> list[str]:
    return re.findall(r"[^\W\d_]+|[0-9]+", fold(label))


def _have_like_words(one: str, other: str) -> bool:
    """Return whether a label has the words and numbers of another one in their order, each or its beginning, and words.

    >>> (
    ...     _have_like_words("Case", "Cases (confirmed)"),
    ...     _have_like_words("0-19", "0-19 years"),
    ...     _have_like_words("65", "65-74"),
    ... )
    (True, True, False)
    """
    short, long = sorted((_words(one), _words(other)), key=len)
    numbers = [[word for word in words if word.isdigit()] for words in (short, long)]
    left = iter(long)
    return bool(short) and numbers[0] == numbers[1] and all(any(_begins(word, each) for each in left) for word in short)


def _begins(one: str, other: str) -> bool:
    """Return whether a word is another one, or its beginning."""
    short, long = sorted((one, other), key=len)
    return short == long or (len(short) >= _STEM and long.startswith(short))


def _of_others(counts: PublishedCounts, one: Sequence[int], other: Sequence[int]) -> bool:
    """Return whether two tables hold different people, by their only labels of a dimension; -1 means several."""
    for dimension, *labels in zip(counts.dimensions, one, other, strict=True):
        first, second = ({*dimension.axis.members[dimension.set_of[label]].tolist()} for label in labels)
        if min(labels) >= 0 and first.isdisjoint(second):
            return True
    return False


def _atoms_alike(counts: PublishedCounts) -> Iterator[Reason]:
    """Yield the categories in which two atoms differ only in spelling, and no label covers both."""
    for name, covered in read_categories(counts.manifest, Problems()).items():
        atoms = {atom for some in covered.values() for atom in some}
        for one, other, *_ in [*respelled(atoms), *nearly_respelled(atoms)]:
            if not any({one, other} <= {*some} for some in covered.values()):
                yield _needs(
                    say(
                        '"{one}" and "{other}" in the categories of {dimension} may be one atom; write them alike, or '
                        "give a label that covers both",
                        one=printable(one, 60),
                        other=printable(other, 60),
                        dimension=printable(name, 60),
                    )
                )
                break


def _missed_totals(counts: PublishedCounts) -> Iterator[Reason]:
    """Yield the dimensions in which one label, not the total, has the sums of all others, or the name of a total.

    If the manifest names a total, only lines without it are compared; there, one line with the sum is enough.
    """
    for place, dimension in enumerate(counts.dimensions):
        name, total = dimension.axis.name, counts.manifest.totals.get(dimension.axis.name)
        said = {*counts.manifest.categories, *counts.manifest.codes, *counts.manifest.nested, *counts.manifest.no_total}
        if name in said:
            continue
        lines = [line for line in lines_along(counts, place) if total not in line]
        found = totals_by_sums(lines) if total is None else totals_by_sums(lines, 1)
        if total is not None:
            found += [
                label for label in dimension.labels if is_total_word(label) and any(label in line for line in lines)
            ]
        if found and total is None:
            yield _needs(
                say(
                    '"{label}" of {dimension} is the sum of the other labels wherever all numbers are shown; name it '
                    "in totals, or write categories for {dimension}",
                    label=printable(found[0], 60),
                    dimension=printable(name, 60),
                )
            )
        elif found:
            yield _needs(
                say(
                    '"{label}" of {dimension} may be the total, which the manifest calls "{total}"; write them alike, '
                    "or write categories for {dimension}",
                    label=printable(found[0], 60),
                    total=printable(str(total), 60),
                    dimension=printable(name, 60),
                )
            )


_PART = re.compile(r"(?:darunter|davon|dont|of which|including|de (?:los|las) cuales)\b.*", re.IGNORECASE)


def _named_parts(counts: PublishedCounts) -> Iterator[Reason]:
    """Yield the dimensions with a label that says it is part of another one, and no categories that say of which."""
    manifest = counts.manifest
    for dimension in counts.dimensions:
        name = dimension.axis.name
        said = name in manifest.categories or name in manifest.codes or name in manifest.nested
        for label in [] if said else filter(_PART.fullmatch, map(str.strip, dimension.labels)):
            yield _needs(
                say(
                    '"{label}" of {dimension} says that it is part of another label, but is read as one beside it; '
                    "write categories for {dimension}",
                    label=printable(label, 60),
                    dimension=printable(name, 60),
                )
            )
            break


def check_columns_are_there(counts: PublishedCounts) -> None:
    """Refuse keys about columns and statistics that no table of the series has.

    A table that is still to come may have them. So the series before a candidate is not checked.

    Raises:
        InputError: some keys are not used; all of them are named, with their lines.
    """
    found = [
        (key, f'no table has "{printable(name)}", so {NOTHING}', "correct the name, or leave it out")
        for key, name in _lacking(counts.manifest, [part.table for part in counts.parts])
    ]
    manifest, labels = counts.manifest, {each.axis.name: {*each.labels} for each in counts.dimensions}
    named = [("harmless", name, text) for name, texts in manifest.harmless.items() for text in texts]
    named += [("hiding", name, text) for rule in manifest.hiding for name, text in rule.cell.items()]
    found += [
        (key, f'no label of "{name}" is "{printable(text)}", so {NOTHING}', "correct the label, or leave it out")
        for key, name, text in named
        if text not in labels[name]
    ]
    refuse_keys(counts.manifest.folder, NAME, found)


def _lacking(manifest: TableManifest, tables: Sequence[Table]) -> Iterator[tuple[str, str]]:
    """Yield the names that no table has, each with its key."""
    wanted = [("not_counts", name) for name in sorted(manifest.not_counts)]
    wanted += [("change", manifest.change.column)] if manifest.change is not None else []
    wanted += [("rates", rates.column) for rates in manifest.rates]
    if not wanted:
        return
    files = {file.path: file for release in manifest.releases for file in release.tables}
    known: set[str] = set()
    for path, file in files.items():
        if path.name == SESSION:
            outputs = [*session_outputs(path, file.shown, Problems())]
            known |= {name for each in outputs for name in (each.file, *each.magnitudes)}
        else:
            known |= {*(column_names(path, file.shown, Problems()) or ())}
    if manifest.measure is not None:
        known |= {text for table in tables if manifest.measure in table for text in table.distinct(manifest.measure)}
    yield from ((key, name) for key, name in wanted if name not in known)


def without_guesses(counts: PublishedCounts) -> PublishedCounts | None:
    """Return the published counts, read without any guess; None if they cannot be read so."""
    try:
        manifest = _weakest(counts.manifest)
        again = None if manifest is None else read_counts(manifest)
    except InputError:
        return None
    if again is None or len(again.release) != len(counts.release):
        return None
    emptied = again.shown & ~counts.shown  # cells that a repair would hide
    return replace(
        again,
        lower=np.where(emptied, 0, again.lower),
        upper=np.where(emptied, UNBOUNDED, again.upper),
        hidden=again.hidden & ~emptied,
        number=again.number & ~emptied,
    )


def _weakest(manifest: TableManifest) -> TableManifest | None:
    """Return a manifest with only what is certain; None if a key that it cannot do without is a guess."""
    found = manifest
    for key in manifest.unconfirmed:
        weaker = next((weaker for about, weaker in _WEAKER.items() if is_about(key, about)), None)
        if weaker is None:
            return None
        found = weaker(found)
    return replace(found, unconfirmed=())


def is_about(key: str, about: str) -> bool:
    """Return whether a key of the manifest is the given key, or an entry of it."""
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
    return replace(manifest, rounding=Rounding(rounding.to, "random"))


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
    **dict.fromkeys(("table.status_hides", "table.not_counts", "policy.min_count"), lambda manifest: manifest),
}
"""Which part of a guessed key is certain; a finding that needs any other guessed key depends on the guess.

A guess that numbers are not published, or reveal nothing, only removes knowledge. A finding made with it holds without
it.
"""


def is_said(text: str, ends: Ends) -> bool:
    """Return whether the text of a marker itself limits the counts that it stands for to these."""
    said = said_range(text)
    return said is not None and said[0] <= ends[0] and ends[1] == said[1]


def is_narrowest(text: str, ends: Ends) -> bool:
    """Return whether a marker is read as narrowly as possible: "fewer than 5" may include 0, or not."""
    return is_said(text, ends) and (ends[0] > 0 or any(map(str.isdigit, text[:2])))


def surest_limits(manifest: TableManifest, limits: Mapping[str, int], given: Container[str]) -> dict[str, int]:
    """Return the policy; a guessed `min_count` that was not given takes its least value."""
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
