"""All clauses of the policy, in the order in which they are told."""

from __future__ import annotations

from collections.abc import Mapping

from audit.clauses.clause import Clause, Stated
from audit.clauses.max_ever_risk import MaxEverRisk
from audit.clauses.max_risk import MaxRisk
from audit.clauses.min_e import MinE
from audit.clauses.smallest_class import SmallestClass

CLAUSES: Mapping[str, Clause] = {clause.name: clause for clause in (MaxRisk(), MinE(), SmallestClass(), MaxEverRisk())}


def limit_of(name: str, value: object) -> float:
    """Return the limit of a clause.

    Raises:
        ValueError: there is no such clause, or the value is no limit of it: what is wrong, and what to do.
    """
    if name not in CLAUSES:
        raise ValueError("the policy has no such limit", f"use one of {', '.join(CLAUSES)}")
    try:
        return CLAUSES[name].parse(value)
    except ValueError as error:
        raise ValueError("this is no limit of the policy", str(error)) from None


def in_force(manifest: Mapping[str, float], asked: Mapping[str, float]) -> dict[str, Stated]:
    """Return the limits in force: those that this run was asked for, of the manifest, and by default."""
    found = {}
    for name, clause in CLAUSES.items():
        limit = asked.get(name, manifest.get(name, clause.default))
        if limit is not None:
            found[name] = Stated(limit, name in manifest, name in asked)
    return found
