"""Equivalences: people with the same values as others, and values that a linear combination of groups pins."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Annotated, ClassVar, Generic, Literal, TypeAlias

import numpy as np

from audit.findings.wording import certain_from, multiset, shown_value
from audit.model.arrays import Codes, Flags, Floats, Places
from audit.model.finding import (
    MEMBER,
    RELEASE,
    SIDE,
    VALUE,
    AnonymousCounterfeit,
    C,
    Claims,
    Finding,
    Identifiers,
    KnownReleases,
    Member,
    Place,
    Presence,
)
from audit.model.json_types import Counted, Items, Omittable, Probability
from audit.model.measures import Measures
from audit.runtime.phrases import figure, printable, say, say_count

# Each equivalence is read to find its people, up to this number.
_MOST_SIDES = 100_000


@dataclass(frozen=True)
class WeightedGroup(Generic[C]):
    """A group in a linear combination of groups.

    Attributes:
        release: the release.
        group: the group.
        weight: its weight, an exact fraction as text.
    """

    release: Annotated[C, RELEASE]
    group: str
    weight: Fraction

    def line(self: WeightedGroup[str]) -> str:
        """Return how often the group is counted."""
        where = {"release": printable(self.release), "group": printable(self.group)}
        return say("{weight} x release {release}, group {group}", weight=str(self.weight), **where)


def unproved(error: float) -> str:
    """Return how an equivalence is known for which no sum of groups was found."""
    shown = figure(max(error, 1e-12), ".0e")
    return say("shown by random linear algebra over all groups; probability of an error below {error}", error=shown)


@dataclass(frozen=True, kw_only=True)
class Combination(Finding[C]):
    """A conclusion from weighted groups that are added up.

    Attributes:
        certificate: the groups with their weights, none of them 0, in the order of releases; empty if none was found.
        evidence: `proof`: the certificate was checked again. `solver`: only a solver shows it. `fingerprint`: random
            linear algebra shows it.
        error: without a certificate, an upper bound of the probability of an error by the random numbers.
    """

    certificate: tuple[WeightedGroup[C], ...] = ()
    evidence: Literal["proof", "solver", "fingerprint"] = "proof"
    error: Omittable[Probability] = None

    def steps(self: Combination[str]) -> Iterator[str]:
        """Yield how the conclusion is known, and the groups that are added up."""
        if self.error is not None:
            yield unproved(self.error)
        yield from (group.line() for group in self.certificate)
        if self.certificate:
            yield say(
                "Added up like this, the groups have everybody else, and every other value, as often with plus as with "
                "minus: what is left is the sentence above."
            )

    def places(self) -> Iterator[Place[C]]:
        """Yield the groups of the certificate."""
        yield from ((step.release, step.group) for step in self.certificate)

    def follows_from(self: Combination[int], source: Presence, last: int) -> KnownReleases:
        """Return the releases and groups of the certificate; all releases without one."""
        if self.evidence != "proof":
            return KnownReleases(tuple(range(last)), False, ())
        earlier = tuple(sorted({step.release for step in self.certificate} - {last}))
        return KnownReleases(earlier, not earlier, super().follows_from(source, last).groups)


Side: TypeAlias = Annotated[Mapping[C | AnonymousCounterfeit, Counted], SIDE, Items(1)]


@dataclass(frozen=True)
class Equivalence(Combination[C]):
    """People who have the same values as other people.

    The weighted sum of the groups' members is `left` less `right`, and that of their values is nothing (equivalence
    paper, Definition 10).

    Attributes:
        kind: which sort of finding.
        e: the number of people on each side.
        left: the left side: people and counterfeits, each with its multiplicity; pseudonyms unless revealed.
        right: the right side.
    """

    kind: ClassVar[Literal["equivalence"]] = "equivalence"
    e: Counted
    left: Side[C]
    right: Side[C]

    def sentence(self: Equivalence[str], *, by_version: bool) -> str:
        """Return a sentence about which people have the same values."""
        return say_count(
            "{left} [has|have] the same [value|values] as {right} (e = {e})",
            self.e,
            left=multiset(self.left),
            right=multiset(self.right),
            e=str(self.e),
        )

    def exceeds(self, limits: Mapping[str, float]) -> bool:
        """Return whether a side has fewer people than `min_e`."""
        return self.e < limits.get("min_e", 2)

    def level(self, limits: Mapping[str, float], *, violated: bool) -> str:
        """Return the level of a note if there are enough people on a side."""
        return super().level(limits, violated=violated) if self.exceeds(limits) else "note"

    @property
    def extent(self) -> int:
        """The number of people on both sides."""
        return 2 * self.e

    def mentioned(self: Equivalence[int]) -> Iterable[Member]:
        """Return the members of both sides."""
        return (*self.left, *self.right)

    def people(self: Equivalence[int]) -> Sequence[int]:
        """Return the people of both sides."""
        return [who for who in self.mentioned() if isinstance(who, int)]


@dataclass(frozen=True)
class Pinned(Combination[C]):
    """A person's value that a linear combination of groups fixes.

    The weighted sum of the groups' members is the person, and the weighted sum of their values is the value, once.

    Attributes:
        kind: which sort of finding.
        individual: the person; a pseudonym unless revealed.
        release: the release after which the value is certain.
        value: the value that is certain.
        risk: the probability of the value.
    """

    kind: ClassVar[Literal["disclosure"]] = "disclosure"
    individual: Annotated[C | AnonymousCounterfeit, MEMBER]
    release: Annotated[C, RELEASE]
    value: Annotated[C, VALUE]
    risk: Probability

    def sentence(self: Pinned[str], *, by_version: bool) -> str:
        """Return a sentence with the person's value."""
        return certain_from(str(self.individual), shown_value(self.value), self.release)

    def mentioned(self: Pinned[int]) -> Iterable[Member]:
        """Return the person, or the counterfeit."""
        return (self.individual,)

    @property
    def person(self: Pinned[int]) -> int | None:
        """The person; None for a counterfeit without identity."""
        return self.individual if isinstance(self.individual, int) else None

    def people(self: Pinned[int]) -> Sequence[int]:
        """Return the person."""
        return () if self.person is None else (self.person,)


AnyCombination: TypeAlias = Equivalence[int] | Pinned[int]


@dataclass(frozen=True)
class Equivalences(Claims):
    """All equivalences and pinned values of one outcome, as columns; the findings themselves are built on demand.

    The claims need not be all equivalences that there are, but span them up to a size: e = 1 is claimed as a chain of
    pairs through each class.

    Attributes:
        e: the number of people on each side, 0 for a pinned value; shape (claims,), int32.
        effort: how hard it is to certify the claim, from 0 to 99; shape (claims,), int32.
        release: the first release by which all members of the claim were published, counted from 0; shape (claims,),
            int32.
        nothing: the measures of an attack without conclusions, for the case that its premises are false.
        sides: returns the claims at some indices, without certificates.
        certify: returns the findings at some indices; without a certificate if no weights were found.
        spanned: every equivalence with at most this many people on a side follows from the claims.
        doubt: whether more values may be pinned than claimed, because not all releases were checked.
        person: the person whose value is pinned, -1 for equivalences; shape (claims,), int32. None if only `sides`
            knows.
        distinguished: returns whether, for every two people, some world gives them different values, except for people
            claimed to be equal or with certain values; this may take long. None if worlds were not used.
    """

    checked_by: ClassVar[str] = "audit.judgement.check_equivalence.check_combinations"
    e: Codes
    effort: Codes
    release: Codes
    nothing: Measures
    sides: Callable[[Places], Sequence[AnyCombination]]
    certify: Callable[[Places], Sequence[AnyCombination]]
    spanned: int | None = None
    doubt: bool = True
    person: Codes | None = None
    distinguished: Callable[[], bool] | None = None

    @property
    def severity(self) -> Floats:
        """The rank of the claims: pinned values first, then the fewest people on a side, then the least effort."""
        return np.where(self.e == 0, 2.0, 1 / np.maximum(self.e, 1)) - self.effort * 1e-6

    def at(self, places: Places) -> Sequence[AnyCombination]:
        """Return the findings at some indices, without certificates."""
        return self.sides(places)

    def identities(self, places: Places, names: Identifiers) -> Iterator[tuple[str, ...]]:
        """Yield both sides, in an order that does not depend on codes, or the person and the value."""
        evidence = names.evidence
        about = (str(evidence.sensitive),) if evidence.followed else ()  # by all attributes, and record ids

        def side(members: Mapping[int | AnonymousCounterfeit, int]) -> list[str]:
            return sorted(f"{times} {names.identifier(who)}" for who, times in members.items())

        for each in self.sides(places):
            if isinstance(each, Pinned):
                yield ("disclosure", *side({each.individual: 1}), *about, evidence.values[each.value])
            else:
                left, right = sorted([[*side(each.left), *about], side(each.right)])
                yield ("equivalence", *left, "", *right)

    def concerned(self, names: Identifiers) -> Sequence[frozenset[str]]:
        """Return the members of each claim."""
        found = self.sides(self.everything())
        return [frozenset(names.identifier(who) for who in each.mentioned()) for each in found]

    def highest_risk(self, waived: Places) -> float | None:
        """Return 1 if any value is pinned."""
        return 1.0 if (np.delete(self.e, waived) == 0).any() else None

    def smallest_e(self, waived: Places) -> int | None:
        """Return the fewest people on a side."""
        left = np.delete(self.e, waived)
        left = left[left > 0]
        return int(left.min()) if len(left) else None

    def equivalences(self, below: float) -> Places:
        """Return the indices of the equivalences with fewer people on a side, by their number, then by effort."""
        places = np.flatnonzero((self.e > 0) & (self.e < below))
        return places[np.lexsort((self.effort[places], self.e[places]))]

    def certain_people(self, waived: Places) -> Codes:
        """Return the people whose values are pinned."""
        if self.person is not None:
            people = np.delete(self.person, waived)
            return people[people >= 0]
        pinned = self.sides(np.setdiff1d(np.flatnonzero(self.e == 0), waived))
        return np.array([each.person for each in pinned if each.person is not None], dtype=np.int32)

    def values(self) -> Codes:
        """Return the pinned values, -1 for equivalences."""
        found = np.full(len(self), -1, dtype=np.int32)
        pinned = np.flatnonzero(self.e == 0)
        found[pinned] = [each.value for each in self.sides(pinned) if isinstance(each, Pinned)]
        return found

    def certain_of(self, codes: Sequence[int]) -> set[Member]:
        """Return the people whose pinned values are among `codes`."""
        pinned = self.sides(np.flatnonzero(self.e == 0))
        return {each.individual for each in pinned if isinstance(each, Pinned) and each.value in codes}

    def following(self, sure: Collection[Member]) -> Places:
        """Return the indices of the equivalences of people whose values are known; people equal to these have them."""
        places = np.flatnonzero(self.e > 0)
        people = [set(each.mentioned()) for each in self.sides(places)] if sure else []
        pairs = [each for each, e in zip(people, self.e[places].tolist(), strict=False) if e == 1]
        known, before = {*sure}, -1
        while before < len(known):
            before = len(known)
            known = known.union(*(pair for pair in pairs if pair & known))
        return places[[place for place, each in enumerate(people) if each <= known]]

    def pairs(self, places: Places) -> list[tuple[Member, Member]]:
        """Return the members of the claims at some indices that say that two people are equal."""
        found = [tuple(each.mentioned()) for each in self.sides(places)]
        return [(left, right) for left, right in found]

    def about(self, person: int) -> Equivalences:
        """Return the claims about one person; of pairs only those with the person, if they are not too many."""
        near = np.flatnonzero(self.e <= 1)[:_MOST_SIDES]
        parts = [person in each.mentioned() for each in (self.sides(near) if len(near) else [])]
        places = near[np.array(parts, dtype=np.bool_)]
        return replace(
            self,
            e=self.e[places],
            effort=self.effort[places],
            release=self.release[places],
            person=None if self.person is None else self.person[places],
            sides=lambda chosen: self.sides(places[chosen]),
            certify=lambda chosen: self.certify(places[chosen]),
        )

    def in_order(self, taken: list[tuple[str, AnyCombination]], last: int) -> list[tuple[str, AnyCombination]]:
        """Return findings by size, by the release after which each is shown, and by id."""

        def order(each: tuple[str, AnyCombination]) -> tuple[int, int, str]:
            since = max((step.release for step in each[1].certificate), default=last)
            return (each[1].e if isinstance(each[1], Equivalence) else 0), since, each[0]

        return sorted(taken, key=order)

    def same_before(self, before: Claims, names: Identifiers, before_names: Identifiers) -> Flags:
        """Return which pairs follow from an earlier chain of pairs through the same people: no classes were joined."""
        known, places, alike = np.zeros(len(self), dtype=np.bool_), np.flatnonzero(self.e == 1), dict[str, set[str]]()
        for pair in before.pairs(np.flatnonzero(before.e == 1)) if isinstance(before, Equivalences) else ():
            sets = (alike.setdefault(who, {who}) for who in map(before_names.identifier, pair))
            less, more = sorted(sets, key=len)
            if less is not more:
                more |= less
                alike |= dict.fromkeys(less, more)
        pairs = [tuple(map(names.identifier, pair)) for pair in self.pairs(places)]
        known[places] = [right in alike.get(left, ()) for left, right in pairs]
        return known
