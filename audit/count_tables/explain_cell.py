"""What is known of one cell, release by release, with the sums that show it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from audit.count_tables.build_evidence import asked_dimensions, build_evidence
from audit.count_tables.count_findings import FindingBuilder
from audit.count_tables.count_questions import CountQuestions, derived, increase, joined
from audit.count_tables.judged_counts import CountAttack, attacked
from audit.count_tables.label_sets import Dimension
from audit.count_tables.published_counts import PublishedCounts, check_audited
from audit.count_tables.table_audit import tables_facts
from audit.findings.count_answers import CellExplanation, ExplainedCount
from audit.model.audit_options import AuditOptions
from audit.model.count_tables import PROTECTED
from audit.model.errors import UsageError, printable
from audit.model.json_types import UNBOUNDED
from audit.runtime.budget import Budget


def explain_cell(
    counts: PublishedCounts, wanted: Mapping[str, str], exact: CountAttack, options: AuditOptions
) -> CellExplanation:
    """Return what is known of a cell; dimensions that are not named are at their total.

    `exact` is the attack that finds both ends of whatever it is asked.

    Raises:
        UsageError: a dimension or a label is not known.
        InputError: no counts agree with what was published.
    """
    check_audited(counts)
    dimensions = asked_dimensions(counts)
    label = _label(counts, dimensions, wanted)
    asked = _questions(counts, label)
    limits = counts.manifest.limits(options.limits)
    found = []
    builder = FindingBuilder(counts)
    for part in build_evidence(counts, limits, asked).parts:
        outcome = attacked(counts, part, exact, Budget(options.time_limit))
        for place in range(len(part.questions)):
            since, upper = int(part.questions.since[place]), int(outcome.upper[place])
            release = int(part.questions.release[place])
            found.append(
                ExplainedCount(
                    release=counts.manifest.tags[release],
                    since=None if since < 0 else counts.manifest.tags[since],
                    measure=part.measure,
                    shown=_shown(counts, label, release) if since < 0 else (),
                    lower=int(outcome.lower[place]),
                    upper=None if upper >= UNBOUNDED else upper,
                    exact=bool(outcome.exact[place]),
                    certificate=tuple(builder.certified(part, bound) for bound in outcome.bounds(place)),
                )
            )
    return CellExplanation(builder.cell(label.tolist(), dimensions), tuple(found), tables_facts(counts))


def _label(counts: PublishedCounts, asked: Sequence[Dimension], wanted: Mapping[str, str]) -> np.ndarray:
    names = [each.axis.name for each in counts.dimensions]
    for name in wanted:
        if name not in names:
            raise UsageError(
                f"--cell: there is not a dimension {printable(name)}; the dimensions are {', '.join(names)}"
            )
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


def _questions(counts: PublishedCounts, label: np.ndarray) -> CountQuestions:
    releases, over = len(counts.manifest.releases), counts.manifest.over_time
    asked = [derived(label[None], release) for release in range(1 if over == "same" else releases)]
    asked += [increase(label[None], last, last - 1) for last in range(1, releases if over == "cumulative" else 1)]
    every = joined(asked)
    return replace(every, rule=np.full_like(every.rule, PROTECTED))


def _shown(counts: PublishedCounts, label: np.ndarray, release: int) -> tuple[str, ...]:
    every = counts.manifest.over_time == "same"
    same = counts.shown & (counts.label == label).all(axis=1) & (every | (counts.release == release))
    return tuple(counts.texts[text] for text in counts.text[same].tolist())
