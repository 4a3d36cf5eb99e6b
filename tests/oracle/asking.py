"""Ask the attack `joint`, by the path that is wanted, and look into what it has decided, in names."""

from dataclasses import dataclass, field

import numpy as np
import pytest

from attacks.joint import attack, deciding, domains, pieces, whole
from attacks.joint import worlds as moving
from attacks.joint.attack import Joint, WorldRisks
from attacks.joint.network import network_of
from attacks.joint.parts import possible_values
from audit.core.budget import Budget
from audit.linking.linked import LinkedSource
from tests.helpers.running import written
from tests.oracle.test_joint import opened

UNLIMITED = 1 << 60

# What settles the parts: they are counted, or given up soon; or, with no count, linear programmes come first, or walks,
# or whole numbers; or nothing but short walks, which may leave values open.
UNCOUNTED = {(moving, "_SMALL"): 0, (deciding, "_COUNTED"): 0}
UNPROGRAMMED = UNCOUNTED | {(pieces, "_LARGEST_PROGRAMME"): 0}
SHORT = {(pieces, "_QUICK"): 0, (pieces, "_THOROUGH"): 0, (pieces, "_LARGEST_WHOLE"): 0, (deciding, "_ASKED"): 0}
WHOLE_WAYS = {
    "counted": {},
    "given up": {(moving, "_STEPS"): 4},
    "programmed": UNCOUNTED,
    "walked": UNPROGRAMMED,
    "in whole numbers": UNPROGRAMMED | {(pieces, "_PROPAGATED"): -1},
    "proved in whole numbers": UNPROGRAMMED | {(pieces, "_PROPAGATED"): -1, (whole, "_show"): lambda *_: True},
}
WAYS = WHOLE_WAYS | {"cut short": UNPROGRAMMED | SHORT}


@dataclass
class Looks(Budget):
    """A budget that is spent when it was looked at so often: what a time limit may be, without a clock."""

    seconds: float | None = 1.0
    looks: list[int] = field(default_factory=lambda: [UNLIMITED])

    def spent(self):
        self.looks[0] -= 1
        return self.looks[0] < 0

    def left(self):
        return 10.0 if self.looks[0] > 0 else 0.0

    def part(self, share):
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


def asked(series, adversary, *, budget=Budget, compiled=True, way="counted", world=None):
    """Run the attack, and look into what it decided; `world` stands in for what the key tells."""
    with written(series) as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(domains, "_COMPILED_SEATS", 0 if compiled else UNLIMITED)
        for (module, name), number in WAYS[way].items():
            patch.setattr(module, name, number)
        if world is not None:
            patch.setattr(LinkedSource, "world", world)
        opening, evidence = opened(folder, adversary)
        decided = []
        patch.setattr(attack, "decide", lambda *args: decided.append(deciding.decide(*args)) or decided[-1])
        limit = budget()
        outcome = Joint().run(evidence, limit)
        late = limit.spent()
        [(decision, earlier)] = decided
        told = claimed(outcome, opening, evidence)
        each = (decision.possible, decision.shown, decision.own)
        possible, shown, own = (_named(decision.network, words, opening, evidence) for words in each)
        early = [_certain(_named(one.network, one.possible, opening, evidence)) for one in earlier]
        share = _shares(evidence, decision, opening)
        return Found(possible, shown, own, share, told, outcome, decision.feasible, early, late)


def stages(series, adversary, *, compiled):
    """After each release: what people's own groups leave, what narrowing leaves, and whether anything is left."""
    with written(series) as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(domains, "_COMPILED_SEATS", 0 if compiled else UNLIMITED)
        network = network_of(opened(folder, adversary)[1])
        found = domains.narrowed(network, len(network.hosts))
        return [(own.tolist(), left.tolist(), True) if feasible else False for _, own, left, feasible in found]


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


def _named(network, words, opening, evidence):
    found = {}
    for release in range(len(network.hosts)):
        rows = possible_values(network, words, release)
        for version, row in zip(_versions(network, release, opening), rows, strict=True):
            if version is not None:
                found[version] = {evidence.values[code] for code in np.flatnonzero(row)}
    return found


def _versions(network, release, opening):
    """The versions of a release, None for those that do not count."""
    versions = network.versions
    here = np.flatnonzero(versions.release == release)
    return [
        (opening.people.name(person), release) if counts else None
        for person, counts in zip(versions.person[here].tolist(), versions.counted[here].tolist(), strict=True)
    ]


def _certain(possible):
    return {(*version, *values) for version, values in possible.items() if len(values) == 1}


def _shares(evidence, decision, opening):
    found = {}
    for release in range(len(decision.network.hosts)):
        rows = WorldRisks(evidence, decision).shares(release)
        for version, row in zip(_versions(decision.network, release, opening), rows, strict=True):
            if version is not None and not np.isnan(row).any():
                found[version] = {evidence.values[code]: row[code] for code in np.flatnonzero(row)}
    return found


def nobody_tells(source, position):
    """No world is known."""


def everybody_is_mistaken(source, position):
    """Each person has a value of the release, but not the person's own."""
    values = KEY(source, position)
    return None if values is None else np.roll(values, 1)


def half_is_told(source, position):
    values = KEY(source, position)
    return None if values is None else np.where(np.arange(len(values)) % 2, values, -1).astype(np.int32)


KEY = LinkedSource.world
