"""What is said of knowledge: values that are not used or that are disclosed anyhow, columns that a register lacks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from audit.adversary.build_evidence import build_evidence
from audit.adversary.view import handed
from audit.io.series import Series
from audit.model.audit_options import AuditOptions
from audit.model.errors import printable
from audit.model.outcome import PerPersonAttack
from audit.model.report import ReportWarning
from audit.pipeline.attack_run import AuditRun
from audit.runtime.phrases import joined, say, say_count

_COLUMNS_SHOWN = 6


def known_warnings(attacked: AuditRun, options: AuditOptions) -> Iterator[ReportWarning]:
    """Yield whether values that the manifest knows are not used, or are certain without being known."""
    series, adversary = attacked.series, attacked.evidence[0].adversary
    if series.manifest.known is None:
        return
    if not adversary.knows_people:
        what = say(
            "the values in {file} are not used, because the adversary `{name}` knows nobody by name; add a key or a "
            "register, or leave `known` out",
            file=series.manifest.known,
            name=adversary.name,
        )
        yield ReportWarning("known", what)
        return
    people = _disclosed(attacked, options)
    if people:
        what = say_count(
            "{count} person with a known value would be found without it, and is in no count: audit without `known` "
            "too",
            "{count} people with a known value would be found without it, and are in no count: audit without `known` "
            "too",
            people,
        )
        yield ReportWarning("known", what)


def register_warnings(attacked: AuditRun) -> Iterator[ReportWarning]:
    """Yield how many people the register lists if they need not be there, and that it lacks some quasi-identifiers."""
    register, kinds = attacked.evidence[0].held.register, attacked.evidence[0].possible_kinds
    if kinds is not None:
        what = say(
            "the register lists {listed} people who may be in the data. People who look alike in every release are "
            "judged once, for each set of releases that one person can be in; {uncovered} people fit no row of any "
            "release",
            listed=kinds.listed,
            uncovered=kinds.uncovered,
        )
        yield ReportWarning("register", what)
    if register is not None and register.lacking:
        names = attacked.series.manifest.columns.quasi_identifiers
        columns = [f'"{printable(names[place])}"' for place in register.lacking]
        what = say_count(
            "the register lacks the quasi-identifier {columns}: everybody in it counts as covered there, and who knows "
            "it finds more; `k` and `homogeneity` judge it",
            "the register lacks the quasi-identifiers {columns}: everybody in it counts as covered there, and who "
            "knows them finds more; `k` and `homogeneity` judge them",
            len(columns),
            columns=joined(columns, _COLUMNS_SHOWN),
        )
        yield ReportWarning("register", what)


def _disclosed(attacked: AuditRun, options: AuditOptions) -> int:
    """Return how many people with a known value an attack on single people finds where nothing is known.

    It has the time that the attack itself has left.
    """
    results = [each for each in attacked.results if isinstance(each.attack, PerPersonAttack)]
    used = {(id(each.evidence), each.attack.name): each.seconds for each in results}
    attacks = [each.attack for each in results]
    plain = Series.of(replace(attacked.series.manifest, known=None))
    seen = {evidence.sensitive: evidence for evidence in build_evidence(plain, attacked.evidence[0].kind)}
    found = set[str]()
    for evidence in attacked.evidence:
        known = evidence.beforehand
        if not attacks or known is None:
            continue
        names = [attacked.series.people.name(code) for code in np.unique(known.person).tolist()]
        attack = attacks[-1]  # the last one decides where values change, too
        budget = options.budget(attack.name, used[id(evidence), attack.name])
        outcome = attack.run(handed(seen[evidence.sensitive]), budget)
        people = None if outcome.claims is None else outcome.claims.versions
        if people is not None:
            there = np.isin(plain.people.codes(names), people)
            found |= {name for name, certain in zip(names, there.tolist(), strict=True) if certain}
    return len(found)
