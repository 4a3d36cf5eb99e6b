"""The distinct texts of the quasi-identifiers, noted while releases are read, with the release where each is first."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from audit.io.tables import Table


@dataclass
class CellTexts:
    """The distinct texts of some columns.

    Attributes:
        first: by column and text, the release, counted from 0, in which it was met first.
    """

    first: dict[str, dict[str, int]] = field(default_factory=dict)
    _noted: set[tuple[int, str]] = field(default_factory=set)

    def note(self, position: int, table: Table, columns: Iterable[str]) -> None:
        """Note the texts of some columns of a release; each column of a release is looked at once."""
        for name in columns:
            if (position, name) not in self._noted:
                first = self.first.setdefault(name, {})
                for text in _texts(table, name):
                    first.setdefault(text, position)
                self._noted.add((position, name))

    def lacks(self, position: int, columns: Iterable[str]) -> list[str]:
        """Return those of some columns of a release that were not noted."""
        return [name for name in columns if (position, name) not in self._noted]


def _texts(table: Table, name: str) -> Iterable[str]:
    """Return the distinct texts of a column; of whole numbers the first one, as the others look like it."""
    if table.is_whole(name) and table.rows and not table.arrow(name).null_count:
        return [str(table.arrow(name)[0].as_py())]
    return table.distinct(name)
