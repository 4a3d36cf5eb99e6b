"""Verification: check a draft before it is written, and a release after it was written and read back."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from audit.io.attributes import QuasiIdentifier
from audit.io.background_knowledge import TransitionLines, read_lines, read_transitions
from audit.io.encoding import Vocabulary
from audit.io.manifest import NAME as SERIES
from audit.io.microdata import NAME as MICRODATA
from audit.io.microdata import Microdata, ReadSnapshot
from audit.io.releases import KeyedRelease
from audit.io.series import Series
from audit.model.anonymizer import COUNTERFEIT, Anonymizer, Bounds, Draft
from audit.model.arrays import NOBODY, Codes, numbered
from audit.model.errors import InputError, Problem, Problems, UsageError
from audit.model.evidence import Transitions, UpdateSets, ValueCounts
from audit.publishing.earlier_releases import Counterfeits, uncovered
from audit.runtime.phrases import printable, printable_path, say

_NO_CODES: Codes = np.zeros(0, dtype=np.int32)


class BrokenPromiseError(AssertionError):
    """A release that was about to be published is wrong, which is a bug of the program."""


def check_draft(draft: Draft, read: ReadSnapshot, counterfeits: Codes) -> None:
    """Check that a draft holds each person at most once, with the true value, and no empty group.

    `counterfeits` are the codes of the last release's counterfeits with an identity.

    Raises:
        BrokenPromiseError: the draft is not sound.
    """
    rows = draft.row[draft.row != COUNTERFEIT]
    groups = np.bincount(draft.group)
    once = len(rows) > 0 and int(np.bincount(rows).max()) == 1
    true = np.array_equal(draft.value[draft.row != COUNTERFEIT], read.snapshot.value[rows])
    cells = draft.cells.low if isinstance(draft.cells, Bounds) else draft.cells.after
    identity = _NO_CODES if draft.identity is None else draft.identity[draft.row == COUNTERFEIT]
    kept = np.sort(identity[identity != COUNTERFEIT])
    once = once and bool(np.isin(kept, counterfeits).all()) and bool((kept[1:] != kept[:-1]).all())
    if not (once and true and groups.all() and len(cells) == len(groups)):
        raise BrokenPromiseError("the draft of the release is not sound")


def check_written(
    release: KeyedRelease,
    attributes: Sequence[QuasiIdentifier],
    sensitive: str,
    read: ReadSnapshot,
    person: Codes,
) -> None:
    """Check a release, as it was written and read back, against its snapshot and the people of its rows.

    `person` holds the person that each row must have, -1 for counterfeits without identity; shape (rows,).

    Raises:
        BrokenPromiseError: a person, a cell or a value is wrong, or counterfeits are not counted.
    """
    if release.person is None or not np.array_equal(release.person, person):
        raise BrokenPromiseError("the key does not read back as it was written")
    row = numbered(read.snapshot.person, int(max(person.max(initial=0), read.snapshot.person.max())) + 1)
    real = np.flatnonzero((person != NOBODY) & (row[person] >= 0))
    own = row[person[real]]
    cells = [release.cells[attribute.name][real] for attribute in attributes]
    if len(uncovered(cells, attributes, read, own)):
        raise BrokenPromiseError("a published cell does not cover the true value")
    values = len(read.snapshot.values)
    entries = ValueCounts(release.entry_group, release.entry_value[sensitive], release.entry_count)
    published = entries.tabled(release.group.size, values)
    true = ValueCounts(release.group.codes[real], read.snapshot.value[own], None).tabled(release.group.size, values)
    fake = published.astype(np.int64) - true
    if (fake < 0).any():
        raise BrokenPromiseError("a person's true value is missing in the group")
    if release.values_by_row and not np.array_equal(entries.value[real], read.snapshot.value[own]):
        raise BrokenPromiseError("a published value is not the true one")
    if not np.array_equal(fake.sum(axis=1), release.group_counterfeits):
        raise BrokenPromiseError("the counterfeits are not all counted")


def check_kept(release: KeyedRelease, counterfeits: Counterfeits) -> None:
    """Check that the older counterfeits of an Anatomy pair have the quasi-identifiers of the release before.

    Raises:
        BrokenPromiseError: a counterfeit has others.
    """
    if release.person is None:
        raise BrokenPromiseError("the release was read without its key")
    rows = np.flatnonzero(np.isin(release.person, counterfeits.codes))
    before = counterfeits.cells_of(release.person[rows])
    for column, codes in enumerate(release.cells.values()):
        if not np.array_equal(codes[rows], before[:, column]):
            raise BrokenPromiseError("an older counterfeit has other quasi-identifiers than before")


TRANSITIONS = "transitions.csv"
"""The transitions file of a new series."""
_PAIRS_SHOWN = 3
_VALUE_SHOWN = 24


def agree(series: Series, microdata: Microdata, anonymizer: Anonymizer, *, begun: bool) -> Transitions | None:
    """Return the microdata's transitions in the codes of the series; a new series gets the same transitions.

    `begun` says whether the series is on disk already.

    Raises:
        UsageError: the series has other transitions, or lacks those that the method needs.
        InputError: the method cannot use the sets, or the file of the series is faulty.
    """
    if begun and series.manifest.any_transitions and anonymizer.follows_updates:
        raise UsageError.say(
            '{file}: transitions = "any" lets any value follow any, so that this method cannot publish; name the '
            "microdata's file of transitions",
            file=printable_path(series.manifest.folder / SERIES),
        )
    vocabulary, lines = series.vocabularies[microdata.sensitive], microdata.updates
    own = None if lines is None else lines.numbered(vocabulary)
    sets = None if own is None else microdata.followed(own)
    if begun and anonymizer.follows_updates:
        _check_both(series, microdata, anonymizer)
    if lines is not None and own is not None and sets is not None:
        if begun and series.manifest.transitions is not None:
            _check_same(series, microdata.folder / lines.shown, own, vocabulary)
        if anonymizer.follows_updates:
            _check_closed(lines.shown, own, sets, anonymizer, vocabulary.names)
    if not begun or microdata.closes:  # a new file is written with the first release, which is checked first
        series.updates[microdata.sensitive] = sets
    return own


def check_written_transitions(folder: Path, lines: TransitionLines) -> None:
    """Check that the written file of a new series holds the transitions of the microdata.

    Raises:
        BrokenPromiseError: it does not.
    """
    read = read_lines(folder, TRANSITIONS, Problems())
    if read is None or read.probability != lines.probability:
        raise BrokenPromiseError("the transitions do not read back as they were written")


def _check_both(series: Series, microdata: Microdata, anonymizer: Anonymizer) -> None:
    """Refuse a series and microdata of which only one has transitions.

    Raises:
        UsageError: only one has them.
    """
    ends = [
        (series.manifest.folder / SERIES, "adversary", series.manifest.transitions),
        (microdata.folder / MICRODATA, "updates", microdata.transitions),
    ]
    (file, table, lacking), (other, _, there) = sorted(ends, key=lambda end: end[-1] is not None)
    if lacking is None and there is not None:
        raise UsageError.say(
            "{file}: there are no transitions, and {method} needs them; copy {transitions} into this folder without "
            "columns such as counts, which would be published, and name it under [{table}], or begin a new series",
            file=printable_path(file),
            method=anonymizer.name,
            transitions=printable_path(other.parent / there),
            table=table,
        )


def _check_same(series: Series, file: Path, own: Transitions, vocabulary: Vocabulary) -> None:
    """Refuse a series whose transitions are not those of the microdata, which stand in `file`.

    Raises:
        UsageError: they list other values, or allow other changes or the same with other probabilities.
        InputError: those of the series cannot be read.
    """
    of_series = read_transitions(series, series.manifest.columns.sensitive[0], vocabulary)
    if own.exact == of_series.exact and np.array_equal(np.flatnonzero(own.listed), np.flatnonzero(of_series.listed)):
        return
    raise UsageError.say(
        "{published}: the series has other transitions than {private}; give both files the same lines of from, to "
        "and probability, but no counts, which would be published, or begin a new series",
        published=printable_path(series.manifest.folder / str(series.manifest.transitions)),
        private=printable_path(file),
    )


def _check_closed(shown: str, own: Transitions, sets: UpdateSets, anonymizer: Anonymizer, names: Sequence[str]) -> None:
    """Refuse a candidate update set without its own value, or without all updates of its members.

    Refuse completed sets of a value that nothing may follow, too: a counterfeit could have it.

    Source: m-Distinct paper, note to Definition 12, for the updates of members; that a set has its own value is ours.

    Raises:
        InputError: a set lacks a value.
    """
    missing, whole = sets.missing(), sets.closed()
    if not len(missing):
        if len(unlisted := np.flatnonzero(~own.listed)):
            what = say("no line begins with {value}, which others may become", value=_value(names[int(unlisted[0])]))
            raise InputError([Problem(shown, what, say("say what may follow it, itself included if it may stay"))])
        return
    pairs = []
    for first, last in missing[:_PAIRS_SHOWN].tolist():
        way = whole.between(first, last) if first != last else None
        pairs.append(_pair((first, last), names) + ("" if way is None else f" by way of {_value(names[way])}"))
    more = f" and {len(missing) - len(pairs):,} more" if len(missing) > len(pairs) else ""
    what = f"{anonymizer.name} needs a line for each value itself and for every later value that it may become, also"
    what += f" through others; missing: {', '.join(pairs)}"
    raise InputError([Problem(shown, what + more, "add them, or --close")])


def _pair(pair: tuple[int, int], names: Sequence[str]) -> str:
    return f"{_value(names[pair[0]])} to {_value(names[pair[1]])}"


def _value(name: str) -> str:
    return f'"{printable(name, _VALUE_SHOWN)}"'
