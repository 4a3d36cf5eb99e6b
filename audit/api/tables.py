"""Tables from Python: data frames, and where they are kept while they are read."""

from __future__ import annotations

import os
import shutil
import weakref
from pathlib import Path
from tempfile import mkdtemp
from typing import Protocol, TypeAlias, runtime_checkable

from audit.model.errors import UsageError, printable


class TemporaryFolder:
    """A private folder that is deleted with this object, or when Python ends."""

    def __init__(self, prefix: str) -> None:
        self.path = Path(mkdtemp(prefix=prefix))
        weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)


@runtime_checkable
class Frame(Protocol):
    """A data frame: anything that hands itself over as Arrow does, as frames of pandas and polars do."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Return the frame as a stream of Arrow."""


Pair: TypeAlias = tuple[Frame, Frame]
"""The rows and the values of an Anatomy pair."""


def as_file(table: str | os.PathLike[str] | Frame, path: Path) -> str | os.PathLike[str]:
    """Return the file of a table; a data frame is written to a path.

    Raises:
        UsageError: it is neither a file nor a data frame.
    """
    if isinstance(table, str | os.PathLike):
        return table
    if not isinstance(table, Frame):
        raise UsageError(
            f"a {printable(type(table).__name__)} is no table; hand over a frame of pandas, polars or Arrow"
        )
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table(table).replace_schema_metadata(), path)
    return path
