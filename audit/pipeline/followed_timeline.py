"""What was known after each release of people who are followed by record ids."""

from __future__ import annotations

from dataclasses import replace

from audit.adversary.build_evidence import followed_until
from audit.adversary.followed_people import UnfollowedError
from audit.adversary.view import View
from audit.judgement.explain_person import About
from audit.judgement.scoring import attacked
from audit.model.outcome import Attack, Outcome
from audit.runtime.budget import Budget
from audit.runtime.phrases import say
from audit.runtime.reasons import combined


def with_timeline(attack: Attack, evidence: View, outcome: Outcome, releases: int, budget: Budget) -> Outcome:
    """Return an outcome about all releases with what was found after each; `outcome` is what is found in the end.

    People found early are found in the end: where no one is, no one was before.
    """
    last = outcome.measures.timeline
    if not isinstance(last, list) or not outcome.ran or isinstance(attack, About):
        return outcome
    counts, exposed, reason = [*last[-1:]], [*(outcome.exposed or ())[-1:]], None
    for count in range(releases - 1, 0, -1):
        if not any(counts[:1]):
            break
        before = None
        try:
            if not budget.exhausted():
                early = followed_until(evidence, count)
                before = attacked(attack, early, early.key, budget)
        except UnfollowedError:
            reason = say("too many records may belong to one person")
        line = None if before is None else before.measures.timeline
        if before is None or not isinstance(line, list):
            why = combined([reason or budget.reason, say("the timeline's numbers are lower bounds")])
            outcome = replace(outcome, status="incomplete", reason=combined([outcome.reason or "", why or ""]))
            break
        counts, exposed = [*line[-1:], *counts], [*(before.exposed or ())[-1:], *exposed]
    counts = [0] * (releases - len(counts)) + counts
    people = None if outcome.exposed is None else (0,) * (releases - len(exposed)) + tuple(exposed)
    return replace(outcome, measures=replace(outcome.measures, timeline=counts), exposed=people)
