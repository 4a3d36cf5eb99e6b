"""Inference: how well values are guessed from the releases themselves, compared with two controls.

**Threat model.** The adversary (`linked`) knows who is in which group, and all published quasi-identifiers; values
never change. From the groups, the adversary learns which quasi-identifiers are typical of which values (naive Bayes, EM
over the rows of people), and guesses each person's value from this and from the person's groups. **Claim.** None about
a person. The result is an estimate, never a finding, and decides no clause. It reports the share of right guesses
(*attack*) beside two others: *control*, for people whose groups are used neither to learn nor to guess, which shows
what is true of the whole population; and *baseline*, for guesses among the values of the person's groups. Only the
excess over the control counts.

Source: D. Kifer, "Attacks on privacy and deFinetti's theorem", SIGMOD 2009; M. Giomi et al., "A unified framework for
quantifying privacy risk in synthetic data" (anonymeter), PoPETs 2023, for the control. Cost: some passes over the rows.

Naive Bayes over anonymized groups: learn P(cell | value) from groups whose values are known, but not whose they are.

Expectation: an assignment of the group's values to its rows is a permutation, with a probability proportional to the
product of P(cells | value) over the rows; exact in groups of up to six rows, by proportional fitting in larger ones.
Maximization: P(cell | value) from the expected numbers of rows. Both are repeated (EM).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from math import hypot, sqrt
from typing import ClassVar

import numpy as np

from audit.model.arrays import Codes, Counts, Flags, Floats, flagged, starts
from audit.model.evidence import (
    Evidence,
    Members,
    ValueCounts,
    constant_reason,
    linked_reason,
    quasi_identifiers_reason,
)
from audit.model.finding import FindingRule
from audit.model.measures import Measures
from audit.model.outcome import Outcome, PolicyOptions, RiskQuery
from audit.runtime.budget import Budget
from audit.runtime.phrases import Phrase, Reason, ReasonKind, figure, say

_EXACT = 6
"""Groups with at most this many rows are averaged over all permutations."""
_AT_ONCE = 4_000_000
"""The number of permutation entries in memory at a time."""
_FITTINGS = 50
_ROUNDS = 8
_SMOOTHING = 0.5


@dataclass(frozen=True, slots=True)
class Grouped:
    """Some people in groups.

    Attributes:
        start: where each group's people begin, and their number at the end; shape (groups + 1,), int64.
        cells: each person's cells, numbered from 0 by attribute; shape (people, attributes), int32.
        counts: how often each group has each value; shape (groups, values), int64. Each group has as many values as
            people.
        candidates: which values each person may have; shape (people, values).
    """

    start: Counts
    cells: Codes
    counts: Counts
    candidates: Flags


@dataclass(frozen=True, slots=True)
class Model:
    """The learnt model: log P(value), shape (values,), and log P(cell | value) by attribute, shape (cells, values)."""

    prior: Floats
    cells: tuple[Floats, ...]

    def likelihood(self, cells: Codes) -> Floats:
        """Return log P(cells | value) of some people; shape (people, values)."""
        total = np.zeros((len(cells), len(self.prior)))
        for table, column in zip(self.cells, cells.T, strict=True):
            total += table[column]
        return total


def learnt(releases: Sequence[Grouped], sizes: Sequence[int], values: int) -> Model:
    """Return the model learnt from some groups.

    Args:
        releases: groups of any releases.
        sizes: number of different cells of each attribute.
        values: number of sensitive values.
    """
    held = sum((each.counts.sum(axis=0) for each in releases), np.zeros(values, dtype=np.int64))
    prior = np.log(held + _SMOOTHING) - np.log((held + _SMOOTHING).sum())
    model = Model(prior, tuple(np.zeros((size, values)) for size in sizes))
    for _ in range(_ROUNDS):
        tables = [np.full((size, values), _SMOOTHING) for size in sizes]
        for each in releases:
            share = posteriors(each, model)
            for table, column in zip(tables, each.cells.T, strict=True):
                np.add.at(table, column, share)
        model = Model(prior, tuple(np.log(table) - np.log(table.sum(axis=0)) for table in tables))
    return model


def posteriors(grouped: Grouped, model: Model) -> Floats:
    """Return the probability of each value for each person, given the group's values; shape (people, values).

    Rows add up to 1, and those of a group to its counts.
    """
    weight = model.likelihood(grouped.cells)
    weight = np.where(grouped.candidates, weight, -np.inf)
    size = np.diff(grouped.start)
    result = np.zeros_like(weight)
    for rows in np.unique(size[size > 0]).tolist():
        groups = np.flatnonzero(size == rows)
        people = grouped.start[groups][:, None] + np.arange(rows)
        exactly = rows <= _EXACT
        step = max(1, _AT_ONCE // (len(list(permutations(range(rows)))) * rows) if exactly else len(groups))
        for first in range(0, len(groups), step):
            batch = slice(first, first + step)
            share = (_permuted if exactly else _fitted)(weight[people[batch]], grouped.counts[groups[batch]])
            result[people[batch]] = share
    return result


def _permuted(weight: Floats, counts: Counts) -> Floats:
    """Return the exact shares in groups of equal sizes; shapes (groups, rows, values) and (groups, values)."""
    groups, rows, values = weight.shape
    held = np.repeat(np.tile(np.arange(values), groups), counts.ravel()).reshape(groups, rows)
    orders = np.array(list(permutations(range(rows))), dtype=np.intp)
    value = held[:, orders]
    total = np.take_along_axis(weight[:, None], value[..., None], axis=3)[..., 0].sum(axis=2)
    best = total.max(axis=1, keepdims=True)
    chance = np.exp(total - np.where(np.isfinite(best), best, 0.0))
    chance = np.where(np.isfinite(best), chance, 1.0)
    chance /= chance.sum(axis=1, keepdims=True)
    share = np.zeros_like(weight)
    for row in range(rows):
        place = (np.arange(groups)[:, None] * values + value[:, :, row]).ravel()
        share[:, row] = np.bincount(place, weights=chance.ravel(), minlength=groups * values).reshape(groups, values)
    return share


def _fitted(weight: Floats, counts: Counts) -> Floats:
    """Return shares by proportional fitting: rows to 1, columns to the counts in turn (Sinkhorn)."""
    inside = np.where(counts[:, None, :] > 0, weight, -np.inf)
    best = inside.max(axis=2, keepdims=True)
    share = np.exp(inside - np.where(np.isfinite(best), best, 0.0))
    share = np.where(np.isfinite(best), share, counts[:, None, :] > 0)
    for _ in range(_FITTINGS):
        held = share.sum(axis=1, keepdims=True)
        share = share * np.where(held > 0, counts[:, None, :] / np.where(held > 0, held, 1.0), 0.0)
        rows = share.sum(axis=2, keepdims=True)
        share = share / np.where(rows > 0, rows, 1.0)
    return share


@dataclass(frozen=True)
class EstimatedShare:
    """A share with its 95 % interval.

    Attributes:
        value: the share.
        low: where the interval begins.
        high: where it ends.
    """

    value: float
    low: float
    high: float

    @classmethod
    def of(cls, right: Flags) -> EstimatedShare:
        """Return the share of right guesses (Wilson's interval).

        >>> share = EstimatedShare.of(np.array([True, True, False, True]))
        >>> share.value, round(share.low, 6), round(share.high, 6)
        (0.75, 0.300642, 0.954413)
        """
        n, p = len(right), float(right.mean())
        middle, width = p + _Z**2 / (2 * n), _Z * sqrt(p * (1 - p) / n + _Z**2 / (4 * n * n))
        return cls(p, (middle - width) / (1 + _Z**2 / n), (middle + width) / (1 + _Z**2 / n))

    @classmethod
    def expected(cls, chance: Floats) -> EstimatedShare:
        """Return the mean of the probabilities of guesses, with the interval of the share that they predict."""
        mean, error = float(chance.mean()), _Z * sqrt((chance * (1 - chance)).sum()) / len(chance)
        return cls(mean, max(0.0, mean - error), min(1.0, mean + error))

    def above(self, control: EstimatedShare | None) -> EstimatedShare | None:
        """Return the excess over a control, if there is one (Newcombe's interval of a difference of shares)."""
        if control is None:
            return None
        low = hypot(self.value - self.low, control.high - control.value)
        high = hypot(self.high - self.value, control.value - control.low)
        value = self.value - control.value
        return EstimatedShare(value, value - low, value + high)


@dataclass(frozen=True, eq=False, kw_only=True)
class InferenceMeasures(Measures):
    """How well values are guessed; an estimate, which decides nothing.

    Attributes:
        individuals: the number of people whose value was guessed.
        attack: the share of right guesses by groups and quasi-identifiers together; None if the values are unknown.
        control: the share of right guesses by quasi-identifiers alone, for people whose groups were not used for
            learning: what is true of the whole population.
        baseline: the share of right guesses by the values of the person's groups alone, all rows equally likely.
        advantage: `attack` less `control`.
    """

    individuals: int
    attack: EstimatedShare | None = None
    control: EstimatedShare | None = None
    baseline: EstimatedShare | None = None
    advantage: EstimatedShare | None = None

    has_timeline: ClassVar[bool] = False
    remedy: ClassVar[Phrase | str] = Phrase("Publish fewer or coarser quasi-identifiers beside the values.")

    @property
    def subjects(self) -> int:
        """How many people there are."""
        return self.individuals

    def found_in_words(self, *, at_least: bool) -> str:
        """Return how many guesses are right."""
        del at_least
        if self.attack is None:
            return say("an estimate; the true values are not known, so that nothing shows which guesses are right")
        return say("an estimate: {share} of the values guessed", share=figure(self.attack.value, ".1%"))

    def notes(self, attack: str) -> Iterator[str]:
        """Yield how to read the guesses."""
        if self.attack is None or self.baseline is None:
            return
        shares = {"attack": attack, "right": _said(self.attack), "baseline": _said(self.baseline)}
        if self.control is None:
            yield say(
                "{attack}: {right} of the guesses are right; with the groups' values alone, {baseline} (95% "
                "intervals). It decides no clause of the policy; what matters is how far the first figure is "
                "above the other.",
                **shares,
            )
        else:
            yield say(
                "{attack}: {right} of the guesses are right; where nothing was learnt from the person's "
                "groups, {control}; with the groups' values alone, {baseline} (95% intervals). It decides no"
                " clause of the policy; what matters is how far the first figure is above the others.",
                **shares,
                control=_said(self.control),
            )


def _said(interval: EstimatedShare) -> str:
    shown = {name: figure(getattr(interval, name), ".1%") for name in ("value", "low", "high")}
    return say("{value} ({low} to {high})", **shown)


_SEED = 0x5EED
_CONTROL = 0.2
"""The share of the groups of the last release whose people are the control."""
_ROWS = 200_000
"""About this many rows are used; in larger series groups are sampled."""
_Z = 1.959964


@dataclass(frozen=True)
class InferenceAttack(PolicyOptions):
    """Guess values by naive Bayes."""

    name: ClassVar[str] = "inference"
    measures: ClassVar[type[InferenceMeasures]] = InferenceMeasures
    estimates: ClassVar[bool] = True
    decides: ClassVar[frozenset[str]] = frozenset()
    rules: ClassVar[Mapping[str, FindingRule]] = {}

    def run(self, evidence: Evidence, budget: Budget, /) -> Outcome:
        """Return an outcome without claims, with an estimate that is scored if the values are known."""
        reason = linked_reason(evidence) or constant_reason(evidence) or quasi_identifiers_reason(evidence)
        if reason is not None:
            return Outcome.skipped(self.name, reason)
        series = _Series.of(evidence)
        if series is None:
            text = say("it needs rows whose groups have as many values as people")
            return Outcome.skipped(self.name, Reason(text, ReasonKind.NEEDS))
        return Outcome(self.name, "complete", None, InferenceMeasures(individuals=series.people), estimate=series)


@dataclass(frozen=True)
class _GuessedRelease:
    """The rows of one release in the order of groups: the person of each, -1 for none, and groups with cells."""

    person: Codes
    grouped: Grouped


@dataclass(frozen=True)
class _Series:
    """All releases, and the people to ask about.

    Attributes:
        releases: the releases of the series.
        sizes: the number of different cells of each attribute.
        values: the number of sensitive values.
        people: the number of people to ask about.
        last: by person code, the last release that the person is in, -1 for people who are not asked about.
    """

    releases: Sequence[_GuessedRelease]
    sizes: Sequence[int]
    values: int
    people: int
    last: Codes

    @classmethod
    def of(cls, evidence: Evidence) -> _Series | None:
        source = evidence.rows_of
        if source is None:
            return None
        releases = range(len(evidence.tags))
        candidates, last, rows = _looked_back(evidence)
        chance = min(1.0, _ROWS / max(rows, 1))
        rng = np.random.default_rng(_SEED)
        found: list[_GuessedRelease] = []
        names: list[dict[int, int]] = [{} for _ in source.attributes]
        for at in releases:
            read = source.rows(at)
            cells = np.stack(
                [_numbered(name, column) for name, column in zip(names, read.cells.T, strict=True)], axis=1
            )
            release = _release(evidence.source.members(at), read.member, cells, candidates, chance, rng)
            if release is None:
                return None
            found.append(release)
        return cls(found, [len(name) for name in names], candidates.shape[1], int((last >= 0).sum()), last)

    def scored(self, asked: RiskQuery, budget: Budget) -> InferenceMeasures | None:
        """Return the shares of right guesses; None if the true values are unknown, or if time runs out."""
        truth = asked.of_people()
        if truth is None or budget.exhausted():
            return None
        value = np.full(len(self.last), -1, dtype=np.int64)
        value[: min(len(truth), len(value))] = truth[: len(value)]
        known = (self.last >= 0) & (value >= 0)
        if not known.any():
            return None
        right, uniform = self._attacked(value, known)
        attack, control = EstimatedShare.of(right), self._controlled(value, known)
        return InferenceMeasures(
            individuals=self.people,
            attack=attack,
            control=control,
            baseline=EstimatedShare.expected(uniform),
            advantage=attack.above(control),
        )

    def _attacked(self, value: Counts, known: Flags) -> tuple[Flags, Floats]:
        """Return which guesses are right, and the probability of a right guess by the groups' values alone."""
        model = learnt([each.grouped for each in self.releases], self.sizes, self.values)
        right, uniform = [], []
        for at, release in enumerate(self.releases):
            named = release.person >= 0
            judged = np.flatnonzero(named & known[release.person] & (self.last[release.person] == at))
            share = posteriors(release.grouped, model)[judged]
            truth = value[release.person[judged]]
            right.append(share.argmax(axis=1) == truth)
            group = np.searchsorted(release.grouped.start, judged, side="right") - 1
            rows = np.where(release.grouped.candidates[judged], release.grouped.counts[group], 0)
            uniform.append(rows[np.arange(len(judged)), truth] / np.maximum(rows.sum(axis=1), 1))
        return np.concatenate(right), np.concatenate(uniform)

    def _controlled(self, value: Counts, known: Flags) -> EstimatedShare | None:
        """Return the share of right guesses by cells alone, for people whose groups were not used for learning."""
        rng, last = np.random.default_rng(_SEED), self.releases[-1]
        size = np.diff(last.grouped.start)
        rows = np.repeat(rng.random(len(size)) < _CONTROL, size)
        left_out = flagged(last.person[rows], len(self.last) + 1)
        left_out[-1] = False
        rest = [_without(each, left_out) for each in self.releases]
        judged = np.flatnonzero(rows & (last.person >= 0) & known[last.person])
        if not len(judged) or not any(len(each.cells) for each in rest):
            return None
        model = learnt(rest, self.sizes, self.values)
        likeliest = (model.likelihood(last.grouped.cells[judged]) + model.prior).argmax(axis=1)
        return EstimatedShare.of(likeliest == value[last.person[judged]])


def _looked_back(evidence: Evidence) -> tuple[Flags, Codes, int]:
    """Return the possible values by person code, shape (people, values), the last release, and the number of rows.

    The last release is -1 for people who are not judged.
    """
    releases = [evidence.source.members(at) for at in range(len(evidence.tags))]
    size = 1 + max((int(each.column.max(initial=-1)) for each in releases), default=-1)
    values = max((each.values for each in releases), default=0)
    candidates, last = np.ones((size, values), dtype=np.bool_), np.full(size, -1, dtype=np.int32)
    individual = np.zeros(size, dtype=np.bool_)
    for at, members in enumerate(releases):
        named = np.flatnonzero(members.column >= 0)
        table = members.contents.tabled(members.n_groups, values) > 0
        candidates[members.column[named]] &= table[members.group[named]]
        last[members.column[named]] = at
        individual[: len(members.individual)] |= members.individual[:size]
    last[~individual] = -1
    return candidates, last, sum(len(each.column) for each in releases)


def _numbered(names: dict[int, int], column: Codes) -> Codes:
    """Return cells numbered from 0 in the order of their first occurrence."""
    kinds, place = np.unique(column, return_inverse=True)
    return np.array([names.setdefault(kind, len(names)) for kind in kinds.tolist()], dtype=np.int32)[place.ravel()]


def _release(
    members: Members,
    member: Codes | None,
    cells: Codes,
    candidates: Flags,
    chance: float,
    rng: np.random.Generator,
) -> _GuessedRelease | None:
    """Return sampled groups of a release; None if rows do not fit the groups."""
    if member is None or len(member) != len(members.column):
        return None
    taken, of_row = rng.random(members.n_groups) < chance, members.group[member]
    rows = np.flatnonzero(taken[of_row])
    rows = rows[np.argsort(of_row[rows], kind="stable")]
    number = np.cumsum(taken) - 1
    groups, bag = int(taken.sum()), members.contents.bag
    kept = taken[bag]
    count = None if members.contents.rows is None else members.contents.rows[kept]
    held = ValueCounts(number[bag[kept]].astype(np.int32), members.contents.value[kept], count)
    counts = held.tabled(groups, candidates.shape[1]).astype(np.int64)
    start = starts(np.bincount(number[of_row[rows]], minlength=groups))
    if not np.array_equal(np.diff(start), counts.sum(axis=1)):
        return None
    who = members.column[member[rows]]
    may = np.where((who >= 0)[:, None], candidates[who], True)
    return _GuessedRelease(who, Grouped(start, cells[rows], counts, may))


def _without(release: _GuessedRelease, left_out: Flags) -> Grouped:
    """Return the groups of a release without some people."""
    grouped = release.grouped
    size = np.diff(grouped.start)
    group = np.repeat(np.arange(len(size)), size)
    untouched = ~flagged(group[left_out[release.person]], len(size))
    kept = untouched[group]
    return Grouped(starts(size[untouched]), grouped.cells[kept], grouped.counts[untouched], grouped.candidates[kept])
