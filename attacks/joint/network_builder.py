"""Building the constraint network of the first releases of a series."""

from __future__ import annotations

import numpy as np

from attacks.graphs import component_of
from attacks.joint.arrays import Numbers, renumbered, segments, starts
from attacks.joint.edge_colouring import coloured
from attacks.joint.links import consistent
from attacks.joint.network import ConstraintNetwork, Versions, kinds_of
from attacks.joint.network_columns import NetworkColumns
from attacks.joint.places import OpenPlaces, PlaceRows, shares
from attacks.value_sets import listed, value_masks
from audit.model.arrays import Codes, Flags
from audit.model.evidence import Evidence, ValueCounts
from audit.runtime.budget import Budget

# Parts of up to so many variables are counted.
COUNTED = 64


class TooManyChoicesError(Exception):
    """People may have so many rows that listing them would take more memory than there is."""


class OutOfTimeError(Exception):
    """The time was up before the network was built."""


# Columns that are listed at most; each takes some 40 bytes.
MOST_COLUMNS = 100_000_000
# Of most series whose groups are all fair, people in so many releases hang together.
_FIRST = 2
# Of so many releases of even groups a world is found by colouring edges.
_COLOURED = 2
# The networks of fewer rows are a matter of a second.
_LARGE = 200_000


def network_of(evidence: Evidence, releases: int, budget: Budget, *, free: bool = True) -> ConstraintNetwork:
    """Return the network of the first releases.

    Args:
        evidence: what is known.
        releases: how many of them.
        budget: how long it may take.
        free: whether people who can exchange values at will may go without rows.

    Raises:
        TooManyChoicesError: people may have too many rows.
        OutOfTimeError: the time is up; the clock is looked at where there are many rows.
    """
    if evidence.rows < _LARGE:
        budget = Budget()
    values = 0
    for release in range(releases):
        _check_time(budget)
        values = max(values, evidence.source.hosts(release).values)
    # Under `register` groups of a person may hold different values of a class.
    classes = evidence.adversary.knows_groups or evidence.transitions is None
    kind_of = kinds_of(evidence.transitions, values) if classes else None
    bound = kind_of is not None
    kinds = np.arange(values, dtype=np.int32) if kind_of is None else kind_of
    places = []
    for release in range(releases):
        _check_time(budget)
        places.append(OpenPlaces(evidence, release, kinds))
    return _Builder(evidence, places, kinds, budget, bound=bound, free=free).network()


class _Builder:
    """Puts the releases together.

    Variables of people come first, in the order of the people, and then those of versions, by person and release.
    """

    def __init__(
        self, evidence: Evidence, places: list[OpenPlaces], kind_of: Codes, budget: Budget, *, bound: bool, free: bool
    ) -> None:
        self._evidence, self._places, self._kind_of, self._bound = evidence, places, kind_of, bound
        self._may_be_free = free
        self._kinds = int(kind_of.max(initial=-1)) + 1
        self._budget = budget
        self.person = np.concatenate([each.person for each in places])
        sizes = [len(each.person) for each in places]
        self.release = np.repeat(np.arange(len(places), dtype=np.int32), sizes)
        self.first_version = starts(np.array(sizes))
        size = int(self.person.max(initial=-1)) + 1
        there, moving = np.zeros(size, dtype=np.bool_), np.full(size, not bound)
        for each in places:
            there[each.person] = True
            moving[each.person[~each.single]] = True
        staying, variable = renumbered(np.flatnonzero(there & ~moving), size)
        self.people = len(staying)
        self.variable = variable[self.person]
        some = np.flatnonzero(self.variable < 0)
        order = some[np.lexsort((self.release[some], self.person[some]))]
        self.variable[order] = self.people + np.arange(len(order))
        follows = np.flatnonzero(self.person[order][1:] == self.person[order][:-1]) + self.people
        self.link = np.stack([follows, follows + 1], axis=1)
        self.variables = self.people + len(order)
        self.entry = self._ranked()

    def _ranked(self) -> Numbers:
        """Return how many places of the variable come before each version, -1 where the value is known."""
        rank = np.empty(len(self.person), dtype=np.int64)
        so_far = np.zeros(self.variables, dtype=np.int32)
        for at, place in enumerate(self._places):
            here = slice(int(self.first_version[at]), int(self.first_version[at + 1]))
            variable = self.variable[here]  # distinct, as nobody is twice in a release
            before = so_far[variable]
            rank[here] = np.where(place.seated, before, -1)
            so_far[variable] = before + place.seated
        return rank

    def _of(self, at: int) -> tuple[OpenPlaces, Numbers, Flags]:
        """Return a release, the variables of its people, and which of these are people's; each step asks for it."""
        _check_time(self._budget)
        variable = self.variable[self.first_version[at] : self.first_version[at + 1]]
        return self._places[at], variable, variable < self.people

    # -- people who keep their values and have one place ------------------------------------------------------

    def _own(self) -> tuple[Numbers, Codes]:
        """Return what the groups of each such person leave, as pairs of a variable and a class of values, in order."""
        words = -(-max(self._kinds, 1) // 64)
        left = np.full((self.people, words), ~np.uint64(0))
        each = np.arange(self._kinds, dtype=np.int32)
        alone = value_masks(ValueCounts(each, each, None), self._kinds, words)
        for at in range(len(self._places)):
            place, everybody, staying = self._of(at)
            contents = place.contents
            held = value_masks(ValueCounts(contents.group, contents.kind, None), contents.groups, words)
            # Who is known to have a value is in a group, as it were, that holds that one alone.
            allowed, which = np.concatenate([held, alone]), np.empty(len(everybody), dtype=np.intp)
            seated, known = np.flatnonzero(staying & place.seated), np.flatnonzero(staying & ~place.seated)
            which[seated] = place.home(seated)
            which[known] = contents.groups + self._kind_of[place.fixed[known]]
            left[everybody[staying]] &= allowed.take(which[staying], axis=0)
        _check(int(np.bitwise_count(left).sum(dtype=np.int64)))
        return listed(left)

    def _hint(self, variable: Numbers, kind: Codes) -> Numbers:
        """Return the pair of each such person in what the publisher's key says, -1 where it says nothing."""
        told = np.full(self.people, -2, dtype=np.int32)
        for at in range(len(self._places)):
            world = None if self._evidence.warm_start is None else self._evidence.warm_start(at)
            if world is None:
                return np.full(self.people, -1, dtype=np.int64)
            _, everybody, staying = self._of(at)
            mine, value = everybody[staying], world[staying]
            kinds = np.where((value >= 0) & (value < len(self._kind_of)), self._kind_of[value], -1)
            told[mine] = np.where((told[mine] == -2) | (told[mine] == kinds), kinds, -1)
        chosen = np.flatnonzero(told[variable] == kind)
        hint = np.full(self.people, -1, dtype=np.int64)
        hint[variable[chosen]] = chosen
        return hint

    def _even_world(self, size: Numbers) -> Numbers:
        """Return a column for each such person in what may be a world of two releases of even groups, else -1.

        In a group of rows of each class the members may have all of them: as many groups of one row of each class.

        Args:
            size: how many classes of values everybody's groups leave; shape (people,).
        """
        world = np.full(self.people, -1, dtype=np.int64)
        if not 0 < len(self._places) <= _COLOURED:
            return world
        vertex = np.full((_COLOURED, self.people), -1, dtype=np.int64)
        for at, place in enumerate(self._places):
            here, mine = self._seats(at)
            home = place.home(here)
            order = np.argsort(home, kind="stable")
            rank = np.arange(len(order)) - np.searchsorted(home[order], home[order])
            width = np.diff(place.contents.begin)
            total = np.bincount(place.contents.group, weights=place.contents.rows, minlength=len(width))
            first = starts(np.where(width > 0, -(-total // np.maximum(width, 1)), 0).astype(np.int64))
            vertex[at, mine[order]] = first[home[order]] + rank // np.maximum(width[home[order]], 1)
        begin = starts(size)
        for colours in np.unique(size[size > 1]).tolist():
            some = np.flatnonzero((size == colours) & (vertex >= 0).any(axis=0))
            for end in vertex:
                rank = renumbered(end[some][end[some] >= 0], int(end.max(initial=-1)) + 1)[1]
                end[some] = np.append(rank, -1)[end[some]]
            left, right = vertex[:, some]
            if max(np.bincount(end[end >= 0], minlength=1).max() for end in (left, right)) <= colours:
                world[some] = begin[some] + coloured(left, right, colours)
        return world

    def _free(self, variable: Numbers, kind: Codes, hint: Numbers) -> Flags:
        """Return who can exchange values at will in a world that is known, in all groups that hang together.

        There all members may have exactly the values of each group, which are equally frequent, and what the key tells
        is a world; it is checked here. Where all that hangs together is small, its worlds are counted instead, and
        nobody is free.

        If all groups are fair, everybody is free as soon as so many hang together in some of the releases: those who do
        so hang together in all of them, too.
        """
        size = np.bincount(variable, minlength=self.people)
        told, chosen = np.full(self.people, -1, dtype=np.int32), hint[hint >= 0]
        told[variable[chosen]] = kind[chosen]
        fair = [self._fair(at, size, told) for at in range(len(self._places))]
        # By pairs of a group and a class: groups without rows are left out.
        if not any(each[place.contents.group].any() for each, place in zip(fair, self._places, strict=True)):
            return np.zeros(self.people, dtype=np.bool_)
        there = np.zeros(self.people, dtype=np.bool_)
        for at in range(len(self._places)):
            there[self._seats(at)[1]] = True
        if all(each.all() for each in fair) and _many(self._hanging_together(_FIRST)[: self.people]):
            return there
        label = self._hanging_together(len(self._places))
        unfair = np.zeros(int(label.max(initial=-1)) + 1, dtype=np.bool_)
        unfair[label[self.people :][~np.concatenate(fair)]] = True
        free: Flags = there & ~unfair[label[: self.people]]
        return free if _many(label[: self.people][free]) else np.zeros_like(free)

    def _fair(self, at: int, size: Numbers, told: Codes) -> Flags:
        """Return which groups of a release have equally many rows of each class, for people who may have any of these.

        Args:
            at: the release.
            size: how many classes of values everybody's groups leave; shape (people,).
            told: the class of each in what may be a world, where no row of a fair group is taken too often; -1 where
                none is told; likewise.
        """
        place, _, staying = self._of(at)
        contents = place.contents
        most, least = (np.full(contents.groups, fill) for fill in (0, np.iinfo(np.int64).max))
        np.maximum.at(most, contents.group, contents.rows)
        np.minimum.at(least, contents.group, contents.rows)
        fair = most <= least  # fewer where a group has no rows, and so nobody for whom it could be unfair
        here, mine = self._seats(at)
        home = place.home(here)
        fair[home[size[mine] != np.diff(contents.begin)[home]]] = False
        others = np.flatnonzero(~staying)
        fair[place.group[place.place[segments(place.start, others)]]] = False
        world = told[mine]
        fair[home[world < 0]] = False
        row = contents.find(home[world >= 0], world[world >= 0])
        taken = np.bincount(row[row >= 0], minlength=len(contents.rows))
        fair[contents.group[taken > contents.rows]] = False
        return fair

    def _hanging_together(self, releases: int) -> Numbers:
        """Return a label for these people and for the groups of the first releases, equal for those that hang together.

        Shape (people + groups,).
        """
        nodes = self.people
        person, group = [], []
        for at in range(min(releases, len(self._places))):
            here, mine = self._seats(at)
            person.append(mine)
            group.append(nodes + self._places[at].home(here))
            nodes += self._places[at].contents.groups
        return component_of(np.concatenate(person), np.concatenate(group), nodes)

    def _seats(self, at: int) -> tuple[Numbers, Numbers]:
        """Return which people of a release have one place and keep a value to be found out, and their variables."""
        place, everybody, staying = self._of(at)
        here = np.flatnonzero(staying & place.seated)
        return here, everybody[here]

    def _people_columns(self, first_row: Numbers) -> tuple[NetworkColumns, Flags, Numbers]:
        """Return the columns of these people, who is free, and the hint."""
        variable, kind = self._own()
        hint = self._hint(variable, kind)
        if (hint < 0).all():
            hint = self._even_world(np.bincount(variable, minlength=self.people))
        free = self._free(variable, kind, hint) if self._may_be_free else np.zeros(self.people, dtype=np.bool_)
        degree = np.zeros(self.people, dtype=np.int32)
        seats: list[tuple[Numbers, Numbers]] = []
        for at in range(len(self._places)):
            here, mine = self._seats(at)
            bound = ~free[mine]
            here, mine = here[bound], mine[bound]
            degree[mine] += 1
            seats.append((here, mine))
        width = degree[variable]
        row_start = starts(width)
        row = np.zeros(int(row_start[-1]), dtype=np.int64)
        begin = starts(np.bincount(variable, minlength=self.people))
        for at, (here, mine) in enumerate(seats):
            place = self._places[at]
            column = segments(begin, mine)
            home = np.repeat(place.home(here), begin[mine + 1] - begin[mine])
            rank = np.repeat(self.entry[self.first_version[at] + here], begin[mine + 1] - begin[mine])
            row[row_start[column] + rank] = first_row[at] + place.contents.find(home, kind[column])
        return NetworkColumns(variable, kind, width, row), free, hint

    # -- versions ---------------------------------------------------------------------------------------------

    def _version_columns(self, first_row: Numbers, places: list[PlaceRows]) -> NetworkColumns:
        """Return the columns of versions: a row class and a class of values each."""
        parts: list[NetworkColumns] = []
        for at in range(len(self._places)):
            parts.append(self._release_columns(at, first_row, places[at]).sorted())
            _check(sum(len(part.kind) for part in parts))
        # Each version is of one release: its columns are put where they belong.
        size = np.bincount(np.concatenate([part.variable for part in parts]), minlength=self.variables)
        start = starts(size)
        kind, width = (np.zeros(int(start[-1]), dtype=np.int32) for _ in range(2))
        targets = []
        for part in parts:
            _check_time(self._budget)
            first = np.flatnonzero(np.append(True, part.variable[1:] != part.variable[:-1]))[: len(part.kind)]
            mine = part.variable[first]
            targets.append(segments(start, mine))
            kind[targets[-1]], width[targets[-1]] = part.kind, part.width
        row_start = starts(width)
        row = np.zeros(int(row_start[-1]), dtype=np.int64)
        for part, target in zip(parts, targets, strict=True):
            _check_time(self._budget)
            row[segments(row_start, target)] = part.row
        return NetworkColumns(np.repeat(np.arange(self.variables), size), kind, width, row)

    def _release_columns(self, at: int, first_row: Numbers, extra: PlaceRows) -> NetworkColumns:
        place, everybody, staying = self._of(at)
        contents = place.contents
        others = np.flatnonzero(~staying & place.seated)
        candidates = np.diff(place.start)[others]
        where = place.place[segments(place.start, others)]
        who = np.repeat(others, candidates)
        size = np.diff(contents.begin)[place.group[where]]
        _check(int(size.sum()))
        pair = segments(contents.begin, place.group[where])
        where, who = np.repeat(where, size), np.repeat(who, size)
        known = place.fixed[who]
        fits = known < 0
        if not fits.all():
            held = np.zeros((contents.groups, len(self._kind_of)), dtype=np.bool_)
            held[contents.value_group, contents.value] = True
            some = ~fits
            fits[some] = held[place.group[where[some]], known[some]]
            fits[some] &= contents.kind[pair[some]] == self._kind_of[known[some]]
        pair, where, who = pair[fits], where[fits], who[fits]
        rows = [first_row[at] + pair]
        given = [np.ones(len(pair), dtype=np.bool_)]
        for wanted, row in extra.of(place, where):
            given.append(wanted)
            rows.append(row)
        table, there = np.stack(rows, axis=1), np.stack(given, axis=1)
        sure = np.flatnonzero(~staying & ~place.seated)
        none = np.zeros(len(sure), dtype=np.int32)
        return NetworkColumns(
            np.concatenate([everybody[who], everybody[sure]]),
            np.concatenate([contents.kind[pair], self._kind_of[place.fixed[sure]]]).astype(np.int32),
            np.concatenate([there.sum(axis=1, dtype=np.int32), none]),
            table[there],
        )

    # -- all together -----------------------------------------------------------------------------------------

    def network(self) -> ConstraintNetwork:
        """Return the network."""
        sizes = np.array([len(each.contents.rows) for each in self._places])
        first_row = starts(sizes)
        extra, number = [], int(first_row[-1])
        for at in range(len(self._places)):
            extra.append(PlaceRows(self._of(at)[0], self._of(at)[2], number))
            number += extra[-1].number
        people, free, hint = self._people_columns(first_row)
        versions = self._version_columns(first_row, extra)
        may = None if self._bound or self._evidence.transitions is None else self._may()
        columns = people.before(versions)
        del people, versions
        _check_time(self._budget)
        if len(self.link):
            everything = np.ones(len(columns.kind), dtype=np.bool_)
            alive = consistent(columns.variable, columns.kind, everything, self.link, may)
            columns = columns if alive.all() else columns.some(np.flatnonzero(alive))
        share = [shares(each, each.group, each.contents.groups) for each in self._places]
        groups = starts(np.array([int(each.max(initial=-1)) + 1 for each in share]))
        constraint = [
            groups[at] + of[each.contents.group] for at, (each, of) in enumerate(zip(self._places, share, strict=True))
        ]
        last = int(groups[-1])
        for each in extra:
            constraint.append(each.constraint + last)
            last += each.constraints
        release = np.concatenate(
            [np.repeat(np.arange(len(sizes)), sizes), *(np.full(each.number, at) for at, each in enumerate(extra))]
        )
        return ConstraintNetwork(
            versions=Versions(
                self.person,
                self.release,
                np.concatenate([each.counted for each in self._places]),
                self.variable,
                self.entry,
                np.concatenate([each.homes() for each in self._places]),
            ),
            kind_of=self._kind_of,
            contents=tuple(each.contents for each in self._places),
            first_row=first_row,
            start=starts(np.bincount(columns.variable, minlength=self.variables)),
            kind=columns.kind,
            row_start=starts(columns.width),
            row=columns.row,
            capacity=np.concatenate([*(each.contents.rows for each in self._places), *(e.capacity for e in extra)]),
            factor=np.concatenate([*(each.contents.rows for each in self._places), *(e.factor for e in extra)]),
            fakes=np.concatenate(
                [*(np.zeros_like(each.contents.rows) for each in self._places), *(e.fakes for e in extra)]
            ),
            constraint=np.concatenate(constraint),
            row_release=release,
            row_group=np.concatenate([*(each.contents.group for each in self._places), *(e.what for e in extra)]),
            row_kind=np.concatenate([*(each.contents.kind for each in self._places), *(e.kind for e in extra)]),
            link=self.link,
            may=may,
            free=np.concatenate([free, np.zeros(self.variables - self.people, dtype=np.bool_)]),
            hint=np.concatenate([hint, np.full(self.variables - self.people, -1)]),
        )

    def _may(self) -> Flags:
        transitions, values = self._evidence.transitions, len(self._kind_of)
        if transitions is None:
            raise AssertionError("values that never change are bound to people")
        return transitions.weight[:values, :values] > 0


def _many(label: Numbers) -> bool:
    """Return whether more people have one label than parts have whose worlds are counted."""
    return int(np.bincount(label, minlength=1).max()) > COUNTED


def _check_time(budget: Budget) -> None:
    if budget.exhausted():
        raise OutOfTimeError


def _check(columns: int) -> None:
    if columns > MOST_COLUMNS:
        raise TooManyChoicesError
