"""What differs between the releases in columns that all of them have, and rows that stand where a header should."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from audit.init.columns import MARKERS, Column, read_columns
from audit.init.found_files import QUASI, FoundFiles
from audit.io.cell_reading import infer_kind
from audit.io.cells import Kind
from audit.io.respelling import fold
from audit.io.toml import toml_key
from audit.model.errors import InputError, Problem, printable

_MOST_VALUES = 30
_ROWS_PER_VALUE = 3
_SHOWN = 4


def check_header(found: FoundFiles) -> None:
    """Refuse releases whose first line is a row like those below it.

    Raises:
        InputError: it is one.
    """
    first = found.releases[0]
    columns = read_columns([(first.rows, first.shown)])
    inside = sum(column.name in column.texts for column in columns.values())
    if inside and 2 * inside >= len(columns):
        what = "this line looks like a row of the table: most of its cells stand in the columns below as well"
        remedy = "write a line with the names of the columns above it, in all releases"
        raise InputError([Problem(first.shown, what, remedy, line=1)])


def differences(found: FoundFiles) -> Iterator[str]:
    """Yield sentences about columns that are written otherwise in some releases than in the others."""
    tags = found.tags
    if len(tags) < 2:
        return
    for column in (*found.with_role(QUASI), found.sensitive):
        by_release = [_of_release(column, place) for place in range(len(tags))]
        forms: dict[str, list[str]] = {}
        for tag, own in zip(tags, by_release, strict=True):
            forms.setdefault(own.form or "exact", []).append(tag)
        if len(forms) > 1 and column.name not in found.labels:
            listed = "; ".join(f"{form} in {_listed(own)}" for form, own in forms.items())
            yield f'The cells of "{column.name}" differ between releases: {listed}. They are read as they are.'
        elif set(forms) == {"exact"}:
            yield from _other_values(column, by_release, tags)


def _other_values(column: Column, by_release: list[Column], tags: list[str]) -> Iterator[str]:
    """Yield a sentence for each release that shares no value with any other one, where values are few."""
    texts = [{fold(text) for text in own.some} - {fold(mark) for mark in MARKERS} for own in by_release]
    if column.are_dates or not all(texts) or infer_kind(column.some, None, MARKERS) is Kind.NUMERIC:
        return
    for place, own in enumerate(texts):
        others = set().union(*texts[:place], *texts[place + 1 :])
        few = len(own) <= _MOST_VALUES and len(by_release[place].codes) >= _ROWS_PER_VALUE * len(own)
        if few and not own & others and (place or len(tags) > 2):
            there = next(other for other in range(len(tags)) if other != place)
            yield (
                f'"{column.name}" has other values in {tags[place]} ({_quoted(by_release[place])}) than in all other '
                f"releases (in {tags[there]} {_quoted(by_release[there])}), so that nobody's value seems to stay. If "
                "they mean the same, list them in crosswalk.csv (columns release,from,to) and write "
                f'crosswalk = {{ {toml_key(column.name)} = "crosswalk.csv" }} under [columns].'
            )


def _of_release(column: Column, place: int) -> Column:
    """Return a column's rows of one release."""
    here = column.release == place
    used, codes = np.unique(column.codes[here], return_inverse=True)
    texts = [column.texts[code] for code in used.tolist()]
    return replace(column, texts=texts, codes=codes.astype(np.int32), release=np.zeros(len(codes), dtype=np.int32))


def _listed(tags: list[str]) -> str:
    return ", ".join(tags[:_SHOWN]) + (", …" if len(tags) > _SHOWN else "")


def _quoted(column: Column) -> str:
    texts = column.some
    return ", ".join(f'"{printable(text)}"' for text in texts[:_SHOWN]) + (", …" if len(texts) > _SHOWN else "")
