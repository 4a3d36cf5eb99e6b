"""Recommend a change of the newest release of a series that breaks the policy: `audit repair` before publication."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from audit.clauses.clause import attack_reason
from audit.io.candidate import as_candidate
from audit.io.series import Series
from audit.model.audit_options import AuditOptions
from audit.model.errors import UsageError
from audit.model.moves import Recommendation
from audit.model.outcome import Attack
from audit.model.release_impact import ReleaseImpact
from audit.repair.search import LARGE, RepairSearch
from audit.runtime.phrases import Reason, ReasonKind, figure, say, typed


def recommend(series: Series, attacks: Sequence[Attack], options: AuditOptions) -> Recommendation:
    """Return the least change found of the newest release that keeps the policy; nothing is written.

    The release is treated as a candidate after the others. If these already violate the policy, the change only has to
    disclose nothing more. Groups and lines are named if people may be named.

    Raises:
        InputError: the series cannot be read.
    """
    tag, past_violates = series.tags[-1], False
    try:
        before, after = as_candidate(series)
        how = replace(options, keeps_finished=False)
        search = RepairSearch(before, after, attacks, how)
        past_violates = bool(search.judge.past.policy.violations)
        repair = search.find()
    except UsageError as problem:
        return Recommendation(tag, refused=str(problem))
    except KeyboardInterrupt:
        if not options.keeps_finished:
            raise
        why = say("the search was interrupted")
        return Recommendation(tag, refused=Reason(why, ReasonKind.INTERRUPTED), past_violates=past_violates)
    return replace(repair.recommendation(named=options.reveal), past_violates=past_violates)


def with_repair(
    impact: ReleaseImpact, before: Series, after: Series, attacks: Sequence[Attack], options: AuditOptions
) -> ReleaseImpact:
    """Return what a candidate changes, with the repair that `audit repair` finds, or the reason why there is none.

    There is no search if the policy holds, if earlier releases break it, or if there are very many rows.

    Raises:
        InputError: the series or the candidate cannot be read.
    """
    if not impact.after.policy.violations or impact.without.policy.violations:
        return impact
    if after.about_rows > LARGE:
        why = say(
            "the series has more than {rows} rows, so a search takes long; run `{command}`",
            rows=figure(LARGE),
            command=typed("audit repair SERIES CANDIDATE --output DIR"),
        )
        return replace(impact, not_computed=(*impact.not_computed, attack_reason("repair", why)))
    try:
        repair = RepairSearch(before, after, attacks, options).find()
    except UsageError as problem:  # an input format that can be judged, but not written
        return replace(impact, not_computed=(*impact.not_computed, attack_reason("repair", str(problem))))
    if repair.refused is None:
        return replace(impact, repair=repair)
    return replace(impact, not_computed=(*impact.not_computed, attack_reason("repair", repair.refused)))
