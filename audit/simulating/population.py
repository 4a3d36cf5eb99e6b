"""Population of synthetic people, whose attributes depend on each other as in a census, and how it changes.

A person's sensitive value is drawn first. For each quasi-identifier, each sensitive value has a typical place on a
normal scale, close to those of its neighbours in the domain. A person deviates from it by a trait, which all
quasi-identifiers share, and by a random amount. The quantile of the resulting place gives the value of the
quasi-identifier (a Gaussian copula).

From one snapshot to the next, people arrive and leave, and sensitive values and quasi-identifiers change.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from statistics import NormalDist
from typing import Any, NoReturn

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


Move = Callable[[Column, np.random.Generator], None]
"""Changes the codes of one quasi-identifier by one step, in place."""

YEARLY = 0.05
"""The share of people whose education or marital status may change at one step."""
_NEVER_MARRIED = {"nevermarried", "nevermarriedsingle", "single", "unmarried"}
MOST_PEOPLE = 100_000_000
_NONE = Fraction(0)


@dataclass(frozen=True)
class PopulationStep:
    """The changes between two snapshots.

    Attributes:
        newcomers: people who were in no snapshot before.
        back: people of an earlier snapshot who were not in the last one.
        staying: people of the last snapshot who are in the next one.
    """

    newcomers: int
    back: int
    staying: int

    @property
    def rows(self) -> int:
        """Rows of the next snapshot."""
        return self.newcomers + self.back + self.staying


@dataclass(frozen=True)
class PopulationPlan:
    """The external updates of a series.

    Attributes:
        rows: rows of the first snapshot.
        insertions: rows that are inserted at each step.
        steps: the changes at each step; one fewer than snapshots.
    """

    rows: int
    insertions: int
    steps: tuple[PopulationStep, ...]

    @property
    def snapshots(self) -> int:
        """The number of snapshots."""
        return len(self.steps) + 1

    @property
    def cohorts(self) -> list[int]:
        """The number of people who are new in each snapshot."""
        return [self.rows, *(step.newcomers for step in self.steps)]

    @property
    def fewest_staying(self) -> int:
        """The least number of people who stay at a step; 0 without steps."""
        return min((step.staying for step in self.steps), default=0)


def make_plan(
    rows: int, insertions: int, deletions: int, snapshots: int, returning: Fraction = _NONE
) -> PopulationPlan:
    """Plan how many people arrive, leave and return at each step (external updates).

    `returning` is the share of absent people who return at a step. Their number is rounded down and at most the number
    of insertions; the other insertions are new people.

    Raises:
        UsageError: a snapshot has too few rows to delete, or would have none; or there are too many people.
    """
    steps: list[PopulationStep] = []
    present, gone, seen = rows, 0, rows
    for number in range(1, snapshots):
        if deletions > present:
            what = f"snapshot {number} has {present:,} rows, and --deletions takes {deletions:,} of them away"
            raise UsageError(f"{what}; delete fewer, or insert more")
        back = min(insertions, int(returning * gone))
        step = PopulationStep(insertions - back, back, present - deletions)
        if not step.rows:
            raise UsageError(f"snapshot {number + 1} would have no rows; delete fewer, or insert more")
        present, gone, seen = step.rows, gone - back + deletions, seen + step.newcomers
        steps.append(step)
    if seen > MOST_PEOPLE:
        raise UsageError(f"{seen:,} people are more than {MOST_PEOPLE:,}; ask for fewer with --rows or --insertions")
    return PopulationPlan(rows, insertions, tuple(steps))


def sloped_counts(size: int, values: int, slope: int) -> Counts:
    """Return how often a batch has its rarest value, its second rarest and so on; shape (values,), int64.

    The counts rise linearly by the slope (equivalence paper, Section VII-A, Figure 5). A remainder, smaller than the
    number of values, adds one row to each of the most frequent values.

    >>> sloped_counts(20, 4, 2).tolist()
    [2, 4, 6, 8]
    >>> sloped_counts(22, 4, 2).tolist()
    [2, 4, 7, 9]

    Raises:
        UsageError: the slope is too steep for the size.
    """
    pairs = values * (values - 1) // 2
    if slope * pairs > size:
        what = f"--slope {slope} does not fit {size:,} insertions over {values:,} values"
        raise UsageError(f"{what}; the largest that does is {size // pairs}")
    least, left = divmod(size - slope * pairs, values)
    place = np.arange(values, dtype=np.int64)
    return least + slope * place + (place >= values - left)


def sloped_batches(plan: PopulationPlan, values: int, slope: int, rng: np.random.Generator) -> list[Counts]:
    """Return how often each value occurs in each insertion batch, in an order of values that is drawn for each batch.

    Raises:
        UsageError: the slope is too steep for the size of the batches.
    """
    counts = sloped_counts(plan.insertions, values, slope)
    return [rng.permutation(counts) for _ in plan.steps]


@dataclass(frozen=True)
class SimulatedUpdates:
    """Each sensitive value's candidate update set: runs of neighbours in the domain (m-Distinct paper, Definition 12).

    Attributes:
        first: the first value of each value's set; shape (values,), int64.
        diameter: the number of values of each set (the paper's Section VI-A).
    """

    first: Numbers
    diameter: int

    @property
    def closed(self) -> bool:
        """Whether each set contains its members' sets."""
        last = self.first + self.diameter - 1
        return np.array_equal(self.first[self.first], self.first) and np.array_equal(self.first[last], self.first)

    def pairs(self) -> Iterator[tuple[int, int]]:
        """Yield every possible update as the codes of the old and the new value."""
        for value, first in enumerate(self.first.tolist()):
            for follower in range(first, first + self.diameter):
                yield value, follower

    def changed(self, value: Column, rng: np.random.Generator) -> Column:
        """Draw another value of each value's set, all equally probable; shape (rows,). The diameter is 2 or more."""
        first = self.first[value]
        drawn = first + rng.integers(self.diameter - 1, size=len(value))
        return (drawn + (drawn >= value)).astype(value.dtype)


def update_sets(values: int, diameter: int, *, closed: bool) -> SimulatedUpdates:
    """Return update sets of one size: each value and its neighbours, or if `closed`, consecutive blocks of the domain.

    Closed sets contain the sets of their members, so that two changes are also possible as one.

    >>> update_sets(5, 3, closed=False).first.tolist(), update_sets(6, 3, closed=True).first.tolist()
    ([0, 0, 1, 2, 2], [0, 0, 0, 3, 3, 3])

    Raises:
        UsageError: there are fewer values, or they cannot be divided into blocks of that size.
    """
    if diameter > values:
        raise UsageError(f"--diameter {diameter}: there are only {values} sensitive values; choose at most {values}")
    value = np.arange(values, dtype=np.int64)
    if not closed:
        return SimulatedUpdates(np.clip(value - (diameter - 1) // 2, 0, values - diameter), diameter)
    if values % diameter:
        fitting = ", ".join(str(size) for size in range(1, values + 1) if values % size == 0)
        what = f"--closed: {values} sensitive values cannot be divided into blocks of {diameter}"
        raise UsageError(f"{what}; choose a --diameter among {fitting}")
    return SimulatedUpdates(value - value % diameter, diameter)


def moves(attributes: Sequence[Attribute]) -> dict[int, Move]:
    """Return the functions that change quasi-identifiers, by the place of the attribute (paper, Section VI-A).

    Raises:
        UsageError: no attribute has a known name, or an attribute's values do not fit its name.
    """
    makers = {
        "age": _older,
        "education": _schooled,
        "educationnum": _schooled,
        "marital": _wed,
        "maritalstatus": _wed,
    }
    meanings = [plain(attribute.name) for attribute in attributes]
    known = {n: makers[meaning](attributes[n]) for n, meaning in enumerate(meanings) if meaning in makers}
    if not known:
        what = "--moving knows how Age, Education and Marital move, and no quasi-identifier has one of these names"
        raise UsageError(f"{what}; rename a column, or leave --moving out")
    return known


def _older(attribute: Attribute) -> Move:
    """Add a year at each step, up to the top of the domain."""
    ages = attribute.whole
    if ages is None or (np.diff(ages) != 1).any():
        _refuse(attribute, "its values are not consecutive whole numbers")
    top = len(attribute) - 1

    def move(codes: Column, _: np.random.Generator) -> None:
        codes += codes < top

    return move


def _schooled(attribute: Attribute) -> Move:
    """Move a share of people to a higher level, all of which are equally probable."""
    if not attribute.is_numeric:
        _refuse(attribute, "its values are not numbers, so that the order of levels is not known")
    top = len(attribute) - 1

    def move(codes: Column, rng: np.random.Generator) -> None:
        rows = np.flatnonzero(rng.random(len(codes)) < YEARLY)
        rows = rows[codes[rows] < top]
        codes[rows] = rng.integers(codes[rows].astype(np.int64) + 1, top + 1)

    return move


def _wed(attribute: Attribute) -> Move:
    """Give a share of people a random status other than never married; it may be their own."""
    left = [n for n, text in enumerate(attribute.values) if plain(text) not in _NEVER_MARRIED]
    if not 0 < len(left) < len(attribute):
        _refuse(attribute, 'none of its values is "never-married", or all are')

    def move(codes: Column, rng: np.random.Generator) -> None:
        rows = np.flatnonzero(rng.random(len(codes)) < YEARLY)
        codes[rows] = rng.choice(left, len(rows)).astype(codes.dtype)

    return move


def _refuse(attribute: Attribute, why: str) -> NoReturn:
    raise UsageError(f'--moving: "{printable(attribute.name)}" cannot move: {why}; leave --moving out')


@dataclass(frozen=True)
class Updates:
    """The internal updates of each step.

    Attributes:
        sets: the values that each sensitive value may become; None if they never change.
        changes: the number of staying people who get another sensitive value.
        moves: the functions that change quasi-identifiers, by the place of the attribute.
    """

    sets: SimulatedUpdates | None = None
    changes: int = 0
    moves: Mapping[int, Move] = field(default_factory=dict)
