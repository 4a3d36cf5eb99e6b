"""Spoil a finding: replace one field at a time by every kind of wrong value."""

from collections.abc import Iterator, Sequence
from dataclasses import fields, is_dataclass, replace
from fractions import Fraction
from math import inf, nan
from typing import Any, NamedTuple

import numpy as np


class Spoiled(NamedTuple):
    """A finding of which one field is wrong.

    Attributes:
        path: which field, such as `.certificate[0].groups[1]`.
        how: what was done to it.
        typed: whether it still has the type that the field declares.
        finding: the finding with it.
    """

    path: str
    how: str
    typed: bool
    finding: Any


def spoils(thing: Any, texts: Sequence[str] = ()) -> Iterator[Spoiled]:
    """Yield a thing with each of its fields spoiled in turn; `texts` are the names that other fields may have."""
    yield from _itself(thing, texts)
    for step, part, put in _parts(thing):
        for each in spoils(part, texts):
            yield each._replace(path=step + each.path, finding=put(each.finding))


def _itself(thing: Any, texts: Sequence[str]) -> Iterator[Spoiled]:
    others = [*_ANYTHING, *_values_near(thing), *(texts if isinstance(thing, str) else ())]
    for other in others:
        if type(other) is not type(thing) or bool(other != thing):
            typed = type(other) is type(thing) or thing is None or other is None
            yield Spoiled("", "nothing" if other is None else "another", typed and other not in (nan, inf), other)
    if isinstance(thing, tuple) and not hasattr(thing, "_fields") and thing[::-1] != thing:
        yield Spoiled("", "in another order", True, thing[::-1])


_ANYTHING = [nan, inf, "", "x", b"x", (), [], {}, None, object()]


def _values_near(thing: Any) -> list[Any]:
    """Return values near a value, of its type and of others."""
    found: list[Any] = []
    match thing:
        case bool():
            found += [not thing, int(thing)]
        case int():
            near = [thing - 1, thing + 1, -1 - thing, -thing, thing + 7, 2**31, -(2**31) - 1, 2**63, -(2**70)]
            found += [*near, float(thing), thing + 0.5, Fraction(thing), np.int64(thing), bool(thing), str(thing)]
        case Fraction():
            near = [thing + 1, thing - 1, -thing, 2 * thing, thing / 2, thing + Fraction(1, 10**9), Fraction(0)]
            found += [*near, float(thing), np.float64(float(thing)), str(thing), True]
        case float():
            found += [
                thing / 2,
                thing * 2,
                -thing,
                0.0,
                0.999,
                1.0,
                np.float64(thing),
                Fraction(thing),
                str(thing),
                True,
            ]
        case str():
            found += [f"{thing} ", f"{thing}#1", thing.upper(), 0]
        case frozenset():
            found += [*(thing - {one} for one in sorted(thing, key=repr)[:2]), set(thing), tuple(thing)]
        case tuple() if not hasattr(thing, "_fields"):
            less = [thing[:place] + thing[place + 1 :] for place in range(len(thing))]
            found += [*less, (*thing, *thing[:1]), (None, *thing), list(thing)]
        case dict():
            found += [{key: held for key, held in thing.items() if key != gone} for gone in thing]
            found += [{**thing, -1: 1}, {**thing, "x": 1}, [*thing], tuple(thing.items())]
        case None:
            found += [0, 1, 0.0, True]
    return found


def _parts(thing: Any) -> Iterator[tuple[str, Any, Any]]:
    """Yield the parts of an object: the step to a part, the part, and a function that replaces it."""
    if is_dataclass(thing):
        for each in fields(thing):
            yield (
                f".{each.name}",
                getattr(thing, each.name),
                lambda part, name=each.name: replace(thing, **{name: part}),
            )
    elif hasattr(thing, "_fields"):
        for name in thing._fields:
            yield f".{name}", getattr(thing, name), lambda part, name=name: thing._replace(**{name: part})
    elif isinstance(thing, dict):
        for key, held in thing.items():
            yield f"[{key}]", held, lambda part, key=key: {**thing, key: part}
    elif isinstance(thing, tuple):
        yield from _entries(thing)
    elif isinstance(thing, frozenset):
        for part in sorted(thing, key=repr)[:2]:
            yield "{}", part, lambda other, part=part: _with(thing - {part}, other)


def _entries(thing: tuple[Any, ...]) -> Iterator[tuple[str, Any, Any]]:
    for place, part in enumerate(thing):
        yield f"[{place}]", part, lambda part, place=place: (*thing[:place], part, *thing[place + 1 :])


def _with(some: frozenset[Any], other: Any) -> Any:
    """Return a set with one more item; a tuple of both if the item is not hashable."""
    try:
        return some | {other}
    except TypeError:
        return some, other
