"""Findings and claims: the interface that all kinds share, how codes become names, and how much of one is accepted.

The fields of a finding hold codes of people, releases and values while it is claimed and checked, and names in a
report; the same class serves both. Each kind of finding has a module in `audit.findings`, and its check is in
`audit.judgement`. Accepted sizes are what a waiver or a baseline states.
"""

from __future__ import annotations

import hmac
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from fractions import Fraction
from functools import cache
from importlib import import_module
from typing import (
    Annotated,
    Any,
    ClassVar,
    Final,
    Generic,
    NamedTuple,
    Protocol,
    TypeAlias,
    TypeVar,
    get_args,
    get_origin,
    get_type_hints,
)

import numpy as np

from audit.model.arrays import Codes, Columns, Flags, Floats, Places
from audit.model.evidence import Evidence
from audit.model.json_types import OMITTED, Counted, Pattern, WrittenAs, notes_of
from audit.model.measures import Measures
from audit.runtime.phrases import Phrase

# -- accepted sizes ---------------------------------------------------------------------------------------------------


def seal(key: bytes, ident: str, number: int | Fraction) -> str:
    """Return a text by which only those who have the key can recognize a number, for the finding with this id."""
    return hmac.digest(key, f"{ident} {number}".encode(), "sha256").hex()[:16]


class RiskSize(float):
    """An accepted risk; 1 if the value is certain, or if the finding's id already says all that it discloses."""

    def written(self) -> float:
        """Return the risk as written in a manifest."""
        return float(self)

    def covers(self, other: Size) -> bool:
        """Return whether another size of the same finding is a risk that is no higher, up to rounding errors.

        >>> RiskSize(0.5).covers(RiskSize(0.5)), RiskSize(0.5).covers(RiskSize(0.6))
        (True, False)
        """
        return isinstance(other, RiskSize) and other <= self + 1e-12


@dataclass(frozen=True)
class CloseSize:
    """An interval, with both ends, that is known to contain a number.

    Attributes:
        lower, upper: its ends.
        published: the published numbers of the attribute, if it is compared with a sealed interval.
    """

    lower: Fraction
    upper: Fraction
    published: tuple[Fraction, ...] = field(default=(), compare=False)

    def sealed(self, ident: str, key: bytes) -> SealedInterval:
        """Return what a waiver of the finding with this id states, sealed with a key of the publisher."""
        return SealedInterval(
            ident, seal(key, f"{ident} lower", self.lower), seal(key, f"{ident} upper", self.upper), key
        )

    def covers(self, other: Size) -> bool:
        """Return whether another size shows no more: an interval that contains this one, or a likely number.

        >>> CloseSize(Fraction(4), Fraction(5)).covers(CloseSize(Fraction(3), Fraction(5)))
        True
        >>> CloseSize(Fraction(4), Fraction(5)).covers(CloseSize(Fraction(4), Fraction(9, 2)))
        False
        """
        within = isinstance(other, CloseSize) and other.lower <= self.lower and self.upper <= other.upper
        return isinstance(other, RiskSize) or within


@dataclass(frozen=True)
class SealedInterval:
    """An interval that is known to contain a number, without its ends: the manifest is published.

    Attributes:
        ident: the id of the finding.
        lower, upper: the seals of its ends.
        key: the key of the seals, which the publisher has; None if it is not known.
    """

    ident: str
    lower: str
    upper: str
    key: bytes | None = None

    def written(self) -> dict[str, str]:
        """Return it as written in a manifest."""
        return {"lower_seal": self.lower, "upper_seal": self.upper}

    def covers(self, other: Size) -> bool:
        """Return whether another size shows no more: an interval that contains this one, or a likely number.

        The ends of this one are looked for among the published numbers in the other.

        >>> two, three, four, five = map(Fraction, (2, 3, 4, 5))
        >>> [
        ...     CloseSize(three, five).sealed("id", b"key").covers(CloseSize(low, five, (two, three, four)))
        ...     for low in (two, three, four)
        ... ]
        [True, True, False]
        """
        if self.key is None or not isinstance(other, CloseSize):
            return isinstance(other, RiskSize)
        inside = [each for each in (*other.published, other.lower, other.upper) if other.lower <= each <= other.upper]
        ends = ("lower", self.lower), ("upper", self.upper)
        return all(any(self._is(end, number, said) for number in inside) for end, said in ends)

    def _is(self, end: str, number: Fraction, said: str) -> bool:
        return self.key is not None and hmac.compare_digest(seal(self.key, f"{self.ident} {end}", number), said)


@dataclass(frozen=True)
class SmallClasses:
    """The classes of a release that are smaller than the policy's k.

    Attributes:
        smallest: the size of the smallest of them.
        rows: the number of rows in all of them.
    """

    smallest: int
    rows: int

    def written(self) -> dict[str, int]:
        """Return the sizes as written in a manifest."""
        return vars(self)

    def covers(self, other: Size) -> bool:
        """Return whether another size has no smaller class, and no more rows in small classes.

        >>> SmallClasses(2, 9).covers(SmallClasses(2, 8)), SmallClasses(2, 9).covers(SmallClasses(3, 10))
        (True, False)
        """
        return isinstance(other, SmallClasses) and self.smallest <= other.smallest and other.rows <= self.rows


Size: TypeAlias = RiskSize | CloseSize | SealedInterval | SmallClasses


# -- findings ---------------------------------------------------------------------------------------------------------


C = TypeVar("C")
"""The type of people, releases and values: codes in claims, names in reports."""
T = TypeVar("T")


class AnonymousCounterfeit(NamedTuple):
    """A counterfeit without identity, or an unknown person: the `number`-th, from 0, of a group, as in the file."""

    release: int
    group: str
    number: int


Member: TypeAlias = int | AnonymousCounterfeit
"""The code of a person or of a counterfeit that keeps its identity; or a counterfeit without one."""


@dataclass(frozen=True)
class NamedBy:
    """Marks a field with codes; names the method of `judgement.pseudonyms.ReportNames` that returns their names."""

    method: str


@dataclass(frozen=True)
class ByCheck:
    """Marks a field that attacks leave empty; the check or the naming of the finding fills it."""


BY_CHECK: Final = ByCheck()
MEMBER, RECORD = NamedBy("member"), NamedBy("record")
RELEASE, RELEASES = NamedBy("release"), NamedBy("releases")
VALUE, VALUES, CELLS, SIDE = NamedBy("value"), NamedBy("values"), NamedBy("cells"), NamedBy("side")
MEMBERS, COSTS, SPENT, RECORD_CELLS = (NamedBy(name) for name in ("members", "costs", "spent", "record_cells"))


class ReportNaming(Protocol):
    """Returns the names that codes have in a report, by the methods that `NamedBy` names."""

    @property
    def reveal(self) -> bool:
        """Whether people are named."""

    def member(self, code: Member, releases: tuple[int, ...] = ()) -> str:
        """Return the name of a person or counterfeit; for people who may be in the data, with the condition."""

    def attribute(self, value: int) -> str | None:
        """Return the combined attribute of a claimed value; None for a value or combination."""


class Identifiers(Protocol):
    """The publisher's identifiers of the people and values in claims."""

    @property
    def evidence(self) -> Evidence:
        """The evidence that was attacked."""

    def identifier(self, member: Member) -> str:
        """Return the identifier of a person or counterfeit."""

    def record_identifier(self, record: int) -> str:
        """Return the identifier of a record."""


class Presence(Protocol):
    """The people of each release, and their groups."""

    @property
    def constant(self) -> bool:
        """Whether values never change."""

    def present(self, release: int, /) -> Codes:
        """Return the people in a release."""

    def groups(self, release: int, people: Codes, /) -> list[tuple[str, ...]]:
        """Return the names of the groups of a release that may hold each person; one entry for each of `people`."""


@dataclass(frozen=True)
class GroupLines:
    """The place of a group of a release in a file; only if people are revealed.

    Attributes:
        release: the release.
        group: the group.
        file: its path in the series folder.
        lines: the lines, counted from 1 with the header; in Parquet, the rows from 1.
        cells: the distinct cells of its rows by column, in the order of the file, at most twelve.
    """

    release: str
    group: str
    file: str
    lines: tuple[Counted, ...]
    cells: tuple[dict[str, str], ...]


Check: TypeAlias = Callable[[Places], Sequence[Any]]
"""Returns the checked findings at some indices; None for a claim without a finding."""
FindingId: TypeAlias = Annotated[str, Pattern("^[a-z-]+-[0-9a-f]{16}$")]
Located: TypeAlias = Annotated[tuple[GroupLines, ...], OMITTED, BY_CHECK]
"""The groups that a finding mentions."""
Place: TypeAlias = tuple[C, str]
"""A release and the name of a group in it."""


class FindingRule(NamedTuple):
    """What findings of one kind mean (`what`), and how to prevent them (`remedy`), for formats that list rules."""

    what: str
    remedy: str


WITHHOLD = "Withhold rows of the groups named, or regroup them so that the groups have the same values as before."
"""The remedy if a person's own groups disclose the person's value."""


class KnownReleases(NamedTuple):
    """The releases from which a finding follows.

    Attributes:
        releases: the releases before the last one, counted from 0, ascending.
        least: whether each of them is known to be necessary.
        groups: the names of groups of the last release.
    """

    releases: tuple[int, ...]
    least: bool
    groups: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Finding(ABC, Generic[C]):
    """What an adversary finds out, with its certificate.

    Attributes:
        id: the id: the attack and a keyed hash. With --stable-ids it is the same in every audit.
        alike: the ids that the finding would have if it were named after another of the people who look alike, in a
            report with stable ids that shows all findings; only if people may be in the data.
        located: the files and lines of the groups that it mentions; only if people are revealed.
    """

    kind: ClassVar[str]
    meaning: ClassVar[Phrase | str] = "The attack is certain of this."
    """What it means, in formats that list rules, unless the attack says it itself."""
    id: Annotated[FindingId, BY_CHECK] = ""
    alike: Annotated[tuple[FindingId, ...], OMITTED, BY_CHECK] = ()
    located: Annotated[Located, WrittenAs("rows")] = ()

    @abstractmethod
    def sentence(self: Finding[str], *, by_version: bool) -> str:
        """Return the finding as a sentence without a full stop; `by_version`: values are those of one release."""

    def steps(self: Finding[str]) -> Iterator[str]:
        """Yield the steps of its certificate; the consequences of a case are indented."""
        yield from ()

    def in_full(self: Finding[str], *, by_version: bool) -> Iterator[str]:
        """Yield its sentence, for a text about one person, then the steps of its certificate, indented."""
        yield self.sentence(by_version=by_version)
        yield from (f"  {step}" for step in self.steps())

    @abstractmethod
    def places(self) -> Iterator[Place[C]]:
        """Yield the release and the name of each group that it mentions, in order."""

    def lines(self) -> Iterator[tuple[str, tuple[int, ...]]]:
        """Yield the files and the lines that the finding mentions; nothing if people are hidden."""
        yield from ((each.file, each.lines) for each in self.located)

    @property
    def releases(self) -> tuple[C, ...]:
        """The releases that it mentions."""
        return tuple(dict.fromkeys(release for release, _ in self.places()))

    def exceeds(self, limits: Mapping[str, float]) -> bool:
        """Return whether it violates the policy, given the limits by clause."""
        return True

    def level(self, limits: Mapping[str, float], *, violated: bool) -> str:
        """Return its level in SARIF, given the limits by clause, and whether its attack violates the policy."""
        return "error" if violated else "warning"

    @property
    def gravity(self) -> str | None:
        """How grave it is in lists; None if that depends on its value."""
        return None

    @property
    def subject(self: Finding[str]) -> str:
        """The person, or the record, that it is about; empty if there is none."""
        return str(getattr(self, "individual", None) or "")

    @property
    def column(self: Finding[str]) -> str:
        """The attribute, or the cell of a table, that it is about; empty for the attribute that was attacked."""
        return str(getattr(self, "attribute", None) or "")

    @property
    def extent(self) -> int:
        """The number of people, or rows, that it is about."""
        return 1 + len(self.alike)

    @property
    def unproved(self) -> bool:
        """Whether only a solver's answer, without a certificate, shows that a value is disclosed."""
        return False

    def people(self: Finding[int]) -> Sequence[int]:
        """Return the codes of its people; if it shows the value of one person, that person comes first."""
        return ()

    @property
    def person(self: Finding[int]) -> int | None:
        """The person whose value it shows; None if it shows no single person's value."""
        return None

    def mentioned(self: Finding[int]) -> Iterable[Member]:
        """Return the people and counterfeits that it mentions, including those in its certificate."""
        return self.people()

    def records(self: Finding[int]) -> Iterable[int]:
        """Return the records that it mentions."""
        return ()

    def linked(self) -> tuple[int, C | None] | None:
        """Return the first of the linked records that it is about, and the last release over which they look alike.

        None if it is not about linked records.
        """
        return None

    def follows_from(self: Finding[int], source: Presence, last: int) -> KnownReleases:
        """Return the releases before `last`, and the groups of `last`, from which its certificate follows."""
        return KnownReleases(tuple(range(last)), False, tuple(group for at, group in self.places() if at == last))

    hidden: ClassVar[Mapping[str, Any]] = {}
    """The values that replace fields if people are not revealed: these fields say more than the releases do."""

    def named(self: Finding[int], names: ReportNaming) -> Finding[str]:
        """Return the finding with names in place of codes."""
        named: Finding[str] = decoded(self if names.reveal else replace(self, **self.hidden), names)
        return named


def decoded(part: Any, names: ReportNaming) -> Any:  # noqa: ANN401 - a dataclass of codes becomes one of names
    """Return a dataclass with names in place of codes, in all of its parts."""
    kind: type = type(part)
    return replace(part, **{name: _decoded(getattr(part, name), role, names) for name, role in _roles(kind)})


def _decoded(held: Any, role: NamedBy | None, names: ReportNaming) -> Any:  # noqa: ANN401 - as above
    if held is None:
        return None
    if role is not None:
        return getattr(names, role.method)(held)
    return tuple(_decoded(each, None, names) for each in held) if isinstance(held, tuple) else decoded(held, names)


@cache
def _roles(kind: type) -> tuple[tuple[str, NamedBy | None], ...]:
    """Return the fields of a class with codes, and how each is named; None for a field with codes in its parts."""
    found: list[tuple[str, NamedBy | None]] = []
    hints = get_type_hints(kind, include_extras=True)
    for each in fields(kind):
        hint = hints[each.name]
        role = next((note for note in notes_of(hint) if isinstance(note, NamedBy)), None)
        if each.init and (role is not None or any(Generic in part.__mro__ for part in _parts(hint))):
            found.append((each.name, role))
    return tuple(found)


def _parts(hint: Any) -> Iterator[type]:  # noqa: ANN401 - types of types have no common type
    """Yield the dataclasses in a type and in its arguments."""
    inside = get_origin(hint) or hint
    if isinstance(inside, type) and is_dataclass(inside):
        yield inside
    for each in get_args(hint):
        yield from _parts(each)


class Claims(ABC):
    """All findings of one kind in one outcome, as columns; the findings themselves are built on demand.

    Attributes:
        release: the release after which each claim holds, counted from 0; shape (claims,), int32.
        person: the person whose value each claim shows, -1 for none; None if claims show no single person's value;
            shape (claims,).
        nothing: the measures of the attack if it had found nothing, which are used if the values of some people
            contradict its assumptions; None if each claim depends only on its own person.
        exhaustive: whether every version with a certain value is among the claims, even if the attack was incomplete.
        spanned: every equivalence with at most this many people on a side follows from the claims; None if they are
            not about equivalences.
        doubt: whether an attack on equivalences may have missed certain values.
        distinguished: returns whether, for every two people, some world gives them different values, except for people
            claimed to be equal or with certain values; this may take long. None if worlds were not used.
    """

    release: Codes
    person: Codes | None
    nothing: Measures | None
    exhaustive: bool = False
    spanned: int | None = None
    doubt: bool = True
    distinguished: Callable[[], bool] | None = None
    checked_by: ClassVar[str]
    """The path of the function that returns the check, given the evidence and the claims; it shares no code with
    attacks, which cannot import it."""
    counts_rows: ClassVar[bool] = False
    """Whether its risks are shares of rows, which are also exact below certainty."""

    def __len__(self) -> int:
        """Return the number of claims."""
        return len(self.release)

    @property
    @abstractmethod
    def severity(self) -> Floats:
        """The severity of each claim, highest for the worst; shape (claims,), float64."""

    certify: Callable[[Places], Sequence[Any]]
    """Returns the unchecked findings at some indices; None for a claim without a short certificate."""

    @abstractmethod
    def identities(self, places: Places, names: Identifiers) -> Iterator[tuple[str, ...]]:
        """Yield the texts from which ids of the claims at some indices are made: the kind, and what is claimed."""

    def read(self, places: Places, *columns: str) -> Iterator[tuple[Any, ...]]:
        """Yield some columns of the claims at some indices."""
        return zip(*(getattr(self, name)[places].tolist() for name in columns), strict=True)

    def check(self, evidence: Evidence) -> Check:
        """Return the check of the claims against the published data."""
        module, _, name = self.checked_by.rpartition(".")
        made: Check = getattr(import_module(module), name)(evidence, self)
        return made

    def at(self, places: Places) -> Sequence[Any]:
        """Return the unchecked findings at some indices."""
        return self.certify(places)

    clause: ClassVar[str] = ""
    """The clause that makes claims of this kind from what an attack found; empty if attacks make them."""

    def entries_at(self, places: Places) -> Places:
        """Return the numbers with which a result notes that the claims at some indices are accepted."""
        return places

    def everything(self) -> Places:
        """Return the indices of all claims."""
        return np.arange(len(self))

    def concerned(self, names: Identifiers) -> Sequence[frozenset[str]]:
        """Return the identifiers of the people of each claim: a waiver may accept all claims about a person."""
        return [frozenset()] * len(self)

    def groups(self) -> Sequence[Place[int]] | None:
        """Return the release and the group of each claim; None if claims are not about groups."""
        return None

    @property
    def versions(self) -> Codes | None:
        """The person of each claim, shape (claims,), int32, if each is about a person in a release; otherwise None."""
        return None

    def mean_risk(self) -> float | None:
        """Return the mean of risks that are shares of rows; None for other claims."""
        return None

    def sizes(self) -> Sequence[Size] | None:
        """Return how much each claim discloses, if claims of one id may differ in that; otherwise None."""
        return None

    def highest_risk(self, waived: Places) -> float | None:
        """Return the highest risk of a claimed value, without waived claims; None if there is none."""
        return None

    def smallest_class(self, waived: Places) -> int | None:
        """Return the fewest rows or records that may be a person's, without waived claims; None if there are none."""
        return None

    def smallest_e(self, waived: Places) -> int | None:
        """Return the fewest people on a side of an equivalence, without waived claims; None if there is none."""
        return None

    def equivalences(self, below: float) -> Places:
        """Return the indices of the equivalences with fewer people on a side, the fewest first."""
        return np.zeros(0, dtype=np.intp)

    def certain_people(self, waived: Places) -> Codes | None:
        """Return the people with certain values, perhaps repeated; None if claims are not about single values."""
        return None

    def values(self) -> Codes:
        """Return the value that each claim says is certain, -1 if it says none; shape (claims,), int32."""
        return np.full(len(self), -1, dtype=np.int32)

    def harmless(self, codes: Sequence[int]) -> tuple[Claims, Places]:
        """Return the claims, and the indices of those that only say something about the harmless values `codes`."""
        return self, np.flatnonzero(np.isin(self.values(), codes))

    def certain_of(self, codes: Sequence[int]) -> set[Member]:
        """Return the people with certain values that are all among `codes`."""
        return set()

    def following(self, sure: Collection[Member]) -> Places:
        """Return the indices of the claims of equal values that follow if the values of some people are known."""
        return np.zeros(0, dtype=np.intp)

    def alike(self, waived: Places) -> bool:
        """Return whether two people certainly have the same value, by claims that are not waived."""
        return False

    def without_people(self, people: Flags) -> Claims:
        """Return the claims that are not about some people; shape of `people`: (people,), bool."""
        return self

    def with_alone(self, evidence: Evidence, columns: Columns) -> Claims:
        """Return the claims with person, release and value of people whose groups leave one value by themselves."""
        return self

    def people_at(self, places: Places) -> Codes:
        """Return the distinct people in the claims at some indices."""
        return np.array(sorted({who for each in self.at(places) for who in each.people()}), dtype=np.int32)

    def about(self, person: int) -> Claims | None:
        """Return the claims about one person; None if no claim can be."""
        return None

    def worst(self, most: int, waived: Places) -> Places:
        """Return the indices of the worst claims that are not waived: `most` of them, and all that are as bad."""
        left = np.delete(self.everything(), waived)
        return left[foremost(self.severity[left], self.release[left], most)]

    def in_order(self, taken: list[tuple[str, Any]], last: int) -> list[tuple[str, Any]]:
        """Return findings with their ids in the order of a report: by severity, release and id.

        `last` is the last release, counted from 0.
        """
        return taken

    def same_before(self, before: Claims, names: Identifiers, before_names: Identifiers) -> Flags:
        """Return which claims follow from claims of this kind in an audit before; shape (claims,), bool."""
        return np.zeros(len(self), dtype=np.bool_)


class RowClaims(Claims):
    """Claims about rows or records, not about single people."""

    person: Codes | None = None
    nothing: Measures | None = None

    def about(self, person: int) -> Claims | None:
        """Return all claims: which of them are about a person's rows depends on the key."""
        return self


class ClauseClaims(Claims):
    """Claims that a clause derives from an outcome, ranked by their probability.

    Attributes:
        risk: the probability of each claim, or its share of rows; shape (claims,), float64.
        entries: the number with which a result notes that each claim is accepted; shape (claims,), intp.
    """

    risk: Floats
    entries: Places
    nothing: Measures | None = None

    @property
    def severity(self) -> Floats:
        """The severity of the claims: their probability."""
        return self.risk

    def entries_at(self, places: Places) -> Places:
        """Return the numbers with which a result notes that the claims at some indices are accepted."""
        return self.entries[places]

    def sizes(self) -> Sequence[Size] | None:
        """Return the probability of each claim, which may have grown since it was accepted."""
        return list(map(RiskSize, self.risk.tolist()))


def foremost(severity: Floats, release: Codes, most: int) -> Places:
    """Return the indices of the worst claims, the earliest first: `most` of them, and all as bad and as early as these.

    The result is ascending.

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
