"""Equivalence: who shares a value with whom, by linear combinations of all groups.

Threat model: the adversary knows, for each release, which group holds whom (`linked`), and that the sensitive value
never changes; somebody whose value may change between two releases would have to be taken for two people.

Claim: x is an *equivalence* when x = W S for a rational W with W U = 0, where S is the person matrix and U the value
matrix: the people with positive entries have the same values, all together, as those with negative ones. e is the
number on each side; with e = 1 two people share their value, and one of them found out is both found out. A value is
*pinned* when W S is one person and W U one value. Sound: each finding comes with W, checked in exact arithmetic.

Exact: all equivalences with e = 1, and all pinned values, for any series; all of them for series of buckets (one group
for each signature and release) and for small series. Elsewhere up to `max_e`, where each side lies within one published
group, and reported as that.

Source: equivalence paper, Sections IV to VI. Its Lemma 2, by which whole weights suffice, does not hold in general.

>>> attack = Equivalence()
>>> attack.ident, attack.max_e, sorted(attack.decides)
('equivalence', 4, ['min_e'])
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from attacks.equivalence.claims import Claims
from attacks.equivalence.fingerprint import ContradictionError
from attacks.equivalence.judging import Found, judge
from attacks.equivalence.spread import spread
from attacks.equivalence.timeline import timeline
from attacks.matrix import Matrix
from audit.core.budget import Budget
from audit.core.errors import printable
from audit.core.evidence import Evidence
from audit.core.outcome import Outcome, Status, sizes_table

_SEED = 0x5EED
_SHARE = 0.7


@dataclass(frozen=True)
class Equivalence:
    """Combine all groups linearly.

    Attributes:
        max_e: how many people on a side are looked for and counted; at least 1.
        known: measure too how far one known value spreads.
    """

    max_e: int = 4
    known: bool = False
    ident: str = "equivalence"
    decides: frozenset[str] = frozenset({"min_e"})
    per_attribute: bool = True

    def under(self, limits: Mapping[str, float], /) -> Equivalence:
        """Return the attack itself: no clause is an option of it."""
        return self

    def run(self, evidence: Evidence, budget: Budget, /) -> Outcome:
        """Return who shares a value with whom, with findings that span all that was found."""
        reason = _not_applying(evidence)
        if reason is not None:
            return Outcome.skipped(self.ident, reason)
        matrix = Matrix.of(evidence)
        try:
            found = _longest(matrix, self.max_e, budget)
        except ContradictionError as contradiction:
            found, reason = None, _contradicted(evidence, matrix, contradiction)
        if found is None:
            return Outcome(self.ident, "incomplete", reason or budget.reason, _nothing(matrix, self.max_e))
        claims = Claims.of(evidence, matrix.prefix(found.releases), found).sure()
        return self._told(matrix, claims, budget)

    def _told(self, matrix: Matrix, claims: Claims, budget: Budget) -> Outcome:
        found = claims.found
        line, missing = timeline(matrix, found, self.max_e, budget)
        measures: dict[str, object] = {
            "individuals": int(matrix.individual.sum()),
            "min_e": {"lower": found.lower, "upper": found.upper},
            "compromised": _compromised(matrix, found, self.max_e),
            "classes": _class_sizes(matrix, found),
            "pinned": _pinned_versions(matrix, found),
            "ways": list(found.ways),
        }
        people: dict[str, int] = {}
        if self.known:
            spread, people = _spread(claims.matrix, found, budget)
            measures.update(spread)
        measures["timeline"] = line
        reasons = [reason for reason in (found.reason, missing) if reason]
        status: Status = "incomplete" if reasons else "complete"
        shown = claims.shown(_nothing(matrix, self.max_e))
        return Outcome(self.ident, status, "; ".join(reasons) or None, measures, shown, people=people)


def _not_applying(evidence: Evidence) -> str | None:
    """Return why the attack does not apply, or None when it does."""
    if evidence.kind != "linked":
        return "it needs the adversary `linked` ([columns] individual)"
    if evidence.transitions is not None:
        return "it needs values that never change, and the series has transitions"
    return None


def _longest(matrix: Matrix, max_e: int, budget: Budget) -> Found | None:
    """Return what is known of all releases, or of as many first ones as can be judged in time."""
    releases = matrix.releases
    while releases:
        found = judge(matrix.prefix(releases), max_e, budget.part(_SHARE))
        if found is not None and releases == matrix.releases:
            return found
        if found is not None:
            reason = f"{budget.reason}, so that releases 1 to {releases} of {matrix.releases} alone were judged"
            return replace(found, lower=1, exact=False, reason=reason)
        releases //= 2
    return None


def _contradicted(evidence: Evidence, matrix: Matrix, contradiction: ContradictionError) -> str:
    """Return that no values fit all groups, and where that was seen."""
    where = ""
    if contradiction.groups:
        group = contradiction.groups[0]
        release = int(matrix.release[group])
        name = evidence.source.group_names(release, matrix.code[[group]])[0]
        where = f", as is seen in release {printable(evidence.tags[release])}, group {printable(name)}"
    return f"the releases contradict each other: no values of the people fit all groups{where}"


def _nothing(matrix: Matrix, max_e: int) -> dict[str, object]:
    """Return the measures when nothing is known: bounds that say nothing."""
    return {
        "individuals": int(matrix.individual.sum()),
        "min_e": {"lower": 1, "upper": None},
        "compromised": {str(e): 0 for e in range(1, max_e + 1)},
        "classes": {},
        "pinned": 0,
        "ways": [],
        "timeline": [0] * matrix.releases,
    }


def _compromised(matrix: Matrix, found: Found, max_e: int) -> dict[str, int]:
    """Return how many individuals take part in an equivalence up to each e."""
    least = found.least[matrix.individual]
    return {str(e): int(((least > 0) & (least <= e)).sum()) for e in range(1, max_e + 1)}


def _class_sizes(matrix: Matrix, found: Found) -> dict[str, int]:
    """Return how many classes of individuals who share a value there are of each size."""
    label = found.label[matrix.individual & (found.label >= 0)]
    sizes = np.bincount(label)
    return sizes_table(sizes[sizes > 1])


def _pinned_versions(matrix: Matrix, found: Found) -> int:
    """Return how many versions of individuals have a value that is certain."""
    return int((matrix.individual & (found.pinned >= 0))[matrix.member].sum())


def _spread(matrix: Matrix, found: Found, budget: Budget) -> tuple[dict[str, object], dict[str, int]]:
    """Return how many further people's values follow when one becomes known: who is worst, and class by class."""
    spreading = spread(matrix, np.random.default_rng(_SEED), budget)
    if spreading is None:
        return {"spread": None}, {}
    falls = spreading.falls
    label = np.where(matrix.individual, found.label, -1)
    members = np.bincount(label[label >= 0], minlength=1)
    first = np.unique(label, return_index=True)[1]
    first = first[label[first] >= 0]
    classes = Counter((int(members[label[c]]), int(falls[c])) for c in first.tolist() if members[label[c]] > 1)
    everybody = np.flatnonzero(matrix.individual)
    if not len(everybody):
        return {"spread": None}, {}
    worst = int(everybody[np.argmax(falls[everybody])])
    told: dict[str, object] = {
        "worst": int(falls[worst]),
        "mean": float(falls[everybody].mean()),
        "classes": [
            {"members": size, "falls": fall, "classes": count} for (size, fall), count in sorted(classes.items())
        ],
    }
    return {"spread": told}, {"spread_worst": worst} if falls[worst] else {}
