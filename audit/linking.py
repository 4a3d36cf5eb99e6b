"""Linking: a series and an adversary's knowledge become evidence, and the publisher's key becomes truth."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from threading import Lock

import numpy as np
import numpy.typing as npt

from audit import covering
from audit.core.engine import wants_compiled
from audit.core.errors import InputError, Problem, Problems, UsageError
from audit.core.evidence import AdversaryKind, Codes, Entries, Evidence, Pools, Table
from audit.reading import manifest as manifests
from audit.reading.knowledge import Known, Register, read_known, read_register, read_transitions
from audit.reading.numbering import NOBODY
from audit.reading.series import Release, Series

ADVERSARIES: tuple[AdversaryKind, ...] = ("linked", "register", "pseudonym")
UNKNOWN = -1
_CACHE_BYTES = 1 << 30
_POOLS_BYTES = 1 << 29
# A row seen by somebody with a register costs about as much as so many rows seen by somebody who knows the groups.
_COVERING_ROWS = 16


def gather(series: Series, adversary: AdversaryKind | None = None) -> tuple[Evidence, ...]:
    """Return what an adversary sees of a series, one `Evidence` per sensitive attribute.

    Without `adversary` the worst case that the series allows is taken: `linked`, then `register`, then
    `pseudonym`. Releases are read when an attack asks for them.

    Raises:
        UsageError: the series lacks what the adversary needs.
        InputError: the register, the transitions or the known values cannot be read or contradict the series.
    """
    kind = choose(series, adversary)
    releases = Releases(series, kind)
    return tuple(_evidence(releases, kind, name) for name in series.manifest.columns.sensitive)


def choose(series: Series, adversary: AdversaryKind | None) -> AdversaryKind:
    """Return the adversary to assume.

    Raises:
        UsageError: the series lacks what the adversary needs.
        InputError: some releases have a key and some have none.
    """
    columns = series.manifest.columns
    needs = {
        "linked": (series.started_keys, "[columns] individual, or a key file for each release"),
        "register": (series.manifest.register is not None, "[adversary] register"),
        "pseudonym": (columns.record is not None, "[columns] record"),
    }
    chosen = adversary or next((kind for kind in ADVERSARIES if needs[kind][0]), None)
    if chosen is None:
        everything = "; or ".join(needs[kind][1] for kind in ADVERSARIES)
        raise UsageError(f"{manifests.NAME}: no adversary can be assumed; add {everything}")
    has, what = needs[chosen]
    if not has:
        raise UsageError(f"{manifests.NAME}: the adversary `{chosen}` needs {what}; add it or choose another")
    if chosen == "linked" and not series.keyed:
        raise InputError(
            Problem(
                files.shown,
                "there is no key for this release, though others have one",
                f"write {series.key_path(files).relative_to(series.manifest.folder)} or the individual column",
            )
            for files in series.manifest.releases
            if not series.has_key(files)
        )
    return chosen


def _evidence(releases: Releases, kind: AdversaryKind, sensitive: str) -> Evidence:
    series = releases.series
    vocabulary = series.vocabularies[sensitive]
    has_transitions = series.manifest.transitions is not None
    transitions = read_transitions(series, vocabulary) if has_transitions else None
    listed = None if transitions is None else transitions.listed
    if releases.register is not None:
        source: LinkedSource = RegisterSource(releases, sensitive, listed, releases.register)
    else:
        source = LinkedSource(releases, sensitive, listed)
    if series.manifest.known is not None and kind != "pseudonym":
        source.learn()
    known = 0 if source.known is None else len(np.unique(source.known.person))
    return Evidence(kind, sensitive, series.tags, transitions, known, series.about_rows, source, vocabulary.names)


class Releases:
    """The releases of a series, read in order and kept while they are small together."""

    def __init__(self, series: Series, kind: AdversaryKind) -> None:
        self.series = series
        self.kind = kind
        self.register: Register | None = read_register(series) if kind == "register" else None
        self._attributes = series.manifest.columns.quasi_identifiers if kind == "register" else ()
        self._kept: dict[int, tuple[Release, covering.Boxes | None]] = {}
        self._bytes = 0
        self._read = 0
        self._lock = Lock()

    def __len__(self) -> int:
        """Return the number of releases."""
        return len(self.series.tags)

    def get(self, position: int) -> tuple[Release, covering.Boxes | None]:
        """Return a release and, for a register, its boxes.

        The codes of people and values are given out in the order of the releases, whichever is asked for first.
        """
        with self._lock:
            for earlier in range(self._read, position):
                self._keep(earlier)
            return self._keep(position)

    def _keep(self, position: int) -> tuple[Release, covering.Boxes | None]:
        kept = self._kept.get(position)
        if kept is not None:
            return kept
        release = self.series.read(position, self._attributes, key=self.kind != "pseudonym")
        boxes = None
        if self.register is not None:
            attributes = self.series.attributes
            cells = [(codes, len(attributes[name].cells)) for name, codes in release.cells.items()]
            boxes = covering.boxes(release.group.codes, cells)
            release = replace(release, cells={})
        self._read = max(self._read, position + 1)
        size = release.rows * 4 * (3 + len(release.entry_value))
        if self._bytes + size <= _CACHE_BYTES:
            self._kept[position] = release, boxes
            self._bytes += size
        return release, boxes


class LinkedSource:
    """Pools when it is known who is in which group: a person's pool is the group."""

    def __init__(self, releases: Releases, sensitive: str, listed: npt.NDArray[np.bool_] | None) -> None:
        self.releases = releases
        self.series = releases.series
        self.sensitive = sensitive
        self.listed = listed
        self.known: Known | None = None
        self._truth: tuple[Codes | None, npt.NDArray[np.bool_]] | None = None

    @property
    def constant(self) -> bool:
        """Whether values never change."""
        return self.listed is None

    def stream(self) -> Iterator[Pools]:
        """Yield the pools of all releases in order; the next release is read while one is being worked on."""
        with ThreadPoolExecutor(1) as reader:
            ahead = reader.submit(self.read_ahead, 0)
            for position in range(len(self.releases)):
                ahead.result()
                if position + 1 < len(self.releases):
                    ahead = reader.submit(self.read_ahead, position + 1)
                yield self.pools(position)

    def read_ahead(self, position: int) -> None:
        """Read a release before its pools are asked for."""
        self.releases.get(position)

    def release(self, position: int) -> Release:
        """Return a release whose values the transitions speak of.

        Raises:
            InputError: a published value has no line in the transitions.
        """
        release, _ = self.releases.get(position)
        if self.listed is not None:
            values = np.unique(release.entry_value[self.sensitive])
            silent = values[
                (values >= len(self.listed)) | ~np.append(self.listed, False)[np.minimum(values, len(self.listed))]
            ]
            if len(silent):
                name = self.series.vocabularies[self.sensitive].names[silent[0]]
                what = f'no line begins with "{name}", which release {release.tag} publishes'
                remedy = "say what may follow it, itself included if it may stay"
                raise InputError([Problem(str(self.series.manifest.transitions), what, remedy, column="from")])
        return release

    def pools(self, position: int) -> Pools:
        """Return the pools of a release, counted from 0."""
        release = self.release(position)
        if release.person is None:
            raise UsageError("per-person attacks need the adversary `linked` or `register`")
        rows = self._real(release.person)
        person = release.person if rows is None else release.person[rows]
        group = release.group.codes if rows is None else release.group.codes[rows]
        entries = Entries(release.entry_group, release.entry_value[self.sensitive], release.entry_count)
        fixed = self._fixed(position)
        if fixed is not None:
            at = fixed[person]
            self._check_own(release, rows, at)
            entries = self._without(entries, person, group, at)
        return self._pools(person, group, release.group.size, entries, None if fixed is None else fixed[person])

    def present(self, position: int) -> Codes:
        """Return the people, counterfeits left out, who are in a release."""
        person = self.release(position).person
        if person is None:
            return np.zeros(0, dtype=np.int32)
        rows = self._real(person)
        return person if rows is None else person[rows]

    def groups(self, position: int, people: Codes) -> list[tuple[str, ...]]:
        """Return the name of the group of each of some people in a release."""
        release = self.release(position)
        if release.person is None:
            return []
        row = np.full(self.series.people.size + 1, NOBODY, dtype=np.int64)
        row[release.person] = np.arange(release.rows)
        return [(release.group.name(int(code)),) for code in release.group.codes[row[people]]]

    def truth(self, position: int) -> Codes | None:
        """Return the true values of the people of `pools(position)`, -1 where it is not known; None without a key."""
        release = self.release(position)
        if release.person is None or not release.values_by_row:
            return None
        values = release.entry_value[self.sensitive]
        if type(self) is LinkedSource and self.known is None:
            rows = self._real(release.person)
            return values if rows is None else values[rows]
        own = np.full(self.series.people.size + 1, UNKNOWN, dtype=np.int32)
        own[release.person] = values
        own[NOBODY] = UNKNOWN
        return own[self.pools(position).person]

    def constant_truth(self) -> tuple[Codes | None, npt.NDArray[np.bool_]]:
        """Return everybody's first true value by person code, and whether the person has another one later on."""
        if self._truth is None:
            # Codes as short as they can be: everybody's then fits into the processor's cache.
            kind = np.min_scalar_type(len(self.series.vocabularies[self.sensitive]) + 1)
            unknown = kind.type(np.iinfo(kind).max)
            first = np.full(self.series.people.size, unknown)
            changed = np.zeros(self.series.people.size, dtype=np.bool_)
            told = False
            for position in range(len(self.releases)):
                values = self.truth(position)
                if values is not None:
                    told = True
                    person = self.pools(position).person
                    before, now = first.take(person), values.astype(kind)
                    kept = np.flatnonzero((before != now) & (before != unknown))
                    changed[person[kept]] |= now[kept] != unknown
                    now[kept] = before[kept]
                    first[person] = now
            codes = first.astype(np.int32)
            codes[first == unknown] = UNKNOWN
            self._truth = codes if told else None, changed
        return self._truth

    def _pools(self, person: Codes, pool: Codes, n_pools: int, contents: Entries | Table, fixed: Codes | None) -> Pools:
        counted = None
        if fixed is not None and self.constant:
            rows = np.flatnonzero(fixed == UNKNOWN)
            person, pool, fixed = person[rows], pool[rows], None
        elif fixed is not None:
            counted = fixed == UNKNOWN
        values = len(self.series.vocabularies[self.sensitive])
        return Pools(person, pool, n_pools, contents, counted, fixed, self.series.people.size, values)

    def _real(self, person: Codes) -> npt.NDArray[np.intp] | None:
        """Return the rows that are people and no counterfeits, or None when all are."""
        people = self.series.people
        if not people.has_counterfeits and (not len(person) or person.min() != NOBODY):
            return None
        return np.flatnonzero((person != NOBODY) & ~np.append(people.is_counterfeit(), True)[person])

    # -- known values ---------------------------------------------------------------------------------

    def learn(self) -> None:
        """Read the known values; all releases are read before, so that everybody has a code.

        Raises:
            InputError: the file cannot be read, or contradicts itself or the series.
        """
        present = [np.unique(self.pools(position).person) for position in range(len(self.releases))]
        known = read_known(self.series, self.series.vocabularies[self.sensitive])
        problems = Problems()
        everybody = np.unique(np.concatenate(present))
        for place in np.flatnonzero(~np.isin(known.person, everybody)):
            what = "this person is in no release, or is a counterfeit"
            problems.add(known.shown, what, "drop the line", line=known.lines[place], column="individual")
        for place in np.flatnonzero(known.release >= 0):
            if known.person[place] not in present[known.release[place]]:
                what = "this person is not in this release"
                problems.add(known.shown, what, "correct the release", line=known.lines[place], column="release")
        problems.check()
        self.known = known
        for position in range(len(self.releases)):
            self.pools(position)

    def _fixed(self, position: int) -> Codes | None:
        """Return, by person code, the value known beforehand in a release, -1 where none is."""
        known = self.known
        if known is None:
            return None
        fixed = np.full(self.series.people.size, UNKNOWN, dtype=np.int32)
        holds = np.full(len(known.person), True) if self.constant else np.isin(known.release, (-1, position))
        fixed[known.person[holds]] = known.value[holds]
        wrong = np.flatnonzero(holds & (fixed[known.person] != known.value))
        if len(wrong):
            what = "another line gives this person another value"
            raise self._contradiction(known, int(wrong[0]), what)
        return fixed

    def _contradiction(self, known: Known, place: int, what: str) -> InputError:
        return InputError([Problem(known.shown, what, "correct the line or drop it", known.lines[place])])

    def _line_of(self, known: Known, person: int) -> int:
        return int(np.flatnonzero(known.person == person)[0])

    def _check_own(self, release: Release, rows: npt.NDArray[np.intp] | None, fixed: Codes) -> None:
        """Hold the known values against the values of the people's own rows."""
        if self.known is None or release.person is None or not release.values_by_row:
            return
        own = release.entry_value[self.sensitive]
        own = own if rows is None else own[rows]
        person = release.person if rows is None else release.person[rows]
        wrong = np.flatnonzero((fixed != UNKNOWN) & (fixed != own))
        if len(wrong):
            what = f"the key says that this person has another value in release {release.tag}"
            raise self._contradiction(self.known, self._line_of(self.known, int(person[wrong[0]])), what)

    def _without(self, entries: Entries, person: Codes, group: Codes, fixed: Codes) -> Entries:
        """Return the entries less one row for each person with a known value who is surely in a group."""
        values = len(self.series.vocabularies[self.sensitive])
        rows = np.flatnonzero(fixed != UNKNOWN)
        taken = group[rows].astype(np.int64) * values + fixed[rows]
        key = entries[0].astype(np.int64) * values + entries[1]
        count = np.ones(len(key), dtype=np.int64) if entries[2] is None else entries[2]
        distinct, place = np.unique(np.concatenate([key, taken]), return_inverse=True)
        weights = np.concatenate([count, np.full(len(taken), -1, dtype=np.int64)])
        left = np.bincount(place, weights=weights).astype(np.int64)
        short = np.flatnonzero(left[place[len(key) :]] < 0)
        if len(short) and self.known is not None:
            what = "this person's group does not publish this value as often as it is known in it"
            raise self._contradiction(self.known, self._line_of(self.known, int(person[rows[short[0]]])), what)
        kept = left > 0
        codes = distinct[kept]
        return Entries((codes // values).astype(np.int32), (codes % values).astype(np.int32), left[kept])


class RegisterSource(LinkedSource):
    """Pools when exact quasi-identifiers and presence are known: a pool is all the groups that cover a point."""

    def __init__(
        self, releases: Releases, sensitive: str, listed: npt.NDArray[np.bool_] | None, register: Register
    ) -> None:
        super().__init__(releases, sensitive, listed)
        self.register = register
        attributes = [self.series.attributes[name] for name in self.series.manifest.columns.quasi_identifiers]
        self.space = covering.Space(attributes, register.values, register.points)
        self._kept: dict[tuple[int, bool], Pools] = {}
        self._lock = Lock()

    def learn(self) -> None:
        """Read the known values."""
        super().learn()
        self._kept = {key: pools for key, pools in self._kept.items() if key[1]}

    def stream(self) -> Iterator[Pools]:
        """Yield the pools of all releases in order; nothing is read where all of them are there already."""
        if len(self._kept) == len(self.releases):
            return map(self.pools, range(len(self.releases)))
        return super().stream()

    def read_ahead(self, position: int) -> None:
        """Read a release before its pools are asked for, unless these are there already."""
        if (position, self.known is not None) not in self._kept:
            super().read_ahead(position)

    def pools(self, position: int) -> Pools:
        """Return the pools of a release, counted from 0.

        Raises:
            InputError: somebody is covered by no group, or there are more people than rows.
        """
        key = position, self.known is not None
        kept = self._kept.get(key)
        if kept is None:
            kept = self._covered(position)
            with self._lock:
                if sum(map(_bytes, self._kept.values())) + _bytes(kept) <= _POOLS_BYTES:
                    self._kept[key] = kept
        return kept

    def _covered(self, position: int) -> Pools:
        release = self.release(position)
        lines = self.register.present(position)
        person = self.register.person[lines]
        used, pool = self.register.places(lines)
        entries = Entries(release.entry_group, release.entry_value[self.sensitive], release.entry_count)
        # Reading ahead may number more values meanwhile.
        values = len(self.series.vocabularies[self.sensitive])
        covered = self._cover(position, used, entries, values)
        self._check_present(release, lines, pool, covered.groups)
        at = None
        fixed = self._fixed(position)
        if fixed is not None:
            at = fixed[person]
            self._check_possible(covered, person, pool, at)
            sure = np.flatnonzero((at != UNKNOWN) & (covered.groups[pool] == 1))
            _, home = covering.covering_groups(self._boxes(position), self.space, used[pool[sure]])
            entries = self._without(entries, person[sure], home, at[sure])
            covered = self._cover(position, used, entries, values)
        return replace(self._pools(person, pool, len(used), covered.contents, at), values=values)

    def present(self, position: int) -> Codes:
        """Return the people whom the register has in a release."""
        return self.register.person[self.register.present(position)]

    def groups(self, position: int, people: Codes) -> list[tuple[str, ...]]:
        """Return the names of the groups that may hold each of some people in a release."""
        release = self.release(position)
        lines = self.register.present(position)
        line = np.full(self.series.people.size, NOBODY, dtype=np.int64)
        line[self.register.person[lines]] = lines
        used, point = self.register.places(line[people])
        place, group = covering.covering_groups(self._boxes(position), self.space, used)
        start = np.searchsorted(place, np.arange(len(used) + 1))
        names = [
            tuple(release.group.name(int(code)) for code in group[start[p] : start[p + 1]]) for p in range(len(used))
        ]
        return [names[p] for p in point]

    def _boxes(self, position: int) -> covering.Boxes:
        boxes = self.releases.get(position)[1]
        if boxes is None:
            raise AssertionError("a register's releases have boxes")
        return boxes

    def _cover(self, position: int, used: npt.NDArray[np.intp], entries: Entries, values: int) -> covering.Covered:
        compiled = wants_compiled(_COVERING_ROWS * self.series.about_rows)
        return covering.cover(self._boxes(position), self.space, used, entries, values, compiled=compiled)

    def _check_present(
        self, release: Release, lines: npt.NDArray[np.intp], pool: Codes, groups: npt.NDArray[np.integer]
    ) -> None:
        """Hold the register's people in a release, and how many groups cover each pool's, against the release."""
        problems = Problems()
        if not groups.all():
            alone = np.flatnonzero(groups[pool] == 0)
            others = f" (nor {len(alone) - 1} others)" if len(alone) > 1 else ""
            what = f"no group of release {release.tag} covers this person{others}"
            line = self.register.table.line(int(lines[alone[0]]))
            problems.add(self.register.shown, what, "correct the person's values or stay", line=line)
        rows = release.people - sum(release.counterfeits.values())
        if len(lines) > rows:
            what = f"{len(lines)} people are in release {release.tag}, which has {rows} rows that are no counterfeits"
            problems.add(self.register.shown, what, "correct the stays")
        problems.check()

    def _check_possible(self, covered: covering.Covered, person: Codes, pool: Codes, fixed: Codes) -> None:
        """Note the first known value that no group which may hold its person publishes."""
        rows = np.flatnonzero(fixed != UNKNOWN)
        lacks = np.flatnonzero(~covered.hold(pool[rows], fixed[rows]))
        if len(lacks) and self.known is not None:
            what = "no group that may hold this person publishes this value"
            raise self._contradiction(self.known, self._line_of(self.known, int(person[rows[lacks[0]]])), what)


def _bytes(pools: Pools) -> int:
    contents = pools.contents if isinstance(pools.contents, Entries) else (pools.contents,)
    return sum(column.nbytes for column in (pools.person, pools.pool, *contents) if column is not None)


@dataclass(frozen=True)
class Truth:
    """The publisher's knowledge of who has which value; read only where results are scored."""

    source: LinkedSource

    def of_versions(self, release: int) -> Codes | None:
        """Return the true values of the people of a release's pools, -1 where unknown; None without a key."""
        return self.source.truth(release)

    def of_people(self) -> Codes | None:
        """Return everybody's true value by person code, -1 where unknown, for values that never change."""
        return self.source.constant_truth()[0]

    def changed(self) -> npt.NDArray[np.bool_]:
        """Return by person code whose value is another one later on, though values never change."""
        return self.source.constant_truth()[1]


def truth_of(evidence: Evidence) -> Truth:
    """Return the truth behind evidence that `gather` made.

    Raises:
        TypeError: the evidence was made by something else.
    """
    if not isinstance(evidence.source, LinkedSource):
        raise TypeError("this evidence does not come from a series")
    return Truth(evidence.source)
