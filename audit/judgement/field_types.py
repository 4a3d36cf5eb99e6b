"""Field types: check the types of a finding's fields before anything is counted.

A number of another type can pass every comparison: NaN is neither below nor above a limit, and `True` equals 1. So each
field of a finding and of its certificate must have exactly the type that its class declares: a whole number is an
`int`, a weight an `int` or a `Fraction`, and a probability is finite.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from fractions import Fraction
from functools import lru_cache
from math import isfinite
from typing import Annotated, Any, ClassVar, Literal, TypeAlias, TypeVar, get_args, get_origin, get_type_hints

from audit.model.finding import BY_CHECK
from audit.model.json_types import notes_of

Test: TypeAlias = Callable[[Any], bool]


class BrokenCertificateError(AssertionError):
    """A finding does not follow from the published rows."""


def check_fields(finding: object) -> None:
    """Return if each field of a finding has its declared type.

    Raises:
        BrokenCertificateError: a field has another type.
    """
    if reason := misfit(finding):
        raise BrokenCertificateError(reason)


def misfit(finding: object) -> str | None:
    """Return the field of a finding that has another type than declared; None if there is none.

    >>> from audit.findings.equivalence import WeightedGroup
    >>> misfit(WeightedGroup(0, "1", Fraction(1, 2))), misfit(WeightedGroup(0, "1", float("nan")))
    (None, 'the field weight of WeightedGroup is of another type')
    """
    kind: type = type(finding)
    for name, fits in _fields(kind):
        if not fits(getattr(finding, name)):
            return f"the field {name} of {kind.__name__} is of another type"
    return None


@lru_cache
def _fields(kind: type) -> Sequence[tuple[str, Test]]:
    """Return a class's fields with the test of each; empty for a class that is not a dataclass."""
    if kind.__module__ == "builtins":
        return []
    declared = get_type_hints(kind, include_extras=True)
    unset = {each.name: each.default for each in fields(kind)} if is_dataclass(kind) else {}
    tests = []
    for name, each in declared.items():
        if get_origin(each) is not ClassVar:
            filled_later = BY_CHECK in notes_of(each)
            tests.append((name, _unset(unset[name]) if filled_later else _test(each)))
    return tests


def _unset(value: object) -> Test:
    """Return a test that a field which the check fills in is still empty."""
    return lambda held: type(held) is type(value) and held == value


@lru_cache
def _test(declared: Any) -> Test:  # noqa: ANN401 - types of types have no common type
    """Return a test that a value, with everything inside it, has exactly a declared type."""
    if get_origin(declared) is Annotated:
        return _test(get_args(declared)[0])
    if isinstance(declared, TypeVar):
        return _test(int)  # checked values are codes
    if get_origin(declared) is not None:
        return _composed(get_origin(declared), get_args(declared))
    if declared is float:
        return lambda value: type(value) is int or (type(value) is float and isfinite(value))
    if declared is Fraction:
        return lambda value: type(value) in {int, Fraction}
    return lambda value: type(value) is declared and misfit(value) is None


def _composed(origin: Any, inside: tuple[Any, ...]) -> Test:  # noqa: ANN401 - as above
    """Return the test of a union of types, or of a container with its contents."""
    if origin is Literal:
        return lambda value: type(value) is str and value in inside
    if origin is tuple and inside[-1] is not Ellipsis:
        return lambda value: type(value) is tuple and len(value) == len(inside) and all(map(_fits, value, inside))
    first = _test(inside[0])
    if origin is Mapping:
        return lambda value: (
            type(value) is dict and all(first(key) and _fits(each, inside[1]) for key, each in value.items())
        )
    if isinstance(origin, type) and is_dataclass(origin):
        return lambda value: type(value) is origin and misfit(value) is None
    if origin in {tuple, frozenset}:
        return lambda value: type(value) is origin and all(map(first, value))
    return lambda value: any(_fits(value, each) for each in inside)


def _fits(value: object, declared: Any) -> bool:  # noqa: ANN401 - as above
    return _test(declared)(value)
