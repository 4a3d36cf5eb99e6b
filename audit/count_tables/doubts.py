"""What the verdict on count tables rests on that was not read, not judged, or only guessed."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from audit.count_tables.manifest import Rounding, TableManifest
from audit.count_tables.number_texts import is_like_a_number, said_range
from audit.count_tables.published_counts import PublishedCounts, read_counts
from audit.count_tables.sums import Ends, lines_along, totals_by_sums
from audit.count_tables.table_shapes import SESSION
from audit.io.tables import header, read_table
from audit.model.count_tables import UNBOUNDED
from audit.model.doubt import Doubt
from audit.model.errors import InputError, Problems, printable
from audit.runtime.phrases import say, say_count
from audit.runtime.reasons import Reason, ReasonKind

_NAMED = 6


def table_doubts(counts: PublishedCounts, *, nothing_found: bool) -> list[Doubt]:
    """Return what keeps the clauses of the policy from holding.

    Where nothing was found with the narrowest reading of markers, nothing would be with a wider one.
    """
    manifest = counts.manifest
    narrowest = nothing_found and all(_is_narrowest(*each) for each in _guessed(manifest, "table.markers").items())
    keys = [key for key in manifest.unconfirmed if not (narrowest and _is_about(key, "table.markers"))]
    found = list(_guesses(keys))
    found += [
        Doubt(reason)
        for reason in (
            *_unread_columns(counts),
            *_unread_measures(counts),
            *_missed_totals(counts),
            *_moved_labels(counts),
        )
    ]
    return found


def _guesses(keys: Sequence[str]) -> Iterator[Doubt]:
    """Yield the doubts that guessed keys of the manifest are; what `min_count` is concerns no other clause."""
    for clauses, some in (
        (None, [key for key in keys if key != "policy.min_count"]),
        (frozenset({"min_count"}), [key for key in keys if key == "policy.min_count"]),
    ):
        if some:
            told = say_count(
                "{keys} is a guess; correct it, and strike it out of [unconfirmed]",
                "{keys} are guesses; correct them, and strike them out of [unconfirmed]",
                len(some),
                keys=", ".join(some),
            )
            yield Doubt(_needs(told), clauses, guessed=True)


def _needs(text: str) -> Reason:
    return Reason(text, ReasonKind.NEEDS)


def _unread_columns(counts: PublishedCounts) -> Iterator[Reason]:
    """Yield the columns with numbers, or ranges of counts, that stand beside the counts and have no meaning."""
    named: dict[str, str] = {}
    for file in {file.path: file for file in counts.files}.values():
        if (file.path.parent / SESSION).is_file():
            continue
        names = header(file.path, file.shown, Problems()) or {}
        others = [name for name in names if name not in named and name not in counts.manifest.columns]
        table = read_table(file.path, file.shown, others, Problems()) if others else None
        for name in others if table is not None else ():
            texts = table.distinct(name) if table is not None else ()
            if any(is_like_a_number(text) or said_range(text) is not None for text in texts):
                named[name] = file.shown
    if named:
        columns = ", ".join(f'"{printable(name, 60)}"' for name in list(named)[:_NAMED])
        yield _needs(
            say(
                "numbers beside the counts were not judged: {columns}; say what they are under [table], or name "
                "them in not_counts if they say nothing about the counts",
                columns=columns,
            )
        )


def _unread_measures(counts: PublishedCounts) -> Iterator[Reason]:
    """Yield the statistics with numbers that are no counts and have no meaning."""
    manifest = counts.manifest
    if manifest.measure is None or not manifest.measures:
        return
    known = {*manifest.measures, *manifest.not_counts}
    named: dict[str, None] = {}
    for table in counts.tables:
        if manifest.measure in table and manifest.value in table:
            pairs = set(zip(table.texts(manifest.measure), table.texts(manifest.value), strict=True))
            named |= dict.fromkeys(m for m, text in sorted(pairs) if m not in known and is_like_a_number(text))
    if named:
        yield _needs(
            say(
                "statistics beside the counts were not judged: {measures}; name them in measures if they are counts, "
                "or in not_counts if they say nothing about the counts",
                measures=", ".join(f'"{printable(name, 60)}"' for name in list(named)[:_NAMED]),
            )
        )


def _moved_labels(counts: PublishedCounts) -> Iterator[Reason]:
    """Yield the nested labels that are inside of one label in a release and of another one in another release."""
    if counts.manifest.over_time == "independent":
        return
    for warning in two_parents(counts):
        if not warning.at_once:
            yield _needs(warning.text)


def _missed_totals(counts: PublishedCounts) -> Iterator[Reason]:
    """Yield the dimensions without a total of which a label has the sums of all others."""
    for place, dimension in enumerate(counts.dimensions):
        name = dimension.axis.name
        if dimension.total >= 0 or name in counts.manifest.categories or name in counts.manifest.nested:
            continue
        found = totals_by_sums(lines_along(counts, place))
        if found:
            yield _needs(
                say(
                    '"{label}" of {dimension} is the sum of the other labels wherever all numbers are shown; name it '
                    "in totals, or write categories for {dimension}",
                    label=printable(found[0], 60),
                    dimension=printable(name, 60),
                )
            )


@dataclass(frozen=True)
class TwoParents:
    """A text that is a label inside of two others.

    Attributes:
        text: what was found, with both places.
        at_once: whether one release has both, so that they are two labels.
    """

    text: str
    at_once: bool


def two_parents(counts: PublishedCounts) -> Iterator[TwoParents]:
    """Yield the texts of nested labels that are inside of two others."""
    for dimension, files in counts.nested.items():
        seen: dict[str, dict[tuple[str, ...], list[tuple[int, str]]]] = {}
        for place, labels in enumerate(files):
            release = _release_of(counts, place)
            for code, path in enumerate(labels.paths):
                if len(path) > 1:
                    line = counts.tables[place].line(int(np.flatnonzero(labels.codes == code)[0]))
                    where = release, f"{counts.files[place].shown}:{line}"
                    seen.setdefault(path[-1], {}).setdefault(path, []).append(where)
        for text, paths in seen.items():
            if len(paths) > 1:
                (one, first), (other, second) = list(paths.items())[:2]
                told = say(
                    '"{label}" of {dimension} is inside of {one} ({first}) and of {other} ({second}); they count '
                    "as two labels: if it is one that moved, give it one place in all releases",
                    label=printable(text, 60), dimension=printable(dimension, 60), one=printable(one[-2], 60),
                    other=printable(other[-2], 60), first=printable(first[0][1]), second=printable(second[0][1]),
                )  # fmt: skip
                yield TwoParents(told, bool({at for at, _ in first} & {at for at, _ in second}))


def _release_of(counts: PublishedCounts, file: int) -> int:
    rows = np.flatnonzero(counts.file == file)
    return int(counts.release[rows[0]]) if len(rows) else -1


# -- what is found all the same ---------------------------------------------------------------------------------


def without_guesses(counts: PublishedCounts) -> PublishedCounts | None:
    """Return what was published, read with nothing that is only a guess; None where it cannot be read so."""
    try:
        manifest = _weakest(counts.manifest)
        again = None if manifest is None else read_counts(manifest)
    except InputError:
        return None
    if again is None or len(again.release) != len(counts.release):
        return None
    emptied = again.shown & ~counts.shown  # cells that a repair tries to hide
    return replace(
        again,
        lower=np.where(emptied, 0, again.lower),
        upper=np.where(emptied, UNBOUNDED, again.upper),
        hidden=again.hidden & ~emptied,
        number=again.number & ~emptied,
    )


def _weakest(manifest: TableManifest) -> TableManifest | None:
    """Return a manifest that says no more than what is sure; None where a key is a guess without which nothing is."""
    found = manifest
    for key in manifest.unconfirmed:
        weaker = next((weaker for about, weaker in _WEAKER.items() if _is_about(key, about)), None)
        if weaker is None:
            return None
        found = weaker(found)
    return replace(found, unconfirmed=())


def _is_about(key: str, about: str) -> bool:
    return key == about or key.startswith(f"{about}.")


def _guessed(manifest: TableManifest, about: str) -> Mapping[str, Any]:
    """Return the entries of `table.totals` or `table.markers` that are guesses: all of them, or those named."""
    entries: Mapping[str, Any] = getattr(manifest, about.removeprefix("table."))
    keys = manifest.unconfirmed
    return {name: entry for name, entry in entries.items() if about in keys or f"{about}.{name}" in keys}


def _open_markers(manifest: TableManifest) -> TableManifest:
    markers = dict(manifest.markers)
    for text, ends in _guessed(manifest, "table.markers").items():
        markers[text] = (said_range(text) or ends) if is_said(text, ends) else (0, UNBOUNDED)
    return replace(manifest, markers=markers)


def _sure_totals(manifest: TableManifest) -> TableManifest:
    guessed = _guessed(manifest, "table.totals")
    return replace(manifest, totals={name: label for name, label in manifest.totals.items() if name not in guessed})


def _widest_rounding(manifest: TableManifest) -> TableManifest:
    rounding = manifest.rounding
    if rounding is None or rounding.how == "midpoint":
        return manifest
    return replace(manifest, rounding=Rounding(rounding.to, "random"))


def _not_cumulative(manifest: TableManifest) -> TableManifest:
    return replace(manifest, over_time="independent") if manifest.over_time == "cumulative" else manifest


def _loose_nesting(manifest: TableManifest) -> TableManifest:
    names = frozenset(manifest.nested)
    return replace(manifest, loose=names, open=manifest.open | names)


_WEAKER: Mapping[str, Callable[[TableManifest], TableManifest]] = {
    "table.markers": _open_markers,
    "table.threshold": lambda manifest: replace(manifest, threshold=None),
    "table.rounding": _widest_rounding,
    "table.over_time": lambda manifest: replace(manifest, over_time="independent"),
    "table.totals": _sure_totals,
    "table.nested": lambda manifest: replace(
        manifest, loose=frozenset(manifest.nested), open=manifest.open | set(manifest.nested)
    ),
    "table.absent": lambda manifest: replace(manifest, absent_is_zero=False),
    "table.rates": lambda manifest: replace(manifest, rates=None),
    "series.releases": _not_cumulative,
    "policy.min_count": lambda manifest: manifest,
}
"""What is left of a manifest without a guess; a finding that needs any other key stands only with it."""


def is_said(text: str, ends: Ends) -> bool:
    """Return whether a marker itself says that it stands for no other counts than these."""
    said = said_range(text)
    return said is not None and said[0] <= ends[0] and ends[1] == said[1]


def _is_narrowest(text: str, ends: Ends) -> bool:
    """Return whether a marker is read as narrowly as it can be: "fewer than 5" may stand for 0 too, or not."""
    return is_said(text, ends) and (ends[0] > 0 or any(map(str.isdigit, text[:2])))


def surest_limits(manifest: TableManifest, limits: Mapping[str, int], given: Container[str]) -> dict[str, int]:
    """Return the policy, `min_count` the least there is where nobody gave it and a guess says it."""
    if "min_count" in given:
        return dict(limits)
    if "min_count" in manifest.policy:
        guessed = "policy.min_count" in manifest.unconfirmed
    elif manifest.threshold is not None:
        guessed = "table.threshold" in manifest.unconfirmed
    else:
        markers = _guessed(manifest, "table.markers").items()
        guessed = any(ends[1] < UNBOUNDED and not is_said(text, ends) for text, ends in markers)
    return {**limits, "min_count": 2} if guessed else dict(limits)
