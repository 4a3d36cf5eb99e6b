"""Proofs for a witness: points of rows, sums of groups, and the lines of a proof for VeriPB.

Points prove what groups rule out by sets of rows that must go to the same people in every world. In a world each person
of a group has one of its rows. Draw an arrow from a person's value to each other value that is possible for the person.
If no value that can be reached from a value has rows to spare, then exactly the people with these values take all of
these rows in every world (Hall, 1935), and no other person has one. Let each of these rows cost a point. Every world
spends all points, so a person cannot have a value that would spend more. The sums of such points over all sets and
groups prove the same at once; a round is one step of a proof. Further steps are those that the attack proves for many
people at once or for one, and, beside a register, prices of rows from linear programmes.

Worlds for a witness, with people and values numbered as in the checkers: an attack's worlds and variants of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from audit.adversary.view import View
from audit.model.arrays import Flags, Floats, Integers, Numbers
from audit.model.outcome import Outcome, PossibleValues
from audit.pipeline.attack_run import AuditRun
from audit.witness.verify import Published, check_world
from audit.witness.verify_points import Left
from audit.witness.verify_proof import HEAD, Formula, named

MOST_WORLDS, _SHUFFLES = 60, 12


def worlds_of(series: Published, view: View, knowing: PossibleValues) -> list[Integers]:
    """Return the known worlds, with people and values numbered as in the checkers; shape (times, people) each."""
    code = np.array([series.code.get(texts_of(view, value), -1) for value in range(len(view.values))], dtype=np.int32)
    people = [view.source.candidate_groups(at).person for at in range(len(series.tags))]
    place = [np.array([series.people[view.name(each)] for each in some.tolist()], dtype=np.int64) for some in people]
    found = list[Integers]()
    for world in knowing.worlds():
        mine = np.full((series.times, len(series.people)), -1, dtype=np.int32)
        for at, (person, (_, value)) in enumerate(zip(place, world, strict=True)):
            mine[at % series.times, person] = code[value]
        found.append(mine)
    return found


def texts_of(view: View, value: int) -> tuple[str, ...]:
    """Return a value as texts, one for each attribute."""
    if view.combined is None:
        return (view.values[value],)
    vocabularies = [view.series.vocabularies[name].names for name in view.combined.attributes]
    return tuple(names[part] for names, part in zip(vocabularies, view.combined.parts()[value].tolist(), strict=True))


def chosen(series: Published, known: Sequence[Integers], *, all_values: bool) -> Integers:
    """Return the first world, and those worlds and variants that show more; shape (worlds, times, people).

    More is a second value of a person, or each other value of a person, if `all_values` matter.
    """
    taken, finer_only, same = [known[0]], list[Integers](), np.unique(known[0][0], return_inverse=True)[1]
    check_world(series, known[0], "the first world")
    first = known[0] if not all_values else np.arange(len(series.values))
    two: Flags = np.zeros((*known[0].shape, len(series.values))[: 2 + all_values], dtype=np.bool_)
    for world in (*known[1:], *_shuffled(series, known)):
        more: Flags = two | (world[..., np.newaxis] == first if all_values else world != first)
        finer = np.unique(same * (len(series.values) + 1) + world[0], return_inverse=True)[1].reshape(-1)
        grows, divides = more.sum() > two.sum(), series.times == 1 and finer.max(initial=0) > same.max(initial=0)
        if not (grows or divides) or len(taken) >= MOST_WORLDS or not holds(partial(check_world, series, world, "")):
            continue
        (taken if grows else finer_only).append(world)
        two, same = more, finer
    judged = series.judged.any(axis=0)
    if len(np.unique(same[judged])) == judged.sum():  # no two people are equal in all of them
        taken += finer_only
    return np.stack(taken)


def holds(check: Callable[[], None]) -> bool:
    """Return whether a checker accepts a world."""
    try:
        check()
    except NotImplementedError:
        return False
    return True


def _shuffled(series: Published, known: Sequence[Integers]) -> Iterator[Integers]:
    """Yield worlds in which people who are always in the same groups exchange their values."""
    key = np.concatenate([series.home, series.known]).T
    kind = np.unique(key, axis=0, return_inverse=True)[1].reshape(-1)
    order, rng = np.argsort(kind, kind="stable"), np.random.default_rng(0)
    for at in range(_SHUFFLES):
        mixed, world = np.lexsort((rng.random(len(kind)), kind)), known[at % len(known)]
        found = world.copy()
        found[:, order] = world[:, mixed]
        yield found


Step = list[list[int]]
"""A step of a proof: release, row, value and points of each kind of row that costs points."""
# The number of table cells in memory at once.
_AT_ONCE = 1 << 23


def prove_by_groups(left: Left, world: Integers, dirty: Flags | None = None) -> Iterator[Step]:
    """Rule out what single groups rule out, until nothing changes, and yield the steps that prove it.

    Args:
        left: the values that are possible for people; changed in place.
        world: a world; shape (times, people).
        dirty: the groups to begin with; all groups if None; shape (groups,).
    """
    groups = np.arange(len(left.series.held)) if dirty is None else np.flatnonzero(dirty)
    while len(groups):
        some, price = _tight(left, world, groups)
        if not len(some):
            return
        groups = np.flatnonzero(strike(left, some, price))
        yield step_of(left.series, some, price)


def strike(left: Left, groups: Numbers, price: Numbers) -> Flags:
    """Rule out what the points of rows prove, and return which groups have people who lost values.

    Args:
        left: the values that are possible for people; changed in place.
        groups: the groups whose rows have points.
        price: the points of their rows; shape (groups, values).

    Returns:
        Flags of all groups of the series.
    """
    before, found = left.values.copy(), np.zeros(len(left.series.held), dtype=np.bool_)
    left.strike_out(groups, np.concatenate([np.zeros_like(price[:1]), price]))
    lost: Flags = np.any(before & ~left.values, axis=2)
    for at, home in enumerate(left.series.home):
        found[home[(home >= 0) & lost[at % len(lost)]]] = True
    return found


def step_of(series: Published, groups: Numbers, price: Numbers) -> Step:
    """Return the step in which rows of some groups cost points, by group and value."""
    at, value = np.nonzero(price)
    release = np.searchsorted(series.first, groups[at], side="right") - 1
    row = first_rows(series)[groups[at]]
    points = price[at, value]
    return [list(each) for each in zip(release.tolist(), row.tolist(), value.tolist(), points.tolist(), strict=True)]


def first_rows(series: Published) -> Numbers:
    """Return the first row of each group, by which files name the group, -1 without rows; shape (groups,), int64."""
    found = np.full(len(series.held), -1, dtype=np.int64)
    for first, group in zip(series.first, series.group, strict=False):
        found[first + group[::-1]] = np.arange(len(group))[::-1]
    return found


def _tight(left: Left, world: Integers, groups: Numbers) -> tuple[Numbers, Numbers]:
    """Return the groups with sets of values that their people must take, where this rules something out.

    Also return the points of their rows: the number of such sets that contain each value; shape (groups, values).
    """
    series, wanted = left.series, np.zeros(len(left.series.held), dtype=np.bool_)
    wanted[groups] = True
    arrows = [_arrows(left, world, at, wanted) for at in range(len(series.home))]
    home, now, other = map(np.concatenate, zip(*arrows, strict=True))
    rank = np.cumsum(series.held > 0, axis=1) - 1
    width = (series.held > 0).sum(axis=1)[groups]
    order = np.argsort(width, kind="stable")
    ends = np.cumsum(width[order] ** 2 * 4)  # as a share of the memory that all groups together would take
    found = np.zeros((len(groups), len(series.values)), dtype=np.int64)
    place = np.full(len(series.held), -1, dtype=np.int64)
    for some in np.split(order, np.flatnonzero(np.diff(ends // _AT_ONCE)) + 1):
        if not len(some):
            continue
        size = int(width[some].max())
        place[:] = -1
        place[groups[some]] = np.arange(len(some))
        mine = place[home] >= 0
        reach = np.zeros((len(some), size, size), dtype=np.bool_)
        g, a, b = home[mine], now[mine], other[mine]
        reach[place[g], rank[g, a], rank[g, b]] = True
        taken: Flags = np.any(reach, axis=2)
        rows = np.zeros((len(some), size), dtype=np.int64)
        at, value = np.nonzero(series.held[groups[some]])
        rows[at, rank[groups[some][at], value]] = series.held[groups[some][at], value]
        spare: Flags = rows > _taken(series, world, groups[some], rank, size)
        points = _points(reach, taken, spare)
        found[some[at], value] = points[at, rank[groups[some][at], value]]
    used = found.any(axis=1)
    return groups[used], found[used]


def _arrows(left: Left, world: Integers, release: int, wanted: Flags) -> tuple[Numbers, Numbers, Numbers]:
    """Return each person's group, the person's value, and each value that is possible, for some groups of a release."""
    home, at = left.series.home[release], release % len(world)
    person = np.flatnonzero((home >= 0) & wanted[home])
    who, value = np.nonzero(left.values[at, person])
    return home[person[who]], world[at, person[who]].astype(np.int64), value


def _taken(series: Published, world: Integers, groups: Numbers, rank: Numbers, size: int) -> Numbers:
    """Return how many people of some groups have each value; shape (groups, size)."""
    place, found = np.full(len(series.held), -1, dtype=np.int64), np.zeros((len(groups), size), dtype=np.int64)
    place[groups] = np.arange(len(groups))
    for at, home in enumerate(series.home):
        person = np.flatnonzero((home >= 0) & (place[home] >= 0))
        group, value = home[person], world[at % len(world), person]
        np.add.at(found, (place[group], rank[group, value]), 1)
    return found


def _points(reach: Flags, taken: Flags, spare: Flags) -> Numbers:
    """Return the points of the rows of groups by the arrows between their values.

    Args:
        reach: whether an arrow leads from one value to another; shape (groups, values, values); changed in place to its
            transitive closure.
        taken: whether people have the value; shape (groups, values).
        spare: whether the value has rows that no person takes; shape (groups, values).
    """
    for at in range(reach.shape[1]):
        reach |= reach[:, :, at : at + 1] & reach[:, at : at + 1, :]
    whole = taken & ~(reach & spare[:, np.newaxis, :]).any(axis=2)
    weight = reach.astype(np.float32)
    enters = (weight @ weight.transpose(0, 2, 1) > 0) & ~reach.transpose(0, 2, 1)  # from a value into a set
    whole &= (enters & taken[:, :, np.newaxis]).any(axis=1)
    points: Numbers = (reach & whole[:, :, np.newaxis]).sum(axis=1, dtype=np.int64)
    return points


_MOST_PROOFS = 1_000
"""The most proofs of single values: a limit of time would show more on faster machines."""


def further_steps(left: Left, world: Integers, view: View, known: Outcome) -> Iterator[Step]:
    """Yield steps from the points of all people at once, then as many proofs of single values as a limit allows."""
    claims, series, proofs = known.claims, left.series, 0
    code = np.array([series.code.get(texts_of(view, value), -1) for value in range(len(view.values))], dtype=np.int64)
    yield from _of_all(left, world, _priced(series, view, known, code))
    if claims is None or claims.versions is None:
        return
    homes = dict[int, dict[str, int]]()
    for place, (person, release) in enumerate(zip(claims.versions.tolist(), claims.release.tolist(), strict=True)):
        mine = left.values[release % series.times, series.people[view.name(person)]]
        if mine.sum() == 1:
            continue
        if proofs == _MOST_PROOFS:
            return
        proofs += 1
        [finding] = claims.certify(np.array([place]))
        proof = None if finding is None else finding.proof
        if proof is None or not proof.points:
            continue
        price = dict[int, Numbers]()
        for row in proof.points:
            if row.release not in homes:
                homes[row.release] = named_groups(series, view, row.release)
            if row.group in homes[row.release]:
                of = price.setdefault(homes[row.release][row.group], np.zeros(len(series.values), dtype=np.int64))
                of[code[row.value]] = row.points
        if price:
            groups, points = np.array(sorted(price)), np.stack([price[each] for each in sorted(price)])
            dirty = strike(left, groups, points)
            yield step_of(series, groups, points)
            yield from prove_by_groups(left, world, dirty)


def _of_all(left: Left, world: Integers, priced: Iterator[tuple[Numbers, Numbers]]) -> Iterator[Step]:
    """Yield those of the steps that rule something out, each with what single groups prove after it."""
    for groups, price in priced:
        dirty = strike(left, groups, price)
        if dirty.any():
            yield step_of(left.series, groups, price)
            yield from prove_by_groups(left, world, dirty)


def _priced(series: Published, view: View, known: Outcome, code: Numbers) -> Iterator[tuple[Numbers, Numbers]]:
    """Yield groups, and the points of their rows by value, for each known step; points have shape (groups, values)."""
    homes = [_numbered_groups(series, view, release) for release in range(len(series.tags))]
    for step in known.knowing.points() if known.knowing is not None else ():
        group = np.array(
            [homes[at].get(each, -1) for at, each in zip(step.release.tolist(), step.group.tolist(), strict=True)],
            dtype=np.int64,
        )
        some, place = np.unique(group, return_inverse=True)
        price = np.zeros((len(some), len(series.values)), dtype=np.int64)
        for value, number in enumerate(code.tolist()):
            mine = step.kind == step.kind_of[value]
            if number >= 0:
                price[place[mine], number] = step.points[mine]
        yield some[some >= 0], price[some >= 0]


def _numbered_groups(series: Published, view: View, release: int) -> dict[int, int]:
    """Return the populated groups of a release as checkers number them, by the program's numbers."""
    seen = view.source.candidate_groups(release)
    group = seen.class_group[seen.row_class[seen.start[:-1]]]
    distinct, first = np.unique(group, return_index=True)
    people = [series.people[view.name(each)] for each in seen.person[first].tolist()]
    return dict(zip(distinct.tolist(), series.home[release, people].tolist(), strict=True))


def named_groups(series: Published, view: View, release: int) -> dict[str, int]:
    """Return the populated groups of a release as checkers number them, by the names in proofs."""
    numbers = _numbered_groups(series, view, release)
    names = view.source.group_names(release, np.array([*numbers]))
    return dict(zip(names, numbers.values(), strict=True))


Solve = Callable[[Floats, Floats, Any], Floats | None]
"""Maximizes a cost over columns from 0 to some ends; the product of sparse rows and columns is at most 0."""
_SCALES, _MOST = (1, 2, 3, 4, 6, 12), 200_000
_ENTRIES = 3_000_000
"""The most entries of all linear programmes together: a limit of time would show more on faster machines."""


def register_steps(left: Left, worlds: Integers, solve: Solve) -> Iterator[Step]:
    """Yield steps that rule out values of people that no world gives them, as far as a limit of work allows.

    By the duality of linear programmes, there are such points wherever fractions of rows cannot give the person the
    value, either.

    Args:
        left: the values that are left; changed in place.
        worlds: the values that worlds give people; shape (worlds, releases, people).
        solve: solves linear programmes.
    """
    seen, entries = np.zeros(left.values.shape, dtype=np.bool_), 0
    for world in worlds:
        release, who = np.nonzero(world >= 0)
        seen[release % len(seen), who, world[release, who]] = True
    release, who, which = np.nonzero(left.values & ~seen)
    order = np.argsort(seen.sum(axis=2)[release, who], kind="stable")  # first those with one value in all worlds
    for each in zip(release[order].tolist(), who[order].tolist(), which[order].tolist(), strict=True):
        if not left.values[each]:
            continue
        programme = _Prices(left, *each) if len(left.series.people) * left.series.held.size <= _MOST else None
        entries += len(programme.entries) if programme is not None else 0
        if programme is None or entries > _ENTRIES:
            return
        price = programme.found(solve)
        for points in [] if price is None else [np.rint(price * scale).astype(np.int64) for scale in _SCALES]:
            groups, before = np.flatnonzero(points.any(axis=1)), left.values.sum()
            left.strike_out(groups, np.concatenate([np.zeros_like(points[:1]), points[groups]]))
            if left.values.sum() < before:
                yield step_of(left.series, groups, points[groups])
            if not left.values[each]:
                break


class _Prices:
    """A linear programme of prices of rows, from 0 to 1, at which a person cannot have a value in a release.

    A column is the price of a row, by group and value; the least cost of a person up to a release and value; or that of
    a person in all releases.
    """

    def __init__(self, left: Left, release: int, person: int, value: int) -> None:
        self.left, self.asked, self.size = left, (release, person, value), left.series.held.size
        self.cost: list[float] = (-left.series.held.ravel()).tolist()
        self.entries = list[tuple[int, int, float]]()
        self.rows = 0
        for who in range(len(left.series.people)):
            self._add(who)

    def found(self, solve: Solve) -> Floats | None:
        """Return the prices; shape (groups, values); None if there are none."""
        from scipy.sparse import csr_array

        row, place, weight = zip(*self.entries, strict=True)
        cost, ends = np.array(self.cost), np.full(len(self.cost), float(len(self.left.series.tags)))
        ends[: self.size] = 1
        found = solve(cost, ends, csr_array((weight, (row, place)), shape=(self.rows, len(cost))))
        return None if found is None or found @ cost < 1e-6 else found[: self.size].reshape(self.left.series.held.shape)

    def _add(self, who: int) -> None:
        """Add the histories of a person; the person in question has the value in question."""
        series, last = self.left.series, dict[int, int]()
        releases, spent = np.flatnonzero(series.home[:, who] >= 0).tolist(), self._column(1.0)
        for before, now in pairwise([-1, *releases]):
            here = {own: self._column(0.0) for own in self._possible(now, who)}
            for own, mine in here.items():
                follows = [of for of in last if (of == own if series.may is None else series.may[of, own])]
                for group in self.left.places(now, who, own):
                    row = group * series.held.shape[1] + own
                    for earlier in [[]] if before < 0 else [[last[of]] for of in follows]:
                        self._at_most(mine, row, *earlier)
            last = here
        for mine in last.values():
            self._at_most(spent, mine)

    def _possible(self, now: int, who: int) -> list[int]:
        at, person, value = self.asked
        found: list[int] = np.flatnonzero(self.left.values[now % len(self.left.values), who]).tolist()
        fixed = who == person and (now == at or self.left.series.may is None)
        return [own for own in found if own == value or not fixed]

    def _column(self, cost: float) -> int:
        self.cost.append(cost)
        return len(self.cost) - 1

    def _at_most(self, one: int, *others: int) -> None:
        """Let a column be at most the sum of others."""
        self.entries += [(self.rows, one, 1.0), *((self.rows, other, -1.0) for other in others)]
        self.rows += 1


# Weights are searched for this many claims, because some claims are only known by random linear algebra.
_ASKED = 5


def sum_of_groups(series: Published, run: AuditRun, sensitive: str) -> list[Any] | None:
    """Return a divisor, and release, row and weight of the groups that show a small equivalence; None if there is none.

    Args:
        series: the series as the checkers read it.
        run: the run whose attacks found the equivalences.
        sensitive: the sensitive attribute.
    """
    row = first_rows(series)
    for result in run.results:
        claims, view = result.outcome.claims, result.evidence
        if claims is None or view.followed or view.sensitive != sensitive or view.combined:
            continue
        for each in claims.certify(claims.equivalences(math.inf)[:_ASKED]):
            if each.evidence != "proof" or not each.certificate:
                continue
            divisor = math.lcm(*(group.weight.denominator for group in each.certificate))
            homes = {at: named_groups(series, view, at) for at in {group.release for group in each.certificate}}
            if all(group.group in homes[group.release] for group in each.certificate):
                found = [(at.release, homes[at.release][at.group], at.weight * divisor) for at in each.certificate]
                return [divisor, [[at, int(row[of]), int(weight)] for at, of, weight in found]]
    return None


def proof_lines(series: Published, formula: Formula, worlds: Integers, steps: Sequence[Step]) -> Iterator[str]:
    """Yield the lines of a proof: sums of constraints, the values that each rules out, certain values, and worlds.

    Args:
        series: the series as the checkers read it.
        formula: the formula of the series.
        worlds: the stated worlds; shape (worlds, 1, people).
        steps: the points that prove what no world contains.
    """
    yield from (HEAD, f"f {len(formula.constraints)}")
    left, numbers = Left(series), np.arange(len(series.values))
    for step in steps:
        before = left.values[0].copy()
        left.step(step, numbers)
        yield _sum(series, formula, step, before)
        for person, value in np.argwhere(before & ~left.values[0]).tolist():
            yield f"rup 1 {named(-formula.variable[person, value])} >= 1 ;"
    for at in range(len(series.sensitive)):
        for person in np.flatnonzero(series.judged.any(axis=0)).tolist():
            mine = {formula.variable[person, value] for value in np.flatnonzero(left.values[0, person]).tolist()}
            for some in formula.alike(series, person, at).values():
                if mine <= some:
                    yield f"rup {' '.join(f'1 {named(each)}' for each in sorted(some))} >= 1 ;"
    for world in worlds[:, 0]:
        yield f"v {' '.join(named(formula.variable[each]) for each in enumerate(world.tolist()))}"


def _sum(series: Published, formula: Formula, step: Step, left: Integers) -> str:
    """Return the sum of constraints of a step: the points of rows, minus the least that each person spends."""
    price = {(int(series.first[at] + series.group[at][row]), value): points for at, row, value, points in step}
    price = {each: points for each, points in price.items() if each in formula.cap}  # the person has no other row
    parts = [f"{formula.cap[each]} {points} *" for each, points in price.items()]
    groups = sorted({group for group, _ in price})
    for person in np.flatnonzero(np.isin(series.home, groups).any(axis=0)).tolist():
        home, values = series.home[:, person].tolist(), np.flatnonzero(left[person]).tolist()
        if least := min(sum(price.get((group, value), 0) for group in home) for value in values):
            parts.append(f"{1 + 2 * person} {least} *")
    return " ".join(["pol", parts[0], *(f"{each} +" for each in parts[1:])])
