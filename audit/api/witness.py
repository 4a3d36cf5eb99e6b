"""The witness of an audit: what is known of worlds, where no attack that ran found it out, is found out here."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from audit.adversary.view import handed
from audit.count_tables.manifest import TableManifest
from audit.model.arrays import Counts, Floats
from audit.model.audit_options import AuditOptions
from audit.model.report import Report
from audit.pipeline.audit_run import AuditRun
from audit.runtime.budget import Budget
from audit.witness.writer import Witness, check_folder, make_witness, worlds_view, write_witness

if TYPE_CHECKING:
    from audit.witness.tables import Matrix

__all__ = ["check_folder", "witness_of", "write_tables_witness", "write_witness"]

_BRANCHES = 20_000


def witness_of(report: Report, run: AuditRun, time_limit: float | None) -> Witness:
    """Return the witness of a run.

    Raises:
        UsageError: the checkers do not support the series.
    """
    from attacks.registry import find

    view = worlds_view(run)
    known = [each.outcome for each in run.results if each.evidence is view and each.outcome.knowing is not None]
    if not known:
        joint = find("joint")
        known = [joint.run(handed(view, joint), Budget(time_limit))]
    return make_witness(run, report, known[0])


def write_tables_witness(manifest: TableManifest, report: Report, options: AuditOptions, folder: Path) -> None:
    """Write the witness of a series of count tables, which names no person: it is made of what is published alone.

    Raises:
        UsageError: the checkers do not support the series, or the files cannot be written.
    """
    from attacks.differencing.attack import Differencing
    from audit.count_tables.judged_counts import judge
    from audit.count_tables.read_counts import read_counts
    from audit.witness.tables import make_tables_witness

    judged = judge(read_counts(manifest), Differencing(), options)
    make_tables_witness(judged, report, _fitting, Budget(options.time_limit)).write(folder)


def _fitting(rows: Matrix, low: Floats, high: Floats, most: int, cost: Floats, budget: Budget) -> Counts | None:
    """Return whole numbers, each at most so many, whose rows are between low and high, that make a cost small."""
    from attacks.linear_programmes import Programme, answered

    upper = np.full(len(cost), float(most))
    programme = Programme(-cost, np.zeros(len(cost)), upper, rows.astype(float), low, high, branches=_BRANCHES)
    found = answered(programme, budget)[1]
    return None if found is None else np.rint(found.value).astype(np.int64)
