"""Population of synthetic people, whose attributes depend on each other as in a census.

A person's sensitive value is drawn first. For each quasi-identifier, each sensitive value has a typical place on a
normal scale, close to those of its neighbours in the domain. A person deviates from it by a trait, which all
quasi-identifiers share, and by a random amount. The quantile of the resulting place gives the value of the
quasi-identifier (a Gaussian copula).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
import numpy.typing as npt

from audit.io.texts import arrow
from audit.model.arrays import Counts, Floats
from audit.simulating.attributes import Attribute, Column

_MOST_TO_RAREST = 70.0
"""Frequency of the most frequent sensitive value divided by that of the rarest: 8.4 % and 0.12 % of 50 values."""
_BY_VALUE, _BY_TRAIT = 0.6, 0.4
_BY_CHANCE = (1 - _BY_VALUE**2 - _BY_TRAIT**2) ** 0.5
_SHIFT = 0.45
"""Part of a wave between attributes: not half, or it would cancel out the trait, whose sign alternates."""
_BLOCK_PEOPLE = 1 << 20


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

    `cohorts` holds the number of people who arrive with each snapshot. `batches` holds how often each sensitive value
    occurs in those after the first; None draws the values at random.
    """
    shares = sensitive_shares(len(sensitive), rng)
    chance = cohorts[0] if batches is not None else sum(cohorts)
    value = [_drawn(shares, chance, rng).astype(sensitive.dtype)]
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
    return SyntheticPeople(
        tuple(quasi_identifiers), sensitive, identifier_name(taken), identifiers(len(values), rng), columns, values
    )


def identifier_name(taken: set[str]) -> str:
    """Return an unused name for the column of made-up identifiers."""
    return next(name for number in range(len(taken) + 1) if (name := "individual" + "_" * number) not in taken)


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


def _drawn(shares: Floats, size: int, rng: np.random.Generator) -> npt.NDArray[np.intp]:
    return np.searchsorted(np.cumsum(shares)[:-1], rng.random(size), side="right")
