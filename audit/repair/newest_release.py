"""What to do with the newest release of a series that breaks the policy: `audit repair`, before it goes out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from audit.io.candidate import as_candidate
from audit.io.series import Series
from audit.model.errors import UsageError
from audit.model.outcome import Attack
from audit.model.recommendation import Recommendation
from audit.pipeline.audit_run import AuditOptions
from audit.repair.search import RepairSearch
from audit.runtime.phrases import say
from audit.runtime.reasons import Reason, ReasonKind


def recommend(series: Series, attacks: Sequence[Attack], options: AuditOptions) -> Recommendation:
    """Return the least change of the newest release that was found to keep the policy; nothing is written.

    The release is taken as a candidate over the others. Groups and lines are told where people may be named.

    Raises:
        InputError: the series cannot be read.
    """
    tag = series.tags[-1]
    try:
        before, after = as_candidate(series)
        repair = RepairSearch(before, after, attacks, replace(options, keeps_finished=False)).unwritten()
    except UsageError as problem:
        return Recommendation(tag, refused=str(problem))
    except KeyboardInterrupt:
        if not options.keeps_finished:
            raise
        told = say("the search was interrupted")
        return Recommendation(tag, refused=Reason(told, ReasonKind.INTERRUPTED))
    return repair.recommendation(named=options.reveal)
