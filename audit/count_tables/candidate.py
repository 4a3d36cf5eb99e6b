"""A release of count tables that is not yet out: what it would add, and what to hide of it, or how to round it.

Hidden means left empty: the smallest change of a file, whatever markers the publisher has.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from audit.count_tables.doubts import check_columns_are_there
from audit.count_tables.hiding import Hiding, HidingSearch, Rows, without_rows
from audit.count_tables.intervals import rounded_interval, widened, with_threshold
from audit.count_tables.judged_counts import CountAttack
from audit.count_tables.manifest import TableFile, TableManifest, TableRelease
from audit.count_tables.number_texts import number_of
from audit.count_tables.published_counts import PublishedCounts
from audit.count_tables.read_counts import read_counts
from audit.count_tables.table_audit import report_on
from audit.findings.count import CountFinding, CountReport
from audit.findings.count_answers import CandidateReport, HiddenCell
from audit.io.toml import release_tag
from audit.judgement.baseline import is_known
from audit.model.audit_options import AuditOptions
from audit.model.count_report import Rounding
from audit.model.errors import UsageError, printable
from audit.model.report import CountSize

_BASES = (3, 5, 10, 20, 50, 100)


def release_of(files: Sequence[Path]) -> TableRelease:
    """Return the release that some files are; the first gives the tag."""
    return TableRelease(release_tag(files[0].name), tuple(TableFile(path, str(path)) for path in files))


def with_candidate(manifest: TableManifest, candidate: TableRelease) -> TableManifest:
    """Return the manifest with one release more.

    Raises:
        UsageError: the series has a release of that tag.
    """
    if candidate.tag in manifest.tags:
        tag = printable(candidate.tag)
        raise UsageError(f'the series has a release with the tag "{tag}" already; rename the candidate')
    return replace(manifest, releases=(*manifest.releases, candidate))


def judge_candidate(
    manifest: TableManifest, candidate: TableRelease, attack: CountAttack, options: AuditOptions
) -> tuple[CandidateReport, PublishedCounts, Rows]:
    """Return what a candidate would add and what to do, all published counts with it, and the rows to hide.

    Raises:
        UsageError: the series has a release of that tag.
        InputError: a file cannot be read, or the numbers contradict each other.
    """
    before = report_on(read_counts(manifest), attack, replace(options, findings=None))
    counts = read_counts(with_candidate(manifest, candidate))
    check_columns_are_there(counts)
    known, left = {each.id: each.size for each in before.findings}, before.measures.open
    search = _CellSearch(counts, attack, options, known, left)
    after, fresh = search.audited(frozenset())
    hiding = search.hiding(fresh)
    rows = None if hiding.refused else hiding.rows
    rounding = search.coarser_rounding() if fresh else None
    settled = after if not rows else search.audited(rows)[0]
    hidden = tuple(search.hidden_cell(row) for row in sorted(rows or ()))
    kept = report_on(counts, attack, options)
    return (
        CandidateReport(
            release=counts.manifest.tags[-1],
            before=before,
            after=kept,
            new=tuple(fresh[: options.findings]),
            new_total=len(fresh),
            hide=None if rows is None else hidden,
            rounding=rounding,
            undecided=max(after.measures.open, settled.measures.open) > left,
            least=hiding.least,
        ),
        counts,
        rows or frozenset(),
    )


@dataclass
class _CellSearch:
    """Tries of what to hide of the last release.

    Attributes:
        counts, attack, options: all published counts with the release, and how they are audited.
        known: what is found without the release, by id: where it sharpens, it is new.
        open: how many questions are left open without it.
    """

    counts: PublishedCounts
    attack: CountAttack
    options: AuditOptions
    known: Mapping[str, CountSize]
    open: int

    def audited(self, rows: Rows) -> tuple[CountReport, list[CountFinding]]:
        """Return the report with some rows left empty, and the findings that are new."""
        return self._judged(without_rows(self.counts, rows))

    def _judged(self, counts: PublishedCounts) -> tuple[CountReport, list[CountFinding]]:
        report = report_on(counts, self.attack, replace(self.options, findings=None))
        return report, [each for each in report.findings if not is_known(self.known, each.id, each.size)]

    def hiding(self, fresh: list[CountFinding]) -> Hiding:
        """Return which rows of the candidate to hide so that nothing new is found."""
        last = self.counts.release == len(self.counts.manifest.releases) - 1
        rows = np.flatnonzero(last & self.counts.shown).tolist()
        return HidingSearch(self.counts, rows, lambda hidden: self.audited(hidden)[1]).search(fresh)

    def coarser_rounding(self) -> Rounding | None:
        """Return the least rounding to nearest of the candidate's numbers with which nothing new is found.

        The manifest has one rounding, so that the numbers of past releases have to be multiples too. None where rates
        stand beside them: those would speak of the counts as they were.
        """
        if self.counts.manifest.rates:
            return None
        past = self._past_numbers()
        least = 1 if self.counts.manifest.rounding is None else self.counts.manifest.rounding.to
        for base in _BASES:
            if base > least and base % least == 0 and not any(number % base for number in past):
                rounding = Rounding(base, "nearest")
                report, fresh = self._judged(rounded_candidate(self.counts, rounding))
                if not fresh and report.measures.open <= self.open:
                    return rounding
        return None

    def _past_numbers(self) -> set[int]:
        """Return the numbers that past releases show."""
        past = (self.counts.release < len(self.counts.manifest.releases) - 1) & self.counts.number
        texts = (self.counts.texts[text] for text in np.unique(self.counts.text[past]).tolist())
        return {number for text in texts if (number := number_of(text)) is not None}

    def hidden_cell(self, row: int) -> HiddenCell:
        """Return a row as a cell to hide."""
        file, line = self.counts.place(row)
        return HiddenCell(self.counts.cell(row), self.counts.texts[int(self.counts.text[row])], file, line)


def rounded_candidate(counts: PublishedCounts, rounding: Rounding) -> PublishedCounts:
    """Return the published counts with the numbers of the last release rounded to nearest."""
    last = counts.release == len(counts.manifest.releases) - 1
    rows = np.flatnonzero(last & counts.number & (counts.upper < 10**12))
    lower, upper = counts.lower.copy(), counts.upper.copy()
    for row in rows.tolist():
        middle = number_of(counts.texts[int(counts.text[row])])
        if middle is not None:
            to = rounding.to
            number = (2 * middle + to) // (2 * to) * to
            ends = widened(rounded_interval(number, rounding) or (0, 0), counts.manifest.perturbation)
            lower[row], upper[row] = with_threshold(number, ends, counts.manifest.threshold if number else None)
            lower[row], upper[row] = min(lower[row], middle), max(upper[row], middle)
    return replace(counts, lower=lower, upper=upper)
