"""Doubts of an audit: what its verdict rests on and was not read, not judged, or only guessed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from audit.io.cell_reading import parse_value
from audit.io.cells import CellError, Kind
from audit.io.roles import columns_without_role, tied_texts
from audit.io.series import Series
from audit.io.several_rows import several_rows_doubts
from audit.io.toml import toml_key
from audit.io.unread_cells import unread_cells
from audit.model.doubt import Doubt
from audit.model.errors import printable
from audit.model.evidence import Evidence
from audit.runtime.phrases import joined, say, say_count
from audit.runtime.reasons import Reason, ReasonKind

_COLUMNS_SHOWN = 6
_INDIVIDUAL = "columns.individual"
_OF_PEOPLE = (_INDIVIDUAL, "adversary.register", "adversary.transitions", "adversary.known")
_ON_VALUES = frozenset({"max_risk", "max_ever_risk", "min_e"})
_RESTING = dict.fromkeys(_OF_PEOPLE, _ON_VALUES)
"""The clauses that rest on a key of the manifest; on any other one all of them do."""
_FEW_TIES = 3
_FEW_OF_ROWS = 20  # or one in so many rows, whichever is less


def gather_doubts(
    series: Series,
    *,
    register: bool = False,
    published: bool = False,
    reveal: bool = False,
) -> tuple[Doubt, ...]:
    """Return all doubts about a series that was attacked; each says what to declare or to correct.

    Args:
        series: the series.
        register: whether people were looked for by their exact values, so that findings rest on what cells cover.
        published: whether nothing but the files is known, so that each release is judged by itself.
        reveal: whether texts of the files are quoted.
    """
    unread = unread_cells(series, register=register, reveal=reveal)
    known = (*_guessed(series), *_without_role(series), *_tying(series, published=published), *_numbers(series))
    return (*known, *several_rows_doubts(series), *(() if published else _not_combined(series)), *unread)


def record_doubts(evidence: Sequence[Evidence]) -> Iterator[Doubt]:
    """Yield what record ids tell of people and is not judged."""
    reason, last = evidence[0].unfollowed, evidence[-1]
    if reason is not None:
        what = say(
            "record ids link the rows of people, who were not followed by them: {reason}; publish the releases without "
            "record ids",
            reason=reason,
        )
        yield Doubt(Reason(what, reason.kind), _ON_VALUES)
    if last.followed and last.kind != evidence[0].kind:
        what = say(
            "rows are left out of the keys, so that by record ids people may be several records, and who then has the "
            "same value is not judged; list all rows, with an empty individual for counterfeits"
        )
        yield Doubt(Reason(what, ReasonKind.UNFIT), frozenset({"min_e"}))


def _not_combined(series: Series) -> Iterator[Doubt]:
    """Yield that values which are known beforehand leave combinations of several attributes unjudged."""
    if series.manifest.known is not None and len(series.manifest.columns.sensitive) > 1:
        what = say(
            "combinations of several sensitive attributes are not judged where values are known beforehand; audit "
            "without `known` as well"
        )
        yield Doubt(Reason(what, ReasonKind.UNFIT), _ON_VALUES)


def _guessed(series: Series) -> Iterator[Doubt]:
    """Yield what the manifest guesses, for each set of clauses that rest on it."""
    resting: dict[frozenset[str] | None, list[str]] = {}
    for key in series.manifest.unconfirmed:
        resting.setdefault(_RESTING.get(key), []).append(key)
    for clauses, keys in resting.items():
        yield Doubt(_to_confirm(keys), clauses, guessed=True)
    if _INDIVIDUAL in series.manifest.unconfirmed:  # if it was published, it links the rows of a record
        yield Doubt(_to_confirm([_INDIVIDUAL]), frozenset({"k"}))


def _to_confirm(keys: Sequence[str]) -> Reason:
    what = say_count(
        "{keys} is a guess: check it and delete it under [unconfirmed], or let `audit init SERIES --confirm` ask",
        "{keys} are guesses: check them and delete them under [unconfirmed], or let `audit init SERIES --confirm` ask",
        len(keys),
        keys=joined([printable(key) for key in keys], _COLUMNS_SHOWN),
    )
    return Reason(what, ReasonKind.UNCONFIRMED)


def _without_role(series: Series) -> Iterator[Doubt]:
    """Yield that published columns are judged by nothing, as the manifest gives them no role."""
    found = columns_without_role(series.manifest)
    if "" in found:
        what = say("a published column has no name, and so no role: name it in the header")
        yield Doubt(Reason(what, ReasonKind.UNDECLARED))
    columns = [name for name in found if name]
    if columns:
        what = say_count(
            "the published column {columns} has no role: name it under quasi_identifiers, or write unlinkable = {{ {"
            'first} = "…" }} with the reason why no outsider can know it',
            "{count} published columns have no role: {columns}; name each under quasi_identifiers, or write "
            'unlinkable = {{ {first} = "…" }} with the reason why no outsider can know it',
            len(columns),
            columns=joined([f'"{printable(name)}"' for name in columns], _COLUMNS_SHOWN),
            first=toml_key(printable(columns[0])),
        )
        yield Doubt(Reason(what, ReasonKind.UNCONFIRMED))


def _numbers(series: Series) -> Iterator[Doubt]:
    """Yield that sensitive values are numbers, and nothing says whether close ones tell as much as equal ones."""
    columns = series.manifest.columns
    for name in columns.sensitive:
        missing = series.missing(name)
        known = [text for text in series.vocabularies[name].names if text.strip("*") and text not in missing]
        if name not in columns.types and known and all(map(_is_number, known)):
            what = say(
                'the values of "{column}" are numbers, of which only equal ones are judged, and to know one nearly '
                'may be to know enough: accept that by types = {{ {key} = "numeric" }}, or write "categorical" if '
                "they are codes",
                column=printable(name),
                key=toml_key(printable(name)),
            )
            yield Doubt(Reason(what, ReasonKind.UNDECLARED), _ON_VALUES)


def _is_number(text: str) -> bool:
    try:
        return parse_value(text, Kind.NUMERIC) is not None
    except CellError:
        return False


def _tying(series: Series, *, published: bool) -> Iterator[Doubt]:
    """Yield that texts tie rows of several releases, though no outsider can know them, or nobody looks for people."""
    if published and len(series.tags) > 1 and series.manifest.columns.record is None:
        yield from _tying_values(series)
    for column in series.manifest.columns.unlinkable if len(series.tags) > 1 else ():
        tied, rows = tied_texts(series.manifest, column)
        if tied > min(_FEW_TIES, rows // _FEW_OF_ROWS):
            what = say_count(
                '{count} text of the unlinkable column "{column}" stands once in each of two releases, and so ties '
                "their rows: declare the column as record or among quasi_identifiers, or publish it without that text",
                '{count} texts of the unlinkable column "{column}" stand once in each of two releases, and so tie '
                "their rows: declare the column as record or among quasi_identifiers, or publish it without them",
                tied,
                column=printable(column),
            )
            yield Doubt(Reason(what, ReasonKind.UNDECLARED))


def _tying_values(series: Series) -> Iterator[Doubt]:
    """Yield that sensitive values which stand once tie the rows of several releases, which are judged one by one."""
    for column in series.manifest.columns.sensitive:
        tied, rows = tied_texts(series.manifest, column)
        if tied > max(_FEW_TIES, rows // _FEW_OF_ROWS):
            what = say(
                '{count} values of "{column}" stand once in each of two releases, and so tie their rows, but each '
                "release was judged by itself: publish coarser values, or let the series say whose rows they are "
                "([columns] individual or record)",
                count=tied,
                column=printable(column),
            )
            yield Doubt(Reason(what, ReasonKind.UNDECLARED))
