"""Methods for publishing count tables: each table is protected by itself, as most statistical offices do.

These methods are baselines for attacks: hiding small counts in each table does not protect several tables together.
Only `secondary` is continued by an audit, which hides further counts until all tables together pass.

Each method takes a table with its totals, which are the last entry along each axis, and returns the published text of
each cell, in the same shape.

Source of the methods: Hundepool et al., Statistical Disclosure Control, 2012, chapter 4 (suppression, rounding).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np
import numpy.typing as npt

from audit.model.arrays import Counts, Flags
from audit.model.errors import UsageError
from audit.model.options import Option, given, refuse_unknown
from audit.runtime.phrases import printable

CountTexts = npt.NDArray[np.str_]
SECONDARY = "c"
"""The marker of all hidden counts, if some are hidden to protect others.

A separate marker for the latter would show that they are not small, which can reveal the small ones beside them.
"""
_NEVER = np.iinfo(np.int64).max
_PASSES = 3


def _hidden(table: Counts, threshold: int) -> Flags:
    return (table >= 1) & (table < threshold)


def suppressed(table: Counts, rng: np.random.Generator, threshold: int, marker: str = "*") -> CountTexts:
    """Hide counts from 1 to the threshold less one, also among the totals."""
    return np.where(_hidden(table, threshold), marker, table.astype(str))


def secondarily_suppressed(table: Counts, rng: np.random.Generator, threshold: int) -> CountTexts:
    """Hide a second cell, the smallest nonzero one, in each line with a single hidden cell, which its total reveals."""
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
    """Round all counts to the nearest multiple of the base, halves up; counts below the threshold are hidden."""
    multiples = (table + base // 2) // base * base
    return np.where(_hidden(table, threshold), "*", multiples.astype(str))


def randomly_rounded(table: Counts, rng: np.random.Generator, base: int) -> CountTexts:
    """Round each count up or down to a multiple at random, without bias; totals are rounded independently."""
    up = rng.random(table.shape) * base < table % base
    return ((table // base + up) * base).astype(str)


@dataclass(frozen=True)
class CountMethod:
    """A way to protect a table with its totals, which are the last entry along each axis.

    Attributes:
        name: its name on the command line.
        protect: takes a table, a random generator and the options; returns the published text of each cell.
        stated: the keys of [table] that describe the method in the manifest, with their values as TOML; options are
            named in braces.
        options: its options with their values.
        draws: whether it uses random numbers, so that a seed is needed to repeat it.
        primary: the first step, if an audit then decides what else to hide; None if tables are protected one by one.
    """

    name: str
    protect: Callable[..., CountTexts]
    stated: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, int] = field(default_factory=dict)
    draws: bool = False
    primary: Callable[..., CountTexts] | None = None

    @property
    def rules(self) -> dict[str, str]:
        """The keys of [table] that describe the method in the manifest, and their values as TOML."""
        known = {**self.options, "below": self.options.get("threshold", 1) - 1}
        return {key: text.format(**known) for key, text in self.stated.items()}

    def publish(self, table: Counts, rng: np.random.Generator) -> CountTexts:
        """Return the published text of each cell; the same shape."""
        return self.protect(table, rng, **self.options)

    def publish_first(self, table: Counts, rng: np.random.Generator) -> CountTexts:
        """Return the published text of each cell before an audit decides what else to hide; the same shape."""
        return (self.primary or self.protect)(table, rng, **self.options)


COUNT_OPTIONS: Mapping[str, Option] = {
    each.name: each
    for each in (
        Option("threshold", int, 8, "count tables: smaller counts above 0 are hidden", least=2),
        Option("base", int, 5, "count tables: counts are rounded to multiples of it", least=2),
    )
}
"""The options of methods, by name."""


def _with(*names: str) -> dict[str, int]:
    return {name: COUNT_OPTIONS[name].default for name in names}


_MARKERS = {"markers": '{{ "*" = [1, {below}] }}', "threshold": "{threshold}"}
COUNT_METHODS: Mapping[str, CountMethod] = {
    each.name: each
    for each in (
        CountMethod("threshold", suppressed, _MARKERS, _with("threshold")),
        CountMethod(
            "secondary",
            secondarily_suppressed,
            {"markers": f'{{{{ "{SECONDARY}" = [0, inf] }}}}', "threshold": "{threshold}"},
            _with("threshold"),
            primary=partial(suppressed, marker=SECONDARY),
        ),
        CountMethod(
            "rounding",
            rounded,
            _MARKERS | {"rounding": '{{ to = {base}, how = "nearest" }}'},
            _with("base", "threshold"),
        ),
        CountMethod(
            "random-rounding", randomly_rounded, {"rounding": '{{ to = {base}, how = "random" }}'}, _with("base"), True
        ),
        CountMethod("none", lambda table, _: table.astype(str)),
    )
}


def count_method(name: str, options: Mapping[str, object]) -> CountMethod:
    """Return a method with its options.

    >>> count_method("threshold", {"threshold": 5}).rules
    {'markers': '{ "*" = [1, 4] }', 'threshold': '5'}

    Raises:
        UsageError: the method or an option is unknown, or an option is not valid.
    """
    if name not in COUNT_METHODS:
        names = ", ".join(COUNT_METHODS)
        raise UsageError(f"there is no method {printable(str(name))} for count tables; choose from {names}")
    method = COUNT_METHODS[name]
    known = [COUNT_OPTIONS[each] for each in method.options]
    refuse_unknown(options, known, name)
    return replace(method, options={**method.options, **given(known, options)})
