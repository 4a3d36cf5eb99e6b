"""Judged counts: run the attack on published counts, part by part, or explain what is known about one cell."""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Protocol

import numpy as np
import numpy.typing as npt

from audit.clauses.registry import COUNT_CLAUSES
from audit.count_tables.build_evidence import (
    CountEvidence,
    EvidencePart,
    asked_dimensions,
    build_evidence,
    with_people_of_one_kind,
)
from audit.count_tables.count_findings import FindingBuilder
from audit.count_tables.count_questions import CountQuestions, asking, joined
from audit.count_tables.label_sets import Dimension
from audit.count_tables.published_counts import PublishedCounts, check_audited, with_earlier_cells
from audit.count_tables.total_release import beyond_total
from audit.io.table_forms import below_table
from audit.model.arrays import UNBOUNDED
from audit.model.audit_options import AuditOptions
from audit.model.command_results import ExplainedCount, Explanation
from audit.model.count_tables import (
    NOTHING,
    OPEN,
    PROTECTED,
    VERDICTS,
    ContradictingCountsError,
    CountOutcome,
    CountRules,
    CountTables,
    RatesEntry,
    TablesFacts,
)
from audit.model.errors import InputError, Problem, UsageError
from audit.model.report import AdversaryFacts, CountSize
from audit.runtime.budget import Budget
from audit.runtime.phrases import Phrase, parted, printable, say

_NAMED = 12
_REMEMBERED = 100
_FAILED = Phrase("the certificate of a finding does not hold, which is a bug of this program")


class CountAttack(Protocol):
    """An attack on published counts."""

    @property
    def name(self) -> str:
        """The attack's name on the command line."""

    def run(self, tables: CountTables, budget: Budget) -> CountOutcome:
        """Attack the tables and return the outcome."""


@dataclass(frozen=True)
class RememberedAttack:
    """An attack that settles the same tables once: most releases stay as they are while one is changed."""

    attack: CountAttack
    _settled: dict[bytes, CountOutcome] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The attack's name."""
        return self.attack.name

    def run(self, tables: CountTables, budget: Budget) -> CountOutcome:
        """Return the outcome of the attack, of the last tables from memory if everything was settled."""
        key = tables.fingerprint()
        outcome = self._settled.pop(key, None) or self.attack.run(tables, budget)
        if outcome.status == "complete" and not outcome.interrupted:
            self._settled[key] = outcome
        if len(self._settled) > _REMEMBERED:
            del self._settled[next(iter(self._settled))]
        return outcome


@dataclass(frozen=True)
class JudgedCounts:
    """Published counts with the outcome of the attack on each part, and the time that it took.

    Questions are numbered consecutively through all parts.
    """

    attack: CountAttack
    options: AuditOptions
    counts: PublishedCounts
    evidence: CountEvidence
    outcomes: Sequence[CountOutcome]
    limits: Mapping[str, int]
    seconds: float

    @property
    def interrupted(self) -> bool:
        """Whether the user stopped the attack."""
        return any(each.interrupted for each in self.outcomes)

    @cached_property
    def verdict(self) -> npt.NDArray[np.int8]:
        """The verdict on each question; shape (questions,)."""
        return np.concatenate([each.verdict for each in self.outcomes])

    @cached_property
    def questions(self) -> CountQuestions:
        """All questions."""
        return joined([part.questions for part in self.evidence.parts])

    @property
    def rule(self) -> npt.NDArray[np.int8]:
        """The rule by which each question is judged; shape (questions,)."""
        return self.questions.rule

    @cached_property
    def found(self) -> list[int]:
        """The questions with a finding, by kind, then by release and cell."""
        parts, found = self.evidence.parts, np.flatnonzero(self.verdict > NOTHING)
        asked, kind = self.questions.take(found), self.verdict[found]
        statistic = np.repeat([part.statistic for part in parts], [len(part.questions) for part in parts])[found]
        columns = [kind, asked.release, statistic, asked.since, *asked.label.T, found]
        order: list[int] = found[np.lexsort(columns[::-1])].tolist()
        return order

    @cached_property
    def _starts(self) -> npt.NDArray[np.int64]:
        return np.cumsum([0, *(len(each.verdict) for each in self.outcomes)])

    def at(self, place: int) -> tuple[EvidencePart, int, CountOutcome]:
        """Return the part of a question, its index there, and the outcome of the part."""
        part = int(np.searchsorted(self._starts, place, side="right")) - 1
        return self.evidence.parts[part], int(place - self._starts[part]), self.outcomes[part]

    @cached_property
    def builder(self) -> FindingBuilder:
        """Builds findings from the answers to the questions."""
        return FindingBuilder(self.counts)

    @cached_property
    def ids(self) -> Mapping[int, str]:
        """The ids of the findings, by question."""
        return {place: self.id_of(place) for place in self.found}

    def id_of(self, place: int) -> str:
        """Return the id that a finding about a question has."""
        return self.builder.id_of(*self.at(place)[:2])

    def size(self, place: int) -> CountSize:
        """Return how precisely the count of a finding is known."""
        _, question, outcome = self.at(place)
        kind = VERDICTS[int(outcome.verdict[question])]
        return CountSize(kind, int(outcome.lower[question]), int(outcome.upper[question]))

    def violated(self, place: int) -> frozenset[str]:
        """Return the names of the clauses that a finding violates."""
        rule, size, limits = int(self.rule[place]), self.size(place), self.limits.items()
        clauses = ((COUNT_CLAUSES[name], limit) for name, limit in limits)
        return frozenset(each.name for each, limit in clauses if rule in each.rules and each.violated(size, limit))

    def without(self, failed: Collection[int]) -> JudgedCounts:
        """Return the same with some findings undecided, because their certificates failed."""
        verdict, outcomes = self.verdict.copy(), []
        verdict[[*failed]] = OPEN
        for own, outcome in zip(np.split(verdict, self._starts[1:-1]), self.outcomes, strict=True):
            same = (own == outcome.verdict).all()
            outcomes.append(
                outcome if same else replace(outcome, status="incomplete", reason=str(_FAILED), verdict=own)
            )
        return replace(self, outcomes=outcomes)


def judge(
    counts: PublishedCounts, attack: CountAttack, options: AuditOptions, budget: Budget | None = None
) -> JudgedCounts:
    """Run the attack on published counts, within the time limit of the options if there is no other budget.

    Raises:
        InputError: the policy gives no `min_count`, or the numbers contradict each other.
    """
    limits, counts = counts.manifest.limits(options.limits), with_earlier_cells(counts)
    evidence, outcomes = build_evidence(counts, limits), list[CountOutcome]()
    start = time.perf_counter()
    budget = budget or Budget(options.time_limit, options.progress(attack.name))
    interrupted = False
    for part in evidence.parts:
        outcome = CountOutcome.nothing(len(part.questions), say("interrupted"), interrupted=True)
        # An interrupted audit reports the parts that are decided. If none is, the interrupt ends the run.
        with suppress(*([KeyboardInterrupt] if outcomes else [])):
            outcome = outcome if interrupted else attacked(counts, part, attack, budget)
        interrupted = outcome.interrupted
        outcomes.append(outcome)
    if counts.manifest.sensitive:
        evidence, outcomes = with_people_of_one_kind(
            counts.manifest,
            evidence,
            outcomes,
            limits["min_labels"],
            lambda part: attacked(counts, part, attack, budget),
        )
    return JudgedCounts(attack, options, counts, evidence, outcomes, limits, time.perf_counter() - start)


def followed(judged: JudgedCounts, places: Collection[int], earlier: PublishedCounts, budget: Budget) -> list[int]:
    """Return which findings follow from the earlier releases alone, with the same intervals or narrower ones.

    Args:
        judged: the judged counts of more releases.
        places: the findings.
        earlier: the counts of the earlier releases, whose rows come first among those of `judged`.
        budget: the time limit of the attack, which is asked about the same counts.
    """
    found, start = list[int](), 0
    for part, outcome in zip(judged.evidence.parts, judged.outcomes, strict=True):
        mine = [place for place in places if start <= place < start + len(part.questions)]
        asked, own = np.array(mine, dtype=np.int64) - start, part.release < len(earlier.manifest.releases)
        own &= part.rows < len(earlier.release)  # a later change may tell a count of an earlier release
        start += len(part.questions)
        if not mine or part.questions.kinds is not None or not own.any():
            continue
        tables, rows = part.tables, part.rows[own]
        again = replace(
            tables,
            boxes=tables.boxes[own],
            lower=np.where(rows < 0, tables.lower[own], earlier.lower[rows]),
            upper=np.where(rows < 0, tables.upper[own], earlier.upper[rows]),
            asked=tables.asked[asked],
            rule=np.full(len(mine), PROTECTED, dtype=np.int8),
            min_width=max(judged.limits.values()),  # no finding has so many values, so that exact ends are computed
        )
        before = judged.attack.run(again, budget)
        # The count of a finding without an exact interval may now be known more precisely than is proved.
        known = (before.lower >= outcome.lower[asked]) & (before.upper <= outcome.upper[asked]) & outcome.exact[asked]
        found += [
            mine[place] for place in np.flatnonzero(known).tolist() if judged.builder.holds(again, before.bounds(place))
        ]
    return found


def attacked(counts: PublishedCounts, part: EvidencePart, attack: CountAttack, budget: Budget) -> CountOutcome:
    """Return the outcome of an attack on a part of the evidence.

    Raises:
        InputError: no counts are consistent with the published numbers.
    """
    try:
        return attack.run(part.tables, budget)
    except ContradictingCountsError as error:
        raise _contradiction(counts, part.rows, error) from None


def _contradiction(counts: PublishedCounts, rows: np.ndarray, error: ContradictingCountsError) -> InputError:
    """Return the error that names the cells that contradict each other."""
    named = [int(rows[number]) for number in error.numbers if rows[number] >= 0]
    what = say("no count agrees with this cell")
    if len(named) > 1:
        without = say("; without any one of these cells, some would") if error.irreducible else ""
        what = say("no counts agree with these {cells} cells{without}", cells=len(named), without=without)
    problems = list[Problem]()
    for row in named[:_NAMED]:
        (file, line), low, high = counts.place(row), counts.lower[row], counts.upper[row]
        stands = say("stands for {high}", high=high)
        if high >= UNBOUNDED:
            stands = say("stands for {low} or more", low=low)
        elif low < high:
            stands = say("stands for {low} to {high}", low=low, high=high)
        elif low > high:
            stands = say("contradicts the rules by itself (threshold, rounding, or the rate or the change beside it)")
        text, column = counts.text[row], counts.part(row).view.column
        remedy = say(
            "correct the number, or the rounding, rates, markers, threshold, categories, open, change or over_time of "
            "the manifest"
        )
        if len(named) > 1 and (counts.label[named] == counts.label[row]).all():
            editions = say(
                "if these are two editions of one table, or count other people each, audit each in a folder of its own"
            )
            remedy = parted([remedy, editions])
        remedy = _or_categories(counts, named, remedy)
        said = say('"{text}" {stands}: {what}', text=text, stands=stands, what=what)
        beyond = "" if problems else beyond_total(counts, named)
        problems.append(Problem(file, said, beyond or remedy, line=line, column=column))
    return InputError(problems)


def _or_categories(counts: PublishedCounts, rows: Sequence[int], remedy: str) -> str:
    """Return a remedy that also names a label without categories of some rows that not all of their releases have."""
    releases = {*counts.release[rows].tolist()}
    for place, each in enumerate(counts.dimensions):
        for label in reversed(counts.label[rows, place].tolist()):
            have = {*counts.release[counts.label[:, place] == label].tolist()}
            if label != each.total and each.axis.name not in counts.manifest.categories and releases - have:
                return say(
                    'if "{label}" of {dimension}, which not all releases have, is made up of others, write categories; '
                    "else {otherwise}",
                    label=printable(each.labels[label], 60),
                    dimension=printable(each.axis.name, 60),
                    otherwise=remedy,
                )
    return remedy


def tables_facts(counts: PublishedCounts) -> TablesFacts:
    """Return the facts about the tables for a report."""
    manifest, rates = counts.manifest, list[RatesEntry]()
    for each in manifest.rates:
        cell = ", ".join(f"{name} {label}" for name, label in each.total.items())
        rates.append(RatesEntry(each.column, each.per, each.decimals, each.denominator or cell))
    return TablesFacts(
        name=manifest.name,
        releases=manifest.tags,
        tables=len({part.file.path for part in counts.parts}),
        rows=sum(counts.rows_of.values()),
        dimensions=manifest.dimensions,
        totals=dict(manifest.totals),
        measures=tuple(name for name in counts.measures if name is not None),
        over_time=manifest.over_time,
        rules=CountRules(
            markers={
                text: (low, None if high >= UNBOUNDED else high) for text, (low, high) in manifest.markers.items()
            },
            threshold=manifest.threshold,
            rounding=manifest.rounding,
            perturbation=manifest.perturbation,
            exact=tuple(sorted(manifest.exact)),
            rates=rates[0] if rates else None,
            further_rates=tuple(rates[1:]),
            absent_is_zero=manifest.absent_is_zero,
            stock=manifest.stock,
            open=tuple(sorted(manifest.open)),
            part_of={part: whole for part, whole in manifest.part_of.items() if whole},
            sensitive=manifest.sensitive,
            harmless=dict(manifest.harmless),
            not_counts=tuple(sorted(manifest.not_counts)),
        ),
        notes={part.file.shown: n for part in counts.parts if (n := len(below_table(part.file.path).notes))},
        labels=frozenset(label for each in counts.dimensions for label in each.labels[: each.published]),
        parts={each.axis.name: each.made_up() for each in counts.dimensions},
        categories={each.axis.name: each.published for each in counts.dimensions},
    )


def explain_cell(
    counts: PublishedCounts, wanted: Mapping[str, str], exact: CountAttack, options: AuditOptions
) -> Explanation:
    """Return what is known about a cell.

    Args:
        counts: the published counts.
        wanted: the labels of the cell; for a dimension that is not named, the total.
        exact: the attack that computes both bounds of a count.
        options: as for an audit.

    Raises:
        UsageError: a dimension or a label is unknown, or a dimension without a total is not named.
        InputError: no counts are consistent with the published numbers.
    """
    check_audited(counts)
    dimensions = asked_dimensions(counts)
    label = _label(counts, dimensions, wanted)
    asked = _questions(counts, dimensions, label)
    limits = counts.manifest.limits(options.limits)
    found = []
    builder = FindingBuilder(counts)
    for part in build_evidence(counts, limits, asked).parts:
        outcome = attacked(counts, part, exact, Budget(options.time_limit))
        for place in range(len(part.questions)):
            release, since, cell = builder.subject(part, place)
            upper, bounds = int(outcome.upper[place]), outcome.bounds(place)
            if not builder.holds(part.tables, bounds):
                raise RuntimeError(str(_FAILED))
            found.append(
                ExplainedCount(
                    release=release,
                    since=since,
                    measure=part.measure,
                    shown=_shown(counts, label, release) if since is None else (),
                    lower=int(outcome.lower[place]),
                    upper=None if upper >= UNBOUNDED else upper,
                    exact=bool(outcome.exact[place]),
                    certificate=tuple(builder.certified(part, bound) for bound in bounds),
                )
            )
    facts, adversary = tables_facts(counts), AdversaryFacts("published", transitions=False, known=0)
    return Explanation(facts.name, None, adversary, cell=cell, counts=tuple(found), tables=facts)


def _label(counts: PublishedCounts, asked: Sequence[Dimension], wanted: Mapping[str, str]) -> np.ndarray:
    names = [each.axis.name for each in counts.dimensions]
    for name in wanted:
        if name not in names:
            raise UsageError(f"--cell: there is no dimension {printable(name)}; the dimensions are {', '.join(names)}")
    found = []
    for dimension in asked:
        text = wanted.get(dimension.axis.name)
        if text is None and dimension.total < 0:
            raise UsageError(f"--cell: {printable(dimension.axis.name)} has no total; name its label as well")
        if text is not None and text not in dimension.labels:
            known = ", ".join(printable(label) for label in dimension.labels[:12])
            raise UsageError(f"--cell: {printable(dimension.axis.name)} has no label {printable(text)}; it has {known}")
        found.append(dimension.total if text is None else dimension.labels.index(text))
    return np.array(found, dtype=np.int32)


def _questions(counts: PublishedCounts, dimensions: Sequence[Dimension], label: np.ndarray) -> CountQuestions:
    """Return the questions about a cell; unless releases are related, of those alone that know its labels."""
    releases, over = len(counts.manifest.releases), counts.manifest.over_time
    own = [release for release in range(releases) if over == "cumulative" or _knows(counts, dimensions, release, label)]
    asked = [asking(label[None], release) for release in ([0] if over == "same" else own or range(releases))]
    asked += [asking(label[None], last, last - 1) for last in range(1, releases if over == "cumulative" else 1)]
    every = joined(asked)
    return replace(every, rule=np.full_like(every.rule, PROTECTED))


def _knows(counts: PublishedCounts, dimensions: Sequence[Dimension], release: int, label: np.ndarray) -> bool:
    """Return whether the labels of a release cover those of a cell; of a new label, its totals count none."""
    for place, (dimension, code) in enumerate(zip(dimensions, label.tolist(), strict=True)):
        shown = {*counts.label[counts.release == release, place].tolist()} - {dimension.total}
        known = {atom for each in shown for atom in dimension.axis.members[dimension.set_of[each]].tolist()}
        if code != dimension.total and not known.issuperset(dimension.axis.members[dimension.set_of[code]].tolist()):
            return False
    return True


def _shown(counts: PublishedCounts, label: np.ndarray, tag: str) -> tuple[str, ...]:
    every, release = counts.manifest.over_time == "same", counts.manifest.tags.index(tag)
    same = counts.shown & (counts.label == label).all(axis=1) & (every | (counts.release == release))
    return tuple(counts.text[same])
