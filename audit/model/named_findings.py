"""Findings as reports have them: people and groups by their names, with the certificates that have been checked."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, ClassVar, Literal, NamedTuple, TypeAlias

from audit.model.json_types import (
    OMITTED,
    Counted,
    ExactFraction,
    Items,
    Omittable,
    PartOf,
    Pattern,
    Probability,
    WrittenAs,
)


@dataclass(frozen=True)
class GroupLines:
    """Where a group of a release stands in a file; only where people are revealed.

    Attributes:
        release: the release.
        group: the group.
        file: its path in the series folder.
        lines: counted from 1 with the header; in Parquet, rows from 1.
        cells: the distinct cells of its rows by column, in the order of the file, the first dozen of them.
    """

    release: str
    group: str
    file: str
    lines: tuple[Counted, ...]
    cells: tuple[dict[str, str], ...]


FindingId: TypeAlias = Annotated[str, Pattern("^[a-z-]+-[0-9a-f]{16}$")]
Located: TypeAlias = Annotated[tuple[GroupLines, ...], OMITTED]
"""Where the groups that a finding speaks of stand."""
Rows: TypeAlias = Annotated[Located, WrittenAs("rows")]
"""The same, where `rows` is no number of rows."""


@dataclass(frozen=True)
class DisclosureStep:
    """What one release leaves possible: the groups that may hold the person, and the values in them.

    `feasible` are those values that lie on an allowed path, where values may change; None otherwise.
    """

    release: str
    groups: tuple[str, ...]
    candidates: tuple[str, ...]
    feasible: tuple[str, ...] | None


@dataclass(frozen=True)
class PointsOfRows:
    """The rows of a group of a release with a value.

    Attributes:
        release: the release.
        group: the group.
        value: the value.
        points: how many points each row costs.
        rows: how many rows there are.
    """

    release: str
    group: str
    value: str
    points: Counted
    rows: Counted


@dataclass(frozen=True)
class Spending:
    """How many points somebody spends at the least; for each value that is left, where values never change."""

    individual: str
    least: int
    by_value: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class CaseStep:
    """What follows if somebody had a value in a release: that it is impossible."""

    individual: str
    release: str
    value: str
    leads_to: ProofSteps


@dataclass(frozen=True)
class ProofSteps:
    """Why something about everybody at once is impossible: more points are spent than there are, or cases all are.

    At the top that somebody does not have the claimed value is impossible; in a case, that somebody has a value.

    Attributes:
        points: the rows that cost points; none where cases are told apart.
        total: the points of all of them.
        spent: who spends how many at the least.
        cases: the cases.
        nobody: to whom nothing is left, where that is why; None elsewhere.
    """

    points: tuple[PointsOfRows, ...]
    total: int
    spent: tuple[Spending, ...]
    cases: tuple[CaseStep, ...]
    nobody: str | None = None


@dataclass(frozen=True)
class NamedDisclosure:
    """A person's value that is certain, by the person's own groups or a deduction about everybody.

    Attributes:
        id: the finding's id: attack and a keyed hash. It stays from one audit to the next with --stable-ids.
        kind: which sort of finding.
        individual: who; a pseudonym unless revealed.
        release: the release.
        value: the value that is certain.
        risk: how probable the value is.
        certificate: the steps that show it, in order of release.
        proof: shows it where the steps of the certificate, the person's own groups, do not.
        alone: true where the release shows it by itself, whatever other releases say.
        attribute: the attribute that the value is of, where it follows from the combinations of several.
        evidence: `proof`: the certificate was checked again. `solver`: a solver's word, for no proof was found within
            the limits, or a probability. `fingerprint`: random linear algebra.
        located: where the groups that it speaks of stand; only where people are revealed.
    """

    id: FindingId
    kind: Literal["disclosure"] = field(default="disclosure", init=False)
    individual: str
    release: str
    value: str
    risk: Probability
    certificate: Annotated[tuple[DisclosureStep, ...], Items(1)]
    proof: Annotated[ProofSteps | None, PartOf("certificate")] = None
    alone: Annotated[bool, OMITTED] = False
    attribute: Omittable[str] = None
    evidence: Literal["proof", "solver"] = "proof"
    located: Rows = ()


@dataclass(frozen=True)
class RecordStep:
    """A record's row in one release.

    Attributes:
        release: the release.
        group: its group.
        size: rows with equal cells.
        cells: when revealed, its cells, by quasi-identifier.
    """

    release: str
    group: str
    size: Counted
    cells: Omittable[dict[str, str]]


@dataclass(frozen=True)
class NamedNarrowed:
    """A record whose inferred description too few records share.

    Attributes:
        id: the finding's id: attack and a keyed hash. It stays from one audit to the next with --stable-ids.
        kind: which sort of finding.
        record: which record; a pseudonym unless revealed.
        release: the release.
        class_size: records in its class.
        risk: one over the size of the class.
        cause: how it came about.
        description: when revealed, what its cells have in common, by quasi-identifier.
        certificate: the record's rows, in order of release.
        evidence: `proof`: the certificate was checked again. `solver`: a solver's word, for no proof was found within
            the limits, or a probability. `fingerprint`: random linear algebra.
        located: where the groups that it speaks of stand; only where people are revealed.
    """

    id: FindingId
    kind: Literal["narrowed"] = field(default="narrowed", init=False)
    record: str
    release: str
    class_size: Counted
    risk: Probability
    cause: Literal["group change", "subgroup expanding", "widow", "small group"]
    description: Omittable[dict[str, str]]
    certificate: Annotated[tuple[RecordStep, ...], Items(1)]
    evidence: Literal["proof"] = "proof"
    located: Rows = ()


@dataclass(frozen=True)
class WeightedGroup:
    """A group in a linear combination of groups.

    Attributes:
        release: the release.
        group: the group.
        weight: its weight, an exact fraction as text.
    """

    release: str
    group: str
    weight: ExactFraction


@dataclass(frozen=True)
class NamedEquivalence:
    """People who have the same values as others.

    Attributes:
        id: the finding's id: attack and a keyed hash. It stays from one audit to the next with --stable-ids.
        kind: which sort of finding.
        e: how many are on each side.
        left: the left side: people and counterfeits, each with how often it is counted; pseudonyms unless revealed.
        right: the right side.
        certificate: groups that, each times its weight, leave just the left side less the right, and no value; empty
            where none was found.
        evidence: `proof`: the certificate was checked again. `solver`: a solver's word, for no proof was found within
            the limits, or a probability. `fingerprint`: random linear algebra.
        error: without a certificate, how probable it is at most that the random numbers err.
        located: where the groups that it speaks of stand; only where people are revealed.
    """

    id: FindingId
    kind: Literal["equivalence"] = field(default="equivalence", init=False)
    e: Counted
    left: Annotated[dict[str, Counted], Items(1)]
    right: Annotated[dict[str, Counted], Items(1)]
    certificate: tuple[WeightedGroup, ...]
    evidence: Literal["proof", "solver", "fingerprint"] = "proof"
    error: Omittable[Probability] = None
    located: Rows = ()


@dataclass(frozen=True)
class NamedPin:
    """A person's value that a linear combination of groups fixes.

    Attributes:
        id: the finding's id: attack and a keyed hash. It stays from one audit to the next with --stable-ids.
        kind: which sort of finding.
        individual: who; a pseudonym unless revealed.
        release: the release with which it is certain.
        value: the value that is certain.
        risk: how probable the value is.
        certificate: groups that, each times its weight, leave just the person and the value; empty where none was
            found.
        evidence: `proof`: the certificate was checked again. `solver`: a solver's word, for no proof was found within
            the limits, or a probability. `fingerprint`: random linear algebra.
        error: without a certificate, how probable it is at most that the random numbers err.
        located: where the groups that it speaks of stand; only where people are revealed.
    """

    id: FindingId
    kind: Literal["disclosure"] = field(default="disclosure", init=False)
    individual: str
    release: str
    value: str
    risk: Probability
    certificate: tuple[WeightedGroup, ...]
    evidence: Literal["proof", "fingerprint"] = "proof"
    error: Omittable[Probability] = None
    located: Rows = ()


@dataclass(frozen=True)
class NamedGroup:
    """A class of rows that look alike in one release, and a value that too many of them have.

    Attributes:
        id: the finding's id: attack and a keyed hash. It stays from one audit to the next with --stable-ids.
        kind: which sort of finding.
        release: the release.
        group: the published group, or its number by order of appearance.
        value: the value.
        risk: the value's share of the rows.
        rows: people that the rows stand for.
        after: the last one of the releases over which they look alike, where record ids link them; absent where the
            release alone shows it. The group is then that in which the first of them was seen last.
        located: where the group stands; only where people are revealed.
    """

    id: FindingId
    kind: Literal["group"] = field(default="group", init=False)
    release: str
    group: str
    value: str
    risk: Probability
    rows: Counted
    after: Omittable[str] = None
    certificate: ClassVar[tuple[()]] = ()
    located: Located = ()


@dataclass(frozen=True)
class NamedRisk:
    """A person's value that is as probable as the policy's limit, or more, but not certain.

    Value and certificate are told only when people are revealed, for they would tell more than the releases do.

    Attributes:
        id: the finding's id: attack and a keyed hash. It stays from one audit to the next with --stable-ids.
        kind: which sort of finding.
        individual: who; a pseudonym unless revealed.
        release: the release.
        value: the true value; null where it is not known, when the risk is that of the likeliest, and unless revealed.
        risk: how probable the value is.
        certificate: what the person's own groups leave, in order of release; empty unless people are revealed.
        evidence: `solver`: the probability is the attack's word.
        everywhere: whether it is so in all releases of the person alike, of which `release` is the last.
        located: where the groups that it speaks of stand; only where people are revealed.
    """

    id: FindingId
    kind: Literal["risk"] = field(default="risk", init=False)
    individual: str
    release: str
    value: str | None
    risk: Probability
    certificate: tuple[DisclosureStep, ...]
    evidence: Literal["solver"] = "solver"
    everywhere: bool = False
    located: Rows = ()


@dataclass(frozen=True)
class FillingStep:
    """Rows of a release that can only be rows of the next one of which there are as many.

    Attributes:
        release: the release.
        next_release: the next one.
        rows: how many there are.
        groups: their groups.
        values: their values.
        next_groups: the groups of the rows that they fill.
        next_values: the values of these.
    """

    release: str
    next_release: str
    rows: Counted
    groups: tuple[str, ...]
    values: tuple[str, ...]
    next_groups: tuple[str, ...]
    next_values: tuple[str, ...]


@dataclass(frozen=True)
class NamedLinkage:
    """Somebody whose quasi-identifiers and first release are known, and the few rows that can be theirs.

    Attributes:
        id: the finding's id: attack and a keyed hash. It stays from one audit to the next with --stable-ids.
        kind: which sort of finding.
        first: the release with which the record came.
        release: the release.
        rows: how many rows are left.
        groups: their groups.
        value: the value that all of them have, if they have one.
        risk: the probability of guessing right: the value where it is certain, else the row.
        point: when revealed, the quasi-identifiers.
        certificate: what rules out other rows, one after the other.
        evidence: `proof`: the certificate was checked again. `solver`: a solver's word, for no proof was found within
            the limits, or a probability. `fingerprint`: random linear algebra.
        located: where the groups stand; only where people are revealed.
    """

    id: FindingId
    kind: Literal["linkage"] = field(default="linkage", init=False)
    first: str
    release: str
    rows: Counted
    groups: tuple[str, ...]
    value: Omittable[str]
    risk: Probability
    point: Omittable[dict[str, str]]
    certificate: tuple[FillingStep, ...]
    evidence: Literal["proof", "solver"] = "proof"
    located: Located = ()


NamedFinding: TypeAlias = (
    NamedDisclosure | NamedNarrowed | NamedEquivalence | NamedPin | NamedGroup | NamedRisk | NamedLinkage
)
"""A finding whose certificate has been checked."""


WITHHOLD = "Withhold or regroup the rows of the groups named, so that they keep the values they had."
"""What prevents that one person's groups give the person away."""


class FindingRule(NamedTuple):
    """What findings of one kind mean, and what would prevent them; for formats that list their rules."""

    what: str
    remedy: str
