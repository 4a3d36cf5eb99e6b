"""The witness of an audit; worlds that it needs and that no attack found are searched for here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import numpy as np

from audit.adversary.view import View, handed
from audit.count_tables.manifest import TableManifest
from audit.io.atomic_files import write_file
from audit.model.arrays import Counts, Floats, Matrix
from audit.model.audit_options import AuditOptions
from audit.model.errors import UsageError
from audit.model.report import Report, WitnessReport
from audit.pipeline.attack_run import AuditRun
from audit.runtime.budget import Budget
from audit.witness.writer import check_folder, make_witness, read_for_witness, worlds_view

_BRANCHES = 20_000
R = TypeVar("R", bound=Report)


class PeoplesWitness:
    """The witness of an audit of releases about people, optionally with proofs for VeriPB."""

    def __init__(self, series: Path, folder: Path, *, proofs: bool) -> None:
        check_folder(series, folder)
        self._series, self._folder, self._proofs = series, folder, proofs

    def prepare(self, evidence: Sequence[View]) -> None:
        """Read the series as the checkers do, before attacks run.

        Raises:
            UsageError: the checkers do not support it.
        """
        self._read = read_for_witness(self._series, evidence, proofs=self._proofs)

    def write(self, report: Report, run: AuditRun, time_limit: float | None) -> Report:
        """Write the witness of a run, and return the report, which says so.

        Raises:
            UsageError: no world is known, or the files cannot be written.
        """
        from attacks.registry import find

        view = worlds_view(run.evidence)
        known = [each.outcome for each in run.results if each.evidence is view and each.outcome.knowing is not None]
        if not known:
            joint = find("joint")
            known = [joint.run(handed(view, joint), Budget(time_limit))]
        witness = make_witness(self._read, run, report, known[0], _priced, proofs=self._proofs)
        return _with_statement(report, witness.write(self._folder), self._folder)


def audit_with_witness(manifest: TableManifest, options: AuditOptions, folder: Path) -> Report:
    """Audit a series of count tables, and write the witness, made from published data alone.

    Raises:
        UsageError: the checkers do not support the series, or the files cannot be written.
        InputError: the series cannot be read, or its numbers contradict each other.
    """
    from attacks.differencing.attack import Differencing
    from audit.count_tables.judged_counts import judge
    from audit.count_tables.table_audit import read_published, report_on
    from audit.witness.tables import TablesWriter

    attack, counts = Differencing(), read_published(manifest)
    writer = TablesWriter(counts, manifest.limits(options.limits))
    judged = judge(counts, attack, options)
    report = report_on(judged)
    witness = writer.witness(judged, report, _fitting, Budget(options.time_limit))
    return _with_statement(report, witness.write(folder), folder)


def _with_statement(report: R, witness: WitnessReport, folder: Path) -> R:
    """Write the statement, which may be published, beside a witness, and return the report with its contents.

    Raises:
        UsageError: it cannot be written.
    """
    from reports.documents.assessments import WitnessStatement

    report = replace(report, witness=witness)
    try:
        write_file(folder / "statement.md", WitnessStatement().render(report))
    except OSError as error:
        raise UsageError(f"--witness: {error.strerror or 'it cannot be written'}; name another folder") from error
    return report


def _fitting(rows: Matrix, low: Floats, high: Floats, most: int, cost: Floats, budget: Budget) -> Counts | None:
    """Return whole numbers up to `most` with small cost whose products with the rows are between low and high."""
    from attacks.linear_programmes import ContinuedSearch, Programme

    upper = np.full(len(cost), float(most))
    programme = Programme(np.zeros(len(cost)), upper, rows.astype(float), low, high)
    found = ContinuedSearch(programme, _BRANCHES).answered(-cost, budget)[1]
    return None if found is None else np.rint(found.value).astype(np.int64)


def _priced(cost: Floats, ends: Floats, rows: Matrix) -> Floats | None:
    """Return columns from 0 to some ends with the greatest cost whose products with the rows are at most 0."""
    from attacks.linear_programmes import Programme

    low, high = np.full(rows.shape[0], -np.inf), np.zeros(rows.shape[0])
    found = Programme(np.zeros(len(cost)), ends, rows, low, high).optimum(cost, Budget())
    return None if found is None else found.value
