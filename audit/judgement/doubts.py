"""Doubts of an audit: what its verdict rests on and was not read, not judged, or only guessed."""

from __future__ import annotations

from collections.abc import Iterator

from audit.io.roles import columns_without_role, tied_texts
from audit.io.series import Series
from audit.io.toml import toml_key
from audit.model.doubt import Doubt
from audit.model.errors import printable
from audit.runtime.phrases import joined, say, say_count
from audit.runtime.reasons import Reason, ReasonKind

_COLUMNS_SHOWN = 6
_FEW_TIES = 3
_FEW_OF_ROWS = 20  # or one in so many rows, whichever is less


def gather_doubts(series: Series) -> tuple[Doubt, ...]:
    """Return all doubts about a series that was attacked; each says what to declare or to correct."""
    return (*_without_role(series), *_tying(series))


def _without_role(series: Series) -> Iterator[Doubt]:
    """Yield that published columns are judged by nothing, as the manifest gives them no role."""
    found = columns_without_role(series.manifest)
    if "" in found:
        what = say("a published column has no name, and so no role: name it in the header")
        yield Doubt(Reason(what, ReasonKind.NEEDS))
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
        yield Doubt(Reason(what, ReasonKind.NEEDS))


def _tying(series: Series) -> Iterator[Doubt]:
    """Yield that texts which no outsider can know tie rows of several releases all the same."""
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
            yield Doubt(Reason(what, ReasonKind.NEEDS))
