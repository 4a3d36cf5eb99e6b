"""Attributes of simulated people: their names, and their values in the order of the domain."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from audit.model.errors import UsageError, printable

Column = npt.NDArray[np.unsignedinteger]
"""Codes of one attribute, one per person, in the smallest type that holds them."""

_LARGEST = 100_000
_WHOLE = re.compile(r"0|-?[1-9][0-9]{0,17}")
_NOTATION = re.compile(r"([1-9][0-9]{0,8})|(-?[0-9]{1,9})\.\.(-?[0-9]{1,9})")
_MARITAL = ("never-married", "married", "spouse-absent", "separated", "divorced", "widowed")
_WORDS = {
    ("gender", 2): ("F", "M"),
    ("marital", 6): _MARITAL,
    ("maritalstatus", 6): _MARITAL,
}


@dataclass(frozen=True)
class Attribute:
    """An attribute and its domain; codes of people's values are places in it.

    Attributes:
        name: the column's name.
        values: the text of each value, in the order of the domain.
        is_numeric: whether the values are numbers, so that the domain is an interval.
    """

    name: str
    values: Sequence[str]
    is_numeric: bool

    def __len__(self) -> int:
        """Return the number of values."""
        return len(self.values)

    @property
    def dtype(self) -> np.dtype[np.unsignedinteger]:
        """The smallest type that holds the codes."""
        return np.dtype(np.min_scalar_type(max(len(self) - 1, 0)))

    @cached_property
    def whole(self) -> npt.NDArray[np.int64] | None:
        """The values as whole numbers, shape (values,); None if one is not written as a plain whole number."""
        if not self.is_numeric or not all(_WHOLE.fullmatch(text) for text in self.values):
            return None
        return np.array([int(text) for text in self.values], dtype=np.int64)


def plain(text: str) -> str:
    """Return the letters of a text in lower case, to recognize well-known attributes and values.

    >>> plain("Marital-Status")
    'maritalstatus'
    """
    return re.sub("[^a-z]", "", text.casefold())


def names(text: str, option: str) -> list[str]:
    """Return the names in a list with commas.

    Raises:
        UsageError: a name is empty.
    """
    found = [name.strip() for name in text.split(",")]
    if not all(found):
        raise UsageError(f"{option}: a name is empty; write names between single commas")
    return found


def declared(text: str, option: str) -> list[Attribute]:
    """Return the attributes that a text declares: `NAME=SIZE` or, of whole numbers, `NAME=LOW..HIGH`.

    >>> [(each.name, len(each), each.values[0]) for each in declared("Age=17..95,Gender=2", "--quasi-identifiers")]
    [('Age', 79, '17'), ('Gender', 2, 'F')]

    Raises:
        UsageError: the text is not a list of declarations, or a domain is empty or too large.
    """
    return [_declared(part, option) for part in names(text, option)]


def _declared(part: str, option: str) -> Attribute:
    name, _, domain = (word.strip() for word in part.partition("="))
    found = _NOTATION.fullmatch(domain)
    if not name or not found:
        remedy = "write NAME=SIZE or NAME=LOW..HIGH, such as Gender=2 or Age=17..95"
        raise UsageError(f'{option}: "{printable(part)}" declares no attribute; {remedy}')
    if found[1]:
        size = int(found[1])
    else:
        low, high = int(found[2]), int(found[3])
        size = high - low + 1
    if not 2 <= size <= _LARGEST:
        what = f"a domain has 2 to {_LARGEST:,} values, and this one {max(size, 0):,}"
        raise UsageError(f'{option}: "{printable(part)}": {what}; choose another')
    if not found[1]:
        return Attribute(name, [str(number) for number in range(low, high + 1)], is_numeric=True)
    words = _WORDS.get((plain(name), size))
    made_up = [f"{name.casefold()} {number:0{len(str(size))}d}" for number in range(1, size + 1)]
    return Attribute(name, words or made_up, is_numeric=False)


def check_names(attributes: Sequence[str]) -> None:
    """Check that no two columns have the same name.

    Raises:
        UsageError: two have.
    """
    twice = next((name for place, name in enumerate(attributes) if name in attributes[:place]), None)
    if twice is not None:
        raise UsageError(f'"{printable(twice)}" is named twice among the columns; give each column one meaning')
