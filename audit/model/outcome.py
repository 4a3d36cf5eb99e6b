"""Outcomes: what an attack found out, how sure it is, and how a reader can check it.

An attack knows neither truth nor names: people, groups and values are codes, and risks are answered for whatever
value the scorer asks about.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal, NamedTuple, Protocol, TypeAlias, runtime_checkable

import numpy as np
import numpy.typing as npt

from audit.model.arrays import Codes, Counts, Flags, Places
from audit.model.evidence import Evidence
from audit.model.json_types import WITHOUT_RESULT, Status
from audit.model.measures import Measures
from audit.runtime.budget import Budget
from audit.runtime.phrases import say
from audit.runtime.reasons import Reason, ReasonKind, kind_of

Cause = Literal["group change", "subgroup expanding", "widow", "small group"]


@dataclass(frozen=True, slots=True)
class CertificateStep:
    """One step of a certificate: what one release leaves possible for one person.

    Attributes:
        release: counted from 0.
        groups: names of the groups that may hold the person.
        candidates: codes of the values that these groups leave to the person.
        feasible: those of them that lie on an allowed path, where values may change; None otherwise.
    """

    release: int
    groups: tuple[str, ...]
    candidates: tuple[int, ...]
    feasible: tuple[int, ...] | None = None


class RowPoints(NamedTuple):
    """All rows of a group with a value, and how many points each of them costs; at least 1.

    Releases are counted from 0, groups told by name, values by code.
    """

    release: int
    group: str
    value: int
    points: int


@dataclass(frozen=True, slots=True)
class RefutedCase:
    """What follows if a person had a value in a release: that it is impossible."""

    person: int
    release: int
    value: int
    proof: Proof


@dataclass(frozen=True, slots=True)
class Proof:
    """Why something about everybody at once is impossible, so that a reader can count it.

    Rows of some groups cost points, and some people spend more points than all of these rows have, whatever they have;
    or that is so in each of some cases. Without either, nothing is left to the only person who is mentioned, or
    people's own groups are enough.

    Attributes:
        points: which rows cost points.
        people: who spends them, counterfeits that keep their identity among them; ascending codes.
        cases: one for each value that is left to one person in one release.
    """

    points: tuple[RowPoints, ...]
    people: tuple[int, ...]
    cases: tuple[RefutedCase, ...] = ()


@dataclass(frozen=True, slots=True)
class AttributeDisclosure:
    """A person's value that is certain, which cannot be stated without its certificate.

    Attributes:
        person, release, value: codes: the person has this value in this release, counted from 0.
        risk: probability of the claim, 1.0 for a certainty.
        certificate: the steps that show it, in order of releases.
        proof: what shows it where one person's own groups do not; None where they do.
        alone: whether this release shows it by itself, whatever other releases say.
        proved: false where neither the certificate nor a proof shows it, for none was found within the limits.
    """

    person: int
    release: int
    value: int
    risk: float
    certificate: tuple[CertificateStep, ...]
    proof: Proof | None = None
    alone: bool = False
    proved: bool = True


Columns: TypeAlias = tuple[Codes, Codes, Codes]
"""Person, release and value of some claims."""


def foremost(severity: npt.NDArray[np.float64], release: Codes, most: int) -> Places:
    """Return the places of the `most` claims that are the worst and then the earliest, and of all that are as bad.

    >>> foremost(np.array([1.0, 2.0, 2.0, 2.0]), np.array([0, 3, 1, 3]), 2).tolist()
    [1, 2, 3]
    """
    if most >= len(severity):
        return np.arange(len(severity))
    last = np.partition(severity, len(severity) - most)[len(severity) - most]
    level = np.flatnonzero(severity == last)
    worse = np.flatnonzero(severity > last)
    wanted = most - len(worse)
    latest = np.partition(release[level], wanted - 1)[wanted - 1]
    return np.sort(np.concatenate([worse, level[release[level] <= latest]]))


@dataclass(frozen=True)
class AttributeDisclosures:
    """All disclosures of one outcome as columns; the findings themselves are built on demand.

    Attributes:
        person, release, value: codes; shape (claims,), int32.
        build: returns the findings at some places, with their certificates; None where none was found that is short.
        nothing: the measures of an attack that can conclude nothing, which hold if its premises do not hold for all
            people; None where each claim rests on its own person alone.
        exhaustive: whether it is known that every version that is certain is among the claims, though the outcome may
            be incomplete: of each other one that counts, two values are shown to be possible.
    """

    person: Codes
    release: Codes
    value: Codes
    build: Callable[[Places], Sequence[AttributeDisclosure | None]]
    nothing: Measures | None = None
    exhaustive: bool = False

    def __len__(self) -> int:
        """Return the number of claims."""
        return len(self.person)

    @property
    def severity(self) -> npt.NDArray[np.float64]:
        """What to rank the claims by, the worst highest: their probability, which is certainty."""
        return np.broadcast_to(np.float64(1), len(self))

    @property
    def people(self) -> Codes:
        """Whom the claims are about, some perhaps many times."""
        return self.person

    def at(self, places: Places) -> Columns:
        """Return person, release and value of the claims at some places."""
        return self.person[places], self.release[places], self.value[places]

    def worst(self, most: int) -> Places:
        """Return at least `most` claims of which none is better than any that is left out."""
        return foremost(self.severity, self.release, most)

    def some(self, places: Places) -> AttributeDisclosures:
        """Return the claims at some places alone, which are not known to be all that there are."""

        def build(chosen: Places) -> Sequence[AttributeDisclosure | None]:
            return self.build(places[chosen])

        return AttributeDisclosures(self.person[places], self.release[places], self.value[places], build, self.nothing)


@dataclass(frozen=True, slots=True)
class RecordSighting:
    """One step of a certificate about a record: its row in one release.

    Attributes:
        release: counted from 0.
        group: name of the row's group.
        size: how many rows of the release have equal cells, counterfeits that the key tells of left out.
        cells: the row's cell of each quasi-identifier, as numbers.
    """

    release: int
    group: str
    size: int
    cells: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class IdentityDisclosure:
    """A record whose inferred description too few records share, which cannot be stated without its certificate.

    Attributes:
        record: code.
        release: the one after which this was so for the first time, counted from 0.
        class_size: how many records shared the description then.
        description: what the record's cells have in common, by quasi-identifier, as numbers.
        cause: how it came about (monotonic paper, Section 4.1).
        certificate: the record's rows up to that release, in order of releases.
    """

    record: int
    release: int
    class_size: int
    description: tuple[int, ...]
    cause: Cause
    certificate: tuple[RecordSighting, ...]

    @property
    def risk(self) -> float:
        """The probability of taking a member of the class for the person one looks for."""
        return 1 / self.class_size


@dataclass(frozen=True)
class IdentityDisclosures:
    """All records of one outcome whose classes were too small once, as columns; findings are built on demand.

    Attributes:
        k: how many records a class should hold at least.
        record: codes; shape (claims,), int32.
        release: the first release after which a class was too small, counted from 0; shape (claims,), int32.
        class_size: its size then; shape (claims,), int32.
        smallest: the record's smallest class after any release; shape (claims,), int32.
        build: returns the findings at some places, with their certificates.
    """

    k: int
    record: Codes
    release: Codes
    class_size: Codes
    smallest: Codes
    build: Callable[[Places], list[IdentityDisclosure]]

    def __len__(self) -> int:
        """Return the number of claims."""
        return len(self.record)

    @property
    def severity(self) -> npt.NDArray[np.float64]:
        """What to rank the claims by: the probability of taking a member of the class for the person looked for."""
        return 1 / self.class_size


@dataclass(frozen=True, slots=True)
class GroupDisclosure:
    """A class of rows that look alike in one release, and a value that a large share of them has.

    Or a class of linked records that look alike over several releases.

    Attributes:
        release: counted from 0; of linked records whose values never change, the last one of those releases.
        group: name of the published group; of linked records, that in which the first of them was seen last.
        number: which of the group's classes, counted from 0; 0 for linked records.
        value: code.
        risk: the share of the value.
        rows, with_value: how many people the rows stand for, and how many of them have the value; of linked records
            whose values change, those with a row in the release.
        record: the first of the records, -1 for rows of one release.
        after: the last one of the releases over which the records look alike, -1 for rows of one release.
    """

    release: int
    group: str
    number: int
    value: int
    risk: float
    rows: int
    with_value: int
    record: int = -1
    after: int = -1


@dataclass(frozen=True)
class GroupDisclosures:
    """All classes of one outcome in which a value has too large a share, as columns.

    Attributes:
        release: counted from 0; shape (claims,), int32.
        risk: the share; shape (claims,), float64.
        below: the largest share of a value in any other class; None where there is none.
        mean: the mean over rows of the largest share in their class; None where there are none.
        build: returns the findings at some places.
    """

    release: Codes
    risk: npt.NDArray[np.float64]
    below: float | None
    mean: float | None
    build: Callable[[Places], list[GroupDisclosure]]

    def __len__(self) -> int:
        """Return the number of claims."""
        return len(self.risk)

    @property
    def severity(self) -> npt.NDArray[np.float64]:
        """What to rank the claims by: the share of the value."""
        return self.risk


class Nameless(NamedTuple):
    """A counterfeit without identity: the `number`-th, from 0, of those of a group, in the order of the file."""

    release: int
    group: str
    number: int


Somebody: TypeAlias = int | Nameless
"""A person or a counterfeit that keeps its identity, by code; or a counterfeit without one."""


class Weighted(NamedTuple):
    """A group of a release, counted from 0, with its weight in a linear combination of groups."""

    release: int
    group: str
    weight: Fraction


@dataclass(frozen=True, slots=True)
class EquivalenceFinding:
    """People who have the same values as others, or one whose value is pinned, with the groups that add up to it.

    The weighted sum of the groups' members is `left` less `right`, and that of their values is nothing, or one time
    the value that is pinned (equivalence paper, Definition 10).

    Attributes:
        left, right: who, and how often each is counted.
        value: code of the value that the one person on the left has; None where two sides have equal values.
        certificate: the groups with their weights, none of them 0, in the order of releases; none where they were
            not found within the work allowed.
        error: without a certificate, how probable it is at most that the random numbers err by which this is known.
        solver: whether it is the word of a solver, without a certificate.
    """

    left: tuple[tuple[Somebody, int], ...]
    right: tuple[tuple[Somebody, int], ...]
    value: int | None
    certificate: tuple[Weighted, ...]
    error: float | None = None
    solver: bool = False

    @property
    def e(self) -> int:
        """How many there are on each side; 0 where a value is pinned."""
        return sum(times for _, times in self.right)


@dataclass(frozen=True)
class EquivalenceFindings:
    """All equivalences and pinned values of one outcome, as columns; the findings themselves are built on demand.

    The claims need not be all equivalences that there are, but span them up to a size: e = 1 is told as a chain of
    pairs through each class.

    Attributes:
        e: people on each side, 0 where a value is pinned; shape (claims,), int32.
        effort: how hard each is to show, 0 for the easiest; below 100; shape (claims,), int32.
        release: the release by which everybody concerned was published, counted from 0; shape (claims,), int32.
        spanned: every equivalence of at most so many people on a side follows from the claims.
        doubt: whether more values may be pinned than are claimed: not all releases were looked at.
        nothing: the measures of an attack that can conclude nothing, which hold if its premises do not.
        sides: returns what the claims at some places say, without certificates.
        build: returns the findings at some places; without a certificate where no weights were found.
        person: whose value is pinned, -1 where none is; shape (claims,), int32. None where only `sides` tells.
        distinguished: returns whether some world gives every two people different values, but those that are claimed to
            be equal, or have values that are certain, which may take long; None where worlds were not asked.
    """

    e: Codes
    effort: Codes
    release: Codes
    spanned: int
    doubt: bool
    nothing: Measures
    sides: Callable[[Places], list[EquivalenceFinding]]
    build: Callable[[Places], list[EquivalenceFinding]]
    person: Codes | None = None
    distinguished: Callable[[], bool] | None = None

    def __len__(self) -> int:
        """Return the number of claims."""
        return len(self.e)

    @property
    def severity(self) -> npt.NDArray[np.float64]:
        """What to rank the claims by: a pinned value first, then the fewest people on a side, then the least effort."""
        return np.where(self.e == 0, 2.0, 1 / np.maximum(self.e, 1)) - self.effort * 1e-6


class RowKind(NamedTuple):
    """Rows of a release with equal cells and equal values: their cells, as numbers, and the value's code."""

    cells: tuple[int, ...]
    value: int


@dataclass(frozen=True, slots=True)
class Filling:
    """Rows of a release that, being in the next one too, can only be rows of it of which there are as many.

    So nobody else is any of these: neither other rows of the release nor whoever came anew (Hall's theorem).

    Attributes:
        release: counted from 0.
        rows: all of the release's rows of these kinds.
        fill: all of the next release's rows of these kinds.
    """

    release: int
    rows: frozenset[RowKind]
    fill: frozenset[RowKind]


@dataclass(frozen=True, slots=True)
class LinkageDisclosure:
    """Somebody whose quasi-identifiers and first release are known, and the few rows that can be theirs.

    Attributes:
        point: the quasi-identifiers, as numbers of cells that are a point.
        first: the release with which the person's record came, counted from 0.
        release: of the rows, counted from 0.
        rows: how many there are.
        groups: names of their groups.
        value: code of the value that all of them have; None where they have several.
        certificate: what rules out the other rows that cover the person, one after the other.
        solver: whether it may take more than that: the word of a solver.
    """

    point: tuple[int, ...]
    first: int
    release: int
    rows: int
    groups: tuple[str, ...]
    value: int | None
    certificate: tuple[Filling, ...]
    solver: bool

    @property
    def risk(self) -> float:
        """The probability of guessing right: the value where it is certain, else the row."""
        return 1.0 if self.value is not None else 1 / self.rows


@dataclass(frozen=True)
class LinkageDisclosures:
    """All subjects to whom too few rows are left, as columns; findings are built on demand.

    Attributes:
        rows: how many rows are left; shape (claims,), int64.
        release: of the rows; shape (claims,), int32.
        certain: whether all of them have one value; shape (claims,).
        build: returns the findings at some places.
    """

    rows: Counts
    release: Codes
    certain: Flags
    build: Callable[[Places], list[LinkageDisclosure]]

    def __len__(self) -> int:
        """Return the number of claims."""
        return len(self.rows)

    @property
    def severity(self) -> npt.NDArray[np.float64]:
        """What to rank the claims by: the probability of guessing right, values before rows."""
        return np.where(self.certain, 2.0, 1.0) / np.where(self.certain, 1, self.rows)


Finding: TypeAlias = AttributeDisclosure | IdentityDisclosure | EquivalenceFinding | GroupDisclosure | LinkageDisclosure
Claims: TypeAlias = (
    AttributeDisclosures | IdentityDisclosures | EquivalenceFindings | GroupDisclosures | LinkageDisclosures
)


@dataclass(frozen=True)
class Risks:
    """Posterior probabilities, one per person or per version (person and release).

    Attributes:
        person: whose; shape (n,), int32.
        release: of which version, counted from 0, or -1 for all versions of the person alike; shape (n,).
        versions: how many versions an entry stands for; shape (n,).
        risk: probability of the value asked for, or of the likeliest where none was asked; NaN where the value
            asked for is impossible; 1.0 exactly when nothing else is possible; shape (n,), float64.
        missing: of how many people no risk is known.
    """

    person: Codes
    release: Codes
    versions: npt.NDArray[np.integer]
    risk: npt.NDArray[np.float64]
    missing: int = 0


class RiskQuery(Protocol):
    """Which value a risk is wanted of; -1, or None instead of an array, asks for the likeliest."""

    def of_versions(self, release: int) -> Codes | None:
        """Return the value to ask for, for each person of a release's pools in order."""

    def of_people(self) -> Codes | None:
        """Return the value to ask for, by person code, where values never change."""


class EverKnown(NamedTuple):
    """What is known of people's having had one of some values in some release, over all worlds; by person code.

    Attributes:
        risk: the share of the worlds in which the person has one; NaN where it is not known, or the person does not
            count; shape (people,), float64.
        certain: who has one in every world.
        without: who has none in some world.
        counted: who counts.
    """

    risk: npt.NDArray[np.float64]
    certain: Flags
    without: Flags
    counted: Flags


class EqualPeople(NamedTuple):
    """People of whom nobody is certain, and who have equal values in all worlds.

    Attributes:
        pairs: codes of people, which chain up those who are equal, by the word of a solver, beyond those who were known
            to be; shape (pairs, 2), int32.
        whole: whether some world gives every two others different values, as far as they are not certain.
    """

    pairs: Codes
    whole: bool


class PossibleValues(Protocol):
    """What somebody who reasons about everybody at once can tell of any version, also of those that are not certain.

    Codes of people and values, ascending; releases are counted from 0. Nothing of versions that there are not.
    """

    def possible(self, person: int, release: int) -> Sequence[int]:
        """Return the values that are not ruled out."""

    def open(self, person: int, release: int) -> Sequence[int]:
        """Return those of them that are not shown to be possible either."""

    def ever(self, grave: Flags, budget: Budget) -> EverKnown:
        """Return what is known of everybody's having had one of some values, by code; shape (values,)."""

    def left(self, release: int) -> tuple[Codes, Codes]:
        """Return pairs of a person and a value not ruled out, of all in a release whose value is to be found out."""

    def equal_people(self, known: Codes, budget: Budget) -> EqualPeople:
        """Return who has equal values in all worlds, where values never change, but for those who are certain.

        Args:
            known: pairs of people who are known to be equal, which are not asked about; shape (pairs, 2), int32.
            budget: how long it may take.
        """


class RiskModel(Protocol):
    """What an attack says about probabilities.

    Risks are estimates, which decide nothing below certainty, unless the model says `counts_worlds = True`.
    """

    def risks(self, asked: RiskQuery, budget: Budget) -> Risks | None:
        """Return the probability of the values asked for, or None when the budget did not suffice."""


class Estimator(Protocol):
    """What an attack guesses and claims of nobody, to be held against the truth; it decides nothing."""

    def scored(self, asked: RiskQuery, budget: Budget) -> Measures | None:
        """Return the attack's measures with its guesses held against the true values; None where they cannot be."""


@dataclass(frozen=True)
class Outcome:
    """What an attack found out.

    `complete`: every measure is exact. `incomplete`: counts are bounds from below, for the reason given. `skipped`:
    the attack does not apply, for the reason given. `failed`: another package's attack broke, as the reason says.
    `knowing` tells what is left of versions that are not certain, where
    the attack knows more of it than the person's own groups say. `estimate` holds guesses against the truth. `exposed`
    are how many people's value is certain after each release, where the measures' timeline counts something else.
    """

    attack: str
    status: Status
    reason: str | None = None
    measures: Measures = field(default_factory=Measures)
    claims: Claims | None = None
    model: RiskModel | None = None
    knowing: PossibleValues | None = None
    estimate: Estimator | None = None
    exposed: tuple[int, ...] | None = None

    @property
    def subjects(self) -> int | None:
        """How many people, versions of people or records were judged; None where the attack does not count them."""
        return self.measures.subjects

    @property
    def interrupted(self) -> bool:
        """Whether the user interrupted it."""
        return kind_of(self.reason) is ReasonKind.INTERRUPTED

    @classmethod
    def skipped(cls, attack: str, reason: str) -> Outcome:
        """Return the outcome of an attack that does not apply."""
        return cls(attack, "skipped", reason)

    @classmethod
    def failed(cls, attack: str, reason: str) -> Outcome:
        """Return the outcome of another package's attack that did not come to a result that holds."""
        return cls(attack, "failed", reason)

    @property
    def ran(self) -> bool:
        """Whether the attack found anything out."""
        return self.status not in WITHOUT_RESULT

    @classmethod
    def cut_off(cls, attack: str) -> Outcome:
        """Return the outcome of an attack that the user interrupted, or that was still to come then."""
        return cls(attack, "skipped", interruption())


class Attack(Protocol):
    """An adversary's way to reason; its fields are its options."""

    @property
    def name(self) -> str:
        """The attack's name on the command line."""

    @property
    def decides(self) -> frozenset[str]:
        """The clauses of the policy that the attack can decide."""

    @property
    def per_attribute(self) -> bool:
        """Whether it reasons about sensitive values, so that it runs once for each sensitive attribute."""

    def with_policy(self, limits: Mapping[str, float], /) -> Attack:
        """Return the attack as the policy's limits want it: with options that are clauses of the policy."""

    def run(self, evidence: Evidence, budget: Budget, /) -> Outcome:
        """Deduce what can be deduced within the budget; a limit reached is `incomplete`, never `complete`."""


@runtime_checkable
class NarrowableAttack(Attack, Protocol):
    """An attack that finds the verdict sooner than all there is to be found."""

    def only_deciding(self, limits: Mapping[str, float], /) -> Attack:
        """Return the attack looking for nothing that the policy's limits do not ask for: every clause ends the same."""


@runtime_checkable
class RefinableAttack(Attack, Protocol):
    """An attack that finds more once values are struck out that another one shows to be in no world."""

    def refined(self, evidence: Evidence, outcome: Outcome, beside: Outcome, budget: Budget, /) -> Outcome:
        """Return its own outcome with what follows beside the other one's, whose `knowing` is not None."""


@runtime_checkable
class PerPersonAttack(Attack, Protocol):
    """An attack that looks at one person at a time.

    What it finds of somebody follows from the person's own pools: ranges of people can be attacked apart. Its measures
    are counts that add up.
    """

    def claims(self, evidence: Evidence, person: Codes, release: Codes, value: Codes) -> AttributeDisclosures:
        """Return claims, given as columns, with what builds their findings."""


def interruption() -> Reason:
    """Return why there is nothing of an attack that the user interrupted."""
    return Reason(say("the run was interrupted before the attack finished"), ReasonKind.INTERRUPTED)


def per_person_reason(evidence: Evidence) -> Reason | None:
    """Return why attacks on single people do not apply, or None when they do."""
    if evidence.adversary.knows_people:
        return None
    told = say("it needs the adversary `linked` ([columns] individual) or `register` ([adversary] register)")
    return Reason(told, ReasonKind.NEEDS)


def constant_reason(evidence: Evidence) -> Reason | None:
    """Return why attacks on values that never change do not apply, or None when they do."""
    if evidence.transitions is None:
        return None
    return Reason(say("it needs values that never change, and the series has transitions"), ReasonKind.UNFIT)


def linked_reason(evidence: Evidence) -> Reason | None:
    """Return why attacks on people whose groups are known do not apply, or None when they do."""
    if evidence.adversary.knows_groups:
        return None
    return Reason(say("it needs the adversary `linked` ([columns] individual)"), ReasonKind.NEEDS)


def known_rows_reason(evidence: Evidence) -> Reason | None:
    """Return why attacks on rows of people of whom nothing is known do not apply, or None when there are some."""
    if not evidence.adversary.knows_people:
        return None
    source, releases = evidence.published, range(len(evidence.tags))
    strange = source is not None and any(source.published(release).judged.any() for release in releases)
    return None if strange else everybody_listed_reason()


def everybody_listed_reason() -> Reason:
    """Return that the adversary knows of everybody, so that there are no strangers."""
    return Reason(say("no row is a stranger's: the attacks on people judge all of them"), ReasonKind.UNFIT)


def quasi_identifiers_reason(evidence: Evidence) -> Reason | None:
    """Return why attacks on rows with quasi-identifiers do not apply, or None when they do."""
    if evidence.rows_of is None:
        return Reason(say("it looks at one sensitive attribute at a time"))
    if not evidence.rows_of.attributes:
        return Reason(say("it needs quasi-identifiers"), ReasonKind.NEEDS)
    return None


def sizes_table(sizes: Sequence[int] | npt.NDArray[np.integer]) -> dict[str, int]:
    """Return how often each size occurs, for a JSON object.

    >>> sizes_table([1, 2, 2])
    {'1': 1, '2': 2}
    """
    return counts_table(np.bincount(np.asarray(sizes, dtype=np.intp)))


def counts_table(counts: npt.NDArray[np.integer]) -> dict[str, int]:
    """Return the same where it is known how often each size occurs; shape (sizes,)."""
    return {str(size): int(counts[size]) for size in np.flatnonzero(counts)}
