"""Pools of people whose exact quasi-identifiers are known: all the groups whose boxes cover them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from audit.adversary import coverage
from audit.adversary.held_series import HeldSeries, LoadedRelease
from audit.adversary.known_groups import KnownGroupsSource
from audit.adversary.lattice_sweep import ragged
from audit.adversary.record_candidates import Fitting
from audit.adversary.row_classes import capacity, places
from audit.io.background_knowledge import Register
from audit.io.encoding import NOBODY
from audit.io.releases import Release
from audit.model.arrays import UNKNOWN, Codes
from audit.model.errors import Problems
from audit.model.evidence import CandidateGroups, CandidatePools, PublishedClasses, Table, ValueCounts


class RegisterSource(KnownGroupsSource):
    """Pools when exact quasi-identifiers and presence are known: a pool is all the groups that cover a point."""

    by_key = False

    def __init__(
        self, releases: HeldSeries, sensitive: str, listed: npt.NDArray[np.bool_] | None, register: Register
    ) -> None:
        super().__init__(releases, sensitive, listed)
        self.register: Register = register
        attributes = [self.series.attributes[name] for name in self.series.manifest.columns.quasi_identifiers]
        self.space = coverage.Space(attributes, register.values, register.points)
        self._held: dict[tuple[int, bool], ValueCounts | Table] = {}

    def pools(self, position: int, people: Codes | None = None) -> CandidatePools:
        """Return the pools of a release, counted from 0.

        Raises:
            InputError: somebody is covered by no group, or there are more people than rows.
        """
        del people  # all are looked up
        lines = self.register.present(position)
        used, pool = self.register.places(lines)
        person, fixed = self.register.person[lines], self._fixed(position)
        at = None if fixed is None else fixed[person]
        key = position, self.known is not None
        if key not in self._held:
            self._held[key] = self._contents(position, lines, used, pool, at)
        return self._pools(person, pool, len(used), self._held[key], at)

    def _contents(
        self, position: int, lines: npt.NDArray[np.intp], used: npt.NDArray[np.intp], pool: Codes, at: Codes | None
    ) -> ValueCounts | Table:
        """Return what the pools of a release hold, that of each used point; `at` are the known values of the lines."""
        release, person = self.release(position), self.register.person[lines]
        entries = ValueCounts(release.entry_group, release.entry_value[self.sensitive], release.entry_count)
        values = len(self.vocabulary)
        covered = coverage.cover(self._homes(position), self.space, used, entries, values)
        self._check_present(release, lines, pool, covered.groups)
        if at is not None:
            self._check_possible(covered, person, pool, at)
            sure = np.flatnonzero((at != UNKNOWN) & (covered.groups[pool] == 1))
            _, home = coverage.covering_groups(self._homes(position), self.space, used[pool[sure]])
            entries = self._without(entries, person[sure], home, at[sure])
            covered = coverage.cover(self._homes(position), self.space, used, entries, values)
        return covered.contents

    def present(self, position: int) -> Codes:
        """Return the people whom the register has in a release."""
        return self.register.person[self.register.present(position)]

    def population(self, position: int, read: LoadedRelease) -> npt.NDArray[np.int64] | None:
        """Return how many people of the whole register each group's cells fit, in the release or not; shape (groups,).

        Everybody counts once, with the values of the latest line that has begun, else of the first; a group's
        counterfeits count too, since nobody can tell them from people. None where there are too many pairs of people
        and groups to try.
        """
        register, release, boxes = self.register, read.release, read.boxes
        begun = register.first <= position
        order = np.lexsort((np.where(begun, register.first, -1 - register.first), register.person))
        lines = order[np.append(np.diff(register.person[order]) != 0, True)]
        used, point = register.places(lines)
        fit = None if boxes is None else coverage.crowds(boxes, self.space, used, np.bincount(point))
        if fit is None:
            return None
        crowd = np.zeros(release.group.size, dtype=np.int64)
        crowd[: len(fit)] = fit
        return crowd + self._counterfeits(release)

    def _counterfeits(self, release: Release) -> npt.NDArray[np.int64]:
        """Return how many counterfeits are in each group: by the key, else as published."""
        found = np.zeros(release.group.size, dtype=np.int64)
        fake = release.counterfeit_rows(self.series.people)
        if fake is None:
            for group, count in release.counterfeits.items():
                found[group] = count
            return found
        np.add.at(found, release.group.codes[fake], 1 if release.counts is None else release.counts[fake])
        return found

    def groups(self, position: int, people: Codes) -> list[tuple[str, ...]]:
        """Return the names of the groups that may hold each of some people in a release."""
        release = self.release(position)
        lines = self.register.present(position)
        line = np.full(self.series.people.size, NOBODY, dtype=np.int64)
        line[self.register.person[lines]] = lines
        used, point = self.register.places(line[people])
        place, group = coverage.covering_groups(self._homes(position), self.space, used)
        start = np.searchsorted(place, np.arange(len(used) + 1))
        names = [
            tuple(release.group.name(int(code)) for code in group[start[p] : start[p + 1]]) for p in range(len(used))
        ]
        return [names[p] for p in point]

    def hosts(self, position: int) -> CandidateGroups:
        """Return the rows of a release and which groups may hold whom of the register.

        Known values need no look here: `learn` has held them against the pools of every release.

        Raises:
            InputError: somebody is covered by no group, or there are more people than rows.
        """
        release, read = self.release(position), self.releases.get(position)
        lines = self.register.present(position)
        person = self.register.person[lines]
        used, point = self.register.places(lines)
        place, around = coverage.covering_groups(self._classes(position), self.space, used)
        covered = np.bincount(place, minlength=len(used))
        self._check_present(release, lines, point, covered)
        start = np.zeros(len(lines) + 1, dtype=np.int64)
        np.cumsum(covered[point], out=start[1:])
        row_class = around[ragged((np.cumsum(covered) - covered)[point], covered[point])]
        fixed = self._fixed(position)
        at = np.full(len(lines), UNKNOWN, dtype=np.int32) if fixed is None else fixed[person]
        contents = ValueCounts(release.entry_group, release.entry_value[self.sensitive], release.entry_count)
        there, held = places(read.release, read.classes), capacity(read.release)
        return self._hosts((person, at), (start, row_class), there, held, contents)

    def known_in(self, position: int) -> tuple[Codes, Codes, Fitting]:
        """Return who is known to be in a release, with a label of each one's exact values, and what fits a label."""
        used, point = self.register.places(self.register.present(position))
        label, row_class = coverage.covering_groups(self._classes(position), self.space, used)
        return self.present(position), point, Fitting(label.astype(np.int32), row_class)

    def published(self, position: int) -> PublishedClasses:
        """Return a release as anybody sees it; strangers are there where it has more people than the register."""
        release = self.releases.get(position).release
        people = release.people - int(self._counterfeits(release).sum())
        return replace(super().published(position), strangers=len(self.register.present(position)) < people)

    def accounted(self, position: int, classes: npt.NDArray[np.intp]) -> npt.NDArray[np.bool_]:
        """Return which of some classes have no more people than those who can be in no other.

        They are found themselves where the class has one value.
        """
        read = self.releases.get(position)
        release = read.release
        used, point = self.register.places(self.register.present(position))
        place, home = coverage.covering_groups(self._homes(position), self.space, used)
        only = np.flatnonzero(np.bincount(place, minlength=len(used)) == 1)
        alone = np.isin(place, only)
        people = np.bincount(point, minlength=len(used))
        row_class, group = self.classes_of_rows(release)
        sole = np.zeros(len(group), dtype=np.int64)
        to_class = np.full(release.group.size, -1, dtype=np.int32)
        to_class[release.group.codes] = row_class
        if release.values_by_row and read.classes is not None:
            to_class = row_class[read.classes.first]
        np.add.at(sole, to_class[home[alone]], people[place[alone]])
        rows = np.bincount(row_class, weights=release.counts, minlength=len(group)).astype(np.int64)
        fake = self._counterfeits(release)
        size = np.bincount(release.group.codes, weights=release.counts, minlength=release.group.size).astype(np.int64)
        surely = np.maximum(fake[group] - (size[group] - rows), 0)
        return (sole >= rows - surely)[classes]

    def _homes(self, position: int) -> coverage.Boxes:
        """Return the boxes of a release that may hold somebody, by what publishes values together."""
        by_class = self.releases.get(position).release.values_by_row
        return self._classes(position) if by_class else self._boxes(position)

    def _classes(self, position: int) -> coverage.Boxes:
        """Return the same boxes, by row class."""
        boxes, read = self._boxes(position), self.releases.get(position)
        if read.classes is None:
            return boxes
        number = np.flatnonzero(capacity(read.release)[read.classes.group] > 0).astype(np.int32)
        return replace(boxes, group=number, single=True)

    def _boxes(self, position: int) -> coverage.Boxes:
        read = self.releases.get(position)
        if read.boxes is None:
            raise AssertionError("a register's releases have boxes")
        if not read.release.counterfeits:
            return read.boxes
        kept = np.flatnonzero(capacity(read.release)[read.boxes.group] > 0)
        return replace(read.boxes, group=read.boxes.group[kept], cells=read.boxes.cells[kept])

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
            problems.add(self.register.shown, what, "correct in which releases its people are")
        problems.check()

    def _check_possible(self, covered: coverage.Covered, person: Codes, pool: Codes, fixed: Codes) -> None:
        """Note the first known value that no group which may hold its person publishes."""
        rows = np.flatnonzero(fixed != UNKNOWN)
        lacks = np.flatnonzero(~covered.hold(pool[rows], fixed[rows]))
        if len(lacks) and self.known is not None:
            what = "no group that may hold this person publishes this value"
            raise self._contradiction(self.known, self._line_of(self.known, int(person[rows[lacks[0]]])), what)


def source_of(releases: HeldSeries, sensitive: str, listed: npt.NDArray[np.bool_] | None) -> KnownGroupsSource:
    """Return where the pools of a sensitive attribute come from: a register, where the adversary has one."""
    if releases.register is None:
        return KnownGroupsSource(releases, sensitive, listed)
    return RegisterSource(releases, sensitive, listed, releases.register)
