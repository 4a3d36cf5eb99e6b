"""A clause of another package that cannot be imported: undecided, since it may be in force without being stated."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from audit.clauses.clause import Clause, JudgedAudit
from audit.model.report import Violation


class NotImported(Clause):
    """A clause of which nothing but the name is known.

    Attributes:
        why: why it cannot be imported.
    """

    why: ClassVar[str]
    default: ClassVar[float | None] = 0
    fails: ClassVar[str] = "The clause cannot be imported."
    remedy: ClassVar[str] = "Install what its package needs, or uninstall it."
    example: ClassVar[str] = "write a number"

    @classmethod
    def called(cls, name: str, why: str) -> Clause:
        """Return a clause of its own class, as each clause has one."""
        kind: type[Clause] = type(cls.__name__, (cls,), {"name": name, "why": why})
        return kind()

    def allows(self, limit: float) -> bool:
        """Return true: what limits there are is not known."""
        del limit
        return True

    def judges(self, findings: JudgedAudit) -> bool:
        """Return true: whatever ran, the clause ends undecided."""
        del findings
        return True

    def violations(self, findings: JudgedAudit, limit: float) -> Iterator[Violation]:
        """Yield nothing."""
        del findings, limit
        yield from ()

    def doubts(self, findings: JudgedAudit, limit: float) -> Iterator[str]:
        """Yield why it cannot be imported."""
        del findings, limit
        yield self.why
