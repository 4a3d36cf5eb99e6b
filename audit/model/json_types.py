"""JSON types: annotations of a result's fields: limits, forms, names, and what its JSON omits.

`reports.json_values` writes results by these types, and `reports.schema` makes the JSON Schema of them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal, TypeAlias, TypeVar, get_args, get_origin

T = TypeVar("T")


@dataclass(frozen=True)
class Within:
    """The limits of a number."""

    least: float
    most: float = math.inf


@dataclass(frozen=True)
class Pattern:
    """The form of a text, as a regular expression."""

    pattern: str


@dataclass(frozen=True)
class Items:
    """How many entries a list or a table has."""

    least: int
    most: int | None = None


@dataclass(frozen=True)
class WrittenAs:
    """The name of a field in JSON, if it differs from the field's."""

    name: str


@dataclass(frozen=True)
class PartOf:
    """A field whose entries are appended to another field, which is a list."""

    name: str


@dataclass(frozen=True)
class Inlined:
    """A field whose entries are written in its place."""


@dataclass(frozen=True)
class Less:
    """Entries of an object, or of each object in a list, that are not written here; the schema names the rest.

    Attributes:
        called: the name of the rest.
        left_out: the omitted entries.
        always: entries that are null instead of omitted.
    """

    called: str
    left_out: tuple[str, ...]
    always: tuple[str, ...] = ()


@dataclass(frozen=True)
class Defined:
    """A type that the schema describes under a name of its own."""

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
"""A whole number from 1; others count from 0."""
Probability: TypeAlias = Annotated[float, Within(0, 1)]
Seconds: TypeAlias = Annotated[float, Within(0)]
ExactFraction: TypeAlias = Annotated[str, Pattern("^-?[0-9]+(/[0-9]+)?$")]
DateText: TypeAlias = Annotated[str, Pattern("^[0-9]{4}-[0-9]{2}-[0-9]{2}$")]
AttackName: TypeAlias = Annotated[str, Defined("attack")]
ClauseName: TypeAlias = Annotated[str, Defined("clause")]
Sensitive: TypeAlias = Annotated[str, Defined("sensitive")]
"""A sensitive attribute; a list for combinations of several."""
Status: TypeAlias = Literal["complete", "incomplete", "skipped", "failed"]
"""`complete`: every measure is exact. `incomplete`: counts are bounds from below. `skipped`: it does not apply.
`failed`: the attack of another package raised an error, ended the program, or made a false claim."""
WITHOUT_RESULT: frozenset[Status] = frozenset({"skipped", "failed"})
"""The status of an attack without results."""
ClauseState: TypeAlias = Literal["holds", "violated", "undecided", "not asked", "not judged"]
CountVerdict: TypeAlias = Literal["recovered", "narrowed", "small", "all"]
"""The kinds of disclosure of a count: known exactly, narrowed, small; `all`: all people are of one kind."""
WORSE: Final[tuple[CountVerdict, ...]] = ("narrowed", "small", "recovered", "all")
"""The same, with the worst last."""
UNBOUNDED: Final = 10**12
"""The upper bound of a count without one, null in JSON; no published count reaches it."""
WaiverState: TypeAlias = Literal["applied", "expired", "unknown", "exceeded", "unsized"]
