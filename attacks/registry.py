"""All attacks, in the order of the ladder of adversaries: each deduces at least what the one before it does."""

from __future__ import annotations

from attacks.intersection import Intersection
from attacks.update_graph import UpdateGraph
from audit.core.outcome import Attack

ATTACKS: tuple[Attack, ...] = (Intersection(), UpdateGraph())


def find(ident: str) -> Attack:
    """Return the attack of a name.

    Raises:
        KeyError: there is none.
    """
    return {attack.ident: attack for attack in ATTACKS}[ident]
