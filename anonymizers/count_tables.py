"""Baselines for publishing tables of counts: each table is protected by itself, as most offices do.

They are made to be broken: what hides small counts in one table does not protect several of them. Only secondary
suppression goes on, when it is published, until an audit of all of them passes.

Each method takes a table with its totals, which are the last entry along each axis, and returns what each cell is
published as, texts of the same shape.

Source of the methods: Hundepool et al., Statistical Disclosure Control, 2012, chapter 4 (suppression, rounding).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np
import numpy.typing as npt

from audit.model.arrays import Counts, Flags
from audit.model.errors import UsageError, printable

CountTexts = npt.NDArray[np.str_]
SECONDARY = "c"
"""What stands in the place of all counts that are hidden, where some are for the sake of others.

A sign of its own for these would say that none of them is small, which can reveal the small ones beside them.
"""
_KEYS = 256
_NEVER = np.iinfo(np.int64).max
_PASSES = 3


def _hidden(table: Counts, threshold: int) -> Flags:
    return (table >= 1) & (table < threshold)


def suppressed(table: Counts, rng: np.random.Generator, threshold: int, marker: str = "*") -> CountTexts:
    """Hide counts from 1 to one less than the threshold; all totals stay."""
    return np.where(_hidden(table, threshold), marker, table.astype(str))


def secondarily_suppressed(table: Counts, rng: np.random.Generator, threshold: int) -> CountTexts:
    """Hide where a line hides one cell alone its next smallest cell too, so that no line reveals the first."""
    hidden = _hidden(table, threshold)
    for _ in range(_PASSES):
        for axis in range(table.ndim):
            alone = hidden.sum(axis=axis, keepdims=True) == 1
            left = np.where(hidden | (table == 0), _NEVER, table)
            least = left.min(axis=axis, keepdims=True)
            first = np.cumsum(left == least, axis=axis) == 1
            hidden |= alone & (left == least) & first & (least < _NEVER)
    return np.where(hidden, SECONDARY, table.astype(str))


def rounded(table: Counts, rng: np.random.Generator, base: int, threshold: int) -> CountTexts:
    """Round all counts to the nearest multiple, halves up; those below the threshold are hidden."""
    multiples = (table + base // 2) // base * base
    return np.where(_hidden(table, threshold), "*", multiples.astype(str))


def randomly_rounded(table: Counts, rng: np.random.Generator, base: int) -> CountTexts:
    """Round each count up or down to a multiple at random, so that it is right on average; totals by themselves."""
    up = rng.random(table.shape) * base < table % base
    return ((table // base + up) * base).astype(str)


def perturbed(table: Counts, rng: np.random.Generator, largest: int) -> CountTexts:
    """Put each count off by a little that depends on who is counted: the same people are always off by the same.

    People have keys from 0 to 255; those of a cell, added up modulo 256, choose by how much it is off: all values up to
    `largest` are equally likely, those that would make a count negative aside. Empty cells stay empty. The seed of
    `rng`, not its state, is that of the people's keys.

    Source: Fraser and Wooton, A proposed method for confidentialising tabular output to protect against differencing,
    UNECE work session on statistical data confidentiality, 2005.
    """
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
    most = np.minimum(largest, table)
    noise = keys % _KEYS * (2 * most + 1) // _KEYS - most
    return (table + noise).astype(str)


@dataclass(frozen=True)
class CountMethod:
    """A way to protect a table with its totals, which are the last entry along each axis.

    Attributes:
        name: its name on the command line.
        protect: takes a table, what draws random numbers, and the options; returns what each cell is published as.
        stated: keys of [table] that say so in the manifest, with their values as TOML, in which options are named.
        options: its options with their values.
        draws: whether it draws at random, and needs a seed to do the same again.
        for_people: whether it draws for people: the same in all tables.
        primary: what to publish where an audit says what to hide beside it; None where tables are protected one by one.
    """

    name: str
    protect: Callable[..., CountTexts]
    stated: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, int] = field(default_factory=dict)
    draws: bool = False
    for_people: bool = False
    primary: Callable[..., CountTexts] | None = None

    @property
    def rules(self) -> dict[str, str]:
        """What the manifest says of it: keys of [table] and their values as TOML."""
        known = {**self.options, "below": self.options.get("threshold", 1) - 1}
        return {key: text.format(**known) for key, text in self.stated.items()}

    def publish(self, table: Counts, rng: np.random.Generator) -> CountTexts:
        """Return what each cell is published as; the same shape."""
        return self.protect(table, rng, **self.options)

    def publish_first(self, table: Counts, rng: np.random.Generator) -> CountTexts:
        """Return what each cell is published as before an audit says what to hide beside it; the same shape."""
        return (self.primary or self.protect)(table, rng, **self.options)


_MARKERS = {"markers": '{{ "*" = [1, {below}] }}', "threshold": "{threshold}"}
COUNT_METHODS: Mapping[str, CountMethod] = {
    each.name: each
    for each in (
        CountMethod("threshold", suppressed, _MARKERS, {"threshold": 8}),
        CountMethod(
            "secondary",
            secondarily_suppressed,
            {"markers": f'{{{{ "{SECONDARY}" = [0, inf] }}}}', "threshold": "{threshold}"},
            {"threshold": 8},
            primary=partial(suppressed, marker=SECONDARY),
        ),
        CountMethod(
            "rounding",
            rounded,
            _MARKERS | {"rounding": '{{ to = {base}, how = "nearest" }}'},
            {"base": 5, "threshold": 8},
        ),
        CountMethod(
            "random-rounding", randomly_rounded, {"rounding": '{{ to = {base}, how = "random" }}'}, {"base": 5}, True
        ),
        CountMethod("cell-key", perturbed, {"perturbation": "{largest}"}, {"largest": 2}, True, for_people=True),
        CountMethod("none", lambda table, _: table.astype(str)),
    )
}


def count_method(name: str, options: Mapping[str, int]) -> CountMethod:
    """Return a method with its options.

    >>> count_method("threshold", {"threshold": 5}).rules
    {'markers': '{ "*" = [1, 4] }', 'threshold': '5'}

    Raises:
        UsageError: there is no such method or option, or an option is too small.
    """
    if name not in COUNT_METHODS:
        known = ", ".join(COUNT_METHODS)
        raise UsageError(f"there is no method {printable(str(name))} for count tables; choose from {known}")
    method = COUNT_METHODS[name]
    least = {"threshold": 2, "base": 2, "largest": 1}
    has = [each for each in least if each in method.options]
    for option, value in options.items():
        if option not in has:
            given = f"; it has {', '.join(has)}" if has else ""
            raise UsageError(f"{name} has no {printable(str(option))}{given}")
        if not isinstance(value, int) or isinstance(value, bool) or value < least[option]:
            raise UsageError(f"{name}: {option} has to be a whole number from {least[option]}")
    return replace(method, options={**method.options, **options})
