"""Building the constraint network of the first releases of a series.

`coloured` constructs a world of two releases whose groups hold each of their values equally often.

Groups are vertices, people are edges between their groups, values are colours. A bipartite graph in which no vertex has
more edges than there are colours can be coloured so that all edges of a vertex have different colours (König 1916).
Edges are added until every vertex has as many edges as there are colours; then each perfect matching is a colour.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attacks.joint.network import (
    ConstraintNetwork,
    OpenPlaces,
    RowTable,
    Versions,
    consistent,
    place_rows,
    shares,
    value_classes_of,
)
from attacks.value_sets import listed, value_masks
from audit.model.arrays import Codes, Flags, Numbers, ragged, ranks_within, renumbered, segments, starts
from audit.model.evidence import Evidence, ValueCounts
from audit.runtime.budget import Budget


def coloured(left: Numbers, right: Numbers, colours: int) -> Numbers:
    """Return a colour for each edge so that all edges of a vertex have different colours; shape (edges,), int64.

    Args:
        left: the left vertex of each edge, -1 if it has none; shape (edges,).
        right: the right vertex of each edge, -1 if it has none; shape (edges,).
        colours: the number of colours; no vertex has more edges.

    >>> coloured(np.array([0, 0, 1, -1]), np.array([0, 1, 0, 1]), 2).tolist() in ([0, 1, 1, 0], [1, 0, 0, 1])
    True
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_bipartite_matching

    vertices = int(max(left.max(initial=-1), right.max(initial=-1))) + 1
    both = np.flatnonzero((left >= 0) & (right >= 0))
    ends, of_edge = list[Numbers](), list[Numbers]()
    for end, far_end in ((left, right), (right, left)):
        # A vertex gets one free end for each missing edge; edges with only one vertex use some of these.
        lack = colours - np.bincount(end[both], minlength=vertices)
        begin, single = starts(lack), np.flatnonzero((end >= 0) & (far_end < 0))
        edge = np.full(int(begin[-1]), -1, dtype=np.int64)
        edge[begin[end[single]] + ranks_within(end[single])] = single
        ends.append(np.concatenate([end[both], np.repeat(np.arange(vertices), lack)]))
        of_edge.append(np.concatenate([both, edge]))
    order = np.lexsort(ends[::-1])
    key, colour = ends[0][order] * vertices + ends[1][order], np.full(len(order), -1, dtype=np.int64)
    for each in range(colours):
        left_over = np.flatnonzero(colour < 0)
        distinct, first = np.unique(key[left_over], return_index=True)
        graph = csr_array(
            (np.ones(len(distinct), dtype=np.bool_), (distinct // vertices, distinct % vertices)),
            shape=(vertices, vertices),
        )
        partner = maximum_bipartite_matching(graph, perm_type="column")
        taken = np.searchsorted(distinct, np.arange(vertices) * np.int64(vertices) + partner)
        colour[left_over[first[taken]]] = each
    found = np.full(len(left), -1, dtype=np.int64)
    for edge in of_edge:
        edges = edge[order]
        found[edges[edges >= 0]] = colour[edges >= 0]
    return found


@dataclass
class NetworkColumns:
    """Columns of some variables, with the rows that they take.

    Attributes:
        variable: the variable of each column; shape (columns,).
        value_class: the class of values of each column; shape (columns,).
        width: the number of rows of each column, equal for the columns of a variable; shape (columns,).
        row: the rows of all columns, one column after the other; shape (entries,).
    """

    variable: Numbers
    value_class: Codes
    width: Codes
    row: Numbers

    def sorted(self) -> NetworkColumns:
        """Return the columns sorted by variable and class of values; the sort is stable."""
        key = self.variable * (int(self.value_class.max(initial=0)) + 1) + self.value_class
        if (key[1:] >= key[:-1]).all():
            return self
        by_kind = np.argsort(key, kind="stable")
        return self.some(by_kind)

    def some(self, places: Numbers) -> NetworkColumns:
        """Return the columns at some places, in the given order."""
        row = self.row[segments(starts(self.width), places)]
        return NetworkColumns(self.variable[places], self.value_class[places], self.width[places], row)

    @staticmethod
    def joined(parts: list[NetworkColumns]) -> NetworkColumns:
        """Return the columns of all parts, sorted."""
        filled = [part for part in parts if len(part.value_class)] or parts[:1]
        if len(filled) == 1:  # usual, and there are many columns: do not copy them
            return filled[0].sorted()
        names = ("variable", "value_class", "width", "row")
        return NetworkColumns(*(np.concatenate([getattr(part, name) for part in filled]) for name in names)).sorted()


class TooManyChoicesError(Exception):
    """People may have so many rows that the network would not fit into memory."""


class OutOfTimeError(Exception):
    """The time limit was reached before the network was built."""


# The most columns of a network; each takes about 40 bytes.
MOST_COLUMNS = 100_000_000
# The number of rows of columns that are looked up at a time.
_AT_A_TIME = 1 << 22
# A world of up to so many releases with even groups is found by colouring edges.
_COLOURED = 2
# Networks of evidence with fewer rows are built within a second, so that the clock is not checked.
_LARGE = 200_000


def network_of(evidence: Evidence, releases: int, budget: Budget) -> ConstraintNetwork:
    """Return the constraint network of the first releases.

    Args:
        evidence: the series and what the adversary knows.
        releases: how many releases.
        budget: the time limit; ignored if the evidence has fewer than `_LARGE` rows.

    Raises:
        TooManyChoicesError: the network would have more than `MOST_COLUMNS` columns.
        OutOfTimeError: the time limit was reached.
    """
    if evidence.rows < _LARGE:
        budget = Budget()
    _check_time(budget)
    values = evidence.source.candidate_groups(releases - 1).values
    # Under `register` a person has several possible groups, which may hold different values of a class.
    classes = evidence.adversary.knows_groups or evidence.transitions is None
    found = value_classes_of(evidence.transitions, values) if classes else None
    class_of = np.arange(values, dtype=np.int32) if found is None else found
    places = []
    for release in range(releases):
        _check_time(budget)
        places.append(OpenPlaces(evidence, release, class_of))
    return _Builder(evidence, places, class_of, budget, bound=found is not None).network()


class _Builder:
    """Builds the network from its releases.

    Variables that are people come first, by person; then variables that are versions, by person and release.
    """

    def __init__(
        self, evidence: Evidence, places: list[OpenPlaces], class_of: Codes, budget: Budget, *, bound: bool
    ) -> None:
        self._evidence, self._places, self._class_of, self._bound = evidence, places, class_of, bound
        self._classes = int(class_of.max(initial=-1)) + 1
        self._budget = budget
        self.person = np.concatenate([each.person for each in places])
        sizes = [len(each.person) for each in places]
        self.release = np.repeat(np.arange(len(places), dtype=np.int32), sizes)
        self.first_version = starts(np.array(sizes))
        size = int(self.person.max(initial=-1)) + 1
        present, moving = np.zeros(size, dtype=np.bool_), np.full(size, not bound)
        for each in places:
            present[each.person] = True
            moving[each.person[~each.single]] = True
        keeping, variable = renumbered(np.flatnonzero(present & ~moving), size)
        self.people = len(keeping)
        self.variable = variable[self.person]
        versions = np.flatnonzero(self.variable < 0)
        order = versions[np.lexsort((self.release[versions], self.person[versions]))]
        self.variable[order] = self.people + np.arange(len(order))
        follows = np.flatnonzero(self.person[order][1:] == self.person[order][:-1]) + self.people
        self.link = np.stack([follows, follows + 1], axis=1)
        self.variables = self.people + len(order)
        self.entry = self._ranked()

    def _ranked(self) -> Numbers:
        """Return how many versions of the same variable come before each; -1 if row class and value are known."""
        rank = np.empty(len(self.person), dtype=np.int64)
        so_far = np.zeros(self.variables, dtype=np.int32)
        for at, place in enumerate(self._places):
            span = slice(int(self.first_version[at]), int(self.first_version[at + 1]))
            variable = self.variable[span]  # distinct, as a release has each person once
            before = so_far[variable]
            rank[span] = np.where(place.seated, before, -1)
            so_far[variable] = before + place.seated
        return rank

    def _of(self, at: int) -> tuple[OpenPlaces, Numbers, Flags]:
        """Return a release, the variables of its people, and which of these variables are people; check the clock."""
        _check_time(self._budget)
        variable = self.variable[self.first_version[at] : self.first_version[at + 1]]
        return self._places[at], variable, variable < self.people

    # -- variables that are people: constant values, one place in each release --------------------------------

    def _own(self) -> tuple[Numbers, Codes]:
        """Return the classes of values that all groups of each person have: pairs of variable and class, sorted."""
        words = -(-max(self._classes, 1) // 64)
        left = np.full((self.people, words), ~np.uint64(0))
        each = np.arange(self._classes, dtype=np.int32)
        alone = value_masks(ValueCounts(each, each, None), self._classes, words)
        for at in range(len(self._places)):
            place, variables, keeping = self._of(at)
            contents = place.contents
            held = value_masks(ValueCounts(contents.group, contents.value_class, None), contents.groups, words)
            # A person with a known value is treated as a member of a group that has only this value.
            allowed, which = np.concatenate([held, alone]), np.empty(len(variables), dtype=np.intp)
            seated, known = np.flatnonzero(keeping & place.seated), np.flatnonzero(keeping & ~place.seated)
            which[seated] = place.home(seated)
            which[known] = contents.groups + self._class_of[place.fixed[known]]
            left[variables[keeping]] &= allowed.take(which[keeping], axis=0)
        _check(int(np.bitwise_count(left).sum(dtype=np.int64)))
        return listed(left)

    def _hint(self, variable: Numbers, value_class: Codes) -> Numbers:
        """Return, for each variable, its column with the true value from the publisher's key.

        It is -1 if that is unknown, or if several columns have this value.
        """
        hint = np.full(self.variables, -1, dtype=np.int64)
        if len(self._evidence.world) < len(self._places):
            return hint
        claimed = np.full(self.variables, -2, dtype=np.int32)
        for at in range(len(self._places)):
            own, value = self._of(at)[1], self._evidence.world[at]
            true = np.where((value >= 0) & (value < len(self._class_of)), self._class_of[value], -1)
            claimed[own] = np.where((claimed[own] == -2) | (claimed[own] == true), true, -1)
        chosen = np.flatnonzero(claimed[variable] == value_class)
        chosen = chosen[np.bincount(variable[chosen], minlength=self.variables)[variable[chosen]] == 1]
        hint[variable[chosen]] = chosen
        return hint

    def _even_world(self, size: Numbers) -> Numbers:
        """Return a column for each person in what may be a world, if there are two releases of even groups; else -1.

        A group that has the same number of rows of each class is divided into groups of one row of each class.

        Args:
            size: the number of classes of values that each person's groups leave; shape (people,).
        """
        world = np.full(self.people, -1, dtype=np.int64)
        if not 0 < len(self._places) <= _COLOURED:
            return world
        vertex = np.full((_COLOURED, self.people), -1, dtype=np.int64)
        for at, place in enumerate(self._places):
            seats, variables = self._seats(at)
            home = place.home(seats)
            width = np.diff(place.contents.begin)
            total = np.bincount(place.contents.group, weights=place.contents.rows, minlength=len(width))
            first = starts(np.where(width > 0, -(-total // np.maximum(width, 1)), 0).astype(np.int64))
            vertex[at, variables] = first[home] + ranks_within(home) // np.maximum(width[home], 1)
        begin = starts(size)
        for colours in np.unique(size[size > 1]).tolist():
            people = np.flatnonzero((size == colours) & (vertex >= 0).any(axis=0))
            for end in vertex:
                rank = renumbered(end[people][end[people] >= 0], int(end.max(initial=-1)) + 1)[1]
                end[people] = np.append(rank, -1)[end[people]]
            left, right = vertex[:, people]
            if max(np.bincount(end[end >= 0], minlength=1).max() for end in (left, right)) <= colours:
                world[people] = begin[people] + coloured(left, right, colours)
        return world

    def _seats(self, at: int) -> tuple[Numbers, Numbers]:
        """Return the places of people in a release who are variables with an unknown value, and these variables."""
        place, variables, keeping = self._of(at)
        seats = np.flatnonzero(keeping & place.seated)
        return seats, variables[seats]

    def _people_columns(self, first_row: Numbers) -> NetworkColumns:
        variable, value_class = self._own()
        seats = [self._seats(at) for at in range(len(self._places))]
        degree = np.bincount(np.concatenate([owner for _, owner in seats]), minlength=self.people).astype(np.int32)
        width, first_entry = degree[variable], starts(degree)
        group = starts(np.array([each.contents.groups for each in self._places]))
        # For each release that a person is in: where the rows of the person's group begin in `row_of`, by class.
        at_home, rows = np.zeros(int(first_entry[-1]), dtype=np.int64), list[Codes]()
        for at, (seat, owner) in enumerate(seats):
            place = self._places[at]
            entry = first_entry[owner] + self.entry[self.first_version[at] + seat]
            at_home[entry] = (group[at] + place.home(seat)) * self._classes
            rows.append((place.contents.place + first_row[at]).astype(np.int32).ravel())
        row_of, row = np.concatenate(rows), list[Codes]()
        for chunk in np.array_split(np.arange(len(value_class)), 1 + int(width.sum(dtype=np.int64)) // _AT_A_TIME):
            where = at_home[ragged(first_entry[variable[chunk]], width[chunk])]
            row.append(row_of[where + np.repeat(value_class[chunk], width[chunk])])
        return NetworkColumns(variable, value_class, width, np.concatenate(row))

    # -- variables that are versions --------------------------------------------------------------------------

    def _release_columns(self, at: int, first_row: int, taken: list[Numbers]) -> NetworkColumns:
        place, variables, keeping = self._of(at)
        contents = place.contents
        moving = np.flatnonzero(~keeping & place.seated)
        where = place.place[segments(place.start, moving)]
        who = np.repeat(moving, np.diff(place.start)[moving])
        size = np.diff(contents.begin)[place.group[where]]
        _check(int(size.sum()))
        pair = segments(contents.begin, place.group[where])
        where, who = np.repeat(where, size), np.repeat(who, size)
        known = place.fixed[who]
        fits = known < 0
        if not fits.all():
            held = np.zeros((contents.groups, len(self._class_of)), dtype=np.bool_)
            held[contents.value_group, contents.value] = True
            valued = ~fits
            fits[valued] = held[place.group[where[valued]], known[valued]]
            fits[valued] &= contents.value_class[pair[valued]] == self._class_of[known[valued]]
        pair, where, who = pair[fits], where[fits], who[fits]
        rows = [first_row + pair, *(row[where] for row in taken)]
        table = np.stack(rows, axis=1)
        present = table >= 0
        sure = np.flatnonzero(~keeping & ~place.seated)
        none = np.zeros(len(sure), dtype=np.int32)
        return NetworkColumns(
            np.concatenate([variables[who], variables[sure]]),
            np.concatenate([contents.value_class[pair], self._class_of[place.fixed[sure]]]).astype(np.int32),
            np.concatenate([present.sum(axis=1, dtype=np.int32), none]),
            table[present],
        )

    # -- the network ------------------------------------------------------------------------------------------

    def network(self) -> ConstraintNetwork:
        """Return the network of all releases."""
        contents = tuple(place.contents for place in self._places)
        first_row = starts(np.array([len(each.rows) for each in contents]))
        tables = list[RowTable]()
        for place, each in zip(self._places, contents, strict=True):
            block, none = shares(place, place.group, each.groups)[each.group], np.zeros_like(each.rows)
            tables.append(RowTable(each.rows, each.rows, none, block, each.group, each.value_class))
        parts, releases, number = [self._people_columns(first_row)], list(range(len(contents))), int(first_row[-1])
        for at in range(len(contents)):
            place, _, keeping = self._of(at)
            extra = place_rows(place, keeping, number)
            tables += [table for table, _ in extra]
            releases += [at] * len(extra)
            number += sum(len(table.capacity) for table, _ in extra)
            parts.append(self._release_columns(at, int(first_row[at]), [row for _, row in extra]))
            _check(sum(len(part.value_class) for part in parts[1:]))
        columns = NetworkColumns.joined(parts)
        del parts
        _check_time(self._budget)
        transitions, values = self._evidence.transitions, len(self._class_of)
        may = None if self._bound or transitions is None else transitions.weight[:values, :values] > 0
        every = np.ones(len(columns.value_class), dtype=np.bool_)
        alive = consistent(columns.variable, columns.value_class, every, self.link, may)
        columns = columns if alive.all() else columns.some(np.flatnonzero(alive))
        size = np.bincount(columns.variable, minlength=self.variables)
        hint = self._hint(columns.variable, columns.value_class)
        if (hint < 0).all():
            hint[: self.people] = self._even_world(size[: self.people])
        blocks = starts(np.array([int(table.block.max(initial=-1)) + 1 for table in tables]))
        return ConstraintNetwork(
            versions=Versions(
                self.person,
                self.release,
                np.concatenate([each.counted for each in self._places]),
                self.variable,
                self.entry,
                np.concatenate([each.homes() for each in self._places]),
            ),
            class_of=self._class_of,
            contents=contents,
            first_row=first_row,
            start=starts(size),
            value_class=columns.value_class,
            row_start=starts(columns.width),
            row=columns.row,
            capacity=np.concatenate([table.capacity for table in tables]),
            factor=np.concatenate([table.factor for table in tables]),
            counterfeits=np.concatenate([table.counterfeits for table in tables]),
            block=np.concatenate([table.block + blocks[at] for at, table in enumerate(tables)]),
            variable=np.arange(self.variables),
            column=np.arange(len(columns.value_class)),
            part=np.zeros(self.variables, dtype=np.int64),
            network_rows=np.arange(number),
            row_release=np.repeat(releases, [len(table.capacity) for table in tables]),
            row_group=np.concatenate([table.group for table in tables]),
            row_value_class=np.concatenate([table.value_class for table in tables]),
            link=self.link,
            may=may,
            hint=hint,
            weighs_alike=self._evidence.transitions is None,
        )


def _check_time(budget: Budget) -> None:
    if budget.exhausted():
        raise OutOfTimeError


def _check(columns: int) -> None:
    if columns > MOST_COLUMNS:
        raise TooManyChoicesError
