"""All clauses of the policy, in the order of a report: this program's, then those of other packages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import ClassVar

from audit.clauses.clause import Clause, JudgedAudit, Limit, Stated
from audit.clauses.count_limits import COUNT_CLAUSES
from audit.clauses.max_ever_risk import MaxEverRisk
from audit.clauses.max_risk import Closeness, MaxRisk
from audit.clauses.min_e import MinE
from audit.clauses.smallest_class import SmallestClass
from audit.model.options import PluginImportError, Registry
from audit.model.report import Violation
from audit.runtime.phrases import say

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
