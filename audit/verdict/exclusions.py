"""Proofs about everybody at once checked again, by code that knows nothing of the attacks.

A person's *history* is the set of rows (group and value) that the person may have in each release: at first all rows
of the groups that may hold the person, or those with the value that is known beforehand. Each step of a proof takes
rows away, and each time everybody's own history is pruned: without transitions a row goes whose value some other
release of the person has not, with them a row whose value lies on no path through the person's versions.

Only people whom the proof or the claim mentions are looked at, and that is enough. An exclusion follows from the rows
that its holders may have, and the number of those rows, alone; a case is closed by the history of somebody who is
mentioned; the claim speaks of a person who is mentioned. What somebody else may have is asked nowhere. To take the rows
of an exclusion away from those others too would be right and would change nothing that is asked. (A step of a case that
leaves nothing to somebody who is not mentioned is better told as too few rows, with that person among the holders: all
rows that the person still may have in that release are among those of the step.)

A proof that does not hold is a bug of this program, and is raised as one: a wrong finding must never be printed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from audit.core.outcome import Case, Disclosure, Exclusion, Proof
from audit.verdict.certificates import BrokenCertificateError, Follows, feasible
from audit.verdict.published import Published

Row = tuple[int, int]
"""A group and a value: all rows of that group with that value."""


@dataclass(frozen=True)
class Possible:
    """What a step has left possible of a version; `release` is None for all releases of a person alike."""

    person: int
    release: int | None
    values: frozenset[int]


@dataclass(frozen=True)
class FollowedExclusion:
    """An exclusion, how many rows it is about, and what it took away from whom."""

    exclusion: Exclusion
    count: int
    leaves: tuple[Possible, ...]

    @property
    def too_few(self) -> bool:
        """Whether there are fewer rows than people who need one of them."""
        return self.count < len(self.exclusion.holders)


@dataclass(frozen=True)
class FollowedCase:
    """A case with what follows in it."""

    case: Case
    followed: Followed


@dataclass(frozen=True)
class Followed:
    """A proof as far as it was needed, with what follows at each step.

    Attributes:
        start: what is possible for the people mentioned before the first step; in a case, what changes by what it
            assumes.
        exclusions, cases: the steps.
        nobody: the person to whom nothing is left, where that ends a case; None elsewhere.
    """

    start: tuple[Possible, ...]
    exclusions: tuple[FollowedExclusion, ...]
    cases: tuple[FollowedCase, ...]
    nobody: int | None = None


@dataclass
class _Histories:
    """The rows that some people may have, by person and release."""

    rows: dict[int, dict[int, set[Row]]]
    transitions: Follows | None
    constant: bool
    changed: set[int] = field(default_factory=set)
    told: dict[tuple[int, int], frozenset[int]] = field(default_factory=dict)

    def copy(self) -> _Histories:
        rows = {person: {release: set(some) for release, some in own.items()} for person, own in self.rows.items()}
        return _Histories(rows, self.transitions, self.constant, set(), dict(self.told))

    def values(self, person: int, release: int) -> frozenset[int]:
        """Return the values that a person may have in a release."""
        return frozenset(value for _, value in self.at(person, release))

    def at(self, person: int, release: int) -> set[Row]:
        """Return the rows that a person may have in a release."""
        rows = self.rows.get(person, {}).get(release)
        if rows is None:
            raise BrokenCertificateError("nobody like that is known to be in this release")
        return rows

    def restrict(self, person: int, release: int, kept: set[Row]) -> None:
        """Leave a person only some rows in a release."""
        if self.rows[person][release] - kept:
            self.rows[person][release] &= kept
            self.changed.add(person)

    def take(self, exclusion: Exclusion, rows: set[Row]) -> None:
        """Take the rows of an exclusion away from all but its holders."""
        for person, own in self.rows.items():
            if person not in exclusion.holders and exclusion.release in own:
                self.restrict(person, exclusion.release, own[exclusion.release] - rows)

    def prune(self) -> tuple[Possible, ...]:
        """Carry over to the other releases of a person what one has lost; return what changed since the last time."""
        for person in self.changed:
            own = self.rows[person]
            stay = sorted(own)
            if not stay:
                continue
            kept = feasible([{value for _, value in own[release]} for release in stay], self.transitions)
            for release, values in zip(stay, kept, strict=True):
                own[release] = {row for row in own[release] if row[1] in values}
        return tuple(self._news())

    def _news(self) -> Iterator[Possible]:
        for person in sorted(self.changed):
            news = []
            for release in sorted(self.rows[person]):
                values = self.values(person, release)
                if self.told.get((person, release)) != values:
                    self.told[person, release] = values
                    news.append(Possible(person, release, values))
            yield from [Possible(person, None, news[0].values)] if self.constant and news else news
        self.changed = set()

    def nobody(self) -> int | None:
        """Return a person to whom nothing is left, if there is one."""
        return next((person for person, own in self.rows.items() if not all(own.values())), None)


class ProofChecker:
    """Checks disclosures that follow from everybody's rows together."""

    def __init__(self, published: Published, transitions: Follows | None) -> None:
        self._published = published
        self._transitions = transitions

    def check(self, finding: Disclosure) -> Followed:
        """Return what the proof of a disclosure says, step by step, when it holds.

        Raises:
            BrokenCertificateError: it does not.
        """
        if finding.proof is None:
            raise BrokenCertificateError("there is no proof")
        histories = self._histories({finding.person, *people_of(finding.proof)})
        start = histories.prune()
        if histories.nobody() is not None:
            raise BrokenCertificateError("the releases contradict each other")
        exclusions, nobody = self._exclude(finding.proof, histories)
        if nobody is not None or _too_few(exclusions):
            raise BrokenCertificateError("the releases contradict each other")
        possible = histories.values(finding.person, finding.release)
        cases: tuple[FollowedCase, ...] = ()
        if finding.proof.cases:
            person, release = _about(finding.proof.cases)
            if (person, release) != (finding.person, finding.release):
                raise BrokenCertificateError("the cases are not about the claim")
            cases = self._refute(finding.proof.cases, histories)
            possible -= {case.value for case in finding.proof.cases}
        if possible != {finding.value}:
            raise BrokenCertificateError("not just the claimed value is possible")
        return Followed(start, exclusions, cases)

    # -- steps ------------------------------------------------------------------------------------------------

    def _exclude(self, proof: Proof, histories: _Histories) -> tuple[tuple[FollowedExclusion, ...], int | None]:
        """Follow the exclusions of a proof until something is impossible; return them, and who is left with nothing."""
        followed: list[FollowedExclusion] = []
        for exclusion in proof.exclusions:
            rows, count = self._rows(exclusion)
            for holder in exclusion.holders:
                if not histories.at(holder, exclusion.release) <= rows:
                    raise BrokenCertificateError("a holder may have another row")
            if count > len(exclusion.holders):
                raise BrokenCertificateError("there are more rows than holders")
            if count < len(exclusion.holders):
                return (*followed, FollowedExclusion(exclusion, count, ())), None
            histories.take(exclusion, rows)
            followed.append(FollowedExclusion(exclusion, count, histories.prune()))
            nobody = histories.nobody()
            if nobody is not None:
                return tuple(followed), nobody
        return tuple(followed), None

    def _rows(self, exclusion: Exclusion) -> tuple[set[Row], int]:
        """Return the rows of an exclusion by codes, and how many there are; each row and each holder counts once."""
        if list(exclusion.holders) != sorted(set(exclusion.holders)) or len(set(exclusion.rows)) < len(exclusion.rows):
            raise BrokenCertificateError("somebody, or a row, stands twice")
        if not exclusion.holders or not 0 <= exclusion.release < self._published.releases:
            raise BrokenCertificateError("there is no such release, or nobody holds its rows")
        codes = self._published.codes(exclusion.release)
        rows: set[Row] = set()
        count = 0
        for name, value in exclusion.rows:
            there = self._published.rows(exclusion.release, codes[name]).get(value) if name in codes else None
            if there is None:
                raise BrokenCertificateError("there is no such row")
            rows.add((codes[name], value))
            count += there
        return rows, count

    def _refute(self, cases: tuple[Case, ...], histories: _Histories) -> tuple[FollowedCase, ...]:
        return tuple(FollowedCase(case, self._impossible(case, histories.copy())) for case in cases)

    def _impossible(self, case: Case, histories: _Histories) -> Followed:
        """Return how a case ends: in a person to whom nothing is left, in too few rows, or in cases that all do."""
        rows = histories.at(case.person, case.release)
        histories.restrict(case.person, case.release, {row for row in rows if row[1] == case.value})
        start = histories.prune()
        nobody = histories.nobody()
        if nobody is not None:
            return Followed(start, (), (), nobody)
        exclusions, nobody = self._exclude(case.proof, histories)
        if nobody is not None or _too_few(exclusions):
            return Followed(start, exclusions, (), nobody)
        if not case.proof.cases:
            raise BrokenCertificateError("a case is not impossible")
        about = _about(case.proof.cases)
        if not histories.values(*about) <= {inner.value for inner in case.proof.cases}:
            raise BrokenCertificateError("the cases leave out a value that is possible")
        return Followed(start, exclusions, self._refute(case.proof.cases, histories))

    # -- people -----------------------------------------------------------------------------------------------

    def _histories(self, people: set[int]) -> _Histories:
        """Return the rows that some people may have, which their own releases are yet to be held against."""
        rows = {person: dict(self._own(person)) for person in people}
        return _Histories(rows, self._transitions, self._published.source.constant, set(people))

    def _own(self, person: int) -> Iterator[tuple[int, set[Row]]]:
        """Yield the rows of the groups that may hold a person, those with the known value where one is known."""
        published = self._published
        for release in range(published.releases):
            homes = published.homes(person, release)
            if homes:
                known = published.known(person, release)
                rows = {(home, value) for home in homes for value in published.rows(release, home)}
                yield release, rows if known is None else {row for row in rows if row[1] == known}


def people_of(proof: Proof) -> set[int]:
    """Return everybody whom a proof mentions."""
    people = {holder for exclusion in proof.exclusions for holder in exclusion.holders}
    for case in proof.cases:
        people |= {case.person} | people_of(case.proof)
    return people


def _too_few(exclusions: tuple[FollowedExclusion, ...]) -> bool:
    """Tell whether exclusions end with fewer rows than people who need one of them."""
    return bool(exclusions) and exclusions[-1].too_few


def _about(cases: tuple[Case, ...]) -> tuple[int, int]:
    """Return the person and the release that all of some cases are about."""
    about = {(case.person, case.release) for case in cases}
    if len(about) != 1:
        raise BrokenCertificateError("the cases are about different people or releases")
    return about.pop()
