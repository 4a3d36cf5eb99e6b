"""All attacks: those on values, each of which deduces at least what the one before it does, then those on records."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TypedDict

from attacks.equivalence.attack import Equivalence
from attacks.inference_table import InferenceTable
from attacks.intersection import Intersection
from attacks.joint.attack import Joint
from attacks.update_graph import UpdateGraph
from audit.core.errors import UsageError
from audit.core.outcome import Attack

MOST_ON_A_SIDE = 100
ATTACKS: tuple[Attack, ...] = (Intersection(), UpdateGraph(), Equivalence(), Joint(), InferenceTable())


def find(ident: str) -> Attack:
    """Return the attack of a name.

    Raises:
        KeyError: there is none.
    """
    return {attack.ident: attack for attack in ATTACKS}[ident]


class AttackOptions(TypedDict, total=False):
    """Options that one attack has: `seed` is of `joint`, the others are of `equivalence`."""

    max_e: int
    known: bool
    seed: int


def choose(names: Collection[str], options: AttackOptions, spelled: Callable[[str], str] = str) -> tuple[Attack, ...]:
    """Return the attacks of some names, or all where none is named, as the ladder goes, with their options.

    `spelled` tells how the user writes an option. A seed may be given whatever is asked for.

    Raises:
        UsageError: an option is given of an attack that is not asked for.
    """
    chosen = tuple(attack for attack in ATTACKS if attack.ident in names or not names)
    own = {name: option for name, option in options.items() if name != "seed"}
    if own and Equivalence() not in chosen:
        option = spelled(next(iter(own)))
        raise UsageError(f"{option} is an option of the attack equivalence; ask for it too, or leave {option} out")
    return tuple(_with_options(attack, options) for attack in chosen)


def _with_options(attack: Attack, options: AttackOptions) -> Attack:
    if attack == Equivalence():
        return Equivalence(options.get("max_e", Equivalence.max_e), options.get("known", Equivalence.known))
    return Joint(options.get("seed", Joint.seed)) if attack == Joint() else attack
