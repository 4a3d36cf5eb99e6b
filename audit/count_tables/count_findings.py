"""Count findings: build findings with their certificates in terms of published cells, and draw their tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from audit.count_tables.build_evidence import EvidencePart
from audit.count_tables.cell_rates import CellRates
from audit.count_tables.label_sets import Dimension
from audit.count_tables.published_counts import PublishedCounts
from audit.findings.count import COUNT_KINDS, CountFinding, CountPicture, PictureCell, count_id
from audit.judgement.check_count_bounds import is_proved
from audit.model.arrays import UNBOUNDED
from audit.model.count_tables import (
    VERDICTS,
    BoundProof,
    CaseTerm,
    CertifiedBound,
    CountBound,
    CountCase,
    CountCases,
    CountOutcome,
    CountStep,
    CountSum,
    CountTables,
    OverTime,
    PublishedTerm,
    TablesFacts,
    WeightedSum,
)
from audit.runtime.phrases import figure, printable, say


class FindingBuilder:
    """Builds findings from an attack's answers about the published counts."""

    def __init__(self, counts: PublishedCounts, over_time: OverTime | None = None) -> None:
        """Name findings as if the releases were related in this way; None means the way stated in the manifest."""
        self.counts, self._over_time = counts, over_time or counts.manifest.over_time
        self.rates = CellRates(counts)

    def cell(self, label: Sequence[int], dimensions: Sequence[Dimension] | None = None) -> dict[str, str]:
        """Return the labels of a cell, by dimension; `dimensions` are those of the evidence if the cell is derived."""
        dimensions = dimensions or self.counts.dimensions
        return {each.axis.name: each.labels[one] for each, one in zip(dimensions, label, strict=True)}

    def subject(self, part: EvidencePart, question: int) -> tuple[str, str | None, dict[str, str]]:
        """Return the release, the release before for an increase, and the cell of a question."""
        questions, tags = part.questions, self.counts.manifest.tags
        since = int(questions.since[question])
        return (
            tags[int(questions.release[question])],
            None if since < 0 else tags[since],
            self.cell(questions.label[question].tolist(), part.dimensions),
        )

    def id_of(self, part: EvidencePart, question: int) -> str:
        """Return the id of a finding, which depends only on the cell and, if counts change, on its release."""
        release, since, cell = self.subject(part, question)
        return count_id(self._over_time, part.measure, release, since, cell, self.kinds(part))

    def kinds(self, part: EvidencePart) -> str | None:
        """Return the dimension in which all people may be of one kind, if the questions of a part are about that."""
        axis = part.questions.kinds
        return None if axis is None else self.counts.dimensions[axis].axis.name

    def finding(self, part: EvidencePart, question: int, outcome: CountOutcome, facts: TablesFacts) -> CountFinding:
        """Return the finding about a question, with its certificate, which was checked before."""
        release, since, cell = self.subject(part, question)
        row, upper = int(part.questions.published[question]), int(outcome.upper[question])
        return COUNT_KINDS[VERDICTS[int(outcome.verdict[question])]](
            id=self.id_of(part, question),
            release=release,
            since=since,
            measure=part.measure,
            cell=cell,
            shown=None if row < 0 else self.counts.text[row],
            lower=int(outcome.lower[question]),
            upper=None if upper >= UNBOUNDED else upper,
            inexact=None if outcome.exact[question] else False,
            dimension=self.kinds(part),
            certificate=tuple(
                self.certified(part, bound, named=part.questions.kinds is not None)
                for bound in outcome.bounds(question)
            ),
            facts=facts,
        )

    @staticmethod
    def holds(tables: CountTables, bounds: Sequence[CountBound]) -> bool:
        """Return whether the proofs of bounds are valid for the published numbers."""
        return all(is_proved(tables, each) for each in bounds)

    def certified(self, part: EvidencePart, bound: CountBound, *, named: bool = False) -> CertifiedBound:
        """Return a bound with its proof in terms of published numbers; `named` adds the labels of the bounded cell."""
        step = self._step(part, bound, bound.proof, ())
        cell = self._cell_of_box(bound.box) if named else None
        return CertifiedBound("upper" if bound.is_upper else "lower", step, _sums(step), bound.value, cell)

    def _step(self, part: EvidencePart, bound: CountBound, proof: BoundProof, assumed: tuple[int, ...]) -> CountStep:
        if isinstance(proof, WeightedSum):
            return self._sum(part, bound, proof, assumed)
        axis, tags = part.tables.axes[-1], self.counts.manifest.tags
        time = axis.members[proof.box[-1]]
        release = tags[int(time[-1])] if axis.atoms > 1 else ""
        since = tags[int(time[0]) - 1] if axis.atoms > 1 and time[0] > 0 else None
        cell, more = self._cell_of_box(proof.box), proof.at + 1
        below = self._step(part, bound, proof.below, (*assumed, proof.at))
        above = self._step(part, bound, proof.above, (*assumed, more))
        return CountCases(
            (
                CountCase(release, since, cell, at_most=proof.at, at_least=None, step=below),
                CountCase(release, since, cell, at_most=None, at_least=more, step=above),
            )
        )

    def _cell_of_box(self, box: Sequence[int]) -> dict[str, str]:
        """Return labels for a box; a set without a label is named by its atoms."""
        found = {}
        for dimension, one in zip(self.counts.dimensions, box, strict=False):
            labels = np.flatnonzero(dimension.set_of == one)
            if len(labels):
                found[dimension.axis.name] = dimension.labels[int(labels[0])]
            else:
                atoms = dimension.axis.members[one].tolist()
                found[dimension.axis.name] = " + ".join(dimension.labels[dimension.atom_label[atom]] for atom in atoms)
        return found

    def _sum(self, part: EvidencePart, bound: CountBound, proof: WeightedSum, assumed: tuple[int, ...]) -> CountSum:
        is_upper = bound.is_upper or proof.impossible
        terms: list[PublishedTerm | CaseTerm] = []
        total = Fraction(0)
        for term in proof.terms:
            if term.assumed:
                end = assumed[term.index]
                terms.append(CaseTerm(term.index, str(term.weight), end))
            else:
                low, high = int(part.tables.lower[term.index]), int(part.tables.upper[term.index])
                end = high if (term.weight > 0) == is_upper else low
                terms.append(self._term(int(part.rows[term.index]), term.weight, end, exact=low == high))
            total += term.weight * end
        return CountSum(tuple(terms), str(total), proof.impossible)

    def _term(self, row: int, weight: Fraction, end: int, *, exact: bool) -> PublishedTerm:
        counts = self.counts
        if row < 0:
            return PublishedTerm("", {}, str(weight), None, end, exact, None, None)
        file, line = counts.place(row)
        return PublishedTerm(
            release=counts.manifest.tags[int(counts.release[row])],
            cell=self.cell(counts.label[row].tolist()),
            weight=str(weight),
            shown=counts.text[row],
            end=end,
            exact=exact,
            file=file,
            line=line,
            rates=self.rates.of(row),
        )


def _sums(step: CountStep) -> int:
    """Return the number of sums in a certificate."""
    return 1 if isinstance(step, CountSum) else sum(_sums(case.step) for case in step.cases)


_PICTURES = 6
_ROWS, _COLUMNS = 24, 10
Cell = tuple[str, ...]


Known = Mapping[tuple[str, str | None, Cell], tuple[int, int | None]]
"""The least and greatest count of each known cell, by release, statistic and labels."""


def with_pictures(counts: PublishedCounts, findings: Sequence[CountFinding], known: Known) -> tuple[CountFinding, ...]:
    """Return the findings, the first of them with a picture of their table; `known` holds the bounds of cells."""
    drawn = (replace(each, picture=_picture(counts, each, known)) for each in findings[:_PICTURES])
    return (*drawn, *findings[_PICTURES:])


def _amount(lower: int, upper: int | None) -> str:
    return figure(lower) if lower == upper else f"{figure(lower)}–{'' if upper is None else figure(upper)}"


def _picture(counts: PublishedCounts, finding: CountFinding, known: Known) -> CountPicture:
    published = _published(counts, finding)
    used = {tuple(term.cell.values()) for term in finding.terms if term.release == finding.release}
    own = tuple(finding.cell.values())
    rows, columns = _axes(counts, [own, *used])
    others = [d for d in range(len(own)) if d not in (rows, columns)]
    near = [cell for cell in [own, *sorted(used), *published] if all(cell[d] == own[d] for d in others)]
    row_labels = list(dict.fromkeys(cell[rows] for cell in near))[:_ROWS]
    column_labels = [""] if columns is None else list(dict.fromkeys(cell[columns] for cell in near))[:_COLUMNS]
    names = counts.manifest.dimensions

    def shown(row: str, column: str) -> PictureCell | None:
        cell = list(own)
        cell[rows] = row
        if columns is not None:
            cell[columns] = column
        key = tuple(cell)
        ends = known.get((finding.release, finding.measure, key))
        said = None if ends is None else _amount(*ends)
        if key == own and finding.since is not None:
            more = _amount(finding.lower, finding.upper)
            said = say("{count} more than in {release}", count=more, release=printable(finding.since))
        if key not in published and said is None:
            return None
        return PictureCell(published.get(key, ""), said, key in used)

    return CountPicture(
        fixed={names[d]: own[d] for d in others},
        rows=names[rows],
        columns=None if columns is None else names[columns],
        row_labels=tuple(row_labels),
        column_labels=tuple(column_labels),
        cells=tuple(tuple(shown(row, column) for column in column_labels) for row in row_labels),
    )


def _published(counts: PublishedCounts, finding: CountFinding) -> dict[Cell, str]:
    release, measure = counts.manifest.tags.index(finding.release), counts.measures.index(finding.measure)
    rows = np.flatnonzero((counts.release == release) & (counts.measure == measure) & counts.shown).tolist()
    return {tuple(counts.cell(row).values()): counts.text[row] for row in rows}


def _axes(counts: PublishedCounts, cells: Sequence[Cell]) -> tuple[int, int | None]:
    """Return the dimensions in which the cells of a finding differ most, for the rows and columns of a picture."""
    totals = [counts.manifest.totals.get(name) for name in counts.manifest.dimensions]
    differing = [
        (len({cell[d] for cell in cells}), cells[0][d] != totals[d], len(counts.dimensions[d].labels), -d)
        for d in range(len(totals))
    ]
    order = sorted(range(len(totals)), key=lambda d: differing[d], reverse=True)
    return order[0], order[1] if len(order) > 1 else None
