"""All attacks: those on values, each of which deduces at least what the one before it does, then those on records."""

from __future__ import annotations

from attacks.equivalence.attack import Equivalence
from attacks.inference_table import InferenceTable
from attacks.intersection import Intersection
from attacks.joint.attack import Joint
from attacks.update_graph import UpdateGraph
from audit.core.outcome import Attack

ATTACKS: tuple[Attack, ...] = (Intersection(), UpdateGraph(), Equivalence(), Joint(), InferenceTable())


def find(ident: str) -> Attack:
    """Return the attack of a name.

    Raises:
        KeyError: there is none.
    """
    return {attack.ident: attack for attack in ATTACKS}[ident]
