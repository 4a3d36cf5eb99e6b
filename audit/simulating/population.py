"""Population of synthetic people, whose attributes depend on each other as in a census.

A person's sensitive value is drawn first. For each quasi-identifier, each sensitive value has a typical place on a
normal scale, close to those of its neighbours in the domain. A person deviates from it by a trait, which all
quasi-identifiers share, and by a random amount. The quantile of the resulting place gives the value of the
quasi-identifier (a Gaussian copula).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import NormalDist
from typing import Any

import numpy as np
import numpy.typing as npt

from audit.io.texts import arrow
from audit.model.arrays import Counts, Floats, Numbers
from audit.model.errors import UsageError
from audit.runtime.phrases import printable

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
_MOST_TO_RAREST = 70.0
"""Frequency of the most frequent sensitive value divided by that of the rarest: 8.4 % and 0.12 % of 50 values."""
_BY_VALUE, _BY_TRAIT = 0.6, 0.4
_BY_CHANCE = (1 - _BY_VALUE**2 - _BY_TRAIT**2) ** 0.5
_SHIFT = 0.45
"""Part of a wave between attributes: not half, or it would cancel out the trait, whose sign alternates."""
_BLOCK_PEOPLE = 1 << 20


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
    def whole(self) -> Numbers | None:
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


@dataclass(frozen=True)
class SyntheticPeople:
    """All people of all snapshots, in the order of arrival; updates change the columns in place.

    Attributes:
        quasi_identifiers, sensitive: the attributes.
        individual_name: name of the column of identifiers.
        individual: the identifiers, an Arrow array.
        columns: the codes of the quasi-identifiers, one array for each attribute; shape (people,).
        value: the codes of the sensitive values; shape (people,).
    """

    quasi_identifiers: tuple[Attribute, ...]
    sensitive: Attribute
    individual_name: str
    individual: Any
    columns: list[Column]
    value: Column


def generate(
    quasi_identifiers: Sequence[Attribute],
    sensitive: Attribute,
    cohorts: Sequence[int],
    batches: Sequence[Counts] | None,
    rng: np.random.Generator,
) -> SyntheticPeople:
    """Draw synthetic people.

    Args:
        quasi_identifiers: the attributes to make up.
        sensitive: the sensitive attribute.
        cohorts: the number of people who arrive with each snapshot.
        batches: how often each sensitive value occurs in each cohort after the first, shape (values,) each; None draws
            all values at random.
        rng: the random numbers.
    """
    shares = sensitive_shares(len(sensitive), rng)
    chance = cohorts[0] if batches is not None else sum(cohorts)
    value = [np.searchsorted(np.cumsum(shares)[:-1], rng.random(chance), side="right").astype(sensitive.dtype)]
    value += [np.repeat(np.arange(len(sensitive), dtype=sensitive.dtype), counts) for counts in batches or ()]
    values = np.concatenate(value)
    makers = [_Maker(place, attribute, shares, rng) for place, attribute in enumerate(quasi_identifiers)]
    columns = [np.empty(len(values), dtype=attribute.dtype) for attribute in quasi_identifiers]
    for start in range(0, len(values), _BLOCK_PEOPLE):
        part = slice(start, start + _BLOCK_PEOPLE)
        trait = rng.standard_normal(len(values[part]))
        for column, maker in zip(columns, makers, strict=True):
            column[part] = maker.codes(values[part], trait, rng)
    taken = {sensitive.name, *(attribute.name for attribute in quasi_identifiers)}
    unused = next(name for number in range(len(taken) + 1) if (name := "individual" + "_" * number) not in taken)
    return SyntheticPeople(tuple(quasi_identifiers), sensitive, unused, identifiers(len(values), rng), columns, values)


def identifiers(people: int, rng: np.random.Generator) -> Any:  # noqa: ANN401 - Arrow has no types
    """Return the numbers from 1 on in random order as identifiers, an Arrow array."""
    return arrow(rng.permutation(np.arange(1, people + 1, dtype=np.int32)))


def sensitive_shares(values: int, rng: np.random.Generator) -> Floats:
    """Return the share of each sensitive value: a geometric sequence in random order."""
    shares = _MOST_TO_RAREST ** -np.linspace(0, 1, values)
    return rng.permutation(shares / shares.sum())


def quasi_shares(place: int, attribute: Attribute, rng: np.random.Generator) -> Floats:
    """Return the share of each value of a quasi-identifier, in the order of the normal scale.

    The first attribute, if numeric, has one hump, like ages; other numeric ones have two narrow humps, like years of
    schooling; texts have a few frequent values and many rare ones.
    """
    size = len(attribute)
    at = np.linspace(0, 1, size)
    if attribute.is_numeric and place == 0:
        shares = np.exp(-(((at - 0.33) / 0.24) ** 2)) + 0.01
    elif attribute.is_numeric:
        shares = np.exp(-(((at - 0.5) / 0.12) ** 2)) + np.exp(-(((at - 0.8) / 0.1) ** 2)) + 0.04
    else:
        shares = rng.permutation(1 / (np.arange(size) + max(2.0, 24.0 / size)))
    return shares / shares.sum()


class _Maker:
    """Turns sensitive values and traits into codes of one quasi-identifier."""

    def __init__(self, place: int, attribute: Attribute, shares: Floats, rng: np.random.Generator) -> None:
        normal = NormalDist()
        ends = np.cumsum(quasi_shares(place, attribute, rng))[:-1]
        self.thresholds = np.array([normal.inv_cdf(min(end, 1 - 1e-12)) for end in ends])
        self.order = np.arange(len(attribute), dtype=attribute.dtype)
        if not attribute.is_numeric:
            self.order = rng.permutation(self.order)  # texts that are close on the scale occur together
        # One and a half waves over the domain, shifted for each attribute.
        wave = np.cos(3 * np.pi * np.arange(len(shares)) / len(shares) + 2 * np.pi * _SHIFT * place)
        rising = np.argsort(wave, kind="stable")
        middle = np.empty(len(shares))
        middle[rising] = np.cumsum(shares[rising]) - shares[rising] / 2
        self.typical = _BY_VALUE * np.array([normal.inv_cdf(float(share)) for share in middle])
        self.by_trait = _BY_TRAIT * (-1) ** place

    def codes(self, value: Column, trait: Floats, rng: np.random.Generator) -> Column:
        """Return the codes of people; all shapes (people,)."""
        scale = self.typical[value] + self.by_trait * trait + _BY_CHANCE * rng.standard_normal(len(trait))
        return self.order[np.searchsorted(self.thresholds, scale)]
