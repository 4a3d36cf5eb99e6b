"""Releases read by themselves and split by ranges of people: tasks for engines whose workers share nothing.

A release is read where its file can be had best. It comes with numbers of its own for whoever has no number for a name
(see `IdentifierEncoder`) and for the values; what they are in the whole series is known once all releases have called
their names (`ReleaseNames`). Then what an adversary sees of the release is put together as it is elsewhere, and split:
a *part* is what is seen of the people in a range of codes. All parts of one range are evidence like any other, for
attacks that look at one person at a time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from audit.adversary.constant_values import FirstValues
from audit.adversary.held_series import HeldSeries, LoadedRelease, loaded
from audit.adversary.key import SeriesKey
from audit.adversary.known_groups import KnownGroupsSource
from audit.adversary.register import source_of
from audit.adversary.row_classes import by_class
from audit.io.attributes import QuasiIdentifier
from audit.io.background_knowledge import Known, Register
from audit.io.encoding import IdentifierEncoder, Vocabulary
from audit.io.manifest import Manifest
from audit.io.releases import Release
from audit.io.rules.cell_meaning import ColumnTypes
from audit.io.serial_numbers import SerialNumbers
from audit.io.series import Series
from audit.model.adversary import ADVERSARIES, AdversaryKind
from audit.model.arrays import Codes, Flags
from audit.model.evidence import CandidateGroups, CandidatePools, Members, ValueCounts

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class ReadContext:
    """What a worker has to know of a series to read a release of it.

    Attributes:
        manifest: the series' manifest, as `settled` returns it. kind: the adversary. direct: which identifiers are
        their own codes, as `IdentifierEncoder.direct` tells; None where the first release decides. rows: about how many
        rows the releases have together.
    """

    manifest: Manifest
    kind: AdversaryKind
    direct: SerialNumbers | None
    rows: int


@dataclass(frozen=True)
class ReleaseNames:
    """What a release, or a whole series, calls its people and values.

    Attributes:
        direct: which identifiers are their own codes.
        largest: the largest of them.
        others: the identifiers that have other codes, in the order of these; Arrow text.
        values: the values of each sensitive attribute, in the order of their codes.
    """

    direct: SerialNumbers
    largest: int
    others: pa.Array
    values: dict[str, Sequence[str]]


@dataclass(frozen=True)
class StandaloneRelease:
    """A release that was read by itself, with numbers of its own."""

    read: LoadedRelease
    attributes: dict[str, QuasiIdentifier]
    names: ReleaseNames


@dataclass(frozen=True)
class Numbers:
    """What the numbers of one release are in the whole series.

    Attributes:
        others: the code of each of `ReleaseNames.others`; shape (others,), int32.
        values: the code of each value, by sensitive attribute; shape (values,), int32.
    """

    others: Codes
    values: dict[str, Codes]


@dataclass(frozen=True)
class EvidenceContext:
    """What puts together how an adversary sees the releases; the same for all of them.

    Attributes:
        people: everybody, without names.
        listed: for each sensitive attribute, of which values the transitions tell; None without transitions.
        constant: for each, whether values never change.
        values: the sensitive values by code.
        known: the values known beforehand.
        register: the register, where the adversary has one.
        bounds: where the ranges of people begin and end, ascending codes.
    """

    people: IdentifierEncoder
    listed: dict[str, Flags | None]
    constant: dict[str, bool]
    values: dict[str, Sequence[str]]
    known: dict[str, Known | None]
    register: Register | None
    bounds: tuple[int, ...]


@dataclass(frozen=True)
class PartitionSlice:
    """What is seen of a range of people in one release, and what is true of them; people count from the range's first.

    `truth` has the value of each person of the pools, -1 where it is not known; None without a key.
    """

    pools: CandidatePools
    truth: Codes | None


def read_standalone(sight: ReadContext, position: int) -> StandaloneRelease:
    """Read a release.

    Raises:
        InputError: it cannot be read; the problems of all other releases are told as well.
    """
    series = Series.of(sight.manifest)
    series.people = IdentifierEncoder(sight.direct)
    covered = ADVERSARIES[sight.kind].has_register
    release = series.read(position, sight.manifest.columns.quasi_identifiers if covered else (), row_classes=True)
    attributes = series.attributes if covered else {}
    read = loaded(release, None, attributes if covered else None, row_classes=True, keep_cells=False)
    values: dict[str, Sequence[str]] = {name: vocabulary.names for name, vocabulary in series.vocabularies.items()}
    names = ReleaseNames(series.people.direct or SerialNumbers(), series.people.largest, series.people.others, values)
    return StandaloneRelease(read, attributes, names)


def names_of(alone: StandaloneRelease) -> ReleaseNames:
    """Return what a release calls its people and values."""
    return alone.names


def numbered(alone: StandaloneRelease, numbers: Numbers) -> LoadedRelease:
    """Return a release with the numbers that the whole series has."""
    read, release, person = alone.read, alone.read.release, alone.read.release.person
    if person is not None and len(numbers.others):
        own = person >= alone.names.direct.limit
        person = person.copy()
        person[own] = numbers.others[person[own] - alone.names.direct.limit]
    values = {name: numbers.values[name][codes] for name, codes in release.entry_value.items()}
    release = replace(release, person=person, entry_value=values)
    return read._replace(release=release, seen=by_class(release, read.classes))


def split(
    sources: Sequence[KnownGroupsSource], position: int, bounds: Sequence[int]
) -> tuple[tuple[PartitionSlice, ...], ...]:
    """Return the parts of a release: for each sensitive attribute, by its source, one for each range.

    Raises:
        InputError: the release contradicts what the adversary knows.
    """
    return tuple(
        tuple(_parts(source.pools(position), SeriesKey(source).of_versions(position), bounds)) for source in sources
    )


def sources_of(
    sight: ReadContext, position: int, alone: StandaloneRelease, numbers: Numbers, lens: EvidenceContext
) -> tuple[Release, list[KnownGroupsSource]]:
    """Return a release with the series' numbers, and for each sensitive attribute how it is seen."""
    read = numbered(alone, numbers)
    series = Series(sight.manifest, lens.people, {name: Vocabulary(values) for name, values in lens.values.items()})
    series.attributes, series.about_rows = alone.attributes, sight.rows
    releases = HeldSeries(series, sight.kind, lens.register, loaded={position: read})
    sources: list[KnownGroupsSource] = []
    for sensitive, listed in lens.listed.items():
        sources.append(source_of(releases, sensitive, listed))
        sources[-1].known = lens.known[sensitive]
        sources[-1].constant = lens.constant[sensitive]
    return read.release, sources


def _parts(pools: CandidatePools, truth: Codes | None, bounds: Sequence[int]) -> Iterator[PartitionSlice]:
    """Yield the parts of a release's pools for the ranges between bounds."""
    # There are few ranges, and numpy sorts numbers of 16 bits by counting.
    place = (np.searchsorted(np.array(bounds), pools.person, side="right") - 1).astype(np.uint16)
    order = np.argsort(place, kind="stable")
    ends = np.searchsorted(place[order], np.arange(len(bounds)))
    for here, (first, last) in enumerate(pairwise(bounds)):
        rows = order[ends[here] : ends[here + 1]]
        yield PartitionSlice(_some(pools, rows, first, last), None if truth is None else truth[rows])


def _some(pools: CandidatePools, rows: npt.NDArray[np.intp], first: int, last: int) -> CandidatePools:
    """Return what pools say of the people of some rows, whose codes are from `first` and below `last`."""
    pool = pools.pool[rows]
    used = np.zeros(pools.n_pools, dtype=np.bool_)
    used[pool] = True
    number = np.cumsum(used, dtype=np.int32) - np.int32(1)
    contents = pools.contents
    if isinstance(contents, ValueCounts):
        kept = np.flatnonzero(used[contents.bag])
        count = None if contents.rows is None else contents.rows[kept]
        contents = ValueCounts(number[contents.bag[kept]], contents.value[kept], count)
    else:
        contents = contents[used]
    return CandidatePools(
        person=pools.person[rows] - np.int32(first),
        pool=number[pool],
        n_pools=int(used.sum()),
        contents=contents,
        counted=None if pools.counted is None else pools.counted[rows],
        fixed=None if pools.fixed is None else pools.fixed[rows],
        people=last - first,
        values=pools.values,
    )


class PartSource:
    """The parts of one range of people, one for each release, as where evidence comes from."""

    def __init__(self, parts: Sequence[PartitionSlice]) -> None:
        self._parts = parts

    def pools(self, release: int) -> CandidatePools:
        """Return the pools of a release, counted from 0."""
        return self._parts[release].pools

    def pools_of(self, release: int, people: Codes) -> CandidatePools:
        """Return the pools of a release."""
        return self.pools(release)

    def groups(self, release: int, people: Codes) -> list[tuple[str, ...]]:
        """Names stay with the release."""
        raise AssertionError("parts have no names of groups")

    def group_names(self, release: int, groups: Codes) -> list[str]:
        """Names stay with the release."""
        raise AssertionError("parts have no names of groups")

    def members(self, release: int) -> Members:
        """Who reasons about everybody at once has no use for parts."""
        raise AssertionError("parts are seen one person at a time")

    def hosts(self, release: int) -> CandidateGroups:
        """Who reasons about everybody at once has no use for parts."""
        raise AssertionError("parts are seen one person at a time")


class PartKey:
    """The key of the people of one range."""

    def __init__(self, parts: Sequence[PartitionSlice]) -> None:
        self._parts = parts

    def of_versions(self, release: int) -> Codes | None:
        """Return the true values of the people of a release's pools, -1 where unknown; None without a key."""
        return self._parts[release].truth

    def of_people(self) -> Codes | None:
        """Return everybody's first true value by person code, -1 where unknown."""
        return self._constant[0]

    def changed(self) -> Flags:
        """Return by person code whose value is another one later on."""
        return self._constant[1]

    @cached_property
    def _constant(self) -> tuple[Codes | None, Flags]:
        first = FirstValues()
        for part in self._parts:
            first.note(part.pools.person, part.truth, part.pools.people)
        return first.result()


def settled(series: Series, kind: AdversaryKind) -> Manifest:
    """Return a series' manifest with the types told that its releases' cells have, where an adversary looks at cells.

    Raises:
        InputError: a release cannot be read.
    """
    columns = series.manifest.columns
    if not ADVERSARIES[kind].has_register and columns.group is not None:
        return series.manifest
    types = {name: attribute.kind.value for name, attribute in series.attributes.items() if attribute.hierarchy is None}
    rules = columns.rules.replaced(ColumnTypes({**types, **columns.rules[ColumnTypes].kinds}))
    return replace(series.manifest, columns=replace(columns, rules=rules))
