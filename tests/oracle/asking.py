"""Ask the attack `joint`, by the steps that are wanted, and look into what it has decided, in names."""

from dataclasses import dataclass, field, replace
from functools import wraps

import numpy as np
import pytest

from attacks.joint import attack, knowledge, settling
from attacks.joint.attack import JointAttack
from attacks.joint.balls import PartQuestions
from attacks.joint.knowledge import Knowledge
from attacks.joint.settling import Settling
from attacks.joint.values import WorldRisks, version_values
from audit.adversary.view import handed
from audit.runtime.budget import Budget
from tests.helpers.opening import opened
from tests.helpers.running import written

_UNLIMITED = 1 << 60


def nothing(*_):
    """A step that is left out."""


# What settles the parts: they are counted, or given up soon; or, with no count, programmes and balls, after walks or
# not; or one kind of step alone, as far as it can settle anything.
UNCOUNTED = {(settling, "STEPS"): 0}
WALKED = UNCOUNTED | {(settling, "WALKED"): 0}
WHOLE_WAYS = {
    "counted": {},
    "given up": {(settling, "STEPS"): 4},
    "programmed": UNCOUNTED,
    "exchanged at will": UNCOUNTED | {(knowledge, "COUNTED"): 0},
    "walked": WALKED,
    "walked, no programmes": WALKED
    | {(Settling, "_support"): nothing, (Settling, "_corners"): nothing, (settling, "AROUND"): 4},
    "asked": UNCOUNTED | {(Settling, "_support"): nothing, (Settling, "_corners"): nothing},
    "in whole numbers": UNCOUNTED
    | {(Settling, "_support"): nothing, (Settling, "_corners"): nothing}
    | {(Settling, "_try_corners"): nothing, (PartQuestions, "_refute"): nothing, (PartQuestions, "_near"): nothing},
}
SHORT = {(Settling, "_support"): nothing, (Settling, "_corners"): nothing}
WAYS = WHOLE_WAYS | {
    "cut short": WALKED | SHORT | {(Settling, "_balls"): nothing, (Settling, "_find_worlds"): nothing},
    "group by group": {},
}


@dataclass
class Looks(Budget):
    """A budget that is spent when it was looked at so often: what a time limit may be, without a clock."""

    seconds: float | None = 1.0
    looks: list[int] = field(default_factory=lambda: [_UNLIMITED])

    def exhausted(self):
        self.looks[0] -= 1
        return self.looks[0] < 0

    def remaining(self):
        return 10.0 if self.looks[0] > 0 else 0.0

    def fraction(self, share):
        return self

    def capped(self, seconds):
        return self


@dataclass(frozen=True)
class Found:
    """What the attack says, in names: by version the possible values, the shown ones, and shares where there are.

    `late` is whether the time was up at the end.
    """

    possible: dict
    shown: dict
    own: dict
    share: dict
    claims: set
    outcome: object
    feasible: bool
    early: list
    late: bool

    @property
    def settled(self):
        return self.outcome.status == "complete"


def left_out(step):
    """Return what does nothing under the name of a step, by which the attack tells what it is doing."""

    @wraps(step)
    def done(*_):
        pass

    return done


def forced(patch, way):
    """Have the attack go a way."""
    for (owner, name), value in WAYS[way].items():
        patch.setattr(owner, name, left_out(getattr(owner, name)) if value is nothing else value)


def asked(series, adversary, *, budget=Budget, way="counted", world=None):
    """Run the attack, and look into what it decided; `world` changes what the key says."""
    with written(series) as folder, pytest.MonkeyPatch.context() as patch:
        forced(patch, way)
        opening, view = opened(folder, adversary)
        joint = JointAttack().only_deciding({} if way == "group by group" else {"max_ever_risk": 1})
        evidence = handed(view, joint)
        if world is not None:
            evidence = replace(evidence, world=world(evidence.world))
        decided, decide = [], attack.decide
        patch.setattr(attack, "decide", lambda *args, **words: decided.append(decide(*args, **words)) or decided[-1])
        limit = budget()
        outcome = joint.run(evidence, limit)
        late = limit.exhausted()
        [each] = decided
        decision, earlier = each.last, each.earlier
        told = claimed(outcome, opening, evidence)
        everything = np.ones(decision.network.columns, dtype=np.bool_)
        each = (decision.alive, decision.shown, everything)
        possible, shown, own = (_named(decision, some, opening, evidence) for some in each)
        early = [_certain(one, decision, opening, evidence) for one in earlier]
        share = _shares(evidence, decision, opening)
        return Found(possible, shown, own, share, told, outcome, decision.feasible, early, late)


def claimed(outcome, opening, evidence):
    """What is claimed as certain, with names; findings are not built, proofs are none of our business here."""
    if outcome.claims is None:
        return set()
    columns = outcome.claims
    told = [
        (opening.people.name(person), release, evidence.values[value])
        for person, release, value in zip(
            columns.person.tolist(), columns.release.tolist(), columns.value.tolist(), strict=True
        )
    ]
    assert len(set(told)) == len(told)
    return set(told)


def _named(decision: Knowledge, some, opening, evidence):
    found = {}
    for release in range(len(decision.network.contents)):
        version, value = version_values(decision.network, some, release)
        for number, name in enumerate(_versions(decision.network, release, opening)):
            if name is not None:
                found[name] = {evidence.values[code] for code in value[version == number]}
    return found


def _versions(network, release, opening):
    """The versions of a release, None for those that do not count."""
    versions = network.versions
    here = np.flatnonzero(versions.release == release)
    return [
        (opening.people.name(person), release) if counts else None
        for person, counts in zip(versions.person[here].tolist(), versions.counted[here].tolist(), strict=True)
    ]


def _certain(findings, decision, opening, evidence):
    versions = decision.network.versions
    return {
        (opening.people.name(versions.person[place]), int(versions.release[place]), evidence.values[value])
        for place, value in zip(findings.certain.tolist(), findings.value.tolist(), strict=True)
    }


def _shares(evidence, decision, opening):
    found = {}
    for release in range(len(decision.network.contents)):
        version, value, share = WorldRisks(evidence, decision).shares(release)
        for number, name in enumerate(_versions(decision.network, release, opening)):
            mine = version == number
            if name is not None and not np.isnan(share[mine]).any():
                found[name] = {
                    evidence.values[code]: part
                    for code, part in zip(value[mine].tolist(), share[mine].tolist(), strict=True)
                }
    return found


def nobody_tells(_):
    """No world is known."""
    return ()


def everybody_is_mistaken(world):
    """Each person has a value of the release, but not the person's own."""
    return tuple(np.roll(values, 1) for values in world)


def half_is_told(world):
    """Every second person's value is known."""
    return tuple(np.where(np.arange(len(values)) % 2, values, -1).astype(np.int32) for values in world)
