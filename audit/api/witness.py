"""The witness of an audit: what is known of worlds, where no attack that ran found it out, is found out here."""

from __future__ import annotations

from audit.adversary.view import handed
from audit.model.report import Report
from audit.pipeline.audit_run import AuditRun
from audit.runtime.budget import Budget
from audit.witness.writer import Witness, check_folder, make_witness, worlds_view, write_witness

__all__ = ["check_folder", "witness_of", "write_witness"]


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
