"""JSON types: annotations that say how the fields of a result are written in JSON: limits, forms, names, omissions.

`reports.json_values` writes results by these types, and `reports.schema` makes the JSON Schema of them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal, TypeAlias, TypeVar, get_args, get_origin

T = TypeVar("T")


@dataclass(frozen=True)
class Within:
    """The least and the greatest value of a number."""

    least: float
    most: float = math.inf


@dataclass(frozen=True)
class Pattern:
    """The form of a text, as a regular expression."""

    pattern: str


@dataclass(frozen=True)
class Items:
    """The least and the greatest number of entries of a list or a table."""

    least: int
    most: int | None = None


@dataclass(frozen=True)
class WrittenAs:
    """The name that a field has in JSON, if it is another one."""

    name: str


@dataclass(frozen=True)
class Inlined:
    """A field that JSON replaces by its own entries."""


@dataclass(frozen=True)
class Less:
    """An object, or each object in a list, that JSON writes without some of its entries.

    Attributes:
        called: the name that the schema gives to the object without these entries.
        left_out: the entries that are left out.
    """

    called: str
    left_out: tuple[str, ...]


@dataclass(frozen=True)
class Defined:
    """A type that the schema defines under this name."""

    name: str


@dataclass(frozen=True)
class Omitted:
    """A field that is omitted if it is None, False or empty."""


@dataclass(frozen=True)
class Unwritten:
    """A field that is never written."""


def notes_of(hint: Any) -> tuple[Any, ...]:  # noqa: ANN401 - a type as in annotations
    """Return the annotations of a type."""
    return get_args(hint)[1:] if get_origin(hint) is Annotated else ()


OMITTED: Final = Omitted()
UNWRITTEN: Final = Unwritten()
INLINED: Final = Inlined()
Omittable: TypeAlias = Annotated[T | None, OMITTED]

Counted: TypeAlias = Annotated[int, Within(1)]
"""A whole number from 1; other whole numbers may be 0."""
Probability: TypeAlias = Annotated[float, Within(0, 1)]
Seconds: TypeAlias = Annotated[float, Within(0)]
ExactFraction: TypeAlias = Annotated[str, Pattern("^-?[0-9]+(/[0-9]+)?$")]
DateText: TypeAlias = Annotated[str, Pattern("^[0-9]{4}-[0-9]{2}-[0-9]{2}$")]
AttackName: TypeAlias = Annotated[str, Defined("attack")]
ClauseName: TypeAlias = Annotated[str, Defined("clause")]
ColumnRole: TypeAlias = Annotated[
    str, Pattern("^(sensitive|quasi_identifiers|group|record|count|individual|unlinkable|without_role)$")
]
Sensitive: TypeAlias = Annotated[str, Defined("sensitive")]
"""A sensitive attribute; a list for combinations of several."""
Status: TypeAlias = Literal["complete", "incomplete", "skipped", "failed"]
"""`complete`: every measure is exact. `incomplete`: counts are lower bounds. `skipped`: the attack does not apply.
`failed`: the attack of another package raised an error, ended the program, or made a false claim."""
WITHOUT_RESULT: frozenset[Status] = frozenset({"skipped", "failed"})
"""The status of an attack without results."""
ClauseState: TypeAlias = Literal["holds", "violated", "undecided", "not asked", "not judged"]
CountVerdict: TypeAlias = Literal["narrowed", "small", "recovered", "all"]
"""The kinds of disclosure of a count, from the least to the most severe; `all`: all people are of one kind."""
WORSE: Final[tuple[CountVerdict, ...]] = get_args(CountVerdict)
"""The same kinds, as values."""
WaiverState: TypeAlias = Literal["applied", "expired", "unknown", "exceeded", "unsized"]
