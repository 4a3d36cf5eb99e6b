"""The registry of attacks, in the order in which they run and are shown."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from audit.model.errors import OptionError, UsageError
from audit.model.options import PluginImportError, Registry, given, options_of, refuse_unknown
from audit.runtime.phrases import printable

if TYPE_CHECKING:
    from audit.model.outcome import Attack

Choice: TypeAlias = "str | Attack | type[Attack]"
"""An attack by its name or as `package.module:Name`, an attack with its options, or the class of one."""

ATTACKS: Registry[Choice] = Registry(
    "series_audit.attacks",
    "attack",
    {
        "intersection": "attacks.intersection:IntersectionAttack",
        "update-graph": "attacks.update_graph:UpdateGraphAttack",
        "equivalence": "attacks.equivalence.attack:EquivalenceAttack",
        "joint": "attacks.joint.attack:JointAttack",
        "inference-table": "attacks.inference_table:InferenceTableAttack",
        "homogeneity": "attacks.homogeneity:HomogeneityAttack",
        "correspondence": "attacks.correspondence.attack:CorrespondenceAttack",
        "inference": "attacks.inference:InferenceAttack",
    },
)


def find(choice: Choice) -> Attack:
    """Return an attack by its name, class or instance; classes get their default options.

    An attack of another package that cannot be imported becomes a `FailedAttack`, which reports the error when it runs.

    Raises:
        UsageError: no attack has this name, an option has no default, or the object is no attack.
    """
    try:
        found = ATTACKS.load(choice) if isinstance(choice, str) else choice
    except PluginImportError as error:
        if choice not in ATTACKS.names:
            raise
        from audit.model.outcome import FailedAttack

        return FailedAttack(str(choice), str(error))
    if isinstance(found, type):
        if missing := [each.name for each in options_of(found) if each.required]:
            raise UsageError(f"the attack {found.__name__} needs {', '.join(missing)}; give each option a default")
        found = found()
    if not isinstance(getattr(found, "name", None), str) or not callable(getattr(found, "run", None)):
        raise UsageError(f"{printable(str(choice))} is not an attack: it lacks `name` or `run`")
    return cast("Attack", found)


def all_attacks() -> tuple[Attack, ...]:
    """Return all attacks that judge, with default options.

    An attack that only estimates (its `estimates` is true) runs only if it is chosen by name.
    """
    found = (find(name) for name in ATTACKS.names)
    return tuple(attack for attack in found if not getattr(attack, "estimates", False))


def choose(choices: Collection[Choice], options: Mapping[str, object]) -> tuple[Attack, ...]:
    """Return the chosen attacks, or all if none is chosen, in the order of the registry, with their options.

    Raises:
        UsageError: an attack or option is unknown, or no chosen attack has the option.
    """
    chosen = {attack.name: attack for attack in map(find, choices)} if choices else {}
    attacks = tuple(chosen.values()) or all_attacks()
    if options:
        _check(attacks, options)
    order = {name: place for place, name in enumerate(ATTACKS.names)}
    ordered = sorted(attacks, key=lambda attack: order.get(attack.name, len(order)))
    return tuple(_with_options(attack, options) for attack in ordered)


def _check(attacks: Iterable[Attack], options: Mapping[str, object]) -> None:
    own = {each.name: each for attack in attacks for each in options_of(type(attack))}
    if options.keys() <= own.keys():
        return
    every = {each.name: (each, attack) for attack in map(find, ATTACKS.names) for each in options_of(type(attack))}
    refuse_unknown(options, [*(option for option, _ in every.values()), *own.values()], "audit")
    if misplaced := [name for name in options if name not in own and not every[name][0].anywhere]:
        name, attack = misplaced[0], every[misplaced[0]][1].name
        what = f"is an option of the attack {attack}; ask for it too, or leave"
        raise OptionError(lambda written: f"{written(name)} {what} {written(name)} out")


def _with_options(attack: Attack, options: Mapping[str, object]) -> Attack:
    own = given(options_of(type(attack)), options)
    return cast("Attack", replace(cast("Any", attack), **own)) if own else attack
