"""What may become of sensitive values: told to a new series, and held against what a series says that goes on."""

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
"""The file of a new series."""
_PAIRS_SHOWN = 3
_VALUE_SHOWN = 24


def agree(series: Series, microdata: Microdata, anonymizer: Anonymizer, *, begun: bool) -> Transitions | None:
    """Return what the microdata say may become of values, by the codes of the series; a new series is told it as well.

    `begun` tells whether the series is on disk already.

    Raises:
        UsageError: the series says something else, or the method needs both to say it.
        InputError: the sets are not as the method needs them, or the file of the series is faulty.
    """
    if begun and series.manifest.any_transitions:
        what = f'{_path(series.manifest.folder / SERIES)}: transitions = "any" lets any value follow any'
        raise UsageError(f"{what}, by which nothing can be published; name the microdata's file of transitions")
    vocabulary, lines = series.vocabularies[microdata.sensitive], microdata.updates
    own = None if lines is None else lines.numbered(vocabulary)
    if begun and anonymizer.follows_updates:
        _check_both(series, microdata, anonymizer)
    if lines is not None and own is not None:
        if begun and series.manifest.transitions is not None:
            _check_same(series, microdata.folder / lines.shown, lines, own, vocabulary)
        if anonymizer.follows_updates:
            _check_closed(lines.shown, own, anonymizer, vocabulary.names, begun=begun)
    if not begun:  # its file is put in place with the first release, which is checked before
        series.updates[microdata.sensitive] = None if own is None else own.sets
    return own


def check_told(folder: Path, lines: TransitionLines) -> None:
    """Hold the file of a new series, as it was written, against the transitions of the microdata.

    Raises:
        BrokenPromiseError: it says something else.
    """
    read = read_lines(folder, TRANSITIONS, Problems())
    if read is None or read.probability != lines.probability:
        raise BrokenPromiseError("the transitions do not read back as they were written")


def _check_both(series: Series, microdata: Microdata, anonymizer: Anonymizer) -> None:
    """Refuse a series with transitions when the microdata have none, and the other way round.

    Raises:
        UsageError: it is so.
    """
    of_series, of_microdata = series.manifest.transitions, microdata.transitions
    folder, other = series.manifest.folder, microdata.folder
    if of_series is None and of_microdata is not None:
        what = f"{_path(folder / SERIES)}: the series says of no value what may become of it"
        remedy = f"copy {_path(other / of_microdata)} into its folder and name it under [adversary]"
    elif of_series is not None and of_microdata is None:
        what = f"{_path(other / MICRODATA)}: the microdata say of no value what may become of it"
        remedy = f"copy {_path(folder / of_series)} into their folder and name it under [updates]"
    else:
        return
    raise UsageError(f"{what}, and {anonymizer.name} goes by that; {remedy}, or begin a new series")


def _check_same(series: Series, told: Path, lines: TransitionLines, own: Transitions, vocabulary: Vocabulary) -> None:
    """Refuse a series whose transitions are not those of the microdata, in the file `told`.

    Raises:
        UsageError: they are others.
        InputError: those of the series cannot be read.
    """
    theirs = read_transitions(series, series.manifest.columns.sensitive[0], vocabulary)
    if _equal(own, theirs):
        return
    what = f"{_path(series.manifest.folder / str(series.manifest.transitions))}: the series has other transitions"
    what += f" than {_path(told)}"
    if _equal(lines.closed()[0].numbered(vocabulary), theirs):
        raise UsageError(f"{what}, but those that --close makes of them: give it, if the series was begun with it")
    difference = _difference(own, theirs, vocabulary.names)
    raise UsageError(f"{what}: {difference}; let both say the same, or begin a new series")


def _equal(one: Transitions, other: Transitions) -> bool:
    """Return whether two files speak of the same values, and allow the same with the same probabilities."""
    return one.exact == other.exact and np.array_equal(np.flatnonzero(one.listed), np.flatnonzero(other.listed))


def _difference(own: Transitions, theirs: Transitions, names: Sequence[str]) -> str:
    """Return one thing in which the transitions of microdata differ from those of a series."""
    for these, others, where in ((theirs.exact, own.exact, "the series"), (own.exact, theirs.exact, "the microdata")):
        if these.keys() - others.keys():
            return f"{_pair(min(these.keys() - others.keys()), names)} is possible in {where} alone"
    unlike = [pair for pair, probability in own.exact.items() if theirs.exact[pair] != probability]
    if unlike:
        return f"{_pair(min(unlike), names)} is not as probable in both"
    return "some values have a line in one of them alone"


def _check_closed(shown: str, own: Transitions, anonymizer: Anonymizer, names: Sequence[str], *, begun: bool) -> None:
    """Refuse sets that lack a value itself, or what may become of one of their members (m-Distinct paper, Def. 12).

    Raises:
        InputError: there are some.
    """
    sets = own.sets
    missing, whole = sets.missing(), sets.closed()
    if not len(missing):
        return
    told = []
    for first, last in missing[:_PAIRS_SHOWN].tolist():
        way = whole.between(first, last) if first != last else None
        told.append(_pair((first, last), names) + ("" if way is None else f" by way of {_value(names[way])}"))
    more = f" and {len(missing) - len(told):,} more" if len(missing) > len(told) else ""
    what = f"{anonymizer.name} needs each value and all that may become of it in the end; missing: {', '.join(told)}"
    remedy = "add them to the series' file too, or begin a new series with --close" if begun else "add them, or --close"
    raise InputError([Problem(shown, what + more, remedy)])


def _pair(pair: tuple[int, int], names: Sequence[str]) -> str:
    return f"{_value(names[pair[0]])} to {_value(names[pair[1]])}"


def _value(name: str) -> str:
    return f'"{printable(name, _VALUE_SHOWN)}"'


def _path(path: Path) -> str:
    return printable_path(path)
