"""All clauses of the policy, in the order of a report: of count tables, of people, and those of other packages."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cached_property
from typing import ClassVar

from audit.clauses.clause import Clause, ClauseDecision, JudgedAudit, Limit, Stated, ended
from audit.clauses.max_ever_risk import MaxEverRisk
from audit.clauses.max_risk import Closeness, MaxRisk
from audit.clauses.min_e import MinE
from audit.clauses.smallest_class import SmallestClass
from audit.model.arrays import UNBOUNDED
from audit.model.count_tables import HIDE_FURTHER, PERHAPS_LARGE, PROTECTED, SAME_KIND, SMALL_COUNT
from audit.model.errors import Doubt
from audit.model.options import PluginImportError, Registry
from audit.model.report import CountSize, Violation
from audit.runtime.phrases import Phrase, Reason, say


class CountClause(Limit):
    """One clause of the policy for count tables.

    Attributes:
        rules: the questions that it judges.
        needs: the key of the manifest without which there are no such questions; empty for none.
        least: the smallest valid limit.
    """

    remedy: ClassVar[str] = HIDE_FURTHER.sentence
    default: ClassVar[float | None] = 2
    example: ClassVar[str] = "write a whole number from 2"
    rules: ClassVar[frozenset[int]]
    needs: ClassVar[str] = ""
    least: ClassVar[int] = 2

    def allows(self, limit: float) -> bool:
        """Return whether a number is whole and large enough."""
        return self.least <= limit < UNBOUNDED and limit == int(limit)

    def parse(self, value: object) -> int:
        """Return a limit as a whole number."""
        return int(super().parse(value))

    def violated(self, size: CountSize, limit: int) -> bool:
        """Return whether a finding about one of its questions violates a limit."""
        return True

    def decided(
        self, limit: float, broken: Collection[str], doubts: Iterable[Doubt], open_: Mapping[int, Reason]
    ) -> ClauseDecision:
        """Return how the clause ends.

        Args:
            limit: the limit in force.
            broken: the names of the clauses with a certain finding.
            doubts: the data that was not read, not judged, or only guessed.
            open_: why questions are undecided, by rule.
        """
        reasons = [each.reason for each in doubts if each.concerns(self.name)]
        reasons += dict.fromkeys(reason for rule, reason in open_.items() if rule in self.rules)
        return ended(self, limit, reasons, broken=self.name in broken)


class MinCount(CountClause):
    """The least count that may be disclosed; the default follows from what the manifest says of hidden counts."""

    name: ClassVar[str] = "min_count"
    default: ClassVar[float | None] = None
    fails: ClassVar[str] = "A count smaller than the policy's min_count is known, exactly or approximately."
    meaning: ClassVar[Phrase] = Phrase("smallest count that may be known")
    rules: ClassVar[frozenset[int]] = frozenset((SMALL_COUNT, PERHAPS_LARGE))

    def violated(self, size: CountSize, limit: int) -> bool:
        """Return whether a finding shows that the count is small."""
        return size.lower >= 1 and size.upper < limit


class MinWidth(CountClause):
    """How many values a hidden count must be able to have."""

    name: ClassVar[str] = "min_width"
    fails: ClassVar[str] = "A hidden count has fewer possible values left than the policy's min_width."
    meaning: ClassVar[Phrase] = Phrase("smallest allowed number of possible values of a hidden count")
    example: ClassVar[str] = "write a whole number from 1"
    rules: ClassVar[frozenset[int]] = frozenset((PROTECTED, PERHAPS_LARGE))
    least: ClassVar[int] = 1

    def violated(self, size: CountSize, limit: int) -> bool:
        """Return whether a finding leaves the count fewer values."""
        return size.upper - size.lower + 1 < limit


class MinLabels(CountClause):
    """How many different labels the people of a cell must have, if a dimension is sensitive."""

    name: ClassVar[str] = "min_labels"
    fails: ClassVar[str] = "The people counted in a cell have fewer different labels than the policy's min_labels."
    meaning: ClassVar[Phrase] = Phrase("smallest allowed number of categories among a cell’s people")
    rules: ClassVar[frozenset[int]] = frozenset((SAME_KIND,))
    needs: ClassVar[str] = "sensitive"


COUNT_CLAUSES: Mapping[str, CountClause] = {clause.name: clause for clause in (MinCount(), MinWidth(), MinLabels())}
"""The clauses of the policy for count tables, by name."""


_OWN = MaxRisk(), MinE(), SmallestClass(), MaxEverRisk(), Closeness()
OWN: Mapping[str, Clause] = {clause.name: clause for clause in _OWN}
"""The clauses of this program."""
ON_VALUES = frozenset(name for name, clause in OWN.items() if clause.on_values)
"""Those that depend on what is known about people's values."""
_OTHERS: Registry[type[Clause]] = Registry("series_audit.clauses", "clause", {})


class _AllClauses(Mapping[str, Clause]):
    """All clauses by name; those of other packages are imported when a policy is first read."""

    @cached_property
    def _held(self) -> dict[str, Clause]:
        return {clause.name: clause for clause in map(_other, _OTHERS.names) if clause.name not in OWN}

    def __getitem__(self, name: str) -> Clause:
        return OWN[name] if name in OWN else self._held[name]

    def __iter__(self) -> Iterator[str]:
        yield from OWN
        yield from self._held

    def __len__(self) -> int:
        return len(OWN) + len(self._held)


def _other(name: str) -> Clause:
    """Return a clause of another package."""
    try:
        return _OTHERS.load(name)()
    except PluginImportError as error:
        return NotImported.called(name, str(error))
    except (Exception, SystemExit) as error:  # noqa: BLE001 - a plug-in may raise anything
        return NotImported.called(
            name,
            say(
                "the clause {name} cannot be loaded ({error}); correct it, or uninstall its package",
                name=name,
                error=type(error).__name__,
            ),
        )


CLAUSES: Mapping[str, Clause] = _AllClauses()


def clause_of(name: str) -> Limit:
    """Return a clause of the policy for people or for count tables."""
    return COUNT_CLAUSES[name] if name in COUNT_CLAUSES else CLAUSES[name]


def limit_of(name: str, value: object, *, of_tables: bool = False) -> float:
    """Return the limit of a clause of the policy for people, or for count tables.

    Raises:
        ValueError: the clause is unknown, or the value is not a valid limit; the text says what to do.
    """
    clauses: Mapping[str, Limit] = COUNT_CLAUSES if of_tables else CLAUSES
    if name not in clauses:
        lacks = "the policy of count tables has no such clause" if of_tables else "unknown limit of the policy"
        raise ValueError(lacks, f"use one of {', '.join(clauses)}")
    try:
        return clauses[name].parse(value)
    except ValueError as error:
        raise ValueError("this is not a limit of the policy", str(error)) from None


def in_force(manifest: Mapping[str, float], asked: Mapping[str, float]) -> dict[str, Stated]:
    """Return the limits in force: those of this run, otherwise of the manifest, otherwise the defaults."""
    found = {}
    for name, clause in CLAUSES.items():
        limit = asked.get(name, manifest.get(name, clause.default))
        if limit is not None:
            found[name] = Stated(limit, name in manifest, name in asked)
    return found


class NotImported(Clause):
    """A clause of which only the name is known.

    Attributes:
        why: the reason why it cannot be imported.
    """

    why: ClassVar[str]
    default: ClassVar[float | None] = 0
    fails: ClassVar[str] = "The clause cannot be imported."
    remedy: ClassVar[str] = "Install what its package needs, or uninstall it."
    example: ClassVar[str] = "write a number"

    @classmethod
    def called(cls, name: str, why: str) -> Clause:
        """Return a clause with a class of its own, as every clause has one."""
        kind: type[Clause] = type(cls.__name__, (cls,), {"name": name, "why": why})
        return kind()

    def allows(self, limit: float) -> bool:
        """Return true, because the valid limits are unknown."""
        return True

    def judges(self, findings: JudgedAudit) -> bool:
        """Return true: the clause ends undecided, whatever attacks ran."""
        return True

    def violations(self, findings: JudgedAudit, limit: float) -> Iterator[Violation]:
        """Yield nothing."""
        yield from ()

    def doubts(self, findings: JudgedAudit, limit: float) -> Iterator[str]:
        """Yield why it cannot be imported."""
        yield self.why
