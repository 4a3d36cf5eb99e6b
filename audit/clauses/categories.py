"""Categories of similar values: a part of the clause `max_risk`, judged from the values that are left.

A category is certain of a person if all values that are left are of it, and else as likely as these are together. It is
found as close numbers are: the values of a category are one number.
"""

from __future__ import annotations

from typing import ClassVar

from audit.clauses.clause import JudgedAudit
from audit.clauses.closeness import Alike, Closeness, Nearly
from audit.findings.close_numbers import CloseValues, SimilarPeople
from audit.model.evidence import Evidence
from audit.model.scored import Result
from audit.runtime.phrases import say, say_count


class Categories(Closeness):
    """What `max_risk` asks of categories; no clause by itself."""

    name: ClassVar[str] = "similar"
    of_people: ClassVar[type[CloseValues]] = SimilarPeople

    def alike(self, evidence: Evidence, share: float) -> list[Alike]:
        """Return which values are of one category."""
        return [
            Alike(name, category, values.near(share))
            for name, categories in evidence.categories.items()
            for category, values in categories.items()
        ]

    def judges(self, findings: JudgedAudit) -> bool:
        """Return whether any values have categories."""
        return self.asks(findings)

    def highest(self, entry: Result[Evidence]) -> float | None:
        """Return the highest risk of a category that is not accepted; None for want."""
        found, left = self._left(entry)
        return float(found.claims.risk[left].max()) if found is not None and left else None

    def not_run(self) -> str:
        """Return what did not run that is needed."""
        return say("only joint says of people, and homogeneity of rows, whether one category is left; ask for them")

    def unless(self, found: Nearly | None) -> str:
        """Return what is not known."""
        if found is None:
            return say("not every category could be judged")
        return say_count(
            "of {count} person it is not known whether the values that are left are of one category; raise "
            "--time-limit",
            "of {count} people it is not known whether the values that are left are of one category; raise "
            "--time-limit",
            found.open,
        )
