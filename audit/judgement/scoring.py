"""Scoring: compare an outcome's probabilities with the truth, and the truth with the assumptions.

What an attack on single people finds about a person depends on the person's own groups and on the assumptions. If a key
shows that the assumptions are wrong for a person, nothing that depends on them is claimed or counted. But a release
whose groups leave the person only one value discloses that value, even if values change.

To know a harmless value violates nothing, whether it is certain or likely. Claims about harmless values only are set
aside like waived ones, except claims about the number of rows that can be a person's, which harmless values do not
change. A risk is set aside if the true value is harmless. If the true value is unknown, the risk is that of the
likeliest value, which may be harmless and hide the risk of another one: such a risk decides nothing. Equal values of
people with certain, harmless values are set aside, because each value is known by itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from audit.adversary.followed_people import wrong_cell
from audit.adversary.view import Key, View, handed
from audit.clauses.clause import ListedValue
from audit.clauses.max_ever_risk import value_codes
from audit.io.rules.rows_and_values import Harmless
from audit.io.series import Series
from audit.model.arrays import UNKNOWN, Codes, Columns, Flags, Places
from audit.model.evidence import CandidatePools, Evidence, WrongCellError
from audit.model.finding import Member
from audit.model.measures import Measures
from audit.model.outcome import Attack, Outcome, PerPersonAttack, Result, RiskQuery, Risks, reaches_all
from audit.runtime.budget import Budget
from audit.runtime.phrases import Reason, ReasonKind, say


def attacked(attack: Attack, evidence: Evidence, key: Key, budget: Budget) -> Outcome:
    """Run an attack, and return its outcome with the risks of the true values.

    An attack on single people is run again without the people whose own values contradict the assumptions.

    Raises:
        InputError: the cells of a record contradict each other, or cannot be read.
    """
    outcome = run_attack(attack, evidence, budget)
    if not isinstance(attack, PerPersonAttack) or outcome.claims is None:
        return score(evidence, key, outcome, budget)
    changed = changed_values(evidence, key)
    if not changed.any():
        return score(evidence, key, outcome, budget)
    seen = handed(evidence, attack)
    kept = [np.flatnonzero(~changed[pools.person]) for pools in seen.pooled]
    seen = replace(seen, pooled=tuple(map(less, seen.pooled, kept)))
    outcome = attack.run(seen, budget)
    outcome = _with_risks(outcome, replace(key, pooled=[pools.person for pools in seen.pooled]), budget)
    return replace(outcome, alone=alone(evidence, changed))


def run_attack(attack: Attack, evidence: Evidence, budget: Budget) -> Outcome:
    """Return the outcome of an attack on some evidence.

    Raises:
        InputError: the cells of a record contradict each other, or cannot be read.
    """
    try:
        return attack.run(handed(evidence, attack), budget)
    except WrongCellError as error:
        raise wrong_cell(evidence.held, error) if isinstance(evidence, View) else error from None


def score(evidence: Evidence, key: Key, outcome: Outcome, budget: Budget) -> Outcome:
    """Return an outcome with the risks of the true values.

    Claims about people whose own values contradict the assumptions would be wrong: they are withheld, and these people
    have no risk. `changed_values` counts them.
    """
    claims = outcome.claims
    if claims is None and outcome.estimate is not None and not changed_values(evidence, key).any():
        measures = outcome.estimate.scored(key, budget)
        return outcome if measures is None else replace(outcome, measures=measures)
    if claims is None or (claims.nothing is None and claims.versions is None):
        return outcome
    changed = changed_values(evidence, key)
    if not changed.any():
        return _with_risks(outcome, key, budget)
    if claims.nothing is not None:
        return _unfounded(outcome, claims.nothing)
    outcome = _with_risks(replace(outcome, claims=claims.without_people(changed)), key, budget)
    if outcome.risks is not None:
        risks = outcome.risks
        return replace(outcome, risks=replace(risks, risk=np.where(changed[risks.person], np.nan, risks.risk)))
    return outcome


def _with_risks(outcome: Outcome, truth: RiskQuery, budget: Budget) -> Outcome:
    """Return an outcome with the risks of the true values, if the attack knows them."""
    if outcome.model is None:
        return outcome
    risks = outcome.model.risks(truth, budget)
    if risks is None and outcome.status == "incomplete":
        return replace(outcome, model=None)
    if risks is None:
        what = say("{reason} before the risks were computed", reason=budget.reason)
        reason = Reason(what, ReasonKind.TIME_LIMIT)
        return replace(outcome, status="incomplete", reason=reason, model=None)
    return replace(outcome, risks=risks)


def _unfounded(outcome: Outcome, nothing: Measures) -> Outcome:
    """Return the outcome of reasoning about all people at once if the values of some change after all.

    A wrong premise about one person affects all people, so nothing follows.
    """
    reason = say(
        "the published values of some people change, so that nothing can be concluded from all groups together"
    )
    return replace(outcome, status="incomplete", reason=reason, measures=nothing, claims=None)


def changed_values(evidence: Evidence, key: Key) -> Flags:
    """Return, by person code, the people whose own published values change although the assumptions exclude that."""
    if evidence.transitions is None:
        return key.changed()
    people = evidence.pooled[-1].people if evidence.pooled else 0
    last, changed = np.full(people, UNKNOWN, dtype=np.int32), np.zeros(people, dtype=np.bool_)
    for release in range(len(evidence.tags)):
        values = key.of_versions(release)
        if values is None:
            continue
        person = evidence.pools(release).person
        before = last[person]
        forbidden = evidence.transitions.weight[before, values] == 0
        changed[person] |= forbidden & (before != UNKNOWN) & (values != UNKNOWN)
        last[person] = values
    return changed


def less(pools: CandidatePools, kept: Places) -> CandidatePools:
    """Return pools with only the people at some indices; the rows of their groups stay unchanged."""
    return replace(
        pools,
        person=pools.person[kept],
        pool=pools.pool[kept],
        counted=None if pools.counted is None else pools.counted[kept],
        fixed=None if pools.fixed is None else pools.fixed[kept],
    )


def alone(evidence: Evidence, people: Flags) -> Columns:
    """Return person, release and value of the versions of some people whose groups alone leave one value.

    `people` selects them by person code. Versions whose value is known beforehand do not count.
    """
    found: list[tuple[Codes, Codes, Codes]] = []
    for release, pools in enumerate(evidence.stream()):
        bag, value, rows = pools.entries()
        published = slice(None) if rows is None else rows > 0
        pair = np.unique(bag[published].astype(np.int64) * pools.values + value[published])
        of, what = pair // pools.values, pair % pools.values
        distinct = np.bincount(of, minlength=pools.n_pools)
        only = np.zeros(pools.n_pools, dtype=np.int32)
        only[of] = what
        mine = people[pools.person] & (distinct[pools.pool] == 1)
        if pools.counted is not None:
            mine &= pools.counted
        at = np.flatnonzero(mine)
        found.append((pools.person[at], np.full(len(at), release, dtype=np.int32), only[pools.pool[at]]))
    person, when, value = (
        np.concatenate([np.zeros(0, dtype=np.int32), *column]) for column in zip(*found, strict=True)
    )
    return person, when, value


def true_values(evidence: View, risks: Risks) -> Codes:
    """Return the value of each risk: the true value, -1 if it is unknown; shape (entries,), int32."""
    values, key = np.full(len(risks.person), -1, dtype=np.int32), evidence.key
    for release in np.unique(risks.release).tolist():
        known = key.of_people() if release < 0 else key.of_versions(release)
        if known is not None:
            mine = np.flatnonzero(risks.release == release)
            person = np.arange(len(known)) if release < 0 else evidence.pools(release).person
            of_person = np.full(int(max(person.max(initial=-1), risks.person[mine].max())) + 1, -1, dtype=np.int32)
            of_person[person] = known
            values[mine] = of_person[risks.person[mine]]
    return values


Results = Sequence[Result[View]]


def listed_values(series: Series) -> list[tuple[str, str]]:
    """Return the harmless values, as the series spells them."""
    return [(name, text) for name, texts in series.rules[Harmless].values.items() for text in texts]


def set_aside(results: Results, limits: Mapping[str, float]) -> Results:
    """Return results in which claims about harmless values only violate nothing."""
    listed = listed_values(results[0].evidence.series) if results else []
    if not listed:
        return results
    found = [_one(entry, listed, limits["max_risk"]) for entry in results]
    sure: dict[int, set[Member]] = {}
    for seen, claims in ((entry.evidence, entry.claims) for entry in found):
        own = set[Member]() if claims is None else claims.certain_of(_codes(seen, listed))
        sure.setdefault(id(seen), set()).update(own)
    # Equal values of people whose values are known are known, too.
    return [
        each if each.claims is None else each.without(each.claims.following(sure[id(each.evidence)])) for each in found
    ]


def _codes(seen: View, listed: Sequence[ListedValue]) -> list[int]:
    return sorted(value_codes(seen, listed, wholly=True))


def _one(entry: Result[View], listed: Sequence[ListedValue], limit: float) -> Result[View]:
    """Return a result without its claims about harmless values, and without their risks."""
    seen, claims, risks = entry.evidence, entry.claims, entry.outcome.risks
    codes = _codes(seen, listed)
    unclear = False
    if claims is not None:
        left, gone = claims.harmless(codes)
        entry = replace(entry, outcome=replace(entry.outcome, claims=left)).without(gone)
        if claims.counts_rows:
            # The share of a value other than the harmless one, or of one that linked rows show, may be too large, too.
            behind = bool(reaches_all(1.0 - claims.severity[gone], limit).any())
            linked = seen.records is not None and limit < 1.0
            unclear = behind or (linked and len(gone) > 0)
    if risks is not None and limit < 1.0:
        mixed = value_codes(seen, listed).difference(codes)
        harmless, unknown = _risks(seen, risks, codes, sorted(mixed), limit)
        entry = entry.without_entries("max_risk", np.concatenate([harmless, unknown]))
        unclear = unclear or bool(len(unknown))
    return replace(entry, unclear=unclear)


def _risks(seen: View, risks: Risks, codes: Sequence[int], mixed: Sequence[int], limit: float) -> tuple[Places, Places]:
    """Return the indices of risks of harmless values, and of risks whose value may be harmless or not.

    The risk of a combination is that of its likeliest part, which may be harmless while others are not.
    """
    values = true_values(seen, risks)
    untold = (values == -1) & ((risks.risk < 1.0) | (seen.combined is not None))
    unknown = reaches_all(risks.risk, limit) & (untold | np.isin(values, mixed))
    return np.flatnonzero(np.isin(values, codes)), np.flatnonzero(unknown)
