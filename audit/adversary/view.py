"""A view: evidence of a series, beside what only those may look at who name, check and score what attacks find."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from types import SimpleNamespace
from typing import Any, TypeVar

from audit.adversary.key import Key
from audit.adversary.known_groups import KnownGroupsSource
from audit.adversary.record_linkage import FollowedRecords
from audit.model.evidence import Evidence, PoolSource, PublishedSource, RecordSource, RowSource

T = TypeVar("T")


@dataclass(frozen=True)
class View(Evidence):
    """A series as one adversary sees it, with its sources as they are, and the publisher's key.

    Attributes:
        source: where the pools come from; it has the series.
        records: where the rows of records come from.
        key: who has which value.
    """

    source: KnownGroupsSource
    records: FollowedRecords | None = None
    key: Key = field(kw_only=True)

    def name(self, person: int) -> str:
        """Return the identifier of a person."""
        return self.source.series.people.name(person)


def handed(seen: Evidence) -> Evidence:
    """Return what an attack is handed: evidence without a key, whose sources have what evidence asks of them alone."""
    return replace(
        Evidence(**{each.name: getattr(seen, each.name) for each in fields(Evidence)}),
        source=_only(seen.source, PoolSource),
        records=None if seen.records is None else _only(seen.records, RecordSource),
        published=None if seen.published is None else _only(seen.published, PublishedSource),
        rows_of=None if seen.rows_of is None else _only(seen.rows_of, RowSource),
    )


def _only(source: T, protocol: type) -> T:
    """Return what a protocol names of a source."""
    names = (name for name in vars(protocol) if not name.startswith("_"))
    found: Any = SimpleNamespace(**{name: getattr(source, name) for name in names})
    narrow: T = found
    return narrow
