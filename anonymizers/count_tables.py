"""Baselines for publishing tables of counts: each table is protected by itself, as most offices do.

They are made to be broken: what hides small counts in one table does not protect several of them. Only secondary
suppression goes on, when it is published, until an audit of all of them passes.

Source of the methods: Hundepool et al., Statistical Disclosure Control, 2012, chapter 4 (suppression, rounding).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np
import numpy.typing as npt

from audit.model.arrays import Counts, Flags
from audit.model.errors import UsageError, printable

Texts = npt.NDArray[np.str_]
_KEYS = 256
SECONDARY = "c"
"""What stands in the place of a count that is hidden for the sake of others."""
_NEVER = np.iinfo(np.int64).max


class CountMethod(Protocol):
    """A way to protect a table with its totals, which are the last entry along each axis."""

    @property
    def name(self) -> str:
        """Its name on the command line."""

    @property
    def rules(self) -> Mapping[str, str]:
        """What the manifest says of it: keys of [table] and their values as TOML."""

    def publish(self, table: Counts, rng: np.random.Generator) -> Texts:
        """Return what each cell is published as; the same shape."""


def _hidden(table: Counts, threshold: int) -> Flags:
    return (table >= 1) & (table < threshold)


@dataclass(frozen=True)
class ThresholdSuppression:
    """Counts from 1 to one less than the threshold are hidden; all totals stay."""

    threshold: int = 8
    name: str = "threshold"

    @property
    def rules(self) -> Mapping[str, str]:
        """What the manifest says of it."""
        return {"markers": f'{{ "*" = [1, {self.threshold - 1}] }}', "threshold": str(self.threshold)}

    def publish(self, table: Counts, rng: np.random.Generator) -> Texts:
        """Return what each cell is published as."""
        return np.where(_hidden(table, self.threshold), "*", table.astype(str))


@dataclass(frozen=True)
class SecondarySuppression:
    """Where a line hides one cell alone, its next smallest cell is hidden too, so that no line reveals the first."""

    threshold: int = 8
    name: str = "secondary"
    passes: int = 3

    @property
    def primary(self) -> ThresholdSuppression:
        """What is hidden for its own sake, and all that is where an audit says what to hide beside it."""
        return ThresholdSuppression(self.threshold)

    @property
    def rules(self) -> Mapping[str, str]:
        """What the manifest says of it: `c` are counts that are hidden for the sake of others, 0 among them."""
        markers = f'{{ "*" = [1, {self.threshold - 1}], "{SECONDARY}" = [0, inf] }}'
        return {"markers": markers, "threshold": str(self.threshold)}

    def publish(self, table: Counts, rng: np.random.Generator) -> Texts:
        """Return what each cell is published as."""
        hidden = _hidden(table, self.threshold)
        for _ in range(self.passes):
            for axis in range(table.ndim):
                alone = hidden.sum(axis=axis, keepdims=True) == 1
                left = np.where(hidden | (table == 0), _NEVER, table)
                least = left.min(axis=axis, keepdims=True)
                first = np.cumsum(left == least, axis=axis) == 1
                hidden |= alone & (left == least) & first & (least < _NEVER)
        return np.where(hidden, np.where(table < self.threshold, "*", SECONDARY), table.astype(str))


@dataclass(frozen=True)
class ConventionalRounding:
    """All counts are rounded to the nearest multiple, halves up; those below the threshold are hidden."""

    base: int = 5
    threshold: int = 8
    name: str = "rounding"

    @property
    def rules(self) -> Mapping[str, str]:
        """What the manifest says of it."""
        own = {"rounding": f'{{ to = {self.base}, how = "nearest" }}'}
        return {**ThresholdSuppression(self.threshold).rules, **own}

    def publish(self, table: Counts, rng: np.random.Generator) -> Texts:
        """Return what each cell is published as."""
        rounded = (table + self.base // 2) // self.base * self.base
        return np.where(_hidden(table, self.threshold), "*", rounded.astype(str))


@dataclass(frozen=True)
class RandomRounding:
    """Each count goes up or down to a multiple at random, so that it is right on average; totals by themselves."""

    base: int = 5
    name: str = "random-rounding"

    @property
    def rules(self) -> Mapping[str, str]:
        """What the manifest says of it."""
        return {"rounding": f'{{ to = {self.base}, how = "random" }}'}

    def publish(self, table: Counts, rng: np.random.Generator) -> Texts:
        """Return what each cell is published as."""
        up = rng.random(table.shape) * self.base < table % self.base
        rounded: Texts = ((table // self.base + up) * self.base).astype(str)
        return rounded


@dataclass(frozen=True)
class CellKey:
    """Each count is off by a little that depends on who is counted, so that the same people are always off by the same.

    People have keys from 0 to 255; those of a cell, added up modulo 256, choose by how much it is off: all values up to
    `largest` are equally likely, those that would make a count negative aside. Empty cells stay empty.

    Source: Fraser and Wooton, A proposed method for confidentialising tabular output to protect against differencing,
    UNECE work session on statistical data confidentiality, 2005.
    """

    largest: int = 2
    name: str = "cell-key"

    @property
    def rules(self) -> Mapping[str, str]:
        """What the manifest says of it."""
        return {"perturbation": str(self.largest)}

    def publish(self, table: Counts, rng: np.random.Generator) -> Texts:
        """Return what each cell is published as; the seed of `rng`, not its state, is that of the people's keys."""
        keys = np.zeros_like(table)
        finest = tuple(slice(0, -1) for _ in table.shape)
        counts = table[finest]
        seed = rng.bit_generator.seed_seq.generate_state(4).tolist()
        people = [np.random.default_rng([*seed, place]) for place in range(counts.size)]
        each = [one.integers(0, _KEYS, n).sum() for one, n in zip(people, counts.ravel().tolist(), strict=True)]
        keys[finest] = np.array(each).reshape(counts.shape)
        for axis in range(table.ndim):
            last = tuple(slice(-1, None) if one == axis else slice(None) for one in range(table.ndim))
            keys[last] = keys.sum(axis=axis, keepdims=True)
        most = np.minimum(self.largest, table)
        noise = keys % _KEYS * (2 * most + 1) // _KEYS - most
        published: Texts = (table + noise).astype(str)
        return published


@dataclass(frozen=True)
class Unprotected:
    """All counts as they are."""

    name: str = "none"
    rules: Mapping[str, str] = field(default_factory=dict)

    def publish(self, table: Counts, rng: np.random.Generator) -> Texts:
        """Return what each cell is published as."""
        texts: Texts = table.astype(str)
        return texts


COUNT_METHODS: Mapping[str, CountMethod] = {
    each.name: each
    for each in (
        ThresholdSuppression(),
        SecondarySuppression(),
        ConventionalRounding(),
        RandomRounding(),
        CellKey(),
        Unprotected(),
    )
}

DRAWN = frozenset({"random-rounding", "cell-key"})
"""Methods that draw at random, and need a seed to do the same again."""
FOR_PEOPLE = frozenset({"cell-key"})
"""Methods that draw for people: the same in all tables."""


def count_method(name: str, options: Mapping[str, int]) -> CountMethod:
    """Return a method with its options.

    >>> count_method("threshold", {"threshold": 5})
    ThresholdSuppression(threshold=5, name='threshold')

    Raises:
        UsageError: there is no such method or option, or an option is too small.
    """
    if name not in COUNT_METHODS:
        known = ", ".join(COUNT_METHODS)
        raise UsageError(f"there is no method {printable(str(name))} for count tables; choose from {known}")
    method = COUNT_METHODS[name]
    least = {"threshold": 2, "base": 2, "largest": 1}
    has = [each for each in least if hasattr(method, each)]
    for option, value in options.items():
        if option not in has:
            given = f"; it has {', '.join(has)}" if has else ""
            raise UsageError(f"{name} has no {printable(str(option))}{given}")
        if not isinstance(value, int) or isinstance(value, bool) or value < least[option]:
            raise UsageError(f"{name}: {option} has to be a whole number from {least[option]}")
    return replace(method, **options)  # type: ignore[type-var]  # all are dataclasses
