"""Pools of people whose groups are known, and what is known of some people's values beforehand."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from audit.adversary.combined_values import CombinedVocabulary
from audit.adversary.held_series import HeldSeries, LoadedRelease
from audit.adversary.record_candidates import Fitting
from audit.adversary.row_classes import RowClassGroups, capacity, places
from audit.io.background_knowledge import Known, Register, check_listed, read_known
from audit.io.encoding import NOBODY, Vocabulary
from audit.io.releases import Release
from audit.model.arrays import UNKNOWN, Codes, Counts
from audit.model.composite_keys import combine, distinct
from audit.model.errors import InputError, Problem, Problems, UsageError
from audit.model.evidence import CandidateGroups, CandidatePools, Members, PublishedClasses, Table, ValueCounts


class KnownGroupsSource:
    """Pools when it is known who is in which group: a person's pool is the group.

    `listed` says of which values the transitions tell, None without any; `constant`, whether values never change, which
    transitions may say as well; `combined`, that the values are combinations.
    """

    register: Register | None = None
    """What a register tells, where people are looked up in one."""

    def __init__(self, releases: HeldSeries, sensitive: str, listed: npt.NDArray[np.bool_] | None) -> None:
        self.releases = releases
        self.series = releases.series
        self.sensitive = sensitive
        self.listed = listed
        self.constant = listed is None
        self.combined: CombinedVocabulary | None = None
        self.known: Known | None = None

    @property
    def vocabulary(self) -> Vocabulary | CombinedVocabulary:
        """The values of the sensitive attribute, or the combinations of the values of several."""
        return self.series.vocabularies[self.sensitive] if self.combined is None else self.combined

    def release(self, position: int) -> Release:
        """Return a release whose values the transitions speak of, its groups being what publishes values together.

        Raises:
            InputError: the transitions do not say what may follow a published value.
        """
        release = self.releases.get(position).seen
        if self.listed is not None:
            check_listed(self.series, release, self.sensitive, self.listed)
        return release

    def pools(self, position: int, people: Codes | None = None) -> CandidatePools:
        """Return the pools of a release, counted from 0; those of some people at least."""
        release = self.release(position) if people is None else self.around(position, people)
        fixed = self._fixed(position)
        if release.person is None:
            raise UsageError("per-person attacks need the adversary `linked` or `register`")
        rows = self.real(release.person)
        person = release.person if rows is None else release.person[rows]
        group = release.group.codes if rows is None else release.group.codes[rows]
        entries = ValueCounts(release.entry_group, release.entry_value[self.sensitive], release.entry_count)
        at = None if fixed is None else fixed[person]
        if at is not None:
            self._check_own(release, rows, at)
            entries = self._without(entries, person, group, at)
        return self._pools(person, group, release.group.size, entries, at)

    def present(self, position: int) -> Codes:
        """Return the people, counterfeits left out, who are in a release."""
        person = self.release(position).person
        if person is None:
            return np.zeros(0, dtype=np.int32)
        rows = self.real(person)
        return person if rows is None else person[rows]

    def population(self, position: int, read: LoadedRelease) -> Counts | None:
        """Return how many people of a population fit each group of a release: nobody knows, without a register."""
        del position, read
        return None

    def known_in(self, position: int) -> tuple[Codes, Codes, Fitting]:
        """Return who is known to be in a release, each with a label, and which row classes fit a label."""
        read = self.releases.get(position)
        person, group = read.release.person, read.seen.group
        if person is None:
            raise AssertionError("the adversary `linked` has a key")
        rows = np.flatnonzero(person != NOBODY)
        every = np.arange(group.size, dtype=np.int32)
        strangers = read.release.strangers is not None and bool(read.release.strangers.any())
        return person[rows], group.codes[rows], Fitting(every, every, strangers)

    @property
    def by_key(self) -> bool:
        """Whether the key alone says which rows may be whose."""
        return self.known is None

    def around(self, position: int, people: Codes) -> Release:
        """Return a release less the groups that hold none of some people, if the key tells who is in them.

        Raises:
            InputError: the transitions do not say what may follow a published value.
        """
        release = self.release(position)
        return release.around(people) if self.by_key else release

    def groups(self, position: int, people: Codes) -> list[tuple[str, ...]]:
        """Return the name of the group of each of some people in a release."""
        release = self.around(position, people)
        if release.person is None:
            return []
        order = np.argsort(release.person, kind="stable")
        row = order[np.searchsorted(release.person, people, sorter=order)]
        return [(release.group.name(int(code)),) for code in release.group.codes[row]]

    def group_names(self, position: int, groups: Codes) -> list[str]:
        """Return the names of some groups of a release."""
        group = self.release(position).group
        return [group.name(int(code)) for code in groups]

    def published(self, position: int) -> PublishedClasses:
        """Return a release as anybody sees it."""
        release = self.releases.get(position).release
        value = release.entry_value[self.sensitive]
        values = len(self.series.vocabularies[self.sensitive])
        place, group = self.classes_of_rows(release)
        bag = place if release.values_by_row else release.entry_group
        contents = ValueCounts(bag, value, release.entry_count)
        return PublishedClasses(group, self._judged(release, place, group), contents, values, place)

    def classes_of_rows(self, release: Release) -> tuple[Codes, Codes]:
        """Return the class of each row of a release, shape (rows,), and the group of each class, ascending."""
        alike = release.alike
        if not release.values_by_row or alike is None:
            return release.group.codes, np.arange(release.group.size, dtype=np.int32)
        columns = [(release.group.codes, release.group.size), (alike, int(alike.max(initial=-1)) + 1)]
        first, place = distinct(*combine(columns, release.rows))
        return place, release.group.codes[first]

    def _judged(self, release: Release, place: Codes, group: Codes) -> npt.NDArray[np.bool_]:
        """Return which classes may hold people whom the adversary does not know to be there; shape (classes,)."""
        fake = release.counterfeit_rows(self.series.people)
        if self.releases.adversary.knows_groups:
            judged = np.zeros(len(group), dtype=np.bool_)
            if release.strangers is not None:
                judged[place[release.strangers]] = True
            return judged
        if fake is not None:
            return np.bincount(place[~fake], minlength=len(group)) > 0
        held: npt.NDArray[np.bool_] = capacity(release) > 0
        return held[group]

    def accounted(self, position: int, classes: npt.NDArray[np.intp]) -> npt.NDArray[np.bool_]:
        """Return which of some classes hold only people who are known to be in no other: none, without a register."""
        return np.zeros(len(classes), dtype=np.bool_)

    def published_names(self, position: int, groups: Codes) -> list[str]:
        """Return the names of some published groups of a release."""
        group = self.releases.get(position).release.group
        return [group.name(int(code)) for code in groups]

    def members(self, position: int) -> Members:
        """Return who is in which group of a release, counterfeits included."""
        release = self.release(position)
        if release.person is None:
            raise UsageError("who is in which group is known to the adversary `linked` alone")
        person, group = release.person, release.group.codes
        entries = ValueCounts(release.entry_group, release.entry_value[self.sensitive], release.entry_count)
        fixed = self._fixed(position)
        if fixed is not None:
            at, entries = self._taken(release, person, fixed, entries)
            rows = np.flatnonzero(at == UNKNOWN)
            person, group = person[rows], group[rows]
        values = len(self.vocabulary)
        individual = ~self.series.people.is_counterfeit()
        return Members(person, group, release.group.size, entries, individual, values)

    def hosts(self, position: int) -> CandidateGroups:
        """Return the rows of a release and which group holds whom, counterfeits that keep their identity included.

        Raises:
            InputError: a known value contradicts the release.
        """
        release = self.release(position)
        if release.person is None:
            raise UsageError("who may be in which group is known to the adversaries `linked` and `register` alone")
        contents = ValueCounts(release.entry_group, release.entry_value[self.sensitive], release.entry_count)
        rows = np.flatnonzero(release.person != NOBODY)
        person, group = release.person[rows], release.group.codes[rows]
        fixed = self._fixed(position)
        at = np.full(len(rows), UNKNOWN, dtype=np.int32)
        if fixed is not None:
            at = self._taken(release, release.person, fixed, contents)[0][rows]
        read = self.releases.get(position)
        there = places(read.release, read.classes)
        # Everybody's row is known: so many people are there, counterfeits that keep their identity among them.
        there = there._replace(rows=np.bincount(group, minlength=len(there.rows)))
        held = np.bincount(there.published, weights=there.rows, minlength=read.release.group.size).astype(np.int64)
        start = np.arange(len(rows) + 1, dtype=np.int64)
        return self._hosts((person, at), (start, group), there, held, contents)

    def _hosts(
        self,
        people: tuple[Codes, Codes],
        candidates: tuple[Counts, Codes],
        there: RowClassGroups,
        held: Counts,
        contents: ValueCounts,
    ) -> CandidateGroups:
        """Return people with their known values, their candidate classes, and what these can hold."""
        values = len(self.vocabulary)
        individual = ~self.series.people.is_counterfeit()
        most = np.minimum(there.rows, held[there.published])
        size = int(there.group.max(initial=-1)) + 1
        return CandidateGroups(
            *people,
            *candidates,
            there.group,
            most,
            there.rows,
            there.published,
            held,
            size,
            contents,
            individual,
            values,
        )

    def _pools(
        self, person: Codes, pool: Codes, n_pools: int, contents: ValueCounts | Table, fixed: Codes | None
    ) -> CandidatePools:
        counted = None
        if fixed is not None and self.constant:
            rows = np.flatnonzero(fixed == UNKNOWN)
            person, pool, fixed = person[rows], pool[rows], None
        elif fixed is not None:
            counted = fixed == UNKNOWN
        values = len(self.vocabulary)
        return CandidatePools(person, pool, n_pools, contents, counted, fixed, self.series.people.size, values)

    def real(self, person: Codes) -> npt.NDArray[np.intp] | None:
        """Return the rows that are people and no counterfeits, or None when all are."""
        people = self.series.people
        if not people.has_counterfeits and (not len(person) or person.min() != NOBODY):
            return None
        return np.flatnonzero((person != NOBODY) & ~np.append(people.is_counterfeit(), True)[person])

    # -- known values ---------------------------------------------------------------------------------

    def learn(self) -> None:
        """Read the known values, before which nothing is noted; releases are read before, so that everybody has a code.

        Raises:
            InputError: the file cannot be read, or contradicts itself or the series.
        """
        present = [np.unique(self.pools(position).person) for position in range(len(self.releases))]
        known = read_known(self.series, self.sensitive)
        problems = Problems()
        everybody = np.unique(np.concatenate(present))
        if self.series.manifest.to_come:
            known = known.some(np.isin(known.person, everybody))
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

    def _taken(self, release: Release, person: Codes, fixed: Codes, entries: ValueCounts) -> tuple[Codes, ValueCounts]:
        """Return the value known beforehand of each row of a release, -1 elsewhere, and the entries less these."""
        at = np.append(fixed, np.int32(UNKNOWN))[person]
        self._check_own(release, None, at)
        return at, self._without(entries, person, release.group.codes, at)

    def _without(self, entries: ValueCounts, person: Codes, group: Codes, fixed: Codes) -> ValueCounts:
        """Return the entries less one row for each person with a known value who is surely in a group."""
        values = len(self.vocabulary)
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
        return ValueCounts((codes // values).astype(np.int32), (codes % values).astype(np.int32), left[kept])
