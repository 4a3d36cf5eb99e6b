"""Transition checks: a series and its microdata must allow the same changes of sensitive values."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from audit.io.background_knowledge import read_transitions
from audit.io.encoding import Vocabulary
from audit.io.manifest import NAME as SERIES
from audit.io.microdata import NAME as MICRODATA
from audit.io.microdata import Microdata
from audit.io.series import Series
from audit.io.transitions import TransitionLines, read_lines
from audit.model.anonymizer import Anonymizer
from audit.model.errors import InputError, Problem, Problems, UsageError, printable, printable_path
from audit.model.evidence import Transitions
from audit.publishing.verification import BrokenPromiseError

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
    if begun and series.manifest.any_transitions:
        what = f'{_path(series.manifest.folder / SERIES)}: transitions = "any" lets any value follow any'
        raise UsageError(f"{what}, so that no method can publish; name the microdata's file of transitions")
    vocabulary, lines = series.vocabularies[microdata.sensitive], microdata.updates
    own = None if lines is None else lines.numbered(vocabulary)
    if begun and anonymizer.follows_updates:
        _check_both(series, microdata, anonymizer)
    if lines is not None and own is not None:
        if begun and series.manifest.transitions is not None:
            _check_same(series, microdata.folder / lines.shown, lines, own, vocabulary)
        if anonymizer.follows_updates:
            _check_closed(lines.shown, own, anonymizer, vocabulary.names, begun=begun)
    if not begun:  # the file is written with the first release, which is checked first
        series.updates[microdata.sensitive] = None if own is None else own.sets
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
    of_series, of_microdata = series.manifest.transitions, microdata.transitions
    if of_series is None and of_microdata is not None:
        what = f"{_path(series.manifest.folder / SERIES)}: the series has no transitions"
        remedy = f"copy {_path(microdata.folder / of_microdata)} into its folder and name it under [adversary]"
    elif of_series is not None and of_microdata is None:
        what = f"{_path(microdata.folder / MICRODATA)}: the microdata have no transitions"
        remedy = f"copy {_path(series.manifest.folder / of_series)} into their folder and name it under [updates]"
    else:
        return
    raise UsageError(f"{what}, and {anonymizer.name} needs them; {remedy}, or begin a new series")


def _check_same(series: Series, file: Path, lines: TransitionLines, own: Transitions, vocabulary: Vocabulary) -> None:
    """Refuse a series whose transitions are not those of the microdata, which stand in `file`.

    Raises:
        UsageError: they differ.
        InputError: those of the series cannot be read.
    """
    of_series = read_transitions(series, series.manifest.columns.sensitive[0], vocabulary)
    if _equal(own, of_series):
        return
    what = f"{_path(series.manifest.folder / str(series.manifest.transitions))}: the series has other transitions"
    what += f" than {_path(file)}"
    if _equal(lines.closed()[0].numbered(vocabulary), of_series):
        raise UsageError(f"{what}: those that --close makes of them; add --close if the series was begun with it")
    difference = _difference(own, of_series, vocabulary.names)
    raise UsageError(f"{what}: {difference}; make both files equal, or begin a new series")


def _equal(left: Transitions, right: Transitions) -> bool:
    """Return whether two files list the same values, and allow the same changes with the same probabilities."""
    return left.exact == right.exact and np.array_equal(np.flatnonzero(left.listed), np.flatnonzero(right.listed))


def _difference(own: Transitions, of_series: Transitions, names: Sequence[str]) -> str:
    """Return the first difference between the transitions of microdata and those of a series."""
    series, microdata = of_series.exact, own.exact
    for left, right, where in ((series, microdata, "the series"), (microdata, series, "the microdata")):
        if left.keys() - right.keys():
            return f"{_pair(min(left.keys() - right.keys()), names)} is possible only in {where}"
    unlike = [pair for pair, probability in microdata.items() if series[pair] != probability]
    if unlike:
        return f"{_pair(min(unlike), names)} has another probability in each"
    return "some values have a line in only one of them"


def _check_closed(shown: str, own: Transitions, anonymizer: Anonymizer, names: Sequence[str], *, begun: bool) -> None:
    """Refuse a candidate update set without its own value, or without all updates of its members.

    Source: m-Distinct paper, Definition 12.

    Raises:
        InputError: a set lacks a value.
    """
    sets = own.sets
    missing, whole = sets.missing(), sets.closed()
    if not len(missing):
        return
    pairs = []
    for first, last in missing[:_PAIRS_SHOWN].tolist():
        way = whole.between(first, last) if first != last else None
        pairs.append(_pair((first, last), names) + ("" if way is None else f" by way of {_value(names[way])}"))
    more = f" and {len(missing) - len(pairs):,} more" if len(missing) > len(pairs) else ""
    what = f"{anonymizer.name} needs a line for each value itself and for every later value that it may become, also"
    what += f" through others; missing: {', '.join(pairs)}"
    remedy = "add them to the series' file too, or begin a new series with --close" if begun else "add them, or --close"
    raise InputError([Problem(shown, what + more, remedy)])


def _pair(pair: tuple[int, int], names: Sequence[str]) -> str:
    return f"{_value(names[pair[0]])} to {_value(names[pair[1]])}"


def _value(name: str) -> str:
    return f'"{printable(name, _VALUE_SHOWN)}"'


def _path(path: Path) -> str:
    return printable_path(path)
