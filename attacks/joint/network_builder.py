"""Building the constraint network of the first releases of a series."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attacks.joint.arrays import Flags, Numbers, ragged, renumbered, segments, starts
from attacks.joint.links import consistent
from attacks.joint.network import ConstraintNetwork, Versions, kinds_of
from attacks.joint.places import OpenPlaces, PlaceRows, shares
from audit.model.evidence import Codes, Evidence
from audit.runtime.budget import Budget

# Parts of up to so many variables are counted.
COUNTED = 64


class TooManyChoicesError(Exception):
    """People may have so many rows that listing them would take more memory than there is."""


class OutOfTimeError(Exception):
    """The time was up before the network was built."""


# Columns that are listed at most; each takes some 40 bytes.
MOST_COLUMNS = 100_000_000
# The networks of fewer rows are a matter of a second.
_LARGE = 200_000


@dataclass
class _Columns:
    """Columns of some variables: kind, and the rows that each takes, as many for all columns of a variable."""

    variable: Numbers
    kind: Codes
    row_start: Numbers
    row: Numbers

    def sorted(self) -> _Columns:
        """Return the same by variable and kind; columns that are alike stay in their order."""
        key = self.variable * (int(self.kind.max(initial=0)) + 1) + self.kind
        if (key[1:] >= key[:-1]).all():
            return self
        order = np.argsort(key, kind="stable")
        row = self.row[segments(self.row_start, order)]
        return _Columns(self.variable[order], self.kind[order], starts(np.diff(self.row_start)[order]), row)


def network_of(evidence: Evidence, releases: int, budget: Budget) -> ConstraintNetwork:
    """Return the network of the first releases.

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
    return _Builder(evidence, places, kinds, budget, bound=bound).network()


class _Builder:
    """Puts the releases together.

    Variables of people come first, in the order of the people, and then those of versions, by person and release.
    """

    def __init__(
        self, evidence: Evidence, places: list[OpenPlaces], kind_of: Codes, budget: Budget, *, bound: bool
    ) -> None:
        self._evidence, self._places, self._kind_of, self._bound = evidence, places, kind_of, bound
        self._budget = budget
        self.person = np.concatenate([each.person for each in places])
        sizes = [len(each.person) for each in places]
        self.release = np.repeat(np.arange(len(places), dtype=np.int32), sizes)
        self.first_version = starts(np.array(sizes))
        single = np.concatenate([each.single for each in places])
        moving = np.zeros(int(self.person.max(initial=-1)) + 1, dtype=np.bool_)
        moving[self.person[~single]] = True
        if not bound:
            moving[:] = True
        apart = moving[self.person]
        staying, variable = renumbered(self.person[~apart], len(moving))
        self.people = len(staying)
        self.variable = variable[self.person]
        some = np.flatnonzero(apart)
        order = some[np.lexsort((self.release[some], self.person[some]))]
        self.variable[order] = self.people + np.arange(len(order))
        follows = np.flatnonzero(self.person[order][1:] == self.person[order][:-1]) + self.people
        self.link = np.stack([follows, follows + 1], axis=1)
        self.variables = self.people + len(order)
        seated = np.concatenate([each.seated for each in places])
        self.entry = np.where(seated, self._rank(seated), -1)

    def _rank(self, seated: Flags) -> Numbers:
        """Return how many places of the variable come before each version."""
        rank = np.zeros(len(seated), dtype=np.int64)
        so_far = np.zeros(self.variables, dtype=np.int64)
        for at in range(len(self._places)):
            here = slice(int(self.first_version[at]), int(self.first_version[at + 1]))
            variable = self.variable[here]
            rank[here] = so_far[variable]
            so_far[variable[seated[here]]] += 1
        return rank

    def _of(self, at: int) -> tuple[OpenPlaces, Numbers, Flags]:
        """Return a release, the variables of its people, and which of these are people's; each step asks for it."""
        _check_time(self._budget)
        variable = self.variable[self.first_version[at] : self.first_version[at + 1]]
        return self._places[at], variable, variable < self.people

    # -- people who keep their values and have one place ------------------------------------------------------

    def _own(self) -> tuple[Numbers, Codes]:
        """Return what the groups of each such person leave, as pairs of a variable and a class of values, in order."""
        start, kind = self._listed()
        alive = np.ones(len(kind), dtype=np.bool_)
        for at in range(len(self._places)):
            place, everybody, staying = self._of(at)
            here = np.flatnonzero(staying & place.seated)
            known = np.flatnonzero(staying & ~place.seated)
            mine = everybody[here]
            column = segments(start, mine)
            home = np.repeat(place.home(here), start[mine + 1] - start[mine])
            alive[column] &= place.contents.find(home, kind[column]) >= 0
            mine = everybody[known]
            column = segments(start, mine)
            only = np.repeat(self._kind_of[place.fixed[known]], start[mine + 1] - start[mine])
            alive[column] &= kind[column] == only
            if 2 * np.count_nonzero(alive) < len(alive):
                start, kind = starts(alive.astype(np.int8))[start], kind[alive]
                alive = np.ones(len(kind), dtype=np.bool_)
        variable = np.repeat(np.arange(self.people), np.diff(start))
        return variable[alive], kind[alive]

    def _listed(self) -> tuple[Numbers, Codes]:
        """Return what the first release of each such person leaves: where each one's begin, and classes of values."""
        size, begun = np.zeros(self.people, dtype=np.int64), np.zeros(self.variables, dtype=np.bool_)
        listed = []
        for at in range(len(self._places)):
            place, everybody, staying = self._of(at)
            new = np.flatnonzero(staying & ~begun[everybody])
            begun[everybody[new]] = True
            home = place.home(new)
            begin = place.contents.begin[home]
            seated = place.seated[new]
            size[everybody[new]] = np.where(seated, place.contents.begin[home + 1] - begin, 1)
            listed.append((everybody[new], begin, seated, self._kind_of[np.maximum(place.fixed[new], 0)]))
            _check(int(size.sum()))
        start = starts(size)
        kind = np.zeros(int(start[-1]), dtype=np.int32)
        for (mine, begin, seated, only), place in zip(listed, self._places, strict=True):
            kind[start[mine[~seated]]] = only[~seated]
            some = mine[seated]
            kind[segments(start, some)] = place.contents.kind[ragged(begin[seated], size[some])]
        return start, kind

    def _hint(self, variable: Numbers, kind: Codes) -> Numbers:
        """Return the pair of each such person in what the publisher's key says, -1 where it says nothing."""
        told = np.full(self.people, -2, dtype=np.int64)
        for at in range(len(self._places)):
            world = self._evidence.source.warm_start(at)
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

    def _free(self, variable: Numbers, kind: Codes, hint: Numbers) -> Flags:
        """Return who can exchange values at will in a world that is known, in all groups that hang together.

        There all members may have exactly the values of each group, which are equally frequent, and what the key tells
        is a world; it is checked here.
        """
        size = np.bincount(variable, minlength=self.people)
        even = []
        for at in range(len(self._places)):
            place, everybody, staying = self._of(at)
            contents = place.contents
            most, least = (np.full(contents.groups, fill) for fill in (0, np.iinfo(np.int64).max))
            np.maximum.at(most, contents.group, contents.rows)
            np.minimum.at(least, contents.group, contents.rows)
            fair = most == least
            here = np.flatnonzero(staying & place.seated)
            home, mine = place.home(here), everybody[here]
            fair[home[size[mine] != np.diff(contents.begin)[home]]] = False
            others = np.flatnonzero(~staying)
            fair[place.group[place.place[segments(place.start, others)]]] = False
            world = hint[mine]
            fair[home[world < 0]] = False
            row = contents.find(home[world >= 0], kind[world[world >= 0]])
            taken = np.bincount(row[row >= 0], minlength=len(contents.rows))
            fair[contents.group[taken > contents.rows]] = False
            even.append((mine, home, fair))
        free = np.ones(self.people, dtype=np.bool_)
        if not any(fair.any() for _, _, fair in even):
            return ~free
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        first = starts(np.array([len(fair) for _, _, fair in even])) + self.people
        one = np.concatenate([mine for mine, _, _ in even])
        other = np.concatenate([home + at for (_, home, _), at in zip(even, first, strict=False)])
        graph = coo_array((np.ones(len(one), dtype=np.bool_), (one, other)), shape=(int(first[-1]), int(first[-1])))
        label = connected_components(graph, directed=False)[1]
        unfair = np.zeros(int(label.max(initial=-1)) + 1, dtype=np.bool_)
        groups = np.concatenate([fair for _, _, fair in even])
        unfair[label[self.people :][~groups]] = True
        free &= ~unfair[label[: self.people]]
        there = np.zeros(self.people, dtype=np.bool_)
        there[one] = True
        free &= there
        # Where all that hangs together is small, its worlds are counted.
        return free if np.bincount(label[: self.people][free], minlength=1).max() > COUNTED else np.zeros_like(free)

    def _people_columns(self, first_row: Numbers) -> tuple[_Columns, Flags, Numbers]:
        """Return the columns of these people, who is free, and the hint."""
        variable, kind = self._own()
        hint = self._hint(variable, kind)
        free = self._free(variable, kind, hint)
        degree = np.zeros(self.people, dtype=np.int64)
        seats: list[tuple[Numbers, Numbers]] = []
        for at in range(len(self._places)):
            place, everybody, staying = self._of(at)
            here = np.flatnonzero(staying & place.seated)
            here = here[~free[everybody[here]]]
            degree[everybody[here]] += 1
            seats.append((here, everybody[here]))
        row_start = starts(degree[variable])
        row = np.zeros(int(row_start[-1]), dtype=np.int64)
        begin = np.searchsorted(variable, np.arange(self.people + 1))
        for at, (here, mine) in enumerate(seats):
            place = self._places[at]
            column = segments(begin, mine)
            home = np.repeat(place.home(here), begin[mine + 1] - begin[mine])
            rank = np.repeat(self.entry[self.first_version[at] + here], begin[mine + 1] - begin[mine])
            row[row_start[column] + rank] = first_row[at] + place.contents.find(home, kind[column])
        return _Columns(variable, kind, row_start, row), free, hint

    # -- versions ---------------------------------------------------------------------------------------------

    def _version_columns(self, first_row: Numbers, places: list[PlaceRows]) -> _Columns:
        """Return the columns of versions: a row class and a class of values each."""
        parts: list[_Columns] = []
        for at in range(len(self._places)):
            parts.append(self._release_columns(at, first_row, places[at]).sorted())
            _check(sum(len(part.kind) for part in parts))
        # Each version is of one release: its columns are put where they belong.
        size = np.bincount(np.concatenate([part.variable for part in parts]), minlength=self.variables)
        start = starts(size)
        kind, width = np.zeros(int(start[-1]), dtype=np.int32), np.zeros(int(start[-1]), dtype=np.int64)
        targets = []
        for part in parts:
            _check_time(self._budget)
            first = np.flatnonzero(np.append(True, part.variable[1:] != part.variable[:-1]))[: len(part.kind)]
            mine = part.variable[first]
            targets.append(segments(start, mine))
            kind[targets[-1]], width[targets[-1]] = part.kind, np.diff(part.row_start)
        row_start = starts(width)
        row = np.zeros(int(row_start[-1]), dtype=np.int64)
        for part, target in zip(parts, targets, strict=True):
            _check_time(self._budget)
            row[segments(row_start, target)] = part.row
        return _Columns(np.repeat(np.arange(self.variables), size), kind, row_start, row)

    def _release_columns(self, at: int, first_row: Numbers, extra: PlaceRows) -> _Columns:
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
        none = np.zeros(len(sure), dtype=np.int64)
        return _Columns(
            np.concatenate([everybody[who], everybody[sure]]),
            np.concatenate([contents.kind[pair], self._kind_of[place.fixed[sure]]]).astype(np.int32),
            starts(np.concatenate([there.sum(axis=1), none])),
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
        variable = np.concatenate([people.variable, versions.variable])
        kind = np.concatenate([people.kind, versions.kind])
        size = np.concatenate([np.diff(people.row_start), np.diff(versions.row_start)])
        row = np.concatenate([people.row, versions.row])
        _check_time(self._budget)
        alive = consistent(variable, kind, np.ones(len(kind), dtype=np.bool_), self.link, may)
        if not alive.all():
            kept = np.flatnonzero(alive)
            row = row[segments(starts(size), kept)]
            variable, kind, size = variable[kept], kind[kept], size[kept]
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
            start=starts(np.bincount(variable, minlength=self.variables)),
            kind=kind,
            row_start=starts(size),
            row=row,
            capacity=np.concatenate([*(each.contents.rows for each in self._places), *(e.capacity for e in extra)]),
            factor=np.concatenate([*(each.contents.rows for each in self._places), *(e.factor for e in extra)]),
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


def _check_time(budget: Budget) -> None:
    if budget.exhausted():
        raise OutOfTimeError


def _check(columns: int) -> None:
    if columns > MOST_COLUMNS:
        raise TooManyChoicesError
