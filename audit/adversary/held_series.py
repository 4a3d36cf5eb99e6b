"""Held series: all releases as integer columns, read once, and the publisher's key beside them.

What an adversary sees of a release (`SeenRelease`) contains only the part of the key that the adversary knows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from audit.io import manifest as manifests
from audit.io.background_knowledge import Register
from audit.io.release_reading import ReleaseReading, begin, finish
from audit.io.releases import IdentifierEncoder, KeyedRelease, Release, RowClasses, Vocabulary
from audit.io.rules.rows_and_values import EPISODES, SeveralRows
from audit.io.series import Series
from audit.io.tables import Coded, NamesOnDemand
from audit.model.adversary import ADVERSARIES, Adversary, AdversaryKind
from audit.model.arrays import UNKNOWN, Codes, Counts, Flags, Places, combine, distinct, numbered, ragged
from audit.model.errors import UsageError
from audit.model.evidence import ValueCounts, claimed_part
from audit.runtime.budget import Budget
from audit.runtime.memory import memory_bytes

# -- records and people that fit --------------------------------------------------------------------------------------


MOST_PAIRS = 20_000_000
"""The most listed pairs of a person and a class of records."""
ABSENT = -1


class TooManyRecordsError(Exception):
    """People may be too many records to list them all."""


@dataclass(frozen=True)
class Fitting:
    """The matches in one release.

    Attributes:
        label, group: pairs of a label of people, such as an exact point, and a row class that fits the label; ascending
            by label; shape (pairs,), int32.
        anywhere: whether a person who is not known to be in the release may still be in any of its row classes.
    """

    label: Codes
    group: Codes
    anywhere: bool = False


def kinds_of_rows(table: Codes) -> tuple[Places, Codes]:
    """Return a row of each distinct row of a table, and the index of each row among these; the least code is -1."""
    columns = [(codes + 1, int(codes.max(initial=-1)) + 2) for codes in table.T]
    return distinct(*combine(columns, len(table)))


def fitting_pairs(people: Codes, records: Codes, fitting: Sequence[Fitting]) -> tuple[Codes, Codes]:
    """Return which kinds of records fit which kinds of people in all releases, as pairs of indices, in order.

    Release by release, pairs of earlier prefixes are extended to pairs in that release.

    Args:
        people: the label of each kind of people in each release, -1 if not known to be there; shape (kinds, releases).
        records: the row class of each kind of records in each release, -1 without a row; shape (kinds, releases).
        fitting: which row classes fit which labels, by release.

    Raises:
        TooManyRecordsError: there are too many pairs.
    """
    person = record = np.zeros(1, dtype=np.int64)  # the pairs so far: of prefixes of people and of records
    before = np.zeros(len(people), dtype=np.int64), np.zeros(len(records), dtype=np.int64)
    for release, fits in enumerate(fitting):
        mine, of_mine = _children(before[0], people[:, release])
        theirs, of_theirs = _children(before[1], records[:, release])
        pair, child = _expanded(person, mine[0])
        label = mine[1][child]
        absent = label == ABSENT
        found = [_absent(record[pair[absent]], child[absent], theirs, anywhere=fits.anywhere)]
        found.append(_present(record[pair[~absent]], child[~absent], label[~absent], theirs, fits))
        person, record = (np.concatenate(column) for column in zip(*found, strict=True))
        before = of_mine, of_theirs
    # The last prefixes are the kinds themselves, in the order of their codes.
    kind, other = numbered(before[0], len(people))[person], numbered(before[1], len(records))[record]
    order = np.lexsort((other, kind))
    return kind[order], other[order]


def _children(prefix: Counts, label: Codes) -> tuple[tuple[Counts, Codes], Counts]:
    """Return the distinct pairs of a prefix and a label, ascending, and the index of each row's pair."""
    size = int(label.max(initial=-1)) + 2
    keys, of = np.unique(prefix * size + label + 1, return_inverse=True)
    return (keys // size, (keys % size - 1).astype(np.int32)), of.astype(np.int64)


def _expanded(parent: Counts, of_child: Counts) -> tuple[Counts, Counts]:
    """Return each child of each entry of `parent`: the index of the entry, and the child."""
    first, last = np.searchsorted(of_child, [parent, parent + 1])
    return _ranges(first, last)


def _ranges(first: Counts, last: Counts) -> tuple[Counts, Counts]:
    size = last - first
    if size.sum() > MOST_PAIRS:
        raise TooManyRecordsError
    return np.repeat(np.arange(len(size)), size), ragged(first, size)


def _absent(record: Counts, child: Counts, theirs: tuple[Counts, Codes], *, anywhere: bool) -> tuple[Counts, Counts]:
    """Return the pairs for people who are not known to be in the release."""
    place, other = _expanded(record, theirs[0])
    kept = np.full(len(other), anywhere) | (theirs[1][other] == ABSENT)
    return child[place[kept]], other[kept]


def _present(
    record: Counts, child: Counts, label: Codes, theirs: tuple[Counts, Codes], fits: Fitting
) -> tuple[Counts, Counts]:
    """Return the pairs for people who are in the release: with the records in a row class that fits."""
    place, at = _ranges(np.searchsorted(fits.label, label), np.searchsorted(fits.label, label, side="right"))
    size = int(max(theirs[1].max(initial=-1), fits.group.max(initial=-1))) + 2
    known = theirs[0] * size + theirs[1] + 1
    wanted = record[place] * size + fits.group[at] + 1
    other = np.minimum(np.searchsorted(known, wanted), len(known) - 1)
    kept = known[other] == wanted
    return child[place[kept]], other[kept]


# -- releases ---------------------------------------------------------------------------------------------------------


_BETWEEN = " + "


class CombinedVocabulary:
    """The published combinations, numbered in the order of their first occurrence.

    Attributes:
        attributes: the sensitive attributes.
        name: their common name, which differs from each of theirs.
    """

    def __init__(self, vocabularies: dict[str, Vocabulary]) -> None:
        self.attributes = tuple(vocabularies)
        self.name = _BETWEEN.join(self.attributes)
        while self.name in vocabularies:
            self.name += _BETWEEN
        self._vocabularies = tuple(vocabularies.values())
        self._codes: dict[tuple[int, ...], int] = {}
        self._parts = np.zeros((0, len(vocabularies)), dtype=np.int32)
        self.names = NamesOnDemand(self.__len__, self.text)

    def __len__(self) -> int:
        """Return the number of known combinations."""
        return len(self._codes)

    def add(self, release: Release) -> Codes:
        """Return the combination of each entry of a release, and number new ones; shape (entries,), int32."""
        columns = [release.entry_value[name] for name in self.attributes]
        sizes = map(len, self._vocabularies)
        rows, place = distinct(*combine(list(zip(columns, sizes, strict=True)), len(columns[0])))
        found = np.stack([column[rows] for column in columns], axis=1)
        # In the order of the file.
        first = np.full(len(rows), len(place), dtype=np.int64)
        np.minimum.at(first, place, np.arange(len(place)))
        codes = np.zeros(len(rows), dtype=np.int32)
        for at in np.argsort(first).tolist():
            codes[at] = self._codes.setdefault(tuple(found[at].tolist()), len(self._codes))
        return codes[place]

    def code(self, parts: tuple[int, ...]) -> int:
        """Return the code of a combination, given the codes of its values.

        Raises:
            KeyError: it is not published.
        """
        return self._codes[parts]

    def parts(self) -> Codes:
        """Return the value codes of each combination, one for each attribute; shape (combinations, attributes)."""
        if len(self._parts) < len(self._codes):
            self._parts = np.array(list(self._codes), dtype=np.int32).reshape(-1, len(self.attributes))
        return self._parts

    def text(self, code: int) -> str:
        """Return a combination, or the value of one attribute in a claim (see `claimed_part`), as text."""
        if code < 0:
            attribute, value = claimed_part(code, len(self.attributes))
            return self._vocabularies[attribute].names[value]
        parts = self.parts()[code].tolist()
        return _BETWEEN.join(each.names[part] for each, part in zip(self._vocabularies, parts, strict=True))


@dataclass(frozen=True)
class PlacedPeople:
    """The people in a release.

    Attributes:
        person: their codes, ascending, -1 for each row of an unknown person; shape (rows,), int32.
        row_class, pool: the class and the pool of each; shape (rows,), int32.
        unnamed: the number of entries -1, which come first.
        strangers: whether a pool has rows of unnamed people; shape (pools,), bool.
    """

    person: Codes
    row_class: Codes
    pool: Codes
    unnamed: int
    strangers: Flags

    @classmethod
    def of(cls, keyed: KeyedRelease, classes: RowClasses, pool: Coded) -> PlacedPeople | None:
        """Return the people of a release by class; None without a key."""
        if keyed.person is None:
            return None
        row_class = classes.row.codes
        nameless = np.sort(row_class[keyed.person < 0])
        at = np.full(int(keyed.person.max(initial=UNKNOWN)) + 2, UNKNOWN, dtype=np.int32)  # the last entry is for -1
        at[keyed.person] = row_class
        person = np.flatnonzero(at[:-1] >= 0).astype(np.int32)
        strangers = np.zeros(pool.size, dtype=np.bool_)
        if keyed.strangers is not None:
            strangers[pool.codes[keyed.strangers]] = True
        unknown = np.full(len(nameless), UNKNOWN, dtype=np.int32)
        row_class = np.append(nameless, at[person])
        own = row_class if pool is classes.row else classes.group[row_class]
        return cls(np.append(unknown, person), row_class, own, len(nameless), strangers)


@dataclass(frozen=True)
class SeenRelease:
    """A release as an adversary sees it, with only the part of the publisher's key that the adversary knows.

    All releases have the same form. Rows are in *classes* (the rows of a published group with equal cells), and classes
    take their values from *pools*: in a plain table each class has its own pool, in an Anatomy pair the classes of a
    published group share one. An adversary who knows people's groups knows the class of each person, not the row. So
    people are in the order of their codes here, not in that of any rows: no two columns of equal length show which
    person has which value of a class.

    Attributes:
        release: the published release; with cells only if records are followed, or if rows of one group differ in them;
            with the combinations of its values, if there are several sensitive attributes.
        classes: its row classes.
        pool: the pool of each row.
        cells: the cells of each class, if there is a register; shape (classes, attributes).
        record: the record of each row, by codes common to all releases, if records are followed; shape (rows,).
        people: the people of each class; None if the adversary does not know them.
        fakes: the number of counterfeits in each pool by the key; None without a key.
        real: which rows of records are not counterfeits by the key; None if the key shows none.
        judged: which rows of records may belong to people not known to be there; None for all.
    """

    release: Release
    classes: RowClasses
    pool: Coded
    cells: Codes | None
    record: Codes | None
    people: PlacedPeople | None
    fakes: Counts | None
    real: Flags | None
    judged: Flags | None

    @property
    def pool_group(self) -> Codes:
        """The published group of each pool, ascending; shape (pools,), int32."""
        size = np.arange(self.release.group.size, dtype=np.int32)
        return self.classes.group if self.release.values_by_row else size

    @property
    def class_pool(self) -> Codes:
        """The pool of each class, ascending; shape (classes,), int32."""
        own = np.arange(len(self.classes.group), dtype=np.int32)
        return own if self.release.values_by_row else self.classes.group

    @property
    def pools_by_looks(self) -> Places:
        """The pools in the order of their groups and, within a group, of the numbers of equal cells; shape (pools,)."""
        if not self.release.values_by_row:
            return np.arange(self.pool.size)
        return np.lexsort((self.classes.looks, self.pool_group))

    def entries(self, sensitive: str) -> ValueCounts:
        """Return the contents of the pools for an attribute."""
        release = self.release
        pool = self.pool.codes if release.values_by_row else release.entry_group
        return ValueCounts(pool, release.entry_value[sensitive], release.entry_count)

    def rows(self, of_row: Coded) -> Counts:
        """Return the number of people, with counterfeits, of the rows of each group, class or pool; shape (groups,)."""
        return np.bincount(of_row.codes, weights=self.release.counts, minlength=of_row.size).astype(np.int64)

    @property
    def capacity(self) -> Counts:
        """The most people in each published group: its rows less its published counterfeits; shape (groups,)."""
        return self.rows(self.release.group) - self.release.group_counterfeits

    @property
    def counterfeits(self) -> Counts:
        """The number of counterfeits in each published group: by the key, otherwise as published; shape (groups,)."""
        size = self.release.group.size
        if self.fakes is not None:
            return np.bincount(self.pool_group, weights=self.fakes, minlength=size).astype(np.int64)
        return self.rows(self.release.group) - self.capacity

    def row_members(self) -> Codes | None:
        """Return, for each row, the index of a person of its class, a different one for each row; None if unknown."""
        if self.people is None:
            return None
        place = np.empty(self.release.rows, dtype=np.int32)
        place[np.argsort(self.classes.row.codes, kind="stable")] = np.argsort(self.people.row_class, kind="stable")
        return place


def record_of(read: SeenRelease) -> Codes:
    """Return the record of each row of a release; shape (rows,), int32."""
    if read.record is None:
        raise AssertionError("this series was read without records")
    return read.record


_GB = 1e9
_ROW = 44  # bytes that each row takes at the peak, besides its columns: 37 were measured on 42 million rows


class HeldSeries:
    """All releases of a series, for those who check, name and score what attacks find.

    `records` means that records are followed: their ids and all cells are then read.

    Attributes:
        keyed: the releases with the publisher's key.
        seen: the releases as the adversary sees them.
        names: the record ids by code.
        combined: numbers the combinations of values, if there are several sensitive attributes and no value is known
            beforehand; otherwise None.

    Raises:
        InputError: a release cannot be read.
    """

    def __init__(
        self,
        series: Series,
        kind: AdversaryKind,
        register: Register | None,
        readings: list[ReleaseReading],
        *,
        records: bool,
    ) -> None:
        self.series, self.register, self.records = series, register, records
        self.adversary = adversary = ADVERSARIES[kind]
        self.names = IdentifierEncoder()
        several = len(series.vocabularies) > 1 and adversary.knows_people and series.manifest.known is None
        self.combined = CombinedVocabulary(series.vocabularies) if several else None
        loaded = [self._load(read) for read in finish(series, readings)]
        self.keyed = tuple(keyed for keyed, _ in loaded)
        self.seen = tuple(seen for _, seen in loaded)
        # Where values change, nobody's record is followed by attacks on people: all records are judged.
        if adversary.knows_groups and records and not series.manifest.values_change:
            judged = self._records_of_strangers()
            self.seen = tuple(replace(seen, judged=rows) for seen, rows in zip(self.seen, judged, strict=True))

    def __len__(self) -> int:
        """Return the number of releases."""
        return len(self.seen)

    @cached_property
    def ids_link(self) -> bool:
        """Whether record ids link rows: some of them are in several releases, unless there is only one."""
        several = sum(len(np.unique(record_of(seen))) for seen in self.seen if self.records)
        return self.records and (several > self.names.size or len(self) == 1)

    def _load(self, read: KeyedRelease) -> tuple[KeyedRelease, SeenRelease]:
        """Return a release with its key, and the release as the adversary sees it."""
        series = self.series
        record = None if read.records is None else self.names.encode_coded(read.records)
        by_cells, cells = read.values_by_row or self.adversary.knows_people, None
        every = np.arange(read.group.size, dtype=np.int32)
        classes = read.classes if by_cells else RowClasses(read.group, every, every)
        if self.register is not None:
            columns = [read.cells[name][classes.first] for name in series.attributes]
            cells = np.stack(columns, axis=1) if columns else np.zeros((len(classes.group), 0), dtype=np.int32)
        several = read.values_by_row and classes.row is not read.group
        read = replace(read, records=None, cells=read.cells if self.records or several else {})
        release = read.published()
        if self.combined is not None:
            values = {**release.entry_value, self.combined.name: self.combined.add(release)}
            release = replace(release, entry_value=values)
        fake = read.counterfeit_rows(series.people)
        pool = classes.row if release.values_by_row else release.group
        people = PlacedPeople.of(read, classes, pool) if self.adversary.knows_groups else None
        fakes = real = None
        if fake is not None:
            weights = None if release.counts is None else release.counts[fake]
            fakes = np.bincount(pool.codes[fake], weights=weights, minlength=pool.size).astype(np.int64)
            real = ~fake if self.records and fake.any() else None
        return read, SeenRelease(release, classes, pool, cells, record, people, fakes, real, real)

    def _records_of_strangers(self) -> Iterator[Flags]:
        """Yield, for each release, which rows may belong to strangers.

        Among records that were in the same classes so far, the adversary does not know which belong to strangers.
        """
        kind, foreign = np.zeros(self.names.size, dtype=np.int32), np.zeros(self.names.size, dtype=np.bool_)
        for keyed, seen in zip(self.keyed, self.seen, strict=True):
            record, pool = record_of(seen), np.full(self.names.size, ABSENT, dtype=np.int32)
            pool[record] = seen.pool.codes
            if keyed.strangers is not None:
                foreign[record[keyed.strangers]] = True
            kind = kinds_of_rows(np.stack([kind, pool], axis=1))[1]
            yield np.isin(kind[record], kind[foreign])

    def present(self) -> Flags:
        """Return which people, and counterfeits that keep their identity, are in any release; shape (people,), bool."""
        found = np.zeros(self.series.people.size + 1, dtype=np.bool_)  # -1, no one, is the last
        for release in self.keyed:
            found[[] if release.person is None else release.person] = True
        return found[:-1]


def begin_reading(series: Series, adversary: Adversary, *, records: bool, watched: Budget) -> list[ReleaseReading]:
    """Read the columns of all releases that an adversary and the checkers need.

    Raises:
        UsageError: these columns, at least a group and a value, need more memory than there is.
    """
    wanted = records or adversary.has_register
    attributes = series.manifest.columns.quasi_identifiers if wanted else ()
    columns = bool(adversary.reads_key) + (1 + len(attributes)) * records + 1
    needed = series.about_rows * (_ROW + 4 * (columns + len(series.vocabularies)))
    there = memory_bytes()
    if there is not None and needed > there:
        what = f"the releases take about {needed / _GB:.1f} GB of memory, and this machine has {there / _GB:.1f} GB"
        raise UsageError(f"{manifests.NAME}: {what}; use a larger machine")
    # No adversary knows the person of an episode, but a class of one person's episodes is small.
    key = adversary.reads_key or series.columns.rules[SeveralRows].choice == EPISODES
    return begin(series, watched.each(range(len(series.tags))), attributes, key=key, records=records)
