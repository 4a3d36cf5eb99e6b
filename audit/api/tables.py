"""Tables from Python: data frames, and the temporary files that hold them."""

from __future__ import annotations

import os
import re
import shutil
import weakref
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Number
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, runtime_checkable

from audit.io.paths import as_path
from audit.model.errors import UsageError
from audit.runtime.phrases import printable

if TYPE_CHECKING:
    import pyarrow as pa

    from audit.io.manifest import SeriesManifest


@dataclass(frozen=True, eq=False, repr=False)
class Loaded:
    """A series, ready to be audited.

    Attributes:
        opened: what was read; do not change it.
    """

    opened: Any
    _files: object = None

    @property
    def _manifest(self) -> SeriesManifest[Any]:
        return getattr(self.opened, "manifest", self.opened)

    @property
    def name(self) -> str:
        """The series' name."""
        return self._manifest.name

    @property
    def folder(self) -> Path:
        """The series' folder, or its URL."""
        return self._manifest.folder

    @property
    def releases(self) -> tuple[str, ...]:
        """The releases' tags, in order of publication."""
        return self._manifest.tags

    def __repr__(self) -> str:
        many = "1 release" if len(self.releases) == 1 else f"{len(self.releases)} releases"
        return f"{type(self).__name__}({printable(self.name, 200)!r}, {many})"


class TemporaryFolder:
    """A private folder that is deleted with this object, or when Python ends."""

    def __init__(self, prefix: str) -> None:
        self.path = Path(mkdtemp(prefix=prefix))
        weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)


@runtime_checkable
class Frame(Protocol):
    """A data frame: any object with Arrow's C stream interface, such as frames of pandas and polars."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Return the frame as an Arrow C stream."""


Pair: TypeAlias = tuple[Frame, Frame]
"""The rows and the values of an Anatomy pair."""


Candidate: TypeAlias = "str | os.PathLike[str] | Frame"
"""A table: its file, or a data frame of pandas, polars or Arrow."""


def as_tables(tables: Candidate | Sequence[Candidate]) -> list[Candidate]:
    """Return one table, or several, as a list."""
    if isinstance(tables, str | os.PathLike | Frame) or not isinstance(tables, Sequence):
        return [tables]
    return [*tables]


def candidate_files(tables: Sequence[Candidate], names: Sequence[str], folder: Path) -> list[Path]:
    """Return the files of a candidate's tables; frames are written into a folder; the first name is the tag.

    Raises:
        UsageError: a table is neither a file nor a data frame, or the first name is not a tag.
    """
    checked_tag(names[0])
    return [as_path(as_file(each, folder / f"{name}.parquet")) for each, name in zip(tables, names, strict=False)]


def checked_tag(tag: str) -> str:
    """Return a tag after checking that it can be a file's name.

    Raises:
        UsageError: it cannot.
    """
    if not re.fullmatch(r"[\w][\w.-]*", str(tag)):
        raise UsageError(f"{printable(str(tag))}: a tag is letters, digits, and . _ - within; write another")
    return str(tag)


def as_file(table: Candidate, path: Path) -> str | os.PathLike[str]:
    """Return the file of a table; a data frame is first written to a path.

    Raises:
        UsageError: it is neither a file nor a data frame, or a column cannot be written.
    """
    if isinstance(table, str | os.PathLike):
        return table
    if not isinstance(table, Frame):
        raise UsageError(
            f"a {printable(type(table).__name__)} is not a table; pass a data frame of pandas, polars or Arrow"
        )
    import pyarrow.parquet as pq

    pq.write_table(_as_arrow(table).replace_schema_metadata(), path)
    return path


def _as_arrow(frame: Frame) -> pa.Table:
    """Return a frame as an Arrow table; a pandas column with numbers and text, such as 12 and "*", becomes text.

    Raises:
        UsageError: a column holds neither text nor numbers.
    """
    import pyarrow as pa

    try:
        return _without_views(pa.table(frame))
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError):
        pass
    import pandas as pd

    if not isinstance(frame, pd.DataFrame):
        raise UsageError(f"this {printable(type(frame).__name__)} cannot be read as Arrow; write its columns as text")
    mixed = [name for name in frame if pd.api.types.infer_dtype(frame[name], skipna=True).startswith("mixed")]
    wrong = [name for name in mixed if not frame[name].dropna().map(lambda cell: isinstance(cell, str | Number)).all()]
    if wrong:
        raise UsageError(
            f"column {printable(str(wrong[0]))} has cells that are neither text nor numbers; write them as text"
        )
    return pa.table(frame.assign(**{str(name): frame[name].map(str, na_action="ignore") for name in mixed}))


def _without_views(table: pa.Table) -> pa.Table:
    """Return a table without string views, which polars makes and older pyarrow cannot write to Parquet."""
    import pyarrow as pa

    for place, field in enumerate(table.schema):
        kind, column = field.type, table.column(place)
        if pa.types.is_dictionary(kind) and pa.types.is_string_view(kind.value_type):
            column = column.cast(pa.dictionary(pa.int32(), pa.large_string())).cast(pa.large_string())
        elif pa.types.is_string_view(kind):
            column = column.cast(pa.large_string())
        table = table.set_column(place, field.name, column)
    return table
