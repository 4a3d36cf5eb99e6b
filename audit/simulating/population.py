"""Synthetic people whose attributes depend on each other, as those of a census do.

A person's sensitive value is drawn first. Every value has, for each quasi-identifier, a typical place on a normal
scale, near to those of the values next to it in the domain: that makes neighbours in the domain similar. Around that
place a person lies by a trait that all quasi-identifiers share and by chance of its own; where the place falls among
the quantiles of the attribute's distribution is the person's value (a Gaussian copula).
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
"""How often the most frequent sensitive value stands for one of the rarest: 8.4 % and 0.12 % of 50 values."""
_BY_VALUE, _BY_TRAIT = 0.6, 0.4
_BY_CHANCE = (1 - _BY_VALUE**2 - _BY_TRAIT**2) ** 0.5
_SHIFT = 0.45
"""Of a wave, between attributes: not quite half, as the trait's sign turns too, so that the two do not cancel out."""
_AT_ONCE = 1 << 20


@dataclass(frozen=True)
class SyntheticPeople:
    """Everybody who is in some snapshot, in the order of arrival; updates change the columns in place.

    Attributes:
        quasi_identifiers, sensitive: the attributes.
        individual_name: name of the column of identifiers.
        individual: the identifiers, an Arrow array.
        columns: the quasi-identifiers of each, one array of codes for each attribute; shape (people,).
        value: the sensitive value of each; shape (people,).
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

    `cohorts` says how many arrive with each snapshot, `batches` how often each sensitive value stands in those after
    the first, where that is not left to chance.
    """
    shares = sensitive_shares(len(sensitive), rng)
    chance = cohorts[0] if batches is not None else sum(cohorts)
    value = [_drawn(shares, chance, rng).astype(sensitive.dtype)]
    value += [np.repeat(np.arange(len(sensitive), dtype=sensitive.dtype), counts) for counts in batches or ()]
    values = np.concatenate(value)
    makers = [_Maker(place, attribute, shares, rng) for place, attribute in enumerate(quasi_identifiers)]
    columns = [np.empty(len(values), dtype=attribute.dtype) for attribute in quasi_identifiers]
    for start in range(0, len(values), _AT_ONCE):
        part = slice(start, start + _AT_ONCE)
        trait = rng.standard_normal(len(values[part]))
        for column, maker in zip(columns, makers, strict=True):
            column[part] = maker.codes(values[part], trait, rng)
    taken = {sensitive.name, *(attribute.name for attribute in quasi_identifiers)}
    return SyntheticPeople(
        tuple(quasi_identifiers), sensitive, identifier_name(taken), identifiers(len(values), rng), columns, values
    )


def identifier_name(taken: set[str]) -> str:
    """Return a name for the column of made-up identifiers that no other column has."""
    return next(name for number in range(len(taken) + 1) if (name := "individual" + "_" * number) not in taken)


def identifiers(people: int, rng: np.random.Generator) -> Any:  # noqa: ANN401 - Arrow has no types
    """Return identifiers from 1 on that say nothing about who came when, as an Arrow array."""
    return arrow(rng.permutation(np.arange(1, people + 1, dtype=np.int32)))


def sensitive_shares(values: int, rng: np.random.Generator) -> Floats:
    """Return how frequent each sensitive value is: falling geometrically, in an order drawn by chance."""
    shares = _MOST_TO_RAREST ** -np.linspace(0, 1, values)
    return rng.permutation(shares / shares.sum())


def quasi_shares(place: int, attribute: Attribute, rng: np.random.Generator) -> Floats:
    """Return how frequent each value of a quasi-identifier is, in the order of the normal scale.

    The first attribute, when it is of numbers, has one hump, as ages have; others of numbers two narrow ones, as
    years of schooling; those of words few frequent values and many rare ones.
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
            self.order = rng.permutation(self.order)  # values of words that are near on the scale form a cluster
        # One and a half waves over the domain: smooth, and another for each attribute.
        wave = np.cos(3 * np.pi * np.arange(len(shares)) / len(shares) + 2 * np.pi * _SHIFT * place)
        rising = np.argsort(wave, kind="stable")
        middle = np.empty(len(shares))
        middle[rising] = np.cumsum(shares[rising]) - shares[rising] / 2
        self.typical = _BY_VALUE * np.array([normal.inv_cdf(float(share)) for share in middle])
        self.by_trait = _BY_TRAIT * (-1) ** place

    def codes(self, value: Column, trait: Floats, rng: np.random.Generator) -> Column:
        """Return the codes of some people; all shapes (people,)."""
        scale = self.typical[value] + self.by_trait * trait + _BY_CHANCE * rng.standard_normal(len(trait))
        return self.order[np.searchsorted(self.thresholds, scale)]


def _drawn(shares: Floats, size: int, rng: np.random.Generator) -> npt.NDArray[np.intp]:
    return np.searchsorted(np.cumsum(shares)[:-1], rng.random(size), side="right")
