"""Explaining one person: the attacks run on all people, and what they say of this one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from audit.adversary.build_evidence import choose
from audit.adversary.view import View
from audit.io import manifest
from audit.io.series import Series
from audit.judgement.explain_person import About, AttackedEvidence, explanation, find
from audit.judgement.selection import claims_of
from audit.model.adversary import ADVERSARIES
from audit.model.audit_options import AuditOptions
from audit.model.errors import UsageError
from audit.model.explanation import Explanation
from audit.model.outcome import Attack
from audit.model.report import Report
from audit.model.scored import Result
from audit.pipeline.attack_run import limits_in_force
from audit.pipeline.audit_run import build_report, pseudonymizer, run_attacks


def explain_person(
    series: Series, attacks: Sequence[Attack], individual: str, options: AuditOptions
) -> tuple[Explanation, Report]:
    """Return what attacks say of one person, and the report on it; both name people.

    Raises:
        UsageError: there is no such person, or no one is known to be in the series, or no attack is about values.
        InputError: the series cannot be read.
    """
    if not ADVERSARIES[choose(series, options.adversary)].knows_people:
        keys = "[columns] individual, or a key file for each release; or [adversary] register"
        raise UsageError(f"{manifest.NAME}: nobody is known to be in this series; add {keys}")
    # What is waived is accepted, and still can be learnt.
    series.manifest = replace(series.manifest, waivers=())
    chosen = [attack for attack in attacks if attack.per_attribute]
    if not chosen:
        raise UsageError("--attack: this one says nothing of people; name an attack on people's values")
    seen: list[AttackedEvidence] = []
    revealing = replace(options, findings=None, reveal=True)
    namer = pseudonymizer(series, revealing)
    attacked = run_attacks(series, [About(attack, individual, seen) for attack in chosen], revealing)
    limits, person = limits_in_force(series, revealing), find(attacked.evidence, individual)
    attacked = replace(
        attacked, results=[_about(each, person.get(each.evidence.sensitive, -1), limits) for each in attacked.results]
    )
    report = replace(build_report(attacked, namer, revealing), about=individual)
    return explanation(report, attacked.evidence, seen, individual, person, options.time_limit), report


def _about(result: Result[View], person: int, limits: Mapping[str, float]) -> Result[View]:
    """Return a result without what clauses find of others."""
    for claims in claims_of(result, limits):
        others = claims.everything() if claims.person is None else np.flatnonzero(claims.person != person)
        result = result.accepting(claims, others)
    return result
